"""Estimators of scikit-learn over the engine's `fit` and `Model`."""

import os
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, _check_sample_weight

from . import _adacvar, _features
from ._keywords import add_constructor, entry, keywords

FIT_KEYWORDS = keywords("fit", renamed={"seed": "random_state"})
FIT_KEYWORDS["random_state"]["help"] = "seed of all draws; None: another one each time"
FIT_KEYWORDS["frontier"] = entry(
    False, "fit also traces the curve of mean against CVaR, for frontier_ (see cvar_frontier)", "bool"
)


def seed_of(random_state):
    """The engine's seed: a number is the seed itself."""
    if isinstance(random_state, (int, np.integer)):
        return random_state
    return int(check_random_state(random_state).randint(2**31 - 1))


def default_names(count):
    """The names that the engine gives columns without any."""
    return [f"x{i}" for i in range(1, count + 1)]


class _CVaREstimator(BaseEstimator):
    def _options(self):
        names = [name for name in self._keywords if name not in ("random_state", "frontier")]
        given = {name: getattr(self, name) for name in names}
        given["seed"] = seed_of(self.random_state)
        return given

    def _names(self):
        if not hasattr(self, "feature_names_in_"):
            return []
        return [str(name) for name in self.feature_names_in_]

    def _read(self, X, y, numeric_y):
        if _features.has_categories(X):
            matrix, levels = _features.frame_to_codes(self, X, reset=True)
            y = column_or_1d(y, warn=True)
            self._categorical = tuple(self.feature_names_in_[list(levels)])
            return matrix, y, levels
        self._categorical = ()
        X, y = _features.check(self, X, y, reset=True, numeric_y=numeric_y)
        return X, y, {}

    def _weights(self, X, sample_weight):
        if sample_weight is None:
            return None
        return _check_sample_weight(sample_weight, X, dtype=np.float64)

    def _fit(self, X, target, levels, weights, is_class):
        arguments = (_features.to_engine(X), target, is_class, levels, weights, self._names())
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
        self._model = model
        self.certificate_ = model.certificate
        self.stop_reason_ = model.stop_reason
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

    def _engine_input(self, X):
        check_is_fitted(self)
        X, levels = _features.read(self, X, reset=False, categorical=self._categorical)
        if self._is_sparse and not sp.issparse(X):
            X = sp.csr_matrix(X)
        return _features.to_engine(X), levels

    @property
    def _is_sparse(self):
        columns = self._model.columns
        return not columns or columns[0] == "c1" and not hasattr(self, "feature_names_in_")

    def _restore(self, model):
        """Takes over a model that was read from a file."""
        columns = model.columns
        self.n_features_in_ = len(columns)
        self._categorical = ()
        if columns not in (default_names(len(columns)), [f"c{i + 1}" for i in range(len(columns))]):
            self.feature_names_in_ = np.array(columns, dtype=object)
        settings = model.settings
        settings["random_state"] = settings.pop("seed")
        self.set_params(**settings)
        self._categorical = tuple(
            name for name, terms in model.coefficients()[1] if terms[0][0] != "number"
        )
        self._set_model(model)
        return self

    def save(self, path):
        """Writes a model file that the program `adacvar` and `load_model` read."""
        check_is_fitted(self)
        self._model.save(os.fspath(path))

    @property
    def training_risk_(self):
        """Mean, VaR and CVaR of the training losses."""
        return self._model.training_risk

    def _more_tags(self):
        return {"requires_y": True, "_xfail_checks": self._expected_failures()}

    def _expected_failures(self):
        """Checks of scikit-learn that cannot hold, with the reason."""
        if self.algorithm not in ("adacvar", "trunc", "soft", "mean"):
            return {}
        return {
            "check_sample_weights_invariance": (
                "the order of the rows, which this check changes, decides which rows a seed draws"
            )
        }

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


