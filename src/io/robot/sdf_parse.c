// SPDX-License-Identifier: Apache-2.0
// SDF to struct dc_urdf, in three passes over the tree of elements: models, included files and all frames they name;
// then links; then joints.  At the end what no joint holds floats, as the format has it, or is fixed where its model is
// static.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/json/json_value.h"
#include "io/robot/sdf_reader.h"

enum { MOST_BYTES = 64 << 20 };  // of all files together

// Parses a text that has been read already and keeps it in the list of files, whose unused elements are told at
// the end.
static enum dc_status read_file(struct dc_sdf_reader *reader, const char *name, const char *text, size_t length,
                                struct dc_xml_file **out)
{
  struct dc_xml_file *file = dc_arena_alloc(reader->arena, 1, sizeof *file);
  if (!file || dc_grow(&reader->files, &reader->file_capacity, reader->file_count + 1, sizeof *reader->files))
    return dc_sdf_no_memory(reader);
  if ((reader->bytes += length) > MOST_BYTES)
    return dc_fail(reader->error, DC_BAD_INPUT, "%.300s: included files must have at most 64 MB together", name);
  enum dc_status status = dc_xml_parse(file, name, text, length, reader->arena, reader->error);
  if (status)
    return status;
  if (strcmp(file->root->name, "sdf") != 0)
    return dc_xml_fail(file->root, reader->error, DC_BAD_INPUT, "must be <sdf>");
  file->root->used = true;
  reader->files[reader->file_count++] = *out = file;
  return DC_OK;
}

// Below 1.7 an axis may be given in the frame of its model, below 1.5 it always is.
static enum dc_sdf_axes axes_of(struct dc_xml_element *sdf)
{
  const char *version = dc_xml_attribute(sdf, "version");
  double number = version ? strtod(version, NULL) : 1.7;
  const char *point = version ? strchr(version, '.') : NULL;
  if (!(number < 2 && point && strlen(point) == 2 && point[1] < '7'))
    return DC_SDF_AXES_OF_JOINT;
  return point[1] < '5' ? DC_SDF_AXES_OF_MODEL : DC_SDF_AXES_BY_FLAG;
}

// Pose without "relative_to": that of a link or frame is relative to the model, of a joint to its child, of an
// attached frame to what it is attached to.  Remembers the canonical link: the one that the model names, else
// its first.
static enum dc_status add_inner(struct dc_sdf_reader *reader, struct dc_xml_element *element,
                                enum dc_sdf_frame_kind kind, struct dc_sdf_scope *scope)
{
  struct dc_sdf_frame frame = {.kind = kind, .element = element, .scope = scope, .base = scope->frame};
  const char *name = dc_xml_attribute(element, "name"), *base;
  int index;
  if (!name || !*name)
    return dc_xml_fail(element, reader->error, DC_BAD_INPUT, "missing attribute \"name\"");
  if (!(frame.name = dc_arena_printf(reader->arena, "%s%s", scope->prefix, name)))
    return dc_sdf_no_memory(reader);
  enum dc_status status = dc_sdf_pose(reader, element, &frame.pose, &base);
  if (status)
    return status;
  frame.base_name = base;
  if (!base && kind == DC_SDF_JOINT)
    frame.base_name = dc_sdf_text(element, "child");
  const char *attached = kind == DC_SDF_FRAME ? dc_xml_attribute(element, "attached_to") : NULL;
  if (!base && attached && *attached)
    frame.base_name = attached;
  if ((status = dc_sdf_add_frame(reader, &frame, &index)))
    return status;
  const char *canonical = scope->canonical;
  if (kind == DC_SDF_LINK && (canonical ? strcmp(canonical, name) == 0 : scope->first_link < 0))
    scope->first_link = index;
  return DC_OK;
}

// The element, its name, which beats the model's, whether it makes the model static, and whether the model's members
// belong to the one around.
struct include {
  struct dc_xml_element *element;
  const char *name;
  bool is_static, merged;
};

static enum dc_status add_model(struct dc_sdf_reader *reader, struct dc_xml_element *model, struct dc_sdf_scope *outer,
                                const struct dc_sdf_scope *file, const struct include *include);
static enum dc_status add_include(struct dc_sdf_reader *reader, struct dc_xml_element *include,
                                  struct dc_sdf_scope *scope);

