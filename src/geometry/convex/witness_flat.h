// SPDX-License-Identifier: Apache-2.0
// Witness points of contacts that are flat: of two sides, a side and an edge, or two edges that lie on each other.
#ifndef DC_GEOMETRY_WITNESS_FLAT_H
#define DC_GEOMETRY_WITNESS_FLAT_H

#include "geometry/convex/witness.h"

// One of the two solids of a contact, and what is asked for on it.
struct dc_flat_side {
  const struct dc_solid *solid;
  const struct dc_placement *placement;
  int part;          // the part of the solid that the target is on
  double target[3];  // world, m
  double normal[3];  // world, unit, of the surface at the target
};

// The part of a solid whose surface is nearest to a point (the solid's frame).
int dc_solid_part_at(const struct dc_solid *solid, const double point[3]);

// Takes the points nearest to the targets among all nearest points of the solids and those that are no farther than
// `slack` from being it.  Normal and distance of the witness stay.
void dc_witness_settle(const struct dc_flat_side sides[2], double slack, struct dc_witness *witness);

#endif
