# SPDX-License-Identifier: Apache-2.0
"""Kinds of impacts with closed forms: balls and blocks that are hit obliquely, with spin, and rows of unequal bodies.

Two rigid bodies that touch at a point part with e times the speed at which they met along the normal; across it friction takes the slip away, or mu times the normal
impulse of it where that is less (Routh 1860; for balls both cases are closed forms, as their inertia does not turn an impulse aside)."""
import math

import numpy as np

from motions import MODELS, SHAPES, SMOOTHING, Finding, add, add_far_balls, add_floor, harden, turns, velocity, world

SLOW = 0.06  # m/s
TURN = 0.03  # way of a step over the radius: normals turn, and implicit Euler takes spin, by about so much


def told(mutant, usual, telling):
    """Bounds of what is drawn: in another world those between which the law tells it, as what sticks, hardly slips or hardly meets does not tell the coefficient."""
    return telling if mutant else usual


def ball(draw, name, mutant):
    """A ball that is round, with any inertia: shape, mass, moment and the entries of its body."""
    radius, mass, factor = draw.between(f"{name} radius", 0.05, 0.15), draw.between(f"{name} mass", 0.2, 3), draw.between(f"{name} inertia factor", told(mutant, 0.15, 0.4), 0.66)
    moment = factor * mass * radius**2
    return {"type": "sphere", "radius": radius, "level": 1}, mass, moment, {"mass": mass, "center_of_mass": [0, 0, 0], "inertia": [moment] * 3 + [0, 0, 0]}


def speed_of(draw, mutant):
    return math.exp(draw.between("log of the speed", math.log(told(mutant, 0.3, 1)), math.log(5)))


def paced(draw, radius, mutant):
    """A speed, and a step in which a body goes a small part of the radius with it."""
    speed = speed_of(draw, mutant)
    draw.step = min(draw.step, TURN * radius / speed)
    return speed


def friction_impulse(mu, normal, slip, mobility):
    """The impulse across the normal on the first body."""
    sticks, size = -np.array(slip) / mobility, np.linalg.norm(slip)
    return sticks * min(1.0, mu * normal * mobility / max(size, 1e-12))


def contact_of(draw, scene, mutant):
    mu, e = draw.between("mu", told(mutant, 0.05, 0.35), 0.7), draw.pick("e", [None, 0.0, 0.3, 0.5, 0.9])
    # Where it sticks the coefficient does not tell: other worlds slip.
    mu *= told(mutant, 1, 0.1 if "leaves" in draw.model else 0.2)
    scene["contact"]["friction"] = mu * mutant.get("friction", 1)
    if e is not None:
        scene["contact"]["restitution"] = e
    return mu, e


def last(draw, scene, speed, e, distance):
    """Lets the scene last until the two have met and are apart by as much as before, or at rest."""
    draw.steps = math.ceil(distance / (speed * draw.step)) + math.ceil(min(3.0, 1.5 / max(e or 0.0, 0.2)) * distance / (speed * draw.step)) + 6
    scene["time"].update(step=draw.step, steps=draw.steps)


def oblique_ball(draw, mutant):
    """A ball with any spin meets a half-space at any angle."""
    scene = world(draw, [0, 0, 0], 0)
    mu, e = contact_of(draw, scene, mutant)
    shape, mass, moment, entries = ball(draw, "ball", mutant)
    radius = shape["radius"]
    speed = paced(draw, radius, mutant)
    down = speed * draw.between("down", 0.3, 1)
    start = np.array([speed * draw.between("along", *told(mutant, (-1, 1), (0.7, 1))), speed * draw.between("across", -1, 1), -down])
    spin = speed / radius * np.array([draw.between(f"spin{k}", *told(mutant, (-0.7, 0.7), (-0.2, 0.2))) for k in range(3)])
    gap = max(0.03, 4 * down * draw.step)
    last(draw, scene, down, e, gap)
    add_floor(scene)
    add(scene, "body", shape, position=[0, 0, radius + gap], velocity=list(start), angular_velocity=list(spin), **entries)
    add_far_balls(scene, draw)
    path = draw.run(scene)
    end, arm = velocity(path, "body"), np.array([0, 0, -radius])
    normal = mass * (end[2] - start[2])
    slip = (start + np.cross(spin, arm))[:2]
    across = friction_impulse(mu, normal, slip, 1 / mass + radius**2 / moment)
    right, turned = start[:2] + across / mass, spin + np.cross(arm, [*across, 0]) / moment
    near = 0.03 * np.linalg.norm(across) / mass + 2 * SMOOTHING
    # Euler's steps take a part (w h)^2 of the spin each, and turn it.
    taken = draw.steps * (max(np.linalg.norm(turned), np.linalg.norm(spin)) * draw.step)**2 * np.linalg.norm(spin + turned) * radius
    findings = [Finding("velocity along the floor", np.linalg.norm(end[:2] - right), 0, near), Finding("spin times the radius", radius * np.linalg.norm(turns(path, "body")[0][-1] - turned), 0, near * mass * radius**2 / moment + taken)]
    if e is not None:
        findings.append(Finding("speed of parting over that of meeting", end[2] / down, e, 0.05))
    return findings


