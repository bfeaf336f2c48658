// SPDX-License-Identifier: Apache-2.0
// Memory mapped to a file.  A file that is created gets its disk blocks at once (posix_fallocate), so that a full disk
// is an error of the creation; one that is opened is mapped privately and stays as it is on the disk.
#include "base/mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

// Maps the beginning of a file for reading and writing; flags say whether writing reaches the file.
static enum dc_status map(int fd, size_t size, int flags, struct dc_mapped_file *file)
{
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);
  if (memory == MAP_FAILED)
    return DC_IO;
  *file = (struct dc_mapped_file){.bytes = memory, .size = size};
  return DC_OK;
}

// posix_fallocate returns its error instead of setting errno, and may be interrupted before it has done anything.
enum dc_status dc_mapped_file_create(int fd, size_t size, struct dc_mapped_file *file)
{
  int failure;
  do
    failure = posix_fallocate(fd, 0, (off_t)size);
  while (failure == EINTR);
  *file = (struct dc_mapped_file){0};
  if (failure) {
    errno = failure;
    return DC_IO;
  }
  return map(fd, size, MAP_SHARED, file);
}

// Private pages are copied when they are written; no swap space is set aside for copies that are rarely made.
enum dc_status dc_mapped_file_open(int fd, size_t size, struct dc_mapped_file *file)
{
  *file = (struct dc_mapped_file){0};
  return map(fd, size, MAP_PRIVATE | MAP_NORESERVE, file);
}

void dc_mapped_file_destroy(struct dc_mapped_file *file)
{
  if (file->bytes)
    munmap(file->bytes, file->size);
  *file = (struct dc_mapped_file){0};
}

// Pages of a shared mapping belong to the file, so that dropping them loses nothing.
void dc_mapped_file_release(const struct dc_mapped_file *file)
{
  if (file->bytes)
    madvise(file->bytes, file->size, MADV_DONTNEED);
}
