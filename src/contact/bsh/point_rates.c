// SPDX-License-Identifier: Apache-2.0
// How the rate of the potential of bsh and exact along twists of the bodies depends on the places of their vertices
// (docs/theory.md, "Points" and "Surfaces").
//
// Along twists the bodies of a pair move by q(x) = t + w x (x - c_a), seen from b.  With g = dE/dx of a term E and the
// weight W as in point_forces.c, the derivative of (W E)' by a place in its body's axes is R^T of
//     on b:  (W g)',      on a:  (W g)' - w x W g,
// where (W g)' = W' g + W (d2E/dx2) q with q = 0 on b: a term is evaluated in b's axes, in which the vertices of b
// stand still.  A term is a
// *triangle pair*, with m, h_v, s_v, S, P of docs/theory.md, "Triangle pairs", and
//     y_v = (1, b_1.(x_v - o), b_2.(x_v - o)),
//     g_v = w_i w_j P' f_v,   f_v = dS/dx_v = -s_v m/h_v^2,   S' = sum f_v.q_v
//     M eta = sum s_v/h_v^2 (0, b_1.q_v, b_2.q_v) - sum 2/h_v^3 (m.q_v) y_v,     m' = eta_1 b_1 + eta_2 b_2
//     h_v' = s_v (m.q_v + y_v.eta),   f_v' = s_v (2 h_v' m/h_v^3 - m'/h_v^2),
// or *radial*, U(r) of two nodes with e = (x_I - x_J)/r: g = U e, its rate U' e + U (q - r' e)/r with r' = e.q.
//
// Radii and spreads follow the vertices, too.  The derivatives of E' by inner = R_i + R_j of a blend and by the spreads
// s = sigma_i^2 + sigma_j^2, with phi a function of r/inner and C one of r^2 + s, for phi' = dphi/dr and C' = dC/dr:
//     phi_inner = -r/inner phi',   its rate -(phi' + r phi'') r'/inner,
//     of pairs without a far field, where phi is a function of r - inner:  -phi',   its rate -phi'' r',
//     C_s = C'/(2 r),   its rate (C'' - C'/r) r'/(2 r),
//     by inner  W' phi_inner (C - A) + W (phi_inner rate (C - A) + phi_inner (C' r' - A'))
//     by s      W' phi C_s + W (phi' r' C_s + phi C_s rate),   of a centred term with phi = 1.
//
// One pass: weights and their rates from the outermost blend inwards, then all terms, which add up the rates of the
// energies A below the blends, then the blends from the innermost outwards.  Sums are in world axes and are rotated
// into the bodies' axes once, at the end.
#include <math.h>
#include <string.h>

#include "contact/bsh/bsh_pair.h"
#include "contact/friction/plane_slip.h"
#include "contact/friction/triangle_friction.h"
#include "contact/common/points.h"

// A pair along twists, with rates [blend_count].  Vertices and nodes of either body gain sums; NULL: they are not
// wanted.
struct pair_rates {
  const struct dc_contact *contact;
  const struct bsh_pair *pair;
  const struct dc_collider *a, *b;
  double arm[3], w[3], t[3];
  struct dc_blend_rate *rates;
  struct dc_vertex_sum *vertices[2];
  struct dc_node_cotangent *nodes[2];
};

// q at a place about c_a.
static inline void velocity_at(const struct pair_rates *p, const double x[3], double q[3])
{
  dc_vec_cross(q, p->w, x);
  dc_vec_add(q, q, p->t);
}

