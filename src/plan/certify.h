// SPDX-License-Identifier: Apache-2.0
// Certificates of a plan: geometry, origin of its impulses, and whether it holds in other worlds than its own
// (docs/theory.md, "Certificates").
#ifndef DC_PLAN_CERTIFY_H
#define DC_PLAN_CERTIFY_H

#include <stdint.h>

#include "plan/plant.h"
#include "task/task.h"

// "certify" of a scene: the conditions that must hold.  The option table is dc_certify_options.
struct dc_certify {
  bool reproduced, geometry, converged;
  double gradient;   // largest relative error; NAN: any
  double phantom;    // largest share of impulses from afar; NAN: any
  double perturbed;  // least share of perturbed starts that reach; NAN: any
  bool scene, tenth_stiffness, hundredth_stiffness, half_step, exact, ipc, mujoco;  // worlds in which it must hold
};
extern const struct dc_option dc_certify_options[];

// A world in which a plan is executed: that of the run's executions (the scene's plant or its own world) with changes.
struct dc_world {
  const char *name, *about;
  const char *model;  // contact model; NULL: as it is
  double stiffness;   // factor on the contact stiffness
  int division;       // of the time step
  size_t asked;       // offset of its bool in struct dc_certify
};
enum { DC_WORLDS = 7 };
extern const struct dc_world dc_worlds[DC_WORLDS + 1];  // ends with a name of NULL

// Check of the surfaces along a trajectory.  At every state (frames, and states inside of divided steps) all triangles
// are certainly apart, and a motion between consecutive states, straight or along helices, certainly makes none meet.
// It does not depend on the contact model of the run.
struct dc_geometry_check {
  int states, overlapping, undecided;  // states at which bodies overlap, or are not certainly apart
  int intervals, uncertain;            // motions between states; those that are not certainly free of contact
  int step;                            // step of the first violation: 0 the start, k after k - 1 steps; -1: none
  int a, b;                            // its bodies
  double separation;                   // m, at that state; NAN: the violation is in a motion
};
// DC_MEMORY.
enum dc_status dc_check_geometry(const struct dc_model *model, const struct dc_trajectory *trajectory,
                                 struct dc_geometry_check *check, struct dc_error *error);

// Part of the contact impulses that comes from afar.  Over an interval of length h, a body receives h |F_near| from
// near terms and h |F_far| from all others.  Near are terms of contact, rigid and soft, whose gap is at most
// DC_PHANTOM_REACH of a body's size; of soft surfaces also those within their skin.  The far field of soft bodies acts
// at the states before. A body's size is twice the distance of its farthest vertex from its centre of mass; of two
// moving bodies the smaller one counts.
#define DC_PHANTOM_REACH 0.01
// near, far [bodies], N s.  between: only pairs of bodies that both move, without what fixed ones support.  input: that
// of the trajectory, whose stiffness is used.
// DC_BAD_INPUT: the model of the rollout does not offer forces of single terms; DC_NUMERICAL: bodies meet; DC_MEMORY.
enum dc_status dc_check_phantom(struct dc_rollout *rollout, const struct dc_model *model,
                                const struct dc_rollout_input *input, const struct dc_trajectory *trajectory,
                                bool between, double *near, double *far, struct dc_error *error);
// Whether a body can receive impulses: it has a joint or nodes; it is not fixed to another body.
bool dc_gains_impulses(const struct dc_bodies *bodies, int body);

// Size of perturbations: positions of joints by up to DC_PERTURBED_LENGTH, angles by up to DC_PERTURBED_PART rad,
// velocities, masses and friction by up to DC_PERTURBED_PART of themselves, uniformly.
#define DC_PERTURBED_LENGTH 1e-3
#define DC_PERTURBED_PART 0.01
// Perturbs the start and the design of an input; draw: number of the draw for a seed.  Bodies that overlap are drawn
// anew, and left unchanged where that does not help.  DC_MEMORY.
enum dc_status dc_perturb_input(struct dc_contact *contact, const struct dc_model *model, uint64_t seed, int draw,
                                struct dc_rollout_input *input, struct dc_error *error);

// The outcome of a plan in a plant, from its own and from perturbed starts.
struct dc_executions {
  bool ran, reached;        // from its own start
  int draws, failed, hits;  // perturbed starts: drawn; not rolled out to the end; reached
  struct dc_error error;    // why it did not run
};
// Executes the input of a plan in one piece from its own start and, side by side, from `draws` perturbed starts.  The
// task judges the last step of the plan, whose model has its time step.  The result does not depend on the number of
// threads.  proceed (may be NULL) is asked between rollouts, on the caller's thread; false ends with DC_STOPPED.
// DC_MEMORY.
enum dc_status dc_execute(const struct dc_plant *plant, const struct dc_model *model, const struct dc_task *task,
                          const struct dc_rollout_input *from, int draws, uint64_t seed, dc_rollout_proceed *proceed,
                          void *context, struct dc_executions *executions, struct dc_error *error);

#endif
