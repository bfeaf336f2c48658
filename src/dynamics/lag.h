// SPDX-License-Identifier: Apache-2.0
// For how much of an interval contact pushes and friction rubs: lag.c has friction, whose normal forces are of an
// earlier time, contact_share.c contact beside a prediction.
#ifndef DC_DYNAMICS_LAG_H
#define DC_DYNAMICS_LAG_H

#include "dynamics/step.h"

// Friction of an interval uses the normal force of an earlier time (lag.c, dc_lag_of): the factor on that force, the
// part of its impulse that is kept for the next interval, and the derivatives of both by dc_rigid_contact's slip.
struct dc_lag {
  // For how much of the interval the contact pushes and its friction rubs, 1 but for a prediction; friction of a contact
  // that lasts keeps the impulse of its force over so many seconds at most (contact_share.c).
  double share, rubs, later;
  double factor, factor_by_slip, factor_by_net, kept, kept_by_slip, kept_by_net;
};

// A normal force F of time t acted over the interval before; all that friction may use is slip times its
// impulse.  The factor on F that friction of the interval gets, the part of the impulse that is kept for the next
// interval, and how both change with slip.  rubs, later: of struct dc_lag.  lasts: F goes on.
struct dc_lag dc_lag_of(const struct dc_step_interval *interval, double rubs, double later, double slip, double net,
                        bool lasts);
// Whether friction of pairs asks for the forces at t-1, rollout->rigid.before.
bool dc_rigid_lags(const struct dc_rollout *rollout, const struct dc_step_interval *interval,
                   const struct dc_friction_law *law);
// Sets rollout->rigid.lags and their factors, and those of the law; pairs: at t, where they lag (else NULL).
void dc_rigid_set_lags(struct dc_rollout *rollout, const struct dc_step_interval *interval,
                       const struct dc_pair_derivatives *pairs, struct dc_friction_law *law);
// Whether contact p, by its derivatives at t, goes on.
bool dc_rigid_lasts(const struct dc_rollout *rollout, const struct dc_step_interval *interval, int p,
                    const struct dc_pair_derivatives *pair, double stiffness);
// Whether a contact of two bodies goes on, by its force at t and that before at t-1, both times unit in N, by slip and
// by the part of the force that restitution does not take back.
bool dc_force_lasts(const struct dc_rollout *rollout, const struct dc_step_interval *interval, const int bodies[2],
                    const double force[3], const double before[3], double unit, double slip, double net);

// Whether contact may push for another time than the interval (contact_share.c).
bool dc_rigid_shares(const struct dc_rollout *rollout, const struct dc_step_interval *interval);

// contact_share.c.  Sets the shares of rollout->rigid.lags, before dc_rigid_set_lags.  pairs: at t, where contact may
// push for another time or friction lags (else NULL).
void dc_rigid_set_shares(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                         const struct dc_step_interval *interval, const struct dc_pair_derivatives *pairs,
                         double stiffness);

#endif
