#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Scenes without an optimizer: a goal is enough.  Three kinds of tasks are reached, with the same bits for any number of
# threads and after an interruption; what was found can be put into the scene; what is named is kept.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

# A ball is thrown at another one, which has to come to rest nowhere near.
cat >shot.json <<'SCENE'
{ "time": {"step": 0.02, "steps": 40}, "gravity": [0, 0, 0],
  "shapes": {"ball": {"type": "sphere", "radius": 0.1}},
  "bodies": [{"name": "cue", "shape": "ball", "mass": 0.2, "velocity": [1, 0, 0]},
             {"name": "target", "shape": "ball", "mass": 0.2, "position": [0.5, 0.05, 0]}],
  "control": [{"type": "initial_state", "body": "cue", "velocity": "xy"}],
  "objective": [{"type": "reach", "body": "target", "target": [0.8, 0.13, 0], "tolerance": 0.05}] }
SCENE
# An arm without contact.
cat >arm.json <<'SCENE'
{ "time": {"step": 0.02, "steps": 25}, "gravity": [0, 0, -9.81],
  "shapes": {"link": {"type": "capsule", "radius": 0.03, "height": 0.3}},
  "bodies": [
    {"name": "upper", "joint": "hinge", "axis": [0, 1, 0], "anchor": [0, 0, 0], "shape": "link", "mass": 2,
     "position": [0, 0, -0.2], "pd": {"kp": 400, "kd": 40, "gravity_compensation": true}},
    {"name": "lower", "parent": "upper", "joint": "hinge", "axis": [0, 1, 0], "anchor": [0, 0, -0.4], "shape": "link",
     "mass": 1, "position": [0, 0, -0.6], "joint_position": [-0.7], "pd": {"kp": 300, "kd": 30, "gravity_compensation": true}}],
  "control": [{"type": "spline", "body": "upper", "knots": 3}, {"type": "spline", "body": "lower", "knots": 3}],
  "objective": [{"type": "point", "body": "lower", "point": [0, 0, -0.15], "target": [0.5, 0, -0.3], "tolerance": 0.02}] }
SCENE
# A pusher and a block in a plane, with a target for every step.
cat >push.json <<'SCENE'
{ "time": {"step": 0.04, "steps": 40}, "gravity": [0, 0, 0], "contact": {"friction": 0.3},
  "shapes": {"block": {"type": "box", "size": [0.1, 0.1, 0.1]}, "tip": {"type": "sphere", "radius": 0.03, "level": 1}},
  "bodies": [{"name": "block", "shape": "block", "mass": 0.5, "position": [0.2, 0.01, 0], "joint": "planar",
              "axis": [0, 0, 1], "pd": {"kp": 0, "kd": 2, "kd_rotation": 0.1}},
             {"name": "tip", "shape": "tip", "mass": 0.2, "joint": [{"type": "slide", "axis": [1, 0, 0]}, {"type": "slide", "axis": [0, 1, 0]}],
              "pd": {"kp": 200, "kd": 20}}],
  "control": [{"type": "pd_velocity", "body": "tip", "speed": 0.5, "limit": 1}],
  "objective": [{"type": "reach", "body": "block", "target": [0.42, 0.06, 0], "axes": "xy", "tolerance": 0.03}] }
SCENE

