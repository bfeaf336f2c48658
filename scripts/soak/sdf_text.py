# SPDX-License-Identifier: Apache-2.0
"""A tree of scripts/soak/robot_trees.py as SDF: models in models, included and merged files, frames, poses and axes in frames that are drawn.

Names are seen within a model: its own and those of models inside, with "::".  What has been given a pose already may be a base of the next one, so that there are no circles; the
order of the elements is drawn.
"""
import math

from robot_trees import draw_pose, quaternion_of
from urdf_draws import apply, compose, inverse, numbers, rpy_of


class Model:
    """name: in its parent; kind: plain, included or merged; prefix: of names of its members in a scene."""

    def __init__(self, name, parent, kind, world, prefix):
        self.name, self.parent, self.kind, self.world, self.prefix = name, parent, kind, world, prefix
        self.items, self.frames, self.links, self.version = [], {"__model__": world}, [], "1.9"
        self.attached = {}  # a frame's link
        self.canonical = ""  # the link that is told to be the model's

    def add(self, name, pose, link=None):
        """A frame of the model, by its names in this one and those around."""
        self.frames[name] = pose
        if link is not None:
            self.attached[name] = link
        if self.parent:
            self.parent.add(name if self.kind == "merged" else "%s::%s" % (self.name, name), pose, link)


class Bases:
    """The frames that were there before a model, which its own pose may name."""

    def __init__(self, frames):
        self.frames = frames


