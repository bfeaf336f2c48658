// SPDX-License-Identifier: Apache-2.0
// Ranks of MPI.  Rank 0 reads, checks, gives points away, writes the journal and the tables, and runs points like all
// others; these ask it for one point after the other and send it rows.
#ifndef DC_SWEEP_RANKS_H
#define DC_SWEEP_RANKS_H

#include "sweep/sweep.h"

// Starts MPI when asked, or when a launcher of MPI has started the program.  *ranks stays NULL where there is one
// process only.  DC_USAGE when this build or machine has no MPI.
enum dc_status dc_ranks_start(const char *program, bool asked, struct dc_ranks **ranks, struct dc_error *error);
// Every rank must; NULL is allowed.
void dc_ranks_finish(struct dc_ranks *ranks);
bool dc_ranks_is_worker(const struct dc_ranks *ranks);  // not rank 0

// Other ranks: say who they are, wait until rank 0 has the directory, which becomes sweep->directory.  False: there is
// nothing to do.
bool dc_ranks_wait_for_start(struct dc_sweep *sweep, uint64_t study);
// Rank 0: tells the others to begin in sweep->directory; after it, compares who they are: DC_USAGE when versions or
// studies are not the same.
void dc_ranks_begin(struct dc_sweep *sweep, uint64_t study);
// Rank 0: lets the others end, when it could not begin.
void dc_ranks_dismiss(struct dc_ranks *ranks);

// Answers messages that have come; never waits.  Rank 0 passes on that the sweep is stopping.
void dc_ranks_serve(struct dc_sweep *sweep);
// Whether all is done, with no process running here: rank 0, when all others have left; these, when there is no point
// more.
bool dc_ranks_have_finished(struct dc_sweep *sweep);

// Other ranks: the next point of rank 0, which takes a moment to answer; the row of one that has ended.
enum dc_take { DC_TAKE_POINT, DC_TAKE_LATER, DC_TAKE_NONE };
enum dc_take dc_ranks_take(struct dc_sweep *sweep, long *point);
enum dc_status dc_ranks_send_row(struct dc_sweep *sweep, long point, const struct dc_sweep_row *row,
                                 struct dc_error *error);

#endif
