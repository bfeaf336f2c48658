#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prisms over drawn polygons, written in every format of meshes, with nodes, units, mirrored scales and polygons of many corners: volume and centre by the formula?

    scripts/soak/mesh_draws.py [--draws 100] [--seed 1] [--formats obj stl ...] [--build build] [--keep FOLDER]

A polygon that is not convex (a star about a centre, a U, an L) is extruded; a file holds it as one solid or two, in frames of nested nodes with turns, shifts and scales that may
mirror, in a unit, as triangles or with its polygons whole.  Read as the surface of a free body it must have the volume and the centre of mass that the polygon's area says, within
1e-9 (1e-5 where a format has single numbers).
"""
import argparse
import base64
import collections
import json
import math
import os
import random
import struct
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
IDENTITY = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]


def multiply(a, b):
    return [[sum(a[i][n] * b[n][k] for n in range(4)) for k in range(4)] for i in range(4)]


def apply(m, p):
    return tuple(sum(m[i][k] * p[k] for k in range(3)) + m[i][3] for i in range(3))


def turn(axis, degrees):
    length = math.sqrt(sum(x * x for x in axis))
    x, y, z = (v / length for v in axis)
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return [[c + x * x * (1 - c), x * y * (1 - c) - z * s, x * z * (1 - c) + y * s, 0], [y * x * (1 - c) + z * s, c + y * y * (1 - c), y * z * (1 - c) - x * s, 0],
            [z * x * (1 - c) - y * s, z * y * (1 - c) + x * s, c + z * z * (1 - c), 0], [0, 0, 0, 1]]


def polygon(generator):
    kind = generator.choice(("star", "u", "l", "convex"))
    if kind == "u":
        return [(0, 0), (3, 0), (3, 3), (2, 3), (2, 1), (1, 1), (1, 3), (0, 3)]
    if kind == "l":
        return [(0, 0), (2, 0), (2, .5), (.5, .5), (.5, 2), (0, 2)]
    count = generator.randint(5, 9)
    return [(r * math.cos(2 * math.pi * i / count), r * math.sin(2 * math.pi * i / count)) for i, r in ((i, generator.uniform(.5, 1.5) if kind == "star" else 1) for i in range(count))]


def ears(points):
    """Triangles of a simple polygon against the clock, the first ear that is none of the others' place."""
    def area(a, b, c):
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    left, triangles = list(range(len(points))), []
    while len(left) > 3:
        for i in range(len(left)):
            a, b, c = left[i - 1], left[i], left[(i + 1) % len(left)]
            pa, pb, pc = points[a], points[b], points[c]
            if area(pa, pb, pc) > 1e-12 and not any(
                    area(pa, pb, points[k]) >= 0 and area(pb, pc, points[k]) >= 0 and area(pc, pa, points[k]) >= 0 for k in left if k not in (a, b, c)):
                triangles.append((a, b, c))
                left.pop(i)
                break
    return triangles + [tuple(left)]


def prism(generator):
    """(corners, polygons), (volume, centre); polygons face outward."""
    points, height = polygon(generator), generator.uniform(.5, 2)
    n = len(points)
    corners = [(x, y, 0) for x, y in points] + [(x, y, height) for x, y in points]
    whole = generator.random() < .5
    bottom = [tuple(range(n))[::-1]] if whole else [t[::-1] for t in ears(points)]
    top = [tuple(range(n, 2 * n))] if whole else [tuple(n + k for k in t) for t in ears(points)]
    sides = []
    for i in range(n):
        k = (i + 1) % n
        sides += [(i, k, n + k, n + i)] if whole else [(i, k, n + k), (i, n + k, n + i)]
    cross = [points[i][0] * points[(i + 1) % n][1] - points[(i + 1) % n][0] * points[i][1] for i in range(n)]
    area = sum(cross) / 2
    x, y = (sum((points[i][c] + points[(i + 1) % n][c]) * cross[i] for i in range(n)) / (6 * area) for c in range(2))
    return (corners, bottom + top + sides), (area * height, (x, y, height / 2))


