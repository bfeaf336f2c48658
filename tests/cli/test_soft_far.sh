#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The far field of soft bodies: gradients before anything touches and through touch, a task that needs them, mistakes.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

# A soft ball is thrown at a soft block below a sheet, beside a rod, a fixed post and a free brick: solids, cloth and rods
# against each other and against rigid bodies, from afar and through impacts.
cat >thrown.json <<'END'
{"name": "thrown", "time": {"step": 0.01, "steps": 12}, "gravity": [0, 0, -9.81], "contact": {"model": "bsh", "length": 0.1},
 "shapes": {"ground": {"type": "plane"}, "post": {"type": "box", "size": [0.05, 0.05, 0.2], "divisions": [1, 1, 3]}, "brick": {"type": "box", "size": [0.05, 0.06, 0.04]}},
 "bodies": [
   {"name": "ground", "joint": "fixed", "shape": "ground", "friction": 0.5},
   {"name": "post", "joint": "fixed", "shape": "post", "friction": 0.5, "position": [0.2, 0.1, 0.1]},
   {"name": "brick", "shape": "brick", "mass": 0.2, "friction": 0.5, "position": [0.11, -0.03, 0.06], "rotation": [0.9, 0.2, 0.1, 0.3743]},
   {"name": "ball", "friction": 0.5, "position": [-0.13, 0, 0.1], "velocity": [2, 0, 0.3],
    "soft": {"form": "sphere", "size": [0.1, 0.1, 0.1], "cells": [2, 2, 2], "young": 2e4, "viscosity": 10, "far_field": 0.01}},
   {"name": "sheet", "friction": 0.5, "position": [-0.1, 0, 0.25],
    "soft": {"type": "cloth", "size": [0.1, 0.1], "cells": [2, 2], "young": 2e4, "thickness": 0.002, "viscosity": 10, "far_field": 0.02}},
   {"name": "string", "friction": 0.5, "position": [0, 0.15, 0.1], "soft": {"type": "rod", "size": [0.1], "cells": [4], "young": 1e6, "thickness": 0.004, "far_field": 0.002}},
   {"name": "block", "friction": 0.5, "position": [0, 0, 0.051],
    "soft": {"form": "block", "size": [0.1, 0.1, 0.1], "cells": [2, 1, 1], "young": 2e4, "viscosity": 10, "far_field": 0.01}}],
 "control": [{"type": "initial_state", "body": "ball", "velocity": "xyz"}],
 "objective": [{"type": "reach", "bodies": ["block"], "target": [0.5, 0, 0.05]}]}
END
for model in $(sample "bsh exact" bsh); do
  steps=$(sample 10 6)
  [ $model = bsh ] || steps=3
  run 0 gradcheck thrown.json --json --threads 1 --model $model --steps $steps
  holds "$model: the adjoint agrees with differences" "$out" 'd["max_relative_error"] <= 1e-7'  # observed 3e-9 (bsh), 1e-8 (exact)
  holds "$model: tangent and adjoint agree" "$out" 'd["products"]["tangent_adjoint"] <= 5e-13'  # observed 2e-14, 5e-16
done
for model in ipc sdrs manifold; do
  run 3 check thrown.json --set contact='{"model": "'$model'"}'
  says "bodies[3].soft.far_field: needs contact model bsh or exact (is $model)"
done
run 3 check thrown.json --set bodies.ball.soft.far_field=-1
says "bodies[3].soft.far_field"

# A paddle stands away from a block: only the far field gives a gradient by the motion of the paddle.
push="$DCSIM_SOURCE/scenes/soft_far_push.json"
run 0 gradcheck "$push" --json --threads 1 --steps 10
holds "before anything touches the gradient is right" "$out" 'd["max_relative_error"] <= 2e-7'  # observed 2e-8
of_paddle='[abs(c["adjoint"]) for c in d["checks"] if "paddle" in c["parameter"]]'
holds "and not zero by what belongs to the paddle" "$out" "max($of_paddle) > 1e-11"  # observed 3e-10
run 0 gradcheck "$push" --json --threads 1 --steps 10 --set bodies.block.soft.far_field=0
holds "without the far field it is" "$out" "max($of_paddle) == 0"
run 0 optimize "$push" -o none --json --quiet --threads 1
holds "the push is found" "$out" 'd["success"] and d["iterations"] <= 15'  # observed 5
run 0 optimize "$push" -o none --json --quiet --threads 1 --set bodies.block.soft.far_field=0
holds "without the far field the first guess is stationary" "$out" 'd["iterations"] == 0 and d["loss"] == d["initial_loss"]'
holds "the advice is a far field" "$out" 'd["advice"][0]["symptom"] == "flat" and "bodies.block.soft.far_field=0.001" in d["advice"][0]["try"]'

# From the other side of the sheet of ice a throw stalls: what is felt is weaker than friction.  A stronger field first gets there.
throw="$DCSIM_SOURCE/scenes/soft_far_throw.json"
thrown() { run "$1" optimize "$throw" -o thrown_far --overwrite --no-report --json --quiet --threads 1 --set bodies.block.mass=0.79 --set bodies.ball.mass=0.8 --set bodies.ground.friction=0.116 \
  --set bodies.ball.position=[-0.432,-0.011,0.0501] --set 'objective[0].target=[0.199,0.015,0.05]' --set optimizer.iterations=15 $2; }
thrown 0
holds "from far away a throw stalls" "$out" 'not d["success"] and d["loss"] > 0.99 * d["initial_loss"]'
thrown 0 --set=continuation='{"far_field":30,"stiffness":1}'
holds "with a stronger field first it does not" "$out" 'd["success"] and [s["far_field"] for s in d["stages"]] == [30, 1]'
if [ "$(sample 1 0)" = 1 ]; then
  run 0 verify thrown_far --quick --draws 0 --directions 1 --no-report --threads 1 --json
  holds "impulses of soft bodies are split" "$out" '0 < d["phantom_share"] < 0.5 and set(d["phantom"]) == {"block", "ball"}'
fi

# Nothing passes through anything: a soft ball at 20 m/s stays on its side of a thin free plate.
cat >plate.json <<'END'
{"name": "plate", "time": {"step": 0.01, "steps": 4}, "gravity": [0, 0, 0],
 "shapes": {"plate": {"type": "box", "size": [0.002, 0.3, 0.3]}},
 "bodies": [{"name": "plate", "shape": "plate", "mass": 0.5, "friction": 0.3},
            {"name": "ball", "soft": {"form": "sphere", "size": [0.1, 0.1, 0.1], "cells": [2, 2, 2], "young": 50000, "far_field": 0.01}, "friction": 0.6,
             "position": [0.2, 0.004, 0], "velocity": [-20, 1, 0]}]}
END
run 0 simulate plate.json --json --threads 1 -o plate
holds "gaps stay open" "$out" 'd["min_gap"] > 0 and d["unconverged_steps"] == 0'
run 0 verify plate --quick --draws 0 --directions 1 --no-report --threads 1
finish
