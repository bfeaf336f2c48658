#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Newton iterations of the three-dimensional fixtures that rigid-ipc publishes (Ferguson et al. 2021; MIT licence).

    scripts/paper/fixtures FOLDER [NAME ...] [--steps N] [--seconds S] [--model NAME] [--before FILE] [--finer N] [--by NAME] [--publish]
    scripts/paper/fixtures --page [--publish]

FOLDER is a clone of github.com/ipc-sim/rigid-ipc.  Every fixture below fixtures/3D whose path contains a NAME (all
without one) becomes a scene with the defaults of contact:

1. y is up there and z here; vertices are scaled, turned by R = Rz Ry Rx of its angles in degrees, and moved.
2. A fixed "plane.obj" is a half-space, a flat mesh that moves a slab as thick as a hundredth of its shorter side; the
   frame of every other body stands in the middle of its corners.
3. Degrees of freedom that are fixed make a joint of those that are left.  Bodies that follow a schedule (kinematic),
   points and edges without triangles have no counterpart: such fixtures are named and left out.
4. The scene moves for the fixture's time, at most --steps steps and --seconds s of processor time.

The page has the iterations of a step (mean, median, most), divided steps, and whether median <= 6 and most <= 30 hold.
Rows are stored (docs/measured/fixtures.jsonl) with the name of the program that made them, so that a page may be made of them again
(--page) or measured in parts.  With --before it has how far apart the places of bodies are in the last frame by the two programs, too.  --finer N divides
the time step: minima that are the same are so for finer steps, and steps of several minima tell themselves by it.
"""
import csv
import json
import math
import os
import shutil
import signal
import subprocess

from measuring import commit, keep_rows, options, parse, show, write_json

ASKED_MEDIAN, ASKED_MOST = 6, 30
STEPS, SECONDS, MODEL = 100, 40, "bsh"  # what the page is measured with


SLAB = 0.01  # thickness of flat meshes that move, part of their shorter side


class LeftOut(Exception):
    """The fixture has something without a counterpart here."""


def upright(vector):
    """A vector of the fixture, whose y is up, in axes whose z is up."""
    return [vector[0], -vector[2], vector[1]]


def rotation(degrees):
    """Rows of R = Rz Ry Rx."""
    (cx, sx), (cy, sy), (cz, sz) = ((math.cos(math.radians(d)), math.sin(math.radians(d))) for d in degrees)
    return [[cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
            [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
            [-sy, cy * sx, cy * cx]]


def quaternion(degrees):
    """(w, x, y, z) of the same rotation in axes whose z is up."""
    total = [1, 0, 0, 0]
    for k, angle in enumerate(degrees):
        half = math.radians(angle) / 2
        w, (x, y, z) = math.cos(half), upright([math.sin(half) * (i == k) for i in range(3)])
        a, b, c, d = total
        total = [w * a - x * b - y * c - z * d, w * b + x * a + y * d - z * c, w * c - x * d + y * a + z * b, w * d + x * c - y * b + z * a]
    return total


def read_obj(path):
    """Vertices and faces, as lists of places in them, of an OBJ file."""
    vertices, faces = [], []
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            words = line.split()
            if words[:1] == ["v"]:
                vertices.append([float(word) for word in words[1:4]])
            elif words[:1] == ["f"]:
                faces.append([int(word.split("/")[0]) for word in words[1:]])
    return vertices, [[place - 1 if place > 0 else len(vertices) + place for place in face] for face in faces]


def read_off(path):
    """The same of an OFF file."""
    with open(path, encoding="utf-8", errors="replace") as file:
        words = [word for line in file for word in line.split("#")[0].split()]
    corners, count = int(words[1]), int(words[2])
    vertices = [[float(word) for word in words[4 + 3 * i:7 + 3 * i]] for i in range(corners)]
    faces, place = [], 4 + 3 * corners
    for _ in range(count):
        faces.append([int(word) for word in words[place + 1:place + 1 + int(words[place])]])
        place += 1 + int(words[place])
    return vertices, faces


def slab(vertices, faces):
    """A flat mesh made solid: both of its sides, and walls along its border.  Others are returned as they are."""
    a, b, c = (vertices[place] for place in faces[0][:3])
    u, v = ([q[i] - a[i] for i in range(3)] for q in (b, c))
    normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    length = math.sqrt(sum(n * n for n in normal))
    normal = [n / length for n in normal]
    sides = sorted(max(p[i] for p in vertices) - min(p[i] for p in vertices) for i in range(3))
    if any(abs(sum(n * (p[i] - a[i]) for i, n in enumerate(normal))) > 1e-6 * sides[2] for p in vertices):
        return vertices, faces
    edges = {(face[k - 1], face[k]) for face in faces for k in range(len(face))}
    border = [(p, q) for p, q in edges if (q, p) not in edges]
    shorter = min(math.dist(vertices[p], vertices[q]) for p, q in border)
    count, half = len(vertices), SLAB * shorter / 2
    both = [[x + sign * half * n for x, n in zip(vertex, normal)] for sign in (1, -1) for vertex in vertices]
    walls = [[q, p, p + count, q + count] for p, q in border]
    return both, [*faces, *([place + count for place in reversed(face)] for face in faces), *walls]


def geometry(body, folder):
    """Vertices, scaled and turned, and faces of a body."""
    if body.get("mesh"):
        path = os.path.join(folder, "meshes", body["mesh"])
        reader = {".obj": read_obj, ".off": read_off}.get(os.path.splitext(path)[1])
        if not reader or not os.path.exists(path):
            raise LeftOut(f"mesh {body['mesh']}")
        vertices, faces = reader(path)
    else:
        vertices, faces = body.get("vertices", []), body.get("faces", [])
    if not faces:
        raise LeftOut("points or edges without triangles")
    scale = body.get("scale", 1)
    scale = [scale] * 3 if isinstance(scale, (int, float)) else scale
    if "dimensions" in body:
        sides = [max(v[i] for v in vertices) - min(v[i] for v in vertices) for i in range(3)]
        scale = [size / (side or 1) for size, side in zip(body["dimensions"], sides)]
    turn = rotation(body.get("rotation", [0, 0, 0]))
    scaled = [[x * s for x, s in zip(vertex, scale)] for vertex in vertices]
    return [[sum(row[i] * vertex[i] for i in range(3)) for row in turn] for vertex in scaled], faces


def joint(body):
    """The joint of the degrees of freedom that are left: "free", "fixed", or an array."""
    fixed = body.get("is_dof_fixed", False)
    fixed = [fixed] * 6 if isinstance(fixed, bool) else list(fixed)
    kind = body.get("type", "dynamic")
    if kind == "kinematic" or body.get("kinematic_poses"):
        raise LeftOut("a schedule of motion")
    if kind == "static" or all(fixed):
        return "fixed"
    if not any(fixed):
        return "free"
    axes = [upright([float(i == k) for i in range(3)]) for k in range(3)]
    slides = [{"type": "slide", "axis": axes[k]} for k in range(3) if not fixed[k]]
    turns = [k for k in range(3) if not fixed[3 + k]]
    if len(turns) == 3:
        return [*slides, {"type": "ball"}]
    return [*slides, *({"type": "hinge", "axis": axes[k]} for k in turns)]


def convert_body(body, number, folder, output, scene):
    """Adds a body and its shape to a scene."""
    name, kind = f"body{number}", joint(body)
    position = body.get("position", [0, 0, 0])
    if body.get("mesh") == "plane.obj" and kind == "fixed":
        scene["shapes"]["plane"] = {"type": "plane"}
        scene["bodies"].append({"name": name, "joint": "fixed", "shape": "plane", "position": upright(position), "rotation": quaternion(body.get("rotation", [0, 0, 0]))})
        return
    vertices, faces = geometry(body, folder)
    if kind != "fixed":
        vertices, faces = slab(vertices, faces)
    vertices = [upright([x + p for x, p in zip(vertex, position)]) for vertex in vertices]
    middle = [(max(v[i] for v in vertices) + min(v[i] for v in vertices)) / 2 for i in range(3)]
    with open(os.path.join(output, name + ".obj"), "w", encoding="utf-8") as file:
        file.writelines("v %.17g %.17g %.17g\n" % tuple(x - m for x, m in zip(v, middle)) for v in vertices)
        file.writelines("f " + " ".join(str(place + 1) for place in face) + "\n" for face in faces)
    scene["shapes"][name] = {"type": "mesh", "file": name + ".obj"}
    converted = {"name": name, "shape": name, "position": middle, "joint": kind}
    if kind != "fixed":
        converted["density"] = body.get("density", 1000)
    if kind == "free":
        converted["velocity"] = upright(body.get("linear_velocity", [0, 0, 0]))
        converted["angular_velocity"] = [math.radians(rate) for rate in upright(body.get("angular_velocity", [0, 0, 0]))]
    elif any(body.get("linear_velocity", [0])) or any(body.get("angular_velocity", [0])):
        raise LeftOut("a speed of a joint")
    if any(body.get("force", [0])) or any(body.get("torque", [0])):
        raise LeftOut("a force")
    if body.get("split_components"):
        raise LeftOut("a mesh of several bodies")
    scene["bodies"].append(converted)


def convert(fixture, folder, output, most):
    """The scene of a fixture, with its meshes in the folder output."""
    problem, step = fixture["rigid_body_problem"], fixture.get("timestep", 0.01)
    steps = fixture.get("max_iterations", -1)
    if steps <= 0:
        steps = math.ceil(fixture.get("max_time", 1) / step)
    scene = {"time": {"step": step, "steps": max(1, min(steps, most))}, "gravity": upright(problem.get("gravity", [0, 0, 0])),
             "contact": {"friction": max(0, problem.get("coefficient_friction", 0))}, "shapes": {}, "bodies": []}
    for number, body in enumerate(body for body in problem["rigid_bodies"] if body.get("enabled", True)):
        if "group_id" in body:
            raise LeftOut("groups of bodies that pass through each other")
        convert_body(body, number, folder, output, scene)
    if all(body["joint"] == "fixed" for body in scene["bodies"]):
        raise LeftOut("nothing that moves")
    return scene


def simulate(program, path, model, seconds, run="none"):
    """The answer of a simulation into a run directory, or why there is none."""
    shutil.rmtree(run, ignore_errors=True)
    words = [program, "simulate", path, "--model", model, "-o", run, "--no-report", "--json", "--quiet", "--threads", "1"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          preexec_fn=lambda: limit(seconds)) as process:
        output, said = process.communicate()
    if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return None, f"not within {seconds} s"
    if process.returncode:
        return None, (said.strip().splitlines() or ["no message"])[0].replace(path, "scene")[:160]
    return json.loads(output), ""


def places(program, run):
    """The places of all bodies in the last frame of a run, m."""
    subprocess.run([program, "export", run, "--format", "csv"], check=True, capture_output=True)
    with open(os.path.join(run, "export", "trajectory.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    return [float(value) for name, value in zip(rows[0], rows[-1]) if name.endswith("[m]")]


def limit(seconds):
    import resource
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))


def fixtures(folder, names):
    """(name, path) of the fixtures whose name contains one of names, in order."""
    root = os.path.join(folder, "fixtures", "3D")
    found = []
    for place, _, files in os.walk(root):
        for file in files:
            name = os.path.relpath(os.path.join(place, file), root)[:-len(".json")]
            if file.endswith(".json") and (not names or any(part in name for part in names)):
                found.append((name, os.path.join(place, file)))
    return sorted(found)


def measure(arguments, name, path):
    """The fixture's row; "left out" or "failed" say why there is no more of it."""
    output = os.path.join(arguments.output, "fixtures", name)
    os.makedirs(output, exist_ok=True)
    with open(path, encoding="utf-8") as file:
        fixture = json.load(file)
    row = {"fixture": name, "by": arguments.by}
    try:
        scene = convert(fixture, arguments.folder, output, arguments.steps)
    except LeftOut as reason:
        return {**row, "left out": str(reason)}
    scene["time"]["step"] /= arguments.finer
    scene["time"]["steps"] *= arguments.finer
    scene_path = write_json(os.path.join(output, "scene.json"), scene)
    runs = [os.path.join(output, end) if arguments.before else "none" for end in ("now", "before")]
    now, why = simulate(arguments.dcsim, scene_path, arguments.model, arguments.seconds, runs[0])
    before = simulate(arguments.before, scene_path, arguments.model, arguments.seconds, runs[1])[0] if arguments.before else None
    row.update({"bodies": sum(body["joint"] != "fixed" for body in scene["bodies"]), "steps": scene["time"]["steps"]})
    if before:
        row.update({"before": before["newton_iterations_per_step"], "divided before": before["divided_steps"]})
    if not now:
        return {**row, "failed": why}
    if before:
        row["apart"] = max((abs(a - b) for a, b in zip(*(places(arguments.dcsim, run) for run in runs))), default=0)
    return {**row, "iterations": now["newton_iterations_per_step"], "median": now["newton_iterations_median"], "most": now["newton_iterations_most"],
            "divided": now["divided_steps"], "ms": 1e3 * now["seconds_per_step"]}


