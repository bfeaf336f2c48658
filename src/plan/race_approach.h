// SPDX-License-Identifier: Apache-2.0
// The task of a member of a race that first brings hands to the bodies that have goals.
//
// Hands are the last links of the mechanisms that controls move.  Their far fields push bodies away and cannot pull
// them, so that nothing tells a gripper above a cube to close around it and to lift.  In this task the common centre of
// the hands is drawn to the centre of a body that no control moves and that has a goal, and each hand to its surface,
// beside the scene's own objectives.
#ifndef DC_PLAN_RACE_APPROACH_H
#define DC_PLAN_RACE_APPROACH_H

#include "task/task.h"

enum { DC_APPROACH_HANDS = 8 };  // at most so many; the nearest ones

// A task with these objectives.  Shares controls, design and objectives with the scene's task, which must outlive it.
struct dc_approach {
  struct dc_task task;
  struct dc_com_options middle;
  struct dc_clearance_options near[DC_APPROACH_HANDS];
  int hands[DC_APPROACH_HANDS], hand_count;
  int body;  // that has the goal
};

// Sets up the task in arena; loss: that of the scene's first guess, which the added terms have together, too.  False:
// there are no hands, no body that needs them, no memory, or the loss is no positive number.
bool dc_approach_create(struct dc_approach *approach, const struct dc_model *model, const struct dc_task *task,
                        double loss, struct dc_arena *arena);

// The same where a control moves the body itself: it is the one hand, and there are no terms.  False: no body has a goal
// and is moved by what acts at all times.
bool dc_approach_itself(struct dc_approach *approach, const struct dc_model *model, const struct dc_task *task);

#endif
