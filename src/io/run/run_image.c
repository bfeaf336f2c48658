// SPDX-License-Identifier: Apache-2.0
// Files of a run directory that are memory at the same time: trajectories are too long for the heap and are
// written by another process (h5_file.c).  A file is created under a temporary name, made as large as it may
// become, mapped, filled, cut to its true size, synced and renamed.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/run/run.h"

static enum dc_status fail_mapping(struct dc_error *error, const char *path, size_t size)
{
  return dc_fail(error, errno == ENOMEM ? DC_MEMORY : DC_IO, "%.800s: cannot take %zu bytes: %s", path, size,
                 strerror(errno));
}

// Begins a file of the run that is written through mapped memory of `size` bytes, under a temporary name.
enum dc_status dc_run_image_begin(struct dc_run *run, const char *name, size_t size, struct dc_run_image *image,
                                  struct dc_error *error)
{
  *image = (struct dc_run_image){.path = dc_path_join(dc_run_directory(run), name)};
  int folder;
  enum dc_status status = image->path ? dc_run_folder(run, &folder, error) : dc_out_of_memory_in(error, name);
  if (!status)
    status = dc_new_file_begin(folder, image->path, &image->file, error);
  if (!status && dc_mapped_file_create(image->file.fd, size, &image->memory)) {
    status = fail_mapping(error, image->path, size);
    dc_new_file_end(&image->file, name, image->path, status, NULL);
  }
  if (status) {
    free(image->path);
    *image = (struct dc_run_image){0};
  }
  return status;
}

// Ends a mapped file: with status DC_OK it is cut to `size` bytes and renamed to its own name, with any other
// it is removed.  The mapping is gone in both cases.
enum dc_status dc_run_image_end(struct dc_run *run, const char *name, struct dc_run_image *image, size_t size,
                                enum dc_status status, struct dc_error *error)
{
  dc_mapped_file_destroy(&image->memory);
  if (!status && ftruncate(image->file.fd, (off_t)size) < 0)
    status = dc_fail_file(error, image->path, "cut off the end");
  int folder;
  if (!status)
    status = dc_run_folder(run, &folder, error);
  status = dc_new_file_end(&image->file, name, image->path, status, error);
  free(image->path);
  *image = (struct dc_run_image){0};
  return status;
}

// Maps a file without a name in the run directory: memory for frames that is on disk and vanishes with the process.
enum dc_status dc_run_spool(struct dc_run *run, size_t size, struct dc_mapped_file *file, struct dc_error *error)
{
  struct dc_new_file spool;
  *file = (struct dc_mapped_file){0};
  int folder;
  const char *directory = dc_run_directory(run);
  enum dc_status status = dc_run_folder(run, &folder, error);
  if (!status)
    status = dc_new_file_begin(folder, directory, &spool, error);
  if (status)
    return status;
  if (dc_mapped_file_create(spool.fd, size, file))
    status = fail_mapping(error, directory, size);
  dc_new_file_end(&spool, NULL, directory, DC_STOPPED, NULL);  // removes its name
  return status;
}
