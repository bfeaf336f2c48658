#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Advice: constructed failures are named rightly, with something to try; what comes out gets none, and no shipped scene
# does.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
not_in() { ! grep -q "$1" "$2"; }

# scene CONTACT CONTROL OBJECTIVE OPTIMIZER: two balls in a row, 0.6 m apart
scene() {
  cat <<SCENE
{ "name": "two", "time": { "step": 0.02, "steps": ${steps:-20} }, "gravity": [0, 0, ${gravity:-0}], "contact": $1,
  "shapes": { "ball": { "type": "sphere", "radius": ${radius:-0.1}, "surface": "mesh" } },
  "bodies": [{ "name": "a", "shape": "ball", "mass": 0.1, "position": [0, 0, 0] },
             { "name": "b", "shape": "ball", ${joint:-\"mass\": 0.1}, "position": [${place:-0.6}, 0, 0] }],
  "control": [{ "type": "initial_state", "body": "a", $2 }], "objective": [$3], "optimizer": $4 ${more:-} }
SCENE
}
soft='{ "stiffness": 1e-4 }'
reach() { echo "{ \"type\": \"reach\", \"body\": \"$1\", \"target\": $2, \"tolerance\": ${3:-0.05} }"; }
# symptoms COMMAND FILE ARGUMENT...: their names, separated by commas
symptoms() {
  "$dcsim" "$@" --json 2>"$err" >"$out"
  grep -o '"symptom": "[^"]*"' "$out" | cut -d '"' -f 4 | tr '\n ' ',_' | sed 's/,$//'
}
# named WHAT SYMPTOM TRY COMMAND FILE ARGUMENT...
named() {
  what=$1 symptom=$2 attempt=$3
  shift 3
  found=$(symptoms "$@")
  check "$what: $symptom (was: $found)" [ "$found" = "$symptom" ]
  check "$what: what to try" grep -q -- "\"try\": .*$attempt" "$out"
}

scene "$soft" '"velocity": "x"' "$(reach a '[0.3, 0, 0]' 1e-4)" '{ "type": "gradient_descent", "learning_rate": 12, "iterations": 30 }' >swing.json
named "long steps that swing" oscillating learning_rate=3.6 optimize swing.json -o none
cat >catapult.json <<'END'
{"time": {"step": 0.005, "steps": 220},
 "contact": {"model": "sdrs", "stiffness": 1e-05, "length": 0.02, "support": 0.1, "friction": 0.5},
 "shapes": {"ground": {"type": "plane"}, "arm": {"type": "box", "size": [0.5, 0.06, 0.02]}, "cup": {"type": "compound", "parts": [{"shape": "arm"}, {"shape": "wall", "position": [-0.24, 0, 0.03]}, {"shape": "wall", "position": [-0.16, 0, 0.03]}]}, "wall": {"type": "box", "size": [0.01, 0.06, 0.06]}, "ball": {"type": "sphere", "radius": 0.025, "level": 1}},
 "bodies": [
  {"name": "ground", "joint": "fixed", "shape": "ground"},
  {"name": "arm", "shape": "cup", "joint": "hinge", "axis": [0, 1, 0], "anchor": [0.25, 0, 0.3], "position": [0, 0, 0.3], "density": 300, "pd": {"kp": 60, "kd": 1.0, "effort": 40}},
  {"name": "ball", "shape": "ball", "position": [-0.2, 0, 0.338], "mass": 0.05}],
 "control": [{"type": "spline", "body": "arm", "knots": 6, "low": [-0.2], "high": [2.2], "initial": [0.0, 0.3, 1.0, 1.0, 1.0, 1.0]}],
 "objective": [{"type": "reach", "body": "ball", "target": [2.0, 0, 0.025], "axes": "x", "tolerance": 0.05}],
 "design": [{"type": "link", "body": "arm", "axis": "x", "range": [0.6, 2]}, {"type": "number", "of": "mass", "bodies": ["arm", "ball"],
  "range": [0.3, 3]}],
 "optimizer": {"type": "gauss_newton", "iterations": 30}}
END
named "a fan that swings" oscillating optimizer=null optimize catapult.json -o none
run 0 optimize catapult.json -o none --quiet --set optimizer=null --require-success
named "longer ones" overshooting learning_rate=1.8 optimize swing.json -o none --set optimizer.learning_rate=18
named "short steps" flat 'optimizer[.=]n' optimize swing.json -o none --set optimizer.learning_rate=1e-6
named "a model without range" flat "--model bsh" optimize swing.json -o none --model ipc --set objective='[{"type": "reach", "body": "b", "target": [1, 0, 0], "tolerance": 0.1}]'
check "what is reached needs no advice" [ -z "$(symptoms optimize swing.json -o none --set optimizer.learning_rate=5)" ]

scene "$soft" '"velocity": "x"' "$(reach b '[0.9, 0, 0]')" '{ "type": "adam", "learning_rate": 0.1, "iterations": 15 }' >push.json
named "too few iterations" still_falling "--control few .*iterations=30" optimize push.json -o few --no-report
named "a run without files" still_falling "push.json --control few -o none --set optimizer.iterations=4" optimize push.json -o none --control few --set optimizer.iterations=2
steps=10 scene '{ "stiffness": 1e-3 }' '"velocity": "x"' "$(reach b '[0.7, 0, 0]' 0.01)" '{ "type": "adam", "learning_rate": 0.05, "iterations": 12 }' >away.json
named "a body that nobody gets to" never_touched portfolio optimize away.json -o none
named "a search that is too short" never_touched,out_of_rollouts portfolio.rollouts=32 optimize away.json -o none --set 'portfolio={"rollouts": 8, "draws": 4}'
steps=200 scene '{ "stiffness": 1e-3 }' '"velocity": "x"' "$(reach b '[1.5, 0, 0]' 0.3)" '{ "type": "adam", "learning_rate": 0.02, "iterations": 60 }' >afar.json
named "a target reached from afar" no_contact stiffness=1e-05 optimize afar.json -o none

sed 's/, "optimizer": { "type": "adam".*}  *}$/ }/' away.json >race.json
named "a race that was stopped" stopped "dcsim optimize --resume race\"" optimize race.json -o race --max-time 1e-9 --no-report
named "one without files" stopped "dcsim optimize race.json -o none\"" optimize race.json -o none --max-time 1e-9
cat >slick.json <<'SCENE'
{ "time": { "step": 0.02, "steps": 20 }, "shapes": { "ground": { "type": "plane" }, "ball": { "type": "sphere", "radius": 0.05 } },
  "bodies": [{ "name": "ground", "joint": "fixed", "shape": "ground" },
             { "name": "ball", "shape": "ball", "mass": 0.1, "position": [0.2, 0, 0.051] },
             { "name": "hand", "shape": "ball", "mass": 0.1, "position": [0, 0, 0.2], "pd": { "kp": 100, "kd": 10 },
               "joint": [{ "type": "slide", "axis": [1, 0, 0] }, { "type": "slide", "axis": [0, 0, 1] }] }],
  "control": [{ "type": "pd_targets", "body": "hand" }],
  "objective": [{ "type": "reach", "body": "ball", "target": [0.2, 0, 0.3], "tolerance": 0.02 }] }
SCENE
found=$(symptoms optimize slick.json -o none --set automatic.rollouts=4)
check "nothing rubs (was: $found)" [ "$found" = never_touched,out_of_rollouts,no_friction ]
found=$(symptoms optimize slick.json -o none --set automatic.rollouts=4 --set contact.friction=0.5)
check "with friction (was: $found)" [ "$found" = never_touched,out_of_rollouts ]
more=', "horizon": { "length": 3, "iterations": 1 }' steps=12 scene "$soft" '"velocity": "x"' "$(reach a '[0.3, 0, 0]' 1e-4)" '{ "type": "adam", "learning_rate": 1e-7 }' >windows.json
sed 's/"type": "initial_state", "body": "a", "velocity": "x"/"type": "pd_velocity", "body": "a"/; s/"name": "a",/"name": "a", "pd": { "kp": 100, "kd": 10 },/' windows.json >stalled.json
named "windows that get nowhere" stalled "optimizer=null --set horizon=null" optimize stalled.json -o none
check "what is advised was tried, and reaches" grep -q "tried below: reached" "$out"
named "windows that are on their way" out_of_time "--set horizon" optimize stalled.json -o none --set optimizer.learning_rate=0.05

steps=200 scene '{ "stiffness": 1e-2 }' '"velocity": "x"' "$(reach b '[1, 0, 0]')" '{ "type": "adam" }' >drift.json
named "a field that moves bodies away" drift stiffness check drift.json
radius=100 place=600 scene "$soft" '"velocity": "x"' "$(reach b '[610, 0, 0]')" '{ "type": "adam" }' >large.json
check "millimetres" [ "$(symptoms check large.json)" = units ]
sed 's/"mass": 0.1, "position": \[0, 0, 0\]/"mass": 0.1, "position": [0, 0, 0], "angular_velocity": [0, 0, 10]/' swing.json >fast.json
named "spin that is damped" fast_spin second_order check fast.json
check "spin that is kept" [ -z "$(symptoms check fast.json --set time.integrator=second_order)" ]
named "spin that is too fast" fast_spin step check fast.json --set time.integrator=second_order --set time.step=0.12
named "long time steps, and no ground" falls,long_steps step check swing.json --set gravity='[0, 0, -9.81]' --set time.step=0.5
joint='"joint": "fixed"' scene "$soft" '"velocity": "x"' "$(reach b '[1, 0, 0]')" '{ "type": "adam" }' >fixed.json
check "a target of what is fixed" [ "$(symptoms check fixed.json)" = out_of_reach ]
joint='"joint": "fixed"' scene "$soft" '"velocity": "x"' "$(reach a '[0.01, 0, 0]')" '{ "type": "adam" }' |
  sed 's/"type": "initial_state", "body": "a", "velocity": "x"/"type": "pd_velocity", "body": "a"/
       s/"name": "a",/& "joint": { "type": "hinge", "axis": [0, 0, 1] }, "pd": { "kp": 100, "kd": 10 },/' >hinged.json
run 0 check hinged.json --set gravity='[0, 0, -9.81]' --set time.step=0.5
check "a small link on a joint does not fall" [ -z "$(symptoms check hinged.json --set gravity='[0, 0, -9.81]' --set time.step=0.5)" ]
cat >float.json <<'SCENE'
{ "name": "float", "time": { "step": 0.02, "steps": 20 }, "contact": { "stiffness": 1 },
  "shapes": { "ball": { "type": "sphere", "radius": 0.1 }, "ground": { "type": "plane" } },
  "bodies": [{ "name": "ground", "shape": "ground", "joint": "fixed" }, { "name": "a", "shape": "ball", "mass": 0.1, "position": [0, 0, 0.3] }] }
SCENE
named "a stiffness that throws bodies off" too_stiff stiffness check float.json
awk 'BEGIN {
  n = 40
  for (i = 0; i < n; i++) { x = 0.0005 * cos(6.283185307 * i / n); y = 0.0005 * sin(6.283185307 * i / n); printf "v %g %g 0\nv %g %g 1\n", x, y, x, y }
  print "v 0 0 0\nv 0 0 1"
  for (i = 0; i < n; i++) { a = 2 * i + 1; b = 2 * ((i + 1) % n) + 1; printf "f %d %d %d\nf %d %d %d\nf 81 %d %d\nf 82 %d %d\n", a, b, a + 1, b, b + 1, a + 1, b, a, a + 1, b + 1 }
}' >rod.obj
cat >slivers.json <<'SCENE'
{ "name": "slivers", "time": { "step": 0.02, "steps": 20 }, "contact": { "stiffness": 1e-5 },
  "shapes": { "rod": { "type": "mesh", "file": "rod.obj" }, "ground": { "type": "plane" } },
  "bodies": [{ "name": "ground", "shape": "ground", "joint": "fixed" }, { "name": "a", "shape": "rod", "mass": 0.1, "position": [0, 0, 0.6] }] }
SCENE
named "slivers" slivers longest_edge check slivers.json
# Points of a ball on a spiral: with 100 the surface through them swells, with 1,000 it follows.
for points in 100 1000; do
  awk -v n=$points 'BEGIN { for (i = 0; i < n; i++) { z = 1 - (2 * i + 1) / n; r = sqrt(1 - z * z); x = r * cos(2.399963 * i); y = r * sin(2.399963 * i); printf "%g %g %g %g %g %g\n", 0.05 * x, 0.05 * y, 0.05 * z, x, y, z } }' >cloud.xyz
  cat >cloud$points.json <<'SCENE'
{ "name": "cloud", "time": { "step": 0.01, "steps": 1 }, "gravity": [0, 0, 0], "contact": { "model": "manifold" },
  "shapes": { "s": { "type": "points", "file": "cloud.xyz" } }, "bodies": [{ "name": "a", "shape": "s", "mass": 0.1 }] }
SCENE
  run 0 check cloud$points.json
  [ $points = 1000 ] || check "a sparse cloud is told" grep -q 'sparse cloud: the surface through the 100 points of "s" has .* 2.5 times the volume of their convex hull' "$out"
  [ $points = 100 ] || check "a dense one is not" not_in "sparse cloud" "$out"
done
cat >redundant.json <<'SCENE'
{ "name": "redundant", "time": { "step": 0.02, "steps": 20 }, "contact": { "stiffness": 1e-5 },
  "shapes": { "ball": { "type": "sphere", "radius": 0.1 } },
  "bodies": [{ "name": "a", "shape": "ball", "mass": 0.1, "position": [0, 0, 0.6], "anchor": [0.2, 0, 0],
               "joint": [{ "type": "universal", "axis": [0, 1, 0], "axis2": [1, 0, 0] }, { "type": "ball" }] }] }
SCENE
check "a universal joint at a ball" [ "$(symptoms check redundant.json)" = redundant_joints ]
sed 's/"type": "ball"/"type": "slide", "axis": [0, 0, 1]/' redundant.json >separate.json
sed 's/"anchor"/"pd": { "kp": 1, "kd": 0.1 }, "anchor"/' redundant.json >damped.json
check "gains tell them apart" [ -z "$(symptoms check damped.json)" ]
"$dcsim" check damped.json >/dev/null 2>"$err"
check "(that scene is sound)" [ ! -s "$err" ]
check "a slide is not" [ -z "$(symptoms check separate.json)" ]
check "nothing is wrong" [ -z "$(symptoms check push.json)" ]
sed 's/"type": "sphere", "radius": 0.1/"type": "mesh", "file": "rod.obj", "scale": 100/; s/0.6, 0, 0/0.01, 0, 0/' push.json >millimetres.json
run 3 check millimetres.json
says 'in millimetres? Then its shape wants "scale": 0.001'

"$dcsim" optimize swing.json -o none >"$out" 2>&1
check "the summary has it" grep -q 'advice: oscillating: ' "$out"
check "and what to try" grep -q '^    try: dcsim optimize swing.json -o none --set optimizer.learning_rate=3.6$' "$out"
finish
