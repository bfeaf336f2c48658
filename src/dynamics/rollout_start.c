// SPDX-License-Identifier: Apache-2.0
// What an input makes of a rollout: where it starts, and its friction.
#include <math.h>
#include <string.h>

#include "dynamics/step.h"
#include "math/rotation.h"
#include "math/vector.h"

void dc_rollout_center_shift(const struct dc_rollout *rollout, int body, const double *q, double shift[3])
{
  double change[3], rotation[9];
  dc_vec_sub(change, rollout->model->bodies.bodies[body].center, rollout->base->bodies.bodies[body].center);
  dc_rotation_matrix(rotation, q + rollout->model->bodies.bodies[body].q_offset + 3);
  dc_mat_apply(shift, rotation, change);
}

void dc_rollout_start_state(const struct dc_rollout *rollout, const struct dc_rollout_input *input, double *q)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  memcpy(q, input->q, (size_t)bodies->nq * sizeof *q);
  for (int i = 0; i < bodies->count && rollout->shape && !input->q_before; i++) {
    double shift[3];
    if (!bodies->bodies[i].free)
      continue;
    dc_rollout_center_shift(rollout, i, q, shift);
    dc_vec_add(shift, shift, input->shape->offsets[i]);
    dc_vec_add(q + bodies->bodies[i].q_offset, q + bodies->bodies[i].q_offset, shift);
  }
}

void dc_rollout_state_before(const struct dc_rollout *rollout, const struct dc_rollout_input *input, double *q)
{
  const struct dc_model *model = rollout->model;
  if (input->q_before) {
    memcpy(q, input->q_before, (size_t)model->bodies.nq * sizeof *q);
  } else {  // x - h v, exp(-h [omega]x) R
    dc_rollout_start_state(rollout, input, q);
    dc_state_move(&model->bodies, q, -model->definition.time.step, input->velocity, q);
  }
}

struct dc_friction_law dc_step_friction_law(const struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                            double length, double *coefficients)
{
  const struct dc_model *model = rollout->model;
  for (int i = 0; i < model->bodies.count; i++) {
    coefficients[i] = rollout->conservative ? 0 : dc_model_friction(model, i) * input->design.friction_scale[i];
    // fmin passes over NAN
    rollout->rigid.restitution[i] =
        rollout->conservative ? 1 : fmin(dc_design_restitution(model, &input->design, i), 1);
  }
  return (struct dc_friction_law){.stiffness = model->definition.contact.stiffness * input->design.stiffness_scale,
                                  .time_step = length,
                                  .smoothing = model->definition.contact.friction_smoothing,
                                  .coefficient = coefficients,
                                  .restitution = rollout->rigid.restitution,
                                  .opening_speed = model->definition.contact.opening_speed};
}
