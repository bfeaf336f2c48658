#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Soft bodies and cables as they are seen: pictures, films, glTF and pages show a solid, a rod and a cable that move.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
if ! python_with struct; then
  skip "soft bodies as they are seen" "no python3"
  finish
fi

# an arm that a green cable on its side pulls aside, and a blue rope that falls
cat >arm.json <<'SCENE'
{"name": "arm", "time": {"step": 0.01, "steps": 8}, "gravity": [0, 0, -9.81],
 "bodies": [
  {"name": "arm", "color": [0.75, 0.04, 0.03], "position": [0, 0, 0.5], "soft": {"form": "beam", "size": [0.3, 0.05, 0.05], "cells": [5, 1, 1], "young": 1e5, "viscosity": 20,
     "self_contact": false, "pins": [{"low": [-0.151, -1, -1], "high": [-0.149, 1, 1]}]}},
  {"name": "base", "joint": "fixed", "position": [-0.25, -0.024, 0.52]},
  {"name": "one", "parent": "arm", "joint": "fixed", "position": [-0.05, -0.0249, 0.515]},
  {"name": "tip", "parent": "arm", "joint": "fixed", "position": [0.14, -0.0249, 0.51]},
  {"name": "cable", "color": [0, 1, 0], "cable": {"through": ["base", "one", "tip"], "stiffness": 2000, "smoothing": 0.001}},
  {"name": "rope", "color": [0, 0, 1], "position": [0, -0.1, 0.6], "soft": {"type": "rod", "size": [0.3], "cells": [6], "thickness": 0.01, "young": 1e6, "self_contact": false}}],
 "control": [{"type": "spline", "body": "cable", "knots": 3, "initial": [-0.05, -0.05, -0.05]}],
 "camera": {"eye": [0, -1, 0.7], "target": [0, 0, 0.5]},
 "objective": [{"type": "reach", "bodies": ["tip"], "target": [0.14, 0, 0.5]}]}
SCENE
run 0 simulate arm.json -o arm --quiet
run 0 render arm --size 640x360 --samples 4 --every 8
cat >colors.py <<'PYTHON'
from png_pixels import pixels
def middle(name, channel):
    """How many pixels have much more of a channel than of the others, and their mean row."""
    rows = [y for y, row in enumerate(pixels(name)) for p in row if p[channel] > 60 + max(p[:channel] + p[channel + 1:])]
    return len(rows), sum(rows) / max(1, len(rows))
PYTHON
export PYTHONPATH="$DCSIM_SOURCE/tests/cli" PYTHONDONTWRITEBYTECODE=1
check "the cable, the rope and the arm are in the pictures, and move" "$python" - <<'PYTHON'
from colors import middle
(cable, cable_first), (cable_then, cable_mean) = [middle("arm/frames/00000%d.png" % f, 1) for f in (0, 8)]
(rope, rope_first), (rope_then, rope_mean) = [middle("arm/frames/00000%d.png" % f, 2) for f in (0, 8)]
print(cable, cable_first, cable_then, cable_mean, rope, rope_first, rope_then, rope_mean)
assert cable > 100 and cable_then > 100 and rope > 100 and rope_then > 100 and middle("arm/frames/000000.png", 0)[0] > 1000
assert abs(cable_mean - cable_first) > 2 and rope_mean > rope_first + 10  # observed 7, 19: the rope falls 35 mm
PYTHON

if command -v ffmpeg >/dev/null 2>&1 && command -v ffprobe >/dev/null 2>&1; then
  run 0 render arm --size 64x36 --samples 1 --video arm.mp4 --quiet
  frames=$(ffprobe -v error -count_frames -of csv=p=0 -show_entries stream=nb_read_frames arm.mp4)
  check "a film of soft bodies has all nine frames (was: $frames)" [ "$frames" = 9 ]
else
  skip "a film of soft bodies" "no ffmpeg or ffprobe"
fi

run 0 export arm --format glb -o arm.glb
check "a mesh with a target for every later frame for each of the three" "$python" - <<'PYTHON'
import json, struct
data = open("arm.glb", "rb").read()
size = struct.unpack("<I", data[12:16])[0]
gltf, binary = json.loads(data[20:20 + size]), data[28 + size:]
def vectors(index):
    accessor = gltf["accessors"][index]
    at = gltf["bufferViews"][accessor["bufferView"]].get("byteOffset", 0) + accessor.get("byteOffset", 0)
    return [struct.unpack_from("<3f", binary, at + 12 * i) for i in range(accessor["count"])]
meshes = {mesh["name"]: mesh["primitives"][0] for mesh in gltf["meshes"]}
assert set(meshes) == {"arm", "cable", "rope"}
for name, vertices in (("arm", 24), ("cable", 3 * 8), ("rope", 7 * 8)):
    places, targets = vectors(meshes[name]["attributes"]["POSITION"]), meshes[name]["targets"]
    assert len(places) == vertices and len(targets) == 8
    moves = vectors(targets[-1]["POSITION"])
    assert max(abs(x) for move in moves for x in move) > 0.005, name
# the first ring is around the fixed end, and stays
first = vectors(meshes["cable"]["attributes"]["POSITION"])[:8]
assert all(abs(sum(v[k] for v in first) / 8 - (-0.25, -0.024, 0.52)[k]) < 1e-6 for k in range(3))
PYTHON
if command -v node >/dev/null 2>&1 && [ -d "$DCSIM_SOURCE/tests/npm/node_modules/gltf-validator" ]; then
  check "Khronos' validator finds nothing" node "$DCSIM_SOURCE/tests/npm/gltf.cjs" arm.glb
else
  skip "Khronos' validator" "no node or no gltf-validator"
fi

check "surfaces of all three are on the page" "$python" - <<'PYTHON'
import base64, json, re
text = open("arm/report.html", encoding="utf-8").read()
page = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1))
count = page["best"]["nodes"]["count"]
assert count == 24 + 24 + 56 and [s["body"] for s in page["surfaces"]] == ["arm", "cable", "rope"]
corners = []
for surface in page["surfaces"]:
    data = base64.b64decode(surface["triangles"])
    corners += [int.from_bytes(data[i:i + 2], "little") for i in range(0, len(data), 2)]
assert set(corners) == set(range(count))
PYTHON
finish
