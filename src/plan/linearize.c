// SPDX-License-Identifier: Apache-2.0
// Residual rows of a plan and their Jacobian, by columns or by rows.
//
// By columns: every parameter gives a direction of the input; a block of directions is pushed forward along the tape
// (dc_rollout_tangent), then contracted with the derivative of each row by frames and input.  By rows: every row gives
// a derivative by frames and input; a block of rows is pulled back by the adjoint (dc_rollout_adjoint_block), then
// through controls and design.  The cheaper way is chosen from the numbers of rows and columns.
//
// With cases, every world contributes rows of its own, computed side by side.  Work is done in portions of bounded
// memory.
#include "plan/linearize.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/threads.h"
#include "plan/plan_cases.h"

static const double PORTION_BYTES = 128e6;  // bytes that a portion of columns or rows may take
// Cost of friction, relative to the other cost of a row or column.  A row pulls friction back at every step,
// FRICTION_COST.  Columns share the mixed Hessians of its pairs, which cost FRICTION_ROWS times as much.
static const double FRICTION_COST = 10, FRICTION_ROWS = 12;

// Position of a row in the trajectory.
struct place {
  int group, axis;  // group, and axis within it
  int first, last;  // frames on which it depends
};

// One portion: directions of the input, or rows.
struct portion {
  int count;
  struct dc_rollout_cotangent **inputs;  // [count]
  double *tangents;                      // [steps + 1][count][nv] of directions
  struct dc_adjoint_row *rows;           // [count]
  double *numbers;                       // [parameter_count] or [count]
};

// Linearization of one world: the plan's own, or one of its cases.
struct linearization {
  struct dc_plan *plan;
  const double *parameters;
  int group_count, row_count;
  struct place *places;          // [row_count]
  double *jacobian;              // [row_count][parameter_count]
  bool forward;                  // by columns (forward), else by rows
  double *bounds;                // [row_count] see dc_plan_row_bounds; or NULL
  struct dc_stop_request *stop;  // polled while derivatives are computed; may be NULL
  enum dc_status status;
  struct dc_error error;
};

// A plan and its cases, whose rows follow each other.
struct worlds {
  struct dc_plan *plan;
  int count;
  struct linearization *of;  // [count] the plan's own first
  struct dc_residual_rows *rows;
  double start, counted;  // time of the start, and the plan's seconds of work then, s
};

static enum dc_status no_memory(struct dc_error *error)
{
  return dc_out_of_memory_for(error, "a Jacobian");
}

static void release_portion(struct portion *portion)
{
  for (int i = 0; i < portion->count; i++) {
    if (portion->inputs)
      dc_rollout_cotangent_destroy(portion->inputs[i]);
    if (portion->rows) {
      free(portion->rows[i].frames.wrenches);
      free(portion->rows[i].frames.forces);
    }
  }
  free(portion->inputs);
  free(portion->tangents);
  free(portion->rows);
  free(portion->numbers);
}

// Memory of one direction or row of the input, targets and design together.
static double input_bytes(const struct dc_plan *plan)
{
  const struct dc_bodies *bodies = &plan->model->bodies;
  return (2.0 * plan->window.steps * bodies->actuator_count + 2.0 * bodies->nv + 5.0 * bodies->count) * sizeof(double);
}

// Columns or rows that fit into PORTION_BYTES, at least one.
static int portion_size(double bytes, int all)
{
  double most = fmax(1, floor(PORTION_BYTES / bytes));
  return most < all ? (int)most : all;
}

// Memory of a row for the frames on which it depends, cleared.
static bool create_row(const struct dc_plan *plan, int frames, struct dc_adjoint_row *row)
{
  const struct dc_bodies *bodies = &plan->model->bodies;
  row->frames.wrenches = dc_alloc((size_t)(frames * bodies->count), sizeof *row->frames.wrenches);
  row->frames.forces = dc_alloc((size_t)(frames * bodies->nv), sizeof *row->frames.forces);
  return row->frames.wrenches && row->frames.forces;
}

// Derivative of a row by its frames and by the input; row->frames and row->input must be clear.
static void set_row(const struct linearization *l, const struct place *place, struct dc_adjoint_row *row)
{
  const struct dc_plan *plan = l->plan;
  double weights[DC_RESIDUAL_AXES] = {0};
  weights[place->axis] = 1;
  row->first = place->first;
  row->last = place->last;
  struct dc_loss_cotangent cotangent = {.frames = row->frames, .input = row->input, .first = place->first};
  dc_task_group_pull_back(plan->task, dc_plan_model(plan), plan->input, plan->trajectory, place->group, weights,
                          &cotangent);
}

