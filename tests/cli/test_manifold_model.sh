#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The contact model manifold: gradients of a collision of superquadrics, nothing passes, what it refuses.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

cat >shot.json <<'SCENE'
{
  "name": "shot",
  "time": { "step": 0.02, "steps": 10 },
  "gravity": [0, 0, 0],
  "contact": { "model": "manifold", "stiffness": 1e-5 },
  "shapes": { "stone": { "type": "superquadrics", "cells": 12, "triangles": 40, "inset": 0.002, "parts": [{ "axes": [0.12, 0.1, 0.08], "exponents": [0.7, 0.8] }] } },
  "bodies": [
    { "name": "cue", "shape": "stone", "mass": 0.05, "position": [-0.3, 0.02, 0.01], "velocity": [1, 0, 0] },
    { "name": "one", "shape": "stone", "mass": 0.05, "position": [0, 0, 0], "rotation": [0.8, 0, 0, 0.6] }
  ],
  "control": [{ "type": "initial_state", "body": "cue", "velocity": "x", "initial": [1] }],
  "objective": [{ "type": "reach", "body": "one", "target": [0.2, 0.1, 0], "when": "end" }]
}
SCENE

run 0 gradcheck shot.json --json
holds "gradients agree with differences" "$out" 'd["max_relative_error"] < 1e-6'
run 0 gradcheck shot.json --json --set contact.edges=2
holds "so they do with edges" "$out" 'd["max_relative_error"] < 1e-6'
run 0 simulate shot.json -o slow --json
holds "nothing passes" "$out" 'd["min_gap"] > 0'
sed 's/"name": "one"/"name": "one", "friction": 0.3/' shot.json >rough.json
run 3 simulate rough.json -o rough
check "friction is refused" grep -q 'body "one" has friction, which the contact model "manifold" does not know' "$err"
finish
