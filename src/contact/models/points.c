// SPDX-License-Identifier: Apache-2.0
// The potential by the points of the bodies, and that of bsh and exact by the vertices of their meshes (docs/theory.md,
// "Points"); how their rates follow the places of these is in point_rates.c.
//
// A term E of a pair counts with a weight W, the product of 1 - phi of the blends above it.  Its part of the gradient
// by the vertices is W dE/dx.
// *Triangles*, with m, h_v, s_v, S, P of docs/theory.md, "Triangle pairs":  dE/dx_v = -w_i w_j P' s_v m/h_v^2.
// *Centred terms and blends* are radial, U e at the centres of two nodes.  The force on a centre is divided among the
// nodes below it by their weights.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/friction/triangle_friction.h"
#include "contact/models/points.h"

// A radial term of nodes (i, j): the force -U e on node i, and the opposite on j.
static void add_radial(const struct dc_points *p, int i, int j, const double e[3], double u)
{
  double *a = p->node_forces[p->pair->a][i], *b = p->node_forces[p->pair->b][j];
  dc_vec_add_scaled(a, a, -u, e);
  dc_vec_add_scaled(b, b, u, e);
}

// A lower bound of the distance of the triangles of two nodes whose centres are r apart: the larger of the distance of
// their spheres and the gap of the pair.
static double node_gap(const struct dc_points *p, const struct dc_node_term *nodes, double r)
{
  const struct dc_sphere_tree *a = &p->contact->colliders[p->pair->a].tree;
  const struct dc_sphere_tree *b = &p->contact->colliders[p->pair->b].tree;
  return fmax(r - a->radius[nodes->i] - b->radius[nodes->j], p->pair->gap);
}

// Of nodes (i, j), weighted by the blend they belong to.
static void centred_term(const struct dc_points *p, const struct dc_node_term *term, double weight)
{
  const struct dc_collider *a = &p->contact->colliders[p->pair->a], *b = &p->contact->colliders[p->pair->b];
  double e[3], first, second;
  for (int k = 0; k < 3; k++)
    e[k] = a->spheres[term->i][k] - b->spheres[term->j][k] + p->arm[k];
  double r = dc_vec_norm(e);
  if (node_gap(p, term, r) > p->reach)
    return;
  dc_vec_scale(e, e, 1 / r);
  dc_centred_slopes(r, a->tree.spread[term->i] + b->tree.spread[term->j],
                    a->tree.weight[term->i] * b->tree.weight[term->j], p->contact->settings.length, &first, &second);
  add_radial(p, term->i, term->j, e, weight * first);
}

// One lane of triangles, as friction_setup leaves it with strength 1.
static void triangle_forces(const struct dc_points *p, const struct dc_friction_batch *batch, int l,
                            const struct dc_term *term)
{
  const struct dc_pair *pair = p->pair;
  const struct dc_collider *a = &p->contact->colliders[pair->a], *b = &p->contact->colliders[pair->b];
  double sum = 0, slope, curvature, weight = pair->sums[term->blend].weight;
  double normal[3] = {batch->axes[6][l], batch->axes[7][l], batch->axes[8][l]};
  for (int v = 0; v < 6; v++)
    sum += 1 / batch->distances[v][l];
  dc_triangle_slopes(sum, 1, p->contact->settings.length, &slope, &curvature);
  double scale = a->leaf_weight[term->i] * b->leaf_weight[term->j];
  for (int v = 0; v < 6; v++) {
    double *force =
        v < 3 ? p->forces[pair->a][a->triangles[term->i][v]] : p->forces[pair->b][b->triangles[term->j][v - 3]];
    double size = weight * scale * slope / (batch->distances[v][l] * batch->distances[v][l]);
    dc_vec_add_scaled(force, force, v < 3 ? size : -size, normal);
  }
}

static void triangle_terms(const struct dc_points *p)
{
  const struct dc_pair *pair = p->pair;
  const struct dc_friction_place place = dc_triangle_place(p->contact, pair, p->poses);
  for (size_t first = 0; first < pair->exact_count; first += DC_BATCH) {
    struct dc_friction_batch batch;
    int count = dc_triangle_fill_batch(p->contact, pair, first, &place, &batch);
    for (int l = 0; l < count; l++)
      if (pair->gaps[first + (size_t)l] <= p->reach)
        triangle_forces(p, &batch, l, &pair->exact[first + (size_t)l]);
  }
}

