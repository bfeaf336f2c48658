#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Cases: sums over several worlds with one parameter vector; their runs, mistakes in scenes; blocks, paths, relative
# places.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

cat >grip.json <<'SCENE'
{ "time": { "step": 0.01, "steps": 30 },
  "contact": { "model": "sdrs", "stiffness": 0.01, "length": 0.05, "support": 0.1, "friction": 0.3, "friction_smoothing": 1e-3 },
  "shapes": { "jaw": { "type": "blocks", "size": [0.06, 0.02, 0.04], "divisions": [2, 1, 2] },
    "right_jaw": { "type": "blocks", "size": [0.06, 0.02, 0.04], "divisions": [2, 1, 2] },
    "ball": { "type": "sphere", "radius": 0.03, "level": 1 }, "box": { "type": "box", "size": [0.05, 0.05, 0.05] } },
  "bodies": [
    { "name": "base", "joint": "slide", "axis": [0, 0, 1], "shape": "box", "position": [0, 0, 0.3], "mass": 1, "collide": false, "pd": { "kp": 1000, "kd": 30 } },
    { "name": "left", "parent": "base", "joint": "slide", "axis": [0, 1, 0], "shape": "jaw", "position": [0, 0.045, 0], "density": 500, "pd": { "kp": 300, "kd": 5 } },
    { "name": "right", "parent": "base", "joint": "slide", "axis": [0, 1, 0], "shape": "right_jaw", "position": [0, -0.045, 0], "density": 500, "pd": { "kp": 300, "kd": 5 } },
    { "name": "object", "shape": "ball", "position": [0, 0, 0], "density": 300 } ],
  "control": [ { "type": "path", "body": "left", "times": [0, 0.1], "positions": [0, -0.02] },
    { "type": "path", "body": "right", "times": [0, 0.1], "positions": [0, 0.02] }, { "type": "spline", "body": "base", "knots": 1 } ],
  "objective": [ { "type": "relative", "body": "object", "to": "base", "from": 5, "when": "every", "tolerance": 1 } ],
  "design": [ { "type": "vertices", "shape": "jaw", "mirror": "right_jaw", "box": [0.005, 0.005, 0.005] } ],
  "optimizer": { "type": "adam", "learning_rate": 0.05, "iterations": 4 },
  "cases": [ { "name": "heavy", "bodies": { "object": { "density": 900 } } },
    { "gravity": [0, 0, -3], "bodies": { "object": { "shape": "box", "position": [0.001, 0, 0] } } } ] }
SCENE

run 0 gradcheck grip.json --json
holds "the gradient of the sum agrees with differences" "$out" 'd["max_relative_error"] <= 1e-6'
run 0 check grip.json --json
# 4 blocks with 8 corners and 4 shared vertices, three coordinates each, and one knot
holds "shared vertices are one" "$out" 'len(d["design"]) == 3 * (4 * 8 + 4)'
run 0 optimize grip.json -o whole --json --no-report --threads 1
cp "$out" whole.out.json
run 0 optimize grip.json -o threads --quiet --no-report --threads 3
check "the same rows for any number of threads" cmp whole/loss.csv threads/loss.csv
run 0 optimize grip.json -o parts --quiet --no-report --set optimizer.iterations=2
run 0 optimize --resume parts --force --quiet --no-report --set optimizer.iterations=4
check "the same rows in two parts" cmp whole/loss.csv parts/loss.csv
check "the cases' runs are replaced" cmp whole/cases/heavy/trajectory.h5 parts/cases/heavy/trajectory.h5
run 0 simulate whole/resolved.json --control whole -o again --json --no-report
cp "$out" again.json
run 0 simulate grip.json --set 'cases=[]' --control whole -o alone --json --no-report
cp "$out" alone.json
cat >sums.py <<'PYTHON'
import json
whole, again, alone = (json.load(open(name)) for name in ("whole.out.json", "again.json", "alone.json"))
runs = {name: json.load(open("whole/cases/%s/run.json" % name))["result"] for name in ("heavy", "case3")}
assert whole["loss"] == again["loss"] and whole["cases"] == again["cases"]
assert [c["name"] for c in whole["cases"]] == ["heavy", "case3"]
for case in whole["cases"]:
    assert case["loss"] == runs[case["name"]]["loss"] > 0, case
    assert case["distance"] == runs[case["name"]]["objectives"][0]["distance"] and case["body"] == "object", case
