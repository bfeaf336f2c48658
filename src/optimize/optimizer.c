// SPDX-License-Identifier: Apache-2.0
#include "optimize/optimizer.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "optimize/norm.h"

enum { MOST_HALVINGS = 20, MOST_FAILURES = 5, HALVINGS_BEFORE_SLIDING = 2, MOST_TO_SLIDE = 32 };
static const double LEAST_SLIDE = 0.1;  // of the held coordinate's part of the step

const struct dc_optimizer_type *const dc_optimizer_types[] = {&dc_optimizer_adam, &dc_optimizer_gradient_descent, NULL};

// One point with its value and gradient.
struct point {
  double *x, *gradient;  // [dimension]
  double value;
};

// A minimization under way.  All arrays are parts of memory.
struct dc_minimization {
  const struct dc_optimizer_type *type;
  const void *options;
  const struct dc_problem *problem;
  struct dc_optimizer_result result;
  struct point current, trial;
  double *step, *best, *state;
  double *memory;
  size_t state_count;
  bool begun;      // the first guess is evaluated
  bool proposed;   // step holds a proposal whose moves are not done; the rest tells which of them is due
  double scale;    // of the step
  int held;        // coordinate to hold while sliding, -1: not sliding
  int backed_off;  // infeasible halvings of this proposal
  int failures;    // evaluations with DC_NUMERICAL since the last success
  int dropped;     // proposals without a feasible point since the last success
};

static bool allocate(struct dc_minimization *minimization)
{
  size_t n = (size_t)minimization->problem->dimension;
  minimization->state_count = (size_t)minimization->type->state_size(minimization->options, minimization->problem);
  double *memory = dc_alloc(6 * n + minimization->state_count, sizeof(double));
  if (!memory)
    return false;
  minimization->memory = memory;
  minimization->current = (struct point){memory, memory + n, 0};
  minimization->trial = (struct point){memory + 2 * n, memory + 3 * n, 0};
  minimization->step = memory + 4 * n;
  minimization->best = memory + 5 * n;
  minimization->state = memory + 6 * n;
  return true;
}

struct dc_minimization *dc_minimization_create(const struct dc_optimizer_type *type, const void *options,
                                               const struct dc_problem *problem, const double *x)
{
  struct dc_minimization *minimization = calloc(1, sizeof *minimization);
  if (!minimization)
    return NULL;
  *minimization = (struct dc_minimization){.type = type, .options = options, .problem = problem, .held = -1};
  if (!allocate(minimization)) {
    free(minimization);
    return NULL;
  }
  size_t bytes = (size_t)problem->dimension * sizeof(double);
  if (bytes) {
    memcpy(minimization->current.x, x, bytes);
    memcpy(minimization->best, x, bytes);
  }
  type->start(options, problem, minimization->state);
  return minimization;
}

void dc_minimization_destroy(struct dc_minimization *minimization)
{
  if (!minimization)
    return;
  free(minimization->memory);
  free(minimization);
}

bool dc_minimization_begun(const struct dc_minimization *minimization)
{
  return minimization->begun;
}

const double *dc_minimization_best(const struct dc_minimization *minimization)
{
  return minimization->best;
}

const double *dc_minimization_current(const struct dc_minimization *minimization)
{
  return minimization->current.x;
}

const struct dc_optimizer_result *dc_minimization_result(const struct dc_minimization *minimization)
{
  return &minimization->result;
}

// Value and gradient at point->x.  What is not finite never reaches the optimizer: it counts as DC_NUMERICAL, and a
// point that overflowed as DC_INFEASIBLE.
static enum dc_status evaluate(const struct dc_problem *problem, struct point *point, struct dc_error *error)
{
  if (!isfinite(norm_largest(point->x, problem->dimension)))
    return dc_fail(error, DC_INFEASIBLE, "the parameters are not finite");
  enum dc_status status = problem->evaluate(problem->context, point->x, &point->value, point->gradient, error);
  if (status)
    return status;
  if (!isfinite(point->value))
    return dc_fail(error, DC_NUMERICAL, "the value is %g", point->value);
  if (!isfinite(norm_largest(point->gradient, problem->dimension)))
    return dc_fail(error, DC_NUMERICAL, "the gradient is not finite");
  return DC_OK;
}

// Books a successful evaluation of the current point.
static void accept(struct dc_minimization *minimization, struct dc_iterate *iterate)
{
  struct dc_optimizer_result *result = &minimization->result;
  const struct point *point = &minimization->current;
  int n = minimization->problem->dimension;
  bool first = result->iterations == 0, best = first || point->value < result->best_value;
  if (first)
    result->first_value = point->value;
  if (best) {
    result->best_value = point->value;
    result->best_iteration = result->iterations;
    memcpy(minimization->best, point->x, (size_t)n * sizeof(double));
  }
  *iterate = (struct dc_iterate){.iteration = result->iterations,
                                 .value = point->value,
                                 .gradient_norm = norm_euclidean(point->gradient, n),
                                 .best = best,
                                 .backed_off = minimization->backed_off,
                                 .x = point->x,
                                 .gradient = point->gradient};
}

