// SPDX-License-Identifier: Apache-2.0
// Calls of MuJoCo that may fail for good: it reports such errors to a function that must not return and otherwise ends
// the process; here they come back as statuses.  In builds with MuJoCo only.
#ifndef DC_DYNAMICS_MUJOCO_PROTECT_H
#define DC_DYNAMICS_MUJOCO_PROTECT_H

#include "base/status.h"

// Runs call(context), which must not rely on being left in an orderly way.  failure with MuJoCo's message when it was
// left by an error.
enum dc_status dc_mujoco_protect(void (*call)(void *context), void *context, enum dc_status failure,
                                 struct dc_error *error);

#endif
