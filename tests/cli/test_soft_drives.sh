#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What controls drive in soft bodies: pressures of surfaces and chambers, muscle fibres and growth; with what is known
# of each in closed form, gradients against differences, and mistakes that are named.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

# A pressure of a path is the pressure of the scene.
cat >constant.json <<'END'
{"name": "constant", "time": {"step": 0.01, "steps": 8}, "gravity": [0, 0, -9.81],
 "bodies": [{"name": "b", "soft": {"size": [0.1, 0.06, 0.05], "cells": [2, 2, 2], "young": 1e4, "pressure": 800}, "position": [0, 0, 0.3]},
            {"name": "p", "parent": "b", "joint": "fixed", "position": [0.05, 0.03, 0.325]}],
 "objective": [{"type": "reach", "body": "p", "target": [0.05, 0.03, 0.31]}]}
END
sed 's/, "pressure": 800//; s/"objective"/"control": [{"type": "path", "body": "b", "coordinates": "pressure", "times": [0], "positions": [800]}],\n "objective"/' constant.json >path.json
run 0 simulate constant.json -o none --json --threads 1
loss=$(told_loss)
run 0 simulate path.json -o none --json --threads 1
holds "a path of the pressure is the pressure of the scene" "$out" "abs(d['loss'] / $loss - 1) < 1e-12 and d['loss'] > 1e-6"

# Without a load, growth in all directions by c makes a block exp(c) as large, without stress.
cat >growth.json <<'END'
{"name": "growth", "time": {"step": 0.5, "steps": 60}, "gravity": [0, 0, 0],
 "bodies": [{"name": "b", "soft": {"size": [0.1, 0.1, 0.1], "cells": [2, 2, 2], "young": 1e4, "self_contact": false,
             "muscles": [{"name": "swell", "kind": "growth", "low": [-1, -1, -1], "high": [1, 1, 1]}]}},
            {"name": "p", "parent": "b", "joint": "fixed", "position": [0.05, 0.05, 0.05]}],
 "control": [{"type": "path", "body": "b", "coordinates": "swell", "times": [0], "positions": [0.2]}],
 "objective": [{"type": "reach", "body": "p", "target": [0.05, 0.05, 0.05]}]}
END
for material in arap corotated neo_hookean; do
  run 0 simulate growth.json -o none --json --threads 1 --set "bodies[0].soft.material=$material"
  holds "a $material block grows by exp(c)" "$out" 'abs((d["loss"] / 3) ** 0.5 / (0.05 * (2.718281828459045 ** 0.2 - 1)) - 1) < 1e-6'
done
run 0 simulate growth.json -o none --json --threads 1 --set 'bodies[0].soft.element=quadratic'
holds "and so does one of quadratic elements" "$out" 'abs((d["loss"] / 3) ** 0.5 / (0.05 * (2.718281828459045 ** 0.2 - 1)) - 1) < 1e-6'

# Fibres of stiffness k in a block of arap, which has no Poisson effect: 2 mu (s - 1) + k (s - exp(-c)) = 0.
sed 's/"kind": "growth"/"direction": [0, 0, 3], "stiffness": 6e3/; s/"swell"/"pull"/g; s/"young": 1e4/"young": 1e4, "material": "arap"/; s/"positions": \[0.2\]/"positions": [0.3]/' growth.json >fibre.json
run 0 simulate fibre.json -o none --json --threads 1
holds "fibres pull as springs do" "$out" 'abs(d["loss"] ** 0.5 / (0.05 * (1 - (1e4/1.3 + 6e3 * 2.718281828459045 ** -0.3) / (1e4/1.3 + 6e3))) - 1) < 1e-6'

