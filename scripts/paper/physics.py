#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Known answers of physics: simulates small scenes, compares with closed forms and prints tables in Markdown.

    scripts/paper/physics.sh [--quick] [--output DIR] [--dcsim FILE]

Writes DIR/physics.md, physics.csv and summary.json (DIR: runs/paper/physics by default).  --quick takes fewer cases and
coarser bisections, under two minutes; all of it takes some minutes.  Exits 1 when a figure misses its limit.
"""
import argparse
import csv
import json
import math
import os
import sys
import time

from physics_lab import (GRAVITY, Laboratory, angular_momentum, bisect, kinetic_energy, matrices, np)
from task import ROOT, processor

STEP = 0.01  # s, where a table does not say otherwise


class Report:
    def __init__(self):
        self.lines, self.rows, self.missed = [], [], 0

    def say(self, text=""):
        print(text, flush=True)
        self.lines.append(text)

    def section(self, title, text, header, rows):
        """rows: (cells, key figure, limit or None); a figure is held when |figure| <= limit."""
        self.say(f"### {title}\n\n{' '.join(text.split())}\n")
        self.say("| " + " | ".join([*header, "held"]) + " |")
        self.say("|" + " --- |" * (len(header) + 1))
        for cells, figure, limit in rows:
            held = None if limit is None else bool(abs(figure) <= limit)
            self.missed += held is False
            self.say("| " + " | ".join([*map(str, cells), {None: "–", True: "yes", False: "**no**"}[held]]) + " |")
            self.rows.append({"section": title, "case": dict(zip(header, map(str, cells))), "figure": float(figure),
                              "limit": limit, "held": held})
        self.say()


# ---- A block on a slope


class Block:
    """A box of 1 kg on a half-space or on a meshed box; gravity is turned by the angle, or everything else is.

    Placed so that no edge of the block lies along an edge of the mesh: there the surface is uneven over distances
    like the gap."""

    def __init__(self, slope, model="bsh", friction=0.5, smoothing=1e-4, stiffness=1e-10, size=(0.2, 0.2, 0.1),
                 seconds=0.5, turned=False, step=STEP):
        self.slope, self.model, self.friction, self.smoothing = slope, model, friction, smoothing
        self.stiffness, self.size, self.seconds, self.turned, self.step = stiffness, size, seconds, turned, step
        self.pose = None  # at rest in the slope's frame

    def scene(self, angle, position, rotation, speed=0.0, turned=False, press=False):
        c, s = math.cos(angle), math.sin(angle)
        gravity = [0, 0, -GRAVITY] if turned else [0 if press else GRAVITY * s, 0, -GRAVITY * c]
        turn = np.array([math.cos(angle / 2), 0, math.sin(angle / 2), 0]) if turned else np.array([1.0, 0, 0, 0])
        matrix = matrices(turn[None])[0]
        w, x, y, z = turn[0], turn[1], turn[2], turn[3]
        product = np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]]) @ rotation
        ground, place = {"type": "plane"}, [0, 0, 0]
        if self.slope != "plane":
            ground, place = {"type": "box", "size": [1.6, 0.8, 0.1], "divisions": [8, 8, 1]}, [0.23, 0.07, -0.05]
        return {
            "name": "slope", "time": {"step": self.step, "steps": round(self.seconds / self.step)}, "gravity": gravity,
            "contact": {"model": self.model, "stiffness": self.stiffness, "friction": self.friction,
                        "friction_smoothing": self.smoothing},
            "shapes": {"block": {"type": "box", "size": list(self.size)}, "ground": ground},
            "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground", "position": list(matrix @ place),
                        "rotation": list(turn)},
                       {"name": "block", "shape": "block", "mass": 1, "position": list(matrix @ position),
                        "rotation": list(product), "velocity": list(matrix @ [speed, 0, 0])}]}

    def settle(self, lab, angle):
        gap = math.sqrt(12 * self.stiffness / GRAVITY)
        start = np.array([0, 0, self.size[2] / 2 + gap])
        run = lab.simulate(self.scene(angle, start, np.array([1.0, 0, 0, 0]), press=True))
        self.pose = run.position["block"][-1], run.rotation["block"][-1]

    def slide(self, lab, angle, speed=0.0):
        """The run and its downhill speeds [F]."""
        if self.pose is None:
            self.settle(lab, angle)
        run = lab.simulate(self.scene(angle, *self.pose, speed=speed, turned=self.turned))
        down = np.array([math.cos(angle), 0, -math.sin(angle)]) if self.turned else np.array([1.0, 0, 0])
        return run, run.velocity("block") @ down

    def slips(self, lab, angle):
        """Below the limit a block creeps at a constant speed, above it accelerates: does the speed still grow?"""
        _, speed = self.slide(lab, angle)
        return speed[-1] > 1.5 * speed[len(speed) // 2 - 1]

    def topples(self, lab, angle):
        run, _ = self.slide(lab, angle)
        return 2 * math.atan2(run.rotation["block"][-1][2], run.rotation["block"][-1][0]) > 0.3


def limits_of_friction(lab, report):
    cases = []
    for slope, model in [("plane", "bsh"), ("triangles", "bsh"), ("triangles", "exact")]:
        for turned in [False] if lab.quick else [False, True]:
            cases += [(slope, model, turned, friction) for friction in (0.2, 0.5, 1.0)]

    def limit(slope, model, turned, friction):
        block = Block(slope, model, friction, turned=turned, stiffness=1e-8 if slope == "plane" else 1e-10)
        block.settle(lab, math.atan(friction))
        part = bisect(0.97, 1.03, lambda r: block.slips(lab, math.atan(r * friction)), 5 if lab.quick else 8)
        return ([slope, model, "slope" if turned else "gravity", friction, f"{part:.4f}"], part - 1, 0.01)

    report.section("Stick and slip",
        """Steepest slope that holds a block, tan(angle) over the coefficient of friction. Slipping: the speed
        grows by more than half in the second half of 0.5 s (it doubles under constant acceleration; a block
        that is held creeps at constant speed).""",
        ["slope", "model", "turned", "coefficient", "tan(angle) / coefficient"], lab.each(limit, cases))


def creep(lab, report):
    parts = (0.3, 0.9) if lab.quick else (0.3, 0.6, 0.9, 0.99)

    def speed(slope, part):
        block = Block(slope, stiffness=1e-8 if slope == "plane" else 1e-10)
        _, speeds = block.slide(lab, math.atan(0.5 * part))
        expected = (1 if slope == "plane" else 2) * 1e-4 * part / math.sqrt(1 - part * part)
        error = speeds[-1] / expected - 1
        return [slope, part, f"{expected:.4e}", f"{speeds[-1]:.4e}", f"{error:.1e}"], error, 0.01

    report.section("Creep of a held block",
        """With r = tan(angle) / coefficient a block creeps at `n e r / sqrt(1 - r^2)`, e the smoothing speed
        (1e-4 m/s); n = 1 on a half-space, 2 between triangles (both bodies slip on the plane between them).""",
        ["slope", "r", "expected, m/s", "observed, m/s", "error"],
        lab.each(speed, [(slope, part) for slope in ("plane", "triangles") for part in parts]))


def toppling(lab, report):
    cases = [] if lab.quick else [("plane", 1e-8), ("plane", 1e-10)]
    cases += [("plane", 1e-12), ("triangles", 1e-12)]

    def limit(slope, stiffness):
        block = Block(slope, friction=2, stiffness=stiffness, size=(0.1, 0.1, 0.2), seconds=1.5)
        block.settle(lab, math.atan(0.5))
        part = bisect(0.93, 1.03, lambda r: block.topples(lab, math.atan(0.5 * r)), 6 if lab.quick else 9)
        return [slope, f"{stiffness:g}", f"{part:.4f}"], part - 1, 0.01 if stiffness < 1e-11 else None

    report.section("Toppling",
        """Steepest slope on which a block of 0.1 x 0.1 x 0.2 m stands, tan(angle) over width / height (friction
        2). As the load leaves the rear edge its gap grows and the block leans, which takes a part of the limit
        that falls as the cube root of the stiffness.""",
        ["slope", "stiffness, J", "tan(angle) height / width"], lab.each(limit, cases))


def sliding(lab, report):
    cases = [("plane", "bsh", STEP), ("triangles", "bsh", STEP), ("triangles", "exact", STEP)]
    cases += [] if lab.quick else [("plane", "bsh", STEP / 2), ("triangles", "bsh", STEP / 2)]

    def slide(slope, model, step):
        block = Block(slope, model, friction=0.3, seconds=1, step=step, stiffness=1e-8 if slope == "plane" else 1e-10)
        run, speeds = block.slide(lab, 0, speed=2)
        first, last, brake = round(0.1 / step), round(0.6 / step), 0.3 * GRAVITY
        slowed = (speeds[first - 1] - speeds[last - 1]) / 0.5
        way = run.position["block"][-1, 0] - run.position["block"][0, 0]
        full = 2 / brake
        return ([slope, model, step, f"{slowed / brake:.6f}", f"{way:.5f}", f"{full:.5f}", f"{full - step:.5f}"],
                max(abs(slowed / brake - 1), abs(way / (full - step) - 1)), 0.01)

    report.section("Sliding to a halt",
        "A block at 2 m/s on the level, friction 0.3. Implicit Euler stops after v^2 / (2 mu g) - v h / 2.",
        ["floor", "model", "h, s", "deceleration / (mu g)", "way, m", "v^2 / (2 mu g), m", "less v h / 2, m"],
        lab.each(slide, cases))


# ---- A rolling ball


def rolling(lab, report):
    angle, friction, radius, seconds = 0.2, 0.1, 0.1, 0.5
    full = 5 / 7 * GRAVITY * math.sin(angle)

    def ball(level, stiffness, step, slope, height, duration):
        return {"name": "ball", "time": {"step": step, "steps": round(duration / step)},
                "gravity": [GRAVITY * math.sin(slope), 0, -GRAVITY * math.cos(slope)],
                "contact": {"stiffness": stiffness, "friction": friction, "friction_smoothing": 1e-4},
                "shapes": {"ball": {"type": "sphere", "radius": radius, "level": level}, "ground": {"type": "plane"}},
                "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground"},
                           {"name": "ball", "shape": "ball", "mass": 1, "position": [0, 0, height]}]}

    def ideal(step):
        """Acceleration of a true sphere that does not slip, with the inertia of implicit Euler."""
        turn, pull = 0.0, GRAVITY * math.sin(angle) * step * step / radius
        for _ in range(round(seconds / step)):
            now = turn
            for _ in range(20):
                turn -= ((turn - now + 0.4 * (2 * math.sin(turn) - math.sin(turn + now)) - pull)
                         / (1 + 0.4 * (2 * math.cos(turn) - math.cos(turn + now))))
        return radius * turn / step / seconds / full

    def roll(level, stiffness, step):
        height = lab.simulate(ball(level, stiffness, 0.02, 0, 1.001 * radius, 0.6)).position["ball"][-1, 2]
        run = lab.simulate(ball(level, stiffness, step, angle, height, seconds))
        gap = height / radius - 1
        braking = friction * gap * math.log(2 / gap) * math.cos(angle) / math.sin(angle)
        bump = np.ptp(run.position["ball"][:, 2]) / radius
        observed = run.velocity("ball")[-1, 0] / seconds / full
        limit = 0.05 if step <= 0.01 and level == 5 else None
        return ([level, f"{stiffness:g}", step, f"{gap:.1e}", f"{bump:.1e}", f"{1 - observed:.4f}",
                 f"{1 - ideal(step):.4f}", f"{braking:.4f}"], 1 - observed, limit)

    cases = [(5, 1e-5, step) for step in ((0.02, 0.01, 0.005) if lab.quick else (0.02, 0.01, 0.005, 0.0025))]
    cases += [] if lab.quick else [(5, 1e-4, 0.01), (4, 1e-5, 0.01), (3, 1e-5, 0.01)]
    rows = lab.each(roll, cases)
    errors = [row[1] for row in rows]
    ratio = (errors[0] - errors[1]) / (errors[1] - errors[2])
    report.section("A ball rolls down a slope",
        f"""Part of 5/7 g sin(angle) that is missing from the mean acceleration over 0.5 s from rest (angle 0.2 rad,
        friction 0.1, R = 0.1 m, 1 kg). Two things brake: implicit Euler, of first order in h (column "Euler": a
        true sphere that does not slip), and vertices that slide on the half-space far above the contact,
        `mu (gap/R) ln(2 R/gap) cot(angle)` ("sliding"). Halved twice, the step changes the figure in the ratio
        {ratio:.2f} (first order: 2). Coarse balls bump over their facets.""",
        ["level", "stiffness, J", "h, s", "gap / R", "bumps / R", "missing", "Euler", "sliding"], rows)


# ---- Hinges and spin


ROD = {"type": "box", "size": [0.05, 0.05, 0.5]}


def pendulum_scene(angle, step, steps):
    return {"name": "pendulum", "time": {"step": step, "steps": steps}, "gravity": [0, 0, -GRAVITY],
            "solver": {"tolerance": 1e-9}, "shapes": {"rod": ROD},
            "bodies": [{"name": "rod", "shape": "rod", "mass": 1, "position": [0, 0, -0.25], "anchor": [0, 0, 0],
                        "joint": {"type": "hinge", "axis": [0, 1, 0]}, "joint_position": [angle]}]}


def pendulum(lab, report):
    square = GRAVITY * 0.25 / ((0.5 ** 2 + 0.05 ** 2) / 12 + 0.25 ** 2)

    def swing(step):
        angles = lab.simulate(pendulum_scene(1e-4, step, round(10 / step))).joint["rod"][:, 0]
        hw, recursion = step * math.sqrt(square), [1e-4, 1e-4]
        while len(recursion) <= len(angles):
            recursion.append((2 * recursion[-1] - recursion[-2]) / (1 + hw * hw))
        worst = np.abs(angles - recursion[1:]).max() / 1e-4
        passages = [k - 1 + angles[k - 1] / (angles[k - 1] - angles[k]) for k in range(1, len(angles))
                    if (angles[k - 1] < 0) != (angles[k] < 0)]
        period = (passages[-1] - passages[0]) / (len(passages) - 1) * 2 * step
        turn = round(period / step)
        swings = [np.abs(angles[1 + k * turn:1 + (k + 1) * turn]).max() for k in (0, 4)]
        decay = math.log(swings[1] / swings[0]) / (4 * turn)
        euler, loss = 2 * math.pi * step / math.atan(hw), -0.5 * math.log1p(hw * hw)
        continuous = 2 * math.pi / math.sqrt(square)
        return ([step, f"{period:.6f}", f"{euler:.6f}", f"{continuous:.6f}", f"{decay:.4e}", f"{loss:.4e}",
                 f"{worst:.1e}"], max(worst / 1e-5, abs(period / euler - 1) / 1e-4, abs(decay / loss - 1) / 0.01), 1)

    report.section("Pendulum",
        """A rod of 0.5 m on a hinge, first angle 1e-4 rad: `x+ - 2x + x- + h^2 w^2 x+ = 0`, period
        `2 pi h / atan(h w)`, decay `-ln(1 + h^2 w^2)/2` a step.""",
        ["h, s", "period, s", "expected", "of the continuous pendulum", "decay a step", "expected",
         "worst angle / first angle"],
        lab.each(swing, [(0.02,), (0.01,)] + ([] if lab.quick else [(0.005,)])))


def free_spin(lab, report):
    def spin(axis, rate):
        scene = {"name": "spin", "time": {"step": 0.04, "steps": 25}, "gravity": [0, 0, 0],
                 "solver": {"tolerance": 1e-9}, "shapes": {"box": {"type": "box", "size": [0.1, 0.2, 0.35]}},
                 "bodies": [{"name": "box", "shape": "box", "mass": 0.8,
                             "angular_velocity": [rate * (k == axis) for k in range(3)]}]}
        rotation = matrices(lab.simulate(scene).rotation["box"])
        turns = np.einsum("fij,fkj->fik", rotation[1:], rotation[:-1])
        j, k = (axis + 1) % 3, (axis + 2) % 3
        observed, delta, worst = np.arctan2(turns[:, k, j], turns[:, j, j]), 0.04 * rate, 0.0
        for turn in observed:
            delta = math.atan2(math.sin(delta), 2 - math.cos(delta))
            worst = max(worst, abs(turn - delta))
        return ["xyz"[axis], rate, f"{observed[-1] / 0.04:.4f}", f"{delta / 0.04:.4f}",
                f"{rate / math.sqrt(1 + 2 * rate * rate * 0.04):.4f}", f"{worst:.1e}"], worst, 1e-9

    rates = (10,) if lab.quick else (2, 10, 40)
    report.section("Free spin",
        """About principal axes, h = 0.04 s, after 1 s: `delta' = atan2(sin delta, 2 - cos delta)`, for small
        angles `Omega_0 / sqrt(1 + 2 Omega_0^2 h t)`.""",
        ["axis", "first, rad/s", "last, rad/s", "recursion", "small angles", "worst angle, rad"],
        lab.each(spin, [(axis, rate) for axis in range(3) for rate in rates]))


# ---- Conservation


BOX = [0.3, 0.2, 0.1]
TUMBLING = {"gravity": [0, 0, -GRAVITY], "contact": {"stiffness": 1e-6, "friction": 0.4}, "solver": {"tolerance": 1e-6},
            "shapes": {"box": {"type": "box", "size": BOX}, "ground": {"type": "plane"}},
            "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground"},
                       {"name": "a", "shape": "box", "mass": 1, "position": [0, 0, 0.4],
                        "rotation": [0.8, 0.36, -0.48, 0], "velocity": [2, 0, 0], "angular_velocity": [3, 8, -2]}]}
COLLIDING = {"gravity": [0, 0, 0], "contact": {"stiffness": 1e-6, "friction": 0.4}, "solver": {"tolerance": 1e-6},
             "shapes": {"box": {"type": "box", "size": BOX}},
             "bodies": [{"name": "a", "shape": "box", "mass": 2, "position": [0.4, 0.05, 0.02],
                         "rotation": [0.8, 0.36, -0.48, 0], "velocity": [-2, 0, 0], "angular_velocity": [1, 2, -2]},
                        {"name": "b", "shape": "box", "mass": 1, "velocity": [1, 0, 0]}]}
# The lower hinge lies across the upper one; the lower rod turns fast at first.
SWINGING = {"gravity": [0, 0, -GRAVITY], "solver": {"tolerance": 1e-6}, "shapes": {"box": ROD},
            "bodies": [{"name": "a", "shape": "box", "mass": 1, "position": [0, 0, -0.25], "anchor": [0, 0, 0],
                        "joint": {"type": "hinge", "axis": [0, 1, 0]}, "joint_position": [1.5]},
                       {"name": "b", "parent": "a", "shape": "box", "mass": 1, "position": [0, 0, -0.75],
                        "anchor": [0, 0, -0.5], "joint": {"type": "hinge", "axis": [1, 0, 0]}, "joint_position": [1],
                        "joint_velocity": [20]}]}


def curvature_of_gravity(run):
    """V+ - V - V'(q+) (q+ - q) of the two rods: the most that a step may gain, [F]."""
    u, v = run.joint["a"][:, 0], run.joint["b"][:, 0]
    energy = GRAVITY * (-0.75 * np.cos(u) - 0.25 * np.cos(u) * np.cos(v))
    slope = GRAVITY * np.array([0.75 * np.sin(u) + 0.25 * np.sin(u) * np.cos(v), 0.25 * np.cos(u) * np.sin(v)])
    return np.diff(energy) - np.sum(slope[:, 1:] * np.diff(np.array([u, v]), axis=1), axis=0)


