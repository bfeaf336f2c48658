#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a picture of 1280 x 720 costs, of six shipped scenes, on one thread.

    scripts/paper/picture-cost [--quick] [--before FILE] [--rounds 3] [--samples N] [--dcsim FILE] [--output DIR] [--publish]

The scenes are simulated with their first guess; --before names another program that draws the same runs, in turn with the first in every
round.  Processor time of a picture: that of `dcsim render --threads 1` with all pictures, less that with the first and the last one only, over the pictures
between, user and system, with writing the PNG file; the least of the rounds.  Also drawn alone: `dcsim bench pictures`.  Prints Markdown and writes it
to DIR/pictures.md (default: runs/paper).
"""
import datetime
import json
import os
import resource
import subprocess
import sys
import tempfile

from measuring import options, parse, processor, scene_path, show

SCENES = ["billiards", "push", "ant_push", "gather", "codesign_hand", "soft_gripper"]
BETWEEN = 4  # pictures beside the first and the last one
MOST = 0.3  # s


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


def main():
    parser = options(__doc__)
    parser.add_argument("--before")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--samples", type=int)
    arguments = parse(parser)
    rounds, scenes = (1, SCENES[:2]) if arguments.quick else (arguments.rounds, SCENES)
    samples = ["--samples", str(arguments.samples)] if arguments.samples else []
    programs = [p for p in (arguments.before, arguments.dcsim) if p]
    load = os.getloadavg()[0]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for scene in scenes:
            run = os.path.join(folder, scene)
            seconds(arguments.dcsim, "simulate", scene_path(scene), "-o", run, "--quiet", "--no-report")
            with open(os.path.join(run, "resolved.json"), encoding="utf-8") as file:
                frames = json.load(file)["time"]["steps"] + 1
            times = [[picture(p, run, frames, samples) for p in programs] for _ in range(rounds)]
            rows.append([scene] + [min(t[k] for t in times) for k in range(len(programs))])
    bench = json.loads(seconds(arguments.dcsim, "bench", "pictures", "--json")[1])
    lines = [
        "### What a picture costs", "",
        f"By `scripts/paper/picture-cost`, {datetime.date.today()}; {processor()}, {os.cpu_count()} cores, load {load:.1f} at the start and "
        f"{os.getloadavg()[0]:.1f} at the end. 1280 x 720 pixels, {arguments.samples or 16} samples, one thread; processor seconds of a picture with its PNG file, least of "
        f"{rounds} rounds. Bar: {MOST} s.", "",
        "| scene | " + ("before | now | times faster | verdict |" if arguments.before else "seconds | verdict |"),
        "| --- |" + " --- |" * (4 if arguments.before else 2)]
    for name, *times in rows:
        ratio = [f"{times[0] / times[1]:.1f}"] if arguments.before else []
        lines.append("| " + " | ".join([name] + [f"{t:.2f}" for t in times] + ratio + ["holds" if times[-1] <= MOST else "**does not hold**"]) + " |")
    lines += ["", f"`dcsim bench pictures` (sixty balls, {bench['samples']} samples, without a file): {bench['processor_seconds']:.2f} s of processor time."]
    show(arguments, "pictures", lines)


if __name__ == "__main__":
    main()
