// SPDX-License-Identifier: Apache-2.0
// A growing buffer with printf.  Real numbers are printed with least_digits significant digits at first and with more,
// up to 17, until strtod gives back the same bits; a decimal comma of the locale becomes a point.
#include "io/json/json_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/characters.h"
#include "base/memory.h"

// Makes room for `count` more bytes and the terminating NUL.  Capacity grows by factors (dc_grow), so that
// appending n bytes costs O(n).  After a failure every further call does nothing: a caller looks at
// text->failed once, at the end.
static bool reserve(struct dc_text *text, size_t count)
{
  if (text->failed || count >= (size_t)-1 - text->length ||
      dc_grow(&text->bytes, &text->capacity, text->length + count + 1, 1) != 0)
    text->failed = true;
  return !text->failed;
}

// Appends bytes, which may contain NULs, and keeps a NUL behind them.
void dc_text_append(struct dc_text *text, const char *bytes, size_t count)
{
  if (!reserve(text, count))
    return;
  memcpy(text->bytes + text->length, bytes, count);
  text->length += count;
  text->bytes[text->length] = '\0';
}

// Formats twice: vsnprintf without a buffer tells the length, then the text is written in place.  The arguments
// are copied before, as a va_list may be read only once.
void dc_text_add(struct dc_text *text, const char *format, ...)
{
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (length < 0)
    text->failed = true;
  else if (reserve(text, (size_t)length)) {
    vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
    text->length += (size_t)length;
  }
  va_end(again);
}

// Appends a number with the fewest digits, from least_digits on, that strtod reads back as the same double; 17
// always do.  Both strtod and snprintf use the locale of the program around the library, whose decimal point
// may be a comma of one or several bytes.  Everything that is neither digit, sign nor exponent is therefore
// replaced by one ".".
static void append_real(struct dc_text *text, double value, int least_digits, const char *if_not_finite)
{
  if (!isfinite(value)) {
    dc_text_append(text, if_not_finite, strlen(if_not_finite));
    return;
  }
  char printed[64], number[64];
  for (int digits = least_digits; digits <= 17; digits++) {
    snprintf(printed, sizeof printed, "%.*g", digits, value);
    if (strtod(printed, NULL) == value)
      break;
  }
  size_t length = 0;
  bool point = false;
  for (const char *c = printed; *c; c++) {
    if (strchr("0123456789+-e", *c)) {
      number[length++] = *c;
    } else if (!point) {  // the locale's decimal point, of one byte or several
      number[length++] = '.';
      point = true;
    }
  }
  dc_text_append(text, number, length);
}

// 17 digits give back the same bits and have the same length for all numbers of a table.
void dc_text_real(struct dc_text *text, double value, const char *if_not_finite)
{
  append_real(text, value, 17, if_not_finite);
}

// 15 digits hold every decimal number that a person writes; more are added where they are needed.
void dc_text_short_real(struct dc_text *text, double value, const char *if_not_finite)
{
  append_real(text, value, 15, if_not_finite);
}

// Appends a JSON string.  Quotes, backslashes and control characters are escaped (RFC 8259, section 7); a byte
// that begins no valid character of UTF-8 is replaced by U+FFFD and the next byte is looked at, so that the
// result is valid JSON whatever the input was.
void dc_text_string(struct dc_text *text, const char *string)
{
  if (!string) {
    dc_text_append(text, "null", 4);
    return;
  }
  dc_text_append(text, "\"", 1);
  size_t left = strlen(string);
  for (const char *s = string; left > 0;) {
    size_t length = dc_utf8_length(s, left);
    unsigned code = length ? dc_utf8_code_point(s, length) : 0xfffd;
    if (code == '"' || code == '\\')
      dc_text_add(text, "\\%c", *s);
    else if (code == '\n')
      dc_text_append(text, "\\n", 2);
    else if (code == '\t')
      dc_text_append(text, "\\t", 2);
    else if (length == 0 || dc_is_control(code))
      dc_text_add(text, "\\u%04x", code);
    else
      dc_text_append(text, s, length);
    length = length ? length : 1;
    s += length;
    left -= length;
  }
  dc_text_append(text, "\"", 1);
}

void dc_text_free(struct dc_text *text)
{
  free(text->bytes);
  memset(text, 0, sizeof *text);
}
