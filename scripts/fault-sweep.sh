#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Lets one request for memory fail in each of N runs (the k-th of a run, drawn evenly over all), or one read() or open() with -k, and looks at
# what is left: the run ends with status 6 (5) and a message, or as if nothing had been; an optimization is resumed and leaves the bytes of an
# undisturbed one, or has written nothing; files that are there are whole.  The last line is "N points: A status 6, B ok, C other, D signals";
# exits 1 when one is not as it should be, and 77 where calls cannot be made to fail (another C library than glibc, sanitizers).
# Usage: scripts/fault-sweep.sh [-k malloc|read|open] [-a] [-r SEED] [-p] [N], from any directory; 3000 points, seed 1.  -a: all calls from the
# k-th on fail.  -p: writes docs/measured/faults.md, a row for each kind of run.  DCSIM: the program, default build/dcsim.  CC: a C compiler.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
dcsim=${DCSIM:-$root/build/dcsim}
export DCSIM_DATADIR="${DCSIM_DATADIR:-$root}" OMP_NUM_THREADS=1
kind=malloc behind='' seed=1 page=
while getopts k:ar:p option; do
  case $option in
  k) kind=$OPTARG ;;
  a) behind=- ;;
  r) seed=$OPTARG ;;
  p) page=$root/docs/measured/faults.md ;;
  *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
count=${1:-3000}
case $kind in
malloc) variable=DCSIM_FAIL_MALLOC column=1 due=6 ;;
read) variable=DCSIM_FAIL_READ column=2 due=5 ;;
open) variable=DCSIM_FAIL_OPEN column=3 due=5 ;;
*) exit 2 ;;
esac
# A run syncs some twenty files, which costs nothing in memory.
[ -n "${TMPDIR:-}" ] || [ ! -w /dev/shm ] || TMPDIR=/dev/shm
folder=$(mktemp -d "${TMPDIR:-/tmp}/dcsim-faults-XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM HUP
cd "$folder"
cannot() { cat compiler err 2>/dev/null; exit 77; }
${CC:-cc} -shared -fPIC -o fail.so "$root/tests/faults/fail.c" -ldl 2>compiler || cannot

# What is swept.  The run directory is called "run"; before(): what is there at the beginning.
billiards="$root/scenes/billiards.json --set time.steps=10"
optimization="--set optimizer.iterations=3 --checkpoint 0 --no-report"
push="$root/scenes/push.json --set time.steps=3 --set horizon.length=4 --set horizon.iterations=2 --checkpoint 0 --no-report"
names="simulate optimize windows mesh resume export glb report"
arguments() {
  case $1 in
  simulate) echo "simulate $billiards -o run --quiet --no-report" ;;
  optimize) echo "optimize $billiards $optimization -o run --quiet" ;;
  windows) echo "optimize $push -o run --quiet" ;;
  mesh) echo "optimize scene.json -o run --quiet --no-report" ;;
  resume) echo "optimize --resume run --checkpoint 0 --quiet --no-report" ;;
  export) echo "export run --format npz" ;;
  glb) echo "export run --format glb" ;;
  report) echo "report run" ;;
  esac
}
before() {
  rm -rf run
  case $1 in
  resume) cp -r stopped run ;;
  export | glb | report) cp -r finished run ;;
  esac
}
cat >scene.json <<'SCENE'
{
  "name": "ball", "time": { "step": 0.02, "steps": 3 },
  "shapes": { "ball": { "type": "mesh", "file": "ball.obj" } },
  "bodies": [{ "name": "ball", "shape": "ball", "mass": 0.1, "position": [0, 0, 1] }],
  "control": [{ "type": "initial_state", "body": "ball", "velocity": "xy" }],
  "objective": [{ "type": "reach", "body": "ball", "target": [1, 0, 1] }],
  "optimizer": { "type": "adam", "iterations": 2 }
}
SCENE
printf 'v .1 .1 .1\nv .1 -.1 -.1\nv -.1 .1 -.1\nv -.1 -.1 .1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n' >ball.obj
# Words of the arguments are options and files without blanks.
# shellcheck disable=SC2046,SC2086
program() { name=$1; shift; env "$@" "$dcsim" $(arguments "$name") >out 2>err; }
# shellcheck disable=SC2086
"$dcsim" optimize "$root/scenes/billiards.json" --set time.steps=10 $optimization -o finished --quiet >out
# A run that is stopped after its second row: the first checkpoint with rows, and what was written after it.
# shellcheck disable=SC2086
"$dcsim" optimize "$root/scenes/billiards.json" --set time.steps=10 $optimization --max-time 0.0001 -o stopped --quiet >out

