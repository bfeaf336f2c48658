// SPDX-License-Identifier: Apache-2.0
// The run directory of a simulation, an optimization or a refinement: opening it, its summary, closing it.
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "commands/glb.h"
#include "commands/session.h"
#include "contact/kernels/lane_kernels.h"
#include "math/libraries.h"
#include "optimize/nlopt.h"
#include "render/render.h"

bool dc_session_writes_nothing(const struct session *session)
{
  const char *asked = session->options->directory;
  return asked && strcmp(asked, "none") == 0;
}

// Opens the run directory: the one given, or runs/NAME-TIME.  A directory to be overwritten is set aside and comes back
// when the new one cannot be created; it is discarded after the summary is written.
enum dc_status dc_session_open_run(struct session *session)
{
  const char *asked = session->options->directory;
  if (dc_session_writes_nothing(session))
    return DC_OK;
  char made[900];
  if (!asked) {
    char stamp[32];
    dc_utc_compact_stamp(stamp, sizeof stamp);
    snprintf(made, sizeof made, "runs/%.200s-%s", session->scene->scene->name, stamp);
    asked = made;
  }
  if (session->given && dc_run_has(asked, "resolved.json"))  // of a case, whose run was left before
    return dc_run_reopen(asked, session->scene->scene, 0, &session->run, &session->error);
  enum dc_status status = DC_OK;
  if (session->options->overwrite)
    status = dc_run_set_aside(asked, session->replaced, sizeof session->replaced, &session->error);
  if (!status)
    status = dc_run_create(asked, session->scene->scene, session->options->results_only && !session->optimizing,
                           &session->run, &session->error);
  if (status && session->replaced[0])
    dc_run_take_back(session->replaced, asked);
  return status;
}

// The exit status that the program will have, for run.json: that of the stop, of the failure, or DCSIM_UNMET
// where success is required.
static int exit_status_of(const struct session *session, const dcsim_result *result, enum dc_status status)
{
  int exit_status = status == DC_STOPPED ? session->stop_status : (int)status;
  bool unmet = !result->success || result->plant_success == 0;
  return exit_status == 0 && session->options->require_success && unmet ? DCSIM_UNMET : exit_status;
}

// Writes run.json, the last file of a run: a run that has it has ended.  The run that this one replaces is
// removed only now.
enum dc_status dc_session_write_summary(struct session *session, const dcsim_result *result, enum dc_status ended,
                                        const char *json)
{
  const char *libraries[] = {"OpenBLAS", dc_blas_version(),
                             "CHOLMOD",  dc_cholmod_version(),
                             "Embree",   dc_embree_version(),
                             "libpng",   dc_png_version(),
                             NULL,       NULL,
                             NULL,       NULL,
                             NULL};
  int next = 8;
  if ((libraries[next + 1] = dc_mujoco_version())) {
    libraries[next] = "MuJoCo";
    next += 2;
  }
  if ((libraries[next + 1] = dc_nlopt_version()))
    libraries[next] = "NLopt";
  struct dc_run_summary summary = {.version = dcsim_version(),
                                   .command = session->options->command_line,
                                   .seed = session->scene->seed,
                                   .threads = omp_get_max_threads(),
                                   .vector_width = dc_lane_kernels()->name,
                                   .blas_core = dc_blas_core(),
                                   .started = session->times.started,
                                   .seconds = result->seconds,
                                   .exit_status = exit_status_of(session, result, ended),
                                   .stopped = session->stopped,
                                   .libraries = libraries,
                                   .result_json = json};
  enum dc_status status = dc_run_write_summary(session->run, session->scene->scene, &summary, &session->error);
  if (!status && session->replaced[0])
    dc_run_discard(session->replaced);
  return status;
}

// The animated model is for looking at: a run is complete without it.
static void write_glb(const struct session *session, const struct dc_trajectory *trajectory, const double *parameters,
                      dcsim_result *result)
{
  struct dc_error error = {0};
  if (dc_api_write_run_glb(dc_run_directory(session->run), session->scene->scene, trajectory, parameters, &error))
    snprintf(result->warning, sizeof result->warning, "%s is not written: %.900s", dc_glb_name, error.text);
}

// Writes the animated model, syncs and closes the run; `written` is the status so far, which wins over a
// failure to close.
enum dc_status dc_session_close_run(struct session *session, const struct dc_trajectory *trajectory,
                                    const double *parameters, dcsim_result *result, enum dc_status written)
{
  if (written)
    dc_session_forget_lost_directory(session, result);
  else if (!session->options->results_only)
    write_glb(session, trajectory, parameters, result);
  struct dc_error closing = {0};
  enum dc_status closed = dc_run_close(session->run, &closing);
  session->run = NULL;
  if (!written && closed) {
    written = closed;
    session->error = closing;
  }
  return written;
}

// A directory that was moved or removed under the run is not told as its place.
void dc_session_forget_lost_directory(const struct session *session, dcsim_result *result)
{
  if (session->run && !dc_run_is_in_place(session->run))
    result->directory[0] = '\0';
}
