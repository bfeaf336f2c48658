// SPDX-License-Identifier: Apache-2.0
// "include": robots that become entries of the scene's tree before anything else is applied to it.  For each
// include:
// 1. its options are read (read_options); gains by the names of joints are set apart (part_gains);
// 2. the file is found, read and recognized as URDF, SDF or MJCF by its text, not by its name (read_file,
//    add_robot);
// 3. links are connected by joints; start coordinates, gains, pairs that never touch and mesh files are looked
//    up by the names in the file (add_urdf);
// 4. shapes, bodies and couplings are appended to the tree, as if the scene had them (dc_urdf_add,
//    dc_mjcf_add).
//
// From there on robots are bodies like any others: overlays and --set reach them by their names.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "geometry/mesh/mesh_assimp.h"
#include "geometry/mesh/mesh_grid.h"
#include "geometry/shapes/shape_options.h"
#include "geometry/shapes/shape_types.h"
#include "io/robot/mjcf.h"
#include "io/robot/sdf.h"
#include "io/robot/urdf.h"
#include "io/scene/scene_build.h"
#include "io/scene/scene_uri.h"
#include "math/rotation.h"

// Bytes of all included files together: as much as a scene may have.  More would let a scene of a few lines
// take memory without bound, as a file may be included many times.
static const size_t most_text = (size_t)64 << 20;

// A mesh of visuals that was looked at: whether it can be a shape.
struct tried {
  const char *path;
  bool good;
};

// One include being read.
struct include {
  struct dc_scene_build *build;
  struct dc_json value;
  struct dc_include_options options;
  struct dc_scene_finder finder;
  struct dc_urdf urdf;
  struct tried *tried;  // [tried_count], so that no file is read for every visual that names it
  size_t tried_count, tried_capacity;
  cJSON *by_joint;  // gains by the names of joints, NULL without; named: no others have any
  bool named;
};

static enum dc_status out_of_memory(const struct include *include)
{
  return dc_json_fail(&include->value, include->build->error, DC_MEMORY, "out of memory");
}

// Whether a key of "pd" is a gain, such as "kp", and not the name of a joint.
static bool is_gain(const char *name)
{
  return dc_option_find(dc_pd_options, name) >= 0;
}

// Whether "pd" holds gains by the names of joints: a member that is an object, or null under a key that is no
// gain.
static bool is_by_joint(const cJSON *pd)
{
  const cJSON *member;
  cJSON_ArrayForEach (member, pd)
    if (cJSON_IsObject(member) || (cJSON_IsNull(member) && !is_gain(member->string)))
      return cJSON_IsObject(pd);
  return false;
}

// Parts "pd" with objects by the names of joints: they go to include->by_joint, and what is left holds for all
// other joints.  If nothing is left, only the joints that are named get an actuator.
static enum dc_status part_gains(struct include *include)
{
  cJSON *pd = cJSON_GetObjectItemCaseSensitive(include->value.node, "pd"), *member, *next;
  if (!is_by_joint(pd))
    return DC_OK;
  if (!(include->by_joint = cJSON_CreateObject()))
    return out_of_memory(include);
  include->by_joint->valueint = pd->valueint;
  for (member = pd->child; member; member = next) {
    next = member->next;
    if (is_gain(member->string))
      continue;
    char *name = dc_arena_strdup(include->build->scene->arena, member->string);
    cJSON_DetachItemViaPointer(pd, member);
    if (!name || !cJSON_AddItemToObject(include->by_joint, name, member)) {
      cJSON_Delete(member);
      return out_of_memory(include);
    }
  }
  include->named = !pd->child;
  if (include->named)
    cJSON_DeleteItemFromObjectCaseSensitive(include->value.node, "pd");
  return DC_OK;
}

