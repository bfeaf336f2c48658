#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Table 1 of paper 004 by its own protocol: one number is sought by plain gradient descent with a fixed rate, from the places of all nodes at the end of a run with the true number.

    scripts/paper/soft-table-01 [--case NAME ...] [--iterations N] [--seed N] [--rates] [--dcsim FILE] [--output DIR] [--publish]

Shapes are procedural: a beam, a strip of cloth, a star of cloth, a curtain, a block, an ellipsoid.  Wants NumPy, and libdcsim.so beside the program.
--seed: the same rates with other true numbers, too.  --rates: prints what the curvature of each loss at the truth is, by which rates were chosen, and ends.
Prints Markdown and writes it to DIR/soft_table.md (default: runs/paper); --publish: and to docs/measured/soft_table.md.
"""
import itertools
import json
import math
import os
import random
import sys

from measuring import ROOT, options, parse, processor, show
from soft import WITHIN, Lab, number, verdict

BUDGET = 200  # iterations
EVERY = 20  # iterations from one difference to the next
DIFFERENCE = 1e-3  # of a parameter
DONE = 1e-12  # part of the first loss at which a descent ends; it counts as that loss for the rest of the iterations
TIGHT = {"solver.tolerance": 1e-9}  # of steps, for differences of losses


def grid(size, cells, place=(0, 0, 0)):
    """Places of the nodes of a block, sheet or beam (taper 1)."""
    lines = [[s * (i / n - 0.5) + p for i in range(n + 1)] for s, n, p in zip(size, cells, place)]
    return [list(at) for at in itertools.product(*lines)]


def ball(size, cells, place):
    """Places of the nodes of a ball: a cube's, moved as Nowell (2005) does."""
    nodes = []
    for x, y, z in grid((2, 2, 2), cells):
        moved = [x * math.sqrt(1 - y * y / 2 - z * z / 2 + y * y * z * z / 3), y * math.sqrt(1 - z * z / 2 - x * x / 2 + z * z * x * x / 3), z * math.sqrt(1 - x * x / 2 - y * y / 2 + x * x * y * y / 3)]
        nodes.append([s / 2 * m + p for s, m, p in zip(size, moved, place)])
    return nodes


def world(name, soft, nodes, steps, *others, gravity=(0, 0, -9.81), ground=None, **body):
    """A soft body, a marker at each of its nodes that counts, and others; ground: friction of a half-space."""
    bodies = [dict({"name": name, "soft": soft}, **body)]
    if ground is not None:
        bodies.insert(0, {"name": "ground", "joint": "fixed", "shape": "ground", "friction": ground})
    bodies += [{"name": f"node{k}", "parent": name, "joint": "fixed", "position": at} for k, at in enumerate(nodes)]
    return {"time": {"step": 0.01, "steps": steps}, "gravity": list(gravity), "shapes": {"ground": {"type": "plane"}} if ground is not None else {}, "bodies": bodies + list(others)}


def with_soft(scene, name, **numbers):
    scene = json.loads(json.dumps(scene))
    for body in scene["bodies"]:
        if body["name"] == name:
            body["soft"].update(numbers)
    return scene


def force(axis, limit, steps):
    """A force on all of the body, the same in all steps; parameters are parts of the limit."""
    return {"control": [{"type": "torque", "body": "body", "coordinates": axis, "limit": [limit], "hold": steps}]}


def cable(name, start, end, draw, steps):
    """A cable that draws the marker `end` towards a fixed place, shorter and shorter by `draw` until half of the run."""
    return [{"name": name + "0", "joint": "fixed", "position": start}, {"name": name, "cable": {"through": [name + "0", end], "stiffness": 2000}}], {
        "type": "path", "body": name, "times": [0, 0.005 * steps], "positions": [0, -draw]}


def star(path, points=5, outer=0.2, inner=0.1):
    """A flat star: a middle, rings of corners halfway and at the rim."""
    rim = [[(outer, inner)[k % 2] * f(math.pi * k / points + math.pi / 2) for f in (math.cos, math.sin)] for k in range(2 * points)]
    half, count = [[x / 2, y / 2] for x, y in rim], 2 * points
    with open(path, "w", encoding="utf-8") as file:
        for x, y in [[0, 0], *half, *rim]:
            file.write(f"v {x:.12g} {y:.12g} 0\n")
        for k in range(count):
            a, b = 2 + k, 2 + (k + 1) % count
            file.write(f"f 1 {a} {b}\nf {a} {a + count} {b + count}\nf {a} {b + count} {b}\n")
    return [[0, 0, 0], *([x, y, 0] for x, y in half), *([x, y, 0] for x, y in rim)]


