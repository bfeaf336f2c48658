// SPDX-License-Identifier: Apache-2.0
// Cores: what makes a fixed leaf felt from afar as its triangles are (docs/theory/contact.md, "Convex leaves").
//
// A leaf of a fixed body weighs at most 1, so that it holds others as a half-space does; its triangles weigh W
// together, which is what counts from afar.  W - w is the weight of one more leaf inside of it, the core:
//
// 1. A round leaf has a core whose radius is smaller by DEPTH of it.
// 2. The vertices of a hull are scaled along their principal axes about the mean vertex, so that each face of a box
//    goes inwards by DEPTH of the least half width; then evenly, until all are inside of all faces.
// 3. The core lies `depth` below the surface.  Its weight is at most PART (depth / g)^2: at the gap g at which others
//    rest it adds no more than that part to the force.
#include <math.h>
#include <string.h>

#include "contact/common/collider_internal.h"
#include "geometry/convex/hull.h"
#include "math/eigen6.h"
#include "math/vector.h"

static const double DEPTH = 0.35, PART = 0.05;
// Gaps at rest, of the size of what rests there (dynamics/contact_scale.c).
static const double REST_GAP = 2.5e-3;

double dc_core_most_weight(double depth, double unit_area)
{
  double gap = REST_GAP * sqrt(unit_area / 6);  // of a cube with that surface
  return PART * (depth / gap) * (depth / gap);
}

// Scales core about mean until no vertex of it is outside of a face of the hull.
static void pull_inside(const struct dc_mesh *hull, const double mean[3], int count, double (*core)[3])
{
  double part = 1;
  for (int t = 0; t < hull->triangle_count; t++) {
    double a[3], u[3], v[3], normal[3], d[3];
    dc_vec_sub(a, hull->vertices[hull->triangles[t][0]], mean);
    dc_vec_sub(u, hull->vertices[hull->triangles[t][1]], hull->vertices[hull->triangles[t][0]]);
    dc_vec_sub(v, hull->vertices[hull->triangles[t][2]], hull->vertices[hull->triangles[t][0]]);
    dc_vec_cross(normal, u, v);
    for (int k = 0; k < count; k++) {
      dc_vec_sub(d, core[k], mean);
      double height = dc_vec_dot(normal, d), most = dc_vec_dot(normal, a);
      if (height * part > most)
        part = fmax(0, most / height);
    }
  }
  for (int k = 0; k < count; k++)
    for (int i = 0; i < 3; i++)
      core[k][i] = mean[i] + part * (core[k][i] - mean[i]);
}

// Vertices about their mean along the principal axes (columns); *least: the least half width.
static void scale_widths(const struct dc_shape_leaf *leaf, const double mean[3], double (*core)[3], double *least)
{
  double moment[9] = {0}, values[3], axes[9], half[3] = {0}, d[3], local[3];
  for (int v = 0; v < leaf->vertex_count; v++) {
    dc_vec_sub(d, leaf->vertices[v], mean);
    for (int i = 0; i < 9; i++)
      moment[i] += d[i / 3] * d[i % 3];
  }
  dc_eigen3(moment, values, axes);
  for (int v = 0; v < leaf->vertex_count; v++) {
    dc_vec_sub(d, leaf->vertices[v], mean);
    dc_mat_apply_transposed(core[v], axes, d);
    for (int k = 0; k < 3; k++)
      half[k] = fmax(half[k], fabs(core[v][k]));
  }
  *least = fmin(half[0], fmin(half[1], half[2]));
  for (int v = 0; v < leaf->vertex_count; v++) {
    for (int k = 0; k < 3; k++)
      local[k] = half[k] > 0 ? core[v][k] * (1 - DEPTH * *least / half[k]) : 0;
    dc_mat_apply(core[v], axes, local);
    dc_vec_add(core[v], core[v], mean);
  }
}

// A round leaf keeps its vertices and loses radius; a hull is pulled inside of itself.  *depth, m, is 0 of leaves that
// have no inside.
enum dc_status dc_leaf_core(const struct dc_shape_leaf *leaf, struct dc_arena *arena, struct dc_shape_leaf *core,
                            double *depth, struct dc_error *error)
{
  double mean[3] = {0}, least = 0;
  *core = *leaf;
  core->radius = (1 - DEPTH) * leaf->radius;
  *depth = leaf->radius - core->radius;
  if (leaf->radius > 0 || leaf->vertex_count < 4)
    return DC_OK;
  double(*vertices)[3] = dc_arena_alloc(arena, (size_t)leaf->vertex_count, sizeof *vertices);
  if (!vertices)
    return dc_out_of_memory_for(error, "the core of a leaf");
  for (int v = 0; v < leaf->vertex_count; v++)
    dc_vec_add_scaled(mean, mean, 1.0 / leaf->vertex_count, leaf->vertices[v]);
  scale_widths(leaf, mean, vertices, &least);
  struct dc_mesh hull = {0};
  enum dc_status status = least > 0 ? dc_hull(leaf->vertices, leaf->vertex_count, arena, &hull, error) : DC_OK;
  if (status)
    return status;
  pull_inside(&hull, mean, leaf->vertex_count, vertices);
  core->vertices = (const double(*)[3])vertices;
  *depth = DEPTH * least;
  return DC_OK;
}
