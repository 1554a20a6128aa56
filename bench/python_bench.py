#!/usr/bin/env python3
"""What does Python cost on top of C++? Ratios within one run.

usage: PYTHONPATH=build/release/python python3 bench/python_bench.py build/release/bench/python_twin
"""

import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import adacvar

BATCH = 64
PUBLISHED = 109e-3  # seconds a batch at N = 1e6, the paper's released implementation


def twin(*words):
    return [float(word) for word in subprocess.check_output([sys.argv[1], *map(str, words)]).split()]


def time_sampler(n, batches):
    """Seconds of draw and observe, and of making the two arrays."""
    sampler = adacvar.AdaptiveSampler(n, alpha=0.1)
    losses = np.arange(float(BATCH))
    best, arrays = [], []
    for _ in range(7):
        begin = time.perf_counter()
        for _ in range(batches):
            sampler.observe(sampler.draw(BATCH), losses)
        best.append((time.perf_counter() - begin) / batches)
        begin = time.perf_counter()
        for _ in range(batches):
            np.empty(BATCH, dtype=np.int64)
        arrays.append((time.perf_counter() - begin) / batches)
    return min(best), min(arrays)


def time_numpy(n, batches):
    """The same distribution, matched marginals aside, by passes over all weights: a softmax, a draw, a step."""
    rng = np.random.default_rng(0)
    x = np.zeros(n)
    begin = time.perf_counter()
    for _ in range(batches):
        q = np.exp(x - x.max())
        q /= q.sum()
        drawn = rng.choice(n, BATCH, p=q)
        np.add.at(x, drawn, 1e-9 / q[drawn])
    return (time.perf_counter() - begin) / batches


def compare_samplers():
    print(f"draw and observe {BATCH}, microseconds a batch (least of 7)")
    print(f"{'N':>10} {'C++':>9} {'Python':>9} {'array':>7} {'more':>7}")
    for n, batches in ((1_000, 20_000), (1_000_000, 10_000)):
        (engine,) = twin("sampler", n, BATCH, batches)
        python, array = (1e6 * value for value in time_sampler(n, batches))
        print(f"{n:>10,} {engine:>9.2f} {python:>9.2f} {array:>7.2f} {python - engine - array:>7.2f}")
    plain = time_numpy(1_000_000, 5)
    print(f"NumPy, O(N) a batch at N = 1e6: {1e3 * plain:.1f} ms, {1e6 * plain / python:,.0f} times as long")
    print(f"the published implementation, 109 ms: {1e6 * PUBLISHED / python:,.0f} times as long")


def compare_fits(rows=1_000_000, columns=20, rounds=5):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns))
    y = X @ rng.standard_normal(columns) + rng.standard_t(4, rows)
    engine, python = [], []
    with tempfile.NamedTemporaryFile() as file:
        X.tofile(file)
        y.tofile(file)
        file.flush()
        for _ in range(rounds):  # in turns, so that both see the same load of the machine
            seconds, cvar = twin("fit", file.name, rows, columns, 2)
            engine.append(seconds)
            begin = time.perf_counter()
            model = adacvar.CVaRRegressor(algorithm="exact").fit(X, y)
            python.append(time.perf_counter() - begin)
            assert model.training_risk_[2] == cvar, (model.training_risk_[2], cvar)
    print(f"\nexact fit of {rows:,} x {columns}, seconds (least of {rounds}): C++ {min(engine):.2f}, "
          f"Python {min(python):.2f}, ratio {min(python) / min(engine):.2f}")


def time_import():
    code = "import time; t = time.perf_counter(); import adacvar; print(time.perf_counter() - t)"
    times = [float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(11)]
    print(f"\nimport adacvar: {1e3 * statistics.median(times):.1f} ms (median of 11)")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    compare_samplers()
    compare_fits()
    time_import()


if __name__ == "__main__":
    main()
