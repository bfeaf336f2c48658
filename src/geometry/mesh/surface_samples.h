// SPDX-License-Identifier: Apache-2.0
// Points spread over the surface of a solid, from which smoothed derivatives of witness points are computed.
#ifndef DC_GEOMETRY_SURFACE_SAMPLES_H
#define DC_GEOMETRY_SURFACE_SAMPLES_H

#include <stdint.h>

#include "geometry/convex/solid.h"

enum { DC_SURFACE_SAMPLES_MOST = 4096, DC_SURFACE_BLOCK = 8 };

// count candidates in the solid's frame, as a structure of arrays for the search.  They are all vertices if these are
// at most half of them, otherwise as many random ones; the others are uniform by area.  Of a union only points on its
// surface are taken (outside of every other part).  Normals point outwards (at a vertex: the area-weighted mean of its
// triangles').
struct dc_surface_samples {
  int count;
  const double *x, *y, *z;  // [count], m, padded to a multiple of 8 by copies of the last
  const double *normal_x, *normal_y, *normal_z;
  // Neighbours stand together: samples 8 b to 8 b + 7 are within block_radius of the block's centre.
  int block_count;
  const double *block_x, *block_y, *block_z, *block_radius;  // [block_count], m
  int vertex_count;                                          // the first so many are vertices
  const int *vertex_part, *vertex_index;                     // [vertex_count] which
};

// The same seed gives the same samples.  Owned by arena.  There are fewer than count only when hardly any of the
// surface of the parts is on that of the union.  DC_USAGE when count is not in [1, DC_SURFACE_SAMPLES_MOST]; DC_MEMORY.
enum dc_status dc_surface_samples_create(const struct dc_solid *solid, int count, uint64_t seed, struct dc_arena *arena,
                                         struct dc_surface_samples *samples, struct dc_error *error);

#endif
