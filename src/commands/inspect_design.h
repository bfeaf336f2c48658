// SPDX-License-Identifier: Apache-2.0
// Looking into the design of a scene.  Private to src/commands.
#ifndef DC_COMMANDS_INSPECT_DESIGN_H
#define DC_COMMANDS_INSPECT_DESIGN_H

#include "api/internal.h"

// How many parameters every control has, from which to which and in what units, and, in json alone, every entry of the
// design: "vector".  steps: as many as are optimized at once.
void dc_api_describe_parameters(const struct dc_scene *scene, int steps, struct dc_text *text,
                                struct dc_json_writer *json);
// Mass, volume and how the bodies can be made whose shapes a design changes, of a model with a design and the input
// that goes with it (NULL: the scene's): "designed" in json.  Nothing where there are none, and without designed.
void dc_api_describe_designed(const struct dc_model *model, const struct dc_rollout_input *input, const bool *designed,
                              struct dc_text *text, struct dc_json_writer *json);
// The numbers of the design with their bounds, "design" in json, and dc_api_describe_designed.
// DC_MEMORY.
enum dc_status dc_api_describe_design(const struct dc_scene *scene, struct dc_text *text, struct dc_json_writer *json,
                                      struct dc_error *error);

#endif
