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

# the files of what there is, where points are missing
run 0 sweep study.json -o part --quiet --task 1/3
run 9 dataset study.json -o part --quiet --gather
check "of one point that has ended there are files" grep -q "^data set: 1 demonstrations" "$out"
check "of both kinds" [ -s part/dataset.h5 -a -s part/dataset.zarr.zip ]

# certificates
cp -r set certified
run 0 dataset study.json -o certified --quiet --gather --verify
says_out() { check "tells $1" grep -q "$1" "$out"; }
says_out "certificates hold for"
check "every plan has a certificate" [ "$(find certified/points -name certificate.json | wc -l)" = 2 ]
find certified/points -name certificate.json -exec ls -i {} + >before
run 0 dataset study.json -o certified --quiet --gather --verify
find certified/points -name certificate.json -exec ls -i {} + | cmp -s - before
check "and is not certified twice" [ $? = 0 ]

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

# samples are equally far apart
cat >paces.json <<'STUDY'
{"scene": "push.json", "run": "simulate", "set": {"time.steps": 3}, "vary": {"time.step": [0.02, 0.04]}}
STUDY
run 3 dataset paces.json -o paces --quiet
says "samples of a data set are equally far apart"
check "and no file is left" [ ! -e paces/dataset.h5 ]

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
  "$python" - >compared 2>&1 <<'CHECK'
import h5py, json, numpy as np, zipfile
data, archive = h5py.File("certified/dataset.h5", "r"), zipfile.ZipFile("certified/dataset.zarr.zip")
assert archive.testzip() is None
def array(name):
    about = json.loads(archive.read(name + "/.zarray"))
    assert about["zarr_format"] == 2 and about["compressor"] is None and about["chunks"] == about["shape"]
    return np.frombuffer(archive.read(name + "/" + ".".join("0" * len(about["shape"]))), about["dtype"]).reshape(about["shape"])
demos = [data[f"data/demo_{k}"] for k in range(2)]
for name in ("q", "qd", "position", "rotation"):
    assert np.array_equal(array("data/" + name), np.vstack([one["obs/" + name] for one in demos])), name
assert np.array_equal(array("data/action"), np.vstack([one["actions"] for one in demos]))
assert np.array_equal(array("data/contact_forces"), np.vstack([one["contact_forces"] for one in demos]))
assert list(array("meta/episode_ends")) == [20, 40] and list(array("meta/reached")) == [one.attrs["success"] for one in demos]
for one, certified in zip(demos, array("meta/certified")):
    text = json.loads(one["certificate"][0])
    assert one.attrs["certified"] == certified == text["holds"] and text == json.load(open(f'{one.attrs["run"]}/certificate.json'))
try:
    import zarr
except ImportError:
    zarr = None
if zarr:
    store = zarr.open("certified/dataset.zarr.zip", mode="r")
    assert np.array_equal(store["data/action"][:], array("data/action")) and list(store["meta/episode_ends"][:]) == [20, 40]
    print("read by zarr", zarr.__version__)
CHECK
  check "so are those of the Zarr store, with certificates" [ $? -eq 0 ]
  sed 's/^/# /' compared
else
  skip "numbers of the file" "no python3 with h5py"
fi
finish
