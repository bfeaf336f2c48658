// SPDX-License-Identifier: Apache-2.0
// The contact model manifold: a barrier of the distances of a contact manifold, weighed by its activities (paper 001;
// docs/theory.md, "Contact manifolds", "As a contact model").  Sums are in manifold_terms.c.
#include "contact/models/manifold_model.h"

#include <math.h>
#include <stdlib.h>

#include "geometry/mesh/triangle.h"
#include "geometry/shapes/shape.h"
#include "math/vector.h"

enum { STACK = 256 };
static const double CLOSED = 1 - 1e-9;     // on bounds from spheres, against rounding
static const double SMOOTHING = 2e-3;      // of the size of a body
static const double MOST_STANDING = 1e-2;  // of the size: how far a mesh may stand out of its level set

static double size_of(const struct dc_collider *collider)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int v = 0; v < collider->vertex_count; v++)
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], collider->vertices[v][k]);
      high[k] = fmax(high[k], collider->vertices[v][k]);
    }
  return dc_vec_distance(high, low);
}

// Polyhedra from meshes have been grown so that corners lie on the level set.  Here everything outside of the mesh must be
// outside of the level set: planes back to the faces, and by what a union of that many adds.
static void draw_in(struct dc_sdf *sdf)
{
  enum { FIRST = 1, PLANE = 4 };
  int count = sdf->type == &dc_sdf_union ? sdf->child_count : 1;
  for (int i = 0; i < count; i++) {
    struct dc_sdf *part = sdf->type == &dc_sdf_union ? &sdf->children[i] : sdf;
    double inwards = part->numbers[0] * log(3) + (count > 1 ? sdf->numbers[0] * log(count) : 0);
    for (int plane = FIRST; plane < part->number_count; plane += PLANE)
      part->numbers[plane + 3] -= inwards;
  }
}

static enum dc_status create_body(struct dc_contact *contact, int i, struct dc_error *error)
{
  const struct dc_body *body = &contact->bodies->bodies[i];
  const struct dc_collider *collider = &contact->colliders[i];
  struct dc_manifold_model_body *own = &((struct dc_manifold_model *)contact->own)->bodies[i];
  const struct dc_sdf *sdf;
  if (collider->triangle_count == 0)
    return DC_OK;
  own->size = size_of(collider);
  double smoothing = isnan(contact->settings.smoothing) ? SMOOTHING * own->size : contact->settings.smoothing;
  enum dc_status status = dc_shape_sdf(body->shape, smoothing, contact->arena, &sdf, error);
  if (status) {
    dc_error_prefix(error, "contact model manifold, body \"%s\"", body->name);
    return status;
  }
  own->level = *sdf;
  if (!body->shape->sdf)
    draw_in(&own->level);
  dc_vec_sub(own->level.position, own->level.position, body->center);
  own->edges = dc_arena_alloc(contact->arena, 3 * (size_t)collider->triangle_count, sizeof *own->edges);
  if (!own->edges)
    return dc_fail(error, DC_MEMORY, "out of memory for the edges of %s", body->name);
  own->edge_count = dc_manifold_edges_of(&body->shape->mesh, own->edges);
  if (!body->shape->sdf)
    return DC_OK;
  struct dc_manifold_surface surface = {&own->level, collider->vertex_count, own->edge_count,
                                        (const double(*)[3])collider->vertices, (const int(*)[2])own->edges};
  struct dc_manifold_fit fit;
  dc_manifold_check(&surface, &fit);
  if (fit.edges > MOST_STANDING * own->size)
    return dc_fail(
        error, DC_BAD_INPUT,
        "contact model manifold, body \"%s\": the mesh stands out of its signed distance by %.3g m; give the "
        "shape a larger \"inset\" or more \"triangles\"",
        body->name, fit.edges);
  return DC_OK;
}

static enum dc_status create_pair(struct dc_contact *contact, int p, struct dc_error *error)
{
  const struct dc_manifold_model *model = contact->own;
  struct dc_manifold_model_pair *own = &model->pairs[p];
  const int bodies[2] = {contact->pairs[p].a, contact->pairs[p].b};
  if (contact->settings.edges < 1 || contact->colliders[bodies[1]].triangle_count == 0 ||
      contact->colliders[bodies[0]].triangle_count == 0)
    return DC_OK;
  struct dc_manifold_surface surfaces[2];
  for (int s = 0; s < 2; s++) {
    const struct dc_manifold_model_body *body = &model->bodies[bodies[s]];
    const struct dc_collider *collider = &contact->colliders[bodies[s]];
    surfaces[s] = (struct dc_manifold_surface){&body->level, collider->vertex_count, body->edge_count,
                                               (const double(*)[3])collider->vertices, (const int(*)[2])body->edges};
  }
  struct dc_manifold_settings settings;
  dc_manifold_defaults(surfaces, &settings);
  settings.edges = (int)contact->settings.edges;
  settings.levels = true;
  own->core = fmin(settings.core, settings.selection);
  own->edges = dc_manifold_create(surfaces, &settings, error);
  if (!own->edges)
    return error->status;
  size_t count = (size_t)dc_manifold_count(own->edges);
  own->contacts = dc_arena_alloc(contact->arena, count, sizeof *own->contacts);
  own->by = dc_arena_alloc(contact->arena, count, sizeof *own->by);
  return own->contacts && own->by ? DC_OK : dc_fail(error, DC_MEMORY, "out of memory for contact manifolds");
}

