// SPDX-License-Identifier: Apache-2.0
// The tangent of a rollout: how its states follow directions of its input.  With B = d2L/(dq+ dq), C = d2L/(dq+ dq-)
// and D = d2L/(dq+ du) of every interval
//     S(t+1) = -H^-1 (B S(t) + C S(t-1) + D U(t)),
// for all directions with one assembly and one factorization of H (docs/theory.md, "Products").
#include <stdlib.h>
#include <string.h>

#include "dynamics/linearization.h"
#include "dynamics/stepper.h"
#include "math/vector.h"

// Directions at one interval: moves [count][nv] of q(t-1), q(t) and q(t+1).
struct sweep {
  const struct dc_trajectory *trajectory;
  int count;
  const struct dc_rollout_cotangent *const *directions;  // [count]
  double *before, *now, *next;                           // [count][nv] of q(t-1), q(t), q(t+1)
  double *tangents;                                      // [steps + 1][count][nv]
  bool *lasting;                                         // [count] whether a number of the design moves
  size_t memory_count;                                   // dc_remembered_count
  double *memory_now, *memory_next;  // [count][memory_count] of what the intervals before t and t+1 have left
};

// A direction that moves the design changes every step; others act where their targets or states do.
static bool design_is_zero(const struct dc_design *design, const struct dc_bodies *bodies)
{
  struct dc_design_array arrays[DC_DESIGN_ARRAYS];
  dc_design_arrays(design, bodies, arrays);
  for (int a = 0; a < DC_DESIGN_ARRAYS; a++)
    if (!dc_all_zero(arrays[a].numbers, (size_t)arrays[a].count))
      return false;
  return true;
}

// The move of the state before the first frame.
static void move_start(const struct dc_model *model, const struct dc_rollout_input *input,
                       const struct dc_rollout_cotangent *direction, double *before)
{
  memset(before, 0, (size_t)model->bodies.nv * sizeof *before);
  if (!input->q_before)
    dc_start_push(&model->bodies, input->velocity, -model->definition.time.step, direction->q, direction->velocity,
                  before);
}

// The places that free bodies start in, about the centres of their shapes in the scene, turn with them: of moves of the
// first state and of the one before.
static void turn_start(const struct dc_rollout *rollout, const struct dc_rollout_input *input,
                       const struct dc_rollout_cotangent *direction, double *now, double *before)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  for (int i = 0; i < bodies->count && rollout->shape && !input->q_before; i++) {
    double shift[3], moved[3];
    int v = bodies->bodies[i].v_offset;
    if (!bodies->bodies[i].free)
      continue;
    dc_rollout_center_shift(rollout, i, input->q, shift);
    dc_vec_cross(moved, direction->q + v, shift);
    dc_vec_add(now + v + 3, now + v + 3, moved);
    dc_vec_add(before + v + 3, before + v + 3, moved);
  }
}

// The change of the gradient at fixed q(t+1) along one direction [nv].
static void push_direction(struct dc_rollout *rollout, const struct dc_step_state *state, const double *before,
                           const double *now, const double *memory, const struct dc_rollout_cotangent *direction,
                           double *change)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  dc_twists(bodies, &rollout->now, now, rollout->adjoint.twists);
  dc_twists(bodies, &rollout->before, before, rollout->adjoint.wrenches_before);
  memset(rollout->frames.wrenches, 0, (size_t)bodies->count * sizeof *rollout->frames.wrenches);
  struct dc_step_variation variation = {.now = {now, (const double(*)[6])rollout->adjoint.twists},
                                        .before = {before, (const double(*)[6])rollout->adjoint.wrenches_before},
                                        .input = direction,
                                        .memory = (const double(*)[DC_IMPACT_NUMBERS])memory};
  struct dc_step_forces forces = {.wrenches = rollout->frames.wrenches, .joints = change};
  if (state->prediction)
    dc_prediction_push(state, &variation);
  for (int i = 0; dc_step_terms[i]; i++)
    if (dc_step_terms[i]->add_product)
      dc_step_terms[i]->add_product(state, &variation, &forces);
  dc_pull_back(bodies, &rollout->next, (const double(*)[6])rollout->frames.wrenches, change);
}

