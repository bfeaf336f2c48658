#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Numbers of a task that are mistakes of unit or size, targets that no joint leads to, drives that are too weak: each is
# told in its words, and the sound task beside it is not.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

# sense FILE SYMPTOM WORDS ARGUMENT...: check says it, in these words
sense() {
  file=$1 symptom=$2 words=$3
  shift 3
  "$dcsim" check "$file" --json "$@" >"$out" 2>"$err"
  check "$symptom: $*" grep -q "\"symptom\": \"$symptom\"" "$out"
  check "it says $words" grep -q "$words" "$out"
}
# sound FILE ARGUMENT...: check gives no advice
sound() {
  "$dcsim" check "$@" >"$out" 2>"$err"
  check "no advice: $*" sh -c '! grep "advice:" "$1"' sh "$out"
}
d=$DCSIM_SOURCE/scenes

# A gate on a hinge that a finger on three slides opens.
cat >gate.json <<'SCENE'
{ "time": {"step": 0.03, "steps": 60}, "contact": {"friction": 0.4},
  "shapes": {"gate": {"type": "box", "size": [0.5, 0.03, 0.8]}, "tip": {"type": "sphere", "radius": 0.04}},
  "bodies": [
    {"name": "gate", "joint": "hinge", "axis": [0, 0, 1], "anchor": [0, 0, 0.4], "shape": "gate", "mass": 2, "position": [0.25, 0, 0.45], "pd": {"kp": 0, "kd": 0.3}},
    {"name": "tip", "joint": [{"type": "slide", "axis": [1, 0, 0]}, {"type": "slide", "axis": [0, 1, 0]}], "shape": "tip", "mass": 0.5, "position": [0.4, -0.3, 0.5], "pd": {"kp": 150, "kd": 20}}],
  "control": [{"type": "pd_targets", "body": "tip", "hold": 4}],
  "objective": [{"type": "joints", "bodies": ["gate"], "target": [1], "tolerance": 0.05}] }
SCENE
sound gate.json
sense gate.json degrees 'in degrees that would be 1.047 rad' --set 'objective[0].target=[60]'
sound gate.json --set 'objective[0].target=[-1]'
sense gate.json "loose tolerance" 'is it in degrees' --set 'objective[0].tolerance=3'
sense gate.json held 'pulls back with 5e.04 N m' --set bodies.gate.pd.kp=5e4
sense gate.json held 'smaller ."kp." and ."kd."' --set bodies.gate.pd.kd=1e5
sound gate.json --set bodies.gate.pd.kd=5
sense gate.json limp 'would follow' --set 'bodies.tip.pd={"kp": 0.001, "kd": 0.001}'
sense gate.json limp 'at most 1e-05 N' --set bodies.tip.pd.effort=1e-5
sense gate.json limp 'moves it by' --set 'control=[{"type": "torque", "body": "tip", "limit": [1e-5]}]'
sense gate.json "no weight" 'a weight of 0' --set 'objective[0].weight=0'
tip='objective=[{"type": "reach", "body": "tip", "target": [0.2, -0.2, 0.5], "tolerance": 0.02}]'
sound gate.json --set "$tip"
sense gate.json "wrong axis" 'stays (0, 0, 0.3) m away' --set "$tip" --set 'objective[0].target=[0.2, -0.2, 0.8]'
sound gate.json --set "$tip" --set 'objective[0].target=[0.2, -0.2, 0.8]' --set 'objective[0].axes=xy'
sense gate.json "loose tolerance" 'is it in millimetres' --set "$tip" --set 'objective[0].tolerance=20'
turn='objective=[{"type": "orientation", "body": "gate", "target": [0.87758256, 0, 0, 0.47942554], "tolerance": 0.05}]'
sound gate.json --set "$turn"
sense gate.json "wrong axis" 'about (0, 0, 1) alone, which leaves 1 rad' --set "$turn" --set 'objective[0].target=[0.87758256, 0, 0.47942554, 0]'
sense gate.json "wrong axis" 'no joint turns' --set "$turn" --set 'objective[0].body=tip'
edge='objective=[{"type": "point", "body": "gate", "point": [0.25, 0, 0], "target": [0, 0.5, 0.45], "tolerance": 0.02}]'
sound gate.json --set "$edge"
sense gate.json "wrong axis" 'leads to its target' --set "$edge" --set 'objective[0].target=[0, 0.4, 0.6]'
sense gate.json contradiction 'at two places 0.4 m apart' --set 'objective=[{"type": "reach", "body": "tip", "target": [0.2, -0.2, 0.5], "tolerance": 0.02}, {"type": "reach", "body": "tip", "target": [0.2, 0.2, 0.5], "tolerance": 0.02}]'

