// SPDX-License-Identifier: Apache-2.0
// MJCF files without MuJoCo: what each kind of statement becomes in a scene, or which note it gets.
#include "harness.h"

#include "io/robot/model_export.h"
#include "urdf_fixture.h"

#undef BOX
#define BOX "<geom type='box' size='.1 .1 .1' mass='1'/>"
#define FREE(name, geom) "<body name='" name "' pos='0 0 5'><freejoint/>" geom "</body>"
#define ARM(joint) "<body name='b'>" joint BOX "</body>"
#define ARM_WORLD(joint) WORLD(ARM(joint))
#define WORLD(inner) "<mujoco><worldbody>" inner "</worldbody></mujoco>"
#define AND(inner, rest) "<mujoco><worldbody>" inner "</worldbody>" rest "</mujoco>"

#define TWO                                                                                                            \
  "<body name='a'><joint name='x' type='slide' axis='1 0 0'/>" BOX "</body><body name='b' pos='5 0 0'><joint "         \
  "name='y' type='slide' axis='1 0 0'/>" BOX "</body>"
#define FIXED(more, x, y)                                                                                              \
  "<tendon><fixed name='t' " more "><joint joint='x' coef='" x "'/><joint joint='y' coef='" y "'/></fixed></tendon>"

static struct tree tree;

static void open_as(const char *include, const char *model)
{
  tree = (struct tree){0};
  load_as(&tree, include, model);
  CHECK(tree.status == DC_OK, "%s: %s", model ? model : include, tree.error.text);
}

static void open_model(const char *model)
{
  open_as("'robot.urdf'", model);
}

static void root_has(const char *key, const char *expected)
{
  check_json(tree.build.document.root, key, expected);
}

static void body_has(const char *body, const char *key, const char *expected)
{
  check_json(find_body(&tree, body), key, expected);
}

static void done(void)
{
  unload(&tree);
}

static void refuse(const char *model, const char *message)
{
  tree = (struct tree){0};
  load_as(&tree, "{'file': 'robot.urdf', 'unsupported': 'refuse'}", model);
  CHECK(tree.status == DC_BAD_INPUT && strstr(tree.error.text, message), "%s: %s", model, tree.error.text);
  done();
}

static void test_options(void)
{
  open_model("<mujoco><option gravity='0 -1 -2'/></mujoco>");
  root_has("gravity", "[0,-1,-2]");
  done();
  open_model("<mujoco><option gravity='0 -1 -2'><flag gravity='disable'/></option></mujoco>");
  root_has("gravity", "[0,0,0]");
  done();
  open_model("<mujoco><option integrator='implicitfast' ls_iterations='4' timestep='0.002'><flag "
             "eulerdamp='disable'/></option></mujoco>");
  root_has("gravity", "-");
  check_note(&tree, "robot.urdf:1: <option timestep>: does not act");
  done();
  open_model(AND(FREE("b", BOX), "<option density='1000' viscosity='0' wind='1 0 0'/>"));
  check_note(&tree, "<option density>: does not act: drag of the medium");
  check_note(&tree, "<option wind>: does not act: moves the medium");
  done();
  open_model(AND(FREE("b", BOX), "<option><flag contact='disable'/></option>"));
  body_has("b", "collide", "false");
  done();
  open_model(AND(ARM("<joint range='-10 10' damping='2' stiffness='3' frictionloss='4'/>"),
                 "<option><flag limit='disable' passive='disable' frictionloss='disable'/></option>"));
  body_has("b", "range", "-");
  body_has("b", "joint", "'hinge'");
  done();
  open_model(AND(ARM("<joint name='j'/>"), "<option><flag actuation='disable'/></option><actuator><position joint='j' "
                                           "kp='9'/></actuator>"));
  body_has("b", "pd", "-");
  done();
  open_model("<mujoco><option gravitas='1'/><optoin/></mujoco>");
  check_note(&tree, "<option gravitas>: is not known and not read");
  check_note(&tree, "<optoin>: is not known and not read");
  done();
}