// All that is in a model or world.
static enum dc_status add_members(struct dc_sdf_reader *reader, struct dc_xml_element *element,
                                  struct dc_sdf_scope *scope)
{
  static const struct {
    const char *name;
    enum dc_sdf_frame_kind kind;
  } inner[] = {{"link", DC_SDF_LINK}, {"joint", DC_SDF_JOINT}, {"frame", DC_SDF_FRAME}};
  enum dc_status status = DC_OK;
  for (int k = 0; k < 3; k++)
    for (struct dc_xml_element *one = dc_xml_child(element, inner[k].name); one && !status; one = dc_xml_again(one))
      status = add_inner(reader, one, inner[k].kind, scope);
  for (struct dc_xml_element *one = dc_xml_child(element, "model"); one && !status; one = dc_xml_again(one))
    status = add_model(reader, one, scope, scope, NULL);
  for (struct dc_xml_element *one = dc_xml_child(element, "include"); one && !status; one = dc_xml_again(one))
    status = add_include(reader, one, scope);
  if (!status && scope->first_link < 0 && scope->canonical && *scope->canonical)  // one of a model inside
    scope->first_link = dc_sdf_find_frame(reader, scope, scope->canonical);
  if (!status && scope->first_link < 0)  // of a model without links of its own: that of the first inside
    for (size_t i = (size_t)scope->frame + 1; i < reader->frame_count && scope->first_link < 0; i++)
      if (reader->frames[i].kind == DC_SDF_LINK)
        scope->first_link = (int)i;
  return status;
}

// A model inside of outer, from a file as that scope has it.
static enum dc_status add_model(struct dc_sdf_reader *reader, struct dc_xml_element *model, struct dc_sdf_scope *outer,
                                const struct dc_sdf_scope *file, const struct include *include)
{
  struct dc_sdf_scope *scope = dc_arena_alloc(reader->arena, 1, sizeof *scope);
  struct dc_xml_element *posed = include && dc_xml_child(include->element, "pose") ? include->element : model;
  const char *name = dc_xml_attribute(model, "name"), *base;
  if (include && include->name)
    name = include->name;
  if (!scope)
    return dc_sdf_no_memory(reader);
  if (!name || !*name)
    return dc_xml_fail(model, reader->error, DC_BAD_INPUT, "missing attribute \"name\"");
  *scope = *file;
  struct dc_sdf_frame frame = {.kind = DC_SDF_MODEL, .element = model, .scope = outer, .inner = scope};
  // Names of the only model of a file stay as they are.
  frame.name = dc_arena_printf(reader->arena, "%s%s", outer->prefix, name);
  scope->prefix = outer->flat ? outer->prefix : dc_arena_printf(reader->arena, "%s%s::", outer->prefix, name);
  if (!frame.name || !scope->prefix)
    return dc_sdf_no_memory(reader);
  if (include && include->merged) {  // as the specification calls its frame
    frame.name = dc_arena_printf(reader->arena, "%s_merged__%s__model__", outer->prefix, name);
    scope->prefix = outer->prefix;
    if (!frame.name)
      return dc_sdf_no_memory(reader);
  }
  if (outer->flat && !(frame.name = dc_arena_printf(reader->arena, "%s::", frame.name)))
    return dc_sdf_no_memory(reader);
  scope->parent = outer;
  scope->flat = false;
  scope->first_link = -1;
  scope->canonical = dc_xml_attribute(model, "canonical_link");
  const char *fixed = dc_sdf_text(model, "static");
  scope->is_static = outer->is_static || (include && include->is_static) || dc_sdf_is_true(fixed);
  const char *collides = dc_sdf_text(model, "self_collide");
  bool merged = include && include->merged;
  scope->self_collide = dc_sdf_is_true(collides) || (merged && !collides && outer->self_collide);
  scope->model = merged ? outer->model : dc_arena_printf(reader->arena, "%s%s", outer->prefix, name);
  if (!scope->model)
    return dc_sdf_no_memory(reader);
  frame.base = outer->frame;
  enum dc_status status = dc_sdf_pose(reader, posed, &frame.pose, &base);
  if (status)
    return status;
  if (posed != model)
    dc_xml_child(model, "pose");
  frame.base_name = base;
  frame.placed = include ? dc_sdf_text(include->element, "placement_frame") : NULL;
  if (!frame.placed)
    frame.placed = dc_xml_attribute(model, "placement_frame");
  if (frame.placed && !*frame.placed)
    frame.placed = NULL;
  status = dc_sdf_add_frame(reader, &frame, &scope->frame);
  return status ? status : add_members(reader, model, scope);
}

