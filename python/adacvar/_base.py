"""What estimators of scikit-learn over the engine's models have in common."""

import os

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, _check_sample_weight

from . import _features
from ._keywords import keywords


def estimator_keywords(of):
    """The options of the list `of`; the seed is scikit-learn's random_state."""
    entries = keywords(of, renamed={"seed": "random_state"})
    entries["random_state"]["help"] = "seed of all draws; None: another one each time"
    return entries


def seed_of(random_state):
    """The engine's seed: a number is the seed itself."""
    if isinstance(random_state, (int, np.integer)):
        if random_state < 0:
            raise ValueError(f"random_state = {random_state} is negative; a seed is at least 0")
        return random_state
    return int(check_random_state(random_state).randint(2**31 - 1))


def default_names(count):
    """The names that the engine gives columns without any."""
    return [f"x{i}" for i in range(1, count + 1)]


class EngineEstimator(BaseEstimator):
    """Rows in, a model of the engine inside. A subclass has _fit(rows, is_class)."""

    _takes_missing = False  # NaN is a missing value
    _own_keywords = ("random_state",)  # not passed to the engine

    def _options(self):
        given = {name: getattr(self, name) for name in self._keywords if name not in self._own_keywords}
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
        X, y = _features.check(
            self, X, y, reset=True, numeric_y=numeric_y, allow_nan=self._takes_missing
        )
        return X, y, {}

    def _weights(self, X, sample_weight):
        if sample_weight is None:
            return None
        return _check_sample_weight(sample_weight, X, dtype=np.float64)

    def _arguments(self, X, target, levels, weights, is_class):
        """The first arguments of the engine's functions."""
        return (_features.to_engine(X), target, is_class, levels, weights, self._names())

    def _set_model(self, model):
        self._model = model
        self.stop_reason_ = model.stop_reason

    def _engine_input(self, X):
        check_is_fitted(self)
        X, levels = _features.read(
            self, X, reset=False, categorical=self._categorical, allow_nan=self._takes_missing
        )
        if self._is_sparse and not sp.issparse(X):
            X = sp.csr_matrix(X)
        return _features.to_engine(X), levels

    @property
    def _is_sparse(self):
        columns = self._model.columns
        return not columns or columns[0] == "c1" and not hasattr(self, "feature_names_in_")

    def _settings(self, model):
        """The parameters that a model file holds."""
        settings = model.settings
        settings["random_state"] = settings.pop("seed")
        return {name: value for name, value in settings.items() if name in self._keywords}

    def _restore(self, model):
        """Takes over a model that was read from a file."""
        columns = model.columns
        self.n_features_in_ = len(columns)
        if columns not in (default_names(len(columns)), [f"c{i + 1}" for i in range(len(columns))]):
            self.feature_names_in_ = np.array(columns, dtype=object)
        self.set_params(**self._settings(model))
        self._categorical = tuple(model.categorical_columns)
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
        return {
            "requires_y": True,
            "allow_nan": self._takes_missing,
            "_xfail_checks": self._expected_failures(),
        }

    def _expected_failures(self):
        """Checks of scikit-learn that cannot hold, with the reason."""
        return {}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._takes_missing
        tags.target_tags.required = True
        return tags


class EngineRegressor(RegressorMixin, EngineEstimator):
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


class EngineClassifier(ClassifierMixin, EngineEstimator):
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
        return X, class_names(self.classes_, y), levels, self._weights(X, sample_weight)

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
        return scores if len(self.classes_) == 2 else scores.reshape(-1, len(self.classes_))

    def _restore(self, model):
        super()._restore(model)
        self.classes_ = _labels(model.classes)
        return self


def has_classes(y):
    """Whether targets are names, booleans or two numbers, rather than numbers to predict."""
    kind = type_of_target(y)
    return kind == "binary" or (kind == "multiclass" and np.asarray(y).dtype.kind not in "fiu")


def class_names(classes, y):
    """Numbers as they are, so that the model file has their names; other classes by name."""
    if classes.dtype.kind in "iuf" and np.all(np.abs(classes.astype(np.float64)) < 2.0**53):
        return np.asarray(y, dtype=np.float64)
    return [str(label) for label in y]


def _labels(names):
    """Classes of a model file, which has names only: numbers and booleans where all look like them."""
    if names == ["False", "True"]:
        return np.array([False, True])
    for kind in (np.int64, np.float64):
        try:
            return np.array([kind(name) for name in names])
        except ValueError:
            continue
    return np.array(names)
