// SPDX-License-Identifier: Apache-2.0
// Contact forces on soft bodies and on the bodies they touch, summed up body by body, for certificates of runs.
#ifndef DC_DYNAMICS_SOFT_FORCES_H
#define DC_DYNAMICS_SOFT_FORCES_H

#include "dynamics/rollout.h"

// Adds the forces of contact on every body at a state, N in world axes: near [bodies] those of terms whose gap is at
// most `reach` (without unit) times the size of their pair, far [bodies] those of all others.  Terms are nodes at
// half-spaces, whose barrier has no end, and surfaces.  These are also near up to the skin of the soft body (of two,
// their mean): meshes are no finer, and by default the barrier ends there.  The size is twice the radius of a body,
// of two that move the smaller one.  between: of pairs of bodies that both move alone.  Friction is left out.  -1
// when out of memory, else 0.
int dc_soft_contact_forces(struct dc_rollout *rollout, const double *q, double reach, bool between, double (*near)[3],
                           double (*far)[3]);

// Adds the forces of the far field of soft bodies at a state to far [bodies], likewise.
int dc_soft_far_forces(struct dc_rollout *rollout, const double *q, bool between, double (*far)[3]);

#endif
