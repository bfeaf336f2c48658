#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Mistakes of newcomers.  Each is refused with status 3, or told (status 0), with its place, the rule that it breaks, and
# what to write instead.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
cat >base.json <<'SCENE'
{
  "name": "push",
  "time": {"step": 0.02, "steps": 50},
  "gravity": [0, 0, -9.81],
  "contact": {"stiffness": 1e-6, "friction": 0.5},
  "shapes": {
    "plane": {"type": "plane"},
    "box": {"type": "box", "size": [0.1, 0.1, 0.1]},
    "ball": {"type": "sphere", "radius": 0.05}
  },
  "bodies": [
    {"name": "ground", "joint": "fixed", "shape": "plane"},
    {"name": "cube", "shape": "box", "mass": 0.5, "position": [0.3, 0, 0.0505]},
    {"name": "pusher", "shape": "ball", "mass": 0.3, "position": [0, 0, 0.051],
     "joint": {"type": "slide", "axis": [1, 0, 0]}, "pd": {"kp": 100, "kd": 10}}
  ],
  "control": [{"type": "pd_targets", "body": "pusher"}],
  "objective": [{"type": "reach", "body": "cube", "target": [0.5, 0, 0.05], "tolerance": 0.02}],
  "optimizer": {"type": "adam", "learning_rate": 0.05, "iterations": 3}
}
SCENE
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n' >open.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n' >inwards.obj

# Lines: status|place|words of rule and remedy|edit of the scene
table=0
while IFS='|' read -r status place words edit; do
  [ -n "$edit" ] || continue
  sed "$edit" base.json >m.json
  table=$((table + 1))
  cmp -s m.json base.json && fail "$edit changes nothing"
  "$dcsim" check m.json >"$out" 2>&1
  [ $? -eq "$status" ] && [ "$(wc -c <"$out")" -gt 0 ] && grep -q -- "m.json$place.*$words\|^  advice: .*$words" "$out" && pass "$edit" && continue
  head -3 "$out" | sed 's/^/# /'
  fail "$edit: status $status, place $place, \"$words\""
