# SPDX-License-Identifier: Apache-2.0
"""Small random scenes that bring features together: models, shapes, joints, actuators, controls, objectives, design parameters, soft bodies.

A scene is a function of its seed.  What dcsim refuses to combine is mostly left out here, so that a refusal is worth a look.
"""
import math
import random

AXES = ["x", "y", "z", "xy", "xyz", "xz"]
SHAPES = {
    "ball": {"type": "sphere", "radius": 0.1, "level": 0},
    "box": {"type": "box", "size": [0.2, 0.16, 0.12]},
    "rod": {"type": "cylinder", "radius": 0.05, "height": 0.3, "sides": 5},
    "link": {"type": "box", "size": [0.08, 0.06, 0.3]},
    "pair": {"type": "compound", "parts": [{"shape": "box", "position": [0.1, 0, 0]}, {"shape": "ball", "position": [-0.1, 0, 0.02]}]},
    "hull": {"type": "hulls", "parts": [{"vertices": [0, 0, 0, 0.2, 0, 0, 0, 0.2, 0, 0, 0, 0.15, 0.15, 0.15, 0.1]}]},
    "blocks": {"type": "blocks", "size": [0.2, 0.1, 0.1], "divisions": [2, 1, 1]},
    "quadric": {"type": "superquadrics", "parts": [{"axes": [0.1, 0.08, 0.06], "exponents": [0.5, 0.7]}], "triangles": 40},
    "small": {"type": "sphere", "radius": 0.04, "level": 0},
    "ground": {"type": "plane"},
}
# Coordinates of joints that are one slide or hinge each; None: a rotation without coordinates.
SCALARS = {"hinge": 1, "slide": 1, "universal": 2, "planar": 3, "ball": None}


class Draw(random.Random):
    """Draws of what scenes are made of."""

    def chance(self, part):
        return self.random() < part

    def decades(self, low, high):
        return 10 ** self.uniform(low, high)

    def vector(self, low, high):
        return [self.uniform(low, high) for _ in range(3)]

    def unit(self, count):
        v = [self.gauss(0, 1) for _ in range(count)]
        return [x / math.sqrt(sum(y * y for y in v)) for x in v]

    def some(self, items):
        return self.sample(items, min(len(items), self.choice([1, 2])))

    def when(self):
        return self.choice(["end", "every"])

    def point(self):
        return [self.uniform(-0.5, 1), self.uniform(-0.5, 0.5), self.uniform(0, 1)]


def contact(r, models):
    model = r.choice(models)
    settings = {"model": model, "friction": r.choice([0, 0.3, 0.8]), "friction_smoothing": r.choice([0.01, 0.05])}
    if r.chance(0.35):
        settings["restitution"] = r.choice([0, 0.5, 0.9])
    if model in ("bsh", "exact"):
        settings["stiffness"] = r.decades(-5, -2)
        settings.update({"friction_range": 0.02} if r.chance(0.3) else {}, **({"length": r.uniform(0.3, 2)} if r.chance(0.2) else {}))
        settings.update({"offset": True} if r.chance(0.15) else {}, **({"blend": r.uniform(0.1, 0.6)} if model == "bsh" and r.chance(0.3) else {}))
    elif model == "ipc":
        settings.update(stiffness=r.decades(-2, 0), dhat=r.choice([0.02, 0.1]))
    elif model == "ipc-global":
        settings.update(stiffness=r.decades(-5, -3), dhat=0.02)
    elif model == "sdrs":
        settings.update(stiffness=r.decades(-3, 0), support=r.choice([0.05, 0.1]), length=r.choice([1, 0.3]), hulls=r.choice(["parts"] * 4 + ["triangles"]))
    else:
        settings.update(stiffness=r.decades(-4, -2), edges=r.choice([0, 0, 2]))
    return settings


