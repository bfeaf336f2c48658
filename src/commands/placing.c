// SPDX-License-Identifier: Apache-2.0
// Moving the start of a scene: sliders, overrides of the scene that they stand for, and the text of the file with them.
//
// 1. Sliders are read off the built scene: three places and turns of every free body of the file's own, one for every
//    slide and hinge that follows no other (make_sliders).  Joints of included robots have the names of their files.
// 2. A move opens the scene anew with overrides such as bodies["cue"].position=[...], so that couplings, ranges and
//    checks act as they will when the file is read (open_moved).
// 3. Saving changes the same values in the text of the file (dc_json_edit): "position", "rotation" and "joint_position"
//    of bodies, "joint_position" of includes.  The new text is opened before it replaces the file.
#include "commands/placing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "body/coupling.h"
#include "body/joint.h"
#include "io/json/json_edit.h"
#include "io/robot/urdf.h"
#include "io/run/run_files.h"
#include "io/scene/scene_format.h"
#include "math/rotation.h"
#include "math/vector.h"

enum { MOST_NUMBERS = 64 };  // of "joint_position", which the option table bounds by 32

static const double PI = 3.14159265358979323846;
static const double ROUNDING = 1e5;  // values have so many parts of a m or rad, so that files hold short numbers
// Positions reach this many times the scene's extent to both sides of the start.
static const double REACH = 1.0;

// The bodies of a scene that is open.
static const struct dc_bodies *bodies_of(const dcsim_scene *scene)
{
  return &scene->scene->model.bodies;
}

// Half the diagonal of the box around everything that moves, m.
static double extent_of(const struct dc_bodies *bodies)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int b = 0; b < bodies->count; b++) {
    const struct dc_body *body = &bodies->bodies[b];
    for (int k = 0; k < 3 && body->nq; k++) {
      low[k] = fmin(low[k], body->start.position[k] - body->radius);
      high[k] = fmax(high[k], body->start.position[k] + body->radius);
    }
  }
  double diagonal[3] = {high[0] - low[0], high[1] - low[1], high[2] - low[2]};
  return isfinite(diagonal[0]) ? fmax(dc_vec_norm(diagonal) / 2, 0.05) : 1;
}

// Whether a coupling drives the body, which then has no start of its own.
static bool follows_another(const struct dc_scene *scene, int body)
{
  for (int c = 0; c < scene->definition.coupling_count; c++)
    if (scene->couplings[c].body == body)
      return true;
  return false;
}

// The name that an included file has for a coordinate of a body; NULL: it has none.
static const struct dc_robot_start *find_start(const struct dc_scene *scene, const char *body, int coordinate)
{
  for (const struct dc_robot_start *start = scene->source.starts; start; start = start->next)
    if (start->coordinate == coordinate && strcmp(start->body, body) == 0)
      return start;
  return NULL;
}

// The element of "bodies" in the file's own text; NULL: it is included.
static const cJSON *find_body(const cJSON *root, const char *name)
{
  const cJSON *body;
  cJSON_ArrayForEach (body, cJSON_GetObjectItemCaseSensitive(root, "bodies")) {
    const char *own = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(body, "name"));
    if (own && strcmp(own, name) == 0)
      return body;
  }
  return NULL;
}

// The definition of a body, which is one of the scene's.
static const struct dc_body_definition *definition_of(const struct dc_placing *placing, const char *name)
{
  const struct dc_body_definition *definition = placing->first->scene->bodies;
  while (strcmp(definition->name, name) != 0)
    definition++;
  return definition;
}

// Adds six sliders for a free body: three for its position and three for turns about the world's axes, which
// are applied after its own rotation.
static void add_free(struct dc_placing *placing, const struct dc_body *body, double reach)
{
  const double *position = definition_of(placing, body->name)->position;
  for (int k = 0; k < 3; k++)
    placing->sliders[placing->count++] = (struct dc_placing_slider){.kind = DC_PLACING_POSITION,
                                                                    .body = body->name,
                                                                    .axis = k,
                                                                    .low = position[k] - reach,
                                                                    .high = position[k] + reach,
                                                                    .given = position[k],
                                                                    .value = position[k]};
  for (int k = 0; k < 3; k++)
    placing->sliders[placing->count++] = (struct dc_placing_slider){
        .kind = DC_PLACING_TURN, .body = body->name, .axis = k, .angle = true, .low = -PI, .high = PI};
}

