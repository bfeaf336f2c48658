// SPDX-License-Identifier: Apache-2.0
// What the tests of MuJoCo share.
#ifndef DC_TESTS_MUJOCO_SCENES_H
#define DC_TESTS_MUJOCO_SCENES_H

#include "scenes/physics.h"

#define NEEDS_MUJOCO()                                                                                                 \
  do {                                                                                                                 \
    if (!dc_contact_model_find("mujoco"))                                                                              \
      SKIP("built without MuJoCo");                                                                                    \
  } while (0)

static inline const struct dc_pose *last_pose(const struct experiment *experiment, int body)
{
  return &poses_at(experiment, experiment->trajectory->steps)[body];
}

static inline bool same_bits(const struct dc_trajectory *a, const struct dc_trajectory *b)
{
  return memcmp(a->q, b->q, (size_t)(a->steps + 1) * (size_t)a->nq * sizeof *a->q) == 0 &&
         memcmp(a->min_gap, b->min_gap, (size_t)(a->steps + 1) * sizeof *a->min_gap) == 0;
}

// Bodies that fall on each other; %g: kp of the ball, %s: more of the scene.
#define HEAP                                                                                                           \
  "{'time': {'step': 0.02, 'steps': 40}, 'contact': {'model': 'mujoco', 'friction': 0.5},"                             \
  "'shapes': {'box': {'type': 'box', 'size': [0.2, 0.2, 0.2]}, 'ball': {'type': 'sphere', 'radius': 0.1},"             \
  "'ground': {'type': 'plane'}}, 'bodies': [{'name': 'ground', 'joint': 'fixed', 'shape': 'ground'},"                  \
  "{'name': 'a', 'shape': 'box', 'position': [0, 0, 0.11], 'velocity': [1, 0, 0]},"                                    \
  "{'name': 'b', 'shape': 'box', 'position': [0.25, 0.1, 0.11]},"                                                      \
  "{'name': 'c', 'shape': 'ball', 'position': [0.1, 0.05, 0.35], 'velocity': [0, 0, -3], 'pd': {'kp': %g, 'kd': "      \
  "0}}]%s}"

#endif