class Rigid:
    """Free bodies over a half-space, mostly, and a chain of links beside them."""

    def __init__(self, seed):
        self.r = Draw(seed)
        self.contact = contact(self.r, ["bsh", "bsh", "exact", "ipc", "ipc-global", "sdrs", "sdrs", "manifold"])
        self.bodies, self.couplings, self.controls, self.objectives, self.designs = [], [], [], [], []
        self.free, self.chain = [], {}  # names; names and kinds of joints
        if self.r.chance(0.8):
            self.bodies.append({"name": "ground", "joint": "fixed", "shape": "ground"})
        for i in range(self.r.choice([1, 1, 2, 3])):
            self.add_free(i)
        if self.r.chance(0.7):
            self.add_chain(self.r.choice([1, 2, 3]))
        self.couple()
        self.control()
        while not self.objectives:
            for _ in range(self.r.choice([1, 2, 3])):
                self.objectives += filter(None, [self.objective()])
        self.design()

    def body(self, name):
        return next(body for body in self.bodies if body["name"] == name)

    def actuated(self):
        return [name for name in self.chain if "pd" in self.body(name)]

    def scalar_joints(self):
        return [name for name, kinds in self.chain.items() if all(kind in ("hinge", "slide") for kind in kinds)]

    def add_free(self, i):
        r = self.r
        shapes = ["ball", "box", "rod", "hull", "pair", "quadric"] + (["blocks"] if self.contact["model"] != "manifold" else [])
        body = {"name": f"f{i}", "shape": r.choice(shapes), "position": [0.45 * i + r.uniform(-0.03, 0.03), r.uniform(-0.1, 0.1), r.uniform(0.24, 0.34)],
                "velocity": [r.uniform(-1, 1), r.uniform(-0.5, 0.5), r.uniform(-2, 0)], "angular_velocity": r.vector(-3, 3)}
        body.update({"rotation": r.unit(4)} if r.chance(0.7) else {}, **({"mass": r.uniform(0.2, 2)} if r.chance(0.5) else {"density": r.uniform(200, 2000)}))
        body.update({"friction": r.uniform(0.1, 1)} if r.chance(0.3) else {}, **({"pd": {"kp": r.uniform(1, 30), "kd": r.uniform(0.1, 2)}} if r.chance(0.15) else {}))
        if "restitution" in self.contact and r.chance(0.3):
            body["restitution"] = r.choice([0, 0.4])
        if "mass" in body and r.chance(0.3):
            body["mass_model"] = r.choice(["lumped", "given"])
        self.bodies.append(body)
        self.free.append(body["name"])

    def joint(self):
        """A joint, or two of which none makes the other needless."""
        r, parts = self.r, []
        kinds = r.choice([[r.choice(list(SCALARS))]] * 3 + [["hinge", "slide"], ["slide", "hinge"]])
        for kind in kinds:
            part = {"type": kind}
            if kind == "universal":
                part.update(axis=[0, 1, 0], axis2=[1, 0, 0])
            elif kind != "ball":
                part["axis"] = r.unit(3)
            if kind in ("hinge", "slide") and r.chance(0.4):
                part["range"] = [-r.uniform(0.3, 1.2), r.uniform(0.3, 1.2)]
            parts.append(part)
        return parts, kinds

    def add_chain(self, count):
        r, parent = self.r, None
        for i in range(count):
            parts, kinds = self.joint()
            top = 1.3 - 0.36 * i
            body = {"name": f"l{i}", "shape": r.choice(["link", "link", "rod"]), "joint": parts, "position": [-0.5, 0, top - 0.18], "anchor": [-0.5, 0, top], "mass": r.uniform(0.2, 1)}
            body.update({"parent": parent} if parent else {})
            if all(kind in ("hinge", "slide") for kind in kinds):
                body.update(joint_position=[r.uniform(-0.2, 0.2) for _ in kinds], joint_velocity=[r.uniform(-0.5, 0.5) for _ in kinds])
                body.update({"velocity_limit": r.uniform(0.2, 1)} if r.chance(0.2) else {})
            if r.chance(0.75):
                body["pd"] = {"kp": r.uniform(2, 60), "kd": r.uniform(0, 2)}
                if "ball" not in kinds:
                    body["pd"].update({"effort": r.uniform(1, 20)} if r.chance(0.3) else {}, **({"gravity_compensation": True} if r.chance(0.3) else {}))
                body["pd"].update({"kp_rotation": r.uniform(1, 20), "kd_rotation": r.uniform(0, 1)} if r.chance(0.2) else {})
            self.bodies.append(body)
            self.chain[body["name"]] = kinds
            parent = body["name"]

    def couple(self):
        singles = [name for name, kinds in self.chain.items() if kinds in (["hinge"], ["slide"])]
        if len(singles) < 2 or self.r.chance(0.5):
            return
        self.couplings = [{"body": singles[1], "to": singles[0], "multiplier": self.r.uniform(-1.5, 1.5), "stiffness": 1e4}]
        for name in singles[:2]:
            self.body(name).pop("joint_position", None)
            self.body(name).pop("joint_velocity", None)

    def tie(self):
        """Two free bodies held together at a point between them, or one at the end of a chain; drawn last."""
        r, one = self.r, self.body(self.free[0])
        ends = [self.body(name) for name in self.free[1:]] + [self.body(name) for name in list(self.chain)[-1:] if "joint_position" not in self.body(name)]
        if not ends or r.chance(0.6) or any(design["type"] in ("link", "anchor") for design in self.designs):
            return []
        place = [0.5 * (a + b) for a, b in zip(one["position"], r.choice(ends)["position"])]
        other = min(ends, key=lambda body: math.dist(body["position"], place))
        for name, body in (("hook", one), ("eye", other)):
            self.bodies.append({"name": name, "parent": body["name"], "frame": "world", "joint": "fixed", "position": place, "mass": 1e-3, "inertia": [1e-7, 1e-7, 1e-7, 0, 0, 0]})
        return [{"body": "hook", "to": "eye", **({"stiffness": r.decades(2, 6)} if r.chance(0.5) else {})}]

    def control(self):
        r, driven = self.r, self.actuated()
        if r.chance(0.8):
            self.controls.append({"type": "initial_state", "body": r.choice(self.free), "position": r.choice(["", "xy", "xyz"]), "velocity": r.choice(["xy", "xyz", "z"]),
                                  "rotation": r.choice(["", "xyz", "z"]), "angular_velocity": r.choice(["", "xyz"])})
        name = r.choice(driven) if driven else None
        if name:
            kind = "torque" if name in [c["body"] for c in self.couplings] else r.choice(["pd_targets", "pd_velocity", "sines", "spline", "torque"])
            more = {"pd_targets": {"hold": r.choice([1, 3])}, "pd_velocity": {"hold": 2, "speed": 1}, "sines": {"waves": 2, "amplitude": 0.3, "frequency": 3, "ramp": 0.02},
                    "spline": {"knots": 3}, "torque": {"limit": [3.0], "hold": 2}}
            self.controls.append({"type": kind, **({"bodies": [name]} if kind == "sines" else {"body": name}), **more[kind]})
        others = [link for link in self.chain if link != name]
        if others and r.chance(0.3):
            self.controls.append({"type": "torque", "body": r.choice(others), "limit": [2.0], "hold": 3})

    def objective(self):
        """One of an objective's kinds, or None where the scene has nothing for it."""
        r, moving = self.r, self.free + list(self.chain)
        kind = r.choice(["reach", "region", "velocity", "com", "point", "orientation", "upright", "relative", "clearance", "effort", "joints", "speed"])
        given = {"type": kind, "when": r.when()}
        if kind == "reach":
            given.update(body=r.choice(moving), target=r.point(), tolerance=r.choice([0, 0.02]), axes=r.choice(AXES))
            given.update({"rest": 0.05, "settle": 0.03, "tolerance": 0.05} if r.chance(0.3) else {})
        elif kind == "region":
            given.update(bodies=r.some(moving), center=r.point(), axes=r.choice(AXES), **r.choice([{"radius": 0.1}, {"size": [0.1, 0.2, 0.1]}]))
        elif kind == "velocity":
            given.update(bodies=[r.choice(moving)], axes=r.choice(AXES), weight=0.1)
        elif kind == "com":
            given.update(target=r.point(), axes=r.choice(AXES), **({"bodies": r.some(moving)} if r.chance(0.5) else {}))
        elif kind == "point":
            given.update(body=r.choice(moving), point=r.vector(-0.1, 0.1), target=r.point(), axes=r.choice(AXES))
        elif kind == "orientation":
            given.update(body=r.choice(moving), target=r.unit(4))
        elif kind == "upright":
            given.update(body=r.choice(moving), axis=r.vector(-1, 1))
        elif kind == "relative":
            name = r.choice(moving)
            others = [other for other in moving if other != name]
            given.update(body=name, axes=r.choice(AXES), **({"to": r.choice(others)} if others and r.chance(0.6) else {}))
        elif kind == "clearance" and len(moving) > 1:
            one, other = r.sample(moving, 2)
            given.update(body=one, to=other, distance=r.choice([0.05, 0.8]), keep=r.choice(["at_least", "at_most", "exactly"]))
        elif kind == "effort" and any("pd" in body for body in self.bodies):
            given = {"type": kind, "weight": 1e-3}
        elif kind == "joints" and self.scalar_joints():
            name = r.choice(self.scalar_joints())
            given.update(bodies=[name], target=[r.uniform(-0.5, 0.5) for _ in self.chain[name]])
        elif kind == "speed" and any("velocity_limit" in body for body in self.bodies):
            given = {"type": kind}
        else:
            return None
        return given

    def numbers(self):
        """Numbers that the scene has, and the bodies of one of them, or None: all."""
        r, moving = self.r, self.free + list(self.chain)
        ranged = [name for name in self.chain if any("range" in part for part in self.body(name)["joint"])]
        scalar = [name for name in self.scalar_joints() if name not in [c["body"] for c in self.couplings]]
        found = {"mass": r.some(moving), "gravity": None}
        found.update({"stiffness": None} if len(self.bodies) > 1 else {}, **({"friction": None} if self.contact["friction"] else {}))
        found.update({"kp": None, "kd": None} if any(body.get("pd", {}).get("kd") for body in self.bodies) else {})
        found.update({"restitution": None} if self.contact.get("restitution") else {})
        found.update({"position": [r.choice(scalar)], "velocity": [r.choice(scalar)]} if scalar else {})
        found.update({"lower_limit": [r.choice(ranged)], "upper_limit": [r.choice(ranged)], "limit_stiffness": [r.choice(ranged)]} if ranged else {})
        return found

    def shape_design(self):
        """One that changes shapes or places, or None."""
        r = self.r
        shapes = sorted({body["shape"] for body in self.bodies} - {"ground", "quadric"} - ({"pair"} if self.contact["model"] == "manifold" else set()))
        kind = r.choice(["size", "vertices", "cage", "link", "anchor"])
        if kind in ("link", "anchor"):
            return {"type": kind, "body": r.choice(list(self.chain)), **({"axis": "z"} if kind == "link" else {"box": 0.02})} if self.chain else None
        more = {"size": {"axes": r.choice(AXES)}, "vertices": {"box": [0.01] * 3}, "cage": {"points": [2, 2, 2], "box": 0.01}}
        return {"type": kind, "shape": r.choice(shapes), **more[kind]} if shapes else None

    def design(self):
        r, numbers = self.r, self.numbers()
        for of in r.sample(sorted(numbers), min(len(numbers), r.choice([0, 1, 2, 3]))):
            self.designs.append({"type": "number", "of": of, **({"bodies": numbers[of]} if numbers[of] else {})})
            if of == "mass" and r.chance(0.3):
                self.designs[-1]["together"] = True
        refused = ("restitution" in self.contact or self.contact.get("hulls") == "triangles" or self.contact["model"].startswith("ipc")
                   or any(body.get("pd", {}).get("gravity_compensation") for body in self.bodies) or any(o["type"] == "clearance" for o in self.objectives))
        if not refused and r.chance(0.6):
            self.designs += filter(None, [self.shape_design()])
        if not self.controls and not self.designs:
            self.controls = [{"type": "initial_state", "body": self.free[0], "velocity": "xyz"}]

    def manufacture(self):
        """What a design of masses and shapes may be asked for; drawn last, so that all else is as without."""
        r = self.r
        if r.chance(0.3) and any(design["type"] in ("size", "vertices", "cage") or design.get("of") == "mass" for design in self.designs):
            self.objectives.append({"type": "mass", "most": r.choice([0.1, 1])})
        if r.chance(0.5) and any(design["type"] in ("size", "vertices", "cage") for design in self.designs):
            self.objectives.append({"type": "thickness", "least": r.choice([0.05, 0.15, 0.3])})

    def scene(self):
        r = self.r
        used = {body["shape"] for body in self.bodies} | {"box", "ball"}
        time = {"step": r.choice([0.005, 0.01, 0.02]), "steps": r.choice([5, 8, 12])}
        self.manufacture()
        ties = self.tie()
        time.update({"integrator": "second_order"} if ties and r.chance(0.5) and not any(design["type"] != "number" for design in self.designs) else {})
        return {"time": time, "contact": self.contact, "shapes": {name: SHAPES[name] for name in sorted(used)},
                "bodies": self.bodies, "couplings": self.couplings, "ties": ties, "control": self.controls, "objective": self.objectives, "design": self.designs}


