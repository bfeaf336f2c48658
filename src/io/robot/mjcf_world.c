// SPDX-License-Identifier: Apache-2.0
// Bodies of an MJCF tree, with joints and geometries, and the meshes that they name.
//
// The elements of a body are walked twice: first its own joints and geometries, through frames and replicates, then the
// bodies in it, so that those of one body stand together and parents come before children.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/json/json_value.h"
#include "io/robot/mjcf_reader.h"
#include "math/rotation.h"
#include "math/vector.h"

// Copies of one <replicate>, and visits of elements with all copies of copies: a file of a few lines could ask for
// any number.
enum { MOST_COPIES = 10000, MOST_WALKED = 1000000 };

static const char *const limits[] = {"false", "true", "auto", NULL};

// Where the walk is: the body, the frame in it, the class in force, what names end with, what is wanted.
struct place {
  int body, depth;
  struct dc_urdf_pose frame;
  const char *childclass, *ending;
  bool bodies;
};

// The name of an element with the ending of the copies it stands in; NULL without.
// The arena owns the name. Without endings all copies of a <replicate> would share one, and references would be
// ambiguous.
static const char *name_of(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const struct place *place)
{
  const char *name = dc_mjcf_text(reader, node, "name");
  if (!name || !name[0])
    return NULL;
  char *full = dc_arena_printf(reader->arena, "%s%s", name, place->ending);
  if (!full)
    dc_mjcf_refuse(reader, node, DC_MEMORY, "out of memory");
  return full;
}

// Room for one more; false: refused.
#define MAKE_ROOM(reader, node, array, count, room)                                                                    \
  ((count) < DC_MJCF_MOST                                                                                              \
       ? !dc_grow(&(array), &(room), (count) + 1, sizeof *(array)) ||                                                  \
             (dc_mjcf_refuse(reader, node, DC_MEMORY, "out of memory"), false)                                         \
       : (dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "more than %d of these", DC_MJCF_MOST), false))

// Geometries.

// A geometry while defaults and attributes are applied; fromto[0] is NAN without, and colored says that rgba
// was given, which then beats the material.
struct geom_state {
  struct dc_mjcf_geom geom;
  double fromto[6];
  const char *mesh, *material;
  const char *field;
  bool colored, sized;
};

// Takes over the attributes that a default or an element gives.  A later pose replaces only the part, position
// or rotation, that it gives.
static void apply_geom(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, void *target)
{
  static const char *const types[] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                      "cylinder", "box",    "mesh",   "sdf",     NULL};
  struct geom_state *state = target;
  struct dc_mjcf_geom *geom = &state->geom;
  dc_mjcf_choose(reader, node, "type", types, &geom->type);
  state->sized |= dc_mjcf_numbers(reader, node, "size", 1, 3, geom->size) > 0;
  dc_mjcf_pose(reader, node, &geom->pose);
  dc_mjcf_numbers(reader, node, "fromto", 6, 6, state->fromto);
  dc_mjcf_integer(reader, node, "contype", &geom->contype);
  dc_mjcf_integer(reader, node, "conaffinity", &geom->conaffinity);
  dc_mjcf_integer(reader, node, "condim", &geom->condim);
  dc_mjcf_integer(reader, node, "priority", &geom->priority);
  dc_mjcf_integer(reader, node, "group", &geom->group);
  dc_mjcf_numbers(reader, node, "friction", 1, 3, geom->friction);
  dc_mjcf_number(reader, node, "mass", &geom->mass);
  dc_mjcf_number(reader, node, "density", &geom->density);
  int shell = geom->shell;
  dc_mjcf_choose(reader, node, "shellinertia", limits, &shell);
  geom->shell = shell == 1;
  dc_mjcf_number(reader, node, "fitscale", &geom->fit);
  if (dc_mjcf_numbers(reader, node, "rgba", 4, 4, geom->rgba))
    state->colored = true;
  const char *mesh = dc_mjcf_text(reader, node, "mesh"), *material = dc_mjcf_text(reader, node, "material");
  state->mesh = mesh ? mesh : state->mesh;
  state->material = material ? material : state->material;
  const char *field = dc_mjcf_text(reader, node, "hfield");
  state->field = field ? field : state->field;
}

