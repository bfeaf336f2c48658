// SPDX-License-Identifier: Apache-2.0
// Memory that is a file: what is large and used piece by piece lives on the disk, and the system keeps as much of it in
// memory as there is room for.
#ifndef DC_BASE_MAPPED_FILE_H
#define DC_BASE_MAPPED_FILE_H

#include <stddef.h>

#include "base/status.h"

struct dc_mapped_file {
  char *bytes;  // page-aligned; NULL: nothing is mapped
  size_t size;
};

// Maps the first size > 0 bytes of a file that is open for reading and writing; the descriptor may be closed
// afterwards.  The disk's blocks are taken at once, zeroed where the file was shorter: a full disk is found here, not
// by a signal when the memory is written to.  Forked processes share it.  DC_IO with errno.
enum dc_status dc_mapped_file_create(int fd, size_t size, struct dc_mapped_file *file);
// Maps a file of size > 0 that is open for reading.  What is written to the memory does not reach the file, and is lost
// by releasing it.
enum dc_status dc_mapped_file_open(int fd, size_t size, struct dc_mapped_file *file);
void dc_mapped_file_destroy(struct dc_mapped_file *file);

// Takes the pages out of this process's memory; what they hold stays.  Does nothing when nothing is mapped.
void dc_mapped_file_release(const struct dc_mapped_file *file);

#endif
