// SPDX-License-Identifier: Apache-2.0
// Plans that roll out for another one, each on a thread of its own.
#ifndef DC_PLAN_WORKER_H
#define DC_PLAN_WORKER_H

#include "plan/trajectory_plan.h"

// A plan of the same model, task and capacity, with the adjoint; NULL and *error on failure.  Released by dc_plan_destroy.
struct dc_plan *dc_plan_hire(const struct dc_plan *plan, struct dc_error *error);

// Gives the worker the plan's window, its start and state, and no work done.
void dc_plan_follow(struct dc_plan *worker, const struct dc_plan *plan);

// The plan itself, which rolls out on the caller's thread (thread 0 of a loop), and hired ones for the others.
struct dc_plan_team {
  int count;               // >= 1 once created
  struct dc_plan **plans;  // [count]
};

// A team for at most `wanted` threads (>= 1), of fewer where memory is short: results must not depend on its size.  The
// workers follow the plan.  DC_OK or DC_MEMORY.  Released by dc_plan_team_release, before the plan; zeros may be too.
enum dc_status dc_plan_team_create(struct dc_plan *plan, int wanted, struct dc_plan_team *team, struct dc_error *error);
void dc_plan_team_release(struct dc_plan_team *team);

// Adds what a worker has done to *sum, but for the seconds, which are those of the one who waits for it.
void dc_plan_add_work(struct dc_plan_work *sum, const struct dc_plan_work *work);

#endif
