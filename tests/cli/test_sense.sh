#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tasks that make no sense are told before they run, with what would be right; commands to try are complete; what failed
# is named with its number.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

cat >push.json <<'SCENE'
{ "time": {"step": 0.02, "steps": 50},
  "shapes": {"plane": {"type": "plane"}, "box": {"type": "box", "size": [0.1, 0.1, 0.1]}, "ball": {"type": "sphere", "radius": 0.05}},
  "bodies": [
    {"name": "ground", "joint": "fixed", "shape": "plane"},
    {"name": "wall", "joint": "fixed", "shape": "box", "position": [1, 0, 0.05]},
    {"name": "cube", "shape": "box", "mass": 0.5, "position": [0.3, 0, 0.0505]},
    {"name": "pusher", "shape": "ball", "mass": 0.3, "position": [0, 0, 0.051],
     "joint": [{"type": "slide", "axis": [1, 0, 0]}, {"type": "hinge", "axis": [0, 0, 1]}], "pd": {"kp": 100, "kd": 10}}],
  "control": [{"type": "pd_velocity", "body": "pusher", "speed": 1}],
  "objective": [{"type": "reach", "body": "cube", "target": [0.5, 0, 0.05], "tolerance": 0.02}],
  "optimizer": {"type": "adam", "learning_rate": 0.05, "iterations": 3} }
SCENE

# sense WHAT SYMPTOM WORDS ARGUMENT...: check says it, in these words
sense() {
  what=$1 symptom=$2 words=$3
  shift 3
  "$dcsim" check push.json --json "$@" >"$out" 2>"$err"
  check "$what: $symptom" grep -q "\"symptom\": \"$symptom\"" "$out"
  check "$what: a remedy" grep -q "$words" "$out"
}
run 0 check push.json
check "a sound task gets none" [ -z "$(grep advice: "$out")" ]
sense "gravity upwards" gravity 'try.*gravity=\[0, 0, -9.81\]' --set 'gravity=[0, 0, 9.81]'
sense "gravity along y" gravity 'sideways: z is up' --set 'gravity=[0, -9.81, 0]'
sense "nothing to change" "no control" 'pd_targets.*pusher' --set 'control=[]'
sense "no tolerance" "no tolerance" 'tolerance.*0.01 (m)' --set 'objective[0].tolerance=0'
sense "a target below the ground" "target inside" '(0.5, 0, 0.05) is free' --set 'objective[0].target=[0.5, 0, -0.1]'
sense "a target half in the ground" "target inside" 'inside .*ground' --set 'objective[0].target=[0.5, 0, 0.01]'
sense "a target in a wall" "target inside" 'inside .*wall' --set 'objective[0].target=[1.01, 0, 0.06]'
sense "a target beside the wall that is too near" "target inside" 'inside .*wall' --set 'objective[0].target=[0.93, 0, 0.05]'
run 0 check push.json --set 'objective[0].target=[0.895, 0, 0.05]'
check "a target that touches the wall is none inside" [ -z "$(grep advice: "$out")" ]
run 0 check push.json --set 'objective[0].target=[0.5, 0, -0.1]' --set 'objective[0].axes=xy'
check "an axis that does not count does not" [ -z "$(grep advice: "$out")" ]
sense "a driven body that is too slow" "too far" 'give it 3' --set 'objective[0].body=pusher' --set 'objective[0].target=[3, 0, 0.05]'
sense "millimetres" "too far" 'millimetres' --set 'objective[0].target=[500, 0, 0.05]'
sense "degrees" degrees 'would be -*1.571 rad' --set 'control=[{"type": "pd_targets", "body": "pusher", "coordinates": "1", "low": [-90], "high": [90]}]'
sense "a tolerance in degrees" degrees 'would be 0.0873 rad' --set 'objective=[{"type": "orientation", "body": "cube", "tolerance": 5}]'
sense "a quaternion as x y z w" quaternion 'it is \[1, 0, 0, 0\]' --set 'bodies.cube.rotation=[0, 0, 0, 1]'
sense "one of an objective" quaternion '0.707107, 0, 0, 0.707107' --set 'objective=[{"type": "orientation", "body": "cube", "tolerance": 0.1, "target": [0, 0, 0.70710678, 0.70710678]}]'
sense "gains beyond a step" "stiff gains" 'would hold as well' --set bodies.pusher.pd.kp=1e9
sense "windows of two steps" "short horizon" 'try.*horizon.length=20' --set 'horizon={"length": 2}'
sense "no ground" falls 'plane' --set 'bodies.ground.joint=free' --set bodies.ground.shape=ball --set bodies.ground.mass=1 --set 'bodies.ground.position=[5, 5, 5]' --set time.steps=100
sense "no ground, and a hand" falls 'unless ."pusher." catches it' --set bodies.ground.position='[0, 0, -50]' --set bodies.ground.shape=ball --set time.steps=100
sense "restitution that is not got" restitution 'asked for is 0.9' --set contact.restitution=0.9 --set contact.stiffness=1e-2
check "one stiffness for all that asks for another" [ "$(grep -o 'contact.stiffness=[^ "]*' "$out" | sort -u | wc -l)" -le 2 ]
sense "friction that is not got" friction 'try.*contact.friction_smoothing=0.04' --set contact.friction=0.5 --set contact.friction_smoothing=1
sense "with its numbers" friction 'has a friction of 0.098 at the 0.2 m/s of its way to its goal, asked for is 0.5' --set contact.friction=0.5 --set contact.friction_smoothing=1
sense "a fixed body with a target" "out of reach" 'would let it move' --set 'objective[0].body=wall'

