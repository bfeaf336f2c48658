# SPDX-License-Identifier: Apache-2.0
# Members of a scene: a rod beside a box on the ground, which it touches after a few steps.
push_bodies='"shapes": { "box": { "type": "box", "size": [0.5, 0.5, 0.5] }, "rod": { "type": "box", "size": [0.1, 0.6, 0.1] },
              "ground": { "type": "plane" } },
  "bodies": [
    { "name": "ground", "joint": "fixed", "shape": "ground" },
    { "name": "box", "shape": "box", "mass": 2.5, "position": [-0.33, 0, 0.255] },
    { "name": "rod", "shape": "rod", "mass": 1, "position": [0, 0.1, 0.25], "pd": { "kp": 1000, "kd": 10 } }
  ]'