# A range, a start in degrees, and a motor that turns often.
sense gate.json degrees 'from -90 to 90 rad: in degrees that would be .-1.571, 1.571. rad' --set 'bodies.gate.range=[-90, 90]'
sense gate.json degrees 'begins turned by 45 rad' --set 'bodies.gate.joint_position=[45]' --set 'objective[0].target=[44]'
sound gate.json --set 'bodies.gate.range=[-19.3, 19.3]'
# Turns of a crank are asked for in radians: a whole one, two and a half, and bounds a little beyond a turn.
for turns in 6.2832 -12.566 15.708 12.57 18.8 31.4 31.42 62.8 69.115 14.14; do
  run 0 check gate.json --set "objective[0].target=[$turns]"
  check "$turns rad are no degrees" sh -c "! grep -q 'advice: degrees' '$out'"
done
for degrees in 22.5 67.5 112.5 12 44; do
  sense gate.json degrees "would be" --set "objective[0].target=[$degrees]"
done
turned='control=[{"type": "pd_targets", "body": "gate", "low": [-6.3], "high": [6.3]}]'
run 0 check gate.json --set bodies.gate.pd.kp=10 --set "$turned"
check "6.3 rad are no degrees" sh -c "! grep -q 'advice: degrees' '$out'"
sense gate.json degrees 'bounds an angle of ."gate." at -*7 rad' --set bodies.gate.pd.kp=10 \
  --set 'control=[{"type": "pd_targets", "body": "gate", "low": [-7], "high": [7]}]'

# A velocity that cannot be had from the first step on.
speed='objective=[{"type": "velocity", "body": "tip", "target": [5, 0, 0], "axes": "xy", "tolerance": 0.1}]'
sense gate.json "from the start" 'asks for it at the end, ."from.": 30 after that frame' --set "$speed"
sound gate.json --set "$speed" --set 'objective[0].when=end'
sound gate.json --set "$speed" --set 'objective[0].from=20'
sound gate.json --set "$speed" --set 'objective[0].target=[1, 0, 0]'

# A force that does not bring a slide to its target in time.
cat >cart.json <<'SCENE'
{ "time": {"step": 0.02, "steps": 50}, "shapes": {"cart": {"type": "box", "size": [0.2, 0.1, 0.08]}},
  "bodies": [{"name": "cart", "joint": {"type": "slide", "axis": [1, 0, 0]}, "shape": "cart", "mass": 1}],
  "control": [{"type": "torque", "body": "cart", "limit": 0.5}],
  "objective": [{"type": "reach", "body": "cart", "target": [-0.5, 0, 0], "axes": "x", "tolerance": 0.1}] }
SCENE
sense cart.json limp 'at most 0.5 N, which moves it by 0.25 m in 1 s, of 0.4 m to its target: 1.6 N would'
sound cart.json --set control.0.limit=1.6
sound cart.json --set 'objective[0].target=[-0.3, 0, 0]'
sound cart.json --set bodies.cart.joint_velocity='[-1]'

