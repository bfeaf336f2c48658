// SPDX-License-Identifier: Apache-2.0
// The files that a run with a design of shapes leaves: the numbers of every iteration (design.csv), the parts for
// other programs (OBJ, STL), and the scene with the design built in (design/scene.json).
//
// All is made anew from the parameters at the end of the run: a model is built for each row of the table, and one of
// the best parameters for parts and scene.  Files that are replaced are complete before or after (run_files.c).
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/open.h"
#include "geometry/shapes/shape_options.h"
#include "geometry/shapes/shape_overhang.h"
#include "geometry/shapes/shape_thickness.h"
#include "geometry/shapes/shape_types.h"
#include "io/json/json_print.h"
#include "io/run/mesh_write.h"
#include "io/run/run.h"
#include "io/run/run_files.h"
#include "io/scene/scene_format.h"
#include "math/vector.h"

#define FOLDER "design"
#define FIRST FOLDER "/first"  // the scene's own shapes
enum { LONGEST_NAME = 240 };   // bytes of a file's path without its ending

// Everything that the files are made of.  Models and names live in the arena, which ends with dc_run_write_design.
struct design_files {
  struct dc_run *run;
  const struct dc_scene *scene;
  struct dc_arena *arena;  // of the best design
  bool *designed;          // [bodies] whether the design may change the body's shape
  int steps, parameter_count;
  const double *parameters;  // [parameter_count] of the best
  struct dc_rollout_input *input;
  const struct dc_model *model;
  struct dc_error *error;
};

static enum dc_status fail_memory(struct design_files *files)
{
  return dc_out_of_memory_in(files->error, dc_run_directory(files->run));
}

static enum dc_status find_designed(struct design_files *files)
{
  const struct dc_scene *scene = files->scene;
  files->designed = dc_arena_alloc(files->arena, (size_t)scene->model.bodies.count, sizeof *files->designed);
  if (!files->designed || dc_task_find_designed(&scene->task, &scene->model, files->designed))
    return fail_memory(files);
  return DC_OK;
}

static enum dc_status write_text(struct design_files *files, const char *name, struct dc_text *text)
{
  enum dc_status status =
      text->failed ? fail_memory(files) : dc_run_write_file(files->run, name, text->bytes, text->length, files->error);
  dc_text_free(text);
  return status;
}

// The table design.csv.

// A field of the header, quoted as RFC 4180 wants it.
static void add_column(struct dc_text *csv, const char *what, const char *name, const char *unit)
{
  bool quoted = strpbrk(name, ",;\"\r\n\t") != NULL;
  dc_text_add(csv, ",%s%s", quoted ? "\"" : "", what);
  for (const char *at = name; *at; at++)
    dc_text_add(csv, *at == '"' ? "\"\"" : "%c", *at);
  dc_text_add(csv, " [%s]%s", unit, quoted ? "\"" : "");
}

// Adds the numbers of the design, or the names of their columns.  The parameters [parameter_count] are those of
// a whole run, of which the design has the last.  Each entry tells its values from its own part of them, in its
// own unit.
static void add_values(const struct design_files *files, const double *parameters, bool names, struct dc_text *csv)
{
  const struct dc_task *task = &files->scene->task;
  const struct dc_model *model = &files->scene->model;
  struct dc_design_value value;
  parameters += dc_task_control_parameter_count(task, model, files->steps);
  for (int k = 0; k < task->design_count; k++) {
    const struct dc_design_entry *entry = &task->design[k];
    for (int i = 0; entry->type->value(entry->options, model, parameters, i, &value); i++) {
      if (names) {
        add_column(csv, "", value.name, value.unit);
        continue;
      }
      dc_text_add(csv, ",");
      dc_text_real(csv, value.value, "");
    }
    parameters += entry->type->parameter_count(entry->options, model);
  }
}

static void add_header(const struct design_files *files, struct dc_text *csv)
{
  const struct dc_bodies *bodies = &files->scene->model.bodies;
  dc_text_add(csv, "iteration");
  add_values(files, files->parameters, true, csv);
  for (int i = 0; i < bodies->count; i++)
    if (files->designed[i]) {
      add_column(csv, "mass of ", bodies->bodies[i].name, "kg");
      add_column(csv, "volume of ", bodies->bodies[i].name, "m^3");
      add_column(csv, "thinnest part of ", bodies->bodies[i].name, "m");
      add_column(csv, "least extent of ", bodies->bodies[i].name, "m");
      add_column(csv, "overhang of ", bodies->bodies[i].name, "1");
    }
  dc_text_add(csv, "\n");
}

