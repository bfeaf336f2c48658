// SPDX-License-Identifier: Apache-2.0
// dcsim_render: pictures or a film of a run that has been stored; nothing is simulated again.
//
// 1. The run's scene, trajectory and design are opened; poses are those of the file (open_pictures).
// 2. A camera is chosen that sees everything that ever moves, unless the options or the scene have one; it may follow a
//    body and turn about its target from picture to picture (set_camera, move_camera).
// 3. Each picture is traced (render/) and drawn over: forces, trails, grid and words (overlay.c).
// 4. Pictures go into a folder that replaces the last one as a whole, frames of a film to ffmpeg.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/internal.h"
#include "commands/run_scene.h"
#include "base/clock.h"
#include "commands/overlay.h"
#include "commands/stage.h"
#include "io/run/run.h"
#include "io/run/run_files.h"
#include "math/vector.h"
#include "render/camera.h"
#include "render/film.h"
#include "render/render.h"

enum {
  DEFAULT_WIDTH = 1280,
  DEFAULT_HEIGHT = 720,
  DEFAULT_SAMPLES = 16,      // rays per pixel
  DEFAULT_FILM_SAMPLES = 4,  // motion hides noise
  DEFAULT_PICTURES = 12      // of a run, evenly spaced
};

// Everything that drawing needs; close_pictures releases it, whichever part of it there is.
struct pictures {
  dcsim_scene *scene;
  struct dc_stored_trajectory stored;
  const struct dc_bodies *bodies;  // as the run designed them
  struct dc_renderer *renderer;
  struct dc_pose *poses;  // [bodies] of the frame that is drawn
  unsigned char *pixels;  // [height][width][3], sRGB
  struct dc_render_mark *marks;
  int mark_count;
  char *folder;                // of the pictures
  double largest_force, loss;  // of contacts, N; of the run, NAN: not known
  int followed;                // body, -1: none
  struct dc_film *film;        // NULL: pictures are written
};

// A film that is still open was not finished and is thrown away.
static void close_pictures(struct pictures *pictures)
{
  dc_film_abandon(pictures->film);
  dc_renderer_destroy(pictures->renderer);
  dc_arena_destroy(pictures->stored.arena);
  dcsim_scene_close(pictures->scene);
  free(pictures->poses);
  free(pictures->pixels);
  free(pictures->marks);
  free(pictures->folder);
}

// Takes the camera of the options, else the scene's, else one that sees everything.
// The up direction and the field of view of the scene's camera hold for an eye that is given by options, too.
static enum dc_status set_camera(const struct pictures *pictures, const dcsim_render_options *options,
                                 struct dc_render_settings *settings, struct dc_error *error)
{
  const struct dc_scene *scene = pictures->scene->scene;
  static const double up[3] = {0, 0, 1};
  if (!options->camera_given)
    return dc_api_camera(scene, pictures->bodies, &pictures->stored, pictures->mark_count, pictures->marks,
                         options->side, settings, error);
  dc_vec_copy(settings->eye, options->eye);
  dc_vec_copy(settings->target, options->target);
  dc_vec_copy(settings->up, scene->camera.given ? scene->camera.up : up);
  settings->fov_deg = scene->camera.given ? scene->camera.fov_deg : 40;
  return DC_OK;
}

// Distance of the grid's lines: 1, 2 or 5 times a power of ten, three to eight of them in half the height of the
// picture.
static double grid_step(double size)
{
  double power = pow(10, floor(log10(size / 3))), rest = size / (3 * power);
  return power * (rest >= 5 ? 5 : rest >= 2 ? 2 : 1);
}

// Sets the options that go beyond the camera: the body to follow, whether contacts are there to be drawn, the
// grid, the largest force, which scales all arrows, and the loss for annotations.
static enum dc_status set_extras(const char *directory, struct pictures *pictures, const dcsim_render_options *options,
                                 struct dc_render_settings *settings, struct dc_error *error)
{
  const struct dc_bodies *bodies = pictures->bodies;
  const struct dc_stored_contacts *contacts = &pictures->stored.contacts;
  struct dc_run_result result;
  pictures->followed = -1;
  for (int b = 0; b < bodies->count && options->follow; b++)
    if (strcmp(bodies->bodies[b].name, options->follow) == 0)
      pictures->followed = b;
  if (options->follow && pictures->followed < 0)
    return dc_fail(error, DC_USAGE, "there is no body \"%.100s\" to follow", options->follow);
  if (options->contacts && !contacts->count)
    return dc_fail(error, DC_USAGE, "%.500s holds no contacts to draw (docs/run-directory.md says which runs do)",
                   directory);
  if (options->grid)
    settings->grid = grid_step(dc_api_picture_size(settings));
  pictures->largest_force = dc_api_largest_force(contacts);
  // A run that has not ended has no loss to tell.
  pictures->loss = options->annotate && !dc_run_read_result(directory, &result, NULL) ? result.loss : NAN;
  return DC_OK;
}

