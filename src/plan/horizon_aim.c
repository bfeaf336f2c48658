// SPDX-License-Identifier: Apache-2.0
// Aiming in the plant: Gauss-Newton steps whose values are those of a simulated plant (docs/theory.md, "The plant").
//
// A trial (horizon_plant.c) tells where a plan leads in the plant, the planning world how that changes with the
// parameters.  With residuals d of the plant's trajectory and the Jacobian J of the planning world's, both at x, a step
//
//     p = argmin sum w |d(x) + J p - P(d + J p)|^2,  |p| <= r
//
// is tried in the plant for several r; the best is the next x where it is lower there.  Whatever the two worlds do
// differently in the same way along p cancels: a throw that falls short is aimed higher.
#include <math.h>
#include <string.h>

#include "plan/horizon_internal.h"
#include "plan/linearize.h"

struct aim {
  struct dc_receding_horizon *h;
};

// Loss of the whole window in the plant.
static enum dc_status value_of(struct aim *aim, const double *x, double *value)
{
  struct dc_horizon_tried tried;
  *value = dc_horizon_try_whole(aim->h, x, &tried);
  return isfinite(*value) ? DC_OK : DC_NUMERICAL;
}

static enum dc_status evaluate(void *context, const double *x, double *value, double *gradient, struct dc_error *error)
{
  (void)gradient;
  enum dc_status status = value_of(context, x, value);
  return status ? dc_fail(error, status, "the plant cannot execute the plan") : DC_OK;
}

// Points in their order up to the first that is good enough, as the optimizer's fan asks for them. A value is a trial
// in the plant, of which there is one, so that points are tried one after the other.
static enum dc_status values(void *context, int *count, const double *xs, double enough, double *values,
                             enum dc_status *statuses, struct dc_error *error)
{
  (void)error;
  struct aim *aim = context;
  size_t n = (size_t)aim->h->plan->parameter_count;
  for (int i = 0; i < *count; i++) {
    statuses[i] = value_of(aim, xs + (size_t)i * n, &values[i]);
    if (!statuses[i] && values[i] <= enough)
      *count = i + 1;
  }
  return DC_OK;
}

// Residuals in the plant, Jacobian of the planning world.
static enum dc_status linearize(void *context, const double *x, const struct dc_draw *draw, struct dc_rows *rows,
                                struct dc_error *error)
{
  struct dc_receding_horizon *h = ((struct aim *)context)->h;
  struct dc_horizon_tried tried;
  enum dc_status status = dc_plan_linearize_problem(h->plan, x, draw, rows, error);
  if (status)
    return status;
  rows->value = dc_horizon_try_whole(h, x, &tried);
  if (!isfinite(rows->value))
    return dc_fail(error, DC_NUMERICAL, "the plant cannot execute the plan");
  const struct dc_residual_rows *found = &h->plan->descent.rows;
  for (int g = 0; g < found->group_count; g++) {
    struct dc_residual_group group;
    int first, last;
    dc_task_group(h->task, h->model, tried.input, tried.outcome, g, &group, &first, &last);
    for (int k = 0; k < group.axes; k++) {
      int r = found->first[g] + k;
      rows->residual[r] = group.d[k];
      if (!rows->weight)
        continue;
      rows->weight[r] = group.weight;
      rows->radius[r] = isnan(group.radius) ? 0 : group.radius;
      rows->half[r] = isnan(group.radius) ? group.half[k] : 0;
    }
  }
  return DC_OK;
}

// A Gauss-Newton minimization whose values are the plant's and whose Jacobian is the planning world's.  kept
// [parameters] becomes the best point of the plant; h->foreseen tells whether its trial reached the goal.
enum dc_status dc_horizon_aim(struct dc_receding_horizon *h, double *kept, struct dc_error *error)
{
  struct dc_horizon_tried tried;
  struct dc_arena *arena = dc_arena_create();
  struct dc_optimizer_common *options = arena ? dc_arena_alloc(arena, 1, dc_gauss_newton.options_size) : NULL;
  enum dc_status status = options ? DC_OK : DC_MEMORY;
  if (!status)
    status = dc_options_set_defaults(dc_gauss_newton.options, options, arena, error);
  if (!status) {
    struct aim aim = {h};
    struct dc_problem problem = h->plan->descent.problem;
    problem.context = &aim;
    problem.evaluate = evaluate;
    problem.values = values;
    problem.linearize = linearize;
    options->iterations = h->horizon.aims;
    struct dc_minimization *minimization = dc_minimization_create(&dc_gauss_newton, options, &problem, kept);
    bool done = minimization == NULL;
    status = done ? DC_MEMORY : DC_OK;
    while (!status && !done) {
      struct dc_iterate iterate;
      struct dc_error local = {0};
      status = dc_minimization_next(minimization, &iterate, &done, &local);
      if (dc_point_has_no_value(status))
        status = DC_OK, done = true;
      else if (status)
        status = dc_fail(error, status, "%s", local.text);
    }
    if (!status && dc_minimization_begun(minimization))
      memcpy(kept, dc_minimization_best(minimization), (size_t)h->plan->parameter_count * sizeof *kept);
    dc_minimization_destroy(minimization);
  }
  dc_arena_destroy(arena);
  if (status == DC_MEMORY)
    return dc_out_of_memory_for(error, "aiming in a plant");
  if (!status) {
    dc_horizon_try_whole(h, kept, &tried);
    h->foreseen = tried.reached;
  }
  return status;
}
