// SPDX-License-Identifier: Apache-2.0
// dcsim probe: contact at the initial state.
#include "cli/commands.h"
#include "cli/session.h"

static int run(const struct cli_arguments *arguments)
{
  return cli_look(arguments, dcsim_probe);
}

static const struct cli_option *const options[] = {cli_scene_options, cli_thread_options, cli_common_options, NULL};

const struct cli_command cli_command_probe = {
    .name = "probe",
    .summary = "Print contact energy, gaps and the force on every body at the initial state.",
    .operand = "SCENE",
    .operand_value = CLI_VALUE_SCENE,
    .operand_required = true,
    .options = options,
    .run = run,
};
