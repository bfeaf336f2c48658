// SPDX-License-Identifier: Apache-2.0
// Quadratic tetrahedra (Zienkiewicz and Taylor, The Finite Element Method, "Shape functions"): ten nodes, corners and
// middles of edges, straight at rest.  With the barycentric coordinates L_i of the corners the shape functions are
// L_i (2 L_i - 1) and 4 L_i L_j, so that
//
//     g_i = (4 L_i - 1) grad L_i,   g_ij = 4 (L_i grad L_j + L_j grad L_i).
//
// The energy is the mean over four places with L = (a, b, b, b) and its turns, a = (5 + 3 sqrt 5)/20, b = (5 - sqrt
// 5)/20, exact for quadratic functions (Hammer, Marlowe and Stroud 1956).  Masses are those of the eight linear
// tetrahedra that the ten nodes make, so that all are positive.
#include <math.h>

#include "elastic/element.h"

// Gradients of a sample from those of the coordinates at corners.
static void set_sample(const double (*linear)[3], int sample, double (*g)[3])
{
  static const int ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  double l[4];
  for (int i = 0; i < 4; i++)
    l[i] = i == sample ? (5 + 3 * sqrt(5)) / 20 : (5 - sqrt(5)) / 20;
  for (int i = 0; i < 4; i++)
    dc_vec_scale(g[i], linear[i], 4 * l[i] - 1);
  for (int m = 0; m < 6; m++) {
    int i = ends[m][0], j = ends[m][1];
    dc_vec_scale(g[4 + m], linear[j], 4 * l[i]);
    dc_vec_add_scaled(g[4 + m], g[4 + m], 4 * l[j], linear[i]);
  }
}

enum dc_status dc_elastic_create_quadratic(struct dc_elastic *elastic, const struct dc_simplices *mesh, int count,
                                           const int (*quadratic)[DC_ELEMENT_NODES], struct dc_arena *arena,
                                           struct dc_error *error)
{
  size_t samples = DC_QUADRATIC_SAMPLES * (size_t)count;
  enum dc_status status = dc_elastic_create(elastic, mesh, 1, arena, error);
  if (status)
    return status;
  elastic->quadratic = quadratic;
  elastic->element_count = count;
  elastic->corners = elastic->stride = DC_ELEMENT_NODES;
  elastic->sample_count = (int)samples;
  elastic->gradients = dc_arena_alloc(arena, DC_ELEMENT_NODES * samples, sizeof *elastic->gradients);
  elastic->volumes = dc_arena_alloc(arena, samples, sizeof *elastic->volumes);
  if (!elastic->gradients || !elastic->volumes)
    return dc_out_of_memory_for(error, "%d quadratic elements", count);
  for (int e = 0; e < count; e++) {
    double linear[4][3];
    double volume = dc_elastic_tetrahedron_gradients((const double(*)[3])mesh->nodes, quadratic[e], linear);
    for (int s = 0; s < DC_QUADRATIC_SAMPLES; s++) {
      int at = DC_QUADRATIC_SAMPLES * e + s;
      elastic->volumes[at] = volume / DC_QUADRATIC_SAMPLES;
      set_sample((const double(*)[3])linear, s, elastic->gradients + DC_ELEMENT_NODES * (size_t)at);
    }
  }
  return DC_OK;
}
