// SPDX-License-Identifier: Apache-2.0
// Levenberg-Marquardt (Marquardt 1963; Nocedal and Wright 2006, section 10.3) for residuals whose Jacobian is estimated
// from random samples.  With the metric D, a step s solves
//
//     (J^T J + damping D) s = -J^T r,    held coordinates left out,    |s|_D = sqrt(sum D_i s_i^2) <= longest_step.
//
// It is taken when it lowers |r|^2.  Otherwise damping grows, the reach of samples shrinks, and the Jacobian is drawn
// anew, because a sample may mislead where the function itself is smooth.  After several failures in a row, including
// steps with negligible gain, the minimization restarts where the problem says, near the best point or far from it; the
// best point is kept.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/linear_solver.h"
#include "optimize/common_options.h"
#include "optimize/iteration.h"
#include "optimize/norm.h"

// Damping stays in a range that can be multiplied without overflow; trust must stay positive.
static const double LEAST_DAMPING = 1e-30, MOST_DAMPING = 1e30, LEAST_TRUST = 1e-6;
// Bound of the dense Jacobian in memory, so that entries can be counted by int.
static const double MOST_BYTES = 4294967296.0;
// Without restarts, steps with a relative gain below this count as failures; otherwise rounding would continue a
// converged minimization forever.
static const double NEGLIGIBLE = 1e-12;

struct marquardt_options {
  struct dc_optimizer_common common;
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
    DC_POSITIVE_OPTION(struct marquardt_options, longest_step, "m", "1", 1e9,
                       "most length of a step: rotations and joints count as far as they move the body's points"),
    DC_REAL_OPTION(struct marquardt_options, progress, "", "0.05", 0, 1,
                   "least part of the value that a step must gain, or it counts as a failure though it is taken"),
    DC_INTEGER_OPTION(struct marquardt_options, failures, "9", 1, 1e9,
                      "failures in a row before it begins anew elsewhere, or ends"),
    DC_INTEGER_OPTION(struct marquardt_options, restarts, "1000", 0, 1e9, "most times that it begins anew"),
    DC_OPTIONS_END,
};

// Layout of the state, with n the dimension and p the point size: damping, trust, failures in a row, |r|^2, the point
// [p], J^T r [n], J^T J [n][n].
enum { DAMPING, TRUST, FAILURES, VALUE, ARRAYS };

// Workspace of an iteration, with m rows.
struct work {
  const struct marquardt_options *options;
  struct dc_iteration *iteration;
  const struct dc_problem *problem;
  double *state, *point, *gradient, *normal;  // the state and its parts
  double *residual, *jacobian;                // [m], [m][n]
  double *trial, *step;                       // [p], [n]
  bool *held;                                 // [n]
  struct dc_symmetric_matrix *matrix;         // NULL when n is 0
  void *memory;
};

static enum dc_status check(const void *options, const struct dc_problem *problem, struct dc_error *error)
{
  (void)options;
  if (!problem->linearize)
    return dc_fail(error, DC_BAD_INPUT, "levenberg_marquardt needs residuals, which this problem does not have");
  size_t columns = (size_t)problem->dimension, rows = (size_t)problem->row_count;
  double bytes = (double)rows * (double)columns * sizeof(double);
  if (bytes > MOST_BYTES)
    return dc_fail(error, DC_MEMORY,
                   "the Jacobian of %zu residuals by %zu coordinates would take %.0f bytes (at most %.0f)", rows,
                   columns, bytes, MOST_BYTES);
  return DC_OK;
}

static size_t state_size(const void *options, const struct dc_problem *problem, int number)
{
  (void)options, (void)number;
  size_t n = (size_t)problem->dimension;
  return ARRAYS + (size_t)dc_problem_point_size(problem) + n * (n + 1);
}

// Room for n parameters and r residuals: trial [point], residual [r], Jacobian [r][n], step [n], normal equations
// [n][n]; the point, gradient and normal matrix are in the optimizer's state.
static enum dc_status open_work(struct work *work, const void *options, struct dc_iteration *iteration,
                                struct dc_error *error)
{
  const struct dc_problem *problem = iteration->problem;
  int n = problem->dimension;
  size_t columns = (size_t)n, rows = (size_t)problem->row_count, p = (size_t)dc_problem_point_size(problem);
  *work = (struct work){.options = options, .iteration = iteration, .problem = problem, .state = iteration->state};
  work->point = work->state + ARRAYS;
  work->gradient = work->point + p;
  work->normal = work->gradient + columns;
  double *next = dc_alloc(p + rows * (columns + 1) + 2 * columns + 1, sizeof *next);
  work->memory = next;
  work->matrix = n ? dc_symmetric_create(1, &n, 0, NULL, DC_SOLVER_DENSE) : NULL;
  if (!next || (n && !work->matrix))
    return dc_out_of_memory(error);
  work->trial = next, next += p;
  work->residual = next, next += rows;
  work->jacobian = next, next += rows * columns;
  work->step = next, next += columns;
  work->held = (bool *)next;
  return DC_OK;
}

