// SPDX-License-Identifier: Apache-2.0
// Models of MuJoCo: what a scene gets has the poses, masses, kinetic energies and weights of what MuJoCo compiles,
// anywhere in the joints' ranges, and so falls alike.
#include <config.h>

#include "harness.h"

#ifdef DC_MUJOCO

#include "base/random.h"
#include "body/kinematics.h"
#include "dynamics/rollout.h"
#include "dynamics/trajectory.h"
#include "io/robot/model_export.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "mjcf_fixture.h"

// All models at drawn positions and velocities.
static void test_agreement(void)
{
  static const char *const models[] = {"ant", "pusher", "reacher", "humanoid"};
  for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
    struct pair pair;
    open_pair(&pair, models[m], "");
    compare_models(&pair, models[m]);
    close_pair(&pair);
  }
}

// Models that MuJoCo 2.2 reads, too: frames, defaults, inertias of all solids, actuators.
static const char *const small[] = {
    "<mujoco><compiler angle='radian' eulerseq='zYx'/><default><geom type='capsule' size='.1 .3'/><joint "
    "damping='.3'/><default class='s'><joint type='slide' stiffness='4' springref='.2' ref='.1' armature='.5'/>"
    "</default></default><worldbody><body name='a' pos='1 2 3' euler='.3 -.2 .9'><freejoint/><geom/><geom "
    "type='ellipsoid' size='.1 .2 .3' pos='.2 0 .1' axisangle='1 1 0 .4'/><body name='b' pos='0 0 1' xyaxes='1 1 0 0 0 "
    "1'><joint name='j' axis='1 2 0' pos='.1 .2 .3' range='-1 1' limited='true' frictionloss='.7'/><geom "
    "type='cylinder' size='.1 .2' zaxis='1 0 1'/><body name='c' pos='0 1 0' childclass='s'><joint name='k' axis='0 0 "
    "3'/><geom fromto='0 0 0 .3 .4 .5' size='.05' density='500'/></body></body></body></worldbody><actuator><position "
    "joint='j' kp='20' gear='2'/><general joint='k' gainprm='3' biastype='affine' biasprm='1 -2 "
    "-3'/></actuator></mujoco>",
    "<mujoco><compiler boundmass='3' boundinertia='.2' balanceinertia='true'/><worldbody><body name='a'><inertial "
    "pos='.1 "
    ".2 .3' quat='1 2 3 4' mass='2' diaginertia='.1 .5 .9'/><joint name='j' type='ball' pos='0 0 1' "
    "damping='.2'/><body "
    "name='b' pos='0 1 0' axisangle='0 1 0 30'><joint name='k' axis='1 0 0' range='-30 40' limited='true' "
    "ref='10'/><geom type='box' size='.1 .2 .3'/></body></body></worldbody></mujoco>",
    "<mujoco><compiler settotalmass='7' inertiafromgeom='true' inertiagrouprange='1 2'/><worldbody><body "
    "name='a'><inertial "
    "pos='9 9 9' mass='99' diaginertia='9 9 9'/><joint name='j'/><geom size='.1'/><geom type='box' size='.1 .1 .1' "
    "pos='1 0 "
    "0' group='1'/><geom type='box' fromto='0 0 0 1 1 0' size='.1' mass='3' group='2'/><body name='b' pos='0 0 "
    "1'><joint "
    "name='k' type='slide' axis='1 1 1'/><geom type='ellipsoid' fromto='0 0 1 1 1 0' size='.2' "
    "group='2'/></body></body>"
    "</worldbody></mujoco>",
};

