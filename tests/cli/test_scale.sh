#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Settings of contact that a scene leaves open: bodies of any scale rest near what bears them, on any triangulation and in
# any model; values are recorded and explained; what the scene gives stands; starts inside of the barrier are told.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

plane='"type": "plane"'
# scene SIZE MASS WIDTH FLOOR START STEP [MORE]: a cube that falls by START on a floor; FLOOR: of "divisions", or "plane"
scene() {
  height=$(awk "BEGIN { print -0.05 * $3 }")
  floor="\"type\": \"box\", \"size\": [$3, $3, $(awk "BEGIN { print 0.1 * $3 }")], \"divisions\": $4"
  [ "$4" != plane ] || floor=$plane height=0
  cat <<SCENE
{ "name": "cube", "time": { "step": $6, "steps": 60 }, "gravity": [0, 0, -9.81], ${7:-}
  "shapes": { "floor": { $floor }, "cube": { "type": "box", "size": [$1, $1, $1] } },
  "bodies": [{ "name": "floor", "joint": "fixed", "shape": "floor", "position": [$(awk "BEGIN { print 0.003 * $3 }"), 0, $height] },
             { "name": "cube", "shape": "cube", "mass": $2, "position": [0, 0, $(awk "BEGIN { print $1 / 2 + $5 }")] }],
  "objective": [{ "type": "reach", "body": "cube", "target": [0, 0, $(awk "BEGIN { print $1 / 2 }")], "tolerance": $(awk "BEGIN { print 0.003 * $1 }") }] }
SCENE
}
number() { sed -n "s/.*\"$1\": \([-+.e0-9]*\).*/\1/p" "${2:-$out}" | head -1; }
holds() { awk "BEGIN { exit !($1) }"; }

# Rest within 0.3 % of the size, in few iterations.
friction='"contact": { "friction": 0.5 },'
for model in bsh exact sdrs manifold ipc ipc-global; do
  for cube in "0.001 1e-6 1 0.001 0.002" "0.02 0.01 1 0.01 0.01" "1 1000 4 0.2 0.02"; do
    set -- $cube
    for floor in plane "[1, 1, 1]" "[10, 10, 1]"; do
      scene "$1" "$2" "$3" "$floor" "$4" "$5" "$friction" >cube.json
      within 60 "$dcsim" simulate cube.json -o none --model $model --json >"$out" 2>"$err"
      check "$model: a cube of $1 m and $2 kg rests on $floor" grep -q '"success": true' "$out"
      check "$model: in few iterations" holds "$(number newton_iterations_per_step) < 12"
    done
  done
done

# What was chosen is told and kept.
scene 0.02 0.01 1 "[1, 1, 1]" 0.05 0.01 "$friction" >cube.json
run 0 check cube.json
check "the reason in words" grep -q 'chosen so that "cube" (size 0.02 m, 0.0981 N) rests at most 2e-05 m from "floor"' "$out"
run 0 check cube.json --json
check "and as JSON" grep -q '"bound": "rest"' "$out"
chosen=$(number stiffness)
run 0 simulate cube.json -o run --no-report
check "resolved.json has the stiffness" [ "$(number stiffness run/resolved.json)" = "$chosen" ]
check "and what was chosen" grep -q '"bsh.stiffness"' run/resolved.json
run 0 simulate run/resolved.json -o again --no-report
check "read again it is the same scene" cmp run/resolved.json again/resolved.json
check "with the same motion" "$dcsim" diff run again
run 0 check run/resolved.json --json --model ipc
check "another model chooses its own" grep -q '"automatic": true' "$out"
other=$(number stiffness)
run 0 check cube.json --json --model ipc
check "as from the scene itself" [ "$(number stiffness)" = "$other" ]
run 0 check run/resolved.json --json --model ipc --set contact.stiffness=0.5
check "unless the command line gives it" [ "$(number stiffness)" = 0.5 ]

