// SPDX-License-Identifier: Apache-2.0
// Evaluates a plan: parameters -> controls and design -> input -> rollout -> loss, and back by the adjoint.
//
// dc_plan_evaluate rolls out the plan's own world and its cases, sums losses and, by the adjoint of each world or an
// estimate (gradient.c), gradients, and counts the work.  The best rollout among sampled points may be kept
// (dc_plan_kept), so that linearizing there needs no second one.
#include "plan/trajectory_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/threads.h"
#include "plan/plan_cases.h"

// Carries parameters from one number of steps to another, control by control: what is new gets its initial value, what
// is too much is dropped; parameters of the design do not depend on steps.
void dc_parameters_resize(const struct dc_task *task, const struct dc_model *model, int from_steps, const double *from,
                          int to_steps, double *to)
{
  for (int i = 0; i < task->control_count; i++) {
    const struct dc_control *control = &task->controls[i];
    int from_count = control->type->parameter_count(control->options, model, from_steps);
    int to_count = control->type->parameter_count(control->options, model, to_steps);
    if (to_count > from_count)
      control->type->initial(control->options, model, to_steps, to);
    for (int k = 0; k < from_count && k < to_count; k++)
      to[k] = from[k];
    from += from_count;
    to += to_count;
  }
  int design = dc_task_parameter_count(task, model, to_steps) - dc_task_control_parameter_count(task, model, to_steps);
  for (int k = 0; k < design; k++)
    to[k] = from[k];
}

// Allocates what adjoint and optimization need.
static bool allocate_for_gradients(struct dc_plan *plan)
{
  const struct dc_bodies *bodies = &plan->model->bodies;
  size_t frames = (size_t)plan->sizes.steps + 1;
  struct dc_trajectory_cotangent *cotangent = &plan->loss_cotangent.frames;
  plan->cotangent = plan->loss_cotangent.input = dc_rollout_cotangent_create(plan->model, plan->sizes.steps);
  plan->descent.first = dc_record_create(plan->model, plan->sizes.steps);
  plan->descent.best = dc_record_create(plan->model, plan->sizes.steps);
  cotangent->wrenches = dc_arena_alloc(plan->arena, frames * (size_t)bodies->count, sizeof *cotangent->wrenches);
  cotangent->forces = dc_arena_alloc(plan->arena, frames * (size_t)bodies->nv, sizeof *cotangent->forces);
  return plan->cotangent && plan->descent.first && plan->descent.best;
}

// Room for input, trajectory and arrays of parameters; a simulation keeps frames only, on disk if in_file.
static bool allocate(struct dc_plan *plan, bool in_file)
{
  size_t parameters = (size_t)plan->sizes.parameters;
  plan->input = dc_rollout_input_create(plan->model, plan->sizes.steps);
  plan->trajectory = plan->forward ? dc_record_create(plan->model, in_file ? 0 : plan->sizes.steps)
                                   : dc_trajectory_create(plan->model, plan->sizes.steps);
  double **of_parameters[] = {&plan->parameters, &plan->descent.best_parameters, &plan->descent.first_parameters,
                              &plan->evaluated,  &plan->kept.parameters,         &plan->box.low,
                              &plan->box.high};
  _Static_assert(sizeof of_parameters / sizeof *of_parameters == DC_PLAN_PARAMETER_ARRAYS,
                 "the prediction of memory counts as many (plan_memory.c)");
  for (size_t i = 0; i < DC_PLAN_PARAMETER_ARRAYS; i++)
    *of_parameters[i] = dc_arena_alloc(plan->arena, parameters, sizeof(double));
  plan->state = dc_arena_alloc(plan->arena, (size_t)plan->sizes.state, sizeof *plan->state);
  plan->box.group = dc_arena_alloc(plan->arena, parameters, sizeof *plan->box.group);
  bool complete = plan->input && plan->trajectory && (plan->forward || allocate_for_gradients(plan));
  return complete && !dc_arena_failed(plan->arena);
}

