// SPDX-License-Identifier: Apache-2.0
// Initial states of a rollout, from its input and the shapes of its design, and its friction law.
#include <math.h>
#include <string.h>

#include "dynamics/step.h"
#include "math/rotation.h"
#include "math/vector.h"

// The place of a free body is that of its centre of mass.  Where a design moves the centre within the shape, the place
// follows, so that the shape stays where the scene puts it: shift = R(q) (c - c_base), m.
void dc_rollout_center_shift(const struct dc_rollout *rollout, int body, const double *q, double shift[3])
{
  double change[3], rotation[9];
  dc_vec_sub(change, rollout->model->bodies.bodies[body].center, rollout->base->bodies.bodies[body].center);
  dc_rotation_matrix(rotation, q + rollout->model->bodies.bodies[body].q_offset + 3);
  dc_mat_apply(shift, rotation, change);
}

// A rollout that goes on from an earlier one (q_before) has a q of its design already, so that nothing is shifted
// there.
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

// Two states define a velocity to the step potential.  The one before q is q moved back by a time step of the
// velocity, unless it is given.
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

// x + h v, exp(h [omega]x) R with E = exp(h [omega]x): a tangent d of R moves it by E d, one of omega by h J(h omega).
static void push_ball(const double *velocity, double h, const double *q, const double *change, double *moved)
{
  double turn[3], quaternion[4], matrix[9], part[3];
  dc_vec_scale(turn, velocity, h);
  dc_rotation_exp(quaternion, turn);
  dc_rotation_matrix(matrix, quaternion);
  dc_mat_apply(moved, matrix, q);
  dc_rotation_left_jacobian(matrix, turn);
  dc_mat_apply(part, matrix, change);
  dc_vec_add_scaled(moved, moved, h, part);
}

// The transposed of push_ball: adds to the cotangents of the rotation and of the velocity.
static void pull_back_ball(const double *velocity, double h, const double *moved, double *q, double *change)
{
  double turn[3], quaternion[4], e[9], jacobian[9], part[3];
  dc_vec_scale(turn, velocity, h);
  dc_rotation_exp(quaternion, turn);
  dc_rotation_matrix(e, quaternion);
  dc_rotation_left_jacobian(jacobian, turn);
  dc_mat_apply_transposed(part, e, moved);
  dc_vec_add(q, q, part);
  dc_mat_apply_transposed(part, jacobian, moved);
  dc_vec_add_scaled(change, change, h, part);
}

void dc_start_push(const struct dc_bodies *bodies, const double *velocity, double h, const double *q,
                   const double *change, double *moved)
{
  for (int v = 0; v < bodies->nv; v++)
    moved[v] = q[v] + h * change[v];
  for (int i = 0; i < bodies->count; i++)
    for (int p = 0; p < bodies->bodies[i].part_count; p++) {
      int v = bodies->bodies[i].parts[p].v;
      if (bodies->bodies[i].parts[p].kind == DC_PART_BALL)
        push_ball(velocity + v, h, q + v, change + v, moved + v);
    }
}

// Adjoint of a motion with constant velocity over a time h: q_moved = q + h velocity, on balls by the exponential.
void dc_start_pull_back(const struct dc_bodies *bodies, const double *velocity, double h, const double *moved,
                        double *q, double *change)
{
  for (int i = 0; i < bodies->count; i++)
    for (int p = 0; p < bodies->bodies[i].part_count; p++) {
      const struct dc_joint_part *part = &bodies->bodies[i].parts[p];
      int v = part->v;
      if (part->kind == DC_PART_BALL) {
        pull_back_ball(velocity + v, h, moved + v, q + v, change + v);
        continue;
      }
      for (int k = v; k < v + dc_part_nv(part); k++) {
        q[k] += moved[k];
        change[k] += h * moved[k];
      }
    }
  for (int k = bodies->first_node_v; k < bodies->nv; k++) {
    q[k] += moved[k];
    change[k] += h * moved[k];
  }
}

// The law of friction and restitution of a step; a conservative rollout has neither, so that its energy can be checked.
struct dc_friction_law dc_step_friction_law(const struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                            double length, double *coefficients)
{
  const struct dc_model *model = rollout->model;
  for (int i = 0; i < model->bodies.count; i++)
    coefficients[i] = rollout->asked.conservative ? 0 : dc_model_friction(model, i) * input->design.friction_scale[i];
  return (struct dc_friction_law){.stiffness = model->definition.contact.stiffness * input->design.stiffness_scale,
                                  .time_step = length,
                                  .smoothing = model->definition.contact.friction_smoothing,
                                  .none = rollout->asked.conservative,
                                  .coefficient = coefficients,
                                  .scale = input->design.friction_scale};
}
