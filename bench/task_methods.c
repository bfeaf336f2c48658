// SPDX-License-Identifier: Apache-2.0
// The rivals on MuJoCo plan and execute in MuJoCo, with 4 substeps, as those who use it would: the world in which they are
// judged is the one in which they sample.
#include "bench/task_methods.h"

#include <stddef.h>

#define SAMPLING "optimizer={\"type\": \"mppi\", \"samples\": 128, \"temperature\": 0, \"spread\": 0.5}"
#define MPPI "optimizer={\"type\": \"mppi\", \"samples\": 64, \"temperature\": 0.1, \"spread\": 0.5}"
#define CEM "optimizer={\"type\": \"cem\", \"samples\": 64, \"elites\": 8, \"spread\": 0.5}"
// Without the random restarts that a scene may ask for: as by default, whether it does or not.
#define NO_KICKS "horizon.stall=null", "horizon.draws=null", "horizon.coast=null"
// Of windows: changes at 6 knots, four steps applied, 48 ahead.
#define KNOTS "optimizer.knots=6", "horizon.length=48", "horizon.apply=4", "horizon.keep=best", NO_KICKS

const struct dc_task_method dc_task_methods[] = {
    {"scene", "the shipped scene's own settings", NULL, false, {NULL}, {NULL}},
    {"paper",
     "Adam as the paper says it: every parameter with its own second moment, the last iterate of a window applied",
     NULL,
     false,
     {"optimizer.shared=false"},
     {"horizon.keep=last", NO_KICKS}},
    {"polish", "Adam with Gauss-Newton steps every 10 steps", NULL, false, {"optimizer.polish=10"}, {NULL}},
    {"gauss_newton",
     "fans of Gauss-Newton steps",
     NULL,
     false,
     {"optimizer={\"type\": \"gauss_newton\", \"iterations\": 40}"},
     {"horizon.iterations=4"}},
    {"lbfgs",
     "L-BFGS",
     NULL,
     false,
     {"optimizer={\"type\": \"lbfgs\", \"iterations\": 100}"},
     {"horizon.iterations=20"}},
    {"sampling", "predictive sampling, 128 samples", NULL, true, {SAMPLING}, {KNOTS, "horizon.iterations=1"}},
    {"mppi", "path-integral control, 64 samples", NULL, true, {MPPI}, {KNOTS, "horizon.iterations=2"}},
    {"cem", "the cross-entropy method, 64 samples", NULL, true, {CEM}, {KNOTS, "horizon.iterations=2"}},
    {"mujoco_sampling",
     "predictive sampling on MuJoCo",
     "mujoco",
     true,
     {"mujoco.substeps=4", SAMPLING},
     {KNOTS, "horizon.iterations=1"}},
    {"mujoco_mppi",
     "path-integral control on MuJoCo",
     "mujoco",
     true,
     {"mujoco.substeps=4", MPPI},
     {KNOTS, "horizon.iterations=2"}},
    {"mujoco_cem",
     "the cross-entropy method on MuJoCo",
     "mujoco",
     true,
     {"mujoco.substeps=4", CEM},
     {KNOTS, "horizon.iterations=2"}},
    {"mujoco_fd", "the scene's optimizer on MuJoCo, by finite differences", "mujoco", false, {NULL}, {NULL}},
    {NULL, NULL, NULL, false, {NULL}, {NULL}},
};
