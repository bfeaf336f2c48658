// SPDX-License-Identifier: Apache-2.0
// Runs a receding horizon (see receding_horizon.h).  One window (run_window):
//
// 1. set the start of the window, possibly search first guesses (explore.c), and minimize (minimize_window);
// 2. choose the iterate to be applied, possibly after trials in the plant (accept_window);
// 3. execute its first steps, in the planning world or in the plant, and record frames, targets and parameters;
// 4. judge the last frame, shift the parameters, and move on (apply_window).
//
// A replay executes the recorded targets window by window instead.
#include "plan/receding_horizon.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "plan/horizon_internal.h"

// Room for one window (parameters, start) and for the whole run (executed, applied, targets [steps][actuators]).
static bool allocate(struct dc_receding_horizon *h)
{
  const struct dc_bodies *bodies = &h->model->bodies;
  size_t steps = (size_t)h->steps, targets = steps * (size_t)bodies->actuator_count;
  size_t parameters = (size_t)dc_task_parameter_count(h->task, h->model, h->steps);
  h->parameters = dc_alloc((size_t)h->plan->sizes.parameters, sizeof *h->parameters);
  h->window.start_velocity = dc_alloc((size_t)bodies->nv, sizeof *h->window.start_velocity);
  h->window.q_before = dc_alloc((size_t)bodies->nq, sizeof *h->window.q_before);
  h->executed = dc_record_create(h->model, h->steps);
  h->applied = dc_alloc(parameters, sizeof *h->applied);
  h->first_parameters = dc_alloc(parameters, sizeof *h->first_parameters);
  h->target_position = dc_alloc(targets, sizeof *h->target_position);
  h->target_velocity = dc_alloc(targets, sizeof *h->target_velocity);
  return h->parameters && h->window.start_velocity && h->window.q_before && h->executed && h->applied &&
         h->first_parameters && h->target_position && h->target_velocity;
}

// One executed frame as a trajectory without steps, which shares the memory of the executed ones.
struct dc_trajectory dc_horizon_frame(const struct dc_receding_horizon *h, int frame)
{
  return dc_horizon_frame_of(h->executed, frame);
}

// The loss of one executed frame by itself, as a trajectory without steps.
static double frame_loss(const struct dc_receding_horizon *h, int frame)
{
  struct dc_trajectory single = dc_horizon_frame(h, frame);
  return dc_task_loss(h->task, h->model, h->plan->input, &single, NULL);
}

// Records frame 0 of the executed trajectory: a rollout without steps.
static enum dc_status record_start(struct dc_receding_horizon *h, struct dc_error *error)
{
  struct dc_plan *plan = h->plan;
  dc_plan_set_window(plan, 0, 0);
  dc_plan_reset_input(plan);
  enum dc_status status = dc_rollout_forward(plan->rollout, plan->input, plan->trajectory, error);
  if (status)
    return status;
  status = dc_plan_record(plan, h->executed, error);
  h->initial_loss = h->loss = h->lowest_loss = h->progress = frame_loss(h, 0);
  return status || isfinite(h->loss) ? status : dc_fail(error, DC_NUMERICAL, "the loss of the start is not finite");
}

// Rolls out the first trajectory in the plant.
static enum dc_status execute_first(struct dc_receding_horizon *h, const struct dc_rollout_input *input)
{
  struct dc_execution *execution = dc_execution_create(h->horizon.plant, h->steps, NULL);
  enum dc_status status = execution ? dc_execution_begin(execution, input, h->steps, h->first, NULL) : DC_MEMORY;
  dc_execution_destroy(execution);
  return status;
}

