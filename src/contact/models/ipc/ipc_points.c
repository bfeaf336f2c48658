// SPDX-License-Identifier: Apache-2.0
// The potential of ipc and ipc-global by the vertices of the meshes (docs/theory.md, "Points").
//
// A pair of primitives adds E = w m(c) p(D), D the square of its distance, c = |n|^2, n = e x f of two edges, m = 1 of
// a point and a triangle; w and the threshold of m stay. With gradients D_x, c_x by the vertices and velocities x'
//     E_x = w (m p' D_x + m' p c_x),
//     rate:  w ((m' c' p' + m p'' D') D_x + m p' (D_x)' + (m'' c' p + m' p' D') c_x + m' p (c_x)').
// D' = 2 r.(sum_v w_v x_v') at fixed weights (the parameters make D least); the gradient of that by x is (D_x)', with
// cotangents 2 sum_v w_v x_v' of r and 2 r.x_v' of the weights.
#include <math.h>
#include <string.h>

#include "contact/barrier/clamped.h"
#include "contact/models/ipc/ipc_state.h"
#include "contact/common/points.h"

// The vertices of a pair of primitives: velocities, D_x and c_x, and their rates.
struct corners {
  double velocity[4][3], d[4][3], d_rate[4][3], c[4][3], c_rate[4][3];
  double d_change, c_change;  // D', c'
};

static void distance_derivatives(const struct dc_ipc_primitive *primitive, bool rates, struct corners *s)
{
  const struct dc_closest *closest = &primitive->closest;
  double by_r[3] = {0, 0, 0}, by_weight[4];
  for (int v = 0; v < 4; v++) {
    dc_vec_scale(s->d[v], closest->r, 2 * closest->weight[v]);
    dc_vec_add_scaled(by_r, by_r, 2 * closest->weight[v], s->velocity[v]);
    by_weight[v] = 2 * dc_vec_dot(closest->r, s->velocity[v]);
  }
  s->d_change = dc_vec_dot(closest->r, by_r);
  if (rates)
    dc_closest_pull_back(closest, (const double(*)[3])primitive->x, by_r, by_weight, s->d_rate);
}

// to = 2 (a x b) on an edge's end and minus that on its start
static void put_on_edge(const double a[3], const double b[3], double (*to)[3])
{
  double turned[3];
  dc_vec_cross(turned, a, b);
  dc_vec_add_scaled(to[0], to[0], -2, turned);
  dc_vec_add_scaled(to[1], to[1], 2, turned);
}

// c_e = 2 f x n, c_f = 2 n x e
static void parallel_derivatives(const struct dc_ipc_primitive *primitive, struct corners *s)
{
  double e[3], f[3], n[3], e_rate[3], f_rate[3], n_rate[3], other[3];
  dc_vec_sub(e, primitive->x[1], primitive->x[0]);
  dc_vec_sub(f, primitive->x[3], primitive->x[2]);
  dc_vec_cross(n, e, f);
  dc_vec_sub(e_rate, s->velocity[1], s->velocity[0]);
  dc_vec_sub(f_rate, s->velocity[3], s->velocity[2]);
  dc_vec_cross(n_rate, e_rate, f);
  dc_vec_cross(other, e, f_rate);
  dc_vec_add(n_rate, n_rate, other);
  put_on_edge(f, n, s->c);
  put_on_edge(n, e, s->c + 2);
  put_on_edge(f_rate, n, s->c_rate);
  put_on_edge(f, n_rate, s->c_rate);
  put_on_edge(n_rate, e, s->c_rate + 2);
  put_on_edge(n, e_rate, s->c_rate + 2);
  s->c_change = 2 * dc_vec_dot(n, n_rate);
}

// Adds one primitive pair: forces on its vertices and, where products are wanted, the Hessian times their velocities.
static int add_primitive(struct dc_ipc_walk *walk, const struct dc_ipc_primitive *primitive)
{
  const struct dc_points *points = walk->context;
  double p[3], m[3] = {1, 0, 0}, w = primitive->weight;
  struct corners s;
  int body[4];
  if (sqrt(primitive->closest.square) > points->reach)
    return 0;
  memset(&s, 0, sizeof s);
  for (int v = 0; v < 4; v++) {
    body[v] = primitive->moving & 1u << v ? points->pair->a : points->pair->b;
    if (points->products)
      dc_points_velocity(points, body[v], primitive->vertex[v], s.velocity[v]);
  }
  if (primitive->kind == DC_IPC_EDGES)
    dc_clamped_mollifier(dc_ipc_parallel(primitive), primitive->threshold, m);
  dc_ipc_profile(points->contact, primitive->closest.square, p);
  distance_derivatives(primitive, points->products, &s);
  if (m[1] != 0 || m[2] != 0)
    parallel_derivatives(primitive, &s);
  for (int v = 0; v < 4; v++) {
    if (points->products) {
      double *to = points->products[body[v]][primitive->vertex[v]];
      dc_vec_add_scaled(to, to, w * (m[1] * s.c_change * p[1] + m[0] * p[2] * s.d_change), s.d[v]);
      dc_vec_add_scaled(to, to, w * m[0] * p[1], s.d_rate[v]);
      dc_vec_add_scaled(to, to, w * (m[2] * s.c_change * p[0] + m[1] * p[1] * s.d_change), s.c[v]);
      dc_vec_add_scaled(to, to, w * m[1] * p[0], s.c_rate[v]);
    }
    if (points->forces) {
      double *to = points->forces[body[v]][primitive->vertex[v]];
      dc_vec_add_scaled(to, to, -w * m[0] * p[1], s.d[v]);
      dc_vec_add_scaled(to, to, -w * m[1] * p[0], s.c[v]);
    }
  }
  return 0;
}

// The walk of an evaluation again, with another visitor: ipc keeps no list of its pairs.
static int add_pair(struct dc_points *points)
{
  const struct dc_contact *contact = points->contact;
  struct dc_ipc_walk walk;
  if (contact->colliders[points->pair->b].primitive.type) {
    dc_points_add_primitive_pair(points, dc_ipc_primitive_barrier(contact));
    return 0;
  }
  dc_ipc_walk_of(contact, (int)(points->pair - contact->pairs), points->arm, &walk);
  walk.reach = dc_ipc_of(contact)->global ? INFINITY : contact->settings.dhat;
  walk.visit = add_primitive;
  walk.context = points;
  return dc_ipc_walk(&walk);
}

const struct dc_point_methods dc_ipc_points = {
    .count = dc_points_of_mesh, .places = dc_places_of_mesh, .add_pair = add_pair};
