// SPDX-License-Identifier: Apache-2.0
// The parts of a linearized interval that adjoint and tangent share: where its states lie in a trajectory, its contact,
// the factorization of its Hessian H (dc_step_factor) and x <- -H^-1 x for many vectors (dc_step_answer).  H is the
// true one; it may be indefinite, and a relative residual above LARGEST_RESIDUAL refuses the gradient.  Models of nodes
// alone may solve by conjugate gradients instead (node_newton.h).
#include "dynamics/linearization.h"

#include <math.h>
#include <string.h>

#include "dynamics/node_newton.h"
#include "math/vector.h"

// An indefinite or badly conditioned Hessian may still be solved; beyond this relative residual the gradient is
// refused.
static const double LARGEST_RESIDUAL = 1e-6;
enum { PORTION = 64 };  // vectors that are solved for at once

// The gradient of all terms by the frames, which the curvature of chains is contracted with.
static void frame_gradient(struct dc_rollout *rollout, const struct dc_step_state *state)
{
  struct dc_step_forces forces = {.wrenches = rollout->frames.wrenches, .joints = rollout->newton.gradient};
  memset(rollout->frames.wrenches, 0, (size_t)state->model->bodies.count * sizeof *rollout->frames.wrenches);
  for (int i = 0; dc_step_terms[i]; i++)
    dc_step_terms[i]->add_gradient(state, &forces);
}

// A converged step is a minimum as a rule, so that Cholesky is tried first; an indefinite H takes the slower LDL^T.
static enum dc_status factor(const struct dc_rollout *rollout, struct dc_error *error)
{
  if (dc_symmetric_factor_positive(rollout->matrix) && dc_symmetric_factor_indefinite(rollout->matrix))
    return dc_fail(error, DC_NUMERICAL, "the Hessian of a step is singular: no gradient");
  return DC_OK;
}

// Assembles the true Hessian at t+1, with the curvature of chains contracted with the frames' gradient, and factors it,
// or prepares conjugate gradients where these are faster for that many right-hand sides.
enum dc_status dc_step_factor(struct dc_rollout *rollout, const struct dc_step_state *state, int count,
                              struct dc_error *error)
{
  struct dc_step_hessian hessian = {.blocks = rollout->frames.blocks,
                                    .assembler = rollout->assembler,
                                    .kinematics = &rollout->next,
                                    .matrix = rollout->matrix,
                                    .element_places = rollout->nodes.element_places};
  enum dc_status status = dc_step_fit_pattern(rollout, error);
  if (status)
    return status;
  hessian.matrix = rollout->matrix;
  frame_gradient(rollout, state);
  struct dc_node_newton *newton = rollout->nodes.newton;
  struct dc_step_state held = *state;
  bool iterates = newton && dc_node_newton_prefers_iterations(newton, count);
  held.laws_apart = iterates && dc_node_newton_keeps_apart(newton);
  dc_step_assemble(&held, true, (const double(*)[6])rollout->frames.wrenches, &hessian);
  if (iterates) {
    dc_node_newton_prepare(newton, &held);
    return DC_OK;
  }
  return factor(rollout, error);
}

// By conjugate gradients, as dc_step_factor decided for that many vectors: those that could be solved are, the matrix
// is factored for the others; their number.
static int iterate(const struct dc_rollout *rollout, int count, double *x, struct dc_error *error,
                   enum dc_status *status)
{
  size_t nv = (size_t)rollout->model->bodies.nv;
  int left = 0;
  while (left < count && dc_node_newton_answer(rollout->nodes.newton, rollout->matrix, x + (size_t)left * nv))
    left++;
  if (left < count)
    dc_node_newton_join(rollout->nodes.newton, rollout->matrix);
  *status = left < count ? factor(rollout, error) : DC_OK;
  return count - left;
}

// Those that are zero on both sides of what is not stay out.
enum dc_status dc_step_answer(const struct dc_rollout *rollout, int count, double *x, struct dc_error *error)
{
  size_t nv = (size_t)rollout->model->bodies.nv;
  if (rollout->nodes.newton && dc_node_newton_prefers_iterations(rollout->nodes.newton, count)) {
    enum dc_status status;
    int left = iterate(rollout, count, x, error, &status);
    if (status || !left)
      return status;
    x += (size_t)(count - left) * nv;
    count = left;
  }
  while (count > 0 && dc_all_zero(x, nv))
    x += nv, count--;
  while (count > 0 && dc_all_zero(x + (size_t)(count - 1) * nv, nv))
    count--;
  for (int done = 0; done < count; done += PORTION) {
    double residuals[PORTION], *at = x + (size_t)done * nv;
    int portion = count - done < PORTION ? count - done : PORTION;
    dc_symmetric_solve_block(rollout->matrix, portion, at, at, residuals);
    for (int i = 0; i < portion; i++)
      if (!(residuals[i] <= LARGEST_RESIDUAL))
        return dc_fail(error, DC_NUMERICAL,
                       "the Hessian of a step is nearly singular (relative residual %.1e): no gradient", residuals[i]);
  }
  for (size_t i = 0; i < (size_t)count * nv; i++)
    x[i] = -x[i];
  return DC_OK;
}

