// SPDX-License-Identifier: Apache-2.0
// A sweep over MPI ranks.  Rank 0 reads and checks the study, hands out points, writes journal and tables, and runs
// points itself; the other ranks ask it for points, one after the other, and send it rows.
#ifndef DC_SWEEP_RANKS_H
#define DC_SWEEP_RANKS_H

#include "sweep/sweep.h"

// Starts MPI when asked, or when an MPI launcher has started the program.  *ranks stays NULL for a single process.
// DC_USAGE when this build or machine has no MPI.
enum dc_status dc_ranks_start(const char *program, bool asked, struct dc_ranks **ranks, struct dc_error *error);
// Every rank must call this; NULL is allowed.
void dc_ranks_finish(struct dc_ranks *ranks);
bool dc_ranks_is_worker(const struct dc_ranks *ranks);  // not rank 0

// Other ranks: send their identity and wait until rank 0 has the directory, which becomes sweep->directory.  False:
// there is nothing to do.
bool dc_ranks_wait_for_start(struct dc_sweep *sweep, uint64_t study);
// Rank 0: tells the others to start in sweep->directory, then compares identities: DC_USAGE when versions or studies
// differ.
void dc_ranks_begin(struct dc_sweep *sweep, uint64_t study);
// Rank 0: dismisses the others when it cannot start.
void dc_ranks_dismiss(struct dc_ranks *ranks);

// Answers messages that have arrived; never waits.  Rank 0 also passes on that the sweep is stopping.
void dc_ranks_serve(struct dc_sweep *sweep);
// Whether all is done, with no process running here.  Rank 0: all others have left.  Others: there is no point left.
bool dc_ranks_have_finished(struct dc_sweep *sweep);

// Other ranks: ask rank 0 for the next point, which may take a moment; send the row of a point that has ended.
enum dc_take { DC_TAKE_POINT, DC_TAKE_LATER, DC_TAKE_NONE };
enum dc_take dc_ranks_take(struct dc_sweep *sweep, long *point);
enum dc_status dc_ranks_send_row(struct dc_sweep *sweep, long point, const struct dc_sweep_row *row,
                                 struct dc_error *error);

#endif
