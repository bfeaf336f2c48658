#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast a soft ball leaves the floor, a half-space or the face of a box, over how fast it came, by stiffness, integrator and step.

    scripts/paper/soft-bounces [--quick] [--dcsim FILE] [--output DIR] [--publish]

A ball of 0.1 m and 1 kg/l, 4 cells across, is dropped by 0.2 m.  With v and z of its centre in the middle of a step and
R its radius, v^2/2 + g (z - R) is kept in flight; its largest value after the ball was lowest is that of the way up, and
the root of its ratio to that of the drop is the ratio of speeds.  There is no restitution and no viscosity: what a
bounce loses is the ball's own sounding, the landing of its nodes and the integrator's.
"""
import math
import os

import measuring

GRAVITY, RADIUS, DROP, SECONDS = 9.81, 0.05, 0.2, 0.36
FLOORS, YOUNGS, STEPS, INTEGRATORS = ("plane", "box"), (2e4, 1e5, 4e5), (0.005, 0.002, 0.001, 0.0005), ("euler", "second_order")


def scene(young, step, integrator, floor="plane"):
    ball = {"name": "ball", "density": 1000, "position": [0, 0, RADIUS + DROP],
            "soft": {"type": "solid", "self_contact": False, "young": young, "form": "sphere", "size": [2 * RADIUS] * 3, "cells": [4, 4, 4]}}
    return {"gravity": [0, 0, -GRAVITY], "time": {"step": step, "steps": round(SECONDS / step), "integrator": integrator},
            "contact": {"friction": 0}, "shapes": {"ground": {"type": "box", "size": [0.4, 0.4, 0.1]} if floor == "box" else {"type": "plane"}},
            "bodies": [ball, {"name": "ground", "joint": "fixed", "shape": "ground", "position": [0, 0, -0.05 if floor == "box" else 0]}]}


def bounce(arguments, floor, young, step, integrator):
    name = f"soft_bounce-{floor}-{young:g}-{step:g}-{integrator}"
    path = measuring.write_json(os.path.join(arguments.output, name + ".json"), scene(young, step, integrator, floor))
    measuring.kept_run(arguments, name, "simulate", path)
    heights = [float(row["ball.z [m]"]) for row in measuring.motion(arguments, os.path.join(arguments.output, name))]
    lowest = heights.index(min(heights))
    after = zip(heights[lowest:], heights[lowest + 1:])
    most = max(((to - at) / step) ** 2 / 2 + GRAVITY * ((at + to) / 2 - RADIUS) for at, to in after)
    return math.sqrt(most / (GRAVITY * DROP))


def row(arguments, floor, young, integrator, steps):
    found = [bounce(arguments, floor, young, step, integrator) for step in steps]
    return [floor, f"{young:g}", integrator] + [f"{ratio:.3f}" for ratio in found] + [f"{found[0] / found[steps.index(0.001)] - 1:+.1%}"]


def main():
    arguments = measuring.parse(measuring.options(__doc__))
    steps = STEPS[:3:2] if arguments.quick else STEPS
    head = ["floor", "Young's modulus, Pa", "integrator"] + [f"{1e3 * step:g} ms" for step in steps] + ["5 ms beside 1 ms"]
    lines = ["### Bounce of a soft ball", "",
             "By `scripts/paper/soft-bounces`: a ball of 0.1 m and 1 kg/l, 4 cells across, is dropped by 0.2 m; its speed when it leaves the floor over that at which it came, by step.", "",
             "| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    lines += ["| " + " | ".join(row(arguments, floor, young, integrator, steps)) + " |" for floor in FLOORS for young in YOUNGS for integrator in INTEGRATORS]
    measuring.show(arguments, "soft_bounces", lines)


if __name__ == "__main__":
    main()
