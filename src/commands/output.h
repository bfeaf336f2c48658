// SPDX-License-Identifier: Apache-2.0
// Outputs that would take the place of what a command reads.
#ifndef DC_COMMANDS_OUTPUT_H
#define DC_COMMANDS_OUTPUT_H

#include "io/scene/scene.h"

// DC_USAGE where the file at output, if there is one, is the input or one of the files that the scene was read from.
enum dc_status dc_api_check_output(const struct dc_scene *scene, const char *input, const char *output,
                                   struct dc_error *error);

// DC_USAGE where it is one of the files that commands read from the run in a directory.
enum dc_status dc_api_check_output_of_run(const char *directory, const char *output, struct dc_error *error);

#endif
