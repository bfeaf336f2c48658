// SPDX-License-Identifier: Apache-2.0
#include "dynamics/rollout.h"

#include <stdlib.h>
#include <string.h>

#include "dynamics/step.h"
#include "math/rotation.h"
#include "math/vector.h"

struct dc_trajectory *dc_trajectory_create(const struct dc_model *model, int steps)
{
  struct dc_trajectory *trajectory = dc_alloc(1, sizeof *trajectory);
  if (!trajectory)
    return NULL;
  size_t n = (size_t)steps, pairs = (size_t)dc_model_pair_count(model);
  trajectory->steps = steps;
  trajectory->nq = model->bodies.nq;
  trajectory->nv = model->bodies.nv;
  trajectory->time_step = model->definition.time.step;
  trajectory->q = dc_alloc((n + 1) * (size_t)model->bodies.nq, sizeof *trajectory->q);
  trajectory->min_gap = dc_alloc(n + 1, sizeof *trajectory->min_gap);
  trajectory->newton_iterations = dc_alloc(n, sizeof *trajectory->newton_iterations);
  trajectory->evaluations = dc_alloc(n, sizeof *trajectory->evaluations);
  trajectory->converged = dc_alloc(n, sizeof *trajectory->converged);
  trajectory->pairs = dc_alloc(n * pairs, sizeof *trajectory->pairs);
  if (!trajectory->q || !trajectory->min_gap || !trajectory->newton_iterations || !trajectory->evaluations ||
      !trajectory->converged || !trajectory->pairs) {
    dc_trajectory_destroy(trajectory);
    return NULL;
  }
  return trajectory;
}

void dc_trajectory_destroy(struct dc_trajectory *trajectory)
{
  if (!trajectory)
    return;
  free(trajectory->q);
  free(trajectory->min_gap);
  free(trajectory->newton_iterations);
  free(trajectory->evaluations);
  free(trajectory->converged);
  free(trajectory->pairs);
  free(trajectory);
}

void dc_trajectory_copy(struct dc_trajectory *to, const struct dc_trajectory *from, int pair_count)
{
  size_t n = (size_t)from->steps;
  struct dc_trajectory kept = *to;
  *to = *from;
  to->q = memcpy(kept.q, from->q, (n + 1) * (size_t)from->nq * sizeof *from->q);
  to->min_gap = memcpy(kept.min_gap, from->min_gap, (n + 1) * sizeof *from->min_gap);
  to->newton_iterations = memcpy(kept.newton_iterations, from->newton_iterations, n * sizeof *from->newton_iterations);
  to->evaluations = memcpy(kept.evaluations, from->evaluations, n * sizeof *from->evaluations);
  to->converged = memcpy(kept.converged, from->converged, n * sizeof *from->converged);
  to->pairs = memcpy(kept.pairs, from->pairs, n * (size_t)pair_count * sizeof *from->pairs);
}

// Movable bodies are the blocks of the Hessian, interacting pairs of them its pattern.
static struct dc_symmetric_matrix *create_matrix(const struct dc_rollout *rollout, struct dc_arena *arena)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  int blocks = 0, couplings = 0;
  int *sizes = dc_arena_alloc(arena, (size_t)bodies->count, sizeof *sizes);
  int(*coupled)[2] = dc_arena_alloc(arena, (size_t)rollout->pair_count, sizeof *coupled);
  if (!sizes || !coupled)
    return NULL;
  for (int i = 0; i < bodies->count; i++)
    if (bodies->bodies[i].joint->nv > 0)
      sizes[blocks++] = bodies->bodies[i].joint->nv;
  for (int p = 0; p < rollout->pair_count; p++) {
    const struct dc_body *a = &bodies->bodies[rollout->pair_bodies[p][0]],
                         *b = &bodies->bodies[rollout->pair_bodies[p][1]];
    if (b->joint->nv == 0)
      continue;
    coupled[couplings][0] = dc_block_of(a);
    coupled[couplings++][1] = dc_block_of(b);
  }
  return dc_symmetric_create(blocks, sizes, couplings, (const int(*)[2])coupled, DC_SOLVER_AUTOMATIC);
}

