// SPDX-License-Identifier: Apache-2.0
// Receding-horizon control (paper 000, section 6, Push).
//
//   repeat   optimize the controls of the next steps (a window)
//            apply the first few of these steps
//            shift the window; the rest of its solution is the next initial guess
//
// The optimizer starts anew in every window, with the scene's options except for the number of iterations.  The loss of
// the run is that of the last applied frame.  The run ends when all steps have been applied, when everything is reached
// at the last applied frame, or when `patience` windows in a row brought no new lowest loss.
//
// Exploration.  Gradients are local: a pusher comes to rest where the far field pushes it least, in a corner of its
// bounds, or moves away from a body that it has shot beyond its goal.  With `explore`, several first guesses of a
// window are rolled out, and the optimizer starts from the one with the lowest loss.  These are the rest of the last
// solution, routes of pushers to the far side of their bodies (route.h), and `draws` random changes.  While the last
// solution reaches everything within the window, it is applied as it is.
//
// Plant.  The steps may be executed in another world than the one in which they are planned (plant.h, horizon_plant.c).
// The next windows start from the plant's states, and the run is judged by the plant's frames.  With `trials`, plans
// are tried in the plant, and the one with the lowest loss there is applied: a strike to which the plant responds
// differently is not made. In a foreign simulator, whose steps are cheap, trials compare all first guesses before the
// optimizer starts; its result is then compared with the guess from which it started.  In a plant of our own models,
// which costs more than planning, first guesses are compared by their losses in the window, and trials are made only
// where the optimizer's plan does not reach everything. Where the plant's friction is unknown, trials use several
// factors on it (`trial_friction`).  A plan is worth the worst of those factors that have predicted the plant so far.
//
// Replay.  Contact and controls start anew in every window, so that the applied steps rolled out in one piece give
// another trajectory.  A replay therefore rolls out the same pieces, each from the same start, driven by the applied
// targets.
#ifndef DC_PLAN_RECEDING_HORIZON_H
#define DC_PLAN_RECEDING_HORIZON_H

#include "plan/trajectory_plan.h"

enum dc_horizon_keep { DC_KEEP_LAST, DC_KEEP_BEST };

// "horizon" of a scene; the option table is dc_horizon_options.
struct dc_horizon {
  long length;      // steps of a window
  long iterations;  // optimizer iterations per window
  long apply;       // steps applied of each window
  long patience;    // windows without a new lowest loss of the applied frames after which to give up; 0: never
  int keep;         // enum dc_horizon_keep: the iterate of a window whose steps are applied
  long explore;     // number of windows without progress from which on first guesses are searched; 0: never
  long draws;       // random first guesses among them
  double spread;    // their standard deviation from the plan at hand
  long seed;        // seed of these
  bool trials;      // plans are tried in the plant, if there is one, before they are applied
  long aims;        // steps per window towards the goal in the plant, after trials
  // Factors on the plant's friction for trials; empty: none.
  struct dc_real_list trial_friction;
  bool whole;  // the run goes on to its last step, whatever was reached before; not in the option table
  // World in which the steps are executed; NULL: the planning world.  Must outlive the horizon; not in the option
  // table.
  const struct dc_plant *plant;
};
extern const struct dc_option dc_horizon_options[];

// DC_BAD_INPUT when the task cannot run in a receding horizon: controls that act on the start only, more steps applied
// than a window has.
enum dc_status dc_horizon_check(const struct dc_task *task, const struct dc_model *model,
                                const struct dc_horizon *horizon, struct dc_error *error);

// The targets that drove the executed steps.
struct dc_applied_targets {
  int steps;                          // executed
  int apply;                          // steps applied per window; the last one may have fewer
  const double *position, *velocity;  // [steps][actuators], as in a rollout's input
};

// The present window.
struct dc_horizon_window {
  bool open;                          // it was begun and not yet applied
  bool retried;                       // it was restarted from zero parameters
  long newton_before;                 // Newton iterations of plan->work at its start
  double gradient_norm;               // of its last iterate
  double *start_velocity, *q_before;  // [nv], [nq] of its start; not used with a plant
};

// A running receding horizon; callers read it.
struct dc_receding_horizon {
  const struct dc_model *model;
  const struct dc_task *task;
  struct dc_horizon horizon;
  const struct dc_optimizer_type *optimizer;
  void *optimizer_options;            // the scene's, with the horizon's number of iterations
  int steps;                          // of the whole run
  struct dc_plan *plan;               // of the present window; plan->state is that of the controls
  struct dc_horizon_plant *plant;     // NULL: none
  double *parameters;                 // first guess of the present window

