// SPDX-License-Identifier: Apache-2.0
// Shapes, bodies, controls, objectives and design of a scene, read in this order, since each names those before it.
//
// All but bodies are members of families: an object's tag ("type") chooses the descriptor, the descriptor's table reads
// the other keys (options_reader.c), and its check and prepare see the model as far as it is built.  Names of bodies
// are collected before bodies are read, so that a body may name one that follows.  Files are replaced by their real
// paths, and listed once, for the hash of the run.
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "geometry/shapes/shape_types.h"
#include "io/run/recording.h"
#include "io/scene/constants.h"
#include "io/scene/scene_build.h"
#include "task/target_bounds.h"

static enum dc_status out_of_memory(struct dc_scene_build *build)
{
  return dc_out_of_memory_in(build->error, build->scene->path);
}

// Finds the member of a family that an object names by its tag, and stores its index in the family.  Without
// the tag the fallback counts, if there is one; else the tag is missed.
enum dc_status dc_scene_read_tag(struct dc_scene_build *build, const struct dc_json *object, const char *tag,
                                 enum dc_family family, const char *fallback, int *index)
{
  const char *names[DC_FAMILY_MOST + 1];
  dc_family_names(family, names);
  if (!cJSON_IsObject(object->node))
    return dc_refuse_type(&build->reader, object, "an object");
  struct dc_json value = dc_json_member(object, tag);
  if (value.node)
    return dc_read_choice(&build->reader, &value, names, index);
  for (int i = 0; fallback && names[i]; i++) {
    if (strcmp(names[i], fallback) == 0) {
      *index = i;
      return DC_OK;
    }
  }
  char list[512];
  dc_list_choices(names, list, sizeof list);
  return dc_json_fail(object, build->error, DC_BAD_INPUT, "missing key \"%s\" (one of %s)", tag, list);
}

// Names stand in paths of --set, in files and in messages: DC_BAD_INPUT for those that could not.
enum dc_status dc_scene_check_name(struct dc_scene_build *build, const struct dc_json *value, const char *name)
{
  return dc_is_name(name) ? DC_OK : dc_json_fail(value, build->error, DC_BAD_INPUT, "%s", DC_NAME_RULE);
}

// Options of a member of a family, in the arena.
static enum dc_status read_member_options(struct dc_scene_build *build, const struct dc_json *object,
                                          const struct dc_option *table, size_t size, void **options)
{
  struct dc_allowed_keys allowed = {.tag = "type"};
  *options = dc_arena_alloc(build->scene->arena, 1, size);
  if (!*options)
    return out_of_memory(build);
  return dc_read_options(&build->reader, object, table, &allowed, *options);
}

// Lists a file, unless it is listed already.  Room was made for one file per shape, soft body and objective.
static void add_mesh_file(struct dc_scene *scene, const char *path)
{
  for (int i = 0; i < scene->source.mesh_file_count; i++)
    if (strcmp(scene->source.mesh_files[i], path) == 0)
      return;
  scene->source.mesh_files[scene->source.mesh_file_count++] = path;
}

// Replaces the paths of files in options by real paths that may be opened, and lists them.  Only members that
// the object has are looked at: a default names no file.
static enum dc_status find_files(struct dc_scene_build *build, const struct dc_json *object,
                                 const struct dc_option *table, void *options, const char *folder)
{
  for (int i = 0; table[i].name; i++) {
    const char **file = (const char **)((char *)options + table[i].offset);
    struct dc_json value = dc_json_member(object, table[i].name);
    if (!dc_is_file_option(&table[i]) || !value.node)
      continue;
    if (dc_scene_find_file(folder, *file, build->settings, build->scene->arena, file, build->error))
      return dc_json_wrap(&value, build->error);
    add_mesh_file(build->scene, *file);
  }
  return DC_OK;
}

