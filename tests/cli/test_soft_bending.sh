#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Bending of solids: a cantilever of quadratic tetrahedra sinks as beam theory says, at nearly no change of volume, too;
# its modulus is found from how it bends on three meshes; check tells what linear ones allow.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
cat >beam.json <<'END2'
{"name": "beam", "time": {"step": 0.2, "steps": 25}, "gravity": [0, 0, -9.81],
 "bodies": [
  {"name": "beam", "soft": {"size": [1, 0.1, 0.1], "cells": [10, 1, 1], "element": "quadratic", "young": 1e6, "self_contact": false,
                            "pins": [{"low": [-0.500001, -1, -1], "high": [-0.499999, 1, 1]}]}, "density": 100, "position": [0, 0, 1]},
  {"name": "tip", "parent": "beam", "joint": "fixed", "position": [0.5, 0, 1]}],
 "objective": [{"type": "reach", "body": "tip", "target": [0.5, 0, 1]}]}
END2
# w L^4 / (8 E I) = 0.147 m by beam theory for small motions; the solid, clamped over its whole end, sinks by 0.145 m
run 0 simulate beam.json -o none --json --threads 1
holds "quadratic elements sink as they should, one over the thickness" "$out" 'abs(d["loss"] ** 0.5 / 0.147 - 1) < 0.03'  # observed 0.1431
run 0 simulate beam.json -o none --json --threads 1 --set bodies.beam.soft.cells='[20, 2, 2]' --set time.steps=10
holds "and two" "$out" 'abs(d["loss"] ** 0.5 / 0.147 - 1) < 0.03'  # observed 0.145
run 0 simulate beam.json -o none --json --threads 1 --set bodies.beam.soft.poisson=0.499 --set bodies.beam.soft.cells='[20, 2, 2]' --set time.steps=10
holds "nearly without change of volume within 5 % of the limit of fine meshes" "$out" 'abs(d["loss"] ** 0.5 / 0.140 - 1) < 0.05'  # observed 0.1388
run 0 simulate beam.json -o none --json --threads 1 --set bodies.beam.soft.element=linear
holds "linear elements do not" "$out" 'd["loss"] ** 0.5 < 0.06'

run 0 gradcheck beam.json --json --threads 1 --set time.steps=4 --set time.step=0.05 --set bodies.beam.soft.cells='[1, 1, 1]' --set bodies.beam.soft.viscosity=50 \
  --set design='[{"type": "number", "of": "young", "range": [0.1, 10]}, {"type": "number", "of": "poisson", "range": [0.1, 0.4]}, {"type": "number", "of": "young_element", "range": [0.1, 10]}]'
holds "derivatives by material, element by element, agree with differences" "$out" 'd["max_relative_error"] <= 1e-6'  # observed 4.5e-8
cp "$DCSIM_SOURCE/scenes/soft_identify.json" soft.json
mkdir -p recordings
cp "$DCSIM_SOURCE/scenes/recordings/jelly.csv" recordings
for material in arap corotated; do
  run 0 gradcheck soft.json --json --threads 1 --set time.steps=6 --set bodies.jelly.soft.cells='[2, 1, 1]' --set bodies.jelly.soft.material=$material --set bodies.jelly.soft.element=quadratic
  holds "$material: through an impact, too" "$out" 'd["max_relative_error"] <= 1e-6'  # observed 1.5e-7
done

# a modulus of 1 MPa from the w L^4 / (8 E I) = 0.01471 m by which the tip sinks at a tenth of gravity, on three meshes
for cells in '[6, 1, 1]' '[8, 1, 1]' '[10, 1, 1]'; do
  run 0 optimize beam.json -o none --json --threads 1 --set bodies.beam.soft.cells="$cells" --set bodies.beam.soft.young=3e6 --set time.steps=10 --set gravity='[0, 0, -0.981]' \
    --set objective='[{"type": "reach", "body": "tip", "target": [0.5, 0, 0.98529], "axes": "z", "tolerance": 1e-6}]' \
    --set optimizer='{"type": "gauss_newton", "iterations": 15}' --set design='[{"type": "number", "of": "young", "range": [0.1, 10]}]'
  holds "on $cells cells the modulus is found within 3 %" "$out" 'abs(list(d["design"].values())[0] / 1e6 - 1) < 0.03 if isinstance(d["design"], dict) else abs(d["design"][0]["value"] / 1e6 - 1) < 0.03'
done

run 0 check beam.json --json
holds "check bends a beam of quadratic elements" "$out" 'd["bodies"]["beam"]["bending"] > 0.99 and d["bodies"]["beam"]["elements"] == 60'
run 0 check beam.json
check "and has nothing to say of it" sh -c "! grep -q 'bends by' '$out'"
run 0 check beam.json --set bodies.beam.soft.element=linear
check "and tells what linear ones allow, with the remedy" grep -q 'bends by 3[0-9] % of what its material would (remedy: "element": "quadratic"' "$out"
run 3 check beam.json --set bodies.beam.soft.type=cloth --set bodies.beam.soft.size='[1, 1]' --set bodies.beam.soft.cells='[4, 4]'
says 'bodies[0].soft.element: must not be "quadratic" of a cloth: it is of solids'
finish
