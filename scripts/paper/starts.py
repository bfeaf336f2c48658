#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far gather and sort come when their cubes start elsewhere: runs rich in contact are chaotic, one success says little.

    scripts/paper/starts.py [--task gather|sort] [--draws N ...] [--iterations N] [--max-time SECONDS] [--dcsim FILE]
        [--output DIR]

Draw 0 is the scene; in the others every cube starts up to 5 cm off in x and in y, drawn anew until cubes are 13 cm apart.
Prints a Markdown table and writes it to DIR/starts_TASK.md (default: runs/paper).  --iterations: of a window, instead of the
scene's.  A row takes some minutes.
"""
import argparse
import json
import os
import random
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MOST, APART = 0.05, 0.13  # m


def starts(scene, draw):
    """Overrides that move the cubes."""
    cubes = [(i, body["position"]) for i, body in enumerate(scene["bodies"]) if body["name"].startswith("cube")]
    generator = random.Random(draw)
    while draw:
        places = [(x + generator.uniform(-MOST, MOST), y + generator.uniform(-MOST, MOST)) for _, (x, y, _) in cubes]
        if all((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 >= APART**2 for k, p in enumerate(places) for q in places[:k]):
            return [f"bodies[{i}].position=[{x:.3f},{y:.3f},{position[2]}]" for (i, position), (x, y) in zip(cubes, places)]
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", choices=["gather", "sort"], default="sort")
    parser.add_argument("--draws", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--iterations", type=int)
    parser.add_argument("--max-time", type=float, default=900)
    parser.add_argument("--dcsim", default=os.path.join(ROOT, "build", "dcsim"))
    parser.add_argument("--output", default=os.path.join("runs", "paper"))
    arguments = parser.parse_args()
    os.makedirs(arguments.output, exist_ok=True)
    path = os.path.join(ROOT, "scenes", arguments.task + ".json")
    with open(path, encoding="utf-8") as file:
        scene = json.load(file)
    lines = [f"### {arguments.task} from other starts", "",
             "By `scripts/paper/starts.py`: the scene" +
             (f" with {arguments.iterations} iterations a window" if arguments.iterations else "") +
             "; draw 0 is the scene, in the others every cube "
             "starts up to 5 cm off in x and in y.", "",
             "| draw | last loss | fall | reached | steps applied | ms per step | s |", "| --- | --- | --- | --- | --- | --- | --- |"]
    for draw in arguments.draws:
        command = [arguments.dcsim, "optimize", path, "-o", "none", "--json", "--quiet", "--max-time", str(arguments.max_time)]
        if arguments.iterations:
            command += ["--set", f"horizon.iterations={arguments.iterations}"]
        for override in starts(scene, draw):
            command += ["--set", override]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if not done.stdout:
            sys.exit(done.stderr)
        result = json.loads(done.stdout)
        lines.append(f"| {draw} | {result['loss']:.3g} | {100 * (1 - result['loss'] / result['initial_loss']):.1f} % | "
                     f"{'yes' if result['success'] else 'no'} | {result['steps']} | {1e3 * result['seconds_per_step']:.2f} | "
                     f"{result['seconds']:.0f} |")
        print(lines[-1], flush=True)
        with open(os.path.join(arguments.output, f"starts_{arguments.task}.md"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
