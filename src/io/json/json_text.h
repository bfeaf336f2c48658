// SPDX-License-Identifier: Apache-2.0
// Text that grows, with JSON strings and numbers that read back bit for bit (cJSON loses the last bit when it
// prints).
#ifndef DC_IO_JSON_TEXT_H
#define DC_IO_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

// Zero-initialized; released with dc_text_free.  Running out of memory is remembered in failed, so that a caller
// looks once, at the end.
struct dc_text {
  char *bytes;  // [length] and a terminating zero; NULL while empty
  size_t length, capacity;
  bool failed;
};

void dc_text_append(struct dc_text *text, const char *bytes, size_t count);
void dc_text_add(struct dc_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
// 17 significant digits and a decimal point in every locale; what stands in for a number that is not finite is the
// caller's choice.
void dc_text_real(struct dc_text *text, double value, const char *if_not_finite);
// The same with as few digits as read back bit for bit, 15 to 17.
void dc_text_short_real(struct dc_text *text, double value, const char *if_not_finite);
// A JSON string in quotes.  Bytes that are not UTF-8 become U+FFFD; NULL becomes null.
void dc_text_string(struct dc_text *text, const char *string);
void dc_text_free(struct dc_text *text);

#endif
