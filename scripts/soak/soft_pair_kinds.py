# SPDX-License-Identifier: Apache-2.0
"""Kinds of motions of soft bodies with others: carried by a free body, held by an arm, on a scale, pressed, met, and sliding on a box."""
import math

import numpy as np

from motions import G, ROCKING, SMOOTHING, Finding, add, add_far_balls
from motions import world as rigid_world
from soft_kinds import MODELS, block, shift

RANGE = 1e-3  # m, of the barriers of soft surfaces


def drawn(draw, name, size, low=4.3, high=5.7, **rest):
    """A block or ball of drawn material, which may be swollen by a pressure, and viscous."""
    soft = {"young": 10 ** draw.between("young", low, high), "poisson": draw.between("poisson", 0, 0.4), "self_contact": False, "viscosity": draw.pick("viscosity", [0, 0, 20]), "contact_range": RANGE}
    body = block(draw, name, size, soft, **rest)
    body["soft"]["form"] = draw.pick("form", ["block", "block", "sphere"])
    if draw.pick("inside", ["nothing", "pressure"]) == "pressure":
        body["soft"]["pressure"] = 0.02 * soft["young"]
    return body


def flex(draw, scene):
    """In half of the draws a muscle of the soft body gets shorter, or longer, along the run."""
    if draw.pick("muscle", [False, True]):
        body = next(body for body in scene["bodies"] if body["name"] == "body")
        body["soft"]["muscles"] = [{"name": "fibre", "low": [-1, -1, -1], "high": [1, 1, 1], "direction": [0, 0, 1], "stiffness": 0.5 * body["soft"]["young"]}]
        scene.setdefault("control", []).append({"type": "spline", "body": "body", "knots": 3, "initial": [0, 0, 0, draw.between("strain", -0.1, 0.1), 0, 0.05]})  # pressure, then the muscle's strain


def momentum(path, masses):
    """Sum over bodies of mass times velocity in every stretch [P - 1, 3], N s."""
    return sum(mass * np.diff(path.position[name], axis=0) for name, mass in masses.items()) / path.length[:, None]


def energy(path, masses):
    """Kinetic energy of the centres, J."""
    return sum(0.5 * mass * np.sum((np.diff(path.position[name], axis=0) / path.length[:, None]) ** 2, axis=1) for name, mass in masses.items())


def changed(of, scale):
    """By how much the momentum is off at most, and how much that may be."""
    return Finding("change of momentum", float(np.abs(of - of[0]).max()), 0, 1e-5 * scale)


def carried(draw, mutant):
    """A free body with a soft one on it flies and turns: momentum stays."""
    draw.step, draw.steps = min(draw.step, 0.01), 60
    scene = rigid_world(draw, [0, 0, 0], 0)
    masses = {"hand": draw.between("hand", 0.2, 2), "body": draw.between("mass", 0.1, 1)}
    start = [draw.between("x", -1, 1), draw.between("y", -1, 1), 0.3]
    add(scene, "hand", {"type": "box", "size": [0.1, 0.1, 0.1]}, mass=masses["hand"], velocity=start, angular_velocity=[draw.between("turn", -4, 4), 1, draw.between("twist", -4, 4)])
    scene["bodies"].append(drawn(draw, "body", [0.1, 0.1, 0.1], parent="hand", mass=masses["body"], position=[0, 0, 0.1]))
    scene["bodies"][-1]["soft"]["form"] = "block"
    flex(draw, scene)
    path = draw.run(scene)
    weighed = {**masses, "hand": masses["hand"] * mutant.get("mass", 1)}
    of = momentum(path, weighed)
    return [changed(of, sum(masses.values()) * np.linalg.norm(start) + 1)]


