// SPDX-License-Identifier: Apache-2.0
// Common functions of readers of simplex meshes: a position in a file, and lists of what has been read.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "geometry/mesh/constants.h"
#include "geometry/mesh/simplices_read.h"

// The first failure stays, with the line of a text or the byte of a binary file.
enum dc_status dc_cursor_fail(struct dc_mesh_cursor *cursor, const char *format, ...)
{
  char text[256];
  va_list arguments;
  if (cursor->status)
    return cursor->status;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  cursor->status = cursor->binary ? dc_fail(cursor->error, DC_BAD_INPUT, "%.700s: byte %zu: %s", cursor->file->name,
                                            cursor->at, text)
                                  : dc_mesh_fail_at(cursor->file, cursor->line, cursor->error, "%s", text);
  return cursor->status;
}

// The rest of the line without its end, which is passed over; both kinds of ends of lines are known.
const char *dc_cursor_line(struct dc_mesh_cursor *cursor, size_t *length)
{
  const char *begin = cursor->file->bytes + cursor->at, *end = memchr(begin, '\n', cursor->file->size - cursor->at);
  *length = end ? (size_t)(end - begin) : cursor->file->size - cursor->at;
  cursor->at += *length + (end != NULL);
  cursor->line += end != NULL;
  if (*length && begin[*length - 1] == '\r')
    --*length;
  return begin;
}

static bool is_space(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// The next word, over any blanks and ends of lines before it; its length is 0 at the end of the file.
const char *dc_cursor_word(struct dc_mesh_cursor *cursor, size_t *length)
{
  const char *bytes = cursor->file->bytes;
  for (; cursor->at < cursor->file->size && is_space(bytes[cursor->at]); cursor->at++)
    cursor->line += bytes[cursor->at] == '\n';
  size_t begin = cursor->at;
  while (cursor->at < cursor->file->size && !is_space(bytes[cursor->at]))
    cursor->at++;
  *length = cursor->at - begin;
  return bytes + begin;
}

// Takes the next word, whether it is the wanted one or not.
bool dc_cursor_word_is(struct dc_mesh_cursor *cursor, const char *wanted)
{
  size_t length;
  const char *word = dc_cursor_word(cursor, &length);
  return length == strlen(wanted) && memcmp(word, wanted, length) == 0;
}

// A number of so many bytes, in the order of this machine.
static bool take_bytes(struct dc_mesh_cursor *cursor, int bytes, unsigned char number[8])
{
  memset(number, 0, 8);
  if (cursor->file->size - cursor->at < (size_t)bytes) {
    dc_cursor_fail(cursor, "the file ends within its numbers");
    return false;
  }
  for (int i = 0; i < bytes; i++)
    number[i] = (unsigned char)cursor->file->bytes[cursor->at + (size_t)(cursor->swapped ? bytes - 1 - i : i)];
  cursor->at += (size_t)bytes;
  return true;
}

// A number in a text; 0 after a failure, so that callers go on to their next check of the status.
static double take_number(struct dc_mesh_cursor *cursor, const char *what)
{
  size_t length;
  double number;
  struct dc_mesh_quote quote;
  const char *word = dc_cursor_word(cursor, &length);
  if (length == 0)
    dc_cursor_fail(cursor, "the file ends where %s should be", what);
  else if (!dc_mesh_parse_number(word, length, &number))
    dc_cursor_fail(cursor, "must be %s (is \"%s\")", what, dc_mesh_quote(&quote, word, length));
  else
    return number;
  return 0;
}

// Reads the bytes by all three widths, then takes the one that is meant: memcpy keeps alignment and aliasing
// out of it.
static int64_t integer_of(const unsigned char number[8], int bytes)
{
  int16_t half;
  int32_t single;
  int64_t large;
  memcpy(&half, number, sizeof half);
  memcpy(&single, number, sizeof single);
  memcpy(&large, number, sizeof large);
  return bytes == 1 ? (signed char)number[0] : bytes == 2 ? half : bytes == 4 ? single : large;
}

// Text files write whole numbers as any number, such as 4e3. 1e15 is beyond all counts and still exact in a double.
int64_t dc_cursor_integer(struct dc_mesh_cursor *cursor, int bytes)
{
  unsigned char number[8];
  if (cursor->status)
    return 0;
  if (!cursor->binary) {
    double value = take_number(cursor, "a whole number");
    if (!(value >= -1e15 && value <= 1e15 && value == (double)(int64_t)value))
      dc_cursor_fail(cursor, "must be a whole number (is %g)", value);
    return cursor->status ? 0 : (int64_t)value;
  }
  if (!take_bytes(cursor, bytes, number))
    return 0;
  return integer_of(number, bytes);
}

// A coordinate; one that is not finite, or too large for lengths, is refused.
double dc_cursor_real(struct dc_mesh_cursor *cursor, int bytes)
{
  unsigned char number[8];
  float single;
  double value;
  if (cursor->status)
    return 0;
  if (!cursor->binary) {
    value = take_number(cursor, "a number");
  } else {
    if (!take_bytes(cursor, bytes, number))
      return 0;
    memcpy(&single, number, sizeof single);
    memcpy(&value, number, sizeof value);
    if (bytes == 4)
      value = (double)single;
  }
  if (!(value >= -DC_MESH_LARGEST_COORDINATE && value <= DC_MESH_LARGEST_COORDINATE))
    dc_cursor_fail(cursor, "must be within %g m (is %g)", DC_MESH_LARGEST_COORDINATE, value);
  return value;
}

// A count of things that follow.  It must not be more than the rest of the file can hold, so that a few bytes
// never ask for gigabytes.
int64_t dc_cursor_count(struct dc_mesh_cursor *cursor, int64_t count, size_t least_bytes)
{
  size_t left = cursor->file->size - cursor->at;
  if (!cursor->status && (count < 0 || (uint64_t)count > left / least_bytes))
    dc_cursor_fail(cursor, "must be a number of things that the file can hold (is %lld)", (long long)count);
  return cursor->status ? 0 : count;
}

// Keeps the status of the cursor, which ends all reading.
static void out_of_memory(struct dc_mesh_cursor *cursor)
{
  cursor->status = dc_out_of_memory_in(cursor->error, cursor->file->name);
}

// Nodes keep the number by which the file's elements call them.
void dc_parts_add_node(struct dc_simplices_parts *parts, struct dc_mesh_cursor *cursor, int64_t number,
                       const double *place)
{
  if (cursor->status)
    return;
  if (dc_grow(&parts->nodes, &parts->node_capacity, parts->node_count + 1, sizeof *parts->nodes) ||
      dc_grow(&parts->numbers, &parts->number_capacity, parts->node_count + 1, sizeof *parts->numbers)) {
    out_of_memory(cursor);
    return;
  }
  memcpy(parts->nodes[parts->node_count], place, sizeof parts->nodes[0]);
  parts->numbers[parts->node_count++] = number;
}

// Only corners are kept, unused ones as -1.
void dc_parts_add_element(struct dc_simplices_parts *parts, struct dc_mesh_cursor *cursor, const int64_t *nodes)
{
  if (cursor->status)
    return;
  if (dc_grow(&parts->elements, &parts->element_capacity, parts->element_count + 1, sizeof *parts->elements)) {
    out_of_memory(cursor);
    return;
  }
  for (int k = 0; k < 4; k++)
    parts->elements[parts->element_count][k] = k < parts->corners ? nodes[k] : -1;
  parts->element_count++;
}
