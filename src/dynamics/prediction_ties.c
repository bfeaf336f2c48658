// SPDX-License-Identifier: Apache-2.0
// Ties in a prediction (prediction.c; docs/theory/bodies.md, "Ties").  With e = a - b at the predicted state, at t and
// at t-1 the end a has in G
//     h^2 S (w+ e(q*) + w e(q) + w- e(q-)),
// and b the opposite, as forces on the frames at t: a constraint acts along its directions in the middle of three
// states (Ryckaert, Ciccotti and Berendsen 1977).  The shares w are those of dc_tie_shares_of.
#include "dynamics/prediction_parts.h"
#include "dynamics/tie_shares.h"
#include "math/vector.h"

static double share_at(const struct dc_step_state *state, const struct dc_tie *tie, enum dc_force_place place)
{
  return dc_tie_share_at(dc_tie_shares_of(&state->interval, tie->stiffness, tie->mass), place);
}

// Adds h^2 S w times a difference of places, or of their rates.
static void add_difference(const struct dc_step_state *state, const struct dc_tie *tie, enum dc_force_place place,
                           const double a[3], const double b[3], double (*wrenches)[6])
{
  double h = state->interval.length, level = h * h * tie->stiffness * share_at(state, tie, place), d[3];
  dc_vec_sub(d, a, b);
  dc_vec_add_scaled(wrenches[tie->body] + 3, wrenches[tie->body] + 3, level, d);
  dc_vec_add_scaled(wrenches[tie->to] + 3, wrenches[tie->to] + 3, -level, d);
}

// The mean of the stretches at q*, t and t-1 by their shares acts on the frames at t.
void dc_prediction_add_ties(const struct dc_step_state *state, const struct dc_pose *next, double (*wrenches)[6])
{
  const struct dc_pose *const poses[] = {[DC_AT_NEXT] = next, [DC_AT_NOW] = state->now, [DC_AT_BEFORE] = state->before};
  const struct dc_model_definition *definition = &state->model->definition;
  for (int k = 0; k < definition->tie_count; k++)
    for (int place = DC_AT_NEXT; place <= DC_AT_BEFORE; place++) {
      const struct dc_tie *tie = &definition->ties[k];
      add_difference(state, tie, place, poses[place][tie->body].position, poses[place][tie->to].position, wrenches);
    }
}

void dc_prediction_add_tie_block(const struct dc_step_state *state, enum dc_force_place place,
                                 const double (*twists)[6], double (*wrenches)[6])
{
  const struct dc_model_definition *definition = &state->model->definition;
  for (int k = 0; k < definition->tie_count; k++) {
    const struct dc_tie *tie = &definition->ties[k];
    add_difference(state, tie, place, twists[tie->body] + 3, twists[tie->to] + 3, wrenches);
  }
}
