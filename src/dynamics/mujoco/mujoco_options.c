// SPDX-License-Identifier: Apache-2.0
// Options of "mujoco": read in every build, so that a scene means the same everywhere.
#include <stddef.h>

#include "dynamics/mujoco/mujoco.h"

// In the order of MuJoCo's own enumerations.
static const char *const integrators[] = {"Euler", "RK4", "implicit", NULL};
static const char *const cones[] = {"pyramidal", "elliptic", NULL};
static const char *const solvers[] = {"PGS", "CG", "Newton", NULL};

const struct dc_option dc_mujoco_options[] = {
    DC_INTEGER_OPTION(struct dc_mujoco_settings, substeps, "8", 1, 10000,
                      "steps of MuJoCo in one time step of the scene"),
    DC_CHOICE_OPTION(struct dc_mujoco_settings, integrator, "\"Euler\"", integrators,
                     "Euler (semi-implicit, damping implicit), implicit (in the velocity) or RK4 (actuators explicit)"),
    DC_CHOICE_OPTION(struct dc_mujoco_settings, cone, "\"pyramidal\"", cones, "friction cone"),
    DC_CHOICE_OPTION(struct dc_mujoco_settings, solver, "\"Newton\"", solvers, "algorithm of the constraint solver"),
    DC_INTEGER_OPTION(struct dc_mujoco_settings, iterations, "100", 1, 1e6,
                      "most iterations of the constraint solver; a step that needs as many counts as not converged"),
    DC_REAL_OPTION(struct dc_mujoco_settings, tolerance, "", "1e-8", 0, 1,
                   "scaled improvement at which the constraint solver ends"),
    DC_INTEGER_OPTION(
        struct dc_mujoco_settings, noslip_iterations, "0", 0, 1e6,
        "most iterations of the solver that removes the slip which soft contacts leave; 0: it is not used"),
    DC_POSITIVE_OPTION(struct dc_mujoco_settings, impratio, "", "1", 1e9,
                       "ratio of frictional to normal impedance of contacts: larger ones slip less"),
    DC_REALS_OPTION(
        struct dc_mujoco_settings, solref, "", "[0.02, 1]", 2, -1e12, 1e12,
        "contacts and limits: time constant (s) and damping ratio, or both negative: -stiffness and -damping"),
    DC_REALS_OPTION(
        struct dc_mujoco_settings, solimp, "", "[0.9, 0.95, 0.001, 0.5, 2]", 5, 0, 1e6,
        "contacts and limits: impedance at no and at full depth, that depth (m), midpoint and power between"),
    DC_BOOLEAN_OPTION(struct dc_mujoco_settings, multiccd, "false",
                      "look for several contact points between two meshes instead of one"),
    DC_REAL_OPTION(struct dc_mujoco_settings, patch, "m", "0", 0, 1e6,
                   "radius of the disc that a contact stands for, which resists spins; 0: contacts are points"),
    DC_OPTIONS_END};
