// SPDX-License-Identifier: Apache-2.0
// The parameter vector is the concatenation of the controls' parameters, in the order of the scene.
#include "task/task.h"

#include <stdio.h>
#include <string.h>

static int count_of(const struct dc_control *control, const struct dc_model *model)
{
  return control->type->parameter_count(control->options, model);
}

int dc_task_parameter_count(const struct dc_task *task, const struct dc_model *model)
{
  int count = 0;
  for (int i = 0; i < task->control_count; i++)
    count += count_of(&task->controls[i], model);
  return count;
}

void dc_task_parameter_name(const struct dc_task *task, const struct dc_model *model, int i, char *text, size_t size)
{
  for (int k = 0; k < task->control_count; k++) {
    const struct dc_control *control = &task->controls[k];
    int count = count_of(control, model);
    if (i < count) {
      control->type->parameter_name(control->options, model, i, text, size);
      return;
    }
    i -= count;
  }
  snprintf(text, size, "parameter %d", i);
}

void dc_task_initial(const struct dc_task *task, const struct dc_model *model, double *parameters)
{
  for (int i = 0; i < task->control_count; i++) {
    const struct dc_control *control = &task->controls[i];
    control->type->initial(control->options, model, parameters);
    parameters += count_of(control, model);
  }
}

void dc_task_apply(const struct dc_task *task, const struct dc_model *model, const double *parameters,
                   struct dc_rollout_input *input)
{
  for (int i = 0; i < task->control_count; i++) {
    const struct dc_control *control = &task->controls[i];
    control->type->apply(control->options, model, parameters, input);
    parameters += count_of(control, model);
  }
}

// The chain rule runs through the controls in reverse.
void dc_task_pull_back(const struct dc_task *task, const struct dc_model *model, const double *parameters,
                       struct dc_rollout_cotangent *cotangent, double *gradient)
{
  int offset = dc_task_parameter_count(task, model);
  for (int i = task->control_count - 1; i >= 0; i--) {
    const struct dc_control *control = &task->controls[i];
    offset -= count_of(control, model);
    control->type->pull_back(control->options, model, parameters + offset, cotangent, gradient + offset);
  }
}

double dc_task_loss(const struct dc_task *task, const struct dc_model *model, const struct dc_trajectory *trajectory,
                    double *frames)
{
  double loss = 0;
  size_t size = ((size_t)trajectory->steps + 1) * (size_t)trajectory->nv * sizeof *frames;
  if (frames && size)
    memset(frames, 0, size);
  for (int i = 0; i < task->objective_count; i++)
    loss += task->objectives[i].type->evaluate(task->objectives[i].options, model, trajectory, frames);
  return loss;
}

bool dc_task_success(const struct dc_task *task, const struct dc_model *model, const struct dc_trajectory *trajectory)
{
  bool success = task->objective_count > 0;
  for (int i = 0; i < task->objective_count; i++) {
    int body;
    double distance;
    bool reached;
    task->objectives[i].type->report(task->objectives[i].options, model, trajectory, &body, &distance, &reached);
    success = success && reached;
  }
  return success;
}
