#!/usr/bin/env python3
"""Peak memory of `adacvar train --trees` and of XGBoost's Python `train` on the same float32 matrix.

    bench/trees_memory.py build/release/adacvar [ROWS]

Both get the same training and validation rows (half and three tenths of ROWS, by default a million)
and grow 20 rounds of plain trees; ours then grows 20 for the tail. Needs numpy and xgboost (Debian:
python3-xgboost).
"""

import os
import resource
import subprocess
import sys
import tempfile

THEIRS = """
import sys, numpy, xgboost
x = numpy.load('data.npy')
n, m = int(0.5 * len(x)), int(0.8 * len(x))
train = xgboost.DMatrix(x[:n, :-1], x[:n, -1])
valid = xgboost.DMatrix(x[n:m, :-1], x[n:m, -1])
del x
xgboost.train({'tree_method': 'hist', 'eta': 0.1, 'max_depth': 6, 'nthread': 2}, train, 20,
              evals=[(valid, 'valid')], verbose_eval=False)
"""


def peak(command, folder):
    """Megabytes, of one child at a time: a fresh process starts it."""
    code = ("import resource, subprocess, sys;"
            "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    out = subprocess.run([sys.executable, "-c", code, *command], cwd=folder, check=True,
                         capture_output=True, text=True)
    return int(out.stdout.split()[-1]) / 1024


def main():
    import numpy

    program = os.path.abspath(sys.argv[1])
    rows = int(float(sys.argv[2])) if len(sys.argv) > 2 else 1_000_000
    rng = numpy.random.default_rng(0)
    x = rng.uniform(-1, 1, (rows, 20)).astype(numpy.float32)
    noise = rng.uniform(-1, 1, rows) * (1 + x[:, 3])
    y = (x[:, 0] * x[:, 1] + x[:, 2] + noise).astype(numpy.float32)
    with tempfile.TemporaryDirectory() as folder:
        numpy.save(os.path.join(folder, "data.npy"), numpy.column_stack([x, y]))
        ours = ["train", "data.npy", "--target", "c21", "--trees", "--rounds", "20", "--threads", "2",
                "--quiet", "--model", "m.json"]
        theirs = peak([sys.executable, "-c", THEIRS], folder)
        plain = peak([program, *ours, "--algorithm", "mean"], folder)
        tail = peak([program, *ours], folder)
    print(f"{rows} x 20, MB at most: XGBoost in Python {theirs:.0f}, "
          f"adacvar plain {plain:.0f} ({plain / theirs:.2f}x), "
          f"adacvar with the tail {tail:.0f} ({tail / theirs:.2f}x)")


if __name__ == "__main__":
    main()
