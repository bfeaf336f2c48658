// SPDX-License-Identifier: Apache-2.0
// The task of a member of a race in which what is judged weighs more than what is not.
//
// A task is reached by its tolerances.  Where its loss has costs, such as effort, or means over frames while the last
// one is judged, the lowest loss need not be inside of the tolerances.  In this task what is judged has a multiple of
// its weight, at the frame where it is judged, beside the scene's own objectives.
#ifndef DC_PLAN_RACE_JUDGED_H
#define DC_PLAN_RACE_JUDGED_H

#include "task/task.h"

// A task with these objectives.  Shares controls, design and objectives with the scene's task, which must outlive it.
struct dc_judged {
  struct dc_task task;
  int own;  // number of the scene's objectives; the others are copies of those that are judged
};

// Sets up the task in arena.  False: the lowest loss is where everything is reached, nothing is judged, or no memory.
bool dc_judged_create(struct dc_judged *judged, const struct dc_task *task, struct dc_arena *arena);
// Multiplies the weights of what is judged.
void dc_judged_scale(struct dc_judged *judged, double factor);

#endif
