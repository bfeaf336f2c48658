// SPDX-License-Identifier: Apache-2.0
// Runs work in a forked process, for libraries that exit or hang where they should fail: HDF5 1.10 when memory runs out
// and on some damaged files, Assimp on others.  Whatever becomes of the child is an error here, and nothing more.
#ifndef DC_BASE_CHILD_H
#define DC_BASE_CHILD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

// The work of the forked process.  It shares this process's memory, copied on write, but no open files beyond the
// standard ones, and no threads: no OpenMP.  *bytes [*size] is the result, allocated by malloc, or NULL with size 0.
typedef enum dc_status dc_child_work(void *context, char **bytes, size_t *size, struct dc_error *error);

// Runs work in a child process and copies its result into *bytes, to be released with free().  Status and message are
// those of work.  Signals reach this process while it waits; the child ends with it.  DC_MEMORY also when there is no
// memory for the process or for the copy, and when the child ends without an answer; the message then says how it
// ended.  A child that uses more than `seconds` of processor time, or ten times as long by the clock, is ended (0: no
// limits).
enum dc_status dc_child_run(dc_child_work *work, void *context, unsigned seconds, char **bytes, size_t *size,
                            struct dc_error *error);

// Limits of the child's processor time, s, and of the memory, MB, that it may use beyond this process's; 0: no limit.
struct dc_child_limits {
  unsigned seconds, megabytes;
  bool wary;  // the input may break the library: as dc_child_run_wary
};
enum dc_status dc_child_run_within(const struct dc_child_limits *limits, dc_child_work *work, void *context,
                                   char **bytes, size_t *size, struct dc_error *error);

// Does the same for input on which a library may crash: the child's output is discarded, it leaves no core file, and it
// may use `megabytes` more memory than the process has now.  Without an answer: DC_BAD_INPUT, and the message says how
// it ended.
enum dc_status dc_child_run_wary(dc_child_work *work, void *context, unsigned seconds, unsigned megabytes, char **bytes,
                                 size_t *size, struct dc_error *error);

#endif
