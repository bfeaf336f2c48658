#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Appendix A.2 of paper 000, Figure 11: two square grids at a small distance, whose contact is said to cost O(T) for T triangles.

    scripts/paper/two-grids [--cells N ...] [--models NAME ...] [--publish]

Each grid is the top, or the bottom, of a plate of N x N x 1 cells of 1 cm, so that bodies are closed; all six sides are cut like the grid.  The upper plate floats a
hundredth of a cell above the lower one, which is fixed; there is no gravity, and one step is taken.  The time of an evaluation is that of value, gradient and Hessian
of the contact potential; the least of TRIES runs counts, the models in turn.  The exponent is the slope of log time over log T by least squares, the local one that
between two sizes.  All pairs are measured up to PAIRS of them.
"""
import math
import os

from measuring import answer, options, parse, processor, show, write_json

TRIES = 5
LARGE = 2000  # triangles from which on an exponent speaks of growth: below it whole grids are near each other
CELL, GAP = 0.01, 1e-4  # m
PAIRS = 8e6  # of triangles, above which the model refuses


def plate(path, cells):
    """Writes a closed box of cells x cells x 1 cells as OBJ and returns its number of triangles."""
    counts, numbers, lines, faces = (cells, cells, 1), {}, [], []

    def vertex(at):
        if at not in numbers:
            numbers[at] = len(numbers) + 1
            lines.append("v %.9g %.9g %.9g" % tuple(CELL * (at[k] - counts[k] / 2) for k in range(3)))
        return numbers[at]

    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for side in (0, counts[axis]):
            for i in range(counts[u]):
                for j in range(counts[v]):
                    corners = []
                    for du, dv in ((0, 0), (1, 0), (1, 1), (0, 1)):
                        at = [0, 0, 0]
                        at[axis], at[u], at[v] = side, i + du, j + dv
                        corners.append(vertex(tuple(at)))
                    if not side:
                        corners.reverse()
                    faces += [corners[:3], [corners[0], *corners[2:]]]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines + ["f %d %d %d" % tuple(face) for face in faces]) + "\n")
    return len(faces)


def scene(mesh, model):
    body = {"shape": "plate", "density": 1000}
    return {"name": "two grids", "gravity": [0, 0, 0], "time": {"step": 1e-3, "steps": 1},
            "contact": {"model": model, "stiffness": 1e-12}, "shapes": {"plate": {"type": "mesh", "file": mesh, "surface": "mesh"}},
            "bodies": [{"name": "lower", "joint": "fixed", **body}, {"name": "upper", "position": [0, 0, CELL + GAP], **body}]}


def slope(points):
    """Of log time over log T, by least squares; None of fewer than two points."""
    if len(points) < 2:
        return None
    x, y = ([math.log(point[k]) for point in points] for k in range(2))
    middle = sum(x) / len(x)
    return sum((a - middle) * b for a, b in zip(x, y)) / sum((a - middle) ** 2 for a in x)


def measure(arguments, cells):
    """The number of triangles of both plates, and of each model the least time of an evaluation that TRIES runs took."""
    mesh = os.path.join(arguments.output, "plate_%d.obj" % cells)
    triangles = 2 * plate(mesh, cells)
    models = [model for model in arguments.models if model != "exact" or (triangles / 2) ** 2 <= PAIRS]
    paths = {model: write_json(os.path.join(arguments.output, "grids_%d_%s.json" % (cells, model)), scene(mesh, model)) for model in models}
    found = {model: [] for model in models}
    for _ in range(TRIES):
        for model in models:
            said, _ = answer(arguments.dcsim, "simulate", paths[model], "-o", "none", "--quiet", "--json", "--threads", "1", accepted=(0,))
            found[model].append(said["seconds_per_evaluation"])
    return triangles, {model: min(times) for model, times in found.items()}


def main():
    parser = options(__doc__, quick=False)
    parser.add_argument("--cells", nargs="*", type=int, default=[4, 8, 16, 32, 64, 128])
    parser.add_argument("--models", nargs="*", default=["bsh", "exact", "ipc"])
    arguments = parse(parser)
    points = {model: [] for model in arguments.models}
    lines = ["### Two grids", "",
             "By `scripts/paper/two-grids`: one evaluation of contact with derivatives of two plates of N x N x 1 cells of 1 cm, 0.1 mm apart; seconds of one core of %s, which other programs used, too; the least of %d. In parentheses the local exponent." % (processor(), TRIES),
             "", "| N | triangles | " + " | ".join(arguments.models) + " |", "| --- " * (2 + len(points)) + "|"]
    for cells in arguments.cells:
        triangles, times = measure(arguments, cells)
        row = [cells, triangles]
        for model, before in points.items():
            time = times.get(model)
            if time:
                before.append((triangles, time))
            local = slope(before[-2:])
            row.append("not run" if not time else "%.3g" % time + (" (%.2f)" % local if local is not None else ""))
        lines.append("| " + " | ".join(map(str, row)) + " |")
        print(lines[-1], flush=True)
    large = {model: slope([point for point in found if point[0] >= LARGE]) for model, found in points.items()}
    said = ["%s %.2f" % (model, exponent) for model, exponent in large.items() if exponent is not None]
    lines += ["", "Exponents from %d triangles on: %s." % (LARGE, ", ".join(said) or "none")]
    show(arguments, "two_grids", lines)


if __name__ == "__main__":
    main()