// Whether an entry of "design" changes shapes.  Their derivatives are those of vertices of meshes, so that all
// shapes keep their meshes then instead of smooth leaves.  It is asked while shapes are read, long before the
// entries themselves.
static bool designs_shapes(const struct dc_scene_build *build)
{
  const cJSON *entry;
  cJSON_ArrayForEach (entry, cJSON_GetObjectItemCaseSensitive(build->root.node, "design")) {
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(entry, "type");
    for (int i = 0; cJSON_IsString(type) && dc_design_types[i]; i++)
      if (dc_design_types[i]->shapes && strcmp(dc_design_types[i]->name, type->valuestring) == 0)
        return true;
  }
  return false;
}

// Reads type and options of a shape whose name is set, and finds its files.  Nothing is built yet.
static enum dc_status read_shape(struct dc_scene_build *build, const struct dc_json *object, struct dc_shape *shape,
                                 const char *folder)
{
  int type;
  void *options;
  enum dc_status status = dc_scene_read_tag(build, object, "type", DC_SHAPE_TYPES, NULL, &type);
  if (status)
    return status;
  shape->type = dc_shape_types[type];
  if ((status = read_member_options(build, object, shape->type->options, shape->type->options_size, &options)) ||
      (status = find_files(build, object, shape->type->options, options, folder)))
    return status;
  if (designs_shapes(build))
    dc_shape_keep_mesh(shape->type, options);
  shape->options = options;
  return DC_OK;
}

// The names of all shapes before any of them is read: compounds refer to others.
static enum dc_status name_shapes(struct dc_scene_build *build, const struct dc_json *shapes)
{
  struct dc_name_list *names = &build->reader.shapes;
  cJSON *node;
  cJSON_ArrayForEach (node, shapes->node) {
    struct dc_json object = dc_json_element(shapes, node, 0);
    enum dc_status status = dc_scene_check_name(build, &object, object.key);
    if (status)
      return status;
    struct dc_shape *shape = &build->scene->shapes[names->count];
    shape->name = dc_arena_strdup(build->scene->arena, object.key);
    if (!shape->name)
      return out_of_memory(build);
    names->sorted[names->count] = (struct dc_name){shape->name, names->count};
    names->count++;
  }
  dc_name_list_sort(names);
  return DC_OK;
}

// Builds the compounds, or the shapes that they may be made of.  *triangles counts those of all shapes built so
// far: a limit on their sum keeps scenes of many large meshes from taking all memory one by one.
static enum dc_status build_shapes(struct dc_scene_build *build, const struct dc_json *shapes, bool compounds,
                                   double *triangles)
{
  struct dc_scene *scene = build->scene;
  int i = 0;
  cJSON *node;
  cJSON_ArrayForEach (node, shapes->node) {
    struct dc_json object = dc_json_element(shapes, node, 0);
    struct dc_shape *shape = &scene->shapes[i++];
    if ((shape->type == &dc_shape_compound) != compounds)
      continue;
    if (dc_scene_build_shape(build, shape, build->error))
      return dc_json_wrap(&object, build->error);
    *triangles += shape->mesh.triangle_count;
    if (*triangles > DC_SCENE_MOST_TRIANGLES)
      return dc_json_fail(&object, build->error, DC_MEMORY, "more than %d triangles in all shapes together",
                          DC_SCENE_MOST_TRIANGLES);
  }
  return DC_OK;
}

