#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs that end at random moments, by kill -9 or SIGTERM, and are resumed with other numbers of threads leave the bytes
# of one that went through; so do runs that were killed while they were only being set up.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
scenes=$DCSIM_SOURCE/scenes
export DCSIM="$dcsim"

# killed NAME ARGUMENT...: passes when all runs of scripts/kill-test.sh are identical
killed() {
  killed_name=$1
  shift
  if within 100 "$DCSIM_SOURCE/scripts/kill-test.sh" "$@" >"$scratch/killed" 2>&1; then
    pass "$killed_name: $(tail -n 1 "$scratch/killed")"
  else
    sed 's/^/# /' "$scratch/killed"
    fail "$killed_name"
  fi
}
# Without tolerances nothing can be reached, and no advice is tried at the end.
sed 's/"tolerance": [0-9.]*, //' "$scenes/billiards.json" >untold.json
killed billiards -k 2 "$(sample 6 3)" untold.json --set optimizer.iterations=12 --set time.steps=30 --checkpoint 0
killed "billiards, SIGTERM" -s TERM "$(sample 3 2)" untold.json --set optimizer.iterations=12 --set time.steps=30 --checkpoint 1000
killed "within Jacobians, SIGTERM" -s TERM -k 2 "$(sample 4 2)" "$scenes/identify_push.json" --checkpoint 1000
killed "inside windows" -k 3 "$(sample 4 2)" "$scenes/push.json" --set time.steps=8 --set horizon.length=10 --set horizon.iterations=4 --checkpoint 0
killed "bundle and drawn first guesses" -k 2 "$(sample 3 2)" "$scenes/push.json" --set time.steps=5 --set horizon.length=6 --set horizon.iterations=3 \
  --checkpoint 0 --gradient bundle --set gradient.samples=2 --set gradient.sigma=0.01 --set init.draws=2 --set init.sigma=0.1 --set init.threshold=1e6

# A run that was killed while it was being set up has a part of what it begins with.
cat >scene.json <<'SCENE'
{
  "name": "ball", "time": { "step": 0.02, "steps": 3 },
  "shapes": { "ball": { "type": "mesh", "file": "ball.obj" } },
  "bodies": [{ "name": "ball", "shape": "ball", "mass": 0.1, "position": [0, 0, 1] }],
  "control": [{ "type": "initial_state", "body": "ball", "velocity": "xy" }],
  "objective": [{ "type": "reach", "body": "ball", "target": [1, 0, 1] }],
  "optimizer": { "type": "adam", "iterations": 4 }
}
SCENE
printf 'v .1 .1 .1\nv .1 -.1 -.1\nv -.1 .1 -.1\nv -.1 -.1 .1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n' >ball.obj
run 0 optimize scene.json -o straight --quiet
same() {
  check "$1: the same losses" cmp straight/loss.csv "$1/loss.csv"
  check "$1: the same trajectories" cmp straight/trajectory.h5 "$1/trajectory.h5"
  check "$1: nothing left behind" [ -z "$(find "$1" -name '.tmp-*' -o -name .lock)" ]
  check "$1: a scene and its mesh" [ -s "$1/scene.json" -a -s "$1/meshes/ball.obj" ]
}
# begun DIRECTORY FILE...: what is there when it is killed before the next file
begun() {
  mkdir -p "$1/meshes"
  : >"$1/.lock"
  echo half >"$1/meshes/.tmp-123-0"
  echo half >"$1/.tmp-123-0"
  directory=$1
  shift
  for file; do cp "straight/$file" "$directory/$file"; done
}
begun nothing
run 3 optimize --resume nothing
run 0 optimize scene.json -o nothing --quiet
same nothing
begun resolved meshes/ball.obj resolved.json
run 0 optimize --resume resolved --quiet
same resolved
begun again meshes/ball.obj resolved.json
run 0 optimize scene.json -o again --quiet
same again
begun scene meshes/ball.obj resolved.json scene.json
run 5 optimize scene.json -o scene
says "scene/scene.json: exists; the directory already holds a run"
run 0 optimize --resume scene --quiet
same scene
begun header meshes/ball.obj resolved.json scene.json
: >header/progress.jsonl
printf 'iteration,lo' >header/loss.csv
run 0 optimize scene.json --resume header --quiet
same header
begun empty meshes/ball.obj resolved.json scene.json
: >empty/progress.jsonl
head -n 1 straight/loss.csv >empty/loss.csv
run 0 optimize --resume empty --quiet
same empty
begun rows meshes/ball.obj resolved.json scene.json loss.csv progress.jsonl
run 7 optimize --resume rows
says "rows/checkpoint.bin: is missing, but loss.csv has rows"
check "they are as before" cmp straight/loss.csv rows/loss.csv
finish
