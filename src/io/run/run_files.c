// SPDX-License-Identifier: Apache-2.0
// A file is written to a temporary name in its directory, synced, renamed to its own name, and the directory is synced:
// whoever looks sees the file before or the file after, also when the machine stops in between.  Temporary names are
// ".tmp-PROCESS-ATTEMPT", by which those of a killed process are found and removed (dc_directory_sweep).  An
// interrupted system call (EINTR) is repeated everywhere.
#include "io/run/run_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/open.h"
#include "base/replaceable.h"

// ".tmp-PROCESS-ATTEMPT" of temporary files
#define TEMPORARY_NAME ".tmp-%ld-%d"

// Released with free(); NULL when memory is out.
char *dc_path_join(const char *directory, const char *name)
{
  char *path;  // undefined after a failure
  return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

// The reason is errno's, which must not have changed since the call that failed.
enum dc_status dc_fail_file(struct dc_error *error, const char *path, const char *what)
{
  return dc_fail(error, DC_IO, "%.800s: cannot %s: %s", path, what, strerror(errno));
}

// A write may be short where a signal or a full disk ends it; the rest is tried again.  A write of 0 bytes is a
// failure, as it would repeat for ever.
enum dc_status dc_write_all(int fd, const char *path, const void *bytes, size_t size, struct dc_error *error)
{
  const char *from = bytes;
  while (size) {
    ssize_t written = write(fd, from, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return dc_fail_file(error, path, "write");
    from += written;
    size -= (size_t)written;
  }
  return DC_OK;
}

// Returns 0, or -1 with errno, as fsync does.
static int sync_fd(int fd)
{
  int result;
  do
    result = fsync(fd);
  while (result < 0 && errno == EINTR);
  return result;
}

// Makes renames in a folder durable.  folder: opened with O_PATH, which cannot be synced, so that it is opened
// once more; directory is for messages.
static enum dc_status sync_folder(int folder, const char *directory, struct dc_error *error)
{
  int fd = dc_open_listing(folder, ".", true);
  if (fd < 0)
    return dc_fail_file(error, directory, "open");
  enum dc_status status = DC_OK;
  // Some network file systems have no fsync for directories; their renames are durable when they return.
  if (sync_fd(fd) < 0 && errno != EINVAL && errno != ENOTSUP)
    status = dc_fail_file(error, directory, "sync");
  close(fd);
  return status;
}

int dc_directory_open(const char *directory)
{
  return dc_open_folder(dc_open_here, directory, true);
}

// Makes names in a directory durable: a file that was synced may still be without its name after a power failure.
enum dc_status dc_directory_sync(const char *directory, struct dc_error *error)
{
  int folder = dc_directory_open(directory);
  if (folder < 0)
    return dc_fail_file(error, directory, "open");
  enum dc_status status = sync_folder(folder, directory, error);
  close(folder);
  return status;
}

// The whole name must match, so that a file of the user's with a similar beginning is never removed.
bool dc_file_is_temporary(const char *name)
{
  long process;
  int attempt, length = -1;
  return sscanf(name, TEMPORARY_NAME "%n", &process, &attempt, &length) == 2 && length >= 0 && name[length] == '\0';
}

// Removes temporary files that a killed process left.  The caller holds the lock of the run, so that no living
// process of ours has any there.
void dc_directory_sweep(const char *directory)
{
  int listing = dc_open_listing(dc_open_here, directory, false);
  DIR *stream = listing < 0 ? NULL : fdopendir(listing);
  if (!stream) {
    if (listing >= 0)
      close(listing);
    return;
  }
  for (const struct dirent *entry; (entry = readdir(stream));)
    if (dc_file_is_temporary(entry->d_name))
      unlinkat(dirfd(stream), entry->d_name, 0);
  closedir(stream);
}

// Directory part of path ("." without a slash), released with free().
static char *directory_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  if (!slash)
    return strdup(".");
  return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

// Opens a new file in folder under a name that is not in use.  The name does not contain the final one, which
// may be as long as the file system allows.  dc_open_new never opens a file that exists, so that a link placed
// there beforehand is not followed.
static int open_temporary(int folder, char name[DC_TEMPORARY_SIZE])
{
  for (int attempt = 0; attempt < 1000; attempt++) {
    snprintf(name, DC_TEMPORARY_SIZE, TEMPORARY_NAME, (long)getpid(), attempt);
    int fd = dc_open_new(folder, name);
    if (fd >= 0 || (errno != EEXIST && errno != EINTR))
      return fd;
  }
  return -1;
}

// The new file is open for writing in file->fd; it must be ended by dc_new_file_end, also after a failure.
enum dc_status dc_new_file_begin(int folder, const char *path, struct dc_new_file *file, struct dc_error *error)
{
  file->folder = folder;
  file->fd = open_temporary(folder, file->temporary);
  return file->fd < 0 ? dc_fail_file(error, path, "create") : DC_OK;
}

// Ends a new file: sync, then rename over the old one, so that at every moment one of them is complete.  After a
// failure the temporary file is removed.
enum dc_status dc_new_file_end(struct dc_new_file *file, const char *name, const char *path, enum dc_status status,
                               struct dc_error *error)
{
  if (!status && sync_fd(file->fd) < 0)
    status = dc_fail_file(error, path, "sync");
  if (close(file->fd) < 0 && errno != EINTR && !status)
    status = dc_fail_file(error, path, "close");
  if (!status)
    status = dc_check_replaceable(file->folder, name, path, error);
  if (!status && renameat(file->folder, file->temporary, file->folder, name) < 0)
    status = dc_fail_file(error, path, "rename to it");
  if (status) {
    unlinkat(file->folder, file->temporary, 0);
    return status;
  }
  return sync_folder(file->folder, path, error);
}

// Writes a file as a whole: temporary file, sync, rename, sync of the folder.  Whether the name may be replaced
// (a regular file, no link or folder) is asked before any work and again before the rename.
enum dc_status dc_file_write_at(int folder, const char *name, const char *path, const void *bytes, size_t size,
                                struct dc_error *error)
{
  struct dc_new_file file;
  enum dc_status status = dc_check_replaceable(folder, name, path, error);
  if (!status)
    status = dc_new_file_begin(folder, path, &file, error);
  if (status)
    return status;
  status = dc_write_all(file.fd, path, bytes, size, error);
  return dc_new_file_end(&file, name, path, status, error);
}

// DC_IO with the path and the system's reason; the file that had the name is then as before.
enum dc_status dc_file_write(const char *path, const void *bytes, size_t size, struct dc_error *error)
{
  const char *slash = strrchr(path, '/');
  char *directory = directory_of(path);
  if (!directory)
    return dc_out_of_memory_in(error, path);
  int folder = dc_directory_open(directory);
  free(directory);
  if (folder < 0)
    return dc_fail_file(error, path, "create");
  enum dc_status status = dc_file_write_at(folder, slash ? slash + 1 : path, path, bytes, size, error);
  close(folder);
  return status;
}

// Reads until the end of the file or capacity; a file that shrinks meanwhile is read as it is.
// The buffer has one more byte for a NUL, so that texts can be used as strings.  It is the caller's, released with
// free().
static enum dc_status read_open_file(int fd, const char *path, size_t capacity, char **bytes, size_t *size,
                                     struct dc_error *error)
{
  size_t length = 0;
  char *buffer = malloc(capacity + 1);
  if (!buffer)
    return dc_out_of_memory_in(error, path);
  while (length < capacity) {
    ssize_t got = read(fd, buffer + length, capacity - length);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0) {
      free(buffer);
      return dc_fail_file(error, path, "read");
    }
    if (got == 0)
      break;
    length += (size_t)got;
  }
  buffer[length] = '\0';
  *bytes = buffer;
  *size = length;
  return DC_OK;
}

// Opens a regular file of at most `limit` bytes for reading; a pipe or a device would block or never end.
enum dc_status dc_file_open(const char *path, size_t limit, int *fd, size_t *size, struct dc_error *error)
{
  struct dc_opened file;
  enum dc_open_result result = dc_open_read(dc_open_here, path, DC_LINKS_FOLLOWED, limit, &file);
  *fd = file.fd;
  switch (result) {
    case DC_OPEN_FAILED: return dc_fail_file(error, path, "open");
    case DC_OPEN_SPECIAL: return dc_fail(error, DC_IO, "%.800s: is not a regular file", path);
    case DC_OPEN_LARGE:
      return dc_fail(error, DC_MEMORY, "%.800s: has %zu bytes, the limit is %zu", path, file.size, limit);
    case DC_OPENED: *size = file.size; break;
  }
  return DC_OK;
}

// DC_MEMORY: the file is larger than the limit, or memory is out; DC_IO: it cannot be read.  *bytes is NULL on
// failure.
enum dc_status dc_file_read(const char *path, size_t limit, char **bytes, size_t *size, struct dc_error *error)
{
  int fd;
  size_t capacity;
  *bytes = NULL;
  *size = 0;
  enum dc_status status = dc_file_open(path, limit, &fd, &capacity, error);
  if (status)
    return status;
  status = read_open_file(fd, path, capacity, bytes, size, error);
  close(fd);
  return status;
}

// Compares a file with bytes; a file that is not there or has another size is not read.
enum dc_status dc_file_compare(const char *path, const void *bytes, size_t size, bool *same, struct dc_error *error)
{
  struct stat info;
  char *there;
  size_t there_size;
  *same = false;
  if (stat(path, &info) < 0)
    return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? DC_OK : dc_fail_file(error, path, "read");
  if (!S_ISREG(info.st_mode) || (unsigned long long)info.st_size != size)
    return DC_OK;
  enum dc_status status = dc_file_read(path, size, &there, &there_size, error);
  if (status)
    return status;
  *same = there_size == size && memcmp(there, bytes, size) == 0;
  free(there);
  return DC_OK;
}

// Makes a new directory durable, as far as its parent may be read.
static void sync_parent(const char *path)
{
  char *parent = directory_of(path);
  if (parent)
    dc_directory_sync(parent, NULL);
  free(parent);
}

// Makes a directory and those above it; *created counts them, so that a failed run removes its own only.  mkdir
// may fail with EROFS or EACCES for a directory that is there: the reason counts only if it is not.
enum dc_status dc_directory_create(const char *path, int *created, struct dc_error *error)
{
  *created = 0;
  char *prefix = strdup(path);
  if (!prefix)
    return dc_out_of_memory_in(error, path);
  enum dc_status status = DC_OK;
  for (char *end = prefix; *end && !status;) {
    end += strspn(end, "/");
    end += strcspn(end, "/");
    char saved = *end;
    *end = '\0';
    if (dc_make_folder(dc_open_here, prefix) == 0) {
      (*created)++;
      sync_parent(prefix);
    } else {
      int reason = errno;  // may be EROFS or EACCES although the directory is there
      struct stat info;
      bool exists = stat(prefix, &info) == 0;
      errno = exists ? ENOTDIR : reason;
      if (!exists || !S_ISDIR(info.st_mode))
        status = dc_fail_file(error, prefix, "make the directory");
    }
    *end = saved;
    end += strspn(end, "/");
  }
  free(prefix);
  return status;
}

// Makes a folder in a directory, or accepts the one that is there; a link to a folder is refused, as what is
// written there would land elsewhere.
enum dc_status dc_directory_create_in(const char *directory, const char *name, struct dc_error *error)
{
  struct stat info;
  char *path = dc_path_join(directory, name);
  if (!path)
    return dc_out_of_memory_in(error, directory);
  enum dc_status status = DC_OK;
  if (dc_make_folder(dc_open_here, path) == 0)
    sync_parent(path);
  else if (errno != EEXIST || lstat(path, &info) < 0)
    status = dc_fail_file(error, path, "make the directory");
  else if (!S_ISDIR(info.st_mode))
    status = dc_fail(error, DC_IO, "%.800s: is %s, no directory: nothing is written there", path,
                     S_ISLNK(info.st_mode) ? "a link" : "a file");
  free(path);
  return status;
}

// Removes the lowest `created` directories of a path, from below, as long as they are empty.
void dc_directory_remove(const char *path, int created)
{
  char *prefix = strdup(path);
  for (; prefix && created > 0 && rmdir(prefix) == 0; created--) {
    char *parent = directory_of(prefix);
    free(prefix);
    prefix = parent;
  }
  free(prefix);
}
