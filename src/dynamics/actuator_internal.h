// SPDX-License-Identifier: Apache-2.0
// Drives: the coordinates and balls of actuated joints, with what acts on them.  Private to the files of actuators.
#ifndef DC_DYNAMICS_ACTUATOR_INTERNAL_H
#define DC_DYNAMICS_ACTUATOR_INTERNAL_H

#include "dynamics/saturation.h"
#include "dynamics/step.h"

// One coordinate or ball of an actuated joint, with what acts on it.
struct drive {
  const struct dc_joint_part *part;
  int component;                      // of a translation; 0 otherwise
  double kp, kd;                      // scaled
  double kp_scale, kd_scale;          // by these
  const double *position, *velocity;  // targets: 1 number, 3 of a ball
  int body, actuator;
  double effort;  // limit of the force; 0: none
  bool holds;     // the weight on it
};

// The arguments of the functions that are called for every drive: model, interval and states, and where results go.
struct drive_context {
  const struct dc_model *model;
  const struct dc_design *design;
  struct dc_step_interval interval;
  const double *q_now, *q_next;
  const double *predicted;          // q* [nq]; NULL: none, or half an interval
  bool half;                        // lengths and angles only
  bool middle;                      // the force on lengths and angles is that of the middle of q_now and q_next
  const struct dc_pose *now_poses;  // [bodies] of q_now
  const struct dc_axis *now_axes;   // [nv] of q_now; NULL: not known
  const double *held;               // [nv] weights at q_now; NULL: not known
  double value, *forces;            // forces [nv] gains gradients
  struct dc_step_hessian *hessian;
  bool exact;
  const double *lambda;  // [nv]; by_actuator: minus it, [actuators]
  bool by_actuator;
  double *now, *next;  // [nv]
  struct dc_rollout_cotangent *cotangent;
  double *by_predicted;                      // [nv] cotangent of q*
  const double *moved, *moved_predicted;     // [nv] changes of q(t) and q*
  const struct dc_rollout_cotangent *input;  // change of targets and gains
};

// Calls visit for every drive of the model.
void dc_visit_drives(const struct dc_rollout_input *input,
                     void (*visit)(struct drive_context *context, const struct drive *drive),
                     struct drive_context *context);
// A = kp/2 R+ Y^T and kd/(2h) R+ Z^T.
void dc_drive_ball(const struct drive_context *c, const struct drive *drive, double a_position[9],
                   double a_velocity[9]);
void dc_drive_axial(const double a[9], double g[3]);
// Differences from the targets of a length or angle.
void dc_drive_errors(const struct drive_context *c, const struct drive *drive, double *position, double *velocity);
bool dc_drive_is_plain(const struct drive *drive);
// The force of a length or angle, as asked for and limited.
struct dc_saturated dc_drive_law(const struct drive_context *c, const struct drive *drive);
void dc_drive_direction(const struct drive_context *c, const struct drive *drive, double l[3]);
// Derivatives of (gradient by q+) . lambda by targets, gains and q(t).
void dc_drive_mixed(struct drive_context *c, const struct drive *drive);

#endif
