// SPDX-License-Identifier: Apache-2.0
// Couplings in a prediction (prediction.c; docs/theory/bodies.md, "Couplings").  With e = q_b - p(q_t) at the predicted
// state, at t and at t-1, and J = (1, -p'(q_t)) at t, G gains in (q_b, q_t)
//     h^2 S J^T (w+ e(q*) + w e(q) + w- e(q-)),
// as a constraint acts along its directions in the middle of three states.  The shares w are those of ties.
#include "dynamics/prediction_parts.h"
#include "dynamics/tie_shares.h"

// A coupling seen from one of the states.
struct view {
  const struct dc_coupling *coupling;
  int b, t;              // places in vectors
  double level;          // h^2 S w
  double stretch;        // e
  double slope, at_now;  // p' there, and at t
  double bent;           // p'' there
};

// level is h^2 S w, by which a stretch becomes an entry of G; q [nq] is the state that the place stands for.
static struct view view_of(const struct dc_step_state *state, int k, enum dc_force_place place, const double *q)
{
  const struct dc_coupling *coupling = &state->model->definition.couplings[k];
  const struct dc_body *bodies = state->model->bodies.bodies;
  const struct dc_joint_part *follower = &bodies[coupling->body].parts[0], *leader = &bodies[coupling->to].parts[0];
  struct dc_tie_shares shares = dc_tie_shares_of(&state->interval, coupling->stiffness, coupling->mass);
  double h = state->interval.length, unused;
  struct view view = {.coupling = coupling,
                      .b = follower->v,
                      .t = leader->v,
                      .level = h * h * coupling->stiffness * dc_tie_share_at(shares, place)};
  view.stretch = q[follower->q] - dc_coupling_value(coupling, q[leader->q], &view.slope, &view.bent);
  dc_coupling_value(coupling, state->q_now[leader->q], &view.at_now, &unused);
  return view;
}

// Level times stretch of all three states, along J at t.
void dc_prediction_add_couplings(const struct dc_step_state *state, const double *next, double *sum)
{
  const double *const states[] = {[DC_AT_NEXT] = next, [DC_AT_NOW] = state->q_now, [DC_AT_BEFORE] = state->q_before};
  for (int k = 0; k < state->model->definition.coupling_count; k++)
    for (int place = DC_AT_NEXT; place <= DC_AT_BEFORE; place++) {
      struct view view = view_of(state, k, place, states[place]);
      sum[view.b] += view.level * view.stretch;
      sum[view.t] -= view.at_now * view.level * view.stretch;
    }
}

// A change of the state at a place, seen through its own J, acts along J at t; transposed: the other way round.
void dc_prediction_add_coupling_block(const struct dc_step_state *state, enum dc_force_place place, const double *next,
                                      bool transposed, const double *tangent, double *sum)
{
  const double *q = place == DC_AT_NEXT ? next : place == DC_AT_NOW ? state->q_now : state->q_before;
  for (int k = 0; k < state->model->definition.coupling_count; k++) {
    struct view view = view_of(state, k, place, q);
    double from = transposed ? view.at_now : view.slope, into = transposed ? view.slope : view.at_now;
    double rate = view.level * (tangent[view.b] - from * tangent[view.t]);
    sum[view.b] += rate;
    sum[view.t] -= into * rate;
    if (place != DC_AT_NOW || view.bent == 0)
      continue;
    // J itself changes with the state at t
    double force = view.level * view.stretch;
    struct view other = view_of(state, k, DC_AT_NEXT, next);
    force += other.level * other.stretch;
    other = view_of(state, k, DC_AT_BEFORE, state->q_before);
    force += other.level * other.stretch;
    sum[view.t] -= view.bent * force * tangent[view.t];
  }
}
