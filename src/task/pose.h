// SPDX-License-Identifier: Apache-2.0
// The objective "pose".
#ifndef DC_TASK_POSE_H
#define DC_TASK_POSE_H

#include "task/task.h"

struct dc_pose_options {
  int body;
  double target[3];           // of the centre of mass, m
  double rotation[4];         // of the frame of the shape, unit quaternion w, x, y, z
  double tolerance;           // m
  double rotation_tolerance;  // rad
  double inside;              // fraction of both tolerances within which the loss is zero
  double weight;              // 1/m^2
  double rotation_weight;     // 1/rad^2
  int when;                   // as of "reach"
  const char *axes;           // of the position
};
extern const struct dc_objective_type dc_objective_pose;

#endif