// Rolls out the whole run with the initial parameters; it is no failure of the run if that is impossible.
static enum dc_status roll_out_first(struct dc_receding_horizon *h, struct dc_error *error)
{
  struct dc_window whole = {.steps = h->steps, .time_step = h->model->definition.time.step};
  struct dc_rollout_input *input = dc_rollout_input_create(h->model, h->steps);
  h->first = dc_record_create(h->model, h->steps);
  enum dc_status status = input && h->first ? DC_OK : dc_out_of_memory_for(error, "a trajectory of %d steps", h->steps);
  if (!status) {
    dc_rollout_input_reset(h->model, input);
    dc_task_apply(h->task, h->model, &whole, h->plan->state, h->first_parameters, input);
    enum dc_status rolled =
        h->plant ? execute_first(h, input) : dc_rollout_forward(h->plan->rollout, input, h->first, NULL);
    if (rolled) {
      dc_trajectory_destroy(h->first);
      h->first = NULL;
      status = rolled == DC_MEMORY ? dc_out_of_memory_for(error, "a rollout") : DC_OK;
    }
  }
  dc_rollout_input_destroy(input);
  return status;
}

// Adds the plant; executed frames then have its velocities.
static enum dc_status add_plant(struct dc_receding_horizon *h, struct dc_error *error)
{
  int most = h->horizon.apply < h->steps ? (int)h->horizon.apply : h->steps;
  h->plant = dc_horizon_plant_create(h->horizon.plant, h->model, most, error);
  if (!h->plant)
    return error ? error->status : DC_MEMORY;
  if (dc_record_add_velocity(h->executed, h->steps))
    return dc_out_of_memory_for(error, "a run of %d steps", h->steps);
  memcpy(h->executed->velocity, h->plan->input->velocity, (size_t)h->executed->nv * sizeof(double));
  int length = h->horizon.length < h->steps ? (int)h->horizon.length : h->steps;
  return h->horizon.trials ? dc_horizon_plant_add_trials(h->plant, &h->horizon, h->model, length, error) : DC_OK;
}

// Creates a horizon of so many steps at its start, without optimization yet; *status tells a failure (h may be NULL
// then).
static struct dc_receding_horizon *create(const struct dc_model *model, const struct dc_task *task,
                                          const struct dc_horizon *horizon, int steps, enum dc_status *status,
                                          struct dc_error *error)
{
  struct dc_receding_horizon *h = dc_alloc(1, sizeof *h);
  if (!h) {
    *status = dc_out_of_memory_for(error, "a receding horizon");
    return NULL;
  }
  h->model = model;
  h->task = task;
  h->horizon = *horizon;
  h->steps = steps;
  h->window.gradient_norm = NAN;
  h->plan = dc_plan_create(model, task, horizon->length < steps ? (int)horizon->length : steps, error);
  if (!h->plan)
    *status = DC_MEMORY;
  else if (!allocate(h))
    *status = dc_out_of_memory_for(error, "a run of %d steps", steps);
  else
    *status = record_start(h, error);
  if (!*status && horizon->plant)
    *status = add_plant(h, error);
  return h;
}

// Initial parameters of the first window and of the whole run, and the rollout that reports show as the first one.
static enum dc_status prepare(struct dc_receding_horizon *h, const void *optimizer_options, struct dc_error *error)
{
  h->optimizer_options = dc_alloc(1, h->optimizer->options_size);
  if (!h->optimizer_options)
    return dc_out_of_memory_for(error, "an optimizer");
  memcpy(h->optimizer_options, optimizer_options, h->optimizer->options_size);
  struct dc_optimizer_common *common = h->optimizer_options;
  common->iterations = h->horizon.iterations;
  dc_task_initial(h->task, h->model, dc_horizon_window_steps(h), h->parameters);
  dc_task_initial(h->task, h->model, h->steps, h->first_parameters);
  memcpy(h->applied, h->first_parameters,
         (size_t)dc_task_parameter_count(h->task, h->model, h->steps) * sizeof *h->applied);
  return roll_out_first(h, error);
}

