// SPDX-License-Identifier: Apache-2.0
// Relations between the bodies of an MJCF model: pairs and exclusions, equalities, keyframes.
//
// Pairs are read after the bodies, equalities after the tendons, and keyframes after the actuators (read_model in
// mjcf_load.c), so that names become indices at once.  An equality may move bodies in the list (mjcf_hold.c).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/json/json_value.h"
#include "io/robot/mjcf_reader.h"
#include "math/rotation.h"
#include "math/vector.h"

// Room for one more.
static bool make_room(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, void *array, size_t *room,
                      size_t count, size_t size)
{
  if (count >= DC_MJCF_MOST)
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "more than %d of these", DC_MJCF_MOST);
  else if (dc_grow(array, room, count + 1, size))
    dc_mjcf_refuse(reader, node, DC_MEMORY, "out of memory");
  return !reader->status;
}

// The index of what an attribute names among items that begin with their names; -1: refused, or it is not given.
static int named(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const char *attribute,
                 const void *items, size_t count, size_t size, bool needed)
{
  char quoted[DC_JSON_QUOTED];
  const char *name = dc_mjcf_text(reader, node, attribute);
  int found = name ? dc_mjcf_find_named(items, count, size, name) : -1;
  if (!name && needed)
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "missing attribute \"%s\"", attribute);
  if (name && found < 0)
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "%s: there is no %s", attribute, dc_json_quote(quoted, name));
  return found;
}

// Body 0 is the world, which has no element of its own.
static int body_named(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const char *attribute)
{
  const struct dc_mjcf *model = reader->model;
  const char *name = dc_mjcf_text(reader, node, attribute);
  if (name && strcmp(name, "world") == 0)
    return 0;
  return named(reader, node, attribute, model->bodies, model->body_count, sizeof *model->bodies, true);
}

// The attributes of a pair, from defaults and the element.  Five numbers of friction are two tangential ones, one
// about the normal, and two of rolling; the first counts, and a second one that differs is named.
struct pair_state {
  int condim;
  double friction[5];
};

// Called for the defaults first and then for the element, so that later numbers win.
static void apply_pair(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, void *target)
{
  struct pair_state *state = target;
  dc_mjcf_integer(reader, node, "condim", &state->condim);
  dc_mjcf_numbers(reader, node, "friction", 1, 5, state->friction);
}

// A pair of geometries that touch by rules of their own, which override what either of them says. Two different
// coefficients of sliding friction (elliptic cones that are no circles) do not exist here; uneven notes them.
static void add_pair(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node)
{
  struct dc_mjcf *model = reader->model;
  struct pair_state state = {.condim = 3, .friction = {1, 1}};
  struct dc_mjcf_pair pair = {.node = node};
  dc_mjcf_text(reader, node, "name");
  dc_mjcf_apply_all(reader, node, NULL, NULL, apply_pair, &state);
  for (int k = 0; k < 2; k++)
    pair.geoms[k] =
        named(reader, node, k ? "geom2" : "geom1", model->geoms, model->geom_count, sizeof *model->geoms, true);
  if (reader->status)
    return;
  // Whatever the pair does not say is that of its class of defaults; friction and condim of the geometries have no
  // say.
  pair.condim = state.condim;
  pair.friction = state.friction[0];
  pair.uneven = state.condim > 1 && state.friction[0] != state.friction[1];
  if (pair.friction < 0)
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "friction must not be negative");
  if (make_room(reader, node, &model->pairs, &model->room.pairs, model->pair_count, sizeof *model->pairs))
    model->pairs[model->pair_count++] = pair;
}

// <pair> and <exclude>.  Bodies and geometries are known by then, so names become indices at once.
void dc_mjcf_read_contact(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *section)
{
  struct dc_mjcf *model = reader->model;
  for (const struct dc_mjcf_node *node = section->first; node && !reader->status; node = node->next) {
    if (strcmp(node->name, "pair") == 0)
      add_pair(reader, node);
    if (strcmp(node->name, "exclude") != 0)
      continue;
    int a = body_named(reader, node, "body1"), b = body_named(reader, node, "body2");
    if (!reader->status && make_room(reader, node, &model->excluded, &model->room.excluded, model->excluded_count,
                                     sizeof *model->excluded)) {
      model->excluded[model->excluded_count][0] = a;
      model->excluded[model->excluded_count++][1] = b;
    }
  }
}

