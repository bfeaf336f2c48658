// SPDX-License-Identifier: Apache-2.0
// Journals of a study's points: one line of JSON for each point that has ended, appended in the study's directory.  A
// point with a line is never run again; whatever happens, a line is whole or absent.
#ifndef DC_SWEEP_JOURNAL_H
#define DC_SWEEP_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "io/json/json_text.h"
#include "plan/certify.h"

// Verdicts of a certificate: whether the scene's conditions hold, and whether the task is reached in each of dc_worlds.
enum { DC_VERDICTS = 1 + DC_WORLDS };

// The outcome of a point.  Absent numbers are NAN.
struct dc_sweep_row {
  bool done;              // false: no outcome yet
  int status;             // exit status of the run; 128 + signal when a signal ended it
  bool success, stopped;  // stopped: by the longest time of a point
  double loss, initial_loss, min_gap, seconds;
  long iterations, steps, rollouts;  // -1: none
  double verdicts[DC_VERDICTS];      // 1, 0, NAN: none
  char *message;                     // "" or NULL when there is none; released with free()
};
void dc_sweep_row_clear(struct dc_sweep_row *row);
// Replaces a row that is kept for long, and takes over the new row's message.  An empty message is freed: among the
// short-lived memory of runs, a byte for each of many rows would keep that memory from being reused.
void dc_sweep_row_keep(struct dc_sweep_row *kept, const struct dc_sweep_row *row);
const char *dc_sweep_row_message(const struct dc_sweep_row *row);  // "" when there is none
const char *dc_verdict_name(int verdict);                          // "holds" and the worlds

// Ends a line of a journal whose text without its closing brace begins at `begin`: with a checksum of that text as the
// last member, and the line end.
void dc_journal_seal(struct dc_text *text, size_t begin);
// Appends a row as a line, with its checksum and line end.
void dc_sweep_row_print(long point, const struct dc_sweep_row *row, struct dc_text *text);
// Parses the row in a line [length]; returns its point, or -1 when the line is none or does not agree with
// its checksum.
long dc_sweep_row_parse(const char *line, size_t length, struct dc_sweep_row *row);

struct dc_journal {
  char *path;
  int fd;  // -1: not open
  double synced;
};
// Opens or creates DIR/name for its only writer, and cuts off an incomplete line.  DC_IO, also when another writer
// holds it.
enum dc_status dc_journal_open(const char *directory, const char *name, struct dc_journal *journal,
                               struct dc_error *error);
// Appends lines [length], all or none.  They are synced once a second: points lost with the power are computed again.
enum dc_status dc_journal_add(struct dc_journal *journal, const char *lines, size_t length, struct dc_error *error);
enum dc_status dc_journal_close(struct dc_journal *journal, struct dc_error *error);

// Reads all journals of a directory into rows [points].  The last line of a point in the journal that is last by name
// wins.  *damaged grows by the number of whole lines that are none: their points have no row.  *identities gets every
// line {"study": "..."}, one after the other.  A missing directory is no error.
enum dc_status dc_journals_read(const char *directory, long points, struct dc_sweep_row *rows,
                                struct dc_text *identities, long *damaged, struct dc_error *error);

#endif
