// SPDX-License-Identifier: Apache-2.0
// How much of the force of a tie or coupling is that by its stretch at t+1, t and t-1 beside a prediction
// (docs/theory/bodies.md, "Ties").  Private to src/dynamics.
#ifndef DC_DYNAMICS_TIE_SHARES_H
#define DC_DYNAMICS_TIE_SHARES_H

#include "dynamics/step.h"

struct dc_tie_shares {
  double next, now, before;
};

// With u = S h^2/m, how stiff it is for the interval, d = u/(u + DC_TIE_RESOLVED) and p the length of the interval
// before over that of this one: (1 - d) times (1, 1 + p, p)/4, which keeps the energy of linear springs, and d (1 +
// p)/2 at t+1 alone, a constraint. Both are equal where the period of the tie is 2 pi/10 = 0.63 of the interval, which
// does not resolve it.
static const double DC_TIE_RESOLVED = 100;

static inline struct dc_tie_shares dc_tie_shares_of(const struct dc_step_interval *interval, double stiffness,
                                                    double mass)
{
  double p = dc_interval_past(*interval), stiff = stiffness * interval->length * interval->length / mass,
         d = stiff / (stiff + DC_TIE_RESOLVED);
  return (struct dc_tie_shares){
      .next = 0.25 * (1 - d) + 0.5 * d * (1 + p), .now = 0.25 * (1 - d) * (1 + p), .before = 0.25 * (1 - d) * p};
}

static inline double dc_tie_share_at(struct dc_tie_shares shares, enum dc_force_place place)
{
  return place == DC_AT_NEXT ? shares.next : place == DC_AT_NOW ? shares.now : shares.before;
}

#endif
