// SPDX-License-Identifier: Apache-2.0
// Estimates of the memory that plans need, before they are created.
#ifndef DC_PLAN_PLAN_MEMORY_H
#define DC_PLAN_PLAN_MEMORY_H

#include "plan/plant.h"
#include "task/task.h"

// Bytes that dc_rollout_create and a first evaluation allocate: the derivatives of body pairs, matrices, trees.
double dc_rollout_bytes(const struct dc_model *model);
// Bytes of frames, inputs and tape that dc_plan_create allocates for so many steps, without its rollout.
double dc_plan_bytes(const struct dc_model *model, const struct dc_task *task, double steps);
// The same for dc_plan_create_forward.
double dc_forward_plan_bytes(const struct dc_model *model, const struct dc_task *task, double steps, bool in_file);
// The same for dc_horizon_create, with windows of at most length steps.
double dc_horizon_bytes(const struct dc_model *model, const struct dc_task *task, double length, double steps);
// Bytes of the trajectory that a plan keeps once an optimizer has asked for values of points.
double dc_plan_kept_bytes(const struct dc_model *model, const struct dc_task *task, double steps);
// Approximate bytes of dc_execution_create and a first execution of so many steps of the plan.
double dc_execution_bytes(const struct dc_plant *plant, double steps);

#endif
