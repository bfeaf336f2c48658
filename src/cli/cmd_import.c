// SPDX-License-Identifier: Apache-2.0
// dcsim import: a robot's file as a scene.
#include <dcsim.h>

#include "cli/commands.h"
#include "cli/message.h"
#include "cli/session.h"

static const struct cli_option own_options[] = {
    CLI_OUTPUT_FILE("the scene; meshes go to the folder meshes beside it"),
    CLI_OPTIONS_END,
};

// Reads the robot as "include" of a scene would, then writes what came of it: bodies, shapes, joints, actuators.  There
// is no default name, since the meshes are written beside the scene.
static int run(const struct cli_arguments *arguments)
{
  dcsim_report report = {0};
  dcsim_error error = {0};
  if (!arguments->output)
    return cli_fail(DCSIM_USAGE, "import: missing --output FILE");
  const dcsim_scene_options options = cli_scene_options_of(arguments);
  int status = dcsim_import(arguments->operand, &options, arguments->output, &report, &error);
  return cli_finish(arguments, status, &report, &error);
}

static const struct cli_option *const options[] = {own_options, cli_scene_options, cli_thread_options,
                                                   cli_common_options, NULL};

const struct cli_command cli_command_import = {
    .name = "import",
    .summary = "Write a scene of a robot's URDF or MJCF file, with all that the file says.",
    .operand = "ROBOT",
    .operand_value = CLI_VALUE_FILE,
    .operand_required = true,
    .options = options,
    .run = run,
};
