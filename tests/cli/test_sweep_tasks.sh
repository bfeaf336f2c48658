#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sweeps of `bench tasks`: a point is a drawn case, its row has what the benchmark's own row has.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

study() { # FILE MEMBERS: two methods, two cases, too short to be solved
  cat >"$1" <<STUDY
{ "scene": "$DCSIM_SOURCE/scenes/push.json", "run": "bench tasks", $2
  "set": { "time.steps": 3, "horizon.length": 4, "horizon.iterations": 2 },
  "vary": { "method": ["scene", "gauss_newton"], "seed": { "count": 2, "from": 5 } } }
STUDY
}
study cases.json '"max_time": 50,'
run 0 sweep cases.json -o straight -j 2 --json
holds "all cases end" "$out" 'd["points"] == d["done"] == 4 and d["failed"] == 0'
run 0 bench tasks --task push --scenes "$DCSIM_SOURCE/scenes" --threads 1 --draws 1 --seed 6 --method gauss_newton \
  --set time.steps=3 --set horizon.length=4 --set horizon.iterations=2 --json
cp "$out" row.json
cat >compare.py <<'PY'
import csv, json
row = list(csv.DictReader(open("straight/sweep.csv")))[3]
case = json.load(open("row.json"))["cases"][0]
assert row["method"] == "gauss_newton" and row["seed"] == "6", row
for key in ("success", "loss", "iterations", "rollouts", "status"):
    assert float(row[key]) == float(case[key]), (key, row, case)
assert float(row["rollouts"]) > 1 and float(row["seconds"]) > 0
PY
if have_python; then
  check "a row says what the benchmark says" python3 compare.py
else
  skip "a row says what the benchmark says" "no python3"
fi
check "a case leaves its run" [ -s straight/points/000003/trajectory.h5 ]
run 0 verify straight/points/000003

# killed at random moments: nothing is lost or done twice
for pause in 0.15 0.25 0.35; do
  "$dcsim" sweep cases.json -o killed -j 1 --quiet >/dev/null 2>"$err" &
  pid=$!
  sleep $pause
  kill -KILL $pid 2>/dev/null
  wait $pid 2>/dev/null
done
cp -r straight lost
rm lost/journal.jsonl lost/sweep.csv # all runs have ended, no line says so
touch stamp
for directory in killed lost; do
  run 0 sweep cases.json -o $directory -j 2 --quiet
  sed 's/,[^,]*$//' straight/sweep.csv >expected
  sed 's/,[^,]*$//' $directory/sweep.csv >found
  check "$directory: the same table" cmp expected found
  sed -n 's/.*"point": \([0-9]*\),.*/\1/p' $directory/journal.jsonl | sort | uniq -d >doubled
  check "$directory: no point twice" [ ! -s doubled ]
done
check "runs that have ended are taken as they are" [ -z "$(find lost/points -name trajectory.h5 -newer stamp)" ]

# the limit is of processor time, looked at every 50 ms at least; what was reached by then counts
study brief.json '"max_time": 1e-6,'
sed -i 's/"time.steps": 3/"time.steps": 200/; s/"horizon.iterations": 2/"horizon.iterations": 100/' brief.json
run 0 sweep brief.json -o brief --quiet
check "a case that runs out of time is a row" grep -q '^0,scene,5,0,.*,1,0,,' brief/sweep.csv

# what cannot be drawn is named before anything runs
refused() { # TEXT MESSAGE
  printf '{"run":"bench tasks",%s}' "$1" >bad.json
  run 3 sweep bad.json -o bad
  says "$2"
  check "nothing is created" [ ! -e bad ]
}
scenes=\"scene\":\"$DCSIM_SOURCE/scenes
refused "$scenes/push.json\",\"vary\":{\"method\":[\"scene\",\"gaus\"]}" 'point 1 (method="gaus"): --method: must be one of'
refused "$scenes/spin.json\"" 'point 0 (no values): --task: must be one of'
refused "$scenes/push.json\",\"vary\":{\"horizon.lengt\":[1]}" 'did you mean "length"?'
refused "$scenes/push.json\",\"vary\":{\"model\":[\"bsh\"]}" 'model'
refused "$scenes/push.json\",\"allow_path\":[\".\"]" 'do not go with bench tasks'
run 2 bench tasks --task push --run DIR --draws 2
run 2 bench tasks --task push --run DIR -o rows
finish