// Adds the row of one iteration: design values, then for each designed body mass, volume, thinnest part, least
// extent and overhang.  The model is built from the parameters for this row and thrown away.  Fields of bodies
// are empty where the parameters give no valid shape.
static enum dc_status add_row(struct design_files *files, long iteration, const double *parameters, struct dc_text *csv)
{
  const struct dc_scene *scene = files->scene;
  const struct dc_model *model;
  struct dc_error why = {0};
  struct dc_arena *arena = dc_arena_create();
  struct dc_rollout_input *input = dc_task_design_input(&scene->task, &scene->model, files->steps, parameters);
  enum dc_status status = arena && input ? DC_OK : DC_MEMORY;
  if (!status)
    status = dc_task_design_model(&scene->task, &scene->model, files->steps, parameters, arena, &model, &why);
  if (status != DC_MEMORY) {
    dc_text_add(csv, "%ld", iteration);
    add_values(files, parameters, false, csv);
    for (int i = 0; i < scene->model.bodies.count; i++)
      if (files->designed[i]) {
        const struct dc_body *body = status ? NULL : &model->bodies.bodies[i];
        const double numbers[] = {
            body ? body->mass * input->design.body_mass_scale[i] : NAN, body ? body->shape->properties.volume : NAN,
            body ? dc_shape_thinnest(body->shape) : NAN, body ? dc_shape_least_extent(body->shape) : NAN,
            body ? dc_shape_overhang(body->shape).share : NAN};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
          dc_text_add(csv, ",");
          dc_text_real(csv, numbers[k], "");
        }
      }
    dc_text_add(csv, "\n");
  }
  dc_rollout_input_destroy(input);
  dc_arena_destroy(arena);
  return status == DC_MEMORY ? fail_memory(files) : DC_OK;
}

// Reads iteration and parameters of a line of progress.jsonl, which this program wrote; false when it has not
// as many.
static bool read_row(const char *line, const char *end, int count, long *iteration, double *parameters)
{
  static const char key[] = "\"parameters\": [", number[] = "\"iteration\": ";
  const char *from = strstr(line, number), *at = strstr(line, key);
  if (!from || !at || at > end)
    return false;
  *iteration = strtol(from + strlen(number), NULL, 10);
  at += strlen(key);
  for (int i = 0; i < count; i++) {
    char *after;
    parameters[i] = strtod(at, &after);
    if (after == at)
      return false;
    at = after + strspn(after, ", ");
  }
  return *at == ']';
}

// Writes design.csv with a row for every iteration, also for those before a run was resumed: progress.jsonl has
// the parameters of all of them.
static enum dc_status write_rows(struct design_files *files)
{
  struct dc_text csv = {0};
  char *progress = NULL;
  double *parameters = dc_alloc((size_t)files->parameter_count, sizeof *parameters);
  enum dc_status status = parameters ? DC_OK : fail_memory(files);
  if (!status)
    status = dc_run_read_text(dc_run_directory(files->run), "progress.jsonl", &progress, files->error);
  add_header(files, &csv);
  const char *line = progress;
  for (const char *end; !status && (end = strchr(line, '\n')); line = end + 1) {
    long iteration;
    if (read_row(line, end, files->parameter_count, &iteration, parameters))
      status = add_row(files, iteration, parameters, &csv);
  }
  free(progress);
  free(parameters);
  if (!status)
    return write_text(files, "design.csv", &csv);
  dc_text_free(&csv);
  return status;
}

// Files of parts.

// "FOLDER/NAME.ending", NAME written as in trajectory.h5: "/" and "%" and a "." at the beginning as in URLs.  A
// name that becomes too long for file systems is replaced by "%" and the number of the body.
static const char *part_name(struct design_files *files, const char *folder, int index, const char *ending)
{
  const char *body = files->model->bodies.bodies[index].name;
  struct dc_text name = {0};
  dc_text_add(&name, "%s/", folder);
  for (const char *at = body; *at; at++)
    if (*at == '/' || *at == '%' || (at == body && *at == '.'))
      dc_text_add(&name, "%%%02X", (unsigned)*at);
    else
      dc_text_add(&name, "%c", *at);
  const char *copy = NULL;
  if (!name.failed && name.length <= LONGEST_NAME)
    copy = dc_arena_printf(files->arena, "%s%s", name.bytes, ending);
  else if (!name.failed)
    copy = dc_arena_printf(files->arena, "%s/%%%d%s", folder, index, ending);
  dc_text_free(&name);
  return copy;
}

