// SPDX-License-Identifier: Apache-2.0
// dcsim bench: the built-in benchmarks.
#include <stddef.h>

#include "bench/bench.h"
#include "cli/commands.h"
#include "cli/session.h"

static int run(const struct cli_arguments *arguments)
{
  dcsim_report report = {0};
  dcsim_error error = {0};
  if (arguments->threads > 0)
    dcsim_set_threads((int)arguments->threads);
  const struct bench_options chosen = {.count = arguments->overrides.count,
                                       .settings = arguments->overrides.items,
                                       .task = arguments->task,
                                       .draws = arguments->draws > 0 ? arguments->draws : 0,
                                       .seed_given = arguments->seed >= 0,
                                       .seed = arguments->seed >= 0 ? (uint64_t)arguments->seed : 1,
                                       .method_count = arguments->methods.count,
                                       .methods = arguments->methods.items,
                                       .limit = arguments->limit,
                                       .output = arguments->output,
                                       .write = arguments->write,
                                       .scenes = arguments->scenes,
                                       .run = arguments->run,
                                       .command_line = arguments->command_line};
  int status = bench_run(arguments->operand, &chosen, &report, &error);
  return cli_finish(arguments, status, &report, &error);
}

static const struct cli_option setting_options[] = {
    {.name = "set",
     .type = CLI_LIST,
     .argument = "PATH=VALUE",
     .value = CLI_VALUE_ANY,
     .offset = offsetof(struct cli_arguments, overrides),
     .help = "a setting, as in tasks=1000, or of the scene (tasks); may be repeated"},
    CLI_OPTIONS_END,
};

#define OFFSET(member) .offset = offsetof(struct cli_arguments, member)
static const struct cli_option task_options[] = {
    {.name = "task", .type = CLI_TEXT, .argument = "NAME", OFFSET(task), .help = "tasks: which task is drawn"},
    {.name = "draws",
     .type = CLI_INTEGER,
     .argument = "N",
     .minimum = 1,
     .maximum = 1e6,
     OFFSET(draws),
     .help = "tasks: how many cases; default: 10"},
    {.name = "seed",
     .type = CLI_INTEGER,
     .argument = "N",
     .minimum = 0,
     .maximum = 0x1p53,
     OFFSET(seed),
     .help = "tasks: seed of the cases; default: 1"},
    {.name = "method",
     .type = CLI_LIST,
     .argument = "NAME",
     OFFSET(methods),
     .help = "tasks: a method to solve them with; may be repeated; default: scene"},
    {.name = "limit",
     .type = CLI_REAL,
     .argument = "SECONDS",
     .minimum = 0,
     .maximum = 1e9,
     .minimum_excluded = true,
     OFFSET(limit),
     .help = "tasks: processor time that a case may take; default: 60"},
    {.name = "output",
     .letter = 'o',
     .type = CLI_TEXT,
     .argument = "DIR",
     .value = CLI_VALUE_DIRECTORY,
     OFFSET(output),
     .help = "tasks: folder of rows.tsv, where rows that are there already are not computed again"},
    {.name = "run",
     .type = CLI_TEXT,
     .argument = "DIR",
     .value = CLI_VALUE_DIRECTORY,
     OFFSET(run),
     .help = "tasks: run directory for the one case that is then solved, as of optimize"},
    {.name = "write",
     .type = CLI_TEXT,
     .argument = "DIR",
     .value = CLI_VALUE_DIRECTORY,
     OFFSET(write),
     .help = "tasks: write the cases as scenes and commands into DIR; none: only open them"},
    {.name = "scenes",
     .type = CLI_TEXT,
     .argument = "DIR",
     .value = CLI_VALUE_DIRECTORY,
     OFFSET(scenes),
     .help = "tasks: folder of the shipped scenes; default: scenes, or where they are installed"},
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
