// SPDX-License-Identifier: Apache-2.0
// Losses over several worlds: the plan's own and its cases are evaluated side by side, then losses and gradients are
// added in their order.  A case is a plan of its own model and task with the same parameters.  The caller gives the
// functions that evaluate, so that this file knows neither rollouts nor estimates of gradients.
#include "plan/plan_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"

// The result of one world.
struct share {
  double loss;
  double *gradient;  // [parameter_count] or NULL
  enum dc_status status;
  struct dc_error error;
};

// One evaluation as threads see it.  The plan's own world and its cases may have different functions, because the own
// world's keeps its trajectory.
struct evaluation {
  struct dc_plan *plan;
  dc_plan_evaluate_world *evaluate, *evaluate_case;
  const double *parameters;
  struct share *shares;  // [1 + cases], the plan's own world first
};

static void evaluate_pass(void *context, int index, int thread)
{
  (void)thread;
  const struct evaluation *evaluation = context;
  struct share *share = &evaluation->shares[index];
  struct dc_plan *plan = evaluation->plan, *world = index ? plan->cases.plans[index - 1] : plan;
  share->status = (index ? evaluation->evaluate_case : evaluation->evaluate)(
      world, evaluation->parameters, &share->loss, share->gradient, &share->error);
}

// Gives cases the present window, stiffness and far field, and resets their work.
static void follow(struct dc_plan *plan)
{
  for (int k = 0; k < plan->cases.count; k++) {
    struct dc_plan *world = plan->cases.plans[k];
    if (world->window.steps != plan->window.steps)
      dc_plan_set_window(world, plan->window.first, plan->window.steps);
    world->scaled.stiffness = plan->scaled.stiffness;
    world->scaled.far_field = plan->scaled.far_field;
    world->work = (struct dc_plan_work){0};
  }
}

enum dc_status dc_plan_case_fail(const struct dc_plan *plan, int world, enum dc_status status,
                                 const struct dc_error *of, struct dc_error *error)
{
  return world ? dc_fail(error, status, "case \"%.255s\": %.600s", plan->task->cases[world - 1].name, of->text)
               : dc_fail(error, status, "%s", of->text);
}

// Adds the losses of the worlds to `start` in fixed order, so that the sum is reproducible bit by bit.
static enum dc_status sum_up(struct dc_plan *plan, const struct share *shares, double start, double *loss,
                             double *gradient, struct dc_error *error)
{
  *loss = start;
  for (int i = 0; i <= plan->cases.count; i++) {
    if (shares[i].status)
      return dc_plan_case_fail(plan, i, shares[i].status, &shares[i].error, error);
    *loss += shares[i].loss;
    for (int p = 0; gradient && p < plan->parameter_count; p++)
      gradient[p] = (i ? gradient[p] : 0) + shares[i].gradient[p];
  }
  return DC_OK;
}

// Evaluates all worlds, which threads share, and sums losses and gradients in the order of the cases.
static enum dc_status evaluate_worlds(struct dc_plan *plan, dc_plan_evaluate_world *evaluate,
                                      dc_plan_evaluate_world *evaluate_case, const double *parameters, double start,
                                      double *loss, double *gradient, struct dc_error *error)
{
  size_t worlds = (size_t)plan->cases.count + 1, count = (size_t)plan->parameter_count;
  struct share *shares = dc_alloc(worlds, sizeof *shares);
  double *gradients = dc_alloc(gradient ? worlds * count : 1, sizeof *gradients);
  enum dc_status status = shares && gradients ? DC_OK : dc_out_of_memory_for(error, "cases");
  if (!status) {
    for (size_t i = 0; i < worlds && gradient; i++)
      shares[i].gradient = gradients + i * count;
    struct evaluation evaluation = {plan, evaluate, evaluate_case, parameters, shares};
    follow(plan);
    dc_loop_run(evaluate_pass, &evaluation, (int)worlds, 0, NULL);
    status = sum_up(plan, shares, start, loss, gradient, error);
    for (int k = 0; k < plan->cases.count; k++)
      dc_plan_add_work(&plan->work, &plan->cases.plans[k]->work);
  }
  free(gradients);
  free(shares);
  return status;
}

enum dc_status dc_plan_cases_evaluate(struct dc_plan *plan, dc_plan_evaluate_world *evaluate,
                                      dc_plan_evaluate_world *evaluate_case, const double *parameters, double *loss,
                                      double *gradient, struct dc_error *error)
{
  return plan->cases.count ? evaluate_worlds(plan, evaluate, evaluate_case, parameters, 0, loss, gradient, error)
                           : evaluate(plan, parameters, loss, gradient, error);
}

// Sum over all worlds of the loss of their last rollouts; nothing is rolled out.
double dc_plan_cases_loss(const struct dc_plan *plan)
{
  double loss = dc_plan_loss(plan, NULL);
  for (int k = 0; k < plan->cases.count; k++)
    loss += dc_plan_loss(plan->cases.plans[k], NULL);
  return loss;
}

// Parts of the loss for a row of progress: worlds where there are cases, else objectives; 0 where there is one part
// only, or too many for a row.
int dc_plan_list_terms(const struct dc_plan *plan, double terms[DC_PLAN_TERMS])
{
  int count = plan->cases.count ? plan->cases.count + 1 : plan->task->objective_count;
  if (count < 2 || count > DC_PLAN_TERMS)
    return 0;
  if (!plan->cases.count)
    dc_task_terms(plan->task, dc_plan_model(plan), plan->input, plan->trajectory, terms);
  for (int i = 0; i < count && plan->cases.count; i++)
    terms[i] = dc_plan_loss(i ? plan->cases.plans[i - 1] : plan, NULL);
  return count;
}

// Stands in for the plan's own world where its loss is known already.
static enum dc_status no_loss(struct dc_plan *world, const double *parameters, double *loss, double *gradient,
                              struct dc_error *error)
{
  (void)world, (void)parameters, (void)gradient, (void)error;
  *loss = 0;
  return DC_OK;
}

// Adds the losses of the cases alone to *loss, which is that of the plan's own world.
enum dc_status dc_plan_cases_add_losses(struct dc_plan *plan, dc_plan_evaluate_world *evaluate_case,
                                        const double *parameters, double *loss, struct dc_error *error)
{
  double sum;
  if (plan->cases.count == 0)
    return DC_OK;
  enum dc_status status = evaluate_worlds(plan, no_loss, evaluate_case, parameters, *loss, &sum, NULL, error);
  if (!status)
    *loss = sum;
  return status;
}

void dc_plan_set_tight(struct dc_plan *plan, bool tight)
{
  dc_rollout_set_tight(plan->rollout, tight);
  for (int k = 0; k < plan->cases.count; k++)
    dc_plan_set_tight(plan->cases.plans[k], tight);
}

void dc_plan_set_gapless(struct dc_plan *plan, bool gapless)
{
  dc_rollout_set_gapless(plan->rollout, gapless);
  for (int k = 0; k < plan->cases.count; k++)
    dc_plan_set_gapless(plan->cases.plans[k], gapless);
}

// The least gap of all frames of all worlds, m.
double dc_plan_gap(const struct dc_plan *plan)
{
  double gap = dc_trajectory_gap(plan->trajectory, 0, plan->window.steps);
  for (int k = 0; k < plan->cases.count; k++)
    gap = fmin(gap, dc_plan_gap(plan->cases.plans[k]));
  return gap;
}
