#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Newton iterations of the three-dimensional fixtures that rigid-ipc publishes (Ferguson et al. 2021; MIT licence).

    scripts/paper/fixtures FOLDER [NAME ...] [--steps N] [--seconds S] [--model NAME] [--before FILE] [--finer N] [--by NAME] [--publish]
    scripts/paper/fixtures --page [--publish]

FOLDER is a clone of github.com/ipc-sim/rigid-ipc.  Every fixture below fixtures/3D whose path contains a NAME (all
without one) becomes a scene with the defaults of contact:

1. y is up there and z here; vertices are scaled, turned by R = Rz Ry Rx of its angles in degrees, and moved.  Faces
   without area, which that code forgives, go where their neighbours close without them.
2. A fixed "plane.obj" is a half-space towards what moves, a flat mesh that moves a slab as thick as a hundredth of its
   shorter side, and one that stands still is as thick behind its face; the frame of every other body stands in the middle
   of its corners.  The components of a mesh that is to be split are bodies of their own.
3. Degrees of freedom of the centre of mass that are fixed make a joint of those that are left.  The control "torque" holds forces and torques.
   Bodies of one group do not touch each other, nor do those that no force moves.
4. A body that follows a schedule (kinematic) hangs on slides and a hinge, which the control "path" drives from step to
   step: through the poses that are given, then on with its velocities until its time ends.  The drive has a stiffness of
   STIFF mass/h^2.
5. Points and edges without triangles, open meshes that are not flat and turns in schedules have no counterpart: such
   fixtures are named and left out.
6. The scene moves for the fixture's time, at most --steps steps and --seconds s of processor time.

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
import struct
import subprocess
import tempfile
import unicodedata

from measuring import commit, keep_rows, options, parse, show, write_json

ASKED_MEDIAN, ASKED_MOST = 6, 30
STEPS, SECONDS, MODEL = 100, 40, "bsh"  # what the page is measured with


SLAB = 0.01  # thickness of flat meshes, part of their shorter side
STIFF, MOST_STIFF = 1e6, 1e12  # of a drive that follows a schedule: times mass/h^2; N/m


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


def read_stl(path):
    """The same of an STL file; corners of equal places are one."""
    with open(path, "rb") as file:
        data = file.read()
    count = struct.unpack_from("<I", data, 80)[0] if len(data) >= 84 else 0
    if len(data) == 84 + 50 * count:
        corners = [struct.unpack_from("<3f", data, 84 + 50 * face + 12 + 12 * k) for face in range(count) for k in range(3)]
    else:
        lines = (line.split() for line in data.decode(errors="replace").splitlines())
        corners = [tuple(float(word) for word in words[1:4]) for words in lines if words[:1] == ["vertex"]]
    places = {corner: place for place, corner in enumerate(dict.fromkeys(corners))}
    return [list(corner) for corner in places], [[places[corner] for corner in corners[k:k + 3]] for k in range(0, len(corners), 3)]


def normal_of(vertices, face):
    """Twice the area of a face along its normal, by its first three corners."""
    a, b, c = (vertices[place] for place in face[:3])
    u, v = ([q[i] - a[i] for i in range(3)] for q in (b, c))
    return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]


def border_of(faces):
    """Edges of one face only, in its direction."""
    edges = {(face[k - 1], face[k]) for face in faces for k in range(len(face))}
    return [(p, q) for p, q in edges if (q, p) not in edges]


def without_slivers(vertices, faces):
    """Faces with three different places and an area; all of them, where the others would leave a hole."""
    places = {tuple(vertex): place for place, vertex in reversed(list(enumerate(vertices)))}
    merged = [[places[tuple(vertices[place])] for place in face] for face in faces]
    solid = [face for face in merged if len(set(face)) == len(face) and (len(face) > 3 or any(normal_of(vertices, face)))]
    return faces if len(solid) == len(faces) or border_of(solid) else solid


def components(faces):
    """The faces of each connected part."""
    above = {}

    def top(place):
        while above.setdefault(place, place) != place:
            place = above[place]
        return place
    for face in faces:
        for place in face[1:]:
            above[top(place)] = top(face[0])
    parts = {}
    for face in faces:
        parts.setdefault(top(face[0]), []).append(face)
    return list(parts.values())


def used(vertices, faces):
    """The same faces of the vertices alone that they have."""
    places = {place: k for k, place in enumerate(dict.fromkeys(place for face in faces for place in face))}
    return [vertices[place] for place in places], [[places[place] for place in face] for face in faces]


