// SPDX-License-Identifier: Apache-2.0
// Groups of a mesh ("g" and "o" of OBJ, members of compounds): ranges of triangles that follow each other.
//
// Hulls: each group is replaced by its hull (dc_mesh_hulls).  Convex parts: the mesh stays as it is, and either it or
// all of its groups are closed convex surfaces (dc_mesh_convex_parts).  A mesh of which neither is true has no convex
// parts and can only be touched as a surface.
#include "geometry/mesh/mesh_groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/convex/hull.h"
#include "geometry/mesh/constants.h"
#include "geometry/mesh/mesh_simplify.h"
#include "math/svd3.h"
#include "math/vector.h"

static enum dc_status fail_memory(const struct dc_mesh *mesh, struct dc_error *error)
{
  return dc_out_of_memory_for(error, "the groups of a mesh of %d triangles", mesh->triangle_count);
}

// Triangles *first to *end - 1 of a group; a mesh without groups is its group 0.
static void group_range(const struct dc_mesh *mesh, int group, int *first, int *end)
{
  *first = mesh->group_count ? mesh->group_start[group] : 0;
  *end = mesh->group_count ? mesh->group_start[group + 1] : mesh->triangle_count;
}

// Extracts a group as a mesh with its own vertices, in order of appearance.  number [vertex_count] is zero before and
// after.
static enum dc_status extract(const struct dc_mesh *mesh, int group, int *number, struct dc_arena *arena,
                              struct dc_mesh *part, struct dc_error *error)
{
  int first, end, vertex_count = 0;
  group_range(mesh, group, &first, &end);
  *part = (struct dc_mesh){.triangle_count = end - first};
  for (int t = first; t < end; t++)
    for (int k = 0; k < 3; k++)
      if (!number[mesh->triangles[t][k]])
        number[mesh->triangles[t][k]] = ++vertex_count;
  part->vertices = dc_arena_alloc(arena, (size_t)vertex_count, sizeof *part->vertices);
  part->triangles = dc_arena_alloc(arena, (size_t)part->triangle_count, sizeof *part->triangles);
  if (!part->vertices || !part->triangles)
    return fail_memory(mesh, error);
  part->vertex_count = vertex_count;
  for (int t = first; t < end; t++)
    for (int k = 0; k < 3; k++) {
      int vertex = mesh->triangles[t][k];
      part->triangles[t - first][k] = number[vertex] - 1;
      dc_vec_copy(part->vertices[number[vertex] - 1], mesh->vertices[vertex]);
    }
  for (int t = first; t < end; t++)
    for (int k = 0; k < 3; k++)
      number[mesh->triangles[t][k]] = 0;
  return DC_OK;
}

// Whether the vertices lie in a plane within 1e-6 of their extent, so that the group encloses no solid.  Files give at
// least six digits; rounding of the second moments, 1e-16 of the largest, is 1e-8 of the extent.
static bool is_flat(const struct dc_mesh *part)
{
  double center[3] = {0}, spread[9] = {0}, u[9], s[3], v[9];
  for (int i = 0; i < part->vertex_count; i++)
    dc_vec_add_scaled(center, center, 1.0 / part->vertex_count, part->vertices[i]);
  for (int i = 0; i < part->vertex_count; i++) {
    double arm[3];
    dc_vec_sub(arm, part->vertices[i], center);
    for (int k = 0; k < 9; k++)
      spread[k] += arm[k / 3] * arm[k % 3];
  }
  dc_svd3(spread, u, s, v);
  return fmin(fabs(s[0]), fmin(fabs(s[1]), fabs(s[2]))) <= 1e-12 * fmax(fabs(s[0]), fmax(fabs(s[1]), fabs(s[2])));
}

// *flat: the group has no hull because it is flat, as *error says.
static enum dc_status hull_of_group(const struct dc_mesh *mesh, int group, int points, int *number,
                                    struct dc_arena *arena, struct dc_mesh *hull, bool *flat, struct dc_error *error)
{
  struct dc_mesh part;
  double deviation = 0;
  struct dc_arena *scratch = dc_arena_create();
  if (!scratch)
    return fail_memory(mesh, error);
  enum dc_status status = DC_OK;
  if (mesh->triangle_count)
    status = extract(mesh, group, number, scratch, &part, error);
  else
    part = *mesh;  // points
  if (!status)
    status = dc_hull((const double(*)[3])part.vertices, part.vertex_count, arena, hull, error);
  *flat = status == DC_BAD_INPUT && is_flat(&part);
  if (!status && points)
    status = dc_hull_simplify(hull, points, arena, &deviation, error);
  hull->deviation = deviation;
  if (status && mesh->group_count > 1)
    dc_error_prefix(error, "group %d of %d", group + 1, mesh->group_count);
  dc_arena_destroy(scratch);
  return status;
}

