#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dcsim verify: a good run certifies, a bad one does not, and what the scene demands decides about the exit status.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
. "$DCSIM_SOURCE/tests/cli/push_bodies.sh"

# A ball is shot at another one; with little speed it does not get there.
scene() { # SPEED
  cat <<SCENE
{
  "name": "shot", "time": { "step": 0.02, "steps": 20 },
  "contact": { "stiffness": 1e-5, "friction": 0.3 },
  "shapes": { "ball": { "type": "sphere", "surface": "mesh", "radius": 0.1, "level": 1, "base": "octahedron" }, "ground": { "type": "plane" } },
  "bodies": [
    { "name": "ground", "joint": "fixed", "shape": "ground" },
    { "name": "cue", "shape": "ball", "mass": 1, "position": [-0.4, 0.01, 0.11] },
    { "name": "ball", "shape": "ball", "mass": 1, "position": [0, 0, 0.11] }
  ],
  "control": [{ "type": "initial_state", "body": "cue", "velocity": "xy", "initial": [$1, 0] }],
  "objective": [{ "type": "reach", "body": "ball", "target": [0.35, 0, 0.1], "axes": "xy", "tolerance": 0.3 },
                { "type": "velocity", "bodies": ["ball"], "weight": 1e-3, "when": "end" }],
  "optimizer": { "type": "adam", "iterations": 3 },
  "models": { "ipc": { "contact": { "dhat": 0.004, "stiffness": 0.0006 } } }
}
SCENE
}
scene 2 >shot.json
scene 0.1 >missed.json

# a good run
run 0 optimize shot.json -o good --threads 1 --no-report
run 0 verify good --threads 1
certificate=good/certificate.json
parses $certificate "the certificate"
holds "it is reproduced, and nothing crosses" $certificate 'd["reproduced"] and d["crossings"] == 0 and d["deviation"] == 0'
holds "all states were looked at" $certificate 'd["geometry"]["states"] >= 21 and d["geometry"]["intervals"] >= 20'
# observed: 1.2e-8
holds "the adjoint agrees with differences" $certificate 'd["gradient_error"] < 1e-6 and len(d["gradient"]) == 4'
holds "every step is solved" $certificate 'd["largest_residual"] <= 1000 and d["unconverged_steps"] == 0'
holds "impulses are split" $certificate '0 < d["phantom_share"] < 0.5 and set(d["phantom"]) == {"cue", "ball"}'
holds "perturbed starts reach" $certificate 'd["perturbed"]["draws"] == 16 and 0 < d["perturbed"]["reached"] <= 16'
holds "worlds" $certificate 'd["worlds"]["scene"]["open"] is True and d["worlds"]["scene"]["closed"] is None and {"half_step", "tenth_stiffness", "hundredth_stiffness", "exact", "ipc", "mujoco"} < set(d["worlds"])'
holds "what is demanded holds" $certificate 'd["holds"] and [x["item"] for x in d["lines"] if x["demanded"]] == ["reproduced", "geometry"]'
check "a line for each part" grep -q '^geometry  *clear' "$out"
check "the page shows it" grep -q '"certificate": "{' good/report.html
check "no temporary file is left" sh -c '! ls -A good | grep -v -e "^[a-z_.]*$" -e trajectory.h5'
cp $certificate first.json
run 0 verify good --threads 3 --no-report --json
check "--json prints it" [ "$(cat "$out")" = "$(cat $certificate)" ]
check "threads make no difference" cmp first.json $certificate
run 0 verify good --quick --seed 7 --draws 2 --directions 1 -o other.json
holds "counts" other.json 'd["seed"] == 7 and d["quick"] and d["perturbed"]["draws"] == 2 and len(d["gradient"]) == 1'
check "-o leaves the run alone" cmp first.json $certificate
run 0 verify good --quick --draws 0 --directions 0 -o none
check "none of them can be had" grep -q 'no draws were asked for' "$out"

# numbers beside the states, forged and sealed anew
if python_with numpy h5py; then
  run 0 new push pushed.json
  run 0 optimize pushed.json -o pushed --set time.steps=6 --set optimizer.iterations=2 --no-report --quiet
  for table in time coordinates/q coordinates/qd coordinates/torque coordinates/target contacts/force contacts/gap; do
    cp -r pushed forged
    PYTHONPATH=$DCSIM_SOURCE/scripts/soak "$python" -B -c 'import h5py, hostile_hdf5, sys
with h5py.File("forged/trajectory.h5", "r+") as file:
    values = file[sys.argv[1]][()]
    values.flat[-1] += 1e-9
    file[sys.argv[1]][...] = values
