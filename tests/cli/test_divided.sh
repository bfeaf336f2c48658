#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Divided steps and steps that do not converge, as a user sees them: exit statuses, summaries, run files, resume and
# replay.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

# Two balls that would swap sides if steps were taken as they come.
cat >balls.json <<'SCENE'
{ "name": "balls", "time": { "step": 0.04, "steps": 4 }, "gravity": [0, 0, 0], "contact": { "stiffness": 1e-6 },
  "shapes": { "ball": { "type": "sphere", "surface": "mesh", "radius": 0.1, "level": 1 } },
  "bodies": [ { "name": "b", "shape": "ball", "mass": 1, "position": [-1, 0, 0], "velocity": [20, 0, 0] },
              { "name": "c", "shape": "ball", "mass": 1, "position": [1, 0.02, 0], "velocity": [-20, 0, 0] } ] }
SCENE
# value FILE KEY: a number of the result
value() { sed -n "s/.*\"$2\": \([^,}]*\).*/\1/p" "$1" | head -1; }

run 0 simulate balls.json -o balls --no-report
check "the summary tells it" grep -q "of 4 steps were divided" "$out"
check "so does run.json" [ "$(value balls/run.json divided_steps)" -ge 1 ]
check "all converged" [ "$(value balls/run.json unconverged_steps)" -eq 0 ]
run 0 simulate balls.json -o two --no-report --threads 2
check "the same bytes with two threads" cmp balls/trajectory.h5 two/trajectory.h5
run 4 simulate balls.json -o fails --no-report --set solver.divisions=0
says "bodies b and c would pass through each other"
# Parts that are short enough converge in one iteration.
run 4 simulate balls.json -o slow --no-report --quiet --set solver.max_iterations=1 --set solver.divisions=2
says "no convergence"
for option in "" --quiet --json; do
  rm -rf accepted
  # shellcheck disable=SC2086
  run 0 simulate balls.json -o accepted --no-report $option --set solver.max_iterations=1 --set solver.accept_unconverged=true
  check "run.json tells of it" [ "$(value accepted/run.json unconverged_steps)" -ge 1 ]
  case $option in
  --json) check "so does the result" [ "$(value "$out" unconverged_steps)" -ge 1 ] ;;
  --quiet) says "steps did not converge" ;;
  *) check "so does the summary" grep -q "did not converge" "$out" ;;
  esac
done
if python_with h5py numpy; then
  check "states inside of divided steps are kept" "$python" - balls/trajectory.h5 <<'CHECK'
import sys, h5py, numpy
with h5py.File(sys.argv[1]) as file:
    substeps, time, frames = file["substeps"][:], file["between/time"][:], file["time"][:]
    place = file["between/bodies/b/position"][:]
    assert len(substeps) == len(frames) - 1 and substeps.min() >= 1
    assert len(time) == substeps.sum() - len(substeps) > 0 and place.shape == (len(time), 3)
    assert (numpy.diff(time) > 0).all() and not numpy.isin(time, frames).any()
    steps = numpy.searchsorted(frames, time) - 1
    assert (numpy.bincount(steps, minlength=len(substeps)) == substeps - 1).all()
CHECK
else
  skip "states inside of divided steps are kept" "no python3 with h5py"
fi

# A driven rod that strikes a ball: windows begin at frames after divided steps.
cat >strike.json <<'SCENE'
{ "name": "strike", "time": { "step": 0.04, "steps": 8 }, "gravity": [0, 0, 0], "contact": { "stiffness": 1e-6 },
  "shapes": { "ball": { "type": "sphere", "surface": "mesh", "radius": 0.1, "level": 1 }, "rod": { "type": "box", "size": [0.05, 0.6, 0.05] } },
  "bodies": [ { "name": "rod", "shape": "rod", "mass": 2, "position": [-0.4, 0.05, 0.01], "pd": { "kp": 1000, "kd": 100 }, "velocity": [8, 0, 0] },
              { "name": "ball", "shape": "ball", "mass": 0.3, "position": [0.3, 0, 0], "velocity": [-10, 0, 0] } ],
  "control": [{ "type": "pd_velocity", "body": "rod", "coordinates": "x y", "speed": 8 }],
  "objective": [{ "type": "reach", "body": "ball", "target": [3, 0.5, 0], "axes": "xy", "tolerance": 0.01, "when": "every" }],
  "optimizer": { "type": "adam", "learning_rate": 0.1, "betas": [0.3, 0.5] }, "horizon": { "length": 4, "iterations": 4 } }
SCENE
run 0 optimize strike.json -o straight --no-report
check "steps were divided" [ "$(value straight/run.json divided_steps)" -ge 1 ]
run 0 simulate strike.json --control straight -o again --no-report
check "a replay gives the same steps" [ "$(value straight/run.json divided_steps)" = "$(value again/run.json divided_steps)" ]
"$dcsim" export straight --format csv >/dev/null && "$dcsim" export again --format csv >/dev/null
check "and the same frames" cmp straight/export/trajectory.csv again/export/trajectory.csv
# Killed at a moment when some steps were executed; resumed it is the run that was not.
"$dcsim" optimize strike.json -o killed --no-report --quiet --checkpoint 0 2>/dev/null &
pid=$!
tries=0
until { [ -f killed/loss.csv ] && [ "$(wc -l <killed/loss.csv)" -gt 4 ]; } || [ $tries -gt 6000 ]; do sleep 0.01; tries=$((tries + 1)); done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
if [ -f killed/run.json ]; then
  skip "resumed after a kill" "it had ended"
else
  run 0 optimize --resume killed --no-report
fi
check "resumed: the same trajectory" cmp straight/trajectory.h5 killed/trajectory.h5
check "resumed: the same rows" cmp straight/loss.csv killed/loss.csv

# A soft block skids while balls above it collide and divide a step: what its nodes keep for friction is differentiated.
cat >skid.json <<'SCENE'
{ "time": { "step": 0.01, "steps": 8 }, "contact": { "friction": 0.3 },
  "shapes": { "plane": { "type": "plane" }, "ball": { "type": "sphere", "radius": 0.1, "level": 0, "surface": "mesh" } },
  "bodies": [ { "name": "plane", "joint": "fixed", "shape": "plane" },
    { "name": "block", "position": [0, 0, 0.15], "velocity": [4, 0, -1], "friction": 0.3, "soft": { "size": [0.2, 0.2, 0.2], "cells": [1, 1, 1], "young": 1e4 } },
    { "name": "a", "shape": "ball", "mass": 1, "position": [-1.22, 0, 100], "velocity": [20, 0, 0] },
    { "name": "b", "shape": "ball", "mass": 1, "position": [1.22, 0.03, 100], "velocity": [-20, 0, 0] } ],
  "control": [ { "type": "initial_state", "body": "block", "velocity": "xyz" } ],
  "objective": [ { "type": "reach", "body": "block", "target": [1, 0.1, 0.1], "when": "every" } ] }
SCENE
for integrator in $(sample "euler second_order" second_order); do
  run 0 simulate skid.json -o "skid_$integrator" --no-report --set time.integrator=$integrator
  check "$integrator: a step was divided" [ "$(value skid_$integrator/run.json divided_steps)" -ge 1 ]
  run 0 gradcheck skid.json --json --threads 1 --set time.integrator=$integrator
  holds "$integrator: the adjoint agrees with differences" "$out" 'd["max_relative_error"] <= 2e-7'  # observed 1.2e-8 and 7e-9
  holds "$integrator: tangent and adjoint agree" "$out" 'd["products"]["tangent_adjoint"] <= 1e-12'  # observed 1.2e-14
done
finish