// A segment's geometry: its length along z, which points from the second end to the first.
static void set_from_to(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, struct geom_state *state)
{
  struct dc_mjcf_geom *geom = &state->geom;
  const double *ends = state->fromto;
  double along[3];
  if (isnan(ends[0]))
    return;
  if (geom->type != DC_MJCF_CAPSULE && geom->type != DC_MJCF_CYLINDER && geom->type != DC_MJCF_BOX &&
      geom->type != DC_MJCF_ELLIPSOID) {
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "fromto is for capsules, cylinders, boxes and ellipsoids");
    return;
  }
  dc_vec_sub(along, ends, ends + 3);
  double half = 0.5 * dc_vec_norm(along);
  if (!(half > 1e-14)) {
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "fromto: its ends must differ");
    return;
  }
  for (int k = 0; k < 3; k++)
    geom->pose.position[k] = 0.5 * (ends[k] + ends[3 + k]);
  dc_mjcf_z_to(along, geom->pose.rotation);
  geom->size[1] = half;
  if (geom->type == DC_MJCF_BOX || geom->type == DC_MJCF_ELLIPSOID) {
    geom->size[2] = half;
    geom->size[1] = geom->size[0];
  }
}

// Sizes that the primitive has must be positive; those beyond are not looked at, as files often give three for
// all.
static void check_size(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const struct dc_mjcf_geom *geom)
{
  static const int needed[] = {
      [DC_MJCF_SPHERE] = 1, [DC_MJCF_CAPSULE] = 2, [DC_MJCF_ELLIPSOID] = 3, [DC_MJCF_CYLINDER] = 2, [DC_MJCF_BOX] = 3,
      [DC_MJCF_MESH] = 0,   [DC_MJCF_SDF] = 0,     [DC_MJCF_PLANE] = 0,     [DC_MJCF_HFIELD] = 0};
  for (int k = 0; k < needed[geom->type]; k++)
    if (!(geom->size[k] > 0)) {
      dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "size must hold %d number%s > 0", needed[geom->type],
                     needed[geom->type] > 1 ? "s" : "");
      return;
    }
}

// The colour of the material that a geometry names; assets are searched in the tree, as nothing else of them is
// kept.
static void find_material(struct dc_mjcf_reader *reader, const struct geom_state *state, struct dc_mjcf_geom *geom)
{
  for (const struct dc_mjcf_node *section = reader->model->root->first; section && state->material;
       section = section->next)
    for (const struct dc_mjcf_node *node = strcmp(section->name, "asset") == 0 ? section->first : NULL; node;
         node = node->next) {
      const char *name = strcmp(node->name, "material") == 0 ? dc_mjcf_text(reader, node, "name") : NULL;
      if (name && strcmp(name, state->material) == 0)
        dc_mjcf_numbers(reader, node, "rgba", 4, 4, geom->rgba);
    }
}

// A height field that is missing is refused here, as nothing can be supposed for it.
static void find_field(struct dc_mjcf_reader *reader, struct dc_mjcf_geom *geom, const char *name)
{
  const struct dc_mjcf *model = reader->model;
  char quoted[DC_JSON_QUOTED];
  geom->field =
      name ? dc_mjcf_find_named(model->assets.fields, model->assets.field_count, sizeof *model->assets.fields, name)
           : -1;
  if (geom->field < 0)
    dc_mjcf_refuse(reader, geom->node, DC_BAD_INPUT, "there is no height field %s",
                   dc_json_quote(quoted, name ? name : ""));
}

// The size of a primitive that is fitted to its mesh.
// The compiler of MuJoCo does the same with a primitive that names a mesh (mjcf_fit.c). Meshes are loaded only when
// they are needed, so that this is where an unreadable file is noticed.
static void fit_to_mesh(struct dc_mjcf_reader *reader, struct dc_mjcf_geom *geom)
{
  struct dc_mjcf_mesh *mesh = &reader->model->assets.meshes[geom->mesh];
  if (!(geom->fit > 0))
    dc_mjcf_refuse(reader, geom->node, DC_BAD_INPUT, "fitscale must be > 0");
  enum dc_status status = reader->status ? reader->status : dc_mjcf_need_mesh(reader->model, mesh);
  if (status)
    dc_mjcf_refuse(reader, mesh->node, status, "%.500s", mesh->message ? mesh->message : "out of memory");
  else
    dc_mjcf_fit(reader, mesh, geom);
}

