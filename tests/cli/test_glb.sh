#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The animated model of a run: valid, and what the trajectory says.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

# two balls that share shape and colour, one of another colour; a body that is not about its shape's origin and spins
cat >scene.json <<'SCENE'
{ "name": "spinning \"ä\"", "time": { "step": 0.01, "steps": 80 },
  "shapes": { "ball": { "type": "sphere", "radius": 0.1, "level": 1 }, "ground": { "type": "plane" },
              "wedge": { "type": "mesh", "file": "wedge.obj" } },
  "bodies": [ { "name": "ground", "joint": "fixed", "shape": "ground", "position": [0, 0, -0.5] },
              { "name": "one", "shape": "ball", "position": [0, 0, 0.5], "color": [0.8, 0.1, 0.2] },
              { "name": "two", "shape": "ball", "position": [1, 0, 0.5], "color": [0.8, 0.1, 0.2] },
              { "name": "b, \"c\"", "shape": "ball", "position": [2, 0, 0.5], "color": [0.1, 0.1, 0.2] },
              { "name": "wedge", "shape": "wedge", "position": [0, 1, 0.5], "angular_velocity": [12, 1, 0],
                "color": [0.1, 0.1, 0.2] } ],
  "camera": { "eye": [3, -4, 3], "target": [0, 0.5, 0], "up": [0, 0, 1], "fov_deg": 40 } }
SCENE
printf 'v 0 0 0\nv 1 0 0\nv 0 0.5 0\nv 0 0 0.3\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n' >wedge.obj
run 0 simulate scene.json -o run --quiet
check "a run has its model" [ -s run/run.glb ]
check "no temporary file stays" [ -z "$(ls -A run | grep tmp)" ]
cp run/run.glb model.glb
rm run/run.glb
run 0 export run --format glb
check "export writes the same bytes" cmp run/run.glb model.glb
run 0 export run --format glb -o other.glb
check "also elsewhere" cmp other.glb model.glb
run 0 simulate scene.json -o none --quiet
check "nothing is written by -o none" [ "$(ls -A | tr '\n' ' ')" = "model.glb other.glb run scene.json wedge.obj " ]

# what is in the way refuses the run before it begins
mkdir -p blocked/run.glb
run 5 simulate scene.json -o blocked --quiet
says "blocked/run.glb: exists"
check "nothing else is made beside what is in the way" [ "$(ls blocked)" = run.glb ]

# nothing that moves; no bodies
sed 's/"spin.*\\"", "time": { "step": 0.01, "steps": 80 }/"still", "time": { "step": 0.02, "steps": 0 }/' scene.json >still.json
run 0 simulate still.json -o still --quiet
echo '{ "name": "empty", "time": { "step": 0.1, "steps": 2 }, "shapes": {}, "bodies": [] }' >empty.json
run 0 simulate empty.json -o empty --quiet
run 0 optimize "$DCSIM_SOURCE/scenes/ant_push.json" -o ant --quiet --set time.steps=4 --set portfolio.rollouts=1
check "an optimization has its model" [ -s ant/run.glb ]

if ! command -v node >/dev/null 2>&1; then
  skip "Khronos' validator" "no node"
elif [ ! -d "$DCSIM_SOURCE/tests/npm/node_modules/gltf-validator" ]; then
  skip "Khronos' validator" "no gltf-validator: scripts/setup.sh --all"
else
  for file in model.glb still/run.glb empty/run.glb ant/run.glb; do
    check "Khronos' validator finds nothing in $file" node "$DCSIM_SOURCE/tests/npm/gltf.cjs" "$file"
  done
  head -c 3000 model.glb >cut.glb
  check "it would find something" sh -c '! node "$0" cut.glb' "$DCSIM_SOURCE/tests/npm/gltf.cjs"
fi

if ! have_python; then
  skip "the model is what the trajectory says" "no python3"
  finish
fi
run 0 export run --format csv
check "the model is what the trajectory says" python3 - model.glb run/export/trajectory.csv <<'PROGRAM'
import csv, json, math, struct, sys

data = open(sys.argv[1], "rb").read()
magic, version, size, length, kind = struct.unpack_from("<4sIII4s", data)
assert (magic, version, size, kind) == (b"glTF", 2, len(data), b"JSON")
document = json.loads(data[20:20 + length])
binary = data[28 + length:]

def numbers(index):
    accessor = document["accessors"][index]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
    view = document["bufferViews"][accessor["bufferView"]]
    flat = struct.unpack_from("<%df" % (width * accessor["count"]), binary, view["byteOffset"])
    return [flat[i:i + width] for i in range(0, len(flat), width)]

