// SPDX-License-Identifier: Apache-2.0
// Simulation and optimization with a run directory.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/refine.h"
#include "api/glb.h"
#include "api/session.h"
#include "base/clock.h"

static bool writes_nothing(const struct session *session)
{
  const char *asked = session->options->directory;
  return asked && strcmp(asked, "none") == 0;
}

// Whether the frames of the run, a simulation, are kept in a file of its directory.
static bool frames_in_file(const struct session *session)
{
  return !session->optimizing && !session->horizon && !writes_nothing(session) &&
         dc_api_frames_in_file(session->scene->scene);
}

enum dc_status dc_session_open_run(struct session *session)
{
  const char *asked = session->options->directory;
  if (writes_nothing(session))
    return DC_OK;
  char made[900];
  if (!asked) {
    char stamp[32];
    dc_utc_compact_stamp(stamp, sizeof stamp);
    snprintf(made, sizeof made, "runs/%.200s-%s", session->scene->scene->name, stamp);
    asked = made;
  }
  return dc_run_create(asked, session->scene->scene, &session->run, &session->error);
}

// Opens a new run.  An optimization has a checkpoint from the beginning: whenever it is killed, it can be resumed.
static enum dc_status begin_run(struct session *session)
{
  enum dc_status status = dc_session_open_run(session);
  if (!status && frames_in_file(session)) {
    struct dc_mapped_file file;
    status = dc_run_spool(session->run, dc_record_bytes(session->plan->model, session->plan->capacity), &file,
                          &session->error);
    if (!status)
      status = dc_plan_use_file(session->plan, &file, &session->error);
  }
  return status || !session->optimizing ? status : dc_session_checkpoint(session);
}

// Bodies that overlap are refused before anything is created; a horizon has no plan of the whole run.
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
  if (!session->plan)
    dc_plan_destroy(plan);
  return status;
}

// A simulation with the controls of a receding horizon executes what that one executed, the way it did: rolled out in one
// piece, contact would take the run elsewhere.  Its steps and controls must mean the same here.
static bool is_replay(struct session *session, const struct dc_stored_trajectory *stored)
{
  const struct dc_scene *scene = session->scene->scene;
  if (session->optimizing || !stored->targets.position)
    return false;
  bool same = scene->horizon_given && stored->targets.steps <= scene->definition.time.steps &&
              dc_run_has_controls_of(session->options->control_run, scene);
  session->in_one_piece = !same;
  return same;
}

// First guess [of all steps]: the scene's, or the parameters of an earlier run with the same controls as far as it
// went.  A replay makes its horizon of them.
static enum dc_status take_controls(struct session *session, double *parameters)
{
  const struct dc_scene *scene = session->scene->scene;
  const char *earlier = session->options->control_run;
  int steps = (int)scene->definition.time.steps;
  dc_task_initial(&scene->task, &scene->model, steps, parameters);
  if (!earlier)
    return DC_OK;
  struct dc_stored_trajectory stored = {0};
  enum dc_status status = dc_run_read_trajectory(earlier, scene, &stored, &session->error);
  if (!status)
    dc_parameters_resize(&scene->task, &scene->model, stored.frames - 1, stored.control, steps, parameters);
  if (!status && is_replay(session, &stored)) {
    status = check_start(session, parameters);
    if (!status)
      session->horizon =
          dc_horizon_create_replay(&scene->model, &scene->task, &stored.targets, stored.control, &session->error);
    if (!status && !session->horizon)
      status = session->error.status;
  }
  dc_arena_destroy(stored.arena);
  return status;
}

// Adds a row to the run, unless there is none.
static void add_row(struct session *session, const struct dc_plan_iteration *iteration)
{
  struct dc_run_row row = {.iteration = iteration->iteration,
                           .loss = iteration->loss,
                           .gradient_norm = iteration->gradient_norm,
                           .newton_iterations = iteration->newton_iterations,
                           .min_gap = iteration->min_gap,
                           .best = iteration->best,
                           .seconds = dc_seconds() - session->start,
                           .parameter_count = iteration->parameter_count,
                           .parameters = iteration->parameters};
  if (session->run)
    session->row_status = dc_run_add_row(session->run, &row, &session->error);
  session->rows += !session->row_status;
}

