// SPDX-License-Identifier: Apache-2.0
// One iteration of sampling optimizers (see sampling.h): draw, evaluate, sort, let the method move mean and spread,
// evaluate the new mean, and choose the iterate.
//
// Ties are broken by the order of drawing, and all draws of an iteration come from one generator seeded by its number,
// so that neither threads nor a resumed run change a bit.
#include "optimize/sampling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"

// Layout of the state: value of the mean, base [n], mean [m], spread [m], for n parameters and m numbers z.
enum { VALUE, NUMBERS };

struct work {
  const struct dc_sampling_options *options;
  const struct dc_problem *problem;
  int n, m, samples;
  double *base, *mean, *spread;  // views of the state
  double *z, *points, *values;   // [samples + 1][m], [samples][n], [samples + 1]; the last row belongs to the mean
  double *sorted;                // [samples + 1]
  const double **order;          // [samples + 1] rows of z
  enum dc_status *statuses;      // [samples]
};

// Whether parameters form groups of equal size, one after the other, such as the numbers of a control at its times.
static bool is_series(const struct dc_problem *problem)
{
  int size = problem->group_count > 0 ? problem->dimension / problem->group_count : 0;
  if (!problem->group || size == 0 || size * problem->group_count != problem->dimension)
    return false;
  for (int i = 0; i < problem->dimension; i++)
    if (problem->group[i] != i / size)
      return false;
  return true;
}

// Parameters per time; 0: every parameter is drawn independently.
static int series_size(const struct dc_sampling_options *options, const struct dc_problem *problem)
{
  bool knots = options->knots > 0 && is_series(problem) && options->knots < problem->group_count;
  return knots ? problem->dimension / problem->group_count : 0;
}

static int latent_dimension(const struct dc_sampling_options *options, const struct dc_problem *problem)
{
  int size = series_size(options, problem);
  return size ? size * (int)options->knots : problem->dimension;
}

enum dc_status dc_sampling_check(const void *options, const struct dc_problem *problem, struct dc_error *error)
{
  const struct dc_sampling_options *sampling = options;
  if (problem->retract)
    return dc_fail(error, DC_BAD_INPUT, "this optimizer is for parameters that are vectors");
  if (sampling->knots > 0 && problem->dimension > 0 && !is_series(problem))
    return dc_fail(error, DC_BAD_INPUT, "knots: need parameters for one step after the other, as many in each");
  return DC_OK;
}

size_t dc_sampling_state_size(const void *options, const struct dc_problem *problem, int iteration)
{
  (void)iteration;
  return NUMBERS + (size_t)problem->dimension + 2 * (size_t)latent_dimension(options, problem);
}

static void close_work(struct work *work)
{
  free(work->z);
  free(work->points);
  free(work->values);
  free(work->sorted);
  free(work->order);
  free(work->statuses);
}

static enum dc_status open_work(struct work *work, const void *options, const struct dc_iteration *iteration,
                                struct dc_error *error)
{
  const struct dc_sampling_options *sampling = options;
  const struct dc_problem *problem = iteration->problem;
  *work = (struct work){.options = sampling,
                        .problem = problem,
                        .n = problem->dimension,
                        .m = latent_dimension(sampling, problem),
                        .samples = (int)sampling->samples};
  size_t rows = (size_t)work->samples + 1;
  work->base = iteration->state + NUMBERS;
  work->mean = work->base + work->n;
  work->spread = work->mean + work->m;
  work->z = dc_alloc(rows * (size_t)work->m, sizeof *work->z);
  work->points = dc_alloc(rows * (size_t)work->n, sizeof *work->points);
  work->values = dc_alloc(rows, sizeof *work->values);
  work->sorted = dc_alloc(rows, sizeof *work->sorted);
  work->order = dc_alloc(rows, sizeof *work->order);
  work->statuses = dc_alloc(rows, sizeof *work->statuses);
  if (work->z && work->points && work->values && work->sorted && work->order && work->statuses)
    return DC_OK;
  close_work(work);
  return dc_out_of_memory_for(error, "samples");
}

// x [n] = base + B z within the bounds.  Without knots B is the identity.  With knots each of the size numbers per
// time is interpolated linearly between z [knots][size], spread evenly over the times from first to last.
static void place(const struct work *work, const double *z, double *x)
{
  int size = series_size(work->options, work->problem), times = work->problem->group_count;
  int knots = (int)work->options->knots;
  for (int i = 0; i < work->n; i++) {
    if (!size) {
      x[i] = z[i];
      continue;
    }
    int time = i / size;
    double at = knots > 1 ? (double)time * (knots - 1) / (times - 1) : 0;
    int knot = (int)at < knots - 1 ? (int)at : knots - 2;
    double part = at - knot;
    const double *left = z + (knots > 1 ? knot * size : 0) + i % size;
    x[i] = knots > 1 ? (1 - part) * left[0] + part * left[size] : left[0];
  }
  dc_problem_move(work->problem, work->base, x, x);
}

