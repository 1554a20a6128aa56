#!/usr/bin/env bash
# Builds the preset dev and runs its tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "${1-}" in
  -h | --help)
    cat <<'TXT'
usage: scripts/test.sh [ctest arguments...]

Installs the packages of the parts core, program, deep, trees, mpi, python, test, deep-test, trees-test and python-test when they
are missing, builds the preset dev in build/dev and runs its tests, those of the Python module (pytest, doctest,
mypy --strict on the stubs) among them. Arguments go to ctest: `-L unit`, `-LE stat`, `-L python`, `-R cvar`.
TXT
    exit 0
    ;;
  '' | -*) ;;
  *) echo "test: '$1' is not a ctest option (did you mean -L $1 or -R $1?); see --help" >&2; exit 2 ;;
esac

scripts/install-deps.sh core program deep trees mpi python test deep-test trees-test python-test

# CMake reads the launcher from the environment when a build folder is new.
if command -v ccache > /dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER-ccache}
  # Without these two, ccache leaves alone what is compiled with precompiled headers.
  export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS-pch_defines,time_macros}
fi
echo "test: building in build/dev"
cmake --preset dev --log-level=WARNING
cmake --build --preset dev --parallel "$(nproc)"
exec ctest --preset dev "$@"
