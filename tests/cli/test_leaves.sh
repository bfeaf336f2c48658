#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Shapes with "surface": "leaves" from the outside: what rolls, where boxes rest, gradients, and who refuses them.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

# A ball of 0.2 kg on a slope of 0.1 rad with friction, from rest: in 1 s it goes 5/14 g sin(0.1) s^2 = 0.349774 m, so
# that it ends 0.01 m before the target: within 0.1 % of the way and what the integrator and smoothed friction leave.
roll() {
  cat <<SCENE
{"time": {"step": 0.01, "steps": 100, "integrator": "second_order"}, "gravity": [0.9793658, 0, -9.7609908],
 "contact": {"model": "bsh", "friction": 0.6},
 "shapes": {"ball": {"type": "sphere", "radius": 0.05, "surface": "leaves"}, "floor": $1},
 "bodies": [{"name": "floor", "joint": "fixed", "shape": "floor", "position": [0, 0, $2]},
            {"name": "ball", "shape": "ball", "mass": 0.2, "position": [-0.349774, 0, 0.0501]}],
 "control": [{"type": "initial_state", "body": "ball", "velocity": "xy"}],
 "objective": [{"type": "reach", "body": "ball", "target": [0.01, 0, 0.05], "axes": "xy", "when": "end"}]}
SCENE
}
distance() { sed -n 's/.*reach ball: \([0-9.e+-]*\) m from its target.*/\1/p' "$1"; }
roll '{"type": "plane"}' 0 >plane.json
roll '{"type": "box", "size": [3, 1, 0.1], "surface": "leaves"}' -0.05 >leaf.json
roll '{"type": "box", "size": [3, 1, 0.1], "divisions": [6, 2, 1]}' -0.05 >mesh.json
for floor in plane leaf mesh; do
  run 0 simulate $floor.json -o run_$floor
  check "a ball rolls on a $floor by 5/7 of what slides ($(distance "$out"))" \
    awk -v d="$(distance "$out")" 'BEGIN { exit !(d > 0.01 - 4.2e-4 && d < 0.01 + 4.2e-4) }'
done
# A box settles at one gap on a plane and on boxes, however they are divided.
rest() {
  cat <<SCENE
{"time": {"step": 0.01, "steps": 200}, "gravity": [0, 0, -9.81], "contact": {"model": "bsh", "stiffness": 1e-7},
 "shapes": {"box": {"type": "box", "size": [0.1, 0.1, 0.1], "divisions": $2, "surface": "leaves"}, "floor": $1},
 "bodies": [{"name": "floor", "joint": "fixed", "shape": "floor", "position": [0.03, 0.07, $3]},
            {"name": "box", "shape": "box", "mass": 0.5, "position": [0, 0, 0.0505]}]}
SCENE
}
gap() { sed -n 's/.*smallest gap \([0-9.e+-]*\) m.*/\1/p' "$1"; }
rest '{"type": "plane"}' '[1, 1, 1]' 0 >on_plane.json
rest '{"type": "box", "size": [2, 2, 0.1], "surface": "leaves"}' '[1, 1, 1]' -0.05 >on_box.json
rest '{"type": "box", "size": [2, 2, 0.1], "divisions": [8, 8, 1], "surface": "leaves"}' '[3, 3, 3]' -0.05 >divided.json
run 0 simulate on_plane.json -o on_plane
right=$(gap "$out")
for floor in on_box divided; do
  run 0 simulate $floor.json -o $floor
  check "$floor: rests at $(gap "$out") m, on a plane at $right m" \
    awk -v g="$(gap "$out")" -v r="$right" 'BEGIN { exit !(g > 0.95 * r && g < 1.05 * r) }'
done
# Round ones, too: a ball, and a capsule that lies; far bodies do not matter to the gap, however large the box is.
for round in '{"type": "sphere", "radius": 0.05}' '{"type": "capsule", "radius": 0.05, "height": 0.1}'; do
  for floor in on_plane on_box; do
    run 0 simulate $floor.json -o round_$floor --overwrite --set "shapes.box=$round" \
      --set 'bodies.box.rotation=[0.7071067811865476, 0, 0.7071067811865476, 0]'
    eval "$floor=$(gap "$out")"
  done
  check "$round rests at $on_box m on a box, on a plane at $on_plane m" \
    awk -v g="$on_box" -v r="$on_plane" 'BEGIN { exit !(g > 0.95 * r && g < 1.05 * r) }'
done
run 0 gradcheck plane.json --set time.steps=20
check "tangent and adjoint" grep -q 'tangent and adjoint agree' "$out"