class Soft:
    """Soft bodies that fall on a half-space, mostly, with rigid bodies, markers and cables."""

    def __init__(self, seed):
        self.r = r = Draw(seed)
        self.contact = {"model": r.choice(["bsh", "bsh", "exact", "ipc", "sdrs"]), "friction": r.choice([0, 0.4]), "friction_smoothing": 0.02, "stiffness": 1e-4}
        self.contact.update({"sdrs": {"stiffness": 1e-2}, "ipc": {"stiffness": 1e-2, "dhat": 0.01}}.get(self.contact["model"], {}))
        self.bodies, self.controls, self.objectives, self.designs = [], [], [], []
        self.soft, self.rigid, self.markers, self.cable = {}, [], [], False  # soft: names and types
        if r.chance(0.8):
            self.bodies.append({"name": "ground", "joint": "fixed", "shape": "ground"})
        for i in range(r.choice([1, 1, 2])):
            self.add_soft(i)
        self.add_rigid()
        self.add_markers()
        self.control()
        while not self.objectives:
            for _ in range(r.choice([1, 2])):
                self.objectives += filter(None, [self.objective()])
        self.design()

    def add_soft(self, i):
        r, kind = self.r, self.r.choice(["solid", "solid", "cloth", "rod"])
        soft = {"type": kind, "young": r.decades(*{"solid": (4, 5), "cloth": (4, 6), "rod": (5, 7)}[kind])}
        if kind == "solid":
            soft.update(form=r.choice(["block", "sphere", "beam"]), size=[0.1, 0.08, 0.06], cells=[2, 2, 2], material=r.choice(["arap", "corotated", "neo_hookean"]), poisson=r.uniform(0, 0.45))
        elif kind == "cloth":
            soft.update(size=[0.12, 0.1], cells=[3, 2], thickness=2e-3, poisson=r.uniform(0, 0.4))
        else:
            soft.update(size=[0.15], cells=[4], thickness=6e-3)
        options = [(0.4, "viscosity", r.uniform(0.1, 5)), (0.3, "drag", r.uniform(0.1, 3)), (0.3, "friction_law", "fischer_burmeister"), (0.3, "self_contact", False)]
        options += [(0.3, "pressure", r.uniform(1, 50))] if kind != "rod" else []
        options += [(0.3, "bending", r.decades(-6, -4))] if kind != "solid" else []
        options += [(0.4, "far_field", r.decades(-5, -3))] if self.contact["model"] in ("bsh", "exact") else []
        options += [(0.4, "pins", [{"low": [-1, -1, -1], "high": [-0.02, 1, 1], "stiffness": r.decades(2, 5)}])]
        soft.update({name: value for part, name, value in options if r.chance(part)})
        if kind == "rod":  # nothing of it would act
            soft.pop("drag", None)
        body = {"name": f"s{i}", "soft": soft, "position": [0.25 * i, r.uniform(-0.02, 0.02), r.uniform(0.06, 0.12)], "velocity": [r.uniform(-0.5, 0.5), r.uniform(-0.5, 0.5), r.uniform(-2, 0)]}
        body.update({"density": r.uniform(300, 1500)} if r.chance(0.5) else {}, **({"friction": r.uniform(0.1, 0.8)} if r.chance(0.3) else {}))
        if r.chance(0.5):
            body["rotation"] = r.unit(4)
            body["position"][2] += 0.05
        self.bodies.append(body)
        self.soft[body["name"]] = kind

    def add_rigid(self):
        r = self.r
        if r.chance(0.6):
            self.bodies.append({"name": "ball", "shape": "small", "position": [r.uniform(-0.05, 0.3), r.uniform(-0.03, 0.03), 0.26], "velocity": [0, 0, -1.5], "mass": 0.1})
            self.rigid.append("ball")
        if r.chance(0.3):
            self.bodies.append({"name": "arm", "shape": "link", "joint": "hinge", "axis": [0, 1, 0], "position": [-0.35, 0, 0.4], "anchor": [-0.35, 0, 0.55], "mass": 0.2, "pd": {"kp": 5, "kd": 0.2}})
            self.rigid.append("arm")

    def add_markers(self):
        r = self.r
        for body in [body for body in self.bodies if "soft" in body]:
            if r.chance(0.6):
                self.markers.append("m" + body["name"])
                self.bodies.append({"name": self.markers[-1], "parent": body["name"], "joint": "fixed", "position": body["position"]})
        ends = self.markers + self.rigid
        if self.markers and len(ends) > 1 and r.chance(0.6):
            self.cable = True
            self.bodies.append({"name": "cable", "cable": {"through": ends[:2], "stiffness": r.choice([100, 1e3]), "length": r.choice([0.01, 0.05])}})

    def control(self):
        r = self.r
        if r.chance(0.7):
            self.controls.append({"type": "initial_state", "body": r.choice(list(self.soft)), "position": r.choice(["", "x", "xyz"]), "velocity": r.choice(["xyz", "z"])})
        if r.chance(0.4):
            self.controls.append({"type": "torque", "body": r.choice(list(self.soft) + self.markers), "limit": [0.5], "hold": 2})
        if self.cable:
            self.controls.append({"type": "spline", "body": "cable", "knots": 3})
        if "arm" in self.rigid and r.chance(0.7):
            self.controls.append({"type": "pd_targets", "body": "arm"})

    def objective(self):
        r, names = self.r, list(self.soft) + self.rigid + self.markers
        kind = r.choice(["reach", "region", "velocity", "com", "point", "effort"])
        given = {"type": kind, "when": r.when()}
        if kind == "reach":
            given.update(body=r.choice(names), target=r.point())
        elif kind == "region":
            given.update(bodies=[r.choice(names)], center=r.point(), radius=0.05)
        elif kind == "velocity":
            given.update(bodies=[r.choice(names)], weight=0.1)
        elif kind == "com":
            given.update(target=r.point(), **({"bodies": r.some(list(self.soft) + self.rigid)} if r.chance(0.5) else {}))
        elif kind == "point" and self.rigid:
            given.update(body=r.choice(self.rigid), point=[0.02, 0.01, 0], target=r.point())
        elif kind == "effort" and "arm" in self.rigid:
            given = {"type": kind, "weight": 1e-3}
        else:
            return None
        return given

    def design(self):
        r, softs = self.r, [body["soft"] for body in self.bodies if "soft" in body]
        numbers = {"mass": [r.choice(list(self.soft) + self.rigid)], "gravity": None, r.choice(["young", "young_element"]): None}
        numbers.update({"friction": None} if self.contact["friction"] else {}, **({"stiffness": None} if "ball" in self.rigid else {}))
        numbers.update({"poisson": None} if any(soft["type"] != "rod" and soft.get("material") != "arap" for soft in softs) else {})
        numbers.update({"bending": None} if any(soft["type"] != "solid" for soft in softs) else {}, **({"wind": None} if any("drag" in soft for soft in softs) else {}))
        numbers.update({"pressure": None} if any("pressure" in soft for soft in softs) else {}, **({"kp": None} if "arm" in self.rigid else {}))
        for of in r.sample(sorted(numbers), min(len(numbers), r.choice([0, 1, 2, 3]))):
            self.designs.append({"type": "number", "of": of, **({"bodies": numbers[of]} if numbers[of] else {})})
        if not self.controls and not self.designs:
            self.controls = [{"type": "initial_state", "body": "s0", "velocity": "xyz"}]

    def scene(self):
        r = self.r
        return {"time": {"step": r.choice([0.002, 0.005, 0.01]), "steps": r.choice([5, 8, 12])}, "contact": self.contact, "wind": r.vector(-3, 3) if r.chance(0.3) else [0, 0, 0],
                "shapes": {name: SHAPES[name] for name in ("ground", "small", "link")}, "bodies": self.bodies, "control": self.controls, "objective": self.objectives, "design": self.designs}


