// SPDX-License-Identifier: Apache-2.0
// dcsim_problem: a scene's loss as a function of its parameters, in the caller's process, for optimizers that are not
// ours.
//
// A problem is a plan (plan/trajectory_plan.h) of the whole run with an objective of the caller's beside those of the
// scene.  Loss and gradient are dc_plan_evaluate; rows of residuals r(x), of which the loss is a weighted sum of
// squared distances, their Jacobian J and the products J v, J^T w are plan/linearize.h.  Nothing is written and nothing
// is printed.  Arrays that are handed out belong to the problem and hold until its next call.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/arrays.h"
#include "api/poll.h"
#include "plan/linearize.h"

// The caller's objective; options of an objective of the task.
struct callback {
  dcsim_objective_function *function;
  void *context;
  int *answer;  // what the function returned when it ended an evaluation
};

struct dcsim_problem {
  const struct dc_scene *scene;
  struct dc_task task;              // the scene's, with the caller's objective among its objectives
  struct dc_objective *objectives;  // memory of these
  struct callback callback;
  int answer;
  struct dc_plan *plan;
  double *gradient;                           // [dimension] workspace
  struct dc_residual_rows rows;               // of the last linearization
  double *residual, *weight, *radius, *half;  // [rows.row_count], in one piece of memory that begins with residual
  int *group;                                 // [rows.row_count]
  struct dc_api_arrays arrays;
  struct dc_api_poll poll;
};

// Calls the function of the caller with the trajectory; wrenches and forces, its cotangents, are NULL where no
// gradient is wanted.  An answer other than 0 ends the evaluation: the loss becomes NAN, and the answer is kept
// for the message.  Worlds may be evaluated by several threads, which all write there.
static double evaluate_objective(const void *options, const struct dc_model *model,
                                 const struct dc_rollout_input *input, const struct dc_trajectory *trajectory,
                                 struct dc_loss_cotangent *cotangent)
{
  const struct callback *callback = options;
  const dcsim_trajectory view = dc_api_view(trajectory);
  double value = 0;
  (void)model, (void)input;
  int answer = callback->function(callback->context, &view, &value, cotangent ? cotangent->frames.wrenches[0] : NULL,
                                  cotangent ? cotangent->frames.forces : NULL);
  if (!answer)
    return value;
#pragma omp atomic write
  *callback->answer = answer;
  return NAN;
}

static const struct dc_objective_type callers_objective = {
    .name = "function", .summary = "the caller's objective", .evaluate = evaluate_objective};

// The objectives of the scene, unless the caller wants its own alone, and the caller's function as one more.
static enum dc_status collect_objectives(dcsim_problem *problem, const dcsim_problem_options *options,
                                         struct dc_error *error)
{
  const struct dc_task *task = &problem->scene->task;
  size_t kept = options->only_objective ? 0 : (size_t)task->objective_count, count = kept;
  problem->task = *task;
  problem->callback = (struct callback){options->objective, options->objective_context, &problem->answer};
  problem->objectives = dc_alloc(kept + 1, sizeof *problem->objectives);
  if (!problem->objectives)
    return dc_out_of_memory_for(error, "objectives");
  if (kept)
    memcpy(problem->objectives, task->objectives, kept * sizeof *task->objectives);
  problem->objectives[kept] = (struct dc_objective){.type = &callers_objective, .options = &problem->callback};
  count += options->objective != NULL;
  problem->task.objectives = problem->objectives;
  problem->task.objective_count = (int)count;
  return DC_OK;
}

