// SPDX-License-Identifier: Apache-2.0
// Trajectory optimization: parameters -> controls -> rollout -> loss, and back by the adjoint or an estimate.
#ifndef DC_PLAN_TRAJECTORY_PLAN_H
#define DC_PLAN_TRAJECTORY_PLAN_H

#include "base/stop_request.h"
#include "optimize/optimizer.h"
#include "plan/first_guess.h"
#include "plan/gradient.h"
#include "plan/plant.h"
#include "task/task.h"

// Work done, including rollouts for estimated gradients and drawn first guesses; failed rollouts count in seconds only.
struct dc_plan_work {
  long rollouts, steps;  // steps of all rollouts
  long newton_iterations;
  long evaluations;        // of the contact
  double seconds;          // spent in evaluations
  double contact_seconds;  // in contact, over all threads, s
};

// An object that the plan owns but did not create: workers, an estimator of gradients.  Zeros: none.
struct dc_plan_property {
  void *object;
  void (*destroy)(void *object);
};

static inline void dc_plan_drop(struct dc_plan_property *property)
{
  if (property->object)
    property->destroy(property->object);
  *property = (struct dc_plan_property){0};
}

// The lowest of the points whose values the optimizer requested last, where most optimizers linearize next.  Its
// trajectory is kept if the plan rolled it out itself, not a worker; not with cases.
#define DC_MOST_KEPT_BYTES 64e6  // of its derivatives of contact; else it is not kept
struct dc_plan_kept {
  bool known;                        // there is such a point
  double *parameters;                // [parameter_count] of it
  struct dc_trajectory *trajectory;  // NULL until it was needed
  int sample;                        // which of the points it belongs to; -1: none
  double loss;                       // its loss
};

// Arrays of as many numbers as there are parameters that a plan keeps: its first guess, those evaluated last, the kept
// point's, the first and the best ones, and both bounds.
enum { DC_PLAN_PARAMETER_ARRAYS = 7 };

// Room for the longest window.
struct dc_plan_sizes {
  int steps, parameters;
  int pairs;  // of contact
  int state;  // numbers of the controls' state
};

// The world of a plan may be easier than the scene's (search.h).
struct dc_plan_scales {
  double stiffness;  // factor on the contact stiffness, initially 1
  double far_field;  // factor on the far field of soft bodies, initially 1
  int coarseness;    // steps of the scene per step of the model, initially 1
};

// Groups and bounds of parameters; each [parameter_count].
struct dc_plan_box {
  int *group;  // number of the control or design entry that a parameter belongs to
  double *low, *high;
};

// How gradients are computed (gradient.h).
struct dc_plan_estimate {
  struct dc_gradient_settings settings;  // set by dc_plan_set_gradient; initially the adjoint
  dc_gradient_function *function;        // computes gradients that are not adjoints
  struct dc_plan_property memory;        // created by gradient.c for the first estimate
  struct dc_gradient_counts counts;
};

// Drawn first guesses (first_guess.h).
struct dc_plan_guess {
  struct dc_first_guess_settings settings;  // initially: given
  struct dc_first_guess_counts counts;
  struct dc_first_guess_observer observer;  // set by the caller; initially none
  bool found;                               // for the present minimization
};

// Worlds whose losses are added (plan_cases.h).
struct dc_plan_cases {
  int count;
  struct dc_plan **plans;  // [count] of the task's
};

// Threads and processes that evaluate points for the plan.
struct dc_plan_helpers {
  struct dc_plan_property team;  // struct dc_plan_team for dc_plan_values (worker.h), created when needed
  struct dc_plan_crew *crew;     // set by the caller: processes that share many points (crew.h); NULL: none
};

// Minimization: it moves the parameters of a plan and keeps the first and the best point (plan_minimization.c).
struct dc_plan_minimization {
  struct dc_minimization *running;  // NULL: none is running
  struct dc_problem problem;
  const struct dc_optimizer_type *optimizer;
  const void *optimizer_options;
  struct dc_residual_rows rows;        // of the last linearization for the optimizer
  int earlier;                         // iterates of minimizations before the present one
  int retreats, most_retreats;         // see dc_plan_continue; most is set by the caller, initially 0
  long newton_before;                  // of the plan's work, at the start of the present iteration
  struct dc_trajectory *first, *best;  // without the derivatives of pairs
  double best_loss;                    // of best
  long best_iterations;                // of Newton's method in it
  long most_iterations;                // of a rollout of this plan or of its workers now; 0: any number
  double *first_parameters;            // [parameter_count] of first
  double *best_parameters;             // [parameter_count] of best
};

