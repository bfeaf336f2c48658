// SPDX-License-Identifier: Apache-2.0
// Private to src/contact: friction of every model.
//
// The parts common to all models are in friction.c: the law and the poses of time t, the loop over body pairs that
// lists sliding contacts, and the loop of the pull back.  Also there are the units of work that threads share, the
// gathering of their sums, and the iterate that HELD Hessians start from.  A model lists units, evaluates one and pulls
// one group of them back.  Its files are:
//     bsh, exact  triangle_friction.c, friction_pull_back.c   triangle pairs, eight side by side (friction_template.h)
//     ... leaves  leaf_friction.c                             pairs of convex leaves of any number of vertices
//     sdrs        sdrs_friction.c, sdrs_pull_back.c           pairs of hulls of any number of vertices
//     ipc         ipc_friction.c, ipc_friction_pull_back.c    pairs of closest points (point_slip.h)
//     manifold    manifold_friction.c                         vertices on signed distances (point_slip.h), hulls as sdrs
// The derivatives of slips on planes, plane_slip.h, are common to the first two.
#ifndef DC_CONTACT_FRICTION_INTERNAL_H
#define DC_CONTACT_FRICTION_INTERNAL_H

#include "contact/common/contact_internal.h"
#include "contact/friction/friction.h"

// A unit of parallel work of one body pair, and its sums: lower triangles in h_aa, h_bb and turn, else as in struct
// dc_friction_derivatives.  What concerns a body that does not move stays zero.
struct dc_friction_unit {
  int pair;
  int group;                        // consecutive units of one group are one sum: of a body pair, or of a pair of hulls
  size_t first, count;              // in the model's own lists
  bool primitive;                   // vertices on a primitive
  bool leaves;                      // bsh: a pair of convex leaves (leaf_friction.h)
  bool levels;                      // manifold: vertices on signed distances, not hulls
  int64_t unconverged, iterations;  // planes without their motion; steps it took
  double energy, gradient[12], h_aa[DC_HESSIAN], h_ab[36], h_bb[DC_HESSIAN], turn[12];
};

struct dc_friction {
  double stiffness, time_step, smoothing;
  struct dc_pose *now;  // [bodies], time t
  struct dc_friction_unit *units;
  size_t unit_count, unit_capacity;
  double cost;                  // of an evaluation, roughly, s: summed by list
  struct dc_loop_history loop;  // over the units
  bool solved;
  int slot;       // of the last accepted iterate, where vertices keep two
  bool accepted;  // there is one since begin
  enum dc_friction_curvature curvature;  // of the last evaluation
  bool incomplete, late;                 // it has made no Hessians; is an iterate all the same
  void *own;      // of the model
};

// Two bodies of a group of units: twists of their frames at t+1 in, wrenches on those at t out; where points are
// wanted, derivatives by their places in the frames' axes, whose rotations at t and t+1 are given, too.
struct dc_friction_sides {
  const double *twist[2];
  double wrench[2][6];
  double (*points[2])[3];  // NULL: not wanted
  const double *now[2], *next[2];
};

struct dc_friction_methods {
  // Memory of its own in friction->own, when something slides for the first time, and its release; NULL: none.
  enum dc_status (*create)(struct dc_contact *contact);
  void (*destroy)(struct dc_friction *friction);
  // Empties its lists.
  void (*clear)(struct dc_contact *contact);
  // Lists what slides of a pair of coefficient > 0 that was evaluated, by dc_friction_add_unit, and adds to
  // friction->cost; -1 when out of memory.
  int (*list)(struct dc_contact *contact, int pair, double coefficient);
  // Evaluates a unit: sets its sums as far as motion->order asks for them.
  void (*run)(struct dc_contact *contact, struct dc_friction_unit *unit, const struct dc_friction_motion *motion);
  // Pulls a group of units [count] back: adds to the wrenches; returns the derivative of the energy along the twists.
  double (*pull_back)(struct dc_contact *contact, const struct dc_friction_unit *units, size_t count,
                      const struct dc_friction_motion *motion, struct dc_friction_sides *sides);
  bool displacements;  // motions are asked for as displacements, not as velocities
};

extern const struct dc_friction_methods dc_plane_friction, dc_sdrs_friction_methods, dc_ipc_friction_methods;

// Copies the unit to the end of the list; -1 when out of memory.
int dc_friction_add_unit(struct dc_friction *friction, const struct dc_friction_unit *unit);

// Whether threads pay for being woken; never changes a result.
bool dc_friction_worth_threads(const struct dc_friction *friction);

void dc_friction_destroy(struct dc_contact *contact);

// 1 - phi at distance r, 1 up to inner and 0 from inner + zone on, without cancellation; *rate: phi' / (1 -
// phi).
double dc_friction_support(double r, double inner, double zone, double *rate);

// The same as a factor on the friction of a triangle pair with the given S, 1 up to the gap 12/S = range and 0 from
// twice that on (range NAN: 1); *rate: its derivative by S over itself.
double dc_friction_within_range(double sum, double range, double *rate);

#endif
