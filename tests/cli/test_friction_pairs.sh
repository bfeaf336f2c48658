#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A coefficient of a pair acts whatever its two bodies have by themselves, in every model and in MuJoCo; friction of one body alone is told.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

not_in() { ! grep -q "$1" "$2"; }

# slide BODY: a box that starts at 1 m/s on a table
slide() {
  cat <<SCENE
{ "name": "slide", "time": { "step": 0.005, "steps": 100 },
  "shapes": { "box": { "type": "box", "size": [0.1, 0.1, 0.1] }, "table": { "type": "plane" } },
  "bodies": [{ "name": "table", "joint": "fixed", "shape": "table" },
             { "name": "box", "shape": "box", "mass": 1, "position": [0, 0, 0.0502] $1 }],
  "control": [{ "type": "initial_state", "body": "box", "velocity": "xy", "initial": [1, 0.1] }],
  "objective": [{ "type": "reach", "body": "box", "target": [0.3, 0, 0.05], "axes": "xy", "tolerance": 0.001 }] }
SCENE
}
# way FILE OPTION...: how far from the target the box stops, m
way() {
  "$dcsim" simulate "$@" --set 'control=null' --set 'bodies.box.velocity=[1,0,0]' -o none --json 2>"$err" >"$out"
  sed -n 's/.*"distance": *\([0-9.e+-]*\).*/\1/p' "$out" | head -n 1
}
# v^2 / (2 mu g) = 0.1699 m, plus half a step's way by implicit Euler: 0.3 m less 0.1724 m
close_to() { awk -v got="$1" -v wanted="$2" -v most="$3" 'BEGIN { exit !(got != "" && (got - wanted) ^ 2 <= most ^ 2) }'; }

slide ', "friction_with": [{ "body": "table", "friction": 0.3 }]' >bare.json
slide ', "friction": 0.5, "friction_with": [{ "body": "table", "friction": 0.3 }]' >one.json
slide ', "friction": 0.3' >alone.json
for model in bsh exact ipc sdrs manifold; do
  for scene in bare one; do
    got=$(way $scene.json --model $model)
    check "$scene, $model: the box stops where friction of 0.3 lets it (is $got)" close_to "$got" 0.1276 0.004
    run 0 gradcheck $scene.json --model $model --steps 20
  done
done
# A pair's own coefficient is that of two bodies that both have it, in any combination: bounces, divided steps, chains,
# second order, other worlds.  The root of 0.25 is exact, so that motions are the same to the bit.
combined() {
  cat <<SCENE
{ "name": "combined", "time": { "step": 0.008, "steps": 60, "integrator": "$2" }, "contact": { "restitution": $3, "on_time": true },
  "shapes": { "box": { "type": "box", "size": [0.09, 0.07, 0.05] }, "table": { "type": "plane" } },
  "bodies": [{ "name": "table", "joint": "fixed", "shape": "table"$4 },
             { "name": "box", "shape": "box", "mass": 1, "position": [0, 0, 0.3], "rotation": [0.76977, -0.59954, -0.21709, 0.02965], "velocity": [9, 0.4, -2]$1 },
             { "name": "arm", "shape": "box", "mass": 0.5, "position": [2, 3, 0.2], "velocity": [1, 0, -1]$1 },
             { "name": "tip", "shape": "box", "mass": 0.3, "parent": "arm", "position": [2.1, 3, 0.2], "joint": { "type": "hinge", "axis": [0, 1, 0], "anchor": [2.05, 3, 0.2] }, "joint_velocity": [3]$1 }],
  "control": [{ "type": "initial_state", "body": "arm", "velocity": "xz" }], "design": [{ "type": "number", "of": "mass", "bodies": ["tip"], "range": [0.1, 1] }],
  "objective": [{ "type": "reach", "body": "box", "target": [0, 0, 0], "tolerance": 0 }, { "type": "reach", "body": "tip", "target": [0, 0, 0], "tolerance": 0 }] }
SCENE
}
for settings in "euler 0.6" "second_order 0" "second_order 0.9"; do
  combined ', "friction_with": [{ "body": "table", "friction": 0.25 }]' $settings >pair.json
  combined ', "friction": 0.25' $settings ', "friction": 0.25' >both.json
  for model in bsh ipc sdrs manifold; do
    run 0 simulate both.json -o none --json --model $model
    cp "$out" both.out
    run 0 simulate pair.json -o none --json --model $model
    holds "$settings, $model: a pair's own coefficient is that of two bodies that have it" "$out" \
      'd["loss"] == json.load(open("both.out"))["loss"]'
  done
  run 0 simulate both.json -o none --json --set contact.friction=0.1 --plant '{"contact": {"model": "sdrs"}}'
  cp "$out" both.out
  run 0 simulate pair.json -o none --json --set contact.friction=0.1 --plant '{"contact": {"model": "sdrs"}}'
  holds "$settings: in a plant, too" "$out" 'd["loss"] == json.load(open("both.out"))["loss"]'
  set -- $settings
  run 0 gradcheck bare.json --steps 20 --set time.integrator=$1 --set contact.restitution=$2 \
    --set 'design=[{"type": "number", "of": "mass", "bodies": ["box"], "range": [0.5, 2]}]'
done
if "$dcsim" list models | grep 'mujoco:' >/dev/null; then
  got=$(way bare.json --model mujoco)
  check "in MuJoCo, too (is $got)" close_to "$got" 0.1276 0.01
else
  skip "in MuJoCo, too" "built without it"
fi
got=$(way alone.json)
check "friction of the box alone does nothing (is $got)" close_to "$got" 0.2 0.001
run 0 check alone.json
check "and it is told" grep -q 'friction of one: "box" has a friction of 0.3, which acts nowhere' "$out"
check "with what would do" grep -q 'try: dcsim check alone.json --set contact.friction=0.3' "$out"
for given in contact.friction=0.1 bodies.table.friction=0; do
  run 0 check alone.json --set $given
  check "not with $given" not_in 'friction of one' "$out"
done
run 0 check bare.json
check "nor where a pair has its own" not_in 'friction of one' "$out"
finish
