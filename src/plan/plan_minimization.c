// SPDX-License-Identifier: Apache-2.0
// Minimizing the loss of a plan: first guess, continuation in the stiffness of the contact, iterations, checkpoints.
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "plan/linearize.h"
#include "plan/worker.h"

const struct dc_option dc_continuation_options[] = {
    {.name = "stiffness",
     .type = DC_REAL,
     .unit = "",
     .fallback = "3",
     .minimum = 0,
     .maximum = 1e6,
     .minimum_excluded = true,
     .help = "factor on the contact stiffness with which the optimization begins",
     .offset = offsetof(struct dc_continuation, stiffness)},
    {.name = "iterations",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "15",
     .minimum = 1,
     .maximum = 1e9,
     .help = "most iterations with it, before the optimization goes on with the scene's own",
     .offset = offsetof(struct dc_continuation, iterations)},
    DC_OPTIONS_END,
};

static enum dc_status evaluate_problem(void *context, const double *x, double *value, double *gradient,
                                       struct dc_error *error)
{
  return dc_plan_evaluate(context, x, value, gradient, error);
}

static enum dc_status values_of_problem(void *context, int count, const double *xs, double *values,
                                        enum dc_status *statuses, struct dc_error *error)
{
  return dc_plan_values(context, count, xs, values, statuses, error);
}

// Keeps what belongs to the iterate.
static enum dc_status keep(struct dc_plan *plan, const struct dc_iterate *iterate, struct dc_error *error)
{
  size_t bytes = (size_t)plan->parameter_count * sizeof *iterate->x;
  enum dc_status status = DC_OK;
  if (iterate->iteration == 0) {
    status = dc_plan_record(plan, plan->first, error);
    memcpy(plan->first_parameters, iterate->x, bytes);
  }
  if (iterate->best && !status) {
    status = dc_plan_record(plan, plan->best, error);
    memcpy(plan->best_parameters, iterate->x, bytes);
  }
  return status;
}

// At plan->parameters.
static enum dc_status create_minimization(struct dc_plan *plan, struct dc_error *error)
{
  struct dc_minimization *minimization =
      dc_minimization_create(plan->optimizer, plan->optimizer_options, &plan->problem, plan->parameters);
  if (!minimization)
    return dc_fail(error, DC_MEMORY, "out of memory for an optimizer");
  dc_plan_end(plan);
  plan->minimization = minimization;
  return DC_OK;
}

enum dc_status dc_plan_begin(struct dc_plan *plan, const struct dc_optimizer_type *optimizer, const void *options,
                             const double *parameters, struct dc_error *error)
{
  dc_plan_end(plan);
  memmove(plan->parameters, parameters, (size_t)plan->parameter_count * sizeof *parameters);
  plan->problem = (struct dc_problem){.dimension = plan->parameter_count,
                                      .context = plan,
                                      .evaluate = evaluate_problem,
                                      .values = values_of_problem,
                                      .group = plan->group,
                                      .seed = (uint64_t)plan->window.first};
  plan->problem.row_count = dc_plan_row_count(plan);
  if (plan->problem.row_count > 0)
    plan->problem.linearize = dc_plan_linearize_problem;
  plan->problem.drawn = plan->gradient.type == DC_GRADIENT_BUNDLE;
  plan->problem.group_count = dc_task_groups(plan->task, plan->model, plan->window.steps, plan->group);
  if (dc_task_bounds(plan->task, plan->model, plan->window.steps, plan->low, plan->high)) {
    plan->problem.low = plan->low;
    plan->problem.high = plan->high;
  }
  plan->optimizer = optimizer;
  plan->optimizer_options = options;
  plan->first_guess_found = false;
  plan->stiffened = plan->continuation.iterations > 0;
  plan->succeeded = false;
  plan->earlier = 0;
  return create_minimization(plan, error);
}

// Whether the first part of a continuation has had its iterations.
static bool stiffened_enough(const struct dc_plan *plan)
{
  return plan->stiffened && dc_minimization_begun(plan->minimization) &&
         dc_minimization_result(plan->minimization)->iterations >= plan->continuation.iterations;
}

