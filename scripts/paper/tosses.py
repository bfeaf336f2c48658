#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recorded tosses of a cube (scenes/data/tosses) against simulations of scenes/toss.json from the recorded starts.

    scripts/paper/tosses [--quick] [--every N] [--jobs N] [--dcsim FILE] [--output DIR] [--publish]

Errors are means over the frames of a toss and then over tosses: of place in percent of the cube's width, of rotation in degrees.  Settings: model, step, integrator,
friction, restitution; MuJoCo at its best (elliptic cone, impratio 100, solref 0.004) and with its defaults; a hard-contact reference that is written here: a cube of eight corners, impulses by
projected Gauss-Seidel with Coulomb's cone, semi-implicit steps.  --every N: one toss in N; --quick: one in 25.  What a setting gave is kept in DIR/tosses.jsonl, and a run that
was interrupted goes on behind it; remove the file to begin anew.  Prints Markdown and writes it to DIR/tosses.md (default: runs/paper); --publish: and to docs/measured.
"""
import concurrent.futures
import csv
import os
import subprocess
import tempfile

import h5py
import numpy as np

from measuring import ROOT, append_row, options, parse, processor, read_rows, settings, show

DATA = os.path.join(ROOT, "scenes", "data", "tosses", "tosses.csv")
WIDTH, MASS, GRAVITY, FRAME = 0.1048, 0.37, 9.81, 1 / 148
FITTED = 0.18

# name, model (None: the reference), substeps of a frame, --set assignments
SETTINGS = [
    ("bsh", "bsh", 4, []),
    ("bsh", "bsh", 1, []),
    ("bsh, second order", "bsh", 1, ["time.integrator=second_order"]),
    ("bsh, second order", "bsh", 4, ["time.integrator=second_order"]),
    ("MuJoCo, elliptic cone, impratio 100, solref 0.004", "mujoco", 4, []),
    ("hard contact", None, 4, []),
    ("MuJoCo, its defaults", "mujoco", 4, ["mujoco=null"]),
    ("bsh, friction 0.12", "bsh", 4, ["contact.friction=0.12"]),
    ("bsh, friction 0.25", "bsh", 4, ["contact.friction=0.25"]),
    ("bsh, restitution 0", "bsh", 4, ["contact.restitution=0"]),
    ("bsh, restitution 0.3", "bsh", 4, ["contact.restitution=0.3"]),
    ("bsh, restitution 0.125", "bsh", 4, ["contact.restitution=0.125"]),
    ("sdrs", "sdrs", 4, []),
    ("manifold", "manifold", 4, []),
    ("ipc", "ipc", 4, []),
]


def tosses(every):
    """{name: rows} of t, x, quaternion, v, w in body axes."""
    found = {}
    with open(DATA, encoding="utf-8", newline="") as file:
        for row in list(csv.reader(file))[1:]:
            found.setdefault(row[0], []).append([float(x) for x in row[1:]])
    return {name: np.array(rows) for name, rows in list(found.items())[::every]}


def matrix(q):
    w, x, y, z = q / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def turned(q, w, h):
    """The quaternion after a turn at w, world axes, for h s."""
    size = np.linalg.norm(w) * h
    axis = w / (np.linalg.norm(w) + 1e-300)
    d, v = np.cos(size / 2), np.sin(size / 2) * axis
    return np.array([d * q[0] - v @ q[1:], *(d * q[1:] + q[0] * v + np.cross(v, q[1:]))])


def hard_contact(rows, substeps):
    """Places and quaternions at the times of the rows: impulses on corners that would be below the ground, |tangential| <= mu normal each."""
    h, m, inertia = FRAME / substeps, MASS, MASS * WIDTH**2 / 6
    x, q = rows[0, 1:4].copy(), rows[0, 4:8] / np.linalg.norm(rows[0, 4:8])
    v, w = rows[0, 8:11].copy(), matrix(q) @ rows[0, 11:14]
    corners = WIDTH / 2 * np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)])
    places, rotations, count = [], [], int(round(rows[-1, 0] / h))
    at = np.round(rows[:, 0] / h).astype(int)
    for k in range(count + 1):
        if k in at:
            places.append(x.copy())
            rotations.append(q.copy())
        v = v - np.array([0, 0, GRAVITY * h])
        arms = corners @ matrix(q).T
        near = [a for a in arms if x[2] + a[2] + h * (v[2] + np.cross(w, a)[2]) < 0]
        impulses = np.zeros((len(near), 3))
        for _ in range(60 if near else 0):
            for i, a in enumerate(near):
                u = v + np.cross(w, a)
                # Baumgarte's share of a corner that is below the ground; effective masses of the three directions.
                gap = (x[2] + a[2]) / h
                u[2] += min(0.1 * gap, 0) if gap < 0 else gap
                masses = 1 / (1 / m + (a @ a - a * a) / inertia)
                new = impulses[i] - masses * u
                new[2] = max(new[2], 0)
                size, limit = np.hypot(new[0], new[1]), FITTED * new[2]
                if size > limit:
                    new[:2] *= limit / size
                change, impulses[i] = new - impulses[i], new
                v = v + change / m
                w = w + np.cross(a, change) / inertia
        x, q = x + h * v, turned(q, w, h)
    return np.array(places), np.array(rotations)


def simulated(arguments, rows, model, substeps, assignments):
    start = rows[0]
    spin = matrix(start[4:8]) @ start[11:14]
    steps = int(round(rows[-1, 0] / FRAME)) * substeps

    def text(values):
        return "[" + ",".join(repr(float(value)) for value in values) + "]"
    changes = [f"time.step={FRAME / substeps!r}", f"time.steps={steps}", f"bodies.cube.position={text(start[1:4])}", f"bodies.cube.rotation={text(start[4:8] / np.linalg.norm(start[4:8]))}", f"bodies.cube.velocity={text(start[8:11])}",
               f"bodies.cube.angular_velocity={text(spin)}", *assignments]
    with tempfile.TemporaryDirectory() as folder:
        run = os.path.join(folder, "run")
        command = [arguments.dcsim, "simulate", os.path.join(ROOT, "scenes", "toss.json"), "-o", run, "--quiet", "--no-report", "--threads", "1", "--model", model, *settings(*changes)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr.strip()[:300])
        with h5py.File(os.path.join(run, "trajectory.h5")) as file:
            at = np.round(rows[:, 0] / FRAME * substeps).astype(int)
            return file["bodies/cube/position"][:][at], file["bodies/cube/rotation"][:][at]


def errors(rows, places, rotations):
    """Means over the frames: percent of the width, degrees."""
    place = np.linalg.norm(places - rows[:, 1:4], axis=1).mean() / WIDTH * 100
    cosines = np.abs(np.sum(rotations * rows[:, 4:8], axis=1)) / (np.linalg.norm(rotations, axis=1) * np.linalg.norm(rows[:, 4:8], axis=1))
    return place, np.degrees(2 * np.arccos(np.clip(cosines, 0, 1))).mean()


def measured(arguments, recorded, model, substeps, assignments):
    """[place, rotation] of every toss, None where dcsim failed."""
    def one(rows):
        try:
            return errors(rows, *(simulated(arguments, rows, model, substeps, assignments) if model else hard_contact(rows, substeps)))
        except RuntimeError as error:
            return str(error)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        return list(pool.map(one, recorded.values()))


def main():
    parser = options(__doc__)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parse(parser)
    every = 25 if arguments.quick else arguments.every
    recorded = tosses(every)
    kept = os.path.join(arguments.output, "tosses.jsonl")
    before = {(row["name"], row["substeps"], row["every"]): row for row in read_rows(kept)}
    lines = ["# Tosses of a cube", "", f"By `scripts/paper/tosses`: {len(recorded)} recorded tosses (`scenes/data/tosses`), simulated from their first frames with friction {FITTED}; on {processor()}. Errors are means over frames and tosses, medians over tosses in brackets.", "",
             "| setting | step | place (% of the width) | rotation (degrees) | failed |", "| --- | --- | --- | --- | --- |"]
    for name, model, substeps, assignments in SETTINGS:
        row = before.get((name, substeps, every))
        if not row:
            found = measured(arguments, recorded, model, substeps, assignments)
            good = np.array([pair for pair in found if not isinstance(pair, str)]).reshape(-1, 2)
            row = {"name": name, "substeps": substeps, "every": every, "failed": len(found) - len(good), "message": next((text for text in found if isinstance(text, str)), "")}
            if len(good):
                row.update(place=good[:, 0].mean(), rotation=good[:, 1].mean(), median=[np.median(good[:, 0]), np.median(good[:, 1])])
            append_row(kept, row)
        if "place" in row:
            lines.append(f"| {name} | 1/{148 * substeps} s | {row['place']:.1f} ({row['median'][0]:.1f}) | {row['rotation']:.1f} ({row['median'][1]:.1f}) | {row['failed']} |")
        else:
            lines.append(f"| {name} | 1/{148 * substeps} s | – | – | {row['failed']}: {row['message'][:80]} |")
    lines += ["", "A recorded start has the noise of its sensor, and a cube that falls on a corner magnifies it; what of an error is that and what is the model this page does not tell apart."]
    show(arguments, "tosses", lines)


if __name__ == "__main__":
    main()
