// SPDX-License-Identifier: Apache-2.0
// Tendons of an MJCF model.
//
// A fixed tendon has the length L = sum of c_i q_i over joints.  A force f along it is the force c_i f on each joint.  So
// an actuator on a tendon of one joint is that joint's, with c times the gear, and a motor on one of several joints
// shares its force among them.  A spatial tendon runs through sites.  One that nothing drives, that no spring, damper or
// friction acts along and that has no range only measures; whatever else it does is named.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/json/json_value.h"
#include "io/robot/mjcf_reader.h"

// The attributes of a tendon, from defaults and the element; limited: 0, 1, or 2 for "auto", which asks whether
// a range is given.
struct tendon_state {
  double stiffness[3], damping[3], friction, armature, range[2];
  int limited;
  bool ranged;
};

// Defaults of tendons of both kinds stand in an element <tendon>.
static bool is_tendon(const struct dc_mjcf_node *node, const struct dc_mjcf_node *candidate)
{
  (void)node;
  return strcmp(candidate->name, "tendon") == 0;
}

static void apply_tendon(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, void *target)
{
  static const char *const limits[] = {"false", "true", "auto", NULL};
  struct tendon_state *state = target;
  double unread[2];
  dc_mjcf_numbers(reader, node, "stiffness", 1, 3, state->stiffness);
  dc_mjcf_numbers(reader, node, "damping", 1, 3, state->damping);
  dc_mjcf_number(reader, node, "frictionloss", &state->friction);
  dc_mjcf_number(reader, node, "armature", &state->armature);
  dc_mjcf_numbers(reader, node, "springlength", 1, 2, unread);
  dc_mjcf_choose(reader, node, "limited", limits, &state->limited);
  state->ranged |= dc_mjcf_numbers(reader, node, "range", 2, 2, state->range) > 0;
}

// One thing that a tendon does by itself, or NULL.
static const char *what_acts(const struct dc_mjcf_reader *reader, const struct tendon_state *state)
{
  const struct dc_mjcf_option *option = &reader->model->option;
  bool spring = state->stiffness[0] != 0 || state->stiffness[1] != 0 || state->stiffness[2] != 0;
  bool damper = state->damping[0] != 0 || state->damping[1] != 0 || state->damping[2] != 0;
  if (state->limited == 1 || (state->limited == 2 && state->ranged && reader->autolimits))
    if (!option->no_limit)
      return "range of tendon";
  if (spring && !option->no_spring)
    return "spring of tendon";
  if (damper && !option->no_damper)
    return "damping of tendon";
  if (state->friction > 0 && !option->no_friction)
    return "friction of tendon";
  return state->armature > 0 ? "armature of tendon" : NULL;
}

// The joints of a fixed tendon whose coefficients are not zero.
static void read_joints(struct dc_mjcf_reader *reader, struct dc_mjcf_tendon *tendon)
{
  const struct dc_mjcf *model = reader->model;
  char quoted[DC_JSON_QUOTED];
  size_t room = 1;
  for (const struct dc_mjcf_node *child = tendon->node->first; child; child = child->next)
    room++;
  tendon->joints = dc_arena_alloc(reader->arena, room, sizeof *tendon->joints);
  tendon->coefficients = dc_arena_alloc(reader->arena, room, sizeof *tendon->coefficients);
  if (!tendon->joints || !tendon->coefficients)
    dc_mjcf_refuse(reader, tendon->node, DC_MEMORY, "out of memory");
  for (const struct dc_mjcf_node *child = tendon->node->first; child && !reader->status; child = child->next) {
    double coefficient = 0;
    if (strcmp(child->name, "joint") != 0)
      continue;
    const char *name = dc_mjcf_text(reader, child, "joint");
    dc_mjcf_number(reader, child, "coef", &coefficient);
    int joint = name ? dc_mjcf_find_named(model->joints, model->joint_count, sizeof *model->joints, name) : -1;
    if (joint < 0)
      dc_mjcf_refuse(reader, child, DC_BAD_INPUT, "there is no joint %s", dc_json_quote(quoted, name ? name : ""));
    else if (model->joints[joint].type < DC_MJCF_SLIDE)
      dc_mjcf_refuse(reader, child, DC_BAD_INPUT, "joint must be a slide or a hinge");
    if (reader->status || coefficient == 0)
      continue;
    tendon->joints[tendon->count] = joint;
    tendon->coefficients[tendon->count++] = coefficient;
  }
}

// Fixed and spatial tendons.  The sites of a spatial one are not read, as nothing here runs along them.
void dc_mjcf_read_tendons(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *section)
{
  struct dc_mjcf *model = reader->model;
  for (const struct dc_mjcf_node *node = section->first; node && !reader->status; node = node->next) {
    struct tendon_state state = {.limited = 2};
    struct dc_mjcf_tendon tendon = {.node = node, .fixed = strcmp(node->name, "fixed") == 0};
    if (!tendon.fixed && strcmp(node->name, "spatial") != 0)
      continue;
    tendon.name = dc_mjcf_copy(reader, dc_mjcf_text(reader, node, "name"));
    dc_mjcf_apply_all(reader, node, NULL, is_tendon, apply_tendon, &state);
    tendon.acts = what_acts(reader, &state);
    if (tendon.fixed)
      read_joints(reader, &tendon);
    if (!reader->status && model->tendon_count >= DC_MJCF_MOST)
      dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "more than %d tendons", DC_MJCF_MOST);
    if (!reader->status &&
        dc_grow(&model->tendons, &model->room.tendons, model->tendon_count + 1, sizeof *model->tendons))
      dc_mjcf_refuse(reader, node, DC_MEMORY, "out of memory");
    if (!reader->status)
      model->tendons[model->tendon_count++] = tendon;
  }
}

// Finds the tendon that an actuator names.  One of a single joint becomes a gear on that joint.
void dc_mjcf_drive_tendon(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node,
                          struct dc_mjcf_actuator *actuator)
{
  const struct dc_mjcf *model = reader->model;
  char quoted[DC_JSON_QUOTED];
  int index = dc_mjcf_find_named(model->tendons, model->tendon_count, sizeof *model->tendons, actuator->target);
  if (index < 0) {
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "there is no tendon %s", dc_json_quote(quoted, actuator->target));
    return;
  }
  const struct dc_mjcf_tendon *tendon = &model->tendons[index];
  actuator->tendon = index;
  if (!tendon->fixed || tendon->count != 1)
    return;
  actuator->transmission = DC_MJCF_OF_JOINT;
  actuator->joint = tendon->joints[0];
  actuator->gear[0] *= tendon->coefficients[0];
}
