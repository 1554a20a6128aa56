"""The tail of another model's predictions, corrected."""

import os

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.model_selection import cross_val_predict
from sklearn.utils import column_or_1d
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _num_samples, check_is_fitted

from . import _adacvar
from ._base import seed_of
from ._keywords import add_constructor, entry, keywords

_CORRECT = keywords("correct", renamed={"seed": "random_state"}, without=("prediction_scale",))
_CORRECT["random_state"]["help"] = "seed of the folds of the engine's cross-validation"
_CORRECT["cv"] = entry(
    5, "folds, or a splitter, of the out-of-fold predictions of the estimator", "Any"
)


def _has_probabilities(self):
    return is_classifier(self.estimator)


class TailCorrector(MetaEstimatorMixin, BaseEstimator):
    """Lowers the CVaR of any regressor, or classifier of two classes, by a small linear correction.

    fit predicts every row by a copy of the estimator that did not see it, fits the correction to
    these predictions (within the mean budget; kept only if cross-validation finds that it helps),
    and refits the estimator on all rows. predict corrects the predictions of the latter.

    Attributes of a fitted model: estimator_, is_corrected_, given_risk_ and corrected_risk_ (mean,
    VaR and CVaR of the out-of-fold predictions, before and after), notes_, classes_.

    >>> import adacvar
    >>> from sklearn.datasets import make_regression
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> X, y = make_regression(300, 3, noise=5, random_state=0)
    >>> forest = RandomForestRegressor(20, random_state=0)
    >>> model = adacvar.TailCorrector(forest, alpha=0.1, mean_budget=0.05).fit(X, y)
    >>> model.corrected_risk_[2] < model.given_risk_[2]
    True
    """

    @property
    def _estimator_type(self):
        return getattr(self.estimator, "_estimator_type", None)

    def _matrix(self, X):
        """Numbers for the correction; no columns where X has others, or missing values."""
        if self.features != "no":
            dense = X if hasattr(X, "__array__") or isinstance(X, (list, tuple)) else None
            try:
                matrix = np.asarray(dense, dtype=np.float64)
            except (TypeError, ValueError):
                matrix = np.empty(0)
            if matrix.ndim == 2 and (self.features == "yes" or np.isfinite(matrix).all()):
                return matrix
            if self.features == "yes":
                raise ValueError("features = 'yes' needs X to be a dense matrix of numbers")
        return np.empty((_num_samples(X), 0))

    def _predictions(self, estimator, X):
        if is_classifier(estimator):
            return estimator.predict_proba(X)[:, 1]
        return np.asarray(estimator.predict(X), dtype=np.float64)

    def _out_of_fold(self, X, y):
        if not is_classifier(self.estimator):
            return cross_val_predict(self.estimator, X, y, cv=self.cv)
        return cross_val_predict(self.estimator, X, y, cv=self.cv, method="predict_proba")[:, 1]

    def fit(self, X, y, sample_weight=None):
        """Fits estimator and correction; sample_weight weights the rows of the correction."""
        y = column_or_1d(y, warn=True)
        target = y
        if is_classifier(self.estimator):
            self.classes_ = np.unique(y)
            if len(self.classes_) != 2:
                raise ValueError(f"{len(self.classes_)} classes; probabilities of two can be corrected")
            target = np.searchsorted(self.classes_, y)
        given = {name: getattr(self, name) for name in self._keywords if name not in ("cv", "random_state")}
        given["seed"] = seed_of(self.random_state)
        given["prediction_scale"] = "probability" if is_classifier(self.estimator) else "value"
        predictions = np.asarray(self._out_of_fold(X, y), dtype=np.float64)
        matrix = self._matrix(X)
        self._has_columns = matrix.shape[1] > 0
        result = _adacvar._correct(
            matrix, predictions, np.asarray(target, dtype=np.float64), {}, sample_weight, given
        )
        self._model = result["model"]
        self.is_corrected_ = result["is_corrected"]
        self.given_risk_ = result["given_risk"]
        self.corrected_risk_ = result["corrected_risk"]
        self.notes_ = [*result["headlines"], *result["notes"]]
        self.estimator_ = clone(self.estimator).fit(X, y)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    def _corrected(self, X):
        check_is_fitted(self)
        predictions = self._predictions(self.estimator_, X)
        if not self._has_columns:
            return predictions.reshape(-1, 1)
        return np.column_stack([np.asarray(X, dtype=np.float64), predictions])

    def predict(self, X):
        """Corrected predictions; of a classifier the more probable class."""
        if is_classifier(self.estimator):
            return self.classes_[np.argmax(self.predict_proba(X), axis=1)]
        corrected = self._corrected(X)
        return self._model.predict(corrected, {})

    @available_if(_has_probabilities)
    def predict_proba(self, X):
        """Corrected probabilities of both classes."""
        corrected = self._corrected(X)
        return self._model.predict_probabilities(corrected, {}).reshape(-1, 2)

    def score(self, X, y, sample_weight=None):
        """R^2, or accuracy of a classifier."""
        from sklearn.metrics import accuracy_score, r2_score

        metric = accuracy_score if is_classifier(self.estimator) else r2_score
        return metric(y, self.predict(X), sample_weight=sample_weight)

    def save(self, path):
        """Writes the correction as a model file; the program applies it to a column of predictions."""
        check_is_fitted(self)
        self._model.save(os.fspath(path))

    def __sklearn_tags__(self):
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags = inner.classifier_tags
        tags.regressor_tags = inner.regressor_tags
        return tags


add_constructor(TailCorrector, _CORRECT, first={"estimator": "the estimator whose tail is corrected"})
