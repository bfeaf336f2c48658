#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs and places of others: no output replaces a pipe or a device, nothing is written through a link.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
scenes=$DCSIM_SOURCE/scenes

run 0 simulate "$scenes/two_balls.json" -o run --quiet --no-report --set time.steps=3
mkfifo pipe pipe.png pipe.npz pipe.json pipe.glb
for ends in '.npz csv' '.npz npz' '.glb glb'; do
  run 5 export run --format "${ends#* }" -o "pipe${ends% *}"
  says "is not a regular file"
  check "it still is one" [ -p "pipe${ends% *}" ]
done
run 5 verify run -o pipe.json
check "a certificate replaces none" [ -p pipe.json ]
cat >contact.json <<'SCENE'
{"name": "contact", "time": {"step": 0.01, "steps": 1}, "shapes": {"cube": {"type": "box", "size": [1, 1, 1]}},
 "bodies": [{"name": "a", "shape": "cube"}, {"name": "b", "shape": "cube", "position": [1.1, 0, 0]}]}
SCENE
for file in pipe.npz pipe.png; do
  run 5 query contact.json --manifold -o $file
  check "a query replaces no $file" [ -p $file ]
done

# A run that goes on through a link to a file of others leaves that as it is.
run 0 optimize "$scenes/two_balls.json" -o going --quiet --no-report --set time.steps=3 --set optimizer.iterations=2
cp going/progress.jsonl victim
cp victim untouched
rm going/progress.jsonl
ln -s ../victim going/progress.jsonl
run 5 optimize --resume going --quiet --no-report
check "the file behind the link is as it was" cmp victim untouched
finish
