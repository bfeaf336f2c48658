#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Makes scenes/grasp_HAND_OBJECT.json: a hand near an object and pairs of points that should touch.
#
#   scripts/grasps.py [--dcsim PROGRAM] [--scenes FOLDER] [--seed N] [HAND_OBJECT ...]
#
# A grasp is found without any optimizer: the palm is put near the object from a random side, every finger closes until it touches
# (distances by "dcsim probe"), and what touches are the pairs.  Grasps of fewer than three fingers, without the thumb, or with
# anything overlapping are drawn again.  The scene then starts from the hand moved by 5 mm in each direction, turned by 0.15 rad and
# with every joint off by 0.15 rad (standard deviations; the turn exactly).  The same seed gives the same scenes on one machine.
import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile

OBJECTS = ("ball", "egg", "can", "brick", "cup", "bottle", "hammer", "torus", "angle", "stool")
TOUCH = 2e-6  # m: a finger touches
CLEAR = 6e-4  # m: what is no pair must be farther apart than the clearance of the refinement

# Of each finger: its links, and its joints as (name, angle when open, angle when closed); then the joints that stay, as drawn.
HANDS = {
    "hand3": {
        "fingers": [([f"proximal_{i}", f"distal_{i}"], [(f"flex_{i}", -0.7, 1.5), (f"tip_{i}", 0.1, 1.1)]) for i in (1, 2, 3)],
        "drawn": [("spread_1", -0.4, 0.4)],
        "must": [],
        "limits": {"spread_1": (-0.7, 0.7), **{f"flex_{i}": (-0.8, 1.5) for i in (1, 2, 3)},
                   **{f"tip_{i}": (-0.3, 1.6) for i in (1, 2, 3)}},
    },
    "hand4": {
        "fingers": [([f"{n}_proximal", f"{n}_middle", f"{n}_distal"],
                     [(f"{n}_flex", -0.2, 1.4), (f"{n}_bend", 0.1, 1.1), (f"{n}_tip", 0.1, 0.9)]) for n in ("index", "middle", "ring")] +
                   [(["thumb_proximal", "thumb_distal"], [("thumb_flex", -0.5, 1.4), ("thumb_tip", 0.0, 1.0)])],
        "drawn": [("thumb_turn", -0.6, 0.6), ("thumb_roll", -0.4, 0.4)] + [(f"{n}_spread", -0.2, 0.2) for n in ("index", "middle", "ring")],
        "must": ["thumb_proximal", "thumb_distal"],
        "objects": ("can",),
        "limits": {"thumb_turn": (-0.8, 0.8), "thumb_roll": (-0.6, 0.6), "thumb_flex": (-0.6, 1.5), "thumb_tip": (-0.2, 1.6),
                   **{f"{n}_{j}": limit for n in ("index", "middle", "ring")
                      for j, limit in (("spread", (-0.4, 0.4)), ("flex", (-0.2, 1.6)), ("bend", (-0.2, 1.6)), ("tip", (-0.2, 1.6)))}},
    },
    "hand5": {
        "fingers": [([f"{n}_proximal", f"{n}_middle", f"{n}_distal"], [(f"{n}_flex", -0.2, 1.5), (f"{n}_bend", 0.1, 1.1)])
                    for n in ("index", "middle", "ring", "little")] +
                   [(["thumb_proximal", "thumb_distal"], [("thumb_flex", -0.5, 1.4), ("thumb_tip", 0.0, 1.0)])],
        "drawn": [("thumb_turn", -0.6, 0.6)] + [(f"{n}_spread", -0.1, 0.1) for n in ("index", "middle", "ring", "little")],
        "must": ["thumb_proximal", "thumb_distal"],
        "limits": {"thumb_turn": (-0.8, 0.8), "thumb_flex": (-0.6, 1.4), "thumb_tip": (-0.3, 1.5),
                   **{f"{n}_{j}": limit for n in ("index", "middle", "ring", "little")
                      for j, limit in (("spread", (-0.25, 0.25)), ("flex", (-0.3, 1.6)), ("bend", (0, 1.6)))}},
    },
}


def normal3(rng):
    return [rng.gauss(0, 1) for _ in range(3)]


def unit(v):
    length = math.sqrt(sum(x * x for x in v))
    return [x / length for x in v]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def multiply(a, b):
    w, x, y, z = a
    W, X, Y, Z = b
    return [w * W - x * X - y * Y - z * Z, w * X + x * W + y * Z - z * Y, w * Y - x * Z + y * W + z * X,
            w * Z + x * Y - y * X + z * W]


