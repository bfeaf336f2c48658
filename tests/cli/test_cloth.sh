#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Cloth, rods, cables and air: gradients, plates and threads that hang, what is drawn and compared, mistakes.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
cp "$DCSIM_SOURCE/scenes/cloth_curtain.json" curtain.json
cp "$DCSIM_SOURCE/scenes/cloth_drape.json" drape.json
mkdir -p recordings
cp "$DCSIM_SOURCE/scenes/recordings/curtain.csv" recordings

for material in arap corotated neo_hookean; do
  run 0 gradcheck curtain.json --json --threads 1 --set time.steps=8 --set bodies.curtain.soft.cells='[3, 2]' \
    --set bodies.curtain.soft.material=$material
  holds "$material: the adjoint agrees with differences" "$out" 'd["max_relative_error"] <= 1e-6'  # observed 2.3e-8
  holds "$material: tangent and adjoint agree" "$out" 'd["products"]["tangent_adjoint"] <= 1e-12'  # 2.6e-15
done
run 0 simulate curtain.json -o none --json --set bodies.curtain.soft.young=5e4 --set bodies.curtain.soft.poisson=0.3
holds "the recording is that of the true values" "$out" 'd["loss"] <= 1e-12'

# on a ball, with friction and folds: through contact with a rigid mesh and with itself
run 0 gradcheck drape.json --json --threads 1 --set time.steps=12 --set bodies.cloth.soft.cells='[3, 3]' \
  --set bodies.cloth.position='[0.12, 0.03, 0.41]' --set objective.0.target='[0, 0, 0]' --set objective.0.axes=xyz
holds "the adjoint agrees with differences on a ball" "$out" 'd["max_relative_error"] <= 1e-6'
holds "tangent and adjoint agree on a ball" "$out" 'd["products"]["tangent_adjoint"] <= 1e-12'
run 0 simulate drape.json -o drape --json --threads 1 --set time.steps=12
holds "gaps stay open" "$out" 'd["min_gap"] > 0 and d["unconverged_steps"] == 0'
run 0 render drape --size 96x54 --samples 1 --every 12
check "pictures of cloth are drawn" test -s drape/frames/000012.png
run 0 simulate drape.json -o drape2 --json --threads 1 --set time.steps=12 --set bodies.cloth.soft.bending=2e-5
run 1 diff drape drape2 --json
holds "runs whose nodes differ are not the same" "$out" 'not d["same"] and d["trajectory"]["first_difference"] >= 1'

# an arm that a cable pulls, in the wind, under pressure, with forces on points
cat >arm.json <<'END'
{"name": "arm", "time": {"step": 0.01, "steps": 10}, "gravity": [0, 0, -9.81], "wind": [1, 0.5, 0],
 "bodies": [
  {"name": "arm", "soft": {"form": "beam", "size": [0.3, 0.05, 0.05], "cells": [4, 1, 1], "taper": 0.6, "young": 1e5, "viscosity": 20, "drag": 3, "pressure": 50,
     "pins": [{"low": [-0.151, -1, -1], "high": [-0.149, 1, 1]}]}, "position": [0, 0, 0.5]},
  {"name": "base", "joint": "fixed", "position": [-0.2, 0, 0.52]},
  {"name": "one", "parent": "arm", "joint": "fixed", "position": [-0.05, 0, 0.515]},
  {"name": "two", "parent": "arm", "joint": "fixed", "position": [0.06, 0.003, 0.513]},
  {"name": "tip", "parent": "arm", "joint": "fixed", "position": [0.14, 0, 0.51]},
  {"name": "cable", "cable": {"through": ["base", "one", "two", "tip"], "stiffness": 2000, "smoothing": 0.001}}],
 "control": [
   {"type": "spline", "body": "cable", "knots": 3},
   {"type": "torque", "body": "tip", "coordinates": "y z", "limit": [2], "hold": 5, "initial": [0.1, 0.05]},
   {"type": "torque", "body": "arm", "coordinates": "x", "limit": [2], "hold": 10}],
 "design": [{"type": "number", "of": "wind", "range": [-5, 5]}, {"type": "number", "of": "pressure", "range": [-500, 500]}],
 "objective": [{"type": "reach", "bodies": ["tip"], "target": [0.14, 0.01, 0.53]}]}
END
run 0 gradcheck arm.json --json --threads 1
holds "cables, wind, pressure and forces: the adjoint agrees with differences" "$out" 'd["max_relative_error"] <= 1e-6'  # 3.3e-8
holds "tangent and adjoint agree" "$out" 'd["products"]["tangent_adjoint"] <= 1e-12'  # 2.1e-14

# a pressure of nothing in still air is a number like others
run 0 gradcheck arm.json --json --threads 1 --set bodies.arm.soft.pressure=0 --set bodies.arm.soft.drag=0 --set time.steps=5 \
  --set 'design=[{"type": "number", "of": "pressure", "range": [-500, 500], "scale": 50}]'