static bool allocate_workspace(struct dc_rollout *rollout)
{
  struct dc_arena *arena = rollout->arena;
  size_t bodies = (size_t)rollout->model->bodies.count, nq = (size_t)rollout->model->bodies.nq;
  size_t nv = (size_t)rollout->model->bodies.nv, pairs = (size_t)rollout->pair_count;
  double **vectors[] = {&rollout->gradient,
                        &rollout->trial_gradient,
                        &rollout->step,
                        &rollout->magnitude,
                        &rollout->lambda,
                        &rollout->state_cotangent[0],
                        &rollout->state_cotangent[1],
                        &rollout->state_cotangent[2]};
  double **states[] = {&rollout->q_before, &rollout->q_trial};
  bool complete = true;
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    complete &= (*vectors[i] = dc_arena_alloc(arena, nv, sizeof(double))) != NULL;
  for (size_t i = 0; i < sizeof states / sizeof *states; i++)
    complete &= (*states[i] = dc_arena_alloc(arena, nq, sizeof(double))) != NULL;
  complete &= (rollout->before = dc_arena_alloc(arena, bodies, sizeof *rollout->before)) != NULL;
  complete &= (rollout->now = dc_arena_alloc(arena, bodies, sizeof *rollout->now)) != NULL;
  complete &= (rollout->next = dc_arena_alloc(arena, bodies, sizeof *rollout->next)) != NULL;
  complete &= (rollout->twists = dc_arena_alloc(arena, bodies, sizeof *rollout->twists)) != NULL;
  complete &= (rollout->block_sums = dc_arena_alloc(arena, bodies, sizeof *rollout->block_sums)) != NULL;
  complete &= (rollout->pairs = dc_arena_alloc(arena, pairs, sizeof *rollout->pairs)) != NULL;
  complete &= (rollout->trial_pairs = dc_arena_alloc(arena, pairs, sizeof *rollout->trial_pairs)) != NULL;
  return complete;
}

struct dc_rollout *dc_rollout_create(const struct dc_model *model, struct dc_error *error)
{
  struct dc_rollout *rollout = dc_alloc(1, sizeof *rollout);
  if (!rollout || !(rollout->arena = dc_arena_create())) {
    free(rollout);
    dc_fail(error, DC_MEMORY, "out of memory for a rollout");
    return NULL;
  }
  rollout->model = model;
  rollout->contact =
      dc_contact_create(model->definition.contact_model, &model->definition.contact, &model->bodies, error);
  if (!rollout->contact) {
    dc_rollout_destroy(rollout);
    return NULL;
  }
  rollout->pair_count = dc_contact_pair_count(rollout->contact);
  rollout->pair_bodies = dc_contact_pairs(rollout->contact);
  rollout->matrix = create_matrix(rollout, rollout->arena);
  if (!rollout->matrix || !allocate_workspace(rollout)) {
    dc_fail(error, DC_MEMORY, "out of memory for a rollout");
    dc_rollout_destroy(rollout);
    return NULL;
  }
  return rollout;
}

void dc_rollout_destroy(struct dc_rollout *rollout)
{
  if (!rollout)
    return;
  dc_symmetric_destroy(rollout->matrix);
  dc_contact_destroy(rollout->contact);
  dc_arena_destroy(rollout->arena);
  free(rollout);
}

struct dc_contact *dc_rollout_contact(struct dc_rollout *rollout)
{
  return rollout->contact;
}

double dc_rollout_contact_seconds(const struct dc_rollout *rollout)
{
  return rollout->contact_seconds;
}

void dc_rollout_set_tight(struct dc_rollout *rollout, bool tight)
{
  rollout->tight = tight;
}

struct dc_rollout_input *dc_rollout_input_create(const struct dc_model *model)
{
  struct dc_rollout_input *input = dc_alloc(1, sizeof *input);
  if (!input)
    return NULL;
  input->q = dc_alloc((size_t)model->bodies.nq, sizeof *input->q);
  input->velocity = dc_alloc((size_t)model->bodies.nv, sizeof *input->velocity);
  input->design.body_mass_scale = dc_alloc((size_t)model->bodies.count, sizeof(double));
  if (!input->q || !input->velocity || !input->design.body_mass_scale) {
    dc_rollout_input_destroy(input);
    return NULL;
  }
  dc_rollout_input_reset(model, input);
  return input;
}

void dc_rollout_input_reset(const struct dc_model *model, struct dc_rollout_input *input)
{
  dc_initial_state(&model->bodies, input->q);
  for (int i = 0; i < model->bodies.count; i++) {
    const struct dc_body *body = &model->bodies.bodies[i];
    input->design.body_mass_scale[i] = 1;
    if (body->joint->nv == 0)
      continue;
    dc_vec_copy(input->velocity + body->v_offset, body->angular_velocity);
    dc_vec_copy(input->velocity + body->v_offset + 3, body->velocity);
  }
  input->design.stiffness_scale = 1;
  dc_vec_copy(input->design.gravity, model->definition.gravity);
}

