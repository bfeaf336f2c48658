// SPDX-License-Identifier: Apache-2.0
// URDF text to struct dc_urdf, by expat's events.
//
// Elements that are known lie on a stack of kinds, and classify() calls the reader that belongs to the kind around.
// A link, joint or geometry that is being read is the last one of its list.  Names of links, joints and materials are
// resolved only at the end, since files use them before they define them.  Unknown elements are skipped with
// everything in them, and told once for each kind.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/scene/scene_format.h"
#include "io/robot/attribute_table.h"
#include "io/robot/urdf_parser.h"
#include "math/vector.h"

// Details that may stand once in their parent; an index into seen's bits.
enum detail { ORIGIN, MASS, INERTIA, AXIS, PARENT, CHILD, LIMIT, MIMIC, DYNAMICS, COLOR, INNER, LOOKS, INERTIALS };

// Marks a detail of the element that is being read; a second one is refused.
static void once(struct dc_urdf_parser *parser, const XML_Char *element, enum detail detail)
{
  unsigned *seen = &parser->seen[parser->depth - 1], bit = 1u << detail;
  if (*seen & bit)
    dc_urdf_refuse(parser, dc_urdf_offset_now(parser), DC_BAD_INPUT, "<%.40s>: stands here twice", element);
  *seen |= bit;
}

// The name of a link or joint, which the place of all messages about it refers to.
static const char *read_item(struct dc_urdf_parser *parser, const char *element, const XML_Char **attributes)
{
  char quoted[DC_JSON_QUOTED];
  const char *name = dc_urdf_copy(parser, dc_urdf_required(parser, element, attributes, "name"));
  char *plain = name ? dc_arena_strdup(parser->urdf->arena, name) : NULL;
  for (char *slash = plain; slash && (slash = strchr(slash, '/'));)
    *slash = '_';  // a name of a body will have none
  if (plain && !dc_is_name(plain))
    dc_urdf_refuse(parser, dc_urdf_offset_now(parser), DC_BAD_INPUT, "<%s>: name " DC_NAME_RULE " (is %s)", element,
                   dc_json_quote(quoted, name));
  parser->item = element;
  parser->item_name = name;
  return name;
}

static void refuse_count(struct dc_urdf_parser *parser, const char *what, int most)
{
  dc_urdf_refuse(parser, dc_urdf_offset_now(parser), DC_BAD_INPUT, "more than %d %s", most, what);
}

// A link opens its range of geometries: those that follow until the next link are its own.
static void begin_link(struct dc_urdf_parser *parser, const XML_Char **attributes)
{
  struct dc_urdf *urdf = parser->urdf;
  if (urdf->link_count == DC_URDF_MOST_LINKS) {
    refuse_count(parser, "links", DC_URDF_MOST_LINKS);
    return;
  }
  if (dc_grow(&urdf->links, &urdf->link_capacity, urdf->link_count + 1, sizeof *urdf->links)) {
    dc_urdf_out_of_memory(parser);
    return;
  }
  struct dc_urdf_link link = dc_urdf_new_link(read_item(parser, "link", attributes), dc_urdf_offset_now(parser));
  link.first_geometry = (int)urdf->geometry_count;
  urdf->links[urdf->link_count++] = link;
}

static const char *const joint_types[] = {"revolute", "continuous", "prismatic", "fixed", "floating", "planar", NULL};

// The type's index in the list is its enum.
static void begin_joint(struct dc_urdf_parser *parser, const XML_Char **attributes)
{
  struct dc_urdf *urdf = parser->urdf;
  char quoted[DC_JSON_QUOTED];
  if (urdf->joint_count == DC_URDF_MOST_LINKS) {
    refuse_count(parser, "joints", DC_URDF_MOST_LINKS);
    return;
  }
  if (dc_grow(&urdf->joints, &urdf->joint_capacity, urdf->joint_count + 1, sizeof *urdf->joints)) {
    dc_urdf_out_of_memory(parser);
    return;
  }
  struct dc_urdf_joint *joint = &urdf->joints[urdf->joint_count++];
  *joint = dc_urdf_new_joint(read_item(parser, "joint", attributes), dc_urdf_offset_now(parser));
  const char *type = dc_urdf_required(parser, "joint", attributes, "type");
  int index = 0;
  while (type && joint_types[index] && strcmp(joint_types[index], type) != 0)
    index++;
  if (type && !joint_types[index])
    dc_urdf_refuse(parser, joint->offset, DC_BAD_INPUT,
                   "type must be revolute, continuous, prismatic, fixed, floating or planar (is %s)",
                   dc_json_quote(quoted, type));
  joint->type = (enum dc_urdf_joint_type)index;
}

