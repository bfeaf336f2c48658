// SPDX-License-Identifier: Apache-2.0
// dcsim bench: starts the program dcsim-bench, which holds the benchmarks, with the same arguments.
//
// The benchmarks measure the library from inside and are not installed by default; they lie beside dcsim where it was
// built.  Their options are described here, so that help and completion do not depend on whether they are there.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/message.h"
#include "cli/session.h"

// Replaces this process by dcsim-bench, with the arguments unchanged.  execv() returns only where there is no
// such program.
static int run(const struct cli_arguments *arguments)
{
  char path[CLI_PATH];
  char *slash = cli_find_program(path) ? strrchr(path, '/') : NULL;
  size_t space = slash ? sizeof path - (size_t)(slash + 1 - path) : 0;
  if (slash && snprintf(slash + 1, space, "dcsim-bench") < (int)space)
    execv(path, arguments->argv);
  return cli_fail(DCSIM_USAGE, "bench: the benchmarks are a program of their own, dcsim-bench, which is not beside "
                               "dcsim here; it is there where dcsim was built from its sources");
}

// Settings of a benchmark are known to dcsim-bench alone: any path is passed on, and refused there.
static const struct cli_option setting_options[] = {
    CLI_LIST_OPTION("set", overrides, "PATH=VALUE", CLI_VALUE_ANY,
                    "a setting, as in tasks=1000, or of the scene (tasks); may be repeated"),
    CLI_OPTIONS_END,
};

// Options of "bench tasks", which solves drawn cases; which others do not have.
static const struct cli_option task_options[] = {
    CLI_TEXT_OPTION("task", task, "NAME", CLI_VALUE_ANY, "tasks: which task is drawn"),
    CLI_INTEGER_OPTION("draws", verify.draws, "N", 1, 1e6, "tasks: how many cases; default: 10"),
    CLI_SEED_OPTION("tasks: seed of the cases; default: 1"),
    CLI_LIST_OPTION("method", bench.methods, "NAME", CLI_VALUE_ANY,
                    "tasks: a method to solve them with; may be repeated; default: scene"),
    CLI_POSITIVE_OPTION("limit", bench.limit, "SECONDS", 1e9,
                        "tasks: processor time that a case may take; default: 60"),
    CLI_OUTPUT_DIRECTORY("tasks: folder of rows.tsv, where rows that are there already are not computed again"),
    CLI_TEXT_OPTION("run", bench.run, "DIR", CLI_VALUE_DIRECTORY,
                    "tasks: run directory for the one case that is then solved, as of optimize"),
    CLI_TEXT_OPTION("write", bench.write, "DIR", CLI_VALUE_DIRECTORY,
                    "tasks: write the cases as scenes and commands into DIR; none: only open them"),
    CLI_TEXT_OPTION("scenes", bench.scenes, "DIR", CLI_VALUE_DIRECTORY,
                    "tasks: folder of the shipped scenes; default: scenes, or where they are installed"),
    CLI_OPTIONS_END,
};
static const struct cli_option *const options[] = {setting_options, task_options, cli_thread_options,
                                                   cli_common_options, NULL};

const struct cli_command cli_command_bench = {
    .name = "bench",
    .summary = "Run a built-in benchmark; list them without NAME.",
    .operand = "NAME",
    .operand_value = CLI_VALUE_BENCH,
    .options = options,
    .run = run,
};
