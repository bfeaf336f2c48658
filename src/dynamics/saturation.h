// SPDX-License-Identifier: Apache-2.0
// Smooth saturation: a force s that is asked for becomes one within (-L, L),
//     F(s) = (A - B)/2,   A = sqrt((s + L)^2 + w^2),   B = sqrt((s - L)^2 + w^2),   w = L/10,
// s itself but for 0.5 % well inside, 0.95 L at s = L, odd, increasing, with a slope that falls by a power only, so
// that a force far beyond still feels which way is back.  Its primitive
//     S(s) = [s (A - B) + L (A + B)]/4 + w^2/4 [asinh((s + L)/w) - asinh((s - L)/w)]
// is convex: a spring that is limited in this way has a potential.  A - B = 4 s L/(A + B) keeps the digits where s is
// large.
#ifndef DC_DYNAMICS_SATURATION_H
#define DC_DYNAMICS_SATURATION_H

#include <math.h>

struct dc_saturated {
  double value, force, slope;  // S, F, F' at s
};

// Without a limit (0) F is s.
static inline struct dc_saturated dc_saturate(double limit, double s)
{
  if (!(limit > 0))
    return (struct dc_saturated){0.5 * s * s, s, 1};
  double w = 0.1 * limit, a = hypot(s + limit, w), b = hypot(s - limit, w), sum = a + b;
  double force = 2 * s * limit / sum;
  return (struct dc_saturated){0.25 * (2 * s * force + limit * sum) +
                                   0.25 * w * w * (asinh((s + limit) / w) - asinh((s - limit) / w)),
                               force, 0.5 * ((s + limit) / a - (s - limit) / b)};
}

#endif
