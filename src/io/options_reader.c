// SPDX-License-Identifier: Apache-2.0
#include "io/options_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 256 };

static int compare_names(const void *a, const void *b)
{
  const struct dc_name *first = a, *second = b;
  int order = strcmp(first->name, second->name);
  return order ? order : (first->index > second->index) - (first->index < second->index);
}

void dc_name_list_sort(struct dc_name_list *list)
{
  if (list->count)
    qsort(list->sorted, (size_t)list->count, sizeof *list->sorted, compare_names);
}

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

// Among the first MOST_NAMES only, so that a message about a huge scene costs nothing.
const char *dc_name_list_suggest(const struct dc_name_list *list, const char *name)
{
  const char *names[MOST_NAMES + 1];
  int count = list->count < MOST_NAMES ? list->count : MOST_NAMES;
  for (int i = 0; i < count; i++)
    names[i] = list->sorted[i].name;
  names[count] = NULL;
  return dc_suggest(name, names);
}

enum dc_status dc_refuse_type(struct dc_options_reader *reader, const struct dc_json *value, const char *wanted)
{
  return dc_json_fail(value, reader->error, DC_BAD_INPUT, "must be %s (is %s)", wanted, dc_json_kind(value->node));
}

enum dc_status dc_refuse_key(struct dc_options_reader *reader, const struct dc_json *member, const char *const *names)
{
  char quoted[DC_JSON_QUOTED];
  const char *near = dc_suggest(member->key, names);
  if (near)
    return dc_json_fail_key(member, reader->error, DC_BAD_INPUT, "unknown key (did you mean %s?)",
                            dc_json_quote(quoted, near));
  return dc_json_fail_key(member, reader->error, DC_BAD_INPUT, "unknown key");
}

enum dc_status dc_read_string(struct dc_options_reader *reader, const struct dc_json *value, const char **string)
{
  if (!cJSON_IsString(value->node))
    return dc_refuse_type(reader, value, "a string");
  *string = dc_arena_strdup(reader->arena, value->node->valuestring);
  return *string ? DC_OK : dc_json_fail(value, reader->error, DC_MEMORY, "out of memory");
}

