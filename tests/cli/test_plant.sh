#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# "plant" and --plant: plans executed in another world than the one they are made in.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
. "$DCSIM_SOURCE/tests/cli/push_bodies.sh"

cat >push.json <<SCENE
{
  "name": "push",
  "time": { "step": 0.04, "steps": 8 },
  "contact": { "stiffness": 1e-4, "friction": 0.6 },
  $push_bodies,
  "control": [{ "type": "pd_velocity", "body": "rod", "coordinates": "x y z rz", "initial": [-0.3, 0, 0, 0] }],
  "objective": [{ "type": "reach", "body": "box", "target": [-2, 0, 0.255], "axes": "xy", "tolerance": 0.1, "when": "every" }],
  "optimizer": { "type": "adam", "learning_rate": 0.1, "betas": [0.3, 0.5], "shared": true },
  "horizon": { "length": 4, "iterations": 4, "apply": 2 },
  "models": { "ipc": { "contact": { "dhat": 0.012, "stiffness": 0.02 } } }
}
SCENE
hard='{"contact": {"stiffness": 1e-7}, "time": {"step": 0.01}}'
frames() { "$dcsim" export "$1" --format csv >"$scratch/exported" 2>&1 && cat "$1/export/trajectory.csv"; }
same_frames() { # RUN OTHER WHAT
  frames "$1" >"$scratch/a.csv"
  frames "$2" >"$scratch/b.csv"
  check "$3: there are frames" [ "$(wc -l <"$scratch/a.csv")" -eq 10 ]
  check "$3: the same frames" cmp "$scratch/a.csv" "$scratch/b.csv"
}
differ() { ! cmp -s "$1" "$2"; }

# The planning world as a plant is none.
run 0 optimize push.json -o plain --no-report --threads 1
run 0 optimize push.json -o empty --no-report --threads 2 --plant '{}'
check "an empty plant: the same losses" cmp plain/loss.csv empty/loss.csv
check "an empty plant: the same trajectories" cmp plain/trajectory.h5 empty/trajectory.h5
check "no plant is resolved where there is none" sh -c '! grep -q "\"plant\"" plain/resolved.json'

# The integrator of the scene is the plant's, too; MuJoCo has its own.
second=time.integrator=second_order
run 0 optimize push.json -o second --no-report --set $second
run 0 optimize push.json -o second-empty --no-report --set $second --plant '{}'
check "second order: an empty plant: the same trajectories" cmp second/trajectory.h5 second-empty/trajectory.h5
check "second order: another motion" differ plain/loss.csv second/loss.csv
run 0 list models
if grep -q '^  mujoco:' "$out"; then
  run 0 optimize push.json -o second-mujoco --no-report --set $second --plant mujoco
  run 0 simulate second-mujoco/resolved.json --control second-mujoco -o second-mujoco-again --no-report
  same_frames second-mujoco second-mujoco-again "second order: executed in MuJoCo: replay of resolved.json"
fi

run 0 list models
worlds="hard ipc"
grep -q '^  mujoco:' "$out" && worlds="$worlds mujoco"
for world in $worlds; do
  plant=$world
  [ $world = hard ] && plant=$hard
  run 0 optimize push.json -o $world --no-report --threads 1 --plant "$plant" --checkpoint 0
  check "$world: another run" differ plain/loss.csv $world/loss.csv
  check "$world: the summary names the plant" grep -q 'this is in the plant (' "$out"
  run 0 optimize push.json -o $world-2 --no-report --threads 2 --plant "$plant"
  check "$world: with two threads the same losses" cmp $world/loss.csv $world-2/loss.csv
  check "$world: with two threads the same trajectories" cmp $world/trajectory.h5 $world-2/trajectory.h5
  run 0 simulate push.json --control $world -o $world-again --no-report --plant "$plant"
  same_frames $world $world-again "$world: replay"
  run 0 simulate $world/resolved.json --control $world -o $world-resolved --no-report
  same_frames $world $world-resolved "$world: replay of resolved.json"
  run 0 simulate push.json --control plain -o $world-open --no-report --plant "$plant"
  frames $world-open >open.csv
  frames plain >planned.csv
  check "$world: open loop the controls lead elsewhere" differ open.csv planned.csv

  run 0 optimize push.json -o $world-cut --no-report --plant "$plant" --set optimizer.learning_rate=0.1 --max-time 1e-9
  check "$world: stopped early" [ "$(wc -l <$world-cut/loss.csv)" -lt "$(wc -l <$world/loss.csv)" ]
  run 0 optimize --resume $world-cut --no-report
  check "$world: resumed, the same losses" cmp $world/loss.csv $world-cut/loss.csv
  check "$world: resumed, the same trajectories" cmp $world/trajectory.h5 $world-cut/trajectory.h5