struct dc_receding_horizon *dc_horizon_create(const struct dc_model *model, const struct dc_task *task,
                                              const struct dc_horizon *horizon,
                                              const struct dc_optimizer_type *optimizer, const void *optimizer_options,
                                              struct dc_error *error)
{
  enum dc_status status;
  struct dc_receding_horizon *h = create(model, task, horizon, (int)model->definition.time.steps, &status, error);
  if (!status) {
    h->optimizer = optimizer;
    status = prepare(h, optimizer_options, error);
  }
  if (!status)
    return h;
  dc_horizon_destroy(h);
  return NULL;
}

// A horizon that plans nothing: it executes targets of an earlier run in pieces of the windows' length.
struct dc_receding_horizon *dc_horizon_create_replay(const struct dc_model *model, const struct dc_task *task,
                                                     const struct dc_applied_targets *targets, const double *parameters,
                                                     const struct dc_plant *plant, struct dc_error *error)
{
  struct dc_horizon pieces = {.length = targets->apply, .apply = targets->apply, .plant = plant};
  enum dc_status status;
  struct dc_receding_horizon *h = create(model, task, &pieces, targets->steps, &status, error);
  if (status) {
    dc_horizon_destroy(h);
    return NULL;
  }
  size_t count = (size_t)targets->steps * (size_t)model->bodies.actuator_count;
  memcpy(h->target_position, targets->position, count * sizeof *h->target_position);
  memcpy(h->target_velocity, targets->velocity, count * sizeof *h->target_velocity);
  memcpy(h->applied, parameters, (size_t)dc_task_parameter_count(task, model, targets->steps) * sizeof *h->applied);
  h->replaying = true;
  return h;
}

void dc_horizon_destroy(struct dc_receding_horizon *h)
{
  if (!h)
    return;
  dc_plan_destroy(h->plan);
  dc_horizon_plant_destroy(h->plant);
  dc_trajectory_destroy(h->executed);
  dc_trajectory_destroy(h->first);
  free(h->optimizer_options);
  free(h->parameters);
  free(h->window.start_velocity);
  free(h->window.q_before);
  free(h->applied);
  free(h->target_position);
  free(h->target_velocity);
  free(h->first_parameters);
  free(h);
}

// Parameters of an earlier run become the first guess of the first window; later windows shift what they accepted.
void dc_horizon_set_parameters(struct dc_receding_horizon *h, const double *parameters)
{
  dc_parameters_resize(h->task, h->model, h->steps, parameters, dc_horizon_window_steps(h), h->parameters);
}

// Begins a window: its start from the executed frames, a search among first guesses, and the minimization.  A window
// that is retried counts its work from its first try on.
static enum dc_status open_window(struct dc_receding_horizon *h, struct dc_error *error)
{
  dc_horizon_set_start(h);
  if (!h->window.retried)
    h->window.newton_before = h->plan->work.newton_iterations;
  enum dc_status status = dc_horizon_explore(h, error);
  if (status)
    return status;
  h->window.open = true;
  return dc_horizon_begin_window(h, error);
}

// Passes iterations of a window's minimization on to the observer of the run.
struct window_observer {
  struct dc_receding_horizon *h;
  const struct dc_horizon_observer *observer;
};

static bool observe_iteration(void *context, const struct dc_plan_iteration *iteration)
{
  const struct window_observer *window = context;
  window->h->window.gradient_norm = iteration->gradient_norm;
  const struct dc_horizon_observer *observer = window->observer;
  return observer->iterated ? observer->iterated(observer->context, iteration) : true;
}

// Minimizes over the window; when it cannot be evaluated, once more from zero parameters.
static enum dc_status minimize_window(struct dc_receding_horizon *h, const struct dc_horizon_observer *observer,
                                      struct dc_error *error)
{
  struct window_observer window = {h, observer};
  for (;;) {
    enum dc_status status = h->window.open ? DC_OK : open_window(h, error);
    if (!status)
      status = dc_plan_continue(h->plan, observe_iteration, &window, error);
    bool failed = dc_point_has_no_value(status);
    if (!failed && status)
      return status;
    h->iterations += dc_minimization_result(h->plan->descent.running)->iterations;
    if (!failed)
      return DC_OK;
    h->window.open = false;
    dc_plan_end(h->plan);
    if (h->window.retried) {
      dc_error_prefix(error, "window at step %d", h->executed->steps);
      return DC_NUMERICAL;
    }
    h->window.retried = true;
    for (int i = 0; i < h->plan->parameter_count; i++)
      h->parameters[i] = 0;
  }
}

