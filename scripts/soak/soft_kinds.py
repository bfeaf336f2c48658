# SPDX-License-Identifier: Apache-2.0
"""Kinds of motions of soft bodies: hung, sliding, landing, and ropes between two pins."""
import math

import numpy as np

from motions import G, ROCKING, SMOOTHING, Finding, add_floor
from motions import world as rigid_world

MODELS = ["bsh", "ipc", "sdrs"]  # soft surfaces have a barrier of their own; models differ in what else they sum up


def world(draw, friction, settles=False):
    """settles: it swings before it hangs still, which only the damping of Euler's steps ends within the run."""
    draw.integrator, draw.far = "euler" if settles else draw.integrator, 0.0
    return rigid_world(draw, [0, 0, -G], friction)


def block(draw, name, size, soft, **rest):
    cells = draw.pick("soft cells", [2, 3, 4])
    return {"name": name, "soft": {"form": "block", "size": size, "cells": [cells, cells, cells], "material": draw.pick("material", ["arap", "corotated", "neo_hookean"]), **soft}, **rest}


def hung(draw, mutant):
    """A block that hangs from its top: the centre sinks by density g L^2/(3 E), without lateral contraction."""
    size = [0.1, 0.08, draw.between("height", 0.1, 0.3)]
    strain, density = draw.between("strain", 0.003, 0.01), draw.between("density", 500, 3000)
    young = density * G * size[2] / strain
    draw.step, draw.steps = 0.01, 120
    scene = world(draw, 0, settles=True)
    pin = {"low": [-1, -1, size[2] / 2 * 0.999], "high": [1, 1, 1], "stiffness": 1e7}
    scene["bodies"].append(block(draw, "body", size, {"young": young * mutant.get("young", 1), "poisson": 0, "pins": [pin]}, density=density, position=[0, 0, 1]))
    path = draw.run(scene)
    right = density * G * size[2]**2 / (3 * young)
    held = density * G * size[0] * size[1] * size[2] / 1e7
    z = path.position["body"][:, 2]
    cells = draw.pick("soft cells", [2, 3, 4])
    return [Finding("way that the centre sinks", z[0] - z[-1], right, (0.02 + strain + 0.6 / cells**2) * right + held)]


def shift(path):
    """Speed along the floor from the mean place of the last fifth but one of the time to that of the last, m/s: in second order a block at rest goes on shivering about its place."""
    x, end = path.position["body"][:, :2], path.time[-1]
    before, last = (path.time > 0.6 * end) & (path.time <= 0.8 * end), path.time > 0.8 * end
    return np.linalg.norm(x[last].mean(axis=0) - x[before].mean(axis=0)) / (0.2 * end)


def soft_slide(draw, mutant):
    """A soft block slides to rest: v^2/(2 mu g)."""
    mu, speed = draw.between("mu", 0.1, 0.6), draw.between("speed", 0.5, 2)
    time = speed / (mu * G)
    draw.steps = math.ceil(2 * (1.3 * time + ROCKING) / draw.step) + 5
    scene = world(draw, mu * mutant.get("friction", 1))
    add_floor(scene)
    young = 10 ** draw.between("young", 4.7, 6)
    scene["bodies"].append(block(draw, "body", [0.12, 0.12, 0.06], {"young": young, "poisson": draw.between("poisson", 0, 0.4)}, mass=draw.between("mass", 0.3, 2), position=[0, 0, 0.0301], velocity=[speed, 0, 0]))
    path = draw.run(scene)
    way = speed**2 / (2 * mu * G)
    moved = path.position["body"][-1, 0] - path.position["body"][0, 0]
    return [Finding("stopping distance", moved, way, 0.03 * way + 1.2 * speed * draw.step), Finding("speed at rest", shift(path), 0, 5 * SMOOTHING)]


def soft_land(draw, mutant):
    """A soft body, with or without pressure inside, lands: without friction its momentum along the floor stays, and its centre never has more energy than it began with."""
    draw.step = min(draw.step, 0.01)
    draw.steps = math.ceil(0.5 / draw.step)
    young, speed = 10 ** draw.between("young", 4, 6), draw.between("speed", 0.2, 2)
    scene = world(draw, 0)
    add_floor(scene)
    turn = draw.rng.normal(size=4)
    # Elements of the other materials invert in hard impacts, and the run says so.
    soft = {"young": young, "poisson": draw.between("poisson", 0, 0.4), "material": "neo_hookean"}
    if draw.pick("balloon", [False, True]):
        soft["pressure"] = 0.02 * young
    drop = draw.between("drop", 0.02, 0.1)
    scene["bodies"].append(block(draw, "body", [0.1, 0.08, 0.06], soft, mass=draw.between("mass", 0.3, 2), position=[0, 0, 0.075 + drop], velocity=[speed * mutant.get("speed", 1), 0, -draw.between("down", 0, 2)],
                                 rotation=[float(x) for x in turn / np.linalg.norm(turn)]))
    path = draw.run(scene)
    v = np.diff(path.position["body"], axis=0) / path.length[:, None]
    energy = 0.5 * np.sum(v * v, axis=1) + G * path.position["body"][1:, 2]
    start = 0.5 * (speed**2 + draw.between("down", 0, 2)**2) + G * (0.075 + drop)
    # Pressure and elasticity are stored energy, but at rest in the free body.
    stored = 0.02 * start if "pressure" in soft else 0
    return [Finding("speed along the floor", v[-1, 0], speed, 1e-6 * speed), Finding("energy of the centre above the start", max(0.0, energy.max() - start), 0, 0.002 * start + stored)]


