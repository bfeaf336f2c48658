// SPDX-License-Identifier: Apache-2.0
// The clamped barrier and the mollifier of Li et al. 2020, Eq. 6 and 24, with two derivatives.
//
// With y = d/range and u = y - 1 the barrier is -u^2 ln y.  By the square D = d^2 of the distance
//     dp/dD = b'/(2 d),    d2p/dD2 = (b'' - b'/d)/(4 D).
#include "contact/barrier/clamped.h"

#include <math.h>

void dc_clamped_barrier(double d, double range, double b[3])
{
  double y = d / range;
  b[0] = b[1] = b[2] = 0;
  if (!(y < 1))
    return;
  double log_y = log(y), u = y - 1, ratio = u / y;
  b[0] = -u * u * log_y;
  b[1] = -u * (2 * log_y + ratio) / range;
  b[2] = -(2 * log_y + 4 * ratio - ratio * ratio) / (range * range);
}

void dc_clamped_profile(double square, double range, double p[3])
{
  double b[3], d = sqrt(square);
  dc_clamped_barrier(d, range, b);
  p[0] = b[0];
  p[1] = b[1] / (2 * d);
  p[2] = (b[2] - b[1] / d) / (4 * square);
}

void dc_clamped_mollifier(double c, double threshold, double m[3])
{
  double x = c / threshold;
  m[0] = 1;
  m[1] = m[2] = 0;
  if (x >= 1)
    return;
  m[0] = x * (2 - x);
  m[1] = 2 * (1 - x) / threshold;
  m[2] = -2 / (threshold * threshold);
}
