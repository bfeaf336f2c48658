// SPDX-License-Identifier: Apache-2.0
// How smooth the gradient of one body pair is along a path of body a.
#ifndef BENCH_PATHS_H
#define BENCH_PATHS_H

#include "contact/contact.h"

// For s in [0, 1] body a starts at poses[0] and moves by s * twist (w, t), or, with near > 0, by the distance
// near (far / near)^s along direction.
struct dc_bench_path {
  const char *name;
  struct dc_pose poses[2];
  double twist[6];
  double direction[3], near, far;  // m
};

// Paths of two cubes of 0.4 m at a gap of 0.04 m along which what is nearest changes (paper 000, A.4 and Figure 12).
enum { DC_EDGE_PATHS = 3 };
struct dc_bench_path dc_bench_edge_path(int k);

// The largest |D+(s) - D-(s)| over s, D+ and D- the one-sided difference quotients of the gradient (moments over size)
// with the step, relative to the largest |D| nearby; found at that step, and there again with a tenth of it.
// Infinite when a gradient was not finite.
struct dc_path_jump {
  double step;  // in s
  double coarse, fine;
};

// False when the bodies meet on the path.
bool dc_bench_path_jump(struct dc_contact *contact, const struct dc_bench_path *path, double size,
                        struct dc_path_jump *jump);

#endif
