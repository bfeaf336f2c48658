#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Weights that are held in part, and actuators that ask for a velocity: known motions, MuJoCo's, and exact gradients,
# from scenes and from files of robots.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
cat >scene.json <<'SCENE'
{ "time": {"step": 0.01, "steps": 50}, "gravity": [0, 0, -8], "contact": {"model": "bsh"},
  "shapes": {"ball": {"type": "sphere", "radius": 0.05}, "link": {"type": "box", "size": [0.3, 0.05, 0.05]}},
  "bodies": [
    {"name": "ball", "shape": "ball", "position": [0, 3, 0], "velocity": [1, 0, 0], "mass": 0.4, "buoyancy": 1},
    {"name": "half", "shape": "ball", "position": [0, 6, 0], "mass": 0.4, "buoyancy": 0.5},
    {"name": "arm", "shape": "link", "joint": "hinge", "axis": [0, 1, 0], "anchor": [-0.15, 0, 0], "mass": 1,
     "buoyancy": 0.25, "pd": {"kp": 0, "kd": 5, "target_velocity": [-2]}},
    {"name": "low", "parent": "arm", "shape": "link", "joint": "hinge", "axis": [0, 1, 0], "anchor": [0.15, 0, 0],
     "position": [0.3, 0, 0], "mass": 0.5, "buoyancy": -1, "pd": {"kp": 40, "kd": 2, "gravity_compensation": true}}],
  "control": [{"type": "pd_targets", "body": "arm", "hold": 10}, {"type": "pd_targets", "body": "low", "hold": 10}],
  "design": [{"type": "number", "of": "mass", "bodies": ["arm", "low", "half"]},
             {"type": "number", "of": "gravity"}],
  "objective": [{"type": "reach", "body": "low", "target": [0.2, 0, 0.3]}, {"type": "reach", "body": "half", "target": [0, 6, -1]}] }
SCENE

# How far body $1 is from $2 at the end of a run with the options that follow.
near() {
  body=$1 target=$2
  shift 2
  run 0 simulate scene.json -o none --json --quiet --set time.integrator=second_order --set design=[] \
    --set "objective=[{\"type\": \"reach\", \"body\": \"$body\", \"target\": $target}]" "$@"
  distance=$(awk -F'[:,]' '/"distance"/ {print $2; exit}' "$out")
  check "$body is $distance m from $target" awk -v d="$distance" 'BEGIN {exit !(d != "" && d <= 1e-3)}'
}
near ball '[0.5, 3, 0]'
near half '[0, 6, -0.5]'
"$dcsim" export scene.json --format urdf -o scene.urdf >notes 2>&1
check "URDF has no buoyancy" grep -q "buoyancy of 4 bodies left out" notes
run 0 list models
if grep -q '^  mujoco:' "$out"; then
  near ball '[0.5, 3, 0]' --model mujoco --set mujoco.substeps=20 --set time.integrator=euler
  near half '[0, 6, -0.5]' --model mujoco --set mujoco.substeps=20 --set time.integrator=euler
else
  skip "buoyancy in MuJoCo" "built without MuJoCo"
fi
for integrator in euler second_order; do
  run 0 gradcheck scene.json --set time.integrator=$integrator --steps 10
done
run 3 check scene.json --set bodies.arm.pd.target_velocity=[1,2]
says "must hold 1 numbers, one per slide and hinge"

cat >drop.xml <<'MJCF'
<mujoco><option gravity="0 0 -8"/><worldbody>
  <body name="held" gravcomp="1"><freejoint/><geom size=".05"/></body>
  <body name="half" pos="0 1 0" gravcomp=".5"><freejoint/><geom size=".05"/></body>
</worldbody></mujoco>
MJCF
cat >drop.sdf <<'SDF'
<sdf version="1.9"><model name="m">
  <link name="held"><gravity>false</gravity><inertial><mass>1</mass></inertial></link>
  <link name="falls"><pose>0 1 0 0 0 0</pose><gravity>1</gravity><inertial><mass>1</mass></inertial></link>
</model></sdf>
SDF
for file in drop.xml drop.sdf; do
  echo "{\"time\": {\"step\": 0.01, \"steps\": 50, \"integrator\": \"second_order\"}, \"include\": \"$file\"}" >scene.json
  run 0 import "$file" -o imported.json
  check "the weight of $file that is held is that of a body" grep -q '"buoyancy": *1' imported.json
done
finish
