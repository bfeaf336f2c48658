// SPDX-License-Identifier: Apache-2.0
// What is known of a study's points: one line of JSON for each that has ended, appended to a journal in the study's
// directory.  A point with a line is never run again; whatever happens, a line is whole or not there.
#ifndef DC_SWEEP_JOURNAL_H
#define DC_SWEEP_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "io/json/json_text.h"
#include "plan/certify.h"

// Verdicts of a certificate: whether what the scene demands holds, whether the task is reached in each of dc_worlds.
enum { DC_VERDICTS = 1 + DC_WORLDS };

// How a point ended.  Numbers that there are none of are NAN.
struct dc_sweep_row {
  bool done;              // false: nothing is known
  int status;             // exit status of the run, 128 and more: that many and the signal that ended it
  bool success, stopped;  // stopped: by the longest time of a point
  double loss, initial_loss, min_gap, seconds;
  long iterations, steps, rollouts;  // -1: none
  double verdicts[DC_VERDICTS];      // 1, 0, NAN: none
  char *message;                     // "" or NULL when there is none; released with free()
};
void dc_sweep_row_clear(struct dc_sweep_row *row);
// Puts a row, whose message it takes over, in the place of another one that is kept for long.  An empty message is
// released: among the memory of runs that come and go, a byte of each of many rows would keep all of it from being used
// again.
void dc_sweep_row_keep(struct dc_sweep_row *kept, const struct dc_sweep_row *row);
const char *dc_sweep_row_message(const struct dc_sweep_row *row);  // "" when there is none
const char *dc_verdict_name(int verdict);                          // "holds" and the worlds

// A line, with its end.
void dc_sweep_row_print(long point, const struct dc_sweep_row *row, struct dc_text *text);
// The row in a line [length]; its point, or -1 when it is none.
long dc_sweep_row_parse(const char *line, size_t length, struct dc_sweep_row *row);

struct dc_journal {
  char *path;
  int fd;  // -1: not open
  double synced;
};
// Opens or makes DIR/name for its only writer, cuts off a line that is not whole.  DC_IO, also when it has a writer
// already.
enum dc_status dc_journal_open(const char *directory, const char *name, struct dc_journal *journal,
                               struct dc_error *error);
// Appends lines [length]: all or nothing.  Made durable once a second: what is lost with the power is computed again.
enum dc_status dc_journal_add(struct dc_journal *journal, const char *lines, size_t length, struct dc_error *error);
enum dc_status dc_journal_close(struct dc_journal *journal, struct dc_error *error);

// Reads all journals of a directory into rows [points]: of several lines of a point the last one of the journal that
// comes last by name.  *identities gets every line {"study": "..."}, one behind the other.  Not being there is no
// error.
enum dc_status dc_journals_read(const char *directory, long points, struct dc_sweep_row *rows,
                                struct dc_text *identities, struct dc_error *error);

#endif