enum dc_status dc_read_choice(struct dc_options_reader *reader, const struct dc_json *value, const char *const *names,
                              int *index)
{
  if (!cJSON_IsString(value->node))
    return dc_refuse_type(reader, value, "a string");
  const char *given = value->node->valuestring;
  char list[512] = "", quoted[DC_JSON_QUOTED], again[DC_JSON_QUOTED];
  for (int i = 0; names[i]; i++) {
    if (strcmp(names[i], given) == 0) {
      *index = i;
      return DC_OK;
    }
    size_t length = strlen(list);
    snprintf(list + length, sizeof list - length, "%s\"%s\"", i ? ", " : "", names[i]);
  }
  const char *near = dc_suggest(given, names);
  dc_json_quote(quoted, given);
  if (near)
    return dc_json_fail(value, reader->error, DC_BAD_INPUT, "must be one of %s (is %s; did you mean %s?)", list, quoted,
                        dc_json_quote(again, near));
  return dc_json_fail(value, reader->error, DC_BAD_INPUT, "must be one of %s (is %s)", list, quoted);
}

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
  const char *near = dc_name_list_suggest(list, name);
  dc_json_quote(quoted, name);
  if (near)
    return dc_json_fail(value, reader->error, DC_BAD_INPUT, "no %s is called %s (did you mean %s?)", kind, quoted,
                        dc_json_quote(again, near));
  return dc_json_fail(value, reader->error, DC_BAD_INPUT, "no %s is called %s", kind, quoted);
}

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
// the arena when it was NULL.
static enum dc_status read_numbers(struct dc_options_reader *reader, const struct dc_json *value,
                                   const struct dc_option *option, double **numbers, int *count)
{
  char wanted[64];
  bool exactly = option->type == DC_REALS;
  snprintf(wanted, sizeof wanted, "an array of %s%d numbers", exactly ? "" : "at most ", option->count);
  if (!cJSON_IsArray(value->node))
    return dc_refuse_type(reader, value, wanted);
  *count = cJSON_GetArraySize(value->node);
  if (exactly ? *count != option->count : *count > option->count)
    return dc_json_fail(value, reader->error, DC_BAD_INPUT, "must be %s (has %d)", wanted, *count);
  if (!*numbers)
    *numbers = dc_arena_alloc(reader->arena, (size_t)*count, sizeof **numbers);
  if (!*numbers)
    return dc_json_fail(value, reader->error, DC_MEMORY, "out of memory");
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

enum dc_status dc_read_option(struct dc_options_reader *reader, const struct dc_json *value,
                              const struct dc_option *option, void *target)
{
  union {
    bool boolean;
    long integer;
    double real;
    const char *string;
    int index;
    struct dc_real_list list;
  } result;
  size_t size = 0;
  double number = 0, *numbers = NULL;
  int count = 0;
  enum dc_status status = DC_OK;
  memset(&result, 0, sizeof result);
  switch (option->type) {
  case DC_BOOLEAN:
    if (!cJSON_IsBool(value->node))
      return dc_refuse_type(reader, value, "true or false");
    result.boolean = cJSON_IsTrue(value->node);
    size = sizeof result.boolean;
    break;
  case DC_INTEGER:
    status = read_number(reader, value, option, &number);
    result.integer = status ? 0 : (long)number;
    size = sizeof result.integer;
    break;
  case DC_REAL:
    status = read_number(reader, value, option, &result.real);
    size = sizeof result.real;
    break;
  case DC_REALS:
    numbers = target;  // no copy to be made
    return read_numbers(reader, value, option, &numbers, &count);
  case DC_REAL_LIST:
    status = read_numbers(reader, value, option, &numbers, &count);
    result.list = (struct dc_real_list){.count = count, .values = numbers};
    size = sizeof result.list;
    break;
  case DC_STRING:
    status = dc_read_string(reader, value, &result.string);
    size = sizeof result.string;
    break;
  case DC_CHOICE:
    status = dc_read_choice(reader, value, option->choices, &result.index);
    size = sizeof result.index;
    break;
  case DC_BODY:
  case DC_SHAPE:
    status = read_name(reader, value, option->type == DC_BODY, &result.index);
    size = sizeof result.index;
    break;
  }
  if (!status && target)
    memcpy(target, &result, size);
  return status;
}

// Every key that may stand beside the one that does not, for a suggestion.
static enum dc_status refuse_option(struct dc_options_reader *reader, const struct dc_json *member,
                                    const struct dc_option *table, const struct dc_allowed_keys *allowed)
{
  const char *names[MOST_NAMES + 1];
  int count = 0;
  if (allowed && allowed->tag)
    names[count++] = allowed->tag;
  for (int i = 0; table[i].name && count < MOST_NAMES; i++)
    names[count++] = table[i].name;
  for (int t = 0; allowed && allowed->ignored && allowed->ignored[t]; t++)
    for (int i = 0; allowed->ignored[t][i].name && count < MOST_NAMES; i++)
      names[count++] = allowed->ignored[t][i].name;
  names[count] = NULL;
  return dc_refuse_key(reader, member, names);
}

static enum dc_status read_member(struct dc_options_reader *reader, const struct dc_json *member,
                                  const struct dc_option *table, const struct dc_allowed_keys *allowed, void *target)
{
  int i = dc_option_find(table, member->key);
  if (i >= 0)
    return dc_read_option(reader, member, &table[i], (char *)target + table[i].offset);
  if (allowed && allowed->tag && strcmp(member->key, allowed->tag) == 0)
    return DC_OK;
  for (int t = 0; allowed && allowed->ignored && allowed->ignored[t]; t++) {
    i = dc_option_find(allowed->ignored[t], member->key);
    if (i >= 0)
      return dc_read_option(reader, member, &allowed->ignored[t][i], NULL);
  }
  return refuse_option(reader, member, table, allowed);
}

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
      return dc_json_fail(object, reader->error, DC_BAD_INPUT, "missing key \"%s\"", table[i].name);
  return DC_OK;
}