done
# MuJoCo's contacts overlap; with every other model the plant's frames do not.
for world in hard ipc; do
  check "$world: nothing overlaps" sh -c 'cut -d , -f 5 "$1/loss.csv" | tail -n +2 | grep -qv "^0$"' sh $world
done
run 7 optimize --resume hard-cut --plant ipc
check "another plant is another scene" grep -q 'scene' "$err"

# In the scene, changed by options, taken away.
sed 's/"models"/"plant": { "contact": { "stiffness": 1e-7 } }, &/' push.json >with.json
run 0 optimize with.json -o with --no-report --set plant.time.step=0.01
check "in the scene and by --set the same as --plant" cmp with/trajectory.h5 hard/trajectory.h5
check "the scene's friction is the plant's" [ "$(grep -c '"friction": 0.59999999999999998' with/resolved.json)" -eq 2 ]
run 0 optimize with.json -o without --no-report --plant none
check "--plant none takes it away" cmp without/trajectory.h5 plain/trajectory.h5
run 0 optimize push.json -o pieces --no-report --set plant.contact.stiffness=1e-7 --set plant.time.step=0.01
check "--set alone makes one" cmp pieces/trajectory.h5 hard/trajectory.h5
check "the overlay of the plant's model applies" grep -q '"dhat": 0.012' ipc/resolved.json

# A plan of the whole run is executed once at the end: a second result.
sed '/"horizon"/d; s/"shared": true }/"iterations": 4 }/' push.json >whole.json
run 0 optimize whole.json -o whole --no-report --plant "$hard" --json
tr -d '\n' <"$out" | sed -n 's/.*"plant": {//p' >ended
check "a second result" grep -q '"model": "bsh", *"time_step": 0.01[0-9]*, *"success": false, *"loss": ' ended
loss=$(sed 's/.*"loss": \([^,}]*\).*/\1/' ended)
run 0 simulate whole.json --control whole -o executed --no-report --plant "$hard" --json
check "which simulate finds, too" grep -qF "\"loss\": $loss" "$out"
sed 's/"objective": \[/&{ "type": "velocity", "bodies": ["box"] }, /' whole.json >fast.json
run 0 optimize fast.json -o fast --no-report --plant "$hard" --json
loss=$(tr -d '\n' <"$out" | sed 's/.*"plant": {[^}]*"loss": \([^,}]*\).*/\1/')
run 0 simulate fast.json --control fast -o none --no-report --plant "$hard" --json
check "velocities are judged over the steps of the scene" grep -qF "\"loss\": $loss" "$out"
run 0 optimize whole.json -o planned --no-report --plant none
check "the plan is that without a plant" cmp whole/trajectory.h5 planned/trajectory.h5
# It must be reached there, too: without friction the box slides on past its target.
near="--set optimizer.iterations=0 --set objective.0.target=[-0.8,0,0.255] --set control.0.initial=[-2,0,0,0] --set time.steps=12"
distances() { sed -n 's/.*"distance": \([^,}]*\).*/\1/p' "$1"; }
run 0 optimize whole.json -o none $near --plant '{"contact": {"friction": 0}}' --json
set -- $(distances "$out")
check "two distances, the plant's is longer" sh -c '[ $# -eq 2 ] && awk "BEGIN { exit !($1 + 0.001 < $2) }"' sh "$@"
between=$(awk "BEGIN { print ($1 + $2) / 2 }")
near="$near --set objective.0.tolerance=$between"
run 0 optimize whole.json -o none $near --require-success
run 1 optimize whole.json -o none $near --require-success --plant '{"contact": {"friction": 0}}'
check "which is said" grep -q 'not reached in the plant' "$err"

