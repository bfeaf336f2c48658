// SPDX-License-Identifier: Apache-2.0
// Bounds of pd_targets that a scene leaves open.
#ifndef DC_TASK_TARGET_BOUNDS_H
#define DC_TASK_TARGET_BOUNDS_H

#include "base/memory.h"
#include "task/task.h"

// Sets low and high of every control pd_targets whose bounds are to be chosen, and clears its "chosen" where there are
// none to choose; the task's objectives are known by then.  Bounds are in memory of arena.  DC_OK, DC_MEMORY.
enum dc_status dc_task_choose_bounds(struct dc_task *task, const struct dc_model *model, struct dc_arena *arena,
                                     struct dc_error *error);

#endif
