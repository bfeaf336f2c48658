// SPDX-License-Identifier: Apache-2.0
// The plan of a run executed in other worlds: open loop, and, of a receding horizon, closed loop.
//
// A world is the scene of the run with an overlay (dc_worlds); every one of them goes through the same two functions,
// open_loop and closed_loop, which see nothing but its scene.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/verify.h"

int dc_verify_world_count(void)
{
  int count = 0;
  while (dc_worlds[count].name)
    count++;
  return count;
}

// A changed scene, opened.
struct opened_world {
  const struct dc_world *world;
  struct dc_arena *arena;
  dcsim_scene *scene;
};

enum { OWN_OVERRIDES = 5 };

// What the world changes, as overrides; after those of the run's own overlay.  Own ones are appended, how many in *count.
static bool list_overrides(const struct dc_verification *v, const struct dc_world *world, struct dc_arena *arena,
                           const char **list, int *count)
{
  const struct dc_model_definition *definition = &v->scene->definition;
  const struct dc_horizon *horizon = &v->scene->horizon;
  const char *made[OWN_OVERRIDES] = {NULL};
  int own = 0;
  bool complete = true;
  if (world->stiffness != 1)
    made[own++] = dc_arena_printf(arena, "contact.stiffness=%.17g", definition->contact.stiffness * world->stiffness);
  if (world->division > 1) {
    made[own++] = dc_arena_printf(arena, "time.step=%.17g", definition->time.step / world->division);
    made[own++] = dc_arena_printf(arena, "time.steps=%ld", definition->time.steps * world->division);
  }
  if (world->division > 1 && v->scene->horizon_given) {
    made[own++] = dc_arena_printf(arena, "horizon.length=%ld", horizon->length * world->division);
    made[own++] = dc_arena_printf(arena, "horizon.apply=%ld", horizon->apply * world->division);
  }
  for (int i = 0; i < own; i++) {
    complete &= made[i] != NULL;
    list[(*count)++] = made[i];
  }
  return complete;
}

// Opens the run's scene as the world has it.  A world that there is none of is no failure: its note says why.
static enum dc_status open_world(struct dc_verification *v, const struct dc_world *world, struct opened_world *opened,
                                 struct dc_world_finding *finding)
{
  char path[2048];
  int count = 0;
  const char **overlay = NULL;
  dcsim_error error = {0};
  opened->world = world;
  opened->arena = dc_arena_create();
  if (!opened->arena)
    return dc_fail(&v->error, DC_MEMORY, "out of memory for a world");
  const struct dc_contact_model *own = v->scene->definition.contact_model;
  if (world->stiffness != 1 && (own->flags & DC_CONTACT_FOREIGN)) {
    snprintf(finding->note, sizeof finding->note, "the contact model %s has no stiffness", own->name);
    return DC_OK;
  }
  bool other = world->model && strcmp(world->model, own->name) != 0;
  if (other && dc_run_read_overlay(v->directory, world->model, opened->arena, &count, &overlay, NULL))
    count = 0;  // of a run without its scene as read: without an overlay
  const char **list = dc_arena_alloc(opened->arena, (size_t)count + OWN_OVERRIDES, sizeof *list);
  if (!list)
    return dc_fail(&v->error, DC_MEMORY, "out of memory for a world");
  for (int i = 0; i < count; i++)
    list[i] = overlay[i];
  if (!list_overrides(v, world, opened->arena, list, &count))
    return dc_fail(&v->error, DC_MEMORY, "out of memory for a world");
  dcsim_scene_options options = {
      .size = sizeof options, .model = other ? world->model : NULL, .override_count = count, .overrides = list};
  snprintf(path, sizeof path, "%s/resolved.json", v->directory);
  int status = dcsim_scene_open(path, &options, &opened->scene, &error);
  if (status && dc_contact_model_not_built(world->model ? world->model : ""))
    snprintf(finding->note, sizeof finding->note, "this build of dcsim is without %s", world->model);
  else if (status)
    snprintf(finding->note, sizeof finding->note, "%.250s", error.text);
  return DC_OK;
}

static void close_world(struct opened_world *opened)
{
  if (opened->scene)
    dcsim_scene_close(opened->scene);
  dc_arena_destroy(opened->arena);
}

static bool go_on(void *context)
{
  return dc_verify_report_progress(context, false) == DC_OK;
}

