// SPDX-License-Identifier: Apache-2.0
#include "io/json_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void append(struct dc_json_writer *writer, const char *bytes, size_t count)
{
  if (!writer->failed && dc_grow(&writer->text, &writer->capacity, writer->length + count + 1, 1))
    writer->failed = true;
  if (writer->failed)
    return;
  memcpy(writer->text + writer->length, bytes, count);
  writer->length += count;
  writer->text[writer->length] = '\0';
}

static void append_text(struct dc_json_writer *writer, const char *text)
{
  append(writer, text, strlen(text));
}

static void append_quoted(struct dc_json_writer *writer, const char *string)
{
  append(writer, "\"", 1);
  for (const char *c = string; *c; c++) {
    char escape[8];
    if (*c == '"' || *c == '\\')
      snprintf(escape, sizeof escape, "\\%c", *c);
    else if ((unsigned char)*c < 0x20)
      snprintf(escape, sizeof escape, "\\u%04x", (unsigned)*c);
    else
      snprintf(escape, sizeof escape, "%c", *c);
    append_text(writer, escape);
  }
  append(writer, "\"", 1);
}

static void break_line(struct dc_json_writer *writer)
{
  append(writer, "\n", 1);
  for (int i = 0; i < writer->depth; i++)
    append(writer, "  ", 2);
}

static void begin_value(struct dc_json_writer *writer, const char *key)
{
  if (writer->follows)
    append(writer, ",", 1);
  if (writer->depth)
    break_line(writer);
  writer->follows = true;
  if (key) {
    append_quoted(writer, key);
    append(writer, ": ", 2);
  }
}

void dc_json_begin(struct dc_json_writer *writer, const char *key, char bracket)
{
  begin_value(writer, key);
  append(writer, &bracket, 1);
  writer->depth++;
  writer->follows = false;
}

void dc_json_end(struct dc_json_writer *writer, char bracket)
{
  bool empty = !writer->follows;
  writer->depth--;
  writer->follows = true;
  if (!empty)
    break_line(writer);
  append(writer, &bracket, 1);
}

void dc_json_put_string(struct dc_json_writer *writer, const char *key, const char *string)
{
  begin_value(writer, key);
  append_quoted(writer, string);
}

static void append_number(struct dc_json_writer *writer, double number)
{
  char text[32];
  snprintf(text, sizeof text, "%.17g", number);
  append_text(writer, text);
}

void dc_json_put_number(struct dc_json_writer *writer, const char *key, double number)
{
  begin_value(writer, key);
  append_number(writer, number);
}

void dc_json_put_numbers(struct dc_json_writer *writer, const char *key, const double *numbers, int count)
{
  begin_value(writer, key);
  append(writer, "[", 1);
  for (int i = 0; i < count; i++) {
    if (i)
      append(writer, ", ", 2);
    append_number(writer, numbers[i]);
  }
  append(writer, "]", 1);
}

void dc_json_put_integer(struct dc_json_writer *writer, const char *key, long integer)
{
  char text[32];
  snprintf(text, sizeof text, "%ld", integer);
  dc_json_put_raw(writer, key, text);
}

void dc_json_put_boolean(struct dc_json_writer *writer, const char *key, bool boolean)
{
  dc_json_put_raw(writer, key, boolean ? "true" : "false");
}

void dc_json_put_raw(struct dc_json_writer *writer, const char *key, const char *json)
{
  begin_value(writer, key);
  append_text(writer, json);
}

char *dc_json_finish(struct dc_json_writer *writer)
{
  append(writer, "\n", 1);
  if (!writer->failed)
    return writer->text;
  free(writer->text);
  writer->text = NULL;
  return NULL;
}
