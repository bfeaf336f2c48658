#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far the push task comes for other contact stiffnesses: contact-rich runs are chaotic, one success says little.

    scripts/paper/push_variants.py [--dcsim FILE] [--output DIR]

Prints a Markdown table and writes it to DIR/push_variants.md (default: runs/paper/push_variants).  About a minute a row.
"""
import argparse
import json
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STIFFNESSES = [1e-4, 1.5e-4, 2e-4, 2.5e-4, 3e-4, 4e-4]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dcsim", default=os.path.join(ROOT, "build", "dcsim"))
    parser.add_argument("--output", default=os.path.join("runs", "paper", "push_variants"))
    arguments = parser.parse_args()
    os.makedirs(arguments.output, exist_ok=True)
    lines = ["### Push with other stiffnesses", "",
             "By `scripts/paper/push_variants.py`: the scene as it is but for `contact.stiffness`.", "",
             "| stiffness, J | last loss | fall | reached | steps applied | ms per step |", "| --- | --- | --- | --- | --- | --- |"]
    for stiffness in STIFFNESSES:
        done = subprocess.run([arguments.dcsim, "optimize", os.path.join(ROOT, "scenes", "push.json"), "-o", "none", "--json",
                               "--quiet", "--set", f"contact.stiffness={stiffness}"], capture_output=True, text=True,
                              check=False)
        result = json.loads(done.stdout)
        lines.append(f"| {stiffness:g} | {result['loss']:.3g} | {100 * (1 - result['loss'] / result['initial_loss']):.1f} % | "
                     f"{'yes' if result['success'] else 'no'} | {result['steps']} | {1e3 * result['seconds_per_step']:.2f} |")
        print(lines[-1], flush=True)
    with open(os.path.join(arguments.output, "push_variants.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
