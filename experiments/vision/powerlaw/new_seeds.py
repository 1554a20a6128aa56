#!/usr/bin/env python3
"""Test accuracies of `adacvar reproduce powerlaw --seeds 3 --out DIR`, means of seeds 1 and 2, at the
last epoch and at the best one on validation rows.
    new_seeds.py DIR > new_seeds.md
"""
import json
import sys
from collections import defaultdict

print("| network | beta | algorithm | last epoch | best on validation rows |\n|---|---|---|---|---|")
for network in ("vgg16-bn", "resnet18"):
    found = defaultdict(list)
    with open(f"{sys.argv[1]}/powerlaw-{network}/results.jsonl") as log:
        for run in map(json.loads, log):
            if run.get("seed", 0) > 0:
                # A run whose best epoch is its last has no `early`.
                pair = run["last"]["test"][2], run.get("early", run["last"])["test"][2]
                found[run["set"], run["algorithm"]].append(pair)
    for (beta, algorithm), pairs in sorted(found.items()):
        last, early = (sum(part) / len(pairs) for part in zip(*pairs))
        print(f"| {network} | {beta} | {algorithm} | {last:.4f} | {early:.4f} |")
