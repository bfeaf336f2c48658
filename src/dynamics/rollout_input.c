// SPDX-License-Identifier: Apache-2.0
// Inputs of rollouts and their cotangents: memory and starting values.
#include <stdlib.h>
#include <string.h>

#include "dynamics/rollout.h"
#include "math/vector.h"

void dc_design_arrays(const struct dc_design *design, int bodies, struct dc_design_array arrays[DC_DESIGN_ARRAYS])
{
  const struct dc_design_array all[DC_DESIGN_ARRAYS] = {
      {(double *)&design->stiffness_scale, 1}, {(double *)design->gravity, 3}, {design->body_mass_scale, bodies},
      {design->friction_scale, bodies},        {design->kp_scale, bodies},     {design->kd_scale, bodies},
      {design->limit_scale, bodies},           {design->young_scale, bodies},  {design->poisson, bodies}};
  memcpy(arrays, all, sizeof all);
}

static bool create_design(struct dc_design *design, int bodies)
{
  size_t count = (size_t)bodies;
  double **scales[] = {&design->body_mass_scale, &design->friction_scale, &design->kp_scale, &design->kd_scale,
                       &design->limit_scale,     &design->young_scale,    &design->poisson};
  bool complete = true;
  for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
    complete &= (*scales[i] = dc_alloc(count, sizeof(double))) != NULL;
  return complete;
}

static void destroy_design(struct dc_design *design)
{
  free(design->body_mass_scale);
  free(design->friction_scale);
  free(design->kp_scale);
  free(design->kd_scale);
  free(design->limit_scale);
  free(design->young_scale);
  free(design->poisson);
}

// All scales to one value, gravity to zero.
static void fill_design(struct dc_design *design, int bodies, double scale)
{
  struct dc_design_array arrays[DC_DESIGN_ARRAYS];
  dc_design_arrays(design, bodies, arrays);
  for (int a = 0; a < DC_DESIGN_ARRAYS; a++)
    for (int i = 0; i < arrays[a].count; i++)
      arrays[a].numbers[i] = scale;
  memset(design->gravity, 0, sizeof design->gravity);
}

static void clear_forces(const struct dc_model *model, int steps, double *force)
{
  if (force)
    memset(force, 0, (size_t)steps * (size_t)model->bodies.nv * sizeof *force);
}

static enum dc_status add_forces(const struct dc_model *model, int steps, double **force)
{
  if (!*force)
    *force = dc_alloc((size_t)steps * (size_t)model->bodies.nv, sizeof **force);
  return *force ? DC_OK : DC_MEMORY;
}

enum dc_status dc_rollout_input_add_forces(const struct dc_model *model, struct dc_rollout_input *input)
{
  return add_forces(model, input->steps, &input->force);
}

enum dc_status dc_rollout_cotangent_add_forces(const struct dc_model *model, struct dc_rollout_cotangent *cotangent)
{
  return add_forces(model, cotangent->steps, &cotangent->force);
}

struct dc_rollout_input *dc_rollout_input_create(const struct dc_model *model, int steps)
{
  struct dc_rollout_input *input = dc_alloc(1, sizeof *input);
  size_t targets = (size_t)steps * (size_t)model->bodies.actuator_count;
  if (!input)
    return NULL;
  input->steps = steps;
  input->q = dc_alloc((size_t)model->bodies.nq, sizeof *input->q);
  input->velocity = dc_alloc((size_t)model->bodies.nv, sizeof *input->velocity);
  input->target_position = dc_alloc(targets, sizeof(double));
  input->target_velocity = dc_alloc(targets, sizeof(double));
  if (model->shapes_change)
    input->shape = dc_shape_design_create(model);
  if (!input->q || !input->velocity || !input->target_position || !input->target_velocity ||
      !create_design(&input->design, model->bodies.count) || (model->shapes_change && !input->shape) ||
      (model->forced && dc_rollout_input_add_forces(model, input))) {
    dc_rollout_input_destroy(input);
    return NULL;
  }
  dc_rollout_input_reset(model, input);
  return input;
}

