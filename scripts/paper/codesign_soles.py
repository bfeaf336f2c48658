#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What co-design makes of the soles of the spider's feet (after paper 003, Figure 11: a flat and larger contact surface).

    scripts/paper/codesign-soles [--quick] [--seeds N ...] [--dcsim FILE] [--output DIR] [--publish]

Optimizes scenes/codesign_spider.json from several random gaits and measures cuts across a foot, square to its axis, 5 and 10 mm
above its lowest point: of the scene's foot and of the designed one.  Prints Markdown, which DIR/codesign_soles.md (default:
runs/paper) holds, too; --publish: and docs/measured/codesign_soles.md.  Verdict: the cut at 5 mm grows.  --quick: one gait, few
iterations of few steps, no verdict.
"""
import os

from codesign_walkers import run, spider
from measuring import options, parse, show

HEIGHTS = (0.005, 0.01)  # m


def outline(points):
    """Corners of the convex hull of points in a plane, in turn."""
    points = sorted(set(points))
    chains = []
    for row in (points, points[::-1]):
        chain = []
        for p in row:
            while len(chain) > 1 and ((chain[-1][0] - chain[-2][0]) * (p[1] - chain[-2][1])
                                      <= (chain[-1][1] - chain[-2][1]) * (p[0] - chain[-2][0])):
                chain.pop()
            chain.append(p)
        chains += chain[:-1]
    return chains


def area(corners):
    return abs(sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(corners, corners[1:] + corners[:1]))) / 2


def cut(part, z):
    """Area of the cut of the hull of points [x, y, z] at a height."""
    crossings = []
    for a in part:
        for b in part:
            if a[2] < z <= b[2]:
                t = (z - a[2]) / (b[2] - a[2])
                crossings.append((a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])))
    return area(outline(crossings)) if len(set(crossings)) > 2 else 0


def soles(parts):
    """Of the lowest part of a foot, cm2."""
    lowest = min(parts, key=lambda part: min(p[2] for p in part))
    ground = min(p[2] for p in lowest)
    return [1e4 * cut(lowest, ground + height) for height in HEIGHTS]


def parts_of(path):
    """Vertices of the groups of an OBJ file."""
    parts = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words and words[0] == "g":
                parts.append([])
            elif words and words[0] == "v":
                parts[-1].append([float(x) for x in words[1:4]])
    return parts


def main():
    parser = options(__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[2, 3])
    arguments = parse(parser)
    arguments.task = "spider"
    rows = [part["vertices"] for part in spider()["shapes"]["foot"]["parts"]]
    first = soles([list(zip(row[::3], row[1::3], row[2::3])) for row in rows])
    lines = ["### Soles of the spider (after paper 003, Figure 11)", "",
             "By `scripts/paper/codesign-soles`, `scenes/codesign_spider.json`: cuts across the foot above its lowest point, cm².", "",
             "| | 5 mm | 10 mm |", "|---|---|---|", f"| the scene's foot | {first[0]:.2f} | {first[1]:.2f} |"]
    grown = []
    for seed in arguments.seeds[:1] if arguments.quick else arguments.seeds:
        run(arguments, seed, "optimize", "codesign_soles")
        found = soles(parts_of(os.path.join(arguments.output, f"codesign_soles_{seed}", "design", "lower0.obj")))
        grown.append(found[0] > first[0])
        lines.append(f"| designed with random gait {seed} at the start | {found[0]:.2f} | {found[1]:.2f} |")
    if not arguments.quick:
        lines += ["", f"Verdict: {'met' if all(grown) else 'not met'} (larger at 5 mm from {sum(grown)} of {len(grown)} gaits)."]
    show(arguments, "codesign_soles", lines)


if __name__ == "__main__":
    main()
