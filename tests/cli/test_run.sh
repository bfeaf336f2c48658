#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs and what they leave behind.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

cat >scene.json <<'SCENE'
{
  // two balls over a plane; the first is thrown so that the second comes to its target
  "name": "pair",
  "time": { "step": 0.02, "steps": 6 },
  "contact": { "stiffness": 1e-5 },
  "shapes": { "ball": { "type": "sphere", "radius": 0.1, "level": 1, "base": "octahedron" }, "ground": { "type": "plane" } },
  "bodies": [
    { "name": "ground", "joint": "fixed", "shape": "ground" },
    { "name": "cue", "shape": "ball", "mass": 0.1, "position": [-0.3, 0, 0.2], "velocity": [2, 0, 0] },
    { "name": "eight", "shape": "ball", "mass": 0.1, "position": [0, 0.02, 0.2] }
  ],
  "control": [{ "type": "initial_state", "body": "cue", "velocity": "xy" }],
  "objective": [{ "type": "reach", "body": "eight", "target": [0.5, 0.2, 0.15], "tolerance": 0.01 }],
  "optimizer": { "type": "adam", "learning_rate": 0.05, "iterations": 4 }
}
SCENE

has() { # DIRECTORY FILE...
  directory=$1
  shift
  for file; do
    check "$directory/$file is there" [ -s "$directory/$file" ]
  done
}
field() { # FILE PYTHON-EXPRESSION OF d
  python3 -c 'import json, math, sys; d = json.load(open(sys.argv[1])); print(eval("(" + sys.argv[2] + ")"))' "$1" "$2"
}
# a run directory
run 0 optimize scene.json -o best --quiet
check "quiet means an empty stderr" [ ! -s "$err" ]
check "the report is on stdout" grep -q "pair" "$out"
has best scene.json resolved.json run.json loss.csv progress.jsonl trajectory.h5
check "scene.json is the scene byte for byte" cmp scene.json best/scene.json
check "loss.csv begins with its header" [ "$(head -1 best/loss.csv)" = iteration,loss,gradient_norm,newton_iterations,min_gap ]
check "loss.csv has a row per evaluation" [ "$(wc -l <best/loss.csv)" -eq 6 ]
check "progress.jsonl has a line per evaluation" [ "$(wc -l <best/progress.jsonl)" -eq 5 ]
parses best/run.json run.json
parses best/resolved.json resolved.json
line=0
while read -r object; do
  echo "$object" >"$scratch/line"
  parses "$scratch/line" "line $((line += 1)) of progress.jsonl"
done <best/progress.jsonl
holds "run.json tells where the numbers come from" best/run.json \
  'd["exit_status"] == 0 and "optimize scene.json -o best" in d["command"] and d["threads"] >= 1 and d["result"]["iterations"] == 4
   and d["version"] and d["host"] and d["processor"] and d["libraries"] and d["scene_hash"] and d["seconds"] > 0'
holds "it tells why it is over" best/run.json 'd["result"]["end"] == "iterations" and d["result"]["retreats"] == 0 and "stages" not in d["result"]'
check "no lock and no temporary file stays" [ -z "$(ls -A best | grep -vxE '(scene|resolved|run)\.json|loss.csv|progress.jsonl|run.glb|report.html|trajectory.h5|checkpoint.bin')" ]

# a search tells its stages in loss.csv, in progress.jsonl and in the result
run 0 optimize scene.json -o searched --quiet --set 'continuation={"stiffness":4,"stages":2,"iterations":2}'
check "the report tells the stages" grep -q "stage 3: stiffness x 1, time step x 1: loss" "$out"
check "the header has the column" [ "$(head -1 searched/loss.csv)" = iteration,loss,gradient_norm,newton_iterations,min_gap,stage ]
check "all rows have it" [ "$(grep -cE ',[123]\.guess$' searched/loss.csv)" -eq "$(($(wc -l <searched/loss.csv) - 1))" ]
check "progress.jsonl has it" grep -q '"stage": "2.guess"' searched/progress.jsonl
holds "the result has them" searched/run.json \
  '[s["stiffness"] for s in d["result"]["stages"]] == [4, 2, 1] and all(s["turns"] > 0 for s in d["result"]["stages"]) and d["result"]["end"]'

