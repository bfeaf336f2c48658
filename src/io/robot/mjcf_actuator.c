// SPDX-License-Identifier: Apache-2.0
// Actuators of an MJCF model.  All kinds are a general one with some numbers set, in defaults too, where they share
// what the kinds before have set:
//     force = gear (gain u + bias0 + bias1 gear q + bias2 gear v).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/json/json_value.h"
#include "io/robot/mjcf_reader.h"

enum kind { GENERAL, MOTOR, POSITION, VELOCITY, INTVELOCITY, DAMPER, CYLINDER, MUSCLE, ADHESION, KINDS };
static const char *const kinds[] = {"general", "motor",    "position", "velocity", "intvelocity",
                                    "damper",  "cylinder", "muscle",   "adhesion", NULL};
enum { FIXED_GAIN, NO_BIAS = 0, AFFINE_BIAS = 1, NO_DYNAMICS = 0, STRANGE = 9 };

// An actuator while its defaults and its own attributes are applied.  gain_type, bias_type and dynamics are
// indices into the words of the format; STRANGE stands for a gain that nothing here computes.
//
// Limits are 0, 1, or 2 for "auto", which asks controlled and forced: whether a range has been given anywhere.
// inherit is the factor of "inheritrange", 0 without.
struct actuator_state {
  struct dc_mjcf_actuator actuator;
  int gain_type, bias_type, dynamics, group;
  int control_limited, force_limited;
  bool controlled, forced;
  double inherit;
};

static int kind_of(const struct dc_mjcf_node *node)
{
  int kind = 0;
  while (kind < KINDS && strcmp(kinds[kind], node->name) != 0)
    kind++;
  return kind;
}

// Any kind in <default> says something of an actuator of any other kind, because MuJoCo keeps one set of
// numbers for all of them.
static bool is_actuator(const struct dc_mjcf_node *node, const struct dc_mjcf_node *candidate)
{
  (void)node;
  return kind_of(candidate) < KINDS;
}

// The general actuator.  Words that nothing here computes (affine gains, muscles, user functions) are taken as
// their indices, by which add_actuator() marks the actuator as not simple.  Only the first number of gainprm
// and the first three of biasprm have a meaning here; the others are read so that a wrong number of them is
// still refused.
static void apply_general(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, struct actuator_state *state)
{
  static const char *const dynamics[] = {"none", "integrator", "filter", "filterexact", "muscle", "user", NULL};
  static const char *const gains[] = {"fixed", "affine", "muscle", "user", NULL};
  static const char *const biases[] = {"none", "affine", "muscle", "user", NULL};
  double gain[10] = {state->actuator.gain}, bias[10] = {0};
  memcpy(bias, state->actuator.bias, sizeof state->actuator.bias);
  dc_mjcf_choose(reader, node, "dyntype", dynamics, &state->dynamics);
  dc_mjcf_choose(reader, node, "gaintype", gains, &state->gain_type);
  dc_mjcf_choose(reader, node, "biastype", biases, &state->bias_type);
  dc_mjcf_numbers(reader, node, "gainprm", 1, 10, gain);
  dc_mjcf_numbers(reader, node, "biasprm", 1, 10, bias);
  state->actuator.gain = gain[0];
  memcpy(state->actuator.bias, bias, sizeof state->actuator.bias);
}

// A servo: force = kp (u - gear q) - kv gear v, which is the general actuator with gain kp and the bias (0,
// -kp, -kv).  A ratio of damping is kept as a positive bias2 until masses are known; dc_mjcf_finish_actuators()
// then turns it into a coefficient.  "intvelocity" integrates its control, which is the first kind of dynamics.
static void apply_servo(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, struct actuator_state *state)
{
  struct dc_mjcf_actuator *actuator = &state->actuator;
  double kp = actuator->gain, damping;
  dc_mjcf_number(reader, node, "kp", &kp);
  actuator->gain = kp;
  actuator->bias[0] = 0;
  actuator->bias[1] = -kp;
  if (dc_mjcf_numbers(reader, node, "kv", 1, 1, &damping))
    actuator->bias[2] = -damping;
  if (dc_mjcf_numbers(reader, node, "dampratio", 1, 1, &damping))
    actuator->bias[2] = damping;
  dc_mjcf_number(reader, node, "inheritrange", &state->inherit);
  state->gain_type = FIXED_GAIN;
  state->bias_type = AFFINE_BIAS;
  state->dynamics = strcmp(node->name, "intvelocity") == 0;
}

