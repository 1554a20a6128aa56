#!/usr/bin/env bash
# machine_paths.sh <root of the repository> | --self-test
#
# No file of the repository names a folder of the machine it was written on.
set -euo pipefail

pattern='(^|[^A-Za-z0-9_.])/(work|root|farm)/'

list_files() {  # what git tracks or would add; all but builds where there is no git
  git ls-files -z --cached --others --exclude-standard 2>/dev/null ||
    find . -type f -not -path './build/*' -not -path './.git/*' -print0
}

check() {  # <root>
  local found
  cd "$1"
  # A file may be tracked and gone: -s.
  found=$(list_files | xargs -0 grep -sInE "$pattern" /dev/null || true)
  [[ -z $found ]] || { echo "$found"; return 1; }
}

self_test() {
  root=$(mktemp -d)
  trap 'rm -rf "$root"' EXIT
  echo 'docs/work/ and https://example.org/farm.html are no paths of a machine' > "$root/notes.md"
  (check "$root") || { echo "a good tree is refused"; return 1; }
  printf 'see %s/x\n' /work > "$root/notes.md"
  if (check "$root") > /dev/null; then echo "a path of a machine is not found"; return 1; fi
}

case "${1:-}" in
  --self-test) self_test ;;
  '') echo "usage: machine_paths.sh <root> | --self-test" >&2; exit 2 ;;
  *) check "$1" ;;
esac
