// SPDX-License-Identifier: Apache-2.0
// A run as animated glTF: frames of a stored trajectory, thinned to a bounded number, with the camera of pictures.
#include "commands/glb.h"

#include <dcsim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/stage.h"
#include "io/run/run_files.h"
#include "math/vector.h"
#include "render/gltf.h"

const char dc_glb_name[] = "run.glb";

// Camera of pictures of the default size.
static enum dc_status set_view(const struct dc_scene *scene, const struct dc_bodies *bodies,
                               const struct dc_stored_trajectory *trajectory, struct dc_render_settings *view,
                               struct dc_error *error)
{
  *view = (struct dc_render_settings){.width = 1280, .height = 720};
  int mark_count = dc_api_marks(scene, NULL);
  struct dc_render_mark *marks = dc_alloc((size_t)mark_count, sizeof *marks);
  if (!marks)
    return dc_out_of_memory_for(error, "the camera");
  dc_api_marks(scene, marks);
  enum dc_status status = dc_api_camera(scene, bodies, trajectory, mark_count, marks, NULL, view, error);
  free(marks);
  return status;
}

// Builds the whole file in memory and writes it at once.  The geometry is that of the designed model, which the
// trajectory's parameters give.
enum dc_status dc_api_write_glb(const char *path, const struct dc_scene *scene,
                                const struct dc_stored_trajectory *trajectory, struct dc_error *error)
{
  struct dc_render_settings view;
  char generator[64], *bytes = NULL;
  size_t size;
  snprintf(generator, sizeof generator, "dcsim %s", dcsim_version());
  const struct dc_model *model = &scene->model;
  enum dc_status status = dc_api_designed(scene, trajectory, &model, error);
  if (!status)
    status = set_view(scene, &model->bodies, trajectory, &view, error);
  const struct dc_gltf_run run = {.name = scene->name,
                                  .generator = generator,
                                  .bodies = &model->bodies,
                                  .frames = trajectory->frames,
                                  .time = trajectory->time,
                                  .position = trajectory->position,
                                  .quaternion = trajectory->quaternion,
                                  .nodes = trajectory->nodes,
                                  .view = &view};
  if (!status)
    status = dc_gltf_build(&run, &bytes, &size, error);
  if (!status)
    status = dc_file_write(path, bytes, size, error);
  free(bytes);
  return status;
}

// Frames of all bodies together are bounded, which bounds the size of the file; a run of many bodies still
// keeps enough of them to look smooth.
int dc_api_most_frames(int bodies)
{
  enum { MOST_POSES = 200000, LEAST_FRAMES = 2000 };
  int most = bodies ? MOST_POSES / bodies : MOST_POSES;
  return most < LEAST_FRAMES ? LEAST_FRAMES : most;
}

// The nodes' coordinates are the last numbers of q.
static enum dc_status as_stored(const struct dc_bodies *model_bodies, const struct dc_trajectory *trajectory,
                                const double *parameters, struct dc_stored_trajectory *stored, struct dc_error *error)
{
  size_t nodes = 3 * (size_t)model_bodies->node_count;
  int all = trajectory->steps + 1, most = dc_api_most_frames(trajectory->bodies), kept = all < most ? all : most;
  size_t frames = (size_t)kept, bodies = (size_t)trajectory->bodies;
  *stored = (struct dc_stored_trajectory){.arena = dc_arena_create(),
                                          .frames = kept,
                                          .all_frames = all,
                                          .bodies = trajectory->bodies,
                                          .control = (double *)parameters};
  if (stored->arena) {
    stored->time = dc_arena_alloc(stored->arena, frames, sizeof *stored->time);
    stored->position = dc_arena_alloc(stored->arena, frames * bodies, 3 * sizeof *stored->position);
    stored->nodes = nodes ? dc_arena_alloc(stored->arena, frames * nodes, sizeof *stored->nodes) : NULL;
    stored->quaternion = dc_arena_alloc(stored->arena, frames * bodies, 4 * sizeof *stored->quaternion);
  }
  if (!stored->time || !stored->position || !stored->quaternion || (nodes && !stored->nodes))
    return dc_out_of_memory_for(error, "%zu frames", frames);
  for (size_t k = 0; k < frames; k++) {
    int f = dc_evenly_spaced((int)k, kept, all);
    const struct dc_pose *poses = trajectory->poses + (size_t)f * bodies;
    stored->time[k] = f * trajectory->time_step;
    for (size_t b = 0; b < bodies; b++) {
      dc_vec_copy(stored->position + 3 * (k * bodies + b), poses[b].position);
      memcpy(stored->quaternion + 4 * (k * bodies + b), poses[b].quaternion, sizeof poses[b].quaternion);
    }
    if (nodes)
      memcpy(stored->nodes + k * nodes, trajectory->q + (size_t)f * (size_t)trajectory->nq + model_bodies->first_node_q,
             nodes * sizeof *stored->nodes);
    dc_trajectory_release(trajectory, (int)k);
  }
  return DC_OK;
}

// Writes RUN/run.glb at the end of a run, of the trajectory in memory: the copy is thinned first, so that
// frames in a file of the run need not be in memory all at once.
enum dc_status dc_api_write_run_glb(const char *directory, const struct dc_scene *scene,
                                    const struct dc_trajectory *trajectory, const double *parameters,
                                    struct dc_error *error)
{
  struct dc_stored_trajectory stored;
  char *path = dc_path_join(directory, dc_glb_name);
  enum dc_status status = path ? as_stored(&scene->model.bodies, trajectory, parameters, &stored, error)
                               : dc_out_of_memory_in(error, directory);
  if (!status)
    status = dc_api_write_glb(path, scene, &stored, error);
  if (path)
    dc_arena_destroy(stored.arena);
  free(path);
  return status;
}
