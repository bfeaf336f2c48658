#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Limits of velocity: read, kept, told where they are passed, asked for by the objective "speed", exported; limits so
# far that they are none.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

cat >arm.urdf <<'ROBOT'
<robot name="r">
<link name="base"/>
<link name="upper"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="wheel"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="far"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="a" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
<limit lower="-1e16" upper="1e16" effort="1e30" velocity="0.5"/></joint>
<joint name="b" type="continuous"><parent link="upper"/><child link="wheel"/><origin xyz="1 0 0"/><axis xyz="0 1 0"/>
<limit effort="7" velocity="3"/></joint>
<joint name="c" type="prismatic"><parent link="wheel"/><child link="far"/><origin xyz="1 0 0"/><axis xyz="1 0 0"/>
<limit lower="-0.2" upper="inf" effort="9" velocity="inf"/></joint>
</robot>
ROBOT
cat >arm.json <<'SCENE'
{ "time": { "step": 0.02, "steps": 20 }, "gravity": [0, 0, 0],
  "include": { "file": "arm.urdf", "pd": { "kp": 100, "kd": 10 }, "effort": "file" },
  "control": [ { "type": "pd_targets", "body": "upper", "hold": 5, "initial": [0.8] } ],
  "objective": [ { "type": "joints", "bodies": ["upper"], "target": [0.1], "tolerance": 0.02 } ],
  "optimizer": { "type": "gauss_newton", "iterations": 40 } }
SCENE
run 0 simulate arm.json -o fast --quiet --no-report
check "the faster joint is told" grep -q "upper moves at up to .* rad/s (frame .*), its limit is 0.5" "$out"
run 0 simulate arm.json -o none --quiet --json
holds "in JSON, too" "$out" '[e["body"] for e in d["too_fast"]] == ["upper", "wheel"] and [e["limit"] for e in d["too_fast"]] == [0.5, 3] and all(e["speed"] > e["limit"] and 0 < e["frame"] <= 20 for e in d["too_fast"])'
sed 's/"objective": \[/"objective": [ { "type": "speed", "part": 0.95, "weight": 10 },/' arm.json >slow.json
run 0 gradcheck slow.json
run 0 optimize slow.json -o slow --quiet --no-report --json
holds "a plan that keeps them" "$out" 'd["success"] and d["too_fast"] == []'
run 0 export slow --format urdf
check "exported: of both kinds of joints" sh -c 'grep -q "velocity=\"0.5\"" slow/export/model.urdf && grep -q "effort=\"7\" velocity=\"3\"" slow/export/model.urdf'
check "no range where it was none" sh -c 'grep -c "type=\"continuous\"" slow/export/model.urdf | grep -qx 2'
sed 's,arm.urdf,slow/export/model.urdf,' slow.json >back.json
run 0 check back.json
sed 's/velocity="0.5"/velocity="x"/' arm.urdf >wrong.urdf
sed 's/arm.urdf/wrong.urdf/' arm.json >wrong.json
run 3 check wrong.json
says "velocity must be 1 finite number"
sed 's/"speed",/"speed", "bodies": "far",/' slow.json >none.json
run 3 check none.json
says "must have a velocity_limit"
finish
