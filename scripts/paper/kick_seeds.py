#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far gather and sort come with other seeds of the horizon's kicks: where a run needs luck, one run says little.

    scripts/paper/kick_seeds.py [--task gather|sort] [--seeds N ...] [--max-time SECONDS] [--dcsim FILE] [--output DIR]

Prints a Markdown table and writes it to DIR/kick_seeds_TASK.md (default: runs/paper).  12 iterations a window, as in
docs/results.md.  One to ten minutes a row.
"""
import argparse
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", choices=["gather", "sort"], default="sort")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4])
    parser.add_argument("--max-time", type=float, default=900)
    parser.add_argument("--dcsim", default=os.path.join(ROOT, "build", "dcsim"))
    parser.add_argument("--output", default=os.path.join("runs", "paper"))
    arguments = parser.parse_args()
    os.makedirs(arguments.output, exist_ok=True)
    lines = [f"### {arguments.task} with other seeds of its kicks", "",
             "By `scripts/paper/kick_seeds.py`: the scene with 12 iterations a window and `horizon.seed` as given.", "",
             "| seed | last loss | fall | reached | steps applied | ms per step | s |", "| --- | --- | --- | --- | --- | --- | --- |"]
    for seed in arguments.seeds:
        done = subprocess.run([arguments.dcsim, "optimize", os.path.join(ROOT, "scenes", arguments.task + ".json"), "-o",
                               "none", "--json", "--quiet", "--set", "horizon.iterations=12", "--set",
                               f"horizon.seed={seed}", "--max-time", str(arguments.max_time)], capture_output=True,
                              text=True, check=False)
        if done.returncode not in (0, 4):
            sys.exit(done.stderr.strip())
        result = json.loads(done.stdout)
        lines.append(f"| {seed} | {result['loss']:.3g} | {100 * (1 - result['loss'] / result['initial_loss']):.1f} % | "
                     f"{'yes' if result['success'] else 'no'} | {result['steps']} | {1e3 * result['seconds_per_step']:.2f} | "
                     f"{result['seconds']:.0f} |")
        print(lines[-1], flush=True)
        with open(os.path.join(arguments.output, f"kick_seeds_{arguments.task}.md"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