assert abs(alone["loss"] + sum(c["loss"] for c in whole["cases"]) - whole["loss"]) <= 1e-15 * whole["loss"]
assert whole["loss"] < whole["initial_loss"] and whole["success"]
PYTHON
check "the loss is the sum, cases are runs" python3 sums.py
run 0 verify whole/cases/heavy --quick
run 1 diff alone whole --json
holds "the trajectory is that of the scene" "$out" 'all(b["position"] == 0 and b["rotation"] == 0 for b in d["bodies"])'
run 0 simulate grip.json -o none --json --set objective[0].tolerance=1e-9
holds "all must succeed" "$out" 'not d["success"] and not any(c["success"] for c in d["cases"])'
run 0 optimize grip.json -o fd --gradient fd --json --no-report --set optimizer.iterations=1 --set 'design=[]'
cp "$out" fd.json
run 0 optimize grip.json -o adjoint --json --no-report --set optimizer.iterations=1 --set 'design=[]'
cat >estimates.py <<'PYTHON'
import csv
rows = [list(csv.DictReader(open(name + "/loss.csv"))) for name in ("fd", "adjoint")]
one, other = (float(r[0]["gradient_norm"]) for r in rows)
assert abs(one - other) <= 1e-5 * other > 0, (one, other)
PYTHON
check "differences of the sum" python3 estimates.py

# By hand: after one step of 0.1 s a body is at 0.1 v; worlds that want it at 0.1, 0.2 and 0.6 m in x let v be 3 m/s and
# have a loss of 0.04 + 0.01 + 0.09. 
cat >mean.json <<'SCENE'
{ "time": {"step": 0.1, "steps": 1}, "gravity": [0, 0, 0], "shapes": {"ball": {"type": "sphere", "radius": 0.1, "level": 0}},
  "bodies": [{"name": "a", "shape": "ball", "mass": 1}],
  "control": [{"type": "initial_state", "body": "a", "velocity": "x"}],
  "objective": [{"type": "reach", "body": "a", "target": [0.1, 0, 0]}], "optimizer": {"type": "gauss_newton", "iterations": 20},
  "cases": [{"name": "b", "objective": [{"type": "reach", "body": "a", "target": [0.2, 0, 0]}]},
            {"name": "c", "objective": [{"type": "reach", "body": "a", "target": [0.6, 0, 0]}]}] }
SCENE
run 0 optimize mean.json -o none --json --quiet
holds "Gauss-Newton takes the rows of all worlds" "$out" 'abs(d["loss"] - 0.14) < 1e-12'

# refuses ARGUMENT PLACE RULE: --set ARGUMENT
refuses() {
  run 3 check grip.json --set "$1"
  says "$2"
  says "$3"
}
refuses 'cases=1' 'cases' 'must be an array'
refuses 'cases=[{ "time": {} }]' 'cases[0]' 'unknown key'
refuses 'cases=[{ "bodies": { "nobody": {} } }]' 'cases[0].bodies.nobody' 'the scene has no such body'
refuses 'cases=[{ "bodies": [] }]' 'cases[0].bodies' 'must be an object of changes'
refuses 'cases=[{ "name": "a" }, { "name": "a" }]' 'cases[1]' 'name: must be another one'
refuses 'cases=[{ "control": [] }]' 'cases[0]' 'must have as many parameters as the scene, 109 (has 108)'
refuses 'cases=[{ "bodies": { "object": { "density": -1 } } }]' 'density' 'must be >'
refuses 'portfolio={ "rollouts": 4 }' 'cases' 'cannot be combined with "portfolio"'
refuses 'shapes.jaw.divisions=[2, 1.5, 2]' 'shapes.jaw' 'divisions[1]: must be a whole number'
refuses 'control[0].times=[0.1, 0.1]' 'control[0]' 'times[1]: must be >= 0 and later'
refuses 'control[0].positions=[0]' 'control[0]' 'positions: must hold 2 numbers'
refuses 'objective[0].from=31' 'objective[0]' 'from: must be <= 30'
refuses 'objective[0].until=31' 'objective[0]' 'until: must be <= 30'
refuses 'objective[0].to=object' 'objective[0]' 'to: must name another body'
run 3 optimize grip.json -o none --set optimizer.type=levenberg_marquardt
run 3 check grip.json --set 'cases=[]' --set 'design=[]' --set horizon.length=10 \
  --set 'control[2]={ "type": "pd_targets", "body": "base" }'
