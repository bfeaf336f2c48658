// SPDX-License-Identifier: Apache-2.0
// Writing is immediate: each call appends to one buffer.  `follows` says whether a comma is due before the next value,
// and `depth` how far to indent.
#include "io/json/json_write.h"

#include <stdlib.h>
#include <string.h>

static void append(struct dc_json_writer *writer, const char *bytes, size_t count)
{
  dc_text_append(&writer->text, bytes, count);
}

// Two blanks for each level.
static void break_line(struct dc_json_writer *writer)
{
  append(writer, "\n", 1);
  for (int i = 0; i < writer->depth; i++)
    append(writer, "  ", 2);
}

// Everything that stands before a value: the comma after the one before, a line end and the indentation of its
// depth, and the key.  At the top, where depth is 0, there is no line end.
static void begin_value(struct dc_json_writer *writer, const char *key)
{
  if (writer->follows)
    append(writer, ",", 1);
  if (writer->depth)
    break_line(writer);
  writer->follows = true;
  if (key) {
    dc_text_string(&writer->text, key);
    append(writer, ": ", 2);
  }
}

// key NULL: an element of an array, or the whole text.
void dc_json_begin(struct dc_json_writer *writer, const char *key, char bracket)
{
  begin_value(writer, key);
  append(writer, &bracket, 1);
  writer->depth++;
  writer->follows = false;
}

// Closes brackets, the innermost first.  A bracket that held nothing is closed on the same line ("[]", "{}");
// afterwards something stands at the outer depth, whatever the inner one held.
void dc_json_end(struct dc_json_writer *writer, const char *brackets)
{
  for (; *brackets; brackets++) {
    bool empty = !writer->follows;
    writer->depth--;
    writer->follows = true;
    if (!empty)
      break_line(writer);
    append(writer, brackets, 1);
  }
}

void dc_json_put_string(struct dc_json_writer *writer, const char *key, const char *string)
{
  begin_value(writer, key);
  dc_text_string(&writer->text, string);
}

// Takes the string over; NULL means that memory was out where it was made.
void dc_json_put_owned(struct dc_json_writer *writer, const char *key, char *string)
{
  if (string)
    dc_json_put_string(writer, key, string);
  else
    writer->text.failed = true;
  free(string);
}

// JSON has no NAN and no infinity: both become null.
void dc_json_put_number(struct dc_json_writer *writer, const char *key, double number)
{
  begin_value(writer, key);
  dc_text_real(&writer->text, number, "null");
}

// An array on one line, so that vectors stay readable.
void dc_json_put_numbers(struct dc_json_writer *writer, const char *key, const double *numbers, int count)
{
  begin_value(writer, key);
  append(writer, "[", 1);
  for (int i = 0; i < count; i++) {
    if (i)
      append(writer, ", ", 2);
    dc_text_real(&writer->text, numbers[i], "null");
  }
  append(writer, "]", 1);
}

void dc_json_put_integer(struct dc_json_writer *writer, const char *key, long integer)
{
  begin_value(writer, key);
  dc_text_add(&writer->text, "%ld", integer);
}

void dc_json_put_each(struct dc_json_writer *writer, const struct dc_json_number *numbers, size_t count)
{
  for (size_t i = 0; i < count; i++)
    dc_json_put_number(writer, numbers[i].key, numbers[i].number);
}

void dc_json_put_boolean(struct dc_json_writer *writer, const char *key, bool boolean)
{
  dc_json_put_raw(writer, key, boolean ? "true" : "false");
}

// The text must be JSON itself; it is appended as it is.
void dc_json_put_raw(struct dc_json_writer *writer, const char *key, const char *json)
{
  begin_value(writer, key);
  append(writer, json, strlen(json));
}

// Hands the text over to the caller and leaves the writer empty, or frees it when any of the calls before ran
// out of memory.
char *dc_json_finish(struct dc_json_writer *writer)
{
  append(writer, "\n", 1);
  if (!writer->text.failed)
    return writer->text.bytes;
  dc_text_free(&writer->text);
  return NULL;
}
