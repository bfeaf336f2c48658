#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checkpoints: an interrupted run that is resumed gives the bits of one that was not.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

cat >tetrahedron.obj <<'MESH'
v 0.1 0.1 0.1
v 0.1 -0.1 -0.1
v -0.1 0.1 -0.1
v -0.1 -0.1 0.1
f 1 2 3
f 1 4 2
f 1 3 4
f 2 4 3
MESH
cat >scene.json <<'SCENE'
{
  "name": "pair",
  "time": { "step": 0.02, "steps": 6 },
  "contact": { "stiffness": 1e-5 },
  "shapes": { "ball": { "type": "sphere", "radius": 0.1, "level": 1, "base": "octahedron" }, "ground": { "type": "plane" },
              "stone": { "type": "mesh", "file": "tetrahedron.obj" } },
  "bodies": [
    { "name": "ground", "joint": "fixed", "shape": "ground" },
    { "name": "cue", "shape": "ball", "mass": 0.1, "position": [-0.3, 0, 0.2], "velocity": [2, 0, 0] },
    { "name": "eight", "shape": "stone", "mass": 0.1, "position": [0, 0.02, 0.2] }
  ],
  "control": [{ "type": "initial_state", "body": "cue", "position": "y", "velocity": "xy" }],
  "objective": [{ "type": "reach", "body": "eight", "target": [0.5, 0.2, 0.15], "tolerance": 0.01 }],
  "optimizer": { "type": "adam", "learning_rate": 0.05, "iterations": 60 }
}
SCENE

# A rod on actuators pushes a box over the ground, window after window: friction, warm starts and the state of the
# target.
cat >push.json <<'SCENE'
{
  "name": "push",
  "time": { "step": 0.04, "steps": 7 },
  "contact": { "stiffness": 1e-4, "friction": 0.6 },
  "shapes": { "box": { "type": "box", "size": [0.5, 0.5, 0.5] }, "rod": { "type": "box", "size": [0.1, 0.6, 0.1] },
              "ground": { "type": "plane" } },
  "bodies": [
    { "name": "ground", "joint": "fixed", "shape": "ground" },
    { "name": "box", "shape": "box", "mass": 2.5, "position": [-0.4, 0, 0.255] },
    { "name": "rod", "shape": "rod", "mass": 1, "position": [0, 0.1, 0.25], "pd": { "kp": 1000, "kd": 10 } }
  ],
  "control": [{ "type": "pd_velocity", "body": "rod", "coordinates": "x y z rz", "low": [-2, -1, -0.05, -1], "high": [2, 1, 0.05, 1] }],
  "objective": [{ "type": "reach", "body": "box", "target": [-2, 0, 0.255], "axes": "xy", "tolerance": 0.1, "when": "every" }],
  "optimizer": { "type": "adam", "learning_rate": 0.02, "betas": [0.3, 0.5], "shared": true },
  "horizon": { "length": 5, "iterations": 4 }
}
SCENE

# without_times FILE: progress.jsonl without what differs from run to run
without_times() { sed 's/"seconds": [^,]*,//' "$1"; }
same() { # DIRECTORY WHAT [STRAIGHT]
  whole=${3:-straight}
  check "$2: the same losses" cmp "$whole/loss.csv" "$1/loss.csv"
  check "$2: the same trajectories" cmp "$whole/trajectory.h5" "$1/trajectory.h5"
  without_times "$whole/progress.jsonl" >"$scratch/straight"
  without_times "$1/progress.jsonl" >"$scratch/other"
  check "$2: the same parameters" cmp "$scratch/straight" "$scratch/other"
  check "$2: nothing left behind" [ -z "$(ls -A "$1" | grep -vxE '(scene|resolved|run)\.json|loss.csv|progress.jsonl|run.glb|report.html|trajectory.h5|checkpoint.bin|meshes')" ]
}
rows_of() { [ -s "$1/loss.csv" ] && wc -l <"$1/loss.csv" || echo 0; }
# until_rows DIRECTORY ROWS: waits for them
until_rows() {
  tries=0
  until [ "$(rows_of "$1")" -gt "$2" ] || [ $tries -gt 3000 ]; do
    sleep 0.02
    tries=$((tries + 1))
  done
}

