#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often optimizers reach: ant_push from drawn first guesses, and random shots of billiards.

    scripts/paper/optimizers [--dcsim build/dcsim] [--only WORD,...] [--guesses A-B] [--shots A-B] [--jobs N] [--output DIR] [--publish]

Every case is run with every seed, on one thread. Runs through contact are chaotic: one run says little, a rate says something. Runs are kept in DIR/optimizers.jsonl (default: runs/paper) and not made again, so that
it can be interrupted; remove the file when the program has changed. Tables count a run as reached when it was within the cap of roll-outs. --publish writes docs/measured/optimizers.md from all runs in the file; the table of a task that has none there stays as the page has it.
"""
import concurrent.futures
import datetime
import json
import os
import statistics

from measuring import append_row, notes, optimize, options, parse, part_of_page, processor, read_rows, scene_path, seeds, settings, show

CAP = 120  # roll-outs of a shot
WALK = {"type": "adam", "learning_rate": 0.03, "betas": [0.3, 0.5]}  # of the scenes
FAN = {"type": "gauss_newton", "iterations": 30}  # a fan rolls out at most five times an iteration, mostly four
ANT = {"type": "gauss_newton", "radius": 0.5, "radii": [4, 1, 0.25, 0.06], "iterations": 15}

# Title: optimizer, further settings.
GUESSES = {
    "gauss_newton": (ANT, {}),
    "gauss_newton, centre": ({**ANT, "model": "centre"}, {}),
    "adam (the paper's)": ({**WALK, "shared": True, "iterations": 100}, {}),
}
SHOTS = {
    "adam (the scene's)": ({**WALK, "iterations": CAP - 1}, {}),
    "adam, polish 10": ({**WALK, "iterations": 80, "polish": 10}, {}),  # which costs up to eight roll-outs every ten
    "gauss_newton": (FAN, {}),
    "gauss_newton, centre": ({**FAN, "model": "centre"}, {}),
    "gauss_newton, stiffness x 3, then x 1": ({**FAN, "iterations": 20}, {"continuation": {"stiffness": 3, "iterations": 15}}),
    "lbfgs": ({"type": "lbfgs", "first_step": 0.3, "iterations": CAP - 1}, {}),
    "nlopt LN_SBPLX": ({"type": "nlopt", "method": "LN_SBPLX", "initial_step": 0.3, "iterations": CAP - 1}, {}),
    "nlopt LD_LBFGS": ({"type": "nlopt", "method": "LD_LBFGS", "initial_step": 0.3, "iterations": CAP - 1}, {}),
}


def run(dcsim, task, title, seed):
    """What a run came to, and the processor time that it took."""
    optimizer, others = (GUESSES if task == "ant_push" else SHOTS)[title]
    words = settings("portfolio=null", *(f"{path}={json.dumps(value)}" for path, value in {"optimizer": optimizer, **others}.items()))
    words += settings(f"control[0].seed={seed}") if task == "ant_push" else ["--seed", str(seed)]
    result, seconds = optimize(dcsim, scene_path(task), *words)
    return {"task": task, "case": title, "settings": [optimizer, others], "seed": seed, "reached": result["success"], "first_loss": result["initial_loss"], "loss": result["loss"],
            "iterations": result["iterations"], "rollouts": result["gradient"]["rollouts"], "seconds": seconds}


def kept(path):
    """Runs of earlier calls, but for those of cases whose settings are others now."""
    return [r for r in read_rows(path) if r["settings"] == [*(GUESSES if r["task"] == "ant_push" else SHOTS).get(r["case"], ())]]


def table(runs, cases, cap):
    lines = ["| optimizer | reached | iterations where reached | roll-outs where reached | median lowest loss where not | median processor s of a run | seeds not reached |", "| --- | --- | --- | --- | --- | --- | --- |"]
    for title in cases:
        mine = sorted((r for r in runs if r["case"] == title), key=lambda r: r["seed"])
        good = [r for r in mine if r["reached"] and r["rollouts"] <= cap]
        bad = [r for r in mine if r not in good]
        if not mine:
            continue

        def spread(key):
            numbers = [r[key] for r in good]
            return f"{statistics.median(numbers):g} ({min(numbers)} ... {max(numbers)})" if numbers else "-"

        late = " ".join(f"{r['seed']} (after {r['rollouts']})" if r["reached"] else str(r["seed"]) for r in bad)
        still = [r["loss"] for r in bad if not r["reached"]]
        lines.append(f"| {title} | {len(good)} of {len(mine)} | {spread('iterations')} | {spread('rollouts')} | {f'{statistics.median(still):.3g}' if still else '-'} | "
                     f"{statistics.median(r['seconds'] for r in mine):.1f} | {late or '-'} |")
    return lines


def text(runs):
    ants, shots = ([r for r in runs if r["task"] == task] for task in ("ant_push", "billiards_random"))
    lines = ["### Optimizers", "",
             f"By `scripts/paper/optimizers`, tables of several days, the last {datetime.date.today()}; {processor()}, one thread a run. Numbers where reached: median (least ... most); a seed with a number was reached after so many roll-outs, too many. Roll-outs: all that were made, those with an adjoint and those that Jacobians begin with "
             "included, but not adjoints and Jacobians themselves, which are in the processor time."]
    if ants:
        first = {r["seed"]: r["first_loss"] for r in ants}
        eight = [r for r in ants if r["case"] == "gauss_newton" and r["seed"] <= 8]
        lines += ["", f"`ant_push` from drawn first guesses (`control[0].seed`: {len(set(first.values()))} different first losses of {len(first)}, {min(first.values()):.9g} ... {max(first.values()):.9g}); `gauss_newton`: radius {ANT['radius']}, radii "
                  f"{', '.join(str(r) for r in ANT['radii'])}, at most {ANT['iterations']} iterations, model edge if nothing else is said, of seeds 1 to 8 {sum(r['reached'] for r in eight)} of {len(eight)}; `adam`: at most 100 iterations.", ""] + table(ants, GUESSES, float("inf"))
    else:
        lines += ["", *part_of_page("optimizers", "`ant_push` from")]
    if shots:
        lines += ["", f"Random shots (`scenes/billiards_random.json`, `--seed`), at most {CAP} roll-outs, of `gauss_newton` at most {FAN['iterations']} iterations (15 and 20 with continuation); first steps of lbfgs and nlopt 0.3; "
                  "what is not named has its default.", ""] + table(shots, SHOTS, CAP)
    else:
        lines += ["", *part_of_page("optimizers", "Random shots")]
    return lines + notes("optimizers")


def main():
    parser = options(__doc__, quick=False)
    parser.add_argument("--only", help="cases whose task and title hold one of these words, separated by commas")
    parser.add_argument("--guesses", type=seeds, default="1-20", help="seeds of ant_push")
    parser.add_argument("--shots", type=seeds, default="1-30", help="seeds of shots")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time")
    arguments = parse(parser)
    path = os.path.join(arguments.output, "optimizers.jsonl")
    runs = kept(path)
    done = {(r["task"], r["case"], r["seed"]) for r in runs}
    wanted = [("ant_push", title, seed) for title in GUESSES for seed in arguments.guesses] + [("billiards_random", title, seed) for title in SHOTS for seed in arguments.shots]
    if arguments.only is not None:
        wanted = [w for w in wanted if any(word and word in f"{w[0]} {w[1]}" for word in arguments.only.split(","))]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        waiting = [pool.submit(run, arguments.dcsim, *w) for w in wanted if w not in done]
        for finished in concurrent.futures.as_completed(waiting):
            runs.append(finished.result())
            append_row(path, runs[-1])
    show(arguments, "optimizers", text(runs))


if __name__ == "__main__":
    main()
