// SPDX-License-Identifier: Apache-2.0
#include "io/json_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

// Makes room for count more bytes and the terminating zero.
static bool reserve(struct dc_text *text, size_t count)
{
  if (text->failed || count >= (size_t)-1 - text->length ||
      dc_grow(&text->bytes, &text->capacity, text->length + count + 1, 1) != 0)
    text->failed = true;
  return !text->failed;
}

void dc_text_append(struct dc_text *text, const char *bytes, size_t count)
{
  if (!reserve(text, count))
    return;
  memcpy(text->bytes + text->length, bytes, count);
  text->length += count;
  text->bytes[text->length] = '\0';
}

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

void dc_text_real(struct dc_text *text, double value, const char *if_not_finite)
{
  append_real(text, value, 17, if_not_finite);
}

void dc_text_short_real(struct dc_text *text, double value, const char *if_not_finite)
{
  append_real(text, value, 15, if_not_finite);
}

// Length of the UTF-8 sequence at s (Unicode 15, table 3-7), or 0 when it is not one.
static size_t utf8_length(const unsigned char *s)
{
  if (s[0] < 0x80)
    return 1;
  size_t length = s[0] >= 0xc2 && s[0] <= 0xdf ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4 : 0;
  for (size_t i = 1; i < length; i++)
    if ((s[i] & 0xc0) != 0x80)
      return 0;
  bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
  bool surrogate = s[0] == 0xed && s[1] > 0x9f;
  bool too_large = s[0] == 0xf4 && s[1] > 0x8f;
  return overlong || surrogate || too_large ? 0 : length;
}

void dc_text_string(struct dc_text *text, const char *string)
{
  if (!string) {
    dc_text_append(text, "null", 4);
    return;
  }
  dc_text_append(text, "\"", 1);
  for (const unsigned char *s = (const unsigned char *)string; *s;) {
    size_t length = utf8_length(s);
    if (length == 0)
      dc_text_append(text, "\\ufffd", 6);
    else if (*s == '"' || *s == '\\')
      dc_text_add(text, "\\%c", *s);
    else if (*s == '\n')
      dc_text_append(text, "\\n", 2);
    else if (*s == '\t')
      dc_text_append(text, "\\t", 2);
    else if (*s < 0x20 || *s == 0x7f)
      dc_text_add(text, "\\u%04x", (unsigned)*s);
    else
      dc_text_append(text, (const char *)s, length);
    s += length ? length : 1;
  }
  dc_text_append(text, "\"", 1);
}

void dc_text_free(struct dc_text *text)
{
  free(text->bytes);
  memset(text, 0, sizeof *text);
}