// Creates plans for the cases of the task, with as many steps.  Their frames are not kept: they are rolled out again
// where needed.
static enum dc_status create_cases(struct dc_plan *plan, struct dc_error *error)
{
  const struct dc_task *task = plan->task;
  if (task->case_count == 0)
    return DC_OK;
  plan->cases.plans = dc_alloc((size_t)task->case_count, sizeof(struct dc_plan *));
  if (!plan->cases.plans)
    return dc_out_of_memory_for(error, "cases");
  for (int k = 0; k < task->case_count; k++) {
    const struct dc_task_world *other = &task->cases[k];
    plan->cases.plans[k] = plan->forward
                               ? dc_plan_create_forward(other->model, other->task, plan->sizes.steps, false, error)
                               : dc_plan_create(other->model, other->task, plan->sizes.steps, error);
    if (!plan->cases.plans[k])
      return error->status;
    plan->cases.count++;
  }
  return DC_OK;
}

// Rollout, input, cotangent and trajectories for the model; forward plans have no tape.
static struct dc_plan *create(const struct dc_model *model, const struct dc_task *task, int steps, bool forward,
                              bool in_file, struct dc_error *error)
{
  struct dc_plan *plan = dc_alloc(1, sizeof *plan);
  if (!plan) {
    dc_out_of_memory_for(error, "a plan");
    return NULL;
  }
  dc_threads_with_cores();  // a first look at the load of other programs: later looks measure from here
  plan->arena = dc_arena_create();
  plan->model = model;
  plan->task = task;
  plan->forward = forward;
  plan->scaled.stiffness = plan->scaled.far_field = 1;
  plan->scaled.coarseness = 1;
  plan->sizes.steps = steps;
  plan->sizes.pairs = dc_model_pair_count(model);
  plan->sizes.parameters = dc_task_parameter_count(task, model, steps);
  plan->sizes.state = dc_task_state_size(task, model);
  plan->rollout = dc_rollout_create(model, error);
  if (!plan->rollout) {
    dc_plan_destroy(plan);
    return NULL;
  }
  if (!allocate(plan, in_file)) {
    dc_out_of_memory_for(error, "trajectories of %d steps", steps);
    dc_plan_destroy(plan);
    return NULL;
  }
  if (create_cases(plan, error)) {
    dc_plan_destroy(plan);
    return NULL;
  }
  dc_plan_set_window(plan, 0, steps);
  dc_task_start(task, model, plan->state);
  dc_task_initial(task, model, steps, plan->parameters);
  return plan;
}

// Memory for adjoint and optimization as well: a tape of contact, where it is small enough, and two records of
// trajectories, the first and the best.
struct dc_plan *dc_plan_create(const struct dc_model *model, const struct dc_task *task, int steps,
                               struct dc_error *error)
{
  return create(model, task, steps, false, false, error);
}

struct dc_plan *dc_plan_create_forward(const struct dc_model *model, const struct dc_task *task, int steps,
                                       bool in_file, struct dc_error *error)
{
  return create(model, task, steps, true, in_file, error);
}

enum dc_status dc_plan_use_file(struct dc_plan *plan, struct dc_mapped_file *file, struct dc_error *error)
{
  struct dc_trajectory *trajectory = dc_record_create_in(plan->model, plan->sizes.steps, file);
  if (!trajectory) {
    dc_mapped_file_destroy(file);
    return dc_out_of_memory_for(error, "a trajectory of %d steps", plan->sizes.steps);
  }
  trajectory->steps = plan->window.steps;
  dc_trajectory_destroy(plan->trajectory);
  plan->trajectory = trajectory;
  return DC_OK;
}

void dc_plan_destroy(struct dc_plan *plan)
{
  if (!plan)
    return;
  dc_minimization_destroy(plan->descent.running);
  for (int k = 0; k < plan->cases.count; k++)
    dc_plan_destroy(plan->cases.plans[k]);
  free(plan->cases.plans);
  dc_rollout_destroy(plan->rollout);
  dc_rollout_input_destroy(plan->input);
  dc_rollout_cotangent_destroy(plan->cotangent);
  dc_trajectory_destroy(plan->trajectory);
  dc_trajectory_destroy(plan->kept.trajectory);
  dc_trajectory_destroy(plan->descent.first);
  dc_trajectory_destroy(plan->descent.best);
  dc_plan_drop(&plan->estimate.memory);
  dc_plan_drop(&plan->helpers.team);
  dc_residual_rows_release(&plan->descent.rows);
  dc_arena_destroy(plan->arena);
  free(plan);
}

