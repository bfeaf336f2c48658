// SPDX-License-Identifier: Apache-2.0
// The plant: another world of the same bodies, in which a plan is executed (docs/theory.md, "The plant").
//
// A plan is found where contact is soft and has a long range, and is useful where contact is hard.  The plant has its
// own contact model, stiffness, friction and time step.  Everything that drives the bodies comes from the plan: start,
// design and actuator targets.  Position targets are interpolated over the plant's steps within a step of the plan;
// velocity targets are held.
#ifndef DC_PLAN_PLANT_H
#define DC_PLAN_PLANT_H

#include "dynamics/rollout.h"

struct dc_plant {
  struct dc_model model;  // of the bodies of the plan's model
  int substeps;           // steps of the plant in a step of the plan
  // Start and design of the plant instead of the plan's, for plans that are wrong about them.  NULL: none.  Its targets
  // are not used.
  const struct dc_rollout_input *instead;
};

// The state from which a rollout continues.  Pointers are not copied and must stay valid.
struct dc_plan_start {
  const double *q;         // [nq]; NULL: the model's own start, whatever the others are
  const double *velocity;  // [nv]
  const double *q_before;  // [nq] the state before; NULL: q moved back by a step of velocity
  double before_length;    // s from q_before to q
  const double *memory;    // what impacts have left at q (dc_trajectory_memory); NULL: nothing
};

// The state after the last step of a trajectory (steps > 0), from which a rollout continues exactly as if it had not
// ended: q and q_before refer to the trajectory, velocity [nv] is filled.
struct dc_plan_start dc_plan_go_on(const struct dc_model *model, const struct dc_trajectory *trajectory,
                                   double *velocity);

// Workspace of one caller.
struct dc_execution;
// Creates a workspace for at most so many steps of the plan at a time.  The plant must outlive it.  NULL and *error:
// out of memory, or a contact model refuses the bodies.
struct dc_execution *dc_execution_create(const struct dc_plant *plant, int steps, struct dc_error *error);
void dc_execution_destroy(struct dc_execution *execution);

// Rolls out in the plant.
struct dc_rollout *dc_execution_rollout(struct dc_execution *execution);

// Sets the factor on friction for later executions; 1 at first.
void dc_execution_set_friction(struct dc_execution *execution, double factor);

// Sets the function polled between the plant's steps, as dc_rollout_set_proceed does.
void dc_execution_set_proceed(struct dc_execution *execution, dc_rollout_proceed *proceed, void *context);

// Executes the first `steps` steps of input in the plant, with its design, from start (q NULL: the input's own), and
// appends the frames to executed; its velocities, if any, are the plant's.  before [actuators]: position targets at the
// start, displacements; NULL: zeros.  Statuses of dc_rollout_forward; after DC_STOPPED the completed steps of the plan
// are appended, after other failures none.
enum dc_status dc_execution_run(struct dc_execution *execution, const struct dc_rollout_input *input,
                                const struct dc_plan_start *start, const double *before, int steps,
                                struct dc_trajectory *executed, struct dc_error *error);
// The same from the start of a run: executed becomes frame 0 and these steps.
enum dc_status dc_execution_begin(struct dc_execution *execution, const struct dc_rollout_input *input, int steps,
                                  struct dc_trajectory *executed, struct dc_error *error);
// State of the plant after the last run; refers to the execution until the next one.
struct dc_plan_start dc_execution_end(const struct dc_execution *execution);

#endif