// Creates the columns of unit parameters from first on, or, given a direction [parameter_count], that one.
static enum dc_status create_columns(const struct linearization *l, int first, int count, const double *direction,
                                     struct portion *portion, struct dc_error *error)
{
  const struct dc_plan *plan = l->plan;
  size_t frames = (size_t)plan->window.steps + 1, nv = (size_t)plan->model->bodies.nv;
  *portion = (struct portion){.count = count,
                              .inputs = dc_alloc((size_t)count, sizeof *portion->inputs),
                              .tangents = dc_alloc(frames * (size_t)count * nv, sizeof *portion->tangents),
                              .numbers = dc_alloc((size_t)plan->parameter_count, sizeof *portion->numbers)};
  bool complete = portion->inputs && portion->tangents && portion->numbers;
  for (int i = 0; i < count && complete; i++)
    complete = (portion->inputs[i] = dc_rollout_cotangent_create(plan->model, plan->window.steps)) != NULL;
  for (int i = 0; i < count && complete; i++) {
    portion->numbers[first + i] = 1;
    dc_task_push_forward(plan->task, plan->model, &plan->window, plan->state, l->parameters,
                         direction ? direction : portion->numbers, portion->inputs[i]);
    portion->numbers[first + i] = 0;
  }
  return complete ? DC_OK : no_memory(error);
}

// Contracts the columns of a portion with all rows; those of row r start at products + r * stride.  Rows are set up one
// after the other in the same memory.
static enum dc_status contract_columns(const struct linearization *l, const struct portion *portion, double *products,
                                       size_t stride, struct dc_error *error)
{
  const struct dc_plan *plan = l->plan;
  const struct dc_bodies *bodies = &plan->model->bodies;
  int most = 1;
  for (int r = 0; r < l->row_count; r++)
    if (l->places[r].last - l->places[r].first >= most)
      most = l->places[r].last - l->places[r].first + 1;
  struct dc_adjoint_row row = {.input = dc_rollout_cotangent_create(plan->model, plan->window.steps)};
  double *bounds = l->bounds ? dc_alloc((size_t)portion->count, sizeof *bounds) : NULL;
  bool complete = create_row(plan, most, &row) && row.input && !bounds == !l->bounds;
  enum dc_status status = complete ? DC_OK : no_memory(error);
  bool used = false;  // by the row before
  for (int r = 0; r < l->row_count && !status; r++) {
    memset(row.frames.wrenches, 0, (size_t)(most * bodies->count) * sizeof *row.frames.wrenches);
    memset(row.frames.forces, 0, (size_t)(most * bodies->nv) * sizeof *row.frames.forces);
    if (used)
      dc_rollout_cotangent_clear(plan->model, row.input);
    used = dc_task_group_sees_input(plan->task, plan->model, plan->trajectory, l->places[r].group);
    set_row(l, &l->places[r], &row);
    dc_rollout_contract(plan->rollout, plan->trajectory, &row, portion->count,
                        (const struct dc_rollout_cotangent *const *)portion->inputs, portion->tangents,
                        products + (size_t)r * stride, bounds);
    for (int i = 0; i < portion->count && bounds; i++)
      l->bounds[r] = fmax(l->bounds[r], bounds[i]);
    if (l->stop && !dc_stop_request_goes_on(l->stop))
      status = dc_fail(error, DC_STOPPED, "stopped");
  }
  free(bounds);
  dc_rollout_cotangent_destroy(row.input);
  free(row.frames.wrenches);
  free(row.frames.forces);
  return status;
}

// The Jacobian times unit parameters [first, first + count), or times a direction.
static enum dc_status push_columns(const struct linearization *l, int first, int count, const double *direction,
                                   double *products, size_t stride, struct dc_error *error)
{
  struct dc_plan *plan = l->plan;
  struct portion portion;
  enum dc_status status = create_columns(l, first, count, direction, &portion, error);
  plan->differentiated = true;
  if (!status)
    status = dc_rollout_tangent(plan->rollout, plan->input, plan->trajectory, count,
                                (const struct dc_rollout_cotangent *const *)portion.inputs, portion.tangents, error);
  if (!status)
    status = contract_columns(l, &portion, products, stride, error);
  release_portion(&portion);
  return status;
}

