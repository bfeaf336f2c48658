// SPDX-License-Identifier: Apache-2.0
// Starts of slides, hinges and nodes.  Free bodies have the control "initial_state"; coupled coordinates do not start
// on their own.
#include "design/number_kinds.h"

// The part of a joint that has a degree of freedom, and its body; NULL for nodes.
const struct dc_joint_part *dc_number_part(const struct dc_model *model, int freedom, int *body)
{
  for (int i = 0; i < model->bodies.count; i++)
    for (int p = 0; p < model->bodies.bodies[i].part_count; p++) {
      const struct dc_joint_part *part = &model->bodies.bodies[i].parts[p];
      if (freedom >= part->v && freedom < part->v + dc_part_nv(part)) {
        *body = i;
        return part;
      }
    }
  return NULL;
}

// The body of a degree of freedom: nodes stand behind all joints, soft body by soft body.
int dc_number_coordinate_body(const struct dc_model *model, int freedom)
{
  int body = -1;
  for (int s = 0; s < model->bodies.soft_count; s++)
    if (freedom >= model->bodies.soft[s].v_offset)
      body = model->bodies.soft[s].body;
  if (body < 0)
    dc_number_part(model, freedom, &body);
  return body;
}

// Degrees of freedom of nodes stand behind those of all joints.
static bool is_of_node(const struct dc_model *model, int freedom)
{
  return freedom >= model->bodies.first_node_v && model->bodies.node_count > 0;
}

// Index in a state q of the coordinate that moves with a degree of freedom. A state has more numbers than degrees of
// freedom where there are quaternions, so that places of joints come from their parts; nodes have as many of one as of
// the other.
static int place_in_state(const struct dc_model *model, int freedom)
{
  int body;
  return is_of_node(model, freedom) ? model->bodies.first_node_q + freedom - model->bodies.first_node_v
                                    : dc_number_part(model, freedom, &body)->q;
}

// Slides, translations and nodes move along lengths, hinges and balls turn.
static bool is_length(const struct dc_model *model, int freedom)
{
  int body;
  if (is_of_node(model, freedom))
    return true;
  enum dc_part_kind kind = dc_number_part(model, freedom, &body)->kind;
  return kind == DC_PART_SLIDE || kind == DC_PART_TRANSLATION;
}

// A coupling that follows, or leads, fixes how two coordinates start relative to each other.
static bool is_coupled(const struct dc_model *model, int body)
{
  for (int i = 0; i < model->definition.coupling_count; i++)
    if (model->definition.couplings[i].body == body || model->definition.couplings[i].to == body)
      return true;
  return false;
}

// Slides, hinges and nodes have starts that a design may change, unless a coupling leads the coordinate or a
// soft body carries the body.
static bool coordinate_present(const struct dc_model *model, int index)
{
  int body = -1;
  const struct dc_joint_part *part = dc_number_part(model, index, &body);
  if (is_of_node(model, index))
    return true;
  return part && (part->kind == DC_PART_SLIDE || part->kind == DC_PART_HINGE) && !is_coupled(model, body) &&
         !dc_soft_carried(&model->bodies, body);
}

static double position_value(const struct dc_model *model, int index)
{
  return model->bodies.initial_q[place_in_state(model, index)];
}

const char *dc_number_length_unit(const struct dc_model *model, int index)
{
  return is_length(model, index) ? "m" : "rad";
}

// The state itself is shifted: a start has no entry in struct dc_design.
static double *position_input(const struct dc_model *model, struct dc_rollout_input *input, int index)
{
  return &input->q[place_in_state(model, index)];
}

// Cotangents have one number for each degree of freedom, in their order, where inputs have a state.
static double *position_cotangent(const struct dc_model *model, struct dc_rollout_cotangent *cotangent, int index)
{
  (void)model;
  return &cotangent->q[index];
}

// The velocity at the start; bodies that give none begin at rest.
static double velocity_value(const struct dc_model *model, int index)
{
  int at = dc_number_coordinate_body(model, index);
  const struct dc_soft *soft = dc_soft_of(&model->bodies, at);
  if (soft)
    return soft->velocity[index - soft->v_offset];
  const struct dc_body *body = &model->bodies.bodies[at];
  return body->start.joint_velocity ? body->start.joint_velocity[index - body->v_offset] : 0;
}

static const char *velocity_unit(const struct dc_model *model, int index)
{
  return is_length(model, index) ? "m/s" : "rad/s";
}

static double *velocity_input(const struct dc_model *model, struct dc_rollout_input *input, int index)
{
  (void)model;
  return &input->velocity[index];
}

static double *velocity_cotangent(const struct dc_model *model, struct dc_rollout_cotangent *cotangent, int index)
{
  (void)model;
  return &cotangent->velocity[index];
}

const struct dc_number_kind dc_number_position = {.name = "position",
                                                  .summary = "where a coordinate of a slide, hinge or node starts",
                                                  .index = DC_NUMBER_OF_COORDINATE,
                                                  .present = coordinate_present,
                                                  .value = position_value,
                                                  .unit_of = dc_number_length_unit,
                                                  .input = position_input,
                                                  .cotangent = position_cotangent};

const struct dc_number_kind dc_number_velocity = {.name = "velocity",
                                                  .summary = "its velocity at the start",
                                                  .index = DC_NUMBER_OF_COORDINATE,
                                                  .present = coordinate_present,
                                                  .value = velocity_value,
                                                  .unit_of = velocity_unit,
                                                  .input = velocity_input,
                                                  .cotangent = velocity_cotangent};
