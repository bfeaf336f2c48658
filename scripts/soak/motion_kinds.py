# SPDX-License-Identifier: Apache-2.0
"""Kinds of motions with closed forms: slides, slopes, skids, collisions, flight, spin, pendulums, oscillators."""
import math

import numpy as np

import shapes
from contact_kinds import box_moments, energies
from motions import G, MODELS, ROCKING, ROUND, SHAPES, SMOOTHING, Finding, add, add_far_balls, add_floor, drift, lying, rest_height, turns, velocity, waits, world

# Kinds: each takes a draw and a mutant, {} or what the world does otherwise than the law says, and returns findings.

def slide(draw, mutant):
    """A body slides to rest: v^2/(2 mu g); the first order of implicit Euler is v h/2 less, the lag and the smoothing about as much."""
    mu, speed = draw.between("mu", 0.1, 0.7), draw.between("speed", 0.5, 2)
    time = speed / (mu * G)
    # A cube that friction stops rocks on its front edge for about a tenth of a second, in every model and at every step.
    draw.steps = math.ceil((1.3 * time + ROCKING) / draw.step) + 3
    path = draw.run(lying(draw, 0, speed, mu, mutant))
    way = speed**2 / (2 * mu * G)
    moved = path.position["body"][-1, 0] - path.position["body"][0, 0]
    return [Finding("stopping distance", moved, way, 0.03 * way + 1.2 * speed * draw.step), Finding("speed at rest", drift(path, "body"), 0, 5 * SMOOTHING)]


def slope_slip(draw, mutant):
    """Beyond the cone: (g sin a - mu g cos a) t^2/2."""
    mu = draw.between("mu", 0.1, 0.5)
    tilt = math.atan(mu * draw.between("excess", 1.4, 2.5))
    draw.steps = math.ceil(0.3 / draw.step)
    path = draw.run(lying(draw, tilt, 0, mu, mutant))
    pull, brake, t = G * math.sin(tilt), mu * G * math.cos(tilt), path.time[-1]
    moved = path.position["body"][-1, 0] - path.position["body"][0, 0]
    # Implicit Euler counts forces from the beginning of steps.
    # Under defaults the height of rest depends on the start, so that friction begins with less than the weight.
    euler = draw.integrator == "euler"
    right = 0.5 * (pull - brake) * t * t + (0.5 * (pull - brake) * draw.step * t if euler else 0)
    return [Finding("way down the slope", moved, right, 0.03 * 0.5 * (pull - brake) * t * t + (MOST_BEHIND if draw.defaults else BEHIND) * brake * draw.step * t + SMOOTHING * t)]


def slope_stick(draw, mutant):
    """Within the cone it is held, but creeps at less than the smoothing over sqrt(1 - part^2)."""
    mu, part = draw.between("mu", 0.2, 0.8), draw.between("part", 0.2, 0.93)
    tilt = math.atan(mu * part)
    draw.steps = math.ceil(0.3 / draw.step)
    path = draw.run(lying(draw, tilt, 0, mu * part * 0.6 if mutant else mu, {}))
    creep = 2.2 * SMOOTHING * part / math.sqrt(1 - part * part) * path.time[-1] + 4 * G * draw.step**2 * part
    moved = np.linalg.norm(path.position["body"][-1] - path.position["body"][0])
    return [Finding("creep", moved, 0, creep + 1e-5)]


BEHIND, MOST_BEHIND = 0.25, 0.8  # of a step by which friction may be off
KICKED = 0.25  # of the ratio of impulses, in impacts with restitution


def restitution_of(draw):
    """A restitution for half of the draws, from a generator of its own: other numbers of a draw stay what they are.  The first draws, which mutants are shown, have none."""
    rng = np.random.default_rng([draw.number, 40])
    return {"restitution": float(rng.choice([0, 0.125, 0.3, 0.6, 0.9]))} if draw.number >= len(MODELS) and rng.random() < 0.5 else {}


