// SPDX-License-Identifier: Apache-2.0
// Simulation and optimization with a run directory.  A run is a session (session.h).  run_scene leads it
// through its parts: checks of memory, parameters to begin with, the kind of run (run_kinds.c), computing, and
// finish, which judges the outcome, reads out forces, writes all files and reports.
//
// A run leaves the same files however it ended: one that was stopped, or failed numerically, keeps what it has
// found so far, as long as one evaluation succeeded.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/arrays.h"
#include "api/ranks.h"
#include "base/clock.h"
#include "commands/advice.h"
#include "commands/extremes.h"
#include "commands/refine.h"
#include "commands/session.h"
#include "io/run/run_check.h"
#include "plan/race_grasp.h"

// Takes the parameters of the earlier run as far as it went.  Where its steps were shorter or longer,
// parameters of a step become those of the steps of this scene at the same time, by resampling first and
// resizing then.
// The ratio is the earlier time step over this scene's.  Resampling gives each new step the parameters of the earlier
// step at the same time.  Resizing then cuts off later steps or fills them with initial values.  Ratios that would
// give no step or more than 10 million are not resampled. parameters [of all steps of this scene] belongs to the
// caller.
static enum dc_status take_earlier(struct session *session, double *parameters)
{
  static const double same = 1e-9;  // of a step
  const struct dc_scene *scene = session->scene->scene;
  const struct dc_stored_trajectory *earlier = &session->earlier;
  const double *from = earlier->control;
  int from_steps = earlier->frames - 1, steps = (int)scene->definition.time.steps;
  double ratio = from_steps > 0 ? (earlier->time[1] - earlier->time[0]) / scene->definition.time.step : 1;
  double *resampled = NULL;
  if (fabs(ratio - 1) > same && from_steps * ratio >= 1 && from_steps * ratio < 1e7) {
    int to_steps = (int)lround(from_steps * ratio);
    resampled = dc_alloc((size_t)dc_task_parameter_count(&scene->task, &scene->model, to_steps), sizeof *resampled);
    if (!resampled)
      return dc_out_of_memory_for(&session->error, "parameters");
    dc_task_resample(&scene->task, &scene->model, from_steps, from, to_steps, resampled);
    from = resampled;
    from_steps = to_steps;
  }
  dc_parameters_resize(&scene->task, &scene->model, from_steps, from, steps, parameters);
  free(resampled);
  return DC_OK;
}

// Reads the trajectory of a run whose design this scene has built in: the run's own scene tells how many
// parameters its controls have, and those of its design are left out.
static enum dc_status read_designed(struct session *session, const char *directory)
{
  struct dc_scene *scene = NULL;
  struct dc_scene_settings settings = {0};
  char *path = dc_path_join(directory, "resolved.json");
  enum dc_status status =
      path ? dc_scene_read(path, &settings, &scene, &session->error) : dc_out_of_memory_in(&session->error, directory);
  if (!status)
    status = dc_run_read_trajectory(directory, scene, &session->earlier, &session->error);
  if (!status)
    session->earlier.control_count =
        dc_task_control_parameter_count(&scene->task, &scene->model, session->earlier.all_frames - 1);
  dc_scene_destroy(scene);
  free(path);
  return status;
}

// Reads the trajectory of an earlier run.  One whose parameters do not fit may be the run that this scene's
// design came from; then the controls must be the same.
static enum dc_status read_earlier(struct session *session, const char *directory)
{
  const struct dc_scene *scene = session->scene->scene;
  enum dc_status status = dc_run_read_trajectory(directory, scene, &session->earlier, &session->error);
  if (status != DC_BAD_INPUT || scene->task.design_count || !dc_run_has_controls_of(directory, scene, false))
    return status;
  return read_designed(session, directory);
}

