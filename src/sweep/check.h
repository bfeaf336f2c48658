// SPDX-License-Identifier: Apache-2.0
// Checks that every point's scene opens, before anything runs.
#ifndef DC_SWEEP_CHECK_H
#define DC_SWEEP_CHECK_H

#include <dcsim.h>

#include "sweep/process.h"

// A process's share of the points: those with point % tasks == task % tasks.
struct dc_share {
  int task, tasks;
};
static inline bool dc_share_has(const struct dc_share *share, long point)
{
  return point % share->tasks == share->task % share->tasks;
}

// Hash of the scene of a point and of the files that it names.
enum dc_status dc_sweep_hash_scene(const struct dc_study *study, long point, uint64_t *hash, struct dc_error *error);

// Opens the scenes of a share in `jobs` processes.  Returns status and message of the first point whose scene does not
// open, with its number and values.  stop is polled; a result other than 0 ends the check with DC_STOPPED.
enum dc_status dc_sweep_check(const struct dc_sweep_place *place, const struct dc_share *share, int jobs,
                              int (*stop)(void *context), void *context, struct dc_error *error);

#endif
