// SPDX-License-Identifier: Apache-2.0
// dcsim sweep: run the points of a study.  dcsim dataset: the same, and then their plans in one file.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "cli/signals.h"

static const struct cli_option own_options[] = {
    CLI_OUTPUT_DIRECTORY("directory of the sweep; an unfinished sweep there goes on"),
    CLI_ENTRY("jobs", DC_INTEGER, sweep.jobs, "runs side by side; default: one for each processor", .letter = 'j',
              .argument = "N", CLI_BOUNDS(1, 1024)),
    CLI_TEXT_OPTION("task", task, "I/N", CLI_VALUE_ANY,
                    "only every N-th point from I on, as a task of an array; --gather makes the table"),
    CLI_FLAG_OPTION("gather", sweep.gather, "run nothing: make table and page of the results so far"),
    CLI_FLAG_OPTION("retry", sweep.retry, "run points again that have failed"),
    CLI_FLAG_OPTION("mpi", mpi, "share the points with the ranks of MPI; by itself when started by mpirun"),
    CLI_POSITIVE_OPTION("max-time", run.max_time, "SECONDS", 1e9,
                        "end before this time, with checkpoints and status 9"),
    CLI_OPTIONS_END,
};

// Parses I/N; false when the text has another form.
static bool read_task(const char *text, int *task, int *tasks)
{
  int end = -1;
  // sscanf alone would take signs and blanks, and numbers that no int holds.
  if (strspn(text, "0123456789/") != strlen(text) || strlen(text) > 18)
    return false;
  return sscanf(text, "%d/%d%n", task, tasks, &end) == 2 && end == (int)strlen(text) && *tasks > 0 && *task <= *tasks;
}

// How progress is shown: nothing, a line that is redrawn, or lines now and then; printed is when the last one
// was, s.
struct display {
  bool quiet, terminal;
  double printed;
};

// One line about all points; a terminal gets it in place of the last one.
static void print_line(struct display *display, const dcsim_sweep_progress *report)
{
  char left[32] = "";
  if (report->seconds_left >= 0 && report->done < report->points)
    snprintf(left, sizeof left, ", %ld:%02ld left", (long)report->seconds_left / 60, (long)report->seconds_left % 60);
  if (report->checking)
    fprintf(stderr, "%sopening the scenes of %ld points%s", display->terminal ? "\r\033[K" : "dcsim: ", report->points,
            display->terminal ? "" : "\n");
  else
    fprintf(stderr, "%s%ld of %ld points done, %ld running, %ld reached, %ld failed%s%s",
            display->terminal ? "\r\033[K" : "dcsim: ", report->done, report->points, report->running, report->reached,
            report->failed, left, display->terminal ? "" : "\n");
  fflush(stderr);
  cli_signals_set_line(display->terminal);
}

// Called a few times a second by the library.  A number other than 0 asks it to stop.
static int report_progress(void *context, const dcsim_sweep_progress *report)
{
  struct display *display = context;
  // A log file gets a line every ten seconds, a terminal five in a second.
  double every = display->terminal ? 0.2 : 10, time = cli_seconds();
  if (!display->quiet && report->points && time - display->printed >= every) {
    print_line(display, report);
    display->printed = time;
  }
  int signal_number = cli_signals_received();
  return signal_number ? 128 + signal_number : 0;
}

// Prints what there is.  A stop by a signal becomes 128 + its number, as shells have it.
// An end by the limit of time has the status DCSIM_STOPPED, which scripts take for "start me again".
static int finish(const struct cli_arguments *arguments, struct display *display, int status, dcsim_report *report,
                  const dcsim_error *error)
{
  int signal_number = cli_signals_received();
  if (display->terminal && !display->quiet)
    fputs("\r\033[K", stderr);
  cli_print_report(report, arguments->json);
  dcsim_report_free(report);
  if (status && (status != DCSIM_STOPPED || !arguments->quiet))
    cli_message("%s", error->text);
  return status == DCSIM_STOPPED && signal_number ? 128 + signal_number : status;
}

// Makes DCSIM_DATADIR absolute, because runs start in the directory of the sweep.
static void fix_data_folder(void)
{
  char real[PATH_MAX];
  const char *folder = getenv("DCSIM_DATADIR");
  if (folder && folder[0] != '/' && realpath(folder, real))
    setenv("DCSIM_DATADIR", real, 1);
}

