#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the judge of runs can say no: a run is spoilt in every way that it looks for, and divided in ways that must not matter to it.

    scripts/soak/self_test.py

Prints "ok NAME" or "not ok NAME" for each; exits with 1 when one is not.
"""
import json
import os
import shutil
import sys
import tempfile

import h5py
import numpy as np

import cases
import judge
import shapes
import soak


def gentle():
    """Two balls that meet at 0.2 m/s, and a third one with spin that touches nothing."""
    rng = np.random.default_rng(1)
    bodies = [cases.ball(name, rng, 1) for name in ("a", "b", "c")]
    for body, x, speed in zip(bodies, (-0.15, 0.15, 3), (0.1, -0.1, 0.1)):
        body.position, body.velocity = np.array([x, 0.02, 0]), np.array([speed, 0, 0])
    bodies[2].spin = np.array([3.0, 4, 5])
    return cases.Case("gentle", "bsh", "sphere", 0.01, 100, bodies, order=(0, 1, np.array([1.0, 0, 0])))


def divide(directory):
    """Every second state moves to /between: the same path, said otherwise."""
    with h5py.File(os.path.join(directory, "trajectory.h5"), "r+") as file:
        names = ["time", *(f"bodies/{name}/{kind}" for name in file["bodies"] for kind in ("position", "rotation"))]
        for name in names:
            values = file[name][:]
            del file[name]
            file[name] = values[::2]
            file["between/" + name] = values[1::2]
        file["substeps"] = np.full(len(file["time"]) - 1, 2.0)
        count = len(file["time"]) - 1
    edit_result(directory, divided_steps=count)


def edit_result(directory, **values):
    name = os.path.join(directory, "run.json")
    with open(name, encoding="utf-8") as file:
        content = json.load(file)
    content["result"].update(values)
    with open(name, "w", encoding="utf-8") as file:
        json.dump(content, file)


def edit(directory, name, change):
    with h5py.File(os.path.join(directory, "trajectory.h5"), "r+") as file:
        values = file[name][:]
        change(values)
        file[name][...] = values


def swap(directory):
    """From the fiftieth frame on the balls go on where the other one was."""
    with h5py.File(os.path.join(directory, "trajectory.h5"), "r+") as file:
        a, b = file["bodies/a/position"][:], file["bodies/b/position"][:]
        file["bodies/a/position"][50:], file["bodies/b/position"][50:] = b[50:], a[50:]


def kick(directory):
    edit(directory, "bodies/c/position", lambda values: values[60:].__iadd__(np.array([0, 1e-9, 0])))


def spin_up(directory):
    def change(values):
        values[-1] = shapes_product(shapes.quaternion_of([0, 0, 1], 0.3), values[-1])
    edit(directory, "bodies/c/rotation", change)


def shapes_product(a, b):
    return np.array([a[0] * b[0] - a[1:] @ b[1:], *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])


def lose_state(directory):
    divide(directory)
    edit(directory, "substeps", lambda values: values.__setitem__(3, 1))


def shift_state(directory):
    divide(directory)
    edit(directory, "between/time", lambda values: values.__setitem__(3, values[3] + 1e-9))


# What is done to the run, and the kinds of faults that must be found.
TRIALS = [
    ("a run as it is", lambda directory: None, set()),
    ("the same path divided", divide, set()),
    ("bodies that swap", swap, {"crossing", "energy"}),
    ("momentum that changes by 1e-9 m in a step", kick, {"momentum"}),
    ("a body that starts to spin", spin_up, {"energy"}),
    ("a step that did not converge", lambda directory: edit_result(directory, unconverged_steps=1), {"unconverged"}),
    ("divided steps that are not in the trajectory", lambda directory: edit_result(directory, divided_steps=1), {"unreadable"}),
    ("a state between frames that is missing", lose_state, {"unreadable"}),
    ("a state between frames at another time", shift_state, {"unreadable"}),
]


def found_in(case, directory):
    try:
        return {kind for kind, _ in soak.faults_of(case, judge.judge(case, directory, soak.DCSIM, soak.CROSSING))}
    except ValueError:
        return {"unreadable"}


def main():
    case, failed = gentle(), False
    with tempfile.TemporaryDirectory(prefix="dcsim-soak-") as folder:
        soak.write_scene(case, folder)
        status, _, message = soak.simulate(folder, 60)
        if status != 0:
            sys.exit(f"not ok a gentle run: {message}")
        for name, spoil, expected in TRIALS:
            directory = os.path.join(folder, "spoilt")
            shutil.copytree(os.path.join(folder, "run"), directory)
            spoil(directory)
            found = found_in(case, directory)
            shutil.rmtree(directory)
            if found != expected:
                print(f"# found {sorted(found)}, expected {sorted(expected)}")
            print(f"{'ok' if found == expected else 'not ok'} {name}")
            failed = failed or found != expected
    sys.exit(failed)


if __name__ == "__main__":
    main()
