// SPDX-License-Identifier: Apache-2.0
// Snapshots of minimizations: the arrays x, gradient, step, best and state, and two arrays of numbers.  Loading checks
// that they come from the same optimizer and are consistent, in memory of its own, before it replaces anything.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "optimize/minimization.h"

// Numbers of a minimization in the order of the file; a file with another count of them is refused.
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
  SLIDING,
  BACKED_OFF,
  FAILURES,
  DROPPED,
  EVALUATIONS,
  RESTARTS,
  INTEGER_COUNT
};

// Hash of the optimizer's name, 31 bits: the state of one optimizer must not be loaded into another.
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

// An array of the snapshot: its name below the prefix, its length, and where it lives in the minimization.
struct array {
  const char *name;
  size_t count;
  double *values;
};
enum { ARRAYS = 5, NAME_SIZE = 256 };

// Optimizers with `iterate` have no state before the first guess is evaluated.
static void list_arrays(const struct dc_minimization *minimization, struct array arrays[ARRAYS])
{
  size_t n = (size_t)minimization->problem->dimension, p = (size_t)dc_problem_point_size(minimization->problem);
  const struct dc_optimizer_type *type = minimization->type;
  bool any = type->propose || minimization->begun;
  size_t state =
      any ? type->state_size(minimization->options, minimization->problem, minimization->result.iterations) : 0;
  arrays[0] = (struct array){"x", p, minimization->current.x};
  arrays[1] = (struct array){"gradient", n, minimization->current.gradient};
  arrays[2] = (struct array){"step", n, minimization->step};
  arrays[3] = (struct array){"best", p, minimization->best};
  arrays[4] = (struct array){"state", state, minimization->state};
}

// Array of random numbers: the generator's state and the number of the next draw.
enum { RANDOM_COUNT = 5 };

// Words of 64 bits are stored in signed integers of 64 bits, bit by bit.
static enum dc_status save_random(const struct dc_minimization *minimization, const char *prefix,
                                  struct dc_snapshot *snapshot)
{
  char name[NAME_SIZE];
  long numbers[RANDOM_COUNT];
  for (int i = 0; i < 4; i++)
    numbers[i] = (long)minimization->random.state[i];
  numbers[4] = (long)minimization->draws;
  return dc_snapshot_put_integers(snapshot, join(prefix, "random", name, sizeof name), RANDOM_COUNT, numbers);
}

static enum dc_status load_random(struct dc_minimization *into, const char *prefix, const struct dc_snapshot *snapshot,
                                  struct dc_error *error)
{
  char name[NAME_SIZE];
  long numbers[RANDOM_COUNT];
  enum dc_status status =
      dc_snapshot_get_integers(snapshot, join(prefix, "random", name, sizeof name), RANDOM_COUNT, numbers, error);
  for (int i = 0; i < 4 && !status; i++)
    into->random.state[i] = (uint64_t)numbers[i];
  if (!status)
    into->draws = (uint64_t)numbers[4];
  return status;
}

// Saves numbers, arrays and, for methods that draw, the random state.
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
                                        [SLIDING] = minimization->sliding,
                                        [BACKED_OFF] = minimization->backed_off,
                                        [FAILURES] = minimization->failures,
                                        [DROPPED] = minimization->dropped,
                                        [EVALUATIONS] = result->evaluations,
                                        [RESTARTS] = result->restarts};
  struct array arrays[ARRAYS];
  list_arrays(minimization, arrays);
  enum dc_status status =
      dc_snapshot_put_integers(snapshot, join(prefix, "integers", name, sizeof name), INTEGER_COUNT, integers);
  if (!status)
    status = dc_snapshot_put_reals(snapshot, join(prefix, "reals", name, sizeof name), REAL_COUNT, reals);
  for (int i = 0; i < ARRAYS && !status; i++)
    status = dc_snapshot_put_reals(snapshot, join(prefix, arrays[i].name, name, sizeof name), arrays[i].count,
                                   arrays[i].values);
  return status || minimization->type->propose ? status : save_random(minimization, prefix, snapshot);
}

