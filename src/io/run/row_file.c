// SPDX-License-Identifier: Apache-2.0
// A file grows by whole rows, and field "size" is its length up to the end of the last whole row.  A write sets "torn"
// first; dc_row_file_keep, called once the row is complete in all files, moves "size" forward.  A torn file is cut back
// to this size by dc_row_file_mend.  Reopening finds the end of the first rows lines and leaves what is behind to the
// next mending.
#include "io/run/row_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/open.h"
#include "io/run/run_files.h"

// Cuts the file back to its whole rows; without anything torn it does nothing.
enum dc_status dc_row_file_mend(struct dc_row_file *file, struct dc_error *error)
{
  if (file->torn && ftruncate(file->fd, file->size) < 0)
    return dc_fail_file(error, file->path, "cut off an incomplete line");
  file->torn = false;
  return DC_OK;
}

// Writes a row at the end.  A row that fails, as when the disk is full, is cut off at once where possible;
// otherwise the next write or sync mends the file first.
enum dc_status dc_row_file_write(struct dc_row_file *file, const struct dc_text *text, struct dc_error *error)
{
  enum dc_status status = dc_row_file_mend(file, error);
  if (status)
    return status;
  file->torn = true;
  status = dc_write_all(file->fd, file->path, text->bytes, text->length, error);
  if (status)
    dc_row_file_mend(file, NULL);
  return status;
}

// Counts a row that was written as part of the file.  Until then a mend takes it back, which makes rows of
// several files appear together or not at all.
void dc_row_file_keep(struct dc_row_file *file, const struct dc_text *text)
{
  file->size += (off_t)text->length;
  file->torn = false;
}

// A file that exists is an error, so that no rows of another run are continued.
enum dc_status dc_row_file_create(struct dc_row_file *file, const char *directory, const char *name,
                                  struct dc_error *error)
{
  file->path = dc_path_join(directory, name);
  if (!file->path)
    return dc_out_of_memory_in(error, directory);
  file->fd = dc_open_append(dc_open_here, file->path, DC_MUST_BE_NEW);
  return file->fd < 0 ? dc_fail_file(error, file->path, "create") : DC_OK;
}

// Compares the header and finds the end of the first `rows` lines behind it.  Nothing is cut off yet: a resumed
// run cuts when everything else has gone well.  DC_CHECKPOINT: the file is not the one that the checkpoint
// belongs to.
static enum dc_status find_rows(struct dc_row_file *file, const char *header, long rows, struct dc_error *error)
{
  char buffer[16384];
  struct stat info;
  size_t length = strlen(header);
  if (fstat(file->fd, &info) < 0)
    return dc_fail_file(error, file->path, "read");
  ssize_t there;
  while ((there = pread(file->fd, buffer, length, 0)) < 0)
    if (errno != EINTR)
      return dc_fail_file(error, file->path, "read");
  if (there != (ssize_t)length || memcmp(buffer, header, length) != 0)
    return dc_fail(error, DC_CHECKPOINT, "%.800s: does not begin with its header", file->path);
  file->size = (off_t)length;
  for (long row = 0; row < rows;) {
    ssize_t got = pread(file->fd, buffer, sizeof buffer, file->size), used = 0;
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return dc_fail_file(error, file->path, "read");
    if (got == 0)
      return dc_fail(error, DC_CHECKPOINT, "%.800s: has %ld whole rows, the checkpoint was written after %ld",
                     file->path, row, rows);
    while (used < got && row < rows)
      row += buffer[used++] == '\n';
    file->size += used;
  }
  return DC_OK;
}

// header "" means that the rows begin at once.  DC_IO: no regular file; DC_CHECKPOINT: another header or too few
// rows.
enum dc_status dc_row_file_reopen(struct dc_row_file *file, const char *directory, const char *name, const char *header,
                                  long rows, struct dc_error *error)
{
  file->path = dc_path_join(directory, name);
  if (!file->path)
    return dc_out_of_memory_in(error, directory);
  file->fd = dc_open_append(dc_open_here, file->path, DC_MUST_EXIST);
  if (file->fd < 0 && errno == EINVAL)
    return dc_fail(error, DC_IO, "%.800s: is not a regular file", file->path);
  if (file->fd < 0)
    return dc_fail_file(error, file->path, "open");
  return find_rows(file, header, rows, error);
}

// Rows are durable after it; a torn row is cut off before.
enum dc_status dc_row_file_sync(struct dc_row_file *file, struct dc_error *error)
{
  enum dc_status status = dc_row_file_mend(file, error);
  int result = 0;
  while (!status && (result = fsync(file->fd)) < 0 && errno == EINTR)
    continue;
  return result < 0 ? dc_fail_file(error, file->path, "sync") : status;
}

// Syncs and closes; the first failure is reported, and the file is closed in any case.
enum dc_status dc_row_file_close(struct dc_row_file *file, struct dc_error *error)
{
  enum dc_status status = DC_OK;
  if (file->fd >= 0) {
    status = dc_row_file_sync(file, error);
    if (close(file->fd) < 0 && errno != EINTR && !status)
      status = dc_fail_file(error, file->path, "close");
  }
  free(file->path);
  *file = (struct dc_row_file){.fd = -1};
  return status;
}
