// SPDX-License-Identifier: Apache-2.0
// dcsim report: one page about a run, or about several.
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/message.h"
#include "cli/session.h"

// One run gets a page of its own, several the page of their comparison: the library decides by the count.
static int run(const struct cli_arguments *arguments)
{
  dcsim_report report = {0};
  dcsim_error error = {0};
  int count = 1 + arguments->more.count;
  const char **directories = calloc((size_t)count, sizeof *directories);
  if (!directories)
    return cli_fail(DCSIM_MEMORY, "out of memory for %d runs", count);
  directories[0] = arguments->operand;
  for (int i = 1; i < count; i++)
    directories[i] = arguments->more.strings[i - 1];
  if (arguments->threads > 0)
    dcsim_set_threads((int)arguments->threads);
  int status = dcsim_write_comparison(count, directories, &report, &error);
  free(directories);
  return cli_finish(arguments, status, &report, &error);
}

static const struct cli_option *const options[] = {cli_thread_options, cli_common_options, NULL};

const struct cli_command cli_command_report = {
    .name = "report",
    .summary = "Write RUN/report.html: 3D replay, charts and provenance on one page.",
    .operand = "RUN",
    .operand_value = CLI_VALUE_RUN,
    .operand_required = true,
    .more_operands = true,
    .details =
        "For several runs the page is comparison.html in the first one, with their results and losses side by side.",
    .options = options,
    .run = run,
};
