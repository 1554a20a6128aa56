"""Linear models and trees, stacked and corrected for the tail: the command `best`."""

from . import _adacvar
from ._base import EngineClassifier, EngineEstimator, EngineRegressor, estimator_keywords, has_classes
from ._boosting import tree_maker
from ._keywords import add_constructor

BEST_KEYWORDS = estimator_keywords("best")


class _BestEstimator(EngineEstimator):
    _takes_missing = True

    def _fit(self, X, target, levels, weights, is_class):
        arguments = self._arguments(X, target, levels, weights, is_class)
        result = _adacvar._best(*arguments, self._options(), tree_maker())
        self._set_model(result["model"])
        self.bases_ = result["bases"]
        self.stack_risk_ = result["stack_risk"]
        self.held_out_risk_ = result["held_out_risk"]
        self.is_corrected_ = result["is_corrected"]
        self.budgets_ = result["frontier"]
        self.notes_ = [*result["headlines"], *result["notes"]]
        return self

    def _expected_failures(self):
        return {
            "check_sample_weights_invariance": (
                "the order of the rows, which this check changes, decides the folds"
            )
        }


class BestRegressor(_BestEstimator, EngineRegressor):
    """Linear models and boosted trees (where built), trained in folds, stacked, and corrected.

    The stack has the least mean loss on rows that its models did not see; a correction then lowers
    the CVaR within the mean budget, and is kept only if cross-validation finds that it helps. NaN
    is a missing value. Networks are part of the program's `best` only.

    Attributes of a fitted model: bases_ (name, weight and held_out_risk of each kind of model),
    stack_risk_ and held_out_risk_ (mean, VaR and CVaR on held-out rows before and after the
    correction), is_corrected_, budgets_ (mean budgets with the held-out risk within each),
    training_risk_, n_features_in_, feature_names_in_ (of frames), notes_.
    """


class BestClassifier(_BestEstimator, EngineClassifier):
    """The same for classes; several classes get a temperature in place of a correction.

    As BestRegressor; classes_ besides.
    """


add_constructor(BestRegressor, BEST_KEYWORDS)
add_constructor(BestClassifier, BEST_KEYWORDS)


def best(X, y, *, classify=None, sample_weight=None, **options):
    """Finds out what a set needs and works on its tail: a fitted BestRegressor or BestClassifier.

    `classify`: whether y has classes; None: if they are names, booleans or two numbers. The other
    keywords are those of BestRegressor.

    >>> import numpy as np
    >>> import adacvar
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((200, 2))
    >>> y = 3 * X[:, 0] + X[:, 1] ** 4 * rng.standard_exponential(200)
    >>> model = adacvar.best(X, y, folds=2)
    >>> model.held_out_risk_[2] <= model.stack_risk_[2]
    True
    """
    if classify is None:
        classify = has_classes(y)
    estimator = BestClassifier(**options) if classify else BestRegressor(**options)
    return estimator.fit(X, y, sample_weight)
