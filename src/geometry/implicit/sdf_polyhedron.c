// SPDX-License-Identifier: Apache-2.0
// Convex polyhedra (paper 001, IV.B.2): phi = t log sum exp((n_i.x - o_i)/t) over their planes, with weights w_i
// the softmax.  It lies between the largest plane distance and t log N above it.
//     F = v phi + u.sum w_i n_i,   dF/d(n_i.x - o_i) = w_i (v + u.(n_i - g)/t) =: a_i.
#include <math.h>
#include <string.h>

#include "geometry/implicit/constants.h"
#include "geometry/implicit/sdf.h"
#include "geometry/mesh/mesh.h"
#include "math/vector.h"

// Numbers of the shape: t (m), then a unit normal n_i and an offset o_i (m) for each plane.
enum { SOFTNESS, PLANES, PLANE = 4, MOST_PLANES = 1024 };

// Numbers are the smoothing and then four per plane, so that the count follows from their number.
static int plane_count(const struct dc_sdf *sdf)
{
  return (sdf->number_count - PLANES) / PLANE;
}

// Value and gradient, with the heights above all planes and their weights.
static double weigh(const struct dc_sdf *sdf, const double x[3], double *heights, double *weights, double gradient[3])
{
  int count = plane_count(sdf);
  const double *planes = sdf->numbers + PLANES;
  for (int i = 0; i < count; i++)
    heights[i] = dc_vec_dot(planes + PLANE * i, x) - planes[PLANE * i + 3];
  double value = dc_soft_extremum(count, heights, 1, sdf->numbers[SOFTNESS], weights);
  memset(gradient, 0, 3 * sizeof *gradient);
  for (int i = 0; i < count; i++)
    dc_vec_add_scaled(gradient, gradient, weights[i], planes + PLANE * i);
  return value;
}

// Value and gradient only, without heights and weights.
static double value(const struct dc_sdf *sdf, const double x[3], double gradient[3])
{
  double heights[MOST_PLANES], weights[MOST_PLANES];
  return weigh(sdf, x, heights, weights, gradient);
}

// Derivatives of v phi + u . grad phi by place, planes and softness; weights are those of the smooth maximum.
static void pull_back(const struct dc_sdf *sdf, const double x[3], double v, const double u[3], double by_x[3],
                      double *parameters)
{
  double heights[MOST_PLANES], weights[MOST_PLANES], g[3], t = sdf->numbers[SOFTNESS], mean = 0, by_softness = 0;
  const double *planes = sdf->numbers + PLANES;
  int count = plane_count(sdf);
  double phi = weigh(sdf, x, heights, weights, g), along = dc_vec_dot(u, g);
  for (int i = 0; i < count; i++)
    mean += weights[i] * heights[i];
  for (int i = 0; i < count; i++) {
    double above = dc_vec_dot(u, planes + PLANE * i) - along, a = weights[i] * (v + above / t);
    dc_vec_add_scaled(by_x, by_x, a, planes + PLANE * i);
    if (!parameters)
      continue;
    double *own = parameters + PLANES + PLANE * i;
    dc_vec_add_scaled(own, own, a, x);
    dc_vec_add_scaled(own, own, weights[i], u);
    own[3] -= a;
    by_softness -= weights[i] * (heights[i] - mean) * above / (t * t);
  }
  if (parameters)
    parameters[SOFTNESS] += by_softness + v * (phi - mean) / t;
}

// Stored by the makers, since a bound from planes alone would need the corners.
static double radius(const struct dc_sdf *sdf)
{
  return sdf->reach;
}

const struct dc_sdf_type dc_sdf_polyhedron = {
    .name = "polyhedron", .twice_differentiable = true, .value = value, .pull_back = pull_back, .radius = radius};

