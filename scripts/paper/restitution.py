#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast bodies part after impacts, against the restitution that the scene asks for.

    scripts/paper/restitution [--dcsim FILE] [--quick] [--output docs/measured/restitution.md]

Two free bodies of 1 kg without gravity, or one and a half-space; the one moves against the other.  Rebound is the speed at which the points part that met,
over that at which they came, with arm and normal of the frame in which they meet.  For e > 0 it is the largest until the distance is again what it was at
the start, where the far field, which is conservative, has done no work, or until the end, after 2.5 times the way in.  With e = 0 bodies stay where they
met until the far field parts them; there it is the speed just after the impact: in the step in which, with e = 1, they part with half of their rebound.
"""
import argparse
import math
import os
import sys

import numpy as np

from physics_lab import Laboratory, matrices

KINDS = {
    "two boxes": "cubes of 0.5 m, face to face",
    "two balls": "of 0.25 m, 320 triangles each, along the line of centres, on which both have the middle of a face",
    "box on floor": "a cube of 0.5 m, flat on a half-space",
    "ball on rod": "a ball of 0.1 m, the middle of a face ahead, against a rod of 1 m, 0.3 m off its centre",
}
HALF = {"two boxes": 0.25, "two balls": 0.25, "box on floor": 0.25, "ball on rod": 0.1}  # m, of the first body
ROD = [0.1, 1, 0.1]
# Turns (1, 1, 1), the normal of a face of spheres of triangles, to x: where faces meet beside the line of centres impacts turn polyhedra, as they would in reality.
FACE_AHEAD = [0.8880738339771153, 0, 0.3250575836718681, -0.3250575836718681]
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
    """Shapes, bodies with the first one moving, the direction of that."""
    if kind == "box on floor":
        return ({"box": {"type": "box", "size": [0.5] * 3}, "floor": {"type": "plane"}},
                [body("a", "box", [0, 0, 0.25 + gap]), {"name": "b", "shape": "floor", "joint": "fixed"}], [0, 0, -1])
    if kind == "ball on rod":
        return ({"ball": {"type": "sphere", "radius": 0.1, "level": 2}, "rod": {"type": "box", "size": ROD}},
                [body("a", "ball", [-0.15 - gap, 0.3, 0], rotation=FACE_AHEAD), body("b", "rod", [0, 0, 0])], [1, 0, 0])
    shape = {"type": "box", "size": [0.5] * 3} if kind == "two boxes" else {"type": "sphere", "radius": 0.25, "level": 2}
    more = {} if kind == "two boxes" else {"rotation": FACE_AHEAD}
    return {"one": shape}, [body("a", "one", [-0.5 - gap, 0, 0], **more), body("b", "one", [0, 0, 0], **more)], [1, 0, 0]


def spins(rotations, step):
    """Angular velocities [F, 3] from the rotation vectors between frames [F + 1, 3, 3]."""
    turn = np.einsum("fij,fkj->fik", rotations[1:], rotations[:-1])
    axial = 0.5 * np.stack([turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0], turn[:, 1, 0] - turn[:, 0, 1]], axis=1)
    sine = np.linalg.norm(axial, axis=1)
    angle = np.arctan2(sine, 0.5 * (np.trace(turn, axis1=1, axis2=2) - 1))
    return axial * (np.where(sine > 1e-12, angle / np.maximum(sine, 1e-300), 1) / step)[:, None]


def way(kind, run, along):
    """Of all frames: from the first body's centre to the second one's, the normal between them where they meet, the distance along it but for a constant.
    The normal turns with the second body, or is that of the centres of balls."""
    if "b" not in run.position:
        apart = -run.position["a"]
        return apart, np.tile(along, (len(apart), 1)), apart @ along
    apart = run.position["b"] - run.position["a"]
    turned = matrices(run.rotation["b"])
    if kind == "two balls":
        distance = np.linalg.norm(apart, axis=1)
        return apart, apart / distance[:, None], distance
    normal = turned @ along
    if kind == "ball on rod":
        beyond = np.abs(np.einsum("fji,fj->fi", turned, apart)) - np.array(ROD) / 2
        return apart, normal, np.linalg.norm(np.maximum(beyond, 0), axis=1) + np.minimum(beyond.max(axis=1), 0)
    return apart, normal, np.einsum("fi,fi->f", apart, normal)


def parting(lab, kind, contact, step, speed):
    """How fast the points part that met, in parts of the speed at which they came, in every step from the frame in which they are nearest for
    the first time to the one in which the distance is again what it was at the start, or the last one.

    Arm and normal are those of that first frame: the second body turns, in long steps by much."""
    gap = max(0.2, 2 * speed * step)
    shapes, bodies, along = scene_of(kind, gap)
    bodies[0]["velocity"] = [speed * x for x in along]
    steps = min(4000, max(12, math.ceil(2.5 * gap / (speed * step))))
    run = lab.simulate({"time": {"step": step, "steps": steps}, "gravity": [0, 0, 0], "contact": contact, "shapes": shapes, "bodies": bodies})
    apart, normal, distance = way(kind, run, np.array(along, float))
    met = int(np.argmax(np.diff(distance) > -0.01 * speed * step))
    opening = -run.velocity("a") @ normal[met]
    if "b" in run.position:
        arm = HALF[kind] * normal[met] - apart[met]
        opening += (run.velocity("b") + np.cross(spins(matrices(run.rotation["b"]), step), arm)) @ normal[met]
    back = [f for f in range(met, steps) if distance[f + 1] >= distance[0]]
    return opening[met:back[0] + 1 if back else steps] / speed


def rebounds(lab, kind, contact, step, speed):
    """For each of PARTS, and for e = 0 also the largest speed later on."""
    got = {}
    for e in PARTS:
        opening = parting(lab, kind, dict(contact, restitution=e), step, speed)
        got[e] = opening.max()
        if e == 1:
            halfway = int(np.argmax(opening >= 0.5 * got[1]))
    got["later"] = got[0]
    got[0] = opening[min(halfway, len(opening) - 1)]
    return got


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows] + [""]


def measure(lab, quick):
    lines = ["### Restitution", "", f"Measured by `scripts/paper/restitution{' --quick' if quick else ''}`: rebounds (speed after over speed before) for e = 1, 0.8, 0.5, 0.", ""]
    lines += ["Arm and normal are those of the frame in which bodies meet. For e > 0 the largest speed until the distance is again what it was at the start (the far field has then done no work), or until the end of the run, 2.5 "
              "times the way in; for e = 0 the speed just after the impact: in the step in which, with e = 1, bodies part with half of their rebound.", ""]
    lines += [f"- {kind}: {what}" for kind, what in KINDS.items()]
    lines += ["", "#### Stiffness, step, speed (bsh)", ""]
    stiffnesses, steps = (STIFFNESSES[:2], STEPS[1:2]) if quick else (STIFFNESSES, STEPS)
    dead, later, resolved = [], [], {0.8: [], 0.5: []}
    for kind in KINDS:
        rows = []
        for stiffness in stiffnesses:
            for step in steps:
                row = [f"{stiffness:g}", f"{step:g}"]
                for speed in SPEEDS:
                    got = rebounds(lab, kind, {"model": "bsh", "stiffness": stiffness}, step, speed)
                    row.append(", ".join(f"{got[e]:.2f}" for e in PARTS))
                    dead.append((got[0], kind, stiffness, step, speed))
                    later.append((got["later"], kind, stiffness, step, speed))
                    for e, list_of in resolved.items():
                        if 0.9 <= got[1] <= 1.05:
                            list_of.append((got[e], kind, stiffness, step, speed))
                rows.append(row)
                print(kind, *row, flush=True)
        lines += [f"**{kind}**", ""] + table(["mu (J)", "step (s)"] + [f"{v:g} m/s" for v in SPEEDS], rows)
    lines += summary(dead, later, resolved) + models(lab, quick)
    return lines


def line(case):
    value, kind, stiffness, step, speed = case
    return f"- {kind}, mu {stiffness:g}, step {step:g} s, {speed:g} m/s: {value:.3f}"


def summary(dead, later, resolved):
    far = [case for case in dead if abs(case[0]) > 0.03]
    lines = [f"e = 0, just after the impact: within 0.03 of rest in {len(dead) - len(far)} of {len(dead)} cases." + (" The others:" if far else ""), ""]
    lines += [line(case) for case in far] + ([""] if far else [])
    # The far field turns slow bodies back before they meet: m v^2 / 4 of two bodies of 1 kg against 100 mu.
    fast = [case for case in later if 0.25 * case[4] ** 2 > 100 * case[2]]
    slow = [case for case in later if case not in fast]
    moved = [case for case in fast if case[0] > 0.03]
    lines += [f"e = 0, the largest speed until the end of the run, by the work of the far field, which is conservative, and over the facets of balls: up to 0.03 in {len(fast) - len(moved)} of {len(fast)} cases" +
              (f", and up to {max(case[0] for case in slow):.2f} in {len(slow)} slow ones, whose energy, v^2/4, is below 100 mu." if slow else ".") + (" The others:" if moved else ""), ""]
    lines += [line(case) for case in moved] + ([""] if moved else [])
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
                    got = rebounds(lab, kind, dict(settings, model=model), 0.01, speed)
                    row.append(", ".join(f"{got[e]:.2f}" for e in PARTS))
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
