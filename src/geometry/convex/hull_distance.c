// SPDX-License-Identifier: Apache-2.0
// The iteration of witness points, cold, on vertices alone.
#include "geometry/convex/hull_distance.h"

#include <string.h>

#include "geometry/convex/constants.h"
#include "geometry/convex/witness_gjk.h"
#include "math/vector.h"

static double largest_coordinate(const double (*x)[3], int count)
{
  double most = 0;
  for (int v = 0; v < count; v++)
    for (int k = 0; k < 3; k++)
      most = fmax(most, fabs(x[v][k]));
  return most;
}

// The largest lower bound of the distance that the iteration proves, and its direction; 0 when the hulls meet
// or when rounding decides.
double dc_hull_distance(const double (*a)[3], int a_count, const double (*b)[3], int b_count, double normal[3])
{
  struct dc_difference difference = {.corners = {{.count = a_count, .vertices = a}, {.count = b_count, .vertices = b}}};
  struct dc_simplex simplex = {.count = 1};
  long supports = 0;
  difference.scale = largest_coordinate(a, a_count) + largest_coordinate(b, b_count);
  difference.touching = DC_COORDINATE_ROUNDING * difference.scale;
  dc_difference_at(&difference, &simplex.points[0]);
  memset(normal, 0, 3 * sizeof *normal);
  if (dc_gjk(&difference, INFINITY, &simplex, &supports) == DC_GJK_MEET || !(simplex.bound > 0))
    return 0;
  dc_vec_scale(normal, simplex.nearest, 1 / dc_vec_norm(simplex.nearest));
  return simplex.bound;
}
