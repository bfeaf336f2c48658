// SPDX-License-Identifier: Apache-2.0
// Convex leaves: the surface of a shape as rounded convex hulls (docs/theory/contact.md, "Convex leaves").
//
// 1. A sphere is one vertex with its radius, a capsule two.  Their mass properties are those of the round solids, not
//    of the mesh that pictures show.
// 2. Any other shape that is a union of convex parts has a leaf per part: the corners of its hull, radius 0.
// 3. What is no union of convex parts keeps its triangles, where leaves are asked for as leaves of three vertices.
// 4. A compound has the leaves of its members at their places.
//
// By default a shape has leaves beside its mesh, and contact chooses (contact/common/collider.c).
#include <math.h>
#include <string.h>

#include "geometry/convex/hull.h"
#include "geometry/shapes/shape_options.h"
#include "math/rotation.h"
#include "math/vector.h"

static const double PI = 3.14159265358979323846;

// The option of a shape's surface, or NULL.
static int *surface_of(const struct dc_shape_type *type, void *options)
{
  int i = type->options ? dc_option_find(type->options, "surface") : -1;
  return i >= 0 ? (int *)((char *)options + type->options[i].offset) : NULL;
}

// Replaces the default of the surface option only; a surface that the scene asks for stays.
void dc_shape_keep_mesh(const struct dc_shape_type *type, void *options)
{
  int *surface = surface_of(type, options);
  if (surface && *surface == DC_SURFACE_AUTO)
    *surface = DC_SURFACE_MESH;
}

// Area of the surface of a hull, m^2.
static double area_of(const struct dc_mesh *mesh)
{
  double area = 0;
  for (int t = 0; t < mesh->triangle_count; t++) {
    const int *v = mesh->triangles[t];
    area += dc_triangle_area(mesh->vertices[v[0]], mesh->vertices[v[1]], mesh->vertices[v[2]]);
  }
  return area;
}

// One leaf of `count` vertices on the z axis, from -half to half.
static enum dc_status round_leaf(struct dc_shape *shape, int count, double radius, double half, struct dc_arena *arena,
                                 struct dc_error *error)
{
  struct dc_shape_leaf *leaf = dc_arena_alloc(arena, 1, sizeof *leaf);
  double(*vertices)[3] = dc_arena_alloc(arena, (size_t)count, sizeof *vertices);
  if (!leaf || !vertices)
    return dc_out_of_memory_for(error, "a leaf");
  vertices[0][2] = count > 1 ? -half : 0;
  if (count > 1)
    vertices[1][2] = half;
  *leaf = (struct dc_shape_leaf){.vertex_count = count,
                                 .vertices = (const double(*)[3])vertices,
                                 .radius = radius,
                                 .area = 4 * PI * radius * (radius + half)};
  shape->leaf_count = 1;
  shape->leaves = leaf;
  return DC_OK;
}

// The mass properties of a ball (half 0) or a capsule of two half balls on a cylinder from -half to half, with volumes
// b and c:  integral z^2 = c half^2/3 + b (r^2/5 + 3 half r/4 + half^2),  integral x^2 = c r^2/4 + b r^2/5.
static void round_properties(double radius, double half, struct dc_mass_properties *properties)
{
  double r2 = radius * radius, ball = 4 * PI / 3 * r2 * radius, cylinder = 2 * PI * r2 * half;
  double across = cylinder * r2 / 4 + ball * r2 / 5;
  double along = cylinder * half * half / 3 + ball * (r2 / 5 + 0.75 * half * radius + half * half);
  *properties = (struct dc_mass_properties){.volume = ball + cylinder,
                                            .surface_area = 4 * PI * radius * (radius + half),
                                            .second_moment = {across, 0, 0, 0, across, 0, 0, 0, along}};
}

