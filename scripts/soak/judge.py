# SPDX-License-Identifier: Apache-2.0
"""What a run kept of the promises: its path is read from trajectory.h5 and judged without any code of dcsim but "dcsim probe" for energies."""
import dataclasses
import json
import os
import subprocess

import h5py
import numpy as np

import cases
import shapes

# m, of what the judge of crossings may leave undecided: where it does, it looks again more closely; 20 times the rounding of a coordinate.
TOLERANCES = (1e-9, 1e-13)
PARTS = 2**30  # parts of a step that its divisions are multiples of


@dataclasses.dataclass
class Verdict:
    """crossing: None or what was found; undecided: bool; order, passed: bool, kept; momentum: largest relative error, None where it is not kept
    by nature; energy: largest relative rise above the start, not above 0 when there was none; unexplained: what of it contact cannot
    have given; divided: steps that were divided; kinematics: m, how far links are off their coordinates."""

    crossing: str = None
    undecided: bool = False
    order: bool = True
    passed: bool = True
    momentum: float = None
    energy: float = 0.0
    unexplained: float = 0.0
    unconverged: int = 0
    divided: int = 0
    kinematics: float = 0.0


def lengths(time, step):
    """Lengths of the stretches between times, s: multiples of 2^-30 of a step.

    Differences of the times will not do: those of the third step are rounded to 4e-7 of the shortest part, and velocities with them.
    """
    units = np.diff(time) / step * PARTS
    rounding = 4 * np.finfo(float).eps * (np.abs(time).max(initial=0) / step + 1) * PARTS
    if np.abs(units - np.round(units)).max(initial=0) > rounding:
        raise ValueError("a state between frames is at no multiple of 2^-30 of the step")
    return np.round(units) * (step / PARTS)


def quoted(name):
    return "%2E" if name == "." else name.replace("%", "%25").replace("/", "%2F")


class Path:
    """The certified path of a run: frames and the states between them, in the order of time.

    time [P] s; length [P - 1] s, of the stretches between states; position [P, 3] of the centre of mass and rotation [P, 4] by body; joints [P, n] by body on joints.
    """

    def __init__(self, directory, step):
        with h5py.File(os.path.join(directory, "trajectory.h5")) as file:
            between = file.get("between")
            times = file["time"][:]
            self.substeps = file["substeps"][:] if "substeps" in file else np.ones(len(times) - 1)
            more = between["time"][:] if between else np.zeros(0)
            if not np.all(np.diff(times) > 0) or not np.all(np.diff(more) > 0):
                raise ValueError("times do not increase")
            order = np.argsort(np.concatenate([times, more]), kind="stable")
            self.time = np.concatenate([times, more])[order]
            if not np.all(np.diff(self.time) > 0):
                raise ValueError("a state between frames has the time of another")
            self.length = lengths(self.time, step)
            inside = np.histogram(more, times)[0] if len(times) > 1 else np.zeros(0)
            if not np.array_equal(inside + 1, self.substeps):
                raise ValueError("/substeps does not tell the states between frames")

            def merged(name):
                frames = file[name][:]
                return np.concatenate([frames, between[name][:]])[order] if between else frames

            self.position = {name: merged(f"bodies/{name}/position") for name in file["bodies"]}
            self.rotation = {name: merged(f"bodies/{name}/rotation") for name in file["bodies"]}
            self.joints = {name: merged(f"joints/{name}") for name in file.get("joints", {})}
        everything = [self.time, *self.position.values(), *self.rotation.values(), *self.joints.values()]
        if not all(np.all(np.isfinite(values)) for values in everything):
            raise ValueError("numbers that are not finite")


def hinges_of(case, index):
    """Indices of the bodies whose hinges carry a body, the outermost first."""
    carried = []
    while index is not None and case.bodies[index].hinge:
        carried.insert(0, index)
        index = case.bodies[index].parent
    return carried


def text_of(values):
    return " ".join(repr(float(value)) for value in np.asarray(values, dtype=float).ravel())


def rest_pose(body, centre):
    return [*(body.position + shapes.matrix(body.rotation) @ centre), *body.rotation]


def motion_text(case, path):
    """The input of tests/soak/crossing."""
    lines = [f"{len(path.time)} {len(case.bodies)} {len(case.pairs())}"]
    for index, body in enumerate(case.bodies):
        centre = np.zeros(3)
        if body.surface is cases.GROUND:
            lines.append("half_space")
        else:
            vertices, triangles = body.surface
            centre = shapes.mass_of(vertices, triangles)[1]
            lines += [f"mesh {len(vertices)} {len(triangles)}", text_of(vertices - centre), " ".join(str(i) for i in triangles.ravel())]
        name = quoted(body.name)
        if body.joint == "fixed":
            lines.append("fixed " + text_of(rest_pose(body, centre)))
        elif body.joint == "free":
            lines.append("free " + text_of(np.concatenate([path.position[name], path.rotation[name]], axis=1)))
        else:
            carried = [case.bodies[k] for k in hinges_of(case, index)]
            lines.append(f"chain {len(carried)} " + text_of(rest_pose(body, centre)))
            lines += ["hinge " + text_of(link.hinge) for link in carried]
            lines.append(text_of(np.concatenate([path.joints[quoted(link.name)] for link in carried], axis=1)))
    return "\n".join(lines + [f"{i} {j}" for i, j in case.pairs()]) + "\n"


