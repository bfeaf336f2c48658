#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Bad input: exit status 3, a message with the place and the rule, nothing created.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

time='"time": {"step": 0.01, "steps": 2}'
ball='"shapes": {"ball": {"type": "sphere", "radius": 0.1}}'

# bad LINE:COLUMN MESSAGE TEXT [OPTION...]: the scene TEXT is refused there
bad() {
  place=$1
  message=$2
  printf '%s' "$3" >scene.json
  shift 3
  ls -AR >"$scratch/before"
  run 3 optimize scene.json -o out "$@"
  ls -AR >"$scratch/after"
  if [ "$(head -c "$(printf 'dcsim: scene.json:%s: %s' "$place" "$message" | wc -c)" "$err")" = \
       "$(printf 'dcsim: scene.json:%s: %s' "$place" "$message")" ]; then
    pass "message: $place: $message"
  else
    sed 's/^/# /' "$err" | head -3
    fail "message: $place: $message"
  fi
  check "nothing was created" cmp "$scratch/before" "$scratch/after"
}

# text
bad 1:1 "" ""
bad 1:1 "must be an object (is an array)" "[]"
bad 1:1 "missing key \"time\"" "{}"
bad 1:36 "expected ',' or '}'" "{$time"
bad 1:38 "text after the end of the scene" "{$time} more"
bad 1:3 "string without end" "{ \"time: 1 }"
bad 1:12 "" "{\"name\": \"a	b\", $time}"
bad 1:19 "" '{"time": {"step": 01, "steps": 2}}'
bad 1:19 "" '{"time": {"step": NaN, "steps": 2}}'
bad 1:19 "" "{\"time\": {\"step\": 'a', \"steps\": 2}}"
bad 1:19 "time.step: number too large" '{"time": {"step": 1e999, "steps": 2}}'
bad 1:37 "time.step: duplicate key" '{"time": {"step": 0.01, "steps": 1, "step": 1}}'
bad 2:1 "" "{$time,
/* no end"
depth=$(printf '%0100d' 0 | tr 0 '[')
bad 1:106 "nested deeper than 64 levels" "{$time, \"x\": $depth"

# keys, types, ranges
bad 2:2 "Gravity: unknown key (did you mean \"gravity\"?)" "{$time,
 \"Gravity\": [0, 0, 0]}"
bad 2:13 "horizon: missing key \"length\"" "{$time,
 \"horizon\": {}}"
bad 2:23 "gradient.type: must be one of" "{$time,
 \"gradient\": {\"type\": \"guess\"}}"
bad 2:23 "gradient.step: must be > 0 (is 0)" "{$time,
 \"gradient\": {\"step\": 0}}"
bad 2:26 "gradient.samples: must be >= 1 (is 0)" "{$time,
 \"gradient\": {\"samples\": 0}}"
bad 2:24 "gradient.sigma: must be > 0 (is 0)" "{$time,
 \"gradient\": {\"sigma\": 0}}" --gradient fd
bad 2:24 "gradient.order: must be <= 1 (is 2)" "{$time,
 \"gradient\": {\"order\": 2}}"
bad 2:14 "gradient: must be an object (is a string)" "{$time,
 \"gradient\": \"fd\"}" --gradient fd
bad 2:20 "init.draws: must be >= 1 (is 0)" "{$time,
 \"init\": {\"draws\": 0}}"
bad 2:11 "init.drawn: unknown key (did you mean \"draws\"?)" "{$time,
 \"init\": {\"drawn\": 1}}"
bad 2:11 "init.squeeze: only of \"grasp\"" "{$time,
 \"init\": {\"squeeze\": 0.5}}"
bad 2:28 "init.draws: has no meaning for a \"grasp\"" "{$time,
 \"init\": {\"type\": \"grasp\", \"draws\": 5}}"
bad 1:10 "time: missing key \"steps\"" '{"time": {"step": 0.01}}'
bad 1:19 "time.step: must be > 0 s (is 0)" '{"time": {"step": 0, "steps": 1}}'
bad 1:19 "time.step: must be > 0 s (is -1)" '{"time": {"step": -1, "steps": 1}}'
bad 1:19 "time.step: must be a number (is true)" '{"time": {"step": true, "steps": 1}}'
bad 1:34 "time.steps: must be a whole number (is 2.5)" '{"time": {"step": 0.01, "steps": 2.5}}'
bad 1:34 "time.steps: must be <= 10000000 (is 1000000000)" '{"time": {"step": 0.01, "steps": 1000000000}}'
bad 2:13 "gravity: must be an array of 3 numbers (has 2)" "{$time,
 \"gravity\": [0, 0]}"
bad 2:23 "contact.model: must be one of" "{$time,
 \"contact\": {\"model\": \"ipx\"}}"
bad 2:27 "contact.stiffness: must be > 0 J (is -1)" "{$time,
 \"contact\": {\"stiffness\": -1}}"
bad 2:14 "contact.dhat: is an option of another model than the one chosen" "{$time,
 \"contact\": {\"dhat\": 0.01}}"
bad 2:31 "contact.blend: is an option of another model than the one chosen" "{$time,
 \"contact\": {\"model\": \"sdrs\", \"blend\": 0.3}}"
bad 2:23 "contact.blend: must be >= 0.001 (is 0)" "{$time,
 \"contact\": {\"blend\": 0}}" --model sdrs
bad 2:26 "contact.friction: must be >= 0 (is -0.3)" "{$time,
 \"contact\": {\"friction\": -0.3}}"
bad 2:36 "horizon.apply: must be <= length, 4 (is 5)" "{$time,
 \"horizon\": {\"length\": 4, \"apply\": 5}}"
bad 2:53 "bodies[0].joint: must be one of" "{$time, $ball,
 \"bodies\": [{\"name\": \"b\", \"shape\": \"ball\", \"joint\": \"hinged\"}]}"
bad 2:80 "bodies[0].joint.range: must be [low, high]" "{$time, $ball,
 \"bodies\": [{\"name\": \"b\", \"shape\": \"ball\", \"joint\": {\"type\": \"hinge\", \"range\": [1, 0]}}]}"
bad 2:72 "bodies[0].parent: no body is called" "{$time, $ball,
 \"bodies\": [{\"name\": \"b\", \"shape\": \"ball\", \"joint\": \"hinge\", \"parent\": \"c\"}]}"
bad 2:68 "bodies[0].pd: missing key \"kp\"" "{$time, $ball,
 \"bodies\": [{\"name\": \"b\", \"shape\": \"ball\", \"joint\": \"hinge\", \"pd\": {\"kd\": 1}}]}"
bad 2:50 "shapes.ball.radius: must be > 0 m (is 0)" "{$time,
 \"shapes\": {\"ball\": {\"type\": \"sphere\", \"radius\": 0}}}"
bad 2:65 "shapes.b.divisions[0]: must be <=" "{$time,
 \"shapes\": {\"b\": {\"type\": \"box\", \"size\": [1,1,1], \"divisions\": [1000000000,1,1]}}}"
bad 3:26 "bodies[1].shape: no shape is called \"bal\" (did you mean \"ball\"?)" "{$time, $ball,
 \"bodies\": [{\"name\": \"a\", \"shape\": \"ball\"},
  {\"name\": \"b\", \"shape\": \"bal\"}]}"
bad 2:52 "bodies[0].mass: must be >= 0 kg (is -1)" "{$time, $ball,
 \"bodies\": [{\"name\": \"b\", \"shape\": \"ball\", \"mass\": -1}]}"
bad 2:44 "bodies[0].masss: unknown key (did you mean \"mass\"?)" "{$time, $ball,
 \"bodies\": [{\"name\": \"b\", \"shape\": \"ball\", \"masss\": 1}]}"
bad 3:14 "bodies[0].rotation: must be of unit length" "{$time, $ball,
 \"bodies\": [{\"name\": \"b\", \"shape\": \"ball\",
 \"rotation\": [1, 0, 0, 0.1]}]}"
bad 3:11 "bodies[1].name: \"b\" is the name of bodies[0] already" "{$time, $ball,
 \"bodies\": [{\"name\": \"b\", \"shape\": \"ball\"},
 {\"name\": \"b\", \"shape\": \"ball\", \"position\": [1, 0, 0]}]}"
bad 2:23 "control[0].type: must be one of" "{$time,
 \"control\": [{\"type\": \"initial_stat\"}]}"
bad 3:16 "objective[0]: missing key \"target\"" "{$time, $ball,
 \"bodies\": [{\"name\": \"cue\", \"shape\": \"ball\"}],
 \"objective\": [{\"type\": \"reach\", \"body\": \"cue\"}]}"
bad 2:30 "optimizer.iterations: must be a whole number (is 0.5)" "{$time,
 \"optimizer\": {\"iterations\": 0.5}}"

# meshes
mkdir folder
mkfifo pipe.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n' >corners
{ cat corners; printf 'f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n'; } >good.obj
{ cat corners; printf 'f 1 3 2\nf 1 2 4\nf 2 3 4\n'; } >open.obj
{ cat corners; printf 'f 1 2 3\nf 1 4 2\nf 2 4 3\nf 1 3 4\n'; } >inverted.obj
{ cat corners; printf 'f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 9\n'; } >index.obj
{ cat corners; printf 'f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\nf 1 4 3\n'; } >duplicate.obj
printf 'v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\nf 1 3 2\n' >flat.obj
printf 'v 0 0 nan\n' >nan.obj
: >empty.obj
mesh_bad() { # FILE WORDS
  printf '%s' "{$time,
 \"shapes\": {\"m\": {\"type\": \"mesh\", \"file\": \"$1\"}}}" >scene.json
  ls -AR >"$scratch/before"
  run 3 simulate scene.json -o out
  ls -AR >"$scratch/after"
  check "the message begins with the place ($(head -c 60 "$err"))" grep -qE '^dcsim: scene\.json:2:[0-9]+: shapes\.m' "$err"
  says "$2"
  check "nothing was created" cmp "$scratch/before" "$scratch/after"
}
mesh_bad missing.obj "missing.obj: No such file"
mesh_bad folder "folder"
mesh_bad pipe.obj "pipe.obj"
mesh_bad open.obj "open mesh: 3 edges with one triangle only"
mesh_bad inverted.obj "negative volume"
mesh_bad index.obj "index.obj"
mesh_bad duplicate.obj "1 duplicate triangle"
mesh_bad flat.obj "2 degenerate triangles"
mesh_bad nan.obj "nan.obj:1"
mesh_bad empty.obj "empty.obj"
mesh_bad /etc/passwd "lies outside the scene's folder"
mkdir inside
mv good.obj outside.obj
ln -s ../outside.obj inside/link.obj
printf '%s' "{$time,
 \"shapes\": {\"m\": {\"type\": \"mesh\", \"file\": \"link.obj\"}}}" >inside/scene.json
run 3 simulate inside/scene.json -o none
says "inside/scene.json:2:"
says "lies outside the scene's folder"
run 0 simulate inside/scene.json -o none --allow-path "$folder"

# bodies that meet at the start
overlap() { # NAME TEXT
  printf '%s' "$2" >scene.json
  run 3 simulate scene.json -o out
  says '"a"'
  says '"b"'
  check "$1: nothing was created" [ ! -e out ]
}
overlap "bodies that intersect" "{$time, $ball, \"bodies\": [{\"name\": \"a\", \"shape\": \"ball\"},
  {\"name\": \"b\", \"shape\": \"ball\", \"position\": [0.15, 0, 0]}]}"
overlap "a body inside another" "{$time, \"shapes\": {\"ball\": {\"type\": \"sphere\", \"radius\": 0.1},
  \"box\": {\"type\": \"box\", \"size\": [1, 1, 1]}}, \"bodies\": [{\"name\": \"a\", \"shape\": \"ball\"},
  {\"name\": \"b\", \"shape\": \"box\", \"joint\": \"fixed\"}]}"

# scene files that are none
rm -f scene.json
run 3 check nothing.json
says "nothing.json"
run 3 check folder
run 3 check pipe.obj
if truncate -s 70M large.json 2>/dev/null; then
  run 3 check large.json
  says "large.json: must be at most 64 MB"
  rm large.json
else
  skip "a file over 64 MB" "no truncate"
fi
run 3 check /dev/null
run 3 check /dev/zero

# overrides
printf '%s' "{$time, $ball, \"bodies\": [{\"name\": \"cue\", \"shape\": \"ball\"}]}" >scene.json
override() { # STATUS ARGUMENT MESSAGE
  run "$1" check scene.json --set "$2"
  says "dcsim: --set $2: $3"
}
override 3 bodies.cue.mass=-1 "bodies[0].mass: must be >= 0 kg (is -1)"
override 3 bodies.cu.mass=1 "scene.json:1:"
override 3 time.stp=1 "time.stp: unknown key (did you mean \"step\"?)"
override 3 time.step=1e999 "number too large"
override 3 contact.dhat=0.01 "contact.dhat: is an option of another model than the one chosen"
override 2 time.step "must have the form path=value"
override 2 time..step=1 "malformed path"
run 2 check scene.json --model exakt
says 'dcsim: --model: no contact model is called "exakt" (did you mean "exact"?)'

# runs of earlier versions resolved the options of all models
mkdir earlier
printf '{%s, "contact": {"model": "bsh", "dhat": 0.01}}' "$time" >earlier/resolved.json
run 0 check earlier/resolved.json

# mistakes that show when bodies are put in their places
cubes="{$time, \"shapes\": {\"cube\": {\"type\": \"box\", \"size\": [1, 1, 1]}}, \"bodies\": [
 {\"name\": \"a\", \"shape\": \"cube\"},
 {\"name\": \"b\", \"shape\": \"cube\"}]"
bad 3:2 'bodies[1]: bodies "a" (at 0, 0, 0 m) and "b" overlap at the start, by at least 1 m' "$cubes}"
bad 3:2 'bodies[1]: bodies "a" (at 0, 0, 0 m) and "b" touch or overlap at the start; how deep is not known' "$cubes}" \
  --set 'bodies.b.position=[1, 0, 0]'
printf '%s}' "$cubes" >scene.json
run 3 simulate scene.json -o out
says 'dcsim: scene.json:3:2: bodies[1]: bodies "a" (at 0, 0, 0 m) and "b" overlap'
run 3 gradcheck scene.json
says 'dcsim: scene.json:3:2: bodies[1]: bodies "a"'
cubes="$cubes, \"control\": [
 {\"type\": \"initial_state\", \"body\": \"a\", \"velocity\": \"xy\", \"initial\": [1, 1]},
 {\"type\": \"initial_state\", \"body\": \"b\", \"position\": \"xy\", \"initial\": [-4.5, 0]}]"
bad 5:2 'control[1]: bodies "a" (at 0, 0, 0 m) and "b" overlap at the start, by at least 0.5 m' "$cubes}" \
  --set 'bodies.b.position=[5, 0, 0]'
bad 6:11 "objective[0].shot: no random control out of 400 moved 1 bodies by 1000 m" "$cubes, \"objective\": [
 {\"shot\": {\"reference_seed\": 1, \"balls\": 1, \"minimum_distance\": 1000}}]}" \
  --set 'bodies.b.position=[5, 0, 0]' --set control.1.initial=[0,0]

# closed surfaces in one another, in one mesh
box() { # FILE FIRST LOW HIGH: appends a box
  for z in "$3" "$4"; do for y in "$3" "$4"; do for x in "$3" "$4"; do echo "v $x $y $z"; done; done; done >>"$1"
  for face in "0 2 3 1" "4 5 7 6" "0 1 5 4" "2 6 7 3" "0 4 6 2" "1 3 7 5"; do
    set -- "$1" "$2" "$3" "$4" $face
    echo "f $(($2 + $5)) $(($2 + $6)) $(($2 + $7)) $(($2 + $8))"
  done >>"$1"
}
nested="{$time, \"shapes\": {\"m\": {\"type\": \"mesh\", \"file\": \"parts.obj\"}}, \"bodies\": [{\"name\": \"m\", \"shape\": \"m\"}]}"
for case in "0.2 0.8|closed surfaces are nested: 1 of the 2 connected parts lies inside others" "0.5 2|closed surfaces overlap: "; do
  rm -f parts.obj
  box parts.obj 1 0 1
  box parts.obj 9 ${case%%|*}
  bad 1:54 "shapes.m: shape \"m\": ${case#*|}" "$nested"
  says 'make each a shape of a "compound"'
  run 0 check scene.json --set shapes.m.convex=true
done
rm parts.obj

# what is empty is not wrong
for text in "{$time}" "{\"time\": {\"step\": 0.1, \"steps\": 0}}" "{$time, $ball, \"bodies\": []}"; do
  printf '%s' "$text" >scene.json
  run 0 simulate scene.json -o none
  check "no gap is told" sh -c "grep -q 'no two bodies can meet' '$out' && ! grep -q inf '$out'"
  run 0 optimize scene.json -o none
  run 0 check scene.json
  check "no gap is told" sh -c "grep -q 'no two bodies can meet' '$out' && ! grep -q inf '$out'"
done
run 0 optimize scene.json -o none --set optimizer.iterations=0
finish
