#!/usr/bin/env python3
"""What the shifts look like without early stopping: for every study of `adacvar reproduce all --out DIR`
the test accuracy of the last epoch, of the configuration with the best mean validation accuracy (then the
least CVaR) at the last epoch, averaged over the sets. Prints a Markdown table.

    experiments/shifts/last_epoch.py DIR > experiments/shifts/last_epoch.md
"""
import collections
import json
import pathlib
import statistics
import sys

ALGORITHMS = ["gain", "centred", "trunc", "soft", "mean"]
ACCURACY, CVAR = 2, 1  # places in a part's list, docs/file_formats.md


def runs_of(path):
    """{(algorithm, set): {config: [last reading, ...]}}, configurations that diverged left out."""
    runs = collections.defaultdict(lambda: collections.defaultdict(list))
    diverged = set()
    for line in path.read_text().splitlines()[1:]:
        run = json.loads(line)
        if "fingerprint" in run:
            continue
        key = (run["algorithm"], run["set"])
        if run.get("diverged"):
            diverged.add((key, run["config"]))
        else:
            runs[key][run["config"]].append(run["last"])
    for key, config in diverged:
        runs[key].pop(config, None)
    return runs


def test_accuracy(configs):
    def mean(readings, part, place):
        return statistics.mean(reading[part][place] for reading in readings)

    chosen = max(configs.values(), key=lambda r: (mean(r, "valid", ACCURACY), -mean(r, "valid", CVAR)))
    return mean(chosen, "test", ACCURACY)


print("| test accuracy, last epoch | " + " | ".join(ALGORITHMS) + " |\n|---" + "|---" * len(ALGORITHMS) + "|")
for folder in sorted(pathlib.Path(sys.argv[1]).glob("shift-*")):
    runs = runs_of(folder / "results.jsonl")
    sets = sorted({name for _, name in runs})
    cells = ["%.3f" % statistics.mean(test_accuracy(runs[a, s]) for s in sets) for a in ALGORITHMS]
    print("| %s | %s |" % (folder.name, " | ".join(cells)))
