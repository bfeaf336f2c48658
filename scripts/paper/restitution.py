#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast bodies part after impacts, against the restitution that the scene asks for.

    scripts/paper/restitution [--dcsim FILE] [--quick] [--output docs/measured/restitution.md]

Two free bodies of 1 kg without gravity, or one and a half-space; the one moves against the other.  Rebound is the speed at which the points part that met,
over that at which they came: in the step in which the distance is again what it was at the start, or in the last one when bodies stay nearer.  The duration is
2.5 times the way in.
"""
import argparse
import math
import os
import sys

import numpy as np

from physics_lab import Laboratory, matrices

KINDS = {
    "two boxes": "cubes of 0.5 m, face to face",
    "two balls": "of 0.25 m, 320 triangles each, along the line of centres",
    "box on floor": "a cube of 0.5 m, flat on a half-space",
    "ball on rod": "a ball of 0.1 m against a rod of 1 m, 0.3 m off its centre",
}
STIFFNESSES, STEPS, SPEEDS, PARTS = (2e-4, 2e-6, 2e-8), (0.04, 0.01, 0.0025), (0.1, 1, 10), (1, 0.8, 0.5, 0)
# Their stiffness is another quantity; the ranges of ipc and sdrs are such that steps of 10 ms see them.
MODELS = {
    "bsh": {"stiffness": 2e-6},
    "exact": {"stiffness": 2e-6},
    "sdrs": {"stiffness": 2e-6, "length": 1, "support": 0.1},
    "ipc": {"stiffness": 2e-2, "dhat": 0.02},
    "mujoco": {},
}


def body(name, shape, position, **more):
    return dict(name=name, shape=shape, mass=1, position=position, **more)


def scene_of(kind, gap):
    """Shapes, bodies with the first one moving, the direction of that, and where the second one is met."""
    if kind == "box on floor":
        return ({"box": {"type": "box", "size": [0.5] * 3}, "floor": {"type": "plane"}},
                [body("a", "box", [0, 0, 0.25 + gap]), {"name": "b", "shape": "floor", "joint": "fixed"}], [0, 0, -1], [0, 0, 0])
    if kind == "ball on rod":
        return ({"ball": {"type": "sphere", "radius": 0.1, "level": 2}, "rod": {"type": "box", "size": [0.1, 1, 0.1]}},
                [body("a", "ball", [-0.15 - gap, 0.3, 0]), body("b", "rod", [0, 0, 0])], [1, 0, 0], [-0.05, 0.3, 0])
    shape = {"type": "box", "size": [0.5] * 3} if kind == "two boxes" else {"type": "sphere", "radius": 0.25, "level": 2}
    return {"one": shape}, [body("a", "one", [-0.5 - gap, 0, 0]), body("b", "one", [0, 0, 0])], [1, 0, 0], [-0.25, 0, 0]


def spins(rotations, step):
    """Angular velocities [F, 3] from the rotation vectors between frames [F + 1, 3, 3]."""
    turn = np.einsum("fij,fkj->fik", rotations[1:], rotations[:-1])
    axial = 0.5 * np.stack([turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0], turn[:, 1, 0] - turn[:, 0, 1]], axis=1)
    sine = np.linalg.norm(axial, axis=1)
    angle = np.arctan2(sine, 0.5 * (np.trace(turn, axis1=1, axis2=2) - 1))
    return axial * (np.where(sine > 1e-12, angle / np.maximum(sine, 1e-300), 1) / step)[:, None]


def rebound(lab, kind, contact, step, speed):
    gap = max(0.2, 2 * speed * step)
    shapes, bodies, direction, met = scene_of(kind, gap)
    bodies[0]["velocity"] = [speed * x for x in direction]
    steps = min(4000, max(12, math.ceil(2.5 * gap / (speed * step))))
    run = lab.simulate({"time": {"step": step, "steps": steps}, "gravity": [0, 0, 0], "contact": contact, "shapes": shapes, "bodies": bodies})
    along = np.array(direction, float)
    closing = run.velocity("a") @ along
    distance = -(run.position["a"] @ along)
    if "b" in run.position:
        turning = np.cross(spins(matrices(run.rotation["b"]), step), np.array(met, float))
        closing = closing - (run.velocity("b") + turning) @ along
        distance = distance + run.position["b"] @ along
    nearest = int(np.argmin(distance))
    back = [f for f in range(nearest, len(closing)) if distance[f + 1] >= distance[0]]
    return -closing[back[0] if back else -1] / speed


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows] + [""]


def measure(lab, quick):
    lines = ["Restitution, measured by `scripts/paper/restitution`: rebounds (speed after over speed before) for e = 1, 0.8, 0.5, 0." if not quick
             else "Restitution, by `scripts/paper/restitution --quick`: rebounds for e = 1, 0.8, 0.5, 0.", ""]
    lines += [f"- {kind}: {what}" for kind, what in KINDS.items()]
    lines += ["", "#### Stiffness, step, speed (bsh)", ""]
    stiffnesses, steps = (STIFFNESSES[:2], STEPS[1:2]) if quick else (STIFFNESSES, STEPS)
    dead, resolved = [], {0.8: [], 0.5: []}
    for kind in KINDS:
        rows = []
        for stiffness in stiffnesses:
            for step in steps:
                row = [f"{stiffness:g}", f"{step:g}"]
                for speed in SPEEDS:
                    got = {e: rebound(lab, kind, {"model": "bsh", "stiffness": stiffness, "restitution": e}, step, speed) for e in PARTS}
                    row.append(", ".join(f"{got[e]:.2f}" for e in PARTS))
                    dead.append((got[0], kind, stiffness, step, speed))
                    for e, list_of in resolved.items():
                        if 0.9 <= got[1] <= 1.05:
                            list_of.append((got[e], kind, stiffness, step, speed))
                rows.append(row)
                print(kind, *row, flush=True)
        lines += [f"**{kind}**", ""] + table(["mu (J)", "step (s)"] + [f"{v:g} m/s" for v in SPEEDS], rows)
    lines += summary(dead, resolved) + models(lab, quick)
    return lines


def summary(dead, resolved):
    # A speed below which the far field turns bodies back before they meet: m v^2 / 4 of two bodies of 1 kg against 100 mu.
    fast = [case for case in dead if 0.25 * case[4] ** 2 > 100 * case[2]]
    slow = [case for case in dead if case not in fast]
    far = [c for c in fast if abs(c[0]) > 0.03]
    lines = [f"e = 0: |rebound| within 0.03 in {len(fast) - len(far)} of {len(fast)} cases."]
    lines += [f"- {kind}, mu {stiffness:g}, step {step:g} s, {speed:g} m/s: {value:.2f}" for value, kind, stiffness, step, speed in far] + [""]
    if slow:
        lines.append(f"Left out of these are {len(slow)} slow ones whose energy, v^2/4, is below 100 mu: there the far field, which is conservative, turns bodies back; up to {max(c[0] for c in slow):.2f}.")
    for e, cases in resolved.items():
        if cases:
            lines.append(f"e = {e:g}, where e = 1 gives 0.9 to 1.05 ({len(cases)} cases): {min(c[0] for c in cases):.2f} to {max(c[0] for c in cases):.2f}.")
    return lines + [""]


def models(lab, quick):
    lines = ["#### Models, steps of 10 ms (MuJoCo: 8 parts each)", ""]
    rows = []
    for model, settings in MODELS.items():
        for kind in list(KINDS)[:1] if quick else KINDS:
            row = [model, kind]
            for speed in SPEEDS:
                try:
                    row.append(", ".join(f"{rebound(lab, kind, dict(settings, model=model, restitution=e), 0.01, speed):.2f}" for e in PARTS))
                except RuntimeError as error:
                    row.append("not built" if "not built" in str(error) else str(error)[-80:])
            print(*row, flush=True)
            rows.append(row)
    return lines + table(["model", "bodies"] + [f"{v:g} m/s" for v in SPEEDS], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser.add_argument("--dcsim", default=os.path.join(root, "build", "dcsim"))
    parser.add_argument("--quick", action="store_true", help="fewer stiffnesses, steps and bodies")
    parser.add_argument("--output", help="file of the tables; default: the standard output only")
    arguments = parser.parse_args()
    lines = measure(Laboratory(arguments.dcsim, arguments.quick), arguments.quick)
    text = "\n".join(lines).rstrip() + "\n"
    sys.stdout.write(text)
    if arguments.output:
        with open(arguments.output, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
