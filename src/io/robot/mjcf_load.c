// SPDX-License-Identifier: Apache-2.0
// An MJCF file as a model: the sections in the order in which one needs what another says (compiler, options and
// defaults, assets, bodies, what refers to these), then masses.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/json/json_value.h"
#include "io/robot/mjcf.h"
#include "io/robot/mjcf_reader.h"

static const char *const truth[] = {"false", "true", "auto", NULL};
static const char *const ability[] = {"disable", "enable", NULL};

// A flag of <flag>.  They say enable or disable; here they are kept as "off", so that what no file mentions
// stays false.
static void read_flag(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const char *attribute, bool *off)
{
  int choice = !*off;
  dc_mjcf_choose(reader, node, attribute, ability, &choice);
  *off = choice == 0;
}

// The word "auto" counts as false here.
static void read_truth(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const char *attribute,
                       bool *value)
{
  int choice = *value;
  dc_mjcf_choose(reader, node, attribute, truth, &choice);
  *value = choice == 1;
}

// The order of Euler angles: three letters, small ones about axes that move along, capitals about fixed ones.
static void read_euler(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node)
{
  const char *given = dc_mjcf_text(reader, node, "eulerseq");
  if (!given)
    return;
  if (strlen(given) != 3 || strspn(given, "xyzXYZ") != 3)
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "eulerseq must be three of xyzXYZ");
  else
    memcpy(reader->euler, given, 3);
}

// <compiler>.  Several of these sections follow each other, and each changes what the ones before have said, so
// every value starts from what the reader has.  "meshdir" beats "assetdir", since only meshes and height fields
// are read as assets.
static void read_compiler(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node)
{
  static const char *const angles[] = {"radian", "degree", NULL}, *const coordinates[] = {"local", "global", NULL};
  int degrees = reader->degrees, global = 0;
  bool exact = reader->exact_meshes;
  dc_mjcf_choose(reader, node, "angle", angles, &degrees);
  reader->degrees = degrees;
  dc_mjcf_choose(reader, node, "coordinate", coordinates, &global);
  if (global)
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "coordinate=\"global\" is not read (MuJoCo has not had it since 2.3.4)");
  read_truth(reader, node, "autolimits", &reader->autolimits);
  read_truth(reader, node, "strippath", &reader->strip_path);
  read_truth(reader, node, "balanceinertia", &reader->balance);
  read_truth(reader, node, "fitaabb", &reader->fit_boxes);
  read_truth(reader, node, "alignfree", &reader->align_free);
  read_truth(reader, node, "exactmeshinertia", &exact);
  reader->exact_meshes = exact;
  dc_mjcf_choose(reader, node, "inertiafromgeom", truth, &reader->from_geoms);
  dc_mjcf_numbers(reader, node, "inertiagrouprange", 2, 2, reader->groups);
  dc_mjcf_number(reader, node, "boundmass", &reader->bound_mass);
  dc_mjcf_number(reader, node, "boundinertia", &reader->bound_inertia);
  dc_mjcf_number(reader, node, "settotalmass", &reader->total_mass);
  read_euler(reader, node);
  const char *both = dc_mjcf_text(reader, node, "assetdir"), *meshes = dc_mjcf_text(reader, node, "meshdir");
  if (meshes || both)
    reader->mesh_folder = meshes ? meshes : both;
}

// Switches of the physics.  "constraint" and "passive" switch off groups of others.  Without gravity the vector
// is zero and counts as given, so that an <option> behind cannot bring it back.
static void read_flags(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node)
{
  struct dc_mjcf_option *option = &reader->model->option;
  bool constraints = false, passive = false, gravity = false;
  read_flag(reader, node, "constraint", &constraints);
  read_flag(reader, node, "passive", &passive);
  read_flag(reader, node, "gravity", &gravity);
  read_flag(reader, node, "contact", &option->no_contact);
  read_flag(reader, node, "limit", &option->no_limit);
  read_flag(reader, node, "equality", &option->no_equality);
  read_flag(reader, node, "frictionloss", &option->no_friction);
  read_flag(reader, node, "actuation", &option->no_actuation);
  read_flag(reader, node, "clampctrl", &option->no_clamp);
  read_flag(reader, node, "spring", &option->no_spring);
  read_flag(reader, node, "damper", &option->no_damper);
  read_flag(reader, node, "filterparent", &option->touch_parents);
  if (constraints)
    option->no_contact = option->no_limit = option->no_equality = option->no_friction = true;
  if (passive)
    option->no_spring = option->no_damper = true;
  if (gravity) {
    memset(option->gravity, 0, sizeof option->gravity);
    option->gravity_node = node;
    option->gravity_given = true;  // whatever a section that follows says
  }
}

