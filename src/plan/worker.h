// SPDX-License-Identifier: Apache-2.0
// Plans that roll out for another one, each on a thread of its own.
#ifndef DC_PLAN_WORKER_H
#define DC_PLAN_WORKER_H

#include "plan/trajectory_plan.h"

// A plan of the same model, task and capacity, with the adjoint; NULL and *error on failure.  Released by dc_plan_destroy.
struct dc_plan *dc_plan_hire(const struct dc_plan *plan, struct dc_error *error);

// Gives the worker the plan's window, its start and state, and no work done.
void dc_plan_follow(struct dc_plan *worker, const struct dc_plan *plan);

// Adds what a worker has done to *sum, but for the seconds, which are those of the one who waits for it.
void dc_plan_add_work(struct dc_plan_work *sum, const struct dc_plan_work *work);

#endif
