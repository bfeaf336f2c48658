// SPDX-License-Identifier: Apache-2.0
// Writes indented JSON text.  Numbers get 17 significant digits, so that reading them back gives the same bits
// (cJSON's printer loses some).
#ifndef DC_IO_JSON_WRITE_H
#define DC_IO_JSON_WRITE_H

#include <stdbool.h>
#include <stddef.h>

#include "io/json/json_text.h"

// Zero-initialized.  Running out of memory is remembered and reported by dc_json_finish.
struct dc_json_writer {
  struct dc_text text;
  int depth;
  bool follows;  // something stands before at this depth
};

// In all of them key is the name in an object, NULL in an array and at the top.  bracket is '{' or '['; brackets end as
// many, the innermost first: "]}".
void dc_json_begin(struct dc_json_writer *writer, const char *key, char bracket);
void dc_json_end(struct dc_json_writer *writer, const char *brackets);
void dc_json_put_string(struct dc_json_writer *writer, const char *key, const char *string);
// Frees string afterwards; NULL: there was no memory for it, and the writer's text has failed.
void dc_json_put_owned(struct dc_json_writer *writer, const char *key, char *string);
void dc_json_put_number(struct dc_json_writer *writer, const char *key, double number);  // null when it is not finite
void dc_json_put_numbers(struct dc_json_writer *writer, const char *key, const double *numbers, int count);
void dc_json_put_integer(struct dc_json_writer *writer, const char *key, long integer);
// Numbers under their keys, whole ones without a point: DC_JSON_NUMBERS(writer, {"width", 3}, {"height", x->height}).
struct dc_json_number {
  const char *key;
  double number;
};
void dc_json_put_each(struct dc_json_writer *writer, const struct dc_json_number *numbers, size_t count);
#define DC_JSON_NUMBERS(writer, ...)                                                                                   \
  dc_json_put_each(writer, (const struct dc_json_number[]){__VA_ARGS__},                                               \
                   sizeof((const struct dc_json_number[]){__VA_ARGS__}) / sizeof(struct dc_json_number))
void dc_json_put_boolean(struct dc_json_writer *writer, const char *key, bool boolean);
void dc_json_put_raw(struct dc_json_writer *writer, const char *key, const char *json);

// The text, with a line end, to be released with free(); NULL when memory ran out.
char *dc_json_finish(struct dc_json_writer *writer);

#endif
