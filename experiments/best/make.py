#!/usr/bin/env python3
"""Compares `adacvar best` with XGBoost and scikit-learn on tables, on new rows.

usage: make.py ADACVAR [--splits 5] [--sets NAME,...] [--table] [--log RUNS.jsonl]

For each set and split: 80 % of the rows train, 20 % test, the same for all. XGBoost and
HistGradientBoosting have their defaults (100 rounds or iterations); adacvar has its own. Test rows
are read once, after everything is fixed. `linear` is the exact optimum with ridge 0.01 and a mean
budget of 5 %, `network` and `trees` are `train` with --network mlp:64,64 and --trees. Everything
runs on one thread, and times are those of the processor, which other programs disturb less; those
of adacvar include its start and the reading of the files. Finished runs are kept in RUNS.jsonl (by
default runs.jsonl in the working folder), so that the command resumes. --table prints what is there.
Real sets are found through ADACVAR_DATA. Needs Debian's python3-xgboost, -sklearn, -pandas.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

os.environ["OMP_NUM_THREADS"] = "1"  # before the libraries read it

import numpy as np
import pandas as pd

ALPHA = 0.1
METHODS = ["linear", "network", "XGBoost", "HistGradientBoosting", "trees", "best"]


def path_of(*parts):
    folder = os.environ.get("ADACVAR_DATA")
    if not folder:
        sys.exit("make.py: ADACVAR_DATA is not set: it names the folder of the real sets")
    return os.path.join(folder, *parts)


def read(*parts, **options):
    """A file without a header; text is stripped, `?` missing."""
    options = {"header": None, "skipinitialspace": True, "na_values": "?", **options}
    return pd.read_csv(path_of(*parts), **options)


def spaced(*parts):
    return read(*parts, sep=r"\s+")


def with_data_part(*parts):
    """A file whose rows follow a line `@data`."""
    with open(path_of(*parts), encoding="latin-1") as file:
        lines = [line.lower().strip() for line in file]
    return read(*parts, skiprows=lines.index("@data") + 1, encoding="latin-1")


def adult():
    parts = [read("adult", "adult.data.gz"), read("adult", "adult.test.gz", skiprows=1)]
    frame = pd.concat(parts, ignore_index=True)
    frame[14] = frame[14].str.rstrip(".")
    return frame


def splice():
    frame = read("splice", "splice.data")
    letters = pd.DataFrame([list(text.strip()) for text in frame[2]])
    return pd.concat([letters, frame[0].str.strip().rename("class")], axis=1)


def monks():
    parts = [spaced("monks-1", f"monks-1.{part}") for part in ("train", "test")]
    frame = pd.concat(parts, ignore_index=True)
    return frame[[1, 2, 3, 4, 5, 6, 0]].astype({0: str})


def of_sklearn(name):
    from sklearn import datasets
    found = getattr(datasets, f"load_{name}")(as_frame=True)
    frame = found.frame.copy()
    if name != "diabetes":
        frame["target"] = "c" + frame["target"].astype(str)
    return frame


READERS = {"abalone": lambda: read("abalone", "abalone.data"),
           "boston": lambda: spaced("boston-housing", "housing.data"),
           "cpu-small": lambda: with_data_part("cpu-small", "cpu_small.arff"),
           "adult": adult,
           "australian": lambda: spaced("australian", "australian.dat").astype({14: str}),
           "german": lambda: spaced("german", "german.data").astype({20: str}),
           "monks": monks,
           "phoneme": lambda: with_data_part("phoneme", "phoneme.dat").astype({5: str}),
           "spambase": lambda: read("spambase", "spambase.data").astype({57: str}),
           "splice": splice,
           "titanic": lambda: read("titanic", "titanic.csv", header=0),
           "diabetes": lambda: of_sklearn("diabetes"),
           "breast-cancer": lambda: of_sklearn("breast_cancer"),
           "digits": lambda: of_sklearn("digits")}


def table_of(name):
    """The set as one table, its target last."""
    frame = READERS[name]()
    frame.columns = [f"c{i}" for i in range(frame.shape[1] - 1)] + ["y"]
    return frame


def cvar(losses):
    losses = np.sort(losses)[::-1]
    count = ALPHA * len(losses)
    whole = int(np.floor(count + 1e-9))
    rest = count - whole
    total = losses[:whole].sum() + (rest * losses[whole] if rest > 1e-9 else 0)
    return total / count


def log_losses(probabilities, classes):
    chosen = probabilities[np.arange(len(classes)), classes]
    return -np.log(np.clip(chosen, 1e-15, 1))


def features_of(frame):
    frame = frame.copy()
    for column in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[column]):
            frame[column] = frame[column].astype("category")
    return frame


def encoded(frame):
    """One-hot columns for methods that take numbers."""
    return pd.get_dummies(features_of(frame)).astype(float)


def by_peers(train, test, target, is_regression, seed):
    """Losses of the peers on the test rows, and seconds."""
    import xgboost
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    both = encoded(pd.concat([train, test]).drop(columns=target))
    x, x_test = both.iloc[:len(train)], both.iloc[len(train):]
    x.columns = x_test.columns = [f"f{i}" for i in range(x.shape[1])]
    results = {}
    if is_regression:
        y, y_test = train[target].to_numpy(float), test[target].to_numpy(float)
        models = {"XGBoost": xgboost.XGBRegressor(random_state=seed, n_jobs=1),
                  "HistGradientBoosting": HistGradientBoostingRegressor(random_state=seed)}
    else:
        names = sorted(train[target].astype(str).unique())
        y = train[target].astype(str).map(names.index).to_numpy()
        y_test = test[target].astype(str).map(names.index).to_numpy()
        models = {"XGBoost": xgboost.XGBClassifier(random_state=seed, n_jobs=1),
                  "HistGradientBoosting": HistGradientBoostingClassifier(random_state=seed)}
    for name, model in models.items():
        begin = time.process_time()
        model.fit(x, y)
        seconds = time.process_time() - begin
        losses = ((model.predict(x_test) - y_test) ** 2 if is_regression
                  else log_losses(model.predict_proba(x_test), y_test))
        results[name] = {"mean": float(losses.mean()), "cvar": float(cvar(losses)),
                         "seconds": seconds}
    return results


def seconds_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def by_adacvar(program, train, test, target, seed):
    """Risks of linear models, networks, trees and best."""
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("train.csv", "test.csv")]
        train.to_csv(paths[0], index=False)
        test.to_csv(paths[1], index=False)
        common = [paths[0], "--target", target, "--test-data", paths[1], "--seed", str(seed),
                  "--alpha", str(ALPHA), "--json", "--quiet"]
        runs = {"linear": ["train", *common, "--algorithm", "exact", "--mean-budget", "5%",
                           "--ridge", "0.01", "--threads", "1"],
                "network": ["train", *common, "--network", "mlp:64,64", "--network-threads", "1"],
                "trees": ["train", *common, "--trees", "--threads", "1"],
                "best": ["best", *common, "--threads", "1"]}
        for name, arguments in runs.items():
            begin = seconds_of_children()
            done = subprocess.run([program, *arguments], capture_output=True, text=True,
                                  check=False)
            if done.returncode != 0:
                print(f"{name}: {done.stderr.strip()}", file=sys.stderr)
                continue
            found = json.loads(done.stdout)
            risk = (found["results"][0] if "results" in found else found)["risk"]["test"]
            results[name] = {"mean": risk["mean"], "cvar": risk["cvar"],
                             "seconds": seconds_of_children() - begin}
            if name == "best":
                results[name]["bases"] = {b["name"]: b["weight"] for b in found["bases"]}
                results[name]["stack"] = found["stack"]["test"]
    return results


def run(program, name, split):
    frame = table_of(name)
    target = frame.columns[-1]
    is_regression = pd.api.types.is_numeric_dtype(frame[target])
    order = np.random.default_rng(split).permutation(len(frame))
    cut = len(frame) * 4 // 5
    train, test = frame.iloc[order[:cut]], frame.iloc[order[cut:]]
    results = by_peers(train, test, target, is_regression, split)
    results.update(by_adacvar(program, train, test, target, split))
    return {"set": name, "split": split, "rows": len(frame), "results": results}


def mean_and_error(values):
    """Mean over splits with its standard error, in per cent; no error for one split."""
    values = 100 * np.array(values)
    if len(values) < 2:
        return f"{values.mean():+.1f}"
    return f"{values.mean():+.1f} ± {values.std(ddof=1) / np.sqrt(len(values)):.1f}"


def print_risks(runs, names):
    print("Test CVaR / test mean at alpha 0.1, means over splits; log loss, for numbers squared.\n")
    print("| set | rows | splits | " + " | ".join(METHODS) + " |")
    print("|---|---|---|" + "---|" * len(METHODS))
    for name in names:
        own = [run for run in runs if run["set"] == name]
        cells = []
        for method in METHODS:
            found = [run["results"][method] for run in own if method in run["results"]]
            cells.append(f"{np.mean([f['cvar'] for f in found]):.4g} / "
                         f"{np.mean([f['mean'] for f in found]):.4g}" if found else "")
        print(f"| {name} | {own[0]['rows']:,} | {len(own)} | " + " | ".join(cells) + " |")


def print_differences(runs, names):
    """Paired: best against each other method on the same splits."""
    others = METHODS[:-1]
    print("\nCVaR of best less that of the others, in per cent of theirs: mean over splits, with its "
          "standard error where there are several; the last columns: its mean against the better "
          "of XGBoost and HistGradientBoosting, and its time against XGBoost's.\n")
    print("| set | " + " | ".join(others) + " | mean | time |")
    print("|---|" + "---|" * (len(others) + 2))
    for name in names:
        own = [run["results"] for run in runs if run["set"] == name]
        cells = [mean_and_error([r["best"]["cvar"] / r[other]["cvar"] - 1
                                 for r in own if other in r]) for other in others]
        cells.append(mean_and_error([mean_ratio(r) - 1 for r in own]))
        cells.append(f"{np.mean([time_ratio(r) for r in own]):.0f}x")
        print(f"| {name} | " + " | ".join(cells) + " |")
    print()


def mean_ratio(results):
    peers = min(results["XGBoost"]["mean"], results["HistGradientBoosting"]["mean"])
    return results["best"]["mean"] / peers


def time_ratio(results):
    return results["best"]["seconds"] / results["XGBoost"]["seconds"]


def print_sums(runs, names):
    for peer in ("XGBoost", "HistGradientBoosting"):
        ratio = np.array([run["results"]["best"]["cvar"] / run["results"][peer]["cvar"]
                          for run in runs])
        by_set = np.array([np.mean([run["results"]["best"]["cvar"] / run["results"][peer]["cvar"]
                                    for run in runs if run["set"] == name]) for name in names])
        print(f"- best against {peer}: test CVaR lower on {np.mean(ratio < 1):.0%} of "
              f"{len(ratio)} splits, {np.sum(by_set < 1)} of {len(by_set)} sets; "
              f"median ratio over sets {np.median(by_set):.3f}, quartiles "
              f"{np.quantile(by_set, 0.25):.3f} and {np.quantile(by_set, 0.75):.3f}")
    mean = np.array([mean_ratio(run["results"]) for run in runs])
    print(f"- mean at most 2 % above the better peer's on {np.mean(mean <= 1.02):.0%} of splits, "
          f"median ratio {np.median(mean):.3f}, largest {mean.max():.3f}")
    tail = np.array([run["results"]["best"]["cvar"] / run["results"]["best"]["stack"]["cvar"] - 1
                     for run in runs])
    changed = 100 * tail[tail != 0]
    print(f"- the tail of the stack was changed on {len(changed)} of {len(tail)} splits: there its "
          f"test CVaR by {np.median(changed):+.1f} % (median; quartiles "
          f"{np.quantile(changed, 0.25):+.1f} and {np.quantile(changed, 0.75):+.1f})")
    times = np.array([time_ratio(run["results"]) for run in runs])
    print(f"- time of the processor: {np.median(times):.0f} times XGBoost's (median), at most "
          f"{times.max():.0f}; at most 40 on {np.mean(times <= 40):.0%} of splits")


def print_table(runs):
    runs = [run for run in runs if "best" in run["results"]]
    names = [name for name in READERS if any(run["set"] == name for run in runs)]
    print_risks(runs, names)
    print_differences(runs, names)
    print_sums(runs, names)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--log", default="runs.jsonl")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--sets", default=",".join(READERS))
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    runs = []
    if os.path.exists(given.log):
        with open(given.log, encoding="utf-8") as log:
            runs = [json.loads(line) for line in log]
    wanted = [(name, split) for split in range(given.splits) for name in given.sets.split(",")]
    done = {(run_["set"], run_["split"]) for run_ in runs}
    for name, split in [] if given.table else wanted:
        if (name, split) in done:
            continue
        runs.append(run(given.program, name, split))
        with open(given.log, "a", encoding="utf-8") as log:
            log.write(json.dumps(runs[-1]) + "\n")
        print(name, split, file=sys.stderr)
    print_table(runs)


if __name__ == "__main__":
    main()