def turn(q, v):  # q = (x, y, z, w)
    x, y, z, w = q
    t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])]
    return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2], v[2] + w * t[2] + x * t[1] - y * t[0]]

rows = list(csv.DictReader(open(sys.argv[2])))
nodes, root = document["nodes"], document["nodes"][0]
assert document["scenes"][document["scene"]]["nodes"] == [0] and root["children"] == list(range(1, 7))
up = turn(root["rotation"], [0, 0, 1])
assert max(abs(a - b) for a, b in zip(up, [0, 1, 0])) < 1e-12, up
names = ["ground", "one", "two", 'b, "c"', "wedge"]
assert [node["name"] for node in nodes[1:6]] == names and [node["extras"]["body"] for node in nodes[1:6]] == names

# bodies of one shape and colour share a mesh, those of one shape its data; colours stay linear
mesh = [node["mesh"] for node in nodes[1:6]]
part = [document["meshes"][m]["primitives"][0] for m in mesh]
assert mesh[1] == mesh[2] != mesh[3] and part[1]["attributes"] == part[3]["attributes"] != part[4]["attributes"]
color = [document["materials"][p["material"]]["pbrMetallicRoughness"]["baseColorFactor"] for p in part]
assert color[1] == [0.8, 0.1, 0.2, 1] and color[3] == [0.1, 0.1, 0.2, 1] and part[3]["material"] == part[4]["material"]

# flat normals that point out of the wedge, which is about its centre of mass
corners, normals = numbers(part[4]["attributes"]["POSITION"]), numbers(part[4]["attributes"]["NORMAL"])
assert len(corners) == len(normals) == 12
mean = [sum(c[i] for c in set(corners)) / 4 for i in range(3)]
assert max(abs(m) for m in mean) < 1e-6, mean
for t in range(4):
    for c, n in zip(corners[3 * t:3 * t + 3], normals[3 * t:3 * t + 3]):
        assert n == normals[3 * t] and abs(sum(x * x for x in n) - 1) < 1e-6
        assert sum((x - y) * z for x, y, z in zip(c, corners[3 * t], n)) < 1e-6 and sum(x * y for x, y in zip(c, n)) > 0
ground = numbers(part[0]["attributes"]["POSITION"])
assert len(ground) == 6 and all(c[2] == 0 for c in ground) and max(c[0] for c in ground) > 2

# the motion is that of the table; neighbouring quaternions lie on the same side
animation = document["animations"][0]
assert len(animation["channels"]) == 2 * 4
for channel in animation["channels"]:
    sampler, target = animation["samplers"][channel["sampler"]], channel["target"]
    name, values = nodes[target["node"]]["name"], numbers(sampler["output"])
    assert sampler["interpolation"] == "LINEAR"
    assert [t[0] for t in numbers(sampler["input"])] == [struct.unpack("<f", struct.pack("<f", float(r["time [s]"])))[0] for r in rows]
    titles = [".x [m]", ".y [m]", ".z [m]"] if target["path"] == "translation" else [".qx [1]", ".qy [1]", ".qz [1]", ".qw [1]"]
    for row, value in zip(rows, values):
        wanted = [float(row[name + title]) for title in titles]
        sign = 1 if len(value) == 3 or sum(a * b for a, b in zip(value, wanted)) > 0 else -1
        assert max(abs(sign * a - b) for a, b in zip(value, wanted)) < 1e-6
    if len(values[0]) == 4:
        assert all(sum(a * b for a, b in zip(p, q)) > 0 for p, q in zip(values, values[1:]))
spin = [v for c in animation["channels"] if c["target"] == {"node": 5, "path": "rotation"}
        for v in numbers(animation["samplers"][c["sampler"]]["output"])]
assert min(v[3] for v in spin) < -0.2 < 0.9 < max(v[3] for v in spin), min(v[3] for v in spin)  # more than half a turn

# the camera looks at its target
matrix = nodes[6]["matrix"]
assert matrix[12:15] == [3, -4, 3] and abs(document["cameras"][0]["perspective"]["yfov"] - math.radians(40)) < 1e-12
toward = [t - e for t, e in zip([0, 0.5, 0], matrix[12:15])]
norm = math.sqrt(sum(x * x for x in toward))
assert max(abs(a / norm + b) for a, b in zip(toward, matrix[8:11])) < 1e-12 and matrix[6] > 0
PROGRAM
finish