// Opens all that pictures need: scene, trajectory, the design that the run found, marks, camera, renderer.
// Released by close_pictures, also after a failure.
static enum dc_status open_pictures(const char *directory, const dcsim_render_options *options,
                                    struct pictures *pictures, struct dc_render_settings *settings, dcsim_error *error)
{
  struct dc_error local = {0};
  int opened = dc_api_open_run_scene(directory, "resolved.json", NULL, &pictures->scene, error);
  if (opened)
    return (enum dc_status)opened;
  const struct dc_scene *scene = pictures->scene->scene;
  const struct dc_model *model = &scene->model;
  enum dc_status status = dc_run_read_trajectory(directory, scene, &pictures->stored, &local);
  if (!status)
    status = dc_api_designed(scene, &pictures->stored, &model, &local);
  const struct dc_bodies *bodies = pictures->bodies = &model->bodies;
  size_t pixels = (size_t)settings->width * (size_t)settings->height;
  pictures->poses = dc_alloc((size_t)bodies->count, sizeof *pictures->poses);
  pictures->pixels = dc_alloc(pixels, 3);
  pictures->mark_count = dc_api_marks(scene, NULL);
  pictures->marks = dc_alloc((size_t)pictures->mark_count, sizeof *pictures->marks);
  if (!status && (!pictures->poses || !pictures->pixels || !pictures->marks))
    status = dc_out_of_memory_for(&local, "pictures");
  if (!status) {
    dc_api_marks(scene, pictures->marks);
    for (int i = 0; i < pictures->mark_count; i++)
      pictures->marks[i].radius = fmax(pictures->marks[i].radius, DC_SMALLEST_MARK);
    settings->floor_height = dc_api_floor_height(bodies);
    status = set_camera(pictures, options, settings, &local);
  }
  if (!status)
    status = set_extras(directory, pictures, options, settings, &local);
  if (!status) {
    pictures->renderer = dc_renderer_create(bodies, pictures->mark_count, pictures->marks, settings, &local);
    status = pictures->renderer ? DC_OK : local.status;
  }
  if (status)
    dc_api_fail(error, &local, status);
  return status;
}

// Moves the camera for a frame, a part 0 .. 1 of the way to the last picture: the target follows its body, and
// the arm from target to eye turns about z.
static enum dc_status move_camera(struct pictures *pictures, const dcsim_render_options *options,
                                  const struct dc_render_settings *settings, int frame, double part,
                                  struct dc_error *error)
{
  struct dc_render_settings moved = *settings;
  double angle = part * options->orbit_deg * DC_DEGREE, arm[3];
  if (pictures->followed < 0 && angle == 0)
    return DC_OK;
  dc_vec_sub(arm, settings->eye, settings->target);
  const double turned[3] = {cos(angle) * arm[0] - sin(angle) * arm[1], sin(angle) * arm[0] + cos(angle) * arm[1],
                            arm[2]};
  const double up[3] = {cos(angle) * settings->up[0] - sin(angle) * settings->up[1],
                        sin(angle) * settings->up[0] + cos(angle) * settings->up[1], settings->up[2]};
  if (pictures->followed >= 0) {
    const double *first = pictures->stored.position + 3 * pictures->followed;
    const double *now = first + 3 * (size_t)frame * (size_t)pictures->stored.bodies;
    for (int i = 0; i < 3; i++)
      moved.target[i] += now[i] - first[i];
  }
  dc_vec_add(moved.eye, moved.target, turned);
  dc_vec_copy(moved.up, up);
  return dc_render_look(pictures->renderer, &moved, error);
}