void dc_rollout_input_destroy(struct dc_rollout_input *input)
{
  if (!input)
    return;
  free(input->q);
  free(input->velocity);
  free(input->design.body_mass_scale);
  free(input);
}

struct dc_rollout_cotangent *dc_rollout_cotangent_create(const struct dc_model *model)
{
  struct dc_rollout_cotangent *cotangent = dc_alloc(1, sizeof *cotangent);
  if (!cotangent)
    return NULL;
  cotangent->q = dc_alloc((size_t)model->bodies.nv, sizeof *cotangent->q);
  cotangent->velocity = dc_alloc((size_t)model->bodies.nv, sizeof *cotangent->velocity);
  cotangent->design.body_mass_scale = dc_alloc((size_t)model->bodies.count, sizeof(double));
  if (!cotangent->q || !cotangent->velocity || !cotangent->design.body_mass_scale) {
    dc_rollout_cotangent_destroy(cotangent);
    return NULL;
  }
  return cotangent;
}

void dc_rollout_cotangent_clear(const struct dc_model *model, struct dc_rollout_cotangent *cotangent)
{
  memset(cotangent->q, 0, (size_t)model->bodies.nv * sizeof *cotangent->q);
  memset(cotangent->velocity, 0, (size_t)model->bodies.nv * sizeof *cotangent->velocity);
  memset(cotangent->design.body_mass_scale, 0, (size_t)model->bodies.count * sizeof(double));
  memset(cotangent->design.gravity, 0, sizeof cotangent->design.gravity);
  cotangent->design.stiffness_scale = 0;
}

void dc_rollout_cotangent_destroy(struct dc_rollout_cotangent *cotangent)
{
  if (!cotangent)
    return;
  free(cotangent->q);
  free(cotangent->velocity);
  free(cotangent->design.body_mass_scale);
  free(cotangent);
}

// State before the initial one: x - h v, exp(-h [omega]x) R.
static void state_before(const struct dc_model *model, const struct dc_rollout_input *input, double *q)
{
  dc_state_move(&model->bodies, input->q, -model->definition.time.step, input->velocity, q);
}

static enum dc_status start(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                            struct dc_trajectory *trajectory, struct dc_error *error)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  int pair;
  double depth;
  dc_contact_reset(rollout->contact);
  memcpy(trajectory->q, input->q, (size_t)bodies->nq * sizeof *input->q);
  state_before(rollout->model, input, rollout->q_before);
  dc_poses(bodies, input->q, rollout->now);
  if (dc_contact_overlap(rollout->contact, rollout->now, &pair, &depth))
    return dc_fail(error, DC_INFEASIBLE, "bodies %s and %s overlap at the start by about %.3g m",
                   bodies->bodies[rollout->pair_bodies[pair][0]].name,
                   bodies->bodies[rollout->pair_bodies[pair][1]].name, depth);
  if (isnan(dc_contact_evaluate(rollout->contact, rollout->now, 0, rollout->pairs)))
    return dc_fail(error, DC_MEMORY, "out of memory for contact pairs");
  trajectory->min_gap[0] = dc_contact_min_gap(rollout->contact);
  trajectory->unconverged_steps = trajectory->regularized_steps = 0;
  trajectory->largest_residual = 0;
  return DC_OK;
}

enum dc_status dc_rollout_forward(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                  struct dc_trajectory *trajectory, struct dc_error *error)
{
  size_t nq = (size_t)rollout->model->bodies.nq;
  enum dc_status status = start(rollout, input, trajectory, error);
  for (int t = 0; t < trajectory->steps && !status; t++) {
    double *q = trajectory->q + (size_t)t * nq, *q_next = q + nq;
    struct dc_step_report report;
    status = dc_step_solve(rollout, &input->design, q, q_next,
                           trajectory->pairs + (size_t)t * (size_t)rollout->pair_count, &report, error);
    if (status) {
      dc_error_prefix(error, "step %d", t + 1);
      break;
    }
    trajectory->newton_iterations[t] = report.iterations;
    trajectory->evaluations[t] = report.evaluations;
    trajectory->converged[t] = report.converged;
    trajectory->min_gap[t + 1] = report.min_gap;
    trajectory->unconverged_steps += !report.converged;
    trajectory->regularized_steps += report.regularized;
    trajectory->largest_residual = fmax(trajectory->largest_residual, report.residual);
    memcpy(rollout->q_before, q, nq * sizeof *q);
  }
  return status;
}
