// SPDX-License-Identifier: Apache-2.0
// dcsim list: the types from which scenes are built.
#include "cli/commands.h"
#include "cli/session.h"
#include "cli/signals.h"

static int run(const struct cli_arguments *arguments)
{
  cli_signals_end_with_reader();
  dcsim_report report = {0};
  dcsim_error error = {0};
  int status = dcsim_list(arguments->operand, &report, &error);
  return cli_finish(arguments, status, &report, &error);
}

static const struct cli_option *const options[] = {cli_common_options, NULL};

const struct cli_command cli_command_list = {
    .name = "list",
    .summary = "List all parts of scenes with their options.",
    .operand = "FAMILY",
    .operand_value = CLI_VALUE_FAMILY,
    .details = "FAMILY: models, joints, shapes, controls, objectives, designs, optimizers or sections; all without it.",
    .options = options,
    .run = run,
};
