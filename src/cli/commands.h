// SPDX-License-Identifier: Apache-2.0
// The commands, one file each.
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/options.h"

extern const struct cli_command cli_command_simulate, cli_command_optimize, cli_command_gradcheck, cli_command_probe,
    cli_command_query, cli_command_check, cli_command_render, cli_command_report, cli_command_export, cli_command_diff,
    cli_command_list, cli_command_schema, cli_command_sweep, cli_command_dataset, cli_command_bench, cli_command_verify,
    cli_command_completion, cli_command_new, cli_command_example, cli_command_help, cli_command_import, cli_command_view;

#endif
