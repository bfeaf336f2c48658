// SPDX-License-Identifier: Apache-2.0
// Option table of "certify", and the worlds in which a certificate executes a plan.
#include "plan/certify.h"

#include <stddef.h>

#define ASKED(member) offsetof(struct dc_certify, member)
#define DEMAND(key, standard, words)                                                                                   \
  {                                                                                                                    \
    .name = #key, .type = DC_BOOLEAN, .unit = "", .fallback = standard, .help = words, .offset = ASKED(key)            \
  }

// A demand is a member of struct dc_certify.  Booleans ask for a property, numbers for a bound of a relative error or
// of a share; null asks nothing.
const struct dc_option dc_certify_options[] = {
    DEMAND(reproduced, "true", "the controls reproduce the trajectory bit for bit"),
    DEMAND(geometry, "true", "no surfaces meet, at no state and on no way between two"),
    DEMAND(converged, "false", "every step is solved to its tolerance"),
    {.name = "gradient",
     .type = DC_REAL,
     .unit = "",
     .fallback = "null",
     .minimum = 0,
     .maximum = 1,
     .help = "largest relative error of the adjoint against differences",
     .offset = ASKED(gradient)},
    {.name = "phantom",
     .type = DC_REAL,
     .unit = "",
     .fallback = "null",
     .minimum = 0,
     .maximum = 1,
     .help = "largest share of impulses that come from farther than 1 % of a body's size",
     .offset = ASKED(phantom)},
    {.name = "perturbed",
     .type = DC_REAL,
     .unit = "",
     .fallback = "null",
     .minimum = 0,
     .maximum = 1,
     .help = "least share of perturbed starts from which the task is reached",
     .offset = ASKED(perturbed)},
    DEMAND(scene, "false", "the task is reached in the scene's plant, or its own world if it has none"),
    DEMAND(tenth_stiffness, "false", "the task is reached with a tenth of the contact stiffness"),
    DEMAND(hundredth_stiffness, "false", "the task is reached with a hundredth of the contact stiffness"),
    DEMAND(half_step, "false", "the task is reached with half the time step"),
    DEMAND(exact, "false", "the task is reached with the contact model exact"),
    DEMAND(ipc, "false", "the task is reached with the contact model ipc"),
    DEMAND(mujoco, "false", "the task is reached in MuJoCo"),
    DC_OPTIONS_END,
};

// Worlds by name, words for reports, contact model (NULL: the scene's), factor on the contact stiffness, steps per
// time step of the scene, and the demand that asks for it.
const struct dc_world dc_worlds[DC_WORLDS + 1] = {
    {"scene", "in its own world", NULL, 1, 1, ASKED(scene)},
    {"tenth_stiffness", "with a tenth of the contact stiffness", NULL, 0.1, 1, ASKED(tenth_stiffness)},
    {"hundredth_stiffness", "with a hundredth of the contact stiffness", NULL, 0.01, 1, ASKED(hundredth_stiffness)},
    {"half_step", "with half the time step", NULL, 1, 2, ASKED(half_step)},
    {"exact", "with the contact model exact", "exact", 1, 1, ASKED(exact)},
    {"ipc", "with the contact model ipc", "ipc", 1, 1, ASKED(ipc)},
    {"mujoco", "in MuJoCo", "mujoco", 1, 1, ASKED(mujoco)},
    {0},
};
