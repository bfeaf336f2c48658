// SPDX-License-Identifier: Apache-2.0
// The JSON Schema of scene files, made from the option tables and registries, for editors that complete and check while
// one writes (`dcsim schema`).
//
// Each option becomes a property with type, bounds, default and help; each family of types (contact models, optimizers,
// shapes, ...) a list of alternatives that its tag chooses between.  The schema is no more than what tables say: rules
// that join several keys, such as names that must exist, are checked by the reader alone.  So a scene that breaks the
// schema is refused, but one that keeps it may be refused as well.
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/scene/scene_format.h"

// Bounds of a number; equal ones mean that there are none.  An infinite one is left out, as JSON has no
// infinity.
static void put_bounds(struct dc_json_writer *writer, const struct dc_option *option)
{
  if (option->minimum == option->maximum)
    return;
  if (isfinite(option->minimum))
    dc_json_put_number(writer, option->minimum_excluded ? "exclusiveMinimum" : "minimum", option->minimum);
  if (isfinite(option->maximum))
    dc_json_put_number(writer, "maximum", option->maximum);
}

// An array of numbers: exactly option->count of them (DC_REALS), or at most so many.
static void put_array(struct dc_json_writer *writer, const struct dc_option *option)
{
  dc_json_put_string(writer, "type", "array");
  if (option->type == DC_REALS)
    dc_json_put_integer(writer, "minItems", option->count);
  dc_json_put_integer(writer, "maxItems", option->count);
  dc_json_begin(writer, "items", '{');
  dc_json_put_string(writer, "type", "number");
  put_bounds(writer, option);
  dc_json_end(writer, "}");
}

// A list of at most option->count numbers, one of which may stand without the list.
static void put_number_or_list(struct dc_json_writer *writer, const struct dc_option *option)
{
  dc_json_begin(writer, "anyOf", '[');
  dc_json_begin(writer, NULL, '{');
  dc_json_put_string(writer, "type", "number");
  put_bounds(writer, option);
  dc_json_end(writer, "}");
  dc_json_begin(writer, NULL, '{');
  put_array(writer, option);
  dc_json_end(writer, "}]");
}

// Writes "learning_rate" as the title "Learning rate", which editors show.
static void put_title(struct dc_json_writer *writer, const char *name)
{
  char title[64];
  snprintf(title, sizeof title, "%s", name);
  for (char *c = title; *c; c++)
    if (*c == '_')
      *c = ' ';
  if (title[0] >= 'a' && title[0] <= 'z')
    title[0] = (char)(title[0] - 'a' + 'A');
  dc_json_put_string(writer, "title", title);
}

// Opens the schema of a key of the scene.
static void begin_key(struct dc_json_writer *writer, const char *key, const char *description)
{
  dc_json_begin(writer, key, '{');
  put_title(writer, key);
  dc_json_put_string(writer, "description", description);
}

// Opens an array's schema and that of its elements.
static void begin_items(struct dc_json_writer *writer, int most)
{
  dc_json_put_string(writer, "type", "array");
  dc_json_put_integer(writer, "maxItems", most);
  dc_json_begin(writer, "items", '{');
}

// Opens an object's schema and that of its keys.
static void begin_properties(struct dc_json_writer *writer)
{
  dc_json_put_string(writer, "type", "object");
  dc_json_begin(writer, "properties", '{');
}

// Closes both: other keys are refused.
static void end_properties(struct dc_json_writer *writer)
{
  dc_json_end(writer, "}");
  dc_json_put_boolean(writer, "additionalProperties", false);
  dc_json_end(writer, "}");
}

// An object of which these keys may be there, whatever they hold; left_out: that may not, NULL at their end.
static void put_keys(struct dc_json_writer *writer, const char *const *keys, const char *const *left_out)
{
  dc_json_put_string(writer, "type", "object");
  dc_json_begin(writer, "propertyNames", '{');
  dc_json_begin(writer, "enum", '[');
  for (; *keys; keys++) {
    const char *const *out = left_out;
    while (*out && strcmp(*out, *keys) != 0)
      out++;
    if (!*out)
      dc_json_put_string(writer, NULL, *keys);
  }
  dc_json_end(writer, "]}");
}