def oblique_block(draw, mutant):
    """A block on slides meets a half-space, or a plate on a slide, at any angle."""
    scene = world(draw, [0, 0, 0], 0)
    mu, e = contact_of(draw, scene, mutant)
    shape, mass, plate = SHAPES[draw.pick("shape", list(SHAPES))], draw.between("mass", 0.2, 3), draw.pick("plate", [False, True])
    speed = speed_of(draw, mutant)
    down, along = speed * draw.between("down", 0.3, 1), speed * draw.between("along", *told(mutant, (-1.5, 1.5), (0.5, 1.5)))
    gap = max(0.03, 4 * down * draw.step)
    last(draw, scene, down, e, gap)
    other = draw.between("mass of the plate", 0.3, 3)
    if plate and draw.model.startswith("ipc"):
        # On cells its soft barriers lean, and friction has the sizes of all their forces (docs/limits.md).
        harden(scene)
    if plate:
        add(scene, "plate", {"type": "box", "size": [4, 0.6, 0.1], "divisions": [draw.pick("cells", [1, 5]), 1, 1]}, mass=other, position=[0.013, 0.007, -0.05], joint={"type": "slide", "axis": [0, 0, 1]})
    else:
        add_floor(scene)
    joint = [{"type": "slide", "axis": [1, 0, 0]}, {"type": "slide", "axis": [0, 0, 1]}]
    add(scene, "body", shape, mass=mass, position=[0, 0, shape["size"][2] / 2 + gap], joint=joint, joint_velocity=[along, -down])
    add_far_balls(scene, draw)
    path = draw.run(scene)
    end = velocity(path, "body")
    normal = mass * (end[2] + down)
    across = friction_impulse(mu, normal, [along], 1 / mass)[0]
    # What friction still has to have of the last interval.
    late = mass * abs(end[2] - velocity(path, "body", len(path.time) - 2)[2])
    findings = [Finding("velocity along the plate", end[0], along + across / mass, 0.03 * abs(across) / mass + mu * late / mass + 2 * SMOOTHING)]
    if e is not None:
        parting = end[2] - (velocity(path, "plate")[2] if plate else 0)
        findings.append(Finding("speed of parting over that of meeting", parting / down, e, 0.05))
    if plate:
        findings.append(Finding("momentum across the plate", (mass * (end[2] + down) + other * velocity(path, "plate")[2]) / (mass * down), 0, 1e-6))
    return findings


def oblique(draw, mutant):
    """What meets a surface obliquely slips by mu times the normal impulse or sticks, and parts with e times its speed."""
    return (oblique_ball if "leaves" in draw.model else oblique_block)(draw, mutant)


def glance(draw, mutant):
    """Two round balls with spin meet off their line of centres: impulse and spins are those of two rigid balls."""
    scene = world(draw, [0, 0, 0], 0)
    mu, e = contact_of(draw, scene, mutant)
    e = e if e is not None else draw.pick("some e", [0.0, 0.5, 0.9])
    scene["contact"]["restitution"] = e
    balls = [ball(draw, name, mutant) for name in ("first", "second")]
    radii, masses, moments = zip(*((shape["radius"], mass, moment) for shape, mass, moment, _ in balls))
    speed = paced(draw, min(radii), mutant)
    aside = draw.between("aside", told(mutant, 0, 0.5), 0.7) * sum(radii)
    before = max(0.05, 4 * speed * draw.step)
    spins = [speed / radii[k] * np.array([draw.between(f"spin{k}{i}", *told(mutant, (-0.4, 0.4), (-0.1, 0.1))) for i in range(3)]) for k in range(2)]
    starts = [np.array([speed, 0, 0]), np.zeros(3)]
    towards = np.array([math.sqrt(sum(radii)**2 - aside**2), -aside, 0]) / sum(radii)
    for k in range(2):
        place = [-sum(radii) * towards[0] - before, aside, 0] if k == 0 else [0, 0, 0]
        add(scene, f"b{k}", balls[k][0], position=place, velocity=list(starts[k]), angular_velocity=list(spins[k]), **balls[k][3])
    last(draw, scene, speed, e, before)
    add_far_balls(scene, draw)
    path = draw.run(scene)
    met = speed * towards[0]
    normal = (1 + e) * met / sum(1 / m for m in masses)
    slip = starts[0] - starts[1] + np.cross(spins[0], radii[0] * towards) + np.cross(spins[1], radii[1] * towards)
    slip -= slip @ towards * towards
    across = friction_impulse(mu, normal, slip, sum(1 / m + r * r / i for m, r, i in zip(masses, radii, moments)))
    right = across - normal * towards
    found = masses[0] * (velocity(path, "b0") - starts[0])
    # The normal is that of the end of a step, and e is kept to 0.05.
    near = (0.05 + 0.5 * TURN) * normal + 0.03 * np.linalg.norm(across)
    findings = [Finding("impulse over the momentum", np.linalg.norm(found - right) / (masses[0] * speed), 0, near / (masses[0] * speed))]
    for k in range(2):
        turned = spins[k] + radii[k] * np.cross(towards, across) / moments[k]
        taken = draw.steps * (max(np.linalg.norm(turned), np.linalg.norm(spins[k])) * draw.step)**2 * np.linalg.norm(spins[k] + turned)
        off = np.linalg.norm(turns(path, f"b{k}")[0][-1] - turned) * radii[k] / speed
        findings.append(Finding(f"spin of ball {k + 1} times radius over speed", off, 0, (0.05 + TURN) * np.linalg.norm(across) * radii[k]**2 / moments[k] / speed + taken * radii[k] / speed + 0.002 + mu * 0.05 * normal * radii[k]**2 / moments[k] / speed))
    return findings


