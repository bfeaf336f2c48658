#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many iterations identification takes from drawn starts: identify_push (mass and friction) and identify_arm (gains).

    scripts/paper/identify [--draws N] [--within FRACTION] [--dcsim FILE] [--output DIR]

Draw 0 is the scene; in the others every number starts at its true value times a factor drawn evenly from 0.5 to 1.5.  Counted are the iterations after which all
numbers are within 1 % of the truth: the scene's optimizer is run with one iteration more each time.  Beside it stand
Adam after 60 iterations and L-BFGS after 15.
Prints Markdown and writes it to DIR/identify.md (default: runs/paper).  Some minutes.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TRUTH = {
    "identify_push": {"box.mass": 2, "box.friction": 0.4},
    "identify_arm": {"upper.kp": 100, "lower.kp": 30, "upper.kd": 6, "lower.kd": 2},
}
MOST = 15  # iterations
OTHERS = {
    "Adam, 60": '{"type": "adam", "learning_rate": 0.1, "betas": [0.5, 0.9], "iterations": 60}',
    "L-BFGS, 15": '{"type": "lbfgs", "iterations": 15}',
}


def key(number):
    body, name = number.split(".")
    return f"bodies.{body}.{'pd.' if name in ('kp', 'kd') else ''}{name}"


def start(scene, draw):
    """Factors on the true numbers; None: the scene as it is."""
    generator = random.Random(1000 * draw + len(TRUTH[scene]))
    return {number: generator.uniform(0.5, 1.5) for number in TRUTH[scene]} if draw else None


def run(dcsim, scene, factors, overrides):
    """Largest error of the numbers, relative to the truth."""
    command = [dcsim, "optimize", os.path.join(ROOT, "scenes", scene + ".json"), "-o", "none", "--json", "--quiet"]
    for number, factor in (factors or {}).items():
        command += ["--set", f"{key(number)}={factor * TRUTH[scene][number]!r}"]
    for override in overrides:
        command += ["--set", override]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not done.stdout:
        sys.exit(done.stderr)
    result = json.loads(done.stdout)
    return max(abs(value["value"] / TRUTH[scene][value["name"]] - 1) for value in result["design"])


def count(dcsim, scene, factors, within):
    for iterations in range(1, MOST + 1):
        error = run(dcsim, scene, factors, [f"optimizer.iterations={iterations}"])
        if error <= within:
            return iterations, error
    return None, error


def measure(options, scene, lines):
    names = list(TRUTH[scene])
    lines += [f"**{scene}**", "", "| draw | " + " | ".join(names) + " | iterations to 1 % | largest error then | " +
              " | ".join(OTHERS) + " |",
              "| --- " * (len(names) + 3 + len(OTHERS)) + "|"]
    counts = []
    for draw in range(options.draws):
        factors = start(scene, draw)
        iterations, error = count(options.dcsim, scene, factors, options.within)
        counts.append(iterations)
        cells = [f"{factors[name]:.3f}" if factors else "scene" for name in names]
        cells += [str(iterations) if iterations else f"not in {MOST}", f"{100 * error:.2g} %"]
        for text in OTHERS.values():
            cells.append(f"{100 * run(options.dcsim, scene, factors, ['optimizer=' + text]):.2g} %")
        lines.append(f"| {draw} | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    reached = [n for n in counts if n]
    lines += ["", f"{scene}: {len(reached)} of {len(counts)} starts are within {100 * options.within:g} % after at most {MOST} iterations" +
              (f"; median {statistics.median(reached):g}, most {max(reached)}." if reached else "."), ""]
    print(lines[-2], flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=16)
    parser.add_argument("--within", type=float, default=0.01)
    parser.add_argument("--dcsim", default=os.path.join(ROOT, "build", "dcsim"))
    parser.add_argument("--output", default=os.path.join("runs", "paper"))
    options = parser.parse_args()
    lines = ["### Identification from other starts", "",
             "By `scripts/paper/identify`: every number starts at its true value times a factor drawn from 0.5 to 1.5, draw 0 at the scene's (50 % off). Counted are the iterations of the scene's "
             "optimizer, `gauss_newton`, until all numbers are within 1 %; beside it stand the largest errors of Adam (rate 0.1, betas 0.5 and 0.9) after 60 iterations and of L-BFGS after 15.", ""]
    for scene in TRUTH:
        measure(options, scene, lines)
    os.makedirs(options.output, exist_ok=True)
    with open(os.path.join(options.output, "identify.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines).rstrip() + "\n")


if __name__ == "__main__":
    main()
