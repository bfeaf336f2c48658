// SPDX-License-Identifier: Apache-2.0
// Finds which bodies of a mechanism can meet, by sampling the positions that its joints allow.
#ifndef DC_BODY_MEETING_H
#define DC_BODY_MEETING_H

#include <stdint.h>

#include "body/body.h"
#include "body/coupling.h"

struct dc_meeting_sample {
  int coupling_count;
  const struct dc_coupling *couplings;
  int samples;    // number of positions tried
  double margin;  // gap below which bodies count as meeting, relative to the sum of their radii
  uint64_t seed;
};

// Draws positions of all slides and hinges uniformly within their ranges; without a range, within one turn or the sum
// of the bodies' radii to both sides.  Followers go where their leaders lead them; all other coordinates stay at the
// start.  Sets meet [pair_count] where the convex parts of pairs [pair_count][2] came together.  Bodies that are no
// unions of convex parts always count.  A sample proves nothing about positions between.  DC_OK or DC_MEMORY.
enum dc_status dc_bodies_sample_meetings(const struct dc_bodies *bodies, const struct dc_meeting_sample *sample,
                                         int pair_count, const int (*pairs)[2], bool *meet, struct dc_error *error);

#endif
