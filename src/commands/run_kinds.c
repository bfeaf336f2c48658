// SPDX-License-Identifier: Apache-2.0
// The kinds of runs.  Each is a way to make a plan or a horizon, to begin its files, to compute and to tell the
// outcome:
//   simulation    one rollout of given parameters, or of the first guess; frames may go to a file;
//   optimization  a minimization of one plan, or a search of many (plan/search.h);
//   horizon       windows that are optimized one after the other, of which the first steps are applied;
//   replay        a simulation with the controls of a horizon: its windows are executed, not optimized.
// dc_session_choose_kind reads scene and options; run.c calls the members in the order prepare, begin, compute,
// outcome, headline, and knows no kind by name.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/session.h"

// Restarts near the best point where an optimization is blocked (dc_plan_continue).  Each costs a few iterations; more
// than a handful repeat the same failure.
enum { MOST_RETREATS = 4 };

// Bodies that overlap are refused before anything is created; a horizon has no plan of the whole run.
// The plan to check with is the session's; a horizon borrows one of no steps, which has contact and start alone.
// Checks in order: overlap, bodies that start within a barrier's range (a warning), the gradient's conditions, the
// cases' starts.
static enum dc_status check_start(struct session *session, const double *parameters)
{
  const struct dc_scene *scene = session->scene->scene;
  int steps = session->plan ? session->plan->window.steps : 0;
  struct dc_plan *plan =
      session->plan ? session->plan : dc_plan_create(&scene->model, &scene->task, 0, &session->error);
  if (!plan)
    return session->error.status;
  dc_parameters_resize(&scene->task, &scene->model, (int)scene->definition.time.steps, parameters, steps,
                       plan->parameters);
  enum dc_status status = dc_api_check_start(scene, plan, &session->error);
  if (!status)
    status = dc_api_find_inside(plan, &session->inside, &session->error);
  if (!status && session->optimizing)
    status = dc_api_check_gradient(scene, plan, &session->error);
  if (!session->plan)
    dc_plan_destroy(plan);
  return status ? status : dc_session_check_cases(session, parameters, &session->error);
}

// How the plan's gradients are computed and its first guess is found.
static void set_up(struct session *session, struct dc_plan *plan)
{
  const struct dc_scene *scene = session->scene->scene;
  dc_plan_set_gradient(plan, &scene->gradient);
  plan->helpers.crew = session->crew;
  plan->stop = &session->stop;
  dc_plan_set_cancel(plan, session->options->poll ? &session->poll.request : NULL);
  plan->guess.settings = scene->first_guess;
  plan->guess.observer = (struct dc_first_guess_observer){dc_session_observe_draw, session};
}

// A plan of the whole run, or *error, which is the session's.
static enum dc_status take_plan(struct session *session, struct dc_plan *plan, const double *parameters)
{
  session->plan = plan;
  if (!plan)
    return session->error.status;
  set_up(session, plan);
  return check_start(session, parameters);
}

// A simulation has one trajectory, in memory or in a file if it is large.  With a plant the plan's rollouts are
// executed in that.
static enum dc_status prepare_simulation(struct session *session, const double *parameters)
{
  const struct dc_scene *scene = session->scene->scene;
  int steps = (int)scene->definition.time.steps;
  bool in_file = !dc_session_writes_nothing(session) && dc_api_frames_in_file(scene);
  enum dc_status status = take_plan(
      session, dc_plan_create_forward(&scene->model, &scene->task, steps, in_file, &session->error), parameters);
  if (status || !scene->plant_given)
    return status;
  session->execution = session->plan->execution = dc_execution_create(&scene->plant, steps, &session->error);
  if (!session->execution)
    return session->error.status;
  dc_rollout_set_cancel(dc_execution_rollout(session->execution), session->plan->cancel);
  return DC_OK;
}

// Frames that are many are kept in a file of the run's directory.
static enum dc_status begin_simulation(struct session *session)
{
  enum dc_status status = dc_session_open_run(session);
  if (status || !session->run || !dc_api_frames_in_file(session->scene->scene))
    return status;
  struct dc_mapped_file file;
  status = dc_run_spool(session->run, dc_record_bytes(session->plan->model, session->plan->sizes.steps), &file,
                        &session->error);
  return status ? status : dc_plan_use_file(session->plan, &file, &session->error);
}

