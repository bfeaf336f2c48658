// SPDX-License-Identifier: Apache-2.0
// Predicts impacts between bodies of a scene, at its stiffness, step and masses.
#ifndef DC_COMMANDS_REBOUND_H
#define DC_COMMANDS_REBOUND_H

#include "io/json/json_text.h"
#include "io/json/json_write.h"
#include "io/scene/scene.h"

// Adds a line for every kind of pair (shapes, masses, restitution; at most eight) to text and "impacts" to json: the
// ratio of the speeds after and before an impact, and the gap at which a body rests under gravity.  Impacts follow the
// scene's own step in one dimension.  A body moves along its contact force on the other, as they are placed in the
// scene, without rotation, joints and actuators.  poses [bodies] and pairs [pair_count] are those of the last
// evaluation of contact, of order 1; both are overwritten.  *resting: the body that rests highest relative to its size,
// height NAN and body -1 when none rests, and what is said of it there.  DC_OK, or DC_MEMORY.
struct dc_resting {
  double height;     // gap over the size of the body
  int body;
  double stiffness;  // J, at which every body that rests is DC_RESTING_GAP of its size above its support, or nearer
  int unlike[2];     // bodies whose restitution at 1 m/s is farthest from what is asked, or -1
  double asked, got; // there
};
#define DC_RESTING_GAP 0.05
enum dc_status dc_api_describe_impacts(const struct dc_scene *scene, struct dc_contact *contact,
                                       const struct dc_pose *poses, const struct dc_pair_derivatives *pairs,
                                       struct dc_resting *resting, struct dc_text *text, struct dc_json_writer *json,
                                       struct dc_error *error);

#endif