// Reads a geometry of the body at place: defaults of the format, those of classes, its own attributes, then
// what depends on its kind (a segment's ends, mesh, height field, fitted size), checks, and the pose in the
// body's frame.  A geometry of another kind that names a mesh is a primitive fitted to that.
static void add_geom(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const struct place *place)
{
  struct dc_mjcf *model = reader->model;
  char quoted[DC_JSON_QUOTED];
  struct geom_state state = {.geom = {.node = node,
                                      .body = place->body,
                                      .type = DC_MJCF_SPHERE,
                                      .mesh = -1,
                                      .field = -1,
                                      .pose = dc_urdf_identity,
                                      .contype = 1,
                                      .conaffinity = 1,
                                      .condim = 3,
                                      .friction = {1, 0.005, 0.0001},
                                      .mass = NAN,
                                      .density = 1000,
                                      .fit = 1,
                                      .rgba = {0.5, 0.5, 0.5, 1}},
                             .fromto = {NAN}};
  dc_mjcf_apply_all(reader, node, place->childclass, NULL, apply_geom, &state);
  struct dc_mjcf_geom *geom = &state.geom;
  geom->name = name_of(reader, node, place);
  if (geom->type != DC_MJCF_MESH && geom->type != DC_MJCF_SDF)
    set_from_to(reader, node, &state);
  if (state.mesh && geom->type != DC_MJCF_HFIELD) {
    geom->mesh =
        dc_mjcf_find_named(model->assets.meshes, model->assets.mesh_count, sizeof *model->assets.meshes, state.mesh);
    if (geom->mesh < 0)
      dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "there is no mesh %s", dc_json_quote(quoted, state.mesh));
  }
  if (geom->type == DC_MJCF_HFIELD)
    find_field(reader, geom, state.field);
  if (geom->type == DC_MJCF_MESH && !state.mesh)
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "type=\"mesh\" needs a mesh");
  if (geom->mesh >= 0 && geom->type != DC_MJCF_MESH && geom->type != DC_MJCF_SDF)
    fit_to_mesh(reader, geom);
  else if (geom->mesh < 0)
    check_size(reader, node, geom);
  if (geom->friction[0] < 0 || geom->mass < 0 || geom->density < 0)
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "friction, mass and density must not be negative");
  if (geom->condim != 1 && geom->condim != 3 && geom->condim != 4 && geom->condim != 6)
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "condim must be 1, 3, 4 or 6 (is %d)", geom->condim);
  if (!state.colored)
    find_material(reader, &state, geom);
  dc_urdf_pose_compose(&geom->pose, &place->frame, &geom->pose);
  if (reader->status || !MAKE_ROOM(reader, node, model->geoms, model->geom_count, model->room.geoms))
    return;
  model->geoms[model->geom_count++] = *geom;
  model->bodies[place->body].geoms++;
}

// Joints.

// A joint while defaults and attributes are applied; the flags tell whether ranges and the spring's rest were
// given.
struct joint_state {
  struct dc_mjcf_joint joint;
  int limited, force_limited;
  bool ranged, force_ranged, sprung;
  double force_range[2], stiffness[3], damping[3];  // of powers 1 to 3
  double margin;                                    // of the ends of its range, never in degrees
};

