// SPDX-License-Identifier: Apache-2.0
// The coordinates of the actuators of soft bodies in a step: pressures, Pa, and strains of muscles
// (body/soft_drives.h). The value at the end of an interval is the target of its step less what its rate brings until
// then; with a prediction it is that at the beginning, where the forces push.
#ifndef DC_DYNAMICS_SOFT_DRIVE_H
#define DC_DYNAMICS_SOFT_DRIVE_H

#include "dynamics/step.h"

static inline size_t dc_soft_drive_entry(const struct dc_step_state *state, const struct dc_soft *soft, int index)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  return (size_t)state->interval.step * (size_t)bodies->actuator_count +
         (size_t)(bodies->bodies[soft->body].actuator + index);
}

// From when the value is to the end of the step, s.
static inline double dc_soft_drive_remaining(const struct dc_step_state *state)
{
  return state->interval.remaining + (state->prediction ? state->interval.length : 0);
}

static inline double dc_soft_drive(const struct dc_step_state *state, const struct dc_soft *soft, int index)
{
  size_t at = dc_soft_drive_entry(state, soft, index);
  return state->input->target_position[at] - dc_soft_drive_remaining(state) * state->input->target_velocity[at];
}

// Adds the derivative of a loss by the value.
static inline void dc_soft_drive_pull_back(const struct dc_step_state *state, const struct dc_soft *soft, int index,
                                           double number, struct dc_rollout_cotangent *input)
{
  size_t at = dc_soft_drive_entry(state, soft, index);
  input->target_position[at] += number;
  input->target_velocity[at] -= dc_soft_drive_remaining(state) * number;
}

// The change of the value along a direction of the input.
static inline double dc_soft_drive_change(const struct dc_step_state *state, const struct dc_soft *soft, int index,
                                          const struct dc_rollout_cotangent *input)
{
  size_t at = dc_soft_drive_entry(state, soft, index);
  return input->target_position[at] - dc_soft_drive_remaining(state) * input->target_velocity[at];
}

#endif