# A free body rises only where something lifts it: neither level ground nor a pusher that moves level does.
high='objective[0].target=[0.5, 0, 0.3]'
grep -v '"wall"' push.json >level.json
run 0 check level.json --set "$high"
check "a goal above what only level movers touch" grep -q 'wrong axis: "cube" is to rise by 0.2495* m, but what may touch it moves level' "$out"
check "with the height of what pushes" grep -q "highest point at 0.101 m" "$out"
run 0 check level.json --set 'objective[0].target=[0.5, 0, 0.2]'
check "a box may come to lie upon what tips it" [ -z "$(grep rise "$out")" ]
run 0 check level.json --set "$high" --set bodies.cube.shape=ball --set 'bodies.cube.position=[0.3, 0, 0.0505]'
check "a ball is not lifted by one whose middle is higher" grep -q 'wrong axis: "cube" is to rise' "$out"
run 0 check level.json --set "$high" --set bodies.cube.shape=ball --set 'bodies.cube.position=[0.3, 0, 0.07]'
check "one whose middle is lower may lift it" [ -z "$(grep rise "$out")" ]
run 0 check level.json --set "$high" --set objective.0.axes=xy
check "an axis that does not count asks for no rise" [ -z "$(grep rise "$out")" ]
run 0 check level.json --set 'objective[0].target=[0.5, 0, 0.1]'
check "nor does what tipping lifts" [ -z "$(grep rise "$out")" ]
run 0 check push.json --set "$high"
check "a wall may be climbed" [ -z "$(grep rise "$out")" ]
run 0 check level.json --set "$high" --set 'bodies.pusher.joint=[{"type": "slide", "axis": [1, 0, 0]}, {"type": "slide", "axis": [0, 0, 1]}]'
check "a pusher that goes up may lift" [ -z "$(grep rise "$out")" ]

# A search that was stopped tells what was never touched, too, beside how it goes on.
sed '/"optimizer"/d; s/"tolerance": 0.02}],/"tolerance": 0.02}] }/' level.json >race.json
run 0 optimize race.json -o none --quiet --max-time 2 --set bodies.pusher.pd.kp=0.01 --set bodies.pusher.pd.kd=0.01
check "a search that was stopped: how it goes on" grep -q 'stopped: the search was stopped after' "$out"
if [ "$(sed -n 's/.*stopped after \([0-9]*\) of .*/\1/p' "$out")" -ge 100 ]; then
  check "and what was never touched" grep -q 'never touched: nothing came nearer to "cube"' "$out"
fi

cat >arm.json <<'SCENE'
{ "time": {"step": 0.02, "steps": 25}, "gravity": [0, 0, 0], "shapes": {"link": {"type": "capsule", "radius": 0.03, "height": 0.3}},
  "bodies": [
    {"name": "upper", "joint": "ball", "anchor": [0, 0, 0.5], "shape": "link", "mass": 1, "position": [0, 0, 0.7], "pd": {"kp": 40, "kd": 6}},
    {"name": "lower", "parent": "upper", "joint": "ball", "anchor": [0, 0, 0.9], "shape": "link", "mass": 1, "position": [0, 0, 1.1], "pd": {"kp": 40, "kd": 6}}],
  "control": [{"type": "spline", "body": "upper", "knots": 3}, {"type": "spline", "body": "lower", "knots": 3}],
  "objective": [{"type": "reach", "body": "lower", "target": [0.59, 0, 0.5], "tolerance": 0.02}], "optimizer": {"type": "gauss_newton", "iterations": 3} }
