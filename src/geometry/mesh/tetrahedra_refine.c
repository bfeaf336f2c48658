// SPDX-License-Identifier: Apache-2.0
// Cuts every tetrahedron into eight: a node in the middle of every edge, an eighth at each corner, and four around the
// shortest diagonal of the octahedron that is left (Bey 1995).
#include <stdlib.h>
#include <string.h>

#include "base/index_pairs.h"
#include "geometry/mesh/tetrahedra.h"
#include "math/vector.h"

static const int ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

// All edges, sorted and unique; the middle of number i is node first + i.
struct edges {
  int (*ends)[2];
  size_t count;
  int first;
};

static void order_ends(int a, int b, int edge[2])
{
  edge[0] = a < b ? a : b;
  edge[1] = a < b ? b : a;
}

// The node in the middle of two nodes.
static int middle_of(const struct edges *edges, int a, int b)
{
  int edge[2];
  order_ends(a, b, edge);
  const int(*found)[2] = bsearch(edge, edges->ends, edges->count, sizeof *edges->ends, dc_index_pair_compare);
  return edges->first + (int)(found - (const int(*)[2])edges->ends);
}

// Fills the six nodes of a face, and its quarters: those at the corners, then the one between the middles.
static void cut_face(const struct edges *edges, const int *corners, int face[6], int (*quarters)[3])
{
  for (int i = 0; i < 3; i++) {
    face[i] = corners[i];
    face[3 + i] = middle_of(edges, corners[i], corners[(i + 1) % 3]);
  }
  for (int i = 0; i < 3; i++) {
    quarters[i][0] = face[i];
    quarters[i][1] = face[3 + i];
    quarters[i][2] = face[3 + (i + 2) % 3];
    quarters[3][i] = face[3 + i];
  }
}

// The eight parts of ten nodes.
static void cut(const double (*nodes)[3], const int *ten, int (*parts)[4])
{
  static const int corners[4][4] = {{0, 4, 5, 6}, {4, 1, 7, 8}, {5, 7, 2, 9}, {6, 8, 9, 3}};
  // Opposite middles, and the ring of the four others around them.
  static const int diagonals[3][2] = {{4, 9}, {5, 8}, {6, 7}}, rings[3][4] = {{5, 6, 8, 7}, {4, 6, 9, 7}, {4, 5, 9, 8}};
  int best = 0;
  for (int d = 1; d < 3; d++)
    if (dc_vec_distance(nodes[ten[diagonals[d][0]]], nodes[ten[diagonals[d][1]]]) <
        (1 - 1e-9) * dc_vec_distance(nodes[ten[diagonals[best][0]]], nodes[ten[diagonals[best][1]]]))
      best = d;
  for (int k = 0; k < 4; k++) {
    const int inner[4] = {diagonals[best][0], diagonals[best][1], rings[best][k], rings[best][(k + 1) % 4]};
    for (int i = 0; i < 4; i++) {
      parts[k][i] = ten[corners[k][i]];
      parts[4 + k][i] = ten[inner[i]];
    }
    if (dc_tetrahedron_volume6(nodes, parts[4 + k]) < 0) {
      int swap = parts[4 + k][2];
      parts[4 + k][2] = parts[4 + k][3], parts[4 + k][3] = swap;
    }
  }
}

// Makes the finer mesh once its edges are known.  The surface is found with the elements, which checks it, and listed
// anew face by face.
static enum dc_status fill(const struct dc_simplices *coarse, const struct edges *edges, struct dc_arena *arena,
                           struct dc_simplices *mesh, struct dc_quadratic *quadratic, struct dc_error *error)
{
  enum dc_status status =
      dc_simplices_start(mesh, coarse->node_count + (double)edges->count, 8.0 * coarse->element_count, arena, error);
  if (status)
    return status;
  quadratic->element_count = coarse->element_count;
  quadratic->elements = dc_arena_alloc(arena, (size_t)coarse->element_count, sizeof *quadratic->elements);
  quadratic->faces = dc_arena_alloc(arena, (size_t)coarse->triangle_count, sizeof *quadratic->faces);
  if (!quadratic->elements || !quadratic->faces)
    return dc_out_of_memory_for(error, "%d quadratic elements", coarse->element_count);
  memcpy(mesh->nodes, coarse->nodes, (size_t)coarse->node_count * sizeof *mesh->nodes);
  for (size_t i = 0; i < edges->count; i++)
    for (int k = 0; k < 3; k++)
      mesh->nodes[(size_t)coarse->node_count + i][k] =
          0.5 * (coarse->nodes[edges->ends[i][0]][k] + coarse->nodes[edges->ends[i][1]][k]);
  for (int e = 0; e < coarse->element_count; e++) {
    int *ten = quadratic->elements[e];
    memcpy(ten, coarse->elements[e], 4 * sizeof *ten);
    for (int m = 0; m < 6; m++)
      ten[4 + m] = middle_of(edges, ten[ends[m][0]], ten[ends[m][1]]);
    cut((const double(*)[3])mesh->nodes, ten, mesh->elements + 8 * (size_t)e);
  }
  status = dc_tetrahedra_finish(mesh, arena, error);
  for (int f = 0; f < coarse->triangle_count && !status; f++)
    cut_face(edges, coarse->triangles[f], quadratic->faces[f], mesh->triangles + (size_t)DC_FACE_QUARTERS * f);
  return status;
}

// All edges of all elements are sorted and made unique; the place in that list numbers the middle, so that neighbours
// share it.
enum dc_status dc_tetrahedra_refine(const struct dc_simplices *coarse, struct dc_arena *arena,
                                    struct dc_simplices *mesh, struct dc_quadratic *quadratic, struct dc_error *error)
{
  struct edges edges = {NULL, 6 * (size_t)coarse->element_count, coarse->node_count};
  edges.ends = dc_alloc(edges.count, sizeof *edges.ends);
  if (!edges.ends)
    return dc_out_of_memory_for(error, "%d elements", coarse->element_count);
  for (size_t i = 0; i < edges.count; i++) {
    const int *element = coarse->elements[i / 6];
    order_ends(element[ends[i % 6][0]], element[ends[i % 6][1]], edges.ends[i]);
  }
  edges.count = dc_index_pairs_sort(edges.ends, edges.count);
  enum dc_status status = fill(coarse, &edges, arena, mesh, quadratic, error);
  free(edges.ends);
  return status;
}
