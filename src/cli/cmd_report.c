// SPDX-License-Identifier: Apache-2.0
// dcsim report: one page about a run.
#include "cli/commands.h"
#include "cli/session.h"

static int run(const struct cli_arguments *arguments)
{
  dcsim_report report = {0};
  dcsim_error error = {0};
  if (arguments->threads > 0)
    dcsim_set_threads((int)arguments->threads);
  int status = dcsim_write_report(arguments->operand, &report, &error);
  return cli_finish(arguments, status, &report, &error);
}

static const struct cli_option *const options[] = {cli_thread_options, cli_common_options, NULL};

const struct cli_command cli_command_report = {
    .name = "report",
    .summary = "Write RUN/report.html: 3D replay, charts and provenance on one page.",
    .operand = "RUN",
    .operand_value = CLI_VALUE_RUN,
    .operand_required = true,
    .options = options,
    .run = run,
};
