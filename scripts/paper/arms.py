# SPDX-License-Identifier: Apache-2.0
"""What a step of an arm costs that holds a pose under PD, forward and with its adjoint, and what simplified hulls change about forces.

    scripts/paper/arms FOLDER [--names NAME,...] [--forces] [--package-path DIR ...] [--quick] [--publish] [--dcsim FILE]

The first URDF file below FOLDER whose path ends in each of the names is included as it comes, every joint driven (kp 1000, kd 100), and holds
the pose of the file for 100 steps of 0.01 s, with a full field and with "self_contact": "auto" and "self_field": "near".  A step with its
adjoint: processor time of the whole program, of optimizations of n and of 4 n iterations, as long as cost.py asks.
A step alone: likewise, of simulations of 100 n and 400 n steps.  One thread, medians and least of several runs, taken in turns.
With --forces also what simplification changes about the force of each link's hull above a cube, as scripts/paper/simplified-forces does.
"""
import json
import os
import statistics
import sys
import tempfile

import measuring
import robots
import simplified_forces
from cost import RATE, Cost

NAMES = ["iiwa14.urdf", "ur5_robot.urdf", "ur5e_glb.urdf", "panda.urdf", "xarm7.urdf", "rm75.urdf", "kinova.urdf", "z1.urdf"]
WAYS = [("a full field", {"self_field": "full"}), ("auto and near", {"self_contact": "auto", "self_field": "near"})]
STEPS, TRIES = 100, 3
GAPS = [1e-3, 1e-2, 1e-1]


def hold(arguments, path, include, folder):
    """The scene of an arm that holds its pose, every joint driven; its path."""
    scene = os.path.join(folder, "arm", "arm.json")
    os.makedirs(os.path.dirname(scene), exist_ok=True)
    trial = robots.Trial(arguments, path)
    done = trial.run("import", dict(include, pd={"kp": 1000, "kd": 100}), STEPS, options=["-o", scene])
    if done is None or done.returncode:
        sys.exit("%s: %s" % (path, robots.failure(done, arguments.limit)))
    with open(scene, encoding="utf-8") as file:
        text = json.load(file)
    for body in text["bodies"]:  # what only is to be seen costs reading
        body.pop("visual", None)
    text["shapes"] = {name: shape for name, shape in text["shapes"].items() if ":visual" not in name}
    joints = [body["name"] for body in text["bodies"] if body.get("pd")]
    text["control"] = [{"type": "pd_targets", "body": name, "hold": 10} for name in joints]
    text["objective"] = [{"type": "joints", "bodies": joints, "target": [0.05] * len(joints), "tolerance": 1e-6, "when": "end"}]
    text["optimizer"] = {"type": "adam", "learning_rate": RATE}
    return measuring.write_json(scene, text), len(joints)


def costs(arguments, scene):
    """Of a step alone and of an iteration."""
    common = ["-o", "none", "--quiet", "--json", "--threads", "1", "--set"]
    yield Cost(lambda n: [arguments.dcsim, "simulate", scene, *common, "time.steps=%d" % (STEPS * n)], "steps")
    yield Cost(lambda n: [arguments.dcsim, "optimize", scene, *common, "optimizer.iterations=%d" % n])


def links(arguments, path, folder):
    """The hulls of the collision meshes of an arm, as shapes that are not simplified."""
    scene, _ = hold(arguments, path, {"hull_points": 0, "longest_edge": 0}, folder)
    with open(scene, encoding="utf-8") as file:
        shapes = json.load(file)["shapes"]
    for shape in shapes.values():
        if shape["type"] == "mesh" and shape.get("convex"):
            yield dict(shape, file=os.path.join(os.path.dirname(scene), shape["file"]))


def triangles(arguments, path, include):
    """Of the bodies, and how far the hulls stand out at most, m."""
    said = json.loads(robots.Trial(arguments, path).run("check", include, 2, options=["--json"]).stdout)
    shapes = {name: shape for name, shape in said["shapes"].items() if ":visual" not in name}
    # parts of a link are LINK:1, LINK:2 ...
    return sum(shape["triangles"] for name, shape in shapes.items() if ":" not in name), max(shape.get("deviation") or 0 for shape in shapes.values())


