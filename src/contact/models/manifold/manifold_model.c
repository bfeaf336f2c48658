// SPDX-License-Identifier: Apache-2.0
// The contact model manifold: a potential of the distances of a contact manifold, weighed by its activities (paper 001;
// docs/theory.md, "Contact manifolds", "As a contact model").
//
// The potential is finite everywhere: level sets of signed distances are not the surfaces of the meshes, and where a
// vertex is inside of one nothing has crossed.  What keeps bodies apart is a wall, the barrier of sdrs between the
// convex hulls of the same bodies, which begins near contact.  Sums are in manifold_terms.c, friction in
// manifold_friction.c.
#include "contact/models/manifold/manifold_state.h"

#include <math.h>
#include <stdlib.h>

#include "contact/common/points.h"
#include "math/vector.h"

static const double SMOOTHING = 2e-3;      // of the size of a body
static const double MOST_STANDING = 1e-2;  // of the size: how far a mesh may stand out of its level set
static const double REACH = 2e-2;          // of the walls, of the least size of a body

// Whose sizes set all lengths of the model: they stay as they are where a design moves vertices.
static const struct dc_body *measured(const struct dc_contact *contact, int body)
{
  return &(contact->start ? contact->start : contact->bodies)->bodies[body];
}

// Contact sees the level set, pictures and other models the mesh: edges that stand out of the set would be seen to
// sink into what they touch.
static enum dc_status check_level(const struct dc_body *body, const struct dc_collider *collider,
                                  const struct dc_manifold_model_body *own, struct dc_error *error)
{
  struct dc_manifold_surface surface = {&own->level, collider->vertex_count, own->edge_count,
                                        (const double(*)[3])collider->vertices, (const int(*)[2])own->edges};
  struct dc_manifold_fit fit;
  dc_manifold_check(&surface, &fit);
  if (fit.edges > MOST_STANDING * own->size)
    return dc_fail(error, DC_BAD_INPUT,
                   "contact model manifold, body \"%s\": edges of the mesh stand out of the level set of its signed "
                   "distance by %.3g m (at most %.3g); give the shape a larger \"inset\" or more \"triangles\"",
                   body->name, fit.edges, MOST_STANDING * own->size);
  return DC_OK;
}

// A level set that follows the vertices of a design, and room for the derivatives by its numbers.
static enum dc_status follow_level(struct dc_contact *contact, int i, struct dc_manifold_model_body *own,
                                   struct dc_error *error)
{
  const struct dc_sdf *sdf;
  enum dc_status status =
      dc_shape_follower_create(measured(contact, i)->shape, own->softness, contact->arena, &own->follower, error);
  if (!status)
    status = dc_shape_follow(own->follower, (const double(*)[3])contact->colliders[i].vertices, &sdf, error);
  if (status)
    return status;
  own->level = *sdf;
  own->by_level = dc_arena_alloc(contact->arena, (size_t)dc_sdf_parameter_count(sdf), sizeof *own->by_level);
  return own->by_level ? DC_OK : dc_out_of_memory_for(error, "a level set");
}

// The signed distance of a body about its centre; for a design one that follows the vertices.
static enum dc_status place_level(struct dc_contact *contact, int i, struct dc_manifold_model_body *own,
                                  struct dc_error *error)
{
  const struct dc_body *body = &contact->bodies->bodies[i];
  const struct dc_sdf *sdf;
  enum dc_status status = dc_contact_follows(contact, i)
                              ? follow_level(contact, i, own, error)
                              : dc_shape_sdf(body->shape, own->softness, contact->arena, &sdf, error);
  if (status) {
    dc_error_prefix(error, "contact model manifold, body \"%s\"", body->name);
    return status;
  }
  if (own->follower)
    return DC_OK;
  own->level = *sdf;
  dc_vec_sub(own->level.position, own->level.position, body->center);
  return DC_OK;
}

