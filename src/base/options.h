// SPDX-License-Identifier: Apache-2.0
// Option tables: one table per thing a scene can configure.  The table alone drives parsing, validation,
// defaults, `dcsim list`, `dcsim schema`, --set and the manual.
#ifndef DC_BASE_OPTIONS_H
#define DC_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/status.h"

enum dc_option_type {
  DC_BOOLEAN,      // bool
  DC_INTEGER,      // long
  DC_REAL,         // double
  DC_REALS,        // double [count]
  DC_REAL_LIST,    // struct dc_real_list, any length up to count
  DC_STRING,       // const char *
  DC_CHOICE,       // int, index into choices
  DC_BODY,         // int, index of the body whose name is given
  DC_SHAPE,        // int, index of the shape whose name is given; -1 when absent
  DC_BODY_LIST,    // struct dc_index_list, indices of up to count different bodies whose names are given
  DC_STRING_LIST,  // struct dc_string_list, up to count
  DC_OBJECT,       // pointer to a structure of object_size bytes that table describes; NULL when absent
  DC_OBJECT_LIST   // struct dc_object_list, up to count such structures
};

struct dc_real_list {
  int count;
  double *values;
};

struct dc_index_list {
  int count;
  int *indices;
};

static inline bool dc_index_list_holds(const struct dc_index_list *list, int index)
{
  for (int i = 0; i < list->count; i++)
    if (list->indices[i] == index)
      return true;
  return false;
}

struct dc_string_list {
  int count;
  const char **strings;
};

struct dc_object_list {
  int count;
  void *objects;  // [count] structures one behind the other
};

// One option.  minimum and maximum bound every number in it (equal: no bounds).  fallback is the default as JSON
// text; NULL: the option must be given; "null": absent unless given, leaves the memory zeroed (reals NAN, bodies and
// shapes -1).  Lists print `absent` in its place where that is set.
//
// Options may nest: an object is read by a table of its own into a structure in the arena.  With a short_key a string
// may stand in its place, for {short_key: string}.  The element of a list of one may stand without
// the list.  The default of an object or of a list of objects is "null", "{}" (one object of defaults) or a string that
// stands for one object; that of a list of bodies is "null".  A table must not contain itself.
struct dc_option {
  const char *name;
  enum dc_option_type type;
  const char *unit;  // "" when without unit
  const char *fallback;
  double minimum, maximum;
  bool minimum_excluded;          // the value must be > minimum
  int count;                      // components of DC_REALS, most components of a list
  const char *const *choices;     // NULL-terminated, for DC_CHOICE
  const char *help;               // one line
  const char *absent;             // what lists call a default "null", "automatic"; NULL: null
  size_t offset;                  // of the value in the options structure
  const struct dc_option *table;  // of DC_OBJECT and DC_OBJECT_LIST
  size_t object_size;             // size of the structure that table fills
  const char *short_key;          // option of table that takes a string, or NULL: nothing stands for an object
};

// Tables end with an option whose name is NULL.
#define DC_OPTIONS_END                                                                                                 \
  {                                                                                                                    \
    .name = NULL                                                                                                       \
  }

// Entries by type, named as the member that they fill.  default_text NULL: must be given; least and most are bounds.

#define DC_BOOLEAN_OPTION(structure, member, default_text, meaning)                                                    \
  {                                                                                                                    \
    .name = #member, .type = DC_BOOLEAN, .unit = "", .fallback = (default_text), .help = (meaning),                    \
    .offset = offsetof(structure, member)                                                                              \
  }
#define DC_INTEGER_OPTION(structure, member, default_text, least, most, meaning)                                       \
  {                                                                                                                    \
    .name = #member, .type = DC_INTEGER, .unit = "", .fallback = (default_text), .minimum = (least),                   \
    .maximum = (most), .help = (meaning), .offset = offsetof(structure, member)                                        \
  }
#define DC_REAL_OPTION(structure, member, si_unit, default_text, least, most, meaning)                                 \
  {                                                                                                                    \
    .name = #member, .type = DC_REAL, .unit = (si_unit), .fallback = (default_text), .minimum = (least),               \
    .maximum = (most), .help = (meaning), .offset = offsetof(structure, member)                                        \
  }
// double > 0
#define DC_POSITIVE_OPTION(structure, member, si_unit, default_text, most, meaning)                                    \
  {                                                                                                                    \
    .name = #member, .type = DC_REAL, .unit = (si_unit), .fallback = (default_text), .minimum_excluded = true,         \
    .maximum = (most), .help = (meaning), .offset = offsetof(structure, member)                                        \
  }
