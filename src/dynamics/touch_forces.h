// SPDX-License-Identifier: Apache-2.0
// Places and forces of the vertices of a touch of surfaces, in the coordinates of their bodies.  Private to
// src/dynamics.
#ifndef DC_DYNAMICS_TOUCH_FORCES_H
#define DC_DYNAMICS_TOUCH_FORCES_H

#include "dynamics/step.h"

// Adds forces [4][3] on the vertices of a touch, with arms [4][3].
void dc_touch_add_forces(const struct dc_bodies *bodies, const struct dc_touch *touch, const double (*force)[3],
                         const double (*arm)[3], struct dc_step_forces *forces);
// How the vertices move along a direction, with arms [4][3].
void dc_touch_vary(const struct dc_bodies *bodies, const struct dc_touch *touch,
                   const struct dc_step_direction *direction, const double (*arm)[3], double (*varied)[3]);

#endif
