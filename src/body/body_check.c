// SPDX-License-Identifier: Apache-2.0
// Checks of body definitions, before anything is built: every number against its option, then rules that involve
// several options (joints, mass and inertia, position and frame), then names.
#include "body/body_build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/vector.h"

// Rounding that files with few digits bring: a quaternion within it is normalized without a word, and a matrix of
// inertia may miss its conditions by it.  Numbers further off are mistakes of whoever wrote them, and are refused.
#define ROTATION_TOLERANCE 1e-3  // relative error of the length of a given quaternion
#define INERTIA_TOLERANCE 1e-6   // relative to the trace, of the conditions on inertias

// Checks count numbers against the limits of one option; the first that breaks them is named.
static enum dc_status check_list(const struct dc_option *option, int count, const double *numbers, const char *place,
                                 struct dc_error *error)
{
  for (int i = 0; i < count; i++) {
    char text[128];
    const char *rule = dc_option_check(option, numbers[i], text, sizeof text);
    if (rule)
      return dc_fail(error, DC_BAD_INPUT, "%s.%s: %s", place, option->name, rule);
  }
  return DC_OK;
}

// A choice is an index into the option's words, which a caller of the library may have set to anything.
static enum dc_status check_choice(const struct dc_option *option, int choice, const char *place,
                                   struct dc_error *error)
{
  int count = 0;
  while (option->choices[count])
    count++;
  if (choice < 0 || choice >= count)
    return dc_fail(error, DC_BAD_INPUT, "%s.%s: must be one of %d choices", place, option->name, count);
  return DC_OK;
}

// Numbers that may be null are NAN when they are not given, and the limits of the option say nothing about them.
static bool absent(const struct dc_option *option, const double *numbers, int count)
{
  bool all = option->fallback && strcmp(option->fallback, "null") == 0;
  for (int i = 0; i < count; i++)
    all &= (bool)isnan(numbers[i]);
  return all;
}

// Checks every number and choice against its option, since a definition need not come from a scene: the library's
// callers fill the same structs.  Objects within objects are checked twice when they fail.  The first time no place
// is written, because formatting the names of thousands of joints would take longer than their checks; the second
// time is for the message.
static enum dc_status check_options(const struct dc_option *table, const void *target, const char *place,
                                    struct dc_error *error)
{
  enum dc_status status = DC_OK;
  for (const struct dc_option *option = table; option->name && !status; option++) {
    const void *value = (const char *)target + option->offset;
    char inner[256];
    if (option->type == DC_REAL || option->type == DC_REALS) {
      int count = option->type == DC_REALS ? option->count : 1;
      if (!absent(option, value, count))
        status = check_list(option, count, value, place, error);
    } else if (option->type == DC_REAL_LIST) {
      const struct dc_real_list *list = value;
      status = check_list(option, list->count, list->values, place, error);
    } else if (option->type == DC_CHOICE) {
      status = check_choice(option, *(const int *)value, place, error);
    } else if (option->type == DC_OBJECT) {
      const void *object = *(const void *const *)value;
      if (!object || !check_options(option->table, object, "", NULL))
        continue;
      snprintf(inner, sizeof inner, "%s.%s", place, option->name);
      status = check_options(option->table, object, inner, error);
    } else if (option->type == DC_OBJECT_LIST) {
      const struct dc_object_list *list = value;
      for (int i = 0; i < list->count && !status; i++) {
        const char *object = (const char *)list->objects + (size_t)i * option->object_size;
        if (!check_options(option->table, object, "", NULL))
          continue;
        snprintf(inner, sizeof inner, "%s.%s[%d]", place, option->name, i);
        status = check_options(option->table, object, inner, error);
      }
    }
  }
  return status;
}

// Exact zeros: a direction or velocity that was given as none.
static bool is_zero(const double *vector)
{
  return vector[0] == 0 && vector[1] == 0 && vector[2] == 0;
}

