#!/usr/bin/env bash
# Installs the Debian packages that building needs; only those that are missing.
set -euo pipefail
export LC_ALL=C

declare -A packages=(
  [core]="g++ cmake ninja-build ccache libeigen3-dev libfmt-dev zlib1g-dev liblzma-dev nlohmann-json3-dev libboost-dev libjs-chart.js"
  [program]="libcli11-dev libcurl4-openssl-dev libssl-dev"
  [deep]="libtorch-dev libopenblas-openmp-dev"
  [trees]="libxgboost-dev"
  [mpi]="libopenmpi-dev openmpi-bin"
  [python]="python3-dev pybind11-dev python3-numpy"
  [test]="libgtest-dev python3 python3-scipy chromium chromium-driver"
  [deep-test]="python3-torch"
  [trees-test]="python3-xgboost"
  [python-test]="python3-pytest python3-mypy python3-sklearn python3-pandas python3-joblib python3-matplotlib python3-pip python3-venv python3-setuptools python3-wheel"
  [bench]="libbenchmark-dev"
  [dev]="clang-format clang-tidy-19"
  [fuzz]="clang-19 libclang-rt-19-dev"
  [docs]="doxygen pandoc python3"
)
known=(core program deep trees mpi python test deep-test trees-test python-test bench dev fuzz docs)

usage() {
  cat <<TXT
usage: scripts/install-deps.sh [part...]

Installs the missing Debian packages of the parts named (core, when none is):
  core         ${packages[core]}
  program      ${packages[program]}
  deep         ${packages[deep]}
  trees        ${packages[trees]}
  mpi          ${packages[mpi]}
  python       ${packages[python]}
  test         ${packages[test]}
  deep-test    ${packages[deep-test]}
  trees-test   ${packages[trees-test]}
  python-test  ${packages[python-test]}
  bench        ${packages[bench]}
  dev          ${packages[dev]}
  fuzz         ${packages[fuzz]}
  docs         ${packages[docs]}
Runs apt-get as root or through sudo, and only when something is missing.
TXT
}

say() { printf 'install-deps: %s\n' "$*"; }
fail() { say "$*" >&2; exit 1; }

parts=()
for argument in "$@"; do
  case $argument in
    -h | --help) usage; exit 0 ;;
  esac
  if [[ -z $argument || -z ${packages[$argument]-} ]]; then
    say "part '$argument' is not one of: $(IFS=,; echo "${known[*]}" | sed 's/,/, /g')" >&2
    exit 2
  fi
  parts+=("$argument")
done
[[ ${#parts[@]} -gt 0 ]] || parts=(core)

wanted=()
for part in "${parts[@]}"; do read -ra names <<< "${packages[$part]}"; wanted+=("${names[@]}"); done

if ! command -v dpkg-query > /dev/null; then
  say "no dpkg here, so nothing was checked; needed, by their Debian names: ${wanted[*]}"
  exit 0
fi

missing=()
for name in "${wanted[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$name" 2> /dev/null) || true
  [[ $status == installed* ]] || missing+=("$name")
done
if [[ ${#missing[@]} -eq 0 ]]; then
  say "${parts[*]}: nothing is missing"
  exit 0
fi

as_root=(env)
if [[ $(id -u) -ne 0 ]]; then
  command -v sudo > /dev/null ||
    fail "missing: ${missing[*]}; neither root nor sudo, so install them as root: apt-get install ${missing[*]}"
  as_root=(sudo env)
fi
as_root+=(DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -qq -o DPkg::Lock::Timeout=120)

say "installing ${missing[*]}"
"${as_root[@]}" update || fail "the package lists could not be read; missing: ${missing[*]}"
"${as_root[@]}" install -y --no-install-recommends "${missing[@]}" > /dev/null ||
  fail "apt-get could not install: ${missing[*]}"
say "done"
