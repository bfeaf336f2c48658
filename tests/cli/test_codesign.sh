#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Shapes and places as parameters: gradients of every type, mistakes in scenes, runs that are resumed, replayed and
# alike.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

# Steps are solved to rounding: the default tolerance leaves up to 2e-10 m, by which runs would differ that are the same.
cat >arm.json <<'SCENE'
{ "time": { "step": 0.01, "steps": 40 }, "solver": { "tolerance": 1e-9 },
  "contact": { "model": "sdrs", "stiffness": 0.5, "length": 0.1, "support": 0.1, "friction": 0.4, "friction_smoothing": 0.01 },
  "shapes": { "link": { "type": "box", "size": [0.06, 0.05, 0.3] }, "block": { "type": "box", "size": [0.12, 0.14, 0.1] },
    "left": { "type": "mesh", "file": "left.obj" }, "right": { "type": "mesh", "file": "left.obj", "scales": [1, -1, 1] },
    "bowl": { "type": "mesh", "file": "bowl.obj" }, "ground": { "type": "plane" } },
  "bodies": [ { "name": "ground", "joint": "fixed", "shape": "ground" },
    { "name": "upper", "joint": "hinge", "axis": [0, 1, 0], "anchor": [0, 0, 0.65], "position": [0, 0, 0.48], "shape": "link",
      "density": 400, "joint_position": [-0.3], "pd": { "kp": 20, "kd": 1 } },
    { "name": "lower", "parent": "upper", "joint": "hinge", "axis": [0, 1, 0], "anchor": [0, 0, 0.32], "position": [0, 0, 0.15],
      "shape": "link", "mass": 0.4 },
    { "name": "block", "shape": "block", "position": [0.32, 0, 0.058], "density": 300, "velocity": [-0.5, 0.1, 0] },
    { "name": "one", "shape": "left", "position": [1, 0.5, 0.03], "mass": 1, "velocity": [0.5, 0, 0] },
    { "name": "two", "shape": "right", "position": [1, -0.5, 0.03], "mass": 1, "mass_model": "lumped", "velocity": [0.5, 0, 0] } ],
  "control": [ { "type": "spline", "body": "upper", "knots": 2 } ],
  "objective": [ { "type": "reach", "body": "lower", "target": [0.3, 0, 0.2] }, { "type": "reach", "body": "block", "target": [0.4, 0.1, 0.05] },
    { "type": "reach", "bodies": ["one", "two"], "target": [1.2, 0, 0.05], "when": "every" },
    { "type": "com", "target": [0.4, 0, 0.3] } ],
  "design": [ { "type": "link", "body": "upper" }, { "type": "anchor", "body": "lower", "box": 0.02 },
    { "type": "size", "shape": "block", "axes": "xz" }, { "type": "cage", "shape": "link", "points": [2, 2, 2], "box": 0.02 },
    { "type": "vertices", "shape": "left", "mirror": "right", "box": [0.02, 0.02, 0.02], "connect": "weld" },
    { "type": "number", "of": "mass", "bodies": ["block"] } ],
  "optimizer": { "type": "adam", "learning_rate": 0.02, "iterations": 6 } }
SCENE
printf 'v 0 0 0\nv 0.3 0 0\nv 0 0.3 0\nv 0 0 0.2\nv 0.2 0.2 0.2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 5 4\nf 2 3 5\nf 3 4 5\n' >left.obj
# a tetrahedron with a dent
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.2 0.2 0.2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 5\nf 3 4 5\nf 4 2 5\n' >bowl.obj

run 0 gradcheck arm.json --json
holds "the adjoint agrees with differences" "$out" 'd["max_relative_error"] <= 1e-6'
holds "every type is among them" "$out" \
  '{"upper.length", "lower.anchor", "block.size", "link.cage", "left.vertex", "block.mass"} <=
   set(".".join(c["parameter"].split(".")[:2]) for c in d["checks"])'
holds "products agree" "$out" 'd["products"]["tangent_adjoint"] <= 1e-12 and d["products"]["gradient"] <= 1e-12'