// Tells the caller, asks whether to stop, writes a checkpoint when it is time.  False: stop.
static bool go_on(struct session *session, dcsim_progress *progress)
{
  const dcsim_run_options *options = session->options;
  int answer = 0;
  if (session->row_status)
    return false;
  progress->seconds = dc_seconds() - session->began;
  if (options->progress)
    answer = options->progress(options->progress_context, progress);
  if (answer != 0 && answer != DCSIM_PROGRESS_CHECKPOINT) {
    session->stop_status = answer;
    session->stopped = true;
  }
  if (options->max_seconds > 0 && dc_seconds() - session->began >= options->max_seconds)
    session->stopped = true;
  bool asked = answer == DCSIM_PROGRESS_CHECKPOINT || session->checkpoint_asked;
  session->checkpoint_asked = false;
  if (session->optimizing)
    session->row_status = dc_session_checkpoint_if_due(session, asked);
  return !session->row_status && !session->stopped;
}

// Share of the iterations that are done when the one with this number, counted from 0, is.
static double share(int iteration, long iterations)
{
  return fmin(1, (iteration + 1.0) / ((double)iterations + 1));
}

// Draws cannot be stopped: the trajectory that a run leaves is one of an iteration.
static void observe_draw(void *context, long draw, long draws)
{
  struct session *session = context;
  const struct dc_receding_horizon *horizon = session->horizon;
  dcsim_progress progress = {.iteration = (int)draw,
                             .iterations = (int)draws,
                             .loss = NAN,
                             .best_loss = NAN,
                             .gradient_norm = NAN,
                             .min_gap = NAN,
                             .seconds = dc_seconds() - session->began,
                             .unit = "draw",
                             .fraction = horizon ? horizon->executed->steps / fmax(horizon->steps, 1) : 0};
  if (session->options->progress && !session->stopped) {
    int answer = session->options->progress(session->options->progress_context, &progress);
    session->checkpoint_asked |= answer == DCSIM_PROGRESS_CHECKPOINT;
  }
}

static bool observe(void *context, const struct dc_plan_iteration *iteration)
{
  struct session *session = context;
  const struct dc_optimizer_common *common = session->scene->scene->optimizer_options;
  if (iteration->iteration == 0 || iteration->anew)
    session->first_loss = session->best_loss = iteration->loss;
  session->best_loss = fmin(session->best_loss, iteration->loss);
  add_row(session, iteration);
  dcsim_progress progress = {.iteration = iteration->iteration,
                             .iterations = session->optimizing ? (int)common->iterations : 0,
                             .loss = iteration->loss,
                             .best_loss = session->best_loss,
                             .gradient_norm = iteration->gradient_norm,
                             .min_gap = iteration->min_gap,
                             .is_best = iteration->best,
                             .backed_off = iteration->backed_off,
                             .fraction = session->optimizing ? share(iteration->iteration, common->iterations) : 1,
                             .parameter_count = iteration->parameter_count,
                             .parameters = iteration->parameters};
  return go_on(session, &progress);
}

// A receding horizon as its caller sees it: step after step.  window: the part of the present window that is done.
static bool observe_horizon(struct session *session, const struct dc_plan_iteration *iteration, bool best,
                            double window)
{
  const struct dc_receding_horizon *horizon = session->horizon;
  double steps = horizon->executed->steps + window * (double)horizon->horizon.apply;
  dcsim_progress progress = {.iteration = horizon->executed->steps,
                             .iterations = horizon->steps,
                             .loss = horizon->loss,
                             .best_loss = horizon->lowest_loss,
                             .gradient_norm = iteration->gradient_norm,
                             .min_gap = iteration->min_gap,
                             .is_best = best,
                             .backed_off = iteration->backed_off,
                             .unit = "step",
                             .fraction = horizon->steps ? fmin(1, steps / horizon->steps) : 1,
                             .parameter_count = iteration->parameter_count,
                             .parameters = iteration->parameters};
  return go_on(session, &progress);
}

