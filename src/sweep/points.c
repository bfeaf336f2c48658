// SPDX-License-Identifier: Apache-2.0
// Bookkeeping of points: the next one to run, and rows of those that ended.
#include "sweep/sweep.h"

// Breaks the sweep off for a failure of its own files; the first one is told.
void dc_sweep_break(struct dc_sweep *sweep, enum dc_status status, const struct dc_error *error)
{
  if (sweep->broken)
    return;
  sweep->broken = status;
  sweep->error = *error;
  sweep->stopping = true;
}

// A point has failed where its command did; one whose task was not reached has not.
void dc_sweep_count_row(struct dc_sweep *sweep, const struct dc_sweep_row *row)
{
  sweep->done++;
  sweep->failed += row->status != 0;
  sweep->reached += row->status == 0 && row->success;
}

// Writes the row to the journal first and counts it after, so that no point counts as done that is not on disk.  Takes
// over the row.
enum dc_status dc_sweep_add_row(struct dc_sweep *sweep, long point, struct dc_sweep_row *row, struct dc_error *error)
{
  struct dc_text line = {0};
  dc_sweep_row_print(point, row, &line);
  enum dc_status status = line.failed ? dc_out_of_memory_for(error, "the result of point %ld", point)
                                      : dc_journal_add(&sweep->journal, line.bytes, line.length, error);
  dc_text_free(&line);
  if (status) {
    dc_sweep_row_clear(row);
    return status;
  }
  if (!sweep->rows[point].done)
    dc_sweep_count_row(sweep, row);
  dc_sweep_row_keep(&sweep->rows[point], row);
  return DC_OK;
}

// The next point to run.  Points that are done or belong to another share are passed over; a point whose directory
// holds a run that ended well is adopted: its row goes into the journal without a run.
bool dc_sweep_take(struct dc_sweep *sweep, long *point)
{
  while (sweep->next < sweep->study->points.count) {
    long candidate = sweep->next++;
    struct dc_sweep_row row;
    struct dc_error error = {0};
    if (sweep->rows[candidate].done || !dc_share_has(&sweep->share, candidate))
      continue;
    if (!dc_point_adopt(&sweep->place, candidate, &row)) {
      *point = candidate;
      return true;
    }
    enum dc_status status = dc_sweep_add_row(sweep, candidate, &row, &error);
    if (!status)
      dc_point_tidy(&sweep->place, candidate, &row);
    if (status) {
      dc_sweep_break(sweep, status, &error);
      return false;
    }
  }
  return false;
}