// Reads the options of an include: a string is the file alone.  "joint_position" is no option of the table,
// because its keys are joints of the file, and is read once they are known.  The rotation must be a unit
// quaternion within 0.001, which tells angles by mistake from digits left out, and is normalized.
static enum dc_status read_options(struct include *include)
{
  static const struct dc_allowed_keys allowed = {.tag = "joint_position"};
  struct dc_options_reader *reader = &include->build->reader;
  struct dc_include_options *options = &include->options;
  const struct dc_json *value = &include->value;
  enum dc_status status;
  if (cJSON_IsString(value->node)) {
    status = dc_options_set_defaults(dc_include_options, options, reader->arena, reader->error);
    return status ? dc_json_wrap(value, reader->error) : dc_read_string(reader, value, &options->file);
  }
  if (!cJSON_IsObject(value->node))
    return dc_refuse_type(reader, value, "an object or a string");
  if ((status = part_gains(include)) ||
      (status = dc_read_options(reader, value, dc_include_options, &allowed, options)))
    return status;
  const double *q = options->rotation;
  double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  struct dc_json rotation = dc_json_member(value, "rotation");
  if (fabs(length - 1) > 1e-3)
    return dc_json_fail(&rotation, reader->error, DC_BAD_INPUT,
                        "must be of unit length within 0.001 (its length is %.10g)", length);
  dc_rotation_normalize(options->rotation);
  return DC_OK;
}

static bool ends_with(const char *name, const char *ending)
{
  size_t length = strlen(name), count = strlen(ending);
  return length >= count && strcasecmp(name + length - count, ending) == 0;
}

// Whether the mesh of a visual can be a shape: *good.  It is built once and thrown away, as a broken one must
// not fail the scene: it is only there to be seen.  Results are kept by path, because robots name one mesh in
// many links.  Returns DC_MEMORY or DC_OK.
static enum dc_status try_visual(struct include *include, const char *path, bool *good)
{
  struct dc_error error = {0};
  for (size_t i = 0; i < include->tried_count; i++)
    if (strcmp(include->tried[i].path, path) == 0) {
      *good = include->tried[i].good;
      return DC_OK;
    }
  if (dc_grow(&include->tried, &include->tried_capacity, include->tried_count + 1, sizeof *include->tried))
    return DC_MEMORY;
  struct dc_mesh_shape_options *options = dc_arena_alloc(include->build->scene->arena, 1, sizeof *options);
  if (!options)
    return DC_MEMORY;
  *options = (struct dc_mesh_shape_options){.file = path, .scale = 1, .scales = {NAN, NAN, NAN}};
  struct dc_shape shape = {.name = "", .type = &dc_shape_mesh, .options = options};
  enum dc_status status = dc_scene_build_shape(include->build, &shape, &error);
  *good = !status;
  include->tried[include->tried_count++] = (struct tried){path, *good};
  return status == DC_MEMORY ? status : DC_OK;
}

// Finds the file of a geometry.  Collision geometry decides what the simulation does: a missing or unknown file
// is an error with the place in the robot's file.  That of a visual may be missing or broken and is then left
// out.
static enum dc_status find_geometry(struct include *include, const struct dc_urdf_geometry *geometry, const char **path)
{
  struct dc_error *error = include->build->error, local = {0};
  bool known = ends_with(geometry->file, ".stl") || ends_with(geometry->file, ".obj") ||
               dc_mesh_is_grid(geometry->file) || dc_mesh_is_foreign(geometry->file);
  bool good = false;
  char quoted[DC_JSON_QUOTED];
  dc_json_quote(quoted, geometry->file);
  enum dc_status status = known ? dc_scene_find_mesh(&include->finder, geometry->file, path, &local) : DC_BAD_INPUT;
  if (geometry->visual) {
    if (!status && !(status = try_visual(include, *path, &good)) && good)
      return DC_OK;
    *path = NULL;
    return status == DC_MEMORY ? dc_urdf_fail(&include->urdf, geometry->offset, error, status, "out of memory") : DC_OK;
  }
  if (!known)
    return dc_urdf_fail(&include->urdf, geometry->offset, error, status,
                        "collision mesh %s: must be an OBJ, STL, VTK, COLLADA, PLY, glTF or OFF file", quoted);
  return status ? dc_urdf_fail(&include->urdf, geometry->offset, error, status, "collision mesh %s: %.600s", quoted,
                               local.text)
                : DC_OK;
}

// use->files [geometries] has the real path of each mesh, NULL for other geometry and for visuals that are left out.
static enum dc_status find_geometries(struct include *include, struct dc_urdf_use *use)
{
  const struct dc_urdf *urdf = &include->urdf;
  const char **files = dc_arena_alloc(include->build->scene->arena, urdf->geometry_count, sizeof *files);
  enum dc_status status = files ? DC_OK : out_of_memory(include);
  for (size_t i = 0; i < urdf->geometry_count && !status; i++)
    if (urdf->geometries[i].type == DC_URDF_MESH)
      status = find_geometry(include, &urdf->geometries[i], &files[i]);
  use->files = files;
  return status;
}

