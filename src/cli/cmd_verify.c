// SPDX-License-Identifier: Apache-2.0
// dcsim verify: the certificate of a run.
#include <dcsim.h>

#include "cli/commands.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "cli/signals.h"

static const struct cli_option own_options[] = {
    CLI_OUTPUT_FILE("where the certificate is written, \"none\": nowhere; default: RUN/certificate.json"),
    CLI_INTEGER_OPTION("draws", verify.draws, "N", 0, 1e5, "perturbed starts; default: 16, with --quick 4"),
    CLI_INTEGER_OPTION("closed-draws", verify.closed_draws, "N", 0, 1e5,
                       "perturbed starts in closed loop, each as long as the run; default: 0"),
    CLI_INTEGER_OPTION("directions", verify.directions, "N", 0, 64,
                       "random directions that the gradient is checked along; default: 4, with --quick 2"),
    CLI_FLAG_OPTION("quick", quick, "fewer draws and directions, no closed loops"),
    CLI_FLAG_OPTION("untrusted", verify.untrusted, "the run of a stranger: nothing outside of it is read, and it has no links"),
    CLI_SEED_OPTION("seed of starts and directions; default: 0"),
    CLI_FLAG_OPTION("no-report", run.no_report, "do not write report.html at the end"),
    CLI_OPTIONS_END,
};

// Converts a count: not given means the default, 0 means none.
static int count_of(long given)
{
  return given < 0 ? 0 : given == 0 ? -1 : (int)given;
}

// Rewrites the report page, which shows RUN/certificate.json.
static void write_report(const struct cli_arguments *arguments, int status)
{
  dcsim_error error = {0};
  if (arguments->run.no_report || arguments->output || (status && status != DCSIM_UNMET))
    return;
  if (dcsim_write_report(arguments->operand, NULL, &error))
    cli_message("warning: no report: %s", error.text);
}

// Certifies a run, writes its page anew, and ends with 1 where a demand does not hold, or by the signal that
// stopped it.
static int run(const struct cli_arguments *arguments)
{
  struct cli_progress progress;
  const dcsim_verify_options options = {
      .size = sizeof options,
      .draws = count_of(arguments->verify.draws),
      .directions = count_of(arguments->verify.directions),
      .quick = arguments->quick,
      .untrusted = arguments->verify.untrusted,
      .seed = arguments->seed > 0 ? (uint64_t)arguments->seed : 0,
      .file = arguments->output,
      .progress = cli_progress_report,
      .progress_context = &progress,
      .closed_draws = arguments->verify.closed_draws > 0 ? (int)arguments->verify.closed_draws : 0,
  };
  if (arguments->threads > 0)
    dcsim_set_threads((int)arguments->threads);
  cli_signals_defer(arguments->quiet);
  cli_progress_start(&progress, "check", false, 0, arguments->quiet);
  dcsim_report report = {0};
  dcsim_error error = {0};
  int status = dcsim_verify(arguments->operand, &options, &report, &error);
  cli_progress_finish(&progress);
  write_report(arguments, status);
  int signal_number = cli_signals_received();
  status = cli_finish(arguments, status, &report, &error);
  return signal_number && status == DCSIM_STOPPED ? 128 + signal_number : status;
}

static const struct cli_option *const options[] = {own_options, cli_thread_options, cli_quiet_options,
                                                   cli_common_options, NULL};

const struct cli_command cli_command_verify = {
    .name = "verify",
    .summary = "Certify a run: reproduced, nothing crosses, gradients, other worlds.",
    .operand = "RUN",
    .operand_value = CLI_VALUE_RUN,
    .operand_required = true,
    .details = "Exits with 1 when something does not hold that the scene demands (\"certify\").",
    .options = options,
    .run = run,
};
