#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Published MJCF files in motion beside MuJoCo's own: masses, frames and a second without contact.  A table by repository.

    scripts/robot_motion.py FOLDER --mujoco .../@mujoco/mujoco/mujoco.js [--build build] [--only TEXT ...] [--most 40] [--limit 120] [--without FLAG ...] [--seed 1]
        [--time 1] [--list FILE] [--markdown]

FOLDER holds checked-out repositories; the models are those of scripts/robot_files.py.  MuJoCo is the package @mujoco/mujoco of npm, which needs node;
scripts/robot_motion.mjs runs it.  Both sides move a second without contact and without a medium from the coordinates of the description, with drawn
velocities and controls.  dcsim's steps are 1/500 s, where these do not agree 1/2000 s and 1/8000 s,
extrapolated to none from halves of them.
A file agrees where masses, places and rotations at the start are within 1e-9, with meshes, whose vertices are single in MuJoCo, within 1e-6, and every body
is after a second within 1 % of the way that it came and of the angle that it turned.  MuJoCo's ranges of joints are soft, dcsim's are not:
--without limit leaves them out of both.
"""
import argparse
import collections
import json
import os
import resource
import subprocess
import sys
import time

import numpy as np

import robot_files

KINDS = ("agrees", "masses", "frames", "motion", "bodies", "refused", "not MuJoCo's", "late")
PART, LEAST_WAY, LEAST_TURN = 0.01, 1e-4, 1e-3  # of the way; m, rad: less is no motion


def wrap(path, flags, key=""):
    """Writes a file beside the model that includes it, disables flags and adds a keyframe, for both sides to read; its path."""
    name = os.path.join(os.path.dirname(path), ".motion-" + os.path.basename(path))
    with open(name, "w") as file:
        file.write('<mujoco><include file="%s"/><option><flag %s/></option><keyframe>%s</keyframe></mujoco>\n' % (os.path.basename(path), " ".join('%s="disable"' % flag for flag in flags), key))
    return name


def roll_out(steps, request, integrator="second_order"):
    """Bodies by their names, and places and rotations [body] at the start and after so many steps of a second, or of the request's "time"."""
    sys.path.insert(0, request["python"])
    import dcsim
    include = {"file": request["file"], "collide": False, "overlaps": "separate"}
    if request["file"].endswith(".xml"):
        include["unsupported"] = "skip"
    if "keyframe" in request:
        include["keyframe"] = request["keyframe"]
    world = {"gravity": request["gravity"]} if "gravity" in request else {}
    scene = dcsim.open({**world, "time": {"step": request.get("time", 1) / steps, "steps": steps, "integrator": integrator}, "contact": {"model": "bsh", "stiffness": 1e-9}, "include": include},
                       os.path.dirname(request["file"]), allowed_paths=[request["folder"]])
    problem = scene.problem(steps)
    problem.value(problem.initial)
    trajectory = problem.trajectory()
    return {body.name: (i, body.mass) for i, body in enumerate(scene.bodies)}, np.array(trajectory.position[[0, -1]]), np.array(trajectory.rotation[[0, -1]])


def compare(steps, request, reference):
    """Largest errors of masses, frames and motion (in parts of the way), the body of the last, and bodies that are not there."""
    names, places, rotations = roll_out(steps, request)
    errors = measure(names, places, rotations, reference)
    if PART < errors["motion"]:  # what is of first order in the step is extrapolated to none
        _, half, turned = roll_out(2 * steps, request)
        errors = measure(names, 2 * half - places, 2 * turned - rotations, reference)
    if PART < errors["motion"]:  # stiff servos ring in steps of second order
        _, places, rotations = roll_out(steps, request, "euler")
        _, half, turned = roll_out(2 * steps, request, "euler")
        errors = min(errors, measure(names, 2 * half - places, 2 * turned - rotations, reference), key=lambda one: one["motion"])
    return errors


def measure(names, places, rotations, reference):
    worst = {"masses": 0, "frames": 0, "motion": 0, "lacks": [], "at": ""}
    for k, (begun, end) in enumerate(zip(reference["bodies"], reference["end"])):
        i, mass = names.get(begun["name"].replace("/", "_"), (None, 0))
        if i is None and begun["mass"] > 1e-15 and reference["way"][k] > LEAST_WAY:
            worst["lacks"].append(begun["name"])
        if i is None or begun["mass"] < 1e-15 or not mass > 0:  # what stands still has no mass here
            continue
        worst["masses"] = max(worst["masses"], abs(mass / begun["mass"] - 1))
        for when, theirs in ((0, begun), (1, end)):
            off = np.linalg.norm(places[when, i] - theirs["place"])
            turned = np.abs(rotations[when, i].ravel() - theirs["rotation"]).max()
            if when == 0:
                worst["frames"] = max(worst["frames"], off, turned)
                continue
            part = max(off / max(reference["way"][k], LEAST_WAY / PART), turned / max(reference["spin"][k], LEAST_TURN / PART))
            if part > worst["motion"]:
                worst["motion"], worst["at"] = part, begun["name"]
    return worst


