// SPDX-License-Identifier: Apache-2.0
// The main loop of a sweep (run_all):
//
// 1. start processes while there are points and free places;
// 2. serve other ranks;
// 3. wait until a process writes or ends, and record the row of each that ended;
// 4. report progress; pass on a request to stop, and kill after a while. It ends when there are no points and no
//    processes left.
#include <poll.h>
#include <stdlib.h>

#include "base/clock.h"
#include "sweep/ranks.h"
#include "sweep/remover.h"

enum { MOST_JOBS = 1024, WAIT = 100, WAIT_BRIEFLY = 2 /* ms */ };

// The places for processes of this rank and when they are to end.
struct crew {
  struct dc_sweep *sweep;
  int jobs;
  struct dc_process *processes;  // [jobs]
  struct pollfd *polls;          // [jobs]
  double stop_time, kill_time;   // times to stop and to kill, 0: none
  bool stopped;                  // processes have been asked to stop
  double listened;               // time when all output was last read
};

// Records a row and takes it over: into the journal, or, on another rank, by a message to rank 0.
static enum dc_status record(struct dc_sweep *sweep, long point, struct dc_sweep_row *row, struct dc_error *error)
{
  bool worker = sweep->ranks && dc_ranks_is_worker(sweep->ranks);
  enum dc_status status =
      worker ? dc_ranks_send_row(sweep, point, row, error) : dc_sweep_add_row(sweep, point, row, error);
  if (!status)
    dc_point_tidy(&sweep->place, point, row);
  if (worker)
    dc_sweep_row_clear(row);
  return status;
}

// A process that cannot be started is a failure of the sweep, not a result of the point.
static enum dc_status start_point(struct crew *crew, struct dc_process *process, long point)
{
  struct dc_error error = {0};
  enum dc_status status = dc_process_start(&crew->sweep->place, point, process, &error);
  if (status)
    dc_sweep_break(crew->sweep, status, &error);
  else
    crew->sweep->running++;
  return status;
}

// Other ranks ask rank 0, which answers later; rank 0 and a sweep without ranks take the next point at once.
static enum dc_take take_point(struct dc_sweep *sweep, long *point)
{
  if (sweep->ranks && dc_ranks_is_worker(sweep->ranks))
    return dc_ranks_take(sweep, point);
  return dc_sweep_take(sweep, point) ? DC_TAKE_POINT : DC_TAKE_NONE;
}

// Starts points in free places.  Returns whether more points may come.
static bool start_points(struct crew *crew)
{
  for (int i = 0; i < crew->jobs && !crew->sweep->stopping; i++) {
    long point;
    if (crew->processes[i].pid)
      continue;
    enum dc_take take = take_point(crew->sweep, &point);
    if (take != DC_TAKE_POINT)
      return take == DC_TAKE_LATER;
    crew->processes[i].point = -1;
    start_point(crew, &crew->processes[i], point);
  }
  return !crew->sweep->stopping;
}

// Takes the result of a process that has ended, or starts its point again where it was interrupted.  A sweep
// breaks off when its own files fail.
static void finish_point(struct crew *crew, struct dc_process *process)
{
  struct dc_sweep *sweep = crew->sweep;
  struct dc_sweep_row row;
  struct dc_error error = {0};
  sweep->running--;
  enum dc_process_end end = dc_process_finish(&sweep->place, process, &row, &error);
  if (end == DC_BROKEN) {
    dc_sweep_row_clear(&row);
    dc_sweep_break(sweep, DC_IO, &error);
  } else if (end == DC_ENDED) {
    enum dc_status status = record(sweep, process->point, &row, &error);
    if (status)
      dc_sweep_break(sweep, status, &error);
  } else if (!sweep->stopping) {
    start_point(crew, process, process->point);
  }
}

// Waits for the end of a process, where the system can signal it; output, mostly none, is read ten times a second, so
// that no process blocks on a full pipe.  Elsewhere waits for the end of the output, then polls for the end of the
// process.
static void wait_for_processes(struct crew *crew, bool more)
{
  int timeout = crew->sweep->ranks ? WAIT_BRIEFLY : WAIT;
  for (int i = 0; i < crew->jobs; i++) {
    const struct dc_process *process = &crew->processes[i];
    int fd = process->end_fd >= 0 ? process->end_fd : process->said_fd;
    crew->polls[i] = (struct pollfd){.fd = process->pid ? fd : -1, .events = POLLIN};
    if (process->pid && fd < 0)
      timeout = WAIT_BRIEFLY;
  }
  if (crew->sweep->running == 0 && more && !crew->sweep->ranks)
    return;
  if (poll(crew->polls, (nfds_t)crew->jobs, timeout) < 0)
    return;
  bool listen = dc_seconds() - crew->listened > 1e-3 * WAIT;
  if (listen)
    crew->listened = dc_seconds();
  for (int i = 0; i < crew->jobs; i++)
    if (crew->processes[i].pid && (crew->polls[i].revents || crew->polls[i].fd < 0 || listen) &&
        dc_process_has_ended(&crew->processes[i]))
      finish_point(crew, &crew->processes[i]);
}

