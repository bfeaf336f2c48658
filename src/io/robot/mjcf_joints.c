// SPDX-License-Identifier: Apache-2.0
// Joints of MuJoCo, their starts and actuators.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/robot/mjcf_build.h"
#include "math/rotation.h"
#include "math/vector.h"

enum { MOST_JOINTS = 6 };  // of a body of ours

static bool is_scalar(const mjModel *model, int joint)
{
  return model->jnt_type[joint] == mjJNT_HINGE || model->jnt_type[joint] == mjJNT_SLIDE;
}

// Axis, anchor and range of a joint of a body with that pose.
static void put_joint(struct dc_mjcf_builder *builder, cJSON *object, int joint, const struct dc_urdf_pose *pose,
                      int place)
{
  const mjModel *model = builder->model;
  double rotation[9], axis[3], anchor[3];
  dc_rotation_matrix(rotation, pose->rotation);
  dc_mat_apply(axis, rotation, model->jnt_axis + 3 * joint);
  dc_mat_apply(anchor, rotation, model->jnt_pos + 3 * joint);
  dc_vec_add(anchor, anchor, pose->position);
  if (is_scalar(model, joint))
    dc_urdf_put_direction(&builder->base, object, "axis", axis, 3, place);
  if (model->jnt_type[joint] != mjJNT_SLIDE)
    dc_urdf_put_numbers(&builder->base, object, "anchor", anchor, 3, place);
  if (!model->jnt_limited[joint])
    return;
  const double *range = model->jnt_range + 2 * joint;
  double rest = model->qpos0[model->jnt_qposadr[joint]];
  if (is_scalar(model, joint))
    dc_urdf_put_numbers(&builder->base, object, "range", (double[2]){range[0] - rest, range[1] - rest}, 2, place);
  else
    dc_mjcf_remember(builder, &builder->refused, "range of the ball joint", dc_mjcf_name(builder, mjOBJ_JOINT, joint));
}

// Joints of a body and of those without mass above it, outermost first: joint and the body whose joint it is.
static int list_joints(const struct dc_mjcf_builder *builder, int i, int joints[MOST_JOINTS], int owners[MOST_JOINTS])
{
  const mjModel *model = builder->model;
  int count = 0, total = 0;
  for (int body = i; body > 0; body = builder->links[body].above)
    total += model->body_jntnum[body];
  if (total > MOST_JOINTS)
    return total;
  for (int body = i, end = total; body > 0; body = builder->links[body].above) {
    end -= model->body_jntnum[body];
    for (int k = 0; k < model->body_jntnum[body]; k++, count++) {
      joints[end + k] = model->body_jntadr[body] + k;
      owners[end + k] = body;
    }
  }
  return total;
}

// Whether an equality of MuJoCo makes a joint follow another.
static bool follows(const mjModel *model, int joint)
{
  for (int e = 0; e < model->neq; e++)
    if (model->eq_type[e] == mjEQ_JOINT && model->eq_active[e] && model->eq_obj1id[e] == joint &&
        model->eq_obj2id[e] >= 0)
      return true;
  return false;
}

static double start_of(struct dc_mjcf_builder *builder, int joint)
{
  const mjModel *model = builder->model;
  int place = model->jnt_qposadr[joint];
  double given = builder->use->common.start[joint], start = builder->qpos[place] - model->qpos0[place];
  if (!isnan(given))
    return given;
  if (!model->jnt_limited[joint])
    return start;
  double low = model->jnt_range[2 * joint] - model->qpos0[place],
         high = model->jnt_range[2 * joint + 1] - model->qpos0[place], inside = fmin(fmax(start, low), high);
  if (inside != start)
    dc_mjcf_remember(builder, &builder->clamped, "", dc_mjcf_name(builder, mjOBJ_JOINT, joint));
  return inside;
}

static void check_ball(struct dc_mjcf_builder *builder, int joint)
{
  const mjModel *model = builder->model;
  const double *q = builder->qpos + model->jnt_qposadr[joint];
  if (fabs(q[0]) < 1 - 1e-12)
    dc_mjcf_remember(builder, &builder->refused, "start of the ball joint", dc_mjcf_name(builder, mjOBJ_JOINT, joint));
}

