#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Bounds of the targets of pd_targets that a scene leaves open: chosen, told, kept, overruled, chosen anew.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

cat >hand.json <<'SCENE'
{ "time": {"step": 0.02, "steps": 50}, "gravity": [0, 0, -10],
  "shapes": {"ball": {"type": "sphere", "radius": 0.1}, "ground": {"type": "plane"}},
  "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground"},
             {"name": "ball", "shape": "ball", "mass": 1, "position": [0.5, 0, 0.101]},
             {"name": "hand", "joint": {"type": "slide", "axis": [1, 0, 0]}, "shape": "ball", "mass": 1,
              "position": [0, 0, 0.15], "pd": {"kp": 200, "kd": 0}},
             {"name": "lever", "joint": {"type": "hinge", "axis": [0, 0, 1], "range": [-1, 2]}, "shape": "ball", "mass": 2,
              "position": [0, 0, 1], "pd": {"kp": 1000, "kd": 0}, "effort_limit": 50}],
  "control": [{"type": "pd_targets", "body": "hand", "hold": 10}, {"type": "pd_targets", "body": "lever", "hold": 10}],
  "objective": [{"type": "reach", "body": "ball", "target": [2, 0, 0.15], "tolerance": 0.05}] }
SCENE
if ! have_python; then
  skip "bounds of targets" "no python3"
  finish
fi
bounds() { # FILE: low and high of all controls
  "$interpreter" - "$1" <<'PYTHON'
import json, sys
scene = json.load(open(sys.argv[1]))
print([[round(x, 6) for x in control["low"] + control["high"]] for control in scene["control"]],
      [control.get("chosen") for control in scene["control"]])
PYTHON
}
# The goal is 2 m away; a lead of 4 kg g / kp = 0.2 m holds all weight.  The lever's effort is used up 0.05 rad ahead.
chosen='[[-2.444444, 2.444444], [-1.222222, 2.222222]] [True, True]'
run 0 check hand.json
check "told" grep -qF 'targets of "hand", coordinate 0: chosen between -2.44 and 2.44 m from the start' "$out"
run 0 check hand.json --json
check "as JSON" grep -q '"low": -2.44' "$out"
run 0 simulate hand.json -o first --quiet
check "from the goal, the weight, the range and the effort" [ "$(bounds first/resolved.json)" = "$chosen" ]
run 0 simulate first/resolved.json -o again --quiet
check "a resolved scene has the same" [ "$(bounds again/resolved.json)" = "$chosen" ]
run 0 simulate first/resolved.json -o far --quiet --set objective.0.target=[4,0,0.15]
check "chosen anew where the goal moves" [ "$(bounds far/resolved.json)" = \
  "[[-4.666667, 4.666667], [-1.222222, 2.222222]] [True, True]" ]
run 0 simulate first/resolved.json -o own --quiet --set control.0.low=-0.3 --set control.0.high=0.4
check "an argument wins" [ "$(bounds own/resolved.json)" = "[[-0.3, 0.4], [-1.222222, 2.222222]] [False, True]" ]
run 0 simulate hand.json -o given --quiet --set control.0.low=-0.3 --set control.0.high=0.4
check "what the scene gives wins" [ "$(bounds given/resolved.json)" = \
  "[[-0.3, 0.4], [-1.222222, 2.222222]] [False, True]" ]
run 0 simulate hand.json -o guess --quiet --set control.0.initial=4
check "bounds hold the first guess" [ "$(bounds guess/resolved.json)" = \
  "[[-2.444444, 5], [-1.222222, 2.222222]] [True, True]" ]
# A region is as far as its nearest place; a velocity asks for its way in the time of the run, of a surface that it turns, too.
run 0 simulate hand.json -o region --quiet \
  --set 'objective=[{"type": "region", "bodies": ["ball"], "center": [2.1, 0, 0], "size": [0.2, 0.2, 1]}]'
check "from a region" [ "$(bounds region/resolved.json)" = "[[-2.445111, 2.445111], [-1.222222, 2.222222]] [True, True]" ]
run 0 simulate hand.json -o fast --quiet \
  --set 'objective=[{"type": "velocity", "body": "ball", "target": [3, 0, 0], "tolerance": 0.1}]'
check "from a velocity" [ "$(bounds fast/resolved.json)" = "[[-4.611111, 4.611111], [-1.216831, 2.216831]] [True, True]" ]
run 0 simulate hand.json -o turning --quiet \
  --set 'objective=[{"type": "velocity", "body": "ball", "angular": [0, 0, 30], "tolerance": 0.1}]'
check "from an angular one" [ "$(bounds turning/resolved.json)" = "[[-4.611111, 4.611111], [-1.216831, 2.216831]] [True, True]" ]
run 0 check hand.json --set control.0.low=[] --set control.0.high=[]
check "an empty list is none" sh -c '! grep -q "targets of \"hand\"" "$1"' - "$out"
run 0 check hand.json --set 'cases=[{"name": "light", "bodies": {"ball": {"mass": 0.5}}}]'
check "worlds that share parameters have none" sh -c '! grep -q "targets of" "$1"' - "$out"
run 0 gradcheck hand.json --set control.0.initial=2.4 --set time.steps=10
finish