// double [components]
#define DC_REALS_OPTION(structure, member, si_unit, default_text, components, least, most, meaning)                    \
  {                                                                                                                    \
    .name = #member, .type = DC_REALS, .unit = (si_unit), .fallback = (default_text), .minimum = (least),              \
    .maximum = (most), .count = (components), .help = (meaning), .offset = offsetof(structure, member)                 \
  }
// double [3], each within `most` of zero
#define DC_VECTOR_OPTION(structure, member, si_unit, default_text, most, meaning)                                      \
  DC_REALS_OPTION(structure, member, si_unit, default_text, 3, -(most), most, meaning)
// A list of up to `longest` numbers
#define DC_REAL_LIST_OPTION(structure, member, si_unit, default_text, longest, least, most, meaning)                   \
  {                                                                                                                    \
    .name = #member, .type = DC_REAL_LIST, .unit = (si_unit), .fallback = (default_text), .minimum = (least),          \
    .maximum = (most), .count = (longest), .help = (meaning), .offset = offsetof(structure, member)                    \
  }
#define DC_STRING_OPTION(structure, member, default_text, meaning)                                                     \
  {                                                                                                                    \
    .name = #member, .type = DC_STRING, .unit = "", .fallback = (default_text), .help = (meaning),                     \
    .offset = offsetof(structure, member)                                                                              \
  }
#define DC_CHOICE_OPTION(structure, member, default_text, names, meaning)                                              \
  {                                                                                                                    \
    .name = #member, .type = DC_CHOICE, .unit = "", .fallback = (default_text), .choices = (names), .help = (meaning), \
    .offset = offsetof(structure, member)                                                                              \
  }
#define DC_CHOICES(...) ((const char *const[]){__VA_ARGS__, NULL})  // where no table of names stands
#define DC_BODY_OPTION(structure, member, default_text, meaning)                                                       \
  {                                                                                                                    \
    .name = #member, .type = DC_BODY, .unit = "", .fallback = (default_text), .help = (meaning),                       \
    .offset = offsetof(structure, member)                                                                              \
  }
#define DC_BODY_LIST_OPTION(structure, member, default_text, longest, meaning)                                         \
  {                                                                                                                    \
    .name = #member, .type = DC_BODY_LIST, .unit = "", .fallback = (default_text), .count = (longest),                 \
    .help = (meaning), .offset = offsetof(structure, member)                                                           \
  }
#define DC_SHAPE_OPTION(structure, member, default_text, meaning)                                                      \
  {                                                                                                                    \
    .name = #member, .type = DC_SHAPE, .unit = "", .fallback = (default_text), .help = (meaning),                      \
    .offset = offsetof(structure, member)                                                                              \
  }

// A pointer to one `object` described by `options`, and a list of up to `longest` of them
#define DC_OBJECT_OPTION(structure, member, default_text, options, object, meaning)                                    \
  {                                                                                                                    \
    .name = #member, .type = DC_OBJECT, .unit = "", .fallback = (default_text), .help = (meaning),                     \
    .offset = offsetof(structure, member), .table = (options), .object_size = sizeof(object)                           \
  }
#define DC_OBJECT_LIST_OPTION(structure, member, default_text, longest, options, object, meaning)                      \
  {                                                                                                                    \
    .name = #member, .type = DC_OBJECT_LIST, .unit = "", .fallback = (default_text), .count = (longest),               \
    .help = (meaning), .offset = offsetof(structure, member), .table = (options), .object_size = sizeof(object)        \
  }

// The seed of random draws, a long
#define DC_SEED_OPTION(structure, meaning) DC_INTEGER_OPTION(structure, seed, "1", 0, 0x1p53, meaning)

// Returns the index of the option of that name, or -1.
int dc_option_find(const struct dc_option *table, const char *name);

// Checks number against the bounds of option.  Returns NULL when it holds, else the broken rule, such as "must be > 0
// kg (is -1)", in text.
const char *dc_option_check(const struct dc_option *option, double number, char *text, size_t size);

// Fills every option of the structure at target from the defaults; required ones are left zeroed.  Strings, lists and
// objects go into arena.  DC_USAGE when a default does not fit its option.
enum dc_status dc_options_set_defaults(const struct dc_option *table, void *target, struct dc_arena *arena,
                                       struct dc_error *error);

// True when a string may stand for an object of the option: short_key is set and no other key must be given.
bool dc_option_has_short_form(const struct dc_option *option);

// Returns the name of a NULL-terminated list that is most similar to name, or has its meaning, for "did you mean"; NULL
// when none does.
const char *dc_suggest(const char *name, const char *const *candidates);
// Returns the name of the list that has this meaning, or NULL.
const char *dc_find_synonym(const char *name, const char *const *candidates);
// Returns how that is said here for which other programs have this word, when no single key stands for it; or NULL.
const char *dc_explain_foreign(const char *name);

#endif
