// SPDX-License-Identifier: Apache-2.0
// A receding horizon as a member of a race: it runs a few windows in a turn, and when it ends the controls that it has
// applied are a first guess for the whole trajectory.
#ifndef DC_PLAN_RACE_WINDOWS_H
#define DC_PLAN_RACE_WINDOWS_H

#include "plan/receding_horizon.h"

// The number of steps for which the controls hold a target: the longest block of parameters.
int dc_race_held_steps(const struct dc_model *model, const struct dc_task *task, int steps);
// Settings for windows of a task, from the number of its steps and how long its controls hold a target.  False: windows
// do not fit the task.
bool dc_race_windows_settings(const struct dc_model *model, const struct dc_task *task, struct dc_horizon *settings);
// Runs the windows of a turn; *over: there are none left, or they failed.  Its work is added to *work.  DC_STOPPED:
// stop (may be NULL) was asked for; the turn is then to be taken back.
enum dc_status dc_race_windows_turn(struct dc_receding_horizon *windows, struct dc_stop_request *stop,
                                    struct dc_plan_work *work, bool *over, struct dc_error *error);
// Sets two first guesses for the whole run [2][parameters] of what was applied: steps after the last applied one have
// the initial parameters, or the last ones held.
void dc_race_windows_guesses(const struct dc_receding_horizon *windows, double *first, double *second);
// Save and load under names with a prefix.
enum dc_status dc_race_windows_save(const struct dc_receding_horizon *windows, const char *prefix,
                                    struct dc_snapshot *snapshot);
enum dc_status dc_race_windows_load(struct dc_receding_horizon *windows, const char *prefix,
                                    const struct dc_snapshot *snapshot, struct dc_error *error);

#endif