// Frictions that the geometric mean of the bodies' does not give; masks that differ within a body.
static void test_contact(void)
{
  static const char floor[] = "<geom name='floor' type='plane' size='1 1 1' friction='0.4'/>";
  char text[2000];
  snprintf(text, sizeof text, WORLD("%s" FREE("b", "<geom size='.1' condim='1'/>")), floor);
  open_model(text);  // the greater condim: 3, with the greater friction
  body_has("b", "friction_with", "[{'body':'floor','friction':1}]");
  body_has("b", "friction", "0");
  done();
  snprintf(text, sizeof text, WORLD("%s" FREE("b", "<geom size='.1' condim='1' priority='1'/>")), floor);
  open_model(text);
  body_has("b", "friction", "0");
  body_has("b", "friction_with", "-");
  done();
  snprintf(text, sizeof text, WORLD("%s" FREE("b", "<geom size='.1' friction='0.1' priority='2'/>")), floor);
  open_model(text);
  body_has("b", "friction_with", "[{'body':'floor','friction':0.1}]");
  done();
  snprintf(text, sizeof text,
           AND("%s" FREE("b", "<geom name='g' size='.1' contype='0' conaffinity='0'/>"),
               "<contact><pair geom1='floor' geom2='g' condim='1' margin='0.01'/></contact>"),
           floor);
  open_model(text);
  body_has("b", "friction_with", "[{'body':'floor','friction':0}]");
  check_note(&tree, "<pair margin>: does not act");
  done();
  // a pair that says nothing has the defaults of pairs, whatever its geometries say
#define PAIRED(pair) AND("%s" FREE("b", "<geom name='g' size='.1' friction='.2' condim='1' priority='3'/>"), pair)
  snprintf(text, sizeof text, PAIRED("<contact><pair geom1='g' geom2='floor'/></contact>"), floor);
  open_model(text);
  body_has("b", "friction_with", "[{'body':'floor','friction':1}]");
  done();
  snprintf(text, sizeof text,
           PAIRED("<default><default class='c'><pair friction='.3 .3'/></default></default><contact><pair geom1='g' "
                  "geom2='floor' class='c'/></contact>"),
           floor);
  open_model(text);
  body_has("b", "friction_with", "[{'body':'floor','friction':0.3}]");
  done();
  snprintf(text, sizeof text, PAIRED("<contact><pair geom1='g' geom2='floor' friction='.3 .5'/></contact>"), floor);
  open_model(text);
  check_note(&tree, "friction in the second direction of a pair, the first holds in all");
  done();
  open_model(WORLD(ARM("<joint name='j' type='ball' stiffness='4'/>")));
  check_note(&tree, "torque of a spring beyond the sine of the angle, of ball joint j");
  done();
  open_model(WORLD("<geom name='wall' type='box' size='1 1 1' contype='1' conaffinity='1' pos='9 0 0'/>" FREE(
      "b", "<geom size='.1' contype='1' conaffinity='0'/><geom name='ghost' size='.1' contype='2' conaffinity='2'/>")));
  body_has("ghost", "parent", "'b'");
  body_has("ghost", "mass", "0");
  body_has("ghost", "collide_except", "['world']");
  body_has("b", "collide_except", "-");
  done();
  open_model(WORLD("<body name='t'>" BOX "<body name='s' pos='0 0 1'><joint type='slide'/>" BOX
                   "<body name='u' pos='0 0 "
                   "1'><joint/>" BOX "</body></body></body>"));
  body_has("s", "collide_parent", "true");
  body_has("u", "collide_parent", "-");
  done();
  open_model(AND("<body name='t'>" BOX "<body name='s' pos='0 0 1'><joint type='slide'/>" BOX "</body></body>",
                 "<contact><exclude body1='t' body2='s'/></contact>"));
  body_has("s", "collide_parent", "-");
  done();
  open_model(AND("<body name='t'><freejoint/>" BOX "<body name='s' pos='0 0 1'><joint/>" BOX "</body></body>",
                 "<option><flag filterparent='disable'/></option>"));
  body_has("s", "collide_parent", "true");
  done();
}

