#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Soft bodies from mesh files: Gmsh, VTK, OBJ; the same solid in all formats is the same run; what is wrong with a file.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
python_with struct || { echo "1..0 # SKIP no python3"; exit 0; }

# a box of 0.2 x 0.1 x 0.1 m cut into five tetrahedra, in every format
cat >write.py <<'END'
import struct
nodes = [(0.2 * (i & 1) - 0.1, 0.1 * (i >> 1 & 1) - 0.05, 0.1 * (i >> 2) - 0.05) for i in range(8)]
tets = [(0, 1, 2, 4), (3, 2, 1, 7), (5, 4, 7, 1), (6, 7, 4, 2), (1, 2, 4, 7)]
def volume(t):
    a, b, c = ([nodes[t[k]][i] - nodes[t[0]][i] for i in range(3)] for k in (1, 2, 3))
    return sum(a[i] * (b[(i + 1) % 3] * c[(i + 2) % 3] - b[(i + 2) % 3] * c[(i + 1) % 3]) for i in range(3))
tets = [t if volume(t) > 0 else (t[0], t[2], t[1], t[3]) for t in tets]
tag = lambda n: 10 * n + 3  # numbers in files of Gmsh need not begin anywhere
def lines(*rows):
    return "".join(" ".join(repr(x) if isinstance(x, float) else str(x) for x in row) + "\n" for row in rows)
def msh2(tets):
    return ("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"box\"\n$EndPhysicalNames\n$Nodes\n8\n"
            + lines(*[(tag(i),) + p for i, p in enumerate(nodes)]) + "$EndNodes\n$Elements\n%d\n1 15 2 0 1 3\n2 2 2 1 1 3 13 23\n" % (len(tets) + 2)
            + lines(*[(i + 3, 4, 2, 1, 1) + tuple(map(tag, t)) for i, t in enumerate(tets)]) + "$EndElements\n")
open("two.msh", "w").write(msh2(tets))
open("four.msh", "w").write("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 1 1 1 0 0\n$EndEntities\n$Nodes\n2 8 3 73\n0 1 0 1\n3\n"
    + lines(nodes[0]) + "3 1 0 7\n" + lines(*[(tag(i),) for i in range(1, 8)]) + lines(*nodes[1:]) + "$EndNodes\n$Elements\n2 6 1 6\n2 1 2 1\n1 3 13 23\n3 1 4 5\n"
    + lines(*[(i + 2,) + tuple(map(tag, t)) for i, t in enumerate(tets)]) + "$EndElements\n")
for name, order in (("two_little", "<"), ("two_big", ">")):
    pack = lambda form, *values: struct.pack(order + form, *values)
    open(name + ".msh", "wb").write(b"$MeshFormat\n2.2 1 8\n" + pack("i", 1) + b"\n$EndMeshFormat\n$Nodes\n8\n"
        + b"".join(pack("i3d", tag(i), *p) for i, p in enumerate(nodes)) + b"\n$EndNodes\n$Elements\n6\n" + pack("8i", 2, 1, 1, 1, 1, 3, 13, 23)
        + pack("3i", 4, 5, 2) + b"".join(pack("7i", i + 2, 1, 1, *map(tag, t)) for i, t in enumerate(tets)) + b"\n$EndElements\n")
    open(name.replace("two", "four") + ".msh", "wb").write(b"$MeshFormat\n4.1 1 8\n" + pack("i", 1) + b"\n$EndMeshFormat\n$Nodes\n"
        + pack("4q", 1, 8, 3, 73) + pack("3iq", 3, 1, 0, 8) + pack("8q", *map(tag, range(8))) + b"".join(pack("3d", *p) for p in nodes)
        + b"\n$EndNodes\n$Elements\n" + pack("4q", 1, 5, 1, 5) + pack("3iq", 3, 1, 4, 5) + b"".join(pack("5q", i + 1, *map(tag, t)) for i, t in enumerate(tets))
        + b"\n$EndElements\n")
head = "# vtk DataFile Version %s\na box\n%s\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 double\n"
def vtk(tets, kind=10):
    return (head % ("3.0", "ASCII") + lines(*nodes) + "CELLS %d %d\n" % (len(tets), 5 * len(tets)) + lines(*[(4,) + t for t in tets])
            + "CELL_TYPES %d\n" % len(tets) + lines(*[(kind,)] * len(tets)) + "POINT_DATA 8\n")
open("text.vtk", "w").write(vtk(tets))
open("bytes.vtk", "wb").write((head % ("3.0", "BINARY")).encode() + b"".join(struct.pack(">3d", *p) for p in nodes) + b"\nMETADATA\nINFORMATION 0\n\nCELLS 5 25\n"
    + b"".join(struct.pack(">5i", 4, *t) for t in tets) + b"\nCELL_TYPES 5\n" + struct.pack(">5i", *[10] * 5) + b"\n")
open("five.vtk", "w").write(head % ("5.1", "ASCII") + lines(*nodes) + "CELLS 6 20\nOFFSETS vtktypeint64\n0 4 8 12 16 20\nCONNECTIVITY vtktypeint64\n"
    + lines(*tets) + "CELL_TYPES 5\n10 10 10 10 10\n")
