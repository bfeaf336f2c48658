// SPDX-License-Identifier: Apache-2.0
// Columns of the motion that a trajectory file holds beside poses: coordinates, velocities, targets and torques of
// mechanisms.
#ifndef DC_IO_MOTION_COLUMNS_H
#define DC_IO_MOTION_COLUMNS_H

#include "body/body.h"

// Datasets [frames][columns] of a trajectory file.
enum dc_motion {
  DC_MOTION_Q,       // /coordinates/q: the state
  DC_MOTION_QD,      // /coordinates/qd: velocities of the degrees of freedom
  DC_MOTION_TORQUE,  // /coordinates/torque: what actuators and controls exert on these
  DC_MOTION_TARGET,  // /coordinates/target: where actuators pull
  DC_MOTIONS
};
// Its name below /coordinates.
const char *dc_motion_name(enum dc_motion motion);

// One number of a frame.
struct dc_motion_column {
  int body;
  int number, count;  // which one of how many of the body
  int at;             // index in states, in tangents (velocities, torques) or in vectors of actuator targets
  // A target is added to coordinate `component` of this part; NULL: to nothing, it is a rotation vector.
  const struct dc_joint_part *part;
  int component;
  const char *unit;
};
// The columns of a dataset in the order of bodies: those with a joint that is neither free nor fixed, and free ones
// that carry others or have an actuator; targets of those with one.  The number of them; columns may be NULL.
int dc_motion_columns(const struct dc_bodies *bodies, enum dc_motion motion, struct dc_motion_column *columns);
// The body's name, with ".0", ".1" ... behind it where it has several numbers.
void dc_motion_column_name(const struct dc_bodies *bodies, const struct dc_motion_column *column, char *text,
                           size_t size);

#endif
