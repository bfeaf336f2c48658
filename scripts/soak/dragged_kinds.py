# SPDX-License-Identifier: Apache-2.0
"""Kinds of motions that rub on joints, under actuators and as soft bodies: what slides all the time loses mu times what the floor has pushed, however steps are divided."""
import math

import numpy as np

import shapes
from motion_kinds import KICKED, restitution_of
from motions import G, MODELS, ROUND, Finding, add, add_far_balls, add_floor, velocity, waits, world

SHAPELESS = [0.01, 0.01, 0.01, 0, 0, 0]  # kg m^2, of bodies that are a mass alone


def about_y(angle):
    return [math.cos(angle / 2), 0, math.sin(angle / 2), 0]


def slides_on(path, name, end, speed):
    """Whether a point of a body, at a place in its axes, goes on along x at a fifth of its speed at least: friction has not stopped it."""
    point = path.position[name] + np.array([shapes.matrix(q) @ end for q in path.rotation[name]])
    return (np.diff(point[:, 0]) / path.length).min() > 0.2 * speed


def rubbed(path, draw, masses, start, mu, more):
    """The ratio of the impulses along the floor and across it of all bodies together; nothing where friction of the last interval is still to come.

    start: velocity that all had, m/s.
    """
    total = sum(masses.values())
    speeds = sum(mass * np.diff(path.position[name], axis=0) for name, mass in masses.items()) / total / path.length[:, None]
    normal = total * (np.diff(speeds[:, 2], prepend=start[2]) + G * waits(path, draw.integrator))
    lost = total * (speeds[-1, :2] - np.array(start[:2]))
    whole = normal.sum()
    # The first interval goes on from the velocities, whatever joints make of them.
    if whole < 0.05 * total:
        return []
    # Friction may be a whole step behind: in parts of a step it keeps what a contact that lasts pushes beyond their length.
    late = np.abs(normal[path.time[1:] > path.time[-1] - draw.step]).sum() / whole
    if "restitution" in more and late > 0.01:
        return []
    part = KICKED if "restitution" in more else 0.03
    return [Finding("tangential over normal impulse", np.hypot(*lost) / whole, mu, (part + 1.1 * late) * mu)]


def finish(draw, scene, masses, start, mu, ends, more):
    """ends: places that rub, in the axes of bodies."""
    add_far_balls(scene, draw)
    scene["contact"].update(more)
    path = draw.run(scene)
    on = all(slides_on(path, name, np.array(end), start[0]) for name, end in ends)
    return rubbed(path, draw, masses, start, mu, more) if on else []


def begin(draw, mutant):
    mu, speed, down = draw.between("mu", 0.1, 0.5), draw.between("speed", 15, 40), draw.between("down", 0.5, 3)
    draw.steps = math.ceil(5 + 0.06 / (down * draw.step)) + 6
    scene = world(draw, [0, 0, -G], mu * mutant.get("friction", 1))
    add_floor(scene)
    return scene, mu, speed, down


def pressed_slider(draw, mutant):
    """A slider that an actuator presses on the floor and that slides along it all the time."""
    scene, mu, speed, down = begin(draw, mutant)
    masses = {"carrier": draw.between("carried", 0.2, 2), "body": draw.between("mass", 0.2, 3)}
    kp = draw.between("kp", 50, 2000)
    kd = draw.between("zeta", 0.0, 1.0) * 2 * math.sqrt(kp * masses["body"])
    shape, start = ROUND[draw.pick("round", list(ROUND))], 0.085 + 4.5 * draw.step * down
    rest = draw.between("rest", -0.2, 0.0)
    scene["bodies"].append({"name": "carrier", "mass": masses["carrier"], "inertia": SHAPELESS, "position": [0, 0, rest], "joint": {"type": "slide", "axis": [1, 0, 0]}, "joint_velocity": [speed]})
    turn = draw.rng.normal(size=4)
    add(scene, "body", shape, mass=masses["body"], parent="carrier", position=[0, 0, rest], rotation=[float(x) for x in turn / np.linalg.norm(turn)], joint={"type": "slide", "axis": [0, 0, 1]}, joint_position=[start - rest],
        joint_velocity=[-down], pd={"kp": kp, "kd": kd, "target": [0], "gravity_compensation": False})

    def pressed(path):
        z = path.joints["body"][:, 0]
        at = z[1:] if draw.integrator == "euler" else 0.5 * (z[1:] + z[:-1])
        return kp * at * path.length + kd * np.diff(z)

    add_far_balls(scene, draw)
    more = restitution_of(draw)
    scene["contact"].update(more)
    path = draw.run(scene)
    # The carrier does not move up and down; its weight rests on its rail.
    body, carrier = masses["body"], masses["carrier"]
    w = np.diff(path.position["body"], axis=0) / path.length[:, None]
    normal = body * np.diff(w[:, 2], prepend=-down) + body * G * path.length + pressed(path)
    lost, whole = (body + carrier) * (speed - w[-1, 0]), normal.sum()
    late = abs(normal[-1]) / max(whole, 1e-9)
    if whole < 0.05 * body or "restitution" in more and late > 0.01 or w[:, 0].min() < 0.2 * speed:
        return []
    part = KICKED if "restitution" in more else 0.03
    return [Finding("tangential over normal impulse", lost / whole, mu, (part + 1.1 * late) * mu)]