// The attributes of an equality, from defaults and the element.  The polynomial is y = sum of p_k x^k, the line
// y = x by default.
struct coupling_state {
  int active;
  double polynomial[5];
};

// Defaults come first, the element last; coefficients that neither gives keep what they had.
static void apply_coupling(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, void *target)
{
  static const char *const truth[] = {"false", "true", NULL};
  struct coupling_state *state = target;
  dc_mjcf_choose(reader, node, "active", truth, &state->active);
  dc_mjcf_numbers(reader, node, "polycoef", 1, 5, state->polynomial);
}

// Defaults of all kinds of equalities stand in <equality>, whatever the element is called.
static bool is_equality(const struct dc_mjcf_node *node, const struct dc_mjcf_node *candidate)
{
  (void)node;
  return strcmp(candidate->name, "equality") == 0;
}

// Nothing is added after a refusal.
static void add_coupling(struct dc_mjcf_reader *reader, const struct dc_mjcf_coupling *coupling)
{
  struct dc_mjcf *model = reader->model;
  if (!reader->status && make_room(reader, coupling->node, &model->couplings, &model->room.couplings,
                                   model->coupling_count, sizeof *model->couplings))
    model->couplings[model->coupling_count++] = *coupling;
}

// Lengths of fixed tendons, of two joints in all, are a relation of these.  About where the description has both,
//     c1 q1 + c2 q2 = p0 of one tendon,     c1 q1 = p0 + p1 (c2 q2) + p2 (c2 q2)^2 + ... of two.
// False: another relation than that.
static bool couple_tendons(const struct dc_mjcf *model, const int tendons[2], const double p[5],
                           struct dc_mjcf_coupling *coupling)
{
  const struct dc_mjcf_tendon *first = &model->tendons[tendons[0]];
  const struct dc_mjcf_tendon *second = tendons[1] >= 0 ? &model->tendons[tendons[1]] : NULL;
  if (!first->fixed || first->count != (second ? 1 : 2))
    return false;
  coupling->joints[0] = first->joints[0];
  coupling->polynomial[0] = p[0] / first->coefficients[0];
  if (!second) {
    coupling->joints[1] = first->joints[1];
    coupling->polynomial[1] = -first->coefficients[1] / first->coefficients[0];
    return coupling->joints[0] != coupling->joints[1];
  }
  if (!second->fixed || second->count != 1)
    return false;
  coupling->joints[1] = second->joints[0];
  double power = 1 / first->coefficients[0];
  for (int k = 1; k < 5; k++)
    coupling->polynomial[k] = p[k] * (power *= second->coefficients[0]);
  return coupling->joints[0] != coupling->joints[1];
}

// A fixed tendon of one joint is a multiple of that joint's coordinate: alone and held it locks the joint. Others
// become a coupling of the joints of both, as far as powers allow, and are named in a note where they do not.
static void add_equality_of_tendons(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node)
{
  const struct dc_mjcf *model = reader->model;
  struct coupling_state state = {.active = 1, .polynomial = {0, 1}};
  struct dc_mjcf_coupling coupling = {.node = node};
  int tendons[2];
  dc_mjcf_text(reader, node, "name");
  dc_mjcf_apply_all(reader, node, NULL, is_equality, apply_coupling, &state);
  for (int k = 0; k < 2; k++)
    tendons[k] = named(reader, node, k ? "tendon2" : "tendon1", model->tendons, model->tendon_count,
                       sizeof *model->tendons, k == 0);
  if (reader->status || !state.active)
    return;
  const struct dc_mjcf_tendon *first = &model->tendons[tendons[0]];
  if (tendons[1] < 0 && first->fixed && first->count == 1 &&
      dc_mjcf_lock(reader->model, first->joints[0], state.polynomial[0] / first->coefficients[0]))
    return;
  if (couple_tendons(model, tendons, state.polynomial, &coupling))
    add_coupling(reader, &coupling);
  else
    dc_mjcf_name_it(reader, node);
}

