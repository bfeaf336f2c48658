#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Newton iterations of scenes in which many bodies press on each other.

    scripts/paper/jammed [SCENE ...] [--model NAME ...] [--before FILE] [--publish]

An arch of 25 stones, a card house, boxes and balls in a funnel, links of a chain and a body that stands on feet are
simulated with the defaults of contact.  The page has iterations of a step: mean, median, most.  --before names the
program of another build, whose mean stands beside them.
"""
import math
import os
import random

from measuring import answer, options, parse, show, write_json

GRAVITY = [0, 0, -9.81]


def turned(axis, angle):
    half = math.sin(angle / 2)
    return [math.cos(angle / 2)] + [half * x for x in axis]


def product(p, q):
    a, b, c, d = p
    e, f, g, h = q
    return [a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g, a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e]


def scene(steps, friction, shapes, bodies):
    return {"time": {"step": 0.01, "steps": steps}, "gravity": GRAVITY, "contact": {"friction": friction},
            "shapes": {"ground": {"type": "plane"}, **shapes},
            "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground"}, *bodies]}


def arch(folder):
    """25 wedges of a half ring, 0.2 mm apart, on their springers."""
    count, inner, outer, width, gap = 25, 1.0, 1.35, 0.5, 2e-4
    shapes, bodies = {}, []
    for k in range(count):
        low, high = (math.pi * (k + e) / count for e in (0, 1))
        slack = gap / 2 / inner
        corners = [(r * math.cos(a), y, r * math.sin(a)) for r in (inner, outer) for a in (low + slack, high - slack) for y in (-width / 2, width / 2)]
        middle = [sum(c[i] for c in corners) / 8 for i in range(3)]
        name = f"stone{k}"
        with open(os.path.join(folder, name + ".obj"), "w", encoding="utf-8") as file:
            file.writelines("v %.12g %.12g %.12g\n" % tuple(c[i] - middle[i] for i in range(3)) for c in corners)
        shapes[name] = {"type": "mesh", "file": name + ".obj", "convex": True}
        bodies.append({"name": name, "shape": name, "density": 2400, "position": [middle[0], 0, middle[2] + 2 * gap]})
    return scene(100, 0.5, shapes, bodies)


def house(_):
    """Three storeys of leaning cards with cards across."""
    length, width, thick, angle, gap, storeys = 0.2, 0.12, 0.002, math.radians(65), 5e-4, 3
    height = length * math.sin(angle) + thick * math.cos(angle)
    half = (length * math.cos(angle) + thick * math.sin(angle)) / 2
    pitch, z, bodies = 2 * (2 * half + gap), gap, []
    for storey in range(storeys):
        count = storeys - storey
        for k in range(count):
            for side in (-1, 1):
                x = (k - (count - 1) / 2) * pitch + side * (half + gap / 2)
                bodies.append({"name": f"card{storey}{k}{'l' if side < 0 else 'r'}", "shape": "card", "mass": 0.01,
                               "position": [x, 0, z + height / 2], "rotation": turned([0, 1, 0], side * angle)})
        z += height + gap
        for k in range(count - 1):
            bodies.append({"name": f"across{storey}{k}", "shape": "across", "mass": 0.02, "position": [(k - (count - 2) / 2) * pitch, 0, z + thick / 2]})
        z += thick + gap
    return scene(150, 0.5, {"card": {"type": "box", "size": [length, width, thick]}, "across": {"type": "box", "size": [pitch - 2 * gap, width, thick]}}, bodies)


def funnel(grain):
    """27 grains fall into four plates that leave a hole."""
    draws, angle, bodies = random.Random(1), math.radians(50), []
    for k in range(4):
        about, r = k * math.pi / 2, 0.06 + 0.2 * math.cos(angle)
        bodies.append({"name": f"plate{k}", "joint": "fixed", "shape": "plate", "position": [r * math.cos(about), r * math.sin(about), 0.3 + 0.2 * math.sin(angle)],
                       "rotation": product(turned([0, 0, 1], about), turned([0, 1, 0], -angle))})
    for k in range(27):
        x, y, z = k // 3 % 3 - 1, k % 3 - 1, k // 9
        bodies.append({"name": f"grain{k}", "shape": "grain", "mass": 0.1, "rotation": turned([0, 0, 1], draws.random()),
                       "position": [0.09 * x + 0.002 * draws.random(), 0.09 * y + 0.002 * draws.random(), 0.68 + 0.1 * z]})
    return scene(150, 0.3, {"plate": {"type": "box", "size": [0.4, 0.6, 0.02]}, "grain": grain}, bodies)


def links(folder):
    """Three rings, one fixed, hang in each other."""
    around, across, ring, wire = 24, 10, 0.3, 0.06
    with open(os.path.join(folder, "ring.obj"), "w", encoding="utf-8") as file:
        for i in range(around):
            for j in range(across):
                a, b = 2 * math.pi * i / around, 2 * math.pi * j / across
                r = ring + wire * math.cos(b)
                file.write(f"v {r * math.cos(a):.12g} {wire * math.sin(b):.12g} {r * math.sin(a):.12g}\n")
        for i in range(around):
            for j in range(across):
                p, q = (i * across + k % across + 1 for k in (j, j + 1))
                r, s = ((i + 1) % around * across + k % across + 1 for k in (j, j + 1))
                file.write(f"f {p} {q} {r}\nf {q} {s} {r}\n")
    side = turned([0, 0, 1], math.pi / 2)
    bodies = [{"name": "first", "joint": "fixed", "shape": "ring", "position": [0, 0, 3]},
              {"name": "second", "shape": "ring", "density": 1000, "position": [0, 0, 2.53], "rotation": side},
              {"name": "third", "shape": "ring", "density": 1000, "position": [0, 0, 2.06]}]
    return scene(200, 0, {"ring": {"type": "mesh", "file": "ring.obj"}}, bodies)


def stand(_):
    """A trunk on four legs with held knees."""
    bodies = [{"name": "trunk", "shape": "trunk", "mass": 4, "position": [0, 0, 0.352]}]
    for k in range(4):
        x, y = 0.18 * (1 if k % 2 else -1), 0.1 * (1 if k // 2 else -1)
        bodies.append({"name": f"leg{k}", "parent": "trunk", "frame": "world", "joint": "hinge", "axis": [0, 1, 0], "anchor": [x, y, 0.31], "shape": "leg", "mass": 0.3,
                       "position": [x, y, 0.171], "near_only": ["trunk"], "pd": {"kp": 200, "kd": 4}})
    return scene(100, 0.7, {"trunk": {"type": "box", "size": [0.5, 0.3, 0.08]}, "leg": {"type": "capsule", "radius": 0.02, "height": 0.26}}, bodies)


SCENES = {"arch of 25 stones": arch, "card house": house, "boxes in a funnel": lambda _: funnel({"type": "box", "size": [0.06, 0.06, 0.06]}),
          "balls in a funnel": lambda _: funnel({"type": "sphere", "radius": 0.03}), "three links": links, "four legs": stand}


def simulate(program, path, model):
    found, _ = answer(program, "simulate", path, "--model", model, "-o", "none", "--json", "--quiet", "--threads", "1")
    return found or {}


def number(value):
    return "" if value is None else f"{value:.3g}"


def main():
    parser = options(__doc__, quick=False)
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help=", ".join(SCENES))
    parser.add_argument("--model", nargs="*", default=["bsh"])
    parser.add_argument("--before", type=os.path.abspath, help="the program of another build")
    arguments = parse(parser)
    lines = ["Newton iterations in jammed scenes (`scripts/paper/jammed`), one thread, defaults of contact.", "",
             "| scene | model | steps | before: iterations a step | divided steps | iterations a step | median | most | divided steps | ms a step |", "|---|---|---|---|---|---|---|---|---|---|"]
    folder = os.path.join(arguments.output, "jammed")
    os.makedirs(folder, exist_ok=True)
    for name in arguments.scenes or SCENES:
        path = os.path.join(folder, name.replace(" ", "_") + ".json")
        description = SCENES[name](folder)
        write_json(path, description)
        for model in arguments.model:
            before = simulate(arguments.before, path, model) if arguments.before else {}
            now = simulate(arguments.dcsim, path, model)
            cells = [name, model, str(description["time"]["steps"]), number(before.get("newton_iterations_per_step")), number(before.get("divided_steps")),
                     *(number(now.get("newton_iterations_" + what)) for what in ("per_step", "median", "most")), number(now.get("divided_steps")),
                     number(1e3 * now["seconds_per_step"]) if now else "no result"]
            lines.append("| " + " | ".join(cells) + " |")
    lines += ["", "What costs iterations of the card house and of the boxes is the division of steps: bodies that slide or roll on edges at gaps of 1e-5 m cut corners on straight motions, so that steps are solved again in parts, each in 5 to 20 iterations."]
    show(arguments, "jammed", lines)


if __name__ == "__main__":
    main()
