// SPDX-License-Identifier: Apache-2.0
// Private to src/plan: what running a receding horizon and restoring one share.
#ifndef DC_PLAN_HORIZON_INTERNAL_H
#define DC_PLAN_HORIZON_INTERNAL_H

#include "plan/receding_horizon.h"

// Steps of the present window: fewer than the horizon's length at the end of the run.
int dc_horizon_window_steps(const struct dc_receding_horizon *horizon);
// Lets the plan's window start from the last executed frame, with the frame before it (or its velocity) as the past,
// exactly as if the run went on.
void dc_horizon_set_start(struct dc_receding_horizon *horizon);
// A minimization from the first guess of the window that has been set.  Statuses of dc_plan_begin.
enum dc_status dc_horizon_begin_window(struct dc_receding_horizon *horizon, struct dc_error *error);

// Replaces the first guess of the window that has been set by the best of several where that is asked for.  DC_OK or
// DC_MEMORY.
enum dc_status dc_horizon_explore(struct dc_receding_horizon *horizon, struct dc_error *error);
// After frames have been applied and judged.
void dc_horizon_note_progress(struct dc_receding_horizon *horizon);

#endif