// Begins anew with the model's own stiffness, where the first part of a continuation was best.
static enum dc_status hand_over(struct dc_plan *plan, struct dc_error *error)
{
  memcpy(plan->parameters, dc_minimization_best(plan->minimization),
         (size_t)plan->parameter_count * sizeof *plan->parameters);
  plan->earlier = dc_minimization_result(plan->minimization)->iterations + 1;
  plan->stiffened = plan->succeeded = false;
  return create_minimization(plan, error);
}

// Of a minimization that has not evaluated its first guess yet.
static enum dc_status find_first_guess(struct dc_plan *plan, struct dc_error *error)
{
  bool wanted =
      plan->first_guess.type == DC_FIRST_GUESS_SAMPLED && (plan->first_guess.every_window || plan->window.first == 0);
  if (!wanted || plan->first_guess_found || dc_minimization_begun(plan->minimization))
    return DC_OK;
  enum dc_status status = dc_first_guess_find(plan, plan->parameters, error);
  if (status)
    return status;
  plan->first_guess_found = true;
  return create_minimization(plan, error);
}

enum dc_status dc_plan_continue(struct dc_plan *plan, dc_plan_observer *observer, void *observer_context,
                                struct dc_error *error)
{
  enum dc_status status = find_first_guess(plan, error);
  if (status)
    return status;
  for (;;) {
    struct dc_iterate iterate;
    bool done = stiffened_enough(plan);
    plan->newton_before = plan->work.newton_iterations;
    if (!done)
      status = dc_minimization_next(plan->minimization, &iterate, &done, error);
    if (!status && done && plan->stiffened) {
      status = hand_over(plan, error);
      if (!status)
        continue;
    }
    if (status || done)
      return status;
    status = keep(plan, &iterate, error);
    if (status)
      return status;
    struct dc_plan_iteration iteration = {
        .iteration = plan->earlier + iterate.iteration,
        .anew = plan->earlier > 0 && iterate.iteration == 0,
        .loss = iterate.value,
        .gradient_norm = iterate.gradient_norm,
        .min_gap = dc_trajectory_gap(plan->trajectory, 0, plan->window.steps),
        .newton_iterations = plan->work.newton_iterations - plan->newton_before,
        .best = iterate.best,
        .backed_off = iterate.backed_off,
        .parameter_count = plan->parameter_count,
        .parameters = iterate.x,
    };
    if (observer && !observer(observer_context, &iteration))
      return dc_fail(error, DC_STOPPED, "stopped after %d iterations", iterate.iteration);
  }
}

enum { WORK_COUNTS = 4, WORK_TIMES = 2, SAMPLING_COUNTS = 5, STAGE_COUNTS = 2 };
static const long MOST_COUNTED = LONG_MAX / 4;  // going on with them does not overflow

enum dc_status dc_plan_save(const struct dc_plan *plan, struct dc_snapshot *snapshot)
{
  const struct dc_plan_work *work = &plan->work;
  size_t parameters = (size_t)plan->parameter_count;
  long counts[WORK_COUNTS] = {work->rollouts, work->steps, work->newton_iterations, work->evaluations};
  double times[WORK_TIMES] = {work->seconds, work->contact_seconds};
  const struct dc_gradient_counts *gradient = &plan->gradient_counts;
  long sampling[SAMPLING_COUNTS] = {gradient->estimates, gradient->one_sided, gradient->dropped,
                                    plan->first_guess_counts.draws, plan->first_guess_counts.vanished};
  enum dc_status status = dc_snapshot_put_integers(snapshot, "plan/work", WORK_COUNTS, counts);
  if (!status)
    status = dc_snapshot_put_reals(snapshot, "plan/seconds", WORK_TIMES, times);
  if (!status)
    status = dc_snapshot_put_integers(snapshot, "plan/sampling", SAMPLING_COUNTS, sampling);
  if (status || !plan->minimization)
    return status;
  if (plan->continuation.iterations > 0) {
    const long stage[STAGE_COUNTS] = {plan->stiffened, plan->earlier};
    status = dc_snapshot_put_integers(snapshot, "plan/continuation", STAGE_COUNTS, stage);
    if (status)
      return status;
  }
  status = dc_snapshot_put_reals(snapshot, "plan/first", parameters, plan->first_parameters);
  if (!status)
    status = dc_snapshot_put_reals(snapshot, "plan/best", parameters, plan->best_parameters);
  return status ? status : dc_minimization_save(plan->minimization, "optimizer", snapshot);
}

