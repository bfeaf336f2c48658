#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A search without gradients for the gait of the spider, on its first and on its optimized design (in place of paper 003, Figure 23).

    scripts/paper/codesign-search [--quick] [--design N] [--seeds N ...] [--dcsim FILE] [--output DIR] [--publish]

The paper trains a biped and a single jaw in MuJoCo by reinforcement learning, with the first design and with the optimized one.
This is another claim: the cross-entropy method seeks the gait of the spider of scenes/codesign_spider.json in MuJoCo.  The design
comes from scenes/codesign_spider.json itself, optimized under sdrs from the random gait of --design (default: 2).  Each of --seeds
(default: 11 to 15) draws a random gait to begin with and the samples; both designs get the same iterations of as many roll-outs, of
the same settings of MuJoCo, which were chosen on seed 1.  Prints Markdown, which DIR/codesign_search.md (default: runs/paper) holds,
too; --publish: and docs/measured/codesign_search.md.  Verdict: the optimized design climbs farther for at least 4 of 5 seeds.
--quick: one seed, few iterations of few steps, no verdict.
"""
import json
import os

from codesign_walkers import climbed, run, settings
from measuring import options, parse, scene_path, show

SEARCH = {"type": "cem", "samples": 24, "elites": 6, "spread": 0.1, "iterations": 15}
MUJOCO = ("mujoco.cone=elliptic", "mujoco.impratio=100", "mujoco.solref=[0.004, 1]")
NEEDED = 4  # of 5 seeds
DESIGNS = ("first", "optimized")


def search(arguments, seed, name, scene):
    """What the samples of a seed find for a scene without a design."""
    words = settings("design=[]", "optimizer=" + json.dumps({**SEARCH, "seed": seed}), *MUJOCO)
    return run(arguments, seed, "optimize", name, "--model", "mujoco", "--gradient", "fd", *words, scene=scene)


def main():
    parser = options(__doc__)
    parser.add_argument("--design", type=int, default=2, help="the random gait from which the design was optimized")
    parser.add_argument("--seeds", type=int, nargs="+", default=[11, 12, 13, 14, 15])
    arguments = parse(parser)
    arguments.task = "spider"
    run(arguments, arguments.design, "optimize", "codesign_search_design")
    designed = os.path.join(arguments.output, f"codesign_search_design_{arguments.design}", "design", "scene.json")
    scenes = {"first": scene_path("codesign_spider"), "optimized": designed}
    lines = ["### A search without gradients on both designs (in place of paper 003, Figure 23)", "",
             "By `scripts/paper/codesign-search`, `scenes/codesign_spider.json`. The paper trains a biped and a single jaw by reinforcement learning"
             " (soft actor-critic). This is another claim: the cross-entropy method seeks the gait of the spider in MuJoCo, for the scene's feet and"
             f" for feet that were optimized under `sdrs` with another gait (random gait {arguments.design} at the start). Both have the same random"
             f" gait at the start and {SEARCH['iterations']} iterations of {SEARCH['samples']} samples. MuJoCo: elliptic cones, `impratio` 100,"
             " `solref` 0.004, 1. Climbed in 3 s, m:", "",
             "| seed | first design, at the start | its search | optimized design, at the start | its search |", "|---|---|---|---|---|"]
    better, seeds = 0, arguments.seeds[:1] if arguments.quick else arguments.seeds
    for seed in seeds:
        row = [str(seed)]
        found = {}
        for design in DESIGNS:
            begun = run(arguments, seed, "simulate", "codesign_search_start", "--model", "mujoco", *settings("design=[]", *MUJOCO), scene=scenes[design])
            found[design] = climbed(search(arguments, seed, f"codesign_search_{design}", scenes[design]))
            row += [f"{climbed(begun):.2f}", f"{found[design]:.2f}"]
        better += found["optimized"] > found["first"]
        lines.append("| " + " | ".join(row) + " |")
    if not arguments.quick:
        verdict = "met" if better >= NEEDED / 5 * len(seeds) else "not met"
        lines += ["", f"Verdict: {verdict} (the optimized design climbs farther for {better} of {len(seeds)} seeds; {NEEDED} of 5 are asked for)."]
    show(arguments, "codesign_search", lines)


if __name__ == "__main__":
    main()
