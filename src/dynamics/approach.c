// SPDX-License-Identifier: Apache-2.0
// Half of the bound on the gap is a safe step; near contact, where the bound may be poor, a tenth of the size is tried.
// The place of the first touch is then found by bisection: models tell touching bodies by an infinite energy.
#include "dynamics/approach.h"

#include <math.h>

#include "math/vector.h"

enum { MOST_HALVINGS = 60 };
static const double STEP = 0.1, FARTHEST = 1e3;  // over the size

bool dc_approach_meets(struct dc_approach *approach, double s)
{
  dc_vec_add_scaled(approach->poses[approach->body].position, approach->start, s, approach->direction);
  return !isfinite(dc_contact_evaluate_pair(approach->contact, approach->poses, approach->pair, 1, approach->pairs));
}

double dc_approach_touching(struct dc_approach *approach, double size, double precision)
{
  double apart = 0, together = 0, step = STEP * size;
  do {
    apart = together;
    together -= step;
    if (together < -FARTHEST * size)
      return NAN;
    step = fmax(STEP * size, 0.5 * dc_contact_pair_gap(approach->contact, approach->pair));
  } while (!dc_approach_meets(approach, together));
  for (int i = 0; i < MOST_HALVINGS && apart - together > precision; i++) {
    double middle = 0.5 * (apart + together);
    *(dc_approach_meets(approach, middle) ? &together : &apart) = middle;
  }
  return apart;
}
