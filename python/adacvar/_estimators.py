"""Linear models as estimators of scikit-learn, and models read from files."""

import os
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from . import _adacvar
from ._base import EngineClassifier, EngineEstimator, EngineRegressor, estimator_keywords
from ._keywords import add_constructor, entry

FIT_KEYWORDS = estimator_keywords("fit")
FIT_KEYWORDS["frontier"] = entry(
    False, "fit also traces the curve of mean against CVaR, for frontier_ (see cvar_frontier)", "bool"
)


class LinearEstimator(EngineEstimator):
    _own_keywords = ("random_state", "frontier")
    _order_matters = ("adacvar", "trunc", "soft")  # algorithms that draw rows

    def _fit(self, X, target, levels, weights, is_class):
        arguments = self._arguments(X, target, levels, weights, is_class)
        given = self._options()
        result = _adacvar._fit(*arguments, given)
        self._set_model(result["model"])
        self.n_iter_ = int(result["iterations"])
        self.notes_ = [*result["headlines"], *result["notes"]]
        if self.stop_reason_ == "diverged":
            warnings.warn(
                "training diverged; try a smaller learning_rate, or algorithm='exact'",
                ConvergenceWarning,
                stacklevel=3,
            )
        if hasattr(self, "frontier_"):
            del self.frontier_
        if self.frontier:
            from ._frontier import Frontier

            for name in ("gamma", "mean_budget", "cvar_limit"):
                given.pop(name)
            self.frontier_ = Frontier(_adacvar._frontier(*arguments, given, {}), self)
        return self

    def _set_model(self, model):
        super()._set_model(model)
        self.certificate_ = model.certificate
        self._set_coefficients(model)

    def _coefficients(self, model):
        """Coefficients by output, intercepts, and a name for each coefficient."""
        intercepts, columns = model.coefficients()
        by_name = dict(columns)
        values, names = [], []
        for column in model.columns:
            for kind, level, value in by_name.get(column, [("number", "", [0.0] * len(intercepts))]):
                values.append(value)
                names.append(column if kind == "number" else f"{column}={level or kind}")
        return np.array(values, dtype=np.float64).T, np.array(intercepts), names

    def _expected_failures(self):
        if self.algorithm not in self._order_matters:
            return {}
        return {
            "check_sample_weights_invariance": (
                "the order of the rows, which this check changes, decides which rows a seed draws"
            )
        }


class CVaRRegressor(LinearEstimator, EngineRegressor):
    """Linear regression of least CVaR: the mean of the worst `alpha` share of the losses.

    Attributes of a fitted model: coef_, intercept_, n_features_in_, feature_names_in_ (of frames),
    certificate_ (bounds of the least risk possible, or None), training_risk_ (mean, VaR, CVaR),
    n_iter_, stop_reason_, notes_, coef_names_, frontier_ (with frontier=True).

    >>> import numpy as np
    >>> from adacvar import CVaRRegressor
    >>> X = np.array([[1, 0], [2, 1], [3, 0], [4, 1], [5, 0], [6, 1]])
    >>> y = np.array([1.1, 3.9, 2.8, 6.2, 5.3, 8.0])
    >>> model = CVaRRegressor(alpha=0.5).fit(X, y)
    >>> model.predict([[7, 0], [8, 1]]).round(2)
    array([ 7.25, 10.25])
    >>> model.certificate_.relative_gap < 1e-5
    True
    """

    def _set_coefficients(self, model):
        values, intercepts, self.coef_names_ = self._coefficients(model)
        self.coef_ = values[0]
        self.intercept_ = float(intercepts[0])


class CVaRClassifier(LinearEstimator, EngineClassifier):
    """Linear classification of least CVaR of the logistic (softmax, hinge) loss.

    Attributes of a fitted model: classes_, coef_, intercept_, n_features_in_, feature_names_in_ (of
    frames), certificate_, training_risk_, n_iter_, stop_reason_, notes_, coef_names_, frontier_.

    At a small alpha the least CVaR is often that of a classifier that gives every class the same
    chance (notes_ says so): set a price in the mean that you accept, mean_budget=0.05.

    >>> import numpy as np
    >>> from adacvar import CVaRClassifier
    >>> X = np.array([[0.0], [1], [2], [3], [4], [5]])
    >>> y = np.array(["no", "no", "yes", "no", "yes", "yes"])
    >>> model = CVaRClassifier(alpha=0.9).fit(X, y)
    >>> model.predict([[0], [5]])
    array(['no', 'yes'], dtype='<U3')
    """

    _order_matters = ("adacvar", "trunc", "soft", "mean")

    def _set_coefficients(self, model):
        self.coef_, self.intercept_, self.coef_names_ = self._coefficients(model)


def _estimator_for(model):
    """An estimator of the model's class, not fitted."""
    if model.kind == "trees":
        from ._boosting import CVaRBoostingClassifier as Classifier, CVaRBoostingRegressor as Regressor
    elif model.kind == "stack":
        from ._best import BestClassifier as Classifier, BestRegressor as Regressor
    else:
        Classifier, Regressor = CVaRClassifier, CVaRRegressor
    return Classifier() if model.classes else Regressor()


def load_model(path):
    """Reads a model file, of an estimator's `save` or of the program, as an estimator.

    The file has the names of classes: names that are all numbers come back as numbers, False and
    True as booleans. A pickle keeps the type of the labels.
    """
    path = os.fspath(path)
    os.stat(path)  # FileNotFoundError rather than the engine's words
    model = _adacvar.Model.load(path)
    return _estimator_for(model)._restore(model)


add_constructor(CVaRRegressor, FIT_KEYWORDS)
add_constructor(CVaRClassifier, FIT_KEYWORDS)
