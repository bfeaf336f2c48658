#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far the push task comes with other contact stiffnesses and first guesses: runs rich in contact are chaotic, one success says little.

    scripts/paper/push_variants.py [--dcsim FILE] [--output DIR]

Every stiffness with the scene's first guess and from rest (all parameters zero), then the scene's stiffness with the rod
started farther from and nearer to the axis.  Prints a Markdown table and writes it to DIR/push_variants.md (default:
runs/paper/push_variants).  About half a minute a row.
"""
import argparse
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
from counts import PAPER  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCENE = os.path.join(ROOT, "scenes", "push.json")
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


def optimize(dcsim, changes):
    command = [dcsim, "optimize", SCENE, "-o", "none", "--json", "--quiet"]
    for change in (*PAPER["push"], *changes):
        command += ["--set", change]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not done.stdout:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dcsim", default=os.path.join(ROOT, "build", "dcsim"))
    parser.add_argument("--output", default=os.path.join("runs", "paper", "push_variants"))
    arguments = parser.parse_args()
    os.makedirs(arguments.output, exist_ok=True)
    with open(SCENE, encoding="utf-8") as file:
        scene = json.load(file)
    lines = ["### Push with other stiffnesses, first guesses and starts", "",
             "By `scripts/paper/push_variants.py`: the scene as it is but for `contact.stiffness`, the first guess of the "
             "control (the scene's, or all zeros: rest) and how far aside of the box the rod starts.", "",
             "| stiffness, J | aside, m | first guess | last loss | fall | reached | steps applied | ms per step |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    reached = count = 0
    for stiffness, aside, guess, changes in variants(scene):
        result = optimize(arguments.dcsim, changes + GUESSES[guess])
        count += 1
        reached += result["success"]
        lines.append(f"| {stiffness:g} | {aside:g} | {guess} | {result['loss']:.3g} | "
                     f"{100 * (1 - result['loss'] / result['initial_loss']):.1f} % | "
                     f"{'yes' if result['success'] else 'no'} | {result['steps']} | {1e3 * result['seconds_per_step']:.2f} |")
        print(lines[-1], flush=True)
    lines += ["", f"Reached: {reached} of {count}."]
    with open(os.path.join(arguments.output, "push_variants.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
