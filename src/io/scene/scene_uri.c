// SPDX-License-Identifier: Apache-2.0
// Where the files are that a robot's file names.
//
// A name is a path, relative to the robot's file, or file://PATH.  Others, package://NAME/PATH and model://NAME/PATH,
// are looked for at three places, and the first that has the file is taken:
//   1. below the folders of --package-path;
//   2. below the nearest folder above the robot's file that is called NAME;
//   3. with a note, below the nearest folder above it that has such a file at all.
// The name of a mesh that leads nowhere is tried once more with its %20 and the like decoded.
#include <stdlib.h>
#include <string.h>

#include "base/characters.h"
#include "io/scene/scene_uri.h"

// Finds a file by the rules for files of a scene: dc_scene_find_file.  DC_BAD_INPUT: it is not there or may not
// be opened.
static enum dc_status try_file(const struct dc_scene_finder *finder, const char *file, const char **path,
                               struct dc_error *error)
{
  const struct dc_scene_build *build = finder->build;
  return dc_scene_find_file(finder->build->scene->source.folder, file, build->settings, build->scene->arena, path,
                            error);
}

// Looks for "DIR/NAME/rest" below each folder DIR of --package-path, in their order, and for "DIR/rest" where
// DIR itself is called NAME: users give the package's folder as often as the one above it.  The first failure
// is told when none has the file.
static enum dc_status find_below_packages(const struct dc_scene_finder *finder, const char *name, size_t length,
                                          const char *rest, const char **path, struct dc_error *error)
{
  const struct dc_scene_settings *settings = finder->build->settings;
  struct dc_arena *arena = finder->build->scene->arena;
  struct dc_error first = {0};
  for (int i = 0; i < settings->package_path_count; i++) {
    char *real = realpath(settings->package_paths[i], NULL);
    const char *last = real ? strrchr(real, '/') + 1 : "";
    int ways = strlen(last) == length && strncmp(last, name, length) == 0 ? 2 : 1;
    for (int inside = 0; inside < ways && real; inside++) {
      struct dc_error local = {0};
      const char *file = inside ? dc_arena_printf(arena, "%s/%s", real, rest)
                                : dc_arena_printf(arena, "%s/%.*s/%s", real, (int)length, name, rest);
      enum dc_status status = file ? try_file(finder, file, path, &local) : DC_MEMORY;
      if (status != DC_BAD_INPUT) {
        free(real);
        return status ? dc_fail(error, status, "out of memory") : DC_OK;
      }
      if (!first.text[0])
        first = local;
    }
    free(real);
  }
  return dc_fail(error, DC_BAD_INPUT, "package://%.*s/%.300s: in no folder of --package-path%s%.300s", (int)length,
                 name, rest, first.text[0] ? "; " : "", first.text);
}

// Looks below the nearest folder called NAME that the robot's file lies in and that has the file: robots
// usually lie in their own package, as NAME/urdf/robot.urdf beside NAME/meshes.
static enum dc_status find_above(const struct dc_scene_finder *finder, const char *name, size_t length,
                                 const char *rest, const char **path, struct dc_error *error)
{
  struct dc_arena *arena = finder->build->scene->arena;
  struct dc_error first = {0};
  char *folder = dc_arena_strdup(arena, finder->folder), *slash;
  if (!folder)
    return dc_out_of_memory(error);
  for (; (slash = strrchr(folder, '/')); *slash = '\0') {
    struct dc_error local = {0};
    if (strlen(slash + 1) != length || strncmp(slash + 1, name, length) != 0)
      continue;
    const char *file = dc_arena_printf(arena, "%s/%s", folder, rest);
    enum dc_status status = file ? try_file(finder, file, path, &local) : DC_MEMORY;
    if (status != DC_BAD_INPUT)
      return status ? dc_fail(error, status, "out of memory") : DC_OK;
    if (!first.text[0])
      first = local;
  }
  if (first.text[0])
    return dc_fail(error, DC_BAD_INPUT, "%.600s", first.text);
  return dc_fail(
      error, DC_BAD_INPUT,
      "package://%.*s/%.300s: no folder above the file is called \"%.*s\" (--package-path says where packages "
      "are)",
      (int)length, name, rest, (int)length, name);
}

