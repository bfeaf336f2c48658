// SPDX-License-Identifier: Apache-2.0
// Work in a forked process, for libraries that end or never return where they should fail: HDF5 1.10 does when memory
// runs out and on some damaged files, Assimp on others.  What becomes of the process is then an error here, and nothing
// more.
#ifndef DC_BASE_CHILD_H
#define DC_BASE_CHILD_H

#include <stddef.h>

#include "base/status.h"

// Done in the forked process, which has the memory of this one, but none of its open files beyond the standard ones,
// and no threads: no OpenMP.  *bytes [*size] is the result, allocated by malloc, or NULL with size 0.
typedef enum dc_status dc_child_work(void *context, char **bytes, size_t *size, struct dc_error *error);

// Runs work in a process of its own and copies what it made into *bytes, released with free().  The status and message
// are those of work.  DC_MEMORY also when there is no memory for the process or for the copy, and when the process ends
// without an answer or uses more than seconds of processor time (0: no limit): the message then says how it ended.
// Signals wait until the end.
enum dc_status dc_child_run(dc_child_work *work, void *context, unsigned seconds, char **bytes, size_t *size,
                            struct dc_error *error);

// The same for work on input that a library may break down over: what it prints is lost, it leaves no core file, and
// gets megabytes of memory more than the process has now.  Without an answer DC_BAD_INPUT, and the message says how it
// ended.
enum dc_status dc_child_run_wary(dc_child_work *work, void *context, unsigned seconds, unsigned megabytes, char **bytes,
                                 size_t *size, struct dc_error *error);

#endif