// Portions of columns, as many as PORTION_BYTES holds: a column of a long run is a whole trajectory of tangents.
static enum dc_status by_columns(const struct linearization *l, struct dc_error *error)
{
  struct dc_plan *plan = l->plan;
  int all = plan->parameter_count;
  double bytes = input_bytes(plan) + (plan->window.steps + 4.0) * plan->model->bodies.nv * sizeof(double);
  int most = portion_size(bytes, all);
  enum dc_status status = DC_OK;
  for (int first = 0; first < all && !status; first += most) {
    int count = all - first < most ? all - first : most;
    status = push_columns(l, first, count, NULL, l->jacobian + first, (size_t)all, error);
  }
  return status;
}

// Rows of the adjoint for a portion of the residuals, with their inputs.
static enum dc_status create_rows(const struct linearization *l, int first, int count, struct portion *portion,
                                  struct dc_error *error)
{
  const struct dc_plan *plan = l->plan;
  *portion = (struct portion){.count = count,
                              .inputs = dc_alloc((size_t)count, sizeof *portion->inputs),
                              .rows = dc_alloc((size_t)count, sizeof *portion->rows)};
  bool complete = portion->inputs && portion->rows;
  for (int i = 0; i < count && complete; i++) {
    const struct place *place = &l->places[first + i];
    struct dc_adjoint_row *row = &portion->rows[i];
    row->input = portion->inputs[i] = dc_rollout_cotangent_create(plan->model, plan->window.steps);
    complete = create_row(plan, place->last - place->first + 1, row) && row->input;
    if (complete)
      set_row(l, place, row);
  }
  return complete ? DC_OK : no_memory(error);
}

// The Jacobian by rows: one adjoint sweep for as many residuals as memory allows.
static enum dc_status by_rows(const struct linearization *l, struct dc_error *error)
{
  struct dc_plan *plan = l->plan;
  int all = l->row_count;
  const struct dc_bodies *bodies = &plan->model->bodies;
  double bytes = input_bytes(plan) + (2 * 6.0 * bodies->count + 5.0 * bodies->nv) * sizeof(double);
  int most = portion_size(bytes, all);
  enum dc_status status = DC_OK;
  plan->differentiated = true;
  for (int first = 0; first < all && !status; first += most) {
    struct portion portion;
    int count = all - first < most ? all - first : most;
    status = create_rows(l, first, count, &portion, error);
    if (!status)
      status = dc_rollout_adjoint_block(plan->rollout, plan->input, plan->trajectory, count, portion.rows, error);
    for (int i = 0; i < count && !status; i++)
      dc_task_pull_back(plan->task, plan->model, &plan->window, plan->state, l->parameters, portion.inputs[i],
                        l->jacobian + (size_t)(first + i) * (size_t)plan->parameter_count);
    release_portion(&portion);
  }
  return status;
}

static bool has_friction(const struct dc_plan *plan)
{
  return dc_model_rubs(plan->model) && plan->model->definition.contact_model->flags & DC_CONTACT_FRICTION;
}

// Compares the costs of both ways, in units of one column without friction: columns n + FRICTION_ROWS FRICTION_COST
// against rows m (1 + FRICTION_COST).
static bool forward_is_cheaper(const struct linearization *l)
{
  if (l->plan->model->shapes_change)
    return false;  // shapes have no forward products
  double friction = has_friction(l->plan) ? FRICTION_COST : 0;
  return l->plan->parameter_count + FRICTION_ROWS * friction < l->row_count * (1 + friction);
}

// Rows need every objective to have residuals, and a rollout that can be differentiated; the cases of a plan have to
// have both, too.
static enum dc_status refuse(const struct dc_plan *plan, struct dc_error *error)
{
  int without = dc_task_rowless_objective(plan->task);
  if (without >= 0)
    return dc_fail(error, DC_BAD_INPUT, "objective \"%s\" has no residual rows",
                   plan->task->objectives[without].type->name);
  if (plan->forward || !dc_model_has_adjoint(plan->model))
    return dc_fail(error, DC_BAD_INPUT, "there are no derivatives of rollouts here");
  for (int k = 0; k < plan->cases.count; k++) {
    enum dc_status status = refuse(plan->cases.plans[k], error);
    if (status)
      return status;
  }
  return DC_OK;
}

// Whether the trajectory belongs to the parameters.
static bool is_rolled_out(const struct dc_plan *plan, const double *parameters)
{
  return plan->succeeded &&
         (!plan->parameter_count ||
          memcmp(parameters, plan->evaluated, (size_t)plan->parameter_count * sizeof *parameters) == 0);
}