def transform(generator, mirrors=True):
    """(matrix, what it is made of: shift, axis and degrees, scale)"""
    shift, axis, degrees = [generator.uniform(-1, 1) for _ in range(3)], [generator.uniform(-1, 1) for _ in range(2)] + [.5], generator.uniform(-170, 170)
    scale = [generator.choice((1, 1, -1) if mirrors else (1,)) * generator.uniform(.5, 1.5) for _ in range(3)]
    matrix = multiply([[1, 0, 0, shift[0]], [0, 1, 0, shift[1]], [0, 0, 1, shift[2]], [0, 0, 0, 1]], multiply(turn(axis, degrees), [[scale[0], 0, 0, 0], [0, scale[1], 0, 0], [0, 0, scale[2], 0], [0, 0, 0, 1]]))
    return matrix, (shift, axis, degrees, scale)


def determinant(m):
    return (m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]))


def triangles_of(polygons, corners):
    """Polygons of flat prisms cut into triangles: tops by ears, in the plane z."""
    out = []
    for one in polygons:
        if len(one) <= 4:
            out += [(one[0], one[i], one[i + 1]) for i in range(1, len(one) - 1)]
            continue
        up = corners[one[0]][2] > 0
        flat = [corners[k][:2] for k in (one if up else one[::-1])]
        names = one if up else one[::-1]
        out += [tuple(names[k] for k in (t if up else t[::-1])) for t in ears(flat)]
    return out


# Writers: meshes are (corners, polygons) in the file's frame; they return bytes and what the reader has to multiply.
def write_obj(generator, meshes):
    text, base = "# drawn\n", 0
    for number, (corners, polygons) in enumerate(meshes):
        text += generator.choice(("", "o part%d\n" % number, "g part%d\n" % number)) + "".join("v %.17g %.17g %.17g\n" % c for c in corners)
        way = generator.randrange(3)
        for one in polygons:
            text += "f " + " ".join(("%d", "%d//", "%d")[way].replace("//", "") % ((base + k + 1) if way < 2 else k - len(corners)) for k in one) + "\n"
        base += len(corners)
    return text.encode()


def write_off(generator, meshes):
    corners = [c for mesh in meshes for c in mesh[0]]
    polygons, base = [], 0
    for mesh in meshes:
        polygons += [tuple(base + k for k in one) for one in mesh[1]]
        base += len(mesh[0])
    return ("OFF\n%d %d 0\n" % (len(corners), len(polygons)) + "".join("%.17g %.17g %.17g\n" % c for c in corners) + "".join("%d %s\n" % (len(p), " ".join(map(str, p))) for p in polygons)).encode()


def write_stl(generator, meshes):
    triangles = [[mesh[0][k] for k in t] for mesh in meshes for t in triangles_of(mesh[1], mesh[0])]
    if generator.random() < .5:
        return b"drawn".ljust(80) + struct.pack("<I", len(triangles)) + b"".join(struct.pack("<12fH", 0, 0, 0, *t[0], *t[1], *t[2], 0) for t in triangles)
    return ("solid a\n" + "".join("facet normal 0 0 0\nouter loop\n%sendloop\nendfacet\n" % "".join("vertex %.17g %.17g %.17g\n" % c for c in t) for t in triangles) + "endsolid a\n").encode()


def write_ply(generator, meshes):
    corners, polygons, base = [c for mesh in meshes for c in mesh[0]], [], 0
    for mesh in meshes:
        polygons += [tuple(base + k for k in one) for one in mesh[1]]
        base += len(mesh[0])
    form = generator.choice(("ascii", "binary_little_endian", "binary_big_endian"))
    head = "ply\nformat %s 1.0\nelement vertex %d\nproperty double x\nproperty double y\nproperty double z\nproperty uchar red\nelement face %d\nproperty list uchar int vertex_indices\nend_header\n" % (form, len(corners), len(polygons))
    if form == "ascii":
        return (head + "".join("%.17g %.17g %.17g 7\n" % c for c in corners) + "".join("%d %s\n" % (len(p), " ".join(map(str, p))) for p in polygons)).encode()
    order = "<" if "little" in form else ">"
    return head.encode() + b"".join(struct.pack(order + "3dB", *c, 7) for c in corners) + b"".join(struct.pack("%sB%di" % (order, len(p)), len(p), *p) for p in polygons)


