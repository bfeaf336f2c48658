// SPDX-License-Identifier: Apache-2.0
// Common vertices of overlapping parts (paper 003, VI, Fig. 3): a vertex in the middle of the intersection of two hulls
// is added to both, so that a design that moves it as one keeps them together.
//
// The middle is the point deepest in both, min over x of f(x) = max over the faces of both of n.x - d.  f is convex;
// Polyak's subgradient steps towards slightly more than the best depth so far reach it within thousandths of the size.
// This suffices, since any point inside of both would do.
#include <math.h>
#include <string.h>

#include "geometry/convex/hull.h"
#include "geometry/shapes/constants.h"
#include "geometry/shapes/shape.h"
#include "math/vector.h"

enum { STEPS = 400 };

// The face of a hull that x is highest above, and its unit normal.
static double highest_face(const struct dc_mesh *hull, const double x[3], double normal[3])
{
  double highest = -INFINITY;
  for (int t = 0; t < hull->triangle_count; t++) {
    const int *corner = hull->triangles[t];
    double u[3], v[3], n[3], arm[3];
    dc_vec_sub(u, hull->vertices[corner[1]], hull->vertices[corner[0]]);
    dc_vec_sub(v, hull->vertices[corner[2]], hull->vertices[corner[0]]);
    dc_vec_cross(n, u, v);
    dc_vec_scale(n, n, 1 / dc_vec_norm(n));
    dc_vec_sub(arm, x, hull->vertices[corner[0]]);
    double height = dc_vec_dot(n, arm);
    if (height <= highest)
      continue;
    highest = height;
    dc_vec_copy(normal, n);
  }
  return highest;
}

// The mean of the vertices of a hull, m, which lies inside of it.
static void mean_of(const struct dc_mesh *mesh, double mean[3])
{
  mean[0] = mean[1] = mean[2] = 0;
  for (int v = 0; v < mesh->vertex_count; v++)
    dc_vec_add_scaled(mean, mean, 1.0 / mesh->vertex_count, mesh->vertices[v]);
}

// Whether two hulls overlap, and the middle of what they have in common.
static bool find_middle(const struct dc_mesh *a, const struct dc_mesh *b, double middle[3])
{
  double x[3], other[3], best = INFINITY, size = fmin(dc_mesh_size(a), dc_mesh_size(b));
  mean_of(a, x);
  mean_of(b, other);
  dc_vec_add(x, x, other);
  dc_vec_scale(x, x, 0.5);
  dc_vec_copy(middle, x);
  for (int k = 0; k < STEPS; k++) {
    double normal[3], second[3], height = highest_face(a, x, normal), of_b = highest_face(b, x, second);
    if (of_b > height) {
      height = of_b;
      dc_vec_copy(normal, second);
    }
    if (height < best) {
      best = height;
      dc_vec_copy(middle, x);
    }
    dc_vec_add_scaled(x, x, -(height - best + 0.2 * size / (k + 1)), normal);
  }
  return best < -DC_LINK_LEAST_DEPTH * size;
}

// given with one more vertex; the arrays have room for it.
static void append(struct dc_mesh *part, const double x[3])
{
  dc_vec_copy(part->vertices[part->vertex_count++], x);
}

// Adds to every two parts that overlap a common vertex inside both (find_middle).
enum dc_status dc_shape_add_common_vertices(int count, struct dc_mesh *given, struct dc_arena *arena,
                                            struct dc_error *error)
{
  struct dc_mesh *hulls = dc_arena_alloc(arena, (size_t)count, sizeof *hulls);
  bool enough = hulls != NULL;
  for (int i = 0; i < count && enough; i++) {
    struct dc_error why = {0};
    const double(*vertices)[3] = (const double(*)[3])given[i].vertices;
    enum dc_status status = dc_hull(vertices, given[i].vertex_count, arena, &hulls[i], &why);
    if (status)
      return dc_fail(error, status, "part %d: %s", i + 1, why.text);
    given[i].vertices = dc_arena_alloc(arena, (size_t)(given[i].vertex_count + count - 1), sizeof *given[i].vertices);
    enough = given[i].vertices != NULL;
    if (enough)
      memcpy(given[i].vertices, vertices, (size_t)given[i].vertex_count * sizeof *vertices);
  }
  if (!enough)
    return dc_out_of_memory_for(error, "%d hulls", count);
  for (int i = 0; i < count; i++)
    for (int j = i + 1; j < count; j++) {
      double middle[3];
      if (!find_middle(&hulls[i], &hulls[j], middle))
        continue;
      append(&given[i], middle);
      append(&given[j], middle);
    }
  return DC_OK;
}
