// SPDX-License-Identifier: Apache-2.0
// Initialization by sampling: where the gradient vanishes at the first guess, as it does with locally supported contact
// before anything touches, controls are drawn at random until it does not (paper 000, section 6: how the methods it is
// compared with begin).
#ifndef DC_PLAN_FIRST_GUESS_H
#define DC_PLAN_FIRST_GUESS_H

#include <stdbool.h>

#include "base/options.h"

struct dc_plan;

enum dc_first_guess_type { DC_FIRST_GUESS_GIVEN, DC_FIRST_GUESS_SAMPLED };
enum dc_first_guess_distribution { DC_NORMAL, DC_UNIFORM };

// "init" of a scene; the option table is dc_first_guess_options.
struct dc_first_guess_settings {
  int type;           // enum dc_first_guess_type
  long draws;         // at most
  double sigma;       // standard deviation of a parameter, or half the width of its range
  int distribution;   // enum dc_first_guess_distribution
  bool held;          // the same number in all steps for every coordinate
  double threshold;   // a gradient vanishes when its norm is at most this part of the loss
  bool every_window;  // look at the first guess of every window of a receding horizon; false: of the first one only
  long seed;
};
extern const struct dc_option dc_first_guess_options[];

// What was drawn for a plan since its creation.
struct dc_first_guess_counts {
  long draws;
  long vanished;  // first guesses at which, and at all draws for which, the gradient vanished
};

// Told after every draw for one first guess that was in vain; draw counts from 1.
struct dc_first_guess_observer {
  void (*drawn)(void *context, long draw, long draws);  // may be NULL
  void *context;
};

// Replaces parameters [parameter_count], the first guess of the plan's window, when the gradient of plan->gradient
// vanishes there or cannot be had: by the first draw with which it does not, else by what has the largest gradient of
// all.  A loss of zero needs no gradient, and
// nothing is done without parameters.  The rest of a gradient that is rounding of differences counts as vanished.
// Draws follow from the seed and the window.  DC_MEMORY; that nothing can be rolled out is no failure.
enum dc_status dc_first_guess_find(struct dc_plan *plan, double *parameters, struct dc_error *error);

#endif