// The passive force that a joint cannot have: one that turns about a point has damping and, unless free, a spring.
static const char *forbidden_force(const struct dc_joint_definition *joint, bool pointed, bool fixed, bool free)
{
  return joint->damping != 0 && fixed                     ? "damping"
         : joint->stiffness != 0 && (fixed || free)       ? "stiffness"
         : joint->rest != 0 && (fixed || pointed)         ? "rest"
         : joint->armature != 0 && (fixed || pointed)     ? "armature"
         : joint->dry_friction != 0 && (fixed || pointed) ? "dry_friction"
         : joint->force != 0 && (fixed || pointed)        ? "force"
                                                          : NULL;
}

// Checks which numbers a joint of this type may have.  A number without effect is refused, because whoever wrote it
// expects one.
// * anchored: the joint has a point about which it acts, which free and fixed joints lack
// * second: a second axis has a meaning, as for universal and planar joints
// * pointed: the joint turns about a point (a ball), and has neither an angle nor a scalar force
static enum dc_status check_joint(const struct dc_body_definition *definition, int index, int i, struct dc_error *error)
{
  const struct dc_joint_definition *joint = (const struct dc_joint_definition *)definition->joint.objects + i;
  const struct dc_joint_type *type = dc_joint_types[joint->type];
  bool anchored = type->nv > 0 && !type->only, second = type->axis && type->part_count > 1;
  if ((type->only || type->nv == 0) && definition->joint.count > 1)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].joint[%d]: a \"%s\" joint must stand alone", index, i, type->name);
  if (type->only && definition->parent >= 0)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].joint: a body with a parent must not be \"%s\"", index, type->name);
  const char *extra = !isnan(joint->range[0]) && !type->range ? "range"
                      : !isnan(joint->axis[0]) && !type->axis ? "axis"
                      : !isnan(joint->axis2[0]) && !second    ? "axis2"
                      : !isnan(joint->anchor[0]) && !anchored ? "anchor"
                                                              : NULL;
  bool pointed = false;
  for (int p = 0; p < type->part_count; p++)
    pointed |= type->parts[p] == DC_PART_BALL;
  if (!extra)
    extra = forbidden_force(joint, pointed, type->nv == 0, type->only);
  if (extra)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].joint[%d].%s: must not be given for \"%s\"", index, i, extra,
                   type->name);
  if (!isnan(definition->anchor[0]) && !anchored)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].anchor: must not be given for \"%s\"", index, type->name);
  if (!isnan(joint->axis[0]) && is_zero(joint->axis))
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].joint[%d].axis: must not be zero", index, i);
  // The body's own "range" and "axis" are short forms for its only joint; those of the joint come first.
  const double *range = isnan(joint->range[0]) ? definition->range : joint->range;
  if (type->range && !isnan(range[0]) && !(range[0] < range[1]))
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].joint[%d].range: must be [low, high] with low < high", index, i);
  return DC_OK;
}

// Checks all joints of a body, and numbers that its definition gives for one of them.
static enum dc_status check_joints(const struct dc_body_definition *definition, int index, struct dc_error *error)
{
  const struct dc_joint_definition *joints = definition->joint.objects;
  int count = definition->joint.count;
  bool ranged = false, angled = false;
  if (count == 0)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].joint: must hold at least one joint", index);
  for (int i = 0; i < count; i++) {
    const struct dc_joint_type *type = dc_joint_types[joints[i].type];
    enum dc_status status = check_joint(definition, index, i, error);
    if (status)
      return status;
    ranged |= type->range;
    angled |= type->axis;
  }
  if (!isnan(definition->range[0]) && !ranged)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].range: must not be given without a hinge or slide", index);
  if (!isnan(definition->axis[0]) && !angled)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].axis: must not be given without a joint that has one", index);
  if (!isnan(definition->axis[0]) && is_zero(definition->axis))
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].axis: must not be zero", index);
  return DC_OK;
}

// The pose of the shape's frame and the parent that it hangs on.  Loops of parents are found later, when bodies are
// sorted.
static enum dc_status check_place(const struct dc_body_definition *definition, int index, int count,
                                  struct dc_error *error)
{
  const double *rotation = definition->rotation;
  double length = sqrt(rotation[0] * rotation[0] + dc_vec_dot(rotation + 1, rotation + 1));
  if (fabs(length - 1) > ROTATION_TOLERANCE)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].rotation: must be of unit length within %g (its length is %.10g)%s",
                   index, ROTATION_TOLERANCE, length,
                   length > 0 ? "; it is a quaternion (w, x, y, z): divide it by its length"
                              : "; [1, 0, 0, 0] does not rotate");
  if (definition->parent >= count || definition->parent == index)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].parent: must be another body", index);
  if (definition->frame == DC_FRAME_PARENT && definition->parent < 0)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].frame: must be \"world\" for a body without parent", index);
  return DC_OK;
}