// Reads the shapes in three passes: names, since compounds refer to other shapes; options; meshes, those of
// compounds after those they are made of.
enum dc_status dc_scene_read_shapes(struct dc_scene_build *build)
{
  struct dc_scene *scene = build->scene;
  struct dc_json shapes = dc_json_member(&build->root, "shapes");
  if (shapes.node && !cJSON_IsObject(shapes.node))
    return dc_refuse_type(&build->reader, &shapes, "an object");
  int count = shapes.node ? cJSON_GetArraySize(shapes.node) : 0;
  if (count > DC_SCENE_MOST_SHAPES)
    return dc_json_fail(&shapes, build->error, DC_BAD_INPUT, "must hold at most %d shapes (holds %d)",
                        DC_SCENE_MOST_SHAPES, count);
  struct dc_name_list *names = &build->reader.shapes;
  scene->shapes = dc_arena_alloc(scene->arena, (size_t)count, sizeof *scene->shapes);
  scene->source.mesh_files = dc_arena_alloc(scene->arena, (size_t)count, sizeof *scene->source.mesh_files);
  names->sorted = dc_arena_alloc(scene->arena, (size_t)count, sizeof *names->sorted);
  if (!scene->shapes || !scene->source.mesh_files || !names->sorted)
    return out_of_memory(build);
  enum dc_status status = name_shapes(build, &shapes);
  if (status)
    return status;
  double triangles = 0;
  int i = 0;
  cJSON *node;
  cJSON_ArrayForEach (node, shapes.node) {
    struct dc_json object = dc_json_element(&shapes, node, 0);
    if ((status = read_shape(build, &object, &scene->shapes[i++], scene->source.folder)))
      return status;
  }
  if ((status = build_shapes(build, &shapes, false, &triangles)) ||
      (status = build_shapes(build, &shapes, true, &triangles)))
    return status;
  scene->definition.shape_count = count;
  scene->definition.shapes = scene->shapes;
  return DC_OK;
}

// Makes room for `count` more files in the list of mesh files, which is copied.
static enum dc_status make_room_for_files(struct dc_scene_build *build, int count)
{
  struct dc_scene *scene = build->scene;
  size_t present = (size_t)scene->source.mesh_file_count;
  const char **files = dc_arena_alloc(scene->arena, present + (size_t)count, sizeof *files);
  if (!files)
    return out_of_memory(build);
  if (present)
    memcpy(files, scene->source.mesh_files, present * sizeof *files);
  scene->source.mesh_files = files;
  return DC_OK;
}

// Finds the mesh file of a soft body.  It is read when the model is built.
static enum dc_status find_soft_file(struct dc_scene_build *build, const struct dc_json *body,
                                     struct dc_soft_definition *soft)
{
  struct dc_json object = dc_json_member(body, "soft"), value = dc_json_member(&object, "file");
  enum dc_status status = make_room_for_files(build, 1);
  if (status)
    return status;
  if (dc_scene_find_file(build->scene->source.folder, soft->file, build->settings, build->scene->arena, &soft->file,
                         build->error))
    return dc_json_wrap(&value, build->error);
  add_mesh_file(build->scene, soft->file);
  return DC_OK;
}

// The names of all bodies that have one, before any of them is read: bodies may refer to each other.
static enum dc_status collect_body_names(struct dc_scene_build *build, const struct dc_json *bodies, int count)
{
  struct dc_name_list *names = &build->reader.bodies;
  names->sorted = dc_arena_alloc(build->scene->arena, (size_t)count, sizeof *names->sorted);
  if (!names->sorted)
    return out_of_memory(build);
  int i = 0;
  cJSON *node;
  cJSON_ArrayForEach (node, bodies->node) {
    struct dc_json element = dc_json_element(bodies, node, i);
    struct dc_json name = dc_json_member(&element, "name");
    if (cJSON_IsString(name.node)) {
      enum dc_status status = dc_scene_check_name(build, &name, name.node->valuestring);
      if (status)
        return status;
      names->sorted[names->count++] = (struct dc_name){name.node->valuestring, i};
    }
    i++;
  }
  dc_name_list_sort(names);
  return DC_OK;
}

