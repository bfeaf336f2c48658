// SPDX-License-Identifier: Apache-2.0
// Reading a scene file, the cheap parts first, so that nothing is built for a scene with a mistake in them:
// 1. the JSON tree, with included files, overlays of the contact model and --set arguments (scene_tree, overrides.h);
// 2. keys, name, problem, and the settings without bodies (time, contact, solver, optimizer, gradient, ...), camera;
// 3. shapes, bodies and couplings; from these the model (dc_model_create);
// 4. pairs of robots' links that never collide;
// 5. for a refinement its pairs; otherwise plant, task, checks of horizon and continuation, and the cases, each of
//    which is a scene of its own from the same file;
// 6. the resolved text, in which every default is written out, and its hash.
//
// Every reader takes its options from tables (base/options.h), and every error names file, line, column and path.
#include "io/scene/scene.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/characters.h"
#include "base/hash.h"
#include "base/memory_limit.h"
#include "io/scene/scene_build.h"
#include "math/vector.h"

// Refuses keys that the format does not know.  "include" has been replaced by what the robots' files hold; one
// that is still there came from an overlay or --set, after the files were read.
static enum dc_status check_keys(struct dc_scene_build *build)
{
  cJSON *node;
  cJSON_ArrayForEach (node, build->root.node) {
    struct dc_json member = dc_json_element(&build->root, node, 0);
    bool known = false;
    for (int i = 0; dc_scene_keys[i] && !known; i++)
      known = strcmp(dc_scene_keys[i], node->string) == 0;
    if (!known)
      return dc_refuse_key(&build->reader, &member, dc_scene_keys);
    if (strcmp(node->string, "include") == 0)  // the tree holds what it stood for instead
      return dc_json_fail_key(&member, build->error, DC_BAD_INPUT, "must stand in the scene file");
  }
  return DC_OK;
}

// A text for readers: a string or an array of strings.
static enum dc_status check_text(struct dc_scene_build *build, const char *key)
{
  struct dc_json text = dc_json_member(&build->root, key);
  if (!text.node || cJSON_IsString(text.node))
    return DC_OK;
  if (!cJSON_IsArray(text.node))
    return dc_refuse_type(&build->reader, &text, "a string or an array of strings");
  int i = 0;
  cJSON *node;
  cJSON_ArrayForEach (node, text.node) {
    struct dc_json line = dc_json_element(&text, node, i++);
    if (!cJSON_IsString(node))
      return dc_refuse_type(&build->reader, &line, "a string");
  }
  return DC_OK;
}

// The name of the schema, for editors.
static enum dc_status check_schema(struct dc_scene_build *build)
{
  struct dc_json schema = dc_json_member(&build->root, "$schema");
  return !schema.node || cJSON_IsString(schema.node) ? DC_OK : dc_refuse_type(&build->reader, &schema, "a string");
}

// Reads the scene's name; default: the file's name without .json.  It becomes the name of run directories, so
// that it may hold neither slashes nor control characters: a name that was given is refused, one that comes
// from the file is changed.
static enum dc_status read_name(struct dc_scene_build *build)
{
  struct dc_scene *scene = build->scene;
  struct dc_json value = dc_json_member(&build->root, "name");
  if (value.node) {
    enum dc_status status = dc_read_string(&build->reader, &value, &scene->name);
    return status ? status : dc_scene_check_name(build, &value, scene->name);
  }
  const char *slash = strrchr(scene->path, '/'), *base = slash ? slash + 1 : scene->path;
  char *name = dc_arena_strdup(scene->arena, base);
  if (!name)
    return dc_out_of_memory_in(build->error, scene->path);
  size_t length = strlen(name);
  if (length > 5 && strcmp(name + length - 5, ".json") == 0)
    name[length - 5] = '\0';
  scene->name = name;
  // a file's name may hold what a scene's may not
  if (!dc_json_is_utf8(name, strlen(name)))
    scene->name = "scene";
  else if (!dc_is_name(name))
    dc_replace_controls(name, '_', "");
  return DC_OK;
}

