// SPDX-License-Identifier: Apache-2.0
// Pairs of convex leaves (docs/theory/contact.md, "Convex leaves"): their planes, and vertices in the frame of one.
#ifndef DC_CONTACT_LEAF_PAIR_H
#define DC_CONTACT_LEAF_PAIR_H

#include "contact/common/contact_internal.h"

// Two leaves, as a lane of a batch; those of a batch may belong to different pairs of bodies.
struct dc_leaf_lane {
  const struct dc_pair *pair;
  const struct dc_term *term;
  const double *rotation_b, *arm;  // rows of R_b, c_a - c_b
  double *plane;                   // [4], in b's axes about c_b: the last one (normal 0: none), then the new one
  double weight;                   // in the sum of Hessians
};

// Solves up to eight pairs of leaves, lanes [count].  The batch is filled here; the Hessian of every lane is added to
// its column of hessian.  batch->failed: the leaves are apart, but the plane did not reach its tolerance.
void dc_leaves_solve(const struct dc_contact *contact, const struct dc_leaf_lane *lanes, int count, int order,
                     struct dc_leaf_batch *batch, double (*hessian)[DC_BATCH]);

// The gap of two leaves along the axis between their nearest points, from b to a: a lower bound of their distance, by
// rounding only.  Where the hulls of their vertices meet it is minus the sum of their radii, and the axis means
// nothing. Vertices [count][3] stand in common axes, m.
double dc_leaf_separation(const double (*a)[3], int a_count, double a_radius, const double (*b)[3], int b_count,
                          double b_radius, double normal[3]);

// The vertices of two leaves on the plane between them.
struct dc_leaf_places {
  int count_a, count;                    // those of a first
  double share[2], radius[2];            // of the leaf of a, of b: 3 / number of its vertices; m
  double axes[9];                        // rows: two principal axes in the plane, its normal, world
  double arm[2 * DC_LEAF_CORNERS][3];    // of the surface points x_v - s_v radius n from their body's centre, world, m
  double local[2 * DC_LEAF_CORNERS][3];  // of these, in the axes about a point of the plane
  double distance[2 * DC_LEAF_CORNERS];  // h_v
  int index[2 * DC_LEAF_CORNERS];        // of the body's vertices
  double sum;                            // S
};

// A term of the last evaluation at its plane, poses [bodies].
void dc_leaf_places_of(const struct dc_contact *contact, const struct dc_pair *pair, const struct dc_term *term,
                       const double plane[4], const struct dc_pose *poses, struct dc_leaf_places *places);

#endif
