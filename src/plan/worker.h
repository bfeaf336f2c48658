// SPDX-License-Identifier: Apache-2.0
// Plans that roll out for another one, each on its own thread.
#ifndef DC_PLAN_WORKER_H
#define DC_PLAN_WORKER_H

#include "plan/trajectory_plan.h"

// Creates a plan with the same model, task and capacity, with the adjoint; NULL and *error on failure.  Released by
// dc_plan_destroy.
struct dc_plan *dc_plan_hire(const struct dc_plan *plan, struct dc_error *error);

// Gives the worker the plan's window, start and state, and resets its work.
void dc_plan_follow(struct dc_plan *worker, const struct dc_plan *plan);

// The plan itself, which rolls out on the caller's thread (thread 0 of a loop), and workers for the other threads.
struct dc_plan_team {
  int count;               // >= 1 once created
  struct dc_plan **plans;  // [count]
};

// Creates a team for at most `wanted` threads (>= 1), or fewer where memory is short: results must not depend on its
// size.  The workers follow the plan.  DC_OK or DC_MEMORY.  Released by dc_plan_team_release, before the plan; zeros
// may be released, too.
enum dc_status dc_plan_team_create(struct dc_plan *plan, int wanted, struct dc_plan_team *team, struct dc_error *error);
// The same with workers for losses alone.
enum dc_status dc_plan_team_create_forward(struct dc_plan *plan, int wanted, struct dc_plan_team *team,
                                           struct dc_error *error);
void dc_plan_team_release(struct dc_plan_team *team);

// A point to be rolled out, and the result.
struct dc_plan_sample {
  const double *parameters;  // [parameter_count]
  double *gradient;          // [parameter_count], by a team with the adjoint; NULL: the loss alone
  double loss;
  enum dc_status status;  // status of dc_plan_evaluate
  struct dc_error error;
  struct dc_plan_work work;
};

// Rolls out samples [count] side by side, at most `threads` (0: any number) at a time here, others by the plan's crew
// if it has one.  All or none have a gradient.  Results do not depend on team and crew.  The plan counts the seconds;
// the caller adds the other work.
void dc_plan_team_sample(struct dc_plan_team *team, int count, struct dc_plan_sample *samples, int threads);

// Computes the losses of count points xs [count][parameter_count], with their statuses (dc_problem: values), by a team
// that the plan keeps, and counts the work.  DC_OK, or the first status other than DC_OK, DC_INFEASIBLE and
// DC_NUMERICAL.
enum dc_status dc_plan_values(struct dc_plan *plan, int count, const double *xs, double *losses,
                              enum dc_status *statuses, struct dc_error *error);
// The same up to the first point whose loss is at most `enough`: *count becomes the number of points up to it.  Later
// points are not counted, on any number of threads; their rollouts end after the current step.
enum dc_status dc_plan_values_until(struct dc_plan *plan, int *count, const double *xs, double enough, double *losses,
                                    enum dc_status *statuses, struct dc_error *error);

#endif
