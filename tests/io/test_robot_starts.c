// SPDX-License-Identifier: Apache-2.0
// Where robots of files start and stop: margins of ranges, which MuJoCo's joints and tendons stop before, turns of balls
// in keyframes, and starts at ends of ranges, which a note tells.
#include "harness.h"

#include "urdf_fixture.h"

#undef BOX
#define BOX "<geom type='box' size='.1 .1 .1' mass='1'/>"
#define ARM(joint) "<body name='b'>" joint BOX "</body>"
#define MODEL(inner, rest) "<mujoco><compiler angle='radian'/><worldbody>" inner "</worldbody>" rest "</mujoco>"
#define KEY(numbers) "<keyframe><key name='k' " numbers "/></keyframe>"

static struct tree tree;

static void open_as(const char *include, const char *model)
{
  tree = (struct tree){0};
  load_as(&tree, include, model);
  CHECK(tree.status == DC_OK, "%s: %s", model, tree.error.text);
}

static void open_model(const char *model)
{
  open_as("'robot.urdf'", model);
}

static void body_has(const char *key, const char *expected)
{
  check_json(find_body(&tree, "b"), key, expected);
}

// MuJoCo's limits have their zero where the distance to an end is the margin, which is never in degrees.
static void test_margins(void)
{
  open_model(MODEL(ARM("<joint range='-1 2' margin='.25'/>"), ""));
  body_has("range", "[-0.75,1.75]");
  unload(&tree);
  open_model("<mujoco><worldbody>" ARM("<joint range='-90 90' margin='.5'/>") "</worldbody></mujoco>");
  const cJSON *range = member(find_body(&tree, "b"), "range");
  CHECK_NEAR(cJSON_GetArrayItem(range, 1)->valuedouble, M_PI / 2 - 0.5, 1e-12);
  unload(&tree);
  open_model("<mujoco><compiler angle='radian'/><default><joint margin='.5'/></default><worldbody>" ARM(
      "<joint type='slide' range='-1 2' ref='1'/>") "</worldbody></mujoco>");
  body_has("range", "[-1.5,0.5]");
  unload(&tree);
  open_model(MODEL(ARM("<joint name='j' range='-1 1' margin='1'/>"), ""));
  body_has("range", "[-1,1]");
  check_note(&tree, "margin, which leaves nothing of the range, of joint j");
  unload(&tree);
  // starts are moved to where a joint stops
  open_model(MODEL(ARM("<joint name='j' range='0 2' margin='.25'/>"), ""));
  body_has("joint_position", "[0.25]");
  check_note(&tree, "starts moved into the ranges of joints: j from 0 to 0.25");
  unload(&tree);
}

#define FIXED(more, coefficient) "<tendon><fixed " more "><joint joint='j' coef='" coefficient "'/></fixed></tendon>"

static void test_tendon_margins(void)
{
  open_model(MODEL(ARM("<joint name='j'/>"), FIXED("range='-1 3' margin='.5'", "-2")));
  body_has("range", "[-1.25,0.25]");
  unload(&tree);
  open_model(MODEL(ARM("<joint name='j' range='-1 1' margin='.25'/>"), FIXED("range='-.5 5'", "1")));
  body_has("range", "[-0.5,0.75]");
  unload(&tree);
  open_model("<mujoco><compiler angle='radian'/><default><tendon margin='.25'/></default><worldbody><body name='a'>"
             "<joint name='i'/>" BOX "</body>" ARM(
                 "<joint name='j'/>") "</worldbody><tendon><fixed range='-1 2'><joint "
                                      "joint='i' coef='1'/><joint joint='j' coef='1'/></fixed></tendon></mujoco>");
  check_json(cJSON_GetArrayItem(member(tree.build.document.root, "tendons"), 0), "range", "[-0.75,1.75]");
  unload(&tree);
  // the range of controls that a servo takes over is that of the joint, whatever a tendon of it may do
  open_model(MODEL(ARM("<joint name='j' range='-2 2' margin='.25'/>"),
                   FIXED("range='-.5 .5'", "1") "<actuator><position joint='j' inheritrange='1' ctrlrange='0 0'/>"
                                                "</actuator>" KEY("ctrl='3'")));
  body_has("range", "[-0.5,0.5]");
  unload(&tree);
}