static void put_type(struct dc_json_writer *writer, const struct dc_option *option);
static void put_object(struct dc_json_writer *writer, const struct dc_option *table, const char *tag, bool tag_required,
                       const struct dc_family_member *member);

// Writes the object of a nested option and, if there is one, the string that may stand in its place, as
// elements of "anyOf".
static void put_nested(struct dc_json_writer *writer, const struct dc_option *option)
{
  if (dc_option_has_short_form(option)) {
    dc_json_begin(writer, NULL, '{');
    put_type(writer, &option->table[dc_option_find(option->table, option->short_key)]);
    dc_json_end(writer, "}");
  }
  dc_json_begin(writer, NULL, '{');
  put_object(writer, option->table, NULL, false, NULL);
  dc_json_end(writer, "}");
}

// A list of at most option->count elements, one of which may stand without the list, as elements of "anyOf".
static void put_list(struct dc_json_writer *writer, const struct dc_option *option)
{
  bool objects = option->type == DC_OBJECT_LIST;
  if (objects)
    put_nested(writer, option);
  else
    dc_json_put_raw(writer, NULL, "{\"type\": \"string\"}");
  dc_json_begin(writer, NULL, '{');
  dc_json_put_string(writer, "type", "array");
  dc_json_put_integer(writer, "maxItems", option->count);
  if (option->type == DC_BODY_LIST)
    dc_json_put_boolean(writer, "uniqueItems", true);
  dc_json_begin(writer, "items", '{');
  if (objects) {
    dc_json_begin(writer, "anyOf", '[');
    put_nested(writer, option);
    dc_json_end(writer, "]");
  } else {
    dc_json_put_string(writer, "type", "string");
  }
  dc_json_end(writer, "}}");
}

// The keywords that say which values option takes.
static void put_type(struct dc_json_writer *writer, const struct dc_option *option)
{
  switch (option->type) {
  case DC_BOOLEAN: dc_json_put_string(writer, "type", "boolean"); break;
  case DC_INTEGER:
  case DC_REAL:
    dc_json_put_string(writer, "type", option->type == DC_REAL ? "number" : "integer");
    put_bounds(writer, option);
    break;
  case DC_REALS: put_array(writer, option); break;
  case DC_REAL_LIST: put_number_or_list(writer, option); break;
  case DC_CHOICE:
    dc_json_begin(writer, "enum", '[');
    for (int i = 0; option->choices[i]; i++)
      dc_json_put_string(writer, NULL, option->choices[i]);
    dc_json_end(writer, "]");
    break;
  case DC_STRING:
  case DC_BODY:
  case DC_SHAPE: dc_json_put_string(writer, "type", "string"); break;
  case DC_OBJECT:
  case DC_BODY_LIST:
  case DC_STRING_LIST:
  case DC_OBJECT_LIST:
    dc_json_begin(writer, "anyOf", '[');
    if (option->type == DC_OBJECT)
      put_nested(writer, option);
    else
      put_list(writer, option);
    dc_json_end(writer, "]");
    break;
  }
}

// Writes one option as a property: title, description with unit, allowed values, default.  A default of null
// means absent, and a schema has no word for it.
void dc_put_option_schema(struct dc_json_writer *writer, const struct dc_option *option)
{
  char description[512];
  dc_json_begin(writer, option->name, '{');
  put_title(writer, option->name);
  snprintf(description, sizeof description, option->unit[0] ? "%s [%s]" : "%s", option->help ? option->help : "",
           option->unit);
  dc_json_put_string(writer, "description", description);
  put_type(writer, option);
  if (option->fallback && strcmp(option->fallback, "null") != 0)
    dc_json_put_raw(writer, "default", option->fallback);
  dc_json_end(writer, "}");
}

// Options without a default are required, and the tag where it must be there.
static void put_required(struct dc_json_writer *writer, const struct dc_option *table, const char *tag)
{
  int count = tag != NULL;
  for (int i = 0; table[i].name; i++)
    count += !table[i].fallback;
  if (!count)
    return;
  dc_json_begin(writer, "required", '[');
  if (tag)
    dc_json_put_string(writer, NULL, tag);
  for (int i = 0; table[i].name; i++)
    if (!table[i].fallback)
      dc_json_put_string(writer, NULL, table[i].name);
  dc_json_end(writer, "]");
}

