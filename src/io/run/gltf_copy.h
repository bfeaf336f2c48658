// SPDX-License-Identifier: Apache-2.0
// Mesh files of glTF that hold all that they need.
#ifndef DC_IO_RUN_GLTF_COPY_H
#define DC_IO_RUN_GLTF_COPY_H

#include <stddef.h>

#include "base/status.h"

// Puts the buffers that a glTF text names beside path into the text itself: *bytes [*size], released with free(), is
// replaced.  Does nothing for other files, by their names, and where all buffers are inside already.  limit: most
// bytes of the result (DC_BAD_INPUT).
enum dc_status dc_gltf_take_in(const char *path, size_t limit, char **bytes, size_t *size, struct dc_error *error);

#endif
