# SPDX-License-Identifier: Apache-2.0
"""Kinds of motions in which bodies roll, rest, land and are pushed, on chains and alone: closed forms, and energies that never grow."""
import math

import numpy as np

import shapes
from motions import G, MODELS, ROCKING, SHAPES, SMOOTHING, Finding, add, add_far_balls, add_floor, drift, half_height, lying, rest_height, turns, velocity, waits, world

BEHIND = 0.25  # of a step by which a motion that begins may be off
AT_REST = 0.003  # of its size a body may float above what it rests on, under defaults


def round_body(draw):
    """A ball or, where surfaces are leaves, a capsule that lies across its way; its inertia is factor m R^2 about any axis."""
    radius, factor, mass = draw.between("radius", 0.08, 0.15), draw.between("inertia factor", 0.15, 0.66), draw.between("mass", 0.3, 2)
    leaves = "leaves" in draw.model
    shape = {"type": "sphere", "radius": radius, "level": 1 if leaves else 4}
    rest = {"mass": mass, "center_of_mass": [0, 0, 0], "inertia": [factor * mass * radius**2] * 3 + [0, 0, 0]}
    if leaves and draw.pick("capsule", [False, True]):
        shape = {"type": "capsule", "radius": radius, "height": 0.2}
        rest["rotation"] = [math.sqrt(0.5), math.sqrt(0.5), 0, 0]
    return shape, factor, rest


def roller(draw, tilt, mu, mutant):
    """The round body on a half-space under tilted gravity: scene, radius, factor of its inertia, and how much rolling over its gap brakes it, m/s^2."""
    shape, factor, rest = round_body(draw)
    radius, mass = shape["radius"], rest["mass"]
    scene = world(draw, [G * math.sin(tilt), 0, -G * math.cos(tilt)], mu)
    add_floor(scene)
    ball = {"type": "sphere", "radius": radius, "level": shape.get("level", 1)}
    z = float(rest_height(draw, ball, mass, G * math.cos(tilt)))
    rest["inertia"] = [moment * mutant.get("inertia", 1) for moment in rest["inertia"]]
    add(scene, "body", shape, position=[0, 0, z], **rest)
    gap = max(z - radius, 1e-6)
    # On triangles all vertices that are near have friction where they are, a gap away from where the ball touches; a leaf has it on its surface.
    return scene, radius, factor, 0 if "leaves" in draw.model else 0.4 * mu * G * gap / radius * math.log(2 * radius / gap)


def damped(draw, rate, time):
    """Steps short enough for the spin that implicit Euler takes, rate^2 h of it a second, to be a percent."""
    if draw.integrator == "euler":
        draw.step = min(draw.step, 0.01 / (rate * rate * time))
    draw.step = min(draw.step, 0.5 / rate)


def roll(draw, mutant):
    """Down a slope g sin a/(1 + I/(m R^2)), held by friction, spin and speed as one: 5/7 g sin a of a solid ball."""
    tilt = draw.between("tilt", 0.08, 0.35)
    total, fastest = 0.4, G * math.sin(tilt) / 1.15
    damped(draw, fastest * total / 0.08, total / 3)
    draw.steps = math.ceil(total / draw.step)
    scene, radius, factor, brake = roller(draw, tilt, 1.6 * math.tan(tilt) + 0.1, mutant)
    path = draw.run(scene)
    right = G * math.sin(tilt) / (1 + factor)
    # On triangles both jump from corner to corner: the means over the last quarter of the time.
    last = path.time[1:] > 0.75 * path.time[-1]
    speeds, spins = np.diff(path.position["body"][:, 0])[last], (turns(path, "body")[0][:, 1] * path.length)[last]
    speed, spin = velocity(path, "body")[0], spins.sum() / speeds.sum()  # rad/m
    t = path.time[-1] - (0.5 * draw.step if draw.integrator != "euler" else 0)
    return [Finding("acceleration of rolling", speed / t, right, 0.03 * right + 1.5 * right * draw.step / t + brake), Finding("spin times radius over speed", spin * radius, 1, 0.03)]