// Size, softness, distance and edges of a body with a mesh.
static enum dc_status create_body(struct dc_contact *contact, int i, struct dc_error *error)
{
  const struct dc_body *body = &contact->bodies->bodies[i];
  const struct dc_collider *collider = &contact->colliders[i];
  struct dc_manifold_model_body *own = &((struct dc_manifold_model *)contact->own)->bodies[i];
  if (collider->triangle_count == 0)
    return DC_OK;
  own->size = dc_mesh_size(&measured(contact, i)->shape->mesh);
  own->softness = isnan(contact->settings.smoothing) ? SMOOTHING * own->size : contact->settings.smoothing;
  enum dc_status status = place_level(contact, i, own, error);
  if (status)
    return status;
  own->edges = dc_arena_alloc(contact->arena, 3 * (size_t)collider->triangle_count, sizeof *own->edges);
  if (!own->edges)
    return dc_out_of_memory_for(error, "the edges of %s", body->name);
  own->edge_count = dc_manifold_edges_of(&body->shape->mesh, own->edges);
  return measured(contact, i)->shape->sdf ? check_level(body, collider, own, error) : DC_OK;
}

// The manifold of the edges of a pair, with lengths relative to its bodies.
static enum dc_status create_pair(struct dc_contact *contact, int p, struct dc_error *error)
{
  const struct dc_manifold_model *model = contact->own;
  struct dc_manifold_model_pair *own = &model->pairs[p];
  const int bodies[2] = {contact->pairs[p].a, contact->pairs[p].b};
  if (contact->settings.edges < 1 || contact->colliders[bodies[1]].triangle_count == 0 ||
      contact->colliders[bodies[0]].triangle_count == 0)
    return DC_OK;
  struct dc_manifold_surface surfaces[2], sizes[2];
  for (int s = 0; s < 2; s++) {
    const struct dc_manifold_model_body *body = &model->bodies[bodies[s]];
    const struct dc_collider *collider = &contact->colliders[bodies[s]];
    surfaces[s] = (struct dc_manifold_surface){&body->level, collider->vertex_count, body->edge_count,
                                               (const double(*)[3])collider->vertices, (const int(*)[2])body->edges};
    sizes[s] = surfaces[s];
    sizes[s].vertices = (const double(*)[3])measured(contact, bodies[s])->shape->mesh.vertices;
  }
  struct dc_manifold_settings settings;
  dc_manifold_defaults(sizes, &settings);
  settings.edges = (int)contact->settings.edges;
  settings.levels = true;
  for (int s = 0; s < 2; s++)
    own->softness[s] = model->bodies[bodies[s]].softness;
  own->core = fmin(fmin(settings.core, settings.selection), fmin(own->softness[0], own->softness[1]));
  own->edges = dc_manifold_create(surfaces, &settings, error);
  if (!own->edges)
    return error->status;
  size_t count = (size_t)dc_manifold_most(own->edges);
  own->contacts = dc_arena_alloc(contact->arena, count, sizeof *own->contacts);
  own->by = dc_arena_alloc(contact->arena, count, sizeof *own->by);
  own->by_friction = dc_arena_alloc(contact->arena, count, sizeof *own->by_friction);
  bool complete = own->contacts && own->by && own->by_friction;
  for (int s = 0; s < 2 && complete; s++)
    if (model->bodies[bodies[s]].follower) {
      count = (size_t)dc_sdf_parameter_count(&model->bodies[bodies[s]].level);
      own->by_parameters[s] = dc_arena_alloc(contact->arena, count, sizeof **own->by_parameters);
      complete = own->by_parameters[s] != NULL;
    }
  return complete ? DC_OK : dc_out_of_memory_for(error, "contact manifolds");
}

