#!/usr/bin/env python3
"""How good the defaults of training are; prints docs/defaults.md. Needs the real sets (ADACVAR_DATA).

    experiments/defaults/make.py build/release/adacvar > docs/defaults.md
"""
import json
import statistics
import subprocess
import sys

PROGRAM = sys.argv[1]
SETS = ["normal", "pareto", "sinc", "abalone", "boston", "cpu-small", "adult", "australian", "german",
        "monks", "phoneme", "spambase", "splice", "titanic"]
ABLATIONS = [
    ("all", "", []),
    ("batch = rows/64, from 8 to 64", "64", ["--batch", "64"]),
    ("epsilon 1", "0", ["--epsilon", "0"]),
    ("momentum 0.5", "0.9", ["--momentum", "0.9"]),
    ("learning rate 0.015 (classes: times sqrt(alpha))", "0.01", ["--learning-rate", "0.01"]),
    ("decay 0.3", "0.1", ["--decay", "0.1"]),
    ("eta-scale 3 (classes: 20)", "20 (3)", None),
]


def train(name, alpha, seed, *more):
    command = [PROGRAM, "train", name, "--alpha", str(alpha), "--seed", str(seed), "--json", "--quiet", *more]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def over_optimum(name, alpha, seeds, *more):
    """Training CVaR over its certified lower bound, all rows."""
    runs = [train(name, alpha, seed, "--split", "1,0,0", "--certify", "yes", *more) for seed in seeds]
    return [1 + run["certificate"]["relative_gap"] for run in runs]


def over_tuned(name, alpha, seeds, *more):
    """Test CVaR over that of the model that --tune picks, the same split."""
    tuned = [train(name, alpha, seed, "--certify", "no", "--tune") for seed in seeds]
    plain = [train(name, alpha, seed, "--certify", "no", *more) for seed in seeds]
    return [p["risk"]["test"]["cvar"] / t["risk"]["test"]["cvar"] for p, t in zip(plain, tuned)]


def mean_and_worst(values):
    return "%.3f, %.3f" % (statistics.mean(values), max(values))


def optimum_rows(names, alphas, seeds):
    print("| alpha | " + " | ".join(names) + " |\n|---" + "|---" * len(names) + "|")
    for alpha in alphas:
        cells = [mean_and_worst(over_optimum(name, alpha, range(seeds))) for name in names]
        print("| %g | %s |" % (alpha, " | ".join(cells)), flush=True)


def optimum_table():
    print("## Training CVaR over the least possible\n")
    print("All rows, 50 epochs, squared loss; mean and worst of 10 seeds. The least CVaR is certified.\n")
    optimum_rows(["boston", "abalone", "cpu-small", "normal", "pareto", "sinc"], (0.1, 0.01), 10)
    print("\nThe same for classes, logistic loss, 5 seeds.\n")
    optimum_rows(["australian", "german", "monks", "spambase", "splice", "titanic"], (0.01, 0.1, 0.3, 1), 5)


def ablation_table():
    print("\n## Each default against what it replaced\n")
    print("boston: training CVaR over the least possible, mean of 20 seeds. australian: test CVaR over that of the model that")
    print("`--tune` picks, mean of 5 splits.\n")
    print("| default | instead | boston, alpha 0.1 | boston, 0.01 | australian, 0.1 | australian, 0.01 |\n|---|---|---|---|---|---|")
    for what, instead, more in ABLATIONS:
        boston = more if more is not None else ["--eta-scale", "20"]
        classes = more if more is not None else ["--eta-scale", "3"]
        cells = [statistics.mean(over_optimum("boston", a, range(20), *boston)) for a in (0.1, 0.01)]
        cells += [statistics.mean(over_tuned("australian", a, range(5), *classes)) for a in (0.1, 0.01)]
        print("| %s | %s | %s |" % (what, instead, " | ".join("%.3f" % c for c in cells)), flush=True)


def tuned_table():
    print("\n## Test CVaR over that of the tuned model\n")
    print("Splits 50/30/20; `--tune` picks among 18 runs by the validation CVaR. Mean and worst of 5 splits.\n")
    print("| set | alpha 0.1 | alpha 0.01 | test rows in the tail at 0.01 |\n|---|---|---|---|")
    for name in SETS:
        cells = [mean_and_worst(over_tuned(name, a, range(5))) for a in (0.1, 0.01)]
        rows = train(name, 0.1, 0, "--certify", "no", "--epochs", "1")["rows"]["test"]
        print("| %s | %s | %.1f |" % (name, " | ".join(cells), 0.01 * rows), flush=True)


print("# How good the defaults are\n")
print("Made by `experiments/defaults/make.py <program>`. Plain `adacvar train`, algorithm adacvar.\n")
optimum_table()
ablation_table()
tuned_table()
