// SPDX-License-Identifier: Apache-2.0
// Options of a soft body, and rules that involve several of them.
#include "body/body_build.h"
#include "geometry/mesh/tetrahedra.h"
#include "math/vector.h"

static const char *const type_choices[] = {"solid", "cloth", "rod", NULL};
static const char *const form_choices[] = {"block", "sphere", "beam", NULL};
static const char *const element_choices[] = {"linear", "quadratic", NULL};
static const char *const friction_choices[] = {"smooth", "fischer_burmeister", NULL};
enum { MOST_PINS = 1000 };

static const struct dc_option pin_options[] = {
    DC_VECTOR_OPTION(struct dc_pin_definition, low, "m", NULL, 1e6,
                     "lowest corner of a box in the frame of the mesh: nodes in it are held where they start"),
    DC_VECTOR_OPTION(struct dc_pin_definition, high, "m", NULL, 1e6, "highest corner of the box"),
    DC_POSITIVE_OPTION(struct dc_pin_definition, stiffness, "N/m", "1e6", 1e12,
                       "stiffness of the spring that holds each of the nodes"),
    DC_BODY_OPTION(struct dc_pin_definition, body, "null",
                   "rigid body that holds the nodes and feels their forces; default: the parent, or the world"),
    DC_OPTIONS_END,
};