# A chamber is cut out of the grid; its gas pushes the walls apart and not the body away.
cat >chamber.json <<'END'
{"name": "chamber", "time": {"step": 0.05, "steps": 40}, "gravity": [0, 0, 0],
 "bodies": [{"name": "b", "soft": {"size": [0.1, 0.1, 0.1], "cells": [4, 4, 4], "young": 1e5, "self_contact": false, "viscosity": 100,
             "chambers": [{"name": "air", "low": [-0.03, -0.03, -0.03], "high": [0.03, 0.03, 0.03]}]}, "mass": 1},
            {"name": "p", "parent": "b", "joint": "fixed", "position": [0.05, 0, 0]}],
 "control": [{"type": "path", "body": "b", "coordinates": "air", "times": [0], "positions": [3000]}],
 "objective": [{"type": "reach", "body": "p", "target": [0, 0, 0]}]}
END
run 0 check chamber.json
check "check names the chamber" grep -q 'chamber "air"' "$out"
run 0 check chamber.json --json
holds "cells are left out" "$out" 'd["bodies"]["b"]["nodes"] == 124 and abs(d["bodies"]["b"]["volume"] - 0.875e-3) < 1e-12 and d["bodies"]["b"]["drives"] == ["pressure", "air"]'
run 0 simulate chamber.json -o none --json --threads 1
holds "walls are pushed outwards" "$out" 'd["loss"] ** 0.5 > 0.0505'
run 0 simulate chamber.json -o none --json --threads 1 --set 'objective[0].body=b'
holds "and the body stays" "$out" 'd["loss"] < 1e-20'

# Gradients by all of them at once, through every control that drives them.
cat >all.json <<'END'
{"name": "all", "time": {"step": 0.01, "steps": 8}, "gravity": [0, 0, -9.81],
 "bodies": [
  {"name": "f", "soft": {"size": [0.1, 0.03, 0.03], "cells": [4, 3, 3], "young": 1e5, "poisson": 0.4, "viscosity": 20,
     "pins": [{"low": [-0.051, -1, -1], "high": [-0.049, 1, 1]}],
     "chambers": [{"name": "air", "low": [-0.031, -0.006, -0.006], "high": [0.031, 0.006, 0.006]}],
     "muscles": [{"name": "top", "low": [-1, -1, 0.004], "high": [1, 1, 1], "direction": [1, 0, 0.1], "stiffness": 5e4},
                 {"name": "bottom", "kind": "growth", "low": [-1, -1, -1], "high": [1, 1, -0.004], "direction": [1, 0, 0]}]},
   "position": [0, 0, 0.3], "rotation": [0.96, 0, 0.28, 0]},
  {"name": "tip", "parent": "f", "joint": "fixed", "position": [0.0337, 0, 0.2785]},
  {"name": "sail", "soft": {"type": "cloth", "size": [0.1, 0.1], "cells": [2, 2], "young": 1e5, "drag": 1, "pins": [{"low": [-0.06, -1, -1], "high": [-0.04, 1, 1]}],
     "muscles": [{"name": "warp", "low": [-1, -1, -1], "high": [1, 1, 1], "direction": [1, 1, 0]}]}, "position": [0, 0.5, 0.3]},
  {"name": "rope", "soft": {"type": "rod", "size": [0.2], "cells": [4], "young": 1e6, "thickness": 0.005,
     "muscles": [{"name": "all_of_it", "low": [-1, -1, -1], "high": [1, 1, 1], "direction": [1, 0, 0]}], "pins": [{"low": [-0.11, -1, -1], "high": [-0.09, 1, 1]}]}, "position": [0, 1, 0.3]}],
 "control": [{"type": "spline", "body": "f", "knots": 2, "low": [0, 0, -1, -1], "high": [3e4, 3e4, 1, 1], "initial": [1000, 3000, 0.1, 0.05]},
             {"type": "pd_targets", "body": "sail", "hold": 3, "initial": [3, 0.1]},
             {"type": "pd_velocity", "body": "rope", "hold": 4, "initial": [0.2]},
             {"type": "sines", "bodies": ["f", "rope"], "waves": 1, "amplitude": 0.01}],
 "objective": [{"type": "reach", "body": "tip", "target": [0.05, 0.02, 0.3]}, {"type": "reach", "body": "sail", "target": [0.05, 0.02, 0.3]}, {"type": "reach", "body": "rope", "target": [0.05, 0.02, 0.3]}]}
