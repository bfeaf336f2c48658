// SPDX-License-Identifier: Apache-2.0
// Common parts of commands: open a scene according to the options, run it, report, choose the exit status.
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include <dcsim.h>

#include "cli/options.h"

// Scene options from the arguments; the result points into these.
dcsim_scene_options cli_scene_options_of(const struct cli_arguments *arguments);

// Opens the scene of the operand, or else that of the run to resume.  Returns 0, or an exit status after a message;
// then *scene is NULL.
int cli_scene_open(const struct cli_arguments *arguments, dcsim_scene **scene);

// Prints the report, whatever the status (measurements that break a rule are still of interest), and the error as a
// message; frees the report.  Returns the exit status.
int cli_finish(const struct cli_arguments *arguments, int status, dcsim_report *report, const dcsim_error *error);

typedef int cli_run_function(const dcsim_scene *scene, const dcsim_run_options *options, dcsim_result *result,
                             dcsim_report *report, dcsim_error *error);
// Runs a command that creates a run directory: dcsim_simulate or dcsim_optimize on the scene.  ranks: this is rank 0 of
// these; or NULL.
int cli_run(const struct cli_arguments *arguments, cli_run_function *function, dcsim_ranks *ranks);

enum { CLI_PATH = 4096 };
// Finds the path of this program; false when it is unknown.
bool cli_find_program(char path[CLI_PATH]);

typedef int cli_look_function(const dcsim_scene *scene, dcsim_report *report, dcsim_error *error);
// Runs a command that inspects a scene.
int cli_look(const struct cli_arguments *arguments, cli_look_function *function);

#endif
