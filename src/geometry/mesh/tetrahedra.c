// SPDX-License-Identifier: Apache-2.0
// Meshes of tetrahedra: check of elements, the surface of faces that belong to one element only, and grids of blocks,
// balls and beams.
#include "geometry/mesh/tetrahedra.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/mesh/constants.h"
#include "math/vector.h"

// Six times the signed volume: positive if the last node is on the side from which the others turn
// counter-clockwise.
double dc_tetrahedron_volume6(const double (*nodes)[3], const int element[4])
{
  double a[3], b[3], c[3], cross[3];
  dc_vec_sub(a, nodes[element[1]], nodes[element[0]]);
  dc_vec_sub(b, nodes[element[2]], nodes[element[0]]);
  dc_vec_sub(c, nodes[element[3]], nodes[element[0]]);
  dc_vec_cross(cross, a, b);
  return dc_vec_dot(cross, c);
}

// Faces of a tetrahedron, oriented outwards.
static const int faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

struct face {
  int sorted[3];  // nodes in rising order, by which a face and its other side are found
  int turned[3];  // nodes in the order that turns counter-clockwise seen from outside
};

// Bytes may stand for numbers here: only equality matters, and any total order brings equal faces together.
static int compare_faces(const void *a, const void *b)
{
  return memcmp(((const struct face *)a)->sorted, ((const struct face *)b)->sorted, sizeof(int[3]));
}

// Sorted nodes by a bubble sort of three; the oriented ones are kept for the surface.
static void set_face(struct face *face, const int element[4], const int corners[3])
{
  for (int i = 0; i < 3; i++)
    face->sorted[i] = face->turned[i] = element[corners[i]];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2 - i; j++)
      if (face->sorted[j] > face->sorted[j + 1]) {
        int swap = face->sorted[j];
        face->sorted[j] = face->sorted[j + 1], face->sorted[j + 1] = swap;
      }
}

// Collects the faces that belong to one element only.
// After sorting, equal faces are neighbours: one is surface, two are inner, three or more are a mistake of the mesh.
// Faces of the surface move to the front of the same array, which never overtakes the place that is read.
static enum dc_status find_surface(struct dc_simplices *mesh, struct dc_arena *arena, struct dc_error *error)
{
  size_t count = 4 * (size_t)mesh->element_count;
  struct face *all = dc_alloc(count, sizeof *all);
  if (!all)
    return dc_out_of_memory_for(error, "%d elements", mesh->element_count);
  for (size_t i = 0; i < count; i++)
    set_face(&all[i], mesh->elements[i / 4], faces[i % 4]);
  qsort(all, count, sizeof *all, compare_faces);
  size_t kept = 0;
  enum dc_status status = DC_OK;
  for (size_t i = 0, next; i < count && !status; i = next) {
    for (next = i + 1; next < count && compare_faces(&all[i], &all[next]) == 0;)
      next++;
    if (next - i > 2)
      status = dc_fail(error, DC_BAD_INPUT, "nodes %d, %d and %d are a face of more than two elements",
                       all[i].sorted[0], all[i].sorted[1], all[i].sorted[2]);
    if (next - i == 1)
      all[kept++] = all[i];
  }
  mesh->triangles = status ? NULL : dc_arena_alloc(arena, kept, sizeof *mesh->triangles);
  if (!status && !mesh->triangles)
    status = dc_out_of_memory_for(error, "a surface");
  for (size_t i = 0; i < kept && !status; i++)
    memcpy(mesh->triangles[i], all[i].turned, sizeof mesh->triangles[i]);
  mesh->triangle_count = (int)kept;
  free(all);
  return status;
}

// The longest of six edges, m: volumes are judged against its cube, so that size does not matter.
static double longest_edge(const struct dc_simplices *mesh, const int element[4])
{
  double longest = 0;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < i; j++)
      longest = fmax(longest, dc_vec_distance(mesh->nodes[element[i]], mesh->nodes[element[j]]));
  return longest;
}

// An inverted element is reported as such, before one without volume, since the remedies differ.
static enum dc_status check_element(const struct dc_simplices *mesh, int e, struct dc_error *error)
{
  const int *element = mesh->elements[e];
  for (int i = 0; i < 4; i++)
    if (element[i] < 0 || element[i] >= mesh->node_count)
      return dc_fail(error, DC_BAD_INPUT, "element %d: node %d is not in 0 .. %d", e, element[i], mesh->node_count - 1);
  double volume = dc_tetrahedron_volume6((const double(*)[3])mesh->nodes, element), edge = longest_edge(mesh, element);
  if (volume < -DC_LEAST_ELEMENT_VOLUME * edge * edge * edge)
    return dc_fail(error, DC_BAD_INPUT, "element %d is inverted (nodes %d, %d, %d, %d)", e, element[0], element[1],
                   element[2], element[3]);
  if (!(volume > DC_LEAST_ELEMENT_VOLUME * edge * edge * edge))
    return dc_fail(error, DC_BAD_INPUT, "element %d is degenerate: it has no volume (nodes %d, %d, %d, %d)", e,
                   element[0], element[1], element[2], element[3]);
  return DC_OK;
}