// Attributes on top of those of the classes of defaults, outermost first. Whether a range was given is kept beside it:
// "limited" is "auto" by default, which means limited where there is a range.
static void apply_joint(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, void *target)
{
  static const char *const types[] = {"free", "ball", "slide", "hinge", NULL};
  struct joint_state *state = target;
  struct dc_mjcf_joint *joint = &state->joint;
  dc_mjcf_choose(reader, node, "type", types, &joint->type);
  dc_mjcf_numbers(reader, node, "pos", 3, 3, joint->pos);
  dc_mjcf_numbers(reader, node, "axis", 3, 3, joint->axis);
  state->ranged |= dc_mjcf_numbers(reader, node, "range", 2, 2, joint->range) > 0;
  dc_mjcf_choose(reader, node, "limited", limits, &state->limited);
  dc_mjcf_number(reader, node, "margin", &state->margin);
  dc_mjcf_number(reader, node, "ref", &joint->ref);
  state->sprung |= dc_mjcf_numbers(reader, node, "springref", 1, 1, &joint->springref) > 0;
  dc_mjcf_numbers(reader, node, "stiffness", 1, 3, state->stiffness);
  dc_mjcf_numbers(reader, node, "damping", 1, 3, state->damping);
  dc_mjcf_numbers(reader, node, "springdamper", 2, 2, joint->spring_time);
  dc_mjcf_number(reader, node, "armature", &joint->armature);
  dc_mjcf_number(reader, node, "frictionloss", &joint->frictionloss);
  state->force_ranged |= dc_mjcf_numbers(reader, node, "actuatorfrcrange", 2, 2, state->force_range) > 0;
  dc_mjcf_choose(reader, node, "actuatorfrclimited", limits, &state->force_limited);
}

// choice: 0 to 2, "false", "true" and "auto". The last one asks <compiler autolimits>, which is true unless a file
// says otherwise.
static bool is_limited(const struct dc_mjcf_reader *reader, int choice, bool ranged)
{
  return choice == 1 || (choice == 2 && ranged && reader->autolimits);
}

// Brings a joint into the body's frame and to radians.  Slides have lengths, which no unit changes, and a free
// joint has neither place nor range.  Rules that depend on several attributes are checked here, after all of
// them are known.
// In the order: axis and place in the body's frame, limits, units, forces, polynomial springs and dampers. Springs
// with terms of second or third power are noted in `curved`, since only the linear term is kept.
static void finish_joint(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, struct joint_state *state,
                         const struct dc_urdf_pose *frame)
{
  struct dc_mjcf_joint *joint = &state->joint;
  double rotation[9], axis[3], pos[3], length = dc_vec_norm(joint->axis);
  double unit = reader->degrees && (joint->type == DC_MJCF_HINGE || joint->type == DC_MJCF_BALL) ? M_PI / 180 : 1;
  if (!(length > 1e-14) && joint->type >= DC_MJCF_SLIDE)
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "axis must not be zero");
  dc_rotation_matrix(rotation, frame->rotation);
  dc_vec_scale(axis, joint->axis, 1 / fmax(length, 1e-14));
  dc_mat_apply(joint->axis, rotation, axis);
  dc_mat_apply(pos, rotation, joint->pos);
  dc_vec_add(joint->pos, pos, frame->position);
  if (joint->type == DC_MJCF_FREE)
    memset(joint->pos, 0, sizeof joint->pos);
  joint->limited = is_limited(reader, state->limited, state->ranged) && joint->type != DC_MJCF_FREE &&
                   !reader->model->option.no_limit;
  for (int k = 0; k < 2; k++) {
    joint->range[k] *= unit;
    joint->stops[k] = joint->range[k] + (k ? -state->margin : state->margin);
  }
  joint->ref *= joint->type == DC_MJCF_HINGE ? unit : 1;
  joint->springref *= joint->type == DC_MJCF_HINGE ? unit : 1;
  if (is_limited(reader, state->force_limited, state->force_ranged) && joint->type >= DC_MJCF_SLIDE) {
    joint->force = fmax(fabs(state->force_range[0]), fabs(state->force_range[1]));
    memcpy(joint->forces, state->force_range, sizeof joint->forces);
  }
  if (joint->limited && joint->type >= DC_MJCF_SLIDE && !(joint->range[0] < joint->range[1]))
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "range must be two numbers, the lower one first");
  joint->crowded = joint->limited && joint->type >= DC_MJCF_SLIDE && !(joint->stops[0] < joint->stops[1]);
  if (joint->crowded)
    memcpy(joint->stops, joint->range, sizeof joint->stops);
  joint->stiffness = state->stiffness[0];
  joint->damping = state->damping[0];
  joint->curved[0] = state->stiffness[1] != 0 || state->stiffness[2] != 0;
  joint->curved[1] = state->damping[1] != 0 || state->damping[2] != 0;
  if (joint->stiffness < 0 || joint->damping < 0 || joint->armature < 0 || joint->frictionloss < 0)
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "stiffness, damping, armature and frictionloss must not be negative");
}

