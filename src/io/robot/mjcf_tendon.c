// SPDX-License-Identifier: Apache-2.0
// Tendons of an MJCF model.
//
// A fixed tendon has the length L = sum of c_i q_i over joints.  A force f along it is the force c_i f on each joint.  So
// an actuator on a tendon of one joint is that joint's, with c times the gear, and so is all that such a tendon does by
// itself.  Its spring and its damper have c^2 times their constants there, its rotor c^2 times its inertia, its friction
// |c| times its force, and its range is one of the joint.  A tendon of joints that follow one in proportion by
// equalities, as two fingers of a gripper do, is one of that joint.  A motor on a tendon of several joints shares its
// force among them.  Springs, damping, friction and ranges along fixed tendons of several joints are tendons of the scene, and so
// are servos.  A spatial tendon runs through sites.  One that nothing drives, that no spring, damper or friction acts along and
// that has no range only measures; whatever else it does is named.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/json/json_value.h"
#include "io/robot/mjcf_reader.h"

// The attributes of a tendon, from defaults and the element; limited: 0, 1, or 2 for "auto", which asks whether
// a range is given.
struct dc_mjcf_tendon_state {
  double stiffness[3], damping[3], friction, armature, range[2], margin;
  double slack[2];  // lengths between which the spring is slack; -1 for both: that of the joints' springs
  int slacks;       // how many of them the file gives
  double reference; // length where the joints' springs are slack
  int limited;
  bool ranged;
};

// Defaults of tendons of both kinds stand in an element <tendon>.
static bool is_tendon(const struct dc_mjcf_node *node, const struct dc_mjcf_node *candidate)
{
  (void)node;
  return strcmp(candidate->name, "tendon") == 0;
}

// Attributes of one element on top of those of its class of defaults: what is absent keeps the value it had.
static void apply_tendon(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, void *target)
{
  static const char *const limits[] = {"false", "true", "auto", NULL};
  struct dc_mjcf_tendon_state *state = target;
  dc_mjcf_numbers(reader, node, "stiffness", 1, 3, state->stiffness);
  dc_mjcf_numbers(reader, node, "damping", 1, 3, state->damping);
  dc_mjcf_number(reader, node, "frictionloss", &state->friction);
  dc_mjcf_number(reader, node, "armature", &state->armature);
  int slacks = dc_mjcf_numbers(reader, node, "springlength", 1, 2, state->slack);
  state->slacks = slacks ? slacks : state->slacks;
  dc_mjcf_choose(reader, node, "limited", limits, &state->limited);
  dc_mjcf_number(reader, node, "margin", &state->margin);
  state->ranged |= dc_mjcf_numbers(reader, node, "range", 2, 2, state->range) > 0;
}

static bool is_limited(const struct dc_mjcf_reader *reader, const struct dc_mjcf_tendon_state *state)
{
  return (state->limited == 1 || (state->limited == 2 && state->ranged && reader->autolimits)) &&
         !reader->model->option.no_limit;
}

// Whether lengths are given; -1 for both stands for that of the joints' springs.
static bool has_slack(const struct dc_mjcf_tendon_state *state)
{
  return state->slacks > 0 && (state->slack[0] != -1 || (state->slacks == 2 && state->slack[1] != -1));
}

// Adds the spring of a tendon, linear and slack at one length, without one at that of the joints' references, to that
// of its joint: both together are slack at the mean of where they are, weighted by their constants.
static void fold_spring(struct dc_mjcf_joint *joint, double c, struct dc_mjcf_tendon_state *state)
{
  double own = joint->stiffness, more = c * c * state->stiffness[0];
  bool given = has_slack(state);
  double rest = (given ? state->slack[0] : state->reference) / c;
  if (!(more > 0) || state->stiffness[1] != 0 || state->stiffness[2] != 0 ||
      (state->slacks == 2 && state->slack[0] != state->slack[1]))
    return;
  joint->springref = (own * joint->springref + more * rest) / (own + more);
  joint->stiffness = own + more;
  state->stiffness[0] = 0;
}

// The joint does what a tendon of it alone does by itself, as far as a joint can; the rest stays in the state.
static void fold_into_joint(const struct dc_mjcf_reader *reader, struct dc_mjcf_joint *joint, double c,
                            struct dc_mjcf_tendon_state *state)
{
  double ends[2] = {(state->range[0] + state->margin) / c, (state->range[1] - state->margin) / c};
  double low = c > 0 ? ends[0] : ends[1], high = c > 0 ? ends[1] : ends[0];
  fold_spring(joint, c, state);
  if (state->damping[0] > 0 && state->damping[1] == 0 && state->damping[2] == 0) {
    joint->damping += c * c * state->damping[0];
    state->damping[0] = 0;
  }
  joint->frictionloss += fabs(c) * state->friction;
  joint->armature += c * c * state->armature;
  state->friction = state->armature = 0;
  if (joint->limited) {
    low = fmax(low, joint->stops[0]);
    high = fmin(high, joint->stops[1]);
  }
  if (!is_limited(reader, state) || !(low < high))
    return;
  joint->limited = true;
  joint->stops[0] = low;
  joint->stops[1] = high;
  state->limited = 0;
}

