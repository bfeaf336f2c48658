#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two runs beside each other.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

cat >scene.json <<'SCENE'
{ "name": "pair", "time": { "step": 0.02, "steps": 6 }, "contact": { "stiffness": 1e-5 },
  "shapes": { "ball": { "type": "sphere", "radius": 0.1, "level": 1, "base": "octahedron" }, "ground": { "type": "plane" } },
  "bodies": [ { "name": "ground", "joint": "fixed", "shape": "ground" },
              { "name": "cue", "shape": "ball", "mass": 0.1, "position": [-0.3, 0, 0.2], "velocity": [2, 0, 0] },
              { "name": "eight", "shape": "ball", "mass": 0.1, "position": [0, 0.02, 0.2] } ],
  "control": [ { "type": "initial_state", "body": "cue", "velocity": "xy" } ],
  "objective": [ { "type": "reach", "body": "eight", "target": [0.5, 0.2, 0.15] } ],
  "optimizer": { "type": "adam", "iterations": 3 } }
SCENE
run 0 optimize scene.json -o one --quiet --threads 1
run 0 optimize scene.json -o same --quiet --threads 2
run 0 optimize scene.json -o heavy --quiet --set bodies.eight.mass=0.25
run 0 optimize scene.json -o longer --quiet --set optimizer.iterations=4
sed 's/"eight"/"nine"/; s/"body": "eight"/"body": "nine"/' scene.json >renamed.json
run 0 optimize renamed.json -o renamed --quiet

has() { # TEXT: the report has it
  check "the report says: $1" grep -qF -e "$1" "$out"
}
field() { # NAME EXPRESSION OF d
  if have_python; then
    check "$1" python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); sys.exit(0 if eval("(" + sys.argv[2] + ")") else 1)' "$out" "$2"
  else
    skip "$1" "no python3"
  fi
}

# usage and input
run 2 diff one
says "dcsim: diff: missing the second RUN"
run 2 diff one same heavy
run 3 diff one nowhere
says 'dcsim: nowhere: no such directory; "dcsim simulate SCENE -o nowhere"'
cp -r one torn && rm torn/trajectory.h5
run 5 diff one torn
says "torn/trajectory.h5: cannot open"
cp -r one torn2 && rm torn2/loss.csv
run 5 diff torn2 one
cp -r one torn3 && echo '{}' >torn3/run.json
run 3 diff torn3 one
says "torn3/run.json: holds no result"

# the same runs
run 0 diff one same
has "the runs are the same: 4 rows, 7 frames, settings"
run 0 diff one one --json
parses "$out" "diff --json"
field "nothing differs" 'd["same"] and not d["settings"] and not d["origins"] and d["loss"][0] == d["loss"][1]
  and d["rows"] == {"count": [4, 4], "first_difference": None} and d["trajectory"]["first_difference"] is None
  and all(b["position"] == b["rotation"] == 0 for b in d["bodies"]) and len(d["bodies"]) == 3'

# another mass
run 1 diff one heavy
check "no message: the report says it" [ ! -s "$err" ]
has "loss.csv: 4 and 4 rows, which differ from row"
has "trajectory: 7 and 7 frames, which differ from frame"
has "bodies that end apart:"
has "  bodies[2].mass: 0.1 | 0.25"
run 1 diff one heavy --json
parses "$out" "diff --json"
field "the setting is named" '[(s["path"], s["first"], s["second"]) for s in d["settings"]] == [("bodies[2].mass", 0.1, 0.25)]'
field "the worst comes first" 'd["bodies"][0]["body"] in ("eight", "cue") and
  [b["position"] for b in d["bodies"]] == sorted((b["position"] for b in d["bodies"]), reverse=True)'
field "losses stand beside each other" 'd["loss"][0] != d["loss"][1] and len(d["success"]) == 2 and d["iterations"] == [3, 3]'

# more iterations: the rows in common are the same
run 1 diff one longer --json
field "rows differ where the shorter one ends" 'd["rows"] == {"count": [4, 5], "first_difference": 4}'
field "the setting is named" '[s["path"] for s in d["settings"]] == ["optimizer.iterations"]'

# another body
run 1 diff one renamed --json
field "bodies of one run only" 'd["only_in_first"] == ["eight"] and d["only_in_second"] == ["nine"] and len(d["bodies"]) == 2'

# settings that only one has, and names that are no plain words
if have_python; then
  cp -r one more
  python3 - more/resolved.json <<'PROGRAM'
import json, sys
scene = json.load(open(sys.argv[1]))
scene["shapes"]["a b"] = {"type": "sphere", "radius": 0.5}
json.dump(scene, open(sys.argv[1], "w"))
PROGRAM
  run 1 diff more one --json
  field "they are left out on the other side" '[(s["path"], s["first"]["radius"], "second" in s) for s in d["settings"]] == [("shapes[\"a b\"]", 0.5, False)]'
  run 1 diff one more
  has 'shapes["a b"]: not there | {"type": "sphere", "radius": 0.5}'

  # where a run comes from may differ
  cp -r one elsewhere
  python3 - elsewhere/run.json <<'PROGRAM'
import json, sys
run = json.load(open(sys.argv[1]))
run["version"], run["libraries"]["HDF5"], run["host"] = "0.0.1", "0.1", "elsewhere"
json.dump(run, open(sys.argv[1], "w"))
PROGRAM
  run 0 diff one elsewhere
  has "where they come from:"
  has '| "0.0.1"'
  has "libraries.HDF5:"
else
  skip "settings that only one has" "no python3"
fi
finish