static void test_joints(void)
{
  open_model(WORLD(ARM("<joint type='slide' damping='1' armature='2' frictionloss='3' stiffness='4' springref='0.5' "
                       "ref='0.2'/>")));
  body_has("b", "joint", "{'type':'slide','damping':1,'stiffness':4,'rest':0.3,'armature':2,'dry_friction':3}");
  done();
  open_model(WORLD("<body name='b'><joint type='ball' damping='1' armature='2'/><inertial pos='0 0 0' mass='1' "
                   "diaginertia='1 1 1'/><body name='c'><joint type='ball' armature='3'/>" BOX "</body></body>"));
  body_has("b", "joint", "{'type':'ball','damping':1}");
  body_has("b", "inertia", "[3,3,3,0,0,0]");
  check_note(&tree, "not applied: armature of joint without name (line 1)");
  done();
  open_as("{'file': 'robot.urdf', 'prefix': 'p_'}",
          WORLD("<body name='b'><joint type='free' damping='7' armature='2'/>" BOX "</body>"));
  body_has("p_b", "joint", "{'type':'free','damping':7}");
  body_has("p_b:rotor", "mass", "2");
  body_has("p_b:rotor", "parent", "'p_b'");
  body_has("p_b:rotor", "inertia", "[2,2,2,0,0,0]");
  body_has("p_b:rotor", "buoyancy", "1");
  body_has("p_b:rotor", "position", "-");
  CHECK(!tree.scene.notes.first, "%s", tree.scene.notes.first ? tree.scene.notes.first->text : "");
  done();
  open_as(
      "{'file': 'robot.urdf', 'keyframe': 'k'}",
      AND(ARM("<joint type='ball' pos='0 0 1'/>"), "<keyframe><key name='k' qpos='0 1 0 0' qvel='1 2 3'/></keyframe>"));
  body_has("b", "position", "[0,0,2]");  // half a turn about the anchor
  body_has("b", "rotation", "[0,1,0,0]");
  body_has("b", "joint_velocity", "[1,2,3]");
  done();
  open_model("<mujoco><compiler angle='radian'/><default><joint damping='1'/><default class='a'><joint "
             "damping='2'/></default></default><worldbody><body name='b' childclass='a'><joint/>" BOX
             "<body name='c'><joint class='main' armature='3'/>" BOX "</body></body></worldbody></mujoco>");
  body_has("b", "joint", "{'type':'hinge','damping':2}");
  body_has("c", "joint", "{'type':'hinge','damping':1,'armature':3}");
  done();
  refuse(WORLD(ARM("<joint damping='-1'/>")),
         "robot.urdf:1:35: <joint>: stiffness, damping, armature and frictionloss");
  // a class has what the main one said before it, not what that says in a later <default>
  open_model("<mujoco><compiler angle='radian'/><default><joint damping='1' armature='3'/><default class='a'><joint "
             "axis='1 0 0'/></default></default><default><joint damping='2'/></default><worldbody><body name='b' "
             "childclass='a'><joint/>" BOX "</body><body name='c'><joint/>" BOX "</body></worldbody></mujoco>");
  check_json(find_body(&tree, "b"), "joint", "{'type':'hinge','damping':1,'armature':3}");
  check_json(find_body(&tree, "c"), "joint", "{'type':'hinge','damping':2,'armature':3}");
  done();
  refuse(WORLD("<body><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><inertial pos='0 0 0' mass='2' "
               "diaginertia='1 1 1'/></body>"),
         "<inertial>: its body has one already");
  refuse(WORLD(ARM("<joint class='none'/>")), "there is no class \"none\" of defaults");
  refuse(WORLD("<body><joint/><joint type='free'/>" BOX "</body>"), "a free joint must stand alone");
}

