"""scikit-learn's checks of BestRegressor and BestClassifier: many fits, so a program of their own."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from adacvar import BestClassifier, BestRegressor
from adacvar._boosting import tree_maker

if tree_maker() is None:
    pytest.skip("trees are not part of this build (libxgboost-dev)", allow_module_level=True)


@parametrize_with_checks([BestRegressor(folds=2), BestClassifier(folds=2)])
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)
