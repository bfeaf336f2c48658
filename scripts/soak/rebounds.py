#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws collisions and compares how fast the points part that met with the restitution that the scene asks for, and its derivative by it.

    scripts/soak/rebounds.py [--draws N] [--seed S] [--jobs N] [--timeout SECONDS] [--markdown FILE] [--only N ...]

Boxes and balls against each other or a half-space, a ball against a rod off its centre, free or a link of a chain; e of 0, 0.3, 0.5, 0.9 and 1 in turn, 0.3 to 10 m/s, steps of 0.0025 to 0.04 s, stiffness over four decades, six models in turn.
Rebound: the speed along the normal of the frame in which they meet, over that of the start.  With e > 0 the largest until the distance is again that of the start or the run ends; with e = 0 that of the step in which, with e = 1, they part with half of
their rebound (scripts/paper/restitution.py says why).
The derivative is the difference for e +- 0.02 of the speeds in the interval of the kick, the first one with four fifths of the largest: in the next one the barrier pushes once more, by the less the wider the kick has opened the gap, and what it gave is taken back an interval later.
It is compared with the speed at which they meet, which soft barriers with a far field make less than that of the start: e is a part of it.
Prints the share within 0.05, with its interval (Wilson, 95 %), and the worst; exits with 1 when less than 95 % are within 0.05 or one is off by more than 0.15.
"""
import argparse
import collections
import concurrent.futures
import math
import os
import subprocess
import sys

import numpy as np

import cases
import shapes
from motions import Failed, simulate

PARTS = [0.0, 0.3, 0.5, 0.9, 1.0]
KINDS = ["boxes", "box on floor", "balls", "ball on floor", "ball on rod", "ball on chain"]
MODELS = ["bsh", "exact", "ipc", "sdrs", "manifold", "bsh leaves"]
BRAKED = 0.01
ROD, RADIUS, EDGE, WIDER = [0.08, 0.6, 0.08], 0.1, 0.2, 0.02
# Turns the normal of a face of a sphere of triangles to x: there the line of centres is the normal.
AHEAD = [0.8880738339771153, 0, 0.3250575836718681, -0.3250575836718681]


def drawn(number, seed):
    rng = np.random.default_rng([seed, number, 43])
    pick = {"e": PARTS[number % 5], "model": MODELS[number // 5 % 6], "kind": KINDS[int(rng.integers(6))], "speed": float(np.exp(rng.uniform(math.log(0.3), math.log(10)))),
            "step": float(np.exp(rng.uniform(math.log(0.0025), math.log(0.04)))), "stiffness": float(10 ** rng.uniform(-2, 2)), "masses": [float(m) for m in np.exp(rng.uniform(math.log(0.3), math.log(3), size=3))],
            "off": float(rng.uniform(0.05, 0.25)), "mu": float(rng.uniform(0, 0.5))}
    pick["stiffness"] *= cases.CONTACT[pick["model"].split()[0]]["stiffness"]
    return pick


def scene_of(pick, e):
    """The scene, the body that is met with the place of it that is met, and the direction of the way."""
    kind, speed, masses = pick["kind"], pick["speed"], pick["masses"]
    gap = max(0.1, 2 * speed * pick["step"])
    contact = {**cases.CONTACT[pick["model"].split()[0]], "stiffness": pick["stiffness"], "restitution": e, "friction": pick["mu"]}
    # Off the centre bodies turn while they touch, and the corner of a facet is what touches in the end: balls are fine there.
    fine = 2 if pick["model"] == "manifold" else 3
    ball = {"type": "sphere", "radius": RADIUS, "level": fine if kind.endswith(("rod", "chain")) else 1}
    box = {"type": "box", "size": [EDGE] * 3}
    round_, floor = kind.startswith("ball"), kind.endswith("floor")
    thrown, half = (ball, RADIUS) if round_ else (box, EDGE / 2)
    steps = min(4000, max(12, math.ceil(2.5 * gap / (speed * pick["step"]))))
    scene = {"time": {"step": pick["step"], "steps": steps}, "gravity": [0, 0, 0], "contact": contact, "shapes": {"a": thrown}, "bodies": []}
    other = "rod" if kind.endswith(("rod", "chain")) else "floor" if floor else "b"
    scene["shapes"][other] = {"rod": {"type": "box", "size": ROD}, "floor": {"type": "plane"}, "b": thrown}[other]
    ahead = {"rotation": AHEAD} if round_ else {}
    if floor:
        turned = {"rotation": [float(x) for x in shapes.quaternion_of(np.array([0.0, 1, 0]), math.pi / 2)]}
        scene["bodies"] = [{"name": "floor", "shape": "floor", "joint": "fixed", **turned}]
        start, target = [half + gap, 0, 0], None
        along = [-1.0, 0, 0]
        thrown_turn = {"rotation": AHEAD} if round_ else {}
    else:
        thick = ROD[0] / 2 if other == "rod" else half
        start, along = [-half - thick - gap, 0, 0], [1.0, 0, 0]
        thrown_turn = ahead
        second = {"name": "b", "shape": other, "mass": masses[1], "position": [0, 0, 0], **(ahead if other == "b" else {})}
        target = [-thick, 0, 0]
        if other == "rod":
            start[1] = target[1] = pick["off"]
        scene["bodies"] = [second]
        if kind.endswith("chain"):
            scene["bodies"].append({"name": "c", "shape": other, "mass": masses[2], "position": [0, -ROD[1] - WIDER, 0], "parent": "b", "joint": {"type": "hinge", "axis": [0, 0, 1], "anchor": [0, -ROD[1] / 2 - WIDER / 2, 0]}})
    scene["bodies"].append({"name": "a", "shape": "a", "mass": masses[0], "position": start, "velocity": [speed * x for x in along], **thrown_turn})
    return scene, target, np.array(along)


def openings(pick, e, timeout):
    """Speeds of parting over the speed at the start, in every interval from the one in which they are nearest on; and that at which they meet, before a hundredth of it is taken within an interval."""
    scene, target, along = scene_of(pick, e)
    path = simulate(scene, pick["model"], timeout)
    own = path.position["a"]
    if target is None:
        place, normal = np.zeros_like(own), np.tile(along, (len(own), 1))
    else:
        turned = [shapes.matrix(q) @ shapes.matrix(path.rotation["b"][0]).T for q in path.rotation["b"]]
        place = path.position["b"] + np.array([turn @ np.array(target) for turn in turned])
        normal = np.array([turn @ along for turn in turned])
    distance = np.einsum("ij,ij->i", place - own, normal)
    met = int(np.argmax(np.diff(distance) > -0.01 * pick["speed"] * path.length))
    # The points that met, along the normal of the frame in which they did.
    apart = np.diff(place - own, axis=0) @ normal[met] / path.length
    back = [k for k in range(met, len(apart)) if distance[k + 1] >= distance[0]]
    ahead = -np.diff(distance)[:met + 1] / path.length[:met + 1] / pick["speed"]
    braked = [k for k in range(1, len(ahead)) if ahead[k] < (1 - BRAKED) * ahead[k - 1]]
    return apart[met:back[0] + 1 if back else len(apart)] / pick["speed"], float(ahead[braked[0] - 1 if braked else max(met - 1, 0)])


def rebound(pick, e, timeout):
    found, _ = openings(pick, e, timeout)
    if e > 0:
        return float(found.max())
    whole, _ = openings(pick, 1.0, timeout)
    halfway = int(np.argmax(whole >= 0.5 * whole.max()))
    return float(found[min(halfway, len(found) - 1)])


def wilson(good, count):
    if not count:
        return 0.0, 0.0
    z, p = 1.96, good / count
    middle, wide = p + z * z / (2 * count), z * math.sqrt(p * (1 - p) / count + z * z / (4 * count * count))
    return (middle - wide) / (1 + z * z / count), (middle + wide) / (1 + z * z / count)


def line(name, rows):
    good, low = sum(row["off"] <= 0.05 for row in rows), wilson(sum(row["off"] <= 0.05 for row in rows), len(rows))
    slopes = [abs(row["slope"] - 1) for row in rows if row["slope"] is not None]
    return f"| {name} | {len(rows)} | {good} | {100 * good / max(len(rows), 1):.1f} | {100 * low[0]:.1f} to {100 * low[1]:.1f} | {sum(row['off'] > 0.15 for row in rows)} | {max((row['off'] for row in rows), default=0):.3f} | {sum(s <= 0.02 for s in slopes)} of {len(slopes)} |"


def slope_of(pick, timeout):
    e = pick["e"]
    found, arrival = openings(pick, e, timeout)
    kick = int(np.argmax(found >= 0.8 * found.max()))
    ends = [openings(pick, e + shift, timeout)[0] for shift in (-0.02, 0.02)]
    return float(ends[1][min(kick, len(ends[1]) - 1)] - ends[0][min(kick, len(ends[0]) - 1)]) / 0.04 / arrival


def judged(number, options):
    """The number, what was drawn with what was found, and why nothing was."""
    pick, slope = drawn(number, options.seed), None
    try:
        found = rebound(pick, pick["e"], options.timeout)
        if 0 < pick["e"] < 1:
            slope = slope_of(pick, options.timeout)
    except subprocess.TimeoutExpired:
        return number, pick, "out of time"
    except Failed as error:
        return number, pick, str(error)[:200]
    return number, {**pick, "found": found, "off": abs(found - pick["e"]), "slope": slope}, None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--markdown")
    parser.add_argument("--only", type=int, nargs="+")
    options = parser.parse_args()
    rows, failures = [], collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for number, pick, failure in pool.map(lambda number: judged(number, options), options.only or range(options.draws)):
            if failure:
                failures[failure.split(":")[0]] += 1
                print(f"draw {number}: {pick['kind']}, {pick['model']}: {failure}", flush=True)
                continue
            rows.append(pick)
            if pick["off"] > 0.05 or pick["slope"] is not None and abs(pick["slope"] - 1) > 0.02 or options.only:
                print(f"draw {number}: {pick['kind']}, {pick['model']}, e {pick['e']}, {pick['speed']:.2f} m/s, h {pick['step']:.4f}, stiffness {pick['stiffness']:.1e}: {pick['found']:.3f}, derivative {pick['slope']}", flush=True)
    lines = ["| collisions | judged | within 0.05 | % | 95 % interval | off by more than 0.15 | worst | derivative within 2 % |", "|" + " --- |" * 8, line("all", rows)]
    for key, values in (("e", PARTS), ("model", MODELS), ("kind", KINDS)):
        lines += [line(f"{key} {value}" if key == "e" else value, [row for row in rows if row[key] == value]) for value in values]
    text = "\n".join(lines) + f"\n\nSeed {options.seed}, {options.draws} drawn; " + (", ".join(f"{count} {name}" for name, count in failures.items()) or "none failed") + ".\n"
    print(text)
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            file.write("## Rebounds of drawn collisions\n\nBy `scripts/soak/rebounds.py`, which says what is drawn and how it is judged.\n\n" + text)
    good = sum(row["off"] <= 0.05 for row in rows)
    return int(good < 0.95 * len(rows) or any(row["off"] > 0.15 for row in rows))


if __name__ == "__main__":
    sys.exit(main())
