// SPDX-License-Identifier: Apache-2.0
// Writes a design into a model definition: numbers that an input changes relative to the model replace those of the
// definition, so that the result is a scene of its own.
#include <math.h>
#include <string.h>

#include "design/design.h"

// Scales mass and inertia; absent numbers are NAN and stay so, but for the density of a body that gives neither.
static void scale_mass(struct dc_body_definition *body, double factor)
{
  if (factor != 1 && isnan(body->density) && isnan(body->mass))
    body->density = DC_DEFAULT_DENSITY;
  body->density *= factor;
  body->mass *= factor;
  for (int k = 0; k < 6; k++)
    body->inertia[k] *= factor;
}

// Replaces the list by a scaled copy: the old one belongs to the scene that was read.
static bool scale_list(struct dc_real_list *list, double factor, struct dc_arena *arena)
{
  double *values = dc_arena_alloc(arena, (size_t)list->count + 1, sizeof *values);
  for (int k = 0; k < list->count && values; k++)
    values[k] = factor * list->values[k];
  list->values = values;
  return values != NULL;
}

// The definition that was read stays as it is: changed gains stand in a copy of the structure.
static bool scale_gains(struct dc_body_definition *body, double kp, double kd, struct dc_arena *arena)
{
  if (!body->pd || (kp == 1 && kd == 1))
    return true;
  struct dc_pd_definition *pd = dc_arena_alloc(arena, 1, sizeof *pd);
  if (!pd)
    return false;
  *pd = *body->pd;
  pd->kp *= kp;
  pd->kp_rotation *= kp;
  pd->kd *= kd;
  pd->kd_rotation *= kd;
  body->pd = pd;
  return scale_list(&pd->kp_each, kp, arena) && scale_list(&pd->kd_each, kd, arena);
}

// Sets where slides and hinges of a body start, and how fast, if that differs from the model's start.
static bool set_start(const struct dc_body *body, const double *model_q, const struct dc_rollout_input *input,
                      struct dc_body_definition *definition, struct dc_arena *arena)
{
  bool same = true;
  int count = 0;
  for (int p = 0; p < body->part_count; p++) {
    const struct dc_joint_part *part = &body->parts[p];
    if (part->kind != DC_PART_SLIDE && part->kind != DC_PART_HINGE)
      continue;
    count++;
    same &= input->q[part->q] == model_q[part->q] &&
            input->velocity[part->v] == body->start.joint_velocity[part->v - body->v_offset];
  }
  if (same)
    return true;
  double *positions = dc_arena_alloc(arena, (size_t)count, sizeof *positions);
  double *velocities = dc_arena_alloc(arena, (size_t)count, sizeof *velocities);
  if (!positions || !velocities)
    return false;
  for (int p = 0, k = 0; p < body->part_count; p++) {
    const struct dc_joint_part *part = &body->parts[p];
    if (part->kind != DC_PART_SLIDE && part->kind != DC_PART_HINGE)
      continue;
    positions[k] = input->q[part->q];
    velocities[k++] = input->velocity[part->v];
  }
  definition->joint_position = (struct dc_real_list){count, positions};
  definition->joint_velocity = (struct dc_real_list){count, velocities};
  return true;
}

// Sets the ranges of slides and hinges on the joints themselves, wherever they were given before.
static bool set_ranges(const struct dc_body *body, const struct dc_design *design,
                       struct dc_body_definition *definition, struct dc_arena *arena)
{
  bool same = true;
  for (int p = 0; p < body->part_count; p++)
    same &= design->lower_shift[body->parts[p].v] == 0 && design->upper_shift[body->parts[p].v] == 0;
  if (same)
    return true;
  size_t count = (size_t)definition->joint.count;
  // Joints are copied: those of the definition belong to the scene that was read.
  struct dc_joint_definition *joints = dc_arena_alloc(arena, count, sizeof *joints);
  if (!joints)
    return false;
  memcpy(joints, definition->joint.objects, count * sizeof *joints);
  // Joints of a definition have one to three parts each; p is the first of joint k.
  for (size_t k = 0, p = 0; k < count; p += (size_t)dc_joint_types[joints[k++].type]->part_count)
    if (dc_joint_types[joints[k].type]->range && !isinf(body->parts[p].range[0]))
      dc_design_range(design, &body->parts[p], joints[k].range);
  definition->joint.objects = joints;
  return true;
}

