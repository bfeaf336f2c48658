// SPDX-License-Identifier: Apache-2.0
// Common bodies of commands: open a scene, run it with progress, signals and live view, write the report page, and
// derive the exit status from result, request to stop and --require-success.
#include "cli/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/progress.h"
#include "cli/signals.h"

// The options of opening a scene, from a command line whose texts and lists they share.  A seed of -1 was not given.
dcsim_scene_options cli_scene_options_of(const struct cli_arguments *arguments)
{
  return (dcsim_scene_options){
      .size = sizeof(dcsim_scene_options),
      .model = arguments->model,
      .gradient = arguments->gradient,
      .plant = arguments->run.plant,
      .override_count = arguments->overrides.count,
      .overrides = arguments->overrides.strings,
      .allowed_path_count = arguments->allowed_paths.count,
      .allowed_paths = arguments->allowed_paths.strings,
      .package_path_count = arguments->package_paths.count,
      .package_paths = arguments->package_paths.strings,
      .seed_given = arguments->seed >= 0,
      .seed = arguments->seed >= 0 ? (uint64_t)arguments->seed : 0,
  };
}

// Opens the scene that the operand names, or, without one, that of the run that is resumed.
int cli_scene_open(const struct cli_arguments *arguments, dcsim_scene **scene)
{
  const dcsim_scene_options options = cli_scene_options_of(arguments);
  *scene = NULL;
  if (arguments->threads > 0)
    dcsim_set_threads((int)arguments->threads);
  dcsim_error error = {0};
  int status = arguments->operand ? dcsim_scene_open(arguments->operand, &options, scene, &error)
                                  : dcsim_scene_open_run(arguments->run.resume, &options, scene, &error);
  return status ? cli_fail(status, "%s", error.text) : 0;
}

// Prints the report, which may be there beside an error: a run that failed half-way has results.
int cli_finish(const struct cli_arguments *arguments, int status, dcsim_report *report, const dcsim_error *error)
{
  cli_print_report(report, arguments->json);
  dcsim_report_free(report);
  if (status && error->text[0])
    cli_message("%s", error->text);
  return status;
}

// Explains a stop on request, which is no error.
// The status is 128 + signal, as shells have it, 0 for a stop by time or by the live view, else the one given.
static int explain_stop(const struct cli_arguments *arguments, int status, const dcsim_result *result)
{
  // A signal comes first: it is the reason of a stop that a limit of time would have brought as well.
  int signal_number = cli_signals_received();
  bool late = arguments->run.max_time > 0 && result->seconds >= arguments->run.max_time;
  if (status == DCSIM_STOPPED && !signal_number && !arguments->quiet && (late || !arguments->run.view))
    cli_message("stopped: --max-time %g s has passed; the results so far are kept", arguments->run.max_time);
  else if (status == DCSIM_STOPPED && !signal_number && !arguments->quiet)
    cli_message("stopped from the live view; the results so far are kept");
  if (signal_number && (status == DCSIM_STOPPED || status == DCSIM_OK) && !arguments->quiet) {
    if (result->directory[0])
      cli_message("stopped by a signal; the results so far are in %s", result->directory);
    else
      cli_message("stopped by a signal");
  }
  if (signal_number && (status == DCSIM_STOPPED || status == DCSIM_OK))
    return 128 + signal_number;
  return status == DCSIM_STOPPED ? 0 : status;
}

// Writes the report page of a run that has results; a failure is only a note, since nothing else is lost.
// Returns whether there is a page now.
static bool write_report(const struct cli_arguments *arguments, int status, const dcsim_result *result)
{
  dcsim_error error = {0};
  bool ended = status == DCSIM_OK || status == DCSIM_STOPPED || (status == DCSIM_NUMERICAL && result->steps > 0);
  if (arguments->run.no_report || arguments->run.results_only || !ended || !result->directory[0])
    return false;
  if (dcsim_write_report(result->directory, NULL, &error) == DCSIM_OK)
    return true;
  cli_message("warning: no report: %s (to try again: dcsim report %s)", error.text, result->directory);
  return false;
}

// Whether the run can go on: a stop before the first iteration leaves no checkpoint, and nothing to advise.
static bool has_checkpoint(const char *directory)
{
  char path[sizeof((dcsim_result *)0)->directory + 16];
  snprintf(path, sizeof path, "%s/checkpoint.bin", directory);
  return directory[0] && access(path, F_OK) == 0;
}

// The path of this program, by which sweeps and ranks start it again; false where there is no /proc.
bool cli_find_program(char path[CLI_PATH])
{
  ssize_t length = readlink("/proc/self/exe", path, CLI_PATH - 1);
  path[length < 0 ? 0 : length] = '\0';
  return length >= 0;
}

// Starts the live view and prints its address on standard error, even with --quiet: without the address there is no
// view.
static int start_view(const struct cli_arguments *arguments, const dcsim_scene *scene, dcsim_view **view)
{
  dcsim_error error = {0};
  int status = dcsim_view_start(scene, (int)arguments->run.port, view, &error);
  if (status)
    return cli_fail(status, "--view: %s", error.text);
  cli_message("live view: %s", dcsim_view_address(*view));
  return 0;
}

