#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every objective on every kind of body: the gradient agrees with differences and is there, or the body is refused by
# name.  A mass on a soft body acts; what hangs on a point of a soft body is a point of it, too.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
have_python || { echo "1..0 # SKIP no python3"; exit 0; }

cat >matrix.py <<'END'
import csv, json, subprocess, sys
dcsim = sys.argv[1]
scene = {"name": "matrix", "time": {"step": 0.01, "steps": 6}, "gravity": [0, 0, -9.81],
         "shapes": {"box": {"type": "box", "size": [0.1, 0.08, 0.06]}},
         "bodies": [
             {"name": "box", "shape": "box", "position": [1, 0, 0.3], "angular_velocity": [0.3, 0.2, 0.1], "collide": False},
             {"name": "arm", "shape": "box", "joint": "hinge", "axis": [0, 1, 0.1], "anchor": [0, 1, 0.3],
              "position": [0.2, 1, 0.3], "velocity_limit": 0.02, "pd": {"kp": 30, "kd": 1}, "collide": False},
             {"name": "flange", "parent": "arm", "shape": "box", "joint": "fixed", "position": [0.4, 1, 0.3], "collide": False},
             {"name": "block", "soft": {"size": [0.1, 0.1, 0.1], "cells": [2, 2, 2], "young": 1e4}, "position": [0, 0, 0.3]},
             {"name": "point", "parent": "block", "joint": "fixed", "position": [0.05, 0, 0.3]},
             {"name": "load", "parent": "block", "joint": "fixed", "position": [-0.05, 0.01, 0.31], "mass": 0.4},
             {"name": "eye", "parent": "point", "joint": "fixed", "shape": "box", "collide": False, "position": [0.02, 0.01, 0.3]}],
         "control": [{"type": "initial_state", "body": "block", "velocity": "xyz", "initial": [0.5, 0.1, 0]},
                     {"type": "initial_state", "body": "box", "velocity": "xyz", "angular_velocity": "xyz", "initial": [0.2, -0.1, 0.3, 0.3, 0.2, 0.1]},
                     {"type": "spline", "body": "arm", "knots": 3, "initial": [0.1, 0.2, 0.1]}],
         "design": [{"type": "number", "of": "mass", "bodies": ["box", "arm", "flange", "block", "load"], "range": [0.5, 2]}]}
target = [0.7, 0.4, 0.2]
objectives = {
    "reach": lambda b: {"body": b, "target": target}, "region": lambda b: {"bodies": [b], "center": target, "radius": 0.1},
    "effort": lambda b: {"bodies": [b]}, "velocity": lambda b: {"bodies": [b]},
    "follow": lambda b: {"bodies": [b], "file": "seen.csv"},
    "follow rotation": lambda b: {"bodies": [b], "file": "seen.csv", "weight": 0, "rotation": 1},
    "com": lambda b: {"bodies": [b], "target": target}, "point": lambda b: {"body": b, "target": target},
    "point off": lambda b: {"body": b, "point": [0.02, 0.01, 0], "target": target},
    "orientation": lambda b: {"body": b, "target": [0.6, 0, 0.8, 0]},
    "pose": lambda b: {"body": b, "target": target, "rotation": [0.6, 0, 0.8, 0]}, "upright": lambda b: {"body": b, "axis": [1, 0.2, 0]},
    "joints": lambda b: {"bodies": [b], "target": [0.4]},
    "clearance": lambda b: {"body": b, "to": "arm" if b in ("box", "eye") else "box", "distance": 3},
    "relative": lambda b: {"body": b, "to": "arm" if b == "box" else "box"}, "relative alone": lambda b: {"body": b},
    "speed": lambda b: {"bodies": [b]}, "mass": lambda b: {"bodies": [b], "most": 0.1}}  # thickness is of shapes that a design changes
bodies = [b["name"] for b in scene["bodies"]]
with open("seen.csv", "w") as file:
    columns = ["x", "y", "z", "qw", "qx", "qy", "qz"]
    file.write(",".join(["time"] + [f"{b}.{c}" for b in bodies for c in columns]) + "\n")
    for k in range(7):
        file.write(",".join([str(0.01 * k)] + [str(v) for b in bodies for v in target + [0.8, 0, 0.6, 0]]) + "\n")
acts, refused, silent = [], [], []
for kind, options in objectives.items():
    for body in bodies:
        scene["objective"] = [{"type": kind.split()[0], **options(body)}]
        json.dump(scene, open("cell.json", "w"))
        run = subprocess.run([dcsim, "gradcheck", "cell.json", "--json", "--threads", "1"], capture_output=True, text=True)
        if run.returncode == 3 and "objective[0]" in run.stderr:
            refused.append(kind + " " + body)
            continue
        report = json.loads(run.stdout) if run.stdout else {}
        checks = report.get("checks", [])
        there = any(abs(c["adjoint"]) > 1e-9 for c in checks)
        right = report.get("max_relative_error", 1) <= 1e-6
        (acts if there and right else silent).append(kind + " " + body)
        if not (there and right):
            print(kind, body, run.returncode, report.get("max_relative_error"), run.stderr[-300:])
