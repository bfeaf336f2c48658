#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Behaviour cloning: a small network learns from plans of dcsim dataset where a rod is to push a box, and is then tried in
# closed loop from starts that it has not seen.
#
#     dcsim new push push.json
#     dcsim dataset clone_push.json -o plans          (examples/clone_push.json: 200 starts of the box)
#     python3 clone_push.py push.json plans/dataset.h5 [TRIALS [MODEL]]
#
# MODEL: the contact model of the world that it is tried in, such as mujoco; by default the scene's.
#
# NumPy does the learning: two layers of 128 tanh units, Adam, the mean squared error of the targets.  Inputs are q, the
# place and rotation of the box and the time, scaled to deviation 1 as the actions are.  Velocities are left out: a
# target runs ahead of them, and a network that learns this pushes itself on.  The study asks for a tolerance of 1 cm,
# since a plan ends where its tolerance begins; what has been learned is judged by the 5 cm of the scene.
import sys

import h5py
import numpy as np

import dcsim

WIDTH, ROUNDS, BATCH, NOISE = 128, 6000, 512, 0.02


def features(q, position, rotation, time):
    return np.concatenate([q, position[..., :2], rotation[..., [0, 3]], time], axis=-1)


def read(path):
    """Inputs [samples, n] and actions [samples, m] of all demonstrations that reached their tasks, one array each."""
    with h5py.File(path) as file:
        names = [name.decode() for name in file["mask/reached"]]
        demos = []
        for name in names:
            demo = file["data"][name]
            count = demo.attrs["num_samples"]
            seen = [demo["obs"][part][:] for part in ("q", "position", "rotation")]
            demos.append((features(*seen, np.arange(count)[:, None] / count), demo["actions"][:]))
    return demos


class Network:
    """y = W3 tanh(W2 tanh(W1 x + b1) + b2) + b3, on scaled numbers."""

    def __init__(self, x, y, random, width=WIDTH):
        self.x_mean, self.x_deviation = x.mean(0), x.std(0) + 1e-3
        self.y_mean, self.y_deviation = y.mean(0), y.std(0) + 1e-6
        sizes = [x.shape[1], width, width, y.shape[1]]
        self.weights = [random.standard_normal((a, b)) / np.sqrt(a) for a, b in zip(sizes, sizes[1:])]
        self.offsets = [np.zeros(b) for b in sizes[1:]]

    def layers(self, x):
        values = [x]
        for i, (weight, offset) in enumerate(zip(self.weights, self.offsets)):
            z = values[-1] @ weight + offset
            values.append(np.tanh(z) if i < 2 else z)
        return values

    def __call__(self, x):
        return self.layers((x - self.x_mean) / self.x_deviation)[-1] * self.y_deviation + self.y_mean

    def learn(self, x, y, random, rounds=ROUNDS, noise=NOISE):
        x, y = (x - self.x_mean) / self.x_deviation, (y - self.y_mean) / self.y_deviation
        parameters = self.weights + self.offsets
        first, second = [np.zeros_like(p) for p in parameters], [np.zeros_like(p) for p in parameters]
        for step in range(1, rounds + 1):
            rows = random.integers(len(x), size=BATCH)
            values = self.layers(x[rows] + noise * random.standard_normal((BATCH, x.shape[1])))
            error = 2 * (values[-1] - y[rows]) / BATCH
            by_weights, by_offsets = [None] * 3, [None] * 3
            for i in (2, 1, 0):
                by_weights[i], by_offsets[i] = values[i].T @ error, error.sum(0)
                error = (error @ self.weights[i].T) * (1 - values[i] ** 2)
            rate = 2e-3 * 0.5 * (1 + np.cos(np.pi * step / rounds))
            for p, g, m, v in zip(parameters, by_weights + by_offsets, first, second):
                m += 0.1 * (g - m)
                v += 0.001 * (g * g - v)
                p -= rate * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)


def attempt(scene, network, random):
    """Whether the box of a new start ends at its target, at rest."""
    simulation, bodies = scene.simulation(), {body.name: body for body in scene.bodies}
    box, rod = bodies["box"], bodies["rod"]
    q, qd = simulation.state
    start = q[rod.q].copy()
    q[box.q][1] += random.uniform(-0.15, 0.15)
    simulation.set_state(q, qd)
    target = start
    for step in range(scene.steps):
        pose, before = q[box.q], target
        target = network(features(q[rod.q], pose[:3], pose[3:], np.array([step / scene.steps])))
        q, qd = simulation.step(target - start, (target - before) / scene.time_step)
    return np.linalg.norm(q[box.q][:2] - [0.5, 0.15]) < 0.05 and np.linalg.norm(qd[box.v]) < 0.1


def main():
    scene_file, dataset = sys.argv[1], sys.argv[2]
    trials = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    model = sys.argv[4] if len(sys.argv) > 4 else None
    demos, scene = read(dataset), dcsim.open(scene_file, model=model)
    counts = [n for n in (10, 30, 100, 300, 1000) if n < len(demos)] + [len(demos)]
    for count in counts:
        random = np.random.default_rng(1)
        x, y = np.concatenate([d[0] for d in demos[:count]]), np.concatenate([d[1] for d in demos[:count]])
        network = Network(x, y, random)
        network.learn(x, y, random)
        random = np.random.default_rng(2)
        reached = sum(attempt(scene, network, random) for _ in range(trials))
        print(f"{count} demonstrations: {reached} of {trials} starts reached" + (f" in {model}" if model else ""))


if __name__ == "__main__":
    main()