// Adds a radial term between nodes i of a, at x about c_a, and j of b: U = u with U' = u_rate; along: r'.
static inline void add_radial(const struct pair_rates *p, int i, int j, const double x[3], const double e[3],
                              double inverse, double along, double u, double u_rate, double by_inner, double by_spread)
{
  double q[3], rate[3], stiff = u * inverse, straight = u_rate - stiff * along;
  velocity_at(p, x, q);
  for (int k = 0; k < 3; k++)
    rate[k] = straight * e[k] + stiff * q[k];
  if (p->nodes[0]) {
    struct dc_node_cotangent *node = &p->nodes[0][i];
    double turned[3];
    dc_vec_cross(turned, p->w, e);
    for (int k = 0; k < 3; k++)
      node->center[k] += rate[k] - u * turned[k];
    node->radius += by_inner;
    node->spread += by_spread;
  }
  if (p->nodes[1]) {
    struct dc_node_cotangent *node = &p->nodes[1][j];
    dc_vec_sub(node->center, node->center, rate);
    node->radius += by_inner;
    node->spread += by_spread;
  }
}

// Rate of a centred term and its derivatives by centres and spreads of both nodes.
static void add_centred(const struct pair_rates *p, const struct dc_node_term *term, double weight)
{
  const double *x = p->a->spheres[term->i];
  struct dc_blend_rate *above = &p->rates[term->blend];
  double e[3], q[3], first, second;
  for (int k = 0; k < 3; k++)
    e[k] = x[k] - p->b->spheres[term->j][k] + p->arm[k];
  double r = dc_vec_norm(e), inverse = 1 / r;
  dc_vec_scale(e, e, inverse);
  dc_centred_slopes(r, p->a->tree.spread[term->i] + p->b->tree.spread[term->j],
                    p->a->tree.weight[term->i] * p->b->tree.weight[term->j], p->contact->settings.length, &first,
                    &second);
  velocity_at(p, x, q);
  double along = dc_vec_dot(e, q), u = weight * first, u_rate = weight * second * along + above->weight * first;
  above->energy += first * along;
  add_radial(p, term->i, term->j, x, e, inverse, along, u, u_rate, 0, 0.5 * inverse * (u_rate - u * inverse * along));
}

// Rates of the weights, and r' of the blends' nodes.
static void begin_blends(const struct pair_rates *p)
{
  const struct bsh_pair *pair = p->pair;
  p->rates[0] = (struct dc_blend_rate){0};
  for (size_t k = 1; k < pair->blend_count; k++) {
    const struct dc_blend_batch *batch = &pair->blend_batches[(k - 1) / DC_BATCH];
    size_t l = (k - 1) % DC_BATCH, above = (size_t)pair->blends[k].blend;
    double along = 0;
    for (int i = 0; i < 3; i++)
      along += batch->direction[i][l] * p->w[i] + batch->direction[3 + i][l] * p->t[i];
    p->rates[k] = (struct dc_blend_rate){.along = along,
                                         .weight = (1 - batch->phi[0][l]) * p->rates[above].weight -
                                                   pair->weights[above] * batch->phi[1][l] * along};
  }
}

// The blend k with the rate of what lies below it, which is complete.
static void add_blend(const struct pair_rates *p, size_t k)
{
  const struct bsh_pair *pair = p->pair;
  const struct dc_blend_batch *batch = &pair->blend_batches[(k - 1) / DC_BATCH];
  const struct dc_node_term *nodes = &pair->blends[k];
  size_t l = (k - 1) % DC_BATCH;
  struct dc_blend_rate *above = &p->rates[nodes->blend];
  double e[3], x[3], phi[3], c[3];
  for (int i = 0; i < 3; i++) {
    e[i] = batch->direction[3 + i][l];
    x[i] = batch->center_a[i][l];
    phi[i] = batch->phi[i][l];
    c[i] = batch->centred[i][l];
  }
  double inverse = batch->inverse[l], r = 1 / inverse, along = p->rates[k].along, below = p->rates[k].energy;
  double weight = pair->weights[nodes->blend], excess = c[0] - pair->sums[k].energy;
  double slope = phi[1] * excess + phi[0] * c[1];
  above->energy += (1 - phi[0]) * below + slope * along;
  double u_rate =
      above->weight * slope + weight * ((phi[2] * excess + 2 * phi[1] * c[1] + phi[0] * c[2]) * along - phi[1] * below);
  double phi_inner = -phi[1], phi_inner_rate = -phi[2] * along;  // phi is a function of r - inner
  if (!pair->face->near_only) {
    double by_inner = 1 / (p->a->tree.radius[nodes->i] + p->b->tree.radius[nodes->j]);
    phi_inner *= r * by_inner;
    phi_inner_rate = -(phi[1] + r * phi[2]) * by_inner * along;
  }
  double inner =
      (above->weight * phi_inner + weight * phi_inner_rate) * excess + weight * phi_inner * (c[1] * along - below);
  double spread = 0.5 * inverse *
                  (above->weight * phi[0] * c[1] + weight * along * (phi[1] * c[1] + phi[0] * (c[2] - c[1] * inverse)));
  add_radial(p, nodes->i, nodes->j, x, e, inverse, along, weight * slope, u_rate, inner, spread);
}

