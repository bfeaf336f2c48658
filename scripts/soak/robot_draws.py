#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Robots drawn at random as URDF and as SDF with what their formats say beside the plain tree, against MuJoCo's motion of an independent MJCF text.

    scripts/soak/robot_draws.py --mujoco .../@mujoco/mujoco/mujoco.js [--draws 100] [--seed 1] [--formats urdf sdf] [--through mjcf urdf] [--build build] [--keep FOLDER]

URDF: masses of collisions and of scaled and mirrored meshes, mimics, narrow ranges, planar joints, links without mass between, elements in any order, what says nothing about
motion.  SDF (scripts/soak/sdf_text.py): frames, models in models, included and merged files, versions 1.4 to 1.11, joints off the link's frame, ball and universal joints,
springs, mimics, ranges, loops, gravity of world and link.  The MJCF text is that of scripts/soak/robot_trees.py.  Masses and frames must agree within 1e-9 (meshes 1e-6), motion
as in scripts/robot_motion.py (5 % with dry friction, ranges, loops).  --through writes each robot in those formats by `dcsim export`, reads that again and holds it against the same text:
"named" is another motion of which the export has a note; a keyframe and the gravity that it asks for are taken over.  What is written as MJCF MuJoCo reads, too.
"""
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import robot_trees as trees
from beside_mujoco import begin, keep, options, robot_motion, tell
from sdf_text import Writer
from urdf_draws import apply, compose, inverse, numbers, rpy_of

IDLE = ('<safety_controller soft_lower_limit="-1" soft_upper_limit="1" k_position="10" k_velocity="2"/>', '<calibration rising="0.1"/>')


def origin(pose, generator):
    plain = max(abs(x) for x in pose[0] + rpy_of(pose[1])) < 1e-12
    if plain and generator.random() < .8:
        return ""
    return '<origin xyz="%s" rpy="%s"/>' % (numbers(pose[0]), numbers(rpy_of(pose[1])))


def urdf_shape(kind, values):
    if kind == "cylinder":
        return '<cylinder radius="%.12g" length="%.12g"/>' % tuple(values)
    if kind == "mesh":
        return '<mesh filename="%s.obj" scale="%s"/>' % (values[0], numbers(values[1:]))
    return '<box size="%s"/>' % numbers(values) if kind == "box" else '<sphere radius="%.12g"/>' % values[0]


def urdf_link(link, generator):
    text = ""
    if link["inertial"]:
        mass, frame, tensor = link["inertial"]
        names = (("ixx", 0, 0), ("iyy", 1, 1), ("izz", 2, 2), ("ixy", 0, 1), ("ixz", 0, 2), ("iyz", 1, 2))
        parts = [origin(frame, generator), '<mass value="%.15g"/>' % mass, "<inertia%s/>" % "".join(' %s="%.15g"' % (name, tensor[i][k]) for name, i, k in names)]
        generator.shuffle(parts)
        text += "<inertial>%s</inertial>" % "".join(parts)
    for kind, values, _, place in link["shapes"]:
        text += "<collision>%s<geometry>%s</geometry></collision>" % (origin(place, generator), urdf_shape(kind, values))
    if generator.random() < .3:
        text += '<visual><origin xyz="0 0 5"/><geometry><box size="3 3 3"/></geometry><material name="m"/></visual>'
    return '<link name="%s">%s</link>' % (link["name"], text)


def urdf_joint(link, parent, pose, generator):
    kind = link["type"]
    parts = ['<parent link="%s"/>' % parent, '<child link="%s"/>' % link["name"], origin(pose, generator)]
    if kind not in ("fixed", "floating"):
        parts.append('<axis xyz="%s"/>' % numbers(link["axes"][0]))
    if kind in ("revolute", "prismatic"):
        parts.append('<limit lower="%.12g" upper="%.12g" effort="%s" velocity="%s"/>' % ((link["range"] or (-90, 90)) + (generator.choice(("0", "30")), generator.choice(("0", "5")))))
    if link["damping"][0] or link["friction"][0]:
        parts.append('<dynamics damping="%.12g" friction="%.12g"/>' % (link["damping"][0], link["friction"][0]))
    if link["mimic"]:
        shift = ' offset="%.12g"' % link["mimic"][2] if link["mimic"][2] else ""
        parts.append('<mimic joint="j%s" multiplier="%.12g"%s/>' % (link["mimic"][0], link["mimic"][1], shift))
    if generator.random() < .2:
        parts.append(generator.choice(IDLE))
    generator.shuffle(parts)
    return '<joint name="j%s" type="%s">%s</joint>' % (link["name"], kind, "".join(parts))


def urdf_of(links, generator):
    items = [urdf_link(link, generator) for link in links] + ['<material name="m"><color rgba="1 0 0 1"/></material>', '<link name="world"/>']
    for link in links:
        base = links[link["parent"]]["world"] if link["parent"] >= 0 else trees.IDENTITY
        parent = links[link["parent"]]["name"] if link["parent"] >= 0 else "world"
        if generator.random() < .3:  # a frame between, fixed to the parent
            frame = trees.draw_pose(generator)
            name = "between_" + link["name"]
            items.append('<link name="%s"/><joint name="to_%s" type="fixed"><parent link="%s"/><child link="%s"/>%s</joint>' % (name, name, parent, name, origin(frame, generator)))
            parent, base = name, compose(base, frame)
        items.append(urdf_joint(link, parent, compose(inverse(base), link["world"]), generator))
    generator.shuffle(items)
    return '<?xml version="1.0"?>\n<!-- drawn -->\n<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">%s</robot>' % "".join(items)


def draw_urdf(generator):
    links = trees.draw_tree(generator, ("floating", "revolute", "continuous", "prismatic", "planar"), ("revolute", "continuous", "prismatic", "fixed"), True)
    if generator.random() < .5:
        trees.draw_mimics(links, generator)
    if generator.random() < .3:
        trees.draw_range(links, generator)
    for link in links:
        link["stiffness"] = link["rest"] = [0]
    return links, {"model.urdf": urdf_of(links, generator)}, trees.mjcf_of(links)


def loop_of(links, generator):
    """A joint more between links that do not hang on each other, and its equality."""
    pairs = [(a, b) for a in links for b in links if a is not b and links.index(a) < links.index(b) and b["parent"] != links.index(a)]
    if not pairs:
        return [], ""
    parent, child = generator.choice(pairs)
    kind, frame = generator.choice(("ball", "revolute", "fixed")), trees.draw_pose(generator)
    inside = compose(inverse(parent["world"]), frame)
    points = {"ball": ((0, 0, 0),), "revolute": ((0, 0, 0), (0, 0, .1)), "fixed": ((0, 0, 0), (.1, 0, 0), (0, .1, 0))}[kind]
    text = ""
    for point in points:
        at = [x + y for x, y in zip(inside[0], apply(inside[1], point))]
        text += '<connect body1="%s" body2="%s" anchor="%s"TIGHT/>' % (parent["name"], child["name"], numbers(at))
    return [(parent, child, kind, frame)], text


def draw_sdf(generator):
    kinds = ("revolute", "continuous", "prismatic", "fixed", "ball", "universal")
    links = trees.draw_tree(generator, kinds + ("floating",), kinds, True)
    old = generator.choice((None, None, None, "1.4", "1.5", "1.6"))
    for link in links:
        if generator.random() < .4 and link["type"] not in ("floating", "fixed"):
            link["frame"] = compose(link["world"], trees.draw_pose(generator))
        link["weightless"] = generator.random() < .1
        if link["type"] in trees.SCALARS and generator.random() < .2:
            link["start"] = [generator.uniform(-.2, .2)]
    if generator.random() < .3 and not old:
        trees.draw_mimics(links, generator)
    closed, more = ([], "")
    if generator.random() < .2 and not old and not any(link["start"][0] or link["mimic"] for link in links):
        closed, more = loop_of(links, generator)
        for link in links:
            link["friction"] = [0 for _ in link["friction"]]
    elif generator.random() < .3:
        trees.draw_range(links, generator)
    world = generator.choice(("", "one", "two"))
    gravity = [generator.uniform(-5, 5) for _ in range(3)] if world else (0, 0, -9.81)
    writer = Writer(links, generator, world, old)
    files = {"model.sdf": writer.text(gravity, closed)}
    files.update(writer.files)
    for name in sorted((link["name"] for link in links), reverse=True):
        more = more.replace('"%s"' % name, '"%s"' % writer.named(next(link for link in links if link["name"] == name)))
    return links, files, trees.mjcf_of(links, writer.named, gravity, more)


def is_loose(links, loops):
    return loops or any(any(link["friction"]) or link["range"] for link in links)


def judge(python, folder, name, reference, links, loops, **more):
    request = {"file": os.path.join(folder, name), "folder": folder, "python": python, **more}
    loose = is_loose(links, loops)
    meshes = any(shape[0] == "mesh" for link in links for shape in link["shapes"])
    worst = {}
    try:
        for steps in (500, 2000, 8000):
            worst = robot_motion.compare(steps, request, reference)
            if robot_motion.judge(worst, .05 if loose else robot_motion.PART) != "motion":
                break
        good = robot_motion.judge(worst, .05 if loose else robot_motion.PART) == "agrees" and max(worst["masses"], worst["frames"]) < (1e-6 if meshes else 1e-9)
        return ("same" if good else "differs"), str(worst)
    except Exception as error:
        return "refused", str(error)


def through(arguments, node, folder, name, form, reference, links, loops):
    """Writes a robot of the folder in another format: the verdict on that, and why."""
    scene, out = os.path.join(folder, "scene.json"), "through." + {"mjcf": "xml"}.get(form, form)
    with open(scene, "w") as file:
        json.dump({"time": {"step": .01, "steps": 1}, "contact": {"model": "bsh"}, "include": {"file": name, "collide": False, "overlaps": "separate"}}, file)
    done = subprocess.run([os.path.join(arguments.build, "dcsim"), "export", scene, "--format", form, "-o", os.path.join(folder, out)], capture_output=True, text=True)
    notes = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("note") and '"gravity":' not in line]
    if done.returncode:
        return "refused", done.stderr
    gravity = re.search(r'"gravity": (\[.*?\])', done.stdout + done.stderr)
    more = {"gravity": json.loads(gravity[1])} if gravity else {"keyframe": "start"} if form == "mjcf" else {}
    verdict, why = judge(arguments.python, folder, out, reference, links, loops, **more)
    if form == "mjcf":
        theirs = robot_motion.ask(node, {"file": os.path.join(folder, out), "folder": folder, "step": 5e-4, "keyframe": "start"})
        places = {body["name"]: end["place"] for body, end in zip(theirs.get("bodies", ()), theirs.get("end", ()))}
        worst = max((abs(a - b) / max(way, .01) for body, way, end in zip(reference["bodies"], reference["way"], reference["end"]) for a, b in zip(end["place"], places.get(body["name"], [1e9] * 3)) if way > 1e-9), default=0)
        verdict = verdict if worst < (.05 if is_loose(links, loops) else .01) else "differs" if verdict == "same" else verdict
        why += ", in MuJoCo %.3g of the way %s" % (worst, theirs.get("error", ""))
    return ("named" if verdict == "differs" and notes else verdict), why + "; ".join(notes)


def main():
    parser = options(__doc__, 100)
    parser.add_argument("--through", nargs="*", default=[], choices=["mjcf", "urdf"])
    parser.add_argument("--formats", nargs="*", default=["urdf", "sdf"])
    parser.add_argument("--only", type=int, nargs="*", help="numbers of draws")
    arguments, node = begin(parser)
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for name in trees.SOLIDS:
            with open(os.path.join(folder, name + ".obj"), "w") as file:
                file.write(trees.mesh_text(name))
        for k in arguments.only or range(arguments.draws):
            for ending in arguments.formats:
                links, files, text = {"urdf": draw_urdf, "sdf": draw_sdf}[ending](random.Random("%s %d %d" % (ending, arguments.seed, k)))
                for name, content in files.items():
                    with open(os.path.join(folder, name), "w") as file:
                        file.write(content)
                reference = robot_motion.ask(node, {"text": text, "step": 5e-4, "keyframe": "motion"})
                if "error" in reference:
                    counts["not MuJoCo's"] += 1
                    print("draw %d, %s: %s" % (k, ending, reference["error"]))
                    continue
                verdict, why = judge(arguments.python, folder, "model." + ending, reference, links, "connect" in text)
                counts[ending + " " + verdict] += 1
                if verdict != "same":
                    print("draw %d, %s: %s %s" % (k, ending, verdict, why), flush=True)
                    for name, content in dict(files, **{"mujoco.xml": text}).items():
                        keep(arguments, "%d-%d-%s" % (arguments.seed, k, name), content)
                for form in arguments.through:
                    verdict, why = through(arguments, node, folder, "model." + ending, form, reference, links, "connect" in text)
                    counts["%s through %s %s" % (ending, form, verdict)] += 1
                    if verdict != "same":
                        print("draw %d, %s through %s: %s %s" % (k, ending, form, verdict, why), flush=True)
                    if verdict in ("differs", "refused"):
                        for name in os.listdir(folder):
                            if os.path.isfile(os.path.join(folder, name)):
                                with open(os.path.join(folder, name)) as file:
                                    keep(arguments, "%d-%d-%s-%s" % (arguments.seed, k, form, name), file.read())
                        keep(arguments, "%d-%d-%s-mujoco.xml" % (arguments.seed, k, form), text)
    return tell(counts, "differs", "refused")


if __name__ == "__main__":
    sys.exit(main())