// One rollout with its loss, reported as iteration 0.  Stopped on the way, it is the run of the steps done so far.
// First and best parameters are those that were rolled out, so that a simulation writes the files of an optimization.
static enum dc_status simulate(struct session *session, struct dc_error *error)
{
  struct dc_plan *plan = session->plan;
  double loss;
  enum dc_status status = dc_plan_simulate(plan, dc_session_observe_step, session, &loss, error);
  if (status && status != DC_STOPPED)
    return status;
  size_t bytes = (size_t)plan->parameter_count * sizeof(double);
  memcpy(plan->descent.first_parameters, plan->parameters, bytes);
  memcpy(plan->descent.best_parameters, plan->parameters, bytes);
  struct dc_plan_iteration iteration = {.loss = loss,
                                        .gradient_norm = NAN,
                                        .min_gap = dc_trajectory_gap(plan->trajectory, 0, plan->window.steps),
                                        .best = true,
                                        .newton_iterations = plan->work.newton_iterations,
                                        .parameter_count = plan->parameter_count,
                                        .parameters = plan->parameters};
  dc_session_observe_iteration(session, &iteration);
  return session->row_status ? session->row_status : status;
}

// A plan with the scene's optimizer, or a search that makes plans as it goes on.  Only the plan alone begins
// again near its best point where nothing can be rolled out: a search has its own ways.
static enum dc_status prepare_optimization(struct session *session, const double *parameters)
{
  const struct dc_scene *scene = session->scene->scene;
  enum dc_status status = take_plan(
      session, dc_plan_create(&scene->model, &scene->task, (int)scene->definition.time.steps, &session->error),
      parameters);
  if (status)
    return status;
  if (dc_search_wanted(&scene->search)) {
    session->search = dc_search_create(session->plan, &scene->search, scene->optimizer, scene->optimizer_options,
                                       parameters, &session->error);
    return session->search ? DC_OK : session->error.status;
  }
  session->plan->descent.most_retreats = MOST_RETREATS;
  return dc_plan_begin(session->plan, scene->optimizer, scene->optimizer_options, parameters, &session->error);
}

// An optimization has a checkpoint from the beginning: whenever it is killed, it can be resumed.
static enum dc_status begin_optimization(struct session *session)
{
  if (session->options->resume)
    return dc_session_resume(session);
  enum dc_status status = dc_session_open_run(session);
  return status ? status : dc_session_checkpoint(session);
}

// An iteration that was stopped has no checkpoint yet.
// An iteration that ended writes its checkpoint as usual; one that was interrupted within has none, and is repeated
// when the run is resumed.
static enum dc_status keep_stopped(struct session *session, enum dc_status status)
{
  if (status == DC_STOPPED && atomic_load(&session->stop.stopped) && !session->row_status)
    session->row_status = dc_session_checkpoint(session);
  return status;
}

// A search makes several descents; a single plan continues from where prepare_optimization or a checkpoint left it.
static enum dc_status optimize(struct session *session, struct dc_error *error)
{
  dc_stop_request_begin(&session->stop, dc_session_observe_jacobian, session);
  enum dc_status status = session->search
                              ? dc_search_run(session->search, dc_session_observe_iteration, session, error)
                              : dc_plan_continue(session->plan, dc_session_observe_iteration, session, error);
  return keep_stopped(session, status);
}

static enum dc_status save_plan(const struct session *session, struct dc_snapshot *snapshot)
{
  return session->search ? dc_search_save(session->search, snapshot) : dc_plan_save(session->plan, snapshot);
}

static enum dc_status load_plan(struct session *session, const struct dc_snapshot *snapshot)
{
  return session->search ? dc_search_load(session->search, snapshot, &session->error)
                         : dc_plan_load(session->plan, snapshot, &session->error);
}

