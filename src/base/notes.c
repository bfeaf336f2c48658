// SPDX-License-Identifier: Apache-2.0
// A linked list of remarks in an arena, in the order in which they were made.
#include "base/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Text and link are two pieces of the arena; the list is extended only when both are there.
enum dc_status dc_notes_add(struct dc_notes *notes, const char *format, ...)
{
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  char *text = length < 0 ? NULL : dc_arena_alloc(notes->arena, (size_t)length + 1, 1);
  struct dc_note *note = text ? dc_arena_alloc(notes->arena, 1, sizeof *note) : NULL;
  if (note)
    vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  if (!note)
    return DC_MEMORY;
  note->text = text;
  if (notes->last)
    notes->last->next = note;
  else
    notes->first = note;
  notes->last = note;
  return DC_OK;
}

// The last two of a complete list are joined by "and"; longer lists end with the number of those left out.
const char *dc_notes_list(struct dc_notes *notes, const char *const *names, int count)
{
  enum { SHOWN = 12 };
  const char *text = count ? names[0] : "";
  int shown = count > SHOWN ? SHOWN : count;
  for (int i = 1; i < shown && text; i++)
    text = dc_arena_printf(notes->arena, "%s%s%s", text, i == count - 1 ? " and " : ", ", names[i]);
  return text && count > shown ? dc_arena_printf(notes->arena, "%s and %d more", text, count - shown) : text;
}