// Adds a slider for every slide and hinge of a body's joint.  Bodies of the file's own have their coordinates
// in "joint_position"; those of included files only where the file has a name for the joint.
static void add_joints(struct dc_placing *placing, const struct dc_body *body, bool own, double reach)
{
  const struct dc_scene *scene = placing->first->scene;
  int first = placing->count, coordinate = 0;
  for (int p = 0; p < body->part_count; p++) {
    const struct dc_joint_part *part = &body->parts[p];
    if (part->kind != DC_PART_SLIDE && part->kind != DC_PART_HINGE)
      continue;
    bool hinge = part->kind == DC_PART_HINGE;
    double value = bodies_of(placing->first)->initial_q[part->q], width = hinge ? PI : reach;
    const struct dc_robot_start *start = own ? NULL : find_start(scene, body->name, coordinate);
    if (own || start)
      placing->sliders[placing->count++] =
          (struct dc_placing_slider){.kind = DC_PLACING_JOINT,
                                     .body = body->name,
                                     .joint = start ? start->joint : NULL,
                                     .include = start ? start->include : -1,
                                     .axis = coordinate,
                                     .angle = hinge,
                                     .given = value,
                                     .value = value,
                                     .low = isfinite(part->range[0]) ? part->range[0] : value - width,
                                     .high = isfinite(part->range[1]) ? part->range[1] : value + width};
    coordinate++;
  }
  for (int i = first; i < placing->count; i++)
    placing->sliders[i].count = coordinate;
}

// Reads the sliders off the built scene.  A free body that was included has none: its place is that of the
// include.
// Room is for the most there can be: six for each body and one for each joint coordinate.  DC_USAGE: there is nothing
// to move in this scene.
static enum dc_status make_sliders(struct dc_placing *placing, struct dc_error *error)
{
  const struct dc_scene *scene = placing->first->scene;
  const struct dc_bodies *bodies = &scene->model.bodies;
  struct dc_json_document document = {0};
  double reach = REACH * extent_of(bodies);
  placing->sliders =
      dc_arena_alloc(placing->arena, 6 * (size_t)bodies->count + (size_t)bodies->nq, sizeof *placing->sliders);
  if (!placing->sliders)
    return dc_out_of_memory_for(error, "the sliders");
  enum dc_status status = dc_json_load_text(&document, placing->path, scene->source.text, placing->arena, error);
  for (int b = 0; b < bodies->count && !status; b++) {
    const struct dc_body *body = &bodies->bodies[b];
    bool own = find_body(document.root, body->name);
    if (body->free && own)
      add_free(placing, body, reach);
    else if (!body->free && !follows_another(scene, b))
      add_joints(placing, body, own, reach);
  }
  dc_json_release(&document);
  if (!status && placing->count == 0)
    return dc_fail(error, DC_USAGE, "%.900s: there is nothing to place: no free body of the file's own and no joint",
                   placing->path);
  return status;
}

// The value of a key as JSON text for the body that slider i begins: sliders of one key of one body are neighbours.
// *next: the first slider of another key or body.  NULL: nothing has changed.
// Turns about the world's axes are multiplied from the left onto the file's rotation, in the order of the sliders x,
// y, z. Numbers are short decimals, as a person would write them into the file.
static const char *value_of(const struct dc_placing *placing, int i, struct dc_arena *arena, int *next,
                            const char **key)
{
  const struct dc_placing_slider *first = &placing->sliders[i];
  double numbers[MOST_NUMBERS] = {0};
  bool changed = false;
  int count = first->kind == DC_PLACING_POSITION ? 3 : first->kind == DC_PLACING_TURN ? 4 : first->count;
  const struct dc_body_definition *definition = definition_of(placing, first->body);
  if (first->kind == DC_PLACING_TURN)
    memcpy(numbers, definition->rotation, 4 * sizeof *numbers);
  // coordinates without a slider, as joints of included files that have no name, stay where they start
  for (int k = 0; first->kind == DC_PLACING_JOINT && k < definition->joint_position.count && k < count; k++)
    numbers[k] = definition->joint_position.values[k];
  for (*next = i; *next < placing->count; ++*next) {
    const struct dc_placing_slider *slider = &placing->sliders[*next];
    if (slider->kind != first->kind || slider->body != first->body)
      break;
    changed |= slider->value != slider->given;
    if (first->kind == DC_PLACING_TURN) {
      double half = slider->value / 2, turn[4] = {cos(half)};
      turn[1 + slider->axis] = sin(half);
      dc_rotation_multiply(numbers, turn, numbers);
    } else {
      numbers[slider->axis] = slider->value;
    }
  }
  static const char *const keys[] = {"position", "rotation", "joint_position"};
  struct dc_text text = {0};
  *key = keys[first->kind];
  for (int k = 0; k < count; k++) {
    dc_text_add(&text, k ? ", " : "[");
    dc_text_short_real(&text, numbers[k], "0");
  }
  dc_text_add(&text, "]");
  const char *value = changed && !text.failed ? dc_arena_strdup(arena, text.bytes) : NULL;
  dc_text_free(&text);
  return value;
}

