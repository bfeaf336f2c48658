#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The contact model manifold: writes docs/measured/manifold_model.md.

    scripts/paper/manifold-model [--build build] [--output docs/measured/manifold_model.md] [--models manifold,bsh]

A task under several contact models, shots of rising speed, and drops with and without pairs of edges (paper 001, experiments 5 and 6; its
scanned tools are not public, so that hammers of three superquadrics stand for them).
"""
import argparse
import json
import os
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SPEEDS = [1, 3, 10, 30, 100]
STONE = {"type": "superquadrics", "cells": 12, "triangles": 60, "inset": 0.002, "parts": [{"axes": [0.12, 0.1, 0.08], "exponents": [0.7, 0.8]}]}
SIDE = [0.7071067811865476, 0, 0.7071067811865476, 0]
HAMMER = {"type": "superquadrics", "cells": 40, "triangles": 200, "inset": 0.003, "smoothing": 0.015, "parts": [
    {"axes": [0.012, 0.015, 0.12], "exponents": [0.8, 1], "rotation": SIDE},
    {"axes": [0.02, 0.05, 0.02], "exponents": [0.6, 0.7], "position": [0.12, 0, 0]},
    {"axes": [0.02, 0.02, 0.03], "exponents": [0.6, 1], "position": [-0.1, 0, 0]}]}


def run(arguments, *command):
    result = subprocess.run([os.path.join(arguments.build, "dcsim"), *command, "--json", "--no-report"], capture_output=True, text=True, check=False,
                            env=dict(os.environ, OMP_NUM_THREADS="1", DCSIM_DATADIR=ROOT))
    return (json.loads(result.stdout) if result.stdout.strip().startswith("{") else None), result.stderr.strip().split("\n")[-1]


def row(label, answer, columns, cells):
    """A row of a table: what a run said, or its message in the first of so many columns."""
    said, message = answer
    return f"| {label} | " + " | ".join(cells(said) if said else [message] + [""] * (columns - 1)) + " |"


def write(name, scene):
    with open(name, "w", encoding="utf-8") as file:
        json.dump(scene, file)


def task(arguments):
    scene = os.path.join(ROOT, "scenes", "billiards_stones.json")
    lines = ["A shot of superquadric stones (`scenes/billiards_stones.json`): the cue's place and velocity are to drive the last of two stones to a target; Adam, the same first guess and settings for all.", "",
             "| model | loss at the start | best | iterations | distance, m | reached |", "|---|---|---|---|---|---|"]
    for model in arguments.models.split(","):
        name, *settings = model.split("+")
        answer = run(arguments, "optimize", scene, "--model", name, *[word for setting in settings for word in ("--set", setting)], "-o", model)
        lines.append(row(model.replace("+", ", "), answer, 5, lambda said: [
            f"{said['initial_loss']:.4g}", f"{said['loss']:.3g}", str(said["iterations"]), f"{said['objectives'][0]['distance']:.4g}",
            "yes" if said["success"] else "no"]))
    return lines


def shots(arguments):
    lines = ["A stone that hits another one off-centre, 10 steps of 0.02 s:", "", "| speed, m/s | smallest gap, m | divided steps | verified |", "|---|---|---|---|"]
    for speed in SPEEDS:
        scene = {"name": "shot", "time": {"step": 0.02, "steps": 10}, "gravity": [0, 0, 0], "contact": {"model": "manifold", "stiffness": 1e-5}, "shapes": {"stone": STONE},
                 "bodies": [{"name": "cue", "shape": "stone", "mass": 0.05, "position": [-0.3, 0.02, 0.01], "velocity": [speed, 0, 0]},
                            {"name": "one", "shape": "stone", "mass": 0.05, "rotation": [0.8, 0, 0, 0.6]}]}
        write("shot.json", scene)
        answer = run(arguments, "simulate", "shot.json", "-o", f"at-{speed}")
        checked = subprocess.run([os.path.join(arguments.build, "dcsim"), "verify", f"at-{speed}"], capture_output=True, check=False)
        verified = "yes" if checked.returncode == 0 else "no"
        lines.append(row(speed, answer, 3, lambda said: [f"{said['min_gap']:.3g}", str(said.get("divided_steps", 0)), verified]))
    return lines


def drops(arguments):
    lines = ["A hammer of three superquadrics falls across another one that stands still, 30 steps of 0.01 s:", "",
             "| edges of each | Newton iterations per step | evaluations | divided steps | smallest gap, m | its centre ends at, m from the other's |", "|---|---|---|---|---|---|"]
    for edges in (0, 3):
        scene = {"name": "drop", "time": {"step": 0.01, "steps": 30}, "contact": {"model": "manifold", "stiffness": 1e-5, "friction": 0.5, "edges": edges}, "shapes": {"hammer": HAMMER},
                 "bodies": [{"name": "below", "shape": "hammer", "joint": "fixed"},
                            {"name": "above", "shape": "hammer", "mass": 0.5, "position": [0, 0, 0.08], "rotation": [0.7071067811865476, 0, 0, 0.7071067811865476]}],
                 "objective": [{"type": "reach", "body": "above", "target": [0, 0, 0], "when": "end"}]}
        write("drop.json", scene)
        answer = run(arguments, "simulate", "drop.json", "-o", f"edges-{edges}")
        lines.append(row(edges, answer, 5, lambda said: [
            f"{said['newton_iterations_per_step']:.3g}", f"{said['evaluations_per_step']:.3g}", str(said.get("divided_steps", 0)),
            f"{said['min_gap']:.3g}", f"{said['objectives'][0]['distance']:.4g}"]))
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--output", default=os.path.join(ROOT, "docs", "measured", "manifold_model.md"))
    parser.add_argument("--models", default="manifold,bsh,sdrs+contact.support=0.01", help="contact models, each with settings behind +")
    arguments = parser.parse_args()
    arguments.build, arguments.output = os.path.abspath(arguments.build), os.path.abspath(arguments.output)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        lines = ["## The contact model manifold (paper 001)", "", "By `scripts/paper/manifold-model`.", "", *task(arguments), "", *shots(arguments), "", *drops(arguments)]
        os.chdir(ROOT)
    with open(os.path.join(ROOT, "docs", "measured", "manifold_notes.md"), encoding="utf-8") as file:
        lines += ["", file.read().strip()]
    with open(arguments.output, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
