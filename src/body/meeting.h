// SPDX-License-Identifier: Apache-2.0
// Which bodies of a mechanism can meet: a sample of the positions that its joints allow.
#ifndef DC_BODY_MEETING_H
#define DC_BODY_MEETING_H

#include <stdint.h>

#include "body/body.h"
#include "body/coupling.h"

struct dc_meeting_sample {
  int coupling_count;
  const struct dc_coupling *couplings;
  int samples;    // positions that are tried
  double margin;  // of the sum of their radii: bodies that come so close count as meeting
  uint64_t seed;
};

// Draws positions of all slides and hinges evenly within their ranges (without range a turn, or the sum of the bodies'
// radii to both sides), followers where their leaders lead them, all else as at the start, and looks at the convex
// parts of the bodies' shapes.  Sets meet [pair_count] where pairs [pair_count][2] came together; bodies that are no
// unions of convex parts always count.  A sample proves nothing of what lies between.  DC_OK or DC_MEMORY.
enum dc_status dc_bodies_sample_meetings(const struct dc_bodies *bodies, const struct dc_meeting_sample *sample,
                                         int pair_count, const int (*pairs)[2], bool *meet, struct dc_error *error);

#endif
