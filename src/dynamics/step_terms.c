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
                                                    &dc_tendon_term,
                                                    NULL};

// H is the sum of the terms' second derivatives by the tangent of q+, J/m^2 or J/rad^2.  Terms that see frames leave 6
// x 6 blocks by twists, which chains carry to the coordinates once for all terms.  If exact, the curvature of the
// chains is contracted with the gradient by the frames; it may be indefinite, so that Newton's method goes without it.
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

// An interval begins: lists of sliding contacts, the prediction and the far field are made from the states at t and
// before, once for all evaluations at t+1.
enum dc_status dc_step_begin(struct dc_rollout *rollout, const struct dc_step_state *state, struct dc_error *error)
{
  ASK_ALL(begin, rollout, state, error);
}

// Evaluates once, at q_next, all that values, gradients and Hessians are then read from.  Every iterate and every
// trial of a line search passes here, so that a request to cancel is heard within a step as well.
enum dc_status dc_step_evaluate(struct dc_rollout *rollout, const struct dc_step_state *state, bool careful,
                                struct dc_error *error)
{
  if (dc_rollout_cancelled(rollout))
    return dc_fail(error, DC_STOPPED, "stopped");
  ASK_ALL(evaluate, rollout, state, careful, error);
}

// The trial just evaluated becomes the iterate: quantities that depend on the last iterate, such as the curvature held
// between sticking and sliding, move on.  A trial that is rejected leaves them alone.
void dc_step_accept(struct dc_rollout *rollout)
{
  for (int i = 0; dc_step_terms[i]; i++)
    if (dc_step_terms[i]->accept)
      dc_step_terms[i]->accept(rollout);
}

// Inner problems, such as separating planes and the motion of friction's planes, end by a tolerance or by a count.  No
// derivative may rest on one that ended by its count.
bool dc_step_solved(const struct dc_rollout *rollout)
{
  bool solved = true;
  for (int i = 0; dc_step_terms[i]; i++)
    solved = solved && (!dc_step_terms[i]->solved || dc_step_terms[i]->solved(rollout));
  return solved;
}

// Adjoint and tangent come by here with each interval: begin and the last evaluation are repeated, as far as the tape
// does not hold their results.
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

// Barriers are infinite where bodies overlap or joints leave their ranges: a rollout cannot begin there.
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

// The whole motion from q to q+ is judged after convergence, since bounded iterates may still walk around an obstacle
// and end behind it.
enum dc_status dc_step_check_path(struct dc_rollout *rollout, struct dc_error *error)
{
  ASK_ALL(check_path, rollout, error);
}

// The least gap that any term knows, m; INFINITY where none has one.
double dc_step_gap(const struct dc_rollout *rollout, const double *q)
{
  double gap = INFINITY;
  for (int i = 0; dc_step_terms[i]; i++)
    if (dc_step_terms[i]->gap)
      gap = fmin(gap, dc_step_terms[i]->gap(rollout, q));
  return gap;
}

// Rounding sets a noise floor on each entry of the gradient, N or N m: every term adds magnitudes, those of frames are
// pulled back by absolute values, so that nothing cancels.  A residual below its floor cannot be reduced and counts as
// converged.
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