// A collision or visual geometry of the last link. Its surface, place and colour come with the elements inside of it.
static void begin_geometry(struct dc_urdf_parser *parser, bool visual)
{
  struct dc_urdf *urdf = parser->urdf;
  if (urdf->geometry_count == DC_URDF_MOST_SHAPES) {
    refuse_count(parser, "<collision> and <visual>", DC_URDF_MOST_SHAPES);
    return;
  }
  if (dc_grow(&urdf->geometries, &urdf->geometry_capacity, urdf->geometry_count + 1, sizeof *urdf->geometries)) {
    dc_urdf_out_of_memory(parser);
    return;
  }
  urdf->geometries[urdf->geometry_count++] = (struct dc_urdf_geometry){
      .offset = dc_urdf_offset_now(parser), .visual = visual, .origin = dc_urdf_identity, .scale = {1, 1, 1}};
  urdf->links[urdf->link_count - 1].geometries++;
  parser->colored = false;
  parser->look = (struct material){0};
}

// Lengths of a surface.  One of zero leaves nothing of it, which is how some files say that a link has no geometry.
static void check_lengths(struct dc_urdf_parser *parser, const char *element, const char *name, int count,
                          const double *numbers)
{
  struct dc_urdf_geometry *geometry = &parser->urdf->geometries[parser->urdf->geometry_count - 1];
  for (int i = 0; i < count; i++) {
    geometry->empty |= numbers[i] == 0;
    if (!(numbers[i] >= 0)) {
      dc_urdf_refuse(parser, dc_urdf_offset_now(parser), DC_BAD_INPUT, "<%s>: %s must be >= 0 (is %.10g)", element,
                     name, numbers[i]);
      return;
    }
  }
}

// scale: three numbers, or one for all axes.  Negative ones mirror the mesh.
static void read_mesh(struct dc_urdf_parser *parser, const XML_Char **attributes, struct dc_urdf_geometry *geometry)
{
  geometry->type = DC_URDF_MESH;
  geometry->file = dc_urdf_copy(parser, dc_urdf_required(parser, "mesh", attributes, "filename"));
  const char *scale = dc_urdf_attribute(parser, "mesh", attributes, "scale");
  char *end = NULL;
  bool alike = scale && (strtod(scale, &end), end != scale) && end[strspn(end, " \t\r\n")] == '\0';
  dc_urdf_read_numbers(parser, "mesh", attributes, "scale", alike ? 1 : 3, geometry->scale);
  if (alike)  // one number for all axes
    geometry->scale[1] = geometry->scale[2] = geometry->scale[0];
  for (int i = 0; i < 3; i++)
    if (geometry->scale[i] == 0)
      dc_urdf_refuse_here(parser, "<mesh>: scale must not be zero");
}

// The radii of an ellipsoid.
static void read_ellipsoid(struct dc_urdf_parser *parser, const XML_Char *name, const XML_Char **attributes,
                           struct dc_urdf_geometry *geometry)
{
  geometry->type = DC_URDF_ELLIPSOID;
  for (int k = 0; k < 3; k++)
    dc_urdf_require_number(parser, name, attributes, (const char *[]){"a", "b", "c"}[k], &geometry->size[k]);
  check_lengths(parser, name, "radii", 3, geometry->size);
}

