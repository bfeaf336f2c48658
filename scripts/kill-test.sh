#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ends N optimizations at random moments, resumes each with other numbers of threads, and compares what they leave with an uninterrupted run:
# loss.csv and trajectory.h5 byte for byte, progress.jsonl but for times.  The last line is "N of N resumed runs identical ..."; exits 1 when
# one is not.  A moment at which the run had ended already is drawn again.
# Usage: scripts/kill-test.sh [-s SIGNAL] [-k KILLS] [-r SEED] [N [SCENE [OPTION ...]]], from any directory; KILL, 1 kill for each run, seed 1,
# 30 runs of scenes/billiards.json with 40 iterations and a checkpoint after every one.  DCSIM: the program, default build/dcsim.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
dcsim=${DCSIM:-$root/build/dcsim}
export DCSIM_DATADIR="${DCSIM_DATADIR:-$root}"
signal=KILL kills=1 seed=1
while getopts s:k:r: option; do
  case $option in
  s) signal=$OPTARG ;;
  k) kills=$OPTARG ;;
  r) seed=$OPTARG ;;
  *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
count=${1:-30}
scene=$root/scenes/billiards.json
[ $# -lt 1 ] || shift
if [ $# -gt 0 ]; then
  scene=$1
  shift
else
  set -- --set optimizer.iterations=40 --checkpoint 0
fi
folder=$(mktemp -d "${TMPDIR:-/tmp}/dcsim-kill-XXXXXX")
pid=
trap '[ -z "$pid" ] || kill -KILL $pid 2> /dev/null; rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM HUP

milliseconds() { echo $(($(date +%s%N) / 1000000)); }
without_times() { sed 's/"seconds": [^,]*,//' "$1"; }
identical() {
  cmp "$folder/straight/loss.csv" "$1/loss.csv" && cmp "$folder/straight/trajectory.h5" "$1/trajectory.h5" || return 1
  without_times "$folder/straight/progress.jsonl" > "$folder/expected"
  without_times "$1/progress.jsonl" > "$folder/found"
  cmp "$folder/expected" "$folder/found"
}
# Starts the run, or goes on with it; before it had a scene there is nothing to go on with.
start() {
  if [ -e "$run/resolved.json" ]; then
    "$dcsim" optimize --resume "$run" --checkpoint 0 --quiet --threads "$1" > "$folder/out" 2>&1 &
  else
    (shift; exec "$dcsim" optimize "$scene" "$@") > "$folder/out" 2>&1 &
  fi
  pid=$!
}

begin=$(milliseconds)
"$dcsim" optimize "$scene" -o "$folder/straight" --quiet --threads 2 "$@" > /dev/null
duration=$(($(milliseconds) - begin))
echo "uninterrupted: $(($(wc -l < "$folder/straight/loss.csv") - 1)) rows in $duration ms"
same=0 done=0 killed=0 early=0 draws=0
while [ "$done" -lt "$count" ]; do
  run=$folder/run$done
  hits=0 history=
  for _ in $(seq "$kills"); do
    draws=$((draws + 1))
    moment=$(awk -v seed="$seed" -v draw="$draws" -v most="$duration" \
      'BEGIN { srand(seed * 100003 + draw); rand(); printf "%.3f", rand() * most / 1000 }')
    start $((1 + draws % 3)) -o "$run" --quiet --threads $((1 + (draws + 1) % 3)) "$@"
    sleep "$moment"
    kill -s "$signal" "$pid" 2> /dev/null || true
    status=0
    wait "$pid" 2> /dev/null || status=$?
    pid=
    [ "$status" -gt 128 ] || break
    hits=$((hits + 1))
    rows=none
    [ ! -s "$run/loss.csv" ] || rows=$(($(wc -l < "$run/loss.csv") - 1))
    [ -e "$run/checkpoint.bin" ] || early=$((early + 1))
    history="$history ${moment}s($rows)"
  done
  if [ "$hits" = 0 ]; then
    rm -rf "$run"
    continue
  fi
  killed=$((killed + hits))
  threads=$((1 + draws % 3))
  start $threads -o "$run" --quiet --threads $threads "$@"
  status=0
  wait "$pid" || status=$?
  pid=
  verdict=identical
  if [ "$status" != 0 ] || ! identical "$run"; then
    verdict="DIFFERENT (exit status $status: $(tail -n 3 "$folder/out"))"
  else
    same=$((same + 1))
  fi
  echo "run $done: $signal after (rows)$history, then $threads threads: $verdict"
  done=$((done + 1))
  rm -rf "$run"
done
echo "$same of $count resumed runs identical ($killed times SIG$signal, $early of them before the first checkpoint; seed $seed)"
[ "$same" = "$count" ]