static bool observe_window(void *context, const struct dc_plan_iteration *iteration)
{
  const struct session *session = context;
  return observe_horizon(context, iteration, false, share(iteration->iteration, session->horizon->horizon.iterations));
}

static bool observe_steps(void *context, const struct dc_plan_iteration *row)
{
  struct session *session = context;
  if (row->iteration == 0)
    session->first_loss = row->loss;
  session->best_loss = session->horizon->lowest_loss;
  add_row(session, row);
  return observe_horizon(session, row, row->best, 0);
}

// Between the steps of a simulation, often enough for a signal or the time limit to be noticed at once.
static bool observe_step(void *context)
{
  static const double patience = 0.05;  // s
  struct session *session = context;
  double now = dc_seconds();
  if (now - session->last_step_observed < patience)
    return true;
  session->last_step_observed = now;
  dcsim_progress progress = {.loss = NAN, .best_loss = NAN, .gradient_norm = NAN, .min_gap = NAN, .fraction = -1};
  return go_on(session, &progress);
}

// One rollout with its loss, reported as iteration 0.  Stopped on the way, it is the run of the steps done so far.
static enum dc_status simulate(struct session *session, struct dc_error *error)
{
  struct dc_plan *plan = session->plan;
  double loss;
  enum dc_status status = dc_plan_simulate(plan, observe_step, session, &loss, error);
  if (status && status != DC_STOPPED)
    return status;
  size_t bytes = (size_t)plan->parameter_count * sizeof(double);
  memcpy(plan->first_parameters, plan->parameters, bytes);
  memcpy(plan->best_parameters, plan->parameters, bytes);
  struct dc_plan_iteration iteration = {.loss = loss,
                                        .gradient_norm = NAN,
                                        .min_gap = dc_trajectory_gap(plan->trajectory, 0, plan->window.steps),
                                        .best = true,
                                        .newton_iterations = plan->work.newton_iterations,
                                        .parameter_count = plan->parameter_count,
                                        .parameters = plan->parameters};
  observe(session, &iteration);
  return session->row_status ? session->row_status : status;
}

// How the plan's gradients are computed and its first guess is found.
static void set_up(struct session *session, struct dc_plan *plan)
{
  const struct dc_scene *scene = session->scene->scene;
  dc_plan_set_gradient(plan, &scene->gradient);
  plan->first_guess = scene->first_guess;
  plan->continuation = scene->continuation;
  plan->first_guess_observer = (struct dc_first_guess_observer){observe_draw, session};
}

static enum dc_status prepare(struct session *session, double *parameters)
{
  const struct dc_scene *scene = session->scene->scene;
  bool horizon = session->optimizing && scene->horizon_given;
  enum dc_status status =
      session->optimizing ? dc_gradient_check_model(&scene->gradient, scene->definition.contact_model, &session->error)
                          : DC_OK;
  if (status) {
    dc_error_prefix(&session->error, "%.300s", scene->path);
    return status;
  }
  status = take_controls(session, parameters);
  if (status || session->horizon)
    return status;
  if (!horizon) {
    int steps = (int)scene->definition.time.steps;
    session->plan = session->optimizing ? dc_plan_create(&scene->model, &scene->task, steps, &session->error)
                                        : dc_plan_create_forward(&scene->model, &scene->task, steps,
                                                                 frames_in_file(session), &session->error);
    if (!session->plan)
      return session->error.status;
    set_up(session, session->plan);
  }
  status = check_start(session, parameters);
  if (status)
    return status;
  if (!horizon)
    return session->optimizing
               ? dc_plan_begin(session->plan, scene->optimizer, scene->optimizer_options, parameters, &session->error)
               : DC_OK;
  session->horizon = dc_horizon_create(&scene->model, &scene->task, &scene->horizon, scene->optimizer,
                                       scene->optimizer_options, &session->error);
  if (!session->horizon)
    return session->error.status;
  dc_horizon_set_parameters(session->horizon, parameters);
  set_up(session, session->horizon->plan);
  return DC_OK;
}

