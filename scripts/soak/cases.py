# SPDX-License-Identifier: Apache-2.0
"""Random scenes: collisions of two bodies, several bodies thrown at each other, and passages with little clearance.

Everything follows from the kind, the model, the shape and a seed.  Lengths in m, masses by density 1000 kg/m^3.
"""
import dataclasses
import itertools
import math

import numpy as np

import shapes

# The settings with which scenes/billiards.json and the others rest alike; what is not said is the model's default.
CONTACT = {
    "bsh": {"stiffness": 1e-6},
    "exact": {"stiffness": 1e-6},
    "ipc-global": {"stiffness": 1e-6},
    "ipc": {"dhat": 0.0044, "stiffness": 0.00059},
    "sdrs": {"length": 1, "support": 0.0044, "stiffness": 8.3e-8},
    "manifold": {"stiffness": 1e-6},
}
# A barrier that reaches across a clearance of 0.1 mm many times over holds megajoules there, and shoots out what begins inside: sdrs has a
# reach of a fifth of the clearance in passages, and so has the wall of manifold.
PASSAGE = {"sdrs": {"support": 2e-5}, "manifold": {"wall": 4e-5, "smoothing": 4e-5}}
MODELS = list(CONTACT)
BY_NAME = ["manifold"]  # only where asked for: it refuses tubes, which have no signed distance
# Most refinements of spheres: 320 triangles each; 80 where all pairs of triangles cost, or collision detection has no planes to start from.
FINEST = {model: 1 if model in ("exact", "ipc", "ipc-global") else 2 for model in MODELS}
COLLISIONS = ["sphere", "tetrahedron", "plate", "rod", "link", "fixed"]
PASSAGES = ["slot", "tube"]
RADIUS = 0.1
GROUND = "half_space"


@dataclasses.dataclass
class Body:
    """A body of a scene.  surface: (vertices, triangles) or GROUND; entry: what the scene says of its shape.

    velocity, spin: of free bodies, m/s and rad/s; parent: index of the body that its hinge, (axis, anchor) in the world, hangs on.
    """

    name: str
    surface: object
    position: np.ndarray
    rotation: np.ndarray
    velocity: np.ndarray = None
    spin: np.ndarray = None
    parent: int = None
    hinge: tuple = None
    builtin: dict = None

    @property
    def joint(self):
        return "hinge" if self.hinge else "fixed" if self.velocity is None else "free"


@dataclasses.dataclass
class Case:
    """A scene to run, and what shall be true of it beyond what is asked of every scene.

    order: (a, b, axis), body b stays in front of a along the axis.  passage: (body, axis, coordinate) that its centre must get beyond.
    """

    name: str
    model: str
    shape: str
    step: float
    steps: int
    bodies: list
    order: tuple = None
    passage: tuple = None

    def pairs(self):
        """Indices of the pairs of bodies that may not meet: all but those joined and those that never move."""
        return [(i, j) for i, j in itertools.combinations(range(len(self.bodies)), 2)
                if self.bodies[i].parent != j and self.bodies[j].parent != i
                and not self.bodies[i].joint == self.bodies[j].joint == "fixed"]

    def isolated(self):
        return all(body.joint == "free" for body in self.bodies)

    def scene(self):
        """The scene, and the mesh files that it names with their texts."""
        files, named, bodies = {}, {}, []
        for body in self.bodies:
            if body.surface is GROUND:
                named[body.name] = {"type": "plane"}
            elif body.builtin:
                named[body.name] = body.builtin
            else:
                files[body.name + ".obj"] = shapes.obj(*body.surface)
                named[body.name] = {"type": "mesh", "file": body.name + ".obj"}
            bodies.append(self.entry(body))
        contact = {"model": self.model, **CONTACT[self.model], **(PASSAGE.get(self.model, {}) if self.passage else {})}
        return {"name": self.name, "time": {"step": self.step, "steps": self.steps}, "gravity": [0, 0, 0], "contact": contact,
                "shapes": named, "bodies": bodies}, files

    def entry(self, body):
        entry = {"name": body.name, "shape": body.name, "position": list(map(float, body.position)),
                 "rotation": list(map(float, body.rotation)), "joint": body.joint}
        if body.joint == "free":
            entry.update(velocity=list(map(float, body.velocity)), angular_velocity=list(map(float, body.spin)))
        if body.hinge:
            axis, anchor = body.hinge
            entry["joint"] = {"type": "hinge", "axis": list(map(float, axis)), "anchor": list(map(float, anchor))}
            entry["parent"] = self.bodies[body.parent].name
        return entry


def log_uniform(rng, low, high):
    return float(low * (high / low) ** rng.random())


