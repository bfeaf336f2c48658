// SPDX-License-Identifier: Apache-2.0
// Private to the friction of bsh and exact: what slides, as listed at time t.
#ifndef DC_CONTACT_TRIANGLE_FRICTION_H
#define DC_CONTACT_TRIANGLE_FRICTION_H

#include "contact/friction/leaf_friction.h"

// A node pair of time t between d1 and d2; parent 0: none.
struct dc_friction_blend {
  int i, j, parent;
};

// The sliding contacts of one body pair: batches of triangle pairs, or of vertices above a half-space.
struct dc_friction_pair {
  double coefficient;  // lambda
  size_t first_batch, batch_count;
  size_t first_floor, floor_count;
  size_t first_blend, blend_count;  // index 0 stands for none
  double axes[9];                   // b_1, b_2, n of a half-space
};

struct dc_triangle_friction {
  struct dc_friction_pair *pairs;     // [pair_count]
  int **leaf;                         // [bodies], without a hierarchy: node of every triangle
  struct dc_friction_batch *batches;  // [batch_count]
  int (*blend)[DC_BATCH];             // [batches] innermost blend of every lane, within the pair's; -1: lane not used
  int (*triangles)[DC_BATCH][2];      // [batches] of both bodies
  struct dc_floor_batch *floors;      // [floor_count]
  struct dc_friction_blend *blends;   // [blend_count]
  struct dc_leaf_friction leaves;     // pairs with a convex leaf
  double *by_support;                 // [most blends of a pair], for the pull back
  size_t batch_capacity, blend_of_capacity, triangle_capacity, floor_capacity, blend_capacity, support_capacity;
  size_t batch_count, floor_count, blend_count;
};

// s_v: 1 for the vertices 0, 1, 2 of a, -1 for 3, 4, 5 of b.
static inline double dc_triangle_side(int v)
{
  return v < 3 ? 1 : -1;
}

// triangle_friction.c
// A pair at poses [bodies], for friction_setup.
struct dc_friction_place dc_triangle_place(const struct dc_contact *contact, const struct dc_pair *pair,
                                           const struct dc_pose *poses);
// The exact terms of the last evaluation from `first` on, each with strength w_i w_j, set up at the place.  Returns how
// many of the lanes are terms; the others repeat the last one.
int dc_triangle_fill_batch(const struct dc_contact *contact, const struct dc_pair *pair, size_t first,
                           const struct dc_friction_place *place, struct dc_friction_batch *batch);

// friction_pull_back.c
double dc_triangle_friction_pull_back(struct dc_contact *contact, const struct dc_friction_unit *units, size_t count,
                                      const struct dc_friction_motion *motion, struct dc_friction_sides *sides);

#endif
