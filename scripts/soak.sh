#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What dcsim promises when things are fast, small, killed or short of room, at the size of the claims: 1000 random collisions, 200 scenes of
# bodies thrown at each other, 100 narrow passages (scripts/soak/soak.py), gradients of 600 scenes that bring features together (scripts/soak/gradients.py), 10,000 motions that have closed forms (scripts/soak/physics.py), plans of 600 scenes by all methods (scripts/soak/workflows.py); then scripts/kill-test.sh, scripts/fault-sweep.sh and tests/cli/test_solved.sh
# on every vector width.
# Writes docs/measured/soak.md; exits 1 when a promise was broken.
# Usage: scripts/soak.sh [-n PARTS] [-j JOBS] [-s SEED] [-o FILE] [-w DIR], from any directory; PARTS: one in so many of the cases only (default 1: all);
# JOBS at a time (default 1); SEED of the cases (default 1); FILE instead of docs/measured/soak.md; DIR: keeps what each kind of case has given, so
# that a soak that was interrupted goes on with the next kind.  DCSIM: the program, default build/dcsim.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
parts=1 jobs=1 seed=1 kept='' output=$root/docs/measured/soak.md
while getopts n:j:s:o:w: option; do
  case $option in
  n) parts=$OPTARG ;;
  j) jobs=$OPTARG ;;
  s) seed=$OPTARG ;;
  o) output=$OPTARG ;;
  w) kept=$OPTARG ;;
  *) exit 2 ;;
  esac
done
DCSIM=${DCSIM:-$root/build/dcsim}
SOAK_DCSIM=$DCSIM
export DCSIM SOAK_DCSIM DCSIM_DATADIR="${DCSIM_DATADIR:-$root}"
what="$("$DCSIM" --version | head -n 1), seed $seed, one in $parts of the cases"
if [ -n "$kept" ]; then
  mkdir -p "$kept"
  folder=$(cd "$kept" && pwd)
  [ -e "$folder/what" ] || echo "$what" > "$folder/what"
  [ "$(cat "$folder/what")" = "$what" ] || { echo "soak: $kept is of $(cat "$folder/what")"; exit 2; }
else
  folder=$(mktemp -d "${TMPDIR:-/tmp}/dcsim-soak-XXXXXX")
  trap 'rm -rf "$folder"' EXIT
fi
trap 'exit 130' INT TERM HUP

# measure KIND COUNT: a table of random cases
measure() {
  echo "soak: $2 $1"
  [ -e "$folder/$1.md" ] ||
    "$root/scripts/with-python" h5py,numpy "$root/scripts/soak/soak.py" "--$1" "$2" --seed "$seed" --jobs "$jobs" --markdown "$folder/$1.md" > "$folder/$1.log" 2>&1 || : > "$folder/failed"
  cat "$folder/$1.log"
}
# sweep NAME ARGUMENT...: another script, of which the last line counts
sweep() {
  script=$root/scripts/$1 log=$folder/$1.log
  [ -x "$script" ] || return 0
  shift
  echo "soak: $(basename "$script") $*"
  if [ ! -e "$log" ]; then
    "$script" "$@" > "$log.tmp" 2>&1 || : > "$folder/failed"
    mv "$log.tmp" "$log"
  fi
  tail -n 1 "$log"
  printf '* `scripts/%s%s`: %s\n' "$(basename "$script")" "${*:+ $*}" "$(tail -n 1 "$log")" >> "$folder/sweeps.md"
}
# found KIND TITLE: the table, and what broke a promise
found() {
  printf '\n#### %s\n\n' "$2"
  cat "$folder/$1.md" 2> /dev/null || echo "did not come to its end"
  if grep -qE '^[a-z-]+-[a-z]+-[0-9]+: ' "$folder/$1.log"; then
    printf '\nThe first of those that broke a promise or ended with status 4:\n\n'
    grep -E '^[a-z-]+-[a-z]+-[0-9]+: ' "$folder/$1.log" | head -n 20 | sed 's/^/    /'
  fi
}

