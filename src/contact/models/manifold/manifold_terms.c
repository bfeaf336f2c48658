// SPDX-License-Identifier: Apache-2.0
// The sums of the contact model manifold (docs/theory.md, "Contact manifolds", "As a contact model").
//
// A vertex v with weight w_v at the signed distance d of the other body has the energy 6 l w_v psi(d), psi near 1/d
// outside; of both bodies' vertices it adds up to that of a half-space.  For a twist (w, t) of body a about c_a, r the
// arm of the vertex,
//     x = exp([w]x) r + t            vertices of a in the field of b,
//     y = exp(-[w]x) (r - t)         vertices of b in the field of a, which stands still then,
// with gradient g and Hessian H of the field, both in world axes, and z = (r x g; g), J = [-[r]x, I],
//     d_xi = z, -z,     d_xixi = J^T H J + rotation block (g r^T + r g^T)/2 - (g.r) I,   and [g]x in (t, w) for b's.
#include <math.h>
#include <string.h>

#include "contact/models/manifold/manifold_state.h"
#include "math/rotation.h"
#include "math/vector.h"

// Signed distance of a body at a point, with its gradient and Hessian turned to the world: R H R^T.
void dc_level_at(const struct dc_sdf *sdf, const double rotation[9], const double arm[3], int order,
                 struct dc_level *level)
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
static double bend_of(const struct dc_level *level, const double r[3], bool mirrored, double (*jacobian)[3], int i,
                      int j)
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

