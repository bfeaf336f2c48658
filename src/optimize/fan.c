// SPDX-License-Identifier: Apache-2.0
// Gauss-Newton steps p at x for residual rows d with Jacobian J, weights w and projections P (problem.h), metric M:
//
//     edge:    min over |p|_M <= Delta of  sum w |d + J p - P(d + J p)|^2,     |p|_M^2 = sum M_i p_i^2
//     centre:  min over |p|_M <= Delta of  sum w |d + J p|^2,   over the groups of rows with P(d) != d
//
// The first is convex and solved by majorization from p = 0: z <- P(d + J p), p <- argmin of sum w |d + J p - z|^2.
// All of these share one decomposition sqrt(w) J M^-1/2 = U S V^T: with c = U^T sqrt(w) (d - z)
//
//     p(lambda) = -M^-1/2 V S (S^2 + lambda)^-1 c,     |p(lambda)|_M = Delta by bisection in log lambda, or lambda = 0.
//
// A loss through contact is rugged: a line search, or a radius that shrinks until the value falls, takes every ripple
// for the bottom.  Therefore several radii Delta are tried with one J, and the best of their points is taken whether it
// is lower or not.
//
// One step (dc_fan_step):
// 1. choose active groups, drop columns held by bounds, set the metric, decompose;
// 2. compute a step p for every radius, and drop steps that hardly differ;
// 3. evaluate the points x + p side by side, up to the first that is good enough;
// 4. linearize at the lowest; if that fails, at the next one; without a candidate shrink the radius and repeat;
// 5. where no step is left, on a plateau above the best point so far, go back to that with a shorter radius.
#include "optimize/fan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/svd.h"
#include "optimize/norm.h"

static const double LEAST_METRIC = 1e-3;  // least M_i, relative to the largest
static const double SHORTEST = 1e-4;      // below this radius the minimization has no step left
static const double ALIKE = 0.05;         // steps whose distance is below this part of their length count as one
static const double NO_CANDIDATE = 0.1;   // factor on the radius when no candidate could be taken
static const double RETURN = 0.25;        // factor on the radius at the best point whenever a plateau sends back to it
static const double MOVED = 1e-3;         // majorization ends when a step changes by less than this part of the radius
static const double RANK = 1e-12;         // singular values below this part of the largest count as zero
// Bound of a Jacobian in memory, so that sizes stay within int.
static const double MOST_BYTES = 4294967296.0;
enum { MOST_MAJORIZATIONS = 25, BISECTIONS = 100 };

// Layout of the state: radius and value at x; then per row residual, weight, group, radius, half, [rows] each; Jacobian
// [rows][n]; gradient [n] of the model; the best point so far: its value, the radius there, its coordinates [p].
enum { RADIUS, VALUE, ROWS };
enum { BEST_VALUE, BEST_RADIUS, BEST_POINT };  // from `best` on
enum { ROW_ARRAYS = 5 };

enum dc_status dc_fan_check(const char *name, const struct dc_problem *problem, struct dc_error *error)
{
  double bytes = (double)problem->row_count * (double)problem->dimension * sizeof(double);
  if (!problem->linearize)
    return dc_fail(error, DC_BAD_INPUT, "%s needs the Jacobian of residuals, which this problem does not have", name);
  if (bytes > MOST_BYTES)
    return dc_fail(error, DC_MEMORY,
                   "the Jacobian of %d residuals by %d coordinates would take %.0f bytes (at most %.0f)",
                   problem->row_count, problem->dimension, bytes, MOST_BYTES);
  return DC_OK;
}

size_t dc_fan_state_size(const struct dc_problem *problem)
{
  size_t n = (size_t)problem->dimension;
  return ROWS + (size_t)problem->row_count * (ROW_ARRAYS + n) + n + BEST_POINT + (size_t)dc_problem_point_size(problem);
}

// Workspace of a step: R rows, n coordinates, k = min(R, n).
struct work {
  const struct dc_fan_settings *settings;
  struct dc_iteration *iteration;
  const struct dc_problem *problem;
  double *state;
  int rows, n, k;
  struct dc_rows at;                     // views of the state, except for group
  double *gradient, *best;               // [n] and the best point: views of the state
  double *weight;                        // [R] square roots of the weights of active groups
  double *metric;                        // [n] square roots of M_i
  double *a, *s, *u, *v;                 // the decomposition U S V^T of a: [R][n], [k], [k][R], [k][n]
  double *target, *next, *coefficients;  // z, d + J p [R], c [k]
  double *step, *before;                 // [n] p, and p of the round before
  // of the candidates: [radii][n] p, [radii][p] x + p, [radii] f(x + p), [radii] |p|_M
  double *steps, *points, *values, *lengths;
  enum dc_status *statuses;  // [radii]
  bool *held;                // [n] coordinates held by bounds
  void *reals, *integers;
};

