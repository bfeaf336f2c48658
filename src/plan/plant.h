// SPDX-License-Identifier: Apache-2.0
// The plant: another world of the same bodies, in which a plan is executed (docs/theory.md, "The plant").
//
// A plan is found where contact is soft and reaches far; it is worth something where contact is hard.  The plant has
// its own contact model, stiffness, friction and time step.  Everything that acts on the bodies comes from the plan:
// the start, the design and the actuators' targets, of which positions are interpolated over the steps of the plant in
// a step of the plan and velocities are held.
#ifndef DC_PLAN_PLANT_H
#define DC_PLAN_PLANT_H

#include "dynamics/rollout.h"

struct dc_plant {
  struct dc_model model;  // of the bodies of the plan's model
  int substeps;           // steps of the plant in a step of the plan
  // Start and design that the plant has instead of those of what is executed: a plan that is wrong about them.  NULL:
  // none.  Targets of it are not read.
  const struct dc_rollout_input *instead;
};

// Where a rollout goes on from.  Not copied: what it points to must stay as long as it is used.
struct dc_plan_start {
  const double *q;         // [nq]; NULL: the model's own start, whatever the others are
  const double *velocity;  // [nv]
  const double *q_before;  // [nq] the state before; NULL: q moved back by a step of velocity
  double before_length;    // s from q_before to q
};

// Where a rollout goes on from after its last step (trajectory->steps > 0), exactly as if it did not end there: q and
// q_before refer to the trajectory, velocity [nv] is filled.
struct dc_plan_start dc_plan_go_on(const struct dc_model *model, const struct dc_trajectory *trajectory,
                                   double *velocity);

// Workspace of one caller.
struct dc_execution;
// For at most so many steps of the plan at a time.  The plant must outlive it.  NULL and *error: out of memory, or a
// contact model refuses the bodies.
struct dc_execution *dc_execution_create(const struct dc_plant *plant, int steps, struct dc_error *error);
void dc_execution_destroy(struct dc_execution *execution);

// Rolls out in the plant.
struct dc_rollout *dc_execution_rollout(struct dc_execution *execution);

// Factor on the friction of what is executed from now on; 1 at first.
void dc_execution_set_friction(struct dc_execution *execution, double factor);

// Asked between the steps of the plant, as dc_rollout_set_proceed has it.
void dc_execution_set_proceed(struct dc_execution *execution, dc_rollout_proceed *proceed, void *context);

// Executes the first `steps` steps of input in the plant, with its design, from start (q NULL: the input's own), and
// appends the frames to executed, whose velocities, if it has any, are those of the plant.  before [actuators]:
// position targets at the start, displacements; NULL: zeros.  Statuses of dc_rollout_forward; after DC_STOPPED the
// steps of the plan that were completed are appended, after other failures none.
enum dc_status dc_execution_run(struct dc_execution *execution, const struct dc_rollout_input *input,
                                const struct dc_plan_start *start, const double *before, int steps,
                                struct dc_trajectory *executed, struct dc_error *error);
// The same from the start of a run: executed becomes frame 0 and these steps.
enum dc_status dc_execution_begin(struct dc_execution *execution, const struct dc_rollout_input *input, int steps,
                                  struct dc_trajectory *executed, struct dc_error *error);
// Where the plant is after the last run; refers to the execution, until the next one.
struct dc_plan_start dc_execution_end(const struct dc_execution *execution);

#endif
