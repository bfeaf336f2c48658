#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Soft bodies from mesh files: Gmsh, VTK (legacy and XML), Medit, TetGen, OBJ; the same solid in all formats is the same run; what is
# wrong with a file.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
python_with struct || { echo "1..0 # SKIP no python3"; exit 0; }

# a box of 0.2 x 0.1 x 0.1 m cut into five tetrahedra, in every format
cat >write.py <<'END'
import base64, os, struct, zlib
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
# XML of VTK: text; base64 and appended, in both orders of bytes, both widths of headers, packed in blocks or not
def vtu(kind="ascii", order="<", wide=False, packed=False, cells=None, types="UInt8", appended="raw"):
    pack = lambda form, *values: struct.pack(order + form, *values)
    cells = cells or [(10, t) for t in tets]
    ends = [sum(len(t) for _, t in cells[:i + 1]) for i in range(len(cells))]
    arrays = [("Points", "Float64", 3, "d", [x for p in nodes for x in p]), ("connectivity", "Int64", 1, "q", [n for _, t in cells for n in t]),
              ("offsets", "Int32", 1, "i", ends), ("types", types, 1, {"UInt8": "B", "Int16": "h"}[types], [k for k, _ in cells])]
    size = "Q" if wide else "I"
    tail = b""
    def encode(form, values, plain):
        data = pack("%d%s" % (len(values), form), *values)
        if not packed:
            return pack(size, len(data)) + data if plain else base64.b64encode(pack(size, len(data)) + data)
        blocks = [data[i:i + 50] for i in range(0, len(data), 50)]
        last = len(blocks[-1]) % 50
        blocks = [zlib.compress(b) for b in blocks]
        header = pack("%d%s" % (3 + len(blocks), size), len(blocks), 50, last, *map(len, blocks))
        return header + b"".join(blocks) if plain else base64.b64encode(header) + base64.b64encode(b"".join(blocks))
    def array(name, type, components, form, values):
        nonlocal tail
        begin = '<DataArray type="%s" Name="%s" NumberOfComponents="%d" format="%s"' % (type, name, components, kind)
        if kind == "appended":
            offset, tail = len(tail), tail + encode(form, values, appended == "raw")
            return begin.encode() + b' offset="%d"/>\n' % offset
        text = " ".join(map(repr, values)).encode() if kind == "ascii" else encode(form, values, False)
        return begin.encode() + b">\n" + text + b"\n</DataArray>\n"
    points, *cell_arrays = [array(*a) for a in arrays]
    return (b'<?xml version="1.0"?>\n<VTKFile type="UnstructuredGrid" version="1.0" byte_order="%s" header_type="%s"%s>\n<UnstructuredGrid>\n'
            % (b"LittleEndian" if order == "<" else b"BigEndian", b"UInt64" if wide else b"UInt32", b' compressor="vtkZLibDataCompressor"' if packed else b"")
            + b'<Piece NumberOfPoints="8" NumberOfCells="%d">\n<PointData><DataArray type="Float32" Name="heat" format="ascii">1 2 3 4 5 6 7 8</DataArray></PointData>\n<Points>\n' % len(cells)
            + points + b"</Points>\n<Cells>\n" + b"".join(cell_arrays) + b"</Cells>\n</Piece>\n</UnstructuredGrid>\n"
            + (b'<AppendedData encoding="%s">\n_' % appended.encode() + tail + b"\n</AppendedData>\n" if kind == "appended" else b"") + b"</VTKFile>\n")
def put(name, content):
    open(name, "wb").write(content)
put("text.vtu", vtu(types="Int16"))
put("mixed.vtu", vtu(cells=[(1, (0,)), (5, (0, 1, 2))] + [(10, t) for t in tets]))
for order in "<>":
    for wide in (False, True):
        for packed in (False, True):
            name = ("little" if order == "<" else "big") + ("_wide" if wide else "") + ("_packed" if packed else "") + ".vtu"
            put("inline_" + name, vtu("binary", order, wide, packed))
            for appended in ("raw", "base64"):
                put(appended + "_" + name, vtu("appended", order, wide, packed, appended=appended))
# what is wrong with those
text, inline, packed, raw = vtu(), vtu("binary"), vtu("binary", packed=True), vtu("appended")
put("poly.vtu", text.replace(b'type="UnstructuredGrid"', b'type="PolyData"'))
put("lz4.vtu", packed.replace(b"vtkZLib", b"vtkLZ4"))
# several pieces, in a file or in files that one names: the cell at the border is in both, as ghosts are
def piece(whole):
    return whole[whole.index(b"<Piece"):whole.index(b"</Piece>") + 9]