# Leaves in company: a box and a cylinder that fall onto a floor beside two links, with friction and restitution, in
# steps of second order; the numbers of threads change no bit.
company() {
  cat <<SCENE
{"time": {"step": 0.01, "steps": 4, "integrator": "$1"}, "gravity": [0.3, 0.1, -9.81],
 "contact": {"model": "$2", "friction": 0.4$3},
 "shapes": {"floor": {"type": "box", "size": [2, 2, 0.2], "divisions": [3, 3, 1], "surface": "leaves"},
            "box": {"type": "box", "size": [0.1, 0.08, 0.12], "surface": "leaves"},
            "round": {"type": "cylinder", "radius": 0.05, "height": 0.1, "sides": 8, "surface": "leaves"},
            "link": {"type": "capsule", "radius": 0.02, "height": 0.12, "surface": "leaves"}},
 "bodies": [{"name": "floor", "joint": "fixed", "shape": "floor", "position": [0.013, 0.021, -0.1]},
            {"name": "box", "shape": "box", "density": 500, "position": [0, 0, 0.1], "rotation": [0.9, 0.3, 0.2, 0.2449489742783178],
             "velocity": [0.3, 0.1, -1], "angular_velocity": [1, -1, 2]},
            {"name": "round", "shape": "round", "density": 500, "position": [0.02, 0.01, 0.25], "velocity": [0, 0, -3]},
            {"name": "upper", "shape": "link", "joint": "hinge", "axis": [0, 1, 0], "anchor": [-0.3, 0, 0.35],
             "position": [-0.3, 0, 0.26], "mass": 0.5, "pd": {"kp": 2, "kd": 0.1}, "joint_velocity": [-2]},
            {"name": "lower", "parent": "upper", "shape": "link", "joint": "hinge", "axis": [0, 1, 0],
             "anchor": [-0.3, 0, 0.17], "position": [-0.3, 0, 0.1], "mass": 0.3, "joint_velocity": [-3]}$4],
 "control": [{"type": "initial_state", "body": "box", "velocity": "xyz"}, {"type": "pd_targets", "body": "upper"}],
 "objective": [{"type": "reach", "body": "box", "target": [0.2, 0.1, 0.1], "when": "end"},
               {"type": "reach", "body": "round", "target": [0.2, 0.1, 0.1], "when": "end"}]}
SCENE
}
company second_order bsh ', "restitution": 0.5' '' >rebound.json
for scene in rebound; do
  run 0 gradcheck $scene.json --steps 2
  check "$scene: tangent and adjoint" grep -q 'tangent and adjoint agree' "$out"
  for threads in 1 2; do run 0 simulate $scene.json -o $scene$threads --threads $threads; done
  run 0 diff ${scene}1 ${scene}2
done

# A run that is interrupted gives the bits of one that is not, and has its report.
company euler bsh '' ', {"name": "post", "joint": "fixed", "shape": "box", "position": [0.6, 0, 0.2]}' >long.json
set_long="--set optimizer={\"type\":\"adam\",\"learning_rate\":0.01,\"iterations\":12}"
run 0 optimize long.json -o whole $set_long --threads 1
within 60 "$dcsim" optimize long.json -o cut $set_long --max-time 0.001 --quiet >"$out" 2>"$err"
check "it was interrupted" [ "$(wc -l <cut/loss.csv)" -lt "$(wc -l <whole/loss.csv)" ]
run 0 optimize --resume cut --threads 2
check "the same losses" cmp whole/loss.csv cut/loss.csv
run 0 diff whole cut
rm -f cut/report.html
run 0 report cut
check "its report has the bodies" grep -q 'upper' cut/report.html
run 0 gradcheck long.json --steps 2
check "tangent and adjoint of leaves with cores" grep -q 'tangent and adjoint agree' "$out"

run 3 check plane.json --set contact.model=sdrs
check "other models refuse leaves" grep -q 'for the contact models bsh and exact (here sdrs)' "$err"
run 3 check plane.json --set contact.weights=paper
check "the paper's weights, too" grep -q 'no "weights": "paper"' "$err"
run 3 check plane.json --set 'shapes.ball={"type": "cylinder", "radius": 0.05, "height": 0.1, "sides": 40, "surface": "leaves"}'
check "a leaf has at most 64 corners" grep -q 'has 80 corners, a leaf at most 64' "$err"

# The default: leaves where the model sees them and the shape has them.
sed 's/, "surface": "leaves"//g' plane.json >auto.json
seen() { "$dcsim" check "$@" 2>"$err" | grep -o 'seen as .*' | head -1; }
check "a ball by default: $(seen auto.json)" [ "$(seen auto.json)" = "seen as a leaf" ]
check "its triangles: $(seen auto.json --set shapes.ball.surface=mesh)" [ -z "$(seen auto.json --set shapes.ball.surface=mesh)" ]
run 0 check auto.json --json
holds "its JSON says so" "$out" 'd["bodies"]["ball"]["surface"] == "leaves" and d["bodies"]["ball"]["leaves"] == 1'
for other in contact.model=sdrs contact.model=ipc contact.weights=paper; do
  check "triangles under $other" [ -z "$(seen auto.json --set $other)" ]
  check "it is no error" [ ! -s "$err" ]
done
check "too many corners keep the mesh" \
  [ -z "$(seen auto.json --set 'shapes.ball={"type": "cylinder", "radius": 0.05, "height": 0.1, "sides": 40}')" ]