# A gripper above a ball, which has to come up: no far field pulls, hands are brought near first.
cat >lift.json <<'SCENE'
{ "time": {"step": 0.03, "steps": 80}, "contact": {"friction": 0.8},
  "shapes": {"ground": {"type": "plane"}, "ball": {"type": "sphere", "radius": 0.03},
             "palm": {"type": "box", "size": [0.2, 0.06, 0.03]}, "finger": {"type": "box", "size": [0.02, 0.04, 0.1]}},
  "bodies": [
    {"name": "ground", "joint": "fixed", "shape": "ground"},
    {"name": "ball", "shape": "ball", "mass": 0.1, "position": [0.1, 0, 0.031]},
    {"name": "palm", "joint": [{"type": "slide", "axis": [1, 0, 0]}, {"type": "slide", "axis": [0, 0, 1]}], "shape": "palm",
     "mass": 0.5, "position": [0, 0, 0.4], "pd": {"kp": 500, "kd": 50, "gravity_compensation": true}},
    {"name": "left", "parent": "palm", "frame": "world", "joint": {"type": "slide", "axis": [1, 0, 0]}, "shape": "finger",
     "mass": 0.1, "position": [-0.07, 0, 0.325], "pd": {"kp": 300, "kd": 20, "gravity_compensation": true}},
    {"name": "right", "parent": "palm", "frame": "world", "joint": {"type": "slide", "axis": [1, 0, 0]}, "shape": "finger",
     "mass": 0.1, "position": [0.07, 0, 0.325], "pd": {"kp": 300, "kd": 20, "gravity_compensation": true}}],
  "control": [{"type": "pd_targets", "body": "palm", "hold": 5}, {"type": "pd_targets", "body": "left", "hold": 5},
              {"type": "pd_targets", "body": "right", "hold": 5}],
  "objective": [{"type": "reach", "body": "ball", "target": [0.3, 0, 0.2], "tolerance": 0.03}] }
SCENE

for scene in shot arm push lift; do
  run 0 optimize $scene.json -o $scene --json --quiet --threads 1
  check "$scene: is reached" grep -q '"success": true' "$out"
  check "$scene: the settings are told" grep -q '"settings_found": {' "$out"
  run 0 optimize $scene.json -o $scene-2 --quiet --threads 2
  check "$scene: in one line, too" grep -q 'automatic: [1-9]' "$out"
  check "$scene: ready to be put into a scene" grep -q 'settings found: "optimizer": {"type": ' "$out"
  check "$scene: two threads have the same losses" \
    cmp $scene/loss.csv $scene-2/loss.csv
  check "$scene: and trajectories" cmp $scene/trajectory.h5 $scene-2/trajectory.h5
done

# The fan begins alone: where it reaches, the others cost nothing.
run 0 optimize arm.json -o none --quiet
check "a fan that reaches is not slowed down by others" sh -c "sed -n 's/.*automatic: 1 round, //p' '$out' | awk '{ exit !(\$1 <= 12) }'"

run 0 optimize lift.json -o none --quiet
check "a lift tells how it began" grep -q 'begun with a grasp' "$out"
# with_settings SCENE: the scene with the settings that the last run found, as somebody pastes them behind its last key.
with_settings() {
  { sed '$ s/}[ ]*$/,/' "$1"; sed -n 's/.*settings found: //p' "$out"; echo '}'; } >pasted.json
}
with_settings lift.json
run 0 optimize pasted.json -o none --json --quiet
check "what is printed of a grasp begins with it when it is pasted" \
  sh -c "grep -q '\"success\": true' '$out' && grep -q '^ *\"iterations\": 0,' '$out'"
run 0 optimize lift.json -o none --json --quiet --threads 1
check "and stands in --json" sh -c "tr -d '\n' <'$out' | grep -q '\"init\": *{[^}]*\"type\": *\"grasp\"'"
run 3 optimize shot.json -o none --quiet --set init.type=grasp
check "a grasp of nothing is refused" grep -q 'init.type: a grasp needs gravity' "$err"
# Under ipc the first guess feels nothing, and members that follow its gradient end.  A grasp that misses by 9 mm goes on.
sed 's/"friction": 0.8/"friction": 0.8, "model": "ipc"/; s/"sphere", "radius": 0.03/"box", "size": [0.06, 0.06, 0.06]/
     s/0.3, 0, 0.2/0.1, 0, 0.2/; s/"tolerance": 0.03/"tolerance": 0.002/' lift.json >numb.json
run 0 optimize numb.json -o none --quiet
check "a grasp goes on where the first guess feels nothing" grep -q 'automatic: 1 round, .* begun with a grasp' "$out"
with_settings numb.json
run 0 optimize pasted.json -o none --json --quiet
check "such a one reaches when it is pasted, too" grep -q '"success": true' "$out"

