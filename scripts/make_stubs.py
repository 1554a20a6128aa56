#!/usr/bin/env python3
"""Writes the stubs of the package from the module's docstrings and its list of options.

usage: PYTHONPATH=build/dev/python python3 scripts/make_stubs.py [--check]

--check compares them with the stored files instead, and fails if they differ.
"""

import difflib
import inspect
import sys
from pathlib import Path

import adacvar
from adacvar import _adacvar

FOLDER = Path(__file__).resolve().parents[1] / "python" / "adacvar"

HEAD = '''# Made by scripts/make_stubs.py.
from __future__ import annotations

from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

'''


def signature(thing):
    return inspect.getdoc(thing).split("\n")[0]


def function(thing, indent=""):
    return f"{indent}def {signature(thing)}: ...\n"


def engine_class(cls):
    lines = [f"class {cls.__name__}:\n"]
    first = signature(cls)
    if first != f"{cls.__name__}()":
        arguments = first[len(cls.__name__) + 1 :]
        lines.append(f"    def __init__(self, {arguments} -> None: ...\n")
    for name, value in vars(cls).items():
        if isinstance(value, property):
            lines.append(f"    @property\n    def {name}(self) -> {signature(value)}: ...\n")
        elif name == "__len__":
            lines.append("    def __len__(self) -> int: ...\n")
        elif not name.startswith("_"):
            lines.append(function(value, "    "))
    return "".join(lines)


def constructor(entries, first=""):
    lines = [f"    def __init__(\n        self,\n{first}        *,\n"]
    for name, entry in entries.items():
        kind = "int | np.random.RandomState | None" if name == "random_state" else entry["type"]
        lines.append(f"        {name}: {kind} = {entry['default']!r},\n")
    return "".join(lines) + "    ) -> None: ...\n"


ESTIMATOR = '''class _EngineEstimator:
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
{init}    coef_: NDArray[np.float64]
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
{trees}    n_iter_: int
    tail_share_: float | None
    validation_risk_: tuple[float, float, float] | None
    @property
    def feature_importances_(self) -> NDArray[np.float64]: ...

class CVaRBoostingRegressor(_BoostingEstimator, _EngineRegressor):
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> CVaRBoostingRegressor: ...

class CVaRBoostingClassifier(_BoostingEstimator, _EngineClassifier):
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> CVaRBoostingClassifier: ...

class _BestEstimator:
{best}    bases_: list[dict[str, Any]]
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
{corrector}    estimator_: Any
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
'''


def package_stub():
    from adacvar import _best, _boosting, _corrector, _estimators

    text = HEAD + "__version__: str\n\n"
    for name in ("cvar", "var", "tail_weights", "kdpp_marginals", "cvar_bound", "options"):
        text += function(getattr(_adacvar, name))
    text += "\n" + engine_class(adacvar.AdaptiveSampler)
    text += "\n" + engine_class(adacvar.Certificate)
    init = constructor(_estimators.FIT_KEYWORDS)
    corrector = constructor(_corrector._CORRECT, "        estimator: Any,\n")
    return text + "\n" + ESTIMATOR.format(
        init=init,
        trees=constructor(_boosting.TREE_KEYWORDS),
        best=constructor(_best.BEST_KEYWORDS),
        corrector=corrector,
    )


def main():
    stored = FOLDER / "__init__.pyi"
    made = package_stub()
    if sys.argv[1:] != ["--check"]:
        stored.write_text(made)
        return 0
    if stored.read_text() == made:
        return 0
    sys.stdout.writelines(
        difflib.unified_diff(
            stored.read_text().splitlines(True), made.splitlines(True), "stored", "made"
        )
    )
    print("the stored stubs are stale: run scripts/make_stubs.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