// The shape in a <geometry>. Capsules and Drake's ellipsoids are no part of URDF, but of some readers' dialects;
// lengths are in metres, radii too, and both are positive.
static void read_surface(struct dc_urdf_parser *parser, const XML_Char *name, const XML_Char **attributes)
{
  struct dc_urdf_geometry *geometry = &parser->urdf->geometries[parser->urdf->geometry_count - 1];
  const XML_Char *plain = strcmp(name, "drake:capsule") == 0 ? "capsule" : name;
  bool long_one = strcmp(plain, "cylinder") == 0 || strcmp(plain, "capsule") == 0;
  if (strcmp(name, "mesh") == 0) {
    read_mesh(parser, attributes, geometry);
  } else if (strcmp(name, "box") == 0) {
    geometry->type = DC_URDF_BOX;
    if (dc_urdf_required(parser, "box", attributes, "size"))
      dc_urdf_read_numbers(parser, "box", attributes, "size", 3, geometry->size);
    check_lengths(parser, "box", "size", 3, geometry->size);
  } else if (strcmp(name, "drake:ellipsoid") == 0) {
    read_ellipsoid(parser, name, attributes, geometry);
  } else if (long_one || strcmp(name, "sphere") == 0) {
    geometry->type = !long_one ? DC_URDF_SPHERE : plain[1] == 'y' ? DC_URDF_CYLINDER : DC_URDF_CAPSULE;
    dc_urdf_require_number(parser, name, attributes, "radius", &geometry->radius);
    check_lengths(parser, name, "radius", 1, &geometry->radius);
    if (long_one) {
      dc_urdf_require_number(parser, name, attributes, "length", &geometry->length);
      check_lengths(parser, name, "length", 1, &geometry->length);
    }
  } else {
    dc_urdf_refuse(parser, dc_urdf_offset_now(parser), DC_BAD_INPUT,
                   "<geometry>: must hold a box, cylinder, capsule, drake:ellipsoid, sphere or mesh (holds <%.40s>)",
                   name);
  }
}

// All six are required, kg m^2: about the centre of mass, in axes of the inertial frame.
static void read_inertia(struct dc_urdf_parser *parser, const XML_Char **attributes, struct dc_urdf_link *link)
{
  static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  for (int i = 0; i < 6; i++)
    dc_urdf_require_number(parser, "inertia", attributes, names[i], &link->inertia[i]);
}

// A limit; what is beyond most, "inf" too, is none and becomes infinite.
static void read_bound(struct dc_urdf_parser *parser, const XML_Char **attributes, const char *name, double most,
                       double *bound)
{
  const char *text = dc_urdf_attribute(parser, "limit", attributes, name);
  char *end = NULL;
  double number = text ? strtod(text, &end) : 0;
  if (text && end != text && end[strspn(end, " \t\r\n")] == '\0' && fabs(number) > most)
    *bound = copysign(INFINITY, number);
  else
    dc_urdf_read_numbers(parser, "limit", attributes, name, 1, bound);
}

// <limit>.  A range counts as given if one of its ends is; the other is 0 then, by the format.
static void read_limit(struct dc_urdf_parser *parser, const XML_Char **attributes, struct dc_urdf_joint *joint)
{
  double lower = 0, upper = 0;
  bool ranged = dc_urdf_attribute(parser, "limit", attributes, "lower") ||
                dc_urdf_attribute(parser, "limit", attributes, "upper");
  read_bound(parser, attributes, "lower", DC_URDF_MOST_NUMBER, &lower);
  read_bound(parser, attributes, "upper", DC_URDF_MOST_NUMBER, &upper);
  read_bound(parser, attributes, "effort", DC_URDF_MOST_NUMBER, &joint->effort);
  read_bound(parser, attributes, "velocity", DC_URDF_MOST_NUMBER, &joint->velocity);
  dc_urdf_set_range(joint, lower, upper);
  joint->unbounded = !ranged;
}

// Damping in N s/m or N m s/rad and dry friction in N or N m; below zero they would drive the joint.
static void read_dynamics(struct dc_urdf_parser *parser, const XML_Char **attributes, struct dc_urdf_joint *joint)
{
  dc_urdf_read_numbers(parser, "dynamics", attributes, "damping", 1, &joint->damping);
  dc_urdf_read_numbers(parser, "dynamics", attributes, "friction", 1, &joint->friction);
  bool damps = joint->damping >= 0;
  if (!damps || !(joint->friction >= 0))
    dc_urdf_refuse(parser, dc_urdf_offset_now(parser), DC_BAD_INPUT, "<dynamics>: %s must be >= 0 (is %.10g)",
                   damps ? "friction" : "damping", damps ? joint->friction : joint->damping);
}

// q = multiplier q_leader + offset.
static void read_mimic(struct dc_urdf_parser *parser, const XML_Char **attributes, struct dc_urdf_joint *joint)
{
  joint->mimic_name = dc_urdf_copy(parser, dc_urdf_required(parser, "mimic", attributes, "joint"));
  dc_urdf_read_numbers(parser, "mimic", attributes, "multiplier", 1, &joint->multiplier);
  dc_urdf_read_numbers(parser, "mimic", attributes, "offset", 1, &joint->shift);
}

