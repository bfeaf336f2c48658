#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a trajectory holds beside poses: coordinates, velocities, targets and torques of mechanisms, forces of contact.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

# An arm that an actuator holds up, a slide with a given force, a ball at rest on the floor.
cat >scene.json <<'SCENE'
{ "time": { "step": 0.02, "steps": 60 }, "gravity": [0, 0, -10],
  "contact": { "model": "bsh", "stiffness": 1e-6 },
  "shapes": { "rod": { "type": "box", "size": [0.5, 0.1, 0.1] }, "ball": { "type": "sphere", "radius": 0.1, "level": 2 },
              "floor": { "type": "plane" } },
  "bodies": [ { "name": "floor", "shape": "floor", "joint": "fixed" },
              { "name": "ball", "shape": "ball", "position": [3, 0, 0.11], "mass": 2 },
              { "name": "arm", "shape": "rod", "position": [0, 0, 2], "mass": 1, "pd": { "kp": 50, "kd": 5 },
                "joint": { "type": "hinge", "axis": [0, 1, 0], "anchor": [-0.25, 0, 2] } },
              { "name": "cart", "shape": "rod", "position": [0, 3, 2], "mass": 3, "joint": { "type": "slide", "axis": [1, 0, 0] } } ],
  "control": [ { "type": "pd_targets", "body": "arm", "initial": [0.3] },
               { "type": "torque", "body": "cart", "limit": [4], "initial": [0.5] } ] }
SCENE
run 0 simulate scene.json -o run --quiet --no-report
run 0 simulate scene.json -o again --quiet --no-report --threads 2
run 0 diff run again
check "the same bytes with two threads" cmp run/trajectory.h5 again/trajectory.h5
run 0 simulate scene.json -o other --quiet --no-report --set bodies.1.mass=2.5
run 1 diff run other

if ! python_with numpy h5py; then
  skip "numbers are those of mechanics" "no python3 with numpy and h5py"
  finish
fi
check "numbers are those of mechanics" "$python" - <<'PROGRAM'
import h5py
import numpy

step = 0.02
with h5py.File("run/trajectory.h5") as file:
    q, qd, torque, target = (file["coordinates"][name] for name in ("q", "qd", "torque", "target"))
    for data in (q, qd, torque):
        assert list(data.attrs["names"]) == ["arm", "cart"] and data.shape == (61, 2)
    assert list(target.attrs["names"]) == ["arm"] and target.shape == (61, 1)
    assert list(torque.attrs["unit"]) == ["N m", "N"] and list(qd.attrs["unit"]) == ["rad/s", "m/s"]
    q, qd, torque, target = q[:], qd[:], torque[:], target[:]
    assert (q[:, :1] == file["joints/arm"][:]).all() and (q[:, 1:] == file["joints/cart"][:]).all()
    assert abs(qd[1:] - numpy.diff(q, axis=0) / step).max() < 1e-12 and (qd[0] == 0).all()
    assert abs(target - 0.3).max() < 1e-12
    assert abs(torque[1:, 0] - (50 * (target[1:, 0] - q[1:, 0]) - 5 * qd[1:, 0])).max() < 1e-9
    assert (torque[0] == torque[1]).all()
    # at rest it carries the weight; 0.25 m cos(q) is the arm of the lever
    assert abs(torque[-1, 0] + 10 * 0.25 * numpy.cos(q[-1, 0])) < 0.02, torque[-1]
    # the other two are far away: forces between them are small beside the given one
    assert abs(torque[1:, 1] - torque[1, 1]).max() < 1e-12 and abs(numpy.diff(qd[:, 1]) / step * 3 - torque[1:, 1]).max() < 0.01
    contacts = file["contacts"]
    names = list(contacts.attrs["names"])
    assert names == ["floor", "ball", "arm", "cart"]
    frame, bodies, force = contacts["frame"][:], contacts["bodies"][:], contacts["force"][:]
    assert (numpy.diff(frame) >= 0).all() and contacts["gap"].shape == frame.shape
    last = {tuple(sorted(names[int(b)] for b in pair)): (f if names[int(pair[0])] == "ball" else -f)
            for n, pair, f in zip(frame, bodies, force) if n == 60}
    assert abs(last[("ball", "floor")] - [0, 0, 20]).max() < 0.05, last
    assert contacts["friction"].shape == force.shape
PROGRAM
check "damage is refused" sh -c '"$1" - <<PROGRAM
import h5py
with h5py.File("run/trajectory.h5", "r+") as file:
    file["contacts/bodies"][0] = [7, 0]
PROGRAM
"$2" diff run again >/dev/null 2>&1
status=$?
[ $status -ge 2 ] && [ $status -lt 128 ]' sh "$python" "$dcsim"
finish
