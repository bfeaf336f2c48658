// SPDX-License-Identifier: Apache-2.0
// Ranks of MPI: the others ask rank 0 for points and send it rows.
#ifndef DC_SWEEP_RANKS_H
#define DC_SWEEP_RANKS_H

#include "sweep/sweep.h"

// Answers messages that have come; never waits.
void dc_ranks_serve(struct dc_sweep *sweep);
// Rank 0: whether all others have left; others: whether rank 0 has said that there is nothing more.
bool dc_ranks_finished(const struct dc_sweep *sweep);
// On ranks other than 0.
bool dc_ranks_is_worker(const struct dc_ranks *ranks);
enum dc_take dc_ranks_take(struct dc_sweep *sweep, long *point);
enum dc_status dc_ranks_send_row(struct dc_sweep *sweep, long point, const struct dc_sweep_row *row,
                                 struct dc_error *error);

#endif