void dc_plan_set_cancel(struct dc_plan *plan, struct dc_stop_request *cancel)
{
  plan->cancel = cancel;
  dc_rollout_set_cancel(plan->rollout, cancel);
  for (int k = 0; k < plan->cases.count; k++)
    dc_plan_set_cancel(plan->cases.plans[k], cancel);
}

// Derivatives of the loss by frames, wrenches [steps + 1][bodies] and forces [steps + 1][nv], and by the input add up
// from zero.
static void clear_cotangent(struct dc_plan *plan)
{
  const struct dc_trajectory_cotangent *frames = &plan->loss_cotangent.frames;
  size_t count = (size_t)plan->window.steps + 1;
  memset(frames->wrenches, 0, count * (size_t)plan->model->bodies.count * sizeof *frames->wrenches);
  memset(frames->forces, 0, count * (size_t)plan->model->bodies.nv * sizeof *frames->forces);
  dc_rollout_cotangent_clear(plan->model, plan->cotangent);
}

// Counts a rollout that has succeeded; one that fails counts nothing.
static void count_work(struct dc_plan *plan)
{
  plan->work.rollouts++;
  plan->work.steps += plan->window.steps;
  for (int t = 0; t < plan->window.steps; t++) {
    plan->work.newton_iterations += plan->trajectory->newton_iterations[t];
    plan->work.evaluations += plan->trajectory->evaluations[t];
  }
}

// Points that an optimizer tries may throw bodies at each other: a step may take DC_MOST_SOLVES times the iterations
// of a well-behaved one before the point is refused.
static enum dc_status roll_out(struct dc_plan *plan, struct dc_error *error)
{
  dc_rollout_set_most_iterations(plan->rollout, DC_MOST_SOLVES * plan->model->definition.solver.max_iterations);
  dc_rollout_set_most_in_all(plan->rollout, plan->descent.most_iterations);
  enum dc_status status = dc_rollout_forward(plan->rollout, plan->input, plan->trajectory, error);
  dc_rollout_set_most_iterations(plan->rollout, 0);
  dc_rollout_set_most_in_all(plan->rollout, 0);
  plan->differentiated = false;
  if (!status)
    count_work(plan);
  return status;
}

// Pulls the loss's cotangent back by the adjoint of plan->trajectory.
static enum dc_status pull_back(struct dc_plan *plan, const double *parameters, double *gradient,
                                struct dc_error *error)
{
  enum dc_status status = dc_rollout_adjoint(plan->rollout, plan->input, plan->trajectory, &plan->loss_cotangent.frames,
                                             plan->cotangent, error);
  plan->differentiated = true;
  if (!status)
    dc_task_pull_back(plan->task, plan->model, &plan->window, plan->state, parameters, plan->cotangent, gradient);
  return status;
}

// Evaluates the plan's own world; gradient by the adjoint, or NULL.
static enum dc_status evaluate_world(struct dc_plan *plan, const double *parameters, double *loss, double *gradient,
                                     struct dc_error *error)
{
  dc_plan_apply(plan, parameters);
  enum dc_status status = roll_out(plan, error);
  if (status)
    return status;
  if (gradient)
    clear_cotangent(plan);
  *loss = dc_plan_loss(plan, gradient ? &plan->loss_cotangent : NULL);
  if (!isfinite(*loss))
    return dc_fail(error, DC_NUMERICAL, "the loss is not finite");
  return gradient ? pull_back(plan, parameters, gradient, error) : DC_OK;
}

