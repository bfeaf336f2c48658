// SPDX-License-Identifier: Apache-2.0
// UTF-8 by the table of RFC 3629, section 4: the lead byte tells the length, and the ranges of the second byte exclude
// overlong forms, surrogates and code points over U+10FFFF.
#include "base/characters.h"

#include <string.h>

// The lead byte's class gives the length, continuation bytes are 10xxxxxx.  The last four conditions are the table's
// narrower second bytes after E0, ED, F0 and F4.
size_t dc_utf8_length(const char *text, size_t length)
{
  const unsigned char *bytes = (const unsigned char *)text;
  unsigned char lead = bytes[0];
  size_t count = lead < 0x80                   ? 1
                 : lead >= 0xc2 && lead < 0xe0 ? 2
                 : lead >= 0xe0 && lead < 0xf0 ? 3
                 : lead >= 0xf0 && lead < 0xf5 ? 4
                                               : 0;
  if (count == 0 || count > length)
    return 0;
  for (size_t i = 1; i < count; i++)
    if ((bytes[i] & 0xc0) != 0x80)
      return 0;
  if ((lead == 0xe0 && bytes[1] < 0xa0) || (lead == 0xed && bytes[1] > 0x9f) || (lead == 0xf0 && bytes[1] < 0x90) ||
      (lead == 0xf4 && bytes[1] > 0x8f))
    return 0;
  return count;
}

// The lead byte has 7, 5, 4 or 3 bits of the code point, each byte behind it 6.
unsigned dc_utf8_code_point(const char *text, size_t count)
{
  static const unsigned char lead_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  unsigned code = (unsigned char)text[0] & lead_bits[count];
  for (size_t i = 1; i < count; i++)
    code = code << 6 | ((unsigned char)text[i] & 0x3f);
  return code;
}

// Ranges: C0; delete and C1; the Arabic letter mark; marks of direction; separators of lines and paragraphs with
// embeddings and overrides; isolates.
bool dc_is_control(unsigned code_point)
{
  static const unsigned ranges[][2] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},
                                       {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
    if (code_point >= ranges[i][0] && code_point <= ranges[i][1])
      return true;
  return false;
}

// Works in place: a replaced sequence only becomes shorter, so that the writing end never passes the reading one.
void dc_replace_controls(char *text, char substitute, const char *kept)
{
  size_t left = strlen(text);
  char *to = text;
  for (const char *from = text; left > 0;) {
    size_t count = dc_utf8_length(from, left);
    bool keep = count && (strchr(kept, *from) || !dc_is_control(dc_utf8_code_point(from, count)));
    count = count ? count : 1;
    if (keep)
      to = (char *)memmove(to, from, count) + count;
    else
      *to++ = substitute;
    from += count;
    left -= count;
  }
  *to = '\0';
}

static int hexadecimal(char digit)
{
  return digit >= '0' && digit <= '9'   ? digit - '0'
         : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
         : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10
                                        : -1;
}

char *dc_percent_decode(const char *name)
{
  char *text = strdup(name), *to = text;
  for (const char *from = name; text && *from; from++) {
    int high = *from == '%' ? hexadecimal(from[1]) : -1, low = high >= 0 ? hexadecimal(from[2]) : -1;
    bool coded = low >= 0 && 16 * high + low > 0;
    *to++ = coded ? (char)(16 * high + low) : *from;
    from += coded ? 2 : 0;
  }
  if (to)
    *to = '\0';
  return text;
}
