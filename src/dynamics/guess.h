// SPDX-License-Identifier: Apache-2.0
// The first guess of a step from the ways of the steps before it.
#ifndef DC_DYNAMICS_GUESS_H
#define DC_DYNAMICS_GUESS_H

#include <stdbool.h>

#include "body/body.h"

// Tangents [nv] over the interval before: the way that its velocity let expect, and the same with the last change of the
// velocity.  Known: since dc_guess_reset, and for an interval as long as the one before it.
struct dc_guess {
  double *straight, *bent;
  bool straight_known, bent_known;
};

// At the start of a rollout, which depends on no other.
void dc_guess_reset(struct dc_guess *guess);
// way [nv]: of the interval before, times the ratio of lengths, becomes the guess for this one.  equal: this ratio is 1,
// and there was an interval before.
void dc_guess_way(struct dc_guess *guess, const struct dc_bodies *bodies, bool equal, double *way);

#endif