// <option>: gravity, which geometries may touch, and groups of actuators that are switched off, as bits.  The
// flags in it come last.
static void read_option(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node)
{
  static const char *const collisions[] = {"all", "predefined", "dynamic", NULL};
  struct dc_mjcf_option *option = &reader->model->option;
  int collision = option->pairs_only ? 1 : option->no_dynamic_pairs ? 2 : 0;
  double gravity[3], groups[32];
  if (dc_mjcf_numbers(reader, node, "gravity", 3, 3, gravity) && !option->gravity_given) {
    memcpy(option->gravity, gravity, sizeof gravity);
    option->gravity_node = node;
  }
  dc_mjcf_choose(reader, node, "collision", collisions, &collision);
  option->pairs_only = collision == 1;
  option->no_dynamic_pairs = collision == 2;
  int count = dc_mjcf_numbers(reader, node, "actuatorgroupdisable", 0, 31, groups);
  for (int k = 0; k < count; k++)
    if (groups[k] >= 0 && groups[k] <= 30)
      reader->disabled_groups |= 1ul << (int)groups[k];
  for (const struct dc_mjcf_node *child = node->first; child; child = child->next)
    if (strcmp(child->name, "flag") == 0)
      read_flags(reader, child);
}

// A class and those in it.  The main one may have no name and stand in several places.
static void read_class(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, int parent)
{
  const char *name = dc_mjcf_text(reader, node, "class");
  if (!name && parent >= 0)
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "missing attribute \"class\"");
  if (reader->class_count >= DC_MJCF_MOST_CLASSES)
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "more than %d classes", DC_MJCF_MOST_CLASSES);
  if (reader->status)
    return;
  if (dc_grow(&reader->classes, &reader->class_room, reader->class_count + 1, sizeof *reader->classes)) {
    dc_mjcf_refuse(reader, node, DC_MEMORY, "out of memory");
    return;
  }
  int own = (int)reader->class_count++, above = parent;
  if (parent < 0 && own > 0) {  // another <default> at the top: the main class goes on
    bool same = !name || strcmp(name, reader->classes[0].name) == 0;
    above = same ? -1 : 0;
    name = same ? reader->classes[0].name : name;
  }
  reader->classes[own] = (struct dc_mjcf_class){name ? name : "main", above, node};
  for (const struct dc_mjcf_node *child = node->first; child && !reader->status; child = child->next)
    if (strcmp(child->name, "default") == 0)
      read_class(reader, child, parent < 0 && above < 0 ? 0 : own);
}

// Calls read for every section of that name.
static void for_sections(struct dc_mjcf_reader *reader, const char *name,
                         void (*read)(struct dc_mjcf_reader *, const struct dc_mjcf_node *))
{
  for (const struct dc_mjcf_node *child = reader->model->root->first; child && !reader->status; child = child->next)
    if (strcmp(child->name, name) == 0)
      read(reader, child);
}

// A class at the top has no parent.
static void read_default(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node)
{
  read_class(reader, node, -1);
}

// Meshes and height fields.  Materials give colours only, and these are searched for by name when a geometry
// needs one; their attributes are asked for here so that they count as read.
static void read_assets(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *section)
{
  for (const struct dc_mjcf_node *node = section->first; node && !reader->status; node = node->next) {
    if (strcmp(node->name, "mesh") == 0)
      dc_mjcf_read_mesh(reader, node);
    else if (strcmp(node->name, "hfield") == 0)
      dc_mjcf_read_field(reader, node);
    else if (strcmp(node->name, "material") == 0) {
      dc_mjcf_text(reader, node, "name");
      dc_mjcf_text(reader, node, "class");
      dc_mjcf_text(reader, node, "rgba");
    }
  }
}

// Sections that have no counterpart are named in a note.
static void read_rest(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node)
{
  dc_mjcf_name_it(reader, node);
}