// Finds the first guess [of all steps]: the scene's, the parameters that the caller gives, or those of an
// earlier run as far as it went.
static enum dc_status take_controls(struct session *session, double *parameters)
{
  const struct dc_scene *scene = session->scene->scene;
  const char *earlier = session->options->control_run;
  int steps = (int)scene->definition.time.steps;
  dc_task_initial(&scene->task, &scene->model, steps, parameters);
  int count = dc_task_parameter_count(&scene->task, &scene->model, steps);
  for (int i = 0; session->given && i < count; i++)
    parameters[i] = session->given[i];
  if (!earlier && session->optimizing && !session->given && scene->first_guess.type == DC_FIRST_GUESS_GRASP) {
    struct dc_grasp grasp = {.squeeze = scene->first_guess.squeeze, .clearance = scene->first_guess.clearance};
    enum dc_status status = dc_grasp_begin(&scene->model, &scene->task, steps, &grasp, parameters, &session->error);
    if (status == DC_BAD_INPUT)
      dc_error_prefix(&session->error, "%.300s", scene->path);
    return status;
  }
  if (!earlier)
    return DC_OK;
  enum dc_status status = dc_run_check(earlier, true, &session->error);
  if (!status)
    status = read_earlier(session, earlier);
  return status ? status : take_earlier(session, parameters);
}

// Chooses the kind of the run and makes what it computes with.
// The earlier trajectory is released here whatever happens: parameters and targets are copied by the kind.
static enum dc_status prepare(struct session *session)
{
  const struct dc_scene *scene = session->scene->scene;
  int count = dc_task_parameter_count(&scene->task, &scene->model, (int)scene->definition.time.steps);
  enum dc_status status =
      session->optimizing ? dc_gradient_check_model(&scene->gradient, scene->definition.contact_model, &session->error)
                          : DC_OK;
  if (status) {
    dc_error_prefix(&session->error, "%.300s", scene->path);
    return status;
  }
  double *parameters = dc_alloc((size_t)count, sizeof *parameters);
  status = parameters ? take_controls(session, parameters) : dc_out_of_memory_for(&session->error, "parameters");
  if (!status) {
    session->kind = dc_session_choose_kind(session);
    status = session->kind->prepare(session, parameters);
  }
  dc_arena_destroy(session->earlier.arena);
  session->earlier = (struct dc_stored_trajectory){0};
  free(parameters);
  return status;
}

// Computes, and keeps the message that belongs to the status: one of a row that could not be written wins over
// the one of the optimizer that it ended.
static enum dc_status compute(struct session *session)
{
  struct dc_error error = {0};  // row_status has its message in session->error
  enum dc_status status = session->kind->compute(session, &error);
  if (session->row_status)
    return session->row_status;
  if (status)
    session->error = error;
  if (status == DC_STOPPED)
    dc_fail(&session->error, DC_STOPPED, "%.900s; the results so far are kept", error.text);
  return status;
}

// Writes trajectory.h5: the best and the first trajectory with their parameters, targets of all windows, and the
// readout (contacts, motion).
static enum dc_status write_trajectory(struct session *session, const struct outcome *outcome,
                                       const struct readout *readout)
{
  const struct dc_run_readout rows = {.model = outcome->model, .input = &readout->input, .contacts = outcome->contacts};
  return dc_run_write_trajectory(session->run, session->scene->scene, outcome->best, outcome->best_parameters,
                                 outcome->first, outcome->first_parameters,
                                 outcome->targets.position ? &outcome->targets : NULL, &rows, &session->error);
}

// Writes the trajectory and, where shapes were designed, the folder of the design.
static enum dc_status write_motion(struct session *session, const struct outcome *outcome,
                                   const struct readout *readout)
{
  enum dc_status written = write_trajectory(session, outcome, readout);
  if (!written)
    written = dc_run_write_design(session->run, session->scene->scene, outcome->best->steps, outcome->best_parameters,
                                  &session->error);
  return written;
}

// Writes trajectory, summary, of an optimization the last checkpoint, and the animated model; closes the run.
static enum dc_status write_run(struct session *session, const struct outcome *outcome, const struct readout *readout,
                                dcsim_result *result, enum dc_status status, const char *json)
{
  if (!session->run)
    return DC_OK;
  enum dc_status written = session->options->results_only ? DC_OK : write_motion(session, outcome, readout);
  if (!written)
    written = dc_session_write_summary(session, result, status, json);
  if (!written && session->kind->save)
    written = dc_session_checkpoint(session);
  return dc_session_close_run(session, outcome->best, outcome->best_parameters, result, written);
}

// A whole run of the session, which is released: what dcsim_simulate and dcsim_optimize do.
static int run_session(struct session *session, dcsim_result *result, dcsim_report *report, dcsim_error *error);