json.dump({"acts": acts, "refused": refused, "silent": silent}, open("cells.json", "w"))
END
check "every cell is computed" "$interpreter" -I -S matrix.py "$dcsim"
sed 's/^/# /' "$scratch/check"
holds "no objective is silently without effect or wrong on a kind of body" cells.json 'd["silent"] == []'
holds "what has places has objectives of places" cells.json 'all(k + " " + b in d["acts"] for k in ("reach", "region", "velocity", "follow", "point", "relative", "relative alone") for b in ("box", "arm", "flange", "block", "point", "load"))'
holds "points of soft bodies have no rotation" cells.json 'all(k + " " + b in d["refused"] for k in ("orientation", "pose", "upright", "follow rotation", "point off") for b in ("block", "point", "load", "eye"))'

# A run with many nodes needs the memory that check tells of, over that of a run with few.
cat >memory.py <<'END'
import json, resource, subprocess, sys
def peak(cells):
    scene = {"time": {"step": 0.01, "steps": 1}, "bodies": [{"name": "b", "soft": {"size": [0.2] * 3, "cells": [cells] * 3, "young": 1e5}}]}
    json.dump(scene, open("nodes.json", "w"))
    subprocess.run([sys.argv[1], "simulate", "nodes.json", "-o", f"nodes{cells}", "--threads", "1"], check=True, capture_output=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
few, many = peak(1), peak(14)
check = subprocess.run([sys.argv[1], "check", "nodes.json", "--json"], check=True, capture_output=True, text=True)
told = json.loads(check.stdout)["memory"]["simulate"]
print(few, many, told)
sys.exit(not many - few < 1.3 * told)
END
check "memory of a run with 3375 nodes is what check tells" "$interpreter" -I -S memory.py "$dcsim"

# A block of mass M hung on springs of stiffness k in all, with a mass m in it, sinks by (M + m) g/k.
cat >hung.json <<'END'
{"name": "hung", "time": {"step": 0.5, "steps": 60}, "gravity": [0, 0, -9.81],
 "bodies": [
  {"name": "block", "soft": {"size": [0.1, 0.1, 0.1], "cells": [1, 1, 1], "young": 1e7, "self_contact": false, "pins": [{"low": [-1, -1, 0.049], "high": [1, 1, 0.051], "stiffness": 25}]},
   "mass": 1, "position": [0, 0, 0.3]},
  {"name": "load", "parent": "block", "joint": "fixed", "position": [0, 0, 0.3], "mass": 2, "inertia": [1, 1, 1, 0, 0, 0]}],
 "objective": [{"type": "reach", "body": "load", "target": [0, 0, 0.3]}]}
END
run 0 simulate hung.json -o none --json --threads 1
holds "a mass on a soft body weighs" "$out" 'abs(d["loss"] ** 0.5 / (3 * 9.81 / 100) - 1) < 2e-4'
# observed: 7.5e-9; with 1e6 and 1e7 Pa differences of such steps are rounded to 6e-8 and 1e-6
run 0 gradcheck hung.json --json --threads 1 --set time.steps=5 --set bodies[0].soft.young=1e5
holds "its derivatives agree with differences" "$out" 'd["max_relative_error"] <= 1e-7'
run 0 check hung.json --json
holds "check tells its mass" "$out" 'd["bodies"]["load"]["mass"] == 2'
run 0 check hung.json
check "check says that it is a point on the block" grep -q 'load .*mass 2 kg, a point of "block"' "$out"
sed 's/"joint": "fixed", "position": \[0, 0, 0.3\], "mass"/"joint": "hinge", "position": [0, 0, 0.3], "mass"/' hung.json >hinged.json
run 3 check hinged.json
says 'bodies[1].joint: must be "fixed" on a soft body'
sed 's/"mass": 2, "inertia": \[1, 1, 1, 0, 0, 0\]/"density": 2/' hung.json >dense.json
run 3 check dense.json
says 'bodies[1].density: needs a shape on a soft body'

# Many nodes with a free body: steps by conjugate gradients end where those by factorizations do, and need few of them.
cat >ball.json <<'END'
{"name": "ball", "time": {"step": 0.005, "steps": 12},
 "shapes": {"ground": {"type": "plane"}, "ball": {"type": "sphere", "radius": 0.04, "level": 1}},
 "bodies": [
  {"name": "ground", "joint": "fixed", "shape": "ground", "friction": 0.8},
  {"name": "cushion", "soft": {"size": [0.2, 0.2, 0.08], "cells": [10, 10, 8], "young": 2e4, "viscosity": 10, "barrier": 1e-4}, "density": 200, "friction": 0.8, "position": [0, 0, 0.0405]},
  {"name": "ball", "shape": "ball", "position": [0.01, 0, 0.13], "velocity": [0.3, 0, -2], "mass": 0.3, "friction": 0.8}],
 "control": [{"type": "initial_state", "body": "ball", "velocity": "xz"}],
 "objective": [{"type": "reach", "body": "ball", "target": [0, 0, 0.2]}]}
END
run 0 simulate ball.json -o none --json --set solver.linear=direct
loss=$(told_loss)
run 0 simulate ball.json -o none --json
holds "the ball ends where it did" "$out" "abs(d['loss'] / $loss - 1) < 1e-6"
# observed 5.9, and 8.4 without directions of friction as unknowns of their own
run 0 simulate ball.json -o none --json --set time.steps=30 --threads 1
holds "friction of the landing takes no more iterations" "$out" 'd["newton_iterations_per_step"] < 7'
run 0 simulate ball.json -o none --json
holds "few matrices were factored" "$out" 'd["linear"]["factorizations"] < 100'  # observed 34, and 295 by factorizations
finish
