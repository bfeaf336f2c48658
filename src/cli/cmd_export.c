// SPDX-License-Identifier: Apache-2.0
// dcsim export: a run, or its model, for other programs.
#include <dcsim.h>

#include "cli/commands.h"
#include "cli/message.h"
#include "cli/session.h"

static const char *const formats[] = {"csv", "npz", "glb", "mjcf", "urdf", NULL};

static const struct cli_option own_options[] = {
    CLI_CHOICE_OPTION("format", format, "NAME", formats,
                      "csv (table), npz (NumPy), glb (animated glTF), mjcf or urdf (the model)"),
    CLI_OUTPUT_FILE("default: in RUN/export, trajectory.csv or .npz, model.xml or .urdf; RUN/run.glb"),
    CLI_OPTIONS_END,
};

// Without --output the file lies in the run.  A format is asked for instead of guessed from the name of the file, as
// .xml and .urdf are models and the others trajectories.
static int run(const struct cli_arguments *arguments)
{
  if (!arguments->format)
    return cli_fail(DCSIM_USAGE, "export: missing --format csv, npz, glb, mjcf or urdf");
  dcsim_report report = {0};
  dcsim_error error = {0};
  int status = dcsim_export(arguments->operand, arguments->format, arguments->output, &report, &error);
  return cli_finish(arguments, status, &report, &error);
}

static const struct cli_option *const options[] = {own_options, cli_common_options, NULL};

const struct cli_command cli_command_export = {
    .name = "export",
    .summary = "Write the trajectory or the model of a run directory for other programs.",
    .operand = "RUN",
    .operand_value = CLI_VALUE_RUN,
    .operand_required = true,
    .options = options,
    .run = run,
};
