// SPDX-License-Identifier: Apache-2.0
// Meshes of signed distances: marching tetrahedra on a lattice, edges collapsed, vertices moved onto the level set.
//
// Every cube of the lattice is cut into six tetrahedra about its diagonal, the same way everywhere, so that the surface
// is closed.  Values next to 0 are moved away from it, to a fifth of a cell: without slivers edges can be collapsed.
// What that moves the surface is made good when its vertices are moved onto the level set.
#include <math.h>
#include <stdlib.h>

#include "geometry/implicit/constants.h"
#include "geometry/implicit/sdf.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/mesh_decimate.h"
#include "geometry/mesh/mesh_read.h"
#include "math/vector.h"

// A cube of cells^3 cells: its lowest corner and the edge of a cell, m, and phi at its points, m, x running fastest.
struct lattice {
  int cells;
  double low[3], cell;
  double *values;  // [(cells + 1)^3]
};

// The index of point (i, j, k) of the lattice, x running fastest.
static int node_of(const struct lattice *lattice, int i, int j, int k)
{
  return (k * (lattice->cells + 1) + j) * (lattice->cells + 1) + i;
}

// The inverse of node_of, as a place, m.
static void place_of(const struct lattice *lattice, int node, double x[3])
{
  for (int k = 0; k < 3; k++, node /= lattice->cells + 1)
    x[k] = lattice->low[k] + lattice->cell * (node % (lattice->cells + 1));
}

// Where the surface crosses the edge from the lower to the higher node: the same bits for all that share it.
static void crossing(const struct lattice *lattice, int a, int b, double x[3])
{
  int from = a < b ? a : b, to = a < b ? b : a;
  double p[3], q[3], part = lattice->values[from] / (lattice->values[from] - lattice->values[to]);
  place_of(lattice, from, p);
  place_of(lattice, to, q);
  for (int k = 0; k < 3; k++)
    x[k] = p[k] + part * (q[k] - p[k]);
}

struct triangles {
  double (*corners)[3];  // [count][3 corners], m
  size_t capacity;
  int count;
};

// A triangle seen counter-clockwise from outside, which lies on the side of `outside`.
static int add_triangle(struct triangles *list, const double x[3][3], const double outside[3])
{
  double e[3], f[3], n[3], out[3];
  if (dc_grow(&list->corners, &list->capacity, 3 * ((size_t)list->count + 1), sizeof *list->corners))
    return -1;
  dc_vec_sub(e, x[1], x[0]);
  dc_vec_sub(f, x[2], x[0]);
  dc_vec_cross(n, e, f);
  dc_vec_sub(out, outside, x[0]);
  bool turned = dc_vec_dot(n, out) < 0;
  for (int k = 0; k < 3; k++)
    dc_vec_copy(list->corners[3 * list->count + k], x[turned && k ? 3 - k : k]);
  list->count++;
  return 0;
}

// Adds the one or two triangles that separate the inside corners of a tetrahedron from the outside ones.
static int add_tetrahedron(const struct lattice *lattice, const int nodes[4], struct triangles *list)
{
  int in[4], out[4], inside = 0, outside = 0;
  double x[4][3], reference[3];
  for (int k = 0; k < 4; k++)
    if (lattice->values[nodes[k]] < 0)
      in[inside++] = nodes[k];
    else
      out[outside++] = nodes[k];
  if (inside == 0 || outside == 0)
    return 0;
  place_of(lattice, out[0], reference);
  if (inside == 2) {
    crossing(lattice, in[0], out[0], x[0]);
    crossing(lattice, in[0], out[1], x[1]);
    crossing(lattice, in[1], out[1], x[2]);
    crossing(lattice, in[1], out[0], x[3]);
    double second[3][3];
    dc_vec_copy(second[0], x[0]);
    dc_vec_copy(second[1], x[2]);
    dc_vec_copy(second[2], x[3]);
    return add_triangle(list, (const double(*)[3])x, reference) ||
           add_triangle(list, (const double(*)[3])second, reference);
  }
  for (int k = 0; k < 3; k++)
    crossing(lattice, inside == 1 ? in[0] : in[k], inside == 1 ? out[k] : out[0], x[k]);
  return add_triangle(list, (const double(*)[3])x, reference);
}