def skid(draw, mutant):
    """Thrown with any spin it skids until it rolls: (v + I/(m R) w)/(1 + I/(m R^2)), whatever the coefficient: 5/7 v of a solid ball without spin."""
    mu, speed, spin = draw.between("mu", 0.15, 0.6), draw.between("speed", 0.5, 1.5), draw.between("spin", -0.6, 0.8)
    time = speed * abs(1 - spin) / (mu * G * 2.5)  # with the largest inertia
    damped(draw, speed / 0.08, 1.3 * time)
    draw.steps = math.ceil(1.3 * time / draw.step) + 12
    scene, radius, factor, brake = roller(draw, 0, mu, mutant)
    body = scene["bodies"][1]
    body["velocity"], body["angular_velocity"] = [speed, 0, 0], [0, spin * speed / radius, 0]
    path = draw.run(scene)
    right = speed * (1 + factor * spin) / (1 + factor)
    # A ball of triangles that rolls on is braked at its corners as a rimless wheel is, by up to corner/(2 (1 + factor)) of its speed a radian: where it begins to roll.
    speeds = np.diff(path.position["body"][:, 0]) / path.length
    rolls = np.abs(speeds - radius * turns(path, "body")[0][:, 1]) < 0.01 * speed
    at = int(np.argmax(rolls)) if rolls.any() else len(rolls) - 1
    return [Finding("speed of rolling", speeds[at], right, 0.03 * speed + brake * path.time[at + 1])]


def floor_of(draw, scene, size, top):
    """A plane, a box or a box of many cells, with its surface at a height."""
    kind = draw.pick("floor", ["plane", "box", "divided box"])
    if kind == "plane":
        add(scene, "floor", {"type": "plane"}, joint="fixed", position=[0, 0, top])
        return
    shape = {"type": "box", "size": [12 * size, 12 * size, size]}
    if kind == "divided box":
        shape["divisions"] = [draw.pick("cells", [3, 5, 8]), draw.pick("cells", [3, 5, 8]), 1]
    add(scene, "floor", shape, joint="fixed", position=[0.03 * size, 0.02 * size, top - size / 2])


def rest(draw, mutant):
    """Of any size and weight, under defaults, a body comes to rest within 0.3 % of its size of the floor, whatever its triangles."""
    draw.defaults, draw.far = True, 0.0
    scale, density = 10 ** draw.between("decades", -2, 1), 10 ** draw.between("density", 2, 4)
    size = [scale * edge for edge in SHAPES[draw.pick("shape", list(SHAPES))]["size"]]
    draw.step = 0.01 * math.sqrt(scale)
    draw.steps = 150
    scene = world(draw, [0, 0, -G], draw.between("mu", 0, 0.6))
    floor_of(draw, scene, 0.1 * scale, -mutant.get("lower", 0) * size[2])
    add(scene, "body", {"type": "box", "size": size}, density=density, position=[0, 0, size[2] / 2 + draw.between("height", 0.002, 0.05) * size[2]])
    path = draw.run(scene)
    largest = max(size)
    gap = path.position["body"][-1, 2] - size[2] / 2
    return [Finding("gap over the size", gap / largest, 0.5 * AT_REST, 0.5 * AT_REST), Finding("speed at rest over the size", np.linalg.norm(velocity(path, "body")) / largest, 0, 0.02)]


def scales(draw, mutant):
    """A body on a sprung platform: contact and spring carry its weight, so that the platform sinks by the weight of both over the stiffness."""
    draw.far = 0.0
    draw.step, draw.steps = draw.between("coarse step", 0.005, 0.01), 300
    mass, plate = draw.between("mass", 0.3, 3), draw.between("plate", 0.3, 1)
    stiffness = (mass + plate) * G / draw.between("sink", 0.01, 0.03)
    scene = world(draw, [0, 0, -G], draw.between("mu", 0, 0.6))
    cells = draw.pick("cells", [1, 4])
    kd = 1.2 * math.sqrt(stiffness * (mass + plate))
    add(scene, "plate", {"type": "box", "size": [0.5, 0.5, 0.04], "divisions": [cells, cells, 1]}, mass=plate, joint={"type": "slide", "axis": [0, 0, 1]}, pd={"kp": stiffness, "kd": kd})
    shape = SHAPES[draw.pick("shape", list(SHAPES))]
    add(scene, "body", shape, mass=mass * mutant.get("mass", 1), position=[0.02, 0.01, 0.02 + half_height(shape) + 0.002])
    path = draw.run(scene)
    right = (mass + plate) * G / stiffness
    return [Finding("way that the platform sinks", -path.position["plate"][-1, 2], right, 0.01 * right)]


