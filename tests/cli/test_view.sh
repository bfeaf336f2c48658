#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The live view: who may look at it, what it says, what its buttons do.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
scenes=$DCSIM_SOURCE/scenes

if ! built_with libmicrohttpd; then
  run 2 optimize "$scenes/two_balls.json" -o none --view
  says "this build has no live view"
  finish
fi
if ! command -v curl >/dev/null 2>&1; then
  echo "1..0 # SKIP no curl"
  exit 0
fi

# start COMMAND...: runs dcsim beside the test; its address is in $address, its number in $process
start() {
  : >"$err" # the address of the last one must not be read
  "$dcsim" "$@" >"$out" 2>"$err" &
  process=$!
  tries=0
  until address=$(sed -n 's/.*live view: //p' "$err" | grep '/$') || [ $tries -gt 600 ]; do
    sleep 0.1
    tries=$((tries + 1))
  done
  check "it says where" [ -n "$address" ]
}
ask() { curl -s --max-time 20 --noproxy '*' "$@"; }
status_of() { ask -o /dev/null -w '%{http_code}' "$@"; }
# until_state PATTERN: waits until the state has it
until_state() {
  tries=0
  until ask "${address}state" | grep -q "$1" || [ $tries -gt 600 ]; do
    sleep 0.1
    tries=$((tries + 1))
  done
  check "the state comes to $1" [ $tries -le 600 ]
}

# long enough for everything that is asked of it
start optimize "$scenes/two_balls.json" -o run --view --set time.steps=8 --set optimizer.iterations=1000000 --set 'objective.0.tolerance=0'
check "on 127.0.0.1" sh -c "echo '$address' | grep -qE '^http://127\\.0\\.0\\.1:[0-9]+/[0-9a-f]{32}/\$'"
port=$(echo "$address" | sed 's,.*:\([0-9]*\)/.*,\1,')
check "the page is there" [ "$(status_of "$address")" = 200 ]
ask "$address" >page.html
check "it may ask its own server" grep -q "connect-src 'self'" page.html
check "and is the viewer's" grep -q '"live": true' page.html
for wrong in "http://127.0.0.1:$port/" "http://127.0.0.1:$port/state" "${address%?/}/" "${address%??????/}000000/state" \
  "http://127.0.0.1:$port/00000000000000000000000000000000/" "${address}nothing" "${address}../state"; do
  check "nothing at ${wrong#"${address%?????????????????????????????????}"}" [ "$(status_of --path-as-is "$wrong")" = 404 ]
done
check "nor for another name of this machine" [ "$(status_of -H 'Host: example.org' "$address")" = 404 ]
# connections that ask nothing keep nobody out
if python_with socket; then
  "$python" - "$port" <<'SILENT' &
import socket, sys, time
lines = []
for _ in range(400):
    line = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    line.send(b"GET / HT")
    lines.append(line)
open("silent", "w").close()
time.sleep(60)
SILENT
  silent=$!
  tries=0
  until [ -e silent ] || [ $tries -gt 100 ]; do
    sleep 0.1
    tries=$((tries + 1))
  done
  check "beside 400 silent connections a request is answered at once" [ "$(ask --max-time 3 -o /dev/null -w '%{http_code}' "${address}state")" = 200 ]
  kill $silent
else
  skip "silent connections" "no Python"