// Evaluation: a model, a task, a window of the run and everything needed to roll out parameters and to pull the loss
// back; for one caller at a time.  With cases losses and gradients are sums over all worlds; trajectories are those of
// the plan's own.  `descent` is the minimization of that loss.
struct dc_plan {
  struct dc_arena *arena;  // owns arrays that exist since creation
  const struct dc_model *model;
  const struct dc_task *task;
  struct dc_window window;
  struct dc_plan_start start;      // of the window
  struct dc_execution *execution;  // set and destroyed by the caller: where dc_plan_simulate rolls out; NULL: here
  double *state;                   // [dc_task_state_size] state of the controls at the start of the window
  bool forward;                    // for rollouts alone
  struct dc_plan_sizes sizes;
  struct dc_plan_scales scaled;
  struct dc_rollout *rollout;
  struct dc_rollout_input *input;
  struct dc_rollout_cotangent *cotangent;
  struct dc_loss_cotangent loss_cotangent;  // wrenches [steps + 1][bodies], forces [steps + 1][nv]
  struct dc_trajectory *trajectory;         // of the last evaluation
  double *evaluated;                        // its parameters [parameter_count]
  bool succeeded;                           // trajectory and input belong to evaluated
  bool differentiated;  // derivatives of trajectory were computed: warm starts are not the rollout's any more
  struct dc_plan_kept kept;
  int parameter_count;
  double *parameters;  // [parameter_count] the first guess
  struct dc_plan_box box;
  struct dc_plan_estimate estimate;
  struct dc_plan_guess guess;
  struct dc_plan_cases cases;
  struct dc_plan_helpers helpers;
  struct dc_plan_minimization descent;
  struct dc_plan_work work;      // since creation
  struct dc_stop_request *stop;  // set by the caller; heard within iterations, but for the first; NULL: nobody is asked
  struct dc_stop_request *cancel;  // of dc_plan_set_cancel
};

// Creates a plan whose window is the first steps of the run, from the model's own start.  NULL and *error on failure.
struct dc_plan *dc_plan_create(const struct dc_model *model, const struct dc_task *task, int steps,
                               struct dc_error *error);
// The same for rollouts alone, with a fraction of the memory: no adjoint and no optimization.  Then cotangent, the
// arrays of loss_cotangent, first and best are NULL, and plan->trajectory has no tape.  With in_file, the trajectory
// has no room for frames before dc_plan_use_file, which must precede the first rollout.
struct dc_plan *dc_plan_create_forward(const struct dc_model *model, const struct dc_task *task, int steps,
                                       bool in_file, struct dc_error *error);
// Puts the trajectory into a file of dc_record_bytes for plan->sizes.steps steps; the plan then owns it, even on
// failure.
enum dc_status dc_plan_use_file(struct dc_plan *plan, struct dc_mapped_file *file, struct dc_error *error);
void dc_plan_destroy(struct dc_plan *plan);
// All work of the plan, of its worlds and of workers that it hires from now on is given up with DC_STOPPED, also within
// a step, as soon as the request says so.  NULL: nobody is asked.
void dc_plan_set_cancel(struct dc_plan *plan, struct dc_stop_request *cancel);
// The model with time steps longer by the factor coarseness, which must divide the number of steps.
struct dc_model dc_plan_coarser_model(const struct dc_model *model, int coarseness);

// Sets another window of at most the steps given at creation, without applied steps yet.  Ends a running minimization;
// parameter_count follows; the caller sets start, state and parameters.
void dc_plan_set_window(struct dc_plan *plan, long first, int steps);

// Puts the start of the window into plan->input with zero targets; applies the controls with parameters.
void dc_plan_reset_input(struct dc_plan *plan);
void dc_plan_apply(struct dc_plan *plan, const double *parameters);
// The model with the design of plan->input, valid until the next rollout.
const struct dc_model *dc_plan_model(const struct dc_plan *plan);
// Loss of plan->trajectory, a rollout of plan->input, by that model; adds its derivatives to cotangent unless NULL.
double dc_plan_loss(const struct dc_plan *plan, struct dc_loss_cotangent *cotangent);

// Rolls out with parameters [parameter_count] and computes the loss and, unless NULL, its gradient.  The trajectory
// stays in plan->trajectory.  Statuses of dc_rollout_forward, and of dc_rollout_adjoint or a dc_gradient_function;
// DC_NUMERICAL also when loss or gradient are not finite.
enum dc_status dc_plan_evaluate(struct dc_plan *plan, const double *parameters, double *loss, double *gradient,
                                struct dc_error *error);

// Rolls out with plan->parameters and computes the loss; proceed (may be NULL) is polled between steps of its own
// world.  DC_STOPPED when it returned false: window, plan->parameters and loss are then those of the completed steps,
// without cases.  In a plant, if there is one.  Other statuses as above.
enum dc_status dc_plan_simulate(struct dc_plan *plan, dc_rollout_proceed *proceed, void *context, double *loss,
                                struct dc_error *error);

