// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "contact/contact_internal.h"
#include "math/vector.h"

// A mesh above a half space: P = sum_v w_v 12 l / h_v, h_v = n.(x_v - x_b), w_v the area weights of the vertices (sum 1).  With r = x_v - c_a and
// z = (r x n; n):  dh = z,  d2h = rotation block (n r^T + r n^T)/2 - (n.r) I,
//     P_xi = -sum 12 l w / h^2 z,   P_xixi = sum 24 l w / h^3 z z^T - sum 12 l w / h^2 d2h.
void dc_half_space_pair(const struct dc_contact *contact, struct dc_pair *pair, const struct dc_pose *pose_a, int order,
                        struct dc_pair_derivatives *result)
{
  const struct dc_collider *a = &contact->colliders[pair->a], *b = &contact->colliders[pair->b];
  const double *n = b->normal;
  double base = dc_vec_dot(n, pose_a->position) - b->height, *h = result->hessian;
  pair->gap = INFINITY;
  pair->crossing = false;
  pair->visited = a->vertex_count;
  for (int v = 0; v < a->vertex_count; v++) {
    const double *r = a->turned[v];
    double height = base + dc_vec_dot(n, r);
    pair->gap = fmin(pair->gap, height);
    if (height <= 0) {
      pair->crossing = true;
      pair->gap = 0;
      result->energy = INFINITY;
      return;
    }
    double energy = 12 * contact->settings.length * a->vertex_weight[v] / height;
    result->energy += energy;
    if (order < 1)
      continue;
    double slope = -energy / height, curvature = -2 * slope / height, z[6];
    dc_vec_cross(z, r, n);
    dc_vec_copy(z + 3, n);
    for (int i = 0; i < 6; i++)
      result->gradient[i] += slope * z[i];
    if (order < 2)
      continue;
    for (int i = 0, e = 0; i < 6; i++)
      for (int j = 0; j <= i; j++, e++)
        h[e] += curvature * z[i] * z[j];
    double along = dc_vec_dot(n, r);
    for (int i = 0, e = 0; i < 3; i++)
      for (int j = 0; j <= i; j++, e++)
        h[e] += slope * (0.5 * (n[i] * r[j] + n[j] * r[i]) - (i == j ? along : 0));
  }
}
