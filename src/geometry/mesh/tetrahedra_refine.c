// SPDX-License-Identifier: Apache-2.0
// Cuts every tetrahedron into eight: a node in the middle of every edge, an eighth at each corner, and four around the
// shortest diagonal of the octahedron that is left (Bey 1995).
#include <stdlib.h>
#include <string.h>

#include "base/index_pairs.h"
#include "geometry/mesh/tetrahedra.h"
#include "math/vector.h"

static const int ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

// The two ends of edge m of an element, in order.
static void edge_of(const int *element, int m, int edge[2])
{
  int a = element[ends[m][0]], b = element[ends[m][1]];
  edge[0] = a < b ? a : b;
  edge[1] = a < b ? b : a;
}

// Fills ten [4..9] of an element with the numbers of the middles of its edges.
static void number_middles(const int *element, const int (*edges)[2], size_t count, int first, int *ten)
{
  for (int m = 0; m < 6; m++) {
    int edge[2];
    edge_of(element, m, edge);
    const int(*found)[2] = bsearch(edge, edges, count, sizeof *edges, dc_index_pair_compare);
    ten[4 + m] = first + (int)(found - edges);
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

// Makes the finer mesh once its edges are known.
static enum dc_status fill(const struct dc_simplices *coarse, const int (*edges)[2], size_t edge_count,
                           struct dc_arena *arena, struct dc_simplices *mesh, int (**quadratic)[10],
                           struct dc_error *error)
{
  enum dc_status status =
      dc_simplices_start(mesh, coarse->node_count + (double)edge_count, 8.0 * coarse->element_count, arena, error);
  *quadratic = status ? NULL : dc_arena_alloc(arena, (size_t)coarse->element_count, sizeof **quadratic);
  if (status)
    return status;
  if (!*quadratic)
    return dc_out_of_memory_for(error, "%d quadratic elements", coarse->element_count);
  memcpy(mesh->nodes, coarse->nodes, (size_t)coarse->node_count * sizeof *mesh->nodes);
  for (size_t i = 0; i < edge_count; i++)
    for (int k = 0; k < 3; k++)
      mesh->nodes[(size_t)coarse->node_count + i][k] =
          0.5 * (coarse->nodes[edges[i][0]][k] + coarse->nodes[edges[i][1]][k]);
  for (int e = 0; e < coarse->element_count; e++) {
    int *ten = (*quadratic)[e];
    memcpy(ten, coarse->elements[e], 4 * sizeof *ten);
    number_middles(coarse->elements[e], edges, edge_count, coarse->node_count, ten);
    cut((const double(*)[3])mesh->nodes, ten, mesh->elements + 8 * (size_t)e);
  }
  return dc_tetrahedra_finish(mesh, arena, error);
}

// All edges of all elements are sorted and made unique; the place in that list numbers the middle, so that neighbours
// share it.
enum dc_status dc_tetrahedra_refine(const struct dc_simplices *coarse, struct dc_arena *arena,
                                    struct dc_simplices *mesh, int (**quadratic)[10], struct dc_error *error)
{
  size_t count = 6 * (size_t)coarse->element_count;
  int(*edges)[2] = dc_alloc(count, sizeof *edges);
  if (!edges)
    return dc_out_of_memory_for(error, "%d elements", coarse->element_count);
  for (size_t i = 0; i < count; i++)
    edge_of(coarse->elements[i / 6], (int)(i % 6), edges[i]);
  count = dc_index_pairs_sort(edges, count);
  enum dc_status status = fill(coarse, (const int(*)[2])edges, count, arena, mesh, quadratic, error);
  free(edges);
  return status;
}