# Gravity, speeds and ground.
sense "$d/tasks/throw.json" units 'is it given in mm/s^2' --set 'gravity=[0, 0, -9810]'
check "what is wrong is not the step" sh -c '! grep "long steps" "$1"' sh "$out"
sense "$d/unseen/plate_ball.json" units 'is it given in cm/s^2' --set 'gravity=[0, 0, -981]'
sense "$d/tasks/walker_speed.json" units 'is its target given in cm/s' --set 'objective[0].target=[150, 0, 0]'
sed '/"name": "ground"/d' "$d/unseen/walker_fast.json" >floating.json
sense floating.json falls 'nothing lies below ."torso."'
cat >two.json <<'SCENE'
{ "time": {"step": 0.02, "steps": 40}, "shapes": {"plane": {"type": "plane"}, "ball": {"type": "sphere", "radius": 0.05}},
  "bodies": [
    {"name": "ground", "joint": "fixed", "shape": "plane"},
    {"name": "a", "shape": "ball", "mass": 0.2, "position": [0, 0, 0.0505]},
    {"name": "b", "shape": "ball", "mass": 0.2, "position": [0.4, 0, 0.0505]}],
  "control": [{"type": "initial_state", "body": "a", "velocity": "xy"}, {"type": "initial_state", "body": "b", "velocity": "xy"}],
  "objective": [{"type": "reach", "body": "a", "target": [0.2, 0.2, 0.05], "tolerance": 0.01}, {"type": "reach", "body": "b", "target": [0.2, 0.31, 0.05], "tolerance": 0.01}] }
SCENE
sound two.json
sense two.json units 'times the density of air: are its lengths given in cm' --set 'shapes.ball.radius=5' --set 'bodies.a.position=[0, 0, 5.05]' --set 'bodies.b.position=[40, 0, 5.05]'
speed='objective=[{"type": "velocity", "body": "b", "target": [1, 0.3, 0], "axes": "xy", "tolerance": 0.1}]'
sense two.json "from the start" 'begins 1.04 m/s from it' --set "$speed" --set 'control=[{"type": "initial_state", "body": "a", "velocity": "xy"}]'
sound two.json --set "$speed"
sense two.json contradiction 'their surfaces would overlap' --set 'objective[1].target=[0.2, 0.25, 0.05]'
sed 's/"body": "b"/"body": "a"/; s/, {"type": "reach".*0.31.*}\]/]/; /"name": "b"/d; s/0.0505\]},$/0.0505]}],/; s/"control": .*/"control": [{"type": "torque", "body": "a", "coordinates": "x y z", "limit": [3]}],/; s/0.2, 0.2, 0.05/0, 0, 0.3/' two.json >lift.json
sound lift.json
sense lift.json "too weak" 'weighs 1.96 N' --set 'control[0].limit=[1]'
sense lift.json "too weak" 'at most 1.9 N upwards' --set 'control[0].limit=[9, 9, 1.9]'
sense lift.json "too weak" 'at most 1.9 N upwards' --set 'control[0].coordinates="x z"' --set 'control[0].limit=[9, 1.9]'
sound lift.json --set 'control[0].limit=[0.1, 0.1, 2.1]'
sense "$d/soft_lift.json" "too weak" '"block.*weighs 19.6 N' --set 'control[0].limit=[2]'
sed 's/\[0.1, 0.1, 0.08\]/[100, 100, 80]/' "$d/unseen/arm_push.json" >big.json
run 3 check big.json
says "in millimetres? Then divide its shape's sizes by 1000"

# Soft bodies fall on a half-space.
cat >soft.json <<'SCENE'
{ "time": {"step": 0.01, "steps": 10}, "shapes": {"ground": {"type": "plane"}},
  "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground"},
             {"name": "block", "soft": {"form": "block", "size": [0.2, 0.1, 0.1], "cells": [2, 1, 1], "young": 4e4, "self_contact": false}, "position": [0, 0, 0.6]}] }