# A drawn push whose strike spins the box out of the rod's reach in MuJoCo: plans that were tried in it reach.
case " $worlds " in *mujoco*)
  run 0 bench tasks --task push --seed 78 --draws 1 --scenes "$DCSIM_SOURCE/scenes" --write drawn
  run 0 optimize drawn/push-78-000.json -o tried --no-report --plant mujoco --require-success --set horizon.trials=true
  check "tried in MuJoCo: reached" grep -q 'task reached' "$out"
  ;;
esac
run 0 optimize push.json -o tried-none --no-report --threads 1 --set horizon.trials=true
check "nothing to try plans in: the same trajectories" cmp plain/trajectory.h5 tried-none/trajectory.h5

# Mistakes have a place and a rule.
refused() { # PLANT RULE
  run 3 optimize push.json -o bad --plant "$1"
  check "$2" grep -qF -- "$2" "$err"
}
refused '{"contact": {"stifness": 1}}' 'plant.contact.stifness: unknown key (did you mean "stiffness"?)'
refused '{"contact": {"stiffness": -1}}' 'plant.contact.stiffness: must be > 0'
refused '{"contact": {"model": "icp"}}' 'plant.contact.model: must be one of'
refused '{"contact": {"model": "ipc", "length": 1}}' 'plant.contact.length: is an option of another model'
refused '{"contact": 1}' 'plant.contact: must be an object'
refused '{"time": {"step": 0.03}}' 'plant.time.step: must divide the scene'
refused '{"time": {"step": 0.08}}' 'plant.time.step: must divide the scene'
refused '{"time": {"step": 1e-9}}' 'are too many'
refused '{"time": {"steps": 3}}' 'plant.time.steps: belongs to the scene'
refused '{"friction": 1}' 'plant.friction: unknown key'
refused '{"contact"' 'expected'
run 2 optimize push.json -o bad --plant mujoko
check "a model that is none" grep -q -- '--plant: no contact model is called "mujoko"' "$err"
sed 's/"models"/"plant": { "time": { "step": 0.03 } }, &/' push.json >bad.json
run 3 check bad.json
check "a mistake in the scene has its line" grep -q 'bad.json:[0-9]*:[0-9]*: plant.time.step: must divide' "$err"
check "nothing was created" [ ! -e bad ]
if [ "$worlds" != "hard ipc" ]; then
  run 3 optimize push.json -o bad --model mujoco --plant ipc
  check "who plans has a potential" grep -q "in a contact model of dcsim's own" "$err"
fi

# Up to 20 mN on 2 kg in 2000 steps of the plant, which move it by 1e-10 m each.
cat >cart.json <<'SCENE'
{ "time": {"step": 0.1, "steps": 2}, "gravity": [0, 0, 0], "shapes": {"block": {"type": "box", "size": [0.2, 0.2, 0.2]}},
  "bodies": [{"name": "cart", "joint": "slide", "axis": [1, 0, 0], "shape": "block", "mass": 2, "pd": {"kp": 0.02, "kd": 0}}],
  "control": [{"type": "pd_targets", "body": "cart", "hold": 2, "initial": [1]}],
  "plant": {"time": {"step": 1e-4}}, "horizon": {"length": 2, "apply": 2, "iterations": 0},
  "objective": [{"type": "reach", "body": "cart", "target": [1.1667e-4, 0, 0], "tolerance": 1e-6}] }
SCENE
run 0 optimize cart.json -o cart --require-success # 0 when such forces are left out
# Without an optimizer: a throw is aimed where steps are shorter and balls fall less, and a cart that meets a heavier
# load of friction there is brought to its place in closed loop.  In one piece both miss.
cat >throw.json <<'SCENE'
{ "time": {"step": 0.02, "steps": 50}, "shapes": {"ball": {"type": "sphere", "radius": 0.05}},
  "bodies": [{"name": "ball", "shape": "ball", "mass": 0.2, "position": [0, 0, 1]}],
  "control": [{"type": "initial_state", "body": "ball", "velocity": "xyz"}],
  "objective": [{"type": "reach", "body": "ball", "target": [2, 1, 0.5], "tolerance": 0.02}] }
