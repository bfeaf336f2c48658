#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Drawn tasks planned in the scene's world and executed in a plant: writes docs/measured/plant.md.

    scripts/paper/plant [--dcsim build/dcsim] [--seed S] [--draws N] [--few N] [--cluttered N] [--limit 60] [--long 300] [--only TEXT] [--trials] [--rows FILE] [--output FILE]

Cases are those of `dcsim bench tasks`.  Push in MuJoCo gets --draws cases, in other plants the first --few of them; gather and sort get --cluttered.
A run ends after --limit seconds, of gather and sort after --long.  Rows are kept in a file as they
come, and runs that are in it are not repeated.  A run counts as reached when the task is, which for push, gather and sort is at rest.
"""
import argparse
import datetime
import json
import os
import resource
import statistics
import subprocess
import tempfile

from measuring import ROOT, append_row, read_rows

MUJOCO = {"contact": {"model": "mujoco"}}


def softer(case, factor):
    return case["contact"]["friction"] * factor


def slippery(case):
    return {"contact": {"model": "mujoco", "friction": softer(case, 0.7)}}


# What stands in the table, of which tasks, with how many draws, the plant of a case, friction in trials over that of the scene where
# the plant's is not known.
PLANTS = [
    ("its own world", ("push",), "draws", lambda case: None, None),
    ("MuJoCo", ("push",), "draws", lambda case: MUJOCO, None),
    ("MuJoCo, friction x 0.7", ("push",), "few", slippery, None),
    ("MuJoCo, friction x 0.7, tried with x 1", ("push",), "few", slippery, (1,)),
    ("MuJoCo, friction x 0.7, tried with x 0.6, 0.85, 1.2", ("push",), "few", slippery, (0.6, 0.85, 1.2)),
    ("mu x 1e-3, h / 4", ("push",), "few",
     lambda case: {"contact": {"stiffness": case["contact"]["stiffness"] * 1e-3}, "time": {"step": case["time"]["step"] / 4}}, None),
    ("ipc", ("push",), "few", lambda case: {"contact": {"model": "ipc"}}, None),
    ("MuJoCo", ("gather", "sort"), "cluttered", lambda case: MUJOCO, None),
]


def write_cases(arguments, task, folder):
    subprocess.run([arguments.dcsim, "bench", "tasks", "--task", task, "--seed", str(arguments.seed), "--draws", str(arguments.draws), "--scenes",
                    os.path.join(ROOT, "scenes"), "--write", folder], check=True, stdout=subprocess.DEVNULL)
    return [os.path.join(folder, f"{task}-{arguments.seed}-{draw:03d}.json") for draw in range(arguments.draws)]


def solve(arguments, path, plant, trials, factors, limit):
    command = [arguments.dcsim, "optimize", path, "-o", "none", "--json", "--quiet", "--threads", "1", "--max-time", str(limit),
               "--set", f"horizon.trials={'true' if trials else 'false'}"]
    if plant:
        command += ["--plant", json.dumps(plant)]
    if factors:
        command += ["--set", f"horizon.trial_friction={json.dumps([factor / 0.7 for factor in factors])}"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command, capture_output=True, text=True)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    result = json.loads(done.stdout) if done.stdout.strip() else {}
    return {"reached": bool(result.get("success")), "loss": result.get("loss"), "steps": result.get("steps"), "seconds": seconds, "status": done.returncode}


def median(numbers, form):
    return form % statistics.median(numbers) if numbers else ""


def cell(rows):
    if not rows:
        return ["", "", ""]
    hits = [row for row in rows if row["reached"]]
    return [f"{len(hits)} of {len(rows)}", median([row["steps"] for row in hits], "%.0f"), median([row["seconds"] for row in hits], "%.1f")]


def table(arguments, rows):
    lines = ["### Tasks in another world", "",
             f"By `scripts/paper/plant`, {datetime.date.today()}: cases of `dcsim bench tasks`, planned by the scenes' settings in their own "
             f"worlds and executed in a plant, one thread, at most {arguments.limit:g} s a run (gather and sort: {arguments.long:g} s). *With trials* (`horizon.trials`) plans are tried in the plant, "
             "whatever it is, before they are applied; without, the planner knows of the plant only where bodies are; *tried with x f*: with friction f times the scene's, the plant's is not known. Reached: everything lies within its "
             "tolerance at rest. Steps and seconds of CPU are medians of runs that reached.", "",
             "| task | plant | with trials | steps | CPU s | without | steps | CPU s | seed |", "|" + " --- |" * 9]
    for name, tasks, *_ in PLANTS:
        for task, seed in [(task, seed) for task in tasks for seed in sorted({row["seed"] for row in rows})]:
            cells = [cell([row for row in rows if (row["task"], row["plant"], row["seed"], row["trials"]) == (task, name, seed, trials)]) for trials in (True, False)]
            if any(part[0] for part in cells):
                lines.append("| " + " | ".join([task, name] + cells[0] + cells[1] + [str(seed)]) + " |")
    return "\n".join(lines) + "\n"


def key(row):
    return [row[name] for name in ("seed", "task", "plant", "draw", "trials")]


def run(arguments, rows, folder):
    known = {json.dumps(key(row)) for row in rows}
    for name, tasks, count, overlay, factors in PLANTS:
        for task in tasks:
            if arguments.only and arguments.only not in f"{task} {name}":
                continue
            for draw, path in enumerate(write_cases(arguments, task, folder)[:getattr(arguments, count)]):
                with open(path, encoding="utf-8") as file:
                    plant = overlay(json.load(file))
                for trials in (False,) if not plant else (True,) if factors or arguments.trials else (True, False):
                    row = {"seed": arguments.seed, "task": task, "plant": name, "draw": draw, "trials": trials}
                    if json.dumps(key(row)) in known:
                        continue
                    row.update(solve(arguments, path, plant, trials, factors, arguments.limit if task == "push" else arguments.long))
                    print(json.dumps(row), flush=True)
                    rows.append(row)
                    if arguments.rows:
                        append_row(arguments.rows, row)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dcsim", default=os.path.join(ROOT, "build", "dcsim"))
    parser.add_argument("--seed", type=int, default=9107)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--few", type=int, default=4)
    parser.add_argument("--cluttered", type=int, default=2)
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--long", type=float, default=300)
    parser.add_argument("--only", help="a part of task and plant, as they stand in the table")
    parser.add_argument("--trials", action="store_true", help="plants only with trials")
    parser.add_argument("--rows")
    parser.add_argument("--output", default=os.path.join(ROOT, "docs", "measured", "plant.md"))
    arguments = parser.parse_args()
    rows = read_rows(arguments.rows)
    with tempfile.TemporaryDirectory() as folder:
        run(arguments, rows, folder)
    with open(arguments.output, "w", encoding="utf-8") as file:
        file.write(table(arguments, rows))


if __name__ == "__main__":
    main()