// A coordinate put back within its bounds.
static double within(const struct dc_problem *problem, int i, double x)
{
  if (problem->low && x < problem->low[i])
    return problem->low[i];
  return problem->high && x > problem->high[i] ? problem->high[i] : x;
}

// Evaluates the point that scale * step leads to, one coordinate held (-1: none), and makes it the current one.
static enum dc_status try_move(struct dc_minimization *minimization, double scale, int held, struct dc_error *error)
{
  struct point *current = &minimization->current, *trial = &minimization->trial;
  for (int i = 0; i < minimization->problem->dimension; i++)
    trial->x[i] = within(minimization->problem, i, current->x[i] + (i == held ? 0 : scale * minimization->step[i]));
  enum dc_status status = evaluate(minimization->problem, trial, error);
  if (status)
    return status;
  struct point swap = *current;
  *current = *trial;
  *trial = swap;
  minimization->failures = minimization->dropped = 0;
  return DC_OK;
}

// Whether the step with one coordinate held leaves a part worth taking.
static bool worth_holding(const struct dc_minimization *minimization, int held)
{
  double rest = 0;
  for (int i = 0; i < minimization->problem->dimension; i++)
    if (i != held)
      rest = fmax(rest, fabs(minimization->step[i]));
  return rest > 0 && rest >= LEAST_SLIDE * fabs(minimization->step[held]);
}

// Slides along infeasible parameters: the whole step with one coordinate held after the other, from held on.
static enum dc_status slide(struct dc_minimization *minimization, struct dc_error *error)
{
  enum dc_status status = DC_INFEASIBLE;
  for (; minimization->held < minimization->problem->dimension; minimization->held++) {
    if (worth_holding(minimization, minimization->held))
      status = try_move(minimization, 1, minimization->held, error);
    if (status != DC_INFEASIBLE)
      break;
  }
  return status;
}

// Tries the move that is due: the scaled step and, after two halvings, sliding.  DC_OK, DC_INFEASIBLE or DC_NUMERICAL end
// it; after another status the same move is still due.
static enum dc_status try_due(struct dc_minimization *minimization, struct dc_error *error)
{
  enum dc_status status = DC_INFEASIBLE;
  if (minimization->held < 0) {
    status = try_move(minimization, minimization->scale, -1, error);
    if (status == DC_INFEASIBLE && minimization->backed_off == HALVINGS_BEFORE_SLIDING &&
        minimization->problem->dimension <= MOST_TO_SLIDE)
      minimization->held = 0;
  }
  if (minimization->held >= 0)
    status = slide(minimization, error);
  if (status == DC_OK || status == DC_INFEASIBLE || status == DC_NUMERICAL)
    minimization->held = -1;
  return status;
}

// Moves along the proposal until an evaluation succeeds and makes that point the current one.  DC_INFEASIBLE: no point
// along it was feasible.
static enum dc_status move(struct dc_minimization *minimization, struct dc_error *error)
{
  for (;;) {
    enum dc_status status = try_due(minimization, error);
    if (status == DC_NUMERICAL) {
      minimization->result.failed++;
      if (++minimization->failures == MOST_FAILURES) {
        dc_error_prefix(error, "%d evaluations failed in a row", MOST_FAILURES);
        return status;
      }
    } else if (status == DC_INFEASIBLE) {
      if (minimization->backed_off == 0)
        minimization->result.infeasible++;
      if (minimization->backed_off == MOST_HALVINGS)
        return status;
      minimization->backed_off++;
    } else {
      return status;
    }
    minimization->scale *= 0.5;
  }
}

// Asks the optimizer for a step, unless one is under way.
static void propose(struct dc_minimization *minimization)
{
  if (minimization->proposed)
    return;
  const struct point *current = &minimization->current;
  minimization->type->propose(minimization->options, minimization->problem, minimization->state, current->x,
                              current->value, current->gradient, minimization->step);
  minimization->proposed = true;
  minimization->scale = 1;
  minimization->backed_off = 0;
}

static bool finished(const struct dc_minimization *minimization)
{
  const struct dc_optimizer_common *common = minimization->options;
  const struct dc_problem *problem = minimization->problem;
  const struct point *current = &minimization->current;
  return minimization->result.blocked || !(current->value > common->target) ||
         minimization->result.iterations >= common->iterations ||
         ((!problem->drawn || !problem->dimension) && !(norm_largest(current->gradient, problem->dimension) > 0));
}