def arm(draw, mutant):
    """An arm that holds its weight carries a soft body and a load on it: it does not sink."""
    draw.step, draw.steps = min(draw.step, 0.01), 200
    scene = rigid_world(draw, [0, 0, -G], 0)
    mass, lean = draw.between("mass", 0.05, 0.5), draw.between("lean", -0.6, 0.6)
    add(scene, "hand", {"type": "box", "size": [0.2, 0.05, 0.05]}, joint="hinge", axis=[0, 1, 0], anchor=[-0.1, 0, 1], position=[0, 0, 1], joint_position=[lean], mass=draw.between("hand", 0.2, 2),
        pd={"kp": 20, "kd": 1, "gravity_compensation": not mutant})
    scene["bodies"].append(drawn(draw, "body", [0.08, 0.05, 0.05], low=5, parent="hand", mass=mass, position=[0.14, 0, 1]))
    scene["bodies"][-1]["soft"]["form"] = "block"
    scene["control"] = [{"type": "spline", "body": "hand", "knots": 2, "initial": [0, 0]}]
    path = draw.run(scene)
    late = path.time > 0.7 * path.time[-1]
    turned = path.joints["hand"][late, 0].mean() - path.joints["hand"][0, 0]
    return [Finding("turn of the arm, rad", float(turned), 0, 2e-3)]


def scale(draw, mutant):
    """A soft body on a plate that springs hold up: the plate sinks by the weight of both over the stiffness."""
    draw.step, draw.steps = 0.01, 200
    scene = rigid_world(draw, [0, 0, -G], draw.pick("friction", [0, 0.5]))
    masses, stiffness = (draw.between("plate", 0.5, 2), draw.between("mass", 0.1, 1)), draw.between("stiffness", 500, 5000)
    add(scene, "plate", {"type": "box", "size": [0.3, 0.3, 0.05]}, joint="slide", axis=[0, 0, 1], mass=masses[0], position=[0, 0, 0.4], pd={"kp": stiffness, "kd": 0.6 * math.sqrt(stiffness * sum(masses))})
    scene["bodies"].append(drawn(draw, "body", [0.1, 0.1, 0.08], mass=masses[1] * mutant.get("mass", 1), position=[0, 0, 0.425 + 0.042]))
    scene["bodies"][-1]["soft"]["form"], scene["bodies"][-1]["soft"]["viscosity"] = "block", 100
    path = draw.run(scene)
    late = path.time > 0.7 * path.time[-1]
    right = G * sum(masses) / stiffness
    return [Finding("way that the plate sinks", 0.4 - float(path.position["plate"][late, 2].mean()), right, 0.01 * right)]


def pressed(draw, mutant):
    """A drive presses a soft body against a plate on a spring with its limit: the plate gives way by that over the stiffness."""
    draw.step, draw.steps = 0.01, 200
    scene = rigid_world(draw, [0, 0, 0], 0)
    limit, stiffness = draw.between("limit", 0.5, 3), draw.between("stiffness", 500, 2000)
    kp, kd = 10 ** draw.between("kp", 1.5, 3), 10 ** draw.between("kd", 1, 2)
    add(scene, "hand", {"type": "box", "size": [0.05, 0.1, 0.1]}, joint="slide", axis=[1, 0, 0], mass=0.5, position=[-0.067, 0, 0], pd={"kp": kp, "kd": kd, "effort": limit * mutant.get("limit", 1)})
    add(scene, "plate", {"type": "box", "size": [0.05, 0.1, 0.1]}, joint="slide", axis=[1, 0, 0], mass=0.5, position=[0.067, 0, 0], pd={"kp": stiffness, "kd": 0.5 * math.sqrt(stiffness)})
    scene["bodies"].append(drawn(draw, "body", [0.08, 0.08, 0.08], mass=draw.between("mass", 0.1, 0.5), position=[0, 0, 0]))
    scene["bodies"][-1]["soft"]["form"], scene["bodies"][-1]["soft"]["viscosity"] = "block", 100
    scene["control"] = [{"type": "spline", "body": "hand", "knots": 2, "initial": [0.1 + 10 * limit / kp] * 2}]
    path = draw.run(scene)
    late = path.time > 0.7 * path.time[-1]
    right = limit / stiffness
    return [Finding("way that the plate gives", float(path.position["plate"][late, 0].mean()) - 0.067, right, 0.02 * right)]