// Group numbers are integers for problems and doubles in the state: copied out here, back in linearize.
static void load_groups(struct work *work)
{
  for (int r = 0; r < work->rows; r++)
    work->at.group[r] = (int)work->state[ROWS + 2 * work->rows + r];
}

// Sets the arrays of rows to their places in the state, in the order given above.
static void view_rows(struct work *work)
{
  size_t rows = (size_t)work->rows;
  double *next = work->state + ROWS;
  work->at.residual = next, next += rows;
  work->at.weight = next, next += rows;
  next += rows;  // skips the groups, which are integers
  work->at.radius = next, next += rows;
  work->at.half = next, next += rows;
  work->at.jacobian = next;
  work->gradient = next + rows * (size_t)work->n;
  work->best = work->gradient + work->n;
}

// Room for one step with r rows, n parameters and k = min(r, n) singular values: A [r][n], U [r][k], V [n][k], and a
// candidate per radius.
static enum dc_status open_work(struct work *work, const struct dc_fan_settings *settings,
                                struct dc_iteration *iteration, double *state, struct dc_error *error)
{
  const struct dc_problem *problem = iteration->problem;
  *work = (struct work){.settings = settings,
                        .iteration = iteration,
                        .problem = problem,
                        .state = state,
                        .rows = problem->row_count,
                        .n = problem->dimension};
  work->k = work->rows < work->n ? work->rows : work->n;
  size_t rows = (size_t)work->rows, n = (size_t)work->n, k = (size_t)work->k, radii = (size_t)settings->radii.count;
  size_t p = (size_t)dc_problem_point_size(problem);
  double *next = dc_alloc(rows * (3 + n + k) + n * (3 + k) + 2 * k + radii * (n + p + 2), sizeof *next);
  work->reals = next;
  work->integers = dc_alloc(rows + radii + n, sizeof(int));
  if (!work->reals || !work->integers)
    return dc_out_of_memory_for(error, "a Gauss-Newton step of %d coordinates", work->n);
  view_rows(work);
  work->weight = next, next += rows;
  work->target = next, next += rows;
  work->next = next, next += rows;
  work->a = next, next += rows * n;
  work->u = next, next += rows * k;
  work->metric = next, next += n;
  work->step = next, next += n;
  work->before = next, next += n;
  work->v = next, next += n * k;
  work->s = next, next += k;
  work->coefficients = next, next += k;
  work->steps = next, next += radii * n;
  work->points = next, next += radii * p;
  work->values = next, next += radii;
  work->lengths = next;
  work->at.group = work->integers;
  work->statuses = (enum dc_status *)(work->at.group + rows);
  work->held = (bool *)(work->statuses + radii);
  load_groups(work);
  return DC_OK;
}

static void close_work(struct work *work)
{
  free(work->reals);
  free(work->integers);
}

// Linearizes at the iteration's point and keeps the rows in the state; sets value and gradient of the iteration, 2 J^T
// W (d - P(d)).
static enum dc_status linearize(struct work *work, struct dc_error *error)
{
  struct dc_iteration *iteration = work->iteration;
  const struct dc_problem *problem = work->problem;
  size_t n = (size_t)work->n;
  struct dc_draw draw = dc_iteration_draw(iteration, 1);
  dc_rows_clear(problem, &work->at);
  enum dc_status status = problem->linearize(problem->context, iteration->x, &draw, &work->at, error);
  if (status)
    return status;
  double *gradient = work->gradient;
  dc_rows_project(problem, &work->at, work->settings->margin, work->at.residual, work->next);
  memset(gradient, 0, n * sizeof *gradient);
  for (int r = 0; r < work->rows; r++) {
    double factor = 2 * work->at.weight[r] * (work->at.residual[r] - work->next[r]);
    for (size_t i = 0; i < n && factor != 0; i++)
      gradient[i] += factor * work->at.jacobian[(size_t)r * n + i];
    work->state[ROWS + 2 * (size_t)work->rows + (size_t)r] = work->at.group[r];
  }
  if (!isfinite(work->at.value) || !isfinite(norm_largest(work->at.residual, work->rows)) ||
      !isfinite(norm_largest(gradient, work->n)))
    return dc_fail(error, DC_NUMERICAL, "residuals or their Jacobian are not finite");
  memcpy(iteration->gradient, gradient, n * sizeof *gradient);
  work->state[VALUE] = iteration->value = work->at.value;
  return DC_OK;
}

