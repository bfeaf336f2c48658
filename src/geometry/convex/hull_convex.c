// SPDX-License-Identifier: Apache-2.0
// Whether a surface is convex, asked of its hull.
#include "geometry/convex/hull.h"

#include <stdlib.h>

#include "geometry/convex/hull_excess.h"

// False when a neighbour of a triangle's corner is higher above its plane than most: the answer for nearly all surfaces
// that are not convex, without their hull.  A vertex may have any number of neighbours: some are enough.
static bool may_be_convex(const struct dc_mesh *mesh, const struct dc_neighbors *neighbors, double most)
{
  enum { SOME = 8 };
  for (int t = 0; t < mesh->triangle_count; t++) {
    double normal[3];
    dc_unit_normal(mesh, t, normal);
    for (int k = 0; k < 3; k++) {
      int vertex = mesh->triangles[t][k], end = neighbors->start[vertex + 1];
      for (int i = neighbors->start[vertex]; i < end && i < neighbors->start[vertex] + SOME; i++)
        if (dc_height_above(mesh, t, normal, mesh->vertices[neighbors->next[i]]) > most)
          return false;
    }
  }
  return true;
}

// Whether the surface is in one piece: several convex pieces are no convex surface.
static enum dc_status find_connected(const struct dc_mesh *mesh, bool *connected, struct dc_error *error)
{
  int *parts = dc_alloc((size_t)mesh->vertex_count, sizeof *parts);
  if (!parts)
    return dc_out_of_memory_for(error, "the parts of a mesh of %d vertices", mesh->vertex_count);
  dc_mesh_parts(mesh, parts);
  *connected = true;
  for (int v = 0; v < mesh->vertex_count; v++)
    *connected &= parts[v] == 0;
  free(parts);
  return DC_OK;
}

// A closed surface whose triangles all lie on the sides of its hull goes around it once or several times.
static bool winds_once(const struct dc_mesh *mesh, const struct dc_mesh *hull)
{
  struct dc_mass_properties inside, whole;
  dc_mesh_mass_properties(mesh, &inside);
  dc_mesh_mass_properties(hull, &whole);
  return inside.volume < 1.5 * whole.volume;
}

// The same question, asked of the hull of a connected surface.
static enum dc_status compare_with_hull(const struct dc_mesh *mesh, double most, bool *convex, struct dc_error *error)
{
  struct dc_error reason = {0};
  struct dc_arena *arena = dc_arena_create();
  struct dc_mesh hull;
  double excess = 0;
  if (!arena)
    return dc_out_of_memory_for(error, "a convex hull");
  enum dc_status status = dc_hull((const double(*)[3])mesh->vertices, mesh->vertex_count, arena, &hull, &reason);
  if (!status)
    status = dc_hull_excess(&hull, mesh, &excess, &reason);
  *convex = !status && excess <= most && winds_once(mesh, &hull);
  dc_arena_destroy(arena);
  return status == DC_MEMORY ? dc_fail(error, DC_MEMORY, "%s", reason.text) : DC_OK;
}

// Asks cheap questions first: connected, no neighbour above a plane, and only then the hull.
enum dc_status dc_mesh_is_convex(const struct dc_mesh *mesh, double tolerance, bool *convex, struct dc_error *error)
{
  struct dc_neighbors neighbors = {0};
  double most = tolerance * dc_mesh_size(mesh);
  *convex = false;
  enum dc_status status = dc_neighbors_find(mesh, &neighbors, error);
  if (!status)
    status = find_connected(mesh, convex, error);
  if (!status && *convex)
    *convex = may_be_convex(mesh, &neighbors, most);
  if (!status && *convex)
    status = compare_with_hull(mesh, most, convex, error);
  dc_neighbors_free(&neighbors);
  return status;
}