const struct dc_option dc_soft_options[] = {
    DC_CHOICE_OPTION(struct dc_soft_definition, type, "\"solid\"", type_choices,
                     "solid (tetrahedra), cloth (triangles, in the plane of x and y) or rod (segments, along x)"),
    DC_CHOICE_OPTION(struct dc_soft_definition, form, "\"block\"", form_choices,
                     "form of a solid's mesh: block, sphere (an ellipsoid) or beam (a block along x that tapers)"),
    DC_CHOICE_OPTION(struct dc_soft_definition, element, "\"linear\"", element_choices,
                     "shape functions of the tetrahedra of a solid: linear, which bend too stiffly where they are few "
                     "over the thickness (check tells by how much), or quadratic, with a node in the middle of every "
                     "edge"),
    DC_STRING_OPTION(struct dc_soft_definition, file, "null",
                     "mesh file instead of a form: tetrahedra of Gmsh (.msh, versions 2 and 4.1) or VTK (.vtk, legacy, "
                     ".vtu or .pvtu); of "
                     "cloth triangles of these, of OBJ or STL"),
    DC_POSITIVE_OPTION(struct dc_soft_definition, scale, "", "1", 1e9, "metres of a unit of the file"),
    {.name = "size",
     .type = DC_REAL_LIST,
     .unit = "m",
     .fallback = "[]",
     .minimum = 0,
     .maximum = 1e4,
     .minimum_excluded = true,
     .count = 3,
     .help = "edges or diameters along x, y and z; of cloth along x and y; of a rod its length",
     .offset = offsetof(struct dc_soft_definition, size)},
    DC_REAL_LIST_OPTION(
        struct dc_soft_definition, cells, "", "[]", 3, 1, 1000,
        "whole numbers of cells along x, y and z, each cut into six tetrahedra; of cloth along x and y, each cut into "
        "two triangles; of segments of a rod; 4 each when empty"),
    DC_REAL_OPTION(struct dc_soft_definition, taper, "", "1", 1e-3, 1e3,
                   "height and width of a beam at its upper end, over those at the lower one"),
    DC_POSITIVE_OPTION(struct dc_soft_definition, thickness, "m", "1e-3", 1e3,
                       "thickness of cloth or diameter of a rod, for mass and stiffness (contact acts at its middle)"),
    DC_REAL_OPTION(
        struct dc_soft_definition, bending, "N m or N m^2", "null", 0, 1e12,
        "bending stiffness: of cloth per width, default young thickness^3/(12 (1 - poisson^2)); of a rod, default "
        "young pi thickness^4/64"),
    DC_CHOICE_OPTION(
        struct dc_soft_definition, material, "\"neo_hookean\"", dc_material_names,
        "arap (as rigid as possible; no Poisson effect), corotated (linear beside turns) or neo_hookean (its "
        "elements never invert; a run ends where one of a solid of the others does)"),
    DC_POSITIVE_OPTION(struct dc_soft_definition, young, "Pa", NULL, 1e13, "Young's modulus"),
    DC_REAL_OPTION(struct dc_soft_definition, poisson, "", "0.3", -0.99, 0.4999,
                   "Poisson's ratio, below 1/2: the limit of no change of volume is not in this model"),
    DC_REAL_OPTION(struct dc_soft_definition, viscosity, "Pa s", "0", 0, 1e12,
                   "resistance to the rate of Green's strain"),
    DC_REAL_OPTION(struct dc_soft_definition, drag, "Pa s/m", "0", 0, 1e9,
                   "resistance of the air against the motion of its surface along the normal, relative to the wind"),
    DC_REAL_OPTION(struct dc_soft_definition, pressure, "Pa", "0", -1e9, 1e9,
                   "on its surface, outwards; of cloth along the normal of its triangles, z where it starts"),
    DC_REAL_OPTION(
        struct dc_soft_definition, barrier, "m", "1e-5", 1e-9, 1,
        "length of the barrier against half-spaces: a node at rest keeps a gap of barrier^2/(2 g step^2), and creeps "
        "by about that much in a step under a load that friction holds"),
    DC_CHOICE_OPTION(
        struct dc_soft_definition, friction_law, "\"smooth\"", friction_choices,
        "of its nodes against half-spaces: smooth, or fischer_burmeister, the law of paper 004 with a tangent through "
        "no motion below half of its limit"),
    DC_POSITIVE_OPTION(
        struct dc_soft_definition, contact_range, "m", "null", 1e3,
        "distance at which the barrier of its surface against other surfaces and itself begins (of two soft bodies "
        "the mean); default: a tenth of its shortest edge"),
    DC_POSITIVE_OPTION(
        struct dc_soft_definition, contact_stiffness, "J", "null", 1e9,
        "of that barrier (of two soft bodies the mean); default: young times the square of the mean edge times the "
        "range, over ten"),
    DC_BOOLEAN_OPTION(struct dc_soft_definition, self_contact, "true", "whether its surface feels itself"),
    DC_REAL_OPTION(struct dc_soft_definition, far_field, "J", "0", 0, 1e9,
                   "stiffness of the far field: what its surface feels at any distance of rigid bodies, half-spaces "
                   "apart, and of other soft bodies with a far field (of two the mean); contact models bsh and exact"),
    DC_OBJECT_LIST_OPTION(
        struct dc_soft_definition, pins, "null", MOST_PINS, pin_options, struct dc_pin_definition,
        "boxes whose nodes are held where they start, in the world or on a body; of a body with a parent "
        "and without boxes the nodes of the end that faces the parent"),
    DC_OBJECT_LIST_OPTION(struct dc_soft_definition, chambers, "null", DC_DRIVES_MOST, dc_chamber_options,
                          struct dc_chamber_definition,
                          "closed rooms in a solid, whose pressures controls drive by their names"),
    DC_OBJECT_LIST_OPTION(struct dc_soft_definition, muscles, "null", DC_DRIVES_MOST, dc_muscle_options,
                          struct dc_muscle_definition, "parts that controls contract or let grow, by their names"),
    DC_OPTIONS_END,
};

// Lists need as many numbers as the type has directions.
static enum dc_status check_grid(const struct dc_soft_definition *soft, int index, struct dc_error *error)
{
  int count = soft->type == DC_SOFT_SOLID ? 3 : soft->type == DC_SOFT_CLOTH ? 2 : 1;
  if (soft->file) {
    const char *extra = soft->size.count ? "size" : soft->cells.count ? "cells" : NULL;
    if (soft->type == DC_SOFT_ROD)
      return dc_fail(error, DC_BAD_INPUT, "bodies[%d].soft.file: must not be given for a rod", index);
    return extra
               ? dc_fail(error, DC_BAD_INPUT, "bodies[%d].soft.%s: must not be given together with file", index, extra)
               : DC_OK;
  }
  if (soft->size.count != count)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].soft.size: must hold %d number%s for a %s (holds %d)", index, count,
                   count > 1 ? "s" : "", type_choices[soft->type], soft->size.count);
  if (soft->cells.count && soft->cells.count != count)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].soft.cells: must hold %d number%s for a %s (holds %d)", index,
                   count, count > 1 ? "s" : "", type_choices[soft->type], soft->cells.count);
  for (int k = 0; k < soft->cells.count; k++)
    if (soft->cells.values[k] != floor(soft->cells.values[k]))
      return dc_fail(error, DC_BAD_INPUT, "bodies[%d].soft.cells: must be whole numbers (one is %g)", index,
                     soft->cells.values[k]);
  return DC_OK;
}

