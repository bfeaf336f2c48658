// SPDX-License-Identifier: Apache-2.0
// A recorded motion: poses of bodies at given times.
#ifndef DC_TASK_RECORDING_H
#define DC_TASK_RECORDING_H

struct dc_recording {
  int rows, body_count;
  const double *time;        // [rows] s, increasing
  const int *bodies;         // [body_count] indices in the model
  const double *position;    // [rows][body_count][3] of the centre of mass, m; NAN: not seen then
  const double *quaternion;  // [rows][body_count][4] of the body, w x y z, of length 1; NAN: not seen then
};

#endif
