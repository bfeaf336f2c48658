#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The contact model manifold: gradients of a collision of superquadrics, nothing passes at any speed, what it refuses.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

cat >shot.json <<'SCENE'
{
  "name": "shot",
  "time": { "step": 0.02, "steps": 5 },
  "gravity": [0, 0, 0],
  "contact": { "model": "manifold", "stiffness": 1e-5 },
  "shapes": { "stone": { "type": "superquadrics", "cells": 12, "triangles": 40, "inset": 0.002, "parts": [{ "axes": [0.12, 0.1, 0.08], "exponents": [0.7, 0.8] }] } },
  "bodies": [
    { "name": "cue", "shape": "stone", "mass": 0.05, "position": [-0.25, 0.02, 0.01], "velocity": [2, 0, 0] },
    { "name": "one", "shape": "stone", "mass": 0.05, "position": [0, 0, 0], "rotation": [0.8, 0, 0, 0.6] }
  ],
  "control": [{ "type": "initial_state", "body": "cue", "velocity": "x", "initial": [2] }],
  "objective": [{ "type": "reach", "body": "one", "target": [0.2, 0.1, 0], "when": "end" }]
}
SCENE
set_speed() { sed "s/\"velocity\": \[2, /\"velocity\": [$1, /; s/\"initial\": \[2\]/\"initial\": [$1]/" shot.json; }

run 0 gradcheck shot.json --json
holds "gradients agree with differences" "$out" 'd["max_relative_error"] < 1e-8'  # observed 1.2e-10
run 0 gradcheck shot.json --json --set contact.friction=0.3 --set contact.restitution=0.5
holds "so they do with friction and restitution" "$out" 'd["max_relative_error"] < 1e-8'  # observed 7.6e-10

cat >boxes.json <<'SCENE'
{
  "name": "boxes",
  "time": { "step": 0.02, "steps": 6 },
  "contact": { "model": "manifold", "stiffness": 1e-5, "friction": 0.3, "restitution": 0.3, "edges": 3 },
  "shapes": { "long": { "type": "box", "size": [0.3, 0.1, 0.1] }, "across": { "type": "box", "size": [0.1, 0.3, 0.12] } },
  "bodies": [
    { "name": "above", "shape": "long", "mass": 0.5, "position": [0.01, -0.02, 0.125], "rotation": [1, 0.002, 0.001, 0], "velocity": [0, 0, -0.5] },
    { "name": "below", "shape": "across", "joint": "fixed" }
  ],
  "control": [{ "type": "initial_state", "body": "above", "velocity": "z", "initial": [-0.5] }],
  "objective": [{ "type": "reach", "body": "above", "target": [0.2, 0.1, 0.1], "when": "end" }]
}
SCENE
run 0 gradcheck boxes.json --json --steps "$(sample 6 2)"
holds "so they do where edges are selected of nearly equal ones" "$out" 'd["max_relative_error"] < 1e-7'  # observed 1.3e-8

