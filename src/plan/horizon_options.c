// SPDX-License-Identifier: Apache-2.0
// The settings of a receding horizon.
#include <stddef.h>

#include "plan/receding_horizon.h"

static const char *const keep_choices[] = {"last", "best", NULL};

const struct dc_option dc_horizon_options[] = {
    {.name = "length",
     .type = DC_INTEGER,
     .unit = "",
     .minimum = 1,
     .maximum = 1e6,
     .help = "time steps of a window",
     .offset = offsetof(struct dc_horizon, length)},
    {.name = "iterations",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "50",
     .minimum = 0,
     .maximum = 1e9,
     .help = "optimizer iterations per window, instead of the optimizer's own",
     .offset = offsetof(struct dc_horizon, iterations)},
    {.name = "apply",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "1",
     .minimum = 1,
     .maximum = 1e6,
     .help = "time steps of each window that are applied before the next one",
     .offset = offsetof(struct dc_horizon, apply)},
    {.name = "patience",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "0",
     .minimum = 0,
     .maximum = 1e9,
     .help = "windows in a row without a new lowest loss after which to give up; 0: never",
     .offset = offsetof(struct dc_horizon, patience)},
    {.name = "keep",
     .type = DC_CHOICE,
     .unit = "",
     .fallback = "\"last\"",
     .choices = keep_choices,
     .help = "the iterate of a window that is applied",
     .offset = offsetof(struct dc_horizon, keep)},
    {.name = "explore",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "0",
     .minimum = 0,
     .maximum = 1e9,
     .help =
         "windows in a row without progress, this one included, from which on several first guesses are compared; 0: "
         "never",
     .offset = offsetof(struct dc_horizon, explore)},
    {.name = "draws",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "0",
     .minimum = 0,
     .maximum = 1000,
     .help = "random first guesses among them",
     .offset = offsetof(struct dc_horizon, draws)},
    {.name = "spread",
     .type = DC_REAL,
     .unit = "",
     .fallback = "1",
     .minimum = 0,
     .maximum = 1e6,
     .help = "standard deviation of the parameters of random first guesses",
     .offset = offsetof(struct dc_horizon, spread)},
    {.name = "seed",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "1",
     .minimum = 0,
     .maximum = 1e9,
     .help = "seed of random first guesses",
     .offset = offsetof(struct dc_horizon, seed)},
    {.name = "trials",
     .type = DC_BOOLEAN,
     .unit = "",
     .fallback = "false",
     .help = "try plans in the plant to the end of the window and apply the best; without a plant nothing",
     .offset = offsetof(struct dc_horizon, trials)},
    {.name = "trial_friction",
     .type = DC_REAL_LIST,
     .unit = "",
     .fallback = "[1]",
     .minimum = 0,
     .maximum = 1e3,
     .count = 16,
     .help = "factors on the plant's friction in trials; of those that foretell the plant the worst counts",
     .offset = offsetof(struct dc_horizon, trial_friction)},
    DC_OPTIONS_END,
};

enum dc_status dc_horizon_check(const struct dc_task *task, const struct dc_model *model,
                                const struct dc_horizon *horizon, struct dc_error *error)
{
  (void)model;
  int control = dc_task_start_control(task);
  if (control >= 0)
    return dc_fail(error, DC_BAD_INPUT,
                   "control[%d]: \"%s\" acts on the start of the run only, which a receding horizon cannot change",
                   control, task->controls[control].type->name);
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