// A box by its six planes, in the order +x, -x, +y, and so on.
struct dc_sdf *dc_sdf_make_box(const double half[3], double smoothing, struct dc_arena *arena)
{
  struct dc_sdf *sdf = dc_sdf_make(&dc_sdf_polyhedron, PLANES + 6 * PLANE, 0, arena);
  if (!sdf)
    return NULL;
  sdf->numbers[SOFTNESS] = smoothing;
  sdf->reach = dc_vec_norm(half);
  for (int i = 0; i < 6; i++) {
    double *plane = sdf->numbers + PLANES + PLANE * i;
    plane[i / 2] = i % 2 ? -1 : 1;
    plane[3] = half[i / 2];
  }
  return sdf;
}

// One plane, z <= 0: the softmax of one number is exact whatever the smoothing.  reach stays INFINITY.
struct dc_sdf *dc_sdf_make_half_space(struct dc_arena *arena)
{
  struct dc_sdf *sdf = dc_sdf_make(&dc_sdf_polyhedron, PLANES + PLANE, 0, arena);
  if (!sdf)
    return NULL;
  sdf->numbers[SOFTNESS] = 1;  // of one plane it says nothing
  sdf->numbers[PLANES + 2] = 1;
  return sdf;
}

// The planes of a mesh's triangles, each once; their number, or -1 when there are too many.
static int planes_of(const struct dc_mesh *mesh, double size, double (*planes)[PLANE])
{
  int count = 0;
  for (int t = 0; t < mesh->triangle_count; t++) {
    const double *a = mesh->vertices[mesh->triangles[t][0]];
    double e[3], f[3], n[3];
    dc_vec_sub(e, mesh->vertices[mesh->triangles[t][1]], a);
    dc_vec_sub(f, mesh->vertices[mesh->triangles[t][2]], a);
    dc_vec_cross(n, e, f);
    dc_vec_scale(n, n, 1 / dc_vec_norm(n));
    double offset = dc_vec_dot(n, a);
    int i = 0;
    while (i < count &&
           !(dc_vec_distance(planes[i], n) < DC_PLANES_SAME && fabs(planes[i][3] - offset) < DC_PLANES_SAME * size))
      i++;
    if (i < count)
      continue;
    if (count == MOST_PLANES)
      return -1;
    dc_vec_copy(planes[count], n);
    planes[count++][3] = offset;
  }
  return count;
}

// The planes of all faces of a convex mesh, each once; refused when a vertex lies beyond one.
enum dc_status dc_sdf_from_mesh(const struct dc_mesh *mesh, double smoothing, struct dc_arena *arena,
                                struct dc_sdf **sdf, struct dc_error *error)
{
  double(*planes)[PLANE] = dc_arena_alloc(arena, MOST_PLANES, sizeof *planes), size = 0;
  if (!planes)
    return dc_out_of_memory_for(error, "planes");
  for (int v = 0; v < mesh->vertex_count; v++)
    size = fmax(size, dc_vec_norm(mesh->vertices[v]));
  int count = planes_of(mesh, size, planes);
  if (count < 0)
    return dc_fail(error, DC_BAD_INPUT, "a polyhedron must have at most %d faces", MOST_PLANES);
  for (int v = 0; v < mesh->vertex_count; v++)
    for (int i = 0; i < count; i++)
      if (dc_vec_dot(planes[i], mesh->vertices[v]) - planes[i][3] > DC_POLYHEDRON_CONVEX * size)
        return dc_fail(error, DC_BAD_INPUT, "a polyhedron must be convex (vertex %d is outside of a face by %.3g m)", v,
                       dc_vec_dot(planes[i], mesh->vertices[v]) - planes[i][3]);
  *sdf = dc_sdf_make(&dc_sdf_polyhedron, PLANES + PLANE * count, 0, arena);
  if (!*sdf)
    return dc_out_of_memory_for(error, "planes");
  (*sdf)->numbers[SOFTNESS] = smoothing;
  (*sdf)->reach = size + smoothing * log(3);
  for (int i = 0; i < count; i++) {
    double *plane = (*sdf)->numbers + PLANES + PLANE * i;
    dc_vec_copy(plane, planes[i]);
    plane[3] = planes[i][3] + smoothing * log(3);  // three planes through a corner: value 0 there
  }
  return DC_OK;
}
