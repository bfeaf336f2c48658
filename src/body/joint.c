// SPDX-License-Identifier: Apache-2.0
// Joints: how many numbers and degrees of freedom they give a body.
#include "body/body.h"

const struct dc_joint_type dc_joint_free = {
    .name = "free",
    .summary = "moves and turns freely",
    .reference = "state: position of the centre of mass and unit quaternion; derivatives in exponential charts",
    .nq = 7,
    .nv = 6,
};

const struct dc_joint_type dc_joint_fixed = {
    .name = "fixed",
    .summary = "never moves",
    .reference = "no state; the pose is the initial one",
    .nq = 0,
    .nv = 0,
};

// The order is that of the choices of the option "joint".
const struct dc_joint_type *const dc_joint_types[] = {&dc_joint_free, &dc_joint_fixed, NULL};
