#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Shapes that are convex hulls of the groups of a mesh file.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

# An L of two boxes, 2 x 1 x 1 and 1 x 1 x 1, of triangles that face anywhere; and the L as one surface.
cat >parts.obj <<'OBJ'
o long
v 0 0 0
v 2 0 0
v 0 1 0
v 2 1 0
v 0 0 1
v 2 0 1
v 0 1 1
v 2 1 1
f 1 2 3 4 5 6 7 8
o short
v 0 1 0
v 1 1 0
v 0 2 0
v 1 2 0
v 0 1 1
v 1 1 1
v 0 2 1
v 1 2 1
f 9 10 11 12 13 14 15 16
OBJ
cat >one.obj <<'OBJ'
v 0 0 0
v 2 0 0
v 2 1 0
v 1 1 0
v 1 2 0
v 0 2 0
v 0 0 1
v 2 0 1
v 2 1 1
v 1 1 1
v 1 2 1
v 0 2 1
f 4 3 2 1
f 6 5 4 1
f 7 8 9 10
f 7 10 11 12
f 1 2 8 7
f 2 3 9 8
f 3 4 10 9
f 4 5 11 10
f 5 6 12 11
f 6 1 7 12
OBJ
cat >scene.json <<'SCENE'
{
  "name": "hulls",
  "time": { "step": 0.02, "steps": 4 },
  "contact": { "stiffness": 1e-5 },
  "shapes": {
    "parts": { "type": "mesh", "file": "parts.obj", "scale": 0.1, "convex": true },
    "hull": { "type": "mesh", "file": "one.obj", "scale": 0.1, "convex": true },
    "l": { "type": "mesh", "file": "one.obj", "scale": 0.1 },
    "ball": { "type": "sphere", "radius": 0.1, "level": 1 },
    "ground": { "type": "plane" }
  },
  "bodies": [
    { "name": "ground", "joint": "fixed", "shape": "ground" },
    { "name": "union", "shape": "parts", "density": 1000, "position": [0, 0, 0.2], "velocity": [1, 0, 0] },
    { "name": "whole", "shape": "hull", "density": 1000, "position": [1, 0, 0.2] },
    { "name": "concave", "shape": "l", "density": 1000, "position": [2, 0, 0.2] },
    { "name": "cue", "shape": "ball", "density": 1000, "position": [3, 0, 0.2] }
  ]
}
SCENE

run 0 check scene.json
cp "$out" "$scratch/text"
for line in "union .* 2 convex hulls of 8 vertices" "whole .* 1 convex hull of 10 vertices" "concave .* not convex" \
  "cue .* 1 convex hull of 42 vertices" "ground *ground *fixed\$"; do
  check "check says: $line" grep -q "body *$line" "$scratch/text"
done
run 0 check scene.json --json
cp "$out" "$scratch/json"
parses "$scratch/json" "check --json"
holds "the hulls of every body" "$scratch/json" \
  '[b["hulls"] for b in d["bodies"].values()] == [[], [8, 8], [10], [], [42]]'
holds "masses are those of the hulls" "$scratch/json" \
  'all(abs(d["bodies"][b]["mass"] - m) < 1e-12 for b, m in (("union", 3), ("whole", 3.5), ("concave", 3)))'
holds "the shape is the hulls" "$scratch/json" 'd["shapes"]["parts"]["triangles"] == 24 and d["shapes"]["parts"]["vertices"] == 16'

# a run directory makes the same shapes without the files
run 0 simulate scene.json -o first
check "the meshes are copied" cmp parts.obj first/meshes/parts.obj
holds "resolved.json says which shapes are hulls" first/resolved.json \
  '[d["shapes"][s]["convex"] for s in ("parts", "hull", "l")] == [True, True, False]'
mkdir away
mv parts.obj one.obj away
run 0 check first/resolved.json --json
check "resolved.json is the same scene" cmp "$out" "$scratch/json"
run 0 simulate first/resolved.json -o second
check "and rolls out the same" cmp first/loss.csv second/loss.csv
run 0 render first --size 64x48 --every 100
mv away/parts.obj away/one.obj .

run 0 list shapes
check "list shapes has the option" grep -q convex "$out"

# what has no hull
refused() { # MESSAGE OBJ [OPTION...]
  printf '%s\n' "$2" >parts.obj
  message=$1
  shift 2
  run 3 simulate scene.json -o none "$@"
  says "scene.json:6:14: shapes.parts: shape \"parts\": $message"
}
refused "$(pwd -P)/parts.obj: a convex hull needs at least 4 points (has 3)" "v 0 0 0
v 1 0 0
v 0 1 0
f 1 2 3"
refused "$(pwd -P)/parts.obj: group 1 of 2: all 4 points lie in a plane" "v 0 0 0
v 1 0 0
v 0 1 0
v 1 1 0
g a
f 1 2 4 3
g b
f 1 2 3"
printf '%s\n' "v 0 0 0" "v 1 0 0" "v 0 1 0" "v 0 0 1" "v 0.3 0.8 -0.1" "v 2 0 0" "g sheet" "f 1 4 5" "g a" "f 1 2 3 4" \
  "g slanting sheet" "f 2 3 4" "f 2 3 5" "g b" "f 6 2 3 4" >parts.obj
run 0 check scene.json
check "of a mesh with flat groups the others are taken" grep -q 'note: "parts": groups of the file that are flat, left out: 2' "$out"
refused "triangles: convex hulls cannot be simplified" "v 0 0 0" --set shapes.parts.triangles=10
run 3 check scene.json --set shapes.parts.convex=1
says "shapes.parts.convex: must be true or false"
finish
