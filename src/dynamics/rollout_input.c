// SPDX-License-Identifier: Apache-2.0
// Inputs of rollouts and their cotangents: memory and starting values.
#include <stdlib.h>
#include <string.h>

#include "dynamics/rollout.h"
#include "math/vector.h"

// All arrays of a design with the numbers that each holds, so that copies and sums over designs are one loop.
// Scalars and vectors are arrays of one and three.
void dc_design_arrays(const struct dc_design *design, const struct dc_bodies *bodies,
                      struct dc_design_array arrays[DC_DESIGN_ARRAYS])
{
  int count = bodies->count, nv = bodies->nv;
  const struct dc_design_array all[DC_DESIGN_ARRAYS] = {{(double *)&design->stiffness_scale, 1},
                                                        {(double *)design->gravity, 3},
                                                        {(double *)design->wind, 3},
                                                        {design->body_mass_scale, count},
                                                        {design->friction_scale, count},
                                                        {design->kp_scale, count},
                                                        {design->kd_scale, count},
                                                        {design->limit_scale, count},
                                                        {design->young_scale, count},
                                                        {design->poisson, count},
                                                        {design->bending_scale, count},
                                                        {design->pressure, count},
                                                        {design->young_element, bodies->element_count},
                                                        {design->restitution_shift, count},
                                                        {design->lower_shift, nv},
                                                        {design->upper_shift, nv}};
  memcpy(arrays, all, sizeof all);
}

// Makes the arrays that dc_design_arrays lists and a design does not hold itself: one number a body, an element or a
// velocity.  false when out of memory, with what there is still to be freed.
static bool create_design(struct dc_design *design, const struct dc_bodies *bodies)
{
  double **of_bodies[] = {&design->body_mass_scale,  &design->friction_scale, &design->kp_scale,
                          &design->kd_scale,         &design->limit_scale,    &design->young_scale,
                          &design->poisson,          &design->bending_scale,  &design->pressure,
                          &design->restitution_shift};
  double **of_coordinates[] = {&design->lower_shift, &design->upper_shift};
  bool complete = true;
  for (size_t i = 0; i < sizeof of_bodies / sizeof *of_bodies; i++)
    complete &= (*of_bodies[i] = dc_alloc((size_t)bodies->count, sizeof(double))) != NULL;
  complete &= (design->young_element = dc_alloc((size_t)bodies->element_count, sizeof(double))) != NULL;
  for (size_t i = 0; i < sizeof of_coordinates / sizeof *of_coordinates; i++)
    complete &= (*of_coordinates[i] = dc_alloc((size_t)bodies->nv, sizeof(double))) != NULL;
  return complete;
}

// Releases the arrays of a design.
static void destroy_design(struct dc_design *design)
{
  free(design->body_mass_scale);
  free(design->friction_scale);
  free(design->kp_scale);
  free(design->kd_scale);
  free(design->limit_scale);
  free(design->young_scale);
  free(design->poisson);
  free(design->bending_scale);
  free(design->pressure);
  free(design->young_element);
  free(design->restitution_shift);
  free(design->lower_shift);
  free(design->upper_shift);
}

// Sets all numbers of a design: 1 begins an input, 0 a cotangent.
static void fill_design(struct dc_design *design, const struct dc_bodies *bodies, double number)
{
  struct dc_design_array arrays[DC_DESIGN_ARRAYS];
  dc_design_arrays(design, bodies, arrays);
  for (int a = 0; a < DC_DESIGN_ARRAYS; a++)
    for (int i = 0; i < arrays[a].count; i++)
      arrays[a].numbers[i] = number;
}

// Scales are 1, shifts 0, all else has the model's values.
static void reset_design(const struct dc_model *model, struct dc_design *design)
{
  const struct dc_bodies *bodies = &model->bodies;
  fill_design(design, bodies, 1);
  dc_vec_copy(design->gravity, model->definition.gravity);
  dc_vec_copy(design->wind, model->definition.wind);
  for (int s = 0; s < bodies->soft_count; s++) {
    design->poisson[bodies->soft[s].body] = bodies->soft[s].poisson;
    design->pressure[bodies->soft[s].body] = bodies->soft[s].pressure;
  }
  for (int i = 0; i < bodies->count; i++)
    design->restitution_shift[i] = 0;
  for (int v = 0; v < bodies->nv; v++)
    design->lower_shift[v] = design->upper_shift[v] = 0;
}