static void close_work(struct work *work)
{
  dc_symmetric_destroy(work->matrix);
  free(work->memory);
}

// |r|^2, summed in the order of rows.
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

// Removes coordinates from the linear system that the gradient of |r|^2, 2 J^T r, pushes against a bound: the step
// slides along it.  Their rows and columns of J^T J become zero; damping alone is left on their diagonal, and their
// step is zero.
static void hold(struct work *work)
{
  const struct dc_problem *problem = work->problem;
  int n = problem->dimension;
  for (int i = 0; i < n; i++)
    work->step[i] = 2 * work->gradient[i];
  if (!dc_problem_hold(problem, work->point, work->step, work->held))
    return;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      if (work->held[i] || work->held[j])
        work->normal[i * n + j] = 0;
  for (int i = 0; i < n; i++)
    if (work->held[i])
      work->gradient[i] = 0;
}

// Computes residual, Jacobian, J^T r and J^T J at point, with a new draw.  Where no coordinate is free there is only a
// residual.
static enum dc_status linearize(struct work *work, struct dc_error *error)
{
  const struct dc_problem *problem = work->problem;
  int m = problem->row_count, n = problem->dimension;
  struct dc_draw draw = dc_iteration_draw(work->iteration, work->state[TRUST]);
  struct dc_rows rows = {.residual = work->residual, .jacobian = n ? work->jacobian : NULL};
  dc_rows_clear(problem, &rows);
  enum dc_status status = problem->linearize(problem->context, work->point, &draw, &rows, error);
  if (status)
    return status;
  work->state[VALUE] = square(work->residual, m);
  if (!isfinite(work->state[VALUE]))
    return dc_fail(error, DC_NUMERICAL, "the sum of squares is %g", work->state[VALUE]);
  square_up(work, m, n);
  for (int i = 0; i < n; i++)
    if (!isfinite(work->gradient[i]) || !isfinite(work->normal[i * n + i]))
      return dc_fail(error, DC_NUMERICAL, "the Jacobian of the residual is not finite or too large");
  hold(work);
  return DC_OK;
}

static double metric(const struct dc_problem *problem, int i)
{
  return problem->metric ? problem->metric[i] : 1;
}

// Solves for the step.  Damping grows tenfold until the matrix is numerically positive definite: DC_NUMERICAL when it
// never is. `added` is the damping that the diagonal of normal holds already.  A step longer than longest_step in the
// metric D is shortened, not solved for again.
static enum dc_status solve(struct work *work, struct dc_error *error)
{
  const struct dc_problem *problem = work->problem;
  int n = problem->dimension;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      work->normal[j * n + i] = work->normal[i * n + j];
  for (double added = 0;; work->state[DAMPING] *= 10) {
    for (int i = 0; i < n; i++)
      work->normal[i * n + i] += (work->state[DAMPING] - added) * metric(problem, i);
    added = work->state[DAMPING];
    dc_symmetric_clear(work->matrix);
    dc_symmetric_add_block(work->matrix, 0, 0, 1, work->normal, n);
    enum dc_status status = dc_symmetric_factor_positive(work->matrix);
    if (!status)
      break;
    if (status != DC_NUMERICAL || work->state[DAMPING] > MOST_DAMPING)
      return dc_fail(error, status, "the linear system of a step cannot be solved");
  }
  for (int i = 0; i < n; i++)
    work->step[i] = -work->gradient[i];
  dc_symmetric_solve(work->matrix, work->step, work->step, NULL);
  double length = 0;
  for (int i = 0; i < n; i++)
    length = hypot(length, sqrt(metric(problem, i)) * work->step[i]);
  if (!isfinite(length))
    return dc_fail(error, DC_NUMERICAL, "a step is not finite");
  double scale = length > work->options->longest_step ? work->options->longest_step / length : 1;
  for (int i = 0; i < n; i++)
    work->step[i] *= scale;
  return DC_OK;
}

