#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Designs that are to be made: a budget of mass, the thickness of parts, overhang, spokes.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
chain=$DCSIM_SOURCE/scenes/codesign_chain.json

# a finger of two hulls with a common vertex that reaches for a point, without contact
cat >finger.json <<'SCENE'
{ "time": { "step": 0.02, "steps": 25 }, "contact": { "model": "sdrs", "stiffness": 0.5, "length": 0.1, "support": 0.1 },
  "shapes": { "stub": { "type": "box", "size": [0.04, 0.04, 0.1] }, "tip": { "type": "hulls", "link": true, "parts": [
    { "vertices": [-0.02,-0.02,-0.06, 0.02,-0.02,-0.06, 0,0.03,-0.06, -0.02,-0.02,0.01, 0.02,-0.02,0.01, 0,0.03,0.01] },
    { "vertices": [-0.02,-0.02,-0.01, 0.02,-0.02,-0.01, 0,0.03,-0.01, -0.02,-0.02,0.06, 0.02,-0.02,0.06, 0,0.03,0.06] } ] } },
  "bodies": [ { "name": "base", "joint": "fixed", "shape": "stub" },
    { "name": "finger", "parent": "base", "joint": "hinge", "axis": [0, 1, 0], "anchor": [0, 0, -0.1], "position": [0, 0, -0.16], "shape": "tip",
      "density": 1000, "joint_position": [0.3], "pd": { "kp": 0.3, "kd": 0.02 } },
    { "name": "block", "shape": "stub", "position": [1, 0, 0], "density": 500 } ],
  "control": [ { "type": "spline", "body": "finger", "knots": 2 } ],
  "objective": [ { "type": "reach", "body": "finger", "target": [0.06, 0, -0.15], "tolerance": 0.01 }, { "type": "mass", "most": 0.1, "weight": 100 } ],
  "design": [ { "type": "vertices", "shape": "tip", "connect": "link", "box": [0.01, 0.01, 0.01] }, { "type": "number", "of": "mass", "bodies": ["finger"] } ],
  "optimizer": { "type": "gauss_newton", "iterations": 20 } }
SCENE

run 0 gradcheck finger.json --json
holds "mass: the adjoint agrees with differences" "$out" 'd["max_relative_error"] <= 1e-6'  # observed 3e-10
holds "mass: so do products and rows" "$out" \
  'd["products"]["tangent_adjoint"] <= 1e-12 and d["products"]["gradient"] <= 1e-12 and d["products"]["differences"] <= 1e-6'
run 0 gradcheck "$chain" --json --steps 60 --set objective='[{"type": "mass", "most": 0.9}]'
holds "mass: lengths of the chain" "$out" 'd["max_relative_error"] <= 1e-6 and
  sum(c["adjoint"] != 0 for c in d["checks"] if c["parameter"].endswith("length")) == 8'  # observed 3e-12
run 0 optimize finger.json -o light --json --quiet --no-report
holds "a design within its budget" "$out" \
  'd["success"] and [o["type"] for o in d["objectives"]] == ["reach", "mass"] and
   d["objectives"][1]["unit"] == "kg" and d["objectives"][1]["distance"] <= 1e-3 and d["objectives"][0]["unit"] == "m"'
run 0 simulate finger.json -o none
check "the excess is told" grep -q 'mass: [0-9.]* kg from its target$' "$out" "$err"
run 0 simulate light/design/scene.json --control light -o none --json
cp "$out" built.json
cat >alike.py <<'PYTHON'
import json
one, other = json.load(open("light/run.json"))["result"]["objectives"], json.load(open("built.json"))["objectives"]
assert all(abs(a["value"] - b["value"]) <= 1e-9 * (1e-6 + a["value"]) for a, b in zip(one, other)), (one, other)
PYTHON
check "the scene with the design built in has the same bodies in its budget" python3 alike.py

# what hangs over in print, of the scene's shapes and of the best design
run 0 check finger.json --json
holds "check tells overhang and how to print" "$out" \
  'set(d["designed"]) == {"finger"} and d["designed"]["finger"]["overhang"] == 0 and d["designed"]["finger"]["up"] == "+z"'
