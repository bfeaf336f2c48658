#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Restitution from the outside: settings, gradients with it, what check says of it.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

cat >scene.json <<'SCENE'
{"time": {"step": 0.01, "steps": 24}, "contact": {"stiffness": 2e-5, "friction": 0.3, "friction_smoothing": 0.02, "opening_speed": 0.02},
 "shapes": {"box": {"type": "box", "size": [0.3, 0.3, 0.3]}, "rod": {"type": "box", "size": [0.1, 0.8, 0.2]}, "ground": {"type": "plane"}},
 "bodies": [{"name": "a", "shape": "box", "mass": 1, "position": [-0.4, 0.2, 0.153], "velocity": [2, 0.2, -0.5]},
            {"name": "b", "shape": "rod", "mass": 0.5, "position": [0, 0, 0.13], "rotation": [1, 0.01, 0.02, 0.03]},
            {"name": "ground", "joint": "fixed", "shape": "ground"}],
 "control": [{"type": "initial_state", "body": "a", "position": "xyz", "velocity": "xyz"}],
 "objective": [{"type": "reach", "body": "b", "target": [1, 0, 0.1]}]}
SCENE
for setting in contact.restitution=2 contact.restitution=-0.1 bodies.a.restitution=1.5 contact.opening_speed=0; do
  run 3 check scene.json --set "$setting"
  check "$setting is refused" grep -q "must be" "$err"
done
# Model, restitution, friction, and what ipc needs more.
while read -r model part friction more; do
  # shellcheck disable=SC2086
  run 0 gradcheck scene.json --model "$model" --set contact.restitution="$part" --set contact.friction="$friction" $more
  check "tangent and adjoint" grep -q 'tangent and adjoint agree' "$out"
done <<'CASES'
bsh 0 0
exact 0.5 0.3
sdrs 0 0.2
ipc 0.5 0 --set contact.dhat=0.02 --set contact.stiffness=0.05
CASES
run 0 simulate scene.json -o alive
for part in 1 0; do
  run 0 simulate scene.json -o "part$part" --set contact.restitution=$part
  check "$part is not what steps leave" sh -c "! cmp -s alive/loss.csv part$part/loss.csv"
done

# On time: gradients agree in all models that have them, both integrators and with friction, and after a bounce the place
# follows the start with -e, which is 0 to 0.04 where bodies leave late.
for integrator in euler second_order; do
  for model in bsh exact sdrs manifold; do
    run 0 gradcheck scene.json --model "$model" --set contact.restitution=0.7 --set contact.on_time=true --set time.integrator=$integrator
    check "$model, $integrator: tangent and adjoint on time" grep -q 'tangent and adjoint agree' "$out"
  done
done
cat >bounce.json <<'SCENE'
{"gravity": [0, 0, 0], "time": {"step": 0.02, "steps": 100}, "contact": {"restitution": 0.5, "on_time": true},
 "shapes": {"ball": {"type": "sphere", "radius": 0.1}, "ground": {"type": "plane"}},
 "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground"}, {"name": "ball", "shape": "ball", "mass": 1, "position": [0, 0, 1.013], "velocity": [0, 0, -1]}],
 "control": [{"type": "initial_state", "body": "ball", "position": "z"}],
 "objective": [{"type": "reach", "body": "ball", "target": [0, 0, -0.9], "axes": "z", "tolerance": 0}]}
SCENE
for model in bsh sdrs ipc; do
  for integrator in euler second_order; do
    run 0 gradcheck bounce.json --json --model $model --set time.integrator=$integrator
    # observed -0.490 to -0.502; the place is 0.5 (2 - 0.913) = 0.5435 m above the ground but for 0.003
    holds "$model, $integrator: the derivative of the place by the start is -e" "$out" \
      'abs(d["checks"][0]["adjoint"] / (2 * d["loss"] ** 0.5) + 0.5) < 0.03 and abs(d["loss"] ** 0.5 - 1.5435) < 0.01'
  done
done
run 0 gradcheck bounce.json --json --set contact.on_time=false
holds "late it is near 0" "$out" 'abs(d["checks"][0]["adjoint"] / (2 * d["loss"] ** 0.5)) < 0.05'

# A window that begins between the kick and the way, or between the way and what takes its speed back, goes on as one run
# does; plants may remember more or fewer numbers of a pair than plans do.
cat >windows.json <<'SCENE'
{"gravity": [0, 0, 0], "time": {"step": 0.02, "steps": 16}, "contact": {"restitution": 0.5, "on_time": true},
 "shapes": {"ball": {"type": "sphere", "radius": 0.1}, "ground": {"type": "plane"}},
 "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground"}, {"name": "ball", "shape": "ball", "mass": 1, "position": [0, 0, 0.213], "velocity": [0, 0, -1]}],
 "control": [{"type": "torque", "body": "ball", "coordinates": "z", "limit": [1e-9]}],
 "objective": [{"type": "reach", "body": "ball", "target": [0, 0, 1], "when": "end"}],
 "optimizer": {"type": "adam"}, "horizon": {"length": 4, "apply": 1, "iterations": 1}}
