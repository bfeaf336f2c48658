// SPDX-License-Identifier: Apache-2.0
// The adjoint of a rollout.  At a converged step dL/dq+ = 0, so that for a cotangent a of q+
//     lambda = -H^-1 a,
//     a(q) += lambda^T d2L/(dq+ dq),   a(q-) += lambda^T d2L/(dq+ dq-),   a(design) += lambda^T d2L/(dq+ d design)
// with the true Hessian H (paper 000, section 3.2; docs/theory.md, "Adjoint").
//
// The sweep goes from the last interval to the first.  At each one:
// 1. kinematics of q-, q and q+ (dc_kinematics_update), and the cotangents that the loss itself gives these states;
// 2. contact and friction as they were when the interval was solved (dc_step_restore), from the tape or evaluated
//    again;
// 3. H, assembled and factored once for all rows, and lambda for all rows (dc_step_factor, dc_step_answer);
// 4. for each row the mixed derivatives of all terms (pull_back_row), pulled back to coordinates of q and q-;
// 5. q becomes q+ and q- becomes q of the next interval (move_back).
//
// In the end the cotangents of q_0 and q_{-1} go to the initial state and velocity (pull_back_start).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dynamics/linearization.h"
#include "dynamics/stepper.h"
#include "math/vector.h"

// Passes the derivatives by start, mass and centre, which frames and steps have left, on to the vertices of the shapes.
static enum dc_status pull_back_shapes(const struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                       const double *now, const double *before, struct dc_rollout_cotangent *cotangent,
                                       struct dc_error *error)
{
  size_t nv = (size_t)rollout->model->bodies.nv;
  double *start = dc_alloc(nv, sizeof *start);
  if (!start)
    return dc_out_of_memory_for(error, "an adjoint");
  for (size_t v = 0; v < nv; v++)
    start[v] = now[v] + before[v];
  dc_shape_pull_back_start(rollout, input, start, cotangent->q, cotangent->shape);
  dc_shape_pull_back_mass(rollout->model, cotangent->shape);
  free(start);
  return DC_OK;
}

// Passes the cotangents of q_0 (now) and q_{-1} (before) on to the initial state and velocity.
static enum dc_status pull_back_start(const struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                      const double *now, const double *before, struct dc_rollout_cotangent *cotangent,
                                      struct dc_error *error)
{
  const struct dc_model *model = rollout->model;
  for (int v = 0; v < model->bodies.nv; v++)
    cotangent->q[v] += now[v];
  if (!input->q_before)
    dc_start_pull_back(&model->bodies, input->velocity, -model->definition.time.step, before, cotangent->q,
                       cotangent->velocity);
  return cotangent->shape ? pull_back_shapes(rollout, input, now, before, cotangent, error) : DC_OK;
}

// Rows at one interval: cotangents [count][nv] of q(t+1), q(t) and q(t-1).
struct sweep {
  const struct dc_trajectory *trajectory;
  int count;
  struct dc_adjoint_row *rows;  // [count]
  double *next, *now, *before;  // [count][nv] by q(t+1), q(t), q(t-1)
  // Cotangents [count][memory_count] of what the intervals before t+1 and before t have left.
  double *memory_next, *memory_now;
  size_t memory_count;  // dc_remembered_count
};

// The memory that the interval has left depends on its three states: adds that to their cotangents, and to those of
// the memory it began with.
static void pull_back_memory(struct dc_rollout *rollout, const struct dc_step_state *state, struct sweep *sweep, int r)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  size_t nv = (size_t)bodies->nv, at = (size_t)r * nv, count = sweep->memory_count,
         bytes = (size_t)bodies->count * sizeof *rollout->adjoint.twists;
  const double *weights = sweep->memory_next + (size_t)r * count;
  if (dc_all_zero(weights, count))
    return;
  memset(rollout->frames.wrenches, 0, bytes);
  memset(rollout->adjoint.wrenches_now, 0, bytes);
  memset(rollout->adjoint.wrenches_before, 0, bytes);
  struct dc_step_cotangent out = {.now = {rollout->adjoint.wrenches_now, sweep->now + at},
                                  .before = {rollout->adjoint.wrenches_before, NULL},
                                  .input = sweep->rows[r].input,
                                  .memory = (double(*)[DC_IMPACT_NUMBERS])(sweep->memory_now + (size_t)r * count)};
  dc_impact_pull_back(state, state->memory, (const double(*)[DC_IMPACT_NUMBERS])weights, rollout->frames.wrenches,
                      &out);
  dc_pull_back(bodies, &rollout->next, (const double(*)[6])rollout->frames.wrenches, sweep->next + at);
  dc_pull_back(bodies, &rollout->now, (const double(*)[6])rollout->adjoint.wrenches_now, sweep->now + at);
  dc_pull_back(bodies, &rollout->before, (const double(*)[6])rollout->adjoint.wrenches_before, sweep->before + at);
}