static void test_actuators(void)
{
#define ACT(text) AND(ARM("<joint name='j' type='slide' range='-1 3'/>"), "<actuator>" text "</actuator>")
  open_model(ACT("<general joint='j' gainprm='0' biastype='affine' biasprm='5 -100 -3' gear='2'/>"));
  body_has("b", "pd", "{'kp':400,'kd':12,'target':[0.025]}");  // 2*5 = 400 q
  done();
  open_model(ACT("<position joint='j' kp='100' kv='7' inheritrange='1'/>"));
  body_has("b", "pd", "{'kp':100,'kd':7}");
  done();
  open_model(ACT("<position joint='j' kp='100' dampratio='0.5'/>"));  // 2 z sqrt(100 * 1 kg)
  body_has("b", "pd", "{'kp':100,'kd':10}");
  done();
  open_model(ACT("<motor joint='j'/>"));
  body_has("b", "pd", "-");
  body_has("b", "joint", "'slide'");
  done();
#define KEYED "{'file': 'robot.urdf', 'keyframe': 'k'}"
  open_as(KEYED, AND(ARM("<joint name='j' type='slide' actuatorfrcrange='-6 6'/>"),
                     "<actuator><motor joint='j' gear='3' ctrlrange='-1 1'/></actuator><keyframe><key name='k' "
                     "ctrl='9'/></keyframe>"));
  body_has("b", "joint", "{'type':'slide','force':3}");  // within the control's range
  done();
  open_as(KEYED, AND(ARM("<joint name='j' type='slide'/>"),
                     "<default><velocity kv='4'/></default><actuator><velocity joint='j'/></actuator><keyframe><key "
                     "name='k' ctrl='2'/></keyframe>"));
  body_has("b", "pd", "{'kp':0,'kd':4,'target_velocity':[2]}");
  body_has("b", "joint", "'slide'");
  done();
  open_as(KEYED, AND(ARM("<joint name='j' type='slide' ref='0.5'/>"),
                     "<actuator><position joint='j' kp='10'/></actuator><keyframe><key name='k' qpos='0.75' "
                     "ctrl='2'/></keyframe>"));
  body_has("b", "joint_position", "[0.25]");
  body_has("b", "pd", "{'kp':10,'kd':0,'target':[1.5]}");
  done();
  open_as("{'file': 'robot.urdf', 'effort': 'file'}",
          AND(ARM("<joint name='j' actuatorfrcrange='-6 6'/>"),
              "<actuator><position joint='j' kp='10' forcerange='-9 9'/></actuator>"));
  body_has("b", "pd", "{'kp':10,'kd':0,'effort':6}");
  done();
  refuse(AND(ARM("<joint name='j' type='ball'/>"), "<actuator><position name='p' joint='j'/></actuator>"),
         "actuator of a ball or free joint p (line 1)");
  refuse(ACT("<muscle name='m' joint='j'/>"), "nothing here corresponds to actuator m (line 1)");
  refuse(ACT("<damper name='d' joint='j' kv='1' ctrlrange='0 1'/>"), "nothing here corresponds to actuator d");
  // a follower has its own servo
  open_model(AND(ARM("<joint name='j' type='slide'/>") "<body name='c' pos='1 0 0'><joint name='k' "
                                                       "type='slide'/>" BOX "</body>",
                 "<equality><joint joint1='k' joint2='j' polycoef='0.1 2'/></equality><actuator><position joint='k' "
                 "kp='3'/></actuator>"));
  body_has("c", "pd", "{'kp':3,'kd':0}");
  done();
  // and starts where what it follows has it
#define FOLLOWER(coefficients, key)                                                                                    \
  AND(ARM("<joint name='j' type='slide'/>") "<body name='c' pos='1 0 0'><joint name='k' type='slide'/>" BOX "</body>", \
      "<equality><joint joint1='k' " coefficients "/></equality><keyframe><key name='k' " key "/></keyframe>")
  open_as(KEYED, FOLLOWER("joint2='j' polycoef='0.1 2'", "qpos='.2 .5' qvel='.1 .2'"));
  for (const struct dc_note *note = tree.scene.notes.first; note; note = note->next)
    CHECK(!strstr(note->text, "an equality sets"), "%s", note->text);
  done();
  open_as(KEYED, FOLLOWER("joint2='j' polycoef='0.1 2'", "qpos='.2 .6' qvel='.1 .3'"));
  check_note(&tree, "start, which an equality sets, of joint k (line 1)");
  check_note(&tree, "starting speed, which an equality sets, of joint k (line 1)");
  done();
  // an equality of one joint takes it away
  open_as(KEYED, FOLLOWER("polycoef='.25'", "qpos='.2 .25' qvel='.1 .3'"));
  check_note(&tree, "start or starting speed, as an equality locks it, of joint k (line 1)");
  body_has("c", "joint", "'fixed'");
  body_has("c", "position", "[1,0,0.25]");
  done();
  open_as(KEYED, FOLLOWER("polycoef='.25'", "qpos='.2 .25' qvel='.1 0'"));
  for (const struct dc_note *note = tree.scene.notes.first; note; note = note->next)
    CHECK(!strstr(note->text, "an equality"), "%s", note->text);
  done();
  open_model(AND(ARM("<joint name='j' type='slide'/><joint name='k' axis='0 1 0'/>"),
                 "<equality><joint joint1='j' polycoef='0'/></equality>"));
  body_has("b", "joint", "'hinge'");
  done();
}

static void test_names(void)
{
  open_model(WORLD("<geom name='t' type='plane' size='1 1 1'/>" FREE("t", BOX)));
  CHECK(find_body(&tree, "t") && find_body(&tree, "t_2"), "a plane and a body");
  done();
  open_as("{'file': 'robot.urdf', 'prefix': 'p_'}",
          WORLD("<body><freejoint/>" BOX "</body><body name='body1' pos='1 0 0'><freejoint/>" BOX "</body>"));
  CHECK(find_body(&tree, "p_body1") && find_body(&tree, "p_body1_2"), "a free name");
  done();
  open_model(WORLD("<geom type='box' size='1 1 1'/><body name='world_' pos='0 0 9'><freejoint/>" BOX
                   "</body><body name='a/b' pos='0 9 9'><freejoint/>" BOX "</body>"));
  CHECK(find_body(&tree, "world") && find_body(&tree, "a_b"), "world and a slash");
  done();
  open_model(
      WORLD("<replicate count='3' sep='-' offset='1 0 0'><body name='r'><freejoint/>" BOX "</body></replicate>"));
  body_has("r-2", "position", "[2,0,0]");
  done();
}

