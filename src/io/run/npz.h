// SPDX-License-Identifier: Apache-2.0
// NPZ files: arrays of NumPy, each as NAME.npy in a ZIP archive without compression; other entries make other archives.
#ifndef DC_IO_NPZ_H
#define DC_IO_NPZ_H

#include "base/status.h"
#include "io/json/json_text.h"

// An archive being made in memory; zero-initialized.  What fails is remembered and reported by dc_npz_write.
struct dc_npz {
  struct dc_text archive, directory;
  size_t entries;
};

// Adds an array of 64-bit numbers (dtype <f8); shape [dimensions], values in C order.
void dc_npz_put_reals(struct dc_npz *npz, const char *name, int dimensions, const size_t *shape, const double *values);
// Adds an array [count] of texts (dtype <U...), UTF-8 here.
void dc_npz_put_texts(struct dc_npz *npz, const char *name, size_t count, const char *const *texts);

// Adds an entry of other bytes under its whole name.
void dc_npz_put_bytes(struct dc_npz *npz, const char *name, const void *bytes, size_t size);

// Writes the file (as dc_file_write does) and releases the archive in any case.  The same arrays give the same bytes.
// DC_IO; DC_MEMORY, also for more than 4 GiB or 65535 arrays, which would need another kind of archive.
enum dc_status dc_npz_write(struct dc_npz *npz, const char *path, struct dc_error *error);
void dc_npz_free(struct dc_npz *npz);

#endif