def cases(folder, part):
    """part(name): how far from the start to the number of the paper the truth lies (1: there), of moduli and friction in the logarithm.  Name, what it is, what the paper has, the scene at the start, what is free, the scene of the truth, parameter, true value, rate."""
    def log_between(name, start, end):
        return end if part(name) == 1 else start * (end / start) ** part(name)

    def between(name, start, end):
        return end if part(name) == 1 else start + part(name) * (end - start)

    held = {"low": [-1, -1, -1], "high": [-0.199, 1, 1]}
    beam_nodes = [at for at in grid((0.4, 0.1, 0.1), (6, 2, 2), (0, 0, 1)) if at[0] > -0.199]
    beam = world("body", {"form": "beam", "size": [0.4, 0.1, 0.1], "cells": [6, 2, 2], "material": "arap", "young": 2e6, "viscosity": 1e5, "self_contact": False, "pins": [held]}, beam_nodes, 40, position=[0, 0, 1])
    yield ("stiffness", "ARAP stiffness of a beam that is held at one end and sags, 2 MPa to 200 kPa", "lost", beam, {"design": [number("young", 0.01, 100, ["body"])]}, with_soft(beam, "body", young=log_between("stiffness", 2e6, 2e5)), "body.young", log_between("stiffness", 2e6, 2e5))
    yield ("wind", "even force across the same beam (weight 39 N), 0 to 50 N", "0 to 50", dict(with_soft(beam, "body", young=1e6), **force("y", 100, 40)), {}, {"parameters": [between("wind", 0, 0.5)]}, "body.0.y", between("wind", 0, 0.5))

    strip = grid((0.4, 0.1), (12, 3))
    pulls = [cable(f"pull{k}", [-0.19, y, 1], f"node{strip.index([0.2, y])}", 0.25, 60) for k, y in enumerate((-0.05, 0.05))]
    cloth = world("body", {"type": "cloth", "size": [0.4, 0.1], "cells": [12, 3], "thickness": 0.001, "young": 2e6, "viscosity": 2000, "bending": 1e-2, "self_contact": False, "pins": [{"low": [-0.21, -1, -1], "high": [-0.19, 1, 1]}]},
                  [[x, y, 1] for x, y in strip], 60, *(body for bodies, _ in pulls for body in bodies), density=200, position=[0, 0, 1])
    cloth["control"] = [path for _, path in pulls]
    yield ("bending", "bending stiffness of a strip of cloth whose ends are drawn together, 0.01 to 0.001 N m", "lost", cloth, {"design": [number("bending", 0.001, 1000, ["body"])]}, with_soft(cloth, "body", bending=log_between("bending", 1e-2, 1e-3)), "body.bending", log_between("bending", 1e-2, 1e-3))

    nodes = star(os.path.join(folder, "star.obj"))
    tip = 11
    draw, path = cable("pull", [0, 0.4, 1], f"node{tip}", 0.12, 40)
    feet = [{"low": [x - 0.01, y - 0.01, -1], "high": [x + 0.01, y + 0.01, 1]} for x, y, _ in (nodes[15], nodes[17])]
    shell = world("body", {"type": "cloth", "file": "star.obj", "thickness": 0.002, "young": 1e5, "poisson": 0.1, "viscosity": 5000, "bending": 0.1, "self_contact": False, "pins": feet},
                  [[x, y, 1] for x, y, _ in nodes], 40, *draw, gravity=(0, 0, 0), density=500, position=[0, 0, 1])
    shell["control"] = [path]
    yield ("poisson", "nu of a star of Neo-Hookean shell that is drawn out between tip and feet, 0.1 to 0.4", "0.1 to 0.4", shell, {"design": [number("poisson", 0.01, 0.49, ["body"])]}, with_soft(shell, "body", poisson=between("poisson", 0.1, 0.4)), "body.poisson", between("poisson", 0.1, 0.4))

    top = {"low": [-1, 0.19, -1], "high": [1, 0.21, 1]}
    curtain = world("body", {"type": "cloth", "size": [0.4, 0.4], "cells": [6, 6], "thickness": 0.001, "young": 2e4, "poisson": 0.1, "viscosity": 1000, "bending": 1e-5, "self_contact": False, "pins": [top]},
                    [[x, 0, 1 + z] for x, z in grid((0.4, 0.4), (6, 6)) if z < 0.19], 40, density=1000, position=[0, 0, 1], rotation=[0.7071067811865476, 0.7071067811865476, 0, 0])
    yield ("curtain", "E and nu of a curtain that hangs by its upper edge, 20 kPa and 0.1 to 50 kPa and 0.3", "lost", curtain, {"design": [number("young", 0.05, 20, ["body"]), number("poisson", 0.01, 0.49, ["body"])]},
           with_soft(curtain, "body", young=log_between("curtain", 2e4, 5e4), poisson=between("curtain", 0.1, 0.3)), ("body.young", "body.poisson"), (log_between("curtain", 2e4, 5e4), between("curtain", 0.1, 0.3)))

    size, cells = (0.2, 0.1, 0.1), (3, 2, 2)
    block_nodes = grid(size, cells, (0, 0, 0.05005))

    def block(friction, steps, **soft):
        return world("body", dict({"form": "block", "size": size, "cells": cells, "material": "arap", "young": 2e4, "viscosity": 50}, **soft), block_nodes, steps, ground=friction, position=[0, 0, 0.05005], mass=1, friction=friction)

    pulled = dict(block(0.55, 40), gravity=[3, 0, -9.81])
    slippery = json.loads(json.dumps(pulled))
    for body in slippery["bodies"][:2]:
        body["friction"] = log_between("friction", 0.55, 0.1)
    yield ("friction", "friction of a block and the ground; 0.31 of its weight pulls it, 0.55 to 0.1", "0.55 to 0.1", pulled, {"design": [number("friction", 0.01, 10, ["ground", "body"], together=True)]}, slippery, "ground+body.friction", log_between("friction", 0.55, 0.1))
    yield ("lift", "lift of a block of 9.8 N on smooth ground, 0 to 20 N", "0 to 20", dict(block(0, 20, young=5e3), **force("z", 100, 20)), {}, {"parameters": [between("lift", 0, 0.2)]}, "body.0.z", between("lift", 0, 0.2))
    yield ("pull", "pull of a block that friction holds with up to 3.9 N, 0 to 10 N", "0 to 10", dict(block(0.4, 30, young=5e3), **force("x", 100, 30)), {}, {"parameters": [between("pull", 0, 0.1)]}, "body.0.x", between("pull", 0, 0.1))
    for name, friction, words in (("throw-free", 0, "without friction"), ("throw", 0.3, "with friction 0.3")):
        duck = world("body", {"form": "sphere", "size": [0.14, 0.1, 0.1], "cells": [3, 3, 3], "material": "arap", "young": 2e4, "viscosity": 20}, ball((0.14, 0.1, 0.1), (3, 3, 3), (0, 0, 0.15)), 60, ground=friction, position=[0, 0, 0.15], mass=0.5, friction=friction)
        duck["control"] = [{"type": "initial_state", "body": "body", "velocity": "x"}]
        yield (name, f"velocity of an ellipsoid that is thrown 10 cm above the ground {words}, 0 to 3 m/s", "0 to 3", duck, {}, {"parameters": [between(name, 0, 3)]}, "body.velocity.x", between(name, 0, 3))



