#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A plate of blocks that lifts an X by a change of its shape (after paper 003, Figures 14 and 15).

    scripts/paper/codesign-single-jaw [--quick] [--only NAME ...] [--dcsim FILE] [--output DIR] [--publish]
    scripts/paper/codesign-single-jaw --starts 2 3 4 [...]
    scripts/paper/codesign_single_jaw.py --scenes DIR

Optimizes scenes/codesign_single_jaw.json in two stages.  In the first one springs hold the X where it stands, contact reaches
far, and only that the X stays counts: what the plate pushes comes back, so that every push has a gradient, and the blocks in the
way give room.  In the second one the X is free and shall come along; it does so in three worlds at once, as it stands and with
gravity tilted forwards and backwards.  The same with 156 blocks as in the paper, without its design, without the springs, in one
world; says how high the X is in the end, in dcsim and in MuJoCo.  Verdict: lifted by 0.15 m with the design, in both, by less
than 0.02 m without.  Prints Markdown, which DIR/codesign_single_jaw.md (default DIR: runs/paper) holds, too; --publish: and
docs/measured/codesign_single_jaw.md.  --quick: 2 iterations, no MuJoCo, no verdict.  --only: of the attempts design, 156, controls, free, direct and one, the
verdict when design and controls are among them.  --starts: a page of its own, codesign_single_jaw_starts.md, with the design from
turns that are drawn with these seeds, of eight draws the one with the largest gradient; all settings are those that were chosen from
no turns.  --scenes writes the scene.
"""
import itertools
import json
import math
import os

from codesign_walkers import text_of
from measuring import kept_run, motion, options, parse, scene_path, settings, show

SIZE = (0.13, 0.16, 0.02)  # of the plate, m
LIFTED = 0.15              # the X counts as lifted from here on, m
HEIGHT = 0.03              # of the plate above the crossing of the bars, m
STAY = {"type": "relative", "body": "object", "until": 120, "when": "every"}
FOLLOW = {"type": "relative", "body": "object", "to": "jaw", "from": 120, "when": "every", "weight": 1000}
FIRST = ("objective=" + json.dumps([{**STAY, "weight": 1000}]), "contact.length=0.08", "optimizer.iterations=60",
         "optimizer.learning_rate=0.05")
SPRINGS = ('bodies.2.pd={"kp": 100, "kd": 5}',)
TABLE = ["| | iterations | loss | worlds in which it comes along within 10 mm | X lifted, m | in MuJoCo, m | heights differ by at most, m |",
         "|---|---|---|---|---|---|---|"]
DRAWN = {"type": "sample", "draws": 8, "threshold": 1e6, "sigma": 0.05}  # always drawn; rad


def low():
    """Height of the crossing above the ground, m."""
    return 0.1 * math.cos(math.pi / 4) + 0.006 * math.sin(math.pi / 4) + 0.0008


def tilted(way):
    """A world in which gravity pulls the X forwards or backwards, and where it stands a little aside."""
    return {"gravity": [1.2 * way, 0, -9.81], "bodies": {"object": {"position": [0.002 * way, 0.004 * way, round(low(), 4)]}}}


SECOND = ("cases=" + json.dumps([tilted(1), tilted(-1)]),)


def bar(angle):
    """Corners of a bar of 0.2 m that is turned about x."""
    corners = []
    for x, y, z in itertools.product((-0.02, 0.02), (-0.006, 0.006), (-0.1, 0.1)):
        corners += [x, y * math.cos(angle) - z * math.sin(angle), y * math.sin(angle) + z * math.cos(angle)]
    return {"vertices": [round(value, 6) + 0.0 for value in corners]}


def scene():
    return {
        "description": "After paper 003, Figures 14 and 15, which give no sizes: a plate of blocks moves into an X that stands on the"
                       " ground, and up by 0.2 m.  Its turns and its vertices are sought so that the X stays for the first half and"
                       " comes along in the second.  Solved in stages, first with springs, for which the X has an actuator without"
                       " gains.  Written by scripts/paper/codesign_single_jaw.py.",
        "time": {"step": 0.01, "steps": 240},
        "contact": {"model": "sdrs", "stiffness": 0.001, "length": 0.03, "support": 0.1, "friction": 0.15, "friction_smoothing": 0.001},
        "mujoco": {"cone": "elliptic", "impratio": 10, "noslip_iterations": 10},
        "shapes": {"jaw": {"type": "blocks", "size": list(SIZE), "divisions": [2, 26, 1]},
                   "x": {"type": "hulls", "parts": [bar(math.pi / 4), bar(-math.pi / 4)]}, "ground": {"type": "plane"}},
        "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground"},
                   {"name": "jaw", "shape": "jaw", "position": [-0.14, 0, round(low() + HEIGHT, 4)], "mass": 0.5, "mass_model": "given",
                    "pd": {"kp": 4000, "kd": 150, "kp_rotation": 20, "kd_rotation": 2}, "color": [0.75, 0.4, 0.08]},
                   {"name": "object", "shape": "x", "position": [0, 0, round(low(), 4)], "density": 500, "pd": {"kp": 0}, "color": [0.1, 0.25, 0.6]}],
        "control": [{"type": "path", "body": "jaw", "coordinates": "x y z", "times": [0.1, 1.0, 1.2, 2.2],
                     "positions": [0, 0, 0, 0.11, 0, 0, 0.11, 0, 0, 0.11, 0, 0.2]},
                    {"type": "pd_targets", "body": "jaw", "coordinates": "rx ry rz", "hold": 15, "low": [-0.2], "high": [0.2]}],
        "objective": [{**STAY, "weight": 4000}, FOLLOW],
        "design": [{"type": "vertices", "shape": "jaw", "box": [0.06, 0.004, 0.003]}],
        "optimizer": {"type": "adam", "learning_rate": 0.01, "epsilon": 1e-3, "iterations": 160},
        "camera": {"eye": [0.35, -0.5, 0.35], "target": [0, 0, 0.12], "up": [0, 0, 1], "fov_deg": 40},
    }


def heights(arguments, run):
    """Of the X at every frame, above its start, m."""
    column = [float(row["object.z [m]"]) for row in motion(arguments, run)]
    return [z - column[0] for z in column]


def optimized(arguments, path, name, *changes, control=None):
    """Folder and result of an optimization, from the parameters of another one."""
    name = "codesign_single_jaw_" + name
    words = settings(*changes, *(["optimizer.iterations=2"] if arguments.quick else []))
    made = kept_run(arguments, name, "optimize", path, *words, *(["--control", control] if control else []))
    return os.path.join(arguments.output, name), made


def attempt(arguments, path, name, changes, first=FIRST + SPRINGS, second=SECOND):
    """A row: iterations, loss of the second stage, worlds in which the X comes along, lift here and in MuJoCo, and how far these two
    heights part."""
    iterations, control = [], None
    if first:
        control, found = optimized(arguments, path, name + "_first", *first, *changes)
        iterations.append(found["iterations"])
    run, found = optimized(arguments, path, name, *second, *changes, control=control)
    iterations.append(found["iterations"])
    here = heights(arguments, run)
    worlds = found.get("cases", [])
    along = (here[-1] >= LIFTED) + sum(world["success"] for world in worlds)
    row = [" + ".join(map(str, iterations)), f"{found['loss']:.3f}", f"{along} of {1 + len(worlds)}", f"{here[-1]:.3f}"]
    if arguments.quick:
        return row + ["", ""], here[-1], 0.0
    kept_run(arguments, os.path.basename(run) + "_mujoco", "simulate", path, "--control", run, "--model", "mujoco", *settings(*changes))
    there = heights(arguments, run + "_mujoco")
    return row + [f"{there[-1]:.3f}", f"{max(abs(a - b) for a, b in zip(here, there)):.3f}"], here[-1], there[-1]


def starts(arguments, path):
    """The page of drawn starts."""
    lines = ["### Single jaw from several starts", "", "By `scripts/paper/codesign-single-jaw --starts " + " ".join(map(str, arguments.starts)) +
             f"`, `scenes/codesign_single_jaw.json`: turns and vertices, 52 blocks; turns drawn with a deviation of {DRAWN['sigma']} rad at the start, of {DRAWN['draws']} draws of a seed the one with the largest gradient.", "", *TABLE]
    count = 0
    for seed in arguments.starts:
        drawn = "init=" + json.dumps({**DRAWN, "seed": seed})
        row, *lifts = attempt(arguments, path, f"seed_{seed}", (), first=(*FIRST, *SPRINGS, drawn))
        count += min(lifts) >= LIFTED
        lines.append(f"| seed {seed} | " + " | ".join(row) + " |")
    if not arguments.quick:
        lines += ["", f"Lifted by {LIFTED} m here and in MuJoCo: {count} of {len(arguments.starts)}."]
    show(arguments, "codesign_single_jaw_starts", lines)


def main():
    parser = options(__doc__)
    parser.add_argument("--scenes")
    parser.add_argument("--starts", type=int, nargs="+", metavar="SEED")
    parser.add_argument("--only", action="append", choices=["design", "156", "controls", "free", "direct", "one"])
    arguments = parse(parser)
    if arguments.scenes:
        with open(os.path.join(arguments.scenes, "codesign_single_jaw.json"), "w", encoding="utf-8") as file:
            file.write(text_of(scene()) + "\n")
        return
    path = scene_path("codesign_single_jaw")
    if arguments.starts:
        starts(arguments, path)
        return
    alone, blocks = ("design=[]",), ("shapes.jaw.divisions=[2, 26, 3]",)
    attempts = (("turns and vertices, 52 blocks", "design", {"changes": ()}), ("the same, 156 blocks", "156", {"changes": blocks}),
                ("turns alone", "controls", {"changes": alone}),
                ("52 blocks, the first stage without springs", "free", {"changes": (), "first": FIRST}),
                ("52 blocks, without the first stage", "direct", {"changes": (), "first": None, "second": SECOND + (
                    "optimizer.iterations=220", "optimizer.learning_rate=0.05")}),
                ("52 blocks, the second stage in one world", "one", {"changes": (), "second": ()}))
    lines = ["### Single jaw (after paper 003, Figures 14 and 15)", "", "By `scripts/paper/codesign-single-jaw`, `scenes/codesign_single_jaw.json`.", "", *TABLE]
    lifted = {}
    for title, name, how in attempts:
        if arguments.only and name not in arguments.only:
            continue
        row, *lifted[name] = attempt(arguments, path, name, **how)
        lines.append(f"| {title} | " + " | ".join(row) + " |")
    if not arguments.quick and {"design", "controls"} <= set(lifted):
        met = min(lifted["design"]) >= LIFTED and max(lifted["controls"]) < 0.02
        lines += ["", f"Verdict: {'met' if met else 'not met'} ({LIFTED} m with 52 blocks here and in MuJoCo, less than 0.02 m without a design)."]
    show(arguments, "codesign_single_jaw", lines)


if __name__ == "__main__":
    main()
