// SPDX-License-Identifier: Apache-2.0
// dcsim optimize: minimize the loss of a scene.
#include <string.h>

#include "cli/commands.h"
#include "cli/message.h"
#include "cli/session.h"
#include "cli/signals.h"

static const char *const gradients[] = {"adjoint", "fd", "bundle", NULL};

static const struct cli_option own_options[] = {
    CLI_CHOICE_OPTION("gradient", gradient, "KIND", gradients,
                      "how gradients are computed, instead of the scene's way: adjoint, fd or bundle"),
    CLI_TEXT_OPTION("resume", run.resume, "DIR", CLI_VALUE_RUN,
                    "go on with the run in DIR from its last checkpoint; without SCENE: its own"),
    CLI_FLAG_OPTION("force", force, "resume although scene, version or vector kernels are not the same"),
    CLI_REAL_OPTION("checkpoint", run.checkpoint, "SECONDS", 0, 1e9,
                    "least time between checkpoints, 0: every iteration; default: 30"),
    CLI_FLAG_OPTION("view", run.view, "serve a page that shows the run while it goes on, to this machine only"),
    CLI_FLAG_OPTION("mpi", mpi, "share rollouts with the ranks of MPI; by itself when started by mpirun"),
    CLI_OPTIONS_END,
};

// Signals are deferred, since mpirun sends them to all ranks; rank 0 decides.  An error is told to rank 0 by
// the end of the ranks.
static int serve(const struct cli_arguments *arguments, dcsim_ranks *ranks)
{
  dcsim_scene *scene;
  dcsim_error error = {0};
  const dcsim_run_options options = {.size = sizeof options, .ranks = ranks};
  cli_message_mute();
  cli_signals_defer(true);
  int status = cli_scene_open(arguments, &scene);
  if (!status)
    status = dcsim_optimize(scene, &options, NULL, NULL, &error);
  dcsim_scene_close(scene);
  dcsim_ranks_finish(ranks, status, error.text[0] ? error.text : cli_message_kept());
  return status;
}

// Checks combinations of options, then runs: alone, as rank 0 that prints, or as another rank that serves.
static int run(const struct cli_arguments *arguments)
{
  if (!arguments->operand && !arguments->run.resume)
    return cli_fail(DCSIM_USAGE, "optimize: missing SCENE (see dcsim optimize --help)");
  if (arguments->run.resume && arguments->output)
    return cli_fail(DCSIM_USAGE, "--output: a run that is resumed goes on in its own directory");
  if (arguments->run.resume && arguments->run.control)
    return cli_fail(DCSIM_USAGE, "--control: a run that is resumed has its own controls");
  if (arguments->force && !arguments->run.resume)
    return cli_fail(DCSIM_USAGE, "--force: needs --resume too");
  // SIGUSR1 asks for a checkpoint where there is a run directory to write it to.
  if (!arguments->output || strcmp(arguments->output, "none") != 0)
    cli_signals_allow_checkpoints();
  char program[CLI_PATH];
  dcsim_ranks *ranks;
  dcsim_error error = {0};
  int status = dcsim_ranks_start(cli_find_program(program) ? program : NULL, arguments->mpi, &ranks, &error);
  if (status)
    return cli_fail(status, "%s", error.text);
  // Ranks other than 0 have no output, no report and no status of their own.
  if (dcsim_ranks_number(ranks) > 0)
    return serve(arguments, ranks);
  status = cli_run(arguments, dcsim_optimize, ranks);
  dcsim_ranks_finish(ranks, status, NULL);
  return status;
}

static const struct cli_option *const options[] = {
    cli_run_options,    own_options,       cli_port_options,   cli_scene_options,
    cli_thread_options, cli_quiet_options, cli_common_options, NULL};

const struct cli_command cli_command_optimize = {
    .name = "optimize",
    .summary = "Minimize the loss of a scene over its controls.",
    .operand = "SCENE",
    .operand_value = CLI_VALUE_SCENE,
    .details =
        "The first SIGINT or SIGTERM finishes the iteration and writes what there is, the second stops at once.\n"
        "SIGUSR1 writes a checkpoint and goes on.  SCENE may be left out with --resume.",
    .options = options,
    .run = run,
};