static void read_color(struct dc_urdf_parser *parser, const XML_Char **attributes)
{
  double rgba[4] = {0, 0, 0, 1};
  if (dc_urdf_required(parser, "color", attributes, "rgba"))
    dc_urdf_read_numbers(parser, "color", attributes, "rgba", 4, rgba);
  for (int i = 0; i < 4; i++)
    if (rgba[i] < 0 || rgba[i] > 1)
      dc_urdf_refuse(parser, dc_urdf_offset_now(parser), DC_BAD_INPUT, "<color>: rgba must be from 0 to 1 (is %.10g)",
                     rgba[i]);
  dc_vec_copy(parser->look.rgb, rgba);
  parser->colored = true;
}

// An element inside a link: what it is, and what it says.
static enum element in_inertial(struct dc_urdf_parser *parser, const XML_Char *name, const XML_Char **attributes)
{
  struct dc_urdf_link *link = &parser->urdf->links[parser->urdf->link_count - 1];
  if (strcmp(name, "origin") == 0) {
    once(parser, name, ORIGIN);
    dc_urdf_read_origin(parser, attributes, &link->inertial);
  } else if (strcmp(name, "mass") == 0) {
    once(parser, name, MASS);
    dc_urdf_require_number(parser, name, attributes, "value", &link->mass);
    if (link->mass < 0)
      dc_urdf_refuse(parser, dc_urdf_offset_now(parser), DC_BAD_INPUT, "<mass>: value must be >= 0 kg (is %.10g)",
                     link->mass);
  } else if (strcmp(name, "inertia") == 0) {
    once(parser, name, INERTIA);
    read_inertia(parser, attributes, link);
  } else {
    return ELEMENTS;
  }
  return DETAIL;
}

// Elements of <collision> and <visual>.  A material may be defined here, named here, or both; names are
// resolved at the end, because robots also define them behind their use.
static enum element in_geometry_of_link(struct dc_urdf_parser *parser, enum element parent, const XML_Char *name,
                                        const XML_Char **attributes)
{
  struct dc_urdf_geometry *geometry = &parser->urdf->geometries[parser->urdf->geometry_count - 1];
  if (strcmp(name, "origin") == 0) {
    once(parser, name, ORIGIN);
    dc_urdf_read_origin(parser, attributes, &geometry->origin);
    return DETAIL;
  }
  if (strcmp(name, "geometry") == 0) {
    once(parser, name, INNER);
    return GEOMETRY;
  }
  if (parent == VISUAL && strcmp(name, "material") == 0) {
    once(parser, name, LOOKS);
    geometry->material = dc_urdf_copy(parser, dc_urdf_attribute(parser, name, attributes, "name"));
    parser->look.name = geometry->material;
    return LOOK;
  }
  return ELEMENTS;
}

// Elements of <joint>, each once at most.
static enum element in_joint(struct dc_urdf_parser *parser, const XML_Char *name, const XML_Char **attributes)
{
  enum { COUNT = 7 };
  static const char *const names[] = {"origin", "axis", "parent", "child", "limit", "mimic", "dynamics"};
  static const enum detail details[] = {ORIGIN, AXIS, PARENT, CHILD, LIMIT, MIMIC, DYNAMICS};
  struct dc_urdf_joint *joint = &parser->urdf->joints[parser->urdf->joint_count - 1];
  int i = 0;
  while (i < COUNT && strcmp(names[i], name) != 0)
    i++;
  if (i == COUNT)
    return ELEMENTS;
  once(parser, name, details[i]);
  switch (details[i]) {
  case ORIGIN: dc_urdf_read_origin(parser, attributes, &joint->origin); break;
  case AXIS:
    if (dc_urdf_required(parser, name, attributes, "xyz"))
      dc_urdf_read_numbers(parser, name, attributes, "xyz", 3, joint->axis);
    break;
  case PARENT: joint->parent_name = dc_urdf_copy(parser, dc_urdf_required(parser, name, attributes, "link")); break;
  case CHILD: joint->child_name = dc_urdf_copy(parser, dc_urdf_required(parser, name, attributes, "link")); break;
  case LIMIT: read_limit(parser, attributes, joint); break;
  case DYNAMICS: read_dynamics(parser, attributes, joint); break;
  default: read_mimic(parser, attributes, joint); break;
  }
  return DETAIL;
}