# Chosen by hand, as in the paper: near the inverse of the curvature of the loss at the truth (--rates), less where the loss bends more on the way.
RATES = {"stiffness": 40, "wind": 2, "bending": 40, "poisson": 60, "curtain": 60, "friction": 0.4, "lift": 2.5e-3, "pull": 5e-4, "throw-free": 0.005, "throw": 0.01}


class Descent:
    """One experiment: its loss |x(T) - x*(T)|^2 over the nodes that move, and its gradient."""

    def __init__(self, library, lab, case):
        self.name, self.words, self.paper, scene, free, truth, names, values = case
        self.names, self.values = (names, values) if isinstance(names, tuple) else ((names,), (values,))
        control = scene.get("control", []) + free.get("control", [])
        target = truth if "bodies" in truth else dict(scene, control=control)
        problem = library.open(dict(target, name=self.name), base_directory=lab.folder, overrides=TIGHT).problem()
        problem.value(truth.get("parameters", []))
        places, bodies = problem.trajectory().position[-1], [body["name"] for body in scene["bodies"]]
        marked = [name for name in bodies if name.startswith("node")]
        table = os.path.join(lab.folder, f"table-{self.name}.csv")
        end = scene["time"]["step"] * scene["time"]["steps"]
        with open(table, "w", encoding="utf-8") as file:
            file.write(",".join(["time [s]", *(f"{name}.{axis} [m]" for name in marked for axis in "xyz")]) + "\n")
            for time in (0, end):
                file.write(",".join([f"{time:.9g}", *(f"{x:.17g}" for name in marked for x in places[bodies.index(name)])]) + "\n")
        sought = {"type": "follow", "file": table, "bodies": marked, "from": scene["time"]["steps"]}
        path = lab.write(f"table-{self.name}", dict(scene, **dict(free, control=control), objective=[sought]))
        self.problem, self.rollouts = library.open(path, overrides=TIGHT).problem(), 0
        self.scene = scene
        self.at = [list(self.problem.names).index(name) for name in self.names]

    def value(self, x):
        self.rollouts += 1
        return self.problem.value(x)

    def value_and_gradient(self, x):
        self.rollouts += 1
        loss, gradient = self.problem.value_and_grad(x)
        return loss, [float(g) for g in gradient]

    def found(self, x):
        """The numbers themselves: a factor on the modulus, friction and bending, a shift of others."""
        body = next(body for body in self.scene["bodies"] if body["name"] == "body")
        start = {"young": body["soft"].get("young"), "bending": body["soft"].get("bending"), "friction": body.get("friction"), "poisson": body["soft"].get("poisson")}
        numbers = []
        for i, name in zip(self.at, self.names):
            kind = name.split(".")[-1]
            numbers.append(start[kind] * math.exp(x[i]) if kind in ("young", "bending", "friction") else start[kind] + x[i] if kind == "poisson" else x[i])
        return numbers

    def error(self, x):
        return max(abs(a / b - 1) for a, b in zip(self.found(x), self.values))

    def truth(self):
        x = [float(v) for v in self.problem.initial]
        start = self.found(x)
        for i, name, value, first in zip(self.at, self.names, self.values, start):
            x[i] = math.log(value / first) if name.split(".")[-1] in ("young", "bending", "friction") else x[i] + value - first
        return x


