// SPDX-License-Identifier: Apache-2.0
// First guesses that a scene asks for with "init".  By sampling: where the gradient vanishes at the first guess, as with
// locally supported contact before anything touches, controls are drawn at random until it does not (paper 000, section
// 6: how its baselines are initialized).  By a grasp: race_grasp.h.
#ifndef DC_PLAN_FIRST_GUESS_H
#define DC_PLAN_FIRST_GUESS_H

#include <stdbool.h>

#include "base/options.h"

struct dc_plan;

enum dc_first_guess_type { DC_FIRST_GUESS_GIVEN, DC_FIRST_GUESS_SAMPLED, DC_FIRST_GUESS_GRASP };
enum dc_first_guess_distribution { DC_NORMAL, DC_UNIFORM };

// "init" of a scene; the option table is dc_first_guess_options.
struct dc_first_guess_settings {
  int type;           // enum dc_first_guess_type
  long draws;         // largest number of draws
  double sigma;       // standard deviation of a parameter, or half the width of its range
  int distribution;   // enum dc_first_guess_distribution
  bool held;          // the same number in all steps for every coordinate
  double threshold;   // a gradient vanishes when its norm is at most this part of the loss
  bool every_window;  // check the first guess of every window of a receding horizon; false: only of the first
  long seed;
  double squeeze, clearance;  // of a grasp, in the radius of the body
};
extern const struct dc_option dc_first_guess_options[];

// Whether first guesses of a type read an option; "given" allows those of draws, which it turns off.
bool dc_first_guess_reads(int type, const char *option);

// Draws for a plan since its creation.
struct dc_first_guess_counts {
  long draws;
  long vanished;  // first guesses whose gradient vanished, and with all their draws
};

// Called after every unsuccessful draw for a first guess; draw counts from 1.
struct dc_first_guess_observer {
  void (*drawn)(void *context, long draw, long draws);  // may be NULL
  void *context;
};

// Replaces parameters [parameter_count], the first guess of the plan's window, when the gradient of
// plan->estimate.settings vanishes there or cannot be computed: by the first draw whose gradient does not vanish, else
// by the draw with the largest gradient. A loss of zero needs no gradient; without parameters nothing is done.  A
// gradient within the rounding of differences counts as vanished.  Draws follow from the seed and the window.
// DC_MEMORY; it is no failure when nothing can be rolled out.
enum dc_status dc_first_guess_find(struct dc_plan *plan, double *parameters, struct dc_error *error);

#endif
