// SPDX-License-Identifier: Apache-2.0
// The public interface: scenes, versions, reports; and the three habits of all functions of <dcsim.h>.
//
// Errors: inside, a function fills a struct dc_error and returns its status; dc_api_fail copies both to the caller, who
// may pass NULL. Sizes: structs of options and results begin with their size, so that a program built with another
// version of the header works (dc_api_read_sized, dc_api_write_sized).  Reports: text and JSON are built side by side
// and handed over together or not at all (dc_api_report).
#include <dcsim.h>

#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/internal.h"
#include "base/characters.h"
#include "dynamics/mujoco/mujoco.h"
#include "geometry/convex/hull.h"
#include "geometry/mesh/mesh_assimp.h"
#include "io/libraries.h"
#include "io/run/run.h"
#include "math/libraries.h"
#include "optimize/nlopt.h"
#include "render/render.h"
#include "view/server.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "0.1.0"
#endif

const char *dcsim_version(void)
{
  return PACKAGE_VERSION;
}

// One line for each library, with the version that is loaded at run time, "none" for libraries that this build lacks.
const char *dcsim_libraries(void)
{
  // One text for the whole process: it never changes, so that threads may write it at once.
  static char text[512];
  const char *mujoco = dc_mujoco_version(), *nlopt = dc_nlopt_version(), *assimp = dc_assimp_version(),
             *server = dc_server_library();
  snprintf(text, sizeof text,
           "%s\nCHOLMOD %s\ncJSON %s\nHDF5 %s\nExpat %s\nEmbree %s\nlibpng %s\nQhull %s\nMuJoCo %s\n"
           "NLopt %s\nAssimp %s\nlibmicrohttpd %s\n",
           dc_blas_version(), dc_cholmod_version(), dc_cjson_version(), dc_hdf5_version(), dc_expat_version(),
           dc_embree_version(), dc_png_version(), dc_qhull_version(), mujoco ? mujoco : "none", nlopt ? nlopt : "none",
           assimp ? assimp : "none", server ? server : "none");
  return text;
}

// Sets the number of threads of all later calls; numbers below 1 leave the present one.  At most 1,024 are set:
// OpenMP ends the process where it has no memory for its threads.
void dcsim_set_threads(int threads)
{
  enum { MOST = 1024 };
  if (threads > 0)
    omp_set_num_threads(threads < MOST ? threads : MOST);
}

// Puts an error into the caller's struct, if there is one, and returns its status.  DC_INFEASIBLE becomes bad
// input: bodies that overlap at the start are an error of the scene.
// The text is copied, so that the internal error may end with the function.
int dc_api_fail(dcsim_error *error, const struct dc_error *local, enum dc_status status)
{
  // Bodies that overlap at the start are an error of the scene.
  int outside = status == DC_INFEASIBLE ? DCSIM_BAD_INPUT : (int)status;
  if (error) {
    error->status = outside;
    snprintf(error->text, sizeof error->text, "%s", local->text[0] ? local->text : "failed without a message");
  }
  return outside;
}

// Refuses a pointer that must not be NULL, by the name that dcsim.h gives it.
int dc_api_need(const void *pointer, const char *name, dcsim_error *error)
{
  struct dc_error local = {0};
  return pointer ? DCSIM_OK : dc_api_fail(error, &local, dc_fail(&local, DC_USAGE, "%s: must not be NULL", name));
}

// Does what dc_api_fail does, with the status as it is.
// Problems and simulations use it: there an infeasible start is a property of the parameters and no error of the
// scene, and an optimizer of the caller's may go on at another point.
int dc_api_fail_in_process(dcsim_error *error, const struct dc_error *local, enum dc_status status)
{
  dc_api_fail(error, local, status);
  if (error)
    error->status = (int)status;
  return (int)status;
}

// Refuses numbers of a caller that are no numbers before anything computes with them; the first one is named.
enum dc_status dc_api_check_finite(const char *name, const double *numbers, int count, struct dc_error *error)
{
  if (!numbers && count > 0)
    return dc_fail(error, DC_USAGE, "%s: NULL, where %d numbers are wanted", name, count);
  for (int i = 0; i < count; i++)
    if (!isfinite(numbers[i]))
      return dc_fail(error, DC_USAGE, "%s[%d] is not finite", name, i);
  return DC_OK;
}

// No struct of dcsim.h, of any version, is larger: beyond it a size is a mistake, and bytes must not be read.
// Larger sizes are those of a struct whose first member was not set.
enum { LARGEST_STRUCT = 8192 };

