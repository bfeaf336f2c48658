// SPDX-License-Identifier: Apache-2.0
// Whether bodies overlap at the start: crossing surfaces, or one inside the other.
#include <math.h>

#include "contact/contact_internal.h"
#include "geometry/mesh.h"
#include "geometry/triangle.h"
#include "math/vector.h"

enum { STACK = 256 };

// A triangle's vertices in world axes about c_a.
static void place(const struct dc_collider *collider, int triangle, const double shift[3], double x[3][3])
{
  for (int v = 0; v < 3; v++)
    dc_vec_add(x[v], collider->turned[collider->triangles[triangle][v]], shift);
}

// The deepest overlap of two surfaces, 0 when they do not meet.
static double surface_overlap(const struct dc_collider *a, const struct dc_collider *b, const double shift[3])
{
  static const double none[3] = {0, 0, 0};
  int stack[STACK][2], top = 0;
  double depth = 0;
  stack[top][0] = stack[top][1] = 0;
  top++;
  while (top) {
    top--;
    int i = stack[top][0], j = stack[top][1];
    double d[3];
    for (int k = 0; k < 3; k++)
      d[k] = a->spheres[i][k] - b->spheres[j][k] - shift[k];
    if (dc_vec_norm(d) > a->tree.radius[i] + b->tree.radius[j])
      continue;
    if (a->tree.right[i] < 0 && b->tree.right[j] < 0) {
      double x[3][3], y[3][3], normal[3];
      place(a, a->tree.triangle[i], none, x);
      place(b, b->tree.triangle[j], shift, y);
      double gap = dc_triangle_separation((const double(*)[3])x, (const double(*)[3])y, normal);
      if (gap <= 0)
        depth = fmax(depth, fmax(-gap, 1e-300));
      continue;
    }
    top = dc_push_children(&a->tree, i, &b->tree, j, stack, top);
  }
  return depth;
}

// True when a connected part of the surface of inner lies inside the solid of outer: one vertex of it does, as
// surfaces do not meet.  Nothing in a cavity is inside the solid.
static bool contains(const struct dc_contact *contact, int outer, int inner, const struct dc_pose *poses)
{
  const struct dc_collider *collider = &contact->colliders[outer], *within = &contact->colliders[inner];
  struct dc_mesh mesh = {.vertex_count = collider->vertex_count,
                         .triangle_count = collider->triangle_count,
                         .vertices = collider->vertices,
                         .triangles = (int(*)[3])collider->triangles};
  double shift[3];
  dc_vec_sub(shift, poses[inner].position, poses[outer].position);
  for (int part = 0; part < within->part_count; part++) {
    double d[3], local[3];
    dc_vec_add(d, shift, within->turned[within->parts[part]]);
    dc_mat_apply_transposed(local, poses[outer].rotation, d);
    if (dc_vec_norm(local) <= collider->radius && dc_mesh_contains(&mesh, local))
      return true;
  }
  return false;
}

static double pair_overlap(const struct dc_contact *contact, const struct dc_pair *pair, const struct dc_pose *poses)
{
  const struct dc_collider *a = &contact->colliders[pair->a], *b = &contact->colliders[pair->b];
  if (b->half_space) {
    double least = INFINITY;
    for (int v = 0; v < a->vertex_count; v++)
      least =
          fmin(least, dc_vec_dot(b->normal, poses[pair->a].position) + dc_vec_dot(b->normal, a->turned[v]) - b->height);
    return least > 0 ? 0 : fmax(-least, 1e-300);
  }
  double shift[3], depth;
  dc_vec_sub(shift, poses[pair->b].position, poses[pair->a].position);
  if (dc_vec_norm(shift) > a->radius + b->radius)
    return 0;
  depth = surface_overlap(a, b, shift);
  if (depth > 0)
    return depth;
  if (contains(contact, pair->b, pair->a, poses) || contains(contact, pair->a, pair->b, poses))
    return fmin(a->radius, b->radius);
  return 0;
}

bool dc_contact_overlap(struct dc_contact *contact, const struct dc_pose *poses, int *pair, double *depth)
{
  for (int i = 0; i < contact->bodies->count; i++)
    dc_collider_turn(&contact->colliders[i], &poses[i]);
  contact->fixed_turned = true;
  for (int p = 0; p < contact->pair_count; p++) {
    double overlap = pair_overlap(contact, &contact->pairs[p], poses);
    if (overlap > 0) {
      *pair = p;
      *depth = overlap;
      return true;
    }
  }
  return false;
}