def perpendicular(direction, rng):
    vector = np.cross(direction, shapes.unit(rng))
    return vector / np.linalg.norm(vector)


def random_spin(rng, step):
    """0.1 to 100 rad/s, at most a radian in a step."""
    return min(log_uniform(rng, 0.1, 100), 1 / step) * shapes.unit(rng)


def ball(name, rng, level):
    """A sphere of the scene format, free, at rest at the origin."""
    builtin = {"type": "sphere", "radius": RADIUS, "level": level, "surface": "mesh"}
    return Body(name, shapes.sphere(RADIUS, level), np.zeros(3), shapes.random_rotation(rng), np.zeros(3), np.zeros(3), builtin=builtin)


def solid(name, shape, rng, finest):
    """A free body of one of the shapes, of a size near 0.1 m, at the origin; finest: most refinements of a sphere."""
    if shape == "sphere":
        return ball(name, rng, int(rng.integers(0, finest + 1)))
    size = {"plate": (0.3, 0.3, 0.001), "rod": (0.4, 0.006, 0.006), "box": tuple(rng.uniform(0.05, 0.2, 3))}
    surface = shapes.tetrahedron(RADIUS, rng) if shape == "tetrahedron" else shapes.box(size[shape])
    return Body(name, surface, np.zeros(3), shapes.random_rotation(rng), np.zeros(3), np.zeros(3))


def reach_of(body):
    return max(np.linalg.norm(body.surface[0], axis=1))


def aim(first, second, rng, step):
    """Sets two free bodies on ways that meet; the number of steps until a little after that.

    Half of the pairs are head-on.  The second one's way is shifted sideways by up to 1.6 radii.
    """
    direction = shapes.unit(rng)
    speeds = [log_uniform(rng, 2, 1000) for _ in range(2)]
    other = -direction
    if rng.random() < 0.5:
        other = other + rng.uniform(0, 1.5) * perpendicular(direction, rng)
        other /= np.linalg.norm(other)
    offset = 0.0 if rng.random() < 0.2 else rng.uniform(0, 1.6) * RADIUS
    first.velocity, second.velocity = speeds[0] * direction, speeds[1] * other
    approach = np.linalg.norm(first.velocity - second.velocity)
    moment = max((reach_of(first) + reach_of(second) + offset + 0.05) / approach, rng.uniform(0, 3) * step)
    first.position = -moment * first.velocity
    second.position = -moment * second.velocity + offset * perpendicular(direction, rng)
    first.spin, second.spin = random_spin(rng, step), random_spin(rng, step)
    return min(math.ceil(moment / step) + 4, 300), offset


def throw(body, target, rng, step):
    """Sets a free body on its way to a point; the number of steps until a little after that."""
    body.velocity = log_uniform(rng, 2, 1000) * shapes.unit(rng)
    speed = np.linalg.norm(body.velocity)
    moment = max(0.6 / speed, rng.uniform(0, 3) * step)
    body.position = target - moment * body.velocity
    body.spin = random_spin(rng, step)
    return min(math.ceil(moment / step) + 4, 300)


def chain(rng):
    """A fixed block and three links that hang on hinges one after the other, along x."""
    bodies = [Body("base", shapes.box((0.1, 0.1, 0.1)), np.zeros(3), np.array([1.0, 0, 0, 0]))]
    start = 0.06
    for k in range(3):
        axis = np.array([0.0, 1, 0]) if rng.random() < 0.5 else shapes.unit(rng)
        centre, anchor = np.array([start + 0.1, 0, 0]), np.array([start - 0.005, 0, 0])
        bodies.append(Body(f"link{k}", shapes.box((0.18, 0.03, 0.03)), centre, np.array([1.0, 0, 0, 0]), parent=k, hinge=(axis, anchor)))
        start += 0.2
    return bodies


def clear_of_boxes(ball_body, others):
    """Whether a ball begins outside boxes that stand along the axes of the world."""
    outside = [np.maximum(np.abs(ball_body.position - box.position) - np.abs(box.surface[0]).max(axis=0), 0) for box in others]
    return all(np.linalg.norm(away) > RADIUS for away in outside)


def still(name, surface, position=(0, 0, 0), rotation=(1, 0, 0, 0)):
    return Body(name, surface, np.array(position, dtype=float), np.array(rotation, dtype=float))