// The corners of a convex part's hull; no vertices when there are too many and leaves are not required.
static enum dc_status hull_leaf(const struct dc_mesh *part, int index, bool required, struct dc_arena *arena,
                                struct dc_shape_leaf *leaf, struct dc_error *error)
{
  struct dc_mesh hull = {0};
  enum dc_status status = dc_hull((const double(*)[3])part->vertices, part->vertex_count, arena, &hull, error);
  if (status)
    return status;
  if (hull.vertex_count > DC_LEAF_VERTICES && !required)
    return DC_OK;
  if (hull.vertex_count > DC_LEAF_VERTICES)
    return dc_fail(error, DC_BAD_INPUT,
                   "surface: part %d of the shape has %d corners, a leaf at most %d; simplify it (\"hull_points\" of a "
                   "mesh, \"sides\" of a cylinder) or set \"surface\": \"mesh\"",
                   index + 1, hull.vertex_count, DC_LEAF_VERTICES);
  *leaf = (struct dc_shape_leaf){
      .vertex_count = hull.vertex_count, .vertices = (const double(*)[3])hull.vertices, .area = area_of(&hull)};
  return DC_OK;
}

// A leaf per triangle, with radius 0.  Its corners are copied, since a leaf has its vertices side by side.
static enum dc_status triangle_leaves(const struct dc_mesh *mesh, struct dc_arena *arena, struct dc_shape_leaf *leaves,
                                      struct dc_error *error)
{
  double(*vertices)[3] = dc_arena_alloc(arena, 3 * (size_t)mesh->triangle_count, sizeof *vertices);
  if (!vertices)
    return dc_out_of_memory_for(error, "%d triangles", mesh->triangle_count);
  for (int t = 0; t < mesh->triangle_count; t++) {
    double(*own)[3] = vertices + 3 * t;
    for (int k = 0; k < 3; k++)
      dc_vec_copy(own[k], mesh->vertices[mesh->triangles[t][k]]);
    leaves[t] = (struct dc_shape_leaf){
        .vertex_count = 3, .vertices = (const double(*)[3])own, .area = dc_triangle_area(own[0], own[1], own[2])};
  }
  return DC_OK;
}

// Leaves of a shape that is neither round nor a compound: of its parts, or of its triangles where they are required.
static enum dc_status plain_leaves(struct dc_shape *shape, struct dc_arena *arena, struct dc_error *error)
{
  if (shape->part_count == 0 && !shape->leaves_required)
    return DC_OK;
  int count = shape->part_count > 0 ? shape->part_count : shape->mesh.triangle_count;
  struct dc_shape_leaf *leaves = dc_arena_alloc(arena, (size_t)count, sizeof *leaves);
  if (!leaves)
    return dc_out_of_memory_for(error, "%d leaves", count);
  enum dc_status status = DC_OK;
  if (shape->part_count == 0)
    status = triangle_leaves(&shape->mesh, arena, leaves, error);
  for (int i = 0; i < shape->part_count && !status; i++) {
    status = hull_leaf(&shape->parts[i], i, shape->leaves_required, arena, &leaves[i], error);
    if (!status && leaves[i].vertex_count == 0)
      return DC_OK;
  }
  if (status)
    return status;
  shape->leaf_count = count;
  shape->leaves = leaves;
  return DC_OK;
}

// Rotates and shifts a member's leaf into the frame of the compound: x = R v + p, in new memory; radius and area stay.
static enum dc_status place_leaf(const struct dc_compound_part *part, struct dc_arena *arena,
                                 struct dc_shape_leaf *leaf, struct dc_error *error)
{
  double quaternion[4], rotation[9], (*placed)[3] = dc_arena_alloc(arena, (size_t)leaf->vertex_count, sizeof *placed);
  if (!placed)
    return dc_out_of_memory_for(error, "a leaf");
  memcpy(quaternion, part->rotation, sizeof quaternion);
  dc_rotation_normalize(quaternion);
  dc_rotation_matrix(rotation, quaternion);
  for (int v = 0; v < leaf->vertex_count; v++) {
    dc_mat_apply(placed[v], rotation, leaf->vertices[v]);
    dc_vec_add(placed[v], placed[v], part->position);
  }
  leaf->vertices = (const double(*)[3])placed;
  return DC_OK;
}

