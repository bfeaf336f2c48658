// SPDX-License-Identifier: Apache-2.0
// The derivative of hulls' friction by time t, as far as it is the same for sdrs and for the convex leaves of bsh: the
// slips of the vertices on a plane (docs/theory.md, "SDRS", "Derivatives at t").
#ifndef DC_CONTACT_HULL_PULL_H
#define DC_CONTACT_HULL_PULL_H

#include "contact/friction/hull_slip.h"
#include "contact/friction/plane_slip.h"

// One sliding pair that is pulled back.
struct dc_hull_pull {
  const struct dc_sliding_hulls *sliding;
  const struct dc_sliding_vertex *vertices;
  const struct dc_friction_motion *motion;
  struct dc_friction_sides *sides;
  struct dc_plane_motion plane;
  double drag;
};

// The sliding pair `index` of a list, with the motion of its plane and no answer yet.
struct dc_hull_pull dc_hull_pull_of(const struct dc_hull_slips *slips, size_t index,
                                    const struct dc_friction_motion *motion, struct dc_friction_sides *sides);

// 0: vertex v is of body a; 1: of b.
static inline int dc_hull_pull_side(const struct dc_hull_pull *pull, int v)
{
  return v < pull->sliding->count_a ? 0 : 1;
}

// zeta = (upsilon, varpi): how the motion of the plane answers.
void dc_hull_pull_answer(struct dc_hull_pull *pull);

// Through r and r' of a vertex: cotangents x and n, a and b as of dc_plane_through_slips.  Returns the vertex's part of
// G, to which the spins add W_v rho^2 omega varpi / e.
double dc_hull_pull_slip(const struct dc_hull_pull *pull, int v, double x[2], double n[2], double a[2], double b[2]);

#endif
