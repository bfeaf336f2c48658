#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Contact manifolds of bodies of many superquadrics, and drops with and without contacts of edges (paper 001, experiments 5 and 6).

    scripts/paper/manifold-drops [--quick] [--dcsim FILE] [--output DIR] [--publish]

The paper's scans are not public: a figure of 18 superquadrics, an aeroplane of 32, a screwdriver of 5 and a hammer of 3 stand for them, made here.
Prints Markdown and writes it to DIR/manifold_drops.md (default: runs/paper); --publish: and to docs/measured.  About five minutes of processor time; --quick: fewer
poses, drops and steps, within two minutes.
"""
import json
import math
import os
import random
import shutil

from manifold_model import HAMMER
from measuring import call, motion, options, parse, settings, show, write_json

EDGE_LIMIT = 18  # most edges of each body
ACTIVE = 0.1


def quaternion(axis, degrees):
    half = math.radians(degrees) / 2
    return [math.cos(half), *(math.sin(half) * a for a in axis)]


def part(axes, exponents=(1, 1), position=(0, 0, 0), rotation=(1, 0, 0, 0)):
    return {"axes": list(axes), "exponents": list(exponents), "position": list(position), "rotation": list(rotation)}


def both_sides(parts):
    """Parts and what they are in the mirror x -> -x."""
    mirrored = []
    for one in parts:
        (x, y, z), (w, a, b, c) = one["position"], one["rotation"]
        mirrored.append(dict(one, position=[-x, y, z], rotation=[w, a, -b, -c]))
    return parts + mirrored


def figure():
    """18: trunk, head and snout; an ear, three of an arm and three of a leg on either side."""
    def lean(degrees):
        return quaternion((0, 1, 0), degrees)
    middle = [part((.16, .12, .17), (.6, .8), (0, 0, .1)), part((.14, .11, .1), (.8, .9), (0, 0, -.08)), part((.1, .1, .11), (1, 1), (0, 0, .36)), part((.05, .08, .05), (.9, .9), (0, -.1, .33))]
    side = [part((.025, .02, .06), (.8, .8), (.08, .02, .47), lean(25)), part((.06, .055, .12), (.8, 1), (.22, 0, .14), lean(-50)), part((.05, .045, .11), (.8, 1), (.33, -.03, 0), lean(-15)),
            part((.05, .06, .05), (.5, .6), (.36, -.05, -.13)), part((.08, .075, .13), (.8, 1), (.1, 0, -.22), lean(-15)), part((.06, .055, .12), (.8, 1), (.14, .01, -.4)), part((.06, .1, .04), (.3, .5), (.15, -.04, -.52))]
    return middle + both_sides(side)


def aeroplane():
    """32: ten of the fuselage along y, with cockpit and fin; on either side six of the wing, three of the tail, an engine and its nacelle."""
    middle = [part((.05 - .002 * (i - 3) ** 2, .09, .05 - .002 * (i - 3) ** 2), (.9, .9), (0, .1 * i - .35, 0)) for i in range(7)]
    middle += [part((.03, .06, .03), (1, 1), (0, -.15, .05)), part((.012, .06, .05), (.6, .7), (0, .3, .06)), part((.012, .045, .05), (.6, .7), (0, .33, .12))]
    side = [part((.06, .09 - .008 * i, .016), (.6, .7), (.08 + .08 * i, .03 * i - .05, .004 * i)) for i in range(6)]
    side += [part((.04, .045 - .005 * i, .012), (.6, .7), (.04 + .05 * i, .3 + .02 * i, .02)) for i in range(3)]
    side += [part((.022, .06, .022), (.8, 1), (.16, -.08, -.03)), part((.015, .02, .025), (.8, .8), (.16, -.04, -.015))]
    return middle + both_sides(side)


def screwdriver():
    """5 along z: tip, shaft, collar, handle and its end."""
    return [part((.012, .005, .03), (.5, .5), (0, 0, .16)), part((.008, .008, .09), (.6, 1), (0, 0, .08)), part((.018, .018, .012), (.8, 1), (0, 0, -.005)),
            part((.022, .022, .06), (.5, .9), (0, 0, -.06)), part((.02, .02, .02), (1, 1), (0, 0, -.115))]


def shapes():
    fine = {"figure": (606, .006), "aeroplane": (1160, .004), "screwdriver": (326, .0025)}
    made = {"figure": figure(), "aeroplane": aeroplane(), "screwdriver": screwdriver()}
    result = {name: {"type": "superquadrics", "triangles": triangles, "inset": inset, "smoothing": smoothing, "cells": 48, "parts": made[name]}
              for (name, (triangles, inset)), smoothing in zip(fine.items(), (.01, .008, .004))}
    return dict(result, hammer=HAMMER)


def scene_of(bodies, shape_table, edges, steps=1):
    """Two bodies of these shapes, the first above the second, which stands still."""
    above, below = bodies
    return {"name": f"{above}-on-{below}", "time": {"step": 0.01, "steps": steps}, "contact": {"model": "manifold", "stiffness": 1e-5, "friction": 0.5, "edges": edges},
            "shapes": {name: shape_table[name] for name in {above, below}},
            "bodies": [{"name": "above", "shape": above, "mass": 0.5, "position": [0, 0, 0], "rotation": [1, 0, 0, 0]},
                       {"name": "below", "shape": below, "joint": "fixed", "rotation": FLAT.get(below, [1, 0, 0, 0])}]}


# How bodies lie below, and from where and how they fall: place, m, and rotation.
FLAT = {"figure": quaternion((1, 0, 0), 90), "screwdriver": quaternion((1, 0, 0), 90)}
DROPS = [("figure", "figure", [.05, .1, .45], quaternion((.70710678, .70710678, 0), 109)), ("aeroplane", "figure", [.02, .05, .3], quaternion((0, 1, 0), 20)),
         ("hammer", "hammer", [0, 0, .08], quaternion((0, 0, 1), 90)), ("screwdriver", "hammer", [.01, 0, .08], quaternion((1, 0, 0), 80))]


def write(folder, scene):
    return write_json(os.path.join(folder, scene["name"] + ".json"), scene)


def placed(position, rotation):
    return settings("bodies.above.position=" + json.dumps(list(position)), "bodies.above.rotation=" + json.dumps(list(rotation)))


def query(arguments, path, *changes):
    return call(arguments, "query", path, "--manifold", "--json", *changes)["pairs"][0]


def random_rotation(generator):
    q = [generator.gauss(0, 1) for _ in range(4)]
    length = math.sqrt(sum(a * a for a in q))
    return [a / length for a in q]


def manifolds(arguments, folder, shape_table):
    """Of every shape on itself at random poses of overlap."""
    poses, lines = 3 if arguments.quick else 7, ["Bodies on themselves at random poses of overlap: all vertices, and of edges as many on either side as there are superquadrics. Active are contacts of an activity of 0.1 or more that penetrate.", "",
                                                  "| body | superquadrics | contacts of vertices | stand out of the level set, m | poses | active vertices, median | active edges, median | deepest vertex, m |", "|---|---|---|---|---|---|---|---|"]
    generator = random.Random(5)
    for name, shape in shape_table.items():
        path = write(folder, scene_of((name, name), shape_table, 0))
        reach = 0.35 * max(math.dist((0, 0, 0), one.get("position", (0, 0, 0))) + max(one["axes"]) for one in shape["parts"])
        vertices, edges, deepest = [], [], 0
        for _ in range(poses):
            place = [generator.uniform(-reach, reach) for _ in range(3)]
            pair = query(arguments, path, *placed(place, random_rotation(generator)))
            active = [contact for contact in pair["contacts"] if contact["activity"] >= ACTIVE and contact["distance"] < 0]
            vertices.append(sum(contact["type"] == "vertex" for contact in active))
            edges.append(len(active) - vertices[-1])
            deepest = min([deepest] + [contact["distance"] for contact in active])
        fit = pair["fit"]["above"]["edges"]
        count = sum(contact["type"] == "vertex" for contact in pair["contacts"])
        lines.append(f"| {name} | {len(shape['parts'])} | {count} | {fit:.2g} | {poses} | {sorted(vertices)[poses // 2]} | {sorted(edges)[poses // 2]} | {deepest:.3g} |")
    return lines


def turned(q, v):
    """v turned by the unit quaternion q."""
    w, u = q[0], q[1:]
    def cross(a, b):
        return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    once = cross(u, v)
    twice = cross(u, once)
    return [v[k] + 2 * (w * once[k] + twice[k]) for k in range(3)]


def pose(row):
    return [float(row[f"above.{c} [m]"]) for c in "xyz"], [float(row[f"above.{c} [1]"]) for c in ("qw", "qx", "qy", "qz")]


def drop(arguments, folder, shape_table, case, edges):
    """What a drop said, how deep it went and how fast it is at its end."""
    above, below, place, rotation = case
    scene = scene_of((above, below), shape_table, edges, 6 if arguments.quick else 30)
    scene["bodies"][0].update(position=place, rotation=rotation)
    path, run = write(folder, scene), os.path.join(folder, f"{scene['name']}-{edges}")
    shutil.rmtree(run, ignore_errors=True)
    said = call(arguments, "simulate", path, "-o", run, "--no-report", "--threads", "1", "--json")
    rows = motion(arguments, run)
    first, q = pose(rows[0])  # recorded is the centre of mass: from it to the frame that the scene places
    arm = turned([q[0], -q[1], -q[2], -q[3]], [first[k] - place[k] for k in range(3)])
    depth = {"vertex": math.inf, "edges": math.inf}
    for row in rows[::3] + [rows[-1]]:
        centre, q = pose(row)
        offset = turned(q, arm)
        pair = query(arguments, path, *placed([centre[k] - offset[k] for k in range(3)], q))
        for contact in pair["contacts"]:
            if contact["activity"] >= ACTIVE:
                depth[contact["type"]] = min(depth[contact["type"]], contact["distance"])
    speed = math.dist(pose(rows[-1])[0], pose(rows[-2])[0]) / 0.01
    return said, depth, speed, pose(rows[-1])[0]


def drops(arguments, folder, shape_table):
    lines = ["Drops from rest onto a body that stands still, steps of 0.01 s, friction 0.5, model `manifold` with and without edges. Depths are the least signed distances of vertices and of edges (of activity 0.1 or more; inf: none) in every third frame, "
             "by `dcsim query` with edges in both cases; meshes are inset, so that a depth of their inset is not yet a crossing of meshes; smallest gap: between hulls, over all frames.", "",
             "| falls | on | edges of each | ms per step | Newton iterations per step | divided steps | smallest gap, m | least distance of vertices, m | of edges, m | speed at the end, m/s | ends, m from the other drop |", "|---|---|---|---|---|---|---|---|---|---|---|"]
    for case in DROPS[2:] if arguments.quick else DROPS:
        parts = max(len(shape_table[name]["parts"]) for name in case[:2])
        end = None
        for edges in (0, min(parts, 4 if arguments.quick else EDGE_LIMIT)):
            said, depth, speed, place = drop(arguments, folder, shape_table, case, edges)
            apart = "" if end is None else f"{math.dist(place, end):.3g}"
            end = place
            lines.append(f"| {case[0]} | {case[1]} | {edges} | {1e3 * said['seconds_per_step']:.0f} | {said['newton_iterations_per_step']:.3g} | {said.get('divided_steps', 0)} | {said['min_gap']:.3g} | {depth['vertex']:.3g} | {depth['edges']:.3g} | {speed:.3g} | {apart} |")
    return lines


def main():
    arguments = parse(options(__doc__))
    folder = os.path.join(arguments.output, "manifold-drops")
    os.makedirs(folder, exist_ok=True)
    table = shapes()
    lines = ["### Bodies of many superquadrics, dropped (paper 001, experiments 5 and 6)", "", f"By `scripts/paper/manifold-drops{' --quick' if arguments.quick else ''}`.", "",
             *manifolds(arguments, folder, table), "", *drops(arguments, folder, table)]
    show(arguments, "manifold_drops", lines)


if __name__ == "__main__":
    main()
