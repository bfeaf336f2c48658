// SPDX-License-Identifier: Apache-2.0
// How contacts change along a motion in small steps: of smooth manifolds and of GJK with clipped polygons (paper 001, II:
// "routines involve discontinuities due to significant branching").
#ifndef BENCH_MANIFOLD_JUMPS_H
#define BENCH_MANIFOLD_JUMPS_H

#include "base/status.h"

enum { DC_MANIFOLD_JUMPS = 6, DC_JUMP_STEPS = 500 };

// Contacts as a penalty would use them: force sum a max(-d, 0) n on the first body, and the mean of the points with the weights
// a max(-d, 0), a the activity (1 of hulls).  What is smooth changes a quarter as much in steps a quarter as long, what jumps
// as much as before.
struct dc_manifold_jump {
  const char *bodies, *method;
  int paths;
  double
      force[2];  // largest change in a step, over the largest force on the way: of DC_JUMP_STEPS and of 4 times as many
  double centre[2];  // of the mean point, m, likewise; both medians over the paths
};

// Cubes of edge 1 (superquadrics of exponents 0.1), 2 % deep, the upper one rocking by 0.1 rad and yawing by 0.3, and figures
// of 18 superquadrics that move by 20 mm and 0.06 rad from random poses where they overlap.  Takes half a minute.  DC_MEMORY.
enum dc_status dc_bench_manifold_jumps(struct dc_manifold_jump jumps[DC_MANIFOLD_JUMPS], struct dc_error *error);

#endif
