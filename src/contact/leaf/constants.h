// SPDX-License-Identifier: Apache-2.0
// Values of the walls between convex hulls (sdrs_pair.c, sdrs_walls.c).  The minimum over the plane does not depend on
// them, only how it is found; a change alters the last bits of every motion with sdrs and manifold.
#ifndef DC_CONTACT_LEAF_CONSTANTS_H
#define DC_CONTACT_LEAF_CONSTANTS_H

// Newton's method for a plane
// The decrement g H^-1 g, relative to U, below which a step is the last.  It is still taken, so that what it leaves is
// smaller by the square; with rounding in the way, none below DC_WALL_NOISE is asked for.
static const double DC_WALL_DECREMENT = 1e-13;
// Rounding of a distance in its frame, relative to the support: hulls that lie deeper in the barrier lose more digits,
// and their decrement need not come below it.
static const double DC_WALL_NOISE = 1e-15;
// Part of the way to the nearest vertex that a step may use: at 1 its distance would be 0, where the barrier is
// infinite.
static const double DC_WALL_LARGEST_STEP = 0.95;
// Lengthening of steps where the barrier is so steep that Newton's are too short, and the divisor that bounds it
// (step_length): steps are at most 1/0.1 times as long.
static const double DC_WALL_SPEED_UP = 1.1, DC_WALL_LEAST_DIVISOR = 0.1;
// Part of each depth within the support that a step must leave: where one vanishes the Hessian is singular.
static const double DC_WALL_LEAST_DEPTH = 0.05;
// How often a diagonal entry may exceed what the elimination leaves of it: more than three digits lost ask for a new
// frame at the plane found so far.
static const double DC_WALL_LARGEST_LOSS = 1e3;
enum {
  DC_WALL_FRAMES = 6,       // attempts with a new frame each; the last one takes any loss
  DC_WALL_HALVINGS = 60,    // of a step that does not lower U
  DC_WALL_WARM_LIMIT = 20,  // iterations from the plane of the evaluation before; after these it begins anew
  DC_WALL_COLD_LIMIT = 150  // iterations from the plane midway between the hulls
};

// Where a wall begins, relative to its reach
// A distance that much below the reach counts as out of it: the energy there is rounding.
static const double DC_WALL_ROUNDING = 1e-12;
// From here on a remembered plane is not trusted to say whether a pair acts, and the distance itself is found.
static const double DC_WALL_NEAR_REACH = 0.9;
// A remembered plane is a start if the nearer hull is at least this part of the other's distance away: next to a vertex
// steps are short.
static const double DC_WALL_BALANCE = 0.01;
// On bounds by spheres, so that rounding never hides a pair that acts.
static const double DC_WALL_CLOSED = 1 - 1e-9;

#endif
