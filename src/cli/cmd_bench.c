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
  int status = bench_run(arguments->operand, arguments->overrides.count, arguments->overrides.items, &report, &error);
  return cli_finish(arguments, status, &report, &error);
}

static const struct cli_option setting_options[] = {
    {.name = "set",
     .type = CLI_LIST,
     .argument = "PATH=VALUE",
     .value = CLI_VALUE_ANY,
     .offset = offsetof(struct cli_arguments, overrides),
     .help = "a setting of the benchmark, as in tasks=1000; may be repeated"},
    CLI_OPTIONS_END,
};
static const struct cli_option *const options[] = {setting_options, cli_thread_options, cli_common_options, NULL};

const struct cli_command cli_command_bench = {
    .name = "bench",
    .summary = "Run a built-in benchmark; list them without NAME.",
    .operand = "NAME",
    .operand_value = CLI_VALUE_BENCH,
    .options = options,
    .run = run,
};
