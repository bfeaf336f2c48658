// SPDX-License-Identifier: Apache-2.0
// dcsim check: validate a scene.
#include "cli/commands.h"
#include "cli/session.h"

static int run(const struct cli_arguments *arguments)
{
  return cli_look(arguments, dcsim_check);
}

static const struct cli_option *const options[] = {cli_scene_options, cli_thread_options, cli_common_options, NULL};

const struct cli_command cli_command_check = {
    .name = "check",
    .summary = "Validate a scene and its meshes; print masses, meshes, hulls and initial gaps.",
    .operand = "SCENE",
    .operand_value = CLI_VALUE_SCENE,
    .operand_required = true,
    .options = options,
    .run = run,
};
