// SPDX-License-Identifier: Apache-2.0
#include "task/task.h"

const struct dc_control_type *const dc_control_types[] = {&dc_control_initial_state, NULL};

const struct dc_objective_type *const dc_objective_types[] = {&dc_objective_reach, NULL};
