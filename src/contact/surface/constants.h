// SPDX-License-Identifier: Apache-2.0
// Values of contact between surfaces of soft bodies (surface.c, surface_motion.c).
#ifndef DC_CONTACT_SURFACE_CONSTANTS_H
#define DC_CONTACT_SURFACE_CONSTANTS_H

// Search for what is near
// A search of a surface for itself looks so many times as far as the barrier reaches, and is good until the surface has
// moved by what it looked further.  Larger values search less often and list more pairs each time.
static const double DC_SURFACE_SEARCH_REACH = 4;
// Rounding of a distance, relative to it: a list is renewed that much earlier than its bound says.
static const double DC_SURFACE_ROUNDED = 1e-12;
// eps_x of the mollifier over |e|^2 |f|^2 of two edges at rest (Li et al. 2020, Eq. 24): below it edges count as nearly
// parallel, and their energy fades with the angle.
static const double DC_SURFACE_MOLLIFIED = 1e-3;

// Motions
// Part of a gap that one iteration of a step leaves: n iterations close a gap to this power n at most.
static const double DC_SURFACE_KEPT_GAP = 0.1;
// The same for a motion that is only asked whether surfaces meet.
static const double DC_SURFACE_CLEAR_GAP = 1e-9;
// An advance ends where the gap has come within this factor of what is to be kept: the rest would take many advances.
static const double DC_SURFACE_CLOSED = 1.01;
// Rounding of boxes, over the places that they bound.
static const double DC_SURFACE_BOX_SLACK = 1e-12;
// Most advances of one pair of features along a motion.  An iteration that runs out of them has a shorter step, a
// certificate divides a step that was clear: therefore it has more.
enum { DC_SURFACE_ADVANCES = 64, DC_SURFACE_CLEAR_ADVANCES = 300 };

#endif