// One lane of triangles, as friction_setup leaves it with strength 1.
struct triangles {
  double axes[9], distance[6], inverse[6], weights[6];  // weights: s_v / h_v^2
  struct dc_plane_vertex vertex[6];                     // place; of a velocity in the axes of the plane
  double w[3], sum, sum_rate;                           // w in these axes; S, S'
};

// Reads the triangle pair of one lane: places in the plane, distances, and their rates along the twists.
static void read_lane(const struct pair_rates *p, const struct dc_friction_batch *batch, int l, struct triangles *t)
{
  double first[3], q[3];
  for (int i = 0; i < 9; i++)
    t->axes[i] = batch->axes[i][l];
  t->sum = t->sum_rate = 0;
  for (int v = 0; v < 6; v++) {
    double inverse = 1 / batch->distances[v][l], *place = t->vertex[v].place;
    t->distance[v] = batch->distances[v][l];
    t->inverse[v] = inverse;
    t->weights[v] = dc_triangle_side(v) * inverse * inverse;
    t->sum += inverse;
    place[0] = batch->levers[2 * v][l];
    place[1] = batch->levers[2 * v + 1][l];
    place[2] = dc_triangle_side(v) * t->distance[v];
  }
  for (int k = 0; k < 3; k++)
    first[k] = batch->arms[k][l];
  velocity_at(p, first, q);
  dc_mat_apply(t->w, t->axes, p->w);
  dc_mat_apply(t->vertex[0].velocity, t->axes, q);
  for (int v = 0; v < 3; v++) {  // of the others by how they lie about the first
    double *velocity = t->vertex[v].velocity, lever[3];
    if (v > 0) {
      dc_vec_sub(lever, t->vertex[v].place, t->vertex[0].place);
      dc_vec_cross(velocity, t->w, lever);
      dc_vec_add(velocity, velocity, t->vertex[0].velocity);
    }
    t->sum_rate -= t->weights[v] * velocity[2];
  }
}

// eta of the equation at the head of this file.
static void answer_of(const struct triangles *t, double eta[3])
{
  eta[0] = eta[1] = eta[2] = 0;
  for (int v = 0; v < 3; v++) {
    const double *q = t->vertex[v].velocity, *place = t->vertex[v].place;
    double cube = 2 * t->weights[v] * t->inverse[v] * q[2];
    eta[0] -= cube;
    eta[1] += t->weights[v] * q[0] - cube * place[0];
    eta[2] += t->weights[v] * q[1] - cube * place[1];
  }
  double least = dc_triangle_solve_plane(t->distance, t->vertex, eta);
  dc_vec_scale(eta, eta, least * least * least);
}