// The order of the sections does not matter in the file, but here each step needs those before.  Everything
// needs classes, geometries need meshes, masses need bodies, and ratios of damping need masses.  Tendons need
// joints, equalities and actuators need tendons, and keyframes need all counts.
static void read_model(struct dc_mjcf_reader *reader)
{
  if (strcmp(reader->model->root->name, "mujoco") != 0)
    dc_mjcf_refuse(reader, reader->model->root, DC_BAD_INPUT, "must be <mujoco>");
  for_sections(reader, "compiler", read_compiler);
  for_sections(reader, "option", read_option);
  for_sections(reader, "default", read_default);
  for_sections(reader, "asset", read_assets);
  if (!reader->status)
    dc_mjcf_read_world(reader);
  if (!reader->status)
    dc_mjcf_find_masses(reader);
  if (!reader->status)
    dc_mjcf_finish_joints(reader);
  for_sections(reader, "contact", dc_mjcf_read_contact);
  for_sections(reader, "tendon", dc_mjcf_read_tendons);
  for_sections(reader, "equality", dc_mjcf_read_equality);
  dc_mjcf_fold_tendons(reader);
  for_sections(reader, "deformable", read_rest);
  for_sections(reader, "actuator", dc_mjcf_read_actuators);
  if (!reader->status)
    dc_mjcf_finish_actuators(reader);
  for_sections(reader, "keyframe", dc_mjcf_read_keys);
  if (!reader->status)
    dc_mjcf_place_locked(reader->model);
}

// Reads a model.  The values set here are the format's defaults: degrees, limits by ranges, Euler angles about
// moving x, y and z, masses from geometries where <inertial> is missing, gravity 9.81 m/s^2 downwards.  The
// model is returned even if reading fails, and belongs to the caller: dc_mjcf_release().
enum dc_status dc_mjcf_load(struct dc_mjcf **mjcf, const struct dc_mjcf_file *file, const struct dc_mjcf_opener *opener,
                            struct dc_arena *arena, struct dc_error *error)
{
  struct dc_mjcf *model = *mjcf = dc_alloc(1, sizeof *model);
  if (!model)
    return dc_out_of_memory_in(error, file->name);
  model->name = file->name;
  model->arena = arena;
  model->opener = opener;
  model->option.gravity[2] = -9.81;
  enum dc_status status = dc_mjcf_parse(file, opener, arena, &model->root, error);
  if (status)
    return status;
  struct dc_mjcf_reader reader = {.model = model,
                                  .arena = arena,
                                  .error = error,
                                  .opener = opener,
                                  .degrees = true,
                                  .autolimits = true,
                                  .euler = "xyz",
                                  .total_mass = -1,
                                  .from_geoms = 2,
                                  .groups = {0, 5}};
  read_model(&reader);
  free(reader.classes);
  return reader.status;
}

// Names and nodes are in the arena and stay; NULL is accepted.
void dc_mjcf_release(struct dc_mjcf *mjcf)
{
  if (!mjcf)
    return;
  free(mjcf->bodies);
  free(mjcf->geoms);
  free(mjcf->joints);
  free(mjcf->tendons);
  free(mjcf->actuators);
  free(mjcf->assets.meshes);
  free(mjcf->assets.fields);
  free(mjcf->pairs);
  free(mjcf->couplings);
  free(mjcf->ties.list);
  free(mjcf->ties.sites);
  free(mjcf->keys);
  free(mjcf->excluded);
  free(mjcf->named);
  free(mjcf);
}

// All joints of the file, those that an equality holds among them.
int dc_mjcf_joint_count(const struct dc_mjcf *mjcf)
{
  return (int)mjcf->joint_count;
}

// The index of a slide or hinge by its name; -1 without, for other kinds, and for joints that an equality has
// taken away.
int dc_mjcf_find_joint(const struct dc_mjcf *mjcf, const char *name)
{
  int joint = dc_mjcf_find_named(mjcf->joints, mjcf->joint_count, sizeof *mjcf->joints, name);
  int type = joint < 0 ? DC_MJCF_FREE : mjcf->joints[joint].type;
  return (type == DC_MJCF_HINGE || type == DC_MJCF_SLIDE) && !mjcf->joints[joint].held ? joint : -1;
}

// Whether a text is MJCF: its first element, behind comments and declarations, is <mujoco>.  The whole text
// need not be well-formed for that.
bool dc_mjcf_is(const char *text)
{
  static const char name[] = "<mujoco";
  for (const char *c = text; (c = strchr(c, '<')) != NULL; c++) {
    if (strncmp(c, "<!--", 4) == 0 && !(c = strstr(c, "-->")))
      return false;
    if (c[0] == '<' && c[1] != '?' && c[1] != '!')
      return strncmp(c, name, sizeof name - 1) == 0 && strchr(" \t\r\n/>", c[sizeof name - 1]);
  }
  return false;
}