// Reads the bodies: all names first, since joints refer to parents by name, then their options.
// An element without a name is refused by its options, whose table asks for one.
enum dc_status dc_scene_read_bodies(struct dc_scene_build *build)
{
  struct dc_scene *scene = build->scene;
  struct dc_json bodies = dc_json_member(&build->root, "bodies");
  if (bodies.node && !cJSON_IsArray(bodies.node))
    return dc_refuse_type(&build->reader, &bodies, "an array");
  int count = bodies.node ? cJSON_GetArraySize(bodies.node) : 0;
  if (count > DC_SCENE_MOST_BODIES)
    return dc_json_fail(&bodies, build->error, DC_BAD_INPUT, "must hold at most %d bodies (holds %d)",
                        DC_SCENE_MOST_BODIES, count);
  scene->bodies = dc_arena_alloc(scene->arena, (size_t)count, sizeof *scene->bodies);
  if (!scene->bodies)
    return out_of_memory(build);
  enum dc_status status = collect_body_names(build, &bodies, count);
  int i = 0;
  cJSON *node;
  cJSON_ArrayForEach (node, bodies.node) {
    if (status)
      return status;
    struct dc_json element = dc_json_element(&bodies, node, i);
    status = dc_read_options(&build->reader, &element, dc_body_options, NULL, &scene->bodies[i++]);
    if (!status && scene->bodies[i - 1].soft && scene->bodies[i - 1].soft->file)
      status = find_soft_file(build, &element, scene->bodies[i - 1].soft);
  }
  scene->definition.body_count = count;
  scene->definition.bodies = scene->bodies;
  return status;
}

// Leaves bounds of targets to be chosen, where neither the scene nor an argument gives them; an empty list is given,
// and those of a resolved scene that says that they were chosen are not.  Worlds that share parameters have none.
static void open_bounds(const struct dc_scene_build *build, const struct dc_json *object,
                        const struct dc_control *control)
{
  static const char *const names[] = {"low", "high"};
  struct dc_actuator_options *options = control->options;
  bool given = build->settings->only_case || dc_json_member(&build->root, "cases").node;
  if (control->type != &dc_control_pd_targets)
    return;
  for (int k = 0; k < 2; k++) {
    struct dc_json member = dc_json_member(object, names[k]);
    given = given || (member.node && (!options->chosen || dc_json_is_argument(&member)));
  }
  options->chosen = !given;
  if (!given)
    options->low.count = options->high.count = 0;
}

// Reads one control and checks it against the model.  Those that apply forces make a record of forces necessary, in
// the plant too.
// The control counts only once it is complete: a task that is half read has no entry without options.
static enum dc_status read_control(struct dc_scene_build *build, const struct dc_json *object)
{
  struct dc_task *task = &build->scene->task;
  struct dc_control *control = &task->controls[task->control_count];
  int type;
  enum dc_status status = dc_scene_read_tag(build, object, "type", DC_CONTROL_TYPES, NULL, &type);
  if (status)
    return status;
  control->type = dc_control_types[type];
  status = read_member_options(build, object, control->type->options, control->type->options_size, &control->options);
  if (status)
    return status;
  open_bounds(build, object, control);
  if (control->type->check(control->options, &build->scene->model, build->error))
    return dc_json_wrap(object, build->error);
  build->scene->model.forced |= control->type->forces;
  build->scene->plant.model.forced |= control->type->forces;
  task->control_count++;
  return DC_OK;
}

// Reads an objective {"shot": ...}.  It has no other keys and occurs once, because it stands for several
// objectives whose targets are drawn later, from a roll-out with random controls.
static enum dc_status read_shot(struct dc_scene_build *build, const struct dc_json *element, const struct dc_json *shot)
{
  static const char *const keys[] = {"shot", NULL};
  cJSON *node;
  cJSON_ArrayForEach (node, element->node) {
    struct dc_json member = dc_json_element(element, node, 0);
    if (strcmp(node->string, "shot") != 0)
      return dc_refuse_key(&build->reader, &member, keys);
  }
  if (build->scene->shot.given)
    return dc_json_fail(shot, build->error, DC_BAD_INPUT, "at most one objective may be a shot");
  build->scene->shot.given = true;
  enum dc_status status = dc_read_options(&build->reader, shot, dc_shot_options, NULL, &build->scene->shot);
  if (!status && build->settings->seed_given)
    build->scene->shot.reference_seed = (long)build->settings->seed;
  return status;
}

