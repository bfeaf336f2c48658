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

// What has been computed, rollouts of estimated gradients and of drawn first guesses included; failed rollouts count in
// seconds only.
struct dc_plan_work {
  long rollouts, steps;  // steps of all rollouts
  long newton_iterations;
  long evaluations;        // of the contact
  double seconds;          // spent in evaluations
  double contact_seconds;  // in the contact, of all threads together
};

// What a plan owns and somebody else has made: workers, an estimator of gradients.  Zeros: nothing.
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

// The lowest of the points whose values the optimizer has asked for last: most linearize there next.  Its trajectory is
// kept where it was rolled out by the plan itself and not by a worker; not with cases.
#define DC_MOST_KEPT_BYTES 64e6  // of its derivatives of contact; else it is not kept
struct dc_plan_kept {
  bool known;                        // there is such a point
  double *parameters;                // [parameter_count] of it
  struct dc_trajectory *trajectory;  // NULL until it was wanted
  int sample;                        // whose rollout that is, of the points; -1: none
  double loss;                       // of that
};

// A model, a task, a window of the run and everything to evaluate them; one caller at a time.  Where the task has cases
// (plan_cases.h) losses and gradients are sums over all of them; trajectories are those of the model.
struct dc_plan {
  struct dc_arena *arena;  // of numbers that it has from its creation on
  const struct dc_model *model;
  const struct dc_task *task;
  struct dc_window window;
  struct dc_plan_start start;        // of the window
  struct dc_execution *execution;    // the caller's to set and to destroy: where dc_plan_simulate rolls out; NULL: here
  double *state;                     // [dc_task_state_size] what the controls remember at the start of the window
  bool forward;                      // for rollouts alone
  int capacity, parameter_capacity;  // steps and parameters there is room for
  int parameter_count, pair_count, state_size;
  struct dc_rollout *rollout;
  struct dc_rollout_input *input;
  struct dc_rollout_cotangent *cotangent;
  struct dc_loss_cotangent loss_cotangent;  // wrenches [steps + 1][bodies], forces [steps + 1][nv]
  struct dc_trajectory *trajectory;         // of the last evaluation
  double *evaluated;                        // its parameters [parameter_count]
  bool succeeded;                           // trajectory and input are those of evaluated
  bool differentiated;  // derivatives of trajectory were taken: warm starts are not the rollout's any more
  struct dc_plan_kept kept;
  struct dc_trajectory *first, *best;    // of an optimization; without the derivatives of pairs
  double best_loss;                      // of best
  double *parameters, *best_parameters;  // [parameter_count]; parameters: the first guess
  double *first_parameters;
  int *group;                            // [parameter_count]
  double *low, *high;                    // [parameter_count] bounds
  struct dc_minimization *minimization;  // under way, or NULL
  struct dc_problem problem;
  const struct dc_optimizer_type *optimizer;  // of the minimization
  const void *optimizer_options;
  struct dc_gradient_settings gradient;  // set by dc_plan_set_gradient; at creation the adjoint
  dc_gradient_function *estimate;        // of gradients that are not by the adjoint
  struct dc_plan_property estimator;     // of gradient.c, once one was estimated
  struct dc_gradient_counts gradient_counts;
  struct dc_first_guess_settings first_guess;  // at creation: as given
  struct dc_first_guess_counts first_guess_counts;
  struct dc_first_guess_observer first_guess_observer;  // the caller's to set; at creation: none
  bool first_guess_found;                               // for the minimization under way
  struct dc_plan_work work;                             // since creation
  long newton_before;                                   // of work, when the present iteration began
  double stiffness, far_field;   // factors on the contact stiffness and on the far field of soft bodies, at creation 1
  int coarseness;                // steps of the scene in one of the model's, at creation 1
  int earlier;                   // iterates of minimizations before the one under way
  int retreats, most_retreats;   // dc_plan_continue; most: the caller's to set, at creation 0
  struct dc_residual_rows rows;  // of the last linearization for an optimizer
  int case_count;
  struct dc_plan **cases;        // [case_count] of the task's
  struct dc_plan_property team;  // struct dc_plan_team of dc_plan_values (worker.h), once it was asked
  struct dc_stop_request
      *stop;  // the caller's to set: heard within an iteration, but for the first; NULL: nobody is asked
  struct dc_plan_crew *crew;  // the caller's to set: processes that many points are shared with (crew.h); NULL: none
};