// Six tetrahedra around the diagonal from corner 0 to corner 7.
static int add_cube(const struct lattice *lattice, int i, int j, int k, struct triangles *list)
{
  static const int orders[6][2] = {{1, 3}, {1, 5}, {2, 3}, {2, 6}, {4, 5}, {4, 6}};  // corners by bits x, y, z
  int corner[8];
  for (int c = 0; c < 8; c++)
    corner[c] = node_of(lattice, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
  for (int t = 0; t < 6; t++) {
    int nodes[4] = {corner[0], corner[orders[t][0]], corner[orders[t][1]], corner[7]};
    if (add_tetrahedron(lattice, nodes, list))
      return -1;
  }
  return 0;
}

// Values at all points of the lattice, with those next to 0 moved away from it.
static void measure(const struct dc_sdf *sdf, struct lattice *lattice)
{
  int nodes = (lattice->cells + 1) * (lattice->cells + 1) * (lattice->cells + 1);
  for (int node = 0; node < nodes; node++) {
    double x[3], g[3], away = DC_LATTICE_AWAY * lattice->cell;
    place_of(lattice, node, x);
    double value = dc_sdf_value(sdf, x, g);
    lattice->values[node] = fabs(value) < away ? (value < 0 ? -away : away) : value;
  }
}

// Moves every vertex onto phi = -inset, m.
static void project(const struct dc_sdf *sdf, double inset, struct dc_mesh *mesh)
{
  for (int v = 0; v < mesh->vertex_count; v++)
    dc_sdf_project(sdf, -inset, mesh->vertices[v]);
}

// Marching tetrahedra over a lattice; vertices go to the level set, triangles are decimated to their wanted number, and
// vertices go to the level set again, now shifted by the inset.
enum dc_status dc_sdf_mesh(const struct dc_sdf *sdf, int cells, int triangle_count, double inset,
                           struct dc_arena *arena, struct dc_mesh *mesh, struct dc_error *error)
{
  struct lattice lattice = {.cells = cells};
  struct triangles list = {0};
  double radius = DC_LATTICE_MARGIN * dc_sdf_radius(sdf);
  size_t nodes = (size_t)(cells + 1) * (size_t)(cells + 1) * (size_t)(cells + 1);
  enum dc_status status = DC_OK;
  if (!isfinite(radius))
    return dc_fail(error, DC_BAD_INPUT, "the signed distance has no end");
  lattice.cell = 2 * radius / cells;
  for (int k = 0; k < 3; k++)
    lattice.low[k] = -radius;
  if (!(lattice.values = dc_alloc(nodes, sizeof *lattice.values)))
    return dc_out_of_memory_for(error, "a lattice of %d cells", cells);
  measure(sdf, &lattice);
  for (int k = 0; k < cells && !status; k++)
    for (int j = 0; j < cells && !status; j++)
      for (int i = 0; i < cells && !status; i++)
        if (add_cube(&lattice, i, j, k, &list))
          status = dc_out_of_memory_for(error, "a mesh");
  if (!status && list.count == 0)
    status = dc_fail(error, DC_BAD_INPUT, "no point of a lattice of %d cells lies inside (use more cells)", cells);
  if (!status)
    status = dc_mesh_weld(list.corners, list.count, arena, mesh, error);
  if (!status)
    project(sdf, 0, mesh);
  if (!status && triangle_count > 0 && mesh->triangle_count > triangle_count &&
      !(status = dc_mesh_validate(mesh, error)))
    status = dc_mesh_decimate(mesh, triangle_count, arena, mesh, error);
  if (!status)
    project(sdf, inset, mesh);
  free(lattice.values);
  free(list.corners);
  return status;
}
