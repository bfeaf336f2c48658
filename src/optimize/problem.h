// SPDX-License-Identifier: Apache-2.0
// Problems as optimizers see them: a function of coordinates, without physics.
//
// One structure serves controls of trajectories, poses of a grasp, and identified parameters.  Most members are
// optional; an optimizer refuses a problem without a member that it needs (dc_minimization_next).
#ifndef DC_OPTIMIZE_PROBLEM_H
#define DC_OPTIMIZE_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "base/status.h"

// A choice of random samples by which derivatives may be estimated.
struct dc_draw {
  uint64_t number;  // different numbers give different samples
  double trust;     // in (0, 1]: factor on the reach of the samples
};

// A group of coordinates with one unit, which may share one step size.
struct dc_coordinate_group {
  const char *name, *unit;  // "rotation", "rad"
};

// Residual rows at a point.  The value is approximately
//
//     sum over groups g of weight_g |d_g - P_g(d_g)|^2
//
// with the residual d and the projection P of a group's rows on the set that counts as reached: a disc about 0, a box
// about 0, or 0 itself.  Members that a problem does not set keep the defaults of dc_rows_clear: weight 1, every row
// its own group, P = 0.
struct dc_rows {
  double value;      // value of the problem at the point, by which points are compared
  double *residual;  // d [row_count]
  double *jacobian;  // [row_count][dimension], zeros where nothing is written; NULL: not asked for
  double *weight;    // [row_count] >= 0; this and the following are NULL when not needed
  int *group;        // [row_count] rows of one group follow each other and have the same number
  double *radius;    // [row_count] radius of the group's disc, the same for its rows; 0: none
  double *half;      // [row_count] half the width of the box along the row
};

// A point is point_size numbers (such as a state with unit quaternions); a step is dimension numbers in its tangent
// space.  Without retract a point is a vector: point_size is 0 or the dimension.
struct dc_problem {
  int dimension;
  void *context;
  // Value and gradient [dimension] (NULL: the value alone) at x.  DC_OK; DC_INFEASIBLE: x has no value, try nearer;
  // DC_NUMERICAL: the computation failed; DC_STOPPED and all other statuses end the optimization.  It never returns
  // DC_OK with a non-finite number.
  enum dc_status (*evaluate)(void *context, const double *x, double *value, double *gradient, struct dc_error *error);
  // [dimension] the group of every coordinate, below group_count: coordinates of a group have one unit and may share
  // their scale.  NULL: no groups.
  const int *group;
  int group_count;
  // The gradient is estimated from new random numbers every time, so that a zero estimate does not end the
  // minimization.
  bool drawn;
  const double *low, *high;  // [dimension], may be infinite: points stay in between; NULL: there are no bounds

  const struct dc_coordinate_group *groups;  // [group_count]; NULL: groups have no names
  // Values at count points xs [count][point_size], side by side where that pays; statuses [count] as from evaluate.
  // Order goes by index, so that results do not depend on threads.  Returns DC_OK, or the first status other than
  // DC_OK, DC_INFEASIBLE and DC_NUMERICAL.  NULL: evaluate is used.  Points behind the first whose value is at most
  // `enough` may be skipped: *count becomes the number of the others.
  enum dc_status (*values)(void *context, int *count, const double *xs, double enough, double *values,
                           enum dc_status *statuses, struct dc_error *error);

  int row_count, point_size;
  // Residual rows at x; statuses as from evaluate.  A Jacobian is requested at a point whose residual or value was
  // computed before, with at most one other point in between.  It is therefore worth keeping for the last two points
  // whatever depends on the point alone.
  enum dc_status (*linearize)(void *context, const double *x, const struct dc_draw *draw, struct dc_rows *rows,
                              struct dc_error *error);
  const double *metric;  // [dimension] > 0: squared length of a step is sum metric_i step_i^2; NULL: 1
  // Value and a descent direction [dimension] at x, for steps of step_size [group_count] per group, by which a problem
  // may weigh different coordinates.  The direction need not be minus the gradient.
  enum dc_status (*descend)(void *context, const double *x, const struct dc_draw *draw, const double *step_size,
                            double *value, double *direction, struct dc_error *error);
  // result [point_size] = x moved by step, kept within bounds; result may be x.  NULL: x + step within low and high.
  void (*retract)(void *context, const double *x, const double *step, double *result);
  // Sets held [dimension]: coordinates at a bound towards which the step -gradient points.  NULL: by low and high.
  void (*hold)(void *context, const double *x, const double *gradient, bool *held);
  // Sets a point to restart from, near to or far from best; attempt counts from 1.  NULL: no restarts.
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
// Calls values, or evaluate where there is none, for points up to the first that is enough.  Points that are not finite
// get DC_INFEASIBLE, values that are not finite DC_NUMERICAL.
enum dc_status dc_problem_values(const struct dc_problem *problem, int *count, const double *xs, double enough,
                                 double *values, enum dc_status *statuses, struct dc_error *error);
// Sets the defaults and a Jacobian of zeros.
void dc_rows_clear(const struct dc_problem *problem, struct dc_rows *rows);
// projected [row_count] = P(d), with discs and boxes scaled by part.
void dc_rows_project(const struct dc_problem *problem, const struct dc_rows *rows, double part, const double *d,
                     double *projected);

#endif
