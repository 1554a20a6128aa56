#!/usr/bin/env bash
# From the root: scripts parse, explain themselves and refuse what they do not know; README
# names the two commands.
set -uo pipefail
status=0
complain() { echo "$*"; status=1; }

for script in scripts/*.sh .ci/run; do
  bash -n "$script" || complain "$script does not parse"
  [ -x "$script" ] || complain "$script is not executable"
done
for script in scripts/*.sh; do
  help=$("$script" --help 2>&1) || complain "$script --help fails: $help"
  [[ $help == usage:* ]] || complain "$script --help does not begin with 'usage:': $help"
done

refused() {  # <expected words> <command...>
  local output
  if output=$("${@:2}" 2>&1 < /dev/null); then
    complain "not refused: ${*:2}"
  elif [[ $output != *"$1"* ]]; then
    complain "refused without saying '$1': ${*:2}: $output"
  fi
}
refused "part 'dep' is not one of: core, program, deep, trees, mpi, python" scripts/install-deps.sh core dep
refused "'--fast' is not an option" scripts/demo.sh --fast

for command in scripts/demo.sh scripts/test.sh; do
  grep -q "$command" README.md || complain "README.md does not name $command"
done
grep -q 'scripts/test.sh' .ci/run || complain ".ci/run does not call scripts/test.sh"
exit $status
