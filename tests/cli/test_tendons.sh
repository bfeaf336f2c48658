#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tendons over joints: gradients with both integrators, in one mechanism and between two; through MJCF and back; MuJoCo's
# motion; limits; refused where they cannot be.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
. "$DCSIM_SOURCE/tests/cli/round_trip.sh"
cat >apart.json <<'SCENE'
{"name": "apart", "time": {"step": 0.005, "steps": 60}, "contact": {"model": "bsh"}, "gravity": [0, 0, -9.81],
 "shapes": {"bar": {"type": "box", "size": [0.1, 0.1, 0.4]}},
 "bodies": [
  {"name": "a", "shape": "bar", "mass": 1, "joint": "hinge", "axis": [0, 1, 0], "anchor": [0, 0, 0.2], "joint_position": [0.7], "collide": false},
  {"name": "b", "shape": "bar", "mass": 0.5, "position": [1, 0, 0], "joint": "hinge", "axis": [0, 1, 0], "anchor": [1, 0, 0.2], "collide": false}],
 "tendons": [{"joints": [{"body": "a"}, {"body": "b", "factor": -1.5}], "stiffness": 8, "rest": [0.1, 0.3], "damping": 0.2},
             {"joints": [{"body": "b"}, {"body": "a", "factor": 0.5}], "stiffness": 20, "rest": [0.5, 0.5], "effort": 0.4},
             {"joints": [{"body": "a"}, {"body": "b"}], "dry_friction": 0.05}],
 "control": [{"type": "torque", "body": "a", "limit": [1]}],
 "objective": [{"type": "reach", "body": "b", "target": [0.9, 0, 0.1]}]}
SCENE
sed 's/"position": \[1, 0, 0\], "joint": "hinge", "axis": \[0, 1, 0\], "anchor": \[1, 0, 0.2\]/"parent": "a", "position": [0, 0, -0.4], "joint": "hinge", "axis": [0, 1, 0], "anchor": [0, 0, -0.2]/' apart.json >chain.json
for name in apart chain; do
  for integrator in euler second_order; do
    run 0 gradcheck $name.json --steps 12 --set "time.integrator=\"$integrator\""
  done
done

# Written as MJCF and read again it moves alike; servos on tendons have limits there.
run 0 simulate apart.json -o run --quiet --no-report
run 0 export apart.json --format mjcf -o pair.xml
check "springs are fixed tendons" grep -q '<fixed name="tendon0" stiffness="8" springlength="0.1[0-9]* 0.[0-9]*" damping="0.2' pair.xml
check "limited ones are servos" grep -q 'tendon="tendon1" forcelimited="true" gainprm="0"' pair.xml
printf '{"time": {"step": 0.005, "steps": 60}, "contact": {"model": "bsh"}, "include": {"file": "pair.xml", "keyframe": "start"}}' >again.json
run 0 simulate again.json -o again --quiet --no-report
ends_alike "they come to the same place" run again 1e-6
sed 's/"rest": \[0.1, 0.3\]/"rest": [-1, -0.25], "range": [-1, 2]/' apart.json >below.json
run 0 simulate below.json -o below --quiet --no-report
run 0 export below.json --format mjcf -o below.xml
check "negative lengths have turned factors" grep -q 'springlength="0.25 1" damping="0.2[0-9]*" limited="true" range="-2 1"><joint joint="a" coef="-1"/><joint joint="b" coef="1.5"/>' below.xml
sed 's/pair.xml/below.xml/' again.json >below-again.json
run 0 simulate below-again.json -o below-again --quiet --no-report
ends_alike "they come to the same place, too" below below-again 1e-6

# A start at the end of a range to rounding is within it: 0.1 + 0.2 is above 0.3.
cat >edge.xml <<'MODEL'
<mujoco><compiler angle="radian"/><worldbody>
<body name="p" pos="0 0 1"><joint name="one" type="hinge" axis="0 1 0" ref="0.1"/><geom type="box" size="0.05 0.05 0.2" mass="1"/>
<body name="q" pos="0 0 -0.6"><joint name="two" type="hinge" axis="0 1 0" ref="0.2"/><geom type="box" size="0.05 0.05 0.1" mass="0.5"/></body></body>
</worldbody><tendon><fixed limited="true" range="-1 0.3"><joint joint="one" coef="1"/><joint joint="two" coef="1"/></fixed></tendon></mujoco>
MODEL
echo '{"time": {"step": 0.001, "steps": 2}, "contact": {"model": "bsh"}, "include": {"file": "edge.xml"}}' >edge.json
run 0 simulate edge.json -o edge --quiet --no-report
check "the range acts" grep -q '"range"' edge/resolved.json
check "no note leaves it out" eval '! grep -q "outside of" "$out" "$err"'
cat >held.json <<'SCENE'
{"problem": "refine", "include": {"file": "edge.xml"}, "shapes": {"ball": {"type": "sphere", "radius": 0.05}},
 "bodies": [{"name": "ball", "shape": "ball", "position": [0.3, 0, 1]}],
 "pairs": [{"object": "ball", "object_point": [-0.05, 0, 0], "link": "p", "link_point": [0.05, 0, 0]}]}
SCENE
run 0 check held.json
check "a refinement names the range" grep -q 'tendons\[0\].range: does not act in a refinement' "$out" "$err"
run 0 export apart.json --format urdf -o pair.urdf
check "URDF has none" grep -q "3 tendons left out" "$out" "$err"