// Words at the edge: distance of grid lines, longest force arrow, loss, name and time.
static void annotate(const struct pictures *pictures, const dcsim_render_options *options,
                     const struct dc_render_settings *settings, const struct dc_overlay *overlay, int frame)
{
  char texts[4][256];
  const char *lines[4] = {texts[0], texts[1], texts[2], texts[3]};
  int count = 0;
  if (options->grid)
    snprintf(texts[count++], sizeof *texts, "grid %g m", settings->grid);
  if (options->contacts)
    snprintf(texts[count++], sizeof *texts, "longest arrow of all frames %.3g N", pictures->largest_force);
  if (isfinite(pictures->loss))
    snprintf(texts[count++], sizeof *texts, "loss %.3g", pictures->loss);
  snprintf(texts[count++], sizeof *texts, "%.200s  t = %.3f s", pictures->scene->scene->name,
           pictures->stored.time[frame]);
  dc_api_draw_words(overlay, count, lines);
}

// Draws over a finished picture; order decides what lies on top: trails, forces, words.
static void draw_extras(const struct pictures *pictures, const dcsim_render_options *options,
                        const struct dc_render_settings *settings, int frame)
{
  const struct dc_overlay overlay = {settings->width, settings->height, pictures->pixels};
  const struct dc_api_picture picture = {pictures->renderer, &overlay, pictures->bodies, pictures->poses,
                                         dc_api_picture_size(settings)};
  if (options->trails)
    dc_api_draw_trails(&picture, &pictures->stored, frame);
  if (options->contacts)
    dc_api_draw_contacts(&picture, &pictures->stored.contacts, frame, pictures->largest_force);
  if (options->annotate)
    annotate(pictures, options, settings, &overlay, frame);
}

// Draws one frame: poses and nodes of soft bodies, camera, picture, then trails, contacts and words over it; it
// goes into the film or a PNG file.
static enum dc_status draw(struct pictures *pictures, const dcsim_render_options *options,
                           const struct dc_render_settings *settings, int frame, double part, struct dc_error *error)
{
  const struct dc_stored_trajectory *stored = &pictures->stored;
  dc_api_place_bodies(stored, frame, pictures->poses);
  size_t nodes = 3 * (size_t)pictures->bodies->node_count;
  enum dc_status status =
      stored->nodes ? dc_render_deform(pictures->renderer, stored->nodes + (size_t)frame * nodes, error) : DC_OK;
  if (!status)
    status = move_camera(pictures, options, settings, frame, part, error);
  if (!status)
    status = dc_render_frame(pictures->renderer, pictures->poses, frame, stored->position, pictures->pixels, error);
  if (status)
    return status;
  draw_extras(pictures, options, settings, frame);
  if (pictures->film)
    return dc_film_add(pictures->film, pictures->pixels, error);
  char name[32];
  snprintf(name, sizeof name, "%06d.png", frame);
  char *path = dc_path_join(pictures->folder, name);
  status = path ? dc_png_write(path, settings->width, settings->height, pictures->pixels, error)
                : dc_out_of_memory_in(error, pictures->folder);
  free(path);
  return status;
}

// Draws every `every`-th frame, of pictures also the last one, which would come too early in a film.
static enum dc_status draw_all(struct pictures *pictures, const dcsim_render_options *options,
                               const struct dc_render_settings *settings, int every, int *drawn, struct dc_error *error)
{
  // total: pictures at frames 0, every, 2 every, ..., and the last one where that is none of these.
  int last = pictures->stored.frames - 1;
  if (pictures->film)
    last -= last % every;
  int total = last / every + 1 + (last % every != 0);
  double start = dc_seconds();
  for (int frame = 0;; frame = frame + every < last ? frame + every : last) {
    enum dc_status status =
        draw(pictures, options, settings, frame, total > 1 ? (double)*drawn / (total - 1) : 0, error);
    if (status)
      return status;
    ++*drawn;
    dcsim_progress progress = {
        .iteration = *drawn, .iterations = total, .seconds = dc_seconds() - start, .fraction = (double)*drawn / total};
    if (options->progress && options->progress(options->progress_context, &progress) && frame < last)
      return dc_fail(error, DC_STOPPED, "stopped after %d of %d pictures", *drawn, total);
    if (frame == last)
      return DC_OK;
  }
}