// Looks in the folders above the robot's file, the nearest first, for "NAME/rest" or "rest": robots that were
// taken out of their package have their meshes beside them.  This is a guess, so that it is noted, once for
// each name.  Files that may not be opened count as missing.
static enum dc_status find_around(struct dc_scene_finder *finder, const char *name, size_t length, const char *rest,
                                  const char **path)
{
  struct dc_scene *scene = finder->build->scene;
  char *folder = dc_arena_strdup(scene->arena, finder->folder), *slash;
  if (!folder)
    return DC_MEMORY;
  for (; (slash = strrchr(folder, '/')) != NULL && slash != folder; *slash = '\0')
    for (int inside = 0; inside < 2; inside++) {
      struct dc_error local = {0};
      const char *file = inside ? dc_arena_printf(scene->arena, "%s/%s", folder, rest)
                                : dc_arena_printf(scene->arena, "%s/%.*s/%s", folder, (int)length, name, rest);
      enum dc_status status = file ? try_file(finder, file, path, &local) : DC_MEMORY;
      if (status == DC_BAD_INPUT)
        continue;
      if (status || (finder->guessed_length == length && strncmp(finder->guessed, name, length) == 0))
        return status;
      finder->guessed = name;
      finder->guessed_length = length;
      return dc_notes_add(&scene->notes, "%s: package \"%.*s\" is found nowhere: its files are those below \"%s\"",
                          finder->robot, (int)length, name, slash + 1);
    }
  return DC_BAD_INPUT;
}

// Tries the three places of the head in order.  The error that is reported is that of --package-path where it
// is given, as the user expected the file there.
static enum dc_status find_in_package(struct dc_scene_finder *finder, const char *name, size_t length, const char *rest,
                                      const char **path, struct dc_error *error)
{
  struct dc_error above = {0};
  enum dc_status status = DC_BAD_INPUT;
  bool listed = finder->build->settings->package_path_count > 0;
  if (listed && (status = find_below_packages(finder, name, length, rest, path, error)) != DC_BAD_INPUT)
    return status;
  if ((status = find_above(finder, name, length, rest, path, listed ? &above : error)) != DC_BAD_INPUT)
    return status;
  status = find_around(finder, name, length, rest, path);
  return status == DC_MEMORY ? dc_fail(error, status, "out of memory") : status;
}

// A URI with its %20 and the like decoded, in the arena; NULL: out of memory.
static const char *decode(struct dc_arena *arena, const char *uri)
{
  char *plain = dc_percent_decode(uri);
  const char *text = plain ? dc_arena_strdup(arena, plain) : NULL;
  free(plain);
  return text;
}

// Finds the file of a URI or path.  package:// and model:// name a package first; "//" behind the scheme may be
// repeated, as in files that exist.  The name of a package must not be "." or "..", which would leave the
// folder that was searched.
enum dc_status dc_scene_find_uri(struct dc_scene_finder *finder, const char *folder, const char *file,
                                 const char **path, struct dc_error *error)
{
  static const char package[] = "package://", model[] = "model://", local[] = "file://";
  bool modelled = strncmp(file, model, sizeof model - 1) == 0;
  if (modelled || strncmp(file, package, sizeof package - 1) == 0) {
    const char *name = file + (modelled ? sizeof model : sizeof package) - 1;
    name += strspn(name, "/");
    size_t length = strcspn(name, "/");
    if (!length || !name[length] || (length <= 2 && name[0] == '.'))
      return dc_fail(error, DC_BAD_INPUT, "must be %s://NAME/PATH", modelled ? "model" : "package");
    return find_in_package(finder, name, length, name + length + 1, path, error);
  }
  if (strncmp(file, local, sizeof local - 1) == 0)
    file += sizeof local - 1;
  else if (strstr(file, "://"))
    return dc_fail(error, DC_BAD_INPUT, "must be a path, file://, package:// or model://");
  if (file[0] && file[0] != '/')
    file = dc_arena_printf(finder->build->scene->arena, "%s/%s", folder, file);
  return file ? try_file(finder, file, path, error) : dc_out_of_memory(error);
}

// Finds a mesh: by its name as it stands, then, if that leads nowhere, with its percent signs decoded, as
// exporters write spaces in either way.  The message of a failure is that of the first try.
enum dc_status dc_scene_find_mesh(struct dc_scene_finder *finder, const char *file, const char **path,
                                  struct dc_error *error)
{
  struct dc_error local = {0};
  enum dc_status status = dc_scene_find_uri(finder, finder->folder, file, path, error);
  const char *plain =
      status == DC_BAD_INPUT && strchr(file, '%') ? decode(finder->build->scene->arena, file) : file;
  if (!plain)
    return dc_out_of_memory(error);
  if (plain != file && dc_scene_find_uri(finder, finder->folder, plain, path, &local) == DC_OK)
    return DC_OK;
  return status;
}
