// SPDX-License-Identifier: Apache-2.0
// Bounds that keep the gradient: the identity on the inner nine tenths of [low, high].  In the last twentieth m at
// either end it is a curve that approaches the bound,
//
//     c(y) = high - m + m s((y - (high - m)) / m),   s(t) = t / sqrt(1 + t^2),   s' = (1 + t^2)^(-3/2),
//     s'' = -3 t (1 + t^2)^(-5/2),
//
// and likewise below.  Since s(0) = s''(0) = 0 and s'(0) = 1, c is twice continuously differentiable.  It is strictly
// increasing, and its slope falls by a power only, so that a parameter far outside still has a gradient back.
#ifndef DC_TASK_CLAMP_H
#define DC_TASK_CLAMP_H

#include <math.h>

struct dc_clamp {
  double low, high;  // low < high, or -INFINITY and INFINITY: no bounds
};

struct dc_clamped {
  double value, slope, curvature;  // c, c', c'' at y
};

static inline struct dc_clamped dc_clamp(const struct dc_clamp *bounds, double y)
{
  double margin = 0.05 * (bounds->high - bounds->low);
  if (!(margin < INFINITY) || (y >= bounds->low + margin && y <= bounds->high - margin))
    return (struct dc_clamped){y, 1, 0};
  double sign = y > bounds->high - margin ? 1 : -1;
  double edge = sign > 0 ? bounds->high - margin : bounds->low + margin;
  double t = sign * (y - edge) / margin, square = 1 + t * t, root = sqrt(square);
  return (struct dc_clamped){edge + sign * margin * (t / root), 1 / (square * root),
                             -sign * 3 * t / (margin * square * square * root)};
}

// Inverse of c; values beyond 99 % of the way to a bound are moved back to there.
static inline double dc_clamp_inverse(const struct dc_clamp *bounds, double value)
{
  double margin = 0.05 * (bounds->high - bounds->low);
  if (!(margin < INFINITY) || (value >= bounds->low + margin && value <= bounds->high - margin))
    return value;
  double sign = value > bounds->high - margin ? 1 : -1;
  double edge = sign > 0 ? bounds->high - margin : bounds->low + margin;
  double s = fmin(sign * (value - edge) / margin, 0.99);
  return edge + sign * margin * s / sqrt(1 - s * s);
}

#endif