// Makes the plan of a problem.  What can be refused is refused first: a refinement, steps beyond the scene's,
// gradients that the contact model does not have, and memory.
static enum dc_status create(dcsim_problem *problem, const dcsim_problem_options *options, struct dc_error *error)
{
  const struct dc_scene *scene = problem->scene;
  int all = (int)scene->definition.time.steps, steps = options->steps ? options->steps : all;
  if (scene->refinement.given)
    return dc_fail(error, DC_BAD_INPUT, "%.300s: a refinement has no time to roll out", scene->path);
  if (steps < 0 || steps > all)
    return dc_fail(error, DC_USAGE, "a problem of %d steps: the scene has %d", steps, all);
  enum dc_status status = dc_gradient_check_model(&scene->gradient, scene->definition.contact_model, error);
  if (!status)
    status = dc_api_check_memory(scene, dc_api_problem_bytes(scene, steps), error);
  if (!status)
    status = collect_objectives(problem, options, error);
  if (status)
    return status;
  problem->plan = dc_plan_create(&scene->model, &problem->task, steps, error);
  if (!problem->plan)
    return error->status;
  dc_plan_set_gradient(problem->plan, &scene->gradient);
  dc_api_poll_begin(&problem->poll);
  dc_plan_set_cancel(problem->plan, &problem->poll.request);
  problem->gradient = dc_alloc((size_t)problem->plan->parameter_count, sizeof *problem->gradient);
  return problem->gradient ? DC_OK : dc_out_of_memory_for(error, "a gradient");
}

// DCSIM_USAGE: a pointer is missing or steps exceed the scene's; DCSIM_BAD_INPUT: a refinement, or a contact model
// without the gradient that the scene asks for; DCSIM_MEMORY: more than the limit.  On failure *problem is NULL.  The
// scene must stay open as long as the problem.
int dcsim_problem_create(const dcsim_scene *scene, const dcsim_problem_options *options, dcsim_problem **problem,
                         dcsim_error *error)
{
  if (dc_api_need(scene, "scene", error))
    return DCSIM_USAGE;
  if (dc_api_need(problem, "problem", error))
    return DCSIM_USAGE;
  struct dc_error local = {0};
  dcsim_problem_options own = {0};
  *problem = NULL;
  dcsim_problem *made = dc_alloc(1, sizeof *made);
  enum dc_status status =
      made ? dc_api_read_sized(&own, sizeof own, options, &local) : dc_out_of_memory_for(&local, "a problem");
  if (!status) {
    made->scene = scene->scene;
    status = create(made, &own, &local);
  }
  if (status) {
    dcsim_problem_destroy(made);
    return dc_api_fail(error, &local, status);
  }
  *problem = made;
  return DCSIM_OK;
}

// Views that were handed out end here: their arrays belong to the problem.
void dcsim_problem_destroy(dcsim_problem *problem)
{
  if (!problem)
    return;
  dc_plan_destroy(problem->plan);
  free(problem->objectives);
  free(problem->gradient);
  dc_residual_rows_release(&problem->rows);
  free(problem->residual);
  free(problem->group);
  dc_api_arrays_free(&problem->arrays);
  free(problem);
}

// The function is asked about twenty times a second within calls that evaluate; a number other than 0 ends the call
// with DCSIM_STOPPED.
void dcsim_problem_set_poll(dcsim_problem *problem, dcsim_poll_function *poll, void *context)
{
  if (!problem)
    return;
  problem->poll.function = poll;
  problem->poll.context = context;
}

// The number of parameters, controls first and the design behind them.
int dcsim_problem_dimension(const dcsim_problem *problem)
{
  return problem ? problem->plan->parameter_count : 0;
}

// Writes the scene's own first guess into x [dimension].
void dcsim_problem_initial(const dcsim_problem *problem, double *x)
{
  if (problem && x)
    dc_task_initial(&problem->task, problem->plan->model, problem->plan->window.steps, x);
}

// Writes lower and upper bounds [dimension] of the parameters; infinite where there is none.  low or high may
// be NULL.
void dcsim_problem_bounds(const dcsim_problem *problem, double *low, double *high)
{
  if (!problem)
    return;
  const struct dc_plan *plan = problem->plan;
  dc_task_bounds(&problem->task, plan->model, plan->window.steps, plan->box.low, plan->box.high);
  for (int i = 0; i < plan->parameter_count; i++) {
    if (low)
      low[i] = plan->box.low[i];
    if (high)
      high[i] = plan->box.high[i];
  }
}

// Writes the number of each parameter's group [dimension].  Controls and design entries define their groups; a
// parameter of any other is a group alone.
void dcsim_problem_groups(const dcsim_problem *problem, int *group)
{
  if (problem && group)
    dc_task_groups(&problem->task, problem->plan->model, problem->plan->window.steps, group);
}

static bool has_parameter(const dcsim_problem *problem, int i)
{
  return problem && i >= 0 && i < problem->plan->parameter_count;
}

