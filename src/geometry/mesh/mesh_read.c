// SPDX-License-Identifier: Apache-2.0
// Opening mesh files safely, and which parser reads them.
#include "geometry/mesh/mesh_read.h"
#include "geometry/mesh/mesh_assimp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/open.h"

// Leaves room for the reason in a message.
#define PATH_FORMAT "%.700s"

// Whether a file is the pointer that Git LFS leaves in place of a large file that was not fetched (its first line).
static bool is_pointer(const struct dc_mesh_file *file)
{
  static const char line[] = "version https://git-lfs.github.com/spec/";
  return file->size >= sizeof line - 1 && memcmp(file->bytes, line, sizeof line - 1) == 0;
}

enum dc_status dc_mesh_parse(const struct dc_mesh_file *file, struct dc_arena *arena, struct dc_mesh *mesh,
                             struct dc_error *error)
{
  *mesh = (struct dc_mesh){0};
  if (file->size == 0)
    return dc_fail(error, DC_BAD_INPUT, PATH_FORMAT ": the file is empty", file->name);
  if (is_pointer(file))
    return dc_fail(error, DC_BAD_INPUT,
                   PATH_FORMAT ": is not the mesh but a pointer of Git LFS to it: run git lfs pull", file->name);
  if (dc_mesh_is_foreign(file->name))
    return dc_mesh_parse_foreign(file, arena, mesh, error);
  return dc_mesh_is_stl(file) ? dc_mesh_parse_stl(file, arena, mesh, error)
                              : dc_mesh_parse_obj(file, arena, mesh, error);
}

// Opens a mesh file, never waiting for another process.
static enum dc_status open_regular(const char *path, struct dc_opened *file, struct dc_error *error)
{
  switch (dc_open_read(dc_open_here, path, DC_LINKS_FOLLOWED, DC_MESH_FILE_BYTES_MAX, file)) {
    case DC_OPEN_FAILED:
      return dc_fail(error, dc_status_of_open(errno), PATH_FORMAT ": cannot be opened: %s", path, strerror(errno));
    case DC_OPEN_SPECIAL: return dc_fail(error, DC_BAD_INPUT, PATH_FORMAT ": is %s, not a mesh file", path, file->kind);
    case DC_OPEN_LARGE:
      return dc_fail(error, DC_BAD_INPUT, PATH_FORMAT ": must be at most %d bytes (is %zu)", path,
                     DC_MESH_FILE_BYTES_MAX, file->size);
    case DC_OPENED: break;
  }
  return DC_OK;
}

// Reads exactly size bytes.
static enum dc_status read_bytes(const char *path, int descriptor, char *bytes, size_t size, struct dc_error *error)
{
  for (size_t done = 0; done < size;) {
    ssize_t count = read(descriptor, bytes + done, size - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return dc_fail(error, DC_IO, PATH_FORMAT ": cannot be read: %s", path, strerror(errno));
    if (count == 0)
      return dc_fail(error, DC_BAD_INPUT, PATH_FORMAT ": ended after %zu of %zu bytes", path, done, size);
    done += (size_t)count;
  }
  return DC_OK;
}

// bytes: the caller frees them, even after a failure.  A zero follows the last byte, on which scanners of text rely.
enum dc_status dc_mesh_load(const char *path, char **bytes, size_t *size, struct dc_error *error)
{
  struct dc_opened file;
  *bytes = NULL;
  enum dc_status status = open_regular(path, &file, error);
  if (status)
    return status;
  *size = file.size;
  *bytes = dc_alloc(*size + 1, 1);
  status = *bytes ? read_bytes(path, file.fd, *bytes, *size, error)
                  : dc_fail(error, DC_MEMORY, PATH_FORMAT ": out of memory for %zu bytes", path, *size);
  close(file.fd);
  return status;
}

enum dc_status dc_mesh_read(const char *path, struct dc_arena *arena, struct dc_mesh *mesh, struct dc_error *error)
{
  size_t size = 0;
  char *bytes;
  *mesh = (struct dc_mesh){0};
  enum dc_status status = dc_mesh_load(path, &bytes, &size, error);
  if (!status)
    status = dc_mesh_parse(&(struct dc_mesh_file){.name = path, .bytes = bytes, .size = size, .in_folder = true}, arena,
                           mesh, error);
  if (status)
    *mesh = (struct dc_mesh){0};
  free(bytes);
  return status;
}
