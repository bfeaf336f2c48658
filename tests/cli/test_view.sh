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
run 2 view
says "view: missing RUN"
run 3 view nowhere
run 2 optimize "$scenes/two_balls.json" -o none --view --port 99999
says "--port: must be a whole number from 0 to 65535"
finish
