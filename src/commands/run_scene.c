// SPDX-License-Identifier: Apache-2.0
// Opening the scene of a run directory: every command that reads a run begins here.
#include "commands/run_scene.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "io/run/run_check.h"
#include "io/run/run_files.h"

// Explains paths that are no runs, which are easy mistakes: nothing is there, a file (often the scene itself), or some
// other folder.
static enum dc_status explain_no_run(const char *directory, struct dc_error *error)
{
  struct stat info;
  if (stat(directory, &info))
    return errno == ENOENT
               ? dc_fail(error, DC_BAD_INPUT,
                         "%.900s: no such directory; \"dcsim simulate SCENE -o %.900s\" or \"dcsim optimize\" "
                         "makes a run there",
                         directory, directory)
               : DC_OK;
  if (S_ISREG(info.st_mode))
    return dc_fail(error, DC_BAD_INPUT,
                   "%.900s: is a file, not the directory of a run: \"dcsim simulate %.900s -o run\" "
                   "makes one, \"run\"",
                   directory, directory);
  if (S_ISDIR(info.st_mode) && !dc_run_looks_like_run(directory))
    return dc_fail(error, DC_BAD_INPUT, "%.900s: is no run, which has a resolved.json", directory);
  return DC_OK;
}

// Opens the file of that name in a run directory.  Runs that somebody else made are confined, so that files
// they name outside of the directory are not read.
int dc_api_open_run_scene(const char *directory, const char *name, const dcsim_scene_options *options,
                          dcsim_scene **scene, dcsim_error *error)
{
  struct dc_error local = {0};
  dcsim_scene_options own = {0};
  *scene = NULL;
  if (dc_api_read_sized(&own, sizeof own, options, &local))
    return dc_api_fail(error, &local, local.status);
  own.size = sizeof own;
  bool trusted = !own.confined;
  own.confined = own.confined || (directory && dc_run_is_foreign(directory));
  enum dc_status status =
      directory ? dc_run_check(directory, trusted, &local) : dc_fail(&local, DC_USAGE, "a run directory must be given");
  if (!status)
    status = explain_no_run(directory, &local);
  char *path = status ? NULL : dc_path_join(directory, name);
  if (!status && !path)
    status = dc_out_of_memory_in(&local, directory);
  int opened = status ? dc_api_fail(error, &local, status) : dcsim_scene_open(path, &own, scene, error);
  free(path);
  return opened;
}

// Opens resolved.json, which holds every setting as the run used it, and not scene.json, whose defaults may be other
// ones today.
int dcsim_scene_open_run(const char *directory, const dcsim_scene_options *options, dcsim_scene **scene,
                         dcsim_error *error)
{
  if (!scene) {
    struct dc_error local = {0};
    return dc_api_fail(error, &local, dc_fail(&local, DC_USAGE, "a place for the scene must be given"));
  }
  return dc_api_open_run_scene(directory, "resolved.json", options, scene, error);
}
