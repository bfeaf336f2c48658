// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "contact/contact_internal.h"
#include "contact/ipc_internal.h"
#include "math/vector.h"

// A mesh above a half space: P = sum_v w_v 12 l / h_v, h_v = n.(x_v - x_b), w_v the area weights of the vertices
// (sum 1).  With r = x_v - c_a, z = (r x n; n), s = -12 l w / h^2 and k = 24 l w / h^3:
//     P_xi = sum s z,   P_xixi = sum k z z^T + rotation block sum s [(n r^T + r n^T)/2 - (n.r) I].
// n is the same for all vertices, so that these sums are enough.  Of a barrier b(h) per vertex (docs/theory.md, "IPC")
// s = b', k = b''.
struct sums {
  double energy, slope, curvature;  // s, k
  double torque[3];                 // sum s (r x n)
  double first[3];                  // sum s r
  double moment[3], second[6];      // sum k (r x n), sum k (r x n)(r x n)^T, lower triangle
};

static void add_vertex(struct sums *sums, const double *r, const double *n, double energy, double slope,
                       double curvature)
{
  double arm[3];
  dc_vec_cross(arm, r, n);
  sums->energy += energy;
  sums->slope += slope;
  sums->curvature += curvature;
  for (int i = 0, e = 0; i < 3; i++) {
    double scaled = curvature * arm[i];
    sums->torque[i] += slope * arm[i];
    sums->first[i] += slope * r[i];
    sums->moment[i] += scaled;
    for (int j = 0; j <= i; j++, e++)
      sums->second[e] += scaled * arm[j];
  }
}

static void fill_hessian(const struct sums *sums, const double *n, double *h)
{
  double along = dc_vec_dot(n, sums->first);
  for (int i = 0, e = 0; i < 3; i++)
    for (int j = 0; j <= i; j++, e++)
      h[e] = sums->second[e] + 0.5 * (n[i] * sums->first[j] + n[j] * sums->first[i]) - (i == j ? along : 0);
  for (int i = 0; i < 3; i++) {
    double *row = h + (3 + i) * (4 + i) / 2;
    for (int j = 0; j < 3; j++)
      row[j] = n[i] * sums->moment[j];
    for (int j = 0; j <= i; j++)
      row[3 + j] = sums->curvature * n[i] * n[j];
  }
}

static void finish(const struct dc_contact *contact, struct dc_pair *pair, const struct sums *sums, double least,
                   int order, struct dc_pair_derivatives *result)
{
  const double *n = contact->colliders[pair->b].normal;
  pair->visited = contact->colliders[pair->a].vertex_count;
  pair->crossing = !(least > 0);
  pair->gap = pair->crossing ? 0 : least;
  result->energy = pair->crossing ? INFINITY : sums->energy;
  if (order < 1 || pair->crossing)
    return;
  dc_vec_copy(result->gradient, sums->torque);
  dc_vec_scale(result->gradient + 3, n, sums->slope);
  if (order > 1)
    fill_hessian(sums, n, result->hessian);
}

void dc_half_space_pair(const struct dc_contact *contact, struct dc_pair *pair, const struct dc_pose *pose_a, int order,
                        struct dc_pair_derivatives *result)
{
  const struct dc_collider *a = &contact->colliders[pair->a], *b = &contact->colliders[pair->b];
  const double *n = b->normal;
  double base = dc_vec_dot(n, pose_a->position) - b->height, least = INFINITY, strength = 12 * contact->settings.length;
  struct sums sums = {0};
  for (int v = 0; v < a->vertex_count; v++) {
    double height = base + dc_vec_dot(n, a->turned[v]), energy = strength * a->vertex_weight[v] / height;
    double slope = -energy / height;
    least = height < least ? height : least;
    add_vertex(&sums, a->turned[v], n, energy, slope, -2 * slope / height);
  }
  finish(contact, pair, &sums, least, order, result);
}

void dc_half_space_barrier(const struct dc_contact *contact, struct dc_pair *pair, const struct dc_pose *pose_a,
                           int order, struct dc_pair_derivatives *result)
{
  const struct dc_collider *a = &contact->colliders[pair->a], *b = &contact->colliders[pair->b];
  const double *n = b->normal;
  double base = dc_vec_dot(n, pose_a->position) - b->height, least = INFINITY;
  struct sums sums = {0};
  for (int v = 0; v < a->vertex_count; v++) {
    double height = base + dc_vec_dot(n, a->turned[v]), barrier[3];
    least = height < least ? height : least;
    if (!(height < contact->settings.dhat) || !(height > 0))
      continue;
    dc_ipc_barrier(height, contact->settings.dhat, barrier);
    add_vertex(&sums, a->turned[v], n, barrier[0], barrier[1], barrier[2]);
  }
  finish(contact, pair, &sums, least, order, result);
}
