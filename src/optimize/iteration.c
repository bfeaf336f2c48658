// SPDX-License-Identifier: Apache-2.0
// Services for optimizers that do whole iterations: draws, evaluations that count, and booking of values.
#include "optimize/iteration.h"

#include "optimize/minimization.h"

// Draws are numbered through the whole minimization, and the number is saved: a resumed run draws the same samples.
struct dc_draw dc_iteration_draw(struct dc_iteration *iteration, double trust)
{
  return (struct dc_draw){.number = (*iteration->draws)++, .trust = trust};
}

enum dc_status dc_iteration_evaluate(struct dc_iteration *iteration, const double *x, double *value, double *gradient,
                                     struct dc_error *error)
{
  struct dc_point point = {.x = (double *)x, .gradient = gradient};
  enum dc_status status = dc_minimization_evaluate(iteration->owner, &point, error);
  iteration->result->infeasible += status == DC_INFEASIBLE;
  iteration->result->failed += status == DC_NUMERICAL;
  *value = point.value;
  return status;
}

void dc_iteration_count(struct dc_iteration *iteration, int points)
{
  iteration->result->evaluations += points;
}

bool dc_iteration_book(struct dc_iteration *iteration, const double *x, double value)
{
  struct dc_minimization *minimization = iteration->owner;
  bool best = dc_minimization_book(minimization, iteration->number, x, value);
  iteration->is_best = iteration->is_best || best;
  minimization->begun = true;
  return best;
}
