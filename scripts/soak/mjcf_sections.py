# SPDX-License-Identifier: Apache-2.0
"""Features of whole files for scripts/soak/mjcf_draws.py: frames and copies with joints, classes of every kind, sections that stand twice, included files, several trees,
ends of ranges, what the compiler throws away, and sections that say nothing about motion."""

FEATURES = []


def feature(*words):
    def register(function):
        FEATURES.append((function, words))
        return function
    return register


def frame_attributes(draw, turn=1):
    kinds = ('euler="%s"' % draw.numbers(3, -turn, turn), 'quat="%s"' % draw.numbers(4, .1, 2), 'axisangle="%s %s"' % (draw.numbers(3, .1, 1), draw.number(-1, 1)), 'zaxis="%s"' % draw.numbers(3, -1, 1),
             'xyaxes="%s %s"' % (draw.numbers(3, .2, 1), draw.numbers(3, -1, -.1)), "")
    return 'pos="%s" %s' % (draw.numbers(3, -.2, .2), draw.random.choice(kinds))


@feature("frame")
def frames_of_bodies(draw):
    draw.bodies[-1][3] += '<frame %s><frame %s><body name="framed" %s><frame %s><joint name="fj" axis="%s" pos="%s"/><geom size=".05 .06 .07" type="box" %s/></frame></body></frame></frame>' % (
        frame_attributes(draw), frame_attributes(draw), frame_attributes(draw), frame_attributes(draw), draw.numbers(3, .1, 1), draw.numbers(3, -.1, .1), frame_attributes(draw))
    draw.more += 1


@feature("replicate")
def copies_with_joints(draw):
    count = draw.random.choice((2, 3, 11))
    draw.bodies[-1][3] += '<replicate count="%d" sep="%s" offset="%s" euler="%s"><frame %s><body name="copy" pos="%s"><joint name="cj" type="%s" axis="%s" damping=".2"/><geom size=".04"/></body></frame></replicate>' % (
        count, draw.random.choice(("", "-", "_")), draw.numbers(3, -.1, .1), draw.numbers(3, -1, 1), frame_attributes(draw), draw.numbers(3, -.1, .1), draw.random.choice(("hinge", "slide")), draw.numbers(3, .1, 1))
    draw.keyless = True


@feature("replicate")
def copies_of_copies(draw):
    draw.bodies[-1][3] += '<replicate count="2" offset="%s"><replicate count="3" euler="%s"><geom size=".03 .04 .02" type="box" %s mass="%s"/></replicate></replicate>' % (
        draw.numbers(3, -.1, .1), draw.numbers(3, -1, 1), frame_attributes(draw), draw.number(.1, 1))
    draw.keyless = True  # MuJoCo 3.14 loses the keyframe's controls where copies are copied


@feature("class", "actuator", "control")
def actuator_classes(draw):
    kinds = ['<motor gear="%s"/>' % draw.number(.5, 2), '<position kp="%s" kv="%s"/>' % (draw.number(2, 6), draw.number(.1, 1)), '<velocity kv="%s" ctrlrange="-.3 .2"/>' % draw.number(.1, 1),
             '<general gainprm="%s" forcerange="-.5 .5"/>' % draw.number(1, 3)]
    draw.random.shuffle(kinds)
    draw.default += "<default>%s<default class=\"act\">%s</default></default>" % ("".join(kinds[:draw.random.choice((0, 1, 2))]), "".join(kinds[2:]))
    for _ in range(draw.random.choice((1, 2))):
        draw.actuator(draw.random.choice(("motor", "position", "velocity", "general")), **draw.random.choice(({"class": "act"}, {})))


@feature("class", "mesh")
def asset_classes(draw):
    draw.default += '<default><mesh scale="%s"/><default class="big"><mesh scale="%s"/><site %s/></default></default>' % (draw.numbers(3, .5, 1), draw.numbers(3, 1, 1.5), frame_attributes(draw))
    name = "classed%d" % len(draw.tail)
    draw.tail += '<asset><mesh name="%s" %s vertex="0 0 0  .2 0 0  0 .15 0  .05 .03 .12"/></asset>' % (name, draw.random.choice(("", 'class="big"')))
    draw.bodies[-1][3] += '<geom type="mesh" mesh="%s" %s/>' % (name, frame_attributes(draw))


