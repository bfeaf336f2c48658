// SPDX-License-Identifier: Apache-2.0
// Compound: the union of other shapes, each at a place of its own.
//
// Surfaces are put side by side, a group each, and not cut where they overlap: volumes, and so masses, of members add
// up.  Convex parts are known only if all members have them; otherwise the compound has none.
#include <stddef.h>

#include "geometry/shapes/shape_options.h"
#include "math/rotation.h"
#include "math/vector.h"

enum { MOST_PARTS = 10000 };

static const struct dc_option part_option_table[] = {
    DC_SHAPE_OPTION(struct dc_compound_part, shape, NULL,
                    "name of another shape of the scene; no half-space, no compound, none with a signed distance"),
    DC_PLACE_OPTIONS(struct dc_compound_part, "position of the origin of its frame",
                     "rotation of its frame, unit quaternion (w, x, y, z)"),
    DC_OPTIONS_END,
};

static const struct dc_option compound_option_table[] = {
    DC_OBJECT_LIST_OPTION(struct dc_compound_options, parts, NULL, MOST_PARTS, part_option_table,
                          struct dc_compound_part, "shapes that it is the union of, each with its place"),
    DC_OPTIONS_END,
};

// Sizes of a union, needed before memory is allocated.
struct sizes {
  size_t vertices, triangles;
  int convex_parts;  // of all members; -1: one of them is not known to be convex parts
};

// Position and rotation of a part, by their own options' rules and as a unit quaternion.
static enum dc_status check_place(const struct dc_compound_part *part, int index, struct dc_error *error)
{
  char text[128];
  for (int k = 0; k < 7; k++) {
    const struct dc_option *option = &part_option_table[k < 3 ? 1 : 2];
    const char *rule = dc_option_check(option, k < 3 ? part->position[k] : part->rotation[k - 3], text, sizeof text);
    if (rule)
      return dc_fail(error, DC_BAD_INPUT, "parts[%d].%s: %s", index, option->name, rule);
  }
  double length;
  return dc_shape_check_rotation(part->rotation, index, &length, error);
}

// Checks a part's shape, which must be a surface of its own, and adds its numbers of vertices and triangles.
static enum dc_status check_part(const struct dc_compound_part *part, int index, int count,
                                 const struct dc_shape *shapes, struct sizes *sizes, struct dc_error *error)
{
  if (part->shape < 0 || part->shape >= count)
    return dc_fail(error, DC_BAD_INPUT, "parts[%d].shape: must name a shape", index);
  const struct dc_shape *member = &shapes[part->shape];
  if (member->type->unite && member->type != &dc_shape_hulls)
    return dc_fail(error, DC_BAD_INPUT, "parts[%d].shape: must not be a %s (\"%s\" is one)", index,
                   member->type == &dc_shape_compound ? "compound" : "shape with a signed distance", member->name);
  if (member->type->half_space)
    return dc_fail(error, DC_BAD_INPUT, "parts[%d].shape: must not be a half-space (\"%s\" is one)", index,
                   member->name);
  if (!dc_shape_has_surface(member))
    return dc_fail(error, DC_BAD_INPUT, "parts[%d].shape: \"%s\" has no surface", index, member->name);
  sizes->vertices += (size_t)member->mesh.vertex_count;
  sizes->triangles += (size_t)member->mesh.triangle_count;
  sizes->convex_parts =
      member->part_count == 0 || sizes->convex_parts < 0 ? -1 : sizes->convex_parts + member->part_count;
  return check_place(part, index, error);
}

struct place {
  double position[3], rotation[9];
};

// vertices [count] as they stand in the frame of the compound.
static void place_vertices(const struct place *place, int count, const double (*vertices)[3], double (*placed)[3])
{
  for (int v = 0; v < count; v++) {
    dc_mat_apply(placed[v], place->rotation, vertices[v]);
    dc_vec_add(placed[v], placed[v], place->position);
  }
}