def inside(draw, mutant):
    """Started below its gap at rest a body slides as far as any other, or dcsim tells that it starts inside the barrier."""
    mu, speed = draw.between("mu", 0.15, 0.6), draw.between("speed", 0.5, 1.5)
    draw.steps = math.ceil((1.3 * speed / (mu * G) + ROCKING) / draw.step) + 3
    scene = lying(draw, 0, speed, mu, mutant)
    body = scene["bodies"][1]
    half = half_height(scene["shapes"]["body"])
    body["position"][2] = half + (body["position"][2] - half) * draw.between("part", 0.15, 0.95)
    path = draw.run(scene)
    if "inside the barrier" in path.said:
        return [Finding("warnings", 1, 1, 0.5)] if not mutant else []
    way = speed**2 / (2 * mu * G)
    moved = path.position["body"][-1, 0] - path.position["body"][0, 0]
    return [Finding("stopping distance", moved, way, 0.04 * way + 1.2 * speed * draw.step), Finding("height that it is thrown to", path.position["body"][:, 2].max() - half, 0, 0.01)]


def push(draw, mutant):
    """A body lands, with any restitution, and is pushed or lifted once it lies: mu g t^2/2 with twice the friction, g t^2/2 with twice the weight."""
    mu, down, mass = draw.between("mu", 0.15, 0.5), draw.between("down", 0, 1), draw.between("mass", 0.2, 3)
    e = draw.pick("e", [None, 0.0, 0.125, 0.3, 0.5])
    drop, lifted = 0.03, draw.pick("lifted", [False, True])
    landing = math.sqrt(down**2 + 2 * G * drop)
    rests = (landing - down) / G + 2 * landing / G * (e or 0.2) / (1 - (e or 0.2)) + 0.1
    first = math.ceil(rests / draw.step)
    draw.steps = first + math.ceil(0.3 / draw.step)
    scene = world(draw, [0, 0, -G], mu * mutant.get("friction", 1))
    if e is not None:
        scene["contact"]["restitution"] = e
    add_floor(scene)
    shape = SHAPES[draw.pick("shape", list(SHAPES))]
    z = float(rest_height(draw, shape, mass, G)) + drop
    held = {"joint": [{"type": "slide", "axis": [1, 0, 0]}, {"type": "slide", "axis": [0, 0, 1]}], "joint_velocity": [0, -down]} if draw.pick("on slides", [False, True]) else {"velocity": [0, 0, -down]}
    add(scene, "body", shape, mass=mass, position=[0, 0, z], **held)
    force, free = 2 * mass * G * (1 if lifted else mu), "joint" not in held
    limit = 20 * force
    scene["control"] = [{"type": "torque", "body": "body", "coordinates": ("z" if lifted else "x") if free else ("1" if lifted else "0"), "limit": [limit], "hold": first, "initial": [0, force / limit]}]
    add_far_balls(scene, draw)
    path = draw.run(scene)
    at = int(np.argmin(np.abs(path.time - first * draw.step)))
    moved, t = (path.position["body"][-1] - path.position["body"][at])[2 if lifted else 0], path.time[-1] - path.time[at]
    a = G * mutant.get("lift", 1) if lifted else mu * G
    # Without a restitution the barrier alone brings a body to rest, in second order not within the run: what then rocks goes up with that speed.
    rocks = abs(velocity(path, "body", at)[2]) * t if lifted and e is None else 0
    # Steps count what a force does from their beginning.
    return [Finding("way of what is lifted" if lifted else "way of what is pushed", moved, 0.5 * a * t * (t + draw.step), 0.03 * a * t * t / 2 + BEHIND * a * t * draw.step + SMOOTHING * t + rocks)]