# a directory holds one run
cp -r best before
run 5 optimize scene.json -o best
says "best/"
check "the run that was there is untouched" diff -r before best
run 5 simulate scene.json -o best
check "and still" diff -r before best

# the same bits for any number of threads
run 0 optimize scene.json -o one --threads 1
run 0 optimize scene.json -o two --threads 2
for file in loss.csv trajectory.h5 resolved.json; do
  check "1 and 2 threads give the same $file" cmp one/$file two/$file
  check "and a second run too" cmp one/$file best/$file
done

# gradients by rollouts at other parameters: nearly the same run, and the same bits for any number of threads
# (of two steps: with the collision the loss jumps from place to place)
set -- --set time.steps=2 --set gradient.samples=5 --set gradient.sigma=1e-7 --set optimizer.iterations=2
run 0 optimize scene.json -o adjoint-two "$@"
for kind in fd bundle; do
  run 0 optimize scene.json -o $kind-one --gradient $kind --threads 1 --json "$@"
  cp "$out" "$scratch/$kind"
  run 0 optimize scene.json -o $kind-two --gradient $kind --threads 2 "$@"
  for file in loss.csv trajectory.h5 resolved.json; do
    check "$kind: 1 and 2 threads give the same $file" cmp $kind-one/$file $kind-two/$file
  done
  check "$kind: not those of the adjoint" sh -c "! cmp -s adjoint-two/loss.csv $kind-one/loss.csv"
  holds "$kind is in resolved.json" $kind-one/resolved.json "d['gradient']['type'] == '$kind' and d['gradient']['samples'] == 5"
  holds "$kind: the losses are nearly those of the adjoint" $kind-one/run.json \
    "abs(d['result']['loss'] - $(field adjoint-two/run.json 'd["result"]["loss"]' || echo 0)) < 1e-6 * d['result']['loss']"
done
holds "fd: two roll-outs for each of two parameters and one for the loss" "$scratch/fd" \
  'd["gradient"] == {"type": "fd", "estimates": 3, "one_sided": 0, "dropped": 0, "rollouts": 15}'
holds "bundle: five and one" "$scratch/bundle" 'd["gradient"]["type"] == "bundle" and d["gradient"]["rollouts"] == 18'
run 0 optimize scene.json -o none --gradient bundle --set gradient.samples=2 --set gradient.order=0 --set optimizer.iterations=1
run 0 optimize scene.json -o adjoint --gradient adjoint
check "--gradient adjoint changes nothing" cmp adjoint/loss.csv best/loss.csv
run 3 optimize scene.json -o none --gradient fd --set gradient.step=0
says "--set gradient.step=0"
run 7 optimize --resume fd-one --gradient bundle
says "another scene"
run 0 optimize --resume fd-one --gradient fd

# first guesses: nothing is drawn where there is a gradient
run 0 optimize scene.json -o guess --set init.draws=3 --json
holds "no draw is needed" "$out" 'd["init"] == {"draws": 0, "vanished": False}'
check "and nothing changes" cmp guess/loss.csv best/loss.csv
run 0 optimize scene.json -o drawn --set init.draws=3 --set init.threshold=1e6 --set optimizer.iterations=1
check "the summary says that no draw helped" grep -q "all gradients vanished" "$out"
holds "and so does run.json" drawn/run.json 'd["result"]["init"] == {"draws": 3, "vanished": True}'
run 0 optimize scene.json -o none --set init.type=given --json --set optimizer.iterations=1
holds "given: nothing is drawn" "$out" 'd["init"]["draws"] == 0'