// Tells the page how the run ended, which it shows until it is closed, and stops serving.
static void end_view(dcsim_view *view, int status, const dcsim_result *result, const dcsim_error *error)
{
  char words[256];
  bool computed = status == DCSIM_OK || status == DCSIM_STOPPED;
  if (!view)
    return;
  if (computed)
    snprintf(words, sizeof words, "%s: loss %.6g, task %s", status == DCSIM_STOPPED ? "stopped" : "the run has ended",
             result->loss, result->success ? "reached" : "not reached");
  else
    snprintf(words, sizeof words, "the run has failed: %.200s", error->text);
  dcsim_view_end(view, result->directory[0] ? result->directory : NULL, words);
  dcsim_view_stop(view);
}

// Exit status when --require-success was given and the task is not reached.
static int check_success(const struct cli_arguments *arguments, const dcsim_result *result)
{
  if (arguments->run.require_success && !result->success)
    return cli_fail(DCSIM_UNMET, "the task is not reached (loss %.6g)", result->loss);
  if (arguments->run.require_success && result->plant_success == 0)
    return cli_fail(DCSIM_UNMET, "the task is not reached in the plant");
  return 0;
}

// Advice on the task is said when the run begins: who sees it may end the run at once.
static void warn_of_task(void *context, const char *symptom, const char *says)
{
  (void)context;
  cli_message("warning: %s: %s", symptom, says);
}

// Runs simulate or optimize: opens the scene, starts progress and live view, calls the library, then prints warnings,
// the report, why the run stopped and how it can be resumed.
// The order at the end matters: progress is closed before anything is printed; the page of the report is written
// while the live view still shows the run; the view ends before the scene that it shows is closed.
int cli_run(const struct cli_arguments *arguments, cli_run_function *function, dcsim_ranks *ranks)
{
  dcsim_scene *scene;
  cli_signals_defer(arguments->quiet);
  int status = cli_scene_open(arguments, &scene);
  if (status)
    return status;
  dcsim_result result = DCSIM_SIZED(dcsim_result);
  if (cli_signals_received()) {  // nothing has started
    dcsim_scene_close(scene);
    return explain_stop(arguments, DCSIM_STOPPED, &result);
  }
  struct cli_progress progress;
  cli_progress_start(&progress, "iteration", true, arguments->run.max_time, arguments->quiet);
  status = arguments->run.view ? start_view(arguments, scene, &progress.view) : 0;
  if (status) {
    dcsim_scene_close(scene);
    return status;
  }
  const dcsim_run_options options = {
      .size = sizeof options,
      .directory = arguments->output,
      .control_run = arguments->run.control,
      .command_line = arguments->command_line,
      .max_seconds = arguments->run.max_time,
      .frames = arguments->run.frames > 0 ? (int)arguments->run.frames : 0,
      .progress = cli_progress_report,
      .progress_context = &progress,
      .resume = arguments->run.resume,
      .force = arguments->force,
      .checkpoint_seconds = arguments->run.checkpoint,
      .ranks = ranks,
      .overwrite = arguments->run.overwrite,
      .results_only = arguments->run.results_only,
      .require_success = arguments->run.require_success,
      .warned = arguments->quiet ? NULL : warn_of_task,
  };
  dcsim_report report = {0};
  dcsim_error error = {0};
  status = function(scene, &options, &result, &report, &error);
  cli_progress_finish(&progress);
  if (result.warning[0])
    cli_message("warning: %s", result.warning);
  if (result.unconverged_steps && (arguments->quiet || arguments->json))
    cli_message("warning: %d of %d steps did not converge", result.unconverged_steps, result.steps);
  // The page is written before the live view ends, since that goes on to show it.
  bool reported = write_report(arguments, status, &result);
  end_view(progress.view, status, &result, &error);
  dcsim_scene_close(scene);
  bool resumable = status == DCSIM_STOPPED && function == dcsim_optimize && has_checkpoint(result.directory);
  if (status == DCSIM_STOPPED)
    error.text[0] = '\0';  // the message below is clearer
  int finished = cli_finish(arguments, status, &report, &error);
  if (reported && !arguments->json)
    printf("  report: %s/report.html\n", result.directory);
  status = explain_stop(arguments, finished, &result);
  if (resumable && !arguments->quiet)
    cli_message("to go on: dcsim optimize --resume %s", result.directory);
  if (status != 0 && status < 128 && result.directory[0])
    cli_message("the results so far are in %s", result.directory);
  // A stop or failure says more than an unmet task, and keeps its status.
  return status ? status : check_success(arguments, &result);
}

// Commands that only look at a scene: open, call, print.
// Returns the status of the function; its report is printed in words or, with --json, as JSON.
int cli_look(const struct cli_arguments *arguments, cli_look_function *function)
{
  dcsim_scene *scene;
  cli_signals_end_with_reader();
  int status = cli_scene_open(arguments, &scene);
  if (status)
    return status;
  dcsim_report report = {0};
  dcsim_error error = {0};
  status = function(scene, &report, &error);
  dcsim_scene_close(scene);
  return cli_finish(arguments, status, &report, &error);
}