// Quaternions of keyframes need not be of unit length, and one of length zero is no turn.  Joints outside of a ball do
// not mind its turn; a joint inside of it would.
static void test_balls(void)
{
  open_as("{'file': 'robot.urdf', 'keyframe': 'k'}",
          MODEL(ARM("<joint type='slide' axis='1 0 0'/><joint axis='0 1 0'/><joint type='ball' pos='0 0 1'/>"),
                KEY("qpos='.5 .25 0 7 0 0'")));
  body_has("position", "[0,0,2]");
  body_has("rotation", "[0,1,0,0]");
  body_has("joint_position", "[0.5,0.25]");
  unload(&tree);
  open_as("{'file': 'robot.urdf', 'keyframe': 'k'}",
          MODEL(ARM("<joint type='ball' pos='0 0 1'/>"), KEY("qpos='0 0 0 0'")));
  body_has("position", "-");
  unload(&tree);
  static const char *const turned[] = {"'0 2 0 0 .5'", "'.5 .5 0 0 .5'", "'2 0 0 0 .5'", "'0 0 0 0 .5'"};
  for (int k = 0; k < 4; k++) {
    char text[600];
    snprintf(text, sizeof text,
             MODEL(ARM("<joint name='s' type='ball'/><joint type='slide' axis='1 0 0'/>"), KEY("qpos=%s")), turned[k]);
    tree = (struct tree){0};
    load_as(&tree, "{'file': 'robot.urdf', 'keyframe': 'k', 'unsupported': 'skip'}", text);
    CHECK(tree.status == DC_OK, "%s", tree.error.text);
    bool told = false;
    for (const struct dc_note *note = tree.scene.notes.first; note; note = note->next)
      told |= strstr(note->text, "start of the ball joint s") != NULL;
    CHECK(told == (k < 2), "%s", turned[k]);
    unload(&tree);
  }
}

#define CHAIN(range, more)                                                                                             \
  "<robot name='r'><link name='w'/>" LINK("a") LINK("c")                                                               \
      JOINT("j", "revolute", "w", "a", "<limit lower='-1' upper='1' effort='1' velocity='1'/>")                        \
          JOINT("k", "revolute", "w", "c", "<limit " range " effort='1' velocity='1'/>" more) "</robot>"

static bool tells(const char *robot, const char *words)
{
  struct dc_scene *scene = NULL;
  struct dc_error error = {0};
  bool told = false;
  write_bytes("robot.urdf", robot, strlen(robot));
  write_scene("scene.json",
              "{'contact': {'model': 'bsh'}, " TIME ", 'include': {'file': 'robot.urdf', 'collide': false}}");
  CHECK(dc_scene_read("scene.json", NULL, &scene, &error) == DC_OK, "%s", error.text);
  for (const struct dc_note *note = scene ? scene->notes.first : NULL; note; note = note->next)
    told |= strstr(note->text, words) != NULL;
  dc_scene_destroy(scene);
  return told;
}

#undef BOX
#define BOX "<collision><geometry><box size='1 2 3'/></geometry></collision>"

// A start keeps a hundredth of its range from the ends, and a leader what its follower needs.
static void test_ends(void)
{
  static const char kept[] = "starts at ends of ranges keep a hundredth of the range from them: ";
  CHECK(tells(CHAIN("lower='0' upper='2'", ""), "\"c\" from 0 to 0.02"));
  CHECK(tells(CHAIN("lower='-2' upper='0.01'", ""), "\"c\" from 0 to -0.0101"));
  CHECK(!tells(CHAIN("lower='-2' upper='0.03'", ""), kept));
  CHECK(tells(CHAIN("lower='0' upper='2'", "<mimic joint='j'/>"), "\"a\" from 0 to 0.02"));
  CHECK(!tells(CHAIN("lower='-1' upper='2'", "<mimic joint='j' offset='.5'/>"), kept));
}

// Sites that MuJoCo pulls together over some time are held together at once here.
static void test_open_ties(void)
{
  static const char words[] = "ties that the start leaves open close with a jolt: ";
  static const struct {
    const char *place;
    bool told;
  } cases[] = {{".5 .3 .4", true}, {".5 0 0", false}, {".5 0 .0009", false}};
  for (int k = 0; k < 3; k++) {
    char model[600];
    snprintf(model, sizeof model,
             "<mujoco><worldbody><site name='s' pos='.5 0 0'/><body><freejoint/><geom size='.1'/><site name='t' "
             "pos='%s'/></body></worldbody><equality><connect site1='s' site2='t'/></equality></mujoco>",
             cases[k].place);
    CHECK(tells(model, words) == cases[k].told, "%s", cases[k].place);
  }
  CHECK(tells("<mujoco><worldbody><site name='s' pos='.5 0 0'/><body><freejoint/><geom size='.1'/><site name='t' "
              "pos='.5 .3 .4'/></body></worldbody><equality><connect site1='s' site2='t'/></equality></mujoco>",
              " by 0.5 m"));
}

