// SPDX-License-Identifier: Apache-2.0
// Characters of UTF-8 text, and those of them that a terminal obeys.
#ifndef DC_BASE_CHARACTERS_H
#define DC_BASE_CHARACTERS_H

#include <stdbool.h>
#include <stddef.h>

// Bytes [1, 4] of the UTF-8 sequence at text [length], 0 when it is none.  Overlong forms, surrogates and code points
// over U+10FFFF are none (RFC 3629).
size_t dc_utf8_length(const char *text, size_t length);
// The code point of the sequence at text, which dc_utf8_length has found to be count bytes long.
unsigned dc_utf8_code_point(const char *text, size_t count);

// Whether a terminal obeys the character instead of showing it: C0 and C1 controls, delete, the separators of lines and
// paragraphs, and the marks that change the direction of writing (Unicode's Bidi_Control), which can make a text look
// like another one.
bool dc_is_control(unsigned code_point);

// Puts substitute in the place of every control character that is not one of kept, and of every byte that is no UTF-8.
void dc_replace_controls(char *text, char substitute, const char *kept);

// A name with its %20 and the like as the bytes that they mean (RFC 3986, section 2.1), released with free(); NULL when
// out of memory.  "%00" and a "%" without two digits stay as they are.
char *dc_percent_decode(const char *name);

#endif
