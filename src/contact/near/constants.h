// SPDX-License-Identifier: Apache-2.0
// Values of safe motions, bounds on them, and of parting what overlaps.  Certificates hold for any values here but
// those for rounding: bad ones make steps shorter, or more of them divided.
#ifndef DC_CONTACT_NEAR_CONSTANTS_H
#define DC_CONTACT_NEAR_CONSTANTS_H

#include <float.h>

// Safe motions (safe_step.c, node_path.c, triangle_path.c)
// Part of the gap that must be left on a path that is only asked whether surfaces meet.
static const double DC_NEAR_CLEAR_GAP = 1e-9;
// The triangles looked at first are those within this factor of the pair's gap: they give an upper bound at little
// cost.
static const double DC_NEAR_FIRST_LOOK = 4;
// The gap that spheres of nodes keep, over that of their triangles: a node that keeps it needs no look inside.
static const double DC_NEAR_NODES_KEPT = 2;
// An advance above a primitive that is shorter than this part of the way so far is the last.
static const double DC_NEAR_PROGRESS = 0.01;
// A gap this much below the one that is to be kept, relative to it, is where an advance stops.
static const double DC_NEAR_STOPPED = 1e-6;
// Cosine of two directions that count as one axis.
static const double DC_NEAR_ALIGNED = 1 - 1e-12;
// On sums of radii, so that rounding never makes spheres smaller than what they hold.
static const double DC_NEAR_RADII = 1 + 1e-12;
enum {
  DC_NEAR_MOST_TRIES = 64,  // parts of a way on which two nodes are followed before their children are
  // Chunks of a large pair for threads: more than parts of a walk (DC_PARTS), as the time that one takes is not known
  // before.  No result depends on it.
  DC_NEAR_MOST_CHUNKS = 64
};

// Bounds on motions (gap_bounds.c): part of a gap by which a motion may miss a bound that is not listed for it.
static const double DC_NEAR_MISSED = 0.01;

// Overlap (overlap.c, parting.c)
// Rounding of a separation along a unit normal, relative to the numbers that it is made of: places of vertices about
// c_a, at most |c_a - c_b| + r_a + r_b, are sums of a few products, and so is their height.  A plane that leaves more
// than that between the vertices of two triangles separates them, however it was found.
static const double DC_NEAR_SEPARATION_NOISE = 64 * DBL_EPSILON;
// Cosine between a direction of parting and those in which the body may move, below which it is not tried: the move
// would be more than ten times as long as the overlap is deep.
static const double DC_NEAR_LEAST_COSINE = 0.1;
enum { DC_NEAR_MOST_NORMALS = 1500 };  // of each body that are tried as directions; of more every second, third

#endif
