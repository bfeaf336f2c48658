// SPDX-License-Identifier: Apache-2.0
// How much of the normal impulses of contact friction gets in an interval (docs/theory.md, "Friction").
//
// Friction of the interval from t on, of length h = r h-, has the normal force F of time t, which acted over the
// interval before, of length h-.  Its impulse F h- and what friction has not had yet of earlier ones are all that it
// may use:
//     A = s F h-.
// Where lengths are equal it uses all of it.  In a part of a divided step, which is shorter than the step H, it uses
//     g = min(A, max(F h, A - F (H - h)))
// and keeps A - g for the next interval.  A contact that lasts so has F h in every part, whatever the lengths: what is
// kept is F (H - h), and nothing at the end of the next whole step.  In no interval friction uses what contact has not
// pushed before, and in the sum over all intervals it may use just that, however steps are divided.  Where restitution
// takes back a part of F (impact_law.h, HELD), n F stands for F, n the rest: it is what holds the bodies.
//
// The impulse of a contact that does not last is used at once, as it may have ended before the next interval begins.  A
// contact lasts whose force changes by less than LASTING of itself in a step, at the rate at which it changed over the
// interval before: c |F - F-| <= LASTING |F|, c = H/h-.  An impact changes its force by the order of itself in every
// interval that resolves it.  One that steps do not resolve may have nearly the same force in two of them, but there the
// force brakes.  The centres of the two bodies then came nearer or parted along it by a way w since t-1 which is not
// short against the way that F moves their reduced mass m by, m |w| > F h- max(BRAKED H, RESOLVED h-).  A body on joints
// counts with the momentum and the mass of its mechanism, as a light link is braked with what it hangs on.  Two intervals of
// equal force that turn a body round give it F h-.  Some hundredths of a step make what lies on a soft barrier as fast,
// too.  This is therefore not asked of a contact that keeps, of earlier intervals, at least KEPT of the impulse
// F (H - h-) that one keeps which lasts.
//
// In second order a contact lasts, too, that brakes nothing, m |w| <= PREDICTED_BRAKED F h- H.  A contact that lasts
// pushes for s h there, and s h stands for h above (contact_share.c).
//
// At a start from a velocity no force has acted before.  The force there is taken for one that lasts since a whole
// step, so that friction is behind by what this lends it.
//
// Where nothing is remembered (shapes are designed: the memory has no derivative by them) a contact that lasts has the
// factor 1, any other that of its impulse, 1/r.
//
// With s and n the memory's, the factor on F is g/(F h) and what is kept is a part of F h-: both depend on s, n and
// lengths, and whether a contact lasts has no derivative.
#include "dynamics/lag.h"

#include <math.h>

#include "math/vector.h"

static const double LASTING = 0.5, BRAKED = 0.02, PREDICTED_BRAKED = 0.1, RESOLVED = 0.5, KEPT = 0.5;
// Beyond this number of intervals a step the change of a force drowns in what solutions leave of their residuals.
static const double MOST_SCALE = 64;

struct dc_lag dc_lag_of(const struct dc_step_interval *interval, double rubs, double later, double slip, double net,
                        bool lasts)
{
  double h = interval->length, before = h / interval->ratio, all = slip / interval->ratio, rest = later / h;
  if (lasts && all - rest * net >= rubs * net)
    return (struct dc_lag){.factor = all - rest * net,
                           .factor_by_slip = 1 / interval->ratio,
                           .factor_by_net = -rest,
                           .kept = net * later / before,
                           .kept_by_net = later / before};
  if (lasts && all > rubs * net)
    return (struct dc_lag){.factor = rubs * net,
                           .factor_by_net = rubs,
                           .kept = slip - interval->ratio * rubs * net,
                           .kept_by_slip = 1,
                           .kept_by_net = -interval->ratio * rubs};
  return (struct dc_lag){.factor = all, .factor_by_slip = 1 / interval->ratio};
}

// Whether a force changes slowly.
static bool holds(const struct dc_model *model, const struct dc_step_interval *interval, const double force[3],
                  const double before[3])
{
  double change[3], scale = model->definition.time.step * interval->ratio / interval->length;
  scale = (scale < MOST_SCALE ? scale : MOST_SCALE) / LASTING;
  dc_vec_sub(change, force, before);
  return scale * scale * dc_vec_dot(change, change) <= dc_vec_dot(force, force);
}

// The bodies of a mechanism, or one that is alone or soft: their mass, and their momentum along a force over the time
// since t-1.
struct side {
  double mass, moved;
};

