"""Models that control the CVaR: the mean of the worst `alpha` share of their losses.

Functions and sampler: cvar, var, tail_weights, kdpp_marginals, cvar_bound, AdaptiveSampler.
scikit-learn: CVaRRegressor, CVaRClassifier, CVaRBoostingRegressor, CVaRBoostingClassifier, best,
TailCorrector, cvar_scorer, cvar_frontier, certify, load_model. PyTorch: the module adacvar.torch.

scikit-learn and PyTorch are imported when something that needs them is used first.
"""

from importlib import import_module as _import_module

from ._adacvar import (
    AdaptiveSampler,
    Certificate,
    __version__,
    cvar,
    cvar_bound,
    kdpp_marginals,
    options,
    tail_weights,
    var,
)

_LAZY = {
    "BestClassifier": "_best",
    "BestRegressor": "_best",
    "CVaRBoostingClassifier": "_boosting",
    "CVaRBoostingRegressor": "_boosting",
    "CVaRClassifier": "_estimators",
    "CVaRRegressor": "_estimators",
    "Frontier": "_frontier",
    "TailCorrector": "_corrector",
    "best": "_best",
    "certify": "_certify",
    "cvar_frontier": "_frontier",
    "cvar_scorer": "_scorer",
    "load_model": "_estimators",
}

__all__ = [
    "AdaptiveSampler",
    "Certificate",
    "__version__",
    "cvar",
    "cvar_bound",
    "kdpp_marginals",
    "options",
    "tail_weights",
    "var",
    *_LAZY,
]

for _object in (AdaptiveSampler, Certificate, cvar, cvar_bound, kdpp_marginals, options, tail_weights, var):
    _object.__module__ = __name__


def __getattr__(name):
    if name in _LAZY:
        value = getattr(_import_module(f"{__name__}.{_LAZY[name]}"), name)
        globals()[name] = value
        return value
    if name == "torch":
        return _import_module(f"{__name__}.torch")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_LAZY, "torch"})