// force NULL stands for forces of zero that take no memory.
static void clear_forces(const struct dc_model *model, int steps, double *force)
{
  if (force)
    memset(force, 0, (size_t)steps * (size_t)model->bodies.nv * sizeof *force);
}

// Forces on coordinates exist only where a control wants them: [steps][nv], N or N m.
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

// Allocates all arrays, q [nq], velocity [nv], targets [steps][actuators], and the design, then fills in the model's
// own start.  After a failure all memory is released.
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
      !create_design(&input->design, &model->bodies) || (model->shapes_change && !input->shape) ||
      (model->forced && dc_rollout_input_add_forces(model, input))) {
    dc_rollout_input_destroy(input);
    return NULL;
  }
  dc_rollout_input_reset(model, input);
  return input;
}

// The start as the model has it, no targets, no forces, the design that changes nothing.
void dc_rollout_input_reset(const struct dc_model *model, struct dc_rollout_input *input)
{
  size_t targets = (size_t)input->steps * (size_t)model->bodies.actuator_count;
  dc_initial_state(&model->bodies, input->q);
  dc_initial_velocity(&model->bodies, input->velocity);
  input->q_before = input->memory = NULL;
  memset(input->target_position, 0, targets * sizeof(double));
  memset(input->target_velocity, 0, targets * sizeof(double));
  clear_forces(model, input->steps, input->force);
  reset_design(model, &input->design);
  if (input->shape)
    dc_shape_design_reset(model, input->shape);
}

// Copies the design and the state that a rollout starts from, not the targets.  q_before and memory are shared with
// `from`, which owns them.
void dc_rollout_input_copy_start(const struct dc_model *model, const struct dc_rollout_input *from,
                                 struct dc_rollout_input *to)
{
  struct dc_design_array theirs[DC_DESIGN_ARRAYS], ours[DC_DESIGN_ARRAYS];
  dc_design_arrays(&from->design, &model->bodies, theirs);
  dc_design_arrays(&to->design, &model->bodies, ours);
  for (int a = 0; a < DC_DESIGN_ARRAYS; a++)
    memcpy(ours[a].numbers, theirs[a].numbers, (size_t)ours[a].count * sizeof(double));
  if (to->shape && from->shape)
    dc_shape_design_copy(to->shape, from->shape);
  memcpy(to->q, from->q, (size_t)model->bodies.nq * sizeof *to->q);
  memcpy(to->velocity, from->velocity, (size_t)model->bodies.nv * sizeof *to->velocity);
  to->q_before = from->q_before;
  to->memory = from->memory;
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

// The same arrays as an input's, but q [nv]: derivatives of positions are by tangent vectors.
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
      !create_design(&cotangent->design, &model->bodies) || (model->shapes_change && !cotangent->shape) ||
      (model->forced && dc_rollout_cotangent_add_forces(model, cotangent))) {
    dc_rollout_cotangent_destroy(cotangent);
    return NULL;
  }
  return cotangent;
}

// Derivatives are added to a cotangent, which therefore begins with zeros.
void dc_rollout_cotangent_clear(const struct dc_model *model, struct dc_rollout_cotangent *cotangent)
{
  size_t targets = (size_t)cotangent->steps * (size_t)model->bodies.actuator_count;
  memset(cotangent->q, 0, (size_t)model->bodies.nv * sizeof *cotangent->q);
  memset(cotangent->velocity, 0, (size_t)model->bodies.nv * sizeof *cotangent->velocity);
  memset(cotangent->target_position, 0, targets * sizeof(double));
  memset(cotangent->target_velocity, 0, targets * sizeof(double));
  clear_forces(model, cotangent->steps, cotangent->force);
  fill_design(&cotangent->design, &model->bodies, 0);
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