// Passive forces and gains of joints that are the only one of their bodies.
static void compare_joints(const struct pair *pair, const char *name)
{
  const mjModel *model = pair->model;
  for (int i = 0; i < pair->scene->model.bodies.count; i++) {
    const struct dc_body *body = &pair->scene->model.bodies.bodies[i];
    int id = mj_name2id(model, mjOBJ_BODY, body->name), joint = id > 0 ? model->body_jntadr[id] : -1;
    if (joint < 0 || body->part_count != 1)
      continue;
    const struct dc_joint_part *part = &body->parts[0];
    int dof = model->jnt_dofadr[joint], q = model->jnt_qposadr[joint];
    CHECK_NEAR(part->passive.damping, model->dof_damping[dof], 1e-15);
    CHECK_NEAR(part->passive.stiffness, model->jnt_stiffness[joint], 1e-15);
    if (part->kind == DC_PART_BALL)
      continue;
    CHECK_NEAR(part->passive.armature, model->dof_armature[dof], 1e-15);
    CHECK_NEAR(part->passive.dry_friction, model->dof_frictionloss[dof], 1e-15);
    if (part->passive.stiffness > 0)
      CHECK_NEAR(part->passive.rest, model->qpos_spring[q] - model->qpos0[q], 1e-15);
    for (int k = 0; k < 2 && model->jnt_limited[joint]; k++)
      CHECK_NEAR(part->range[k], model->jnt_range[2 * joint + k] - model->qpos0[q], 1e-15);
    CHECK(model->jnt_limited[joint] == !isinf(part->range[0]), "%s: range of %s", name, body->name);
    for (int a = 0; a < model->nu; a++) {
      const mjtNum *bias = model->actuator_biasprm + a * mjNBIAS;
      double gear = model->actuator_gear[6 * a], origin = dc_target_origin(&pair->scene->model.bodies, part, 0);
      if (model->actuator_trnid[2 * a] != joint)
        continue;
      CHECK_NEAR(body->pd->kp, -bias[1] * gear * gear, 1e-12);
      CHECK_NEAR(body->pd->kd, -bias[2] * gear * gear, 1e-12);
      // the force at the start and without control
      CHECK_NEAR(body->pd->kp * origin, gear * (bias[0] + bias[1] * gear * model->qpos0[q]), 1e-12);
    }
  }
}

static void test_small(void)
{
  for (size_t m = 0; m < sizeof small / sizeof *small; m++) {
    struct pair pair;
    char name[32], text[4000];
    snprintf(name, sizeof name, "small %zu", m);
    size_t size = strlen(small[m]);
    for (size_t k = 0; k <= size; k++)
      text[k] = small[m][k] == '\'' ? '"' : small[m][k];
    write_bytes("model.xml", text, size);
    open_files(&pair, "model.xml", "model.xml", "");
    if (pair.scene && pair.model)
      compare_joints(&pair, name);
    compare_models(&pair, name);
    close_pair(&pair);
  }
}

// A fifth of a second of motion without contact: springs, dampers, rotors, friction, servos, ball joints, gravity of
// the file, controls and velocities of a keyframe.  Steps of 0.5 ms of implicit Euler here, of 0.1 ms there.
static void test_motion(void)
{
  static const char model[] =
      "<mujoco><option timestep=\"1e-4\" gravity=\"1 0 -4\"><flag contact=\"disable\"/></option><worldbody>"
      "<body name=\"a\"><joint name=\"j\" axis=\"0 1 0\" damping=\"0.4\" armature=\"0.3\"/><geom type=\"capsule\" "
      "fromto=\"0 0 0 .5 0 0\" size=\".05\"/><body name=\"b\" pos=\".5 0 0\"><joint name=\"k\" axis=\"0 1 0\" "
      "stiffness=\"20\" springref=\"40\" frictionloss=\"0.5\"/><geom type=\"capsule\" fromto=\"0 0 0 .4 0 0\" "
      "size=\".04\"/>"
      "<body name=\"c\" pos=\".4 0 0\"><joint type=\"ball\" damping=\"0.05\"/><geom type=\"box\" size=\".1 .05 .02\" "
      "pos=\".1 0 0\"/></body></body></body><body name=\"d\" pos=\"0 5 0\"><joint type=\"free\" damping=\"2\"/><geom "
      "type=\"box\" size=\".1 .2 .3\" mass=\"3\" pos=\".1 0 0\"/></body><body name=\"e\" pos=\"0 9 0\"><joint "
      "name=\"s\" "
      "type=\"slide\" axis=\"1 0 0\"/><geom size=\".1\" mass=\"2\"/></body></worldbody><actuator><position joint=\"j\" "
      "kp=\"60\"/><motor joint=\"s\" gear=\"3\"/><general joint=\"s\" gainprm=\"0\" biastype=\"affine\" biasprm=\"1 -5 "
      "-2\"/></actuator><keyframe><key name=\"k\" qpos=\"0.1 0.2 1 0 0 0 0 5 0 1 0 0 0 .3\" qvel=\"1 -1 1 2 3 1 0 0 0 "
      "1 2 .5\" "
      "ctrl=\"0.6 2 0\"/></keyframe></mujoco>";
  enum { STEPS = 400 };
  struct pair pair;
  struct dc_error error = {0};
  write_bytes("model.xml", model, strlen(model));
  open_files(&pair, "model.xml", "model.xml", ", 'keyframe': 'k'");
  if (!pair.scene || !pair.model)
    return;
  struct dc_model *scene = &pair.scene->model;
  scene->definition.time.step = 5e-4;
  struct dc_rollout *rollout = dc_rollout_create(scene, &error);
  struct dc_rollout_input *input = dc_rollout_input_create(scene, STEPS);
  struct dc_trajectory *trajectory = dc_trajectory_create(scene, STEPS);
  CHECK(rollout && input && trajectory, "%s", error.text);
  CHECK(dc_rollout_forward(rollout, input, trajectory, &error) == DC_OK, "%s", error.text);
  mjData *data = mj_makeData(pair.model);
  mj_resetDataKeyframe(pair.model, data, 0);
  double start[MOST_BODIES][3] = {{0}};
  mj_forward(pair.model, data);
  memcpy(start, data->xipos, (size_t)pair.model->nbody * sizeof *start);
  for (int k = 0; k < 5 * STEPS; k++)
    mj_step(pair.model, data);
  mj_forward(pair.model, data);
  const struct dc_pose *poses = trajectory->poses + (size_t)STEPS * (size_t)trajectory->bodies;
  for (int i = 0; i < scene->bodies.count; i++) {
    int id = mj_name2id(pair.model, mjOBJ_BODY, scene->bodies.bodies[i].name);
    double moved = dc_vec_distance(start[id], data->xipos + 3 * id), turned = 0;
    CHECK(dc_vec_distance(poses[i].position, data->xipos + 3 * id) <= 0.01 * moved, "%s is off by %g of %g m",
          scene->bodies.bodies[i].name, dc_vec_distance(poses[i].position, data->xipos + 3 * id), moved);
    for (int k = 0; k < 9; k++)
      turned = larger(turned, fabs(poses[i].rotation[k] - data->xmat[9 * id + k]));
    CHECK(turned <= 0.01, "%s is turned by %g", scene->bodies.bodies[i].name, turned);
  }
  mj_deleteData(data);
  dc_trajectory_destroy(trajectory);
  dc_rollout_input_destroy(input);
  dc_rollout_destroy(rollout);
  close_pair(&pair);
}