class CVaRRegressor(RegressorMixin, _CVaREstimator):
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

    def fit(self, X, y, sample_weight=None):
        """Fits to rows X and numbers y; a row of weight w counts as w rows."""
        return self._fit(*self._prepare(X, y, sample_weight), is_class=False)

    def _prepare(self, X, y, sample_weight):
        X, y, levels = self._read(X, y, numeric_y=True)
        return X, np.asarray(y, dtype=np.float64), levels, self._weights(X, sample_weight)

    def predict(self, X):
        """Predicted numbers."""
        X, levels = self._engine_input(X)
        return self._model.predict(X, levels)

    def _set_coefficients(self, model):
        values, intercepts, self.coef_names_ = self._coefficients(model)
        self.coef_ = values[0]
        self.intercept_ = float(intercepts[0])


class CVaRClassifier(ClassifierMixin, _CVaREstimator):
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

    def fit(self, X, y, sample_weight=None):
        """Fits to rows X and classes y; a row of weight w counts as w rows."""
        X, target, levels, weights = self._prepare(X, y, sample_weight)
        self._fit(X, target, levels, weights, is_class=True)
        known = self._model.classes
        if len(known) != len(self.classes_):
            raise ValueError(
                f"{len(self.classes_) - len(known)} of {len(self.classes_)} classes have no row with "
                "a weight above 0"
            )
        if isinstance(target, list):  # names that are all numbers sort as numbers
            labels = {str(label): label for label in self.classes_}
            self.classes_ = np.array([labels[name] for name in known], dtype=self.classes_.dtype)
        return self

    def _prepare(self, X, y, sample_weight):
        X, y, levels = self._read(X, y, numeric_y=False)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        return X, _class_names(self.classes_, y), levels, self._weights(X, sample_weight)

    def predict(self, X):
        """The most probable classes."""
        X, levels = self._engine_input(X)
        return self.classes_[self._model.predict_classes(X, levels)]

    def _has_probabilities(self):
        return self.loss != "hinge"

    @available_if(_has_probabilities)
    def predict_proba(self, X):
        """Probabilities of the classes, a column each."""
        X, levels = self._engine_input(X)
        return self._model.predict_probabilities(X, levels).reshape(-1, len(self.classes_))

    @available_if(_has_probabilities)
    def predict_log_proba(self, X):
        """Logarithms of the probabilities."""
        return np.log(self.predict_proba(X))

    def decision_function(self, X):
        """Scores: of the second of two classes, else a column per class."""
        X, levels = self._engine_input(X)
        scores = self._model.scores(X, levels)
        return scores if len(self.coef_) == 1 else scores.reshape(-1, len(self.classes_))

    def _set_coefficients(self, model):
        self.coef_, self.intercept_, self.coef_names_ = self._coefficients(model)

    def _expected_failures(self):
        return super()._expected_failures() or {
            "check_sample_weights_invariance": (
                "the classes of this check can be separated: no model attains the least CVaR, and "
                "the order of the rows decides where the solver ends"
            )
        }

    def _restore(self, model):
        super()._restore(model)
        self.classes_ = _labels(model.classes)
        return self


def _class_names(classes, y):
    """Numbers as they are, so that the model file has their names; other classes by name."""
    if classes.dtype.kind in "iuf" and np.all(np.abs(classes.astype(np.float64)) < 2.0**53):
        return np.asarray(y, dtype=np.float64)
    return [str(label) for label in y]


def _labels(names):
    for kind in (np.int64, np.float64):
        try:
            return np.array([kind(name) for name in names])
        except ValueError:
            continue
    return np.array(names)


def load_model(path):
    """Reads a model file, of an estimator's `save` or of the program, as an estimator."""
    path = os.fspath(path)
    os.stat(path)  # FileNotFoundError rather than the engine's words
    model = _adacvar.Model.load(path)
    estimator = CVaRClassifier() if model.classes else CVaRRegressor()
    return estimator._restore(model)


add_constructor(CVaRRegressor, FIT_KEYWORDS)
add_constructor(CVaRClassifier, FIT_KEYWORDS)
