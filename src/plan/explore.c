// SPDX-License-Identifier: Apache-2.0
// First guesses for a window of a receding horizon (see receding_horizon.h).
//
// Candidates are rolled out side by side: the present plan, routes of pushers (route.h), and seeded random changes of
// the present plan.  Choices go by number, so that they do not depend on threads.  Candidates depend only on the start
// of the window, the present plan, the seed and the step, so that a run can be resumed.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "plan/horizon_internal.h"
#include "plan/route.h"
#include "plan/worker.h"

static const double LEAST_PROGRESS = 1e-3;  // relative decrease of the loss that counts as progress
enum { MOST_ROUTES = 24 };

// Adds random draw number draw to the parameters, the same in all steps of the window.
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

// Whether first guesses are searched for the present window.
static bool wanted(const struct dc_receding_horizon *h)
{
  return h->horizon.explore > 0 && h->stalled + 1 >= h->horizon.explore && !h->foreseen && !h->window.retried;
}

// First guesses: the present plan, routes, random draws.
struct guesses {
  int count, ways;
  double *parameters;  // [count][parameter_count]
  double *lengths;     // [ways] length of each route, m
  double *losses;      // [count]
  enum dc_status *statuses;
};

static void release(struct guesses *guesses)
{
  free(guesses->parameters);
  free(guesses->lengths);
  free(guesses->losses);
  free(guesses->statuses);
}

// All guesses for a window: the present parameters, routes around obstacles, random draws.
static enum dc_status fill(const struct dc_receding_horizon *h, struct guesses *guesses, struct dc_error *error)
{
  size_t most = 1 + MOST_ROUTES + (size_t)h->horizon.draws, size = (size_t)h->plan->parameter_count;
  guesses->parameters = dc_alloc(most * size, sizeof *guesses->parameters);
  guesses->lengths = dc_alloc(MOST_ROUTES, sizeof *guesses->lengths);
  guesses->losses = dc_alloc(most, sizeof *guesses->losses);
  guesses->statuses = dc_alloc(most, sizeof *guesses->statuses);
  bool memory = !guesses->parameters || !guesses->lengths || !guesses->losses || !guesses->statuses;
  if (!memory) {
    memcpy(guesses->parameters, h->parameters, size * sizeof *h->parameters);
    guesses->ways =
        dc_route_guesses(h->plan, h->parameters, MOST_ROUTES, guesses->parameters + size, guesses->lengths, &memory);
  }
  if (memory)
    return dc_out_of_memory_for(error, "first guesses");
  guesses->count = 1 + guesses->ways;
  for (int draw = 0; draw < h->horizon.draws; draw++) {
    double *guess = guesses->parameters + (size_t)guesses->count++ * size;
    memcpy(guess, h->parameters, size * sizeof *guess);
    add_draw(h, draw, guess);
  }
  return DC_OK;
}

// Chooses the guess with the lowest loss, if that is progress.  Otherwise nothing is met within the window, and the
// loss only tells how far a guess leads away: then the shortest route, of which the next window sees more.
static int choose(const struct dc_receding_horizon *h, const struct guesses *guesses)
{
  int best = 0;
  double lowest = guesses->statuses[0] ? INFINITY : guesses->losses[0] * (1 - LEAST_PROGRESS);
  bool progress = !guesses->statuses[0] && guesses->losses[0] < h->loss * (1 - LEAST_PROGRESS);
  for (int i = 1; i < guesses->count; i++)
    if (!guesses->statuses[i] && guesses->losses[i] < lowest)
      best = i, lowest = guesses->losses[i];
  progress |= best > 0 && lowest < h->loss * (1 - LEAST_PROGRESS);
  double shortest = INFINITY;
  for (int i = 0; i < guesses->ways && !progress; i++)
    if (!guesses->statuses[1 + i] && guesses->lengths[i] < shortest)
      best = 1 + i, shortest = guesses->lengths[i];
  return best;
}

