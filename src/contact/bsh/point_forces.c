// SPDX-License-Identifier: Apache-2.0
// The potential of bsh and exact by the vertices of the bodies' meshes (docs/theory.md, "Points"); how their rates
// follow the places of these is in point_rates.c.
//
// A term E of a pair counts with a weight W, the product of 1 - phi of the blends above it.  Its part of the gradient
// by the vertices is W dE/dx.
// *Triangles*, with m, h_v, s_v, S, P of docs/theory.md, "Triangle pairs":  dE/dx_v = -w_i w_j P' s_v m/h_v^2.
// *Centred terms and blends* are radial, U e at the centres of two nodes.  The force on a centre is divided among the
// nodes below it by their weights.
#include "contact/common/points.h"

#include <math.h>

#include "contact/bsh/bsh_pair.h"
#include "contact/common/leaf_pair.h"
#include "contact/friction/triangle_friction.h"

// The terms of the pair at hand.
static const struct bsh_pair *pair_of(const struct dc_points *p)
{
  return dc_bsh_pair(p->contact, (int)(p->pair - p->contact->pairs));
}

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

// The centred term of nodes (i, j), weighted by the blend they belong to.
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
  const struct bsh_pair *pair = pair_of(p);
  const struct dc_collider *a = &p->contact->colliders[p->pair->a], *b = &p->contact->colliders[p->pair->b];
  double sum = 0, slope, curvature, weight = pair->weights[term->blend];
  double normal[3] = {batch->axes[6][l], batch->axes[7][l], batch->axes[8][l]};
  for (int v = 0; v < 6; v++)
    sum += 1 / batch->distances[v][l];
  dc_triangle_slopes(sum, 1, p->contact->settings.length, &slope, &curvature);
  double scale = a->leaf_weight[term->i] * b->leaf_weight[term->j];
  for (int v = 0; v < 6; v++) {
    double *force =
        v < 3 ? p->forces[p->pair->a][a->triangles[term->i][v]] : p->forces[p->pair->b][b->triangles[term->j][v - 3]];
    double size = weight * scale * slope / (batch->distances[v][l] * batch->distances[v][l]);
    dc_vec_add_scaled(force, force, v < 3 ? size : -size, normal);
  }
}

// The same of pairs with convex leaves: -dP/dx_v = w_i w_j P' s_v w_v m/h_v^2.
static void leaf_terms(const struct dc_points *p)
{
  const struct bsh_pair *pair = pair_of(p);
  const struct dc_collider *a = &p->contact->colliders[p->pair->a], *b = &p->contact->colliders[p->pair->b];
  for (size_t t = 0; t < pair->now.count; t++) {
    const struct dc_term *term = &pair->now.terms[t];
    struct dc_leaf_places places;
    double slope, curvature;
    if (pair->gaps[t] > p->reach)
      continue;
    dc_leaf_places_of(p->contact, p->pair, term, pair->now.planes[t], p->poses, &places);
    dc_triangle_slopes(places.sum, pair->weights[term->blend] * a->leaf_weight[term->i] * b->leaf_weight[term->j],
                       p->contact->settings.length, &slope, &curvature);
    for (int v = 0; v < places.count; v++) {
      int side = v >= places.count_a;
      double *force = p->forces[side ? p->pair->b : p->pair->a][places.index[v]], h = places.distance[v];
      double size = slope * places.share[side] / (h * h);
      dc_vec_add_scaled(force, force, side ? -size : size, places.axes + 6);
    }
  }
}

static void triangle_terms(const struct dc_points *p)
{
  const struct bsh_pair *pair = pair_of(p);
  const struct dc_friction_place place = dc_triangle_place(p->contact, p->pair, p->poses);
  for (size_t first = 0; first < pair->now.count; first += DC_BATCH) {
    struct dc_friction_batch batch;
    int count = dc_triangle_fill_batch(p->contact, p->pair, first, &place, &batch);
    for (int l = 0; l < count; l++)
      if (pair->gaps[first + (size_t)l] <= p->reach)
        triangle_forces(p, &batch, l, &pair->now.terms[first + (size_t)l]);
  }
}

// Blend k, (1 - phi) A + phi C: the slope phi' (C - A) + phi C' by the distance, which A's terms leave out.
static void blend_terms(const struct dc_points *p)
{
  const struct bsh_pair *pair = pair_of(p);
  for (size_t k = 1; k < pair->blend_count; k++) {
    const struct dc_node_term *nodes = &pair->blends[k];
    const struct dc_blend_batch *batch = &pair->blend_batches[(k - 1) / DC_BATCH];
    size_t l = (k - 1) % DC_BATCH;
    double e[3] = {batch->direction[3][l], batch->direction[4][l], batch->direction[5][l]};
    double excess = batch->centred[0][l] - pair->sums[k].energy;
    if (node_gap(p, nodes, 1 / batch->inverse[l]) <= p->reach)
      add_radial(p, nodes->i, nodes->j, e,
                 pair->weights[nodes->blend] * (batch->phi[1][l] * excess + batch->phi[0][l] * batch->centred[1][l]));
  }
}

// All terms of one pair, as forces on the points.
static int add_pair(struct dc_points *p)
{
  static const struct dc_node_term roots = {.blend = 0};
  const struct bsh_pair *pair = pair_of(p);
  if (pair->apart)
    return 0;
  if (p->contact->colliders[p->pair->b].primitive.type) {
    dc_points_add_primitive_pair(p, dc_primitive_far_barrier);
  } else if (pair->far) {
    centred_term(p, &roots, 1);
  } else {
    (dc_has_leaves(&p->contact->colliders[p->pair->a], &p->contact->colliders[p->pair->b]) ? leaf_terms
                                                                                           : triangle_terms)(p);
    for (size_t t = 0; t < pair->centred_count; t++)
      centred_term(p, &pair->centred[t], pair->weights[pair->centred[t].blend]);
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
      struct dc_leaf leaf = dc_leaf_of(collider, tree->triangle[i]);
      for (int c = 0; c < leaf.count; c++) {
        double *force = forces[dc_leaf_vertex(&leaf, c)];
        dc_vec_add_scaled(force, force, 1.0 / leaf.count, nodes[i]);
      }
      continue;
    }
    double part = tree->weight[tree->right[i]] / tree->weight[i];
    dc_vec_add_scaled(nodes[i + 1], nodes[i + 1], 1 - part, nodes[i]);
    dc_vec_add_scaled(nodes[tree->right[i]], nodes[tree->right[i]], part, nodes[i]);
  }
}

// Forces on the centres of tree nodes, [bodies][nodes], which centred terms add to; at the end they go down to the
// vertices.
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
  return !contact->model->hierarchical || contact->settings.weights != DC_WEIGHTS_PAPER;
}

const struct dc_point_methods dc_bsh_points = {.offers = offers,
                                               .count = dc_points_of_mesh,
                                               .places = dc_places_of_mesh,
                                               .begin = begin,
                                               .add_pair = add_pair,
                                               .end = end,
                                               .rates = dc_bsh_point_rates};
