"""Boosted trees as estimators of scikit-learn, where the part is built."""

from numbers import Real

import numpy as np

from . import _adacvar
from ._base import EngineClassifier, EngineEstimator, EngineRegressor, estimator_keywords
from ._keywords import add_constructor, entry

TREE_KEYWORDS = estimator_keywords("trees")
TREE_KEYWORDS["validation_fraction"] = entry(
    0.2,
    "share of the rows, drawn at random, on which rounds and mixture are chosen; 0 needs "
    "tree_patience=0",
    "float",
)


def tree_maker():
    """The engine's maker of trees; None where the part is not built."""
    try:
        from . import _trees
    except ImportError:
        return None
    return _trees.maker()


class _BoostingEstimator(EngineEstimator):
    _takes_missing = True
    _own_keywords = ("random_state", "validation_fraction")

    def _fit(self, X, target, levels, weights, is_class):
        maker = tree_maker()
        if maker is None:
            raise ImportError(
                "boosted trees are not part of this build of adacvar: install XGBoost's library "
                "(Debian: libxgboost-dev) and build again"
            )
        if not isinstance(self.validation_fraction, Real):
            raise TypeError(f"validation_fraction = {self.validation_fraction!r} is not a number")
        if not 0 <= self.validation_fraction < 1:
            raise ValueError(f"validation_fraction = {self.validation_fraction} is outside [0, 1)")
        if self.validation_fraction == 0 and self.tree_patience != 0:
            raise ValueError(
                "validation_fraction = 0 leaves no rows that choose the rounds: it needs tree_patience=0"
            )
        arguments = self._arguments(X, target, levels, weights, is_class)
        result = _adacvar._fit(*arguments, self._options(), maker, self.validation_fraction)
        self._set_model(result["model"])
        self.n_iter_ = int(result["iterations"])
        self.validation_risk_ = result["validation_risk"]
        self.tail_share_ = result["tail_share"]
        self.notes_ = [*result["headlines"], *result["notes"]]
        return self

    @property
    def feature_importances_(self):
        """Share of each column in the gain of all splits."""
        shares = dict(self._model.importance())
        return np.array([shares.get(column, 0.0) for column in self._model.columns])

    def _settings(self, model):
        settings = {**super()._settings(model), **model.tree_settings}
        return {name: value for name, value in settings.items() if name in self._keywords}


class CVaRBoostingRegressor(_BoostingEstimator, EngineRegressor):
    """Boosted trees for the mean and for the tail, mixed for least CVaR within a mean budget.

    A share of the rows (validation_fraction) chooses the rounds and the mixture. NaN is a missing
    value; columns of type category of frames are split as categories. Needs the part trees, over
    XGBoost, which is loaded when the first model is fitted.

    Attributes of a fitted model: n_features_in_, feature_names_in_ (of frames), n_iter_ (rounds),
    tail_share_ (of the trees for the tail in the mixture; None if too few rows were there to choose
    it), training_risk_ and validation_risk_ (mean, VaR, CVaR), feature_importances_, stop_reason_, notes_.

    >>> import numpy as np
    >>> from adacvar import CVaRBoostingRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((400, 2))
    >>> y = np.sin(6 * X[:, 0]) + X[:, 1] ** 4 * rng.standard_normal(400)
    >>> model = CVaRBoostingRegressor(rounds=50).fit(X, y)
    >>> model.score(X, y) > 0.5
    True
    """


class CVaRBoostingClassifier(_BoostingEstimator, EngineClassifier):
    """Boosted trees for classes, mixed and with a temperature of least CVaR within a mean budget.

    As CVaRBoostingRegressor; classes_ besides.

    >>> import numpy as np
    >>> from adacvar import CVaRBoostingClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((400, 2))
    >>> y = np.where((X[:, 0] > 0.5) == (X[:, 1] > 0.5), "same", "other")
    >>> model = CVaRBoostingClassifier(rounds=50).fit(X, y)
    >>> model.predict([[0.1, 0.2], [0.1, 0.9]])
    array(['same', 'other'], dtype='<U5')
    """


add_constructor(CVaRBoostingRegressor, TREE_KEYWORDS)
add_constructor(CVaRBoostingClassifier, TREE_KEYWORDS)