run 0 optimize scene.json -o straight --quiet
check "a run ends with a checkpoint" [ -s straight/checkpoint.bin ]

# stopped by a time limit, again and again
run 0 optimize scene.json -o limited --max-time 0.003 --checkpoint 1000
says "to go on: dcsim optimize --resume limited"
tries=0
while [ "$(rows_of limited)" -le 60 ] && [ $tries -lt 60 ]; do
  within 60 "$dcsim" optimize --resume limited --max-time 0.02 --quiet >"$out" 2>"$err" || break
  tries=$((tries + 1))
done
run 0 optimize --resume limited
same limited "stopped $tries times"

# killed at some row or other, resumed with more or fewer threads
for rows in 2 9 25 50; do
  "$dcsim" optimize scene.json -o killed$rows --checkpoint 0 --threads 2 >"$out" 2>"$err" &
  pid=$!
  until_rows killed$rows $rows
  kill -KILL $pid 2>/dev/null
  wait $pid 2>/dev/null
  check "a checkpoint is there" [ -s killed$rows/checkpoint.bin ]
  run 0 optimize --resume killed$rows --threads 1
  same killed$rows "killed after $rows rows"
done

# killed before any other checkpoint than the one that a run begins with
"$dcsim" optimize scene.json -o early --checkpoint 1e9 >"$out" 2>"$err" &
pid=$!
until_rows early 5
kill -KILL $pid 2>/dev/null
wait $pid 2>/dev/null
run 0 optimize --resume early
same early "killed before the first checkpoint"

# windows: stopped by a time limit in the middle of them or between them, with other numbers of threads
run 0 optimize push.json -o windows --quiet --threads 1
check "seven steps and the start" [ "$(rows_of windows)" -eq 9 ]
for limit in 0.0005 0.001 0.004; do
  run 0 optimize push.json -o "limited$limit" --max-time "$limit" --checkpoint 1000 --threads 2
  check "it was stopped ($limit s)" [ "$(rows_of "limited$limit")" -lt 9 ]
  tries=0
  while [ "$(rows_of "limited$limit")" -lt 9 ] && [ $tries -lt 60 ]; do
    within 60 "$dcsim" optimize --resume "limited$limit" --max-time "$limit" --quiet --threads $((1 + tries % 3)) \
      >"$out" 2>"$err" || break
    tries=$((tries + 1))
  done
  run 0 optimize --resume "limited$limit"
  same "limited$limit" "windows, stopped $tries times" windows
done
# and killed, at some row or in the middle of the window after it
for rows in 1 3 6; do
  for wait in 0 0.03; do
    name=window$rows-$wait
    "$dcsim" optimize push.json -o "$name" --checkpoint 0 --threads 1 >"$out" 2>"$err" &
    pid=$!
    until_rows "$name" "$rows"
    sleep $wait
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    run 0 optimize --resume "$name" --threads 2
    same "$name" "windows, killed after $rows rows and $wait s" windows
  done
done

# perturbations and draws go on where they were
set -- --gradient bundle --set gradient.samples=2 --set gradient.sigma=0.01 --set init.draws=2 --set init.sigma=0.1 --set init.threshold=1e6
for kind in scene push; do
  run 0 optimize $kind.json -o bundle-$kind "$@" --set optimizer.iterations=5 --set time.steps=3 --threads 1
  run 0 optimize $kind.json -o limited-$kind "$@" --set optimizer.iterations=5 --set time.steps=3 --threads 2 --max-time 0.001 --checkpoint 1000
  check "it was stopped" [ "$(rows_of limited-$kind)" -lt "$(rows_of bundle-$kind)" ]
  tries=0
  while [ "$(rows_of limited-$kind)" -lt "$(rows_of bundle-$kind)" ] && [ $tries -lt 30 ]; do
    within 60 "$dcsim" optimize --resume limited-$kind --max-time 0.001 --quiet --threads $((1 + tries % 2)) >"$out" 2>"$err" || break
    tries=$((tries + 1))
  done
  run 0 optimize --resume limited-$kind
  same limited-$kind "bundle, stopped $tries times" bundle-$kind
