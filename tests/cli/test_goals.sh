#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What robots want: a point, a rotation, both as a pose, a direction, coordinates of joints.  Each objective on an arm that is not there
# yet: gradients and Jacobians agree with differences, within the tolerance nothing is left, and an arm gets there and
# ends inside.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
cat >arm.json <<'SCENE'
{ "time": {"step": 0.02, "steps": 25}, "gravity": [0, 0, -9.81], "contact": {"model": "bsh"},
  "shapes": {"link": {"type": "capsule", "radius": 0.03, "height": 0.3}, "hand": {"type": "box", "size": [0.1, 0.06, 0.04]}},
  "bodies": [
    {"name": "upper", "joint": "universal", "axis": [0, 1, 0], "anchor": [0, 0, 0], "shape": "link", "mass": 2,
     "position": [0, 0, -0.2], "pd": {"kp": 40, "kd": 6, "gravity_compensation": true}},
    {"name": "lower", "parent": "upper", "joint": "hinge", "axis": [0, 1, 0], "anchor": [0, 0, -0.4], "shape": "link",
     "mass": 1, "position": [0, 0, -0.6], "joint_position": [-0.7], "pd": {"kp": 30, "kd": 4, "gravity_compensation": true}},
    {"name": "hand", "parent": "lower", "joint": "ball", "anchor": [0, 0, -0.8], "shape": "hand", "mass": 0.3,
     "center_of_mass": [0.01, 0.02, 0], "inertia": [3e-4, 4e-4, 5e-4, 0, 0, 0], "position": [0, 0, -0.85], "pd": {"kp": 10, "kd": 1}},
    {"name": "post", "joint": "fixed", "shape": "hand", "position": [0, 0.02, -0.9], "collide": false}],
  "control": [{"type": "spline", "body": "upper", "knots": 3}, {"type": "spline", "body": "lower", "knots": 3},
              {"type": "spline", "body": "hand", "knots": 3}],
  "objective": [], "optimizer": {"type": "gauss_newton", "iterations": 30} }
SCENE

# objective NAME OBJECTIVE: without its last brace.
objective() {
  what=$1
  for when in end every; do
    run 0 gradcheck arm.json --json --set "objective=[$2, \"when\": \"$when\"}]"
  done
  run 0 simulate arm.json -o none --json --set "objective=[$2, \"tolerance\": 0.02}]"
  check "$what: not reached from the start" grep -q '"success": false' "$out"
  run 0 simulate arm.json -o none --json --set "objective=[$2, \"tolerance\": 10}]"
  check "$what: nothing is left within the tolerance" grep -q '"loss": 0,' "$out"
  check "$what: which is reached" grep -q '"success": true' "$out"
  run 0 optimize arm.json -o none --json --quiet --set "objective=[$2, \"tolerance\": 0.02, \"inside\": 0.5}]"
  check "$what: is reached" grep -q '"success": true' "$out"
  distance=$(awk -F'[:,]' '/"distance"/ {print $2; exit}' "$out")
  check "$what: ends inside, at $distance" awk -v d="$distance" 'BEGIN {exit !(d <= 0.0101)}'
}

objective point '{"type": "point", "body": "hand", "point": [0.05, 0.02, 0.01], "target": [0.3, 0.1, -0.6]'
objective "point in a plane" '{"type": "point", "body": "hand", "point": [0.05, 0.02, 0.01], "target": [0.3, 0.1, -0.6], "axes": "xy"'
objective orientation '{"type": "orientation", "body": "hand", "target": [0.9, 0.3, 0.3, 0.1]'
objective upright '{"type": "upright", "body": "hand", "axis": [1, 2, 0], "target": [0, 3, 1]'
objective joints '{"type": "joints", "bodies": ["upper", "lower"], "target": [0.3, -0.2, 0.4]'

objective "clearance, near" '{"type": "clearance", "body": "hand", "to": "upper", "distance": 0.3, "keep": "at_most"'
objective "clearance, apart" '{"type": "clearance", "body": "post", "to": "hand", "distance": 0.35'
objective "clearance, exactly" '{"type": "clearance", "body": "upper", "to": "hand", "distance": 0.4, "keep": "exactly"'

for when in end every; do
  run 0 gradcheck arm.json --json --set "objective=[{\"type\": \"pose\", \"body\": \"hand\", \"target\": [0.3, 0.1, -0.6], \"rotation\": [0.9, 0.3, 0.3, 0.1], \"when\": \"$when\"}]"
done
pose='{"type": "pose", "body": "hand", "target": [0.3, 0.1, -0.6], "rotation": [0.9, 0.3, 0.3, 0.1]'
run 0 simulate arm.json -o none --json --set "objective=[$pose, \"rotation_tolerance\": 4, \"tolerance\": 10}]"
check "a pose: nothing is left within both tolerances" grep -q '"loss": 0,' "$out"
run 0 optimize arm.json -o none --json --quiet --set "objective=[$pose, \"tolerance\": 0.02, \"rotation_tolerance\": 0.05}]"
holds "a pose is reached: place and rotation" "$out" 'd["success"] and [(c["name"], c["unit"], c["holds"]) for c in d["objectives"][0]["conditions"]] == [("position", "m", True), ("orientation", "rad", True)] and d["objectives"][0]["conditions"][1]["value"] <= 0.05'
run 0 simulate arm.json -o none --quiet --set "objective=[$pose, \"rotation_tolerance\": 4, \"tolerance\": 0.001}]"
check "a place alone is no pose" grep -q 'not reached: pose hand: position .* of 0.001 m: no, at 0.5 s (step 25); orientation .* of 4 rad: yes' "$out"
run 0 simulate arm.json -o none --set 'objective=[{"type": "orientation", "body": "hand", "target": [0.9, 0.3, 0.3, 0.1]}]'
check "an angle is no length" grep -q 'orientation hand: [0-9.]* rad from its target' "$out" "$err"
run 3 check arm.json --set 'objective=[{"type": "clearance", "body": "hand", "to": "hand"}]'
says "must be another body"
run 3 check arm.json --set 'objective=[{"type": "joints", "bodies": ["upper", "lower"], "target": [0.3, -0.2]}]'
says "target: must hold 3 numbers"
run 3 check arm.json --set 'objective=[{"type": "joints", "bodies": ["hand"], "target": [0]}]'
says "must have slides or hinges"
run 3 check arm.json --set 'objective=[{"type": "orientation", "body": "hand", "target": [1, 1, 0, 0]}]'
says "must be of unit length"
run 3 check arm.json --set 'objective=[{"type": "upright", "body": "hand", "axis": [0, 0, 0]}]'
says "must not be zero"
# The derivative by a shape would be missing; by another one it is not.
held="--set bodies.upper.pd.gravity_compensation=false --set bodies.lower.pd.gravity_compensation=false"
run 3 check arm.json $held --set 'objective=[{"type": "clearance", "body": "upper", "to": "hand", "distance": 0.4}]' --set 'design=[{"type": "link", "body": "upper"}]'
says '"upper" must not have a shape that a design changes'
run 0 gradcheck arm.json $held --set 'objective=[{"type": "clearance", "body": "post", "to": "hand", "distance": 0.35}]' --set 'design=[{"type": "anchor", "body": "upper", "box": 0.01}]'
finish
