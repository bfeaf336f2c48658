// SPDX-License-Identifier: Apache-2.0
// Which files a scene may open.  A scene is data that may come from anywhere, so that it must not read what its
// user did not mean.  A file counts by its real path, after all symbolic links.  It must lie in the scene's
// folder, in the data directory (DCSIM_DATADIR, or the one of the installation), or in a folder that the caller
// trusts.  A scene from a run of others (settings->confined) may read nothing but its own folder.
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/open.h"
#include "io/scene/scene_format.h"

#ifndef DC_DATADIR
#define DC_DATADIR "/usr/local/share/dcsim"
#endif

// The real path, owned by the arena; NULL with errno.  realpath's own memory is freed in any case.
static const char *real_path(const char *path, struct dc_arena *arena)
{
  char *real = realpath(path, NULL);
  const char *copy = real ? dc_arena_strdup(arena, real) : NULL;
  if (real && !copy)
    errno = ENOMEM;
  free(real);
  return copy;
}

// The real path of a folder, in the arena; every later comparison is between real paths.
enum dc_status dc_scene_folder(const char *name, struct dc_arena *arena, const char **folder, struct dc_error *error)
{
  *folder = real_path(name, arena);
  return *folder ? DC_OK : dc_fail(error, dc_status_of_open(errno), "%s: %s", name, strerror(errno));
}

enum dc_status dc_scene_folder_of(const char *path, struct dc_arena *arena, const char **folder, struct dc_error *error)
{
  const char *slash = strrchr(path, '/');
  char *name = dc_arena_strdup(arena, slash ? path : ".");
  if (!name)
    return dc_out_of_memory_in(error, path);
  if (slash)
    name[slash == path ? 1 : slash - path] = '\0';
  return dc_scene_folder(name, arena, folder, error);
}

// Whether path lies below folder; both are real paths.  The character after the common part must be a slash, so
// that /home/a does not hold /home/ab; the root "/" ends with its slash and is cut to "".
static bool lies_in(const char *path, const char *folder)
{
  size_t length = strlen(folder);
  if (length && folder[length - 1] == '/')
    length--;
  return strncmp(path, folder, length) == 0 && path[length] == '/';
}

// Whether a real path lies below a folder that is trusted; an empty or missing folder holds nothing.
static bool allowed(const char *path, const char *folder, struct dc_arena *arena)
{
  const char *real = folder && folder[0] ? real_path(folder, arena) : NULL;
  return real && lies_in(path, real);
}

// Whether a scene of this folder may read a real path.
static bool may_read(const char *path, const char *folder, const struct dc_scene_settings *settings,
                     struct dc_arena *arena)
{
  const char *data = getenv("DCSIM_DATADIR");
  bool permitted = lies_in(path, folder);
  if (permitted || settings->confined)
    return permitted;
  permitted = allowed(path, data ? data : DC_DATADIR, arena);
  for (int i = 0; i < settings->allowed_path_count && !permitted; i++)
    permitted = allowed(path, settings->allowed_paths[i], arena);
  for (int i = 0; i < settings->package_path_count && !permitted; i++)
    permitted = allowed(path, settings->package_paths[i], arena);
  return permitted;
}

static int compare_names(const void *left, const void *right)
{
  return strcmp(*(const char *const *)left, *(const char *const *)right);
}

// The most similar name of a folder's files, for a file that is not there; NULL: none is similar.
static const char *similar_file(const char *folder, const char *name, struct dc_arena *arena)
{
  enum { MOST_NAMES = 2000 };
  const char **names = dc_arena_alloc(arena, MOST_NAMES + 1, sizeof *names);
  int count = 0, listing = names ? dc_open_listing(dc_open_here, folder, true) : -1;
  DIR *stream = listing < 0 ? NULL : fdopendir(listing);
  if (!stream && listing >= 0)
    close(listing);
  for (const struct dirent *entry; stream && count < MOST_NAMES && (entry = readdir(stream));) {
    const char *copy = entry->d_name[0] == '.' ? NULL : dc_arena_strdup(arena, entry->d_name);
    if (copy)
      names[count++] = copy;
  }
  if (stream)
    closedir(stream);
  if (!count)
    return NULL;
  qsort(names, (size_t)count, sizeof *names, compare_names);
  names[count] = NULL;
  return dc_suggest(name, names);
}

// Says that a file is not there, and which one of the same folder may be meant, if the scene may read it.
static enum dc_status fail_missing(const char *full, const char *folder, const struct dc_scene_settings *settings,
                                   struct dc_arena *arena, struct dc_error *error)
{
  struct dc_error ignored = {0};
  int reason = errno;
  const char *parent, *slash = strrchr(full, '/'), *name = slash ? slash + 1 : full, *near = NULL;
  if (reason == ENOENT && !dc_scene_folder_of(full, arena, &parent, &ignored)) {
    const char *beside = dc_arena_printf(arena, "%s/%s", parent, name);
    near = beside && may_read(beside, folder, settings, arena) ? similar_file(parent, name, arena) : NULL;
  }
  return dc_fail(error, dc_status_of_open(reason), "%s: %s%s%s%s", full, strerror(reason),
                 near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "");
}

// Resolves the path of a file that a scene names, relative to `folder` or absolute, and refuses it unless it
// may be read.  The message names the option that would allow it.  A file that does not exist is told apart
// from one that is refused.
enum dc_status dc_scene_find_file(const char *folder, const char *file, const struct dc_scene_settings *settings,
                                  struct dc_arena *arena, const char **path, struct dc_error *error)
{
  if (!file || !file[0])
    return dc_fail(error, DC_BAD_INPUT, "must not be empty");
  const char *full = file[0] == '/' ? file : dc_arena_printf(arena, "%s/%s", folder, file);
  if (!full)
    return dc_out_of_memory(error);
  *path = real_path(full, arena);
  if (!*path)
    return fail_missing(full, folder, settings, arena, error);
  if (may_read(*path, folder, settings, arena))
    return DC_OK;
  if (settings->confined)
    return dc_fail(error, DC_BAD_INPUT, "%s: lies outside the run, which is not trusted", *path);
  return dc_fail(
      error, DC_BAD_INPUT,
      "%s: lies outside the scene's folder, the data directory and the folders of --allow-path and --package-path; "
      "--allow-path %.*s would trust its folder",
      *path, (int)(strrchr(*path, '/') - *path > 0 ? strrchr(*path, '/') - *path : 1), *path);
}