// Tries one step; point and value change only if the value falls.  The trial is the iterate either way, so that
// observers see what was tried. `gained` is a stricter condition: falls by less than `progress` count as failures,
// which lead to a restart.
static enum dc_status attempt(struct work *work, struct dc_error *error)
{
  struct dc_iteration *iteration = work->iteration;
  const struct dc_problem *problem = work->problem;
  const struct marquardt_options *options = work->options;
  double *state = work->state, value = INFINITY;
  size_t bytes = (size_t)dc_problem_point_size(problem) * sizeof(double);
  enum dc_status status = solve(work, error);
  if (status)
    return status;
  dc_problem_move(problem, work->point, work->step, work->trial);
  iteration->value = state[VALUE];
  memcpy(iteration->x, work->point, bytes);
  if (isfinite(norm_largest(work->trial, dc_problem_point_size(problem)))) {
    struct dc_draw draw = dc_iteration_draw(iteration, state[TRUST]);
    struct dc_rows rows = {.residual = work->residual};
    status = problem->linearize(problem->context, work->trial, &draw, &rows, error);
    if (status)
      return status;
    value = square(work->residual, problem->row_count);
  }
  iteration->accepted = value < state[VALUE];
  if (isfinite(value)) {
    dc_iteration_count(iteration, 1);
    dc_iteration_book(iteration, work->trial, value);
    iteration->value = value;
    memcpy(iteration->x, work->trial, bytes);
  }
  bool gained = value < (1 - (problem->restart ? fmax(options->progress, NEGLIGIBLE) : NEGLIGIBLE)) * state[VALUE];
  if (iteration->accepted) {
    memcpy(work->point, work->trial, bytes);
    state[VALUE] = value;
    state[DAMPING] = fmax(options->damping_decrease * state[DAMPING], LEAST_DAMPING);
    state[TRUST] = fmin(options->trust_increase * state[TRUST], 1);
  } else {
    state[DAMPING] = fmin(options->damping_increase * state[DAMPING], MOST_DAMPING);
    state[TRUST] = fmax(options->trust_decrease * state[TRUST], LEAST_TRUST);
  }
  state[FAILURES] = gained ? 0 : state[FAILURES] + 1;
  return DC_OK;
}

// Starts at point, for the first time or after a restart.
static enum dc_status begin(struct work *work, struct dc_error *error)
{
  struct dc_iteration *iteration = work->iteration;
  work->state[DAMPING] = work->options->damping;
  work->state[TRUST] = 1;
  work->state[FAILURES] = 0;
  enum dc_status status = linearize(work, error);
  if (status)
    return status;
  dc_iteration_count(iteration, 1);
  dc_iteration_book(iteration, work->point, work->state[VALUE]);
  iteration->value = work->state[VALUE];
  memcpy(iteration->x, work->point, (size_t)dc_problem_point_size(work->problem) * sizeof(double));
  return DC_OK;
}

// Whether there is another iteration to do.
static bool goes_on(const struct work *work)
{
  const struct marquardt_options *options = work->options;
  const struct dc_iteration *iteration = work->iteration;
  // A restart needs a problem that can choose a point, and some restarts left.
  bool restarts = work->problem->restart && iteration->result->restarts < options->restarts;
  return work->problem->dimension > 0 && work->state[VALUE] > options->common.target &&
         iteration->number < options->common.iterations &&
         (work->state[FAILURES] < (double)options->failures || restarts);
}

// One iteration: attempts a step and linearizes at the new point; after too many failures it restarts elsewhere, or
// ends.
static enum dc_status descend(struct work *work, struct dc_error *error)
{
  struct dc_iteration *iteration = work->iteration;
  const struct dc_problem *problem = work->problem;
  double failures = (double)work->options->failures;
  if (iteration->number == 0) {
    memcpy(work->point, iteration->x, (size_t)dc_problem_point_size(problem) * sizeof(double));
    return begin(work, error);
  }
  if (work->state[FAILURES] >= failures) {
    if (!problem->restart || iteration->result->restarts >= work->options->restarts) {
      iteration->finished = true;
      return DC_OK;
    }
    problem->restart(problem->context, iteration->best, ++iteration->result->restarts, iteration->random, work->point);
    return begin(work, error);
  }
  enum dc_status status = attempt(work, error);
  return !status && work->state[FAILURES] < failures && goes_on(work) ? linearize(work, error) : status;
}

static enum dc_status iterate(const void *options, struct dc_iteration *iteration, struct dc_error *error)
{
  struct work work;
  enum dc_status status = open_work(&work, options, iteration, error);
  if (!status)
    status = descend(&work, error);
  for (int i = 0; i < iteration->problem->dimension && !status; i++)
    iteration->gradient[i] = 2 * work.gradient[i];
  close_work(&work);
  return status;
}

const struct dc_optimizer_type dc_levenberg_marquardt = {
    .name = "levenberg_marquardt",
    .summary = "damped Gauss-Newton steps that draw anew after a failure and begin anew after many",
    .reference = "Marquardt 1963; Nocedal and Wright 2006, section 10.3",
    .options = options_table,
    .options_size = sizeof(struct marquardt_options),
    .manifold = true,
    .check = check,
    .state_size = state_size,
    .iterate = iterate,
};