def against_fixed(rng, step, finest):
    """A body thrown at a large sheet of 1 mm, a block or a half-space; above the half-space it must stay."""
    body = solid("a", rng.choice(["sphere", "tetrahedron", "rod"]), rng, finest)
    kind = rng.choice(["sheet", "block", "ground"])
    target = {"sheet": still("target", shapes.box((4.0, 4.0, 0.001))), "block": still("target", shapes.box((0.3, 0.2, 0.25))),
              "ground": still("target", GROUND)}[kind]
    steps = throw(body, np.zeros(3), rng, step)
    if kind != "block" and body.velocity[2] > 0:
        body.velocity, body.position = -body.velocity, -body.position
    if kind != "block":
        # Not so flat that the way to the surface begins below the body's own size.
        body.velocity[2] -= 0.5 * np.linalg.norm(body.velocity)
        body.position = -body.velocity * max(0.6 / -body.velocity[2], steps * step / 2)
        steps = math.ceil(body.position[2] / -body.velocity[2] / step) + 4
    return [body, target], steps, (1, 0, np.array([0.0, 0, 1])) if kind == "ground" else None


def collision(model, shape, seed):
    """Two bodies at 2 to 1000 m/s each, steps of 0.001 to 0.04 s."""
    rng = np.random.default_rng([seed, MODELS.index(model), COLLISIONS.index(shape)])
    step = log_uniform(rng, 0.001, 0.04)
    order = None
    if shape == "link":
        bodies = chain(rng) + [ball("ball", rng, 1)]
        link = bodies[int(rng.integers(1, 4))]
        while True:  # a way along the chain may begin inside of it: another one is drawn
            steps = throw(bodies[-1], link.position + [rng.uniform(-0.08, 0.08), 0, 0], rng, step)
            if clear_of_boxes(bodies[-1], bodies[:-1]):
                break
    elif shape == "fixed":
        bodies, steps, order = against_fixed(rng, step, FINEST[model])
    else:
        bodies = [solid("a", shape, rng, FINEST[model]), solid("b", shape if shape in ("sphere", "tetrahedron") else "sphere", rng, FINEST[model])]
        steps, offset = aim(*bodies, rng, step)
        if shape == "sphere" and offset == 0:
            order = (0, 1, bodies[0].velocity / np.linalg.norm(bodies[0].velocity))
            order = order if np.dot(bodies[1].velocity, order[2]) < -0.999 * np.linalg.norm(bodies[1].velocity) else None
    return Case(f"{model}-{shape}-{seed}", model, shape, step, steps, bodies, order=order)


def thrown(model, seed):
    """Three to six bodies of any shape on a circle of directions, thrown at the origin at up to 100 m/s."""
    rng = np.random.default_rng([seed, MODELS.index(model), 1000])
    step, bodies = log_uniform(rng, 0.001, 0.04), []
    for k in range(int(rng.integers(3, 7))):
        body = solid(f"body{k}", rng.choice(["sphere", "tetrahedron", "box", "plate", "rod"]), rng, FINEST[model])
        while True:
            body.position = rng.uniform(0.4, 1.5) * shapes.unit(rng)
            if all(np.linalg.norm(body.position - other.position) > reach_of(body) + reach_of(other) + 0.01 for other in bodies):
                break
        body.velocity = log_uniform(rng, 1, 100) * (0.1 * shapes.unit(rng) - body.position / np.linalg.norm(body.position))
        body.spin = random_spin(rng, step)
        bodies.append(body)
    slowest = sorted(np.linalg.norm(body.velocity) for body in bodies)[1]
    return Case(f"{model}-thrown-{seed}", model, "thrown", step, int(np.clip(math.ceil(2 / slowest / step), 8, 60)), bodies)


def passage(model, shape, seed):
    """A cube in a slot 0.1 mm wider than itself, or a ball in such a tube, at 1 to 20 m/s; in the middle, or off it by up to 0.03 mm."""
    rng = np.random.default_rng([seed, MODELS.index(model), 2000 + PASSAGES.index(shape)])
    step, speed, side = log_uniform(rng, 0.002, 0.04), log_uniform(rng, 1, 20), 0.1
    shift = np.array([0, rng.uniform(-3e-5, 3e-5) if rng.random() < 0.5 else 0, 0])
    if shape == "slot":
        mover = Body("mover", shapes.box((side,) * 3), None, np.array([1.0, 0, 0, 0]))
        walls = [still(name, shapes.box((0.3, 0.2, 0.2)), (0, sign * (0.1 + side / 2 + 5e-5), 0)) for name, sign in (("left", 1), ("right", -1))]
    else:
        mover = ball("mover", rng, 1)
        walls = [still("tube", shapes.tube(RADIUS + 5e-5, 0.15, 0.3, 24))]
    mover.position, mover.velocity, mover.spin = np.array([-0.04, 0, 0]) + shift, np.array([speed, 0, 0]), np.zeros(3)
    return Case(f"{model}-{shape}-{seed}", model, shape, step, math.ceil(0.5 / speed / step) + 2, [mover, *walls],
                passage=(0, np.array([1.0, 0, 0]), 0.26))