SCENE
run 0 check soft.json
check "a soft body meets a half-space" grep -q 'smallest initial gap 0.55 m' "$out"

# More of the same kinds.
sense gate.json "too far" 'which controls move by at most 0.0' --set 'control[0].low=[-0.002]' --set 'control[0].high=[0.002]'
sense gate.json "too far" 'the ."speed."' --set 'control=[{"type": "pd_velocity", "body": "tip", "speed": 1e-4}]'
# A piston whose drive does not swing ends at its stroke; one that swings goes beyond.
cat >piston.json <<'SCENE'
{ "time": {"step": 0.02, "steps": 80}, "contact": {"friction": 0.6},
  "shapes": {"ground": {"type": "plane"}, "box": {"type": "box", "size": [0.1, 0.1, 0.1]}, "rod": {"type": "box", "size": [0.05, 0.05, 0.05]}},
  "bodies": [
    {"name": "ground", "joint": "fixed", "shape": "ground"},
    {"name": "box", "shape": "box", "mass": 2, "position": [0.12, 0, 0.051]},
    {"name": "rod", "shape": "rod", "mass": 0.5, "position": [0, 0, 0.06], "joint": "slide", "axis": [1, 0, 0], "pd": {"kp": 500, "kd": 60}}],
  "control": [{"type": "pd_targets", "body": "rod", "low": [-0.03], "high": [0.03]}],
  "objective": [{"type": "reach", "body": "box", "target": [0.2, 0, 0.05], "axes": "x", "tolerance": 0.02}] }
SCENE
sense piston.json "too far" 'is 0.045 m away from ."rod.", which controls move by at most 0.04 m'
sound piston.json --set bodies.rod.pd.kd=6
sound piston.json --set 'control[0].high=[0.06]'
# A motor that does not hold its pendulum has to swing it, which implicit Euler damps.
sense "$d/everyday/swing_weak.json" "damped swing" 'as 0.8 N m do not hold its 2.94 N m up, and steps of 0.02 s take 73 %'
check "second order is to try" grep -q 'try.*time.integrator=second_order' "$out"
sound "$d/everyday/swing_weak.json" --set time.integrator=second_order
sound "$d/everyday/swing_weak.json" --set time.step=0.002
sound "$d/everyday/swing_weak.json" --set 'control[0].limit=3'
# An arm that hangs too short of the log that it is to roll, by 1.8 cm, and one that just reaches it.
cat >log.json <<'SCENE'
{ "time": {"step": 0.03, "steps": 60}, "contact": {"friction": 0.5},
  "shapes": {"ground": {"type": "plane"}, "log": {"type": "cylinder", "radius": 0.06, "height": 0.3}, "link": {"type": "capsule", "radius": 0.025, "height": 0.3}},
  "bodies": [
    {"name": "ground", "joint": "fixed", "shape": "ground"},
    {"name": "log", "shape": "log", "mass": 1.5, "position": [0.45, 0, 0.0605], "rotation": [0.70710678, 0.70710678, 0, 0]},
    {"name": "upper", "shape": "link", "mass": 1, "position": [0, 0, 0.55], "joint": {"type": "hinge", "axis": [0, 1, 0]}, "anchor": [0, 0, 0.75], "pd": {"kp": 200, "kd": 15, "gravity_compensation": true}},
    {"name": "lower", "shape": "link", "mass": 0.7, "position": [0, 0, 0.18], "parent": "upper", "frame": "world", "joint": {"type": "hinge", "axis": [0, 1, 0]}, "anchor": [0, 0, 0.36], "pd": {"kp": 120, "kd": 9, "gravity_compensation": true}}],
  "control": [{"type": "pd_targets", "body": "upper", "hold": 4}, {"type": "pd_targets", "body": "lower", "hold": 4}],
  "objective": [{"type": "reach", "body": "log", "target": [0.75, 0, 0.06], "axes": "x", "tolerance": 0.04}] }
