#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Soft bodies: gradients through an impact, free fall, mistakes.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
cp "$DCSIM_SOURCE/scenes/soft_identify.json" soft.json
mkdir -p recordings
cp "$DCSIM_SOURCE/scenes/recordings/jelly.csv" recordings

# gradients of material, mass, friction, gravity and of starts of nodes, through an impact
run 0 gradcheck soft.json --json --threads 1 --set time.steps=8 --set bodies.jelly.soft.cells='[2, 1, 1]'
holds "the adjoint agrees with differences" "$out" 'd["max_relative_error"] <= 1e-6'  # observed 1.3e-10
holds "tangent and adjoint agree" "$out" 'd["products"]["tangent_adjoint"] <= 1e-12'

# controls shift where a soft body starts and how fast
cat >start.json <<'END'
{"name": "start", "time": {"step": 0.01, "steps": 20}, "gravity": [0, 0, -9.81], "shapes": {"ground": {"type": "plane"}},
 "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground", "friction": 0.5},
            {"name": "block", "friction": 0.5, "position": [0, 0, 0.051], "velocity": [0.7, 0, 0],
             "soft": {"form": "block", "size": [0.2, 0.1, 0.1], "cells": [2, 1, 1], "young": 2e4, "viscosity": 10}}],
 "control": [{"type": "initial_state", "body": "block", "velocity": "xyz", "position": "xz"}],
 "objective": [{"type": "reach", "bodies": ["block"], "target": [0.5, 0, 0.05]}]}
END
run 0 gradcheck start.json --json --threads 1
holds "starts of a soft body have gradients, through impact and sliding" "$out" 'd["max_relative_error"] <= 1e-6'  # observed 8e-9
run 3 check start.json --set control.0.rotation=z
says "of the soft body \"block\" only position and velocity can be shifted"

# a step in which a layer of cells is run through, and a hard body: a few iterations, not hundreds
cat >drop.json <<'END'
{"name": "drop", "time": {"step": 0.01, "steps": 2}, "gravity": [0, 0, -9.81], "shapes": {"ground": {"type": "plane"}},
 "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground", "friction": 0.5},
            {"name": "block", "friction": 0.5, "position": [0, 0, 0.032], "velocity": [0.5, 0, -1],
             "soft": {"form": "block", "size": [0.06, 0.06, 0.06], "cells": [6, 6, 6], "young": 2e4, "viscosity": 10}}]}
END
for young in 2e4 2e7; do
  run 0 simulate drop.json -o none --json --threads 1 --set bodies.block.soft.young=$young
  holds "a hit with $young Pa takes few iterations" "$out" 'd["newton_iterations_per_step"] <= 25 and d["divided_steps"] == 0'  # observed 7 and 17
done

# the recording is that of the true values
run 0 simulate soft.json -o none --json --set bodies.jelly.soft.young=2e4 --set bodies.jelly.soft.poisson=0.3 \
  --set bodies.jelly.friction=0.4
holds "the recording is that of the true values" "$out" 'd["loss"] <= 1e-12'

# free fall: the centre of mass of a body that swings falls as a point does, y = y0 + v t - g h^2 n (n + 1)/2
cat >fall.json <<'END'
{"name": "fall", "time": {"step": 0.01, "steps": 20}, "gravity": [0, 0, -10],
 "bodies": [{"name": "ball", "position": [0, 0, 1], "velocity": [0.5, 0, 0], "angular_velocity": [0, 3, 0],
             "soft": {"form": "sphere", "size": [0.2, 0.1, 0.3], "cells": [3, 3, 3], "young": 1e4}}],
 "objective": [{"type": "reach", "bodies": ["ball"], "target": [0.1, 0, 0.79]}]}
END
run 0 simulate fall.json -o fall --json
holds "the centre of mass falls as a point" "$out" 'd["loss"] <= 1e-16'

# the body is listed for what it is, and its nodes are stored
run 0 check fall.json --json
holds "nodes, elements and mass are listed" "$out" 'd["bodies"]["ball"]["nodes"] == 64 and d["bodies"]["ball"]["elements"] == 162'
run 0 check fall.json
check "in words" grep -q "64 nodes, 162 tetrahedra" "$out"
if python_with h5py numpy; then
  cat >nodes.py <<'END'
import sys, h5py, numpy
with h5py.File(sys.argv[1]) as file:
    x = file["nodes/ball"][()].reshape(21, 64, 3)
    first, last = x[0].mean(axis=0), x[-1].mean(axis=0)
sys.exit(not (abs(first - [0, 0, 1]).max() < 1e-12 and abs(last - [0.1, 0, 0.79]).max() < 0.02 and numpy.ptp(x[0]) > 0.1))
END
  check "the nodes of all frames are stored" "$python" nodes.py fall/trajectory.h5
else
  skip "the nodes of all frames are stored" "no python3 with h5py"
fi

# mistakes
refuses() { # rule, assignment
  run 3 check soft.json --set "$2"
  says "$1"
}
refuses "poisson" bodies.jelly.soft.poisson=0.5
refuses "must be within [-0.99, 0.4999]" design.1.range='[0, 0.5]'
refuses "material" bodies.jelly.soft.material=steel
refuses "cells: must be whole numbers" bodies.jelly.soft.cells='[2.5, 2, 2]'
refuses "joint: must not be given for a soft body" bodies.jelly.joint=fixed
refuses "must lie in the soft body \"jelly\"" bodies.top.position='[0, 0, 1]'
refuses "there is no node in the box" bodies.jelly.soft.pins='[{"low": [1, 1, 1], "high": [2, 2, 2]}]'

finish
