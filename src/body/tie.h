// SPDX-License-Identifier: Apache-2.0
// Ties: two bodies, or frames on them, are held together at their centres, which closes loops of links
// (docs/theory/bodies.md, "Ties").
#ifndef DC_BODY_TIE_H
#define DC_BODY_TIE_H

#include "base/options.h"

// The option table is dc_tie_options.
struct dc_tie {
  int body, to;      // indices of the two
  double stiffness;  // J/m^2, NAN: by the masses and the step (dynamics/link_scale.h)
  double mass;       // kg, that the ends have against each other; set with the model
};
extern const struct dc_option dc_tie_options[];

struct dc_bodies;
// Checks ties [count] between bodies that are built: two rigid ones each, of which one moves.
enum dc_status dc_ties_check(const struct dc_bodies *bodies, int count, const struct dc_tie *ties,
                             struct dc_error *error);

#endif
