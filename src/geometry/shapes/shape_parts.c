// SPDX-License-Identifier: Apache-2.0
// Convex parts from given vertices: the hull of each, and the surface of all of them.
#include <string.h>

#include "geometry/convex/hull.h"
#include "geometry/shapes/shape.h"

// A part: all vertices, and the hull's triangles between them.  The hull keeps bits and order of those it has.
static enum dc_status make_part(const double (*vertices)[3], int count, const struct dc_mesh *hull,
                                struct dc_arena *arena, struct dc_mesh *part)
{
  double(*own)[3] = dc_arena_alloc(arena, (size_t)count, sizeof *own);
  int(*triangles)[3] = dc_arena_alloc(arena, (size_t)hull->triangle_count, sizeof *triangles);
  int *index = dc_arena_alloc(arena, (size_t)hull->vertex_count, sizeof *index);
  if (!own || !triangles || !index)
    return DC_MEMORY;
  memcpy(own, vertices, (size_t)count * sizeof *own);
  for (int h = 0, v = 0; h < hull->vertex_count; h++, v++) {
    while (v < count - 1 && memcmp(own[v], hull->vertices[h], sizeof *own) != 0)
      v++;
    index[h] = v;
  }
  for (int t = 0; t < hull->triangle_count; t++)
    for (int k = 0; k < 3; k++)
      triangles[t][k] = index[hull->triangles[t][k]];
  *part = (struct dc_mesh){
      .vertex_count = count, .vertices = own, .triangle_count = hull->triangle_count, .triangles = triangles};
  return DC_OK;
}

// All hulls together, a group each.
static enum dc_status join(const struct dc_mesh *hulls, int count, struct dc_arena *arena, struct dc_mesh *mesh)
{
  int vertices = 0, triangles = 0, *start = dc_arena_alloc(arena, (size_t)count + 1, sizeof *start);
  for (int i = 0; i < count; i++)
    vertices += hulls[i].vertex_count, triangles += hulls[i].triangle_count;
  *mesh = (struct dc_mesh){.vertices = dc_arena_alloc(arena, (size_t)vertices, sizeof *mesh->vertices),
                           .triangles = dc_arena_alloc(arena, (size_t)triangles, sizeof *mesh->triangles),
                           .group_count = count,
                           .group_start = start};
  if (!mesh->vertices || !mesh->triangles || !start)
    return DC_MEMORY;
  for (int i = 0; i < count; i++) {
    memcpy(mesh->vertices + mesh->vertex_count, hulls[i].vertices,
           (size_t)hulls[i].vertex_count * sizeof *mesh->vertices);
    for (int t = 0; t < hulls[i].triangle_count; t++)
      for (int k = 0; k < 3; k++)
        mesh->triangles[mesh->triangle_count + t][k] = mesh->vertex_count + hulls[i].triangles[t][k];
    mesh->vertex_count += hulls[i].vertex_count;
    mesh->triangle_count += hulls[i].triangle_count;
    start[i + 1] = mesh->triangle_count;
  }
  return DC_OK;
}

// Hulls of all parts, their surface as one mesh, and the parts with the vertices that they were given.
static enum dc_status make_hulls(struct dc_shape *shape, int count, const struct dc_mesh *given, struct dc_mesh *hulls,
                                 struct dc_mesh *parts, struct dc_arena *arena, struct dc_error *error)
{
  for (int i = 0; i < count; i++) {
    struct dc_error why = {0};
    const double(*vertices)[3] = (const double(*)[3])given[i].vertices;
    enum dc_status status = dc_hull(vertices, given[i].vertex_count, arena, &hulls[i], &why);
    if (status && status != DC_MEMORY)
      return dc_fail(error, status, "part %d: %s", i + 1, why.text);
    if (!status)
      status = make_part(vertices, given[i].vertex_count, &hulls[i], arena, &parts[i]);
    if (status)
      return dc_out_of_memory_for(error, "%d hulls", count);
  }
  if (join(hulls, count, arena, &shape->mesh))
    return dc_out_of_memory_for(error, "%d hulls", count);
  shape->part_count = count;
  shape->parts = parts;
  dc_mesh_mass_properties(&shape->mesh, &shape->properties);
  return DC_OK;
}

// given [count]: vertices of the parts; their triangles are not looked at.  The shape copies what it keeps.
enum dc_status dc_shape_set_hulls(struct dc_shape *shape, int count, const struct dc_mesh *given,
                                  struct dc_arena *arena, struct dc_error *error)
{
  struct dc_mesh *hulls = dc_arena_alloc(arena, (size_t)count, sizeof *hulls),
                 *parts = dc_arena_alloc(arena, (size_t)count, sizeof *parts);
  if (!hulls || !parts)
    return dc_out_of_memory_for(error, "%d hulls", count);
  return make_hulls(shape, count, given, hulls, parts, arena, error);
}
