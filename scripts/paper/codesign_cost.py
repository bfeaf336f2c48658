#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What co-design costs (after paper 003, Figure 9 and Table II), in instructions of the processor.

    scripts/paper/codesign-cost [--quick] [--links N ...] [--dcsim FILE] [--output DIR] [--publish]

Three tables: the adjoint with shapes against that without, and a model for another design against a rollout; where an
iteration of the spider goes; a time step of four driven chains that run into each other, under sdrs and under ipc.  Counted by
valgrind --tool=callgrind.  Prints Markdown, which DIR/codesign_cost.md (default
DIR: runs/paper) holds, too; --publish: and docs/measured/codesign_cost.md.  --quick: fewer and shorter runs.
"""
import os
import re
import subprocess
import sys

from measuring import MODELS, options, parse, publish, scene_path, settings, show, write_json

LINK = 0.1  # m


def callgrind(arguments, function, inner, *command):
    """Instructions inside of a function, and of some functions called from it, all with what they call."""
    path = os.path.join(arguments.output, "callgrind.out")
    done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={path}", f"--toggle-collect={function}",
                           arguments.dcsim, *command, "-o", "none", "--no-report", "--threads", "1", "--quiet"],
                          capture_output=True, text=True)
    total = re.search(r"Collected : (\d+)", done.stderr)
    if not total:
        sys.exit(done.stderr)
    table = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", path], capture_output=True, text=True).stdout
    found = {}
    for name in inner:
        match = re.search(rf"^\s*([\d,]+) .*:{name}\b", table, re.M)
        found[name] = int(match.group(1).replace(",", "")) if match else 0
    return int(total.group(1)), found


def optimize(scene, steps, *changes):
    """A command of three gradients; steps None: of as many and as long ones as the scene has."""
    if steps:
        changes += (f"time.steps={steps}",)
    if steps and scene == "codesign_spider":  # in as few of its own steps its feet do not meet the ground
        changes += ("time.step=0.01",)
    return ["optimize", scene_path(scene), *settings("optimizer.iterations=2", *changes)]


# Scenes with what is changed in them; the block of the third is out of reach of the pusher, as the scene has it, or near.
ADJOINTS = (("spider", "codesign_spider", ()), ("chain", "codesign_chain", ()), ("pusher, `bsh`, block 30 cm away", "codesign_reach", ()),
            ("pusher, `bsh`, 10 cm", "codesign_reach", ("bodies.block.position=[0.2, 0, 0.053]",)),
            ("pusher, `bsh`, 1.5 cm", "codesign_reach", ("bodies.block.position=[0.115, 0, 0.053]",)))


def adjoints(arguments):
    """Steps of the optimizer that change nothing: with shapes and without the motion is the same."""
    steps = 10 if arguments.quick else 100
    ratios, shares = [], []
    lines = [f"| {steps} steps, three gradients, millions | adjoint with shapes | without | | model for another design | of a rollout of the scene |",
             "|---|---|---|---|---|---|"]
    for title, scene, changes in ADJOINTS[:1] if arguments.quick else ADJOINTS:
        still = (*changes, "optimizer.learning_rate=1e-9")
        shapes, _ = callgrind(arguments, "dc_implicit_adjoint", [], *optimize(scene, steps, *still))
        alone, _ = callgrind(arguments, "dc_implicit_adjoint", [], *optimize(scene, steps, *still, "design=[]"))
        forward, inner = callgrind(arguments, "dc_rollout_forward", ["redesign"], *optimize(scene, steps if arguments.quick else None, *still))
        ratios.append(shapes / alone)
        shares.append(100 * inner["redesign"] / (forward - inner["redesign"]))
        lines.append(f"| {title} | {shapes / 1e6:.1f} | {alone / 1e6:.1f} | {ratios[-1]:.2f} | {inner['redesign'] / 1e6:.1f} | {shares[-1]:.1f} % |")
    lines += ["", "Steps of the optimizer of 1e-9, so that both have the same motion; the spider in time steps of 10 ms."]
    if not arguments.quick:
        lines.append(f"Bars: adjoint 1.3, {'met' if max(ratios) <= 1.3 else 'not met'}; model 1 % of a rollout, {'met' if max(shares) <= 1 else 'not met'}.")
    return lines


def breakdown(arguments):
    steps = 20 if arguments.quick else 300
    command = optimize("codesign_spider", steps)
    names = ["dc_contact_evaluate", "dc_contact_friction_begin", "dc_contact_friction_evaluate"]
    forward, inner = callgrind(arguments, "dc_rollout_forward", names, *command)
    backward, _ = callgrind(arguments, "dc_implicit_adjoint", [], *command)
    total, contact = forward + backward, inner[names[0]]
    friction = inner[names[1]] + inner[names[2]]
    rows = (("contact potential", contact, 30.51), ("friction potential", friction, 36.89), ("backward", backward, 30.85),
            ("other steps", total - contact - friction - backward, 1.75))
    lines = [f"| part of an iteration (spider, {steps} steps) | here | Table II |", "|---|---|---|"]
    return lines + [f"| {name} | {100 * part / total:.1f} % | {paper} % |" for name, part, paper in rows]


def chains(links, model, steps):
    """Four chains hang side by side, their first links driven against each other."""
    bodies, control = [], []
    for chain in range(4):
        x, before = 0.15 * chain, None
        for link in range(links):
            name, top = f"c{chain}_{link}", -LINK * link
            joint = {"type": "hinge", "axis": [0, 1, 0]} if link == 0 else {"type": "universal", "axis": [0, 1, 0], "axis2": [1, 0, 0]}
            body = {"name": name, "shape": "link", "position": [x, 0, top - LINK / 2], "density": 500,
                    "joint": [{**joint, "anchor": [x, 0, top]}]}
            if before:
                body["parent"] = before
            else:
                body["pd"] = {"kp": 50, "kd": 1}
                turn = 1.2 if chain % 2 == 0 else -1.2
                control.append({"type": "path", "body": name, "times": [0, 0.2, 0.4], "positions": [0, turn, -turn]})
            bodies.append(body)
            before = name
    return {"time": {"step": 0.005, "steps": steps}, "contact": {"model": model, "friction": 0.3, **MODELS[model]},
            "shapes": {"link": {"type": "box", "size": [0.03, 0.03, 0.8 * LINK]}}, "bodies": bodies, "control": control}


def count(arguments, links, model, steps):
    """Instructions of a rollout."""
    path = write_json(os.path.join(arguments.output, "chains.json"), chains(links, model, steps))
    return callgrind(arguments, "dc_rollout_forward", [], "simulate", path)[0]


def figure(arguments):
    begin, end = (4, 8) if arguments.quick else (20, 60)
    lines = ["| links of each of four chains | sdrs | ipc | ipc / sdrs |", "|---|---|---|---|"]
    for links in (4,) if arguments.quick else arguments.links:
        cost = {}
        for model in MODELS:
            cost[model] = (count(arguments, links, model, end) - count(arguments, links, model, begin)) / (end - begin) / 1e6
        lines.append(f"| {links} | {cost['sdrs']:.2f} | {cost['ipc']:.2f} | {cost['ipc'] / cost['sdrs']:.2f} |")
    return lines + ["", f"Millions of instructions a time step, mean of the steps {begin} to {end}: contact, friction and the solution of the step."]


def main():
    parser = options(__doc__)
    parser.add_argument("--links", type=int, nargs="+", default=[4, 8, 16], help="of a chain; 16 take more than an hour on a busy machine")
    arguments = parse(parser)
    lines = ["### Cost of co-design (after paper 003, Figure 9 and Table II)", "", "By `scripts/paper/codesign-cost`.", ""]
    for part in (adjoints, breakdown, figure):
        lines += part(arguments) + [""]
        publish(arguments, "codesign_cost", lines)  # what is there, should the next part take too long
    show(arguments, "codesign_cost", lines)


if __name__ == "__main__":
    main()
