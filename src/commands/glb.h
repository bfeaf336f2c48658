// SPDX-License-Identifier: Apache-2.0
// A run as an animated model.  Private to src/commands.
#ifndef DC_COMMANDS_GLB_H
#define DC_COMMANDS_GLB_H

#include "io/run/run.h"

extern const char dc_glb_name[];  // "run.glb", of the file in a run directory

// Frames that run.glb and report.html are made of: of longer runs as many, evenly spread.
int dc_api_most_frames(int bodies);

// Writes path completely or not at all.  DC_IO, DC_MEMORY, DC_BAD_INPUT (camera).
enum dc_status dc_api_write_glb(const char *path, const struct dc_scene *scene,
                                const struct dc_stored_trajectory *trajectory, struct dc_error *error);
// The same of a trajectory in memory with these parameters (NULL: none), to DIR/run.glb.
enum dc_status dc_api_write_run_glb(const char *directory, const struct dc_scene *scene,
                                    const struct dc_trajectory *trajectory, const double *parameters,
                                    struct dc_error *error);

#endif
