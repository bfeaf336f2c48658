#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Damaged files of every kind, through the commands that read them: none may end by a signal, last, or take memory out of proportion.

    scripts/soak/damaged.py [--draws 1000] [--seed 1] [--limit 60] [--memory 400] [--kinds mesh.stl,run] [--keep FOLDER]

Each draw takes a sound file (scene, settings, study, journal, surface or tetrahedra in text and binary formats, robot, recording, force, members of a run), changes, cuts, doubles or inserts bytes, numbers and
words, and runs a command that reads it.  Right ends are a status that the manual names, with a message where it is not 0.  Faults are signals, other statuses, reports of a sanitizer, silence, more than --limit
seconds of processor time (or twenty times as long by the clock), more than --memory MB of resident memory, and, of files with a checksum, another answer that nothing is said about.  DCSIM is the program, default build/dcsim; built with sanitizers, --memory wants 4000.
--keep keeps what showed a fault.  Exits with 1 where there is one.
"""
import argparse
import base64
import collections
import json
import os
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
DCSIM = os.environ.get("DCSIM", os.path.join(ROOT, "build", "dcsim"))
# Of a file with a checksum a command, the file with its answer, and whether the last column of that, seconds, is no part of it.
ANSWERS = {"run/trajectory.h5": ("export run --format csv", "run/export/trajectory.csv", False), "run/checkpoint.bin": ("optimize --resume run", "run/loss.csv", False),
           "run/resolved.json": ("optimize --resume run", "run/loss.csv", False), "study/journal.jsonl": ("sweep study.json -o study", "study/sweep.csv", True)}
STATUSES = (0, 1, 3, 4, 5, 6, 7, 9)  # a damaged file is no mistake of the command line (2)
REPORTS = (b"AddressSanitizer", b"runtime error:", b"LeakSanitizer", b"UndefinedBehavior")
WORDS = (b"nan", b"-1", b"0", b"1e999", b"1e308", b"99999999999", b"2147483648", b"-2147483649", b"18446744073709551616", b"{", b"}", b"[", b"]", b'"', b",", b"<", b"/>", b"&amp;", b"<!DOCTYPE a>", b"\0", b"\n", b"\r\n",
         b"\xff\xfe", b"../../etc/passwd", b"/dev/zero", b"null", b"true", b"[" * 3000, b"<a>" * 2000, b"#", b"'", b" " * 5000)
CORNERS = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
FACES = [(0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4), (2, 6, 3), (3, 6, 7), (0, 4, 2), (2, 4, 6), (1, 3, 5), (3, 7, 5)]
TETRAHEDRA = [(1, 0, 2, 4), (1, 2, 3, 7), (1, 4, 5, 7), (2, 6, 4, 7), (1, 2, 4, 7)]
TETRAHEDRA = [t if sum((CORNERS[t[1]][i] - CORNERS[t[0]][i]) * ((CORNERS[t[2]][j] - CORNERS[t[0]][j]) * (CORNERS[t[3]][k] - CORNERS[t[0]][k]) - (CORNERS[t[2]][k] - CORNERS[t[0]][k]) * (CORNERS[t[3]][j] - CORNERS[t[0]][j]))
                       for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1))) > 0 else (t[1], t[0], t[2], t[3]) for t in TETRAHEDRA]


def lines(rows):
    return "".join(" ".join(map(str, row)) + "\n" for row in rows)


def surfaces():
    """A cube in every format of surfaces."""
    triangles = [tuple(CORNERS[i] for i in face) for face in FACES]
    yield "mesh.obj", ("g a\n" + "".join("v %g %g %g\n" % corner for corner in CORNERS) + "".join("f %d %d %d\n" % tuple(i + 1 for i in face) for face in FACES)).encode()
    yield "groups.obj", ("".join("v %g %g %g\n" % corner for corner in CORNERS) + "".join(("g %d\n" % k if k % 6 == 0 else "") + "f %d %d %d\n" % tuple(i + 1 for i in face) for k, face in enumerate(FACES))).encode()
    yield "mesh.stl", b"solid a\n" + b"".join(b"facet normal 0 0 0\nouter loop\n%bendloop\nendfacet\n" % b"".join(b"vertex %g %g %g\n" % corner for corner in t) for t in triangles) + b"endsolid a\n"
    yield "binary.stl", bytes(80) + struct.pack("<I", len(FACES)) + b"".join(struct.pack("<12fH", 0, 0, 0, *sum(t, ()), 0) for t in triangles)
    yield "mesh.off", ("OFF\n8 12 0\n" + lines(CORNERS) + lines((3,) + face for face in FACES)).encode()
    head = "ply\nformat %s 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\nelement face 12\nproperty list uchar int vertex_indices\nend_header\n"
    yield "mesh.ply", (head % "ascii" + lines(CORNERS) + lines((3,) + face for face in FACES)).encode()
    yield "binary.ply", (head % "binary_little_endian").encode() + b"".join(struct.pack("<3f", *corner) for corner in CORNERS) + b"".join(struct.pack("<B3i", 3, *face) for face in FACES)
    places, indices = b"".join(struct.pack("<3f", *corner) for corner in CORNERS), b"".join(struct.pack("<3H", *face) for face in FACES)
    buffer = {"byteLength": len(places + indices)}
    scene = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}], "buffers": [buffer],
             "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": len(places)}, {"buffer": 0, "byteOffset": len(places), "byteLength": len(indices)}],
             "accessors": [{"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]}, {"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"}]}
    text = json.dumps(scene).encode()
    text += b" " * (-len(text) % 4)
    yield "mesh.glb", struct.pack("<4sII", b"glTF", 2, 28 + len(text) + buffer["byteLength"]) + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", buffer["byteLength"], b"BIN\0") + places + indices
    buffer["uri"] = "data:application/octet-stream;base64," + base64.b64encode(places + indices).decode()
    yield "mesh.gltf", json.dumps(scene).encode()
    yield "mesh.dae", ("<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'><asset><unit meter='1'/><up_axis>Z_UP</up_axis></asset><library_geometries><geometry id='g'><mesh>"
                       "<source id='p'><float_array id='a' count='24'>%s</float_array><technique_common><accessor source='#a' count='8' stride='3'><param name='X' type='float'/><param name='Y' type='float'/>"
                       "<param name='Z' type='float'/></accessor></technique_common></source><vertices id='v'><input semantic='POSITION' source='#p'/></vertices><triangles count='12'><input semantic='VERTEX' source='#v' "
                       "offset='0'/><p>%s</p></triangles></mesh></geometry></library_geometries><library_visual_scenes><visual_scene id='s'><node id='n'><instance_geometry url='#g'/></node></visual_scene>"
                       "</library_visual_scenes><scene><instance_visual_scene url='#s'/></scene></COLLADA>" % (lines(CORNERS), lines(FACES))).encode()


def solids():
    """The cube as five tetrahedra in every format."""
    yield "medit.mesh", ("MeshVersionFormatted 1\nDimension 3\nVertices\n8\n" + lines(corner + (0,) for corner in CORNERS) + "Tetrahedra\n5\n" + lines(tuple(k + 1 for k in t) + (0,) for t in TETRAHEDRA) + "End\n").encode()
    yield "tetgen.ele", ("5 4 0\n" + lines((i + 1,) + tuple(k + 1 for k in t) for i, t in enumerate(TETRAHEDRA))).encode()
    yield "soft.msh", ("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n" + lines((i + 1,) + corner for i, corner in enumerate(CORNERS)) + "$EndNodes\n$Elements\n5\n"
                       + lines((i + 1, 4, 2, 1, 1) + tuple(k + 1 for k in t) for i, t in enumerate(TETRAHEDRA)) + "$EndElements\n").encode()
    yield "soft41.msh", ("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 8 1 8\n3 1 0 8\n" + lines((i + 1,) for i in range(8)) + lines(CORNERS) + "$EndNodes\n$Elements\n1 5 1 5\n3 1 4 5\n"
                         + lines((i + 1,) + tuple(k + 1 for k in t) for i, t in enumerate(TETRAHEDRA)) + "$EndElements\n").encode()
    yield "binary.msh", (b"$MeshFormat\n2.2 1 8\n" + struct.pack("<i", 1) + b"\n$EndMeshFormat\n$Nodes\n8\n" + b"".join(struct.pack("<i3d", i + 1, *corner) for i, corner in enumerate(CORNERS)) + b"\n$EndNodes\n$Elements\n5\n"
                         + struct.pack("<3i", 4, 5, 0) + b"".join(struct.pack("<5i", i + 1, *(k + 1 for k in t)) for i, t in enumerate(TETRAHEDRA)) + b"\n$EndElements\n")
    yield "soft.vtk", ("# vtk DataFile Version 3.0\na\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 double\n" + lines(CORNERS) + "CELLS 5 25\n" + lines((4,) + t for t in TETRAHEDRA) + "CELL_TYPES 5\n" + "10\n" * 5).encode()
    array = '<DataArray type="%s" Name="%s" format="ascii"%s>%s</DataArray>'
    yield "soft.vtu", ('<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt32"><UnstructuredGrid><Piece NumberOfPoints="8" NumberOfCells="5"><Points>'
                       + array % ("Float64", "Points", ' NumberOfComponents="3"', lines(CORNERS)) + "</Points><Cells>" + array % ("Int32", "connectivity", "", lines(TETRAHEDRA))
                       + array % ("Int32", "offsets", "", "4 8 12 16 20") + array % ("UInt8", "types", "", "10 10 10 10 10") + "</Cells></Piece></UnstructuredGrid></VTKFile>").encode()
    def packed(form, values):
        content = struct.pack("<%d%s" % (len(values), form), *values)
        return base64.b64encode(struct.pack("<I", len(content)) + content).decode()
    binary = '<DataArray type="%s" Name="%s" format="binary"%s>%s</DataArray>'
    yield "binary.vtu", ('<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt32"><UnstructuredGrid><Piece NumberOfPoints="8" NumberOfCells="5"><Points>'
                         + binary % ("Float64", "Points", ' NumberOfComponents="3"', packed("d", sum(CORNERS, ()))) + "</Points><Cells>" + binary % ("Int32", "connectivity", "", packed("i", sum(TETRAHEDRA, ())))
                         + binary % ("Int32", "offsets", "", packed("i", (4, 8, 12, 16, 20))) + binary % ("UInt8", "types", "", packed("B", (10,) * 5)) + "</Cells></Piece></UnstructuredGrid></VTKFile>").encode()


NODES = ("8 3 0 0\n" + lines((i + 1,) + corner for i, corner in enumerate(CORNERS))).encode()  # beside tetgen.ele
PIECES = b"""<VTKFile type="PUnstructuredGrid" version="1.0" byte_order="LittleEndian"><PUnstructuredGrid GhostLevel="0"><PPoints><PDataArray type="Float64" NumberOfComponents="3"/></PPoints><Piece Source="soft.vtu"/>
</PUnstructuredGrid></VTKFile>"""
ROBOTS = {
    "robot.urdf": "<robot name='r'><material name='m'><color rgba='1 0 0 1'/></material><link name='a'><inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry>"
                  "<box size='1 1 1'/></geometry></collision></link><link name='b'><inertial><origin xyz='0 0 .1' rpy='0 0 1'/><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial><collision>"
                  "<geometry><mesh filename='mesh.obj' scale='.1 .1 .1'/></geometry></collision></link><link name='c'><collision><geometry><sphere radius='.1'/></geometry></collision></link><joint name='j' type='revolute'><parent link='a'/><child link='b'/><origin xyz='0 0 3'/><axis xyz='0 1 0'/>"
                  "<limit lower='-1' upper='1' effort='3' velocity='4'/><dynamics damping='1' friction='.1'/></joint><joint name='k' type='prismatic'><parent link='b'/><child link='c'/><limit lower='0' upper='1' effort='1' "
                  "velocity='1'/><mimic joint='j' multiplier='2' offset='.1'/></joint></robot>",
    "robot.srdf": "<robot name='r'><group name='g'><link name='a'/><chain base_link='a' tip_link='b'/></group><group_state name='s' group='g'><joint name='j' value='.5'/></group_state>"
                  "<disable_collisions link1='a' link2='b' reason='Never'/></robot>",
    "robot.sdf": "<sdf version='1.9'><model name='m'><pose>0 0 1 0 0 1</pose><frame name='f' attached_to='a'><pose degrees='true'>1 0 0 0 0 90</pose></frame><link name='a'><inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy>"
                 "<izz>1</izz></inertia></inertial><collision name='c'><geometry><box><size>1 1 1</size></box></geometry></collision></link><link name='b'><pose relative_to='f'>2 0 0 0 0 0</pose><collision name='c'><geometry>"
                 "<mesh><uri>mesh.obj</uri></mesh></geometry></collision></link><joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>2</upper></limit></axis>"
                 "</joint></model></sdf>",
    "robot.xml": "<mujoco><compiler angle='degree' meshdir='.'/><default><geom friction='0.5'/><default class='d'><joint damping='1'/></default></default><asset><mesh name='m' file='mesh.obj'/><hfield name='h' nrow='2' ncol='3' "
                 "size='1 2 3 .1' elevation='0 1 2 3 4 5'/></asset><worldbody><geom type='hfield' hfield='h' pos='0 0 -9'/><body name='a' pos='0 0 2'><freejoint/><geom type='mesh' mesh='m'/><body name='b' pos='2 0 0'>"
                 "<joint name='j' axis='0 1 0' range='-9 9' limited='true' class='d'/><geom size='0.1 0.2' type='capsule'/><site name='s'/></body><replicate count='3' offset='0 3 0'><body name='c' pos='-2 0 0'><joint name='k' "
                 "type='slide'/><geom size='.1'/></body></replicate></body></worldbody><contact><exclude body1='a' body2='b'/></contact><equality><connect body1='a' body2='b' anchor='0 0 0'/></equality><tendon><fixed name='t'>"
                 "<joint joint='j' coef='2'/></fixed></tendon><actuator><position joint='j' kp='3'/><motor joint='j' ctrlrange='-1 1'/></actuator><keyframe><key name='k' time='0'/></keyframe></mujoco>",
}
TIME = {"time": {"step": 0.01, "steps": 2}, "contact": {"model": "bsh"}}
BASE = {"time": {"step": 0.01, "steps": 5}, "gravity": [0, 0, -9.81], "contact": {"friction": 0.3}, "shapes": {"box": {"type": "box", "size": [0.1, 0.1, 0.1]}, "ground": {"type": "plane"}},
        "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground"}, {"name": "box", "shape": "box", "mass": 1, "position": [0, 0, 0.2], "velocity": [1, 0, 0]},
                   {"name": "arm", "shape": "box", "mass": 1, "position": [0.5, 0, 0.5], "joint": {"type": "hinge", "axis": [0, 1, 0]}, "pd": {"kp": 5, "kd": 1}}],
        "control": [{"type": "pd_targets", "body": "arm"}], "objective": [{"type": "reach", "body": "box", "target": [0.1, 0, 0.1], "tolerance": 0.02}], "optimizer": {"type": "adam", "iterations": 2},
        "models": {"ipc": {"contact": {"dhat": 0.014, "stiffness": 0.072}}, "sdrs": {"contact": {"length": 1, "support": 0.014, "stiffness": 3.3e-5}}}}
STUDY = {"scene": "base.json", "vary": {"bodies.box.mass": [1, 2], "objective[0].target[0]": {"linear": [0, 1], "count": 2}}}


def with_mesh(name):
    return dict(TIME, shapes={"m": {"type": "mesh", "file": name, "convex": name == "groups.obj"}}, bodies=[{"name": "b", "shape": "m", "mass": 1}])


def prepare(folder):
    """The sound files; (name, what is damaged, files beside it, commands of which one is drawn)."""
    def write(name, content):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content if isinstance(content, bytes) else json.dumps(content).encode())
    kinds = []
    def add(name, content, beside, *commands):
        write(name, content)
        kinds.append((name, content if isinstance(content, bytes) else json.dumps(content).encode(), beside, commands))
    add("base.json", BASE, (), ("check", "base.json"), ("simulate", "base.json", "-o", "none"), ("optimize", "base.json", "-o", "none"), ("gradcheck", "base.json", "--steps", "1"), ("query", "base.json", "--manifold"), ("probe", "base.json"))
    for name in sorted(name for name in os.listdir(os.path.join(ROOT, "scenes")) if name.endswith(".json")):
        with open(os.path.join(ROOT, "scenes", name), "rb") as file:
            text = file.read()
        if 0 < len(text) < 4000 and b'"bodies"' in text and b'"file"' not in text and b'"include"' not in text:
            add(name, text, (), ("check", name))
    for name, content in surfaces():
        write("of_" + name + ".json", with_mesh(name))
        add(name, content, ("of_" + name + ".json",), ("check", "of_" + name + ".json"))
    write("tetgen.node", NODES)
    for name, content in (*solids(), ("pieces.pvtu", PIECES), ("tetgen.node", NODES)):
        scene = "of_%s.json" % name.replace(".node", ".ele")
        beside = {"tetgen.ele": ("tetgen.node",), "tetgen.node": ("tetgen.ele",), "pieces.pvtu": ("soft.vtu",)}
        write(scene, dict(TIME, bodies=[{"name": "b", "soft": {"file": name.replace(".node", ".ele"), "young": 1e4}}]))
        add(name, content, (scene, *beside.get(name, ())), ("check", scene), ("simulate", scene, "-o", "none"))
    write("of_srdf.json", dict(TIME, include={"file": "robot.urdf", "srdf": "robot.srdf"}))
    for name, content in ROBOTS.items():
        write("of_" + name + ".json", dict(TIME, include={"file": name, **({} if name == "robot.srdf" else {"unsupported": "skip"} if name == "robot.xml" else {})}))
        scene = "of_srdf.json" if name == "robot.srdf" else "of_" + name + ".json"
        add(name, content.encode(), (scene, "mesh.obj", "robot.urdf"), ("check", scene), *(() if name == "robot.srdf" else (("import", name, "-o", "made.json"),)))
    table = "time,box.x,box.y,box.qw,box.qx,box.qy,box.qz\n0,0,0,1,0,0,0\n0.02,0.01,0,1,0,0,0\n0.05,0.1,0,0.6,0,0.8,0\n"
    write("follow.json", dict(BASE, objective=[{"type": "follow", "file": "r.csv"}]))
    add("r.csv", table.encode(), ("follow.json",), ("check", "follow.json"))
    add("study.json", STUDY, ("base.json",), ("sweep", "study.json", "-o", "swept"), ("dataset", "study.json", "-o", "swept"))
    write("design.json", dict(BASE, control=[], design=[{"type": "size", "shape": "box", "axes": "x", "range": [0.5, 2]}]))
    for command in (("optimize", "base.json", "-o", "run"), ("sweep", "study.json", "-o", "study"), ("optimize", "design.json", "-o", "designed")):
        subprocess.run([DCSIM, *command, "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    write("packed.json", dict(BASE, objective=[{"type": "follow", "file": "r.h5"}]))
    with open(os.path.join(folder, "run", "trajectory.h5"), "rb") as file:
        add("r.h5", file.read(), ("packed.json",), ("check", "packed.json"))
    reads = (("report", "run"), ("verify", "run", "--quick"), ("export", "run", "--format", "csv"), ("export", "run", "--format", "glb"), ("diff", "run", "run"), ("render", "run", "--every", "1000", "--size", "32x32"),
             ("simulate", "base.json", "--control", "run", "-o", "none"), ("optimize", "--resume", "run"))
    for member in ("trajectory.h5", "checkpoint.bin", "loss.csv", "progress.jsonl", "run.json", "resolved.json", "scene.json"):
        with open(os.path.join(folder, "run", member), "rb") as file:
            # the other worlds of a certificate take their settings from "models" of scene.json
            worlds = (("verify", "run", "--draws", "1"),) if member == "scene.json" else ()
            kinds.append(("run/" + member, file.read(), ("run", "base.json"), reads + worlds))
    for member in ("design/scene.json", "design/box.obj", "design.csv"):
        with open(os.path.join(folder, "designed", member), "rb") as file:
            kinds.append(("designed/" + member, file.read(), ("designed",), (("export", "designed", "--format", "mjcf"), ("check", "designed/design/scene.json"), ("report", "designed"), ("verify", "designed", "--quick"))))
    for member in ("journal.jsonl", "study.json", "sweep.h5"):
        with open(os.path.join(folder, "study", member), "rb") as file:
            kinds.append(("study/" + member, file.read(), ("study", "study.json", "base.json"), (("sweep", "study.json", "-o", "study"), ("dataset", "study.json", "-o", "study", "--gather"))))
    return kinds


def damage(draw, content):
    """One to three changes anywhere: bytes, numbers, words, stretches cut, doubled or moved, the end cut off."""
    data = bytearray(content)
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        at, length = draw.randrange(len(data) + 1), 1 + draw.randrange(24)
        way = draw.randrange(8)
        digits = [i for i in range(at, min(at + 200, len(data))) if 48 <= data[i] <= 57]
        if way == 0 and at < len(data):
            data[at] = draw.randrange(256)
        elif way == 1 and digits:
            data[digits[0]] = 48 + draw.randrange(10)
        elif way == 2 and digits:
            data[digits[0]:digits[0] + 1] = draw.choice(WORDS[:9])
        elif way == 3:
            del data[at:at + length]
        elif way == 4:
            data[at:at] = draw.choice(WORDS)
        elif way == 5:
            data[at:at] = data[at:at + 20 * length]
        elif way == 6 and draw.random() < 0.3:
            del data[at:]
        elif len(data) > 8:
            place = draw.randrange(len(data) - 7)
            if draw.random() < 0.5:
                data[place:place + 4] = struct.pack("<I", draw.choice((0, 1, 2**31 - 1, 2**31, 2**32 - 1, draw.randrange(2**32))))
            else:
                place -= place % draw.choice((1, 4, 8))
                data[place:place + 8] = struct.pack("<d", draw.choice((float("nan"), float("inf"), 1e308, -1e308, 5e-324, -1, 2.0**53, 0)))
    return bytes(data)


def execute(command, folder, limit):
    """(status, what was printed, peak resident memory in MB, seconds by the clock)."""
    began = time.monotonic()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen([DCSIM, *command], cwd=folder, stdin=subprocess.DEVNULL, stdout=said, stderr=said, env=dict(os.environ, DCSIM_DATADIR=ROOT, ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1"),
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 1)))
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() - began > 20 * limit:
                process.kill()
                _, status, usage = os.wait4(process.pid, 0)
                break
            time.sleep(0.004)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        return process.returncode, said.read(), usage.ru_maxrss / 1024, time.monotonic() - began


def answer(folder, name):
    """What the command of ANSWERS wrote."""
    path = os.path.join(folder, ANSWERS[name][1])
    if not os.path.exists(path):
        return None
    with open(path) as file:
        return [line.rsplit(",", 1)[0] if ANSWERS[name][2] else line for line in file]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--memory", type=float, default=400)
    parser.add_argument("--kinds", default="")
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    draw, counts, faults, most, longest = random.Random(arguments.seed), collections.Counter(), 0, (0, ""), (0, "")
    with tempfile.TemporaryDirectory(prefix="damaged-") as root:
        sound = os.path.join(root, "sound")
        os.mkdir(sound)
        libraries = subprocess.run([DCSIM, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
        foreign = (".ply", ".off", ".dae", ".glb", ".gltf") if "Assimp none" in libraries else ()
        kinds = [kind for kind in prepare(sound) if not (foreign and kind[0].endswith(foreign)) and (not arguments.kinds or any(part in kind[0] for part in arguments.kinds.split(",")))]
        right = {}
        for number in range(arguments.draws):
            name, content, beside, commands = kinds[number % len(kinds)]
            folder = os.path.join(root, "draw")
            os.mkdir(folder)
            for other in beside:
                (shutil.copytree if os.path.isdir(os.path.join(sound, other)) else shutil.copy)(os.path.join(sound, other), os.path.join(folder, other))
            command, now = (draw.choice(commands), damage(draw, content)) if number >= len(kinds) else (commands[0], content)  # first each as it is
            if number >= len(kinds) and name in ANSWERS and draw.random() < 0.5:
                command = ANSWERS[name][0].split()
            asked = name in ANSWERS and " ".join(command) == ANSWERS[name][0]
            if asked and name not in right:
                execute(command, folder, arguments.limit)
                right[name] = answer(folder, name)
            with open(os.path.join(folder, name), "wb") as file:
                file.write(now)
            status, said, memory, seconds = execute(command, folder, arguments.limit)
            counts[status] += 1
            most, longest = max(most, (memory, "%s of %s" % (command[0], name))), max(longest, (seconds, "%s of %s" % (command[0], name)))
            wrong = ("status %d" % status if status not in STATUSES else "a report" if any(text in said for text in REPORTS) else "no message" if status and not said.strip() else
                     "%.0f MB" % memory if memory > arguments.memory else None)
            if not wrong and asked and status in (0, 1) and answer(folder, name) != right[name]:
                wrong = "another answer"
            if number < len(kinds) and status not in (0, 1):
                wrong = "the sound file ends with %d" % status
            if wrong:
                faults += 1
                print("draw %d: %s: dcsim %s with damaged %s" % (number, wrong, " ".join(command), name))
                print("\n".join("    " + line[:200] for line in said.decode("utf8", "replace").splitlines()[-12:]), flush=True)
                if arguments.keep:
                    shutil.copytree(folder, os.path.join(arguments.keep, "%d-%d" % (arguments.seed, number)), symlinks=True)
            shutil.rmtree(folder)
    print("statuses: %s; most memory %.0f MB (%s); longest %.1f s (%s)" % (", ".join("%d: %d" % entry for entry in sorted(counts.items())), *most, *longest))
    print("%d damaged files of %d kinds, %d faults" % (arguments.draws, len(kinds), faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