class Impact:
    """A body, or two, thrown at a half-space with restitution and friction, in steps of either order; pairs that meet far away divide half of them."""

    def __init__(self, seed):
        self.r = r = Draw(seed)
        self.model = MODELS[seed % len(MODELS)]
        self.contact = {"model": self.model.split()[0], "friction": r.choice([0, 0.2, 0.6]), "friction_smoothing": 0.02, "restitution": r.choice([0, 0.3, 0.6, 0.9])}
        self.contact.update(r.choice([{}, {"stiffness": {"ipc": 1e-2, "sdrs": 1e-2}.get(self.contact["model"], 1e-5)}]))
        self.contact.update({"dhat": 0.01} if self.contact["model"] == "ipc" and "stiffness" in self.contact else {})
        self.time = {"step": r.choice([0.004, 0.01]), "steps": 6, "integrator": r.choice(["euler", "second_order"])}

    def thrown(self, i):
        """The lowest point reaches the half-space in the first half of the time."""
        r, total = self.r, self.time["step"] * self.time["steps"]
        down = r.uniform(1, 5)
        body = {"name": f"f{i}", "shape": r.choice(["ball", "box"]), "position": [0.5 * i, 0, 0.09 + r.uniform(0.2, 0.5) * total * down], "velocity": [r.uniform(-2, 2), r.uniform(-2, 2), -down],
                "angular_velocity": r.vector(-4, 4), "rotation": r.unit(4), "mass": r.uniform(0.3, 2)}
        body.update({"restitution": r.choice([0.2, 0.8])} if r.chance(0.3) else {}, **({"friction": r.uniform(0.1, 1)} if self.contact["friction"] and r.chance(0.3) else {}))
        return body

    def far(self):
        """Two pyramids that meet in the middle of the time."""
        r = self.r
        speed = self.r.uniform(30, 150)
        gap = r.uniform(0.4, 0.6) * self.time["step"] * self.time["steps"] * speed
        return [{"name": f"far{sign}", "shape": "far", "mass": 1, "position": [sign * (0.06 + gap), sign * 0.01, 50], "velocity": [-sign * speed, 0, 0]} for sign in (-1, 1)]

    def scene(self):
        r, surface = self.r, "leaves" if "leaves" in self.model else "mesh"
        bodies = [self.thrown(i) for i in range(r.choice([1, 1, 2]))]
        names = [body["name"] for body in bodies]
        shapes = {"ground": {"type": "plane"}, "ball": {"type": "sphere", "radius": 0.08, "level": 0, "surface": surface}, "box": {"type": "box", "size": [0.1, 0.08, 0.06], "surface": surface}}
        if r.chance(0.5):
            bodies += self.far()
            shapes["far"] = {"type": "hulls", "parts": [{"vertices": [0.06, 0, -0.02, -0.06, 0, -0.02, 0, 0.05, -0.02, 0, 0, 0.06]}], "surface": surface}
        numbers = ["restitution", "gravity", "stiffness"] + (["friction"] if self.contact["friction"] else [])
        if "stiffness" not in self.contact:
            numbers.remove("stiffness")
        designs = [{"type": "number", "of": of} for of in r.sample(numbers, 2)] + [{"type": "number", "of": "mass", "bodies": [names[0]]}]
        objectives = [{"type": "reach", "body": name, "target": r.point()} for name in names] + [{"type": "velocity", "bodies": [names[0]], "weight": 0.1}]
        return {"time": self.time, "contact": self.contact, "shapes": shapes, "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground"}, *bodies],
                "control": [{"type": "initial_state", "body": names[0], "velocity": "xyz", "angular_velocity": "y"}], "objective": objectives, "design": designs}


MODELS = ["bsh", "exact", "ipc", "sdrs", "manifold", "bsh leaves", "exact leaves"]
KINDS = {"rigid": Rigid, "soft": Soft, "impact": Impact}