// Sets the roots of the metric, M_i the root mean square over the group of i of the norms of J's weighted columns,
// relative to the largest and bounded from below.  Far from any minimum a step then resembles one of Adam's with
// shared moments. work->step serves as room for the norms of columns.
static void set_metric(struct work *work)
{
  const struct dc_problem *problem = work->problem;
  int groups = problem->group ? problem->group_count : work->n;
  double most = 0;
  for (int i = 0; i < work->n; i++) {
    work->step[i] = 0;
    for (int r = 0; r < work->rows; r++)
      work->step[i] = hypot(work->step[i], work->a[(size_t)r * (size_t)work->n + (size_t)i]);
  }
  for (int g = 0; g < groups; g++) {
    double norm = 0;
    int members = 0;
    for (int i = 0; i < work->n; i++)
      if ((problem->group ? problem->group[i] : i) == g) {
        norm = hypot(norm, work->step[i]);
        members++;
      }
    norm = members ? norm / sqrt(members) : 0;
    for (int i = 0; i < work->n; i++)
      if ((problem->group ? problem->group[i] : i) == g)
        work->metric[i] = norm;
    most = fmax(most, norm);
  }
  for (int i = 0; i < work->n; i++)
    work->metric[i] =
        work->settings->metric == DC_FAN_UNIT || !(most > 0) ? 1 : sqrt(fmax(work->metric[i] / most, LEAST_METRIC));
}

// Selects active rows and free columns, sets the metric, and computes the decomposition sqrt(w) J M^-1/2 = U S V^T.
// In the model "centre" groups within their tolerance have weight 0, so that they pull nowhere.
static enum dc_status decompose(struct work *work, struct dc_error *error)
{
  size_t n = (size_t)work->n;
  const struct dc_rows *at = &work->at;
  dc_problem_hold(work->problem, work->iteration->x, work->gradient, work->held);
  dc_rows_project(work->problem, at, 1, at->residual, work->target);
  for (int first = 0, end; first < work->rows; first = end) {
    bool inside = true;
    for (end = first; end < work->rows && at->group[end] == at->group[first]; end++)
      inside = inside && work->target[end] == at->residual[end];
    for (int r = first; r < end; r++)
      work->weight[r] = work->settings->model == DC_FAN_CENTRE && inside ? 0 : sqrt(at->weight[r]);
  }
  for (int r = 0; r < work->rows; r++)
    for (size_t i = 0; i < n; i++)
      work->a[(size_t)r * n + i] = work->held[i] ? 0 : work->weight[r] * at->jacobian[(size_t)r * n + i];
  set_metric(work);
  for (int r = 0; r < work->rows; r++)
    for (size_t i = 0; i < n; i++)
      work->a[(size_t)r * n + i] /= work->metric[i];
  return dc_svd(work->rows, work->n, work->a, work->s, work->u, work->v, error);
}

// |p(lambda)|_M, which decreases in lambda: the root of the sum of (s c / (s^2 + lambda))^2.
static double length_at(const struct work *work, double lambda)
{
  double length = 0;
  for (int i = 0; i < work->k; i++) {
    double s = work->s[i];
    if (s > RANK * work->s[0])
      length = hypot(length, s * work->coefficients[i] / (s * s + lambda));
  }
  return length;
}