// Opens the scene with the sliders as overrides behind those of the command line.
static int open_moved(struct dc_placing *placing, dcsim_scene **scene, dcsim_error *error)
{
  dcsim_scene_options options = *placing->options;
  struct dc_arena *arena = dc_arena_create();
  size_t most = (size_t)(options.override_count + placing->count);
  const char **overrides = arena ? dc_arena_alloc(arena, most, sizeof *overrides) : NULL, *key;
  struct dc_error local = {0};
  *scene = NULL;
  if (!overrides) {
    dc_arena_destroy(arena);
    return dc_api_fail(error, &local, dc_out_of_memory_for(&local, "the scene"));
  }
  for (int i = 0; i < options.override_count; i++)
    overrides[i] = options.overrides[i];
  for (int i = 0, next; i < placing->count; i = next) {
    const char *value = value_of(placing, i, arena, &next, &key);
    if (value)
      overrides[options.override_count++] =
          dc_arena_printf(arena, "bodies[\"%s\"].%s=%s", placing->sliders[i].body, key, value);
  }
  options.overrides = overrides;
  int status = dcsim_scene_open(placing->path, &options, scene, error);
  dc_arena_destroy(arena);
  return status;
}

// The scene as the sliders have it becomes the present one; after a failure the one before stays.
static int take_moved(struct dc_placing *placing, dcsim_error *error)
{
  dcsim_scene *moved;
  int status = open_moved(placing, &moved, error);
  if (status)
    return status;
  if (placing->present != placing->first)
    dcsim_scene_close(placing->present);
  placing->present = moved;
  return DCSIM_OK;
}

// The scene as the file has it (first) stays to be returned to; the present one is replaced with every move of a
// slider.
int dc_placing_open(struct dc_placing *placing, const char *path, const dcsim_scene_options *options,
                    dcsim_error *error)
{
  struct dc_error local = {0};
  *placing = (struct dc_placing){.path = path, .options = options, .arena = dc_arena_create()};
  if (!placing->arena)
    return dc_api_fail(error, &local, dc_out_of_memory_for(&local, "the scene"));
  int status = dcsim_scene_open(path, options, &placing->first, error);
  if (status)
    return status;
  placing->present = placing->first;
  enum dc_status made = make_sliders(placing, &local);
  return made ? dc_api_fail(error, &local, made) : DCSIM_OK;
}

// Also after a failure of dc_placing_open.
void dc_placing_close(struct dc_placing *placing)
{
  if (placing->present != placing->first)
    dcsim_scene_close(placing->present);
  dcsim_scene_close(placing->first);
  dc_arena_destroy(placing->arena);
}

// Moves slider i and opens the scene anew.  Values are rounded and kept in the slider's range; one that is back
// at the file's own number is exactly that number again, so that saving does not change it.  A scene that is
// refused puts the slider back.
int dc_placing_move(struct dc_placing *placing, int i, double value, dcsim_error *error)
{
  struct dc_placing_slider *slider = &placing->sliders[i];
  double before = slider->value;
  slider->value = fmin(slider->high, fmax(slider->low, round(value * ROUNDING) / ROUNDING));
  if (fabs(slider->value - slider->given) < 0.5 / ROUNDING)
    slider->value = slider->given;
  int status = take_moved(placing, error);
  if (status)
    slider->value = before;
  return status;
}

// Puts all sliders back to the file's numbers and opens the scene with them.
int dc_placing_reset(struct dc_placing *placing, dcsim_error *error)
{
  for (int i = 0; i < placing->count; i++)
    placing->sliders[i].value = placing->sliders[i].given;
  return take_moved(placing, error);
}

// The element of "include" with this index; a single include may stand without an array.
static cJSON *find_include(const cJSON *root, int index)
{
  cJSON *include = cJSON_GetObjectItemCaseSensitive(root, "include");
  return cJSON_IsArray(include) ? cJSON_GetArrayItem(include, index) : include;
}

// "joint_position" of an include: the values that the file gives, with those of changed sliders put in.  NULL: nothing
// has changed, or memory is out (*failed).
static const char *starts_of(const struct dc_placing *placing, const cJSON *include, int index, bool *failed)
{
  const cJSON *given = cJSON_IsObject(include) ? cJSON_GetObjectItemCaseSensitive(include, "joint_position") : NULL;
  cJSON *starts = cJSON_IsObject(given) ? cJSON_Duplicate(given, true) : cJSON_CreateObject();
  struct dc_text text = {0};
  bool changed = false;
  for (int i = 0; i < placing->count; i++) {
    const struct dc_placing_slider *slider = &placing->sliders[i];
    if (slider->joint && slider->include == index && slider->value != slider->given) {
      cJSON *number = cJSON_CreateNumber(slider->value);
      *failed |= !number || !dc_json_put(starts, slider->joint, number);
      changed = true;
    }
  }
  dc_text_add(&text, "{");
  for (const cJSON *start = starts ? starts->child : NULL; start; start = start->next) {
    dc_text_string(&text, start->string);
    dc_text_add(&text, ": ");
    dc_text_short_real(&text, start->valuedouble, "0");
    dc_text_add(&text, start->next ? ", " : "");
  }
  dc_text_add(&text, "}");
  const char *result = changed && !text.failed ? dc_arena_strdup(placing->arena, text.bytes) : NULL;
  *failed |= !starts || text.failed || (changed && !result);
  cJSON_Delete(starts);
  dc_text_free(&text);
  return result;
}