// Leaves the run directory of a case, DIR/cases/NAME, which the other commands read like any other: the case's
// scene simulated with these parameters.
// The case runs as a session of its own, without optimizer, with the same command line in its provenance.  DC_IO: the
// path is longer than the buffer; every other failure is the case's own, with its message.
static enum dc_status leave_case(struct session *session, const struct outcome *outcome, int k, struct dc_error *error)
{
  dcsim_scene scene = {.scene = session->scene->scene->cases.scenes[k], .seed = session->scene->seed};
  char directory[4352];
  int length = snprintf(directory, sizeof directory, "%s/cases/%s", dc_run_directory(session->run), scene.scene->name);
  if (length < 0 || (size_t)length >= sizeof directory)
    return dc_fail(error, DC_IO, "%.600s: the name of a case's directory is too long", dc_run_directory(session->run));
  const dcsim_run_options options = {
      .size = sizeof options, .directory = directory, .command_line = session->options->command_line};
  struct session single = {
      .scene = &scene, .options = &options, .given = outcome->best_parameters, .best_loss = NAN, .first_loss = NAN};
  dcsim_result result = {.plant_success = -1};
  dcsim_error failure = {0};
  if (run_session(&single, &result, NULL, &failure) == DCSIM_OK)
    return DC_OK;
  return dc_fail(error, (enum dc_status)failure.status, "%.900s", failure.text);
}

// Leaves a run directory for every case, unless results alone are wanted.
static enum dc_status leave_cases(struct session *session, const struct outcome *outcome)
{
  bool wanted = session->run && !session->options->results_only;
  for (int k = 0; wanted && k < outcome->case_count; k++) {
    struct dc_error error = {0};
    enum dc_status status = leave_case(session, outcome, k, &error);
    if (status)
      return dc_fail(&session->error, status, "case \"%.255s\": %.600s", outcome->cases[k].name, error.text);
  }
  return DC_OK;
}

