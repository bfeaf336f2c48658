// SPDX-License-Identifier: Apache-2.0
// dcsim schema: the scene format for editors.
#include "cli/commands.h"
#include "cli/session.h"
#include "cli/signals.h"

static int run(const struct cli_arguments *arguments)
{
  cli_signals_end_with_reader();
  dcsim_report report = {0};
  dcsim_error error = {0};
  struct cli_arguments as_json = *arguments;
  as_json.json = true;  // a schema is JSON
  int status = dcsim_schema(&report, &error);
  return cli_finish(&as_json, status, &report, &error);
}

static const struct cli_option *const options[] = {cli_common_options, NULL};

const struct cli_command cli_command_schema = {
    .name = "schema",
    .summary = "Print the JSON Schema (draft 2020-12) of the scene format.",
    .options = options,
    .run = run,
};
