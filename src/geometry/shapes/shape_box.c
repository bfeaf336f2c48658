// SPDX-License-Identifier: Apache-2.0
// Box: the surface of a lattice of nx x ny x nz cells, centred on the origin.

#include "geometry/shapes/shape_options.h"
#include "geometry/shapes/shape_surface.h"

struct box_options {
  double size[3];
  double divisions[3];
  int surface;
};

static const struct dc_option box_option_table[] = {
    DC_SIZE_OPTION(struct box_options, "edge lengths along x, y and z"),
    DC_DIVISIONS_OPTION(struct box_options,
                        "cells along x, y and z (whole numbers); each of their sides on the surface is two triangles"),
    DC_SURFACE_OPTION(struct box_options), DC_OPTIONS_END};

// Vertices are numbered by layers of z: all lattice points of the lowest, the rims of those between, all of the last.
static int lattice_vertex(const int n[3], int i, int j, int k)
{
  int full = (n[0] + 1) * (n[1] + 1), rim = 2 * (n[0] + n[1]);
  if (k == 0)
    return j * (n[0] + 1) + i;
  int layer = full + (k - 1) * rim;
  if (k == n[2])
    return layer + j * (n[0] + 1) + i;
  if (j == 0 && i < n[0])
    return layer + i;
  if (i == n[0] && j < n[1])
    return layer + n[0] + j;
  if (j == n[1] && i > 0)
    return layer + n[0] + n[1] + (n[0] - i);
  return layer + 2 * n[0] + n[1] + (n[1] - j);
}

// The points of the lattice that are on the surface.
static void add_vertices(struct dc_mesh *mesh, const int n[3], const double size[3])
{
  for (int k = 0; k <= n[2]; k++)
    for (int j = 0; j <= n[1]; j++)
      for (int i = 0; i <= n[0]; i++) {
        if (i > 0 && i < n[0] && j > 0 && j < n[1] && k > 0 && k < n[2]) {
          i = n[0] - 1;  // the inside is empty
          continue;
        }
        const int at[3] = {i, j, k};
        double *vertex = mesh->vertices[lattice_vertex(n, i, j, k)];
        for (int axis = 0; axis < 3; axis++)  // exactly symmetric
          vertex[axis] = size[axis] * ((2 * at[axis] - n[axis]) / (2.0 * n[axis]));
        mesh->vertex_count++;
      }
}

// The two faces across axis.  Diagonals join lattice points with an even sum of indices: they alternate across all
// edges, form a tetrahedron on the undivided cube, and mirror each other where divisions are even.
static void add_faces(struct dc_mesh *mesh, const int n[3], int axis)
{
  static const int offset[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  int u = (axis + 1) % 3, v = (axis + 2) % 3;
  for (int side = 0; side < 2; side++)
    for (int q = 0; q < n[v]; q++)
      for (int p = 0; p < n[u]; p++) {
        int corner[4], at[3];
        at[axis] = side * n[axis];
        for (int c = 0; c < 4; c++) {
          at[u] = p + offset[c][0];
          at[v] = q + offset[c][1];
          corner[c] = lattice_vertex(n, at[0], at[1], at[2]);
        }
        bool odd = (p + q + at[axis]) & 1;
        if (side)
          dc_surface_add_quad(mesh, corner[0], corner[1], corner[2], corner[3], odd);
        else
          dc_surface_add_quad(mesh, corner[0], corner[3], corner[2], corner[1], odd);
      }
}

// A grid of vertices on the six faces, shared along edges.
static enum dc_status build_box(const void *options, struct dc_arena *arena, struct dc_mesh *mesh,
                                struct dc_error *error)
{
  const struct box_options *box = options;
  int n[3];
  enum dc_status status = dc_shape_read_divisions(box->divisions, n, error);
  if (status)
    return status;
  size_t x = (size_t)n[0], y = (size_t)n[1], z = (size_t)n[2];
  status = dc_surface_create(mesh, arena, 2 * (x * y + y * z + z * x) + 2, 4 * (x * y + y * z + z * x), error);
  if (status) {
    dc_error_prefix(error, "divisions");
    return status;
  }
  add_vertices(mesh, n, box->size);
  for (int axis = 0; axis < 3; axis++)
    add_faces(mesh, n, axis);
  return DC_OK;
}

const struct dc_shape_type dc_shape_box = {
    .name = "box",
    .summary = "box centred on the origin, its faces divided into squares of two triangles",
    .options = box_option_table,
    .options_size = sizeof(struct box_options),
    .build = build_box,
};