static enum dc_status compute(struct session *session)
{
  struct dc_horizon_observer observer = {.context = session, .iterated = observe_window, .applied = observe_steps};
  struct dc_error error = {0};  // row_status has its message in session->error
  enum dc_status status = session->horizon      ? dc_horizon_run(session->horizon, &observer, &error)
                          : session->optimizing ? dc_plan_continue(session->plan, observe, session, &error)
                                                : simulate(session, &error);
  if (session->row_status)
    return session->row_status;
  if (status)
    session->error = error;
  if (status == DC_STOPPED)
    dc_fail(&session->error, DC_STOPPED, "%.900s; the results so far are kept", error.text);
  return status;
}

// The animated model is for looking at: a run is complete without it.
static void write_glb(const struct session *session, const struct dc_trajectory *trajectory, dcsim_result *result)
{
  struct dc_error error = {0};
  if (dc_api_write_run_glb(dc_run_directory(session->run), session->scene->scene, trajectory, &error))
    snprintf(result->warning, sizeof result->warning, "%s is not written: %.900s", dc_glb_name, error.text);
}

enum dc_status dc_session_close_run(struct session *session, const struct dc_trajectory *trajectory,
                                    dcsim_result *result, enum dc_status written)
{
  if (written)
    dc_session_forget_lost_directory(session, result);
  else
    write_glb(session, trajectory, result);
  struct dc_error closing = {0};
  enum dc_status closed = dc_run_close(session->run, &closing);
  session->run = NULL;
  if (!written && closed) {
    written = closed;
    session->error = closing;
  }
  return written;
}

void dc_session_forget_lost_directory(const struct session *session, dcsim_result *result)
{
  if (session->run && !dc_run_is_in_place(session->run))
    result->directory[0] = '\0';
}

// Writes trajectory, summary, of an optimization the last checkpoint, and the animated model; closes the run.
static enum dc_status write_run(struct session *session, const struct outcome *outcome, dcsim_result *result,
                                enum dc_status status, const char *json)
{
  if (!session->run)
    return DC_OK;
  enum dc_status written = dc_run_write_trajectory(session->run, session->scene->scene, outcome->best,
                                                   outcome->best_parameters, outcome->first, outcome->first_parameters,
                                                   session->horizon ? &outcome->targets : NULL, &session->error);
  if (!written)
    written =
        dc_session_write_summary(session, result, status == DC_STOPPED ? session->stop_status : (int)status, json);
  if (!written && session->optimizing)
    written = dc_session_checkpoint(session);
  return dc_session_close_run(session, outcome->best, result, written);
}

// Hands over the report of what was computed.
static int finish(struct session *session, enum dc_status status, dcsim_result *result, dcsim_report *report,
                  dcsim_error *error)
{
  struct dc_text text = {0};
  struct dc_json_writer json = {0};
  dcsim_report made = {0};
  struct outcome outcome;
  enum dc_status written = dc_session_outcome(session, &outcome);
  if (written)
    return dc_api_fail(error, &session->error, written);
  dc_session_fill_result(session, &outcome, result);
  dc_session_describe(session, &outcome, result, &text, &json);
  int outside = dc_api_report(&made, &text, &json, error);
  if (!outside)
    written = write_run(session, &outcome, result, status, made.json);
  free(outcome.applied);
  if (outside)
    return outside;
  if (report)
    *report = made;
  else
    dcsim_report_free(&made);
  if (written)
    return dc_api_fail(error, &session->error, written);
  return status ? dc_api_fail(error, &session->error, status) : DCSIM_OK;
}

