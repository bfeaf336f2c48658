// SPDX-License-Identifier: Apache-2.0
// When checkpoints are written and how a run goes on from one.  A checkpoint has the state of plan or horizon
// and what the session counts: rows written, first and best loss, the last losses, seconds.  Its identity
// (scene, meshes, version, kernels) must be that of the run that resumes, unless it is forced.
#include "io/run/checkpoint.h"

#include <limits.h>

#include "base/clock.h"
#include "commands/session.h"
#include "contact/kernels/lane_kernels.h"
#include "io/run/run_check.h"
#include "math/libraries.h"

static const double DEFAULT_SECONDS = 30;

enum { LOSSES = 2 };  // the first and the best

// The identity of this scene with this program on this machine.
static enum dc_status identify(struct session *session, struct dc_checkpoint_identity *identity)
{
  return dc_checkpoint_identify(session->scene->scene, dcsim_version(), dc_lane_kernels()->name, dc_blas_core(),
                                identity, &session->error);
}

// Puts what the session counts, under "run/...", beside what plan or horizon put in.
// All numbers are written as bits, so that a resumed run continues exactly.  Losses of a run without rows are NAN and
// are written as zeros; rows == 0 says that they mean nothing.
static enum dc_status fill(struct session *session)
{
  struct dc_snapshot *snapshot = session->snapshot;
  double losses[LOSSES] = {0}, seconds = dc_seconds() - session->times.start;
  if (session->rows > 0)
    losses[0] = session->first_loss, losses[1] = session->best_loss;
  dc_snapshot_clear(snapshot);
  enum dc_status status = dc_snapshot_put_integers(snapshot, "run/rows", 1, &session->rows);
  if (!status)
    status = dc_snapshot_put_reals(snapshot, "run/losses", LOSSES, losses);
  if (!status)
    status = dc_snapshot_put_reals(snapshot, "run/recent", SESSION_RECENT, session->recent);
  if (!status)
    status = dc_snapshot_put_reals(snapshot, "run/seconds", 1, &seconds);
  if (status)
    return status;
  return session->kind->save(session, snapshot);
}

// Writes a checkpoint now; without a run directory nothing is done.  The snapshot is kept from one checkpoint to the
// next, so that its memory is allocated once.  DC_MEMORY, DC_IO.
enum dc_status dc_session_checkpoint(struct session *session)
{
  if (!session->run)
    return DC_OK;
  if (!session->snapshot)
    session->snapshot = dc_snapshot_create();
  if (!session->snapshot || fill(session))
    return dc_out_of_memory_for(&session->error, "a checkpoint");
  struct dc_checkpoint_identity own;
  enum dc_status status = identify(session, &own);
  if (!status)
    status = dc_checkpoint_write(session->run, &own, session->snapshot, &session->error);
  session->times.last_checkpoint = dc_seconds();
  return status;
}

// Writes a checkpoint where it is asked for, the interval is over, or the run was stopped.
enum dc_status dc_session_checkpoint_if_due(struct session *session, bool asked_for)
{
  double every = session->options->checkpoint_seconds;
  if (every < 0)
    every = DEFAULT_SECONDS;
  bool due = dc_seconds() - session->times.last_checkpoint >= every;
  return asked_for || due || session->stopped ? dc_session_checkpoint(session) : DC_OK;
}

// Takes back what fill() put in.  The start is moved back by the seconds that the run has had, so that its time
// counts on.
static enum dc_status load(struct session *session)
{
  const struct dc_snapshot *snapshot = session->snapshot;
  double losses[LOSSES], seconds;
  enum dc_status status = dc_snapshot_get_counts(snapshot, "run/rows", 1, INT_MAX, &session->rows, &session->error);
  if (!status)
    status = dc_snapshot_get_reals(snapshot, "run/losses", LOSSES, losses, &session->error);
  if (!status)
    status = dc_snapshot_get_reals(snapshot, "run/recent", SESSION_RECENT, session->recent, &session->error);
  if (!status)
    status = dc_snapshot_get_reals(snapshot, "run/seconds", 1, &seconds, &session->error);
  if (!status)
    status = session->kind->load(session, snapshot);
  if (status)
    return status;
  if (session->rows > 0)
    session->first_loss = losses[0], session->best_loss = losses[1];
  session->times.start -= seconds;
  return DC_OK;
}

// Killed while it wrote what a run begins with, before its first checkpoint: nothing was computed yet.
static enum dc_status begin_again(struct session *session)
{
  enum dc_status status =
      dc_run_begin_again(session->options->resume, session->scene->scene, &session->run, &session->error);
  return status ? status : dc_session_checkpoint(session);
}

// Resumes a run from its checkpoint; a run that was cut short before it had one begins again in its directory.
// The order matters: the identity is compared before anything of the snapshot is loaded, and the directory is opened
// for writing last, when rows after the checkpoint are cut off.  On failure no row is cut off.
enum dc_status dc_session_resume(struct session *session)
{
  const char *directory = session->options->resume;
  const struct dc_scene *scene = session->scene->scene;
  enum dc_status status = dc_run_check(directory, true, &session->error);
  if (status)
    return status;
  if (dc_run_was_cut_short(directory))
    return begin_again(session);
  session->snapshot = dc_snapshot_create();
  if (!session->snapshot)
    return dc_out_of_memory_for(&session->error, "a checkpoint");
  struct dc_checkpoint_identity own;
  status = identify(session, &own);
  if (!status)
    status = dc_checkpoint_read(directory, &own, session->options->force != 0, session->snapshot, &session->error);
  if (!status && (status = load(session)))
    dc_error_prefix(&session->error, "%.500s", directory);
  if (!status)
    status = dc_run_reopen(directory, scene, session->rows, &session->run, &session->error);
  session->times.last_checkpoint = dc_seconds();
  return status;
}