// Adds a member's mesh, moved to its place; corners of triangles count on.
static void append(struct dc_mesh *mesh, const struct dc_mesh *member, const struct place *place)
{
  place_vertices(place, member->vertex_count, (const double(*)[3])member->vertices,
                 mesh->vertices + mesh->vertex_count);
  for (int t = 0; t < member->triangle_count; t++)
    for (int k = 0; k < 3; k++)
      mesh->triangles[mesh->triangle_count + t][k] = mesh->vertex_count + member->triangles[t][k];
  mesh->vertex_count += member->vertex_count;
  mesh->triangle_count += member->triangle_count;
}

// A convex part of a member, with vertices of its own; the triangles are shared.
static enum dc_status place_convex(struct dc_mesh *convex, const struct place *place, struct dc_arena *arena,
                                   struct dc_error *error)
{
  const double(*vertices)[3] = (const double(*)[3])convex->vertices;
  convex->vertices = dc_arena_alloc(arena, (size_t)convex->vertex_count, sizeof *convex->vertices);
  if (!convex->vertices)
    return dc_out_of_memory_for(error, "%d vertices", convex->vertex_count);
  place_vertices(place, convex->vertex_count, vertices, convex->vertices);
  return DC_OK;
}

// Places the meshes of all parts in one mesh, a group for each, and their convex parts.
static enum dc_status unite(struct dc_shape *shape, int count, const struct dc_shape *shapes, struct dc_arena *arena,
                            struct dc_error *error)
{
  const struct dc_compound_options *options = shape->options;
  const struct dc_compound_part *parts = options->parts.objects;
  int part_count = options->parts.count;
  struct sizes sizes = {0};
  if (part_count < 1)
    return dc_fail(error, DC_BAD_INPUT, "parts: must hold at least one part");
  for (int i = 0; i < part_count; i++) {
    enum dc_status status = check_part(&parts[i], i, count, shapes, &sizes, error);
    if (status)
      return status;
  }
  if (sizes.triangles > DC_MESH_TRIANGLES_MAX || sizes.vertices > DC_MESH_TRIANGLES_MAX)
    return dc_fail(error, DC_BAD_INPUT, "parts: must have at most %d triangles together (have %zu)",
                   DC_MESH_TRIANGLES_MAX, sizes.triangles);
  struct dc_mesh mesh = {.group_count = part_count};
  int *start = dc_arena_alloc(arena, (size_t)part_count + 1, sizeof *start);
  struct dc_mesh *convex =
      dc_arena_alloc(arena, sizes.convex_parts > 0 ? (size_t)sizes.convex_parts : 0, sizeof *convex);
  mesh.vertices = dc_arena_alloc(arena, sizes.vertices, sizeof *mesh.vertices);
  mesh.triangles = dc_arena_alloc(arena, sizes.triangles, sizeof *mesh.triangles);
  if (!start || !convex || !mesh.vertices || !mesh.triangles)
    return dc_out_of_memory_for(error, "%zu triangles", sizes.triangles);
  int convex_count = 0;
  for (int i = 0; i < part_count; i++) {
    const struct dc_shape *member = &shapes[parts[i].shape];
    struct place place;
    double quaternion[4];
    for (int k = 0; k < 4; k++)
      quaternion[k] = parts[i].rotation[k];
    dc_rotation_normalize(quaternion);
    dc_rotation_matrix(place.rotation, quaternion);
    dc_vec_copy(place.position, parts[i].position);
    append(&mesh, &member->mesh, &place);
    start[i + 1] = mesh.triangle_count;
    for (int k = 0; k < member->part_count && sizes.convex_parts > 0; k++) {
      convex[convex_count] = member->parts[k];
      enum dc_status status = place_convex(&convex[convex_count++], &place, arena, error);
      if (status)
        return status;
    }
  }
  mesh.group_start = start;
  shape->mesh = mesh;
  shape->part_count = convex_count;
  shape->parts = convex_count ? convex : NULL;
  return DC_OK;
}

const struct dc_shape_type dc_shape_compound = {
    .name = "compound",
    .summary = "union of other shapes, each at its place",
    .options = compound_option_table,
    .options_size = sizeof(struct dc_compound_options),
    .unite = unite,
};
