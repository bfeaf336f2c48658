// SPDX-License-Identifier: Apache-2.0
// The memory that plans need, told before they are made.
#ifndef DC_PLAN_PLAN_MEMORY_H
#define DC_PLAN_PLAN_MEMORY_H

#include "plan/plant.h"
#include "task/task.h"

// Bytes that dc_rollout_create and a first evaluation allocate: the derivatives of body pairs, matrices, trees.
double dc_rollout_bytes(const struct dc_model *model);
// Bytes of frames, inputs and tape that dc_plan_create allocates for so many steps, without its rollout.
double dc_plan_bytes(const struct dc_model *model, const struct dc_task *task, double steps);
// The same of dc_plan_create_forward.
double dc_forward_plan_bytes(const struct dc_model *model, const struct dc_task *task, double steps, bool in_file);
// The same of dc_horizon_create, whose windows have at most length steps.
double dc_horizon_bytes(const struct dc_model *model, const struct dc_task *task, double length, double steps);
// How many bytes the trajectory of a plan takes that is kept once an optimizer has asked for values of points.
double dc_plan_kept_bytes(const struct dc_model *model, const struct dc_task *task, double steps);
// About how many bytes dc_execution_create and a first execution of so many steps of the plan allocate.
double dc_execution_bytes(const struct dc_plant *plant, double steps);

#endif
