#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far the push task comes with other contact stiffnesses and first guesses: runs rich in contact are chaotic, one success says little.

    scripts/paper/push_variants.py [--dcsim FILE] [--output DIR]

Every stiffness with the scene's first guess and from rest (all parameters zero), then the scene's stiffness with the rod
started farther from and nearer to the axis.  Prints a Markdown table and writes it to DIR/push_variants.md (default:
runs/paper).  About half a minute a row.
"""
import json

from measuring import answer, options, parse, publish, scene_path, settings
from counts import PAPER

SCENE = scene_path("push")
STIFFNESSES = [1e-4, 1.5e-4, 2e-4, 2.5e-4, 3e-4, 4e-4]
ASIDE = [0.15, 0.3]
GUESSES = {"scene's": [], "rest": ["control[0].initial=[0,0,0,0,0,0]"]}


def variants(scene):
    stiffness, rod = scene["contact"]["stiffness"], [body["name"] for body in scene["bodies"]].index("rod")
    aside = scene["bodies"][rod]["position"][1]
    for value in STIFFNESSES:
        for guess in GUESSES:
            yield value, aside, guess, [f"contact.stiffness={value}"]
    for value in ASIDE:
        for guess in GUESSES:
            yield stiffness, value, guess, [f"bodies[{rod}].position[1]={value}"]


def main():
    arguments = parse(options(__doc__, quick=False))
    with open(SCENE, encoding="utf-8") as file:
        scene = json.load(file)
    lines = ["### Push with other stiffnesses, first guesses and starts", "",
             "By `scripts/paper/push_variants.py`: the scene as it is but for `contact.stiffness`, the first guess of the "
             "control (the scene's, or all zeros: rest) and how far aside of the box the rod starts.", "",
             "| stiffness, J | aside, m | first guess | last loss | fall | reached | steps applied | ms per step |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    reached = count = 0
    for stiffness, aside, guess, changes in variants(scene):
        result, _ = answer(arguments.dcsim, "optimize", SCENE, "-o", "none", "--json", "--quiet", *settings(*PAPER["push"], *changes, *GUESSES[guess]))
        count += 1
        reached += result["success"]
        lines.append(f"| {stiffness:g} | {aside:g} | {guess} | {result['loss']:.3g} | "
                     f"{100 * (1 - result['loss'] / result['initial_loss']):.1f} % | "
                     f"{'yes' if result['success'] else 'no'} | {result['steps']} | {1e3 * result['seconds_per_step']:.2f} |")
        print(lines[-1], flush=True)
    lines += ["", f"Reached: {reached} of {count}."]
    publish(arguments, "push_variants", lines)


if __name__ == "__main__":
    main()