static void put_starts(struct dc_mjcf_builder *builder, cJSON *body, int count, const int *joints, int place)
{
  const mjModel *model = builder->model;
  double positions[MOST_JOINTS], velocities[MOST_JOINTS];
  int scalars = 0;
  bool moved = false, moving = false;
  if (count == 1 && follows(model, joints[0]))
    return;
  for (int k = 0; k < count; k++) {
    if (model->jnt_type[joints[k]] == mjJNT_BALL)
      check_ball(builder, joints[k]);
    if (!is_scalar(model, joints[k]))
      continue;
    positions[scalars] = start_of(builder, joints[k]);
    velocities[scalars] = builder->qvel ? builder->qvel[model->jnt_dofadr[joints[k]]] : 0;
    moved |= positions[scalars] != 0;
    moving |= velocities[scalars++] != 0;
  }
  if (moved)
    dc_urdf_put_numbers(&builder->base, body, "joint_position", positions, scalars, place);
  if (moving)
    dc_urdf_put_numbers(&builder->base, body, "joint_velocity", velocities, scalars, place);
}

// Gains of one joint: of its actuators, force = gear (gain u + bias), bias = b0 + b1 gear q + b2 gear v, and its
// damping.
struct gains {
  bool given;
  double kp, kd, effort;  // effort: sum of the limits of its actuators, 0 when one of them has none
};

// The limit of an actuator's force on its joint; 0: none.  A motor's is that of its control as well.
static double effort_of(const mjModel *model, int a)
{
  const double *force = model->actuator_forcerange + 2 * a, *control = model->actuator_ctrlrange + 2 * a;
  bool motor = model->actuator_biastype[a] == mjBIAS_NONE;
  double effort = INFINITY, gain = fabs(model->actuator_gainprm[a * mjNGAIN]);
  if (model->actuator_forcelimited[a])
    effort = fmax(fabs(force[0]), fabs(force[1]));
  if (motor && model->actuator_ctrllimited[a])
    effort = fmin(effort, gain * fmax(fabs(control[0]), fabs(control[1])));
  return isfinite(effort) ? effort * fabs(model->actuator_gear[6 * a]) : 0;
}

static struct gains find_gains(const mjModel *model, int joint)
{
  struct gains gains = {0};
  bool unlimited = false;
  for (int a = 0; a < model->nu; a++) {
    const double *bias = model->actuator_biasprm + a * mjNBIAS;
    double gear = model->actuator_gear[6 * a];
    if ((model->actuator_trntype[a] != mjTRN_JOINT && model->actuator_trntype[a] != mjTRN_JOINTINPARENT) ||
        model->actuator_trnid[2 * a] != joint)
      continue;
    unlimited |= effort_of(model, a) == 0;
    gains.effort += effort_of(model, a);
    if (model->actuator_biastype[a] != mjBIAS_AFFINE)
      continue;
    gains.given = true;
    gains.kp += fmax(0, -bias[1]) * gear * gear;
    gains.kd += fmax(0, -bias[2]) * gear * gear;
  }
  double damping = model->dof_damping[model->jnt_dofadr[joint]];
  gains.kd += damping;
  gains.given |= damping > 0;
  if (unlimited)
    gains.effort = 0;
  return gains;
}

// The one limit of an actuator of several joints is the least of theirs.
static void put_effort(struct dc_mjcf_builder *builder, cJSON *pd, double effort, int place)
{
  if (builder->use->common.effort && isfinite(effort) && cJSON_IsObject(pd) && !cJSON_HasObjectItem(pd, "effort"))
    dc_urdf_put_number(&builder->base, pd, "effort", effort, place);
}

