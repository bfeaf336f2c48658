#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# simulate --control RUN with the run of a receding horizon executes what that run executed, bit for bit.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
. "$DCSIM_SOURCE/tests/cli/push_bodies.sh"

# A rod pushes a box over the ground.  Started at rest beside it, it is in contact after a few steps.
scene() { # CONTROL
  cat <<SCENE
{
  "name": "push",
  "time": { "step": 0.04, "steps": 9 },
  "contact": { "stiffness": 1e-4, "friction": 0.6 },
  $push_bodies,
  "control": [$1],
  "objective": [{ "type": "reach", "body": "box", "target": [-2, 0, 0.255], "axes": "xy", "tolerance": 0.1, "when": "every" }],
  "optimizer": { "type": "adam", "learning_rate": 0.1, "betas": [0.3, 0.5], "shared": true },
  "horizon": { "length": 4, "iterations": 4 }
}
SCENE
}
common='"body": "rod", "coordinates": "x y z rz"'
# The integrated target runs into its lower bound of x, where its place is cut after every window.
scene "{ \"type\": \"pd_velocity\", $common, \"low\": [-0.15, -1, -0.05, -1], \"high\": [2, 1, 0.05, 1] }" >velocity.json
scene "{ \"type\": \"pd_velocity\", $common, \"hold\": 2 }" >hold.json
scene "{ \"type\": \"pd_targets\", $common, \"initial\": [-0.2, 0, 0, 0] }" >targets.json
scene '{ "type": "sines", "bodies": ["rod"], "waves": 2, "amplitude": 0.3, "frequency": 2, "ramp": 0.1 }' >sines.json

# value FILE KEY: a number or a truth of the result
value() { sed -n "s/.*\"result\": {//; s/.*\"$2\": \([^,}]*\).*/\1/p" "$1/run.json" | head -1; }
frames() { "$dcsim" export "$1" --format csv >"$scratch/exported" 2>&1 && cat "$1/export/trajectory.csv"; }
# same RUN REPLAY WHAT
same() {
  frames "$1" >"$scratch/run.csv"
  frames "$2" >"$scratch/replay.csv"
  check "$3: there are frames" [ "$(wc -l <"$scratch/run.csv")" -gt 1 ]
  check "$3: the same frames" cmp "$scratch/run.csv" "$scratch/replay.csv"
  for key in steps loss success min_gap; do
    check "$3: the same $key" sh -c '[ -n "$1" ] && [ "$1" = "$2" ]' sh "$(value "$1" $key)" "$(value "$2" $key)"
  done
  cut -d , -f 1,2,5 "$1/loss.csv" >"$scratch/run.csv"
  cut -d , -f 1,2,5 "$2/loss.csv" >"$scratch/replay.csv"
  check "$3: the same losses and gaps after every window" cmp "$scratch/run.csv" "$scratch/replay.csv"
}
replay() { # RUN SCENE OPTION...
  original=$1 file=$2
  shift 2
  run 0 simulate "$file" --control "$original" -o "$original-again" --no-report "$@"
  same "$original" "$original-again" "$original"
}

for control in velocity hold targets sines; do
  for apply in 1 2 4; do
    name=$control-$apply
    run 0 optimize $control.json -o $name --no-report --threads 1 --set horizon.apply=$apply
    replay $name $control.json --threads 2 --set horizon.apply=$apply
  done
done
check "the box was pushed" [ "$(cut -d , -f 2 velocity-1/loss.csv | tail -1)" != "$(cut -d , -f 2 velocity-1/loss.csv | sed -n 2p)" ]

# what was applied at a time is the run's to say, also that of a replay
run 0 simulate velocity.json --control velocity-2 -o shorter --no-report
same velocity-2 shorter "another horizon.apply"
run 0 simulate velocity.json --control shorter -o twice --no-report
same velocity-2 twice "a replay of a replay"
run 0 simulate velocity-2/resolved.json --control velocity-2 -o resolved --no-report
same velocity-2 resolved "resolved.json"

# the best iterate of every window; a rollout of another model
run 0 optimize velocity.json -o best --no-report --set horizon.keep=best --set optimizer.learning_rate=1
replay best velocity.json

# ended early: the task is reached, or the time is over
set -- --set 'objective.0.target=[-0.4,0,0.255]' --set objective.0.tolerance=0.02 --set time.steps=40
run 0 optimize velocity.json -o reached --no-report --require-success "$@"
check "before the last step" [ "$(value reached steps)" -lt 40 ]
replay reached velocity.json "$@" --require-success
run 0 optimize velocity.json -o stopped --no-report --max-time 0.3 --set time.steps=400 --quiet
check "stopped before the last step" [ "$(value stopped steps)" -lt 400 ]
replay stopped velocity.json --set time.steps=400

# another world: the same pieces and controls; success does not end them
run 0 simulate velocity.json --control velocity-2 -o heavy --no-report --set bodies.box.mass=5
check "as many steps" [ "$(value heavy steps)" -eq 9 ]
check "after each window a row" [ "$(wc -l <heavy/loss.csv)" -eq 7 ]
check "another loss" [ "$(value heavy loss)" != "$(value velocity-2 loss)" ]
run 0 simulate velocity.json --control reached -o near "$@" --no-report --set objective.0.tolerance=1 --require-success
check "as many steps" [ "$(value near steps)" -eq "$(value reached steps)" ]

# other steps, controls, or no horizon: one rollout of all steps with the parameters that fit
rolled() { # WHAT STEPS RUN
  check "$1: all steps" [ "$(value "$3" steps)" -eq "$2" ]
  check "$1: in one rollout" [ "$(wc -l <"$3/loss.csv")" -eq 2 ]
}
run 0 simulate velocity.json --control velocity-2 -o longer --no-report --set time.steps=12
check "which is said" grep -q "velocity-2 is rolled out in one piece, not in its windows" "$err"
rolled "more steps" 12 longer
run 0 simulate velocity.json --control velocity-2 -o finer --no-report --set time.step=0.02
rolled "finer steps" 9 finer
run 0 simulate velocity.json --control velocity-2 -o slower --no-report --set control.0.speed=1
rolled "another control" 9 slower
sed 's/"shared": true },/"shared": true }/; /"horizon"/d' velocity.json >whole.json
run 0 simulate whole.json --control velocity-2 -o whole --no-report
rolled "no horizon" 9 whole
run 0 optimize whole.json -o whole-run --no-report --set optimizer.iterations=3
run 0 simulate velocity.json --control whole-run -o from-whole --no-report
rolled "no run of a horizon" 9 from-whole
check "which needs no word" [ ! -s "$err" ]
# parameters are functions of time: each step of 0.04 s becomes two of 0.02 s
run 0 simulate whole.json --control whole-run -o halved --no-report --set time.step=0.02 --set time.steps=18
cat >halves.py <<'PYTHON'
import json
whole, halved = (json.load(open(run + "/run.json"))["result"]["parameters"] for run in ("whole-run", "halved"))
body, axis = next(iter(whole)).split(".0.")
for step in range(18):
    assert halved[f"{body}.{step}.{axis}"] == whole[f"{body}.{step // 2}.{axis}"], step
assert len(set(whole.values())) > 1
PYTHON
check "halved steps take the parameters of their time" python3 halves.py
run 0 simulate velocity.json -o initial --no-report
rolled "initial controls" 9 initial
# without the scene of the run nobody knows what its steps were
cp -r velocity-2 bare && rm bare/resolved.json
run 0 simulate velocity.json --control bare -o from-bare --no-report
rolled "a run without its scene" 9 from-bare

finish
