// SPDX-License-Identifier: Apache-2.0
// Minimization of a sum of squares whose unknowns live on a manifold (poses, joint angles within bounds), for problems
// without time: grasp refinement, later identification.
#ifndef DC_OPTIMIZE_LEAST_SQUARES_H
#define DC_OPTIMIZE_LEAST_SQUARES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/options.h"
#include "base/random.h"

// Derivatives may be estimated from random samples: which ones, and how far they may reach.
struct dc_residual_draw {
  uint64_t number;  // another number, other samples
  double trust;     // in (0, 1]: factor on the reach of the samples
};

// The groups of coordinates: each has one unit and its own size of steps.
enum dc_step_group { DC_STEP_ROTATION, DC_STEP_TRANSLATION, DC_STEP_JOINT, DC_STEP_GROUPS };

// A point is point_size numbers (a state with unit quaternions, say), a step dimension numbers in its tangent space.
struct dc_residual_problem {
  int point_size, dimension, residual_count;
  void *context;
  const double *metric;  // [dimension] > 0: squared length of a step is sum metric_i step_i^2
  const int *group;      // [dimension] enum dc_step_group
  // Residual r [residual_count] at point and, unless NULL, jacobian [residual_count][dimension] row by row; the value to
  // be minimized is |r|^2.  DC_OK or an error that ends the minimization.  Never returns DC_OK with a non-finite number.
  // A Jacobian is asked for at a point whose residual was had before, maybe with one other point in between: what
  // depends on the point alone is worth keeping for the last two.
  enum dc_status (*evaluate)(void *context, const double *point, const struct dc_residual_draw *draw, double *residual,
                             double *jacobian, struct dc_error *error);
  // |r|^2 and a direction [dimension] of descent at point for steps of step_size [DC_STEP_GROUPS] per group (which a
  // problem may need to make directions of different coordinates comparable); need not be minus the gradient.
  enum dc_status (*descend)(void *context, const double *point, const struct dc_residual_draw *draw,
                            const double *step_size, double *value, double *direction, struct dc_error *error);
  // result [point_size] = point moved by step, kept within bounds; result may be point.
  void (*retract)(void *context, const double *point, const double *step, double *result);
  // Sets held [dimension]: coordinates at a bound that gradient (of |r|^2) pushes against.  NULL: there are no bounds.
  void (*hold)(void *context, const double *point, const double *gradient, bool *held);
  // A point to start from anew, near or far from best; attempt counts from 1.  NULL: there is none.
  void (*restart)(void *context, const double *best, int attempt, struct dc_random *random, double *point);
};

struct dc_residual_iterate {
  int iteration;    // 0 is the first guess
  int evaluations;  // points at which a residual (or value) was asked for so far: queries
  double value, best_value;
  double gradient_norm;  // Euclidean, of |r|^2 (or of direction) where it was had last
  bool accepted, best;   // the next step begins here; lower than every value before
  const double *point;   // [point_size], of this iterate
};
// Called after every iteration; returns false to stop.
typedef bool dc_residual_observer(void *context, const struct dc_residual_iterate *iterate);

struct dc_least_squares_result {
  int iterations, evaluations, restarts;  // evaluations as in struct dc_residual_iterate
  double first_value, best_value;
};

struct dc_least_squares_type {
  const char *name, *summary, *reference;
  const struct dc_option *options;
  size_t options_size;
  bool one_path;  // every iterate is one step from the one before and none is taken back: the last is a result, too
  // Minimizes from point [point_size], which receives the best point whatever is returned.  seed: of restarts and draws.
  // The same problem, options and seed give the same bits.  DC_STOPPED when the observer (may be NULL) stopped it;
  // statuses of evaluate and descend; DC_NUMERICAL when what they gave is not finite (a trial step that leads to such a
  // value is not taken) or a linear solve fails for good; DC_MEMORY.  result may be NULL.
  enum dc_status (*minimize)(const void *options, const struct dc_residual_problem *problem, uint64_t seed,
                             double *point, dc_residual_observer *observer, void *observer_context,
                             struct dc_least_squares_result *result, struct dc_error *error);
};
extern const struct dc_least_squares_type dc_levenberg_marquardt, dc_normalized_descent;
extern const struct dc_least_squares_type *const dc_least_squares_types[];  // NULL-terminated

// Options that every method's structure begins with.
struct dc_least_squares_common {
  long iterations;
  double target;  // stop when |r|^2 is at most this
};

#endif
