#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Design parameters and recorded motions: scenes, mistakes in them, runs that are resumed and replayed.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
scenes=$DCSIM_SOURCE/scenes

# gradients of all design parameters of the shipped scenes
for name in identify_push identify_arm; do
  run 0 gradcheck "$scenes/$name.json" --json
  holds "$name: the adjoint agrees with differences" "$out" 'd["max_relative_error"] <= 1e-6'
  holds "$name: tangent and adjoint, rows and gradient, rows and differences agree" "$out" \
    'd["products"]["tangent_adjoint"] <= 1e-12 and d["products"]["gradient"] <= 1e-12 and
     d["products"]["differences"] <= 1e-6 and d["products"]["rows"] > 0'
done
holds "every gain of the arm is among them" "$out" \
  'set(c["parameter"] for c in d["checks"]) >= {"upper.kp", "lower.kp", "upper.kd", "lower.kd"}'

# few rows, so that the Jacobian is computed by directions and by rows
for name in identify_push identify_arm; do
  run 0 gradcheck "$scenes/$name.json" --json --set objective.0.every=20
  holds "$name: the Jacobian is the same both ways" "$out" '0 <= d["products"]["both_ways"] <= 1e-12'
done

# the true numbers are where the loss vanishes: recordings have 9 digits
run 0 simulate "$scenes/identify_push.json" -o none --json --set bodies.box.mass=2 --set bodies.box.friction=0.4
holds "identify_push: the recording is that of the true values" "$out" '0 < d["loss"] <= 1e-14'
run 0 simulate "$scenes/identify_arm.json" -o none --json --set bodies.upper.pd.kp=100 --set bodies.upper.pd.kd=6 \
  --set bodies.lower.pd.kp=30 --set bodies.lower.pd.kd=2
holds "identify_arm: so is this one" "$out" '0 < d["loss"] <= 1e-14'

# a limit that acts
run 0 gradcheck "$scenes/identify_arm.json" --json --set bodies.upper.range='[-0.5, 0.1]' \
  --set bodies.upper.limit_stiffness=1 --set design.0='{"type": "number", "of": "limit_stiffness"}'
holds "products with the stiffness of a limit agree too" "$out" \
  'abs([c["adjoint"] for c in d["checks"] if c["parameter"] == "upper.limit_stiffness"][0]) > 1e-4 and
   d["products"]["tangent_adjoint"] <= 1e-12 and d["products"]["differences"] <= 1e-6 and d["products"]["columns"] == 3'

# what hits an end of its range and what bounces tell where the end is and how elastic they are (5 iterations observed)
cat >limits.json <<'SCENE'
{"time": {"step": 0.02, "steps": 40}, "contact": {"model": "sdrs", "stiffness": 1e-4, "opening_speed": 0.05},
 "shapes": {"rod": {"type": "box", "size": [0.4, 0.05, 0.05]}, "box": {"type": "box", "size": [0.2, 0.2, 0.2]}, "ground": {"type": "plane"}},
 "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground"},
            {"name": "box", "shape": "box", "mass": 1, "position": [0, 1, 0.25], "velocity": [0.3, 0, -1], "restitution": 0.4},
            {"name": "arm", "shape": "rod", "mass": 1, "position": [0.2, 0, 1], "anchor": [0, 0, 1], "joint": "hinge",
             "axis": [0, 1, 0], "joint_velocity": [3], "range": [-0.5, 1.0], "limit_stiffness": 0.5}],
 "objective": [{"type": "follow", "file": "hit", "bodies": ["box", "arm"], "weight": 100}],
 "design": [{"type": "number", "of": "upper_limit"}, {"type": "number", "of": "restitution"}],
 "optimizer": {"type": "gauss_newton", "iterations": 15}}
SCENE
run 0 simulate limits.json -o hit --quiet --no-report --set 'objective=[]' --set bodies.box.restitution=0.7 \
  --set bodies.arm.range='[-0.5, 0.8]'
for model in bsh exact sdrs; do  # 4.6e-10 and 9e-16 observed
  run 0 gradcheck limits.json --json --model $model --set design.0.of='"lower_limit"'
  holds "$model: ends of ranges and restitution against differences" "$out" \
    'd["max_relative_error"] <= 1e-6 and d["products"]["tangent_adjoint"] <= 1e-12 and
     all(any(n in c["parameter"] and c["adjoint"] != 0 for c in d["checks"])
         for n in ("upper_limit", "lower_limit", "restitution"))'