// Evaluates every guess in the plant, without rollouts of the planning world.
static void try_guesses(struct dc_receding_horizon *h, struct guesses *guesses)
{
  for (int i = 0; i < guesses->count; i++) {
    bool reached;
    guesses->losses[i] =
        dc_horizon_trial(h, guesses->parameters + (size_t)i * (size_t)h->plan->parameter_count, INFINITY, &reached);
    guesses->statuses[i] = isfinite(guesses->losses[i]) ? DC_OK : DC_INFEASIBLE;
  }
}

// Chooses the best guess in the plant that can also be rolled out in the planning world.
static enum dc_status choose_tried(struct dc_receding_horizon *h, struct guesses *guesses, int *best,
                                   struct dc_error *error)
{
  try_guesses(h, guesses);
  for (int left = guesses->count; left > 0; left--) {
    enum dc_status rolled;
    double loss;
    *best = choose(h, guesses);
    enum dc_status status = dc_plan_values(
        h->plan, 1, guesses->parameters + (size_t)*best * (size_t)h->plan->parameter_count, &loss, &rolled, error);
    if (status || !rolled)
      return status;
    guesses->statuses[*best] = rolled;
  }
  *best = 0;
  return DC_OK;
}

// Whether first guesses are compared in the plant.  This depends on the kind of simulator, not on time, so that a run
// is the same on every machine: implicit steps in a plant with harder contact cost as much as planning, or more.
static bool compared_in_plant(const struct dc_receding_horizon *h)
{
  return h->plant && h->horizon.trials && !dc_model_has_adjoint(&h->horizon.plant->model);
}

// Replaces the present parameters by the best guess, compared in the plan or, where that differs, in the plant.
enum dc_status dc_horizon_explore(struct dc_receding_horizon *h, struct dc_error *error)
{
  if (!wanted(h))
    return DC_OK;
  struct guesses guesses = {0};
  size_t size = (size_t)h->plan->parameter_count;
  int best = 0;
  enum dc_status status = fill(h, &guesses, error);
  if (!status && guesses.count > 1) {
    if (compared_in_plant(h))
      status = choose_tried(h, &guesses, &best, error);
    else if (!(status =
                   dc_plan_values(h->plan, guesses.count, guesses.parameters, guesses.losses, guesses.statuses, error)))
      best = choose(h, &guesses);
    memcpy(h->parameters, guesses.parameters + (size_t)(status ? 0 : best) * size, size * sizeof *h->parameters);
  }
  release(&guesses);
  return status;
}

// The best plan so far among those tried in the plant.
struct best {
  double *parameters, loss;
  bool reached;
};

// A guess must be better by LEAST_PROGRESS; with several friction factors it is given up as soon as one is not.
static void try_guess(struct dc_receding_horizon *h, const double *guess, struct best *best)
{
  bool reached;
  double enough = best->loss * (1 - LEAST_PROGRESS), loss = dc_horizon_trial(h, guess, enough, &reached);
  if (!(loss < enough))
    return;
  best->loss = loss;
  best->reached = reached;
  memcpy(best->parameters, guess, (size_t)h->plan->parameter_count * sizeof *guess);
}

// Tries in the plant what the window found and, where that does not reach, also the parameters it began with or all
// guesses.  The best goes to kept.
enum dc_status dc_horizon_try(struct dc_receding_horizon *h, double *kept, struct dc_error *error)
{
  struct best best = {.parameters = kept};
  struct guesses guesses = {0};
  enum dc_status status = DC_OK;
  bool all = wanted(h) && !compared_in_plant(h);  // otherwise the window began with the best of them
  best.loss = dc_horizon_trial(h, kept, INFINITY, &best.reached);
  if (!best.reached && !all)
    try_guess(h, h->parameters, &best);
  else if (!best.reached)
    status = fill(h, &guesses, error);
  for (int i = 0; !status && !best.reached && i < guesses.count; i++)
    try_guess(h, guesses.parameters + (size_t)i * (size_t)h->plan->parameter_count, &best);
  h->foreseen = best.reached && h->horizon.explore > 0;
  release(&guesses);
  return status;
}

void dc_horizon_note_progress(struct dc_receding_horizon *h)
{
  bool progress = h->loss < h->progress * (1 - LEAST_PROGRESS);
  h->stalled = progress ? 0 : h->stalled + 1;
  if (progress)
    h->progress = h->loss;
}
