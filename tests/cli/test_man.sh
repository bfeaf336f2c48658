#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The manual pages: clean, and complete as far as the program knows itself.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
commands="simulate optimize gradcheck probe check render report export diff list schema bench"

# As shown, without the backspaces of bold letters; without mandoc the source has to do.
plain() {
  mandoc -Tascii -O width=200 "$1" | sed "s/.$(printf '\b')//g"
}
if ! command -v mandoc >/dev/null 2>&1; then
  echo "1..0 # SKIP no mandoc"
  exit 0
fi
for page in dcsim.1 dcsim-scene.5; do
  check "$page is clean" mandoc -Tlint -W warning "$DCSIM_SOURCE/man/$page"
  plain "$DCSIM_SOURCE/man/$page" >"$page" 2>/dev/null
  check "$page has lines" [ "$(wc -l <"$page")" -gt 100 ]
done
for command in $commands; do
  run 0 "$command" --help
  check "dcsim.1 describes $command" grep -qE "^ +(dcsim )?$command" dcsim.1
  for option in $(sed -n 's/^  \(-[a-z], \)\{0,1\}\(--[a-z-]*\).*/\2/p' "$out"); do
    check "dcsim.1 describes $option of $command" grep -qE -e "(^|[ ,|[])$option([] =,.]|\$)" dcsim.1
  done
done
for word in checkpoint.h5 DCSIM_DATADIR DCSIM_VECTOR NO_COLOR OMP_NUM_THREADS SIGINT SIGTERM SIGUSR1 130 143 loss.csv run.json \
            progress.jsonl report.html run.glb trajectory.h5 resolved.json scene.json; do
  check "dcsim.1 mentions $word" grep -qF "$word" dcsim.1
done
sed -n '/^{$/,/^}$/p' "$DCSIM_SOURCE/man/dcsim-scene.5" >example.json
run 0 optimize example.json -o none --set optimizer.iterations=3
run 0 simulate example.json -o none --model exact --set time.steps=3
if have_python; then
  run 0 list --json
  python3 - "$out" >names <<'PROGRAM'
import json, sys
def name_options(family, entry, options):
    for option in options:
        print(family, entry, option["name"])
        name_options(family, entry, option.get("options", []))
for family, entries in json.load(open(sys.argv[1])).items():
    for entry in entries:
        print(family, entry["name"], entry["name"])
        name_options(family, entry["name"], entry.get("options", []))
PROGRAM
  check "dcsim list --json names options" [ "$(wc -l <names)" -gt 30 ]
  missing=""
  while read -r family entry name; do
    grep -qE "(^|[^A-Za-z_])$name([^A-Za-z_]|\$)" dcsim-scene.5 || missing="$missing $family/$entry/$name"
  done <names
  check "dcsim-scene.5 names every option of dcsim list (missing:$missing)" [ -z "$missing" ]
else
  skip "dcsim-scene.5 names every option of dcsim list" "no python3"
fi
finish
