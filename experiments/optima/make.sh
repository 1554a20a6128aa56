#!/usr/bin/env bash
# Solves every built-in and real set exactly and prints docs/optima.md. Needs python3 and the real sets.
#   experiments/optima/make.sh build/release/adacvar > docs/optima.md
set -euo pipefail

program=${1:?usage: experiments/optima/make.sh <program>}
sets=(normal pareto sinc abalone boston cpu-small adult australian german monks phoneme spambase splice titanic)

cat <<'TXT'
# Least CVaR of linear models

Made by `experiments/optima/make.sh <program>`. All rows of each set (`--split 1,0,0`; synthetic sets: 10,000 rows, seed 0), squared loss for
regression, logistic loss for classes, no ridge. The lower end is proved for models within the
certificate's radius (100 times the larger of 1 and the norm of the solution), the upper end is attained by a model; losses in the units of the target
squared. A CVaR of 0.693147 = log 2 is that of giving both classes the same chance.

| set | alpha | least CVaR, at least | at most | relative gap |
|---|---|---|---|---|
TXT
for set in "${sets[@]}"; do
  "$program" train "$set" --algorithm exact --alphas 0.01,0.1,0.5,1 --tolerance 1e-8 --split 1,0,0 --json --quiet |
    python3 -c '
import json, sys
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
name = sys.argv[1]
for run in json.load(sys.stdin)["runs"]:
    c = run["certificate"]
    lower = Context(prec=9, rounding=ROUND_FLOOR).create_decimal(c["lower"])
    upper = Context(prec=9, rounding=ROUND_CEILING).create_decimal(c["upper"])
    print("| %s | %g | %s | %s | %.1e |" % (name, run["alpha"], lower, upper, c["relative_gap"]))
' "$set"
done
