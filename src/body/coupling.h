// SPDX-License-Identifier: Apache-2.0
// Couplings: one coordinate follows another, q_body = p(q_to), with the polynomial
//     p(x) = offset + multiplier x + powers[0] x^2 + powers[1] x^3 + powers[2] x^4   (docs/theory/bodies.md, "Couplings").
#ifndef DC_BODY_COUPLING_H
#define DC_BODY_COUPLING_H

#include <stdbool.h>

#include "base/options.h"

enum { DC_COUPLING_POWERS = 3 };

// The option table is dc_coupling_options.  Both bodies have one slide or one hinge and nothing else.
struct dc_coupling {
  int body, to;       // indices of the follower and of the body that it follows
  double multiplier;  // of the coordinates: m or rad per m or rad
  double offset;      // m or rad
  double powers[DC_COUPLING_POWERS];
  double stiffness;  // J/m^2 or J/rad^2, of the follower's coordinate, NAN: by inertia and step (dynamics/link_scale.h)
  double mass;       // kg or kg m^2, that meets a force of the coupling; set with the model
};
extern const struct dc_option dc_coupling_options[];

// A body's coordinate as a function of the leader's, the one at the end of its couplings: multiplier q_leader + offset
// where all couplings between are lines, for which `linear` stands.
// Couplings must have no loop.  A body that follows nothing leads itself.
struct dc_coupling_relation {
  int leader;
  double multiplier, offset;
  bool linear;
};
struct dc_coupling_relation dc_coupling_resolve(int count, const struct dc_coupling *couplings, int body);

// Whether p is a line.
bool dc_coupling_is_linear(const struct dc_coupling *coupling);
// p(x) with p'(x) and p''(x).
double dc_coupling_value(const struct dc_coupling *coupling, double x, double *slope, double *curvature);
// The body's coordinate where that of its leader is x, with its derivative by that: through all couplings between.
double dc_coupling_follow(int count, const struct dc_coupling *couplings, int body, double x, double *slope);

#endif