def solid(vertices, faces):
    """The volume that faces enclose, each cut into triangles from its first corner, and its centre."""
    total, moment = 0, [0, 0, 0]
    for face in faces:
        for k in range(1, len(face) - 1):
            a, b, c = (vertices[place] for place in (face[0], face[k], face[k + 1]))
            part = sum(a[i] * (b[(i + 1) % 3] * c[(i + 2) % 3] - b[(i + 2) % 3] * c[(i + 1) % 3]) for i in range(3)) / 6
            total += part
            moment = [m + part * (a[i] + b[i] + c[i]) / 4 for i, m in enumerate(moment)]
    return abs(total), [m / total for m in moment] if total else [0, 0, 0]


def slab(vertices, faces, towards):
    """A flat mesh made solid: both of its sides, and walls along its border; towards a place it keeps its face (None: it moves, to either side).

    Others are returned as they are.
    """
    normal = normal_of(vertices, faces[0])
    length = math.sqrt(sum(n * n for n in normal))
    normal, first = [n / length for n in normal], vertices[faces[0][0]]
    sides = sorted(max(p[i] for p in vertices) - min(p[i] for p in vertices) for i in range(3))
    if any(abs(sum(n * (p[i] - first[i]) for i, n in enumerate(normal))) > 1e-6 * sides[2] for p in vertices):
        return vertices, faces
    border, count = border_of(faces), len(vertices)
    thickness = SLAB * (sides[1] if towards else min(math.dist(vertices[p], vertices[q]) for p, q in border))
    front, back = 0.5, -0.5
    if towards:
        front, back = (0, -1) if sum(n * (x - p) for n, x, p in zip(normal, towards, first)) >= 0 else (1, 0)
    both = [[x + by * thickness * n for x, n in zip(vertex, normal)] for by in (front, back) for vertex in vertices]
    walls = [[q, p, p + count, q + count] for p, q in border]
    return both, [*faces, *([place + count for place in reversed(face)] for face in faces), *walls]


def spelled(path):
    """A path as its folder spells it: letters with accents may be one character or two."""
    folder, name = os.path.split(path)
    for other in os.listdir(folder) if os.path.isdir(folder) else []:
        if unicodedata.normalize("NFC", other) == unicodedata.normalize("NFC", name):
            return os.path.join(folder, other)
    return path


def geometry(body, folder):
    """Vertices, scaled and turned, and faces of a body."""
    if body.get("mesh"):
        path = spelled(os.path.join(folder, "meshes", body["mesh"]))
        reader = {".obj": read_obj, ".off": read_off, ".stl": read_stl}.get(os.path.splitext(path)[1])
        if not reader or not os.path.exists(path):
            raise LeftOut(f"mesh {body['mesh']}")
        vertices, faces = reader(path)
    else:
        vertices, faces = body.get("vertices", []), body.get("faces", [])
    if not faces:
        raise LeftOut("points or edges without triangles")
    faces = without_slivers(vertices, faces)
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
    if body.get("type", "dynamic") == "static" or all(fixed):
        return "fixed"
    if not any(fixed):
        return "free"
    axes = [upright([float(i == k) for i in range(3)]) for k in range(3)]
    slides = [{"type": "slide", "axis": axes[k]} for k in range(3) if not fixed[k]]
    turns = [k for k in range(3) if not fixed[3 + k]]
    if len(turns) == 3:
        return [*slides, {"type": "ball"}]
    return [*slides, *({"type": "hinge", "axis": axes[k]} for k in turns)]


def rate(body, key):
    """A velocity, force or torque of a fixture in axes whose z is up; those of turns are in degrees there."""
    vector = upright(body.get(key, [0, 0, 0]))
    return [math.radians(x) for x in vector] if key in ("angular_velocity", "torque") else vector


def along(kind, linear, angular):
    """The parts of two vectors along the axes of an array of joints; None where some of them is left over."""
    parts, left = [], [list(linear), list(angular)]
    for part in kind:
        turns = part["type"] != "slide"
        if part["type"] == "ball":
            parts += left[1]
            left[1] = [0, 0, 0]
            continue
        parts.append(sum(x * a for x, a in zip(left[turns], part["axis"])))
        left[turns] = [x - parts[-1] * a for x, a in zip(left[turns], part["axis"])]
    return None if any(abs(x) > 1e-12 for vector in left for x in vector) else parts