// Appends a joint to the body at place; free: a <freejoint>, which no defaults touch.  Joints of MJCF stand in
// order from the parent's side outwards, and their first entries in keyframes are counted on the way.
// qpos and dof: where its coordinates begin in a keyframe's row (7, 4, 1, 1 of them) and its velocities (6, 3, 1, 1).
// A free joint stands alone on a body of the world, and the world has none.
static void add_joint(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const struct place *place,
                      bool free)
{
  static const int nq[] = {7, 4, 1, 1}, nv[] = {6, 3, 1, 1};
  struct dc_mjcf *model = reader->model;
  struct dc_mjcf_body *body = &model->bodies[place->body];
  struct joint_state state = {.joint = {.node = node,
                                        .body = place->body,
                                        .type = free ? DC_MJCF_FREE : DC_MJCF_HINGE,
                                        .axis = {0, 0, 1},
                                        .force = INFINITY,
                                        .forces = {-INFINITY, INFINITY}},
                              .limited = 2,
                              .force_limited = 2};
  static const char *const aligns[] = {"false", "true", "auto", NULL};
  int align = 2;
  if (free)
    dc_mjcf_choose(reader, node, "align", aligns, &align);
  else
    dc_mjcf_apply_all(reader, node, place->childclass, NULL, apply_joint, &state);
  struct dc_mjcf_joint *joint = &state.joint;
  joint->aligned = joint->type == DC_MJCF_FREE && (align == 1 || (align == 2 && reader->align_free));
  joint->name = name_of(reader, node, place);
  if (place->body == 0)
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "the world has no joints");
  if (joint->type == DC_MJCF_FREE && (body->parent != 0 || body->joints > 0))
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "a free joint must stand alone, on a body of the world");
  if (body->joints > 0 && model->joints[body->first_joint].type == DC_MJCF_FREE)
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "a body with a free joint must have no other");
  finish_joint(reader, node, &state, &place->frame);
  joint->qpos = model->nq;
  joint->dof = model->nv;
  if (reader->status || !MAKE_ROOM(reader, node, model->joints, model->joint_count, model->room.joints))
    return;
  model->nq += nq[joint->type];
  model->nv += nv[joint->type];
  model->joints[model->joint_count++] = *joint;
  body->joints++;
}

// Bodies.

// <inertial>: the inertia, given about the centre of mass in axes of its own, is turned into the body's axes.
// Full inertias come in the order xx, yy, zz, xy, xz, yz, which is also the order here.
// With the rotation R of its pose the tensor is R I R^T. Moments are in kg m^2, the centre in m in the body's frame.
static void read_inertial(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const struct place *place)
{
  struct dc_mjcf_body *body = &reader->model->bodies[place->body];
  struct dc_urdf_pose pose = dc_urdf_identity;
  double moments[3], full[6], tensor[9] = {0}, rotation[9], half[9], turned[9];
  if (body->inertial)
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "its body has one already");
  dc_mjcf_pose(reader, node, &pose);
  dc_urdf_pose_compose(&pose, &place->frame, &pose);
  dc_mjcf_number(reader, node, "mass", &body->mass);
  if (body->mass < 0)
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "mass must not be negative");
  if (dc_mjcf_numbers(reader, node, "diaginertia", 3, 3, moments))
    for (int k = 0; k < 3; k++)
      tensor[4 * k] = moments[k];
  if (dc_mjcf_numbers(reader, node, "fullinertia", 6, 6, full)) {
    const double given[9] = {full[0], full[3], full[4], full[3], full[1], full[5], full[4], full[5], full[2]};
    memcpy(tensor, given, sizeof tensor);
  }
  dc_rotation_matrix(rotation, pose.rotation);
  dc_mat_multiply(half, rotation, tensor);
  dc_mat_multiply_transposed(turned, half, rotation);
  memcpy(body->inertia, (double[6]){turned[0], turned[4], turned[8], turned[1], turned[2], turned[5]},
         sizeof body->inertia);
  dc_vec_copy(body->center, pose.position);
  body->inertial = true;
}

// Sites.

// A site while defaults and attributes are applied. Two ends of a segment replace the pose, as those of geometries
// do.
struct site_state {
  struct dc_urdf_pose pose;
  double fromto[6];  // [0]: NAN without
};