run 0 check arm.json --json
holds "check tells numbers with bounds, masses and volumes" "$out" \
  'len(d["design"]) == 46 and set(d["designed"]) == {"upper", "lower", "block", "one", "two"} and
   abs(d["designed"]["upper"]["volume"] - 0.06 * 0.05 * 0.3) < 1e-15 and d["designed"]["one"]["vertices"] == 5 and
   abs(d["designed"]["upper"]["thinnest"] - 0.05) < 1e-12 and
   [v for v in d["design"] if v["name"] == "left.vertex.1.x"][0]["low"] == 0.3 - 0.02 and
   [v for v in d["design"] if v["name"] == "block.mass"][0]["low"] == 0'
holds "bounds of factors" "$out" \
  'all(abs(v["low"] - 0.5) < 1e-15 and abs(v["high"] - 2) < 1e-14 for v in d["design"] if v["name"] in ("upper.length", "block.size.x"))'

# at zero the bits are those of the scene without
run 0 simulate arm.json -o zero --quiet --no-report
run 0 simulate arm.json -o without --quiet --no-report --set design='[]'
run 1 diff zero without --json
holds "a design of zeros changes nothing" "$out" \
  'd["loss"][0] == d["loss"][1] and d["min_gap"][0] == d["min_gap"][1] and d["trajectory"]["first_difference"] == 41 and
   all(b["position"] == 0 and b["rotation"] == 0 for b in d["bodies"])'
# any number of threads, in one piece or in two, again from its parameters
run 0 optimize arm.json -o whole --quiet --no-report --threads 1
run 0 optimize arm.json -o threads --quiet --no-report --threads 2
check "the same rows for any number of threads" cmp whole/loss.csv threads/loss.csv
run 0 optimize arm.json -o parts --quiet --no-report --set optimizer.iterations=2
run 0 optimize --resume parts --force --quiet --no-report --set optimizer.iterations=6
check "the same rows in two parts" cmp whole/loss.csv parts/loss.csv
run 0 simulate arm.json --control whole -o again --json --no-report
cp "$out" again.json
cat >same.py <<'PYTHON'
import json
one, other = json.load(open("whole/run.json"))["result"], json.load(open("again.json"))
assert one["design"] == other["design"] and one["loss"] == other["loss"], (one["loss"], other["loss"])
assert one["loss"] < one["first_loss"] if "first_loss" in one else True
values = {v["name"]: v for v in one["design"]}
assert abs(values["upper.length"]["value"] - 1) > 0.01 and values["left.vertex.1.x"]["initial"] == 0.3
PYTHON
check "--control takes shapes" python3 same.py

# three hulls in a row, 33, 34 and 33 vertices with the common ones: 65 follows 32 and 99 follows 66
run 0 gradcheck "$DCSIM_SOURCE/scenes/codesign_spider.json" --json --threads 1 --steps 20 --set time.step=0.01
holds "gradients of linked hulls" "$out" 'd["max_relative_error"] <= 1e-7'  # observed 4e-9
run 0 check "$DCSIM_SOURCE/scenes/codesign_spider.json" --json
holds "a common vertex of two hulls is one" "$out" \
  'd["designed"]["lower0"]["vertices"] == 100 and
   {int(v["name"].split(".")[2]) for v in d["design"]} & {32, 65, 66, 99} == {32, 66}'

# what a run leaves of its design
ls whole/design >parts_there
printf '%s\n' block.obj block.stl first lower.obj lower.stl meshes one.obj one.stl scene.json two.obj two.stl upper.obj upper.stl | sort >parts_expected
sort -o parts_there parts_there
check "a file for every designed body" cmp parts_there parts_expected
ls whole/design/first >first_there
grep -v -e first -e scene.json -e meshes parts_expected >first_expected
check "and of what it was before" cmp first_there first_expected
cat >surfaces.py <<'PYTHON'
import glob, itertools, struct
for name in glob.glob("whole/design/*.stl") + glob.glob("whole/design/first/*.stl"):
    data = open(name, "rb").read()
    count, = struct.unpack_from("<I", data, 80)
    edges, volume, parts = {}, 0, 0
    for t in range(count):
        a, b, c = (struct.unpack_from("<3f", data, 84 + 50 * t + 12 * k) for k in (1, 2, 3))
        for edge in ((a, b), (b, c), (c, a)):
            edges[edge] = edges.get(edge, 0) + 1
        volume += sum(a[i] * (b[(i + 1) % 3] * c[(i + 2) % 3] - b[(i + 2) % 3] * c[(i + 1) % 3]) for i in range(3)) / 6
    assert count >= 4 and len(data) == 84 + 50 * count and volume > 0, (name, count, volume)
    assert all(edges.get((b, a)) == n for (a, b), n in edges.items()), name