static void test_frames(void)
{
  open_model(
      "<mujoco><compiler eulerseq='XYZ'/><worldbody><frame pos='1 0 0' euler='0 0 90'><body name='b' pos='1 0 0' "
      "quat='0 0 0 2'><frame pos='0 0 1'><joint axis='1 0 0' type='slide'/></frame>" BOX
      "</body></frame></worldbody></mujoco>");
  body_has("b", "position", "[1,1,0]");
  body_has("b", "axis", "[0,-1,0]");
  done();
  open_model(WORLD("<body name='b'><freejoint/><geom type='capsule' fromto='0 0 0 1 0 0' size='.1'/></body>"));
  body_has("b", "center_of_mass", "[0.5,0,0]");
  done();
  open_model("<mujoco><compiler settotalmass='6' boundmass='2'/><worldbody>" FREE("b", "<geom size='.1' mass='1'/>")
                 FREE("c", "<geom size='.1' mass='4'/>") "</worldbody></mujoco>");
  body_has("b", "mass", "2");
  body_has("c", "mass", "4");
  done();
  open_model("<mujoco><compiler balanceinertia='true'/><worldbody><body name='b'><inertial pos='1 2 3' mass='1' "
             "diaginertia='1 1 4'/><freejoint/></body></worldbody></mujoco>");
  body_has("b", "inertia", "[2,2,2,0,0,0]");
  done();
  open_model("<mujoco><worldbody><body name='b'><inertial pos='0 0 0' mass='1' fullinertia='2 3 4 .1 .2 "
             ".3'/><freejoint/></body></worldbody></mujoco>");
  body_has("b", "inertia", "[2,3,4,0.1,0.2,0.3]");
  done();
  open_model("<mujoco><asset><hfield name='h' nrow='2' ncol='3' size='1 2 3 4' elevation='1 3 2 5 5 1'/></asset>"
             "<worldbody><geom name='g' type='hfield' hfield='h' pos='1 0 0'/></worldbody></mujoco>");
  body_has("g", "position", "[1,0,0]");
  check_json(find_shape(&tree, "g"), "extent", "[2,4]");
  check_json(find_shape(&tree, "g"), "base", "4");
  check_json(find_shape(&tree, "g"), "heights", "[3,3,0,0,1.5,0.75]");  // the lowest row of the element first
  done();
  open_model("<mujoco><asset><hfield name='h' nrow='90' ncol='30' size='1 2 3 4'/></asset><worldbody><geom "
             "type='hfield' hfield='h'/></worldbody></mujoco>");
  check_json(find_shape(&tree, "ground"), "heights", "[0,0,0,0]");
  done();
  refuse("<mujoco><asset><hfield name='h' nrow='2' ncol='2' size='1 1 1 1' elevation='1 2'/></asset></mujoco>",
         "elevation must be 4 numbers for its rows and columns (is 2)");
  static const char *const words[] = {"+-5", "++5", "inf", "-inf", "nan", "0x10", "1e13"};
  for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
    char text[200];
    snprintf(text, sizeof text, WORLD("<geom name='g' size='1' pos='%s 0 0'/>"), words[k]);
    refuse(text, "pos must be 3 finite numbers of at most 1e+12");
  }
  open_model(WORLD("<body name='b' pos='+5 -5 +.5e1'><freejoint/><geom size='1'/></body>"));
  body_has("b", "position", "[5,-5,5]");
  done();
  refuse("<mujoco><worldbody><geom name='g' type='hfield' hfield='h'/></worldbody></mujoco>",
         "there is no height field \"h\"");
  refuse("<mujoco><asset><hfield name='h' size='1 1 1 1'/></asset><worldbody><body><freejoint/><geom name='g' "
         "type='hfield' hfield='h'/><geom size='1'/></body></worldbody></mujoco>",
         "height field that moves g (line 1)");
  refuse("<mujoco><compiler coordinate='global'/></mujoco>", "coordinate=\"global\" is not read");
  refuse(WORLD("<composite name='rope' type='grid'/>"), "composite rope (line 1)");
}

// One coupling of the model: body follows to by multiplier and offset.
static void check_coupling(const char *body, const char *to, double multiplier, double offset)
{
  const cJSON *list = member(tree.build.document.root, "couplings"), *own = cJSON_GetArrayItem(list, 0);
  CHECK(cJSON_GetArraySize(list) == 1, "%d", cJSON_GetArraySize(list));
  check_json(own, "body", body);
  check_json(own, "to", to);
  CHECK_NEAR(member(own, "multiplier")->valuedouble, multiplier, 1e-15);
  CHECK_NEAR(member(own, "offset")->valuedouble, offset, 1e-15);
}

