#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What steps of a soft body in contact cost by its number of nodes, and its gradient by a step.

    scripts/paper/soft-cost [--most NODES] [--backward-most NODES] [--instructions NODES] [--rounds N] [--dcsim FILE] [--output DIR] [--publish]

Blocks of cubes of 1 cm (E = 20 kPa, nu = 0.3, friction 0.5) fall on the ground with 0.5 m/s and slide with 0.5 m/s.  Processor time of a step: that of a run of 8 steps less that of
one of 2, over 6; the impact is in the first two.  Backward: half of what three iterations of an optimizer take more than one, over those steps of a simulation, less 1.  Instructions are counted by
callgrind where there are at most so many nodes.  Times are medians of N runs (default: 5).
Prints Markdown and writes it to DIR/soft_cost.md (default: runs/paper); --publish: and to docs/measured/soft_cost.md.
"""
import math
import os
import re
import statistics
import subprocess
import tempfile

from measuring import answer, options, parse, processor, publish, write_json

BLOCKS = [[9, 9, 9], [20, 12, 10], [20, 20, 21], [30, 30, 30], [46, 46, 45]]
FIRST, LAST = 2, 8  # steps


def nodes(cells):
    return math.prod(c + 1 for c in cells)


def scene(cells, steps):
    size = [0.01 * c for c in cells]
    place = [0, 0, size[2] / 2 + 0.002]
    return {"name": "soft", "time": {"step": 0.01, "steps": steps}, "gravity": [0, 0, -9.81], "shapes": {"ground": {"type": "plane"}},
            "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground", "friction": 0.5},
                       {"name": "block", "friction": 0.5, "position": place, "velocity": [0.5, 0, -0.5],
                        "soft": {"form": "block", "size": size, "cells": cells, "young": 2e4, "poisson": 0.3, "viscosity": 10}}],
            "design": [{"type": "number", "of": "friction", "bodies": ["block"], "range": [0.1, 10]}],
            "objective": [{"type": "reach", "bodies": ["block"], "target": [1, 0, 0]}],
            "optimizer": {"type": "gradient_descent", "learning_rate": 1e-12, "iterations": 1}}


class Lab:
    def __init__(self, dcsim, folder, rounds):
        self.dcsim, self.folder, self.rounds = dcsim, folder, rounds

    def file(self, cells, steps):
        return write_json(os.path.join(self.folder, f"{nodes(cells)}-{steps}.json"), scene(cells, steps))

    def command(self, verb, cells, steps, *more):
        return [self.dcsim, verb, self.file(cells, steps), "-o", "none", "--json", "--quiet", "--threads", "1", *more]

    def seconds(self, *arguments):
        """Processor time of a command, the median over all rounds, and what it answers."""
        answers = [answer(*arguments) for _ in range(self.rounds)]
        return statistics.median(seconds for _, seconds in answers), answers[-1][0]

    def instructions(self, cells, steps):
        done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={os.devnull}", *self.command("simulate", cells, steps)],
                              capture_output=True, text=True, check=True)
        return int(re.search(r"Collected\s*:\s*(\d+)", done.stderr).group(1))


def main():
    parser = options(__doc__, quick=False)
    parser.add_argument("--most", type=int, default=110000)
    parser.add_argument("--backward-most", type=int, default=100000)
    parser.add_argument("--instructions", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parse(parser)
    lines = ["### Soft bodies: cost of a step", "",
             f"By `scripts/paper/soft-cost` on {processor()}, one thread, processor time beside other processes: blocks of cells of 1 cm, E = 20 kPa, that hit the ground with 0.5 m/s down and 0.5 m/s along it. "
             f"A step: the mean of steps {FIRST + 1} to {LAST}, from medians of {arguments.rounds} runs. The exponent is that of the growth from the row above. Backward: a gradient by one number, over the steps of the simulation. "
             "Bars: 60 ms for 3,000 nodes, exponent 1.3, backward 1.5 forward.", "",
             "| nodes | tetrahedra | Newton iterations a step | ms a step | exponent | million instructions a step | exponent | backward over forward | verdict |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    print("\n".join(lines), flush=True)
    before = smallest = None
    with tempfile.TemporaryDirectory() as folder:
        lab = Lab(arguments.dcsim, folder, arguments.rounds)
        for cells in BLOCKS:
            count, span = nodes(cells), LAST - FIRST
            if count > arguments.most:
                break
            first, _ = lab.seconds(*lab.command("simulate", cells, FIRST))
            last, result = lab.seconds(*lab.command("simulate", cells, LAST))
            step = (last - first) / span
            backward = instructions = None
            if count <= arguments.backward_most:
                once, thrice = [lab.seconds(*lab.command("optimize", cells, LAST, "--set", f"optimizer.iterations={n}"))[0] for n in (1, 3)]
                forward = last - first + FIRST * step
                backward = (thrice - once) / 2 / forward - 1
            if count <= arguments.instructions:
                instructions = (lab.instructions(cells, LAST) - lab.instructions(cells, FIRST)) / span
            growth = [math.log(now / then) / math.log(count / before[0]) if before and now and then else None for now, then in ((step, before[1]), (instructions, before[2]))] if before else [None, None]
            cells_of = [f"{count:,}", f"{6 * math.prod(cells):,}", f"{result['newton_iterations_per_step']:.1f}", f"{1000 * step:.0f}", f"{growth[0]:.2f}" if growth[0] else "",
                        f"{instructions / 1e6:.0f}" if instructions else "", f"{growth[1]:.2f}" if growth[1] else "", f"{backward:.2f}" if backward is not None else ""]
            broken = [words for words, bad in (("time", 2500 < count < 3500 and step > 0.06), ("exponent", growth[0] and growth[0] > 1.3), ("backward", backward is not None and backward > 1.5)) if bad]
            lines.append("| " + " | ".join(cells_of) + f" | {'**does not hold**: ' + ', '.join(broken) if broken else 'holds'} |")
            print(lines[-1], flush=True)
            before = (count, step, instructions)
            smallest = smallest or before
    whole = math.log(before[1] / smallest[1]) / math.log(before[0] / smallest[0]) if before[0] > smallest[0] else None
    if whole:
        lines += ["", f"From {smallest[0]:,} to {before[0]:,} nodes: exponent {whole:.2f}, bar 1.3: {'holds' if whole <= 1.3 else '**does not hold**'}."]
        print("\n".join(lines[-2:]))
    publish(arguments, "soft_cost", lines)


if __name__ == "__main__":
    main()
