// SPDX-License-Identifier: Apache-2.0
// A model and a state of the library MuJoCo, made from a model of ours.  In builds with MuJoCo only.
#ifndef DC_DYNAMICS_MUJOCO_SIMULATION_H
#define DC_DYNAMICS_MUJOCO_SIMULATION_H

#include <mujoco/mujoco.h>

#include "dynamics/stepper.h"

// Where a part of a joint lives in MuJoCo's state.
struct dc_mujoco_coordinate {
  const struct dc_joint_part *part;
  int body, position, freedom;  // body of ours; first entries of qpos and qvel
};

struct dc_mujoco_simulation {
  mjModel *model;
  mjData *data;
  int coordinate_count;
  struct dc_mujoco_coordinate *coordinates;
  int *body;                             // [bodies] of MuJoCo
  int (*pair_bodies)[2];                 // [npair] of ours
  double *mass, *inertia;                // [bodies], [bodies][3] without a design's scales
  double *scale;                         // [bodies] in effect
  double *position, *velocity, *warmth;  // state before a step of MuJoCo
  double *tangent;                       // [nv] velocity at the last frame, ours
  bool clean;                            // all steps since the last reset were without a warning
};

// Fills rollout->own, and releases what of it is not the arena's.
enum dc_status dc_mujoco_create(struct dc_rollout *rollout, struct dc_error *error);
void dc_mujoco_destroy(struct dc_rollout *rollout);

// Runs call(simulation, context); failure with MuJoCo's message when an error of MuJoCo ended it (mujoco_protect.h).
enum dc_status dc_mujoco_call(void (*call)(struct dc_mujoco_simulation *simulation, void *context),
                              struct dc_mujoco_simulation *simulation, void *context, enum dc_status failure,
                              struct dc_error *error);

// Sets where connections hold their two bodies: at the origins of both.  MuJoCo's compiler, and mj_setConst, have the
// second point where the first is in the description, in which loops may be open.
void dc_mujoco_connect_centers(mjModel *model);

// A rollout that ran out of memory while it made room for contacts has no data, and may still be asked again.
enum dc_status dc_mujoco_need_data(struct dc_mujoco_simulation *simulation, struct dc_error *error);
// Twice the room for contacts and constraints; MuJoCo would leave out what finds none.  The state is lost.
enum dc_status dc_mujoco_grow(struct dc_mujoco_simulation *simulation, struct dc_error *error);

// States q [nq] and velocities [nv] of ours.
void dc_mujoco_set_state(struct dc_mujoco_simulation *simulation, const double *q, const double *velocity);
void dc_mujoco_get_state(const struct dc_mujoco_simulation *simulation, double *q, double *velocity);
// The state before a step of MuJoCo, and back to it.
void dc_mujoco_keep_state(struct dc_mujoco_simulation *simulation);
void dc_mujoco_restore_state(struct dc_mujoco_simulation *simulation);

#endif