// Finds the file of recorded motion that the objective's options name, reads it and hands it over.  A folder is
// a run, whose trajectory.h5 is meant.  The recording becomes part of the loss, so that its times, positions
// and rotations are hashed like meshes: a run whose recording has changed is another run.
static enum dc_status read_recording(struct dc_scene_build *build, const struct dc_json *object,
                                     const struct dc_objective *objective)
{
  struct dc_scene *scene = build->scene;
  struct dc_json value = dc_json_member(object, "file");
  const struct dc_option *table = objective->type->options;
  const char **file = (const char **)((char *)objective->options + table[dc_option_find(table, "file")].offset);
  struct dc_recording recording;
  struct stat about;
  enum dc_status status =
      dc_scene_find_file(scene->source.folder, *file, build->settings, scene->arena, file, build->error);
  if (!status && stat(*file, &about) == 0 && S_ISDIR(about.st_mode)) {  // a run
    const char *inside = dc_arena_printf(scene->arena, "%s/trajectory.h5", *file);
    if (!inside)
      return out_of_memory(build);
    status = dc_scene_find_file(scene->source.folder, inside, build->settings, scene->arena, file, build->error);
  }
  if (!status)
    status = dc_recording_read(*file, &scene->model.bodies, objective->type->recorded(objective->options), scene->arena,
                               &recording, build->error);
  if (status)
    return dc_json_wrap(&value, build->error);
  add_mesh_file(scene, *file);
  size_t poses = (size_t)recording.rows * (size_t)recording.body_count;
  scene->source.mesh_hash =
      dc_hash(scene->source.mesh_hash, recording.time, (size_t)recording.rows * sizeof *recording.time);
  scene->source.mesh_hash =
      dc_hash(scene->source.mesh_hash, recording.position, 3 * poses * sizeof *recording.position);
  scene->source.mesh_hash =
      dc_hash(scene->source.mesh_hash, recording.quaternion, 4 * poses * sizeof *recording.quaternion);
  return objective->type->take_recording(objective->options, &recording, &scene->model, scene->arena, build->error)
             ? dc_json_wrap(object, build->error)
             : DC_OK;
}

// Reads one objective: options, check against the model, and the recording that some compare with.
static enum dc_status read_objective(struct dc_scene_build *build, const struct dc_json *object)
{
  struct dc_task *task = &build->scene->task;
  struct dc_objective *objective = &task->objectives[task->objective_count];
  struct dc_json shot = dc_json_member(object, "shot");
  if (shot.node)
    return read_shot(build, object, &shot);
  int type;
  enum dc_status status = dc_scene_read_tag(build, object, "type", DC_OBJECTIVE_TYPES, NULL, &type);
  if (status)
    return status;
  objective->type = dc_objective_types[type];
  status =
      read_member_options(build, object, objective->type->options, objective->type->options_size, &objective->options);
  if (status)
    return status;
  if (objective->type->check(objective->options, &build->scene->model, build->error))
    return dc_json_wrap(object, build->error);
  if (objective->type->take_recording && (status = read_recording(build, object, objective)))
    return status;
  task->objective_count++;
  return DC_OK;
}

// Name of a body whose actuator holds its weight, or NULL.
static const char *weight_holder(const struct dc_bodies *bodies)
{
  for (int i = 0; i < bodies->count; i++)
    if (bodies->bodies[i].pd && bodies->bodies[i].pd->gravity_compensation)
      return bodies->bodies[i].name;
  return NULL;
}

