#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every option of a body and of "soft" on solids, cloth, rods, points on soft bodies and cables: it changes the motion,
# or it is refused by its name.  The few that are seen elsewhere are listed with the place.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
have_python || { echo "1..0 # SKIP no python3"; exit 0; }

cat >options.py <<'END'
import json, subprocess, sys
dcsim = sys.argv[1]
KINDS = {"solid": {"size": [0.1, 0.08, 0.06], "cells": [2, 2, 2], "young": 1e4, "poisson": 0.3},
         "cloth": {"type": "cloth", "size": [0.12, 0.1], "cells": [3, 3], "young": 1e5, "thickness": 0.004},
         "rod": {"type": "rod", "size": [0.2], "cells": [4], "young": 1e6, "thickness": 0.01}}
def scene(kind):
    """A soft body lands on the ground and a ball on it; a cable runs from a point of it to a slide."""
    return {"name": "options", "time": {"step": 0.01, "steps": 14}, "gravity": [0.5, 0, -9.81], "contact": {"friction": 0.4},
            "shapes": {"ground": {"type": "plane"}, "ball": {"type": "sphere", "radius": 0.03, "level": 1}, "plate": {"type": "box", "size": [0.02, 0.02, 0.02]}},
            "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground"},
                       {"name": "ball", "shape": "ball", "position": [0.01, 0.005, 0.15], "velocity": [0.2, 0, -1.5], "mass": 0.3},
                       {"name": "b", "soft": dict(KINDS[kind]), "density": 300, "position": [0, 0, 0.05], "velocity": [0, 0, -0.5]},
                       {"name": "m", "parent": "b", "joint": "fixed", "position": [0, 0, 0.05], "mass": 0.02},
                       {"name": "hand", "joint": "slide", "axis": [0, 0, 1], "shape": "plate", "position": [0, 0.5, 0.3], "mass": 0.5, "pd": {"kp": 100, "kd": 1}},
                       {"name": "eye", "joint": "fixed", "position": [0, 0, 0.4]},
                       {"name": "c", "cable": {"through": ["eye", "m", "hand"], "stiffness": 50, "smoothing": 0.01}}],
            "objective": [{"type": "reach", "body": x, "target": [0.3, 0.2, 0.1]} for x in ("b", "m", "ball", "hand")]}
# values other than the defaults
BODY = {"joint": "hinge", "parent": "hand", "frame": "parent", "shape": "ball", "visual": "ball", "density": 500, "mass": 0.3,
        "inertia": [1, 1, 1, 0, 0, 0], "center_of_mass": [0, 0, 0.01], "buoyancy": 0.5, "mass_model": "shell", "position": [0.005, 0, 0.05], "rotation": [0.96, 0, 0, 0.28],
        "velocity": [0.1, 0, 0], "angular_velocity": [0, 1, 0], "axis": [1, 0, 0], "anchor": [0, 0, 0.1], "range": [-1, 1], "joint_position": [0.1],
        "joint_velocity": [0.1], "limit_stiffness": 1e-3, "velocity_limit": 1, "effort_limit": 1, "pd": {"kp": 3}, "cable": {"through": ["ball", "hand"]},
        "friction": 0.9, "friction_with": [{"body": "ball", "friction": 0.9}], "restitution": 0.5, "collide": False, "collide_parent": True,
        "collide_except": ["ball"], "near_only": ["ball"], "color": [1, 0, 0]}
SOFT = {"form": "sphere", "element": "quadratic", "scale": 2, "cells": {"solid": [2, 2, 3], "cloth": [3, 4], "rod": [5]}, "taper": 0.5, "thickness": 0.006,
        "size": {"solid": [0.09, 0.08, 0.06], "cloth": [0.11, 0.1], "rod": [0.19]}, "bending": 1e-3, "material": "arap", "young": 2e4, "poisson": 0.1, "viscosity": 5,
        "drag": 3, "pressure": 200, "barrier": 1e-4, "friction_law": "fischer_burmeister", "contact_range": 0.0025, "contact_stiffness": 1e-3,
        "self_contact": False, "far_field": 1e-3, "pins": [{"low": [-1, -1, -1], "high": [0, 1, 1]}], "file": "nothing.msh",
        "chambers": [{"name": "c", "low": [-0.1, -0.1, -0.1], "high": [0, 0, 0]}],
        "muscles": [{"name": "a", "low": [-1, -1, -1], "high": [1, 1, 1], "direction": [1, 0, 0]}]}
