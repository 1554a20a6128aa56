# Made by scripts/make_stubs.py.
from __future__ import annotations

from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__version__: str

def cvar(losses: ArrayLike, alpha: float, weights: ArrayLike | None = None) -> float: ...
def var(losses: ArrayLike, alpha: float, weights: ArrayLike | None = None) -> float: ...
def tail_weights(losses: ArrayLike, alpha: float, weights: ArrayLike | None = None) -> NDArray[np.float64]: ...
def kdpp_marginals(log_weights: ArrayLike, k: int, method: str = 'exact') -> NDArray[np.float64]: ...
def cvar_bound(losses: ArrayLike, alpha: Any, confidence: float, loss_max: float, side: str = 'upper') -> Any: ...
def options(of: str) -> list[dict[str, Any]]: ...

class AdaptiveSampler:
    def __init__(self, n: int, alpha: float = 0.1, *, seed: int = 0, weights: ArrayLike | None = None, estimator: str = 'centred', eta: float | None = None, eta_scale: float | None = None, schedule: str = 'constant', horizon: int = 0, gamma: float = 0.01, epsilon: float = 0.0, scale: str = 'automatic', loss_scale: float = 1.0, marginals: str = 'matched', batches: str = 'iid') -> None: ...
    def draw(self, batch: int) -> NDArray[np.int64]: ...
    def observe(self, indices: ArrayLike, losses: ArrayLike, probabilities: ArrayLike | None = None) -> None: ...
    def probabilities(self, indices: ArrayLike | None = None) -> NDArray[np.float64]: ...
    def discount(self, factor: float) -> None: ...
    def set_gamma(self, gamma: float) -> None: ...
    def state_dict(self) -> dict[str, Any]: ...
    def load_state_dict(self, state: dict[str, Any]) -> None: ...
    @property
    def tail_size(self) -> int: ...
    @property
    def eta(self) -> float: ...
    @property
    def options(self) -> dict[str, Any]: ...
    def __len__(self) -> int: ...

class Certificate:
    @property
    def lower(self) -> float: ...
    @property
    def upper(self) -> float: ...
    @property
    def radius(self) -> float: ...
    @property
    def relative_gap(self) -> float: ...
    @property
    def is_perfect_fit(self) -> bool: ...

class _CVaREstimator:
    def __init__(
        self,
        *,
        alpha: float = 0.1,
        gamma: float = 0.0,
        mean_budget: float | None = None,
        cvar_limit: float | None = None,
        algorithm: str = 'auto',
        loss: str = 'auto',
        delta: float = 1.0,
        tau: float = 0.5,
        ridge: float = 0.0,
        raw_features: bool = False,
        exploration: float = 0.01,
        epochs: int = 0,
        batch: int = 0,
        learning_rate: float | None = None,
        temperature: float = 0.1,
        random_state: int | np.random.RandomState | None = 0,
        threads: int = 0,
        frontier: bool = False,
    ) -> None: ...
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    coef_: NDArray[np.float64]
    coef_names_: list[str]
    certificate_: Certificate | None
    n_iter_: int
    stop_reason_: str
    notes_: list[str]
    frontier_: Frontier
    @property
    def training_risk_(self) -> tuple[float, float, float]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Any: ...

class CVaRRegressor(_CVaREstimator):
    intercept_: float
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> CVaRRegressor: ...
    def predict(self, X: Any) -> NDArray[np.float64]: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float: ...

class CVaRClassifier(_CVaREstimator):
    intercept_: NDArray[np.float64]
    classes_: NDArray[Any]
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> CVaRClassifier: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float: ...

class TailCorrector:
    def __init__(
        self,
        estimator: Any,
        *,
        alpha: float = 0.1,
        gamma: float = 0.1,
        mean_budget: float = 0.02,
        rho: float | None = None,
        choose: str = 'cv',
        folds: int = 5,
        random_state: int | np.random.RandomState | None = 0,
        threads: int = 0,
        loss: str = 'auto',
        delta: float = 1.0,
        tau: float = 0.5,
        features: str = 'auto',
        cv: Any = 5,
    ) -> None: ...
    estimator_: Any
    classes_: NDArray[Any]
    n_features_in_: int
    is_corrected_: bool
    given_risk_: tuple[float, float, float]
    corrected_risk_: tuple[float, float, float]
    notes_: list[str]
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> TailCorrector: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Any: ...

class Frontier:
    gamma: NDArray[np.float64]
    mean: NDArray[np.float64]
    var: NDArray[np.float64]
    cvar: NDArray[np.float64]
    marks: dict[str, int]
    chosen: int | None
    is_exact: bool
    notes: list[str]
    def __len__(self) -> int: ...
    def estimator(self, point: int | str | None = None) -> Any: ...
    def plot(self, ax: Any = None) -> Any: ...

class Certified(NamedTuple):
    mean: float
    var: float
    cvar: float
    certificate: Certificate

def certify(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    alpha: float | None = None,
    gamma: float | None = None,
    loss: str = 'auto',
    sample_weight: ArrayLike | None = None,
    threads: int = 0,
) -> Certified: ...
def cvar_frontier(
    X: Any,
    y: ArrayLike,
    *,
    classify: bool | None = None,
    sample_weight: ArrayLike | None = None,
    points: int = 0,
    at: str = 'mean=+5%',
    **options: Any,
) -> Frontier: ...
def cvar_scorer(alpha: float = 0.1, loss: str = 'auto') -> Any: ...
def load_model(path: str | PathLike[str]) -> Any: ...
