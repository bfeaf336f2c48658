// SPDX-License-Identifier: Apache-2.0
// The first 512 bytes of trajectory.h5 and checkpoint.bin: a text with format, size and hash of what follows, by which
// a damaged file is recognized before anything looks into it.  Private to src/io.
#ifndef DC_IO_SEAL_H
#define DC_IO_SEAL_H

#include <stddef.h>

#include "base/mapped_file.h"

enum { DC_SEAL_SIZE = 512 };                    // the smallest user block of HDF5
#define DC_SEALED_MOST_BYTES ((size_t)8 << 30)  // of a file

// Seals image [size]: writes its first DC_SEAL_SIZE bytes, which are free for that.  format is one line.
void dc_seal(const char *format, char *image, size_t size);

// The same of the first size bytes of a mapped file, whose pages it releases on the way.
void dc_seal_mapped(const char *format, const struct dc_mapped_file *file, size_t size);

// Maps path, at most 8 GiB, as dc_mapped_file_open does, after its bytes were checked.  Errors as below.
enum dc_status dc_sealed_file_map(const char *path, const char *format, struct dc_mapped_file *file,
                                  struct dc_error *error);

// Reads path, at most 8 GiB, into *image [*size], released with free().  DC_IO when it cannot be read, DC_CHECKPOINT
// when it is not of this format or not what was sealed, DC_MEMORY.
enum dc_status dc_sealed_file_read(const char *path, const char *format, char **image, size_t *size,
                                   struct dc_error *error);

#endif