# mistakes
open("inverted.msh", "w").write(msh2([(tets[0][0], tets[0][2], tets[0][1], tets[0][3])] + tets[1:]))
open("flat.vtk", "w").write(vtk(tets[:4] + [(1, 2, 4, 7), (0, 1, 2, 3)]))
open("unused.msh", "w").write(msh2([tets[0]]))
open("unknown.msh", "w").write(msh2(tets).replace("3 4 2 1 1", "3 5 2 1 1", 1))
open("nobody.msh", "w").write(msh2(tets).replace(" 73\n", " 74\n"))
open("cut.msh", "w").write(msh2(tets)[:260])
open("word.vtk", "w").write(vtk(tets).replace("0.05", "zero", 1))
open("hexa.vtk", "w").write(vtk(tets, 12))
open("version.msh", "w").write(msh2(tets).replace("2.2 0 8", "4.0 0 8"))
open("short.msh", "wb").write(open("four_little.msh", "rb").read()[:300])
# cloth
open("sheet.obj", "w").write("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0.5 0.5 0.1\nf 1 2 5\nf 2 4 5\nf 4 3 5\nf 3 1 5\n")
open("sheet.msh", "w").write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n5 0.5 0.5 0.1\n$EndNodes\n$Elements\n5\n"
    "1 1 0 1 2\n2 2 0 1 2 5\n3 2 0 2 4 5\n4 2 0 4 3 5\n5 2 0 3 1 5\n$EndElements\n")
open("against.obj", "w").write("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 3 4\n")
END
"$python" write.py
cat >box.json <<'END'
{"name": "box", "time": {"step": 0.01, "steps": 5}, "gravity": [0, 0, -9.81], "shapes": {"ground": {"type": "plane"}},
 "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground"},
            {"name": "box", "position": [0, 0, 0.06], "velocity": [0.3, 0, -0.5], "soft": {"file": "two.msh", "young": 2e4, "viscosity": 10}}],
 "objective": [{"type": "reach", "bodies": ["box"], "target": [0.5, 0, 0.05]}]}
END
run 0 check box.json
check "what is in the file is listed" grep -q "8 nodes, 5 tetrahedra" "$out"
run 0 simulate box.json -o none --json
cp "$out" first
for file in four.msh two_little.msh two_big.msh four_little.msh four_big.msh text.vtk bytes.vtk five.vtk; do
  run 0 simulate box.json -o none --json --set bodies.box.soft.file=$file
  check "$file is the same solid" [ "$(grep '"loss"' "$out")" = "$(grep '"loss"' first)" ]
done
run 0 gradcheck box.json --json --threads 1
holds "the adjoint agrees with differences, elements' moduli included" "$out" 'd["max_relative_error"] <= 1e-6'
holds "moduli of elements are among the checks" "$out" 'any("young_element" in c["parameter"] for c in d["checks"])'
# a run keeps its mesh and can be looked at elsewhere
run 0 simulate box.json -o kept --json
check "the mesh is beside the run" cmp -s two.msh kept/meshes/two.msh
mkdir -p elsewhere && cp -r kept elsewhere/ && mv two.msh away.msh
run 0 render elsewhere/kept --size 96x54 --samples 1 --every 5
check "a moved run is drawn" test -s elsewhere/kept/frames/000005.png
mv away.msh two.msh
# every element has a modulus of its own
run 0 check box.json --set 'design=[{"type": "number", "of": "young_element", "range": [0.1, 10]}]'
check "elements are parameters" grep -q "5 parameters" "$out"

run 0 check box.json --set 'bodies.box.soft={"type": "cloth", "file": "sheet.obj", "scale": 0.5, "young": 1e5}'
check "cloth from an OBJ file" grep -q "5 nodes, 4 triangles" "$out"
run 0 check box.json --set 'bodies.box.soft={"type": "cloth", "file": "sheet.msh", "young": 1e5}'
check "cloth from a file of Gmsh" grep -q "5 nodes, 4 triangles" "$out"

refuses() { # file, rule
  run 3 check box.json --set bodies.box.soft.file="$1"
  says "$2"
}
refuses inverted.msh "inverted.msh: element 0 is inverted"
refuses flat.vtk "flat.vtk: element 5 is degenerate"
refuses unused.msh "unused.msh: node 3 belongs to no element"
refuses unknown.msh "unknown.msh:23: elements of type 5 are not read here"
refuses nobody.msh "there is no node 74"
refuses cut.msh "cut.msh:"
refuses word.vtk "word.vtk:6: must be a number"
refuses hexa.vtk "cells of type 12 are not read here"
refuses version.msh "version 4 is not read: 2 and 4.1 are"
refuses short.msh "the file ends within its numbers"
refuses sheet.obj "must begin as a mesh of Gmsh"
refuses missing.msh "No such file"
run 3 check box.json --set 'bodies.box.soft={"type": "cloth", "file": "against.obj", "young": 1e5}'
says "turn against each other"
run 3 check box.json --set 'bodies.box.soft={"type": "cloth", "file": "two.msh", "young": 1e5}'
says "elements of type 4 are not read here"
run 3 check box.json --set bodies.box.soft.size='[1, 1, 1]'
says "size: must not be given together with file"

finish
