// SPDX-License-Identifier: Apache-2.0
// Private to src/plan: what running a receding horizon and restoring one share.
#ifndef DC_PLAN_HORIZON_INTERNAL_H
#define DC_PLAN_HORIZON_INTERNAL_H

#include "plan/receding_horizon.h"

// Steps of the present window: fewer than the horizon's length at the end of the run.
int dc_horizon_window_steps(const struct dc_receding_horizon *horizon);
// Lets the plan's window start from the last executed frame, with the frame before it (or its velocity) as the past,
// exactly as if the run went on.
void dc_horizon_set_start(struct dc_receding_horizon *horizon);
// A minimization from the first guess of the window that has been set.  Statuses of dc_plan_begin.
enum dc_status dc_horizon_begin_window(struct dc_receding_horizon *horizon, struct dc_error *error);

// Replaces the first guess of the window that has been set by the best of several where that is asked for: by their
// losses in the window or, with trials in a simulator of others, in the plant.  DC_OK or DC_MEMORY.
enum dc_status dc_horizon_explore(struct dc_receding_horizon *horizon, struct dc_error *error);
// With trials in the plant: kept [parameter_count] becomes the best there of itself, the first guess of the window and,
// where several were compared in the window alone, all of them; h->foreseen is set by the plant.  DC_OK or DC_MEMORY.
enum dc_status dc_horizon_try(struct dc_receding_horizon *horizon, double *kept, struct dc_error *error);
// After frames have been applied and judged.
void dc_horizon_note_progress(struct dc_receding_horizon *horizon);

// Of a horizon with a plant; steps: at most executed at a time.
struct dc_horizon_plant *dc_horizon_plant_create(const struct dc_plant *plant, const struct dc_model *model, int steps,
                                                 struct dc_error *error);
// Room for trials of windows of at most so many steps.
enum dc_status dc_horizon_plant_add_trials(struct dc_horizon_plant *own, const struct dc_horizon *horizon,
                                           const struct dc_model *model, int steps, struct dc_error *error);
// The loss of the frame that the window's controls with parameters lead to in the plant, INFINITY when they cannot be
// executed; reached: everything, there.  With several factors on friction the worst of those that count; once it is not
// below enough no further one is tried.  Records nothing.
double dc_horizon_trial(struct dc_receding_horizon *horizon, const double *parameters, double enough, bool *reached);
// Whether that factor on friction counts in trials: no other one has predicted the steps executed so far twice as well.
bool dc_horizon_factor_counts(const struct dc_receding_horizon *horizon, int factor);
// A trajectory of one frame, which refers to the whole one.
struct dc_trajectory dc_horizon_frame_of(const struct dc_trajectory *whole, int frame);
void dc_horizon_plant_destroy(struct dc_horizon_plant *plant);
// Executes the first steps of h->plan->input in the plant.  Statuses of dc_execution_run, but DC_INFEASIBLE is
// DC_NUMERICAL here.
enum dc_status dc_horizon_execute(struct dc_receding_horizon *horizon, int count, struct dc_error *error);
// Finds where the next window starts in the planning world, of which foreseen [nq] is the frame that the plant should
// have come to.  Statuses as of dc_horizon_execute.
enum dc_status dc_horizon_place(struct dc_receding_horizon *horizon, const double *foreseen, struct dc_error *error);
// That start; zeros at the beginning of the run.  Refers to the horizon.
struct dc_plan_start dc_horizon_plant_start(const struct dc_receding_horizon *horizon);
enum dc_status dc_horizon_plant_save(const struct dc_receding_horizon *horizon, struct dc_snapshot *snapshot);
enum dc_status dc_horizon_plant_load(struct dc_receding_horizon *horizon, const struct dc_snapshot *snapshot,
                                     struct dc_error *error);
// States, targets and parameters: DC_CHECKPOINT when a number is not finite or so large that its square may overflow.
enum dc_status dc_horizon_get_reals(const struct dc_snapshot *snapshot, const char *name, size_t count, double *values,
                                    struct dc_error *error);
// Poses [bodies] of the state q after step `number`.  DC_CHECKPOINT: rotations must be as close to unit quaternions as
// a scene's.
enum dc_status dc_horizon_pose(const struct dc_receding_horizon *horizon, const char *name, int number, const double *q,
                               struct dc_pose *poses, struct dc_error *error);
// A number of states [count][nq] from a snapshot.  DC_CHECKPOINT when they cannot be.
enum dc_status dc_horizon_get_states(const struct dc_receding_horizon *horizon, const struct dc_snapshot *snapshot,
                                     const char *name, int count, double *q, struct dc_error *error);

#endif
