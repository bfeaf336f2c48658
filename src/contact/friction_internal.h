// SPDX-License-Identifier: Apache-2.0
// Private to src/contact: what rubs, as listed at time t.
#ifndef DC_CONTACT_FRICTION_INTERNAL_H
#define DC_CONTACT_FRICTION_INTERNAL_H

#include "contact/contact_internal.h"
#include "contact/friction.h"

// Friction as one contact model has it; see the functions of friction.h of the same names.
struct dc_friction_methods {
  enum dc_status (*begin)(struct dc_contact *contact, const struct dc_pose *now, const struct dc_friction_law *law,
                          struct dc_error *error);
  bool (*rubs)(const struct dc_contact *contact);
  // Called when something rubs, results zeroed.
  double (*evaluate)(struct dc_contact *contact, const struct dc_pose *next, int order,
                     enum dc_friction_curvature curvature, struct dc_friction_derivatives *results);
  void (*accept)(struct dc_contact *contact);        // NULL: HELD is CONVEX
  bool (*solved)(const struct dc_contact *contact);  // NULL: always
  // Of the pairs first ... end - 1.
  void (*pull_back)(struct dc_contact *contact, int first, int end, const struct dc_pose *next,
                    const double (*twists)[6], double (*wrenches)[6], double *coefficient, double *stiffness);
};

// Triangle pairs on the separating planes of the barrier, friction.c and friction_pull_back.c.
extern const struct dc_friction_methods dc_plane_friction;
void dc_plane_friction_pull_back(struct dc_contact *contact, int first, int end, const struct dc_pose *next,
                                 const double (*twists)[6], double (*wrenches)[6], double *coefficient,
                                 double *stiffness);

// The coefficient of a pair of bodies: the geometric mean of the two.
double dc_friction_pair_coefficient(const double *coefficient, const struct dc_pair *pair);
// Whether any pair has a coefficient above 0.
bool dc_friction_anything_rubs(const struct dc_contact *contact, const double *coefficient);

// A node pair of time t between d1 and d2; parent 0: none.
struct dc_friction_blend {
  int i, j, parent;
};

// What rubs of one body pair: batches of triangle pairs, or of vertices above a half space.
struct dc_friction_pair {
  double coefficient;  // lambda
  size_t first_batch, batch_count;
  size_t first_floor, floor_count;
  size_t first_blend, blend_count;  // index 0 stands for none
  double floor_axes[9];             // b_1, b_2, n of a half space
};

enum { DC_FRICTION_UNIT = 32 };  // batches per unit of parallel work

// Consecutive batches of one pair, and their sums over the lanes.
struct dc_friction_unit {
  int pair;
  size_t first, count;
  bool floor;
  int64_t unconverged, iterations;
  double energy, gradient[12], h_aa[DC_HESSIAN], h_ab[36], h_bb[DC_HESSIAN], turn[12];
};

struct dc_friction {
  double stiffness, time_step, smoothing;
  double *coefficient;             // [bodies]
  struct dc_pose *now;             // [bodies], time t
  struct dc_friction_pair *pairs;  // [pair_count]
  int **leaf;                      // [bodies], without a hierarchy: node of every triangle
  struct dc_friction_batch *batches;
  int (*blend)[DC_BATCH];  // [batches] innermost blend of every lane, within the pair's; -1: lane not used
  struct dc_floor_batch *floors;
  struct dc_friction_blend *blends;
  double *by_support;  // [most blends of a pair], for the pull back
  struct dc_friction_unit *units;
  size_t batch_capacity, blend_of_capacity, floor_capacity, blend_capacity, support_capacity, unit_capacity;
  size_t batch_count, floor_count, blend_count, unit_count;
  struct dc_loop_history loop;  // over the units
  bool solved;
  int slot;       // of the last accepted iterate in batches and floors
  bool accepted;  // there is one since begin
};

// Whether threads pay for being woken, from rough costs in s; never changes a result.
static inline bool dc_friction_worth_threads(const struct dc_friction *friction)
{
  return 0.8e-6 * (double)friction->batch_count + 0.05e-6 * (double)friction->floor_count > 150e-6;
}

// Motion of a body from one pose to another: turn = R+ R^T, drift = rate (R+ R^T - I), velocity = rate (c+ - c);
// returns false, with identity and zeros, for a body that does not move.
bool dc_friction_body_motion(const struct dc_body *body, const struct dc_pose *from, const struct dc_pose *to,
                             double rate, double turn[9], double drift[9], double velocity[3]);

// Of the frames of a pair from now to next; order, exact and floor_axes are left to the caller.
void dc_friction_motion_of(const struct dc_contact *contact, int pair, const struct dc_pose *next,
                           struct dc_friction_motion *motion);

// 1 - phi at distance r, 1 up to inner and 0 from (1 + epsilon) inner on, without cancellation; *rate: phi' / (1 -
// phi).
double dc_friction_support(double r, double inner, double epsilon, double *rate);

// The same as a factor on the friction of a triangle pair with the given S, 1 up to the gap 12/S = range and 0 from
// twice that on (range NAN: 1); *rate: its derivative by S over itself.
double dc_friction_within_range(double sum, double range, double *rate);

void dc_friction_destroy(struct dc_friction *friction);

#endif
