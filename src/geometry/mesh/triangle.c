// SPDX-License-Identifier: Apache-2.0
// A lower bound of the distance of two triangles: the best gap over candidate axes of a separating plane, which are
// vertex differences, normals, cross products of edges, and in-plane normals of edges.
#include "geometry/mesh/triangle.h"

#include <stdbool.h>

#include "math/vector.h"

// The search for the axis with the largest gap.
struct search {
  const double (*a)[3], (*b)[3];  // [3] corners of both triangles, m
  double best, enough;            // gap so far, and the one that ends the search, m
  double *normal;                 // [3] axis of the best gap
};

// Tests an axis; returns whether the best gap so far is enough.
static bool try_axis(struct search *search, const double axis[3])
{
  double square = dc_vec_dot(axis, axis);
  if (!(square > 0))
    return false;
  double low_a = INFINITY, high_a = -INFINITY, low_b = INFINITY, high_b = -INFINITY;
  for (int v = 0; v < 3; v++) {
    double d[3], h;
    dc_vec_sub(d, search->a[v], search->a[0]);
    h = dc_vec_dot(d, axis);
    low_a = h < low_a ? h : low_a;  // fmin would be a function call
    high_a = h > high_a ? h : high_a;
    dc_vec_sub(d, search->b[v], search->a[0]);
    h = dc_vec_dot(d, axis);
    low_b = h < low_b ? h : low_b;
    high_b = h > high_b ? h : high_b;
  }
  double scale = 1 / sqrt(square), above = (low_a - high_b) * scale, below = (low_b - high_a) * scale;
  double gap = above > below ? above : below;
  if (gap <= search->best)
    return false;
  search->best = gap;
  dc_vec_scale(search->normal, axis, above > below ? scale : -scale);
  return gap > search->enough;
}

// Separating axes: the line of centres first, then normals of both triangles, edges in their planes, and products of
// edges; ends as soon as one separates by `enough`.
double dc_triangle_separation(const double (*a)[3], const double (*b)[3], double enough, double normal[3])
{
  struct search search = {.a = a, .b = b, .best = -INFINITY, .enough = enough, .normal = normal};
  double edges[6][3], normals[2][3], axis[3];
  for (int k = 0; k < 3; k++)
    axis[k] = (a[0][k] - b[0][k]) + (a[1][k] - b[1][k]) + (a[2][k] - b[2][k]);
  if (try_axis(&search, axis))
    return search.best;
  for (int v = 0; v < 3; v++) {
    dc_vec_sub(edges[v], a[(v + 1) % 3], a[v]);
    dc_vec_sub(edges[3 + v], b[(v + 1) % 3], b[v]);
  }
  for (int t = 0; t < 2; t++) {
    dc_vec_cross(normals[t], edges[3 * t], edges[3 * t + 1]);
    if (try_axis(&search, normals[t]))
      return search.best;
  }
  for (int i = 0; i < 3; i++)
    for (int j = 3; j < 6; j++) {
      dc_vec_cross(axis, edges[i], edges[j]);
      if (try_axis(&search, axis))
        return search.best;
    }
  for (int i = 0; i < 6; i++) {
    dc_vec_cross(axis, normals[i / 3], edges[i]);
    if (try_axis(&search, axis))
      return search.best;
  }
  return search.best;
}