// Sets h->parameters (and a copy in accepted) to the parameters to be applied, with plan->trajectory and plan->input.
static enum dc_status accept_window(struct dc_receding_horizon *h, double *accepted, struct dc_error *error)
{
  struct dc_plan *plan = h->plan;
  const double *kept = h->horizon.keep == DC_KEEP_BEST ? dc_minimization_best(plan->descent.running)
                                                       : dc_minimization_current(plan->descent.running);
  size_t bytes = (size_t)plan->parameter_count * sizeof *kept;
  bool trials = h->plant && h->horizon.trials;
  memcpy(accepted, kept, bytes);
  enum dc_status status = trials ? dc_horizon_try(h, accepted, error) : DC_OK;
  if (trials && !status && h->horizon.aims > 0 && !h->foreseen && plan->descent.problem.linearize)
    status = dc_horizon_aim(h, accepted, error);
  if (status)
    return status;
  memcpy(h->parameters, accepted, bytes);
  double loss;
  if (!plan->succeeded || memcmp(plan->evaluated, h->parameters, bytes) != 0)
    status = dc_plan_evaluate(plan, h->parameters, &loss, NULL, error);
  if (trials && dc_point_has_no_value(status)) {  // a route that cannot be rolled out in the planning world
    memcpy(h->parameters, kept, bytes);
    memcpy(accepted, kept, bytes);
    h->foreseen = false;
    status = dc_plan_evaluate(plan, h->parameters, &loss, NULL, error);
  }
  if (!status && !trials)
    h->foreseen =
        h->horizon.explore > 0 && dc_task_success(h->task, h->model, plan->input, plan->trajectory, plan->window.steps);
  return status;
}

// Appends the first frames of the window.
static enum dc_status append_frames(struct dc_receding_horizon *h, int count, struct dc_error *error)
{
  return dc_trajectory_append(h->executed, h->plan->trajectory, count)
             ? dc_out_of_memory_for(error, "the steps that were executed")
             : DC_OK;
}

// Records parameters and targets of the steps k .. k + count - 1 of the run.
static void record_controls(struct dc_receding_horizon *h, int k, int count)
{
  const double *from = h->parameters;
  double *to = h->applied;
  for (int i = 0; i < h->task->control_count; i++) {
    const struct dc_control *control = &h->task->controls[i];
    int window = control->type->parameter_count(control->options, h->model, h->plan->window.steps);
    int whole = control->type->parameter_count(control->options, h->model, h->steps);
    // Controls with parameters for consecutive steps: those of step k on, as applied.
    int one = control->type->parameter_count(control->options, h->model, 1);
    int begin = control->type->parameter_count(control->options, h->model, k + 1) - one;
    int taken = control->type->parameter_count(control->options, h->model, k + count) - begin;
    if (control->type->parameter_count(control->options, h->model, 0) > 0)
      // Parameters that do not belong to steps are taken over whole, from every window anew.
      begin = 0, taken = whole;
    memcpy(to + begin, from, (size_t)(taken < window ? taken : window) * sizeof *to);
    from += window;
    to += whole;
  }
  size_t actuators = (size_t)h->model->bodies.actuator_count, bytes = (size_t)count * actuators * sizeof(double);
  memcpy(h->target_position + (size_t)k * actuators, h->plan->input->target_position, bytes);
  memcpy(h->target_velocity + (size_t)k * actuators, h->plan->input->target_velocity, bytes);
}