// Notes the bodies whose vertices an entry changes beside those of the entries before, in a new array [bodies]
// of the arena.
static enum dc_status note_moves(struct dc_scene_build *build, const struct dc_design_entry *entry)
{
  struct dc_model *model = &build->scene->model;
  size_t bodies = (size_t)model->bodies.count;
  bool *moves = dc_arena_alloc(build->scene->arena, bodies, sizeof *moves);
  if (!moves)
    return dc_out_of_memory_for(build->error, "design parameters");
  if (model->vertices_move)
    memcpy(moves, model->vertices_move, bodies * sizeof *moves);
  if (entry->type->moves)
    entry->type->moves(entry->options, model, moves);
  model->vertices_move = moves;
  return DC_OK;
}

// Reads one design entry: options, check against the model, preparation (such as groups of vertices), level
// sets that must follow, and that no entry before changes the same number.
//
// Designs are refused in a receding horizon, whose windows would each find numbers of their own.  Changes of
// shapes are refused where a force is computed from the shapes as they were built: weight that actuators hold,
// and mounts of soft bodies on bodies that move.
static enum dc_status read_design(struct dc_scene_build *build, const struct dc_json *object)
{
  struct dc_task *task = &build->scene->task;
  struct dc_design_entry *entry = &task->design[task->design_count];
  int type;
  enum dc_status status = dc_scene_read_tag(build, object, "type", DC_DESIGN_TYPES, NULL, &type);
  if (status)
    return status;
  if (build->scene->horizon_given)
    return dc_json_fail(
        object, build->error, DC_BAD_INPUT,
        "must be absent in a receding horizon (\"horizon\"), whose windows would each have numbers of their own: "
        "find them with a whole trajectory and set them");
  entry->type = dc_design_types[type];
  status = read_member_options(build, object, entry->type->options, entry->type->options_size, &entry->options);
  if (status)
    return status;
  const char *holder = weight_holder(&build->scene->model.bodies);
  if (entry->type->shapes && holder)
    return dc_json_fail(
        object, build->error, DC_BAD_INPUT,
        "must not change shapes where an actuator holds the weight (\"gravity_compensation\" of \"%s\")", holder);
  if (entry->type->shapes && build->scene->model.bodies.mount_count)
    return dc_json_fail(object, build->error, DC_BAD_INPUT,
                        "must not change shapes or places where soft bodies are held by bodies that move");
  build->scene->model.shapes_change |= entry->type->shapes;
  if (entry->type->check(entry->options, &build->scene->model, build->error) ||
      (entry->type->prepare &&
       entry->type->prepare(entry->options, &build->scene->model, build->scene->arena, build->error)) ||
      note_moves(build, entry) || dc_design_check_levels(entry, &build->scene->model, build->error) ||
      dc_design_check_last(++task->design_count, task->design, &build->scene->model, build->error))
    return dc_json_wrap(object, build->error);
  return DC_OK;
}

// Checks and prepares the objectives once more, when it is known which parts of the model the design changes.
// Shots have no entry among the objectives yet, so that places in the file and objectives are counted apart.
static enum dc_status finish_objectives(struct dc_scene_build *build, const struct dc_json *array)
{
  int i = 0;
  const struct dc_objective *objective = build->scene->task.objectives;
  dc_task_aim_inside(&build->scene->task, build->scene->search.automatic ? DC_AIM_INSIDE : 1);
  cJSON *node;
  cJSON_ArrayForEach (node, array->node) {
    struct dc_json element = dc_json_element(array, node, i++);
    if (dc_json_member(&element, "shot").node)
      continue;
    if (objective->type->check(objective->options, &build->scene->model, build->error) ||
        (objective->type->prepare &&
         objective->type->prepare(objective->options, &build->scene->model, build->scene->arena, build->error)))
      return dc_json_wrap(&element, build->error);
    objective++;
  }
  return DC_OK;
}

// The array at the top under key, empty when there is none; its length.
static enum dc_status find_array(struct dc_scene_build *build, const char *key, struct dc_json *array, int *count)
{
  *array = dc_json_member(&build->root, key);
  if (array->node && !cJSON_IsArray(array->node))
    return dc_refuse_type(&build->reader, array, "an array");
  *count = array->node ? cJSON_GetArraySize(array->node) : 0;
  if (*count > DC_SCENE_MOST_ENTRIES)
    return dc_json_fail(array, build->error, DC_BAD_INPUT, "must hold at most %d elements (holds %d)",
                        DC_SCENE_MOST_ENTRIES, *count);
  return DC_OK;
}

