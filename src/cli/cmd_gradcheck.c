// SPDX-License-Identifier: Apache-2.0
// dcsim gradcheck: the adjoint against differences.
#include <dcsim.h>

#include "cli/commands.h"
#include "cli/session.h"

static const struct cli_option own_options[] = {
    CLI_INTEGER_OPTION("steps", steps, "N", 1, 1e7, "check the first N time steps only"),
    CLI_POSITIVE_OPTION("tolerance", tolerance, "X", 1, "largest relative error allowed; default: 1e-6"),
    CLI_OPTIONS_END,
};

// Compares adjoint and differences at the scene's first guess.  Steps of 0 mean all of them, a tolerance of 0 the
// default; the status is 1 where an error is above it.
static int run(const struct cli_arguments *arguments)
{
  dcsim_scene *scene;
  int status = cli_scene_open(arguments, &scene);
  if (status)
    return status;
  dcsim_report report = {0};
  dcsim_error error = {0};
  int steps = arguments->steps > 0 ? (int)arguments->steps : 0;
  uint64_t seed = arguments->seed > 0 ? (uint64_t)arguments->seed : 0;
  status = dcsim_gradcheck(scene, steps, seed, arguments->tolerance, &report, &error);
  dcsim_scene_close(scene);
  return cli_finish(arguments, status, &report, &error);
}

static const struct cli_option *const options[] = {own_options, cli_scene_options, cli_thread_options,
                                                   cli_common_options, NULL};

const struct cli_command cli_command_gradcheck = {
    .name = "gradcheck",
    .summary = "Check the adjoint gradient against central differences and a Taylor test.",
    .operand = "SCENE",
    .operand_value = CLI_VALUE_SCENE,
    .operand_required = true,
    .details = "Exits with 1 when the largest relative error is over the tolerance.",
    .options = options,
    .run = run,
};
