#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A plate of blocks that shall lift an X by a change of its shape (after paper 003, Figures 14 and 15).

    scripts/paper/codesign-single-jaw [--quick] [--dcsim FILE] [--output DIR] [--publish]
    scripts/paper/codesign_single_jaw.py --scenes DIR

Optimizes scenes/codesign_single_jaw.json without its design, with it, with it under bsh, which feels what it does not touch, and
from a plate that has a notch already; says how high the X is in the end, in dcsim and in MuJoCo.  Verdict: lifted by 0.15 m
with the design, by less than 0.02 m without.  Prints Markdown, which DIR/codesign_single_jaw.md (default DIR: runs/paper) holds,
too; --publish: and docs/measured/codesign_single_jaw.md.  --quick: 2 iterations, no MuJoCo, no verdict.  --scenes writes the
scene.
"""
import itertools
import json
import math
import os
import shutil

from codesign_walkers import text_of
from measuring import call, motion, options, parse, scene_path, settings, show

BLOCKS, SIZE = (5, 3, 1), (0.13, 0.06, 0.02)  # of the plate, m
NOTCH = {(3, 1, 0), (4, 1, 0)}                # blocks that the plate with a notch lacks: the middle of its front


def bar(angle):
    """Corners of a bar of 0.2 m that is turned about x."""
    corners = []
    for x, y, z in itertools.product((-0.02, 0.02), (-0.006, 0.006), (-0.1, 0.1)):
        corners += [x, y * math.cos(angle) - z * math.sin(angle), y * math.sin(angle) + z * math.cos(angle)]
    return {"vertices": [round(value, 6) + 0.0 for value in corners]}


def notched():
    """The plate without some blocks."""
    parts = []
    for block in itertools.product(*map(range, BLOCKS)):
        if block in NOTCH:
            continue
        corners = []
        for ends in itertools.product((0, 1), repeat=3):
            corners += [round(s * ((b + e) / n - 0.5), 6) for s, b, e, n in zip(SIZE, block, ends, BLOCKS)]
        parts.append({"vertices": corners})
    return {"type": "hulls", "parts": parts}


def scene():
    low = 0.1 * math.cos(math.pi / 4) + 0.006 * math.sin(math.pi / 4) + 0.0008
    return {
        "description": "After paper 003, Figures 14 and 15, which give no sizes: a plate of blocks moves into an X that stands on the"
                       " ground, and up by 0.2 m.  Its turns and its vertices are sought so that the X stays for the first half and"
                       " comes along in the second.  Not solved: docs/results.md.  Written by scripts/paper/codesign_single_jaw.py.",
        "time": {"step": 0.01, "steps": 240},
        "contact": {"model": "sdrs", "stiffness": 0.001, "length": 0.01, "support": 0.1, "friction": 0.15, "friction_smoothing": 0.001},
        "shapes": {"jaw": {"type": "blocks", "size": list(SIZE), "divisions": list(BLOCKS)},
                   "x": {"type": "hulls", "parts": [bar(math.pi / 4), bar(-math.pi / 4)]}, "ground": {"type": "plane"}},
        "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground"},
                   {"name": "jaw", "shape": "jaw", "position": [-0.14, 0, round(low + 0.06, 4)], "mass": 0.5,
                    "pd": {"kp": 400, "kd": 40}},
                   {"name": "object", "shape": "x", "position": [0, 0, round(low, 4)], "density": 500}],
        "control": [{"type": "path", "body": "jaw", "coordinates": "x y z", "times": [0.2, 1.2, 1.4, 2.2],
                     "positions": [0, 0, 0, 0.14, 0, 0, 0.14, 0, 0, 0.14, 0, 0.2]},
                    {"type": "pd_targets", "body": "jaw", "coordinates": "rx ry rz", "hold": 15, "low": [-0.6], "high": [0.6]}],
        "objective": [{"type": "relative", "body": "object", "until": 120, "when": "every"},
                      {"type": "relative", "body": "object", "to": "jaw", "from": 120}],
        "design": [{"type": "vertices", "shape": "jaw", "box": [0.01, 0.01, 0.01]}],
        "optimizer": {"type": "adam", "learning_rate": 0.05, "iterations": 40},
        "camera": {"eye": [0.35, -0.5, 0.35], "target": [0, 0, 0.12], "up": [0, 0, 1], "fov_deg": 40},
    }


def run_of(arguments, *command):
    return call(arguments, *command, "--json", "--quiet", "--no-report", "--threads", "1")


def lift(arguments, run):
    """How much higher the X is at the end than at the start, m."""
    rows = motion(arguments, run)
    return float(rows[-1]["object.z [m]"]) - float(rows[0]["object.z [m]"])


def attempt(arguments, path, name, *changes):
    """Loss at first and at last, iterations, lift here and in MuJoCo."""
    run = os.path.join(arguments.output, "codesign_single_jaw_" + name)
    shutil.rmtree(run, ignore_errors=True)
    words = settings(*changes, *(["optimizer.iterations=2"] if arguments.quick else []))
    first = run_of(arguments, "simulate", path, "-o", "none", *words)["loss"]
    found = run_of(arguments, "optimize", path, "-o", run, *words)
    heights = [lift(arguments, run)]
    if not arguments.quick:
        shutil.rmtree(run + "_mujoco", ignore_errors=True)
        run_of(arguments, "simulate", path, "-o", run + "_mujoco", "--control", run, "--model", "mujoco", *words)
        heights.append(lift(arguments, run + "_mujoco"))
    return first, found["loss"], found["iterations"], heights


def main():
    parser = options(__doc__)
    parser.add_argument("--scenes")
    arguments = parse(parser)
    if arguments.scenes:
        with open(os.path.join(arguments.scenes, "codesign_single_jaw.json"), "w", encoding="utf-8") as file:
            file.write(text_of(scene()) + "\n")
        return
    path = scene_path("codesign_single_jaw")
    attempts = (("controls alone", "controls", ("design=[]",)), ("turns and vertices", "design", ()),
                ("the same from a plate with a notch", "notch", ("shapes.jaw=" + json.dumps(notched()),)),
                ("the same under bsh", "bsh", ("contact.model=bsh", "contact.stiffness=1e-6", "contact.length=1")))
    lines = ["### Single jaw (after paper 003, Figures 14 and 15)", "", "By `scripts/paper/codesign-single-jaw`, `scenes/codesign_single_jaw.json`.", "",
             "| | iterations | loss at first | loss | X lifted, m | in MuJoCo, m |", "|---|---|---|---|---|---|"]
    lifted = {}
    for title, name, changes in attempts:
        first, loss, iterations, heights = attempt(arguments, path, name, *changes)
        lifted[name] = heights[0]
        cells = [f"{height:.3f}" for height in heights] + [""] * (2 - len(heights))
        lines.append(f"| {title} | {iterations} | {first:.4f} | {loss:.4f} | " + " | ".join(cells) + " |")
    if not arguments.quick:
        met = max(height for name, height in lifted.items() if name != "controls") >= 0.15 and lifted["controls"] < 0.02
        lines += ["", f"Verdict: {'met' if met else 'not met'} (0.15 m with a design, less than 0.02 m without)."]
    show(arguments, "codesign_single_jaw", lines)


if __name__ == "__main__":
    main()