// Judges what was computed and hands it over, in this order: cases and their runs; the plant, where the plan is
// transferred to one; advice; drives and contacts; the report; the files.  Everything made on the way is freed
// in each exit.
// Written files come last, as they hold the report, which needs everything before.  Two statuses are kept apart:
// `written` of judging and writing, which wins, and `status` of the computation, which is returned if all files are
// there.
static int finish(struct session *session, enum dc_status status, dcsim_result *result, dcsim_report *report,
                  dcsim_error *error)
{
  struct dc_text text = {0};
  struct dc_json_writer json = {0};
  dcsim_report made = {0};
  struct outcome outcome;
  struct transfer transfer = {.loss = NAN};
  struct dc_advice_list advice = {0};
  struct readout readout = {0};
  enum dc_status written = dc_session_outcome(session, &outcome);
  if (!written)
    written = dc_session_judge_cases(session, &outcome);
  if (!written)
    written = leave_cases(session, &outcome);
  if (!written && dc_session_is_transferred(session))
    written = dc_session_transfer(session, &outcome, &transfer);
  if (written == DC_STOPPED) {  // what was found is kept as that of any run that is stopped
    status = written;
    written = DC_OK;
  }
  if (!written) {
    dc_session_fill_result(session, &outcome, result);
    written = dc_advise_run(session, &outcome, result, &advice);
  }
  if (!written)
    written = dc_session_read_out(session, &outcome, session->run || report, &readout);
  if (written) {
    dc_session_free_readout(&readout);
    free(outcome.cases);
    dc_trajectory_destroy(transfer.record);
    free(outcome.applied);
    return dc_api_fail(error, &session->error, written);
  }
  if (session->options->ended) {
    dcsim_trajectory trajectory = dc_api_view(outcome.best);
    session->options->ended(session->options->ended_context, &trajectory);
  }
  result->plant_success = dc_session_is_transferred(session) ? transfer.success : -1;
  dc_session_describe(session, &outcome, &transfer, &advice, result, &text, &json);
  dc_trajectory_destroy(transfer.record);
  free(outcome.cases);
  int outside = dc_api_report(&made, &text, &json, error);
  if (!outside)
    written = write_run(session, &outcome, &readout, result, status, made.json);
  dc_session_free_readout(&readout);
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

// Puts the first of the bodies that start inside a barrier into the result's warning.
static void warn_inside(const struct session *session, dcsim_result *result)
{
  const struct dc_inside_list *inside = &session->inside;
  int more = inside->count + inside->left_out - 1;
  char says[512];
  dc_api_say_inside(&session->scene->scene->model.bodies, &inside->items[0], says, sizeof says);
  if (more)
    snprintf(result->warning, sizeof result->warning, "%s; so do %d more (dcsim check names them)", says, more);
  else
    snprintf(result->warning, sizeof result->warning, "%s", says);
}

// Tells what makes no sense about the task before time is spent on it.
static void warn_of_task(const struct session *session)
{
  const dcsim_run_options *options = session->options;
  struct dc_advice_list list = {0};
  if (!session->optimizing || !options->warned)
    return;
  dc_advise_task(session->scene, "optimize", options, &list);
  for (int i = 0; i < list.count; i++)
    options->warned(options->warned_context, list.items[i].symptom, list.items[i].says);
}

// A run from its checks to its report:
// 1. memory and room on disk are checked;
// 2. the scene is shared with the ranks, if there are any;
// 3. the run is prepared, and its kind begun (simulation, optimization, search, horizon);
// 4. it computes; a run that was stopped or failed numerically keeps what it has found so far;
// 5. it is judged, written and reported (finish).
// A result exists as soon as one evaluation has a loss (best_loss is a number).  Given up is a run that was cancelled
// within an iteration through poll: its workspaces are in an unknown state, and nothing is kept.
static int run_scene(struct session *session, dcsim_result *result, dcsim_report *report, dcsim_error *error)
{
  const struct dc_scene *scene = session->scene->scene;
  session->times.began = session->times.start = session->times.last_checkpoint = dc_seconds();
  dc_utc_stamp(session->times.started, sizeof session->times.started);
  enum dc_status status = dc_api_check_memory(
      scene, dc_api_run_bytes(scene, session->optimizing, dc_session_writes_nothing(session)), &session->error);
  if (!status && !dc_session_writes_nothing(session))
    status = dc_run_check_size(scene, &session->error);
  if (status)
    return dc_api_fail(error, &session->error, status);
  status = dc_api_gather_ranks(session->scene, session->options->ranks, &session->crew, &session->error);
  if (!status)
    status = prepare(session);
  if (!status)
    status = session->kind->begin(session);
  if (status)
    return dc_api_fail(error, &session->error, status);
  if (session->run)
    snprintf(result->directory, sizeof result->directory, "%s", dc_run_directory(session->run));
  if (session->in_one_piece)
    snprintf(result->warning, sizeof result->warning,
             "%s is rolled out in one piece, not in its windows: the scene has another time, control or horizon",
             session->options->control_run);
  else if (session->inside.count)
    warn_inside(session, result);
  warn_of_task(session);
  status = compute(session);
  bool something = !isnan(session->best_loss), given_up = atomic_load(&session->poll.request.stopped);
  if (given_up)
    status = dc_fail(&session->error, DC_STOPPED, "stopped in an iteration; there are no results");
  if (session->run)
    session->poll.function = NULL;
  if (status && !(something && !given_up && (status == DC_STOPPED || status == DC_NUMERICAL))) {
    dc_session_forget_lost_directory(session, result);
    return dc_api_fail(error, &session->error, status);
  }
  return finish(session, status, result, report, error);
}

// Names options that exclude each other.
static const char *misuse(const dcsim_run_options *options, bool optimizing)
{
  if (options->resume && !optimizing)
    return "only an optimization can be resumed";
  if (options->resume && options->directory)
    return "a resumed run goes on in its own directory: no other one may be given";
  if (options->resume && options->overwrite)
    return "a resumed run goes on in its own directory: nothing is overwritten";
  if (options->resume && options->control_run)
    return "a resumed run has its controls: none may be taken from another run";
  if (options->results_only && options->frames)
    return "results alone leave no trajectory: no frames go with them";
  return NULL;
}

// A run without a directory and without a report, for a caller that wants its outcome: it must be released.
enum dc_status dc_session_compute(struct session *session, struct outcome *outcome)
{
  session->times.began = session->times.start = dc_seconds();
  enum dc_status status = prepare(session);
  if (!status)
    status = session->kind->begin(session);
  if (!status)
    status = compute(session);
  return status ? status : dc_session_outcome(session, outcome);
}

// Only what its kind has made is there; the rest is NULL.  Trajectories of an outcome end here, too.
void dc_session_release(struct session *session)
{
  dc_search_destroy(session->search);
  dc_plan_destroy(session->plan);
  dc_execution_destroy(session->execution);
  dc_horizon_destroy(session->horizon);
  dc_snapshot_destroy(session->snapshot);
  dc_plan_crew_destroy(session->crew);
}

// Every way out of a run closes its directory and releases the session, so that a run that failed can be resumed.
static int run_session(struct session *session, dcsim_result *result, dcsim_report *report, dcsim_error *error)
{
  const char *mistake = misuse(session->options, session->optimizing);
  if (mistake) {
    dc_fail(&session->error, DC_USAGE, "%s", mistake);
    return dc_api_fail(error, &session->error, DC_USAGE);
  }
  session->poll.function = session->options->poll;
  session->poll.context = session->options->poll_context;
  dc_api_poll_begin(&session->poll);
  int status = run_scene(session, result, report, error);
  dc_run_close(session->run, NULL);
  dc_session_release(session);
  return status;
}

// Runs the scene, then draws pictures of the run where they are asked for.
// frames: 0 draws nothing, a negative number asks for the default spacing, n > 0 for about n pictures.  These are
// every ⌈steps / n⌉ steps.  A run that was stopped is drawn too; a failure to draw replaces its status.
static int run_and_draw(const dcsim_scene *scene, const dcsim_run_options *options, bool optimizing,
                        dcsim_result *result, dcsim_report *report, dcsim_error *error)
{
  struct session session = {.scene = scene,
                            .options = options,
                            .optimizing = optimizing,
                            .optimize = optimizing ? dcsim_optimize : NULL,
                            .best_loss = NAN,
                            .first_loss = NAN};
  int status = scene->scene->refinement.given ? dc_api_refine(scene, session.options, optimizing, result, report, error)
                                              : run_session(&session, result, report, error);
  if (session.options->frames != 0 && result->directory[0] && (status == DCSIM_OK || status == DCSIM_STOPPED)) {
    int steps = result->steps, frames = session.options->frames;
    bool spread = frames > 0 && steps > 0;
    dcsim_render_options render = {.size = sizeof render, .every = spread ? (steps - 1) / frames + 1 : 0};
    int drawn = dcsim_render(result->directory, &render, NULL, error);
    if (drawn)
      return drawn;
  }
  return status;
}

// Names limits that are none.  A limit that is no number would never be reached, silently.
static const char *wrong_limit(const dcsim_run_options *options)
{
  if (!(options->max_seconds >= 0))
    return "max_seconds must be at least 0 s, which is no limit";
  if (options->frames < -1)
    return "frames must be a number of pictures, 0 for none or -1 for the default";
  if (isnan(options->checkpoint_seconds))
    return "checkpoint_seconds must be a number of seconds";
  return NULL;
}

// Reads options and writes results of any version of the header.  Ranks other than 0 serve instead of running.
static int run(const dcsim_scene *scene, const dcsim_run_options *options, bool optimizing, dcsim_result *result,
               dcsim_report *report, dcsim_error *error)
{
  struct dc_error local = {0};
  dcsim_run_options own = {.checkpoint_seconds = -1};
  dcsim_result made = {.plant_success = -1};
  enum dc_status status = dc_api_read_sized(&own, sizeof own, options, &local);
  const char *wrong = status ? NULL : wrong_limit(&own);
  if (wrong)
    status = dc_fail(&local, DC_USAGE, "%s", wrong);
  if (!status && result)
    status = dc_api_write_sized(&made, sizeof made, result, &local);
  if (status)
    return dc_api_fail(error, &local, status);
  int outside = dcsim_ranks_number(own.ranks) > 0 ? dc_api_serve_rank(scene, own.ranks, error)
                                                  : run_and_draw(scene, &own, optimizing, &made, report, error);
  if (result)
    dc_api_write_sized(&made, sizeof made, result, NULL);
  return outside;
}

int dcsim_simulate(const dcsim_scene *scene, const dcsim_run_options *options, dcsim_result *result,
                   dcsim_report *report, dcsim_error *error)
{
  if (dc_api_need(scene, "scene", error))
    return DCSIM_USAGE;
  return run(scene, options, false, result, report, error);
}

int dcsim_optimize(const dcsim_scene *scene, const dcsim_run_options *options, dcsim_result *result,
                   dcsim_report *report, dcsim_error *error)
{
  if (dc_api_need(scene, "scene", error))
    return DCSIM_USAGE;
  return run(scene, options, true, result, report, error);
}
