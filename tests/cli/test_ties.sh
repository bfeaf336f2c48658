#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ties: a loop of links moves, has gradients, goes to MJCF and back, and is refused where nothing knows it.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
. "$DCSIM_SOURCE/tests/cli/round_trip.sh"
command -v python3 >/dev/null || { skip "ties" "python3 is not there"; finish; }
cat >loop.json <<'SCENE'
{"name": "loop", "time": {"step": 0.01, "steps": 30}, "contact": {"model": "bsh"},
 "shapes": {"bar": {"type": "box", "size": [0.3, 0.03, 0.03]}},
 "bodies": [
  {"name": "a", "shape": "bar", "mass": 0.4, "position": [0.15, 0, 1], "joint": "hinge", "axis": [0, 1, 0], "anchor": [0, 0, 1], "pd": {"kp": 5, "kd": 0.2}},
  {"name": "b", "parent": "a", "shape": "bar", "mass": 0.3, "position": [0.45, 0, 1], "joint": "hinge", "axis": [0, 1, 0], "anchor": [0.3, 0, 1]},
  {"name": "c", "shape": "bar", "mass": 0.5, "position": [0.75, 0, 1], "joint": "slide hinge", "axis": [0, 1, 0], "anchor": [0.9, 0, 1], "collide": false},
  {"name": "end", "parent": "b", "joint": "fixed", "position": [0.6, 0, 1]},
  {"name": "tip", "parent": "c", "joint": "fixed", "position": [0.6, 0, 1]}],
 "ties": [{"body": "end", "to": "tip"}],
 "control": [{"type": "spline", "body": "a", "knots": 3}],
 "objective": [{"type": "reach", "body": "b", "target": [0.4, 0, 1.1]}],
 "optimizer": {"type": "adam", "iterations": 3}}
SCENE
sed 's/"slide hinge", "axis": \[0, 1, 0\], "anchor": \[0.9, 0, 1\]/[{"type": "slide", "axis": [1, 0, 0]}, {"type": "hinge", "axis": [0, 1, 0], "anchor": [0.9, 0, 1]}]/' loop.json >closed.json
run 0 check closed.json
run 0 gradcheck closed.json --set 'time.steps=12'
run 0 simulate closed.json -o run --quiet --no-report
run 0 verify run --quick --no-report
check "the options are written out" grep -q '"to": *"tip"' run/resolved.json
run 0 gradcheck closed.json --set 'time.steps=12' --set 'time.integrator="second_order"'
run 0 simulate closed.json --set 'time.integrator="second_order"' -o second --quiet --no-report
run 0 verify second --quick --no-report
run 0 export closed.json --format mjcf -o loop.xml
check "a tie is a connection" grep -q '<connect body1="end" body2="tip".* solimp=".9999 ' loop.xml
"$dcsim" export closed.json --format urdf -o loop.urdf >notes 2>&1
check "URDF has no ties" grep -q "1 ties left out" notes
printf '{"time": {"step": 0.01, "steps": 30}, "contact": {"model": "bsh"}, "include": "loop.xml"}' >again.json
run 0 simulate again.json -o again --quiet --no-report
ends_alike "they come to the same place" run again 1e-6
run 0 list models
if grep -q '^  mujoco:' "$out"; then
  # The loop moves as MuJoCo's does, closed by a connection that is as soft as its steps let it be.
  run 0 simulate closed.json --model mujoco --set 'mujoco.solref=[0.002, 1]' --set 'mujoco.substeps=20' -o other --quiet --no-report
  run 0 simulate closed.json --set 'time.step=0.0005' --set 'time.steps=600' -o fine --quiet --no-report
  ends_alike "MuJoCo's loop comes to the same place" other fine 0.01
  sed 's/"position": \[0.75, 0, 1\]/"position": [0.85, 0, 1], "joint_position": [-0.1, 0]/; s/\[0.9, 0, 1\]/[1, 0, 1]/; s/"parent": "c", "joint": "fixed", "position": \[0.6, 0, 1\]/"parent": "c", "joint": "fixed", "position": [0.7, 0, 1]/' closed.json >open.json
  run 0 simulate open.json --model mujoco --set 'mujoco.solref=[0.002, 1]' --set 'mujoco.substeps=20' -o open --quiet --no-report
  run 0 export open --format csv
  tail -1 open/export/trajectory.csv | cut -d, -f2-15 | tr ',' '\n' >open.txt
  same_numbers "one whose description is open does, too" open other 1e-6 14
