#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Refinement on real hands: grasps that exist by construction, started from nearby.

    scripts/paper/refine-hands FOLDER [--only WORD] [--grasps N] [--starts N] [--seed N] [--set KEY=VALUE ...]
                               [--keep DIR] [--table FILE] [--dcsim FILE]

For every hand among the URDF files in FOLDER (what has at least three fingers, which are chains of joints that do not branch):
fingers are bent at random, and before the last link of each a ball, a can or a box of 16 to 36 mm is put, turned at random, and moved
along the shortest way until it touches (distances by "dcsim probe").  These solids together are the object, so that the grasp exists; it
counts as feasible when nothing else overlaps.  The hand then starts off by N(0, 5 mm) in each direction, 0.15 rad about a random axis and
N(0, 0.15 rad) at every joint, within its range.
Prints a line per run and a table, which --table adds to a file; --keep leaves the scenes in DIR, and those found there are taken instead of new ones.
"""
import argparse
import glob
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as tree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
from grasps import normal3, rounded, turn_by, unit, unit4  # noqa: E402
from hands_and_objects import add, box, lathe, scaled, sphere, write_obj  # noqa: E402

TOUCH = 2e-6    # m: a pair touches
APART = 1e-5    # m: what is no pair
FINGERS = 3     # that a grasp has at least
ROUNDS = 3      # of moving solids
ATTEMPTS = 60   # to find a grasp


# ---- kinematics of a URDF file

def matrix_of(quaternion):
    w, x, y, z = quaternion
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def applied(a, v):
    return tuple(sum(a[i][k] * v[k] for k in range(3)) for i in range(3))


def axis_turn(axis, angle):
    return matrix_of([math.cos(angle / 2)] + [math.sin(angle / 2) * x for x in unit(axis)])


def numbers(element, name, default):
    return [float(x) for x in element.get(name, default).split()] if element is not None else [float(x) for x in default.split()]


class Urdf:
    """Joints of a URDF file as a tree."""

    def __init__(self, path):
        self.path = path
        self.joints = [self.joint(j) for j in tree.parse(path).getroot().findall("joint") if j.find("child") is not None]
        self.below = {}
        for joint in self.joints:
            self.below.setdefault(joint["parent"], []).append(joint)
        children = {j["child"] for j in self.joints}
        roots = [j["parent"] for j in self.joints if j["parent"] not in children]
        self.root = roots[0] if roots else None

    @staticmethod
    def joint(j):
        limit, roll = j.find("limit"), numbers(j.find("origin"), "rpy", "0 0 0")
        turn = product(product(axis_turn((0, 0, 1), roll[2]), axis_turn((0, 1, 0), roll[1])), axis_turn((1, 0, 0), roll[0]))
        moves = j.get("type") in ("revolute", "prismatic") and limit is not None
        return {"name": j.get("name"), "parent": j.find("parent").get("link"), "child": j.find("child").get("link"),
                "origin": numbers(j.find("origin"), "xyz", "0 0 0"), "turn": turn, "hinge": j.get("type") == "revolute",
                "moves": moves, "leads": moves and j.find("mimic") is None, "axis": numbers(j.find("axis"), "xyz", "1 0 0"),
                "mimic": None if j.find("mimic") is None else
                (j.find("mimic").get("joint"), float(j.find("mimic").get("multiplier", 1)), float(j.find("mimic").get("offset", 0))),
                "range": (float(limit.get("lower", 0)), float(limit.get("upper", 0))) if moves else None}

    def subtree(self, link):
        found = [link]
        for joint in self.below.get(link, []):
            found += self.subtree(joint["child"])
        return found

    def chain(self, joint):
        """The joints that lead from this one to the end; None where they branch."""
        moving = [j for link in self.still(joint["child"]) for j in self.below.get(link, []) if j["moves"]]
        if len(moving) > 1:
            return None
        rest = self.chain(moving[0]) if moving else []
        return None if rest is None else [joint] + rest

    def still(self, link):
        """A link and those fixed to it."""
        found = [link]
        for joint in self.below.get(link, []):
            if not joint["moves"]:
                found += self.still(joint["child"])
        return found

    def fingers(self, link=None):
        """Chains that do not branch, each as its joints."""
        result = []
        for part in self.still(link or self.root):
            for joint in self.below.get(part, []):
                if joint["moves"]:
                    chain = self.chain(joint)
                    result += [chain] if chain else self.fingers(joint["child"])
        return result

    def place(self, angles):
        """(position, rotation) of every link's frame in the root's."""
        places = {self.root: ((0.0, 0.0, 0.0), axis_turn((0, 0, 1), 0))}
        pending = [self.root]
        while pending:
            link = pending.pop()
            position, rotation = places[link]
            for j in self.below.get(link, []):
                turn, at = product(rotation, j["turn"]), add(position, applied(rotation, j["origin"]))
                angle = angles.get(j["name"], 0.0)
                if j["mimic"]:
                    angle = j["mimic"][1] * angles.get(j["mimic"][0], 0.0) + j["mimic"][2]
                if j["hinge"]:
                    turn = product(turn, axis_turn(j["axis"], angle))
                elif j["moves"]:
                    at = add(at, scaled(applied(turn, unit(j["axis"])), angle))
                places[j["child"]] = (at, turn)
                pending.append(j["child"])
        return places


def draw_angles(urdf, rng):
    """Bent fingers: hinges go part of the way to the farther end of their range, those that go both ways stay near the middle."""
    angles = {}
    for joint in urdf.joints:
        if not joint["leads"]:
            continue
        low, high = joint["range"]
        if abs(low + high) < 0.15 * (high - low):
            angles[joint["name"]] = (low + high) / 2 + rng.uniform(-0.15, 0.15) * (high - low)
            continue
        opened, closed = min(max(0.0, low), high), high if abs(high) >= abs(low) else low
        angles[joint["name"]] = opened + rng.uniform(0.2, 0.65) * (closed - opened)
    return angles


# ---- grasps

def draw_solid(rng):
    radius = rng.uniform(0.008, 0.018)
    kind = rng.choice(("ball", "can", "box"))
    if kind == "ball":
        mesh = sphere(radius)
    elif kind == "can":
        half = rng.uniform(0.6, 1.4) * radius
        mesh = lathe([(0, -half), (radius, -half), (radius, half), (0, half)], 24)
    else:
        mesh = box([2 * radius * rng.uniform(0.6, 1.2) for _ in range(3)])
    turn = matrix_of(unit4([rng.gauss(0, 1) for _ in range(4)]))
    return [applied(turn, v) for v in mesh[0]], mesh[1]


class Lab:
    def __init__(self, arguments, folder, scratch):
        self.program, self.scratch, self.set = arguments.dcsim, scratch, arguments.set
        self.paths = ["--allow-path", folder, "--package-path", folder, "--allow-path", scratch, "--threads", "1"]

    def call(self, command, scene, *more):
        used = os.times()
        done = subprocess.run([self.program, command, scene, "--json"] + list(more) + self.paths, capture_output=True, text=True,
                              check=False, env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"})
        now = os.times()
        if done.returncode:
            return None, done.stderr.strip()
        return json.loads(done.stdout), now.children_user - used.children_user

    def scene(self, urdf, solids, pairs, angles, position=(0, 0, 0), rotation=(1, 0, 0, 0)):
        """Solids: (name, mesh parts); their files stand beside the scene."""
        shapes, bodies = {}, []
        for name, parts in solids:
            file = os.path.join(self.scratch, f"{name}.obj")
            write_obj(file, name, parts)
            shapes[name] = {"type": "mesh", "file": file, "convex": True}
            bodies.append({"name": name, "joint": "fixed", "shape": name, "position": [0, 0, 0]})
        return {"problem": "refine", "shapes": shapes, "bodies": bodies, "pairs": pairs,
                "include": {"file": urdf.path, "base": "free", "position": rounded(position), "rotation": rounded(rotation, 12),
                            "joint_position": {k: round(v, 9) for k, v in angles.items()}}}

    def probe(self, scene):
        path = os.path.join(self.scratch, "probe.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(scene, file)
        answer, problem = self.call("probe", path)
        if not answer:
            raise RuntimeError(problem)
        return answer["pairs"]


def between(pairs, solid, links):
    """The pair of a solid and the nearest of the links, turned so that a is the solid."""
    found = []
    for p in pairs:
        if p["b"] == solid:
            p = {**p, "a": p["b"], "b": p["a"], "a_point": p["b_point"], "b_point": p["a_point"],
                 "normal": [-x for x in p["normal"]]}
        if p["a"] == solid and p["b"] in links:
            found.append(p)
    return min(found, key=lambda p: p["gap"]) if found else None


def touch(lab, urdf, solids, fingers, bodies, some, angles):
    """Moves each solid to its finger, or out of what it overlaps most, and again; those that touch and overlap nothing, with the rest
    of the hand clear of itself; or None."""
    for last in [False] * ROUNDS + [True]:
        pairs = lab.probe(lab.scene(urdf, solids, some, angles))
        names = {name for name, _ in solids}
        if min(p["gap"] for p in pairs if not {p["a"], p["b"]} & names) < APART:
            return None
        good = []
        for i, ((name, ((vertices, faces),)), finger) in enumerate(zip(solids, fingers)):
            own, nearest = between(pairs, name, finger), between(pairs, name, bodies)
            if nearest["gap"] >= -TOUCH and abs(own["gap"]) <= TOUCH:
                good.append((vertices, faces))
                continue
            go = nearest if nearest["gap"] < -TOUCH else own
            solids[i] = (name, [([add(v, scaled(go["normal"], go["gap"])) for v in vertices], faces)])
        if len(good) == len(solids) or last:
            return good if len(good) >= FINGERS else None


def find_grasp(lab, urdf, bodies, fingers, rng):
    """One attempt: the object's parts, angles and pairs, or None."""
    angles = draw_angles(urdf, rng)
    places = urdf.place(angles)
    tips = [places[finger[-1]][0] for finger in fingers]
    middle = tuple(sum(x) / len(tips) for x in zip(*tips))
    solids = []
    for i, tip in enumerate(tips):
        inward = unit(add(middle, scaled(tip, -1)))
        center = add(add(tip, scaled(inward, 0.03)), scaled(normal3(rng), 0.008))
        vertices, faces = draw_solid(rng)
        solids.append((f"solid{i}", [([add(center, v) for v in vertices], faces)]))
    some = [{"object": "solid0", "object_point": [0, 0, 0], "link": next(b for b in fingers[0] if b in bodies), "link_point": [0, 0, 0]}]
    parts = touch(lab, urdf, solids, fingers, bodies, some, angles)
    if not parts:
        return None
    pairs = lab.probe(lab.scene(urdf, [("object", parts)], [dict(some[0], object="object")], angles))
    touching, free = [], []
    for p in pairs:
        (touching if "object" in (p["a"], p["b"]) and abs(p["gap"]) <= TOUCH else free).append(p)
    if min(p["gap"] for p in free) < APART or len(touching) < FINGERS:
        return None
    found = [between([p], "object", bodies) for p in touching]
    return parts, angles, [{"object": "object", "object_point": rounded(p["a_point"]), "link": p["b"],
                            "link_point": rounded(p["b_point"])} for p in found]