# The end of a range stops both joints where their sum has it, without a bounce.
sed 's/"tendons": .*/"tendons": [{"joints": [{"body": "a"}, {"body": "b"}], "range": [0.4, 3]}],/; /"damping": 0.2\|"effort": 0.4\|dry_friction/d; s/"joint_position": \[0.7\]/&, "joint_velocity": [-1]/' apart.json >ends.json
run 0 simulate ends.json -o ends --quiet --no-report
run 0 export ends --format csv
check "the sum stays above the end" awk -F, '
  NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
  NR > 1 { s = $at["a.joint0 [rad]"] + $at["b.joint0 [rad]"]; low = NR == 2 || s < low ? s : low }
  END { exit !(low > 0.4 - 1e-4 && low < 0.41) }' ends/export/trajectory.csv

# The scene NAME.json comes to the same place by MuJoCo.
alike() # NAME
{
  for model in bsh mujoco; do
    run 0 simulate $1.json --model $model --set time.step=0.0005 --set time.steps=600 -o $1-$model --quiet --no-report
    run 0 export $1-$model --format csv
    tail -1 $1-$model/export/trajectory.csv | cut -d, -f2-15 | tr ',' '\n' >$1-$model.txt
  done
  same_numbers "$1: they come within a few millimetres" "$1-bsh" "$1-mujoco" 3.2e-3 14
}

# MuJoCo has the same springs; limits of tendons it has not.
run 0 list models
if grep -q '^  mujoco:' "$out"; then
  sed 's/, "effort": 0.4//; s/"rest": \[0.1, 0.3\]/"rest": [0.1, 0.1]/; s/"dry_friction": 0.05/"damping": 0.05/' apart.json >plain.json
  alike plain
  # A spring that is slack at a negative length only, which MuJoCo 2 would take for none.
  sed 's/"rest": \[0.1, 0.1\]/"rest": [-1, -1], "range": [-9, 3]/' plain.json >negative.json
  alike negative
  check "they act" eval 'paste plain-bsh.txt negative-bsh.txt | awk "{if ((\$1 - \$2) ^ 2 > 1e-2) far = 1} END {exit !far}"'
  # Ends of ranges there are as soft as "solref" says.
  for time in 0.02 0.2; do
    run 0 simulate ends.json --model mujoco --set "mujoco={\"solref\": [$time, 1]}" -o soft-$time --quiet --no-report
    run 0 export soft-$time --format csv
  done
  check "solref softens the ends of ranges" eval '! cmp -s soft-0.02/export/trajectory.csv soft-0.2/export/trajectory.csv'
  run 3 simulate apart.json --model mujoco -o limited --quiet --no-report
  check "limits are refused there" grep -q 'tendons\[1\].effort' "$err"
fi

refused() # SED WORDS
{
  sed "$1" apart.json >bad.json
  run 3 check bad.json
  check "$2" grep -q "$2" "$err"
}
refused 's/{"body": "b", "factor": -1.5}/{"body": "b", "coordinate": 1}/' 'tendons\[0\].joints\[1\].coordinate: "b" (hinge) has no slide or hinge of that number'
refused 's/{"body": "b", "factor": -1.5}/{"body": "a"}/' 'tendons\[0\].joints\[1\]: stands there twice'
refused 's/\[0.1, 0.3\]/[0.3, 0.1]/' 'tendons\[0\].rest: the lower one must come first'
refused 's/"rest": \[0.5, 0.5\]/"rest": [0.4, 0.5]/' 'tendons\[1\].effort: is for springs that are slack at one length'
refused 's/"dry_friction": 0.05/"range": [1, 2]/' 'tendons\[2\].range: must hold the length at the start (0.7)'

# Two slides that a spring along q_a - 1.5 q_c ties: of masses m and n it swings as u = -1.5 v/w sin(w t), w^2 = k (1/m +
# 2.25/n), and 1.5 m q_a + n q_c grows by n v t.  The step is of first order, also in parts, which two balls far away ask for.
cat >swing.json <<'END'
{"time": {"step": 0.005, "steps": 160}, "gravity": [0, 0, 0], "contact": {"model": "sdrs"},
 "shapes": {"box": {"type": "box", "size": [0.1, 0.1, 0.1]}, "ball": {"type": "sphere", "radius": 0.1, "level": 0, "surface": "mesh"}},
 "bodies": [{"name": "a", "shape": "box", "mass": 0.5, "position": [-0.5, 0, 0], "joint": {"type": "slide", "axis": [1, 0, 0]}},
            {"name": "c", "shape": "box", "mass": 1.3, "position": [0.5, 0.5, 0], "joint": {"type": "slide", "axis": [0, 1, 0]}, "joint_velocity": [0.6]},
            {"name": "left", "shape": "ball", "mass": 1, "position": [-40, -0.02, 60], "velocity": [100, 0, 0]},
            {"name": "right", "shape": "ball", "mass": 1, "position": [40, 0.02, 60], "velocity": [-100, 0, 0]}],
 "tendons": [{"joints": [{"body": "a"}, {"body": "c", "factor": -1.5}], "stiffness": 40}],
 "objective": [{"type": "reach", "body": "a", "target": [-0.100551054617, 0, 0]}, {"type": "reach", "body": "c", "target": [0.5, 0.749548685356, 0]}]}
END
for integrator in euler second_order; do
  for step in 0.005 0.0025; do
    run 0 simulate swing.json -o none --json --threads 1 --set time.integrator=$integrator --set time.step=$step --set "time.steps=$(awk "BEGIN { print 0.8 / $step }")"
    # observed 4.4e-3 and 2.3e-3 m (euler), 2.9e-3 and 1.7e-3 m (second_order, whose steps are divided while the balls are near)
    holds "$integrator, $step s: two slides swing as they should, in divided steps" "$out" "d['divided_steps'] > 0 and d['loss'] ** 0.5 < 1.05 * $step"
  done
done
finish
