// SPDX-License-Identifier: Apache-2.0
// Work after every iteration, step or draw of a run: write a row, call the caller's progress function, write a
// checkpoint, observe limits.
#include <math.h>

#include "api/arrays.h"
#include "base/clock.h"
#include "commands/session.h"

// Adds a row to the run, unless there is none.
static void add_row(struct session *session, const struct dc_plan_iteration *iteration)
{
  struct dc_plan_iteration row = *iteration;
  row.seconds = dc_seconds() - session->times.start;
  if (session->run)
    session->row_status = dc_run_add_row(session->run, &row, &session->error);
  if (session->row_status)
    return;
  session->recent[session->rows % SESSION_RECENT] = iteration->loss;
  session->rows++;
}

// Tells the caller and notes what it wants: session->stopped and checkpoint_asked.
static void tell(struct session *session, dcsim_progress *progress)
{
  const dcsim_run_options *options = session->options;
  int answer = 0;
  progress->seconds = dc_seconds() - session->times.began;
  if (options->progress)
    answer = options->progress(options->progress_context, progress);
  if (answer == DCSIM_PROGRESS_CHECKPOINT) {
    session->checkpoint_asked = true;
  } else if (answer != 0) {
    session->stop_status = answer == DCSIM_PROGRESS_STOP ? DCSIM_OK : answer;
    session->stopped = true;
  }
}

// Whether the limit of time has passed, after which the run is over.
static void observe_limit(struct session *session)
{
  double most = session->options->max_seconds;
  if (most > 0 && dc_seconds() - session->times.began >= most)
    session->stopped = true;
}

// Tells the caller, asks whether to stop, writes a checkpoint when it is time.  False: stop.
static bool go_on(struct session *session, dcsim_progress *progress)
{
  const struct dc_trajectory *best = session->horizon ? session->horizon->executed
                                     : session->plan  ? session->plan->descent.best
                                                      : NULL;
  if (best && session->rows > 0) {
    session->shown = dc_api_view(best);
    progress->best = &session->shown;
  }
  if (session->row_status)
    return false;
  tell(session, progress);
  observe_limit(session);
  bool asked = session->checkpoint_asked;
  session->checkpoint_asked = false;
  if (session->optimizing)
    session->row_status = dc_session_checkpoint_if_due(session, asked);
  return !session->row_status && !session->stopped;
}

// A report that only time has passed.
static const dcsim_progress sign_of_life = {
    .loss = NAN, .best_loss = NAN, .gradient_norm = NAN, .min_gap = NAN, .fraction = -1};

// Whether the caller has not been told anything for so long that a signal or the time limit would seem to be
// overlooked.
static bool caller_waits(struct session *session)
{
  static const double patience = 0.05;  // s
  double now = dc_seconds();
  if (now - session->times.last_sign < patience)
    return false;
  session->times.last_sign = now;
  return true;
}

// Share of the iterations that are done when the one with this number, counted from 0, is.
static double share(int iteration, long iterations)
{
  return fmin(1, (iteration + 1.0) / ((double)iterations + 1));
}

// Draws cannot be stopped: the trajectory that a run leaves is one of an iteration.
void dc_session_observe_draw(void *context, long draw, long draws)
{
  struct session *session = context;
  const struct dc_receding_horizon *horizon = session->horizon;
  dcsim_progress progress = {.iteration = (int)draw,
                             .iterations = (int)draws,
                             .loss = NAN,
                             .best_loss = NAN,
                             .gradient_norm = NAN,
                             .min_gap = NAN,
                             .seconds = dc_seconds() - session->times.began,
                             .unit = "draw",
                             .fraction = horizon ? horizon->executed->steps / fmax(horizon->steps, 1) : 0};
  if (session->options->progress && !session->stopped) {
    int answer = session->options->progress(session->options->progress_context, &progress);
    session->checkpoint_asked |= answer == DCSIM_PROGRESS_CHECKPOINT;
  }
}

