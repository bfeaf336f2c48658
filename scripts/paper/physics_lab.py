# SPDX-License-Identifier: Apache-2.0
"""What scripts/paper/physics.py runs its experiments with: scenes in a temporary folder, trajectories, rotations."""
import concurrent.futures
import json
import math
import os
import subprocess
import sys
import tempfile
import threading

try:
    import h5py
    import numpy as np
except ImportError:
    sys.exit("physics.py: h5py is missing (Debian: python3-h5py)")

GRAVITY = 9.81  # m/s^2


class Run:
    """One trajectory: frames 0 ... F."""

    def __init__(self, scene, result, path):
        self.scene = scene
        self.step = scene["time"]["step"]
        self.unconverged = result["unconverged_steps"]
        with h5py.File(path) as file:
            self.position = {name: body["position"][:] for name, body in file["bodies"].items()}
            self.rotation = {name: body["rotation"][:] for name, body in file["bodies"].items()}
            self.joint = {name: data[:] for name, data in file["joints"].items()} if "joints" in file else {}

    def velocity(self, name):
        """[F, 3], in the step that ends at each frame after the first."""
        return np.diff(self.position[name], axis=0) / self.step


class Laboratory:
    def __init__(self, dcsim, quick):
        self.dcsim = dcsim
        self.quick = quick
        self.folder = tempfile.TemporaryDirectory(prefix="dcsim-physics-")
        self.pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
        self.lock = threading.Lock()
        self.runs = self.unconverged = self.steps = 0

    def _call(self, scene, *arguments):
        with self.lock:
            self.runs += 1
            path = os.path.join(self.folder.name, f"{self.runs}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(scene, file)
        command = [self.dcsim, arguments[0], path, "--json", *arguments[1:]]
        environment = dict(os.environ, OMP_NUM_THREADS="1")
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
        os.remove(path)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def simulate(self, scene):
        with tempfile.TemporaryDirectory(dir=self.folder.name) as directory:
            result = self._call(scene, "simulate", "--quiet", "-o", os.path.join(directory, "run"))
            run = Run(scene, result, os.path.join(directory, "run", "trajectory.h5"))
        with self.lock:
            self.unconverged += run.unconverged
            self.steps += result["steps"]
        return run

    def contact_energy(self, scene, poses):
        """J at each of poses: dictionaries of (position, rotation) by the names of bodies that move."""

        def energy(pose):
            bodies = [dict(body) for body in scene["bodies"]]
            for body in bodies:
                if body["name"] in pose:
                    position, rotation = pose[body["name"]]
                    body["position"], body["rotation"] = list(map(float, position)), list(map(float, rotation))
            return self._call(dict(scene, bodies=bodies), "probe")["energy"]

        return np.array(list(self.pool.map(energy, poses)))

    def each(self, function, cases):
        """function(*case) for all cases, several at a time, in order.  function must not use the pool itself."""
        return list(self.pool.map(lambda case: function(*case), cases))


def matrices(quaternions):
    """[F, 3, 3] of [F, 4] (w, x, y, z)."""
    w, x, y, z = (quaternions / np.linalg.norm(quaternions, axis=1)[:, None]).T
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]).transpose(2, 0, 1)


def box_moments(mass, size):
    """Integral of r r^T dm of a solid box about its centre."""
    return mass / 12 * np.diag(np.square(size))


def kinetic_energy(run, name, mass, size):
    """|(T - T-)/h|^2_M / 2 of a box, [F]."""
    spin = np.diff(matrices(run.rotation[name]), axis=0) / run.step
    turning = np.einsum("fij,jk,fik->f", spin, box_moments(mass, size), spin)
    return 0.5 * mass * np.sum(run.velocity(name) ** 2, axis=1) + 0.5 * turning


def angular_momentum(run, name, mass, size):
    """Of a box about the world's origin, [F, 3]: x+ x m v + axis of (dR/h) M R+^T."""
    rotation = matrices(run.rotation[name])
    spin = np.einsum("fij,jk,flk->fil", np.diff(rotation, axis=0) / run.step, box_moments(mass, size), rotation[1:])
    skew = spin - spin.transpose(0, 2, 1)
    axial = np.stack([skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]], axis=1)
    return np.cross(run.position[name][1:], mass * run.velocity(name)) + axial


def bisect(low, high, yes, halvings):
    """Where yes changes from false at low to true at high; NaN when it does not."""
    if yes(low) or not yes(high):
        return math.nan
    for _ in range(halvings):
        middle = (low + high) / 2
        low, high = (low, middle) if yes(middle) else (middle, high)
    return (low + high) / 2
