#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far the tip of an arm with a soft finger is from where finer steps take it, by integrator and step.

    scripts/paper/soft-links [--quick] [--dcsim FILE] [--output DIR] [--publish]

Two links of 0.2 m, a hinge and a universal joint, the second one with a finger of 60 x 40 x 40 mm at its end, swing for
0.3 s: free, with drives, with drives that reach their limit, and with drives that hold the weight.  The reference is
the same arm in steps of 0.1 ms by the second order.  Beside it stands the rigid twin, whose finger is a part of the link.
"""
import math
import os

import measuring

SECONDS, REFERENCE, STEPS, INTEGRATORS = 0.3, 1e-4, (0.01, 0.005, 0.0025), ("euler", "second_order")
PD = {"kp": 50, "kd": 2}
KINDS = {"free": None, "driven": PD, "limited": {**PD, "effort": 1.0}, "held": {**PD, "gravity_compensation": True}}


def scene(kind, soft, step, integrator):
    upper = {"name": "upper", "shape": "link", "joint": "hinge", "axis": [0, 1, 0.2], "anchor": [0, 0, 0.5], "position": [0.1, 0, 0.5], "density": 500, "joint_position": [0.4], "joint_velocity": [1.5]}
    lower = {"name": "lower", "shape": "link", "parent": "upper", "joint": [{"type": "hinge", "axis": [0, 1, 0], "anchor": [0.2, 0, 0.5]}, {"type": "hinge", "axis": [0, 0, 1], "anchor": [0.2, 0, 0.5]}],
             "position": [0.3, 0, 0.5], "density": 500, "joint_position": [0.3, -0.2]}
    tip = {"name": "tip", "parent": "lower", "position": [0.43, 0, 0.5], "mass": 0.1}
    tip.update({"soft": {"size": [0.06, 0.04, 0.04], "cells": [2, 1, 1], "young": 1e6}} if soft else {"joint": "fixed", "shape": "finger"})
    result = {"gravity": [0, 0, -9.81], "time": {"step": step, "steps": round(SECONDS / step), "integrator": integrator}, "contact": {"friction": 0},
              "shapes": {"link": {"type": "box", "size": [0.2, 0.05, 0.05]}, "finger": {"type": "box", "size": [0.06, 0.04, 0.04]}}, "bodies": [upper, lower, tip]}
    if KINDS[kind]:
        upper["pd"] = lower["pd"] = KINDS[kind]
        result["control"] = [{"type": "spline", "body": "upper", "knots": 2, "initial": [0.1, 0.3]}, {"type": "spline", "body": "lower", "knots": 2, "initial": [0.1, 0.2, -0.2, 0.1]}]
    return result


def end(arguments, kind, soft, step, integrator):
    """Where the finger is at last."""
    name = f"soft_links-{kind}-{'soft' if soft else 'rigid'}-{step:g}-{integrator}"
    path = measuring.write_json(os.path.join(arguments.output, name + ".json"), scene(kind, soft, step, integrator))
    measuring.kept_run(arguments, name, "simulate", path)
    row = list(measuring.motion(arguments, os.path.join(arguments.output, name)))[-1]
    return [float(row[f"tip.{axis} [m]"]) for axis in "xyz"]


def row(arguments, kind, soft, integrator, steps):
    right = end(arguments, kind, soft, REFERENCE, "second_order")
    return [kind, "soft" if soft else "rigid", integrator] + [f"{1e3 * math.dist(end(arguments, kind, soft, step, integrator), right):.3f}" for step in steps]


def main():
    arguments = measuring.parse(measuring.options(__doc__))
    steps, kinds = (STEPS[:2], ["free", "limited"]) if arguments.quick else (STEPS, list(KINDS))
    head = ["arm", "finger", "integrator"] + [f"{1e3 * step:g} ms" for step in steps]
    lines = ["### Soft bodies on links", "",
             "By `scripts/paper/soft-links`: how far the tip of an arm of two links with a finger is, after 0.3 s, from where steps of 0.1 ms take it, mm, by step.", "",
             "| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    lines += ["| " + " | ".join(row(arguments, kind, soft, integrator, steps)) + " |" for kind in kinds for soft in (True, False) for integrator in INTEGRATORS]
    measuring.show(arguments, "soft_links", lines)


if __name__ == "__main__":
    main()
