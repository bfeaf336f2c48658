#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Designs of shapes beside numbers of soft bodies: the scene with the design built in moves as the design did, with its
# moduli, ratios, pressures, masses and wind, and the barriers and fibres that the scene's own moduli gave.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
have_python || { echo "1..0 # SKIP no python3"; exit 0; }

cat >hit.json <<'END2'
{"name": "hit", "time": {"step": 0.01, "steps": 15}, "gravity": [0, 0, -9.81], "wind": [1, 0, 0],
 "contact": {"friction": 0.4, "weights": "consistent"},
 "shapes": {"ground": {"type": "plane"}, "ram": {"type": "box", "size": [0.05, 0.1, 0.1]}},
 "bodies": [
  {"name": "ground", "joint": "fixed", "shape": "ground"},
  {"name": "ram", "joint": "slide", "axis": [1, 0, 0], "shape": "ram", "position": [-0.11, 0, 0.07], "joint_velocity": [1.5]},
  {"name": "block", "position": [0, 0, 0.061],
   "soft": {"size": [0.12, 0.1, 0.1], "cells": [2, 2, 2], "young": 2e4, "viscosity": 20, "drag": 1, "self_contact": false,
            "muscles": [{"name": "fibre", "low": [-1, -1, 0], "high": [1, 1, 1], "direction": [1, 0, 0]}]}},
  {"name": "sheet", "density": 300, "position": [0, 0, 0.13],
   "soft": {"type": "cloth", "size": [0.1, 0.1], "cells": [3, 3], "young": 1e5, "thickness": 0.002, "contact_range": 0.004, "drag": 1}}],
 "control": [{"type": "path", "body": "block", "coordinates": "fibre", "times": [0], "positions": [0.1]}],
 "objective": [{"type": "reach", "body": "block", "target": [0.5, 0.1, 0.3]}, {"type": "reach", "body": "sheet", "target": [0.5, 0.1, 0.3]}],
 "gradient": {"type": "fd"},
 "optimizer": {"type": "adam", "learning_rate": 0.2, "iterations": 1}}
END2
sizes='{"type": "size", "shape": "ram", "axes": "y", "range": [0.5, 2]}'
built() {  # NUMBER: of the design beside the size of the ram
  rm -rf run
  run 0 optimize hit.json -o run --quiet --no-report --threads 1 --set "design=[$sizes, $1]"
  run 0 simulate run/design/scene.json --control run -o none --json --threads 1
  holds "built in: $1" "$out" "abs(d['loss'] / json.load(open('run/run.json'))['result']['loss'] - 1) < 1e-9"
  holds "and it was another one" run/run.json 'abs(d["result"]["loss"] / d["result"]["initial_loss"] - 1) > 1e-7'
}
for number in $(sample "young poisson pressure bending wind mass friction" "young wind mass"); do
  built "{\"type\": \"number\", \"of\": \"$number\"}"
done
# a scene has one modulus for a body, and one place and velocity
for number in young_element velocity; do
  rm -rf run
  run 0 optimize hit.json -o run --quiet --no-report --threads 1 --set time.steps=4 --set "design=[$sizes, {\"type\": \"number\", \"of\": \"$number\", \"bodies\": [\"sheet\"]}]"
  check "no scene is written that is another one: $number" test ! -e run/design/scene.json
done
finish
