// SPDX-License-Identifier: Apache-2.0
// Reads a JSON object into a structure as its option table says.
#ifndef DC_IO_OPTIONS_READER_H
#define DC_IO_OPTIONS_READER_H

#include "base/options.h"
#include "io/json/json_value.h"

// Names of bodies or shapes with their indices.
struct dc_name {
  const char *name;
  int index;
};

struct dc_name_list {
  int count;
  struct dc_name *sorted;  // by name, then index
};

// Sorts; find gives the index or -1.
void dc_name_list_sort(struct dc_name_list *list);
int dc_name_list_find(const struct dc_name_list *list, const char *name);

struct dc_options_reader {
  struct dc_arena *arena;  // gets strings and lists
  struct dc_error *error;  // not NULL
  struct dc_name_list bodies, shapes;
};

// A key that a reader of an object of options allows beside those of the table.
struct dc_allowed_keys {
  const char *tag;                        // such as "type", read by the caller; or NULL
  const struct dc_option *const *others;  // NULL-terminated tables of the tag's other choices; or NULL
  bool chosen_later;                      // what a file says of other choices is checked and otherwise ignored
};

// Fills target: defaults, then the members of object.  Every rule of the table is checked, unknown and missing keys
// are errors.
enum dc_status dc_read_options(struct dc_options_reader *reader, const struct dc_json *object,
                               const struct dc_option *table, const struct dc_allowed_keys *allowed, void *target);

// Checks one value and stores it at target, unless that is NULL.
enum dc_status dc_read_option(struct dc_options_reader *reader, const struct dc_json *value,
                              const struct dc_option *option, void *target);

// The names (NULL-terminated) as messages list them, in quotes; cut off at size.
void dc_list_choices(const char *const *names, char *list, size_t size);

// A string that is one of names (NULL-terminated): its index.
enum dc_status dc_read_choice(struct dc_options_reader *reader, const struct dc_json *value, const char *const *names,
                              int *index);
// A string, copied into the arena.
enum dc_status dc_read_string(struct dc_options_reader *reader, const struct dc_json *value, const char **string);
// The error for a member of object that names (NULL-terminated) do not list.
enum dc_status dc_refuse_key(struct dc_options_reader *reader, const struct dc_json *member, const char *const *names);
// The error for a value of another type than wanted ("an object").
enum dc_status dc_refuse_type(struct dc_options_reader *reader, const struct dc_json *value, const char *wanted);

#endif
