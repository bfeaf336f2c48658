// SPDX-License-Identifier: Apache-2.0
// Whether a new file may take the place of what a path names.
#ifndef DC_BASE_REPLACEABLE_H
#define DC_BASE_REPLACEABLE_H

#include "base/status.h"

// Outputs are made under a temporary name and renamed, which would put a regular file in the place of a FIFO, a socket
// or a device.  DC_IO where name in the open folder (AT_FDCWD: the working directory) is there and no regular file;
// path is for the message.
enum dc_status dc_check_replaceable(int folder, const char *name, const char *path, struct dc_error *error);

#endif
