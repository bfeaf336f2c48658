#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sweeps: the table is the same whatever order, tasks and interruptions; failures are rows; bad studies create nothing.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
disk=$folder/disk
mkdir "$disk"
trap 'umount "$disk" 2>/dev/null; cleanup' EXIT

. "$DCSIM_SOURCE/tests/cli/ball_scene.sh"
# Point 5 of 8 overlaps the ground: its scene opens, its run fails.
cat >study.json <<'STUDY'
{ "scene": "ball.json",  // every value of --set
  "vary": { "bodies.ball.position[2]": [1, 0.9, 0.01, 1.1], "bodies.ball.mass": { "uniform": [0.1, 0.2] }, "seed": { "count": 2 } } }
STUDY
without_times() { sed 's/,[^,]*$//' "$1/sweep.csv"; }
same() { # DIRECTORY WHAT
  without_times straight >expected
  without_times "$1" >found
  check "$2: the same table" cmp expected found
  sed -n 's/.*"point": \([0-9]*\),.*/\1/p' "$1"/journal*.jsonl | sort | uniq -d >doubled
  check "$2: no point twice" [ ! -s doubled ]
}
run 0 sweep study.json -o straight -j 2 --json
parses "$out" "the result"
holds "two points failed" "$out" 'd["points"] == d["done"] == 8 and d["failed"] == 2'
check "a failure is a row with status and message" grep -qE '^4,0.01,0.1[0-9]*,0,0,,,.*,3,".*overlap at the start' straight/sweep.csv
check "a table of 8 rows" [ "$(wc -l <straight/sweep.csv)" -eq 9 ]
check "times are the last column" grep -q '^point,.*,message,seconds$' straight/sweep.csv
check "a run directory for each" [ -s straight/points/000000/trajectory.h5 ]
check "HDF5" [ -s straight/sweep.h5 ]
check "a page that needs nothing from outside" sh -c 'grep -q "Content-Security-Policy" straight/sweep.html && ! grep -qE "(src|href)=.https?:" straight/sweep.html'

# Runs that are certified.
cat >certified.json <<'STUDY'
{ "scene": "ball.json", "verify": true,
  "vary": { "bodies.ball.position[2]": [1, 0.01], "certify.half_step": [false, true], "objective.0.tolerance": [1.5, 0.01] } }
STUDY
run 0 sweep certified.json -o certified -j 2 --json
holds "what does not hold is no failure" "$out" 'd["done"] == 8 and d["failed"] == 4'
cat >verdicts.py <<'PY'
import csv
rows = list(csv.DictReader(open("certified/sweep.csv")))
assert list(rows[0])[-10:] == ["holds", "scene", "tenth_stiffness", "hundredth_stiffness", "half_step", "exact", "ipc", "mujoco", "message", "seconds"]
for row in rows:
    if row["status"] != "0":
        assert row["holds"] == row["half_step"] == ""
    else:
        reached = row["objective.0.tolerance"] == "1.5"
        assert row["success"] == row["scene"] == row["half_step"] == str(int(reached)), row
        assert row["holds"] == str(int(reached or row["certify.half_step"] == "false")), row
PY
if have_python; then
  check "verdicts are columns" python3 verdicts.py
else
  skip "verdicts are columns" "no python3"
fi
check "each has its certificate" [ "$(ls certified/points/*/certificate.json | wc -l)" -eq 4 ]
sed 's/,[^,]*$//' certified/sweep.csv >verdicts.csv
rm -r certified/journal* certified/sweep.* certified/points/000001/certificate.json
run 0 sweep certified.json -o certified -j 1 --quiet
check "a missing certificate is made up for" [ -s certified/points/000001/certificate.json ]
check "and nothing else changes" sh -c 'sed "s/,[^,]*$//" certified/sweep.csv | cmp - verdicts.csv'
run 0 sweep study.json -o straight --json
holds "nothing is done twice" "$out" 'd["done"] == 8'
cp -r straight again
run 0 sweep study.json -o again --retry --quiet
check "failures are tried again" [ "$(grep -c '"point"' again/journal.jsonl)" -eq 10 ]
without_times straight >expected
without_times again >found
check "and fail again" cmp expected found