// Blend k, (1 - phi) A + phi C: the slope phi' (C - A) + phi C' by the distance, which A's terms leave out.
static void blend_terms(const struct dc_points *p)
{
  for (size_t k = 1; k < p->pair->blend_count; k++) {
    const struct dc_node_term *nodes = &p->pair->blends[k];
    const struct dc_blend_batch *batch = &p->pair->blend_batches[(k - 1) / DC_BATCH];
    size_t l = (k - 1) % DC_BATCH;
    double e[3] = {batch->direction[3][l], batch->direction[4][l], batch->direction[5][l]};
    double excess = batch->centred[0][l] - p->pair->sums[k].energy;
    if (node_gap(p, nodes, 1 / batch->inverse[l]) <= p->reach)
      add_radial(p, nodes->i, nodes->j, e,
                 p->pair->sums[nodes->blend].weight *
                     (batch->phi[1][l] * excess + batch->phi[0][l] * batch->centred[1][l]));
  }
}

void dc_points_velocity(const struct dc_points *p, int body, int index, double velocity[3])
{
  if (p->velocities) {
    dc_vec_copy(velocity, p->velocities[body][index]);
    return;
  }
  const double *twist = p->twists[body];
  double arm[3];
  dc_mat_apply(arm, p->poses[body].rotation, dc_contact_point_places(p->contact, body)[index]);
  dc_vec_cross(velocity, twist, arm);
  dc_vec_add(velocity, velocity, twist + 3);
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
    double velocity[3];
    dc_points_velocity(p, p->pair->a, index, velocity);
    double size = value[2] * dc_vec_dot(normal, velocity);
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
  if (pair->apart)
    return 0;
  if (p->contact->colliders[pair->b].primitive.type) {
    dc_points_add_primitive_pair(p, dc_primitive_far_barrier);
  } else if (pair->far) {
    centred_term(p, &roots, 1);
  } else {
    triangle_terms(p);
    for (size_t t = 0; t < pair->centred_count; t++)
      centred_term(p, &pair->centred[t], pair->sums[pair->centred[t].blend].weight);
    blend_terms(p);
  }
  return 0;
}

