#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The modulus of each of 1,050 elements of a soft body from its motion: as many numbers at once as paper 004's fields of materials have.

    scripts/paper/soft-field [--draws N] [--iterations N] [--dcsim FILE] [--output DIR] [--publish]

A block of 7 x 5 x 5 cells that is held at one end swings for 20 steps; the places of all its free nodes are followed.  True moduli are drawn for each element by itself, between half and twice that
of the scene, with which the search begins.  Wants NumPy, and libdcsim.so beside the program.
Prints Markdown and writes it to DIR/soft_field.md (default: runs/paper); --publish: and to docs/measured/soft_field.md.
"""
import itertools
import math
import os
import random
import statistics
import sys

from measuring import ROOT, optimize, options, parse, processor, show
from soft import Lab

CELLS, SIZE, STEPS, STEP, YOUNG, SPREAD = (7, 5, 5), (0.14, 0.1, 0.1), 20, 0.01, 2e4, math.log(2)
METHODS = [("gauss_newton", {"type": "gauss_newton", "radii": [2.5, 1], "radius": 10, "most": 100}, 8),
           ("nlopt, LD_LBFGS", {"type": "nlopt", "method": "LD_LBFGS"}, 400)]


def scene():
    """The block, and a marker at each node that is not held."""
    nodes = [[size * (i / n - 0.5) for size, n, i in zip(SIZE, CELLS, at)] for at in itertools.product(range(1, CELLS[0] + 1), range(CELLS[1] + 1), range(CELLS[2] + 1))]
    held = {"low": [-1, -1, -1], "high": [0.001 - SIZE[0] / 2, 1, 1]}
    block = {"name": "block", "soft": {"form": "block", "size": SIZE, "cells": CELLS, "young": YOUNG, "poisson": 0.3, "viscosity": 1, "pins": [held]}}
    markers = [{"name": f"node{k}", "parent": "block", "joint": "fixed", "position": at} for k, at in enumerate(nodes)]
    return {"time": {"step": STEP, "steps": STEPS}, "gravity": [0, 4, -9.81], "bodies": [block, *markers],
            "design": [{"type": "number", "of": "young_element", "bodies": ["block"], "range": [0.05, 20]}]}


def record(dcsim, path, generator, table):
    """Draws the logarithms of the true factors on the moduli; writes the motion with them of all markers into a table."""
    os.environ.setdefault("DCSIM_LIBRARY", os.path.join(os.path.dirname(dcsim), "lib", "libdcsim.so"))
    sys.path.insert(0, os.path.join(ROOT, "python"))
    import dcsim as library  # pylint: disable=import-outside-toplevel

    problem = library.open(path).problem()
    truth = [generator.uniform(-SPREAD, SPREAD) for _ in problem.names]
    problem.value(truth)
    places = problem.trajectory().position
    names = [f"node{k}.{axis} [m]" for k in range(places.shape[1] - 1) for axis in "xyz"]
    with open(table, "w", encoding="utf-8") as file:
        file.write(",".join(["time [s]", *names]) + "\n")
        for t in range(STEPS + 1):
            file.write(",".join([f"{STEP * t:.9g}", *(f"{x:.12g}" for x in places[t, 1:].reshape(-1))]) + "\n")
    return truth, len(places[0]) - 1


def main():
    parser = options(__doc__, quick=False)
    parser.add_argument("--draws", type=int, default=1)
    parser.add_argument("--iterations", type=int, default=100000, help="at most so many of each method")
    arguments = parse(parser)
    lab, lines = Lab(arguments), [
        "### Soft bodies: a field of moduli", "",
        f"By `scripts/paper/soft-field` on {processor()}, one thread: a block of {6 * math.prod(CELLS):,} elements that is held at one end swings for {STEPS} steps under gravity; the places of all its free nodes are followed. The modulus of every element is unknown, "
        f"drawn by itself between half and twice that with which the search begins. Distance: root mean square over nodes and frames. Error of a modulus: of its logarithm.", "",
        "| draw | method | iterations | distance at the start, mm | at the end, mm | median error of a modulus | largest | processor s |", "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for draw in range(arguments.draws):
        plain, table = lab.write(f"field-{draw}", scene()), os.path.join(lab.folder, f"field-{draw}.csv")
        truth, nodes = record(arguments.dcsim, plain, random.Random(9000 + draw), table)
        follow = {"type": "follow", "file": table, "weight": 1e4, "bodies": [f"node{k}" for k in range(nodes)]}

        def distance(loss):
            return 1e3 * math.sqrt(loss / follow["weight"] / nodes)

        for name, settings, most in METHODS:
            iterations = min(most, arguments.iterations)
            path = lab.write(f"field-{draw}-follow", dict(scene(), objective=[follow], optimizer=dict(settings, iterations=iterations)))
            result, seconds = optimize(arguments.dcsim, path)
            errors = [abs(math.log(entry["value"] / YOUNG) - true) for entry, true in zip(result["design"], truth)]
            lines.append(f"| {draw} | {name} | {result['iterations']} | {distance(result['initial_loss']):.2g} | {distance(result['loss']):.2g} | {statistics.median(errors):.2g} | {max(errors):.2g} | {seconds:.0f} |")
            print(lines[-1], flush=True)
    show(arguments, "soft_field", lines)


if __name__ == "__main__":
    main()
