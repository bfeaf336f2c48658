#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many iterations identification takes from drawn starts: identify_push (mass and friction) and identify_arm (gains).

    scripts/paper/identify [--draws N] [--within FRACTION] [--dcsim FILE] [--output DIR] [--publish]

Draw 0 is the scene; in the others every number starts at its true value times a factor drawn evenly from 0.5 to 1.5.  Counted are the iterations after which all
numbers are within 1 % of the truth: the scene's optimizer is run with one iteration more each time.  Beside it stand
Adam after 60 iterations and L-BFGS after 15.
Prints Markdown and writes it to DIR/identify.md (default: runs/paper).  Some minutes.
"""
import random
import statistics

from measuring import call, options, parse, publish, scene_path, settings

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


def run(arguments, scene, factors, overrides):
    """Largest error of the numbers, relative to the truth."""
    started = [f"{key(number)}={factor * TRUTH[scene][number]!r}" for number, factor in (factors or {}).items()]
    result = call(arguments, "optimize", scene_path(scene), "-o", "none", "--json", "--quiet", *settings(*started, *overrides))
    return max(abs(value["value"] / TRUTH[scene][value["name"]] - 1) for value in result["design"])


def count(arguments, scene, factors):
    for iterations in range(1, MOST + 1):
        error = run(arguments, scene, factors, [f"optimizer.iterations={iterations}"])
        if error <= arguments.within:
            return iterations, error
    return None, error


def measure(arguments, scene, lines):
    names = list(TRUTH[scene])
    lines += [f"**{scene}**", "", "| draw | " + " | ".join(names) + " | iterations to 1 % | largest error then | " +
              " | ".join(OTHERS) + " |",
              "| --- " * (len(names) + 3 + len(OTHERS)) + "|"]
    counts = []
    for draw in range(arguments.draws):
        factors = start(scene, draw)
        iterations, error = count(arguments, scene, factors)
        counts.append(iterations)
        cells = [f"{factors[name]:.3f}" if factors else "scene" for name in names]
        cells += [str(iterations) if iterations else f"not in {MOST}", f"{100 * error:.2g} %"]
        for text in OTHERS.values():
            cells.append(f"{100 * run(arguments, scene, factors, ['optimizer=' + text]):.2g} %")
        lines.append(f"| {draw} | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    reached = [n for n in counts if n]
    lines += ["", f"{scene}: {len(reached)} of {len(counts)} starts are within {100 * arguments.within:g} % after at most {MOST} iterations" +
              (f"; median {statistics.median(reached):g}, most {max(reached)}." if reached else "."), ""]
    print(lines[-2], flush=True)


def main():
    parser = options(__doc__, quick=False)
    parser.add_argument("--draws", type=int, default=16)
    parser.add_argument("--within", type=float, default=0.01)
    arguments = parse(parser)
    lines = ["### Identification from other starts", "",
             "By `scripts/paper/identify`: every number starts at its true value times a factor drawn from 0.5 to 1.5, draw 0 at the scene's (50 % off). Counted are the iterations of the scene's "
             "optimizer, `gauss_newton`, until all numbers are within 1 %; beside it stand the largest errors of Adam (rate 0.1, betas 0.5 and 0.9) after 60 iterations and of L-BFGS after 15.", ""]
    for scene in TRUTH:
        measure(arguments, scene, lines)
    publish(arguments, "identify", lines)


if __name__ == "__main__":
    main()
