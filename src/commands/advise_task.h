// SPDX-License-Identifier: Apache-2.0
// Shared by the two files that advise on tasks: rules about what was probably meant (advise_task.c) and targets that
// cannot be reached (advise_targets.c).  Private to them.
#ifndef DC_COMMANDS_ADVISE_TASK_H
#define DC_COMMANDS_ADVISE_TASK_H

#include "commands/advice.h"

// A task that is looked at, and the command whose changes are to be tried.
struct dc_task_site {
  const dcsim_scene *handle;
  const struct dc_scene *scene;
  const char *command;
  const dcsim_run_options *options;  // NULL: the command has none
  struct dc_advice_list *list;
  bool decided;  // something here explains that the task is not reached
};

static inline bool dc_advice_half_space(const struct dc_body *body)
{
  return body->shape->type && body->shape->type->half_space;
}

// Time of the whole run, s.
static inline double dc_advice_duration(const struct dc_scene *scene)
{
  return scene->definition.time.step * (double)scene->definition.time.steps;
}

// Distance of two points over the axes that count for the objective, m.
double dc_advice_distance(const struct dc_objective *objective, const double a[3], const double b[3]);

// Adds advice on places that bodies are to reach.  Ends with the first advice that explains why the task is not
// reached (site->decided).
void dc_advise_targets(struct dc_task_site *site);

#endif