// The first option of a soft body that another type or a mesh file has; NULL: none.
static const char *of_others(const struct dc_soft_definition *soft)
{
  bool rod = soft->type == DC_SOFT_ROD, solid = soft->type == DC_SOFT_SOLID;
  return !soft->file && soft->scale != 1                         ? "scale"
         : (!solid || soft->file) && soft->form != DC_GRID_BLOCK ? "form"
         : solid && soft->thickness != DC_SOFT_THICKNESS         ? "thickness"
         : solid && !isnan(soft->bending)                        ? "bending"
         : rod && soft->material != DC_MATERIAL_NEO_HOOKEAN      ? "material"
         : rod && soft->poisson != DC_SOFT_POISSON               ? "poisson"
         : rod && soft->drag != 0                                ? "drag"
         : rod && soft->pressure != 0                            ? "pressure"
                                                                 : NULL;
}

// With lambda < 0 the energy mu/2 sum s^2 - mu log J + lambda/2 log^2 J falls without end as J goes to 0.  Under even
// compression, with mu (J^(2/3) - 1) 3/2 for the first, its second derivative by log J is 2/3 mu J^(2/3) + lambda, so
// that it gives way from J = (3 |nu|/(1 - 2 nu))^(3/2) on: 0.49 here.
static const double LEAST_POISSON = -0.35;

static enum dc_status check_material(const struct dc_soft_definition *soft, int index, struct dc_error *error)
{
  enum dc_status status = check_grid(soft, index, error);
  if (status)
    return status;
  if (soft->element != DC_ELEMENT_LINEAR && soft->type != DC_SOFT_SOLID)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].soft.element: must not be \"%s\" of a %s: it is of solids", index,
                   element_choices[soft->element], type_choices[soft->type]);
  const char *extra = of_others(soft);
  if (extra)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].soft.%s: must not be given for a %s%s: it would do nothing", index,
                   extra, type_choices[soft->type], soft->file ? " from a file" : "");
  if (soft->taper != 1 && soft->form != DC_GRID_BEAM)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].soft.taper: must not be given but for a beam", index);
  if (soft->material == DC_MATERIAL_NEO_HOOKEAN && soft->poisson < LEAST_POISSON)
    return dc_fail(
        error, DC_BAD_INPUT,
        "bodies[%d].soft.poisson: must be >= %g with the material \"neo_hookean\" (is %g), which gives way once "
        "it is compressed to half of its volume below that (remedy: \"material\": \"corotated\")",
        index, LEAST_POISSON, soft->poisson);
  const struct dc_pin_definition *pins = soft->pins.objects;
  for (int i = 0; i < soft->pins.count; i++)
    for (int k = 0; k < 3; k++)
      if (!(pins[i].low[k] <= pins[i].high[k]))
        return dc_fail(error, DC_BAD_INPUT, "bodies[%d].soft.pins[%d].low: must not be above high", index, i);
  return dc_soft_drives_check(soft, index, error);
}

// The first option that is given and belongs to a joint, or to contact between rigid bodies alone; NULL: none.
static const char *of_joint(const struct dc_body_definition *definition)
{
  return !isnan(definition->axis[0])                           ? "axis"
         : !isnan(definition->anchor[0])                       ? "anchor"
         : !isnan(definition->range[0])                        ? "range"
         : definition->limit_stiffness != DC_LIMIT_STIFFNESS   ? "limit_stiffness"
         : definition->limits.velocity > 0                     ? "velocity_limit"
         : definition->limits.effort > 0                       ? "effort_limit"
         : definition->filter.parent && definition->parent < 0 ? "collide_parent"
         : definition->filter.near_only.count                  ? "near_only"
                                                               : NULL;
}

