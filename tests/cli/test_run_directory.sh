#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs/run-directory.md names what a run directory holds, file by file and dataset by dataset, and no more.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
document=$DCSIM_SOURCE/docs/run-directory.md

cat >scene.json <<'SCENE'
{ "name": "arm", "time": { "step": 0.02, "steps": 4 },
  "shapes": { "rod": { "type": "box", "size": [0.5, 0.1, 0.1] }, "wedge": { "type": "mesh", "file": "wedge.obj" } },
  "bodies": [ { "name": "arm", "shape": "rod", "joint": { "type": "hinge", "axis": [0, 1, 0], "anchor": [-0.25, 0, 0] },
                "mass": 1, "joint_velocity": [0.5] },
              { "name": "100%", "shape": "wedge", "position": [2, 0, 0], "mass": 0.3 } ],
  "control": [ { "type": "initial_state", "body": "100%", "velocity": "xy" } ],
  "objective": [ { "type": "reach", "body": "100%", "target": [2.5, 0, 0] } ],
  "optimizer": { "type": "adam", "iterations": 2 } }
SCENE
printf 'v 0 0 0\nv 1 0 0\nv 0 0.5 0\nv 0 0 0.3\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n' >wedge.obj
run 0 optimize scene.json -o run --quiet
sed -e 's/"mass": 1,/"mass": 1, "pd": { "kp": 10, "kd": 1 },/' -e 's/"initial_state", "body": "100%", "velocity": "xy"/"pd_targets", "body": "arm"/' \
  -e 's/"iterations": 2 } }/"iterations": 2 }, "horizon": { "length": 3, "apply": 2, "iterations": 1 } }/' scene.json >windows.json
run 0 optimize windows.json -o windows --quiet --no-report
run 0 render run --size 16x16 --samples 1 --every 4 --quiet
run 0 export run --format csv
run 0 verify run --quick --quiet
run 0 report run windows

# The first column of a table: the names in backquotes below a heading that begins with $1.
column() {
  sed -n "/^| $1 |/,/^\$/p" "$document" | sed -n 's/^| `\([^`]*\)` |.*/\1/p'
}
column file | sed 's,/$,,' | sort >documented
ls -A run | sort >there
check "every file is documented, and every documented one is there" diff documented there
for word in $(head -1 run/loss.csv | tr , ' '); do
  check "loss.csv: $word is documented" grep -q "$word" "$document"
done
check "the user block has 512 bytes" [ "$(head -c 520 run/trajectory.h5 | tail -c 8 | od -An -c | tr -d ' ')" = '211HDF\r\n032\n' ]

# Numbers alone.
run 0 optimize scene.json -o numbers --results-only --quiet
for name in checkpoint.bin loss.csv progress.jsonl resolved.json run.json scene.json meshes; do echo $name; done | sort >expected
ls -A numbers | sort >there
check "--results-only leaves no trajectory" diff expected there
check "the rows are the same" cmp run/loss.csv numbers/loss.csv
run 0 optimize --resume numbers --results-only --quiet
run 0 simulate scene.json -o alone --results-only --quiet
check "of a simulation run.json alone" [ "$(ls -A alone)" = run.json ]
run 5 simulate scene.json -o alone --results-only --quiet
run 0 simulate scene.json -o alone --results-only --quiet --overwrite
check "which may be overwritten" [ "$(ls -A alone)" = run.json ]
run 2 simulate scene.json -o pictures --results-only --frames 2
says "no frames go with them"

if ! python_with h5py; then
  skip "h5py reads what is documented" "no python3 with h5py"
  finish
fi
column dataset >datasets
check "h5py reads what is documented" "$python" - datasets "$document" <<'PROGRAM'
import re, sys
import h5py
import numpy

rows = {}
for line in open(sys.argv[2], encoding="utf-8"):
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    if len(cells) == 4 and cells[0].startswith("`/"):
        rows[cells[0].strip("`")] = cells[1:3]
documented = open(sys.argv[1]).read().split()
assert documented == list(rows) and len(rows) == 25, rows
# what only some runs have: tests/cli/test_replay.sh, test_motion.sh, test_divided.sh, test_soft.sh
absent = ("/coordinates/t", "/targets/", "/substeps", "/between/", "/nodes/")

sizes = {"F": 5, "K": 2, "n": 1, "m": 1}
with h5py.File("run/trajectory.h5") as file:
    assert file.userblock_size == 512
    assert file.attrs["format"] == "dcsim trajectory 1" and file.attrs["name"] == "arm"
    found = []
    file.visititems(lambda name, item: found.append("/" + name) if isinstance(item, h5py.Dataset) else None)
    seen = set()
    for path in found:
        general = re.sub(r"^/first", "", path)
        name = re.sub(r"^/(bodies|joints)/[^/]+", r"/\1/NAME", general)
        assert name in rows, path
        seen.add((path.startswith("/first"), name))
        shape, unit = rows[name]
        sizes["M"] = len(file["contacts/frame"])
        expected = tuple(sizes.get(size, size) for size in shape.strip("[]").split(", "))
        data = file[path]
        assert data.shape == tuple(int(size) for size in expected) and data.dtype == numpy.float64, (path, data.shape)
        assert numpy.isfinite(data[()]).all()
        if name.startswith("/coordinates/"):
            assert list(data.attrs["names"]) == ["arm"] and list(data.attrs["unit"]) == [{"q": "rad", "qd": "rad/s"}[name[13:]]]
        elif name == "/joints/NAME":
            assert list(data.attrs["unit"]) == ["rad"]
        elif unit:
            assert data.attrs["unit"] == unit, (path, data.attrs["unit"])
    once = ("/coordinates/", "/contacts/")
    assert seen == {(first, name) for first in (False, True) for name in rows
                    if not name.startswith(absent) and not (first and name.startswith(once))}, seen
    assert "100%25" in file["bodies"] and "arm" in file["joints"] and "100%25" not in file["joints"]
    assert list(file["control"].attrs["names"]) == ["100%.velocity.x", "100%.velocity.y"]
    assert (file["time"][:] == 0.02 * numpy.arange(5)).all()
    lengths = numpy.linalg.norm(file["bodies/arm/rotation"][:], axis=1)
    assert abs(lengths - 1).max() < 1e-12

with h5py.File("windows/trajectory.h5") as file:
    targets = file["targets"]
    assert {"/targets/" + name for name in targets} == {name for name in rows if name.startswith("/targets/")}
    assert targets["position"].shape == targets["velocity"].shape == (4, 1) and targets["apply"][()] == [2]
    assert list(targets["position"].attrs["unit"]) == ["rad"] and list(targets["velocity"].attrs["unit"]) == ["rad/s"]
    assert targets["apply"].attrs["unit"] == "1" and file["bodies/arm/position"].shape == (5, 3)
    assert (targets["position"][:, 0] == file["control"][:]).all() and (targets["velocity"][:] == 0).all()
    assert {"/coordinates/" + name for name in file["coordinates"]} == {
        name for name in rows if name.startswith("/coordinates/")}
    assert (file["coordinates/target"][1:, 0] == targets["position"][:, 0]).all()
PROGRAM
finish
