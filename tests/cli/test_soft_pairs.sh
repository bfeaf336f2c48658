#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What drives soft bodies (pressure, chambers, fibres, growth), with what they meet (ground, a rigid body, another soft
# one, themselves), under every contact model, in whole and in divided steps, in pairs and triples: each acts or is
# refused by its name, and gradients are right.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
have_python || { echo "1..0 # SKIP no python3"; exit 0; }

cat >pairs.py <<'END'
import json, subprocess, sys
dcsim, whole = sys.argv[1], sys.argv[2] == "whole"
ALL = {"low": [-1, -1, -1], "high": [1, 1, 1]}
SOLID = {"size": [0.09, 0.06, 0.06], "cells": [3, 3, 3], "young": 2e4, "poisson": 0.3, "viscosity": 5, "self_contact": False}
# a drive: what the soft body needs for it, and a value of its coordinate
DRIVES = {"pressure": (SOLID, 900),
          "air": (dict(SOLID, chambers=[{"name": "air", "low": [-0.016, -0.011, -0.011], "high": [0.016, 0.011, 0.011]}]), 2000),
          "fibre": (dict(SOLID, muscles=[dict(ALL, name="fibre", direction=[1, 0, 0.2])]), 0.2),
          "growth": (dict(SOLID, muscles=[dict(ALL, name="growth", kind="growth")]), 0.1),
          "warp": ({"type": "cloth", "size": [0.1, 0.1], "cells": [3, 3], "young": 1e5, "thickness": 0.002, "self_contact": False,
                    "muscles": [dict(ALL, name="warp", direction=[1, 0, 0])]}, 0.2),
          "cord": ({"type": "rod", "size": [0.15], "cells": [5], "young": 1e6, "thickness": 0.01, "self_contact": False,
                    "muscles": [dict(ALL, name="cord", direction=[1, 0, 0])]}, 0.2)}
def scene(drive, meets, model="bsh", fast=False, value=None, integrator=None):
    soft, full = DRIVES[drive]
    soft = dict(soft, self_contact=meets == "itself")
    # nothing is nearer at the start than the range of contact: a solid with half of its height below its middle
    half = 0.03 if drive in ("pressure", "air", "fibre", "growth") else 0
    d = {"name": "pairs", "time": {"step": 0.01, "steps": 8}, "gravity": [0, 0, -9.81], "contact": {"model": model, "friction": 0.4},
         "shapes": {"ground": {"type": "plane"}, "plate": {"type": "box", "size": [0.4, 0.4, 0.04], "surface": "mesh"}},
         "bodies": [{"name": "b", "soft": soft, "density": 300, "position": [0, 0, half + 0.012], "velocity": [12, 3, -6] if fast else [0.3, 0, -0.6]}],
         "control": [{"type": "path", "body": "b", "coordinates": drive, "times": [0], "positions": [full if value is None else value]}],
         "objective": [{"type": "reach", "body": "b", "target": [0.3, 0.2, 0.1]}]}
    if integrator:
        d["time"]["integrator"] = integrator
    if meets in ("ground", "itself"):
        d["bodies"].append({"name": "ground", "joint": "fixed", "shape": "ground"})
    elif meets == "body":
        d["bodies"].append({"name": "plate", "shape": "plate", "mass": 0.5, "position": [0, 0, -0.02]})
    elif meets == "fixed":
        d["bodies"].append({"name": "plate", "joint": "fixed", "shape": "plate", "position": [0, 0, -0.02]})
    if fast:  # a step would go through a corner of a small cube
        d["shapes"]["plate"]["size"] = [0.03, 0.03, 0.03]
        d["bodies"][1].update(position=[0.02, 0.005, -0.02], rotation=[0.924, 0.2705, 0.2705, 0])
    if meets == "soft":
        d["bodies"].append({"name": "bed", "soft": {"size": [0.2, 0.2, 0.04], "cells": [3, 3, 1], "young": 1e4, "self_contact": False,
                            "pins": [{"low": [-1, -1, -1], "high": [1, 1, -0.019]}]}, "position": [0, 0, -0.02]})
    d["bodies"].append({"name": "p", "parent": "b", "joint": "fixed", "position": [0.03, 0, half + 0.012]})
    d["objective"].append({"type": "reach", "body": "p", "target": [0.3, 0.2, 0.1]})
    return d
