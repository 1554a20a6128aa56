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

class _EngineEstimator:
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    stop_reason_: str
    notes_: list[str]
    @property
    def training_risk_(self) -> tuple[float, float, float]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Any: ...

class _EngineRegressor(_EngineEstimator):
    def predict(self, X: Any) -> NDArray[np.float64]: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float: ...

class _EngineClassifier(_EngineEstimator):
    classes_: NDArray[Any]
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float: ...

class _LinearEstimator:
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
    coef_: NDArray[np.float64]
    coef_names_: list[str]
    certificate_: Certificate | None
    n_iter_: int
    frontier_: Frontier

class CVaRRegressor(_LinearEstimator, _EngineRegressor):
    intercept_: float
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> CVaRRegressor: ...

class CVaRClassifier(_LinearEstimator, _EngineClassifier):
    intercept_: NDArray[np.float64]
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> CVaRClassifier: ...

class _BoostingEstimator:
    def __init__(
        self,
        *,
        alpha: float = 0.1,
        mean_budget: float | None = None,
        algorithm: str = 'adacvar',
        loss: str = 'auto',
        delta: float = 1.0,
        tau: float = 0.5,
        rounds: int = 1000,
        depth: int = 6,
        leaves: int = 0,
        tree_rate: float = 0.1,
        subsample: float = 1.0,
        min_leaf_weight: float = 1.0,
        leaf_ridge: float = 1.0,
        bins: int = 256,
        tree_patience: int = 50,
        random_state: int | np.random.RandomState | None = 0,
        threads: int = 0,
        validation_fraction: float = 0.2,
    ) -> None: ...
    n_iter_: int
    tail_share_: float | None
    validation_risk_: tuple[float, float, float] | None
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...

class CVaRBoostingRegressor(_BoostingEstimator, _EngineRegressor):
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> CVaRBoostingRegressor: ...

class CVaRBoostingClassifier(_BoostingEstimator, _EngineClassifier):
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> CVaRBoostingClassifier: ...

class _BestEstimator:
    def __init__(
        self,
        *,
        alpha: float = 0.1,
        mean_budget: float = 0.02,
        loss: str = 'auto',
        delta: float = 1.0,
        tau: float = 0.5,
        folds: int = 4,
        time: str = '',
        random_state: int | np.random.RandomState | None = 0,
        threads: int = 0,
    ) -> None: ...
    bases_: list[dict[str, Any]]
    stack_risk_: tuple[float, float, float]
    held_out_risk_: tuple[float, float, float]
    is_corrected_: bool
    budgets_: list[tuple[float, tuple[float, float, float]]]

class BestRegressor(_BestEstimator, _EngineRegressor):
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> BestRegressor: ...

class BestClassifier(_BestEstimator, _EngineClassifier):
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> BestClassifier: ...

def best(
    X: Any,
    y: ArrayLike,
    *,
    classify: bool | None = None,
    sample_weight: ArrayLike | None = None,
    **options: Any,
) -> Any: ...

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
