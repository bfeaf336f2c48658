// SPDX-License-Identifier: Apache-2.0
// A model as MuJoCo's XML (docs/theory.md, "MuJoCo").  Private to src/dynamics.
#ifndef DC_DYNAMICS_MUJOCO_DESCRIPTION_H
#define DC_DYNAMICS_MUJOCO_DESCRIPTION_H

#include <stddef.h>

#include "dynamics/model.h"

// The text (malloc) and its length.  The joint of the degree of freedom v (a free body's: its first one) is called
// "j<v>", geometry k of body i "g<i>_<k>"; every body has a first one.  Numbers that an input's design or the settings
// decide are left to be set in the compiled model.  NULL and *error on failure: DC_BAD_INPUT when MuJoCo cannot
// have it, DC_MEMORY.
char *dc_mujoco_describe(const struct dc_model *model, size_t *length, struct dc_error *error);

#endif
