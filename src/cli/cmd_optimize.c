// SPDX-License-Identifier: Apache-2.0
// dcsim optimize: minimize the loss of a scene.
#include "cli/commands.h"
#include "cli/session.h"

static const char *const gradients[] = {"adjoint", NULL};
static const char *const later_gradients[] = {"fd", "bundle", NULL};

static const struct cli_option own_options[] = {
    {.name = "gradient",
     .type = CLI_CHOICE,
     .argument = "KIND",
     .choices = gradients,
     .later_choices = later_gradients,
     .offset = offsetof(struct cli_arguments, gradient),
     .help = "how gradients are computed: adjoint (the default)"},
    {.name = "resume", .type = CLI_TEXT, .argument = "DIR", .later = true, .help = ""},
    CLI_OPTIONS_END,
};

static int run(const struct cli_arguments *arguments)
{
  return cli_run(arguments, dcsim_optimize);
}

static const struct cli_option *const options[] = {
    cli_run_options, own_options, cli_scene_options, cli_thread_options, cli_quiet_options, cli_common_options, NULL};

const struct cli_command cli_command_optimize = {
    .name = "optimize",
    .summary = "Minimize the loss of a scene over its controls.",
    .operand = "SCENE",
    .operand_required = true,
    .details = "The first SIGINT or SIGTERM finishes the iteration and writes what there is, the second stops at once.",
    .options = options,
    .run = run,
};
