// SPDX-License-Identifier: Apache-2.0
// Bodies that start inside the barrier of contact: nearer to another one than they would rest, so that contact throws
// them off.
#ifndef DC_COMMANDS_START_INSIDE_H
#define DC_COMMANDS_START_INSIDE_H

#include "io/json/json_text.h"
#include "io/json/json_write.h"
#include "io/scene/scene.h"
#include "plan/trajectory_plan.h"

enum { DC_MOST_INSIDE = 8 };

struct dc_inside {
  int body, other;      // what is thrown off, and by what most
  double gap;           // at the start, m
  double resting_gap;   // at which its weight would hold it, m; NAN: within its size it would nowhere rest
  double acceleration;  // by contact, less gravity, m/s^2
};
struct dc_inside_list {
  int count, left_out;
  struct dc_inside items[DC_MOST_INSIDE];
};

// Finds the bodies and soft bodies that contact accelerates at the start by more than twice their weight, at the
// parameters that the plan's input has been made of.  Contact is evaluated; no state of a rollout changes.  DC_MEMORY.
enum dc_status dc_api_find_inside(struct dc_plan *plan, struct dc_inside_list *list, struct dc_error *error);

// One sentence about an entry into text [size].
void dc_api_say_inside(const struct dc_bodies *bodies, const struct dc_inside *inside, char *text, size_t size);
// The array "starts_inside", and, unless text is NULL, a line for each entry.
void dc_api_put_inside(const struct dc_bodies *bodies, const struct dc_inside_list *list, struct dc_text *text,
                       struct dc_json_writer *json);

#endif
