#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Plans of a study as demonstrations: what the file holds is what the runs did; the command goes on where it ended.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

cp "$DCSIM_SOURCE/scenes/templates/push.json" .
cat >study.json <<'STUDY'
{"scene": "push.json", "set": {"time.steps": 20, "optimizer.iterations": 4},
 "vary": {"objective[0].target[0]": [0.02, 0.3, 0.4]}}
STUDY
run 0 dataset study.json -o set --quiet
check "three demonstrations" grep -q "^data set: 3 demonstrations, .* 60 samples of 13 numbers and 3 actions" "$out"
check "there is a file" [ -s set/dataset.h5 ]
cp set/dataset.h5 first.h5
run 0 dataset study.json -o set --quiet --json
check "the same command runs nothing and writes the same bytes" cmp first.h5 set/dataset.h5
check "and tells its sizes" grep -q '"samples": 60' "$out"
rm -r set/points/000001/trajectory.h5
run 0 dataset study.json -o set --quiet --gather
check "a point without its trajectory is left out" grep -q "left out: 1 points" "$out"

# nothing to learn from
cat >free.json <<'STUDY'
{"scene": "two_balls.json", "run": "simulate", "vary": {"time.steps": [2, 3]}}
STUDY
cp "$DCSIM_SOURCE/scenes/two_balls.json" .
run 3 dataset free.json -o free --quiet
says "no actuators and no torques"
cat >kept.json <<'STUDY'
{"scene": "push.json", "run": "simulate", "set": {"time.steps": 3}, "keep": "results", "vary": {"seed": [1, 2]}}
STUDY
run 3 dataset kept.json -o kept --quiet
run 2 dataset study.json
says "dataset: missing --output"

# numbers, against the run itself
if python_with numpy h5py; then
  cp first.h5 set/dataset.h5
  "$python" - >compared 2>&1 <<'CHECK'
import h5py, json, numpy as np
data = h5py.File("first.h5", "r")
assert sorted(data["data"]) == ["demo_0", "demo_1", "demo_2"] and data["data"].attrs["total"] == 60
assert json.loads(data["data"].attrs["env_args"])["env_kwargs"] == {"time_step": 0.04, "action": "target"}
run, demo = h5py.File("set/points/000002/trajectory.h5", "r"), data["data/demo_2"]
assert demo.attrs["num_samples"] == 20 and demo.attrs["run"].endswith("points/000002")
assert np.array_equal(demo["obs/q"], run["coordinates/q"][:-1]) and np.array_equal(demo["next_obs/q"], run["coordinates/q"][1:])
assert np.array_equal(demo["obs/qd"], run["coordinates/qd"][:-1])
assert np.array_equal(demo["actions"], run["coordinates/target"][1:])
assert np.array_equal(demo["obs/position"], run["bodies/box/position"][:-1])
assert np.array_equal(demo["next_obs/rotation"], run["bodies/box/rotation"][1:])
assert np.array_equal(demo["states"], np.hstack([demo["obs/" + name] for name in ("q", "qd", "position", "rotation")]))
forces = np.zeros((21, 3, 3))
for frame, (a, b), force, friction in zip(run["contacts/frame"], run["contacts/bodies"][:].astype(int), run["contacts/force"], run["contacts/friction"]):
    forces[int(frame), a] += force + friction
    forces[int(frame), b] -= force + friction
assert np.abs(forces[1:].reshape(20, 9) - demo["contact_forces"]).max() < 1e-12 and np.abs(forces).max() > 0
for k in range(3):
    one = data[f"data/demo_{k}"]
    assert list(one["dones"]) == [0] * 19 + [1] and one["rewards"][-1] == one.attrs["success"] and sum(one["rewards"][:-1]) == 0
names = {name.decode() for mask in ("reached", "not_reached") for name in data["mask"][mask]}
assert names == {"demo_0", "demo_1", "demo_2"} and b"demo_2" in data["mask/not_reached"][:]
CHECK
  check "the numbers are those of the runs" [ $? -eq 0 ]
  sed 's/^/# /' compared
else
  skip "numbers of the file" "no python3 with h5py"
fi
finish
