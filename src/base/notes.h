// SPDX-License-Identifier: Apache-2.0
// Remarks for the user: what a reader of files did or left out without being asked.
#ifndef DC_BASE_NOTES_H
#define DC_BASE_NOTES_H

#include "base/memory.h"
#include "base/status.h"

struct dc_note {
  const char *text;
  const struct dc_note *next;
};

// Remarks in the order of their making.  The arena owns them; all other members start as zeros.
struct dc_notes {
  struct dc_arena *arena;
  const struct dc_note *first;
  struct dc_note *last;
};

// Adds a remark.  DC_OK or DC_MEMORY.
enum dc_status dc_notes_add(struct dc_notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Formats names for a remark: "a, b, c and 4 more".  NULL: out of memory.
const char *dc_notes_list(struct dc_notes *notes, const char *const *names, int count);

#endif