done

# other optimizers: what they remember is in the checkpoint, or follows from the log of evaluations in it
for optimizer in '{"type":"lbfgs","iterations":25}' '{"type":"gauss_newton","iterations":8,"target":1e-9}' \
  '{"type":"cem","iterations":8,"samples":8}' '{"type":"mppi","iterations":8,"samples":8}' \
  '{"type":"adam","iterations":25,"polish":5,"learning_rate":0.05}' '{"type":"nlopt","iterations":25}' \
  '{"type":"nlopt","method":"LD_SLSQP","iterations":25}' '{"type":"nlopt","method":"LN_SBPLX","iterations":25}'; do
  continuation=3
  case $optimizer in *adam* | *gauss*) continuation=4 ;; esac
  case $optimizer in *nlopt*) built_with NLopt || continue ;; esac
  rm -rf whole parts
  run 0 optimize scene.json -o whole --quiet --threads 1 --set "optimizer=$optimizer" --set continuation.iterations=$continuation
  run 0 optimize scene.json -o parts --max-time 0.001 --checkpoint 1000 --threads 2 --set "optimizer=$optimizer" --set continuation.iterations=$continuation
  check "it was stopped" [ "$(rows_of parts)" -lt "$(rows_of whole)" ]
  tries=0
  while [ "$(rows_of parts)" -lt "$(rows_of whole)" ] && [ $tries -lt 40 ]; do
    within 60 "$dcsim" optimize --resume parts --max-time 0.001 --quiet --threads $((1 + tries % 2)) >"$out" 2>"$err" || break
    tries=$((tries + 1))
  done
  run 0 optimize --resume parts
  same parts "$optimizer, stopped $tries times" whole
done

# a search: stages with longer steps, draws, members that take turns, some of which have come to their end
search() { # ARGUMENTS...
  within 120 "$dcsim" optimize scene.json --quiet --set 'portfolio={"rollouts":160,"draws":20,"candidates":3,"iterations":3}' \
    --set 'continuation={"stiffness":4,"stages":2,"step":2}' --set 'objective[0].tolerance=1e-5' "$@" >"$out" 2>"$err"
}
rm -rf whole parts
search -o whole --threads 1
for phase in 1.guess 1.draw 1.refine 2.guess 3.guess; do
  check "the search has a turn $phase" grep -q ",$phase\$" whole/loss.csv
done
search -o parts --max-time 0.001 --checkpoint 1000 --threads 2
check "it was stopped" [ "$(rows_of parts)" -lt "$(rows_of whole)" ]
tries=0
while [ "$(rows_of parts)" -lt "$(rows_of whole)" ] && [ $tries -lt 60 ]; do
  within 60 "$dcsim" optimize --resume parts --max-time 0.001 --quiet --threads $((1 + tries % 2)) >"$out" 2>"$err" || break
  tries=$((tries + 1))
done
run 0 optimize --resume parts
same parts "search, stopped $tries times" whole

for section in continuation.stiffness=3 portfolio.draws=10; do
  run 3 optimize push.json -o none --set $section
  says "cannot be combined with a receding horizon"
done
run 3 optimize scene.json -o none --set 'continuation={"step":4}'
says "continuation.step: must divide the number of time steps, 6 (is 4)"
run 3 optimize scene.json -o none --set 'continuation={"step":3}'
says "continuation.step: must be a power of two (is 3)"