# What is given stands, and what goes with it is fixed.
run 0 simulate cube.json -o given --no-report --set contact.stiffness=1e-6
check "a stiffness that is given" holds "$(number stiffness given/resolved.json) == 1e-6"
check "with fixed smoothing" holds "$(number friction_smoothing given/resolved.json) == 1e-3"
check "and weights by area" grep -q '"weights": "consistent"' given/resolved.json
check "nothing was chosen" sh -c '! grep -q "\"automatic\": \[" given/resolved.json'
run 0 simulate cube.json -o smooth --no-report --set contact.friction_smoothing=0.02
check "smoothing that is given" holds "$(number friction_smoothing smooth/resolved.json) == 0.02"
run 0 simulate cube.json -o open --no-report
check "held bodies creep by less than 1 % of the size in a second" holds "2 * $(number friction_smoothing open/resolved.json) <= 0.01 * 0.02"

# Scale does not matter: ten times the size, a thousand times the mass, sqrt(10) times the step.
scene 0.2 10 10 "[1, 1, 1]" 0.5 0.0316 "$friction" >large.json
run 0 check large.json --json
sed -n '/"bound"/,$p' "$out" >chosen
check "the gap grows as the size" holds "($(number gap chosen) - 2e-4)^2 < 1e-14"

# One stiffness, three floors: the gaps agree.
cat >floors.json <<'SCENE'
{ "name": "floors", "time": { "step": 0.01, "steps": 1 }, "gravity": [0, 0, -9.81],
  "shapes": { "plane": { "type": "plane" }, "box": { "type": "box", "size": [1, 1, 0.1] }, "divided": { "type": "box", "size": [1, 1, 0.1], "divisions": [30, 30, 1] },
              "cube": { "type": "box", "size": [0.1, 0.1, 0.1] } },
  "bodies": [{ "name": "plane", "joint": "fixed", "shape": "plane", "position": [0, 0, -3], "collide_except": ["b", "c"] },
             { "name": "box", "joint": "fixed", "shape": "box", "position": [0, 0, 0], "collide_except": ["a", "c"] },
             { "name": "divided", "joint": "fixed", "shape": "divided", "position": [0, 0, 0], "collide_except": ["a", "b"] },
             { "name": "a", "shape": "cube", "mass": 0.4, "position": [0, 0, -2.9], "collide_except": ["b", "c"] },
             { "name": "b", "shape": "cube", "mass": 0.4, "position": [0.2, 0, 0.15], "collide_except": ["c"] },
             { "name": "c", "shape": "cube", "mass": 0.4, "position": [0.21, 0.013, 0.15] }] }
SCENE
run 0 check floors.json --json
grep -o '"resting_gap": [-+.e0-9]*' "$out" | cut -d ' ' -f 2 >gaps
check "three floors" [ "$(wc -l <gaps)" = 3 ]
sed 's/^/# gap /' gaps
check "a large face holds like a divided one and a half-space, within a quarter" awk 'NR == 1 { low = high = $1 } { if ($1 < low) low = $1; if ($1 > high) high = $1 } END { exit !(high < 1.25 * low) }' gaps

# Starts inside of the barrier.
scene 0.1 0.4 4 "[1, 1, 1]" 1e-5 0.005 '"contact": { "stiffness": 1e-6 },' >inside.json
run 0 check inside.json --json
check "a start below the rest gap: both gaps" grep -q '"starts_inside": \[' "$out"
check "the gap at the start" holds "$(grep -A8 starts_inside "$out" | sed -n 's/.*"gap": \([-+.e0-9]*\).*/\1/p' | head -1) < 1.01e-5"
check "and at rest" holds "$(grep -A8 starts_inside "$out" | sed -n 's/.*"resting_gap": \([-+.e0-9]*\).*/\1/p' | head -1) > 1e-3"
run 0 check inside.json
check "in words" grep -q 'warning: "cube" starts inside the barrier of "floor": at a gap of 1e-05 m, where it would rest at 0' "$out"
run 0 simulate inside.json -o none --json
says 'warning: "cube" starts inside the barrier of "floor"'
check "in the result" grep -q '"resting_gap"' "$out"
run 0 simulate inside.json -o none --json --set contact.stiffness=1e-13
check "not where it would rest nearer" [ ! -s "$err" ]
scene 0.1 0.4 4 "[1, 1, 1]" 3e-5 0.005 >near.json
run 0 simulate near.json -o none --json
check "a stiffness that is chosen takes the start for rest" [ ! -s "$err" ]
check "and does not throw the body" grep -q '"success": true' "$out"
finish