void dc_rollout_input_reset(const struct dc_model *model, struct dc_rollout_input *input)
{
  size_t targets = (size_t)input->steps * (size_t)model->bodies.actuator_count;
  dc_initial_state(&model->bodies, input->q);
  dc_initial_velocity(&model->bodies, input->velocity);
  input->q_before = NULL;
  memset(input->target_position, 0, targets * sizeof(double));
  memset(input->target_velocity, 0, targets * sizeof(double));
  clear_forces(model, input->steps, input->force);
  fill_design(&input->design, model->bodies.count, 1);
  dc_vec_copy(input->design.gravity, model->definition.gravity);
  for (int s = 0; s < model->bodies.soft_count; s++)
    input->design.poisson[model->bodies.soft[s].body] = model->bodies.soft[s].poisson;
  if (input->shape)
    dc_shape_design_reset(model, input->shape);
}

void dc_rollout_input_copy_start(const struct dc_model *model, const struct dc_rollout_input *from,
                                 struct dc_rollout_input *to)
{
  struct dc_design_array theirs[DC_DESIGN_ARRAYS], ours[DC_DESIGN_ARRAYS];
  dc_design_arrays(&from->design, model->bodies.count, theirs);
  dc_design_arrays(&to->design, model->bodies.count, ours);
  for (int a = 0; a < DC_DESIGN_ARRAYS; a++)
    memcpy(ours[a].numbers, theirs[a].numbers, (size_t)ours[a].count * sizeof(double));
  if (to->shape && from->shape)
    dc_shape_design_copy(to->shape, from->shape);
  memcpy(to->q, from->q, (size_t)model->bodies.nq * sizeof *to->q);
  memcpy(to->velocity, from->velocity, (size_t)model->bodies.nv * sizeof *to->velocity);
  to->q_before = from->q_before;
  to->before_length = from->before_length;
}

void dc_rollout_input_destroy(struct dc_rollout_input *input)
{
  if (!input)
    return;
  free(input->q);
  free(input->velocity);
  free(input->target_position);
  free(input->target_velocity);
  free(input->force);
  dc_shape_design_destroy(input->shape);
  destroy_design(&input->design);
  free(input);
}

struct dc_rollout_cotangent *dc_rollout_cotangent_create(const struct dc_model *model, int steps)
{
  struct dc_rollout_cotangent *cotangent = dc_alloc(1, sizeof *cotangent);
  size_t targets = (size_t)steps * (size_t)model->bodies.actuator_count;
  if (!cotangent)
    return NULL;
  cotangent->steps = steps;
  cotangent->q = dc_alloc((size_t)model->bodies.nv, sizeof *cotangent->q);
  cotangent->velocity = dc_alloc((size_t)model->bodies.nv, sizeof *cotangent->velocity);
  cotangent->target_position = dc_alloc(targets, sizeof(double));
  cotangent->target_velocity = dc_alloc(targets, sizeof(double));
  if (model->shapes_change)
    cotangent->shape = dc_shape_design_create(model);
  if (!cotangent->q || !cotangent->velocity || !cotangent->target_position || !cotangent->target_velocity ||
      !create_design(&cotangent->design, model->bodies.count) || (model->shapes_change && !cotangent->shape) ||
      (model->forced && dc_rollout_cotangent_add_forces(model, cotangent))) {
    dc_rollout_cotangent_destroy(cotangent);
    return NULL;
  }
  return cotangent;
}

void dc_rollout_cotangent_clear(const struct dc_model *model, struct dc_rollout_cotangent *cotangent)
{
  size_t targets = (size_t)cotangent->steps * (size_t)model->bodies.actuator_count;
  memset(cotangent->q, 0, (size_t)model->bodies.nv * sizeof *cotangent->q);
  memset(cotangent->velocity, 0, (size_t)model->bodies.nv * sizeof *cotangent->velocity);
  memset(cotangent->target_position, 0, targets * sizeof(double));
  memset(cotangent->target_velocity, 0, targets * sizeof(double));
  clear_forces(model, cotangent->steps, cotangent->force);
  fill_design(&cotangent->design, model->bodies.count, 0);
  if (cotangent->shape)
    dc_shape_design_clear(cotangent->shape);
}

void dc_rollout_cotangent_destroy(struct dc_rollout_cotangent *cotangent)
{
  if (!cotangent)
    return;
  free(cotangent->q);
  free(cotangent->velocity);
  free(cotangent->target_position);
  free(cotangent->target_velocity);
  free(cotangent->force);
  dc_shape_design_destroy(cotangent->shape);
  destroy_design(&cotangent->design);
  free(cotangent);
}
