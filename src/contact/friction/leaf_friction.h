// SPDX-License-Identifier: Apache-2.0
// Private to the friction of bsh and exact: pairs of convex leaves that slide on the planes between them.
#ifndef DC_CONTACT_LEAF_FRICTION_H
#define DC_CONTACT_LEAF_FRICTION_H

#include "contact/friction/hull_slip.h"

// Beside each of the sliding hulls: its innermost blend, and of either leaf 3 / number of its vertices and its radius.
struct dc_sliding_leaves {
  int blend;
  double share[2], radius[2];
};

struct dc_leaf_friction {
  struct dc_hull_slips slips;
  struct dc_sliding_leaves *leaves;  // [slips.sliding_count]
  size_t capacity;
};

void dc_leaf_friction_clear(struct dc_contact *contact, struct dc_leaf_friction *own);
void dc_leaf_friction_release(struct dc_leaf_friction *own);
// Lists exact term t of the last evaluation of a pair, with strength lambda h mu times its support, and adds its unit;
// -1 when out of memory.
int dc_leaf_friction_add(struct dc_contact *contact, struct dc_leaf_friction *own, int pair, size_t t, double strength,
                         int blend);
// Pulls a unit back: adds to the wrenches; returns the derivative of the energy along the twists.
double dc_leaf_friction_pull_back(const struct dc_contact *contact, const struct dc_leaf_friction *own,
                                  const struct dc_friction_unit *unit, const struct dc_friction_motion *motion,
                                  struct dc_friction_sides *sides);

// The torque of the derivative by the place of a surface point in its body, R_t^T place: the point x - s radius n of a
// rounded leaf is another one of the body when that turns, as n stays.  place: as dc_plane_material_place.
static inline void dc_add_rolling_torque(const double n[3], double size, const double place[3], double wrench[6])
{
  double torque[3];
  dc_vec_cross(torque, n, place);
  dc_vec_add_scaled(wrench, wrench, size, torque);
}

// force + D^T (a + b x w)/h with D = R_t+1 R_t^T and w the turn of the side's twist at t+1: the derivative by the place
// of a point in its body, in world axes at t (plane_slip.h, dc_friction_add_point).
static inline void dc_plane_material_place(const struct dc_friction_motion *motion, int x, const double *axes,
                                           const double *twist, const double force[3], const double a[2],
                                           const double b[2], double place[3])
{
  double slip[3], pulled[3], crossed[3], turned[3];
  for (int k = 0; k < 3; k++) {
    slip[k] = a[0] * axes[k] + a[1] * axes[3 + k];
    pulled[k] = b[0] * axes[k] + b[1] * axes[3 + k];
  }
  dc_vec_cross(crossed, pulled, twist);
  dc_vec_add(slip, slip, crossed);
  dc_mat_apply_transposed(turned, motion->turn[x], slip);
  dc_vec_add_scaled(place, force, 1 / motion->time_step, turned);
}

#endif
