// SPDX-License-Identifier: Apache-2.0
// Minimizes the loss of a plan: first guess, iterations, retreats, checkpoints.
//
// dc_plan_next asks the minimization for an iterate.  Where it cannot continue (its first guess fails, or it is blocked
// by infeasible points), the plan may retreat: a point near the best one that can be rolled out becomes the first guess
// of a new minimization.  First and best trajectories are recorded on the way.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "plan/constants.h"
#include "plan/plan_cases.h"
#include "plan/linearize.h"
#include "plan/worker.h"

enum { RETREAT_DRAWS = 16 };
// Half the width of the first draw, in the parameters' units; draw k has k times it.
static const double RETREAT = 0.02;

// Newton iterations of a point that an optimizer tries.  One that throws bodies at each other, or presses cloth into what
// it lies on, would take longer than all others together.
static long most_iterations(const struct dc_plan *plan)
{
  double most = DC_POINT_WORK * (double)plan->descent.best_iterations + DC_POINT_WORK_STEP * (double)plan->window.steps +
                DC_POINT_WORK_SOLVES * (double)plan->model->definition.solver.max_iterations;
  return plan->descent.running && dc_minimization_begun(plan->descent.running) && most < INT_MAX ? (long)most : 0;
}

// The optimizer sees numbers only: it evaluates through its context, which is the plan.
static enum dc_status evaluate_problem(void *context, const double *x, double *value, double *gradient,
                                       struct dc_error *error)
{
  struct dc_plan *plan = context;
  plan->descent.most_iterations = most_iterations(plan);
  enum dc_status status = dc_plan_evaluate(plan, x, value, gradient, error);
  plan->descent.most_iterations = 0;
  return status;
}

// Values of many points at once, which threads and ranks share.  Points behind the first whose value is at most
// `enough` are given up.
static enum dc_status values_of_problem(void *context, int *count, const double *xs, double enough, double *values,
                                        enum dc_status *statuses, struct dc_error *error)
{
  struct dc_plan *plan = context;
  plan->descent.most_iterations = most_iterations(plan);
  enum dc_status status = dc_plan_values_until(plan, count, xs, enough, values, statuses, error);
  plan->descent.most_iterations = 0;
  return status;
}

// Records what belongs to the iterate; *best: whether it is the best of the plan, over all minimizations that
// retreats have started.  Where it is the best, the plan's trajectory is its own.
static enum dc_status keep(struct dc_plan *plan, const struct dc_iterate *iterate, bool *best, struct dc_error *error)
{
  size_t bytes = (size_t)plan->parameter_count * sizeof *iterate->x;
  enum dc_status status = DC_OK;
  bool first = plan->descent.earlier + iterate->iteration == 0;
  *best = first || (iterate->best && (!plan->descent.earlier || iterate->value < plan->descent.best_loss));
  if (first) {
    status = dc_plan_record(plan, plan->descent.first, error);
    memcpy(plan->descent.first_parameters, iterate->x, bytes);
  }
  if (*best && !status) {
    status = dc_plan_record(plan, plan->descent.best, error);
    memcpy(plan->descent.best_parameters, iterate->x, bytes);
    plan->descent.best_loss = iterate->value;
    plan->descent.best_iterations = 0;
    for (int t = 0; t < plan->window.steps; t++)
      plan->descent.best_iterations += plan->trajectory->newton_iterations[t];
  }
  return status;
}

// Creates a minimization at plan->parameters.
static enum dc_status create_minimization(struct dc_plan *plan, struct dc_error *error)
{
  struct dc_minimization *minimization = dc_minimization_create(
      plan->descent.optimizer, plan->descent.optimizer_options, &plan->descent.problem, plan->parameters);
  if (!minimization)
    return dc_out_of_memory_for(error, "an optimizer");
  dc_plan_end(plan);
  plan->descent.running = minimization;
  return DC_OK;
}

