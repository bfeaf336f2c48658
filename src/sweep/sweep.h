// SPDX-License-Identifier: Apache-2.0
// The state of a running sweep.  Private to src/sweep.
#ifndef DC_SWEEP_SWEEP_H
#define DC_SWEEP_SWEEP_H

#include "sweep/check.h"
#include "sweep/process.h"

struct dc_ranks;

struct dc_sweep {
  struct dc_study *study;
  const dcsim_sweep_options *options;
  struct dc_sweep_place place;
  struct dc_share share;
  struct dc_ranks *ranks;  // NULL: a single process
  char *directory;         // absolute
  int lock;                // -1: not held
  struct dc_journal journal;
  struct dc_sweep_row *rows;  // [points]; NULL on ranks other than 0, like all counts
  long next;                  // points before it are done or handed out
  long wanted, done, failed, reached, began_with;
  long damaged;  // lines of journals that were left out
  int running, running_there;  // processes of this rank; of other ranks
  double began;
  int stop_status;        // result of the progress function
  bool stopping;          // no new points are started
  enum dc_status broken;  // status that ends the sweep, with its message in error
  struct dc_error error;
};

// Takes the next point that has not ended; false: there is none.
bool dc_sweep_take(struct dc_sweep *sweep, long *point);
// Counts a row among those done, failed and reached.
void dc_sweep_count_row(struct dc_sweep *sweep, const struct dc_sweep_row *row);
// Records a row and takes it over; the run directory is not touched, since it may be another rank's.
enum dc_status dc_sweep_add_row(struct dc_sweep *sweep, long point, struct dc_sweep_row *row, struct dc_error *error);

// Runs points until there are none, or the sweep is stopped or broken.  DC_OK, DC_STOPPED, or the status that broke it.
enum dc_status dc_sweep_run_points(struct dc_sweep *sweep, int jobs);

// Ends the sweep with the first error.
void dc_sweep_break(struct dc_sweep *sweep, enum dc_status status, const struct dc_error *error);

// Writes sweep.csv, sweep.h5 and sweep.html of the rows that are done into the directory.
enum dc_status dc_sweep_write_tables(const struct dc_sweep *sweep, struct dc_error *error);

#endif
