// SPDX-License-Identifier: Apache-2.0
#include "dynamics/readout.h"

#include <math.h>
#include <string.h>

#include "dynamics/step.h"

// The last interval that led to a frame (>= 1): the state it began with, its length in s.
static const double *last_interval(const struct dc_trajectory *trajectory, int frame, double *length)
{
  double at;
  const double *q = dc_trajectory_state(trajectory, frame - 1, dc_trajectory_substeps(trajectory, frame - 1) - 1, &at);
  *length = trajectory->time_step * (1 - at);
  return q;
}

void dc_trajectory_velocity(const struct dc_model *model, const struct dc_rollout_input *input,
                            const struct dc_trajectory *trajectory, int frame, double *velocity)
{
  size_t nv = (size_t)model->bodies.nv, nq = (size_t)model->bodies.nq;
  const double *before = input->q_before;
  double length = input->before_length;
  if (trajectory->velocity) {
    memcpy(velocity, trajectory->velocity + (size_t)frame * nv, nv * sizeof *velocity);
    return;
  }
  if (frame == 0 && !before) {
    memcpy(velocity, input->velocity, nv * sizeof *velocity);
    return;
  }
  if (frame > 0)
    before = last_interval(trajectory, frame, &length);
  dc_state_difference(&model->bodies, before, trajectory->q + (size_t)frame * nq, velocity);
  for (size_t v = 0; v < nv; v++)
    velocity[v] /= length;
}

// Friction and restitution of the interval that led to a frame, [pair_count]; zeros where nothing rubs.
static enum dc_status evaluate_friction(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                        const struct dc_trajectory *trajectory, int frame, const struct dc_pose *poses,
                                        struct dc_error *error)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  double length;
  memset(rollout->friction, 0, (size_t)rollout->pair_count * sizeof *rollout->friction);
  memset(rollout->impact, 0, (size_t)rollout->pair_count * sizeof *rollout->impact);
  if (frame == 0)
    return DC_OK;
  dc_poses(bodies, last_interval(trajectory, frame, &length), rollout->now.poses);
  struct dc_friction_law law = dc_step_friction_law(rollout, input, length, rollout->coefficients);
  if (!dc_friction_law_acts(&law, bodies->count))
    return DC_OK;
  if (isnan(dc_contact_evaluate(rollout->contact, rollout->now.poses, 0, rollout->pairs)))
    return dc_fail(error, DC_MEMORY, "out of memory for contact pairs");
  enum dc_status status = dc_contact_friction_begin(rollout->contact, rollout->now.poses, &law, error);
  if (!status && dc_contact_rubs(rollout->contact))
    dc_contact_friction_evaluate(rollout->contact, poses, 1, DC_FRICTION_CONVEX, rollout->friction);
  if (!status && dc_contact_resists(rollout->contact))
    dc_contact_impact_evaluate(rollout->contact, poses, 1, false, rollout->impact);
  return status;
}

enum dc_status dc_trajectory_contact(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                     const struct dc_trajectory *trajectory, int frame, double *gaps,
                                     double (*contact)[12], double (*friction)[12], struct dc_error *error)
{
  const struct dc_model_definition *definition = &rollout->model->definition;
  const struct dc_pose *poses = trajectory->poses + (size_t)frame * (size_t)trajectory->bodies;
  if (definition->contact_model->flags & DC_CONTACT_FOREIGN)
    return dc_fail(error, DC_BAD_INPUT, "the contact model \"%s\" has no forces to be read",
                   definition->contact_model->name);
  double stiffness = definition->contact.stiffness * input->design.stiffness_scale;
  dc_contact_reset(rollout->contact);
  enum dc_status status = evaluate_friction(rollout, input, trajectory, frame, poses, error);
  if (status)
    return status;
  if (isnan(dc_contact_evaluate(rollout->contact, poses, 1, rollout->pairs)))
    return dc_fail(error, DC_MEMORY, "out of memory for contact pairs");
  for (int p = 0; p < rollout->pair_count; p++) {
    double gradient[12];
    gaps[p] = dc_contact_pair_gap(rollout->contact, p);
    dc_contact_expand_gradient(&rollout->pairs[p], gradient);
    for (int k = 0; k < 12; k++) {
      contact[p][k] = -stiffness * gradient[k] - rollout->impact[p].gradient[k];
      friction[p][k] = -rollout->friction[p].gradient[k];
    }
  }
  return DC_OK;
}