// The modulus that was read gives bending stiffness, the barrier of the surface and fibres by default, whatever a
// design makes of it: they are written out.
static bool keep_defaults(const struct dc_soft *soft, const struct dc_design *design, struct dc_soft_definition *given,
                          struct dc_arena *arena)
{
  struct dc_muscle_definition *muscles = dc_arena_alloc(arena, (size_t)given->muscles.count + 1, sizeof *muscles);
  if (soft->mesh.corners < 4)
    given->bending = design->bending_scale[soft->body] * soft->bending;
  given->contact_stiffness = soft->contact_stiffness;
  for (int m = 0; m < given->muscles.count && muscles; m++) {
    muscles[m] = ((const struct dc_muscle_definition *)given->muscles.objects)[m];
    if (muscles[m].kind == DC_MUSCLE_FIBRE)
      muscles[m].stiffness = soft->drives.muscles[m].stiffness;
  }
  given->muscles.objects = muscles;
  return muscles != NULL;
}

// The barrier of half-spaces is that of the masses that were read: its length goes with the root of the least mass.
static bool set_soft(const struct dc_soft *soft, const struct dc_design *design, struct dc_body_definition *definition,
                     struct dc_arena *arena)
{
  if (!soft)
    return true;
  int i = soft->body;
  if (design->young_scale[i] == 1 && design->poisson[i] == soft->poisson && design->bending_scale[i] == 1 &&
      design->pressure[i] == soft->pressure && design->body_mass_scale[i] == 1)
    return true;
  struct dc_soft_definition *given = dc_arena_alloc(arena, 1, sizeof *given);
  if (!given)
    return false;
  *given = *definition->soft;
  given->young *= design->young_scale[i];
  given->pressure = design->pressure[i];
  if (design->poisson[i] != soft->poisson)
    given->poisson = design->poisson[i];
  given->barrier /= sqrt(design->body_mass_scale[i]);
  definition->soft = given;
  return keep_defaults(soft, design, given, arena);
}

// A scene has one modulus for a soft body, and one place and velocity for its nodes together.
bool dc_design_fits_scene(const struct dc_model *model, const struct dc_rollout_input *input)
{
  const struct dc_bodies *bodies = &model->bodies;
  for (int e = 0; e < bodies->element_count; e++)
    if (input->design.young_element[e] != 1)
      return false;
  for (int i = 0; i < 3 * bodies->node_count; i++)
    if (input->q[bodies->first_node_q + i] != bodies->initial_q[bodies->first_node_q + i])
      return false;
  for (int s = 0; s < bodies->soft_count; s++)
    for (int i = 0; i < 3 * bodies->soft[s].node_count; i++)
      if (input->velocity[bodies->soft[s].v_offset + i] != bodies->soft[s].velocity[i])
        return false;
  return true;
}

// Writes the design of an input into a copy of the model's definition, so that the scene made from it needs no
// design entry.  Only what an entry may change is written; numbers that are as they were stay absent where the
// scene left them out.
enum dc_status dc_design_build_in(const struct dc_model *model, const struct dc_rollout_input *input,
                                  struct dc_arena *arena, struct dc_model_definition *definition,
                                  struct dc_error *error)
{
  const struct dc_design *design = &input->design;
  size_t count = (size_t)definition->body_count;
  struct dc_body_definition *bodies = dc_arena_alloc(arena, count, sizeof *bodies);
  bool enough = bodies != NULL;
  if (enough && count)
    memcpy(bodies, definition->bodies, count * sizeof *bodies);
  for (int i = 0; i < definition->body_count && enough; i++) {
    scale_mass(&bodies[i], design->body_mass_scale[i]);
    if (design->friction_scale[i] != 1)
      bodies[i].surface.friction = dc_model_friction(model, i) * design->friction_scale[i];
    if (design->restitution_shift[i] != 0)
      bodies[i].surface.restitution = dc_design_restitution(model, design, i);
    bodies[i].limit_stiffness *= design->limit_scale[i];
    enough = set_ranges(&model->bodies.bodies[i], design, &bodies[i], arena) &&
             scale_gains(&bodies[i], design->kp_scale[i], design->kd_scale[i], arena) &&
             set_soft(dc_soft_of(&model->bodies, i), design, &bodies[i], arena) &&
             set_start(&model->bodies.bodies[i], model->bodies.initial_q, input, &bodies[i], arena);
  }
  if (!enough)
    return dc_out_of_memory_for(error, "a design");
  definition->bodies = bodies;
  definition->contact.stiffness *= design->stiffness_scale;
  memcpy(definition->gravity, design->gravity, sizeof definition->gravity);
  memcpy(definition->wind, design->wind, sizeof definition->wind);
  return DC_OK;
}