// Included where and as the scene says.
static void test_placed(void)
{
  struct pair pair;
  open_pair(&pair, "reacher", ", 'prefix': 'r_', 'position': [1, 2, 3]");
  CHECK(pair.scene != NULL, " ");
  if (!pair.scene)
    return;
  const struct dc_body *body = &pair.scene->model.bodies.bodies[0];
  CHECK(strcmp(body->name, "r_first") == 0, "%s", body->name);
  CHECK_NEAR(body->start.position[0], 1.05, 1e-9);  // the centre of the link
  CHECK_NEAR(body->start.position[2], 3.1, 1e-9);
  close_pair(&pair);
}

static void test_keyframe(void)
{
  struct pair pair;
  open_pair(&pair, "ant", ", 'keyframe': 'tilted'");
  CHECK(pair.scene != NULL, " ");
  if (!pair.scene)
    return;
  const struct dc_bodies *bodies = &pair.scene->model.bodies;
  mjData *data = mj_makeData(pair.model);
  mj_resetDataKeyframe(pair.model, data, 0);
  mj_forward(pair.model, data);
  double q[64], v[64], twists[16][6], arm[3];
  struct dc_kinematics kinematics;
  dc_initial_state(bodies, q);
  dc_initial_velocity(bodies, v);
  CHECK(dc_kinematics_create(bodies, pair.arena, &kinematics, NULL) == DC_OK, " ");
  dc_kinematics_update(bodies, q, &kinematics);
  dc_twists(bodies, &kinematics, v, twists);
  mj_comVel(pair.model, data);
  for (int i = 0; i < bodies->count; i++) {
    int body = mj_name2id(pair.model, mjOBJ_BODY, bodies->bodies[i].name);
    mjtNum velocity[6];
    if (body < 0)
      continue;
    mj_objectVelocity(pair.model, data, mjOBJ_BODY, body, velocity, 0);  // w and v at the inertial frame, world axes
    dc_vec_sub(arm, kinematics.poses[i].position, data->xipos + 3 * body);
    CHECK_NEAR(dc_vec_norm(arm), 0, 1e-9);
    for (int k = 0; k < 6; k++)
      CHECK_NEAR(twists[i][k], velocity[k], 1e-9);
  }
  mj_deleteData(data);
  close_pair(&pair);
}