def met(row):
    return "iterations" in row and row["median"] <= ASKED_MEDIAN and row["most"] <= ASKED_MOST


def line_of(row):
    def number(key, form="%.3g"):
        return form % row[key] if row.get(key) is not None else ""
    verdict = f"left out: {row['left out']}" if "left out" in row else row.get("failed") or ("met" if met(row) else "missed")
    cells = [row["fixture"], number("bodies", "%d"), number("steps", "%d"), number("before"), number("iterations"),
             f"{row['median']:g} / {row['most']:g}" if "median" in row else "", number("divided before", "%d"), number("divided", "%d"), number("ms"), number("apart", "%.2g"),
             row["by"], verdict]
    return "| " + " | ".join(cells) + " |"


def page(arguments, rows):
    heads = ["fixture", "bodies that move", "steps", "before: iterations a step", "iterations a step", "median / most", "before: divided steps", "divided steps", "ms a step",
             "ends apart, m", "by", ""]
    tried = [row for row in rows if "left out" not in row]
    return [f"Published fixtures of rigid-ipc (`scripts/paper/fixtures`), model {arguments.model}, defaults of contact, one thread, at most {arguments.steps} steps and {arguments.seconds} s of processor time. Milliseconds by the clock, beside other programs. Before: the build that the one of the column `by` was measured against.", "",
            "| " + " | ".join(heads) + " |", "|---" * len(heads) + "|", *(line_of(row) for row in rows), "",
            f"{len(tried)} of {len(rows)} fixtures have a counterpart; {sum(map(met, tried))} of them take a median of at most {ASKED_MEDIAN} and at most {ASKED_MOST} iterations a step."]