# A peg that its controls move themselves has to go over the walls around a hole: it is led over them first.
cat >peg.json <<'SCENE'
{ "time": {"step": 0.03, "steps": 60}, "contact": {"friction": 0.5},
  "shapes": {"peg": {"type": "box", "size": [0.04, 0.04, 0.16]}, "side": {"type": "box", "size": [0.2, 0.05, 0.1]},
             "end": {"type": "box", "size": [0.05, 0.048, 0.1]}},
  "bodies": [
    {"name": "front", "joint": "fixed", "shape": "side", "position": [0.4, -0.05, 0.05]},
    {"name": "back", "joint": "fixed", "shape": "side", "position": [0.4, 0.05, 0.05]},
    {"name": "near", "joint": "fixed", "shape": "end", "position": [0.35, 0, 0.05]},
    {"name": "far", "joint": "fixed", "shape": "end", "position": [0.45, 0, 0.05]},
    {"name": "peg", "shape": "peg", "mass": 0.3, "position": [0.1, 0.08, 0.15], "pd": {"kp": 500, "kd": 50, "gravity_compensation": true},
     "joint": [{"type": "slide", "axis": [1, 0, 0]}, {"type": "slide", "axis": [0, 1, 0]}, {"type": "slide", "axis": [0, 0, 1]}]}],
  "control": [{"type": "pd_targets", "body": "peg", "hold": 3}],
  "objective": [{"type": "reach", "body": "peg", "target": [0.4, 0, 0.1], "tolerance": 0.006, "rest": 0.05}] }
SCENE
run 0 optimize peg.json -o none --quiet
check "a peg is led over the walls around its hole" grep -q 'begun with a way over what stands between' "$out"
check "and is there with few rollouts" sh -c "sed -n 's/.*automatic: 1 round, //p' '$out' | awk '{ found = \$1 <= 20 } END { exit !found }'"
with_settings peg.json
run 0 optimize pasted.json -o none --json --quiet
check "what is printed of it reaches when it is pasted" grep -q '"success": true' "$out"
# A door far away keeps its own first guess beside such a way.
sed 's|{"name": "peg"|{"name": "door", "shape": "end", "mass": 0.3, "position": [-2, 0, 1], "pd": {"kp": 500, "kd": 50, "gravity_compensation": true},\
     "joint": {"type": "slide", "axis": [1, 0, 0]}},\
    &|; s|"hold": 3}|&, {"type": "pd_targets", "body": "door", "hold": 60, "initial": [0.3]}|' peg.json >door.json
run 0 optimize door.json -o none --json --quiet --set init.type=grasp --set optimizer.iterations=0
check "a grasp leaves what leads no hand" sh -c "grep -q '\"door.0.0\": 0.3,*\$\|\"door.0.0\": 0.29999' '$out'"
check "and leads the peg" sh -c "! grep -q '\"peg.57.2\": 0,' '$out'"
# Only the whole run of one world begins with a grasp; each type of first guess has its own options.
run 3 check peg.json --set init.type=grasp --set horizon.length=20
check "not with a horizon" grep -q 'init.type: a grasp is a guess of the whole run: not with a "horizon"' "$err"
sed 's/"control"/"cases": [{"gravity": [0, 0, -9]}], "init": {"type": "grasp"}, "control"/' peg.json >cases.json
run 3 check cases.json
check "not with cases" grep -q 'init.type: a grasp is a guess for one world: not with "cases"' "$err"
for key in draws=3 sigma=1 'distribution="uniform"' held=true threshold=1 every_window=false seed=2; do
  run 3 check peg.json --set init.type=grasp --set "init.$key"
  check "a grasp has no $key" grep -q "init.${key%%=*}: has no meaning for a \"grasp\"" "$err"
done
for key in squeeze clearance; do
  run 3 check peg.json --set "init.$key=0.5"
  check "$key is of grasps" grep -q "init.$key: only of \"grasp\"" "$err"