enum dc_status dc_minimization_next(struct dc_minimization *minimization, struct dc_iterate *iterate, bool *done,
                                    struct dc_error *error)
{
  *done = false;
  if (!minimization->begun) {
    enum dc_status status = evaluate(minimization->problem, &minimization->current, error);
    minimization->result.failed += status == DC_NUMERICAL;
    if (status)
      return status;
    minimization->begun = true;
    accept(minimization, iterate);
    return DC_OK;
  }
  if (minimization->failures >= MOST_FAILURES)
    return dc_fail(error, DC_NUMERICAL, "%d evaluations failed in a row", MOST_FAILURES);
  while (!finished(minimization)) {
    propose(minimization);
    enum dc_status status = move(minimization, error);
    if (status && status != DC_INFEASIBLE)
      return status;
    minimization->proposed = false;
    if (!status) {
      minimization->result.iterations++;
      accept(minimization, iterate);
      return DC_OK;
    }
    // the moments of the optimizer may still turn the next proposal away from the boundary
    minimization->result.blocked = ++minimization->dropped == MOST_FAILURES;
  }
  *done = true;
  return DC_OK;
}

// ---- Snapshots: the arrays x, gradient, step, best and state, and the numbers beside them in two arrays.

enum real { VALUE, SCALE, FIRST_VALUE, BEST_VALUE, REAL_COUNT };
enum integer {
  TYPE,
  ITERATIONS,
  BEST_ITERATION,
  INFEASIBLE,
  FAILED,
  BLOCKED,
  BEGUN,
  PROPOSED,
  HELD,
  BACKED_OFF,
  FAILURES,
  DROPPED,
  INTEGER_COUNT
};

// The optimizer's name in 31 bits: numbers of one must not go on in another.
static long type_mark(const struct dc_optimizer_type *type)
{
  return (long)(dc_hash(DC_HASH_SEED, type->name, strlen(type->name)) >> 33);
}

// "prefix/name", one slash between them.
static const char *join(const char *prefix, const char *name, char *text, size_t size)
{
  size_t length = strlen(prefix);
  snprintf(text, size, "%s%s%s", prefix, length && prefix[length - 1] != '/' ? "/" : "", name);
  return text;
}

struct array {
  const char *name;
  size_t count;
  double *values;
};
enum { ARRAYS = 5, NAME_SIZE = 256 };

static void list_arrays(const struct dc_minimization *minimization, struct array arrays[ARRAYS])
{
  size_t n = (size_t)minimization->problem->dimension;
  arrays[0] = (struct array){"x", n, minimization->current.x};
  arrays[1] = (struct array){"gradient", n, minimization->current.gradient};
  arrays[2] = (struct array){"step", n, minimization->step};
  arrays[3] = (struct array){"best", n, minimization->best};
  arrays[4] = (struct array){"state", minimization->state_count, minimization->state};
}

enum dc_status dc_minimization_save(const struct dc_minimization *minimization, const char *prefix,
                                    struct dc_snapshot *snapshot)
{
  char name[NAME_SIZE];
  const struct dc_optimizer_result *result = &minimization->result;
  const double reals[REAL_COUNT] = {[VALUE] = minimization->current.value,
                                    [SCALE] = minimization->scale,
                                    [FIRST_VALUE] = result->first_value,
                                    [BEST_VALUE] = result->best_value};
  const long integers[INTEGER_COUNT] = {[TYPE] = type_mark(minimization->type),
                                        [ITERATIONS] = result->iterations,
                                        [BEST_ITERATION] = result->best_iteration,
                                        [INFEASIBLE] = result->infeasible,
                                        [FAILED] = result->failed,
                                        [BLOCKED] = result->blocked,
                                        [BEGUN] = minimization->begun,
                                        [PROPOSED] = minimization->proposed,
                                        [HELD] = minimization->held,
                                        [BACKED_OFF] = minimization->backed_off,
                                        [FAILURES] = minimization->failures,
                                        [DROPPED] = minimization->dropped};
  struct array arrays[ARRAYS];
  list_arrays(minimization, arrays);
  enum dc_status status =
      dc_snapshot_put_integers(snapshot, join(prefix, "integers", name, sizeof name), INTEGER_COUNT, integers);
  if (!status)
    status = dc_snapshot_put_reals(snapshot, join(prefix, "reals", name, sizeof name), REAL_COUNT, reals);
  for (int i = 0; i < ARRAYS && !status; i++)
    status = dc_snapshot_put_reals(snapshot, join(prefix, arrays[i].name, name, sizeof name), arrays[i].count,
                                   arrays[i].values);
  return status;
}