def impulses(path, integrator, start, gravity, mu, more):
    """The ratio of tangential and normal impulse; nothing where friction of the last interval's impulse is still to come.

    With restitution friction has the impulse that a kick is expected to give, which is not just what a body that tumbles gets (docs/limits.md).
    """
    change, weighs = velocity(path, "body") - np.array(start), waits(path, integrator)
    normal = change[2] + gravity * weighs.sum()
    last = velocity(path, "body")[2] - velocity(path, "body", len(path.time) - 2)[2] + gravity * weighs[-1]
    kicked = "restitution" in more
    if normal < 0.1 or kicked and last > 0.01 * normal:
        return None, normal, last
    ratio = np.hypot(change[0], change[1]) / normal
    return Finding("tangential over normal impulse", ratio, mu, (KICKED if kicked else 0.03) * mu), normal, last


def cone(draw, mutant):
    """What skids off a floor all the time loses mu times the normal impulse, gravity or not, divided or not."""
    mu, speed, down = draw.between("mu", 0.1, 0.5), draw.between("speed", 15, 40), draw.between("down", 0.5, 3)
    shape = ROUND[draw.pick("round", list(ROUND))]
    draw.steps = math.ceil(5 + 0.06 / (down * draw.step)) + 6
    gravity = G if draw.rng.random() < 0.5 else 0.0
    mass = draw.between("mass", 0.2, 3)
    scene = world(draw, [0, 0, -gravity], mu * mutant.get("friction", 1))
    add_floor(scene)
    rotation = draw.rng.normal(size=4)
    start = 0.085 + 4.5 * draw.step * down
    add(scene, "body", shape, mass=mass, position=[0, 0, start], velocity=[speed, 0, -down], rotation=list(rotation / np.linalg.norm(rotation)))
    add_far_balls(scene, draw)
    more = restitution_of(draw)
    scene["contact"].update(more)
    finding, normal, last = impulses(draw.run(scene), draw.integrator, [speed, 0, -down], gravity, mu, more)
    return [finding] if finding and last <= 0.01 * normal else []


def land(draw, mutant):
    """A body that lands flat and skids: mu (v_n + g t) is what it has lost by then."""
    mu, speed, down = draw.between("mu", 0.1, 0.4), draw.between("speed", 6, 12), draw.between("down", 0.2, 1.5)
    draw.steps = math.ceil(0.25 / draw.step)
    tilted = lying(draw, 0, speed, mu, mutant)
    body = tilted["bodies"][1]
    body["position"][2] += 0.02
    body["velocity"][2] = -down
    more = restitution_of(draw)
    tilted["contact"].update(more)
    finding, normal, _ = impulses(draw.run(tilted), draw.integrator, [speed, 0, -down], G, mu, more)
    if finding:
        finding.tolerance += 1.1 * mu * G * draw.step / normal
    return [finding] if finding else []


def collide(draw, mutant):
    """Two free bodies: momentum is kept to rounding, angular momentum to 2 % (friction's planes are a gap away), energy does not grow."""
    draw.step = min(draw.step, 0.002)
    speed, offset = draw.between("speed", 0.5, 6), draw.between("offset", 0, 0.05)
    draw.steps = math.ceil(0.25 / speed / draw.step) + 10
    scene = world(draw, [0, 0, 0], draw.between("mu", 0, 0.6))
    masses = [draw.between(f"mass{k}", 0.2, 3) for k in range(2)]
    for k in range(2):
        sign = 1 - 2 * k
        rotation = draw.rng.normal(size=4)
        add(scene, f"b{k}", ROUND[draw.pick(f"round{k}", list(ROUND))], mass=masses[k] * (mutant.get("mass", 1) if k else 1), position=[sign * 0.11, sign * offset / 2, 0], velocity=[-sign * speed / 2, 0, 0],
            rotation=list(rotation / np.linalg.norm(rotation)))
    path = draw.run(scene)
    before = sum(m * np.array([-(1 - 2 * k) * speed / 2, 0, 0]) for k, m in enumerate(masses))
    after = sum(m * velocity(path, f"b{k}") for k, m in enumerate(masses))
    scale = sum(masses) * speed
    findings = [Finding("momentum", np.linalg.norm(after - before) / scale, 0, 1e-9)]
    energy = sum(0.5 * m * np.dot(velocity(path, f"b{k}"), velocity(path, f"b{k}")) for k, m in enumerate(masses)) / (0.125 * sum(masses) * speed**2)
    findings.append(Finding("energy of translation above the start", max(0, energy - 1), 0, 0.002))
    return findings