// size: w_i w_j
static void add_triangles(const struct pair_rates *p, const struct dc_term *term, const struct triangles *t,
                          double size)
{
  const int *corners[2] = {p->a->triangles[term->i], p->b->triangles[term->j]};
  double slope, curvature, eta[3];
  dc_triangle_slopes(t->sum, size, p->contact->settings.length, &slope, &curvature);
  double weight = p->pair->weights[term->blend] * slope;
  struct dc_blend_rate *above = &p->rates[term->blend];
  above->energy += slope * t->sum_rate;
  double rate = p->pair->weights[term->blend] * curvature * t->sum_rate + above->weight * slope;
  answer_of(t, eta);
  for (int v = 0; v < 6; v++) {
    const double *place = t->vertex[v].place;
    struct dc_vertex_sum *sums = p->vertices[v / 3];
    double force = weight * t->weights[v], local[3], world[3];
    if (!sums)
      continue;
    double height_rate = (v < 3 ? t->vertex[v].velocity[2] : 0) + eta[0] + place[0] * eta[1] + place[1] * eta[2];
    local[0] = -force * (eta[1] - (v < 3 ? t->w[1] : 0));  // -w x g, g = -force m
    local[1] = -force * (eta[2] + (v < 3 ? t->w[0] : 0));
    local[2] = 2 * dc_triangle_side(v) * force * height_rate * t->inverse[v] - t->weights[v] * rate;
    dc_mat_apply_transposed(world, t->axes, local);
    double *sum = sums[corners[v / 3][v % 3]].force;
    dc_vec_add(sum, sum, world);
  }
}

// Near terms in batches of eight, by the lanes that friction uses: they hold places, planes and forces, which are all
// that the rates want.
static void add_all_triangles(const struct pair_rates *p, const struct dc_pose *poses)
{
  const struct bsh_pair *pair = p->pair;
  const struct dc_friction_place place = dc_triangle_place(p->contact, pair->face, poses);
  for (size_t first = 0; first < pair->now.count; first += DC_BATCH) {
    struct dc_friction_batch batch;
    int count = dc_triangle_fill_batch(p->contact, pair->face, first, &place, &batch);
    for (int l = 0; l < count; l++) {
      const struct dc_term *term = &pair->now.terms[first + (size_t)l];
      struct triangles t;
      read_lane(p, &batch, l, &t);
      add_triangles(p, term, &t, p->a->leaf_weight[term->i] * p->b->leaf_weight[term->j]);
    }
  }
}

// Vertices above a primitive, which stands still: g = b' n.
static void add_primitive(const struct pair_rates *p, const struct dc_pose *pose_a)
{
  struct dc_primitive seen = dc_primitive_about(&p->b->primitive, pose_a);
  struct dc_primitive_points mesh = {p->contact, p->a, (const double(*)[3])p->a->turned, p->a->vertex_count, NULL};
  for (int v = 0; v < p->a->vertex_count && p->vertices[0]; v++) {
    double normal[3], gap = dc_primitive_gap(&seen, p->a->turned[v], normal), value[1][3], q[3], turned[3];
    dc_primitive_far_barrier(&mesh, v, 1, &gap, value);
    velocity_at(p, p->a->turned[v], q);
    dc_vec_cross(turned, p->w, normal);
    double size = value[0][2] * dc_vec_dot(normal, q), *sum = p->vertices[0][v].force;
    for (int k = 0; k < 3; k++)
      sum[k] += size * normal[k] - value[0][1] * turned[k];
  }
}

// All terms of one pair, then the blends from the leaves to the roots.
static void add_pair(const struct pair_rates *p, const struct dc_pose *poses)
{
  static const struct dc_node_term roots = {.blend = 0};
  const struct bsh_pair *pair = p->pair;
  if (pair->apart)
    return;
  if (p->b->primitive.type) {
    add_primitive(p, &poses[pair->face->a]);
    return;
  }
  if (pair->far) {
    p->rates[0] = (struct dc_blend_rate){0};
    add_centred(p, &roots, 1);
    return;
  }
  begin_blends(p);
  add_all_triangles(p, poses);
  for (size_t t = 0; t < pair->centred_count; t++)
    add_centred(p, &pair->centred[t], pair->weights[pair->centred[t].blend]);
  for (size_t k = pair->blend_count - 1; k > 0; k--)
    add_blend(p, k);
}

