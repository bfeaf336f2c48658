// SPDX-License-Identifier: Apache-2.0
// Everything that stands around the bodies in pictures and reports of a run: marks of goals, floor and camera, and
// the poses of a stored frame.
#include "commands/stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/rotation.h"
#include "math/vector.h"
#include "render/camera.h"

static const double level = 0.999;  // least z of the normal of a half-space that is drawn as ground

// The model with the design that the stored parameters stand for; the scene's own where nothing is designed.
enum dc_status dc_api_designed(const struct dc_scene *scene, const struct dc_stored_trajectory *stored,
                               const struct dc_model **model, struct dc_error *error)
{
  *model = &scene->model;
  if (!stored->control)
    return DC_OK;
  return dc_task_design_model(&scene->task, &scene->model, stored->all_frames - 1, stored->control, stored->arena,
                              model, error);
}

// Poses of all bodies at a stored frame, with their matrices.
void dc_api_place_bodies(const struct dc_stored_trajectory *stored, int frame, struct dc_pose *poses)
{
  for (int i = 0; i < stored->bodies; i++) {
    size_t row = (size_t)frame * (size_t)stored->bodies + (size_t)i;
    dc_vec_copy(poses[i].position, stored->position + 3 * row);
    memcpy(poses[i].quaternion, stored->quaternion + 4 * row, sizeof poses[i].quaternion);
    dc_rotation_matrix(poses[i].rotation, poses[i].quaternion);
  }
}

// The highest half-space that lies level, m; NAN without.  Pictures draw their grid there.
double dc_api_floor_height(const struct dc_bodies *bodies)
{
  double height = NAN;
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    double rotation[9];
    dc_rotation_matrix(rotation, body->start.quaternion);
    if (body->shape->type->half_space && rotation[8] > level)
      height = isnan(height) ? body->start.position[2] : fmax(height, body->start.position[2]);
  }
  return height;
}

// Half the height of what the picture shows at the distance of its target, m.
double dc_api_picture_size(const struct dc_render_settings *settings)
{
  return tan(0.5 * settings->fov_deg * DC_DEGREE) * dc_vec_distance(settings->eye, settings->target);
}

// Lists the marks of the objectives, such as goals, in the color of their body; without marks counts them only.
int dc_api_marks(const struct dc_scene *scene, struct dc_render_mark *marks)
{
  static const double grey[3] = {0.3, 0.3, 0.3};
  int count = 0;
  for (int k = 0; k < scene->task.objective_count; k++) {
    const struct dc_objective *objective = &scene->task.objectives[k];
    struct dc_render_mark mark;
    int body;
    for (int i = 0;
         objective->type->mark && objective->type->mark(objective->options, i, &body, mark.center, &mark.radius);
         i++, count++) {
      mark.radius = mark.radius > 0 ? mark.radius : DC_SMALLEST_MARK;
      dc_vec_copy(mark.color, body >= 0 ? scene->model.bodies.bodies[body].appearance.color : grey);
      if (marks)
        marks[count] = mark;
    }
  }
  return count;
}

// The camera: the scene's own, unless a side is asked for; else one from that side whose picture holds all moving
// bodies at the first and the last frame, and all marks.
enum dc_status dc_api_camera(const struct dc_scene *scene, const struct dc_bodies *bodies,
                             const struct dc_stored_trajectory *stored, int mark_count,
                             const struct dc_render_mark *marks, const char *side, struct dc_render_settings *settings,
                             struct dc_error *error)
{
  int from = 0;
  while (side && dc_render_side_names[from] && strcmp(dc_render_side_names[from], side) != 0)
    from++;
  if (!dc_render_side_names[from])
    return dc_fail(error, DC_USAGE, "there is no side \"%.100s\" to look from", side);
  if (scene->camera.given && !side) {
    dc_vec_copy(settings->eye, scene->camera.eye);
    dc_vec_copy(settings->target, scene->camera.target);
    dc_vec_copy(settings->up, scene->camera.up);
    settings->fov_deg = scene->camera.fov_deg;
    return DC_OK;
  }
  size_t count = 0;
  double(*points)[3] = dc_alloc(12 * (size_t)bodies->count + (size_t)mark_count + 1, sizeof *points);
  if (!points)
    return dc_out_of_memory_for(error, "the camera");
  for (int i = 0; i < bodies->count; i++)
    for (int end = 0; end < 2 && dc_frame_moves(bodies, i); end++) {
      size_t frame = end ? (size_t)stored->frames - 1 : 0;
      const double *center = stored->position + 3 * (frame * (size_t)bodies->count + (size_t)i);
      for (int corner = 0; corner < 6; corner++) {  // the ends of the axes of a sphere around the body
        dc_vec_copy(points[count], center);
        points[count++][corner / 2] +=
            corner % 2 ? bodies->bodies[i].appearance.radius : -bodies->bodies[i].appearance.radius;
      }
    }
  for (int i = 0; i < mark_count; i++)
    dc_vec_copy(points[count++], marks[i].center);
  dc_render_frame_camera((int)count, (const double(*)[3])points, (enum dc_render_side)from, settings);
  free(points);
  return DC_OK;
}