// p: the energy of the vertex and its derivatives by the distance
static void add_vertex(const struct dc_level *level, const double r[3], bool mirrored, const double p[3], int order,
                       struct dc_pair_derivatives *result)
{
  double slope = p[1], curvature = p[2], z[6], jacobian[6][3] = {{0}};
  result->energy += p[0];
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

// Adds the potential of one body's vertices in the level set of the other; side 1: vertices of body b in the level set
// of a.
void dc_manifold_add_vertices(const struct dc_contact *contact, int p, int side, const struct dc_pose *poses, int order,
                              struct dc_pair_derivatives *result)
{
  const struct dc_pair *pair = &contact->pairs[p];
  int own = side ? pair->b : pair->a, other = side ? pair->a : pair->b;
  const struct dc_collider *collider = &contact->colliders[own];
  const struct dc_manifold_model_body *body = &dc_manifold_model_of(contact)->bodies[other];
  for (int v = 0; v < collider->vertex_count; v++) {
    double about_a[3], about_other[3], potential[3], towards = side ? -1 : 1;
    for (int k = 0; k < 3; k++) {
      about_other[k] = collider->turned[v][k] + towards * result->arm[k];
      about_a[k] = side ? about_other[k] : collider->turned[v][k];
    }
    if (!(collider->vertex_weight[v] > 0))
      continue;
    struct dc_level level = {0};
    dc_level_at(&body->level, poses[other].rotation, about_other, order, &level);
    dc_manifold_potential(level.distance, body->softness, potential);
    dc_vec_scale(potential, potential, 6 * contact->settings.length * collider->vertex_weight[v]);
    add_vertex(&level, about_a, side, potential, order, result);
  }
}

// Energy of the pairs of edges and, for order 1, its gradient by the twist of body a and by the parameters of level
// sets.
static double sum_edges(const struct dc_manifold_model_pair *own, double strength, const struct dc_pose poses[2],
                        int order, double gradient[6], double *const parameters[2])
{
  double energy = 0, twists[2][6] = {{0}};
  dc_manifold_evaluate(own->edges, poses, own->contacts);
  int first = dc_manifold_vertex_contacts(own->edges), count = dc_manifold_count(own->edges);
  for (int i = first; i < count; i++) {
    const struct dc_manifold_contact *c = &own->contacts[i];
    double potential[3];
    dc_manifold_potential(c->distance, own->softness[1 - c->body], potential);
    energy += c->activity * strength * potential[0];
    own->by[i].activity = strength * potential[0];
    own->by[i].distance = c->activity * strength * potential[1];
  }
  if (order > 0)
    dc_manifold_pull_back(own->edges, own->by, twists, parameters);
  memcpy(gradient, twists[0], sizeof twists[0]);
  return energy;
}

// Turns a pose about its own origin.
static void turn_by(struct dc_pose *pose, const double turn[3])
{
  double q[4], r[9], before[9];
  memcpy(before, pose->rotation, sizeof before);
  dc_rotation_exp(q, turn);
  dc_rotation_matrix(r, q);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      pose->rotation[3 * i + j] = r[3 * i] * before[j] + r[3 * i + 1] * before[3 + j] + r[3 * i + 2] * before[6 + j];
}

// The Hessian by differences of fourth order of the exact gradient.  In the chart of the twist its rows are those of
// the gradients at moved poses but for a part of the turns that is antisymmetric: the symmetric part is the Hessian.
// STEP is in units of the least length over which terms vary.  Hessians of tests/contact/test_manifold_model agree with
// differences of gradients along other twists within 1.6e-7; with a step of 5e-4 within 2.1e-5, of 2e-5 within 1.1e-8.
static const double STEP = 1e-4;
static const double places[4] = {-2, -1, 1, 2}, weights[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};

// Moves a by steps along coordinate k of its twist; returns the step, m or rad.
static double move_along(const struct dc_manifold_model_pair *own, const struct dc_pose poses[2], double radius, int k,
                         double steps, struct dc_pose moved[2])
{
  double h = k < 3 ? STEP * own->core / radius : STEP * own->core, turn[3] = {0, 0, 0};
  moved[0] = poses[0];
  moved[1] = poses[1];
  if (k < 3) {
    turn[k] = steps * h;
    turn_by(&moved[0], turn);
  } else {
    moved[0].position[k - 3] += steps * h;
  }
  return h;
}

// Hessian of the edges' energy by differences of its exact gradient: four places per coordinate, to fourth order, then
// the symmetric part.
static void add_edge_hessian(const struct dc_manifold_model_pair *own, double strength, const struct dc_pose poses[2],
                             double radius, struct dc_pair_derivatives *result)
{
  double rows[6][6] = {{0}};
  for (int k = 0; k < 6; k++)
    for (int n = 0; n < 4; n++) {
      struct dc_pose moved[2];
      double gradient[6], h = move_along(own, poses, radius, k, places[n], moved);
      sum_edges(own, strength, moved, 1, gradient, NULL);
      for (int j = 0; j < 6; j++)
        rows[k][j] += weights[n] / h * gradient[j];
    }
  for (int i = 0, e = 0; i < 6; i++)
    for (int j = 0; j <= i; j++, e++)
      result->hessian[e] += 0.5 * (rows[i][j] + rows[j][i]);
}

double dc_manifold_edge_strength(const struct dc_contact *contact)
{
  return 6 * contact->settings.length / (double)contact->settings.edges;
}

// About the centre of a, so that distances do not lose digits to places; arm: from the centre of b to that of a.
static void place_near(const struct dc_contact *contact, int p, const struct dc_pose *poses, const double arm[3],
                       struct dc_pose near[2])
{
  near[0] = poses[contact->pairs[p].a];
  near[1] = poses[contact->pairs[p].b];
  for (int k = 0; k < 3; k++) {
    near[0].position[k] = 0;
    near[1].position[k] = -arm[k];
  }
}

// Contact points of a pair at other poses. Both poses are taken relative to the second body first, as in an
// evaluation, so that bits are the same.
int dc_manifold_edges_at(const struct dc_contact *contact, int p, const struct dc_pose *poses, double arm[3],
                         int *first)
{
  const struct dc_manifold_model_pair *own = &dc_manifold_model_of(contact)->pairs[p];
  struct dc_pose near[2];
  if (!own->edges)
    return *first = 0;
  dc_vec_sub(arm, poses[contact->pairs[p].a].position, poses[contact->pairs[p].b].position);
  place_near(contact, p, poses, arm, near);
  dc_manifold_evaluate(own->edges, near, own->contacts);
  *first = dc_manifold_vertex_contacts(own->edges);
  return dc_manifold_count(own->edges);
}

// Adds what the contact points of edges give to energy, gradient and Hessian.
void dc_manifold_add_edges(struct dc_contact *contact, int p, const struct dc_pose *poses, int order,
                           struct dc_pair_derivatives *result)
{
  const struct dc_pair *pair = &contact->pairs[p];
  const struct dc_manifold_model_pair *own = &dc_manifold_model_of(contact)->pairs[p];
  if (!own->edges)
    return;
  struct dc_pose near[2];
  double gradient[6], strength = dc_manifold_edge_strength(contact);
  place_near(contact, p, poses, result->arm, near);
  result->energy += sum_edges(own, strength, near, order, gradient, NULL);
  for (int k = 0; k < 6 && order > 0; k++)
    result->gradient[k] += gradient[k];
  if (order > 1)
    add_edge_hessian(own, strength, near, contact->colliders[pair->a].radius, result);
}

// Adds the derivatives of the last sum_edges by the parameters of level sets, which become zeros, and by vertices.
static void add_by(const struct dc_contact *contact, int p, double weight, double *const parameters[2],
                   const struct dc_manifold_rates_by *by)
{
  const struct dc_manifold_model *model = dc_manifold_model_of(contact);
  for (int x = 0; x < 2; x++) {
    int body = x ? contact->pairs[p].b : contact->pairs[p].a;
    int count = parameters[x] ? dc_sdf_parameter_count(&model->bodies[body].level) : 0;
    for (int i = 0; i < count; i++) {
      by->level[x][i] += weight * parameters[x][i];
      parameters[x][i] = 0;
    }
    for (int v = 0; by->vertices[x] && v < contact->colliders[body].vertex_count; v++) {
      double by_vertex[3];
      dc_manifold_by_vertex(model->pairs[p].edges, x, v, by_vertex);
      dc_vec_add_scaled(by->vertices[x][v], by->vertices[x][v], weight, by_vertex);
    }
  }
}

// By the same differences of the exact derivatives as the Hessian, along the twist of a against b: of what is in the
// bodies' axes nothing depends on the frame.  Coordinate by coordinate, so that rates are linear in the twists.
void dc_manifold_edge_rates(const struct dc_contact *contact, int p, const struct dc_pose *poses,
                            const double (*twists)[6], double scale, const struct dc_manifold_rates_by *by)
{
  const struct dc_pair *pair = &contact->pairs[p];
  const struct dc_manifold_model_pair *own = &dc_manifold_model_of(contact)->pairs[p];
  struct dc_pose near[2], moved[2];
  double arm[3], twist[6], swept[3], gradient[6], *parameters[2], strength = dc_manifold_edge_strength(contact);
  dc_vec_sub(arm, poses[pair->a].position, poses[pair->b].position);
  place_near(contact, p, poses, arm, near);
  for (int k = 0; k < 6; k++)
    twist[k] = twists[pair->a][k] - twists[pair->b][k];
  dc_vec_cross(swept, twists[pair->b], arm);
  dc_vec_sub(twist + 3, twist + 3, swept);
  for (int x = 0; x < 2; x++)
    parameters[x] = by->level[x] ? own->by_parameters[x] : NULL;
  for (int k = 0; k < 6; k++)
    for (int n = 0; n < 4 && twist[k] != 0; n++) {
      double h = move_along(own, near, contact->colliders[pair->a].radius, k, places[n], moved);
      sum_edges(own, strength, moved, 1, gradient, parameters);
      add_by(contact, p, scale * twist[k] * weights[n] / h, parameters, by);
    }
}
