// SPDX-License-Identifier: Apache-2.0
// A file that grows row by row: loss.csv, progress.jsonl.  A row that was written whole stays; one that failed halfway
// is cut off again, so that a run that goes on finds whole rows only.
#ifndef DC_IO_RUN_ROW_FILE_H
#define DC_IO_RUN_ROW_FILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/status.h"
#include "io/json/json_text.h"

struct dc_row_file {
  char *path;  // owned
  int fd;      // -1: not open
  off_t size;  // of the whole rows, bytes
  bool torn;   // more than size bytes may be in the file
};

// Makes directory/name, which must not exist.  DC_IO, DC_MEMORY.  Close the file after a failure too.
enum dc_status dc_row_file_create(struct dc_row_file *file, const char *directory, const char *name,
                                  struct dc_error *error);
// Opens a file of an earlier run and finds the end of its first rows behind the header.  Nothing is cut off yet: that
// is for the first dc_row_file_mend with torn set.  DC_CHECKPOINT: another header, or fewer rows; DC_IO, DC_MEMORY.
enum dc_status dc_row_file_reopen(struct dc_row_file *file, const char *directory, const char *name, const char *header,
                                  long rows, struct dc_error *error);
// Appends a text of whole rows.  They belong to the file after dc_row_file_keep only: a row of several files is kept
// when all of them were written.  DC_IO; what was written is then cut off, now or before the next one.
enum dc_status dc_row_file_write(struct dc_row_file *file, const struct dc_text *text, struct dc_error *error);
void dc_row_file_keep(struct dc_row_file *file, const struct dc_text *text);
// Cuts off what lies behind the whole rows.  DC_IO.
enum dc_status dc_row_file_mend(struct dc_row_file *file, struct dc_error *error);
// Brings the whole rows to the disk.  DC_IO.
enum dc_status dc_row_file_sync(struct dc_row_file *file, struct dc_error *error);
// Syncs if it is open, and closes.  DC_IO.
enum dc_status dc_row_file_close(struct dc_row_file *file, struct dc_error *error);

#endif
