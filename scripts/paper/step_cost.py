#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a step with its adjoint costs: shipped scenes as they are and with leaves, and scenes of robots.

    scripts/paper/step-cost [--robots FOLDER] [--descriptions FOLDER] [--only NAME ...] [--before FILE] [--instructions] [--by NAME] [--publish]
    scripts/paper/step-cost --page [--publish]

Each scene rolls out its first guess, forward and backward, again and again (Adam at a rate that moves nothing, no windows, no
portfolio).  A step costs the processor time of more iterations less that of few (cost.py), one thread, median of several runs
taken in turns.  --before names the program of another build.  --instructions counts instructions, too, by valgrind,
which has no registers of 512 bits and counts the bytes that one instruction clears.  MuJoCo's step of the same scene, forward
alone, is timed in turns with ours where the program was built with it: a step of the scene is SUBSTEPS of MuJoCo's.
Rows are stored (docs/measured/step_cost.jsonl) with the name of the program, so that a page may be made of them again (--page)
or measured in parts.

FOLDER of --robots has the scenes of hands and arms (ROBOTS below) and their files; that of --descriptions has clones of
dex-urdf, example-robot-data and hydrax, whose files are included as they come (LEAP and ARMS below).
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import tempfile
from contextlib import ExitStack

import arms
from cost import RATE, Cost
from measuring import answer, commit, keep_rows, options, parse, processor, scene_path, show, write_json

HEIGHT = 0.10422  # m, of a ball of 0.1 m on its barrier
ROBOTS = {"Allegro hand and ball": ("r14_allegro.json", 0.5), "Jaco and box": ("solved/solved_jaco_box_flip.json", 0.2),
          "two Jacos and box": ("solved/solved_dual_jaco.json", 0.5)}
CUBE = {"type": "box", "size": [0.065, 0.065, 0.065]}  # fits into Allegro's ball
LEAP = {"include": {"file": "scene.xml"}, "time": {"step": 0.02, "steps": 50}, "control": [{"type": "pd_targets", "body": "if_bs", "hold": 5}],
        "objective": [{"type": "reach", "body": "cube", "target": [0.325, 0.17, 0.2], "tolerance": 0.01, "when": "every"}]}
ARMS = {"UR5e": "dex-urdf/robots/arms/ur5e/ur5e_glb.urdf", "xArm7": "dex-urdf/robots/arms/xarm7/xarm7.urdf", "iiwa 14": "dex-urdf/robots/arms/iiwa14/iiwa14.urdf",
        "Z1": "example-robot-data/robots/z1_description/urdf/z1.urdf"}
SHIPPED = {"push": 0.05, "ant_push": 0.1, "billiards": 0.1}  # ms asked for
ALLEGRO_ASKED, LEAP_ASKED, ARM_ASKED = 0.5, 0.7, 0.5
TRIES = 3
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


def shipped(arguments):
    for name, asked in SHIPPED.items():
        yield name, scene_path(name), [], asked
        path = os.path.join(arguments.output, name + "_leaves.json")
        yield name + ", leaves", write_json(path, with_leaves(read(scene_path(name)))), [], asked


def peers(arguments):
    allow = ["--allow-path", arguments.robots]
    for name, (file, asked) in ROBOTS.items():
        yield name, os.path.join(arguments.robots, file), allow, asked
    scene = read(os.path.join(arguments.robots, ROBOTS["Allegro hand and ball"][0]))
    scene["shapes"]["ball"] = CUBE
    scene["include"]["file"] = os.path.join(arguments.robots, scene["include"]["file"])
    yield "Allegro hand and cube", write_json(os.path.join(arguments.output, "allegro_cube.json"), scene), allow, ALLEGRO_ASKED


def published(arguments, stack):
    """Scenes of published files; the temporary ones go with the stack."""
    allow = ["--allow-path", arguments.descriptions, "--package-path", os.path.join(arguments.descriptions, "example-robot-data", "robots")]
    path = os.path.join(arguments.output, "leap.json")
    include = {"file": os.path.join(arguments.descriptions, "hydrax", "hydrax", "models", "cube", "scene.xml")}
    yield "LEAP hand and cube", write_json(path, dict(LEAP, include=include)), allow, LEAP_ASKED
    older = argparse.Namespace(**{**vars(arguments), "dcsim": arguments.before or arguments.dcsim})  # imports with every key it knows: both programs know those
    for name, file in ARMS.items():
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        yield name, arms.hold(older, os.path.join(arguments.descriptions, file), {}, folder)[0], allow, ARM_ASKED


def scenes(arguments, stack):
    """Name, path, options and the milliseconds asked for."""
    yield from shipped(arguments)
    if arguments.robots:
        yield from peers(arguments)
    if arguments.descriptions:
        yield from published(arguments, stack)


def command(program, path, words):
    """The command of so many iterations."""
    return lambda n: [program, "optimize", path, "-o", "none", "--quiet", "--json", "--threads", "1", *words, "--set", "portfolio=null", "--set", "horizon=null",
                      "--set", 'optimizer={"type": "adam", "learning_rate": %g, "iterations": %d}' % (RATE, n)]


