// SPDX-License-Identifier: Apache-2.0
// Memory that is backed by a file: large arrays that are used piece by piece live on the disk, and the system keeps as
// much of them in memory as there is room for.
#ifndef DC_BASE_MAPPED_FILE_H
#define DC_BASE_MAPPED_FILE_H

#include <stddef.h>

#include "base/status.h"

struct dc_mapped_file {
  char *bytes;  // page-aligned; NULL: nothing is mapped
  size_t size;
};

// Maps the first size > 0 bytes of a file that is open for reading and writing; the descriptor may be closed
// afterwards.  Disk blocks are allocated at once, and zeroed where the file was shorter, so that a full disk is found
// here and not by a signal at a later write.  Forked processes share the memory.  DC_IO with errno.
enum dc_status dc_mapped_file_create(int fd, size_t size, struct dc_mapped_file *file);
// Maps a file of size > 0 that is open for reading.  Changes of the memory do not reach the file; releasing loses them.
enum dc_status dc_mapped_file_open(int fd, size_t size, struct dc_mapped_file *file);
void dc_mapped_file_destroy(struct dc_mapped_file *file);

// Takes the pages out of this process's memory; their contents stay in the file.  Does nothing when nothing is mapped.
void dc_mapped_file_release(const struct dc_mapped_file *file);

#endif