# SIGUSR1 writes one and goes on
"$dcsim" optimize scene.json -o asked --checkpoint 1e9 --set optimizer.iterations=1000000 >"$out" 2>"$err" &
pid=$!
until_rows asked 3
# a checkpoint that replaces another is another file; one that is kept open keeps its number
exec 3<asked/checkpoint.bin
file_of() { ls -i "$1" | cut -d ' ' -f 1; }
first=$(file_of asked/checkpoint.bin)
sleep 0.1
check "that of the beginning only" [ "$(file_of asked/checkpoint.bin)" = "$first" ]
kill -USR1 $pid
tries=0
until [ "$(file_of asked/checkpoint.bin)" != "$first" ] || [ $tries -gt 6000 ]; do sleep 0.02; tries=$((tries + 1)); done
exec 3<&-
check "SIGUSR1 writes a checkpoint" [ "$(file_of asked/checkpoint.bin)" != "$first" ]
says "SIGUSR1: writing a checkpoint after this iteration"
rows=$(rows_of asked)
until_rows asked "$rows"
run 5 optimize --resume asked
says "asked/.lock: another run is being written to this directory"
kill -KILL $pid
wait $pid 2>/dev/null
check "and goes on" [ "$(rows_of asked)" -gt "$rows" ]
run 0 optimize --resume asked --max-time 0.05 --quiet

# with the scene given again, moved, and with more iterations
run 0 optimize scene.json --resume straight
mv straight moved
run 0 optimize --resume moved
mv moved straight
run 0 optimize scene.json -o longer --set optimizer.iterations=25
run 7 optimize --resume longer --set optimizer.iterations=60
says "longer/checkpoint.bin: was written with another scene"
check "nothing was changed" [ "$(rows_of longer)" -eq 27 ]
run 0 optimize --resume longer --set optimizer.iterations=60 --force
check "forced iterations are those of a longer run" cmp straight/loss.csv longer/loss.csv
check "and the scene follows" cmp straight/resolved.json longer/resolved.json

# what does not belong together
run 7 optimize scene.json --resume straight --set bodies.cue.mass=0.2
says "another scene"
cp -r straight mesh
sed 's/^v 0.1 0.1 0.1/v 0.1 0.1 0.11/' tetrahedron.obj >mesh/meshes/tetrahedron.obj
run 7 optimize --resume mesh
says "other meshes"
# the core type of OpenBLAS decides bits; x86-64 has others than this machine's
core=$(sed -n 's/.*"blas_core": "\([^"]*\)".*/\1/p' straight/run.json)
check "run.json names the core type" [ -n "$core" ]
other=Prescott
[ "$core" != Prescott ] || other=Nehalem
if [ "$(uname -m)" = x86_64 ]; then
  cp -r straight elsewhere
  OPENBLAS_CORETYPE=$other run 7 optimize --resume elsewhere
  says "another core type of OpenBLAS $core (now $other); --force goes on all the same"
  OPENBLAS_CORETYPE=$other run 0 optimize --resume elsewhere --force
else
  skip "another core type is refused" "not x86-64"
fi
cp -r straight damaged
printf x | dd of=damaged/checkpoint.bin bs=1 seek=1000 conv=notrunc 2>/dev/null
run 7 optimize --resume damaged
says "damaged/checkpoint.bin: is damaged"
run 7 optimize --resume damaged --force
dd if=straight/checkpoint.bin of=damaged/checkpoint.bin bs=700 count=1 2>/dev/null
run 7 optimize --resume damaged
rm damaged/checkpoint.bin
run 7 optimize --resume damaged
says "damaged/checkpoint.bin: is missing, but loss.csv has rows"
run 3 optimize --resume nowhere
says 'nowhere: no such directory; "dcsim simulate SCENE -o nowhere"'
check "and nothing is created there" [ ! -e nowhere ]
cp -r straight short
head -20 straight/loss.csv >short/loss.csv
run 7 optimize --resume short
says "short/loss.csv: has 19 whole rows, the checkpoint was written after 61"
check "the rows are as before" [ "$(rows_of short)" -eq 20 ]
finish
