// SPDX-License-Identifier: Apache-2.0
// Which bodies joints connect, which of them controls move, and which have goals.
#ifndef DC_TASK_DRIVES_H
#define DC_TASK_DRIVES_H

#include "task/task.h"

// Whether joints connect two bodies, in any way, or both are of one soft body.
bool dc_bodies_are_joined(const struct dc_bodies *bodies, int a, int b);
// Whether a control moves the body or one that joints connect it to: a walking robot moves its base by its legs.
bool dc_task_drives(const struct dc_task *task, const struct dc_bodies *bodies, int body);
// Whether an objective that can be reached names the body.
bool dc_task_has_goal(const struct dc_task *task, int body);
// The largest distance of a body from a point that an objective has as its target, at the start, m; 0: there is none.
double dc_task_distance(const struct dc_task *task, const struct dc_bodies *bodies);
// The largest distance of such a target from a point, m; 0: there is none.
double dc_task_goal_distance(const struct dc_task *task, const struct dc_bodies *bodies, const double from[3]);

// Whether a control acts at all times, not on the start alone.
bool dc_task_acts_in_time(const struct dc_task *task, const struct dc_model *model);

#endif