done
sed 's/"control"/"init": {"type": "grasp", "squeeze": 0.2}, "control"/' peg.json >own.json
run 0 check own.json --set init.type=given
run 0 optimize own.json -o own --quiet --set optimizer.iterations=0
cp own/resolved.json again.json
run 0 check again.json
# What began with the controls of a run does not come from the scene's first guess.
run 0 optimize peg.json -o peg --quiet
run 0 optimize peg.json -o none --quiet --control peg
check "controls of a run are told as a beginning" grep -q 'they alone do not lead here' "$out"
sed 's/0.4, 0, 0.1], "tol/0.2, 0, 0.2], "tol/' peg.json >clear.json
run 0 optimize clear.json -o none --quiet
check "with nothing between there is no such way" sh -c "! grep -q 'begun with' '$out'"

# Interrupted where hands are brought near, and where it went on from there.
# in_five_parts SCENE RUN SECONDS: the scene's run again, interrupted four times, has the bits of RUN.
in_five_parts() {
  run 0 optimize "$1" -o "$2-parts" --quiet --threads 2 --max-time "$3" --checkpoint 0
  for part in 1 2 3; do
    run 0 optimize --resume "$2-parts" --quiet --threads 2 --max-time "$3"
  done
  run 0 optimize --resume "$2-parts" --quiet --threads 1
  check "$1 in five parts: the same losses" cmp "$2/loss.csv" "$2-parts/loss.csv"
  check "and trajectory" cmp "$2/trajectory.h5" "$2-parts/trajectory.h5"
}
in_five_parts lift.json lift 0.7

# A goal out of reach: rounds follow each other while the walk by the defaults of the first one goes on.
sed 's/0.8, 0.13, 0/0.8, 0.13, 2/; s/"objective"/"automatic": {"rollouts": 700}, "objective"/' shot.json >far.json
run 0 optimize far.json -o far --quiet --threads 2
check "a goal out of reach: several rounds" grep -q 'automatic: [2-9] rounds' "$out"
in_five_parts far.json far 0.1

# The lowest loss lies outside of the tolerance: a mean over all frames, where the last one is judged, and a goal beside a
# cost.  What is judged is reached all the same, with the same bits after interruptions.
cat >mean.json <<'SCENE'
{ "time": {"step": 0.02, "steps": 40}, "gravity": [0, 0, 0],
  "shapes": {"ball": {"type": "sphere", "radius": 0.05}},
  "bodies": [{"name": "ball", "shape": "ball", "mass": 1, "velocity": [0, 0.1, 0]}],
  "control": [{"type": "initial_state", "body": "ball", "velocity": "x"}],
  "objective": [{"type": "reach", "body": "ball", "target": [0.5, 0, 0], "axes": "x", "tolerance": 0.02, "when": "every"}] }
SCENE
cat >effort.json <<'SCENE'
{ "time": {"step": 0.02, "steps": 50}, "gravity": [0, 0, 0],
  "shapes": {"box": {"type": "box", "size": [0.1, 0.1, 0.1]}},
  "bodies": [{"name": "cart", "shape": "box", "mass": 1, "joint": {"type": "slide", "axis": [1, 0, 0]},
              "pd": {"kp": 100, "kd": 10}}],
  "control": [{"type": "torque", "body": "cart", "limit": 50}],
  "objective": [{"type": "reach", "body": "cart", "target": [0.5, 0, 0], "tolerance": 0.02},
                {"type": "effort", "weight": 1e-3}] }
SCENE
run 0 optimize mean.json -o mean --quiet
check "a mean over frames: the last one is reached" grep -q 'task reached' "$out"
check "and by which world is told" grep -q 'begun with more weight on what is judged' "$out"
check "settings that do not lead there alone say how it is had again" grep -q 'replays this, dcsim optimize SCENE --control mean goes' "$out"
run 0 simulate mean.json --control mean -o none --quiet
check "and so it is" grep -q 'task reached' "$out"
run 0 optimize effort.json -o effort --json --quiet --threads 2
check "a goal beside a cost is reached" grep -q '"success": true' "$out"
in_five_parts effort.json effort 0.05