def start_moving(body, converted):
    """Initial velocities of a body that forces move."""
    linear, angular = rate(body, "linear_velocity"), rate(body, "angular_velocity")
    if converted["joint"] == "free":
        converted.update({"velocity": linear, "angular_velocity": angular})
    elif any(linear + angular):
        converted["joint_velocity"] = along(converted["joint"], linear, angular)
        if converted["joint_velocity"] is None:
            raise LeftOut("a speed across a joint")


def push(body, converted, scene):
    """Constant forces and torques of a body."""
    force, torque = rate(body, "force"), rate(body, "torque")
    if not any(force + torque) or converted["joint"] == "fixed":
        return
    pushes = torque + force if converted["joint"] == "free" else along(converted["joint"], force, torque)
    if pushes is None:
        raise LeftOut("a force across a joint")
    acting = [k for k, x in enumerate(pushes) if x]
    scene["control"].append({"type": "torque", "body": converted["name"], "coordinates": " ".join(map(str, acting)),
                             "limit": [2 * abs(pushes[k]) for k in acting], "initial": [math.copysign(0.5, pushes[k]) for k in acting],
                             "hold": scene["time"]["steps"]})


def schedule(body, converted, centre, size, scene):
    """Makes the joint, drive and control of a body that follows a schedule."""
    step, steps, last = scene["time"]["step"], scene["time"]["steps"], body.get("kinematic_max_time", -1)
    linear, angular, poses = rate(body, "linear_velocity"), rate(body, "angular_velocity"), body.get("kinematic_poses", [])
    if any(any(pose.get("rotation", [0])) for pose in poses):
        raise LeftOut("a schedule of turns")
    speed = math.sqrt(sum(x * x for x in angular))
    kind = [{"type": "slide", "axis": [float(i == k) for i in range(3)]} for k in range(3)]
    kind += [{"type": "hinge", "axis": [x / speed for x in angular]}] if speed else []
    places, place, angle = [], [0, 0, 0], 0
    for k in range(steps):
        if last < 0 or k * step < last:
            if k < len(poses):
                place = [x - m for x, m in zip(upright(poses[k].get("position", [0, 0, 0])), centre)]
            else:
                place, angle = [x + v * step for x, v in zip(place, linear)], angle + speed * step
        places += place + [angle] * (speed > 0)
    stiff = min(MOST_STIFF, STIFF * size * converted["density"] / step ** 2)
    converted.update({"joint": kind, "pd": {"kp": stiff}, "joint_velocity": [*linear, *([speed] if speed else [])]})
    scene["control"].append({"type": "path", "body": converted["name"], "times": [(k + 1) * step for k in range(steps)],
                             "positions": places})


def add_body(body, name, vertices, faces, output, scene):
    """Adds a body and its shape, whose vertices are where they are in the world, to a scene."""
    middle = [(max(v[i] for v in vertices) + min(v[i] for v in vertices)) / 2 for i in range(3)]
    vertices = [[x - m for x, m in zip(v, middle)] for v in vertices]
    with open(os.path.join(output, name + ".obj"), "w", encoding="utf-8") as file:
        file.writelines("v %.17g %.17g %.17g\n" % tuple(v) for v in vertices)
        file.writelines("f " + " ".join(str(place + 1) for place in face) + "\n" for face in faces)
    scene["shapes"][name] = {"type": "mesh", "file": name + ".obj"}
    converted = {"name": name, "shape": name, "position": middle, "joint": joint(body)}
    if converted["joint"] != "fixed":
        size, centre = solid(vertices, faces)
        centre = [m + x for m, x in zip(middle, centre)]
        converted["density"] = body.get("density", 1000)
        if body.get("type") == "kinematic":
            schedule(body, converted, centre, size, scene)
        else:
            start_moving(body, converted)
            push(body, converted, scene)
        if converted["joint"] != "free":
            converted["anchor"] = centre
    scene["bodies"].append(converted)


