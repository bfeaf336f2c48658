// SPDX-License-Identifier: Apache-2.0
// One reader for all options: dc_read_options takes the members of a JSON object in turn, finds each in the option
// table, reads it as the table's type says (read_number, read_choice, read_body, ...) and checks its range; unknown
// keys are refused with the most similar known one.  Lists may be written as one value, objects with a short_key as a
// string.
//
// A table of options is read into the structure that it describes: dc_options_set_defaults fills the structure, members
// overwrite it in the order of the file, and options without a default that no member named are missed at the end.
// Every message has the line and column of the value at fault and a remedy where one is near: a similar name, the list
// of names, brackets or quotes that are missing.
#include "io/scene/options_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 256 };  // candidates of a suggestion: enough for any table, and for the first bodies of a scene

// Names by strcmp, equal names by their index, so that the search finds the first body of a name that occurs
// twice.
static int compare_names(const void *a, const void *b)
{
  const struct dc_name *first = a, *second = b;
  int order = strcmp(first->name, second->name);
  return order ? order : (first->index > second->index) - (first->index < second->index);
}

// Must be called once, when the list is complete and before it is searched.
void dc_name_list_sort(struct dc_name_list *list)
{
  if (list->count)
    qsort(list->sorted, (size_t)list->count, sizeof *list->sorted, compare_names);
}

