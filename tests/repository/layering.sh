#!/usr/bin/env bash
# layering.sh <root of the repository> | --self-test
#
# Reads the #include lines of include/ and src/. A stage includes itself and stages to its left:
#   data, sampler, learner, solver, run, report, experiment
# base and risk are open to all; base includes only base, risk only base and risk. mpi, cli and
# adacvar.hpp include what they like but deep and are included only by each other. deep includes what learner may, and learner; it is included by itself and by
# src/cli/deep*.cpp, so that nobody else needs libtorch; likewise trees and src/cli/trees*.cpp. A public header includes no private one.
# Prints each offending line.
set -euo pipefail

check() {  # <root>
  (cd "$1" && find include src -type f \( -name '*.hpp' -o -name '*.cpp' \) -print0 |
    sort -z | xargs -0 awk '
    BEGIN {
      count = split("base risk data sampler learner solver run report experiment top", order, " ")
      for (i = 1; i <= count; i++) rank[order[i]] = i
      rank["deep"] = rank["trees"] = rank["learner"]
      rank["mpi"] = rank["cli"] = rank["top"]
      known = "base, risk, data, sampler, learner, solver, run, report, experiment, deep, trees, mpi, cli"
    }
    function complain(why) { print FILENAME ":" FNR ": " $0 "    <- " why; bad = 1 }
    # The stage of a path relative to include/adacvar or src.
    function stage_of(path) { return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : "top" }
    FNR == 1 {
      public = FILENAME ~ /^include\//
      path = FILENAME
      sub(/^(include\/adacvar|src)\//, "", path)
      from = stage_of(path)
      if (!(from in rank)) {
        print FILENAME ": stage \047" from "\047 is not one of: " known
        bad = 1
      }
    }
    /^[ \t]*#[ \t]*include[ \t]*[<"]/ {
      quoted = $0 ~ /include[ \t]*"/
      target = $0
      sub(/^[^<"]*[<"]/, "", target)
      sub(/[>"].*$/, "", target)
      ours = target ~ /^adacvar\//
      if (public && quoted) { complain("a public header includes <adacvar/...> only"); next }
      if (target ~ /(^|\/)\.\.?\//) { complain("name the file from the root"); next }
      if (!ours && !quoted) next
      if (target == "adacvar/version.hpp") next
      sub(/^adacvar\//, "", target)
      to = !ours && target !~ /\// ? from : stage_of(target)
      if (!(to in rank)) complain("stage \047" to "\047 is not one of: " known)
      else if ((to == "deep" || to == "trees") && from != to) {
        if (FILENAME !~ "^src/cli/" to "[^/]*[.]cpp$")
          complain("only " to " and src/cli/" to "*.cpp include " to)
      }
      else if (from in rank && rank[to] > rank[from])
        complain(from " must not include " to)
    }
    END { exit bad }')
}

self_test() {
  local status=0
  root=$(mktemp -d)
  trap 'rm -rf "$root"' EXIT
  put() { mkdir -p "$(dirname "$root/$1")" && printf '%s\n' "${@:2}" > "$root/$1"; }

  put include/adacvar/base/rng.hpp '#include <vector>'
  put include/adacvar/sampler/good.hpp '#include <adacvar/base/rng.hpp>' \
    '#include <adacvar/risk/cvar.hpp>' '#include <adacvar/data/dataset.hpp>'
  put src/sampler/good.cpp '#include <adacvar/sampler/good.hpp>' '#include "sampler/own.hpp"' \
    '#include "own.hpp"' '#include <adacvar/version.hpp>' '#include <fmt/format.h>'
  put src/mpi/good.cpp '#include <adacvar/report/html.hpp>' '#include <adacvar/run/run.hpp>'
  put src/deep/good.cpp '#include <adacvar/deep/networks.hpp>' '#include <torch/nn.h>' \
    '#include <adacvar/learner/network.hpp>' '#include <adacvar/sampler/good.hpp>' \
    '#include <adacvar/data/dataset.hpp>' '#include <adacvar/risk/cvar.hpp>' '#include "base/own.hpp"'
  put src/cli/deep_main.cpp '#include <adacvar/deep/networks.hpp>' '#include "cli/program.hpp"'
  put src/trees/good.cpp '#include <adacvar/learner/trees.hpp>' '#include "trees/booster.hpp"'
  put src/cli/trees_main.cpp '#include <adacvar/trees/xgboost_trees.hpp>'
  put src/report/good.cpp '#include <adacvar/run/run.hpp>' '#include <adacvar/report/html.hpp>'
  check "$root" || { echo "a good tree is refused"; return 1; }

  bad() {  # <file> <include line> <expected words>
    put "$1" '// a comment, so that the line is the second' "$2"
    local output
    if output=$(check "$root"); then
      echo "not refused: $1: $2"; status=1
    elif [[ $output != "$1:2: $2"*"$3"* ]]; then
      printf 'refused for the wrong reason: %s: %s\n%s\n' "$1" "$2" "$output"; status=1
    fi
    rm "$root/$1"
  }
  bad src/base/bad.cpp '#include <adacvar/risk/cvar.hpp>' 'base must not include risk'
  bad src/risk/bad.cpp '#include <adacvar/data/dataset.hpp>' 'risk must not include data'
  bad src/data/bad.cpp '#  include <adacvar/sampler/good.hpp>' 'data must not include sampler'
  bad src/sampler/bad.cpp '#include "learner/private.hpp"' 'sampler must not include learner'
  bad include/adacvar/solver/bad.hpp '#include <adacvar/report/html.hpp>' 'must not include'
  bad src/report/bad.cpp '#include <adacvar/cli/flags.hpp>' 'report must not include cli'
  bad src/deep/bad.cpp '#include <adacvar/report/html.hpp>' 'deep must not include report'
  bad src/deep/bad.cpp '#include <adacvar/solver/good.hpp>' 'deep must not include solver'
  bad src/deep/bad.cpp '#include <adacvar/run/run.hpp>' 'deep must not include run'
  bad src/run/bad.cpp '#include <adacvar/report/html.hpp>' 'run must not include report'
  bad src/report/bad.cpp '#include "experiment/study.hpp"' 'report must not include experiment'
  bad src/learner/bad.cpp '#include <adacvar/deep/networks.hpp>' 'only deep and'
  bad src/report/bad.cpp '#include <adacvar/deep/networks.hpp>' 'only deep and'
  bad src/cli/bad.cpp '#include <adacvar/deep/networks.hpp>' 'only deep and'
  bad src/cli/deep_bad.cpp '#include <adacvar/trees/xgboost_trees.hpp>' 'only trees and'
  bad src/trees/bad.cpp '#include <adacvar/run/run.hpp>' 'trees must not include run'
  bad include/adacvar/bad.hpp '#include <adacvar/deep/networks.hpp>' 'only deep and'
  bad src/learner/bad.cpp '#include <adacvar/adacvar.hpp>' 'learner must not include top'
  bad include/adacvar/sampler/bad.hpp '#include "sampler/own.hpp"' 'a public header'
  bad src/sampler/bad.cpp '#include "../risk/cvar.hpp"' 'name the file from the root'
  bad src/sampler/bad.cpp '#include <adacvar/utils/x.hpp>' "stage 'utils' is not one of"
  return $status
}

case "${1:-}" in
  --self-test) self_test ;;
  '') echo "usage: layering.sh <root> | --self-test" >&2; exit 2 ;;
  *) check "$1" ;;
esac
