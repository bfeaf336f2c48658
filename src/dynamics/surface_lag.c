// SPDX-License-Identifier: Apache-2.0
// Friction of soft surfaces by the law of lag.c.  Touches come and go as surfaces slide over each other, so that the
// law is one of pairs of surfaces.  F is the sum of the sizes of the forces F_k of all touches of a pair at t, and S
// the impulse that the interval before has kept.  Friction may use slip times F h-,
//     slip = 1 + S/(F h-),
// and all touches get the same factor f(slip) on F_k.  A part of F h- is kept.  A pair goes on as lag.c asks of the sum
// of its forces; a surface that touches itself always does.  A pair that no longer touches loses what it has kept.
//
// Derivatives are those by F, which is a sum over places of t, and by S:
//     d ln f = (f'/f)(dS - S/F dF)/(F h-),   dF = sum_k F_k d(ln F_k).
#include "dynamics/surface_lag.h"

#include <string.h>

#include "dynamics/lag.h"
#include "dynamics/touch_forces.h"
#include "math/vector.h"

static int pair_count(const struct dc_step_state *state)
{
  return state->surface ? dc_surface_pair_count(&state->model->bodies) : 0;
}

// The numbers of pairs of surfaces in a memory: those of nodes stand before them.
static double *numbers_of(const struct dc_step_state *state, double (*memory)[DC_IMPACT_NUMBERS])
{
  return (double *)(memory + state->rigid->pair_count) + dc_node_touch_count(state->model);
}

static const double *read_numbers(const struct dc_step_state *state, const double (*memory)[DC_IMPACT_NUMBERS])
{
  return (const double *)(memory + state->rigid->pair_count) + dc_node_touch_count(state->model);
}

// Sums of forces on the one body of each pair that has the smaller number.
static void add_force(double sum[3], const struct dc_touch *touch)
{
  double force[3];
  dc_touch_force(touch, force);
  dc_vec_add_scaled(sum, sum, touch->body[0] <= touch->body[1] ? 1 : -1, force);
}

// Forces of all touches of a pair, as a sum of sizes and as a vector.
static void find_sums(struct dc_rollout *rollout, const struct dc_step_state *state)
{
  struct dc_surface_share *shares = rollout->rigid.shares;
  size_t count;
  const struct dc_sliding_contact *sliding = dc_surface_sliding_contacts(rollout->surface, &count);
  memset(shares, 0, (size_t)pair_count(state) * sizeof *shares);
  for (size_t k = 0; k < count; k++) {
    shares[sliding[k].touch.pair].force += sliding[k].force;
    add_force(shares[sliding[k].touch.pair].now, &sliding[k].touch);
  }
}

// The forces at t-1.
static enum dc_status find_before(struct dc_rollout *rollout, const struct dc_step_state *state, struct dc_error *error)
{
  size_t count;
  if (dc_surface_evaluate(rollout->surface, state->q_before, state->before))
    return dc_out_of_memory_for(error, "touching surfaces");
  const struct dc_touch *touches = dc_surface_touches(rollout->surface, &count);
  for (size_t t = 0; t < count; t++)
    add_force(rollout->rigid.shares[touches[t].pair].before, &touches[t]);
  if (dc_surface_evaluate(rollout->surface, state->q_now, state->now))
    return dc_out_of_memory_for(error, "touching surfaces");
  return DC_OK;
}

// f and what is kept; asked: whether it matters if the pair goes on.
static void find_share(const struct dc_rollout *rollout, const struct dc_step_state *state, int pair, bool asked)
{
  struct dc_surface_share *share = &rollout->rigid.shares[pair];
  const struct dc_step_interval *interval = &state->interval;
  double before = interval->length / interval->ratio, step = state->model->definition.time.step, force = share->force;
  size_t count;
  const struct dc_sliding_contact *sliding = dc_surface_sliding_of(state, pair, &count);
  share->factor = 1;
  if (!count)
    return;
  double kept = rollout->rigid.memory ? read_numbers(state, rollout->rigid.memory)[pair] : 0,
         slip = 1 + kept / (force * before);
  const int *of = sliding->touch.body, bodies[2] = {of[0] <= of[1] ? of[0] : of[1], of[0] <= of[1] ? of[1] : of[0]};
  bool lasts = interval->starts || !asked || bodies[0] == bodies[1] ||
               dc_force_lasts(rollout, interval, bodies, share->now, share->before, 1, slip, 1);
  if (!rollout->rigid.left) {
    share->factor = lasts ? 1 : 1 / interval->ratio;
    return;
  }
  struct dc_lag lag = dc_lag_of(interval, 1, step - interval->length, slip, 1, lasts);
  double by_kept = 1 / (force * before);
  share->factor = lag.factor;
  share->factor_by_kept = lag.factor_by_slip / lag.factor * by_kept;
  share->factor_by_force = -share->factor_by_kept * kept / force;
  share->kept = lag.kept * force * before;
  share->kept_by_kept = lag.kept_by_slip;
  share->kept_by_force = lag.kept * before - lag.kept_by_slip * kept / force;
}