// A link has one <inertial> at most, and any number of collisions and visuals.
static enum element in_link(struct dc_urdf_parser *parser, const XML_Char *name)
{
  if (strcmp(name, "inertial") == 0) {
    once(parser, name, INERTIALS);
    return INERTIAL;
  }
  bool visual = strcmp(name, "visual") == 0;
  if (!visual && strcmp(name, "collision") != 0)
    return ELEMENTS;
  begin_geometry(parser, visual);
  return visual ? VISUAL : COLLISION;
}

// A <material> here belongs to no visual: it defines a colour that visuals name.
static enum element in_robot(struct dc_urdf_parser *parser, const XML_Char *name, const XML_Char **attributes)
{
  if (strcmp(name, "link") == 0) {
    begin_link(parser, attributes);
    return LINK;
  }
  if (strcmp(name, "joint") == 0) {
    begin_joint(parser, attributes);
    return JOINT;
  }
  if (strcmp(name, "transmission") == 0) {
    dc_urdf_begin_transmission(parser);
    return TRANSMISSION;
  }
  if (strcmp(name, "mujoco") == 0)
    return MUJOCO;
  if (strcmp(name, "material") != 0)
    return ELEMENTS;
  if (++parser->robot_materials > DC_URDF_MOST_LINKS)
    refuse_count(parser, "materials", DC_URDF_MOST_LINKS);
  parser->colored = false;
  parser->look = (struct material){.name = dc_urdf_copy(parser, dc_urdf_attribute(parser, name, attributes, "name"))};
  return MATERIAL;
}

// Sections that MuJoCo reads in a URDF file.
static enum element in_mujoco(const XML_Char *name)
{
  static const char *const names[] = {"compiler", "option", "size", "flag"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(names[i], name) == 0)
      return MUJOCO;
  return ELEMENTS;
}

// The kind of an element that begins inside parent; ELEMENTS: one to skip.
static enum element classify(struct dc_urdf_parser *parser, enum element parent, const XML_Char *name,
                             const XML_Char **attributes)
{
  switch (parent) {
  case DOCUMENT:
    if (strcmp(name, "robot") != 0)
      dc_urdf_refuse(parser, dc_urdf_offset_now(parser), DC_BAD_INPUT, "must be a <robot> (is <%.40s>)", name);
    return ROBOT;
  case ROBOT: return in_robot(parser, name, attributes);
  case LINK: return in_link(parser, name);
  case JOINT: return in_joint(parser, name, attributes);
  case TRANSMISSION: return dc_urdf_in_transmission(parser, name, attributes);
  case MUJOCO: return in_mujoco(name);
  case ACTUATOR:
    if (strcmp(name, "drake:rotor_inertia") != 0 && strcmp(name, "drake:gear_ratio") != 0)
      return ELEMENTS;
    dc_urdf_read_actuator(parser, name, attributes);
    return DETAIL;
  case INERTIAL: return in_inertial(parser, name, attributes);
  case VISUAL:
  case COLLISION: return in_geometry_of_link(parser, parent, name, attributes);
  case GEOMETRY:
    if (strcmp(name, "drake:declare_convex") == 0)  // beside its mesh in some files
      return ELEMENTS;
    once(parser, name, INNER);
    read_surface(parser, name, attributes);
    return SURFACE;
  case MATERIAL:
  case LOOK:
    if (strcmp(name, "color") != 0)
      return ELEMENTS;
    once(parser, name, COLOR);
    read_color(parser, attributes);
    return DETAIL;
  default: return ELEMENTS;
  }
}