TURNED = 0.1  # speed of an edge over that of meeting, from which on boxes have gone another way at the fork


def rebound(draw, mutant):
    """What meets face to face parts with e times its speed, at any step, divided or not: a box and a half-space, or two boxes."""
    e, speed, two = draw.pick("e", [0.3, 0.5, 0.9, 1.0]), draw.between("speed", 1, 8), draw.pick("two", [False, True])
    gap = max(0.1, 2 * speed * draw.step)
    draw.steps = math.ceil(gap / (speed * draw.step)) + math.ceil(max(0.05, speed * draw.step) / (e * speed * draw.step)) + 3
    scene = world(draw, [0, 0, 0], draw.between("mu", 0, 0.5))
    scene["contact"]["restitution"] = e * mutant.get("restitution", 1)
    shape = SHAPES[draw.pick("shape", list(SHAPES))]
    top, masses = shape["size"][2] / 2, [draw.between("mass", 0.5, 3), draw.between("second mass", 0.5, 3)]
    if two:
        # Aligned boxes of triangles are at a fork (docs/limits.md); under ipc, where corners weigh most, half of them meet a wider one.
        wide = 1.3 if draw.model.startswith("ipc") and draw.number % 4 < 2 else 1
        other = {**shape, "size": [wide * shape["size"][0], wide * shape["size"][1], shape["size"][2]]}
        add(scene, "other", other, mass=masses[1], position=[0, 0, -top])
    else:
        add_floor(scene)
    add(scene, "body", shape, mass=masses[0], position=[0, 0, top + gap], velocity=[0, 0, -speed])
    add_far_balls(scene, draw)
    path = draw.run(scene)
    parting = velocity(path, "body")[2] - (velocity(path, "other")[2] if two else 0)
    finding = Finding("speed of parting over that of meeting", parting / speed, e, 0.05)
    turned = np.linalg.norm(turns(path, "body")[0][-1]) * max(shape["size"]) / speed
    if finding.kept or not two or "leaves" in draw.model or draw.model in ("sdrs", "manifold") or turned < TURNED:
        return [finding]
    draw.exempt = f"boxes that turn with {turned:.2g} of their speed of meeting, by energy and momentum; parting {finding.found:.3f}, right {e}"
    bodies = {name: (mass, box_moments(mass, size)) for name, mass, size in (("body", masses[0], shape["size"]), ("other", masses[1], other["size"]))}
    energy = energies(path, bodies, draw.integrator, 0)
    change = masses[0] * (velocity(path, "body") + np.array([0, 0, speed])) + masses[1] * velocity(path, "other")
    return [Finding("rise of energy of boxes that turn where they meet", max(0.0, energy.max() / energy[0] - 1), 0, 0.003), Finding("their momentum", np.linalg.norm(change) / (masses[0] * speed), 0, 1e-6)]


def flight(draw, mutant):
    """A free body falls: v t - g t^2/2, to g h t/2 under implicit Euler and to rounding in second order; it turns as it began about a principal axis."""
    draw.steps = math.ceil(0.3 / draw.step)
    scene = world(draw, [0, 0, -G * mutant.get("gravity", 1)], 0.3)
    up = draw.between("up", -2, 4)
    add(scene, "body", SHAPES[draw.pick("shape", list(SHAPES))], mass=draw.between("mass", 0.2, 3), position=[0, 0, 5], velocity=[1, 0, up])
    add_far_balls(scene, draw)
    path = draw.run(scene)
    t = path.time[-1]
    right = np.array([t, 0, 5 + up * t - G * t * t / 2])
    # The far balls pull by less than 1e-7 m.
    off = np.linalg.norm(path.position["body"][-1] - right)
    return [Finding("place after free flight", off, 0, 1e-6 + (0.51 * G * draw.step * t if draw.integrator == "euler" or draw.far else 0))]


