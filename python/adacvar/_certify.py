"""Certificates of linear models, of whatever origin."""

from collections import namedtuple

import numpy as np
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array, column_or_1d

from . import _adacvar
from ._base import class_names
from ._estimators import LinearEstimator

Certified = namedtuple("Certified", "mean var cvar certificate")
Certified.__doc__ = """Mean, VaR and CVaR of a model's losses, and the bounds of the least risk."""


def _last_step(estimator, X):
    if isinstance(estimator, Pipeline):
        return estimator.steps[-1][1], estimator[:-1].transform(X)
    return estimator, X


def certify(estimator, X, y, *, alpha=None, gamma=None, loss="auto", sample_weight=None, threads=0):
    """How far a fitted linear model's risk on these rows is from the least possible.

    estimator: anything with coef_ and intercept_, such as LinearRegression, Ridge, HuberRegressor or
    LogisticRegression, or a Pipeline that ends with one; rows are what that last step sees. alpha,
    gamma: of the risk; None: those of an estimator of adacvar, else 0.1 and 0.

    >>> import adacvar
    >>> from sklearn.datasets import make_regression
    >>> from sklearn.linear_model import LinearRegression
    >>> X, y = make_regression(200, 3, noise=5, random_state=0)
    >>> found = adacvar.certify(LinearRegression().fit(X, y), X, y, alpha=0.1)
    >>> found.certificate.lower < found.cvar
    True
    """
    estimator, X = _last_step(estimator, X)
    for name in ("coef_", "intercept_"):
        if not hasattr(estimator, name):
            raise TypeError(
                f"certify needs a fitted linear model: {type(estimator).__name__} has no '{name}'"
            )
    own = isinstance(estimator, LinearEstimator)
    if own and loss == "auto":
        loss = estimator.loss
    given = {
        "alpha": alpha if alpha is not None else estimator.alpha if own else 0.1,
        "gamma": gamma if gamma is not None else estimator.gamma if own else 0.0,
        "loss": loss,
        "threads": threads,
    }
    X = check_array(X, dtype=(np.float64, np.float32))
    y = column_or_1d(y, warn=True)
    classify = is_classifier(estimator)
    target = class_names(estimator.classes_, y) if classify else np.asarray(y, dtype=np.float64)
    coefficients = np.ascontiguousarray(estimator.coef_, dtype=np.float64).ravel()
    intercepts = np.atleast_1d(np.asarray(estimator.intercept_, dtype=np.float64)).ravel()
    risk, certificate = _adacvar._certify(
        X, target, classify, coefficients, intercepts, sample_weight, given
    )
    return Certified(*risk, certificate)