fi
check "nor without the token for a button" [ "$(status_of -X POST "http://127.0.0.1:$port/stop")" = 404 ]
check "a button is not pressed by looking" [ "$(status_of "${address}stop")" = 404 ]
for other in $(hostname -I 2>/dev/null) 127.0.0.2; do
  case $other in
    127.0.0.1 | *:*) ;;
    *) check "$other does not answer" [ "$(status_of "http://$other:$port/")" = 000 ] ;;
  esac
done
until_state '"trajectory": [1-9]'
ask "${address}state" >state.json
parses state.json "the state"
ask "${address}trajectory" >trajectory.json
parses trajectory.json "the trajectory"
if have_python; then
  holds "rows have six numbers" state.json 'len(d["rows"]) >= 1 and all(len(row) == 6 for row in d["rows"])'
  holds "the log has the best ones" state.json 'any("the best so far" in line for line in d["log"])'
  holds "the trajectory has frames" trajectory.json 'd["kept"] > 1 and d["frames"] == d["kept"]'
fi

# pause, go on, checkpoint
check "pause" [ "$(status_of -X POST "${address}pause")" = 200 ]
until_state '"phase": "paused"'
sleep 0.5
ask "${address}state" | grep '"iteration"' >before
sleep 0.5
ask "${address}state" | grep '"iteration"' >after
check "nothing goes on" cmp before after
check "go on" [ "$(status_of -X POST "${address}resume")" = 200 ]
until_state '"phase": "running"'
rm -f run/checkpoint.bin
check "checkpoint" [ "$(status_of -X POST "${address}checkpoint")" = 200 ]
tries=0
until [ -s run/checkpoint.bin ] || [ $tries -gt 600 ]; do
  sleep 0.1
  tries=$((tries + 1))
done
check "it is written" [ -s run/checkpoint.bin ]

# another process looks at the same run
first=$process first_address=$address first_err=$err
err=$scratch/view_stderr
start view run
until_state '"trajectory": [1-9]'
until_state '"iteration": [1-9]'
check "it can pause a run of another process" [ "$(status_of -X POST "${address}pause")" = 200 ]
check "and let it go on" [ "$(status_of -X POST "${address}resume")" = 200 ]
kill -TERM "$process"
wait "$process"
check "it ends without an error" [ $? = 0 ]
process=$first address=$first_address err=$first_err

check "stop" [ "$(status_of -X POST "${address}stop")" = 200 ]
wait "$process"
check "the run ends well" [ $? = 0 ]
says "stopped from the live view"
check "with a result" grep -q '"exit_status": 0' run/run.json
check "and a report" [ -s run/report.html ]
check "nobody answers any more" [ "$(status_of "$address")" = 000 ]

# a run that has ended
start view run
until_state '"phase": "ended"'
check "its report is there" sh -c "curl -s --noproxy '*' '${address}report' | cmp - run/report.html"
check "no button works" [ "$(status_of -X POST "${address}stop")" = 404 ]
kill -TERM "$process"
wait "$process"

# a scene: bodies are moved, and the file gets the numbers and keeps the rest
if have_python; then
  cat >arm.urdf <<'URDF'
<robot name="arm"><link name="base"/>
<link name="upper"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin xyz="0 0 0.2"/><geometry><box size="0.05 0.05 0.4"/></geometry></collision></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
<limit lower="-2" upper="2" effort="10" velocity="3"/></joint></robot>
URDF
  cat >placed.json <<'SCENE'
{ "time": {"step": 0.01, "steps": 10}, // "bodies": [ {
  "shapes": {"ball": {"type": "sphere", "radius": 0.1}}, /* } */
  "include": ["arm.urdf"],
  "bodies": [ {"name": "b", "shape": "ball", "mass": 1, "position": [1, 0, 0.5] /* m */},
              {"name": "rail", "shape": "ball", "mass": 1, "joint": ["slide", "hinge"], "axis": [1, 0, 0], "position": [2, 0, 0.5]} ] }
SCENE
  cp placed.json first.json
  start view placed.json
  move() { ask -X POST "${address}move?a=$1&b=$2" >state.json; }
  ask "${address}start" >state.json
  parses state.json "the state of a scene"
  holds "sliders for a free body, a joint of each kind and the robot's" state.json \
    '[(s["kind"], s.get("joint")) for s in d["sliders"]] == [("position", None)] * 3 + [("turn", None)] * 3 + [("joint", None)] * 2 + [("joint", "shoulder")]'
  holds "the robot's has the range of its file" state.json '(d["sliders"][8]["low"], d["sliders"][8]["high"]) == (-2, 2)'
  holds "gaps are told" state.json '{frozenset((p["a"], p["b"])) for p in d["probe"]["pairs"]} >= {frozenset(("b", "rail"))}'
  move 8 600000
  holds "a joint moves" state.json 'd["sliders"][8]["value"] == 0.4 and d["message"] == ""'
  move 6 750000
  value=$("$interpreter" -I -S -c 'import json; print(json.load(open("state.json"))["sliders"][6]["value"])')
  move 5 600000
  check "a slider that is not there is refused" [ "$(status_of -X POST "${address}move?a=9&b=0")" = 404 ]
  ask -X POST "${address}save" >state.json
  holds "the file is written" state.json 'd["message"] == "saved" and all(s["value"] == s["given"] for s in d["sliders"])'
  run 0 check placed.json
  sed 's/"arm.urdf"/{"file": "arm.urdf", "joint_position": {"shoulder": 0.4}}/; s/{"name": "rail"/{"joint_position": ['"$value"', 0], "name": "rail"/' first.json >expected.json
  sed 's/{"rotation": \[[^]]*\], "name": "b"/{"name": "b"/' placed.json | cmp -s - expected.json
  check "with these numbers and all else as it was" [ $? = 0 ]
  check "the turn is a quaternion about z" grep -qE '"rotation": \[0\.9510[0-9]*, 0, 0, 0\.309[0-9]*\]' placed.json
  printf '\n' >>placed.json
  move 0 400000
  ask -X POST "${address}save" >state.json
  holds "a file that somebody else has changed is left alone" state.json '"has changed since it was opened" in d["message"]'
  move 0 0
  ask -X POST "${address}reset" >state.json
  holds "reset" state.json 'all(s["value"] == s["given"] for s in d["sliders"])'
  kill -TERM "$process"
  wait "$process"
  check "the view of a scene ends without an error" [ $? = 0 ]
  # a joint of an included file without a name has no slider; it keeps its start when the other one of its body moves
  cat >unnamed.xml <<'MJCF'
<mujoco><worldbody><body name="b"><joint name="a" type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>
<geom size="0.1"/></body></worldbody><keyframe><key name="k" qpos="0.1 0.75"/></keyframe></mujoco>
MJCF
  printf '{"time": {"step": 0.01, "steps": 3}, "include": {"file": "unnamed.xml", "keyframe": "k"}}' >unnamed.json
  start view unnamed.json
  move 0 1000000
  holds "a coordinate without a slider stays" state.json \
    'len(d["sliders"]) == 1 and __import__("struct").unpack("<3f", __import__("base64").b64decode(d["positions"]))[2] == 0.75'
  kill -TERM "$process"
  wait "$process"
  if [ -n "$(command -v chromium)" ] && command -v node >/dev/null 2>&1 && [ -d "$DCSIM_SOURCE/viewer/node_modules/playwright-core" ]; then
    cp "$scenes/billiards.json" shot.json
    start view shot.json
    within 180 node "$DCSIM_SOURCE/viewer/test/placing.mjs" "$(command -v chromium)" "$address" shot.json >looked 2>&1
    check "the page of a scene in a browser: $(grep '^not ok' looked | tr '\n' ' ')" sh -c 'grep -q "^ok nothing complains" looked && ! grep -q "^not ok" looked'
    kill -TERM "$process"
    wait "$process"
  else
    skip "the page of a scene in a browser" "no chromium, node or viewer/node_modules"
  fi
  printf '{"bodies": [{"name": "b", "joint": "fixed"}], "time": {"step": 0.1, "steps": 1}}' >still.json
  run 2 view still.json
  says "there is nothing to place"
fi
run 2 view
says "view: missing RUN|SCENE"
run 2 view run --set time.steps=3
says "go with a scene's file"
run 3 view nowhere
run 2 optimize "$scenes/two_balls.json" -o none --view --port 99999
says "--port: must be a whole number from 0 to 65535"
finish