// step = argmin of sum w |d + J p - target|^2 with |p|_M <= radius.  The bisection is in log lambda, because lambda
// may lie anywhere between rounding and slope / radius.
static void solve(struct work *work, double radius)
{
  size_t n = (size_t)work->n, rows = (size_t)work->rows;
  double slope = 0, lambda = 0;
  for (int i = 0; i < work->k; i++) {
    work->coefficients[i] = 0;
    for (size_t r = 0; r < rows; r++)
      work->coefficients[i] +=
          work->u[(size_t)i * rows + r] * work->weight[r] * (work->at.residual[r] - work->target[r]);
    slope = hypot(slope, work->s[i] * work->coefficients[i]);
  }
  if (length_at(work, 0) > radius) {
    // |p(lambda)| <= slope / lambda bounds the bisection from above
    double high = log(slope / radius), low = high - 100;
    for (int i = 0; i < BISECTIONS; i++) {
      double middle = 0.5 * (low + high);
      *(length_at(work, exp(middle)) > radius ? &low : &high) = middle;
    }
    lambda = exp(high);
  }
  memset(work->step, 0, n * sizeof *work->step);
  for (int i = 0; i < work->k; i++) {
    double s = work->s[i];
    if (!(s > RANK * work->s[0]))
      continue;
    double factor = s * work->coefficients[i] / (s * s + lambda);
    for (size_t j = 0; j < n; j++)
      work->step[j] -= factor * work->v[(size_t)i * n + j];
  }
  for (size_t j = 0; j < n; j++)
    work->step[j] /= work->metric[j];
}

// |a - b|_M, or |a|_M when b is NULL.
static double distance(const struct work *work, const double *a, const double *b)
{
  double length = 0;
  for (int i = 0; i < work->n; i++)
    length = hypot(length, work->metric[i] * (a[i] - (b ? b[i] : 0)));
  return length;
}

// step = solution of the model, edge or centre, with |p|_M <= radius.  Edge: each round fixes the targets z = P(d + J
// p) and solves a least squares problem that bounds the model from above and touches it at p, so that the model falls
// with every round.
static void aim(struct work *work, double radius)
{
  size_t n = (size_t)work->n;
  memset(work->step, 0, n * sizeof *work->step);
  if (work->settings->model == DC_FAN_CENTRE) {
    memset(work->target, 0, (size_t)work->rows * sizeof *work->target);
    solve(work, radius);
    return;
  }
  for (int round = 0; round < MOST_MAJORIZATIONS; round++) {
    memcpy(work->before, work->step, n * sizeof *work->step);
    for (int r = 0; r < work->rows; r++) {
      work->next[r] = work->at.residual[r];
      for (size_t i = 0; i < n; i++)
        work->next[r] += work->at.jacobian[(size_t)r * n + i] * work->step[i];
    }
    dc_rows_project(work->problem, &work->at, work->settings->margin, work->next, work->target);
    solve(work, radius);
    if (!(distance(work, work->step, work->before) >= MOVED * radius))
      break;
  }
}

// Computes steps for all radii, keeps those that differ, with their points and lengths; returns their number.  Unless
// only falls are wanted (monotone), no radius is below `least`, as long as the last one was not: a step that is too
// short stays in the ripple it is in.
static int spread(struct work *work)
{
  const struct dc_fan_settings *settings = work->settings;
  size_t n = (size_t)work->n, p = (size_t)dc_problem_point_size(work->problem);
  int count = 0;
  for (int k = 0; k < settings->radii.count; k++) {
    double radius = fmin(work->state[RADIUS] * settings->radii.values[k], settings->most);
    aim(work, settings->monotone ? radius : fmax(radius, fmin(settings->least, work->state[RADIUS])));
    double length = distance(work, work->step, NULL);
    bool other = length > 0 && isfinite(length);
    for (int i = 0; i < count && other; i++)
      other = distance(work, work->step, work->steps + (size_t)i * n) >= ALIKE * work->lengths[i];
    if (!other)
      continue;
    memcpy(work->steps + (size_t)count * n, work->step, n * sizeof *work->step);
    dc_problem_move(work->problem, work->iteration->x, work->step, work->points + (size_t)count * p);
    work->lengths[count++] = length;
  }
  return count;
}

// Index of the lowest candidate that is not refused yet, or -1.
static int lowest(const struct work *work, int count)
{
  int best = -1;
  for (int i = 0; i < count; i++)
    if (!work->statuses[i] && (best < 0 || work->values[i] < work->values[best]))
      best = i;
  return best >= 0 && work->settings->monotone && !(work->values[best] < work->state[VALUE]) ? -1 : best;
}

