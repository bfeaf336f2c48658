// SPDX-License-Identifier: Apache-2.0
// The plan of a run executed in other worlds: open loop, and, of a receding horizon, closed loop.
//
// A world is a plant (plan/plant.h): what the run was executed in, its scene's plant or the scene's own world, with an
// overlay (dc_worlds).  Plans are made in the scene's own world, whatever they are executed in.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/run_scene.h"
#include "base/clock.h"
#include "commands/verify.h"

// The scene of the run with another plant, opened.
struct opened_world {
  const struct dc_world *world;
  struct dc_arena *arena;
  dcsim_scene *scene;
  struct dc_plant plant;  // of that scene
};

// Overrides that a world adds to those of an overlay: stiffness and step.
enum { OWN_OVERRIDES = 2 };

// Counts a check that is done, tells the caller, and turns its wish to stop into a status.  Checkpoints have no
// meaning here.
enum dc_status dc_verify_report_progress(struct dc_verification *v, bool done)
{
  v->checks_done += done;
  dcsim_progress progress = {.iteration = v->checks_done,
                             .iterations = v->checks,
                             .loss = NAN,
                             .best_loss = NAN,
                             .gradient_norm = NAN,
                             .min_gap = NAN,
                             .seconds = dc_seconds() - v->began,
                             .unit = "check",
                             .fraction = (double)v->checks_done / v->checks};
  const dcsim_verify_options *options = v->options;
  int answer = options->progress ? options->progress(options->progress_context, &progress) : 0;
  if (answer && answer != DCSIM_PROGRESS_CHECKPOINT)
    return dc_fail(&v->error, DC_STOPPED, "%.300s: stopped; no certificate is written", v->directory);
  return DC_OK;
}

static const struct dc_scene *resolved_scene(const struct dc_verification *v)
{
  return v->resolved->scene;
}

// A scene in another simulator's world has no plant: it is opened in the other world itself.
static bool is_foreign(const struct dc_verification *v)
{
  return resolved_scene(v)->definition.contact_model->flags & DC_CONTACT_FOREIGN;
}

// The world in which the run was executed.
static const struct dc_model_definition *executed_in(const struct dc_verification *v)
{
  const struct dc_scene *scene = resolved_scene(v);
  return scene->plant_given ? &scene->plant.model.definition : &scene->definition;
}

// Whether an override is of a section that a plant has.
static bool is_of_plant(const char *override)
{
  static const char *const sections[] = {"time.step=", "contact.", "solver.", "mujoco."};
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
    if (strncmp(override, sections[i], strlen(sections[i])) == 0)
      return true;
  return false;
}

// The overlay [count] that the run's scene has for the world's model, and what the world itself changes, as overrides.
// A plant is a section of the scene, so that its settings have the prefix "plant."; another simulator's world has
// none and is overridden directly.  Overrides of the overlay that a plant has no section for, such as tasks and
// bodies, are left out. Numbers are printed with 17 digits, which give the same bits again.  The list is allocated in
// the arena.
static enum dc_status list_overrides(struct dc_verification *v, const struct dc_world *world, struct dc_arena *arena,
                                     int count, const char *const *overlay, dcsim_scene_options *options)
{
  const struct dc_model_definition *definition = executed_in(v);
  const char *prefix = is_foreign(v) ? "" : "plant.";
  bool stepped = resolved_scene(v)->plant_given || world->division > 1, complete = true;
  const char **list = dc_arena_alloc(arena, (size_t)count + OWN_OVERRIDES, sizeof *list);
  int listed = 0;
  for (int i = 0; i < count && list; i++)
    if (is_foreign(v) || is_of_plant(overlay[i]))
      complete &= (list[listed++] = dc_arena_printf(arena, "%s%s", prefix, overlay[i])) != NULL;
  if (list && world->stiffness != 1)
    complete &= (list[listed++] = dc_arena_printf(arena, "%scontact.stiffness=%.17g", prefix,
                                                  definition->contact.stiffness * world->stiffness)) != NULL;
  if (list && stepped)
    complete &= (list[listed++] = dc_arena_printf(arena, "%stime.step=%.17g", prefix,
                                                  definition->time.step / world->division)) != NULL;
  options->override_count = listed;
  options->overrides = list;
  return list && complete ? DC_OK : dc_out_of_memory_for(&v->error, "a world");
}

