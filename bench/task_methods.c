// SPDX-License-Identifier: Apache-2.0
// The rivals on MuJoCo plan and execute in MuJoCo, with 4 substeps, as those who use it would: the world in which they
// are judged is the one in which they sample.
#include "bench/task_methods.h"

#include <stddef.h>

#define SAMPLING "optimizer={\"type\": \"mppi\", \"samples\": 128, \"temperature\": 0, \"spread\": 0.5}"
#define MPPI "optimizer={\"type\": \"mppi\", \"samples\": 64, \"temperature\": 0.1, \"spread\": 0.5}"
#define CEM "optimizer={\"type\": \"cem\", \"samples\": 64, \"elites\": 8, \"spread\": 0.5}"
// Settings of windows: changes at 6 knots, four steps applied, 48 steps ahead.
#define KNOTS "optimizer.knots=6", "horizon.length=48", "horizon.apply=4", "horizon.keep=best", "horizon.explore=0"

const struct dc_task_method dc_task_methods[] = {
    {"scene", "the shipped scene's own settings", NULL, false, true, {NULL}, {NULL}},
    {"paper",
     "Adam as the paper says it: every parameter with its own second moment, the last iterate of a window applied",
     NULL,
     false,
     false,
     {"optimizer.shared=false"},
     {"horizon.keep=last", "horizon.explore=0"}},
    {"polish", "Adam with Gauss-Newton steps every 10 steps", NULL, false, false, {"optimizer.polish=10"}, {NULL}},
    {"gauss_newton",
     "fans of Gauss-Newton steps",
     NULL,
     false,
     false,
     {"optimizer={\"type\": \"gauss_newton\", \"iterations\": 40}"},
     {"horizon.iterations=4"}},
    {"portfolio", "a search, in tasks without windows", NULL, false, true, {"portfolio={\"rollouts\": 4000}"}, {NULL}},
    {"lbfgs",
     "L-BFGS",
     NULL,
     false,
     false,
     {"optimizer={\"type\": \"lbfgs\", \"iterations\": 100}"},
     {"horizon.iterations=20"}},
    {"sampling", "predictive sampling, 128 samples", NULL, true, false, {SAMPLING}, {KNOTS, "horizon.iterations=1"}},
    {"mppi", "path-integral control, 64 samples", NULL, true, false, {MPPI}, {KNOTS, "horizon.iterations=2"}},
    {"cem", "the cross-entropy method, 64 samples", NULL, true, false, {CEM}, {KNOTS, "horizon.iterations=2"}},
    {"mujoco_sampling",
     "predictive sampling on MuJoCo",
     "mujoco",
     true,
     false,
     {"mujoco.substeps=4", SAMPLING},
     {KNOTS, "horizon.iterations=1"}},
    {"mujoco_mppi",
     "path-integral control on MuJoCo",
     "mujoco",
     true,
     false,
     {"mujoco.substeps=4", MPPI},
     {KNOTS, "horizon.iterations=2"}},
    {"mujoco_cem",
     "the cross-entropy method on MuJoCo",
     "mujoco",
     true,
     false,
     {"mujoco.substeps=4", CEM},
     {KNOTS, "horizon.iterations=2"}},
    {"mujoco_fd", "the scene's optimizer on MuJoCo, by finite differences", "mujoco", false, false, {NULL}, {NULL}},
    {NULL, NULL, NULL, false, false, {NULL}, {NULL}},
};
