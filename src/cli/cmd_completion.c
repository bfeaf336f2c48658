// SPDX-License-Identifier: Apache-2.0
// dcsim completion: scripts for shells.
#include <dcsim.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/message.h"
#include "cli/signals.h"

static const char *const shells[] = {"bash", "zsh", NULL};

// Prints the script; a reader that goes away, as a shell does that is closed, ends the program silently.
static int run(const struct cli_arguments *arguments)
{
  cli_signals_end_with_reader();
  if (strcmp(arguments->operand, "bash") == 0)
    cli_print_bash_completion(arguments->commands);
  else if (strcmp(arguments->operand, "zsh") == 0)
    cli_print_zsh_completion(arguments->commands);
  else
    return cli_fail(DCSIM_USAGE, "completion: SHELL must be \"bash\" or \"zsh\" (is \"%.200s\")", arguments->operand);
  return 0;
}

static const struct cli_option *const options[] = {cli_help_options, NULL};

const struct cli_command cli_command_completion = {
    .name = "completion",
    .summary = "Print the script that completes command lines in bash or zsh.",
    .operand = "SHELL",
    .operand_value = CLI_VALUE_CHOICES,
    .operand_choices = shells,
    .operand_required = true,
    .details = "SHELL: bash or zsh.  Try it out: source <(dcsim completion bash)",
    .options = options,
    .run = run,
};