// Opens the run's scene with the world as its plant.  A world that there is none of is no failure: its note says why.
// The steps:
// 1. the contact model that executed the run is compared with the world's; a stiffness factor needs one with stiffness;
// 2. the overlay that the scene keeps for another model is read from the run's directory, if there is one;
// 3. overlay, stiffness and step become overrides of the stored scene, which is opened again;
// 4. the plant is the opened scene's, or, for another simulator, its own world with `division` substeps.
static enum dc_status open_world(struct dc_verification *v, const struct dc_world *world, struct opened_world *opened,
                                 struct dc_world_finding *finding)
{
  int count = 0;
  const char **overlay = NULL;
  dcsim_error error = {0};
  opened->world = world;
  opened->arena = dc_arena_create();
  if (!opened->arena)
    return dc_out_of_memory_for(&v->error, "a world");
  const struct dc_contact_model *own = executed_in(v)->contact_model;
  if (world->stiffness != 1 && (own->flags & DC_CONTACT_FOREIGN)) {
    snprintf(finding->note, sizeof finding->note, "the contact model %s has no stiffness", own->name);
    return DC_OK;
  }
  bool other = world->model && strcmp(world->model, own->name) != 0;
  if (other && dc_run_read_overlay(v->directory, world->model, opened->arena, &count, &overlay, NULL))
    count = 0;  // of a run without its scene as read: without an overlay
  dcsim_scene_options options = {.size = sizeof options, .confined = v->options->untrusted};
  if (list_overrides(v, world, opened->arena, count, overlay, &options))
    return DC_MEMORY;
  if (is_foreign(v))
    options.model = other ? world->model : NULL;
  else if (other || !resolved_scene(v)->plant_given)
    options.plant = other ? world->model : "{}";
  int status = dc_api_open_run_scene(v->directory, "resolved.json", &options, &opened->scene, &error);
  if (status && dc_contact_model_not_built(world->model ? world->model : ""))
    snprintf(finding->note, sizeof finding->note, "this build of dcsim is without %s", world->model);
  else if (status)
    snprintf(finding->note, sizeof finding->note, "%.250s", error.text);
  else if (is_foreign(v))
    opened->plant = (struct dc_plant){.model = opened->scene->scene->model, .substeps = world->division};
  else
    opened->plant = opened->scene->scene->plant;
  return DC_OK;
}

static void close_world(struct opened_world *opened)
{
  if (opened->scene)
    dcsim_scene_close(opened->scene);
  dc_arena_destroy(opened->arena);
}

// A sign of life within a long check.
static bool go_on(void *context)
{
  return dc_verify_report_progress(context, false) == DC_OK;
}

// The world in which starts are perturbed.
static bool is_first(const struct opened_world *opened)
{
  return opened->world == &dc_worlds[0];
}

// The controls of the run in this world, in one piece; in the first world from perturbed starts too.
// The exact start is executed first, then v->options->draws perturbed ones.  A rollout that fails is an answer,
// namely that the plan does not reach its task there; only memory and the caller's wish to stop are failures of the
// command.
static enum dc_status open_loop(struct dc_verification *v, const struct opened_world *opened,
                                struct dc_world_finding *finding)
{
  struct dc_executions executions;
  struct dc_error local = {0};
  enum dc_status status =
      dc_execute(&opened->plant, &v->scene->model, &v->scene->task, v->plan->input,
                 is_first(opened) ? v->options->draws : 0, v->options->seed, go_on, v, &executions, &local);
  if (status == DC_STOPPED)
    return v->error.status;
  if (status == DC_MEMORY)
    return dc_fail(&v->error, status, "%.300s", local.text);
  finding->open = !status && executions.reached ? DC_ANSWER_YES : DC_ANSWER_NO;
  if (status || !executions.ran)
    snprintf(finding->note, sizeof finding->note, "%.250s", status ? local.text : executions.error.text);
  if (is_first(opened) && !status) {
    v->found.draws = executions.draws;
    v->found.hits = executions.hits;
    v->found.failed = executions.failed;
  }
  return DC_OK;
}

static bool go_on_with_windows(void *context, const struct dc_plan_iteration *iteration)
{
  (void)iteration;
  return go_on(context);
}

