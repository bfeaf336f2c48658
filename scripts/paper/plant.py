#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Drawn tasks planned in the scene's world and executed in a plant: writes docs/measured/plant.md.

    scripts/paper/plant [--dcsim build/dcsim] [--seed S] [--draws N] [--few N] [--cluttered N] [--limit 60] [--long 300] [--rows FILE] [--output FILE]

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

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MUJOCO = {"contact": {"model": "mujoco"}}


def softer(case, factor):
    return case["contact"]["friction"] * factor


# What stands in the table, of which tasks, with how many draws, the plant of a case.
PLANTS = [
    ("its own world", ("push",), "draws", lambda case: None),
    ("MuJoCo", ("push",), "draws", lambda case: MUJOCO),
    ("MuJoCo, friction x 0.7", ("push",), "few", lambda case: {"contact": {"model": "mujoco", "friction": softer(case, 0.7)}}),
    ("mu x 1e-3, h / 4", ("push",), "few",
     lambda case: {"contact": {"stiffness": case["contact"]["stiffness"] * 1e-3}, "time": {"step": case["time"]["step"] / 4}}),
    ("ipc", ("push",), "few", lambda case: {"contact": {"model": "ipc"}}),
    ("MuJoCo", ("gather", "sort"), "cluttered", lambda case: MUJOCO),
]


def write_cases(arguments, task, folder):
    subprocess.run([arguments.dcsim, "bench", "tasks", "--task", task, "--seed", str(arguments.seed), "--draws", str(arguments.draws), "--scenes",
                    os.path.join(ROOT, "scenes"), "--write", folder], check=True, stdout=subprocess.DEVNULL)
    return [os.path.join(folder, f"{task}-{arguments.seed}-{draw:03d}.json") for draw in range(arguments.draws)]


def solve(arguments, path, plant, trials, limit):
    command = [arguments.dcsim, "optimize", path, "-o", "none", "--json", "--quiet", "--threads", "1", "--max-time", str(limit),
               "--set", f"horizon.trials={'true' if trials else 'false'}"]
    if plant:
        command += ["--plant", json.dumps(plant)]
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
             f"By `scripts/paper/plant`, {datetime.date.today()}: cases of `dcsim bench tasks` of seed {arguments.seed}, planned by the scenes' settings in their own "
             f"worlds and executed in a plant, one thread, at most {arguments.limit:g} s a run (gather and sort: {arguments.long:g} s). *With trials* (`horizon.trials`) plans are tried in the plant, "
             "whatever it is, before they are applied; without, the planner knows of the plant only where bodies are. Reached: everything lies within its "
             "tolerance at rest. Steps and seconds of CPU are medians of runs that reached.", "",
             "| task | plant | with trials | steps | CPU s | without | steps | CPU s |", "|" + " --- |" * 8]
    for name, tasks, _, _ in PLANTS:
        for task in tasks:
            cells = [cell([row for row in rows if (row["task"], row["plant"], row["trials"]) == (task, name, trials)]) for trials in (True, False)]
            if any(part[0] for part in cells):
                lines.append("| " + " | ".join([task, name] + cells[0] + cells[1]) + " |")
    return "\n".join(lines) + "\n"


def key(row):
    return [row[name] for name in ("seed", "task", "plant", "draw", "trials")]


def run(arguments, rows, folder):
    known = {json.dumps(key(row)) for row in rows}
    for name, tasks, count, overlay in PLANTS:
        for task in tasks:
            for draw, path in enumerate(write_cases(arguments, task, folder)[:getattr(arguments, count)]):
                with open(path, encoding="utf-8") as file:
                    plant = overlay(json.load(file))
                for trials in (True, False) if plant else (False,):
                    row = {"seed": arguments.seed, "task": task, "plant": name, "draw": draw, "trials": trials}
                    if json.dumps(key(row)) in known:
                        continue
                    row.update(solve(arguments, path, plant, trials, arguments.limit if task == "push" else arguments.long))
                    print(json.dumps(row), flush=True)
                    rows.append(row)
                    if arguments.rows:
                        with open(arguments.rows, "a", encoding="utf-8") as file:
                            file.write(json.dumps(row) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dcsim", default=os.path.join(ROOT, "build", "dcsim"))
    parser.add_argument("--seed", type=int, default=9107)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--few", type=int, default=4)
    parser.add_argument("--cluttered", type=int, default=2)
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--long", type=float, default=300)
    parser.add_argument("--rows")
    parser.add_argument("--output", default=os.path.join(ROOT, "docs", "measured", "plant.md"))
    arguments = parser.parse_args()
    rows = []
    if arguments.rows and os.path.exists(arguments.rows):
        with open(arguments.rows, encoding="utf-8") as file:
            rows = [row for row in map(json.loads, file) if row["seed"] == arguments.seed]
    with tempfile.TemporaryDirectory() as folder:
        run(arguments, rows, folder)
    with open(arguments.output, "w", encoding="utf-8") as file:
        file.write(table(arguments, rows))


if __name__ == "__main__":
    main()
