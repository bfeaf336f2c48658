// SPDX-License-Identifier: Apache-2.0
// The certificate of a run.  Private to src/commands.
#ifndef DC_COMMANDS_VERIFY_H
#define DC_COMMANDS_VERIFY_H

#include "commands/session.h"
#include "plan/certify.h"
#include "plan/gradient_check.h"

enum { DC_VERIFY_DIRECTIONS_MOST = 64, DC_VERIFY_DRAWS_MOST = 100000 };

// An answer that may be missing; note says why, then.
enum dc_answer { DC_ANSWER_NONE, DC_ANSWER_NO, DC_ANSWER_YES };

// The answers of one world: the plan's controls executed open loop, and its receding horizon in closed loop.  A note
// says why an answer is missing, or why a rollout ended.
struct dc_world_finding {
  enum dc_answer open, closed;
  char note[256], closed_note[256];
};

// Findings about a run, part by part.
struct dc_findings {
  // Reproduction: the first frame and body (-1: another number) that came out otherwise, and the largest distance, m.
  bool reproduced;
  int frames, frame, body;
  double deviation;
  char reproduction_note[512];
  struct dc_geometry_check geometry;
  // The adjoint along directions; error NAN: not checked, as the note says.
  int directions, straddling;
  struct dc_gradient_difference slopes[DC_VERIFY_DIRECTIONS_MOST];
  double gradient_error;
  bool gradient_at_first_guess;  // at the controls of the run the gradient is zero
  char gradient_note[256];
  // Residuals: the largest, relative to tolerance or rounding, and the step it is of; NAN: none, as the note says.
  double residual;
  int residual_step, unconverged;
  char residual_note[256];
  // Impulses of each body [bodies] and the share of those from afar, of all and of those between bodies that move; NAN:
  // not known, as the note says.
  double *near, *far, phantom, phantom_between;
  char phantom_note[256];
  // Executions.
  bool reachable;  // there is something to reach
  int draws, hits, failed;
  int closed_draws, closed_hits;  // perturbed starts in closed loop
  struct dc_world_finding worlds[DC_WORLDS];
};

// The command's state, from its options to its findings.  Everything that it owns is released by close_run in
// verify.c; directory and options are the caller's.  `began` is the time of dc_seconds at the start, s; checks counts
// the checks of progress reports, checks_done those that are over.
struct dc_verification {
  const char *directory;
  const dcsim_verify_options *options;
  dcsim_scene *opened;
  const struct dc_scene *scene;  // whose world the trajectory is of, or its plant's
  dcsim_scene *resolved;  // the same with the plant; the trajectory of a plan may be that before it was executed there
  struct dc_stored_trajectory stored;
  uint64_t hash;                 // of trajectory.h5
  struct dc_execution *there;    // of the scene's plant; NULL: it has none
  struct dc_plan *plan;          // for rollouts alone, of as many steps as are stored; its input is what drove the run
  struct dc_trajectory *judged;  // the trajectory out of the controls where it is the stored one, else the stored one
  struct dc_findings found;
  double began;
  int checks, checks_done;
  struct dc_error error;
};

// Says that a check is done, or, between, that there is life; DC_STOPPED when the caller wants to stop.
enum dc_status dc_verify_report_progress(struct dc_verification *v, bool done);

// Executes the plan in all worlds (verify_worlds.c).
enum dc_status dc_verify_worlds(struct dc_verification *v);

// Words and JSON of the findings; whether all that the scene demands holds (verify_report.c).
bool dc_verify_describe(const struct dc_verification *v, struct dc_text *text, struct dc_json_writer *json);

#endif