def write_dae(generator, nodes, unit):
    geometries, scenes = "", ""
    for number, (mesh, chain) in enumerate(nodes):
        corners, polygons = mesh
        numbers = " ".join("%.17g" % x for c in corners for x in c)
        source = ('<source id="p%d"><float_array id="a%d" count="%d">%s</float_array><technique_common><accessor source="#a%d" count="%d" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>'
                  '<param name="Z" type="float"/></accessor></technique_common></source><vertices id="v%d"><input semantic="POSITION" source="#p%d"/></vertices>') % (
                      number, number, 3 * len(corners), numbers, number, len(corners), number, number)
        triangles = generator.random() < .5
        faces = triangles_of(polygons, corners) if triangles else polygons
        inner = '<input semantic="VERTEX" source="#v%d" offset="0"/>' % number
        indices = "<p>%s</p>" % " ".join(str(k) for f in faces for k in f)
        if triangles:
            source += '<triangles count="%d">%s%s</triangles>' % (len(faces), inner, indices)
        else:
            source += '<polylist count="%d">%s<vcount>%s</vcount>%s</polylist>' % (len(faces), inner, " ".join(str(len(f)) for f in faces), indices)
        geometries += '<geometry id="g%d"><mesh>%s</mesh></geometry>' % (number, source)
        text = '<instance_geometry url="#g%d"/>' % number
        for matrix, (shift, axis, degrees, scale) in reversed(chain):
            if generator.random() < .5:
                own = "<matrix>%s</matrix>" % " ".join("%.17g" % x for row in matrix for x in row)
            else:
                own = "<translate>%s</translate><rotate>%s %.17g</rotate><scale>%s</scale>" % (*(" ".join("%.17g" % x for x in v) for v in (shift, axis)), degrees, " ".join("%.17g" % x for x in scale))
            text = "<node>%s%s</node>" % (own, text)
        scenes += text if chain else "<node>%s</node>" % text
    return ('<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><unit meter="%g"/><up_axis>%s</up_axis></asset><library_geometries>%s</library_geometries><library_visual_scenes>'
            '<visual_scene id="s">%s</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>' % (unit, generator.choice(("Z_UP", "Y_UP")), geometries, scenes)).encode()


