// SPDX-License-Identifier: Apache-2.0
// Elements that pictures and reports share: target marks and the camera.  Private to src/commands.
#ifndef DC_COMMANDS_STAGE_H
#define DC_COMMANDS_STAGE_H

#include "io/run/run.h"
#include "render/render.h"

// The model of a stored trajectory: the scene's, or what the run's design made of it, in memory of the trajectory's
// arena.  Statuses of dc_model_redesign.
enum dc_status dc_api_designed(const struct dc_scene *scene, const struct dc_stored_trajectory *stored,
                               const struct dc_model **model, struct dc_error *error);

// Poses [bodies] at a stored frame.
void dc_api_place_bodies(const struct dc_stored_trajectory *stored, int frame, struct dc_pose *poses);
// Height of the ground that is drawn, the highest half space that faces up; NAN: none.
double dc_api_floor_height(const struct dc_bodies *bodies);
// Half the height of a picture at its target, m.
double dc_api_picture_size(const struct dc_render_settings *settings);

#define DC_SMALLEST_MARK 0.02  // m, of targets without a tolerance; less is not seen in pictures

// Marks of all objectives into marks unless NULL; their number.
int dc_api_marks(const struct dc_scene *scene, struct dc_render_mark *marks);

// The scene's camera, unless a side is asked for, else one that shows where movable bodies and marks are at the
// beginning and the end; width and height of settings are read for the aspect.  side: of dc_render_side_names, or
// NULL.  DC_USAGE: no such side; DC_MEMORY.
enum dc_status dc_api_camera(const struct dc_scene *scene, const struct dc_bodies *bodies,
                             const struct dc_stored_trajectory *stored, int mark_count,
                             const struct dc_render_mark *marks, const char *side, struct dc_render_settings *settings,
                             struct dc_error *error);

#endif