// The inside of the schema of an object of options; with member it has the key tag whose value is the member's name.
static void put_object(struct dc_json_writer *writer, const struct dc_option *table, const char *tag, bool tag_required,
                       const struct dc_family_member *member)
{
  dc_json_put_string(writer, "type", "object");
  if (member) {
    dc_json_put_string(writer, "title", member->name);
    dc_json_put_string(writer, "description", member->summary ? member->summary : "");
  }
  dc_json_begin(writer, "properties", '{');
  if (member) {
    dc_json_begin(writer, tag, '{');
    dc_json_put_string(writer, "const", member->name);
    dc_json_end(writer, "}");
  }
  for (int i = 0; table[i].name; i++)
    dc_put_option_schema(writer, &table[i]);
  dc_json_end(writer, "}");
  put_required(writer, table, tag_required ? tag : NULL);
  dc_json_put_boolean(writer, "additionalProperties", false);
}

// A section of one table: all its keys may be left out but those without a default.
static void put_section(struct dc_json_writer *writer, const char *key, const char *description,
                        const struct dc_option *table)
{
  begin_key(writer, key, description);
  put_object(writer, table, NULL, false, NULL);
  dc_json_end(writer, "}");
}

// Writes one alternative per member of a family, for "anyOf".  The tag is a constant in each, and required
// except in the one called fallback.
static void put_members(struct dc_json_writer *writer, enum dc_family family, const char *tag, const char *fallback)
{
  struct dc_family_member members[DC_FAMILY_MOST];
  int count = dc_family_members(family, members);
  for (int i = 0; i < count; i++) {
    dc_json_begin(writer, NULL, '{');
    put_object(writer, members[i].options, tag, !fallback || strcmp(members[i].name, fallback) != 0, &members[i]);
    dc_json_end(writer, "}");
  }
}

// A model has the options that it reads.
static void put_contact(struct dc_json_writer *writer)
{
  begin_key(writer, "contact", "contact model and its options");
  dc_json_begin(writer, "anyOf", '[');
  put_members(writer, DC_CONTACT_MODELS, "model", DC_DEFAULT_CONTACT_MODEL);
  dc_json_end(writer, "]}");
}

// Writes "shapes", an object by names, or "control", "objective" or "design", arrays: collections of members of
// a family.  Objectives have one alternative more, the shot.
static void put_collection(struct dc_json_writer *writer, const char *key, const char *description,
                           enum dc_family family)
{
  bool objects = family == DC_SHAPE_TYPES;
  begin_key(writer, key, description);
  dc_json_put_string(writer, "type", objects ? "object" : "array");
  dc_json_put_integer(writer, objects ? "maxProperties" : "maxItems",
                      objects ? DC_SCENE_MOST_SHAPES : DC_SCENE_MOST_ENTRIES);
  dc_json_begin(writer, objects ? "additionalProperties" : "items", '{');
  dc_json_begin(writer, "anyOf", '[');
  put_members(writer, family, "type", NULL);
  if (family == DC_OBJECTIVE_TYPES) {
    dc_json_begin(writer, NULL, '{');
    begin_properties(writer);
    put_section(writer, "shot", "bodies and targets drawn at random", dc_shot_options);
    dc_json_end(writer, "}");
    dc_json_put_raw(writer, "required", "[\"shot\"]");
    dc_json_put_boolean(writer, "additionalProperties", false);
    dc_json_end(writer, "}");
  }
  dc_json_end(writer, "]}}");
}

// An array of objects of one table.
static void put_elements(struct dc_json_writer *writer, const char *key, const char *description, int most,
                         const struct dc_option *table)
{
  begin_key(writer, key, description);
  begin_items(writer, most);
  put_object(writer, table, NULL, false, NULL);
  dc_json_end(writer, "}}");
}