cat >told.py <<'PYTHON'
import csv, json
rows = list(csv.DictReader(open("light/design.csv")))
lines = [json.loads(line) for line in open("light/progress.jsonl")]
best = rows[max(i for i, line in enumerate(lines) if line["best"])]
told = json.load(open("light/run.json"))["result"]["designed"]["finger"]
for key, column in (("mass", "mass of finger [kg]"), ("volume", "volume of finger [m^3]"), ("thinnest", "thinnest part of finger [m]"),
                    ("least_extent", "least extent of finger [m]"), ("overhang", "overhang of finger [1]")):
    assert float(best[column]) == told[key], (key, best[column], told[key])
assert 0 <= told["overhang"] < 0.2 and told["up"][1] in "xyz", told
PYTHON
check "a run tells the same of its best design in design.csv and run.json" python3 told.py
run 0 simulate finger.json -o none
check "so does the summary" grep -q '^  designed finger .* overhang 0 % with +z up$' "$out" "$err"
run 0 simulate finger.json -o none --json --set design='[]'
holds "without a design of shapes nothing is told" "$out" '"designed" not in d'

# blocks that share single vertices have nothing to print between them where they part; with spokes they keep a triangle
cat >blocks.json <<'SCENE'
{ "time": { "step": 0.01, "steps": 30 },
  "contact": { "model": "sdrs", "stiffness": 0.5, "length": 0.1, "support": 0.1, "friction": 0.3, "friction_smoothing": 0.01 },
  "shapes": { "jaw": { "type": "blocks", "size": [0.06, 0.04, 0.04], "divisions": [3, 2, 1], "spoke": 0.008 },
    "mirrored": { "type": "blocks", "size": [0.06, 0.04, 0.04], "divisions": [3, 2, 1], "spoke": 0.008 },
    "post": { "type": "box", "size": [0.04, 0.2, 0.1] }, "ground": { "type": "plane" } },
  "bodies": [ { "name": "ground", "joint": "fixed", "shape": "ground" }, { "name": "post", "joint": "fixed", "shape": "post", "position": [0.08, 0, 0.051] },
    { "name": "one", "shape": "jaw", "density": 500, "position": [0, 0.03, 0.03], "velocity": [0.6, 0, 0] },
    { "name": "two", "shape": "mirrored", "density": 500, "position": [0, -0.03, 0.03], "velocity": [0.6, 0, 0] } ],
  "control": [], "objective": [ { "type": "reach", "bodies": ["one", "two"], "target": [-0.1, 0, 0.02] }, { "type": "mass", "most": 0.005, "weight": 1e4 } ],
  "design": [ { "type": "vertices", "shape": "jaw", "mirror": "mirrored", "box": [0.0095, 0.0095, 0.0195] } ],
  "optimizer": { "type": "lbfgs", "iterations": 30 } }
SCENE
run 0 gradcheck blocks.json --json
holds "spoke: the adjoint agrees with differences" "$out" 'd["max_relative_error"] <= 1e-6'  # observed 3e-8
run 0 check blocks.json --json
holds "spoke: one group of three for each face, and no single vertices" "$out" \
  'd["designed"]["one"]["vertices"] == 6 * 8 + 2 * 7 * 3 and len(d["design"]) == 3 * (6 * 8 + 7) and d["single_vertices"] == []'
run 0 check blocks.json --json --set shapes.jaw.spoke=null --set shapes.mirrored.spoke=null
holds "without there are single ones" "$out" 'd["single_vertices"] == [{"shape": "jaw", "parts": 6, "pieces": 6}]'
run 0 check blocks.json --set shapes.jaw.spoke=null --set shapes.mirrored.spoke=null
check "which a note tells" grep -q 'note: "jaw" prints in 6 pieces .*(blocks can have a "spoke")$' "$out"
run 0 check "$DCSIM_SOURCE/scenes/codesign_hand.json" --set design='[{"type": "vertices", "shape": "upper1", "connect": "weld"}]' --json
holds "parts that are welded face to face have none" "$out" 'd["single_vertices"] == []'
run 3 check blocks.json --set shapes.jaw.spoke=0.017
says 'shapes.jaw: shape "jaw": spoke: must be at most 0.016 m, 0.8 of the shortest edge of a block (is 0.017)'
run 3 check blocks.json --set shapes.jaw.spoke=0
says 'shapes.jaw.spoke: must be > 0 m'
run 0 optimize blocks.json -o little --quiet --no-report
cat >spokes.py <<'PYTHON'
import csv, json, math
rows = list(csv.DictReader(open("little/design.csv")))
volumes = [float(row["volume of one [m^3]"]) for row in rows]
assert min(volumes) < 0.5 * volumes[0], volumes
parts = []
for line in open("little/design/one.obj"):
    word, *rest = line.split()
    if word in "go":
        parts.append([])
    elif word == "v":
        parts[-1].append(tuple(float(x) for x in rest))
