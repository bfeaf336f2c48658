// SPDX-License-Identifier: Apache-2.0
// Levenberg-Marquardt (Marquardt 1963; Nocedal and Wright 2006, section 10.3) for residuals whose Jacobian is estimated
// from random samples.  With D the metric, a step s solves
//     (J^T J + damping D) s = -J^T r,    held coordinates left out,    |s|_D = sqrt(sum D_i s_i^2) <= longest_step,
// and is taken when it lowers |r|^2.  Otherwise damping grows, samples reach less far, and the Jacobian is drawn anew: a
// sample may be misleading where the function itself is fine.  After failures in a row, steps that gain next to nothing
// included, the minimization begins anew where the problem says, near the best point or far from it; the best point is
// kept.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/linear_solver.h"
#include "optimize/norm.h"
#include "optimize/residual_run.h"

// Damping stays within what can be multiplied; trust must stay positive.
static const double LEAST_DAMPING = 1e-30, MOST_DAMPING = 1e30, LEAST_TRUST = 1e-6;
// The Jacobian is dense; entries are counted by int.
static const double MOST_BYTES = 4294967296.0;
// Where there is nowhere else to begin, steps that gain less than this part of the value count as failures: otherwise
// rounding keeps a minimization at its end for good.
static const double NEGLIGIBLE = 1e-12;

struct marquardt_options {
  struct dc_least_squares_common common;
  double damping, damping_decrease, damping_increase;
  double trust_increase, trust_decrease;
  double longest_step, progress;
  long failures, restarts;
};

#define FACTOR(member, text, least, most, meaning)                                                                     \
  {                                                                                                                    \
    .name = #member, .type = DC_REAL, .unit = "", .fallback = (text), .minimum = (least), .maximum = (most),           \
    .minimum_excluded = (least) == 0, .help = (meaning), .offset = offsetof(struct marquardt_options, member)          \
  }

static const struct dc_option options_table[] = {
    DC_RESIDUAL_ITERATIONS("Jacobians after the first one"),
    DC_RESIDUAL_TARGET("1e-13"),
    FACTOR(damping, "0.01", 0, 1e30, "weight of the metric at the start and after every restart"),
    FACTOR(damping_decrease, "0.3", 0, 1, "factor on the damping after a step that was taken"),
    FACTOR(damping_increase, "2", 1, 1e6, "factor on the damping after a step that was not"),
    FACTOR(trust_increase, "1.5", 1, 1e6, "factor on the reach of samples after a step that was taken, up to 1"),
    FACTOR(trust_decrease, "0.7", 0, 1, "factor on the reach of samples after a step that was not"),
    {.name = "longest_step",
     .type = DC_REAL,
     .unit = "m",
     .fallback = "1",
     .minimum = 0,
     .maximum = 1e9,
     .minimum_excluded = true,
     .help = "most length of a step: rotations and joints count as far as they move the body's points",
     .offset = offsetof(struct marquardt_options, longest_step)},
    {.name = "progress",
     .type = DC_REAL,
     .unit = "",
     .fallback = "0.05",
     .minimum = 0,
     .maximum = 1,
     .help = "least part of the value that a step must gain, or it counts as a failure though it is taken",
     .offset = offsetof(struct marquardt_options, progress)},
    {.name = "failures",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "9",
     .minimum = 1,
     .maximum = 1e9,
     .help = "failures in a row before it begins anew elsewhere, or ends",
     .offset = offsetof(struct marquardt_options, failures)},
    {.name = "restarts",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "1000",
     .minimum = 0,
     .maximum = 1e9,
     .help = "most times that it begins anew",
     .offset = offsetof(struct marquardt_options, restarts)},
    DC_OPTIONS_END,
};

// n: dimension, m: residuals.
struct work {
  const struct marquardt_options *options;
  struct dc_residual_run *run;
  double *point, *trial;               // [point_size]
  double *residual, *jacobian;         // [m], [m][n] at point
  double *trial_residual;              // [m]
  double *gradient, *normal, *step;    // J^T r [n], J^T J [n][n], [n]
  bool *held;                          // [n]
  struct dc_symmetric_matrix *matrix;  // NULL when n is 0
  double value, damping, trust;
  int failures;
  void *memory;
};