// The window is the first steps of the run from the model's own start.  NULL and *error on failure.
struct dc_plan *dc_plan_create(const struct dc_model *model, const struct dc_task *task, int steps,
                               struct dc_error *error);
// The same for rollouts alone, in a fraction of the memory: no adjoint and no optimization.  cotangent, the arrays of
// loss_cotangent, first and best are NULL, plan->trajectory has no tape.
// in_file: the trajectory has no room for frames before dc_plan_use_file, which comes before the first rollout.
struct dc_plan *dc_plan_create_forward(const struct dc_model *model, const struct dc_task *task, int steps,
                                       bool in_file, struct dc_error *error);
// Lets a file of dc_record_bytes for plan->capacity steps hold the trajectory; it is the plan's then, also on failure.
enum dc_status dc_plan_use_file(struct dc_plan *plan, struct dc_mapped_file *file, struct dc_error *error);
void dc_plan_destroy(struct dc_plan *plan);
// The model with time steps so many times as long, for a plan of that coarseness; it must divide the steps.
struct dc_model dc_plan_coarser_model(const struct dc_model *model, int coarseness);

// Another window: at most as many steps as at creation, none of them applied yet.  Ends a minimization under way;
// parameter_count follows; start, state and parameters are the caller's to set.
void dc_plan_set_window(struct dc_plan *plan, long first, int steps);

// Puts the start of the window into plan->input, targets zero / and applies the controls with parameters.
void dc_plan_reset_input(struct dc_plan *plan);
void dc_plan_apply(struct dc_plan *plan, const double *parameters);
// The model that the design of plan->input makes, until the next rollout.
const struct dc_model *dc_plan_model(const struct dc_plan *plan);
// The loss of plan->trajectory, a rollout of plan->input, by that model; adds its derivatives to cotangent unless NULL.
double dc_plan_loss(const struct dc_plan *plan, struct dc_loss_cotangent *cotangent);

// Rolls out with parameters [parameter_count]: the loss, and its gradient unless NULL.  The trajectory stays in
// plan->trajectory.  Statuses of dc_rollout_forward, and of dc_rollout_adjoint or a dc_gradient_function; DC_NUMERICAL
// also when loss or gradient are not finite.
enum dc_status dc_plan_evaluate(struct dc_plan *plan, const double *parameters, double *loss, double *gradient,
                                struct dc_error *error);

// Rolls out with plan->parameters, asking proceed (unless NULL) between steps of its own world: the loss.  DC_STOPPED
// when it said no: the window, plan->parameters and the loss are then of the steps that were done, cases left out.  In
// a plant where there is one.  Other statuses as above.
enum dc_status dc_plan_simulate(struct dc_plan *plan, dc_rollout_proceed *proceed, void *context, double *loss,
                                struct dc_error *error);

// Before the values of points are asked for: nothing is kept yet, and there is memory for it unless it would take too
// much.
void dc_plan_keep_none(struct dc_plan *plan);
// Keeps the rollout of a point that has just ended with this loss, if it is the lowest so far.
void dc_plan_keep(struct dc_plan *plan, int sample, double loss);
// Another plan of the same world has rolled these parameters out already: if that is its last rollout, it becomes what
// is kept.
void dc_plan_keep_of(struct dc_plan *plan, const struct dc_plan *other, const double *parameters);
// Whether these parameters are what is kept.
bool dc_plan_keeps(const struct dc_plan *plan, const double *parameters);
// Makes plan->trajectory and plan->input those of kept.parameters: by what is kept or else by another rollout, which is
// not counted.  Derivatives of the trajectory have the same bits either way.  Statuses of dc_plan_evaluate.
enum dc_status dc_plan_return_to_kept(struct dc_plan *plan, struct dc_error *error);