// Equalities of fixed tendons are couplings where two joints are all that they have; others are refused by name.
static void test_equal_tendons(void)
{
#define EQUAL(more) "<equality><tendon name='e' tendon1='t' " more "/></equality>"
  open_model(AND(TWO, FIXED("", "2", "-3") EQUAL("polycoef='0.5 1 0 0 0'")));
  check_coupling("'a'", "'b'", 1.5, 0.25);
  done();
  open_model(AND(TWO, "<tendon><fixed name='t'><joint joint='y' coef='4'/></fixed><fixed name='u'><joint joint='x' "
                      "coef='2'/></fixed></tendon>" EQUAL("tendon2='u' polycoef='1 3'")));
  check_coupling("'b'", "'a'", 1.5, 0.25);
  done();
  open_model(AND(TWO, FIXED("", "2", "-3") EQUAL("active='false'")));
  root_has("couplings", "-");
  done();
  open_model(AND(TWO, "<tendon><fixed name='t'><joint joint='y' coef='4'/></fixed><fixed name='u'><joint joint='x' "
                      "coef='2'/></fixed></tendon>" EQUAL("tendon2='u' polycoef='1 3 1 0 2'")));
  check_coupling("'b'", "'a'", 1.5, 0.25);  // 4 y = 1 + 3 (2 x) + (2 x)^2 + 2 (2 x)^4
  check_numbers(cJSON_GetArrayItem(member(tree.build.document.root, "couplings"), 0), "powers", 3, (double[3]){1, 0, 8},
                1e-15);
  done();
  open_model(AND(TWO, "<equality><joint joint1='y' joint2='x' polycoef='.1 .2 .3 .4 .5'/></equality>"));
  check_coupling("'b'", "'a'", 0.2, 0.1);
  check_numbers(cJSON_GetArrayItem(member(tree.build.document.root, "couplings"), 0), "powers", 3,
                (double[3]){.3, .4, .5}, 1e-15);
  done();
  refuse(AND(TWO, FIXED("", "2", "-3") "<equality><tendon tendon1='v'/></equality>"), "tendon1: there is no \"v\"");
}

// A joint of a body without mass belongs to the body below, for couplings, too.
static void test_coupled_frame(void)
{
  open_model(AND("<body name='frame'><joint name='j'/><body name='b'>" BOX "</body></body><body name='c' pos='1 0 0'>"
                 "<joint name='k'/>" BOX "</body>",
                 "<equality><joint joint1='j' joint2='k'/></equality>"));
  check_json(cJSON_GetArrayItem(member(tree.build.document.root, "couplings"), 0), "body", "'b'");
  done();
}

// A scene that is exported and included again has the same gravity, passive forces and actuators.
static void test_export(void)
{
  struct dc_scene *scene = NULL;
  struct dc_error error = {0};
  write_scene(
      "first.json",
      "{'contact': {'model': 'bsh'}, " TIME ", 'gravity': [1, 0, -1.62],"
      "'shapes': {'s': {'type': 'box', 'size': [0.1, 0.2, 0.3]}}, 'bodies': ["
      "{'name': 'a', 'shape': 's', 'mass': 1, 'joint_position': [0.2], 'pd': {'kp': 10, 'kd': 1, 'target': [0.3]},"
      "'joint': {'type': 'slide', 'damping': 2, 'armature': 3, 'stiffness': 4, 'rest': 0.1, 'dry_friction': 0.5}},"
      "{'name': 'b', 'shape': 's', 'mass': 1, 'position': [3, 0, 0], 'joint': {'type': 'hinge', 'force': 0.7}},"
      "{'name': 'f', 'shape': 's', 'mass': 1, 'position': [0, 3, 0], 'joint': {'type': 'free', 'damping': 7}}]}");
  CHECK(dc_scene_read("first.json", NULL, &scene, &error) == DC_OK, "%s", error.text);
  if (!scene)
    return;
  struct dc_notes notes = {.arena = scene->arena};
  CHECK(dc_model_write_mjcf(&scene->model, "m", "again.xml", &notes, &error) == DC_OK, "%s", error.text);
  CHECK(!notes.first, "%s", notes.first ? notes.first->text : "");
  dc_scene_destroy(scene);
  open_as("{'file': 'again.xml', 'keyframe': 'start'}", NULL);
  root_has("gravity", "[1,0,-1.62]");
  body_has("a", "joint", "{'type':'slide','damping':2,'stiffness':4,'rest':0.1,'armature':3,'dry_friction':0.5}");
  body_has("a", "joint_position", "[0.2]");
  body_has("a", "pd", "{'kp':10,'kd':1,'target':[0.3]}");
  body_has("b", "joint", "{'type':'hinge','force':0.7}");
  body_has("f", "joint", "{'type':'free','damping':7}");
  done();
}

// Joints of one body with other gains, and one that nothing drives.
static void test_gains(void)
{
  open_model(AND(ARM("<joint name='j' type='slide'/><joint name='k' type='slide' axis='1 0 0'/><joint name='l' "
                     "type='slide' axis='0 1 0'/>"),
                 "<actuator><position joint='j' kp='5' kv='1'/><position joint='l' kp='7'/></actuator>"));
  body_has("b", "pd", "{'kp':7,'kd':1,'kp_each':[5,0,7],'kd_each':[1,0,0]}");
  done();
}