# JSON results
run 0 optimize scene.json -o none --json
parses "$out" "optimize --json"
fields='set("run success loss initial_loss iterations steps seconds seconds_per_step newton_iterations_per_step min_gap unconverged_steps parameters objectives".split()) <= set(d)'
holds "optimize --json has its fields" "$out" "$fields"
holds "and how it came by its gradients" "$out" 'd["gradient"]["type"] == "adjoint" and d["gradient"]["estimates"] == 0 and "init" not in d'
holds "values fit" "$out" 'd["run"] is None and d["success"] is False and d["iterations"] == 4 and d["steps"] == 6 and 0 < d["loss"] < d["initial_loss"] and d["min_gap"] > 0 and d["unconverged_steps"] == 0'
holds "objectives have theirs" "$out" 'set("type body value distance".split()) <= set(d["objectives"][0]) and d["objectives"][0]["body"] == "eight"'
holds "parameters are named" "$out" 'len(d["parameters"]) == 2'
run 0 simulate scene.json -o rolled --json
parses "$out" "simulate --json"
holds "simulate --json has its fields" "$out" "$fields"
holds "it names its directory" "$out" 'd["run"] == "rolled"'
holds "run.json holds the same result" rolled/run.json 'd["result"]["run"] == "rolled"'
has rolled scene.json resolved.json run.json loss.csv progress.jsonl trajectory.h5
check "a roll-out has one row" [ "$(wc -l <rolled/loss.csv)" -eq 2 ]
run 0 probe scene.json --json
holds "probe --json has its fields" "$out" \
  'd["model"] == "bsh" and d["energy"] > 0 and d["min_gap"] > 0 and len(d["bodies"]["eight"]["force"]) == 3
   and len(d["bodies"]["eight"]["torque"]) == 3 and set("a b gap energy".split()) <= set(d["pairs"][0])
   and set("exact centred visited".split()) <= set(d["counts"])'
run 0 gradcheck scene.json --steps 2 --json
holds "gradcheck --json has its fields" "$out" \
  'set("parameter adjoint finite_difference relative_error".split()) <= set(d["checks"][0]) and d["max_relative_error"] < 1e-6
   and "loss" in d and isinstance(d["taylor_orders"], list)'
run 1 gradcheck scene.json --tolerance 1e-300 --steps 2 --json
parses "$out" "gradcheck over its tolerance still reports:"
# faces that are exactly aligned: what way a cube topples has no derivative, whatever the step
cat >aligned.json <<'SCENE'
{ "time": {"step": 0.01, "steps": 5}, "gravity": [0, 0, 0], "contact": {"stiffness": 1e-4},
  "shapes": {"cube": {"type": "box", "surface": "mesh", "size": [1, 1, 1]}},
  "bodies": [{"name": "a", "shape": "cube", "joint": "fixed"}, {"name": "b", "shape": "cube", "position": [0, 0, 1.01]}],
  "control": [{"type": "initial_state", "body": "b", "velocity": "xyz", "initial": [0, 0, -0.5]}],
  "objective": [{"type": "reach", "body": "b", "target": [0.3, 0.2, 3]}] }
SCENE
run 1 gradcheck aligned.json
says "dcsim: the gradient cannot be confirmed: differences are not conclusive here"
check "gradcheck says that differences are not conclusive" grep -qE '^note: [0-9]+ differences are not conclusive' "$out"
run 1 gradcheck aligned.json --json
holds "and how far they spread" "$out" 'd["not_conclusive"] > 0 and all(c["spread"] >= 0 and c["step"] > 0 for c in d["checks"])'
run 0 gradcheck aligned.json --set 'bodies.b.position=[0, 0, 1.1]'
check "farther away they are" sh -c "! grep -q conclusive '$out'"

