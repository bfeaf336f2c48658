// SPDX-License-Identifier: Apache-2.0
// What commands have in common: open a scene as the options say, run it, report, choose the exit status.
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include <dcsim.h>

#include "cli/options.h"

// What the options say of scenes; it points into arguments.
dcsim_scene_options cli_scene_options_of(const struct cli_arguments *arguments);

// Opens the scene that the operand names, or without one that of the run to resume.  0, or an exit status after a
// message; *scene is then NULL.
int cli_scene_open(const struct cli_arguments *arguments, dcsim_scene **scene);

// Prints the report, whatever the status (measurements that fail a rule are still worth seeing), and the error as a
// message; frees the report.  Returns the exit status.
int cli_finish(const struct cli_arguments *arguments, int status, dcsim_report *report, const dcsim_error *error);

typedef int cli_run_function(const dcsim_scene *scene, const dcsim_run_options *options, dcsim_result *result,
                             dcsim_report *report, dcsim_error *error);
// A command that makes a run directory: dcsim_simulate or dcsim_optimize on the scene, on this rank 0 of ranks (or
// NULL).
int cli_run(const struct cli_arguments *arguments, cli_run_function *function, dcsim_ranks *ranks);

enum { CLI_PATH = 4096 };
// The path of this program; false when it cannot be found.
bool cli_find_program(char path[CLI_PATH]);

typedef int cli_look_function(const dcsim_scene *scene, dcsim_report *report, dcsim_error *error);
// A command that looks into a scene.
int cli_look(const struct cli_arguments *arguments, cli_look_function *function);

#endif