static enum dc_status allocate(struct work *work, const struct dc_residual_problem *problem, struct dc_error *error)
{
  int n = problem->dimension;
  size_t columns = (size_t)n, rows = (size_t)problem->residual_count, p = (size_t)problem->point_size;
  double bytes = (double)rows * (double)columns * sizeof(double);
  if (bytes > MOST_BYTES)
    return dc_fail(error, DC_MEMORY,
                   "the Jacobian of %zu residuals by %zu coordinates would take %.0f bytes (at most %.0f)", rows,
                   columns, bytes, MOST_BYTES);
  double *next = dc_alloc(2 * p + rows * (columns + 2) + columns * (columns + 3), sizeof *next);
  work->memory = next;
  work->matrix = n ? dc_symmetric_create(1, &n, 0, NULL, DC_SOLVER_DENSE) : NULL;
  if (!next || (n && !work->matrix))
    return dc_fail(error, DC_MEMORY, "out of memory");
  work->point = next, next += p;
  work->trial = next, next += p;
  work->residual = next, next += rows;
  work->jacobian = next, next += rows * columns;
  work->trial_residual = next, next += rows;
  work->gradient = next, next += columns;
  work->normal = next, next += columns * columns;
  work->step = next, next += columns;
  work->held = (bool *)next;
  return DC_OK;
}

static void release(struct work *work)
{
  dc_symmetric_destroy(work->matrix);
  free(work->memory);
}

static double square(const double *residual, int count)
{
  double sum = 0;
  for (int i = 0; i < count; i++)
    sum += residual[i] * residual[i];
  return sum;
}

// gradient = J^T r and the lower triangle of normal = J^T J.
static void square_up(struct work *work, int m, int n)
{
  memset(work->gradient, 0, (size_t)n * sizeof(double));
  memset(work->normal, 0, (size_t)n * (size_t)n * sizeof(double));
  for (int row = 0; row < m; row++) {
    const double *derivative = work->jacobian + (size_t)row * (size_t)n;
    for (int i = 0; i < n; i++) {
      if (derivative[i] == 0)
        continue;
      work->gradient[i] += derivative[i] * work->residual[row];
      for (int j = 0; j <= i; j++)
        work->normal[i * n + j] += derivative[i] * derivative[j];
    }
  }
}

// Takes the coordinates out of the linear system that the gradient pushes against a bound: the step slides along it.
static void hold(struct work *work)
{
  const struct dc_residual_problem *problem = work->run->problem;
  int n = problem->dimension;
  if (!problem->hold)
    return;
  for (int i = 0; i < n; i++)
    work->step[i] = 2 * work->gradient[i];
  problem->hold(problem->context, work->point, work->step, work->held);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      if (work->held[i] || work->held[j])
        work->normal[i * n + j] = 0;
  for (int i = 0; i < n; i++)
    if (work->held[i])
      work->gradient[i] = 0;
}

// Residual, Jacobian and what follows from them at point, with a draw of their own.  Where nothing can move, there is
// nothing to linearize, but a residual.
static enum dc_status linearize(struct work *work, struct dc_error *error)
{
  const struct dc_residual_problem *problem = work->run->problem;
  int m = problem->residual_count, n = problem->dimension;
  struct dc_residual_draw draw = dc_residual_run_draw(work->run, work->trust);
  enum dc_status status =
      problem->evaluate(problem->context, work->point, &draw, work->residual, n ? work->jacobian : NULL, error);
  if (status)
    return status;
  work->value = square(work->residual, m);
  if (!isfinite(work->value))
    return dc_fail(error, DC_NUMERICAL, "the sum of squares is %g", work->value);
  square_up(work, m, n);
  for (int i = 0; i < n; i++)
    if (!isfinite(work->gradient[i]) || !isfinite(work->normal[i * n + i]))
      return dc_fail(error, DC_NUMERICAL, "the Jacobian of the residual is not finite or too large");
  hold(work);
  return DC_OK;
}

// Sets the step.  Damping grows until the matrix is positive definite to rounding: DC_NUMERICAL when it never is.
static enum dc_status solve(struct work *work, struct dc_error *error)
{
  const struct dc_residual_problem *problem = work->run->problem;
  int n = problem->dimension;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      work->normal[j * n + i] = work->normal[i * n + j];
  for (double added = 0;; work->damping *= 10) {
    for (int i = 0; i < n; i++)
      work->normal[i * n + i] += (work->damping - added) * problem->metric[i];
    added = work->damping;
    dc_symmetric_clear(work->matrix);
    dc_symmetric_add_block(work->matrix, 0, 0, 1, work->normal, n);
    enum dc_status status = dc_symmetric_factor_positive(work->matrix);
    if (!status)
      break;
    if (status != DC_NUMERICAL || work->damping > MOST_DAMPING)
      return dc_fail(error, status, "the linear system of a step cannot be solved");
  }
  for (int i = 0; i < n; i++)
    work->step[i] = -work->gradient[i];
  dc_symmetric_solve(work->matrix, work->step, work->step, NULL);
  double length = 0;
  for (int i = 0; i < n; i++)
    length = hypot(length, sqrt(problem->metric[i]) * work->step[i]);
  if (!isfinite(length))
    return dc_fail(error, DC_NUMERICAL, "a step is not finite");
  double scale = length > work->options->longest_step ? work->options->longest_step / length : 1;
  for (int i = 0; i < n; i++)
    work->step[i] *= scale;
  return DC_OK;
}