// Judges the run by the last executed frame.
static enum dc_status judge(struct dc_receding_horizon *h, struct dc_error *error)
{
  int last = h->executed->steps;
  h->loss = frame_loss(h, last);
  if (!isfinite(h->loss))
    return dc_fail(error, DC_NUMERICAL, "the loss after step %d is not finite", last);
  h->idle = h->loss < h->lowest_loss ? 0 : h->idle + 1;
  h->lowest_loss = fmin(h->lowest_loss, h->loss);
  h->success = dc_task_success(h->task, h->model, h->plan->input, h->executed, last);
  return DC_OK;
}

// Applies the first steps of the accepted window and moves to the next one.
static enum dc_status apply_window(struct dc_receding_horizon *h, struct dc_error *error)
{
  struct dc_plan *plan = h->plan;
  int k = h->executed->steps, steps = plan->window.steps;
  int count = h->horizon.apply < steps ? (int)h->horizon.apply : steps;
  enum dc_status status = h->plant ? dc_horizon_execute(h, count, error) : append_frames(h, count, error);
  record_controls(h, k, count);
  if (!status)
    status = judge(h, error);
  if (!status && h->plant && h->executed->steps < h->steps)
    status = dc_horizon_place(h, plan->trajectory->q + (size_t)count * (size_t)plan->trajectory->nq, error);
  if (status)
    return status;
  dc_task_advance(h->task, h->model, &plan->window, count, plan->state, h->parameters);
  // plan->evaluated has room for a window and is not needed any more.
  memcpy(plan->evaluated, h->parameters, (size_t)plan->parameter_count * sizeof *h->parameters);
  dc_parameters_resize(h->task, h->model, steps, plan->evaluated, dc_horizon_window_steps(h), h->parameters);
  dc_plan_end(plan);
  h->window.open = h->window.retried = false;
  dc_horizon_note_progress(h);
  return DC_OK;
}

// Executes the targets in plan->input in the planning world.
static enum dc_status roll_out_piece(struct dc_receding_horizon *h, struct dc_error *error)
{
  enum dc_status status = dc_plan_roll_out(h->plan, error);
  if (!status)
    return append_frames(h, h->plan->window.steps, error);
  dc_error_prefix(error, "replay after step %d", h->executed->steps);
  return status == DC_INFEASIBLE ? DC_NUMERICAL : status;
}

// Adds the forces of the parameters that were applied to the steps of the window.
static void add_applied_forces(struct dc_receding_horizon *h)
{
  const struct dc_window *window = &h->plan->window;
  const double *parameters = h->applied;
  for (int i = 0; i < h->task->control_count; i++) {
    const struct dc_control *control = &h->task->controls[i];
    int (*count)(const void *, const struct dc_model *, int) = control->type->parameter_count;
    int begin = count(control->options, h->model, (int)window->first + 1) - count(control->options, h->model, 1);
    if (control->type->forces)
      control->type->apply(control->options, h->model, window, NULL, parameters + begin, h->plan->input);
    parameters += count(control->options, h->model, h->steps);
  }
}

// Executes the next steps with given targets, as many as were applied of a window: the first frames of a rollout do not
// depend on how many follow.
static enum dc_status replay_window(struct dc_receding_horizon *h, struct dc_error *error)
{
  struct dc_plan *plan = h->plan;
  dc_horizon_set_start(h);
  dc_plan_reset_input(plan);
  size_t actuators = (size_t)h->model->bodies.actuator_count, first = (size_t)h->executed->steps * actuators;
  size_t bytes = (size_t)plan->window.steps * actuators * sizeof(double);
  memcpy(plan->input->target_position, h->target_position + first, bytes);
  memcpy(plan->input->target_velocity, h->target_velocity + first, bytes);
  add_applied_forces(h);
  h->window.newton_before = plan->work.newton_iterations;
  enum dc_status status = h->plant ? dc_horizon_execute(h, plan->window.steps, error) : roll_out_piece(h, error);
  return status ? status : judge(h, error);
}