// Sizes, types and colours of sites are for drawing only and are not read.
static void apply_site(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, void *target)
{
  struct site_state *state = target;
  dc_mjcf_pose(reader, node, &state->pose);
  dc_mjcf_numbers(reader, node, "fromto", 6, 6, state->fromto);
}

// A site with a name; nothing asks for others.
static void add_site(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const struct place *place)
{
  struct dc_mjcf *model = reader->model;
  struct site_state state = {.pose = dc_urdf_identity, .fromto = {NAN}};
  double along[3];
  dc_mjcf_apply_all(reader, node, place->childclass, NULL, apply_site, &state);
  const char *name = name_of(reader, node, place);
  if (!name || reader->status)
    return;
  if (!isnan(state.fromto[0])) {
    dc_vec_sub(along, state.fromto, state.fromto + 3);
    for (int k = 0; k < 3; k++)
      state.pose.position[k] = 0.5 * (state.fromto[k] + state.fromto[3 + k]);
    dc_mjcf_z_to(along, state.pose.rotation);
  }
  if (!MAKE_ROOM(reader, node, model->ties.sites, model->ties.site_count, model->room.sites))
    return;
  struct dc_mjcf_site *site = &model->ties.sites[model->ties.site_count++];
  *site = (struct dc_mjcf_site){.name = name, .body = place->body};
  dc_urdf_pose_compose(&site->pose, &place->frame, &state.pose);
}

static void walk(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *parent, const struct place *place);

// Appends a body, walks what it holds twice (see above), and finds in between to what it is fixed, which needs
// its joints and must be known to the bodies in it.
// Fields: weld is the body with joints that it is rigidly part of, above the one that that body hangs on. A class of
// the parent holds inside as well, unless the body names one of its own.
static void add_body(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const struct place *place)
{
  struct dc_mjcf *model = reader->model;
  struct place inside = {.depth = place->depth + 1,
                         .frame = dc_urdf_identity,
                         .childclass = dc_mjcf_text(reader, node, "childclass"),
                         .ending = place->ending};
  struct dc_mjcf_body body = {.node = node, .parent = place->body, .pose = dc_urdf_identity};
  int mocap = 0;
  if (!inside.childclass)
    inside.childclass = place->childclass;
  body.name = name_of(reader, node, place);
  dc_mjcf_pose(reader, node, &body.pose);
  dc_urdf_pose_compose(&body.pose, &place->frame, &body.pose);
  dc_mjcf_choose(reader, node, "mocap", limits, &mocap);
  body.mocap = mocap == 1;
  dc_mjcf_number(reader, node, "gravcomp", &body.buoyancy);
  body.first_joint = (int)model->joint_count;
  body.first_geom = (int)model->geom_count;
  if (reader->status || !MAKE_ROOM(reader, node, model->bodies, model->body_count, model->room.bodies))
    return;
  inside.body = body.number = (int)model->body_count;
  model->bodies[model->body_count++] = body;
  walk(reader, node, &inside);
  struct dc_mjcf_body *own = &model->bodies[inside.body];
  const struct dc_mjcf_body *above = &model->bodies[own->parent];
  own->still = own->joints == 0 && above->still;
  own->weld = own->group = own->joints ? inside.body : above->weld;
  own->above = own->joints ? above->group : above->above;
  inside.bodies = true;
  walk(reader, node, &inside);
}

// A <frame> is no body: its pose and class pass to what stands in it.
static void enter_frame(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const struct place *place)
{
  struct place inside = *place;
  struct dc_urdf_pose pose = dc_urdf_identity;
  const char *childclass = dc_mjcf_text(reader, node, "childclass");
  inside.depth++;
  inside.childclass = childclass ? childclass : place->childclass;
  dc_mjcf_pose(reader, node, &pose);
  dc_urdf_pose_compose(&inside.frame, &place->frame, &pose);
  walk(reader, node, &inside);
}

