#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Reports: when they are written, what they hold, how large they are, and what a browser makes of them.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
viewer=$DCSIM_SOURCE/viewer

# names that would end the page's script, open a comment or leave the text that they stand in
cat >pair.json <<'SCENE'
{ "name": "<!--<script>& \"pair\" @DCSIM_DATA@", "description": "</script>\u2028<script>alert(1)</script><img src=x onerror=alert(1)>",
  "time": { "step": 0.02, "steps": 12 }, "contact": { "stiffness": 1e-5 },
  "shapes": { "ball": { "type": "sphere", "radius": 0.1, "level": 1 }, "ground": { "type": "plane" },
              "wall": { "type": "box", "size": [0.1, 1, 0.4] } },
  "bodies": [
    { "name": "ground", "joint": "fixed", "shape": "ground" },
    { "name": "--><style>", "joint": "fixed", "shape": "wall", "position": [0.8, 0, 0.2] },
    { "name": "<script>alert(1)", "shape": "ball", "mass": 0.1, "position": [-0.3, 0, 0.2], "velocity": [3, 0, 0] },
    { "name": "eight", "shape": "ball", "mass": 0.1, "position": [0, 0.02, 0.2], "color": [0.8, 0.1, 0.1] },
    { "name": "marker", "parent": "eight", "joint": "fixed", "position": [0, 0.02, 0.3] } ],
  "control": [{ "type": "initial_state", "body": "<script>alert(1)", "velocity": "xy" }],
  "objective": [{ "type": "reach", "body": "eight", "target": [0.5, 0.2, 0.1], "tolerance": 0.05 }],
  "optimizer": { "type": "adam", "learning_rate": 0.2, "iterations": 4 } }
SCENE
cat >still.json <<'SCENE'
{ "name": "still", "time": { "step": 0.02, "steps": 1 }, "shapes": { "ground": { "type": "plane" } },
  "bodies": [ { "name": "ground", "joint": "fixed", "shape": "ground" } ] }
SCENE
cat >fall.json <<'SCENE'
{ "name": "fall", "time": { "step": 0.02, "steps": 20 }, "shapes": { "ball": { "type": "sphere", "radius": 0.1, "level": 1 } },
  "bodies": [ { "name": "ball", "shape": "ball" } ] }
SCENE
# at the end of a run, unless told otherwise
run 0 optimize pair.json -o pair --quiet
check "the page is there" [ -s pair/report.html ]
check "the text names it" grep -q "report: pair/report.html" "$out"
check "no temporary file stays" [ -z "$(find pair -name '.tmp*')" ]
run 0 optimize pair.json -o without --no-report --quiet
check "--no-report writes none" [ ! -e without/report.html ]
run 0 simulate pair.json -o none --quiet
run 0 simulate fall.json -o fall --quiet --json
parses "$out" "the result with a report"
check "a simulation has a page" [ -s fall/report.html ]

# as a command
cp pair/report.html before.html
run 0 report pair
check "it prints the path" [ "$(cat "$out")" = pair/report.html ]
check "the same run gives the same page" cmp before.html pair/report.html
run 0 report without --json
parses "$out" "report --json"
check "the JSON names the page" grep -q '"report": "without/report.html"' "$out"
run 0 report without --threads 1
cp without/report.html one.html
run 0 report without --threads 2
check "any number of threads makes the same page" cmp one.html without/report.html
check "no name ends the script or opens a comment" [ "$(grep -c '</script><script>alert' pair/report.html)" = 0 ]

# at the start the forces are those of probe, to the precision of single numbers; observed: 3e-8 of the largest
if have_python; then
  run 0 simulate pair.json -o start --quiet --set 'bodies[3].position=[0,0.02,0.1005]'
  run 0 probe start/resolved.json --json
  check "forces are those of probe" python3 - start/report.html "$out" <<'PROGRAM'
