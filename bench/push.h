// SPDX-License-Identifier: Apache-2.0
// Pushing a box on a plane from a first guess that does not touch it.
#ifndef BENCH_PUSH_H
#define BENCH_PUSH_H

#include "contact/contact.h"

// Where the pusher rests at first: beside the box, 0.25 m from it, or between the box and where it shall go.
enum dc_push_start { DC_PUSH_BESIDE, DC_PUSH_WRONG_SIDE, DC_PUSH_STARTS };

// Runs Adam for a fixed number of iterations; *cost: the best cost over that of the first guess.  Gradients by the
// adjoint, or by central differences where the model has none.  Statuses of dc_minimize.
enum dc_status dc_bench_push(const struct dc_contact_model *model, enum dc_push_start start, double *cost,
                             struct dc_error *error);

#endif