def met(draw, mutant):
    """A soft body and another one, soft or rigid, hit each other: momentum stays, and their centres never have more energy than at the start."""
    draw.step = min(draw.step, 0.01)
    draw.steps = math.ceil(0.15 / draw.step)
    scene = rigid_world(draw, [0, 0, 0], draw.pick("friction", [0, 0.4]))
    masses = {"body": draw.between("mass", 0.2, 1), "other": draw.between("other", 0.2, 2)}
    speed, aside = draw.between("speed", 0.5, 2.5), draw.between("aside", -0.04, 0.04)
    scene["bodies"].append(drawn(draw, "body", [0.1, 0.1, 0.1], mass=masses["body"], position=[-0.06 - 2 * draw.step * speed, aside, 0], velocity=[speed, 0, 0]))
    if draw.pick("partner", ["soft", "rigid"]) == "soft":
        scene["bodies"].append(drawn(draw, "other", [0.1, 0.1, 0.1], mass=masses["other"], position=[0.06, 0, 0.01], velocity=[-0.5, 0, 0.1]))
    else:
        add(scene, "other", {"type": "box", "size": [0.1, 0.12, 0.12]}, mass=masses["other"], position=[0.06, 0, 0.01], velocity=[-0.5, 0, 0.1])
    add_far_balls(scene, draw)
    flex(draw, scene)
    path = draw.run(scene)
    weighed = {**masses, "other": masses["other"] * mutant.get("mass", 1)}
    of, had = momentum(path, weighed), energy(path, masses)
    # Pressure and muscles store energy, which may come back as motion.
    stored = 0.02 * had[0] + 1e-3 * 0.02 * 10 ** draw.between("young", 4.3, 5.7) * (draw.chosen["inside"] != "nothing") + 0.1 * draw.chosen["muscle"] * had[0]
    return [changed(of, masses["body"] * speed + 0.5 * masses["other"]), Finding("energy of the centres above the start", max(0.0, float(had.max() - had[0])), 0, stored)]


def sled(draw, mutant):
    """A soft block slides to rest on a box: v^2/(2 mu g)."""
    mu, speed = draw.between("mu", 0.1, 0.6), draw.between("speed", 0.5, 1.5)
    time = speed / (mu * G)
    draw.steps = math.ceil((1.3 * time + 2 * ROCKING) / draw.step) + 5
    scene = rigid_world(draw, [0, 0, -G], mu * mutant.get("friction", 1))
    way = speed**2 / (2 * mu * G)
    add(scene, "bench", {"type": "box", "size": [2 * way + 1, 0.5, 0.1]}, joint="fixed", position=[way, 0, -0.05])
    scene["bodies"].append(drawn(draw, "body", [0.12, 0.12, 0.06], low=4.7, mass=draw.between("mass", 0.3, 2), position=[0, 0, 0.031], velocity=[speed, 0, 0]))
    soft = scene["bodies"][-1]["soft"]
    soft["form"] = "block"
    # Begun out of balance, a pressure makes nodes swing by it over the root of modulus and density; where that is near the speed of
    # the sled friction turns with them and brakes it less (docs/limits.md): a tenth of the speed.
    if "pressure" in soft:
        soft["pressure"] = min(soft["pressure"], 0.1 * speed * math.sqrt(soft["young"] * draw.between("mass", 0.3, 2) / (0.12 * 0.12 * 0.06)))
    add_far_balls(scene, draw)
    path = draw.run(scene)
    moved = path.position["body"][-1, 0] - path.position["body"][0, 0]
    return [Finding("stopping distance", moved, way, 0.03 * way + 1.2 * speed * draw.step), Finding("speed at rest", shift(path), 0, 5 * SMOOTHING)]


KINDS = {"soft carried": carried, "soft on an arm": arm, "soft on a scale": scale, "soft pressed": pressed, "soft met": met, "soft sled": sled}
MUTANTS = {"soft carried": {"mass": 1.2}, "soft on an arm": {"held": 0}, "soft on a scale": {"mass": 1.3}, "soft pressed": {"limit": 1.2}, "soft met": {"mass": 1.2}, "soft sled": {"friction": 1.6}}
for kind in KINDS.values():
    kind.models = MODELS
