#!/usr/bin/env python3
"""Networks on new rows: is the tail better than after plain training, at which price? Prints README.md of this folder.
Needs the real sets (ADACVAR_DATA). Finished runs are kept in runs.jsonl of the working folder; the same command resumes.

    experiments/networks/make.py build/release/adacvar > experiments/networks/README.md
"""
import concurrent.futures
import gzip
import json
import math
import os
import random
import subprocess
import sys

PROGRAM = sys.argv[1]
DATA = os.environ["ADACVAR_DATA"]
ALPHA = 0.1
SEEDS = 3
RATES = ["0.02", "0.1"]
IMAGES = 10000  # of the training images, drawn anew for each seed
LOG = "runs.jsonl"

TABLES = ["adult", "australian", "german", "splice", "titanic"]
SEEN = ["abalone", "cpu-small", "phoneme", "spambase"]  # the defaults were chosen on these
LENET = ["--network", "lenet5", "--epochs", "15", "--split", "0.8,0.2,0"]
CASES = {name: (name, ["--network", "mlp"], 0) for name in TABLES + SEEN}
CASES |= {
    "spambase, 10 % wrong labels": ("spambase", ["--network", "mlp"], 0.1),
    "mnist, lenet5": ("mnist", LENET, 0),
    "fashion-mnist, lenet5": ("fashion-mnist", LENET, 0),
    "fashion-mnist, lenet5, crops": ("fashion-mnist", LENET + ["--augment", "crop-flip"], 0),
    "fashion-mnist, lenet5, 10 % wrong labels": ("fashion-mnist", LENET, 0.1),
    "cifar-10, lenet5, crops": ("cifar-10", LENET + ["--augment", "crop-flip"], 0),
}
# Rows of `compare` and single runs; the rates are tuned for those that train from the start.
RUNS = {
    "compare": (["compare"], RATES),
    "mix": (["train", "--mix"], RATES),
    "memory 1": (["train", "--memory", "1"], RATES),
    "from the start": (["train", "--fine-tune", "0"], RATES),
    "from the start, memory 1": (["train", "--fine-tune", "0", "--memory", "1"], RATES),
}
NAMES = ["mean", "mean +2%", "adacvar +2%", "trunc +2%", "soft +2%", "memory 1", "mix", "from the start", "from the start, memory 1"]
TITLES = {"memory 1": "adacvar +2%, memory 1", "mix": "adacvar +2%, mix", "from the start": "adacvar from the start",
          "from the start, memory 1": "the same, memory 1"}


def read_gz(path):
    with gzip.open(path, "rb") as file:
        return file.read()


def write_gz(path, data):
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(data)


def noisy(labels, share, classes, draw):
    """Labels of which `share` are replaced by another class."""
    return [(label + draw.randrange(1, classes)) % classes if draw.random() < share else label for label in labels]


def image_files(name, seed, noise):
    """A sample of the training images, and the set's own test images. CIFAR-10: its first batch; seeds differ by their split."""
    source = os.path.join(DATA, name)
    if name == "cifar-10":
        return [os.path.join(source, part + "_batch%s.bin.xz" % number) for part, number in [("data", "_1"), ("test", "")]]
    folder = os.path.join("data", "%s-%d-%g" % (name, seed, noise))
    if not os.path.exists(folder):
        os.makedirs(folder)
        write_idx(source, folder, random.Random(seed), noise)
    return [os.path.join(folder, "train-images-idx3-ubyte.gz"), os.path.join(source, "t10k-images-idx3-ubyte.gz")]


