// SPDX-License-Identifier: Apache-2.0
// Receding-horizon control (paper 000, section 6, Push).
//
//   repeat   optimize the controls of the next steps (a window)
//            apply the first few of these steps
//            shift the window; the rest of its solution is the next initial guess
//
// The optimizer starts anew in every window, with the scene's options but for the number of iterations.  The loss of
// the run is that of the last applied frame alone.  The run ends when all steps have been applied, when everything is
// reached at the last applied frame, or when `patience` windows in a row brought no new lowest loss.
//
// Exploration.  Gradients are local: a pusher comes to rest where the far field pushes it least, in a corner of its
// bounds, or moves away from a body that it has shot beyond its goal.  With `explore` several first guesses of a window
// are rolled out, and the optimizer begins with the one of the lowest loss: the rest of the last solution, ways of
// pushers to the far side of what they shall push (route.h), and `draws` random changes.  While the last solution
// reaches everything within the window it is applied as it is.
//
// Plant.  The steps may be executed in another world than the one they are planned in (plant.h, horizon_plant.c).  The
// next windows go on from the plant's states, and the run is judged by the plant's frames.  With `trials` plans are
// tried in the plant, and the one with the lowest loss there is applied: a strike that the plant answers otherwise than
// the plan is not made.
//   In a simulator of others, whose steps are cheap, trials compare all first guesses before the optimizer begins.  Then its
//   result is compared with the guess that it began with.
//   In a plant of our own models, which costs more than the planning, first guesses are compared by their losses in the
//   window.  Trials are made only where the optimizer's plan does not reach everything.
// Where the plant's friction is not known, trials are made with several factors on it (`trial_friction`).  A plan is
// worth what it is with the worst of those factors that have predicted what the plant did so far.
//
// Replay.  Contact and controls start anew in every window, so the applied steps rolled out in one piece give another
// trajectory.  A replay therefore rolls out the same pieces, each from the same start, driven by the targets that were
// applied.
#ifndef DC_PLAN_RECEDING_HORIZON_H
#define DC_PLAN_RECEDING_HORIZON_H

#include "plan/trajectory_plan.h"

enum dc_horizon_keep { DC_KEEP_LAST, DC_KEEP_BEST };

// "horizon" of a scene; the option table is dc_horizon_options.
struct dc_horizon {
  long length;      // steps of a window
  long iterations;  // of the optimizer per window
  long apply;       // steps applied of each window
  long patience;    // windows without a new lowest loss of the applied frames after which to give up; 0: never
  int keep;         // enum dc_horizon_keep: the iterate of a window whose steps are applied
  long explore;     // number of the window without progress from which on first guesses are looked for; 0: never
  long draws;       // random first guesses among them
  double spread;    // their standard deviation from the plan at hand
  long seed;        // of these
  bool trials;      // plans are tried in the plant, if there is one, before they are applied
  // Factors on the plant's friction with which they are tried; none: as it is.
  struct dc_real_list trial_friction;
  // Where the steps are executed; NULL: where they are planned.  Must outlive the horizon; not in the option table.
  const struct dc_plant *plant;
};
extern const struct dc_option dc_horizon_options[];

// DC_BAD_INPUT when the task cannot run in a receding horizon: controls that act on the start only, more steps applied
// than a window has.
enum dc_status dc_horizon_check(const struct dc_task *task, const struct dc_model *model,
                                const struct dc_horizon *horizon, struct dc_error *error);

// What drove the executed steps.
struct dc_applied_targets {
  int steps;                          // executed
  int apply;                          // steps applied of each window; of the last one perhaps fewer
  const double *position, *velocity;  // [steps][actuators], as in a rollout's input
};

// A receding horizon under way, to be read by its caller.
struct dc_receding_horizon {
  const struct dc_model *model;
  const struct dc_task *task;
  struct dc_horizon horizon;
  const struct dc_optimizer_type *optimizer;
  void *optimizer_options;            // those of the scene with the iterations of the horizon
  int steps;                          // of the whole run
  struct dc_plan *plan;               // of the present window; plan->state is that of the controls
  struct dc_horizon_plant *plant;     // NULL: none
  double *parameters;                 // first guess of the present window
  double *start_velocity, *q_before;  // of the present window [nv], [nq]; not used with a plant

  // What has been applied.
  struct dc_trajectory *executed;             // executed->steps: steps applied so far
  double *applied;                            // parameters as for a run of all steps (see dc_horizon_applied)
  double *target_position, *target_velocity;  // [steps][actuators] that were applied
  struct dc_trajectory *first;  // all steps with the initial parameters; NULL when they cannot be rolled out
  double *first_parameters;