SCENE
run 0 check arm.json
check "within reach" [ -z "$(grep advice: "$out")" ]
run 0 check arm.json --set 'objective[0].target=[0.7, 0, 0.5]'
check "beyond the length of the chain" grep -q 'out of reach: .* 0.7 m from the base of its chain, which is 0.6 m long' "$out"

# A robot on its feet: its base is driven by its legs, whose feet touch what they stand on.
cat >walker.json <<'SCENE'
{ "time": {"step": 0.02, "steps": 20}, "contact": {"stiffness": 1e-5, "friction": 1},
  "shapes": {"plane": {"type": "plane"}, "box": {"type": "box", "size": [0.3, 0.2, 0.05]}, "foot": {"type": "sphere", "radius": 0.03}},
  "bodies": [
    {"name": "ground", "joint": "fixed", "shape": "plane"},
    {"name": "base", "shape": "box", "mass": 1, "position": [0, 0, 0.15]},
    {"name": "left", "parent": "base", "joint": "hinge", "axis": [0, 1, 0], "anchor": [0, 0.1, 0.15], "shape": "foot", "mass": 0.2, "position": [0, 0.1, 0.032], "pd": {"kp": 20, "kd": 1}},
    {"name": "right", "parent": "base", "joint": "hinge", "axis": [0, 1, 0], "anchor": [0, -0.1, 0.15], "shape": "foot", "mass": 0.2, "position": [0, -0.1, 0.032], "pd": {"kp": 20, "kd": 1}}],
  "control": [{"type": "torque", "body": "left", "limit": [3]}, {"type": "torque", "body": "right", "limit": [3]}],
  "objective": [{"type": "reach", "body": "base", "target": [0.02, 0, 0.15], "axes": "x", "tolerance": 0.05}],
  "optimizer": {"type": "adam", "learning_rate": 0.05, "iterations": 3} }
SCENE
run 0 check walker.json
check "a base that legs drive is in reach" [ -z "$(grep 'out of reach' "$out")" ]
run 0 optimize walker.json -o none
check "and is not moved from afar" [ -z "$(grep 'no contact' "$out")" ]

# Commands to try keep what was given.
run 0 optimize push.json -o out --quiet --no-report --model bsh --set 'objective[0].target=[0.55, 0, 0.05]' --set 'optimizer={"type": "adam", "learning_rate": 0.001, "iterations": 12, "target": 0}' --set 'objective[0].rest=0.0001' --set bodies.cube.velocity='[0.01, 0, 0]' --set "name=a b'c" --seed 4
line=$(sed -n 's/^    try: //p' "$out")
check "a complete command: $line" [ -n "$line" ]
for kept in '--model bsh' "--set 'objective\\[0\\].target=\\[0.55, 0, 0.05\\]'" "--set 'name=a b" '-o out-2' '--seed 4'; do
  check "it keeps $kept" sh -c 'echo "$1" | grep -q -- "$2"' sh "$line" "$kept"
done
check "it can be pasted" sh -c "$(echo "$line" | sed "s|^dcsim|\"$dcsim\"|") --quiet --no-report"
check "and solves the same task" sh -c "grep -A9 '\"objective\"' out-2/resolved.json | tr -d ' \\n' | grep -q '0.55'"

# Before time is spent, and at the end instead of what is said of a run.
run 0 optimize push.json -o none --set 'objective[0].target=[0.5, 0, -0.1]'
says 'warning: target inside'
check "a search would not help there" [ -z "$(grep 'portfolio\|learning_rate' "$out")" ]
check "what would is said" grep -q 'advice: target inside: .* is free' "$out"

# What failed is named with its number.
run 0 optimize push.json -o none --quiet --set 'objective[0].rest=0.01' --set 'bodies.cube.velocity=[0.2, 0, 0]' --set contact.friction=0
check "the condition that failed" grep -q 'not reached: reach cube: position [0-9.e-]* of 0.02 m: yes; speed [0-9.e-]* of 0.01 m/s: no, at [0-9.]* s (step [0-9]*)' "$out"
run 0 optimize push.json -o none --quiet --json --set 'objective[0].rest=0.01' --set 'bodies.cube.velocity=[0.2, 0, 0]' --set contact.friction=0
check "in JSON, too" grep -q '"holds": false' "$out"
check "and as words" grep -q 'speed [0-9.e-]* of 0.01 m/s: no' "$out"