// Explains why a joint of "joint_position" cannot be set: it follows another, has not one coordinate, or does not
// exist.
static enum dc_status refuse_joint(const struct include *include, const struct dc_json *member, int index)
{
  enum { MOST = 256 };
  const struct dc_urdf *urdf = &include->urdf;
  struct dc_error *error = include->build->error;
  char quoted[DC_JSON_QUOTED];
  const char *names[MOST + 1], *near;
  int count = 0;
  for (; count < MOST && count < (int)urdf->joint_count; count++)
    names[count] = urdf->joints[count].name;
  names[count] = NULL;
  if (index >= 0 && urdf->joints[index].mimic >= 0)
    return dc_json_fail_key(member, error, DC_BAD_INPUT, "the joint follows %s",
                            dc_json_quote(quoted, urdf->joints[index].mimic_name));
  if (index >= 0)
    return dc_json_fail_key(member, error, DC_BAD_INPUT, "the joint has not one coordinate");
  if ((near = dc_suggest(member->key, names)))
    return dc_json_fail_key(member, error, DC_BAD_INPUT, "the robot has no such joint (did you mean %s?)",
                            dc_json_quote(quoted, near));
  char listed[DC_JSON_LISTED];
  return dc_json_fail_key(member, error, DC_BAD_INPUT, "the robot has no such joint (there are %s)",
                          dc_json_list_names(listed, names, count));
}

// "joint_position": coordinates (m or rad) by the names of joints, without prefix.  use->start [joints] holds
// NAN for those that are not named, which start as near to zero as their range allows.  Joints that follow
// others (mimic) have no coordinate of their own and are refused.
static enum dc_status read_start(struct include *include, struct dc_urdf_use *use)
{
  const struct dc_urdf *urdf = &include->urdf;
  struct dc_options_reader *reader = &include->build->reader;
  struct dc_json given = dc_json_member(&include->value, "joint_position");
  double *start = dc_arena_alloc(include->build->scene->arena, urdf->joint_count, sizeof *start);
  if (!start)
    return out_of_memory(include);
  for (size_t j = 0; j < urdf->joint_count; j++)
    start[j] = NAN;
  use->start = start;
  if (!given.node)
    return DC_OK;
  if (!cJSON_IsObject(given.node))
    return dc_refuse_type(reader, &given, "an object");
  cJSON *node;
  cJSON_ArrayForEach (node, given.node) {
    struct dc_json member = dc_json_element(&given, node, 0);
    int joint = dc_urdf_find_joint(urdf, node->string);
    if (joint < 0 || urdf->joints[joint].mimic >= 0 || !dc_urdf_joint_is_scalar(&urdf->joints[joint]))
      return refuse_joint(include, &member, joint);
    enum dc_status status = dc_read_option(reader, &member, dc_start_options, &start[joint]);
    if (status)
      return status;
  }
  return DC_OK;
}

// "srdf": reads which pairs of links never touch from MoveIt's Semantic Robot Description Format.
static enum dc_status read_disabled(const struct include *include, struct dc_srdf *disabled)
{
  struct dc_scene_build *build = include->build;
  struct dc_arena *arena = build->scene->arena;
  const char *name = include->options.srdf, *path, *text;
  size_t length;
  struct dc_json value = dc_json_member(&include->value, "srdf");
  if (!name)
    return DC_OK;
  if (dc_scene_find_file(build->scene->source.folder, name, build->settings, arena, &path, build->error) ||
      dc_json_read_text(path, arena, &text, &length, build->error))
    return dc_json_wrap(&value, build->error);
  if (length > most_text)
    return dc_json_fail(&value, build->error, DC_BAD_INPUT, "must have at most 64 MB");
  return dc_srdf_parse(disabled, name, text, length, arena, build->error);
}