# A damaged journal gives the same table, since what is damaged is run again, or is refused; never another table.
cat >damage.py <<'PY'
import random, shutil, subprocess, sys
dcsim, scene_rows = sys.argv[1], [line.rsplit(",", 1)[0] for line in open("straight/sweep.csv")]
draw = random.Random(7)
for case in range(12):
    shutil.rmtree("damaged", ignore_errors=True)
    shutil.copytree("straight", "damaged")
    text = bytearray(open("damaged/journal.jsonl", "rb").read())
    for _ in range(draw.randint(1, 3)):
        at = draw.randrange(len(text))
        kind = draw.randrange(3)
        if kind == 0:
            text[at] ^= 1 << draw.randrange(7)
        elif kind == 1:
            del text[at : at + draw.randint(1, 40)]
        else:
            text[at:at] = text[draw.randrange(len(text)) :][: draw.randint(1, 40)]
    open("damaged/journal.jsonl", "wb").write(text)
    ended = subprocess.run([dcsim, "sweep", "study.json", "-o", "damaged", "--quiet"], capture_output=True)
    rows = [line.rsplit(",", 1)[0] for line in open("damaged/sweep.csv")]
    assert ended.returncode in (0, 7), (case, ended)
    assert ended.returncode == 7 or rows == scene_rows, (case, rows)
PY
if have_python; then
  check "a damaged journal never gives another table" python3 damage.py "$dcsim"
else
  skip "a damaged journal never gives another table" "no python3"
fi

# tasks of an array
for task in 1 2 3; do run 0 sweep study.json -o tasks --task $task/3 --quiet; done
run 0 sweep study.json -o tasks --gather --quiet
same tasks "an array of three tasks"
run 0 sweep study.json -o zero --task 0/2 --quiet
run 9 sweep study.json -o zero --gather
says "4 of 8 points are done"
check "the table has what there is" [ "$(wc -l <zero/sweep.csv)" -eq 5 ]
run 0 sweep study.json -o zero --quiet
same zero "the rest without tasks"

# ends before the limit, and goes on
cat >slow.json <<'STUDY'
{ "scene": "ball.json", "set": { "time.steps": 400, "optimizer.iterations": 100000, "objective[0].target": [90000, 0, 1] },
  "vary": { "bodies.ball.mass": [0.1, 0.2, 0.3] } }
STUDY
for limit in 2 20 200; do # however long it takes here until a run has begun
  run 9 sweep slow.json -o slow --max-time $limit --quiet -j 1
  [ ! -s slow/points/000000/checkpoint.bin ] || break
done
check "a checkpoint is there" [ -s slow/points/000000/checkpoint.bin ]
run 2 sweep slow.json -o slow --task 3/2
run 2 sweep slow.json
run 2 sweep slow.json -o slow --gather --retry

# killed at random moments
moment=3
killed() { # SIGNAL DIRECTORY
  kills=0
  for _ in 1 2 3 4 5 6; do
    "$dcsim" sweep study.json -o "$2" -j 2 --quiet >/dev/null 2>"$err" &
    pid=$!
    moment=$((moment * 7 % 31))
    sleep "0.$(printf %02d $((moment * 3 % 60 + 5)))"
    kill -s "$1" "$pid" 2>/dev/null && kills=$((kills + 1))
    wait "$pid" 2>/dev/null
  done
  echo "# $kills kills by $1"
  run 0 sweep study.json -o "$2" --quiet
  same "$2" "kills by $1"
}
killed KILL killed
killed TERM stopped

