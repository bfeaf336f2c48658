// SPDX-License-Identifier: Apache-2.0
// A point as a child process: `dcsim optimize ... -o DIR/points/000012`.
//
// Processes are used because a run may end in ways that no thread survives (a crash in a library, the kernel's
// out-of-memory killer).  They also make runs identical to those that users start by hand: same lock, same checkpoints,
// same bits.  A child dies with its parent.
#ifndef DC_SWEEP_PROCESS_H
#define DC_SWEEP_PROCESS_H

#include <sys/types.h>

#include "sweep/journal.h"
#include "sweep/study.h"

// Data that all processes of a sweep share.
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

// Starts a point: resumes an interrupted run, certifies a run that lacks only that, or begins anew.  DC_IO, DC_MEMORY.
enum dc_status dc_process_start(const struct dc_sweep_place *place, long point, struct dc_process *process,
                                struct dc_error *error);
// Opens the case of a point whose study draws cases, in a process, and waits for its end; nothing is left behind.
// place->directory may be NULL.  Status and message are those of the process.
enum dc_status dc_process_try(const struct dc_sweep_place *place, long point, struct dc_error *error);
// Asks a process to write a checkpoint and end; kills it.
void dc_process_stop(struct dc_process *process);
void dc_process_kill(struct dc_process *process);
// Reads available output; true when the process has ended.  Never waits.
bool dc_process_has_ended(struct dc_process *process);

enum dc_process_end {
  DC_ENDED,        // there is a row
  DC_INTERRUPTED,  // stopped on request or by a foreign signal, or its certificate is missing: it can be resumed
  DC_BROKEN        // input or output failed: no row, and other points would fail, too
};
// Determines the outcome of a process that ended: *row, or *error when it is broken.
enum dc_process_end dc_process_finish(const struct dc_sweep_place *place, struct dc_process *process,
                                      struct dc_sweep_row *row, struct dc_error *error);

// Reads the row of a run that has ended well, but is in no journal.  False when there is none.
bool dc_point_adopt(const struct dc_sweep_place *place, long point, struct dc_sweep_row *row);
// Removes the run directory of a point with this row, unless the study keeps it.
void dc_point_tidy(const struct dc_sweep_place *place, long point, const struct dc_sweep_row *row);
// "points/000012", relative to the study's directory.
enum { DC_POINT_NAME = 32 };
const char *dc_point_name(long point, char name[DC_POINT_NAME]);

#endif
