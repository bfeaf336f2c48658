// SPDX-License-Identifier: Apache-2.0
// Translations that part bodies which overlap.
#ifndef DC_CONTACT_PARTING_H
#define DC_CONTACT_PARTING_H

#include "contact/contact.h"

// A short translation of body a of a pair, relative to body b, that leaves their parts with the deepest overlap at
// least `margin` apart, m.  It lies in the span of the axes [axis_count] (unit vectors, perpendicular to each other).
// Parts are the connected parts of surfaces, taken as convex, so that the translation is long enough and not always the
// shortest.  poses: those of the last dc_contact_overlaps.  DC_INFEASIBLE: none along these axes; DC_MEMORY.
enum dc_status dc_contact_parting(const struct dc_contact *contact, const struct dc_pose *poses, int pair,
                                  int axis_count, const double (*axes)[3], double margin, double move[3]);

#endif