done
run 0 optimize limits.json -o found --json --quiet --no-report
holds "end and restitution are found, to 3e-10 observed" "$out" \
  '[(v["name"], v["unit"]) for v in d["design"]] == [("arm.upper_limit.0", "rad"), ("box.restitution", "1")] and
   all(abs(v["value"] / t - 1) < 1e-6 for v, t in zip(d["design"], (0.8, 0.7)))'
# another stepper has them, too: the same as a scene that begins with them
if "$dcsim" list models | grep 'mujoco:' >/dev/null; then
  run 0 simulate limits.json --control found -o none --json --model mujoco --set contact=null
  mv "$out" designed.json
  run 0 simulate limits.json -o none --json --model mujoco --set contact=null --set bodies.box.restitution=0.7 \
    --set bodies.arm.range='[-0.5, 0.8]'
  holds "mujoco has them" "$out" 'abs(d["loss"] / __import__("json").load(open("designed.json"))["loss"] - 1) < 1e-6'
fi
run 3 check limits.json --set design.0.range='[0, 1.1]'
says 'design[0].range: must be within [0.015, inf] for arm.upper_limit.0 (is [0, 1.1])'
run 3 check limits.json --set design.1.range='[0, 1]'
says 'design[1].range: must be within [0, 0.999] for box.restitution'
run 3 check limits.json --set design.0.bodies='["box"]'
says '"box" has no upper_limit that can be changed'
run 3 check limits.json --set bodies.box.restitution=1
says 'nothing in the scene has a restitution that can be changed'

# at most 15 iterations find the true numbers from 50 % off (3 and 4 observed to be enough)
run 0 optimize "$scenes/identify_arm.json" -o arm --json --quiet
holds "identify_arm: the gains are found" "$out" \
  'd["iterations"] <= 15 and d["success"] and
   all(abs(v["value"] / t - 1) < 0.01 for v, t in zip(d["design"], (100, 30, 6, 2)))'
cp "$out" arm.json
run 0 optimize "$scenes/identify_push.json" -o push --json --quiet
holds "identify_push: mass and friction are found" "$out" \
  'd["iterations"] <= 15 and d["success"] and
   all(abs(v["value"] / t - 1) < 0.01 for v, t in zip(d["design"], (2, 0.4)))'
# from elsewhere too, each number off by up to a half
run 0 optimize "$scenes/identify_arm.json" -o none --json --quiet --set bodies.upper.pd.kp=149 --set bodies.lower.pd.kp=16 \
  --set bodies.upper.pd.kd=8.9 --set bodies.lower.pd.kd=2.9
holds "identify_arm: from the other side" "$out" \
  'd["iterations"] <= 15 and all(abs(v["value"] / t - 1) < 0.01 for v, t in zip(d["design"], (100, 30, 6, 2)))'
run 0 simulate "$scenes/identify_push.json" -o none --json
holds "what is far from the recording is not reached" "$out" \
  'not d["success"] and d["objectives"][0]["distance"] > 0.1'
holds "names and units are told" arm.json \
  '[(v["name"], v["unit"], v["initial"]) for v in d["design"]] == [("upper.kp", "N m/rad", 50), ("lower.kp", "N m/rad", 45),
    ("upper.kd", "N m s/rad", 9), ("lower.kd", "N m s/rad", 1)]'
holds "run.json has them too" arm/run.json 'd["result"]["design"][0]["name"] == "upper.kp"'
check "the recording lies in the run" cmp arm/meshes/arm.csv "$scenes/recordings/arm.csv"
run 0 report arm

# a run that stops and goes on ends like one that does not
cp "$scenes/identify_push.json" push.json
mkdir recordings
cp "$scenes/recordings/push.csv" recordings
run 0 optimize push.json -o whole --quiet --set optimizer.iterations=12
run 0 optimize push.json -o parts --quiet --set optimizer.iterations=2
run 0 optimize --resume parts --force --quiet --set optimizer.iterations=12
check "the same rows" cmp whole/loss.csv parts/loss.csv
# a run begins where an earlier one ended, and a simulation shows it again
run 0 simulate push.json --control whole -o again --json
cp "$out" again.json
python3 - <<'COMPARE' >"$scratch/same" 2>&1 && pass "--control takes the design" || fail "--control takes the design"
import json
one, other = json.load(open("whole/run.json"))["result"], json.load(open("again.json"))
assert one["design"] == other["design"] and one["loss"] == other["loss"], (one["design"], other["design"])
assert abs(one["design"][0]["value"] - 1) > 0.1
COMPARE

