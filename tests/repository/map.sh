#!/usr/bin/env bash
# From the root: the map of HACKING.md has every folder and script, and the files it names exist.
set -euo pipefail
status=0
complain() { echo "HACKING.md: $*"; status=1; }

map=$(sed -n '/^## Map/,/^## To add/p' HACKING.md)
for folder in include/adacvar/*/ src/*/ tests/*/ ./*/; do
  name=$(basename "$folder")
  # What a build makes; `include/adacvar/` is in the map; data and helpers of tests; caches.
  case $name in build | include | golden | support | __pycache__ | *.egg-info) continue ;; esac
  # Folders of tests follow those of the sources.
  [[ $folder == tests/* && -d src/$name ]] && continue
  grep -qE "^ *$name/ " <<< "$map" || complain "the map lacks $folder"
done
for script in scripts/*; do
  name=$(basename "$script")
  [[ -d $script ]] || grep -q "$name" <<< "$map" || complain "the map lacks $script"
done

# `src/base/join.hpp`, `src/learner/boosting.*`; not `tests/<stage>/x_test.cpp`.
while read -r path; do
  compgen -G "$path" > /dev/null || complain "there is no $path"
done < <(grep -oE '`(src|include|tests|scripts|cmake|docs|python|examples|experiments|bench)/[^`< ]*`' HACKING.md | tr -d '`' | sort -u)
exit $status
