// SPDX-License-Identifier: Apache-2.0
// A first guess that takes a body between hands and carries it to its goal, by kinematics alone; or one that leads a
// body which controls move themselves over all that stands between it and its goal.
//
// Gradients tell a gripper to push a body along, not that it has to open, to go down, to close and to lift first.  Here
// the hands of an approach (race_approach.h) are brought, by inverse kinematics, around the body, closed, and led along
// a way that is higher than what stands between start and goal.
#ifndef DC_PLAN_RACE_GRASP_H
#define DC_PLAN_RACE_GRASP_H

#include "plan/race_approach.h"

enum { DC_GRASP_COORDINATES = 32 };  // of actuators that lead the hands, at most

// The numbers that vary among guesses, in parts of the radius of the body.
struct dc_grasp {
  double squeeze;    // how far closed hands aim beyond its surface
  double clearance;  // of its lower side above what it passes
  double aside[3];   // of the hands' middle from its centre
  bool itself;       // there are no hands: the body is moved itself; set by what makes the guess
  bool crowded;      // more coordinates than allowed would lead the hands; set there, too
};
struct dc_hands {
  struct dc_approach around;  // a body that hands are to take
  struct dc_approach itself;  // one that moves itself
  bool can_take, can_move;    // there is such a one
};

// Writes parameters whose targets take the body to its goal; on entry they hold those of coordinates that take no part:
// of all that are neither of a hand, or the body itself, nor of what carries it.
// False: there are less than two hands and nothing stands in the way of a body that moves itself; or there is no
// gravity, no place that is the body's goal, or no drive of slides and hinges.
bool dc_grasp_guess(const struct dc_hands *hands, const struct dc_model *model, const struct dc_task *task,
                    const struct dc_window *window, const double *state, struct dc_grasp *grasp,
                    double *parameters);

// The same as a first guess of the whole run, for hands and a body that are looked for here.  On entry parameters [of
// all steps] are the scene's.  DC_BAD_INPUT: nothing can be grasped so.  DC_MEMORY.
enum dc_status dc_grasp_begin(const struct dc_model *model, const struct dc_task *task, int steps,
                              struct dc_grasp *grasp, double *parameters, struct dc_error *error);

#endif
