#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One optimization over ranks of MPI has the losses of one process, whatever computes them, and goes on after kills.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
. "$DCSIM_SOURCE/tests/cli/mpi.sh"
cat >ball.json <<'SCENE'
{
  "name": "ball", "time": { "step": 0.02, "steps": 20 },
  "shapes": { "ball": { "type": "sphere", "radius": 0.1 }, "ground": { "type": "plane" } },
  "bodies": [{ "name": "ball", "shape": "ball", "mass": 0.1, "position": [0, 0, 0.3] },
             { "name": "ground", "shape": "ground", "joint": "fixed" }],
  "control": [{ "type": "initial_state", "body": "ball", "velocity": "xyz" }],
  "objective": [{ "type": "reach", "body": "ball", "target": [1, 0, 1] }],
  "optimizer": { "type": "adam", "iterations": 3 }
}
SCENE
sed 's/"control": .*/"control": [{ "type": "pd_velocity", "body": "ball" }],/; s/"mass": 0.1,/"mass": 0.1, "pd": { "kp": 9, "kd": 1 },/' ball.json >held.json
same() { # DIRECTORY DIRECTORY WHAT
  check "$3: the same losses" cmp "$1/loss.csv" "$2/loss.csv"
  for name in rollouts iterations; do
    grep "\"$name\"" "$1/run.json"
  done >expected
  for name in rollouts iterations; do
    grep "\"$name\"" "$2/run.json"
  done >found
  check "$3: the same work" cmp expected found
}
case=0
over() { # WHAT SCENE ARGUMENT...
  what=$1 scene=$2
  shift 2
  case=$((case + 1))
  run 0 optimize "$scene" "$@" -o "alone-$case" --threads 1 --quiet --no-report
  ranks 0 2 optimize "$scene" "$@" -o "two-$case" --quiet --no-report
  same "alone-$case" "two-$case" "$what, 2 ranks"
  ranks 0 3 optimize "$scene" "$@" -o "three-$case" --threads 2 --quiet --no-report
  same "alone-$case" "three-$case" "$what, 3 ranks with 2 threads"
}
over differences ball.json --gradient fd
over "a bundle of adjoints" ball.json --gradient bundle --set gradient.samples=70
over "a bundle of differences" ball.json --gradient bundle --set gradient.order=0
over samples ball.json --set optimizer.type=cem
over "a fan" ball.json --set optimizer.type=gauss_newton
over "draws of a first guess" ball.json --set init.type=sample --set init.threshold=1e5 --set init.draws=20
over "a search in stages" ball.json --set portfolio.rollouts=150 --set continuation.stages=1 --set continuation.step=2 --set continuation.stiffness=0.1
over "members that are dealt out" ball.json --set portfolio.rollouts=220 --set portfolio.draws=16 --set portfolio.candidates=5 --set objective.0.tolerance=0
over "members with bundles" ball.json --set portfolio.rollouts=220 --gradient bundle --set gradient.samples=4 --set optimizer.type=adam --set objective.0.tolerance=0
over "a receding horizon" held.json --set horizon.length=6 --set horizon.iterations=2 --set horizon.explore=1 --set optimizer.type=mppi

cat >long.json <<'SCENE'
{
  "name": "long", "time": { "step": 0.01, "steps": 100 },
  "shapes": { "ball": { "type": "sphere", "radius": 0.1 }, "ground": { "type": "plane" } },
  "bodies": [{ "name": "ball", "shape": "ball", "mass": 0.1, "position": [0, 0, 0.3] },
             { "name": "ground", "shape": "ground", "joint": "fixed" }],
  "control": [{ "type": "initial_state", "body": "ball", "velocity": "xyz" }],
  "objective": [{ "type": "reach", "body": "ball", "target": [9, 0, 1] }],
  "optimizer": { "type": "cem", "iterations": 40 }
}
SCENE
run 0 optimize long.json -o straight --quiet --no-report
rows() { cat "$1/loss.csv" 2>/dev/null | wc -l; }
begin() { # DIRECTORY ARGUMENT...: in the background, until there are some rows
  mpirun -n 3 "$dcsim" optimize long.json -o "$@" --checkpoint 0 --quiet --no-report >"$out" 2>"$err" &
  pid=$!
  tries=0
  until [ "$(rows "$1")" -gt 5 ] || [ $tries -gt 30000 ]; do
    sleep 0.01
    tries=$((tries + 1))
  done
}
# a rank that does not answer holds the others up: it has its share of the work
begin stopped
kill_ranks 2 STOP optimize
sleep 0.2
before=$(rows stopped)
sleep 1
check "no iteration without rank 2" [ "$(rows stopped)" -le $((before + 1)) ]
check "which is not the end" kill -0 "$pid"
kill_ranks 2 CONT optimize
status=0
wait "$pid" || status=$?
check "and goes on with it (status $status)" [ "$status" -eq 0 ]
same straight stopped "a rank that was stopped"
killed() { # WHICH STRAIGHT ARGUMENT...
  which=$1 straight=$2
  shift 2
  begin "killed-$straight-$which" "$@"
  kill_ranks "$which" KILL optimize
  status=0
  wait "$pid" 2>/dev/null || status=$?
  check "$straight, killed: $which: mpirun says so (status $status)" [ "$status" -ne 0 ]
  echo "# after kill $which: $(rows "killed-$straight-$which") rows"
  ranks 0 2 optimize --resume "killed-$straight-$which" --quiet --no-report
  same "$straight" "killed-$straight-$which" "$straight, killed: $which"
}
killed 1 straight
killed 0 straight
killed all straight

# a search, whose members are on the ranks
search='--set portfolio.rollouts=3000 --set portfolio.draws=16 --set portfolio.candidates=4 --set portfolio.iterations=200'
# shellcheck disable=SC2086
run 0 optimize long.json -o search --quiet --no-report $search
for which in 1 all; do
  # shellcheck disable=SC2086
  killed $which search $search
done

# what goes wrong is said once, by rank 0
ranks 3 3 optimize nothing.json --quiet
check "said once" [ "$(grep -c 'nothing.json' "$err")" -eq 1 ]
cat >two <<SCRIPT
#!/bin/sh
[ "\$OMPI_COMM_WORLD_RANK" = 1 ] && exec "$dcsim" optimize \$1 -o unequal --quiet
exec "$dcsim" optimize ball.json -o unequal --quiet
SCRIPT
sed 's/0.1, "position"/0.2, "position"/' ball.json >other.json
status=0
timeout 2400 mpirun -n 2 sh two other.json >"$out" 2>"$err" || status=$?
check "another scene on a rank: status 2 (is $status)" [ "$status" -eq 2 ]
says "rank 1 has another version, scene or machine"
status=0
timeout 2400 mpirun -n 2 sh two missing.json >"$out" 2>"$err" || status=$?
check "a rank without the scene: status 3 (is $status)" [ "$status" -eq 3 ]
says "rank 1 could not begin"
check "nothing is created" [ ! -e unequal ]
finish
