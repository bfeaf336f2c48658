// SPDX-License-Identifier: Apache-2.0
// Thickness of convex parts: the least extent along face normals, and principal extents from the covariance, with their
// rates.
#include "geometry/shapes/shape_thickness.h"

#include <math.h>

#include "math/eigen6.h"
#include "math/vector.h"

// Extent of the corners along a face's normal; INFINITY for a face without area.
static double extent_along(const struct dc_mesh *part, int face)
{
  double normal[3], low = INFINITY, high = -INFINITY;
  dc_mesh_normal(part, face, normal);
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

// The least width of a convex body lies along the normal of a face or across two edges.  The latter is left
// out, so this is an upper bound.
double dc_shape_thinnest(const struct dc_shape *shape)
{
  double least = INFINITY;
  for (int p = 0; p < shape->part_count; p++)
    for (int t = 0; t < shape->parts[p].triangle_count; t++)
      least = fmin(least, extent_along(&shape->parts[p], t));
  return least;
}

// Extents of the box with the same covariance: a length L has the variance L^2/12.
void dc_part_extents(const struct dc_mesh *part, struct dc_extents *extents)
{
  struct dc_mass_properties properties;
  double variances[3];
  dc_mesh_mass_properties(part, &properties);
  extents->volume = properties.volume;
  dc_vec_copy(extents->center, properties.center);
  for (int k = 0; k < 9; k++)
    extents->covariance[k] = properties.second_moment[k] / properties.volume;
  dc_eigen3(extents->covariance, variances, extents->axes);
  for (int k = 0; k < 3; k++)
    extents->lengths[k] = sqrt(12 * fmax(variances[k], 0));
}

// C = S/V with S about the centre, whose motion has only a second-order effect there: C' = (S' - V' C)/V.
void dc_part_extents_pull_back(const struct dc_mesh *part, const struct dc_extents *extents,
                               const double by_covariance[9], double (*gradient)[3])
{
  static const double none[3] = {0};
  double second[9], by_volume = -dc_dot(by_covariance, extents->covariance, 9) / extents->volume;
  for (int k = 0; k < 9; k++)
    second[k] = by_covariance[k] / extents->volume;
  dc_mesh_mass_pull_back(part, extents->center, by_volume, none, second, gradient);
}

// The least over all parts and their three principal directions; unlike the least width it has a derivative.
double dc_shape_least_extent(const struct dc_shape *shape)
{
  double least = INFINITY;
  for (int p = 0; p < shape->part_count; p++) {
    struct dc_extents extents;
    dc_part_extents(&shape->parts[p], &extents);
    for (int k = 0; k < 3; k++)
      least = fmin(least, extents.lengths[k]);
  }
  return least;
}
