#!/usr/bin/env bash
# Builds the program and compares the algorithms on a built-in set.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "$*" in
  '') ;;
  -h | --help)
    cat <<'TXT'
usage: scripts/demo.sh

Installs the packages of the parts core and program when they are missing, builds the program in
build/demo and runs `adacvar compare pareto`.
TXT
    exit 0
    ;;
  *) echo "demo: '$*' is not an option; see scripts/demo.sh --help" >&2; exit 2 ;;
esac

scripts/install-deps.sh core program

# CMake reads the launcher from the environment when a build folder is new.
if command -v ccache > /dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER-ccache}
  # Without these two, ccache leaves alone what is compiled with precompiled headers.
  export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS-pch_defines,time_macros}
fi
echo "demo: building in build/demo, which takes some minutes"
cmake -S . -B build/demo -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=Release \
  -DADACVAR_BUILD_EXAMPLES=OFF -DADACVAR_BUILD_TESTS=OFF -DADACVAR_BUILD_BENCHMARKS=OFF \
  -DADACVAR_BUILD_DEEP=OFF -DADACVAR_BUILD_MPI=OFF -DADACVAR_BUILD_PYTHON=OFF > /dev/null
# On a terminal Ninja shows where it is in one line; elsewhere that would be a line per file.
if [[ -t 1 ]]; then quiet=(); else quiet=(-- --quiet); fi
cmake --build build/demo --parallel "$(nproc)" "${quiet[@]}"

echo "demo: build/demo/adacvar compare pareto"
echo
exec build/demo/adacvar compare pareto