one, two = vtu(cells=[(10, t) for t in tets[:3]]), vtu("binary", cells=[(10, t) for t in tets[2:]])
put("pieces.vtu", one.replace(piece(one), piece(one) + piece(two) + b'<Piece NumberOfPoints="0" NumberOfCells="0">\n'
    b'<Points><DataArray type="Float32" NumberOfComponents="3" format="ascii"/></Points><Cells>'
    + b"".join(b'<DataArray type="Int64" Name="%s" format="ascii"/>' % n for n in (b"connectivity", b"offsets", b"types")) + b"</Cells></Piece>\n"))
os.makedirs("parts", exist_ok=True)
put("parts/one.vtu", one)
put("parts/two.vtu", two)
def pvtu(*names):
    return (b'<?xml version="1.0"?>\n<VTKFile type="PUnstructuredGrid" version="1.0" byte_order="LittleEndian">\n<PUnstructuredGrid GhostLevel="1">\n'
            b'<PPoints><PDataArray type="Float64" Name="Points" NumberOfComponents="3"/></PPoints>\n'
            + b"".join(b'<Piece Source="%s"/>\n' % n for n in names) + b"</PUnstructuredGrid>\n</VTKFile>\n")
put("both.pvtu", pvtu(b"parts/one.vtu", b"parts/two.vtu"))
put("half.pvtu", pvtu(b"parts/one.vtu", b"parts/three.vtu"))
put("above.pvtu", pvtu(b"../parts/one.vtu"))
put("nested.pvtu", pvtu(b"both.pvtu"))
put("none.pvtu", pvtu())
put("lost.vtu", one.replace(piece(one), piece(one) + piece(two).replace(b'NumberOfPoints="8"', b'NumberOfPoints="9"')))
put("stray.vtu", one.replace(piece(one), piece(one).replace(b"0 1 2 4 ", b"0 1 2 8 ").replace(b"0 2 1 4 ", b"0 2 1 8 ") + piece(two)))
put("hexa.vtu", vtu(cells=[(12, tuple(range(8)))]))
put("many.vtu", text.replace(b'NumberOfPoints="8"', b'NumberOfPoints="9"'))
put("few.vtu", text.replace(b'NumberOfPoints="8"', b'NumberOfPoints="7"'))
put("few_bytes.vtu", inline.replace(b'NumberOfPoints="8"', b'NumberOfPoints="7"'))
put("word.vtu", text.replace(b"0.05", b"zero", 1))
put("flat.vtu", text.replace(b'NumberOfComponents="3"', b'NumberOfComponents="2"', 1))
put("untyped.vtu", text.replace(b'Name="types"', b'Name="kinds"'))
put("real.vtu", text.replace(b"Int64", b"Float64"))
put("fall.vtu", text.replace(b"4 8 12 16 20", b"4 8 7 16 20"))
put("nobody.vtu", text.replace(b"0 1 2 4 ", b"0 1 2 8 ").replace(b"0 2 1 4 ", b"0 2 1 8 "))
put("beyond.vtu", raw.replace(b'offset="0"', b'offset="99999"'))
put("open.vtu", text[:-20])
put("other.vtu", b"<robot/>")
put("entity.vtu", text.replace(b"<VTKFile", b'<!DOCTYPE VTKFile [<!ENTITY a "b">]>\n<VTKFile', 1))
at = packed.index(b">\n", packed.index(b'Name="Points"')) + 2
put("sizes.vtu", packed[:at] + base64.b64encode(struct.pack("<3I", 1 << 31, 1 << 31, 0)) + b"AAAA</DataArray>" + packed[packed.index(b"</DataArray>", at) + 12:])
put("zipped.vtu", packed[:at + 70] + b"AAAA" + packed[at + 74:])
put("base.vtu", inline[:at + 20] + b"****" + inline[at + 24:])
# damaged anywhere: bytes changed, or the end cut off
def damaged():
    state = 1
    for number, whole in enumerate((text, inline, packed, raw) * 30):
        state = state * 1103515245 + 12345 & 0x7fffffff
        at = state % len(whole)
        yield whole[:at] if number % 3 == 0 else whole[:at] + bytes([state >> 16 & 255]) + whole[at + 1:]
for i, content in enumerate(damaged()):
    put("damaged%d.vtu" % i, content)
# plain lists, counted from 1 and 0, of either orientation, with what is of no use here; quadratic elements by corners
other = [(t[0], t[2], t[1], t[3]) for t in tets]
open("box.mesh", "w").write("# a box\nMeshVersionFormatted 2\nDimension\n3\nVertices\n8\n" + lines(*[p + (7,) for p in nodes])
    + "Edges 1\n1 2 0\nTriangles\n1\n1 2 3 0\nTetrahedra\n5 # five\n" + lines(*[tuple(k + 1 for k in t) + (1,) for t in tets]) + "Corners\n1\n1\nEnd\n")
for name, first, cells in (("plain", 0, tets), ("turned", 1, other)):
    open(name + ".node", "w").write("# places\n8 3 1 1\n" + lines(*[(i + first,) + p + (0.5, 1) for i, p in enumerate(nodes)]) + "# end\n")
    open(name + ".ele", "w").write("5 4 1\n" + lines(*[(i + first,) + tuple(k + first for k in t) + (3,) for i, t in enumerate(cells)]))
