#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where bodies of the task scenes come to rest under each contact model, and settings that let them rest alike.

    scripts/paper/resting-gap [SCENE ...] [--model NAME ...] [--write] [--dcsim FILE]

For one upright body of a scene the gap to what lies below is sought at which contact carries its weight (dcsim probe).
Of a model of short range the range is set to twice the gap at which the body rests under bsh, and the stiffness, in
which force is linear, so that it rests at that gap; the gap is then sought anew.  --write puts the settings into the
line "models" of the scene.  What stands there for other models and other sections stays as it is.
"""
import argparse
import json
import math
import os
import re
import subprocess
import sys

from compare import ROOT, SCENES, override, scene_of

# The body whose rest counts, of each scene.
BODIES = {"ant_push": "box", "billiards": "ball1", "gather": "cube0", "gather_bunny": "bunny0", "push": "box", "sort": "cube0"}
# Settings of a model whose bodies shall rest at a gap, but for the stiffness.
RANGE = {"ipc": lambda gap: {"dhat": 2 * gap}, "sdrs": lambda gap: {"length": 1, "support": 2 * gap}}


def two_digits(value):
    return float(f"{value:.2g}")


class Body:
    """A body of a scene above what carries it.

    weight: N.  touch: height of its origin at gap 0, m.
    """

    def __init__(self, dcsim, scene, name):
        self.dcsim, self.scene, self.name = dcsim, scene, name
        description = scene_of(scene)
        body = next(body for body in description["bodies"] if body["name"] == name)
        self.position = body["position"]
        self.weight = -description.get("gravity", [0, 0, -9.81])[2] * body["mass"]
        self.fixed = {body["name"] for body in description["bodies"] if body.get("joint") == "fixed"}
        self.stiffness = description["contact"]["stiffness"]
        found = self.probe("bsh", {}, self.position[2])
        if not found:
            sys.exit(f"{scene}: dcsim probe fails; has scripts/fetch-meshes.sh got the mesh?")
        self.start_gap = found[1]
        self.touch = self.position[2] - found[1]

    def probe(self, model, contact, height):
        """Upward force, N, and gap to the fixed bodies, m, with the origin at a height; None if the pose is refused."""
        x, y, _ = self.position
        settings = [override("contact." + name, value) for name, value in contact.items()]
        settings.append(override(f"bodies.{self.name}.position", [x, y, height]))
        command = [self.dcsim, "probe", os.path.join(SCENES, self.scene + ".json"), "--json", "--model", model,
                   "--allow-path", os.path.join(ROOT, "meshes")]
        command += [word for setting in settings for word in ("--set", setting)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return None
        result = json.loads(done.stdout)
        bodies = [({pair["a"], pair["b"]}, pair["gap"]) for pair in result["pairs"]]
        gaps = [gap for pair, gap in bodies if self.name in pair and self.fixed & pair]
        return result["bodies"][self.name]["force"][2], min(gaps, default=math.inf)

    def rest(self, model, contact):
        """Gap at which contact carries the weight, m, by bisection between 1e-7 and 1 m; None where it never does."""
        low, high = 1e-7, 1.0
        for _ in range(40):
            middle = math.sqrt(low * high)
            found = self.probe(model, contact, self.touch + middle)
            if found is None or found[0] > self.weight:
                low = middle
            else:
                high = middle
            if high < 1.001 * low:
                return None if high > 0.99 or low < 1.01e-7 else middle
        return None

    def settings(self, model, gap):
        """Contact settings with which it rests at a gap under a model; None where that has no force there."""
        contact = {name: value if isinstance(value, int) else two_digits(value) for name, value in RANGE[model](gap).items()}
        found = self.probe(model, {**contact, "stiffness": self.stiffness}, self.touch + gap)
        if found is None or found[0] <= 0:
            return None
        return {**contact, "stiffness": two_digits(self.stiffness * self.weight / found[0])}


def with_models(text, models):
    """The text of a scene with its overlays, in one line, replaced or put before the camera."""
    line = '  "models": ' + json.dumps(models) + ",\n"
    if re.search(r'^  "models": .*,\n', text, flags=re.M):
        return re.sub(r'^  "models": .*,\n', lambda match: line, text, flags=re.M)
    return re.sub(r'^  "camera": ', lambda match: line + match.group(0), text, count=1, flags=re.M)


def write(scene, found):
    """Puts contact settings by model into the scene's file."""
    models = scene_of(scene).get("models", {})
    for model, contact in found.items():
        models.setdefault(model, {})["contact"] = contact
    path = os.path.join(SCENES, scene + ".json")
    with open(path, encoding="utf-8") as file:
        text = with_models(file.read(), models)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    if scene_of(scene).get("models") != models:
        sys.exit(f"{scene}: there is no line \"models\" or \"camera\" to write to")


def shown(gap):
    return "does not rest" if gap is None else f"rests at {1e3 * gap:.4g} mm"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help="default: all but gather_bunny without its mesh")
    parser.add_argument("--model", action="append")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--dcsim", default=os.path.join(ROOT, "build", "dcsim"))
    options = parser.parse_args()
    dcsim = os.path.abspath(options.dcsim)
    built = {entry["name"] for entry in json.loads(subprocess.run(
        [dcsim, "list", "models", "--json"], capture_output=True, text=True, check=True).stdout)["models"]}
    scenes = options.scenes or [scene for scene in BODIES if scene != "gather_bunny" or os.path.exists(
        os.path.join(ROOT, "meshes", "bunny.obj"))]
    for scene in scenes:
        if scene not in BODIES:
            sys.exit(f"{scene}: not a task scene; there are {', '.join(BODIES)}")
        body = Body(dcsim, scene, BODIES[scene])
        gap = body.rest("bsh", {})
        print(f"{scene}: {body.name} of {body.weight:.4g} N starts at {1e3 * body.start_gap:.4g} mm; bsh {shown(gap)}")
        settings = {}
        for model in options.model or ["exact", "ipc-global", *RANGE]:
            if model not in built:
                print(f"  {model}: not built")
                continue
            print(f"  {model}: {shown(body.rest(model, {}))} as it is set")
            if model not in RANGE or gap is None:
                continue
            proposed = body.settings(model, gap)
            if proposed is None:
                print("    no settings found: no force at half its range")
                continue
            print(f"    with {json.dumps(proposed)} {shown(body.rest(model, proposed))}")
            settings[model] = proposed
        if options.write and settings:
            write(scene, settings)


if __name__ == "__main__":
    main()
