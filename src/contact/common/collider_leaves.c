// SPDX-License-Identifier: Apache-2.0
// Colliders of bodies whose surface is convex leaves (docs/theory/contact.md, "Convex leaves"): vertices and radii of
// the leaves about the centre of mass, their weights, and a sphere tree whose leaves they are.
//
// A leaf of k vertices has the share area_i / area of the body's weight, its vertices 1/k of that each.  Its sphere is
// about its mean vertex.
//
// A leaf of a fixed body weighs 1, however large: its plane then holds a body by the force that a half-space has
// (docs/theory/contact.md, "Convex leaves").  Only a leaf that is smaller than what it bears weighs less, as several of
// them meet it: by its area over the reference area.  Where weights are by contact it is the mean projection, a quarter
// of the area (Cauchy's formula for convex bodies), over that of the patch.
#include <stdlib.h>

#include "contact/common/collider_internal.h"
#include "math/vector.h"

static const double PI = 3.14159265358979323846;

void dc_leaf_projection(double area, double *projected, double *outline)
{
  *projected = area / 4;
  *outline = sqrt(PI * area);
}

static void set_weights(struct dc_collider *collider, const struct dc_shape *shape, double unit_area,
                        const struct dc_contact_patch *fixed)
{
  double total = 0;
  for (int i = 0; i < shape->leaf_count; i++)
    total += shape->leaves[i].area;
  for (int i = 0; i < shape->leaf_count; i++) {
    double area = fmax(shape->leaves[i].area, DC_LEAST_RELATIVE_AREA * total / shape->leaf_count), projected, outline;
    dc_leaf_projection(area, &projected, &outline);
    double part = fixed ? projected / fixed->area : area / unit_area;
    collider->leaf_weight[i] = isnan(unit_area) ? area / total : fmin(1, part);
    for (int v = collider->leaf_first[i]; v < collider->leaf_first[i + 1]; v++)
      collider->vertex_weight[v] = area / (total * shape->leaves[i].vertex_count);
  }
}

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

enum dc_status dc_collider_create_leaves(struct dc_contact *contact, const struct dc_body *body, double unit_area,
                                         const struct dc_contact_patch *fixed, struct dc_collider *collider,
                                         struct dc_error *error)
{
  const struct dc_shape *shape = body->shape;
  struct dc_arena *arena = contact->arena;
  size_t leaves = (size_t)shape->leaf_count, vertices = 0;
  for (size_t i = 0; i < leaves; i++)
    vertices += (size_t)shape->leaves[i].vertex_count;
  int *first = dc_arena_alloc(arena, leaves + 1, sizeof *first);
  double *leaf_radius = dc_arena_alloc(arena, leaves, sizeof *leaf_radius);
  double *vertex_radius = dc_arena_alloc(arena, vertices, sizeof *vertex_radius);
  collider->parts = dc_arena_alloc(arena, leaves, sizeof *collider->parts);
  collider->vertices = dc_arena_alloc(arena, vertices, sizeof *collider->vertices);
  collider->turned = dc_arena_alloc(arena, vertices, sizeof *collider->turned);
  collider->spheres = dc_arena_alloc(arena, 2 * leaves, sizeof *collider->spheres);
  collider->vertex_weight = dc_arena_alloc(arena, vertices, sizeof *collider->vertex_weight);
  collider->leaf_weight = dc_arena_alloc(arena, leaves, sizeof *collider->leaf_weight);
  if (!first || !leaf_radius || !vertex_radius || !collider->parts || !collider->vertices || !collider->turned ||
      !collider->spheres || !collider->vertex_weight || !collider->leaf_weight)
    return dc_out_of_memory_for(error, "the collider of %s", body->name);
  collider->body = body;
  collider->vertex_count = (int)vertices;
  collider->triangle_count = collider->part_count = (int)leaves;
  collider->leaf_first = first;
  collider->leaf_radius = leaf_radius;
  collider->vertex_radius = vertex_radius;
  for (int i = 0, v = 0; i < shape->leaf_count; i++) {
    const struct dc_shape_leaf *leaf = &shape->leaves[i];
    leaf_radius[i] = leaf->radius;
    collider->parts[i] = v;
    for (int k = 0; k < leaf->vertex_count; k++, v++) {
      dc_vec_sub(collider->vertices[v], leaf->vertices[k], body->center);
      vertex_radius[v] = leaf->radius;
      collider->radius = fmax(collider->radius, dc_vec_norm(collider->vertices[v]) + leaf->radius);
    }
    first[i + 1] = v;
  }
  set_weights(collider, shape, unit_area, fixed);
  return build_tree(contact, collider, error);
}