// Tendons that only measure say nothing; forces along fixed ones act on their joints by the coefficients.
static void test_tendons(void)
{
  open_model(AND(TWO, FIXED("", "1", "2")));
  CHECK(!tree.scene.notes.first, "%s", tree.scene.notes.first ? tree.scene.notes.first->text : "");
  done();
  open_model(AND(TWO, "<tendon><spatial name='s' width='.1' rgba='1 0 0 1'><site site='p'/><geom geom='q' "
                      "sidesite='p'/><pulley divisor='2'/></spatial></tendon>"));
  CHECK(!tree.scene.notes.first, "%s", tree.scene.notes.first ? tree.scene.notes.first->text : "");
  done();
  // a tendon of one joint is a gear of it
  open_model(AND(TWO, FIXED("", "0", "-2") "<actuator><position tendon='t' kp='5' kv='.5' gear='3'/></actuator>"));
  body_has("a", "pd", "-");
  body_has("b", "pd", "{'kp':180,'kd':18}");
  done();
  // a motor on two of them
  open_as("{'file': 'robot.urdf', 'keyframe': 'k'}",
          AND(TWO,
              FIXED("", "0.5", "-2") "<actuator><motor tendon='t' gear='3' "
                                     "ctrlrange='-1 1'/></actuator><keyframe><key name='k' ctrl='7'/></keyframe>"));
  body_has("a", "joint", "{'type':'slide','force':1.5}");
  body_has("b", "joint", "{'type':'slide','force':-6}");
  check_note(&tree, "not applied: control, beyond its force at the start, of the actuator on several joints");
  done();
  refuse(AND(TWO, FIXED("", "1", "1") "<actuator><muscle name='u' tendon='t'/></actuator>"),
         "actuator of a tendon u (line 1)");
  refuse(AND(TWO, FIXED("range='1 2'", "1", "1")), "range, which the start is outside of, of tendon t (line 1)");
  refuse(AND(TWO, "<default><tendon damping='3 1'/></default>" FIXED("", "1", "1")), "damping of tendon t");
  refuse(AND(TWO, FIXED("armature='3'", "1", "1")), "armature of tendon t");
  open_model(AND(TWO, "<option><flag spring='disable'/></option>" FIXED("stiffness='3'", "1", "1")));
  done();
  refuse(AND(TWO, "<actuator><motor tendon='none'/></actuator>"), "there is no tendon \"none\"");
  refuse(AND(TWO, "<tendon><fixed><joint joint='z' coef='1'/></fixed></tendon>"), "there is no joint \"z\"");
  refuse(AND(TWO, "<tendon><fixed><joint joint='x'/></fixed></tendon>"), "missing attribute \"coef\"");
}

// A tendon of one joint, L = c q, does to the joint by itself what the joint can: k c^2, d c^2, a c^2, f |c|, slack where
// L is, range by range over c.  What a joint has not stays the tendon's and is named.
static void test_single_tendons(void)
{
  open_model(
      AND(TWO, FIXED("stiffness='3' springlength='-.4' damping='.5' frictionloss='.7' armature='.1'", "0", "-2")));
  body_has("b", "joint", "{'type':'slide','damping':2,'stiffness':12,'rest':0.2,'armature':0.4,'dry_friction':1.4}");
  body_has("a", "joint", "'slide'");
  CHECK(!tree.scene.notes.first, "%s", tree.scene.notes.first ? tree.scene.notes.first->text : "");
  done();
  // two springs are slack at their weighted mean: (4 * .1 + 12 * .5)/16
  open_model(
      AND("<body name='a'><joint name='x' type='slide' stiffness='4' springref='.1'/>" BOX "</body>",
          "<tendon><fixed name='t' stiffness='3' springlength='1'><joint joint='x' coef='2'/></fixed></tendon>"));
  body_has("a", "joint", "{'type':'slide','stiffness':16,'rest':0.4}");
  done();
  // a spring without a length of its own is slack where the joint's is
  open_model(AND("<body name='a'><joint name='x' type='slide' springref='.1'/>" BOX "</body>",
                 "<tendon><fixed name='t' stiffness='3'><joint joint='x' coef='2'/></fixed></tendon>"));
  body_has("a", "joint", "{'type':'slide','stiffness':12,'rest':0.1}");
  done();
  open_model(AND("<body name='a'><joint name='x' type='slide' range='-1 .3'/>" BOX "</body>",
                 "<tendon><fixed name='t' range='-1 1'><joint joint='x' coef='-2'/></fixed></tendon>"));
  body_has("a", "range", "[-0.5,0.3]");
  done();
  open_model(AND(TWO, FIXED("stiffness='3' springlength='-2 1'", "0", "1")));
  root_has("tendons", "[{'joints':[{'body':'b','factor':1}],'stiffness':3,'rest':[-2,1]}]");
  done();
  refuse(AND(TWO, FIXED("damping='3 0 1'", "0", "1")), "damping of tendon t (line 1)");
}

