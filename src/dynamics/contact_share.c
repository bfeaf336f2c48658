// SPDX-License-Identifier: Apache-2.0
// How much of an interval contact pushes with a prediction (docs/theory.md, "Second order").
//
// A prediction takes weight, and the forces of drives, for half of the interval of length h and half of that before, of
// length h- (h/2 at a start from a velocity).  Contact pushes with its force F at t+1.  What lies still has
//     s F = (1 + h-/h)/2 m g,   s = 1 of contact that pushes for h alone.
// Where lengths change F would jump by that factor, and what lies would hop.  So contact that lasts pushes for as long as
// weight does, with the share
//     s = (1 + h-/h)/2   (1/2 at a start)
// of its barrier, in the potential: what lies keeps its place, its normal force and its friction however steps are
// divided.  A contact that does not last, such as an impact, keeps s = 1, with which it can only take energy.
//
// A contact lasts as friction has it (lag.c): F does not brake.  Given forces push for h alone.  Where they take part in
// what the contact holds, it keeps s = 1, too, and where they act on what rubs friction does, to be in step with them.
// s has no derivative.
//
// In parts of a step H what such friction keeps of a contact that lasts is the force over H - s h, as it is behind by H.
// Friction that acts for h alone keeps H - h + (H - h-)/2 of it: what contact has pushed since the last whole step is
// ahead of the time since then by (H - h-)/2.
#include <math.h>

#include "dynamics/lag.h"
#include "math/vector.h"

static const double GIVEN = 0.1;  // of a contact's force: less of given forces, in its coordinates, is nothing to it

// Sums over coordinates of products of a contact's generalized force with itself and with given forces.
struct work {
  double own, given;
};

// Adds those of one body, whose wrench by the contact is w, in the world.
static void add_work(const struct dc_rollout *rollout, const double *given, int body, const double wrench[6],
                     struct work *work)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  double *force = rollout->newton.step;
  if (!dc_body_moves(&bodies->bodies[body]))
    return;
  for (int v = 0; v < bodies->nv; v++)
    force[v] = 0;
  dc_pull_back_body(bodies, &rollout->now, body, wrench, force);
  for (int v = 0; v < bodies->nv; v++) {
    work->own += force[v] * force[v];
    work->given += fabs(force[v] * given[v]);
  }
}

// Whether given forces of a step act on the mechanism of either body of a pair.
static bool is_driven(const struct dc_rollout *rollout, const double *given, const int of[2])
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  bool any = false;
  for (int x = 0; x < 2 && given; x++) {
    if (!dc_body_moves(&bodies->bodies[of[x]]))
      continue;
    const struct dc_mechanism *mechanism = &bodies->mechanisms[bodies->bodies[of[x]].mechanism];
    for (int v = 0; v < mechanism->nv; v++)
      any |= given[mechanism->v_offset + v] != 0;
  }
  return any;
}

// Whether they take part in what the contact holds.
static bool is_given(const struct dc_rollout *rollout, const double *given, int pair,
                     const struct dc_pair_derivatives *derivatives, double stiffness)
{
  struct work work = {0, 0};
  double both[12];
  dc_contact_expand_gradient(derivatives, both);
  for (int x = 0; x < 2; x++)
    add_work(rollout, given, rollout->rigid.pair_bodies[pair][x], both + 6 * x, &work);
  return work.given > GIVEN * stiffness * work.own;
}

void dc_rigid_set_shares(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                         const struct dc_step_interval *interval, const struct dc_pair_derivatives *pairs,
                         double stiffness)
{
  struct dc_rigid_contact *rigid = &rollout->rigid;
  const double *given =
      input->force ? input->force + (size_t)interval->step * (size_t)rollout->model->bodies.nv : NULL;
  double length = interval->length, step = rollout->model->definition.time.step,
         share = 0.5 * (1 + dc_interval_past(*interval)), ahead = 0.5 * (step - length / interval->ratio);
  bool asked = pairs && rollout->prediction;
  rigid->shared = dc_rigid_shares(rollout, interval);
  for (int p = 0; p < rigid->pair_count; p++) {
    struct dc_lag *lag = &rigid->lags[p];
    bool goes_on = asked && dc_rigid_lasts(rollout, interval, p, &pairs[p], stiffness);
    bool driven = goes_on && !interval->starts && is_driven(rollout, given, rigid->pair_bodies[p]);
    bool held = goes_on && !(driven && is_given(rollout, given, p, &pairs[p], stiffness));
    lag->share = held && rigid->shared ? share : 1;
    lag->rubs = driven ? 1 : lag->share;
    lag->later = step - lag->rubs * length + (driven && held ? ahead : 0);
  }
}
