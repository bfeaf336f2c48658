// SPDX-License-Identifier: Apache-2.0
// Ways of a pusher: how a body that actuators move freely would get to the side of another body that is away from that
// body's goal, and push it there.
//
// They are first guesses for an optimizer and know of nothing but the two bodies: in the plane across gravity the
// pusher goes straight, or over the body where it can rise so high, or around it to the left or to the right, turns its
// thin side into the line to the goal, and moves on along it, at a speed from which friction could brake the body on
// what is left of the way.
#ifndef DC_PLAN_ROUTE_H
#define DC_PLAN_ROUTE_H

#include "plan/trajectory_plan.h"

// All guesses there are for the plan's window, at most `most`, each [parameter_count] one after the other in guesses;
// base [parameter_count] is what they hold of controls that have no part in it, lengths [most] (m) how long the ways
// are.  Returns how many; *memory is set when there was none left.
int dc_route_guesses(const struct dc_plan *plan, const double *base, int most, double *guesses, double *lengths,
                     bool *memory);

#endif