def start_off(urdf, angles, rng):
    position = [rng.gauss(0, 0.005) for _ in range(3)]
    limits = {j["name"]: j["range"] for j in urdf.joints if j["leads"]}
    moved = {name: min(max(a + rng.gauss(0, 0.15), limits[name][0]), limits[name][1]) for name, a in angles.items()}
    return moved, position, unit4(turn_by(rng, 0.15))


def make_scenes(lab, urdf, arguments, keep):
    """Scenes of a hand, and the names of their files."""
    name = os.path.splitext(os.path.basename(urdf.path))[0]
    chains = urdf.fingers()
    rng = random.Random(f"{arguments.seed} {name}")
    far = ([add((10, 0, 0), v) for v in box((0.1, 0.1, 0.1))[0]], box((0.1, 0.1, 0.1))[1])
    rest = {j["name"]: min(max(0.0, j["range"][0]), j["range"][1]) for j in urdf.joints if j["leads"]}
    for link in (x for chain in chains for x in urdf.subtree(chain[-1]["child"])):
        some = [{"object": "object", "object_point": [0, 0, 0], "link": link, "link_point": [0, 0, 0]}]
        try:
            pairs = lab.probe(lab.scene(urdf, [("object", [far])], some, rest))
            break
        except RuntimeError as problem:
            last = problem
    else:
        print(f"{name}: {last}", file=sys.stderr)
        return []
    bodies = {p["b"] if p["a"] == "object" else p["a"] for p in pairs if "object" in (p["a"], p["b"])}
    fingers = [urdf.subtree(chain[0]["child"]) for chain in chains]
    fingers = [finger for finger in fingers if any(link in bodies for link in finger)]
    files = []
    for attempt in range(ATTEMPTS):
        if len(files) >= arguments.grasps * arguments.starts:
            break
        grasp = find_grasp(lab, urdf, bodies, fingers, rng)
        if not grasp:
            continue
        parts, angles, touching = grasp
        number = len(files) // arguments.starts
        for start in range(arguments.starts):
            scene = lab.scene(urdf, [("object", parts)], touching, *start_off(urdf, angles, rng))
            scene["name"] = f"{name}_{number}_{start}"
            mesh = os.path.join(keep, f"{name}_{number}.obj")
            write_obj(mesh, scene["name"], parts)
            scene["shapes"]["object"]["file"] = mesh
            files.append(os.path.join(keep, scene["name"] + ".json"))
            with open(files[-1], "w", encoding="utf-8") as file:
                json.dump(scene, file, indent=1)
        print(f"{name}: grasp {number} of {len(touching)} pairs, attempt {attempt + 1}", file=sys.stderr, flush=True)
    return files