def write_gltf(generator, nodes):
    data, views, accessors, meshes, tree, roots = b"", [], [], [], [], []
    for number, (mesh, chain) in enumerate(nodes):
        corners, polygons = mesh
        indices = [k for t in triangles_of(polygons, corners) for k in t]
        for blob in (b"".join(struct.pack("<3f", *c) for c in corners), b"".join(struct.pack("<I", k) for k in indices)):
            views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(blob)})
            data += blob
        accessors += [{"bufferView": 2 * number, "componentType": 5126, "count": len(corners), "type": "VEC3", "min": [min(c[i] for c in corners) for i in range(3)], "max": [max(c[i] for c in corners) for i in range(3)]},
                      {"bufferView": 2 * number + 1, "componentType": 5125, "count": len(indices), "type": "SCALAR"}]
        meshes.append({"primitives": [{"attributes": {"POSITION": 2 * number}, "indices": 2 * number + 1}]})
        tree.append({"mesh": number})
        for matrix, (shift, axis, degrees, scale) in reversed(chain):
            node = {"children": [len(tree) - 1]}
            if generator.random() < .5:
                node["matrix"] = [matrix[i][k] for k in range(4) for i in range(4)]
            else:
                length = math.sqrt(sum(x * x for x in axis))
                s = math.sin(math.radians(degrees) / 2) / length
                node.update(translation=shift, rotation=[x * s for x in axis] + [math.cos(math.radians(degrees) / 2)], scale=scale)
            tree.append(node)
        roots.append(len(tree) - 1)
    document = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": roots}], "nodes": tree, "meshes": meshes, "bufferViews": views, "accessors": accessors}
    document["buffers"] = [{"uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode(), "byteLength": len(data)}]
    return json.dumps(document).encode()


WITH_NODES = ("dae", "gltf")


def draw(generator, form):
    """(file, scale in the URDF, volume, centre)"""
    parts, volumes = [], []
    for number in range(generator.choice((1, 1, 2))):
        mesh, (volume, center) = prism(generator)
        away = [[1, 0, 0, 9.0 * number], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
        chain = [transform(generator) for _ in range(generator.choice((0, 1, 2)))]
        if form not in WITH_NODES:
            chain = chain[:1]
        whole = away
        if number:
            chain.insert(0, (away, ([9, 0, 0], [0, 0, 1], 0, [1, 1, 1])))
        whole = IDENTITY
        for matrix, _ in chain:
            whole = multiply(whole, matrix)
        volumes.append((abs(determinant(whole)) * volume, apply(whole, center)))
        if form not in WITH_NODES:  # the corners themselves, turned inside out by mirrors
            faces = [p[::-1] for p in mesh[1]] if determinant(whole) < 0 else mesh[1]
            if form == "stl":
                faces = [t[::-1] if determinant(whole) < 0 else t for t in triangles_of(mesh[1], mesh[0])]
            mesh, chain = ([apply(whole, c) for c in mesh[0]], faces), []
        parts.append((mesh, chain))
    unit = generator.choice((1, .01, .5)) if form == "dae" else 1
    if form == "dae":
        content = write_dae(generator, parts, unit)
    elif form == "gltf":
        content = write_gltf(generator, parts)
    else:
        content = {"obj": write_obj, "off": write_off, "stl": write_stl, "ply": write_ply}[form](generator, [part[0] for part in parts])
    scale = [generator.choice((1, -1)) * generator.uniform(.5, 2) / unit for _ in range(3)]
    volume = sum(v for v, _ in volumes)
    center = [sum(v * c[i] for v, c in volumes) / volume * scale[i] * unit for i in range(3)]
    return content, scale, volume * abs(scale[0] * scale[1] * scale[2]) * unit ** 3, center


def measure(folder, form, scale):
    import dcsim
    with open(os.path.join(folder, "m.urdf"), "w") as file:
        file.write('<robot name="r"><link name="a"><collision><geometry><mesh filename="m.%s" scale="%.17g %.17g %.17g"/></geometry></collision></link></robot>' % (form, *scale))
    scene = dcsim.open({"time": {"step": 1e-6, "steps": 1}, "contact": {"model": "bsh"}, "include": {"file": "m.urdf", "base": "free", "convex": False}}, folder)
    problem = scene.problem(1)
    problem.value(problem.initial)
    return scene.bodies[0].mass / 1000, list(problem.trajectory().position[0, 0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--formats", nargs="*", default=["obj", "off", "stl", "ply", "dae", "gltf"])
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    sys.path.insert(0, os.path.join(ROOT, "python"))
    os.environ["DCSIM_LIBRARY"] = os.path.join(os.path.realpath(arguments.build), "lib/libdcsim.so")
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for k in range(arguments.draws):
            for form in arguments.formats:
                content, scale, volume, center = draw(random.Random("%s %d %d" % (form, arguments.seed, k)), form)
                with open(os.path.join(folder, "m." + form), "wb") as file:
                    file.write(content)
                bound = 1e-5 if form in ("gltf", "stl", "dae", "off", "ply") else 1e-9
                try:
                    found, place = measure(folder, form, scale)
                    off = max([abs(found / volume - 1)] + [abs(a - b) / (1 + max(map(abs, center))) for a, b in zip(place, center)])
                    verdict, why = ("same", "") if off < bound else ("differs", "volume %.6g of %.6g, centre %s of %s" % (found, volume, place, center))
                except Exception as error:
                    verdict, why = "refused", str(error)
                counts[form + " " + verdict] += 1
                if verdict != "same":
                    print("draw %d, %s: %s: %s" % (k, form, verdict, why), flush=True)
                    if arguments.keep:
                        os.makedirs(arguments.keep, exist_ok=True)
                        with open(os.path.join(arguments.keep, "%d-%d.%s" % (arguments.seed, k, form)), "wb") as file:
                            file.write(content)
    print(", ".join("%d %s" % (count, verdict) for verdict, count in sorted(counts.items())))
    return 1 if any("same" not in verdict for verdict in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
