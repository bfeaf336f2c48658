// SPDX-License-Identifier: Apache-2.0
// The potential by the points of the bodies, and that of bsh and exact by the vertices of their meshes (docs/theory.md,
// "Points").
//
// A term E of a pair counts with a weight W, the product of 1 - phi of the blends above it.  Its part of the gradient by
// the vertices is W dE/dx, of the product with velocities Wdot dE/dx + W (d2E/dx2) xdot.
// *Triangles*, with m, h_v, s_v, S, P of docs/theory.md, "Triangle pairs", and y_v = (1, b_1.(x_v - o), b_2.(x_v - o)):
//     f_v = dS/dx_v = -s_v m/h_v^2,   Sdot = sum f_v.xdot_v,   M eta = sum s_v/h_v^2 (0, b_1.xdot_v, b_2.xdot_v)
//                                                                      - sum 2/h_v^3 (m.xdot_v) y_v
//     mdot = eta_1 b_1 + eta_2 b_2,   hdot_v = s_v (m.xdot_v + y_v.eta),   fdot_v = s_v (2 hdot_v m/h_v^3 - mdot/h_v^2)
//     dE/dx_v = w_i w_j P' f_v,       its rate  w_i w_j (P'' Sdot f_v + P' fdot_v).
// *Centred terms and blends* are radial, U e at the centres of two nodes; rate Udot e + U (xdot - rdot e)/r.  The velocity of
// a centre is the weighted mean of those below it, its force is shared by the same weights.
// *Designs*: radii and spreads follow the vertices in the bodies' frames.  The derivatives of Edot, the rate of the pair's
// energy, by inner = R_i + R_j of a blend and by the spreads s = sigma_i^2 + sigma_j^2, with phi a function of r/inner and C
// one of r^2 + s:
//     phi_inner = -r/inner phi',   its rate -(phi' + r phi'') rdot/inner,   C_s = C'/(2 r),   its rate (C'' - C'/r) rdot/(2 r)
//     by inner  Wdot phi_inner (C - A) + W (phi_inner rate (C - A) + phi_inner (C' rdot - Adot))
//     by s      Wdot phi C_s + W (phi' rdot C_s + phi C_s rate),   of a centred term with phi = 1.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/friction/plane_slip.h"
#include "contact/models/points.h"
#include "contact/friction/triangle_friction.h"

static const double SQRT12 = 3.4641016151377545871;

static double rate_of(const double *rates, int blend)
{
  return rates ? rates[blend] : 0;
}

// Scale times a vector to node i of body a, and the opposite to node j of body b.
static void add_opposite(const struct dc_points *p, double (*const *nodes)[3], int i, int j, double scale,
                         const double vector[3])
{
  double *a = nodes[p->pair->a][i], *b = nodes[p->pair->b][j];
  dc_vec_add_scaled(a, a, scale, vector);
  dc_vec_add_scaled(b, b, -scale, vector);
}

// A radial term of nodes (i, j): adds U e and its rate, with Udot.
static void add_radial(const struct dc_points *p, int i, int j, const double e[3], double r, double u, double u_rate)
{
  if (p->forces)
    add_opposite(p, p->node_forces, i, j, -u, e);
  if (!p->products)
    return;
  double d[3], rate[3];
  dc_vec_sub(d, p->node_velocities[p->pair->a][i], p->node_velocities[p->pair->b][j]);
  double along = dc_vec_dot(e, d);
  for (int k = 0; k < 3; k++)
    rate[k] = u_rate * e[k] + u / r * (d[k] - along * e[k]);
  add_opposite(p, p->node_products, i, j, 1, rate);
}

// Of a design: what inner and s of a node pair gain.
static void add_sizes(const struct dc_points *p, int i, int j, double by_inner, double by_spread)
{
  struct dc_node_cotangent *sides[2] = {p->contact->colliders[p->pair->a].by_node,
                                        p->contact->colliders[p->pair->b].by_node};
  for (int x = 0; x < 2 && sides[0]; x++) {
    sides[x][x ? j : i].radius += p->scale * by_inner;
    sides[x][x ? j : i].spread += p->scale * by_spread;
  }
}

static double radial_rate(const struct dc_points *p, int i, int j, const double e[3])
{
  double d[3];
  dc_vec_sub(d, p->node_velocities[p->pair->a][i], p->node_velocities[p->pair->b][j]);
  return dc_vec_dot(e, d);
}

