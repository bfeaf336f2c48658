// SPDX-License-Identifier: Apache-2.0
// The largest forces, speeds and contact forces of a trajectory, beside the limits that a scene or a robot file sets.
// Private to src/commands.
#ifndef DC_COMMANDS_EXTREMES_H
#define DC_COMMANDS_EXTREMES_H

#include "dynamics/readout.h"
#include "io/json/json_write.h"
#include "io/run/motion_columns.h"

// A coordinate of a joint, with its column among the torques of a trajectory file.
struct dc_joint_extreme {
  struct dc_motion_column column;
  bool driven;  // an actuator or a control pulls at it
  // Largest size over the steps of the force of actuators and controls (N or N m) and of the mean velocity of a step
  // (m/s or rad/s), and the frames at the ends of these steps; 0 and frame 0 without steps.
  double force, speed;
  int force_frame, speed_frame;
  double force_limit, speed_limit;  // INFINITY: none
};

struct dc_extremes {
  int joint_count;
  struct dc_joint_extreme *joints;  // [joint_count], released with dc_extremes_free
};

// Takes the extremes of a trajectory that goes with model and input, whose targets and forces are those of all its
// steps.  DC_MEMORY, and there is nothing to free.
enum dc_status dc_extremes_find(struct dc_extremes *extremes, const struct dc_model *model,
                                const struct dc_rollout_input *input, const struct dc_trajectory *trajectory,
                                struct dc_error *error);
void dc_extremes_free(struct dc_extremes *extremes);

// Writes "too_fast", "joints" and "contact_forces" (null: not known) and their lines of the summary.  contacts: NULL
// when they are not known.
void dc_extremes_put(const struct dc_extremes *extremes, const struct dc_contact_list *contacts,
                     const struct dc_model *model, const struct dc_trajectory *trajectory, struct dc_text *text,
                     struct dc_json_writer *json);

#endif
