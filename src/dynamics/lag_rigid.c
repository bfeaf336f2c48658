// SPDX-License-Identifier: Apache-2.0
// How much of the normal force of time t friction between rigid bodies gets in the interval from t on (lag.c), from
// what contact and motion say of t and of the time before:
//   1. Contact forces at t-1, which are compared with those at t.
//   2. How far the centres of a pair have come nearer or parted along the force since t-1, times the reduced mass.
//   3. What pushes a free body that nothing but contact and weight acts on: the sum P of its contact forces and of its
//      weight at t.  A force F that lasts is held by others, |P| << |F|; in an impact it is what brakes the body,
//      P.F ~ F^2, however the impact is turned, and also where the body stands still half way.
//   4. Of other bodies, whether the pair slid so fast since t-1 that friction will not stop it.  D, the energy of
//      friction of time t for the motion back to t-1, is the friction force times the way, G its derivative by the
//      frames, and an impulse G h- takes at most the way h-^2 G.M^-1 G of it: SLIDES times that is less than D.  Joints
//      only add to the inertia.
#include "dynamics/impact_pair.h"
#include "math/vector.h"

static const double PUSHES = 0.5;  // P.F over F^2 from which on a force is that of an impact
// Times the way that friction may take, from which on a pair goes on sliding.  That way is one of bodies without
// joints, and where friction stops it after all nothing is lost.
static const double SLIDES = 0.25;

bool dc_rigid_lags(const struct dc_rollout *rollout, const struct dc_step_interval *interval,
                   const struct dc_friction_law *law)
{
  return rollout->rigid.pair_count > 0 && dc_lag_changes(interval) &&
         dc_friction_law_acts(law, rollout->model->bodies.count);
}

// The contact itself may stand still while a body turns about it and is braked.
static double momentum_of(const struct dc_rollout *rollout, int p, const struct dc_pair_derivatives *pair)
{
  double work = 0, inverse_mass = 0, size = dc_vec_norm(pair->gradient + 3);
  for (int side = 0; side < 2; side++) {
    int i = rollout->rigid.pair_bodies[p][side];
    const struct dc_body *body = &rollout->model->bodies.bodies[i];
    double way[3];
    if (!dc_body_moves(body))
      continue;
    dc_vec_sub(way, rollout->now.poses[i].position, rollout->before.poses[i].position);
    work += (side ? -1 : 1) * dc_vec_dot(way, pair->gradient + 3);
    inverse_mass += body->mass > 0 ? 1 / body->mass : 0;
  }
  return size > 0 && inverse_mass > 0 ? work / (size * inverse_mass) : 0;
}

// Whether nothing but contact and weight acts on a body, as far as can be told: cables, ties and soft bodies may pull at
// any.
static bool feels_contact_only(const struct dc_model *model, const struct dc_body *body)
{
  if (model->bodies.cable_count > 0 || model->bodies.soft_count > 0 || model->definition.tie_count > 0)
    return false;
  return body->free && body->actuator < 0 && !model->forced && model->bodies.mechanisms[body->mechanism].nv == body->nv;
}

// The sum of weight and contact forces on every body, N: P of the formulas above.
static void add_pushes(struct dc_rollout *rollout, const struct dc_rollout_input *input, double stiffness,
                       const struct dc_pair_derivatives *pairs)
{
  struct dc_rigid_contact *rigid = &rollout->rigid;
  const struct dc_bodies *bodies = &rollout->model->bodies;
  for (int i = 0; i < bodies->count; i++)
    dc_vec_scale(rigid->pushed[i], input->design.gravity, dc_body_heavy(&bodies->bodies[i]) * input->design.body_mass_scale[i]);
  for (int p = 0; p < rigid->pair_count; p++)
    for (int side = 0; side < 2; side++) {
      double *pushed = rigid->pushed[rigid->pair_bodies[p][side]];
      dc_vec_add_scaled(pushed, pushed, side ? stiffness : -stiffness, pairs[p].gradient + 3);
    }
}

// Whether the force (N, with the sign of the gradient) is what brakes a body of the pair.
static bool brakes(const struct dc_rollout *rollout, int p, const double force[3])
{
  const struct dc_rigid_contact *rigid = &rollout->rigid;
  bool any = false;
  for (int side = 0; side < 2; side++) {
    int i = rigid->pair_bodies[p][side];
    if (feels_contact_only(rollout->model, &rollout->model->bodies.bodies[i]))
      any |= (side ? 1 : -1) * dc_vec_dot(rigid->pushed[i], force) > PUSHES * dc_vec_dot(force, force);
  }
  return any;
}

// Whether what brakes a body of the pair can be told: a force that does not is held by others and lasts.
static bool is_judged(const struct dc_rollout *rollout, int p)
{
  const int *pair = rollout->rigid.pair_bodies[p];
  const struct dc_bodies *bodies = &rollout->model->bodies;
  return feels_contact_only(rollout->model, &bodies->bodies[pair[0]]) ||
         feels_contact_only(rollout->model, &bodies->bodies[pair[1]]);
}

// Whether a pair goes on sliding through the interval; rigid->friction: of the motion back to t-1.
static bool goes_on(const struct dc_step_state *state, int p)
{
  const struct dc_friction_derivatives *friction = &state->rigid->friction[p];
  struct dc_step_state now = *state;
  double before = state->interval.length / state->interval.ratio, mobility = 0, y[3];
  now.next = state->now;
  for (int side = 0; side < 2; side++)
    mobility += dc_impact_mobility(&now, state->rigid->pair_bodies[p][side], friction->gradient + 6 * side, y);
  return friction->energy > SLIDES * before * before * mobility;
}

void dc_rigid_set_lag_factors(struct dc_rollout *rollout, const struct dc_step_state *state, bool lagging,
                              const struct dc_pair_derivatives *pairs, struct dc_friction_law *law)
{
  struct dc_rigid_contact *rigid = &rollout->rigid;
  struct dc_lag lag = dc_lag_of(rollout->model, &state->interval);
  if (lagging)
    add_pushes(rollout, state->input, law->stiffness, pairs);
  for (int p = 0; p < rigid->pair_count; p++) {
    double force[3], before[3];
    rigid->lags[p] = 1;
    if (lagging) {
      dc_vec_scale(force, pairs[p].gradient + 3, law->stiffness);
      dc_vec_scale(before, rigid->before[p], law->stiffness);
      rigid->lags[p] = brakes(rollout, p, force)
                           ? 1 / lag.ratio
                           : dc_lag_factor(&lag, force, before, momentum_of(rollout, p, &pairs[p]),
                                           !is_judged(rollout, p) && goes_on(state, p));
    }
    rigid->lag_factors[p] = rigid->lags[p] * (rigid->memory ? rigid->slip[p] : 1);
  }
  law->lag_factor = rigid->lag_factors;
}