def spin(draw, mutant):
    """Free of torques: about a principal axis implicit Euler turns by the recursion atan2(sin d, 2 - cos d), to rounding; in second order angular momentum is kept about any axis."""
    draw.steps, draw.far = math.ceil(0.3 / draw.step), 0.0
    rate, second = draw.between("rate", 2, 20), draw.integrator != "euler"
    axis = draw.rng.normal(size=3) if second else np.array([0.0, 0, 1])
    spun = rate * axis / np.linalg.norm(axis)
    shape = SHAPES[draw.pick("shape", list(SHAPES))]
    scene = world(draw, [0, 0, -G], 0.3)
    add(scene, "body", shape, mass=1, position=[0, 0, 5], angular_velocity=[float(x) * mutant.get("rate", 1) for x in spun])
    path = draw.run(scene)
    found, q = turns(path, "body")
    if not second:
        angle, step = 0.0, rate * draw.step
        for _ in range(draw.steps):
            step = math.atan2(math.sin(step), 2 - math.cos(step))
            angle += step
        return [Finding("angle about a principal axis", float(found[:, 2] @ path.length), angle, 1e-6 * angle)]
    squares = np.array(shape["size"])**2 / 12
    inertia = squares.sum() - squares

    def momentum(w, at):
        middle = at[0] + at[1] if at[0] @ at[1] > 0 else at[0] - at[1]
        middle = middle / np.linalg.norm(middle)
        turn = shapes.matrix(middle)
        return turn @ (inertia * (turn.T @ w))

    start, end = momentum(spun, q[[0, 0]]), momentum(found[-1], q[-2:])
    off = np.linalg.norm(end - start) / np.linalg.norm(start)
    return [Finding("angular momentum lost or turned", off, 0, 0.002 + 0.3 * (rate * draw.step)**2)]


def pendulum(draw, mutant):
    """A box on a hinge far above its centre swings: the angle of a physical pendulum, to the known order in h (two steps)."""
    amplitude, length = draw.between("amplitude", 0.1, 0.6), draw.between("length", 0.2, 0.6)
    size = SHAPES["brick"]["size"]
    draw.step = min(draw.step, 0.01)
    total, first, half = 0.5, draw.step, []
    for step in (first, first / 2):
        draw.step, draw.steps = step, round(total / first) * round(first / step)
        scene = world(draw, [0, 0, -G * mutant.get("gravity", 1)], 0)
        add(scene, "body", SHAPES["brick"], mass=1, position=[length * math.sin(amplitude), 0, -length * math.cos(amplitude)], rotation=[math.cos(amplitude / 2), 0, -math.sin(amplitude / 2), 0],
            joint={"type": "hinge", "axis": [0, 1, 0], "anchor": [0, 0, 0]})
        path = draw.run(scene)
        half.append(np.arctan2(path.position["body"][:, 0], -path.position["body"][:, 2])[::round(first / step)])
    inertia = length**2 + (size[0]**2 + size[2]**2) / 12
    angle, rate, fine, count = amplitude, 0.0, 100, len(half[0]) - 1
    dt, right = path.time[-1] / (fine * count), [amplitude]
    for _ in range(count):
        for _ in range(fine):  # leapfrog, exact to 1e-6
            rate -= 0.5 * dt * G * length / inertia * math.sin(angle)
            angle += dt * rate
            rate -= 0.5 * dt * G * length / inertia * math.sin(angle)
        right.append(angle)
    errors = [abs(a[-1] - angle) for a in half]
    omega = math.sqrt(G * length / inertia)
    euler = draw.integrator == "euler"
    bound = amplitude * omega * total * omega * first * (0.75 if euler else 0.75 * omega * first)
    # At some time gravity tells; at the end, or for steps alone, it may not.
    limit = half[1] + (half[1] - half[0]) / (1 if euler else 3)
    findings = [Finding("angle", half[0][-1], angle, bound + 1e-6),
                Finding("largest difference of the angle that two steps tell", np.abs(limit - right).max(), 0, amplitude * (omega * first)**2 * (omega * total if euler else 0.5) + 1e-5)]
    if errors[0] > 1e-5 * amplitude:
        order = math.log2(errors[0] / max(errors[1], 1e-12))
        findings.append(Finding("order in h", order, 1 if draw.integrator == "euler" else 2, 0.3))
    return findings