// A lower bound of the distance of the triangles of two nodes whose centres are r apart: that of their spheres, that of all
// triangles.
static double node_gap(const struct dc_points *p, const struct dc_node_term *nodes, double r)
{
  const struct dc_sphere_tree *a = &p->contact->colliders[p->pair->a].tree;
  const struct dc_sphere_tree *b = &p->contact->colliders[p->pair->b].tree;
  return fmax(r - a->radius[nodes->i] - b->radius[nodes->j], p->pair->gap);
}

// psi' and psi'' of a centred term at distance r of its centres, by r (docs/theory.md, "Centred terms").
static void centred_potential(double r, double spread, double scale, double length, double *first, double *second)
{
  double inverse = 1 / sqrt(r * r + spread), root = sqrt(length * inverse), ratio = r * inverse;
  double slope = -12 * (root + length * inverse) * inverse, square = inverse * inverse;
  *first = scale * slope * ratio;
  *second = scale * ((18 * root + 24 * length * inverse) * square * ratio * ratio + slope * spread * square * inverse);
}

// Of nodes (i, j), weighted by the blend they belong to: energy rate only, or all.
static void centred_term(const struct dc_points *p, const struct dc_node_term *term, double weight, bool rates)
{
  const struct dc_collider *a = &p->contact->colliders[p->pair->a], *b = &p->contact->colliders[p->pair->b];
  double e[3], first, second;
  for (int k = 0; k < 3; k++)
    e[k] = a->spheres[term->i][k] - b->spheres[term->j][k] + p->arm[k];
  double r = dc_vec_norm(e);
  if (node_gap(p, term, r) > p->reach)
    return;
  dc_vec_scale(e, e, 1 / r);
  centred_potential(r, a->tree.spread[term->i] + b->tree.spread[term->j],
                    a->tree.weight[term->i] * b->tree.weight[term->j], p->contact->settings.length, &first, &second);
  double r_rate = p->velocities ? radial_rate(p, term->i, term->j, e) : 0;
  if (rates) {
    p->energy_rates[term->blend] += first * r_rate;
    return;
  }
  double weight_rate = rate_of(p->weight_rates, term->blend);
  add_radial(p, term->i, term->j, e, r, weight * first, weight * second * r_rate + weight_rate * first);
  if (p->velocities)
    add_sizes(p, term->i, term->j, 0, (weight_rate * first + weight * (second - first / r) * r_rate) / (2 * r));
}

// One lane of triangles, as friction_setup leaves it with strength 1.
struct triangles {
  double distance[6], axes[9], scale;  // scale: w_i w_j
  struct dc_plane_vertex vertex[6];    // place; velocities in the axes of the plane
  double *force[6], *product[6];
  double sum, sum_rate, slope, curvature;  // S, Sdot, P', P''
};

static double side(int v)
{
  return v < 3 ? 1 : -1;
}

static void read_lane(const struct dc_points *p, const struct dc_friction_batch *batch, int l,
                      const struct dc_term *term, struct triangles *t)
{
  const struct dc_pair *pair = p->pair;
  const struct dc_collider *a = &p->contact->colliders[pair->a], *b = &p->contact->colliders[pair->b];
  t->scale = a->leaf_weight[term->i] * b->leaf_weight[term->j];
  t->sum = t->sum_rate = 0;
  for (int i = 0; i < 9; i++)
    t->axes[i] = batch->axes[i][l];
  for (int v = 0; v < 6; v++) {
    int body = v < 3 ? pair->a : pair->b, index = v < 3 ? a->triangles[term->i][v] : b->triangles[term->j][v - 3];
    double h = t->distance[v] = batch->distances[v][l], *velocity = t->vertex[v].velocity;
    t->vertex[v].place[0] = batch->levers[2 * v][l];
    t->vertex[v].place[1] = batch->levers[2 * v + 1][l];
    t->force[v] = p->forces ? p->forces[body][index] : NULL;
    t->product[v] = p->products ? p->products[body][index] : NULL;
    t->sum += 1 / h;
    if (!p->velocities)
      continue;
    dc_mat_apply(velocity, t->axes, p->velocities[body][index]);
    t->sum_rate -= side(v) / (h * h) * velocity[2];
  }
  double s = sqrt(p->contact->settings.length * t->sum);
  t->slope = p->contact->settings.length * (1 + SQRT12 / s);
  t->curvature = -0.5 * SQRT12 * s / (t->sum * t->sum);
}