// One actuator for the whole body: that of its slides and that of its hinges.
static void put_actuators(struct dc_mjcf_builder *builder, cJSON *body, int count, const int *joints, int place)
{
  const mjModel *model = builder->model;
  struct gains kinds[2] = {{0}};  // slides, hinges
  int seen[2] = {0};
  bool unlike = false, scalar = true;
  double effort = INFINITY;
  for (int k = 0; k < count; k++) {
    int kind = model->jnt_type[joints[k]] == mjJNT_HINGE;
    struct gains gains = find_gains(model, joints[k]), *most = &kinds[kind];
    scalar &= is_scalar(model, joints[k]);
    unlike |= seen[kind]++ && (gains.kp != most->kp || gains.kd != most->kd);
    effort = gains.effort > 0 ? fmin(effort, gains.effort) : effort;
    most->given |= gains.given;
    most->kp = fmax(most->kp, gains.kp);
    most->kd = fmax(most->kd, gains.kd);
  }
  if (count == 0 || !scalar || (count == 1 && follows(model, joints[0])))
    return;
  if (builder->use->common.pd) {
    cJSON *copied = cJSON_Duplicate(builder->use->common.pd, true);
    cJSON *pd = dc_urdf_put(&builder->base, body, "pd", copied, builder->use->common.pd->valueint);
    put_effort(builder, pd, effort, place);
    return;
  }
  if (!kinds[0].given && !kinds[1].given)
    return;
  if (unlike)
    dc_mjcf_remember(builder, &builder->dropped, "differences between the gains of joints of the body",
                     dc_mjcf_name(builder, mjOBJ_BODY, model->jnt_bodyid[joints[count - 1]]));
  cJSON *pd = dc_urdf_put(&builder->base, body, "pd", cJSON_CreateObject(), place);
  const struct gains *lengths = seen[0] ? &kinds[0] : &kinds[1];
  dc_urdf_put_number(&builder->base, pd, "kp", lengths->kp, place);
  dc_urdf_put_number(&builder->base, pd, "kd", lengths->kd, place);
  if (seen[0] && seen[1]) {
    dc_urdf_put_number(&builder->base, pd, "kp_rotation", kinds[1].kp, place);
    dc_urdf_put_number(&builder->base, pd, "kd_rotation", kinds[1].kd, place);
  }
  put_effort(builder, pd, effort, place);
}

enum dc_status dc_mjcf_put_joints(struct dc_mjcf_builder *builder, cJSON *body, int i, int place)
{
  static const char *const types[] = {
      [mjJNT_FREE] = "free", [mjJNT_BALL] = "ball", [mjJNT_SLIDE] = "slide", [mjJNT_HINGE] = "hinge"};
  const mjModel *model = builder->model;
  int joints[MOST_JOINTS], owners[MOST_JOINTS], count = list_joints(builder, i, joints, owners);
  char quoted[DC_JSON_QUOTED];
  if (count > MOST_JOINTS)
    return dc_fail(builder->base.error, DC_BAD_INPUT,
                   "%.300s: body %s: more than %d joints, with those of bodies without mass", builder->mjcf->name,
                   dc_json_quote(quoted, dc_mjcf_name(builder, mjOBJ_BODY, i)), MOST_JOINTS);
  if (count == 0) {
    dc_urdf_put_string(&builder->base, body, "joint", "fixed", place);
    return DC_OK;
  }
  if (count == 1) {
    dc_urdf_put_string(&builder->base, body, "joint", types[model->jnt_type[joints[0]]], place);
    if (model->jnt_type[joints[0]] != mjJNT_FREE)
      put_joint(builder, body, joints[0], &builder->links[owners[0]].pose, place);
  } else {
    cJSON *list = dc_urdf_put(&builder->base, body, "joint", cJSON_CreateArray(), place);
    for (int k = 0; k < count; k++) {
      int at = dc_mjcf_place(builder, mjOBJ_JOINT, joints[k]);
      cJSON *joint = dc_urdf_put(&builder->base, list, NULL, cJSON_CreateObject(), at);
      dc_urdf_put_string(&builder->base, joint, "type", types[model->jnt_type[joints[k]]], at);
      put_joint(builder, joint, joints[k], &builder->links[owners[k]].pose, at);
    }
  }
  put_starts(builder, body, count, joints, place);
  put_actuators(builder, body, count, joints, place);
  return DC_OK;
}