// Moves to the lowest candidate at which there is a Jacobian; *taken says whether there is one.  Linearizing may fail
// where the value was found, for example when the adjoint does not converge.  Then state and point are put back and
// the next candidate is tried.
static enum dc_status choose(struct work *work, int count, bool *taken, struct dc_error *error)
{
  struct dc_iteration *iteration = work->iteration;
  size_t p = (size_t)dc_problem_point_size(work->problem), state = dc_fan_state_size(work->problem);
  double *kept = dc_alloc(state + p, sizeof *kept);
  if (!kept)
    return dc_out_of_memory_for(error, "a Gauss-Newton step");
  memcpy(kept, work->state, state * sizeof *kept);
  memcpy(kept + state, iteration->x, p * sizeof *kept);
  enum dc_status status = DC_OK;
  *taken = false;
  for (int i; !status && !*taken && (i = lowest(work, count)) >= 0;) {
    memcpy(iteration->x, work->points + (size_t)i * p, p * sizeof *kept);
    status = linearize(work, error);
    *taken = !status;
    if (!status) {
      work->state[RADIUS] = work->lengths[i];
    } else if (dc_point_has_no_value(status)) {
      work->statuses[i] = status;
      iteration->result->failed++;
      memcpy(work->state, kept, state * sizeof *kept);
      memcpy(iteration->x, kept + state, p * sizeof *kept);
      load_groups(work);
      status = DC_OK;
    }
  }
  free(kept);
  return status;
}

// Notes the present point as the best of this fan, with the radius that led to it.
static void keep_best(struct work *work)
{
  size_t p = (size_t)dc_problem_point_size(work->problem);
  work->best[BEST_VALUE] = work->state[VALUE];
  work->best[BEST_RADIUS] = work->state[RADIUS];
  memcpy(work->best + BEST_POINT, work->iteration->x, p * sizeof *work->best);
}

// From a plateau back to the best point, with a shorter radius than any before from there; *back false: this is the
// best point, or all radii were tried.
static enum dc_status go_back(struct work *work, bool *back, struct dc_error *error)
{
  size_t p = (size_t)dc_problem_point_size(work->problem);
  *back = work->best[BEST_VALUE] < work->state[VALUE] && RETURN * work->best[BEST_RADIUS] >= SHORTEST;
  if (!*back)
    return DC_OK;
  work->best[BEST_RADIUS] *= RETURN;
  work->state[RADIUS] = work->best[BEST_RADIUS];
  memcpy(work->iteration->x, work->best + BEST_POINT, p * sizeof *work->best);
  enum dc_status status = linearize(work, error);
  return status ? status : decompose(work, error);
}

// One iteration: decompose the weighted rows, evaluate the candidates of all radii, take the lowest, whether it
// improves or not; without one the radius shrinks and the fan is spread again.
static enum dc_status step(struct work *work, double enough, struct dc_error *error)
{
  struct dc_iteration *iteration = work->iteration;
  enum dc_status status = decompose(work, error);
  bool taken = false;
  while (!status && !taken) {
    int count = work->state[RADIUS] < SHORTEST ? 0 : spread(work);
    if (count == 0) {
      bool back;
      status = go_back(work, &back, error);
      if (status || back)
        continue;
      iteration->finished = true;
      return DC_OK;
    }
    double sufficient = fmax(enough, work->settings->sufficient * work->state[VALUE]);
    status = dc_problem_values(work->problem, &count, work->points, sufficient, work->values, work->statuses, error);
    if (!status)
      dc_iteration_count(iteration, count);
    for (int i = 0; i < count && !status; i++) {
      iteration->result->infeasible += work->statuses[i] == DC_INFEASIBLE;
      iteration->result->failed += work->statuses[i] == DC_NUMERICAL;
    }
    if (!status)
      status = choose(work, count, &taken, error);
    if (!status && !taken)
      work->state[RADIUS] *= NO_CANDIDATE;
  }
  if (!status && work->state[VALUE] < work->best[BEST_VALUE])
    keep_best(work);
  if (!status)
    dc_iteration_book(iteration, iteration->x, iteration->value);
  return status;
}

enum dc_status dc_fan_begin(const struct dc_fan_settings *settings, struct dc_iteration *iteration, double *state,
                            struct dc_error *error)
{
  struct work work;
  enum dc_status status = open_work(&work, settings, iteration, state, error);
  state[RADIUS] = settings->radius;
  if (!status)
    status = linearize(&work, error);
  if (!status)
    keep_best(&work);
  close_work(&work);
  return status;
}

void dc_fan_set_radius(double *state, double radius)
{
  state[RADIUS] = radius;
}

enum dc_status dc_fan_step(const struct dc_fan_settings *settings, struct dc_iteration *iteration, double enough,
                           double *state, struct dc_error *error)
{
  struct work work;
  enum dc_status status = open_work(&work, settings, iteration, state, error);
  if (!status)
    status = step(&work, enough, error);
  close_work(&work);
  return status;
}