// Begins a minimization from parameters: the plan becomes the optimizer's problem, with groups of parameters that are
// scaled together, bounds if a control or design entry has any, and residual rows if the objectives have them.
enum dc_status dc_plan_begin(struct dc_plan *plan, const struct dc_optimizer_type *optimizer, const void *options,
                             const double *parameters, struct dc_error *error)
{
  dc_plan_end(plan);
  memmove(plan->parameters, parameters, (size_t)plan->parameter_count * sizeof *parameters);
  plan->descent.problem = (struct dc_problem){.dimension = plan->parameter_count,
                                              .context = plan,
                                              .evaluate = evaluate_problem,
                                              .values = values_of_problem,
                                              .group = plan->box.group,
                                              .seed = (uint64_t)plan->window.first};
  plan->descent.problem.row_count = dc_plan_row_count(plan);
  if (plan->descent.problem.row_count > 0)
    plan->descent.problem.linearize = dc_plan_linearize_problem;
  plan->descent.problem.drawn = plan->estimate.settings.type == DC_GRADIENT_BUNDLE;
  plan->descent.problem.group_count = dc_task_groups(plan->task, plan->model, plan->window.steps, plan->box.group);
  if (dc_task_bounds(plan->task, plan->model, plan->window.steps, plan->box.low, plan->box.high)) {
    plan->descent.problem.low = plan->box.low;
    plan->descent.problem.high = plan->box.high;
  }
  plan->descent.optimizer = optimizer;
  plan->descent.optimizer_options = options;
  plan->guess.found = false;
  plan->succeeded = plan->kept.known = false;
  plan->descent.earlier = plan->descent.retreats = 0;
  return create_minimization(plan, error);
}

// Retreats from a path that ran into overlapping bodies or a failing step: sets plan->parameters to a point near the
// best one that can be rolled out.  Draws depend only on the retreat and their number.
static enum dc_status draw_retreat(struct dc_plan *plan, const double *best, struct dc_error *error)
{
  struct dc_random random;
  double loss;
  enum dc_status status = DC_INFEASIBLE;
  double *point = dc_alloc((size_t)plan->parameter_count, sizeof *point);
  if (!point)
    return dc_out_of_memory_for(error, "parameters");
  for (int draw = 0; draw < RETREAT_DRAWS && dc_point_has_no_value(status); draw++) {
    dc_random_seed(&random, (uint64_t)(plan->descent.retreats * RETREAT_DRAWS + draw));
    for (int i = 0; i < plan->parameter_count; i++)
      point[i] = best[i] + RETREAT * (1 + draw) * (2 * dc_random_uniform(&random) - 1);
    status = dc_plan_evaluate(plan, point, &loss, NULL, error);
  }
  if (!status)
    memcpy(plan->parameters, point, (size_t)plan->parameter_count * sizeof *point);
  free(point);
  return status;
}

// Whether the minimization cannot continue (it may be done, or status says why) and may be restarted.
static bool may_retreat(const struct dc_plan *plan, enum dc_status status, bool done)
{
  const struct dc_optimizer_common *common = plan->descent.optimizer_options;
  const struct dc_optimizer_result *result = dc_minimization_result(plan->descent.running);
  bool stuck = done ? result->end == DC_END_BLOCKED : status == DC_NUMERICAL;
  return stuck && dc_minimization_begun(plan->descent.running) &&
         plan->descent.retreats < plan->descent.most_retreats &&
         plan->descent.earlier + result->iterations + 1 < common->iterations;
}

// Draws a point and begins anew there; iterations go on counting from those of the minimizations before.
static enum dc_status retreat(struct dc_plan *plan, struct dc_error *error)
{
  struct dc_error local = {0};
  plan->descent.retreats++;
  enum dc_status status = draw_retreat(plan, dc_minimization_best(plan->descent.running), &local);
  if (status)
    return dc_fail(error, status, "%s", local.text);
  plan->descent.earlier += dc_minimization_result(plan->descent.running)->iterations + 1;
  return create_minimization(plan, error);
}

