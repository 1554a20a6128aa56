"""cvar_frontier, certify, cvar_scorer and TailCorrector."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import HuberRegressor, LinearRegression, LogisticRegression, PoissonRegressor, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import adacvar


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.random((400, 3))
    y = 5 + X @ [3.0, -2, 1] + 4 * rng.standard_exponential(400) * X[:, 1] ** 4
    return X, y


@pytest.fixture(scope="module")
def classes():
    return make_classification(400, 4, flip_y=0.1, random_state=0)


def test_the_curve_goes_from_least_mean_to_least_cvar(rows):
    X, y = rows
    curve = adacvar.cvar_frontier(X, y, alpha=0.1)
    least_mean = adacvar.CVaRRegressor(gamma=1).fit(X, y).training_risk_
    least_cvar = adacvar.CVaRRegressor().fit(X, y).training_risk_
    assert curve.mean[0] == pytest.approx(least_mean[0], rel=1e-5)
    assert curve.cvar[-1] == pytest.approx(least_cvar[2], rel=1e-5)
    assert (np.diff(curve.mean) >= -1e-6).all() and (np.diff(curve.cvar) <= 1e-4).all()
    assert curve.gamma[0] == 1 and curve.gamma[-1] == 0 and curve.is_exact
    within = curve.estimator("+5 %")
    budget = adacvar.CVaRRegressor(mean_budget=0.05).fit(X, y)
    assert within.training_risk_[2] == pytest.approx(budget.training_risk_[2], rel=1e-3)
    assert curve.estimator().training_risk_ == within.training_risk_  # at = mean=+5%
    losses = (within.predict(X) - y) ** 2
    assert adacvar.cvar(losses, 0.1) == pytest.approx(curve.cvar[curve.marks["+5 %"]], rel=1e-6)
    assert len(adacvar.cvar_frontier(X, y, points=5, at="knee")) >= 5
    assert repr(curve).startswith("Frontier(")
    assert (pickle.loads(pickle.dumps(curve)).mean == curve.mean).all()


def test_curves_of_classes_frames_and_algorithms(rows, classes):
    X, y = classes
    curve = adacvar.cvar_frontier(X, np.array(["a", "b"])[y], alpha=0.5, points=5)
    assert list(curve.estimator("knee").classes_) == ["a", "b"]
    assert curve.estimator("mean").score(X, np.array(["a", "b"])[y]) > 0.8
    X, y = rows
    frame = pd.DataFrame(X, columns=list("abc")).assign(g=pd.Categorical(["u", "v"] * 200))
    assert list(adacvar.cvar_frontier(frame, y, points=4).estimator(0).feature_names_in_) == list("abcg")
    runs = adacvar.cvar_frontier(X, y, algorithm="adacvar", points=3, epochs=5)
    assert not runs.is_exact and len(runs) == 3
    model = adacvar.CVaRRegressor(frontier=True).fit(X, y)
    assert len(model.frontier_) >= 30
    assert not hasattr(model.set_params(frontier=False).fit(X, y), "frontier_")


def test_the_plot(rows):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    curve = adacvar.cvar_frontier(*rows, points=4)
    _, ax = pyplot.subplots()
    assert curve.plot(ax) is ax
    x, y = ax.lines[0].get_data()
    np.testing.assert_allclose(x, 100 * (curve.mean / curve.mean[0] - 1))
    np.testing.assert_allclose(y, 100 * (curve.cvar / curve.cvar[0] - 1))
    assert {text.get_text() for text in ax.texts} == set(curve.marks)
    pyplot.close("all")


def test_certify_linear_models_of_scikit_learn(rows, classes):
    X, y = rows
    least = adacvar.CVaRRegressor(alpha=0.2).fit(X, y)
    for model in (LinearRegression(), Ridge(), HuberRegressor(), make_pipeline(StandardScaler(), Ridge())):
        model.fit(X, y)
        found = adacvar.certify(model, X, y, alpha=0.2)
        losses = (model.predict(X) - y) ** 2
        assert found.cvar == pytest.approx(adacvar.cvar(losses, 0.2), rel=1e-5)
        assert found.mean == pytest.approx(losses.mean(), rel=1e-5)
        assert found.certificate.upper == pytest.approx(found.cvar)
        assert found.certificate.lower == pytest.approx(least.certificate_.lower, rel=1e-3)
    own = adacvar.certify(least, X, y)
    assert own.cvar == pytest.approx(least.training_risk_[2], rel=1e-5) and own.certificate.relative_gap < 1e-4
    # A constant column belongs to the intercept.
    wide = np.column_stack([X[:, 0], np.full(400, 3.0), X[:, 1:]])
    model = LinearRegression(fit_intercept=False).fit(wide, y)
    losses = (model.predict(wide) - y) ** 2
    assert adacvar.certify(model, wide, y).cvar == pytest.approx(adacvar.cvar(losses, 0.1), rel=1e-5)
    X, y = classes
    model = LogisticRegression().fit(X, y)
    found = adacvar.certify(model, X, y, alpha=0.5)
    losses = -np.log(model.predict_proba(X)[np.arange(400), y])
    assert found.cvar == pytest.approx(adacvar.cvar(losses, 0.5), rel=1e-5)
    assert found.certificate.lower <= found.cvar
    three = y + (X[:, 0] > 1)
    model = LogisticRegression(max_iter=1000).fit(X, three)
    losses = -np.log(model.predict_proba(X)[np.arange(400), three])
    assert adacvar.certify(model, X, three, alpha=0.5).cvar == pytest.approx(adacvar.cvar(losses, 0.5), rel=1e-5)


def test_certify_sparse_rows(rows):
    X, y = rows
    sparse = sp.csr_matrix(X)
    model = Ridge().fit(sparse, y)
    dense = adacvar.certify(model, X, y)
    found = adacvar.certify(model, sparse, y)
    assert found.cvar == pytest.approx(dense.cvar, rel=1e-5)
    assert found.certificate.lower <= found.cvar


def test_certify_refuses_what_it_would_misread(rows, classes):
    X, y = rows
    frame = pd.DataFrame(X, columns=list("abc"))
    with pytest.raises(ValueError, match="the model has"):
        adacvar.certify(LinearRegression().fit(frame, y), frame[list("cba")], y)
    assert adacvar.certify(LinearRegression().fit(frame, y), frame, y).cvar > 0
    with pytest.raises(TypeError, match="PoissonRegressor"):
        adacvar.certify(PoissonRegressor().fit(X, np.abs(y)), X, np.abs(y))
    with pytest.raises(ValueError, match="categories"):
        adacvar.certify(Ridge().fit(X, y), frame.assign(a=pd.Categorical(y > 0)), y)
    X, y = classes
    model = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match="class 7"):
        adacvar.certify(model, X, np.where(y == 1, 7, 0))
    with pytest.raises(ValueError, match="class 7"):
        adacvar.cvar_scorer(0.1)(model, X, np.where(y == 1, 7, 0))
    three = y + (X[:, 0] > 1)
    with pytest.raises(TypeError, match="LogisticRegression"):
        adacvar.certify(LogisticRegression(multi_class="ovr").fit(X, three), X, three)


def test_corrector_leaves_out_columns_with_missing_values(rows):
    X, y = rows
    holes = X.copy()
    holes[::7, 1] = np.nan
    model = adacvar.TailCorrector(HistGradientBoostingRegressor(max_iter=20), cv=3).fit(holes, y)
    same = adacvar.TailCorrector(HistGradientBoostingRegressor(max_iter=20), cv=3, features="no").fit(holes, y)
    np.testing.assert_array_equal(model.predict(holes), same.predict(holes))
    np.testing.assert_array_equal(model.predict(X), same.predict(X))
    with pytest.raises(ValueError, match="NaN"):
        adacvar.TailCorrector(HistGradientBoostingRegressor(), cv=3, features="yes").fit(holes, y)
    with pytest.raises(NotFittedError):
        adacvar.TailCorrector(Ridge()).predict(X)
    frame = pd.DataFrame(X, columns=list("abc"))
    assert list(adacvar.TailCorrector(Ridge()).fit(frame, y).feature_names_in_) == list("abc")


def test_scorer_by_hand(rows, classes):
    X, y = rows
    model = LinearRegression().fit(X, y)
    losses = (model.predict(X) - y) ** 2
    assert adacvar.cvar_scorer(0.1)(model, X, y) == -adacvar.cvar(losses, 0.1)
    absolute = adacvar.cvar(np.abs(model.predict(X) - y), 0.3)
    scorer = pickle.loads(pickle.dumps(adacvar.cvar_scorer(0.3, loss="absolute")))
    assert scorer(model, X, y) == -absolute
    weights = np.arange(400.0)
    assert adacvar.cvar_scorer(0.1)(model, X, y, weights) == -adacvar.cvar(losses, 0.1, weights)
    X, y = classes
    model = LogisticRegression().fit(X, y)
    losses = -np.log(model.predict_proba(X)[np.arange(400), y])
    assert adacvar.cvar_scorer(0.1)(model, X, y) == pytest.approx(-adacvar.cvar(losses, 0.1))
    assert len(cross_val_score(model, X, y, scoring=adacvar.cvar_scorer(0.5))) == 5


def test_corrector_lowers_the_tail_of_a_forest(rows):
    X, y = rows
    forest = RandomForestRegressor(30, max_depth=3, random_state=0)
    model = adacvar.TailCorrector(forest, alpha=0.1, mean_budget=0.1, choose="always").fit(X, y)
    given = cross_val_predict(forest, X, y, cv=5)
    assert model.given_risk_[2] == pytest.approx(adacvar.cvar((given - y) ** 2, 0.1), rel=1e-6)
    assert model.corrected_risk_[2] < model.given_risk_[2]
    assert model.corrected_risk_[0] <= 1.1 * model.given_risk_[0] * (1 + 1e-6)
    assert model.is_corrected_ and is_regressor(model) and model.n_features_in_ == 3
    assert model.predict(X).shape == (400,) and model.score(X, y) > 0
    assert clone(model).mean_budget == 0.1
    same = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(same.predict(X), model.predict(X))
    grid = GridSearchCV(adacvar.TailCorrector(Ridge(), features="no"), {"estimator__alpha": [0.1, 10]}, cv=3)
    assert grid.fit(X, y).best_score_ > 0


def test_corrector_leaves_alone_what_it_cannot_improve(rows):
    X, _ = rows
    rng = np.random.default_rng(0)
    y = X @ [1.0, 2, 3] + 0.1 * rng.standard_normal(400)
    model = adacvar.TailCorrector(LinearRegression(), alpha=0.1).fit(X, y)
    if not model.is_corrected_:
        np.testing.assert_allclose(model.predict(X), LinearRegression().fit(X, y).predict(X), rtol=1e-9)


def test_corrector_of_classes_frames_and_sparse_rows(classes):
    X, y = classes
    labels = np.array(["no", "yes"])[y]
    forest = RandomForestClassifier(30, random_state=0)
    model = adacvar.TailCorrector(forest, alpha=0.2, choose="always").fit(X, labels)
    assert is_classifier(model) and set(model.predict(X)) <= {"no", "yes"}
    np.testing.assert_allclose(model.predict_proba(X).sum(1), 1)
    assert model.corrected_risk_[2] < model.given_risk_[2]
    sparse = adacvar.TailCorrector(LogisticRegression(), alpha=0.2).fit(sp.csr_matrix(X), labels)
    assert sparse.predict(sp.csr_matrix(X)).shape == (400,)
    frame = pd.DataFrame(X, columns=list("abcd"))
    assert adacvar.TailCorrector(LogisticRegression(), alpha=0.2).fit(frame, labels).score(frame, labels) > 0.8


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda X, y: adacvar.cvar_frontier(X, y, gamma=0.5), TypeError, "gamma"),
        (lambda X, y: adacvar.cvar_frontier(X, y, points=2), ValueError, "at least 3"),
        (lambda X, y: adacvar.cvar_frontier(X, y, at="middle"), ValueError, "knee, gamma=NUMBER"),
        (lambda X, y: adacvar.cvar_frontier(X, y, alpha=1), ValueError, "alpha = 1"),
        (lambda X, y: adacvar.cvar_frontier(X, y, algorithm="mean"), ValueError, "algorithm = mean"),
        (lambda X, y: adacvar.cvar_frontier(X, y, points=4).estimator("+99 %"), KeyError, "knee"),
        (lambda X, y: adacvar.cvar_frontier(X, y, points=4).estimator(99), IndexError, ""),
        (lambda X, y: adacvar.certify(RandomForestRegressor(), X, y), TypeError, "has no 'coef_'"),
        (lambda X, y: adacvar.certify(Ridge().fit(X, y), X[:, :2], y), ValueError, "3 weights"),
        (lambda X, y: adacvar.certify(Ridge().fit(X, y), X, y, alpha=0), ValueError, "alpha"),
        (lambda X, y: adacvar.cvar_scorer(0), ValueError, "alpha = 0"),
        (lambda X, y: adacvar.cvar_scorer(0.1, loss="hinge"), ValueError, "squared, absolute"),
        (lambda X, y: adacvar.TailCorrector(LogisticRegression()).fit(X, np.arange(400) % 3), ValueError, "3 classes"),
        (lambda X, y: adacvar.TailCorrector(Ridge(), alpha=2).fit(X, y), ValueError, "alpha = 2"),
        (lambda X, y: adacvar.TailCorrector(Ridge(), features="yes").fit(sp.csr_matrix(X), y), ValueError, "dense"),
        (lambda X, y: adacvar.TailCorrector(Ridge(), choose="never").fit(X, y), ValueError, "cv, always"),
    ],
)
def test_bad_input(rows, call, error, words):
    with pytest.raises(error) as caught:
        call(*rows)
    assert words in str(caught.value)
