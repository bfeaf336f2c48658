#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The chain that grows to its target (scenes/codesign_chain.json) within a budget of mass, and with parts that are not too thin.

    scripts/paper/codesign-budget [--quick] [--dcsim FILE] [--output DIR] [--publish]

The driven links may change in length and, where the table says so, in their cross-section.  Budget: the mass of the scene's own
links.  Prints Markdown, which DIR/codesign_budget.md (default: runs/paper) holds, too; --publish: and
docs/measured/codesign_budget.md.  --quick: 4 iterations.
"""
import datetime
import json
import os

from measuring import kept_run, options, parse, scene_path, show, write_json

LINKS, LINK_MASS = 8, 0.128  # kg each
LEAST = 0.036  # m
SIZES = [{"type": "size", "shape": "driven", "axes": axis, "range": [0.5, 2], "scale": 0.3} for axis in "xy"]
BUDGET = {"type": "mass", "most": LINKS * LINK_MASS, "weight": 10}


def thickness(weight):
    return {"type": "thickness", "least": LEAST, "weight": weight}


ROWS = (("lengths, no budget", [], []), ("lengths", [BUDGET], []), ("lengths and cross-section", [BUDGET], SIZES),
        ("and thickness, weight 1", [BUDGET, thickness(1)], SIZES), ("and thickness, weight 100", [BUDGET, thickness(100)], SIZES))


def chain(objectives, design):
    """The scene with a shape of their own for the driven links."""
    with open(scene_path("codesign_chain"), encoding="utf-8") as file:
        scene = json.load(file)
    scene["shapes"]["driven"] = scene["shapes"]["link"]
    for body in scene["bodies"]:
        if body["name"].startswith("driven"):
            body["shape"] = "driven"
    scene["objective"] += objectives
    scene["design"] += design
    return scene


def main():
    arguments = parse(options(__doc__))
    lines = ["### A chain within a budget of mass", "",
             f"By `scripts/paper/codesign-budget`, {datetime.date.today()}: the chain of `scenes/codesign_chain.json`, whose driven links weigh {LINKS * LINK_MASS:.3f} kg and are 40 mm thick at the start,"
             f" with objectives `mass` ({LINKS * LINK_MASS:.3f} kg, weight 10) and `thickness` ({1e3 * LEAST:.0f} mm).", "",
             "| design | iterations | last link from its target | mass of the links | least extent | all reached |", "|---|---|---|---|---|---|"]
    for number, (name, objectives, design) in enumerate(ROWS):
        run = f"codesign_budget_{number}"
        scene = write_json(os.path.join(arguments.output, run + ".json"), chain(objectives, design))
        result = kept_run(arguments, run, "optimize", scene, *(["--set", "optimizer.iterations=4"] if arguments.quick else []))
        bodies = result["designed"].values()
        lines.append(f"| {name} | {result['iterations']} | {1e3 * result['objectives'][0]['distance']:.0f} mm | {sum(b['mass'] for b in bodies):.3f} kg |"
                     f" {1e3 * min(b['least_extent'] for b in bodies):.1f} mm | {'yes' if result['success'] else 'no'} |")
    lines += ["", "One start, Adam, 80 iterations at most, until all is reached. Longer links of the same cross-section are heavier than the budget. The barrier of `thickness` begins at 36 mm, so that extents end"
              " below where another objective pulls: with a larger weight nearer (reached is 0.01 of 36 mm below), and the other objectives later."]
    show(arguments, "codesign_budget", lines)


if __name__ == "__main__":
    main()