// An overlay may change any part, so only its keys are described.
static void put_models(struct dc_json_writer *writer)
{
  const char *names[DC_FAMILY_MOST + 1];
  dc_family_names(DC_CONTACT_MODELS, names);
  int count = 0;
  while (names[count])
    count++;
  for (int i = 0; dc_contact_models_not_built[i] && count < DC_FAMILY_MOST; i++, names[count] = NULL)
    names[count++] = dc_contact_models_not_built[i];
  begin_key(writer, "models", "changes to the scene that apply when the contact model is the one named");
  begin_properties(writer);
  for (int i = 0; names[i]; i++) {
    dc_json_begin(writer, names[i], '{');
    put_keys(writer, dc_scene_keys, (const char *const[]){"models", "include", NULL});
    dc_json_end(writer, "}");
  }
  end_properties(writer);
}

// A case may change parts of bodies, so only its keys are described.
static void put_cases(struct dc_json_writer *writer)
{
  begin_key(writer, "cases", "further worlds that the same parameters drive: changes to the scene; losses add up");
  begin_items(writer, DC_SCENE_MOST_CASES);
  put_keys(writer, dc_scene_case_keys, (const char *const[]){NULL});
  dc_json_end(writer, "}}");
}

// Writes the plant: the sections of a world, each complete, as an overlay may change any option and needs none.
static void put_plant(struct dc_json_writer *writer)
{
  begin_key(writer, "plant", "the world that the plan is executed in, where it is not the one that it is made in");
  begin_properties(writer);
  dc_json_begin(writer, "time", '{');
  begin_properties(writer);
  dc_put_option_schema(writer, &dc_time_options[dc_option_find(dc_time_options, "step")]);
  end_properties(writer);
  put_contact(writer);
  put_section(writer, "solver", "tolerances of the step", dc_step_options);
  put_section(writer, "mujoco", "settings of the contact model mujoco", dc_mujoco_options);
  end_properties(writer);
}

static void put_text_property(struct dc_json_writer *writer, const char *key)
{
  begin_key(writer, key, "for readers; ignored");
  dc_json_put_raw(writer, "type", "[\"string\", \"array\"]");
  dc_json_put_raw(writer, "items", "{\"type\": \"string\"}");
  dc_json_end(writer, "}");
}

// The string or object of an element of "include".
static void put_include_element(struct dc_json_writer *writer)
{
  dc_json_put_raw(writer, NULL, "{\"type\": \"string\"}");
  dc_json_begin(writer, NULL, '{');
  begin_properties(writer);
  for (const struct dc_option *option = dc_include_options; option->name; option++)
    dc_put_option_schema(writer, option);
  dc_json_begin(writer, dc_start_options[0].name, '{');
  put_title(writer, dc_start_options[0].name);
  dc_json_put_string(writer, "description", dc_start_options[0].help);
  dc_json_put_string(writer, "type", "object");
  dc_json_put_raw(writer, "additionalProperties", "{\"type\": \"number\"}");
  dc_json_end(writer, "}}");
  put_required(writer, dc_include_options, NULL);
  dc_json_put_boolean(writer, "additionalProperties", false);
  dc_json_end(writer, "}");
}

static void put_include(struct dc_json_writer *writer)
{
  begin_key(writer, "include", "robots from URDF files, which become shapes and bodies");
  dc_json_begin(writer, "anyOf", '[');
  put_include_element(writer);
  dc_json_begin(writer, NULL, '{');
  begin_items(writer, DC_SCENE_MOST_INCLUDES);
  dc_json_begin(writer, "anyOf", '[');
  put_include_element(writer);
  dc_json_end(writer, "]}}]}");
}

