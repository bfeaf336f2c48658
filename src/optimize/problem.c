// SPDX-License-Identifier: Apache-2.0
// Default behaviour of the optional members of a problem: moves within bounds, held coordinates, values one by one, and
// projection of rows on discs and boxes.
#include "optimize/problem.h"

#include <math.h>
#include <string.h>

#include "optimize/norm.h"

// result [point size] = x moved by step [dimension]; result may be x or step.  A problem with its own retraction, as
// for rotations, also keeps its own bounds.
void dc_problem_move(const struct dc_problem *problem, const double *x, const double *step, double *result)
{
  if (problem->retract) {
    problem->retract(problem->context, x, step, result);
    return;
  }
  for (int i = 0; i < problem->dimension; i++) {
    double moved = x[i] + step[i];
    if (problem->low && moved < problem->low[i])
      moved = problem->low[i];
    if (problem->high && moved > problem->high[i])
      moved = problem->high[i];
    result[i] = moved;
  }
}

// held [dimension]: coordinates at a bound against which -gradient points.  Returns whether there are any.
bool dc_problem_hold(const struct dc_problem *problem, const double *x, const double *gradient, bool *held)
{
  bool any = false;
  memset(held, 0, (size_t)problem->dimension * sizeof *held);
  if (problem->hold)
    problem->hold(problem->context, x, gradient, held);
  else if (!problem->retract)
    for (int i = 0; i < problem->dimension; i++)
      held[i] = (problem->low && x[i] <= problem->low[i] && gradient[i] > 0) ||
                (problem->high && x[i] >= problem->high[i] && gradient[i] < 0);
  for (int i = 0; i < problem->dimension; i++)
    any = any || held[i];
  return any;
}

// Values of several points, in one call of the problem if it takes several; stops behind the first value <= enough.
// Values that are not finite become statuses.
enum dc_status dc_problem_values(const struct dc_problem *problem, int *count, const double *xs, double enough,
                                 double *values, enum dc_status *statuses, struct dc_error *error)
{
  int size = dc_problem_point_size(problem);
  enum dc_status status = DC_OK;
  if (problem->values)
    status = problem->values(problem->context, count, xs, enough, values, statuses, error);
  for (int i = 0; i < *count && !status; i++) {
    const double *x = xs + (size_t)i * (size_t)size;
    if (!isfinite(norm_largest(x, size)))
      statuses[i] = DC_INFEASIBLE;
    else if (!problem->values)
      statuses[i] = problem->evaluate(problem->context, x, &values[i], NULL, error);
    if (statuses[i] && !dc_point_has_no_value(statuses[i]))
      return statuses[i];
    if (statuses[i] == DC_OK && !isfinite(values[i]))
      statuses[i] = DC_NUMERICAL;
    if (!statuses[i] && values[i] <= enough)
      *count = i + 1;
  }
  return status;
}

// Rows as they are before the problem fills them: weight 1, each its own group, without tolerance; value NAN shows
// one that was not set.
void dc_rows_clear(const struct dc_problem *problem, struct dc_rows *rows)
{
  size_t count = (size_t)problem->row_count;
  rows->value = NAN;
  if (rows->jacobian)
    memset(rows->jacobian, 0, count * (size_t)problem->dimension * sizeof *rows->jacobian);
  for (size_t r = 0; r < count && rows->weight; r++) {
    rows->weight[r] = 1;
    rows->group[r] = (int)r;
    rows->radius[r] = rows->half[r] = 0;
  }
}

// Projects residuals d [rows] on what is tolerated, part times its size: a ball of a group's radius, where it has
// one, else the interval of half of each row.  Rows of a group stand behind each other and share the radius of the
// first.
void dc_rows_project(const struct dc_problem *problem, const struct dc_rows *rows, double part, const double *d,
                     double *projected)
{
  for (int first = 0, end; first < problem->row_count; first = end) {
    double radius = part * rows->radius[first];
    for (end = first + 1; end < problem->row_count && rows->group[end] == rows->group[first]; end++)
      ;
    double norm = norm_euclidean(d + first, end - first);
    for (int r = first; r < end; r++) {
      double half = part * rows->half[r];
      projected[r] = radius > 0 ? (norm > radius ? d[r] * (radius / norm) : d[r]) : fmax(-half, fmin(half, d[r]));
    }
  }
}
