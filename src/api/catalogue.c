// SPDX-License-Identifier: Apache-2.0
// The lists of `dcsim list`: families of descriptors with their options; and the JSON schema made from the option
// tables.  Both are made from registries and tables alone: whoever adds a member to a registry finds it here.
#include <stdlib.h>
#include <string.h>

#include "api/internal.h"
#include "io/scene/scene_format.h"

// One member of a family as it is listed; NULL where a member has no reference or no options.
struct entry {
  const char *name, *summary, *reference;
  const struct dc_option *options;
};

// The type of an option as the list calls it; the JSON has the same words.
static const char *const type_names[] = {
    [DC_BOOLEAN] = "boolean",
    [DC_INTEGER] = "integer",
    [DC_REAL] = "number",
    [DC_REALS] = "numbers",
    [DC_REAL_LIST] = "list of numbers",
    [DC_STRING] = "string",
    [DC_CHOICE] = "choice",
    [DC_BODY] = "body",
    [DC_SHAPE] = "shape",
    [DC_BODY_LIST] = "list of bodies",
    [DC_STRING_LIST] = "list of strings",
    [DC_OBJECT] = "object",
    [DC_OBJECT_LIST] = "list of objects",
};

// Describes a table of options as lines of text and as JSON, nested tables within.  The default of an option is
// that of its table; where it is null and `absent` says what then happens, the text has those words.
// An option without a fallback is required.  Options of type object recurse into their own tables; the recursion ends
// because tables are static and nest without cycles.
void dc_api_describe_options(const struct dc_option *options, int indentation, struct dc_text *text,
                             struct dc_json_writer *json)
{
  dc_json_begin(json, "options", '[');
  for (int i = 0; options && options[i].name; i++) {
    const struct dc_option *option = &options[i];
    // Objects have tables of their own, which are described below them, two columns further in.
    bool nested = option->type == DC_OBJECT || option->type == DC_OBJECT_LIST;
    dc_json_begin(json, NULL, '{');
    dc_json_put_string(json, "name", option->name);
    dc_json_put_string(json, "type", type_names[option->type]);
    dc_json_put_string(json, "unit", option->unit);
    dc_json_put_raw(json, "default", option->fallback ? option->fallback : "null");
    dc_json_put_boolean(json, "required", option->fallback == NULL);
    dc_json_put_string(json, "help", option->help);
    dc_text_add(text, "%*s%-18s %s%s%s%s; default %s\n", indentation, "", option->name, option->help,
                option->unit[0] ? " [" : "", option->unit, option->unit[0] ? "]" : "",
                !option->fallback                                         ? "none: must be given"
                : option->absent && strcmp(option->fallback, "null") == 0 ? option->absent
                                                                          : option->fallback);
    if (nested && option->short_key)
      dc_json_put_string(json, "short_key", option->short_key);
    if (nested)
      dc_api_describe_options(option->table, indentation + 2, text, json);
    dc_json_end(json, "}");
  }
  dc_json_end(json, "]");
}

// Describes one member: name, summary and reference in a line, its options below.
static void describe_entry(const struct entry *entry, struct dc_text *text, struct dc_json_writer *json)
{
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "name", entry->name);
  dc_json_put_string(json, "summary", entry->summary);
  if (entry->reference)
    dc_json_put_string(json, "reference", entry->reference);
  dc_text_add(text, "  %s: %s%s%s%s\n", entry->name, entry->summary, entry->reference ? " (" : "",
              entry->reference ? entry->reference : "", entry->reference ? ")" : "");
  dc_api_describe_options(entry->options, 4, text, json);
  dc_json_end(json, "}");
}

// One registry as entries: the i-th, or name NULL at its end.
static struct entry model_entry(int i)
{
  const struct dc_contact_model *m = dc_contact_models[i];
  return m ? (struct entry){m->name, m->summary, m->reference, m->options} : (struct entry){0};
}

static struct entry joint_entry(int i)
{
  const struct dc_joint_type *j = dc_joint_types[i];
  return j ? (struct entry){j->name, j->summary, j->reference, NULL} : (struct entry){0};
}

static struct entry shape_entry(int i)
{
  const struct dc_shape_type *s = dc_shape_types[i];
  return s ? (struct entry){s->name, s->summary, NULL, s->options} : (struct entry){0};
}

static struct entry control_entry(int i)
{
  const struct dc_control_type *c = dc_control_types[i];
  return c ? (struct entry){c->name, c->summary, c->reference, c->options} : (struct entry){0};
}

static struct entry objective_entry(int i)
{
  const struct dc_objective_type *o = dc_objective_types[i];
  return o ? (struct entry){o->name, o->summary, o->reference, o->options} : (struct entry){0};
}

