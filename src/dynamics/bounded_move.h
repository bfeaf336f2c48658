// SPDX-License-Identifier: Apache-2.0
// Moves that do not run into what is near (docs/theory.md, "Bounded moves").  Private to src/dynamics.
#ifndef DC_DYNAMICS_BOUNDED_MOVE_H
#define DC_DYNAMICS_BOUNDED_MOVE_H

#include "body/kinematics.h"
#include "body/path.h"
#include "contact/contact.h"
#include "math/linear_solver.h"

struct dc_bounded_move;
struct dc_barrier_step;

// Workspace for moves of the bodies; owned by arena.  NULL: out of memory.
struct dc_bounded_move *dc_bounded_move_create(const struct dc_bodies *bodies, int pair_count, struct dc_arena *arena);

// Where a move starts and what changes of it cost.
struct dc_move_start {
  struct dc_contact *contact;  // last evaluated at q
  const double *q;
  const struct dc_kinematics *kinematics;  // at q
  struct dc_symmetric_matrix *metric;      // factored, positive definite
  const struct dc_barrier_step *barrier;   // what bent the move, changes the metric; NULL: nothing
};

// Changes move [nv] by as little as possible, measured by the metric, so that gaps in its way keep part of their size.
// With m the move given it becomes the minimum of (d - m)^T metric (d - m) / 2 subject to the bounds found in the way.
// `path` is workspace.  Returns (d - m)^T metric (d - m); with nothing in the way 0, and move stays as it was.
double dc_bound_move(struct dc_bounded_move *bounded, const struct dc_move_start *start, struct dc_path *path,
                     double *move);

// Whether there is a bound in the way, for which no metric is needed.
bool dc_move_meets_bound(const struct dc_move_start *start, struct dc_path *path, const double *move);

#endif