// Remembers the bodies that the robot has become, those from index `first` on: pairs among them that overlap at
// the start are excluded later, when their shapes are built (scene_overlaps.c).
static enum dc_status remember_bodies(const struct include *include, int first)
{
  struct dc_scene_build *build = include->build;
  struct dc_arena *arena = build->scene->arena;
  const cJSON *bodies = cJSON_GetObjectItemCaseSensitive(build->root.node, "bodies"), *body;
  struct dc_scene_robot *robot = dc_arena_alloc(arena, 1, sizeof *robot);
  const char **names = dc_arena_alloc(arena, (size_t)cJSON_GetArraySize(bodies), sizeof *names);
  if (!robot || !names)
    return out_of_memory(include);
  int i = 0, count = 0;
  cJSON_ArrayForEach (body, bodies)
    if (i++ >= first &&
        !(names[count++] = dc_arena_strdup(arena, cJSON_GetStringValue(cJSON_GetObjectItem(body, "name")))))
      return out_of_memory(include);
  const struct dc_include_options *options = &include->options;
  *robot = (struct dc_scene_robot){names,        count, options->overlaps, options->self_contact, options->self_field,
                                   build->robots};
  build->robots = robot;
  return DC_OK;
}

// The options that hold for every kind of robot file.  Hulls of collision meshes are simplified for
// trajectories (64 corners, triangles split at 0.04 m, enough for the smooth contact of links); refinements
// keep them as they are, since they seek poses at which exact points touch.
static struct dc_urdf_use use_of(const struct include *include)
{
  const struct dc_include_options *options = &include->options;
  const cJSON *problem = cJSON_GetObjectItemCaseSensitive(include->build->root.node, "problem");
  static const char *const surfaces[] = {"mesh", "leaves", "auto"};
  bool refining = cJSON_IsString(problem) && strcmp(problem->valuestring, "refine") == 0;
  struct dc_urdf_use use = {.prefix = options->prefix,
                            .collide = options->collide,
                            .convex = options->convex,
                            .by_file = options->self_contact == DC_SELF_CONTACT_FILE,
                            .effort = options->effort == DC_EFFORT_FILE,
                            .dynamics = options->dynamics == DC_EFFORT_FILE,
                            .hull_points = options->hull_points >= 0 ? options->hull_points
                                           : refining                ? 0
                                                                     : 64,
                            .longest_edge = !isnan(options->longest_edge) ? options->longest_edge
                                            : refining                    ? 0
                                                                          : 0.04,
                            .usual_edge = isnan(options->longest_edge),
                            .inertia = (enum dc_urdf_inertia_policy)options->inertia,
                            .notes = &include->build->scene->notes,
                            .include = include->value.index,
                            .arena = include->build->scene->arena,
                            .starts = &include->build->scene->source.starts,
                            .surface = options->surface == DC_SURFACE_AUTO ? NULL : surfaces[options->surface],
                            .density = options->density,
                            .color = {options->color[0], options->color[1], options->color[2]}};
  memcpy(use.pose.position, options->position, sizeof use.pose.position);
  memcpy(use.pose.rotation, options->rotation, sizeof use.pose.rotation);
  if (cJSON_IsObject(include->value.node))
    use.pd = cJSON_GetObjectItemCaseSensitive(include->value.node, "pd");
  return use;
}

// Reads gains by the names of joints, without prefix: use->pd_of [joints] is the object of a joint, null where
// it shall have no actuator, NULL where it is not named.  Each is checked as options here, and copied into the
// tree later, where it is read like any other.
static enum dc_status read_gains(struct include *include, struct dc_urdf_use *use)
{
  const struct dc_urdf *urdf = &include->urdf;
  struct dc_options_reader *reader = &include->build->reader;
  const struct dc_option *option = &dc_include_options[dc_option_find(dc_include_options, "pd")];
  struct dc_json all = include->value;
  if (!include->by_joint)
    return DC_OK;
  all.node = include->by_joint;
  const cJSON **gains = dc_arena_alloc(include->build->scene->arena, urdf->joint_count + 1, sizeof *gains);
  if (!gains)
    return out_of_memory(include);
  use->pd_of = (const cJSON *const *)gains;
  cJSON *node;
  cJSON_ArrayForEach (node, include->by_joint) {
    struct dc_json member = dc_json_element(&all, node, 0);
    struct dc_pd_definition *checked;
    int joint = dc_urdf_find_joint(urdf, node->string);
    if (joint < 0 || urdf->joints[joint].mimic >= 0 || !dc_urdf_joint_is_scalar(&urdf->joints[joint]))
      return refuse_joint(include, &member, joint);
    enum dc_status status = cJSON_IsNull(node) ? DC_OK : dc_read_option(reader, &member, option, &checked);
    if (status)
      return status;
    gains[joint] = node;
  }
  return DC_OK;
}