static struct entry design_entry(int i)
{
  const struct dc_design_type *d = dc_design_types[i];
  return d ? (struct entry){d->name, d->summary, d->reference, d->options} : (struct entry){0};
}

static struct entry optimizer_entry(int i)
{
  const struct dc_optimizer_type *o = dc_optimizer_types[i];
  return o ? (struct entry){o->name, o->summary, o->reference, o->options} : (struct entry){0};
}

// Sections of a scene that have options without a choice of type.
static struct entry section_entry(int i)
{
  static const struct entry sections[] = {
      {"time", "time steps", NULL, dc_time_options},
      {"solver", "convergence of a step", NULL, dc_step_options},
      {"mujoco", "the contact model mujoco", NULL, dc_mujoco_options},
      {"gradient", "how gradients are computed", NULL, dc_gradient_options},
      {"init", "first guess drawn at random, or a grasp", NULL, dc_first_guess_options},
      {"continuation", "begin with softer contact, longer steps and stronger far fields", NULL,
       dc_continuation_options},
      {"portfolio", "several optimizers and drawn first guesses", NULL, dc_portfolio_options},
      {"automatic", "the search for settings where no optimizer is named", NULL, dc_automatic_options},
      {"horizon", "receding horizon", NULL, dc_horizon_options},
      {"certify", "requirements of a certificate", NULL, dc_certify_options},
      {"refine", "a problem without time", NULL, dc_refine_options},
      {"pairs", "an element of \"pairs\"", NULL, dc_refine_pair_options},
      {"bodies", "an element of \"bodies\"", NULL, dc_body_options},
      {"couplings", "an element of \"couplings\"", NULL, dc_coupling_options},
      {"ties", "an element of \"ties\"", NULL, dc_tie_options},
      {"tendons", "an element of \"tendons\"", NULL, dc_tendon_options},
      {"shot", "a random instance", NULL, dc_shot_options},
      {"camera", "the view of pictures", NULL, dc_camera_options},
      {0}};
  return sections[i];
}

// The families by the names that `dcsim list` takes, in the order in which all are printed.
static const struct family {
  const char *name;
  struct entry (*entry)(int i);
} families[] = {{"models", model_entry},         {"joints", joint_entry},         {"shapes", shape_entry},
                {"controls", control_entry},     {"objectives", objective_entry}, {"designs", design_entry},
                {"optimizers", optimizer_entry}, {"sections", section_entry},     {NULL, NULL}};

// Lists one family, or all with family NULL.  An unknown name is refused with the most similar one.
// The JSON is an object {family: [member, ...]}.  DCSIM_USAGE: there is no such family; DCSIM_MEMORY.
int dcsim_list(const char *family, dcsim_report *report, dcsim_error *error)
{
  struct dc_text text = {0};
  struct dc_json_writer json = {0};
  bool found = false;
  dc_json_begin(&json, NULL, '{');
  for (int f = 0; families[f].name; f++) {
    if (family && strcmp(family, families[f].name) != 0)
      continue;
    found = true;
    dc_json_begin(&json, families[f].name, '[');
    dc_text_add(&text, "%s\n", families[f].name);
    for (int i = 0; families[f].entry(i).name; i++) {
      struct entry entry = families[f].entry(i);
      describe_entry(&entry, &text, &json);
    }
    dc_json_end(&json, "]");
  }
  dc_json_end(&json, "}");
  if (found)
    return dc_api_report(report, &text, &json, error);
  // Nothing was found: what has been written so far is thrown away.
  free(dc_json_finish(&json));
  dc_text_free(&text);
  struct dc_error local = {0};
  const char *names[sizeof families / sizeof *families];
  for (size_t f = 0; f < sizeof families / sizeof *families; f++)
    names[f] = families[f].name;
  const char *near = dc_suggest(family, names);
  dc_fail(&local, DC_USAGE, "no family \"%s\"%s%s%s", family, near ? " (did you mean \"" : "", near ? near : "",
          near ? "\"?)" : "");
  return dc_api_fail(error, &local, DC_USAGE);
}

// The JSON schema of scenes, as text and as JSON the same; the caller frees both (dcsim_report_free).
// report may be NULL.
int dcsim_schema(dcsim_report *report, dcsim_error *error)
{
  char *schema = dc_scene_schema();
  struct dc_text text = {0};
  if (schema)
    dc_text_add(&text, "%s", schema);
  if (!schema || text.failed) {
    free(schema);
    dc_text_free(&text);
    return dc_api_fail(error, &(struct dc_error){.text = "out of memory for the schema"}, DC_MEMORY);
  }
  dcsim_report made = {.text = text.bytes, .json = schema};
  if (report)
    *report = made;
  else
    dcsim_report_free(&made);
  return DCSIM_OK;
}
