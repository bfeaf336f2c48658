# SPDX-License-Identifier: Apache-2.0
"""Scenes of scripts/soak/physics.py and the motions that dcsim gives of them: what all kinds share."""
import dataclasses
import json
import math
import os
import subprocess
import tempfile

import numpy as np

import cases
import judge

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DCSIM = os.path.abspath(os.environ.get("SOAK_DCSIM", os.path.join(ROOT, "build", "dcsim")))
# With "leaves" round shapes are round and others hulls.
MODELS = ["bsh", "exact", "ipc", "sdrs", "manifold", "ipc-global", "bsh leaves", "exact leaves"]
G = 9.81
ROCKING = 0.2  # s
SMOOTHING = 1e-3  # m/s, the default of contact.friction_smoothing: below it friction is a damper
INTEGRATORS = ["euler", "second_order"]


@dataclasses.dataclass
class Finding:
    """What a law says of a motion: found must be right within tolerance (same unit)."""

    quantity: str
    found: float
    right: float
    tolerance: float

    @property
    def kept(self):
        return abs(self.found - self.right) <= self.tolerance


class Failed(Exception):
    """dcsim ended with another status than 0."""


def with_surface(scene, surface):
    shapes = {name: shape if shape["type"] == "plane" else {**shape, "surface": surface} for name, shape in scene["shapes"].items()}
    return {**scene, "shapes": shapes}


def simulate(scene, model, timeout, keep=None):
    """The certified path of a scene; said: its warnings."""
    name, *leaves = model.split()
    scene = with_surface(scene, "leaves" if leaves else "mesh")
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "scene.json")
        with open(file, "w", encoding="utf-8") as out:
            json.dump(scene, out)
        if keep:
            os.makedirs(os.path.dirname(keep), exist_ok=True)
            with open(keep, "w", encoding="utf-8") as out:
                json.dump(scene, out, indent=1)
        command = [DCSIM, "simulate", file, "-o", os.path.join(folder, "run"), "--no-report", "--quiet", "--threads", "1", "--model", name]
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
        if done.returncode:
            raise Failed(f"status {done.returncode}: {done.stderr.strip()[:200]}")
        path = judge.Path(os.path.join(folder, "run"), scene["time"]["step"])
        path.said = done.stdout + done.stderr
        return path


def velocity(path, name, at=-1):
    """Of the centre of mass over the stretch that ends in a state, m/s."""
    end = len(path.time) - 1 if at < 0 else at
    return (path.position[name][end] - path.position[name][end - 1]) / path.length[end - 1]


def waits(path, integrator):
    """How long weight acts between the speeds of intervals, s [P - 1]: those are speeds at the ends of intervals, in second order at their middles."""
    return path.length if integrator == "euler" else 0.5 * (path.length + np.concatenate([[0], path.length[:-1]]))


def drift(path, name):
    """Mean speed along the floor over the last tenth of the time, m/s: what lies may still rock on its barrier."""
    at = min(np.searchsorted(path.time, 0.9 * path.time[-1]), len(path.time) - 2)
    return np.linalg.norm(path.position[name][-1, :2] - path.position[name][at, :2]) / (path.time[-1] - path.time[at])


def turns(path, name):
    """Angular velocities of a body over the stretches, rad/s [P - 1, 3], and its rotations [P, 4]."""
    q = path.rotation[name]
    w, v, u, x = q[1:, :1], q[1:, 1:], q[:-1, :1], -q[:-1, 1:]
    real, vector = w * u - np.sum(v * x, axis=1, keepdims=True), w * x + u * v + np.cross(v, x)
    size = np.linalg.norm(vector, axis=1, keepdims=True)
    angle = 2 * np.arctan2(size, real)
    return vector / np.maximum(size, 1e-300) * np.where(angle > math.pi, angle - 2 * math.pi, angle) / path.length[:, None], q


# Scenes.

SHAPES = {
    "cube": {"type": "box", "size": [0.1, 0.1, 0.1]},
    "plate": {"type": "box", "size": [0.2, 0.14, 0.05]},
    "brick": {"type": "box", "size": [0.12, 0.2, 0.08]},
}
ROUND = {"ball": {"type": "sphere", "radius": 0.05, "level": 1}, "tumbler": {"type": "box", "size": [0.09, 0.07, 0.05]}}


def world(draw, gravity, friction):
    scene = {"name": "physics", "time": {"step": draw.step, "steps": draw.steps}, "gravity": [float(g) for g in gravity],
             "contact": {**({} if draw.defaults else cases.CONTACT[draw.model.split()[0]]), "friction": float(friction)}, "shapes": {}, "bodies": []}
    if draw.integrator != "euler":
        scene["time"]["integrator"] = draw.integrator
    return scene


def add(scene, name, shape, **rest):
    scene["shapes"][name] = shape
    scene["bodies"].append({"name": name, "shape": name, **rest})


def add_floor(scene):
    """A half-space: on triangles the height at which a body lies changes by a part of the gap from edge to edge, and no closed form knows that."""
    add(scene, "floor", {"type": "plane"}, joint="fixed")


def add_far_balls(scene, draw):
    """Two balls, 100 m up, that meet at draw.far m/s within the run: the step in which they do has to be divided."""
    if not draw.far:
        return
    gap = 0.05 + 0.6 * draw.rng.random() * draw.steps * draw.step * draw.far
    for sign in (-1, 1):
        add(scene, f"far{sign}", {"type": "sphere", "radius": 0.1, "level": 0}, mass=1, position=[sign * (0.11 + gap), sign * 0.02, 100], velocity=[-sign * draw.far, 0, 0])


RESTS = {}


def half_height(shape):
    return shape["size"][2] / 2 if "size" in shape else shape["radius"]


def harden(scene):
    """Barriers a hundred times as hard as usual, for bodies that touch two others: soft ones lean, so that each takes a part of the other's push, and
    gaps are not thin beside a ladder (docs/limits.md)."""
    if "stiffness" in scene["contact"]:
        scene["contact"]["stiffness"] *= 1e-2


def rest_height(draw, shape, mass, normal_gravity, hard=False):
    """z at which a body lies still on the floor under a gravity across it; hard: with the barriers of harden."""
    key = (draw.model, draw.defaults, json.dumps(shape), round(mass, 6), round(normal_gravity, 6), hard)
    if key not in RESTS:
        settling = dataclasses.replace(draw, step=0.01, steps=150, far=0, integrator="euler")
        scene = world(settling, [0, 0, -normal_gravity], 0.5)
        if hard:
            harden(scene)
        add_floor(scene)
        held = {} if "size" in shape else {"joint": {"type": "slide", "axis": [0, 0, 1]}}
        add(scene, "body", shape, mass=mass, position=[0, 0, half_height(shape) + 0.003], **held)
        RESTS[key] = simulate(scene, draw.model, draw.timeout).position["body"][-1, 2]
    return RESTS[key]


def lying(draw, tilt, speed, friction, mutant):
    """A flat body at rest on a floor that gravity tilts by an angle about y, thrown along x."""
    shape, mass = SHAPES[draw.pick("shape", list(SHAPES))], draw.between("mass", 0.2, 3)
    scene = world(draw, [G * math.sin(tilt), 0, -G * math.cos(tilt)], friction * mutant.get("friction", 1))
    add_floor(scene)
    z = rest_height(draw, shape, mass, G * math.cos(tilt))
    add(scene, "body", shape, mass=mass, position=[0, 0, float(z)], velocity=[float(speed), 0, 0])
    add_far_balls(scene, draw)
    return scene


