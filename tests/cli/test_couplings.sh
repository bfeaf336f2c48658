#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Couplings by polynomials: gradients with both integrators, in one mechanism and between two; through MJCF and back; refused
# where nothing knows them.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
. "$DCSIM_SOURCE/tests/cli/round_trip.sh"
cat >apart.json <<'SCENE'
{"name": "apart", "time": {"step": 0.01, "steps": 12}, "contact": {"model": "bsh"},
 "shapes": {"bar": {"type": "box", "size": [0.1, 0.1, 0.4]}},
 "bodies": [
  {"name": "a", "shape": "bar", "mass": 1, "joint": "hinge", "axis": [0, 1, 0], "anchor": [0, 0, 0.2], "joint_position": [0.7], "collide": false},
  {"name": "b", "shape": "bar", "mass": 0.5, "position": [1, 0, 0], "joint": "hinge", "axis": [0, 1, 0], "anchor": [1, 0, 0.2], "collide": false}],
 "couplings": [{"body": "b", "to": "a", "multiplier": 0.6, "offset": 0.1, "powers": [0.3, -0.2, 0.4]}],
 "control": [{"type": "torque", "body": "a", "limit": [1]}],
 "objective": [{"type": "reach", "body": "b", "target": [0.9, 0, 0.1]}]}
SCENE
sed 's/"position": \[1, 0, 0\], "joint": "hinge", "axis": \[0, 1, 0\], "anchor": \[1, 0, 0.2\]/"parent": "a", "position": [0, 0, -0.4], "joint": "hinge", "axis": [0, 1, 0], "anchor": [0, 0, -0.2]/' apart.json >chain.json
sed 's/"type": "slide", *//; s/"joint": "hinge", "axis": \[0, 1, 0\], "anchor": \[1, 0, 0.2\]/"joint": "slide", "axis": [1, 0, 0]/' apart.json >slide.json
for name in apart chain slide; do
  for integrator in euler second_order; do
    run 0 gradcheck $name.json --set "time.integrator=\"$integrator\""
  done
done
run 0 simulate apart.json -o run --quiet --no-report
run 0 export apart.json --format mjcf -o pair.xml
check "the polynomial is written" grep -q 'polycoef="0.1[0-9]* 0.6[0-9]* 0.3[0-9]* -0.2[0-9]* 0.4' pair.xml
printf '{"time": {"step": 0.01, "steps": 12}, "contact": {"model": "bsh"}, "include": {"file": "pair.xml", "keyframe": "start"}}' >again.json
run 0 simulate again.json -o again --quiet --no-report
ends_alike "they come to the same place" run again 1e-6

# The follower comes to lie at the end of its range, which holds the leader through the polynomial: the torque is asked for
# on its way.  MuJoCo's ends are springs.
sed 's/\("joint_position": \[0.7\]\)/\1, "range": [-1, 0.75]/; s/"anchor": \[1, 0, 0.2\]/&, "range": [0.2, 0.72]/; s/"steps": 12/"steps": 60/' apart.json >ends.json
models=bsh
run 0 list models
grep -q '^  mujoco:' "$out" && models="bsh mujoco"
for model in $models; do
  run 0 simulate ends.json --model $model -o ends-$model --quiet --no-report
  run 0 export ends-$model --format csv
  check "$model: the end of the follower's range holds both" eval 'awk -F, "
    NR == 1 { for (i = 1; i <= NF; i++) at[\$i] = i }
    END { a = \$at[\"a.joint0 [rad]\"]; b = \$at[\"b.joint0 [rad]\"]; e = b - (0.1 + 0.6 * a + 0.3 * a ^ 2 - 0.2 * a ^ 3 + 0.4 * a ^ 4)
          exit !(b > 0.19 && b < 0.21 && e ^ 2 < 1e-5) }" ends-'$model'/export/trajectory.csv'
done
for integrator in euler second_order; do
  run 0 gradcheck ends.json --set "time.integrator=\"$integrator\"" --steps 30
done
sed 's/"type": "torque", "body": "a", "limit": \[1\]/"type": "pd_targets", "body": "a"/; s/"target": .*/"target": [0.93, 0, 0.0127], "axes": "xz", "tolerance": 0.01}],/; s/"time"/"optimizer": {"type": "adam", "iterations": 60, "learning_rate": 0.05}, &/; s/"joint_position": \[0.7\]/&, "pd": {"kp": 20, "kd": 2}/' ends.json | sed '$ s/}],$/}]}/' >reach.json
for model in $models; do
  [ $model = mujoco ] && plant="--plant mujoco" || plant=
  run 0 optimize reach.json -o reach-$model --no-report $plant
  check "$model: the follower is brought to its place" grep -q 'task reached' "$out"
done
"$dcsim" export apart.json --format urdf -o pair.urdf >notes 2>&1
check "URDF has the tangent" grep -q "1 couplings with powers" notes
finish
