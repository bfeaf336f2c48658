#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Robots from URDF files: run directories hold all that is needed, options find packages, nothing is created for bad
# ones.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

mkdir -p packages/robot/urdf packages/robot/meshes scene
cat >packages/robot/meshes/foot.obj <<'OBJ'
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 2 3 4
OBJ
cat >packages/robot/urdf/robot.urdf <<'URDF'
<?xml version="1.0"?>
<robot name="robot">
  <link name="base"><collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="foot"/><origin xyz="0 0 0.4"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
  <link name="foot">
    <visual><geometry><mesh filename="package://robot/meshes/foot.dae"/></geometry></visual>
    <collision><geometry><mesh filename="package://robot/meshes/foot.obj" scale="0.1 0.1 0.1"/></geometry></collision>
  </link>
</robot>
URDF
cat >scene/scene.json <<'SCENE'
{
  "name": "robots",
  "time": { "step": 0.01, "steps": 3 },
  "include": [
    { "file": "../packages/robot/urdf/robot.urdf", "prefix": "left_", "joint_position": { "turn": 0.5 },
      "pd": { "kp": 10, "kd": 1 } },
    { "file": "../packages/robot/urdf/robot.urdf", "prefix": "right_", "position": [2, 0, 0] }
  ],
  "control": [{ "type": "pd_targets", "body": "left_foot" }]
}
SCENE

run 3 check scene/scene.json
says "scene/scene.json:5:15: include[0].file: "
says "lies outside the scene's folder, the data directory and the folders of --allow-path and --package-path"
run 0 check scene/scene.json --package-path packages
check "check names the bodies" grep -q "body  right_foot " "$out"
check "check counts visuals that are left out of each robot" [ "$(grep -c 'note: .*: 1 <visual> left out' "$out")" = 2 ]
run 0 check scene/scene.json --package-path packages/robot
run 0 check scene/scene.json --allow-path packages
run 0 check scene/scene.json --package-path scene --allow-path packages
sed -i 's,package://robot/,package://elsewhere/,' packages/robot/urdf/robot.urdf
run 0 check scene/scene.json --package-path scene --allow-path packages
check "a package that is nowhere is looked for around the file, with one note for each robot" [ "$(
  grep -c 'note: .*package "elsewhere" is found nowhere: its files are those below "robot"' "$out"
)" = 2 ]
sed -i 's,package://elsewhere/,package://,' packages/robot/urdf/robot.urdf
run 0 check scene/scene.json --allow-path packages
sed -i 's,package://,package://robot/none/,' packages/robot/urdf/robot.urdf
run 3 check scene/scene.json --package-path scene --allow-path packages
says "robot.urdf:10:5: collision mesh \"package://robot/none/meshes/foot.obj\": "
sed -i 's,robot/none/,robot/,' packages/robot/urdf/robot.urdf
run 2 check scene/scene.json --package-path ""

# a run directory needs none of the files
run 0 simulate scene/scene.json --package-path packages -o first
check "the mesh is copied" cmp packages/robot/meshes/foot.obj first/meshes/foot.obj
check "resolved.json includes nothing" sh -c '! grep -q include first/resolved.json'
check "resolved.json names no folder" sh -c '! grep -q packages first/resolved.json'
mv packages away
mv first second
run 0 simulate second/resolved.json -o third
check "resolved.json is the same scene" cmp second/resolved.json third/resolved.json
check "and rolls out the same" cmp second/loss.csv third/loss.csv
run 0 render second --size 64x48 --every 100
mv away packages

# overrides
run 0 simulate scene/scene.json --package-path packages -o none --set bodies.right_foot.joint_position=[0.2]
run 3 simulate scene/scene.json --package-path packages -o none --set bodies.right_foot.joint_position=[2]
says "2 is outside of the range [-1, 1]"
run 3 simulate scene/scene.json --package-path packages -o none --set include=robot.urdf
says "include: must stand in the scene file"

# bad robots
sed -i 's/upper="1"/upper="-2"/' packages/robot/urdf/robot.urdf
run 3 simulate scene/scene.json --package-path packages -o none
says 'robot.urdf:4:3: joint "turn": <limit>: lower must be <= upper (-1 > -2)'
run 3 simulate scene/scene.json --package-path packages -o fourth
check "nothing was created" [ ! -e fourth ]
rm packages/robot/urdf/robot.urdf
mkfifo packages/robot/urdf/robot.urdf
run 3 simulate scene/scene.json --package-path packages -o none
says "is not a regular file"
# a robot in an ordinary trajectory problem: a finger of a hand pushes a ball; what an include made takes --set
cp -r "$DCSIM_SOURCE/scenes/hands" .
cat >push.json <<'SCENE'
{
  "name": "push",
  "time": { "step": 0.02, "steps": 10 },
  "gravity": [0, 0, 0],
  "contact": { "stiffness": 1e-6, "length": 0.05 },
  "shapes": { "ball": { "type": "sphere", "radius": 0.015, "level": 1, "base": "octahedron" } },
  "bodies": [{ "name": "ball", "shape": "ball", "mass": 0.05, "position": [0.004, 0.006, 0.115] }],
  "include": { "file": "hands/hand3.urdf", "base": "fixed", "collide": false, "pd": { "kp": 0.5, "kd": 0.01 } },
  "control": [{ "type": "pd_targets", "body": "proximal_1" }, { "type": "pd_targets", "body": "distal_1" }],
  "objective": [{ "type": "reach", "body": "ball", "target": [-0.006, -0.012, 0.115], "when": "end" }],
  "optimizer": { "type": "adam", "learning_rate": 0.05, "iterations": 20 }
}
SCENE
run 0 optimize push.json -o none --quiet --json --set bodies.distal_1.collide=true
holds "the finger pushes the ball to its target" "$out" 'd["iterations"] == 20 and d["loss"] < 0.2 * d["initial_loss"]'
run 0 optimize push.json -o none --quiet --json
holds "nothing moves the ball where nothing collides" "$out" 'd["loss"] == d["initial_loss"]'
run 0 gradcheck push.json --json --steps 3 --set objective.0.when=every --set bodies.distal_1.collide=true
holds "the gradient through hand and ball is right" "$out" \
  'd["max_relative_error"] < 1e-5 and any(abs(c["adjoint"]) > 1e-7 for c in d["checks"])'
finish
