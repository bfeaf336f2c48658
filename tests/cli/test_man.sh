#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The manual pages: clean, and complete as far as the program knows itself.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

# As shown, without the backspaces of bold letters; without mandoc the source has to do.
plain() {
  mandoc -Tascii -O width=200 "$1" | sed "s/.$(printf '\b')//g"
}
if ! command -v mandoc >/dev/null 2>&1; then
  echo "1..0 # SKIP no mandoc"
  exit 0
fi
pages=$DCSIM_BUILD/man  # those of commands, made by the build
for page in "$DCSIM_SOURCE/man/dcsim.1" "$DCSIM_SOURCE/man/dcsim-scene.5" "$pages"/dcsim-*.1; do
  name=$(basename "$page")
  check "$name is clean" mandoc -Tlint -W warning "$page"
  plain "$page" >"$name" 2>/dev/null
  check "$name has lines" [ "$(wc -l <"$name")" -gt 20 ]
done

# Options that begin an entry, with one or two dashes, as --help and as a page shows them.
names() { sed 's/   *.*//' | grep -oE -e '(^|[ ,])--?[a-z-]+' | tr -d ' ,' | LC_ALL=C sort -u; }
of_help() { sed -n 's/^  \(-.*\)/\1/p' "$1" | names; }
of_page() { awk '/^[A-Z]/ { inside = /^OPTIONS/ } inside && sub(/^     -/, "-")' "$1" | names; }
commands=$("$dcsim" --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
for command in $commands; do
  check "dcsim.1 names dcsim-$command(1)" grep -qF "dcsim-$command(1)" dcsim.1
  check "$command has a page" [ -s "dcsim-$command.1" ]
  [ -s "dcsim-$command.1" ] || continue
  run 0 "$command" --help
  of_help "$out" >of_help
  of_page "dcsim-$command.1" >of_page
  check "$command: the page has the options of the program, and no others" diff of_help of_page
  check "$command has options" [ -s of_help ]
done
for page in dcsim-*.1; do
  command=${page#dcsim-}
  command=${command%.1}
  if ! "$dcsim" "$command" --help >/dev/null 2>&1; then
    skip "$page is of a command" "no command $command in this version"
  fi
done
for word in checkpoint.bin DCSIM_DATADIR DCSIM_VECTOR NO_COLOR OMP_NUM_THREADS SIGINT SIGTERM SIGUSR1 130 143 loss.csv run.json \
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
    page=dcsim-scene.5
    if [ "$family" = sections ] && [ "$entry" != "$name" ]; then  # in the part about that section, not in its prose
      page=part
      awk -v begin=".Ss $entry" '/^\.S[sh] / { inside = $0 == begin } inside && / ?Cm /' "$DCSIM_SOURCE/man/dcsim-scene.5" >part
      [ -s part ] || page=dcsim-scene.5
    fi
    grep -qE "(^|[^A-Za-z_])$name([^A-Za-z_]|\$)" "$page" || missing="$missing $family/$entry/$name"
  done <names
  check "dcsim-scene.5 names every option of dcsim list (missing:$missing)" [ -z "$missing" ]
else
  skip "dcsim-scene.5 names every option of dcsim list" "no python3"
fi
finish