// A body, or all of the mechanism that it belongs to where `whole`: mass, kg, and its motion since t-1 along the force,
// kg m N.
static struct side side_of(const struct dc_rollout *rollout, int body, const double force[3], bool whole)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  bool soft = dc_soft_of(bodies, body) != NULL, alone = !whole || soft || dc_body_is_alone(bodies, body);
  struct side side = {0, 0};
  for (int i = alone ? body : 0; i < (alone ? body + 1 : bodies->count); i++) {
    double way[3];
    if (!soft && (!dc_body_moves(&bodies->bodies[i]) || bodies->bodies[i].mechanism != bodies->bodies[body].mechanism))
      continue;
    dc_vec_sub(way, rollout->now.poses[i].position, rollout->before.poses[i].position);
    side.mass += bodies->bodies[i].mass;
    side.moved += bodies->bodies[i].mass * dc_vec_dot(way, force);
  }
  return side;
}

// m w of two bodies; the contact itself may stand still while a body turns about it and is braked.  A mechanism is
// braked whole, but two parts of one mechanism meet with masses of their own.
static double momentum_of(const struct dc_rollout *rollout, const int of[2], const double force[3])
{
  const struct dc_body *bodies = rollout->model->bodies.bodies;
  bool whole = bodies[of[0]].mechanism != bodies[of[1]].mechanism;
  double way = 0, inverse_mass = 0, size = dc_vec_norm(force);
  for (int x = 0; x < 2; x++) {
    struct side side = side_of(rollout, of[x], force, whole);
    if (!(side.mass > 0))
      continue;
    way += (x ? -1 : 1) * side.moved / side.mass;
    inverse_mass += 1 / side.mass;
  }
  return size > 0 && inverse_mass > 0 ? way / (size * inverse_mass) : 0;
}

bool dc_force_lasts(const struct dc_rollout *rollout, const struct dc_step_interval *interval, const int bodies[2],
                    const double force[3], const double before[3], double unit, double slip, double net)
{
  double length = interval->length / interval->ratio, step = rollout->model->definition.time.step,
         push = unit * dc_vec_norm(force) * length, momentum = fabs(momentum_of(rollout, bodies, force));
  // It keeps by now about as much as one that has lasted since whole steps.
  bool has_lasted = rollout->rigid.left && length < step && (slip - net) * length >= KEPT * net * (step - length);
  if (rollout->prediction && momentum <= PREDICTED_BRAKED * push * step)
    return true;
  return holds(rollout->model, interval, force, before) &&
         (has_lasted || momentum <= push * fmax(BRAKED * step, RESOLVED * length));
}

// The part of the force at t that restitution does not take back.
static double net_of(const struct dc_rigid_contact *rigid, int p)
{
  return rigid->memory ? 1 - rigid->memory[p][DC_IMPACT_HELD] : 1;
}

bool dc_rigid_lasts(const struct dc_rollout *rollout, const struct dc_step_interval *interval, int p,
                    const struct dc_pair_derivatives *pair, double stiffness)
{
  const struct dc_rigid_contact *rigid = &rollout->rigid;
  if (rigid->memory && (rigid->memory[p][DC_IMPACT_ARRIVAL] > 0 || rigid->memory[p][DC_IMPACT_ENDED] > 0))
    return false;
  return dc_force_lasts(rollout, interval, rigid->pair_bodies[p], pair->gradient + 3, rigid->before[p], stiffness,
                        rigid->left ? rigid->slip[p] : 1, net_of(rigid, p));
}

bool dc_rigid_shares(const struct dc_rollout *rollout, const struct dc_step_interval *interval)
{
  const struct dc_model *base = rollout->base;
  return rollout->prediction && rollout->rigid.pair_count > 0 && (interval->starts || interval->ratio != 1) &&
         !base->shapes_change && !base->designed && !rollout->asked.conservative;
}

bool dc_rigid_lags(const struct dc_rollout *rollout, const struct dc_step_interval *interval,
                   const struct dc_friction_law *law)
{
  bool asked = rollout->rigid.left
                   ? interval->length < rollout->model->definition.time.step || dc_rigid_shares(rollout, interval)
                   : interval->ratio != 1;
  return asked && rollout->rigid.pair_count > 0 && !interval->starts &&
         dc_friction_law_acts(law, &rollout->model->bodies);
}

// Models without memory scale a force that does not last by 1/r, to the impulse that it had in the interval before.
void dc_rigid_set_lags(struct dc_rollout *rollout, const struct dc_step_interval *interval,
                       const struct dc_pair_derivatives *pairs, struct dc_friction_law *law)
{
  struct dc_rigid_contact *rigid = &rollout->rigid;
  for (int p = 0; p < rigid->pair_count; p++) {
    struct dc_lag *lag = &rigid->lags[p];
    bool goes_on = interval->starts || (pairs && dc_rigid_lasts(rollout, interval, p, &pairs[p], law->stiffness));
    struct dc_lag shared = *lag;
    *lag = rigid->left ? dc_lag_of(interval, shared.rubs, shared.later, rigid->slip[p], net_of(rigid, p), goes_on)
                       : (struct dc_lag){.factor = goes_on || !pairs ? 1 : 1 / interval->ratio};
    lag->share = shared.share;
    lag->rubs = shared.rubs;
    lag->later = shared.later;
    rigid->lag_factors[p] = lag->factor;
  }
  law->lag_factor = rigid->lag_factors;
}