// The mass properties of a compound are the sums of its members', whose round ones are not those of their meshes.
// A member with volume V_i, centre c_i, rotation R and second moment S_i about its centre adds R S_i R^T + V_i c_i
// c_i^T about the origin.  V c c^T of the whole is taken off in the end, which moves the sum to the common centre c.
static void sum_properties(const struct dc_compound_options *options, const struct dc_shape *shapes,
                           struct dc_mass_properties *properties)
{
  const struct dc_compound_part *parts = options->parts.objects;
  struct dc_mass_properties sum = {0};
  double matrix[9], half[9], turned[9];
  for (int i = 0; i < options->parts.count; i++) {
    const struct dc_mass_properties *own = &shapes[parts[i].shape].properties;
    double quaternion[4], center[3];
    memcpy(quaternion, parts[i].rotation, sizeof quaternion);
    dc_rotation_normalize(quaternion);
    dc_rotation_matrix(matrix, quaternion);
    dc_mat_apply(center, matrix, own->center);
    dc_vec_add(center, center, parts[i].position);
    dc_mat_multiply(half, matrix, own->second_moment);
    dc_mat_multiply_transposed(turned, half, matrix);
    for (int k = 0; k < 9; k++)
      sum.second_moment[k] += turned[k] + own->volume * center[k / 3] * center[k % 3];
    dc_vec_add_scaled(sum.center, sum.center, own->volume, center);
    sum.volume += own->volume;
    sum.surface_area += own->surface_area;
  }
  dc_vec_scale(sum.center, sum.center, 1 / sum.volume);
  for (int k = 0; k < 9; k++)
    sum.second_moment[k] -= sum.volume * sum.center[k / 3] * sum.center[k % 3];
  *properties = sum;
}

// The leaves of a compound are those of its members, as soon as one of them has leaves.
// Members without leaves add their triangles then, so that one surface has one kind of contact.  Leaves are copied, and
// their vertices placed in new memory: a member may belong to several compounds.
static enum dc_status compound_leaves(struct dc_shape *shape, const struct dc_shape *shapes, struct dc_arena *arena,
                                      struct dc_error *error)
{
  const struct dc_compound_options *options = shape->options;
  const struct dc_compound_part *parts = options->parts.objects;
  int count = 0;
  bool has = false, round = false;
  for (int i = 0; i < options->parts.count; i++) {
    const struct dc_shape *member = &shapes[parts[i].shape];
    has |= member->leaf_count > 0;
    round |= member->type == &dc_shape_sphere || member->type == &dc_shape_capsule;
    shape->leaves_required |= member->leaves_required;
    count += member->leaf_count > 0 ? member->leaf_count : member->mesh.triangle_count;
  }
  if (!has)
    return DC_OK;
  if (round)
    sum_properties(options, shapes, &shape->properties);
  struct dc_shape_leaf *leaves = dc_arena_alloc(arena, (size_t)count, sizeof *leaves);
  if (!leaves)
    return dc_out_of_memory_for(error, "%d leaves", count);
  count = 0;
  for (int i = 0; i < options->parts.count; i++) {
    const struct dc_shape *member = &shapes[parts[i].shape];
    int own = member->leaf_count > 0 ? member->leaf_count : member->mesh.triangle_count;
    enum dc_status status = DC_OK;
    if (member->leaf_count > 0)
      memcpy(leaves + count, member->leaves, (size_t)own * sizeof *leaves);
    else
      status = triangle_leaves(&member->mesh, arena, leaves + count, error);
    for (int k = 0; k < own && !status; k++)
      status = place_leaf(&parts[i], arena, &leaves[count + k], error);
    if (status)
      return status;
    count += own;
  }
  shape->leaf_count = count;
  shape->leaves = leaves;
  return DC_OK;
}

// Chooses between the numbered cases of the head.  The members of a compound must have their leaves already.
enum dc_status dc_shape_make_leaves(struct dc_shape *shape, const struct dc_shape *shapes, struct dc_arena *arena,
                                    struct dc_error *error)
{
  double size[3];
  shape->leaf_count = 0;
  shape->leaves = NULL;
  shape->leaves_required = false;
  if (shape->type == &dc_shape_compound)
    return compound_leaves(shape, shapes, arena, error);
  const int *surface = surface_of(shape->type, (void *)shape->options);
  if (!surface || *surface == DC_SURFACE_MESH)
    return DC_OK;
  shape->leaves_required = *surface == DC_SURFACE_LEAVES;
  bool ball = shape->type == &dc_shape_sphere;
  if (!ball && shape->type != &dc_shape_capsule)
    return plain_leaves(shape, arena, error);
  dc_shape_primitive(shape, size);
  double half = ball ? 0 : 0.5 * size[1];
  round_properties(size[0], half, &shape->properties);
  return round_leaf(shape, ball ? 1 : 2, size[0], half, arena, error);
}