def quaternion_of(columns):
    """Of the rotation with these columns."""
    (a, b, c) = columns
    trace = a[0] + b[1] + c[2]
    if trace > 0:
        s = 2 * math.sqrt(trace + 1)
        return unit4([s / 4, (b[2] - c[1]) / s, (c[0] - a[2]) / s, (a[1] - b[0]) / s])
    if a[0] >= b[1] and a[0] >= c[2]:
        s = 2 * math.sqrt(1 + a[0] - b[1] - c[2])
        return unit4([(b[2] - c[1]) / s, s / 4, (b[0] + a[1]) / s, (c[0] + a[2]) / s])
    if b[1] >= c[2]:
        s = 2 * math.sqrt(1 - a[0] + b[1] - c[2])
        return unit4([(c[0] - a[2]) / s, (b[0] + a[1]) / s, s / 4, (c[1] + b[2]) / s])
    s = 2 * math.sqrt(1 - a[0] - b[1] + c[2])
    return unit4([(a[1] - b[0]) / s, (c[0] + a[2]) / s, (c[1] + b[2]) / s, s / 4])


def unit4(q):
    length = math.sqrt(sum(x * x for x in q))
    return [x / length for x in q]


class Lab:
    """One hand and one object, and the program that measures distances."""

    def __init__(self, program, scenes, hand, thing):
        self.program, self.scenes, self.hand, self.thing = program, scenes, hand, thing

    def scene(self, position, rotation, joints, pairs, description=None):
        scene = {"name": f"grasp_{self.hand}_{self.thing}"}
        if description:
            scene["description"] = description
        scene.update({
            "problem": "refine",
            "shapes": {"object": {"type": "mesh", "file": f"objects/{self.thing}.obj", "convex": True}},
            "bodies": [{"name": "object", "joint": "fixed", "shape": "object", "position": [0, 0, 0], "color": [0.25, 0.45, 0.75]}],
            "include": {"file": f"hands/{self.hand}.urdf", "base": "free", "position": position, "rotation": rotation,
                        "joint_position": joints},
            "pairs": pairs,
            "camera": {"eye": [0.28, -0.34, 0.24], "target": [0, 0, 0], "fov_deg": 40},
        })
        return scene

    def probe(self, position, rotation, joints):
        some = [{"object": "object", "object_point": [0, 0, 0], "link": "palm", "link_point": [0, 0, 0]}]
        with tempfile.NamedTemporaryFile("w", suffix=".json", dir=self.scenes, prefix=".grasp-", delete=False) as file:
            json.dump(self.scene(position, rotation, joints, some), file)
        try:
            run = subprocess.run([self.program, "probe", file.name, "--json"], capture_output=True, text=True, check=False,
                                 env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"})
        finally:
            os.unlink(file.name)
        if run.returncode:
            sys.exit(f"grasps: {run.stderr.strip()}")
        return json.loads(run.stdout)["pairs"]


def object_gaps(pairs):
    """For every link the pair with the object, turned so that a is the object."""
    gaps = {}
    for pair in pairs:
        if pair["b"] == "object":
            pair = {**pair, "a": "object", "b": pair["a"], "a_point": pair["b_point"], "b_point": pair["a_point"]}
        if pair["a"] == "object":
            gaps[pair["b"]] = pair
    return gaps


def approach(lab, rng, drawn):
    """Puts the palm in front of the object: its position, rotation; None when it does not come near."""
    out = unit(normal3(rng))
    side = unit(cross(out, unit(normal3(rng))))
    z = [-x for x in out]
    rotation = quaternion_of((side, cross(z, side), z))
    offset = [0.01 * x for x in normal3(rng)]
    distance, goal = 0.3, rng.uniform(0.012, 0.045)
    open_joints = {name: start for _, joints in HANDS[lab.hand]["fingers"] for name, start, _ in joints}
    for _ in range(12):
        position = [o + distance * u for o, u in zip(offset, out)]
        gap = object_gaps(lab.probe(position, rotation, {**drawn, **open_joints}))["palm"]["gap"]
        if abs(gap - goal) < 1e-3:
            return position, rotation
        distance += goal - gap
    return None


def close_fingers(lab, position, rotation, drawn):
    """Closes every finger until it touches; the joints, and for each finger its touching link or None."""
    fingers = HANDS[lab.hand]["fingers"]
    share = [0.0] * len(fingers)          # of the way from open to closed
    touching = [None] * len(fingers)
    done = [False] * len(fingers)
    before = [None] * len(fingers)        # (share, gap) of the last probe
    rate = [0.16 * sum(abs(b - a) for _, a, b in joints) for _, joints in fingers]  # m per share, at most
    for _ in range(80):
        joints = dict(drawn)
        for s, (_, parts) in zip(share, fingers):
            joints.update({name: a + s * (b - a) for name, a, b in parts})
        pairs = lab.probe(position, rotation, joints)
        gaps = object_gaps(pairs)
        for i, (links, _) in enumerate(fingers):
            if done[i]:
                continue
            link = min(links, key=lambda name: gaps[name]["gap"])
            gap = gaps[link]["gap"]
            if abs(gap) <= TOUCH:
                done[i], touching[i] = True, link
                continue
            if share[i] == 0 and gap < 0:
                return None
            # a step that cannot reach the object, or the secant's where that is longer but not by much
            step = gap / rate[i]
            if before[i] and before[i][1] != gap:
                secant = gap * (share[i] - before[i][0]) / (before[i][1] - gap)
                if gap > 0:
                    step = min(secant, 3 * step) if secant > 0 else 3 * step
                else:
                    step = max(secant, -0.05)
            before[i] = (share[i], gap)
            share[i] = max(share[i] + step, 0.0)
            if share[i] >= 1:
                share[i], done[i] = 1.0, True
        if all(done):
            return joints, touching, pairs
    return None


def turn_by(rng, angle):
    axis = unit(normal3(rng))
    return [math.cos(angle / 2)] + [math.sin(angle / 2) * x for x in axis]


def rounded(numbers, digits=9):
    return [round(x, digits) for x in numbers]


def find(lab, rng):
    for attempt in range(1, 200):
        hand = HANDS[lab.hand]
        drawn = {name: rng.uniform(a, b) for name, a, b in hand["drawn"]}
        placed = approach(lab, rng, drawn)
        closed = placed and close_fingers(lab, *placed, drawn)
        if not closed:
            continue
        joints, touching, pairs = closed
        links = [link for link in touching if link]
        if len(links) < 3 or (hand["must"] and not any(link in hand["must"] for link in links)):
            continue
        gaps = object_gaps(pairs)
        others = [p for p in pairs if not ("object" in (p["a"], p["b"]) and (p["a"] in links or p["b"] in links))]
        if min(p["gap"] for p in others) < CLEAR:
            continue
        return attempt, placed, joints, [gaps[link] for link in links]
    sys.exit(f"grasps: none found for {lab.hand} and {lab.thing}")


def make(lab, seed):
    rng = random.Random(f"{seed} {lab.hand} {lab.thing}")
    attempt, (position, rotation), joints, touching = find(lab, rng)
    pairs = [{"object": "object", "object_point": rounded(p["a_point"]), "link": p["b"], "link_point": rounded(p["b_point"])}
             for p in touching]
    start = [x + rng.gauss(0, 0.005) for x in position]
    turned = multiply(turn_by(rng, 0.15), rotation)
    limits = HANDS[lab.hand]["limits"]
    off = {name: min(max(angle + rng.gauss(0, 0.15), limits[name][0]), limits[name][1]) for name, angle in joints.items()}
    text = (f"A grasp that closing fingers found (draw {attempt}), started from a hand that is off: 5 mm in each direction, 0.15 rad, "
            "0.15 rad at every joint. Made by scripts/grasps.py.")
    scene = lab.scene(rounded(start), rounded(unit4(turned), 12), {k: round(v, 9) for k, v in off.items()}, pairs, text)
    path = os.path.join(lab.scenes, scene["name"] + ".json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps(scene, indent=2) + "\n")
    print(f"{path}: {len(pairs)} fingers, draw {attempt}", flush=True)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser()
    parser.add_argument("--dcsim", default=os.environ.get("DCSIM", "dcsim"))
    parser.add_argument("--scenes", default=os.path.join(here, "..", "scenes"))
    parser.add_argument("--seed", default="1")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    names = arguments.names or [f"{hand}_{thing}" for hand in HANDS for thing in HANDS[hand].get("objects", OBJECTS)]
    for name in names:
        hand, thing = name.split("_", 1)
        make(Lab(arguments.dcsim, arguments.scenes, hand, thing), arguments.seed)


if __name__ == "__main__":
    main()