// Unknown elements are skipped with everything in them, by a counter.  For known ones four stacks say, by
// depth, the kind, the name, the place, and which details have been seen.
static void XMLCALL start_element(void *context, const XML_Char *name, const XML_Char **attributes)
{
  struct dc_urdf_parser *parser = context;
  if (parser->status)
    return;
  if (strncmp(name, "xacro:", 6) == 0) {
    dc_urdf_refuse(parser, dc_urdf_offset_now(parser), DC_BAD_INPUT,
                   "<%.40s>: this is a xacro file; run xacro on it first", name);
    return;
  }
  if (parser->depth + parser->skipped == DC_URDF_MOST_DEPTH) {
    dc_urdf_refuse(parser, dc_urdf_offset_now(parser), DC_BAD_INPUT, "elements nested deeper than %d levels",
                   DC_URDF_MOST_DEPTH);
    return;
  }
  enum element parent = parser->depth ? parser->stack[parser->depth - 1] : DOCUMENT;
  enum element element = parser->skipped ? ELEMENTS : classify(parser, parent, name, attributes);
  if (element == ELEMENTS) {
    if (parser->skipped == 0) {
      parser->gazebo = strcmp(name, "gazebo") == 0;
      dc_urdf_remember_unread(parser, parser->depth ? parser->path[parser->depth - 1] : "", name);
    } else if (parser->skipped == 1 && parser->gazebo) {
      dc_urdf_remember_unread(parser, "gazebo", name);
    }
    parser->skipped++;
    return;
  }
  parser->path[parser->depth] = dc_urdf_copy(parser, name);
  parser->stack[parser->depth] = element;
  dc_urdf_check_attributes(parser, parser->path[parser->depth], attributes);
  parser->offsets[parser->depth] = dc_urdf_offset_now(parser);
  parser->seen[parser->depth++] = 0;
}

// Checks that need all of a joint: its ends, its axis, and its range.
static void end_joint(struct dc_urdf_parser *parser, size_t offset)
{
  struct dc_urdf_joint *joint = &parser->urdf->joints[parser->urdf->joint_count - 1];
  bool turns = joint->type == DC_URDF_REVOLUTE, slides = joint->type == DC_URDF_PRISMATIC;
  double norm = dc_vec_norm(joint->axis);
  if (!joint->parent_name || !joint->child_name)
    dc_urdf_refuse(parser, offset, DC_BAD_INPUT, "missing <%s>", joint->parent_name ? "child" : "parent");
  if (joint->type != DC_URDF_FIXED && joint->type != DC_URDF_FLOATING && !(norm > 0))
    dc_urdf_refuse(parser, offset, DC_BAD_INPUT, "<axis>: xyz must not be zero");
  if (norm > 0)
    dc_vec_scale(joint->axis, joint->axis, 1 / norm);
  // By the letter both ends are zero.  A hinge without them was meant to turn; a slide of Drake's files was meant to
  // slide where it has no <limit> at all.
  bool limits = parser->seen[parser->depth] & 1u << LIMIT;
  joint->unbounded = (turns || slides) && (joint->unbounded || !limits);
  if (joint->unbounded && (turns || !limits)) {
    joint->limited = false;
    joint->boundless = true;
  }
  joint->limited &= (turns || slides) && !joint->boundless;
  if (joint->limited && joint->lower > joint->upper)
    dc_urdf_refuse(parser, offset, DC_BAD_INPUT, "<limit>: lower must be <= upper (%.10g > %.10g)", joint->lower,
                   joint->upper);
}

// Keeps a named colour for visuals that refer to it.
static void end_material(struct dc_urdf_parser *parser)
{
  if (!parser->colored || !parser->look.name)
    return;
  if (dc_grow(&parser->materials, &parser->material_capacity, parser->material_count + 1, sizeof *parser->materials))
    dc_urdf_out_of_memory(parser);
  else
    parser->materials[parser->material_count++] = parser->look;
}

// A colour inside a visual is that of the visual; with a name it also defines the material for other visuals.
static void end_look(struct dc_urdf_parser *parser)
{
  struct dc_urdf_geometry *geometry = &parser->urdf->geometries[parser->urdf->geometry_count - 1];
  if (parser->colored)
    dc_vec_copy(geometry->rgb, parser->look.rgb);
  geometry->colored = parser->colored;
  end_material(parser);
}

// Forgets a geometry without extent, so that a link with nothing else is a frame; nothing: a visual that shows nothing.
static void end_geometry(struct dc_urdf_parser *parser, bool nothing)
{
  struct dc_urdf *urdf = parser->urdf;
  struct dc_urdf_link *link = &urdf->links[urdf->link_count - 1];
  if (!urdf->geometries[urdf->geometry_count - 1].empty && !nothing)
    return;
  link->emptied |= !nothing;
  urdf->geometry_count--;
  link->geometries--;
}