// How what an interval leaves moves along one direction [memory_count].
static void push_memory(struct dc_rollout *rollout, const struct dc_step_state *state, const struct sweep *sweep, int d)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  size_t at = (size_t)d * (size_t)bodies->nv, from = (size_t)d * sweep->memory_count;
  dc_twists(bodies, &rollout->next, sweep->next + at, rollout->frames.wrenches);
  dc_twists(bodies, &rollout->now, sweep->now + at, rollout->adjoint.twists);
  dc_twists(bodies, &rollout->before, sweep->before + at, rollout->adjoint.wrenches_before);
  struct dc_step_variation variation = {
      .now = {sweep->now + at, (const double(*)[6])rollout->adjoint.twists},
      .before = {sweep->before + at, (const double(*)[6])rollout->adjoint.wrenches_before},
      .input = sweep->directions[d],
      .memory = (const double(*)[DC_IMPACT_NUMBERS])(sweep->memory_now + from)};
  dc_impact_push(state, state->memory, &variation, (const double(*)[6])rollout->frames.wrenches,
                 (double(*)[DC_IMPACT_NUMBERS])(sweep->memory_next + from));
}

// Whether anything moves the end of an interval along direction d.
static bool moves(const struct sweep *sweep, const struct dc_step_state *state, int d)
{
  size_t nv = (size_t)state->model->bodies.nv, at = (size_t)d * nv, n = (size_t)state->model->bodies.actuator_count;
  const struct dc_rollout_cotangent *direction = sweep->directions[d];
  size_t row = (size_t)state->interval.step * n, memory = sweep->memory_count;
  return sweep->lasting[d] || !dc_all_zero(sweep->memory_now + (size_t)d * memory, memory) ||
         !dc_all_zero(sweep->now + at, nv) || !dc_all_zero(sweep->before + at, nv) ||
         !dc_all_zero(direction->target_position + row, n) || !dc_all_zero(direction->target_velocity + row, n) ||
         (direction->force && !dc_all_zero(direction->force + (size_t)state->interval.step * nv, nv));
}

// One interval: products for every direction that moves anything, then -H^-1 times all of them.
static enum dc_status push_interval(struct dc_rollout *rollout, const struct dc_step_state *state, struct sweep *sweep,
                                    struct dc_error *error)
{
  size_t nv = (size_t)rollout->model->bodies.nv;
  size_t memory = sweep->memory_count;
  bool lacks_pairs = dc_needs_pairs_now(state) && state->pairs_now == rollout->rigid.spare;
  enum dc_status status = dc_step_restore(rollout, state, lacks_pairs, error);
  if (!status)
    status = dc_step_prepare_product(rollout, state, error);
  if (!status && dc_recomputes_pairs(rollout, sweep->trajectory))
    status = dc_rigid_recompute(rollout, state->next, rollout->rigid.pairs, error);
  if (!status)
    status = dc_step_factor(rollout, state, sweep->count, error);
  memset(sweep->next, 0, (size_t)sweep->count * nv * sizeof *sweep->next);
  for (int d = 0; d < sweep->count && !status; d++) {
    size_t at = (size_t)d * nv;
    if (moves(sweep, state, d))
      push_direction(rollout, state, sweep->before + at, sweep->now + at, sweep->memory_now + (size_t)d * memory,
                     sweep->directions[d], sweep->next + at);
  }
  if (!status)
    status = dc_step_answer(rollout, sweep->count, sweep->next, error);
  for (int d = 0; d < sweep->count && !status && memory; d++)
    push_memory(rollout, state, sweep, d);
  return status;
}

// Goes on to the next interval: `next` becomes `now`, `now` becomes `before`.
static void move_on(struct dc_rollout *rollout, struct sweep *sweep)
{
  struct dc_kinematics free_one = rollout->before;
  rollout->before = rollout->now;
  rollout->now = rollout->next;
  rollout->next = free_one;
  double *free_moves = sweep->before;
  sweep->before = sweep->now;
  sweep->now = sweep->next;
  sweep->next = free_moves;
  double *free_memory = sweep->memory_now;
  sweep->memory_now = sweep->memory_next;
  sweep->memory_next = free_memory;
}