// The last step of every mesh of tetrahedra, read or made.
enum dc_status dc_tetrahedra_finish(struct dc_simplices *mesh, struct dc_arena *arena, struct dc_error *error)
{
  enum dc_status status = dc_simplices_check(mesh, 4, "tetrahedra", check_element, error);
  return status ? status : find_surface(mesh, arena, error);
}

// Grids.

// A point of the cube [-1, 1]^3 into the wanted form, then to size: blocks stay, balls by a map that keeps the
// grid regular, beams taper across.
static void place_node(double p[3], enum dc_grid_form form, const double size[3], double taper)
{
  double x = p[0], y = p[1], z = p[2];  // in [-1, 1]
  if (form == DC_GRID_SPHERE) {         // maps the cube to the ball (Nowell 2005)
    p[0] = x * sqrt(1 - 0.5 * y * y - 0.5 * z * z + y * y * z * z / 3);
    p[1] = y * sqrt(1 - 0.5 * z * z - 0.5 * x * x + z * z * x * x / 3);
    p[2] = z * sqrt(1 - 0.5 * x * x - 0.5 * y * y + x * x * y * y / 3);
  }
  if (form == DC_GRID_BEAM)
    for (int k = 1; k < 3; k++)
      p[k] *= 1 + 0.5 * (taper - 1) * (x + 1);
  for (int k = 0; k < 3; k++)
    p[k] *= 0.5 * size[k];
}

// The six paths from corner 000 to corner 111 of a cube along its edges are six tetrahedra.  Every other cube is
// mirrored (neighbours agree on their common face), so that the mesh has no preferred direction.
static void cut_cube(const int corner[8], bool mirror[3], int (*elements)[4])
{
  static const int ways[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};
  bool flipped = mirror[0] ^ mirror[1] ^ mirror[2];
  int turn = (mirror[0] ? 1 : 0) | (mirror[1] ? 2 : 0) | (mirror[2] ? 4 : 0);
  for (int w = 0; w < 6; w++) {
    int at = 0;
    elements[w][0] = corner[at ^ turn];
    for (int k = 0; k < 3; k++) {
      at |= 1 << ways[w][k];
      elements[w][k + 1] = corner[at ^ turn];
    }
    if ((w >= 3) != flipped) {
      int swap = elements[w][2];
      elements[w][2] = elements[w][3], elements[w][3] = swap;
    }
  }
}

// Cubes in the order of x, then y, then z, six elements each.
static void fill_elements(struct dc_simplices *mesh, const long cells[3])
{
  int width = (int)cells[0] + 1, layer = width * ((int)cells[1] + 1), e = 0;
  for (int z = 0; z < cells[2]; z++)
    for (int y = 0; y < cells[1]; y++)
      for (int x = 0; x < cells[0]; x++, e += 6) {
        int corner[8];
        bool mirror[3] = {x % 2 != 0, y % 2 != 0, z % 2 != 0};
        for (int c = 0; c < 8; c++)
          corner[c] = x + (c & 1) + (y + (c >> 1 & 1)) * width + (z + (c >> 2)) * layer;
        cut_cube(corner, mirror, mesh->elements + e);
      }
}

// A grid of boxes of six tetrahedra each, whose nodes are then moved into the wanted form.
enum dc_status dc_tetrahedra_grid(struct dc_simplices *mesh, enum dc_grid_form form, const double size[3],
                                  const long cells[3], double taper, struct dc_arena *arena, struct dc_error *error)
{
  double nodes = 1, elements = 6;
  for (int k = 0; k < 3; k++) {
    nodes *= (double)cells[k] + 1;
    elements *= (double)cells[k];
  }
  enum dc_status status = dc_simplices_start(mesh, nodes, elements, arena, error);
  if (status)
    return status;
  for (int i = 0; i < mesh->node_count; i++) {
    long index = i;
    for (int k = 0; k < 3; index /= cells[k] + 1, k++)
      mesh->nodes[i][k] = 2 * (double)(index % (cells[k] + 1)) / (double)cells[k] - 1;
    place_node(mesh->nodes[i], form, size, taper);
  }
  fill_elements(mesh, cells);
  return dc_tetrahedra_finish(mesh, arena, error);
}
