// SPDX-License-Identifier: Apache-2.0
// Contact manifolds whose answer geometry knows (paper 001, Fig. 3 and Fig. 5): boxes on boxes, edges that turn past
// each other.
#ifndef BENCH_MANIFOLD_CASES_H
#define BENCH_MANIFOLD_CASES_H

#include "base/status.h"

// Cubes of edge 1, superquadrics of exponents 0.1, the upper one turned and moved at random and 2 % deep.
//
// Edges: 12 x 12 pairs of edges of cubes inscribed in their level sets.  A contact is a crossing where edges of the
// faces that meet cross seen along z, and active from an activity of 0.1 on.  Angles are those of normals of crossings
// to z.
struct dc_box_edges {
  double softness;       // of the nearest points; their regularization is a tenth of it
  int poses, crossings;  // crossings: contacts, two for each
  double least, low;     // activity of crossings: the least, that of 99 %
  double others;         // the most active one of each pose that is no crossing: median
  int missed, extra;     // crossings that are not active; active contacts that are none
  int same;              // poses where the active ones are the crossings
  double median, p90;    // angles, degrees
  double most, within;   // the largest angle; part of them within 1 degree
};

// Vertices: a lattice of 98 on the upper cube, met by the signed distance of the lower one; inside is what is within
// the cube.
struct dc_box_vertices {
  int poses, inside, active;  // active: of negative distance
  int differ;                 // one but not the other
  double deepest;             // of those that differ, the largest distance of the cube's nearest face, of edge 1
  int away;                   // active ones at least 0.1 from the faces of the lower cube that stand upright
  double near_most,
      away_most;  // largest angles of normals to z, degrees: of active ones less, and more than that from them
};

// An edge that turns through half a turn past a parallel one in steps of 1e-4 rad (paper 001, Fig. 3).
struct dc_parallel_sweep {
  double softness, regularization;
  double step;  // largest change of the nearest point in one step, in lengths of the edge
  double
      slope_error;  // largest difference of the derivative by the angle from differences, over the largest derivative
};

// [poses] draws of the seed; DC_MEMORY.
enum dc_status dc_bench_box_edges(double softness, int poses, unsigned seed, struct dc_box_edges *figures,
                                  struct dc_error *error);
enum dc_status dc_bench_box_vertices(int poses, unsigned seed, struct dc_box_vertices *figures, struct dc_error *error);
void dc_bench_parallel(double softness, double regularization, struct dc_parallel_sweep *sweep);

#endif
