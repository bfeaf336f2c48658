#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# scripts/paper/fixtures on made up fixtures: each feature of theirs becomes what stands for it here, and all of them run.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
if ! have_python; then
  skip "scripts/paper/fixtures" "no python3"
  finish
fi
papers=$DCSIM_SOURCE/scripts/paper
mkdir -p given/fixtures/3D given/meshes made
cat >made/scenes.py <<'END'
import json
corners = [[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
sides = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
cube = {"vertices": corners, "faces": [[f[0], f[i], f[i + 1]] for f in sides for i in (1, 2)]}
two = {"vertices": corners + [[x + 2, y, z] for x, y, z in corners], "faces": cube["faces"] + [[8 + i for i in face] for face in cube["faces"]]}
sheet = {"vertices": [[x, 0, z] for x in (-2, 2) for z in (-2, 2)], "faces": [[0, 1, 3], [0, 3, 2]]}
sliver = {"vertices": corners, "faces": cube["faces"] + [[0, 0, 1]]}
only_turns = [True, True, True, True, True, False]
fixtures = {
    "force": [{**cube, "force": [3, 0, 0], "torque": [0, 90, 0], "density": 2}],
    "groups": [{**cube, "group_id": 4}, {**cube, "group_id": 4, "position": [0.2, 0, 0]}, {**cube, "position": [3, 0, 0]}],
    "split": [{**two, "split_components": True}],
    "hinge": [{**cube, "is_dof_fixed": only_turns, "angular_velocity": [0, 0, 90]}],
    "schedule": [{**cube, "type": "kinematic", "kinematic_poses": [{"position": [0.1, 0, 0]}], "linear_velocity": [0, 5, 0], "angular_velocity": [90, 0, 0]},
                 {**cube, "position": [0, 4, 0]}],
    "sheet": [{**sheet, "type": "static"}, {**cube, "position": [0, 0.6, 0]}],
    "sheet above": [{**sheet, "type": "static"}, {**cube, "position": [0, -0.6, 0]}],
    "ceiling": [{"mesh": "plane.obj", "type": "static", "position": [0, 2, 0]}, cube],
    "sliver": [sliver],
    "edges": [{"vertices": corners, "edges": [[0, 1]]}],
}
for name, bodies in fixtures.items():
    with open(f"given/fixtures/3D/{name}.json", "w") as file:
        json.dump({"timestep": 0.01, "max_time": 0.05, "rigid_body_problem": {"gravity": [0, 0, 0], "rigid_bodies": bodies}}, file)
END
check "fixtures are made" python3 made/scenes.py
check "all are tried" within 60 "$papers/fixtures" given --dcsim "$dcsim" --output out --by test
"$papers/fixtures" given --dcsim "$dcsim" --output out --by test >"$out" 2>"$err"
for name in force groups split hinge schedule sheet 'sheet above' ceiling sliver; do
  check "$name runs" grep -q "^| $name |.* met |$" "$out"
done
check "edges are left out by name" grep -q "^| edges |.*left out: points or edges without triangles" "$out"

place() { # NAME BODY AXIS BY: the place in the last frame and how far it may be off
  [ -d "run/$1" ] || "$dcsim" simulate "out/fixtures/$1/scene.json" -o "run/$1" --quiet --no-report || return
  "$dcsim" export "run/$1" --format csv && python3 -c '
import csv, sys
rows = list(csv.reader(open(sys.argv[1])))
value = float(rows[-1][rows[0].index(sys.argv[2])])
print(value)
sys.exit(abs(value - float(sys.argv[3])) > float(sys.argv[4]))' "run/$1/export/trajectory.csv" "$2.$3 [m]" "$4" "$5"
}
# x = F h^2/m (1 + 2 + ... + 5), m = 2
check "a force of 3 N moves 2 kg" place force body0 x 0.00225 1e-6
check "a schedule goes through its pose, then with its velocity" place schedule body0 z 0.2 1e-6
check "and stays beside" place schedule body0 x 0.1 1e-6
check "bodies of a group do not part" place groups body1 x 0.2 1e-3
check "components are bodies" grep -q '"body0_1"' out/fixtures/split/scene.json
check "a hinge turns about the centre" place hinge body0 x 0 1e-9
finish
