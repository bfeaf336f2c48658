#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The far field of soft bodies: gradients at a distance and in touch, tasks from first guesses that touch nothing, what a step costs.

    scripts/paper/soft-far [--part NAME ...] [--kind WORD] [--optimizer NAME] [--draws N] [--rounds N] [--dcsim FILE] [--output DIR] [--publish]

Parts: gradients, tasks, strength, explicit, cost; default: all.  Tasks are scenes/soft_far_push.json and scenes/soft_far_throw.json with other starts, targets, masses and friction, N of each (default: 12), with
the far field and without.  Costs are processor times, the least of as many runs as --rounds says (default: 5).
Prints Markdown and writes it to DIR/soft_far.md (default DIR: runs/paper); --publish: and to docs/measured/soft_far.md.  A quarter of an hour of processor time.
"""
import copy
import json
import math
import os
import random
import statistics
import sys

from measuring import Failed, answer, optimize, options, parse, processor, publish, scene_path, write_json

FIELD = 1e-3  # J, of the blocks that costs are measured with
OPTIMIZERS = {"gauss_newton": {"iterations": 15}, "adam": {"learning_rate": 0.1, "iterations": 60}}
PUSHED = [0, 0, 0.12, 0, 0.2, -0.03, 0.25, -0.03]  # knots that take the paddle against the block


def load(name):
    with open(scene_path(name), encoding="utf-8") as file:
        return json.load(file)


def set_field(scene, value):
    scene = copy.deepcopy(scene)
    for body in scene["bodies"]:
        if "soft" in body:
            body["soft"]["far_field"] = value
    return scene


def distance(result):
    """From the target, cm."""
    return 100 * result["objectives"][0]["distance"]


class Lab:
    def __init__(self, arguments):
        self.dcsim, self.rounds, self.draws = arguments.dcsim, arguments.rounds, arguments.draws
        self.kind, self.only = arguments.kind, arguments.optimizer
        self.folder = os.path.join(arguments.output, "soft")
        os.makedirs(self.folder, exist_ok=True)
        self.lines = []

    def say(self, text=""):
        print(text, flush=True)
        self.lines.append(text)

    def write(self, name, scene):
        return write_json(os.path.join(self.folder, name + ".json"), dict(scene, name=name))


def touching(scene):
    """The scene with a first guess in which the two meet."""
    scene = copy.deepcopy(scene)
    scene["control"][0]["initial"] = PUSHED if scene["control"][0]["type"] == "spline" else [1.5, 0]
    return scene


def gradients(lab):
    """Adjoint against differences, at a distance and in touch."""
    lab.say("**Gradients.** `dcsim gradcheck` of the two scenes, whole, by controls, masses, friction, gains, material and starts of nodes: largest error relative to the largest of its kind. At a distance: the first guess, in which nothing "
            "touches but the ground. In touch: a first guess in which paddle or ball hit the block. Bar: 1e-6.")
    lab.say()
    lab.say("| scene | first guess | model | largest relative error | tangent beside adjoint | verdict |")
    lab.say("| --- | --- | --- | --- | --- | --- |")
    for name, models in (("soft_far_push", ("bsh", "exact")), ("soft_far_throw", ("bsh",))):
        for where, change in (("at a distance", lambda s: s), ("in touch", touching)):
            for model in models:
                scene = change(load(name))
                scene["contact"]["model"] = model
                path = lab.write(f"{name}-gradients", scene)
                result, _ = answer(lab.dcsim, "gradcheck", path, "--json", "--threads", "1", accepted=(0, 1))
                error = result["max_relative_error"]
                lab.say(f"| {name} | {where} | {model} | {error:.1e} | {result['products']['tangent_adjoint']:.1e} | {'holds' if error <= 1e-6 else '**does not hold**'} |")
    lab.say()


def turned(angle, x, y):
    return [x * math.cos(angle) - y * math.sin(angle), x * math.sin(angle) + y * math.cos(angle)]


def draw_push(generator, wide):
    scene = load("soft_far_push")
    block, paddle = scene["bodies"][1], scene["bodies"][2]
    place = [-generator.uniform(0.2, 0.45), generator.uniform(-0.06, 0.06)]
    if wide:  # anywhere around the block
        place = turned(generator.uniform(-math.pi, math.pi), -generator.uniform(0.25, 0.45), 0)
    paddle["position"][:2] = place
    way = turned(generator.uniform(-0.35, 0.35), generator.uniform(0.25, 0.5), 0)
    scene["objective"][0]["target"] = [*way, 0.05]
    block["mass"], friction = generator.uniform(0.5, 2), generator.uniform(0.1, 0.5)
    scene["bodies"][0]["friction"] = block["friction"] = friction
    return scene


def draw_throw(generator):
    scene = load("soft_far_throw")
    block, ball = scene["bodies"][1], scene["bodies"][2]
    ball["position"][:2] = [-generator.uniform(0.16, 0.45), generator.uniform(-0.02, 0.02)]
    scene["objective"][0]["target"] = [*turned(generator.uniform(-0.15, 0.15), generator.uniform(0.1, 0.25), 0), 0.05]
    block["mass"], ball["mass"] = generator.uniform(0.3, 1), generator.uniform(0.3, 1)
    for body in scene["bodies"]:
        body["friction"] = 0.2
    scene["bodies"][0]["friction"] = generator.uniform(0.1, 0.4)
    return scene


KINDS = [("push, from behind", 100, lambda g: draw_push(g, False), ("gauss_newton",)), ("throw", 500, draw_throw, ("gauss_newton", "adam")),
         ("push, paddle anywhere around", 200, lambda g: draw_push(g, True), ("gauss_newton",))]
STRONGER = {"far_field": 30, "stiffness": 1, "stages": 1}  # "continuation" of Gauss-Newton


def tasks(lab):
    lab.say(f"**Tasks from first guesses that touch nothing.** The paddle stays, the ball rests. Draws: *push, from behind*: paddle 20 to 45 cm behind the block's middle and up to 6 cm aside, target 25 to 50 cm ahead within 20 degrees; "
            "*anywhere around*: the paddle 25 to 45 cm from the block in any direction, targets as before; *throw*: ball 16 to 45 cm behind and up to 2 cm aside, target 10 to 25 cm ahead within 9 degrees. Masses (0.5 to 2 kg; 0.3 to 1 kg) and "
            "friction (0.1 to 0.5; 0.1 to 0.4 of the ground) drawn, too. Settings as in the scenes, chosen on other draws; at most 15 iterations of Gauss-Newton; for the throw also 60 of Adam at a rate of 0.1 m/s. "
            f"Stronger first: up to 15 iterations with {STRONGER['far_field']} times the far field before those in the scene itself (`continuation`), which count together. "
            "Reached: the block within 1 cm of its target at the end. Iterations and roll-outs: medians of those that got there.")
    lab.say()
    lab.say("| task | optimizer | far field | reached | iterations | roll-outs | largest distance left, cm |")
    lab.say("| --- | --- | --- | --- | --- | --- | --- |")
    for kind, seed, draw, optimizers in KINDS:
        optimizers = [name for name in optimizers if lab.only in (None, name)]
        if lab.kind and lab.kind not in kind:
            continue
        scenes = [draw(random.Random(seed + n)) for n in range(lab.draws)]
        for optimizer in optimizers:
            for field in ("yes", "no") + (("stronger first",) if optimizer == "gauss_newton" else ()):
                rows = []
                for scene in scenes:
                    changed = dict(scene if field != "no" else set_field(scene, 0), optimizer={"type": optimizer, **OPTIMIZERS[optimizer]})
                    if field == "stronger first":
                        changed["continuation"] = STRONGER
                    try:
                        result, _ = optimize(lab.dcsim, lab.write("soft-far-task", changed))
                    except Failed as error:
                        lab.say(f"<!-- {kind}: {error} -->")
                        continue
                    rows.append(result)
                    print(f"# {kind}, {optimizer}, far field {field}: {result['loss']:.3g} after {result['iterations']}", file=sys.stderr, flush=True)
                there = [r for r in rows if r["success"]]
                medians = [f"{statistics.median(values):.0f}" if values else "-" for values in ([r["iterations"] for r in there], [r["gradient"]["rollouts"] for r in there])]
                worst = max((distance(r) for r in rows), default=math.nan)
                lab.say(f"| {kind} | {optimizer} | {field} | {len(there)} of {lab.draws} | {medians[0]} | {medians[1]} | {worst:.1f} |")
    lab.say()


def strength(lab):
    lab.say("**How strong, and what of it is left without.** The two scenes with other far fields; acceleration: of the block at the start, by the far field (`check`). Then the solution executed in a world without it: where bodies touch, contact is the same.")
    lab.say()
    lab.say("| scene | far field, J | acceleration, m/s^2 | reached | iterations | distance left, cm | executed without, cm |")
    lab.say("| --- | --- | --- | --- | --- | --- | --- |")
    for name in ("soft_far_push", "soft_far_throw"):
        for field in (1e-5, 1e-4, 1e-3, 1e-2):
            path = lab.write("soft-far-strength", set_field(load(name), field))
            bare = lab.write("soft-far-bare", set_field(load(name), 0))
            run = os.path.join(lab.folder, "soft-far-run")
            pulled, _ = answer(lab.dcsim, "check", path, "--json")
            found, _ = answer(lab.dcsim, "optimize", path, "--threads", "1", "-o", run, "--overwrite", "--no-report", "--quiet", "--json", accepted=(0, 1))
            left, _ = answer(lab.dcsim, "simulate", bare, "--control", run, "--threads", "1", "-o", "none", "--quiet", "--json", accepted=(0, 1))
            lab.say(f"| {name} | {field:g} | {pulled['bodies']['block']['far_field_acceleration']:.1e} | {'yes' if found['success'] else 'no'} | {found['iterations']} | {distance(found):.2f} | {distance(left):.2f} |")
    lab.say()


HELD = {"form": "block", "size": [0.1, 0.1, 0.1], "cells": [3, 3, 3], "young": 20000, "poisson": 0.3, "viscosity": 20, "pins": [{"low": [-1, -1, -1], "high": [-0.049, 1, 1], "stiffness": 1e5}]}


def held(field, steps):
    """A soft block that is held at its far face, 5 mm beside a fixed box."""
    return {"name": "held", "time": {"step": 0.01, "steps": steps}, "gravity": [0, 0, 0], "contact": {"model": "bsh", "length": 0.1},
            "shapes": {"box": {"type": "box", "size": [0.1, 0.1, 0.1], "divisions": [3, 3, 3]}},
            "bodies": [{"name": "box", "joint": "fixed", "shape": "box", "position": [0.105, 0, 0]}, {"name": "block", "mass": 0.5, "soft": dict(HELD, far_field=field)}],
            "control": [{"type": "initial_state", "body": "block", "velocity": "z"}], "objective": [{"type": "reach", "body": "block", "target": [0, 0, 0]}]}


def explicit(lab):
    """Whether forces from the state at t are stable."""
    lab.say("**Forces from the state at t.** A block of 0.5 kg and E = 20 kPa, held at its far face, 5 mm beside a fixed box, steps of 10 ms: a far field that is too stiff for its forces to be those at t would keep it moving.")
    lab.say()
    lab.say("| far field, J | acceleration at the start, m/s^2 | moved after 1 s, mm | in the last step, mm |")
    lab.say("| --- | --- | --- | --- |")
    for field in (1e-3, 1e-1, 1, 10, 100, 300):
        path = lab.write("soft-far-held", held(field, 100))
        pulled, _ = answer(lab.dcsim, "check", path, "--json")
        way = []
        for steps in (99, 100):
            moved, _ = answer(lab.dcsim, "simulate", lab.write("soft-far-held", held(field, steps)), "--threads", "1", "-o", "none", "--quiet", "--json", accepted=(0, 1))
            way.append(10 * distance(moved))
        lab.say(f"| {field:g} | {pulled['bodies']['block']['far_field_acceleration']:.1e} | {way[1]:.3g} | {abs(way[1] - way[0]):.0e} |")
    lab.say()


CELLS = [4, 9]  # of 1 cm
FIRST, LAST = 2, 14  # steps


def costly(cells, neighbour, field, steps):
    """A block that falls on the ground 3 cm from a fixed ball, or another block of as many cells."""
    side = 0.01 * cells
    soft = {"form": "block", "size": [side] * 3, "cells": [cells] * 3, "young": 2e4, "poisson": 0.3, "viscosity": 10, "far_field": field}
    first = {"name": "block", "friction": 0.5, "position": [0, 0, side / 2 + 0.002], "velocity": [0, 0.5, -0.5], "soft": soft}
    second = dict(first, name="second", position=[side + 0.03, 0, side / 2 + 0.002])
    if neighbour == "ball":
        second = {"name": "ball", "joint": "fixed", "shape": "ball", "position": [side / 2 + 0.08, 0, side / 2]}
    return {"name": "cost", "time": {"step": 0.01, "steps": steps}, "gravity": [0, 0, -9.81], "contact": {"model": "bsh", "length": 0.1},
            "shapes": {"ground": {"type": "plane"}, "ball": {"type": "sphere", "radius": 0.05, "level": 2}},
            "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground", "friction": 0.5}, first, second],
            "design": [{"type": "number", "of": "friction", "bodies": ["block"], "range": [0.1, 10]}],
            "objective": [{"type": "reach", "bodies": ["block"], "target": [1, 0, 0]}], "optimizer": {"type": "gradient_descent", "learning_rate": 1e-12}}


def seconds(lab, cells, neighbour):
    """Processor times without a far field and with it, of FIRST and LAST steps and of 1 and 3 iterations, each the least of all rounds."""
    times = {}
    for _ in range(lab.rounds):
        for field in (0, FIELD):
            for steps, verb, more in ((FIRST, "simulate", []), (LAST, "simulate", []), (LAST, "optimize", ["--set", "optimizer.iterations=1"]), (LAST, "optimize", ["--set", "optimizer.iterations=3"])):
                path = lab.write("soft-far-cost", costly(cells, neighbour, field, steps))
                _, taken = answer(lab.dcsim, verb, path, "-o", "none", "--json", "--quiet", "--threads", "1", *more, accepted=(0, 1))
                times.setdefault(field, {}).setdefault((steps, verb, *more), []).append(taken)
    return {field: [min(taken) for taken in of.values()] for field, of in times.items()}


def cost(lab):
    lab.say(f"**Cost.** Blocks of cells of 1 cm, E = 20 kPa, that hit the ground with 0.5 m/s and slide, 3 cm beside a fixed ball (320 triangles) or another such block; steps {FIRST + 1} to {LAST}, processor time beside other processes, "
            f"the least of {lab.rounds} runs in turns. Forward and backward: half of what three iterations of an optimizer take more than one.")
    lab.say()
    lab.say("| nodes of a block | triangles of a block | beside | ms a step without | with | ratio | ms a step forward and backward without | with | ratio |")
    lab.say("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for cells in CELLS:
        for neighbour in ("ball", "block"):
            row = []
            for first, last, once, thrice in seconds(lab, cells, neighbour).values():
                row.append((1000 * (last - first) / (LAST - FIRST), 1000 * (thrice - once) / (2 * LAST)))
            (step, both), (far_step, far_both) = row
            lab.say(f"| {(cells + 1) ** 3:,} | {12 * cells ** 2:,} | {neighbour} | {step:.1f} | {far_step:.1f} | {far_step / step:.2f} | {both:.1f} | {far_both:.1f} | {far_both / both:.2f} |")
    lab.say()


def main():
    parser = options(__doc__, quick=False)
    parser.add_argument("--part", action="append", choices=["gradients", "tasks", "strength", "explicit", "cost"], help="may be given several times; default: all")
    parser.add_argument("--kind", help="of tasks those with this in their names only")
    parser.add_argument("--optimizer", choices=OPTIMIZERS, help="of tasks this one only")
    parser.add_argument("--draws", type=int, default=12, help="of each task")
    parser.add_argument("--rounds", type=int, default=5, help="of costs")
    arguments = parse(parser)
    lab = Lab(arguments)
    lab.say("### Soft bodies: the far field")
    lab.say()
    lab.say(f"By `scripts/paper/soft-far --draws {lab.draws} --rounds {lab.rounds}` on {processor()}, one thread.")
    lab.say()
    parts = {"gradients": gradients, "tasks": tasks, "strength": strength, "explicit": explicit, "cost": cost}
    for name in arguments.part or parts:
        parts[name](lab)
    publish(arguments, "soft_far", lab.lines)


if __name__ == "__main__":
    main()