// From the forces on nodes to those on vertices, parents first.
static void lower_forces(const struct dc_collider *collider, double (*nodes)[3], double (*forces)[3])
{
  const struct dc_sphere_tree *tree = &collider->tree;
  for (int i = 0; i < tree->node_count; i++) {
    if (tree->right[i] < 0) {
      const int *v = collider->triangles[tree->triangle[i]];
      for (int c = 0; c < 3; c++)
        dc_vec_add_scaled(forces[v[c]], forces[v[c]], 1.0 / 3, nodes[i]);
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
  size_t bodies = (size_t)contact->bodies->count;
  p->node_forces = dc_arena_alloc(arena, bodies, sizeof *p->node_forces);
  if (!p->node_forces)
    return -1;
  for (size_t i = 0; i < bodies; i++) {
    size_t nodes = (size_t)contact->colliders[i].tree.node_count;
    if (nodes > 0 && !(p->node_forces[i] = dc_arena_alloc(arena, nodes, sizeof **p->node_forces)))
      return -1;
  }
  return 0;
}

static void end(struct dc_points *p)
{
  for (int i = 0; i < p->contact->bodies->count; i++)
    if (p->contact->colliders[i].tree.node_count > 0)
      lower_forces(&p->contact->colliders[i], p->node_forces[i], p->forces[i]);
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
                                                 .end = end,
                                                 .rates = dc_plane_point_rates};

static const struct dc_point_methods *methods_of(const struct dc_contact *contact)
{
  return contact->model->methods->points;
}

bool dc_contact_has_points(const struct dc_contact *contact)
{
  return dc_contact_has_point_rates(contact) && !methods_of(contact)->rates_only;
}

bool dc_contact_has_point_rates(const struct dc_contact *contact)
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

static enum dc_status refuse_crossings(const struct dc_contact *contact, struct dc_error *error)
{
  for (int k = 0; k < contact->pair_count; k++)
    if (contact->pairs[k].crossing || contact->pairs[k].failed)
      return dc_fail(error, DC_NUMERICAL, "surfaces that meet have no forces on their points");
  return DC_OK;
}

static enum dc_status run(struct dc_points *p, struct dc_error *error)
{
  enum dc_status refused = refuse_crossings(p->contact, error);
  if (refused)
    return refused;
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
                                        const double (*const *velocities)[3], double (*const *forces)[3],
                                        double (*const *products)[3], struct dc_error *error)
{
  struct dc_points points = {
      .contact = contact, .poses = poses, .velocities = velocities, .forces = forces, .products = products};
  return run(&points, error);
}

// Forces and products of all points, by body; zeros between calls.
struct dc_point_rows {
  int count;
  double (**forces)[3], (**products)[3];
};

static double (**make_rows(const struct dc_contact *contact, int points))[3]
{
  double(**rows)[3] = dc_arena_alloc(contact->arena, (size_t)contact->bodies->count, sizeof *rows);
  double(*block)[3] = dc_arena_alloc(contact->arena, (size_t)points, sizeof *block);
  for (int i = 0; i < contact->bodies->count && rows && block; i++) {
    rows[i] = block;
    block += dc_contact_point_count(contact, i);
  }
  return block ? rows : NULL;
}

static struct dc_point_rows *rows_of(struct dc_contact *contact)
{
  if (contact->rows)
    return contact->rows;
  struct dc_point_rows *rows = dc_arena_alloc(contact->arena, 1, sizeof *rows);
  if (!rows)
    return NULL;
  for (int i = 0; i < contact->bodies->count; i++)
    rows->count += dc_contact_point_count(contact, i);
  rows->forces = make_rows(contact, rows->count);
  rows->products = make_rows(contact, rows->count);
  return contact->rows = rows->forces && rows->products ? rows : NULL;
}

// f = dP/dx of the points, f' its rate with their velocities: by the place in the body R^T (f' - w x f).  The rows
// become zeros.
static void turn_products(const struct dc_contact *contact, const struct dc_pose *poses, const double (*twists)[6],
                          double scale, const struct dc_point_rows *rows, double (*const *by_point)[3])
{
  for (int i = 0; i < contact->bodies->count; i++) {
    int count = dc_contact_point_count(contact, i);
    for (int v = 0; v < count; v++) {
      double *f = rows->forces[i][v], *rate = rows->products[i][v];  // f is -dP/dx
      double sum[3], local[3];
      if (f[0] == 0 && f[1] == 0 && f[2] == 0 && rate[0] == 0 && rate[1] == 0 && rate[2] == 0)
        continue;
      if (by_point[i]) {
        dc_vec_cross(sum, twists[i], f);
        dc_vec_add(sum, sum, rate);
        dc_mat_apply_transposed(local, poses[i].rotation, sum);
        dc_vec_add_scaled(by_point[i][v], by_point[i][v], scale, local);
      }
      for (int k = 0; k < 3; k++)
        f[k] = rate[k] = 0;
    }
  }
}

enum dc_status dc_points_rates_of_products(struct dc_contact *contact, const struct dc_pose *poses,
                                           const double (*twists)[6], double scale, double (*const *by_point)[3],
                                           struct dc_error *error)
{
  const struct dc_point_rows *rows = rows_of(contact);
  if (!rows)
    return dc_fail(error, DC_MEMORY, "out of memory for the points of contact");
  struct dc_points points = {
      .contact = contact, .poses = poses, .twists = twists, .forces = rows->forces, .products = rows->products};
  enum dc_status status = run(&points, error);
  if (!status) {
    turn_products(contact, poses, twists, scale, rows, by_point);
  } else if (rows->count > 0) {
    memset(rows->forces[0], 0, (size_t)rows->count * sizeof **rows->forces);
    memset(rows->products[0], 0, (size_t)rows->count * sizeof **rows->products);
  }
  return status;
}

enum dc_status dc_contact_point_rates(struct dc_contact *contact, const struct dc_pose *poses,
                                      const double (*twists)[6], double scale, double (*const *by_point)[3],
                                      struct dc_error *error)
{
  const struct dc_point_methods *methods = methods_of(contact);
  if (!methods->rates)
    return dc_points_rates_of_products(contact, poses, twists, scale, by_point, error);
  enum dc_status status = refuse_crossings(contact, error);
  if (!status && methods->rates(contact, poses, twists, scale, by_point))
    status = dc_fail(error, DC_MEMORY, "out of memory for the points of contact");
  return status;
}

void dc_contact_take_sizes(struct dc_contact *contact, double (*const *points)[3])
{
  dc_colliders_pull_back_nodes(contact, points);
}