// The controls of the run in this world, in one piece; in the scene's own world from perturbed starts too.
static enum dc_status open_loop(struct dc_verification *v, const struct opened_world *opened,
                                struct dc_world_finding *finding)
{
  const struct dc_scene *scene = opened->scene->scene;
  struct dc_execution execution;
  struct dc_error local = {0};
  bool own = opened->world == &dc_worlds[0];
  enum dc_status status = dc_execute(&scene->model, &scene->task, v->plan->input, opened->world->division,
                                     own ? v->options->draws : 0, v->options->seed, go_on, v, &execution, &local);
  if (status == DC_STOPPED)
    return v->error.status;
  if (status)
    return dc_fail(&v->error, status, "%.300s", local.text);
  finding->open = execution.reached ? DC_ANSWER_YES : DC_ANSWER_NO;
  if (!execution.ran)
    snprintf(finding->note, sizeof finding->note, "%.250s", execution.error.text);
  if (own) {
    v->found.draws = execution.draws;
    v->found.hits = execution.hits;
    v->found.failed = execution.failed;
  }
  return DC_OK;
}

static bool go_on_with_windows(void *context, const struct dc_plan_iteration *iteration)
{
  (void)iteration;
  return go_on(context);
}

// The windows of the scene planned anew in this world, from what was executed in it so far.
static enum dc_status run_windows(struct dc_verification *v, const struct dc_scene *scene,
                                  struct dc_world_finding *finding)
{
  struct dc_error local = {0};
  struct dc_horizon_observer observer = {.context = v, .iterated = go_on_with_windows, .applied = go_on_with_windows};
  struct dc_receding_horizon *horizon = dc_horizon_create(&scene->model, &scene->task, &scene->horizon,
                                                          scene->optimizer, scene->optimizer_options, &local);
  if (!horizon)
    return local.status == DC_MEMORY ? dc_fail(&v->error, DC_MEMORY, "%.300s", local.text) : DC_OK;
  dc_plan_set_gradient(horizon->plan, &scene->gradient);
  horizon->plan->first_guess = scene->first_guess;
  enum dc_status status = dc_horizon_run(horizon, &observer, &local);
  finding->closed = !status && horizon->success ? DC_ANSWER_YES : DC_ANSWER_NO;
  if (status == DC_NUMERICAL)
    snprintf(finding->closed_note, sizeof finding->closed_note, "%.250s", local.text);
  dc_horizon_destroy(horizon);
  if (status == DC_STOPPED)
    return v->error.status;
  return status && status != DC_NUMERICAL ? dc_fail(&v->error, status, "%.300s", local.text) : DC_OK;
}

static enum dc_status closed_loop(struct dc_verification *v, const struct opened_world *opened,
                                  struct dc_world_finding *finding)
{
  const struct dc_scene *scene = opened->scene->scene;
  const char *why = NULL;
  if (!v->scene->horizon_given)
    why = "the scene has no receding horizon";
  else if (v->options->quick)
    why = "not tried: quick";
  else if (!dc_model_has_adjoint(&scene->model))
    why = "the contact model has no gradient to plan with";
  if (!why)
    return run_windows(v, scene, finding);
  snprintf(finding->closed_note, sizeof finding->closed_note, "%s", why);
  return DC_OK;
}

// Whether an objective compares frames with a recording, which has steps of its own.
static bool follows_frames(const struct dc_task *task)
{
  for (int i = 0; i < task->objective_count; i++)
    if (strcmp(task->objectives[i].type->name, "follow") == 0)
      return true;
  return false;
}

static bool has_goal(const struct dc_task *task)
{
  for (int i = 0; i < task->objective_count; i++)
    if (task->objectives[i].type->report)
      return true;
  return false;
}

static enum dc_status try_world(struct dc_verification *v, const struct dc_world *world,
                                struct dc_world_finding *finding)
{
  struct opened_world opened = {0};
  if (world->division > 1 && follows_frames(&v->scene->task)) {
    snprintf(finding->note, sizeof finding->note, "an objective follows the frames of a recording");
    return DC_OK;
  }
  enum dc_status status = open_world(v, world, &opened, finding);
  if (!status && opened.scene)
    status = open_loop(v, &opened, finding);
  if (!status && opened.scene)
    status = closed_loop(v, &opened, finding);
  close_world(&opened);
  return status;
}

enum dc_status dc_verify_worlds(struct dc_verification *v)
{
  enum dc_status status = DC_OK;
  v->found.reachable = has_goal(&v->scene->task);
  for (int i = 0; dc_worlds[i].name && v->found.reachable && !status; i++)
    if (!(status = try_world(v, &dc_worlds[i], &v->found.worlds[i])))
      status = dc_verify_report_progress(v, true);
  return status;
}