says '"relative" compares frames of the whole run'
run 3 simulate grip.json -o none --set 'cases=[{ "name": "deep", "bodies": { "object": { "position": [0, 0.03, 0] } } }]'
says 'case "deep"'
says 'at the start'
# A point of a body whose centre of mass moves with its shape: its derivative by that, and that cases judge the designed body.
cat >grown.json <<'SCENE'
{ "time": {"step": 0.02, "steps": 5}, "gravity": [0, 0, 0], "contact": {"model": "sdrs"},
  "shapes": {"bar": {"type": "hulls", "parts": [{"vertices": [0, -0.02, -0.02, 0, 0.02, -0.02, 0, 0, 0.03, 0.4, 0, 0]}]}},
  "bodies": [{"name": "arm", "joint": "hinge", "axis": [0, 0, 1], "anchor": [0, 0, 0], "shape": "bar", "mass": 1}],
  "objective": [{"type": "reach", "body": "arm", "target": [0.15, 0, 0], "axes": "x", "tolerance": 0.003},
                {"type": "point", "body": "arm", "point": [0, 0.1, 0], "target": [0, 0.1, 0], "tolerance": 1e-3}],
  "design": [{"type": "size", "shape": "bar", "axes": "x"}],
  "optimizer": {"type": "lbfgs", "iterations": 40}, "cases": [{"name": "again"}] }
SCENE
run 0 optimize grown.json -o none --json --quiet --require-success
run 0 optimize grown.json -o grown --quiet --no-report --set cases=[]
run 0 verify grown --quick --json
holds "worlds judge the designed body" "$out" 'd["perturbed"]["draws"] == d["perturbed"]["reached"] > 0 and d["worlds"]["half_step"]["open"]'
run 0 gradcheck grown.json --set objective.1.target=[0.05,0.1,0] --set 'control=[{"type": "torque", "body": "arm", "limit": [1], "initial": [0.5]}]'
# A case chooses what contact leaves open by its own gravity and masses, and does so in a resumed run and by resolved.json, too.
cat >fall.json <<'SCENE'
{ "time": {"step": 0.01, "steps": 12}, "gravity": [0, 0, -9.81],
  "shapes": {"floor": {"type": "plane"}, "box": {"type": "box", "size": [0.2, 0.2, 0.2]}},
  "bodies": [{"name": "floor", "joint": "fixed", "shape": "floor"}, {"name": "box", "shape": "box", "density": 300, "position": [0, 0, 0.105]}],
  "control": [{"type": "initial_state", "body": "box", "velocity": "x"}],
  "objective": [{"type": "reach", "body": "box", "target": [0.5, 0, 0.1]}],
  "optimizer": {"type": "adam", "iterations": 2},
  "cases": [{"name": "moon", "gravity": [0, 0, -1.6]}, {"name": "dense", "bodies": {"box": {"density": 8000}}}] }
SCENE
run 0 optimize fall.json -o fall --quiet --no-report
run 0 optimize fall.json -o broken --quiet --no-report --max-time 1e-9 --checkpoint 0
run 0 optimize --resume broken --quiet --no-report
run 0 optimize fall/resolved.json -o resolved --quiet --no-report
check "resumed, cases choose their scale as before" cmp fall/loss.csv broken/loss.csv
check "as they do by resolved.json" cmp fall/loss.csv resolved/loss.csv
check "by their gravity" eval '! cmp -s fall/cases/moon/resolved.json fall/cases/dense/resolved.json'
finish