def rates(descent):
    """Curvatures of the loss at the truth, by differences of gradients, along each parameter."""
    x = descent.truth()
    lines = []
    for i in descent.at:
        up, down = (descent.value_and_gradient([v + (d if k == i else 0) for k, v in enumerate(x)])[1][i] for d in (1e-3, -1e-3))
        lines.append((up - down) / 2e-3)
    return lines


def descend(descent, rate, budget, differences=True):
    """Losses of all iterations, differences of some, and the first one from which on all errors are below 1 %."""
    x, losses, errors, apart = [float(v) for v in descent.problem.initial], [], [], {}
    for k in range(budget + 1):
        loss, gradient = descent.value_and_gradient(x)
        losses.append(loss)
        errors.append(descent.error(x))
        if loss <= DONE * losses[0]:
            break
        if differences and k % EVERY == 0:
            apart[k] = [abs(gradient[i] - slope) / (abs(slope) + 1e-12) for i in descent.at
                        for slope in [(descent.value([v + (DIFFERENCE if j == i else 0) for j, v in enumerate(x)]) - descent.value([v - (DIFFERENCE if j == i else 0) for j, v in enumerate(x)])) / (2 * DIFFERENCE)]]
        x = [v - rate * g for v, g in zip(x, gradient)]
    low, high = descent.problem.bounds
    assert all(a - 1e-9 <= v <= b + 1e-9 for v, a, b in zip(x, low, high)), "a parameter left its bounds"
    outside = [k for k, error in enumerate(errors) if error > WITHIN]
    losses += [losses[-1]] * (budget + 1 - len(losses))
    return losses, apart, (outside[-1] + 1 if outside else 0), descent.found(x)


def stages(losses):
    """Iterations at which 50 and 90 % of the whole decrease are there (Eq. 31)."""
    first, least = losses[0], min(losses)
    return [next(k for k, loss in enumerate(losses) if first - loss >= part * (first - least)) for part in (0.5, 0.9)]


def drawn(library, lab, seed, budget):
    """The same rates where the truth is another: how many iterations each takes."""
    generator = random.Random(seed)
    parts = {name: generator.uniform(0.6, 1) for name in RATES}
    yield from [f"The rates were chosen on these rows. With them and other truths, drawn between 0.6 and 1 of the way from the start to the number of the row (seed {seed}, once):", "",
                "| experiment | truth | found | iterations to 1 % | verdict |", "| --- | --- | --- | --- | --- |"]
    for case in cases(lab.folder, parts.get):
        descent = Descent(library, lab, case)
        _, _, count, found = descend(descent, RATES[case[0]], budget, False)
        yield f"| {case[0]} | {' / '.join(f'{v:.5g}' for v in descent.values)} | {' / '.join(f'{v:.5g}' for v in found)} | {count if count <= budget else f'not in {budget}'} | {verdict(count <= budget)} |"