def hanging_rope(stiffness, weights, lengths, span):
    """Places [n, 2] of nodes in balance between two ends at (0, 0) and (span, 0): springs of these rest lengths and of stiffness EA, weights of the inner nodes, N; Newton's method."""
    n = len(lengths) + 1
    x = np.zeros((n, 2))
    x[:, 0] = np.concatenate([[0], np.cumsum(lengths)]) * span / sum(lengths)
    x[1:-1, 1] = -0.05 * span * np.sin(np.pi * np.arange(1, n - 1) / (n - 1))

    def value(y):
        d = np.linalg.norm(np.diff(y, axis=0), axis=1)
        return np.sum(0.5 * stiffness * (d - lengths)**2 / lengths) + weights @ y[1:-1, 1]

    for _ in range(200):
        d = np.diff(x, axis=0)
        size = np.linalg.norm(d, axis=1)
        tension = stiffness * (size - lengths) / lengths
        gradient, hessian = np.zeros(2 * n), np.zeros((2 * n, 2 * n))
        for k in range(n - 1):
            e = d[k] / size[k]
            block_ = stiffness / lengths[k] * np.outer(e, e) + max(tension[k], 0) / size[k] * (np.eye(2) - np.outer(e, e))
            a, b = slice(2 * k, 2 * k + 2), slice(2 * k + 2, 2 * k + 4)
            gradient[a] -= tension[k] * e
            gradient[b] += tension[k] * e
            hessian[a, a] += block_
            hessian[b, b] += block_
            hessian[a, b] -= block_
            hessian[b, a] -= block_
        gradient[3:2 * n - 2:2] += weights
        free = slice(2, 2 * n - 2)
        move = np.linalg.solve(hessian[free, free] + 1e-9 * stiffness * np.eye(2 * n - 4), -gradient[free]).reshape(-1, 2)
        part, before = 1.0, value(x)
        while part > 1e-8:
            y = x.copy()
            y[1:-1] += part * move
            if value(y) <= before:
                break
            part /= 2
        x = y
        if np.abs(move).max() < 1e-12:
            break
    return x


def catenary(draw, mutant):
    """A rope between two pins hangs as springs and weights in balance do."""
    length, cells, mass = 1.0, draw.pick("segments", [8, 12, 16]), draw.between("mass", 0.05, 0.3)
    diameter, stretch = 0.002, draw.between("stretch", 0.01, 0.05)
    area = math.pi * diameter**2 / 4
    young = mass * G / (stretch * area)
    draw.step, draw.steps = 0.02, 300
    scene = world(draw, 0, settles=True)
    pins = [{"low": [side * 0.5 - 1e-3, -1, -1], "high": [side * 0.5 + 1e-3, 1, 1], "stiffness": 1e7} for side in (-1, 1)]
    scene["bodies"].append({"name": "body", "soft": {"type": "rod", "size": [length], "cells": [cells], "thickness": diameter, "young": young * mutant.get("young", 1), "bending": 1e-9, "viscosity": young * 1e-2, "pins": pins}, "mass": mass, "position": [0, 0, 1]})
    path = draw.run(scene)
    lengths = np.full(cells, length / cells)
    right = hanging_rope(young * area, np.full(cells - 1, mass * G / cells), lengths, length)
    centre = np.sum(0.5 * (right[1:, 1] + right[:-1, 1])) / cells
    return [Finding("way that the centre of the rope sinks", path.position["body"][0, 2] - path.position["body"][-1, 2], -centre, 0.03 * -centre)]


KINDS = {"hung": hung, "soft slide": soft_slide, "soft land": soft_land, "catenary": catenary}
MUTANTS = {"hung": {"young": 1.25}, "soft slide": {"friction": 1.6}, "soft land": {"speed": 1.1}, "catenary": {"young": 1.6}}
for kind in KINDS.values():
    kind.models = MODELS
