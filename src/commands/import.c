// SPDX-License-Identifier: Apache-2.0
// dcsim_import: a robot's file, or a scene that includes some, as a scene of its own.  A robot's file is opened by
// the shortest scene that includes it, so that there is one way to read robots.  The scene that is written has every
// default and every body spelled out.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/internal.h"
#include "commands/output.h"
#include "io/run/run_files.h"
#include "io/scene/scene_format.h"

// The shortest scene that includes the file and has its name, for the reader (malloc); NULL: out of memory.
static char *scene_of(const char *file)
{
  struct dc_json_writer json = {0};
  const char *ending = strrchr(file, '.');
  char name[256];
  dc_json_begin(&json, NULL, '{');
  snprintf(name, sizeof name, "%.*s", ending ? (int)(ending - file) : 255, file);
  if (dc_is_name(name))  // a file's name may hold what a scene's may not
    dc_json_put_string(&json, "name", name);
  dc_json_begin(&json, "time", '{');
  dc_json_put_number(&json, "step", 0.01);
  dc_json_put_integer(&json, "steps", 100);
  dc_json_end(&json, "}");
  dc_json_begin(&json, "include", '{');
  dc_json_put_string(&json, "file", file);
  dc_json_end(&json, "}}");
  return dc_json_finish(&json);
}

// Splits the real path of a file after its folder, in place; NULL: there is no such file.
static char *split_path(const char *file, const char **base)
{
  char *path = realpath(file, NULL), *slash = path ? strrchr(path, '/') : NULL;
  if (!slash)
    return NULL;
  *slash = '\0';
  *base = slash + 1;
  return path;
}

// The resolved scene at output, its meshes in the folder "meshes" beside it.
static enum dc_status write_scene(const struct dc_scene *scene, const char *output, struct dc_error *error)
{
  struct dc_mesh_copies copies;
  struct dc_text resolved = {0};
  const char *slash = strrchr(output, '/');
  char *folder = slash ? strndup(output, slash > output ? (size_t)(slash - output) : 1) : strdup(".");
  enum dc_status status = folder ? dc_mesh_copies_plan(scene, &copies, error) : dc_out_of_memory(error);
  if (!status) {
    status = dc_mesh_copies_resolve(&copies, scene, &resolved, error);
    if (!status)
      status = dc_mesh_copies_write(&copies, folder, false, error);
    if (!status)
      status = dc_file_write(output, resolved.bytes, resolved.length, error);
    dc_arena_destroy(copies.arena);
  }
  dc_text_free(&resolved);
  free(folder);
  return status;
}

// How much was read, and the notes on all that is not as the file says.
static void describe(const struct dc_scene *scene, const char *output, struct dc_text *text,
                     struct dc_json_writer *json)
{
  dc_text_add(text, "%s: %d bod%s, %d shape%s\n", output, scene->definition.body_count,
              scene->definition.body_count == 1 ? "y" : "ies", scene->definition.shape_count,
              dc_plural(scene->definition.shape_count));
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "file", output);
  dc_json_put_integer(json, "bodies", scene->definition.body_count);
  dc_json_put_integer(json, "shapes", scene->definition.shape_count);
  dc_api_describe_notes(scene, text, json);
  dc_json_end(json, "}");
}

// A robot's file; a scene that includes robots as it wants them.
static int open_file(const char *file, const dcsim_scene_options *options, dcsim_scene **scene, dcsim_error *error)
{
  struct dc_error local = {0};
  const char *base, *ending = strrchr(file, '.');
  if (ending && strcmp(ending, ".json") == 0)
    return dcsim_scene_open(file, options, scene, error);
  char *folder = split_path(file, &base), *described = folder ? scene_of(base) : NULL;
  if (!described) {
    enum dc_status status =
        folder || errno == ENOMEM ? dc_out_of_memory_in(&local, file) : dc_fail(&local, DC_BAD_INPUT, "%.800s: no such file", file);
    free(folder);
    return dc_api_fail(error, &local, status);
  }
  int opened = dcsim_scene_open_text(described, folder, options, scene, error);
  free(described);
  free(folder);
  return opened;
}

// Opens the robot by a scene of its own, writes this scene resolved, with its meshes, and tells the notes of
// the reading.
int dcsim_import(const char *file, const dcsim_scene_options *options, const char *output, dcsim_report *report,
                 dcsim_error *error)
{
  struct dc_error local = {0};
  struct dc_text text = {0};
  struct dc_json_writer json = {0};
  dcsim_scene *scene;
  if (dc_api_need(file, "file", error) || dc_api_need(output, "output", error))
    return DCSIM_USAGE;
  int opened = open_file(file, options, &scene, error);
  if (opened)
    return opened;
  enum dc_status status = dc_api_check_output(scene->scene, file, output, &local);
  if (!status)
    status = write_scene(scene->scene, output, &local);
  if (!status)
    describe(scene->scene, output, &text, &json);
  dcsim_scene_close(scene);
  return dc_api_answer(status, &local, report, &text, &json, error);
}