// Writes the name, cut off at size; "" for a number that no parameter has.
void dcsim_problem_name(const dcsim_problem *problem, int i, char *name, size_t size)
{
  if (!name || !size)
    return;
  name[0] = '\0';
  if (has_parameter(problem, i))
    dc_task_parameter_name(&problem->task, problem->plan->model, problem->plan->window.steps, i, name, size);
}

// The unit is a static text; a parameter times *scale has this unit.  scale may be NULL.
const char *dcsim_problem_unit(const dcsim_problem *problem, int i, double *scale)
{
  if (!has_parameter(problem, i)) {
    if (scale)
      *scale = 1;
    return "";
  }
  return dc_task_parameter_unit(&problem->task, problem->plan->model, problem->plan->window.steps, i, scale);
}

// Begins a call that evaluates at x.
static enum dc_status begin_at(dcsim_problem *problem, const double *x, struct dc_error *error)
{
  dc_api_poll_begin(&problem->poll);
  return dc_api_check_finite("x", x, problem->plan->parameter_count, error);
}

// Evaluates loss and gradient [dimension] at x; gradient NULL spares the adjoint.  A failure of the simulation
// is an answer of this call and leaves the problem usable.
// Succeeded is set by the plan at the end of a rollout; it decides whether get_trajectory has something to show.  An
// answer of the caller's objective replaces the status that its NAN has caused.
int dcsim_problem_evaluate(dcsim_problem *problem, const double *x, double *loss, double *gradient, dcsim_error *error)
{
  if (dc_api_need(problem, "problem", error))
    return DCSIM_USAGE;
  struct dc_error local = {0};
  double value;
  problem->answer = 0;
  problem->plan->succeeded = false;
  enum dc_status status = begin_at(problem, x, &local);
  if (!status)
    status = dc_plan_evaluate(problem->plan, x, &value, gradient ? problem->gradient : NULL, &local);
  if (status && problem->answer)
    status = dc_fail(&local, DC_STOPPED, "the objective function returned %d", problem->answer);
  if (status)
    return dc_api_fail_in_process(error, &local, status);
  if (loss)
    *loss = value;
  if (gradient)
    memcpy(gradient, problem->gradient, (size_t)problem->plan->parameter_count * sizeof *gradient);
  return DCSIM_OK;
}

// Groups of rows as arrays by row.  One allocation holds four arrays [rows] behind each other:
//   residual  d, in the unit of its objective
//   weight    of the squared distance of d from the group's set
//   radius    of the set, a disc about 0; 0: it is a box
//   half      half width of the box along this row; 0 where there is a disc
// A group is one residual of an objective, of up to three axes.  The loss is the sum of weight × squared distance of d
// from the set.
static enum dc_status spread_groups(dcsim_problem *problem, struct dc_error *error)
{
  const struct dc_residual_rows *rows = &problem->rows;
  size_t count = (size_t)rows->row_count;
  free(problem->residual);
  free(problem->group);
  problem->residual = dc_alloc(4 * count, sizeof *problem->residual);
  problem->group = dc_alloc(count, sizeof *problem->group);
  if (!problem->residual || !problem->group)
    return dc_out_of_memory_for(error, "residual rows");
  problem->weight = problem->residual + count;
  problem->radius = problem->weight + count;
  problem->half = problem->radius + count;
  for (int g = 0; g < rows->group_count; g++) {
    const struct dc_residual_group *group = &rows->groups[g];
    bool disc = !isnan(group->radius);
    for (int k = 0, r = rows->first[g]; k < group->axes; k++, r++) {
      problem->residual[r] = group->d[k];
      problem->weight[r] = group->weight;
      problem->group[r] = g;
      problem->radius[r] = disc ? group->radius : 0;
      problem->half[r] = disc ? 0 : group->half[k];
    }
  }
  return DC_OK;
}