static enum dc_status find_sdf(void *finder, const char *folder, const char *uri, const char **path,
                               struct dc_error *error)
{
  return dc_scene_find_uri(finder, folder, uri, path, error);
}

// Gives the scene the gravity of a file's world where it has none of its own.
static enum dc_status put_gravity(struct include *include, const double *gravity)
{
  struct dc_scene_build *build = include->build;
  if (isnan(gravity[0]) || cJSON_HasObjectItem(build->root.node, "gravity"))
    return DC_OK;
  cJSON *node = cJSON_CreateDoubleArray(gravity, 3);
  if (!node || !cJSON_AddItemToObject(build->root.node, "gravity", node)) {
    cJSON_Delete(node);
    return out_of_memory(include);
  }
  node->valueint = include->value.node->valueint;
  for (cJSON *child = node->child; child; child = child->next)
    child->valueint = node->valueint;
  return DC_OK;
}

// An SDF file as robot: its models by the finder of included files, and gravity, which a world of SDF may set for the
// scene.
static enum dc_status parse_sdf(struct include *include, const struct dc_scene_robot_file *file)
{
  struct dc_scene_build *build = include->build;
  double gravity[3];
  const struct dc_sdf_options options = {.files = {&include->finder, find_sdf},
                                         .path = file->path,
                                         .folder = file->folder,
                                         .based = cJSON_IsObject(include->value.node) &&
                                                  cJSON_HasObjectItem(include->value.node, "base"),
                                         .notes = &build->scene->notes};
  enum dc_status status = dc_sdf_parse(&include->urdf, file->name, file->text, file->length, &options,
                                       build->scene->arena, gravity, build->error);
  return status ? status : put_gravity(include, gravity);
}

// Adds a robot of URDF or SDF.  The order is that of what needs what: joints connect links, names of joints are
// known after, mesh files are looked up last because that is the slowest.  A base of one fixed joint is the
// default of a body and is left out.
static enum dc_status add_urdf(struct include *include, const struct dc_scene_robot_file *file)
{
  struct dc_scene_build *build = include->build;
  const struct dc_include_options *options = &include->options;
  const struct dc_joint_definition *base = options->base.objects;
  const struct dc_joint_type *type = options->base.count ? dc_joint_types[base->type] : NULL;
  struct dc_urdf_use use = use_of(include);
  enum dc_status status = dc_sdf_is(file->text) ? parse_sdf(include, file)
                                                : dc_urdf_parse(&include->urdf, file->name, file->text, file->length,
                                                                build->scene->arena, build->error);
  if (status || (status = dc_urdf_connect(&include->urdf, build->error)))
    return status;
  if (cJSON_IsObject(include->value.node)) {
    if (type != &dc_joint_fixed || options->base.count > 1)
      use.base = cJSON_GetObjectItemCaseSensitive(include->value.node, "base");
    use.base_anchored = type && type->nv > 0 && !type->only;
  }
  if ((status = read_start(include, &use)) || (status = read_gains(include, &use)) ||
      (status = read_disabled(include, &use.disabled)) || (status = find_geometries(include, &use)))
    return status;
  return dc_urdf_add(&include->urdf, &use, &build->document, file->source, include->value.node, build->error);
}

// The kind of the file is told by its root element.  Bodies that the robot adds are those behind `before`.
static enum dc_status add_robot(struct include *include, const struct dc_scene_robot_file *file)
{
  struct dc_scene_build *build = include->build;
  int before = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(build->root.node, "bodies"));
  struct dc_urdf_use use = use_of(include);
  enum dc_status status = dc_mjcf_is(file->text)
                              ? dc_scene_include_mjcf(build, &include->value, &include->options, &use, file)
                              : add_urdf(include, file);
  return status ? status : remember_bodies(include, before);
}

// Refuses by their names files of other kinds that stand where a robot should.
static enum dc_status check_name(const struct dc_scene_build *build, const struct dc_json *file, const char *name)
{
  const char *meshes[] = {".obj", ".stl", ".ply", ".off", ".dae", ".glb", ".gltf"};
  for (size_t k = 0; k < sizeof meshes / sizeof *meshes; k++)
    if (ends_with(name, meshes[k]))
      return dc_json_fail(file, build->error, DC_BAD_INPUT,
                          "must be a robot (MJCF, URDF or SDF); a mesh is a shape: \"shapes\": {\"name\": {\"type\": "
                          "\"mesh\", \"file\": ...}}");
  return ends_with(name, ".xacro")
             ? dc_json_fail(file, build->error, DC_BAD_INPUT, "must be a URDF file; run xacro on it first")
             : DC_OK;
}