// Joint 1 = polynomial of joint 2, about where the description has both: a line is a coupling.
enum dc_status dc_mjcf_put_couplings(struct dc_mjcf_builder *builder)
{
  const mjModel *model = builder->model;
  cJSON *couplings = NULL, *root = builder->base.document->root;
  for (int e = 0; e < model->neq; e++) {
    const double *data = model->eq_data + e * mjNEQDATA;
    int place, joints[2] = {model->eq_obj1id[e], model->eq_obj2id[e]};
    if (!model->eq_active[e])
      continue;
    if (model->eq_type[e] != mjEQ_JOINT || joints[1] < 0 || data[2] != 0 || data[3] != 0 || data[4] != 0) {
      dc_mjcf_remember(builder, &builder->refused, "equality", dc_mjcf_name(builder, mjOBJ_EQUALITY, e));
      continue;
    }
    if (!couplings && !(couplings = cJSON_GetObjectItemCaseSensitive(root, "couplings")))
      couplings = dc_urdf_put(&builder->base, root, "couplings", cJSON_CreateArray(), builder->base.at->valueint);
    place = dc_mjcf_place(builder, mjOBJ_EQUALITY, e);
    cJSON *coupling = dc_urdf_put(&builder->base, couplings, NULL, cJSON_CreateObject(), place);
    for (int side = 0; side < 2; side++)
      dc_urdf_put_string(
          &builder->base, coupling, side ? "to" : "body",
          dc_urdf_named(&builder->base, dc_mjcf_name(builder, mjOBJ_BODY, model->jnt_bodyid[joints[side]]), ""), place);
    dc_urdf_put_number(&builder->base, coupling, "multiplier", data[1], place);
    dc_urdf_put_number(&builder->base, coupling, "offset", data[0], place);
  }
  return DC_OK;
}

// Tendons, skins, actuators that are neither a force on a joint nor a gain on its coordinate and velocity; and what is
// left out without being asked: it is nothing that a model stands or falls with.
void dc_mjcf_find_refused(struct dc_mjcf_builder *builder)
{
  const mjModel *model = builder->model;
  int friction = 0, armature = 0, springs = 0;
  for (int t = 0; t < model->ntendon; t++)
    dc_mjcf_remember(builder, &builder->refused, "tendon", dc_mjcf_name(builder, mjOBJ_TENDON, t));
  for (int g = 0; g < model->ngeom; g++)
    if (model->geom_type[g] == mjGEOM_HFIELD)
      dc_mjcf_remember(builder, &builder->refused, "height field", dc_mjcf_name(builder, mjOBJ_GEOM, g));
  for (int a = 0; a < model->nu; a++) {
    int type = model->actuator_trntype[a];
    bool joint = type == mjTRN_JOINT || type == mjTRN_JOINTINPARENT;
    bool simple = model->actuator_dyntype[a] == mjDYN_NONE && model->actuator_gaintype[a] == mjGAIN_FIXED &&
                  (model->actuator_biastype[a] == mjBIAS_NONE || model->actuator_biastype[a] == mjBIAS_AFFINE);
    if (type != mjTRN_TENDON && (!joint || !simple))  // tendons have been named
      dc_mjcf_remember(builder, &builder->refused, "actuator", dc_mjcf_name(builder, mjOBJ_ACTUATOR, a));
  }
  for (int v = 0; v < model->nv; v++) {
    friction += model->dof_frictionloss[v] > 0;
    armature += model->dof_armature[v] > 0;
  }
  for (int j = 0; j < model->njnt; j++)
    springs += model->jnt_stiffness[j] > 0;
  if (friction)
    dc_mjcf_remember(builder, &builder->dropped, "", "friction of joints");
  if (armature)
    dc_mjcf_remember(builder, &builder->dropped, "", "armature");
  if (springs)
    dc_mjcf_remember(builder, &builder->dropped, "", "springs of joints");
  if (model->nskin)
    dc_mjcf_remember(builder, &builder->dropped, "", "skins");
  if (model->nmocap)
    dc_mjcf_remember(builder, &builder->dropped, "", "motion of mocap bodies");
}