# Shapes: factors of superquadrics, one of them turned in its frame; vertices and factors of boxes, on the ground.
stone='"type": "superquadrics", "cells": 12, "triangles": 40, "inset": 0.002'
cat >sizes.json <<SCENE
{
  "name": "sizes",
  "time": { "step": 0.02, "steps": 20 },
  "gravity": [0, 0, 0],
  "contact": { "model": "manifold", "stiffness": 1e-5, "friction": 0.4 },
  "shapes": {
    "stone": { $stone, "parts": [{ "axes": [0.12, 0.1, 0.08], "exponents": [0.7, 0.8] }] },
    "other": { $stone, "parts": [{ "axes": [0.12, 0.1, 0.08], "exponents": [0.7, 0.8], "position": [0.02, 0.01, 0], "rotation": [0.9, 0.1, 0.4, 0.1411] }] }
  },
  "bodies": [
    { "name": "cue", "shape": "stone", "mass": 0.05, "position": [-0.27, 0.02, 0.01], "velocity": [2, 0, 0], "angular_velocity": [0, 1, 2] },
    { "name": "one", "shape": "other", "density": 20, "position": [0, 0, 0], "rotation": [0.8, 0, 0, 0.6] }
  ],
  "design": [
    { "type": "size", "shape": "stone", "range": [0.8, 1.25] },
    { "type": "size", "shape": "other", "together": true, "range": [0.8, 1.25] }
  ],
  "objective": [{ "type": "reach", "body": "one", "target": [0.2, 0.1, 0], "when": "end" }]
}
SCENE
run 0 gradcheck sizes.json --json
holds "gradients by factors of superquadrics" "$out" 'd["max_relative_error"] < 1e-8'  # observed 1.1e-9
sed 's/"shape": "other", "together": true/"shape": "other"/' sizes.json >turned.json
run 3 check turned.json
check "factors that no superquadric has are refused" grep -q 'design\[1\]: contact model manifold: shape "other": a superquadric.s vertices move by factors along the axes of its frame only' "$err"
sed 's/"type": "size", "shape": "stone", "range": .*}/"type": "vertices", "shape": "stone" }/' sizes.json >vertices.json
run 3 check vertices.json
check "and so are its vertices one by one" grep -q 'design\[0\]: contact model manifold: shape "stone": a superquadric.s vertices move by factors' "$err"

cat >shapes.json <<'SCENE'
{
  "name": "shapes",
  "time": { "step": 0.02, "steps": 30 },
  "contact": { "model": "manifold", "stiffness": 1e-5, "friction": 0.3 },
  "shapes": { "ground": { "type": "plane" }, "long": { "type": "box", "size": [0.3, 0.1, 0.1] }, "across": { "type": "box", "size": [0.1, 0.3, 0.12] } },
  "bodies": [
    { "name": "ground", "shape": "ground", "joint": "fixed", "position": [0, 0, -0.07] },
    { "name": "above", "shape": "long", "mass": 0.5, "position": [0.01, -0.02, 0.135], "rotation": [1, 0.02, 0.01, 0], "velocity": [0.3, 0, -0.5] },
    { "name": "below", "shape": "across", "density": 300 }
  ],
  "design": [{ "type": "size", "shape": "long", "range": [0.8, 1.25] }, { "type": "vertices", "shape": "across", "box": [0.01, 0.01, 0.01] }],
  "objective": [{ "type": "reach", "body": "above", "target": [0.2, 0.1, 0.1], "when": "end" }]
}
SCENE
run 0 gradcheck shapes.json --json
holds "gradients by factors and vertices of boxes" "$out" 'd["max_relative_error"] < 1e-8'  # observed 2.0e-10
run 0 gradcheck shapes.json --json --set contact.edges=2 --set time.steps="$(sample 6 2)"
holds "and with edges" "$out" 'd["max_relative_error"] < 2e-8'  # observed 1.2e-9 and 1.9e-9, by vector width

for speed in $(sample "1.5 5 30 100" "1.5 30"); do
  set_speed $speed >fast.json
  run 0 simulate fast.json -o "at-$speed" --json
  holds "nothing passes at $speed m/s" "$out" 'd["min_gap"] > 0'
  run 0 verify "at-$speed" --json
done

parts='{ "axes": [0.12, 0.015, 0.015], "exponents": [0.5, 1] }, { "axes": [0.02, 0.05, 0.02], "exponents": [0.3, 0.5], "position": [0.12, 0, 0] }'
sed "s/\"inset\": 0.002/\"inset\": 0/; s/\"parts\": .*/\"parts\": [$parts] } },/" shot.json >coarse.json
run 3 simulate coarse.json -o coarse
check "a mesh outside of its level set is refused" grep -q 'stand out of the level set of its signed distance by .* m (at most .*); give the shape a larger "inset"' "$err"
finish