// Controls beyond their range where the file says that these do not bind; powers of springs and of speeds; a keyframe
// of an aligned body.
static void test_unbound(void)
{
  static const char motor[] =
      "<actuator><motor joint='x' ctrlrange='-1 1' gear='3'/></actuator><keyframe><key name='k' "
      "ctrl='2'/></keyframe>";
  char model[900];
  snprintf(model, sizeof model, AND(TWO, "%s"), motor);
  open_as("{'file': 'robot.urdf', 'keyframe': 'k'}", model);
  body_has("a", "joint", "{'type':'slide','force':3}");
  body_has("a", "effort_limit", "3");
  done();
  snprintf(model, sizeof model, AND(TWO, "<option><flag clampctrl='disable'/></option>%s"), motor);
  open_as("{'file': 'robot.urdf', 'keyframe': 'k'}", model);
  body_has("a", "joint", "{'type':'slide','force':6}");
  body_has("a", "effort_limit", "-");
  done();
  open_model(ARM_WORLD("<joint name='j' type='slide' stiffness='3 1' damping='2 0 4'/>"));
  body_has("b", "joint", "{'type':'slide','damping':2,'stiffness':3}");
  check_note(&tree, "stiffness by higher powers of joint j (line 1)");
  check_note(&tree, "damping by higher powers of the speed of joint j (line 1)");
  done();
  static const char key[] = "<keyframe><key name='k' qvel='1 2 3 4 5 6'/></keyframe>";
  snprintf(model, sizeof model, AND("<body name='b'><freejoint name='f' align='true'/>" BOX "</body>", "%s"), key);
  open_as("{'file': 'robot.urdf', 'keyframe': 'k'}", model);
  check_note(&tree, "start in the axes of inertia by the keyframe, of aligned free joint f (line 1)");
  done();
  snprintf(model, sizeof model, AND("<body name='b'><freejoint name='f'/>" BOX "</body>", "%s"), key);
  open_as("{'file': 'robot.urdf', 'keyframe': 'k'}", model);
  CHECK(!tree.scene.notes.first, "%s", tree.scene.notes.first ? tree.scene.notes.first->text : "");
  done();
}

// Forces that nothing here corresponds to are named, and the model moves without them.
static void test_forces_left_out(void)
{
  open_model(AND(TWO, FIXED("armature='1'", "1", "1")));
  check_note(&tree, "moves without forces that nothing here corresponds to: armature of tendon t (line 1)");
  done();
  open_model(AND(TWO, "<actuator><muscle name='m' joint='x'/></actuator>"));
  check_note(&tree, "moves without forces that nothing here corresponds to: actuator m (line 1)");
  done();
  open_model(AND(ARM("<joint name='j' type='ball'/>"), "<actuator><position name='p' joint='j'/></actuator>"));
  check_note(&tree, "actuator of a ball or free joint p (line 1)");
  done();
  tree = (struct tree){0};
  load_as(&tree, "'robot.urdf'", AND(TWO, "<equality><flex name='c' flex='f'/></equality>"));
  CHECK(tree.status == DC_BAD_INPUT && strstr(tree.error.text, "equality c (line 1)"), "%s", tree.error.text);
  done();
}

// Actuators that nothing here corresponds to refuse a model, where forces do, only if they pull at the start.
static void test_idle_actuators(void)
{
  open_model(AND(TWO "<site name='s'/>", "<actuator><motor name='m' site='s' gear='0 0 1'/><adhesion name='n' body='a' "
                                         "ctrlrange='0 1' gain='3'/></actuator>"));
  check_note(&tree, "not applied: control, 0 at the start, of actuator m (line 1) and control, 0 at the start, of "
                    "actuator n (line 1)");
  done();
  tree = (struct tree){0};
  load_as(&tree, "{'file': 'robot.urdf', 'keyframe': 'k', 'unsupported': 'refuse'}",
          AND(TWO "<site name='s'/>", "<actuator><motor name='m' site='s'/></actuator><keyframe><key name='k' "
                                      "ctrl='1'/></keyframe>"));
  CHECK(tree.status == DC_BAD_INPUT && strstr(tree.error.text, "actuator m (line 1)"), "%s", tree.error.text);
  done();
  refuse(AND(TWO, "<actuator><muscle name='m' joint='x'/></actuator>"), "actuator m (line 1)");
}

RUN_TESTS_IN_TEMPORARY_FOLDER({"tendons", test_tendons}, {"tendons of one joint", test_single_tendons},
                              {"what does not bind", test_unbound}, {"actuators that do nothing", test_idle_actuators},
                              {"forces that are left out", test_forces_left_out},
                              {"exported and read again", test_export}, {"gains of every joint", test_gains},
                              {"couplings of frames", test_coupled_frame},
                              {"equal tendons", test_equal_tendons}, {"options", test_options},
                              {"contact", test_contact}, {"joints", test_joints}, {"actuators", test_actuators},
                              {"names", test_names}, {"frames and masses", test_frames})