// Structs of dcsim.h begin with their size, which tells the version that a caller was built with.
// Sizes are read with memcpy, because the caller's struct may be of another type than this library's.
static enum dc_status check_size(size_t size, struct dc_error *error)
{
  if (size < sizeof size)
    return dc_fail(error, DC_USAGE, "a struct has no size: its first member must be sizeof that struct");
  if (size > LARGEST_STRUCT)
    return dc_fail(error, DC_USAGE, "a struct says it has %zu bytes: its first member must be sizeof that struct",
                   size);
  return DC_OK;
}

// Copies a struct of a caller that may be built with another version of the header.  A shorter one lacks
// fields, which keep their defaults in `own`.  A longer one has fields that this library does not know; they
// must be zero, or the caller asks for something that would silently not happen.
// given NULL leaves the defaults.  DC_USAGE: the size is none, or fields beyond the known ones are set.
enum dc_status dc_api_read_sized(void *own, size_t size, const void *given, struct dc_error *error)
{
  size_t known = size, given_size;
  if (!given)
    return DC_OK;
  memcpy(&given_size, given, sizeof given_size);
  if (check_size(given_size, error))
    return DC_USAGE;
  if (given_size < known)
    known = given_size;
  for (size_t i = known; i < given_size; i++)
    if (((const unsigned char *)given)[i])
      return dc_fail(error, DC_USAGE, "a struct of %zu bytes sets fields beyond the %zu that this library knows",
                     given_size, size);
  memcpy(own, given, known);
  return DC_OK;
}

// Fills a caller's struct, of whatever version: the members that it has, zeros where this library knows fewer.
// Its size stays what the caller has set.
enum dc_status dc_api_write_sized(const void *own, size_t size, void *given, struct dc_error *error)
{
  size_t given_size;
  if (!given)
    return dc_fail(error, DC_USAGE, "NULL, where a struct is to be filled");
  memcpy(&given_size, given, sizeof given_size);
  if (check_size(given_size, error))
    return DC_USAGE;
  memset(given, 0, given_size);
  memcpy(given, own, given_size < size ? given_size : size);
  memcpy(given, &given_size, sizeof given_size);
  return DC_OK;
}

// Hands a report over: both texts become the caller's, or are freed where report is NULL.  The line end behind
// the JSON is cut off.
// text and json are taken over in any case, also after a failure (DCSIM_MEMORY).
int dc_api_report(dcsim_report *report, struct dc_text *text, struct dc_json_writer *json, dcsim_error *error)
{
  char *written = dc_json_finish(json);
  if (text->failed || !written) {
    free(written);
    dc_text_free(text);
    return dc_api_fail(error, &(struct dc_error){.text = "out of memory for a report"}, DC_MEMORY);
  }
  size_t length = strlen(written);
  if (length && written[length - 1] == '\n')
    written[length - 1] = '\0';
  if (report) {
    *report = (dcsim_report){.text = text->bytes, .json = written};
  } else {
    free(written);
    dc_text_free(text);
  }
  return DCSIM_OK;
}

// Hands over the report of a command that went well, or its error; text and json are taken over both times.
int dc_api_answer(enum dc_status status, const struct dc_error *local, dcsim_report *report, struct dc_text *text,
                  struct dc_json_writer *json, dcsim_error *error)
{
  if (!status)
    return dc_api_report(report, text, json, error);
  free(dc_json_finish(json));
  dc_text_free(text);
  return dc_api_fail(error, local, status);
}

// Notes of the scene, in the order in which reading it made them.
void dc_api_describe_notes(const struct dc_scene *scene, struct dc_text *text, struct dc_json_writer *json)
{
  dc_json_begin(json, "notes", '[');
  for (const struct dc_note *note = scene->notes.first; note; note = note->next) {
    dc_text_add(text, "  note: %s\n", note->text);
    dc_json_put_string(json, NULL, note->text);
  }
  dc_json_end(json, "]");
}

// Scenes in which nothing can meet have an infinite gap, which is told in words.
void dc_api_add_gap(struct dc_text *text, const char *what, int digits, double gap)
{
  if (isfinite(gap))
    dc_text_add(text, "smallest %s %.*g m", what, digits, gap);
  else
    dc_text_add(text, "no two bodies can meet");
}

// Names and messages of files of strangers may hold escape sequences of terminals.
char *dcsim_make_printable(char *text)
{
  if (text)
    dc_replace_controls(text, '?', "\n");
  return text;
}

// Sets both texts to NULL, so that a second call does nothing.
void dcsim_report_free(dcsim_report *report)
{
  if (!report)
    return;
  free(report->text);
  free(report->json);
  *report = (dcsim_report){0};
}