SCENE
cat >slide.json <<'SCENE'
{ "time": {"step": 0.02, "steps": 40}, "contact": {"friction": 0.3},
  "shapes": {"ground": {"type": "plane"}, "block": {"type": "box", "size": [0.1, 0.1, 0.1]}},
  "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground"},
             {"name": "block", "shape": "block", "mass": 1, "joint": {"type": "planar", "axis": [0, 1, 0]}, "position": [0, 0, 0.051],
              "pd": {"kp": 0, "kd": 0}}],
  "control": [{"type": "torque", "body": "block", "coordinates": "1", "limit": [20]}],
  "objective": [{"type": "reach", "body": "block", "target": [0.5, 0, 0], "axes": "x", "tolerance": 0.02}] }
SCENE
for threads in 1 2; do
  run 0 optimize throw.json -o none --quiet --json --threads $threads --plant '{"time": {"step": 0.005}}' --require-success
  sed -n '/"plant"/,$p' "$out" | grep -v second >threw$threads
done
check "a throw is aimed in the plant" grep -q '"windows": 1' threw1
check "with any number of threads" cmp threw1 threw2
run 0 optimize throw.json -o none --plant '{"time": {"step": 0.005}}'
check "the report says so" grep -q 'steps of 0.005 s, aimed there, try 1 of 3): loss .*, task reached' "$out"
run 0 optimize slide.json -o none --quiet --json --plant '{"contact": {"friction": 0.6}}' --require-success
check "the loop is closed" sh -c 'sed -n "/\"loop\"/,/}/p" "$1" | grep -q "\"windows\": 40"' sh "$out"
# A loop that the limit of time ends is closed when the run is resumed.
loops='--quiet --no-report --set time.steps=150 --set time.step=0.01 --set objective.0.tolerance=0.01'
# shellcheck disable=SC2086
run 0 optimize slide.json -o loop $loops --plant '{"contact": {"friction": 2.5}}' --max-time 0.3
run 0 optimize --resume loop --no-report
check "a resumed run closes its loop" grep -q 'closed loop of 50 windows, try 1 of 3): loss 0, task reached' "$out"
run 0 optimize slide.json -o none --plant '{"contact": {"friction": 0.6}}' --set 'optimizer={"type": "adam"}'
check "with an optimizer it is executed in one piece" sh -c '! grep -q "closed loop" "$1"' sh "$out"
# Settings that a plant gives stand in resolved.json, too, whatever the scene has chosen for itself.
cat >given.json <<'SCENE'
{ "time": {"step": 0.01, "steps": 12}, "gravity": [0, 0, -9.81],
  "shapes": {"floor": {"type": "plane"}, "box": {"type": "box", "size": [0.2, 0.2, 0.2]}},
  "bodies": [{"name": "floor", "joint": "fixed", "shape": "floor"}, {"name": "box", "shape": "box", "density": 300, "position": [0, 0, 0.105]}],
  "control": [{"type": "initial_state", "body": "box", "velocity": "x"}],
  "objective": [{"type": "reach", "body": "box", "target": [0.5, 0, 0.1]}],
  "optimizer": {"type": "adam", "iterations": 2},
  "plant": {"contact": {"model": "sdrs", "stiffness": 0.001, "length": 0.3}} }
SCENE
run 0 optimize given.json -o given --quiet --no-report
run 0 optimize given/resolved.json -o same --quiet --no-report
check "a plant's stiffness stands in the resolved scene" cmp given/resolved.json same/resolved.json
run 0 optimize given.json -o parts --quiet --no-report --max-time 1e-9 --checkpoint 0
run 0 optimize --resume parts --quiet --no-report
check "such a run is resumed" cmp given/loss.csv parts/loss.csv
finish
