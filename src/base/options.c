// SPDX-License-Identifier: Apache-2.0
// Defaults and checks of option tables.
//
// A default is JSON text in the table; each kind of option has a function that parses its small part of JSON (numbers,
// lists, strings without escapes, "null", "{}") and writes the value at the option's offset.  Objects are filled by
// their own table, recursively.  A default that does not fit its option is a bug of the table and yields DC_USAGE.
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

// NULL if a number suits an option, else text with the rule that it breaks.  Equal bounds mean that there are none.
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

// Parses "[1, 2]" or "3" into numbers [capacity]; returns the count, or -1 when text is no list of numbers.
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
                                  struct dc_error *error);

// A default that does not fit its own option is a mistake of the table, found by the first test that reads it.
static enum dc_status refuse_default(const struct dc_option *option, struct dc_error *error)
{
  return dc_fail(error, DC_USAGE, "option %s: bad default %s", option->name, option->fallback);
}

// "null": the option has no value unless one is given.
static bool is_absent(const struct dc_option *option)
{
  return strcmp(option->fallback, "null") == 0;
}

// Numbers and lists of them: absent ones are 0 for an integer, NAN for a real and for each component that the default
// does not reach, and an empty list.
static enum dc_status set_numbers(const struct dc_option *option, void *value, struct dc_arena *arena,
                                  struct dc_error *error)
{
  enum { MOST = 64 };
  double numbers[MOST];
  int count = is_absent(option) ? 0 : parse_numbers(option->fallback, numbers, MOST);
  if (count < 0)
    return refuse_default(option, error);
  if (option->type == DC_INTEGER) {
    *(long *)value = count ? (long)numbers[0] : 0;
  } else if (option->type == DC_REAL) {
    *(double *)value = count ? numbers[0] : NAN;
  } else if (option->type == DC_REALS) {
    for (int i = 0; i < option->count; i++)
      ((double *)value)[i] = i < count ? numbers[i] : NAN;
  } else {
    struct dc_real_list *list = value;
    list->count = count;
    list->values = dc_arena_alloc(arena, (size_t)count, sizeof(double));
    if (!list->values)
      return dc_out_of_memory(error);
    memcpy(list->values, numbers, (size_t)count * sizeof(double));
  }
  return DC_OK;
}

// Parses the strings of a default, which have no escapes: "a" or ["a", "b"] or none.
static enum dc_status parse_strings(const struct dc_option *option, struct dc_string_list *list, struct dc_arena *arena,
                                    struct dc_error *error)
{
  const char *at = option->fallback;
  int quotes = 0;
  for (const char *c = at; *c; c++)
    quotes += *c == '"';
  if (quotes % 2)
    return refuse_default(option, error);
  list->count = quotes / 2;
  list->strings = dc_arena_alloc(arena, (size_t)list->count, sizeof *list->strings);
  for (int i = 0; list->strings && i < list->count; i++) {
    const char *begin = strchr(at, '"') + 1, *end = strchr(begin, '"');
    list->strings[i] = dc_arena_printf(arena, "%.*s", (int)(end - begin), begin);
    if (!list->strings[i])
      list->strings = NULL;
    at = end + 1;
  }
  return list->strings ? DC_OK : dc_out_of_memory(error);
}

// Strings, lists of them, and choices, whose value is the index of the word.
static enum dc_status set_strings(const struct dc_option *option, void *value, struct dc_arena *arena,
                                  struct dc_error *error)
{
  struct dc_string_list list;
  enum dc_status status = parse_strings(option, &list, arena, error);
  if (status)
    return status;
  if (option->type == DC_STRING_LIST) {
    *(struct dc_string_list *)value = list;
    return DC_OK;
  }
  if (list.count != !is_absent(option))
    return refuse_default(option, error);
  if (option->type == DC_STRING) {
    *(const char **)value = list.count ? list.strings[0] : NULL;
    return DC_OK;
  }
  for (int i = 0; list.count && option->choices[i]; i++) {
    if (strcmp(option->choices[i], list.strings[0]) == 0) {
      *(int *)value = i;
      return DC_OK;
    }
  }
  return list.count ? refuse_default(option, error) : DC_OK;
}

