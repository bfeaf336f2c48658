// SPDX-License-Identifier: Apache-2.0
#include "geometry/shapes/shape_thickness.h"

#include <math.h>

#include "math/vector.h"

// Extent of the corners along a face's normal; INFINITY for a face without area.
static double extent_along(const struct dc_mesh *part, const int *face)
{
  double u[3], v[3], normal[3], low = INFINITY, high = -INFINITY;
  dc_vec_sub(u, part->vertices[face[1]], part->vertices[face[0]]);
  dc_vec_sub(v, part->vertices[face[2]], part->vertices[face[0]]);
  dc_vec_cross(normal, u, v);
  double length = dc_vec_norm(normal);
  if (length == 0)
    return INFINITY;
  for (int t = 0; t < part->triangle_count; t++)
    for (int k = 0; k < 3; k++) {
      double height = dc_vec_dot(normal, part->vertices[part->triangles[t][k]]) / length;
      low = fmin(low, height);
      high = fmax(high, height);
    }
  return high - low;
}

double dc_shape_thinnest(const struct dc_shape *shape)
{
  double least = INFINITY;
  for (int p = 0; p < shape->part_count; p++)
    for (int t = 0; t < shape->parts[p].triangle_count; t++)
      least = fmin(least, extent_along(&shape->parts[p], shape->parts[p].triangles[t]));
  return least;
}
