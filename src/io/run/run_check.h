// SPDX-License-Identifier: Apache-2.0
// Runs of others.
#ifndef DC_IO_RUN_CHECK_H
#define DC_IO_RUN_CHECK_H

#include <stdbool.h>

#include "base/status.h"

// Whether another user owns the directory.
bool dc_run_is_foreign(const char *directory);

// Whether a folder has a member that every run has.  Where a link of that name leads does not matter here.
bool dc_run_looks_like_run(const char *directory);

// DC_IO where a link in the run leads out of it; where the run is not trusted, or another user owns it, where there is
// any link.  Something that is no directory is left to whoever opens it.
enum dc_status dc_run_check(const char *directory, bool trusted, struct dc_error *error);

#endif