def convert_body(body, number, middle, folder, output, scene):
    """Adds a body of a fixture, or each of its components, and its shape to a scene; their names.  middle: of those that move."""
    name, kind, position = f"body{number}", joint(body), body.get("position", [0, 0, 0])
    if body.get("mesh") == "plane.obj" and kind == "fixed":
        scene["shapes"]["plane"] = {"type": "plane"}
        scene["bodies"].append({"name": name, "joint": "fixed", "shape": "plane", "position": upright(position),
                                "rotation": quaternion(body.get("rotation", [0, 0, 0]))})
        return [name]
    vertices, faces = geometry(body, folder)
    if kind != "fixed" or border_of(faces):
        vertices, faces = slab(vertices, faces, None if kind != "fixed" else [m - p for m, p in zip(middle, position)])
    vertices = [upright([x + p for x, p in zip(vertex, position)]) for vertex in vertices]
    parts = components(faces) if body.get("split_components") else [faces]
    names = [name] if len(parts) == 1 else [f"{name}_{k}" for k in range(len(parts))]
    for part, own in zip(parts, names):
        add_body(body, own, *used(vertices, part), output, scene)
    return names


def part_groups(fixture, names, scene):
    """Bodies of one group do not touch each other.  All that no force moves is one group, with those whose group one of it has."""
    still = {body["group_id"] for body in fixture if body.get("type", "dynamic") != "dynamic" and body.get("group_id", -1) >= 0}
    groups = {}
    for body, own in zip(fixture, names):
        group = body.get("group_id", -1)
        if body.get("type", "dynamic") != "dynamic" or group in still:
            group = "still"
        if group != -1:
            groups.setdefault(group, []).extend(own)
    for body in scene["bodies"]:
        others = [other for group in groups.values() if body["name"] in group for other in group if other != body["name"]]
        if others and body["joint"] != "fixed":
            body["collide_except"] = others


def face_planes(scene):
    """Turns those half-spaces over that hold the places of all bodies that move: their meshes have two sides."""
    for plane in scene["bodies"]:
        if plane["shape"] != "plane":
            continue
        w, x, y, z = plane["rotation"]
        normal = [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)]
        heights = [sum(n * (p - q) for n, p, q in zip(normal, body["position"], plane["position"]))
                   for body in scene["bodies"] if body["joint"] != "fixed"]
        if heights and max(heights) < 0:
            plane["rotation"] = [-x, w, z, -y]


def convert(fixture, folder, output, most):
    """The scene of a fixture, with its meshes in the folder output."""
    problem, step = fixture["rigid_body_problem"], fixture.get("timestep", 0.01)
    steps = fixture.get("max_iterations", -1)
    if steps <= 0:
        steps = math.ceil(fixture.get("max_time", 1) / step)
    scene = {"time": {"step": step, "steps": max(1, min(steps, most))}, "gravity": upright(problem.get("gravity", [0, 0, 0])),
             "contact": {"friction": max(0, problem.get("coefficient_friction", 0))}, "shapes": {}, "bodies": [], "control": []}
    bodies = [body for body in problem["rigid_bodies"] if body.get("enabled", True)]
    places = [body.get("position", [0, 0, 0]) for body in bodies if joint(body) != "fixed"] or [[0, 0, 0]]
    middle = [sum(place[i] for place in places) / len(places) for i in range(3)]
    names = [convert_body(body, number, middle, folder, output, scene) for number, body in enumerate(bodies)]
    part_groups(bodies, names, scene)
    face_planes(scene)
    if all(body["joint"] == "fixed" for body in scene["bodies"]):
        raise LeftOut("nothing that moves")
    return scene


def simulate(program, path, model, seconds, run="none"):
    """The answer of a simulation into a run directory, with the processor seconds it took, or why there is none."""
    shutil.rmtree(run, ignore_errors=True)
    words = [program, "simulate", path, "--model", model, "-o", run, "--no-report", "--json", "--quiet", "--threads", "1"]
    with tempfile.TemporaryFile("w+") as said, subprocess.Popen(words, stdout=subprocess.PIPE, stderr=said, text=True, preexec_fn=lambda: limit(seconds)) as process:
        output = process.stdout.read()
        _, code, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(code)
        said.seek(0)
        lines = said.read().strip().splitlines() or ["no message"]
    if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return None, f"not within {seconds} s"
    if process.returncode:
        return None, lines[0].replace(path, "scene")[:160]
    return {**json.loads(output), "processor_seconds": usage.ru_utime + usage.ru_stime}, ""


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
            "divided": now["divided_steps"], "ms": 1e3 * now["processor_seconds"] / row["steps"]}


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
    return [f"Published fixtures of rigid-ipc (`scripts/paper/fixtures`), model {arguments.model}, defaults of contact, one thread, at most {arguments.steps} steps and {arguments.seconds} s of processor time. Milliseconds of processor time a step, beside other programs; the scene is read in it. Before: the build that the one of the column `by` was measured against.", "",
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
