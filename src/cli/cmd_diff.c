// SPDX-License-Identifier: Apache-2.0
// dcsim diff: two runs beside each other.
#include <dcsim.h>

#include "cli/commands.h"
#include "cli/session.h"
#include "cli/signals.h"

// Status 1 is an answer, that the runs differ, as diff(1) has it.
static int run(const struct cli_arguments *arguments)
{
  cli_signals_end_with_reader();
  dcsim_report report = {0};
  dcsim_error error = {0};
  int status = dcsim_diff(arguments->operand, arguments->second, &report, &error);
  return cli_finish(arguments, status, &report, &error);
}

static const struct cli_option *const options[] = {cli_common_options, NULL};

const struct cli_command cli_command_diff = {
    .name = "diff",
    .summary = "Compare two run directories: results, final poses, settings, versions.",
    .operand = "RUN",
    .operand_value = CLI_VALUE_RUN,
    .operand_required = true,
    .second_operand = "RUN",
    .details = "Exits with 1 when loss.csv, trajectories or settings differ.",
    .options = options,
    .run = run,
};
