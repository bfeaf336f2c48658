// SPDX-License-Identifier: Apache-2.0
// Bounces on time (impact_late.h): what an interval leaves of the way that was lost, and its derivatives.  Whether
// another body is near has none.
#include "dynamics/impact_late.h"

#include <string.h>

#include "dynamics/impact_pair.h"
#include "math/vector.h"

size_t dc_impact_late_place(const struct dc_model *model)
{
  return DC_IMPACT_NUMBERS * (size_t)dc_model_pair_count(model) + (size_t)dc_node_touch_count(model) +
         (size_t)dc_surface_pair_count(&model->bodies);
}

const double *dc_late_of(const struct dc_rigid_contact *rigid, const double (*memory)[DC_IMPACT_NUMBERS], int pair)
{
  return rigid->late && memory ? (const double *)memory + rigid->late + DC_LATE_NUMBERS * (size_t)pair : NULL;
}

double *dc_late_in(const struct dc_rigid_contact *rigid, double (*memory)[DC_IMPACT_NUMBERS], int pair)
{
  return rigid->late && memory ? (double *)memory + rigid->late + DC_LATE_NUMBERS * (size_t)pair : NULL;
}

bool dc_late_acts(const struct dc_rigid_contact *rigid, const double (*memory)[DC_IMPACT_NUMBERS], int pair)
{
  const double *late = dc_late_of(rigid, memory, pair);
  return late && !dc_all_zero(late + DC_LATE_PUSH, DC_LATE_NUMBERS - DC_LATE_PUSH);
}

// Whether neither body of a pair that moves is near another one at the end of the interval.
static bool is_alone(const struct dc_step_state *state, int pair)
{
  const int *own = state->rigid->pair_bodies[pair];
  for (int p = 0; p < state->rigid->pair_count; p++) {
    const int *of = state->rigid->pair_bodies[p];
    bool shares = false;
    for (int x = 0; x < 4 && p != pair; x++)
      shares |= of[x / 2] == own[x % 2] && dc_body_moves(&state->model->bodies.bodies[of[x / 2]]);
    if (shares && !dc_impact_is_far(state, p))
      return false;
  }
  return true;
}

// Whether PUSH moves a pair in an interval, which is a whole step then.
static bool moves(const struct dc_step_state *state)
{
  return state->interval.length >= state->model->definition.time.step;
}

// The way as an inertial force per mass: what the state at t+1 is to lie farther on (PUSH), less what the velocity that
// the next interval reads from it must not contain (BACK).
void dc_late_force(const struct dc_step_state *state, const double late[DC_LATE_NUMBERS], double back[12])
{
  double h = state->interval.length, push = moves(state) ? 1 : 0;
  for (int k = 0; k < 12; k++)
    back[k] = (state->interval.ratio * late[DC_LATE_BACK + k] - push * late[DC_LATE_PUSH + k]) / (h * h);
}

void dc_late_pull_back_force(const struct dc_step_state *state, const double weights[12], double late[DC_LATE_NUMBERS])
{
  double h = state->interval.length, push = moves(state) ? 1 : 0;
  for (int k = 0; k < 12; k++) {
    late[DC_LATE_PUSH + k] -= push * weights[k] / (h * h);
    late[DC_LATE_BACK + k] += state->interval.ratio / (h * h) * weights[k];
  }
}

// Which numbers of a memory the next one takes over: its PUSH is the sum of WAITS and PUSH as far as they are taken,
// its BACK is PUSH where that has acted.
struct passed {
  bool waits, stays, acted;
};

// WAITS becomes PUSH once neither body is near a third one, PUSH becomes BACK after the whole step in which it acted.
// In a part of a step PUSH stays, with what another end of compression adds.
static struct passed passed_on(const struct dc_step_state *state, int pair, const double late[DC_LATE_NUMBERS])
{
  bool waits = !dc_all_zero(late + DC_LATE_WAITS, 12), pushes = !dc_all_zero(late + DC_LATE_PUSH, 12);
  bool stays = pushes && !moves(state), alone = (waits || stays) && is_alone(state, pair);
  return (struct passed){.waits = waits && alone, .stays = stays && alone, .acted = pushes && moves(state)};
}