def parsed():
    parser = options(__doc__, quick=False)
    parser.add_argument("folder", nargs="?", metavar="FOLDER", type=os.path.abspath)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--seconds", type=int, default=SECONDS)
    parser.add_argument("--model", default=MODEL)
    parser.add_argument("--before", type=os.path.abspath, help="the program of another build")
    parser.add_argument("--finer", type=int, default=1)
    parser.add_argument("--by", default=commit(), help="name of the program in the table; the commit that is checked out unless it is said")
    parser.add_argument("--page", action="store_true", help="the page of the rows that are stored, nothing measured")
    arguments = parse(parser)
    if not arguments.page and not arguments.folder:
        parser.error("FOLDER is missing")
    if arguments.publish and (arguments.steps, arguments.seconds, arguments.model, arguments.finer) != (STEPS, SECONDS, MODEL, 1):
        parser.error("the page has rows of the default settings only")
    return arguments


def main():
    arguments = parsed()
    rows = []
    for name, path in [] if arguments.page else fixtures(arguments.folder, arguments.names):
        rows.append(measure(arguments, name, path))
        print(line_of(rows[-1]), flush=True)
    kept = sorted(keep_rows(arguments, "fixtures", "fixture", rows), key=lambda row: row["fixture"]) if arguments.page or arguments.publish else rows
    show(arguments, "fixtures", page(arguments, kept))


if __name__ == "__main__":
    main()