holds "a pressure that begins at 0 has a gradient" "$out" 'd["confirmed"] and d["max_relative_error"] <= 1e-6 and any(c["parameter"] == "arm.pressure" and c["adjoint"] != 0 for c in d["checks"])'

# a force that lifts a block from the ground, from no force at all
run 0 optimize "$DCSIM_SOURCE/scenes/soft_lift.json" -o none --json --quiet --require-success
holds "the block is lifted" "$out" 'd["success"] and d["iterations"] <= 10'  # observed 2

# a rod that falls and a sheet: the centre of mass falls as a point does
for type in rod cloth; do
  size='[0.4]'
  [ $type = cloth ] && size='[0.4, 0.3]'
  cat >fall.json <<END
{"name": "fall", "time": {"step": 0.01, "steps": 20}, "gravity": [0, 0, -10],
 "bodies": [{"name": "thing", "position": [0, 0, 1], "velocity": [0.5, 0, 0], "angular_velocity": [0, 3, 0],
             "soft": {"type": "$type", "size": $size, "thickness": 0.01, "young": 1e5}}],
 "objective": [{"type": "reach", "bodies": ["thing"], "target": [0.1, 0, 0.79]}]}
END
  run 0 simulate fall.json -o none --json
  holds "the centre of mass of a $type falls as a point" "$out" 'd["loss"] <= 1e-16'
  run 0 gradcheck fall.json --json --threads 1 --set gravity='[0, 0, -10]' --set time.steps=6 --set bodies.thing.soft.viscosity=100 \
    --set objective.0.target='[0, 0.2, 0]'
  holds "$type: the adjoint agrees with differences" "$out" 'd["max_relative_error"] <= 1e-6'
done

# clamped at one end a rod sags by its weight as a beam does, w l^4/(8 B), w per length; a grid of triangles bends more
# easily than its nodes on a cylinder would tell, by a fifth
cat >sag.json <<'END'
{"name": "sag", "time": {"step": 1, "steps": 60}, "gravity": [0, 0, -1],
 "bodies": [{"name": "sheet", "density": 1, "position": [0, 0, 0],
             "soft": {"type": "cloth", "size": [1, 0.2], "cells": [40, 8], "thickness": 0.001, "young": 1e6, "poisson": 0, "bending": 0.01, "self_contact": false,
                      "pins": [{"low": [-0.51, -1, -1], "high": [-0.47, 1, 1], "stiffness": 1e4}]}},
            {"name": "end", "parent": "sheet", "joint": "fixed", "position": [0.5, 0, 0]}],
 "objective": [{"type": "reach", "bodies": ["end"], "target": [0.5, 0, 0], "axes": "z"}]}
END
run 0 simulate sag.json -o none --json --threads 1
# held up to the hinge behind the first cell, which is as soft as half a cell more: l = 0.9875, 0.001 l^4 /
# 0.08 = 0.0119 m
holds "a sheet sags as a beam of four fifths" "$out" '0.75 < 0.001 * 0.9875 ** 4 / 0.08 / d["loss"] ** 0.5 < 0.9'  # observed 0.824
run 0 simulate sag.json -o none --json --threads 1 --set bodies.sheet.soft.type=rod --set bodies.sheet.soft.poisson=null --set bodies.sheet.soft.size='[1]' \
  --set bodies.sheet.soft.cells='[40]' --set bodies.sheet.soft.thickness=0.0356825 --set bodies.sheet.soft.bending=0.01
holds "a rod sags as a beam" "$out" 'abs(0.001 * 0.9875 ** 4 / 0.08 / d["loss"] ** 0.5 - 1) < 0.02'  # 0.013

# mistakes
run 3 check sag.json --set bodies.sheet.soft.type=rod --set bodies.sheet.soft.poisson=null --set bodies.sheet.soft.size='[1]' --set bodies.sheet.soft.cells='[40]' \
  --set 'design=[{"type": "number", "of": "pressure"}]'
says "nothing in the scene has a pressure that can be changed"
refuses() { # rule, scene, assignment
  run 3 check "$2" --set "$3"
  says "$1"
}
refuses "size: must hold 2 numbers for a cloth" curtain.json bodies.curtain.soft.size='[1, 1, 1]'
refuses "cells: must hold 2 numbers for a cloth" curtain.json bodies.curtain.soft.cells='[4]'
refuses "must lie in the soft body \"curtain\"" curtain.json bodies.middle.position='[0, 0.1, 1]'
refuses "through: must name at least two bodies" arm.json bodies.cable.cable.through='["tip"]'
refuses "must not lie where the one before it lies" arm.json bodies.two.position='[-0.05, 0, 0.515]'
refuses "joint: must not be given for a cable" arm.json bodies.cable.joint=fixed
refuses "must not be a cable" arm.json 'control.2={"type": "torque", "body": "cable", "limit": [2]}'

finish