// Calls the caller's progress function; the time left follows from the mean time per point that ran in this process.
// An answer other than 0 stops the sweep.
static void report_progress(struct dc_sweep *sweep)
{
  const dcsim_sweep_options *options = sweep->options;
  if (!options->progress || sweep->stop_status)
    return;
  double seconds = dc_seconds() - sweep->began;
  long here = sweep->done - sweep->began_with;
  const dcsim_sweep_progress progress = {
      .size = sizeof progress,
      .points = sweep->wanted,
      .done = sweep->done,
      .running = sweep->running + sweep->running_there,
      .failed = sweep->failed,
      .reached = sweep->reached,
      .seconds = seconds,
      .seconds_left = here > 0 ? seconds / (double)here * (double)(sweep->wanted - sweep->done) : -1,
  };
  sweep->stop_status = options->progress(options->progress_context, &progress);
  if (sweep->stop_status)
    sweep->stopping = true;
}

// Passes a request to stop on to the processes, once, and kills them when the limit of time is near.
static void pass_stop_on(struct crew *crew)
{
  double now = dc_seconds();
  if (crew->stop_time > 0 && now >= crew->stop_time)
    crew->sweep->stopping = true;
  if (crew->sweep->stopping && !crew->stopped) {
    crew->stopped = true;
    for (int i = 0; i < crew->jobs; i++)
      dc_process_stop(&crew->processes[i]);
  }
  if (crew->kill_time > 0 && now >= crew->kill_time)
    for (int i = 0; i < crew->jobs; i++)
      dc_process_kill(&crew->processes[i]);
}

// Sets the times for queues that kill jobs at a limit: checkpoints are written a tenth of the time before it, at most
// 30 s.
static void set_times(struct crew *crew)
{
  double most = crew->sweep->options->max_seconds, margin = 0.1 * most < 30 ? 0.1 * most : 30;
  if (most <= 0)
    return;
  crew->stop_time = crew->sweep->began + most - margin;
  crew->kill_time = crew->sweep->began + most - 0.1 * margin;
}

// The main loop of a sweep, one turn whenever a process ends, at least every WAIT ms:
// 1. start processes on free places, while there are points;
// 2. with ranks, answer messages;
// 3. return when nothing runs and nothing more can come;
// 4. wait for a process to end, and take its row;
// 5. report progress, and pass on a stop or the limit of time.
static void run_all(struct crew *crew)
{
  struct dc_sweep *sweep = crew->sweep;
  for (;;) {
    bool more = start_points(crew);
    if (sweep->ranks)
      dc_ranks_serve(sweep);
    if (!more && sweep->running == 0 && (!sweep->ranks || dc_ranks_have_finished(sweep)))
      return;
    wait_for_processes(crew, more);
    report_progress(sweep);
    pass_stop_on(crew);
  }
}

// Removes directories that a killed sweep had not removed yet.
static void tidy_up(const struct dc_sweep *sweep)
{
  for (long i = 0; sweep->rows && i < sweep->study->points.count; i++)
    if (sweep->rows[i].done && dc_share_has(&sweep->share, i))
      dc_point_tidy(&sweep->place, i, &sweep->rows[i]);
}

// Without rows, on a rank other than 0, the count of points that are done is known to rank 0 only.
enum dc_status dc_sweep_run_points(struct dc_sweep *sweep, int jobs)
{
  struct crew crew = {.sweep = sweep, .jobs = jobs < MOST_JOBS ? jobs : MOST_JOBS};
  crew.processes = calloc((size_t)crew.jobs, sizeof *crew.processes);
  crew.polls = calloc((size_t)crew.jobs, sizeof *crew.polls);
  sweep->place.remover = dc_remover_create();
  if (crew.processes && crew.polls) {
    set_times(&crew);
    tidy_up(sweep);
    run_all(&crew);
  } else {
    dc_out_of_memory_for(&sweep->error, "the sweep");
    sweep->broken = DC_MEMORY;
  }
  dc_remover_destroy(sweep->place.remover);
  sweep->place.remover = NULL;
  free(crew.processes);
  free(crew.polls);
  if (sweep->broken)
    return sweep->broken;
  if (sweep->done < sweep->wanted && sweep->rows)
    return dc_fail(&sweep->error, DC_STOPPED, "%ld of %ld points are done; the same command goes on", sweep->done,
                   sweep->wanted);
  return DC_OK;
}
