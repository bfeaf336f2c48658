// SPDX-License-Identifier: Apache-2.0
// How the force of the hierarchy compares with that of all triangle pairs, measured along random approaches.
#ifndef BENCH_FORCE_H
#define BENCH_FORCE_H

#include "base/status.h"

enum { DC_FORCE_BLENDS = 5, DC_FORCE_PROFILES = 4 * DC_FORCE_BLENDS };

// Two bodies in random orientations on random lines through their centres, from almost touching to ten times the sum
// of their radii apart.
struct dc_force_profile {
  const char *bodies, *weights;
  int triangles[2];
  double blend;
  double least, most;  // of |F| over that of all triangle pairs with the same weights
  double rise;         // largest factor by which |F| grows with the distance on a line; 1: it only falls
};

// Fills the rows [DC_FORCE_PROFILES]: two balls, a box and a rod; either weighting; blend 0.1, 0.2, 0.3, 0.5, 1.
// Takes about a second per line, on the calling thread. DC_MEMORY, DC_NUMERICAL (an energy that is not finite).
enum dc_status dc_bench_force_profiles(int lines, struct dc_force_profile *rows, struct dc_error *error);

#endif
