// SPDX-License-Identifier: Apache-2.0
// Couplings: one coordinate follows another, q_body = multiplier q_to + offset (docs/theory.md, "Couplings").
#ifndef DC_BODY_COUPLING_H
#define DC_BODY_COUPLING_H

#include "base/options.h"

// The option table is dc_coupling_options.  Both bodies have one slide or one hinge and nothing else.
struct dc_coupling {
  int body, to;       // indices of the follower and of the body that it follows
  double multiplier;  // of the coordinates: m or rad per m or rad
  double offset;      // m or rad
  double stiffness;   // J/m^2 or J/rad^2, of the follower's coordinate
};
extern const struct dc_option dc_coupling_options[];

// A body's coordinate as a function of the leader's, the one at the end of its couplings: multiplier q_leader + offset.
// Couplings must have no loop.  A body that follows nothing leads itself.
struct dc_coupling_relation {
  int leader;
  double multiplier, offset;
};
struct dc_coupling_relation dc_coupling_resolve(int count, const struct dc_coupling *couplings, int body);

#endif