static void test_start_and_actuators(void)
{
  struct tree tree = {0};
  copy_model("pusher", "robot.urdf");
  load_as(&tree, "{'file': 'robot.urdf', 'joint_position': {'pan': 0.5, 'elbow': -1}}", NULL);
  CHECK(tree.status == DC_OK, "%s", tree.error.text);
  check_json(find_body(&tree, "shoulder"), "joint_position", "[0.5,0]");
  check_json(find_body(&tree, "forearm"), "joint_position", "[-1]");
  check_json(find_body(&tree, "shoulder"), "pd",
             "{'kp':40,'kd':0,'kp_each':[40,30],'kd_each':[0,0],'target':[0.5,-0.2]}");  // no control: the file's 0
  check_json(find_body(&tree, "forearm"), "pd", "{'kp':0,'kd':12}");                     // 4 times 3, the gear twice
  check_json(find_body(&tree, "forearm"), "joint", "{'type':'hinge','damping':0.5}");
  check_json(find_body(&tree, "object"), "pd", "-");
  CHECK(!find_body(&tree, "roll_frame") && !find_body(&tree, "mount"), "frames are no bodies");
  check_json(find_body(&tree, "upper"), "parent", "'shoulder'");  // by the joint of the frame without mass
  check_json(find_body(&tree, "upper"), "range", "[-1.5,1.7]");
  check_json(find_body(&tree, "tip"), "parent", "'forearm'");
  check_json(find_body(&tree, "tip"), "position", "[0.35,0,0]");
  check_json(find_body(&tree, "tip"), "collide_except", "['shoulder']");
  check_note(&tree, "round geometry by hulls of points");
  unload(&tree);
}

// The limit of a force, times the gear; of a motor, that of its control.
static void test_effort(void)
{
  static const char model[] =
      "<mujoco><worldbody><body name='a'><joint name='j' type='hinge'/><geom type='box' size='.1 .1 .1'/></body>"
      "<body name='b' pos='1 0 0'><joint name='k' type='hinge'/><geom type='box' size='.1 .1 .1'/></body></worldbody>"
      "<actuator><position joint='j' kp='10' gear='2' forcelimited='true' forcerange='-3 4'/>"
      "<motor joint='k' gear='5' ctrllimited='true' ctrlrange='-1 1'/></actuator></mujoco>";
  struct tree tree = {0};
  load_as(&tree, "{'file': 'robot.urdf', 'effort': 'file'}", model);
  check_json(find_body(&tree, "a"), "pd", "{'kp':40,'kd':0,'effort':8}");
  check_json(find_body(&tree, "b"), "pd", "-");
  unload(&tree);
  load_as(&tree, "{'file': 'robot.urdf', 'effort': 'file', 'pd': {'kp': 1}}", model);
  check_json(find_body(&tree, "b"), "pd", "{'kp':1,'effort':5}");
  unload(&tree);
  load_as(&tree, "{'file': 'robot.urdf'}", model);  // the default
  check_json(find_body(&tree, "a"), "pd", "{'kp':40,'kd':0,'effort':8}");
  unload(&tree);
  load_as(&tree, "{'file': 'robot.urdf', 'effort': 'none'}", model);
  check_json(find_body(&tree, "a"), "pd", "{'kp':40,'kd':0}");
  unload(&tree);
}

static void test_couplings(void)
{
  struct tree tree = {0};
  copy_model("reacher", "robot.urdf");
  load_as(&tree, "'robot.urdf'", NULL);
  CHECK(tree.status == DC_OK, "%s", tree.error.text);
  check_json(cJSON_GetArrayItem(member(tree.build.document.root, "couplings"), 0), "body", "'right'");
  check_json(cJSON_GetArrayItem(member(tree.build.document.root, "couplings"), 0), "multiplier", "-1");
  unload(&tree);
}

// Ant's parts touch the floor only, Humanoid's all but neighbours and what is excluded.
static void test_filters(void)
{
  struct tree tree = {0};
  copy_model("ant", "robot.urdf");
  load_as(&tree, "'robot.urdf'", NULL);
  check_json(find_body(&tree, "foot2"), "collide_except", "['torso','leg1','foot1']");  // and what it hangs on
  check_json(find_body(&tree, "floor"), "collide_except", "-");
  check_json(find_body(&tree, "foot2"), "friction", "0.8");
  unload(&tree);
  copy_model("humanoid", "robot.urdf");
  load_as(&tree, "'robot.urdf'", NULL);
  check_json(find_body(&tree, "thigh"), "collide_except", "['waist']");
  check_json(find_body(&tree, "shin"), "collide_except", "-");
  check_note(&tree, "starts moved into the ranges of joints: knee");
  unload(&tree);
}