// Equalities of two joints and of tendons become couplings, those of one joint lock it, welds and connections hold
// bodies where they can; all others are remembered as without counterpart.  Those that are not active say nothing,
// but their attributes are asked for, so that no note calls them idle.
void dc_mjcf_read_equality(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *section)
{
  struct dc_mjcf *model = reader->model;
  for (const struct dc_mjcf_node *node = section->first; node && !reader->status; node = node->next) {
    struct coupling_state state = {.active = 1, .polynomial = {0, 1}};
    bool of_joints = strcmp(node->name, "joint") == 0;
    if (model->option.no_equality)
      continue;
    if (strcmp(node->name, "tendon") == 0) {
      add_equality_of_tendons(reader, node);
      continue;
    }
    if (!of_joints) {
      dc_mjcf_apply_all(reader, node, NULL, is_equality, apply_coupling, &state);
      bool holds = strcmp(node->name, "weld") == 0 || strcmp(node->name, "connect") == 0;
      for (int i = 0; i < node->attribute_count && !state.active; i++)  // it says nothing then
        dc_mjcf_text(reader, node, node->attributes[i].name);
      if (state.active && !(holds && dc_mjcf_hold(reader, node)))
        dc_mjcf_name_it(reader, node);
      continue;
    }
    dc_mjcf_text(reader, node, "name");
    dc_mjcf_apply_all(reader, node, NULL, is_equality, apply_coupling, &state);
    struct dc_mjcf_coupling coupling = {.node = node};
    for (int k = 0; k < 2; k++)
      coupling.joints[k] = named(reader, node, k ? "joint2" : "joint1", model->joints, model->joint_count,
                                 sizeof *model->joints, k == 0);
    memcpy(coupling.polynomial, state.polynomial, sizeof state.polynomial);
    if (reader->status || !state.active)
      continue;
    if (coupling.joints[1] >= 0)
      add_coupling(reader, &coupling);
    else if (!dc_mjcf_lock(model, coupling.joints[0], coupling.polynomial[0]))
      dc_mjcf_name_it(reader, node);
  }
}

// A list of a keyframe.  One of another length is an error only if the keyframe is used, so it is remembered,
// not refused.
static double *key_numbers(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const char *attribute,
                           int wanted, struct dc_mjcf_key *key)
{
  double *numbers;
  int count = dc_mjcf_list(reader, node, attribute, 20 * DC_MJCF_MOST, &numbers);
  if (count && count != wanted)
    key->wrong = attribute;
  return count == wanted ? numbers : NULL;
}

// Quaternions of free and ball joints become of unit length; one of length zero is no turn, as MuJoCo has it.
static void normalize_turns(const struct dc_mjcf *model, double *qpos)
{
  for (size_t j = 0; qpos && j < model->joint_count; j++) {
    int type = model->joints[j].type;
    double *turn = qpos + model->joints[j].qpos + (type == DC_MJCF_FREE ? 3 : 0);
    if (type != DC_MJCF_FREE && type != DC_MJCF_BALL)
      continue;
    if (sqrt(turn[0] * turn[0] + dc_vec_dot(turn + 1, turn + 1)) > 1e-15)
      dc_rotation_normalize(turn);
    else
      memcpy(turn, dc_urdf_identity.rotation, sizeof dc_urdf_identity.rotation);
  }
}

// Keyframes come last, as their lists have an entry for every coordinate, velocity and actuator of the model.
void dc_mjcf_read_keys(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *section)
{
  struct dc_mjcf *model = reader->model;
  for (const struct dc_mjcf_node *node = section->first; node && !reader->status; node = node->next) {
    struct dc_mjcf_key key = {.node = node};
    if (strcmp(node->name, "key") != 0)
      continue;
    key.name = dc_mjcf_copy(reader, dc_mjcf_text(reader, node, "name"));
    key.qpos = key_numbers(reader, node, "qpos", model->nq, &key);
    normalize_turns(model, key.qpos);
    key.qvel = key_numbers(reader, node, "qvel", model->nv, &key);
    key.ctrl = key_numbers(reader, node, "ctrl", (int)model->actuator_count, &key);
    if (!reader->status &&
        make_room(reader, node, &model->keys, &model->room.keys, model->key_count, sizeof *model->keys))
      model->keys[model->key_count++] = key;
  }
}
