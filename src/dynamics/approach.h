// SPDX-License-Identifier: Apache-2.0
// Two bodies brought together along a line: one is shifted, without turning, and the contact of the pair evaluated.
// The workspace is borrowed from whoever holds the contact.
#ifndef DC_DYNAMICS_APPROACH_H
#define DC_DYNAMICS_APPROACH_H

#include "contact/contact.h"

struct dc_approach {
  struct dc_contact *contact;
  struct dc_pose *poses;              // [bodies] only those of the pair are read
  struct dc_pair_derivatives *pairs;  // [pair_count] of the last evaluation, of order 1
  int pair, body;                     // the pair, and which of its bodies is shifted
  double at;                          // shift of the last evaluation, m
  double direction[3], start[3];      // unit vector that leads away from the other body; place without a shift, m
};

// Shifts the body by s (m) along the direction and evaluates the pair; whether the two then touch or overlap.
bool dc_approach_meets(struct dc_approach *approach, double s);

// The shift at which they touch to a hundredth of `gap` (m), as far as evaluations at about that gap tell: one of them
// where what meets is flat.  From a place at which they do not, whose pair has been evaluated.  NAN when they do
// not meet within a thousand times `size` (m) of the smaller body.
double dc_approach_estimate(struct dc_approach *approach, double size, double gap);

// The same to `precision` (m), from a place at which they do not, whose pair has been evaluated.
// NAN when they do not meet within a thousand times `size` (m) of the smaller body.
double dc_approach_touching(struct dc_approach *approach, double size, double precision);

#endif