// What is exported as MJCF is the scene's model to MuJoCo; and included again.
static void test_export(void)
{
  static const char *const models[] = {"ant", "pusher", "reacher", "humanoid"};
  for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
    struct pair pair, again;
    struct dc_error error = {0};
    open_pair(&pair, models[m], "");
    if (!pair.scene)
      continue;
    struct dc_notes notes = {.arena = pair.arena};
    enum dc_status status = dc_model_write_mjcf(&pair.scene->model, "a<b", "exported.xml", &notes, &error);
    CHECK(status == DC_OK, "%s", error.text);
    open_files(&again, "exported.xml", "exported.xml", ", 'keyframe': 'start'");
    if (again.scene) {
      compare_models(&again, models[m]);
      compare_scenes(&pair, again.scene, 1e-8, models[m]);  // seen: 2e-9, by MuJoCo's axes of inertias
      struct dc_scene *first = again.scene;
      again.scene = pair.scene;  // the original's bodies beside the exported model
      compare_models(&again, models[m]);
      again.scene = first;
    }
    close_pair(&again);
    close_pair(&pair);
  }
}

// URDF, too; it takes the ball of one of them apart, so that its coordinates are others.
static void test_urdf_export(void)
{
  // not the pusher, whose arm may touch the base that it hangs on: URDF has no word for that
  static const char *const models[] = {"ant", "humanoid"};
  for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
    struct pair pair;
    struct dc_scene *again = NULL;
    struct dc_error error = {0};
    open_pair(&pair, models[m], "");
    if (!pair.scene)
      continue;
    struct dc_notes notes = {.arena = pair.arena};
    enum dc_status status = dc_model_write_urdf(&pair.scene->model, "r", "exported.urdf", &notes, &error);
    CHECK(status == DC_OK, "%s", error.text);
    write_scene("again.json", "{'contact': {'model': 'bsh'}, " TIME ",\n"
                              "'include': {'file': 'exported.urdf', 'srdf': 'exported.srdf', 'hull_points': 0}}");
    CHECK(dc_scene_read("again.json", NULL, &again, &error) == DC_OK, "%s: %s", models[m], error.text);
    if (again)
      compare_scenes(&pair, again, 1e-9, models[m]);
    dc_scene_destroy(again);
    close_pair(&pair);
  }
}

#define BODY(inner) "<body name='b'><joint name='j'/><geom size='0.1'/>" inner "</body>"
static void refuse(const char *include, const char *robot, const char *message)
{
  struct tree tree = {0};
  load_as(&tree, include, robot);
  CHECK(tree.status == DC_BAD_INPUT, "%d", tree.status);
  CHECK(strstr(tree.error.text, message) != NULL, "%s", tree.error.text);
  unload(&tree);
}