PYTHON
check "STL is closed and outward" python3 surfaces.py
for name in design.csv design/first/ design/BODY.obj design/BODY.stl design/scene.json design/meshes/; do
  check "$name is documented" grep -q "^| \`$name\` |" "$DCSIM_SOURCE/docs/run-directory.md"
done
check "no design of shapes leaves no files of it" [ ! -e without/design ] && [ ! -e without/design.csv ]
cmp -s whole/design.csv parts/design.csv && cmp -s whole/design/scene.json parts/design/scene.json
check "the same files in two parts" [ $? = 0 ]
run 0 check whole/design/scene.json --json
cp "$out" built.json
run 0 simulate whole/design/scene.json --control whole -o built --quiet
run 1 diff whole built --json
holds "the scene with the design built in rolls out the same" "$out" \
  'all(b["position"] <= 1e-12 and b["rotation"] <= 1e-12 for b in d["bodies"]) and
   abs(d["loss"][0] - d["loss"][1]) <= 1e-12 * d["loss"][0]'
run 0 simulate arm.json --control whole -o finer --quiet --no-report --set time.step=0.005 --set time.steps=60
run 0 simulate whole/design/scene.json --control whole -o built_finer --quiet --set time.step=0.005 --set time.steps=60
run 1 diff finer built_finer --json
holds "and in other steps, not to the end" "$out" \
  'all(b["position"] <= 1e-11 and b["rotation"] <= 1e-11 for b in d["bodies"])'  # observed 7e-13 m, 2.4e-12 degrees: rounding, and Newton may take an iteration more
cat >distances.py <<'PYTHON'
import json
one, other = (json.load(open(run + "/run.json"))["result"]["objectives"] for run in ("finer", "built_finer"))
assert len(one) == 4 and all(abs(a["distance"] - b["distance"]) <= 1e-9 for a, b in zip(one, other)), (one, other)
PYTHON
check "distances are told by the designed masses" python3 distances.py
cat >rows.py <<'PYTHON'
import csv, json
rows = list(csv.DictReader(open("whole/design.csv")))
lines = [json.loads(line) for line in open("whole/progress.jsonl")]
assert [int(row["iteration"]) for row in rows] == [line["iteration"] for line in lines]
best = rows[max(i for i, line in enumerate(lines) if line["best"])]
for value in json.load(open("whole/run.json"))["result"]["design"]:
    assert float(best["%s [%s]" % (value["name"], value["unit"])]) == value["value"], value
built = json.load(open("built.json"))
for name in ("upper", "lower", "block", "one", "two"):
    assert abs(built["bodies"][name]["mass"] / float(best["mass of %s [kg]" % name]) - 1) < 1e-14, name
assert float(best["volume of block [m^3]"]) != float(rows[0]["volume of block [m^3]"])
assert float(best["mass of two [kg]"]) == float(rows[0]["mass of two [kg]"]) == 1
PYTHON
check "design.csv tells numbers, masses and volumes of every iteration" python3 rows.py
# the model for other programs is that of the best design
run 0 export whole --format urdf --json
run 0 export whole --format mjcf --json
cat >links.py <<'PYTHON'
import csv, json
import xml.etree.ElementTree as xml
rows = list(csv.DictReader(open("whole/design.csv")))
lines = [json.loads(line) for line in open("whole/progress.jsonl")]
best = rows[max(i for i, line in enumerate(lines) if line["best"])]
root = xml.parse("whole/export/model.urdf").getroot()
links = {link.get("name"): link for link in root.iter("link")}
for name in ("upper", "lower", "block", "one", "two"):
    mass = float(links[name].find("inertial/mass").get("value"))
    assert abs(mass / float(best["mass of %s [kg]" % name]) - 1) < 1e-12, name
