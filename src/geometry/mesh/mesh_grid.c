// SPDX-License-Identifier: Apache-2.0
// Surfaces of grids: tetrahedra are read as for soft bodies, their outer triangles stay, and nodes get new numbers,
// those of the surface in the order of the file.
#include "geometry/mesh/mesh_grid.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "geometry/mesh/simplices_read.h"

bool dc_mesh_is_grid(const char *name)
{
  const char *point = strrchr(name, '.');
  return point && (strcasecmp(point, ".vtk") == 0 || strcasecmp(point, ".vtu") == 0);
}

// The boundary triangles of a grid as a mesh of its own, with the nodes that they use, numbered anew in the grid's
// order.
static enum dc_status take_surface(const struct dc_simplices *grid, struct dc_arena *arena, struct dc_mesh *mesh,
                                   struct dc_error *error)
{
  int *number = dc_alloc((size_t)grid->node_count, sizeof *number);
  mesh->vertices = dc_arena_alloc(arena, (size_t)grid->node_count, sizeof *mesh->vertices);
  mesh->triangles = dc_arena_alloc(arena, (size_t)grid->triangle_count, sizeof *mesh->triangles);
  bool enough = number && mesh->vertices && mesh->triangles;
  for (int t = 0; t < grid->triangle_count && enough; t++)
    for (int k = 0; k < 3; k++)
      number[grid->triangles[t][k]] = 1;
  for (int n = 0; n < grid->node_count && enough; n++)
    if (number[n]) {
      memcpy(mesh->vertices[mesh->vertex_count], grid->nodes[n], sizeof *mesh->vertices);
      number[n] = mesh->vertex_count++;
    }
  for (int t = 0; t < grid->triangle_count && enough; t++)
    for (int k = 0; k < 3; k++)
      mesh->triangles[t][k] = number[grid->triangles[t][k]];
  mesh->triangle_count = grid->triangle_count;
  free(number);
  return enough ? DC_OK : dc_out_of_memory_for(error, "%d nodes", grid->node_count);
}

enum dc_status dc_mesh_read_grid(const char *path, struct dc_arena *arena, struct dc_mesh *mesh, struct dc_error *error)
{
  struct dc_simplices grid = {0};
  struct dc_error flat = {0};
  *mesh = (struct dc_mesh){0};
  enum dc_status status = dc_simplices_read(path, 4, arena, &grid, error);
  if (status == DC_BAD_INPUT && dc_simplices_read(path, 3, arena, &grid, &flat) == DC_OK)
    status = DC_OK;
  if (!status)
    status = take_surface(&grid, arena, mesh, error);
  if (status)
    *mesh = (struct dc_mesh){0};
  return status;
}
