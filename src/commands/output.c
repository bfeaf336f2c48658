// SPDX-License-Identifier: Apache-2.0
// Outputs that would take the place of what a command reads.  Files are compared by device and number, so that it makes
// no difference how they are named.
#include "commands/output.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/open.h"
#include "io/run/run_files.h"

// Whether both names are of one file that is there.
static bool is_same_file(const char *one, const char *other)
{
  struct stat first, second;
  return stat(one, &first) == 0 && stat(other, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

static enum dc_status refuse(const char *output, struct dc_error *error)
{
  return dc_fail(error, DC_USAGE, "%.800s: is read here, and would be written over", output);
}

enum dc_status dc_api_check_output(const struct dc_scene *scene, const char *input, const char *output,
                                   struct dc_error *error)
{
  bool own = is_same_file(output, input);
  for (int i = 0; i < scene->source.mesh_file_count && !own; i++)
    own = is_same_file(output, scene->source.mesh_files[i]);
  return own ? refuse(output, error) : DC_OK;
}

// DC_USAGE where it is one of the files in a folder of the run, which need not be there.
static enum dc_status check_folder(const char *directory, const char *name, const char *output, struct dc_error *error)
{
  char *folder = dc_path_join(directory, name);
  int opened = folder ? dc_open_listing(dc_open_here, folder, true) : -1;
  DIR *listing = opened < 0 ? NULL : fdopendir(opened);
  enum dc_status status = folder ? DC_OK : dc_out_of_memory_in(error, directory);
  for (const struct dirent *entry; listing && !status && (entry = readdir(listing));) {
    char *path = dc_path_join(folder, entry->d_name);
    if (!path)
      status = dc_out_of_memory_in(error, directory);
    else if (is_same_file(output, path))
      status = refuse(output, error);
    free(path);
  }
  if (listing)
    closedir(listing);
  else if (opened >= 0)
    close(opened);
  free(folder);
  return status;
}

enum dc_status dc_api_check_output_of_run(const char *directory, const char *output, struct dc_error *error)
{
  static const char *const names[] = {"scene.json",     "resolved.json",  "run.json",       "loss.csv",
                                      "progress.jsonl", "trajectory.h5",  "checkpoint.bin", "design.csv",
                                      ".lock",          "design/scene.json"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *path = dc_path_join(directory, names[i]);
    if (!path)
      return dc_out_of_memory_in(error, directory);
    bool own = is_same_file(output, path);
    free(path);
    if (own)
      return refuse(output, error);
  }
  enum dc_status status = check_folder(directory, "meshes", output, error);
  return status ? status : check_folder(directory, "design/meshes", output, error);
}