def oscillator(draw, mutant):
    """A body on a slide with an actuator, along which gravity begins to pull: the damped oscillator, to the first order in h (two steps): actuators are implicit in both integrators."""
    mass, kp, zeta = draw.between("mass", 0.2, 3), draw.between("kp", 20, 200), draw.between("zeta", 0.05, 0.6)
    omega = math.sqrt(kp / mass)
    kd, pull = 2 * zeta * mass * omega, draw.between("pull", 1, 10)
    first, total = min(draw.step, 0.05 / omega), 2 / omega
    ends = []
    for k in range(2):
        draw.step = first / 2**k
        draw.steps = round(total / first) * 2**k
        scene = world(draw, [pull, 0, 0], 0)
        add(scene, "body", SHAPES["cube"], mass=mass, joint={"type": "slide", "axis": [1, 0, 0]}, pd={"kp": kp * mutant.get("gain", 1), "kd": kd})
        path = draw.run(scene)
        ends.append(path.position["body"][-1, 0])
    t, damped = path.time[-1], omega * math.sqrt(1 - zeta * zeta)
    rest = mass * pull / kp
    right = rest * (1 - math.exp(-zeta * omega * t) * (math.cos(damped * t) + zeta * omega / damped * math.sin(damped * t)))
    return [Finding("place", ends[0], right, rest * 1.5 * omega * first + 1e-9),
            Finding("error of half the step over that of the step", abs(ends[1] - right) / max(abs(ends[0] - right), 1e-9), 0.3, 0.35)]


def derivative(draw, mutant):
    """The stopping distance by the coefficient: -v^2/(2 mu^2 g)."""
    mu, speed = draw.between("mu", 0.15, 0.5), draw.between("speed", 1, 2)
    draw.step, draw.integrator = min(draw.step, 0.005), "euler"
    draw.far = 0
    draw.steps = math.ceil(1.4 * speed / (mu * G) / draw.step) + 3
    d, ends = 0.02, []
    for sign in (-1, 1):
        path = draw.run(lying(draw, 0, speed, mu * (1 + sign * d * mutant.get("friction", 1)), {}))
        ends.append(path.position["body"][-1, 0])
    right = -speed**2 / (2 * mu * mu * G)
    return [Finding("stopping distance by the coefficient", (ends[1] - ends[0]) / (2 * d * mu), right, 0.05 * abs(right))]


KINDS = {"slide": slide, "slope slip": slope_slip, "slope stick": slope_stick, "cone": cone, "land": land, "collide": collide, "rebound": rebound, "flight": flight, "spin": spin, "pendulum": pendulum, "oscillator": oscillator, "derivative": derivative}
MUTANTS = {"slide": {"friction": 1.35}, "slope slip": {"friction": 1.2}, "slope stick": {"friction": 0.6}, "cone": {"friction": 0.93}, "land": {"friction": 1.2}, "collide": {"mass": 1.1}, "rebound": {"restitution": 0.8}, "flight": {"gravity": 1.1}, "spin": {"rate": 1.1},
           "pendulum": {"gravity": 1.1}, "oscillator": {"gain": 1.2}, "derivative": {"friction": 1.1}}
