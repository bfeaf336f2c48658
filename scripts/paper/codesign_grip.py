#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Grippers whose shape alone is sought (after paper 003, Figures 16 to 19 and 22).

    scripts/paper/codesign-parallel-jaw [--quick] [--seeds N ...] [--dcsim FILE] [--output DIR] [--publish]
    scripts/paper/codesign-hand         the same

Counts the objects that the scene's gripper holds as it is, designs its shapes, and counts again: in the scene's own contact
model and, with the design built in, in MuJoCo, with its defaults, with the scene's settings for it, and with others.  All that
from the scene's shapes, on which settings were chosen, and for each seed (default: 2, 3, 4) from shapes with every vertex moved
at random.  The jaws begin with the scene's optimizer, the hand with more friction, at which it holds; L-BFGS goes on with less
and less, down to below the scene's, so that the grip has a margin; of the stages the last that holds most is taken.  What is
counted is at the scene's friction.  An object is held when it moves by less than 10 mm relative to the gripper while that is
lifted by 0.2 m.  Prints Markdown, which DIR/TASK.md (default DIR: runs/paper) holds, too; --publish: and docs/measured/TASK.md.
--quick: the scene's shapes only, a few iterations at 0.15, no MuJoCo, no verdict.
"""
import json
import os
import sys

from measuring import Failed, call, kept_run, options, parse, scene_path, settings, show

HELD = 0.01  # m
# Coefficients of friction that shapes are designed for, one after the other.  A hand that drops what it holds has a gradient that
# leads nowhere: it begins where straight fingers hold.
STAGES = {"codesign_parallel_jaw": (0.15, 0.14, 0.13, 0.12), "codesign_hand": (0.25, 0.21, 0.18, 0.165, 0.15, 0.14, 0.13)}
TITLES = {"codesign_parallel_jaw": "Parallel jaw", "codesign_hand": "Hand"}
# A start of a seed is the better of two draws about the scene's shapes, with this part of the vertices' boxes as deviation.
SPREAD = 0.05
DEFAULTS = ("mujoco.cone=pyramidal", "mujoco.impratio=1", "mujoco.noslip_iterations=0", "mujoco.patch=0")
SCENE = "MuJoCo, the scene's settings"
# Over the scene's settings for MuJoCo.
REPLAYS = {"MuJoCo as it is": DEFAULTS, "that, several points for two meshes": (*DEFAULTS, "mujoco.multiccd=true"), SCENE: (),
           "these without discs": ("mujoco.patch=0",), "these, discs of half the radius": ("mujoco.patch=0.005",),
           "these, impratio 100 and solref 0.004, 3": ("mujoco.impratio=100", "mujoco.solref=[0.004, 3]")}


def distances(arguments, first, path, *words):
    """What every object moved by, m; first: the name of the scene's own object."""
    result = call(arguments, "simulate", path, "-o", "none", "--json", "--quiet", "--threads", "1", *words)
    found = {first: result["objectives"][0]["distance"]}
    found.update((case["name"], case["distance"]) for case in result["cases"])
    return found


def held(column):
    return sum(distance < HELD for distance in column.values())


def start(arguments, path, seed):
    """Words of the command line that begin with shapes of this seed (None: the scene's); None when neither draw was better."""
    if seed is None:
        return []
    run = f"{arguments.task}-{seed}-start"
    draw = {"type": "cem", "samples": 2, "elites": 1, "spread": SPREAD, "iterations": 1, "seed": seed}
    made = kept_run(arguments, run, "optimize", path, *settings(f"optimizer={json.dumps(draw)}"))
    return ["--control", os.path.join(arguments.output, run)] if made["loss"] < made["initial_loss"] else None