// All worlds, with the adjoint of each or, where asked for, an estimate of the gradient of their sum.
static enum dc_status evaluate(struct dc_plan *plan, const double *parameters, double *loss, double *gradient,
                               struct dc_error *error)
{
  bool adjoint = gradient && plan->estimate.settings.type == DC_GRADIENT_ADJOINT;
  enum dc_status status = dc_plan_cases_evaluate(plan, evaluate_world, dc_plan_evaluate, parameters, loss,
                                                 adjoint ? gradient : NULL, error);
  if (!status && gradient && !adjoint)
    status = plan->estimate.function(plan, parameters, *loss, gradient, error);
  if (status || !gradient)
    return status;
  for (int i = 0; i < plan->parameter_count; i++)
    if (!isfinite(gradient[i]))
      return dc_fail(error, DC_NUMERICAL, "the gradient is not finite");
  return DC_OK;
}

// parameters may be plan->evaluated itself, hence memmove.  Time counts also where the evaluation fails; the point is
// remembered only where it succeeds.
enum dc_status dc_plan_evaluate(struct dc_plan *plan, const double *parameters, double *loss, double *gradient,
                                struct dc_error *error)
{
  double start = dc_seconds(), contact = dc_rollout_contact_seconds(plan->rollout);
  enum dc_status status = evaluate(plan, parameters, loss, gradient, error);
  if (!status) {
    if (plan->parameter_count)
      memmove(plan->evaluated, parameters, (size_t)plan->parameter_count * sizeof *parameters);
    plan->succeeded = true;
  }
  plan->work.seconds += dc_seconds() - start;
  plan->work.contact_seconds += dc_rollout_contact_seconds(plan->rollout) - contact;
  return status;
}

// Makes room for one kept rollout, unless its tape would be large, and marks it as empty.
void dc_plan_keep_none(struct dc_plan *plan)
{
  struct dc_plan_kept *kept = &plan->kept;
  double tape = (double)plan->trajectory->pair_count * plan->sizes.steps * (double)sizeof(struct dc_pair_derivatives);
  kept->known = false;
  kept->sample = -1;
  if (!kept->trajectory && !plan->forward && plan->cases.count == 0 && tape <= DC_MOST_KEPT_BYTES)
    kept->trajectory = dc_trajectory_create(plan->model, plan->sizes.steps);
  if (kept->trajectory)
    kept->trajectory->steps = plan->window.steps;
}

// The kept trajectory and the present one change places.
static void swap_kept(struct dc_plan *plan)
{
  struct dc_trajectory *trajectory = plan->trajectory;
  plan->trajectory = plan->kept.trajectory;
  plan->kept.trajectory = trajectory;
}

// Keeps the present rollout if it is the lowest of those offered since dc_plan_keep_none.  Trajectories change
// places, so that nothing is copied.
void dc_plan_keep(struct dc_plan *plan, int sample, double loss)
{
  struct dc_plan_kept *kept = &plan->kept;
  if (!kept->trajectory || (kept->sample >= 0 && !(loss < kept->loss)))
    return;
  swap_kept(plan);
  kept->sample = sample;
  kept->loss = loss;
}

// For points that a worker has rolled out: its trajectory is copied, as the worker goes on to use it.
void dc_plan_keep_of(struct dc_plan *plan, const struct dc_plan *other, const double *parameters)
{
  struct dc_plan_kept *kept = &plan->kept;
  size_t bytes = (size_t)plan->parameter_count * sizeof *parameters;
  dc_plan_keep_none(plan);
  memcpy(kept->parameters, parameters, bytes);
  kept->known = true;
  bool there = other->succeeded && memcmp(other->evaluated, parameters, bytes) == 0;
  if (there && kept->trajectory && dc_trajectory_copy(kept->trajectory, other->trajectory) == DC_OK)
    kept->sample = 0;
}

// Parameters are compared bit by bit, since an optimizer asks for exactly the point whose value it was given.
bool dc_plan_keeps(const struct dc_plan *plan, const double *parameters)
{
  return plan->kept.known &&
         memcmp(parameters, plan->kept.parameters, (size_t)plan->parameter_count * sizeof *parameters) == 0;
}