def energy(lab, report):
    rows = []
    for title, scene, seconds in [("a box tumbles, slides and rests on a plane", TUMBLING, 1.5),
                                  ("two boxes collide", COLLIDING, 0.6), ("a double pendulum", SWINGING, 3)]:
        for step in (0.01,) if lab.quick else (0.01, 0.0025):
            scene = dict(scene, name="energy", time={"step": step, "steps": round(seconds / step)})
            run = lab.simulate(scene)
            size = scene["shapes"]["box"]["size"]
            moving = [body for body in scene["bodies"] if body.get("joint") != "fixed"]
            total = sum(kinetic_energy(run, body["name"], body["mass"], size) for body in moving)
            total = total - sum(body["mass"] * run.position[body["name"]][1:] @ scene["gravity"] for body in moving)
            allowed = 0.0
            if "contact" in scene:
                frames = range(1, len(total) + 1)
                names = [body["name"] for body in moving]
                total = total + lab.contact_energy(
                    scene, [{name: (run.position[name][f], run.rotation[name][f]) for name in names} for f in frames])
            else:
                allowed = max(0.0, curvature_of_gravity(run)[1:].max())
            rise = np.diff(total).max()
            limit = allowed + 1e-12 * abs(total[0])
            rows.append(([title, step, f"{total[0]:.4f}", f"{total[-1]:.4f}", f"{rise:.1e}", f"{allowed:.1e}",
                          np.count_nonzero(np.diff(total) > 0)], max(rise, 0) / limit, 1))
    report.section("Energy of passive systems",
        """Kinetic energy of the last displacement, gravity and contact, J. A step gains at most what curvature of
        the potential along it gives (docs/theory.md, "Energy"; nothing is granted to the boxes here beyond
        rounding, tests/scenes/test_physics_motion.c checks the bound for them).""",
        ["scene", "h, s", "first", "last", "largest rise of a step", "allowed", "steps that rise"], rows)


