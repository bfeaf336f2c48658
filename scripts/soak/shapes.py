# SPDX-License-Identifier: Apache-2.0
"""Closed triangle surfaces as (vertices [V, 3], triangles [T, 3]) in m, their mass, and rotations as quaternions (w, x, y, z)."""
import itertools
import math

import numpy as np


def sphere(radius, level):
    """The icosahedron of the shape "sphere", each triangle cut into four, level times; all vertices on the sphere."""
    corners = []
    for axis, signs in itertools.product(range(3), range(4)):
        corner = np.zeros(3)
        corner[axis] = -1 if signs & 1 else 1
        corner[(axis + 1) % 3] = (-1 if signs & 2 else 1) * 2 / (1 + math.sqrt(5))
        corners.append(corner / np.linalg.norm(corner))
    triples = [triple for triple in itertools.combinations(range(12), 3)
               if all(corners[i] @ corners[j] > 0.25 for i, j in itertools.combinations(triple, 2))]
    surface = outward(np.array(corners), triples)
    for _ in range(level):
        surface = refined(*surface)
    return radius * surface[0], surface[1]


def refined(vertices, triangles):
    """Every triangle cut into four, new vertices on the unit sphere."""
    points, middles, finer = list(vertices), {}, []

    def middle(i, j):
        key = min(i, j), max(i, j)
        if key not in middles:
            middles[key] = len(points)
            point = points[i] + points[j]
            points.append(point / np.linalg.norm(point))
        return middles[key]

    for i, j, k in triangles:
        ij, jk, ki = middle(i, j), middle(j, k), middle(k, i)
        finer += [(i, ij, ki), (ij, j, jk), (jk, k, ki), (ij, jk, ki)]
    return np.array(points), np.array(finer)


def outward(vertices, triangles):
    """Triangles of a convex surface about the origin, turned to face outwards."""
    turned = [(i, j, k) if np.linalg.det(vertices[[i, j, k]]) > 0 else (i, k, j) for i, j, k in triangles]
    return vertices, np.array(turned)


def box(size):
    vertices = np.array([[(1 if corner >> k & 1 else -1) * size[k] / 2 for k in range(3)] for corner in range(8)])
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return outward(vertices, [half for a, b, c, d in quads for half in ((a, b, c), (a, c, d))])


def tetrahedron(radius, rng):
    """Four random vertices on a sphere, none of the heights too small; its frame is not at its centre of mass."""
    while True:
        vertices = np.array([radius * unit(rng) for _ in range(4)])
        if abs(np.linalg.det(vertices[1:] - vertices[0])) > radius**3:
            break
    faces = [(0, 1, 2), (0, 3, 1), (1, 3, 2), (0, 2, 3)]
    if np.linalg.det(vertices[1:] - vertices[0]) > 0:
        faces = [(i, k, j) for i, j, k in faces]
    return vertices, np.array(faces)


def tube(inner, outer, length, sides):
    """A pipe along x; the flat sides of its hole are at least the inner radius away from its axis."""
    angles = 2 * math.pi * (np.arange(sides) + 0.5) / sides
    circle = np.stack([np.zeros(sides), np.cos(angles), np.sin(angles)], axis=1)
    rings = [(inner / math.cos(math.pi / sides), -length / 2), (outer, -length / 2), (outer, length / 2),
             (inner / math.cos(math.pi / sides), length / 2)]
    vertices = np.concatenate([radius * circle + [x, 0, 0] for radius, x in rings])
    triangles = []
    for ring, k in itertools.product(range(4), range(sides)):
        a, b = ring * sides + k, ring * sides + (k + 1) % sides
        c, d = (a + sides) % (4 * sides), (b + sides) % (4 * sides)
        triangles += [(a, c, b), (b, c, d)]
    triangles = np.array(triangles)
    if mass_of(vertices, triangles)[0] < 0:
        triangles = triangles[:, [0, 2, 1]]
    return vertices, triangles


def mass_of(vertices, triangles, density=1000):
    """Mass, centre of mass and inertia tensor about it, of a solid of one density (kg/m^3)."""
    corners = vertices[triangles]
    volumes = np.linalg.det(corners) / 6
    mass = density * volumes.sum()
    centre = (volumes[:, None] * corners.sum(axis=1)).sum(axis=0) / 4 / volumes.sum()
    arms = corners - centre
    parts = np.linalg.det(arms) / 120
    total = arms.sum(axis=1)
    second = density * (np.einsum("t,tci,tcj->ij", parts, arms, arms) + np.einsum("t,ti,tj->ij", parts, total, total))
    return mass, centre, np.trace(second) * np.eye(3) - second


def obj(vertices, triangles):
    """The text of an OBJ file; numbers read back bit for bit."""
    lines = ["v " + " ".join(repr(float(x)) for x in vertex) for vertex in vertices]
    return "\n".join(lines + ["f " + " ".join(str(i + 1) for i in triangle) for triangle in triangles]) + "\n"


def unit(rng):
    vector = rng.normal(size=3)
    return vector / np.linalg.norm(vector)


def random_rotation(rng):
    quaternion = rng.normal(size=4)
    return quaternion / np.linalg.norm(quaternion)


def matrix(quaternion):
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def quaternion_of(axis, angle):
    return np.array([math.cos(angle / 2), *(math.sin(angle / 2) * np.asarray(axis, dtype=float))])


def turn_between(a, b):
    """Rotation vector of b a^-1, at most pi long."""
    w = a @ b
    vector = a[0] * b[1:] - b[0] * a[1:] - np.cross(b[1:], a[1:])
    sine = np.linalg.norm(vector)
    if sine == 0:
        return vector
    return vector * math.copysign(2 * math.atan2(sine, abs(w)) / sine, w)