static int count_groups(const struct dc_plan *plan)
{
  return dc_task_group_count(plan->task, plan->model, plan->trajectory);
}

// Lists groups [group_count] and rows of a world; `first` [group_count] is their first row, counted from `row`.
static enum dc_status find_groups(struct linearization *l, int row, struct dc_residual_group *groups, int *first,
                                  struct dc_error *error)
{
  struct dc_plan *plan = l->plan;
  l->places = dc_alloc((size_t)l->group_count * DC_RESIDUAL_AXES, sizeof *l->places);
  if (!l->places)
    return no_memory(error);
  for (int g = 0; g < l->group_count; g++) {
    int from, to;
    dc_task_group(plan->task, dc_plan_model(plan), plan->input, plan->trajectory, g, &groups[g], &from, &to);
    first[g] = row + l->row_count;
    for (int k = 0; k < groups[g].axes; k++)
      l->places[l->row_count++] = (struct place){g, k, from, to};
  }
  return DC_OK;
}

// Lists the rows of all worlds, with room for a Jacobian of so many columns.  Sizes are known world by world,
// therefore the first pass counts groups, the second one counts rows, and last each world gets its part of the
// Jacobian.
static enum dc_status find_rows(struct worlds *worlds, int columns, struct dc_error *error)
{
  struct dc_residual_rows *rows = worlds->rows;
  int groups = 0, row_count = 0;
  for (int i = 0; i < worlds->count; i++)
    groups += worlds->of[i].group_count = count_groups(worlds->of[i].plan);
  if (dc_residual_rows_resize(rows, groups, 0, columns))
    return no_memory(error);
  groups = 0;
  for (int i = 0; i < worlds->count; i++) {
    struct linearization *l = &worlds->of[i];
    enum dc_status status = find_groups(l, row_count, rows->groups + groups, rows->first + groups, error);
    if (status)
      return status;
    groups += l->group_count;
    row_count += l->row_count;
  }
  if (dc_residual_rows_resize(rows, groups, row_count, columns))
    return no_memory(error);
  double *jacobian = rows->jacobian;
  for (int i = 0; i < worlds->count; i++) {
    worlds->of[i].jacobian = jacobian;
    jacobian += (size_t)worlds->of[i].row_count * (size_t)columns;
  }
  return DC_OK;
}

// Rolls out, unless that has been done already, and lists the rows.
static enum dc_status begin(struct dc_plan *plan, const double *parameters, int columns, struct dc_residual_rows *rows,
                            struct worlds *worlds, struct dc_error *error)
{
  double loss;
  *worlds = (struct worlds){.plan = plan, .rows = rows, .start = dc_seconds(), .counted = plan->work.seconds};
  enum dc_status status = refuse(plan, error);
  if (!status && !is_rolled_out(plan, parameters))
    status = dc_plan_keeps(plan, parameters) ? dc_plan_return_to_kept(plan, error)
                                             : dc_plan_evaluate(plan, parameters, &loss, NULL, error);
  if (status)
    return status;
  worlds->of = dc_alloc((size_t)plan->cases.count + 1, sizeof *worlds->of);
  if (!worlds->of)
    return no_memory(error);
  for (worlds->count = 0; worlds->count <= plan->cases.count; worlds->count++)
    worlds->of[worlds->count] = (struct linearization){
        .plan = worlds->count ? plan->cases.plans[worlds->count - 1] : plan, .parameters = parameters};
  return find_rows(worlds, columns, error);
}

// Counts the seconds; those of a rollout in between only once.
static enum dc_status end(struct worlds *worlds, enum dc_status status)
{
  for (int i = 0; i < worlds->count; i++)
    free(worlds->of[i].places);
  free(worlds->of);
  worlds->plan->work.seconds = worlds->counted + dc_seconds() - worlds->start;
  return status;
}

static enum dc_status check_finite(const double *numbers, size_t count, struct dc_error *error)
{
  for (size_t i = 0; i < count; i++)
    if (!isfinite(numbers[i]))
      return dc_fail(error, DC_NUMERICAL, "the Jacobian is not finite");
  return DC_OK;
}

static void linearize_world(void *context, int index, int thread)
{
  (void)thread;
  struct linearization *l = (struct linearization *)context + index;
  dc_rollout_set_proceed(l->plan->rollout, l->stop ? dc_stop_request_goes_on : NULL, l->stop);
  l->status = l->forward ? by_columns(l, &l->error) : by_rows(l, &l->error);
  dc_rollout_set_proceed(l->plan->rollout, NULL, NULL);
}