SCENE
sense log.json "out of reach" 'log." is 0.763 m away from the base of ."lower.", which reaches 0.745 m' --set name=log
sound log.json --set 'bodies.log.position=[0.4, 0, 0.0605]'
# reachable FILE ARGUMENT...: nothing is said to be out of reach or too far
reachable() {
  "$dcsim" check "$@" >"$out" 2>"$err"
  check "checked: $*" [ $? = 0 ]
  check "may be reached: $*" sh -c '! grep "out of reach\|too far" "$1"' sh "$out"
}
# What turns, slides down or floats up may come by itself.
reachable log.json --set 'bodies.log.angular_velocity=[0, -40, 0]'
reachable log.json --set 'bodies.log.velocity=[-1, 0, 0]'
reachable log.json --set 'bodies.log.buoyancy=2'
sense log.json "out of reach" 'make the arm longer' --set 'bodies.log.angular_velocity=[0, 0, 0]'
reachable log.json --set 'bodies.ground.rotation=[0.995004165278, 0, 0.099833416647, 0]'

# A gate that a motor too far away leaves alone, unless a coupling, a tendon or a tie leads there, or it moves by itself.
cat >far.json <<'SCENE'
{ "time": {"step": 0.02, "steps": 50},
  "shapes": {"bar": {"type": "box", "size": [0.3, 0.04, 0.1]}},
  "bodies": [
    {"name": "gate", "joint": "hinge", "axis": [0, 0, 1], "shape": "bar", "mass": 1, "position": [1.05, 0, 0.5], "range": [-2, 2]},
    {"name": "motor", "joint": "hinge", "axis": [0, 0, 1], "shape": "bar", "mass": 1, "position": [0, 0, 0.5], "pd": {"kp": 50, "kd": 5}}],
  "control": [{"type": "pd_targets", "body": "motor", "hold": 5, "low": [-2], "high": [2]}],
  "objective": [{"type": "joints", "bodies": ["gate"], "target": [0.5], "tolerance": 0.05}] }
SCENE
sense far.json "out of reach" '"gate." is 0.9 m away from the base of ."motor.".*make the arm longer'
sense far.json "out of reach" 'make the arm longer' --set 'bodies.gate.joint={"type": "hinge", "stiffness": 1}'
reachable far.json --set 'couplings=[{"body": "gate", "to": "motor"}]'
reachable far.json --set 'couplings=[{"body": "motor", "to": "gate", "multiplier": -2}]'
reachable far.json --set 'tendons=[{"joints": [{"body": "motor"}, {"body": "gate", "factor": -1}], "stiffness": 50}]'
reachable far.json --set 'ties=[{"body": "gate", "to": "motor", "stiffness": 10}]'
reachable far.json --set 'couplings=[{"body": "gate", "to": "motor"}]' --set bodies.gate.collide=false
reachable far.json --set 'bodies.gate.joint={"type": "hinge", "stiffness": 1, "rest": 0.5}'
reachable far.json --set 'bodies.gate.joint={"type": "hinge", "force": 0.1}'
reachable far.json --set 'bodies.gate.joint_velocity=[1]'
reachable far.json --set 'bodies.gate.pd={"kp": 5, "kd": 1, "target": [0.5]}'

# Joints that have their 0 upright: one that falls need not swing, one that hangs has to.
cat >upright.json <<'SCENE'
{ "time": {"step": 0.02, "steps": 200},
  "shapes": {"rod": {"type": "capsule", "radius": 0.02, "height": 0.3}},
  "bodies": [{"name": "rod", "shape": "rod", "mass": 1, "position": [0, 0, 0.2], "joint": "hinge", "axis": [0, 1, 0],
              "anchor": [0, 0, 0], "joint_position": [0.1]}],
  "control": [{"type": "torque", "body": "rod", "limit": 0.3}],
  "objective": [{"type": "joints", "bodies": ["rod"], "target": [3.14159], "tolerance": 0.1}] }