// Writes pictures of evenly spaced frames into the folder "frames" of the run.
static enum dc_status write_pictures(const char *directory, const dcsim_render_options *options,
                                     struct pictures *pictures, const struct dc_render_settings *settings,
                                     struct dc_text *text, struct dc_json_writer *json, struct dc_error *error)
{
  int drawn = 0, every = options->every;
  if (every <= 0)
    every = (pictures->stored.frames + DEFAULT_PICTURES - 2) / DEFAULT_PICTURES;
  pictures->folder = dc_path_join(directory, "frames");
  enum dc_status status =
      pictures->folder ? dc_directory_create_in(directory, "frames", error) : dc_out_of_memory_in(error, directory);
  if (!status)
    status = draw_all(pictures, options, settings, every > 0 ? every : 1, &drawn, error);
  if (status)
    return status;
  dc_json_put_string(json, "frames", pictures->folder);
  dc_json_put_integer(json, "pictures", drawn);
  dc_text_add(text, "%d picture%s in %s\n", drawn, dc_plural(drawn), pictures->folder);
  return DC_OK;
}

// Writes a film in real time: a second of the film is a second of the run.
static enum dc_status write_film(const dcsim_render_options *options, struct pictures *pictures,
                                 const struct dc_render_settings *settings, struct dc_text *text,
                                 struct dc_json_writer *json, struct dc_error *error)
{
  int drawn = 0, every = options->every > 0 ? options->every : 1;
  double rate = 1 / (pictures->scene->scene->model.definition.time.step * every);
  pictures->film = dc_film_open(options->video, settings->width, settings->height, rate, error);
  if (!pictures->film)
    return error->status;
  enum dc_status status = draw_all(pictures, options, settings, every, &drawn, error);
  if (!status) {
    struct dc_film *film = pictures->film;
    pictures->film = NULL;
    status = dc_film_finish(film, error);
  }
  if (status)
    return status;
  dc_json_put_string(json, "video", options->video);
  dc_json_put_integer(json, "pictures", drawn);
  dc_json_put_number(json, "frames_per_second", rate);
  dc_text_add(text, "%d frame%s, %.4g per second, in %s\n", drawn, dc_plural(drawn), rate, options->video);
  return DC_OK;
}

// Options are checked before the run is opened, as a film's program may be missing.
static int render(const char *directory, const dcsim_render_options *options, struct pictures *pictures,
                  dcsim_report *report, dcsim_error *error)
{
  int default_samples = options->video ? DEFAULT_FILM_SAMPLES : DEFAULT_SAMPLES;
  struct dc_render_settings settings = {.width = options->width ? options->width : DEFAULT_WIDTH,
                                        .height = options->height ? options->height : DEFAULT_HEIGHT,
                                        .samples = options->samples ? options->samples : default_samples};
  struct dc_error local = {0};
  if (settings.width < 1 || settings.width > DC_LARGEST_SIDE || settings.height < 1 ||
      settings.height > DC_LARGEST_SIDE)
    return dc_api_fail(error, &(struct dc_error){.text = "pictures are 1 .. 16384 pixels wide and high"}, DC_USAGE);
  if (options->video && dc_film_check(options->video, settings.width, settings.height, &local))
    return dc_api_fail(error, &local, local.status);
  enum dc_status status = open_pictures(directory, options, pictures, &settings, error);
  if (status)
    return (int)status;
  struct dc_text text = {0};
  struct dc_json_writer json = {0};
  dc_json_begin(&json, NULL, '{');
  if (options->video)
    status = write_film(options, pictures, &settings, &text, &json, &local);
  else
    status = write_pictures(directory, options, pictures, &settings, &text, &json, &local);
  dc_json_end(&json, "}");
  return dc_api_answer(status, &local, report, &text, &json, error);
}

// Options are copied by their size, so that a caller of an older header sets fewer of them; the rest are zeros, the
// defaults.
int dcsim_render(const char *directory, const dcsim_render_options *options, dcsim_report *report, dcsim_error *error)
{
  struct pictures pictures = {0};
  struct dc_error local = {0};
  dcsim_render_options own = {0};
  if (dc_api_read_sized(&own, sizeof own, options, &local))
    return dc_api_fail(error, &local, local.status);
  int status = render(directory, &own, &pictures, report, error);
  close_pictures(&pictures);
  return status;
}
