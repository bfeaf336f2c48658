// SPDX-License-Identifier: Apache-2.0
// dcsim simulate: roll a scene out once.
#include "cli/commands.h"
#include "cli/session.h"

static int run(const struct cli_arguments *arguments)
{
  return cli_run(arguments, dcsim_simulate, NULL);
}

static const struct cli_option *const options[] = {cli_run_options,   cli_scene_options,  cli_thread_options,
                                                   cli_quiet_options, cli_common_options, NULL};

const struct cli_command cli_command_simulate = {
    .name = "simulate",
    .summary = "Roll a scene out once with its initial controls.",
    .operand = "SCENE",
    .operand_value = CLI_VALUE_SCENE,
    .operand_required = true,
    .options = options,
    .run = run,
};
