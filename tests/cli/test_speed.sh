#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Limits of velocity: read, kept, told where they are passed, asked for by the objective "speed", exported; limits so
# far that they are none.  Largest forces and speeds of joints and of contact in the summary.
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

# Forces of joints: the file's limit of effort holds for torques, not with "effort": "none"; together with pd a run tells.
sed 's/"pd": { "kp": 100, "kd": 10 }, "effort": "file"/"dynamics": "none"/
     s/"type": "pd_targets".*/"type": "torque", "body": "wheel", "limit": [50], "initial": [0.5] } ],/' arm.json >torque.json
run 0 gradcheck torque.json
run 0 simulate torque.json -o none --quiet --json
holds "half of the limit of the file" "$out" '[(j["force_limit"], round(j["force"], 2), j["force_unit"], j["exceeds"]) for j in d["joints"] if j["body"] == "wheel"] == [(7, 3.5, "N m", [])]'
holds "forces of joints that nothing drives" "$out" '[(j["driven"], j["force"], j["speed_unit"]) for j in d["joints"] if j["body"] == "far"] == [(False, 0, "m/s")]'
sed 's/"dynamics": "none"/"dynamics": "none", "effort": "none"/' torque.json >none.json
run 0 simulate none.json -o none --quiet --json
holds "without the limit of the file" "$out" '[(j["force_limit"], round(j["force"], 1)) for j in d["joints"] if j["body"] == "wheel"] == [(None, 25)]'
sed 's/"control": \[/"control": [ { "type": "torque", "body": "wheel", "limit": [5], "initial": [0.9] },\
  { "type": "pd_targets", "body": "wheel", "hold": 5, "initial": [1] },/' arm.json >both.json
run 0 simulate both.json -o both --quiet --no-report
check "pd and torque together are told" grep -q "joint wheel: torque up to .* N m of 7 at .* s, more than its limit; speed" "$out"
cat >stack.json <<'SCENE'
{ "time": { "step": 0.01, "steps": 40 },
  "shapes": { "cube": { "type": "box", "size": [0.1, 0.1, 0.1] }, "floor": { "type": "plane" } },
  "bodies": [{ "name": "floor", "shape": "floor", "joint": "fixed" },
             { "name": "low", "shape": "cube", "mass": 2, "position": [0, 0, 0.0505] },
             { "name": "high", "shape": "cube", "mass": 1, "position": [0, 0, 0.151] },
             { "name": "away", "shape": "cube", "mass": 1, "position": [5, 0, 0.0505] }] }
SCENE
run 0 simulate stack.json -o none --quiet --json
holds "the largest contact forces: floor and lower cube bear both weights, the upper one its own" "$out" '(lambda c: c["floor"]["other"] == "low" and c["low"]["other"] == "floor" and c["floor"]["force"] == c["low"]["force"] > 3 * 9.8 and c["high"]["other"] == "low" and 9.8 < c["high"]["force"] < c["low"]["force"] and c["away"]["other"] == "floor" and 0 < c["low"]["frame"] <= 40)({e["body"]: e for e in d["contact_forces"]})'
run 0 simulate stack.json -o none --quiet
check "each pair once" sh -c "grep -q 'largest contact forces: floor on low .* N at .* s; low on high .* s; floor on away .* s\$' '$out'"
holds "in the run, too" both/run.json '[j["exceeds"][0] for j in d["result"]["joints"] if j["body"] == "wheel"] == ["force"]'
finish