// Steps of the head for every pair: sums at t, those before where they are asked for, shares, and the factors on
// friction.
enum dc_status dc_surface_share_out(struct dc_rollout *rollout, const struct dc_step_state *state,
                                    struct dc_error *error)
{
  const struct dc_step_interval *interval = &state->interval;
  double step = state->model->definition.time.step;
  size_t count;
  const struct dc_sliding_contact *sliding = dc_surface_sliding_contacts(rollout->surface, &count);
  bool asked = count && !interval->starts && (rollout->rigid.left ? interval->length < step : interval->ratio != 1);
  find_sums(rollout, state);
  enum dc_status status = asked ? find_before(rollout, state, error) : DC_OK;
  for (int pair = 0; pair < pair_count(state); pair++)
    find_share(rollout, state, pair, asked);
  for (size_t k = 0; k < count; k++)
    dc_surface_friction_scale(rollout->surface, k, rollout->rigid.shares[sliding[k].touch.pair].factor);
  return status;
}

// Sliding contacts stand pair by pair, so that those of one are a range of the list.
const struct dc_sliding_contact *dc_surface_sliding_of(const struct dc_step_state *state, int pair, size_t *count)
{
  size_t all = 0, begin = 0, end;
  const struct dc_sliding_contact *sliding = state->surface ? dc_surface_sliding_contacts(state->surface, &all) : NULL;
  while (begin < all && sliding[begin].touch.pair != pair)
    begin++;
  for (end = begin; end < all && sliding[end].touch.pair == pair; end++)
    continue;
  *count = end - begin;
  return sliding ? sliding + begin : NULL;
}

// Adds weight times dF.
static void pull_back_force(const struct dc_step_state *state, int pair, double weight, struct dc_step_cotangent *out)
{
  size_t count;
  const struct dc_sliding_contact *sliding = dc_surface_sliding_of(state, pair, &count);
  for (size_t k = 0; k < count && weight != 0; k++) {
    double by[4][3] = {{0}};
    dc_sliding_force_pull_back(&sliding[k], weight, by);
    dc_touch_add_forces(&state->model->bodies, &sliding[k].touch, (const double(*)[3])by,
                        (const double(*)[3])sliding[k].touch.arm, &out->now);
  }
}

// How F moves.
static double push_force(const struct dc_step_state *state, int pair, const struct dc_step_variation *variation)
{
  double sum = 0, move[4][3];
  size_t count;
  const struct dc_sliding_contact *sliding = dc_surface_sliding_of(state, pair, &count);
  for (size_t k = 0; k < count; k++) {
    double by[4][3] = {{0}};
    dc_sliding_force_pull_back(&sliding[k], 1, by);
    dc_touch_vary(&state->model->bodies, &sliding[k].touch, &variation->now, (const double(*)[3])sliding[k].touch.arm,
                  move);
    for (int v = 0; v < 4; v++)
      sum += dc_vec_dot(by[v], move[v]);
  }
  return sum;
}

void dc_surface_share_pull_back(const struct dc_step_state *state, int pair, double weight,
                                struct dc_step_cotangent *out)
{
  const struct dc_surface_share *share = &state->rigid->shares[pair];
  pull_back_force(state, pair, weight * share->factor_by_force, out);
  if (state->rigid->memory)
    numbers_of(state, out->memory)[pair] += weight * share->factor_by_kept;
}

// The transposed of dc_surface_share_pull_back.
double dc_surface_share_push(const struct dc_step_state *state, int pair, const struct dc_step_variation *variation)
{
  const struct dc_surface_share *share = &state->rigid->shares[pair];
  double kept = state->rigid->memory ? read_numbers(state, variation->memory)[pair] : 0;
  return (share->factor_by_force != 0 ? share->factor_by_force * push_force(state, pair, variation) : 0) +
         share->factor_by_kept * kept;
}

void dc_surface_leave(const struct dc_step_state *state, double (*left)[DC_IMPACT_NUMBERS])
{
  for (int pair = 0; pair < pair_count(state); pair++)
    numbers_of(state, left)[pair] = state->rigid->shares[pair].kept;
}

void dc_surface_pull_back_left(const struct dc_step_state *state, const double (*weights)[DC_IMPACT_NUMBERS],
                               struct dc_step_cotangent *out)
{
  for (int pair = 0; pair < pair_count(state); pair++) {
    const struct dc_surface_share *share = &state->rigid->shares[pair];
    double weight = read_numbers(state, weights)[pair];
    pull_back_force(state, pair, weight * share->kept_by_force, out);
    numbers_of(state, out->memory)[pair] += weight * share->kept_by_kept;
  }
}

// The transposed of dc_surface_pull_back_left.
void dc_surface_push_left(const struct dc_step_state *state, const struct dc_step_variation *variation,
                          double (*left)[DC_IMPACT_NUMBERS])
{
  for (int pair = 0; pair < pair_count(state); pair++) {
    const struct dc_surface_share *share = &state->rigid->shares[pair];
    numbers_of(state, left)[pair] =
        share->kept_by_kept * read_numbers(state, variation->memory)[pair] +
        (share->kept_by_force != 0 ? share->kept_by_force * push_force(state, pair, variation) : 0);
  }
}