// Looks for a first guess, if the minimization has not evaluated its own yet.
static enum dc_status find_first_guess(struct dc_plan *plan, struct dc_error *error)
{
  bool wanted = plan->guess.settings.type == DC_FIRST_GUESS_SAMPLED &&
                (plan->guess.settings.every_window || plan->window.first == 0);
  if (!wanted || plan->guess.found || dc_minimization_begun(plan->descent.running))
    return DC_OK;
  enum dc_status status = dc_first_guess_find(plan, plan->parameters, error);
  if (status)
    return status;
  plan->guess.found = true;
  return create_minimization(plan, error);
}

// Computes an iterate, with retreats where needed; *done: there is none.
static enum dc_status next(struct dc_plan *plan, struct dc_iterate *iterate, bool *done, struct dc_error *error)
{
  const struct dc_optimizer_common *common = plan->descent.optimizer_options;
  for (;;) {
    *done = plan->descent.earlier > 0 &&
            plan->descent.earlier + dc_minimization_result(plan->descent.running)->iterations >= common->iterations;
    if (*done)
      return DC_OK;
    enum dc_status status = dc_minimization_next(plan->descent.running, iterate, done, error);
    if (!may_retreat(plan, status, *done))
      return status;
    struct dc_error local = {0};
    enum dc_status retreated = retreat(plan, &local);
    if (dc_point_has_no_value(retreated))
      return status;
    if (retreated)
      return dc_fail(error, retreated, "%s", local.text);
  }
}

// After a stop the minimization has undone its iteration: its work is not counted, since it will be repeated.
static enum dc_status take_back(struct dc_plan *plan, const struct dc_plan_work *before, struct dc_error *error)
{
  dc_plan_uncount_work(plan, before);
  plan->succeeded = false;
  return dc_fail(error, DC_STOPPED, "stopped after %d iterations", dc_plan_iterations(plan));
}

// One iteration: before the first one a guess is found; an iteration that is stopped in its middle is taken back, so
// that a checkpoint holds whole iterations only.
enum dc_status dc_plan_next(struct dc_plan *plan, struct dc_plan_iteration *iteration, bool *done,
                            struct dc_error *error)
{
  struct dc_iterate iterate;
  bool best = false;
  *done = false;
  enum dc_status status = find_first_guess(plan, error);
  const struct dc_plan_work before = plan->work;
  plan->descent.newton_before = before.newton_iterations;
  if (dc_minimization_begun(plan->descent.running))
    plan->kept.known = false;  // from an iteration before, which a resumed run does not have
  if (!status)
    status = next(plan, &iterate, done, error);
  if (status == DC_STOPPED)
    return take_back(plan, &before, error);
  if (status || *done)
    return status;
  status = keep(plan, &iterate, &best, error);
  *iteration = (struct dc_plan_iteration){
      .iteration = plan->descent.earlier + iterate.iteration,
      .loss = iterate.value,
      .gradient_norm = iterate.gradient_norm,
      .min_gap = dc_plan_gap(plan),
      .newton_iterations = plan->work.newton_iterations - plan->descent.newton_before,
      .best = best,
      .backed_off = iterate.backed_off,
      .parameter_count = plan->parameter_count,
      .parameters = iterate.x,
  };
  iteration->term_count = dc_plan_list_terms(plan, iteration->terms);
  return status;
}

// The loop of a minimization: iterate, observe, until there is nothing left or the observer has seen enough.
enum dc_status dc_plan_continue(struct dc_plan *plan, dc_plan_observer *observer, void *observer_context,
                                struct dc_error *error)
{
  for (;;) {
    struct dc_plan_iteration iteration;
    bool done;
    enum dc_status status = dc_plan_next(plan, &iteration, &done, error);
    if (status || done)
      return status;
    if (observer && !observer(observer_context, &iteration))
      return dc_fail(error, DC_STOPPED, "stopped after %d iterations", iteration.iteration);
  }
}