// Copy i is turned by i times the angles and stands where copy i - 1 has its offset, in the axes of that copy; its
// number, with as many digits as the last one has, ends the names.
// Angles are in the unit and the sequence of <compiler>. Names of copies in copies end with the inner number first.
static void repeat(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const struct place *place)
{
  int count = -1, digits = 1;
  double offset[3] = {0, 0, 0}, angles[3] = {0, 0, 0}, matrix[9], moved[3];
  const char *separator = dc_mjcf_text(reader, node, "sep"), *childclass = dc_mjcf_text(reader, node, "childclass");
  dc_mjcf_integer(reader, node, "count", &count);
  dc_mjcf_numbers(reader, node, "offset", 3, 3, offset);
  dc_mjcf_numbers(reader, node, "euler", 3, 3, angles);
  if (count < 0 || count > MOST_COPIES)
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "count must be 0 to %d", MOST_COPIES);
  struct dc_urdf_pose pose = dc_urdf_identity;
  for (int n = count; n > 10; n = (n + 9) / 10)
    digits++;
  for (int i = 0; i < count && !reader->status; i++) {
    struct place inside = *place;
    inside.depth++;
    if (++reader->walked > MOST_WALKED)
      dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "more than %d copies", MOST_WALKED);
    inside.childclass = childclass ? childclass : place->childclass;
    inside.ending = dc_arena_printf(reader->arena, "%s%0*d%s", separator ? separator : "", digits, i, place->ending);
    if (!inside.ending) {
      dc_mjcf_refuse(reader, node, DC_MEMORY, "out of memory");
      return;
    }
    dc_mjcf_euler(reader, (double[3]){i * angles[0], i * angles[1], i * angles[2]}, pose.rotation);
    dc_urdf_pose_compose(&inside.frame, &place->frame, &pose);
    walk(reader, node, &inside);
    dc_rotation_matrix(matrix, pose.rotation);
    dc_mat_apply(moved, matrix, offset);
    dc_vec_add(pose.position, pose.position, moved);
  }
}

// Visits the children of an element: bodies only in the second pass, everything else only in the first, frames
// and copies in both.  Every visit counts against one limit, since copies of copies multiply.
static void walk(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *parent, const struct place *place)
{
  if (place->depth > DC_MJCF_MOST_DEPTH) {
    dc_mjcf_refuse(reader, parent, DC_BAD_INPUT, "bodies stand too deep in each other");
    return;
  }
  for (const struct dc_mjcf_node *node = parent->first; node && !reader->status; node = node->next) {
    const struct dc_mjcf_known *known = dc_mjcf_find_known(node, "*");
    if (++reader->walked > MOST_WALKED)
      dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "more than %d elements with their copies", MOST_WALKED);
    if (strcmp(node->name, "body") == 0 && place->bodies)
      add_body(reader, node, place);
    else if (strcmp(node->name, "frame") == 0)
      enter_frame(reader, node, place);
    else if (strcmp(node->name, "replicate") == 0)
      repeat(reader, node, place);
    else if (place->bodies)
      continue;
    else if (strcmp(node->name, "geom") == 0)
      add_geom(reader, node, place);
    else if (strcmp(node->name, "site") == 0)
      add_site(reader, node, place);
    else if (strcmp(node->name, "joint") == 0)
      add_joint(reader, node, place, false);
    else if (strcmp(node->name, "freejoint") == 0)
      add_joint(reader, node, place, true);
    else if (strcmp(node->name, "inertial") == 0)
      read_inertial(reader, node, place);
    else if (known && known->role == DC_MJCF_ABSENT && strcmp(node->name, "plugin") != 0)
      dc_mjcf_name_it(reader, node);
  }
}

// All sections <worldbody> together are the world's content; the world itself is body 0, without a name.
void dc_mjcf_read_world(struct dc_mjcf_reader *reader)
{
  struct dc_mjcf *model = reader->model;
  struct place place = {.frame = dc_urdf_identity, .ending = ""};
  if (!MAKE_ROOM(reader, model->root, model->bodies, model->body_count, model->room.bodies))
    return;
  model->bodies[model->body_count++] =
      (struct dc_mjcf_body){.name = NULL, .node = model->root, .parent = -1, .pose = dc_urdf_identity, .still = true};
  for (int bodies = 0; bodies < 2; bodies++)
    for (const struct dc_mjcf_node *section = model->root->first; section && !reader->status; section = section->next)
      if (strcmp(section->name, "worldbody") == 0) {
        place.bodies = bodies;
        place.childclass = dc_mjcf_text(reader, section, "childclass");
        walk(reader, section, &place);
      }
}
