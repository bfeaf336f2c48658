#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ten tasks with soft bodies: how often they are reached from drawn starts, and how right their gradients are.

    scripts/soft_tasks.py [--draws N] [--seed S] [--seconds LIMIT] [--jobs N] [--gradients] [--dcsim PROGRAM]
        [--markdown FILE] [--keep FOLDER] [TASK...]
    scripts/soft_tasks.py --mesh FILE

Every task is a scene of scenes/ whose first guess is trivial: controls at zero, starts at rest, a straight guide.  It
is optimized as it stands (draw 0) and from draws of what the table DRAWS below names: places, speeds, targets, masses,
friction and stiffness, each within bounds that leave the task what it is.  A line for each says whether the task was
reached, by which losses and after how many iterations.  --gradients compares the adjoint with differences over the
first 10 steps of each scene, at the first guess.  --keep keeps the runs, and takes those that have ended.

--mesh writes the mesh of scenes/soft_quadruped.json: cells of 3 cm, a trunk and four legs, cut into six tetrahedra each.
"""
import argparse
import concurrent.futures
import itertools
import json
import math
import os
import random
import shutil
import subprocess
import sys

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def bodies_of(scene):
    return {body["name"]: body for body in scene["bodies"]}


def move(scene, names, shift):
    """Moves the starts of bodies."""
    for name in names:
        body = bodies_of(scene)[name]
        body["position"] = [x + dx for x, dx in zip(body["position"], shift)]


def times(scene, name, key, factor):
    body = bodies_of(scene)[name]
    part = body if key in body else body["soft"]
    part[key] *= factor


def pneumatic_finger(scene, draw):
    scene["objective"][0]["target"][2] += draw.uniform(-0.006, 0.006)
    times(scene, "finger", "young", draw.uniform(0.8, 1.25))


def muscle_worm(scene, draw):
    scene["objective"][0]["target"][0] = draw.uniform(0.012, 0.028)
    for name in ("ground", "worm"):
        bodies_of(scene)[name]["friction"] = draw.uniform(0.5, 0.9)


def soft_throw_bin(scene, draw):
    move(scene, ["ball"], [draw.uniform(-0.15, 0.15), draw.uniform(-0.15, 0.15), draw.uniform(-0.1, 0.2)])


def soft_arm_lift(scene, draw):
    times(scene, "part", "mass", draw.uniform(0.6, 1.5))
    move(scene, ["part"], [draw.uniform(-5e-4, 5e-4), draw.uniform(-0.004, 0.004), 0])
    scene["objective"][0]["target"][2] = draw.uniform(0.08, 0.12)
    scene["contact"]["friction"] = draw.uniform(0.7, 1.1)


def soft_quadruped(scene, draw):
    way, angle = draw.uniform(0.08, 0.14), draw.uniform(-0.3, 0.3)
    scene["objective"][0]["target"][:2] = [way * math.cos(angle), way * math.sin(angle)]
    times(scene, "animal", "young", draw.uniform(0.8, 1.25))


def cloth_fold(scene, draw):
    rise = draw.uniform(0, 0.02)
    move(scene, [name for name in bodies_of(scene) if name != "table"], [0, 0, rise])
    for name in ("table", "cloth"):
        bodies_of(scene)[name]["friction"] = draw.uniform(0.4, 0.8)
    times(scene, "cloth", "bending", draw.uniform(0.5, 2))


def cloth_bar(scene, draw):
    move(scene, [name for name in bodies_of(scene) if name != "bar"], [draw.uniform(-0.05, 0.01), 0, draw.uniform(0, 0.04)])
    for name in ("bar", "cloth"):
        bodies_of(scene)[name]["friction"] = draw.uniform(0.3, 0.5)


def cushion_catch(scene, draw):
    move(scene, ["ball"], [draw.uniform(-0.06, 0.06), draw.uniform(-0.06, 0.06), draw.uniform(-0.05, 0.05)])
    ball = bodies_of(scene)["ball"]
    ball["velocity"] = [v + draw.uniform(-0.1, 0.1) for v in ball["velocity"]]


def rope_post(scene, draw):
    shift = [draw.uniform(-0.03, 0.03), draw.uniform(-0.01, 0.02), 0]
    move(scene, ["post"], shift)
    for objective in scene["objective"]:
        objective["target"] = [x + dx for x, dx in zip(objective["target"], shift)]


def guide_orient(scene, draw):
    part, angle = bodies_of(scene)["part"], draw.uniform(0.6, 1.3)
    part["rotation"] = [math.cos(angle / 2), 0, 0, math.sin(angle / 2)]
    move(scene, ["part"], [0, draw.uniform(-0.02, 0.02), 0])


DRAWS = (soft_arm_lift, pneumatic_finger, muscle_worm, soft_quadruped, cloth_fold, cloth_bar, cushion_catch,
         soft_throw_bin, rope_post, guide_orient)


def run(command):
    """What a command says with --json."""
    told = subprocess.run(command + ["--json", "--quiet", "--threads", "1"], capture_output=True, text=True)
    if not told.stdout:
        sys.exit(f"{' '.join(command)}: {told.stderr}")
    return json.loads(told.stdout)


def path_of(name):
    return os.path.join(TREE, "scenes", name + ".json")


def differentiate(options, name):
    """The largest difference of the adjoint from differences, of the first 10 steps at the first guess."""
    return run([options.dcsim, "gradcheck", path_of(name), "--steps", "10"])["max_relative_error"]


def kept(folder):
    """What a run in a folder said, unless there is none or it was stopped: then the folder is emptied."""
    if not os.path.isdir(folder):
        return None
    try:
        with open(os.path.join(folder, "run.json")) as file:
            told = json.load(file)
        if not told["stopped"]:
            return told["result"]
    except (OSError, KeyError):
        pass
    shutil.rmtree(folder)
    return None


def optimize(options, vary, number):
    """A row of the table: a scene as it is (number 0) or changed by a draw."""
    name = vary.__name__
    with open(path_of(name)) as file:
        scene = json.load(file)
    if number:
        vary(scene, random.Random(f"{options.seed} {name} {number}"))
    path = path_of(f".drawn-{os.getpid()}-{name}-{number}")  # beside the meshes it names
    with open(path, "w") as file:
        json.dump(scene, file)
    output = os.path.join(options.keep, f"{name}-{number}") if options.keep else "none"
    try:
        told = kept(output) or run([options.dcsim, "optimize", path, "-o", output, "--max-time", str(options.seconds)])
    finally:
        os.remove(path)
    return [name, str(number), "yes" if told["success"] else "no", f"{told['initial_loss']:.3g}", f"{told['loss']:.3g}",
            str(told["iterations"])]


def write_mesh(path):
    """A trunk of 8 x 3 x 1 cells on four legs of 2 x 1 x 2 cells each."""
    edge, corners = 0.03, {}
    cells = {(i, j, 2) for i in range(8) for j in range(3)} | {(i, j, k) for i in (0, 1, 6, 7) for j in (0, 2) for k in (0, 1)}
    tetrahedra = []
    for cell in sorted(cells):
        for order in itertools.permutations(range(3)):
            corner, way = list(cell), [cell]
            for axis in order:
                corner[axis] += 1
                way.append(tuple(corner))
            numbers = [corners.setdefault(c, len(corners) + 1) for c in way]
            if order not in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
                numbers[2:] = numbers[:1:-1]
            tetrahedra.append(numbers)
    with open(path, "w") as file:
        file.write(f"MeshVersionFormatted 2\nDimension 3\nVertices\n{len(corners)}\n")
        for i, j, k in sorted(corners, key=corners.get):
            file.write(f"{(i - 4) * edge:g} {(j - 1.5) * edge:g} {(k - 1.5) * edge:g} 0\n")
        file.write(f"Tetrahedra\n{len(tetrahedra)}\n")
        for numbers in tetrahedra:
            file.write(" ".join(map(str, numbers)) + " 0\n")
        file.write("End\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*")
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--gradients", action="store_true")
    parser.add_argument("--dcsim", default=os.path.join(TREE, "build", "dcsim"))
    parser.add_argument("--markdown")
    parser.add_argument("--keep")
    parser.add_argument("--mesh")
    options = parser.parse_args()
    if options.mesh:
        return write_mesh(options.mesh)
    chosen = [vary for vary in DRAWS if not options.tasks or vary.__name__ in options.tasks]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        asked = [(vary.__name__, pool.submit(differentiate, options, vary.__name__)) for vary in chosen if options.gradients]
        runs = [(vary.__name__, number, pool.submit(optimize, options, vary, number))
                for vary in chosen for number in range(options.draws + 1)]
        gradients = {}
        for name, answer in asked:
            gradients[name] = answer.result()
            print(f"{name:18} gradients within {gradients[name]:.1e}", flush=True)
        rows, reached = [], {}
        for name, number, answer in runs:
            rows.append(answer.result())
            if number:
                reached[name] = reached.get(name, 0) + (rows[-1][2] == "yes")
            print(f"{name:18} draw {number}: " + "  ".join(rows[-1][2:]), flush=True)
    whole = sum(count == options.draws for count in reached.values())
    print(f"reached from all draws: {whole} of {len(reached)}; draws: {sum(reached.values())} of {options.draws * len(reached)}")
    if options.markdown:
        words = " ".join(a for a in sys.argv[1:] if a != "--markdown" and a != options.markdown)
        with open(options.markdown, "w") as file:
            file.write("# Ten tasks with soft bodies\n\n"
                       f"Measured by `scripts/soft_tasks.py {words} --markdown FILE`: one thread. Draw 0 is the scene as it is "
                       "shipped, by which its settings were chosen; the others were drawn and nothing was chosen by them.\n\n"
                       f"Reached from all draws: {whole} of {len(reached)} tasks; {sum(reached.values())} of "
                       f"{options.draws * len(reached)} draws.\n\n"
                       "| task | draw | reached | loss at first | loss | iterations |\n|---|---|---|---|---|---|\n")
            file.writelines("| " + " | ".join(row) + " |\n" for row in rows)
            if gradients:
                file.write("\nLargest relative difference of adjoint and differences (`dcsim gradcheck --steps 10`), at the first guess.\n\n"
                           "| task | difference |\n|---|---|\n")
                file.writelines(f"| {name} | {error:.1e} |\n" for name, error in gradients.items())


if __name__ == "__main__":
    main()
