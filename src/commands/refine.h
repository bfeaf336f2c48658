// SPDX-License-Identifier: Apache-2.0
// Refinements behind the public functions.  Private to src/commands.
#ifndef DC_COMMANDS_REFINE_H
#define DC_COMMANDS_REFINE_H

#include "api/internal.h"

// dcsim_optimize (optimizing) and dcsim_simulate (refused) of a scene that is a refinement; result is zeroed.
int dc_api_refine(const dcsim_scene *scene, const dcsim_run_options *options, bool optimizing, dcsim_result *result,
                  dcsim_report *report, dcsim_error *error);
// dcsim_probe: distances and witness points of all bodies that may touch, at the initial state.
int dc_api_probe_refinement(const dcsim_scene *scene, dcsim_report *report, dcsim_error *error);

#endif