// Sets those of the general actuator's numbers that its kind stands for.  Kinds without a counterpart (damper,
// cylinder, muscle, adhesion) get the gain type STRANGE; "kv" is asked for only so that no note calls it
// unread.
static void apply_kind(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, struct actuator_state *state)
{
  struct dc_mjcf_actuator *actuator = &state->actuator;
  switch (kind_of(node)) {
  case GENERAL: apply_general(reader, node, state); break;
  case MOTOR:
    actuator->gain = 1;
    memset(actuator->bias, 0, sizeof actuator->bias);
    state->gain_type = FIXED_GAIN;
    state->bias_type = NO_BIAS;
    state->dynamics = NO_DYNAMICS;
    break;
  case POSITION:
  case INTVELOCITY: apply_servo(reader, node, state); break;
  case VELOCITY:
    dc_mjcf_number(reader, node, "kv", &actuator->gain);
    memcpy(actuator->bias, (double[3]){0, 0, -actuator->gain}, sizeof actuator->bias);
    state->gain_type = FIXED_GAIN;
    state->bias_type = AFFINE_BIAS;
    state->dynamics = NO_DYNAMICS;
    break;
  default:
    dc_mjcf_text(reader, node, "kv");
    state->gain_type = STRANGE;
    break;
  }
}

// The attributes that all kinds have, then those of the kind.
static void apply_actuator(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, void *target)
{
  static const char *const limits[] = {"false", "true", "auto", NULL};
  struct actuator_state *state = target;
  dc_mjcf_numbers(reader, node, "gear", 1, 6, state->actuator.gear);
  dc_mjcf_choose(reader, node, "ctrllimited", limits, &state->control_limited);
  dc_mjcf_choose(reader, node, "forcelimited", limits, &state->force_limited);
  state->controlled |= dc_mjcf_numbers(reader, node, "ctrlrange", 2, 2, state->actuator.control) > 0;
  state->forced |= dc_mjcf_numbers(reader, node, "forcerange", 2, 2, state->actuator.force) > 0;
  dc_mjcf_integer(reader, node, "group", &state->group);
  apply_kind(reader, node, state);
}

// Finds what the actuator acts on.
static void find_target(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node,
                        struct dc_mjcf_actuator *actuator)
{
  static const char *const others[] = {"tendon", "site", "body", "cranksite", "slidersite", "refsite"};
  char quoted[DC_JSON_QUOTED];
  const struct dc_mjcf *model = reader->model;
  const char *joint = dc_mjcf_text(reader, node, "joint"), *within = dc_mjcf_text(reader, node, "jointinparent");
  actuator->joint = actuator->tendon = -1;
  actuator->transmission = DC_MJCF_OF_OTHER;
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
    const char *name = dc_mjcf_text(reader, node, others[k]);
    if (name && actuator->transmission == DC_MJCF_OF_OTHER) {
      actuator->transmission = k == 0 ? DC_MJCF_OF_TENDON : k == 1 ? DC_MJCF_OF_SITE : DC_MJCF_OF_OTHER;
      actuator->target = dc_mjcf_copy(reader, name);
    }
  }
  joint = joint ? joint : within;
  if (!joint && actuator->transmission == DC_MJCF_OF_TENDON)
    dc_mjcf_drive_tendon(reader, node, actuator);
  if (!joint)
    return;
  actuator->transmission = DC_MJCF_OF_JOINT;
  actuator->joint = dc_mjcf_find_named(model->joints, model->joint_count, sizeof *model->joints, joint);
  if (actuator->joint < 0)
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "there is no joint %s", dc_json_quote(quoted, joint));
}

