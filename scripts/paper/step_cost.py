#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a step with its adjoint costs: shipped scenes as they are and with leaves, and scenes of robots.

    scripts/paper/step-cost [--robots FOLDER] [--only NAME ...] [--before FILE] [--instructions] [--publish]

Each scene rolls out its first guess, forward and backward, again and again (Adam at a rate of 1e-6, no windows, no
portfolio).  A step costs the processor time of more iterations less that of few, one thread, median of several runs
taken in turns.  --before names the program of another build.  --instructions counts instructions, too, by valgrind,
which has no registers of 512 bits and counts the bytes that one instruction clears.  MuJoCo's step of the same scene, forward
alone, is timed in turns with ours where the program was built with it: a step of the scene is SUBSTEPS of MuJoCo's.  FOLDER has the scenes of hands and
arms (ROBOTS below) and their files.
"""
import json
import os
import re
import statistics
import subprocess

from measuring import Failed, answer, options, parse, processor, scene_path, show, write_json

HEIGHT = 0.10422  # m, of a ball of 0.1 m on its barrier
ROBOTS = {"Allegro hand and ball": ("r14_allegro.json", 0.5), "Jaco and box": ("solved/solved_jaco_box_flip.json", 0.2),
          "two Jacos and box": ("solved/solved_dual_jaco.json", 0.5)}
SHIPPED = {"push": 0.05, "ant_push": 0.1, "billiards": 0.1}  # ms asked for
TRIES, LEAST, MOST = 3, 1.2, 16000  # LEAST: s that the shorter of two runs takes, longer than those whose advice is tried (DC_TRIED_SECONDS)


SUBSTEPS = 8  # what the scenes have by default


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.loads(re.sub(r"//[^\n\"]*$", "", file.read(), flags=re.M))


def with_leaves(scene):
    for shape in scene["shapes"].values():
        shape.pop("surface", None)
    if scene["name"] == "billiards":
        for place in [body["position"] for body in scene["bodies"] if "position" in body]:
            place[2] = HEIGHT
    return scene


def scenes(arguments):
    """Name, path, options and the milliseconds asked for."""
    for name, asked in SHIPPED.items():
        yield name, scene_path(name), [], asked
        path = os.path.join(arguments.output, name + "_leaves.json")
        yield name + ", leaves", write_json(path, with_leaves(read(scene_path(name)))), [], asked
    for name, (file, asked) in ROBOTS.items() if arguments.robots else []:
        yield name, os.path.join(arguments.robots, file), ["--allow-path", arguments.robots], asked


def command(program, path, words):
    """The command of so many iterations."""
    return lambda n: [program, "optimize", path, "-o", "none", "--quiet", "--json", "--threads", "1", *words, "--set", "portfolio=null", "--set", "horizon=null",
                      "--set", 'optimizer={"type": "adam", "learning_rate": 1e-6, "iterations": %d}' % n]


def rival(program, path, words):
    """The command of so many steps of MuJoCo."""
    return lambda n: [program, "simulate", path, "-o", "none", "--quiet", "--json", "--threads", "1", *words, "--model", "mujoco", "--set", "portfolio=null", "--set", "horizon=null",
                      "--set", "mujoco.substeps=%d" % SUBSTEPS, "--set", "time.steps=%d" % (100 * n)]


class Cost:
    """Processor time of one more iteration, or of one more step.  Runs of less than a second that fail go on to try pieces of advice, which is no part of it: counts grow until the
    shorter run takes longer by its own clock, and four times as many iterations three to four times as long."""

    def __init__(self, make, unit="iterations"):
        self.make, self.unit, self.count, self.found = make, unit, 20, []
        while not self.once():
            if self.count >= MOST:
                raise Failed("%s: no two counts of %s take times in proportion" % (" ".join(make(self.count)), unit))
            self.count *= 2
        self.found = []

    def once(self):
        (first, early), (last, late) = (answer(*self.make(n), accepted=(0, 1)) for n in (self.count, 4 * self.count))
        self.found.append((late - early) / (last[self.unit] - first[self.unit]))
        return first["seconds"] > LEAST and 3 < late / early < 4.2


def instructions(make):
    counts = []
    for n in (1, 3):
        done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *make(n)], capture_output=True, text=True, check=False)
        counts.append(int(re.search(r"Collected : (\d+)", done.stderr).group(1)))
    return (counts[1] - counts[0]) / 2


def row(arguments, name, path, words, asked):
    makes = [command(program, path, words) for program in (arguments.before, arguments.dcsim) if program]
    said, _ = answer(*makes[-1](1), accepted=(0, 1))
    costs = [Cost(make) for make in makes]
    rivals = [Cost(rival(arguments.dcsim, path, words), "steps")] if arguments.mujoco else []
    for _ in range(TRIES):
        for cost in costs + rivals:
            cost.once()
    steps = said["steps"]
    times = [1e3 * statistics.median(cost.found) / steps for cost in costs]
    counts = [instructions(make) / steps for make in makes] if arguments.instructions else []
    cells = [name, "%.2f" % said["newton_iterations_per_step"], "%.2f" % said["evaluations_per_step"], "%g" % asked]
    for numbers, form in ((times, "%.3f"), ([1e-3 * count for count in counts], "%.0f")):
        before = numbers[0] if arguments.before and numbers else None
        cells += ["" if before is None else form % before, form % numbers[-1] if numbers else "", "" if before is None else "%.2f" % (numbers[-1] / before)]
    cells += ["%.3f" % (1e3 * statistics.median(cost.found)) for cost in rivals] or [""]
    return cells + ["met" if times[-1] <= asked else "not met"]


def main():
    parser = options(__doc__, quick=False)
    parser.add_argument("--robots", type=os.path.abspath)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--before", type=os.path.abspath)
    parser.add_argument("--instructions", action="store_true")
    arguments = parse(parser)
    arguments.mujoco = "MuJoCo" in subprocess.run([arguments.dcsim, "--version"], capture_output=True, text=True, check=True).stdout
    lines = ["### Cost of a step with its adjoint", "",
             "By `scripts/paper/step-cost`: the first guess of each scene, forward and backward, one thread. Milliseconds of processor time a step on one core of %s, which other programs used, too;" % processor(),
             "medians of %d runs. Instructions by valgrind (AVX2), thousands a step. `leaves`: without `\"surface\": \"mesh\"`, balls at the height of round ones." % TRIES,
             "MuJoCo: its step of the same scene and length, forward alone, in %d substeps; of balls of triangles it sees hulls." % SUBSTEPS, "",
             "| scene | Newton iterations a step | evaluations | ms asked | ms before | ms | ratio | instructions before | instructions | ratio | MuJoCo, ms | verdict |", "|---" * 12 + "|"]
    for name, path, words, asked in scenes(arguments):
        if not arguments.only or name in arguments.only:
            lines.append("| " + " | ".join(row(arguments, name, path, words, asked)) + " |")
            print(lines[-1], flush=True)
    show(arguments, "step_cost", lines)


if __name__ == "__main__":
    main()
