"""Model files: the program and Python read each other's, with equal predictions to the last bit."""

import io
import json
import os
import subprocess

import numpy as np
import pandas as pd
import pytest

import adacvar

PROGRAM = os.environ.get("ADACVAR_PROGRAM")
needs_program = pytest.mark.skipif(not PROGRAM, reason="the program is not built")


def run(*words):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((200, 3)), columns=["a", "b", "c"])
    frame["region"] = pd.Categorical(rng.choice(["north", "south", "west"], 200))
    return frame


@pytest.fixture(scope="module")
def target(frame):
    noise = np.random.default_rng(1).standard_exponential(200)
    return frame.a - 2 * frame.b + (frame.region == "west") * 3 + noise


def predictions(path, table, folder):
    table.to_csv(folder / "new.csv", index=False, float_format="%.17g")
    text = run("predict", path, folder / "new.csv")
    return pd.read_csv(io.StringIO(text), float_precision="round_trip")


@needs_program
@pytest.mark.parametrize("columns", [["a", "b", "c"], ["a", "region", "b"]])
def test_the_program_predicts_as_python_does(frame, target, columns, tmp_path):
    model = adacvar.CVaRRegressor(alpha=0.2).fit(frame[columns], target)
    model.save(tmp_path / "model.json")
    found = predictions(tmp_path / "model.json", frame[columns], tmp_path)
    np.testing.assert_array_equal(found.iloc[:, -1], model.predict(frame[columns]))


@needs_program
def test_the_program_predicts_classes_as_python_does(frame, target, tmp_path):
    columns = ["a", "b", "region"]
    y = np.where(target > 1, "large", "small")
    model = adacvar.CVaRClassifier(alpha=0.9).fit(frame[columns], y)
    model.save(tmp_path / "model.json")
    found = predictions(tmp_path / "model.json", frame[columns], tmp_path)
    np.testing.assert_array_equal(found.iloc[:, 0], model.predict(frame[columns]))
    chances = found[[column for column in found.columns if "large" in column or "small" in column]]
    np.testing.assert_array_equal(chances.to_numpy(), model.predict_proba(frame[columns]))


@needs_program
@pytest.mark.parametrize("with_classes", [False, True])
def test_python_predicts_as_the_program_does(frame, target, with_classes, tmp_path):
    table = frame.assign(cost=np.where(target > 1, "large", "small") if with_classes else target)
    table.to_csv(tmp_path / "claims.csv", index=False, float_format="%.17g")
    run("train", tmp_path / "claims.csv", "--target", "cost", "--alpha", "0.5", "--model", tmp_path / "claims.json")
    model = adacvar.load_model(tmp_path / "claims.json")
    found = predictions(tmp_path / "claims.json", frame, tmp_path)
    column = 0 if with_classes else -1
    np.testing.assert_array_equal(found.iloc[:, column], model.predict(frame))
    assert model.alpha == 0.5 and list(model.feature_names_in_) == list(frame.columns)
    assert model.certificate_ is not None and model.algorithm == "adacvar"


def test_a_saved_estimator_comes_back(frame, target, tmp_path):
    X, y = frame[["a", "b", "c"]].to_numpy(), target
    model = adacvar.CVaRRegressor(alpha=0.2, loss="huber", delta=0.5).fit(X, y)
    model.save(tmp_path / "model.json")
    other = adacvar.load_model(str(tmp_path / "model.json"))
    np.testing.assert_array_equal(other.predict(X), model.predict(X))
    np.testing.assert_array_equal(other.coef_, model.coef_)
    assert (other.loss, other.delta, other.n_features_in_) == ("huber", 0.5, 3)
    assert not hasattr(other, "feature_names_in_") and other.certificate_ == model.certificate_
    for labels in ([1, 2], ["0.5", "1.5"], ["x", "y"]):
        classes = np.array(labels)[(y > 1).astype(int)]
        classifier = adacvar.CVaRClassifier(alpha=0.9).fit(X, classes)
        classifier.save(tmp_path / "model.json")
        other = adacvar.load_model(tmp_path / "model.json")
        assert list(other.classes_.astype(str)) == list(map(str, labels))
        np.testing.assert_array_equal(other.predict_proba(X), classifier.predict_proba(X))
    sparse = __import__("scipy.sparse").sparse.csr_matrix(X)
    model = adacvar.CVaRRegressor().fit(sparse, y)
    model.save(tmp_path / "model.json")
    np.testing.assert_array_equal(
        adacvar.load_model(tmp_path / "model.json").predict(sparse), model.predict(sparse)
    )


def test_bad_files(tmp_path):
    with pytest.raises(FileNotFoundError):
        adacvar.load_model(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(ValueError, match="bad.json: is not a model file"):
        adacvar.load_model(tmp_path / "bad.json")
    (tmp_path / "bad.json").write_text(json.dumps({"format": "adacvar-model", "version": 99}))
    with pytest.raises(ValueError, match="version 99"):
        adacvar.load_model(tmp_path / "bad.json")
    with pytest.raises(Exception, match="not fitted"):
        adacvar.CVaRRegressor().save(tmp_path / "x.json")


def test_booleans_come_back_as_booleans(frame, target, tmp_path):
    X = frame[["a", "b"]].to_numpy()
    y = (target > 1).to_numpy()
    adacvar.CVaRClassifier(alpha=0.5, mean_budget=0.05).fit(X, y).save(tmp_path / "model.json")
    model = adacvar.load_model(tmp_path / "model.json")
    assert model.classes_.dtype == bool
    assert model.score(X, y) > 0.7
