// SPDX-License-Identifier: Apache-2.0
// Words of mesh files: numbers, and how messages quote them.
#include "geometry/mesh/mesh_read.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A number of at most fifteen digits, without exponent; false: it is none.  The digits and the power of ten under them
// are doubles without rounding.  Their quotient, rounded once, is the double nearest to the number (Clinger 1990, How
// to read floating point numbers accurately), and so is what strtod returns.
static bool parse_short(const char *word, size_t length, double *number)
{
  static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  enum { MOST = 15 };
  bool negative = word[0] == '-', point = false;
  long long digits = 0;
  int count = 0, behind = 0;
  for (size_t i = negative; i < length; i++) {
    if (word[i] == '.' && !point) {
      point = true;
    } else if (word[i] >= '0' && word[i] <= '9' && count < MOST) {
      digits = 10 * digits + (word[i] - '0');
      count++;
      behind += point;
    } else {
      return false;
    }
  }
  *number = (negative ? -1.0 : 1.0) * ((double)digits / powers[behind]);
  return count > 0;
}

// A decimal number in a word that need not end with a zero: short ones by the exact way above, which most
// numbers in files are, all others by strtod().
bool dc_mesh_parse_number(const char *word, size_t length, double *number)
{
  char text[128];
  if (length > 0 && parse_short(word, length, number))
    return true;
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

// A word as messages show it: cut, and without characters that a terminal would act on.
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
