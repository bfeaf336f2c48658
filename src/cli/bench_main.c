// SPDX-License-Identifier: Apache-2.0
// The program dcsim-bench: takes the arguments of `dcsim bench` (src/cli/cmd_bench.c describes them) and runs the
// benchmark that they name.
#include <string.h>

#include "bench/bench.h"
#include "cli/commands.h"
#include "cli/message.h"
#include "cli/session.h"
#include "cli/signals.h"

// Hands the parsed options on.  The program ends like dcsim itself, by the statuses of dcsim.h.
static int run(const struct cli_arguments *arguments)
{
  dcsim_report report = {0};
  dcsim_error error = {0};
  if (arguments->threads > 0)
    dcsim_set_threads((int)arguments->threads);
  const struct bench_options chosen = {.count = arguments->overrides.count,
                                       .settings = arguments->overrides.strings,
                                       .task = arguments->task,
                                       .draws = arguments->verify.draws > 0 ? arguments->verify.draws : 0,
                                       .seed_given = arguments->seed >= 0,
                                       .seed = arguments->seed >= 0 ? (uint64_t)arguments->seed : 1,
                                       .method_count = arguments->bench.methods.count,
                                       .methods = arguments->bench.methods.strings,
                                       .limit = arguments->bench.limit,
                                       .output = arguments->output,
                                       .write = arguments->bench.write,
                                       .scenes = arguments->bench.scenes,
                                       .run = arguments->bench.run,
                                       .command_line = arguments->command_line};
  int status = bench_run(arguments->operand, &chosen, &report, &error);
  return cli_finish(arguments, status, &report, &error);
}

// The table of the command comes from dcsim's own source, so that both programs accept the same words; only
// run() is another one here.
int main(int argc, char **argv)
{
  struct cli_arguments arguments;
  struct cli_command command = cli_command_bench;
  command.run = run;
  cli_open_standard_streams();
  cli_signals_install();
  if (argc < 2 || strcmp(argv[1], "bench") != 0)
    return cli_fail(DCSIM_USAGE, "dcsim-bench is started by dcsim: dcsim bench [NAME] [options]");
  int status = cli_parse(&command, argc, argv, &arguments);
  bool helps = !status && arguments.help;
  if (helps)
    cli_print_help(&command);
  else if (!status)
    status = command.run(&arguments);
  cli_arguments_free(&arguments);
  return cli_leave(status, helps);
}
