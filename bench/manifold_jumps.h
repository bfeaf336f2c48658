// SPDX-License-Identifier: Apache-2.0
// How contacts change along a motion in small steps: of smooth manifolds and of GJK with clipped polygons (paper 001,
// II: "routines involve discontinuities due to significant branching").
#ifndef BENCH_MANIFOLD_JUMPS_H
#define BENCH_MANIFOLD_JUMPS_H

#include "base/status.h"

enum { DC_MANIFOLD_JUMPS = 6, DC_JUMP_STEPS = 500 };

// Contacts are summed up as a penalty would use them: the force sum a max(-d, 0) n on the first body, and the mean of
// the points with the weights a max(-d, 0), where a is the activity (1 for hulls).  A smooth sum changes a quarter as
// much in a step a quarter as long; one that jumps changes as much as before.
struct dc_manifold_jump {
  const char *bodies, *method;  // static texts
  int paths;
  // Medians over the paths: [0] of motions in DC_JUMP_STEPS steps, [1] in four times as many.
  double force[2];   // largest change of the force in a step over the largest force on the way
  double centre[2];  // largest change of the mean point in a step, m
};

// Two kinds of bodies.  Cubes of edge 1 m (superquadrics of exponents 0.1) lie 2 % deep in each other, and the upper
// one rocks by 0.1 rad and yaws by 0.3 rad.  Figures of 18 superquadrics move by 20 mm and 0.06 rad from random poses
// where they overlap.  Takes half a minute.  Statuses of dc_bench_figure and dc_bench_make_hulls; DC_MEMORY.
enum dc_status dc_bench_manifold_jumps(struct dc_manifold_jump jumps[DC_MANIFOLD_JUMPS], struct dc_error *error);

#endif
