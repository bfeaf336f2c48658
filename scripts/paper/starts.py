#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far gather and sort come when their cubes start elsewhere: runs rich in contact are chaotic, one success says little.

    scripts/paper/starts.py [--task gather|sort] [--draws N ...] [--iterations N] [--max-time SECONDS] [--dcsim FILE]
        [--output DIR]

Draw 0 is the scene; in the others every cube starts up to 5 cm off in x and in y, drawn anew until cubes are 13 cm apart.
Prints a Markdown table and writes it to DIR/starts_TASK.md (default: runs/paper).  --iterations: of a window, instead of the
scene's.  A row takes some minutes.
"""
import json
import random

from measuring import answer, options, parse, publish, scene_path, settings

MOST, APART = 0.05, 0.13  # m


def starts(scene, draw):
    """Overrides that move the cubes."""
    cubes = [(i, body["position"]) for i, body in enumerate(scene["bodies"]) if body["name"].startswith("cube")]
    generator = random.Random(draw)
    while draw:
        places = [(x + generator.uniform(-MOST, MOST), y + generator.uniform(-MOST, MOST)) for _, (x, y, _) in cubes]
        if all((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 >= APART**2 for k, p in enumerate(places) for q in places[:k]):
            return [f"bodies[{i}].position=[{x:.3f},{y:.3f},{position[2]}]" for (i, position), (x, y) in zip(cubes, places)]
    return []


def main():
    parser = options(__doc__, quick=False)
    parser.add_argument("--task", choices=["gather", "sort"], default="sort")
    parser.add_argument("--draws", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--iterations", type=int)
    parser.add_argument("--max-time", type=float, default=900)
    arguments = parse(parser)
    path = scene_path(arguments.task)
    with open(path, encoding="utf-8") as file:
        scene = json.load(file)
    lines = [f"### {arguments.task} from other starts", "",
             "By `scripts/paper/starts.py`: the scene" +
             (f" with {arguments.iterations} iterations a window" if arguments.iterations else "") +
             "; draw 0 is the scene, in the others every cube "
             "starts up to 5 cm off in x and in y.", "",
             "| draw | last loss | fall | reached | steps applied | ms per step | s |", "| --- | --- | --- | --- | --- | --- | --- |"]
    for draw in arguments.draws:
        more = [f"horizon.iterations={arguments.iterations}"] if arguments.iterations else []
        result, _ = answer(arguments.dcsim, "optimize", path, "-o", "none", "--json", "--quiet", "--max-time", str(arguments.max_time),
                           *settings(*more, *starts(scene, draw)))
        lines.append(f"| {draw} | {result['loss']:.3g} | {100 * (1 - result['loss'] / result['initial_loss']):.1f} % | "
                     f"{'yes' if result['success'] else 'no'} | {result['steps']} | {1e3 * result['seconds_per_step']:.2f} | "
                     f"{result['seconds']:.0f} |")
        print(lines[-1], flush=True)
        publish(arguments, f"starts_{arguments.task}", lines)


if __name__ == "__main__":
    main()