# options
ls -A | sort >"$scratch/before"
run 0 simulate scene.json -o none
run 0 optimize scene.json --output=none --set optimizer.iterations=1
ls -A | sort >"$scratch/after"
check "-o none writes nothing" cmp "$scratch/before" "$scratch/after"
run 0 simulate scene.json
check "the default directory is runs/<name>-<time>" sh -c 'ls -d runs/pair-2*/trajectory.h5'
run 0 optimize scene.json -o set --set optimizer.iterations=2 --set bodies.cue.velocity=[2.5,0,0] --set 'name=other'
check "--set changes the run" [ "$(wc -l <set/loss.csv)" -eq 4 ]
holds "--set is in resolved.json" set/resolved.json \
  'd["name"] == "other" and d["bodies"][1]["velocity"] == [2.5, 0, 0] and d["optimizer"]["iterations"] == 2'
check "scene.json is still the file" cmp scene.json set/scene.json
run 0 simulate scene.json -o model --model exact
holds "--model is in resolved.json" model/resolved.json 'd["contact"]["model"] == "exact"'
run 0 simulate scene.json -o again --control best --json
cp "$out" "$scratch/again"
run 0 simulate best/resolved.json -o none --control best --json
holds "--control takes the best controls, resolved.json is a scene" "$out" \
  "d[\"loss\"] == $(field "$scratch/again" 'd["loss"]' 2>/dev/null || echo 0) == $(field best/run.json 'd["result"]["loss"]' 2>/dev/null || echo 0)"
run 3 simulate two/loss.csv --control best -o none
run 5 simulate scene.json --control nowhere -o out1
check "nothing was created" [ ! -e out1 ]
run 1 simulate scene.json -o none --require-success
says "dcsim: the task is not reached"
run 0 simulate scene.json -o none --require-success --set objective.0.tolerance=9
run 0 optimize scene.json -o timed --set optimizer.iterations=1000000 --max-time 0.5
says "dcsim: stopped: --max-time 0.5 s has passed"
has timed run.json loss.csv trajectory.h5
cat >shot.json <<'SCENE'
{ "time": { "step": 0.02, "steps": 6 }, "gravity": [0, 0, 0],
  "shapes": { "ball": { "type": "sphere", "radius": 0.1, "level": 1, "base": "octahedron" } },
  "bodies": [ { "name": "cue", "shape": "ball" }, { "name": "eight", "shape": "ball", "position": [0.4, 0, 0] } ],
  "control": [{ "type": "initial_state", "body": "cue", "velocity": "xy" }],
  "objective": [{ "shot": { "reference_seed": 7 } }] }
SCENE
for seed in 7 8; do
  run 0 simulate shot.json -o seed$seed --seed $seed
  run 0 simulate shot.json -o again$seed --set objective.0.shot.reference_seed=$seed
  check "--seed $seed is the scene's seed" cmp seed$seed/loss.csv again$seed/loss.csv
done
check "another seed is another task" sh -c '! cmp -s seed7/loss.csv seed8/loss.csv'
holds "the seed is in run.json" seed8/run.json 'd["seed"] == 8'
window="--set horizon.length=2 --set horizon.iterations=1 --set horizon.explore=1 --set horizon.draws=1"
sed 's/"control": .*/"control": [{ "type": "pd_velocity", "body": "cue" }],/; s/"name": "cue",/&"pd": { "kp": 10, "kd": 1 },/' shot.json >drawn.json
# shellcheck disable=SC2086 # words
run 0 optimize drawn.json -o drawn_windows --quiet --seed 5 $window
holds "--seed is the seed of the draws" drawn_windows/resolved.json 'd["horizon"]["seed"] == 5'

# pictures
run 0 render best --size 32x24 --samples 1 --every 3 --quiet
check "pictures of frames 0, 3, 6" [ "$(ls best/frames | tr '\n' ' ')" = "000000.png 000003.png 000006.png " ]
check "they are PNG files" sh -c 'head -c 4 best/frames/000000.png | grep -q PNG'
run 0 render best --size 32x24 --samples 1 --every 6 --eye 1,1,1 --json
parses "$out" "render --json"
mv best moved
run 0 render moved --size 8x8 --samples 1
mv moved best
run 3 render nowhere --quiet
check "and nothing is created there" [ ! -e nowhere ]

