#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Grasps refined (paper 002, section V-E): every scene scenes/grasp_*.json from its own start and from starts drawn anew.

    scripts/paper/refine_grasps.py [--quick] [--output DIR] [--dcsim FILE] [--starts N] [--publish]

A grasp's final state is moved by N(0, 5 mm) in each direction, turned by 0.15 rad about a random axis, and every joint that leads by
N(0, 0.15 rad); from there Levenberg-Marquardt and the paper's descent (2000 steps of 1 mm, 1 mrad, 10 mrad, a tenth of it after
half of them, a hundredth after four fifths) bring the pairs together again.  Writes DIR (default: runs/paper/refine-grasps) with
grasps.json, grasps.md and, by matplotlib, figure-07.png: hands before and after.  --quick: one drawn start, no descent, four
pictures.  --publish copies the table and the picture to docs/measured.  Wants a python3 with h5py.
"""
import argparse
import glob
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
sys.path.insert(0, os.path.join(ROOT, "scripts", "paper"))
import charts  # noqa: E402
from grasps import multiply, turn_by, unit4  # noqa: E402
from measure import processor  # noqa: E402

DESCENT = {"type": "normalized_descent", "normalize": "each", "rotation_step": 1e-3, "translation_step": 1e-3, "joint_step": 1e-2,
           "phases": [0.5, 0.8]}
PICTURES = ("hand3_cup", "hand3_torus", "hand3_hammer", "hand5_ball", "hand5_bottle", "hand5_stool")


HEAD = """### Grasps (paper 002, Figure 7)

By `scripts/paper/refine-grasps`: the scenes `scenes/grasp_*.json`, found by closing fingers (`scripts/grasps.py`). A grasp counts when every pair is within 0.1 mm and nothing else overlaps by more.
Drawn starts: 5 mm in each direction, 0.15 rad, 0.15 rad at every joint. The paper's descent: 2000 steps of 1 mm, 1 mrad and 10 mrad, a tenth of it after half of them, a hundredth after four fifths.
"""


class Bench:
    def __init__(self, arguments):
        self.program, self.starts, self.quick = arguments.dcsim, arguments.starts, arguments.quick

    def optimize(self, scene, directory, optimizer=None):
        command = [self.program, "optimize", scene, "-o", directory, "--json", "--quiet"]
        if directory != "none":
            command.append("--no-report")
        if optimizer:
            command += ["--set", "optimizer=" + json.dumps(optimizer)]
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"})
        if done.returncode:
            sys.exit(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout)


def final_state(run, scene):
    """Position and rotation of the hand's root, and the coordinates of the joints of the scene's include, as they are at the end."""
    import h5py  # not every python3 has it
    include = scene["include"]
    with open(os.path.join(run, "resolved.json"), encoding="utf-8") as file:
        bodies = json.load(file)["bodies"]
    joints = {}
    with h5py.File(os.path.join(run, "trajectory.h5"), "r") as file:
        root = next(b for b in bodies if b["name"] == "palm")
        rotation = [float(x) for x in file["bodies/palm/rotation"][-1]]
        center = root.get("center_of_mass", [0, 0, 0])
        if max(abs(x) for x in center) > 1e-12:
            sys.exit("the palm's frame must have its origin at its centre of mass")
        position = [float(x) for x in file["bodies/palm/position"][-1]]
        angles = {name: float(file["joints/" + name][-1][0]) for name in file["joints"]}
    # a joint of the URDF is that of the body it leads to
    children = joint_children(include["file"])
    for joint in include["joint_position"]:
        joints[joint] = angles[children[joint]]
    return position, rotation, joints


def joint_children(urdf):
    import xml.etree.ElementTree as tree
    root = tree.parse(os.path.join(ROOT, "scenes", urdf)).getroot()
    return {joint.get("name"): joint.find("child").get("link") for joint in root.findall("joint")}


def joint_limits(urdf):
    import xml.etree.ElementTree as tree
    root = tree.parse(os.path.join(ROOT, "scenes", urdf)).getroot()
    return {j.get("name"): (float(j.find("limit").get("lower")), float(j.find("limit").get("upper"))) for j in root.findall("joint")}


def start_anew(scene, state, rng):
    position, rotation, joints = state
    limits = joint_limits(scene["include"]["file"])
    moved = dict(scene, include=dict(scene["include"]))
    moved["include"]["position"] = [x + rng.gauss(0, 0.005) for x in position]
    moved["include"]["rotation"] = unit4(multiply(turn_by(rng, 0.15), rotation))
    moved["include"]["joint_position"] = {
        name: min(max(angle + rng.gauss(0, 0.15), limits[name][0]), limits[name][1]) for name, angle in joints.items()}
    return moved


def largest(result):
    return max(pair["distance"] for pair in result["objectives"])


def measure(bench, path, scratch):
    with open(path, encoding="utf-8") as file:
        scene = json.load(file)
    name = scene["name"]
    run = os.path.join(scratch, name)
    own = bench.optimize(path, run)
    state = final_state(run, scene)
    rows = {"grasp": name[len("grasp_"):], "pairs": len(scene["pairs"]), "own": summary(own), "lm": [], "descent": []}
    rng = random.Random(name)
    for _ in range(bench.starts):
        with tempfile.NamedTemporaryFile("w", suffix=".json", prefix=".grasp-", dir=os.path.join(ROOT, "scenes"), delete=False) as file:
            json.dump(start_anew(scene, state, rng), file)
        try:
            rows["lm"].append(summary(bench.optimize(file.name, "none")))
            if not bench.quick:
                rows["descent"].append(summary(bench.optimize(file.name, "none", DESCENT)))
        finally:
            os.unlink(file.name)
    return rows


def summary(result):
    return {"success": result["success"], "error": largest(result), "overlap": result["overlap"], "queries": result["queries"],
            "seconds": result["seconds"]}


def share(results):
    return sum(r["success"] for r in results) / len(results) if results else math.nan


def percent(value):
    return "-" if value != value else f"{100 * value:.0f} %"


def median(values):
    ordered = sorted(values)
    return ordered[len(ordered) // 2] if ordered else math.nan


def table(rows, bench):
    lines = [HEAD, "| grasp | pairs | its own start: largest error | overlap | drawn starts: LM | median error | median queries | paper's descent "
             "| median error |", "|---|---|---|---|---|---|---|---|---|"]
    for r in rows:
        lines.append(f"| {r['grasp']} | {r['pairs']} | {r['own']['error']:.1e} m | {r['own']['overlap']:.1e} m | {percent(share(r['lm']))} "
                     f"| {median([x['error'] for x in r['lm']]):.1e} m | {median([x['queries'] for x in r['lm']])} "
                     f"| {percent(share(r['descent']))} | {median([x['error'] for x in r['descent']]):.1e} m |")
    lm, descent = [x for r in rows for x in r["lm"]], [x for r in rows for x in r["descent"]]
    good = sum(r["own"]["success"] for r in rows)
    close = sum(r["own"]["error"] < 1e-4 for r in rows)
    lines += ["", f"From its own start: {good} of {len(rows)} grasps have every pair within 0.1 mm and nothing else deeper than that in "
              f"anything ({close} the pairs alone). From {len(lm)} drawn starts, {bench.starts} a grasp: Levenberg-Marquardt "
              f"{percent(share(lm))}" + (f", the paper's descent {percent(share(descent))}" if descent else "") +
              f". Median time of a refinement {1e3 * median([x['seconds'] for x in lm]):.0f} ms on one core of {processor()}.",
              "", "![Hands before (above) and after (below)](refine-figure-07.png)"]
    return "\n".join(lines) + "\n"


def pictures(bench, scratch, path):
    names = PICTURES[:2] + PICTURES[3:5] if bench.quick else PICTURES
    images = []
    for name in names:
        run = os.path.join(scratch, "grasp_" + name)
        done = subprocess.run([bench.program, "render", run, "--every", "1000000", "--size", "320x240", "--samples", "16"],
                              capture_output=True, text=True, check=False)
        frames = sorted(glob.glob(os.path.join(run, "frames", "*.png")))
        if done.returncode or len(frames) < 2:
            sys.exit(f"no pictures of {name}: {done.stderr.strip()}")
        images.append((name.replace("_", ", "), frames[0], frames[-1]))
    python = charts.interpreter()
    if not python:
        print("no picture: no python3 has matplotlib", file=sys.stderr)
        return
    program = """
