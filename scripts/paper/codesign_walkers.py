#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Walkers whose feet are sought together with their gait (after paper 003, Figures 11 to 13).

    scripts/paper/codesign-spider [--quick] [--seed N] [--dcsim FILE] [--output DIR] [--publish]
    scripts/paper/codesign-biped  the same
    scripts/paper/codesign_walkers.py --scenes DIR

Optimizes scenes/codesign_TASK.json as it is, and without its design for as many iterations, replays the first one's gait with the
scene's feet, and prints Markdown, which DIR/codesign_TASK.md (default: runs/paper) holds, too; --publish: and
docs/measured/codesign_TASK.md.  Verdict of the spider: with its feet it comes at least 5 % farther than with the first ones, and
than with controls alone.  Of the biped, which learns to stand for longer and longer before it shall walk: with its feet the torso
ends above 0.7 of its height, and not without.  --quick: 10 iterations of 60 steps, no verdict.

--scenes writes the scenes instead.  Feet are three ellipsoids of 32 vertices each, spread by the golden angle; the spider is
built on level ground and then turned, so that it climbs a slope.
"""
import argparse
import csv
import json
import math
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FAR = 20  # m to the target, which nothing reaches
STAND = (100, 200, 300, 400)  # steps that the biped learns to stand
UPRIGHT = 0.7  # of the height of the biped's torso
GAP = 0.034  # m between foot and ground at the start: feet may grow by 3 cm


def multiply(a, b):
    return [a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]]


def about(axis, angle):
    return [math.cos(angle / 2)] + [math.sin(angle / 2) * x for x in axis]


def turned(rotation, x):
    w, conjugate = [0] + list(x), [rotation[0]] + [-q for q in rotation[1:]]
    return multiply(multiply(rotation, w), conjugate)[1:]


def rounded(numbers):
    return [round(x, 9) + 0.0 for x in numbers]


def ellipsoid(center, radii, count, phase):
    """x, y, z of points on an ellipsoid, one after the other."""
    points = []
    for i in range(count):
        z = 1 - (2 * i + 1) / count
        angle = phase + i * math.pi * (3 - math.sqrt(5))
        r = math.sqrt(1 - z * z)
        points += [center[0] + radii[0] * r * math.cos(angle), center[1] + radii[1] * r * math.sin(angle),
                   center[2] + radii[2] * z]
    return [round(x, 5) + 0.0 for x in points]


def lowest(parts):
    return min(min(part["vertices"][2::3]) for part in parts)


class Robot:
    """Bodies given on level ground, turned by `slope` about -y."""

    def __init__(self, slope):
        self.slope = about([0, 1, 0], -slope)
        self.bodies = []

    def place(self, x):
        return rounded(turned(self.slope, x))

    def add(self, name, shape, position, joint, yaw=0.0, **more):
        rotation = multiply(self.slope, about([0, 0, 1], yaw))
        for part in joint:
            for key in ("axis", "axis2", "anchor"):
                if key in part:
                    part[key] = self.place(part[key])
        body = {"name": name, "shape": shape, "position": self.place(position), "joint": joint}
        if abs(abs(rotation[0]) - 1) > 1e-12:
            body["rotation"] = [round(x, 12) for x in rotation]
        self.bodies.append({**body, **more})


def spider():
    slope, robot = math.radians(15), Robot(math.radians(15))
    foot = [{"vertices": ellipsoid([0, 0, 0.1], [0.03, 0.03, 0.065], 32, 0)},
            {"vertices": ellipsoid([0, 0, 0], [0.028, 0.028, 0.065], 32, 1)},
            {"vertices": ellipsoid([0, 0, -0.1], [0.032, 0.032, 0.06], 32, 2)}]
    knee = 0.15  # of the lower leg, above its origin
    height = -lowest(foot) + GAP + knee
    orange = [0.75, 0.45, 0.1]
    robot.add("ground", "ground", [0, 0, 0], [{"type": "fixed"}])
    robot.bodies[0]["joint"] = "fixed"
    robot.add("base", "base", [0, 0, height],
              [{"type": "slide", "axis": [1, 0, 0]}, {"type": "slide", "axis": [0, 1, 0]},
               {"type": "slide", "axis": [0, 0, 1]}, {"type": "hinge", "axis": [0, 0, 1]}], density=500, color=orange)
    pd = {"kp": 200, "kd": 20}
    for leg in range(4):
        yaw = math.pi / 4 + leg * math.pi / 2
        out, side = [math.cos(yaw), math.sin(yaw), 0], [-math.sin(yaw), math.cos(yaw), 0]
        at = lambda r: [r * out[0], r * out[1], height]
        robot.add(f"upper{leg}", "upper", at(0.25), [{"type": "universal", "axis": [0, 0, 1], "axis2": side,
                                                       "anchor": at(0.16)}], yaw, parent="base", density=500, pd=dict(pd),
                  color=orange)
        robot.add(f"lower{leg}", "foot", [at(0.34)[0], at(0.34)[1], height - knee],
                  [{"type": "hinge", "axis": list(side), "anchor": at(0.34)}], yaw, parent=f"upper{leg}", density=500,
                  pd=dict(pd), color=[0.55, 0.3, 0.08])
    legs = [f"{part}{leg}" for leg in range(4) for part in ("upper", "lower")]
    return {
        "description": "After paper 003, Figure 11, which gives no sizes: a spider of nine links climbs a slope of 15 degrees"
                       " as far as it comes in 3 s.  Its gait and the 96 vertices of its foot, which all four legs share,"
                       " are sought together.  Written by scripts/paper/codesign_walkers.py.",
        "time": {"step": 0.01, "steps": 300},
        "contact": {"model": "sdrs", "stiffness": 1, "length": 0.1, "support": 0.1, "friction": 0.5,
                    "friction_smoothing": 1e-3},
        "shapes": {"ground": {"type": "plane"}, "base": {"type": "box", "size": [0.22, 0.22, 0.08]},
                   "upper": {"type": "box", "size": [0.18, 0.05, 0.05]}, "foot": {"type": "hulls", "link": True, "parts": foot}},
        "bodies": robot.bodies,
        "control": [{"type": "sines", "bodies": legs, "waves": 4, "amplitude": 0.05, "frequency": 1.5, "seed": 1,
                     "ramp": 0.3, "low": [-0.7], "high": [0.7]}],
        "objective": [{"type": "com", "target": rounded([FAR * math.cos(slope), 0, FAR * math.sin(slope)])}],
        "design": [{"type": "vertices", "shape": "foot", "box": [0.03, 0.03, 0.03], "scale": 0.04, "connect": "link",
                    "hold": [-1, -1, 0.05, 1, 1, 1]}],
        "optimizer": {"type": "adam", "learning_rate": 0.01, "iterations": 110},
        "camera": {"eye": [1.2, -3.2, 2.2], "target": [1.2, 0, 0.4], "up": [0, 0, 1], "fov_deg": 45},
    }


def mirrored(parts):
    """Parts with x the other way round; vertex for vertex."""
    return [{"vertices": [x * (-1 if i % 3 == 0 else 1) + 0.0 for i, x in enumerate(part["vertices"])]} for part in parts]


def biped():
    robot = Robot(0)
    foot = [{"vertices": ellipsoid([0, -0.025, -0.001], [0.025, 0.025, 0.025], 32, 0)},
            {"vertices": ellipsoid([0, 0, 0], [0.03, 0.03, 0.03], 32, 1)},
            {"vertices": ellipsoid([0, 0.025, -0.001], [0.025, 0.025, 0.025], 32, 2)}]
    bottom = -lowest(foot) + 0.024
    ankle, knee, hip = bottom + 0.02, bottom + 0.22, bottom + 0.42
    blue = [0.2, 0.4, 0.7]
    robot.add("ground", "ground", [0, 0, 0], [{"type": "fixed"}])
    robot.bodies[0]["joint"] = "fixed"
    robot.add("torso", "torso", [0, 0, hip + 0.12], [{"type": "free"}], density=500, color=blue)
    robot.bodies[1]["joint"] = "free"
    pd = {"kp": 2000, "kd": 200}
    for side, x in (("left", -0.06), ("right", 0.06)):
        hinge = lambda z: [{"type": "hinge", "axis": [1, 0, 0], "anchor": [x, 0, z]}]
        robot.add(f"{side}_upper", "leg", [x, 0, (hip + knee) / 2], hinge(hip), parent="torso", density=500, pd=dict(pd), color=blue)
        robot.add(f"{side}_lower", "leg", [x, 0, (knee + ankle) / 2], hinge(knee), parent=f"{side}_upper", density=500,
                  pd=dict(pd), color=blue)
        robot.add(f"{side}_foot", f"{side}_foot", [x, 0, bottom], hinge(ankle), parent=f"{side}_lower", density=500,
                  pd=dict(pd), color=[0.1, 0.2, 0.4])
    legs = [f"{side}_{part}" for side in ("left", "right") for part in ("upper", "lower", "foot")]
    return {
        "description": "After paper 003, Figures 12 and 13, which give no sizes: a biped of seven links walks on feet that are"
                       " too short and too round to stand on.  Its gait and the 96 vertices of its feet, which are mirror"
                       " images, are sought together.  Written by scripts/paper/codesign_walkers.py.",
        "time": {"step": 0.01, "steps": 400},
        "contact": {"model": "sdrs", "stiffness": 1, "length": 0.1, "support": 0.1, "friction": 0.5,
                    "friction_smoothing": 1e-3},
        "shapes": {"ground": {"type": "plane"}, "torso": {"type": "box", "size": [0.18, 0.1, 0.2]},
                   "leg": {"type": "box", "size": [0.04, 0.04, 0.18]},
                   "left_foot": {"type": "hulls", "link": True, "parts": foot},
                   "right_foot": {"type": "hulls", "link": True, "parts": mirrored(foot)}},
        "bodies": robot.bodies,
        "control": [{"type": "sines", "bodies": legs, "waves": 4, "amplitude": 0.02, "frequency": 1.5, "seed": 1,
                     "ramp": 0.3, "low": [-0.7], "high": [0.7]}],
        "objective": [{"type": "com", "target": [0, 3, 0.4]},
                      {"type": "point", "body": "torso", "target": [0, 0, hip + 0.12], "axes": "z", "when": "every", "weight": 1000}],
        "design": [{"type": "vertices", "shape": "left_foot", "mirror": "right_foot", "mirror_axis": "x",
                    "box": [0.02, 0.06, 0.02], "scale": 0.1, "connect": "link"}],
        "optimizer": {"type": "adam", "learning_rate": 0.01, "iterations": 100},
        "camera": {"eye": [3, 1.5, 1.2], "target": [0, 1.2, 0.3], "up": [0, 0, 1], "fov_deg": 45},
    }


def text_of(value, indent=0):
    """JSON with a line for every body, shape, entry."""
    pad = "  " * (indent + 1)
    if indent < 2 and isinstance(value, dict) and value and any(isinstance(v, (dict, list)) for v in value.values()):
        rows = [f"{pad}{json.dumps(k)}: {text_of(v, indent + 1)}" for k, v in value.items()]
        return "{\n" + ",\n".join(rows) + "\n" + "  " * indent + "}"
    if indent < 2 and isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(pad + json.dumps(v) for v in value) + "\n" + "  " * indent + "]"
    return json.dumps(value)


def run(arguments, command, name, settings):
    folder = os.path.join(arguments.output, name)
    shutil.rmtree(folder, ignore_errors=True)
    line = [arguments.dcsim, command, os.path.join(ROOT, "scenes", f"codesign_{arguments.task}.json"), "-o", folder, "--json",
            "--quiet", "--no-report", "--threads", "1", "--set", f"control.0.seed={arguments.seed}"]
    if arguments.quick:
        line += ["--set", "optimizer.iterations=10", "--set", "time.steps=60"]
    done = subprocess.run(line + settings, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def climbed(result):
    return FAR - result["objectives"][0]["distance"]


def compare_spider(arguments):
    both = run(arguments, "optimize", "codesign_spider", [])
    alone = run(arguments, "optimize", "codesign_spider_controls", ["--set", "design=[]"])
    first = run(arguments, "simulate", "codesign_spider_first",
                ["--set", "design=[]", "--control", os.path.join(arguments.output, "codesign_spider")])
    lines = [f"Random gait {arguments.seed} at the start.", "", "| | iterations | climbed, m | against it |", "|---|---|---|---|"]
    for name, result in (("gait and feet", both), ("the same gait with the first feet", first), ("gait alone", alone)):
        lines.append(f"| {name} | {result['iterations'] or ''} | {climbed(result):.2f} |"
                     + ("" if result is both else f" {100 * (climbed(both) / climbed(result) - 1):+.1f} %") + " |")
    if not arguments.quick:
        met = climbed(both) >= 1.05 * max(climbed(first), climbed(alone))
        lines += ["", f"Verdict: {'met' if met else 'not met'} (5 % farther than either)."]
    return lines


def torso(arguments, name):
    """Height of the torso at the end, as a part of that at the start, and how far it came, m."""
    folder = os.path.join(arguments.output, name)
    table = os.path.join(folder, "motion.csv")
    done = subprocess.run([arguments.dcsim, "export", folder, "--format", "csv", "-o", table], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    with open(table, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return (float(rows[-1]["torso.z [m]"]) / float(rows[0]["torso.z [m]"]),
            float(rows[-1]["torso.y [m]"]) - float(rows[0]["torso.y [m]"]))


def stages(arguments, name, settings):
    """The last run of several: to stand for longer and longer, then to walk."""
    iterations, earlier = 0, []
    for steps in () if arguments.quick else STAND:
        stage = f"{name}_{steps}"
        iterations += run(arguments, "optimize", stage, settings + earlier + [
            "--set", "objective.0.weight=0.01", "--set", f"time.steps={steps}", "--set", "optimizer.iterations=40"])["iterations"]
        earlier = ["--control", os.path.join(arguments.output, stage)]
    return iterations + run(arguments, "optimize", name, settings + earlier)["iterations"]


def compare_biped(arguments):
    name = "codesign_biped"
    iterations = {name: stages(arguments, name, []), name + "_controls": stages(arguments, name + "_controls", ["--set", "design=[]"])}
    control = ["--control", os.path.join(arguments.output, name)]
    run(arguments, "simulate", name + "_first", control + ["--set", "design=[]"])
    if not arguments.quick:
        run(arguments, "simulate", name + "_mujoco", control + ["--model", "mujoco"])
    lines = [f"Random gait {arguments.seed} at the start.", "", "| | iterations | height of the torso at the end, of that at the start | came, m |",
             "|---|---|---|---|"]
    heights = {}
    for title, result in (("gait and feet", name), ("the same gait with the first feet", name + "_first"), ("gait alone", name + "_controls"),
                          ("gait and feet, MuJoCo", name + "_mujoco")):
        if arguments.quick and result.endswith("mujoco"):
            continue
        heights[result], way = torso(arguments, result)
        lines.append(f"| {title} | {iterations.get(result, '')} | {heights[result]:.2f} | {way:.2f} |")
    if not arguments.quick:
        met = heights[name] >= UPRIGHT > heights[name + "_controls"]
        lines += ["", f"Verdict: {'met' if met else 'not met'} (above {UPRIGHT} at the end with feet, and below without)."]
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("task", nargs="?", default="spider", choices=("spider", "biped"))
    parser.add_argument("--scenes")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--dcsim", default=os.path.join(ROOT, "build", "dcsim"))
    parser.add_argument("--output", default=os.path.join(ROOT, "runs", "paper"))
    parser.add_argument("--publish", action="store_true")
    arguments = parser.parse_args()
    if not arguments.scenes:
        os.makedirs(arguments.output, exist_ok=True)
        compare = {"spider": compare_spider, "biped": compare_biped}[arguments.task]
        text = "\n".join(compare(arguments)) + "\n"
        print(text, end="")
        task = f"codesign_{arguments.task}"
        for folder in [arguments.output] + ([os.path.join(ROOT, "docs", "measured")] if arguments.publish else []):
            with open(os.path.join(folder, task + ".md"), "w", encoding="utf-8") as file:
                file.write(f"### {arguments.task.capitalize()} (after paper 003, Figures 11 to 13)\n\nBy `scripts/paper/codesign-{arguments.task}`, "
                           f"`scenes/{task}.json`. {text}" if folder != arguments.output else text)
        return
    for name, scene in (("codesign_spider", spider()), ("codesign_biped", biped())):
        with open(os.path.join(arguments.scenes, name + ".json"), "w", encoding="utf-8") as file:
            file.write(text_of(scene) + "\n")


if __name__ == "__main__":
    main()
