#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""MJCF models drawn with attributes of contacts beside MuJoCo: who touches whom, and with which friction?

    scripts/soak/mjcf_contacts.py --mujoco .../@mujoco/mujoco/mujoco.js [--draws 100] [--seed 1] [--build build] [--acting] [--keep FOLDER] [--verbose]

Boxes slide over a floor, a table that stands still and each other's lids, with drawn friction, condim, priority, masks, pairs, exclusions, classes, solmix, margins and gaps.
After half a second a box must be where MuJoCo has it: it rests, or falls through, alike (2 cm), and its way along the floor is alike (8 % and 1 cm).  Otherwise the draw is
"named" where `dcsim check` names a drawn attribute that does not act, and "silent" where it does not: those are faults.
"""
import collections
import json
import os
import random
import subprocess
import sys
import tempfile

from beside_mujoco import begin, keep, options, robot_motion, tell

TIME = 0.5


def attributes_of(attributes):
    return "".join(' %s="%s"' % item for item in attributes.items())


ABSENT = ("solmix", "margin", "gap")  # do not act and are named


def draw_geom(generator, words, absent):
    """Attributes of contacts, one to three of them."""
    choices = {"friction": lambda: "%.2f" % generator.choice((0, .1, .3, .6, 1)), "condim": lambda: generator.choice((1, 3, 4, 6)), "priority": lambda: generator.choice((-1, 1, 2)),
               "contype": lambda: generator.choice((0, 1, 2, 3)), "conaffinity": lambda: generator.choice((0, 1, 2, 3)), "solmix": lambda: "%.1f" % generator.uniform(.1, 9),
               "margin": lambda: "%.3f" % generator.uniform(0, .03), "gap": lambda: "%.3f" % generator.uniform(0, .03), "class": lambda: "c"}
    names = generator.sample(sorted(set(choices) - set(() if absent else ABSENT)), generator.choice((0, 0, 1, 1, 2, 3)))
    words.update(names)
    return {name: choices[name]() for name in names}


def draw_model(seed, absent):
    generator = random.Random(seed)
    words = set()
    extra = "".join('<pair%s/>' % attributes_of(dict({"geom1": generator.choice(("g0", "g1", "g2", "lid")), "geom2": generator.choice(("floor", "top"))},
                                                     **generator.choice(({"friction": "%.2f %.2f" % ((generator.choice((.05, .2, .5, .9)),) * 2)}, {"condim": generator.choice((1, 3))}, {"condim": 1, "friction": ".5 .5"}, {"class": "c"}, {}))))
                    for _ in range(generator.choice((0, 0, 1, 2))))
    if generator.random() < .25:
        extra += '<exclude body1="%s" body2="%s"/>' % (generator.choice(("b0", "b1", "b2")), generator.choice(("world", "table", "b1", "b2")))
    default = '<default><geom%s/><default class="c"><geom friction=".2" condim="%s"/><pair friction=".4 .4"/></default></default>' % (attributes_of({"friction": ".8"} if generator.random() < .3 else {}), generator.choice((1, 3)))
    option = generator.choice(("", "", '<option><flag filterparent="disable"/></option>', '<option><flag contact="disable"/></option>') +
                              (('<option impratio="5"/>', '<option o_friction=".3 .3 .005 .0001 .0001"><flag override="enable"/></option>') if absent else ()))
    words.update({"override"} if "override" in option else {"impratio"} if "impratio" in option else ())
    text = '<mujoco><option timestep=".001" cone="elliptic" integrator="implicitfast"/>%s%s<contact>%s</contact><worldbody><geom name="floor" type="plane" size="9 9 1"%s/>' % (default, option, extra, attributes_of(draw_geom(generator, words, absent)))
    hung = generator.random() < .5  # the box b1 hangs on the table by a free way along x and z
    text += '<body name="table" pos="0 4 .5"><geom name="top" type="box" size="3 .5 .05"%s/>%s</body>' % (
        attributes_of(draw_geom(generator, words, absent)), '<body name="b1" pos="0 0 .1012"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><geom name="g1" type="box" size=".1 .1 .05"%s/></body>' % attributes_of(draw_geom(generator, words, absent)) if hung else "")
    text += '<body name="b0" pos="0 0 .0512"><freejoint/><geom name="g0" type="box" size=".1 .1 .05"%s/></body>' % attributes_of(draw_geom(generator, words, absent))
    if not hung:
        text += '<body name="b1" pos="0 4 .6012"><freejoint/><geom name="g1" type="box" size=".1 .1 .05"%s/></body>' % attributes_of(draw_geom(generator, words, absent))
    text += '<body name="b2" pos="0 -4 .0512"><freejoint/><geom name="g2" type="box" size=".1 .1 .04"%s/><geom name="lid" type="box" size=".1 .1 .01" pos="0 0 -.04"%s/></body></worldbody>' % (
        attributes_of(draw_geom(generator, words, absent)), attributes_of(draw_geom(generator, words, absent)))
    hinges = {"b1": 2 if hung else 6, "b0": 6, "b2": 6}
    order = ["b1", "b0", "b2"] if hung else ["b0", "b1", "b2"]
    velocities = " ".join(" ".join(["%.2f" % generator.uniform(.5, 1.5)] + ["0"] * (hinges[name] - 1)) for name in order)
    places = {"b0": "0 0 .0512 1 0 0 0", "b1": "0 0" if hung else "0 4 .6012 1 0 0 0", "b2": "0 -4 .0512 1 0 0 0"}
    return text + '<keyframe><key name="motion" qpos="%s" qvel="%s"/></keyframe></mujoco>' % (" ".join(places[name] for name in order), velocities), words


def judge(arguments, node, text, words, folder):
    with open(os.path.join(folder, "model.xml"), "w") as file:
        file.write(text)
    reference = robot_motion.ask(node, {"text": text, "step": 1e-3, "keyframe": "motion", "contact": True, "time": TIME})
    if "error" in reference:
        return "not MuJoCo's", reference["error"]
    scene = os.path.join(folder, "scene.json")
    with open(scene, "w") as file:
        json.dump({"time": {"step": 0.005, "steps": int(TIME / 0.005)}, "contact": {"model": "bsh"}, "include": {"file": "model.xml", "keyframe": "motion", "overlaps": "separate"}}, file)
    faults = []
    try:
        import dcsim
        problem = dcsim.open(scene).problem(int(TIME / 0.005))
        problem.value(problem.initial)
        trajectory, names = problem.trajectory(), [body.name for body in problem.scene.bodies]
        for begun, end in zip(reference["bodies"], reference["end"]):
            if begun["name"] not in ("b0", "b1", "b2"):
                continue
            place, start = trajectory.position[-1, names.index(begun["name"])], begun["place"]
            way, ours = end["place"][0] - start[0], place[0] - start[0]
            if abs(place[2] - end["place"][2]) > 0.02 or abs(ours - way) > 0.08 * abs(way) + 0.01:
                faults.append("%s at (%.3f, %.3f), MuJoCo (%.3f, %.3f)" % (begun["name"], ours, place[2], way, end["place"][2]))
    except Exception as error:
        faults.append(str(error))
    if not faults:
        return "same", ""
    done = subprocess.run([os.path.join(arguments.build, "dcsim"), "check", scene], capture_output=True, text=True)
    notes = [line.strip() for line in (done.stderr + done.stdout).splitlines() if "note: " in line or "error" in line]
    named = any(word in note and ("does not act" in note or "not applied" in note) for word in words for note in notes)
    return "named" if named else "silent", "%s %s" % ("; ".join(faults), " | ".join(notes))


def main():
    parser = options(__doc__, 100)
    parser.add_argument("--acting", action="store_true", help="without attributes that do not act")
    parser.add_argument("--verbose", action="store_true")
    arguments, node = begin(parser)
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for k in range(arguments.draws):
            text, words = draw_model("%d %d" % (arguments.seed, k), not arguments.acting)
            verdict, why = judge(arguments, node, text, words, folder)
            counts[verdict] += 1
            if verdict == "silent" or arguments.verbose:
                print("%s: draw %d (%s): %s" % (verdict, k, ", ".join(sorted(words)), why), flush=True)
            if verdict == "silent":
                keep(arguments, "contact-%d-%d.xml" % (arguments.seed, k), text)
    return tell(counts, "silent")


if __name__ == "__main__":
    sys.exit(main())
