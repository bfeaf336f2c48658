#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Trajectories as tables and arrays.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

cat >scene.json <<'SCENE'
{ "name": "arm", "time": { "step": 0.02, "steps": 5 }, "gravity": [0, 0, -9.81],
  "shapes": { "rod": { "type": "box", "size": [0.5, 0.1, 0.1] }, "ball": { "type": "sphere", "radius": 0.1, "level": 1 } },
  "bodies": [ { "name": "arm", "shape": "rod", "joint": { "type": "hinge", "axis": [0, 1, 0], "anchor": [-0.25, 0, 0] },
                "mass": 1, "joint_velocity": [0.5] },
              { "name": "b, \"ü\"", "shape": "ball", "position": [2, 0, 0], "velocity": [0, 1, 0], "mass": 0.3 } ],
  "control": [ { "type": "initial_state", "body": "b, \"ü\"", "velocity": "xy" } ],
  "objective": [ { "type": "reach", "body": "b, \"ü\"", "target": [2.1, 0, 0] } ],
  "optimizer": { "type": "adam", "iterations": 2 } }
SCENE
run 0 optimize scene.json -o run --quiet

# usage
run 2 export run
says "dcsim: export: missing --format csv, npz, glb, mjcf or urdf"
run 2 export run --format xml
says 'dcsim: --format: must be one of "csv", "npz", "glb", "mjcf", "urdf" (is "xml")'
run 2 export --format csv
run 2 export run other --format csv
run 3 export nowhere --format csv
run 5 export run --format csv -o nowhere/table.csv
says "dcsim: nowhere/table.csv: cannot create: No such file or directory"
run 5 export run --format npz -o /dev/null
says "dcsim: /dev/null: is not a regular file"
check "nothing was made" [ "$(ls -A | tr '\n' ' ')" = "run scene.json " ]
check "nor in the run" [ ! -e run/export ]

# a table
run 0 export run --format csv
check "it says where" grep -qx "6 frames of 2 bodies in run/export/trajectory.csv" "$out"
cp run/export/trajectory.csv table
run 0 export run --format csv -o table.csv --json
parses "$out" "export --json"
check "the same elsewhere" cmp table table.csv
check "a row for every frame" [ "$(wc -l <table.csv)" -eq 7 ]
check "the header has units" grep -qF 'time [s],arm.x [m],arm.y [m],arm.z [m],arm.qw [1],arm.qx [1],arm.qy [1],arm.qz [1],"b, ""ü"".x [m]"' table.csv
check "and joints and gaps" grep -q 'qz \[1\]",arm.joint0 \[rad\],min_gap \[m\]$' table.csv
echo keep >full.csv
check "the disk is full: 5, and what was there stays" sh -c 'ulimit -f 1; "$0" export run --format npz -o full.csv >"$1" 2>"$2"
  [ $? -eq 5 ] && [ "$(cat full.csv)" = keep ] && [ -z "$(ls -A | grep tmp)" ]' "$dcsim" "$out" "$err"

# arrays
run 0 export run --format npz
cp run/export/trajectory.npz arrays.npz
run 0 export run --format npz
check "the same data give the same bytes" cmp run/export/trajectory.npz arrays.npz
check "a run that was exported goes on" "$dcsim" optimize --resume run --force --set optimizer.iterations=3 --quiet
run 0 export run --format csv
run 0 export run --format npz

if ! have_python; then
  skip "table and arrays hold the trajectory" "no python3"
  finish
fi
check "it is a ZIP archive" python3 -c 'import sys, zipfile; sys.exit(zipfile.ZipFile(sys.argv[1]).testzip())' arrays.npz
# names that a spreadsheet would run
cat >formula.json <<'SCENE'
{ "time": {"step": 0.01, "steps": 1}, "shapes": {"ball": {"type": "sphere", "radius": 0.1}},
  "bodies": [{"name": "=1+1", "shape": "ball"}, {"name": "@sum(a,b)", "shape": "ball", "position": [1, 0, 0]},
             {"name": "-x", "shape": "ball", "position": [2, 0, 0]}, {"name": "+y", "shape": "ball", "position": [3, 0, 0]},
             {"name": "a;=b", "shape": "ball", "position": [4, 0, 0]}, {"name": "a=b", "shape": "ball", "position": [5, 0, 0]}] }
SCENE
run 0 simulate formula.json -o formula --quiet --no-report
run 0 export formula --format csv
head -1 formula/export/trajectory.csv >header
for column in ",'=1+1.x [m]" ",\"'@sum(a,b).x [m]\"" ",'-x.x [m]" ",'+y.x [m]" ',"a;=b.x [m]"' ',a=b.x [m]'; do
  check "the header has $column" grep -qF -e "$column" header
done
check "no field of the header begins like a formula" sh -c '! grep -q "[,;]\"\{0,1\}[-=+@]" header || ! sed "s/\"a;=b[^\"]*\"//g" header | grep -q "[,;]\"\{0,1\}[-=+@]"'
if ! python_with numpy h5py; then
  skip "table and arrays hold the trajectory" "no python3 with numpy and h5py"
  finish
fi
check "table and arrays hold the trajectory" "$python" - run <<'PROGRAM'
import csv, sys
import h5py
import numpy