@feature("class", "joint")
def joint_classes(draw):
    draw.default += '<default class="main"><joint damping="%s" type="slide"/><default class="turn"><joint type="hinge" axis="%s" pos="%s"/></default></default>' % (
        draw.number(.1, .4), draw.numbers(3, .1, 1), draw.numbers(3, -.1, .1))
    draw.bodies[-1][3] += '<body %s><joint name="own" class="turn"/><geom size=".05"/><body %s childclass="turn"><joint name="own2" type="slide"/><geom size=".06"/></body></body>' % (frame_attributes(draw), frame_attributes(draw))
    draw.more += 2


@feature("class", "geom")
def geom_classes(draw):
    draw.default += '<default><geom type="capsule" size=".04 .06"/><default class="long"><geom fromto="%s"/></default><default class="heavy"><geom mass="%s"/></default></default>' % (
        draw.numbers(6, -.2, .2), draw.number(.5, 2))
    draw.bodies[-1][3] += '<geom class="long"/><geom class="heavy"/><geom class="heavy" fromto="%s"/><geom type="ellipsoid" size=".03 .05 .07"/>' % draw.numbers(6, -.2, .2)


@feature("compiler", "option")
def sections_twice(draw):
    draw.tail += '<option gravity="%s"/><option timestep=".001"/>' % draw.numbers(3, -5, 5)
    draw.tail += draw.random.choice(("", '<compiler angle="radian"/>', '<compiler autolimits="true"/>'))
    draw.default += '<default><geom density="%s"/></default><default><joint damping="%s"/></default>' % (draw.number(300, 2000), draw.number(.1, .3))


@feature("include", "armature")
def included(draw):
    draw.files["part.xml"] = "<mujocoinclude>%s<worldbody><include file='inner.xml'/></worldbody></mujocoinclude>" % '<default><joint armature="%s"/></default>' % draw.number(.01, .1)
    draw.files["inner.xml"] = '<mujoco><body name="inside" pos="2 0 0" euler="%s"><joint name="ij" axis="%s"/><geom type="box" size=".1 .05 .06"/></body></mujoco>' % (draw.numbers(3, -1, 1), draw.numbers(3, .1, 1))
    draw.tail += '<include file="part.xml"/>'
    draw.more += 1


@feature("tree", "body")
def more_trees(draw):
    draw.tail += '<worldbody><frame %s><geom type="plane" size="1 1 1"/><body name="stands" pos="1 0 0"><geom size=".1"/><body %s><joint name="tj" type="slide" axis="%s" stiffness="3"/><geom type="box" size=".05 .06 .07"/></body></body></frame></worldbody>' % (
        frame_attributes(draw), frame_attributes(draw), draw.numbers(3, .1, 1))
    draw.more += 1


@feature("range", "limit", "starts")
def joint_range(draw):
    joint = draw.scalar()
    unit = 57.29577951308232 if draw.compiler["angle"] == "degree" and joint["type"] == "hinge" else 1
    joint["ref"] = draw.number(-.3, .3) if draw.random.random() < .3 else "0"
    rest = float(joint["ref"]) / unit
    joint.update(damping="3", solreflimit=".004 1", range="%.5g %.5g" % ((rest - draw.random.uniform(.2, .3)) * unit, (rest + draw.random.uniform(.2, .3)) * unit))
    if draw.random.random() < .3:
        joint["margin"] = draw.number(0, .1)
    limited = draw.random.choice(("", "", "true", "false", "auto"))
    if limited:
        joint["limited"] = limited


@feature("discard", "visual")
def discarded(draw):
    draw.compiler["discardvisual"] = "true"
    draw.bodies[-1][3] += '<geom size=".1" contype="0" conaffinity="0" group="2" mass="%s" pos="%s"/>' % (draw.number(.1, 2), draw.numbers(3, -.2, .2))


@feature("mass", "geom")
def weightless_geoms(draw):
    draw.bodies[-1][3] += '<geom size=".1" mass="0" pos=".1 0 0"/><geom size=".1" density="0" pos="0 .1 0"/><geom size=".05" mass="%s" pos="0 0 .1"/>' % draw.number(.2, 1)


