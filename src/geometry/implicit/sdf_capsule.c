// SPDX-License-Identifier: Apache-2.0
// Capsules: the exact distance to a segment on the z-axis, less the radius.  Once differentiable only, where the ends
// begin.
#include <math.h>

#include "geometry/implicit/constants.h"
#include "geometry/implicit/sdf.h"
#include "math/vector.h"

enum { RADIUS, HALF };

// x less its nearest point on the segment; whether that is an end, and which.
static double from_axis(const struct dc_sdf *sdf, const double x[3], double y[3], int *end)
{
  double half = sdf->numbers[HALF], least = DC_CAPSULE_LEAST * sdf->numbers[RADIUS];
  *end = x[2] > half ? 1 : x[2] < -half ? -1 : 0;
  y[0] = x[0];
  y[1] = x[1];
  y[2] = *end ? x[2] - *end * half : 0;
  return sqrt(dc_vec_dot(y, y) + least * least);
}

// phi = |y| - r and its gradient y/|y|, where y leads from the segment's nearest point to x.
static double value(const struct dc_sdf *sdf, const double x[3], double gradient[3])
{
  int end;
  double y[3], distance = from_axis(sdf, x, y, &end);
  dc_vec_scale(gradient, y, 1 / distance);
  return distance - sdf->numbers[RADIUS];
}

// With y from the nearest point of the axis to x, phi = |y| - r: the gradient is y/|y|, and the cotangents v of phi
// and u of the gradient give
//    by_y = (v y + u - (u . y/|y|) y/|y|) / |y|,
// of which the part along the axis counts beyond an end only. There it also moves with the half length.
static void pull_back(const struct dc_sdf *sdf, const double x[3], double v, const double u[3], double by_x[3],
                      double *parameters)
{
  int end;
  double y[3], distance = from_axis(sdf, x, y, &end), by_y[3];
  double along = dc_vec_dot(u, y) / distance;
  for (int k = 0; k < 3; k++)
    by_y[k] = (v * y[k] + u[k] - along * y[k] / distance) / distance;
  if (!end)
    by_y[2] = 0;
  dc_vec_add(by_x, by_x, by_y);
  if (!parameters)
    return;
  parameters[RADIUS] -= v;
  parameters[HALF] -= end * by_y[2];
}

// The tips lie at half + r from the centre; nothing reaches farther.
static double radius(const struct dc_sdf *sdf)
{
  return sdf->numbers[RADIUS] + sdf->numbers[HALF];
}

const struct dc_sdf_type dc_sdf_capsule = {.name = "capsule", .value = value, .pull_back = pull_back, .radius = radius};