// The shapes that designed bodies have in model.
static enum dc_status write_parts(struct design_files *files, const struct dc_model *model, const char *folder)
{
  enum dc_status status = DC_OK;
  for (int i = 0; i < model->bodies.count && !status; i++) {
    const struct dc_body *body = &model->bodies.bodies[i];
    if (!files->designed[i])
      continue;
    struct dc_text obj = {0}, stl = {0};
    const char *obj_name = part_name(files, folder, i, ".obj"), *stl_name = part_name(files, folder, i, ".stl");
    if (!obj_name || !stl_name)
      return fail_memory(files);
    dc_shape_write_obj(body->shape, &obj);
    dc_shape_write_stl(body->shape, &stl);
    status = write_text(files, obj_name, &obj);
    if (!status)
      status = write_text(files, stl_name, &stl);
    else
      dc_text_free(&stl);
  }
  return status;
}

// The scene with the design built in.

static bool is_taken(const struct dc_shape *shapes, int count, const char *name)
{
  for (int i = 0; i < count; i++)
    if (strcmp(shapes[i].name, name) == 0)
      return true;
  return false;
}

// Names the shapes that the design has made, those behind the scene's own: each after the first body that has
// it, with " designed" added until no other shape is called so.
static enum dc_status name_shapes(struct design_files *files, struct dc_model_definition *definition)
{
  int given = files->scene->definition.shape_count;
  struct dc_shape *shapes = dc_arena_alloc(files->arena, (size_t)definition->shape_count, sizeof *shapes);
  if (!shapes)
    return fail_memory(files);
  for (int i = 0; i < definition->shape_count; i++)
    shapes[i] = definition->shapes[i];
  for (int i = given; i < definition->shape_count; i++) {
    int body = 0;
    while (definition->bodies[body].shape != i)
      body++;
    const char *name = definition->bodies[body].name;
    while (name && is_taken(shapes, i, name))
      name = dc_arena_printf(files->arena, "%s designed", name);
    shapes[i].name = name;
    if (!name)
      return fail_memory(files);
  }
  definition->shapes = shapes;
  return DC_OK;
}

// Whether no vertex of a part stands out of the plane of one of its triangles by more than tolerance (m).
static bool is_convex(const struct dc_mesh *part, double tolerance)
{
  for (int t = 0; t < part->triangle_count; t++) {
    double normal[3], arm[3];
    dc_mesh_normal(part, t, normal);
    for (int v = 0; v < part->vertex_count; v++) {
      dc_vec_sub(arm, part->vertices[v], part->vertices[part->triangles[t][0]]);
      if (dc_vec_dot(arm, normal) > tolerance * dc_vec_norm(normal))
        return false;
    }
  }
  return true;
}

// To rounding: vertices may stand out by 1e-9 of the size of the shape.
static bool all_convex(const struct dc_shape *shape)
{
  static const double FLAT = 1e-9;  // of the size
  for (int p = 0; p < shape->part_count; p++)
    if (!is_convex(&shape->parts[p], FLAT * dc_mesh_size(&shape->mesh)))
      return false;
  return true;
}

// Writes mass, centre and inertia into a definition as they are: they were those of convex parts, and the mesh
// that takes the parts' place would get others.  Inertia about the centre from second moments S: I = tr(S) 1 -
// S.
static void give_mass(const struct dc_body *body, struct dc_body_definition *definition)
{
  const double *s = body->second_moment, trace = s[0] + s[4] + s[8];
  const double inertia[6] = {trace - s[0], trace - s[4], trace - s[8], -s[1], -s[2], -s[5]};
  definition->mass_model = DC_MASS_GIVEN;
  definition->density = NAN;
  definition->mass = body->mass;
  dc_vec_copy(definition->center_of_mass, body->center);
  memcpy(definition->inertia, inertia, sizeof inertia);
}