// The sweep over all intervals, forward: contact as it was when the interval was solved, H factored once, the products
// B S + C S + D U of all terms for each direction, and the solution for all directions.
static enum dc_status sweep_on(struct dc_rollout *rollout, const struct dc_rollout_input *input, struct sweep *sweep,
                               struct dc_error *error)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  const struct dc_trajectory *trajectory = sweep->trajectory;
  size_t nv = (size_t)bodies->nv, size = (size_t)sweep->count * nv;
  struct dc_state_place now = {0, 0}, next;
  dc_rollout_state_before(rollout, input, rollout->q_before);
  dc_kinematics_update(bodies, rollout->q_before, &rollout->before);
  dc_kinematics_update(bodies, dc_place_state(rollout, trajectory, now), &rollout->now);
  for (int d = 0; d < sweep->count; d++) {
    memcpy(sweep->now + (size_t)d * nv, sweep->directions[d]->q, nv * sizeof *sweep->now);
    move_start(rollout->model, input, sweep->directions[d], sweep->before + (size_t)d * nv);
    turn_start(rollout, input, sweep->directions[d], sweep->now + (size_t)d * nv, sweep->before + (size_t)d * nv);
    sweep->lasting[d] = !design_is_zero(&sweep->directions[d]->design, bodies);
  }
  memcpy(sweep->tangents, sweep->now, size * sizeof *sweep->now);
  for (int frame = 0; frame < trajectory->steps; now = next) {
    next = dc_place_after(trajectory, now);
    dc_kinematics_update(bodies, dc_place_state(rollout, trajectory, next), &rollout->next);
    struct dc_step_state state = dc_interval_state(rollout, input, trajectory, next);
    enum dc_status status = dc_rollout_goes_on(rollout) ? push_interval(rollout, &state, sweep, error)
                                                        : dc_fail(error, DC_STOPPED, "stopped");
    if (status) {
      dc_error_prefix(error, "step %d", next.step + 1);
      return status;
    }
    move_on(rollout, sweep);
    if (dc_place_frame(trajectory, next) > frame) {
      frame++;
      memcpy(sweep->tangents + (size_t)frame * size, sweep->now, size * sizeof *sweep->now);
    }
  }
  return DC_OK;
}

// Allocates the moves of three states and sweeps over all intervals.
enum dc_status dc_implicit_tangent(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                   const struct dc_trajectory *trajectory, int count,
                                   const struct dc_rollout_cotangent *const *directions, double *tangents,
                                   struct dc_error *error)
{
  size_t size = (size_t)count * (size_t)rollout->model->bodies.nv;
  if (trajectory->unconverged_steps)
    return dc_fail(error, DC_NUMERICAL, "%d steps did not converge: no tangent", trajectory->unconverged_steps);
  size_t numbers = dc_remembered_count(input, trajectory), memory = (size_t)count * numbers;
  double *moves_of = dc_alloc(3 * size + 2 * memory, sizeof *moves_of);
  bool *lasting = dc_alloc((size_t)count, sizeof *lasting);
  struct sweep sweep = {.trajectory = trajectory,
                        .count = count,
                        .directions = directions,
                        .before = moves_of,
                        .tangents = tangents,
                        .lasting = lasting};
  enum dc_status status = DC_OK;
  if (moves_of && lasting) {
    sweep.now = moves_of + size;
    sweep.next = moves_of + 2 * size;
    sweep.memory_now = moves_of + 3 * size;
    sweep.memory_next = sweep.memory_now + memory;
    sweep.memory_count = numbers;
    status = sweep_on(rollout, input, &sweep, error);
  } else {
    status = dc_out_of_memory_for(error, "a tangent");
  }
  free(moves_of);
  free(lasting);
  return status;
}