END
run 0 gradcheck all.json --json --threads 1 --set time.steps="$(sample 8 4)"
holds "gradients agree with differences" "$out" 'd["max_relative_error"] <= 1e-6'
if [ "$(sample 2 1)" -gt 1 ]; then
  # Three steps go through every term of the adjoint; those above try the chain of eight, and sheets and rods.
  run 0 gradcheck all.json --json --threads 1 --set 'bodies[0].soft.element=quadratic' --set 'bodies[0].soft.material=corotated' --set time.steps=3
  holds "also of quadratic elements" "$out" 'd["max_relative_error"] <= 1e-6'  # observed 2.1e-8
fi

refused() {  # EXPRESSION WORDS: of all.json
  "$interpreter" -I -S -c "import json; d = json.load(open('all.json')); $1; json.dump(d, open('bad.json', 'w'))"
  run 3 check bad.json
  says "$2"
}
refused 'd["bodies"][0]["soft"]["muscles"][0]["name"] = "air"' 'bodies[0].soft.chambers[0].name: must be the only one ("air" is used twice)'
refused 'd["bodies"][0]["soft"]["muscles"][0]["name"] = "2"' 'bodies[0].soft.muscles[0].name: must begin with a letter'
refused 'del d["bodies"][0]["soft"]["muscles"][0]["direction"]' 'bodies[0].soft.muscles[0]: direction: must be given for fibres'
refused 'd["bodies"][0]["soft"]["muscles"][1]["stiffness"] = 3' 'bodies[0].soft.muscles[1].stiffness: must not be given for growth'
refused 'd["bodies"][2]["soft"]["muscles"][0]["kind"] = "growth"' 'bodies[2].soft.muscles[0].kind: growth is of solids'
refused 'd["bodies"][0]["soft"]["muscles"][0]["high"] = [-1, 1, 1]' 'bodies[0].soft.muscles[0]: there is no element in the box'
refused 'd["bodies"][0]["soft"]["chambers"][0]["low"] = [1, 1, 1]' 'bodies[0].soft.chambers[0].low: must not be above high'
refused 'd["bodies"][0]["soft"]["chambers"][0].update(low=[1, 1, 1], high=[2, 2, 2])' 'bodies[0].soft.chambers[0]: no part of the surface is in the box'
refused 'd["bodies"][2]["soft"]["chambers"] = d["bodies"][0]["soft"]["chambers"]' 'bodies[2].soft.chambers: must be of a solid'
refused 'd["bodies"][0]["soft"]["muscles"][0]["kind"] = "growth"; del d["bodies"][0]["soft"]["muscles"][0]["stiffness"]; d["bodies"][0]["soft"]["muscles"][0]["low"] = [-1, -1, -1]' 'bodies[0].soft.muscles[1]: an element grows by one muscle only ("top"'
refused 'd["control"][1]["type"] = "pd_velocity"' 'must not be pressures: speeds are of lengths'
refused 'd["control"][1]["coordinates"] = "x"' 'must be "all" or some of pressure warp'
refused 'd["control"][0]["body"] = "tip"' 'control[0].body: must have an actuator: "tip" is soft'
refused 'd["objective"] = [{"type": "effort", "bodies": ["f"]}]' 'objective[0].bodies: must have an actuator (no body has pd)'

# Scenes of the collection: the finger bends to its target, the worm crawls, the ball is thrown into a bin; all from zero.
run 0 optimize "$DCSIM_SOURCE/scenes/pneumatic_finger.json" -o none --json --quiet --require-success
if [ "$(sample 3 1)" -gt 1 ]; then
  run 0 optimize "$DCSIM_SOURCE/scenes/muscle_worm.json" -o none --json --quiet --require-success
  run 0 optimize "$DCSIM_SOURCE/scenes/soft_throw_bin.json" -o none --json --quiet --require-success
  run 0 optimize "$DCSIM_SOURCE/scenes/soft_arm_lift.json" -o none --json --quiet --require-success
  run 0 optimize "$DCSIM_SOURCE/scenes/guide_orient.json" -o none --json --quiet --require-success
fi
finish
