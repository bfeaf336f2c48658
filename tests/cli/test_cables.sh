#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Cables through moving rigid bodies: forces, gradients by lengths, states and anchors, what is drawn, mistakes.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
finger="$DCSIM_SOURCE/scenes/tendon_finger.json"

# Two weights over a pulley without mass, masses 1 and 1/2: the heavier falls at g/3.  Euler's steps fall a h^2 n (n + 1)/2.
# Smoothing pulls by stiffness x smoothing / 2 at no stretch: 6 N, the tension that the rope has throughout.
cat >atwood.json <<'END'
{"name": "atwood", "time": {"step": 0.01, "steps": 30}, "gravity": [0, 0, -9],
 "shapes": {"weight": {"type": "box", "size": [0.1, 0.1, 0.1]}},
 "bodies": [
  {"name": "heavy", "shape": "weight", "joint": "slide", "axis": [0, 0, 1], "position": [-0.5, 0, 0], "mass": 1, "collide": false},
  {"name": "light", "shape": "weight", "joint": "slide", "axis": [0, 0, 1], "position": [0.5, 0, 0], "mass": 0.5, "collide": false},
  {"name": "hook", "parent": "heavy", "joint": "fixed", "position": [-0.5, 0, 0.05]},
  {"name": "left", "joint": "fixed", "position": [-0.5, 0, 2]},
  {"name": "right", "joint": "fixed", "position": [0.5, 0, 2]},
  {"name": "rope", "cable": {"through": ["hook", "left", "right", "light"], "stiffness": 1e6, "smoothing": 1.2e-5}}],
 "control": [{"type": "spline", "body": "rope", "knots": 2}],
 "objective": [{"type": "reach", "bodies": ["heavy"], "target": [-0.5, 0, 0], "axes": "z"}]}
END
run 0 simulate atwood.json -o none --json --threads 1
holds "weights over a pulley fall as they should" "$out" 'abs(d["loss"] ** 0.5 / (3 * 0.01 ** 2 * 30 * 31 / 2) - 1) < 1e-12'  # observed 9e-16
# A rope that is far too long pulls nothing but what smoothing leaves.
run 0 simulate atwood.json -o none --json --threads 1 --set bodies.rope.cable.length=30
holds "a slack cable pulls nothing" "$out" 'abs(d["loss"] ** 0.5 / (9 * 0.01 ** 2 * 30 * 31 / 2) - 1) < 1e-6'  # observed 1.6e-7

# One rope through a soft block, a slider, a lever on the slider and a free body; and, without the soft block, whose contact
# has no derivatives by shapes, with anchors as design parameters.
cat >pull.json <<'END'
{"name": "pull", "time": {"step": 0.01, "steps": 12}, "gravity": [0, 0, -9.81],
 "shapes": {"box": {"type": "box", "size": [0.1, 0.05, 0.04]}, "ground": {"type": "plane"}},
 "bodies": [
  {"name": "ground", "joint": "fixed", "shape": "ground"},
  {"name": "block", "soft": {"form": "block", "size": [0.1, 0.06, 0.06], "cells": [2, 1, 1], "young": 2e4, "viscosity": 20}, "position": [0, 0, 0.0301]},
  {"name": "slider", "shape": "box", "joint": "slide", "axis": [1, 0, 0.2], "position": [0.3, 0, 0.2], "mass": 0.5, "pd": {"kp": 300, "kd": 5}},
  {"name": "lever", "parent": "slider", "shape": "box", "joint": "hinge", "axis": [0, 1, 0], "anchor": [0.3, 0, 0.25], "position": [0.3, 0, 0.3], "mass": 0.2},
  {"name": "hook", "parent": "slider", "joint": "fixed", "position": [0.24, 0.01, 0.19]},
  {"name": "eye", "parent": "lever", "joint": "fixed", "position": [0.26, 0.02, 0.31]},
  {"name": "nose", "parent": "block", "joint": "fixed", "position": [0.05, 0.01, 0.04]},
  {"name": "ring", "shape": "box", "position": [0.3, 0.4, 0.5], "mass": 0.1},
  {"name": "loop", "parent": "ring", "joint": "fixed", "position": [0.3, 0.37, 0.5]},
  {"name": "rope", "cable": {"through": ["nose", "hook", "eye", "loop"], "stiffness": 500, "smoothing": 0.003}}],
 "control": [{"type": "spline", "body": "rope", "knots": 3, "initial": [-0.02, -0.03, -0.02]}, {"type": "spline", "body": "slider", "knots": 3}],
 "design": [{"type": "anchor", "body": "hook", "box": 0.02}, {"type": "anchor", "body": "loop", "box": 0.02}, {"type": "anchor", "body": "lever", "box": 0.02}],
 "objective": [{"type": "reach", "bodies": ["loop"], "target": [0.2, 0, 0.1]}]}