import json, sys
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plot
images, path = json.loads(sys.argv[1]), sys.argv[2]
figure, axes = plot.subplots(2, len(images), figsize=(1.7 * len(images), 2.9))
for i, (name, before, after) in enumerate(images):
    for row, file in enumerate((before, after)):
        axes[row][i].imshow(plot.imread(file)[10:-10, 40:-40])
        axes[row][i].axis("off")
    axes[0][i].set_title(name, fontsize=8)
figure.subplots_adjust(left=0.01, right=0.99, bottom=0.01, top=0.92, wspace=0.03, hspace=0.03)
figure.savefig(path, dpi=110)
"""
    subprocess.run([python, "-c", program, json.dumps(images), path], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--output", default=os.path.join("runs", "paper", "refine-grasps"))
    parser.add_argument("--dcsim", default=os.path.join(ROOT, "build", "dcsim"))
    parser.add_argument("--starts", type=int)
    parser.add_argument("--publish", action="store_true")
    arguments = parser.parse_args()
    arguments.starts = arguments.starts or (1 if arguments.quick else 10)
    bench = Bench(arguments)
    os.makedirs(arguments.output, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        rows = []
        for path in sorted(glob.glob(os.path.join(ROOT, "scenes", "grasp_*.json"))):
            rows.append(measure(bench, path, scratch))
            print(f"{rows[-1]['grasp']}: {rows[-1]['own']['error']:.1e} m; drawn starts {percent(share(rows[-1]['lm']))}", flush=True)
        picture = os.path.join(arguments.output, "figure-07.png")
        pictures(bench, scratch, picture)
    text = table(rows, bench)
    print(text)
    with open(os.path.join(arguments.output, "grasps.md"), "w", encoding="utf-8") as file:
        file.write(text)
    with open(os.path.join(arguments.output, "grasps.json"), "w", encoding="utf-8") as file:
        json.dump(rows, file, indent=1)
    if arguments.publish:
        measured = os.path.join(ROOT, "docs", "measured")
        shutil.copy(os.path.join(arguments.output, "grasps.md"), os.path.join(measured, "grasps.md"))
        if os.path.exists(picture):
            shutil.copy(picture, os.path.join(measured, "refine-figure-07.png"))


if __name__ == "__main__":
    main()