// Rolls out again what a record held.
static enum dc_status restore(struct dc_plan *plan, const double *parameters, struct dc_trajectory *record,
                              struct dc_error *error)
{
  double loss;
  enum dc_status status = dc_plan_evaluate(plan, parameters, &loss, NULL, error);
  if (status == DC_MEMORY)
    return status;
  if (status)
    return dc_fail(error, DC_CHECKPOINT, "a trajectory of the checkpoint cannot be rolled out again");
  return record ? dc_plan_record(plan, record, error) : DC_OK;
}

static enum dc_status load_continuation(struct dc_plan *plan, const struct dc_snapshot *snapshot,
                                        struct dc_error *error)
{
  long stage[STAGE_COUNTS];
  if (plan->continuation.iterations == 0)
    return DC_OK;
  enum dc_status status =
      dc_snapshot_get_counts(snapshot, "plan/continuation", STAGE_COUNTS, INT_MAX / 2, stage, error);
  if (status)
    return status;
  plan->stiffened = stage[0] != 0;
  plan->succeeded = false;
  plan->earlier = (int)stage[1];
  return DC_OK;
}

static enum dc_status load_minimization(struct dc_plan *plan, const struct dc_snapshot *snapshot,
                                        struct dc_error *error)
{
  size_t parameters = (size_t)plan->parameter_count;
  enum dc_status status = load_continuation(plan, snapshot, error);
  if (!status)
    status = dc_snapshot_get_reals(snapshot, "plan/first", parameters, plan->first_parameters, error);
  if (!status)
    status = dc_snapshot_get_reals(snapshot, "plan/best", parameters, plan->best_parameters, error);
  if (!status)
    status = dc_minimization_load(plan->minimization, "optimizer", snapshot, error);
  if (status || !dc_minimization_begun(plan->minimization))
    return status;
  // The last one is the present iterate, so that plan->trajectory is what it was.
  status = restore(plan, plan->first_parameters, plan->first, error);
  if (!status)
    status = restore(plan, plan->best_parameters, plan->best, error);
  return status ? status : restore(plan, dc_minimization_current(plan->minimization), NULL, error);
}

enum dc_status dc_plan_load(struct dc_plan *plan, const struct dc_snapshot *snapshot, struct dc_error *error)
{
  long counts[WORK_COUNTS], sampling[SAMPLING_COUNTS];
  double times[WORK_TIMES];
  enum dc_status status = dc_snapshot_get_counts(snapshot, "plan/work", WORK_COUNTS, MOST_COUNTED, counts, error);
  if (!status)
    status = dc_snapshot_get_reals(snapshot, "plan/seconds", WORK_TIMES, times, error);
  if (!status)
    status = dc_snapshot_get_counts(snapshot, "plan/sampling", SAMPLING_COUNTS, MOST_COUNTED, sampling, error);
  if (!status && plan->minimization)
    status = load_minimization(plan, snapshot, error);
  if (status)
    return status;
  plan->gradient_counts = (struct dc_gradient_counts){sampling[0], sampling[1], sampling[2]};
  plan->first_guess_counts = (struct dc_first_guess_counts){sampling[3], sampling[4]};
  plan->work = (struct dc_plan_work){.rollouts = counts[0],
                                     .steps = counts[1],
                                     .newton_iterations = counts[2],
                                     .evaluations = counts[3],
                                     .seconds = times[0],
                                     .contact_seconds = times[1]};
  return DC_OK;
}