// Whether these numbers are possible for a minimization of this dimension.  They size memory and index parameters, so
// that a damaged file must not get past here.
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
                {BACKED_OFF, 0, DC_MOST_HALVINGS},
                {FAILURES, 0, DC_MOST_FAILURES},
                {DROPPED, 0, DC_MOST_FAILURES},
                {EVALUATIONS, 0, INT_MAX / 2},
                {RESTARTS, 0, INT_MAX - 1}};
  for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++)
    if (integers[bounds[i].which] < bounds[i].least || integers[bounds[i].which] > bounds[i].most)
      return false;
  return integers[SLIDING] >= -1 && (integers[SLIDING] < 0 || integers[SLIDING] < dimension);
}

// Loads the same into a fresh minimization, after checking that it is of this optimizer and of plausible numbers.
// The number of iterations comes first, because the size of the state may depend on it.
static enum dc_status load(struct dc_minimization *into, const char *prefix, const struct dc_snapshot *snapshot,
                           struct dc_error *error)
{
  char name[NAME_SIZE];
  double reals[REAL_COUNT];
  long integers[INTEGER_COUNT];
  struct array arrays[ARRAYS];
  enum dc_status status =
      dc_snapshot_get_integers(snapshot, join(prefix, "integers", name, sizeof name), INTEGER_COUNT, integers, error);
  if (!status && integers[TYPE] != type_mark(into->type))
    return dc_fail(error, DC_CHECKPOINT, "%.200s: is not of the optimizer \"%s\"", name, into->type->name);
  if (!status && !plausible(integers, into->problem->dimension))
    return dc_fail(error, DC_CHECKPOINT, "%.200s: holds impossible numbers", name);
  if (!status)
    status = dc_snapshot_get_reals(snapshot, join(prefix, "reals", name, sizeof name), REAL_COUNT, reals, error);
  if (!status && (into->type->propose || integers[BEGUN]))
    status = dc_minimization_reserve(into, (int)integers[ITERATIONS], error);
  if (status)
    return status;
  into->result.iterations = (int)integers[ITERATIONS];
  into->begun = integers[BEGUN] != 0;
  list_arrays(into, arrays);
  for (int i = 0; i < ARRAYS && !status; i++)
    status = dc_snapshot_get_reals(snapshot, join(prefix, arrays[i].name, name, sizeof name), arrays[i].count,
                                   arrays[i].values, error);
  if (!status && !into->type->propose)
    status = load_random(into, prefix, snapshot, error);
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
                                              .blocked = integers[BLOCKED] != 0,
                                              .evaluations = (int)integers[EVALUATIONS],
                                              .restarts = (int)integers[RESTARTS]};
  into->proposed = integers[PROPOSED] != 0;
  into->sliding = (int)integers[SLIDING];
  into->backed_off = (int)integers[BACKED_OFF];
  into->failures = (int)integers[FAILURES];
  into->dropped = (int)integers[DROPPED];
  return DC_OK;
}

enum dc_status dc_minimization_load(struct dc_minimization *minimization, const char *prefix,
                                    const struct dc_snapshot *snapshot, struct dc_error *error)
{
  // Loads into separate memory, so that a failure leaves the minimization as it was.
  struct dc_minimization loaded = {
      .type = minimization->type, .options = minimization->options, .problem = minimization->problem};
  if (!dc_minimization_allocate(&loaded))
    return dc_out_of_memory_for(error, "%d parameters", loaded.problem->dimension);
  enum dc_status status = load(&loaded, prefix, snapshot, error);
  if (status) {
    dc_minimization_release(&loaded);
    return status;
  }
  dc_minimization_release(minimization);
  *minimization = loaded;
  return DC_OK;
}
