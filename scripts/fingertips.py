#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes scenes of three free fingertips that bring a cube to a drawn pose, without any settings.

    scripts/fingertips.py FOLDER [--draws N] [--seed S] [--kinds KIND...]
    scripts/untuned --cpu 120 FOLDER/*.json

The tasks are those of "Complementarity-Free Multi-Contact Modeling and Optimization for Dexterous Manipulation" (Jin
2024) with a cube of 6 cm and 10 g, three balls of 1 cm on servos of 100 N/m, friction 0.5 and the ranges of its draws:

  turn   the cube goes to another place on the ground, turned about the vertical by any angle
  flip   it comes to a place 2 cm above the ground with yaw of any angle, pitch and roll of up to a quarter turn
  air    it comes to a height of 5 to 10 cm, turned by any angle about an axis near (0, 1, 1)

Reached: within 2 cm, and within 0.4 rad (1 - (q q*)^2 = 0.04), at the end of 6 s.
"""
import argparse
import json
import math
import os
import random

HALF = 0.03  # m, of the cube's edge
TIPS = [[0.2, 0], [0, 0.2], [-0.2, 0]]
AXES = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def turn(axis, angle):
    """Unit quaternion w, x, y, z."""
    length = math.hypot(*axis)
    return [math.cos(angle / 2), *(math.sin(angle / 2) * a / length for a in axis)]


def product(p, q):
    return [p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
            p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
            p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
            p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]]


def any_angle(draw):
    return draw.uniform(-math.pi, math.pi)


def target(kind, draw):
    """Place and rotation that the cube shall have."""
    place = [draw.uniform(-0.1, 0.1), draw.uniform(-0.1, 0.1)]
    yaw = turn([0, 0, 1], any_angle(draw))
    if kind == "turn":
        return [*place, HALF], yaw
    if kind == "flip":
        quarters = [turn(axis, draw.uniform(-math.pi / 2, math.pi / 2)) for axis in ([0, 1, 0], [1, 0, 0])]
        return [*place, HALF + 0.02], product(yaw, product(*quarters))
    axis = [along + draw.gauss(0, 0.1) for along in (0, 1, 1)]
    return [*place, draw.uniform(0.05, 0.1)], turn(axis, any_angle(draw))


def scene(kind, seed, number):
    draw = random.Random(f"{kind} {seed} {number}")
    place, rotation = target(kind, draw)
    start = [draw.uniform(-0.025, 0.025), draw.uniform(-0.025, 0.025), HALF + 1e-4]
    slides = [{"type": "slide", "axis": axis} for axis in AXES]
    tips = [{"name": f"tip{k}", "shape": "tip", "mass": 0.0042, "position": [*tip, HALF], "joint": slides,
             "pd": {"kp": 100, "kd": 2, "gravity_compensation": True}} for k, tip in enumerate(TIPS)]
    return {"name": f"fingertips_{kind}_{number}", "description": f"Three fingertips, a cube: {kind}, draw {number} of seed {seed}.",
            "time": {"step": 0.05, "steps": 120}, "contact": {"friction": 0.5},
            "shapes": {"ground": {"type": "plane"}, "cube": {"type": "box", "size": [2 * HALF] * 3}, "tip": {"type": "sphere", "radius": 0.01}},
            "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground"},
                       {"name": "cube", "shape": "cube", "mass": 0.01, "position": start, "rotation": turn([0, 0, 1], any_angle(draw))}, *tips],
            "control": [{"type": "pd_targets", "body": tip["name"], "hold": 6} for tip in tips],
            "objective": [{"type": "pose", "body": "cube", "target": place, "rotation": rotation, "tolerance": 0.02, "rotation_tolerance": 0.4}]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--kinds", nargs="+", default=["turn", "flip", "air"], choices=["turn", "flip", "air"])
    given = parser.parse_args()
    os.makedirs(given.folder, exist_ok=True)
    for kind in given.kinds:
        for number in range(given.draws):
            with open(os.path.join(given.folder, f"{kind}_{number:02}.json"), "w", encoding="utf-8") as file:
                json.dump(scene(kind, given.seed, number), file, indent=1)


if __name__ == "__main__":
    main()
