// SPDX-License-Identifier: Apache-2.0
// The sums of the contact model manifold (docs/theory.md, "Contact manifolds", "As a contact model").
//
// A vertex v with weight w_v at the signed distance d of the other body has the energy 6 l w_v/d; of both bodies' vertices
// it adds up to that of a half-space.  For a twist (w, t) of body a about c_a, r the arm of the vertex,
//     x = exp([w]x) r + t            vertices of a in the field of b,
//     y = exp(-[w]x) (r - t)         vertices of b in the field of a, which stands still then,
// with gradient g and Hessian H of the field, both in world axes, and z = (r x g; g), J = [-[r]x, I],
//     d_xi = z, -z,     d_xixi = J^T H J + rotation block (g r^T + r g^T)/2 - (g.r) I,   and [g]x in (t, w) for b's.
#include <math.h>
#include <string.h>

#include "contact/models/manifold_model.h"
#include "math/rotation.h"
#include "math/vector.h"

// A signed distance at a point, world axes.
struct level {
  double distance, g[3], h[9];
};

static void see_level(const struct dc_sdf *sdf, const double rotation[9], const double arm[3], int order,
                      struct level *level)
{
  double x[3], g[3], h[9], half[9];
  dc_mat_apply_transposed(x, rotation, arm);
  level->distance = dc_sdf_value(sdf, x, g);
  dc_mat_apply(level->g, rotation, g);
  if (order < 2)
    return;
  dc_sdf_hessian(sdf, x, h);
  for (int i = 0; i < 3; i++)  // rows of h are turned, then columns
    dc_mat_apply(half + 3 * i, rotation, h + 3 * i);
  for (int j = 0; j < 3; j++) {
    double column[3] = {half[j], half[3 + j], half[6 + j]}, turned[3];
    dc_mat_apply(turned, rotation, column);
    for (int i = 0; i < 3; i++)
      level->h[3 * i + j] = turned[i];
  }
}

// Second derivative of the distance along the coordinates i and j of the twist; jacobian: the columns of J.
static double bend_of(const struct level *level, const double r[3], bool mirrored, double (*jacobian)[3], int i, int j)
{
  double column[3];
  dc_mat_apply(column, level->h, jacobian[j]);
  double sum = dc_vec_dot(jacobian[i], column);
  if (i < 3)  // j <= i
    sum += 0.5 * (level->g[i] * r[j] + level->g[j] * r[i]) - (i == j ? dc_vec_dot(level->g, r) : 0);
  else if (j < 3 && mirrored && i - 3 != j) {
    int k = 3 - (i - 3) - j;  // [g]x(t, w)
    sum += (j - (i - 3) + 3) % 3 == 1 ? -level->g[k] : level->g[k];
  }
  return sum;
}

static void add_vertex(const struct level *level, const double r[3], bool mirrored, double strength, int order,
                       struct dc_pair_derivatives *result)
{
  double energy = strength / level->distance, slope = -energy / level->distance,
         curvature = -2 * slope / level->distance;
  double z[6], jacobian[6][3] = {{0}};
  result->energy += energy;
  if (order < 1)
    return;
  dc_vec_cross(z, r, level->g);
  dc_vec_copy(z + 3, level->g);
  for (int k = 0; k < 6; k++)
    result->gradient[k] += (mirrored ? -slope : slope) * z[k];
  if (order < 2)
    return;
  for (int k = 0; k < 3; k++) {
    dc_vec_cross(jacobian[k], (const double[3]){k == 0, k == 1, k == 2}, r);
    jacobian[3 + k][k] = 1;
  }
  for (int i = 0, e = 0; i < 6; i++)
    for (int j = 0; j <= i; j++, e++)
      result->hessian[e] += curvature * z[i] * z[j] + slope * bend_of(level, r, mirrored, jacobian, i, j);
}

bool dc_manifold_add_vertices(const struct dc_contact *contact, int p, int side, const struct dc_pose *poses, int order,
                              struct dc_pair_derivatives *result)
{
  const struct dc_pair *pair = &contact->pairs[p];
  int own = side ? pair->b : pair->a, other = side ? pair->a : pair->b;
  const struct dc_collider *collider = &contact->colliders[own];
  const struct dc_sdf *sdf = &dc_manifold_model_of(contact)->bodies[other].level;
  for (int v = 0; v < collider->vertex_count; v++) {
    double about_a[3], about_other[3], towards = side ? -1 : 1;
    for (int k = 0; k < 3; k++) {
      about_other[k] = collider->turned[v][k] + towards * result->arm[k];
      about_a[k] = side ? about_other[k] : collider->turned[v][k];
    }
    struct level level = {0};
    see_level(sdf, poses[other].rotation, about_other, order, &level);
    if (!(level.distance > 0))
      return false;
    double strength = 6 * contact->settings.length * collider->vertex_weight[v];
    if (collider->vertex_weight[v] > 0)
      add_vertex(&level, about_a, side, strength, order, result);
  }
  return true;
}

