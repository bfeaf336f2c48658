#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What reports show over time and over iterations: joints with targets and torques, forces of contact, the terms of the
# loss; soft bodies; the worlds of a run with cases.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
. "$DCSIM_SOURCE/tests/cli/look.sh"

# an arm that pushes a block with friction over the floor, judged by two objectives
cat >arm.json <<'SCENE'
{ "time": { "step": 0.02, "steps": 30 }, "gravity": [0, 0, -9.81], "contact": { "model": "sdrs", "stiffness": 1e-6, "friction": 0.3 },
  "shapes": { "box": { "type": "box", "size": [0.2, 0.2, 0.2] }, "floor": { "type": "plane" } },
  "bodies": [ { "name": "floor", "shape": "floor", "joint": "fixed" },
              { "name": "pusher", "shape": "box", "position": [-0.3, 0, 0.2], "mass": 1, "pd": { "kp": 500, "kd": 20 },
                "joint": { "type": "slide", "axis": [1, 0, 0] } },
              { "name": "block", "shape": "box", "position": [0, 0, 0.11], "mass": 1 } ],
  "control": [ { "type": "pd_targets", "body": "pusher", "hold": 10, "initial": [0.3] } ],
  "objective": [ { "type": "reach", "body": "block", "target": [0.3, 0, 0.1], "tolerance": 0.05 }, { "type": "effort", "weight": 1e-4 } ],
  "optimizer": { "type": "adam", "learning_rate": 0.02, "iterations": 3 } }
SCENE
cat >soft.json <<'SCENE'
{ "time": { "step": 0.01, "steps": 20 }, "gravity": [0, 0, -9.81], "shapes": { "ground": { "type": "plane" } },
  "bodies": [ { "name": "ground", "joint": "fixed", "shape": "ground", "friction": 0.5 },
              { "name": "block", "friction": 0.5, "position": [0, 0, 0.052], "velocity": [4, 0, -1], "color": [0.8, 0.2, 0.1],
                "soft": { "form": "block", "size": [0.2, 0.1, 0.1], "cells": [4, 3, 3], "young": 2e4, "viscosity": 10 } } ] }
SCENE
run 0 optimize arm.json -o arm --quiet
run 0 optimize arm.json -o worlds --quiet --set 'cases=[{ "name": "heavy", "bodies": { "block": { "mass": 2, "color": [0, 0, 1] } } }, { "gravity": [0, 0, -5] }]'
run 0 simulate soft.json -o soft --quiet

if ! have_python || ! python_with numpy h5py; then
  skip "numbers of the page are those of the files" "no python3 with numpy and h5py"
else
  cat >page.py <<'PYTHON'
import base64, json, re, sys
import h5py, numpy
def load(name):
    text = open(name, encoding="utf-8").read()
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1))
def floats(text):
    return numpy.frombuffer(base64.b64decode(text), "<f4")
def integers(text, size=2):
    return numpy.frombuffer(base64.b64decode(text), "<u%d" % size)
def terms(page):
    lines = page["loss"]["terms"].strip().split("\n")
    return numpy.array([[float(x) for x in line.split(",")] for line in lines[1:]])
def losses(page):
    lines = page["loss"]["csv"].strip().split("\n")
    return numpy.array([float(line.split(",")[1]) for line in lines[1:]])
PYTHON
  # single precision: 6e-8 of a number
  check "joints, targets, torques and contact are those of trajectory.h5" "$python" - <<'PYTHON'
from page import *
page, file = load("arm/report.html"), h5py.File("arm/trajectory.h5")
curves = {(c["group"], c.get("target", False)): c for c in page["best"]["curves"]}
assert len(curves) == 4 == len(page["best"]["curves"])
for (group, target), name, unit in ((("Joint coordinates", False), "q", "m"), (("Joint velocities", False), "qd", "m/s"),
                                    (("Joint forces and torques", False), "torque", "N"), (("Joint coordinates", True), "target", "m")):
    curve, data = curves[group, target], file["coordinates"][name][:, 0]
    assert curve["name"] == "pusher" and curve["unit"] == unit and numpy.abs(floats(curve["values"]) - data).max() <= 1e-7 * numpy.abs(data).max()
names = [name.decode() if isinstance(name, bytes) else name for name in file["contacts"].attrs["names"]]
rows, bodies, force = (file["contacts"][name][:] for name in ("frame", "bodies", "force"))
friction = file["contacts/friction"][:]
assert {frozenset((p["a"], p["b"])) for p in page["best"]["contacts"]} == {frozenset(("floor", "block")), frozenset(("pusher", "block"))}
for pair in page["best"]["contacts"]:
    for key, data in (("normal", force), ("friction", friction)):
        wanted = numpy.zeros(31)
        for frame, both, f in zip(rows, bodies, data):
            if [names[int(b)] for b in both] == [pair["a"], pair["b"]]:
                wanted[int(frame)] = numpy.linalg.norm(f)
        assert numpy.abs(floats(pair[key]) - wanted).max() <= 1e-7 * (1 + wanted.max()), (pair["a"], key)
