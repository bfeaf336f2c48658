#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a pair of convex hulls costs under sdrs and under ipc (after paper 003, Figure 8).

    scripts/paper/pair-cost [--quick] [--dcsim FILE] [--output DIR] [--publish]

Two hulls of random points on a sphere of 5 cm, one of which slides down onto the other and rests on it, with and without
friction.  Counted are instructions of the processor (perf stat) of 600 steps less those of 200, over the evaluations of the contact
in between: value, gradient and Hessian, with the step around it.  Prints Markdown, which DIR/pair_cost.md (default DIR:
runs/paper) holds, too; --publish: and docs/measured/pair_cost.md.  --quick: 8 and 32 vertices.
"""
import json
import math
import os
import random
import subprocess
import sys

from measuring import MODELS, options, parse, show, write_json


def cloud(count, seed):
    draw = random.Random(seed)
    numbers = []
    for _ in range(count):
        point = [draw.gauss(0, 1) for _ in range(3)]
        numbers += [0.05 * x / math.hypot(*point) for x in point]
    return numbers


def scene(count, model, friction, steps):
    return {"time": {"step": 0.005, "steps": steps}, "contact": {"model": model, "friction": friction, **MODELS[model]},
            "shapes": {name: {"type": "hulls", "parts": [{"vertices": cloud(count, seed)}]}
                       for seed, name in enumerate(("upper", "lower"), 1)},
            "bodies": [{"name": "lower", "joint": "fixed", "shape": "lower"},
                       {"name": "upper", "joint": "slide", "axis": [0, 0, 1], "shape": "upper", "position": [0.01, 0.005, 0.102],
                        "density": 500}]}


def count_run(arguments, *what, steps):
    """Instructions and evaluations of a run of so many steps."""
    path = write_json(os.path.join(arguments.output, "pair_cost.json"), scene(*what, steps))
    done = subprocess.run(["perf", "stat", "-x,", "-e", "instructions:u", arguments.dcsim, "simulate", path, "-o", "none", "--json",
                           "--quiet", "--threads", "1"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    counted = next(line for line in done.stderr.splitlines() if "instructions" in line).split(",")[0]
    if not counted[0].isdigit():
        sys.exit(f"perf counts no instructions on this machine: {counted}")
    return float(counted), json.loads(done.stdout)["evaluations_per_step"] * steps


def cost(arguments, *what):
    (few, begun), (many, ended) = (count_run(arguments, *what, steps=steps) for steps in (200, 600))
    return (many - few) / (ended - begun) / 1e3


def main():
    arguments = parse(options(__doc__))
    lines = ["### Cost of a pair of hulls (paper 003, Figure 8)", "",
             "By `scripts/paper/pair-cost`: thousands of instructions for an evaluation with gradient and Hessian, the step around it included. "
             "`ipc` of the paper's figure is a potential of mesh primitives as ours; the paper has 2.55 to 32 times, from 8 to 512 vertices.", "",
             "| vertices | sdrs | ipc | times | with friction: sdrs | ipc | times |", "|---|---|---|---|---|---|---|"]
    ratios = []
    for count in (8, 32) if arguments.quick else (8, 16, 32, 64, 128, 256, 512):
        cells = []
        for friction in (0, 0.5):
            ours, theirs = (cost(arguments, count, model, friction) for model in ("sdrs", "ipc"))
            cells += [f"{ours:.1f}", f"{theirs:.0f}", f"{theirs / ours:.1f}"]
            if count >= 32:
                ratios.append(theirs / ours)
        lines.append(f"| {count} | " + " | ".join(cells) + " |")
    lines += ["", f"Verdict: {'met' if min(ratios) >= 2 else 'not met'} (at least 2 from 32 vertices on)."]
    show(arguments, "pair_cost", lines)


if __name__ == "__main__":
    main()
