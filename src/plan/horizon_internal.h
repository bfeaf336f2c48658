// SPDX-License-Identifier: Apache-2.0
// Functions that running and restoring a receding horizon share.  Private to src/plan.
#ifndef DC_PLAN_HORIZON_INTERNAL_H
#define DC_PLAN_HORIZON_INTERNAL_H

#include "plan/receding_horizon.h"

// Steps of the present window: fewer than the horizon's length at the end of the run.
int dc_horizon_window_steps(const struct dc_receding_horizon *horizon);
// Sets the start of the plan's window to the last executed frame, with the frame before it (or its velocity) as the
// past, exactly as if the run went on.
void dc_horizon_set_start(struct dc_receding_horizon *horizon);
// Begins a minimization from the first guess of the present window.  Statuses of dc_plan_begin.
enum dc_status dc_horizon_begin_window(struct dc_receding_horizon *horizon, struct dc_error *error);

// Replaces the first guess of the present window by the best of several, where requested: by their losses in the window
// or, with trials in a foreign simulator, in the plant.  DC_OK or DC_MEMORY.
enum dc_status dc_horizon_explore(struct dc_receding_horizon *horizon, struct dc_error *error);
// With trials in the plant: kept [parameter_count] becomes the best in the plant among itself, the first guess of the
// window and, where several were compared in the window alone, all of them; the plant also sets h->foreseen.  DC_OK or
// DC_MEMORY.
enum dc_status dc_horizon_try(struct dc_receding_horizon *horizon, double *kept, struct dc_error *error);
// Updates progress after frames have been applied and judged.
void dc_horizon_note_progress(struct dc_receding_horizon *horizon);

// Creates the plant's part of a horizon; steps: most steps executed at a time.
struct dc_horizon_plant *dc_horizon_plant_create(const struct dc_plant *plant, const struct dc_model *model, int steps,
                                                 struct dc_error *error);
// Makes room for trials of windows with at most so many steps.
enum dc_status dc_horizon_plant_add_trials(struct dc_horizon_plant *own, const struct dc_horizon *horizon,
                                           const struct dc_model *model, int steps, struct dc_error *error);
// Loss of the frame to which the window's controls with parameters lead in the plant, INFINITY when they cannot be
// executed; reached: everything, there.  With several friction factors it is the worst of those that count; once it is
// not below enough, no further one is tried.  Records nothing.
double dc_horizon_trial(struct dc_receding_horizon *horizon, const double *parameters, double enough, bool *reached);
// A trial of the whole window with the plant's own friction: the loss of all its frames, INFINITY when it cannot be
// executed.  input and outcome are the horizon's until the next trial.
struct dc_horizon_tried {
  const struct dc_rollout_input *input;
  const struct dc_trajectory *outcome;
  bool reached;
};
double dc_horizon_try_whole(struct dc_receding_horizon *horizon, const double *parameters,
                            struct dc_horizon_tried *tried);
// Moves kept [parameter_count] by `aims` Gauss-Newton steps with the plant's residuals and the plan's Jacobian to where
// the window's loss is lowest in the plant; sets h->foreseen.  DC_OK or DC_MEMORY.
enum dc_status dc_horizon_aim(struct dc_receding_horizon *horizon, double *kept, struct dc_error *error);
// Whether a friction factor counts in trials: no other one has predicted the executed steps twice as well.
bool dc_horizon_factor_counts(const struct dc_receding_horizon *horizon, int factor);
// A trajectory of one frame, which refers to the whole trajectory.
struct dc_trajectory dc_horizon_frame_of(const struct dc_trajectory *whole, int frame);
void dc_horizon_plant_destroy(struct dc_horizon_plant *plant);
// Executes the first steps of h->plan->input in the plant.  Statuses of dc_execution_run, but DC_INFEASIBLE is
// DC_NUMERICAL here.
enum dc_status dc_horizon_execute(struct dc_receding_horizon *horizon, int count, struct dc_error *error);
// Finds the start of the next window in the planning world; foreseen [nq] is the frame that the plant should have
// reached.  Statuses as for dc_horizon_execute.
enum dc_status dc_horizon_place(struct dc_receding_horizon *horizon, const double *foreseen, struct dc_error *error);
// The start found by dc_horizon_place; zeros at the beginning of the run.  Refers to the horizon.
struct dc_plan_start dc_horizon_plant_start(const struct dc_receding_horizon *horizon);
enum dc_status dc_horizon_plant_save(const struct dc_receding_horizon *horizon, struct dc_snapshot *snapshot);
enum dc_status dc_horizon_plant_load(struct dc_receding_horizon *horizon, const struct dc_snapshot *snapshot,
                                     struct dc_error *error);
// Reads states, targets and parameters: DC_CHECKPOINT when a number is not finite, or so large that its square may
// overflow.
enum dc_status dc_horizon_get_reals(const struct dc_snapshot *snapshot, const char *name, size_t count, double *values,
                                    struct dc_error *error);
// Poses [bodies] of the state q after step `number`.  DC_CHECKPOINT unless rotations are as close to unit quaternions
// as in a scene.
enum dc_status dc_horizon_pose(const struct dc_receding_horizon *horizon, const char *name, int number, const double *q,
                               struct dc_pose *poses, struct dc_error *error);
// Reads states [count][nq] from a snapshot.  DC_CHECKPOINT when they are impossible.
enum dc_status dc_horizon_get_states(const struct dc_receding_horizon *horizon, const struct dc_snapshot *snapshot,
                                     const char *name, int count, double *q, struct dc_error *error);

#endif