static void test_refused(void)
{
  static const char tendon[] =
      "<mujoco><worldbody>" BODY("<site name='s'/>") "<site name='t'/></worldbody>"
                                                     "<tendon><spatial name='rope' stiffness='2'><site site='s'/><site "
                                                     "site='t'/></spatial></tendon>"
                                                     "<equality><flex name='glue' flex='f'/></equality></mujoco>";
  static const char rope[] =
      "<mujoco><worldbody>" BODY("<site name='s'/>") "<site name='t'/></worldbody><tendon><spatial name='rope' "
                                                     "stiffness='2'><site site='s'/><site "
                                                     "site='t'/></spatial></tendon></mujoco>";
  refuse("'robot.urdf'", tendon, "nothing here corresponds to equality glue (line 1) (");
  refuse("{'file': 'robot.urdf', 'unsupported': 'refuse'}", rope,
         "nothing here corresponds to spring of tendon rope (line 1)");
  struct tree tree = {0};
  load_as(&tree, "{'file': 'robot.urdf', 'unsupported': 'skip'}", tendon);
  CHECK(tree.status == DC_OK, "%s", tree.error.text);
  check_note(&tree, "left out, as nothing here corresponds to it: equality glue (line 1)");
  check_note(&tree, "moves without forces that nothing here corresponds to: spring of tendon rope (line 1)");
  unload(&tree);
  tree = (struct tree){0};
  load_as(&tree, "'robot.urdf'", rope);
  CHECK(tree.status == DC_OK, "%s", tree.error.text);
  check_note(&tree, "moves without forces that nothing here corresponds to: spring of tendon rope (line 1)");
  unload(&tree);
  refuse("'robot.urdf'", "<mujoco><worldbody><geom/></worldbody></mujoco>",
         "robot.urdf:1:20: <geom>: size must hold 1 number > 0");
  refuse("'robot.urdf'", "<mujoco><worldbody></mujoco>", "robot.urdf:1:22: not well-formed");
  refuse("'robot.urdf'", "<!DOCTYPE a><mujoco/>", "robot.urdf:1:12: DOCTYPE is not allowed");
  refuse("{'file': 'robot.urdf', 'keyframe': 'up'}", "<mujoco/>", "has no keyframe \"up\"");
  refuse("{'file': 'robot.urdf', 'base': 'free'}", "<mujoco/>", "must not be given for an MJCF file");
  refuse("{'file': 'robot.urdf', 'joint_position': {'k': 1}}", "<mujoco><worldbody>" BODY("") "</worldbody></mujoco>",
         "no such hinge or slide");
  refuse("'robot.urdf'",
         "<mujoco><worldbody><body name='b'><joint/><body name='a'><geom size='1'/></body><body name='c'><geom "
         "size='1'/></body></body></worldbody></mujoco>",
         "<body \"b\">: moves without a mass");
}

#define MESH(name)                                                                                                     \
  "<asset><mesh name='m' file='" name "'/></asset><worldbody><body><freejoint/><geom type='mesh' mesh='m'/></body>"    \
  "</worldbody></mujoco>"

// Only files that the scene may read are read, none of them within itself, and no more than can be.
static void test_files(void)
{
  char bomb[8000] = "<mujoco><worldbody>";
  static const char beyond[] = "lies outside the scene's folder";
  refuse("'robot.urdf'", "<mujoco><include file='/etc/hostname'/></mujoco>", beyond);
  refuse("'robot.urdf'", "<mujoco><compiler meshdir='/etc'/>" MESH("hostname"), beyond);
  refuse("'robot.urdf'", "<mujoco><compiler meshdir='..'/>" MESH("../etc/hostname"), "robot.urdf:1:");
  write_bytes("inner.xml", "<mujoco><include file='/etc/hostname'/></mujoco>", 48);
  refuse("'robot.urdf'", "<mujoco><include file='inner.xml'/></mujoco>", beyond);
  refuse("'robot.urdf'", "<mujoco>" MESH("none.stl"), "No such file");
  write_bytes("one.xml", "<mujoco><include file='two.xml'/></mujoco>", 42);
  write_bytes("two.xml", "<mujoco><include file='one.xml'/></mujoco>", 42);
  refuse("'robot.urdf'", "<mujoco><include file='one.xml'/></mujoco>", "one.xml includes itself");
  refuse("'robot.urdf'", "<mujoco><include file='robot.urdf'/></mujoco>", "robot.urdf includes itself");
  for (int k = 0; k < 6; k++)  // 10^24 copies of nothing
    strcat(bomb, "<replicate count='10000'>");
  for (int k = 0; k < 6; k++)
    strcat(bomb, "</replicate>");
  strcat(bomb, "</worldbody></mujoco>");
  refuse("'robot.urdf'", bomb, "more than 1000000 ");
  strcpy(bomb, "<mujoco>");
  for (int k = 0; k < 600; k++)
    strcat(bomb, "<b>");
  refuse("'robot.urdf'", bomb, "elements stand too deep in each other");
}

RUN_TESTS_IN_TEMPORARY_FOLDER({"agrees with MuJoCo", test_agreement}, {"small models agree, too", test_small},
                              {"motion", test_motion}, {"included with a prefix and a place", test_placed},
                              {"keyframes", test_keyframe}, {"limits of effort", test_effort},
                              {"starts, actuators, bodies without mass", test_start_and_actuators},
                              {"couplings", test_couplings}, {"who touches whom", test_filters},
                              {"what is refused", test_refused}, {"export as MJCF", test_export},
                              {"export as URDF", test_urdf_export}, {"files", test_files})

#else

static void test_nothing(void)
{
  SKIP("built without MuJoCo");
}

RUN_TESTS({"models of MuJoCo", test_nothing})

#endif
