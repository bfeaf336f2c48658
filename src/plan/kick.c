// SPDX-License-Identifier: Apache-2.0
// Kicks of a receding horizon that makes no progress (receding_horizon.h tells what for).
//
// Draws are rolled out side by side, each thread with a plan of its own: a rollout is a function of its parameters alone, so
// which plan it is done with does not matter.  What came out is looked at afterwards, in the order of the draws.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/random.h"
#include "base/threads.h"
#include "optimize/norm.h"
#include "plan/horizon_internal.h"
#include "plan/worker.h"

static const double LEAST_PROGRESS = 1e-3;  // of the loss

// Adds kick number draw to parameters [of the next window]: it depends on the seed, the step and its number only, so that
// a run can be resumed.
static void add_kick(const struct dc_receding_horizon *h, int draw, double *parameters)
{
  int steps = dc_horizon_window_steps(h), first = 0;
  for (int i = 0; i < h->task->control_count; i++) {
    const struct dc_control *control = &h->task->controls[i];
    int count = control->type->parameter_count(control->options, h->model, steps);
    int one = control->type->parameter_count(control->options, h->model, 1);
    for (int k = 0; k < one && k < count; k++) {
      struct dc_random random;
      dc_random_seed(&random, (uint64_t)h->horizon.seed + ((uint64_t)h->executed->steps << 20) +
                                  ((uint64_t)draw << 44) + (uint64_t)(first + k));
      double kick = h->horizon.kick * dc_random_normal(&random);
      for (int p = k; p < count; p += one)
        parameters[first + p] += kick;
    }
    first += count;
  }
}

// What the rollout of a draw has shown.
struct kicked {
  enum dc_status status;
  double loss, steepness;  // steepness: the norm of the gradient, where it was asked for
  struct dc_plan_work work;
};

struct kicks {
  const struct dc_receding_horizon *h;
  struct dc_plan_team team;
  struct kicked *draws;  // [draws]
  bool steep;            // gradients are asked for
};

static void roll_out_kick(const struct kicks *kicks, struct dc_plan *plan, int draw, struct kicked *kicked)
{
  const struct dc_receding_horizon *h = kicks->h;
  struct dc_error error = {0};
  plan->work = (struct dc_plan_work){0};
  memcpy(plan->parameters, h->parameters, (size_t)plan->parameter_count * sizeof *h->parameters);
  if (draw >= 0)
    add_kick(h, draw, plan->parameters);
  // plan->first_parameters has room for a gradient and is of no use between windows.
  double *gradient = kicks->steep ? plan->first_parameters : NULL;
  kicked->status = dc_plan_evaluate(plan, plan->parameters, &kicked->loss, gradient, &error);
  if (gradient && !kicked->status)
    kicked->steepness = norm_euclidean(gradient, plan->parameter_count);
  kicked->work = plan->work;
}

static void kick_pass(void *context, int index, int thread)
{
  struct kicks *kicks = context;
  roll_out_kick(kicks, kicks->team.plans[thread], index, &kicks->draws[index]);
}

// DC_OK when the rollout succeeded or cannot be done; its work is counted.
static enum dc_status look_at(const struct kicked *kicked, struct dc_plan_work *work, struct dc_error *error)
{
  dc_plan_add_work(work, &kicked->work);
  bool known = !kicked->status || kicked->status == DC_INFEASIBLE || kicked->status == DC_NUMERICAL;
  return known ? DC_OK : dc_fail(error, kicked->status, "out of memory for a kick");
}

// Rolls out all draws.  Gradients that are no adjoints share out their own rollouts, which counts for the plan alone.
static enum dc_status roll_out_kicks(struct kicks *kicks, struct dc_error *error)
{
  struct dc_plan *plan = kicks->h->plan;
  struct dc_plan_work work = plan->work;
  bool alone = kicks->steep && plan->gradient.type != DC_GRADIENT_ADJOINT;
  int draws = (int)kicks->h->horizon.draws;
  enum dc_status status = DC_OK;
  double start = dc_seconds();
  dc_loop_run(kick_pass, kicks, draws, alone ? 1 : kicks->team.count, NULL);
  work.seconds += dc_seconds() - start;
  for (int draw = 0; draw < draws && !status; draw++)
    status = look_at(&kicks->draws[draw], &work, error);
  plan->work = work;
  return status;
}

// The loss without a kick; INFINITY where the window cannot be rolled out.
static enum dc_status loss_without(struct kicks *kicks, double *loss, struct dc_error *error)
{
  struct dc_plan *plan = kicks->h->plan;
  struct dc_plan_work work = plan->work;
  struct kicked kicked = {0};
  roll_out_kick(kicks, plan, -1, &kicked);
  work.seconds += kicked.work.seconds;
  enum dc_status status = look_at(&kicked, &work, error);
  plan->work = work;
  *loss = kicked.status ? INFINITY : kicked.loss;
  return status;
}

// The kick, of all that are drawn, after which the window's rollout has the lowest loss, if that is progress.  Otherwise
// nothing was met, and the loss only tells how far away from everything it leads: then the one with the steepest loss,
// which comes nearest to something.  Draws that cannot be rolled out are left out; -1: none can.
static enum dc_status choose(struct kicks *kicks, int *chosen, struct dc_error *error)
{
  double before, lowest = INFINITY, steepest = -1;
  enum dc_status status = loss_without(kicks, &before, error);
  if (!status)
    status = roll_out_kicks(kicks, error);
  if (status)
    return status;
  *chosen = -1;
  for (int draw = 0; draw < kicks->h->horizon.draws; draw++)
    if (!kicks->draws[draw].status && kicks->draws[draw].loss < lowest) {
      lowest = kicks->draws[draw].loss;
      *chosen = draw;
    }
  if (*chosen < 0 || lowest < before * (1 - LEAST_PROGRESS))
    return DC_OK;
  kicks->steep = true;
  status = roll_out_kicks(kicks, error);
  for (int draw = 0; draw < kicks->h->horizon.draws && !status; draw++)
    if (!kicks->draws[draw].status && kicks->draws[draw].steepness > steepest) {
      steepest = kicks->draws[draw].steepness;
      *chosen = draw;
    }
  return status;
}

static enum dc_status kick(struct dc_receding_horizon *h, struct dc_error *error)
{
  int draw = 0, draws = (int)h->horizon.draws, threads = dc_threads();
  enum dc_status status = DC_OK;
  if (draws > 1) {
    struct kicks kicks = {.h = h, .draws = dc_alloc((size_t)draws, sizeof *kicks.draws)};
    dc_horizon_set_start(h);
    status = kicks.draws ? dc_plan_team_create(h->plan, threads < draws ? threads : draws, &kicks.team, error)
                         : dc_fail(error, DC_MEMORY, "out of memory for a kick");
    if (!status)
      status = choose(&kicks, &draw, error);
    dc_plan_team_release(&kicks.team);
    free(kicks.draws);
  }
  if (!status && draw >= 0)
    add_kick(h, draw, h->parameters);
  return status;
}

enum dc_status dc_horizon_kick(struct dc_receding_horizon *h, struct dc_error *error)
{
  bool progress = h->loss < h->progress * (1 - LEAST_PROGRESS);
  h->stalled = progress ? 0 : h->stalled + 1;
  if (progress)
    h->progress = h->loss;
  if (h->horizon.stall == 0 || h->stalled == 0 || h->stalled % h->horizon.stall != 0)
    return DC_OK;
  return h->executed->steps >= h->steps || h->success ? DC_OK : kick(h, error);
}
