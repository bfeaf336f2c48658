#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Motion and lengths of a chain sought together (after paper 003, Figure 10) against the motion alone.

    scripts/paper/codesign-chain [--quick] [--dcsim FILE] [--output DIR] [--publish]

Optimizes scenes/codesign_chain.json as it is, and without its design for as many evaluations, and prints Markdown, which
DIR/codesign_chain.md (default: runs/paper) holds, too.  Verdict: the last link within 0.25 links (5 cm), and its squared
distance at most 0.05 of what controls alone reach.  --quick: 30 and 4 iterations, no verdict.
"""
import os
import shutil

from measuring import call, options, parse, scene_path, settings, show

LINK = 0.2  # m


def optimize(arguments, name, *changes):
    run = os.path.join(arguments.output, name)
    shutil.rmtree(run, ignore_errors=True)
    return call(arguments, "optimize", scene_path("codesign_chain"), "-o", run, "--json", "--quiet", "--no-report", *settings(*changes))


def main():
    arguments = parse(options(__doc__))
    counts = (30, 4) if arguments.quick else (80, 80)
    both = optimize(arguments, "codesign_chain", f"optimizer.iterations={counts[0]}")
    alone = optimize(arguments, "codesign_chain_controls", f"optimizer.iterations={counts[1]}", "design=[]")
    lines = ["| | iterations | last link from its target | squared, against controls alone |", "|---|---|---|---|"]
    reference = alone["objectives"][0]["distance"] ** 2
    for name, result in (("controls and lengths", both), ("controls alone", alone)):
        distance = result["objectives"][0]["distance"]
        lines.append(f"| {name} | {result['iterations']} | {distance:.3g} m, {distance / LINK:.2g} links |"
                     f" {distance ** 2 / reference:.3g} |")
    replay = call(arguments, "simulate", scene_path("codesign_chain"), "-o", "none", "--json", "--quiet", "--model", "mujoco",
                  "--control", os.path.join(arguments.output, "codesign_chain"))["objectives"][0]["distance"]
    lines.append(f"| controls and lengths, in MuJoCo | | {replay:.3g} m, {replay / LINK:.2g} links | {replay ** 2 / reference:.3g} |")
    lines += ["", "Lengths: " + ", ".join(f"{v['value']:.2f}" for v in both["design"])]
    distance = both["objectives"][0]["distance"]
    met = distance <= 0.25 * LINK and distance ** 2 <= 0.05 * reference
    if not arguments.quick:
        lines.append(f"Verdict: {'met' if met else 'not met'} (at most 0.25 links and 0.05).")
    show(arguments, "codesign_chain", lines)


if __name__ == "__main__":
    main()