class Writer:
    def __init__(self, links, generator, world, old):
        self.random, self.links, self.old = generator, links, old
        self.world = world  # the name of a second model makes prefixes
        self.files, self.count = {}, 0
        root = Model("r", None, "plain", draw_pose(generator), "r::" if world == "two" else "")
        self.models = [root]
        if not old:
            for k in range(generator.choice((0, 0, 1, 2, 3))):
                parent, kind = generator.choice(self.models), generator.choice(("plain", "plain", "included", "merged"))
                while kind == "merged" and parent.kind == "merged":
                    parent = parent.parent
                name = "n%d" % k
                self.models.append(Model(name, parent, kind, draw_pose(generator), parent.prefix + ("" if kind == "merged" else name + "::")))
        self.home = {link["name"]: generator.choice(self.models) for link in links}
        for link in links:
            self.home[link["name"]].links.append(link)
        for model in list(self.models):  # a model has a link
            if not self.inside(model):
                self.models.remove(model)

    def inside(self, model):
        return [one for one in self.links if self.within(self.home[one["name"]], model)]

    @staticmethod
    def within(model, other):
        while model and model is not other:
            model = model.parent
        return model is other

    def named(self, link):
        return self.home[link["name"]].prefix + link["name"]

    def pose(self, model, world, default, attributes=""):
        """<pose> of what stands at `world`, in the frame `default` or in one that is drawn; empty where there is nothing to say."""
        base, frame = "", default
        if not self.old and self.random.random() < .5:
            base = self.random.choice(sorted(model.frames))
            frame = model.frames[base]
        pose = compose(inverse(frame), world)
        if base:
            attributes += ' relative_to="%s"' % base
        values = pose[0] + rpy_of(pose[1])
        if not self.old and self.random.random() < .1:
            w, x, y, z = quaternion_of(pose[1])
            return '<pose%s rotation_format="quat_xyzw">%s</pose>' % (attributes, numbers(pose[0] + [x, y, z, w]))
        if not self.old and self.random.random() < .3:
            attributes += ' degrees="true"'
            values = pose[0] + [math.degrees(value) for value in rpy_of(pose[1])]
        if not base and max(map(abs, values)) < 1e-12 and self.random.random() < .7:
            return ""
        return "<pose%s>%s</pose>" % (attributes, numbers(values))

    def own(self, pose):
        return "<pose>%s</pose>" % numbers(pose[0] + rpy_of(pose[1]))

    def link(self, model, link):
        text = self.pose(model, link["world"], model.world)
        if link.get("weightless"):
            text += "<gravity>false</gravity>"
        if link["inertial"]:
            mass, frame, tensor = link["inertial"]
            names = (("ixx", 0, 0), ("iyy", 1, 1), ("izz", 2, 2), ("ixy", 0, 1), ("ixz", 0, 2), ("iyz", 1, 2))
            text += "<inertial>%s<mass>%.15g</mass><inertia>%s</inertia></inertial>" % (self.own(frame), mass, "".join("<%s>%.15g</%s>" % (name, tensor[i][k], name) for name, i, k in names))
        else:
            text += '<inertial auto="true"/>'
        for k, (kind, values, _, place) in enumerate(link["shapes"]):
            where = self.pose(model, compose(link["world"], place), link["world"]) if self.random.random() < .5 else self.own(place)
            text += '<collision name="c%d">%s<geometry>%s</geometry></collision>' % (k, where, self.shape(kind, values))
        model.add(link["name"], link["world"], link)
        return '<link name="%s">%s</link>' % (link["name"], text)

    @staticmethod
    def shape(kind, values):
        inner = {"box": "<size>%s</size>", "sphere": "<radius>%s</radius>"}
        if kind == "cylinder":
            return "<cylinder><radius>%.12g</radius><length>%.12g</length></cylinder>" % tuple(values)
        if kind == "mesh":
            return "<mesh><uri>%s.obj</uri><scale>%s</scale></mesh>" % (values[0], numbers(values[1:]))
        return "<%s>%s</%s>" % (kind, inner[kind] % numbers(values), kind)

    def frame(self, model):
        """A frame of its own, attached to something with a link, at any place."""
        to = self.random.choice(sorted(model.attached))
        pose = draw_pose(self.random, 1)
        name = "f%d" % self.count
        self.count += 1
        text = '<frame name="%s" attached_to="%s">%s</frame>' % (name, to, self.pose(model, pose, model.frames[to]))
        model.add(name, pose, model.attached[to])
        return text

    def end(self, model, link):
        """A name of the link as a joint's end, which may be that of a frame on it."""
        names = [name for name, one in sorted(model.attached.items()) if one is link]
        plain = [name for name in names if name.split("::")[-1] == link["name"]]
        return self.random.choice(names) if not self.old and self.random.random() < .4 else plain[0]

    def axis(self, model, link, k):
        axis, expressed, flag = link["axes"][k], "", ""
        if self.old:
            if self.old == "1.4" or self.random.random() < .5:
                axis = apply(inverse(model.world)[1], apply(link["frame"][1], axis))
                flag = "<use_parent_model_frame>1</use_parent_model_frame>" if self.old != "1.4" else ""
        elif self.random.random() < .5:
            name = self.random.choice(sorted(model.frames))
            axis = apply(inverse(model.frames[name])[1], apply(link["frame"][1], axis))
            expressed = ' expressed_in="%s"' % name
        limit = "<limit><lower>%.12g</lower><upper>%.12g</upper></limit>" % (link["range"] or (-90, 90)) if link["type"] not in ("continuous", "universal") or link["range"] else ""
        mimic = ""
        if link["mimic"]:
            reference = self.random.choice((0, .1))
            mimic = '<mimic joint="%s"><multiplier>%.12g</multiplier><offset>%.12g</offset><reference>%g</reference></mimic>' % (
                self.seen_joint(model, link["mimic"][0]), link["mimic"][1], link["mimic"][2] + link["mimic"][1] * reference, reference)
        start = "<initial_position>%.12g</initial_position>" % link["start"][k] if link["start"][k] else ""
        spring = "<spring_reference>%.12g</spring_reference><spring_stiffness>%.12g</spring_stiffness>" % (link["rest"][k], link["stiffness"][k]) if link["stiffness"][k] else ""
        name = "axis2" if k else "axis"
        return "<%s><xyz%s>%s</xyz>%s%s%s%s<dynamics><damping>%.12g</damping><friction>%.12g</friction>%s</dynamics></%s>" % (
            name, expressed, numbers(axis), flag, start, limit, mimic, link["damping"][k], link["friction"][k], spring, name)

    def joint(self, model, link):
        kind = link["type"]
        parent = "world" if link["parent"] < 0 else self.end(model, self.links[link["parent"]])
        child = self.end(model, link)
        inner = ""
        if kind == "ball":
            inner = "<axis><xyz>0 0 1</xyz><dynamics><damping>%.12g</damping></dynamics></axis>" % link["damping"][0] if link["damping"][0] else ""
        elif kind != "fixed":
            inner = "".join(self.axis(model, link, k) for k in range(len(link["axes"])))
        name = "j" + link["name"]
        text = '<joint name="%s" type="%s"><parent>%s</parent><child>%s</child>%s%s</joint>' % (name, kind, parent, child, self.pose(model, link["frame"], model.frames[child]), inner)
        model.add(name, link["frame"], link)
        return text

    def scope_of(self, link):
        """The model whose joint it is: that which sees both ends, or one around it."""
        first = self.home[link["name"]]
        scopes = []
        while first:
            if link["parent"] < 0 or self.within(self.home[self.links[link["parent"]]["name"]], first):
                scopes.append(first)
            first = first.parent
        return scopes[0] if self.random.random() < .7 else self.random.choice(scopes)

    def seen_joint(self, model, leader):
        """The name of the joint to a link in a model around it or the same."""
        scope, path = self.scope[leader], "j" + leader
        while scope is not model:
            path, scope = path if scope.kind == "merged" else "%s::%s" % (scope.name, path), scope.parent
        return path

    def model(self, model):
        """The text of a model whose own frame is in those of its parent."""
        bases = dict(model.parent.frames) if model.parent else {}
        if model.links and not self.old and self.random.random() < .5:
            model.canonical = self.random.choice(model.links)["name"]
        items = [self.link(model, link) for link in model.links]
        for inner in (one for one in self.models if one.parent is model):
            items.append(self.model(inner))
            if not self.old and self.random.random() < .5:
                items.append(self.frame(model))
        for _ in range(self.random.choice((0, 1, 2)) if not self.old and model.attached else 0):
            items.append(self.frame(model))
        items += [self.joint(model, link) for link in self.links if self.scope[link["name"]] is model and link["type"] != "floating"]
        items += self.loops(model)
        self.random.shuffle(items)
        canonical = ' canonical_link="%s"' % model.canonical if model.canonical else ""
        placed = self.random.choice(sorted(model.frames)) if model.kind != "merged" and not self.old and self.random.random() < .3 else ""
        where = model.frames[placed] if placed else model.world  # what the pose puts there
        begun = self.pose(Bases(bases), where, model.parent.world) if model.parent else self.own(where)
        if model.parent and model.kind != "merged":
            model.parent.frames[model.name] = model.world
            if model.canonical:
                model.parent.attached[model.name] = next(link for link in model.links if link["name"] == model.canonical)
        if model.kind == "plain":
            return '<model name="%s"%s%s>%s%s</model>' % (model.name, canonical, ' placement_frame="%s"' % placed if placed else "", begun, "".join(items))
        name = "file_%s.sdf" % model.name
        inside = self.own(draw_pose(self.random))  # the pose of the include counts
        self.files[name] = '<sdf version="1.10"><model name="%s"%s>%s%s</model></sdf>' % (self.random.choice((model.name, "other")), canonical, inside, "".join(items))
        return '<include%s><uri>%s</uri><name>%s</name>%s%s</include>' % (
            ' merge="true"' if model.kind == "merged" else "", name, model.name, begun or "<pose>0 0 0 0 0 0</pose>", "<placement_frame>%s</placement_frame>" % placed if placed else "")

    def loops(self, model):
        return [self.loop_text(model, *loop) for loop in self.closed if self.loop_scope(loop) is model]

    def loop_scope(self, loop):
        model = self.home[loop[1]["name"]]
        while not self.within(self.home[loop[0]["name"]], model):
            model = model.parent
        return model

    def loop_text(self, model, parent, child, kind, frame):
        return '<joint name="loop" type="%s"><parent>%s</parent><child>%s</child>%s%s</joint>' % (
            kind, self.end(model, parent), self.end(model, child), self.loop_pose(model, child, frame),
            "<axis><xyz>0 0 1</xyz></axis>" if kind == "revolute" else "")

    def loop_pose(self, model, child, frame):
        base = next(name for name, one in sorted(model.attached.items()) if one is child and name.split("::")[-1] == child["name"])
        pose = compose(inverse(model.frames[base]), frame)
        return '<pose relative_to="%s">%s</pose>' % (base, numbers(pose[0] + rpy_of(pose[1])))

    def text(self, gravity=None, closed=()):
        self.closed = closed
        self.scope = {link["name"]: self.scope_of(link) for link in self.links}
        for link in self.links:
            if link["mimic"]:  # sees its leader
                while not self.within(self.scope[link["mimic"][0]], self.scope[link["name"]]):
                    self.scope[link["name"]] = self.scope[link["name"]].parent
        body = self.model(self.models[0])
        if self.world:
            body = '<world name="w">%s%s%s</world>' % ("<gravity>%s</gravity>" % numbers(gravity), body,
                                                     '<model name="still"><static>true</static><link name="l0"><pose>9 0 0 0 0 0</pose></link></model>' if self.world == "two" else "")
        return '<sdf version="%s">%s</sdf>' % (self.old or self.random.choice(("1.7", "1.8", "1.9", "1.11")), body)