// From sums in world axes, which become zeros, to vertices and nodes in the body's axes.
static void turn_sums(struct dc_collider *collider, const double *rotation, double scale, double (*points)[3])
{
  double local[3];
  for (int v = 0; v < collider->vertex_count; v++) {
    double *sum = collider->vertex_sums[v].force;
    if (sum[0] == 0 && sum[1] == 0 && sum[2] == 0)
      continue;
    dc_mat_apply_transposed(local, rotation, sum);
    dc_vec_add_scaled(points[v], points[v], scale, local);
    sum[0] = sum[1] = sum[2] = 0;
  }
  for (int i = 0; i < collider->tree.node_count; i++) {
    struct dc_node_cotangent *sum = &collider->node_sums[i], *node = &collider->by_node[i];
    if (sum->center[0] == 0 && sum->center[1] == 0 && sum->center[2] == 0 && sum->radius == 0 && sum->spread == 0)
      continue;
    dc_mat_apply_transposed(local, rotation, sum->center);
    dc_vec_add_scaled(node->center, node->center, scale, local);
    node->radius += scale * sum->radius;
    node->spread += scale * sum->spread;
    *sum = (struct dc_node_cotangent){.radius = 0};
  }
}

// The relative twist of a pair about the centre of a, and where the derivatives by its points go.
static struct pair_rates rates_of(struct dc_contact *contact, const struct bsh_pair *pair, const struct dc_pose *poses,
                                  const double (*twists)[6], double (*const *by_point)[3])
{
  struct dc_collider *sides[2] = {&contact->colliders[pair->face->a], &contact->colliders[pair->face->b]};
  struct pair_rates p = {
      .contact = contact, .pair = pair, .a = sides[0], .b = sides[1], .rates = dc_bsh_of(contact)->blend_rates};
  const double *twist_a = twists[pair->face->a], *twist_b = twists[pair->face->b];
  double turned[3];
  dc_vec_sub(p.arm, poses[pair->face->a].position, poses[pair->face->b].position);
  dc_vec_sub(p.w, twist_a, twist_b);
  dc_vec_cross(turned, twist_b, p.arm);
  for (int k = 0; k < 3; k++)
    p.t[k] = twist_a[3 + k] - twist_b[3 + k] - turned[k];
  for (int x = 0; x < 2; x++) {
    bool wanted = by_point[x ? pair->face->b : pair->face->a] && sides[x]->by_node;
    p.vertices[x] = wanted ? sides[x]->vertex_sums : NULL;
    p.nodes[x] = wanted ? sides[x]->node_sums : NULL;
  }
  return p;
}

// Derivatives of force rates by the points of bodies whose shape changes, pair by pair, then turned to the world and
// scaled.
int dc_bsh_point_rates(struct dc_contact *contact, const struct dc_pose *poses, const double (*twists)[6], double scale,
                       double (*const *by_point)[3])
{
  struct bsh *bsh = dc_bsh_of(contact);
  size_t blends = 1;
  for (int k = 0; k < contact->pair_count; k++)
    blends = bsh->pairs[k].blend_count > blends ? bsh->pairs[k].blend_count : blends;
  if (dc_grow(&bsh->blend_rates, &bsh->blend_rate_capacity, blends, sizeof *bsh->blend_rates))
    return -1;
  for (int k = 0; k < contact->pair_count; k++) {
    struct pair_rates p = rates_of(contact, &bsh->pairs[k], poses, twists, by_point);
    if (p.vertices[0] || p.vertices[1])
      add_pair(&p, poses);
  }
  for (int i = 0; i < contact->bodies->count; i++)
    if (by_point[i] && contact->colliders[i].by_node)
      turn_sums(&contact->colliders[i], poses[i].rotation, scale, by_point[i]);
  return 0;
}
