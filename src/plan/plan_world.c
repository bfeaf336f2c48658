// SPDX-License-Identifier: Apache-2.0
// The present world of a plan: its model, its window, the input that controls make of parameters, and its loss.
//
// The input is made anew for every parameter vector: reset to the scene or to the start of a window, scaled as a
// stage of a search asks, then written by controls and design.  Nothing of the vector before is left in it.
#include <stdlib.h>
#include <string.h>

#include "plan/trajectory_plan.h"

struct dc_model dc_plan_coarser_model(const struct dc_model *model, int coarseness)
{
  struct dc_model coarser = *model;
  coarser.definition.time.step *= coarseness;
  coarser.definition.time.steps /= coarseness;
  return coarser;
}

void dc_plan_end(struct dc_plan *plan)
{
  dc_minimization_destroy(plan->descent.running);
  plan->descent.running = NULL;
}

// Sets the window to `steps` steps from `first` on; a running minimization ends, since the number of parameters
// changes with the window.
void dc_plan_set_window(struct dc_plan *plan, long first, int steps)
{
  dc_plan_end(plan);
  plan->window = (struct dc_window){.first = first, .steps = steps, .time_step = plan->model->definition.time.step};
  plan->parameter_count = dc_task_parameter_count(plan->task, plan->model, steps);
  plan->input->steps = plan->trajectory->steps = steps;
  if (!plan->forward)
    plan->cotangent->steps = plan->descent.first->steps = plan->descent.best->steps = steps;
  plan->succeeded = plan->kept.known = false;
}

// The input of a rollout that begins: nothing of the last one, the stage's factors on stiffness and far field, and the
// state that the plan starts at, where a window is not the beginning of the run.
void dc_plan_reset_input(struct dc_plan *plan)
{
  const struct dc_bodies *bodies = &plan->model->bodies;
  dc_rollout_input_reset(plan->model, plan->input);
  plan->input->q_before = plan->input->memory = NULL;
  plan->succeeded = false;
  plan->input->design.stiffness_scale *= plan->scaled.stiffness;
  dc_rollout_scale_far_field(plan->rollout, plan->scaled.far_field);
  if (!plan->start.q)
    return;
  memcpy(plan->input->q, plan->start.q, (size_t)bodies->nq * sizeof *plan->input->q);
  memcpy(plan->input->velocity, plan->start.velocity, (size_t)bodies->nv * sizeof *plan->input->velocity);
  plan->input->q_before = plan->start.q_before;
  plan->input->before_length = plan->start.before_length;
  plan->input->memory = plan->start.memory;
}

void dc_plan_apply(struct dc_plan *plan, const double *parameters)
{
  dc_plan_reset_input(plan);
  dc_task_apply(plan->task, plan->model, &plan->window, plan->state, parameters, plan->input);
}

// The model that the input asks for: a rollout makes another one where the design has other shapes.
const struct dc_model *dc_plan_model(const struct dc_plan *plan)
{
  const struct dc_model *model = plan->execution ? NULL : dc_rollout_adopt(plan->rollout, plan->input, NULL);
  return model ? model : plan->model;
}

double dc_plan_loss(const struct dc_plan *plan, struct dc_loss_cotangent *cotangent)
{
  return dc_task_loss(plan->task, dc_plan_model(plan), plan->input, plan->trajectory, cotangent);
}

void dc_plan_add_work(struct dc_plan_work *sum, const struct dc_plan_work *work)
{
  sum->rollouts += work->rollouts;
  sum->steps += work->steps;
  sum->newton_iterations += work->newton_iterations;
  sum->evaluations += work->evaluations;
  sum->contact_seconds += work->contact_seconds;
}

// Puts counts back to those before work that will be repeated; time was spent all the same.
void dc_plan_uncount_work(struct dc_plan *plan, const struct dc_plan_work *before)
{
  double seconds = plan->work.seconds, contact_seconds = plan->work.contact_seconds;
  plan->work = *before;
  plan->work.seconds = seconds;
  plan->work.contact_seconds = contact_seconds;
}
