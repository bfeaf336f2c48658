#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sweeps over ranks of MPI leave the table of one process, whatever their number and whoever is killed.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
. "$DCSIM_SOURCE/tests/cli/mpi.sh"
. "$DCSIM_SOURCE/tests/cli/ball_scene.sh"
cat >study.json <<'STUDY'
{ "scene": "ball.json", "keep": "failures",
  "vary": { "bodies.ball.position[2]": [1, 0.9, 0.01, 1.1], "bodies.ball.mass": { "uniform": [0.1, 0.2] }, "seed": { "count": 6 } } }
STUDY
run 0 sweep study.json -o straight --quiet
sed 's/,[^,]*$//' straight/sweep.csv >expected
same() { # DIRECTORY WHAT
  sed 's/,[^,]*$//' "$1/sweep.csv" >found
  check "$2: the same table" cmp expected found
  sed -n 's/.*"point": \([0-9]*\),.*/\1/p' "$1"/journal.jsonl | sort | uniq -d >doubled
  check "$2: no point twice" [ ! -s doubled ]
}
for number in 1 2 8; do
  ranks 0 $number sweep study.json -o "ranks$number" --quiet
  same "ranks$number" "$number ranks"
done

# killed: a rank, rank 0, all of them
killed() { # WHICH SIGNAL
  mpirun -n 3 "$dcsim" sweep study.json -o "killed-$1" --quiet >"$out" 2>"$err" &
  pid=$!
  tries=0
  until [ "$(grep -c '"point"' "killed-$1/journal.jsonl" 2>/dev/null)" -gt 3 ] 2>/dev/null || [ $tries -gt 30000 ]; do
    sleep 0.01
    tries=$((tries + 1))
  done
  kill_ranks "$1" "$2" sweep
  wait "$pid" 2>/dev/null
  echo "# after kill $1: $(grep -c '"point"' "killed-$1/journal.jsonl") of 24 points"
  ranks 0 2 sweep study.json -o "killed-$1" --quiet
  same "killed-$1" "killed: $1"
}
killed 2 KILL
killed 0 KILL
killed all KILL

# the limit of a queue
cat >slow.json <<'STUDY'
{ "scene": "ball.json", "set": { "time.steps": 20000, "optimizer.iterations": 40000, "objective[0].target": [90000, 0, 1] },
  "vary": { "bodies.ball.mass": [0.1, 0.2, 0.3] } }
STUDY
for limit in 4 40 400; do # however long it takes here until runs have begun
  ranks 9 2 sweep slow.json -o slow --max-time $limit --quiet
  [ ! -s slow/points/000000/checkpoint.bin ] || [ ! -s slow/points/000001/checkpoint.bin ] || break
done
check "checkpoints of all ranks" [ -s slow/points/000000/checkpoint.bin -a -s slow/points/000001/checkpoint.bin ]

# what goes wrong is said once, by rank 0
printf '{"scene":"ball.json","vary":{"bodies.ball.mass":[0.1,-1]}}' >bad.json
ranks 3 3 sweep bad.json -o bad
check "said once" [ "$(grep -c 'point 1 (bodies.ball.mass=-1)' "$err")" -eq 1 ]
check "nothing is created" [ ! -e bad ]
cat >two <<SCRIPT
#!/bin/sh
[ "\$OMPI_COMM_WORLD_RANK" = 1 ] && exec "$dcsim" sweep other.json -o unequal --quiet
exec "$dcsim" sweep study.json -o unequal --quiet
SCRIPT
sed 's/0.2\]/0.3]/' study.json >other.json
status=0
timeout 2400 mpirun -n 2 sh two >"$out" 2>"$err" || status=$?
check "ranks with unequal studies: status 2 (is $status)" [ "$status" -eq 2 ]
says "rank 1 runs another version or reads another study"
mkdir alone
cp "$dcsim" alone/dcsim
if [ ! -e "$(sed -n "s/^pkglibdir = //p" "$DCSIM_BUILD/Makefile" | head -n 1)/dcsim-mpi.so" ]; then
  status=0
  timeout 1200 mpirun -n 1 alone/dcsim sweep study.json -o alone/out >"$out" 2>"$err" || status=$?
  check "without the module: status 2 (is $status)" [ "$status" -eq 2 ]
  says "dcsim-mpi.so is not there"
fi
finish