def write_idx(source, target, draw, noise):
    pixels = read_gz(os.path.join(source, "train-images-idx3-ubyte.gz"))
    labels = read_gz(os.path.join(source, "train-labels-idx1-ubyte.gz"))
    size = 28 * 28
    chosen = draw.sample(range((len(pixels) - 16) // size), IMAGES)
    count = IMAGES.to_bytes(4, "big")
    body = b"".join(pixels[16 + size * i:16 + size * (i + 1)] for i in chosen)
    kept = bytes(noisy([labels[8 + i] for i in chosen], noise, 10, draw))
    write_gz(os.path.join(target, "train-images-idx3-ubyte.gz"), pixels[:4] + count + pixels[8:16] + body)
    write_gz(os.path.join(target, "train-labels-idx1-ubyte.gz"), labels[:4] + count + kept)


def table_file(name, seed, noise):
    """A table with wrong labels in the training and validation rows; the test rows stay as they are."""
    folder = os.path.join("data", "%s-%d-%g" % (name, seed, noise))
    paths = [os.path.join(folder, part + ".csv") for part in ["train", "test"]]
    if all(map(os.path.exists, paths)):
        return paths
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(DATA, name, name + ".data")) as file:
        rows = file.read().split()
    columns = rows[0].count(",")
    header = ",".join(["x%d" % c for c in range(columns)] + ["label"])
    draw = random.Random(seed)
    draw.shuffle(rows)
    cut = len(rows) * 4 // 5
    split = [row.rsplit(",", 1) for row in rows[:cut]]
    classes = sorted({label for _, label in split})
    wrong = noisy([classes.index(label) for _, label in split], noise, len(classes), draw)
    with open(paths[0], "w") as file:
        file.write("\n".join([header] + [values + "," + classes[label] for (values, _), label in zip(split, wrong)]) + "\n")
    with open(paths[1], "w") as file:
        file.write("\n".join([header] + rows[cut:]) + "\n")
    return paths


def command_of(case, seed, run, rate):
    name, options, noise = CASES[case]
    verb, *more = RUNS[run][0]
    if name in ("mnist", "fashion-mnist", "cifar-10"):
        train, test = image_files(name, seed, noise)
        source = [train, "--test-data", test]
    elif noise:
        train, test = table_file(name, seed, noise)
        source = [train, "--test-data", test, "--split", "0.625,0.375,0", "--target", "label", "--task", "binary"]
    else:
        source = [name]
    return ([PROGRAM, verb] + source + options + more + ["--learning-rate", rate, "--alpha", str(ALPHA), "--seed", str(seed),
            "--momentum", "0.9", "--network-threads", "1", "--json", "--quiet"])


def figures(result):
    keep = ["mean", "cvar", "accuracy"]
    return {part: {key: risk[key] for key in keep if key in risk} for part, risk in result["risk"].items()}


def finished():
    if not os.path.exists(LOG):
        return {}
    with open(LOG) as file:
        runs = [json.loads(line) for line in file]
    return {(run["case"], run["seed"], run["run"], run["rate"]): run["results"] for run in runs}


def execute(key):
    case, seed, run, rate = key
    done = subprocess.run(command_of(*key), capture_output=True, text=True)
    if done.returncode not in (0, 4):
        raise SystemExit("%s: %s" % (" ".join(command_of(*key)), done.stderr))
    output = json.loads(done.stdout)
    results = {result["label"]: figures(result) for result in output["runs"]} if run == "compare" else {run: figures(output)}
    return {"case": case, "seed": seed, "run": run, "rate": rate, "results": results}


def run_all():
    known = finished()
    if "--table" in sys.argv:  # of what is finished
        return known
    keys = [(case, seed, run, rate) for seed in range(SEEDS) for case in CASES for run, (_, rates) in RUNS.items() for rate in rates]
    keys.sort(key=lambda key: "lenet5" in key[0] and key[1] > 0)  # images, which take most of the time, last
    todo = [key for key in keys if key not in known]
    for key in todo:
        command_of(*key)  # makes the data
    with concurrent.futures.ThreadPoolExecutor(2) as pool, open(LOG, "a") as log:
        for outcome in pool.map(execute, todo):
            log.write(json.dumps(outcome) + "\n")
            log.flush()
    return finished()


def chosen(runs, case, seed, name):
    """The run of the learning rate that the validation rows prefer: by the CVaR if there is no budget on the mean, else by the mean of
    plain training, as --tune does."""
    decides, by = (name, "cvar") if name.startswith("from") else ("mean", "mean")
    own = [(key, results) for key, results in runs.items() if key[:2] == (case, seed)]
    rates = {key[3]: results[decides]["valid"][by] for key, results in own if decides in results}
    rate = min(rates, key=rates.get)
    return next((results[name] for key, results in own if name in results and key[3] == rate), None)


def seeds_of(runs, case):
    """Those with all runs."""
    wanted = sum(len(rates) for _, rates in RUNS.values())
    return [seed for seed in range(SEEDS) if sum(key[:2] == (case, seed) for key in runs) == wanted]


def cell(runs, case, name):
    ratios = []
    for seed in seeds_of(runs, case):
        result, plain = chosen(runs, case, seed, name), chosen(runs, case, seed, "mean")
        if result is None:
            return None
        test, base = result["test"], plain["test"]
        ratios.append((test["cvar"] / base["cvar"], test["mean"] / base["mean"], 100 * (test.get("accuracy", 0) - base.get("accuracy", 0))))
    return ratios


def text(ratios, has_classes):
    if not ratios:
        return "-"
    cvar, mean, accuracy = (sum(values) / len(ratios) for values in zip(*ratios))
    return "%.3f / %.3f" % (cvar, mean) + (" / %+.1f" % accuracy if has_classes else "")


def summary(runs, cases, name):
    every = [cell(runs, case, name) for case in cases]
    flat = [ratio for ratios in every if ratios for ratio in ratios]
    logs = [math.log(ratio[0]) for ratio in flat]
    middle = sum(logs) / len(logs)
    error = math.sqrt(sum((value - middle) ** 2 for value in logs) / (len(logs) - 1) / len(logs))
    means = math.exp(sum(math.log(ratio[1]) for ratio in flat) / len(flat))
    worse = sum(ratio[0] > 1 for ratio in flat)
    return "| %s | %.3f (%.3f) | %.3f | %d of %d | %.3f |" % (
        TITLES.get(name, name), math.exp(middle), math.exp(middle) * error, means, worse, len(flat), max(ratio[0] for ratio in flat))


def main():
    runs = run_all()
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "protocol.md")) as file:
        print(file.read())
    fresh = [case for case in CASES if case not in SEEN]
    for title, cases in [("Sets that chose no default", fresh), ("Sets on which the defaults were chosen", SEEN)]:
        print("## %s\n\n| | test CVaR, geometric mean (standard error) | test mean | CVaR above plain training's | worst |\n|---|---|---|---|---|" % title)
        for name in NAMES[1:]:
            print(summary(runs, cases, name))
        print()
    print("## Each set\n\nTest CVaR / test mean / accuracy in points, relative to `mean`, means over the seeds; `mean` itself in its own units.\n")
    print("| set | seeds | mean | " + " | ".join(TITLES.get(name, name) for name in NAMES[1:]) + " |\n|" + "---|" * (len(NAMES) + 2))
    for case in CASES:
        seeds = seeds_of(runs, case)
        if not seeds:
            continue
        plain = [chosen(runs, case, seed, "mean")["test"] for seed in seeds]
        has_classes = "accuracy" in plain[0]
        own = "%.4g / %.4g" % tuple(sum(run[key] for run in plain) / len(seeds) for key in ("cvar", "mean"))
        if has_classes:
            own += " / %.1f %%" % (100 * sum(run["accuracy"] for run in plain) / len(seeds))
        cells = [text(cell(runs, case, name), has_classes) for name in NAMES[1:]]
        print("| %s | %d | %s | " % (case, len(seeds), own) + " | ".join(cells) + " |")


main()
