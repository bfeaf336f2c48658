// SPDX-License-Identifier: Apache-2.0
// Newton steps that see barriers as the poles they are (docs/theory/steps.md, "Bent steps").  Private to src/dynamics.
#ifndef DC_DYNAMICS_BARRIER_STEP_H
#define DC_DYNAMICS_BARRIER_STEP_H

#include "dynamics/step.h"

struct dc_barrier_step;

// Workspace for models with so many coordinates, 0 of models whose steps are not bent; owned by arena.  NULL: out of
// memory.
struct dc_barrier_step *dc_barrier_step_create(int nv, struct dc_arena *arena);

// Replaces the Newton step [nv] of rollout->matrix, which is factored, by the minimum of the same quadratic model with
// the potential of every gap that the step changes strongly as a fraction instead of a parabola.  The step stays where
// that minimum is not found or does not go down.
void dc_barrier_step_bend(struct dc_barrier_step *barrier, struct dc_rollout *rollout,
                          const struct dc_step_state *state, double *step);
// The number of gaps that the last step was bent by.
int dc_barrier_step_count(const struct dc_barrier_step *barrier);
// Takes response = H^-1 row [nv] to that of the matrix whose Newton step is the bent one.
void dc_barrier_step_solve(const struct dc_barrier_step *barrier, const double *row, double *response);

#endif
