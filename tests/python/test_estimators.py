"""Estimators: scikit-learn's own checks, the optimum, kinds of input, the tools around them."""

import inspect
import json
import pickle
import subprocess
import sys

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import adacvar
from adacvar import CVaRClassifier, CVaRRegressor

ALGORITHMS = ("auto", "exact", "adacvar", "trunc", "soft", "mean")


@parametrize_with_checks(
    [cls(algorithm=name) for cls in (CVaRRegressor, CVaRClassifier) for name in ALGORITHMS]
)
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.random((300, 3))
    y = 5 + X @ [3.0, -2, 1] + rng.standard_exponential(300) * X[:, 1] ** 4
    return X, y


@pytest.fixture(scope="module")
def classes():
    X, y = make_classification(300, 4, flip_y=0.1, random_state=0)
    return X, np.array(["no", "yes"])[y]


def squared(model, X, y):
    return (model.predict(X) - y) ** 2


def test_the_optimum_is_certified_and_its_risk_is_that_of_its_predictions(rows):
    X, y = rows
    model = CVaRRegressor(alpha=0.1).fit(X, y)
    found = adacvar.cvar(squared(model, X, y), 0.1)
    mean, var, tail = model.training_risk_
    assert tail == pytest.approx(found, rel=1e-6)
    assert mean == pytest.approx(squared(model, X, y).mean(), rel=1e-6)
    assert model.certificate_.lower <= tail <= model.certificate_.upper * (1 + 1e-12)
    assert model.certificate_.relative_gap < 1e-5
    np.testing.assert_allclose(X @ model.coef_ + model.intercept_, model.predict(X), rtol=1e-5)
    # No model nearby is better: a slow check of what the certificate says.
    rng = np.random.default_rng(1)
    for _ in range(200):
        other = model.coef_ + 0.01 * rng.standard_normal(3)
        losses = (X @ other + model.intercept_ + 0.01 * rng.standard_normal() - y) ** 2
        assert adacvar.cvar(losses, 0.1) >= model.certificate_.lower


def test_every_algorithm_comes_near_the_optimum(rows):
    X, y = rows
    least = CVaRRegressor().fit(X, y).training_risk_[2]
    for name in ("adacvar", "trunc", "soft"):
        model = CVaRRegressor(algorithm=name, epochs=200).fit(X, y)
        assert model.training_risk_[2] < 1.1 * least
        assert model.n_iter_ == 200 and model.stop_reason_ == "epochs"
    plain = CVaRRegressor(algorithm="mean").fit(X, y).training_risk_
    assert plain[0] == pytest.approx(CVaRRegressor(gamma=1).fit(X, y).training_risk_[0], rel=1e-2)
    assert plain[2] > least


def test_budgets_and_losses(rows):
    X, y = rows
    plain = CVaRRegressor(gamma=1).fit(X, y).training_risk_
    model = CVaRRegressor(mean_budget=0.05).fit(X, y)
    assert model.training_risk_[0] <= 1.05 * plain[0] * (1 + 1e-6)
    assert model.training_risk_[2] < plain[2]
    assert model.n_iter_ >= 1
    model = CVaRRegressor(loss="absolute").fit(X, y)
    absolute = np.abs(model.predict(X) - y)
    assert adacvar.cvar(absolute, 0.1) == pytest.approx(model.training_risk_[2], rel=1e-6)
    assert CVaRRegressor(loss="pinball", tau=0.9).fit(X, y).training_risk_[2] > 0


def test_every_kind_of_matrix_gives_the_same_model(rows):
    X, y = rows
    model = CVaRRegressor().fit(X, y)
    wide = np.zeros((300, 6))
    wide[:, ::2] = X
    for other in (np.asfortranarray(X), wide[:, ::2], pd.DataFrame(X), X.tolist(), X[::-1][::-1]):
        np.testing.assert_array_equal(CVaRRegressor().fit(other, y).coef_, model.coef_)
    single = CVaRRegressor().fit(X.astype(np.float32), y)
    np.testing.assert_allclose(single.coef_, model.coef_, rtol=1e-3)
    for kind in (sp.csr_matrix, sp.csc_matrix, sp.coo_matrix):
        sparse = CVaRRegressor().fit(kind(X), y)
        np.testing.assert_allclose(sparse.predict(kind(X)), model.predict(X), rtol=1e-2)
        np.testing.assert_array_equal(sparse.predict(X), sparse.predict(kind(X)))
        np.testing.assert_allclose(sparse.coef_, model.coef_, rtol=0.05)
    integers = (10 * X).astype(int)
    np.testing.assert_array_equal(
        CVaRRegressor().fit(integers, y).coef_, CVaRRegressor().fit(integers.astype(float), y).coef_
    )