// Whether a minimization of this dimension can be there.
static bool plausible(const long integers[INTEGER_COUNT], long dimension)
{
  static const struct {
    enum integer which;
    long least, most;
  } bounds[] = {{ITERATIONS, 0, INT_MAX - 1},
                {BEST_ITERATION, 0, INT_MAX - 1},
                {INFEASIBLE, 0, INT_MAX - 1},
                {FAILED, 0, INT_MAX - 1},
                {BLOCKED, 0, 1},
                {BEGUN, 0, 1},
                {PROPOSED, 0, 1},
                {BACKED_OFF, 0, MOST_HALVINGS},
                {FAILURES, 0, MOST_FAILURES},
                {DROPPED, 0, MOST_FAILURES}};
  for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++)
    if (integers[bounds[i].which] < bounds[i].least || integers[bounds[i].which] > bounds[i].most)
      return false;
  return integers[HELD] >= -1 && (integers[HELD] < 0 || integers[HELD] < dimension);
}

static enum dc_status load(struct dc_minimization *into, const char *prefix, const struct dc_snapshot *snapshot,
                           struct dc_error *error)
{
  char name[NAME_SIZE];
  double reals[REAL_COUNT];
  long integers[INTEGER_COUNT];
  struct array arrays[ARRAYS];
  list_arrays(into, arrays);
  enum dc_status status =
      dc_snapshot_get_integers(snapshot, join(prefix, "integers", name, sizeof name), INTEGER_COUNT, integers, error);
  if (!status && integers[TYPE] != type_mark(into->type))
    return dc_fail(error, DC_CHECKPOINT, "%.200s: is not of the optimizer \"%s\"", name, into->type->name);
  if (!status && !plausible(integers, into->problem->dimension))
    return dc_fail(error, DC_CHECKPOINT, "%.200s: holds impossible numbers", name);
  if (!status)
    status = dc_snapshot_get_reals(snapshot, join(prefix, "reals", name, sizeof name), REAL_COUNT, reals, error);
  for (int i = 0; i < ARRAYS && !status; i++)
    status = dc_snapshot_get_reals(snapshot, join(prefix, arrays[i].name, name, sizeof name), arrays[i].count,
                                   arrays[i].values, error);
  if (status)
    return status;
  into->current.value = reals[VALUE];
  into->scale = reals[SCALE];
  into->result = (struct dc_optimizer_result){.iterations = (int)integers[ITERATIONS],
                                              .first_value = reals[FIRST_VALUE],
                                              .best_value = reals[BEST_VALUE],
                                              .best_iteration = (int)integers[BEST_ITERATION],
                                              .infeasible = (int)integers[INFEASIBLE],
                                              .failed = (int)integers[FAILED],
                                              .blocked = integers[BLOCKED] != 0};
  into->begun = integers[BEGUN] != 0;
  into->proposed = integers[PROPOSED] != 0;
  into->held = (int)integers[HELD];
  into->backed_off = (int)integers[BACKED_OFF];
  into->failures = (int)integers[FAILURES];
  into->dropped = (int)integers[DROPPED];
  return DC_OK;
}

enum dc_status dc_minimization_load(struct dc_minimization *minimization, const char *prefix,
                                    const struct dc_snapshot *snapshot, struct dc_error *error)
{
  // Into memory of its own, so that a failure leaves the minimization as it was.
  struct dc_minimization loaded = {
      .type = minimization->type, .options = minimization->options, .problem = minimization->problem};
  if (!allocate(&loaded))
    return dc_fail(error, DC_MEMORY, "out of memory for %d parameters", loaded.problem->dimension);
  enum dc_status status = load(&loaded, prefix, snapshot, error);
  if (status) {
    free(loaded.memory);
    return status;
  }
  free(minimization->memory);
  *minimization = loaded;
  return DC_OK;
}

enum dc_status dc_minimize(const struct dc_optimizer_type *type, const void *options, const struct dc_problem *problem,
                           double *x, dc_observer *observer, void *observer_context, struct dc_optimizer_result *result,
                           struct dc_error *error)
{
  if (result)
    *result = (struct dc_optimizer_result){0};
  struct dc_minimization *minimization = dc_minimization_create(type, options, problem, x);
  if (!minimization)
    return dc_fail(error, DC_MEMORY, "out of memory for %d parameters", problem->dimension);
  struct dc_iterate iterate;
  bool done = false;
  enum dc_status status = DC_OK;
  while (!status && !done) {
    status = dc_minimization_next(minimization, &iterate, &done, error);
    if (!status && !done && observer && !observer(observer_context, &iterate))
      status = dc_fail(error, DC_STOPPED, "stopped after %d iterations", iterate.iteration);
  }
  if (problem->dimension)
    memcpy(x, minimization->best, (size_t)problem->dimension * sizeof(double));
  if (result)
    *result = minimization->result;
  dc_minimization_destroy(minimization);
  return status;
}