// The places of a trajectory are counted over all steps and, within a divided step, over its parts; state 0 of a step
// is the last one of the step before.
struct dc_state_place dc_place_before(const struct dc_trajectory *trajectory, struct dc_state_place place)
{
  place.inside--;
  if (place.inside == 0 && place.step > 0) {
    place.step--;
    place.inside = dc_trajectory_substeps(trajectory, place.step);
  }
  return place;
}

struct dc_state_place dc_place_after(const struct dc_trajectory *trajectory, struct dc_state_place place)
{
  if (place.inside == dc_trajectory_substeps(trajectory, place.step))
    return (struct dc_state_place){place.step + 1, 1};
  place.inside++;
  return place;
}

int dc_place_frame(const struct dc_trajectory *trajectory, struct dc_state_place place)
{
  if (place.inside == 0)
    return place.step;
  return place.inside > 0 && place.inside == dc_trajectory_substeps(trajectory, place.step) ? place.step + 1 : -1;
}

const double *dc_place_state(const struct dc_rollout *rollout, const struct dc_trajectory *trajectory,
                             struct dc_state_place place)
{
  if (place.inside < 0)
    return rollout->q_before;
  return trajectory->steps ? dc_trajectory_state(trajectory, place.step, place.inside, NULL) : trajectory->q;
}

// Part of its step that lies before a state.
static double part_before(const struct dc_trajectory *trajectory, struct dc_state_place place)
{
  double at;
  dc_trajectory_state(trajectory, place.step, place.inside, &at);
  return at;
}

// Lengths follow from the parts of a step at which states lie.  The ratio is h over the length of the interval before,
// which begins at q_before for the very first one.  The time that remains, s, goes from the end to that of the step, to
// which targets refer.
struct dc_step_interval dc_interval_to(const struct dc_rollout_input *input, const struct dc_trajectory *trajectory,
                                       struct dc_state_place end)
{
  double h = trajectory->time_step, at = part_before(trajectory, end),
         before_length = input->q_before ? input->before_length : h;
  struct dc_state_place begin = {end.step, end.inside - 1}, now = dc_place_before(trajectory, end);
  double length = h * (at - part_before(trajectory, begin));
  if (now.inside > 0)
    before_length =
        h * (part_before(trajectory, now) - part_before(trajectory, (struct dc_state_place){now.step, now.inside - 1}));
  return (struct dc_step_interval){.step = end.step,
                                   .length = length,
                                   .ratio = length / before_length,
                                   .remaining = h * (1 - at),
                                   .starts = now.step == 0 && now.inside == 0 && !input->q_before};
}

bool dc_needs_pairs_now(const struct dc_step_state *state)
{
  bool other = state->interval.ratio != 1 || (state->prediction && state->interval.starts);
  return state->memory || (state->rigid->left && other);
}

size_t dc_remembered_count(const struct dc_rollout_input *input, const struct dc_trajectory *trajectory)
{
  return trajectory->memories.count || input->memory ? (size_t)trajectory->memory_count : 0;
}

bool dc_recomputes_pairs(const struct dc_rollout *rollout, const struct dc_trajectory *trajectory)
{
  return rollout->rigid.pair_count > 0 && trajectory->pair_count == 0;
}

// The derivatives of contact at the end of an interval: from the tape, or, without one, of the evaluation just made.
static const struct dc_pair_derivatives *pairs_at(const struct dc_rollout *rollout,
                                                  const struct dc_trajectory *trajectory, struct dc_state_place end)
{
  size_t count = (size_t)trajectory->pair_count;
  if (dc_recomputes_pairs(rollout, trajectory))
    return rollout->rigid.pairs;
  if (end.inside == dc_trajectory_substeps(trajectory, end.step))
    return dc_trajectory_pairs(trajectory, end.step);
  return trajectory->between.pairs + (size_t)(trajectory->between_first[end.step] + end.inside - 1) * count;
}

// The arguments of the terms as the forward solve had them, with derivatives of contact from the tape where there is
// one.
struct dc_step_state dc_interval_state(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                       const struct dc_trajectory *trajectory, struct dc_state_place next)
{
  struct dc_state_place now = dc_place_before(trajectory, next), before = dc_place_before(trajectory, now);
  struct dc_step_state state = dc_step_state_of(
      rollout, input, dc_interval_to(input, trajectory, next), dc_place_state(rollout, trajectory, before),
      dc_place_state(rollout, trajectory, now), dc_place_state(rollout, trajectory, next));
  state.pairs = pairs_at(rollout, trajectory, next);
  const double *memory = now.inside > 0 ? dc_trajectory_memory(trajectory, now.step, now.inside) : input->memory;
  state.memory =
      trajectory->memory_count && !rollout->asked.conservative ? (const double(*)[DC_IMPACT_NUMBERS])memory : NULL;
  bool taped = now.inside > 0 && !dc_recomputes_pairs(rollout, trajectory);
  state.pairs_now = taped ? pairs_at(rollout, trajectory, now) : rollout->rigid.spare;
  return state;
}