def measure(lab, path):
    options = [x for setting in lab.set for x in ("--set", setting)]
    began = time.time()
    result, used = lab.call("optimize", path, "-o", "none", "--quiet", *options)
    if not result:
        return {"success": False, "problem": used}
    return {"success": result["success"], "error": max(p["distance"] for p in result["objectives"]), "overlap": result["overlap"],
            "queries": result["queries"], "iterations": result["iterations"], "restarts": result["restarts"],
            "seconds": result["seconds"], "cpu": used, "wall": time.time() - began, "pairs": len(result["objectives"])}


def median(values):
    return sorted(values)[len(values) // 2] if values else math.nan


def part(values, share):
    """The value that a share of them does not exceed."""
    return sorted(values)[max(math.ceil(share * len(values)) - 1, 0)] if values else math.nan


def table(rows):
    """Times are processor seconds of the whole program: reading meshes and making hulls of them, too."""
    lines = ["| hand | runs | reached | median error | median queries | worst | processor time: median | 90 % | worst |",
             "|---|---|---|---|---|---|---|---|---|"]
    for hand, runs in rows.items():
        good = [r for r in runs if "problem" not in r]
        lines.append(f"| {hand} | {len(runs)} | {100 * sum(r['success'] for r in runs) / len(runs):.0f} % "
                     f"| {median([r['error'] for r in good]):.1e} m | {median([r['queries'] for r in good])} "
                     f"| {max(r['queries'] for r in good)} | {median([r['cpu'] for r in good]):.2f} s "
                     f"| {part([r['cpu'] for r in good], 0.9):.2f} s | {max(r['cpu'] for r in good):.2f} s |")
    return "\n".join(lines)


def hands(folder, only):
    for path in sorted(glob.glob(os.path.join(os.path.abspath(folder), "**", "*.urdf"), recursive=True)):
        if only not in path:
            continue
        urdf = Urdf(path)
        if urdf.root and len(urdf.fingers()) >= FINGERS:
            yield urdf


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--only", default="", help="hands whose path has this word")
    parser.add_argument("--grasps", type=int, default=8)
    parser.add_argument("--starts", type=int, default=1)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--keep")
    parser.add_argument("--table")
    parser.add_argument("--dcsim", default=os.path.join(ROOT, "build", "dcsim"))
    arguments = parser.parse_args()
    rows = {}
    with tempfile.TemporaryDirectory() as scratch:
        keep = os.path.abspath(arguments.keep or scratch)
        os.makedirs(keep, exist_ok=True)
        lab = Lab(arguments, os.path.abspath(arguments.folder), scratch)
        lab.paths += ["--allow-path", keep]
        for urdf in hands(arguments.folder, arguments.only):
            name = os.path.splitext(os.path.basename(urdf.path))[0]
            files = sorted(glob.glob(os.path.join(keep, name + "_[0-9]*_[0-9]*.json"))) or make_scenes(lab, urdf, arguments, keep)
            for path in files:
                run = measure(lab, path)
                rows.setdefault(name, []).append(run)
                print(os.path.basename(path), {k: f"{v:.3g}" if isinstance(v, float) else v for k, v in run.items()}, flush=True)
    print(table(rows))
    if arguments.table:
        with open(arguments.table, "a", encoding="utf-8") as file:
            file.write(f"Seed {arguments.seed}:\n\n{table(rows)}\n\n")


if __name__ == "__main__":
    main()
