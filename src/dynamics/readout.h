// SPDX-License-Identifier: Apache-2.0
// Velocities and forces of contact of a trajectory, computed from its states.
#ifndef DC_DYNAMICS_READOUT_H
#define DC_DYNAMICS_READOUT_H

#include "dynamics/rollout.h"

// Velocity [nv] with which a trajectory of input goes on from a frame: that of the initial state, else of the last
// interval that led there (a whole step unless it was divided), log(q q_before^-1) / length for rotations.  A rollout
// from the frame's state and this velocity goes on as the trajectory does, exactly where the step before was not
// divided.
void dc_trajectory_velocity(const struct dc_model *model, const struct dc_rollout_input *input,
                            const struct dc_trajectory *trajectory, int frame, double *velocity);

// Contact at a frame, pair by pair as of dc_contact_pairs.  gaps [pair_count]: lower bounds, m.  contact and friction
// [pair_count][12]: the wrenches that the contact potential, with what restitution takes from it, and friction exert on
// both bodies of a pair.  A wrench is torque, N m, about the origin of the frame of a, and force, N, on a; then those
// on b.  Friction and restitution are those of the last interval before the frame, zero at frame 0.  DC_MEMORY;
// DC_BAD_INPUT when the stepper has no contact potential of ours.
enum dc_status dc_trajectory_contact(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                     const struct dc_trajectory *trajectory, int frame, double *gaps,
                                     double (*contact)[12], double (*friction)[12], struct dc_error *error);

// Contact that matters in a trajectory: pairs of bodies at frames, in the order of frames and pairs.
struct dc_contact_entry {
  int frame, bodies[2];
  double gap;          // lower bound, m
  double force[3];     // N on the first body, world axes, of contact with restitution; the second has the opposite
  double friction[3];  // N, the same of friction
};
struct dc_contact_list {
  struct dc_contact_entry *entries;  // [count], released with dc_contact_list_free
  size_t count, capacity;
  double least;  // N: what is smaller is left out
  // [bodies] of each body the entry with its largest force (contact and friction together), on it as the first one;
  // frame -1: nothing acts on it.
  struct dc_contact_entry *largest;
};
// Lists it at all frames: forces of at least a thousandth of the largest one, and as much more than that as it takes
// for `most` entries at the most.  Costs one contact evaluation a frame, two with friction.  As dc_trajectory_contact;
// DC_NUMERICAL when a force is not finite.
enum dc_status dc_trajectory_list_contacts(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                           const struct dc_trajectory *trajectory, size_t most,
                                           struct dc_contact_list *list, struct dc_error *error);
void dc_contact_list_free(struct dc_contact_list *list);

// The linearization of one step, x' = f(x, u): x = (q, velocity) and x' = (q', velocity' as of dc_trajectory_velocity
// at frame 1), q and q' by their tangents; u = (target positions, target velocities, forces).  trajectory is the
// rollout of input, which has no q_before, over one step.
//     state [2 nv][2 nv]: dx'/dx, drive [2 nv][2 actuators + nv]: dx'/du, row by row.
// Exact for the discrete step, by nv rows of one adjoint (2 nv when it was divided).  DC_BAD_INPUT when the model has
// no adjoint; else as dc_rollout_adjoint; DC_MEMORY.
enum dc_status dc_step_linearize(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                 const struct dc_trajectory *trajectory, double *state, double *drive,
                                 struct dc_error *error);

#endif
