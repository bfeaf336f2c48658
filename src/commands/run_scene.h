// SPDX-License-Identifier: Apache-2.0
// The scene of a run directory.
#ifndef DC_COMMANDS_RUN_SCENE_H
#define DC_COMMANDS_RUN_SCENE_H

#include "api/internal.h"

// Checks that the run keeps to itself (dc_run_check) and opens the scene that it holds, resolved.json or what name
// says.  options: NULL or complete, of this version; confined: the run is not trusted.  A run that another user owns is
// none either.  As dcsim_scene_open.
int dc_api_open_run_scene(const char *directory, const char *name, const dcsim_scene_options *options,
                          dcsim_scene **scene, dcsim_error *error);

#endif