// One row over an interval: now and before gain what lambda passes on.
static enum dc_status pull_back_row(struct dc_rollout *rollout, const struct dc_step_state *state, const double *lambda,
                                    double *now, double *before, double *memory, struct dc_rollout_cotangent *cotangent,
                                    struct dc_error *error)
{
  bool shapes = cotangent->shape != NULL;
  const struct dc_bodies *bodies = &rollout->model->bodies;
  size_t bytes = (size_t)bodies->count * sizeof *rollout->adjoint.twists;
  dc_twists(bodies, &rollout->next, lambda, rollout->adjoint.twists);
  memset(rollout->adjoint.wrenches_now, 0, bytes);
  memset(rollout->adjoint.wrenches_before, 0, bytes);
  struct dc_step_direction direction = {.joints = lambda, .twists = (const double(*)[6])rollout->adjoint.twists};
  struct dc_step_cotangent out = {.now = {rollout->adjoint.wrenches_now, now},
                                  .before = {rollout->adjoint.wrenches_before, before},
                                  .input = cotangent,
                                  .memory = (double(*)[DC_IMPACT_NUMBERS])memory,
                                  .coefficients = rollout->adjoint.coefficient_cotangents,
                                  .points = shapes ? rollout->shape_workspace->by_point : NULL};
  if (state->prediction)
    dc_prediction_begin_pull_back(state, &out);
  for (int i = 0; dc_step_terms[i]; i++)
    dc_step_terms[i]->add_mixed(state, &direction, &out);
  if (state->prediction)
    dc_prediction_pull_back(state, &out);
  enum dc_status status = shapes ? dc_shape_pull_back_step(rollout, state, &direction, &out, error) : DC_OK;
  dc_pull_back(bodies, &rollout->now, (const double(*)[6])rollout->adjoint.wrenches_now, now);
  dc_pull_back(bodies, &rollout->before, (const double(*)[6])rollout->adjoint.wrenches_before, before);
  return status;
}

// Steps 2 to 4 of the head for one interval; `pairs` as of dc_step_restore.
static enum dc_status pull_back_interval(struct dc_rollout *rollout, bool pairs, const struct dc_step_state *state,
                                         struct sweep *sweep, struct dc_error *error)
{
  size_t nv = (size_t)rollout->model->bodies.nv;
  double *lambda = sweep->next;
  bool shapes = rollout->base->shapes_change;
  if (shapes)
    dc_shape_swap_contact(rollout);
  size_t memory = sweep->memory_count;
  enum dc_status status = dc_step_restore(rollout, state, pairs, error);
  for (int r = 0; r < sweep->count && !status && memory; r++)
    pull_back_memory(rollout, state, sweep, r);
  if (!status && !dc_all_zero(sweep->next, (size_t)sweep->count * nv)) {
    status = dc_step_factor(rollout, state, sweep->count, error);
    if (!status)
      status = dc_step_answer(rollout, sweep->count, lambda, error);
  }
  for (int r = 0; r < sweep->count && !status; r++) {
    size_t at = (size_t)r * nv;
    if (!dc_all_zero(lambda + at, nv))
      status = pull_back_row(rollout, state, lambda + at, sweep->now + at, sweep->before + at,
                             sweep->memory_now + (size_t)r * memory, sweep->rows[r].input, error);
    if (shapes && sweep->count > 1 && !status)
      dc_shape_take_points(rollout, sweep->rows[r].input->shape);
  }
  return status;
}