// Takes what a tendon of a scene can do, linear springs and dampers, friction and a range, from the state.  A joint
// that an equality has taken away has no coordinate there.
static void take_pull(const struct dc_mjcf_reader *reader, struct dc_mjcf_tendon *tendon)
{
  const struct dc_mjcf_option *option = &reader->model->option;
  struct dc_mjcf_tendon_state *state = tendon->state;
  struct dc_mjcf_pull *pull = &tendon->pull;
  bool there = tendon->fixed && tendon->count > 0;
  for (int k = 0; k < tendon->count; k++)
    there &= !reader->model->joints[tendon->joints[k]].held;
  if (!there)
    return;
  if (state->stiffness[0] > 0 && state->stiffness[1] == 0 && state->stiffness[2] == 0) {
    bool given = has_slack(state);
    pull->stiffness = option->no_spring ? 0 : state->stiffness[0];
    pull->rest[0] = given ? state->slack[0] : state->reference;
    pull->rest[1] = !given ? state->reference : state->slacks == 2 ? state->slack[1] : state->slack[0];
    state->stiffness[0] = 0;
  }
  if (state->damping[0] > 0 && state->damping[1] == 0 && state->damping[2] == 0) {
    pull->damping = option->no_damper ? 0 : state->damping[0];
    state->damping[0] = 0;
  }
  if (state->friction > 0) {
    pull->friction = option->no_friction ? 0 : state->friction;
    state->friction = 0;
  }
  double low = state->range[0] + state->margin, high = state->range[1] - state->margin;
  if (is_limited(reader, state) && low < high) {
    pull->ranged = true;
    pull->range[0] = low;
    pull->range[1] = high;
    state->limited = 0;
  }
  pull->acts = pull->stiffness > 0 || pull->damping > 0 || pull->friction > 0 || pull->ranged;
}

// One thing that a tendon does by itself, or NULL.
static const char *what_acts(const struct dc_mjcf_reader *reader, const struct dc_mjcf_tendon_state *state)
{
  const struct dc_mjcf_option *option = &reader->model->option;
  bool spring = state->stiffness[0] != 0 || state->stiffness[1] != 0 || state->stiffness[2] != 0;
  bool damper = state->damping[0] != 0 || state->damping[1] != 0 || state->damping[2] != 0;
  if (is_limited(reader, state))
    return "range of tendon";
  if (spring && !option->no_spring)
    return "spring of tendon";
  if (damper && !option->no_damper)
    return "damping of tendon";
  if (state->friction > 0 && !option->no_friction)
    return "friction of tendon";
  return state->armature > 0 ? "armature of tendon" : NULL;
}

// A joint that stands there twice has the sum of its coefficients.
static void add_coefficient(struct dc_mjcf_tendon *tendon, int joint, double coefficient)
{
  int k = 0;
  while (k < tendon->count && tendon->joints[k] != joint)
    k++;
  if (k == tendon->count) {
    tendon->joints[k] = joint;
    tendon->coefficients[k] = 0;
    tendon->count++;
  }
  tendon->coefficients[k] += coefficient;
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
    if (!dc_mjcf_numbers(reader, child, "coef", 1, 1, &coefficient))
      dc_mjcf_refuse(reader, child, DC_BAD_INPUT, "missing attribute \"coef\"");
    int joint = name ? dc_mjcf_find_named(model->joints, model->joint_count, sizeof *model->joints, name) : -1;
    if (joint < 0)
      dc_mjcf_refuse(reader, child, DC_BAD_INPUT, "there is no joint %s", dc_json_quote(quoted, name ? name : ""));
    else if (model->joints[joint].type < DC_MJCF_SLIDE)
      dc_mjcf_refuse(reader, child, DC_BAD_INPUT, "joint must be a slide or a hinge");
    if (!reader->status)
      add_coefficient(tendon, joint, coefficient);
  }
  int left = 0;
  for (int k = 0; k < tendon->count; k++)
    if (tendon->coefficients[k] != 0) {
      tendon->joints[left] = tendon->joints[k];
      tendon->coefficients[left++] = tendon->coefficients[k];
    }
  tendon->count = left;
}

