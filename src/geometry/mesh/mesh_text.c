// SPDX-License-Identifier: Apache-2.0
// Words of mesh files: numbers, and how messages quote them.
#include "geometry/mesh/mesh_read.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool dc_mesh_parse_number(const char *word, size_t length, double *number)
{
  char text[128];
  // The set of characters keeps out what else strtod takes: hexadecimal, "inf" and "nan".
  if (length == 0 || length >= sizeof text || memchr(word, '\0', length))
    return false;
  memcpy(text, word, length);
  text[length] = '\0';
  if (strspn(text, "0123456789+-.eE") != length)
    return false;
  char *end;
  *number = strtod(text, &end);
  return end == text + length && isfinite(*number);
}

enum dc_status dc_mesh_fail_at(const struct dc_mesh_file *file, long line, struct dc_error *error, const char *format,
                               ...)
{
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return dc_fail(error, DC_BAD_INPUT, "%.700s:%ld: %s", file->name, line, text);
}

const char *dc_mesh_quote(struct dc_mesh_quote *quote, const char *word, size_t length)
{
  size_t shown = length < sizeof quote->text ? length : sizeof quote->text - 1;
  for (size_t i = 0; i < shown; i++)
    quote->text[i] = word[i] >= ' ' && word[i] <= '~' ? word[i] : '?';
  quote->text[shown] = '\0';
  if (shown < length)
    memcpy(quote->text + shown - 3, "...", 3);
  return quote->text;
}