def judge(worst, part=PART):
    if worst["lacks"]:
        return "bodies"
    for what, bound in (("masses", 1e-6), ("frames", 1e-6), ("motion", part)):
        if not worst[what] <= bound:
            return what
    return "agrees"


def one(arguments):
    """A child's work: a request on the standard input, a verdict on the standard output."""
    request = json.load(sys.stdin)
    try:
        for steps in arguments.steps:
            worst = compare(steps, request, request["reference"])
            if judge(worst) != "motion":
                break
        print(json.dumps(worst))
    except Exception as error:
        print(json.dumps({"error": str(error)}))


def start_mujoco(module):
    script = os.path.join(os.path.dirname(os.path.realpath(__file__)), "robot_motion.mjs")
    return subprocess.Popen(["node", script, module], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(node, request):
    node.stdin.write(json.dumps(request) + "\n")
    node.stdin.flush()
    return json.loads(node.stdout.readline())


def try_one(arguments, node, repository, path):
    """Verdict and figures of a file.  With drawn velocities and controls both sides read a file that has a keyframe more."""
    request = {"folder": repository, "file": wrap(path, arguments.without), "step": arguments.step, "time": arguments.time, "python": arguments.python}
    try:
        if arguments.seed:
            drawn = ask(node, dict(request, seed=arguments.seed))
            if "error" in drawn:
                return "not MuJoCo's", {"at": drawn["error"]}
            wrap(path, arguments.without, drawn["key"])
            request["keyframe"] = "motion"
        return try_request(arguments, node, request)
    finally:
        os.unlink(request["file"])


def try_request(arguments, node, request):
    reference = ask(node, request)
    if "error" in reference:
        return "not MuJoCo's", {"at": reference["error"]}
    done = subprocess.run([sys.executable, __file__, "--one", ".", "--steps", *map(str, arguments.steps)], input=json.dumps(dict(request, reference=reference)), capture_output=True, text=True,
                          env=dict(os.environ, OMP_NUM_THREADS="1", DCSIM_LIBRARY=os.path.join(arguments.build, "lib/libdcsim.so")),
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(arguments.limit), int(arguments.limit) + 2)))
    if not done.stdout.strip():
        return "late", {"at": "status %d %s" % (done.returncode, done.stderr[-200:])}
    worst = json.loads(done.stdout.strip().splitlines()[-1])
    if "error" in worst:
        return "refused", {"at": worst["error"]}
    worst["medium"] = reference["medium"]
    return judge(worst), worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--mujoco")
    parser.add_argument("--build", default="build")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--most", type=int, default=40)
    parser.add_argument("--limit", type=float, default=120)
    parser.add_argument("--step", type=float, default=2.5e-4, help="of MuJoCo, s")
    parser.add_argument("--time", type=float, default=1, help="that models move for, s")
    parser.add_argument("--steps", type=int, nargs="+", default=[500, 2000, 8000])
    parser.add_argument("--without", nargs="*", default=[], metavar="FLAG", help="flags of MJCF to be disabled on both sides, such as limit")
    parser.add_argument("--seed", type=int, default=1, help="of drawn velocities and controls; 0: none, all starts at rest")
    parser.add_argument("--list")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--one", action="store_true")
    arguments = parser.parse_args()
    if arguments.one:
        return one(arguments)
    arguments.folder, arguments.build = os.path.realpath(arguments.folder), os.path.realpath(arguments.build)
    arguments.python = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "python")
    node = start_mujoco(arguments.mujoco)
    rows = collections.OrderedDict()
    listing = open(arguments.list, "w") if arguments.list else sys.stderr
    for name in sorted(os.listdir(arguments.folder)):
        repository = os.path.join(arguments.folder, name)
        models = [m[0] for m in robot_files.models_of(repository) if m[1] == "mujoco" and (not arguments.only or any(text in m[0] for text in arguments.only))]
        for path in robot_files.some(models, arguments.most):
            begun = time.time()
            verdict, worst = try_one(arguments, node, repository, path)
            rows.setdefault(name, collections.Counter())[verdict] += 1
            print("%-13s %6.1f %s: %s" % (verdict, time.time() - begun, os.path.relpath(path, arguments.folder), json.dumps(worst)), file=listing, flush=True)
    form = "| " + " | ".join(["%s"] * (len(KINDS) + 2)) + " |" if arguments.markdown else "%-20s" + " %12s" * (len(KINDS) + 1)
    print(form % (("repository", "files") + KINDS))
    if arguments.markdown:
        print("|---" * (len(KINDS) + 2) + "|")
    total = collections.Counter()
    for name, counts in rows.items():
        total.update(counts)
        print(form % ((name, sum(counts.values())) + tuple(counts[kind] for kind in KINDS)))
    print(form % (("all", sum(total.values())) + tuple(total[kind] for kind in KINDS)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
