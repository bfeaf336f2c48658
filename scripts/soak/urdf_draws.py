#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trees drawn at random, written as URDF and as SDF, beside MuJoCo's motion of the URDF.

    scripts/soak/urdf_draws.py --mujoco .../@mujoco/mujoco/mujoco.js [--draws 100] [--seed 1] [--build build] [--keep FOLDER]

Links have inertias in frames of their own or those of boxes, spheres and cylinders, joints turn, slide, are fixed or float, with damping, dry friction and frames at any angle.
The SDF file says the same with poses in the frames of parents, joints, other links and named frames, axes expressed in frames, models in models.  Both must have MuJoCo's masses and frames within 1e-9, and
move for a second as it does (scripts/robot_motion.py; 5 % with dry friction).
"""
import collections
import math
import os
import random
import sys
import tempfile

from beside_mujoco import begin, keep, options, robot_motion, tell


def numbers(values):
    return " ".join("%.12g" % value for value in values)


def matrix_of(rpy):
    (a, b, c), (s, t, u) = map(math.cos, rpy), map(math.sin, rpy)
    return [[c * b, c * t * s - u * a, c * t * a + u * s], [u * b, u * t * s + c * a, u * t * a - c * s], [-t, b * s, b * a]]


def rpy_of(m):
    return [math.atan2(m[2][1], m[2][2]), math.asin(max(-1, min(1, -m[2][0]))), math.atan2(m[1][0], m[0][0])]


def apply(m, v):
    return [sum(m[i][k] * v[k] for k in range(3)) for i in range(3)]


def compose(a, b):
    """The pose of b, given in a: (position, matrix)."""
    turned = apply(a[1], b[0])
    return [x + y for x, y in zip(a[0], turned)], [[sum(a[1][i][n] * b[1][n][k] for n in range(3)) for k in range(3)] for i in range(3)]


def inverse(a):
    m = [[a[1][k][i] for k in range(3)] for i in range(3)]
    return [-x for x in apply(m, a[0])], m


def pose_text(pose):
    return numbers(pose[0] + rpy_of(pose[1]))


def draw_tree(generator):
    """Links: name, parent, pose in it, joint type, axis, damping, friction, inertia (pose, mass, moments)."""
    links, uniform = [], generator.uniform
    for i in range(generator.randint(2, 5)):
        kind = generator.choice(("floating", "revolute", "continuous", "prismatic")) if i == 0 else generator.choice(("revolute", "continuous", "prismatic", "fixed"))
        moments = sorted(uniform(.01, .02) for _ in range(3))
        links.append({"name": "l%d" % i, "parent": generator.randrange(i) if i else -1, "pose": ([uniform(-.3, .3) for _ in range(3)], matrix_of([uniform(-1.4, 1.4) for _ in range(3)])), "type": kind,
                      "axis": [uniform(-1, 1), uniform(-1, 1), uniform(.2, 1)], "damping": generator.choice((0, 0, uniform(.05, .5))), "friction": generator.choice((0, 0, 0, uniform(.01, .1))),
                      "mass": uniform(.3, 3), "moments": moments, "center": ([uniform(-.1, .1) for _ in range(3)], matrix_of([uniform(-1, 1) for _ in range(3)])),
                      "velocity": generator.choice((None, 5))})
        if kind == "floating":  # MuJoCo's URDF has the mass of a base that moves alone
            links[-1]["damping"] = links[-1]["friction"] = 0
    return links


def inertia_text(link, tags):
    values = dict(zip(("ixx", "iyy", "izz"), link["moments"]), ixy=0, ixz=0, iyz=0)
    return "".join("<%s>%.12g</%s>" % (name, value, name) for name, value in values.items()) if tags else "".join(' %s="%.12g"' % item for item in values.items())


def urdf_of(links):
    text = '<robot name="r"><mujoco><compiler fusestatic="false" discardvisual="false" balanceinertia="false"/></mujoco><link name="world"/>'
    for link in links:
        text += '<link name="%s"><inertial><origin xyz="%s" rpy="%s"/><mass value="%.12g"/><inertia%s/></inertial></link>' % (
            link["name"], numbers(link["center"][0]), numbers(rpy_of(link["center"][1])), link["mass"], inertia_text(link, False))
    for link in links:
        parent = links[link["parent"]]["name"] if link["parent"] >= 0 else "world"
        text += '<joint name="j%s" type="%s"><parent link="%s"/><child link="%s"/><origin xyz="%s" rpy="%s"/><axis xyz="%s"/>%s%s</joint>' % (
            link["name"], link["type"], parent, link["name"], numbers(link["pose"][0]), numbers(rpy_of(link["pose"][1])), numbers(link["axis"]),
            '<limit lower="-90" upper="90" effort="0" velocity="0"/>' if link["type"] in ("revolute", "prismatic") else "",
            '<dynamics damping="%.12g" friction="%.12g"/>' % (link["damping"], link["friction"]) if link["damping"] or link["friction"] else "")
    return text + "</robot>"


def sdf_of(links, generator):
    """The same, each pose in a frame that is drawn."""
    world = []
    for link in links:
        world.append(compose(world[link["parent"]], link["pose"]) if link["parent"] >= 0 else link["pose"])
    frames = {"__model__": ([0, 0, 0], matrix_of([0, 0, 0]))}
    text = '<sdf version="1.9"><model name="r">'
    for i, link in enumerate(links):
        base = generator.choice(sorted(frames))
        pose = compose(inverse(frames[base]), world[i])
        where = pose_text(pose)
        attributes = ' relative_to="%s"' % base if base != "__model__" else ""
        if generator.random() < .3:
            attributes += ' degrees="true"'
            where = numbers(pose[0] + [math.degrees(value) for value in rpy_of(pose[1])])
        text += '<link name="%s"><pose%s>%s</pose><inertial><pose>%s</pose><mass>%.12g</mass><inertia>%s</inertia></inertial></link>' % (
            link["name"], attributes, where, pose_text(link["center"]), link["mass"], inertia_text(link, True))
        frames[link["name"]] = world[i]
        if generator.random() < .5:
            own = ([generator.uniform(-1, 1) for _ in range(3)], matrix_of([generator.uniform(-1, 1) for _ in range(3)]))
            text += '<frame name="f%d" attached_to="%s"><pose>%s</pose></frame>' % (i, link["name"], pose_text(own))
            frames["f%d" % i] = compose(world[i], own)
    for i, link in enumerate(links):
        if link["type"] == "floating":
            continue
        axis, expressed = link["axis"], ""
        if generator.random() < .5:
            name = generator.choice(sorted(frames))
            axis = apply(inverse(frames[name])[1], apply(world[i][1], axis))
            expressed = ' expressed_in="%s"' % name
        limit = "<limit><lower>-90</lower><upper>90</upper></limit>" if link["type"] in ("revolute", "prismatic") else ""
        inner = "" if link["type"] == "fixed" else "<axis><xyz%s>%s</xyz>%s<dynamics><damping>%.12g</damping><friction>%.12g</friction></dynamics></axis>" % (
            expressed, numbers(axis), limit, link["damping"], link["friction"])
        text += '<joint name="j%s" type="%s"><parent>%s</parent><child>%s</child>%s</joint>' % (
            link["name"], link["type"], links[link["parent"]]["name"] if link["parent"] >= 0 else "world", link["name"], inner)
    return text + "</model></sdf>"


def judge(python, path, folder, reference, part):
    worst = {}
    try:
        for steps in (500, 2000, 8000):
            worst = robot_motion.compare(steps, {"file": path, "folder": folder, "python": python}, reference)
            if robot_motion.judge(worst, part) != "motion":
                break
        good = robot_motion.judge(worst, part) == "agrees" and worst["masses"] < 1e-9 and worst["frames"] < 1e-9
        return ("same" if good else "differs"), str(worst)
    except Exception as error:
        return "refused", str(error)


def main():
    arguments, node = begin(options(__doc__, 100))
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for k in range(arguments.draws):
            generator = random.Random("%d %d" % (arguments.seed, k))
            links = draw_tree(generator)
            texts = {"urdf": urdf_of(links), "sdf": sdf_of(links, generator)}
            reference = robot_motion.ask(node, {"text": texts["urdf"], "step": 5e-4})
            if "error" in reference:
                counts["not MuJoCo's"] += 1
                print("draw %d: %s" % (k, reference["error"]))
                continue
            for ending, text in texts.items():
                path = os.path.join(folder, "model." + ending)
                with open(path, "w") as file:
                    file.write(text)
                verdict, why = judge(arguments.python, path, folder, reference, 0.05 if any(link["friction"] for link in links) else robot_motion.PART)
                counts[ending + " " + verdict] += 1
                if verdict != "same":
                    print("draw %d, %s: %s %s" % (k, ending, verdict, why), flush=True)
                    keep(arguments, "%d-%d.%s" % (arguments.seed, k, ending), text)
    return tell(counts, "differs", "refused")


if __name__ == "__main__":
    sys.exit(main())
