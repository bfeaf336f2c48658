# SPDX-License-Identifier: Apache-2.0
# A scene of a ball over the ground that a sweep runs in no time, as ball.json.
cat >ball.json <<'SCENE'
{
  "name": "ball", "time": { "step": 0.02, "steps": 3 },
  "shapes": { "ball": { "type": "sphere", "radius": 0.1 }, "ground": { "type": "plane" } },
  "bodies": [{ "name": "ball", "shape": "ball", "mass": 0.1, "position": [0, 0, 1] },
             { "name": "ground", "shape": "ground", "joint": "fixed" }],
  "control": [{ "type": "initial_state", "body": "ball", "velocity": "xy" }],
  "objective": [{ "type": "reach", "body": "ball", "target": [1, 0, 1], "tolerance": 0.9 }],
  "optimizer": { "type": "adam", "iterations": 3 }
}
SCENE