// Hands out the rows that were found as arrays that belong to the problem until its next call; the Jacobian
// [rows][dimension] is NULL where none was asked for.
static int give_rows(dcsim_problem *problem, enum dc_status status, bool with_jacobian,
                     dcsim_linearization *linearization, struct dc_error *local, dcsim_error *error)
{
  if (!status)
    status = spread_groups(problem, local);
  const dcsim_linearization made = {.rows = problem->rows.row_count,
                                    .dimension = problem->plan->parameter_count,
                                    .residual = problem->residual,
                                    .weight = problem->weight,
                                    .group = problem->group,
                                    .radius = problem->radius,
                                    .half = problem->half,
                                    .jacobian = with_jacobian ? problem->rows.jacobian : NULL};
  if (!status)
    status = dc_api_write_sized(&made, sizeof made, linearization, local);
  return status ? dc_api_fail_in_process(error, local, status) : DCSIM_OK;
}

// Finds residual rows and their Jacobian, by products along parameters or along rows, whichever way is cheaper.
int dcsim_problem_linearize(dcsim_problem *problem, const double *x, dcsim_linearization *linearization,
                            dcsim_error *error)
{
  if (dc_api_need(problem, "problem", error))
    return DCSIM_USAGE;
  struct dc_error local = {0};
  enum dc_status status = begin_at(problem, x, &local);
  if (!status)
    status = dc_plan_linearize(problem->plan, x, DC_PRODUCTS_AUTO, &problem->rows, &local);
  return give_rows(problem, status, true, linearization, &local, error);
}

// The residual rows without their Jacobian, at the cost of one rollout.
int dcsim_problem_find_rows(dcsim_problem *problem, const double *x, dcsim_linearization *linearization,
                            dcsim_error *error)
{
  if (dc_api_need(problem, "problem", error))
    return DCSIM_USAGE;
  struct dc_error local = {0};
  enum dc_status status = begin_at(problem, x, &local);
  if (!status)
    status = dc_plan_find_rows(problem->plan, x, &problem->rows, &local);
  return give_rows(problem, status, false, linearization, &local, error);
}

// Both vectors of a product of derivatives must be there.
static enum dc_status check_product(const double *vector, const double *product, struct dc_error *error)
{
  return vector && product ? DC_OK
                           : dc_fail(error, DC_USAGE, "NULL, where a vector and a place for its product are wanted");
}

// product [rows] = J direction, at x.
int dcsim_problem_push_forward(dcsim_problem *problem, const double *x, const double *direction, double *product,
                               dcsim_error *error)
{
  if (dc_api_need(problem, "problem", error))
    return DCSIM_USAGE;
  struct dc_error local = {0};
  enum dc_status status = begin_at(problem, x, &local);
  if (!status)
    status = check_product(direction, product, &local);
  if (!status)
    status = dc_plan_push_forward(problem->plan, x, direction, product, &local);
  return status ? dc_api_fail_in_process(error, &local, status) : DCSIM_OK;
}

// product [dimension] = J^T weights, at x.
int dcsim_problem_pull_back(dcsim_problem *problem, const double *x, const double *weights, double *product,
                            dcsim_error *error)
{
  if (dc_api_need(problem, "problem", error))
    return DCSIM_USAGE;
  struct dc_error local = {0};
  enum dc_status status = begin_at(problem, x, &local);
  if (!status)
    status = check_product(weights, product, &local);
  if (!status)
    status = dc_plan_pull_back(problem->plan, x, weights, product, &local);
  return status ? dc_api_fail_in_process(error, &local, status) : DCSIM_OK;
}

// Trajectory of the last evaluation, or NULL.
static const struct dc_trajectory *evaluated(const dcsim_problem *problem)
{
  return problem->plan->succeeded ? problem->plan->trajectory : NULL;
}

int dcsim_problem_get_trajectory(dcsim_problem *problem, dcsim_trajectory *trajectory, dcsim_error *error)
{
  if (dc_api_need(problem, "problem", error))
    return DCSIM_USAGE;
  const struct dc_plan *plan = problem->plan;
  return dc_api_get_trajectory(plan->model, plan->input, evaluated(problem), &problem->arrays, trajectory, error);
}

int dcsim_problem_get_contacts(dcsim_problem *problem, dcsim_contacts *contacts, dcsim_error *error)
{
  if (dc_api_need(problem, "problem", error))
    return DCSIM_USAGE;
  const struct dc_plan *plan = problem->plan;
  return dc_api_get_contacts(plan->rollout, plan->input, evaluated(problem), &problem->arrays, contacts, error);
}