  // Data of the applied steps.
  struct dc_trajectory *executed;             // executed->steps: steps applied so far
  double *applied;                            // parameters as for a run of all steps (see dc_horizon_applied)
  double *target_position, *target_velocity;  // [steps][actuators] that were applied
  struct dc_trajectory *first;                // rollout of all steps with the initial parameters; NULL when impossible
  double *first_parameters;

  double initial_loss, loss, lowest_loss;  // of the start, of the last applied frame
  int iterations;                          // over all finished windows
  long idle;                               // windows since the lowest loss
  double progress;                         // loss that must be undercut by a thousandth
  long stalled;                            // windows since it was
  bool foreseen;                           // the window applied last ends with everything reached
  bool success;                            // reached at the last applied frame
  bool begun;                              // row 0 was reported
  bool replaying;                          // targets of all steps are given, nothing is optimized
  struct dc_horizon_window window;
};

// Creates a receding horizon.  The caller sets how gradients are computed and first guesses are found in ->plan, before
// running or loading.  NULL and *error on failure: out of memory, or bodies overlap at the start (DC_INFEASIBLE).
struct dc_receding_horizon *dc_horizon_create(const struct dc_model *model, const struct dc_task *task,
                                              const struct dc_horizon *horizon,
                                              const struct dc_optimizer_type *optimizer, const void *optimizer_options,
                                              struct dc_error *error);
void dc_horizon_destroy(struct dc_receding_horizon *horizon);

// Creates a replay of an earlier run, which dc_horizon_run executes completely, bit for bit if model and task are that
// run's.  Targets and parameters (in the form of dc_horizon_applied) are copied; optimizer and first stay NULL.
// Windows are the applied pieces; rows of the observer have neither gradient nor parameters.  It cannot be saved or
// loaded.  NULL and *error as for dc_horizon_create.
struct dc_receding_horizon *dc_horizon_create_replay(const struct dc_model *model, const struct dc_task *task,
                                                     const struct dc_applied_targets *targets, const double *parameters,
                                                     const struct dc_plant *plant, struct dc_error *error);

// Sets a first guess for the whole run instead of the initial parameters; the first window starts with its part.
void dc_horizon_set_parameters(struct dc_receding_horizon *horizon, const double *parameters);

struct dc_horizon_observer {
  void *context;
  // After every successful evaluation in a window; false stops the run at once.  May be NULL.
  dc_plan_observer *iterated;
  // Called at the start (iteration 0) and after the steps of a window have been applied; false stops; may be NULL.
  // Members of the row: iteration: steps applied so far; loss: of the last applied frame; gradient_norm: of the last
  // iterate (NAN at the start); newton_iterations and parameters: of the window; min_gap: over its applied frames;
  // best: a new lowest loss.
  dc_plan_observer *applied;
};

// Runs to the end.  DC_STOPPED: an observer stopped it, another call continues.  A window that cannot be evaluated is
// tried once more from zero parameters, then DC_NUMERICAL; steps applied until then stay.
enum dc_status dc_horizon_run(struct dc_receding_horizon *horizon, const struct dc_horizon_observer *observer,
                              struct dc_error *error);

// The applied parameters in the form of a run of executed->steps steps: dc_task_parameter_count(task, model,
// executed->steps) numbers.  For controls with parameters per step (or per block of steps, if the steps applied at a
// time are a multiple of it), rolling them out gives the executed trajectory except for the seams.  For controls whose
// parameters act on the whole window, they are those of the last window.
void dc_horizon_applied(const struct dc_receding_horizon *horizon, double *parameters);

// The targets that drove the executed steps; refers to the horizon.
struct dc_applied_targets dc_horizon_targets(const struct dc_receding_horizon *horizon);

// A trajectory of one executed frame, for objectives; velocities come from the frames before it.  It refers to the
// executed trajectory and must not be destroyed.
struct dc_trajectory dc_horizon_frame(const struct dc_receding_horizon *horizon, int frame);

// Optimizer iterations in all windows, including the open one.
int dc_horizon_iterations(const struct dc_receding_horizon *horizon);

// Save and load everything on which the rest of the run depends, for bit-for-bit continuation: inside an observer,
// before dc_horizon_run or between calls of it.  Loading must follow dc_horizon_create with the same scene.  Names
// begin with "horizon/", "plan/" and "optimizer/".
enum dc_status dc_horizon_save(const struct dc_receding_horizon *horizon, struct dc_snapshot *snapshot);
enum dc_status dc_horizon_load(struct dc_receding_horizon *horizon, const struct dc_snapshot *snapshot,
                               struct dc_error *error);

#endif