else
  skip "ties in MuJoCo" "built without MuJoCo"
fi
run 3 check closed.json --set 'ties.0.to="end"'
says "must be another body"

# Joints of SDF files that close a loop: wherever it is cut, by the order of the joints, it moves alike.
link() {
  printf '<link name="%s"><pose>%s</pose><inertial><pose>%s</pose><mass>%s</mass><inertia><ixx>.01</ixx><iyy>.01</iyy><izz>.01</izz></inertia></inertial></link>' "$@"
}
joint() {
  printf '<joint name="%s" type="%s"><parent>%s</parent><child>%s</child><axis><xyz expressed_in="__model__">0 1 0</xyz></axis></joint>' "$@"
}
links=$(link a '0 0 1 0 .6 0' '.1 0 0 0 0 0' .5; link b '.2476 0 .8306 0 0 0' '.2 0 0 0 0 0' .7; link c '.6476 0 .8306 0 -.9 0' '.1 .01 0 0 0 0' .4)
world=$(joint w revolute world a) left=$(joint l revolute a b) right=$(joint r revolute b c) last=$(joint e revolute world 'c</child><pose>.2 0 0 0 0 0' | sed 's|0</child>|0</pose>|')
ball=$(joint r ball b c)
echo "<sdf version='1.9'><model name='m'>$links$world$left$right$last</model></sdf>" >one.sdf
echo "<sdf version='1.9'><model name='m'>$links$last$world$left$right</model></sdf>" >two.sdf
echo "<sdf version='1.9'><model name='m'>$links$last$world$left$ball</model></sdf>" >three.sdf
slide=$(joint r prismatic b c | sed 's|0 1 0</xyz>|1 0 0</xyz><limit><lower>-.1</lower><upper>.1</upper></limit>|')
echo "<sdf version='1.9'><model name='m'>$links$world$left$slide$last</model></sdf>" >four.sdf
echo "<sdf version='1.9'><model name='m'>$links$last$world$left$slide</model></sdf>" >five.sdf
for file in one two three four five; do
  printf '{"time": {"step": 0.002, "steps": 150}, "include": "%s.sdf"}' $file >$file.json
  run 0 simulate $file.json -o run-$file --quiet --no-report
  run 0 export run-$file --format csv
  python3 -c "
import csv
row = list(csv.DictReader(open('run-$file/export/trajectory.csv')))[-1]
print('\n'.join(row[name + axis] for name in 'abc' for axis in ('.x [m]', '.y [m]', '.z [m]')))" >$file.txt
done
"$dcsim" check one.json >notes 2>&1
check "the note names the joint" grep -q 'close loops are ties, without their ranges, damping and friction: e' notes
for file in two three; do
  same_numbers "$file falls alike" one "$file" 1e-4 9
done
check "a slide of a loop leads, wherever it stands" cmp four.txt five.txt
check "and moves" eval "paste one.txt four.txt | awk '{d += (\$1 - \$2) ^ 2} END {exit !(d > 1e-4)}'"
"$dcsim" check five.json >notes 2>&1
check "the hinge closes the loop" grep -q 'close loops are ties, without their ranges, damping and friction: e' notes
sed "s/type=\"revolute\"><parent>world<\/parent><child>c/type=\"prismatic\"><parent>world<\/parent><child>c/" four.sdf >six.sdf
sed s/four/six/ four.json >six.json
run 3 check six.json
says "six.sdf:1:1000: <joint>: closes a loop, which ball, revolute and fixed joints do: let one of these close it"
check "and it moves" awk 'NR == 7 {exit !($1 < 0.7)}' one.txt
finish
