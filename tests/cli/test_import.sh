#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dcsim import: a robot's file becomes a scene that moves as the include does, wherever it lies.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

mkdir -p robot out
cat >robot/tetra.obj <<'OBJ'
v 0 0 0
v 0.1 0 0
v 0 0.1 0
v 0 0 0.1
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
OBJ
cat >robot/arm.urdf <<'URDF'
<robot name="arm"><link name="base"/>
<link name="upper"><collision><geometry><mesh filename="tetra.obj"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="5" velocity="2"/></joint></robot>
URDF
cat >moving.json <<'SCENE'
{"time": {"step": 0.01, "steps": 100}, "include": {"file": "robot/arm.urdf", "pd": {"kp": 3}}}
SCENE

run 0 import robot/arm.urdf -o out/named.json
check "the scene has the name of the file" grep -q '"name": "arm"' out/named.json

run 2 import robot/arm.urdf
says "import: missing --output FILE"
run 3 import robot/none.urdf -o out/arm.json
says "robot/none.urdf: no such file"
check "nothing is written" test ! -e out/arm.json
run 0 import robot/arm.urdf -o plain.json
check "a robot alone becomes a scene" grep -q '"upper"' plain.json
run 0 import moving.json -o out/arm.json
check "notes are told" grep -q "the file gives no mass" "$out"
check "the include is gone" sh -c '! grep -q "\"include\"" out/arm.json'
check "meshes are beside it" test -s out/meshes/tetra.obj
rm -r robot/tetra.obj
mv out elsewhere
run 0 check elsewhere/arm.json
run 0 simulate elsewhere/arm.json -o imported --no-report
cp elsewhere/meshes/tetra.obj robot/
run 0 simulate moving.json -o included --no-report
run 0 export imported --format csv -o imported.csv
run 0 export included --format csv -o included.csv
check "it moves as the include does" cmp imported.csv included.csv
check "and it does move" sh -c '[ "$(sed -n 2p imported.csv | cut -d, -f2-)" != "$(tail -n 1 imported.csv | cut -d, -f2-)" ]'
mkdir -p mine/meshes
echo mine >mine/meshes/tetra.obj
run 5 import robot/arm.urdf -o mine/arm.json
says "mine/meshes/tetra.obj: exists and is not the scene's; take another folder"
check "what is there stays" [ "$(cat mine/meshes/tetra.obj)$(ls mine)" = "minemeshes" ]

run 0 import robot/arm.urdf -o one.json --json
holds "--json has its fields" "$out" "d['file'] == 'one.json' and d['bodies'] >= 1 and len(d['notes']) >= 1"
finish