static enum dc_status create(struct dc_contact *contact, struct dc_error *error)
{
  struct dc_manifold_model *own = contact->own = dc_arena_alloc(contact->arena, 1, sizeof *own);
  if (!own || !(own->bodies = dc_arena_alloc(contact->arena, (size_t)contact->bodies->count, sizeof *own->bodies)) ||
      !(own->pairs = dc_arena_alloc(contact->arena, (size_t)contact->pair_count, sizeof *own->pairs)))
    return dc_fail(error, DC_MEMORY, "out of memory for contact manifolds");
  enum dc_status status = DC_OK;
  for (int i = 0; i < contact->bodies->count && !status; i++)
    status = create_body(contact, i, error);
  for (int p = 0; p < contact->pair_count && !status; p++)
    status = create_pair(contact, p, error);
  return status;
}

static void destroy(struct dc_contact *contact)
{
  const struct dc_manifold_model *own = contact->own;
  for (int p = 0; own && own->pairs && p < contact->pair_count; p++)
    dc_manifold_destroy(own->pairs[p].edges);
}

// A lower bound of the distance of two meshes: of triangles near each other the separation, of others that of their spheres
// once it is no less; 0 when triangles cross.
static double mesh_gap(const struct dc_contact *contact, struct dc_pair *pair, const double arm[3])
{
  const struct dc_collider *a = &contact->colliders[pair->a], *b = &contact->colliders[pair->b];
  int stack[STACK][2], top = 1;
  double best = INFINITY;
  stack[0][0] = stack[0][1] = 0;
  while (top) {
    top--;
    int i = stack[top][0], j = stack[top][1];
    double d[3], normal[3];
    for (int k = 0; k < 3; k++)
      d[k] = a->spheres[i][k] - b->spheres[j][k] + arm[k];
    double apart = CLOSED * dc_vec_norm(d) - (a->spheres[i][3] + b->spheres[j][3]);
    pair->visited++;
    if (apart >= best)
      continue;
    if (i == 0 && j == 0 && apart > 0.5 * (a->radius + b->radius))
      return apart;  // far away its size does not matter
    if (a->tree.right[i] >= 0 || b->tree.right[j] >= 0) {
      top = dc_push_children(&a->tree, i, &b->tree, j, stack, top);
      continue;
    }
    double x[3][3], y[3][3];
    for (int v = 0; v < 3; v++) {
      dc_vec_add(x[v], a->corners[a->tree.triangle[i]] + 3 * v, arm);
      dc_vec_copy(y[v], b->corners[b->tree.triangle[j]] + 3 * v);
    }
    pair->exact_count++;
    best = fmin(best, dc_triangle_separation((const double(*)[3])x, (const double(*)[3])y, normal));
    if (!(best > 0))
      return 0;
  }
  return best;
}

static void evaluate_pair(struct dc_contact *contact, int p, const struct dc_pose *poses, int order,
                          struct dc_pair_derivatives *result)
{
  struct dc_pair *pair = &contact->pairs[p];
  double arm[3] = {result->arm[0], result->arm[1], result->arm[2]};
  pair->visited = 0;
  pair->exact_count = 0;
  pair->gap = mesh_gap(contact, pair, arm);
  pair->crossing = !(pair->gap > 0) || !dc_manifold_add_vertices(contact, p, 0, poses, order, result) ||
                   !dc_manifold_add_vertices(contact, p, 1, poses, order, result) ||
                   !dc_manifold_add_edges(contact, p, poses, order, result);
  if (!pair->crossing)
    return;
  pair->gap = 0;
  *result = (struct dc_pair_derivatives){.energy = INFINITY};
  dc_vec_copy(result->arm, arm);
}

static void evaluate_primitive(struct dc_contact *contact, int p, const struct dc_pose *poses, int order,
                               struct dc_pair_derivatives *result)
{
  struct dc_pair *pair = &contact->pairs[p];
  dc_primitive_pair(contact, pair, &poses[pair->a], order, dc_primitive_far_barrier, result);
}

static const struct dc_contact_methods methods = {
    .create = create, .destroy = destroy, .evaluate_pair = evaluate_pair, .evaluate_primitive = evaluate_primitive};

const struct dc_contact_model dc_contact_manifold = {
    .name = "manifold",
    .summary = "barrier of the signed distances of smooth contact manifolds, weighed by their activities; no friction",
    .reference = "paper 001; docs/theory.md, \"Contact manifolds\"",
    .options = dc_manifold_options,
    .flags = DC_CONTACT_TWICE_DIFFERENTIABLE | DC_CONTACT_LONG_RANGE,
    .methods = &methods,
};