// A scene's own tie to an included robot is told as well, unless its stiffness is given.
static void test_soft_ties(void)
{
  static const char *const stiffness[] = {"", ", 'stiffness': 0.01"};
  static const char robot[] =
      "<mujoco><worldbody><body name='arm'><freejoint/><geom size='.1'/></body></worldbody></mujoco>";
  write_bytes("robot.urdf", robot, strlen(robot));
  for (int k = 0; k < 2; k++) {
    struct dc_scene *scene = NULL;
    struct dc_error error = {0};
    char text[600];
    snprintf(text, sizeof text,
             "{'contact': {'model': 'bsh'}, " TIME ", 'include': {'file': 'robot.urdf', 'collide': false}, 'shapes': "
             "{'ball': {'type': 'sphere', 'radius': 0.1}}, 'bodies': [{'name': 'own', 'shape': 'ball', 'mass': 1, "
             "'position': [0.2, 0, 0], 'collide': false}], 'ties': [{'body': 'own', 'to': 'arm'%s}]}",
             stiffness[k]);
    write_scene("scene.json", text);
    CHECK(dc_scene_read("scene.json", NULL, &scene, &error) == DC_OK, "%s", error.text);
    bool told = false;
    for (const struct dc_note *note = scene ? scene->notes.first : NULL; note; note = note->next)
      told |= strstr(note->text, "close with a jolt") != NULL;
    CHECK(told == (k == 0), "%s", text);
    dc_scene_destroy(scene);
  }
}

// Bodies without names have MuJoCo's numbers, also where an equality hangs one of those before them on another.
static void test_numbers(void)
{
#undef BOX
#define BOX "<geom type='box' size='.1 .1 .1' mass='1'/>"
#define FREE(name, x) "<body " name "pos='" x " 0 0'><freejoint/>" BOX "</body>"
  static const char *const equalities[] = {"", "<weld body1='world' body2='a'/>", "<weld body1='z' body2='a'/>"};
  for (int k = 0; k < 3; k++) {
    char model[900];
    snprintf(model, sizeof model,
             "<mujoco><worldbody>" FREE("name='a' ", "1") FREE("", "2") FREE("", "3")
                 FREE("name='z' ", "4") "</worldbody><equality>%s</equality></mujoco>",
             equalities[k]);
    open_model(model);
    check_json(find_body(&tree, "body2"), "position", "[2,0,0]");
    check_json(find_body(&tree, "body3"), "position", "[3,0,0]");
    unload(&tree);
  }
}

// A free body without mass starts by its own frame what is fixed to it: the child's centre is at (0, 2, 0) from the
// frame's origin where the frame is turned by a right angle about z, and moves with v + w x r.
static void test_free_frames(void)
{
  open_as("{'file': 'robot.urdf', 'keyframe': 'k'}",
          MODEL("<body pos='5 5 5'><freejoint/><body name='b' pos='2 0 0'>" BOX "</body></body>",
                KEY("qpos='1 2 3 1 0 0 1' qvel='1 0 0 0 0 3'")));
  const cJSON *position = member(find_body(&tree, "b"), "position"),
              *velocity = member(find_body(&tree, "b"), "velocity");
  static const double place[3] = {1, 4, 3}, speed[3] = {-5, 0, 0};
  for (int k = 0; k < 3; k++) {
    CHECK_NEAR(cJSON_GetArrayItem(position, k)->valuedouble, place[k], 1e-12);
    CHECK_NEAR(cJSON_GetArrayItem(velocity, k)->valuedouble, speed[k], 1e-12);
  }
  body_has("joint", "'free'");
  unload(&tree);
}

RUN_TESTS_IN_TEMPORARY_FOLDER({"margins of ranges", test_margins}, {"margins of tendons", test_tendon_margins},
                              {"balls that start turned", test_balls}, {"starts at ends of ranges", test_ends},
                              {"ties that are open", test_open_ties}, {"ties that are soft", test_soft_ties}, {"bodies without names", test_numbers},
                              {"free frames without mass", test_free_frames})