// Makes a mesh of a shape: FOLDER/NAME.obj of the run, which is there.
static enum dc_status become_mesh(struct design_files *files, const char *name, struct dc_shape *shape)
{
  struct dc_mesh_shape_options *options = dc_arena_alloc(files->arena, 1, sizeof *options);
  options = name ? options : NULL;
  if (!options || !(options->file = dc_arena_printf(files->arena, "%s/%s", dc_run_directory(files->run), name)))
    return fail_memory(files);
  options->scale = 1;
  options->scales[0] = options->scales[1] = options->scales[2] = NAN;
  options->surface = DC_SURFACE_MESH;
  shape->type = &dc_shape_mesh;
  shape->options = options;
  return DC_OK;
}

// Makes a compound of the shape of a body, of meshes that stand behind it in `members`: its parts may overlap, which
// those of one mesh may not.
static enum dc_status become_compound(struct design_files *files, int body, int first, struct dc_shape *shape,
                                      struct dc_shape *members)
{
  struct dc_compound_options *options = dc_arena_alloc(files->arena, 1, sizeof *options);
  struct dc_compound_part *parts = dc_arena_alloc(files->arena, (size_t)shape->part_count, sizeof *parts);
  if (!options || !parts)
    return fail_memory(files);
  for (int p = 0; p < shape->part_count; p++) {
    struct dc_text obj = {0};
    const char *ending = dc_arena_printf(files->arena, ".part%d.obj", p + 1);
    const char *file = ending ? part_name(files, FOLDER, body, ending) : NULL;
    members[p] = (struct dc_shape){.name = dc_arena_printf(files->arena, "%s part%d", shape->name, p + 1),
                                   .part_count = 1,
                                   .parts = &shape->parts[p]};
    if (!file || !members[p].name)
      return fail_memory(files);
    dc_shape_write_obj(&members[p], &obj);
    enum dc_status status = write_text(files, file, &obj);
    if (!status)
      status = become_mesh(files, file, &members[p]);
    if (status)
      return status;
    parts[p] = (struct dc_compound_part){.shape = first + p, .rotation = {1}};
  }
  options->parts = (struct dc_object_list){.count = shape->part_count, .objects = parts};
  shape->type = &dc_shape_compound;
  shape->options = options;
  return DC_OK;
}

// Where contact sees triangles and a part has stopped being convex, hulls of its vertices would be another
// body: such a shape becomes the mesh that write_parts has left, or one for each of several parts, with the mass that
// it had.  Contact of level sets knows no meshes and has the hulls.
static enum dc_status keep_surfaces(struct design_files *files, struct dc_model_definition *definition)
{
  int designed = definition->shape_count, count = designed;
  bool levels = definition->contact_model->flags & DC_CONTACT_LEVELS;
  for (int i = 0; i < designed; i++)
    count += definition->shapes[i].part_count;
  struct dc_shape *shapes = dc_arena_alloc(files->arena, (size_t)count, sizeof *shapes);
  struct dc_body_definition *bodies = dc_arena_alloc(files->arena, (size_t)definition->body_count, sizeof *bodies);
  if (!bodies || !shapes)
    return fail_memory(files);
  memcpy(bodies, definition->bodies, (size_t)definition->body_count * sizeof *bodies);
  memcpy(shapes, definition->shapes, (size_t)designed * sizeof *shapes);
  for (int i = files->scene->definition.shape_count; i < designed; i++) {
    int body = 0, first = definition->shape_count;
    while (bodies[body].shape != i)
      body++;
    if (all_convex(&shapes[i]))
      continue;
    enum dc_status status = DC_OK;
    if (!levels && shapes[i].part_count == 1)
      status = become_mesh(files, part_name(files, FOLDER, body, ".obj"), &shapes[i]);
    else if (!levels) {
      status = become_compound(files, body, first, &shapes[i], shapes + first);
      definition->shape_count += shapes[i].part_count;
    }
    if (status)
      return status;
    for (int b = body; b < definition->body_count; b++)
      if (bodies[b].shape == i && bodies[b].mass_model == DC_MASS_LUMPED)
        give_mass(&files->model->bodies.bodies[b], &bodies[b]);
  }
  definition->shapes = shapes;
  definition->bodies = bodies;
  return DC_OK;
}

