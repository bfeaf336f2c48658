#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often each contact model reaches the tasks of paper 000 from drawn starts, by the paper's counts (its Table 3).

The paper shows one run per figure (figures 5, 7, 8 and 9).  One run has no interval, so this script draws starts:
  1. `dcsim bench tasks --write` draws starts, targets, masses and friction of each task (bench/task_draws.c says from where);
  2. each model optimizes each case by Adam with the counts of counts.py, from the trivial first guess, no sampling;
  3. a row per task and model counts what reached the task, with Wilson's interval at 95 %, and tells how far the others came.
A run that its limit of processor time ends has not reached the task; such runs are counted, too.  Runs are kept in OUTPUT/cache
and not computed again, so that a killed script goes on where it was.
"""
import argparse
import glob
import math
import os
import shlex
import statistics
import sys
import tempfile
import time

import verdicts
from compare import COMPETITORS, ROOT, Job, Lab
from counts import PAPER
from promises import wilson

sys.path.insert(0, os.path.join(ROOT, "scripts"))
from measure import markdown, processor  # noqa: E402  (a script of the folder above)

TASKS = {"billiards": "Figure 5", "push": "Figure 7", "gather": "Figure 8", "sort": "Figure 8", "ant_push": "Figure 9"}
MODELS = ["bsh", "ipc", "sdrs"]
HEADER = ["figure", "task", "model", "reached", "interval", "iterations, median", "loss fell by, median", "first gradient zero",
          "ended by the limit", "processor s, median"]
PAGE = os.path.join(ROOT, "docs", "measured", "drawn_starts.md")


def drawn(lab, task):
    """Settings of the drawn cases of a task, [[PATH=VALUE]]."""
    with tempfile.TemporaryDirectory() as folder:
        done = lab.call(["bench", "tasks", "--task", task, "--draws", str(lab.options.draws), "--seed", str(lab.options.seed),
                         "--scenes", os.path.join(ROOT, "scenes"), "--write", folder])
        if done.returncode:
            sys.exit(done.stderr.strip())
        cases = []
        for path in sorted(glob.glob(os.path.join(folder, "*.sh"))):
            with open(path, encoding="utf-8") as file:
                words = shlex.split(file.read(), comments=True)
            cases.append([words[i + 1] for i, word in enumerate(words) if word == "--set"])
        return cases


def row(task, model, records):
    """One line of the table of all records of a model on a task."""
    ran = [record for record in records if record["status"] == "ran"]
    if len(ran) < len(records):
        lacking = next(record for record in records if record["status"] != "ran")
        return [TASKS[task], task, model, lacking.get("message") or lacking["status"], *[""] * (len(HEADER) - 4)]
    reached = [record for record in ran if record["success"]]
    low, high = wilson(len(reached), len(ran))
    return [TASKS[task], task, model, f"{len(reached)} of {len(ran)}", f"{math.floor(100 * low)} to {math.ceil(100 * high)} %",
            f"{statistics.median(record['iterations'] for record in reached):g}" if reached else "",
            f"{100 * statistics.median(verdicts.fall(record) for record in ran):.3g} %",
            sum(record.get("first_gradient") == 0 for record in ran), sum(record["out_of_time"] for record in ran),
            f"{statistics.median(record['seconds'] for record in ran):.3g}"]


def page(lab, rows):
    """The lines of docs/measured/drawn_starts.md."""
    options = lab.options
    words = f"scripts/paper/drawn-starts --draws {options.draws} --seed {options.seed} --max-time {options.max_time:g} --tasks {options.tasks}"
    return "\n".join([
        "# Tasks of paper 000 from drawn starts, by the paper's counts\n",
        f"By `{words}`, {time.strftime('%Y-%m-%d', time.gmtime())}; {processor()}, {os.cpu_count()} cores.  "
        "Starts, targets, masses and friction are drawn as by `dcsim bench tasks`; the counts of iterations, windows and applied steps are those "
        "of Table 3 (`scripts/paper/counts.py`), first guesses trivial" +
        (", except that sort looks for a first guess of each window among twelve" if "sort" in options.tasks.split(",") else "") +
        ". Reached is what the task asks at its end; runs that the limit of processor time ended count as not reached. This is the paper's plain "
        "descent: the searches that the scenes have by default reach more ([billiards](shots.md), [tasks](tasks.md)).\n",
        markdown(HEADER, rows)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=20, help="cases of each task; default: 20")
    parser.add_argument("--seed", type=int, default=2026, help="of the cases; default: 2026")
    parser.add_argument("--tasks", default=",".join(TASKS), help="only these, separated by commas")
    parser.add_argument("--models", default=",".join(MODELS), help=f"of {', '.join(COMPETITORS)}; default: {','.join(MODELS)}")
    parser.add_argument("--max-time", type=float, default=600, help="processor seconds of a run; default: 600")
    parser.add_argument("-o", "--output", default=os.path.join("runs", "paper"), help="folder of kept runs")
    parser.add_argument("--dcsim", default=os.path.join(ROOT, "build", "dcsim"))
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    parser.add_argument("--publish", action="store_true", help=f"write {os.path.relpath(PAGE, ROOT)}")
    options = parser.parse_args()
    options.models = options.models.split(",")
    options.output = os.path.abspath(options.output)
    options.quick, options.fresh, options.steps, options.set, options.deadline = False, False, None, [], math.inf
    lab = Lab(options)
    rows = []
    for task in options.tasks.split(","):
        cases = drawn(lab, task)
        for model in options.models:
            jobs = [Job(f"{task} {i}", task, model, settings=(*PAPER.get(task, ()), *case)) for i, case in enumerate(cases)]
            rows.append(row(task, model, lab.run_all(jobs)))
    text = page(lab, rows)
    if options.publish:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(text)
    print(text)


if __name__ == "__main__":
    main()
