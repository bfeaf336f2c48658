#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where a ball is after a bounce, and how that depends on its start, beside the closed form.

    scripts/paper/bounces [--starts N] [--quick] [--publish]

The first experiment of DiffMJX (Paulus et al. 2025): a ball without weight comes to a plane at 1 m/s and is looked at
after 2 s.  From the height q it is then at e (2 - q), so that the derivative by the start is -e.  Starts are drawn
evenly from 0.05 to 1.95 m.  Three figures: the mean error of the place, as part of the way of a step; the slope of the
places over the starts (least squares), which is what the motion does; and the median of the derivative by the adjoint,
which is what an optimizer sees.  Each with and without
`contact.on_time`.  The library of build/lib is taken, or that of DCSIM_LIBRARY.
"""
import math
import os
import statistics
import sys

import measuring

sys.path.insert(0, os.path.join(measuring.ROOT, "python"))
import dcsim  # noqa: E402

HEIGHT, SPEED, SECONDS, RADIUS = 1.0, 1.0, 2.0, 0.1
MODELS, RATIOS, COUNTS = ("bsh", "sdrs", "ipc"), (1.0, 0.5), (20, 100, 400)


def scene(model, ratio, steps, start, on_time):
    ball = {"name": "ball", "shape": "ball", "mass": 1, "position": [0, 0, RADIUS + start], "velocity": [0, 0, -SPEED]}
    return {"gravity": [0, 0, 0], "time": {"step": SECONDS / steps, "steps": steps}, "contact": {"model": model, "restitution": ratio, "on_time": on_time},
            "shapes": {"ball": {"type": "sphere", "radius": RADIUS}, "ground": {"type": "plane"}},
            "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground"}, ball],
            "control": [{"type": "initial_state", "body": "ball", "position": "z"}],
            "objective": [{"type": "reach", "body": "ball", "target": [0, 0, RADIUS - HEIGHT], "axes": "z", "tolerance": 0}]}


def bounce(model, ratio, steps, start, on_time):
    """Height above the plane at the end, and its derivative by the start."""
    problem = dcsim.open(scene(model, ratio, steps, start, on_time)).problem()
    loss, gradient = problem.value_and_grad(problem.initial)
    above = math.sqrt(loss)  # of the target, a metre below the plane
    return above - HEIGHT, float(gradient[0]) / (2 * above)


def row(model, ratio, steps, on_time, starts):
    found = [bounce(model, ratio, steps, start, on_time) for start in starts]
    errors = [abs(place - ratio * (SPEED * SECONDS - start)) for (place, _), start in zip(found, starts)]
    slope, _ = statistics.linear_regression(starts, [place for place, _ in found])
    way = SPEED * SECONDS / steps
    return [model, f"{ratio:g}", f"{SECONDS / steps:g}", "yes" if on_time else "no", f"{statistics.mean(errors) / way:.2f}", f"{-ratio:g}", f"{slope:.3f}",
            f"{statistics.median(derivative for _, derivative in found):.3f}"]


def main():
    parser = measuring.options(__doc__)
    parser.add_argument("--starts", type=int, default=40)
    arguments = measuring.parse(parser)
    count = 8 if arguments.quick else arguments.starts
    starts = [0.05 + 1.9 * (k + 0.5) / count for k in range(count)]
    head = ["model", "restitution", "step, s", "on time", "error of the place, ways of a step", "derivative by the start", "slope of the places", "median of the adjoint"]
    lines = ["### A bounce and its derivative by the start", "",
             f"By `scripts/paper/bounces`: a ball at 1 m/s meets a plane and is looked at after 2 s, from {count} heights.", "",
             "| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    lines += ["| " + " | ".join(row(model, ratio, steps, on_time, starts)) + " |" for model in MODELS for ratio in RATIOS for steps in COUNTS for on_time in (False, True)]
    measuring.show(arguments, "bounces", lines)


if __name__ == "__main__":
    main()