// Joins hulls [count] to one mesh, each a group.
static enum dc_status unite(const struct dc_mesh *hulls, int count, struct dc_arena *arena, struct dc_mesh *united,
                            struct dc_error *error)
{
  size_t vertex_count = 0, triangle_count = 0;
  for (int i = 0; i < count; i++) {
    vertex_count += (size_t)hulls[i].vertex_count;
    triangle_count += (size_t)hulls[i].triangle_count;
  }
  if (triangle_count > DC_MESH_TRIANGLES_MAX)
    return dc_fail(error, DC_BAD_INPUT, "the hulls of the groups have more than %d triangles (%zu)",
                   DC_MESH_TRIANGLES_MAX, triangle_count);
  struct dc_mesh mesh = {.group_count = count, .hulls = true};
  int *start = dc_arena_alloc(arena, (size_t)count + 1, sizeof *start);
  mesh.vertices = dc_arena_alloc(arena, vertex_count, sizeof *mesh.vertices);
  mesh.triangles = dc_arena_alloc(arena, triangle_count, sizeof *mesh.triangles);
  if (!start || !mesh.vertices || !mesh.triangles)
    return dc_out_of_memory_for(error, "%d convex hulls", count);
  for (int i = 0; i < count; i++) {
    const struct dc_mesh *hull = &hulls[i];
    memcpy(mesh.vertices[mesh.vertex_count], hull->vertices, (size_t)hull->vertex_count * sizeof *hull->vertices);
    for (int t = 0; t < hull->triangle_count; t++)
      for (int k = 0; k < 3; k++)
        mesh.triangles[mesh.triangle_count + t][k] = mesh.vertex_count + hull->triangles[t][k];
    mesh.deviation = fmax(mesh.deviation, hull->deviation);
    mesh.vertex_count += hull->vertex_count;
    mesh.triangle_count += hull->triangle_count;
    start[i + 1] = mesh.triangle_count;
  }
  mesh.group_start = start;
  *united = mesh;
  return DC_OK;
}

// One convex hull for each group, with at most `points` vertices.
enum dc_status dc_mesh_hulls(const struct dc_mesh *mesh, int points, struct dc_arena *arena, struct dc_mesh *hulls,
                             struct dc_error *error)
{
  int count = mesh->group_count ? mesh->group_count : 1;
  if (count > DC_MESH_GROUPS_MAX)
    return dc_fail(error, DC_BAD_INPUT, "must have at most %d groups to make hulls of (has %d)", DC_MESH_GROUPS_MAX,
                   count);
  struct dc_arena *scratch = dc_arena_create();
  int *number = dc_alloc((size_t)mesh->vertex_count, sizeof *number);
  struct dc_mesh *each = scratch ? dc_arena_alloc(scratch, (size_t)count, sizeof *each) : NULL;
  enum dc_status status = each && number ? DC_OK : fail_memory(mesh, error);
  struct dc_error first = {0};
  int flat_count = 0;
  for (int group = 0; !status && group < count; group++) {
    struct dc_error local = {0};
    bool flat = false;
    status = hull_of_group(mesh, group, points, number, scratch, &each[group - flat_count], &flat, &local);
    if (status && (!flat || flat_count++ == 0))
      first = local;
    status = flat ? DC_OK : status;
  }
  if (!status && flat_count == count)
    status = DC_BAD_INPUT;
  if (status && error && first.text[0])
    *error = first;
  if (!status)
    status = unite(each, count - flat_count, arena, hulls, error);
  if (!status)
    hulls->flat_groups = flat_count;
  dc_arena_destroy(scratch);
  free(number);
  return status;
}

// Whether part is the closed surface of a convex solid.  One that is not closed is no error here, only not
// convex.
static enum dc_status is_convex_solid(const struct dc_mesh *part, bool *convex, struct dc_error *error)
{
  struct dc_error broken = {0};
  *convex = false;
  switch (dc_mesh_validate(part, &broken)) {
  case DC_OK: return dc_mesh_is_convex(part, DC_GROUP_CONVEX, convex, error);
  case DC_MEMORY: return dc_fail(error, DC_MEMORY, "%s", broken.text);
  default: return DC_OK;
  }
}

// The convex parts of a mesh: itself, when it is convex; else its groups, when each of them is.
enum dc_status dc_mesh_convex_parts(const struct dc_mesh *mesh, struct dc_arena *arena, int *count,
                                    const struct dc_mesh **parts, struct dc_error *error)
{
  bool convex = mesh->hulls && mesh->group_count == 1;  // surfaces that are not connected are not convex
  *count = 0;
  *parts = NULL;
  enum dc_status status = mesh->hulls ? DC_OK : dc_mesh_is_convex(mesh, DC_GROUP_CONVEX, &convex, error);
  int groups = convex ? 1 : mesh->group_count;
  if (status || groups == 0 || groups > DC_MESH_GROUPS_MAX || (groups == 1 && !convex))
    return status;
  struct dc_mesh *found = dc_arena_alloc(arena, (size_t)groups, sizeof *found);
  int *number = dc_alloc((size_t)mesh->vertex_count, sizeof *number);
  if (!found || !number)
    status = fail_memory(mesh, error);
  else if (convex)
    *found = *mesh;
  else
    convex = true;
  for (int group = 0; !status && convex && groups > 1 && group < groups; group++) {
    status = extract(mesh, group, number, arena, &found[group], error);
    if (!status && !mesh->hulls)
      status = is_convex_solid(&found[group], &convex, error);
  }
  free(number);
  if (!status && convex) {
    *count = groups;
    *parts = found;
  }
  return status;
}
