// SPDX-License-Identifier: Apache-2.0
// Executes a plan in a plant in closed loop, with settings by rule (docs/automatic.md, "In a plant").
#ifndef DC_PLAN_CLOSED_LOOP_H
#define DC_PLAN_CLOSED_LOOP_H

#include "plan/receding_horizon.h"

enum { DC_LOOP_TRIES = 3 };  // most loops

struct dc_loop_scene {
  const struct dc_model *model;
  const struct dc_task *task;
  const struct dc_plant *plant;
  const struct dc_gradient_settings *gradient;
  const double *parameters;      // of the plan, of all steps
  struct dc_stop_request *stop;    // may be NULL
  struct dc_stop_request *cancel;  // of dc_plan_set_cancel
};

struct dc_loop_result {
  int tries;                     // loops that were begun; 0: none, the task has no windows
  long apply, windows;           // of the best one: steps between plans, and windows
  bool success;                  // everything is reached at the end of the run
  struct dc_trajectory *record;  // what was executed, owned by the caller; NULL: no loop came to its end
};

// Runs loops with one setting after the other until one reaches the goal at the end of the run.  DC_OK, also when none
// does; DC_STOPPED, with the best loop that came to its end, if there is one; DC_MEMORY.
enum dc_status dc_loop_close(const struct dc_loop_scene *scene, struct dc_loop_result *result, struct dc_error *error);

#endif