def meetings(places, speeds, masses, e, end, width):
    """Speeds of bodies on a line at a time, the shortest time between two meetings of which a body is part, when the last was, and the slowest of them."""
    x, v, time, last, shortest, slowest = list(places), list(speeds), 0.0, [-math.inf] * len(places), math.inf, math.inf
    while True:
        times = [((x[k + 1] - x[k] - width) / (v[k] - v[k + 1]), k) for k in range(len(x) - 1) if v[k] - v[k + 1] > 1e-9]
        if not times or time + min(times)[0] > end:
            return v, shortest, time, slowest
        wait, k = min(times)
        time += wait
        slowest = min(slowest, v[k] - v[k + 1])
        x = [place + speed * wait for place, speed in zip(x, v)]
        shortest = min(shortest, time - last[k], time - last[k + 1])
        last[k] = last[k + 1] = time
        common, apart = (masses[k] * v[k] + masses[k + 1] * v[k + 1]) / (masses[k] + masses[k + 1]), v[k] - v[k + 1]
        share = e * apart / (masses[k] + masses[k + 1])
        v[k], v[k + 1] = common - masses[k + 1] * share, common + masses[k] * share


def row(draw, mutant):
    """Up to six cubes of unequal masses on a rail, the first of which is thrown, meet one after the other, some of them twice: speeds by the laws of impact."""
    n, e, speed = draw.pick("n", [3, 4, 5, 6]), draw.between("e", 0.4, 1), draw.between("speed", 0.5, 5)
    draw.step = min(draw.step, 0.01)
    gap, speeds = max(0.02, 15 * speed * draw.step), [speed] + [0.0] * (n - 1)
    # Bodies leave up to two steps late: where meetings follow sooner, or the run ends, their order is not that of the law.  Approaches below 10 to 30 mm/s have no restitution.
    for attempt in range(30):
        masses = [math.exp(draw.between(f"log of mass{k} {attempt}", math.log(0.2), math.log(5))) for k in range(n)]
        places = np.cumsum([0.0] + [0.1 + gap * draw.between(f"gap{k} {attempt}", 1, 2) for k in range(1, n)])
        end = min(1.3 * (places[-1] - 0.1 * (n - 1)) / (speed * (0.5 * (1 + e)) ** (n - 1)), 1500 * draw.step)
        right, shortest, final, slowest = meetings(places, speeds, masses, e, end, 0.1)
        # The next meeting must be far behind the end, too.
        calm = meetings(places, speeds, masses, e, 1.1 * end + 5 * draw.step, 0.1)[2] == final
        if shortest > 5 * draw.step and end - final > 5 * draw.step and slowest > SLOW and calm:
            break
    else:
        return []
    draw.steps = math.ceil(end / draw.step)
    scene = world(draw, [0, 0, 0], 0)
    scene["contact"]["restitution"] = e * mutant.get("restitution", 1)
    # The way from cube to cube is short beside none but thin barriers.
    harden(scene)
    for k in range(n):
        add(scene, f"b{k}", SHAPES["cube"], mass=masses[k], position=[float(places[k]), 0, 0], joint={"type": "slide", "axis": [1, 0, 0]}, joint_velocity=[speeds[k]])
    path = draw.run(scene)
    found = [velocity(path, f"b{k}")[0] for k in range(n)]
    findings = [Finding("momentum", sum(m * v for m, v in zip(masses, found)) / (masses[0] * speed), 1, 1e-6)]
    energy = sum(m * v * v for m, v in zip(masses, found)) / (masses[0] * speed**2)
    findings.append(Finding("energy over that of the start", max(0.0, energy - 1), 0, 0.01))
    worst = max(range(n), key=lambda k: abs(found[k] - right[k]))
    return findings + [Finding(f"speed of body {worst + 1} over the first one's", found[worst] / speed, right[worst] / speed, 0.03 * max(1.0, abs(right[worst] / speed)))]


KINDS = {"oblique": oblique, "glance": glance, "row": row}
MUTANTS = {"oblique": {"friction": 0.7}, "glance": {"friction": 0.7}, "row": {"restitution": 0.6}}
glance.models = [model for model in MODELS if "leaves" in model]
oblique.models = row.models = [model for model in MODELS if model != "ipc-global"]
