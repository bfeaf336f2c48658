#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A designed part that stops being convex, where contact sees triangles: the scene with the design built in has the same
# body, and moves as the run did.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
cat >sunk.json <<'END2'
{"name": "sunk", "time": {"step": 0.01, "steps": 30}, "contact": {"stiffness": 1e-6},
 "shapes": {"ground": {"type": "plane"},
            "lump": {"type": "hulls", "surface": "mesh", "parts": [{"vertices": [-0.1, -0.1, -0.1, 0.1, -0.1, -0.1, -0.1, 0.1, -0.1, 0.1, 0.1, -0.1, -0.1, -0.1, 0.1, 0.1, -0.1, 0.1, -0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0, 0, 0.101]}]}},
 "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground"},
            {"name": "lump", "shape": "lump", "position": [0, 0, 0.2], "density": 100, "angular_velocity": [2, 0.5, 1]},
            {"name": "other", "shape": "lump", "mass_model": "lumped", "mass": 2, "position": [0.5, 0, 0.2], "angular_velocity": [2, 0.5, 1]}],
 "objective": [{"type": "mass", "bodies": ["lump"], "most": 0.6}],
 "design": [{"type": "vertices", "shape": "lump", "box": [0.05, 0.05, 0.05], "scale": 0.05}],
 "optimizer": {"type": "gauss_newton", "iterations": 8}}
END2
aim='objective=[{"type": "reach", "bodies": ["lump", "other"], "target": [0.1, 0, 0.1]}]'
for model in bsh exact; do
  run 0 optimize sunk.json -o $model --quiet --no-report --model $model --set time.steps=1
  run 0 check $model/design/scene.json --json --model $model
  holds "$model: the part that sank in is a mesh of the mass it had" "$out" 'abs(d["bodies"]["lump"]["mass"] - 0.6) < 1e-4 and not d["bodies"]["lump"]["hulls"]'
  run 0 simulate sunk.json --control $model -o none --json --model $model --set "$aim"
  loss=$(told_loss)
  run 0 simulate $model/design/scene.json -o none --json --model $model --set time.steps=30 --set "$aim"
  holds "$model: it moves as it did, mass in vertices, too" "$out" "abs(d['loss'] / $loss - 1) < 1e-5"  # observed 5e-7: the tree of a design is that of its start
done
# a model that sees the hulls keeps them
run 0 optimize sunk.json -o hulls --quiet --no-report --model sdrs --set time.steps=1 --set contact=null
run 0 check hulls/design/scene.json --json --model sdrs
holds "hulls stay hulls" "$out" 'abs(d["bodies"]["lump"]["mass"] - 0.6) < 1e-3 and d["bodies"]["lump"]["hulls"]'
finish
