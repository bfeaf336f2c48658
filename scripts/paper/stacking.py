#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Book stacking, Table 2 and Figure 4 of paper 000: which settings let 20 planks stand for 60 s.

    scripts/paper/stacking.py [--quick] [--only TEXT] [--output DIR] [--dcsim FILE] [--seconds S] [--budget S]
    scripts/paper/stacking.py --scene FILE       write the scene of the documented default

Prints a Markdown table and writes it with table.csv to DIR (default: runs/paper/stacking).  --quick finishes within two
minutes: few settings and 2 s instead of 60 s.  --only: the settings whose label contains TEXT.  --budget: no row is
begun after so many seconds; rows left out are listed as not run.  Wants h5py.

Geometry.  With k planks above it, the centre of a plank lies L/(2k) - inward L further in than that of the plank on
it, for k = 1 ... 19: every interface is moved inward by the same part of the length L.  The centre of mass of the k
planks above is then inward L (k + 1)/2 inside of the edge that carries it: 2 mm under the top plank, 20 mm under 19 of
them.  This is the margin of a support.

Start.  Centres keep their x and y; heights and tilts are those of static equilibrium, found by letting every plank move
on a slide and a universal joint with time steps so long that inertia does not count.  Where there is none planks
start flat, at their gaps.

Columns.  gap: vertical, in the middle of each overlap, at the start; mean (least ... largest) of all interfaces.  force
error: force of the next plank on the top one less its weight, there.  tilt: of the top plank.  lean: the largest part
of its margin that any support loses when the tilted planks are put together edge on plank without slipping.  phantom:
the largest part of its margin that the torque of planks that are not neighbours is worth.  stands: the centre of the
top plank never was more than half a thickness below its start.  needed inward: the least of a list of shifts at which
the stack stands for 10 s.
"""
import argparse
import csv
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time

import h5py

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LENGTH, WIDTH, THICKNESS = 2.0, 0.4, 0.2
MASS, GRAVITY, TIME_STEP = 0.16, 9.81, 0.04
# Other contact models for the scene: ranges of the order of the gaps of bsh, as the stack has 2 mm to lose.
MODELS = {"ipc": {"contact": {"dhat": 2e-4, "stiffness": 1e-3}}, "sdrs": {"contact": {"length": 1e-3, "stiffness": 1e-6}}}
SLIDE = {"type": "slide", "axis": [0, 0, 1]}
TILT = {"type": "universal", "axis": [0, 1, 0], "axis2": [1, 0, 0]}
# Table 2 of the paper: margin in m, error of the contact force in N, stands.
PAPER = {1e-5: (1.82e-2, 6.38e-3, False), 1e-6: (5.67e-3, 6.40e-4, True), 1e-7: (1.47e-3, 6.42e-5, True),
         1e-8: (4.12e-4, 6.42e-6, True), 1e-10: (3.13e-5, 6.42e-8, True)}


class Failure(Exception):
    pass


class Settings:
    """One row: a stack and how its contact is computed."""

    def __init__(self, stiffness, weights="consistent", mesh=(1, 1, 1), inward=0.001, count=20, smoothing=1e-5,
                 blend=0.3, seconds=60.0, shift=False, hull_length=None):
        """hull_length: one convex hull per plank (contact model sdrs), its unit of length in m; weights do not matter."""
        if hull_length:
            weights, mesh = f"one hull, length {1e3 * hull_length:g} mm", (1, 1, 1)
        self.hull_length = hull_length
        self.stiffness, self.weights, self.mesh, self.inward, self.count = stiffness, weights, mesh, inward, count
        self.smoothing, self.blend, self.seconds, self.shift = smoothing, blend, seconds, shift

    def label(self):
        return f"{self.weights} {self.mesh_name()} {self.stiffness:g} inward {100 * self.inward:g} %"

    def start_gap(self):
        """Wide enough for any of the weights; of hulls nearly what they reach."""
        return 0.2 * self.hull_length if self.hull_length else 10 * math.sqrt(self.stiffness)

    def contact(self):
        if self.hull_length:
            return {"model": "sdrs", "stiffness": self.stiffness, "length": self.hull_length, "support": 0.1}
        return {"stiffness": self.stiffness, "weights": self.weights, "blend": self.blend}

    def mesh_name(self):
        return str(list(self.mesh)).replace(" ", "") if isinstance(self.mesh, tuple) else self.mesh

    def shape(self, folder):
        if isinstance(self.mesh, tuple):
            return {"type": "box", "size": [LENGTH, WIDTH, THICKNESS], "divisions": list(self.mesh)}
        path = os.path.join(folder, "plank.obj")
        strip = float(self.mesh.split()[1])
        write_plank(path, [-LENGTH / 2, strip - LENGTH / 2, LENGTH / 2 - strip, LENGTH / 2])
        return {"type": "mesh", "file": "plank.obj"}


def write_plank(path, cuts):
    """A plank whose long faces are cut across at the given x only, as OBJ."""
    rim = [(-1, -1), (-1, 1), (1, 1), (1, -1)]  # clockwise seen from +x
    with open(path, "w", encoding="ascii") as file:
        for x in cuts:
            for y, z in rim:
                file.write(f"v {x!r} {y * WIDTH / 2!r} {z * THICKNESS / 2!r}\n")
        for i in range(len(cuts) - 1):
            for k in range(4):
                a, b = 4 * i + k + 1, 4 * i + (k + 1) % 4 + 1
                quad = (a, b, b + 4, a + 4)
                first = ((0, 2, 1), (0, 3, 2)) if (i + k) % 2 else ((0, 3, 1), (1, 3, 2))
                for t in first:
                    file.write("f %d %d %d\n" % tuple(quad[v] for v in t))
        last = 4 * (len(cuts) - 1)
        file.write(f"f 1 2 3\nf 1 3 4\nf {last + 1} {last + 3} {last + 2}\nf {last + 1} {last + 4} {last + 3}\n")


class Plank:
    def __init__(self, position, rotation=(1.0, 0.0, 0.0, 0.0)):
        self.position, self.rotation = list(position), list(rotation)
        self.velocity, self.angular_velocity = [0.0] * 3, [0.0] * 3

    def tilt(self):
        """Angle about y; positive: the outer end (+x) is lower."""
        w, x, y, z = self.rotation
        return math.asin(max(-1.0, min(1.0, 2 * (w * y - x * z))))

    def height(self, x, side):
        """z of the top (side 1) or bottom (-1) face at x, on the middle line."""
        return (self.position[2] + side * THICKNESS / 2 / math.cos(self.tilt()) -
                (x - self.position[0]) * math.tan(self.tilt()))

    def end(self, outer, side):
        """x of an end of the top or bottom face."""
        return (self.position[0] + outer * LENGTH / 2 * math.cos(self.tilt()) +
                side * THICKNESS / 2 * math.sin(self.tilt()))


def flat_stack(settings):
    """Bottom plank first, its centre at x = 0, with gaps wide enough for any of the weights."""
    x, planks = 0.0, []
    for i in range(settings.count):
        planks.append(Plank([x, 0.0, (i + 0.5) * THICKNESS + (i + 1) * settings.start_gap()]))
        if i < settings.count - 1:
            x += LENGTH * (0.5 / (settings.count - 1 - i) - settings.inward)
    return planks


def scene_of(settings, planks, shape, joint=None, steps=1, step=TIME_STEP, ground=True, names=None):
    bodies = [{"name": "ground", "joint": "fixed", "shape": "ground"}] if ground else []
    for i, plank in enumerate(planks):
        body = {"name": names[i] if names else f"plank{i + 1}", "shape": "plank", "mass": MASS,
                "position": plank.position, "rotation": plank.rotation}
        if joint:
            body["joint"] = joint
        else:
            body["velocity"], body["angular_velocity"] = plank.velocity, plank.angular_velocity
        bodies.append(body)
    return {"name": "book_stacking", "time": {"step": step, "steps": steps}, "gravity": [0, 0, -GRAVITY],
            "contact": {**settings.contact(), "friction": 0 if joint else 0.5, "friction_smoothing": settings.smoothing},
            **({"solver": {"tolerance": 1e-9}} if joint else {}),  # two planks: no small force sets the scale
            "shapes": {"ground": {"type": "plane"}, "plank": shape}, "bodies": bodies}


class Program:
    """Runs dcsim on scenes written to a temporary folder."""

    def __init__(self, dcsim, folder):
        self.dcsim, self.folder, self.serial = dcsim, folder, 0

    def run(self, command, scene, *options):
        self.serial += 1
        path = os.path.join(self.folder, f"{self.serial}.json")
        with open(path, "w", encoding="ascii") as file:
            json.dump(scene, file)
        return subprocess.run([self.dcsim, command, path, "--json", "--threads", "1", *options], capture_output=True,
                              text=True, check=False)

    def probe(self, scene):
        done = self.run("probe", scene)
        if done.returncode:
            sys.exit(done.stderr.strip())
        return json.loads(done.stdout)

    def simulate(self, scene):
        """Result of the run and poses [plank] = ([frame][3], [frame][4])."""
        directory = os.path.join(self.folder, "run")
        shutil.rmtree(directory, ignore_errors=True)
        done = self.run("simulate", scene, "-o", directory, "--quiet")
        if done.returncode not in (0, 4):
            sys.exit(done.stderr.strip())
        if done.returncode:
            raise Failure(done.stderr.strip())
        with h5py.File(os.path.join(directory, "trajectory.h5")) as file:
            names = [body["name"] for body in scene["bodies"] if body["name"] != "ground"]
            frames = [(file[f"bodies/{name}/position"][:].tolist(), file[f"bodies/{name}/rotation"][:].tolist())
                      for name in names]
        return json.loads(done.stdout), frames


def angular_velocity(before, after):
    """Of the turn from one quaternion to the next in a time step."""
    aw, ax, ay, az = before
    bw, bx, by, bz = after
    w = bw * aw + bx * ax + by * ay + bz * az
    v = [bx * aw - bw * ax - by * az + bz * ay, by * aw - bw * ay - bz * ax + bx * az,
         bz * aw - bw * az - bx * ay + by * ax]
    length = math.sqrt(sum(c * c for c in v))
    rate = 2 * math.atan2(length, w) / TIME_STEP
    return [c / length * rate for c in v] if length else [0.0] * 3


def go_on(frames):
    """Planks at the last frame, moving as in the last step."""
    planks = []
    for positions, rotations in frames:
        plank = Plank(positions[-1], rotations[-1])
        plank.velocity = [(b - a) / TIME_STEP for a, b in zip(positions[-2], positions[-1])]
        plank.angular_velocity = angular_velocity(rotations[-2], rotations[-1])
        planks.append(plank)
    return planks


def start_of(program, settings, shape):
    """Planks at the start and whether their tilts are in equilibrium."""
    planks, tilted = flat_stack(settings), False
    for joint in (SLIDE, [SLIDE, TILT]):
        try:
            result, frames = program.simulate(scene_of(settings, planks, shape, joint, steps=12, step=10.0))
        except Failure:
            break
        moved = max(abs(a - b) for p, _ in frames for a, b in zip(p[-1], p[-2]))
        if result["unconverged_steps"] or moved > 1e-9:
            break
        planks = [Plank(p[-1], q[-1]) for p, q in frames]
        tilted = joint is not SLIDE
    return planks, tilted


def middle_gaps(planks):
    gaps = []
    for lower, upper in zip(planks, planks[1:]):
        x = 0.5 * (lower.end(1, 1) + upper.end(-1, -1))
        gaps.append(upper.height(x, -1) - lower.height(x, 1))
    return gaps


def margins(planks):
    """Of every interface: how far the centre of mass of what lies above is inside of the edge that carries it."""
    return [lower.end(1, 1) - sum(p.position[0] for p in planks[i + 1:]) / (len(planks) - i - 1)
            for i, lower in enumerate(planks[:-1])]


def lean(planks):
    """Largest part of its margin that a support loses by the tilts, without slip at the edges."""
    flat = [Plank([p.position[0], 0, (i + 0.5) * THICKNESS]) for i, p in enumerate(planks)]
    put = [Plank(flat[0].position, planks[0].rotation)]
    for i in range(1, len(planks)):
        edge = (put[-1].end(1, 1), put[-1].height(put[-1].end(1, 1), 1))
        # the edge touches the same point of the plank above as in the flat stack
        u, v = flat[i].position[0] - flat[i - 1].end(1, 1), THICKNESS / 2
        c, s = math.cos(planks[i].tilt()), math.sin(planks[i].tilt())
        put.append(Plank([edge[0] + c * u + s * v, 0, edge[1] - s * u + c * v], planks[i].rotation))
    return max(1 - a / b for a, b in zip(margins(put), margins(flat)))


def pair_wrenches(program, settings, planks, shape):
    """Force and torque [upper][lower] on each plank from each below it."""
    wrenches = {}
    for upper in range(len(planks)):
        for lower in range(upper):
            probed = program.probe(scene_of(settings, [planks[lower], planks[upper]], shape, ground=False,
                                            names=["lower", "upper"]))["bodies"]["upper"]
            wrenches[upper, lower] = (probed["force"], probed["torque"])
    return wrenches


def phantom(wrenches, planks, indices):
    """Largest part of its margin that the torque, about the edge, of planks that are no neighbours is worth."""
    worst = 0.0
    for i in indices:
        edge = (planks[i].end(1, 1), planks[i].height(planks[i].end(1, 1), 1))
        torque = 0.0
        for (upper, lower), (force, moment) in wrenches.items():
            if upper > i >= lower and upper - lower > 1:
                x, z = planks[upper].position[0] - edge[0], planks[upper].position[2] - edge[1]
                torque += moment[1] + z * force[0] - x * force[2]
        weight = (len(planks) - 1 - i) * MASS * GRAVITY
        worst = max(worst, torque / weight / margins(planks)[i], key=abs)
    return worst


def simulate(program, settings, planks, shape, seconds, chunk=25):
    """Goes on in pieces of `chunk` steps until the time is over or the stack has fallen."""
    start, total = planks[-1].position, round(seconds / TIME_STEP)
    row = {"fell": None, "unconverged": 0, "seconds": 0.0, "newton": 0.0, "steps": 0, "failure": ""}
    while row["steps"] < total and row["fell"] is None:
        steps = min(chunk, total - row["steps"])
        try:
            result, frames = program.simulate(scene_of(settings, planks, shape, steps=steps))
        except Failure as failure:
            row["fell"], row["failure"] = row["steps"] * TIME_STEP, str(failure)
            break
        planks = go_on(frames)
        for k, position in enumerate(frames[-1][0]):
            if row["fell"] is None and position[2] < start[2] - THICKNESS / 2:
                row["fell"] = (row["steps"] + k) * TIME_STEP
        row["unconverged"] += result["unconverged_steps"]
        row["seconds"] += result["seconds"]
        row["newton"] += result["newton_iterations_per_step"] * steps
        row["steps"] += steps
    row["drop"] = start[2] - planks[-1].position[2]
    row["out"] = planks[-1].position[0] - start[0]
    return row


SHIFTS = [0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05]


def needed_shift(program, settings, shape):
    """The least of SHIFTS at which the stack stands 10 s, by bisection."""
    low, high = -1, len(SHIFTS)
    while high - low > 1:
        middle = (low + high) // 2
        trial = Settings(settings.stiffness, settings.weights, settings.mesh, SHIFTS[middle], settings.count,
                         settings.smoothing, settings.blend, hull_length=settings.hull_length)
        planks, _ = start_of(program, trial, shape)
        stands = simulate(program, trial, planks, shape, 10.0)["fell"] is None
        low, high = (low, middle) if stands else (middle, high)
    if high == len(SHIFTS):
        return f"> {100 * SHIFTS[-1]:g} %"
    return f"{'<' if high == 0 else ''}= {100 * SHIFTS[high]:g} %"


HEADER = ["planks", "weights", "mesh", "triangles", "stiffness, J", "inward", "stands", "gap, mm", "force error, N",
          "tilt, mrad", "lean", "phantom", "top moved out, down, mm", "needed inward", "ms per step", "Newton per step",
          "unconverged of steps", "paper: margin, mm", "paper: force error, N", "paper: stands"]


def triangles(settings):
    if isinstance(settings.mesh, tuple):
        x, y, z = settings.mesh
        return 4 * (x * y + y * z + z * x)
    return 28


def measure(program, settings, full):
    """One row of the table."""
    shape = settings.shape(program.folder)
    planks, tilted = start_of(program, settings, shape)
    gaps = middle_gaps(planks)
    row = [settings.count, settings.weights, settings.mesh_name(), triangles(settings), f"{settings.stiffness:g}",
           f"{100 * settings.inward:g} %"]
    last = len(planks) - 1
    if full and settings.inward > 0 and tilted:
        wrenches = pair_wrenches(program, settings, planks, shape)
        far = f"{100 * phantom(wrenches, planks, range(last)):.2g} %"
        error = wrenches[last, last - 1][0][2] - MASS * GRAVITY
    else:
        far = ""
        names = ["lower", "upper"]
        error = program.probe(scene_of(settings, planks[-2:], shape, ground=False, names=names))["bodies"]["upper"][
            "force"][2] - MASS * GRAVITY
    run = simulate(program, settings, planks, shape, settings.seconds) if settings.seconds else None
    shift = needed_shift(program, settings, shape) if settings.shift else ""
    if run is None:
        verdict = "not run"
    elif run["failure"]:
        verdict = f"fails at {run['fell']:.2f} s"
    elif run["fell"] is not None:
        verdict = f"falls, {run['fell']:.2f} s"
    else:
        verdict = f"stands {run['steps'] * TIME_STEP:g} s"
    if run and run["failure"]:
        print(f"{settings.label()}: {run['failure']}", file=sys.stderr)
    mean = sum(gaps) / len(gaps)
    row += [verdict, f"{1e3 * mean:.3g} ({1e3 * min(gaps):.2g} ... {1e3 * max(gaps):.2g})", f"{error:.2e}",
            f"{1e3 * planks[-1].tilt():.3g}" if tilted else "no equilibrium",
            f"{100 * lean(planks):.3g} %" if tilted and settings.inward > 0 else "", far]
    if run and run["steps"]:
        row += [f"{1e3 * run['out']:.2g}, {1e3 * run['drop']:.2g}", shift, f"{1e3 * run['seconds'] / run['steps']:.3g}",
                f"{run['newton'] / run['steps']:.2f}", f"{run['unconverged']} of {run['steps']}"]
    else:
        row += ["", shift, "", "", ""]
    if settings.stiffness not in PAPER or settings.hull_length:
        return row + ["", "", ""]
    margin, force, stands = PAPER[settings.stiffness]
    return row + [f"{1e3 * margin:.3g}", f"{force:.2e}", "yes" if stands else "no"]


DEFAULT = Settings(1e-8)
DESCRIPTION = """\
Book stacking, paper 000, Figure 4 and Table 2: 20 planks of 2 x 0.4 x 0.2 m and 0.16 kg, 60 s of 0.04 s.  Each is as
far out as statics allows (with k planks above it, L/(2k) further in than the plank on it), then moved inward by 0.1 %
of the length L at every interface; the bottom plank lies on the ground.  What lies above has its centre of mass 2 mm
inside of the edge that carries the top plank, 20 mm at the lowest.  It stands: the objective is zero when the top plank
ends within half a thickness of its start.  0.5 % outward it falls within a second.
A plank carried so near to an edge tilts until the forces on the vertices of that edge outweigh those further back;
tilts add up and lean the stack outward.  Here they cost a quarter of the margin, at 1e-7 71 %, at 1e-6 more than all.
What keeps them small: a small stiffness (gap and tilt fall about as its square root), and triangles that reach from
one end of the plank to the other: meshes refined near the ends lean more.  Distant planks cost 0.05 % only.
Positions and tilts are those of static equilibrium with all centres held at their x and y; released, planks pivot on
their edges and the top moves by a millimetre.  friction_smoothing is small so that nothing creeps away in a minute.
Written by scripts/paper/stacking.py --scene; measured by scripts/paper/table-02-stacking.sh; see docs/theory.md,
"Support edges"."""


def rounded(numbers, digits):
    return "[" + ", ".join(repr(round(number, digits)) for number in numbers) + "]"


def scene_text(settings, planks, shape):
    """The scene as a file for readers."""
    scene = scene_of(settings, planks, shape, steps=1500)
    lines = ["{", '  "name": "book_stacking",', '  "description": [']
    lines += [",\n".join("    " + json.dumps(line) for line in DESCRIPTION.split("\n")), "  ],"]
    lines += [f'  "{key}": {json.dumps(scene[key])},' for key in ("time", "gravity", "contact", "shapes")]
    lines += ['  "bodies": [',
              '    { "name": "ground", "joint": "fixed", "shape": "ground", "color": [0.6, 0.62, 0.66] },']
    for i, plank in enumerate(planks):
        color = [0.72, 0.68, 0.6] if i % 2 else [0.45, 0.3, 0.18]
        lines.append(f'    {{ "name": "plank{i + 1}", "shape": "plank", "mass": {MASS}, "position": '
                     f'{rounded(plank.position, 12)}, "rotation": {rounded(plank.rotation, 15)}, "color": {color} }}' +
                     ("," if i < len(planks) - 1 else ""))
    lines += ["  ],", f'  "objective": [{{ "type": "reach", "body": "plank{len(planks)}", "target": '
              f'{rounded(planks[-1].position, 6)}, "tolerance": {THICKNESS / 2}, "when": "end" }}],',
              f'  "models": {json.dumps(MODELS)},',
              '  "camera": { "eye": [4, -9.5, 3.4], "target": [1.3, 0, 1.9], "up": [0, 0, 1], "fov_deg": 36 }', "}"]
    return "\n".join(lines) + "\n"


def other_model(program, model, seconds):
    """A row for the scene as it stands, executed by another contact model, which its start is not an equilibrium of."""
    path = os.path.join(ROOT, "scenes", "book_stacking.json")
    done = subprocess.run([program.dcsim, "simulate", path, "--model", model, "--json", "--quiet", "--threads", "1", "-o", "none",
                           "--set", f"time.steps={round(seconds / TIME_STEP)}"], capture_output=True, text=True, check=False)
    row = dict.fromkeys(HEADER, "")
    row.update({"planks": 20, "weights": model, "mesh": "[1,1,1]", "triangles": 12, "inward": "0.1 %"})
    if done.returncode not in (0, 4):
        row["stands"] = "not run: " + (done.stderr.strip().splitlines() or ["failed"])[-1]
        return list(row.values())
    result = json.loads(done.stdout)
    moved = result["objectives"][0]["distance"]
    row["stands"] = f"{'stands' if result['loss'] == 0 else 'falls within'} {seconds:g} s"
    row["top moved out, down, mm"] = f"{1e3 * moved:.2g} in all"
    row["ms per step"], row["Newton per step"] = f"{1e3 * result['seconds_per_step']:.3g}", f"{result['newton_iterations_per_step']:.2f}"
    row["unconverged of steps"] = f"{result['unconverged_steps']} of {result['steps']}"
    if model in MODELS:
        row["stiffness, J"] = f"{MODELS[model]['contact']['stiffness']:g}"
    return list(row.values())


def configurations(quick):
    """The most telling rows first."""
    if quick:
        return [Settings(1e-8, seconds=2.0), Settings(1e-6, seconds=2.0, hull_length=1e-3),
                Settings(1e-10, weights="paper", seconds=2.0),
                Settings(1e-8, inward=-0.005, count=8, seconds=1.0), Settings(1e-6, seconds=0),
                Settings(1e-7, seconds=0), Settings(1e-8, weights="paper", seconds=0)]
    rows = [Settings(1e-8), Settings(1e-8, inward=-0.005, seconds=10.0)]
    rows += [Settings(mu) for mu in (1e-7, 1e-9, 1e-10)]
    rows += [Settings(mu, weights="paper") for mu in (1e-10, 1e-9)]
    rows += [Settings(1e-6), Settings(1e-8, weights="paper"), Settings(1e-8, mesh=(2, 1, 1))]
    rows += [Settings(mu, mesh=mesh, seconds=10.0)
             for mu, mesh in ((1e-8, "ends 0.1"), (1e-8, (10, 2, 1)), (1e-10, (10, 2, 1)))]
    rows += [Settings(mu, weights="paper") for mu in (1e-7, 1e-6, 1e-5)]
    rows += [Settings(1e-5)]
    rows += [Settings(mu, hull_length=length) for length, mu in ((1e-3, 1e-6), (1e-3, 1e-8), (1e-2, 1e-6), (1e-2, 1e-8))]
    rows += [Settings(1e-6, inward=-0.005, seconds=10.0, hull_length=1e-3),
             Settings(1e-6, seconds=0, shift=True, hull_length=1e-3)]
    rows += [Settings(1e-8, weights=weights, seconds=0, shift=True) for weights in ("consistent", "paper")]
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--output", default=os.path.join("runs", "paper", "stacking"))
    parser.add_argument("--dcsim", default=os.path.join(ROOT, "build", "dcsim"))
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--budget", type=float, default=math.inf)
    parser.add_argument("--scene")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = Program(os.path.abspath(arguments.dcsim), folder)
        if arguments.scene:
            shape = DEFAULT.shape(folder)
            planks, _ = start_of(program, DEFAULT, shape)
            with open(arguments.scene, "w", encoding="ascii") as file:
                file.write(scene_text(DEFAULT, planks, shape))
            return
        begin = time.time()
        rows, left_out = [], []
        os.makedirs(arguments.output, exist_ok=True)
        for settings in configurations(arguments.quick):
            if arguments.only not in settings.label():
                continue
            if arguments.seconds is not None and settings.seconds:
                settings.seconds = arguments.seconds
            if time.time() - begin > arguments.budget:
                left_out.append(settings.label())
                continue
            print(f"{time.time() - begin:.0f} s: {settings.label()}", file=sys.stderr, flush=True)
            rows.append(measure(program, settings, not arguments.quick))
            with open(os.path.join(arguments.output, "table.csv"), "w", newline="", encoding="ascii") as file:
                csv.writer(file).writerows([HEADER, *rows])
        for model in () if arguments.only else (*MODELS, "mujoco"):
            print(f"{time.time() - begin:.0f} s: {model}", file=sys.stderr, flush=True)
            rows.append(other_model(program, model, arguments.seconds or (2.0 if arguments.quick else 60.0)))
        lines = ["| " + " | ".join(map(str, row)) + " |" for row in [HEADER, ["---"] * len(HEADER), *rows]]
        lines += [f"\nNot run for lack of time: {text}." for text in left_out]
        with open(os.path.join(arguments.output, "table.md"), "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
        print("\n".join(lines))


if __name__ == "__main__":
    main()
