#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rows of Table 1 of paper 000 that dcsim has no model for: penalties, leaky penalties and complementarity, as small baselines.

    scripts/paper/table-01 [--publish]

Bodies are two cubes of 0.4 m; points are their corners, distances those of the other cube's exact signed distance field phi, both ways (Guendelman et al. 2003).
  penalty           U = k/2 sum min(phi, 0)^2 (Fisher & Lin 2001)
  leaky penalty     the same force; its derivative by phi is -k inside and -0.1 k outside instead of 0, as gradients see it (Turpin et al. 2022, Schwarke et al. 2025)
  complementarity   the velocity v+ nearest v, in the metric of the mass, with phi + h n . J v+ >= 0 at all points (Werling et al. 2021), by projected Gauss-Seidel

The four properties are those of `dcsim bench properties`, as far as each formulation has them: a barrier (does the energy grow without bound before bodies meet, and are
there poses, or ends of steps, in which they intersect?), twice differentiable (how much does a second derivative, for complementarity the first of v+, jump between
neighbours 1e-4 and 1e-5 m apart?), non-prehensile (by which angle does the force leave the cone of directions between the bodies?), non-vanishing (at which gap is the
force, or the derivative that gradients see, exactly 0?).
"""
import numpy as np

from measuring import options, parse, show

HALF, STIFFNESS, LEAK, STEP, MASS = 0.2, 1e3, 0.1, 0.01, 1.0  # m, N/m, -, s, kg
POSES, SEED = 200, 1
PERSISTENT, MOST_ANGLE = 0.3, 1e-6  # as in bench/properties.c
CORNERS = HALF * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
INERTIA = MASS * (2 * HALF) ** 2 / 6


def turned(vector):
    """The rotation by a vector of angle (Rodrigues)."""
    angle = np.linalg.norm(vector)
    if angle == 0:
        return np.eye(3)
    x, y, z = vector / angle
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def distance(point):
    """Signed distance of a point to the cube about the origin, and its gradient."""
    q = np.abs(point) - HALF
    if np.all(q < 0):
        k = int(np.argmax(q))
        return q[k], np.sign(point[k]) * np.eye(3)[k]
    out = np.maximum(q, 0)
    length = np.linalg.norm(out)
    return length, np.sign(point) * out / length if length > 0 else np.sign(point) * (q == 0) / np.sqrt((q == 0).sum())


def contacts(position, rotation):
    """Of all corners: phi, direction of the force on the moving cube, arm about its centre."""
    found = []
    for corner in CORNERS:
        arm = rotation @ corner
        phi, normal = distance(position + arm)
        found.append((phi, normal, arm))
        phi, normal = distance(rotation.T @ (corner - position))
        found.append((phi, -rotation @ normal, corner - position))
    return found


def intersect(position, rotation):
    """Whether the cubes overlap: no axis separates them (15 axes)."""
    axes = [*np.eye(3), *rotation.T, *(np.cross(a, b) for a in np.eye(3) for b in rotation.T)]
    for axis in axes:
        length = np.linalg.norm(axis)
        if length > 1e-9 and abs(axis @ position) > HALF * (np.abs(axis).sum() + np.abs(rotation.T @ axis).sum()):
            return False
    return True


def energy(position, rotation):
    return STIFFNESS / 2 * sum(min(phi, 0) ** 2 for phi, _, _ in contacts(position, rotation))


def force(position, rotation):
    return sum((-STIFFNESS * min(phi, 0) * normal for phi, normal, _ in contacts(position, rotation)), np.zeros(3))


def stepped(position, rotation, velocity):
    """The velocity (linear, angular) of the moving cube after one step with the constraints of complementarity; whether any acted."""
    inverse = np.array([1 / MASS] * 3 + [1 / INERTIA] * 3)
    rows = [(phi, np.concatenate([normal, np.cross(arm, normal)])) for phi, normal, arm in contacts(position, rotation)]
    impulses, v = np.zeros(len(rows)), velocity.copy()
    for _ in range(400):
        for i, (phi, row) in enumerate(rows):
            before = impulses[i]
            impulses[i] = max(0, before - (row @ v + phi / STEP) / (row * inverse @ row))
            v = v + inverse * row * (impulses[i] - before)
    return v, impulses.sum() > 0


def outside_cone(direction, position, rotation):
    """Angle by which a direction leaves the cone of directions from points of the fixed cube to points of the moving one."""
    rays = np.array([position + rotation @ a - b for a in CORNERS for b in CORNERS])
    rays /= np.linalg.norm(rays, axis=1)[:, None]
    direction = direction / np.linalg.norm(direction)
    weights, rest = np.zeros(len(rays)), direction.copy()
    for _ in range(2000):
        for i, ray in enumerate(rays):
            change = max(-weights[i], rest @ ray)
            weights[i] += change
            rest = rest - change * ray
        if np.linalg.norm(rest) < 1e-15:
            break
    return np.arcsin(min(1, np.linalg.norm(rest)))


def drawn(random, gap):
    """A pose of the moving cube above the fixed one, turned at random, its lowest corner at the gap over the face."""
    rotation = turned(random.uniform(-1, 1, 3))
    lowest = min((rotation @ corner)[2] for corner in CORNERS)
    place = random.uniform(-HALF / 2, HALF / 2, 2)
    corner = min((rotation @ c for c in CORNERS), key=lambda c: c[2])
    return np.array([place[0] - corner[0], place[1] - corner[1], HALF + gap - lowest]), rotation


def jump(value, spacing):
    """Largest relative jump between neighbours of a sequence of scalars, over positions around touching."""
    values = np.array([value(gap) for gap in spacing * np.arange(-20, 21)])
    return np.abs(np.diff(values)).max() / max(np.abs(values).max(), 1e-300)


def second_derivative(gap):
    pose, rotation = drawn(np.random.default_rng(SEED), 0)
    up, tiny = np.array([0, 0, 1.0]), 1e-7
    at = pose + (gap + 0.5e-6) * up
    return (force(at + tiny * up, rotation)[2] - force(at - tiny * up, rotation)[2]) / (2 * tiny)


def step_derivative(gap):
    pose, rotation = drawn(np.random.default_rng(SEED), 0.01)
    up, tiny, fall = np.array([0, 0, 1.0]), 1e-7, np.array([0, 0, -1.0, 0, 0, 0])
    at = pose + (gap + 0.5e-6) * up
    return (stepped(at + tiny * up, rotation, fall)[0][2] - stepped(at - tiny * up, rotation, fall)[0][2]) / (2 * tiny)


def intersections():
    """How many of the drawn poses intersect although their energy is 0, and of steps how many end in one."""
    random, free, ended, poses = np.random.default_rng(SEED), 0, 0, 0
    while poses < POSES:
        rotation, position = turned(random.uniform(-2, 2, 3)), random.uniform(-2.4 * HALF, 2.4 * HALF, 3)
        if not intersect(position, rotation):
            continue
        poses += 1
        free += energy(position, rotation) == 0
    for _ in range(POSES):
        position, rotation = drawn(random, 1e-3)
        velocity = np.concatenate([random.uniform(-1, 1, 2), [-3], random.uniform(-15, 15, 3)])
        after, _ = stepped(position, rotation, velocity)
        ended += intersect(position + STEP * after[:3], turned(STEP * after[3:]) @ rotation)
    return free, ended


def cones():
    """Largest angle outside of the cone: of the penalty's force at overlaps of 1 mm, of complementarity's impulse."""
    random, worst = np.random.default_rng(SEED), [0.0, 0.0]
    for _ in range(24):
        position, rotation = drawn(random, -1e-3)
        worst[0] = max(worst[0], outside_cone(force(position, rotation), position, rotation))
        position, rotation = drawn(random, 1e-3)
        start = np.array([0, 0, -1.0, 0, 0, 0])
        change = stepped(position, rotation, start)[0][:3] - start[:3]
        worst[1] = max(worst[1], outside_cone(change, position, rotation))
    return worst


def entry(has, words):
    return ("yes: " if has else "**no**: ") + words


def smooth(jumps):
    """A jump that keeps PERSISTENT of itself when the spacing shrinks to a tenth is one."""
    return entry(jumps[1] < PERSISTENT * jumps[0], "jump %.2g at step 1e-4, %.2g at a tenth" % tuple(jumps))


def main():
    arguments = parse(options(__doc__, quick=False))
    free, ended = intersections()
    push, kick = cones()
    energies = [energy(*drawn(np.random.default_rng(SEED), gap)) for gap in (1e-2, 1e-8)]
    barrier = entry(free == 0 and energies[1] > 2 * energies[0],
                    "energy %g and %g at gaps of 1e-2 and 1e-8; %d of %d intersecting poses have none" % (*energies, free, POSES))
    jumps = [jump(value, spacing) for value in (second_derivative, step_derivative) for spacing in (1e-4, 1e-5)]
    fall = np.array([0, 0, -1.0, 0, 0, 0])
    reach = max(gap for gap in np.arange(1, 400) * 1e-3 if stepped(*drawn(np.random.default_rng(SEED), gap), fall)[1])
    felt = max((gap for gap in np.arange(1, 400) * 1e-3 if force(*drawn(np.random.default_rng(SEED), gap)).any()), default=0)
    cone = "%.1g rad outside of the cone"
    rows = [("penalty", barrier, smooth(jumps[:2]), entry(push < MOST_ANGLE, cone % push), entry(felt >= 0.399, "exactly 0 above a gap of %g m" % felt)),
            ("leaky penalty", barrier, smooth(jumps[:2]), entry(push < MOST_ANGLE, cone % push),
             entry(True, "by definition, the derivative that gradients see is %g of the one inside at any gap" % LEAK)),
            ("complementarity", entry(ended == 0, "%d of %d steps of turning cubes end in an intersection" % (ended, POSES)), smooth(jumps[2:]),
             entry(kick < MOST_ANGLE, cone % kick), entry(reach >= 0.399, "exactly 0 above a gap of %.3f m, at 1 m/s and steps of %g s" % (reach, STEP)))]
    lines = ["## Penalties and complementarity (paper 000, Table 1), as small baselines", "",
             "By `scripts/paper/table-01`: two cubes, corners against signed distances; its head says how each formulation is built and what is measured.", "",
             "| formulation | barrier form | twice differentiable | non-prehensile | non-vanishing |", "|---" * 5 + "|"]
    show(arguments, "table_01", lines + ["| " + " | ".join(row) + " |" for row in rows])


if __name__ == "__main__":
    main()
