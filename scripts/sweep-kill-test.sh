#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ends sweeps N times at random moments by kill -9 and goes on with them; then compares the table, times apart, with that of a sweep that
# went through, and looks for points that a journal has twice.  Exits 1 when one differs.
# Usage: scripts/sweep-kill-test.sh [-s SIGNAL] [-r SEED] [-k KILLS] [N], KILLS (3) for each sweep, N (30) in all, from any directory.
# DCSIM: the program, default build/dcsim.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
dcsim=${DCSIM:-$root/build/dcsim}
export DCSIM_DATADIR="${DCSIM_DATADIR:-$root}"
signal=KILL seed=1 each=3
while getopts s:r:k: option; do
  case $option in
  s) signal=$OPTARG ;;
  r) seed=$OPTARG ;;
  k) each=$OPTARG ;;
  *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
wanted=${1:-30}
folder=$(mktemp -d "${TMPDIR:-/tmp}/dcsim-sweep-XXXXXX")
pid=
trap '[ -z "$pid" ] || kill -KILL $pid 2> /dev/null; rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM HUP
cat > "$folder/study.json" << STUDY
{ "scene": "$root/scenes/billiards.json", "set": { "optimizer.iterations": 3, "time.steps": 20 },
  "vary": { "bodies.cue.position[0]": { "uniform": [-1.1, -0.9] }, "seed": { "count": 6 } } }
STUDY
milliseconds() { echo $(($(date +%s%N) / 1000000)); }
without_times() { sed 's/,[^,]*$//' "$1/sweep.csv"; }
begin=$(milliseconds)
"$dcsim" sweep "$folder/study.json" -o "$folder/straight" --quiet > /dev/null
duration=$(($(milliseconds) - begin))
without_times "$folder/straight" > "$folder/expected"
echo "uninterrupted: $(($(wc -l < "$folder/expected") - 1)) points in $duration ms"
killed=0 sweeps=0 same=0 draws=0
while [ "$killed" -lt "$wanted" ]; do
  run=$folder/run$sweeps
  for _ in $(seq "$each"); do
    draws=$((draws + 1))
    moment=$(awk -v seed="$seed" -v draw="$draws" -v most="$duration" \
      'BEGIN { srand(seed * 100003 + draw); rand(); printf "%.3f", rand() * most / 1000 }')
    "$dcsim" sweep "$folder/study.json" -o "$run" --quiet > /dev/null 2>&1 &
    pid=$!
    sleep "$moment"
    kill -s "$signal" "$pid" 2> /dev/null || true
    status=0
    wait "$pid" 2> /dev/null || status=$?
    pid=
    [ "$status" -le 128 ] || killed=$((killed + 1))
  done
  "$dcsim" sweep "$folder/study.json" -o "$run" --quiet > /dev/null
  without_times "$run" > "$folder/found"
  doubled=$(sed -n 's/.*"point": \([0-9]*\),.*/\1/p' "$run/journal.jsonl" | sort | uniq -d)
  sweeps=$((sweeps + 1))
  if cmp "$folder/expected" "$folder/found" && [ -z "$doubled" ]; then same=$((same + 1)); fi
  rm -rf "$run"
done
echo "$same of $sweeps sweeps identical after $killed times SIG$signal (seed $seed)"
[ "$same" = "$sweeps" ]
