// SPDX-License-Identifier: Apache-2.0
// Pages of reports: numbers as base64, and JSON data inserted into a template.
#include "render/report.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const char data_place[] = "@DCSIM_DATA@";  // where in the template the data belongs, once
static const char escaped_less[] = "\\u003c";     // "<" in a JSON string

// Base64 (RFC 4648, section 4): three bytes become four digits of 6 bits, the last group is filled by "=".  Released
// with free(); NULL when out of memory.
static char *encode(const unsigned char *bytes, size_t count)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char *text = dc_alloc((count + 2) / 3 + 1, 4), *end = text;
  for (size_t i = 0; text && i < count; i += 3) {
    size_t left = count - i;
    unsigned group = (unsigned)bytes[i] << 16;
    if (left > 1)
      group |= (unsigned)bytes[i + 1] << 8;
    if (left > 2)
      group |= bytes[i + 2];
    *end++ = digits[group >> 18];
    *end++ = digits[group >> 12 & 63];
    *end++ = left > 1 ? digits[group >> 6 & 63] : '=';
    *end++ = left > 2 ? digits[group & 63] : '=';
  }
  if (text)
    *end = '\0';
  return text;
}

// Pages read typed arrays in this order whatever the machine's own is.
static void put_little_endian(unsigned char *place, uint32_t number, int bytes)
{
  for (int i = 0; i < bytes; i++)
    place[i] = (unsigned char)(number >> 8 * i);
}

// Numbers beyond those of a float become NAN, which pages leave out.
static uint32_t float_bits(double value)
{
  float single = fabs(value) <= (double)FLT_MAX ? (float)value : NAN;
  uint32_t bits;
  memcpy(&bits, &single, sizeof bits);
  return bits;
}

// A number from -1 to 1 in 16 bits, as an integer of 32767ths.
static uint32_t fraction_bits(double value)
{
  return (uint32_t)(int32_t)lrint(32767 * fmin(1, fmax(-1, value)));
}

// Four bytes a number, in single precision.
char *dc_report_floats(size_t count, const double *values)
{
  unsigned char *bytes = dc_alloc(count, 4);
  for (size_t i = 0; bytes && i < count; i++)
    put_little_endian(bytes + 4 * i, float_bits(values[i]), 4);
  char *text = bytes ? encode(bytes, 4 * count) : NULL;
  free(bytes);
  return text;
}

// Two bytes a number, in steps of 1/32767.
char *dc_report_fractions(size_t count, const double *values)
{
  unsigned char *bytes = dc_alloc(count, 2);
  for (size_t i = 0; bytes && i < count; i++)
    put_little_endian(bytes + 2 * i, fraction_bits(values[i]), 2);
  char *text = bytes ? encode(bytes, 2 * count) : NULL;
  free(bytes);
  return text;
}

// The low bytes_each bytes of every number.
char *dc_report_integers(size_t count, const int *values, int bytes_each)
{
  size_t width = (size_t)bytes_each;
  unsigned char *bytes = dc_alloc(count, width);
  for (size_t i = 0; bytes && i < count; i++)
    put_little_endian(bytes + width * i, (uint32_t)values[i], bytes_each);
  char *text = bytes ? encode(bytes, width * count) : NULL;
  free(bytes);
  return text;
}

// Puts data into the template of a page; "<" is escaped, so that no text of a scene can end the script that holds it.
// Two passes over the data: one counts escapes for the size, the other writes.  Released with free(); NULL when out
// of memory.
char *dc_report_page(const char *template, const char *data, size_t *size)
{
  const char *place = strstr(template, data_place);
  size_t before = place ? (size_t)(place - template) : 0, escapes = 0;
  const char *after = place ? place + strlen(data_place) : template;
  for (const char *c = data; *c; c++)
    escapes += *c == '<';
  char *page = malloc(before + strlen(data) + escapes * (strlen(escaped_less) - 1) + strlen(after) + 1), *end = page;
  if (!page)
    return NULL;
  memcpy(end, template, before);
  end += before;
  for (const char *c = data; *c; c++) {
    if (*c == '<') {
      memcpy(end, escaped_less, strlen(escaped_less));
      end += strlen(escaped_less);
    } else {
      *end++ = *c;
    }
  }
  strcpy(end, after);
  *size = (size_t)(end - page) + strlen(after);
  return page;
}