def simulate(d):
    json.dump(d, open("cell.json", "w"))
    return subprocess.run([dcsim, "simulate", "cell.json", "-o", "none", "--json", "--threads", "1"], capture_output=True, text=True)
cells = {"acts": [], "refused": [], "silent": [], "whole": []}
def look(name, drive, *rest, **more):
    on = simulate(scene(drive, *rest, **more))
    if on.returncode == 3 and on.stderr.strip():
        return cells["refused"].append(name + ": " + on.stderr.strip()[-200:])
    off = simulate(scene(drive, *rest, value=0, **more))
    if on.returncode or off.returncode:
        print(name, on.returncode, off.returncode, (on.stderr + off.stderr)[-300:])
        return cells["silent"].append(name)
    a, b = json.loads(on.stdout), json.loads(off.stdout)
    if abs(a["loss"] - b["loss"]) <= 1e-9 * abs(b["loss"]):
        print(name, "does not act")
        return cells["silent"].append(name)
    if more.get("fast") and a["divided_steps"] == 0:
        cells["whole"].append(name)
    cells["acts"].append(name)
models = [m["name"] for m in json.loads(subprocess.run([dcsim, "list", "models", "--json"], capture_output=True, text=True, check=True).stdout)["models"]]
# of a sample one drive of cells and one of edges
for drive in DRIVES if whole else ("fibre", "cord"):
    for meets in ("nothing", "ground", "fixed", "body", "soft", "itself"):
        look(f"{drive} {meets}", drive, meets)
        if meets in ("fixed", "body"):  # half-spaces divide no step
            look(f"{drive} {meets} divided", drive, meets, fast=True)
    for model in models if drive != "pressure" else ():  # pressures of surfaces and chambers are one term
        look(f"{drive} {model}", drive, "body", model)
        if model != "bsh":
            look(f"{drive} {model} divided", drive, "body", model, fast=True)
    look(f"{drive} second order", drive, "ground", integrator="second_order")
print({k: len(v) for k, v in cells.items()})
json.dump(cells, open("cells.json", "w"))

# all drives of solids at once, for gradients, meeting each
soft = dict(SOLID, chambers=DRIVES["air"][0]["chambers"],
            muscles=[{"name": "fibre", "low": [-1, -1, 0.011], "high": [1, 1, 1], "direction": [1, 0, 0.2]},
                     {"name": "growth", "kind": "growth", "low": [-1, -1, -1], "high": [1, 1, -0.011]}])
for name, meets, fast, integrator in (("ground", "ground", False, None), ("body", "body", False, None), ("soft", "soft", False, None),
                                      ("divided", "body", True, None), ("second", "ground", False, "second_order"),
                                      ("second_divided", "body", True, "second_order")):
    d = scene("fibre", meets, fast=fast, integrator=integrator)
    d["bodies"][0]["soft"] = soft
    d["time"]["steps"] = 7  # after 6 the derivative by the mass nearly vanishes in second order
    d["control"] = [{"type": "spline", "body": "b", "knots": 2, "initial": [500, 1000, 0.1, 0.05]}]
    json.dump(d, open(name + ".json", "w"))
END
check "every cell is computed" "$interpreter" -I -S pairs.py "$dcsim" "$(sample whole some)"
sed 's/^/# /' "$scratch/check"
"$interpreter" -I -S -c 'import json; print("\n".join(json.load(open("cells.json"))["refused"]))' | sed 's/^/# /'
holds "nothing is silent" cells.json 'd["silent"] == []'
holds "fast ones are divided" cells.json 'd["whole"] == []'
for scene in $(sample "ground body soft divided second second_divided" "ground second"); do
  run 0 gradcheck $scene.json --json --threads 1
  holds "gradients by drives: $scene" "$out" 'd["max_relative_error"] <= 1e-6 and d["products"]["tangent_adjoint"] <= 1e-10'
done
finish
