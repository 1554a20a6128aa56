"""The package: documentation that runs, stubs, what importing costs and brings along, pip."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import adacvar

ROOT = Path(__file__).resolve().parents[2]
MODULE = Path(adacvar._adacvar.__file__)


def python(code, **options):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def documented():
    for name in adacvar.__all__:
        if name != "__version__":
            yield name, getattr(adacvar, name)


@pytest.mark.parametrize("name, thing", documented())
def test_docstrings_run(name, thing):
    text = thing.__doc__
    assert text and text.strip()
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    output = []
    runner.run(test, out=output.append)
    assert runner.failures == 0, "".join(output)


def test_most_docstrings_have_an_example():
    without = {name for name, thing in documented() if ">>>" not in thing.__doc__}
    assert without <= {"BestClassifier", "BestRegressor", "Certificate", "Frontier", "load_model"}


def test_stored_stubs_are_up_to_date():
    done = subprocess.run([sys.executable, ROOT / "scripts/make_stubs.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def mypy(folder, *words):
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", folder, *words]
    environment = {**os.environ, "MYPYPATH": str(MODULE.parents[1])}
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder)


def test_stubs_pass_mypy_strict(tmp_path):
    done = mypy(tmp_path, ROOT / "tests/python/typed_use.py")
    assert done.returncode == 0, done.stdout + done.stderr
    bad = tmp_path / "bad.py"
    bad.write_text("import adacvar\nadacvar.CVaRRegressor(alhpa=0.1)\nx: int = adacvar.cvar([1.0], 0.5)\n")
    done = mypy(tmp_path, bad)
    assert "alhpa" in done.stdout and "Incompatible types" in done.stdout
    # Reading torch's own types takes most of a minute: they are left out.
    (tmp_path / "mypy.ini").write_text("[mypy]\n[mypy-torch.*]\nfollow_imports = skip\n")
    done = mypy(
        tmp_path, "--config-file", "mypy.ini", "--allow-subclassing-any", ROOT / "tests/python/typed_torch.py"
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_importing_is_light():
    loaded = python("import sys, adacvar; print(*sys.modules)").split()
    assert not {"numpy", "sklearn", "scipy", "torch", "pandas"} & set(loaded)
    assert "CVaRRegressor" in python("import adacvar; print(dir(adacvar))")


def test_the_module_brings_no_thread_pool_and_shows_one_symbol():
    libraries = subprocess.run(["ldd", MODULE], capture_output=True, text=True).stdout
    assert not re.search("gomp|libomp|iomp|blas|lapack|mkl|torch|tbb", libraries), libraries
    symbols = subprocess.run(["nm", "-D", "--defined-only", MODULE], capture_output=True, text=True).stdout
    assert symbols.split()[-1:] == ["PyInit__adacvar"] and len(symbols.splitlines()) == 1


@pytest.mark.parametrize("order", ["import torch, adacvar", "import adacvar, torch"])
def test_beside_torch_in_either_order(order):
    pytest.importorskip("torch")
    code = (
        order
        + """
import numpy as np, threading
from threadpoolctl import threadpool_info
before = sorted(pool["filepath"] for pool in threadpool_info())
X = np.random.default_rng(0).random((20000, 10)); y = X[:, 0] + X[:, 1] ** 9
found = []
def fit():
    found.append(adacvar.CVaRRegressor().fit(X, y).training_risk_[2])
fit()
pools = sorted(pool["filepath"] for pool in threadpool_info())
thread = threading.Thread(target=fit); thread.start()
a = torch.rand(600, 600)
for _ in range(20):
    a = (a @ a) / (a @ a).norm()
thread.join()
assert found[0] == found[1] and bool(torch.isfinite(a).all())
after = sorted(pool["filepath"] for pool in threadpool_info())
import sklearn.linear_model, scipy.linalg
# OpenMP of torch and scikit-learn, BLAS of NumPy: nothing of ours.
assert all("adacvar" not in path for path in after)
assert sum("gomp" in path or "omp.so" in path for path in after) <= 1, after
print("done")
"""
    )
    assert python(code) == "done\n"


def test_readme_and_project_name_the_same_version():
    text = (ROOT / "CMakeLists.txt").read_text()
    assert adacvar.__version__ == re.search(r"VERSION (\S+)", text.split("project(")[1])[1]


def test_pip_installs_into_a_venv_offline(tmp_path):
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", tmp_path / "venv"], check=True)
    interpreter = tmp_path / "venv/bin/python"
    copy = tmp_path / "source"
    copy.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "CMakeLists.txt", "python"):
        (copy / name).symlink_to(ROOT / name)
    install = [interpreter, "-m", "pip", "install", "--no-build-isolation", "--no-index", "--no-deps", "-q", copy]
    done = subprocess.run(install, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    code = "import adacvar; print(adacvar.__file__, adacvar.cvar([1, 2, 3, 10], 0.5))"
    done = subprocess.run([interpreter, "-c", code], capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert done.stdout.split()[-1] == "6.5" and str(tmp_path) in done.stdout, done.stderr
    installed = Path(done.stdout.split()[0]).parent
    assert (installed / "py.typed").exists() and (installed / "__init__.pyi").exists()