// The path of the SDF file that an <include> means: the file itself, or the one that the folder's model.config names
// last.
static enum dc_status find_included(struct dc_sdf_reader *reader, struct dc_xml_element *include, const char *folder,
                                    const char *uri, const char **path)
{
  const struct dc_sdf_files *files = &reader->options->files;
  struct dc_error first = {0}, second = {0};
  size_t length = strlen(uri);
  bool file =
      (length > 4 && strcmp(uri + length - 4, ".sdf") == 0) || (length > 6 && strcmp(uri + length - 6, ".world") == 0);
  if (file) {
    enum dc_status status = files->find(files->context, folder, uri, path, &first);
    return status ? dc_xml_fail(include, reader->error, status, "%s", first.text) : DC_OK;
  }
  const char *config = dc_arena_printf(reader->arena, "%s/model.config", uri),
             *plain = dc_arena_printf(reader->arena, "%s/model.sdf", uri), *text;
  if (!config || !plain)
    return dc_sdf_no_memory(reader);
  size_t size;
  struct dc_xml_file parsed;
  if (files->find(files->context, folder, config, path, &first) == DC_OK &&
      dc_json_read_text(*path, reader->arena, &text, &size, &second) == DC_OK && size < MOST_BYTES / 64 &&
      dc_xml_parse(&parsed, config, text, size, reader->arena, &second) == DC_OK) {
    const char *last = NULL;
    for (struct dc_xml_element *one = dc_xml_child(parsed.root, "sdf"); one; one = dc_xml_again(one))
      last = one->text;
    if (last && *last && !(plain = dc_arena_printf(reader->arena, "%s/%s", uri, last)))
      return dc_sdf_no_memory(reader);
  }
  enum dc_status status = files->find(files->context, folder, plain, path, &second);
  return status ? dc_xml_fail(include, reader->error, status, "%s", second.text) : DC_OK;
}

// The first <model> of a file, with the file's folder for its meshes.  Places in an included file cannot be
// told in the scene, so everything in it has the place of the <include>.
static enum dc_status add_file(struct dc_sdf_reader *reader, const struct include *include, struct dc_sdf_scope *outer,
                               const char *path)
{
  struct dc_xml_file *file;
  const char *text, *slash = strrchr(path, '/');
  size_t length;
  struct dc_sdf_scope how = *outer;
  struct dc_error why = {0};
  if (dc_json_read_text(path, reader->arena, &text, &length, &why))
    return dc_xml_fail(include->element, reader->error, why.status, "%s", why.text);
  enum dc_status status = read_file(reader, path, text, length, &file);
  if (status)
    return status;
  struct dc_xml_element *model = dc_xml_child(file->root, "model");
  if (!model)
    return dc_xml_fail(include->element, reader->error, DC_BAD_INPUT, "the included file has no <model>");
  how.axes = axes_of(file->root);
  how.offset = dc_sdf_offset(outer, include->element);
  how.included = true;
  if (!(how.folder = dc_arena_printf(reader->arena, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".")))
    return dc_sdf_no_memory(reader);
  return add_model(reader, model, outer, &how, include);
}

// Reads an included file, unless it is open already (by its real path) or too many are.
static enum dc_status add_include(struct dc_sdf_reader *reader, struct dc_xml_element *element,
                                  struct dc_sdf_scope *scope)
{
  const char *uri = dc_sdf_text(element, "uri"), *path;
  const char *fixed = dc_sdf_text(element, "static");
  struct include include = {element, dc_sdf_text(element, "name"), dc_sdf_is_true(fixed),
                            dc_sdf_is_true(dc_xml_attribute(element, "merge"))};
  if (!uri || !*uri)
    return dc_xml_fail(element, reader->error, DC_BAD_INPUT, "missing <uri>");
  enum dc_status status = find_included(reader, element, scope->folder, uri, &path);
  for (int i = 0; i < reader->open_count && !status; i++)
    if (strcmp(reader->open[i], path) == 0)
      status = dc_xml_fail(element, reader->error, DC_BAD_INPUT, "%.300s includes itself", path);
  if (!status && reader->open_count == DC_SDF_MOST_INCLUDES)
    status = dc_xml_fail(element, reader->error, DC_BAD_INPUT, "files include each other more than %d deep",
                         DC_SDF_MOST_INCLUDES);
  if (status)
    return status;
  reader->open[reader->open_count++] = path;
  status = add_file(reader, &include, scope, path);
  reader->open_count--;
  return status;
}