def changes(arguments, path, folder):
    """By gap: changes of the links' forces by simplification."""
    found = [[] for _ in GAPS]
    for hull in links(arguments, path, folder):
        touch = simplified_forces.lowest(arguments, hull, folder)
        for gap, list_of in zip(GAPS, found):
            exact = simplified_forces.force(arguments, hull, simplified_forces.REFERENCE, touch + gap, folder)
            list_of.append(simplified_forces.force(arguments, hull, simplified_forces.DEFAULT, touch + gap, folder) / exact - 1)
    return found


def cost_rows(arguments, path, tries):
    """Cells of one arm in the table of costs."""
    cells = []
    with tempfile.TemporaryDirectory() as folder:
        for i, (_, include) in enumerate(WAYS):
            scene, joints = hold(arguments, path, include, os.path.join(folder, str(i)))
            both = list(costs(arguments, scene))
            for _ in range(tries):
                for cost in both:
                    cost.once()
            step, iteration = ([1e3 * x for x in cost.found] for cost in both)
            whole = [x / STEPS for x in iteration]
            cells += ["%.2f (%.2f)" % (statistics.median(x), min(x)) for x in (step, whole)]
    before, _ = triangles(arguments, path, {"hull_points": 0, "longest_edge": 0})
    after, deviation = triangles(arguments, path, {})
    return [joints, before, after, "%.1f" % (1e3 * deviation)] + cells


def force_row(arguments, path):
    with tempfile.TemporaryDirectory() as folder:
        found = changes(arguments, path, folder)
    if not found[0]:
        return [0] + ["-"] * len(GAPS)
    return [len(found[0])] + ["%+.1f %%, %+.1f %%" % (100 * statistics.median(x), 100 * max(x, key=abs)) for x in found]


def tell_forces(arguments, paths):
    lines = ["", "Forces of links of these arms on a cube below them, as of `scripts/paper/simplified-forces`: change by the default simplification against the file's hull with edges of at most 1 cm, the median",
              "of the links with meshes and the greatest.", "",
              "| arm | links | " + " | ".join("gap %g mm" % (1e3 * gap) for gap in GAPS) + " |", "|---" * (2 + len(GAPS)) + "|"]
    for path in paths:
        lines.append("| %s | %s |" % (os.path.basename(path), " | ".join(map(str, force_row(arguments, path)))))
        print(lines[-1], flush=True)
    return lines


def main():
    parser = measuring.options(__doc__)
    parser.add_argument("folder", type=os.path.abspath)
    parser.add_argument("--names", default=",".join(NAMES))
    parser.add_argument("--package-path", action="append", default=[], type=os.path.abspath)
    parser.add_argument("--forces", action="store_true", help="and what simplification changes about the forces of the links")
    parser.add_argument("--limit", default=120, type=float)
    arguments = measuring.parse(parser)
    found = robots.find(arguments.folder, [])
    paths = [next((path for path in found if path.endswith("/" + name)), None) for name in arguments.names.split(",")]
    if None in paths:
        sys.exit("not below %s: %s" % (arguments.folder, arguments.names.split(",")[paths.index(None)]))
    tries = 2 if arguments.quick else TRIES
    lines = ["### Arms that hold a pose", "",
             "By `scripts/paper/arms FOLDER`: files of dex-urdf, example-robot-data and unitree_ros as they come, every joint under PD (kp 1000, kd 100) at the pose of the file, %d steps of 0.01 s," % STEPS,
             "contact model bsh. Milliseconds of processor time a step on one core of %s, which other programs used, too: median of %d runs (least). `auto and near`:" % (measuring.processor(), tries),
             '`"self_contact": "auto", "self_field": "near"`. Triangles of the collision geometry: hulls of the file, simplified (the default), and how far the hulls stand out of that.', "",
             "| arm | joints | triangles | simplified | deviation, mm | " + " | ".join("%s: step | with adjoint" % name for name, _ in WAYS) + " |", "|---" * (5 + 2 * len(WAYS)) + "|"]
    for path in paths:
        lines.append("| %s | %s |" % (os.path.relpath(path, arguments.folder), " | ".join(map(str, cost_rows(arguments, path, tries)))))
        print(lines[-1], flush=True)
    if arguments.forces:
        lines += tell_forces(arguments, paths)
    measuring.publish(arguments, "arms", lines)


if __name__ == "__main__":
    main()