@feature("flag")
def other_flags(draw):
    draw.flags[draw.random.choice(("passive", "clampctrl", "contact", "warmstart", "eulerdamp", "filterparent", "sensor", "midphase", "island"))] = draw.random.choice(("disable", "enable"))
    draw.actuator("motor", gear="2", ctrlrange="-.1 .1")


@feature("control", "limit")
def unlimited_control(draw):
    draw.actuator(draw.random.choice(("motor", "position")), ctrlrange="-.05 .05", ctrllimited=draw.random.choice(("false", "true", "auto")))
    draw.actuator("motor", forcerange="-.05 .05", forcelimited=draw.random.choice(("false", "true", "auto")), gear="2")


@feature("equality", "site")
def connected_sites(draw):
    """The second site stands where the first one is, found by the chain of bodies."""
    draw.closed = True
    draw.default += '<default><equality solref=".002 1" solimp=".9999 .9999 .001 .5 2"/></default>'
    draw.bodies[-1][3] += '<body name="ends" pos=".1 0 0"><joint name="ej" type="ball"/><geom size=".05 .05 .1" type="box" pos="0 .05 0"/><site name="one" pos="0 .1 0"/></body><site name="two" pos=".1 .1 0"/>'
    draw.balls += 1
    draw.tail += '<equality><connect site1="one" site2="two"/></equality>'


@feature("equality", "weld")
def welded_pose(draw):
    draw.closed = True
    a, b = draw.random.choice((("0 0 .1", "1 0 0 0"), (".05 .1 0", ".8 .6 0 0")))
    draw.bodies[-1][3] += '<body name="held" pos="%s" quat="%s"><joint name="hj" axis="%s"/><geom size=".05 .06 .1" type="box"/></body>' % (a, b, draw.numbers(3, .1, 1))
    draw.still += 1
    draw.tail += '<equality><weld body1="b%d" body2="held" relpose="%s %s" solref=".002 1" solimp=".9999 .9999 .001 .5 2"/></equality>' % (len(draw.bodies) - 1, a, b)


@feature("equality", "tendon")
def coupled_tendons(draw):
    joints = [b[1]["name"] for b in draw.bodies if b[1]["type"] in ("hinge", "slide")]
    if len(joints) > 1:
        draw.closed = True
        draw.tail += '<tendon><fixed name="ta"><joint joint="%s" coef="%s"/></fixed><fixed name="tb"><joint joint="%s" coef="%s"/></fixed></tendon><equality><tendon tendon1="ta" tendon2="tb" polycoef="0 %s 0 0 0" solref=".002 1" solimp=".9999 .9999 .001 .5 2"/></equality>' % (
            joints[-1], draw.number(.5, 1.5), joints[0], draw.number(.5, 1.5), draw.number(-1, 1))


@feature("sensor", "visual", "custom")
def without_motion(draw):
    draw.bodies[-1][3] += '<camera name="eye"/><light pos="0 0 1"/><site name="felt"/>'
    draw.tail += ('<sensor><accelerometer site="felt"/></sensor><visual><global offwidth="9"/></visual><statistic extent="2"/><custom><numeric name="n" data="1 2"/></custom><size memory="1M"/>'
                  '<asset><texture name="x" type="skybox" builtin="flat" width="8" height="8"/><material name="m" rgba="1 0 0 1" reflectance=".2"/></asset>')


@feature("euler", "degree")
def degrees_everywhere(draw):
    draw.compiler["angle"], draw.compiler["eulerseq"] = "degree", draw.random.choice(("xyz", "XYZ", "zyx", "ZyX", "xZy"))
    for body in draw.bodies:
        body[0].pop("euler", None)
        body[0]["euler"] = draw.numbers(3, -60, 60)
    draw.bodies[-1][3] += '<geom type="box" size=".1 .02 .05" axisangle="1 .2 .3 %s"/><frame euler="%s"><geom type="capsule" size=".03 .1" pos="0 .1 0"/></frame>' % (draw.number(-60, 60), draw.numbers(3, -60, 60))


@feature("compiler", "inertial")
def inertial_in_frame(draw):
    draw.bodies[-1][3] += '<frame %s><inertial mass="%s" pos="%s" diaginertia=".02 .03 .025" euler="%s"/></frame>' % (frame_attributes(draw), draw.number(.3, 2), draw.numbers(3, -.1, .1), draw.numbers(3, -1, 1))