// Overlays of other contact models as JSON, with the design's factor on the stiffness built in, too.  The
// caller frees the text.  NULL: there are none, or *failed.
static char *other_models(const struct dc_scene *scene, double scale, bool *failed)
{
  cJSON *models = scene->other_models ? cJSON_Parse(scene->other_models) : NULL, *overlay;
  struct dc_text text = {.failed = scene->other_models && !models};
  cJSON_ArrayForEach (overlay, models) {
    cJSON *contact = cJSON_GetObjectItemCaseSensitive(overlay, "contact");
    cJSON *stiffness = cJSON_GetObjectItemCaseSensitive(contact, "stiffness");
    if (cJSON_IsNumber(stiffness) && scale != 1)
      cJSON_SetNumberValue(stiffness, stiffness->valuedouble * scale);
  }
  if (models)
    dc_json_print(models, &text);
  cJSON_Delete(models);
  *failed = text.failed;
  if (!text.failed)
    return text.bytes;
  dc_text_free(&text);
  return NULL;
}

// Writes design/scene.json: the resolved scene with the design built in (shapes, numbers, overlays of other models) and
// no design entries, and beside it the meshes that it names.
static enum dc_status write_scene(struct design_files *files)
{
  struct dc_scene scene = *files->scene;
  struct dc_mesh_copies copies = {0};
  struct dc_text resolved = {0};
  struct dc_model_definition definition = files->model->definition;
  if (!dc_design_fits_scene(&files->scene->model, files->input))
    return DC_OK;
  enum dc_status status = name_shapes(files, &definition);
  if (!status)
    status = keep_surfaces(files, &definition);
  if (!status)
    status = dc_design_build_in(&files->scene->model, files->input, files->arena, &definition, files->error);
  if (status)
    return status;
  scene.definition = definition;
  scene.shapes = (struct dc_shape *)definition.shapes;
  scene.bodies = (struct dc_body_definition *)definition.bodies;
  scene.task.design_count = 0;
  scene.plant.model.definition.contact.stiffness *= files->input->design.stiffness_scale;
  bool failed;
  char *models = other_models(&scene, files->input->design.stiffness_scale, &failed);
  scene.resolved = failed ? NULL : dc_scene_resolve(&scene, models);
  free(models);
  status = scene.resolved ? dc_mesh_copies_plan(&scene, &copies, files->error) : fail_memory(files);
  if (!status)
    status = dc_mesh_copies_resolve(&copies, &scene, &resolved, files->error);
  char *folder = dc_path_join(dc_run_directory(files->run), FOLDER);
  if (!status)
    status = folder ? dc_mesh_copies_write(&copies, folder, true, files->error) : fail_memory(files);
  free(folder);
  free(scene.resolved);
  dc_arena_destroy(copies.arena);
  if (!status)
    return write_text(files, FOLDER "/scene.json", &resolved);
  dc_text_free(&resolved);
  return status;
}

// Folders that are there already are accepted: a run that is resumed writes its design again.
static enum dc_status make_folder(struct design_files *files)
{
  int folder;
  enum dc_status status = dc_run_folder(files->run, &folder, files->error);
  if (!status && ((dc_make_folder(folder, FOLDER) < 0 && errno != EEXIST) ||
                  (dc_make_folder(folder, FIRST) < 0 && errno != EEXIST)))
    status = dc_fail_file(files->error, dc_run_directory(files->run), "make a folder in");
  return status;
}

// Writes the folder "design" when a design changes shapes: the table of values, parts as found and (in
// design/first) as they were, and the scene with the design built in.  Without such a design it does nothing.
enum dc_status dc_run_write_design(struct dc_run *run, const struct dc_scene *scene, int steps,
                                   const double *parameters, struct dc_error *error)
{
  struct design_files files = {.run = run,
                               .scene = scene,
                               .steps = steps,
                               .parameter_count = dc_task_parameter_count(&scene->task, &scene->model, steps),
                               .parameters = parameters,
                               .error = error};
  if (!scene->model.shapes_change)
    return DC_OK;
  files.arena = dc_arena_create();
  files.input = dc_task_design_input(&scene->task, &scene->model, steps, parameters);
  enum dc_status status = files.arena && files.input ? find_designed(&files) : fail_memory(&files);
  if (!status)
    status = dc_task_design_model(&scene->task, &scene->model, steps, parameters, files.arena, &files.model, error);
  if (!status)
    status = make_folder(&files);
  if (!status)
    status = write_rows(&files);
  if (!status)
    status = write_parts(&files, files.model, FOLDER);
  if (!status)
    status = write_parts(&files, &scene->model, FIRST);
  if (!status)
    status = write_scene(&files);
  dc_rollout_input_destroy(files.input);
  dc_arena_destroy(files.arena);
  return status;
}