assert floats(page["best"]["contacts"][0]["friction"]).max() > 0
PYTHON
  # the same sums in the same order: to the digits of a double in its shortest form
  check "the terms of the loss sum up to it" "$python" - <<'PYTHON'
from page import *
for name, count in (("arm", 2), ("worlds", 3)):
    page = load(name + "/report.html")
    table = terms(page)
    assert table.shape == (len(losses(page)), count + 1) and (table[:, 1:] > 0).all(), name
    assert numpy.abs(table[:, 1:].sum(axis=1) - losses(page)).max() <= 1e-15 * losses(page).max(), name
    assert list(table[:, 0]) == list(range(len(table)))
PYTHON
  # 16-bit parts of the box; observed: half a part
  check "nodes of surfaces are those of trajectory.h5" "$python" - <<'PYTHON'
from page import *
page, nodes = load("soft/report.html"), h5py.File("soft/trajectory.h5")["nodes/block"][:]
stored, (surface,) = page["best"]["nodes"], page["surfaces"]
places = integers(stored["places"]).reshape(21, stored["count"], 3) / 65535 * stored["size"] + stored["low"]
# 5 x 4 x 4 nodes, of which 3 x 2 x 2 are inside; two triangles for every square of the surface
assert stored["count"] == 80 - 12 and list(integers(stored["frames"])) == list(range(21))
triangles = integers(surface["triangles"], surface["index_bytes"]).reshape(-1, 3)
assert surface["body"] == "block" and len(triangles) == 4 * (4 * 3 * 2 + 3 * 3) and set(triangles.flat) == set(range(68))
nodes = nodes.reshape(21, 80, 3)
for frame in range(21):
    far = [numpy.abs(nodes[frame] - place).max(axis=1).min() for place in places[frame]]
    assert max(far) <= 0.51 * max(stored["size"]) / 65535, (frame, max(far))
assert [b["moves"] for b in page["bodies"]] == [False, True] and len(floats(page["best"]["positions"])) == 63
PYTHON
  check "all worlds are on the page, with bodies of their own" "$python" - <<'PYTHON'
from page import *
page = load("worlds/report.html")
assert page["worlds"] == 3 and [one["directory"] for one in page["others"]] == ["worlds/cases/heavy", "worlds/cases/case3"]
assert [one["bodies"][2]["mass"] for one in [page] + page["others"]] == [1, 2, 1]
assert page["others"][0]["bodies"][2]["color"] == [0, 0, 1]
assert len({one["best"]["positions"] for one in [page] + page["others"]}) == 3
PYTHON
fi

# rows without terms, and lines that are not whole, leave no trace
run 0 optimize arm.json -o single --quiet --set 'objective=[{ "type": "reach", "body": "block", "target": [0.3, 0, 0.1] }]'
check "one objective has no terms" [ "$(grep -c '"terms"' single/report.html single/progress.jsonl | cut -d: -f2 | tr -d '\n')" = 00 ]
cp arm/progress.jsonl whole
{ head -2 whole; echo '{"iteration": 2, "terms": [1, 2x], "parameters": []}'; echo 'null, "terms": [1]'; printf '{"iteration": 2, "terms": [1, '; } >arm/progress.jsonl
run 0 report arm
check "damaged rows are left out" [ "$(grep -c 'iteration.n0,[^"]*.n1,[^"\\]*.n"' arm/report.html)" = 1 ]
rm arm/progress.jsonl
run 0 report arm
check "without rows there are no terms" [ "$(grep -c '"terms"' arm/report.html)" = 0 ]
cp whole arm/progress.jsonl
run 0 report arm
# the angle from a rotation that is asked for
cat >turn.json <<'END'
{"time": {"step": 0.02, "steps": 40}, "gravity": [0, 0, 0], "shapes": {"b": {"type": "box", "size": [0.1, 0.2, 0.3]}}, "bodies": [{"name": "a", "shape": "b", "mass": 1}],
 "control": [{"type": "initial_state", "body": "a", "velocity": "xyz", "angular_velocity": "xyz"}],
 "objective": [{"type": "pose", "body": "a", "target": [0.2, 0, 0.1], "rotation": [0.8, 0.6, 0, 0], "tolerance": 0.01, "rotation_tolerance": 0.05}],
 "optimizer": {"type": "adam", "learning_rate": 0.05, "iterations": 3}}
END
run 0 optimize turn.json -o turn --quiet
look arm soft worlds turn
finish