def test_weights_count_rows(rows):
    X, y = rows
    weights = np.arange(300) % 3
    weighted = CVaRRegressor().fit(X, y, sample_weight=weights)
    repeated = CVaRRegressor().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert weighted.training_risk_[2] == pytest.approx(repeated.training_risk_[2], rel=1e-5)
    same = CVaRRegressor(algorithm="adacvar").fit(X, y, sample_weight=np.full(300, 7.0))
    plain = CVaRRegressor(algorithm="adacvar").fit(X, y)
    np.testing.assert_array_equal(same.coef_, plain.coef_)  # only ratios matter


def test_frames_with_categories(rows):
    X, y = rows
    region = np.array(["north", "south", "west"])[np.arange(300) % 3]
    y = y + 10 * (region == "south")
    frame = pd.DataFrame({"a": X[:, 0], "region": pd.Categorical(region), "b": X[:, 1]})
    model = CVaRRegressor().fit(frame, y)
    by_hand = frame.assign(**{name: region == name for name in ("south", "west")}).drop(columns="region")
    dummies = CVaRRegressor().fit(by_hand.astype(float), y)
    assert model.training_risk_[2] == pytest.approx(dummies.training_risk_[2], rel=1e-5)
    coefficients = dict(zip(model.coef_names_, model.coef_))
    assert coefficients["region=south"] - coefficients["region=west"] == pytest.approx(10, abs=1.5)
    assert list(model.feature_names_in_) == ["a", "region", "b"]
    # Other codes, plain text, a missing value, a level not seen before.
    expected = model.predict(frame)
    order = frame.assign(region=pd.Categorical(region, ["west", "south", "north"]))
    np.testing.assert_array_equal(model.predict(order), expected)
    np.testing.assert_array_equal(model.predict(frame.assign(region=region)), expected)
    strange = frame.assign(region=pd.Categorical(["east", None, "west"] * 100))
    assert np.isfinite(model.predict(strange)).all()
    with pytest.raises(ValueError, match="'text' is of type object"):
        CVaRRegressor().fit(frame.assign(text=["x"] * 300), y)
    with pytest.raises(ValueError, match="names that are text"):
        CVaRRegressor().fit(frame.rename(columns={"a": 0, "region": 1, "b": 2}), y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"a": "z"}))
    with pytest.raises(ValueError, match="row 1, column 'a' is NaN"):
        model.predict(frame.assign(a=np.nan))


def test_classes_of_all_kinds(classes):
    X, y = classes
    model = CVaRClassifier(alpha=0.9).fit(X, y)
    assert list(model.classes_) == ["no", "yes"] and model.score(X, y) > 0.8
    chances = model.predict_proba(X)
    np.testing.assert_allclose(chances[:, 1], 1 / (1 + np.exp(-model.decision_function(X))), rtol=1e-9)
    losses = -np.log(chances[np.arange(len(y)), (y == "yes").astype(int)])
    assert adacvar.cvar(losses, 0.9) == pytest.approx(model.training_risk_[2], rel=1e-9)
    np.testing.assert_allclose(X @ model.coef_[0] + model.intercept_[0], model.decision_function(X), rtol=1e-3, atol=1e-5)
    for labels in ([3, 7], [-1.0, 1.0], [False, True], ["10", "9"], ["ä", "ö"]):
        y_other = np.array(labels)[(y == "yes").astype(int)]
        other = CVaRClassifier(alpha=0.9).fit(X, y_other)
        assert (other.predict(X) == y_other).mean() == pytest.approx(model.score(X, y))
        assert other.predict(X).dtype == y_other.dtype
        best = other.classes_[other.predict_proba(X).argmax(1)]
        np.testing.assert_array_equal(best, other.predict(X))
    three = np.where(X[:, 0] > 1, "much", y)
    multi = CVaRClassifier(alpha=0.9).fit(X, three)
    assert multi.coef_.shape == (3, 4) and multi.decision_function(X).shape == (300, 3)
    hinge = CVaRClassifier(alpha=0.9, loss="hinge").fit(X, y)
    assert not hasattr(hinge, "predict_proba") and hinge.score(X, y) > 0.8


def test_tools_of_scikit_learn(rows, classes):
    X, y = rows
    grid = GridSearchCV(
        CVaRRegressor(threads=1), {"alpha": [0.1, 0.5], "ridge": [0, 0.1]}, cv=3,
        scoring=adacvar.cvar_scorer(0.1), n_jobs=2,
    ).fit(X, y)
    assert grid.best_params_["alpha"] in (0.1, 0.5)
    piped = make_pipeline(StandardScaler(), CVaRRegressor()).fit(X, y)
    np.testing.assert_allclose(piped.predict(X), CVaRRegressor().fit(X, y).predict(X), rtol=1e-3)
    X, y = classes
    calibrated = CalibratedClassifierCV(CVaRClassifier(alpha=0.9), cv=3).fit(X, y)
    assert calibrated.score(X, y) > 0.8
    assert cross_val_predict(CVaRClassifier(alpha=0.9), X, y, cv=3, method="predict_proba").shape == (300, 2)
    model = clone(CVaRClassifier(alpha=0.3, loss="hinge"))
    assert model.alpha == 0.3 and not hasattr(model, "coef_")