  double initial_loss, loss, lowest_loss;  // of the start, of the last applied frame
  int iterations;                          // of all finished windows
  long idle;                               // windows since the lowest loss
  double progress;                         // loss that has to be undercut by a thousandth
  long stalled;                            // windows since that happened
  bool foreseen;                           // the window applied last ends with everything reached
  bool success;                            // reached at the last applied frame
  bool begun, open, retried;               // row 0 was reported; a window is under way; from zero parameters
  bool replaying;                          // the targets of all steps are given, nothing is optimized
  long newton_before;                      // of plan->work when the window began
  double gradient_norm;                    // of its last iterate
};

// How gradients are computed and first guesses are found is the caller's to set in ->plan before the run or loading.
// NULL and *error on failure: out of memory, or bodies overlap at the start (DC_INFEASIBLE).
struct dc_receding_horizon *dc_horizon_create(const struct dc_model *model, const struct dc_task *task,
                                              const struct dc_horizon *horizon,
                                              const struct dc_optimizer_type *optimizer, const void *optimizer_options,
                                              struct dc_error *error);
void dc_horizon_destroy(struct dc_receding_horizon *horizon);

// A replay of the steps of an earlier run, which dc_horizon_run executes, all of them, bit for bit when model and task
// are that run's: targets and parameters (as of dc_horizon_applied) are copied, optimizer and first stay NULL.  Windows
// are the pieces that were applied, rows of the observer have no gradient and no parameters.  Not for saving and
// loading.  NULL and *error as of dc_horizon_create.
struct dc_receding_horizon *dc_horizon_create_replay(const struct dc_model *model, const struct dc_task *task,
                                                     const struct dc_applied_targets *targets, const double *parameters,
                                                     const struct dc_plant *plant, struct dc_error *error);

// First guess for the whole run instead of the initial parameters; the first window begins with its part of them.
void dc_horizon_set_parameters(struct dc_receding_horizon *horizon, const double *parameters);

struct dc_horizon_observer {
  void *context;
  // After every successful evaluation in a window; false stops the run at once.  May be NULL.
  dc_plan_observer *iterated;
  // At the start (iteration 0) and after the steps of a window have been applied: iteration = steps applied so far,
  // loss of the last applied frame, gradient_norm of the last iterate (NAN at the start), newton_iterations of the
  // window, min_gap of the frames applied of it, best: a new lowest loss, parameters of the window.  false stops.
  // May be NULL.
  dc_plan_observer *applied;
};

// Runs to the end.  DC_STOPPED: an observer stopped it, another call goes on.  When a window cannot be evaluated it is
// tried once more from zero parameters, then DC_NUMERICAL; what was applied until then stays.
enum dc_status dc_horizon_run(struct dc_receding_horizon *horizon, const struct dc_horizon_observer *observer,
                              struct dc_error *error);

// The applied parameters as those of a run of executed->steps steps: dc_task_parameter_count(task, model,
// executed->steps) numbers.  For controls with parameters for every step (or for every so many, when the steps applied
// at a time are a multiple of it), rolling them out gives the executed trajectory but for the seams.  Of controls whose
// parameters act on the whole window, those of the last window stand there.
void dc_horizon_applied(const struct dc_receding_horizon *horizon, double *parameters);

// What drove the executed steps; refers to the horizon.
struct dc_applied_targets dc_horizon_targets(const struct dc_receding_horizon *horizon);

// A trajectory of one executed frame alone, which is judged; how fast bodies move, the frames before it tell.  It
// refers to the executed trajectory and is not destroyed.
struct dc_trajectory dc_horizon_frame(const struct dc_receding_horizon *horizon, int frame);

// Iterations of the optimizer in all windows, the one under way included.
int dc_horizon_iterations(const struct dc_receding_horizon *horizon);

// Everything that the rest of the run depends on, inside an observer, before dc_horizon_run or between calls of it;
// goes on bit for bit.  Loading comes right after dc_horizon_create with the same scene.  Names begin with "horizon/",
// "plan/" and "optimizer/".
enum dc_status dc_horizon_save(const struct dc_receding_horizon *horizon, struct dc_snapshot *snapshot);
enum dc_status dc_horizon_load(struct dc_receding_horizon *horizon, const struct dc_snapshot *snapshot,
                               struct dc_error *error);

#endif