# Scenes that are drawn with a goal alone are sound.
if have_python; then
  python3 -B "$DCSIM_SOURCE/scripts/soak/goals.py" 3 10 drawn
  for scene in drawn/*.json; do
    run 0 check "$scene"
    check "$scene: nothing is wrong with it" [ -z "$(grep advice: "$out")" ]
  done
else
  skip "scenes that are drawn with a goal alone are sound" "no python3"
fi

# Interrupted after the first guess and resumed.
run 0 optimize push.json -o stopped --quiet --threads 1 --max-time 1e-9 --checkpoint 0
run 0 optimize --resume stopped --quiet --threads 1 --max-time 1e-9
run 0 optimize --resume stopped --quiet --threads 1 --max-time 1e-9
run 0 optimize --resume stopped --quiet --threads 2
check "resumed three times: the same losses" cmp push/loss.csv stopped/loss.csv
check "and trajectory" cmp push/trajectory.h5 stopped/trajectory.h5

# The resolved scene is automatic again; what was found reaches by itself.
check "resolved.json names no optimizer" sh -c '! grep -q "\"optimizer\"" shot/resolved.json'
run 0 optimize shot/resolved.json -o none --json --quiet
check "and is optimized as the scene was" grep -q '"success": true' "$out"
run 0 optimize shot.json -o none --quiet
optimizer=$(sed -n 's/.*settings found: "optimizer": //p' "$out")
run 0 optimize shot.json -o none --json --quiet --set "optimizer=$optimizer"
check "the settings found reach by themselves" grep -q '"success": true' "$out"

# A race aims inside of what is allowed; a scene with an optimizer does not.
check "a race aims at 0.8 of tolerances" grep -q '"inside": 0.8' shot/resolved.json
run 0 optimize shot.json -o named --quiet --set optimizer.iterations=2
check "with an optimizer at all of it" grep -q '"inside": 1' named/resolved.json
run 0 optimize shot.json -o named-2 --quiet --set objective.0.inside=0.5
check "what is given wins" grep -q '"inside": 0.5' named-2/resolved.json

# Where the first guess meets nothing and the loss does not feel it, members that follow its gradient end with their first
# turn: rows of members in another world alone have no loss.
cat >numb.json <<'SCENE'
{ "time": {"step": 0.02, "steps": 40}, "gravity": [0, 0, 0],
  "shapes": {"ball": {"type": "sphere", "radius": 0.1, "level": 1}},
  "bodies": [{"name": "ball", "shape": "ball", "mass": 1, "position": [0, 0, 0]}, {"name": "pin", "shape": "ball", "mass": 1, "position": [30, 0.5, 0]}],
  "control": [{"type": "initial_state", "body": "ball", "velocity": "xy"}],
  "objective": [{"type": "reach", "body": "pin", "target": [31, 0.5, 0], "axes": "x", "tolerance": 0.02}] }
SCENE
run 0 optimize numb.json -o numb --quiet --threads 1 --set automatic.rollouts=60
check "the first guess is left at once" grep -q '^2,,' numb/loss.csv

# What is named wins; beside it nothing is automatic.
run 0 optimize shot.json -o none --json --quiet --set optimizer.iterations=2
check "an option of the optimizer: Adam, as always" sh -c "! grep -q settings_found '$out'"
sed 's/"objective"/"automatic": {}, "optimizer": {"type": "adam"}, "objective"/' shot.json >both.json
run 3 check both.json
check "both: refused with their place" grep -q 'automatic: nothing is automatic beside "optimizer"' "$err"
run 0 optimize shot.json -o none --json --quiet --set automatic.rollouts=40 --set objective.0.target='[9, 0, 0]'
check "a budget of rollouts ends it" grep -q '"end": "rollouts"' "$out"
finish
