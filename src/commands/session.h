// SPDX-License-Identifier: Apache-2.0
// A simulation or optimization under way.  Private to src/commands.
#ifndef DC_COMMANDS_SESSION_H
#define DC_COMMANDS_SESSION_H

#include "api/internal.h"
#include "api/poll.h"
#include "base/snapshot.h"
#include "commands/extremes.h"
#include "commands/start_inside.h"
#include "io/run/run.h"
#include "plan/closed_loop.h"
#include "plan/receding_horizon.h"

struct session;
struct outcome;

// A kind of run (run_kinds.c): simulation, optimization, receding horizon, replay of one.
struct run_kind {
  // Makes plan or horizon for parameters [of all steps]; DC_BAD_INPUT when bodies overlap at the start.
  enum dc_status (*prepare)(struct session *session, const double *parameters);
  // Opens the run directory: a new one, or, of what can be resumed, the one to go on in.
  enum dc_status (*begin)(struct session *session);
  enum dc_status (*compute)(struct session *session, struct dc_error *error);
  // To and from a checkpoint; NULL: there are none.
  enum dc_status (*save)(const struct session *session, struct dc_snapshot *snapshot);
  enum dc_status (*load)(struct session *session, const struct dc_snapshot *snapshot);
  // Fills in what the kind knows (success is filled in by the caller); the first line of the report.
  enum dc_status (*outcome)(struct session *session, struct outcome *outcome);
  void (*headline)(const struct session *session, const dcsim_result *result, struct dc_text *text);
};

enum { SESSION_RECENT = 64 };

// Times of a run by dc_seconds, s.
struct session_times {
  double began;            // when this process began the run
  double start;            // the same minus the time spent before a resumed checkpoint
  double last_sign;        // of the last call of the progress function between rows
  double last_checkpoint;  // when it was written
  char started[32];        // when the run began, in UTC
};

// Everything a run holds; zero-initialized.
struct session {
  const dcsim_scene *scene;
  const dcsim_run_options *options;
  bool optimizing;
  // dcsim_optimize, for runs by which advice is tried; NULL where the session simulates.
  int (*optimize)(const dcsim_scene *scene, const dcsim_run_options *options, dcsim_result *result,
                  dcsim_report *report, dcsim_error *error);
  const double *given;                  // parameters to simulate with, of all steps; NULL: the first guess
  const struct run_kind *kind;          // NULL until it is chosen, and of a refinement
  struct dc_stored_trajectory earlier;  // of options->control_run, while the run is prepared
  struct dc_plan_crew *crew;            // other ranks, or NULL
  struct dc_search *search;             // for plan, or NULL
  struct dc_plan *plan;                 // of the whole run, or
  struct dc_receding_horizon *horizon;  // of windows, optimized or replayed; the other one is NULL
  struct dc_execution *execution;       // of a plan of the whole run in the scene's plant; NULL: none
  struct dc_run *run;                   // NULL: nothing is written
  char replaced[4352];                  // directory of the run in whose place it is, until there is a result; or ""
  long rows;                            // of loss.csv
  double recent[SESSION_RECENT];        // losses of the last rows: row k at k % SESSION_RECENT
  struct session_times times;
  struct dc_stop_request stop;          // within iterations
  struct dc_api_poll poll;              // of options->poll
  dcsim_trajectory shown;               // to the progress function
  double first_loss, best_loss;
  enum dc_status row_status;  // of writing rows and checkpoints
  bool stopped;
  bool in_one_piece;      // controls of a receding horizon that is not replayed
  bool checkpoint_asked;  // between rows, to be written after the next one
  int stop_status;        // what the progress function returned; 0 when the time limit stopped the run
  struct dc_snapshot *snapshot;
  struct dc_inside_list inside;  // bodies that start inside the barrier of others
  struct dc_error error;
};

// The kind that scene, options and the earlier run ask for.  Sets in_one_piece.
const struct run_kind *dc_session_choose_kind(struct session *session);

// Computes what options ask for, without files ("directory" is "none"): what came of it, of which outcome->applied is
// the caller's to free; the rest is the session's.
enum dc_status dc_session_compute(struct session *session, struct outcome *outcome);
// Frees what a session computed with; also after a failure.
void dc_session_release(struct session *session);

bool dc_session_writes_nothing(const struct session *session);
// Opens the run directory as asked for, or runs/<name>-<UTC time>; nothing for "none".
enum dc_status dc_session_open_run(struct session *session);

// Takes the name out of the result when what stands under it, if anything, is no longer this run's directory.
void dc_session_forget_lost_directory(const struct session *session, dcsim_result *result);

// The result of a case.
struct case_outcome {
  const char *name;
  double loss, distance;  // of the body farthest from its target, m; NAN: no objective tells
  int body;               // that one, or -1
  bool success;
};

