# SPDX-License-Identifier: Apache-2.0
"""Features of bodies for scripts/soak/mjcf_draws.py: where their mass comes from, shapes, meshes, defaults inside of defaults, transmissions."""

CUBE = "0 0 0  .2 0 0  0 .15 0  .2 .15 0  0 0 .1  .2 0 .1  0 .15 .1  .2 .15 .1"
WEDGE = "0 0 0  .2 0 0  0 .15 0  .2 .15 0  .05 .03 .12"
FEATURES = []


def feature(*words):
    def register(function):
        FEATURES.append((function, words))
        return function
    return register


def geom(draw, text):
    draw.bodies[-1][3] += "<geom %s/>" % text


@feature("inertia", "inertiafromgeom")
def from_geometry(draw):
    draw.compiler["inertiafromgeom"] = draw.random.choice(("true", "auto", "false"))
    for body in draw.bodies:
        body[3] += '<inertial mass="%s" pos="%s" diaginertia=".02 .03 .04"/>' % (draw.number(.3, 2), draw.numbers(3, -.1, .1))


@feature("inertia", "balance")
def balanced(draw):
    draw.compiler["balanceinertia"] = "true"
    draw.bodies[-1][3] += '<inertial mass="1" pos="%s" diaginertia=".02 .03 %s"/>' % (draw.numbers(3, -.1, .1), draw.number(.06, .1))


@feature("bound")
def bounded(draw):
    draw.compiler[draw.random.choice(("boundmass", "boundinertia"))] = draw.number(.05, 2)


@feature("group", "inertia")
def grouped(draw):
    draw.compiler["inertiagrouprange"] = "0 2"
    geom(draw, 'size=".1" group="%d" mass="2" pos="%s"' % (draw.random.randint(0, 4), draw.numbers(3, -.2, .2)))


@feature("total")
def total_of_inertial(draw):
    draw.compiler["settotalmass"] = draw.number(1, 5)
    draw.bodies[0][3] += '<inertial mass="2" pos="0 0 .1" diaginertia=".02 .03 .04"/>'


@feature("class", "armature", "spring")
def nested_classes(draw):
    draw.default += ('<default><default class="o"><joint damping="%s" armature=".02"/><geom density="%s" type="box" size=".05 .06 .07"/><default class="p"><joint armature="%s"/>'
                     '<geom size=".04 .03"  type="capsule"/></default><default class="q"><geom mass="%s"/></default></default></default>'
                     % (draw.number(.1, .4), draw.number(200, 2000), draw.number(.01, .1), draw.number(.1, 1)))
    draw.bodies[-1][0]["childclass"] = draw.random.choice("opq")
    geom(draw, 'class="%s" pos="%s"' % (draw.random.choice("opq"), draw.numbers(3, -.1, .1)))
    draw.bodies[-1][3] += '<frame childclass="p" euler="%s"><geom pos=".1 0 0"/><frame childclass="q" pos="0 .1 0"><geom size=".03"/></frame></frame>' % draw.numbers(3, -1, 1)


@feature("fromto")
def from_to(draw):
    kind = draw.random.choice(("capsule", "cylinder", "box", "ellipsoid"))
    geom(draw, 'type="%s" fromto="%s" size="%s"' % (kind, draw.numbers(6, -.2, .2), draw.number(.02, .06)))


@feature("axis", "quat")
def turned(draw):
    text = draw.random.choice(('zaxis="%s"' % draw.numbers(3, -1, 1), 'xyaxes="%s"' % draw.numbers(6, -1, 1), 'axisangle="%s"' % draw.numbers(4, -1, 1), 'quat="%s"' % draw.numbers(4, -1, 1)))
    geom(draw, 'type="box" size=".1 .05 .02" pos="%s" %s' % (draw.numbers(3, -.1, .1), text))


def mesh(draw, attributes, of_geom=""):
    name = "mesh%d" % len(draw.tail)
    draw.tail += '<asset><mesh name="%s" vertex="%s" %s/></asset>' % (name, draw.random.choice((CUBE, WEDGE)), attributes)
    geom(draw, 'type="mesh" mesh="%s" pos="%s" euler="%s" %s' % (name, draw.numbers(3, -.1, .1), draw.numbers(3, -1, 1), of_geom))


@feature("mesh", "scale")
def mesh_scaled(draw):
    mesh(draw, 'scale="%s"' % " ".join(draw.random.choice(("", "-")) + draw.number(.5, 1.5) for _ in range(3)))


@feature("mesh", "ref")
def mesh_referred(draw):
    mesh(draw, 'refpos="%s" refquat="%s"' % (draw.numbers(3, -.1, .1), draw.numbers(4, .1, 1)))


@feature("mesh", "inertia")
def mesh_inertia(draw):
    mesh(draw, 'inertia="%s"' % draw.random.choice(("convex", "exact", "legacy", "shell")), draw.random.choice(("", 'mass="1.5"', 'density="300"')))


