// SPDX-License-Identifier: Apache-2.0
// Opening the scene of a run directory: every command that reads a run begins here.
#include "commands/run_scene.h"

#include <stdlib.h>

#include "io/run/run_check.h"
#include "io/run/run_files.h"

int dc_api_open_run_scene(const char *directory, const char *name, const dcsim_scene_options *options,
                          dcsim_scene **scene, dcsim_error *error)
{
  struct dc_error local = {0};
  *scene = NULL;
  enum dc_status status = directory ? dc_run_check(directory, true, &local)
                                    : dc_fail(&local, DC_USAGE, "a run directory must be given");
  char *path = status ? NULL : dc_path_join(directory, name);
  if (!status && !path)
    status = dc_out_of_memory_in(&local, directory);
  int opened = status ? dc_api_fail(error, &local, status) : dcsim_scene_open(path, options, scene, error);
  free(path);
  return opened;
}