// Index of the entry with that name, -1 if there is none, by bisection.  The lower bound is found, not any
// match: among equal names the first in the scene's order.
int dc_name_list_find(const struct dc_name_list *list, const char *name)
{
  int low = 0, high = list->count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (strcmp(list->sorted[middle].name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < list->count && strcmp(list->sorted[low].name, name) == 0 ? list->sorted[low].index : -1;
}

// The known name most similar to an unknown one, or NULL.  Only the first MOST_NAMES are compared, so that a
// message about a scene of a million bodies costs nothing.
static const char *suggest(const struct dc_name_list *list, const char *name)
{
  const char *names[MOST_NAMES + 1];
  int count = list->count < MOST_NAMES ? list->count : MOST_NAMES;
  for (int i = 0; i < count; i++)
    names[i] = list->sorted[i].name;
  names[count] = NULL;
  return dc_suggest(name, names);
}

// Refuses a value of the wrong kind and names both kinds.  Three mistakes that are often made get their remedy:
// an object where a list of objects is asked for, a number in quotes, usually with a unit, and one number for several.
enum dc_status dc_refuse_type(struct dc_options_reader *reader, const struct dc_json *value, const char *wanted)
{
  const char *remedy = "";
  double number;
  if (strcmp(wanted, "an array") == 0 && cJSON_IsObject(value->node))
    remedy = "; [ ] around it make it one";
  if (strcmp(wanted, "a number") == 0 && cJSON_IsString(value->node) &&
      sscanf(value->node->valuestring, "%lf", &number) == 1)
    remedy = "; numbers stand without quotes and without units, which are those of the SI";
  if (strncmp(wanted, "an array of ", 12) == 0 && cJSON_IsNumber(value->node))
    remedy = "; they stand in [ ] with commas between them";
  return dc_json_fail(value, reader->error, DC_BAD_INPUT, "must be %s (is %s%s)", wanted, dc_json_kind(value->node),
                      remedy);
}

// Refuses a key that is not known: with the known key that means the same, with how it is said here, with the most
// similar known key, or, where none is similar, with the list of all.
enum dc_status dc_refuse_key(struct dc_options_reader *reader, const struct dc_json *member, const char *const *names)
{
  char quoted[DC_JSON_QUOTED];
  const char *near = dc_find_synonym(member->key, names), *here = dc_explain_foreign(member->key);
  if (!near && here)
    return dc_json_fail_key(member, reader->error, DC_BAD_INPUT, "unknown key: %s", here);
  if (!near)
    near = dc_suggest(member->key, names);
  if (near)
    return dc_json_fail_key(member, reader->error, DC_BAD_INPUT, "unknown key (did you mean %s?)",
                            dc_json_quote(quoted, near));
  int count = 0;
  char listed[DC_JSON_LISTED];
  while (names[count])
    count++;
  return dc_json_fail_key(member, reader->error, DC_BAD_INPUT, "unknown key (there are %s)",
                          dc_json_list_names(listed, names, count));
}

// The string is copied into the arena, as the tree is released after reading.
enum dc_status dc_read_string(struct dc_options_reader *reader, const struct dc_json *value, const char **string)
{
  if (!cJSON_IsString(value->node))
    return dc_refuse_type(reader, value, "a string");
  *string = dc_arena_strdup(reader->arena, value->node->valuestring);
  return *string ? DC_OK : dc_json_fail(value, reader->error, DC_MEMORY, "out of memory");
}

// The string of an option, whose help says what it is to a reader who gave something else.
static enum dc_status read_text(struct dc_options_reader *reader, const struct dc_json *value,
                                const struct dc_option *option, const char **string)
{
  if (!cJSON_IsString(value->node) && option->help)
    return dc_json_fail(value, reader->error, DC_BAD_INPUT, "must be a string (is %s): %s", dc_json_kind(value->node),
                        option->help);
  return dc_read_string(reader, value, string);
}

// "a", "b", "c", as far as they fit.
void dc_list_choices(const char *const *names, char *list, size_t size)
{
  size_t length = 0;
  list[0] = '\0';
  for (int i = 0; names[i] && length < size; i++)
    length += (size_t)snprintf(list + length, size - length, "%s\"%s\"", i ? ", " : "", names[i]);
}

// Finds a string among names and stores its index; the message of a miss lists them and suggests the nearest.
enum dc_status dc_read_choice(struct dc_options_reader *reader, const struct dc_json *value, const char *const *names,
                              int *index)
{
  const char *given = cJSON_IsString(value->node) ? value->node->valuestring : NULL;
  char list[512], quoted[DC_JSON_QUOTED], again[DC_JSON_QUOTED];
  for (int i = 0; names[i]; i++) {
    if (given && strcmp(names[i], given) == 0) {
      *index = i;
      return DC_OK;
    }
  }
  dc_list_choices(names, list, sizeof list);
  if (!given)
    return dc_json_fail(value, reader->error, DC_BAD_INPUT, "must be one of %s (is %s)", list,
                        dc_json_kind(value->node));
  const char *near = dc_suggest(given, names);
  dc_json_quote(quoted, given);
  if (near)
    return dc_json_fail(value, reader->error, DC_BAD_INPUT, "must be one of %s (is %s; did you mean %s?)", list, quoted,
                        dc_json_quote(again, near));
  return dc_json_fail(value, reader->error, DC_BAD_INPUT, "must be one of %s (is %s)", list, quoted);
}

// Finds the body or shape of a name in the sorted lists of the scene, which must be complete by then: shapes
// are read before bodies, and bodies before everything that names them.  A miss suggests the nearest name or
// lists the first 64.
static enum dc_status read_name(struct dc_options_reader *reader, const struct dc_json *value, bool body, int *index)
{
  if (!cJSON_IsString(value->node))
    return dc_refuse_type(reader, value, body ? "the name of a body" : "the name of a shape");
  const struct dc_name_list *list = body ? &reader->bodies : &reader->shapes;
  const char *name = value->node->valuestring, *kind = body ? "body" : "shape";
  *index = dc_name_list_find(list, name);
  if (*index >= 0)
    return DC_OK;
  char quoted[DC_JSON_QUOTED], again[DC_JSON_QUOTED];
  const char *near = suggest(list, name);
  dc_json_quote(quoted, name);
  if (near)
    return dc_json_fail(value, reader->error, DC_BAD_INPUT, "no %s is called %s (did you mean %s?)", kind, quoted,
                        dc_json_quote(again, near));
  enum { MOST = 64 };
  const char *names[MOST];
  int count = list->count < MOST ? list->count : MOST;
  for (int i = 0; i < count; i++)
    names[i] = list->sorted[i].name;
  char listed[DC_JSON_LISTED];
  return dc_json_fail(value, reader->error, DC_BAD_INPUT, "no %s is called %s (there are %s)", kind, quoted,
                      dc_json_list_names(listed, names, count));
}

// Reads a number and checks it by its option: range, open or closed ends, and for DC_INTEGER that it is whole.
// Integers are doubles in JSON: beyond 2^53 neighbouring ones are the same double, so that a larger seed would
// silently be another.
static enum dc_status read_number(struct dc_options_reader *reader, const struct dc_json *value,
                                  const struct dc_option *option, double *number)
{
  char rule[160];
  if (!cJSON_IsNumber(value->node))
    return dc_refuse_type(reader, value, "a number");
  *number = value->node->valuedouble;
  if (option->type == DC_INTEGER && *number != floor(*number))
    return dc_json_fail(value, reader->error, DC_BAD_INPUT, "must be a whole number (is %.10g)", *number);
  const char *broken = dc_option_check(option, *number, rule, sizeof rule);
  if (broken)
    return dc_json_fail(value, reader->error, DC_BAD_INPUT, "%s", broken);
  if (option->type == DC_INTEGER && fabs(*number) > 0x1p53)
    return dc_json_fail(value, reader->error, DC_BAD_INPUT, "must be between -2^53 and 2^53 (is %.10g)", *number);
  return DC_OK;
}

// The numbers of an array of exactly (DC_REALS) or at most (DC_REAL_LIST) option->count into *numbers, which is in
// the arena when it was NULL.  One number may stand in place of a list of one.
static enum dc_status read_numbers(struct dc_options_reader *reader, const struct dc_json *value,
                                   const struct dc_option *option, double **numbers, int *count)
{
  char wanted[64];
  bool exactly = option->type == DC_REALS, alone = !exactly && cJSON_IsNumber(value->node);
  snprintf(wanted, sizeof wanted, "%s of %s%d numbers", exactly ? "an array" : "a number or an array",
           exactly ? "" : "at most ", option->count);
  if (!cJSON_IsArray(value->node) && !alone)
    return dc_refuse_type(reader, value, wanted);
  *count = alone ? 1 : cJSON_GetArraySize(value->node);
  if (exactly ? *count != option->count : *count > option->count)
    return dc_json_fail(value, reader->error, DC_BAD_INPUT, "must be %s (has %d)%s", wanted, *count,
                        exactly && option->count == 4 ? ": a quaternion (w, x, y, z), which angles are not; a turn by "
                                                        "the angle a about the unit vector u is (cos a/2, u sin a/2)"
                                                      : "");
  if (!*numbers)
    *numbers = dc_arena_alloc(reader->arena, (size_t)*count, sizeof **numbers);
  if (!*numbers)
    return dc_json_fail(value, reader->error, DC_MEMORY, "out of memory");
  if (alone)
    return read_number(reader, value, option, *numbers);
  int index = 0;
  cJSON *node;
  cJSON_ArrayForEach (node, value->node) {
    struct dc_json element = dc_json_element(value, node, index);
    enum dc_status status = read_number(reader, &element, option, *numbers + index);
    if (status)
      return status;
    index++;
  }
  return DC_OK;
}

// Reads one element of a list into element, which is zeroed.
typedef enum dc_status element_reader(struct dc_options_reader *reader, const struct dc_json *value,
                                      const struct dc_option *option, void *element);

// Reads an array of at most option->count values, or one value in place of a list of one, into *elements:
// *count times `size` bytes in the arena.  The reader fills one zeroed element; `wanted` says in the plural
// what stands in the list.  The count is checked before memory is asked for.
static enum dc_status read_list(struct dc_options_reader *reader, const struct dc_json *value,
                                const struct dc_option *option, const char *wanted, size_t size, element_reader *read,
                                int *count, void **elements)
{
  bool array = cJSON_IsArray(value->node);
  *count = array ? cJSON_GetArraySize(value->node) : 1;
  if (*count > option->count)
    return dc_json_fail(value, reader->error, DC_BAD_INPUT, "must be an array of at most %d %s (has %d)", option->count,
                        wanted, *count);
  *elements = dc_arena_alloc(reader->arena, (size_t)*count, size);
  if (!*elements)
    return dc_json_fail(value, reader->error, DC_MEMORY, "out of memory");
  if (!array)
    return read(reader, value, option, *elements);
  int index = 0;
  cJSON *node;
  cJSON_ArrayForEach (node, value->node) {
    struct dc_json element = dc_json_element(value, node, index);
    enum dc_status status = read(reader, &element, option, (char *)*elements + (size_t)index * size);
    if (status)
      return status;
    index++;
  }
  return DC_OK;
}

static enum dc_status read_string(struct dc_options_reader *reader, const struct dc_json *value,
                                  const struct dc_option *option, void *string)
{
  (void)option;
  return dc_read_string(reader, value, string);
}

// One string may stand in place of a list of one.
static enum dc_status read_strings(struct dc_options_reader *reader, const struct dc_json *value,
                                   const struct dc_option *option, struct dc_string_list *list)
{
  void *strings = NULL;
  if (!cJSON_IsArray(value->node) && !cJSON_IsString(value->node))
    return dc_refuse_type(reader, value, "a string or an array of strings");
  enum dc_status status =
      read_list(reader, value, option, "strings", sizeof *list->strings, read_string, &list->count, &strings);
  list->strings = strings;
  return status;
}

static enum dc_status read_body(struct dc_options_reader *reader, const struct dc_json *value,
                                const struct dc_option *option, void *index)
{
  (void)option;
  return read_name(reader, value, true, index);
}

static int compare_indices(const void *a, const void *b)
{
  int first = *(const int *)a, second = *(const int *)b;
  return (first > second) - (first < second);
}

// A body may stand in a list once: in an objective it would otherwise count twice, and in a control it would
// have two targets.  A sorted copy finds whether an index occurs twice, in O(n log n); only then the list is
// walked for the second place, where the error is reported.
static enum dc_status refuse_duplicates(struct dc_options_reader *reader, const struct dc_json *value,
                                        const struct dc_index_list *list)
{
  char quoted[DC_JSON_QUOTED];
  int *sorted = dc_arena_alloc(reader->arena, (size_t)list->count, sizeof *sorted), twice = -1, seen = 0;
  if (!sorted)
    return dc_json_fail(value, reader->error, DC_MEMORY, "out of memory");
  memcpy(sorted, list->indices, (size_t)list->count * sizeof *sorted);
  qsort(sorted, (size_t)list->count, sizeof *sorted, compare_indices);
  for (int i = 1; i < list->count && twice < 0; i++)
    if (sorted[i] == sorted[i - 1])
      twice = sorted[i];
  cJSON *node = value->node->child;
  for (int i = 0; i < list->count && twice >= 0; i++, node = node->next) {
    struct dc_json element = dc_json_element(value, node, i);
    if (list->indices[i] == twice && seen++)
      return dc_json_fail(&element, reader->error, DC_BAD_INPUT, "body %s stands in the list twice",
                          dc_json_quote(quoted, node->valuestring));
  }
  return DC_OK;
}

// Indices are those of the scene's bodies, in the order in which the names stand.
static enum dc_status read_bodies(struct dc_options_reader *reader, const struct dc_json *value,
                                  const struct dc_option *option, struct dc_index_list *list)
{
  void *indices = NULL;
  if (!cJSON_IsArray(value->node) && !cJSON_IsString(value->node))
    return dc_refuse_type(reader, value, "the name of a body or an array of names");
  enum dc_status status =
      read_list(reader, value, option, "bodies", sizeof *list->indices, read_body, &list->count, &indices);
  list->indices = indices;
  return status || list->count < 2 ? status : refuse_duplicates(reader, value, list);
}

// Whether a value may be read as an object: also a string, where the option has a short form.
static bool is_object(const struct dc_json *value, const struct dc_option *option)
{
  return cJSON_IsObject(value->node) || (option->short_key && cJSON_IsString(value->node));
}

// Reads a string s that stands for {short_key: s}: {"joint": "hinge"} for {"joint": {"type": "hinge"}}.  All
// other options get their defaults.  An option without a default makes the short form impossible, and the
// message says which one is missing and what the string stood for.
static enum dc_status read_short_form(struct dc_options_reader *reader, const struct dc_json *value,
                                      const struct dc_option *option, void *object)
{
  char quoted[DC_JSON_QUOTED];
  const struct dc_option *table = option->table;
  enum dc_status status = dc_options_set_defaults(table, object, reader->arena, reader->error);
  if (status)
    return dc_json_wrap(value, reader->error);
  const struct dc_option *named = &table[dc_option_find(table, option->short_key)];
  if ((status = dc_read_option(reader, value, named, (char *)object + named->offset)))
    return status;
  for (int i = 0; table[i].name; i++)
    if (!table[i].fallback && &table[i] != named)
      return dc_json_fail(value, reader->error, DC_BAD_INPUT, "missing key \"%s\" (the string stands for {\"%s\": %s})",
                          table[i].name, named->name, dc_json_quote(quoted, value->node->valuestring));
  return DC_OK;
}

// One object of options into object [option->object_size].
static enum dc_status read_object(struct dc_options_reader *reader, const struct dc_json *value,
                                  const struct dc_option *option, void *object)
{
  if (!is_object(value, option))
    return dc_refuse_type(reader, value, option->short_key ? "an object or a string" : "an object");
  if (cJSON_IsString(value->node))
    return read_short_form(reader, value, option, object);
  return dc_read_options(reader, value, option->table, NULL, object);
}

// The object lives in the arena; the option holds a pointer to it, NULL where the scene has none.
static enum dc_status read_one_object(struct dc_options_reader *reader, const struct dc_json *value,
                                      const struct dc_option *option, void **object)
{
  *object = dc_arena_alloc(reader->arena, 1, option->object_size);
  if (!*object)
    return dc_json_fail(value, reader->error, DC_MEMORY, "out of memory");
  return read_object(reader, value, option, *object);
}

static enum dc_status read_objects(struct dc_options_reader *reader, const struct dc_json *value,
                                   const struct dc_option *option, struct dc_object_list *list)
{
  if (!cJSON_IsArray(value->node) && !is_object(value, option))
    return dc_refuse_type(reader, value,
                          option->short_key ? "an object, a string or an array of them"
                                            : "an object or an array of objects");
  return read_list(reader, value, option, "objects", option->object_size, read_object, &list->count, &list->objects);
}

// Room for one option of any type but DC_REALS, so that a value is read completely before anything is written
// to the target.
union value {
  bool boolean;
  long integer;
  double real;
  const char *string;
  int index;
  void *object;
  struct dc_real_list reals;
  struct dc_index_list indices;
  struct dc_string_list strings;
  struct dc_object_list objects;
};

// Bytes of the member that holds an option of that type; 0 for DC_REALS, whose array stands in the structure
// itself and is written by read_numbers.
static size_t value_size(enum dc_option_type type)
{
  switch (type) {
  case DC_BOOLEAN: return sizeof(bool);
  case DC_INTEGER: return sizeof(long);
  case DC_REAL: return sizeof(double);
  case DC_REALS: return 0;
  case DC_REAL_LIST: return sizeof(struct dc_real_list);
  case DC_STRING: return sizeof(const char *);
  case DC_CHOICE:
  case DC_BODY:
  case DC_SHAPE: return sizeof(int);
  case DC_BODY_LIST: return sizeof(struct dc_index_list);
  case DC_STRING_LIST: return sizeof(struct dc_string_list);
  case DC_OBJECT: return sizeof(void *);
  case DC_OBJECT_LIST: return sizeof(struct dc_object_list);
  }
  return 0;
}

// Reads one value by the type of its option into target.  target may be NULL: the value is only checked, as for
// options of a type that was not chosen.  It stays untouched when the value is refused, except for DC_REALS,
// whose numbers are written as they are read.
enum dc_status dc_read_option(struct dc_options_reader *reader, const struct dc_json *value,
                              const struct dc_option *option, void *target)
{
  union value result;
  double number = 0, *numbers = NULL;
  int count = 0;
  enum dc_status status = DC_OK;
  memset(&result, 0, sizeof result);
  switch (option->type) {
  case DC_BOOLEAN:
    if (!cJSON_IsBool(value->node))
      return dc_refuse_type(reader, value, "true or false");
    result.boolean = cJSON_IsTrue(value->node);
    break;
  case DC_INTEGER:
    status = read_number(reader, value, option, &number);
    result.integer = status ? 0 : (long)number;
    break;
  case DC_REAL: status = read_number(reader, value, option, &result.real); break;
  case DC_REALS:
    numbers = target;  // no copy to be made
    return read_numbers(reader, value, option, &numbers, &count);
  case DC_REAL_LIST:
    status = read_numbers(reader, value, option, &numbers, &count);
    result.reals = (struct dc_real_list){.count = count, .values = numbers};
    break;
  case DC_STRING: status = read_text(reader, value, option, &result.string); break;
  case DC_CHOICE: status = dc_read_choice(reader, value, option->choices, &result.index); break;
  case DC_BODY:
  case DC_SHAPE: status = read_name(reader, value, option->type == DC_BODY, &result.index); break;
  case DC_BODY_LIST: status = read_bodies(reader, value, option, &result.indices); break;
  case DC_STRING_LIST: status = read_strings(reader, value, option, &result.strings); break;
  case DC_OBJECT: status = read_one_object(reader, value, option, &result.object); break;
  case DC_OBJECT_LIST: status = read_objects(reader, value, option, &result.objects); break;
  }
  if (!status && target)
    memcpy(target, &result, value_size(option->type));
  return status;
}

// Refuses a key that no option has.  The suggestion is made among all keys that could stand there: those of the
// table and the tag that chose it.
static enum dc_status refuse_option(struct dc_options_reader *reader, const struct dc_json *member,
                                    const struct dc_option *table, const struct dc_allowed_keys *allowed)
{
  const char *names[MOST_NAMES + 1];
  int count = 0;
  if (allowed && allowed->tag)
    names[count++] = allowed->tag;
  for (int i = 0; table[i].name && count < MOST_NAMES; i++)
    names[count++] = table[i].name;
  names[count] = NULL;
  return dc_refuse_key(reader, member, names);
}

// Reads a member of an object by its key, which may be
// 1. an option of the table, which is read into the structure;
// 2. the tag that chose the table ("type", "model"), which has been read;
// 3. an option of another table of the family.  It is refused, unless the choice may still change
//    (allowed->chosen_later: a scene holds settings of several contact models and --model chooses one); then
//    its value is checked and dropped.  On the command line it is refused in any case, as it would have no
//    effect.
static enum dc_status read_member(struct dc_options_reader *reader, const struct dc_json *member,
                                  const struct dc_option *table, const struct dc_allowed_keys *allowed, void *target)
{
  int i = dc_option_find(table, member->key);
  if (i >= 0)
    return dc_read_option(reader, member, &table[i], (char *)target + table[i].offset);
  if (allowed && allowed->tag && strcmp(member->key, allowed->tag) == 0)
    return DC_OK;
  for (int t = 0; allowed && allowed->others && allowed->others[t]; t++) {
    i = dc_option_find(allowed->others[t], member->key);
    if (i >= 0 && allowed->chosen_later && !dc_json_is_argument(member))
      return dc_read_option(reader, member, &allowed->others[t][i], NULL);
    if (i >= 0)
      return dc_json_fail_key(member, reader->error, DC_BAD_INPUT, "is an option of another %s than the one chosen",
                              allowed->tag);
  }
  return refuse_option(reader, member, table, allowed);
}

// Reads an object into a structure: defaults of all options first, then the members in order of the file, then
// a check that no option without a default is missing.  Later reads never have to ask whether a member was
// given: what is absent holds its default, NAN for numbers whose default is "null".
enum dc_status dc_read_options(struct dc_options_reader *reader, const struct dc_json *object,
                               const struct dc_option *table, const struct dc_allowed_keys *allowed, void *target)
{
  if (!cJSON_IsObject(object->node))
    return dc_refuse_type(reader, object, "an object");
  enum dc_status status = dc_options_set_defaults(table, target, reader->arena, reader->error);
  if (status)
    return dc_json_wrap(object, reader->error);
  cJSON *node;
  cJSON_ArrayForEach (node, object->node) {
    struct dc_json member = dc_json_element(object, node, 0);
    if ((status = read_member(reader, &member, table, allowed, target)))
      return status;
  }
  for (int i = 0; table[i].name; i++)
    if (!table[i].fallback && !cJSON_GetObjectItemCaseSensitive(object->node, table[i].name))
      return dc_json_fail(object, reader->error, DC_BAD_INPUT, "missing key \"%s\" (%s%s%s)", table[i].name,
                          table[i].help, *table[i].unit ? ", in " : "", table[i].unit);
  return DC_OK;
}
