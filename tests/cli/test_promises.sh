#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Verdicts of docs/results.md follow from the stored numbers; a number, a bar, a verdict or a word changed alone is found.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

if ! have_python; then
  skip "verdicts follow from numbers" "no python3"
  finish
fi
promises() { "$interpreter" -I -S "$DCSIM_SOURCE/scripts/paper/promises.py" --check "$@"; }

check "verdicts follow from numbers" promises "$DCSIM_SOURCE"

mkdir -p tree/docs/measured
fresh() {
  cp "$DCSIM_SOURCE/docs/results.md" tree/docs/
  cp "$DCSIM_SOURCE/docs/measured/promises.json" "$DCSIM_SOURCE/docs/measured/front.md" tree/docs/measured/
}
# mutant NAME FILE SED: the change is one, and is found
mutant() {
  fresh
  sed -i "$3" "tree/docs/$2"
  if cmp -s "tree/docs/$2" "$DCSIM_SOURCE/docs/$2"; then
    fail "$1 (nothing changed)"
  elif promises tree >/dev/null; then
    fail "$1"
  else
    pass "$1"
  fi
}
fresh
check "a copy is as good" promises tree
mutant "a verdict that somebody writes" measured/front.md '/products of derivatives/s/\*\*not met\*\*/met/'
mutant "a verdict in the page alone" results.md '/draws of billiards/s/\*\*open\*\*: the interval begins at 78 %/met/'
mutant "a number that judges" measured/promises.json 's/"value": 3.5e-12/"value": 3.5e-13/'
mutant "a count that judges" measured/promises.json 's/"reached": 45/"reached": 49/'
mutant "a lenient bar" measured/promises.json 's/"least_rate": 0.9,*/"least_rate": 0.7/'
mutant "a lenient bound" measured/promises.json 's/"most": 0.02/"most": 0.03/'
mutant "a swapped bound" measured/promises.json 's/"least": 1.7/"most": 1.7/'
mutant "words that moved on without the number" measured/promises.json 's/45 of 50 of a seed/46 of 50 of a seed/'
mutant "judges that are gone" measured/promises.json 's/"judged"/"judge"/'
mutant "a row that is gone" measured/front.md '/narrow passages/d'
finish
