// SPDX-License-Identifier: Apache-2.0
// Closes the loop around a plan (closed_loop.h): a receding horizon whose windows reach to the end of the run.
//
// 1. The first window begins with the plan, each further one with the rest of the one before, from the plant's state.
// 2. A few Gauss-Newton steps in the planning world; the better of both plans in the plant is kept (trials).
// 3. Steps with residuals of the plant aim it at the goal (horizon_aim.c).
// 4. The first steps are applied.  A plan that has reached in its trial is applied as it is.
// Controls of the start, and those that act on the whole run, have one window: they are aimed only. Where a loop does
// not reach, the next one has other settings.  In the second windows follow each other as fast as the controls allow,
// and contact of the plans is hard, for what is gripped from afar slips in the plant.  The third is aimed for longer.
#include "plan/closed_loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/linearize.h"
#include "plan/race_windows.h"

struct setting {
  long iterations, aims;
  int most_windows;  // about; 0: as many as the controls allow
  double stiffness;  // factor on the contact stiffness of the plans: gaps at rest shrink by its root
};
static const struct setting settings[DC_LOOP_TRIES] = {{2, 6, 50, 1}, {6, 6, 0, 1e-4}, {0, 20, 0, 1}};
static const double RADIUS = 0.1, RATE = 0.01;

// Whether all of the run is one window.
static bool is_aimed_once(const struct dc_loop_scene *scene)
{
  const struct dc_task *task = scene->task;
  bool once = dc_task_start_control(task) >= 0;
  for (int i = 0; i < task->control_count; i++) {
    const struct dc_control *control = &task->controls[i];
    once = once || control->type->parameter_count(control->options, scene->model, 0) > 0;
  }
  return once;
}

// The horizon that a loop of this setting runs: the whole task is looked at in every window, and `apply` steps of it
// are executed. A task that is aimed once is one window. Others have at most most_windows, each of a multiple of the
// steps for which controls are held, so that no window begins inside of a held value.
static struct dc_horizon horizon_of(const struct dc_loop_scene *scene, const struct setting *setting)
{
  long steps = scene->model->definition.time.steps, apply = steps;
  if (!is_aimed_once(scene)) {
    long held = dc_race_held_steps(scene->model, scene->task, (int)steps), windows = setting->most_windows;
    apply = windows && steps > windows * held ? (steps / windows + held - 1) / held * held : held;
  }
  return (struct dc_horizon){.length = steps,
                             .iterations = setting->iterations,
                             .apply = apply,
                             .keep = DC_KEEP_BEST,
                             .seed = 1,
                             .trials = true,
                             .aims = setting->aims,
                             .whole = true,
                             .plant = scene->plant};
}

static bool goes_on(void *context, const struct dc_plan_iteration *row)
{
  (void)row;
  struct dc_stop_request *stop = context;
  return !stop || dc_stop_request_goes_on(stop);
}

// One loop; its trajectory becomes the result's where it is the first, or reaches.
static enum dc_status run_loop(const struct dc_loop_scene *scene, const struct setting *setting,
                               const struct dc_optimizer_type *optimizer, const void *options,
                               struct dc_loop_result *result, struct dc_error *error)
{
  struct dc_error local = {0};
  const struct dc_horizon settings_of_windows = horizon_of(scene, setting), *horizon = &settings_of_windows;
  const struct dc_horizon_observer observer = {.context = scene->stop, .iterated = goes_on, .applied = goes_on};
  struct dc_receding_horizon *h = dc_horizon_create(scene->model, scene->task, horizon, optimizer, options, &local);
  enum dc_status status = h ? DC_OK : local.status;
  if (h) {
    dc_plan_set_gradient(h->plan, scene->gradient);
    h->plan->stop = scene->stop;
    dc_plan_set_cancel(h->plan, scene->cancel);
    h->plan->scaled.stiffness = setting->stiffness;
    dc_horizon_set_parameters(h, scene->parameters);
    status = dc_horizon_run(h, &observer, &local);
  }
  if (!status && (!result->record || h->success)) {
    dc_trajectory_destroy(result->record);
    result->record = h->executed;
    h->executed = NULL;
    result->success = h->success;
    result->apply = horizon->apply;
    result->windows = (h->steps + horizon->apply - 1) / horizon->apply;
  }
  dc_horizon_destroy(h);
  return status == DC_MEMORY || status == DC_STOPPED ? dc_fail(error, status, "%s", local.text) : status;
}

enum dc_status dc_loop_close(const struct dc_loop_scene *scene, struct dc_loop_result *result, struct dc_error *error)
{
  *result = (struct dc_loop_result){0};
  struct dc_error why = {0};
  struct dc_horizon first = horizon_of(scene, &settings[0]);
  if (dc_horizon_check(scene->task, scene->model, &first, &why))
    return DC_OK;
  struct dc_arena *arena = dc_arena_create();
  const struct dc_optimizer_type *optimizer =
      dc_task_rowless_objective(scene->task) < 0 ? &dc_gauss_newton : &dc_optimizer_adam;
  void *options = arena ? dc_arena_alloc(arena, 1, optimizer->options_size) : NULL;
  enum dc_status status = options ? dc_options_set_defaults(optimizer->options, options, arena, error) : DC_MEMORY;
  if (!status) {
    bool fan = optimizer == &dc_gauss_newton;
    const struct dc_option *option =
        &optimizer->options[dc_option_find(optimizer->options, fan ? "radius" : "learning_rate")];
    memcpy((char *)options + option->offset, fan ? &RADIUS : &RATE, sizeof(double));
  }
  for (int k = 0; k < DC_LOOP_TRIES && !status && !result->success; k++) {
    result->tries++;
    status = run_loop(scene, &settings[k], optimizer, options, result, error);
    if (status != DC_MEMORY && status != DC_STOPPED)
      status = DC_OK;
  }
  dc_arena_destroy(arena);
  return status == DC_MEMORY ? dc_out_of_memory_for(error, "a closed loop") : status;
}