static int count_models(struct dc_xml_element *element)
{
  int count = 0;
  for (struct dc_xml_element *one = element->first; one; one = one->next)
    count += strcmp(one->name, "model") == 0 || strcmp(one->name, "include") == 0;
  return count;
}

// The passes of the head comment.  With a single model in the file its names are taken without its prefix,
// which is how files of one robot are meant.
static enum dc_status read_all(struct dc_sdf_reader *reader, struct dc_xml_file *file, struct dc_sdf_scope *world)
{
  struct dc_xml_element *element = dc_xml_child(file->root, "world");
  struct dc_sdf_frame root = {.name = "world",
                              .kind = DC_SDF_WORLD,
                              .state = 2,
                              .world = dc_urdf_identity,
                              .pose = dc_urdf_identity,
                              .element = file->root,
                              .scope = world};
  enum dc_status status = dc_sdf_add_frame(reader, &root, &world->frame);
  world->flat = count_models(element ? element : file->root) == 1;
  struct dc_xml_element *physics = dc_xml_child(element, "physics");  // which has gravity before version 1.6
  if (physics)
    status = status ? status : dc_sdf_child_numbers(reader, physics, "gravity", 3, reader->gravity);
  if (!status && element)
    status = dc_sdf_child_numbers(reader, element, "gravity", 3, reader->gravity);
  if (!status && element && isnan(reader->gravity[0]))  // of a world, by the specification
    memcpy(reader->gravity, (const double[3]){0, 0, -9.8}, sizeof reader->gravity);
  if (!status)
    status = add_members(reader, element ? element : file->root, world);
  status = status ? status : dc_sdf_place_models(reader);
  for (size_t i = 1; i < reader->frame_count && !status; i++)
    if (reader->frames[i].kind == DC_SDF_LINK)
      status = dc_sdf_read_link(reader, (int)i);
  status = status ? status : dc_sdf_choose_joints(reader);
  for (size_t i = 1; i < reader->frame_count && !status; i++)
    if (reader->frames[i].kind == DC_SDF_JOINT)
      status = dc_sdf_read_joint(reader, (int)i);
  if (!status && !reader->urdf->link_count)
    status = dc_xml_fail(file->root, reader->error, DC_BAD_INPUT, "holds no model with a link");
  if (!status)
    status = dc_sdf_hold_roots(reader);
  return status ? status : dc_sdf_tell_unused(reader);
}

// Whether the first element of a text is <sdf>, behind comments and declarations.
bool dc_sdf_is(const char *text)
{
  for (const char *c = strchr(text, '<'); c; c = strchr(c + 1, '<')) {
    if (strncmp(c, "<!--", 4) == 0 && !(c = strstr(c, "-->")))
      return false;
    if (strncmp(c, "<sdf", 4) == 0 && strchr(" \t\r\n>/", c[4]))
      return true;
    if (c[0] == '<' && c[1] != '?' && c[1] != '!')
      return false;
  }
  return false;
}

// Reads a text into the same struct that URDF is read into, so that everything behind is shared.  gravity is
// NAN where the file says none.
enum dc_status dc_sdf_parse(struct dc_urdf *urdf, const char *name, const char *text, size_t length,
                            const struct dc_sdf_options *options, struct dc_arena *arena, double gravity[3],
                            struct dc_error *error)
{
  *urdf = (struct dc_urdf){.name = name, .text = text, .length = length, .arena = arena};
  struct dc_sdf_reader reader = {.urdf = urdf,
                                 .options = options,
                                 .arena = arena,
                                 .error = error,
                                 .gravity = {NAN, NAN, NAN},
                                 .open = {options->path},
                                 .open_count = 1};
  struct dc_sdf_scope world = {.prefix = "", .folder = options->folder, .first_link = -1};
  struct dc_xml_file *file;
  enum dc_status status = read_file(&reader, name, text, length, &file);
  if (!status) {
    world.axes = axes_of(file->root);
    status = read_all(&reader, file, &world);
  }
  memcpy(gravity, reader.gravity, sizeof reader.gravity);
  free(reader.frames);
  free(reader.files);
  return status;
}