// Energy of the pairs of edges and, for order 1, its gradient by the twist of body a; INFINITY: something is not outside.
// *least: the least distance.
static double sum_edges(const struct dc_manifold_model_pair *own, double strength, const struct dc_pose poses[2],
                        int order, double gradient[6], double *least)
{
  int first = dc_manifold_vertex_contacts(own->edges), count = dc_manifold_count(own->edges);
  double energy = 0, twists[2][6] = {{0}};
  *least = INFINITY;
  dc_manifold_evaluate(own->edges, poses, own->contacts);
  for (int i = first; i < count; i++) {
    const struct dc_manifold_contact *c = &own->contacts[i];
    *least = fmin(*least, c->distance);
    if (!(c->distance > 0))
      return INFINITY;
    double potential = strength / c->distance;
    energy += c->activity * potential;
    own->by[i].activity = potential;
    own->by[i].distance = -c->activity * potential / c->distance;
  }
  if (order > 0)
    dc_manifold_pull_back(own->edges, own->by, twists, NULL);
  memcpy(gradient, twists[0], sizeof twists[0]);
  return energy;
}

// The Hessian by differences of fourth order of the exact gradient.  In the chart of the twist its rows are those of the
// gradients at moved poses but for a part of the turns that is antisymmetric: the symmetric part is the Hessian.
static const double STEP = 5e-4;        // of the least length of the softness, over several of which terms vary
static const double LEAST_STEP = 1e-9;  // of the core, for distances next to nothing

static bool add_edge_hessian(const struct dc_manifold_model_pair *own, double strength, const struct dc_pose poses[2],
                             double length, double radius, struct dc_pair_derivatives *result)
{
  static const double places[4] = {-2, -1, 1, 2}, weights[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
  double rows[6][6] = {{0}};
  for (int k = 0; k < 6; k++) {
    double h = k < 3 ? STEP * length / radius : STEP * length;
    for (int n = 0; n < 4; n++) {
      struct dc_pose moved[2] = {poses[0], poses[1]};
      double gradient[6], least;
      if (k < 3) {
        double turn[3] = {0, 0, 0}, q[4], r[9];
        turn[k] = places[n] * h;
        dc_rotation_exp(q, turn);
        dc_rotation_matrix(r, q);
        for (int i = 0; i < 3; i++)
          for (int j = 0; j < 3; j++)
            moved[0].rotation[3 * i + j] = r[3 * i] * poses[0].rotation[j] + r[3 * i + 1] * poses[0].rotation[3 + j] +
                                           r[3 * i + 2] * poses[0].rotation[6 + j];
      } else
        moved[0].position[k - 3] += places[n] * h;
      if (!isfinite(sum_edges(own, strength, moved, 1, gradient, &least)))
        return false;
      for (int j = 0; j < 6; j++)
        rows[k][j] += weights[n] / h * gradient[j];
    }
  }
  for (int i = 0, e = 0; i < 6; i++)
    for (int j = 0; j <= i; j++, e++)
      result->hessian[e] += 0.5 * (rows[i][j] + rows[j][i]);
  return true;
}

bool dc_manifold_add_edges(struct dc_contact *contact, int p, const struct dc_pose *poses, int order,
                           struct dc_pair_derivatives *result)
{
  const struct dc_pair *pair = &contact->pairs[p];
  const struct dc_manifold_model_pair *own = &dc_manifold_model_of(contact)->pairs[p];
  if (!own->edges)
    return true;
  // about the centre of a, so that distances do not lose digits to places
  struct dc_pose near[2] = {poses[pair->a], poses[pair->b]};
  for (int k = 0; k < 3; k++) {
    near[0].position[k] = 0;
    near[1].position[k] = -result->arm[k];
  }
  double gradient[6], least, strength = 6 * contact->settings.length / (double)contact->settings.edges;
  double energy = sum_edges(own, strength, near, order, gradient, &least);
  result->energy += energy;
  if (!isfinite(energy))
    return false;
  for (int k = 0; k < 6 && order > 0; k++)
    result->gradient[k] += gradient[k];
  if (order < 2)
    return true;
  double length = fmin(own->core, fmax(least, LEAST_STEP * own->core));
  return add_edge_hessian(own, strength, near, length, contact->colliders[pair->a].radius, result);
}