static void triangle_forces(const struct triangles *t, double weight)
{
  for (int v = 0; v < 6; v++) {
    double size = weight * t->scale * t->slope * side(v) / (t->distance[v] * t->distance[v]);
    dc_vec_add_scaled(t->force[v], t->force[v], size, t->axes + 6);
  }
}

static void triangle_product(const struct triangles *t, double weight, double weight_rate)
{
  double eta[3] = {0, 0, 0}, u = t->scale * (weight * t->curvature * t->sum_rate + weight_rate * t->slope);
  for (int v = 0; v < 6; v++) {
    const double *x = t->vertex[v].velocity, *place = t->vertex[v].place, h = t->distance[v];
    double square = side(v) / (h * h), cube = 2 * x[2] / (h * h * h);
    eta[0] -= cube;
    eta[1] += square * x[0] - cube * place[0];
    eta[2] += square * x[1] - cube * place[1];
  }
  double least = dc_triangle_solve_plane(t->distance, t->vertex, eta);
  dc_vec_scale(eta, eta, least * least * least);
  for (int v = 0; v < 6; v++) {
    const double *place = t->vertex[v].place, h = t->distance[v];
    double h_rate = side(v) * (t->vertex[v].velocity[2] + eta[0] + place[0] * eta[1] + place[1] * eta[2]);
    double rate = side(v) * t->scale * weight * t->slope / (h * h), local[3], world[3];
    local[0] = -rate * eta[1];
    local[1] = -rate * eta[2];
    local[2] = 2 * rate * h_rate / h - side(v) * u / (h * h);
    dc_mat_apply_transposed(world, t->axes, local);
    dc_vec_add(t->product[v], t->product[v], world);
  }
}

// All triangle pairs: energy rates only, or all.
static void triangle_terms(const struct dc_points *p, bool rates)
{
  const struct dc_pair *pair = p->pair;
  struct dc_friction_place place = {.length = p->contact->settings.length};
  dc_vec_copy(place.arm, p->arm);
  memcpy(place.rotation_b, p->poses[pair->b].rotation, sizeof place.rotation_b);
  for (size_t first = 0; first < pair->exact_count; first += DC_BATCH) {
    struct dc_friction_batch batch;
    size_t count = pair->exact_count - first < DC_BATCH ? pair->exact_count - first : DC_BATCH;
    for (size_t l = 0; l < DC_BATCH; l++)
      dc_triangle_fill_lane(p->contact, pair, first + (l < count ? l : count - 1), 1, &batch, (int)l);
    p->contact->kernels->friction_setup(&batch, &place);
    for (size_t l = 0; l < count; l++) {
      const struct dc_term *term = &pair->exact[first + l];
      struct triangles t;
      if (pair->gaps[first + l] > p->reach)
        continue;
      read_lane(p, &batch, (int)l, term, &t);
      double weight = pair->sums[term->blend].weight;
      if (rates)
        p->energy_rates[term->blend] += t.scale * t.slope * t.sum_rate;
      if (!rates && p->forces)
        triangle_forces(&t, weight);
      if (!rates && p->products)
        triangle_product(&t, weight, rate_of(p->weight_rates, term->blend));
    }
  }
}

// Blend k, (1 - phi) A + phi C: e, the slope phi' (C - A) + phi C' by the distance, which A's terms leave out.
struct blend {
  const struct dc_node_term *nodes;
  double e[3], r, phi[3], c[3], excess, slope;
};

static struct blend blend_of(const struct dc_pair *pair, size_t k)
{
  const struct dc_blend_batch *batch = &pair->blend_batches[(k - 1) / DC_BATCH];
  size_t l = (k - 1) % DC_BATCH;
  struct blend blend = {.nodes = &pair->blends[k], .r = 1 / batch->inverse[l]};
  for (int i = 0; i < 3; i++) {
    blend.e[i] = batch->direction[3 + i][l];
    blend.phi[i] = batch->phi[i][l];
    blend.c[i] = batch->centred[i][l];
  }
  blend.excess = blend.c[0] - pair->sums[k].energy;
  blend.slope = blend.phi[1] * blend.excess + blend.phi[0] * blend.c[1];
  return blend;
}

