// SPDX-License-Identifier: Apache-2.0
// Colliders of bodies whose surface is convex leaves (docs/theory/contact.md, "Convex leaves"): vertices and radii of
// the leaves about the centre of mass, their weights, and a sphere tree whose leaves they are.
//
// A leaf of k vertices has the share area_i / area of the body's weight, its vertices 1/k of that each.  Its sphere is
// about its mean vertex.
//
// A leaf of a fixed body weighs at most 1, however large: its plane then holds a body by the force that a half-space
// has (docs/theory/contact.md, "Convex leaves").  Only a leaf that is smaller than what it bears weighs less, as
// several of them meet it: by its area over the reference area.  Where weights are by contact it is the mean
// projection, a quarter of the area (Cauchy's formula for convex bodies), over that of the patch.  From afar a fixed
// leaf is to be felt as its triangles are: what they weigh more is the weight of its core (collider_cores.c).
#include <stdlib.h>
#include <string.h>

#include "contact/common/collider_internal.h"
#include "math/vector.h"

// Vertices of round leaves stand for less before a half-space.  A ball has S = (sqrt 3 + sqrt 1.5)^2 / gap before a
// face, and so has a capsule that lies on it, but with its whole weight 12 before a half-space, where a box has 6
// before both.
static const double ROUND = 0.72855339059327376;  // (sqrt 3 + sqrt 1.5)^2 / 12
// Cores that weigh less, against 1 of their leaves, cost more than they are worth.
static const double LEAST_CORE = 0.5;

static const double CENTRED = 1e-14;  // of its radius: a ball's distance from its centre of mass that is rounding

// The leaves of a body as contact sees them, those of its shape first, and their weights.
struct leaves {
  int count;
  struct dc_shape_leaf *all;
  double *weight, *share;  // share of the body's area that a vertex stands for
};

static double leaf_area(const struct dc_shape *shape, int i, double total)
{
  return fmax(shape->leaves[i].area, DC_LEAST_RELATIVE_AREA * total / shape->leaf_count);
}

// Appends the core of a fixed leaf that its triangles outweigh.
static enum dc_status add_core(struct leaves *leaves, int i, double rest, double unit_area, struct dc_arena *arena,
                               struct dc_error *error)
{
  double depth;
  enum dc_status status =
      rest > 0 ? dc_leaf_core(&leaves->all[i], arena, &leaves->all[leaves->count], &depth, error) : DC_OK;
  if (status || !(rest > 0))
    return status;
  double weight = fmin(rest, dc_core_most_weight(depth, unit_area));
  if (!(weight > LEAST_CORE))
    return DC_OK;
  leaves->weight[leaves->count++] = weight;
  return DC_OK;
}

// The weight of a leaf that is as large as the part of its body that it is.
static double weight_of(const struct dc_contact *contact, double area, double unit_area,
                        const struct dc_contact_patch *patch)
{
  double projected, outline;
  bool bears = contact->settings.weights == DC_WEIGHTS_CONTACT && patch->area > 0;
  dc_leaf_projection(area, &projected, &outline);
  return fmin(1, bears ? projected / patch->area : area / unit_area);
}

// unit_area and patch as of dc_collider_create_leaves.
static enum dc_status list_leaves(const struct dc_contact *contact, const struct dc_shape *shape, double unit_area,
                                  const struct dc_contact_patch *patch, struct leaves *leaves, struct dc_error *error)
{
  struct dc_arena *arena = contact->arena;
  size_t most = 2 * (size_t)shape->leaf_count;
  leaves->all = dc_arena_alloc(arena, most, sizeof *leaves->all);
  leaves->weight = dc_arena_alloc(arena, most, sizeof *leaves->weight);
  leaves->share = dc_arena_alloc(arena, most, sizeof *leaves->share);
  if (!leaves->all || !leaves->weight || !leaves->share)
    return dc_out_of_memory_for(error, "%d leaves", shape->leaf_count);
  double total = 0;
  for (int i = 0; i < shape->leaf_count; i++)
    total += shape->leaves[i].area;
  for (int i = 0; i < shape->leaf_count; i++) {
    double area = leaf_area(shape, i, total);
    leaves->all[i] = shape->leaves[i];
    leaves->weight[i] = isnan(unit_area) ? area / total : weight_of(contact, area, unit_area, patch);
    leaves->share[i] = (shape->leaves[i].radius > 0 ? ROUND : 1) * area / (total * shape->leaves[i].vertex_count);
  }
  leaves->count = shape->leaf_count;
  enum dc_status status = DC_OK;
  for (int i = 0; i < shape->leaf_count && !status && !isnan(unit_area) && patch->area > 0; i++)
    status = add_core(leaves, i, dc_bearing_weight_of_solid(patch, leaf_area(shape, i, total)) - leaves->weight[i],
                      unit_area, arena, error);
  return status;
}