// Checks the options that exclude each other before anything starts.  Runs of the study are started as this
// very program, hence its path; each takes one thread by default, as many run side by side.
// Returns the status of dcsim_sweep, or 128 + the number of the signal that ended it.
static int run_study(const struct cli_arguments *arguments, const char *command)
{
  char program[CLI_PATH];
  int task = 0, tasks = 0;
  if (!arguments->output)
    return cli_fail(DCSIM_USAGE, "%s: missing --output (see dcsim %s --help)", command, command);
  if (arguments->task && !read_task(arguments->task, &task, &tasks))
    return cli_fail(DCSIM_USAGE, "--task: must be I/N with I from 0 to N (is \"%.200s\")", arguments->task);
  if (arguments->sweep.gather && (arguments->task || arguments->sweep.retry))
    return cli_fail(DCSIM_USAGE, "--gather: runs nothing; --task and --retry do not go with it");
  if (!cli_find_program(program))
    return cli_fail(DCSIM_IO, "the path of this program cannot be found: there is no /proc");
  fix_data_folder();
  cli_signals_defer(arguments->quiet);
  struct display display = {.quiet = arguments->quiet, .terminal = isatty(STDERR_FILENO), .printed = cli_seconds()};
  const dcsim_sweep_options options = {
      .size = sizeof options,
      .directory = arguments->output,
      .program = program,
      .jobs = arguments->sweep.jobs > 0 ? (int)arguments->sweep.jobs : 0,
      .threads = arguments->threads > 0 ? (int)arguments->threads : 1,
      .task = task,
      .tasks = tasks,
      .gather = arguments->sweep.gather,
      .retry = arguments->sweep.retry,
      .ranks = arguments->mpi,
      .max_seconds = arguments->run.max_time,
      .progress = report_progress,
      .progress_context = &display,
  };
  dcsim_report report = {0};
  dcsim_error error = {0};
  int status = dcsim_sweep(arguments->operand, &options, &report, &error);
  return finish(arguments, &display, status, &report, &error);
}

static int run(const struct cli_arguments *arguments)
{
  return run_study(arguments, "sweep");
}

// The sweep goes on where it was; the file is made anew of what it has in the end.
static int run_dataset(const struct cli_arguments *arguments)
{
  dcsim_report report = {0};
  dcsim_error error = {0};
  // The report in JSON is that of the data set: two documents on one stream would be none.
  struct cli_arguments silent = *arguments;
  silent.json = false;
  int status = run_study(&silent, "dataset");
  // Files of the runs so far are wanted where not all points have ended; the status tells that some are missing.
  bool unfinished = status == DCSIM_STOPPED && arguments->sweep.gather;
  if (status && !unfinished)
    return status;
  const dcsim_dataset_options options = {.size = sizeof options, .verify = arguments->sweep.verify};
  status = dcsim_dataset(arguments->output, &options, &report, &error);
  status = cli_finish(arguments, status, &report, &error);
  return unfinished && !status ? DCSIM_STOPPED : status;
}

static const struct cli_option dataset_options[] = {
    CLI_OUTPUT_DIRECTORY("directory of the sweep and of the files; an unfinished sweep there goes on"),
    CLI_ENTRY("jobs", DC_INTEGER, sweep.jobs, "runs side by side; default: one for each processor", .letter = 'j',
              .argument = "N", CLI_BOUNDS(1, 1024)),
    CLI_FLAG_OPTION("gather", sweep.gather, "run nothing: make the files of the runs so far"),
    CLI_FLAG_OPTION("verify", sweep.verify, "certify plans that have no certificate, as dcsim verify --quick does"),
    CLI_FLAG_OPTION("retry", sweep.retry, "run points again that have failed"),
    CLI_POSITIVE_OPTION("max-time", run.max_time, "SECONDS", 1e9,
                        "end before this time, with checkpoints and status 9"),
    CLI_OPTIONS_END,
};

static const struct cli_option *const all_dataset_options[] = {dataset_options, cli_thread_options, cli_quiet_options,
                                                               cli_common_options, NULL};

const struct cli_command cli_command_dataset = {
    .name = "dataset",
    .summary = "Write plans of the points of a study as demonstrations to learn from.",
    .operand = "STUDY",
    .operand_value = CLI_VALUE_SCENE,
    .operand_required = true,
    .details = "Runs the study as dcsim sweep does, then writes DIR/dataset.h5 as robomimic lays it out\n"
               "and DIR/dataset.zarr.zip as Diffusion Policy does.\n"
               "The same command goes on where it ended.",
    .options = all_dataset_options,
    .run = run_dataset,
};

static const struct cli_option *const options[] = {own_options, cli_thread_options, cli_quiet_options,
                                                   cli_common_options, NULL};

const struct cli_command cli_command_sweep = {
    .name = "sweep",
    .summary = "Run the points of a study: one scene with other values.",
    .operand = "STUDY",
    .operand_value = CLI_VALUE_SCENE,
    .operand_required = true,
    .details = "The first SIGINT or SIGTERM lets all runs write their checkpoints, the second stops at once.\n"
               "The same command goes on where a sweep ended.",
    .options = options,
    .run = run,
};