// Linearizes the worlds side by side; each writes its own rows.
static enum dc_status linearize_worlds(struct worlds *worlds, struct dc_error *error)
{
  int i = 0;
  dc_loop_run(linearize_world, worlds->of, worlds->count, 0, NULL);
  while (i < worlds->count && !worlds->of[i].status)
    i++;
  return i < worlds->count ? dc_plan_case_fail(worlds->plan, i, worlds->of[i].status, &worlds->of[i].error, error)
                           : DC_OK;
}

// Linearizes all worlds in the way that is cheaper for the first one.
static enum dc_status linearize(struct dc_plan *plan, const double *parameters, enum dc_products way,
                                struct dc_stop_request *stop, struct dc_residual_rows *rows, double *bounds,
                                struct dc_error *error)
{
  struct worlds worlds;
  enum dc_status status = begin(plan, parameters, plan->parameter_count, rows, &worlds, error);
  if (!status) {
    rows->forward = way == DC_PRODUCTS_AUTO ? forward_is_cheaper(worlds.of) : way == DC_PRODUCTS_FORWARD;
    for (int i = 0; i < worlds.count; i++) {
      worlds.of[i].forward = rows->forward;
      worlds.of[i].stop = stop;
      worlds.of[i].bounds = bounds;
      bounds = bounds ? bounds + worlds.of[i].row_count : NULL;
    }
    status = linearize_worlds(&worlds, error);
  }
  if (!status)
    status = check_finite(rows->jacobian, (size_t)rows->row_count * (size_t)rows->dimension, error);
  return end(&worlds, status);
}

enum dc_status dc_plan_linearize(struct dc_plan *plan, const double *parameters, enum dc_products way,
                                 struct dc_residual_rows *rows, struct dc_error *error)
{
  return linearize(plan, parameters, way, NULL, rows, NULL, error);
}

enum dc_status dc_plan_row_bounds(struct dc_plan *plan, const double *parameters, double *bounds,
                                  struct dc_error *error)
{
  struct dc_residual_rows rows = {0};
  enum dc_status status = linearize(plan, parameters, DC_PRODUCTS_FORWARD, NULL, &rows, bounds, error);
  dc_residual_rows_release(&rows);
  return status;
}

enum dc_status dc_plan_find_rows(struct dc_plan *plan, const double *parameters, struct dc_residual_rows *rows,
                                 struct dc_error *error)
{
  struct worlds worlds;
  return end(&worlds, begin(plan, parameters, 0, rows, &worlds, error));
}

// product [rows] = J direction: the columns' way with a single direction.
enum dc_status dc_plan_push_forward(struct dc_plan *plan, const double *parameters, const double *direction,
                                    double *product, struct dc_error *error)
{
  struct dc_residual_rows rows = {0};
  struct worlds worlds;
  enum dc_status status = begin(plan, parameters, 0, &rows, &worlds, error);
  double *at = product;
  for (int i = 0; i < worlds.count && !status; i++) {
    status = push_columns(&worlds.of[i], 0, 1, direction, at, 1, error);
    at += worlds.of[i].row_count;
  }
  if (!status)
    status = check_finite(product, (size_t)rows.row_count, error);
  dc_residual_rows_release(&rows);
  return end(&worlds, status);
}

// One adjoint row that depends on all frames holds the weighted sum of all rows of a world, weights [row_count].
static enum dc_status pull_weighted(const struct linearization *l, const double *weights, double *gradient,
                                    struct dc_error *error)
{
  struct dc_plan *plan = l->plan;
  struct dc_adjoint_row row = {.last = plan->window.steps,
                               .input = dc_rollout_cotangent_create(plan->model, plan->window.steps)};
  enum dc_status status = create_row(plan, plan->window.steps + 1, &row) && row.input ? DC_OK : no_memory(error);
  struct dc_loss_cotangent cotangent = {.frames = row.frames, .input = row.input};
  for (int r = 0; r < l->row_count && !status; r++)
    if (l->places[r].axis == 0)
      dc_task_group_pull_back(plan->task, dc_plan_model(plan), plan->input, plan->trajectory, l->places[r].group,
                              weights + r, &cotangent);
  plan->differentiated = true;
  if (!status)
    status = dc_rollout_adjoint_block(plan->rollout, plan->input, plan->trajectory, 1, &row, error);
  if (!status)
    dc_task_pull_back(plan->task, plan->model, &plan->window, plan->state, l->parameters, row.input, gradient);
  dc_rollout_cotangent_destroy(row.input);
  free(row.frames.wrenches);
  free(row.frames.forces);
  return status;
}

