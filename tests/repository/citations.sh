#!/usr/bin/env bash
# From the root: every paper cited as [KEY00 ...] in the code is in docs/papers.md.
set -euo pipefail
status=0
for key in $(grep -rhoE '\[[A-Z]+[0-9]{2}[],;]' include src bench examples docs | tr -d '[],;' | sort -u); do
  grep -qE "^\| $key \|" docs/papers.md || { echo "[$key] is not in docs/papers.md"; status=1; }
done
exit $status