# one of its runs is killed: it is started again
cat >one.json <<'STUDY'
{ "scene": "ball.json", "set": { "time.steps": 300, "optimizer.iterations": 20, "objective[0].target": [9, 0, 1] }, "vary": { "seed": { "count": 2 } } }
STUDY
run 0 sweep one.json -o undisturbed --quiet -j 1
"$dcsim" sweep one.json -o disturbed -j 1 --quiet >/dev/null 2>"$err" &
pid=$!
tries=0
until [ -s disturbed/points/000000/loss.csv ] || [ $tries -gt 30000 ]; do sleep 0.01; tries=$((tries + 1)); done
child=$(ps -o pid= --ppid "$pid" 2>/dev/null | head -n 1)
# shellcheck disable=SC2086
[ -n "$child" ] && kill -KILL $child
status=0
wait "$pid" || status=$?
check "a run was killed, the sweep ends well" [ "$status" -eq 0 ]
sed 's/,[^,]*$//' undisturbed/sweep.csv >expected
sed 's/,[^,]*$//' disturbed/sweep.csv >found
check "with the same table" cmp expected found

# what is kept
sed 's/"scene"/"keep": "results", "scene"/' study.json >results.json
sed 's/"scene"/"keep": "failures", "scene"/' study.json >failures.json
run 0 sweep results.json -o results --quiet
check "only results are kept" [ -z "$(ls results/points)" ]
same results "only results are kept"
mkdir results/points/000002 && echo left >results/points/000002/run.json
run 0 sweep results.json -o results --quiet
check "what a killed sweep did not come to remove" [ -z "$(ls results/points)" ]
same results "and the table is the same"
run 0 sweep failures.json -o failures --quiet
same failures "only failures are kept"

# a full disk
if [ "$(getconf PAGESIZE)" -eq 4096 ] && mount -t tmpfs -o size=300k none "$disk" 2>/dev/null; then
  sed 's/"scene"/"keep": "results", "scene"/' study.json >small.json
  head -c 280000 /dev/zero >disk/filler
  run 5 sweep small.json -o disk/out
  says "No space left on device"
  rm disk/filler
  mount -o remount,size=8m "$disk"
  run 0 sweep small.json -o disk/out --quiet
  same disk/out "after a full disk"
  umount "$disk"
else
  skip "a full disk" "no tmpfs with pages of 4 kB can be mounted here"
fi
# the directory vanishes, which a run sees when it writes what it came to
sed 's/100000/300/' slow.json >short.json
"$dcsim" sweep short.json -o vanishing -j 1 --quiet >/dev/null 2>"$err" &
pid=$!
tries=0
until [ -s vanishing/points/000000/loss.csv ] || [ $tries -gt 30000 ]; do sleep 0.01; tries=$((tries + 1)); done
mv vanishing away
status=0
wait "$pid" || status=$?
check "a directory that vanishes: status 5 (is $status)" [ "$status" -eq 5 ]

# another study, scene or writer
run 7 sweep results.json -o straight
says "holds the points of a sweep with another study"
sed 's/"mass": 0.1/"mass": 0.3/' ball.json >changed && cp ball.json kept && cp changed ball.json
sed -i 's/"name": "ball", "time"/"name": "round", "time"/' ball.json
run 7 sweep study.json -o straight
says "holds the points of a sweep with another scene"
cp kept ball.json
if command -v flock >/dev/null 2>&1; then
  run_locked() { flock straight/.lock "$dcsim" sweep study.json -o straight >"$out" 2>"$err"; }
  status=0
  run_locked || status=$?
  check "a second sweep is kept out" [ "$status" -eq 5 ]
  says "another sweep is being run in this directory"
else
  skip "a second sweep is kept out" "no flock"
fi