check "so does a design of the shape" \
  [ -z "$(seen auto.json --set 'design=[{"type": "size", "shape": "ball"}]')" ]

# A start at which the ball overlaps and its polyhedron of 20 triangles does not keeps the polyhedron, with a note; one
# that was asked for as leaves, one that overlaps in both ways, and one that is free do not.
low() {
  cat <<SCENE
{"time": {"step": 0.01, "steps": 2}, "gravity": [0, 0, -9.81],
 "shapes": {"ball": {"type": "sphere", "radius": 0.1, "level": 0$2}, "floor": {"type": "plane"},
            "table": {"type": "box", "size": [1, 1, 0.2]}, "pair": {"type": "compound", "parts": [{"shape": "ball"}, {"shape": "ball", "position": [0.3, 0, 0]}]}},
 "bodies": [{"name": "floor", "joint": "fixed", "shape": "floor"}, {"name": "table", "joint": "fixed", "shape": "table", "position": [3, 0, 0.1]},
            {"name": "on", "shape": "$3", "mass": 0.2, "position": [$1]}]}
SCENE
}
keeps() { "$dcsim" check "$1" 2>&1 | grep -c 'contact sees the mesh of "on"'; }
for place in '0, 0, 0.0995' '3, 0, 0.2995'; do
  for shape in ball pair; do
    low "$place" '' $shape >low.json
    check "$shape at $place opens as its mesh" [ "$(keeps low.json)" = 1 ]
    check "the mesh is what is seen" [ -z "$(seen low.json | grep 'round')" ]
    run 0 simulate low.json -o low_$shape --overwrite
  done
done
low '0, 0, 0.0995' ', "surface": "mesh"' ball >mesh_low.json
low '0, 0, 0.0995' '' ball >low.json
bits_of() { "$dcsim" simulate "$1" -o none --overwrite --json 2>"$err" | grep -E '"(loss|min_gap|position)"'; }
check "it moves as the mesh does" [ "$(bits_of low.json)" = "$(bits_of mesh_low.json)" ]
low '0, 0, 0.1005' '' ball >free.json
check "a free ball stays a ball" [ "$(keeps free.json)" = 0 ]
low '0, 0, 0.0995' ', "surface": "leaves"' ball >asked.json
run 3 check asked.json
low '0, 0, 0.05' '' ball >deep.json
run 3 check deep.json
check "what overlaps in both ways keeps nothing" [ "$(keeps deep.json)" = 0 ]

# Large fixed boxes are felt from afar as their triangles are where these weigh by what they bear.
field() { "$dcsim" simulate "$1" -o none --overwrite >"$out" 2>"$err"; distance "$out"; }
for size in '[3, 0.1, 0.2]' '[0.1, 0.6, 0.2]' '[1, 1, 1]'; do
  for surface in mesh leaves; do
    cat >far_$surface.json <<SCENE
{"time": {"step": 0.05, "steps": 20}, "gravity": [0, 0, 0], "contact": {"stiffness": 1e-4, "weights": "contact"},
 "shapes": {"ball": {"type": "sphere", "radius": 0.05, "surface": "$surface"}, "wall": {"type": "box", "size": $size, "surface": "$surface"}},
 "bodies": [{"name": "wall", "joint": "fixed", "shape": "wall"}, {"name": "ball", "shape": "ball", "mass": 0.2, "position": [0.3, 6, 0]}],
 "control": [{"type": "initial_state", "body": "ball", "velocity": "xy"}], "objective": [{"type": "reach", "body": "ball", "target": [0.3, 6, 0]}]}
SCENE
  done
  check "$size: $(field far_leaves.json) m by leaves, $(field far_mesh.json) m by triangles" \
    awk -v l="$(field far_leaves.json)" -v m="$(field far_mesh.json)" 'BEGIN { exit !(l > m / 1.5 && l < 1.5 * m) }'
done

# An include says it for all of its shapes, in URDF and, where it can be read, in MJCF.
cat >robot.urdf <<'URDF'
<robot name="r"><link name="l"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>
URDF
cat >robot.xml <<'MJCF'
<mujoco><worldbody><body name="l" pos="0 0 1"><freejoint/><geom type="sphere" size="0.1"/></body></worldbody></mujoco>
MJCF
for file in robot.urdf robot.xml; do
  for surface in auto:leaves leaves:leaves mesh:mesh; do
    echo "{\"include\": {\"file\": \"$file\", \"surface\": \"${surface%:*}\"}, \"time\": {\"step\": 0.01, \"steps\": 1}}" >include.json
    run 0 check include.json --json
    holds "$file, ${surface%:*}: ${surface#*:}" "$out" 'd["bodies"]["l"]["surface"] == "'"${surface#*:}"'"'
  done
done
bits() { "$dcsim" simulate "$1" -o none --json 2>"$err" | grep -E '"(loss|min_gap|position)"'; }
check "the default has the bits of leaves" [ "$(bits plane.json)" = "$(bits auto.json)" ]
finish
