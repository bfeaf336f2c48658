#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Refinements at the command line: what is written, what is refused, and the robots of the grasp scenes.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

scene=$DCSIM_SOURCE/scenes/grasp_hand3_cup.json
run 0 optimize "$scene" -o run --quiet --require-success --json
parses "$out" "optimize --json"
holds "every pair is within a tenth of a millimetre" "$out" \
  'd["success"] and len(d["objectives"]) == 3 and all(o["type"] == "pair" and o["distance"] < 1e-4 and o["reached"] for o in d["objectives"])'
holds "nothing else overlaps" "$out" 'd["overlap"] == 0 and d["queries"] > 0'
for file in scene.json resolved.json run.json loss.csv progress.jsonl trajectory.h5 run.glb report.html meshes/cup.obj; do
  check "there is $file" [ -s "run/$file" ]
done
check "no checkpoint" [ ! -e run/checkpoint.bin ]
run 0 check run/resolved.json
check "the way there can be drawn" "$dcsim" render run --every 100000 --size 64x48 --samples 1
check "as two pictures at least" [ "$(ls run/frames | wc -l)" -ge 2 ]
run 0 optimize run/resolved.json -o none --quiet --json
run 0 export run --format csv
run 0 probe "$scene" --json
parses "$out" "probe --json"
holds "probe has witness points of all that may touch" "$out" \
  'len(d["pairs"]) > 20 and sum(p["pair"] for p in d["pairs"]) == 3 and all(len(p["a_point"]) == 3 for p in d["pairs"])'

# the same bits
run 0 optimize "$scene" -o again --quiet --threads 1
check "the same rows for other threads" cmp run/loss.csv again/loss.csv
run 0 diff run again
run 0 optimize "$scene" -o other --quiet --seed 5
check "other rows for another seed" sh -c '! cmp -s run/loss.csv other/loss.csv'
run 0 optimize "$scene" -o none --quiet --require-success --set optimizer='{"type": "normalized_descent", "normalize": "each",
  "rotation_step": 1e-3, "translation_step": 1e-3, "joint_step": 1e-2, "phases": [0.5, 0.8]}'

# stopped early, what there is is kept, and nobody is told to resume
run 0 optimize "$scene" -o stopped --no-report --max-time 0.2 --set optimizer.target=0 --set optimizer.iterations=1000000000 \
  --set optimizer.restarts=1000000000
says "the results so far are kept"
check "no --resume without a checkpoint" sh -c '! grep -q -e --resume "$1"' sh "$err"
check "there is the way so far" [ -s stopped/trajectory.h5 ]

run 2 simulate "$scene" -o none
says "a refinement has no time to simulate: optimize it"
run 2 optimize --resume run
says "a refinement writes no checkpoints: it cannot be resumed"
run 2 optimize "$scene" --control run
says "a refinement has no controls"
run 3 gradcheck "$scene"
says "smoothed"
run 3 optimize "$scene" --model ipc
says "has no time and no forces"
run 3 check "$scene" --set 'pairs.0.link=distal_9'
says 'pairs[0].link'
says 'distal_9'
run 0 check "$scene" --set shapes.object='{"type": "plane"}' --set pairs=[]
check "says what others may pass through" grep -qF 'overlaps with "object" do not count' "$out"
cat >deep.json <<'END'
{"problem": "refine", "shapes": {"box": {"type": "box", "size": [0.1, 0.1, 0.1]}},
 "bodies": [{"name": "a", "joint": "fixed", "shape": "box"}, {"name": "b", "shape": "box", "position": [0, 0, 0.2]}],
 "pairs": [{"object": "a", "object_point": [0.01, 0, 0.03], "link": "b", "link_point": [0, 0, -0.0502]}]}
END
run 0 check deep.json
check "targets inside of solids are told" grep -qF 'pairs[0]: the point on "a" is 0.02 m inside, farther from its surface' "$out"
check "and those outside" grep -qF 'pairs[0]: the point on "b" is 0.0002 m outside' "$out"
run 3 check "$scene" --set time='{"step": 0.1, "steps": 3}'
says "has no time and no forces"

# its report in a browser
. "$DCSIM_SOURCE/tests/cli/look.sh"
look run

# what scripts made is what they make
if have_python; then
  check "hands and objects are made again" python3 -B "$DCSIM_SOURCE/scripts/hands_and_objects.py" made
  for folder in hands objects; do
    check "$folder are those of the scenes" diff -r "made/$folder" "$DCSIM_SOURCE/scenes/$folder"
  done
else
  skip "hands and objects" "no python3"
fi
finish
