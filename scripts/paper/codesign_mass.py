#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far the spider's way depends on where its feet's mass sits (after paper 003, Figure 21).

    scripts/paper/codesign-mass [--quick] [--seeds N ...] [--dcsim FILE] [--output DIR] [--publish]

A gait is optimized for feet that are solid hulls and replayed with the same mass at their vertices, for several random gaits at
the start.  Prints Markdown, which DIR/codesign_mass.md (default: runs/paper) holds, too; --publish: and
docs/measured/codesign_mass.md.  Verdict: ways within 3 % of each other.  --quick: one gait, two iterations of 60 steps, no verdict.
"""
import os

from codesign_resolution import ALLOWED, COUNTS, PARTS, feet_of_one_mass, run
from codesign_walkers import climbed, spider
from measuring import options, parse, show


def main():
    parser = options(__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[2, 3, 4])
    arguments = parse(parser)
    lines = ["### Mass of a foot (after paper 003, Figure 21)", "",
             "By `scripts/paper/codesign-mass`: what the spider climbs in 3 s, m, with feet of one mass.", "",
             "| random gait at the start | solid hulls, for which the gait was optimized | mass at the vertices | apart |", "|---|---|---|---|"]
    worst = 0
    for seed in arguments.seeds[:1] if arguments.quick else arguments.seeds:
        solid, lumped = (feet_of_one_mass(spider(COUNTS[0] // PARTS), model) for model in ("hull", "lumped"))
        name = f"codesign_mass_{seed}"
        first = climbed(run(arguments, "optimize", name, solid, seed))
        gait = ["--control", os.path.join(arguments.output, name)]
        other = climbed(run(arguments, "simulate", name + "_replay", lumped, seed, *gait))
        apart = abs(other - first) / abs(first)
        worst = max(worst, apart)
        lines.append(f"| {seed} | {first:.3f} | {other:.3f} | {100 * apart:.2f} % |")
    lines += ["", "Paper: 5.063 and 5.053 m, 0.19 %; biped 7.666 and 7.762 m, 1.23 %."]
    if not arguments.quick:
        lines += ["", f"Verdict: {'met' if worst <= ALLOWED else 'not met'} (at most {100 * ALLOWED:.0f} % apart)."]
    show(arguments, "codesign_mass", lines)


if __name__ == "__main__":
    main()