def look_for_crossings(case, path, text, program, tolerance):
    """(crossing or None, whether a pair is undecided) at a tolerance, by the program tests/soak/crossing."""
    done = subprocess.run([program, str(tolerance)], input=text, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{program}: {done.stderr.strip()}")
    found, undecided = None, False
    for line in done.stdout.splitlines():
        words = line.split()
        if words[2] == "crossing" and not found:
            step, part = int(words[3]), float(words[4])
            moment = path.time[step] + part * (path.time[step + 1] - path.time[step])
            found = f"{case.bodies[int(words[0])].name} and {case.bodies[int(words[1])].name} at {moment:.6g} s, {words[5]} m deep"
        undecided = undecided or words[2] == "undecided"
    return found, undecided


def crossings(case, path, program):
    """(crossing or None, whether a pair is undecided)"""
    text = motion_text(case, path)
    for tolerance in TOLERANCES:
        found, undecided = look_for_crossings(case, path, text, program, tolerance)
        if found or not undecided:
            break
    return found, undecided


def kinematics_error(case, path):
    """Largest distance, m, of a link's recorded pose from the one that its coordinates say."""
    worst = 0.0
    for index, body in enumerate(case.bodies):
        if not body.hinge:
            continue
        name, carried = quoted(body.name), [case.bodies[k] for k in hinges_of(case, index)]
        pose = rest_pose(body, shapes.mass_of(*body.surface)[1])
        for k in range(len(path.time)):
            position, rotation = np.array(pose[:3]), shapes.matrix(np.array(pose[3:]))
            for link in reversed(carried):
                turn = shapes.matrix(shapes.quaternion_of(link.hinge[0], path.joints[quoted(link.name)][k, 0]))
                position, rotation = link.hinge[1] + turn @ (position - link.hinge[1]), turn @ rotation
            worst = max(worst, np.abs(position - path.position[name][k]).max(), np.abs(rotation - shapes.matrix(path.rotation[name][k])).max())
    return worst


def momentum_error(case, path):
    """Largest change of the linear momentum between two states, relative to the sum of its parts at the start."""
    masses = [shapes.mass_of(*body.surface)[0] for body in case.bodies]
    parts = [mass * body.velocity for mass, body in zip(masses, case.bodies)]
    moved = sum(mass * np.diff(path.position[quoted(body.name)], axis=0) for mass, body in zip(masses, case.bodies))
    error = moved / path.length[:, None] - sum(parts)
    return float(np.linalg.norm(error, axis=1).max(initial=0) / sum(np.linalg.norm(part) for part in parts))


def kinetic(case, path):
    """Kinetic energies, J: that of the scene's start, then one for each stretch between two states [P - 1]."""
    steps, start = path.length, 0.0
    total = np.zeros(len(steps))
    for body in case.bodies:
        if body.joint == "fixed":
            continue
        mass, _, inertia = shapes.mass_of(*body.surface)
        position, rotation = path.position[quoted(body.name)], path.rotation[quoted(body.name)]
        total += mass / 2 * (np.diff(position, axis=0) ** 2).sum(axis=1) / steps**2
        for k, step in enumerate(steps):
            turn = shapes.matrix(rotation[k]).T @ shapes.turn_between(rotation[k], rotation[k + 1]) / step
            total[k] += turn @ inertia @ turn / 2
        if body.joint == "free":
            spin = shapes.matrix(body.rotation).T @ body.spin
            start += mass / 2 * body.velocity @ body.velocity + spin @ inertia @ spin / 2
    return start, total


def probe(case, path, state, dcsim, directory):
    """What "dcsim probe" says of a scene that starts at a state: energy, J, and force and torque on each body, N and N m; None if it is refused."""
    scene, _ = case.scene()
    for body, entry in zip(case.bodies, scene["bodies"]):
        if body.joint == "free":
            rotation, centre = path.rotation[quoted(body.name)][state], shapes.mass_of(*body.surface)[1]
            entry["position"] = list(path.position[quoted(body.name)][state] - shapes.matrix(rotation) @ centre)
            entry["rotation"] = list(rotation)
        elif body.hinge:
            entry["joint_position"] = list(path.joints[quoted(body.name)][state])
    name = os.path.join(directory, "probe.json")
    with open(name, "w", encoding="utf-8") as file:
        json.dump(scene, file)
    done = subprocess.run([dcsim, "probe", name, "--json", "--threads", "1"], capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def contact_gain(case, path, last, probes):
    """What contact may give to free bodies until a state, J: the sum of V+ - V - V'(q+) xi over the stretches before it.

    Each step satisfies E+ - E <= V+ - V - V'(q+) xi (docs/theory.md, "Energy"): implicit Euler feels forces where it arrives.
    """
    gain = probes[last]["energy"] - probes[0]["energy"]
    for k in range(last):
        for body in case.bodies:
            if body.joint == "free":
                name, found = quoted(body.name), probes[k + 1]["bodies"][body.name]
                gain += np.dot(found["force"], path.position[name][k + 1] - path.position[name][k])
                gain += np.dot(found["torque"], shapes.turn_between(path.rotation[name][k], path.rotation[name][k + 1]))
    return gain


def measured_as_chords(case, path, last, start_step):
    """By how much kinetic energy grows, J, because chords of shorter stretches measure the same spin as more, until a stretch.

    Over a turn of d a chord measures sin(d/2)^2 / (d/2)^2 of the energy of the turn; theory.md's inequality is about chords.
    """
    steps, gain = path.length, 0.0
    for body in case.bodies:
        if body.joint != "free":
            continue
        inertia, rotation, step = shapes.mass_of(*body.surface)[2], path.rotation[quoted(body.name)], start_step
        rate = shapes.matrix(body.rotation).T @ body.spin
        for k in range(last + 1):
            speed, energy = np.linalg.norm(rate), rate @ inertia @ rate / 2
            gain += energy * (np.sinc(speed * steps[k] / (2 * np.pi)) ** 2 - np.sinc(speed * step / (2 * np.pi)) ** 2)
            rate, step = shapes.matrix(rotation[k]).T @ shapes.turn_between(rotation[k], rotation[k + 1]) / steps[k], steps[k]
        speed, energy = np.linalg.norm(rate), rate @ inertia @ rate / 2
        gain += energy * (1 - np.sinc(speed * step / (2 * np.pi)) ** 2)
        gain -= spin_missed_at_start(body, inertia, start_step)
    return gain


def spin_missed_at_start(body, inertia, step):
    spin = shapes.matrix(body.rotation).T @ body.spin
    return spin @ inertia @ spin / 2 * (1 - np.sinc(np.linalg.norm(spin) * step / (2 * np.pi)) ** 2)


def energy_rise(case, path, dcsim, directory):
    """(rise, unexplained): the largest rise of kinetic and contact energy above the start, and what of it contact cannot have given; relative to
    the kinetic energy there.  Without links only; contact is asked for only where the kinetic energy is above the start by more than rounding.
    """
    start, total = kinetic(case, path)
    if len(total) == 0 or start == 0:
        return 0.0, 0.0
    highest = int(np.argmax(total))
    rise = float((total[highest] - start) / start)
    if rise <= 1e-12:
        return rise, rise
    probes = [probe(case, path, state, dcsim, directory) for state in range(highest + 2)]
    if None in probes:
        return rise, rise
    rise += (probes[-1]["energy"] - probes[0]["energy"]) / start
    if any(body.hinge for body in case.bodies):
        return rise, 0.0
    allowed = contact_gain(case, path, highest + 1, probes) + measured_as_chords(case, path, highest, case.step)
    return rise, float(rise - allowed / start)


def order_kept(case, path):
    first, second, axis = case.order
    apart = path.position[quoted(case.bodies[second].name)] - path.position[quoted(case.bodies[first].name)]
    return bool(np.all(apart @ axis > 0))


def has_passed(case, path):
    mover, axis, beyond = case.passage
    return bool(path.position[quoted(case.bodies[mover].name)][-1] @ axis > beyond)


def judge(case, directory, dcsim, program):
    """The verdict on the run of a case in a directory; the scene's own files stand in the folder above."""
    path = Path(directory, case.step)
    with open(os.path.join(directory, "run.json"), encoding="utf-8") as file:
        result = json.load(file)["result"]
    verdict = Verdict(unconverged=result["unconverged_steps"], divided=result.get("divided_steps", 0))
    if verdict.divided != int(np.sum(path.substeps > 1)):
        raise ValueError(f"run.json says {verdict.divided} divided steps, trajectory.h5 {int(np.sum(path.substeps > 1))}")
    verdict.crossing, verdict.undecided = crossings(case, path, program)
    verdict.kinematics = kinematics_error(case, path)
    if case.isolated():
        verdict.momentum = momentum_error(case, path)
    verdict.energy, verdict.unexplained = energy_rise(case, path, dcsim, os.path.dirname(directory))
    verdict.order = not case.order or order_kept(case, path)
    verdict.passed = not case.passage or has_passed(case, path)
    return verdict