def energies(path, bodies, integrator, gravity=G):
    """Of motion and weight by interval, J; bodies: name: (mass, principal moments in the axes of the body).  Places: the ends of intervals, their middles in second order."""
    total = np.zeros(len(path.length))
    for name, (mass, moments) in bodies.items():
        v = np.diff(path.position[name], axis=0) / path.length[:, None]
        z = path.position[name][1:, 2] if integrator == "euler" else 0.5 * (path.position[name][1:, 2] + path.position[name][:-1, 2])
        spins, q = turns(path, name)
        local = np.array([shapes.matrix(q[k + 1]).T @ spins[k] for k in range(len(spins))])
        total += 0.5 * mass * np.sum(v * v, axis=1) + 0.5 * np.sum(moments * local * local, axis=1) + mass * gravity * z
    return total


def box_moments(mass, size):
    squares = mass * np.array(size)**2 / 12
    return squares.sum() - squares


def chain(draw, mutant):
    """A chain of boxes falls on the floor: energy never grows and, without friction, momentum along the floor stays."""
    draw.step, draw.far = min(draw.step, 0.01), 0.0
    draw.steps = math.ceil(0.6 / draw.step)
    links, size = draw.pick("links", [2, 3, 4]), [0.16, 0.05, 0.04]
    smooth = draw.pick("smooth", [False, True])
    scene = world(draw, [0, 0, -G], 0 if smooth else draw.between("mu", 0.1, 0.8))
    e = draw.pick("e", [None, 0.0, 0.5])
    if e is not None:
        scene["contact"]["restitution"] = e
    add_floor(scene)
    thrown = [draw.between("along", -1, 1), draw.between("across", -1, 1), draw.between("down", -1.5, 0)]
    bodies = {}
    for k in range(links):
        mass, x = draw.between(f"mass{k}", 0.2, 0.6), 0.2 * k
        joint = {} if k == 0 else {"parent": f"b{k - 1}", "joint": draw.pick(f"joint{k}", [{"type": "hinge", "axis": [0, 1, 0], "anchor": [x - 0.1, 0, 0.25]}, {"type": "ball", "anchor": [x - 0.1, 0, 0.25]}])}
        if k == 0:
            joint = {"velocity": thrown, "angular_velocity": [0, draw.between("spin", -4, 4), 0]}
        add(scene, f"b{k}", {"type": "box", "size": size}, mass=mass, position=[x, 0, 0.25], **joint)
        bodies[f"b{k}"] = (mass, box_moments(mass, size))
    path = draw.run(scene)
    energy = energies(path, bodies, draw.integrator)
    ground = sum(mass for mass, _ in bodies.values()) * G * 0.02
    scale = energy[0] - ground
    findings = [Finding("rise of energy above the start", max(0.0, energy.max() / energy[0] * mutant.get("energy", 1) - 1), 0, 0.003 + (0 if draw.integrator == "euler" else 0.02))]
    if smooth:
        momentum = [sum(mass * (np.diff(path.position[name], axis=0) / path.length[:, None])[k, :2] for name, (mass, _) in bodies.items()) for k in (0, -1)]
        # The first interval of a chain that starts with a spin is to h from its velocities, alike for all that follow.
        findings.append(Finding("momentum along the floor", np.linalg.norm(momentum[1] - momentum[0]) / math.sqrt(2 * scale), 0, 1e-5))
    return findings