// The horizon has a plan of one window, which gets the settings that a plan of the whole run would.
static enum dc_status prepare_horizon(struct session *session, const double *parameters)
{
  const struct dc_scene *scene = session->scene->scene;
  enum dc_status status = check_start(session, parameters);
  if (status)
    return status;
  session->horizon = dc_horizon_create(&scene->model, &scene->task, &scene->horizon, scene->optimizer,
                                       scene->optimizer_options, &session->error);
  if (!session->horizon)
    return session->error.status;
  dc_horizon_set_parameters(session->horizon, parameters);
  set_up(session, session->horizon->plan);
  return DC_OK;
}

// Runs the windows of a horizon, optimized or replayed.
// A stop request within an iteration takes this iteration back; the steps applied so far stay.
static enum dc_status run_windows(struct session *session, struct dc_error *error)
{
  struct dc_horizon_observer observer = {
      .context = session, .iterated = dc_session_observe_window, .applied = dc_session_observe_steps};
  dc_stop_request_begin(&session->stop, dc_session_observe_jacobian, session);
  return keep_stopped(session, dc_horizon_run(session->horizon, &observer, error));
}

static enum dc_status save_horizon(const struct session *session, struct dc_snapshot *snapshot)
{
  return dc_horizon_save(session->horizon, snapshot);
}

static enum dc_status load_horizon(struct session *session, const struct dc_snapshot *snapshot)
{
  return dc_horizon_load(session->horizon, snapshot, &session->error);
}

// A run of a receding horizon was driven by its windows' targets, which the control cannot give again: they are read
// from the recording.
static enum dc_status prepare_replay(struct session *session, const double *parameters)
{
  const struct dc_scene *scene = session->scene->scene;
  enum dc_status status = check_start(session, parameters);
  if (status)
    return status;
  session->horizon = dc_horizon_create_replay(&scene->model, &scene->task, &session->earlier.targets,
                                              session->earlier.control, scene->horizon.plant, &session->error);
  return session->horizon ? DC_OK : session->error.status;
}

static const struct run_kind simulation = {.prepare = prepare_simulation,
                                           .begin = begin_simulation,
                                           .compute = simulate,
                                           .outcome = dc_session_plan_outcome,
                                           .headline = dc_session_say_simulated};
static const struct run_kind optimization = {.prepare = prepare_optimization,
                                             .begin = begin_optimization,
                                             .compute = optimize,
                                             .save = save_plan,
                                             .load = load_plan,
                                             .outcome = dc_session_plan_outcome,
                                             .headline = dc_session_say_optimized};
static const struct run_kind horizon = {.prepare = prepare_horizon,
                                        .begin = begin_optimization,
                                        .compute = run_windows,
                                        .save = save_horizon,
                                        .load = load_horizon,
                                        .outcome = dc_session_horizon_outcome,
                                        .headline = dc_session_say_applied};
static const struct run_kind replay = {.prepare = prepare_replay,
                                       .begin = dc_session_open_run,
                                       .compute = run_windows,
                                       .outcome = dc_session_horizon_outcome,
                                       .headline = dc_session_say_replayed};

// A simulation with the controls of a receding horizon executes what that one executed, the way it did: rolled out in
// one piece, contact would take the run elsewhere.  Its steps and controls must mean the same here.
// A replay needs stored targets, a scene with a horizon, at least as many steps as were applied, and the same
// controls at the same times.
static bool is_replay(const struct session *session)
{
  const struct dc_scene *scene = session->scene->scene;
  const struct dc_applied_targets *targets = &session->earlier.targets;
  return targets->position && scene->horizon_given && targets->steps <= scene->definition.time.steps &&
         dc_run_has_controls_of(session->options->control_run, scene, true);
}

// The scene decides between plan and horizon, and the command between optimizing and simulating.  Controls of a
// horizon that cannot be replayed are simulated in one piece, which the session notes.
const struct run_kind *dc_session_choose_kind(struct session *session)
{
  if (session->optimizing)
    return session->scene->scene->horizon_given ? &horizon : &optimization;
  bool replays = is_replay(session);
  session->in_one_piece = session->earlier.targets.position && !replays;
  return replays ? &replay : &simulation;
}