// The distance from which on the walls act, 2 s/(1 - s) units of length, says the s of sdrs.
static void place_walls(struct dc_contact *contact)
{
  const struct dc_manifold_model *own = contact->own;
  double least = INFINITY;
  for (int i = 0; i < contact->bodies->count; i++)
    if (own->bodies[i].size > 0)
      least = fmin(least, own->bodies[i].size);
  double wall = !isnan(contact->settings.wall) ? contact->settings.wall : isfinite(least) ? REACH * least : REACH;
  double reach = wall / contact->settings.length;
  contact->settings.support = reach / (2 + reach);
}

// Walls are those of sdrs, between convex hulls; bodies come before pairs, which look at the level sets of both.
static enum dc_status create(struct dc_contact *contact, struct dc_error *error)
{
  struct dc_manifold_model *own = contact->own = dc_arena_alloc(contact->arena, 1, sizeof *own);
  if (!own || !(own->bodies = dc_arena_alloc(contact->arena, (size_t)contact->bodies->count, sizeof *own->bodies)) ||
      !(own->pairs = dc_arena_alloc(contact->arena, (size_t)contact->pair_count, sizeof *own->pairs)))
    return dc_out_of_memory_for(error, "contact manifolds");
  enum dc_status status = dc_sdrs_make_hulls(contact, &own->walls, error);
  for (int i = 0; i < contact->bodies->count && !status; i++)
    status = create_body(contact, i, error);
  for (int p = 0; p < contact->pair_count && !status; p++)
    status = create_pair(contact, p, error);
  if (!status)
    place_walls(contact);
  return status;
}

static void destroy(struct dc_contact *contact)
{
  const struct dc_manifold_model *own = contact->own;
  dc_sdrs_destroy(contact);
  for (int p = 0; own && own->pairs && p < contact->pair_count; p++)
    dc_manifold_destroy(own->pairs[p].edges);
}

static void reset(struct dc_contact *contact)
{
  dc_sdrs_reset(contact);
}

// The walls of the convex parts keep bodies apart; vertices and edges against level sets add smooth normals.
static void evaluate_pair(struct dc_contact *contact, int p, const struct dc_pose *poses, int order,
                          struct dc_pair_derivatives *result)
{
  struct dc_pair *pair = &contact->pairs[p];
  dc_sdrs_evaluate_pair(contact, p, poses, order, result);
  if (pair->failed || pair->crossing)
    return;
  dc_manifold_add_vertices(contact, p, 0, poses, order, result);
  dc_manifold_add_vertices(contact, p, 1, poses, order, result);
  dc_manifold_add_edges(contact, p, poses, order, result);
  pair->counts.visited += contact->colliders[pair->a].vertex_count + contact->colliders[pair->b].vertex_count;
}

static void evaluate_primitive(struct dc_contact *contact, int p, const struct dc_pose *poses, int order,
                               struct dc_pair_derivatives *result)
{
  struct dc_pair *pair = &contact->pairs[p];
  dc_primitive_pair(contact, pair, &poses[pair->a], order, dc_primitive_far_barrier, result);
}

static const struct dc_contact_methods methods = {.create = create,
                                                  .destroy = destroy,
                                                  .reset = reset,
                                                  .evaluate_pair = evaluate_pair,
                                                  .evaluate_primitive = evaluate_primitive,
                                                  .friction = &dc_manifold_friction_methods,
                                                  .points = &dc_manifold_points};

const struct dc_contact_model dc_contact_manifold = {
    .name = "manifold",
    .summary =
        "signed distances of smooth contact manifolds weighed by their activities, before a wall of convex hulls",
    .reference = "paper 001; docs/theory.md, \"Contact manifolds\"",
    .options = dc_manifold_options,
    .flags = DC_CONTACT_TWICE_DIFFERENTIABLE | DC_CONTACT_LONG_RANGE | DC_CONTACT_FRICTION | DC_CONTACT_LEANING |
             DC_CONTACT_SHAPES | DC_CONTACT_SURFACES | DC_CONTACT_LEVELS,
    .methods = &methods,
};