// Cotangents a [count][nv] of the coordinates of a state from the rows alone, which see frames; kinematics are those of
// the state.
static void row_cotangents(const struct dc_rollout *rollout, const struct sweep *sweep, struct dc_state_place place,
                           const struct dc_kinematics *kinematics, double *a)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  size_t nv = (size_t)bodies->nv, bytes = nv * sizeof *a;
  int frame = dc_place_frame(sweep->trajectory, place);
  for (int r = 0; r < sweep->count; r++, a += nv) {
    const struct dc_adjoint_row *row = &sweep->rows[r];
    if (frame < 0 && place.inside > 0 && row->frames.between) {
      long inside = sweep->trajectory->between_first[place.step] + place.inside - 1;
      memcpy(a, row->frames.between + (size_t)inside * nv, bytes);
      continue;
    }
    if (frame < row->first || frame > row->last) {
      memset(a, 0, bytes);
      continue;
    }
    size_t slice = (size_t)(frame - row->first);
    memcpy(a, row->frames.forces + slice * nv, bytes);
    const double(*wrenches)[6] = (const double(*)[6])row->frames.wrenches + slice * (size_t)bodies->count;
    dc_pull_back(bodies, kinematics, wrenches, a);
    if (row->input->shape)
      dc_shape_pull_back_frames(rollout->model, kinematics->poses, wrenches, rollout->frames.floors, row->input->shape);
  }
}

// Goes on to the interval before: `now` becomes `next`, `before` becomes `now`.
static void move_back(struct dc_rollout *rollout, struct sweep *sweep)
{
  struct dc_kinematics free_one = rollout->next;
  rollout->next = rollout->now;
  rollout->now = rollout->before;
  rollout->before = free_one;
  struct dc_pair_derivatives *pairs = rollout->rigid.pairs;
  rollout->rigid.pairs = rollout->rigid.spare;
  rollout->rigid.spare = pairs;
  double *free_rows = sweep->next;
  sweep->next = sweep->now;
  sweep->now = sweep->before;
  sweep->before = free_rows;
  double *free_memory = sweep->memory_next;
  sweep->memory_next = sweep->memory_now;
  sweep->memory_now = free_memory;
  memset(free_memory, 0, (size_t)sweep->count * sweep->memory_count * sizeof *free_memory);
}

// The last frame that any row sees.
static struct dc_state_place last_place(const struct sweep *sweep)
{
  int last = 0;
  for (int r = 0; r < sweep->count; r++)
    last = sweep->rows[r].last > last ? sweep->rows[r].last : last;
  return last ? (struct dc_state_place){last - 1, dc_trajectory_substeps(sweep->trajectory, last - 1)}
              : (struct dc_state_place){0, 0};
}

// The sweep over all intervals, as the head has it.
static enum dc_status sweep_back(struct dc_rollout *rollout, const struct dc_rollout_input *input, struct sweep *sweep,
                                 struct dc_error *error)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  const struct dc_trajectory *trajectory = sweep->trajectory;
  struct dc_state_place next = last_place(sweep), now = dc_place_before(trajectory, next);
  dc_rollout_state_before(rollout, input, rollout->q_before);
  dc_kinematics_update(bodies, dc_place_state(rollout, trajectory, next), &rollout->next);
  row_cotangents(rollout, sweep, next, &rollout->next, sweep->next);
  dc_kinematics_update(bodies, dc_place_state(rollout, trajectory, now), &rollout->now);
  row_cotangents(rollout, sweep, now, &rollout->now, sweep->now);
  bool recompute = dc_recomputes_pairs(rollout, trajectory);
  enum dc_status status = DC_OK;
  if (recompute && next.inside > 0)
    status = dc_rigid_recompute(rollout, rollout->next.poses, rollout->rigid.pairs, error);
  while (next.inside > 0) {
    struct dc_state_place before = dc_place_before(trajectory, now);
    dc_kinematics_update(bodies, dc_place_state(rollout, trajectory, before), &rollout->before);
    row_cotangents(rollout, sweep, before, &rollout->before, sweep->before);
    struct dc_step_state state = dc_interval_state(rollout, input, trajectory, next);
    if (!status && !dc_rollout_goes_on(rollout))
      status = dc_fail(error, DC_STOPPED, "stopped");
    if (!status)
      status =
          pull_back_interval(rollout, now.inside > 0 ? recompute : dc_needs_pairs_now(&state), &state, sweep, error);
    if (status) {
      dc_error_prefix(error, "step %d", next.step + 1);
      return status;
    }
    move_back(rollout, sweep);
    next = now;
    now = before;
  }
  return DC_OK;
}