// Draws the scene's random shot, by a roll-out with random controls whose memory is checked before.  The bodies
// that get a target are green from then on, or pictures would not show which.
// Colours are linear RGB between 0 and 1.  DC_BAD_INPUT has the place of "shot" in the file before its message.
static enum dc_status draw_shot(struct dc_scene *scene, struct dc_error *error)
{
  static const double green[3] = {0.03, 0.42, 0.07};
  int drawn = scene->task.objective_count;
  enum dc_status status = dc_api_check_memory(scene, dc_api_run_bytes(scene, false, true), error);
  if (status)
    return status;
  status = dc_shot_draw(&scene->shot, (uint64_t)scene->shot.reference_seed, &scene->model, &scene->task, scene->arena,
                        error);
  if (status == DC_BAD_INPUT)
    dc_scene_wrap(scene, DC_PART_SHOT, 0, error);
  for (; !status && drawn < scene->task.objective_count; drawn++) {
    const struct dc_reach_options *reach = scene->task.objectives[drawn].options;
    memcpy(scene->model.bodies.bodies[reach->body].appearance.color, green, sizeof green);
  }
  return status;
}

// Words are stored one after the other, each with its zero; an empty one ends them.
static void add_words(struct dc_text *words, const char *option, int count, const char *const *values)
{
  for (int i = 0; i < count; i++) {
    dc_text_append(words, option, strlen(option) + 1);
    dc_text_append(words, values[i], strlen(values[i]) + 1);
  }
}

// The words of a command line that opens this scene, one after the other, each with its NUL; an empty one ends
// them.  Advice repeats them with one thing changed.  NULL: out of memory.
static char *words_of(const char *path, const dcsim_scene_options *options)
{
  struct dc_text words = {0};
  char seed[32];
  const char *number = seed;
  snprintf(seed, sizeof seed, "%" PRIu64, options->seed);
  dc_text_append(&words, path, strlen(path) + 1);
  add_words(&words, "--allow-path", options->allowed_path_count, options->allowed_paths);
  add_words(&words, "--package-path", options->package_path_count, options->package_paths);
  add_words(&words, "--model", options->model != NULL, &options->model);
  add_words(&words, "--gradient", options->gradient != NULL, &options->gradient);
  add_words(&words, "--plant", options->plant != NULL, &options->plant);
  add_words(&words, "--seed", options->seed_given != 0, &number);
  add_words(&words, "--set", options->override_count, options->overrides);
  dc_text_append(&words, "", 1);
  if (words.failed)
    dc_text_free(&words);
  return words.bytes;
}

// Adds what the caller may have meant to the message about a path that is no scene: the scene of a run, or a name with
// ".json" behind it.
static void add_hint(const char *path, struct dc_error *error)
{
  char *longer = NULL;
  if (dc_run_has(path, "resolved.json"))
    dc_error_append(error, ": it is a run, whose scene is resolved.json in it");
  else if (access(path, F_OK) && asprintf(&longer, "%s.json", path) >= 0 && access(longer, F_OK) == 0)
    dc_error_append(error, " (did you mean %.300s?)", longer);
  free(longer);
}

// Refuses a list of texts that has not as many as it says.
static enum dc_status check_texts(const char *name, int count, const char *const *texts, struct dc_error *error)
{
  if (count < 0 || (count > 0 && !texts))
    return dc_fail(error, DC_USAGE, "%s: %d texts, and %s list", name, count, texts ? "a" : "no");
  for (int i = 0; i < count; i++)
    if (!texts[i])
      return dc_fail(error, DC_USAGE, "%s[%d]: must not be NULL", name, i);
  return DC_OK;
}

