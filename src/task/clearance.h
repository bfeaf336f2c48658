// SPDX-License-Identifier: Apache-2.0
// The distance of two bodies that are unions of convex parts.
#ifndef DC_TASK_CLEARANCE_H
#define DC_TASK_CLEARANCE_H

#include "dynamics/model.h"
#include "geometry/convex/witness.h"

// Nearest points of the bodies pair[2] at the poses; false: out of memory, or one of them has no convex parts.
bool dc_clearance_nearest(const struct dc_bodies *bodies, const int pair[2], const struct dc_pose *const poses[2],
                          struct dc_witness *witness);

#endif
