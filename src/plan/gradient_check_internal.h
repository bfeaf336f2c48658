// SPDX-License-Identifier: Apache-2.0
// Differences that gradients are checked by.  Private to src/plan.
#ifndef DC_PLAN_GRADIENT_CHECK_INTERNAL_H
#define DC_PLAN_GRADIENT_CHECK_INTERNAL_H

#include "design/number_kinds.h"
#include "plan/gradient_check.h"
#include "plan/worker.h"

// All that can be differentiated: the controls, the numbers that dc_number_kinds lists with all coordinates of the
// start, the design's parameters.  A kind is DC_KIND_CONTROL, DC_KIND_NUMBERS + an index into dc_number_kinds, or,
// behind these, one for each entry of the design (the last one for all further ones).
enum { DC_KIND_CONTROL, DC_KIND_NUMBERS, DC_KINDS_MOST = 64 };

struct dc_coordinate {
  int kind;
  int index;                // parameter; body, axis or entry of a tangent vector
  int body;                 // that the entry belongs to
  const double *direction;  // [parameter_count] of all parameters together; NULL: one alone
};

// One thread's: rollouts, which are functions of their input alone, are spread over the threads.
struct dc_checker {
  struct dc_plan *plan;
  const double *parameters;
  const struct dc_trajectory *centre;  // a record of the rollout at parameters
  double loss;                         // there
  long most_iterations;                // of a step of rollouts elsewhere
  double *shifted;                     // [parameter_count]
  double *tangent;                     // [nv], zero
};

struct dc_checkers {
  struct dc_plan_team team;
  struct dc_checker *each;  // [team.count]
  struct dc_trajectory *centre;
  double *shifted, *tangents;  // of all
};

// The kind of the first entry of the design.
int dc_design_kind(void);
bool dc_is_parameter(struct dc_coordinate c);
const struct dc_number_kind *dc_number_of(struct dc_coordinate c);

// The derivative along a coordinate by differences into entry, whose adjoint is known; close: what agrees with it needs
// no closer look.
enum dc_status dc_difference(struct dc_checker *checker, struct dc_coordinate c, double close,
                             struct dc_gradient_difference *entry, struct dc_error *error);

// Seeded directions [directions][count] of length 1.
void dc_draw_directions(double *drawn, int directions, int count, uint64_t seed);

// After the plan was evaluated at parameters.  To be released also after a failure; zeros may be.
enum dc_status dc_checkers_create(struct dc_plan *plan, const double *parameters, double loss,
                                  struct dc_checkers *checkers, struct dc_error *error);
void dc_checkers_release(struct dc_checkers *checkers);

#endif