def design(arguments, path, scene, first, seed, earlier):
    """What the stage that holds most told, the last one of several, its directory, its friction and the iterations up to it."""
    count = 8 if arguments.quick else scene["optimizer"]["iterations"]
    later = '{"type": "lbfgs", "iterations": 8}'
    own = scene["contact"]["friction"]
    stages = [(friction, settings(f"optimizer={later}")) for friction in STAGES[arguments.task]]
    if stages[0][0] <= own or arguments.quick:
        stages.insert(0, (own, settings(f"optimizer.iterations={count}")))
    if arguments.quick:
        del stages[1:]
    iterations, best, most = 0, None, -1
    for number, (friction, words) in enumerate(stages):
        name = f"{arguments.task}-{seed or 'scene'}-{number}"
        run = os.path.join(arguments.output, name)
        try:
            made = kept_run(arguments, name, "optimize", path, *earlier, *settings(f"contact.friction={friction}"), *words)
            now = held(distances(arguments, first, path, "--control", run, *settings(f"contact.friction={own}")))
        except Failed as failed:
            if not best:
                raise
            print(f"at friction {friction}: {failed}", file=sys.stderr)
            break  # the stage before is the result
        iterations += made["iterations"]
        if now >= most:
            best, most = (made, run, friction, iterations), now
        earlier = ["--control", run]
    return best


def attempt(arguments, path, scene, seed):
    """Of one start: columns of distances, iterations, the last friction, coordinates; None when nothing was drawn."""
    first = next(body["shape"] for body in scene["bodies"] if body["name"] == "object")
    earlier = start(arguments, path, seed)
    if earlier is None:
        return None
    columns = {"at the start": distances(arguments, first, path, *earlier)}
    made, run, least, iterations = design(arguments, path, scene, first, seed, earlier)
    friction = settings(f"contact.friction={scene['contact']['friction']}")
    built = os.path.join(run, "design", "scene.json")
    if not arguments.quick:
        columns["at the start, " + SCENE] = distances(arguments, first, path, *earlier, "--model", "mujoco")
    columns["designed"] = distances(arguments, first, built, *friction)
    if not arguments.quick:
        for name, words in REPLAYS.items():
            columns[name] = distances(arguments, first, built, "--model", "mujoco", *friction, *settings(*words))
    return columns, iterations, least, len(made["design"])


def main():
    parser = options(__doc__)
    parser.add_argument("task", choices=TITLES)
    parser.add_argument("--seeds", type=int, nargs="*", default=[2, 3, 4])
    arguments = parse(parser)
    path = scene_path(arguments.task)
    with open(path, encoding="utf-8") as file:
        scene = json.load(file)
    found = {seed: attempt(arguments, path, scene, seed) for seed in [None] + ([] if arguments.quick else arguments.seeds)}
    columns, _, _, coordinates = found[None]
    same = [seed for seed, made in found.items() if made is None]
    found = {seed: made for seed, made in found.items() if made}
    count = len(columns["designed"])
    lines = [f"### {TITLES[arguments.task]} (after paper 003, Figures 16 to 19 and 22)", "",
             f"By `scripts/paper/{arguments.task.replace('_', '-')}`, `scenes/{arguments.task}.json`: {coordinates} coordinates of vertices. Objects held, of {count}, "
             f"from the scene's shapes and from shapes with every vertex moved at random (the better of two draws, deviation {SPREAD} of its box):", "",
             "| start | iterations | last friction | " + " | ".join(columns) + " |", "|---" * (len(columns) + 3) + "|"]
    for seed, (its, iterations, least, _) in found.items():
        lines.append(f"| {'scene' if seed is None else f'seed {seed}'} | {iterations} | {least} | " + " | ".join(str(held(column)) for column in its.values()) + " |")
    lines += [line for seed in same for line in ("", f"Neither draw of seed {seed} was better than the scene's shapes, so that it gives no other start.")]
    lines += ["", "What each object moved by relative to the gripper, mm:", "", "| start | object | " + " | ".join(columns) + " |", "|---" * (len(columns) + 2) + "|"]
    for seed, (its, *_) in found.items():
        for name in its["designed"]:
            lines.append(f"| {'scene' if seed is None else f'seed {seed}'} | {name} | " + " | ".join(f"{1e3 * column[name]:.2g}" for column in its.values()) + " |")
    if not arguments.quick:
        met = held(columns["at the start"]) == 0 and held(columns["designed"]) == count
        both = sum(min(held(its["designed"]), held(its[SCENE])) == count for its, *_ in found.values())
        lines += ["", f"Verdict: {'met' if met else 'not met'} (none of the scene's as it is, all when designed); all lifted here and in MuJoCo with the scene's settings "
                  f"from {both} of {len(found)} starts."]
    show(arguments, arguments.task, lines)


if __name__ == "__main__":
    main()
