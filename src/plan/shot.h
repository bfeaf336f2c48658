// SPDX-License-Identifier: Apache-2.0
// Random instances: a random reference control is rolled out, and the end positions of bodies that it moved become
// targets.
#ifndef DC_PLAN_SHOT_H
#define DC_PLAN_SHOT_H

#include <stdint.h>

#include "task/task.h"

// "shot" of an objective.  Only the seed is stored; bodies and targets follow from it.
struct dc_shot {
  bool given;
  long reference_seed, balls;
  double minimum_distance;  // m
  double velocity,
      position;  // bounds of the random reference control: |offset of velocity| m/s (rad/s), of position m (rad)
  double tolerance, weight;  // of the resulting reach objectives: m, 1/m^2
};

// Draws controls of task from the seed until at least shot->balls bodies, which the controls do not set themselves, end
// farther than minimum_distance from their start.  Adds a reach objective for so many of them to task (owned by arena).
// DC_BAD_INPUT after 400 unsuccessful draws.
enum dc_status dc_shot_draw(const struct dc_shot *shot, uint64_t seed, const struct dc_model *model,
                            struct dc_task *task, struct dc_arena *arena, struct dc_error *error);

#endif
