// SPDX-License-Identifier: Apache-2.0
// dcsim query: the contact manifold at the initial state.
#include <dcsim.h>

#include "cli/commands.h"
#include "cli/message.h"
#include "cli/session.h"
#include "cli/signals.h"

static const struct cli_option own_options[] = {
    CLI_FLAG_OPTION("manifold", query.manifold,
                    "contact points, normals, signed distances and activities, with Jacobians"),
    CLI_REAL_OPTION("softness", query.softness, "X", 1e-3, 1e3, "factor on all softnesses of manifolds; default: 1"),
    CLI_REAL_OPTION("gradient-softness", query.gradient_softness, "X", 1e-3, 1e3,
                    "the same for Jacobians alone; default: that of --softness"),
    CLI_OUTPUT_FILE("write all contacts as an NPZ file, one array for each pair, or draw them (.png)"),
    CLI_OPTIONS_END,
};

// The manifold is asked for by name, so that other queries may follow.  Softnesses of 0 were not given; the
// factor is then 1.
static int run(const struct cli_arguments *arguments)
{
  cli_signals_end_with_reader();
  dcsim_scene *scene;
  dcsim_report report = {0};
  dcsim_error error = {0};
  if (!arguments->query.manifold)
    return cli_fail(DCSIM_USAGE, "query: missing --manifold, the one query there is");
  int status = cli_scene_open(arguments, &scene);
  if (status)
    return status;
  const dcsim_query_options query = {.size = sizeof query,
                                     .softness = arguments->query.softness,
                                     .gradient_softness = arguments->query.gradient_softness};
  status = dcsim_query(scene, arguments->output, &query, &report, &error);
  // The report owns its texts: the scene may be closed before it is printed.
  dcsim_scene_close(scene);
  return cli_finish(arguments, status, &report, &error);
}

static const struct cli_option *const options[] = {own_options, cli_scene_options, cli_thread_options,
                                                   cli_common_options, NULL};

const struct cli_command cli_command_query = {
    .name = "query",
    .summary = "Print the contact manifold of a scene at its initial state.",
    .operand = "SCENE",
    .operand_value = CLI_VALUE_SCENE,
    .operand_required = true,
    .options = options,
    .run = run,
};
