// SPDX-License-Identifier: Apache-2.0
// Pins of soft bodies at one state, for the step and for the prediction of second order (terms_pin.c,
// prediction_pins.c). Private to src/dynamics.
#ifndef DC_DYNAMICS_PINS_H
#define DC_DYNAMICS_PINS_H

#include "dynamics/step.h"

// A pin with the arm a of its place in the axes of the world, from the origin p of the frame that holds it (0 in the
// world), and d = x - p - a of its node.
struct dc_pinned {
  const struct dc_soft *soft;
  const struct dc_pin *pin;
  double a[3], d[3];
  int s, p;  // where the next pin is looked for
};

// The next pin of all soft bodies, at poses [bodies] and coordinates q [nq]; *pinned begins as zeros.  false: no more.
bool dc_next_pin(const struct dc_bodies *bodies, const struct dc_pose *poses, const double *q,
                 struct dc_pinned *pinned);
// Adds a force that acts on the frame at the pin's place, times scale, to wrenches [bodies].
void dc_pin_add_wrench(const struct dc_pinned *pinned, double scale, const double force[3], double (*wrenches)[6]);
// The velocity of the pin's place under twists [bodies] of frames.
void dc_pin_rate(const struct dc_pinned *pinned, const double (*twists)[6], double rate[3]);
// Adds the Hessian of k |d|^2/2 by the twist of the frame, with y for k d in its second part; NULL: without that part,
// which makes it positive semidefinite.
void dc_pin_add_block(const struct dc_pinned *pinned, double k, const double *y, double block[36]);

#endif