// Draws samples z = mean + spread times normal numbers, and their points.  The seed holds the method's seed, the
// problem's and the iteration's number in bits that do not overlap.
static void draw(struct work *work, int number)
{
  struct dc_random random;
  // A receding horizon has fewer than 2^20 steps, a minimization fewer than 2^24 iterations.
  dc_random_seed(&random, (uint64_t)work->options->seed + (work->problem->seed << 20) + ((uint64_t)number << 40));
  for (int s = 0; s < work->samples; s++) {
    double *z = work->z + (size_t)s * (size_t)work->m;
    for (int k = 0; k < work->m; k++)
      z[k] = work->mean[k] + work->spread[k] * dc_random_normal(&random);
    place(work, z, work->points + (size_t)s * (size_t)work->n);
  }
}

// Sorts candidates that have a value, by insertion, equal ones in the order of drawing; returns their number.
// Samples are few beside the cost of a roll-out.
static int sort(struct work *work)
{
  int count = 0;
  for (int s = 0; s <= work->samples; s++) {
    if (s < work->samples && work->statuses[s])
      continue;
    int at = count++;
    for (; at > 0 && work->sorted[at - 1] > work->values[s]; at--) {
      work->sorted[at] = work->sorted[at - 1];
      work->order[at] = work->order[at - 1];
    }
    work->sorted[at] = work->values[s];
    work->order[at] = work->z + (size_t)s * (size_t)work->m;
  }
  return count;
}

// Draws, evaluates and sorts; count: candidates with a value, including the mean's.
static enum dc_status sample(struct work *work, struct dc_iteration *iteration, int *count, struct dc_error *error)
{
  draw(work, iteration->number);
  int samples = work->samples;
  enum dc_status status =
      dc_problem_values(work->problem, &samples, work->points, -INFINITY, work->values, work->statuses, error);
  if (status)
    return status;
  dc_iteration_count(iteration, work->samples);
  for (int s = 0; s < work->samples; s++) {
    iteration->result->infeasible += work->statuses[s] == DC_INFEASIBLE;
    iteration->result->failed += work->statuses[s] == DC_NUMERICAL;
  }
  memcpy(work->z + (size_t)work->samples * (size_t)work->m, work->mean, (size_t)work->m * sizeof *work->mean);
  work->values[work->samples] = iteration->state[VALUE];
  *count = sort(work);
  return DC_OK;
}

// Chooses the iterate: the new mean, or, when that is no better or has no value, the best candidate.  A mean without
// a value is replaced by that candidate.  The candidate is evaluated again, since its value came from a batch that
// leaves no trajectory behind.
static enum dc_status settle(struct work *work, struct dc_iteration *iteration, struct dc_error *error)
{
  struct dc_error ignored = {0};
  double best = work->sorted[0], value;
  bool same = memcmp(work->mean, work->order[0], (size_t)work->m * sizeof *work->mean) == 0;
  place(work, work->mean, iteration->x);
  enum dc_status status = dc_iteration_evaluate(iteration, iteration->x, &value, NULL, error ? error : &ignored);
  if (status && !dc_point_has_no_value(status))
    return status;
  if (status)
    memcpy(work->mean, work->order[0], (size_t)work->m * sizeof *work->mean);
  iteration->state[VALUE] = status ? best : value;
  if (status || (value > best && !same)) {
    place(work, work->order[0], iteration->x);
    status = dc_iteration_evaluate(iteration, iteration->x, &value, NULL, error);
  }
  iteration->value = value;
  return status;
}

// Evaluates the first guess, which becomes the base and the first mean.
static enum dc_status begin(struct work *work, struct dc_iteration *iteration, struct dc_error *error)
{
  enum dc_status status = dc_iteration_evaluate(iteration, iteration->x, &iteration->value, NULL, error);
  if (status)
    return status;
  if (work->n)
    memcpy(work->base, iteration->x, (size_t)work->n * sizeof *work->base);
  for (int k = 0; k < work->m; k++) {
    work->mean[k] = 0;
    work->spread[k] = work->options->spread;
  }
  iteration->state[VALUE] = iteration->value;
  return DC_OK;
}

// One iteration of a method that samples: draw around the mean, sort by value, let the method move mean and spread,
// evaluate the new mean.
enum dc_status dc_sampling_iterate(const void *options, struct dc_iteration *iteration, dc_sampling_move *move,
                                   struct dc_error *error)
{
  struct work work;
  enum dc_status status = open_work(&work, options, iteration, error);
  if (status)
    return status;
  if (iteration->number == 0) {
    status = begin(&work, iteration, error);
  } else {
    struct dc_sampled sampled = {
        .dimension = work.m, .z = work.order, .values = work.sorted, .mean = work.mean, .spread = work.spread};
    status = sample(&work, iteration, &sampled.count, error);
    if (!status) {
      move(options, &sampled);
      status = settle(&work, iteration, error);
    }
  }
  if (!status) {
    memset(iteration->gradient, 0, (size_t)work.n * sizeof *iteration->gradient);
    dc_iteration_book(iteration, iteration->x, iteration->value);
  }
  close_work(&work);
  return status;
}