run = sys.argv[1]
arrays = numpy.load(run + "/export/trajectory.npz", allow_pickle=False)
rows = list(csv.DictReader(open(run + "/export/trajectory.csv", encoding="utf-8")))
names = ["arm", 'b, "ü"']
assert list(arrays["bodies"]) == names
seen = {"bodies"}
with h5py.File(run + "/trajectory.h5") as file:
    for prefix, group in (("", file), ("first_", file["first"])):
        def same(name, expected):
            seen.add(prefix + name)
            found = arrays[prefix + name]
            assert found.dtype == numpy.float64 and found.shape == expected.shape and (found == expected).all(), name
        same("time", group["time"][:])
        same("position", numpy.stack([group["bodies"][name]["position"][:] for name in names], axis=1))
        same("rotation", numpy.stack([group["bodies"][name]["rotation"][:] for name in names], axis=1))
        same("joints/arm", group["joints/arm"][:])
        same("control", group["control"][:])
        same("min_gap", group["contact/min_gap"][:])
    prefix = ""
    for name in ("coordinates/q", "coordinates/qd", "contacts/frame", "contacts/bodies", "contacts/gap", "contacts/force",
                 "contacts/friction"):
        same(name, file[name][:])
    for name in ("q", "qd"):
        seen.add("coordinates/%s_names" % name)
        assert list(arrays["coordinates/%s_names" % name]) == list(file["coordinates"][name].attrs["names"]) == ["arm"]
    assert set(arrays.files) == seen, set(arrays.files) ^ seen
    column = lambda title: numpy.array([float(row[title]) for row in rows])
    assert (column("time [s]") == file["time"][:]).all() and (column("min_gap [m]") == file["contact/min_gap"][:]).all()
    assert (column("arm.joint0 [rad]") == file["joints/arm"][:, 0]).all()
    for name in names:
        for i, axis in enumerate("xyz"):
            assert (column("%s.%s [m]" % (name, axis)) == file["bodies"][name]["position"][:, i]).all()
        for i, axis in enumerate("wxyz"):
            assert (column("%s.q%s [1]" % (name, axis)) == file["bodies"][name]["rotation"][:, i]).all()
    assert len(rows[0]) == 1 + 2 * 7 + 1 + 1
PROGRAM

# the model
run 0 export run --format mjcf
check "it says where" grep -qx "2 bodies in run/export/model.xml" "$out"
check "names are escaped" grep -q 'name="b, &quot;ü&quot;"' run/export/model.xml
run 0 export run --format urdf --json
parses "$out" "export --json of a model"
check "links and joints" [ "$(grep -c '<link\|<joint' run/export/model.urdf)" = 5 ]
check "pairs beside it" [ -f run/export/model.srdf ]
run 2 export scene.json --format urdf
says "dcsim: export of a scene: missing --output FILE"
run 0 export scene.json --format urdf -o again.urdf
check "a scene's is that of its run" cmp again.urdf run/export/model.urdf
cat >robot.json <<'SCENE'
{ "name": "arm", "time": { "step": 0.02, "steps": 5 }, "include": { "file": "again.urdf", "srdf": "again.srdf" } }
SCENE
run 0 simulate robot.json -o back
check "it loads and runs" grep -q "run directory" "$out"
run 3 export scene.json --format csv -o other.csv

# the most joints that a body may have, of the most parts, all arrive
for joint in ball planar universal; do
  [ $joint = ball ] && axis= || axis='"axis": [0, 0, 1],'
  cat >chain.json <<SCENE
{ "time": { "step": 0.02, "steps": 1 }, "shapes": { "ball": { "type": "sphere", "radius": 0.1, "level": 1 } },
  "bodies": [ { "name": "b", "shape": "ball", "mass": 1, $axis
                "joint": ["$joint", "$joint", "$joint", "$joint", "$joint", "$joint"] } ] }
SCENE
  run 0 export chain.json --format urdf -o chain.urdf
  [ $joint = ball ] && check "all balls are told" grep -q "6 ball joints are three hinges each" "$out" "$err"
  [ $joint = universal ] && most=12 || most=18
  check "all joints of six $joint ones" [ "$(grep -c '<joint' chain.urdf)" = "$most" ]
done
# An output never takes the place of what is read.
cat >own.json <<'SCENE'
{"name": "own", "time": {"step": 0.01, "steps": 2}, "shapes": {"s": {"type": "sphere", "radius": 0.1}, "plane": {"type": "plane"}},
 "bodies": [{"name": "floor", "joint": "fixed", "shape": "plane"}, {"name": "a", "shape": "s", "mass": 1, "position": [0, 0, 0.2]}]}
SCENE
echo "<robot name='r'><link name='l'><collision><geometry><box size='1 1 1'/></geometry></collision></link></robot>" >own.urdf
run 0 simulate own.json -o own --quiet --no-report
ln -s own linked
find own own.json own.urdf -type f -exec cksum {} + | sort >read_before
run 2 query own.json --manifold -o own.json
says 'own.json: is read here, and would be written over'
run 2 query own.json --manifold -o ./own/../own.json
run 2 import own.urdf -o own.urdf
run 2 import own.json -o own.json
run 2 export own.json --format mjcf -o own.json
for member in trajectory.h5 resolved.json scene.json run.json loss.csv; do
  run 2 export own --format csv -o linked/$member
  run 2 verify own --quick --draws 0 -o own/$member
done
find own own.json own.urdf -type f -exec cksum {} + | sort >read_after
check "nothing that was read is another file" cmp read_before read_after
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' >corner.obj
sed 's/"type": "sphere", "radius": 0.1/"type": "mesh", "file": "corner.obj"/' own.json >meshed.json
run 0 simulate meshed.json -o meshed --quiet --no-report
run 2 verify meshed --quick --draws 0 -o meshed/meshes/corner.obj
run 2 export meshed --format csv -o meshed/meshes/corner.obj
check "nor is a mesh of the run" cmp corner.obj meshed/meshes/corner.obj
run 0 export own --format csv -o own/own.csv
finish