// Rates of the energies below the blends, innermost first, and of the weights.
static void blend_rates(const struct dc_points *p)
{
  const struct dc_pair *pair = p->pair;
  memset(p->energy_rates, 0, pair->blend_count * sizeof *p->energy_rates);
  triangle_terms(p, true);
  for (size_t t = 0; t < pair->centred_count; t++)
    centred_term(p, &pair->centred[t], 0, true);
  for (size_t k = pair->blend_count - 1; k > 0; k--) {
    struct blend blend = blend_of(pair, k);
    p->energy_rates[blend.nodes->blend] +=
        (1 - blend.phi[0]) * p->energy_rates[k] + blend.slope * radial_rate(p, blend.nodes->i, blend.nodes->j, blend.e);
  }
  p->weight_rates[0] = 0;
  for (size_t k = 1; k < pair->blend_count; k++) {
    struct blend blend = blend_of(pair, k);
    int above = blend.nodes->blend;
    p->weight_rates[k] =
        (1 - blend.phi[0]) * p->weight_rates[above] -
        pair->sums[above].weight * blend.phi[1] * radial_rate(p, blend.nodes->i, blend.nodes->j, blend.e);
  }
}

static void blend_sizes(const struct dc_points *p, size_t k, const struct blend *blend, double weight, double r_rate)
{
  const struct dc_sphere_tree *a = &p->contact->colliders[p->pair->a].tree;
  const struct dc_sphere_tree *b = &p->contact->colliders[p->pair->b].tree;
  const double *phi = blend->phi, *c = blend->c;
  double inner = a->radius[blend->nodes->i] + b->radius[blend->nodes->j];
  double weight_rate = p->weight_rates[blend->nodes->blend];
  double phi_inner = -blend->r / inner * phi[1], phi_inner_rate = -(phi[1] + blend->r * phi[2]) / inner * r_rate;
  if (p->pair->near_only) {  // phi is a function of r - inner
    phi_inner = -phi[1];
    phi_inner_rate = -phi[2] * r_rate;
  }
  double c_spread = c[1] / (2 * blend->r), c_spread_rate = (c[2] - c[1] / blend->r) / (2 * blend->r) * r_rate;
  double by_inner = weight_rate * phi_inner * blend->excess +
                    weight * (phi_inner_rate * blend->excess + phi_inner * (c[1] * r_rate - p->energy_rates[k]));
  add_sizes(p, blend->nodes->i, blend->nodes->j, by_inner,
            weight_rate * phi[0] * c_spread + weight * (phi[1] * r_rate * c_spread + phi[0] * c_spread_rate));
}

static void blend_terms(const struct dc_points *p)
{
  for (size_t k = 1; k < p->pair->blend_count; k++) {
    struct blend blend = blend_of(p->pair, k);
    double weight = p->pair->sums[blend.nodes->blend].weight, u_rate = 0;
    if (node_gap(p, blend.nodes, blend.r) > p->reach)
      continue;
    if (p->velocities) {
      double r_rate = radial_rate(p, blend.nodes->i, blend.nodes->j, blend.e);
      u_rate =
          p->weight_rates[blend.nodes->blend] * blend.slope +
          weight * ((blend.phi[2] * blend.excess + 2 * blend.phi[1] * blend.c[1] + blend.phi[0] * blend.c[2]) * r_rate -
                    blend.phi[1] * p->energy_rates[k]);
      if (p->contact->colliders[p->pair->a].by_node)
        blend_sizes(p, k, &blend, weight, r_rate);
    }
    add_radial(p, blend.nodes->i, blend.nodes->j, blend.e, blend.r, weight * blend.slope, u_rate);
  }
}

void dc_points_add_primitive(const struct dc_points *p, const struct dc_primitive *seen, const double arm[3], int index,
                             const double value[3])
{
  double normal[3];
  if (value[1] == 0 && value[2] == 0)
    return;
  dc_primitive_gap(seen, arm, normal);
  if (p->forces)
    dc_vec_add_scaled(p->forces[p->pair->a][index], p->forces[p->pair->a][index], -value[1], normal);
  if (p->products) {
    double size = value[2] * dc_vec_dot(normal, p->velocities[p->pair->a][index]);
    dc_vec_add_scaled(p->products[p->pair->a][index], p->products[p->pair->a][index], size, normal);
  }
}