def test_pickle_and_joblib_hold_the_model_file(rows, tmp_path):
    X, y = rows
    model = CVaRRegressor(alpha=0.2).fit(X, y)
    stored = pickle.dumps(model)
    assert b'"format": "adacvar-model"' in stored
    joblib.dump(model, tmp_path / "model.joblib")
    for other in (pickle.loads(stored), joblib.load(tmp_path / "model.joblib")):
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
        assert other.certificate_ == model.certificate_ and other.alpha == 0.2


def test_keywords_come_from_the_list_of_options():
    listed = {entry["name"]: entry for entry in adacvar.options("fit")}
    listed["random_state"] = listed.pop("seed")
    for cls in (CVaRRegressor, CVaRClassifier):
        parameters = inspect.signature(cls.__init__).parameters
        assert set(parameters) == {"self", "frontier", *listed}
        for name, entry in listed.items():
            assert parameters[name].default == entry["default"]
            assert f"    {name}: " in cls.__doc__
        assert vars(cls(alpha=7, loss="none such"))["alpha"] == 7  # nothing is checked before fit


def test_random_state(rows):
    X, y = rows
    make = lambda seed: CVaRRegressor(algorithm="adacvar", epochs=2, random_state=seed).fit(X, y).coef_
    np.testing.assert_array_equal(make(3), make(3))
    assert (make(3) != make(4)).any() and (make(None) != make(None)).any()
    np.testing.assert_array_equal(make(np.random.RandomState(1)), make(np.random.RandomState(1)))


def test_the_number_of_threads_does_not_matter(rows):
    X, y = rows
    for name in ("exact", "adacvar"):
        one, two = (CVaRRegressor(algorithm=name, threads=t).fit(X, y).coef_ for t in (1, 2))
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(
    "options, error, words",
    [
        ({"alpha": 0}, ValueError, "alpha = 0 is outside (0, 1]"),
        ({"alpha": "x"}, TypeError, "alpha must be a number, not 'x'"),
        ({"algorithm": "magic"}, ValueError, "auto, adacvar, trunc, soft, mean, exact"),
        ({"algorithm": None}, TypeError, "algorithm must be a name"),
        ({"loss": "logistic"}, ValueError, "logistic"),
        ({"mean_budget": -1}, ValueError, "mean_budget = -1"),
        ({"mean_budget": 0.1, "cvar_limit": 1.0}, ValueError, "mean-budget"),
        ({"cvar_limit": 1e-9}, ValueError, "certified"),
        ({"epochs": 1.5}, TypeError, "epochs must be an integer"),
        ({"threads": -1}, ValueError, "threads = -1"),
        ({"raw_features": 1}, TypeError, "raw_features must be True or False"),
        ({"algorithm": "mean", "gamma": 2}, ValueError, "gamma = 2"),
    ],
)
def test_bad_options(rows, options, error, words):
    with pytest.raises(error) as caught:
        CVaRRegressor(**options).fit(*rows)
    assert words in str(caught.value)


def test_bad_data(rows):
    X, y = rows
    for bad, words in ((np.full(300, 2.0), "constant"), (y[:-1], "inconsistent")):
        with pytest.raises(ValueError, match=words):
            CVaRRegressor().fit(X, bad)
    with pytest.raises(ValueError, match="one class"):
        CVaRClassifier().fit(X, np.zeros(300))
    with pytest.raises(ValueError, match="no row with a weight"):
        CVaRClassifier().fit(X, np.arange(300) % 3, sample_weight=(np.arange(300) % 3 > 0) * 1.0)
    with pytest.raises(ValueError, match="weight 1 is -1"):
        CVaRRegressor().fit(X, y, sample_weight=np.full(300, -1.0))
    with pytest.raises(ValueError, match="constant"):
        CVaRRegressor().fit(np.ones((300, 2)), y)


def test_ctrl_c_ends_a_fit():
    code = """
import _thread, threading, numpy as np, adacvar
X = np.random.default_rng(0).random((20000, 50)); y = X[:, 0] + X[:, 1] ** 9
threading.Timer(1.0, _thread.interrupt_main).start()
try:
    adacvar.CVaRRegressor(algorithm="adacvar", epochs=10**6).fit(X, y)
except KeyboardInterrupt:
    print("interrupted")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "interrupted\n", done.stderr


def test_divergence_is_a_warning(rows, monkeypatch):
    from sklearn.exceptions import ConvergenceWarning

    from adacvar import _adacvar

    fit = _adacvar._fit

    def diverging(*arguments):
        result = fit(*arguments)
        model = json.loads(result["model"].to_text())
        assert model["stop_reason"] == "optimal"
        model["stop_reason"] = "diverged"
        del model["crc64"]  # the change is intended
        return {**result, "model": _adacvar.Model.from_text(json.dumps(model))}

    monkeypatch.setattr(_adacvar, "_fit", diverging)
    with pytest.warns(ConvergenceWarning, match="diverged"):
        CVaRRegressor().fit(*rows)