def chain_skid(draw, mutant):
    """Links that hang together land and skid off."""
    scene, mu, speed, down = begin(draw, mutant)
    links, size, masses = draw.pick("links", [2, 3]), [0.16, 0.05, 0.04], {}
    height = 0.12 + 4.5 * draw.step * down
    for k in range(links):
        x = 0.2 * k
        masses[f"b{k}"] = draw.between(f"mass{k}", 0.2, 0.8)
        joint = {"velocity": [speed, 0, -down]} if k == 0 else {"parent": f"b{k - 1}", "joint": draw.pick(f"joint{k}", [{"type": "hinge", "axis": [0, 1, 0], "anchor": [x - 0.1, 0, height]}, {"type": "ball", "anchor": [x - 0.1, 0, height]}])}
        add(scene, f"b{k}", {"type": "box", "size": size}, mass=masses[f"b{k}"], position=[x, 0, height - 0.02 * k], rotation=about_y(0.1 * draw.between(f"tilt{k}", -1, 1)), **joint)
    return finish(draw, scene, masses, [speed, 0, -down], mu, [(name, [x, 0, z]) for name in masses for x in (-0.08, 0.08) for z in (-0.02, 0.02)], restitution_of(draw))


def finger(draw, mutant):
    """A finger on a driven hinge of a carriage that falls and drags it along the floor."""
    scene, mu, speed, down = begin(draw, mutant)
    masses = {"carriage": draw.between("carried", 0.3, 2), "body": draw.between("mass", 0.1, 1)}
    length, angle = 0.16, draw.between("angle", -0.6, 0.6)
    reach = 0.08 + length / 2 + 0.03
    height = reach + 4.5 * draw.step * down
    scene["bodies"].append({"name": "carriage", "mass": masses["carriage"], "inertia": SHAPELESS, "position": [0, 0, height], "joint": [{"type": "slide", "axis": [1, 0, 0]}, {"type": "slide", "axis": [0, 0, 1]}], "joint_velocity": [speed, -down]})
    shape = draw.pick("tip", [{"type": "box", "size": [0.03, 0.03, length]}, {"type": "capsule", "radius": 0.02, "height": length - 0.04}])
    add(scene, "body", shape, mass=masses["body"], parent="carriage", position=[0, 0, height - length / 2 - 0.01], joint={"type": "hinge", "axis": [0, 1, 0], "anchor": [0, 0, height]}, joint_position=[angle],
        pd={"kp": draw.between("kp", 1, 50), "kd": draw.between("kd", 0.0, 0.5)})
    return finish(draw, scene, masses, [speed, 0, -down], mu, [("body", [0, 0, -length / 2])], {})


def soft_skid(draw, mutant):
    """A soft body lands and skids off, or goes on along the floor, while steps are divided."""
    scene, mu, speed, down = begin(draw, mutant)
    draw.steps = min(draw.steps, 40)
    mass = draw.between("mass", 0.3, 2)
    turn = draw.rng.normal(size=4)
    cells = draw.pick("soft cells", [1, 2])
    form = {"form": "block", "size": [0.1, 0.08, 0.06], "cells": [cells] * 3, "material": "neo_hookean", "young": 10 ** draw.between("young", 4.5, 6), "poisson": draw.between("poisson", 0, 0.4), "viscosity": draw.pick("viscosity", [0, 20])}
    scene["bodies"].append({"name": "body", "soft": form, "mass": mass, "position": [0, 0, 0.075 + 4.5 * draw.step * down], "rotation": [float(x) for x in turn / np.linalg.norm(turn)], "velocity": [speed, 0, -down]})
    add_far_balls(scene, draw)
    path = draw.run(scene)
    return rubbed(path, draw, {"body": mass}, [speed, 0, -down], mu, {})


def only_euler(kind):
    def drawn(draw, mutant):
        draw.integrator = "euler"
        return kind(draw, mutant)

    drawn.__doc__ = kind.__doc__
    return drawn


# Where a drive gives way to contact in second order, states do not tell its impulse.
pressed_slider = only_euler(pressed_slider)
KINDS = {"pressed slider": pressed_slider, "chain skid": chain_skid, "finger": finger, "soft skid": soft_skid}
MUTANTS = {kind: {"friction": 0.93} for kind in KINDS}
soft_skid.models = ["bsh", "ipc", "sdrs"]
finger.models = [model for model in MODELS if model != "ipc-global"]  # whose pairs of triangles all cost
