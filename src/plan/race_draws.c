// SPDX-License-Identifier: Apache-2.0
// The draws of a race: even rounds begin with them, and each number has its own spread.  Where hands can take the body
// that has a goal, some draws are grasps (race_grasp.h) of random squeeze, height and place, and the first round begins
// one, too.
#include <stdlib.h>
#include <string.h>

#include "plan/constants.h"
#include "plan/race_grasp.h"
#include "plan/race_internal.h"
#include "plan/worker.h"
#include "task/drives.h"

enum { FIRST_GRASPS = 3 };
static const double SQUEEZES[FIRST_GRASPS] = {0.3, 0.6, 0.15}, CLEARANCE = 0.7;  // parts of the radius of the body
static const double LEAST_SQUEEZE = 0.05, MOST_SQUEEZE = 1, MOST_CLEARANCE = 2, MOST_ASIDE = 0.4;

bool dc_race_draws(const struct dc_search *search)
{
  return search->round % 2 == 0;
}

// Some draws shoot hard; every other one goes anywhere with a random number of knots: what such scenes need is not
// known.
void dc_race_vary(const struct dc_search *search, int number, struct dc_random *random, struct dc_spread *spread)
{
  spread->hard = number % DC_RACE_HARD == 0;
  if (number % 2 == 0)
    return;
  spread->distance = dc_task_distance(search->plan->task, &search->plan->model->bodies);
  spread->knots =
      DC_RACE_LEAST_KNOTS + (int)((DC_RACE_MOST_KNOTS + 1 - DC_RACE_LEAST_KNOTS) * dc_random_uniform(random));
  spread->anywhere = true;
}

static bool guess(const struct dc_search *search, struct dc_grasp *grasp, double *x)
{
  const struct dc_plan *plan = search->world;
  if (plan != search->plan)
    return false;
  memcpy(x, search->x, (size_t)plan->parameter_count * sizeof *x);
  return dc_grasp_guess(&search->race->hands, plan->model, plan->task, &plan->window, plan->state, grasp, x);
}

bool dc_race_draw_grasp(const struct dc_search *search, int number, struct dc_random *random, double *x)
{
  if (!search->race || number % DC_RACE_GRASPS != DC_RACE_GRASP_AT)
    return false;
  struct dc_grasp grasp = {0};
  grasp.squeeze = LEAST_SQUEEZE + (MOST_SQUEEZE - LEAST_SQUEEZE) * dc_random_uniform(random);
  grasp.clearance = MOST_CLEARANCE * dc_random_uniform(random);
  for (int k = 0; k < 3; k++)
    grasp.aside[k] = MOST_ASIDE * (2 * dc_random_uniform(random) - 1);
  return guess(search, &grasp, x);
}

// Rolls out a few grasps and keeps the best in x; *found: one has a lower loss than the first guess.
enum dc_status dc_race_first_grasp(struct dc_search *search, double *x, bool *found, struct dc_error *error)
{
  size_t n = (size_t)search->world->parameter_count;
  double *xs = dc_alloc(FIRST_GRASPS * n, sizeof *xs), losses[FIRST_GRASPS], lowest = search->race->first_loss;
  enum dc_status statuses[FIRST_GRASPS], status = DC_OK;
  struct dc_grasp grasps[FIRST_GRASPS];
  int count = 0;
  *found = false;
  if (!xs)
    return dc_out_of_memory_for(error, "a first guess");
  for (int k = 0; k < FIRST_GRASPS && !(count > 0 && grasps[0].itself); k++) {
    grasps[count] = (struct dc_grasp){.squeeze = SQUEEZES[k], .clearance = CLEARANCE};
    count += guess(search, &grasps[count], xs + (size_t)count * n);
  }
  if (count > 0)
    status = dc_plan_values(search->world, count, xs, losses, statuses, error);
  for (int k = 0; k < count && !status; k++)
    if (!statuses[k] && losses[k] < lowest) {
      lowest = losses[k];
      memcpy(x, xs + (size_t)k * n, n * sizeof *x);
      search->race->grasp = grasps[k];
      *found = true;
    }
  free(xs);
  return status;
}
