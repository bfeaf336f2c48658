#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Memory and time: what a run needs is told before it begins, and what does not fit is refused; a simulation that is
# stopped keeps what it has computed.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
scenes=$DCSIM_SOURCE/scenes

# memory
run 0 check "$scenes/push.json"
check "check tells the memory" grep -qE '^  memory for a run: about [0-9.]+ MB to simulate, [0-9.]+ MB to optimize$' "$out"
run 0 check "$scenes/push.json" --json
holds "so does its JSON" "$out" 'd["memory"]["simulate"] > 1e5 and d["memory"]["optimize"] > 1e5 and d["memory"]["limit"] > 1e6
  and d["memory"]["limited_by"]'
# refused COMMAND...: in a second of processor time and 256 MB of address space more than the program's own libraries
# take
refused() {
  sh -c 'ulimit -t 2; ulimit -d 256000; exec "$@"' sh "$dcsim" "$@" >"$out" 2>"$err"
  status=$?
  check "$* exits with 6 (is $status)" [ $status -eq 6 ]
  says "push.json:17:11: time: 10000000 steps of 3 bodies (3 pairs) need about "
  check "and the limit" grep -qE 'more than the [0-9.]+ [MG]B that (RLIMIT_DATA leaves|memory.max allows)$' "$err"
}
for command in simulate optimize check; do
  case $command in
    simulate | optimize) set -- -o big ;;
    *) set -- ;;
  esac
  refused $command "$scenes/push.json" --set time.steps=10000000 "$@"
done
check "nothing was created" [ ! -e big ]

# the time limit, and a signal
long="--set time.steps=50000 --no-report"
run 0 simulate "$scenes/push.json" $long -o limited --max-time 1 --json
says "stopped: --max-time 1 s has passed; the results so far are kept"
holds "it went some of the way" "$out" '0 < d["steps"] < 50000 and d["seconds"] < 60'
holds "run.json says that it was stopped" limited/run.json 'd["stopped"] and d["exit_status"] == 0 and d["result"]["steps"] > 0'
run 0 export limited --format csv
holds "and all its frames are there" limited/run.json "d[\"result\"][\"steps\"] == $(($(wc -l <limited/export/trajectory.csv) - 2))"
sh -c 'echo $$ >"$0"; exec "$@"' "$scratch/pid" "$dcsim" simulate "$scenes/push.json" $long -o signalled >"$out" 2>"$err" &
tries=0
until [ -d signalled ] || [ $tries -gt 6000 ]; do
  sleep 0.1
  tries=$((tries + 1))
done
sleep 0.2
kill -TERM "$(cat "$scratch/pid")"
wait $!
status=$?
check "a signal stops a simulation: 143 (is $status)" [ $status -eq 143 ]
holds "run.json says so" signalled/run.json 'd["stopped"] and d["exit_status"] == 143 and 0 < d["result"]["steps"] < 50000'
check "the frames are there" [ -s signalled/trajectory.h5 ]
# the first steps are those of a run that is not stopped
run 0 simulate "$scenes/push.json" --set time.steps=20 --no-report -o short
run 0 export short --format csv
rows=$(wc -l <limited/export/trajectory.csv)  # a busy machine gets a few steps far
[ "$rows" -lt 20 ] || rows=20
head -n "$rows" short/export/trajectory.csv >first
head -n "$rows" limited/export/trajectory.csv >same
check "stopped or not, frames are the same" cmp first same

# frames of a long simulation are no burden on the memory
cat >four.json <<'END'
{"time": {"step": 0.001, "steps": 100000}, "gravity": [0, 0, 0], "contact": {"model": "ipc"},
 "shapes": {"ball": {"type": "sphere", "radius": 0.1, "level": 0}},
 "bodies": [{"name": "a", "shape": "ball", "velocity": [0.01, 0, 0]},
            {"name": "b", "shape": "ball", "position": [1, 0, 0], "velocity": [0, 0.01, 0]},
            {"name": "c", "shape": "ball", "position": [0, 1, 0], "angular_velocity": [0.1, 0.2, 0]},
            {"name": "d", "shape": "ball", "position": [0, 0, 1], "velocity": [0, 0, 0.01]}]}
END
# peak ARGUMENT...: the largest resident memory of a run of dcsim, in MB
peak() {
  python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)' "$dcsim" "$@"
}
short=$(peak simulate four.json --set time.steps=1000 -o few)
long=$(peak simulate four.json -o many)
check "100000 steps of 4 bodies take at most 80 MB more than 1000 ($long and $short MB)" [ "$long" -le $((short + 80)) ]
run 0 export few --format csv
run 0 export many --format csv
head -n 1000 few/export/trajectory.csv >first
head -n 1000 many/export/trajectory.csv >same
check "frames kept in a file are the same" cmp first same
check "all of them are there" [ "$(wc -l <many/export/trajectory.csv)" -eq 100002 ]
run 0 simulate four.json -o many-limited --max-time 0.3 --json --no-report
holds "the time limit holds for them too" "$out" '0 < d["steps"] < 100000'
run 0 export many-limited --format csv
rows=$(wc -l <many-limited/export/trajectory.csv)
holds "as many frames as steps" many-limited/run.json "d[\"result\"][\"steps\"] == $((rows - 2))"
head -n "$rows" many/export/trajectory.csv | cmp -s - many-limited/export/trajectory.csv
check "a prefix of the whole" [ $? -eq 0 ]
check "no temporary file stays" [ -z "$(ls -A many few many-limited | grep '^\.tmp')" ]
python3 -c 'import json
scene = json.load(open("four.json"))
scene["bodies"] += [{"name": f"e{i}", "shape": "ball", "position": [i, 2, 2]} for i in range(4)]
json.dump(scene, open("eight.json", "w"))'
run 6 simulate eight.json --set time.steps=10000000 -o large
says "trajectory.h5 of 10000000 steps of 8 bodies may take "
check "which nothing was made for" [ ! -e large ]
(ulimit -f 1000 && exec "$dcsim" simulate four.json -o full) >"$out" 2>"$err"
status=$?
check "a file for frames that cannot be had: 5 (is $status)" [ $status -eq 5 ]
says "full: cannot take "

run 0 simulate "$scenes/push.json" --set time.steps=2 --no-report -o done --max-time 1000
holds "a run that is done was not stopped" done/run.json 'not d["stopped"]'
finish