// Whether a row depends on the input directly, which most do not.
static bool sees_input(const struct dc_model *model, const struct dc_adjoint_row *row)
{
  size_t nv = (size_t)model->bodies.nv, n = (size_t)model->bodies.actuator_count;
  size_t from = (size_t)row->first * n, targets = (size_t)(row->last - row->first) * n;
  const struct dc_rollout_cotangent *by = row->input;
  struct dc_design_array arrays[DC_DESIGN_ARRAYS];
  dc_design_arrays(&by->design, &model->bodies, arrays);
  for (int i = 0; i < DC_DESIGN_ARRAYS; i++)
    if (!dc_all_zero(arrays[i].numbers, (size_t)arrays[i].count))
      return true;
  return !dc_all_zero(by->q, nv) || !dc_all_zero(by->velocity, nv) ||
         !dc_all_zero(by->target_position + from, targets) || !dc_all_zero(by->target_velocity + from, targets);
}

// The change of a row along a direction by its direct dependence on the input; targets are those of the steps between
// its frames.
static double contract_input(const struct dc_model *model, const struct dc_adjoint_row *row,
                             const struct dc_rollout_cotangent *direction,
                             double (*dot)(const double *, const double *, int))
{
  int nv = model->bodies.nv, n = model->bodies.actuator_count;
  const struct dc_rollout_cotangent *by = row->input;
  struct dc_design_array a[DC_DESIGN_ARRAYS], b[DC_DESIGN_ARRAYS];
  double sum = dot(by->q, direction->q, nv) + dot(by->velocity, direction->velocity, nv);
  for (int step = row->first; step < row->last; step++) {
    size_t at = (size_t)step * (size_t)n;
    sum += dot(by->target_position + at, direction->target_position + at, n) +
           dot(by->target_velocity + at, direction->target_velocity + at, n);
  }
  dc_design_arrays(&by->design, &model->bodies, a);
  dc_design_arrays(&direction->design, &model->bodies, b);
  for (int i = 0; i < DC_DESIGN_ARRAYS; i++)
    sum += dot(a[i].numbers, b[i].numbers, a[i].count);
  return sum;
}

// The row's derivative along each direction: its dependence on the input, and its cotangents of the frames, pulled back
// to coordinates, times the tangents there.
void dc_rollout_contract(struct dc_rollout *rollout, const struct dc_trajectory *trajectory,
                         const struct dc_adjoint_row *row, int count,
                         const struct dc_rollout_cotangent *const *directions, const double *tangents, double *products,
                         double *bounds)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  size_t nv = (size_t)bodies->nv;
  bool sees = sees_input(rollout->model, row);
  for (int d = 0; d < count; d++) {
    products[d] = sees ? contract_input(rollout->model, row, directions[d], dc_dot) : 0;
    if (bounds)
      bounds[d] = sees ? contract_input(rollout->model, row, directions[d], dc_dot_bound) : 0;
  }
  for (int frame = row->first; frame <= row->last; frame++) {
    size_t slice = (size_t)(frame - row->first);
    const double *moves_of = tangents + (size_t)frame * (size_t)count * nv;
    memcpy(rollout->newton.gradient, row->frames.forces + slice * nv, nv * sizeof *rollout->newton.gradient);
    dc_kinematics_update(bodies, trajectory->q + (size_t)frame * (size_t)trajectory->nq, &rollout->now);
    dc_pull_back(bodies, &rollout->now, (const double(*)[6])row->frames.wrenches + slice * (size_t)bodies->count,
                 rollout->newton.gradient);
    // A row is about few bodies: the coordinates of others stay out.
    int from = 0, to = bodies->nv;
    while (from < to && rollout->newton.gradient[from] == 0)
      from++;
    while (from < to && rollout->newton.gradient[to - 1] == 0)
      to--;
    for (int d = 0; d < count; d++) {
      const double *moves = moves_of + (size_t)d * nv + from;
      products[d] += dc_dot(rollout->newton.gradient + from, moves, to - from);
      if (bounds)
        bounds[d] += dc_dot_bound(rollout->newton.gradient, moves_of + (size_t)d * nv, (int)nv);
    }
  }
}
