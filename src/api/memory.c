// SPDX-License-Identifier: Apache-2.0
// The memory that a run needs, before it runs.
#include <math.h>
#include <stdio.h>

#include "api/internal.h"
#include "base/memory_limit.h"
#include "base/threads.h"
#include "math/libraries.h"
#include "plan/plan_memory.h"

// Bytes with one decimal in MB or GB, powers of 1000; the text is returned, so that the call may stand among
// arguments.
const char *dc_api_format_bytes(double bytes, char text[32])
{
  bool large = bytes >= 1e9;
  snprintf(text, 32, large ? "%.1f GB" : "%.1f MB", bytes / (large ? 1e9 : 1e6));
  return text;
}

// Beyond this many bytes of frames; below, a file would only cost time.
static const size_t MOST_FRAMES = 64 << 20;

// Whether the frames of a simulation are kept in a file rather than in memory.
bool dc_api_frames_in_file(const struct dc_scene *scene)
{
  return dc_record_bytes(&scene->model, (int)scene->definition.time.steps) > MOST_FRAMES;
}

// Bytes of a loss with its gradient over `steps` steps: roll-out, plan and what the plan keeps.  Estimated
// gradients have a plan of their own, so that the sum counts twice.
double dc_api_problem_bytes(const struct dc_scene *scene, double steps)
{
  double bytes = dc_rollout_bytes(&scene->model) + dc_plan_bytes(&scene->model, &scene->task, steps) +
                 dc_plan_kept_bytes(&scene->model, &scene->task, steps);
  // estimated gradients have a plan of their own, and as many more as there are threads where memory allows
  return scene->gradient.type == DC_GRADIENT_ADJOINT ? bytes : 2 * bytes;
}

// Estimates the bytes of a run: roll-out and plan, with a plant its execution, with a search a plan per
// candidate, and with a receding horizon a plan of its length in place of one of all steps.
// With in_memory, frames are kept in memory whatever their size, as for a run without a directory.  A search that is
// bounded by rollouts holds the members of one round at once, at least three.
double dc_api_run_bytes(const struct dc_scene *scene, bool optimizing, bool in_memory)
{
  const struct dc_model *model = &scene->model;
  double steps = (double)scene->definition.time.steps;
  // With a plant, the first guess of a horizon is executed as a whole.
  double plant = scene->plant_given ? dc_execution_bytes(&scene->plant, steps) : 0;
  if (!optimizing)
    return dc_rollout_bytes(model) + plant +
           dc_forward_plan_bytes(model, &scene->task, steps, !in_memory && dc_api_frames_in_file(scene));
  const struct dc_search_settings *search = &scene->search;
  bool horizon = scene->horizon_given;
  double length = horizon ? fmin((double)scene->horizon.length, steps) : steps;
  double bytes = plant + dc_api_problem_bytes(scene, length);
  if (dc_search_wanted(search))  // the members of a round beside the plan
    return bytes * (1 + (search->portfolio.rollouts > 0 ? fmax(3, (double)search->portfolio.candidates) : 1));
  return horizon
             ? bytes - dc_plan_bytes(model, &scene->task, length) + dc_horizon_bytes(model, &scene->task, length, steps)
             : bytes;
}

// Refuses a run that needs more than the limit of memory before anything is allocated: the message names steps,
// bodies, pairs and which limit it is.  Memory of OpenBLAS, which ends the process where it has none, is
// reserved first.
// The limit is the tightest of physical memory, the process's limits of address space and data, and the control group's
// (base/memory_limit.h).  An estimate that is not a number passes.
enum dc_status dc_api_check_memory(const struct dc_scene *scene, double bytes, struct dc_error *error)
{
  enum dc_status status = dc_blas_reserve(dc_threads(), error);
  if (status)
    return status;
  struct dc_memory_limit limit = dc_memory_limit();
  if (!(bytes > limit.bytes))
    return DC_OK;
  char needed[32], left[32];
  dc_fail(error, DC_MEMORY, "%ld steps of %d bodies (%d pairs) need about %s of memory, more than the %s that %s %s",
          scene->definition.time.steps, scene->model.bodies.count, dc_model_pair_count(&scene->model),
          dc_api_format_bytes(bytes, needed), dc_api_format_bytes(limit.bytes, left), limit.name,
          limit.name[0] == 'R' ? "leaves" : "allows");
  return dc_scene_wrap(scene, DC_PART_TIME, 0, error);
}

// The number of steps that the optimizer sees at a time: those of a window, or of the whole run.
int dc_api_optimized_steps(const struct dc_scene *scene)
{
  long all = scene->definition.time.steps;
  return (int)(scene->horizon_given && scene->horizon.length < all ? scene->horizon.length : all);
}