// Fills one object or none; see struct dc_option for the forms of a default.
static enum dc_status set_objects(const struct dc_option *option, void *value, struct dc_arena *arena,
                                  struct dc_error *error)
{
  const char *text = option->fallback;
  bool word = text[0] == '"';
  void *object = NULL;
  if (!is_absent(option)) {
    if (word ? !dc_option_has_short_form(option) : strcmp(text, "{}") != 0)
      return refuse_default(option, error);
    for (const struct dc_option *inner = option->table; inner->name && !word; inner++)
      if (!inner->fallback)
        return refuse_default(option, error);
    object = dc_arena_alloc(arena, 1, option->object_size);
    if (!object)
      return dc_out_of_memory(error);
    enum dc_status status = dc_options_set_defaults(option->table, object, arena, error);
    if (status)
      return status;
    if (word) {
      struct dc_option named = option->table[dc_option_find(option->table, option->short_key)];
      named.fallback = text;
      if ((status = set_default(&named, (char *)object + named.offset, arena, error)))
        return status;
    }
  }
  if (option->type == DC_OBJECT)
    memcpy(value, &object, sizeof object);
  else
    *(struct dc_object_list *)value = (struct dc_object_list){.count = object != NULL, .objects = object};
  return DC_OK;
}

// Writes the default of one option at value, by its type.
static enum dc_status set_default(const struct dc_option *option, void *value, struct dc_arena *arena,
                                  struct dc_error *error)
{
  switch (option->type) {
  case DC_BOOLEAN: *(bool *)value = strcmp(option->fallback, "true") == 0; return DC_OK;
  case DC_INTEGER:
  case DC_REAL:
  case DC_REALS:
  case DC_REAL_LIST: return set_numbers(option, value, arena, error);
  case DC_STRING:
  case DC_CHOICE:
  case DC_STRING_LIST: return set_strings(option, value, arena, error);
  case DC_OBJECT:
  case DC_OBJECT_LIST: return set_objects(option, value, arena, error);
  case DC_BODY:
  case DC_SHAPE:
  case DC_BODY_LIST: break;
  }
  // names of a scene cannot be defaults
  if (!is_absent(option))
    return refuse_default(option, error);
  if (option->type == DC_BODY_LIST)
    *(struct dc_index_list *)value = (struct dc_index_list){0};
  else
    *(int *)value = -1;
  return DC_OK;
}

// Options without a fallback must be given, and keep the zeros of their memory until then.
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

// Whether a string may stand for the object: the table has the short key, and every other option has a default.
bool dc_option_has_short_form(const struct dc_option *option)
{
  bool found = false;
  for (const struct dc_option *inner = option->table; option->short_key && inner->name; inner++) {
    if (strcmp(inner->name, option->short_key) == 0)
      found = true;
    else if (!inner->fallback)
      return false;
  }
  return found;
}

// Levenshtein distance (insertions, deletions, substitutions), ignoring case; MOST for names of more than MOST letters.
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

// Names that other programs give to things that have another name here.
static const struct {
  const char *theirs, *ours[3];
} synonyms[] = {{"revolute", {"hinge"}},
                {"continuous", {"hinge"}},
                {"prismatic", {"slide"}},
                {"spherical", {"ball"}},
                {"floating", {"free"}},
                {"freejoint", {"free"}},
                {"static", {"fixed"}},
                {"cube", {"box"}},
                {"cuboid", {"box"}},
                {"ball", {"sphere"}},
                {"mu", {"friction"}},
                {"geometry", {"shape", "shapes"}},
                {"geom", {"shape", "shapes"}},
                {"links", {"bodies"}},
                {"pos", {"position"}},
                {"xyz", {"position"}},
                {"orientation", {"rotation"}},
                {"quaternion", {"rotation"}},
                {"quat", {"rotation"}},
                {"rpy", {"rotation"}},
                {"dt", {"step"}},
                {"timestep", {"step"}},
                {"lr", {"learning_rate"}},
                {"scale", {"size"}},
                {"limits", {"range"}},
                {"limit", {"range"}},
                {"velocities", {"velocity"}},
                {"omega", {"angular_velocity"}},
                {"colour", {"color"}},
                {"rgba", {"color"}},
                {"objects", {"bodies"}},
                {"stl", {"mesh"}},
                {"goal", {"target", "objective", "reach"}},
                {"position", {"target", "reach", "pd_targets"}},
                {"move_to", {"reach"}},
                {"angle", {"joints"}},
                {"rotation", {"orientation"}},
                {"distance", {"clearance"}},
                {"motor", {"torque", "pd_targets"}},
                {"force", {"torque"}},
                {"servo", {"pd_targets"}},
                {"throw", {"initial_state"}},
                {"launch", {"initial_state"}},
                {"initial_velocity", {"initial_state", "velocity"}},
                {"floor", {"plane"}},
                {"ground", {"plane"}},
                {"rod", {"capsule"}},
                {"threshold", {"tolerance"}},
                {"precision", {"tolerance"}},
                {"bounce", {"restitution"}},
                {"elasticity", {"restitution"}},
                {"stiffness", {"kp"}},
                {"damping", {"kd"}},
                {"location", {"position"}},
                {"translation", {"position"}},
                {"origin", {"position"}},
                {"euler", {"rotation"}},
                {"angles", {"rotation"}},
                {"cost", {"objective"}},
                {"run", {"simulate"}},
                {"solve", {"optimize"}},
                {"plan", {"optimize"}},
                {"play", {"view"}},
                {"show", {"view"}},
                {"plot", {"report"}}};