// Reads "gravity" and "wind", members of the top level that are options of the model's definition.
static enum dc_status read_gravity(struct dc_scene_build *build)
{
  struct dc_model_definition *definition = &build->scene->definition;
  enum dc_status status = dc_options_set_defaults(dc_gravity_options, definition, build->scene->arena, build->error);
  for (int i = 0; dc_gravity_options[i].name && !status; i++) {
    struct dc_json value = dc_json_member(&build->root, dc_gravity_options[i].name);
    if (value.node)
      status = dc_read_option(&build->reader, &value, &dc_gravity_options[i],
                              (char *)definition + dc_gravity_options[i].offset);
  }
  return status;
}

// Chooses the optimizer by "type" and reads its options.  A missing section is an empty one, which has every
// default.  Optimizers whose tables have a "seed" take the one of the command line, if there is one.
static enum dc_status read_optimizer(struct dc_scene_build *build)
{
  struct dc_scene *scene = build->scene;
  struct dc_json optimizer = dc_json_member(&build->root, "optimizer");
  struct dc_allowed_keys allowed = {.tag = "type"};
  cJSON empty = {.type = cJSON_Object, .valueint = build->root.node->valueint};
  int index = 0;
  if (!optimizer.node)
    optimizer.node = &empty;
  enum dc_status status =
      dc_scene_read_tag(build, &optimizer, "type", DC_OPTIMIZER_TYPES, DC_DEFAULT_OPTIMIZER, &index);
  if (status)
    return status;
  scene->optimizer = dc_family_optimizer(DC_OPTIMIZER_TYPES, index);
  scene->optimizer_options = dc_arena_alloc(scene->arena, 1, scene->optimizer->options_size);
  if (!scene->optimizer_options)
    return dc_out_of_memory_in(build->error, scene->path);
  status = dc_read_options(&build->reader, &optimizer, scene->optimizer->options, &allowed, scene->optimizer_options);
  int seed = dc_option_find(scene->optimizer->options, "seed");
  if (!status && seed >= 0 && build->settings->seed_given)
    *(long *)((char *)scene->optimizer_options + scene->optimizer->options[seed].offset) = (long)build->settings->seed;
  return status;
}

// Reads how gradients are computed.  What the scene leaves open depends on the contact model: one without an
// adjoint gets finite differences (dc_gradient_complete).  The contact model must have been read.
static enum dc_status read_gradient(struct dc_scene_build *build)
{
  struct dc_scene *scene = build->scene;
  enum dc_status status = dc_scene_read_section(build, "gradient", dc_gradient_options, NULL, &scene->gradient);
  if (status)
    return status;
  struct dc_json gradient = dc_json_member(&build->root, "gradient");
  bool type = gradient.node && dc_json_member(&gradient, "type").node;
  bool order = gradient.node && dc_json_member(&gradient, "order").node;
  dc_gradient_complete(&scene->gradient, type, order, scene->definition.contact_model);
  if (build->settings->seed_given)
    scene->gradient.seed = (long)build->settings->seed;
  return DC_OK;
}

// A grasp is made for a whole run of one world.  Options of another type of first guess are refused, except those of a
// file where the command line chooses the type.
static enum dc_status check_first_guess(struct dc_scene_build *build, const struct dc_json *init)
{
  int type = build->scene->first_guess.type;
  struct dc_json given = dc_json_member(init, "type"), cases = dc_json_member(&build->root, "cases");
  bool chosen = given.node && dc_json_is_argument(&given);
  cJSON *node;
  cJSON_ArrayForEach (node, init->node) {
    struct dc_json member = dc_json_element(init, node, 0);
    if (!dc_first_guess_reads(type, node->string) && (!chosen || dc_json_is_argument(&member)))
      return dc_json_fail_key(&member, build->error, DC_BAD_INPUT,
                              type == DC_FIRST_GUESS_GRASP ? "has no meaning for a \"grasp\"" : "only of \"grasp\"");
  }
  if (type == DC_FIRST_GUESS_GRASP && dc_json_member(&build->root, "horizon").node)
    return dc_json_fail(&given, build->error, DC_BAD_INPUT, "a grasp is a guess of the whole run: not with a \"horizon\"");
  if (type == DC_FIRST_GUESS_GRASP && cases.node && cJSON_GetArraySize(cases.node) > 0)
    return dc_json_fail(&given, build->error, DC_BAD_INPUT, "a grasp is a guess for one world: not with \"cases\"");
  return DC_OK;
}