# optimizers stay within ranges
run 0 optimize push.json -o none --json --quiet --set optimizer.iterations=8 --set design.0.range='[0.9, 1.1]'
holds "the mass stays in its range" "$out" 'abs(d["design"][0]["value"] - 1.1) < 1e-12'
run 0 optimize push.json --control whole -o none --json --quiet --set optimizer.iterations=0 \
  --set design.0.range='[0.9, 1.1]'
holds "a start outside is moved to its edge" "$out" 'abs(d["design"][0]["value"] - 1.1) < 1e-12'
run 0 optimize push.json -o none --json --quiet --set optimizer.iterations=3 \
  --set design='[{"type": "number", "of": "mass", "together": true}]'
holds "one factor for all bodies" "$out" \
  'd["design"][1]["value"] / d["design"][1]["initial"] == d["design"][0]["value"] / d["design"][0]["initial"] != 1 and
   list(d["parameters"]) == ["box+pusher.mass"]'

# a trajectory of ours, by its run's folder
run 0 simulate push.json -o recorded --quiet --set 'objective=[]'
run 0 simulate push.json -o none --json --set objective.0.file=recorded
holds "a run follows itself" "$out" 'd["loss"] == 0'
run 0 simulate push.json -o none --json --set objective.0.file=recorded/trajectory.h5 --set bodies.box.mass=2
holds "and not another" "$out" 'd["loss"] > 0.01'
# tables as they are exported, with quotes and units
run 0 export recorded --format csv
cp recorded/export/trajectory.csv recordings/exported.csv
run 0 simulate push.json -o none --json --set objective.0.file=recordings/exported.csv
holds "exported tables are read" "$out" 'd["loss"] < 1e-20'
# markers at times of their own, one axis, with gaps
printf 'time,box.x,other.x\n0.013,0.5,1\n0.033,,2\n0.053,0.7,3\n0.073,0.9,4\n' >recordings/markers.csv
run 0 simulate push.json -o none --json --set objective.0.file=recordings/markers.csv --set objective.0.bodies=box \
  --set objective.0.axes=x --set objective.0.weight=1
cp "$out" markers.json
run 0 simulate push.json -o one --quiet --set 'objective=[]'
run 0 export one --format csv
python3 - <<'COMPARE' >"$scratch/same" 2>&1 && pass "markers are interpolated" || fail "markers are interpolated"
import csv, json
rows = list(csv.DictReader(open("one/export/trajectory.csv")))
at = lambda t: next(float(r["box.x [m]"]) for r in rows if abs(float(r["time [s]"]) - t) < 1e-9)
expected = (at(0.06) - (0.7 + 0.35 * 0.2)) ** 2  # the one frame between two rows that were seen
assert abs(json.load(open("markers.json"))["loss"] / expected - 1) < 1e-12
COMPARE

# mistakes, with their places
mistake() {
  run 3 simulate push.json -o none --set "$1"
  says "$2"
}
mistake 'design.0.of="masss"' 'design[0].of: must be one of "mass"'
mistake 'design.0.bodies=["nobody"]' 'design[0].bodies'
mistake 'design.0.bodies=["ground"]' 'design[0].bodies: "ground" has no mass that can be changed'
mistake 'design.0={"type":"number","of":"kp","bodies":["box"]}' 'design[0].bodies: "box" has no kp that can be changed'
mistake 'design.0.range=[2,3]' "design[0].range: must contain 1, the factor of the scene's value (is [2, 3])"
mistake 'design.0.range=[2,1]' 'design[0].range: must be [low, high] with low < high'
mistake 'design.0.range=[-1,2]' 'design[0].range: must hold factors > 0'
mistake 'design.0={"type":"number","of":"gravity","range":[-1,1]}' \
  "design[0].range: must contain the scene's value of gravity.z, -9.81 m/s^2"