// Fixed and spatial tendons, whose states wait for the equalities of joints (dc_mjcf_fold_tendons).  The sites of a
// spatial one are not read, as nothing here runs along them.
void dc_mjcf_read_tendons(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *section)
{
  struct dc_mjcf *model = reader->model;
  for (const struct dc_mjcf_node *node = section->first; node && !reader->status; node = node->next) {
    struct dc_mjcf_tendon tendon = {.node = node, .fixed = strcmp(node->name, "fixed") == 0};
    if (!tendon.fixed && strcmp(node->name, "spatial") != 0)
      continue;
    if (!(tendon.state = dc_arena_alloc(reader->arena, 1, sizeof *tendon.state))) {
      dc_mjcf_refuse(reader, node, DC_MEMORY, "out of memory");
      return;
    }
    *tendon.state = (struct dc_mjcf_tendon_state){.limited = 2};
    tendon.name = dc_mjcf_copy(reader, dc_mjcf_text(reader, node, "name"));
    dc_mjcf_apply_all(reader, node, NULL, is_tendon, apply_tendon, tendon.state);
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

// The equality by which a joint follows another, in proportion; NULL without one, or where it is another law.
static const struct dc_mjcf_coupling *line_of(const struct dc_mjcf *model, int joint, bool *follows)
{
  const struct dc_mjcf_coupling *found = NULL;
  for (size_t e = 0; e < model->coupling_count; e++)
    if (model->couplings[e].joints[0] == joint)
      found = &model->couplings[e];
  *follows = found != NULL;
  const double *p = found ? found->polynomial : NULL;
  bool line = found && p[0] == 0 && p[2] == 0 && p[3] == 0 && p[4] == 0 && found->joints[1] >= 0;
  return line && model->joints[joint].ref == 0 && model->joints[found->joints[1]].ref == 0 ? found : NULL;
}

// The joint that all joints of a fixed tendon follow in proportion, or are, and the change of the tendon's length by
// its coordinate: the tendon is one of that joint alone.  -1: there is none.
static int leader_of(const struct dc_mjcf *model, const struct dc_mjcf_tendon *tendon, double *coefficient)
{
  int leader = -1;
  *coefficient = 0;
  for (int k = 0; k < tendon->count; k++) {
    bool follows, leads;
    const struct dc_mjcf_coupling *line = line_of(model, tendon->joints[k], &follows);
    int own = line ? line->joints[1] : tendon->joints[k];
    line_of(model, own, &leads);
    if ((follows && !line) || leads || (leader >= 0 && own != leader))
      return -1;
    leader = own;
    *coefficient += tendon->coefficients[k] * (line ? line->polynomial[1] : 1);
  }
  return *coefficient != 0 ? leader : -1;
}

// The joint that a fixed tendon is one of alone: its only one, or that which all of its joints follow; -1: none.  The
// only one may follow by another law.
static int joint_of(const struct dc_mjcf *model, const struct dc_mjcf_tendon *tendon, double *coefficient)
{
  int joint = tendon->fixed ? leader_of(model, tendon, coefficient) : -1;
  if (joint >= 0 || !tendon->fixed || tendon->count != 1)
    return joint;
  *coefficient = tendon->coefficients[0];
  return tendon->joints[0];
}

// Tendons of one joint do to that what they do by themselves.  Its spring changes with it, so that lengths come before.
void dc_mjcf_fold_tendons(struct dc_mjcf_reader *reader)
{
  struct dc_mjcf *model = reader->model;
  for (size_t t = 0; t < model->tendon_count; t++)
    for (int k = 0; k < model->tendons[t].count; k++)
      model->tendons[t].state->reference +=
          model->tendons[t].coefficients[k] * model->joints[model->tendons[t].joints[k]].springref;
  for (size_t t = 0; t < model->tendon_count; t++) {
    struct dc_mjcf_tendon *tendon = &model->tendons[t];
    bool single = tendon->count == 1;
    double coefficient = single ? tendon->coefficients[0] : 0;
    int joint = single ? tendon->joints[0] : joint_of(model, tendon, &coefficient);
    if (joint >= 0)
      fold_into_joint(reader, &model->joints[joint], coefficient, tendon->state);
    take_pull(reader, tendon);
    tendon->acts = what_acts(reader, tendon->state);
  }
}

// Finds the tendon that an actuator names.  One of a single joint, or of several that follow one, becomes a gear on
// that joint.
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
  double coefficient;
  int joint = joint_of(model, tendon, &coefficient);
  if (joint < 0)
    return;
  actuator->transmission = DC_MJCF_OF_JOINT;
  actuator->joint = joint;
  actuator->gear[0] *= coefficient;
}