// "init": how the first guess is made. A seed of the command line wins over the scene's.
static enum dc_status read_first_guess(struct dc_scene_build *build)
{
  struct dc_scene *scene = build->scene;
  struct dc_json init = dc_json_member(&build->root, "init");
  scene->first_guess_given = init.node != NULL;
  if (!init.node)
    return DC_OK;
  enum dc_status status = dc_read_options(&build->reader, &init, dc_first_guess_options, NULL, &scene->first_guess);
  if (!status)
    status = check_first_guess(build, &init);
  if (!status && build->settings->seed_given)
    scene->first_guess.seed = (long)build->settings->seed;
  return status;
}

// A section that horizons do not have.
static enum dc_status read_search_section(struct dc_scene_build *build, const char *key, const struct dc_option *table,
                                          void *target)
{
  struct dc_json section = dc_json_member(&build->root, key);
  if (!section.node)
    return DC_OK;
  if (dc_json_member(&build->root, "horizon").node)
    return dc_json_fail(&section, build->error, DC_BAD_INPUT, "cannot be combined with a receding horizon");
  return dc_read_options(&build->reader, &section, table, NULL, target);
}

// The seed of the command line reaches the portfolio only if there is one.
static enum dc_status read_search(struct dc_scene_build *build)
{
  struct dc_search_settings *search = &build->scene->search;
  enum dc_status status = read_search_section(build, "continuation", dc_continuation_options, &search->continuation);
  if (!status)
    status = read_search_section(build, "portfolio", dc_portfolio_options, &search->portfolio);
  if (!status && search->portfolio.rollouts && build->settings->seed_given)
    search->portfolio.seed = (long)build->settings->seed;
  return status;
}

// Decides whether the race chooses how to optimize: it does where the scene names no optimizer, continuation,
// portfolio or horizon.  "automatic" beside one of these is refused, unless that one comes from the command
// line, which then replaces the race.
static enum dc_status read_automatic(struct dc_scene_build *build)
{
  static const char *const others[] = {"optimizer", "continuation", "portfolio", "horizon"};
  struct dc_search_settings *search = &build->scene->search;
  struct dc_json automatic = dc_json_member(&build->root, "automatic");
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    struct dc_json other = dc_json_member(&build->root, others[i]);
    if (!other.node)
      continue;
    if (automatic.node && !dc_json_is_argument(&other))
      return dc_json_fail(&automatic, build->error, DC_BAD_INPUT, "nothing is automatic beside \"%s\": leave one out",
                          others[i]);
    return DC_OK;
  }
  enum dc_status status = dc_scene_read_section(build, "automatic", dc_automatic_options, NULL, &search->portfolio);
  search->automatic = true;
  if (!status && build->settings->seed_given)
    search->portfolio.seed = (long)build->settings->seed;
  return status;
}

// A scene without parameters has nothing to search for; the task must have been read.
static void settle_automatic(struct dc_scene *scene)
{
  int steps = (int)scene->definition.time.steps;
  if (scene->search.automatic && dc_task_parameter_count(&scene->task, &scene->model, steps) == 0)
    scene->search = (struct dc_search_settings){0};
}

// Whether the task can have longer steps; the task must have been read.
static enum dc_status check_continuation(struct dc_scene_build *build)
{
  const struct dc_scene *scene = build->scene;
  struct dc_json continuation = dc_json_member(&build->root, "continuation");
  if (!dc_continuation_check(&scene->search.continuation, &scene->model, &scene->task, build->error))
    return DC_OK;
  return dc_json_wrap(&continuation, build->error);
}

// "horizon": windows instead of one trajectory. A seed of the command line wins here, too.
static enum dc_status read_horizon(struct dc_scene_build *build)
{
  struct dc_scene *scene = build->scene;
  struct dc_json horizon = dc_json_member(&build->root, "horizon");
  scene->horizon_given = horizon.node != NULL;
  if (!horizon.node)
    return DC_OK;
  enum dc_status status = dc_read_options(&build->reader, &horizon, dc_horizon_options, NULL, &scene->horizon);
  if (!status && build->settings->seed_given)
    scene->horizon.seed = (long)build->settings->seed;
  return status;
}

