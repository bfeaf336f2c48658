// SPDX-License-Identifier: Apache-2.0
// Paths of two triangles.  Private to src/contact/near.
#ifndef DC_CONTACT_TRIANGLE_PATH_H
#define DC_CONTACT_TRIANGLE_PATH_H

#include "contact/common/contact_internal.h"

// Part of the gap that a step may not use up.  Whoever asks to keep less asks whether a whole path is clear: surfaces
// only must not meet on it, and more is tried to show it.
#define DC_KEPT_GAP 0.1

static inline bool dc_whole_path(double keep)
{
  return keep < DC_KEPT_GAP;
}

static inline int dc_most_advances(double keep)
{
  return dc_whole_path(keep) ? 300 : 48;
}

// The part of the path, at most `safe`, that triangles i and j may go until their gap could fall to `keep` times
// pair_gap, m.  Here pair_gap is the gap of the bodies; the triangles' own gap counts instead where it is smaller.
// plane: the normal of a plane that once separated them, in the frame of b, or NULL.
double dc_triangles_fraction(const double *plane, const struct dc_collider *a, int i, struct dc_motion *motion_a,
                             const struct dc_collider *b, int j, struct dc_motion *motion_b, double keep,
                             double pair_gap, double safe);

#endif
