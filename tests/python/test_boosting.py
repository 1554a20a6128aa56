"""Boosted trees and `best`: scikit-learn's checks, missing values, files, bad input, the program's results."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import adacvar
from adacvar import BestClassifier, BestRegressor, CVaRBoostingClassifier, CVaRBoostingRegressor
from adacvar._boosting import tree_maker

if tree_maker() is None:
    pytest.skip("trees are not part of this build (libxgboost-dev)", allow_module_level=True)


@parametrize_with_checks(
    [CVaRBoostingRegressor(rounds=30), CVaRBoostingClassifier(rounds=30, min_leaf_weight=0.1)]
)
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


def make_rows(count, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((count, 3))
    y = np.sin(6 * X[:, 0]) + X[:, 1] ** 4 * rng.standard_normal(count)
    return X, y


def with_gaps(X):
    X = X.copy()
    X[::7, 2] = np.nan
    return X


@pytest.fixture(scope="module", params=["trees", "best"])
def make(request):
    """A regressor and a classifier of each kind, small."""
    if request.param == "trees":
        return CVaRBoostingRegressor(rounds=40), CVaRBoostingClassifier(rounds=40)
    return BestRegressor(folds=2), BestClassifier(folds=2)


def test_numbers_with_missing_values_come_back_equal_from_pickle_and_file(make, tmp_path):
    X, y = make_rows(400)
    X = with_gaps(X)
    model = clone(make[0]).fit(X, y)
    assert model.score(X, y) > 0.6
    expected = model.predict(X)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), expected)
    model.save(tmp_path / "model.json")
    loaded = adacvar.load_model(tmp_path / "model.json")
    assert type(loaded) is type(model)
    assert np.array_equal(loaded.predict(X), expected)
    mean, _, tail = model.training_risk_
    if isinstance(model, BestRegressor):  # trees keep a share of the rows for validation
        losses = (expected - y) ** 2
        assert mean == pytest.approx(losses.mean(), rel=1e-6)
        assert tail == pytest.approx(adacvar.cvar(losses, 0.1), rel=1e-6)


def test_the_program_predicts_the_same_to_the_last_bit(make, tmp_path):
    program = os.environ.get("ADACVAR_PROGRAM")
    if not program:
        pytest.skip("ADACVAR_PROGRAM is not set")
    X, y = make_rows(300)
    model = clone(make[0]).fit(X, y)
    model.save(tmp_path / "model.json")
    pd.DataFrame(X, columns=["x1", "x2", "x3"]).to_csv(tmp_path / "new.csv", index=False)
    done = subprocess.run(
        [program, "predict", "model.json", "new.csv", "-q"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )
    lines = done.stdout.split()[1:]
    assert np.array_equal([float(line.split(",")[-1]) for line in lines], model.predict(X))


def test_classes_by_name_and_number(make):
    X, y = make_rows(400)
    for labels in (np.where(y > 0.3, "high", "low"), np.digitize(y, [-0.3, 0.5])):
        model = clone(make[1]).fit(X, labels)
        assert model.score(X, labels) > 0.7
        probabilities = model.predict_proba(X)
        assert probabilities.shape == (400, len(model.classes_))
        np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-9)
        assert np.array_equal(model.classes_[probabilities.argmax(axis=1)], model.predict(X))


def test_frames_with_categories_and_sparse_rows(make):
    X, y = make_rows(400)
    frame = pd.DataFrame({"a": X[:, 0], "kind": pd.Categorical(np.where(X[:, 1] > 0.5, "u", "v"))})
    model = clone(make[0]).fit(frame, y)
    assert list(model.feature_names_in_) == ["a", "kind"]
    assert np.array_equal(model.predict(frame), pickle.loads(pickle.dumps(model)).predict(frame))
    sparse = sp.csr_matrix(np.where(X > 0.3, X, 0))
    model = clone(make[0]).fit(sparse, y)
    np.testing.assert_array_equal(model.predict(sparse), model.predict(sparse.toarray()))


def test_a_weight_of_zero_is_absence_and_threads_do_not_matter(make):
    X, y = make_rows(300)
    weights = np.ones(400)
    weights[300:] = 0
    more_X, more_y = np.vstack([X, X[:100]]), np.append(y, np.full(100, 50.0))
    expected = clone(make[0]).set_params(threads=1).fit(X, y).predict(X)
    found = clone(make[0]).set_params(threads=2).fit(more_X, more_y, weights)
    assert np.array_equal(found.predict(X), expected)


def test_tail_share_and_importance_of_trees():
    X, y = make_rows(2000)
    model = CVaRBoostingRegressor(rounds=100).fit(X, y)
    assert 0 <= model.tail_share_ <= 1
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.feature_importances_.argmax() == 0 and model.feature_importances_[2] < 0.2
    assert model.validation_risk_[2] >= model.training_risk_[2]
    plain = CVaRBoostingRegressor(rounds=100, algorithm="mean").fit(X, y)
    assert model.validation_risk_[0] <= 1.02 * plain.validation_risk_[0]
    assert model.validation_risk_[2] <= plain.validation_risk_[2]


def test_best_is_not_worse_than_its_bases_on_held_out_rows():
    X, y = make_rows(600)
    model = adacvar.best(X, y, folds=3)
    assert [base["name"] for base in model.bases_][:2] == ["trees", "trees for the tail"]
    assert sum(base["weight"] for base in model.bases_) == pytest.approx(1)
    least = min(base["held_out_risk"][0] for base in model.bases_)
    assert model.stack_risk_[0] <= least * (1 + 1e-6)
    assert model.held_out_risk_[2] <= model.stack_risk_[2]
    assert [budget for budget, _ in model.budgets_] == [0, 0.02, 0.05, 0.1]
    assert any("networks" in note for note in model.notes_)


@pytest.mark.parametrize(
    "options, words",
    [
        ({"rounds": 0}, "rounds"),
        ({"validation_fraction": 1.5}, "validation_fraction = 1.5"),
        ({"validation_fraction": 0}, "tree_patience"),
        ({"random_state": -1}, "random_state = -1"),
        ({"algorithm": "exact"}, "exact"),
        ({"alpha": 2}, "alpha"),
    ],
)
def test_bad_options_of_trees(options, words):
    with pytest.raises(ValueError, match=words):
        CVaRBoostingRegressor(**options).fit(*make_rows(50))


def test_bad_input_of_best():
    X, y = make_rows(50)
    with pytest.raises(ValueError, match="folds"):
        adacvar.best(X[:5], y[:5])
    with pytest.raises(ValueError, match="time"):
        adacvar.best(X, y, time="soon")
    with pytest.raises(TypeError, match="rounds"):
        adacvar.best(X, y, rounds=3)
    with pytest.raises(ValueError, match="infinity"):
        adacvar.best(np.where(X > 0.5, np.inf, X), y)


def test_xgboost_is_loaded_when_trees_are_first_fitted():
    code = (
        "import adacvar, numpy as np\n"
        "mapped = lambda: 'libxgboost' in open('/proc/self/maps').read()\n"
        "model = adacvar.CVaRBoostingRegressor(rounds=2)\n"
        "before = mapped()\n"
        "model.fit(np.arange(40.0).reshape(-1, 1), np.arange(40.0) ** 2)\n"
        "print(before, mapped())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
