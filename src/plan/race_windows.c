// SPDX-License-Identifier: Apache-2.0
// Receding horizons in a race (race_windows.h): settings by rule, turns of a few windows, the applied controls as first
// guesses, and checkpoints under a prefix.
#include "plan/race_windows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "plan/constants.h"

// Steps over which controls hold a parameter: found by asking for how many steps there are as few parameters as for
// one.
int dc_race_held_steps(const struct dc_model *model, const struct dc_task *task, int steps)
{
  int most = 1;
  for (int i = 0; i < task->control_count; i++) {
    const struct dc_control *control = &task->controls[i];
    int one = control->type->parameter_count(control->options, model, 1), held = 1;
    while (held < steps && control->type->parameter_count(control->options, model, held + 1) == one)
      held++;
    most = held > most ? held : most;
  }
  return most;
}

// Fills in settings and says whether windows make sense: controls with parameters for every step alone, no cases, and
// a run of several windows.
bool dc_race_windows_settings(const struct dc_model *model, const struct dc_task *task, struct dc_horizon *settings)
{
  long steps = model->definition.time.steps;
  struct dc_error none = {0};
  for (int i = 0; i < task->control_count; i++) {
    const struct dc_control *control = &task->controls[i];
    if (control->type->parameter_count(control->options, model, 0) > 0)
      return false;
  }
  int held = task->control_count ? dc_race_held_steps(model, task, (int)steps) : 1;
  long apply = held > 1 ? held : DC_RACE_WINDOW_APPLIED, length = steps / DC_RACE_WINDOW_PARTS;
  length = length < DC_RACE_WINDOW_LEAST ? DC_RACE_WINDOW_LEAST : length;
  length = length > DC_RACE_WINDOW_MOST ? DC_RACE_WINDOW_MOST : length;
  length = (length + apply - 1) / apply * apply;
  *settings = (struct dc_horizon){.length = length,
                                  .iterations = DC_RACE_WINDOW_ITERATIONS,
                                  .apply = apply,
                                  .keep = DC_KEEP_BEST,
                                  .explore = 1,
                                  .draws = DC_RACE_WINDOW_DRAWS,
                                  .spread = DC_RACE_WINDOW_SPREAD,
                                  .seed = 1};
  return task->control_count && task->case_count == 0 && length * DC_RACE_LEAST_WINDOWS <= steps &&
         !dc_horizon_check(task, model, settings, &none);
}

struct turn {
  int left;
  struct dc_stop_request *stop;
};

// Stops a horizon after the windows of a turn.
static bool count_window(void *context, const struct dc_plan_iteration *row)
{
  struct turn *turn = context;
  return row->iteration == 0 || --turn->left > 0;
}

static bool goes_on(void *context, const struct dc_plan_iteration *row)
{
  (void)row;
  const struct turn *turn = context;
  return !turn->stop || dc_stop_request_goes_on(turn->stop);
}

// Runs a few windows; the horizon is stopped from its observer and goes on in the next turn. *over: the run is
// complete, or a window has no value.  Its work is moved to `work`.
enum dc_status dc_race_windows_turn(struct dc_receding_horizon *windows, struct dc_stop_request *stop,
                                    struct dc_plan_work *work, bool *over, struct dc_error *error)
{
  struct turn turn = {DC_RACE_WINDOWS, stop};
  struct dc_horizon_observer observer = {.context = &turn, .iterated = goes_on, .applied = count_window};
  enum dc_status status = dc_horizon_run(windows, &observer, error);
  dc_plan_add_work(work, &windows->plan->work);
  windows->plan->work = (struct dc_plan_work){0};
  windows->window.newton_before = 0;
  *over = status != DC_STOPPED;
  if (status == DC_STOPPED && !goes_on(&turn, NULL))
    return DC_STOPPED;
  return status == DC_STOPPED || dc_point_has_no_value(status) ? DC_OK : status;
}

// first: applied parameters, then initial values; second: applied parameters, the last ones repeated.  Each
// [parameters of the whole run].
void dc_race_windows_guesses(const struct dc_receding_horizon *windows, double *first, double *second)
{
  const struct dc_task *task = windows->task;
  const struct dc_model *model = windows->model;
  int done = windows->executed->steps, steps = windows->steps;
  dc_parameters_resize(task, model, steps, windows->applied, done, second);
  dc_parameters_resize(task, model, done, second, steps, first);
  memcpy(second, first, (size_t)dc_task_parameter_count(task, model, steps) * sizeof *second);
  for (int i = 0; i < task->control_count; i++) {
    const struct dc_control *control = &task->controls[i];
    int all = control->type->parameter_count(control->options, model, steps);
    int given = control->type->parameter_count(control->options, model, done);
    int one = control->type->parameter_count(control->options, model, 1);
    for (int k = given; k < all && given >= one; k++)
      second[k] = second[k - one];
    second += all;
  }
}

// Names of a horizon's arrays behind a prefix, or without it.
static bool renamed(const char *name, const char *prefix, bool add, char text[96])
{
  size_t length = strlen(prefix);
  if (!add && strncmp(name, prefix, length) != 0)
    return false;
  snprintf(text, 96, "%s%s", add ? prefix : "", add ? name : name + length);
  return true;
}

// Copies the arrays of a snapshot with the prefix added, or those that have it without it.
static enum dc_status copy(const struct dc_snapshot *from, const char *prefix, bool add, struct dc_snapshot *to)
{
  struct dc_snapshot_entry entry;
  enum dc_status status = DC_OK;
  for (size_t i = 0; !status && dc_snapshot_entry(from, i, &entry); i++) {
    char name[96];
    if (renamed(entry.name, prefix, add, name))
      status = entry.reals ? dc_snapshot_put_reals(to, name, entry.count, entry.reals)
                           : dc_snapshot_put_integers(to, name, entry.count, entry.integers);
  }
  return status;
}

enum dc_status dc_race_windows_save(const struct dc_receding_horizon *windows, const char *prefix,
                                    struct dc_snapshot *snapshot)
{
  struct dc_snapshot *own = dc_snapshot_create();
  enum dc_status status = own ? dc_horizon_save(windows, own) : DC_MEMORY;
  if (!status)
    status = copy(own, prefix, true, snapshot);
  dc_snapshot_destroy(own);
  return status;
}

enum dc_status dc_race_windows_load(struct dc_receding_horizon *windows, const char *prefix,
                                    const struct dc_snapshot *snapshot, struct dc_error *error)
{
  struct dc_snapshot *own = dc_snapshot_create();
  enum dc_status status = own ? copy(snapshot, prefix, false, own) : DC_MEMORY;
  status = status ? dc_out_of_memory_for(error, "a checkpoint") : dc_horizon_load(windows, own, error);
  dc_snapshot_destroy(own);
  return status;
}
