#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Grippers whose shape alone is sought (after paper 003, Figures 16 to 19 and 22).

    scripts/paper/codesign-parallel-jaw [--quick] [--dcsim FILE] [--output DIR] [--publish]
    scripts/paper/codesign-hand         the same

Counts the objects that the scene's gripper holds as it is, designs its shapes, and counts again: in the scene's own contact
model and, with the design built in, in MuJoCo.  The jaws begin with the scene's optimizer, the hand with
more friction, at which it holds; L-BFGS goes on with less and less, down to below the scene's, so that the grip has a margin; of the
stages the last that holds most is taken.  What is counted is at the scene's friction.  An object is held when it moves by less than 10 mm relative to the gripper while that is lifted by 0.2 m.  Prints Markdown, which DIR/TASK.md (default
DIR: runs/paper) holds, too; --publish: and docs/measured/TASK.md.  --quick: a few iterations at 0.15, no MuJoCo, no verdict.
"""
import json
import math
import os
import shutil
import sys

from measuring import Failed, call, options, parse, scene_path, settings, show, write_json

HELD = 0.01  # m
# Coefficients of friction that shapes are designed for, one after the other.  A hand that drops what it holds has a gradient that
# leads nowhere: it begins where straight fingers hold.
STAGES = {"codesign_parallel_jaw": (0.15, 0.14, 0.13, 0.12), "codesign_hand": (0.25, 0.21, 0.18, 0.165, 0.15, 0.14, 0.13)}
TITLES = {"codesign_parallel_jaw": "Parallel jaw", "codesign_hand": "Hand"}


def run_of(arguments, *command):
    return call(arguments, *command, "--json", "--quiet")


def design(arguments, path, scene):
    """What the stage that holds most told, the last one of several, its directory, its friction and the iterations up to it."""
    first = 8 if arguments.quick else scene["optimizer"]["iterations"]
    later = '{"type": "lbfgs", "iterations": 8}'
    own = scene["contact"]["friction"]
    stages = [(friction, settings(f"optimizer={later}")) for friction in STAGES[arguments.task]]
    if stages[0][0] <= own or arguments.quick:
        stages.insert(0, (own, settings(f"optimizer.iterations={first}")))
    if arguments.quick:
        del stages[1:]
    earlier, iterations, best, most = [], 0, None, -1
    for number, (friction, words) in enumerate(stages):
        run = os.path.join(arguments.output, f"{arguments.task}-{number}")
        shutil.rmtree(run, ignore_errors=True)
        try:
            made = run_of(arguments, "optimize", path, *earlier, "-o", run, "--no-report", *settings(f"contact.friction={friction}"), *words)
            now = run_of(arguments, "simulate", path, "--control", run, "-o", "none", *settings(f"contact.friction={own}"))
        except Failed as failed:
            if not best:
                raise
            print(f"at friction {friction}: {failed}", file=sys.stderr)
            break  # the stage before is the result
        iterations += made["iterations"]
        held = sum(d < HELD for d in distances(now, "").values())
        if held >= most:
            best, most = (made, run, friction, iterations), held
        earlier = ["--control", run]
    return best


def closed(built, gap):
    """The scene with its design built in, jaws that slide closed further by the gap that sdrs keeps, and hinged fingers by as much at
    their middle: MuJoCo's touch without a gap, which would squeeze less."""
    with open(built, encoding="utf-8") as file:
        scene = json.load(file)
    further = {}
    for body in scene["bodies"]:
        kinds = {part["type"] for part in body["joint"]} if body.get("parent") else {}
        if kinds == {"slide"}:
            further[body["name"]] = gap
        elif kinds == {"hinge"}:
            anchor = body.get("anchor", body["position"])
            further[body["name"]] = gap / max(math.dist(anchor, body["position"]), gap)
    for world in [scene] + scene["cases"]:
        for control in world["control"]:
            by = further.get(control["body"], 0)
            control["positions"] = [x + (x > 0) * by - (x < 0) * by for x in control["positions"]]
    return write_json(os.path.join(os.path.dirname(built), "closed.json"), scene)


def distances(result, first):
    """What every object moved by, m; first: the name of the scene's own object."""
    found = {first: result["objectives"][0]["distance"]}
    found.update((case["name"], case["distance"]) for case in result["cases"])
    return found


def main():
    parser = options(__doc__)
    parser.add_argument("task", choices=TITLES)
    arguments = parse(parser)
    path = scene_path(arguments.task)
    with open(path, encoding="utf-8") as file:
        scene = json.load(file)
    first = next(body["shape"] for body in scene["bodies"] if body["name"] == "object")
    columns = {"as it is": distances(run_of(arguments, "simulate", path, "-o", "none"), first)}
    made, run, least, iterations = design(arguments, path, scene)
    friction = settings(f"contact.friction={scene['contact']['friction']}")
    built = os.path.join(run, "design", "scene.json")
    ours = run_of(arguments, "simulate", built, "-o", "none", *friction)
    columns["designed"] = distances(ours, first)
    if not arguments.quick:
        further = closed(built, ours["min_gap"])
        for name, scene_file in (("designed, MuJoCo", built), ("MuJoCo, closed by the gap", further)):
            columns[name] = distances(run_of(arguments, "simulate", scene_file, "-o", "none", "--model", "mujoco", *friction), first)
    lines = [f"### {TITLES[arguments.task]} (after paper 003, Figures 16 to 19 and 22)", "",
             f"By `scripts/paper/{arguments.task.replace('_', '-')}`, `scenes/{arguments.task}.json`: {len(made['design'])} coordinates of vertices, "
             f"{iterations} iterations, the last ones with a coefficient of friction of {least}, MuJoCo with the scene's settings. What each object moved by relative to the gripper, mm:", "",
             "| object | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for name in columns["as it is"]:
        lines.append(f"| {name} | " + " | ".join(f"{1e3 * column[name]:.2g}" for column in columns.values()) + " |")
    held = {name: sum(d < HELD for d in column.values()) for name, column in columns.items()}
    count = len(columns["as it is"])
    lines.append("| held | " + " | ".join(f"{n} of {count}" for n in held.values()) + " |")
    if not arguments.quick:
        met = held["as it is"] == 0 and held["designed"] == count
        lines += ["", f"Verdict: {'met' if met else 'not met'} (none as it is, all when designed); in MuJoCo {list(held.values())[-1]} of {count} are lifted too."]
    show(arguments, arguments.task, lines)


if __name__ == "__main__":
    main()