// Reads one robot file, after its place and size were checked, and adds its robot.  Everything the parser took
// beside the arena is released in any case.
static enum dc_status read_file(struct include *include, size_t *total)
{
  struct dc_scene_build *build = include->build;
  struct dc_arena *arena = build->scene->arena;
  struct dc_scene_robot_file robot = {.name = include->options.file};
  struct dc_json file = cJSON_IsObject(include->value.node) ? dc_json_member(&include->value, "file") : include->value;
  enum dc_status status = check_name(build, &file, robot.name);
  if (status)
    return status;
  if (dc_scene_find_file(build->scene->source.folder, robot.name, build->settings, arena, &robot.path, build->error) ||
      dc_json_read_text(robot.path, arena, &robot.text, &robot.length, build->error) ||
      dc_scene_folder_of(robot.path, arena, &robot.folder, build->error))
    return dc_json_wrap(&file, build->error);
  if (robot.text[strspn(robot.text, " \t\r\n")] == '{')
    return dc_json_fail(&file, build->error, DC_BAD_INPUT,
                        "must be a robot (MJCF, URDF or SDF), and this is JSON; write the bodies and shapes of another "
                        "scene into this one");
  if ((*total += robot.length) > most_text)
    return dc_json_fail(&file, build->error, DC_BAD_INPUT, "included files must have at most 64 MB together");
  robot.source = dc_json_add_source(&build->document, arena, robot.name, robot.text);
  if (!robot.source)
    return out_of_memory(include);
  include->finder = (struct dc_scene_finder){.build = build, .robot = robot.name, .folder = robot.folder};
  status = add_robot(include, &robot);
  dc_urdf_release(&include->urdf);
  free(include->tried);
  cJSON_Delete(include->by_joint);
  include->by_joint = NULL;
  return status;
}

// A collection that is missing is made by the first robot that needs it.
static enum dc_status check_collection(struct dc_scene_build *build, const char *key, bool object)
{
  struct dc_json value = dc_json_member(&build->root, key);
  if (!value.node || (object ? cJSON_IsObject(value.node) : cJSON_IsArray(value.node)))
    return DC_OK;
  return dc_refuse_type(&build->reader, &value, object ? "an object" : "an array");
}

static enum dc_status add_include(struct dc_scene_build *build, const struct dc_json *value, size_t *total)
{
  struct include include = {.build = build, .value = *value};
  enum dc_status status = read_options(&include);
  return status ? status : read_file(&include, total);
}

// Replaces "include", one include or an array of them, by the shapes, bodies, couplings, ties and tendons of the
// robots' files, and removes it.  The collections they are appended to are checked for their kind first, as no reader
// has looked at them yet.
enum dc_status dc_scene_include(struct dc_scene_build *build)
{
  struct dc_json include = dc_json_member(&build->root, "include");
  if (!include.node)
    return DC_OK;
  size_t total = 0;
  enum dc_status status = check_collection(build, "shapes", true);
  if (status || (status = check_collection(build, "bodies", false)) ||
      (status = check_collection(build, "couplings", false)) || (status = check_collection(build, "ties", false)) ||
      (status = check_collection(build, "tendons", false)))
    return status;
  if (!cJSON_IsArray(include.node)) {
    status = add_include(build, &include, &total);
  } else {
    int count = cJSON_GetArraySize(include.node), i = 0;
    if (count > DC_SCENE_MOST_INCLUDES)
      return dc_json_fail(&include, build->error, DC_BAD_INPUT, "must hold at most %d includes (holds %d)",
                          DC_SCENE_MOST_INCLUDES, count);
    cJSON *node;
    cJSON_ArrayForEach (node, include.node) {
      struct dc_json element = dc_json_element(&include, node, i++);
      if ((status = add_include(build, &element, &total)))
        return status;
    }
  }
  if (!status)
    cJSON_DeleteItemFromObjectCaseSensitive(build->root.node, "include");
  return status;
}
