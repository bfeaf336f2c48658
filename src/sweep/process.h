// SPDX-License-Identifier: Apache-2.0
// A point as a process of its own: `dcsim optimize ... -o DIR/points/000012`.
//
// A process for each point, because a run may end in ways that no thread comes back from (a crash in a library, the
// kernel's out-of-memory killer), and so that runs are what users start by hand: same lock, same checkpoints, same
// bits.  It dies with its parent.
#ifndef DC_SWEEP_PROCESS_H
#define DC_SWEEP_PROCESS_H

#include <sys/types.h>

#include "sweep/journal.h"
#include "sweep/study.h"

// What all processes of a sweep have in common.
struct dc_sweep_place {
  const struct dc_study *study;
  const char *directory;   // absolute
  const char *program;     // path of dcsim
  int threads;             // of each run
  struct dc_remover *remover;  // removes what is not kept, or NULL
};

enum { DC_SAID = 2048 };  // bytes of what a process said that are looked at

struct dc_process {
  long point;
  pid_t pid;     // 0: none
  int said_fd;   // its stderr; -1: that has ended
  int end_fd;    // readable when it has ended; -1: the system has no such thing
  int how;       // as waitpid says, once it has ended
  int attempts;  // of this point by this sweep
  bool resumed, stopping;
  bool certifying;  // the run has ended: this is its verification
  size_t said_length;
  char said[DC_SAID];  // the last of it
};

// Starts a point: goes on with its run when it was interrupted, certifies it when that is all that is left, else begins
// anew.  DC_IO, DC_MEMORY.
enum dc_status dc_process_start(const struct dc_sweep_place *place, long point, struct dc_process *process,
                                struct dc_error *error);
// Opens the case of a point whose study draws cases, in a process that this waits for, and leaves nothing;
// place->directory may be NULL.  What the process ended with, and why.
enum dc_status dc_process_try(const struct dc_sweep_place *place, long point, struct dc_error *error);
// Asks it to write a checkpoint and end; kills it.
void dc_process_stop(struct dc_process *process);
void dc_process_kill(struct dc_process *process);
// Reads what it says; true when it has ended.  Never waits.
bool dc_process_has_ended(struct dc_process *process);

enum dc_process_end {
  DC_ENDED,        // with a row
  DC_INTERRUPTED,  // asked to, or by another's signal, or with its certificate to be made: it can go on
  DC_BROKEN        // input or output failed: no row, and nothing else will work either
};
// How a process ended: *row, or *error when it is broken.
enum dc_process_end dc_process_finish(const struct dc_sweep_place *place, struct dc_process *process,
                                      struct dc_sweep_row *row, struct dc_error *error);

// The row of a point whose run has ended well, but that no journal knows.  False when there is none.
bool dc_point_adopt(const struct dc_sweep_place *place, long point, struct dc_sweep_row *row);
// Removes the run directory of a point with this row when the study does not keep it.
void dc_point_tidy(const struct dc_sweep_place *place, long point, const struct dc_sweep_row *row);
// "points/000012", below the directory of the study.
enum { DC_POINT_NAME = 32 };
const char *dc_point_name(long point, char name[DC_POINT_NAME]);

#endif