// Whether contact has derivatives by the vertices of the convex parts.
static bool has_shapes(const struct dc_rollout *rollout)
{
  const struct dc_model_definition *definition = &rollout->model->definition;
  unsigned flags = definition->contact_model->flags;
  bool parts = (flags & DC_CONTACT_SURFACES) || definition->contact.hulls == DC_HULLS_PARTS;
  return (flags & DC_CONTACT_SHAPES) && parts && dc_contact_has_point_rates(rollout->rigid.contact);
}

enum dc_status dc_rollout_check_shapes(const struct dc_rollout *rollout, struct dc_error *error)
{
  if (!rollout->base->shapes_change)
    return DC_OK;
  if (!has_shapes(rollout))
    return dc_fail(error, DC_BAD_INPUT,
                   "model %s has no derivatives by shapes with these settings; use sdrs, manifold, exact or bsh with "
                   "consistent weights, or --gradient fd or bundle",
                   rollout->model->definition.contact_model->name);
  if (rollout->prediction)
    return dc_fail(error, DC_BAD_INPUT,
                   "time.integrator second_order has no derivatives by shapes; use euler, or --gradient fd or bundle");
  if (rollout->surface)
    return dc_fail(error, DC_BAD_INPUT,
                   "contact of soft bodies has no derivatives by shapes; use --gradient fd or bundle");
  for (int i = 0; i < rollout->model->bodies.count; i++)
    if (!isnan(dc_model_restitution(rollout->model, i)))
      return dc_fail(error, DC_BAD_INPUT,
                     "restitution has no derivatives by shapes (body \"%.255s\"); use --gradient fd or bundle",
                     rollout->model->bodies.bodies[i].name);
  return DC_OK;
}

// Checks that there is a gradient at all, then sweeps back over all intervals and hands the cotangents of q_0 and
// q_{-1} to the start.
enum dc_status dc_implicit_adjoint(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                   const struct dc_trajectory *trajectory, int count, struct dc_adjoint_row *rows,
                                   struct dc_error *error)
{
  size_t nv = (size_t)rollout->model->bodies.nv, size = (size_t)count * nv;
  if (dc_rollout_check_shapes(rollout, error))
    return DC_BAD_INPUT;
  if (trajectory->unconverged_steps)
    return dc_fail(error, DC_NUMERICAL, "%d steps did not converge: no gradient", trajectory->unconverged_steps);
  size_t numbers = dc_remembered_count(input, trajectory), memory = (size_t)count * numbers;
  double *cotangents = dc_alloc(3 * size + 2 * memory, sizeof *cotangents);
  if (!cotangents)
    return dc_out_of_memory_for(error, "an adjoint");
  double *memories = cotangents + 3 * size;
  struct sweep sweep = {trajectory,        count,  rows, cotangents, cotangents + size, cotangents + 2 * size, memories,
                        memories + memory, numbers};
  bool shapes = rollout->base->shapes_change;
  enum dc_status status = shapes ? dc_shape_begin(rollout, error) : DC_OK;
  if (!status)
    status = sweep_back(rollout, input, &sweep, error);
  if (shapes && count == 1 && !status)
    dc_shape_take_points(rollout, rows[0].input->shape);
  if (shapes)
    dc_shape_end(rollout);
  // Now next belongs to q_0 and now to q_{-1}.
  for (int r = 0; r < count && !status; r++)
    status =
        pull_back_start(rollout, input, sweep.next + (size_t)r * nv, sweep.now + (size_t)r * nv, rows[r].input, error);
  free(cotangents);
  return status;
}
