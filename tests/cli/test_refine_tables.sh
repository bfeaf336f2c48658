#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The scripts of paper 002's tables and figures, with a few tasks: what they write, and their verdicts.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
if ! have_python; then
  skip "scripts/paper/refine-*" "no python3"
  finish
fi
if [ "$(sample 1 0)" = 0 ]; then
  skip "scripts/paper/refine-*" "a sample"
  finish
fi
papers=$DCSIM_SOURCE/scripts/paper
for name in all table-01 table-02 table-03 table-04 figure-09 figure-11; do
  check "refine-$name is a shell script" sh -n "$papers/refine-$name"
  check "refine-$name is distributed" grep -qw "scripts/paper/refine-$name" "$DCSIM_SOURCE/scripts/Makefile.inc"
done

within 300 "$papers/refine-table-01" --dcsim "$dcsim" --quick --tasks 20 -o out >table 2>log
status=$?
check "refine-table-01 ends" [ $status -le 1 ]
page=out/refine-table-01-quick.md
check "it prints what it writes" cmp table $page
check "its status says whether all bars hold" [ $status -eq "$(grep -c '^- \*\*does not hold\*\*' $page | sed 's/[1-9][0-9]*/1/')" ]
check "six bars" [ "$(grep -c '^- \(holds\|\*\*does not hold\*\*\): ' $page)" -eq 6 ]
# the first 20 convex tasks: all are solved but one whose last steps go astray
check "descent has its bar" grep -Eq '^- (holds: descent solves 100.0|\*\*does not hold\*\*: descent solves 9[05].0) % of 20 convex tasks' $page
check "Levenberg-Marquardt holds its bar" grep -q '^- holds: Levenberg-Marquardt solves 100.0 % of 20 convex tasks' $page
check "the ranking holds" grep -q '^- holds: ranking on convex objects' $page
check "the paper's figures stand beside" grep -q '^| Ours | 20 | [0-9.]* | .* | 91.1, 89.4 | 4.3e-9, 5.4e-9 | 5.6e-7, 1.2e-6 |$' $page
check "of what begins anew no last value is told" grep -q '^| Levenberg-Marquardt, opposed | 20 | – | – | – | 100.0 |' $page
check "a row for every method and kind" [ "$(grep -c '^| \(Ours\|Analytical\|RS-\|Finite\|Levenberg\)' $page)" -eq 24 ]
parses out/refine-table-01-quick.json "the record"
check "the record holds all runs" python3 -c '
import json
record = json.load(open("out/refine-table-01-quick.json"))
assert len(record["runs"]) == 24 and len(record["bars"]) == 6, (len(record["runs"]), len(record["bars"]))
assert all(run["result"]["best"]["median"] <= run["result"]["last"]["median"] for run in record["runs"] if run["result"]["last"])
'
within 60 "$papers/refine-table-01" --dcsim false --quick --tasks 20 -o twice --reuse out/refine-table-01-quick.json >again 2>>log
check "runs that are kept are not made anew" cmp again table
within 120 "$papers/refine-table-04" --dcsim "$dcsim" --quick --tasks 2 -o out >table 2>log
check "refine-table-04" [ $? -eq 0 ]
check "parts of six derivatives" [ "$(grep -cE '^\| Di(st|r), (neighbor|fixed|adaptive) \| [0-9.]+ \| [0-9.]+ \|' table)" -eq 6 ]
check "the sources are left alone" [ ! -e "$papers/__pycache__" ]
finish