middles = sorted({tuple(sorted((t[a], t[b]))) for t in tets for a, b in ((0, 1), (1, 2), (2, 0), (3, 0), (2, 3), (1, 3))})
def ten(t):
    return t + tuple(8 + middles.index(tuple(sorted((t[a], t[b])))) for a, b in ((0, 1), (1, 2), (2, 0), (3, 0), (2, 3), (1, 3)))
places = nodes + [tuple((nodes[a][k] + nodes[b][k]) / 2 for k in range(3)) for a, b in middles]
open("ten.msh", "w").write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n" % len(places) + lines(*[(i + 1,) + p for i, p in enumerate(places)])
    + "$EndNodes\n$Elements\n6\n1 8 0 1 2 9\n" + lines(*[(i + 2, 11, 0) + tuple(k + 1 for k in ten(t)) for i, t in enumerate(tets)]) + "$EndElements\n")
open("ten.vtk", "w").write("# vtk DataFile Version 3.0\nten\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS %d double\n" % len(places) + lines(*places)
    + "CELLS 5 55\n" + lines(*[(10,) + ten(t) for t in tets]) + "CELL_TYPES 5\n" + lines(*[(24,)] * 5))
open("solid.mesh", "w").write(open("box.mesh").read().replace("Edges", "Pyramids"))
open("alone.ele", "w").write("1 4 0\n0 0 1 2 3\n")
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
for file in four.msh two_little.msh two_big.msh four_little.msh four_big.msh text.vtk bytes.vtk five.vtk text.vtu mixed.vtu pieces.vtu both.pvtu inline_*.vtu raw_*.vtu base64_*.vtu box.mesh plain.ele turned.ele ten.msh ten.vtk; do
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
run 0 simulate box.json -o tetgen --json --set bodies.box.soft.file=turned.ele
check "the places are beside the tetrahedra in a run" cmp -s turned.node tetgen/meshes/turned.node
run 0 simulate tetgen/resolved.json -o none --json
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
refuses solid.mesh "solid.mesh:15: must be a section with vertices, triangles or tetrahedra (is \"Pyramids\")"
refuses alone.ele "alone.node"
refuses poly.vtu "poly.vtu:2: must be a file of type UnstructuredGrid (is \"PolyData\")"
refuses lz4.vtu "compressor must be vtkZLibDataCompressor or none"
refuses half.pvtu "parts/three.vtu: cannot be opened: No such file"
refuses above.pvtu "above.pvtu:5: Source must be a file beside this one or below its folder"
refuses nested.pvtu "both.pvtu:2: must be a file of type UnstructuredGrid (is \"PUnstructuredGrid\")"
refuses none.pvtu "there must be a <Piece>"
refuses lost.vtu "Points unpacked: byte 192: the file ends"
refuses stray.vtu "there is no node 8"
refuses hexa.vtu "cells of type 12 are not read here"
refuses many.vtu "many.vtu:9: the file ends where a number should be"
refuses few.vtu "there must be no more numbers than the piece has"
refuses few_bytes.vtu "few_bytes.vtu:7: Points unpacked: byte 168: there must be no more numbers"
refuses word.vtu "word.vtu:8: must be a number"
refuses flat.vtu "flat.vtu:7: places must have 3 components (is \"2\")"
refuses untyped.vtu "there must be an array \"types\""
refuses real.vtu "numbers must be integers (is \"Float64\")"
refuses fall.vtu "offsets must rise (that of cell 2 does not)"
refuses nobody.vtu "there is no node 8"
refuses beyond.vtu "there are no appended data at offset 99999"
refuses open.vtu "no XML"
refuses other.vtu "other.vtu:1: must be <VTKFile>"
refuses entity.vtu "entity.vtu:2: there must be no document type"
refuses sizes.vtu "the sizes of its blocks cannot be"
refuses zipped.vtu "block 0 is no data of zlib"
refuses base.vtu "the array does not hold as many bytes as it says, or is not base64"
i=0
while [ $i -lt 120 ]; do
  "$dcsim" check box.json --set bodies.box.soft.file=damaged$i.vtu >damaged.txt 2>&1
  case $? in 0 | 3) ;; *) echo "damaged$i.vtu"; cat damaged.txt ;; esac
  i=$((i + 1))
done >crashed
check "damaged files are read or refused" [ ! -s crashed ]
run 3 check box.json --set 'bodies.box.soft={"type": "cloth", "file": "against.obj", "young": 1e5}'
says "turn against each other"
run 3 check box.json --set 'bodies.box.soft={"type": "cloth", "file": "two.msh", "young": 1e5}'
says "elements of type 4 are not read here"
run 3 check box.json --set bodies.box.soft.size='[1, 1, 1]'
says "size: must not be given together with file"

finish