int dc_plan_iterations(const struct dc_plan *plan)
{
  return plan->descent.running ? plan->descent.earlier + dc_minimization_result(plan->descent.running)->iterations : 0;
}

enum { WORK_COUNTS = 4, WORK_TIMES = 2, SAMPLING_COUNTS = 5, RETREAT_COUNTS = 3 };
static const long MOST_COUNTED = LONG_MAX / 4;  // so that counting on does not overflow

// A name behind a prefix.
// Names in a snapshot; the longest prefix is that of a member of a search.
struct name {
  char text[64];
};
static struct name named(const char *prefix, const char *name)
{
  struct name made;
  snprintf(made.text, sizeof made.text, "%s%s", prefix, name);
  return made;
}

enum dc_status dc_plan_save(const struct dc_plan *plan, struct dc_snapshot *snapshot)
{
  return dc_plan_save_as(plan, "", snapshot);
}

enum dc_status dc_plan_load(struct dc_plan *plan, const struct dc_snapshot *snapshot, struct dc_error *error)
{
  return dc_plan_load_as(plan, "", snapshot, error);
}

// Saves counts, times, first and best parameters and the optimizer's own state under names with a prefix.
enum dc_status dc_plan_save_as(const struct dc_plan *plan, const char *prefix, struct dc_snapshot *snapshot)
{
  const struct dc_plan_work *work = &plan->work;
  size_t parameters = (size_t)plan->parameter_count;
  long counts[WORK_COUNTS] = {work->rollouts, work->steps, work->newton_iterations, work->evaluations};
  double times[WORK_TIMES] = {work->seconds, work->contact_seconds};
  const struct dc_gradient_counts *gradient = &plan->estimate.counts;
  long sampling[SAMPLING_COUNTS] = {gradient->estimates, gradient->one_sided, gradient->dropped,
                                    plan->guess.counts.draws, plan->guess.counts.vanished};
  enum dc_status status = dc_snapshot_put_integers(snapshot, named(prefix, "plan/work").text, WORK_COUNTS, counts);
  if (!status)
    status = dc_snapshot_put_reals(snapshot, named(prefix, "plan/seconds").text, WORK_TIMES, times);
  if (!status)
    status = dc_snapshot_put_integers(snapshot, named(prefix, "plan/sampling").text, SAMPLING_COUNTS, sampling);
  if (status || !plan->descent.running)
    return status;
  const long retreats[RETREAT_COUNTS] = {plan->descent.earlier, plan->descent.retreats,
                                         plan->descent.best_iterations};
  status = dc_snapshot_put_integers(snapshot, named(prefix, "plan/retreats").text, RETREAT_COUNTS, retreats);
  if (status)
    return status;
  status =
      dc_snapshot_put_reals(snapshot, named(prefix, "plan/first").text, parameters, plan->descent.first_parameters);
  if (!status)
    status =
        dc_snapshot_put_reals(snapshot, named(prefix, "plan/best").text, parameters, plan->descent.best_parameters);
  return status ? status : dc_minimization_save(plan->descent.running, named(prefix, "optimizer").text, snapshot);
}

// Rolls out again a trajectory that was recorded.
static enum dc_status restore(struct dc_plan *plan, const double *parameters, struct dc_trajectory *record,
                              double *loss, struct dc_error *error)
{
  enum dc_status status = dc_plan_evaluate(plan, parameters, loss, NULL, error);
  if (status == DC_MEMORY)
    return status;
  if (status)
    return dc_fail(error, DC_CHECKPOINT, "a trajectory of the checkpoint cannot be rolled out again");
  return record ? dc_plan_record(plan, record, error) : DC_OK;
}