// Gradient of weights . residuals: the sum over all worlds (the scene and its cases) of their own.
enum dc_status dc_plan_pull_back(struct dc_plan *plan, const double *parameters, const double *weights,
                                 double *gradient, struct dc_error *error)
{
  struct dc_residual_rows rows = {0};
  struct worlds worlds;
  enum dc_status status = begin(plan, parameters, 0, &rows, &worlds, error);
  size_t count = (size_t)plan->parameter_count;
  double *part = dc_alloc(count, sizeof *part);
  if (!part && !status)
    status = no_memory(error);
  memset(gradient, 0, status ? 0 : count * sizeof *gradient);
  for (int i = 0; i < worlds.count && !status; i++) {
    status = pull_weighted(&worlds.of[i], weights, part, error);
    weights += worlds.of[i].row_count;
    for (size_t p = 0; p < count && !status; p++)
      gradient[p] += part[p];
  }
  if (!status)
    status = check_finite(gradient, count, error);
  free(part);
  dc_residual_rows_release(&rows);
  return end(&worlds, status);
}

static int count_rows(const struct dc_plan *plan)
{
  int groups = count_groups(plan), count = 0;
  for (int g = 0; g < groups; g++) {
    struct dc_residual_group group;
    int first, last;
    dc_task_group(plan->task, dc_plan_model(plan), plan->input, plan->trajectory, g, &group, &first, &last);
    count += group.axes;
  }
  return count;
}

// Cases do not run in a receding horizon, so that their windows are the plan's.
int dc_plan_row_count(const struct dc_plan *plan)
{
  if (refuse(plan, NULL) || plan->estimate.settings.type != DC_GRADIENT_ADJOINT)
    return 0;
  int count = count_rows(plan);
  for (int k = 0; k < plan->cases.count; k++)
    count += count_rows(plan->cases.plans[k]);
  return count;
}

// Repeats the rollout before a Jacobian.  The Jacobian's rounding depends on the starting points of contact's
// iterations, which derivatives computed before have changed.  A resumed optimization has only rolled out; for the same
// bits every one must do so.  The rollout was counted before.
static enum dc_status renew(struct dc_plan *plan, const double *x, struct dc_error *error)
{
  const struct dc_plan_work before = plan->work;
  double loss;
  if (!plan->differentiated || !is_rolled_out(plan, x))
    return DC_OK;
  enum dc_status status = dc_plan_evaluate(plan, x, &loss, NULL, error);
  dc_plan_uncount_work(plan, &before);
  return status;
}

// Residual rows for the optimizer: values, and, where asked, group, weight, radius or half width, and the Jacobian
// [rows][parameters].
enum dc_status dc_plan_linearize_problem(void *context, const double *x, const struct dc_draw *draw,
                                         struct dc_rows *rows, struct dc_error *error)
{
  struct dc_plan *plan = context;
  struct dc_residual_rows *found = &plan->descent.rows;
  (void)draw;
  // An iteration can only be undone if there is one before it.
  struct dc_stop_request *stop = dc_minimization_begun(plan->descent.running) ? plan->stop : NULL;
  enum dc_status status = renew(plan, x, error);
  if (!status)
    status = linearize(plan, x, DC_PRODUCTS_AUTO, stop, found, NULL, error);
  if (status)
    return status;
  if (found->row_count != plan->descent.problem.row_count)
    return dc_fail(error, DC_NUMERICAL, "%d residual rows instead of %d", found->row_count,
                   plan->descent.problem.row_count);
  rows->value = dc_plan_cases_loss(plan);
  for (int g = 0; g < found->group_count; g++) {
    const struct dc_residual_group *group = &found->groups[g];
    for (int k = 0; k < group->axes; k++) {
      int r = found->first[g] + k;
      rows->residual[r] = group->d[k];
      if (!rows->weight)
        continue;
      rows->group[r] = g;
      rows->weight[r] = group->weight;
      rows->radius[r] = isnan(group->radius) ? 0 : group->radius;
      rows->half[r] = isnan(group->radius) ? group->half[k] : 0;
    }
  }
  if (rows->jacobian)
    memcpy(rows->jacobian, found->jacobian,
           (size_t)found->row_count * (size_t)found->dimension * sizeof *rows->jacobian);
  return DC_OK;
}
