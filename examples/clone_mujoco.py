#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Behaviour cloning in MuJoCo: a small network learns from plans that were executed there, window by window, and is tried
# there in closed loop from starts that it has not seen.
#
#     dcsim new push push.json
#     dcsim dataset clone_mujoco.json -o plans                        (examples/clone_mujoco.json)
#     python3 clone_mujoco.py push.json plans --visit visited.csv     (states that the clone comes to)
#     dcsim dataset clone_again.json -o again                         (plans from there on)
#     python3 clone_mujoco.py push.json plans again [--trials N]
#
# The planner is the expert: states that a clone visits are the points of a second study, so that it learns how to go on
# from where it errs (DAgger, Ross et al. 2011).  Inputs are the places of rod and box, how the rod lies to the box, and
# the time.  Velocities are left out, and the inputs are blurred, as a network otherwise copies where the rod is.
import argparse
import json
import os

import h5py
import numpy as np

import dcsim
from clone_push import Network

STEPS, STEP, SUBSTEPS = 60, 0.04, 8  # time.steps of the study, s, steps of MuJoCo in one
GOAL, ROD, HEIGHT = np.array([0.5, 0.15]), np.array([-0.4, 0.0]), 0.158  # m: the box's, where the rod's joint is 0, at rest
RANGES = np.array([0.15, 0.05, 0.1, 0.2])  # of starts in the study: box y, rod x, y (m) and turn (rad)
UNITS, ROUNDS, BLUR = 64, 3000, 0.1


def features(q, position, rotation, time):
    """[..., 10]: box to its goal and turn, rod to the goal and turn, rod in the frame of the box, time 0 .. 1."""
    turn, place = 2 * np.arctan2(rotation[..., 3], rotation[..., 0]), q[..., :2] + ROD
    c, s, d = np.cos(turn), np.sin(turn), place - position[..., :2]
    return np.concatenate([position[..., :2] - GOAL, turn[..., None], place - GOAL, q[..., 2:3],
                           np.stack([c * d[..., 0] + s * d[..., 1], -s * d[..., 0] + c * d[..., 1]], -1),
                           q[..., 2:3] - turn[..., None], time], -1)


def read(folder):
    """Inputs and targets of the demonstrations of a data set that reached; behind the end of each its last targets stay."""
    demos = []
    with h5py.File(os.path.join(folder, "dataset.h5")) as file:
        for name in file["mask/reached"]:
            demo = file["data"][name.decode()]
            run = os.path.join(folder, "points", os.path.basename(demo.attrs["run"]))
            with open(os.path.join(run, "resolved.json"), encoding="utf-8") as text:
                begin = STEPS - json.load(text)["time"]["steps"]
            actions, seen = demo["actions"][:], [demo["obs"][part][:] for part in ("q", "position", "rotation")]
            end, last = begin + len(actions), [demo["next_obs"][part][-1:] for part in ("q", "position", "rotation")]
            left = np.arange(end, STEPS, 2)[:, None] / STEPS
            seen = [np.concatenate([part, np.repeat(one, len(left), 0)]) for part, one in zip(seen, last)]
            time = np.concatenate([np.arange(begin, end)[:, None] / STEPS, left])
            demos.append((features(*seen, time), np.concatenate([actions, np.repeat(actions[-1:], len(left), 0)])))
    return demos


def learn(demos, rounds):
    random = np.random.default_rng(1)
    x, y = np.concatenate([d[0] for d in demos]), np.concatenate([d[1] for d in demos])
    network = Network(x, y, random, UNITS)
    network.learn(x, y, random, rounds, BLUR)
    return network


def drive(simulation, start, network):
    """States (q, qd) of a run, one a step.  Targets move on within a step as in a plant."""
    bodies = {body.name: body for body in simulation.scene.bodies}
    box, rod = bodies["box"].q, bodies["rod"].q
    simulation.set_state()
    q, qd = simulation.state
    q[box][1], q[rod] = start[0], start[1:]
    simulation.set_state(q, qd)
    states, before = [(q, qd)], q[rod].copy()
    for step in range(STEPS):
        target = network(features(q[rod], q[box][:3], q[box][3:], np.array([step / STEPS])))
        for part in range(1, SUBSTEPS + 1):
            q, qd = simulation.step(before + (target - before) * part / SUBSTEPS, (target - before) / STEP)
        before = target
        states.append((q, qd))
    return states


def is_reached(simulation, q, qd):
    box = next(body for body in simulation.scene.bodies if body.name == "box")
    return np.linalg.norm(q[box.q][:2] - GOAL) < 0.05 and np.linalg.norm(qd[box.v][3:]) < 0.1


def visit(simulation, network, path, random, count=60):
    """Points of a study: a state of each of count runs, the rod 12 mm back from the box, as plans begin with a gap."""
    bodies = {body.name: body for body in simulation.scene.bodies}
    box, rod, rows = bodies["box"], bodies["rod"], []
    for _ in range(count):
        step = 4 * random.integers(2, 12)
        q, qd = drive(simulation, random.uniform(-1, 1, 4) * RANGES * [1, 0.3, 0.3, 0.3], network)[step]
        place, joints, v = q[box.q][:3], q[rod.q].copy(), qd[box.v]
        turn, along = np.arctan2(q[box.q][6], q[box.q][3]), np.array([np.cos(joints[2]), np.sin(joints[2])])
        joints[:2] -= 0.012 * along * np.sign(along @ (place[:2] - joints[:2] - ROD))
        values = [[place[0], place[1], HEIGHT], [np.cos(turn), 0, 0, np.sin(turn)], [v[3], v[4], 0], [0, 0, v[2]], joints, qd[rod.v]]
        rows.append(",".join('"[' + ",".join(f"{number:.9f}" for number in value) + ']"' for value in values) + f",{STEPS - step}")
    names = [f"bodies.box.{name}" for name in ("position", "rotation", "velocity", "angular_velocity")]
    names += [f"bodies.rod.{name}" for name in ("joint_position", "joint_velocity")] + ["time.steps"]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([",".join(names), *rows]) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scene")
    parser.add_argument("folders", nargs="+", help="of data sets")
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of learning")
    parser.add_argument("--visit", metavar="FILE", help="try nothing, write states that the clone comes to")
    options = parser.parse_args()
    demos = [read(folder) for folder in options.folders]
    scene = dcsim.open(options.scene, model="mujoco", overrides={"time.step": STEP / SUBSTEPS, "mujoco.substeps": 1})
    simulation, everything = scene.simulation(), sum(demos, [])
    if options.visit:
        visit(simulation, learn(everything, options.rounds), options.visit, np.random.default_rng(5000))
        return
    counts = [n for n in (30, len(demos[0])) if n < len(everything)] + [len(everything)]
    for count in counts:
        network, random = learn(everything[:count], options.rounds), np.random.default_rng(2)
        starts = random.uniform(-1, 1, (options.trials, 4)) * RANGES * [1, 0, 0, 0]
        reached = sum(is_reached(simulation, *drive(simulation, start, network)[-1]) for start in starts)
        print(f"{count} demonstrations: {reached} of {options.trials} starts reached in MuJoCo", flush=True)


if __name__ == "__main__":
    main()