void dc_points_add_primitive_pair(const struct dc_points *p, dc_primitive_barrier *barrier)
{
  const struct dc_collider *a = &p->contact->colliders[p->pair->a];
  struct dc_primitive seen = dc_primitive_about(&p->contact->colliders[p->pair->b].primitive, &p->poses[p->pair->a]);
  struct dc_primitive_points mesh = {p->contact, a, (const double(*)[3])a->turned, a->vertex_count};
  for (int v = 0; v < a->vertex_count; v++) {
    double gap = dc_primitive_gap(&seen, a->turned[v], NULL), value[1][3];
    if (gap > p->reach)
      continue;
    barrier(&mesh, v, 1, &gap, value);
    dc_points_add_primitive(p, &seen, a->turned[v], v, value[0]);
  }
}

static int add_pair(struct dc_points *p)
{
  static const struct dc_node_term roots = {.blend = 0};
  const struct dc_pair *pair = p->pair;
  double *rates = p->weight_rates;
  if (pair->apart)
    return 0;
  if (p->contact->colliders[pair->b].primitive.type) {
    dc_points_add_primitive_pair(p, dc_primitive_far_barrier);
    return 0;
  }
  if (pair->far || !p->velocities || pair->blend_count < 2)
    p->weight_rates = NULL;
  else
    blend_rates(p);
  if (pair->far) {
    centred_term(p, &roots, 1, false);
  } else {
    triangle_terms(p, false);
    for (size_t t = 0; t < pair->centred_count; t++)
      centred_term(p, &pair->centred[t], pair->sums[pair->centred[t].blend].weight, false);
    blend_terms(p);
  }
  p->weight_rates = rates;
  return 0;
}

// Velocities of the centres of nodes: of a leaf the mean of its vertices, then weighted means, children first.
static void raise_velocities(const struct dc_collider *collider, const double (*velocities)[3], double (*nodes)[3])
{
  const struct dc_sphere_tree *tree = &collider->tree;
  for (int i = tree->node_count - 1; i >= 0; i--) {
    if (tree->right[i] < 0) {
      const int *v = collider->triangles[tree->triangle[i]];
      for (int k = 0; k < 3; k++)
        nodes[i][k] = (velocities[v[0]][k] + velocities[v[1]][k] + velocities[v[2]][k]) / 3;
      continue;
    }
    double part = tree->weight[tree->right[i]] / tree->weight[i], d[3];
    dc_vec_sub(d, nodes[tree->right[i]], nodes[i + 1]);
    dc_vec_add_scaled(nodes[i], nodes[i + 1], part, d);
  }
}

// The transpose.
static void lower_results(const struct dc_collider *collider, double (*nodes)[3], double (*results)[3])
{
  const struct dc_sphere_tree *tree = &collider->tree;
  for (int i = 0; i < tree->node_count; i++) {
    if (tree->right[i] < 0) {
      const int *v = collider->triangles[tree->triangle[i]];
      for (int c = 0; c < 3; c++)
        dc_vec_add_scaled(results[v[c]], results[v[c]], 1.0 / 3, nodes[i]);
      continue;
    }
    double part = tree->weight[tree->right[i]] / tree->weight[i];
    dc_vec_add_scaled(nodes[i + 1], nodes[i + 1], 1 - part, nodes[i]);
    dc_vec_add_scaled(nodes[tree->right[i]], nodes[tree->right[i]], part, nodes[i]);
  }
}

static int begin(struct dc_points *p, struct dc_arena *arena)
{
  const struct dc_contact *contact = p->contact;
  size_t bodies = (size_t)contact->bodies->count, blends = 1;
  for (int k = 0; k < contact->pair_count; k++)
    blends = contact->pairs[k].blend_count > blends ? contact->pairs[k].blend_count : blends;
  p->node_velocities = dc_arena_alloc(arena, bodies, sizeof *p->node_velocities);
  p->node_forces = dc_arena_alloc(arena, bodies, sizeof *p->node_forces);
  p->node_products = dc_arena_alloc(arena, bodies, sizeof *p->node_products);
  p->weight_rates = dc_arena_alloc(arena, blends, sizeof *p->weight_rates);
  p->energy_rates = dc_arena_alloc(arena, blends, sizeof *p->energy_rates);
  if (!p->node_velocities || !p->node_forces || !p->node_products || !p->weight_rates || !p->energy_rates)
    return -1;
  for (size_t i = 0; i < bodies; i++) {
    size_t nodes = (size_t)contact->colliders[i].tree.node_count;
    if (nodes == 0)
      continue;
    double(*all)[3] = dc_arena_alloc(arena, 3 * nodes, sizeof *all);
    if (!all)
      return -1;
    p->node_velocities[i] = all;
    p->node_forces[i] = all + nodes;
    p->node_products[i] = all + 2 * nodes;
    if (p->velocities)
      raise_velocities(&contact->colliders[i], p->velocities[i], p->node_velocities[i]);
  }
  return 0;
}