// An include that was a file's name only, with "joint_position"; NULL: out of memory.
static const char *spell_include(struct dc_arena *arena, const char *file, const char *starts)
{
  struct dc_text text = {0};
  dc_text_add(&text, "{\"file\": ");
  dc_text_string(&text, file);
  dc_text_add(&text, ", \"joint_position\": %s}", starts);
  const char *spelled = text.failed ? NULL : dc_arena_strdup(arena, text.bytes);
  dc_text_free(&text);
  return spelled;
}

// Lists the changes of the file's own bodies and of its includes and returns their number.  An include that is
// a file's name becomes an object.
static int list_changes(const struct dc_placing *placing, const struct dc_json_document *document,
                        struct dc_json_change *changes, bool *failed)
{
  int count = 0;
  for (int i = 0, next; i < placing->count; i = next) {
    struct dc_json_change change = {.object = find_body(document->root, placing->sliders[i].body)};
    change.value = value_of(placing, i, placing->arena, &next, &change.key);
    if (change.object && change.value)
      changes[count++] = change;
  }
  for (int k = 0; k < DC_SCENE_MOST_INCLUDES; k++) {
    cJSON *include = find_include(document->root, k);
    bool single = include && include->string;
    const char *value = include ? starts_of(placing, include, k, failed) : NULL;
    if (value && cJSON_IsObject(include))
      changes[count++] = (struct dc_json_change){include, "joint_position", value};
    else if (value)
      changes[count++] =
          (struct dc_json_change){include, NULL, spell_include(placing->arena, include->valuestring, value)};
    if (!include || single)
      break;
  }
  return count;
}

// Replaces the scene's file, after two checks: it is still the text that was opened, so that nobody's changes
// are lost, and the new text opens.
// DC_BAD_INPUT: somebody else has written the file meanwhile; any status of opening a scene: the new text is refused.
// In both cases the file is as it was.
static int replace_file(struct dc_placing *placing, const struct dc_text *text, dcsim_error *error)
{
  struct dc_error local = {0};
  const struct dc_scene *scene = placing->first->scene;
  dcsim_scene *tried = NULL;
  const char *now;
  size_t length;
  enum dc_status status = dc_json_read_text(placing->path, placing->arena, &now, &length, &local);
  if (!status && strcmp(now, scene->source.text) != 0)
    status =
        dc_fail(&local, DC_BAD_INPUT, "%.900s has changed since it was opened; nothing was written", placing->path);
  if (status)
    return dc_api_fail(error, &local, status);
  int opened = dcsim_scene_open_text(text->bytes, scene->source.folder, placing->options, &tried, error);
  dcsim_scene_close(tried);
  if (opened)
    return opened;
  status = dc_file_write(placing->path, text->bytes, text->length, &local);
  return status ? dc_api_fail(error, &local, status) : DCSIM_OK;
}

// Opens what was saved: it is what later changes are changes of.
static int open_again(struct dc_placing *placing, dcsim_error *error)
{
  struct dc_placing opened;
  int status = dc_placing_open(&opened, placing->path, placing->options, error);
  struct dc_placing old = status ? opened : *placing;
  if (!status)
    *placing = opened;
  dc_placing_close(&old);
  return status;
}

// Saves the sliders in the scene's file.  Afterwards the file is opened again, and its numbers are what later
// changes start from.
int dc_placing_save(struct dc_placing *placing, dcsim_error *error)
{
  struct dc_error local = {0};
  struct dc_json_document document = {0};
  struct dc_text text = {0};
  bool failed = false;
  enum dc_status status =
      dc_json_load_text(&document, placing->path, placing->first->scene->source.text, placing->arena, &local);
  struct dc_json_change *changes =
      dc_arena_alloc(placing->arena, (size_t)placing->count + DC_SCENE_MOST_INCLUDES, sizeof *changes);
  if (!status && changes) {
    int count = list_changes(placing, &document, changes, &failed);
    dc_json_edit(&document, count, changes, &text);
  }
  if (!status && (!changes || failed || text.failed))
    status = dc_out_of_memory_in(&local, placing->path);
  int saved = status ? dc_api_fail(error, &local, status) : replace_file(placing, &text, error);
  dc_json_release(&document);
  dc_text_free(&text);
  return saved ? saved : open_again(placing, error);
}