static enum dc_status read_certify(struct dc_scene_build *build)
{
  struct dc_scene *scene = build->scene;
  scene->certify_given = dc_json_member(&build->root, "certify").node != NULL;
  return dc_scene_read_section(build, "certify", dc_certify_options, NULL, &scene->certify);
}

// Whether the task can run in the horizon; the task must have been read.
static enum dc_status check_horizon(struct dc_scene_build *build)
{
  const struct dc_scene *scene = build->scene;
  struct dc_json horizon = dc_json_member(&build->root, "horizon");
  if (!scene->horizon_given || !dc_horizon_check(&scene->task, &scene->model, &scene->horizon, build->error))
    return DC_OK;
  return dc_json_wrap(&horizon, build->error);
}

// Reads the camera.  eye and target must differ, and `up` must not be along the line of sight: |view x up| <=
// 1e-9 |view| |up| leaves no direction to the side.
static enum dc_status read_camera(struct dc_scene_build *build)
{
  struct dc_camera *camera = &build->scene->camera;
  struct dc_json value = dc_json_member(&build->root, "camera");
  if (!value.node)
    return DC_OK;
  enum dc_status status = dc_read_options(&build->reader, &value, dc_camera_options, NULL, camera);
  if (status)
    return status;
  camera->given = true;
  double view[3], side[3];
  dc_vec_sub(view, camera->target, camera->eye);
  dc_vec_cross(side, view, camera->up);
  double size = sqrt(dc_vec_dot(view, view) * dc_vec_dot(camera->up, camera->up));
  if (dc_vec_dot(view, view) == 0)
    return dc_json_fail(&value, build->error, DC_BAD_INPUT, "eye and target must differ");
  if (sqrt(dc_vec_dot(side, side)) <= 1e-9 * size)
    return dc_json_fail(&value, build->error, DC_BAD_INPUT, "up must not be zero or along the line of sight");
  return DC_OK;
}

// Pairs of bodies of which one moves, whether they touch or not.
static double count_pairs(const struct dc_bodies *all)
{
  double bodies = all->count, movable = 0;
  for (int i = 0; i < all->count; i++)
    movable += dc_body_moves(&all->bodies[i]);
  return movable * (movable - 1) / 2 + movable * (bodies - movable);
}

// Checks that memory for all pairs of bodies can exist, before any loop looks at each of them: with n movable
// bodies there are about n^2/2 pairs, and contact keeps several times the derivatives of a pair.  The factor 4
// is a lower estimate, so that nothing is refused that fits; the limit is that of the machine or of the
// process.
static enum dc_status check_pairs(struct dc_scene_build *build)
{
  const struct dc_bodies *all = &build->scene->model.bodies;
  const struct dc_memory_limit limit = dc_memory_limit();
  double pairs = count_pairs(all), bytes = 4 * pairs * (double)sizeof(struct dc_pair_derivatives);
  if (bytes <= limit.bytes || build->scene->refinement.given)
    return DC_OK;
  struct dc_json bodies = dc_json_member(&build->root, "bodies");
  return dc_json_fail(&bodies, build->error, DC_MEMORY,
                      "%d bodies are %.0f pairs: contact between them needs more than %.0f bytes, and %s allows %.0f",
                      all->count, pairs, bytes, limit.name, limit.bytes);
}

// Checks the memory of one trajectory: states and poses of all steps, and, where the scene demands a stored
// tape, the derivatives of every pair at every step for the adjoint.  Pairs that do not touch are counted as if
// they did, as nobody knows before the roll-out.  The model must be built.
static enum dc_status check_memory(struct dc_scene_build *build)
{
  const struct dc_model_definition *definition = &build->scene->definition;
  const struct dc_bodies *all = &build->scene->model.bodies;
  double pairs = count_pairs(all);
  double frame = all->nq * (double)sizeof(double) + all->count * (double)sizeof(struct dc_pose);
  double tape = definition->solver.tape == DC_TAPE_STORED ? pairs * (double)sizeof(struct dc_pair_derivatives) : 0;
  double bytes = ((double)definition->time.steps + 1) * (frame + tape);
  if (bytes <= DC_SCENE_MOST_TRAJECTORY_BYTES)
    return DC_OK;
  struct dc_json time = dc_json_member(&build->root, "time");
  return dc_json_fail(&time, build->error, DC_MEMORY,
                      "%ld steps of %d bodies (%.0f pairs) would need %.0f bytes (at most %.0f)",
                      definition->time.steps, definition->body_count, pairs, bytes, DC_SCENE_MOST_TRAJECTORY_BYTES);
}