// Limits of control and force once defaults are applied.  "inheritrange" takes the range of control of the
// joint's range, about its middle and scaled.  A limit acts when it is said to, or, with "auto", when a range
// is given and the compiler's "autolimits" has not been switched off; otherwise it becomes infinite.
static void finish_limits(struct dc_mjcf_reader *reader, struct actuator_state *state)
{
  struct dc_mjcf_actuator *actuator = &state->actuator;
  const struct dc_mjcf_joint *joint = actuator->joint >= 0 ? &reader->model->joints[actuator->joint] : NULL;
  if (state->inherit > 0 && joint && joint->range[0] < joint->range[1]) {
    double mean = 0.5 * (joint->range[0] + joint->range[1]), half = 0.5 * (joint->range[1] - joint->range[0]);
    actuator->control[0] = mean - state->inherit * half;
    actuator->control[1] = mean + state->inherit * half;
    state->controlled = true;
  }
  bool controlled =
      !reader->model->option.no_clamp &&
      (state->control_limited == 1 || (state->control_limited == 2 && state->controlled && reader->autolimits));
  bool forced = state->force_limited == 1 || (state->force_limited == 2 && state->forced && reader->autolimits);
  if (!controlled)
    memcpy(actuator->control, (double[2]){-INFINITY, INFINITY}, sizeof actuator->control);
  if (!forced)
    memcpy(actuator->force, (double[2]){-INFINITY, INFINITY}, sizeof actuator->force);
}

// Reads one actuator and appends it to the model.  Its flags sum up what a scene can do with it.
// * affine: its force depends on position or velocity.
// * follows: a state stands between its control and its force.
// * simple: the formula above is all that it is.
// * off: the flag "actuation" or its group switches it off.
static void add_actuator(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node)
{
  struct dc_mjcf *model = reader->model;
  struct actuator_state state = {
      .actuator = {.node = node, .gear = {1}, .gain = 1}, .control_limited = 2, .force_limited = 2};
  dc_mjcf_apply_all(reader, node, NULL, is_actuator, apply_actuator, &state);
  struct dc_mjcf_actuator *actuator = &state.actuator;
  actuator->name = dc_mjcf_copy(reader, dc_mjcf_text(reader, node, "name"));
  find_target(reader, node, actuator);
  finish_limits(reader, &state);
  actuator->affine = state.bias_type == AFFINE_BIAS;
  actuator->follows = state.dynamics > NO_DYNAMICS && state.dynamics < 4;
  actuator->simple = state.gain_type == FIXED_GAIN && state.bias_type <= AFFINE_BIAS && state.dynamics < 4;
  actuator->off = model->option.no_actuation ||
                  (state.group >= 0 && state.group <= 30 && (reader->disabled_groups >> state.group & 1));
  if (!actuator->affine)
    memset(actuator->bias, 0, sizeof actuator->bias);
  if (model->actuator_count >= DC_MJCF_MOST)
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "more than %d actuators", DC_MJCF_MOST);
  if (reader->status)
    return;
  if (dc_grow(&model->actuators, &model->room.actuators, model->actuator_count + 1, sizeof *model->actuators))
    dc_mjcf_refuse(reader, node, DC_MEMORY, "out of memory");
  else
    model->actuators[model->actuator_count++] = *actuator;
}

// Elements of the section that are no known kind (plug-ins) are remembered as without counterpart.
void dc_mjcf_read_actuators(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *section)
{
  for (const struct dc_mjcf_node *node = section->first; node && !reader->status; node = node->next) {
    if (kind_of(node) < KINDS)
      add_actuator(reader, node);
    else
      dc_mjcf_name_it(reader, node);
  }
}
