// SPDX-License-Identifier: Apache-2.0
#include "api/glb.h"

#include <dcsim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/stage.h"
#include "io/run_files.h"
#include "math/vector.h"
#include "render/gltf.h"

const char dc_glb_name[] = "run.glb";

// The camera of pictures of the default size.
static enum dc_status set_view(const struct dc_scene *scene, const struct dc_stored_trajectory *trajectory,
                               struct dc_render_settings *view, struct dc_error *error)
{
  *view = (struct dc_render_settings){.width = 1280, .height = 720};
  int mark_count = dc_api_marks(scene, NULL);
  struct dc_render_mark *marks = dc_alloc((size_t)mark_count, sizeof *marks);
  if (!marks)
    return dc_fail(error, DC_MEMORY, "out of memory for the camera");
  dc_api_marks(scene, marks);
  enum dc_status status = dc_api_camera(scene, trajectory, mark_count, marks, NULL, view, error);
  free(marks);
  return status;
}

enum dc_status dc_api_write_glb(const char *path, const struct dc_scene *scene,
                                const struct dc_stored_trajectory *trajectory, struct dc_error *error)
{
  struct dc_render_settings view;
  char generator[64], *bytes = NULL;
  size_t size;
  snprintf(generator, sizeof generator, "dcsim %s", dcsim_version());
  enum dc_status status = set_view(scene, trajectory, &view, error);
  const struct dc_gltf_run run = {.name = scene->name,
                                  .generator = generator,
                                  .bodies = &scene->model.bodies,
                                  .frames = trajectory->frames,
                                  .time = trajectory->time,
                                  .position = trajectory->position,
                                  .quaternion = trajectory->quaternion,
                                  .view = &view};
  if (!status)
    status = dc_gltf_build(&run, &bytes, &size, error);
  if (!status)
    status = dc_file_write(path, bytes, size, error);
  free(bytes);
  return status;
}

static enum dc_status as_stored(const struct dc_trajectory *trajectory, struct dc_stored_trajectory *stored,
                                struct dc_error *error)
{
  size_t frames = (size_t)trajectory->steps + 1, count = frames * (size_t)trajectory->bodies;
  *stored = (struct dc_stored_trajectory){
      .arena = dc_arena_create(), .frames = trajectory->steps + 1, .bodies = trajectory->bodies};
  if (stored->arena) {
    stored->time = dc_arena_alloc(stored->arena, frames, sizeof *stored->time);
    stored->position = dc_arena_alloc(stored->arena, count, 3 * sizeof *stored->position);
    stored->quaternion = dc_arena_alloc(stored->arena, count, 4 * sizeof *stored->quaternion);
  }
  if (!stored->time || !stored->position || !stored->quaternion)
    return dc_fail(error, DC_MEMORY, "out of memory for %zu frames", frames);
  for (size_t f = 0; f < frames; f++)
    stored->time[f] = (double)f * trajectory->time_step;
  for (size_t i = 0; i < count; i++) {
    dc_vec_copy(stored->position + 3 * i, trajectory->poses[i].position);
    memcpy(stored->quaternion + 4 * i, trajectory->poses[i].quaternion, sizeof trajectory->poses[i].quaternion);
  }
  return DC_OK;
}

enum dc_status dc_api_write_run_glb(const char *directory, const struct dc_scene *scene,
                                    const struct dc_trajectory *trajectory, struct dc_error *error)
{
  struct dc_stored_trajectory stored;
  char *path = dc_path_join(directory, dc_glb_name);
  enum dc_status status = path ? as_stored(trajectory, &stored, error)
                               : dc_fail(error, DC_MEMORY, "%.800s: out of memory for run.glb", directory);
  if (!status)
    status = dc_api_write_glb(path, scene, &stored, error);
  if (path)
    dc_arena_destroy(stored.arena);
  free(path);
  return status;
}