// Pushes that wait begin, and those that acted are taken back in the next interval.
static void pass_on(struct passed passed, const double before[DC_LATE_NUMBERS], double late[DC_LATE_NUMBERS])
{
  for (int k = 0; k < 12; k++) {
    late[DC_LATE_PUSH + k] = passed.waits * before[DC_LATE_WAITS + k] + passed.stays * before[DC_LATE_PUSH + k];
    late[DC_LATE_BACK + k] = passed.acted * before[DC_LATE_PUSH + k];
  }
}

// An impulse that the law lets wait acts along the normal of now.
void dc_late_leave(const struct dc_step_state *state, int pair, const double (*memory)[DC_IMPACT_NUMBERS],
                   const double law[DC_IMPACT_LAW], double late[DC_LATE_NUMBERS])
{
  static const double none[DC_LATE_NUMBERS];
  const double *old = dc_late_of(state->rigid, memory, pair);
  struct dc_impact_normal n = dc_impact_normal(&state->pairs[pair]);
  double left[DC_LATE_NUMBERS] = {[DC_LATE_WAY] = law[DC_IMPACT_WAY]};
  old = old ? old : none;
  for (int k = 0; k < 12 && law[DC_IMPACT_WAITS] != 0; k++)
    left[DC_LATE_WAITS + k] = law[DC_IMPACT_WAITS] * n.along[k];
  pass_on(passed_on(state, pair, old), old, left);
  memcpy(late, left, sizeof left);
}

// The adjoint of dc_late_push, line by line: cotangents of the way, of the impulse that waits, and of the two vectors
// that are passed on. The impulse is the law's number times the normal, so that the normal's change by the twists
// counts, too. A memory that was not passed on gets none.
void dc_late_pull_back(const struct dc_step_state *state, int pair, const double (*memory)[DC_IMPACT_NUMBERS],
                       const double law[DC_IMPACT_LAW], const double weights[DC_LATE_NUMBERS],
                       double by_law[DC_IMPACT_LAW], double next[12], double before[DC_LATE_NUMBERS])
{
  struct dc_impact_normal n = dc_impact_normal(&state->pairs[pair]);
  double along[12];
  by_law[DC_IMPACT_WAY] = weights[DC_LATE_WAY];
  by_law[DC_IMPACT_WAITS] = dc_dot(weights + DC_LATE_WAITS, n.along, 12);
  for (int k = 0; k < 12; k++)
    along[k] = law[DC_IMPACT_WAITS] * weights[DC_LATE_WAITS + k];
  if (law[DC_IMPACT_WAITS] != 0)
    dc_impact_pull_back_normal(&state->pairs[pair], along, 0, next);
  const double *old = dc_late_of(state->rigid, memory, pair);
  struct passed passed = old ? passed_on(state, pair, old) : (struct passed){0};
  for (int k = 0; k < 12; k++) {
    before[DC_LATE_WAITS + k] += passed.waits * weights[DC_LATE_PUSH + k];
    before[DC_LATE_PUSH + k] += passed.stays * weights[DC_LATE_PUSH + k] + passed.acted * weights[DC_LATE_BACK + k];
  }
}

// Rates of the late numbers: the way follows the law; the impulse that waits is the law's number times the normal,
// whose rate has a part by each (product rule); whatever the memory before passes on keeps its rate.
void dc_late_push(const struct dc_step_state *state, int pair, const double (*memory)[DC_IMPACT_NUMBERS],
                  const double law[DC_IMPACT_LAW], const double by_law[DC_IMPACT_LAW], const double next[12],
                  const double before[DC_LATE_NUMBERS], double late[DC_LATE_NUMBERS])
{
  struct dc_impact_normal n = dc_impact_normal(&state->pairs[pair]);
  double turned[12], size;
  dc_impact_push_normal(&state->pairs[pair], next, turned, &size);
  memset(late, 0, DC_LATE_NUMBERS * sizeof *late);
  late[DC_LATE_WAY] = by_law[DC_IMPACT_WAY];
  for (int k = 0; k < 12; k++)
    late[DC_LATE_WAITS + k] = by_law[DC_IMPACT_WAITS] * n.along[k] + law[DC_IMPACT_WAITS] * turned[k];
  const double *old = dc_late_of(state->rigid, memory, pair);
  if (old)
    pass_on(passed_on(state, pair, old), before, late);
}
