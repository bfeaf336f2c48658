#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The same world written in two ways moves alike: a mechanism on a fixed base and on a free one of ten thousand tons, whose
# parts rub on each other while a collision far away divides steps.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
# loss FILE: of the first guess
loss() { "$dcsim" simulate "$1" -o none --json --quiet | sed -n 's/^  "loss": \(.*\),/\1/p'; }
# near PART: the losses of one.json and two.json differ by this part at most
near() {
  awk -v a="$(loss one.json)" -v b="$(loss two.json)" -v part="$1" 'BEGIN { exit !(a > 0 && (a - b)^2 <= (part * a)^2) }'
}
for integrator in euler second_order; do
  cat > one.json <<EOF
{ "time": { "step": 0.01, "steps": 30, "integrator": "$integrator" }, "gravity": [0, 0, 0],
  "contact": { "model": "bsh", "friction": 0.3 },
  "shapes": { "cube": { "type": "box", "size": [0.1, 0.1, 0.1] }, "plate": { "type": "box", "size": [2, 2, 0.1] },
              "ball": { "type": "sphere", "radius": 0.05 } },
  "bodies": [
    { "name": "base", "mass": 1e7, "position": [0, 0, 5], "shape": "cube", "joint": "fixed" },
    { "name": "plate", "parent": "base", "mass": 1, "shape": "plate", "position": [0, 0, 0],
      "joint": { "type": "slide", "axis": [1, 0, 0] } },
    { "name": "block", "parent": "base", "mass": 0.2, "shape": "cube", "position": [-0.3, 0, 0.2277],
      "joint": [{ "type": "slide", "axis": [1, 0, 0] }, { "type": "slide", "axis": [0, 0, 1] }], "joint_velocity": [2, -1.5] },
    { "name": "first", "mass": 0.1, "shape": "ball", "position": [50, 0, 0], "velocity": [286.87, 0, 0] },
    { "name": "second", "mass": 0.1, "shape": "ball", "position": [79.3393, 0, 0] }],
  "objective": [{ "type": "reach", "body": "block", "target": [-5, 0, 0], "tolerance": 0.001 }] }
EOF
  sed 's/"joint": "fixed"/"joint": "free"/' one.json > two.json
  check "$integrator: a fixed base and a heavy free one" near 1e-6
done
finish
