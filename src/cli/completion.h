// SPDX-License-Identifier: Apache-2.0
// Completion of command lines in shells: scripts made from the tables of commands and options.  Names that scenes use
// (contact models, families, options) are asked of the program when they are completed.
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include "cli/options.h"

// Print the script for all commands [NULL-terminated] on stdout.
void cli_print_bash_completion(const struct cli_command *const *commands);
void cli_print_zsh_completion(const struct cli_command *const *commands);

#endif
