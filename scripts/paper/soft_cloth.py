#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The experiments of paper 004 with cloth, air and cables: identification of a curtain, of bending, wind and a push; an arm that writes (C7); scenes from drawn starts.

    scripts/paper/soft-cloth [--part NAME ...] [--draws N] [--nodes SMALL|LARGE|BOTH] [--case LETTER ...] [--dcsim FILE] [--output DIR] [--publish]

Parts: curtain, loads, arm, scenes; default: all.  Scenes are those of scenes/ and changes of them, written into DIR/soft (default DIR: runs/paper).
The arm has 99 nodes as in its scene (small), 825 (large), or both in turn (default).
Prints Markdown and writes it to DIR/soft_cloth.md; --publish: and to docs/measured/soft_cloth.md.  Half an hour of processor time, most of it for the large arm.
"""
import json
import math
import os
import random

from measuring import options, parse, publish, scene_path
from soft import MOST, WITHIN, Lab, number, value_of, verdict


def load(name):
    with open(scene_path(name), encoding="utf-8") as file:
        return json.load(file)


def error_of(result, truth):
    return max(abs(value_of(result, name) / value - 1) for name, value in truth.items())


def curtain(lab, draws):
    """E and nu of the curtain from drawn starts."""
    truth = {"curtain.young": 5e4, "curtain.poisson": 0.3}
    scene = scene_path("cloth_curtain")
    lab.say("**C2, a curtain.** `cloth_curtain`, E and nu from six markers, from the scene's start and from drawn ones (E times 1/4 to 4, evenly in the logarithm, nu from 0.05 to 0.45). "
            f"Bar: within 1 % in at most {MOST} iterations.")
    lab.say()
    lab.say("| draw | E, Pa | nu | iterations to 1 % | rollouts | largest error then | verdict |")
    lab.say("| --- | --- | --- | --- | --- | --- | --- |")
    for draw in range(draws):
        generator = random.Random(7000 + draw)
        values = {"young": 20000, "poisson": 0.1}
        if draw:
            values = {"young": 5e4 * 4 ** generator.uniform(-1, 1), "poisson": generator.uniform(0.05, 0.45)}
        overrides = [f"bodies.curtain.soft.{key}={value!r}" for key, value in values.items()]
        count = None
        for iterations in range(1, MOST + 1):
            result = lab.optimize(scene, *overrides, f"optimizer.iterations={iterations}")
            if error_of(result, truth) <= WITHIN:
                count = iterations
                break
        lab.say(f"| {draw} | {values['young']:.0f} | {values['poisson']:.3f} | {count or f'not in {MOST}'} | {result['gradient']['rollouts']} | {error_of(result, truth):.1e} | {verdict(count is not None)} |")
    lab.say()


def hung(steps=40, **soft):
    """The curtain of the scene without its task."""
    scene = load("cloth_curtain")
    scene["time"]["steps"] = steps
    scene.pop("design")
    scene["bodies"][0]["soft"].update(young=5e4, poisson=0.3, **soft)
    return scene


def follow(lab, name, truth, start):
    """A scene that follows the markers of another one."""
    run = os.path.join(lab.folder, name + "-truth")
    path = lab.write(name + "-truth", dict(truth, objective=[]))
    lab.run("simulate", path, "-o", run, "--overwrite", "--no-report", "--json", "--quiet")
    markers = [body["name"] for body in start["bodies"] if body.get("parent")]
    return lab.write(name, dict(start, objective=[{"type": "follow", "file": os.path.join(run, "trajectory.h5"), "weight": 100, "bodies": markers}],
                                optimizer={"type": "gauss_newton", "iterations": MOST}))


def loads(lab):
    lab.say(f"**C2, bending, air and forces.** The curtain with one number unknown, from the motion of its markers over 40 steps. Gauss-Newton with its default settings; bar: within 1 % in at most {MOST} iterations.")
    lab.say()
    lab.say("| experiment | found | iterations | rollouts | verdict |")
    lab.say("| --- | --- | --- | --- | --- |")
    push = [{"type": "torque", "body": "low", "coordinates": "y", "limit": [1], "hold": 40}]
    cases = [
        ("bending", "bending stiffness, 1e-4 to 1e-3 N m", hung(bending=1e-3), hung(bending=1e-4), {"design": [number("bending", 0.01, 100, None)]}, "curtain.bending", 1e-3),
        ("wind", "wind, 0 to 5 m/s across", dict(hung(drag=0.5), wind=[0, 5, 0]), hung(drag=0.5), {"design": [number("wind", -20, 20, None, axes="y")]}, "wind.y", 5),
        ("pressure", "pressure, 1 to 3 Pa", hung(pressure=3), hung(pressure=1), {"design": [number("pressure", -20, 20, None)]}, "curtain.pressure", 3),
        ("push", "force on the middle of the lower edge, 0 to 0.3 N", None, hung(), {"control": push}, "low.0.y", 0.3),
    ]
    for name, words, truth, start, free, parameter, value in cases:
        if truth is None:
            truth = dict(start, control=[dict(push[0], initial=[value])])
        path = follow(lab, name, truth, dict(start, **free))
        result = lab.optimize(path)
        found = value_of(result, parameter)
        lab.say(f"| {words} | {found:.6g} of {value:.6g} | {result['iterations']} | {result['gradient']['rollouts']} | {verdict(abs(found / value - 1) <= WITHIN)} |")
    lab.say()


LETTERS = {"M": [(0, 0), (-1, -1), (-1, 1), (0, 0.2), (1, 1), (1, -1)], "S": [(0, 0), (0.9, 1), (-0.9, 0.9), (-0.8, 0), (0.8, 0), (0.9, -1)],
           "W": [(0, 0), (-1, 1), (-0.6, -1), (0, 0.3), (0.6, -1), (1, 1)]}  # of the plane, in units
UNIT, STROKE_STEPS, ENOUGH = 0.04, 12, 15  # m; iterations


def write_letter(path, letter):
    """Where the tip should be: strokes from rest to rest."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("time [s],tip.x [m],tip.y [m],tip.z [m]\n")
        for stroke, (start, end) in enumerate(zip(letter, letter[1:])):
            for k in range(stroke > 0, STROKE_STEPS + 1):
                part = k / STROKE_STEPS
                x, y = [UNIT * (a + (b - a) * part * part * (3 - 2 * part)) for a, b in zip(start, end)]
                file.write(f"{0.01 * (stroke * STROKE_STEPS + k):g},{x:.9g},{y:.9g},0.25\n")


