// SPDX-License-Identifier: Apache-2.0
#include "base/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int dc_option_find(const struct dc_option *table, const char *name)
{
  for (int i = 0; table[i].name; i++)
    if (strcmp(table[i].name, name) == 0)
      return i;
  return -1;
}

const char *dc_option_check(const struct dc_option *option, double number, char *text, size_t size)
{
  const char *space = option->unit[0] ? " " : "";
  if (!isfinite(number)) {
    snprintf(text, size, "must be finite");
    return text;
  }
  if (option->minimum == option->maximum)
    return NULL;
  if (option->minimum_excluded ? number <= option->minimum : number < option->minimum) {
    snprintf(text, size, "must be %s %.10g%s%s (is %.10g)", option->minimum_excluded ? ">" : ">=", option->minimum,
             space, option->unit, number);
    return text;
  }
  if (number > option->maximum) {
    snprintf(text, size, "must be <= %.10g%s%s (is %.10g)", option->maximum, space, option->unit, number);
    return text;
  }
  return NULL;
}

// Reads "[1, 2]" or "3" into numbers [capacity]; the count, or -1 when the text is no list of numbers.
static int parse_numbers(const char *text, double *numbers, int capacity)
{
  int count = 0;
  for (const char *at = text; *at;) {
    if (strchr("[], ", *at)) {
      at++;
      continue;
    }
    char *end;
    double number = strtod(at, &end);
    if (end == at || count == capacity)
      return -1;
    numbers[count++] = number;
    at = end;
  }
  return count;
}

static enum dc_status set_default(const struct dc_option *option, void *value, struct dc_arena *arena,
                                  struct dc_error *error)
{
  enum { MOST = 64 };
  double numbers[MOST];
  const char *text = option->fallback;
  bool absent = strcmp(text, "null") == 0;
  int count = 0;
  if (option->type == DC_STRING || option->type == DC_CHOICE) {
    size_t length = strlen(text);
    char *word = NULL;
    if (!absent) {
      word = dc_arena_strdup(arena, text + 1);  // without the quotes
      if (!word)
        return dc_fail(error, DC_MEMORY, "out of memory");
      word[length - 2] = '\0';
    }
    if (option->type == DC_STRING) {
      *(const char **)value = word;
      return DC_OK;
    }
    for (int i = 0; word && option->choices[i]; i++)
      if (strcmp(option->choices[i], word) == 0)
        *(int *)value = i;
    return DC_OK;
  }
  if (!absent && option->type != DC_BOOLEAN) {
    count = parse_numbers(text, numbers, MOST);
    if (count < 0)
      return dc_fail(error, DC_USAGE, "option %s: bad default %s", option->name, text);
  }
  switch (option->type) {
  case DC_BOOLEAN: *(bool *)value = strcmp(text, "true") == 0; break;
  case DC_INTEGER: *(long *)value = count ? (long)numbers[0] : 0; break;
  case DC_REAL: *(double *)value = count ? numbers[0] : NAN; break;
  case DC_REALS:
    for (int i = 0; i < option->count; i++)
      ((double *)value)[i] = i < count ? numbers[i] : NAN;
    break;
  case DC_REAL_LIST: {
    struct dc_real_list *list = value;
    list->count = count;
    list->values = dc_arena_alloc(arena, (size_t)count, sizeof(double));
    if (!list->values)
      return dc_fail(error, DC_MEMORY, "out of memory");
    memcpy(list->values, numbers, (size_t)count * sizeof(double));
    break;
  }
  case DC_BODY:
  case DC_SHAPE: *(int *)value = -1; break;
  default: break;
  }
  return DC_OK;
}

enum dc_status dc_options_set_defaults(const struct dc_option *table, void *target, struct dc_arena *arena,
                                       struct dc_error *error)
{
  for (int i = 0; table[i].name; i++) {
    if (!table[i].fallback)
      continue;
    enum dc_status status = set_default(&table[i], (char *)target + table[i].offset, arena, error);
    if (status)
      return status;
  }
  return DC_OK;
}

// Levenshtein distance, ignoring case; names longer than the buffer are "far".
static int edit_distance(const char *a, const char *b)
{
  enum { MOST = 64 };
  int row[MOST + 1];
  size_t length_a = strlen(a), length_b = strlen(b);
  if (length_a > MOST || length_b > MOST)
    return MOST;
  for (size_t j = 0; j <= length_b; j++)
    row[j] = (int)j;
  for (size_t i = 1; i <= length_a; i++) {
    int diagonal = row[0];
    row[0] = (int)i;
    for (size_t j = 1; j <= length_b; j++) {
      int above = row[j];
      int best = diagonal + (strncasecmp(a + i - 1, b + j - 1, 1) != 0);
      if (above + 1 < best)
        best = above + 1;
      if (row[j - 1] + 1 < best)
        best = row[j - 1] + 1;
      row[j] = best;
      diagonal = above;
    }
  }
  return row[length_b];
}

const char *dc_suggest(const char *name, const char *const *candidates)
{
  const char *nearest = NULL;
  int nearest_distance = 4;
  for (int i = 0; candidates[i]; i++) {
    int distance = edit_distance(name, candidates[i]);
    if (distance < nearest_distance && distance * 2 <= (int)strlen(candidates[i])) {
      nearest = candidates[i];
      nearest_distance = distance;
    }
  }
  return nearest;
}
