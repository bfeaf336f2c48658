// SPDX-License-Identifier: Apache-2.0
// Options of a receding horizon, and their check against the task.
#include <stddef.h>

#include "plan/receding_horizon.h"

static const char *const keep_choices[] = {"last", "best", NULL};

const struct dc_option dc_horizon_options[] = {
    DC_INTEGER_OPTION(struct dc_horizon, length, NULL, 1, 1e6, "time steps of a window"),
    DC_INTEGER_OPTION(struct dc_horizon, iterations, "50", 0, 1e9,
                      "optimizer iterations per window, instead of the optimizer's own"),
    DC_INTEGER_OPTION(struct dc_horizon, apply, "1", 1, 1e6,
                      "time steps of each window that are applied before the next one"),
    DC_INTEGER_OPTION(struct dc_horizon, patience, "0", 0, 1e9,
                      "windows in a row without a new lowest loss after which to give up; 0: never"),
    DC_CHOICE_OPTION(struct dc_horizon, keep, "\"last\"", keep_choices, "the iterate of a window that is applied"),
    DC_INTEGER_OPTION(
        struct dc_horizon, explore, "0", 0, 1e9,
        "windows in a row without progress, this one included, from which on several first guesses are compared; 0: "
        "never"),
    DC_INTEGER_OPTION(struct dc_horizon, draws, "0", 0, 1000, "random first guesses among them"),
    DC_REAL_OPTION(struct dc_horizon, spread, "", "1", 0, 1e6,
                   "standard deviation of the parameters of random first guesses"),
    DC_INTEGER_OPTION(struct dc_horizon, seed, "1", 0, 1e9, "seed of random first guesses"),
    DC_BOOLEAN_OPTION(struct dc_horizon, trials, "false",
                      "try plans in the plant to the end of the window and apply the best; without a plant nothing"),
    DC_INTEGER_OPTION(struct dc_horizon, aims, "0", 0, 1e6,
                      "with trials: Gauss-Newton steps per window with residuals of the plant and the plan's Jacobian"),
    DC_REAL_LIST_OPTION(struct dc_horizon, trial_friction, "", "[1]", 16, 0, 1e3,
                        "factors on the plant's friction in trials; of those that foretell the plant the worst counts"),
    DC_OPTIONS_END,
};

// Refuses tasks that windows cannot solve: controls of the start, objectives over the whole run, designs.
enum dc_status dc_horizon_check(const struct dc_task *task, const struct dc_model *model,
                                const struct dc_horizon *horizon, struct dc_error *error)
{
  int control = dc_task_start_control(task);
  if (control >= 0 && horizon->apply < model->definition.time.steps)
    return dc_fail(error, DC_BAD_INPUT,
                   "control[%d]: parameters of \"%s\" are for the whole run, a receding horizon wants those of steps: "
                   "take \"pd_targets\" or another control of steps, or leave \"horizon\" out",
                   control, task->controls[control].type->name);
  // Executed forces are those of the parameters, so that these must not change within a block.
  for (int i = 0; i < task->control_count; i++) {
    const struct dc_held_options *held = task->controls[i].options;
    if (task->controls[i].type->forces && horizon->apply % held->hold != 0)
      return dc_fail(error, DC_BAD_INPUT, "control[%d]: hold of \"%s\", %ld, must divide apply, %ld", i,
                     task->controls[i].type->name, held->hold, horizon->apply);
  }
  for (int i = 0; i < task->objective_count; i++)
    if (task->objectives[i].type->whole_run)
      return dc_fail(error, DC_BAD_INPUT,
                     "objective[%d]: \"%s\" compares frames of the whole run, windows have not all", i,
                     task->objectives[i].type->name);
  if (task->design_count)
    return dc_fail(error, DC_BAD_INPUT, "design: a receding horizon cannot change numbers of the model");
  if (horizon->apply > horizon->length)
    return dc_fail(error, DC_BAD_INPUT, "apply: must be <= length, %ld (is %ld)", horizon->length, horizon->apply);
  return DC_OK;
}