CLOUD = [  # mass, size, position, velocity, rotation, angular velocity
    (1, [0.2, 0.15, 0.1], [0.35, 0.02, 0], [-1.5, 0, 0.1], [1, 0, 0, 0], [1, 4, -2]),
    (2, [0.25, 0.2, 0.15], [-0.36, 0, 0.03], [1.2, 0.1, 0], [1, 0, 0, 0], [0, 0, 0]),
    (0.5, [0.1, 0.1, 0.1], [0, 0.5, 0.02], [0, -2, 0], [0.6, 0, 0.8, 0], [0, 0, 5]),
    (0.7, [0.12, 0.1, 0.15], [0.03, -0.5, 0], [0, 1.7, 0.2], [0.8, 0, 0, 0.6], [0, 0, 0]),
    (0.2, [0.05, 0.05, 0.3], [0, 0, 0.55], [0.1, 0, -2], [0.8, 0.6, 0, 0], [3, 0, 3]),
    (0.3, [0.06, 0.05, 0.3], [0.02, 0.03, -0.55], [0, 0, 1.5], [0.6, 0, 0.8, 0], [0, 0, 0])]


def momentum(lab, report):
    def collide(model, friction, step):
        bodies = [{"name": f"b{k}", "shape": f"s{k}", "mass": mass, "position": position, "velocity": velocity,
                   "rotation": rotation, "angular_velocity": spin}
                  for k, (mass, _, position, velocity, rotation, spin) in enumerate(CLOUD)]
        run = lab.simulate({"name": "cloud", "gravity": [0, 0, 0], "time": {"step": step, "steps": round(0.6 / step)},
                            "contact": {"model": model, "stiffness": 1e-6, "friction": friction},
                            "shapes": {f"s{k}": {"type": "box", "size": body[1]} for k, body in enumerate(CLOUD)},
                            "bodies": bodies})
        linear = sum(body[0] * run.velocity(f"b{k}") for k, body in enumerate(CLOUD))
        parts = [angular_momentum(run, f"b{k}", body[0], body[1]) for k, body in enumerate(CLOUD)]
        size = sum(body[0] * np.linalg.norm(run.velocity(f"b{k}")[0]) for k, body in enumerate(CLOUD))
        turning = sum(np.linalg.norm(part[0]) for part in parts)
        drift = np.linalg.norm(linear - linear[0], axis=1).max() / size
        change = np.linalg.norm(sum(part[-1] for part in parts) - sum(part[0] for part in parts)) / turning
        struck = max(np.linalg.norm(np.diff(run.velocity(f"b{k}"), axis=0), axis=1).max() for k in range(len(CLOUD)))
        return [model, friction, step, f"{struck:.2f}", f"{drift:.1e}", f"{change:.4f}"], drift, 1e-10

    cases = [(model, friction, 0.01) for model in ("bsh", "exact") for friction in (0, 0.5)]
    cases += [] if lab.quick else [("bsh", friction, step) for friction in (0, 0.5) for step in (0.02, 0.005)]
    report.section("Momentum",
        """Six boxes fly at each other without gravity, 0.6 s. Changes over the sums of the bodies' first magnitudes;
        linear momentum is kept, angular momentum is not: implicit Euler damps spin, the more the longer the step,
        and friction acts on planes a gap apart.""",
        ["model", "friction", "h, s", "largest change of a velocity, m/s", "linear, largest change",
         "angular, change at the end"], lab.each(collide, cases))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--output", default=os.path.join("runs", "paper", "physics"))
    parser.add_argument("--dcsim", default=os.path.join(ROOT, "build", "dcsim"))
    options = parser.parse_args()
    start, lab, report = time.time(), Laboratory(options.dcsim, options.quick), Report()
    report.say("## Known answers of physics\n")
    report.say("By `scripts/paper/physics.sh" + (" --quick" if options.quick else "") +
               f"`; h = {STEP} s where nothing else is said. \u2013 in a last column: the row has no bar.\n")
    for experiment in (limits_of_friction, creep, toppling, sliding, rolling, pendulum, free_spin, energy, momentum):
        before = lab.unconverged
        experiment(lab, report)
        if lab.unconverged > before:
            report.say(f"{lab.unconverged - before} steps did not converge.\n")
    seconds = time.time() - start
    held = sum(row["held"] is True for row in report.rows)
    report.say(f"{held} figures held, {report.missed} missed; {lab.runs} runs, {lab.unconverged} of {lab.steps} steps "
               f"did not converge; {seconds:.0f} s.")
    os.makedirs(options.output, exist_ok=True)
    with open(os.path.join(options.output, "physics.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(report.lines) + "\n")
    with open(os.path.join(options.output, "physics.csv"), "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["section", "case", "figure", "limit", "held"])
        for row in report.rows:
            case = "; ".join(f"{key}={value}" for key, value in row["case"].items())
            writer.writerow([row["section"], case, repr(row["figure"]), row["limit"], row["held"]])
    with open(os.path.join(options.output, "summary.json"), "w", encoding="utf-8") as file:
        json.dump({"task": "physics", "quick": options.quick, "date": time.strftime("%Y-%m-%d", time.gmtime()),
                   "processor": processor(), "cores": os.cpu_count(), "held": held, "missed": report.missed,
                   "runs": lab.runs, "steps": lab.steps, "unconverged_steps": lab.unconverged, "seconds": seconds,
                   "figures": report.rows}, file, indent=1)
        file.write("\n")
    sys.exit(1 if report.missed else 0)


if __name__ == "__main__":
    main()