SCENE
while read -r planned real; do
  run 0 optimize windows.json -o none --set contact.on_time="$planned" --plant "{\"contact\": {\"on_time\": $real}}" --json
  cp "$out" windows.out
  run 0 simulate windows.json -o none --set horizon=null --set optimizer=null --set contact.on_time="$real" --json
  # observed the same to 3e-12: the force acts, too
  holds "plans with on_time $planned in a plant with $real: windows go on as one run does" "$out" \
    'abs(d["loss"] - json.load(open("windows.out"))["loss"]) < 1e-9'
done <<'CASES'
true true
true false
false true
CASES

# A box that tumbles as it bounces off cannot be moved on at once: its far corner would go through the ground, in however
# short a part of the step.  What is left of the way waits for the next whole step.
cat >tumble.json <<'SCENE'
{"gravity": [0, 0, -9.81], "time": {"step": 0.0139, "steps": 18}, "contact": {"model": "exact", "stiffness": 1e-6, "friction": 0.274, "restitution": 0.9, "on_time": true},
 "shapes": {"box": {"type": "box", "size": [0.09, 0.07, 0.05], "surface": "mesh"}, "ground": {"type": "plane"}},
 "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground"},
  {"name": "box", "shape": "box", "mass": 1.493, "position": [0, 0, 0.12379], "velocity": [18.276, 0, -0.6204], "rotation": [0.76977, -0.59954, -0.21709, 0.02965]}],
 "control": [{"type": "initial_state", "body": "box", "position": "z", "velocity": "xz"}],
 "objective": [{"type": "reach", "body": "box", "target": [4, 0, 1], "tolerance": 0}]}
SCENE
for integrator in euler second_order; do
  run 0 gradcheck tumble.json --set time.integrator=$integrator
  check "$integrator: the way of what tumbles waits" grep -q 'tangent and adjoint agree' "$out"
done

# In second order a cube at rest hops where a collision far away divides steps, and then opens slowly, as restitution takes back
# what its barrier gives beside the weight.  Friction is that of the weight, not of the barrier.
cat >pushed.json <<'SCENE'
{"gravity": [0, 0, -9.81], "time": {"step": 0.0166643535, "steps": 39, "integrator": "second_order"}, "contact": {"model": "bsh", "stiffness": 1e-6, "friction": 0.30547, "restitution": 0.5},
 "shapes": {"floor": {"type": "plane"}, "cube": {"type": "box", "size": [0.1, 0.1, 0.1], "surface": "mesh"}, "ball": {"type": "sphere", "radius": 0.1, "level": 0, "surface": "mesh"}},
 "bodies": [{"name": "floor", "shape": "floor", "joint": "fixed"},
  {"name": "cube", "shape": "cube", "mass": 0.92458, "position": [0, 0, 0.0808133604], "joint": [{"type": "slide", "axis": [1, 0, 0]}, {"type": "slide", "axis": [0, 0, 1]}], "joint_velocity": [0, -0.28295525]},
  {"name": "left", "shape": "ball", "mass": 1, "position": [-41.912292, -0.02, 100], "velocity": [126.1225512, 0, 0]},
  {"name": "right", "shape": "ball", "mass": 1, "position": [41.912292, 0.02, 100], "velocity": [-126.1225512, 0, 0]}],
 "control": [{"type": "torque", "body": "cube", "coordinates": "0", "limit": [110.825464], "hold": 20, "initial": [0.0001, 0.05]}],
 "objective": [{"type": "reach", "body": "cube", "target": [0, 0, 0], "axes": "x", "tolerance": 0}]}
SCENE
run 0 simulate pushed.json -o none --json
cp "$out" beside.out
run 0 simulate pushed.json -o none --json --set bodies.left.velocity='[0, 0, 0]' --set bodies.right.velocity='[0, 0, 0]'
# 0.934 observed; 0.859 when friction had the force of the barrier
holds "what opens slowly in divided steps has friction of its weight" "$out" '0.91 < (json.load(open("beside.out"))["loss"] / d["loss"]) ** 0.5 < 1.05'
run 0 gradcheck pushed.json --set time.steps=26
check "and its derivatives" grep -q 'tangent and adjoint agree' "$out"

run 0 check scene.json --set contact.restitution=0.5 --set contact.opening_speed=1e-3 --set contact.stiffness=1e-6
check "what impacts leave" grep -q 'impact a on b: leaves with [0-9.]*, 0.\(5\|49\|51\)[0-9]*, 0.\(5\|49\|51\)[0-9]* of its speed' "$out"
check "where bodies rest" grep -q 'impact a on ground: .*, rests at a gap of 0.00[0-9]* m' "$out"
run 0 check scene.json --json
check "machine-readable" grep -q '"impacts": \[' "$out"
finish