// Writes the properties of a scene: sections by their tables, families by their members.
static void put_properties(struct dc_json_writer *writer)
{
  dc_json_begin(writer, "$schema", '{');
  dc_json_put_string(writer, "description", "where editors find this schema; ignored");
  dc_json_put_string(writer, "type", "string");
  dc_json_end(writer, "}");
  begin_key(writer, "name", "name of the scene; default: the file's name without .json");
  dc_json_put_string(writer, "type", "string");
  dc_json_put_string(writer, "pattern",
                     "^[^/\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]+$");
  dc_json_end(writer, "}");
  put_text_property(writer, "comment");
  put_text_property(writer, "description");
  put_section(writer, "time", "time stepping", dc_time_options);
  for (int i = 0; dc_gravity_options[i].name; i++)
    dc_put_option_schema(writer, &dc_gravity_options[i]);
  put_contact(writer);
  put_section(writer, "solver", "tolerances of the step", dc_step_options);
  put_section(writer, "mujoco", "settings of the contact model mujoco", dc_mujoco_options);
  put_include(writer);
  put_collection(writer, "shapes", "shapes of bodies, by name", DC_SHAPE_TYPES);
  put_elements(writer, "bodies", "rigid bodies", DC_SCENE_MOST_BODIES, dc_body_options);
  put_elements(writer, "couplings", "coordinates that follow others", DC_SCENE_MOST_ENTRIES, dc_coupling_options);
  put_elements(writer, "ties", "bodies that are held together at their centres", DC_SCENE_MOST_ENTRIES, dc_tie_options);
  put_elements(writer, "tendons", "forces along sums of coordinates", DC_SCENE_MOST_ENTRIES, dc_tendon_options);
  put_collection(writer, "control", "parameters that the optimizer may change", DC_CONTROL_TYPES);
  put_collection(writer, "objective", "terms of the loss, which the optimizer minimizes", DC_OBJECTIVE_TYPES);
  put_collection(writer, "design", "numbers of the model that the optimizer may change", DC_DESIGN_TYPES);
  dc_json_begin(writer, "optimizer", '{');
  put_title(writer, "optimizer");
  dc_json_begin(writer, "anyOf", '[');
  put_members(writer, DC_OPTIMIZER_TYPES, "type", DC_DEFAULT_OPTIMIZER);
  put_members(writer, DC_LEAST_SQUARES_TYPES, "type", DC_DEFAULT_LEAST_SQUARES);
  dc_json_end(writer, "]}");
  put_section(writer, "gradient", "how the optimizer's gradients are computed", dc_gradient_options);
  put_section(writer, "init", "how the first guess is made: drawn at random while its gradient vanishes, or a grasp", dc_first_guess_options);
  put_section(writer, "continuation", "begin to optimize with softer contact, longer steps and stronger far fields",
              dc_continuation_options);
  put_section(writer, "portfolio", "search: several optimizers and drawn first guesses", dc_portfolio_options);
  put_section(writer, "automatic", "what finds the optimizer where none is named", dc_automatic_options);
  put_section(writer, "horizon", "receding horizon: optimize windows of the run one after the other",
              dc_horizon_options);
  put_section(writer, "certify", "requirements of a certificate of a run (dcsim verify)", dc_certify_options);
  dc_put_option_schema(writer, &dc_problem_options[0]);
  put_section(writer, "refine", "poses at which pairs of points touch", dc_refine_options);
  dc_put_option_schema(writer, &dc_pairs_options[0]);
  put_section(writer, "camera", "view of pictures; default: one that shows everything", dc_camera_options);
  put_models(writer);
  put_cases(writer);
  put_plant(writer);
}

// Writes the JSON Schema of scenes (draft 2020-12) from the tables of options, so that it cannot differ from
// what is read.  Trajectories need "time" and refinements need "pairs", which "if", "then" and "else" at the
// end say.
char *dc_scene_schema(void)
{
  locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  locale_t before = plain ? uselocale(plain) : (locale_t)0;
  struct dc_json_writer writer = {0};
  dc_json_begin(&writer, NULL, '{');
  dc_json_put_string(&writer, "$schema", "https://json-schema.org/draft/2020-12/schema");
  dc_json_put_string(&writer, "title", "dcsim scene");
  dc_json_put_string(&writer, "description", "SI units, radians, z up, quaternions (w, x, y, z)");
  dc_json_put_string(&writer, "type", "object");
  dc_json_begin(&writer, "properties", '{');
  put_properties(&writer);
  dc_json_end(&writer, "}");
  dc_json_put_raw(&writer, "if",
                  "{\"properties\": {\"problem\": {\"const\": \"refine\"}}, \"required\": [\"problem\"]}");
  dc_json_put_raw(&writer, "then", "{\"properties\": {\"pairs\": true}, \"required\": [\"pairs\"]}");
  dc_json_put_raw(&writer, "else", "{\"properties\": {\"time\": true}, \"required\": [\"time\"]}");
  dc_json_put_boolean(&writer, "additionalProperties", false);
  dc_json_end(&writer, "}");
  if (plain) {
    uselocale(before);
    freelocale(plain);
  }
  return dc_json_finish(&writer);
}