// Reads all elements in the order of the file and ends with the first that is refused.
static enum dc_status read_elements(struct dc_scene_build *build, const struct dc_json *array,
                                    enum dc_status (*read)(struct dc_scene_build *, const struct dc_json *))
{
  int i = 0;
  cJSON *node;
  cJSON_ArrayForEach (node, array->node) {
    struct dc_json element = dc_json_element(array, node, i++);
    enum dc_status status = read(build, &element);
    if (status)
      return status;
  }
  return DC_OK;
}

// Reads an array of objects of one kind [*count], each of a size.
static enum dc_status read_list(struct dc_scene_build *build, const char *key, const struct dc_option *options,
                                size_t size, void **list, int *count)
{
  struct dc_json elements;
  int i = 0;
  enum dc_status status = find_array(build, key, &elements, count);
  if (status)
    return status;
  *list = dc_arena_alloc(build->scene->arena, (size_t)*count, size);
  if (!*list)
    return out_of_memory(build);
  cJSON *node;
  cJSON_ArrayForEach (node, elements.node) {
    struct dc_json element = dc_json_element(&elements, node, i);
    if ((status = dc_read_options(&build->reader, &element, options, NULL, (char *)*list + (size_t)i++ * size)))
      return status;
  }
  return DC_OK;
}

// Reads couplings, ties and tendons; names of their bodies are known by now.
enum dc_status dc_scene_read_couplings(struct dc_scene_build *build)
{
  struct dc_scene *scene = build->scene;
  void *couplings = NULL, *ties = NULL, *tendons = NULL;
  enum dc_status status = read_list(build, "couplings", dc_coupling_options, sizeof *scene->couplings, &couplings,
                                    &scene->definition.coupling_count);
  if (!status)
    status =
        read_list(build, "ties", dc_tie_options, sizeof *scene->definition.ties, &ties, &scene->definition.tie_count);
  if (!status)
    status = read_list(build, "tendons", dc_tendon_options, sizeof *scene->definition.tendons, &tendons,
                       &scene->definition.tendon_count);
  scene->definition.couplings = scene->couplings = couplings;
  scene->definition.ties = ties;
  scene->definition.tendons = tendons;
  return status;
}

// Reads the task: controls, objectives and design, each an array whose size is known before its elements are
// read.  Design comes last; objectives are checked once more after it, when it is known which parts of the
// model change.
enum dc_status dc_scene_read_task(struct dc_scene_build *build)
{
  struct dc_task *task = &build->scene->task;
  struct dc_arena *arena = build->scene->arena;
  struct dc_json controls, objectives, design;
  int control_count = 0, objective_count = 0, design_count = 0;
  enum dc_status status = find_array(build, "control", &controls, &control_count);
  if (status || (status = find_array(build, "objective", &objectives, &objective_count)) ||
      (status = find_array(build, "design", &design, &design_count)))
    return status;
  task->controls = dc_arena_alloc(arena, (size_t)control_count, sizeof *task->controls);
  task->objectives = dc_arena_alloc(arena, (size_t)objective_count, sizeof *task->objectives);
  task->design = dc_arena_alloc(arena, (size_t)design_count, sizeof *task->design);
  if (!task->controls || !task->objectives || !task->design)
    return out_of_memory(build);
  if ((status = make_room_for_files(build, objective_count)))
    return status;
  status = read_elements(build, &controls, read_control);
  if (!status)
    status = read_elements(build, &objectives, read_objective);
  if (!status)
    status = read_elements(build, &design, read_design);
  if (!status)
    status = dc_task_choose_bounds(task, &build->scene->model, arena, build->error);
  return status ? status : finish_objectives(build, &objectives);
}
