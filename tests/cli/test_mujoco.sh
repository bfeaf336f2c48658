#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The contact model mujoco from the outside: tasks run, what it cannot do is refused, and so is the model in builds
# without it.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

# Every build reads the section and the overlay.
cat >scene.json <<'SCENE'
{"time": {"step": 0.01, "steps": 20}, "mujoco": {"substeps": 4, "cone": "elliptic"},
 "shapes": {"ball": {"type": "sphere", "radius": 0.1}, "ground": {"type": "plane"}},
 "bodies": [{"name": "ball", "shape": "ball", "position": [0, 0, 0.11]}, {"name": "ground", "joint": "fixed", "shape": "ground"}],
 "control": [{"type": "initial_state", "body": "ball", "velocity": "xy"}],
 "objective": [{"type": "reach", "body": "ball", "target": [1, 0, 0.1]}],
 "models": {"mujoco": {"mujoco": {"substeps": 2}, "time": {"steps": 7}}}}
SCENE
run 0 simulate scene.json -o none --json
check "the overlay belongs to the model only" grep -q '"steps": 20' "$out"
run 3 check scene.json --set mujoco.substeps=0
check "settings are checked" grep -q 'mujoco.substeps: must be' "$err"
run 3 check scene.json --set mujoco.cone=round
check "choices are checked" grep -q 'mujoco.cone' "$err"

run 0 list models
if ! grep -q '^  mujoco:' "$out"; then
  run 3 simulate scene.json -o none --model mujoco
  check "--model says what is missing" grep -q 'is not in this build of dcsim (configure --with-mujoco)' "$err"
  run 3 simulate scene.json -o none --set contact.model=mujoco
  check "a scene's model says what is missing" grep -q 'contact.model: .*is not in this build of dcsim' "$err"
  skip "tasks run" "built without MuJoCo"
  finish
fi

run 0 simulate scene.json -o run --model mujoco --json
check "the overlay applies" grep -q '"steps": 7' "$out"
check "the run says so" grep -q '"MuJoCo": "2\.' run/run.json
check "settings are resolved" grep -q '"substeps": 2' run/resolved.json
run 0 simulate run/resolved.json -o again --json
check "the resolved scene is the same scene" cmp run/loss.csv again/loss.csv
for task in push billiards gather ant_push; do
  run 0 simulate "$DCSIM_SOURCE/scenes/$task.json" -o none --model mujoco --json
  check "$task: every step converged" grep -q '"unconverged_steps": 0' "$out"
done
# sampling needs no gradients: the rod meets the box in MuJoCo, with the same bits on any number of threads
for threads in 1 2; do
  run 0 optimize "$DCSIM_SOURCE/scenes/push.json" -o "threads$threads" --model mujoco --no-report --quiet \
    --threads $threads --set mujoco.substeps=4 --set time.steps=60 --set horizon.apply=4 --set horizon.iterations=1 \
    --set 'optimizer={"type":"mppi","samples":32,"temperature":0,"knots":6}'
  cut -d, -f1-2 "threads$threads/loss.csv" >"losses$threads"
done
check "sampling does not depend on threads" cmp losses1 losses2
check "the box is moved" sh -c 'tail -n 1 losses1 | awk -F, "{ exit !(\$2 < 8) }"'
run 3 optimize scene.json -o best --model mujoco --gradient adjoint
check "no gradient" grep -q 'no adjoint' "$err"
check "nothing was created" [ ! -e best ]
run 3 gradcheck scene.json --model mujoco
check "nothing to check" grep -q 'no adjoint' "$err"
run 3 probe scene.json --model mujoco
check "no potential" grep -q 'no contact potential' "$err"
run 0 check scene.json --model mujoco --json
check "no far field" grep -q '"far_field_acceleration": 0' "$out"
run 3 simulate scene.json -o none --model mujoco --set bodies.ball.position='[0, 0, 0.05]'
check "overlap is refused" grep -q 'overlap at the start' "$err"
finish