// Resets warm starts of contact; otherwise they would differ from those of a rollout in the last bits.
enum dc_status dc_plan_return_to_kept(struct dc_plan *plan, struct dc_error *error)
{
  // Without a kept trajectory the rollout is made again; it was counted when it was sampled.
  size_t bytes = (size_t)plan->parameter_count * sizeof *plan->evaluated;
  struct dc_plan_work work = plan->work;
  enum dc_status status = DC_OK;
  double loss;
  if (plan->kept.sample >= 0) {
    swap_kept(plan);
    dc_plan_apply(plan, plan->kept.parameters);
    memcpy(plan->evaluated, plan->kept.parameters, bytes);
    plan->kept.sample = -1;
    plan->succeeded = true;
    plan->differentiated = false;
  } else {
    status = dc_plan_evaluate(plan, plan->kept.parameters, &loss, NULL, error);
    work.seconds = plan->work.seconds;
    plan->work = work;
  }
  dc_contact_reset(dc_rollout_contact(plan->rollout));
  return status;
}

// The input was set by the caller, so that no parameters belong to the trajectory: succeeded is false.
enum dc_status dc_plan_roll_out(struct dc_plan *plan, struct dc_error *error)
{
  double start = dc_seconds(), contact = dc_rollout_contact_seconds(plan->rollout);
  plan->succeeded = false;
  enum dc_status status = roll_out(plan, error);
  plan->work.seconds += dc_seconds() - start;
  plan->work.contact_seconds += dc_rollout_contact_seconds(plan->rollout) - contact;
  return status;
}

// Shortens the window and the parameters to the steps that were done.
static enum dc_status shorten(struct dc_plan *plan, struct dc_error *error)
{
  int whole = plan->window.steps, done = plan->trajectory->steps;
  double *parameters = dc_alloc((size_t)plan->sizes.parameters, sizeof *parameters);
  if (!parameters)
    return dc_out_of_memory_for(error, "parameters");
  memcpy(parameters, plan->parameters, (size_t)plan->parameter_count * sizeof *parameters);
  dc_plan_set_window(plan, plan->window.first, done);
  dc_parameters_resize(plan->task, plan->model, whole, parameters, done, plan->parameters);
  free(parameters);
  return DC_STOPPED;
}

// Rolls out here or in the plant, polling proceed between steps.
static enum dc_status simulate(struct dc_plan *plan, dc_rollout_proceed *proceed, void *context, struct dc_error *error)
{
  if (plan->execution) {
    dc_execution_set_proceed(plan->execution, proceed, context);
    return dc_execution_begin(plan->execution, plan->input, plan->window.steps, plan->trajectory, error);
  }
  dc_rollout_set_proceed(plan->rollout, proceed, context);
  enum dc_status status = dc_rollout_forward(plan->rollout, plan->input, plan->trajectory, error);
  dc_rollout_set_proceed(plan->rollout, NULL, NULL);
  return status;
}

// Rolls out once without derivatives and evaluates the loss; when it is stopped, of the steps that were made.
enum dc_status dc_plan_simulate(struct dc_plan *plan, dc_rollout_proceed *proceed, void *context, double *loss,
                                struct dc_error *error)
{
  double start = dc_seconds(), contact = dc_rollout_contact_seconds(plan->rollout);
  dc_plan_apply(plan, plan->parameters);
  enum dc_status status = simulate(plan, proceed, context, error);
  if (status == DC_STOPPED)
    status = shorten(plan, error);
  if (!status || status == DC_STOPPED) {
    count_work(plan);
    *loss = dc_plan_loss(plan, NULL);
    if (!isfinite(*loss))
      status = dc_fail(error, DC_NUMERICAL, "the loss is not finite");
    memcpy(plan->evaluated, plan->parameters, (size_t)plan->parameter_count * sizeof *plan->evaluated);
    plan->succeeded = true;
  }
  if (!status)
    status = dc_plan_cases_add_losses(plan, dc_plan_evaluate, plan->parameters, loss, error);
  plan->work.seconds += dc_seconds() - start;
  plan->work.contact_seconds += dc_rollout_contact_seconds(plan->rollout) - contact;
  return status;
}

enum dc_status dc_plan_record(struct dc_plan *plan, struct dc_trajectory *record, struct dc_error *error)
{
  return dc_trajectory_copy(record, plan->trajectory)
             ? dc_out_of_memory_for(error, "a trajectory of %d steps", plan->trajectory->steps)
             : DC_OK;
}