done <<'TABLE'
3|:3:3|',' or '}': a comma is missing before this|s/"name": "push",/"name": "push"/
3|:8:46|a comma is missing before this|s/0.1, 0.1, 0.1\]/0.1, 0.1 0.1]/
3|:15:81|the comma before is one too many|s/"kd": 10}}/"kd": 10},}/
3|:8:51|the comma before is one too many|s/0.1, 0.1, 0.1\]/0.1, 0.1, 0.1,]/
3|:20:1|the comma before is one too many|s/"iterations": 3}/"iterations": 3},/
3|:2:19|comments begin with //|s/"name": "push",/"name": "push", # my scene/
3|:2:3|a key in double quotes|s/"name": "push"/'name': "push"/
3|:2:11|texts stand in double quotes|s/"name": "push"/"name": 'push'/
3|:2:3|a key in double quotes|s/"name": "push"/name: "push"/
3|:4:14|in small letters|s/"gravity": \[0, 0, -9.81\]/"gravity": None/
3|:2:43|in small letters|s/"name": "push",/"name": "push", "gravity_compensation": True,/
3|:21:1|'}' is missing|s/"iterations": 3}/"iterations": 3/
3|:3:20|leave it out|s/0.02, "steps"/00.02, "steps"/
3|:18:62|as 0.5|s/0.5, 0, 0.05\]/+0.5, 0, 0.05]/
3|:18:62|NaN and Infinity are none|s/0.5, 0, 0.05\]/NaN, 0, 0.05]/
3|:18:3|did you mean "objective"|s/"objective"/"objectives"/
3|:11:3|did you mean "bodies"|s/"bodies"/"bodys"/
3|:8:21|must be one of "sphere", "box"|s/"type": "box"/"type": "cube"/
3|:8:28|did you mean "size"|s/"size"/"sizes"/
3|:13:38|did you mean "mass"|s/"mass": 0.5/"Mass": 0.5/
3|:13:31|did you mean "box"|s/"shape": "box"/"shape": "boxx"/
3|:18:44|trajectory.h5 of a run|s/"reach", "body": "cube", "target": .*}\]/"follow", "file": "base.json"}]/
3|:18:43|did you mean "cube"|s/"body": "cube"/"body": "cub"/
3|:17:24|did you mean "pd_targets"|s/"pd_targets"/"pd_target"/
3|:18:26|did you mean "reach"|s/"reach"/"reached"/
3|:19:25|did you mean "adam"|s/"adam"/"Adam"/
3|:19:33|did you mean "learning_rate"|s/"learning_rate"/"lr"/
3|:15:24|did you mean "hinge"|s/"type": "slide", "axis": \[1, 0, 0\]/"type": "revolute"/
3|:5:34|did you mean "friction"|s/"friction"/"mu"/
3|:3:12|did you mean "step"|s/"step"/"dt"/
3|:13:50|divide it by its length|s/"mass": 0.5/"rotation": [1, 1, 0, 0]/
3|:13:50|(cos a/2, u sin a/2)|s/"mass": 0.5/"rotation": [0, 0, 1.57]/
3|:13:46|"joint": "fixed"|s/"mass": 0.5/"mass": 0/
3|:8:37|--allow-path /etc would trust its folder|s,"type": "box"\, "size": .0.1\, 0.1\, 0.1.,"type": "mesh"\, "file": "/etc/passwd",
3|:3:26|a run lasts "steps" times "step"|s/"steps": 50/"duration": 1/
3|:3:26|there are "step", "steps"|s/"steps": 50/"substitution": 1/
3|:2:19|"time": {"step": s, "steps": count} has it|s/"name": "push",/"name": "push", "timestep": 0.01,/
3|:2:19|m, kg, s, N and rad|s/"name": "push",/"name": "push", "units": "cm",/
3|:2:19|of a body is its actuator|s/"name": "push",/"name": "push", "actuators": [],/
3|:2:19|it stands in a body, or|s/"name": "push",/"name": "push", "joint_position": {"pusher": 1},/
3|:2:19|with "joint": "fixed" is a ground|s/"name": "push",/"name": "push", "ground": true,/
3|:13:38|belongs to a "mesh"|s/"mass": 0.5/"scale": [2, 2, 2], "mass": 0.5/
3|:13:38|did you mean "color"|s/"mass": 0.5/"rgba": [1, 0, 0, 1], "mass": 0.5/
3|:8:28|did you mean "size"|s/"size"/"scale"/
3|:3:11|missing key "steps" (number of time steps)|s/, "steps": 50//
3|:13:46|numbers stand without quotes and without units|s/"mass": 0.5/"mass": "0.5"/
3|:13:46|numbers stand without quotes and without units|s/"mass": 0.5/"mass": "500 g"/
3|:4:14|an array of 3 numbers (is a number; they stand in \[ \] with commas between them)|s/"gravity": \[0, 0, -9.81\]/"gravity": -9.81/
3|:18:61|an array of 3 numbers (has 2)|s/"target": \[0.5, 0, 0.05\]/"target": [0.5, 0]/
3|:9:42|must be a number|s/"radius": 0.05/"radius": [0.05]/
3|:17:14|\[ \] around it make it one|s/"control": \[\(.*\)\]/"control": \1/
3|:17:63|a number or an array of at most 128 numbers (is a string)|s/"body": "pusher"}/"body": "pusher", "low": "a"}/
3|:13:46|must be >= 0 kg|s/"mass": 0.5/"mass": -0.5/
3|:3:20|must be > 0 s|s/"step": 0.02/"step": 0/
3|:3:35|a whole number|s/"steps": 50/"steps": 50.5/
3|:8:42|must be > 0 m|s/0.1, 0.1, 0.1\]/0.1, 0, 0.1]/
3|:13:5|at (0.3, 0, 0.05087) it would not|s/0.3, 0, 0.0505/0.3, 0, 0.04/
3|:14:5|"overlaps": "separate"|s/0.3, 0, 0.0505/0.08, 0, 0.0505/
3|:13:50|\[1, 0, 0, 0\] does not rotate|s/"mass": 0.5/"rotation": [0, 0, 0, 0], "mass": 0.5/
3|:13:50|of unit length|s/"mass": 0.5/"rotation": [1, 1, 0, 0], "mass": 0.5/
3|:13:50|a quaternion (w, x, y, z), which angles are not|s/"mass": 0.5/"rotation": [0, 0, 1.57], "mass": 0.5/
3|:14:14|is the name of bodies\[1\] already|s/"name": "cube"/"name": "pusher"/
3|:13:51|duplicate key|s/"mass": 0.5/"mass": 0.5, "mass": 0.6/
3|:12:5|must be "fixed"|s/"joint": "fixed", "shape": "plane"/"shape": "plane"/
3|:12:33|must be one of "free", "fixed"|s/"joint": "fixed"/"joint": "static"/
3|:17:46|of the body gives it one|s/, "pd": {"kp": 100, "kd": 10}//
3|:15:41|must not be zero|s/"axis": \[1, 0, 0\]/"axis": [0, 0, 0]/
3|:13:48|there are "cube", "ground"|s/"mass": 0.5/"parent": "arm", "mass": 0.5/
3|:8:37|opens.obj: No such file or directory (did you mean "open.obj"?)|s/"type": "box", "size": \[0.1, 0.1, 0.1\]/"type": "mesh", "file": "opens.obj"/
3|:8:12|missing key "type" (one of "sphere", "box"|s/"type": "box", //
3|:1:1|missing key "time" ({"step": s, "steps": count})|s/^ *"time": .*$//
3|:19:85|take "pd_targets" or another control of steps|s/"type": "pd_targets"/"type": "spline"/; s/"iterations": 3}/"iterations": 3}, "horizon": {"length": 5}/
3|:8:37|No such file|s/"type": "box", "size": \[0.1, 0.1, 0.1\]/"type": "mesh", "file": "bunny.obj"/
3|:8:12|close it, or take its hull|s/"type": "box", "size": \[0.1, 0.1, 0.1\]/"type": "mesh", "file": "open.obj"/
3|:8:12|exchange two corners of each|s/"type": "box", "size": \[0.1, 0.1, 0.1\]/"type": "mesh", "file": "inwards.obj"/
3|:5:46|must be >= 0|s/"friction": 0.5/"friction": -0.5/
3|:5:24|must be one of "bsh"|s/"contact": {/"contact": {"model": "bhs", /
3|:18:104|subset of "xyz"|s/"tolerance": 0.02/"tolerance": 0.02, "axes": "xw"/
3|:18:104|must be one of "end", "every"|s/"tolerance": 0.02/"tolerance": 0.02, "when": "always"/
3|:19:108|must be <= length|s/"iterations": 3}/"iterations": 3}, "horizon": {"length": 5, "apply": 10}/
3|:18:104|must be a string (is an array): |s/"tolerance": 0.02/"tolerance": 0.02, "axes": ["x", "y"]/
3|:12:24|"joint": "fixed" holds a body still|s/"joint": "fixed", "shape": "plane"/"static": true, "shape": "plane"/
3|:17:24|did you mean "pd_targets"|s/"type": "pd_targets"/"type": "position"/
3|:18:26|did you mean "reach"|s/"type": "reach"/"type": "position"/
0||z is up|s/0, 0, -9.81/0, -9.81, 0/
0||"tolerance": 0.01 (m) would do|s/, "tolerance": 0.02//
0||"control": \[{"type": "pd_targets"|s/"control": \[.*\]/"control": []/
0||millimetres|s/"target": \[0.5, 0, 0.05\]/"target": [500, 0, 0.05]/
0||(0.5, 0, 0.05) is free|s/"target": \[0.5, 0, 0.05\]/"target": [0.5, 0, 0]/
0||it is \[1, 0, 0, 0\]|s/"mass": 0.5/"rotation": [0, 0, 0, 1], "mass": 0.5/
0||would hold as well|s/"kp": 100/"kp": 1e9/
0||lengths given in cm|s/0.1, 0.1, 0.1/10, 10, 10/; s/"position": .0.3, 0, 0.0505/"position": [30, 0, 5.05/
0||in degrees that would be .-1.571, 1.571. rad|s/"type": "slide", "axis": \[1, 0, 0\]/"type": "hinge", "range": [-90, 90]/
0||it is fixed|s/"body": "cube"/"body": "ground"/
TABLE
check "$table mistakes" [ "$table" -ge 50 ]

printf '\377\376{\000}\000' >utf16.json
run 3 check utf16.json
says "save it as UTF-8"
printf '<robot name="r"/>' >robot.urdf
run 3 check robot.urdf
says 'dcsim import -o FILE makes a scene of it'
run 3 render base.json
says 'is a file, not the directory of a run: "dcsim simulate base.json -o run"'
mkdir empty
run 3 report empty
says 'empty: is no run, which has a resolved.json'
run 3 export nothing --format csv
says 'nothing: no such directory; "dcsim simulate SCENE -o nothing" or "dcsim optimize" makes a run there'
run 5 new push nowhere/a.json
says 'nowhere/a.json: cannot be created: its folder is not there'
run 3 check base.json --set contact.model=3
says 'contact.model: must be one of "bsh", "exact"'
run 3 check base.json --set optimizer.type=nlopt
says 'learning_rate: unknown key (there are "type", "method"'
run 3 check base
says "base: No such file or directory (did you mean base.json?)"
run 0 simulate base.json -o base_run --quiet --no-report --set time.steps=2
run 3 check base_run
says "it is a run, whose scene is resolved.json in it"
run 3 sweep base.json -o study
says 'this is a scene; a study is another file, which names it: {"scene":'
run 3 check base.json --set bodies.nobody.mass=1
says 'no element is called "nobody" (there are "ground", "cube", "pusher")'
run 2 check base.json --model hard
says '--model: no contact model is called "hard" (there are "bsh", "exact"'
run 2 run base.json
says 'unknown command "run" (did you mean "simulate"?)'
for command in list "check base.json" schema example; do
  # shellcheck disable=SC2086
  "$dcsim" $command 2>"$err" | head -1 >/dev/null
  check "$command | head is silent" [ ! -s "$err" ]
done
finish
