// SPDX-License-Identifier: Apache-2.0
// What a plan is certified for: geometry, origin of its impulses, and whether it holds in other worlds than the one it
// was found in (docs/theory.md, "Certificates").
#ifndef DC_PLAN_CERTIFY_H
#define DC_PLAN_CERTIFY_H

#include <stdint.h>

#include "plan/plant.h"
#include "task/task.h"

// "certify" of a scene: what has to hold.  The option table is dc_certify_options.
struct dc_certify {
  bool reproduced, geometry, converged;
  double gradient;   // largest relative error; NAN: any
  double phantom;    // largest share of impulses from afar; NAN: any
  double perturbed;  // least share of perturbed starts that reach; NAN: any
  bool scene, tenth_stiffness, hundredth_stiffness, half_step, exact, ipc, mujoco;  // worlds it has to hold in
};
extern const struct dc_option dc_certify_options[];

// A world that a plan is executed in: that of the run's executions, the scene's plant or its own world, changed.
struct dc_world {
  const char *name, *about;
  const char *model;  // contact model; NULL: as it is
  double stiffness;   // factor on the contact stiffness
  int division;       // of the time step
  size_t asked;       // offset of its bool in struct dc_certify
};
enum { DC_WORLDS = 7 };
extern const struct dc_world dc_worlds[DC_WORLDS + 1];  // ends with a name of NULL

// The surfaces along a trajectory: at every state it went through (frames and those inside of divided steps) all
// triangles are certainly apart, and the straight motion between these states certainly makes none meet.  Independent
// of the contact model of the run.
struct dc_geometry_check {
  int states, overlapping, undecided;  // states at which bodies overlap, or are not certainly apart
  int intervals, uncertain;            // motions of which it is not certain
  int step;                            // of the first objection: 0 the start, k what comes after k - 1 steps; -1: none
  int a, b;                            // its bodies
  double separation;                   // m, at that state; NAN: it is a motion
};
// DC_MEMORY.
enum dc_status dc_check_geometry(const struct dc_model *model, const struct dc_trajectory *trajectory,
                                 struct dc_geometry_check *check, struct dc_error *error);

// Which part of the impulses of contact comes from afar.  Along the states after the first one, with intervals of
// length h, a body gains h |F_near| by the terms of contact, rigid and soft, whose gap is at most DC_PHANTOM_REACH of a
// body's size (of soft surfaces also those within their skin), and h |F_far| by all others and by the far field of soft
// bodies, which acts at the states before; a body's size is twice the distance of its farthest vertex from its centre
// of mass, of a pair of bodies that move the smaller one.
#define DC_PHANTOM_REACH 0.01
// near, far [bodies], N s; between: of pairs of bodies that both move alone, without what fixed ones bear.  input: that
// of the trajectory, whose stiffness counts.
// DC_BAD_INPUT: the model of the rollout does not offer forces of single terms; DC_NUMERICAL: bodies meet; DC_MEMORY.
enum dc_status dc_check_phantom(struct dc_rollout *rollout, const struct dc_model *model,
                                const struct dc_rollout_input *input, const struct dc_trajectory *trajectory,
                                bool between, double *near, double *far, struct dc_error *error);
// Whether a body can gain impulses: on a joint or with nodes, not one that is fixed to another.
bool dc_gains_impulses(const struct dc_bodies *bodies, int body);

// How far perturbed starts lie: every position of a joint by up to DC_PERTURBED_LENGTH, every angle by up to
// DC_PERTURBED_PART rad, velocities, masses and friction by up to DC_PERTURBED_PART of themselves, uniformly.
#define DC_PERTURBED_LENGTH 1e-3
#define DC_PERTURBED_PART 0.01
// Perturbs the start and the design of an input; draw: which one, of a seed.  What makes bodies overlap in contact is
// drawn anew, for the bodies concerned, and left as it was where that does not help.  DC_MEMORY.
enum dc_status dc_perturb_input(struct dc_contact *contact, const struct dc_model *model, uint64_t seed, int draw,
                                struct dc_rollout_input *input, struct dc_error *error);

// What became of a plan in a plant, from its own and from perturbed starts.
struct dc_executions {
  bool ran, reached;        // from its own start
  int draws, failed, hits;  // perturbed: how many, of them not rolled out to the end, reached
  struct dc_error error;    // why it did not run
};
// Executes the input of a plan in one piece, from its own and side by side from `draws` perturbed starts; judged by the
// task at the last step of the plan, whose model has its time step.  Same numbers for any number of threads.  proceed
// (NULL: nobody is asked) is asked between rollouts, on the caller's thread; false ends it with DC_STOPPED.  DC_MEMORY.
enum dc_status dc_execute(const struct dc_plant *plant, const struct dc_model *model, const struct dc_task *task,
                          const struct dc_rollout_input *from, int draws, uint64_t seed, dc_rollout_proceed *proceed,
                          void *context, struct dc_executions *executions, struct dc_error *error);

#endif