# Files that are those of an undisturbed run, or what was there before, whenever they are there.
whole="scene.json resolved.json trajectory.h5 meshes/ball.obj export/trajectory.npz"
# complain WHAT: the point is not as it should be
complain() {
  wrong=$((wrong + 1))
  echo "$name, $kind $point$behind: $1 (status $status: $(tail -n 1 err))"
}
same_rows() { cmp -s "$1/loss.csv" "$2/loss.csv"; }
look_at_files() {
  for file in $whole; do
    [ -e "run/$file" ] || continue
    as_before=no
    if [ "$name" = resume ] && [ "$status" != 0 ] && cmp -s "run/$file" "stopped/$file"; then as_before=yes; fi
    [ $as_before = yes ] || cmp -s "run/$file" "straight-$name/$file" || complain "run/$file is another one"
  done
  if [ "$status" = 0 ]; then
    same_rows run "straight-$name" || complain "other rows"
    [ -e run/trajectory.h5 ] || complain "no trajectory"
    [ "$name" != export ] || [ -e run/export/trajectory.npz ] || complain "no table"
    return
  fi
  [ -s err ] || complain "no message"
  case $name in
  optimize | windows | mesh | resume)
    [ -e run/resolved.json ] || return 0
    cp err kept
    "$dcsim" optimize --resume run --checkpoint 0 --quiet --no-report >out 2>err || complain "cannot be resumed"
    if ! same_rows run "straight-$name" || ! cmp -s run/trajectory.h5 "straight-$name/trajectory.h5"; then
      complain "resumed, it is another run"
    fi
    cp kept err
    ;;
  esac
}

# A row of the table: what has come of one kind of run since begin_row.
begin_row() { row_points=$points row_failed=$failed row_ok=$ok row_other=$other row_signals=$signals row_wrong=$wrong; }
end_row() { # NAME CALLS
  echo "| $1 | $2 | $((points - row_points)) | $((failed - row_failed)) | $((ok - row_ok)) | $((other - row_other)) |" \
    "$((signals - row_signals)) | $((wrong - row_wrong)) |" >>rows
}
write_page() {
  echo "### Faults"
  echo
  echo "By \`scripts/fault-sweep.sh -k $kind${behind:+ -a} -r $seed -p $count\` on $(date +%Y-%m-%d), $("$dcsim" --version | head -n 1): one $kind of a run fails${behind:+, and all after it}, drawn evenly over all."
  echo "Ended well: with the bytes of an undisturbed run. Broken: status, message, whole files or the resumed run were not as the script asks."
  echo
  echo "| run | calls of $kind | points | status $due | ended well | other status | signals | broken |"
  echo "| --- | --- | --- | --- | --- | --- | --- | --- |"
  cat rows
}

points=0 failed=0 ok=0 other=0 signals=0 wrong=0
parts=$(echo "$names" | wc -w)
for name in $names; do
  before "$name"
  rm -f calls
  program "$name" LD_PRELOAD="$folder/fail.so" DCSIM_FAIL_COUNT="$folder/calls" || cannot
  calls=$(cut -d ' ' -f $column calls)
  [ "${calls:-0}" -gt 0 ] || cannot
  mv run "straight-$name"
  begin_row
  # an even share of the points, no more than there are calls; with few calls every one
  share=$(((count + parts - 1) / parts))
  [ "$share" -le $((count - points)) ] || share=$((count - points))
  if [ "$share" -gt "$calls" ]; then share=$calls; fi
  for point in $(awk -v seed="$seed" -v calls="$calls" -v share="$share" \
    'BEGIN { srand(seed); rand(); for (i = 0; i < share; i++) print 1 + int((i + rand()) * calls / share) }'); do
    before "$name"
    status=0
    program "$name" LD_PRELOAD="$folder/fail.so" $variable="$point$behind" || status=$?
    points=$((points + 1))
    case $status in
    0) ok=$((ok + 1)) ;;
    "$due") failed=$((failed + 1)) ;;
    *)
      if [ "$status" -gt 128 ] && [ "$status" -lt 200 ]; then signals=$((signals + 1)); else other=$((other + 1)); fi
      complain "unexpected"
      ;;
    esac
    look_at_files
  done
  end_row "$name" "$calls"
done
row_points=0 row_failed=0 row_ok=0 row_other=0 row_signals=0 row_wrong=0
end_row all ""
[ -z "$page" ] || write_page >"$page"
echo "$points points: $failed status $due, $ok ok, $other other, $signals signals"
[ "$wrong" = 0 ]