def cradle(draw, mutant):
    """Bodies in a row, the first is thrown: e brings the last one to v ((1 + e)/2)^(n - 1), and momentum stays."""
    n, e, speed = draw.pick("n", [3, 4, 5]), draw.between("e", 0.5, 1), draw.between("speed", 0.5, 5)
    # Balls of triangles meet vertex to vertex here, where no direction is the right one.
    shape = draw.pick("shape", [SHAPES["cube"], {"type": "sphere", "radius": 0.05, "level": 1}] if "leaves" in draw.model else [SHAPES["cube"]])
    gap = max(draw.between("gap", 0.01, 0.03), 2.5 * speed * draw.step)
    speeds = [speed * ((1 + e) / 2) ** k for k in range(n)]
    arrival = sum(gap / u for u in speeds[:-1])
    draw.steps = math.ceil(1.1 * arrival / draw.step) + 3 * n
    scene = world(draw, [0, 0, 0], draw.between("mu", 0, 0.4))
    scene["contact"]["restitution"] = e * mutant.get("restitution", 1)
    mass = draw.between("mass", 0.2, 2)
    # The diagonals of faces that meet as triangles give cubes a spin of about a hundredth of the speed, and from the second collision on they meet at edges: there they ride on a rail.
    rail = draw.model in ("bsh", "exact", "ipc-global", "ipc") or draw.pick("rail", [False, False, True])
    for k in range(n):
        thrown = 0 if k else speed
        moving = {"joint": {"type": "slide", "axis": [1, 0, 0]}, "joint_velocity": [thrown]} if rail else {"velocity": [thrown, 0, 0]}
        add(scene, f"b{k}", shape, mass=mass, position=[k * (0.1 + gap), 0, 0], **moving)
    path = draw.run(scene)
    sum_of = sum(velocity(path, f"b{k}")[0] for k in range(n))
    return [Finding("speed of the last over that of the first", velocity(path, f"b{n - 1}")[0] / speed, speeds[-1] / speed, 0.02 * (n - 1)), Finding("momentum", sum_of / speed, 1, 1e-6)]


def painleve(draw, mutant):
    """A rod that slides on its tip against rough ground, where rigid contact has no answer: energy never grows, the impulses stay in the cone."""
    draw.step, draw.far = min(draw.step, 0.006), 0.0
    length, mass, mu = 0.4, draw.between("mass", 0.2, 1), draw.between("mu", 0.3, 2)
    tilt, speed, down = draw.between("tilt", 0.3, 1.3), draw.between("speed", 0.5, 6), draw.between("down", 0, 1)
    draw.steps = math.ceil(0.25 / draw.step)
    size = [length, 0.02, 0.02]
    scene = world(draw, [0, 0, -G], mu * mutant.get("friction", 1))
    add_floor(scene)
    # The tip goes first: friction turns it under the rod.
    low = length / 2 * math.sin(tilt) + 0.01 * math.cos(tilt)
    add(scene, "body", {"type": "box", "size": size}, mass=mass, position=[0, 0, low + 0.004], rotation=[math.cos(tilt / 2), 0, math.sin(tilt / 2), 0], velocity=[speed, 0, -down])
    path = draw.run(scene)
    energy = energies(path, {"body": (mass, box_moments(mass, size))}, draw.integrator)
    findings = [Finding("rise of energy above the start", max(0.0, energy.max() / energy[0] * mutant.get("energy", 1) - 1), 0, 0.003 + (0 if draw.integrator == "euler" else 0.01))]
    v = np.diff(path.position["body"], axis=0) / path.length[:, None]
    normal = np.cumsum(np.diff(v[:, 2], prepend=-down) + G * waits(path, draw.integrator))
    tangent = np.abs(np.cumsum(np.diff(v[:, 0], prepend=speed)))
    # Friction has the normal impulse of the interval before.
    excess = np.max(tangent / np.maximum(mu * normal, 0.02 * mu * max(normal.max(), 1e-9)))
    findings.append(Finding("largest tangential over mu times the normal impulse", max(1.0, excess), 1, 0.04))
    return findings


KINDS = {"roll": roll, "skid": skid, "rest": rest, "scales": scales, "inside": inside, "push": push, "chain": chain, "cradle": cradle, "painleve": painleve}
MUTANTS = {"roll": {"inertia": 2.5}, "skid": {"inertia": 2.5}, "rest": {"lower": 0.02}, "scales": {"mass": 1.1}, "inside": {"friction": 1.35}, "push": {"friction": 0.85, "lift": 1.2}, "chain": {"energy": 1.05}, "cradle": {"restitution": 0.2}, "painleve": {"friction": 1.3, "energy": 1.05}}
# manifold takes polyhedra of 1024 faces at most: too few to roll on.
roll.models = skid.models = [model for model in MODELS if model != "manifold"]