import base64, json, re, struct, sys
page = open(sys.argv[1], encoding="utf-8").read()
data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S).group(1))
wanted = json.load(open(sys.argv[2]))["bodies"]
moving = [body["name"] for body in data["bodies"] if body["moves"]]
values = base64.b64decode(data["best"]["forces"]["values"])
forces = struct.unpack("<%df" % (len(values) // 4), values)
largest = max(abs(x) for name in moving for x in wanted[name]["force"])
error = max(abs(forces[3 * i + k] - wanted[name]["force"][k]) for i, name in enumerate(moving) for k in range(3))
print(largest, error / largest)
assert len(moving) == 3 and largest > 0 and error <= 3e-7 * largest
assert len(forces) == 3 * len(moving) * 13
PROGRAM
else
  skip "forces are those of probe" "no python3"
fi

# several runs
run 0 report pair without fall
check "it prints the path" [ "$(cat "$out")" = pair/comparison.html ]
check "the page of the run itself stays" cmp before.html pair/report.html
check "the others are there" [ "$(grep -c '^      "directory": "' pair/comparison.html)" = 2 ]
check "each with its trajectories and its own bodies" [ "$(sed -n '/^  "others"/,$p' pair/comparison.html | grep -c '"positions"')$(grep -c '^      "bodies"' pair/comparison.html)" = 32 ]
run 3 report pair nowhere
rm pair/comparison.html
run 1 simulate pair.json -o unmet --quiet --require-success --overwrite
check "run.json has the status that the program ended with" grep -q '"exit_status": 1' unmet/run.json

# runs with little in them
run 0 simulate still.json -o still --quiet
check "a run where nothing moves has a page" [ -s still/report.html ]
cp -r pair bare
head -1 pair/loss.csv >bare/loss.csv
run 0 report bare
rm bare/loss.csv
run 0 report bare
check "without rows it is a page all the same" [ -s bare/report.html ]

# what cannot be
run 2 report
says "report: missing RUN"
run 3 report nowhere
says 'nowhere: no such directory; "dcsim simulate SCENE -o nowhere"'
cp -r pair unfinished
rm unfinished/run.json unfinished/report.html
run 5 report unfinished
says "dcsim: unfinished: has no run.json: the run has not ended (dcsim optimize --resume goes on with it)"
rm unfinished/trajectory.h5 unfinished/checkpoint.bin
run 5 report unfinished
says "dcsim: unfinished: has no trajectory.h5: the run has not ended"
check "no page is left of these" [ ! -e unfinished/report.html ]
cp -r pair damaged
echo >>damaged/trajectory.h5
run 5 report damaged
run 0 optimize pair.json -o blocked --quiet --no-report
mkdir blocked/report.html
run 5 report blocked
check "no temporary file stays of it" [ -z "$(find blocked -name '.tmp*')" ]
mkdir -p taken/report.html
run 5 optimize pair.json -o taken --quiet
says "taken/report.html: exists"
check "a page in the way refuses the run before it begins" [ "$(ls taken)" = report.html ]

# 1000 steps of 20 bodies, two trajectories
{
  echo '{ "name": "many", "time": { "step": 0.001, "steps": 1000 }, "contact": { "blend": 1 },'
  echo '  "shapes": { "ball": { "type": "sphere", "radius": 0.1, "level": 1 } }, "bodies": ['
  for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
    [ $i = 0 ] || echo ,
    echo "{ \"name\": \"ball$i\", \"shape\": \"ball\", \"mass\": 0.1, \"position\": [$((i % 5)), $((i / 5)), 0], \"angular_velocity\": [1, 2, $i] }"
  done
  echo '  ], "control": [{ "type": "initial_state", "body": "ball0", "velocity": "xy" }],'
  echo '  "objective": [{ "type": "reach", "body": "ball0", "target": [0.5, 0.2, -4] }], "optimizer": { "type": "adam", "iterations": 1 } }'
} >many.json
run 0 optimize many.json -o many --quiet
size=$(wc -c <many/report.html)
# observed: 1.96e6 bytes
check "1000 steps of 20 bodies make less than 3e6 bytes (are $size)" [ "$size" -lt 3000000 ]
check "with both trajectories" grep -q '^  "first": {' many/report.html
run 0 simulate fall.json -o long --set time.steps=4500 --set time.step=0.001 --quiet
check "of many frames 2000 are kept" grep -q '"kept": 2000,' long/report.html
check "and the page knows how many there were" grep -q '"frames": 4501,' long/report.html

# the template is what viewer/ makes
if ! command -v node >/dev/null 2>&1; then
  skip "the template is what its sources make" "no node"
elif [ ! -d "$viewer/node_modules/esbuild" ] || [ ! -d "$viewer/node_modules/three" ]; then
  skip "the template is what its sources make" "viewer/node_modules is not there (scripts/setup.sh --all)"
else
  check "build.mjs runs" node "$viewer/build.mjs" "$scratch/report.html"
  check "the template is what its sources make" cmp "$scratch/report.html" "$viewer/report.html"
fi

# in a browser
. "$DCSIM_SOURCE/tests/cli/look.sh"
# a marker that only "to" of an objective names is listed
run 0 simulate pair.json -o named --quiet --set 'objective=[{"type": "relative", "body": "eight", "to": "marker"}]'
look pair fall still named
finish
