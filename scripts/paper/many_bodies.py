#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a step of many free bodies costs: balls, or balls and boxes, that fall into a container.

    scripts/paper/many-bodies [--counts N ...] [--steps N] [--before FILE] [--publish]

N is the number of bodies, a cube.  Processor time of a simulation, one thread, the least of TRIES runs taken in turns with the program of --before.  The time of
reading and checking the scene is that of a simulation of one step, and does not count.
"""
import os
import random

from measuring import answer, options, parse, processor, show, write_json

TRIES = 2
DISTANCE = 0.13  # m, of the centres at the start


def container(half):
    """A floor and four walls around a square of 2 half."""
    long = 2 * half + 0.4
    shapes = {"floor": {"type": "plane"}, "x": {"type": "box", "size": [0.1, long, 0.6]}, "y": {"type": "box", "size": [long, 0.1, 0.6]}}
    bodies = [{"name": "floor", "joint": "fixed", "shape": "floor"}]
    for axis in "xy":
        for sign in (-1, 1):
            place = sign * (half + 0.1)
            bodies.append({"name": "%s%d" % (axis, sign), "joint": "fixed", "shape": axis, "position": [place, 0, 0.31] if axis == "x" else [0, place, 0.31]})
    return shapes, bodies


def scene(count, mixed, steps):
    drawn, side = random.Random(count), round(count ** (1 / 3))
    half = side * DISTANCE / 2
    shapes, bodies = container(half)
    shapes |= {"ball": {"type": "sphere", "radius": 0.05}, "box": {"type": "box", "size": [0.08, 0.07, 0.06]}}
    for k in range(side ** 3):
        cell = [k // side ** 2, k // side % side, k % side]
        place = [DISTANCE * cell[0] + DISTANCE / 2 - half, DISTANCE * cell[1] + DISTANCE / 2 - half, DISTANCE * cell[2] + 0.08]
        bodies.append({"name": "b%d" % k, "shape": "box" if mixed and k % 2 == 0 else "ball", "density": 1000, "position": [x + drawn.uniform(-0.008, 0.008) for x in place]})
    return {"name": "many", "time": {"step": 0.01, "steps": steps}, "contact": {"friction": 0.4, "stiffness": 1e-6}, "shapes": shapes, "bodies": bodies}


def seconds(program, path, steps):
    return answer(program, "simulate", path, "-o", "none", "--quiet", "--json", "--threads", "1", "--set", "time.steps=%d" % steps, accepted=(0,))


def row(arguments, count, mixed):
    path = write_json(os.path.join(arguments.output, "many_%d.json" % count), scene(count, mixed, arguments.steps))
    programs = [program for program in (arguments.before, arguments.dcsim) if program]
    found = {program: [] for program in programs}
    for _ in range(TRIES):
        for program in programs:
            said, late = seconds(program, path, arguments.steps)
            found[program].append((late - seconds(program, path, 1)[1]) / (arguments.steps - 1))
    times = [1e3 * min(found[program]) for program in programs]
    before = ["%.1f" % times[0], "%.2f" % (times[-1] / times[0])] if arguments.before else ["", ""]
    return [count, "balls and boxes" if mixed else "balls", said["linear"]["matrix"], "%.2f" % said["newton_iterations_per_step"], before[0], "%.1f" % times[-1], before[1]]


def main():
    parser = options(__doc__, quick=False)
    parser.add_argument("--counts", nargs="*", type=int, default=[27, 64, 125, 216, 343])
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--before", type=os.path.abspath)
    arguments = parse(parser)
    lines = ["### Cost of a step of many free bodies", "",
             "By `scripts/paper/many-bodies`: bodies fall into a container, forward, one thread, %d steps. Milliseconds of processor time a step on one core of %s, which other programs used, too; the least of %d." % (arguments.steps, processor(), TRIES),
             "", "| bodies | kind | matrix | Newton iterations a step | ms before | ms | ratio |", "|---" * 7 + "|"]
    for count in arguments.counts:
        for mixed in (False, True):
            lines.append("| " + " | ".join(map(str, row(arguments, count, mixed))) + " |")
            print(lines[-1], flush=True)
    show(arguments, "many_bodies", lines)


if __name__ == "__main__":
    main()
