// SPDX-License-Identifier: Apache-2.0
// First guesses of a receding horizon's window that are looked for (receding_horizon.h tells what for).
//
// Candidates are rolled out side by side: the plan at hand, ways of pushers (route.h), and seeded random changes of the plan
// at hand.  Choices go by number, so they do not depend on threads; candidates depend on the start of the window, the plan
// at hand, the seed and the step only, so that a run can be resumed.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "plan/horizon_internal.h"
#include "plan/route.h"
#include "plan/worker.h"

static const double LEAST_PROGRESS = 1e-3;  // of the loss
enum { MOST_ROUTES = 24 };

// Adds draw number draw to parameters of the window: the same in all of its steps.
static void add_draw(const struct dc_receding_horizon *h, int draw, double *parameters)
{
  int steps = h->plan->window.steps, first = 0;
  for (int i = 0; i < h->task->control_count; i++) {
    const struct dc_control *control = &h->task->controls[i];
    int count = control->type->parameter_count(control->options, h->model, steps);
    int one = control->type->parameter_count(control->options, h->model, 1);
    for (int k = 0; k < one && k < count; k++) {
      struct dc_random random;
      dc_random_seed(&random, (uint64_t)h->horizon.seed + ((uint64_t)h->executed->steps << 20) +
                                  ((uint64_t)draw << 44) + (uint64_t)(first + k));
      double change = h->horizon.spread * dc_random_normal(&random);
      for (int p = k; p < count; p += one)
        parameters[first + p] += change;
    }
    first += count;
  }
}

// Whether the present window is one for which first guesses are looked for.
static bool wanted(const struct dc_receding_horizon *h)
{
  return h->horizon.explore > 0 && h->stalled + 1 >= h->horizon.explore && !h->foreseen && !h->retried;
}

enum dc_status dc_horizon_explore(struct dc_receding_horizon *h, struct dc_error *error)
{
  if (!wanted(h))
    return DC_OK;
  struct dc_plan *plan = h->plan;
  int most = 1 + MOST_ROUTES + (int)h->horizon.draws;
  size_t size = (size_t)plan->parameter_count;
  double *guesses = dc_alloc((size_t)most * size, sizeof *guesses);
  double *losses = dc_alloc((size_t)most, sizeof *losses);
  enum dc_status *statuses = dc_alloc((size_t)most, sizeof *statuses);
  bool memory = !guesses || !losses || !statuses;
  int count = 1, best = 0;
  if (!memory) {
    memcpy(guesses, h->parameters, size * sizeof *guesses);
    count += dc_route_guesses(plan, h->parameters, MOST_ROUTES, guesses + size, &memory);
    for (int draw = 0; draw < h->horizon.draws; draw++, count++) {
      double *guess = guesses + (size_t)count * size;
      memcpy(guess, h->parameters, size * sizeof *guess);
      add_draw(h, draw, guess);
    }
  }
  enum dc_status status = memory ? dc_fail(error, DC_MEMORY, "out of memory for first guesses") : DC_OK;
  if (!status && count > 1)
    status = dc_plan_values(plan, count, guesses, losses, statuses, error);
  for (int i = 1; i < count && !status; i++)
    if (!statuses[i] && (statuses[best] || losses[i] < losses[best] * (best ? 1 : 1 - LEAST_PROGRESS)))
      best = i;
  if (!status && best > 0)
    memcpy(h->parameters, guesses + (size_t)best * size, size * sizeof *guesses);
  free(guesses);
  free(losses);
  free(statuses);
  return status;
}

void dc_horizon_note_progress(struct dc_receding_horizon *h)
{
  bool progress = h->loss < h->progress * (1 - LEAST_PROGRESS);
  h->stalled = progress ? 0 : h->stalled + 1;
  if (progress)
    h->progress = h->loss;
}
