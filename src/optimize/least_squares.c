// SPDX-License-Identifier: Apache-2.0
#include "optimize/least_squares.h"

#include <string.h>

#include "optimize/residual_run.h"

const struct dc_least_squares_type *const dc_least_squares_types[] = {&dc_levenberg_marquardt, &dc_normalized_descent,
                                                                      NULL};

void dc_residual_run_begin(struct dc_residual_run *run, const struct dc_residual_problem *problem, uint64_t seed,
                           double *point, dc_residual_observer *observer, void *observer_context)
{
  *run = (struct dc_residual_run){
      .problem = problem, .observer = observer, .observer_context = observer_context, .best = point};
  dc_random_seed(&run->random, seed);
  run->draw = dc_random_bits(&run->random);
}

struct dc_residual_draw dc_residual_run_draw(struct dc_residual_run *run, double trust)
{
  return (struct dc_residual_draw){.number = run->draw++, .trust = trust};
}

bool dc_residual_run_book(struct dc_residual_run *run, const double *point, double value)
{
  struct dc_least_squares_result *result = &run->result;
  bool first = result->evaluations++ == 0, best = first || value < result->best_value;
  if (first)
    result->first_value = value;
  if (!best)
    return false;
  result->best_value = value;
  if (!first)
    memcpy(run->best, point, (size_t)run->problem->point_size * sizeof *point);
  return true;
}

enum dc_status dc_residual_run_tell(struct dc_residual_run *run, struct dc_residual_iterate iterate,
                                    struct dc_error *error)
{
  iterate.iteration = run->result.iterations;
  iterate.evaluations = run->result.evaluations;
  iterate.best_value = run->result.best_value;
  if (!run->observer || run->observer(run->observer_context, &iterate))
    return DC_OK;
  return dc_fail(error, DC_STOPPED, "stopped after %d iterations", iterate.iteration);
}