static void end(struct dc_points *p)
{
  for (int i = 0; i < p->contact->bodies->count; i++) {
    const struct dc_collider *collider = &p->contact->colliders[i];
    if (collider->tree.node_count > 0 && p->forces)
      lower_results(collider, p->node_forces[i], p->forces[i]);
    if (collider->tree.node_count > 0 && p->products)
      lower_results(collider, p->node_products[i], p->products[i]);
  }
}

static bool offers(const struct dc_contact *contact)
{
  return !contact->model->hierarchical || contact->settings.weights == DC_WEIGHTS_CONSISTENT;
}

int dc_points_of_mesh(const struct dc_contact *contact, int body)
{
  return contact->colliders[body].vertex_count;
}

const double (*dc_places_of_mesh(const struct dc_contact *contact, int body))[3]
{
  return (const double(*)[3])contact->colliders[body].vertices;
}

const struct dc_point_methods dc_plane_points = {.offers = offers,
                                                 .count = dc_points_of_mesh,
                                                 .places = dc_places_of_mesh,
                                                 .begin = begin,
                                                 .add_pair = add_pair,
                                                 .end = end};

static const struct dc_point_methods *methods_of(const struct dc_contact *contact)
{
  return contact->model->methods->points;
}

bool dc_contact_has_points(const struct dc_contact *contact)
{
  const struct dc_point_methods *methods = methods_of(contact);
  return methods && (!methods->offers || methods->offers(contact));
}

int dc_contact_point_count(const struct dc_contact *contact, int body)
{
  return methods_of(contact)->count(contact, body);
}

const double (*dc_contact_point_places(const struct dc_contact *contact, int body))[3]
{
  return methods_of(contact)->places(contact, body);
}

static int add_pairs(struct dc_points *p, struct dc_arena *arena)
{
  const struct dc_point_methods *methods = methods_of(p->contact);
  if (!arena || (methods->begin && methods->begin(p, arena)))
    return -1;
  for (int k = 0; k < p->contact->pair_count; k++) {
    p->pair = &p->contact->pairs[k];
    p->reach = p->reaches ? p->reaches[k] : INFINITY;
    dc_vec_sub(p->arm, p->poses[p->pair->a].position, p->poses[p->pair->b].position);
    if (methods->add_pair(p))
      return -1;
  }
  if (methods->end)
    methods->end(p);
  return 0;
}

static enum dc_status run(struct dc_points *p, struct dc_error *error)
{
  const struct dc_contact *contact = p->contact;
  for (int k = 0; k < contact->pair_count; k++)
    if (contact->pairs[k].crossing || contact->pairs[k].failed)
      return dc_fail(error, DC_NUMERICAL, "surfaces that meet have no forces on their points");
  struct dc_arena *arena = dc_arena_create();
  int status = add_pairs(p, arena);
  dc_arena_destroy(arena);
  return status ? dc_fail(error, DC_MEMORY, "out of memory for the points of contact") : DC_OK;
}

enum dc_status dc_contact_point_forces(struct dc_contact *contact, const struct dc_pose *poses,
                                       double (*const *forces)[3], struct dc_error *error)
{
  struct dc_points points = {.contact = contact, .poses = poses, .forces = forces};
  return run(&points, error);
}

enum dc_status dc_contact_near_forces(struct dc_contact *contact, const struct dc_pose *poses, const double *reaches,
                                      double (*const *forces)[3], struct dc_error *error)
{
  struct dc_points points = {.contact = contact, .poses = poses, .forces = forces, .reaches = reaches};
  return run(&points, error);
}

enum dc_status dc_contact_point_product(struct dc_contact *contact, const struct dc_pose *poses,
                                        const double (*const *velocities)[3], double scale, double (*const *forces)[3],
                                        double (*const *products)[3], struct dc_error *error)
{
  struct dc_points points = {.contact = contact,
                             .poses = poses,
                             .velocities = velocities,
                             .forces = forces,
                             .products = products,
                             .scale = scale};
  return run(&points, error);
}

void dc_contact_take_sizes(struct dc_contact *contact, double (*const *points)[3])
{
  dc_colliders_pull_back_nodes(contact, points);
}