// Each leaf is bounded by a sphere about the mean of its vertices, with its rounding on top; the tree is built over
// these spheres.
static enum dc_status build_tree(struct dc_contact *contact, struct dc_collider *collider, struct dc_error *error)
{
  size_t count = (size_t)collider->triangle_count;
  double(*centers)[3] = dc_alloc(count, sizeof *centers), *radii = dc_alloc(count, sizeof *radii);
  enum dc_status status = DC_OK;
  if (!centers || !radii)
    status = dc_out_of_memory_for(error, "a tree of %zu leaves", count);
  for (size_t i = 0; i < count && !status; i++) {
    int first = collider->leaf_first[i], end = collider->leaf_first[i + 1];
    for (int v = first; v < end; v++)
      dc_vec_add_scaled(centers[i], centers[i], 1.0 / (end - first), collider->vertices[v]);
    for (int v = first; v < end; v++)
      radii[i] = fmax(radii[i], dc_vec_distance(centers[i], collider->vertices[v]));
    radii[i] += collider->leaf_radius[i];
  }
  if (!status)
    status = dc_sphere_tree_build_over(&collider->tree, (const double(*)[3])centers, radii, (int)count,
                                       collider->leaf_weight, contact->arena, error);
  free(centers);
  free(radii);
  return status;
}

// Whether a collider is a ball about its origin; a centre that rounding has moved is put there.
static bool is_ball(struct dc_collider *collider)
{
  if (collider->vertex_count != 1 || dc_vec_norm(collider->vertices[0]) > CENTRED * collider->radius)
    return false;
  memset(collider->vertices[0], 0, sizeof collider->vertices[0]);
  return true;
}

// Leaves stand where triangles would: counts, weights and the tree are those of leaves, and vertices [vertices][3] are
// those of leaf 0, leaf 1, ... about the centre of mass.
enum dc_status dc_collider_create_leaves(struct dc_contact *contact, const struct dc_body *body, double unit_area,
                                         const struct dc_contact_patch *patch, struct dc_collider *collider,
                                         struct dc_error *error)
{
  struct dc_arena *arena = contact->arena;
  struct leaves leaves = {0};
  enum dc_status status = list_leaves(contact, body->shape, unit_area, patch, &leaves, error);
  if (status)
    return status;
  size_t count = (size_t)leaves.count, vertices = 0;
  for (size_t i = 0; i < count; i++)
    vertices += (size_t)leaves.all[i].vertex_count;
  int *first = dc_arena_alloc(arena, count + 1, sizeof *first);
  double *leaf_radius = dc_arena_alloc(arena, count, sizeof *leaf_radius);
  double *vertex_radius = dc_arena_alloc(arena, vertices, sizeof *vertex_radius);
  collider->parts = dc_arena_alloc(arena, count, sizeof *collider->parts);
  collider->vertices = dc_arena_alloc(arena, vertices, sizeof *collider->vertices);
  collider->turned = dc_arena_alloc(arena, vertices, sizeof *collider->turned);
  collider->spheres = dc_arena_alloc(arena, 2 * count, sizeof *collider->spheres);
  collider->vertex_weight = dc_arena_alloc(arena, vertices, sizeof *collider->vertex_weight);
  if (!first || !leaf_radius || !vertex_radius || !collider->parts || !collider->vertices || !collider->turned ||
      !collider->spheres || !collider->vertex_weight)
    return dc_out_of_memory_for(error, "the collider of %s", body->name);
  collider->body = body;
  collider->vertex_count = (int)vertices;
  collider->triangle_count = collider->part_count = leaves.count;
  collider->leaf_weight = leaves.weight;
  collider->leaf_first = first;
  collider->leaf_radius = leaf_radius;
  collider->vertex_radius = vertex_radius;
  for (int i = 0, v = 0; i < leaves.count; i++) {
    const struct dc_shape_leaf *leaf = &leaves.all[i];
    leaf_radius[i] = leaf->radius;
    collider->parts[i] = v;
    for (int k = 0; k < leaf->vertex_count; k++, v++) {
      dc_vec_sub(collider->vertices[v], leaf->vertices[k], body->center);
      vertex_radius[v] = leaf->radius;
      collider->vertex_weight[v] = leaves.share[i];
      collider->radius = fmax(collider->radius, dc_vec_norm(collider->vertices[v]) + leaf->radius);
    }
    first[i + 1] = v;
  }
  collider->ball = is_ball(collider);
  return build_tree(contact, collider, error);
}