END
grep -v '"design"' pull.json >soft.json
sed -e '/"block", "soft"/d' -e '/"nose"/s/"parent": "block", //' pull.json >rigid.json
run 0 gradcheck soft.json --json --threads 1
holds "soft and rigid on one cable: the adjoint agrees with differences" "$out" 'd["max_relative_error"] <= 1e-7'  # observed 1e-8
holds "tangent and adjoint agree" "$out" 'd["products"]["tangent_adjoint"] <= 2e-14'  # observed 2e-15
run 0 gradcheck rigid.json --json --threads 1
holds "anchors of points: the adjoint agrees with differences" "$out" 'd["max_relative_error"] <= 3e-8'  # observed 2.6e-9
run 0 gradcheck "$finger" --json --threads 1
holds "a finger on tendons: the adjoint agrees with differences" "$out" 'd["max_relative_error"] <= 5e-8'  # observed 3e-9 and 4e-9, by vector width
holds "tangent and adjoint agree for it" "$out" 'd["products"]["tangent_adjoint"] <= 5e-12'  # observed 3e-13

run 0 check --json "$finger"
holds "check tells of cables" "$out" 'd["bodies"]["front"]["points"] == 6 and abs(d["bodies"]["front"]["length"] - 0.1291) < 1e-4'
run 0 check "$finger"
check "and of markers" grep -q 'marker on "distal"' "$out"
run 0 optimize "$finger" -o finger --json --quiet --threads 1 --require-success
holds "the finger knocks the ball to its place" "$out" 'd["success"]'
run 0 export finger --format glb -o finger.glb
if python_with struct; then
  check "tendons move in glTF and on the page" "$python" - <<'PYTHON'
import json, re, struct
data = open("finger.glb", "rb").read()
gltf = json.loads(data[20:20 + struct.unpack("<I", data[12:16])[0]])
meshes = {mesh["name"]: mesh["primitives"][0] for mesh in gltf["meshes"]}
assert len(meshes["front"]["targets"]) == len(meshes["back"]["targets"]) == 40
text = open("finger/report.html", encoding="utf-8").read()
page = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1))
assert [s["body"] for s in page["surfaces"]] == ["front", "back"] and page["best"]["nodes"]["count"] == 2 * 6 * 8
PYTHON
fi

# mistakes
refuses() { # rule, scene, assignment
  run 3 check "$2" --set "$3"
  says "$1"
}
refuses "through: must name bodies that move against each other" rigid.json bodies.rope.cable.through='["slider", "hook"]'
refuses "through: must name bodies that move against each other" atwood.json bodies.rope.cable.through='["left", "right"]'
refuses "through[1]: must not be the cable itself" rigid.json bodies.rope.cable.through='["hook", "rope"]'
refuses "through[2]: must not lie where the one before it lies" rigid.json bodies.eye.position='[0.24, 0.01, 0.19]'
refuses "cable.length: must be > 0" rigid.json bodies.rope.cable.length=0
refuses "inertia: must be given, with mass, for a body that moves and has no shape" rigid.json bodies.hook.joint=ball
finish