: > "$folder/sweeps.md"
measure collisions $((1000 / parts))
measure thrown $((200 / parts))
measure passages $((100 / parts))
echo "soak: gradients of random scenes"
[ -e "$folder/gradients.md" ] ||
  "$root/scripts/with-python" h5py,numpy "$root/scripts/soak/gradients.py" --seeds "$seed-$((seed + 300 / parts - 1))" --rows "$folder/gradients.jsonl" --markdown "$folder/gradients.md" > "$folder/gradients.log" 2>&1 || : > "$folder/failed"
grep '^#' "$folder/gradients.log" || :
echo "soak: motions with closed forms"
[ -e "$folder/physics.md" ] ||
  "$root/scripts/with-python" h5py,numpy "$root/scripts/soak/physics.py" --draws $((10000 / parts)) --seed "$seed" --jobs "$jobs" --markdown "$folder/physics.md" > "$folder/physics.log" 2>&1 || : > "$folder/failed"
grep -E '^#|WRONG|FAILED' "$folder/physics.log" || :
echo "soak: plans of random scenes, interrupted, repeated and replayed"
[ -e "$folder/workflows.md" ] ||
  "$root/scripts/with-python" h5py,numpy "$root/scripts/soak/workflows.py" --seeds "$seed-$((seed + 200 / parts - 1))" --timeout 600 --markdown "$folder/workflows.md" > "$folder/workflows.log" 2>&1 || : > "$folder/failed"
grep '^#' "$folder/workflows.log" || :
sweep kill-test.sh $((30 / parts))
sweep fault-sweep.sh $((3000 / parts))
echo "soak: tasks are solved on every vector width"
[ -e "$folder/solved.log" ] || DCSIM_SOLVE_ALL=1 DCSIM_SOURCE=$root DCSIM_BUILD=$(dirname "$DCSIM") sh "$root/tests/cli/test_solved.sh" > "$folder/solved.log" 2>&1 || : > "$folder/failed"
solved="$(grep -c '^ok' "$folder/solved.log" || :) passed, $(grep -c '^not ok' "$folder/solved.log" || :) failed"  # grep -c 0 fails
echo "$solved"
printf '* `tests/cli/test_solved.sh` on every vector width: %s\n' "$solved" >> "$folder/sweeps.md"
{
  echo "### Promises at the size of the claims"
  echo
  echo "By \`scripts/soak.sh\` on $(date +%Y-%m-%d): $("$DCSIM" --version | head -n 1), seed $seed, $jobs at a time on $(nproc) cores of $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)."
  echo "A case breaks a promise when its path crosses a surface (\`tests/soak/crossing.c\`, which shares no code with dcsim), a step that did not"
  echo "converge ends with status 0, momentum changes by more than 1e-10, energy exceeds that of the start by 1e-9 more than what contact may give"
  echo "in a step (docs/theory.md, \"Energy\"), what should pass is stuck, or a gradient is not what differences say. Energy above the start by more than 1e-9 is counted. Status 4 is an honest failure. Speeds of 2 to 1000 m/s, steps of 0.001 to 0.04 s; \`scripts/soak/cases.py\` makes the scenes."
  found collisions "Collisions"
  found thrown "Bodies thrown at each other"
  found passages "Slots and tubes with 0.1 mm of clearance"
  found gradients "Gradients of random scenes"
  found physics "Motions with closed forms"
  found workflows "Plans, interrupted, repeated and replayed"
  if [ -s "$folder/sweeps.md" ]; then
    printf '\n#### Kills and faults\n\n'
    cat "$folder/sweeps.md"
  fi
} > "$folder/soak.md"
cp "$folder/soak.md" "$output"
echo "soak: wrote $output"
[ ! -e "$folder/failed" ]