// Whether the symmetric matrix m = (xx, yy, zz, xy, xz, yz) plus shift times the identity has positive pivots, those
// of L D L^T: a, then b, then the last one.  Quotients are formed first, so that inertias of tiny bodies do not
// underflow.
static bool is_positive(const double *m, double shift)
{
  double a = m[0] + shift;
  if (!(a > 0))
    return false;
  double b = m[1] + shift - m[3] * (m[3] / a), c = m[5] - m[3] * (m[4] / a);
  return b > 0 && m[2] + shift - m[4] * (m[4] / a) - c * (c / b) > 0;
}

// An inertia is physical if its principal moments are positive and none exceeds the sum of the other two.  Both hold
// if the second moment tr(I)/2 1 - I, an integral of r r^T dm, is positive semidefinite.  A flat body lies on the
// bound, therefore the tolerance is added to the diagonal.
static enum dc_status check_inertia(const struct dc_body_definition *definition, int index, struct dc_error *error)
{
  const double *inertia = definition->inertia;
  double trace = inertia[0] + inertia[1] + inertia[2], shift = INERTIA_TOLERANCE * trace, second[6];
  if (!(trace > 0))
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].inertia: must not be zero or negative", index);
  if (!is_positive(inertia, shift))
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].inertia: must be positive semidefinite", index);
  for (int k = 0; k < 6; k++)
    second[k] = k < 3 ? 0.5 * trace - inertia[k] : -inertia[k];
  if (!is_positive(second, shift))
    return dc_fail(error, DC_BAD_INPUT,
                   "bodies[%d].inertia: no principal moment may be greater than the sum of the other two", index);
  return DC_OK;
}

// Options that say how mass is distributed must not contradict each other.
static enum dc_status check_mass(const struct dc_body_definition *definition, int index, struct dc_error *error)
{
  bool inertia = !isnan(definition->inertia[0]), center = !isnan(definition->center_of_mass[0]);
  bool lumped = definition->mass_model == DC_MASS_LUMPED;
  if ((inertia || center) && isnan(definition->mass))
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].%s: must be given together with mass", index,
                   inertia ? "inertia" : "center_of_mass");
  if (lumped && (inertia || center || isnan(definition->mass)))
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].mass_model: must not be \"lumped\" %s", index,
                   inertia || center ? "with inertia or center_of_mass" : "without mass");
  return inertia ? check_inertia(definition, index, error) : DC_OK;
}

// A moving body has mass, from its solid or as given.  A marker, without shape and fixed to a body that moves, needs
// none.
static enum dc_status check_solid(const struct dc_body_definition *definition, int index, const struct dc_shape *shape,
                                  struct dc_error *error)
{
  if (shape->type->half_space)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].joint: must be \"fixed\" for the half-space \"%s\"", index,
                   shape->name);
  if (!isnan(definition->density) && !isnan(definition->mass))
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].mass: must not be given together with density", index);
  const struct dc_joint_definition *joints = definition->joint.objects;
  if (definition->mass == 0 && (dc_joint_types[joints[0].type]->nv > 0 || !isnan(definition->inertia[0])))
    return dc_fail(error, DC_BAD_INPUT,
                   "bodies[%d].mass: must be > 0 for a body that moves by itself or has inertia; a "
                   "body that nothing moves has \"joint\": \"fixed\"",
                   index);
  if (!isnan(definition->inertia[0]))
    return DC_OK;
  if (dc_is_marker(definition))
    return DC_OK;
  if (definition->shape < 0)
    return dc_fail(error, DC_BAD_INPUT,
                   "bodies[%d].inertia: must be given, with mass, for a body that moves and has no shape", index);
  if (!(shape->properties.volume > 0))
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].shape: \"%s\" has no volume", index, shape->name);
  return DC_OK;
}