// The part of a checkpoint that belongs to the optimizer.
static enum dc_status load_minimization(struct dc_plan *plan, const char *prefix, const struct dc_snapshot *snapshot,
                                        struct dc_error *error)
{
  size_t parameters = (size_t)plan->parameter_count;
  long retreats[RETREAT_COUNTS];
  enum dc_status status = dc_snapshot_get_counts(snapshot, named(prefix, "plan/retreats").text, RETREAT_COUNTS,
                                                 INT_MAX / 2, retreats, error);
  if (!status)
    status = dc_snapshot_get_reals(snapshot, named(prefix, "plan/first").text, parameters,
                                   plan->descent.first_parameters, error);
  if (!status)
    status = dc_snapshot_get_reals(snapshot, named(prefix, "plan/best").text, parameters, plan->descent.best_parameters,
                                   error);
  if (!status)
    status = dc_minimization_load(plan->descent.running, named(prefix, "optimizer").text, snapshot, error);
  if (!status) {
    plan->descent.earlier = (int)retreats[0];
    plan->descent.retreats = (int)retreats[1];
    plan->descent.best_iterations = retreats[2];
  }
  return status;
}

// Restores the trajectories that belong to the loaded numbers: the first, the best, and the present iterate.
static enum dc_status restore_all(struct dc_plan *plan, struct dc_error *error)
{
  enum dc_status status = DC_OK;
  double loss;
  bool begun = dc_minimization_begun(plan->descent.running);
  // The present iterate comes last, so that plan->trajectory is as it was.
  if (begun || plan->descent.earlier) {
    status = restore(plan, plan->descent.first_parameters, plan->descent.first, &loss, error);
    if (!status)
      status = restore(plan, plan->descent.best_parameters, plan->descent.best, &plan->descent.best_loss, error);
  }
  return status || !begun ? status : restore(plan, dc_minimization_current(plan->descent.running), NULL, &loss, error);
}

// The whole of a checkpoint; trajectories are rolled out again from the parameters.
static enum dc_status load(struct dc_plan *plan, const char *prefix, const struct dc_snapshot *snapshot,
                           bool trajectories, struct dc_error *error)
{
  long counts[WORK_COUNTS], sampling[SAMPLING_COUNTS];
  double times[WORK_TIMES];
  enum dc_status status =
      dc_snapshot_get_counts(snapshot, named(prefix, "plan/work").text, WORK_COUNTS, MOST_COUNTED, counts, error);
  if (!status)
    status = dc_snapshot_get_reals(snapshot, named(prefix, "plan/seconds").text, WORK_TIMES, times, error);
  if (!status)
    status = dc_snapshot_get_counts(snapshot, named(prefix, "plan/sampling").text, SAMPLING_COUNTS, MOST_COUNTED,
                                    sampling, error);
  if (!status && plan->descent.running)
    status = load_minimization(plan, prefix, snapshot, error);
  if (!status && plan->descent.running && trajectories)
    status = restore_all(plan, error);
  if (status)
    return status;
  plan->estimate.counts = (struct dc_gradient_counts){sampling[0], sampling[1], sampling[2]};
  plan->guess.counts = (struct dc_first_guess_counts){sampling[3], sampling[4]};
  plan->work = (struct dc_plan_work){.rollouts = counts[0],
                                     .steps = counts[1],
                                     .newton_iterations = counts[2],
                                     .evaluations = counts[3],
                                     .seconds = times[0],
                                     .contact_seconds = times[1]};
  return DC_OK;
}

enum dc_status dc_plan_load_as(struct dc_plan *plan, const char *prefix, const struct dc_snapshot *snapshot,
                               struct dc_error *error)
{
  return load(plan, prefix, snapshot, true, error);
}

enum dc_status dc_plan_load_numbers_as(struct dc_plan *plan, const char *prefix, const struct dc_snapshot *snapshot,
                                       struct dc_error *error)
{
  return load(plan, prefix, snapshot, false, error);
}