def rival(program, path, words):
    """The command of so many steps of MuJoCo."""
    return lambda n: [program, "simulate", path, "-o", "none", "--quiet", "--json", "--threads", "1", *words, "--model", "mujoco", "--set", "portfolio=null", "--set", "horizon=null",
                      "--set", "mujoco.substeps=%d" % SUBSTEPS, "--set", "time.steps=%d" % (100 * n)]


def instructions(make):
    counts = []
    for n in (1, 3):
        done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *make(n)], capture_output=True, text=True, check=False)
        counts.append(int(re.search(r"Collected : (\d+)", done.stderr).group(1)))
    return (counts[1] - counts[0]) / 2


def measure(arguments, name, path, words, asked):
    """The row of a scene; lists have the number of the build before, too, where there is one."""
    makes = [command(program, path, words) for program in (arguments.before, arguments.dcsim) if program]
    said, _ = answer(*makes[-1](1), accepted=(0, 1))
    costs = [Cost(make) for make in makes]
    rivals = [Cost(rival(arguments.dcsim, path, words), "steps")] if arguments.mujoco else []
    for _ in range(TRIES):
        for cost in costs + rivals:
            cost.once()
    steps = said["steps"]
    row = {"scene": name, "by": arguments.by, "before": arguments.before_name if arguments.before else "", "on": processor(), "iterations": said["newton_iterations_per_step"],
           "evaluations": said["evaluations_per_step"], "asked": asked, "ms": [1e3 * statistics.median(cost.found) / steps for cost in costs]}
    if arguments.instructions:
        row["instructions"] = [1e-3 * instructions(make) / steps for make in makes]
    if rivals:
        row["mujoco"] = 1e3 * statistics.median(rivals[0].found)
    return row


def compared(numbers, form):
    """The number of the build before, that of this one and their ratio."""
    if not numbers:
        return ["", "", ""]
    first, last = ("", numbers[0]) if len(numbers) == 1 else numbers
    return [form % first if first else "", form % last, "%.2f" % (last / first) if first else ""]


def line_of(row):
    cells = [row["scene"], "%.2f" % row["iterations"], "%.2f" % row["evaluations"], "%g" % row["asked"], *compared(row["ms"], "%.3f"), *compared(row.get("instructions"), "%.0f"),
             "%.3f" % row["mujoco"] if "mujoco" in row else "", row.get("before") or "", row["by"], "met" if row["ms"][-1] <= row["asked"] else "not met"]
    return "| " + " | ".join(cells) + " |"


def page(rows):
    heads = ["scene", "Newton iterations a step", "evaluations", "ms asked", "ms before", "ms", "ratio", "instructions before", "instructions", "ratio", "MuJoCo, ms", "before", "by", "verdict"]
    return ["### Cost of a step with its adjoint", "",
            "By `scripts/paper/step-cost`: the first guess of each scene, forward and backward, one thread. Milliseconds of processor time a step on one core of %s, which other programs used, too;" % " or ".join(sorted({row["on"] for row in rows})),
            "medians of %d runs. `leaves`: without `\"surface\": \"mesh\"`, balls at the height of round ones." % TRIES,
            "Instructions by valgrind (AVX2), thousands a step.",
            "MuJoCo: its step of the same scene and length, forward alone, in %d substeps; of balls of triangles it sees hulls." % SUBSTEPS,
            "Arms hold their pose under PD, steps of %g s, with the defaults of `include`; LEAP is hydrax's hand onto which a cube falls, steps of %g s." % (arms.robots.SCENE["time"]["step"], LEAP["time"]["step"]),
            "Each row is by the program of the column `by`, beside the one of the column `before`.", "",
            "| " + " | ".join(heads) + " |", "|---" * len(heads) + "|", *map(line_of, rows)]


def parsed():
    parser = options(__doc__, quick=False)
    parser.add_argument("--robots", type=os.path.abspath)
    parser.add_argument("--descriptions", type=os.path.abspath)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--before", type=os.path.abspath)
    parser.add_argument("--before-name", default="", help="what the table calls it")
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--by", default=commit(), help="name of the program in the table; the commit that is checked out unless it is said")
    parser.add_argument("--page", action="store_true", help="the page of the rows that are stored, nothing measured")
    arguments = parse(parser)
    arguments.folder, arguments.package_path, arguments.limit = arguments.descriptions, [], 120  # what robots.Trial asks for
    arguments.mujoco = not arguments.page and "MuJoCo" in subprocess.run([arguments.dcsim, "--version"], capture_output=True, text=True, check=True).stdout
    return arguments


def main():
    arguments = parsed()
    rows = []
    with ExitStack() as stack:
        for name, path, words, asked in [] if arguments.page else scenes(arguments, stack):
            if not arguments.only or name in arguments.only:
                rows.append(measure(arguments, name, path, words, asked))
                print(line_of(rows[-1]), flush=True)
    show(arguments, "step_cost", page(keep_rows(arguments, "step_cost", "scene", rows) if arguments.page or arguments.publish else rows))


if __name__ == "__main__":
    main()