SCENE
sound upright.json
sound upright.json --set 'bodies.rod.joint_position=[0]'
sense upright.json "damped swing" 'do not hold its 1.96 N m up' --set 'bodies.rod.joint_position=[3.14159]' --set 'objective[0].target=[0]'
# A scene in millimetres and grams is right as it is; with gravity in metres it is not.
cat >bead.json <<'SCENE'
{ "time": {"step": 0.01, "steps": 60}, "gravity": [0, 0, -9810], "contact": {"friction": 0.5},
  "shapes": {"ground": {"type": "plane"}, "bead": {"type": "sphere", "radius": 30}},
  "bodies": [
    {"name": "ground", "joint": "fixed", "shape": "ground"},
    {"name": "bead", "shape": "bead", "mass": 150, "position": [0, 0, 30.1]}],
  "control": [{"type": "initial_state", "body": "bead", "velocity": "x"}],
  "objective": [{"type": "reach", "body": "bead", "target": [150, 0, 30], "axes": "x", "tolerance": 5}] }
SCENE
sense bead.json units 'lengths seem to be in mm and masses in g, as gravity is: that is consistent'
check "nothing else is said" [ "$(grep -c '"symptom"' "$out")" = 1 ]
sense bead.json units 'masses in kg' --set bodies.bead.mass=0.15
sense bead.json units 'radius of 30 m' --set 'gravity=[0, 0, -9.81]'
sound gate.json --set 'control[0].low=[-0.5]' --set 'control[0].high=[0.5]'
sense gate.json contradiction 'at 1 and 0.5' --set 'objective=[{"type": "joints", "bodies": ["gate"], "target": [1], "tolerance": 0.05}, {"type": "joints", "bodies": ["gate"], "target": [0.5], "tolerance": 0.05}]'
sense "$d/unseen/push_gap.json" "too far" '"disc.*away from' --set 'control[0].low=[-0.001]' --set 'control[0].high=[0.001]'
sense "$d/unseen/catch_puck.json" units 'begins with 2000 m/s' --set 'bodies.disc.velocity=[2000, 0, 0]'
sense "$d/unseen/spin_ball.json" units 'turns per minute. Then it is 314.2 rad/s' --set 'objective=[{"type": "velocity", "body": "ball", "angular": [0, 0, 3000], "tolerance": 1}]'
sense "$d/unseen/walker_fast.json" "loose tolerance" 'directions differ by 2 at most' --set 'objective[1].tolerance=2.5'
sense "$d/unseen/bin_throw.json" "target inside" 'inside ."ground' --set 'objective[0].target=[1.2, 0, -0.4]'
sense "$d/unseen/spin_ball.json" degrees 'every orientation' --set 'objective=[{"type": "orientation", "body": "ball", "tolerance": 6}]'
check "once" sh -c '! grep "loose tolerance" "$1"' sh "$out"

sense "$d/unseen/push_gap.json" units 'is its mass given in grams. Then it is 0.25 kg' --set bodies.disc.mass=250

# At the end of a run.
run 0 optimize gate.json -o none --quiet --set 'objective[0].weight=0'
check "no rollouts are blamed" sh -c '! grep "rollouts" "$1" | grep advice' sh "$out"
run 0 optimize gate.json -o none --quiet --set 'objective[0].tolerance=3'
check "what held at the start was not moved from afar" sh -c '! grep "from afar" "$1"' sh "$out"
adam='optimizer={"type": "adam", "iterations": 1}'
run 0 optimize "$d/unseen/arm_push.json" -o none --quiet --set "$adam"
check "one iteration tells nothing" grep -q 'try: .*optimizer.iterations=100' "$out"
run 0 optimize "$d/unseen/arm_push.json" -o none --quiet --set "$adam" --set 'horizon={"length": 2}' --set time.steps=8
check "a warning explains the end" grep -q 'try: .*horizon.length=8' "$out"
finish
