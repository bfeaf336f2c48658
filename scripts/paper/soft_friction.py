#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far drawn soft blocks slide on a half-space, on the face of a box and on a soft bed, beside Coulomb's way.

    scripts/paper/soft-friction [--draws N] [--seed S] [--quick] [--dcsim FILE] [--output DIR] [--publish]

Blocks of 12 x 12 x 6 cm, 0.3 to 2 kg, 5e4 to 1e6 Pa, are thrown along their ground with 0.5 to 1.5 m/s, friction 0.1 to
0.6, in steps of 5 or 10 ms of either integrator.  Friction found is v^2/(2 g s) with the way s of the centre over the
coefficient.  The bed is held below.  Late: by how many steps at full speed the way is longer than Coulomb's; blocks land
from 1 mm, and friction has the normal forces of the step before.
"""
import math
import os
import random

import measuring
from measure import wilson

GRAVITY, WITHIN = 9.81, 0.05
GROUNDS = ("half-space", "box", "bed")
BED = {"young": 2e5, "poisson": 0.3, "viscosity": 50, "self_contact": False, "contact_range": 1e-3}


def draw(generator):
    return {"ground": generator.choice(GROUNDS), "mass": generator.uniform(0.3, 2), "young": 10 ** generator.uniform(4.7, 6), "poisson": generator.uniform(0, 0.4), "cells": generator.choice([2, 3, 4]),
            "speed": generator.uniform(0.5, 1.5), "friction": generator.uniform(0.1, 0.6), "step": generator.choice([0.005, 0.01]), "integrator": generator.choice(["euler", "second_order"])}


def ground_of(name, length):
    """Shape and body of a ground whose top is at z = 0, from x = -0.3 m on."""
    middle = length / 2 - 0.3
    if name == "half-space":
        return {"type": "plane"}, {"name": "ground", "joint": "fixed", "shape": "ground"}
    if name == "box":
        return {"type": "box", "size": [length, 0.5, 0.1]}, {"name": "ground", "joint": "fixed", "shape": "ground", "position": [middle, 0, -0.05]}
    soft = {**BED, "size": [length, 0.3, 0.04], "cells": [math.ceil(length / 0.08), 4, 1], "pins": [{"low": [-10, -10, -10], "high": [10, 10, -0.0199]}]}
    return {"type": "plane"}, {"name": "ground", "density": 1000, "position": [middle, 0, -0.02], "soft": soft}


def scene(block):
    way = block["speed"] ** 2 / (2 * block["friction"] * GRAVITY)
    seconds = 1.3 * block["speed"] / (block["friction"] * GRAVITY) + 0.4
    shape, ground = ground_of(block["ground"], way + 0.8)
    body = {"name": "block", "mass": block["mass"], "position": [0, 0, 0.031], "velocity": [block["speed"], 0, 0],
            "soft": {"size": [0.12, 0.12, 0.06], "cells": [block["cells"]] * 3, "young": block["young"], "poisson": block["poisson"], "self_contact": False, "contact_range": 1e-3}}
    return {"gravity": [0, 0, -GRAVITY], "time": {"step": block["step"], "steps": math.ceil(seconds / block["step"]), "integrator": block["integrator"]},
            "contact": {"friction": block["friction"]}, "shapes": {"ground": shape} if block["ground"] != "bed" else {}, "bodies": [ground, body]}


def stop(arguments, name, block):
    """Friction found over the coefficient, and how many steps at full speed it is late; None: the run fails."""
    name = f"soft_friction-{name}"
    path = measuring.write_json(os.path.join(arguments.output, name + ".json"), scene(block))
    try:
        measuring.kept_run(arguments, name, "simulate", path)
    except measuring.Failed as why:
        print(name, why)
        return None
    rows = measuring.motion(arguments, os.path.join(arguments.output, name))
    way = float(rows[-1]["block.x [m]"]) - float(rows[0]["block.x [m]"])
    right = block["speed"] ** 2 / (2 * GRAVITY * block["friction"])
    return right / way, (way - right) / (block["speed"] * block["step"])


def main():
    parser = measuring.options(__doc__)
    parser.add_argument("--draws", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    arguments = measuring.parse(parser)
    lines, near, found, delays, count = [], 0, {ground: [] for ground in GROUNDS}, [], 3 if arguments.quick else arguments.draws
    for number in range(count):
        block = draw(random.Random(f"{arguments.seed} {number}"))
        stopped = stop(arguments, f"{arguments.seed}-{number}", block)
        told = f"| {number} | {block['ground']} | {block['mass']:.2f} | {block['young']:.2g} | {block['speed']:.2f} | {block['friction']:.3f} | {1e3 * block['step']:g} | {block['integrator']} | "
        lines.append(told + ("ends with an error | |" if stopped is None else f"{stopped[0]:.3f} | {stopped[1]:.2f} |"))
        if stopped is not None:
            of = stopped[0]
            delays.append(stopped[1])
            found[block["ground"]].append(of)
            near += abs(of - 1) <= WITHIN
    low, high = wilson(near, count)
    parts = "; ".join(f"{ground} {min(of):.3f} to {max(of):.3f} ({len(of)})" for ground, of in found.items() if of)
    head = ["### Friction of drawn soft blocks", "",
            f"By `scripts/paper/soft-friction --draws {count} --seed {arguments.seed}`: **{near} of {count} stop within 5 % of the way of Coulomb's law** (95 % interval {low:.0f} to {high:.0f} %). Friction found over the coefficient: {parts}. Late by {min(delays, default=0):.2f} to {max(delays, default=0):.2f} steps at full speed.", "",
            "| draw | ground | mass, kg | Young's modulus, Pa | speed, m/s | friction | step, ms | integrator | found over it | late, steps |", "|---" * 10 + "|"]
    measuring.show(arguments, "soft_friction", head + lines)


if __name__ == "__main__":
    main()
