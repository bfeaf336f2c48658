#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many drawn shots of billiards a search reaches within a time, and whether those are the same by every width of vectors.

    scripts/paper/shots [--dcsim build/dcsim] [--task TASK ...] [--draws 100] [--seed N] [--limit 30] [--width WIDTH ...] [--publish]

Cases are those of `dcsim bench tasks`: each draw has its own places of sixteen balls, masses and targets, which some shot is
known to reach.  They are drawn once, by the widest vectors, and written as scenes that all widths solve.  Seeds up to 999 are
for tuning; others are used once.  Rows are kept in shots.jsonl in the folder of --output and not made again.  --publish
writes docs/measured/shots.md and shots.tsv.
"""
import csv
import datetime
import json
import os
import resource
import statistics
import subprocess
import tempfile

from measuring import MEASURED, ROOT, append_row, options, parse, processor, read_rows, show
from measure import wilson

WIDTHS = ("avx512", "avx2", "baseline")
TITLES = {"billiards_round": "round balls", "billiards": "balls of 32 triangles"}
CASES, LEAST_RATE, LEAST_BOUND, MOST_MEDIAN = 100, 95, 90, 5  # draws, per cent, per cent, s: asked for
ROLLOUTS = 4000  # more than fit into the limit
COLUMNS = ("task", "vectors", "seed", "draw", "success", "loss", "turns", "rollouts", "seconds")


def draw(arguments, task):
    folder = os.path.join(arguments.output, "shots")
    os.makedirs(folder, exist_ok=True)
    subprocess.run([arguments.dcsim, "bench", "tasks", "--scenes", os.path.join(ROOT, "scenes"), "--task", task, "--draws", str(arguments.draws), "--seed", str(arguments.seed), "--write", folder],
                   stdout=subprocess.DEVNULL, check=True)
    return [os.path.join(folder, f"{task}-{arguments.seed}-{i:03d}.json") for i in range(arguments.draws)]


def solve(arguments, path, width):
    """One search on one thread, ended by the system when its time is over: its row without the case."""
    command = [arguments.dcsim, "optimize", path, "--threads", "1", "-o", "none", "--quiet", "--json", "--set", 'portfolio={"rollouts": %d}' % ROLLOUTS]
    seconds = int(arguments.limit) + 1
    with tempfile.TemporaryFile("w+") as said, subprocess.Popen(command, stdout=said, stderr=subprocess.DEVNULL, env={**os.environ, "DCSIM_VECTOR": width},
                                                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))) as process:
        _, code, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(code)
        said.seek(0)
        output = said.read()
    spent = usage.ru_utime + usage.ru_stime
    if not output.strip():
        return {"success": 0, "loss": None, "turns": None, "rollouts": None, "seconds": round(spent, 2)}
    result = json.loads(output)
    return {"success": int(result["success"] and spent <= arguments.limit), "loss": result["loss"], "turns": result["iterations"], "rollouts": result["gradient"]["rollouts"], "seconds": round(spent, 2)}


def line(title, rows):
    reached = [row for row in rows if row["success"]]
    low, high = wilson(len(reached), len(rows))
    rate, median = 100 * len(reached) / len(rows), statistics.median(row["seconds"] for row in reached)
    verdict = "met" if rate >= LEAST_RATE and low >= LEAST_BOUND and median <= MOST_MEDIAN else "not met"
    return "| " + " | ".join([title, f"{len(reached)} of {len(rows)}", f"{low:.1f} to {high:.1f} %", f"{median:.2f}", f"{max(row['seconds'] for row in reached):.1f}",
                              "%.0f" % statistics.median(row["rollouts"] for row in reached), verdict if len(rows) >= CASES else f"open: {len(rows)} of {CASES} draws were run"]) + " |"


def text(arguments, rows):
    lines = ["### Drawn shots of billiards", "",
             f"By `scripts/paper/shots`, {datetime.date.today()}: draws of seed {arguments.seed}, by which nothing was chosen, solved by `\"portfolio\"` with its defaults, each within {arguments.limit:g} s of processor time of one core of",
             f"{processor()}, beside other work; the start of the program counts. Asked: {LEAST_RATE} % of {CASES} reached, {LEAST_BOUND} % at the lower end of Wilson's interval, median {MOST_MEDIAN} s. Rows are in `shots.tsv`.", "",
             "| balls, vectors | reached | interval at 95 % | median s | most s | rollouts | verdict |", "|---|---|---|---|---|---|---|"]
    for task in TITLES:
        by_width = {width: [row for row in rows if (row["task"], row["vectors"]) == (task, width)] for width in WIDTHS}
        lines += [line(f"{TITLES[task]}, {width}", some) for width, some in by_width.items() if some]
    lines.append("")
    for task in TITLES:
        by_draw = {}
        for row in rows:
            if row["task"] == task:
                by_draw.setdefault(row["draw"], {})[row["vectors"]] = row
        shared = [of for of in by_draw.values() if len(of) == len(WIDTHS)]
        if shared:
            lines.append(f"{TITLES[task].capitalize()}: {len(shared)} draws were given to all {len(WIDTHS)} widths; {sum(all(row['success'] for row in of.values()) for of in shared)} of them are reached by all, "
                         f"{sum(len({(row['turns'], row['rollouts']) for row in of.values()}) == 1 for of in shared)} after the same turns and rollouts.")
    return lines


def main():
    parser = options(__doc__, quick=False)
    parser.add_argument("--task", nargs="+", choices=TITLES, default=["billiards_round"])
    parser.add_argument("--width", nargs="+", choices=WIDTHS, default=list(WIDTHS))
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--limit", type=float, default=30)
    arguments = parse(parser)
    kept = os.path.join(arguments.output, "shots.jsonl")
    rows = [row for row in read_rows(kept) if row["seed"] == arguments.seed]
    done = {(row["task"], row["vectors"], row["draw"]) for row in rows}
    for task in arguments.task:
        for i, path in enumerate(draw(arguments, task)):
            for width in arguments.width:
                if (task, width, i) not in done:
                    rows.append({"task": task, "vectors": width, "seed": arguments.seed, "draw": i, **solve(arguments, path, width)})
                    append_row(kept, rows[-1])
    show(arguments, "shots", text(arguments, rows))
    if arguments.publish:
        with open(os.path.join(MEASURED, "shots.tsv"), "w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, COLUMNS, delimiter="\t", lineterminator="\n")
            table.writeheader()
            table.writerows(rows)


if __name__ == "__main__":
    main()
