// SPDX-License-Identifier: Apache-2.0
// Rates of the contact model manifold by the vertices of its bodies, for designs (docs/theory.md, "Contact manifolds",
// "Designs").
//
// A vertex y of body s (in its axes) is at x in the axes of body o and has the energy K psi(phi) in its field.  With g
// and H of phi, and v the motion of the vertex against o in its axes, its rate along twists of both is
//     G = K psi' g.v,     by x  K (psi'' (g.v) g + psi' H v) =: f,     by v  K psi' g =: u,
//     by y     R_s^T (R_o f + (w_o - w_s) x R_o u),
//     by a parameter of phi   that of K psi'' (g.v) phi + K psi' v.g  at fixed x,
// and f is the derivative of the latter by x: dc_sdf_pull_back gives both.  Parameters go on to the vertices of o,
// which its level set follows (geometry/shapes/shape_follow.h).  Walls are those of sdrs.
#include <string.h>

#include "contact/models/manifold/manifold_state.h"
#include "contact/common/points.h"
#include "math/vector.h"

static int add_pair(struct dc_points *points)
{
  if (!points->contact->colliders[points->pair->b].primitive.type)
    return dc_sdrs_points.add_pair(points);
  dc_points_add_primitive_pair(points, dc_primitive_far_barrier);
  return 0;
}

void dc_manifold_take_level(const struct dc_contact *contact, int body, double (*points)[3])
{
  const struct dc_manifold_model_body *own = &dc_manifold_model_of(contact)->bodies[body];
  if (!own->follower)
    return;
  if (points)
    dc_shape_follower_pull_back(own->follower, own->by_level, points);
  memset(own->by_level, 0, (size_t)dc_sdf_parameter_count(&own->level) * sizeof *own->by_level);
}

// Vertices of side 0 (a) or 1 (b) of a pair.
static void add_vertices(const struct dc_contact *contact, const struct dc_pair *pair, int side,
                         const struct dc_pose *poses, const double (*twists)[6], double scale,
                         const struct dc_manifold_rates_by *by)
{
  int own = side ? pair->b : pair->a, other = side ? pair->a : pair->b;
  const struct dc_collider *collider = &contact->colliders[own];
  const struct dc_manifold_model_body *body = &dc_manifold_model_of(contact)->bodies[other];
  double away[3], turn[3];
  dc_vec_sub(away, poses[own].position, poses[other].position);
  dc_vec_sub(turn, twists[other], twists[own]);
  for (int v = 0; v < collider->vertex_count; v++) {
    double r[3], about[3], part[3], velocity[3], x[3], local[3], g[3], p[3], u[3], f[3] = {0, 0, 0}, force[3], sum[3];
    double strength = 6 * contact->settings.length * collider->vertex_weight[v] * scale;
    if (!(collider->vertex_weight[v] > 0))
      continue;
    dc_mat_apply(r, poses[own].rotation, collider->vertices[v]);
    dc_vec_add(about, r, away);
    dc_vec_cross(velocity, twists[own], r);
    dc_vec_cross(part, twists[other], about);
    for (int k = 0; k < 3; k++)
      velocity[k] += twists[own][3 + k] - twists[other][3 + k] - part[k];
    dc_mat_apply_transposed(x, poses[other].rotation, about);
    dc_mat_apply_transposed(local, poses[other].rotation, velocity);
    dc_manifold_potential(dc_sdf_value(&body->level, x, g), body->softness, p);
    dc_vec_scale(u, local, strength * p[1]);
    dc_sdf_pull_back(&body->level, x, strength * p[2] * dc_vec_dot(g, local), u, f, by->level[1 - side]);
    if (!by->vertices[side])
      continue;
    dc_mat_apply(sum, poses[other].rotation, f);
    dc_vec_scale(g, g, strength * p[1]);
    dc_mat_apply(force, poses[other].rotation, g);
    dc_vec_cross(part, turn, force);
    dc_vec_add(sum, sum, part);
    dc_mat_apply_transposed(local, poses[own].rotation, sum);
    dc_vec_add(by->vertices[side][v], by->vertices[side][v], local);
  }
}

static bool moves(const double *twist)
{
  static const double still[6] = {0};
  return memcmp(twist, still, sizeof still) != 0;
}

// Rates of walls by products, then those of vertices and edges in level sets.
static int rates(struct dc_contact *contact, const struct dc_pose *poses, const double (*twists)[6], double scale,
                 double (*const *by_point)[3])
{
  const struct dc_manifold_model *model = dc_manifold_model_of(contact);
  struct dc_error error = {0};
  if (dc_points_rates_of_products(contact, poses, twists, scale, by_point, &error))
    return -1;
  for (int p = 0; p < contact->pair_count; p++) {
    const struct dc_pair *pair = &contact->pairs[p];
    const int bodies[2] = {pair->a, pair->b};
    struct dc_manifold_rates_by by = {{NULL, NULL}, {NULL, NULL}};
    for (int x = 0; x < 2; x++)
      if (by_point[bodies[x]]) {
        by.level[x] = model->bodies[bodies[x]].by_level;
        by.vertices[x] = by_point[bodies[x]];
      }
    if (contact->colliders[pair->b].primitive.type || !(by.vertices[0] || by.vertices[1]) ||
        !(moves(twists[pair->a]) || moves(twists[pair->b])))
      continue;
    for (int side = 0; side < 2; side++)
      if (by.vertices[side] || by.level[1 - side])
        add_vertices(contact, pair, side, poses, twists, scale, &by);
    if (model->pairs[p].edges)
      dc_manifold_edge_rates(contact, p, poses, twists, scale, &by);
  }
  for (int i = 0; i < contact->bodies->count; i++)
    dc_manifold_take_level(contact, i, by_point[i]);
  return 0;
}

const struct dc_point_methods dc_manifold_points = {
    .rates_only = true, .count = dc_points_of_mesh, .places = dc_places_of_mesh, .add_pair = add_pair, .rates = rates};
