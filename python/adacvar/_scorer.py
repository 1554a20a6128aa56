"""Model selection by CVaR."""

import numpy as np
from sklearn.base import is_classifier

from . import _adacvar
from ._adacvar import cvar

_LEAST_PROBABILITY = 1e-15


class _CVaRScorer:
    def __init__(self, alpha, loss):
        self.alpha = alpha
        self.loss = loss

    def __repr__(self):
        return f"cvar_scorer({self.alpha!r}, loss={self.loss!r})"

    def _losses(self, estimator, X, y):
        loss = self.loss
        if loss == "auto":
            loss = "logistic" if is_classifier(estimator) else "squared"
        if loss != "logistic":
            return _adacvar._losses(estimator.predict(X), y, loss)
        probabilities = estimator.predict_proba(X)
        unknown = np.setdiff1d(y, estimator.classes_)
        if len(unknown) > 0:
            raise ValueError(f"y has the class {unknown[0]!r}; the model has {list(estimator.classes_)}")
        places = np.searchsorted(estimator.classes_, y)
        chances = probabilities[np.arange(len(places)), places]
        return -np.log(np.maximum(chances, _LEAST_PROBABILITY))

    def __call__(self, estimator, X, y, sample_weight=None):
        return -cvar(self._losses(estimator, X, y), self.alpha, sample_weight)


def cvar_scorer(alpha=0.1, loss="auto"):
    """A scorer for model selection: minus the CVaR of the losses, so that larger is better.

    loss: 'squared', 'absolute', 'huber' or 'pinball' of predicted numbers, 'logistic' of predicted
    probabilities (minus the logarithm of the one of the true class); 'auto': squared, for
    classifiers logistic.

    >>> from sklearn.datasets import make_regression
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.model_selection import cross_val_score
    >>> import adacvar
    >>> X, y = make_regression(100, 3, noise=1, random_state=0)
    >>> scores = cross_val_score(Ridge(), X, y, scoring=adacvar.cvar_scorer(alpha=0.1))
    >>> len(scores), bool((scores < 0).all())
    (5, True)
    """
    cvar([0.0], alpha)  # refuses an alpha that is not allowed
    if loss not in ("auto", "logistic"):
        _adacvar._losses([0.0], [0.0], loss)
    return _CVaRScorer(alpha, loss)
