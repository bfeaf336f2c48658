// SPDX-License-Identifier: Apache-2.0
// Meshes above primitives, as far as it does not depend on which.
#include "contact/common/primitive.h"

#include "contact/common/contact_internal.h"
#include "geometry/shapes/shape.h"

const struct dc_primitive_type *dc_primitive_type_of(const struct dc_shape *shape)
{
  return shape->type->half_space ? &dc_half_space : NULL;
}

// 12 l w_v/g of each vertex with the weight w_v, and two derivatives by its gap g (docs/theory.md, "Half spaces").
void dc_primitive_far_barrier(const struct dc_primitive_points *points, int first, int count, const double *gaps,
                              double (*values)[3])
{
  double strength = 12 * points->contact->settings.length;
  for (int v = 0; v < count; v++) {
    double energy = strength * points->collider->vertex_weight[first + v] / gaps[v], slope = -energy / gaps[v];
    values[v][0] = energy;
    values[v][1] = slope;
    values[v][2] = -2 * slope / gaps[v];
  }
}

// Sums a barrier over the vertices of body a against a primitive, which is placed about a's centre before: differences
// of positions far from the origin are taken once. Bodies that meet have an infinite energy and no derivatives.
void dc_primitive_pair(const struct dc_contact *contact, struct dc_pair *pair, const struct dc_pose *pose_a, int order,
                       dc_primitive_barrier *barrier, struct dc_pair_derivatives *result)
{
  const struct dc_collider *a = &contact->colliders[pair->a];
  struct dc_primitive seen = dc_primitive_about(&contact->colliders[pair->b].primitive, pose_a);
  struct dc_primitive_points points = {contact, a, (const double(*)[3])a->turned, a->vertex_count, a->vertex_radius};
  double arm[3] = {result->arm[0], result->arm[1], result->arm[2]}, least;
  least = seen.type->sum(&seen, &points, barrier, order, result);
  pair->counts.visited = a->vertex_count;
  pair->crossing = !(least > 0);
  pair->gap = pair->crossing ? 0 : least;
  if (!pair->crossing)
    return;
  *result = (struct dc_pair_derivatives){.energy = INFINITY};
  dc_vec_copy(result->arm, arm);
}