// Words of other programs for which no single key stands here, and how it is said here.
static const struct {
  const char *theirs, *here;
} foreign[] = {{"timestep", "\"time\": {\"step\": s, \"steps\": count} has it"},
               {"dt", "\"time\": {\"step\": s, \"steps\": count} has it"},
               {"duration", "a run lasts \"steps\" times \"step\" of \"time\""},
               {"units", "numbers are in m, kg, s, N and rad, always"},
               {"unit", "numbers are in m, kg, s, N and rad, always"},
               {"actuators", "\"pd\": {\"kp\": ..., \"kd\": ...} of a body is its actuator"},
               {"actuator", "\"pd\": {\"kp\": ..., \"kd\": ...} of a body is its actuator"},
               {"motors", "\"pd\": {\"kp\": ..., \"kd\": ...} of a body is its actuator"},
               {"joints", "\"joint\" of a body tells how it moves relative to its \"parent\""},
               {"joint_position", "it stands in a body, or, by names of joints, in an \"include\""},
               {"ground", "a body of a shape {\"type\": \"plane\"} with \"joint\": \"fixed\" is a ground"},
               {"floor", "a body of a shape {\"type\": \"plane\"} with \"joint\": \"fixed\" is a ground"},
               {"fixed", "\"joint\": \"fixed\" holds a body still, \"free\" lets it go"},
               {"static", "\"joint\": \"fixed\" holds a body still, \"free\" lets it go"},
               {"is_static", "\"joint\": \"fixed\" holds a body still, \"free\" lets it go"},
               {"free", "\"joint\": \"fixed\" holds a body still, \"free\" lets it go"},
               {"diameter", "\"radius\" is half of it"},
               {"half_extents", "\"size\" has the whole lengths along x, y and z"},
               {"halfsize", "\"size\" has the whole lengths along x, y and z"},
               {"width", "\"size\" of a box has its lengths along x, y and z"},
               {"depth", "\"size\" of a box has its lengths along x, y and z"},
               {"scale", "\"scale\" belongs to a \"mesh\" in \"shapes\""},
               {"restitution", "it stands in \"contact\" or in a body"},
               {"friction", "it stands in \"contact\" or in a body"}};

// Case does not matter, since people quote other programs' words in many spellings.
const char *dc_explain_foreign(const char *name)
{
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
    if (strcasecmp(foreign[i].theirs, name) == 0)
      return foreign[i].here;
  return NULL;
}

// A synonym counts only if the key that it stands for is among the candidates: one word may stand for several keys.
const char *dc_find_synonym(const char *name, const char *const *candidates)
{
  for (size_t s = 0; s < sizeof synonyms / sizeof *synonyms; s++)
    for (int i = 0; strcasecmp(synonyms[s].theirs, name) == 0 && candidates[i]; i++)
      for (const char *const *ours = synonyms[s].ours; *ours; ours++)
        if (strcmp(*ours, candidates[i]) == 0)
          return candidates[i];
  return NULL;
}

// The nearest candidate differs by fewer than FAR letters and by at most half of its own.  A beginning of at least 3
// letters counts as near, however much is missing.
const char *dc_suggest(const char *name, const char *const *candidates)
{
  enum { FAR = 4, LEAST_BEGINNING = 3 };
  const char *nearest = dc_find_synonym(name, candidates);
  int nearest_distance = FAR;
  if (nearest)
    return nearest;
  size_t length = strlen(name);
  for (int i = 0; candidates[i]; i++) {
    bool begins = length >= LEAST_BEGINNING && strncasecmp(candidates[i], name, length) == 0;
    int distance = edit_distance(name, candidates[i]);
    if (begins && distance > 1)
      distance = 1;
    if (distance < nearest_distance && distance * 2 <= (int)strlen(candidates[i])) {
      nearest = candidates[i];
      nearest_distance = distance;
    }
  }
  return nearest;
}
