// SPDX-License-Identifier: Apache-2.0
// What optimizers see: a function of some coordinates, nothing of physics.
//
// One structure serves controls of trajectories, poses of a grasp and whatever is identified.  Most members may be
// absent; an optimizer says no to a problem that lacks what it needs (dc_minimization_next).
#ifndef DC_OPTIMIZE_PROBLEM_H
#define DC_OPTIMIZE_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "base/status.h"

// Derivatives may be estimated from random samples: which ones, and how far they may reach.
struct dc_draw {
  uint64_t number;  // another number, other samples
  double trust;     // in (0, 1]: factor on the reach of the samples
};

// Coordinates that belong together: they have one unit and may share the size of their steps.
struct dc_coordinate_group {
  const char *name, *unit;  // "rotation", "rad"
};

// Residual rows at a point.  The value is about
//     sum over groups g of weight_g |d_g - P_g(d_g)|^2
// with d the residual and P the projection of a group's rows on what counts as reached: a disc about 0, a box about 0,
// or 0 itself.  What a problem does not set holds the defaults of dc_rows_clear: weight 1, a group for each row, P = 0.
struct dc_rows {
  double value;      // of the problem at the point; it alone decides which point is better
  double *residual;  // d [row_count]
  double *jacobian;  // [row_count][dimension], zeros where nothing is written; NULL: not asked for
  double *weight;    // [row_count] >= 0; NULL, as the rest: neither asked for nor needed
  int *group;        // [row_count] rows of one group follow each other and have the same number
  double *radius;    // [row_count] of the disc of the row's group, the same for its rows; 0: there is none
  double *half;      // [row_count] half the width of the box along the row
};

// A point is point_size numbers (a state with unit quaternions, say), a step dimension numbers in its tangent space.
// Where there is no retract a point is a vector: point_size is 0 or the dimension.
struct dc_problem {
  int dimension;
  void *context;
  // Value and gradient [dimension] (NULL: the value alone) at x.  DC_OK; DC_INFEASIBLE: nothing can be said at x, try
  // nearer; DC_NUMERICAL: the value or gradient could not be had; DC_STOPPED and every other status end the
  // optimization.  Never returns DC_OK with a non-finite number.
  enum dc_status (*evaluate)(void *context, const double *x, double *value, double *gradient, struct dc_error *error);
  // [dimension] index below group_count of the group that a coordinate belongs to: coordinates of one group have one
  // unit and may share their scale.  NULL: each for itself.
  const int *group;
  int group_count;
  // The gradient is estimated from random numbers, others every time: that one estimate is zero does not end the
  // minimization.
  bool drawn;
  const double *low, *high;  // [dimension], may be infinite: points stay in between; NULL: there are no bounds

  const struct dc_coordinate_group *groups;  // [group_count]; NULL: they have no names
  // Values at count points xs [count][point_size], side by side where that pays; statuses [count] as those of evaluate.
  // Choices go by index, so that results do not depend on threads.  Returns DC_OK, or the first status that is neither
  // DC_OK, DC_INFEASIBLE nor DC_NUMERICAL.  NULL: evaluate is asked.  Points behind the first whose value is at most
  // `enough` may be left out: *count becomes the number of the others.
  enum dc_status (*values)(void *context, int *count, const double *xs, double enough, double *values,
                           enum dc_status *statuses, struct dc_error *error);

  int row_count, point_size;
  // Residual rows at x, statuses as those of evaluate.  A Jacobian is asked for at a point whose residual or value was
  // had before, maybe with one other point in between: what depends on the point alone is worth keeping for the last
  // two.
  enum dc_status (*linearize)(void *context, const double *x, const struct dc_draw *draw, struct dc_rows *rows,
                              struct dc_error *error);
  const double *metric;  // [dimension] > 0: squared length of a step is sum metric_i step_i^2; NULL: 1
  // Value and a direction [dimension] of descent at x for steps of step_size [group_count] per group (which a problem
  // may need to make directions of different coordinates comparable); need not be minus the gradient.
  enum dc_status (*descend)(void *context, const double *x, const struct dc_draw *draw, const double *step_size,
                            double *value, double *direction, struct dc_error *error);
  // result [point_size] = x moved by step, kept within bounds; result may be x.  NULL: x + step within low and high.
  void (*retract)(void *context, const double *x, const double *step, double *result);
  // Sets held [dimension]: coordinates at a bound that gradient pushes against.  NULL: those at low and high.
  void (*hold)(void *context, const double *x, const double *gradient, bool *held);
  // A point to start from anew, near or far from best; attempt counts from 1.  NULL: there is none.
  void (*restart)(void *context, const double *best, int attempt, struct dc_random *random, double *x);
  uint64_t seed;  // of draws and restarts
};

static inline int dc_problem_point_size(const struct dc_problem *problem)
{
  return problem->point_size > 0 ? problem->point_size : problem->dimension;
}

// result [point_size] = x moved by step and kept within bounds; result may be x.
void dc_problem_move(const struct dc_problem *problem, const double *x, const double *step, double *result);
// Sets held [dimension]; returns whether any is.
bool dc_problem_hold(const struct dc_problem *problem, const double *x, const double *gradient, bool *held);
// values, by evaluate where there is no such function, of points up to the first that is enough; statuses of points
// that are not finite are DC_INFEASIBLE, of values that are not DC_NUMERICAL.
enum dc_status dc_problem_values(const struct dc_problem *problem, int *count, const double *xs, double enough,
                                 double *values, enum dc_status *statuses, struct dc_error *error);
// Sets the defaults and a Jacobian of zeros.
void dc_rows_clear(const struct dc_problem *problem, struct dc_rows *rows);
// projected [row_count] = P(d), with discs and boxes scaled by part.
void dc_rows_project(const struct dc_problem *problem, const struct dc_rows *rows, double part, const double *d,
                     double *projected);

#endif