// A portfolio goes on until its rollouts are spent, a continuation alone until its stages have had their iterations.
static void count_search(const struct session *session, dcsim_progress *progress)
{
  const struct dc_search_settings *settings = &session->scene->scene->search;
  const struct dc_optimizer_common *common = session->scene->scene->optimizer_options;
  double done = progress->iteration, all = (double)common->iterations;
  if (settings->portfolio.rollouts > 0) {
    progress->unit = "rollout";
    done = (double)session->plan->work.rollouts;
    all = (double)settings->portfolio.rollouts;
  } else {
    all += (double)settings->continuation.stages * (double)settings->continuation.iterations;
  }
  progress->iteration = (int)done;
  progress->iterations = (int)fmin(all, 1e9);
  progress->fraction = fmin(1, done / fmax(all, 1));
}

// Called after every iteration of an optimization: notes the losses, writes the row, reports progress, and says whether
// to go on.
bool dc_session_observe_iteration(void *context, const struct dc_plan_iteration *iteration)
{
  struct session *session = context;
  const struct dc_optimizer_common *common = session->scene->scene->optimizer_options;
  if (iteration->iteration == 0)
    session->first_loss = session->best_loss = iteration->loss;
  // losses of a search may be those of a stage; infinite while nothing could be rolled out
  double best = session->search ? session->plan->descent.best_loss : fmin(session->best_loss, iteration->loss);
  session->best_loss = isinf(best) ? NAN : best;
  add_row(session, iteration);
  dcsim_progress progress = {.iteration = iteration->iteration,
                             .iterations = session->optimizing ? (int)common->iterations : 0,
                             .loss = iteration->loss,
                             .best_loss = session->best_loss,
                             .gradient_norm = iteration->gradient_norm,
                             .min_gap = iteration->min_gap,
                             .is_best = iteration->best,
                             .backed_off = iteration->backed_off,
                             .fraction = session->optimizing ? share(iteration->iteration, common->iterations) : 1,
                             .parameter_count = iteration->parameter_count,
                             .parameters = iteration->parameters};
  if (session->search)
    count_search(session, &progress);
  return go_on(session, &progress);
}

// A receding horizon as its caller sees it: step after step.  window: the part of the present window that is done.
static bool observe_horizon(struct session *session, const struct dc_plan_iteration *iteration, bool best,
                            double window)
{
  const struct dc_receding_horizon *horizon = session->horizon;
  double steps = horizon->executed->steps + window * (double)horizon->horizon.apply;
  dcsim_progress progress = {.iteration = horizon->executed->steps,
                             .iterations = horizon->steps,
                             .loss = horizon->loss,
                             .best_loss = horizon->lowest_loss,
                             .gradient_norm = iteration->gradient_norm,
                             .min_gap = iteration->min_gap,
                             .is_best = best,
                             .backed_off = iteration->backed_off,
                             .unit = "step",
                             .fraction = horizon->steps ? fmin(1, steps / horizon->steps) : 1,
                             .parameter_count = iteration->parameter_count,
                             .parameters = iteration->parameters};
  return go_on(session, &progress);
}

// After an iteration within a window: no row is written, as rows are of steps that were applied.
bool dc_session_observe_window(void *context, const struct dc_plan_iteration *iteration)
{
  const struct session *session = context;
  return observe_horizon(context, iteration, false, share(iteration->iteration, session->horizon->horizon.iterations));
}

// After the first steps of a window have been applied: the row, the best loss so far, and the progress.
bool dc_session_observe_steps(void *context, const struct dc_plan_iteration *row)
{
  struct session *session = context;
  if (row->iteration == 0)
    session->first_loss = row->loss;
  session->best_loss = session->horizon->lowest_loss;
  add_row(session, row);
  return observe_horizon(session, row, row->best, 0);
}

// Between the steps of a simulation.
bool dc_session_observe_step(void *context)
{
  struct session *session = context;
  dcsim_progress progress = sign_of_life;
  return !caller_waits(session) || go_on(session, &progress);
}

// Within a Jacobian.  Where it is stopped the iteration is taken back: a checkpoint has to wait for that.  The time
// limit waits for the iteration, or a run with a short one that is resumed again and again would never have it.
bool dc_session_observe_jacobian(void *context)
{
  struct session *session = context;
  dcsim_progress progress = sign_of_life;
  if (!session->stopped && caller_waits(session))
    tell(session, &progress);
  return !session->stopped;
}

// Within the loops around a plan that is executed in the plant.  They are no iterations with checkpoints of their own:
// the limit of time ends them at once.
bool dc_session_observe_loop(void *context)
{
  struct session *session = context;
  observe_limit(session);
  return dc_session_observe_jacobian(session);
}