# hostile studies: nothing is created
refused() { # TEXT MESSAGE
  printf '%s' "$1" >bad.json
  run 3 sweep bad.json -o bad
  says "$2"
  check "nothing is created" [ ! -e bad ]
}
refused '{"scene":"ball.json","vary":{"bodies.ball.mass":[0.1,-1,-2]}}' 'point 1 (bodies.ball.mass=-1): '
refused '{"scene":"ball.json","vari":{}}' 'bad.json:1:22: vari: unknown key'
refused '{"scene":"ball.json","vary":{"bodies.ball.mas":[1]}}' 'did you mean "mass"?'
refused '{"scene":"ball.json","vary":{"bodies.ball.mass":{"unifrom":[1,2]}}}' 'did you mean "uniform"?'
refused '{"scene":"ball.json","vary":{"bodies.ball.mass":{"uniform":[2,1]}}}' 'low must be below high'
refused '{"scene":"ball.json","vary":{"bodies.ball.mass":{"log_uniform":[0,1]}}}' 'must be > 0'
refused '{"scene":"ball.json","vary":{"bodies.ball.mass":[]}}' 'must not be empty'
refused '{"scene":"ball.json","vary":{"bodies.ball.mass":{"count":3,"uniform":[1,2]}}}' '"count" does not go with'
refused '{"scene":"ball.json","vary":{"seed":{"count":1000000},"model":["bsh","exact"]}}' 'more than 1000000 points'
refused '{"scene":"ball.json","vary":{"seed":[-1]}}' 'seed: must be a whole number'
refused '{"scene":"ball.json","sampling":"zip","vary":{"seed":[1,2],"model":["bsh"]}}' 'all lists must be equally long'
refused '{"scene":"none.json"}' 'none.json'
refused '{"vary":{}}' 'missing key "scene"'
refused '[1]' 'must be an object'
refused '{"scene":"ball.json","vary":{"=":[1]}}' 'point 0'
refused '{"scene":"ball.json",' 'bad.json:1:'
printf 'bodies.ball.mass,seed\n0.1,1\n0.2\n' >points.csv
refused '{"scene":"ball.json","points":"points.csv"}' 'points.csv:3: has 1 fields, the first line 2'
printf 'seed\n"1\n' >points.csv
refused '{"scene":"ball.json","points":"points.csv"}' 'a quoted field does not end'
printf '\n' >points.csv
refused '{"scene":"ball.json","points":"points.csv"}' 'a column has no name'
printf 'seed\n1\n' >points.csv
refused '{"scene":"ball.json","points":"points.csv","vary":{"seed":[1]}}' '"seed" varies twice'
printf 'bodies.ball.mass,model\r\n0.1,bsh\r\n\r\n0.2,"exact"\r\n' >points.csv
printf '{"scene":"ball.json","points":"points.csv","run":"simulate"}' >csv.json
run 0 sweep csv.json -o csv --quiet
check "points of a file" grep -q '^1,0.2,exact,' csv/sweep.csv

# A sweep writes over nothing of others.
mkdir others && cd others || exit 99
cp "$DCSIM_SOURCE/scenes/two_balls.json" scene.json
echo '{"scene": "scene.json", "run": "simulate", "set": {"time.steps": 2}, "vary": {"seed": [1, 2]}}' >study.json
sed 's/1, 2/1, 3/' study.json >other.json
mkdir -p notes/points/000000 tables
echo mine >notes/points/000000/mine
echo mine >tables/sweep.csv
run 5 sweep study.json -o notes --quiet
says 'holds mine, which is no part of a run'
run 5 sweep study.json -o tables --quiet
says 'sweep.csv: exists, and there is no journal that it would belong to'
run 5 sweep other.json -o . --quiet
says 'study.json: exists, and there is no journal'
check "all of it is there" grep -q mine notes/points/000000/mine tables/sweep.csv
check "also the study" grep -q '1, 2' study.json
run 0 sweep study.json -o . --quiet
rm journal.jsonl
run 0 sweep study.json -o . --quiet
check "without its journal a study is run again" [ "$(wc -l <journal.jsonl)" = 3 ]
finish