mistake 'design.0={"type":"number","of":"gravity","axes":"u"}' 'design[0].axes: must be a non-empty subset'
mistake 'design.0.axes="z"' 'design[0].axes: must be absent (only gravity and wind have axes)'
mistake 'design.0={"type":"number","of":"gravity","together":true}' 'design[0].together: must be false for gravity'
mistake 'design.0={"type":"number","of":"stiffness","bodies":["box"]}' 'design[0].bodies: must be absent'
mistake 'design.1={"type":"number","of":"mass"}' 'design[1]: must not change "box.mass", which design[0] changes'
mistake 'design.0={"type":"figure"}' 'design[0].type'
mistake 'design={}' 'design: must be an array'
mistake 'horizon={"length":5}' 'design[0]: must be absent in a receding horizon'
run 3 check "$scenes/grasp_hand3_ball.json" --set 'design=[]'
says 'a refinement ("problem": "refine") has no time and no forces'
mistake 'objective.0.file="none.csv"' 'objective[0].file: '
mistake 'objective.0.file="/etc/passwd"' "lies outside the scene's folder"
mistake 'objective.0.bodies=["ground"]' 'objective[0].bodies: must move ("ground" never does)'
mistake 'objective.0.from=61' 'objective[0].from: must be <= 60, the last frame (is 61)'
run 3 simulate push.json -o none --set objective.0.from=5 --set objective.0.until=4
says 'objective[0].until: must be >= from, 5 (is 4)'
table() {
  printf '%b' "$1" >recordings/bad.csv
  mistake 'objective.0.file="recordings/bad.csv"' "$2"
}
table '' 'must have a line with the names of its columns'
table 'x,y\n0,1\n' 'must have columns of "box", such as "box.x"'
table 'box.x,pusher.x\n0,1\n' 'must have a column "time"'
table 'time,box.x,pusher.x\n' 'must have a row'
table 'time [ms],box.x,pusher.x\n0,1,2\n' 'bad.csv:1: column 1: must be in [s] (is "ms")'
table 'time [s],box.x [mm],pusher.x [m]\n0,1,2\n' 'bad.csv:1: column 2: must be in [m] (is "mm")'
table 'time,box.x,pusher.x,box.x\n0,1,2,3\n' 'column 4: must not repeat another column'
table '# comment\n\ntime,box.x,pusher.x\n0,1,2\n0.1,one,2\n' 'bad.csv:5: column 2: must hold a number (is "one")'
table 'time,box.x,pusher.x\n0,1,2\n0,1,2\n' 'bad.csv:3: column 1: must hold a time later than the row before'
table 'time,box.x,pusher.x\n0,1\n' 'bad.csv:2: must have 3 fields'
table 'time,box.x,pusher.x\n0,1,2,3\n' 'bad.csv:2: must have 3 fields'
table 'time,box.x,pusher.x\n7,1,2\n8,1,2\n' 'must tell of a body at a frame that counts (its times are 7 s to 8 s)'
table 'time,box.qw,box.qx,box.qy,box.qz,pusher.x\n0,2,0,0,0,1\n' 'must hold quaternions of length 1'

run 0 list designs --json
holds "designs are listed" "$out" 'd["designs"][0]["name"] == "number"'
run 0 schema
holds "and in the schema" "$out" '"number" in json.dumps(d["properties"]["design"])'
# A first step that lands on a plateau above the start goes back to it with a shorter radius.
cat >catapult.json <<'END'
{"name": "catapult", "time": {"step": 0.005, "steps": 220}, "contact": {"model": "sdrs", "stiffness": 1e-05, "length": 0.02, "support": 0.1, "friction": 0.5},
 "shapes": {"ground": {"type": "plane"},
  "arm": {"type": "box", "size": [0.5, 0.06, 0.02]},
  "cup": {"type": "compound", "parts": [{"shape": "arm"}, {"shape": "wall", "position": [-0.24, 0, 0.03]}, {"shape": "wall", "position": [-0.16, 0, 0.03]}]},
  "wall": {"type": "box", "size": [0.01, 0.06, 0.06]},
  "ball": {"type": "sphere", "radius": 0.025, "level": 1}},
 "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground"},
  {"name": "arm", "shape": "cup", "joint": "hinge", "axis": [0, 1, 0], "anchor": [0.25, 0, 0.3], "position": [0, 0, 0.3], "density": 300, "pd": {"kp": 60, "kd": 1.0, "effort": 40}},
  {"name": "ball", "shape": "ball", "position": [-0.2, 0, 0.338], "mass": 0.05}],
 "control": [{"type": "spline", "body": "arm", "knots": 6, "low": [-0.2], "high": [2.2], "initial": [0.0, 0.3, 1.0, 1.0, 1.0, 1.0]}],
 "objective": [{"type": "reach", "body": "ball", "target": [2.0, 0, 0.025], "axes": "x", "tolerance": 0.05}],
 "design": [{"type": "link", "body": "arm", "axis": "x", "range": [0.6, 2]}, {"type": "number", "of": "mass", "bodies": ["arm", "ball"], "range": [0.3, 3]}],
 "optimizer": {"type": "gauss_newton", "iterations": 8}}
END
run 0 optimize catapult.json -o none --json --quiet --threads 1
holds "gauss_newton leaves a plateau" "$out" 'd["loss"] < 0.95 * d["initial_loss"] and d["iterations"] == 8'
finish