assert all(links[name].find("collision/geometry/mesh") is not None for name in ("upper", "block"))
joint = [j for j in root.iter("joint") if j.find("child").get("link") == "lower"][0]
assert abs(float(joint.find("origin").get("xyz").split()[2]) + 0.33) > 1e-3, "the length of the link above is the scene's"
boxes = [g for g in xml.parse("whole/export/model.xml").getroot().iter("geom") if g.get("type") == "box"]
assert not boxes, "a box in MJCF"
PYTHON
check "URDF and MJCF have the design" python3 links.py
# the parts are closed and outward, in both formats, and as large as design.csv says
cat >parts.json <<'SCENE'
{ "time": { "step": 0.01, "steps": 1 }, "contact": { "model": "sdrs", "stiffness": 0.5 },
  "shapes": { "obj": { "type": "mesh", "file": "whole/design/two.obj" }, "hull": { "type": "mesh", "file": "whole/design/two.obj", "convex": true },
    "stl": { "type": "mesh", "file": "whole/design/two.stl", "scale": 1e-3 } },
  "bodies": [ { "name": "a", "shape": "obj", "density": 1 }, { "name": "b", "shape": "stl", "density": 1, "position": [2, 0, 0] },
    { "name": "c", "shape": "hull", "density": 1, "position": [4, 0, 0] } ] }
SCENE
run 0 check parts.json --json
cp "$out" parts_check.json
cat >volumes.py <<'PYTHON'
import csv, json
two = float(list(csv.DictReader(open("whole/design.csv")))[-1]["volume of two [m^3]"])
volumes = {name: shape["volume"] for name, shape in json.load(open("parts_check.json"))["shapes"].items()}
assert volumes["obj"] == volumes["hull"] and abs(volumes["stl"] / volumes["obj"] - 1) < 1e-5, volumes
assert abs(volumes["obj"] / two - 1) < 0.2, (volumes, two)
PYTHON
check "parts as files" python3 volumes.py
# pictures and pages show the design: the built-in scene has the same bodies
run 0 export whole --format glb
run 0 export built --format glb
cat >glb.py <<'PYTHON'
import json, struct
def read(path):
    data = open(path, "rb").read()
    length = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20:20 + length]), data[28 + length:]
def corners(path):
    model, binary = read(path)
    meshes = {}
    for node in model["nodes"]:
        if "mesh" in node:
            accessor = model["accessors"][model["meshes"][node["mesh"]]["primitives"][0]["attributes"]["POSITION"]]
            meshes[node["name"]] = [accessor["min"], accessor["max"]]
    return meshes
designed, built, plain = corners("whole/run.glb"), corners("built/run.glb"), corners("without/run.glb")
assert designed == built, (designed, built)
for name in ("upper", "lower", "block", "one", "two"):
    assert designed[name] != plain[name], name
PYTHON
run 0 export without --format glb
check "the glTF has the designed shapes" python3 glb.py
run 0 render whole --size 64x48 --samples 1 --every 40 --quiet
run 0 render built --size 64x48 --samples 1 --every 40 --quiet
check "so have pictures" cmp whole/frames/000040.png built/frames/000040.png
run 0 report whole
cat >page.py <<'PYTHON'
import json, re
text = open("whole/report.html").read()
page = json.loads(re.search(r'(\{\s*"format": "dcsim report 1".*?)</script>', text, re.S).group(1))
best, first = page["bodies"], page["first"]["bodies"]
for body, before in zip(best, first):
    if body["name"] == "ground":
        continue
    one, other = page["shapes"][body["shape"]]["vertices"], page["shapes"][before["shape"]]["vertices"]
    assert one and other and one != other, body["name"]
PYTHON
check "the page has the shapes of both designs" python3 page.py

# vertices inside a hull are kept, by the scene and by the files of a run
cat >inner.json <<'SCENE'
{ "time": { "step": 0.01, "steps": 5 }, "contact": { "model": "sdrs", "stiffness": 0.5, "length": 0.1, "support": 0.1 },
  "shapes": { "tip": { "type": "hulls", "parts": [ { "vertices": [0, 0, 0, 0.1, 0.1, 0.1, 1, 0, 0, 0, 1, 0, 0, 0, 1] } ] } },
  "bodies": [ { "name": ".a%b", "shape": "tip", "density": 6 } ], "control": [],
  "objective": [ { "type": "reach", "body": ".a%b", "target": [1, 0, 0] } ],
  "design": [ { "type": "vertices", "shape": "tip", "box": [0.1, 0.1, 0.1] } ], "optimizer": { "type": "adam", "iterations": 1 } }