# Steps of the optimizer: its defaults begin with changes of lengths by several cm, under which rollouts of the finer mesh take minutes.
SMALL_STEPS = {"radius": 0.13, "radii": [1, 0.3], "least": 0.001}


def arm(lab, sizes, cases):
    lab.say("**C7, an arm that writes.** `cable_arm`: the tip of an arm that four cables move follows a letter of five strokes over 60 steps. From lengths that stay as they are (draw 0) or from lengths drawn evenly within 1 cm "
            f"for each of 16 knots of each cable; {ENOUGH} iterations, the best of which counts. Bar: root mean square of the distance below 3 % of the mean stroke in at most 100 iterations, with about 800 nodes.")
    lab.say()
    lab.say("| nodes | letter | draw | parameters | at the start, mm | rollouts | distance, mm | of the stroke | verdict |")
    lab.say("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for nodes in sizes:
        for case in cases:
            name, draw = case[0], int(case[1:])
            scene, letter, generator = load("cable_arm"), LETTERS[name], random.Random(9000 + draw)
            if nodes == 825:
                scene["bodies"][0]["soft"]["cells"] = [32, 4, 4]
                scene["optimizer"].update(SMALL_STEPS)
            for control in scene["control"] if draw else []:
                control["initial"] = [generator.uniform(-0.01, 0.01) for _ in range(control["knots"])]
            write_letter(os.path.join(lab.folder, f"letter-{name}.csv"), letter)
            scene["objective"][0]["file"] = f"letter-{name}.csv"
            scene["optimizer"]["iterations"] = ENOUGH
            result = lab.optimize(lab.write(f"arm-{nodes}-{case}", scene))
            stroke = UNIT * sum(math.dist(a, b) for a, b in zip(letter, letter[1:])) / (len(letter) - 1)
            first, error = [math.sqrt(result[key] / scene["objective"][0]["weight"]) for key in ("initial_loss", "loss")]
            lab.say(f"| {nodes} | {name} | {draw} | {len(result['parameters'])} | {1000 * first:.0f} | {result['gradient']['rollouts']} | {1000 * error:.2f} | {100 * error / stroke:.1f} % | {verdict(error < 0.03 * stroke)} |")
    lab.say()


def drawn_scenes(lab, draws):
    """The scenes with a task, from where their files start and from drawn starts."""
    lab.say("**Scenes from drawn starts.** `cloth_drape` from other first guesses of where (within 5 cm of 0 along x and y) and how fast (within 0.5 m/s) it starts; `soft_lift` from forces on its top drawn for each tenth of a second "
            "(within 6 N of 0 sideways, 0 to 30 N up). Draw 0: as the scene begins. Iterations as in the scene; they end at success.")
    lab.say()
    lab.say("| scene | draw | loss at the start | loss | iterations | rollouts | success |")
    lab.say("| --- | --- | --- | --- | --- | --- | --- |")
    for name in ("cloth_drape", "soft_lift"):
        reached = 0
        for draw in range(draws):
            scene, generator = load(name), random.Random(8000 + draw)
            if draw and name == "cloth_drape":
                scene["control"][0]["initial"] = [generator.uniform(-a, a) for a in (0.05, 0.05, 0.5, 0.5)]
            elif draw:
                scene["control"][0]["initial"] = [generator.uniform(low, high) / 60 for _ in range(5) for low, high in ((-6, 6), (-6, 6), (0, 30))]
            result = lab.optimize(lab.write(f"{name}-{draw}", scene))
            reached += result["success"]
            lab.say(f"| {name} | {draw} | {result['initial_loss']:.3g} | {result['loss']:.3g} | {result['iterations']} | {result['gradient']['rollouts']} | {'yes' if result['success'] else 'no'} |")
        lab.say(f"| {name} | | | | | | {reached} of {draws} |")
    lab.say()


def main():
    parser = options(__doc__, quick=False)
    parser.add_argument("--part", action="append", choices=["curtain", "loads", "arm", "scenes"])
    parser.add_argument("--draws", type=int, default=6)
    parser.add_argument("--case", action="append", help="of the arm: a letter, M, S or W, and a draw, such as M0")
    parser.add_argument("--nodes", choices=["small", "large", "both"], default="both")
    arguments = parse(parser)
    lab = Lab(arguments)
    lab.say("### Soft bodies: cloth, air, cables")
    lab.say()
    lab.say("By `scripts/paper/soft-cloth`.")
    lab.say()
    sizes = {"small": [99], "large": [825], "both": [99, 825]}[arguments.nodes]
    parts = {"curtain": lambda l: curtain(l, arguments.draws), "loads": loads, "arm": lambda l: arm(l, sizes, arguments.case or ["M0", "M1", "S0", "W0"]), "scenes": lambda l: drawn_scenes(l, 4)}
    for name in arguments.part or parts:
        parts[name](lab)
    publish(arguments, "soft_cloth", lab.lines)


if __name__ == "__main__":
    main()
