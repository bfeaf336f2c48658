#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""MJCF models drawn with attributes in pairs and triples beside MuJoCo's own motion: what is silently another model?

    scripts/soak/mjcf_draws.py --mujoco .../@mujoco/mujoco/mujoco.js [--draws 200] [--seed 1] [--kinds 3] [--single] [--acting] [--keep FOLDER] [--build build]

Each draw is a small tree with a few of the features below, one to --kinds of them, on the options, joints, actuators, tendons and equalities.  A draw is "same" where masses,
frames and a second of motion are MuJoCo's (scripts/robot_motion.py says how near), "named" where they are not and `dcsim check` has a note, or a refusal,
that names a drawn feature's words, and "silent" otherwise: those are faults, and --keep writes them.
"""
import collections
import json
import os
import random
import subprocess
import sys
import tempfile

import mjcf_bodies
import mjcf_sections
from beside_mujoco import begin, keep, options, robot_motion, tell


class Draw:
    """A model: attributes of its parts, which features add to."""

    def __init__(self, generator):
        self.random = generator
        self.option, self.flags, self.compiler, self.default = {}, {}, {"angle": "radian"}, ""
        self.bodies = []  # attributes of body, joint, geom, inner text
        self.tail, self.actuators, self.controls, self.words = "", [], [], []
        self.more = 0  # joints of bodies in inner texts, which come last
        self.balls = self.still = 0  # more of them: balls, and hinges that start at 0
        self.files = {}  # beside the model
        self.keyless = False  # MuJoCo reads no keyframe with copies of joints
        self.closed = False  # an equality holds where the description stands, so that the start does
        kinds = generator.choice((["hinge", "hinge"], ["slide", "hinge"], ["hinge", "slide", "hinge"], ["free", "hinge"], ["ball", "hinge"], ["hinge", "ball"]))
        for k, kind in enumerate(kinds):
            joint = {"name": "j%d" % k, "type": kind}
            if kind in ("hinge", "slide"):
                joint["axis"] = self.numbers(3, -1, 1)
            if kind not in ("free", "slide"):
                joint["pos"] = self.numbers(3, -.1, .1)
            body = {"name": "b%d" % k, "pos": self.numbers(3, -.3, .3)}
            geom = {"type": "box", "size": self.numbers(3, .03, .12), "pos": self.numbers(3, -.1, .1), "name": "g%d" % k}
            self.bodies.append([body, joint, geom, ""])

    def number(self, low, high):
        return "%.4g" % self.random.uniform(low, high)

    def numbers(self, count, low, high):
        return " ".join(self.number(low, high) for _ in range(count))

    def scalar(self, kinds=("hinge", "slide")):
        """A joint that is a hinge or a slide."""
        found = [b[1] for b in self.bodies if b[1]["type"] in kinds]
        return self.random.choice(found) if found else None

    def actuator(self, kind, **attributes):
        joint = self.scalar()
        attributes = {name.rstrip("_"): value for name, value in attributes.items()}
        if "tendon" not in attributes:
            attributes["joint"] = joint["name"]
        self.actuators.append("<%s%s/>" % (kind, attributes_of(attributes)))
        self.controls.append(self.number(-.5, .5))

    def text(self):
        out = "<mujoco><compiler%s/><option%s><flag%s/></option>%s<worldbody>" % (attributes_of(self.compiler), attributes_of(self.option), attributes_of(self.flags), self.default)
        position, velocity = [], []
        for body, joint, geom, inner in self.bodies:
            out += "<body%s><joint%s/><geom%s/>%s" % (attributes_of(body), attributes_of(joint), attributes_of(geom), inner)
            if joint["type"] == "free":
                position += (body["pos"].split() if self.closed else ["0", "0", "1"]) + ["1", "0", "0", "0"]
                velocity += [self.number(-.5, .5) for _ in range(6)]
            elif joint["type"] == "ball":
                position += ["1", "0", "0", "0"] if self.closed or self.random.random() < .5 else self.numbers(4, -1, 1).split()
                velocity += [self.number(-.5, .5) for _ in range(3)]
            else:
                position.append("%.4g" % (float(joint.get("ref", 0)) * (.017453292519943295 if self.compiler["angle"] == "degree" and joint["type"] == "hinge" else 1) + (0 if self.closed else self.random.uniform(-.2, .2))))
                velocity.append(self.number(-1, 1))
        position += ["0" if self.closed else "0.1"] * self.more + ["1", "0", "0", "0"] * self.balls + ["0"] * self.still
        velocity += [self.number(-1, 1) for _ in range(self.more)] + ["0"] * (3 * self.balls + self.still)
        out += "</body>" * len(self.bodies) + "</worldbody>" + self.tail + "<actuator>" + "".join(self.actuators) + "</actuator>"
        if self.closed:
            velocity = ["0"] * len(velocity)
        control = ' ctrl="%s"' % " ".join(self.controls) if self.controls else ""
        if self.keyless:
            return out + "</mujoco>"
        return out + '<keyframe><key name="motion" qpos="%s" qvel="%s"%s/></keyframe></mujoco>' % (" ".join(position), " ".join(velocity), control)


def attributes_of(attributes):
    return "".join(' %s="%s"' % item for item in attributes.items())


FEATURES = {function.__name__: (function, words) for function, words in mjcf_bodies.FEATURES + mjcf_sections.FEATURES}


def feature(*words):
    """Registers a feature; words: any of them in a note tells of it."""
    def register(function):
        FEATURES[function.__name__] = (function, words)
        return function
    return register


def on_joint(name, low, high, kinds=("hinge", "slide"), words=None):
    def apply(draw):
        joint = draw.scalar(kinds)
        if joint is not None:
            joint[name] = draw.number(low, high)
    FEATURES["joint " + name + ("" if kinds == ("hinge", "slide") else " of " + kinds[0])] = (apply, (words or name,))


on_joint("damping", .05, .5)
on_joint("damping", .05, .3, ("ball",))
on_joint("damping", .1, 1, ("free",))
on_joint("armature", .02, .3)
on_joint("armature", .02, .3, ("ball",))
on_joint("armature", .02, .3, ("free",))
on_joint("stiffness", 1, 20)
on_joint("stiffness", 1, 5, ("ball",), "spring")
on_joint("stiffness", 1, 5, ("free",), "spring")
on_joint("springref", -.3, .3)
on_joint("ref", -.3, .3)
on_joint("frictionloss", .01, .2)
on_joint("frictionloss", .01, .2, ("ball",))
on_joint("frictionloss", .01, .2, ("free",))
on_joint("margin", .01, .1)


@feature("spring")
def springdamper(draw):
    joint = draw.scalar(("hinge", "slide", "ball"))
    joint["springdamper"] = draw.number(.1, .3) + " " + draw.number(.3, 1.2)


@feature("stiffness")
def polynomial_spring(draw):
    joint = draw.scalar()
    joint["stiffness"] = draw.number(1, 10) + " " + draw.number(-3, 3) + " " + draw.number(1, 5)


@feature("damping", "damper")
def polynomial_damping(draw):
    joint = draw.scalar()
    joint["damping"] = draw.number(.1, .5) + " " + draw.number(.1, .5)


@feature("gravcomp")
def gravcomp(draw):
    draw.random.choice(draw.bodies)[0]["gravcomp"] = draw.number(.3, 1.3)


@feature("gravity")
def gravity(draw):
    draw.option["gravity"] = draw.numbers(3, -5, 5)


@feature("flag")
def flags(draw):
    draw.flags[draw.random.choice(("gravity", "spring", "damper", "actuation", "frictionloss", "equality", "limit", "constraint"))] = "disable"


@feature("integrator")
def integrator(draw):
    draw.option["integrator"] = draw.random.choice(("Euler", "implicit", "implicitfast", "RK4"))


@feature("degree")
def degrees(draw):
    draw.compiler["angle"] = "degree"


@feature("euler")
def euler(draw):
    draw.compiler["eulerseq"] = draw.random.choice(("xyz", "XYZ", "zyx", "ZyX"))
    draw.bodies[-1][0]["euler"] = draw.numbers(3, -1, 1)


@feature("inertial")
def inertial(draw):
    draw.bodies[-1][3] += '<inertial mass="%s" pos="%s" diaginertia=".02 .03 .04" quat="%s"/>' % (draw.number(.3, 2), draw.numbers(3, -.1, .1), draw.numbers(4, .1, 1))


@feature("inertial")
def full_inertia(draw):
    draw.bodies[0][3] += '<inertial mass="%s" pos="%s" fullinertia=".02 .03 .04 .001 -.002 .003"/>' % (draw.number(.3, 2), draw.numbers(3, -.1, .1))


@feature("mass")
def masses(draw):
    draw.bodies[-1][2]["mass"] = draw.number(.1, 3)


@feature("settotalmass")
def total_mass(draw):
    draw.compiler["settotalmass"] = draw.number(1, 5)


@feature("inertia")
def shell(draw):
    draw.bodies[-1][2]["shellinertia"] = "true"


@feature("density", "geom")
def shapes(draw):
    kind = draw.random.choice(("capsule", "cylinder", "ellipsoid", "sphere"))
    geom = draw.bodies[-1][2]
    geom.update(type=kind, size=draw.numbers(3, .03, .1), density=draw.number(100, 3000), euler=draw.numbers(3, -1, 1))


@feature("class", "armature", "spring")
def defaults(draw):
    draw.default = '<default><joint damping="%s"/><geom density="%s"/><default class="c"><joint armature="%s" stiffness="%s"/><geom density="300"/><position kp="7"/><general gear="2"/></default></default>' % (
        draw.number(.1, .4), draw.number(200, 2000), draw.number(.01, .1), draw.number(1, 4))
    draw.random.choice(draw.bodies)[0]["childclass"] = "c"


@feature("frame")
def frame(draw):
    draw.bodies[-1][3] += '<frame pos="%s" euler="%s"><geom size=".04" pos=".1 0 0"/></frame>' % (draw.numbers(3, -.1, .1), draw.numbers(3, -1, 1))


@feature("replicate")
def replicate(draw):
    draw.bodies[-1][3] += '<replicate count="3" offset="%s" euler="%s"><geom size=".03" pos=".1 0 0"/></replicate>' % (draw.numbers(3, -.1, .1), draw.numbers(3, -1, 1))


@feature("actuator", "control")
def motor(draw):
    draw.actuator("motor", gear=draw.number(-2, 2))


@feature("actuator", "control")
def motor_limited(draw):
    draw.actuator("motor", gear=draw.number(.5, 2), ctrlrange="-.1 .2")


@feature("actuator", "force")
def motor_force(draw):
    draw.actuator("motor", gear=draw.number(.5, 2), forcerange="-.1 .2")


@feature("actuator", "control")
def position(draw):
    draw.actuator("position", kp=draw.number(2, 10), gear=draw.number(.5, 1.5))


@feature("actuator", "force")
def position_force(draw):
    draw.actuator("position", kp=draw.number(5, 20), forcerange="-.5 .5")


@feature("actuator", "control")
def position_damped(draw):
    draw.actuator("position", kp=draw.number(2, 10), **draw.random.choice(({"kv": draw.number(.1, 1)}, {"dampratio": draw.number(.3, 1.5)})))


@feature("actuator", "filter", "timeconst")
def position_filtered(draw):
    draw.actuator("position", kp=draw.number(2, 10), timeconst=draw.number(.05, .5))


@feature("actuator", "control")
def velocity(draw):
    draw.actuator("velocity", kv=draw.number(.1, 2), gear=draw.number(-1.5, 1.5))


@feature("actuator", "integral", "control")
def intvelocity(draw):
    draw.actuator("intvelocity", kp=draw.number(2, 8), actrange="-1 1")


@feature("actuator", "control")
def damper(draw):
    draw.actuator("damper", kv=draw.number(.1, 2), ctrlrange="0 1")


@feature("actuator", "control", "cylinder")
def cylinder(draw):
    draw.actuator("cylinder", area=draw.number(.1, 1), timeconst=".1", bias="%s %s %s" % (draw.number(-1, 1), draw.number(-2, 0), draw.number(-1, 0)))


@feature("actuator")
def muscle(draw):
    draw.actuator("muscle", ctrlrange="0 1", lengthrange="-1 1", force="10")


@feature("actuator", "control", "grows")
def general(draw):
    draw.actuator("general", gainprm=draw.number(-5, 5), biastype="affine", biasprm=draw.numbers(3, -4, 1), gear=draw.number(.5, 2))


@feature("actuator", "control")
def general_gain(draw):
    draw.actuator("general", gaintype="affine", gainprm=draw.numbers(3, -3, 3), biastype="none")


@feature("actuator", "filter", "integral", "dyn")
def general_dynamic(draw):
    draw.actuator("general", dyntype=draw.random.choice(("integrator", "filter", "filterexact")), dynprm=draw.number(.05, .5), gainprm="2")


@feature("actuatorfrc", "force")
def joint_force(draw):
    draw.scalar()["actuatorfrcrange"] = "-.2 .2"
    draw.actuator("motor", gear="2")


@feature("damping", "armature")
def actuator_own(draw):
    draw.actuator("motor", gear="1.5", **draw.random.choice(({"damping": draw.number(.1, 1)}, {"armature": draw.number(.05, .3)})))


@feature("actuatorgravcomp", "gravcomp")
def actuator_gravity(draw):
    draw.scalar()["actuatorgravcomp"] = "true"
    draw.bodies[-1][0]["gravcomp"] = "1"


@feature("group")
def actuator_group(draw):
    draw.actuator("motor", group="3", gear="2")
    draw.option["actuatorgroupdisable"] = draw.random.choice(("3", "2", "1 3"))


def coefficients(draw):
    joints = [b[1]["name"] for b in draw.bodies if b[1]["type"] in ("hinge", "slide")]
    return "".join('<joint joint="%s" coef="%s"/>' % (name, draw.number(-1.5, 1.5)) for name in joints[:draw.random.choice((1, 2))])


def tendon_with(name, words, **attributes):
    def apply(draw):
        values = {key: value(draw) if callable(value) else value for key, value in attributes.items()}
        tendon = "t%d" % len(draw.words)
        draw.words.append(tendon)
        draw.tail += '<tendon><fixed name="%s"%s>%s</fixed></tendon>' % (tendon, attributes_of(values), coefficients(draw))
        if name == "motor":
            draw.actuator("motor", tendon=tendon, gear=draw.number(.5, 2))
        elif name == "servo":
            draw.actuator("position", tendon=tendon, kp=draw.number(2, 8))
    FEATURES["tendon " + name] = (apply, words)


tendon_with("motor", ("tendon", "actuator", "control"))
tendon_with("servo", ("tendon", "actuator", "control"))
tendon_with("spring", ("tendon",), stiffness=lambda draw: draw.number(1, 10))
tendon_with("spring length", ("tendon",), stiffness=lambda draw: draw.number(1, 10), springlength=".1")
tendon_with("damping", ("tendon",), damping=lambda draw: draw.number(.1, 1))
tendon_with("friction", ("tendon",), frictionloss=lambda draw: draw.number(.05, .3))
tendon_with("armature", ("tendon",), armature=lambda draw: draw.number(.05, .3))
tendon_with("range", ("tendon", "starts"), range="-.1 .1", damping="5", solreflimit=".004 1", margin=lambda draw: draw.number(0, .04))


@feature("equality", "coupling")
def follow(draw):
    joints = [b[1]["name"] for b in draw.bodies if b[1]["type"] in ("hinge", "slide")]
    if len(joints) > 1:
        draw.tail += '<equality><joint joint1="%s" joint2="%s" polycoef="0 %s 0 0 0" solref=".002 1"/></equality>' % (joints[-1], joints[0], draw.number(-1.5, 1.5))
        draw.slack = True


@feature("equality", "coupling", "tendon", "starts moved")
def followed_tendon(draw):
    """A tendon of two joints of which one follows the other acts on that one."""
    joints = [b[1] for b in draw.bodies if b[1]["type"] in ("hinge", "slide")]
    if len(joints) < 2:
        return
    draw.closed = True
    own = {name: value() for name, value in (("stiffness", lambda: draw.number(1, 10)), ("damping", lambda: draw.number(.1, 1)), ("armature", lambda: draw.number(.05, .3)),
                                             ("springlength", lambda: draw.number(-.2, .2))) if draw.random.random() < .7}
    draw.tail += '<equality><joint joint1="%s" joint2="%s" polycoef="0 %s 0 0 0" solref=".002 1" solimp=".9999 .9999 .001 .5 2"/></equality>' % (joints[-1]["name"], joints[0]["name"], draw.number(.4, 1.5))
    draw.tail += '<tendon><fixed name="followed"%s><joint joint="%s" coef="%s"/><joint joint="%s" coef="%s"/></fixed></tendon>' % (
        attributes_of(own), joints[0]["name"], draw.number(.5, 1.5), joints[-1]["name"], draw.number(.5, 1.5))


@feature("equality", "coupling")
def follow_curve(draw):
    joints = [b[1]["name"] for b in draw.bodies if b[1]["type"] in ("hinge", "slide")]
    if len(joints) > 1:
        draw.tail += '<equality><joint joint1="%s" joint2="%s" polycoef="0 .5 %s %s %s" solref=".002 1"/></equality>' % (joints[-1], joints[0], *(draw.number(-1.5, 1.5) for _ in range(3)))
        draw.closed = True


@feature("equality")
def lock(draw):
    draw.closed = True
    draw.tail += '<equality><joint joint1="%s" polycoef="0 0 0 0 0" solref=".002 1" solimp=".9999 .9999 .001 .5 2"/></equality>' % draw.scalar()["name"]


@feature("equality")
def connect(draw):
    draw.closed = True
    draw.tail += '<equality><connect body1="b%d" anchor="%s" solref=".002 1" solimp=".9999 .9999 .001 .5 2"/></equality>' % (len(draw.bodies) - 1, draw.numbers(3, -.1, .1))


@feature("equality")
def weld(draw):
    draw.closed = True
    draw.tail += '<equality><weld body1="b%d" solref=".002 1" solimp=".9999 .9999 .001 .5 2"/></equality>' % (len(draw.bodies) - 1)


@feature("equality")
def inactive(draw):
    draw.tail += '<equality><weld body1="b0" active="false"/></equality>'


@feature("tendon", "wrap", "spatial")
def spatial(draw):
    draw.bodies[-1][3] += '<site name="s" pos=".1 0 0"/>'
    draw.bodies[0][3] += '<site name="r" pos="0 .1 0"/>'
    draw.tail += '<tendon><spatial name="sp"%s><site site="s"/><site site="r"/></spatial></tendon>' % draw.random.choice((' stiffness="5"', ' damping="1"', ''))
    if draw.random.random() < .5:
        draw.actuator("motor", tendon="sp")


@feature("actuator", "site", "body")
def at_site(draw):
    draw.bodies[-1][3] += '<site name="thrust"/>'
    draw.actuators.append('<general site="thrust" gear="0 0 1 0 .1 0"/>')
    draw.controls.append(draw.number(-.5, .5))


@feature("actuator", "ball", "free")
def on_ball(draw):
    joint = draw.scalar(("ball", "free"))
    if joint is not None:
        draw.actuators.append('<motor joint="%s" gear="%s"/>' % (joint["name"], draw.numbers(6 if joint["type"] == "free" else 3, -1, 1)))
        draw.controls.append(draw.number(-.5, .5))


@feature("servo", "actuator", "ball", "free")
def servo_on_ball(draw):
    joint = draw.scalar(("ball",))
    if joint is not None:
        draw.actuators.append('<position joint="%s" kp="3" gear="1 0 0"/>' % joint["name"])
        draw.controls.append(draw.number(-.5, .5))


@feature("mocap")
def mocap(draw):
    draw.tail += '<worldbody><body name="mc" mocap="true" pos="3 0 0"><geom size=".1"/></body></worldbody>'


@feature("range of the ball", "limit")
def ball_range(draw):
    joint = draw.scalar(("ball",))
    if joint is not None:
        joint["range"] = "0 .05"


@feature("massless", "without a mass", "mass")
def light(draw):
    draw.bodies[-1][3] += '<body name="frame" pos=".1 0 0"><site/></body>'


@feature("plugin", "attach", "flexcomp", "composite", "soft")
def flexible(draw):
    draw.tail += '<worldbody><flexcomp name="f" type="grid" count="3 3 3" spacing=".05 .05 .05" pos="5 0 0" dim="3" mass="1"/></worldbody>'


# What does not act and is named.
ABSENT = {"at_two_sites", "slider_crank", "in_parent", "mesh_builtin", "actuator_gravity", "actuator_own", "at_site", "cylinder", "flexible", "general_dynamic", "general_gain", "intvelocity", "joint armature of ball", "ball_range",
          "joint frictionloss of ball", "joint frictionloss of free", "joint stiffness of free", "muscle", "on_ball", "polynomial_damping", "polynomial_spring", "position_filtered", "servo_on_ball", "spatial",
          "tendon armature", "tendon damping", "tendon friction", "tendon range", "tendon servo", "tendon spring", "tendon spring length", "damper"}


def draw_model(seed, most, absent):
    generator = random.Random(seed)
    draw = Draw(generator)
    names = generator.sample(sorted(name for name in FEATURES if absent or name not in ABSENT), generator.randint(1, most))
    for name in names:
        FEATURES[name][0](draw)
    return draw, names


def notes_of(arguments, folder, keyframe):
    scene = os.path.join(folder, "scene.json")
    with open(scene, "w") as file:
        json.dump({"time": {"step": 0.01, "steps": 10}, "include": dict(keyframe, file="model.xml", collide=False, unsupported="skip")}, file)
    done = subprocess.run([os.path.join(arguments.build, "dcsim"), "check", scene], capture_output=True, text=True)
    return [line.strip() for line in (done.stderr + done.stdout).splitlines() if "note: " in line or "error" in line]


def judge(arguments, node, text, draw, names, folder):
    for name, content in dict(draw.files, **{"model.xml": text}).items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(content)
    keyframe = {} if draw.keyless else {"keyframe": "motion"}
    reference = robot_motion.ask(node, dict(keyframe, folder=folder, file=os.path.join(folder, "model.xml"), step=5e-4))
    if "error" in reference:
        return "not MuJoCo's", reference["error"]
    request = {"file": os.path.join(folder, "model.xml"), "folder": folder, "python": arguments.python, **keyframe}
    worst = {}
    # dry friction and limits of forces are rounded off, here and there by laws of their own
    part = 0.05 if any("frictionloss" in name or "force" in name or "range" in name for name in names) else robot_motion.PART
    try:
        for steps in (500, 2000, 8000):
            worst = robot_motion.compare(steps, request, reference)
            if robot_motion.judge(worst, part) != "motion":
                break
        if robot_motion.judge(worst, part) == "agrees":
            return "same", ""
    except Exception as error:
        worst = {"error": str(error)}
    notes = notes_of(arguments, folder, keyframe)
    words = [word for name in names for word in FEATURES[name][1]]
    verdict = "named" if any(word in note for word in words for note in notes) or "error" in worst and any(word in worst["error"] for word in words) else "silent"
    return verdict, "%s %s" % (json.dumps(worst), " | ".join(notes))


def main():
    parser = options(__doc__, 200)
    parser.add_argument("--kinds", type=int, default=3)
    parser.add_argument("--single", action="store_true", help="each feature alone, --draws times")
    parser.add_argument("--only", nargs="*", help="with --single: these features")
    parser.add_argument("--acting", action="store_true", help="without features that do not act")
    parser.add_argument("--verbose", action="store_true")
    arguments, node = begin(parser)
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        tries = [(name, k) for name in sorted(arguments.only or FEATURES) for k in range(arguments.draws)] if arguments.single else [(None, k) for k in range(arguments.draws)]
        for only, k in tries:
            if only:
                draw = Draw(random.Random("%s %d %d" % (only, arguments.seed, k)))
                FEATURES[only][0](draw)
                names = [only]
            else:
                draw, names = draw_model("%d %d" % (arguments.seed, k), arguments.kinds, not arguments.acting)
            text = draw.text()
            verdict, why = judge(arguments, node, text, draw, names, folder)
            counts[verdict] += 1
            if verdict == "silent" or arguments.verbose:
                print("%s: draw %d (%s): %s" % (verdict, k, ", ".join(names), why), flush=True)
            if verdict == "silent":
                keep(arguments, "%d-%d-%s.xml" % (arguments.seed, k, (only or "").replace(" ", "_")), text)
    return tell(counts, "silent")


if __name__ == "__main__":
    sys.exit(main())
