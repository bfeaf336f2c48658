#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The control "torque": on hinges, slides, balls and free bodies, with actuators and without; gradients agree with
# differences, a force does what Newton says, a pendulum is swung up to a place within its limit; what cannot take
# forces says so.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
cat >bodies.json <<'SCENE'
{ "time": {"step": 0.02, "steps": 20}, "gravity": [0, 0, -9.81], "contact": {"model": "bsh"},
  "shapes": {"link": {"type": "box", "size": [0.06, 0.05, 0.3]}, "block": {"type": "box", "size": [0.2, 0.2, 0.2]}},
  "bodies": [
    {"name": "cart", "joint": "slide", "axis": [1, 0, 0], "shape": "block", "mass": 2, "position": [0, 0, 1]},
    {"name": "arm", "parent": "cart", "joint": "hinge", "axis": [0, 1, 0], "anchor": [0, 0, 0.8], "shape": "link", "mass": 1,
     "position": [0, 0, 0.6], "pd": {"kp": 20, "kd": 1}},
    {"name": "hand", "parent": "arm", "joint": "ball", "anchor": [0, 0, 0.4], "shape": "link", "mass": 0.5, "position": [0, 0, 0.2]},
    {"name": "free", "shape": "block", "mass": 4, "position": [2, 0, 1]}],
  "control": [{"type": "torque", "body": "cart", "limit": [30], "hold": 5, "initial": [0.2]},
              {"type": "torque", "body": "arm", "limit": [5], "hold": 4, "initial": [0.97]},
              {"type": "pd_targets", "body": "arm", "hold": 4},
              {"type": "torque", "body": "hand", "coordinates": "rx rz", "limit": [0.2, 0.3], "initial": [0.5, -0.4], "hold": 7},
              {"type": "torque", "body": "free", "limit": [50], "hold": 10}],
  "objective": [{"type": "point", "body": "hand", "point": [0, 0, -0.15], "target": [0.4, 0.1, 0.3], "when": "every"},
                {"type": "reach", "body": "free", "target": [2, 0.3, 1.2]}, {"type": "effort", "weight": 0.001}] }
SCENE
run 0 gradcheck bodies.json --json # 3e-9 observed
run 0 gradcheck bodies.json --json --seed 2 --set gradient.type=adjoint

# 10 N on 2 kg for 0.4 s, in steps of h: a h^2 n (n + 1)/2
cat >cart.json <<'SCENE'
{ "time": {"step": 0.02, "steps": 20}, "gravity": [0, 0, 0], "contact": {"model": "bsh"},
  "shapes": {"block": {"type": "box", "surface": "mesh", "size": [0.2, 0.2, 0.2]}},
  "bodies": [{"name": "cart", "joint": "slide", "axis": [1, 0, 0], "shape": "block", "mass": 2, "position": [0, 0, 0]}],
  "control": [{"type": "torque", "body": "cart", "limit": [20], "initial": [0.5], "hold": 20}],
  "objective": [{"type": "reach", "body": "cart", "target": [0.42, 0, 0], "tolerance": 1e-9}] }
SCENE
run 0 simulate cart.json -o none --json --quiet --require-success
# The same by 5 mN in 1000 steps of 0.1 ms, which move it by 2.5e-11 m each: to 1e-9 m.
run 0 simulate cart.json -o none --json --quiet --require-success --set control.0.initial=[0.00025] --set time='{"step": 1e-4, "steps": 1000}' \
  --set control.0.hold=1000 --set objective.0.target=[1.25125e-5,0,0]

# 0.5 N on the upper one of two boxes of 100 kg, whose contact bears 981 N: solved as exactly as with a
# tolerance of 1e-6.  (Boxes of two triangles a face may turn about the normal when they meet face to face.)
cat >upper.json <<'SCENE'
{ "time": {"step": 0.01, "steps": 100}, "contact": {"stiffness": 1e-5},
  "shapes": {"block": {"type": "box", "surface": "leaves", "size": [0.2, 0.2, 0.2]}, "ground": {"type": "plane"}},
  "bodies": [{"name": "ground", "shape": "ground", "joint": "fixed"}, {"name": "lower", "shape": "block", "mass": 100, "position": [0, 0, 0.101]},
             {"name": "upper", "shape": "block", "mass": 100, "position": [0, 0, 0.303]}],
  "control": [{"type": "torque", "body": "upper", "hold": 100, "coordinates": "x", "limit": [1e6], "initial": [5e-7]}],
  "objective": [{"type": "reach", "body": "upper", "target": [0.0025482, 0, 0], "axes": "x", "tolerance": 1e-6}] }
SCENE
run 0 simulate upper.json -o none --json --quiet --require-success --set solver.tolerance=1e-6
run 0 simulate upper.json -o none --json --quiet --require-success

# Its weight is 2.9 N m on the hinge and the limit 1.5: it must swing.
cat >swing.json <<'SCENE'
{ "time": {"step": 0.02, "steps": 150}, "gravity": [0, 0, -9.81], "contact": {"model": "bsh"},
  "shapes": {"link": {"type": "box", "size": [0.05, 0.05, 0.6]}},
  "bodies": [{"name": "arm", "joint": "hinge", "axis": [0, 1, 0], "anchor": [0, 0, 1], "shape": "link", "mass": 1, "position": [0, 0, 0.7]}],
  "control": [{"type": "torque", "body": "arm", "limit": [1.5], "hold": 5, "initial": [0.1]}],
  "objective": [{"type": "point", "body": "arm", "point": [0, 0, -0.3], "target": [0, 0, 1.6], "tolerance": 0.05}],
  "optimizer": {"type": "lbfgs", "iterations": 200} }
SCENE
run 0 optimize swing.json -o up --json --quiet --require-success
run 0 simulate swing.json --control up -o again --json --quiet --require-success

# A certificate executes the forces, too.
run 0 verify up --json
holds "the certificate executes the forces" "$out" 'd["worlds"]["scene"]["open"]'

# In a receding horizon forces are planned, executed and replayed; blocks must not be cut.
windows='--set time.steps=12 --set horizon={"length":6,"apply":2,"iterations":3} --set control.0.hold=2'
run 0 optimize cart.json -o windows --quiet --no-report $windows
run 0 simulate cart.json --control windows -o replayed --quiet --no-report $windows
losses=$(grep -h -m1 -o '"loss": [^,]*' windows/run.json replayed/run.json)
check "windows are replayed bit for bit: $losses" [ "$(echo "$losses" | wc -l) $(echo "$losses" | sort -u | wc -l)" = "2 1" ]
run 0 verify windows --quick
check "their forces reproduce them" grep -q 'reproduced *yes' "$out"
run 3 check cart.json --set 'horizon={"length": 6, "apply": 3}' --set control.0.hold=2
says 'control[0]: hold of "torque", 2, must divide apply, 3'

# In another world forces act as in the plan: in a copy of its own, exactly.
run 0 simulate swing.json --control up -o there --json --quiet --no-report --set 'plant={"contact": {"friction": 0.5}}'
losses=$(grep -h -m1 -o '"loss": [^,]*' again/run.json there/run.json)
check "a plant feels the same forces" [ "$(echo "$losses" | wc -l) $(echo "$losses" | sort -u | wc -l)" = "2 1" ]
run 0 simulate swing.json --control up -o half --json --quiet --no-report --set 'plant={"time": {"step": 0.01}}'
check "over shorter steps, too" grep -A3 '"plant"' "$out"
run 3 check cart.json --set 'control.0.limit=[1, 2]'
says "limit: must hold one number"
finish