// The results of a run so far; refers to the session.
// A snapshot of pointers into plan, search or horizon, valid until that computes again.
struct outcome {
  int case_count;
  struct case_outcome *cases;
  const struct dc_trajectory *best, *first;          // first may be NULL
  const double *best_parameters, *first_parameters;  // for as many steps as the trajectories have
  struct dc_applied_targets targets;                 // of a horizon
  double *applied;                                   // memory of best_parameters, or NULL
  struct dc_trajectory judged;                       // what the loss is of: best, or its last frame; not destroyed
  const struct dc_rollout_input *input;              // that goes with it
  const struct dc_plan *plan;                        // that did the work
  const struct dc_model *model;                      // that the input's design makes, until the plan rolls out again
  int iterations;
  bool success;
  const char *end;  // why an optimization is over: "target", ...; NULL: it is not, or there was none
  int retreats;
  // Extremes and contacts of best, while the run is reported; contacts NULL: not known.
  const struct dc_extremes *extremes;
  const struct dc_contact_list *contacts;
};
enum dc_status dc_session_outcome(struct session *session, struct outcome *outcome);

// Forces, speeds and contacts of the best trajectory, for the report and the files.
struct readout {
  struct dc_rollout_input input, *whole;  // with targets of all steps; whole: memory of it, or NULL
  struct dc_contact_list contacts;
  struct dc_extremes extremes;
};
// Computes them into a zeroed readout, which outcome refers to from then on; contacts only where asked.
enum dc_status dc_session_read_out(struct session *session, struct outcome *outcome, bool asked,
                                   struct readout *readout);
void dc_session_free_readout(struct readout *readout);

// Judges the cases at the outcome's best parameters, which makes its success that of all; outcome->cases is the
// caller's to free.  Nothing without cases, or when not all steps were done.
enum dc_status dc_session_judge_cases(struct session *session, struct outcome *outcome);
// dc_api_check_start of every case of the session's plan.
enum dc_status dc_session_check_cases(const struct session *session, const double *parameters, struct dc_error *error);

// How a plan that was found in one piece fared in the scene's plant.
struct transfer {
  bool executed, success;
  struct dc_loop_result loop;  // of a scene without an optimizer; tries 0: it was executed in one piece
  double loss;
  struct dc_trajectory *record;  // owned by the caller, or NULL
  struct dc_error failure;       // why it was not executed to its end
};
// Whether the run is of that kind.
bool dc_session_is_transferred(const struct session *session);
enum dc_status dc_session_transfer(struct session *session, const struct outcome *outcome, struct transfer *transfer);
enum dc_status dc_session_plan_outcome(struct session *session, struct outcome *outcome);
enum dc_status dc_session_horizon_outcome(struct session *session, struct outcome *outcome);

// The first lines of reports.
void dc_session_say_simulated(const struct session *session, const dcsim_result *result, struct dc_text *text);
void dc_session_say_optimized(const struct session *session, const dcsim_result *result, struct dc_text *text);
void dc_session_say_applied(const struct session *session, const dcsim_result *result, struct dc_text *text);
void dc_session_say_replayed(const struct session *session, const dcsim_result *result, struct dc_text *text);

// Observers of the kinds; context is the session.  They report to the caller and say whether to go on.
void dc_session_observe_draw(void *context, long draw, long draws);
bool dc_session_observe_iteration(void *context, const struct dc_plan_iteration *iteration);
bool dc_session_observe_window(void *context, const struct dc_plan_iteration *iteration);
bool dc_session_observe_steps(void *context, const struct dc_plan_iteration *row);
bool dc_session_observe_step(void *context);
bool dc_session_observe_jacobian(void *context);
bool dc_session_observe_loop(void *context);

// Numbers, report (text and JSON) of a run.
void dc_session_fill_result(const struct session *session, const struct outcome *outcome, dcsim_result *result);
struct dc_advice_list;
void dc_session_describe(const struct session *session, const struct outcome *outcome, const struct transfer *transfer,
                         const struct dc_advice_list *advice, const dcsim_result *result, struct dc_text *text,
                         struct dc_json_writer *json);
enum dc_status dc_session_write_summary(struct session *session, const dcsim_result *result, enum dc_status status,
                                        const char *json);

// Ends a run whose files are written (written: the status of that): writes the animated model, whose failure is only a
// warning in result, and closes the directory.  Returns the status of all.
enum dc_status dc_session_close_run(struct session *session, const struct dc_trajectory *trajectory,
                                    const double *parameters, dcsim_result *result, enum dc_status written);

// After every iteration: writes a checkpoint when it is asked for, when it is time, or when the run stops.  Does
// nothing without a run directory.  Inside an observer of rows only.
enum dc_status dc_session_checkpoint_if_due(struct session *session, bool asked_for);
// Writes the checkpoint of an optimization, unless there is no run directory.  Inside an observer of rows, before the
// first or after the run was stopped.
enum dc_status dc_session_checkpoint(struct session *session);
// Goes on from the checkpoint in options->resume: the plan must have begun its minimization, the horizon be fresh;
// opens the run.  DC_CHECKPOINT when it does not fit.
enum dc_status dc_session_resume(struct session *session);

#endif