@feature("mesh", "group")
def mesh_groups(draw):
    """Tetrahedra of an OBJ file, in groups and objects that have faces or none.  MuJoCo remembers files by their names, so that each needs its own."""
    lines, name = [], "groups%08d" % draw.random.randrange(10**8)
    for k in range(draw.random.randint(1, 3)):
        lines += [draw.random.choice(("", "o a", "g a", "g b\no c", "usemtl m", "s 1"))]
        lines += ["v " + draw.numbers(3, 0, .1) for _ in range(4)]
        lines += ["f %d %d %d" % tuple(4 * k + i for i in face) for face in ((1, 3, 2), (1, 2, 4), (2, 3, 4), (3, 1, 4))]
    draw.files[name + ".obj"] = "\n".join(lines) + "\n"
    draw.tail += '<asset><mesh file="%s.obj" inertia="%s"/></asset>' % (name, draw.random.choice(("convex", "legacy", "shell")))
    geom(draw, 'type="mesh" mesh="%s" pos="%s"' % (name, draw.numbers(3, -.1, .1)))


@feature("mesh", "fit")
def mesh_fitted(draw):
    name = "fit%d" % len(draw.tail)
    draw.tail += '<asset><mesh name="%s" vertex="%s"/></asset>' % (name, draw.random.choice((CUBE, WEDGE)))
    draw.compiler["fitaabb"] = draw.random.choice(("true", "false"))
    geom(draw, 'type="%s" mesh="%s" fitscale="%s"' % (draw.random.choice(("box", "sphere", "capsule", "cylinder", "ellipsoid")), name, draw.number(.7, 1.3)))


@feature("mesh", "builtin")
def mesh_builtin(draw):
    name = "made%d" % len(draw.tail)
    draw.tail += '<asset><mesh name="%s" builtin="sphere" params="2" scale=".1 .1 .1"/></asset>' % name
    geom(draw, 'type="mesh" mesh="%s"' % name)


@feature("actuator", "site")
def at_two_sites(draw):
    draw.bodies[-1][3] += '<site name="here" pos=".1 .02 0" euler="%s"/>' % draw.numbers(3, -1, 1)
    draw.tail += '<worldbody><site name="there" pos="%s"/></worldbody>' % draw.numbers(3, -1, 1)
    draw.actuators.append('<position site="here" refsite="there" kp="3" gear="%s"/>' % draw.numbers(6, -1, 1))
    draw.controls.append(draw.number(-.5, .5))


@feature("actuator", "crank")
def slider_crank(draw):
    draw.bodies[-1][3] += '<site name="crank" pos=".1 .02 0"/>'
    draw.tail += '<worldbody><site name="slider" pos="0 0 .5" euler="0 1 0"/></worldbody>'
    draw.actuators.append('<motor cranksite="crank" slidersite="slider" cranklength="2" gear="%s"/>' % draw.number(.5, 2))
    draw.controls.append(draw.number(-.5, .5))


@feature("actuator", "jointinparent")
def in_parent(draw):
    joint = draw.scalar(("ball", "free", "hinge", "slide"))
    draw.actuators.append('<motor jointinparent="%s" gear="%s"/>' % (joint["name"], draw.numbers({"free": 6, "ball": 3}.get(joint["type"], 1), -1, 1)))
    draw.controls.append(draw.number(-.5, .5))


@feature("control", "actuator")
def clamped_servo(draw):
    draw.actuator(draw.random.choice(("position", "velocity", "motor")), ctrlrange="-.05 .1", gear=draw.number(.5, 2))


@feature("control", "range", "actuator")
def inherited_range(draw):
    joint = draw.scalar()
    joint["range"] = "-3 3"
    draw.actuators.append('<position joint="%s" kp="4" inheritrange="%s"/>' % (joint["name"], draw.number(.2, 1)))
    draw.controls.append(draw.number(-3, 3))


@feature("joint")
def two_joints(draw):
    draw.bodies[-1][3] += '<body name="more" pos="%s"><joint name="m0" type="slide" axis="%s" damping=".2"/><joint name="m1" axis="%s" pos="%s" stiffness="2" springref=".2"/><geom size=".05" pos="%s"/></body>' % (
        draw.numbers(3, -.2, .2), draw.numbers(3, -1, 1), draw.numbers(3, -1, 1), draw.numbers(3, -.1, .1), draw.numbers(3, -.1, .1))
    draw.more = 2


@feature("replicate")
def replicated_bodies(draw):
    draw.bodies[-1][3] += '<replicate count="2" offset="%s" euler="%s"><body><geom size=".04" pos=".1 0 0"/></body></replicate>' % (draw.numbers(3, -.1, .1), draw.numbers(3, -1, 1))