// Prepares for values of points: nothing is kept yet, and there is memory for it, unless it would take too much.
void dc_plan_keep_none(struct dc_plan *plan);
// Keeps the rollout of a point that has just ended with this loss, if it is the lowest so far.
void dc_plan_keep(struct dc_plan *plan, int sample, double loss);
// Keeps the last rollout of another plan of the same world, if that was with these parameters.
void dc_plan_keep_of(struct dc_plan *plan, const struct dc_plan *other, const double *parameters);
// Whether these parameters are those of the kept rollout.
bool dc_plan_keeps(const struct dc_plan *plan, const double *parameters);
// Sets plan->trajectory and plan->input to those of kept.parameters: from what is kept, or else by another rollout,
// which is not counted.  Derivatives of the trajectory have the same bits either way.  Statuses of dc_plan_evaluate.
enum dc_status dc_plan_return_to_kept(struct dc_plan *plan, struct dc_error *error);

// Rolls out the present plan->input into plan->trajectory.  Statuses of dc_rollout_forward.
enum dc_status dc_plan_roll_out(struct dc_plan *plan, struct dc_error *error);
// Copies plan->trajectory into a record of as many steps.  DC_OK or DC_MEMORY.
enum dc_status dc_plan_record(struct dc_plan *plan, struct dc_trajectory *record, struct dc_error *error);

// Adds what a worker has done to *sum, but for the seconds, which are those of the one who waits for it.
void dc_plan_add_work(struct dc_plan_work *sum, const struct dc_plan_work *work);
// The plan's work is what it was before, but for the time that was spent.
void dc_plan_uncount_work(struct dc_plan *plan, const struct dc_plan_work *before);

enum { DC_PLAN_TERMS = 32 };  // most that rows tell of; of more none are told

// A row of progress: what observers see, and what loss.csv and progress.jsonl hold.
struct dc_plan_iteration {
  int iteration;
  double loss, gradient_norm, min_gap;
  long newton_iterations;  // since the iteration before
  bool best;
  int stage;          // of a search (search.h), from 1; 0: none
  const char *phase;  // of a search: "guess", "draw", "refine"; else NULL
  int backed_off;
  int parameter_count;
  const double *parameters;
  // Number of terms of the loss: objectives, or worlds where there are cases; 0: one, too many, or unknown.
  int term_count;
  double terms[DC_PLAN_TERMS];
  double seconds;  // since the start of the run; set by who writes rows
};
// Called after every successful evaluation; returns false to stop.
typedef bool dc_plan_observer(void *context, const struct dc_plan_iteration *iteration);

// Starts to minimize the loss of the window from parameters; options must stay valid until the end.
enum dc_status dc_plan_begin(struct dc_plan *plan, const struct dc_optimizer_type *optimizer, const void *options,
                             const double *parameters, struct dc_error *error);
// Draws the first guess where plan->guess.settings says so, then iterates until it is done or stopped.  The observer
// stops it between iterations; plan->stop stops it within a Jacobian, which undoes the iteration (DC_STOPPED: another
// call continues).  First and best trajectories and parameters are kept in plan. Where it is blocked, or evaluations
// fail in a row, it restarts near the best point, up to most_retreats times. Statuses of dc_minimization_next.
enum dc_status dc_plan_continue(struct dc_plan *plan, dc_plan_observer *observer, void *observer_context,
                                struct dc_error *error);
// Does one iteration; *done: there is none left, and *iteration is unchanged.  After DC_STOPPED only the time is
// counted.
enum dc_status dc_plan_next(struct dc_plan *plan, struct dc_plan_iteration *iteration, bool *done,
                            struct dc_error *error);
// Number of iterations after the first guess, including retreats; 0 without a minimization.
int dc_plan_iterations(const struct dc_plan *plan);
// Ends the minimization; its results in plan stay.
void dc_plan_end(struct dc_plan *plan);

// Save and load the work done and the running minimization, if any: after dc_plan_begin, inside the observer or after
// dc_plan_continue, under names that begin with "plan/" and "optimizer/".  Loading must follow dc_plan_begin for the
// same window and options, or happen without a minimization.
// Trajectories are rolled out again, which gives the same bits and is not counted as work.  After loading, the next
// iteration is the one that would have come.
enum dc_status dc_plan_save(const struct dc_plan *plan, struct dc_snapshot *snapshot);
enum dc_status dc_plan_load(struct dc_plan *plan, const struct dc_snapshot *snapshot, struct dc_error *error);
// The same under names with a prefix in front, for several plans in one snapshot.
enum dc_status dc_plan_save_as(const struct dc_plan *plan, const char *prefix, struct dc_snapshot *snapshot);
enum dc_status dc_plan_load_as(struct dc_plan *plan, const char *prefix, const struct dc_snapshot *snapshot,
                               struct dc_error *error);
// Loads only the numbers: trajectories stay as before, and the caller sets best_loss, until dc_plan_load_as has loaded
// what was saved meanwhile.
enum dc_status dc_plan_load_numbers_as(struct dc_plan *plan, const char *prefix, const struct dc_snapshot *snapshot,
                                       struct dc_error *error);

// Parameters for another number of steps.  Each control keeps its parameters as far as both numbers of steps
// have them; further ones are initial ones.  Those of the design stay.
void dc_parameters_resize(const struct dc_task *task, const struct dc_model *model, int from_steps, const double *from,
                          int to_steps, double *to);

#endif
