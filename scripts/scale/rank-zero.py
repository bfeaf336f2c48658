#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the process of a sweep, or rank 0 of MPI, costs itself: processor time for a point, and memory as points are done.

    scripts/scale/rank-zero.py [--points N] [--jobs N] [--ranks N] [--dcsim build/dcsim] [--publish]

The points are as trivial as runs can be: a ball that falls for three steps, nothing kept.  Times are those that the system has counted for the process
and its threads, without the runs, which are processes of their own; they hardly depend on what else the machine does.  --ranks: start that
many with mpirun, and look at rank 0.  --publish writes docs/measured/sweep.md.
"""
import argparse
import datetime
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from measure import MEASURED, ROOT, processor  # noqa: E402

SCENE = {
    "name": "ball", "time": {"step": 0.02, "steps": 3}, "shapes": {"ball": {"type": "sphere", "radius": 0.1}},
    "bodies": [{"name": "ball", "shape": "ball", "mass": 0.1, "position": [0, 0, 1]}],
    "control": [{"type": "initial_state", "body": "ball", "velocity": "xy"}],
    "objective": [{"type": "reach", "body": "ball", "target": [1, 0, 1]}],
}
TICK = os.sysconf("SC_CLK_TCK")


def study(points):
    return {"scene": "ball.json", "run": "simulate", "keep": "results", "vary": {"bodies.ball.position[2]": {"uniform": [0.5, 1.5]}, "seed": {"count": points}}}


def look(pid):
    """(processor seconds, resident kB) of a process and its threads, without its children."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        resident = next((int(line.split()[1]) for line in file if line.startswith("VmRSS")), 0)
    return (int(fields[11]) + int(fields[12])) / TICK, resident


def rank_zero(launcher):
    """The process id of rank 0 below mpirun, once it is there."""
    while True:
        with open(f"/proc/{launcher}/task/{launcher}/children", encoding="ascii") as file:
            children = file.read().split()
        for child in children:
            with open(f"/proc/{child}/environ", "rb") as file:
                if b"OMPI_COMM_WORLD_RANK=0" in file.read().split(b"\0"):
                    return int(child)
        time.sleep(0.02)


def lines_of(path):
    try:
        with open(path, "rb") as file:
            return file.read().count(b"\n") - 1
    except OSError:
        return 0


def watch(pid, process, journal):
    """[(points done, processor seconds, resident kB)] until the process ends."""
    seen = []
    while process.poll() is None:
        try:
            seen.append((max(0, lines_of(journal)), *look(pid)))
        except OSError:
            pass
        time.sleep(0.2)
    return seen


def measure(options, folder):
    for name, content in (("ball.json", SCENE), ("study.json", study(options.points))):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            json.dump(content, file)
    command = [options.dcsim, "sweep", os.path.join(folder, "study.json"), "-o", os.path.join(folder, "run"), "--quiet", "--jobs", str(options.jobs)]
    if options.ranks:
        command = ["mpirun", "-n", str(options.ranks), *command]
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
    try:
        seen = watch(rank_zero(process.pid) if options.ranks else process.pid, process, os.path.join(folder, "run", "journal.jsonl"))
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait()
    rows = lines_of(os.path.join(folder, "run", "sweep.csv"))
    if process.returncode or rows != options.points:
        sys.exit(f"the sweep ended with {process.returncode} and {rows} rows")
    return seen, time.monotonic() - begin


def table(seen, options, seconds):
    marks = sorted({k for k in (100, 1000, 2000, 5000, 10000, 20000, 50000) if k < options.points})
    chosen = [next(entry for entry in seen if entry[0] >= mark) for mark in marks] + [seen[-1]]
    lines = ["| points done | processor time, s | of a point, ms | resident, MB |", "| --- | --- | --- | --- |"]
    lines += [f"| {done} | {spent:.2f} | {1e3 * spent / done:.2f} | {resident / 1024:.1f} |" for done, spent, resident in chosen]
    where = f"rank 0 of {options.ranks}" if options.ranks else f"one process, {options.jobs} runs side by side"
    return [f"#### {where}, {options.points} points in {seconds:.0f} s", "",
            "The last row has the tables at the end in it: sweep.csv, sweep.h5, sweep.html.", ""] + lines + [""]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=10000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--ranks", type=int, default=0)
    parser.add_argument("--dcsim", default=os.path.join(ROOT, "build", "dcsim"))
    parser.add_argument("--publish", action="store_true")
    options = parser.parse_args()
    options.dcsim = os.path.abspath(options.dcsim)
    folder = tempfile.mkdtemp(prefix="dcsim-rank-zero-")
    try:
        load = os.getloadavg()[0]
        seen, seconds = measure(options, folder)
        system = subprocess.run(["stat", "-f", "-c", "%T", folder], capture_output=True, text=True, check=True).stdout.strip()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    lines = ["### What a sweep costs itself", "",
             f"By `scripts/scale/rank-zero.py` on {datetime.date.today()}, {processor()}, load {load:.0f} to {os.getloadavg()[0]:.0f}.  Runs are processes of their own and not counted.",
             f"Run directories on {system}.", ""]
    lines += table(seen, options, seconds)
    print("\n".join(lines))
    if options.publish:
        with open(os.path.join(MEASURED, "sweep.md"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines))


if __name__ == "__main__":
    main()