// The first option that is given and belongs to what touches; NULL: none.
static const char *of_contact(const struct dc_body_definition *definition)
{
  return !isnan(definition->surface.friction)      ? "friction"
         : definition->surface.friction_with.count ? "friction_with"
         : !isnan(definition->surface.restitution) ? "restitution"
         : definition->filter.except.count         ? "collide_except"
         : definition->filter.parent               ? "collide_parent"
                                                   : NULL;
}

// The first option that is given and belongs to what has a place and a mass; NULL: none.
static const char *of_place(const struct dc_body_definition *definition)
{
  const double *quaternion = definition->rotation;
  return !isnan(definition->mass)                          ? "mass"
         : !isnan(definition->density)                     ? "density"
         : dc_vec_norm(definition->position) > 0           ? "position"
         : quaternion[1] || quaternion[2] || quaternion[3] ? "rotation"
         : dc_vec_norm(definition->velocity) > 0           ? "velocity"
         : dc_vec_norm(definition->angular_velocity) > 0   ? "angular_velocity"
                                                           : NULL;
}

// An option without effect is refused, because whoever wrote it expects one.
static enum dc_status refuse(const char *option, int index, const char *what, struct dc_error *error)
{
  return option ? dc_fail(error, DC_BAD_INPUT, "bodies[%d].%s: must not be given for a %s: it would do nothing", index,
                          option, what)
                : DC_OK;
}

// Names the first option that needs a joint, a shape or an inertia; a free joint counts as none.
enum dc_status dc_jointless_check(const struct dc_body_definition *definition, int index, const char *what,
                                  struct dc_error *error)
{
  const struct dc_joint_definition *joint = definition->joint.objects;
  bool free = definition->joint.count == 1 && dc_joint_types[joint->type] == &dc_joint_free;
  const char *extra = !free                                          ? "joint"
                      : definition->parent >= 0 && !definition->soft ? "parent"
                      : definition->shape >= 0                       ? "shape"
                      : definition->visual >= 0                      ? "visual"
                      : !isnan(definition->inertia[0])               ? "inertia"
                      : !isnan(definition->center_of_mass[0])        ? "center_of_mass"
                      : definition->mass_model                       ? "mass_model"
                      : definition->buoyancy != 0                    ? "buoyancy"
                      : definition->pd                               ? "pd"
                      : !isnan(definition->surface.restitution)      ? "restitution"
                                                                     : of_joint(definition);
  return extra ? dc_fail(error, DC_BAD_INPUT, "bodies[%d].%s: must not be given for a %s", index, extra, what) : DC_OK;
}

// A cable has neither a place nor a mass of its own, and touches nothing.
enum dc_status dc_thread_check(const struct dc_body_definition *definition, int index, struct dc_error *error)
{
  const char *extra = of_place(definition);
  return refuse(extra ? extra : of_contact(definition), index, "cable", error);
}

// Rules of the body around "soft"; those of the material and of its mesh follow.
enum dc_status dc_soft_check(const struct dc_body_definition *definition, int index, struct dc_error *error)
{
  enum dc_status status = dc_jointless_check(definition, index, "soft body", error);
  if (status)
    return status;
  if (definition->frame == DC_FRAME_PARENT)
    return dc_fail(error, DC_BAD_INPUT,
                   "bodies[%d].frame: must be \"world\" of a soft body: it is placed where its parent is at rest",
                   index);
  if (!isnan(definition->density) && !isnan(definition->mass))
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].mass: must not be given together with density", index);
  return check_material(definition->soft, index, error);
}

// A marker is a point of an element: it cannot turn, touch or move by itself, but it may have a mass and a look.
enum dc_status dc_marker_check(const struct dc_body_definition *definition, int index, struct dc_error *error)
{
  const struct dc_joint_definition *joint = definition->joint.objects;
  if (definition->soft)
    return DC_OK;  // a soft body has no parent of its own
  if (definition->joint.count != 1 || dc_joint_types[joint->type] != &dc_joint_fixed)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].joint: must be \"fixed\" on a soft body", index);
  const char *extra = of_joint(definition);
  if (extra || (extra = of_contact(definition)))
    return refuse(extra, index, "body on a soft body", error);
  if (definition->shape >= 0 && definition->filter.collide)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].collide: must be false for a shape on a soft body", index);
  if (!isnan(definition->density) && definition->shape < 0)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].density: needs a shape on a soft body (or give mass)", index);
  return DC_OK;
}
