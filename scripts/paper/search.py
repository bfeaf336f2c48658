#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often searches reach: random shots of billiards, ant_push with drawn targets, and shots followed to hard contact.

    scripts/paper/search [--dcsim build/dcsim] [--only CASE] [--seeds A-B] [--limit SECONDS] [--output DIR] [--publish]

Every case is run with every seed, on one thread. Runs are kept in DIR/search.jsonl (default: runs/paper) and not made again; remove the file when the program has changed. A run counts as reached when its processor time was
within the limit (default 120 s: a minute of two cores). --publish writes docs/measured/search.md from all runs in the file; rows of cases that have none there stay as the page has them.
"""
import datetime
import os
import random
import statistics

from measuring import append_row, notes, optimize, options, parse, part_of_page, processor, read_rows, scene_path, seeds, show


def shot(seed):
    return ["billiards_random", "--seed", str(seed), "--set", "portfolio.rollouts=3000"]


def hard_shot(seed):
    return shot(seed) + ["--set", "contact.stiffness=1e-9", "--set", "time.step=0.02", "--set", "time.steps=200",
                         "--set", "continuation.stiffness=1000", "--set", "continuation.stages=6", "--set", "continuation.step=2"]


def ant(seed):
    """A target 0.3 to 0.6 m ahead and up to 0.25 m aside, a box of 0.3 to 1 kg, another first guess."""
    draw = random.Random(seed)
    target = [1.1 + draw.uniform(0.3, 0.6), draw.uniform(-0.25, 0.25), 0.203]
    return ["ant_push", "--set", f"objective[0].target={target}", "--set", f"bodies.box.mass={draw.uniform(0.3, 1)}",
            "--set", f"control[0].seed={seed}", "--set", "portfolio.rollouts=300"]


# Title: arguments of a seed, what it is.
CASES = {
    "shots": (shot, "random shots (`billiards_random`)"),
    "hard": (hard_shot, "the same drawn at a thousandth of the stiffness and half the time step, by a continuation of six stages from the scene's own"),
    "ant": (ant, "`ant_push` with drawn targets, masses and first guesses"),
}


def run(dcsim, case, seed):
    scene, *arguments = CASES[case][0](seed)
    result, seconds = optimize(dcsim, scene_path(scene), *arguments)
    return {"case": case, "seed": seed, "reached": result["success"], "loss": result["loss"], "turns": result["iterations"], "end": result["end"], "stages": result["stages"],
            "rollouts": result["gradient"]["rollouts"], "seconds": seconds}


def text(runs, limit):
    lines = ["### Searches", "",
             f"By `scripts/paper/search`, rows of several days, the last {datetime.date.today()}; {processor()}, one thread a run, processor seconds. Reached: within {limit:g} s. Numbers where reached: median (least ... most). Rollouts: all, but without adjoints and Jacobians.", "",
             "| case | reached | turns | rollouts | s | seeds not reached (lowest loss) |", "| --- | --- | --- | --- | --- | --- |"]
    for case, (_, title) in CASES.items():
        mine = sorted((r for r in runs if r["case"] == case), key=lambda r: r["seed"])
        good = [r for r in mine if r["reached"] and r["seconds"] <= limit]
        if not mine:
            lines += [line for line in part_of_page("search", "| case ") if line.startswith(f"| {title}, ")]
            continue

        def spread(key, digits):
            numbers = [r[key] for r in good]
            return f"{statistics.median(numbers):.{digits}f} ({min(numbers):.{digits}f} ... {max(numbers):.{digits}f})" if numbers else "-"

        bad = ", ".join(f"{r['seed']} ({'late' if r['reached'] else format(r['loss'], '.3g')})" for r in mine if r not in good)
        lines.append(f"| {title}, seeds {', '.join(str(r['seed']) for r in mine)} | {len(good)} of {len(mine)} | {spread('turns', 0)} | {spread('rollouts', 0)} | {spread('seconds', 1)} | {bad or '-'} |")
    return lines + notes("search")


def main():
    parser = options(__doc__, quick=False)
    parser.add_argument("--only", choices=CASES)
    parser.add_argument("--seeds", type=seeds, default="11-24")
    parser.add_argument("--limit", type=float, default=120)
    arguments = parse(parser)
    path = os.path.join(arguments.output, "search.jsonl")
    runs = read_rows(path)
    done = {(r["case"], r["seed"]) for r in runs}
    for case in [arguments.only] if arguments.only else [] if arguments.publish else CASES:
        for seed in arguments.seeds:
            if (case, seed) in done:
                continue
            runs.append(run(arguments.dcsim, case, seed))
            append_row(path, runs[-1])
    show(arguments, "search", text(runs, arguments.limit))


if __name__ == "__main__":
    main()