def row(descent, rate, budget):
    losses, apart, count, found = descend(descent, rate, budget)
    t50, t90 = stages(losses)
    parts = [(0, t50), (t50, t90), (t90, len(losses))]
    area = [100 * sum(losses[a:b]) / losses[0] / (b - a) if b > a else math.nan for a, b in parts]
    means = []
    for a, b in parts:
        inside = [error for k, row_ in apart.items() if a <= k < b for error in row_]
        means.append(sum(inside) / len(inside) if inside else math.nan)

    def text(values, form):
        return " / ".join("-" if math.isnan(v) else format(v, form) for v in values)

    holds = count <= budget
    return (f"| {descent.words} | {descent.paper} | {len(descent.at)} | {rate:g} | {text(found, '.5g')} | {count if holds else f'not in {budget}'} | {100 * t50 / budget:.3g} / {100 * t90 / budget:.3g} | {text(area, '.3g')} | {text(means, '.0e')} | "
            f"{losses[0]:.2g} to {losses[-1]:.1g} | {verdict(holds)} |")


def main():
    parser = options(__doc__, quick=False)
    parser.add_argument("--case", action="append")
    parser.add_argument("--iterations", type=int, default=BUDGET)
    parser.add_argument("--seed", type=int, help="also from other truths that it draws")
    parser.add_argument("--rates", action="store_true")
    parser.add_argument("--rate", type=float, help="instead of that of the script")
    arguments = parse(parser)
    os.environ.setdefault("DCSIM_LIBRARY", os.path.join(os.path.dirname(arguments.dcsim), "lib", "libdcsim.so"))
    sys.path.insert(0, os.path.join(ROOT, "python"))
    import dcsim as library  # pylint: disable=import-outside-toplevel

    library.set_threads(1)
    lab = Lab(arguments)
    lines = [
        "### Soft bodies: Table 1 of paper 004", "",
        f"By `scripts/paper/soft-table-01` on {processor()}. The protocol of the paper: the loss is the sum of squared distances of the nodes at the end of the run from those of a run with the true number (Eq. 30), and plain gradient descent with a fixed rate, chosen by hand for each as there, "
        f"has {arguments.iterations} iterations. Shapes are procedural, numbers that the paper's text has lost are ours. Moduli, bending and friction are sought by their logarithms; forces as parts of 100 N. Iterations: after which all numbers stay within 1 % (bar of C2: 200). t50, t90: after how many percent of the iterations "
        f"50 and 90 % of the decrease are there. Area: mean loss over the first one, in percent, up to t50, from there to t90, and after (Eq. 32). Apart: mean of |g - d|/(|d| + 1e-12) in the same parts, g the adjoint and d the central difference with a step of {DIFFERENCE:g}, every {EVERY} iterations, of the same converged steps; towards the end both are small (Eq. 33). A descent ends where the loss is {DONE:g} of the first one, which counts for the rest. "
        "The shell resists bending (0.1 N m), so that it stays flat: with a hundredth of that it wrinkles across when it is drawn out, by 3 cm in a pattern that begins with rounding, and the loss by nu has other minima (by hand).", "",
        "| experiment | the paper's numbers | unknown | rate | found | iterations to 1 % | t50 / t90, % | area, early / middle / late | apart, early / middle / late | loss, m^2 | verdict |", "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    print("\n".join(lines))
    for case in cases(lab.folder, lambda name: 1):
        if arguments.case and case[0] not in arguments.case:
            continue
        descent = Descent(library, lab, case)
        if arguments.rates:
            print(case[0], "curvatures", rates(descent), "loss at the start", descent.value(descent.problem.initial), flush=True)
            continue
        lines.append(row(descent, arguments.rate or RATES[case[0]], arguments.iterations))
        print(lines[-1], flush=True)
    if arguments.seed is not None:
        lines.append("")
        lines += drawn(library, lab, arguments.seed, arguments.iterations)
    if not arguments.rates:
        show(arguments, "soft_table", lines)


if __name__ == "__main__":
    main()