// Moves a step on and says whether that was better; point and value change only then.
static enum dc_status attempt(struct work *work, struct dc_residual_iterate *iterate, struct dc_error *error)
{
  struct dc_residual_run *run = work->run;
  const struct dc_residual_problem *problem = run->problem;
  const struct marquardt_options *options = work->options;
  enum dc_status status = solve(work, error);
  if (status)
    return status;
  problem->retract(problem->context, work->point, work->step, work->trial);
  *iterate = (struct dc_residual_iterate){.value = work->value, .point = work->point};
  double value = INFINITY;
  if (isfinite(norm_largest(work->trial, problem->point_size))) {
    struct dc_residual_draw draw = dc_residual_run_draw(run, work->trust);
    status = problem->evaluate(problem->context, work->trial, &draw, work->trial_residual, NULL, error);
    if (status)
      return status;
    value = square(work->trial_residual, problem->residual_count);
  }
  if (isfinite(value)) {
    bool best = dc_residual_run_book(run, work->trial, value);
    *iterate = (struct dc_residual_iterate){
        .value = value, .accepted = value < work->value, .best = best, .point = work->trial};
  }
  bool gained = value < (1 - (problem->restart ? fmax(options->progress, NEGLIGIBLE) : NEGLIGIBLE)) * work->value;
  if (iterate->accepted) {
    memcpy(work->point, work->trial, (size_t)problem->point_size * sizeof(double));
    work->value = value;
    work->damping = fmax(options->damping_decrease * work->damping, LEAST_DAMPING);
    work->trust = fmin(options->trust_increase * work->trust, 1);
  } else {
    work->damping = fmin(options->damping_increase * work->damping, MOST_DAMPING);
    work->trust = fmax(options->trust_decrease * work->trust, LEAST_TRUST);
  }
  work->failures = gained ? 0 : work->failures + 1;
  return DC_OK;
}

// Begins at point, the first time or anew.
static enum dc_status begin(struct work *work, struct dc_residual_iterate *iterate, struct dc_error *error)
{
  work->damping = work->options->damping;
  work->trust = 1;
  work->failures = 0;
  enum dc_status status = linearize(work, error);
  if (status)
    return status;
  bool best = dc_residual_run_book(work->run, work->point, work->value);
  *iterate = (struct dc_residual_iterate){.value = work->value, .accepted = true, .best = best, .point = work->point};
  return DC_OK;
}

// Whether there is another iteration to do.
static bool goes_on(const struct work *work)
{
  const struct marquardt_options *options = work->options;
  const struct dc_residual_run *run = work->run;
  bool restarts = run->problem->restart && run->result.restarts < options->restarts;
  return run->problem->dimension > 0 && work->value > options->common.target &&
         run->result.iterations < options->common.iterations && (work->failures < options->failures || restarts);
}

static enum dc_status descend(struct work *work, struct dc_error *error)
{
  struct dc_residual_run *run = work->run;
  const struct dc_residual_problem *problem = run->problem;
  struct dc_residual_iterate iterate;
  enum dc_status status = begin(work, &iterate, error);
  while (!status) {
    iterate.gradient_norm = 2 * norm_euclidean(work->gradient, problem->dimension);
    status = dc_residual_run_tell(run, iterate, error);
    if (status || !goes_on(work))
      break;
    run->result.iterations++;
    if (work->failures >= work->options->failures) {
      problem->restart(problem->context, run->best, ++run->result.restarts, &run->random, work->point);
      status = begin(work, &iterate, error);
      continue;
    }
    status = attempt(work, &iterate, error);
    if (!status && work->failures < work->options->failures && goes_on(work))
      status = linearize(work, error);
  }
  return status;
}

static enum dc_status minimize(const void *options, const struct dc_residual_problem *problem, uint64_t seed,
                               double *point, dc_residual_observer *observer, void *observer_context,
                               struct dc_least_squares_result *result, struct dc_error *error)
{
  struct dc_residual_run run;
  dc_residual_run_begin(&run, problem, seed, point, observer, observer_context);
  struct work work = {.options = options, .run = &run};
  enum dc_status status = allocate(&work, problem, error);
  if (!status) {
    memcpy(work.point, point, (size_t)problem->point_size * sizeof *point);
    status = descend(&work, error);
  }
  release(&work);
  if (result)
    *result = run.result;
  return status;
}

const struct dc_least_squares_type dc_levenberg_marquardt = {
    .name = "levenberg_marquardt",
    .summary = "damped Gauss-Newton steps that draw anew after a failure and begin anew after many",
    .reference = "Marquardt 1963; Nocedal and Wright 2006, section 10.3",
    .options = options_table,
    .options_size = sizeof(struct marquardt_options),
    .minimize = minimize,
};
