// SPDX-License-Identifier: Apache-2.0
// The terms of the step potential, and what callers ask of all of them.  Terms are asked in the order of the list: of
// several that fail the first one is told, and sums have the same rounding each time.  A member that is NULL means
// that the term has nothing to say there.
#include <math.h>
#include <string.h>

#include "dynamics/step.h"

const struct dc_step_term *const dc_step_terms[] = {&dc_inertia_term,
                                                    &dc_gravity_term,
                                                    &dc_contact_term,
                                                    &dc_friction_term,
                                                    &dc_impact_term,
                                                    &dc_actuator_term,
                                                    &dc_limit_term,
                                                    &dc_coupling_term,
                                                    &dc_force_term,
                                                    &dc_node_term,
                                                    &dc_load_term,
                                                    &dc_elastic_term,
                                                    &dc_node_contact_term,
                                                    &dc_surface_term,
                                                    &dc_cable_term,
                                                    &dc_air_term,
                                                    &dc_far_term,
                                                    &dc_passive_term,
                                                    &dc_pin_term,
                                                    &dc_muscle_term,
                                                    &dc_tie_term,
                                                    &dc_past_term,
                                                    NULL};

void dc_step_assemble(const struct dc_step_state *state, bool exact, const double (*wrenches)[6],
                      struct dc_step_hessian *hessian)
{
  dc_symmetric_clear(hessian->matrix);
  memset(hessian->blocks, 0, (size_t)state->model->bodies.count * sizeof *hessian->blocks);
  for (int i = 0; dc_step_terms[i]; i++)
    dc_step_terms[i]->add_hessian(state, exact, hessian);
  dc_assemble_bodies(hessian->assembler, hessian->kinematics, (const double(*)[36])hessian->blocks,
                     exact ? wrenches : NULL, hessian->matrix);
}

// Returns the first status that is not DC_OK of the terms that have the member.
#define ASK_ALL(member, ...)                                                                                           \
  enum dc_status status = DC_OK;                                                                                       \
  for (int i = 0; dc_step_terms[i] && !status; i++)                                                                    \
    if (dc_step_terms[i]->member)                                                                                      \
      status = dc_step_terms[i]->member(__VA_ARGS__);                                                                  \
  return status

enum dc_status dc_step_begin(struct dc_rollout *rollout, const struct dc_step_state *state, struct dc_error *error)
{
  ASK_ALL(begin, rollout, state, error);
}

enum dc_status dc_step_evaluate(struct dc_rollout *rollout, const struct dc_step_state *state, bool careful,
                                struct dc_error *error)
{
  if (dc_rollout_cancelled(rollout))
    return dc_fail(error, DC_STOPPED, "stopped");
  ASK_ALL(evaluate, rollout, state, careful, error);
}

void dc_step_accept(struct dc_rollout *rollout)
{
  for (int i = 0; dc_step_terms[i]; i++)
    if (dc_step_terms[i]->accept)
      dc_step_terms[i]->accept(rollout);
}

bool dc_step_solved(const struct dc_rollout *rollout)
{
  bool solved = true;
  for (int i = 0; dc_step_terms[i]; i++)
    solved = solved && (!dc_step_terms[i]->solved || dc_step_terms[i]->solved(rollout));
  return solved;
}

enum dc_status dc_step_restore(struct dc_rollout *rollout, const struct dc_step_state *state, bool pairs,
                               struct dc_error *error)
{
  ASK_ALL(restore, rollout, state, pairs, error);
}

enum dc_status dc_step_prepare_product(struct dc_rollout *rollout, const struct dc_step_state *state,
                                       struct dc_error *error)
{
  ASK_ALL(prepare_product, rollout, state, error);
}

enum dc_status dc_step_check_start(struct dc_rollout *rollout, const struct dc_rollout_input *input, const double *q,
                                   struct dc_error *error)
{
  ASK_ALL(check_start, rollout, input, q, error);
}

// The part of a move, up to 1, that every term can follow.
double dc_step_safe_part(struct dc_rollout *rollout, const struct dc_design *design, const double *q,
                         const double *tangent)
{
  double part = 1;
  for (int i = 0; dc_step_terms[i]; i++)
    if (dc_step_terms[i]->safe_part)
      part = fmin(part, dc_step_terms[i]->safe_part(rollout, design, q, tangent));
  return part;
}

enum dc_status dc_step_check_path(struct dc_rollout *rollout, struct dc_error *error)
{
  ASK_ALL(check_path, rollout, error);
}

double dc_step_gap(const struct dc_rollout *rollout, const double *q)
{
  double gap = INFINITY;
  for (int i = 0; dc_step_terms[i]; i++)
    if (dc_step_terms[i]->gap)
      gap = fmin(gap, dc_step_terms[i]->gap(rollout, q));
  return gap;
}

void dc_step_floor(const struct dc_rollout *rollout, const struct dc_step_state *state, double *floor)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  struct dc_step_forces floors = {.wrenches = rollout->frames.floors, .joints = floor};
  memset(rollout->frames.floors, 0, (size_t)bodies->count * sizeof *rollout->frames.floors);
  memset(floor, 0, (size_t)bodies->nv * sizeof *floor);
  for (int i = 0; dc_step_terms[i]; i++)
    if (dc_step_terms[i]->add_floor)
      dc_step_terms[i]->add_floor(state, &floors);
  for (int i = 0; i < bodies->count; i++)
    dc_pull_back_magnitude(bodies, &rollout->next, i, rollout->frames.floors[i], floor);
}
