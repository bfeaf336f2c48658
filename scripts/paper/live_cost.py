#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the live view takes from an optimization of 1,000 iterations: processor time and memory.

    scripts/paper/live-cost [--iterations 1000] [--rounds 5] [--quick] [--dcsim FILE] [--output DIR] [--publish]

Two balls (scenes/two_balls.json) with a tolerance of 0, Adam, one thread, some 10 ms an iteration: without the view, with it and nobody who looks, and with a page that asks as the
browser's does: the state twice a second, and every new best trajectory.  They take turns; processor times (user and system, of the program
alone) are compared round by round.  Memory: what the program holds (VmRSS) after a tenth of the iterations and shortly before the end.
Prints Markdown and writes it to DIR/live.md (default: runs/paper).
"""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from measuring import options, parse, processor, scene_path, settings, show

PAUSE = 0.5  # s
MOST_SLOWER, MOST_GROWN = 0.02, 0.05
WAYS = {"without": "without the view", "idle": "with it, nobody looks", "page": "with a page"}


def resident(process):
    """Memory that a process holds, kB; None when it has ended."""
    try:
        with open(f"/proc/{process}/status", encoding="ascii") as file:
            found = re.search(r"VmRSS:\s*(\d+) kB", file.read())
    except OSError:
        return None
    return int(found.group(1)) if found else None


class Page:
    """What the browser's page asks for."""

    def __init__(self, address):
        self.address, self.rows, self.generation, self.shown = address, 0, -1, 0
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def get(self, name):
        with self.opener.open(self.address + name, timeout=20) as answer:
            return json.load(answer)

    def ask(self):
        """One question; the iteration that the run has come to."""
        state = self.get(f"state?a={self.rows}&b={self.generation}")
        self.rows, self.generation = min(self.rows, state["from"]) + len(state["rows"]), state["generation"]
        if state["trajectory"] != self.shown:
            self.shown = state["trajectory"]
            self.get("trajectory")
        return state["iteration"]


def rows_of(path):
    """Iterations that a run has written down."""
    try:
        with open(path, encoding="ascii") as file:
            return sum(1 for _ in file) - 1
    except OSError:
        return 0


class Run:
    """An optimization, looked at twice a second until it ends: processor seconds, kB held early and late, answers to a page."""

    def __init__(self, arguments, way, folder):
        command = [arguments.dcsim, "optimize", scene_path("two_balls"), "-o", folder, "--threads", "1", "--no-report",
                   *settings(f"optimizer.iterations={arguments.iterations}", "objective.0.tolerance=0")]
        self.memory, self.answers, page = [], 0, None
        with tempfile.TemporaryFile("w+") as told:
            process = subprocess.Popen(command + ([] if way == "without" else ["--view"]), stdout=subprocess.DEVNULL, stderr=told)
            while True:
                time.sleep(PAUSE)
                ended, status, usage = os.wait4(process.pid, os.WNOHANG)
                if ended:
                    break
                if way == "page" and not page:
                    told.seek(0)
                    found = re.search(r"live view: (\S+/)", told.read())
                    page = Page(found.group(1)) if found else None
                elif page:
                    self.look(page)
                if rows_of(os.path.join(folder, "loss.csv")) >= arguments.iterations // 10:
                    self.memory.append(resident(process.pid))
        self.status, self.seconds = os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime
        process.returncode = self.status
        self.iterations = rows_of(os.path.join(folder, "loss.csv"))

    def look(self, page):
        try:
            page.ask()
            self.answers += 1
        except (OSError, urllib.error.URLError):  # it has just ended
            pass

    def grown(self):
        """How much memory has grown, as a part of what was held early."""
        held = [kilobytes for kilobytes in self.memory if kilobytes]
        return held[-1] / held[0] - 1 if len(held) > 1 else float("nan")


def main():
    parser = options(__doc__)
    parser.add_argument("--iterations", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parse(parser)
    if arguments.quick:
        arguments.iterations, arguments.rounds = 60, 1
    load, runs = os.getloadavg()[0], {way: [] for way in WAYS}
    for _ in range(arguments.rounds):
        for way in WAYS:
            with tempfile.TemporaryDirectory() as folder:
                runs[way].append(Run(arguments, way, os.path.join(folder, "run")))
    lines = ["### What the live view costs", "",
             f"By `scripts/paper/live-cost` on {processor()}, load {load:.1f} at the start and {os.getloadavg()[0]:.1f} at the end: two balls, "
             f"{arguments.iterations} iterations asked for, one thread, {arguments.rounds} rounds; processor time of the program, median, and of its ratio to that "
             "without the view in the same round. Bars: 2 % slower, memory flat (5 %).", "",
             "| | iterations | s | slower | memory early, MB | grown | answers | verdict |", "|---|---|---|---|---|---|---|---|"]
    for way, name in WAYS.items():
        seconds = statistics.median(run.seconds for run in runs[way])
        slower = statistics.median(run.seconds / other.seconds - 1 for run, other in zip(runs[way], runs["without"]))
        grown = max(run.grown() for run in runs[way])
        early = max(run.memory[0] for run in runs[way] if run.memory) / 1024
        holds = slower <= MOST_SLOWER and grown <= MOST_GROWN
        lines.append(f"| {name} | {runs[way][0].iterations} | {seconds:.2f} | {100 * slower:.1f} % | {early:.1f} | {100 * grown:.1f} % | "
                     f"{sum(run.answers for run in runs[way])} | {'' if way == 'without' else 'holds' if holds else '**does not hold**'} |")
    if any(run.status not in (0, 1) for way in WAYS for run in runs[way]):
        sys.exit("a run ended with an error")
    show(arguments, "live", lines)


if __name__ == "__main__":
    main()