// Checks the rules that depend on whether the body moves, which is known only when the tree of bodies is: velocities,
// actuators, half-spaces, lumped masses.  Bodies with a fixed joint move if their parent does.
enum dc_status dc_body_check_motion(const struct dc_body_definition *definition, int index, bool moves,
                                    const struct dc_shape *shape, const struct dc_shape *visual, struct dc_error *error)
{
  const struct dc_joint_definition *joints = definition->joint.objects;
  const struct dc_joint_type *first = dc_joint_types[joints[0].type];
  if (dc_is_jointless(definition))
    return DC_OK;
  if (first != &dc_joint_free && !is_zero(definition->velocity))
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].velocity: must be zero for a body that is not free", index);
  if (first != &dc_joint_free && !is_zero(definition->angular_velocity))
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].angular_velocity: must be zero for a body that is not free", index);
  if (definition->pd && first->nv == 0)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].pd: must not be given for a fixed joint", index);
  for (int i = 0; i < definition->joint.count && definition->pd && definition->pd->effort > 0; i++)
    for (int p = 0; p < dc_joint_types[joints[i].type]->part_count; p++)
      if (dc_joint_types[joints[i].type]->parts[p] == DC_PART_BALL)
        return dc_fail(error, DC_BAD_INPUT,
                       "bodies[%d].pd.effort: must not be given for a joint that turns about a point", index);
  if (shape->type->half_space && !isnan(definition->center_of_mass[0]))
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].center_of_mass: must not be given for the half-space \"%s\"", index,
                   shape->name);
  if (definition->mass_model == DC_MASS_LUMPED && shape->part_count == 0)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].mass_model: must not be \"lumped\" without convex parts", index);
  if (definition->visual >= 0 && visual->type->half_space)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].visual: must not be the half-space \"%s\"", index, visual->name);
  return moves ? check_solid(definition, index, shape, error) : DC_OK;
}

// Soft bodies and cables have no joints and no inertia of their own; their rules replace those of rigid bodies.
enum dc_status dc_body_check(const struct dc_body_definition *definition, int index, int count, struct dc_error *error)
{
  char place[32];
  snprintf(place, sizeof place, "bodies[%d]", index);
  enum dc_status status = check_options(dc_body_options, definition, place, error);
  if (!status)
    status = check_place(definition, index, count, error);
  if (!status && definition->cable)
    return dc_cable_check(definition, index, error);
  if (!status && definition->soft)
    return dc_soft_check(definition, index, error);
  if (!status)
    status = check_mass(definition, index, error);
  return status ? status : check_joints(definition, index, error);
}

static int compare_names(const void *a, const void *b)
{
  const struct dc_body_definition *first = *(const struct dc_body_definition *const *)a;
  const struct dc_body_definition *second = *(const struct dc_body_definition *const *)b;
  // Equal names stay in the order of the list, so that the message names the later one as the mistake.
  int order = strcmp(first->name, second->name);
  return order ? order : (first > second) - (first < second);
}

// Compares neighbours after sorting, in n log n time.
enum dc_status dc_body_check_names(int count, const struct dc_body_definition *definitions, struct dc_error *error)
{
  const struct dc_body_definition **sorted = dc_alloc((size_t)count, sizeof *sorted);
  if (!sorted)
    return dc_out_of_memory_for(error, "%d bodies", count);
  enum dc_status status = DC_OK;
  for (int i = 0; i < count && !status; i++) {
    sorted[i] = &definitions[i];
    if (!definitions[i].name || !definitions[i].name[0])
      status = dc_fail(error, DC_BAD_INPUT, "bodies[%d].name: must not be empty", i);
  }
  if (!status) {
    qsort(sorted, (size_t)count, sizeof *sorted, compare_names);
    for (int i = 1; i < count && !status; i++)
      if (strcmp(sorted[i - 1]->name, sorted[i]->name) == 0)
        status = dc_fail(error, DC_BAD_INPUT, "bodies[%d].name: \"%s\" is the name of bodies[%d] already",
                         (int)(sorted[i] - definitions), sorted[i]->name, (int)(sorted[i - 1] - definitions));
  }
  free(sorted);
  return status;
}