# directories that cannot be
: >file
run 5 simulate scene.json -o file/run
says "file"
run 5 simulate scene.json -o file
run 5 simulate scene.json -o /proc/dcsim-run
if [ "$(id -u)" -ne 0 ]; then
  mkdir locked && chmod a-w locked
  run 5 simulate scene.json -o locked/run
elif command -v setpriv >/dev/null 2>&1; then
  # root may write everywhere; anybody else may not
  mkdir locked && chmod 755 "$scratch" "$folder" locked && chmod 644 scene.json
  setpriv --reuid=65534 --regid=65534 --clear-groups "$dcsim" simulate scene.json -o locked/run >"$out" 2>"$err"
  check "a read-only directory: 5" [ $? -eq 5 ]
  says "locked"
else
  skip "a read-only directory" "running as root, and no setpriv"
fi
check "the disk is full: 5" sh -c 'ulimit -f 4; "$0" optimize scene.json -o full >"$1" 2>"$2"; [ $? -eq 5 ]' "$dcsim" "$out" "$err"
says "full"

# signals; the handler runs as soon as the run has rows
interrupt() { # DIRECTORY SIGNALS ARGUMENT...: sends the words of SIGNALS, numbers among them are pauses in seconds, noted waits for the first
  directory=$1
  signals=$2
  shift 2
  (
    tries=0
    until [ -s "$directory/loss.csv" ] && [ "$(wc -l <"$directory/loss.csv")" -ge "$rows" ] || [ $tries -gt 6000 ]; do
      sleep 0.1
      tries=$((tries + 1))
    done
    for word in $signals; do
      case $word in
        [0-9]*) sleep "$word" ;;
        noted) noted ;;
        *) kill -"$word" "$(cat "$scratch/pid")" ;;
      esac
    done
  ) 2>/dev/null &
  sh -c 'echo $$ >"$0"; exec "$@"' "$scratch/pid" "$dcsim" "$@" -o "$directory" >"$out" 2>"$err"
  status=$?
  wait
}
stopped() { # STATUS WHAT
  check "$2: exit status $1 (is $status)" [ "$status" -eq "$1" ]
}
endless="--set optimizer.iterations=1000000"
rows=3
interrupt term TERM optimize scene.json $endless
stopped 143 SIGTERM
says "stopping after this iteration"
has term run.json loss.csv trajectory.h5
check "what was printed is the report" grep -q "pair" "$out"
interrupt twice "TERM TERM" optimize scene.json $endless
stopped 143 "the same signal twice at once, as timeout sends it"
has twice run.json trajectory.h5
interrupt going "USR1 0.3 TERM" optimize scene.json $endless --quiet
stopped 143 "SIGUSR1 does not stop a run"
case $(sed -n 's/^SigIgn:[[:space:]]*//p' /proc/self/status 2>/dev/null) in
  *[2367abefABEF]) skip "SIGINT" "it is ignored here" ;;
  *)
    interrupt int INT optimize scene.json $endless
    stopped 130 SIGINT
    has int run.json loss.csv trajectory.h5
    run 0 simulate scene.json --control int -o none ;;
esac
rows=1
# one iteration of so many steps lasts longer than that
interrupt hard "0.2 TERM noted 0.8 TERM" optimize scene.json --set time.steps=200000 --set time.step=1e-9
stopped 143 "a second signal"
check "it stops at once" [ ! -e hard/trajectory.h5 ]

# bad input creates nothing
ls -A | sort >"$scratch/before"
run 3 simulate scene.json -o out2 --set bodies.cue.mass=-1
run 3 optimize scene.json --set bodies.eight.position=[-0.25,0,0.2]
run 2 optimize scene.json -o out3 --model nothing
run 2 optimize scene.json -o out3 --set nothing
ls -A | sort >"$scratch/after"
check "bad input creates nothing" cmp "$scratch/before" "$scratch/after"
finish
