// SPDX-License-Identifier: Apache-2.0
// The weight of what hangs on a joint, as actuators that hold it up see it.
#ifndef DC_DYNAMICS_WEIGHT_H
#define DC_DYNAMICS_WEIGHT_H

#include "body/kinematics.h"
#include "dynamics/rollout.h"

// A state at which weights are read.
struct dc_weight {
  const struct dc_model *model;
  const struct dc_design *design;
  const double *q;              // [nq]
  const struct dc_pose *poses;  // [bodies] of q
  const struct dc_axis *axes;   // [nv] of q; NULL: found out joint by joint
};

// The generalized force that holds the weight on degree of freedom v of a slide or hinge of a body's joint:
//     c = -sum over the bodies b that it moves of m_b g . dx_b/dq_v,   N or N m.
double dc_weight_hold(const struct dc_weight *weight, int body, int v);
// The same of all degrees of freedom, into held [nv], from axes that are known.
void dc_weight_hold_all(const struct dc_weight *weight, double *held);
// Adds factor times the derivative of c by the coordinates to by_q [nv], and by gravity and masses to design.
void dc_weight_pull_back(const struct dc_weight *weight, int body, int v, double factor, double *by_q,
                         struct dc_design *design);
// The change of c for a change of the coordinates moved [nv], and of gravity and masses; the transposed product.
double dc_weight_push_forward(const struct dc_weight *weight, int body, int v, const double *moved,
                              const struct dc_design *design);

#endif