CHOSEN = {"name", "soft", "type"}  # each kind has its own
# no motion of this scene shows them: pictures do, folds do, agreement with what is the case anyway, the manual
ELSEWHERE = {"color", "self_contact", "marker visual", "marker rotation", "marker inertia", "marker collide", "cable collide"}
def find(node, *keys):
    """The first object of a schema with such properties."""
    if isinstance(node, dict):
        if isinstance(node.get("properties"), dict) and all(k in node["properties"] for k in keys):
            return node["properties"]
        node = list(node.values())
    return next((f for f in (find(n, *keys) for n in node) if f), None) if isinstance(node, list) else None
def simulate(d):
    json.dump(d, open("cell.json", "w"))
    return subprocess.run([dcsim, "simulate", "cell.json", "-o", "none", "--json", "--threads", "1"], capture_output=True, text=True)
schema = json.loads(subprocess.run([dcsim, "schema"], capture_output=True, text=True, check=True).stdout)
missing = [k for k in find(schema, "soft", "joint") if k not in BODY and k not in CHOSEN] + [k for k in find(schema, "young", "cells") if k not in SOFT and k not in CHOSEN]
cells = {"acts": [], "refused": [], "silent": [], "missing": missing}
base = {}
for kind in KINDS:
    base[kind] = json.loads(simulate(scene(kind)).stdout)["loss"]
for kind, index, world in [(k, 2, k) for k in KINDS] + [("marker", 3, "solid"), ("cable", 6, "solid")]:
    for table in (BODY, SOFT) if index == 2 else (BODY,):
        for key, value in table.items():
            if kind == "cable" and key == "cable":
                continue
            d = scene(world)
            body = d["bodies"][index] if table is BODY else d["bodies"][index]["soft"]
            body[key] = value[kind] if isinstance(value, dict) and kind in value else value
            if key == "mass":
                body.pop("density", None)
            run, cell = simulate(d), kind + " " + key
            if run.returncode == 0 and json.loads(run.stdout)["loss"] != base[world]:
                cells["acts"].append(cell)
            elif run.returncode == 3 and f"bodies[{index}]" in run.stderr:
                cells["refused"].append(cell)
            elif not (run.returncode == 0 and (key in ELSEWHERE or cell in ELSEWHERE)):
                cells["silent"].append(cell)
                print(cell, run.returncode, run.stderr[-300:])
print({k: len(v) for k, v in cells.items()})
json.dump(cells, open("cells.json", "w"))
END
check "every cell is computed" "$interpreter" -I -S options.py "$dcsim"
sed 's/^/# /' "$scratch/check"
holds "every option is in the table" cells.json 'd["missing"] == []'
holds "no option is without effect and unrefused" cells.json 'd["silent"] == []'
holds "options of solids act" cells.json 'all("solid " + k in d["acts"] for k in ("form", "element", "material", "poisson", "viscosity", "drag", "pressure", "barrier", "friction_law", "contact_range", "contact_stiffness", "far_field", "pins", "muscles", "chambers", "friction", "rotation", "collide", "collide_except"))'

# self_contact acts where a sheet folds onto itself
cat >fold.json <<'END'
{"name": "fold", "time": {"step": 0.01, "steps": 40}, "gravity": [0, 0, -9.81],
 "shapes": {"ground": {"type": "plane"}, "bar": {"type": "box", "size": [0.01, 0.3, 0.01]}},
 "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground"}, {"name": "bar", "joint": "fixed", "shape": "bar", "position": [0.01, 0, 0.1]},
            {"name": "b", "soft": {"type": "cloth", "size": [0.2, 0.05], "cells": [10, 2], "young": 1e4, "thickness": 0.001, "bending": 1e-6, "contact_range": 0.004}, "position": [0, 0, 0.111]}],
 "objective": [{"type": "reach", "body": "b", "target": [0, 0, 0]}]}
END
run 0 simulate fold.json -o none --json --threads 1
loss=$(told_loss)
run 0 simulate fold.json -o none --json --threads 1 --set 'bodies[2].soft.self_contact=false'
holds "self_contact acts in a fold" "$out" "d['loss'] != $loss"
finish