hostile_hdf5.seal("forged/trajectory.h5")' $table
    run 1 verify forged --quick -o forged.json
    holds "the numbers of $table are not those of the controls" forged.json 'not d["reproduced"]'
    name=${table##*/}
    [ "${table%/*}" = contacts ] && name=contacts
    check "which it says" grep -qF "from frame 6 on its numbers of \"$name\" are not those of its controls" "$out"
    rm -r forged
  done
  for table in coordinates/torque contacts; do
    cp -r pushed robbed
    PYTHONPATH=$DCSIM_SOURCE/scripts/soak "$python" -B -c 'import h5py, hostile_hdf5, sys
with h5py.File("robbed/trajectory.h5", "r+") as file:
    del file[sys.argv[1]]
hostile_hdf5.seal("robbed/trajectory.h5")' $table
    run 1 verify robbed --quick -o robbed.json
    holds "a file without $table is not what the controls make" robbed.json 'not d["reproduced"]'
    rm -r robbed
  done
  run 0 verify pushed --quick -o none
else
  skip "forged numbers" "no python3 with h5py"
fi

# a run that ended elsewhere
run 0 simulate missed.json -o missed --no-report
run 0 verify missed --quick --no-report
holds "a world in which it is not reached" missed/certificate.json 'd["worlds"]["scene"]["open"] is False and d["perturbed"]["reached"] == 0'

# demands
demanded() { # STATUS DEMAND
  rm -rf demanded
  run 0 simulate shot.json -o demanded --no-report --set "certify.$2"
  run "$1" verify demanded --quick --draws 2 --directions 1 --no-report
}
demanded 0 scene=true
demanded 0 perturbed=0
demanded 0 gradient=1e-6
demanded 0 converged=true
demanded 1 phantom=1e-9
says "are not met"
check "the certificate says so" grep -q '"verdict": "requirements of the scene that are not met: phantom impulses"' demanded/certificate.json
run 0 simulate missed.json -o missed-demand --no-report --set certify.scene=true --set certify.half_step=true
run 1 verify missed-demand --quick --draws 0
holds "demands that do not hold" missed-demand/certificate.json 'not d["holds"] and d["verdict"].endswith(": scene, half_step")'
check "the page says it too" grep -q 'are not met: scene, half_step' missed-demand/report.html
sed 's/"name": "shot",/"name": "shot", "certify": { "mujocco": true },/' shot.json >unknown.json
run 3 simulate unknown.json -o none
says 'unknown.json:2:32: certify.mujocco: unknown key (did you mean "mujoco"?)'
sed 's/"name": "shot",/"name": "shot", "certify": { "perturbed": 2 },/' shot.json >range.json
run 3 simulate range.json -o none
says 'certify.perturbed: must be <= 1 (is 2)'
run 0 simulate shot.json -o resolved --no-report --set certify.ipc=true
holds "resolved.json keeps them" resolved/resolved.json 'd["certify"]["ipc"] and d["certify"]["reproduced"]'

# runs that are not what they say
cp -R good tampered
run 0 simulate shot.json --control good -o other --no-report --set contact.friction=0.1
cp other/trajectory.h5 tampered/trajectory.h5
run 1 verify tampered --quick --draws 0 --directions 0
check "another trajectory is not reproduced" grep -q '^reproduced  *no: from frame 1 on bodies are elsewhere' "$out"
holds "and by how much" tampered/certificate.json 'not d["reproduced"] and d["deviation"] > 1e-6 and d["crossings"] == 0 and d["unconverged_steps"] > 0'
rm -rf tampered
cp -R good tampered
sed 's/"mass": 1,/"mass": 1.5,/' good/resolved.json >tampered/resolved.json
run 1 verify tampered --quick --draws 0 --directions 0 --no-report
check "another scene is caught" grep -q '^reproduced  *no' "$out"
rm -rf tampered
cp -R good tampered
printf 'x' | dd of=tampered/trajectory.h5 bs=1 seek=3000 conv=notrunc 2>/dev/null
cp tampered/certificate.json before.json
run 5 verify tampered
says "trajectory.h5"
check "a damaged file gets no certificate" cmp before.json tampered/certificate.json
rm -rf tampered
cp -R good tampered
cp missed/trajectory.h5 tampered/
run 0 report tampered
check "the page does not show the certificate of another trajectory" sh -c '! grep -q "\"certificate\": \"{" tampered/report.html'

# runs that are none
run 3 verify missing
says 'missing: no such directory; "dcsim simulate SCENE -o missing"'
mkdir unfinished
cp good/resolved.json unfinished
run 5 verify unfinished
says "the run has not ended"
run 2 verify
run 2 verify good --directions 65
run 0 optimize "$DCSIM_SOURCE/scenes/grasp_hand3_ball.json" -o grasp --no-report --set optimizer.iterations=1
run 3 verify grasp
says "a refinement has no trajectory"

# a receding horizon: its loop is closed in every world
cat >push.json <<SCENE
{
  "name": "push", "time": { "step": 0.04, "steps": 4 }, "contact": { "stiffness": 1e-4, "friction": 0.6 },
  $push_bodies,
  "control": [{ "type": "pd_velocity", "body": "rod", "coordinates": "x y z rz" }],
  "objective": [{ "type": "reach", "body": "box", "target": [-0.33, 0, 0.255], "axes": "xy", "tolerance": 0.1 }],
  "optimizer": { "type": "adam", "learning_rate": 0.1 }, "horizon": { "length": 3, "iterations": 2, "apply": 2 },
  "models": { "ipc": { "contact": { "dhat": 0.01, "stiffness": 0.07 } } }
}
SCENE
run 0 optimize push.json -o push --no-report
run 0 verify push --draws 2 --directions 1 --closed-draws 2 --no-report
holds "windows are reproduced" push/certificate.json 'd["reproduced"] and d["crossings"] == 0'
holds "loops are closed" push/certificate.json 'all(d["worlds"][w]["closed"] is True for w in ["scene", "tenth_stiffness", "half_step", "exact", "ipc"])'
holds "MuJoCo too, in which nothing is planned" push/certificate.json 'd["worlds"]["mujoco"]["closed"] is True or "without mujoco" in d["worlds"]["mujoco"]["note"]'
holds "from perturbed starts" push/certificate.json 'd["perturbed"]["closed_draws"] == 2 and d["perturbed"]["closed_reached"] == 2'
check "a line says so" grep -q '^perturbed loops  *reached from 2 of 2' "$out"
run 0 optimize push.json -o far --no-report --set 'objective.0.target=[3,0,0.255]'
run 0 verify far --draws 0 --directions 0 --closed-draws 1 --no-report
holds "what is too far is not reached" far/certificate.json 'd["perturbed"]["closed_draws"] == 1 and d["perturbed"]["closed_reached"] == 0 and d["worlds"]["half_step"]["closed"] is False'

# a plant of the scene's own: it is the world that the others are changes of
run 0 optimize push.json -o planted --no-report --plant '{ "time": { "step": 0.01 }, "contact": { "stiffness": 1e-6 } }'
run 0 verify planted --draws 1 --directions 1 --no-report
holds "windows are reproduced in a plant" planted/certificate.json 'd["reproduced"] and d["worlds"]["scene"]["closed"] and d["worlds"]["half_step"]["closed"]'
check "which is the world of the scene" grep -q '^scene  *in its plant: open loop reached, closed loop reached' "$out"
check "its steps are not stored" grep -q '^residuals  *not known: only every 4th step of the plant' "$out"
run 0 optimize push.json -o planted2 --no-report --plant '{ "contact": { "stiffness": 1e-6 } }'
run 0 verify planted2 --quick --directions 1 --no-report
holds "those of the plant are judged there" planted2/certificate.json 'd["unconverged_steps"] == 0 and d["largest_residual"] <= 1'
run 0 optimize shot.json -o transferred --threads 1 --no-report --plant '{ "time": { "step": 0.005 } }'
run 0 verify transferred --quick --directions 1 --no-report
holds "a plan that was executed in a plant afterwards is itself reproduced" transferred/certificate.json 'd["reproduced"] and d["unconverged_steps"] == 0 and d["worlds"]["scene"]["open"]'
check "and judged in the plant" grep -q '^scene  *in its plant: open loop reached' "$out"

run 0 verify push --quick --no-report
holds "but not in a hurry" push/certificate.json 'd["worlds"]["scene"]["closed"] is None'

# an interrupted one writes nothing
rm -f good/certificate.json
"$dcsim" verify good --draws 100000 --directions 0 --threads 1 --no-report >"$out" 2>"$err" &
child=$!
sleep 3
kill -TERM $child  # shells let background jobs ignore SIGINT
wait $child
status=$?
check "an interrupted one exits with 143 (is $status)" [ $status -eq 143 ]
check "and leaves no certificate" [ ! -e good/certificate.json ]
check "nor anything else" sh -c '! ls -A good | grep -e tmp -e "\.new"'

# a node of a soft body that was moved in the file
cat >soft.json <<'SCENE'
{"name": "soft", "time": {"step": 0.01, "steps": 6}, "shapes": {"ground": {"type": "plane"}},
 "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground"},
            {"name": "block", "soft": {"size": [0.1, 0.06, 0.05], "cells": [2, 2, 2], "young": 1e4}, "position": [0, 0, 0.05]}],
 "control": [{"type": "initial_state", "body": "block", "velocity": "x"}],
 "objective": [{"type": "reach", "body": "block", "target": [0.05, 0, 0.03]}]}
SCENE
run 0 simulate soft.json -o soft --no-report
run 0 verify soft --quick --draws 0 --directions 0 --no-report
if python_with h5py; then
  "$python" - <<'PROGRAM'
import h5py
path = "soft/trajectory.h5"
with h5py.File(path, "r+") as file:
    nodes = file["nodes/block"][()]
    nodes[3, 15] += 1e-3
    file["nodes/block"][...] = nodes
with open(path, "rb") as file:
    image = file.read()
hashed = 0xcbf29ce484222325
for byte in image[512:]:
    hashed = (hashed ^ byte) * 0x100000001b3 % 2**64
name = image.split(b"\n")[0]
with open(path, "r+b") as file:
    file.write((name + b"\nsize %d\nfnv1a %016x\n" % (len(image), hashed)).ljust(512, b"\0"))
PROGRAM
  run 1 verify soft --quick --draws 0 --directions 0 --no-report
  holds "nodes are compared and judged" soft/certificate.json 'not d["reproduced"] and abs(d["deviation"] - 1e-3) < 1e-9 and d["unconverged_steps"] > 0'
else
  skip "nodes are compared and judged" "no python3 with h5py"
fi
finish
