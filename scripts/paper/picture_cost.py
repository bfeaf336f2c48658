#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a picture of 1280 x 720 costs, of six shipped scenes, on one thread.

    scripts/paper/picture-cost [--dcsim FILE] [--before FILE] [--rounds 3] [--samples N] [--output DIR]

The scenes are simulated with their first guess; --before names another program that draws the same runs, in turn with the first in every
round.  Processor time of a picture: that of `dcsim render --threads 1` with all pictures, less that with the first and the last one only, over the pictures
between, user and system, with writing the PNG file; the least of the rounds.  Also drawn alone: `dcsim bench pictures`.  Prints Markdown and writes it
to DIR/pictures.md (default: runs/paper).
"""
import argparse
import datetime
import json
import os
import platform
import re
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCENES = ["billiards", "push", "ant_push", "gather", "codesign_hand", "soft_gripper"]
BETWEEN = 4  # pictures beside the first and the last one


def seconds(*command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, OMP_NUM_THREADS="1"))
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, done.stdout


def picture(dcsim, run, frames, samples):
    every = max(1, (frames - 1) // (BETWEEN + 1))
    counts, times = [], []
    for step in (every, frames):
        time, text = seconds(dcsim, "render", run, "--threads", "1", "--quiet", "--json", "--every", str(step), *samples)
        counts.append(json.loads(text)["pictures"])
        times.append(time)
    return (times[0] - times[1]) / (counts[0] - counts[1])


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        found = re.search(r"model name\s*: (.*)", file.read())
    return found.group(1) if found else platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dcsim", default=os.path.join(ROOT, "build", "dcsim"))
    parser.add_argument("--before")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--samples", type=int)
    parser.add_argument("--output", default=os.path.join(ROOT, "runs", "paper"))
    options = parser.parse_args()
    samples = ["--samples", str(options.samples)] if options.samples else []
    programs = [p for p in (options.before, options.dcsim) if p]
    load = os.getloadavg()[0]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for scene in SCENES:
            run = os.path.join(folder, scene)
            seconds(options.dcsim, "simulate", os.path.join(ROOT, "scenes", scene + ".json"), "-o", run, "--quiet", "--no-report")
            with open(os.path.join(run, "resolved.json"), encoding="utf-8") as file:
                frames = json.load(file)["time"]["steps"] + 1
            times = [[picture(p, run, frames, samples) for p in programs] for _ in range(options.rounds)]
            rows.append([scene] + [min(t[k] for t in times) for k in range(len(programs))])
    bench = json.loads(seconds(options.dcsim, "bench", "pictures", "--json")[1])
    lines = [
        "### What a picture costs", "",
        f"By `scripts/paper/picture-cost`, {datetime.date.today()}; {processor()}, {os.cpu_count()} cores, load {load:.1f} at the start and "
        f"{os.getloadavg()[0]:.1f} at the end. 1280 x 720 pixels, {options.samples or 16} samples, one thread; processor seconds of a picture with its PNG file, least of "
        f"{options.rounds} rounds.", "",
        "| scene | " + ("before | now | times faster |" if options.before else "seconds |"),
        "| --- |" + " --- |" * (3 if options.before else 1)]
    for name, *times in rows:
        ratio = [f"{times[0] / times[1]:.1f}"] if options.before else []
        lines.append("| " + " | ".join([name] + [f"{t:.2f}" for t in times] + ratio) + " |")
    lines += ["", f"`dcsim bench pictures` (sixty balls, {bench['samples']} samples, without a file): {bench['processor_seconds']:.2f} s of processor time.", ""]
    text = "\n".join(lines)
    print(text)
    os.makedirs(options.output, exist_ok=True)
    with open(os.path.join(options.output, "pictures.md"), "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