# Bounds of the same kind: points, poses and coordinates of an arm, and forces times time.
cat >arm.json <<'SCENE'
{ "time": {"step": 0.02, "steps": 50}, "gravity": [0, 0, 0],
  "shapes": {"rod": {"type": "box", "size": [0.3, 0.04, 0.04]}},
  "bodies": [
    {"name": "upper", "shape": "rod", "mass": 1, "joint": "hinge", "axis": [0, 0, 1], "anchor": [0, 0, 0],
     "position": [0.15, 0, 0], "range": [-2, 2], "pd": {"kp": 40, "kd": 4}},
    {"name": "lower", "parent": "upper", "shape": "rod", "mass": 1, "joint": "hinge", "axis": [0, 0, 1],
     "anchor": [0.3, 0, 0], "position": [0.45, 0, 0], "pd": {"kp": 40, "kd": 4}},
    {"name": "ship", "shape": "rod", "mass": 2, "position": [0, 5, 0], "collide": false}],
  "control": [{"type": "spline", "body": "upper", "knots": 3}],
  "objective": [{"type": "point", "body": "lower", "point": [0.15, 0, 0], "target": [0.3, 0.3, 0], "tolerance": 0.02}],
  "optimizer": {"type": "adam", "iterations": 1} }
SCENE
cp push.json pushed.json
cp arm.json push.json
run 0 check push.json
check "a point that the arm reaches gets no advice" [ -z "$(grep advice: "$out")" ]
run 0 check push.json --set 'objective[0].target=[0.59, 0, 0]'
check "nor does one at the end of its reach" [ -z "$(grep advice: "$out")" ]
sense "a point too far for the arm" "out of reach" '0.6 m long: move' --set 'objective[0].target=[0.5, 0.5, 0]'
sense "a pose too far for the arm" "out of reach" '0.45 m long: move' --set 'objective=[{"type": "pose", "body": "lower", "target": [0.5, 0.5, 0], "tolerance": 0.01, "rotation_tolerance": 0.1}]'
sense "a pose without a tolerance of its rotation" "no tolerance" 'never counts as reached' --set 'objective=[{"type": "pose", "body": "lower", "target": [0.3, 0.3, 0], "tolerance": 0.01}]'
sense "a pose with x, y, z, w" quaternion 'objective\[0\].rotation is half a turn' --set 'objective=[{"type": "pose", "body": "lower", "target": [0.3, 0.3, 0], "rotation": [0, 0, 0, 1], "tolerance": 0.01, "rotation_tolerance": 0.1}]'
sense "a coordinate outside of its range" "out of range" 'from -2 to 2 by 0.5: move the target' --set 'objective=[{"type": "joints", "bodies": ["upper"], "target": [2.5], "tolerance": 0.1}]'
run 0 check push.json --set 'objective=[{"type": "joints", "bodies": ["upper"], "target": [2.05], "tolerance": 0.1}]'
check "its tolerance counts" [ -z "$(grep advice: "$out")" ]
sail='control=[{"type": "torque", "body": "ship", "coordinates": "x y", "limit": [4]}]'
sense "a force too small for the way" "too far" 'accelerate it by at most 3.46 m/s^2, which is enough for 1.77 m' --set "$sail" --set 'objective=[{"type": "reach", "body": "ship", "target": [3, 5, 0], "tolerance": 0.05}]'
run 0 check push.json --set "$sail" --set 'objective=[{"type": "reach", "body": "ship", "target": [0.9, 5, 0], "tolerance": 0.05}]'
check "one that is enough" [ -z "$(grep advice: "$out")" ]
cp pushed.json push.json

# Velocities.
run 0 optimize push.json -o none --quiet --set 'objective=[{"type": "velocity", "body": "pusher", "target": [0.3, 0, 0], "axes": "x", "tolerance": 0.1, "from": 15}]' --set optimizer.iterations=100
check "a velocity all the way is reached, and ends the search" grep -q 'task reached' "$out"
run 3 check push.json --set 'objective=[{"type": "velocity", "body": "pusher", "bodies": ["cube"]}]'
says "body: must be given, or bodies"
run 3 check push.json --set 'objective=[{"type": "velocity", "body": "pusher", "tolerance": 0.1, "when": "end", "from": 3}]'
says 'from: needs "when": "every"'
run 3 check push.json --set 'objective=[{"type": "joints", "bodies": ["pusher"], "velocity": [1]}]'
says "velocity: must hold 2 numbers"
finish