static int run_scene(struct session *session, dcsim_result *result, dcsim_report *report, dcsim_error *error)
{
  const struct dc_scene *scene = session->scene->scene;
  session->began = session->start = session->last_checkpoint = dc_seconds();
  dc_utc_stamp(session->started, sizeof session->started);
  int parameter_count = dc_task_parameter_count(&scene->task, &scene->model, (int)scene->definition.time.steps);
  enum dc_status status = dc_api_check_memory(
      scene, dc_api_run_bytes(scene, session->optimizing, writes_nothing(session)), &session->error);
  if (!status && !writes_nothing(session))
    status = dc_run_check_size(scene, &session->error);
  if (status)
    return dc_api_fail(error, &session->error, status);
  double *parameters = dc_alloc((size_t)parameter_count, sizeof *parameters);
  status =
      parameters ? prepare(session, parameters) : dc_fail(&session->error, DC_MEMORY, "out of memory for parameters");
  free(parameters);
  if (!status)
    status = session->options->resume ? dc_session_resume(session) : begin_run(session);
  if (status)
    return dc_api_fail(error, &session->error, status);
  if (session->run)
    snprintf(result->directory, sizeof result->directory, "%s", dc_run_directory(session->run));
  if (session->in_one_piece)
    snprintf(result->warning, sizeof result->warning,
             "%s is rolled out in one piece, not in its windows: the scene has another time, control or horizon",
             session->options->control_run);
  status = compute(session);
  bool something = !isnan(session->best_loss);
  if (status && !(something && (status == DC_STOPPED || status == DC_NUMERICAL))) {
    dc_session_forget_lost_directory(session, result);
    return dc_api_fail(error, &session->error, status);
  }
  return finish(session, status, result, report, error);
}

// What cannot be asked for together.
static const char *misuse(const dcsim_run_options *options, bool optimizing)
{
  if (options->resume && !optimizing)
    return "only an optimization can be resumed";
  if (options->resume && options->directory)
    return "a resumed run goes on in its own directory: no other one may be given";
  if (options->resume && options->control_run)
    return "a resumed run has its controls: none may be taken from another run";
  return NULL;
}

static int run_session(struct session *session, dcsim_result *result, dcsim_report *report, dcsim_error *error)
{
  const char *mistake = misuse(session->options, session->optimizing);
  if (mistake) {
    dc_fail(&session->error, DC_USAGE, "%s", mistake);
    return dc_api_fail(error, &session->error, DC_USAGE);
  }
  int status = run_scene(session, result, report, error);
  dc_run_close(session->run, NULL);
  dc_plan_destroy(session->plan);
  dc_horizon_destroy(session->horizon);
  dc_snapshot_destroy(session->snapshot);
  return status;
}

static int run_and_draw(const dcsim_scene *scene, const dcsim_run_options *options, bool optimizing,
                        dcsim_result *result, dcsim_report *report, dcsim_error *error)
{
  struct session session = {
      .scene = scene, .options = options, .optimizing = optimizing, .best_loss = NAN, .first_loss = NAN};
  int status = scene->scene->refinement.given ? dc_api_refine(scene, session.options, optimizing, result, report, error)
                                              : run_session(&session, result, report, error);
  if (session.options->frames != 0 && result->directory[0] && (status == DCSIM_OK || status == DCSIM_STOPPED)) {
    int steps = result->steps, frames = session.options->frames;
    dcsim_render_options render = {.size = sizeof render, .every = frames > 0 ? (steps + frames - 1) / frames : 0};
    int drawn = dcsim_render(result->directory, &render, NULL, error);
    if (drawn)
      return drawn;
  }
  return status;
}

// Options and result as large as they are here.
static int run(const dcsim_scene *scene, const dcsim_run_options *options, bool optimizing, dcsim_result *result,
               dcsim_report *report, dcsim_error *error)
{
  struct dc_error local = {0};
  dcsim_run_options own = {.checkpoint_seconds = -1};
  dcsim_result made = {0};
  enum dc_status status = dc_api_read_sized(&own, sizeof own, options, &local);
  if (!status && result)
    status = dc_api_write_sized(&made, sizeof made, result, &local);
  if (status)
    return dc_api_fail(error, &local, status);
  int outside = run_and_draw(scene, &own, optimizing, &made, report, error);
  if (result)
    dc_api_write_sized(&made, sizeof made, result, NULL);
  return outside;
}

int dcsim_simulate(const dcsim_scene *scene, const dcsim_run_options *options, dcsim_result *result,
                   dcsim_report *report, dcsim_error *error)
{
  return run(scene, options, false, result, report, error);
}

int dcsim_optimize(const dcsim_scene *scene, const dcsim_run_options *options, dcsim_result *result,
                   dcsim_report *report, dcsim_error *error)
{
  return run(scene, options, true, result, report, error);
}