// Closes an element: finishes what it was, and refuses it if a part that it must have is missing.
static void XMLCALL end_element(void *context, const XML_Char *name)
{
  struct dc_urdf_parser *parser = context;
  (void)name;
  if (parser->status)
    return;
  if (parser->skipped) {
    parser->skipped--;
    return;
  }
  enum element element = parser->stack[--parser->depth];
  size_t offset = parser->offsets[parser->depth];
  unsigned seen = parser->seen[parser->depth];
  if (element == JOINT)
    end_joint(parser, offset);
  if (element == TRANSMISSION)
    dc_urdf_end_transmission(parser);
  if (element == MATERIAL)
    end_material(parser);
  if (element == LOOK)
    end_look(parser);
  if (element == INERTIAL && (~seen & (1u << MASS | 1u << INERTIA)))
    dc_urdf_refuse(parser, offset, DC_BAD_INPUT, "<inertial>: missing <%s>", seen & 1u << MASS ? "inertia" : "mass");
  if (element == COLLISION && !(seen & 1u << INNER))
    dc_urdf_refuse(parser, offset, DC_BAD_INPUT, "<collision>: missing <geometry>");
  if ((element == VISUAL || element == COLLISION) && !parser->status)
    end_geometry(parser, !(seen & 1u << INNER));
  if (element == GEOMETRY && !(seen & 1u << INNER))
    dc_urdf_refuse(parser, offset, DC_BAD_INPUT, "<geometry>: is empty");
  if (element == LINK || element == JOINT)
    parser->item = parser->item_name = NULL;
}

// Entities live in document types only: without these nothing expands and nothing outside is read.
static void XMLCALL start_doctype(void *context, const XML_Char *name, const XML_Char *system, const XML_Char *public,
                                  int internal)
{
  (void)name, (void)system, (void)public, (void)internal;
  dc_urdf_refuse_here(context, "DOCTYPE is not allowed");
}

static int compare_materials(const void *a, const void *b)
{
  const struct material *first = a, *second = b;
  return strcmp(first->name, second->name);
}

// Visuals that only name their material get its color; of several with one name, any.
static void color_visuals(struct dc_urdf_parser *parser)
{
  struct dc_urdf *urdf = parser->urdf;
  if (!parser->material_count)
    return;
  qsort(parser->materials, parser->material_count, sizeof *parser->materials, compare_materials);
  for (size_t i = 0; i < urdf->geometry_count; i++) {
    struct dc_urdf_geometry *geometry = &urdf->geometries[i];
    struct material wanted = {.name = geometry->material};
    if (geometry->colored || !wanted.name)
      continue;
    const struct material *found =
        bsearch(&wanted, parser->materials, parser->material_count, sizeof *parser->materials, compare_materials);
    if (found) {
      dc_vec_copy(geometry->rgb, found->rgb);
      geometry->colored = true;
    }
  }
}

// Expat takes lengths as int; texts are at most 64 MB.
static void run(struct dc_urdf_parser *parser)
{
  struct dc_urdf *urdf = parser->urdf;
  XML_SetUserData(parser->expat, parser);
  XML_SetElementHandler(parser->expat, start_element, end_element);
  XML_SetStartDoctypeDeclHandler(parser->expat, start_doctype);
  parser->begin = strspn(urdf->text, " \t\r\n");  // XML allows none before its declaration, other readers do
  if (XML_Parse(parser->expat, urdf->text + parser->begin, (int)(urdf->length - parser->begin), XML_TRUE) ==
          XML_STATUS_OK ||
      parser->status)
    return;
  enum XML_Error code = XML_GetErrorCode(parser->expat);
  enum dc_status status = code == XML_ERROR_NO_MEMORY ? DC_MEMORY : DC_BAD_INPUT;
  parser->item = NULL;
  dc_urdf_refuse(parser, dc_urdf_offset_now(parser), status, "not well-formed XML in UTF-8: %s", XML_ErrorString(code));
}

// Reads a text into urdf, whose lists the caller releases even after a failure.  Links are joined to a tree
// later, by dc_urdf_connect().
enum dc_status dc_urdf_parse(struct dc_urdf *urdf, const char *name, const char *text, size_t length,
                             struct dc_arena *arena, struct dc_error *error)
{
  *urdf = (struct dc_urdf){.name = name, .text = text, .length = length, .arena = arena};
  struct dc_urdf_parser parser = {.urdf = urdf, .error = error};
  parser.expat = XML_ParserCreate("UTF-8");
  if (!parser.expat)
    return dc_out_of_memory_in(error, name);
  run(&parser);
  if (!parser.status) {
    color_visuals(&parser);
    dc_urdf_apply_transmissions(&parser);
  }
  XML_ParserFree(parser.expat);
  free(parser.materials);
  free(parser.driven);
  return parser.status;
}
