// SPDX-License-Identifier: Apache-2.0
// The task in which what is judged weighs more (race_judged.h).
//
// 1. An objective is a cost where it cannot be reached, and a mean where "when" says so; one with "from" is judged all
//    the way, as its loss is, and is no mean in this sense.
// 2. With a cost or a mean in the task, every objective that can be reached is copied, at the last frame if it is a
//    mean.
// 3. All weights of a copy are scaled together.
#include "plan/race_judged.h"

#include <string.h>

#include "base/memory.h"
#include "base/options.h"

// Where an option of this name is kept; NULL: the type has none.
static void *find(const struct dc_objective_type *type, void *options, const char *name)
{
  int index = dc_option_find(type->options, name);
  return index < 0 ? NULL : (char *)options + type->options[index].offset;
}

static bool is_mean(const struct dc_objective *objective)
{
  const int *when = find(objective->type, objective->options, "when");
  return when && *when == DC_WHEN_EVERY && !find(objective->type, objective->options, "from");
}

static struct dc_objective copy(const struct dc_objective *objective, struct dc_arena *arena)
{
  size_t size = objective->type->options_size;
  struct dc_objective own = {objective->type, dc_arena_alloc(arena, 1, size)};
  if (own.options) {
    memcpy(own.options, objective->options, size);
    if (is_mean(objective))
      *(int *)find(own.type, own.options, "when") = DC_WHEN_END;
  }
  return own;
}

// Copies follow the scene's own objectives, so that their weights can be scaled together. false: nothing is judged
// otherwise than its loss counts, or the task has cases.
bool dc_judged_create(struct dc_judged *judged, const struct dc_task *task, struct dc_arena *arena)
{
  bool differs = false;
  int own = task->objective_count, count = own;
  for (int i = 0; i < own; i++)
    differs = differs || !dc_task_reachable(&task->objectives[i]) || is_mean(&task->objectives[i]);
  *judged = (struct dc_judged){.task = *task, .own = own};
  struct dc_objective *objectives = dc_arena_alloc(arena, 2 * (size_t)own, sizeof *objectives);
  if (!differs || !objectives || task->case_count > 0)
    return false;
  memcpy(objectives, task->objectives, (size_t)own * sizeof *objectives);
  for (int i = 0; i < own; i++)
    if (dc_task_reachable(&task->objectives[i])) {
      objectives[count] = copy(&task->objectives[i], arena);
      if (!objectives[count++].options)
        return false;
    }
  judged->task.objectives = objectives;
  judged->task.objective_count = count;
  return count > own;
}

// Only the weights of objectives that the judged task added: the scene's own stay as they are.
void dc_judged_scale(struct dc_judged *judged, double factor)
{
  for (int i = judged->own; i < judged->task.objective_count; i++) {
    const struct dc_objective *objective = &judged->task.objectives[i];
    for (const struct dc_option *option = objective->type->options; option->name; option++)
      if (option->type == DC_REAL && strstr(option->name, "weight"))
        *(double *)((char *)objective->options + option->offset) *= factor;
  }
}