// Rolls out plan->input as it stands into plan->trajectory.  Statuses of dc_rollout_forward.
enum dc_status dc_plan_roll_out(struct dc_plan *plan, struct dc_error *error);
// Copies plan->trajectory into a record of as many steps.  DC_OK or DC_MEMORY.
enum dc_status dc_plan_record(struct dc_plan *plan, struct dc_trajectory *record, struct dc_error *error);

// Adds what a worker has done to *sum, but for the seconds, which are those of the one who waits for it.
void dc_plan_add_work(struct dc_plan_work *sum, const struct dc_plan_work *work);
// The plan's work is what it was before, but for the time that was spent.
void dc_plan_uncount_work(struct dc_plan *plan, const struct dc_plan_work *before);

enum { DC_PLAN_TERMS = 32 };  // most that rows tell of; of more none are told

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
  int term_count;  // that the loss is the sum of: objectives, or worlds where there are cases; 0: one, too many, not known
  double terms[DC_PLAN_TERMS];
};
// Called after every successful evaluation; returns false to stop.
typedef bool dc_plan_observer(void *context, const struct dc_plan_iteration *iteration);

// Begins to minimize the loss of the window from parameters; options must live until the end.
enum dc_status dc_plan_begin(struct dc_plan *plan, const struct dc_optimizer_type *optimizer, const void *options,
                             const double *parameters, struct dc_error *error);
// Draws the first guess when plan->first_guess says so, then iterates until it is done or the observer stops it
// or plan->stop within a Jacobian, which takes the iteration back (DC_STOPPED: another call goes on); first and best
// trajectories and parameters are kept in plan.  Where it is blocked, or
// evaluations fail in a row, it begins again near the best point, up to most_retreats times.  Statuses of
// dc_minimization_next.
enum dc_status dc_plan_continue(struct dc_plan *plan, dc_plan_observer *observer, void *observer_context,
                                struct dc_error *error);
// One iteration of it; *done: there is none left, and *iteration is as it was.  After DC_STOPPED nothing is left of it
// but the time that it took.
enum dc_status dc_plan_next(struct dc_plan *plan, struct dc_plan_iteration *iteration, bool *done,
                            struct dc_error *error);
// Iterations after the first guess, retreats included; 0 without a minimization.
int dc_plan_iterations(const struct dc_plan *plan);
// Forgets it; what is kept in plan stays.
void dc_plan_end(struct dc_plan *plan);

// The work done and the minimization under way, if any, as they stand after dc_plan_begin, inside the observer or after
// dc_plan_continue, under names that begin with "plan/" and "optimizer/".  Loading comes after dc_plan_begin for the
// same window and options, or without a minimization; the trajectories are rolled out again, which gives the same bits
// and is not counted as work.  After loading the next iteration is the one that would have come.
enum dc_status dc_plan_save(const struct dc_plan *plan, struct dc_snapshot *snapshot);
enum dc_status dc_plan_load(struct dc_plan *plan, const struct dc_snapshot *snapshot, struct dc_error *error);
// The same under names with a prefix in front, for several plans in one snapshot.
enum dc_status dc_plan_save_as(const struct dc_plan *plan, const char *prefix, struct dc_snapshot *snapshot);
enum dc_status dc_plan_load_as(struct dc_plan *plan, const char *prefix, const struct dc_snapshot *snapshot,
                               struct dc_error *error);
// Loads the numbers alone: trajectories stay those of before and best_loss is the caller's to set, until
// dc_plan_load_as has loaded what was saved meanwhile.
enum dc_status dc_plan_load_numbers_as(struct dc_plan *plan, const char *prefix, const struct dc_snapshot *snapshot,
                                       struct dc_error *error);

// Parameters for another number of steps: of every control the first ones are those in from, what from lacks is
// initial; those of the design stay.
void dc_parameters_resize(const struct dc_task *task, const struct dc_model *model, int from_steps, const double *from,
                          int to_steps, double *to);

#endif