// Writes the resolved text and hashes it.  The text only names mesh files: the meshes of shapes and the nodes
// and elements of soft bodies are hashed beside it, so that a run can tell a scene whose files have changed.
static enum dc_status resolve(struct dc_scene_build *build)
{
  struct dc_scene *scene = build->scene;
  char *text = dc_scene_resolve(scene, NULL);
  scene->resolved = text ? dc_arena_strdup(scene->arena, text) : NULL;
  free(text);
  if (!scene->resolved)
    return dc_out_of_memory_in(build->error, scene->path);
  scene->source.scene_hash = dc_hash(DC_HASH_SEED, scene->resolved, strlen(scene->resolved));
  for (int i = 0; i < scene->definition.shape_count; i++) {
    const struct dc_mesh *mesh = &scene->shapes[i].mesh;
    if (!mesh->triangle_count)
      continue;
    size_t vertices = (size_t)mesh->vertex_count, triangles = (size_t)mesh->triangle_count;
    scene->source.mesh_hash = dc_hash(scene->source.mesh_hash, mesh->vertices, vertices * sizeof *mesh->vertices);
    scene->source.mesh_hash = dc_hash(scene->source.mesh_hash, mesh->triangles, triangles * sizeof *mesh->triangles);
  }
  for (int s = 0; s < scene->model.bodies.soft_count; s++) {
    const struct dc_soft *soft = &scene->model.bodies.soft[s];
    size_t nodes = (size_t)soft->node_count, elements = (size_t)soft->mesh.element_count;
    if (!scene->bodies[soft->body].soft->file)
      continue;
    scene->source.mesh_hash = dc_hash(scene->source.mesh_hash, soft->mesh.nodes, nodes * sizeof *soft->mesh.nodes);
    scene->source.mesh_hash =
        dc_hash(scene->source.mesh_hash, soft->mesh.elements, elements * sizeof *soft->mesh.elements);
  }
  return DC_OK;
}

// Reads the settings that refer to neither shapes nor bodies.  The order matters in three places: the world
// brings the contact model, on which the gradient depends; the search must be known before read_automatic asks
// whether anything is left to choose; refinements end after the world.
static enum dc_status read_settings(struct dc_scene_build *build)
{
  struct dc_model_definition *definition = &build->scene->definition;
  bool refining = build->scene->refinement.given;
  enum dc_status status;
  if (!refining && !dc_json_member(&build->root, "time").node)
    return dc_json_fail(&build->root, build->error, DC_BAD_INPUT, "missing key \"time\" ({\"step\": s, \"steps\": count})");
  if ((status = read_gravity(build)) || (status = dc_scene_read_world(build)))
    return status;
  if (refining)
    return dc_scene_read_refinement(build);
  if ((status = dc_scene_read_section(build, "time", dc_time_options, NULL, &definition->time)) ||
      (status = read_optimizer(build)) || (status = read_gradient(build)) || (status = read_first_guess(build)) ||
      (status = read_search(build)) || (status = read_automatic(build)) || (status = read_certify(build)))
    return status;
  return read_horizon(build);
}

// Reads every case as a scene of its own, from the same file with settings.only_case set, which makes the tree
// reader apply the case's changes.  The recursion is one deep: a case's tree has no "cases".
static enum dc_status read_cases(struct dc_scene_build *build)
{
  int count = 0;
  enum dc_status status = dc_scene_begin_cases(build, &count);
  for (int k = 0; k < count && !status; k++) {
    struct dc_scene *made;
    struct dc_scene_settings settings = *build->settings;
    settings.only_case = k + 1;
    if ((status = dc_scene_check_case(build, k)) ||
        (status = dc_scene_read(build->scene->path, &settings, &made, build->error)))
      return status;
    status = dc_scene_add_case(build, k, made);
  }
  return status || count == 0 ? status : dc_scene_end_cases(build);
}