SCENE
run 0 check inner.json --json
holds "five vertices of a tetrahedron" "$out" \
  'd["designed"][".a%b"]["vertices"] == 5 and abs(d["designed"][".a%b"]["mass"] - 1) < 1e-14'
run 0 optimize inner.json -o inner --quiet --no-report
check "the inner one is a point" [ "$(grep -c '^v' inner/design/%2Ea%25b.obj) $(grep '^p' inner/design/%2Ea%25b.obj)" = "5 p 2" ]
run 0 check inner/design/scene.json --json
holds "the built-in scene has it, too" "$out" 'd["bodies"][".a%b"]["hulls"] == [5]'
sed 's/0.1, 0.1, 0.1, 1, 0, 0/0.1, 0.1, 1, 0, 0/' inner.json >uneven.json
run 3 check uneven.json
says 'parts[0].vertices: must hold three numbers for each of at least 4 (holds 14)'

# shapes that cannot be are not taken: half a metre lower nothing fits
run 0 optimize arm.json -o deep --quiet --no-report --set design='[{"type": "anchor", "body": "upper", "axes": "z", "box": 5}]' \
  --set optimizer.learning_rate=1 --set optimizer.iterations=3
# other models and restitution have no derivatives by shapes
for command in check gradcheck "optimize -o none --quiet"; do
  run 3 $command arm.json --set contact='{"model": "ipc", "stiffness": 1e-4}'
  says "design[0]: model ipc has no derivatives by shapes"
done
run 3 check arm.json --set contact.restitution=0.5
says 'design[0]: restitution has no derivatives by shapes (body "ground")'
run 0 check arm.json --set contact.restitution=0.5 --set gradient.type=fd

# mistakes, with place and rule
mistake() {
  run 3 check arm.json --set design="[$1]"
  says "$2"
}
mistake '{"type": "size", "shape": "bowl"}' 'shape: design needs convex parts, "bowl" has none'
mistake '{"type": "size", "shape": "ground"}' 'shape: must not be the half-space "ground"'
mistake '{"type": "size", "shape": "block", "range": [1.5, 2]}' 'range: must be [low, high] with 0 < low < high and 1 between'
mistake '{"type": "size", "shape": "block"}, {"type": "size", "shape": "block", "axes": "x"}' 'must not change "block.size.x"'
mistake '{"type": "link", "body": "block"}' 'body: must hang on a joint that is not free'
mistake '{"type": "link", "body": "upper", "axis": "xy"}' 'axis: must be "x", "y" or "z"'
mistake '{"type": "anchor", "body": "ground", "box": 1}' 'body: must be one that moves'
mistake '{"type": "vertices", "shape": "left", "hold": [-1, -1, -1, 1, 1, 1]}' 'hold: must leave a vertex of "left" that moves'
mistake '{"type": "vertices", "shape": "left", "mirror": "left"}' 'mirror: must be another shape'
mistake '{"type": "vertices", "shape": "left", "mirror": "block"}' 'mirror: must have as many vertices'
mistake '{"type": "vertices", "shape": "left", "mirror": "right", "mirror_axis": "x"}' 'has no vertex at'
mistake '{"type": "vertices", "shape": "left", "mirror": "right"}, {"type": "vertices", "shape": "right", "mirror": "left"}' \
  'design[1].mirror: must not be "left", whose vertices design[0] moves'
mistake '{"type": "vertices", "shape": "left", "mirror": "right"}, {"type": "vertices", "shape": "right"}' \
  'design[1].shape: must not be "right", the mirror image of design[0]'
mistake '{"type": "vertices", "shape": "left", "connect": "link"}' 'connect: "left" has no common vertices'
mistake '{"type": "cage", "shape": "link", "points": [2, 2, 2.5], "box": 0.1}' 'points: must be whole numbers'
run 3 check arm.json --set bodies.block='{"name": "block", "shape": "block", "mass_model": "lumped"}'
says 'mass_model: must not be "lumped" without mass'

finish