// A replay goes as far as the run did, whatever it reaches.
static bool finished(const struct dc_receding_horizon *h)
{
  if (h->executed->steps >= h->steps || h->replaying)
    return h->executed->steps >= h->steps;
  return (h->success && !h->horizon.whole) || (h->horizon.patience > 0 && h->idle >= h->horizon.patience);
}

// Reports the last applied frames, those after frame k, and the parameters of their window.
static enum dc_status report(const struct dc_receding_horizon *h, const struct dc_horizon_observer *observer, int k,
                             const double *parameters, int parameter_count, struct dc_error *error)
{
  int last = h->executed->steps;
  struct dc_plan_iteration row = {
      .iteration = last,
      .loss = h->loss,
      .gradient_norm = last ? h->window.gradient_norm : NAN,
      .min_gap = dc_trajectory_gap(h->executed, last ? k + 1 : 0, last),
      .newton_iterations = last ? h->plan->work.newton_iterations - h->window.newton_before : 0,
      .best = h->idle == 0,
      .parameter_count = parameter_count,
      .parameters = parameters,
  };
  if (h->task->objective_count > 1 && h->task->objective_count <= DC_PLAN_TERMS) {
    struct dc_trajectory single = dc_horizon_frame(h, last);
    row.term_count = h->task->objective_count;
    dc_task_terms(h->task, h->model, h->plan->input, &single, row.terms);
  }
  if (observer->applied && !observer->applied(observer->context, &row))
    return dc_fail(error, DC_STOPPED, "stopped after %d of %d steps", last, h->steps);
  return DC_OK;
}

// Steps 1 to 4 of the head; a stop leaves the window open, and the next call goes on with it.
static enum dc_status run_window(struct dc_receding_horizon *h, const struct dc_horizon_observer *observer,
                                 double *accepted, struct dc_error *error)
{
  enum dc_status status = minimize_window(h, observer, error);
  if (!status)
    status = accept_window(h, accepted, error);
  return status ? status : apply_window(h, error);
}

// Runs windows until the run is complete: each plans its window, executes its first steps, and reports them.  A replay
// executes only.
enum dc_status dc_horizon_run(struct dc_receding_horizon *h, const struct dc_horizon_observer *observer,
                              struct dc_error *error)
{
  enum dc_status status = DC_OK;
  double *accepted = dc_alloc((size_t)h->plan->sizes.parameters, sizeof *accepted);
  if (!accepted)
    return dc_out_of_memory_for(error, "a window");
  if (!h->begun) {
    h->begun = true;
    int count = dc_task_parameter_count(h->task, h->model, dc_horizon_window_steps(h));
    status = report(h, observer, 0, h->parameters, h->replaying ? 0 : count, error);
  }
  while (!status && !finished(h)) {
    int k = h->executed->steps;
    status = h->replaying ? replay_window(h, error) : run_window(h, observer, accepted, error);
    if (!status)
      status = report(h, observer, k, accepted, h->replaying ? 0 : h->plan->parameter_count, error);
  }
  free(accepted);
  return status;
}

int dc_horizon_iterations(const struct dc_receding_horizon *h)
{
  return h->iterations + (h->window.open ? dc_minimization_result(h->plan->descent.running)->iterations : 0);
}

// Parameters of the steps that were executed, as if the run had been that long.
void dc_horizon_applied(const struct dc_receding_horizon *h, double *parameters)
{
  dc_parameters_resize(h->task, h->model, h->steps, h->applied, h->executed->steps, parameters);
}

struct dc_applied_targets dc_horizon_targets(const struct dc_receding_horizon *h)
{
  return (struct dc_applied_targets){.steps = h->executed->steps,
                                     .apply = (int)h->horizon.apply,
                                     .position = h->target_position,
                                     .velocity = h->target_velocity};
}