// The steps of the head, in order.  Everything after dc_model_create needs the built model: lengths and
// stiffness of contact are chosen from its sizes and masses, pairs are excluded by where bodies stand at the
// start.  What is automatic is settled last, when the number of parameters is known.
static enum dc_status read_scene(struct dc_scene_build *build)
{
  struct dc_scene *scene = build->scene;
  struct dc_model_definition *definition = &scene->definition;
  enum dc_status status = dc_scene_load_tree(build);
  if (status || (status = check_keys(build)) || (status = read_name(build)) ||
      (status = check_text(build, "comment")) || (status = check_text(build, "description")) ||
      (status = check_schema(build)))
    return status;
  if ((status = dc_scene_read_problem(build)) || (status = read_settings(build)) || (status = read_camera(build)) ||
      (status = dc_scene_read_shapes(build)) || (status = dc_scene_read_bodies(build)) ||
      (status = dc_scene_read_couplings(build)))
    return status;
  if (dc_model_create(&scene->model, definition, scene->arena, build->error))
    return dc_json_wrap(&build->root, build->error);
  if (scene->search.automatic)
    dc_automatic_complete(&scene->search, &scene->model);
  if ((status = check_pairs(build)) ||
      (status = dc_scene_choose_lengths(build, &scene->model, definition, &scene->contact_choice)) ||
      (status = dc_scene_exclude_pairs(build)) || (status = dc_scene_separate(build)) ||
      (status = dc_scene_note_bodies(build)))
    return status;
  if (scene->refinement.given)
    status = dc_scene_read_pairs(build);
  else if (!(status = check_memory(build)) && !(status = dc_scene_keep_meshes(build)) &&
           !(status = dc_scene_choose_stiffness(&scene->model, definition, &scene->contact_choice, build->error)) &&
           !(status = dc_scene_read_plant(build)) && !(status = dc_scene_read_task(build)) &&
           !(status = check_horizon(build)) && !(status = check_continuation(build)))
    status = read_cases(build);
  settle_automatic(scene);
  scene->plant.model.shapes_change = scene->model.shapes_change;
  scene->plant.model.vertices_move = scene->model.vertices_move;
  if (!status && scene->task.design_count)
    status = dc_scene_keep_models(build);
  if (!status)
    status = dc_scene_keep_places(build);
  return status ? status : resolve(build);
}

// Reads a scene file.  All memory of a scene is one arena, so that dc_scene_destroy and every failure free it
// at once; the JSON tree is needed while reading only and is released here.
//
// Numbers are read in the locale "C", whatever the program around has set: uselocale changes this thread alone.
enum dc_status dc_scene_read(const char *path, const struct dc_scene_settings *settings, struct dc_scene **scene,
                             struct dc_error *error)
{
  static const struct dc_scene_settings none = {0};
  struct dc_error local = {0};
  *scene = NULL;
  struct dc_arena *arena = dc_arena_create();
  struct dc_scene *made = arena ? dc_arena_alloc(arena, 1, sizeof *made) : NULL;
  char *name = made ? dc_arena_strdup(arena, path) : NULL;
  // a decimal point is a point, whatever the locale of the program around
  locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  if (!name || !plain) {
    dc_arena_destroy(arena);
    if (plain)
      freelocale(plain);
    return dc_out_of_memory_in(error, path);
  }
  locale_t before = uselocale(plain);
  made->arena = arena;
  made->notes.arena = arena;
  made->path = name;
  made->source.mesh_hash = DC_HASH_SEED;
  struct dc_scene_build build = {.scene = made,
                                 .settings = settings ? settings : &none,
                                 .error = &local,
                                 .reader = {.arena = arena, .error = &local}};
  enum dc_status status = read_scene(&build);
  dc_json_release(&build.document);
  cJSON_Delete(build.own);
  uselocale(before);
  freelocale(plain);
  if (status) {
    dc_scene_destroy(made);
    return dc_fail(error, status, "%s", local.text);
  }
  *scene = made;
  return DC_OK;
}

// Cases are scenes with arenas of their own; NULL is accepted.
void dc_scene_destroy(struct dc_scene *scene)
{
  if (!scene)
    return;
  for (int k = 0; k < scene->cases.count; k++)
    dc_scene_destroy(scene->cases.scenes[k]);
  dc_arena_destroy(scene->arena);
}