// Opens a scene from a file or, with text not NULL, from memory.  path: of the file, or what messages call the
// text; folder: where relative names of files start.  On failure *scene is NULL and nothing is kept.
// The steps:
// 1. the caller's options are copied by their size, and its lists of texts are checked;
// 2. the words of a command line that opens the same scene are put down, for advice that is given later;
// 3. the file or text is read, with overrides, overlay of the model and plant;
// 4. a random shot is drawn, since targets of a scene must be known before its task is used.
static int open_scene(const char *path, const char *text, const char *folder, const dcsim_scene_options *given,
                      dcsim_scene **scene, dcsim_error *error)
{
  struct dc_error local = {0};
  dcsim_scene_options options = {0};
  if (scene)
    *scene = NULL;
  if (!scene || !path)
    return dc_api_fail(error, &(struct dc_error){.text = "NULL, where a scene and a place for it are wanted"},
                       DC_USAGE);
  if (dc_api_read_sized(&options, sizeof options, given, &local) ||
      check_texts("overrides", options.override_count, options.overrides, &local) ||
      check_texts("allowed_paths", options.allowed_path_count, options.allowed_paths, &local) ||
      check_texts("package_paths", options.package_path_count, options.package_paths, &local))
    return dc_api_fail(error, &local, local.status);
  const struct dc_scene_settings settings = {.text = text,
                                             .folder = folder,
                                             .model = options.model,
                                             .gradient = options.gradient,
                                             .plant = options.plant,
                                             .override_count = options.override_count,
                                             .overrides = options.overrides,
                                             .allowed_path_count = options.allowed_path_count,
                                             .allowed_paths = options.allowed_paths,
                                             .package_path_count = options.package_path_count,
                                             .package_paths = options.package_paths,
                                             .confined = options.confined != 0,
                                             .seed_given = options.seed_given != 0,
                                             .seed = options.seed};
  // The scene owns the words of its command line: advice is given when the caller's texts may be gone.
  dcsim_scene *made = calloc(1, sizeof *made);
  if (!made)
    return dc_api_fail(error, &(struct dc_error){.text = "out of memory"}, DC_MEMORY);
  made->seed = settings.seed;
  made->words = text ? NULL : words_of(path, &options);
  enum dc_status status = dc_scene_read(path, &settings, &made->scene, &local);
  if (status == DC_BAD_INPUT && !text)
    add_hint(path, &local);
  if (!status && made->scene->shot.given)
    status = draw_shot(made->scene, &local);
  if (status) {
    dcsim_scene_close(made);
    return dc_api_fail(error, &local, status);
  }
  *scene = made;
  return DCSIM_OK;
}

int dcsim_scene_open(const char *path, const dcsim_scene_options *options, dcsim_scene **scene, dcsim_error *error)
{
  return open_scene(path, NULL, NULL, options, scene, error);
}

int dcsim_scene_open_text(const char *text, const char *base_directory, const dcsim_scene_options *options,
                          dcsim_scene **scene, dcsim_error *error)
{
  return open_scene(text ? "text" : NULL, text, base_directory, options, scene, error);
}

// Problems and simulations read the scene and must be gone before it.
void dcsim_scene_close(dcsim_scene *scene)
{
  if (!scene)
    return;
  dc_scene_destroy(scene->scene);
  free(scene->words);
  free(scene);
}

// The name belongs to the scene; "" for NULL.
const char *dcsim_scene_name(const dcsim_scene *scene)
{
  return scene ? scene->scene->name : "";
}

// A refinement has no time: steps and time step are 0.
int dcsim_scene_get_sizes(const dcsim_scene *scene, dcsim_scene_sizes *sizes, dcsim_error *error)
{
  if (dc_api_need(scene, "scene", error))
    return DCSIM_USAGE;
  const struct dc_scene *s = scene->scene;
  const struct dc_bodies *bodies = &s->model.bodies;
  struct dc_error local = {0};
  const dcsim_scene_sizes own = {.bodies = bodies->count,
                                 .nq = bodies->nq,
                                 .nv = bodies->nv,
                                 .actuators = bodies->actuator_count,
                                 .steps = s->refinement.given ? 0 : (int)s->definition.time.steps,
                                 .time_step = s->refinement.given ? 0 : s->definition.time.step};
  enum dc_status status = dc_api_write_sized(&own, sizeof own, sizes, &local);
  return status ? dc_api_fail(error, &local, status) : DCSIM_OK;
}

// Offsets of q and v are -1 for bodies without coordinates of their own.
int dcsim_scene_get_body(const dcsim_scene *scene, int body, dcsim_scene_body *about, dcsim_error *error)
{
  if (dc_api_need(scene, "scene", error))
    return DCSIM_USAGE;
  const struct dc_bodies *bodies = &scene->scene->model.bodies;
  struct dc_error local = {0};
  if (body < 0 || body >= bodies->count) {
    dc_fail(&local, DC_USAGE, "there is no body %d: the scene has %d", body, bodies->count);
    return dc_api_fail(error, &local, DC_USAGE);
  }
  const struct dc_body *b = &bodies->bodies[body];
  const dcsim_scene_body own = {.name = b->name,
                                .q = b->q_offset,
                                .nq = b->nq,
                                .v = b->v_offset,
                                .nv = b->nv,
                                .actuator = b->pd ? b->actuator : -1,
                                .actuators = b->pd ? b->nv : 0,
                                .mass = b->mass};
  enum dc_status status = dc_api_write_sized(&own, sizeof own, about, &local);
  return status ? dc_api_fail(error, &local, status) : DCSIM_OK;
}
