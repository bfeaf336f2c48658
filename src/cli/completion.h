// SPDX-License-Identifier: Apache-2.0
// Shell completion: scripts made from the tables of commands and options.  Names used in scenes (contact models,
// families, options) are requested from the program at completion time.
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include "cli/options.h"

// Print the script for all commands [NULL-terminated] on stdout.
void cli_print_bash_completion(const struct cli_command *const *commands);
void cli_print_zsh_completion(const struct cli_command *const *commands);

#endif
