# SPDX-License-Identifier: Apache-2.0
"""Trees of links drawn at random with all that URDF or SDF says of them, and the MJCF text that means the same.

Everything has a pose in the world at coordinates of zero, so that a writer of a format may give it in any frame; inertias of solids are
computed here, from their volumes.  The MJCF text holds numbers only: a body in its parent, joints by anchors and axes, an inertia as a matrix.
"""
import itertools
import math

from urdf_draws import apply, compose, inverse, matrix_of, numbers

IDENTITY = ([0, 0, 0], [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
# Corners and triangles, outward, of a wedge and a tetrahedron.
SOLIDS = {"wedge": ([(0, 0, 0), (.2, 0, 0), (0, .15, 0), (.2, .15, 0), (0, 0, .1), (0, .15, .1)], [(0, 2, 3), (0, 3, 1), (0, 1, 4), (2, 5, 3), (0, 4, 5), (0, 5, 2), (1, 3, 5), (1, 5, 4)]),
          "tetrahedron": ([(0, 0, 0), (.2, 0, 0), (0, .2, 0), (.05, .05, .15)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])}
SCALARS = ("revolute", "continuous", "prismatic")


def draw_pose(generator, way=.3, turn=1.4):
    return [generator.uniform(-way, way) for _ in range(3)], matrix_of([generator.uniform(-turn, turn) for _ in range(3)])


def multiply(a, b):
    return [[sum(a[i][n] * b[n][k] for n in range(3)) for k in range(3)] for i in range(3)]


def transposed(m):
    return [list(row) for row in zip(*m)]


def solid(mass, center, inertia):
    """A mass, its centre and its inertia about that, all in one frame."""
    return mass, list(center), [list(row) for row in inertia]


def diagonal(a, b, c):
    return [[a, 0, 0], [0, b, 0], [0, 0, c]]


def moved(one, pose):
    return solid(one[0], [x + y for x, y in zip(apply(pose[1], one[1]), pose[0])], multiply(multiply(pose[1], one[2]), transposed(pose[1])))


def total(parts):
    mass = sum(part[0] for part in parts)
    center = [sum(part[0] * part[1][i] for part in parts) / mass for i in range(3)]
    inertia = [[0] * 3 for _ in range(3)]
    for m, c, own in parts:
        d = [x - y for x, y in zip(c, center)]
        square = sum(x * x for x in d)
        for i, k in itertools.product(range(3), range(3)):
            inertia[i][k] += own[i][k] + m * ((square if i == k else 0) - d[i] * d[k])
    return solid(mass, center, inertia)


def of_mesh(name, scale, density):
    """By tetrahedra from the origin: second moments over a tetrahedron with corners 0, a, b, c are V/20 (sum of squares of a, b, c and of a + b + c)."""
    corners = [[x * s for x, s in zip(corner, scale)] for corner in SOLIDS[name][0]]
    volume, center, second = 0, [0] * 3, [[0] * 3 for _ in range(3)]
    for triangle in SOLIDS[name][1]:
        a, b, c = (corners[i] for i in triangle)
        v = (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6
        s = [x + y + z for x, y, z in zip(a, b, c)]
        volume += v
        for i in range(3):
            center[i] += v / 4 * s[i]
            for k in range(3):
                second[i][k] += v / 20 * (a[i] * a[k] + b[i] * b[k] + c[i] * c[k] + s[i] * s[k])
    center = [x / volume for x in center]
    sign = math.copysign(1, volume)  # a scale of negative product turns the solid inside out
    mass = density * abs(volume)
    central = [[density * sign * second[i][k] - mass * center[i] * center[k] for k in range(3)] for i in range(3)]
    trace = sum(central[i][i] for i in range(3))
    return solid(mass, center, [[(trace if i == k else 0) - central[i][k] for k in range(3)] for i in range(3)])


def draw_shape(generator, meshes):
    """(kind, numbers, solid of 1000 kg/m^3)."""
    kind = generator.choice(("box", "sphere", "cylinder") + (("mesh",) if meshes else ()))
    if kind == "box":
        size = [generator.uniform(.05, .3) for _ in range(3)]
        mass = 1000 * size[0] * size[1] * size[2]
        a, b, c = (x * x * mass / 12 for x in size)
        return kind, size, solid(mass, [0] * 3, diagonal(b + c, a + c, a + b))
    if kind == "sphere":
        r = generator.uniform(.04, .12)
        mass = 4000 / 3 * math.pi * r ** 3
        return kind, [r], solid(mass, [0] * 3, diagonal(*[.4 * mass * r * r] * 3))
    if kind == "cylinder":
        r, length = generator.uniform(.03, .1), generator.uniform(.1, .3)
        mass = 1000 * math.pi * r * r * length
        side = mass * (3 * r * r + length * length) / 12
        return kind, [r, length], solid(mass, [0] * 3, diagonal(side, side, mass * r * r / 2))
    name = generator.choice(sorted(SOLIDS))
    scale = [generator.choice((-1, 1, 1)) * generator.uniform(.5, 1.5) for _ in range(3)]
    if generator.random() < .3:
        scale = [generator.uniform(.5, 1.5)] * 3
    return kind, [name] + scale, of_mesh(name, scale, 1000)


def mesh_text(name):
    corners, triangles = SOLIDS[name]
    return "".join("v %g %g %g\n" % corner for corner in corners) + "".join("f %d %d %d\n" % tuple(i + 1 for i in triangle) for triangle in triangles)


def draw_mass(link, generator, meshes):
    """An <inertial> or shapes, whose density is 1000 where nothing else is said: "body" is the mass that comes of it."""
    uniform = generator.uniform
    link["shapes"] = [draw_shape(generator, meshes) + (draw_pose(generator, .1, 1), ) for _ in range(generator.choice((0, 0, 1, 1, 2, 3)))]
    kinds = {shape[0] for shape in link["shapes"]}
    of_shapes = bool(kinds) and not {"cylinder", "mesh"} <= kinds and generator.random() < .4  # a cylinder beside a mesh counts as a prism
    link["inertial"] = None
    if of_shapes:
        link["body"] = total([moved(shape[2], shape[3]) for shape in link["shapes"]])
        return
    mass, frame = uniform(.3, 3), generator.choice((([0, 0, 0], IDENTITY[1]), draw_pose(generator, .1, 1)))
    turn = matrix_of([uniform(-1, 1) for _ in range(3)]) if generator.random() < .5 else IDENTITY[1]
    tensor = multiply(multiply(turn, diagonal(*(uniform(.01, .02) for _ in range(3)))), transposed(turn))
    link["inertial"] = (mass, frame, tensor)
    link["body"] = moved(solid(mass, [0] * 3, tensor), frame)


def draw_joint(link, generator, kinds):
    link["type"] = kind = generator.choice(kinds)
    uniform = generator.uniform
    link["axes"] = [[uniform(-1, 1), uniform(-1, 1), uniform(.2, 1)] for _ in range(2 if kind == "universal" else 1)]
    for key, least, most in (("damping", .05, .5), ("friction", .01, .1), ("stiffness", 1, 10)):
        link[key] = [generator.choice((0, 0, 0, uniform(least, most))) for _ in link["axes"]]
    link["rest"] = [uniform(-.2, .2) if k else 0 for k in link["stiffness"]]
    link["start"] = [0 for _ in link["axes"]]
    link["range"] = link["mimic"] = None
    if kind in ("fixed", "floating", "planar", "ball"):
        link["friction"] = link["stiffness"] = link["rest"] = [0]
    if kind in ("fixed", "floating", "planar"):
        link["damping"] = [0]


def draw_tree(generator, first, kinds, meshes, most=6):
    """Links: the first by a joint of `first` on the world, the others by `kinds` on one before."""
    links = []
    for i in range(generator.randint(2, most)):
        link = {"name": "l%d" % i, "parent": generator.randrange(i) if i else -1}
        link["world"] = compose(links[link["parent"]]["world"] if i else IDENTITY, draw_pose(generator))
        link["frame"] = link["world"]  # of the joint
        draw_joint(link, generator, kinds if i else first)
        draw_mass(link, generator, meshes)
        links.append(link)
    return links


def draw_range(links, generator):
    """One joint with a narrow range, damped, so that it comes to lie at an end."""
    able = [link for link in links if link["type"] in ("revolute", "prismatic") and not link["mimic"]]
    if able:
        link = generator.choice(able)
        link["range"] = tuple(link["start"][0] + end for end in (generator.uniform(-.2, -.05), generator.uniform(.05, .2)))
        link["damping"] = [3]
        link["friction"] = [0]


def draw_mimics(links, generator):
    able = [link for link in links if link["type"] in SCALARS]
    if len(able) < 2:
        return
    follower, leader = generator.sample(able, 2)
    follower["mimic"] = (leader["name"], generator.uniform(-1.5, 1.5), generator.choice((0, generator.uniform(-.2, .2))))
    for key in ("stiffness", "friction", "rest"):
        follower[key] = [0]


def anchor(link):
    """(position, turn) of the joint's frame in the link's."""
    return compose(inverse(link["world"]), link["frame"])


def perpendicular(axis):
    """Two directions across an axis."""
    least = min(range(3), key=lambda i: abs(axis[i]))
    one = [1 if i == least else 0 for i in range(3)]
    a = [axis[1] * one[2] - axis[2] * one[1], axis[2] * one[0] - axis[0] * one[2], axis[0] * one[1] - axis[1] * one[0]]
    b = [axis[1] * a[2] - axis[2] * a[1], axis[2] * a[0] - axis[0] * a[2], axis[0] * a[1] - axis[1] * a[0]]
    return a, b


def joints_of(link):
    frame = anchor(link)
    place = ' pos="%s"' % numbers(frame[0])
    axes = [apply(frame[1], axis) for axis in link["axes"]]
    if link["type"] == "fixed":
        return ""
    if link["type"] == "floating":
        return "<freejoint/>"
    if link["type"] == "planar":
        a, b = perpendicular(axes[0])
        return '<joint type="slide" axis="%s"/><joint type="slide" axis="%s"/><joint axis="%s"%s/>' % (numbers(a), numbers(b), numbers(axes[0]), place)
    if link["type"] == "ball":
        return '<joint type="ball"%s damping="%.12g"/>' % (place, link["damping"][0])
    text = ""
    for k, axis in enumerate(axes):
        text += '<joint name="j%s%s" type="%s" axis="%s"%s damping="%.12g" frictionloss="%.12g" stiffness="%.12g" springref="%.12g"%s/>' % (
            link["name"], ":2" if k else "", "slide" if link["type"] == "prismatic" else "hinge", numbers(axis), place, link["damping"][k], link["friction"][k], link["stiffness"][k], link["rest"][k],
            ' range="%.12g %.12g" solreflimit=".004 1"' % link["range"] if link["range"] else "")
    return text


def start_of(link, links):
    """Coordinates at the start: a list of MuJoCo's."""
    if link["mimic"]:
        leader = next(one for one in links if one["name"] == link["mimic"][0])
        return [link["mimic"][1] * start_of(leader, links)[0] + link["mimic"][2]]
    if link["type"] == "fixed":
        return []
    if link["type"] == "floating":
        return list(link["world"][0]) + quaternion_of(link["world"][1])
    return {"ball": [1, 0, 0, 0], "planar": [0, 0, 0]}.get(link["type"], link["start"])


def quaternion_of(m):
    """By the largest of its parts."""
    squares = [1 + m[0][0] + m[1][1] + m[2][2], 1 + m[0][0] - m[1][1] - m[2][2], 1 - m[0][0] + m[1][1] - m[2][2], 1 - m[0][0] - m[1][1] + m[2][2]]
    k = max(range(4), key=lambda i: squares[i])
    s = 2 * math.sqrt(squares[k])
    w, x, y, z = m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1], None
    if k == 0:
        return [s / 4, w / s, x / s, y / s]
    if k == 1:
        return [w / s, s / 4, (m[0][1] + m[1][0]) / s, (m[0][2] + m[2][0]) / s]
    if k == 2:
        return [x / s, (m[0][1] + m[1][0]) / s, s / 4, (m[1][2] + m[2][1]) / s]
    z = (m[0][2] + m[2][0]) / s
    return [y / s, z, (m[1][2] + m[2][1]) / s, s / 4]


def mjcf_of(links, named=lambda link: link["name"], gravity=(0, 0, -9.81), more=""):
    """The same tree; more: equalities of loops."""
    tight = ' solref=".002 1" solimp=".9999 .9999 .001 .5 2"'
    coordinates = []

    def body(i):
        link = links[i]
        pose = compose(inverse(links[link["parent"]]["world"]), link["world"]) if link["parent"] >= 0 else link["world"]
        mass, center, inertia = link["body"]
        coordinates.extend(start_of(link, links))
        text = '<body name="%s" pos="%s" quat="%s"%s>%s<inertial mass="%.15g" pos="%s" fullinertia="%s"/>' % (
            named(link), numbers(pose[0]), numbers(quaternion_of(pose[1])), ' gravcomp="1"' if link.get("weightless") else "", joints_of(link), mass, numbers(center),
            numbers([inertia[0][0], inertia[1][1], inertia[2][2], inertia[0][1], inertia[0][2], inertia[1][2]]))
        return text + "".join(body(k) for k, one in enumerate(links) if one["parent"] == i) + "</body>"
    world = "".join(body(k) for k, one in enumerate(links) if one["parent"] < 0)
    followers = "".join('<joint joint1="j%s" joint2="j%s" polycoef="%.12g %.12g 0 0 0"%s/>' % (link["name"], link["mimic"][0], link["mimic"][2], link["mimic"][1], tight) for link in links if link["mimic"])
    return '<mujoco><compiler angle="radian" balanceinertia="false"/><option gravity="%s"/><worldbody>%s</worldbody><equality>%s%s</equality><keyframe><key name="motion" qpos="%s"/></keyframe></mujoco>' % (
        numbers(gravity), world, followers, more.replace("TIGHT", tight), numbers(coordinates))
