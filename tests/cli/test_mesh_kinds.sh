#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One solid in the words of every format of meshes: a corner of a box with the legs 1, 2, 3 at the origin has the volume 1
# and the centre (1/4, 1/2, 3/4), wherever its file counts from, whichever end its bytes begin with, and whatever its
# nodes, units and mirrors make of it.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
command -v python3 >/dev/null || { skip "meshes" "python3 is not there"; finish; }
cat >write.py <<'PYTHON'
import base64, json, struct, sys

V, F = [(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
ONE = (1, .25, .5, .75)


def lines(form, rows):
    return "".join(form % tuple(row) for row in rows)


def ply(end, code):
    text = "ply\nformat binary_%s_endian 1.0\nelement vertex 4\nproperty double x\nproperty double y\nproperty double z\nproperty uchar red\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n" % end
    return text.encode() + b"".join(struct.pack(code + "dddB", *v, 7) for v in V) + b"".join(struct.pack(code + "Biii", 3, *f) for f in F)


def gltf(nodes):
    data = b"".join(struct.pack("<fff", *v) for v in V) + b"".join(struct.pack("<HHH", *f) for f in F)
    return {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": nodes, "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
            "buffers": [{"uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode(), "byteLength": 72}],
            "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 2, 3]},
                          {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}]}, data


def glb(nodes):
    tree, data = gltf(nodes)
    del tree["buffers"][0]["uri"]
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    return struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(data)) + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data


def dae(unit="1", up="Z_UP", matrix=""):
    return ('<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><unit name="u" meter="%s"/><up_axis>%s</up_axis></asset><library_geometries>'
            '<geometry id="g"><mesh><source id="s"><float_array id="a" count="12">%s</float_array><technique_common><accessor source="#a" count="4" stride="3"><param name="X" type="float"/>'
            '<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source><vertices id="v"><input semantic="POSITION" source="#s"/></vertices><triangles count="4">'
            '<input semantic="VERTEX" source="#v" offset="0"/><p>%s</p></triangles></mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="w"><node>%s<instance_geometry url="#g"/>'
            '</node></visual_scene></library_visual_scenes><scene><instance_visual_scene url="#w"/></scene></COLLADA>' % (
                unit, up, lines("%g %g %g ", V), lines("%d %d %d ", F), "<matrix>%s</matrix>" % matrix if matrix else ""))


FROM_ONE, HALF = [[i + 1 for i in f] for f in F], .5 ** .5
FACETS = lines("facet normal 0 0 0\nouter loop\n" + 3 * "vertex %g %g %g\n" + "endloop\nendfacet\n", [sum((V[i] for i in f), ()) for f in F])
FILES = [
    ("behind.obj", lines("v %g %g %g\n", V) + lines("f %d %d %d\n", [[i - 4 for i in f] for f in F]), ONE),
    ("between.obj", "".join(lines("v %g %g %g\n", [V[i] for i in f]) + "f -3 -2 -1\n" for f in F), ONE),
    ("slashes.obj", "mtllib no.mtl\no a\ng b\ns 1\n" + lines("v %g %g %g 1 .5 .5\n", V) + "vt 0 0\nvn 0 0 1\n" + lines("f %d/1/1 %d//1 %d/1\n", FROM_ONE), ONE),
    ("folded.obj", lines("v %g %g \\\n %g\r\n", V) + lines("f %d %d \\\r\n%d\r\n", FROM_ONE), ONE),
    ("inner.vtk", "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n.2 .3 .4\n" + lines("%g %g %g\n", V) + "CELLS 4 20\n" +
     lines("4 0 %d %d %d\n", FROM_ONE) + "CELL_TYPES 4\n10\n10\n10\n10\n", ONE),
    ("sheet.vtk", "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n" + lines("%g %g %g\n", V) + "CELLS 4 16\n" + lines("3 %d %d %d\n", F) + "CELL_TYPES 4\n5\n5\n5\n5\n", ONE),
    ("solid.vtk", b"# vtk DataFile Version 3.0\nx\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n" + struct.pack(">12f", *sum(V, ())) + b"\nCELLS 1 5\n" + struct.pack(">5i", 4, 0, 1, 2, 3) +
     b"\nCELL_TYPES 1\n" + struct.pack(">i", 10) + b"\n", ONE),
    ("capitals.stl", "SOLID X\n" + FACETS.upper() + "ENDSOLID X\n", ONE),
    ("two.stl", "solid a b\n" + FACETS + "endsolid a b\nsolid c\n" + FACETS + "endsolid c\n", ONE),
    ("trap.stl", b"solid trap".ljust(80) + struct.pack("<I", 4) + b"".join(struct.pack("<12f", 0, 0, 0, *sum((V[i] for i in f), ())) + b"\0\0" for f in F), ONE),
]
WITH_ASSIMP = [
    ("big.ply", ply("big", ">"), ONE), ("little.ply", ply("little", "<"), ONE),
    ("mixed.ply", "ply\nformat ascii 1.0\nelement vertex 4\nproperty float nx\nproperty float x\nproperty float y\nproperty float z\nelement face 4\nproperty list uchar int vertex_index\nend_header\n" +
     lines("9 %g %g %g\n", V) + lines("3 %d %d %d\n", F), ONE),
    ("a.off", "OFF # a comment\n4 4 0\n" + lines("%g %g %g\n", V) + lines("3 %d %d %d 255 0 0\n", F), ONE),
    ("plain.gltf", json.dumps(gltf([{"mesh": 0}])[0]), ONE),
    ("matrix.gltf", json.dumps(gltf([{"mesh": 0, "matrix": [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 1, 0, 0, 1]}])[0]), (8, 1.5, 1, 1.5)),
    ("nodes.gltf", json.dumps(gltf([{"children": [1], "translation": [0, 0, 5]}, {"mesh": 0, "scale": [1, 1, 2], "rotation": [0, 0, HALF, HALF]}])[0]), (2, -.5, .25, 6.5)),
    ("mirror.gltf", json.dumps(gltf([{"mesh": 0, "scale": [-1, 1, 1]}])[0]), (1, -.25, .5, .75)),
    ("binary.glb", glb([{"mesh": 0, "scale": [1, 2, 1]}]), (2, .25, 1, .75)),
    ("unit.dae", dae(unit=".01"), (1e-6, .0025, .005, .0075)), ("up.dae", dae(up="Y_UP"), ONE),
    ("matrix.dae", dae(matrix="0 -1 0 0 1 0 0 0 0 0 2 5 0 0 0 1"), (2, -.5, .25, 6.5)), ("mirror.dae", dae(matrix="-1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"), (1, -.25, .5, .75)),
]
beside, bytes_beside = gltf([{"mesh": 0}])
beside["buffers"][0]["uri"] = "a%20b.bin"
with open("a b.bin", "wb") as file:
    file.write(bytes_beside)
WITH_ASSIMP.append(("beside.gltf", json.dumps(beside), ONE))
PLAIN = gltf([{"mesh": 0}])[0]
NODE = "<node><instance_geometry"
REFUSED = [("morph.gltf", dict(PLAIN, meshes=[{"primitives": PLAIN["meshes"][0]["primitives"], "weights": [0, 0.5]}]), "morph targets with weights"),
           ("skin.gltf", dict(PLAIN, nodes=[{"mesh": 0, "skin": 0}, {}], skins=[{"joints": [1]}]), "has a skin"),
           ("skins.gltf", dict(PLAIN, nodes=[{"extras": {"skin": "dark"}, "mesh": 0, "skin": 0}, {}], skins=[{"joints": [1]}]), "has a skin"),
           ("small.gltf", dict(PLAIN, extensionsRequired=["KHR_materials_unlit", "KHR_mesh_quantization"]), "requires the extension KHR_mesh_quantization"),
           ("look.dae", dae().replace(NODE, "<node><lookat>1 2 3 0 0 0 0 0 1</lookat><instance_geometry"), "<lookat> is not read"),
           ("skin.dae", dae().replace("instance_geometry", "instance_controller"), "<instance_controller> is not read")]
with open("refused", "w") as listing:
    for name, data, words in REFUSED if sys.argv[1] == "all" else []:
        FILES.append((name, data if isinstance(data, str) else json.dumps(data), None))
        print(name, words, file=listing)
for name, data, expected in FILES + (WITH_ASSIMP if sys.argv[1] == "all" else []):
    with open(name, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())
    with open(name + ".urdf", "w") as file:
        file.write('<robot name="r"><link name="l"><collision><geometry><mesh filename="%s"/></geometry></collision></link></robot>' % name)
    with open(name + ".json", "w") as file:
        json.dump({"time": {"step": .01, "steps": 1}, "include": {"file": name + ".urdf", "base": "free", "longest_edge": 0, "hull_points": 0}}, file)
    if expected:
        print(name, *expected)
PYTHON
built_with Assimp && all=all || all=some
python3 write.py $all >meshes
while read -r name volume x y z; do
  run 0 simulate "$name.json" -o "run-$name" --quiet --no-report
  run 0 export "run-$name" --format csv
  "$dcsim" check "$name.json" --json >told.json
  check "$name: its centre" awk -F, -v x="$x" -v y="$y" -v z="$z" 'NR == 2 {exit ($2 - x) ^ 2 + ($3 - y) ^ 2 + ($4 - z) ^ 2 > 1e-12}' "run-$name/export/trajectory.csv"
  check "$name: its mass" awk -v volume="$volume" '/"mass":/ {gsub(/[^0-9.e+-]/, "", $2); exit ($2 / (1000 * volume) - 1) ^ 2 > 1e-12}' told.json
done <meshes

# Parts of these formats that Assimp passes over without a word are refused.
while read -r name words; do
  run 3 check "$name.json"
  check "$name: what is not read is named" grep -q "$words" "$err"
done <refused
finish