assert len(parts) == 6, len(parts)
joined = 0
for i, part in enumerate(parts):
    for other in parts[:i]:
        common = [v for v in part if v in other]
        assert len(common) in (0, 3), common
        joined += len(common) == 3
        for a, b in zip(common, common[1:] + common[:1]):
            assert len(common) < 3 or abs(math.dist(a, b) - 0.008) < 1e-12, (a, b)
assert joined == 7, joined
PYTHON
check "blocks that shrink keep triangles in common" python3 spokes.py

# thickness: the parts begin with a least extent of 29 mm
run 0 check finger.json --json
holds "check tells the least extent of a part" "$out" \
  '0.028 < d["designed"]["finger"]["least_extent"] < 0.03 < d["designed"]["finger"]["thinnest"]'
thick='{"type": "thickness", "least": 0.035, "weight": 0.1}'
reach='{"type": "reach", "body": "finger", "target": [0.06, 0, -0.15], "tolerance": 0.01}'
for objective in "$thick" "$thick, $reach" "$thick, {\"type\": \"mass\", \"most\": 0.1}, $reach"; do
  run 0 gradcheck finger.json --json --set objective="[$objective]"
  holds "thickness: the adjoint agrees with differences" "$out" 'd["max_relative_error"] <= 1e-6'  # observed 3e-9
  holds "thickness: so do products and rows" "$out" \
    'd["products"]["tangent_adjoint"] <= 1e-12 and d["products"]["gradient"] <= 1e-12 and d["products"]["differences"] <= 1e-6'
done
run 0 gradcheck "$chain" --json --steps 60 --set objective='[{"type": "thickness", "least": 0.17}]'
holds "thickness: links with two like extents" "$out" 'd["max_relative_error"] <= 1e-6'  # observed 8e-10
run 0 gradcheck "$DCSIM_SOURCE/scenes/codesign_single_jaw.json" --json --steps 4 --set objective='[{"type": "thickness", "least": 0.02}]'
holds "thickness: cubes" "$out" 'd["max_relative_error"] <= 1e-6'  # observed 3e-11
for optimizer in gauss_newton lbfgs; do
  run 0 optimize finger.json -o thick_$optimizer --json --quiet --no-report --set objective="[$thick, $reach]" --set optimizer.type='"'$optimizer'"'
  holds "$optimizer: parts as thick as they shall be" "$out" \
    'd["success"] and d["objectives"][0]["type"] == "thickness" and d["objectives"][0]["distance"] <= 3.5e-4'
  run 0 check thick_$optimizer/design/scene.json --json --set design='[{"type": "size", "shape": "finger"}]'
  holds "$optimizer: so they are" "$out" 'd["designed"]["finger"]["least_extent"] >= 0.035 - 3.5e-4'
done

# mistakes, with place and rule
mistake() {
  run 3 check finger.json --set objective="[$1]"
  says "$2"
}
mistake '{"type": "mass"}' 'objective[0]: missing key "most"'
mistake '{"type": "mass", "most": 0}' 'objective[0].most: must be'
mistake '{"type": "mass", "most": 1, "tolerance": -1}' 'objective[0].tolerance: must be'
mistake '{"type": "mass", "most": 1, "bodies": ["finger", "base"]}' 'objective[0].bodies[1]: "base" has no mass'
mistake '{"type": "mass", "most": 1, "bodies": ["thumb"]}' 'objective[0].bodies'
mistake '{"type": "mass", "most": 1, "bodies": ["finger", "finger"]}' 'objective[0].bodies'
mistake '{"type": "thickness"}' 'objective[0]: missing key "least"'
mistake '{"type": "thickness", "least": -0.01}' 'objective[0].least: must be'
mistake '{"type": "thickness", "least": 0.01, "weight": -1}' 'objective[0].weight: must be'
printf 'v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nv 0.02 0.02 0.02\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 5\nf 3 4 5\nf 4 2 5\n' >bowl.obj
run 3 check finger.json --set shapes.stub='{"type": "mesh", "file": "bowl.obj"}' \
  --set objective='[{"type": "thickness", "least": 0.01, "bodies": ["finger", "base"]}]'
says 'objective[0].bodies[1]: "base" has no convex parts'

finish
