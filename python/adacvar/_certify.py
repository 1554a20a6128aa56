"""Certificates of linear models, of whatever origin."""

import warnings
from collections import namedtuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array, column_or_1d

from . import _adacvar, _features
from ._base import class_names
from ._estimators import LinearEstimator

Certified = namedtuple("Certified", "mean var cvar certificate")
Certified.__doc__ = """Mean, VaR and CVaR of a model's losses, and the bounds of the least risk."""


def _last_step(estimator, X):
    if isinstance(estimator, Pipeline):
        return estimator.steps[-1][1], estimator[:-1].transform(X)
    return estimator, X


def _check_rows(estimator, X, y):
    """Refuses what check_array would read without a word: other columns, other classes."""
    if _features.has_categories(X):
        raise ValueError(
            "certify takes numbers, and X has categories: encode them in a Pipeline, or read the "
            "certificate_ of an estimator of adacvar"
        )
    names = getattr(estimator, "feature_names_in_", None)
    if names is not None and hasattr(X, "columns") and list(names) != list(X.columns):
        raise ValueError(f"the columns of X are {list(X.columns)}; the model has {list(names)}")
    if is_classifier(estimator):
        unknown = np.setdiff1d(y, estimator.classes_)
        if len(unknown) > 0:
            raise ValueError(f"y has the class {unknown[0]!r}; the model has {list(estimator.classes_)}")


def _check_link(estimator, X):
    """Refuses models whose predictions are not those of their scores, such as a logarithm's inverse."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the names of columns were checked
        _compare_predictions(estimator, X[:100])


def _compare_predictions(estimator, X):
    scores = X @ np.atleast_2d(estimator.coef_).T + estimator.intercept_
    if not is_classifier(estimator):
        expected, found = scores.ravel(), np.ravel(estimator.predict(X))
    elif hasattr(estimator, "predict_proba"):
        if scores.shape[1] == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        expected = np.exp(scores - scores.max(axis=1, keepdims=True))
        expected /= expected.sum(axis=1, keepdims=True)
        found = estimator.predict_proba(X)
    else:
        return
    if not np.allclose(found, expected, rtol=1e-3, atol=1e-3 * np.max(np.abs(expected), initial=1e-300)):
        raise TypeError(
            f"certify needs a linear model: predictions of {type(estimator).__name__} are not those "
            "of coef_ and intercept_ by the identity, or the logistic function for classes"
        )


def certify(estimator, X, y, *, alpha=None, gamma=None, loss="auto", sample_weight=None, threads=0):
    """How far a fitted linear model's risk on these rows is from the least possible.

    estimator: anything with coef_ and intercept_, such as LinearRegression, Ridge, HuberRegressor or
    LogisticRegression, or a Pipeline that ends with one; rows are what that last step sees. Sparse
    rows are made dense. alpha, gamma: of the risk; None: those of an estimator of adacvar, else 0.1 and 0.

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
    y = column_or_1d(y, warn=True)
    _check_rows(estimator, X, y)
    X = check_array(X, accept_sparse="csr", dtype=(np.float64, np.float32))
    X = X.toarray() if sp.issparse(X) else X
    if not own and X.shape[1] == np.atleast_2d(estimator.coef_).shape[1]:
        _check_link(estimator, X)
    classify = is_classifier(estimator)
    target = class_names(estimator.classes_, y) if classify else np.asarray(y, dtype=np.float64)
    coefficients = np.ascontiguousarray(estimator.coef_, dtype=np.float64).ravel()
    intercepts = np.atleast_1d(np.asarray(estimator.intercept_, dtype=np.float64)).ravel()
    risk, certificate = _adacvar._certify(
        X, target, classify, coefficients, intercepts, sample_weight, given
    )
    return Certified(*risk, certificate)
