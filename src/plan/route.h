// SPDX-License-Identifier: Apache-2.0
// Routes of pushers: how a freely actuated body gets to the side of another body that faces away from the other body's
// goal, and pushes it there.
//
// They are first guesses for an optimizer and ignore everything but the two bodies.  Across gravity the pusher goes
// straight, over the body if it can rise that high, or around it to the left or right, and turns its thin side into the
// line to the goal.  Then it moves along this line at a speed from which friction could brake the body on the rest of
// its way.
#ifndef DC_PLAN_ROUTE_H
#define DC_PLAN_ROUTE_H

#include "plan/trajectory_plan.h"

// Lists all routes for the plan's window, at most `most`, as parameters [parameter_count] one after the other in
// guesses.  base [parameter_count]: values of controls that have no part; lengths [most]: length of each route, m.
// Returns their number; *memory is set when memory ran out.
int dc_route_guesses(const struct dc_plan *plan, const double *base, int most, double *guesses, double *lengths,
                     bool *memory);

#endif
