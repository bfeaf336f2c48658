// SPDX-License-Identifier: Apache-2.0
// Differences of the loss, for gradient checks.  Private to src/plan.
#ifndef DC_PLAN_GRADIENT_CHECK_INTERNAL_H
#define DC_PLAN_GRADIENT_CHECK_INTERNAL_H

#include "design/number_kinds.h"
#include "plan/gradient_check.h"
#include "plan/worker.h"

// Coordinates that can be differenced: controls; numbers of dc_number_kinds, with all coordinates of the start;
// parameters of the design.  A kind is DC_KIND_CONTROL, DC_KIND_NUMBERS + an index into dc_number_kinds, or, behind
// these, one for each entry of the design (the last one for all further entries).
enum { DC_KIND_CONTROL, DC_KIND_NUMBERS, DC_KINDS_MOST = 64 };

struct dc_coordinate {
  int kind;
  int index;                // parameter; body, axis or entry of a tangent vector
  int body;                 // body to which the entry belongs
  const double *direction;  // [parameter_count] direction of all parameters together; NULL: a single coordinate
};

// Workspace of one thread.  Rollouts are functions of their input alone, so that any thread may do any of them.
struct dc_checker {
  struct dc_plan *plan;
  const double *parameters;
  const struct dc_trajectory *centre;  // a record of the rollout at parameters
  double loss;                         // loss at parameters
  long most_iterations;                // bound on the iterations of a step in other rollouts
  double *shifted;                     // [parameter_count]
  double *tangent;                     // [nv], zero
};

struct dc_checkers {
  struct dc_plan_team team;
  struct dc_checker *each;  // [team.count]
  struct dc_trajectory *centre;
  double *shifted, *tangents;  // memory of all checkers
};

// The kind of the first entry of the design.
int dc_design_kind(void);
bool dc_is_parameter(struct dc_coordinate c);
const struct dc_number_kind *dc_number_of(struct dc_coordinate c);

// Computes the derivative along a coordinate by differences, into entry, whose adjoint is known; close: relative
// agreement that needs no smaller steps.
enum dc_status dc_difference(struct dc_checker *checker, struct dc_coordinate c, double close,
                             struct dc_gradient_difference *entry, struct dc_error *error);

// Seeded directions [directions][count] of length 1.
void dc_draw_directions(double *drawn, int directions, int count, uint64_t seed);

// Requires that the plan has been evaluated at parameters.  Must be released even after a failure; zeros may be
// released.
enum dc_status dc_checkers_create(struct dc_plan *plan, const double *parameters, double loss,
                                  struct dc_checkers *checkers, struct dc_error *error);
void dc_checkers_release(struct dc_checkers *checkers);

#endif