// The windows of the scene planned anew, in its own world, from what was executed of them in this one; *reached: at
// last.
// A window that cannot be planned (DC_NUMERICAL) ends the horizon without success, and *failure has its message.  Any
// other failure is one of the command.
static enum dc_status run_windows(struct dc_verification *v, const struct dc_scene *scene, const struct dc_plant *plant,
                                  bool *reached, struct dc_error *failure)
{
  struct dc_horizon windows = scene->horizon;
  struct dc_horizon_observer observer = {.context = v, .iterated = go_on_with_windows, .applied = go_on_with_windows};
  windows.plant = plant;
  *reached = false;
  struct dc_receding_horizon *horizon =
      dc_horizon_create(&scene->model, &scene->task, &windows, scene->optimizer, scene->optimizer_options, failure);
  if (!horizon)
    return failure->status == DC_MEMORY ? dc_fail(&v->error, DC_MEMORY, "%.300s", failure->text) : DC_OK;
  dc_plan_set_gradient(horizon->plan, &scene->gradient);
  horizon->plan->guess.settings = scene->first_guess;
  enum dc_status status = dc_horizon_run(horizon, &observer, failure);
  *reached = !status && horizon->success;
  dc_horizon_destroy(horizon);
  if (status == DC_STOPPED)
    return v->error.status;
  return status && status != DC_NUMERICAL ? dc_fail(&v->error, status, "%.300s", failure->text) : DC_OK;
}

// The same from perturbed starts, of which the windows know nothing until they see what came of them.
// Each draw has its own random stream, made of seed and number, so that one draw may be repeated alone.  The contact
// of a separate execution sees overlaps; such a start is drawn anew.
static enum dc_status run_perturbed_windows(struct dc_verification *v, const struct opened_world *opened)
{
  const struct dc_scene *scene = opened->scene->scene;
  struct dc_plant plant = opened->plant;
  struct dc_execution *execution = dc_execution_create(&plant, 1, &v->error);
  struct dc_rollout_input *start = dc_rollout_input_create(&plant.model, 0);
  enum dc_status status = execution && start ? DC_OK : dc_out_of_memory_for(&v->error, "a start");
  plant.instead = start;
  for (int draw = 1; draw <= v->options->closed_draws && !status; draw++) {
    struct dc_error failure = {0};
    bool reached = false;
    dc_rollout_input_reset(&plant.model, start);
    status = dc_perturb_input(dc_rollout_contact(dc_execution_rollout(execution)), &plant.model, v->options->seed, draw,
                              start, &v->error);
    if (!status)
      status = run_windows(v, scene, &plant, &reached, &failure);
    v->found.closed_hits += reached;
    v->found.closed_draws += !status;
  }
  dc_rollout_input_destroy(start);
  dc_execution_destroy(execution);
  return status;
}

// Tries the run with its receding horizon in another world: the plans are made in the scene's own, their steps executed
// there.  Without a horizon or a gradient a note says why it was not tried.
static enum dc_status closed_loop(struct dc_verification *v, const struct opened_world *opened,
                                  struct dc_world_finding *finding)
{
  const struct dc_scene *scene = opened->scene->scene;
  const char *why = NULL;
  bool reached;
  struct dc_error failure = {0};
  if (!scene->horizon_given)
    why = "the scene has no receding horizon";
  else if (v->options->quick)
    why = "not tried: quick";
  else if (!dc_model_has_adjoint(&scene->model))
    why = "the contact model of the plans has no gradient";
  if (why) {
    snprintf(finding->closed_note, sizeof finding->closed_note, "%s", why);
    return DC_OK;
  }
  enum dc_status status = run_windows(v, scene, &opened->plant, &reached, &failure);
  if (status)
    return status;
  finding->closed = reached ? DC_ANSWER_YES : DC_ANSWER_NO;
  snprintf(finding->closed_note, sizeof finding->closed_note, "%.250s", failure.text);
  return is_first(opened) ? run_perturbed_windows(v, opened) : DC_OK;
}

static bool has_goal(const struct dc_task *task)
{
  for (int i = 0; i < task->objective_count; i++)
    if (dc_task_reachable(&task->objectives[i]))
      return true;
  return false;
}

// Opens one world, tries the plan in it, and closes it.  A world that cannot be opened has a note and no
// answer.
static enum dc_status try_world(struct dc_verification *v, const struct dc_world *world,
                                struct dc_world_finding *finding)
{
  struct opened_world opened = {0};
  enum dc_status status = open_world(v, world, &opened, finding);
  if (!status && opened.scene)
    status = open_loop(v, &opened, finding);
  if (!status && opened.scene)
    status = closed_loop(v, &opened, finding);
  close_world(&opened);
  return status;
}

// All worlds in their order, if the task can be reached at all.
enum dc_status dc_verify_worlds(struct dc_verification *v)
{
  enum dc_status status = DC_OK;
  v->found.reachable = has_goal(&v->scene->task);
  for (int i = 0; dc_worlds[i].name && v->found.reachable && !status; i++)
    if (!(status = try_world(v, &dc_worlds[i], &v->found.worlds[i])))
      status = dc_verify_report_progress(v, true);
  return status;
}
