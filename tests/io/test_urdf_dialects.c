// SPDX-License-Identifier: Apache-2.0
// URDF as other programs write it: joints on a world that is not there, transmissions, dynamics, ranges that are
// missing, blanks in URIs, and gains by the names of joints.
#include <sys/stat.h>
#include <unistd.h>

#include "urdf_fixture.h"

#define ROBOT(text) "<robot name='r'>\n" text "</robot>"

static void test_world(void)
{
  struct tree tree = {0};
  load(&tree, ROBOT(LINK("a") JOINT("j", "revolute", "world", "a",
                                    "<limit effort='3'/><dynamics damping='0.5' friction='0.25'/>") LINK("b")
                        JOINT("k", "prismatic", "a", "b", "") LINK("c")
                            JOINT("l", "prismatic", "a", "c", "<limit effort='1' velocity='1'/>") LINK("d")
                                JOINT("m", "revolute", "a", "d", "")));
  check_json(find_body(&tree, "a"), "joint", "{'type':'hinge','damping':0.5,'dry_friction':0.25}");
  check_json(find_body(&tree, "a"), "range", "-");
  check_json(find_body(&tree, "b"), "joint", "'slide'");
  check_json(find_body(&tree, "b"), "range", "-");
  check_json(find_body(&tree, "c"), "joint", "'fixed'");
  check_json(find_body(&tree, "d"), "joint", "'hinge'");
  check_note(&tree, "turn freely, as continuous ones do: j and m");
  check_note(&tree, "slide without end: k");
  check_note(&tree,
             "are fixed, as lower and upper are 0 by the letter; give them lower and upper to let them slide: l");
  unload(&tree);
  load_as(&tree, "{'file': 'robot.urdf', 'dynamics': 'none'}",
          ROBOT(LINK("a") JOINT("j", "continuous", "world", "a", "<dynamics damping='0.5'/>")));
  check_json(find_body(&tree, "a"), "joint", "'hinge'");
  check_note(&tree, "do not act, as \"dynamics\" says: j");
  unload(&tree);
}

// Drake's files hold the ground by a joint on "world" and let the robot beside it float; without "world" a robot has
// one root.
static void test_roots(void)
{
  struct tree tree = {0};
  load(&tree, ROBOT(LINK("ground") JOINT("g", "fixed", "world", "ground", "<origin xyz='0 0 -5'/>") LINK("body")
                        LINK("leg") JOINT("j", "continuous", "body", "leg", "")));
  check_json(find_body(&tree, "ground"), "joint", "'fixed'");
  check_json(find_body(&tree, "body"), "joint", "'free'");
  check_json(find_body(&tree, "leg"), "joint", "'hinge'");
  check_note(&tree, "float freely, beside <link name=\"world\">: body");
  unload(&tree);
  load(&tree, ROBOT("<link name='world'/>" LINK("a") LINK("b")));
  check_note(&tree, "float freely, beside <link name=\"world\">: a and b");
  unload(&tree);
  load_as(&tree, "'robot.urdf'", ROBOT(LINK("a") LINK("b")));
  CHECK(tree.status == DC_BAD_INPUT && strstr(tree.error.text, "a robot has one root"), "%s", tree.error.text);
  unload(&tree);
}

// Attributes that are not read are told, but for harmless ones.
static void test_attributes(void)
{
  struct tree tree = {0};
  load(&tree, "<robot name='r' xmlns:drake='d' version='1.0'>" LINK("a") LINK("b") JOINT(
                  "j", "revolute", "a", "b",
                  "<limit lower='-1' upper='1' drake:acceleration='3'/><dynamics damping='1' spring_stiffness='2'/>"
                  "<axis xyz='0 0 1' xzy='4'/><joint_properties damping='1'/>") "</robot>");
  check_note(&tree, "\"drake:acceleration\" of <limit>: accelerations have no limits");
  check_note(&tree, "\"spring_stiffness\" of <dynamics>: the joint has no spring");
  check_note(&tree, "\"xzy\" of <axis>: is not known and left out");
  check_note(&tree, "<joint_properties> in <joint>: damping and friction of an old form");
  for (const struct dc_note *note = tree.scene.notes.first; note; note = note->next)
    CHECK(!strstr(note->text, "\"version\"") && !strstr(note->text, "\"xyz\"") && !strstr(note->text, "xmlns"), "%s",
          note->text);
  unload(&tree);
  load_as(
      &tree, "'robot.urdf'",
      "<sdf version='1.9'><model name='m'><link name='a' color='red'><pose degrees='true' relative_too='b'>0 0 0 0 0 "
      "90</pose><inertial><mass unit='g'>1</mass></inertial></link></model></sdf>");
  CHECK(tree.status == DC_OK, "%s", tree.error.text);
  check_note(&tree, "\"color\" of <link>: is not known and left out");
  check_note(&tree, "\"relative_too\" of <pose>: is not known and left out");
  check_note(&tree, "\"unit\" of <mass>: is not known and left out");
  for (const struct dc_note *note = tree.scene.notes.first; note; note = note->next)
    CHECK(!strstr(note->text, "\"version\"") && !strstr(note->text, "\"degrees\"") && !strstr(note->text, "\"name\""),
          "%s", note->text);
  unload(&tree);
}

#define THREE                                                                                                          \
  LINK("a")                                                                                                            \
  LINK("b")                                                                                                            \
  LINK("c")                                                                                                            \
  LINK("d")                                                                                                            \
  JOINT("i", "continuous", "a", "b", "<limit effort='7'/>")                                                            \
  JOINT("j", "continuous", "b", "c", "") JOINT("k", "continuous", "c", "d", "")

static void test_gains(void)
{
  static const char drive[] =
      ROBOT(THREE "<transmission type='SimpleTransmission'><actuator name='x'><drake:rotor_inertia value='0.5'/>"
                  "<drake:gear_ratio value='2'/></actuator><joint name='i'><hardwareInterface/></joint></transmission>"
                  "<transmission name='t'><type>y</type><joint name='k'/></transmission>");
  struct tree tree = {0};
  load_as(&tree, "{'file': 'robot.urdf', 'pd': {'kp': 5, 'kd': 1}}", drive);
  check_json(find_body(&tree, "b"), "pd", "{'kp':5,'kd':1,'effort':7}");
  check_json(find_body(&tree, "b"), "joint", "{'type':'hinge','armature':2}");
  check_json(find_body(&tree, "c"), "pd", "-");
  check_json(find_body(&tree, "d"), "pd", "{'kp':5,'kd':1}");
  check_note(&tree, "have no actuator (\"pd\" by joint gives one): j");
  unload(&tree);
  load_as(&tree, "{'file': 'robot.urdf', 'pd': {'j': {'kp': 3, 'kd': 2}}}", drive);
  check_json(find_body(&tree, "b"), "pd", "-");
  check_json(find_body(&tree, "c"), "pd", "{'kp':3,'kd':2}");
  unload(&tree);
  load_as(&tree, "{'file': 'robot.urdf', 'pd': {'kp': 5, 'j': {'kp': 3}, 'i': null}, 'effort': 'none'}", drive);
  check_json(find_body(&tree, "b"), "pd", "-");
  check_json(find_body(&tree, "c"), "pd", "{'kp':3}");
  check_json(find_body(&tree, "d"), "pd", "{'kp':5}");
  unload(&tree);
  load_as(&tree, "{'file': 'robot.urdf', 'pd': {'kp': 5}}", ROBOT(THREE));  // nothing says that one has none
  check_json(find_body(&tree, "c"), "pd", "{'kp':5}");
  unload(&tree);
  load_as(&tree, "{'file': 'robot.urdf', 'pd': {'x': {'kp': 3}}}", drive);
  CHECK(tree.status == DC_BAD_INPUT && strstr(tree.error.text, "the robot has no such joint"), "%s", tree.error.text);
  unload(&tree);
  load_as(&tree, "{'file': 'robot.urdf', 'pd': {'j': {'kp': -3}}}", drive);
  CHECK(tree.status == DC_BAD_INPUT, "a gain below zero");
  unload(&tree);
}

// Several joints on one body, of which one is passive.
static void test_gains_of_chain(void)
{
  struct tree tree = {0};
  load_as(&tree, "{'file': 'robot.urdf', 'pd': {'x': {'kp': 3, 'kd': 1}}}",
          ROBOT("<link name='a'/><link name='s'/>" JOINT("x", "prismatic", "a", "s", "<axis xyz='1 0 0'/>") LINK("b")
                    JOINT("z", "prismatic", "s", "b", "<axis xyz='0 0 1'/>")));
  check_json(find_body(&tree, "b"), "pd", "{'kp':3,'kd':1,'kp_each':[3,0],'kd_each':[1,0]}");
  unload(&tree);
}

static void test_uris(void)
{
  static const char tetrahedron[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  struct tree tree = {0};
  mkdir("my meshes", 0777);
  write_bytes("my meshes/a%20b.obj", tetrahedron, strlen(tetrahedron));
  write_bytes("my meshes/c d.obj", tetrahedron, strlen(tetrahedron));
#define COLLISION(file) "<link name='a'><collision><geometry><mesh filename='" file "'/></geometry></collision></link>"
  load(&tree, ROBOT(COLLISION("my%20meshes/c%20d.obj")));
  unload(&tree);
  load(&tree, ROBOT(COLLISION("my meshes/a%20b.obj")));  // as it stands
  unload(&tree);
  load(&tree, ROBOT(COLLISION("package://robot/my%20meshes/c%20d.obj")));
  unload(&tree);
  load(&tree, ROBOT(COLLISION("model://robot/my meshes/c d.obj")));
  unload(&tree);
  // the folder of the package's name is looked into before others that have such a file
  write_bytes("c d.obj", tetrahedron, strlen(tetrahedron));
  load(&tree, ROBOT(COLLISION("package://my meshes/c d.obj")));
  const char *file = cJSON_GetStringValue(member(find_shape(&tree, "a"), "file"));
  CHECK(file && strstr(file, "my meshes"), "%s", file ? file : "no file");
  unload(&tree);
  unlink("c d.obj");
  load_as(&tree, "'robot.urdf'", ROBOT(COLLISION("%2e%2e/%2e%2e/etc/passwd.obj")));
  CHECK(tree.status == DC_BAD_INPUT, "a path outside");
  unload(&tree);
  unlink("my meshes/a%20b.obj");
  unlink("my meshes/c d.obj");
  rmdir("my meshes");
}

// Capsules and ellipsoids of Drake's dialect.
static void test_round_shapes(void)
{
  struct tree tree = {0};
  load(&tree,
       ROBOT("<link name='a'><collision><geometry><drake:capsule radius='.1' length='.2'/></geometry></collision>"
             "</link><link name='b'><collision><geometry><drake:ellipsoid a='.1' b='.2' c='.3'/></geometry>"
             "</collision></link>" JOINT("j", "continuous", "world", "a", "")
                 JOINT("k", "continuous", "world", "b", "")));
  CHECK_NEAR(member(find_body(&tree, "a"), "mass")->valuedouble, 1000 * M_PI * (0.002 + 4e-3 / 3), 1e-9);
  CHECK_NEAR(member(find_body(&tree, "b"), "mass")->valuedouble, 1000 * M_PI * 4 / 3 * 0.006, 1e-9);
  unload(&tree);
}

static void test_unread(void)
{
  struct tree tree = {0};
  load(&tree, ROBOT(LINK("a") "<gazebo reference='a'><mu1>1</mu1></gazebo><gazebo/>\n<wheel/>"
                              "<link name='b'><contact><lateral_friction value='1'/></contact></link>" JOINT(
                                  "j", "fixed", "a", "b", "<safety_controller k_velocity='1'/>")));
  check_note(&tree, "robot.urdf:3: <gazebo> in <robot> and 1 more: settings for Gazebo");
  check_note(&tree, "<wheel> in <robot>: is not known and left out");
  check_note(&tree, "<contact> in <link>: ");
  for (const struct dc_note *note = tree.scene.notes.first; note; note = note->next)
    CHECK(!strstr(note->text, "safety"), "%s", note->text);
  unload(&tree);
  // what Gazebo would do with the robot is told one by one, what it would show is not
  load(&tree, ROBOT(LINK("a") "<gazebo reference='a'><turnGravityOff>true</turnGravityOff><material>Red</material>"
                              "<sensor><gravity/></sensor></gazebo>\n<gazebo><joint name='loop'><parent/></joint>"
                              "<plugin><static/></plugin></gazebo><gazebo><joint name='more'/></gazebo>"));
  check_note(&tree, "robot.urdf:3: <turnGravityOff> in <gazebo>: the link has its weight");
  check_note(&tree, "robot.urdf:4: <joint> in <gazebo> and 1 more: the joint is left out: a loop stays open");
  for (const struct dc_note *note = tree.scene.notes.first; note; note = note->next)
    CHECK(!strstr(note->text, "<material>") && !strstr(note->text, "<static>") && !strstr(note->text, "<gravity>"),
          "%s", note->text);
  unload(&tree);
}

// Version 1.1 of the format has quaternions, whose scalar is last.
static void test_quaternions(void)
{
  struct tree tree = {0};
  load(&tree, ROBOT(LINK("a") JOINT("j", "continuous", "world", "a", "<origin xyz='1 2 3' quat_xyzw='0 6 0 8'/>")));
  check_json(find_body(&tree, "a"), "rotation", "[0.8,0,0.6,0]");
  unload(&tree);
  tree = (struct tree){0};
  load_as(&tree, "'robot.urdf'",
          ROBOT(LINK("a") JOINT("j", "continuous", "world", "a", "<origin rpy='0 0 0' quat_xyzw='0 6 0 8'/>")));
  CHECK(tree.status == DC_BAD_INPUT && strstr(tree.error.text, "both rpy and quat_xyzw"), "%s", tree.error.text);
  unload(&tree);
  tree = (struct tree){0};
  load_as(&tree, "'robot.urdf'",
          ROBOT(LINK("a") JOINT("j", "continuous", "world", "a", "<origin quat_xyzw='0 0 0 0'/>")));
  CHECK(tree.status == DC_BAD_INPUT && strstr(tree.error.text, "quat_xyzw must not be zero"), "%s", tree.error.text);
  unload(&tree);
}

// Settings of MuJoCo that would change masses or gravity are told, those of its meshes and steps are not.
static void test_mujoco(void)
{
  struct tree tree = {0};
  load(&tree,
       ROBOT("<mujoco><compiler meshdir='m' balanceinertia='true' settotalmass='3' inertiafromgeom='true'/>"
             "<option gravity='0 0 -1' timestep='1'><flag gravity='disable'/></option></mujoco>" LINK("a") LINK("b")
                 JOINT("j", "continuous", "a", "b",
                       "") "<transmission name='t'><joint name='j'/><actuator name='m'><motorInertia>1</motorInertia>"
                           "<mechanicalReduction>2</mechanicalReduction></actuator></transmission>"));
  check_note(&tree, "\"settotalmass\" of <compiler>: masses are not scaled");
  check_note(&tree, "\"inertiafromgeom\" of <compiler>: masses are those of <inertial>");
  check_note(&tree, "\"gravity\" of <option>: gravity is that of the scene");
  check_note(&tree, "\"gravity\" of <flag>: flags of MuJoCo's options");
  check_note(&tree, "<motorInertia> in <actuator>: the rotor has no inertia");
  for (const struct dc_note *note = tree.scene.notes.first; note; note = note->next)
    CHECK(!strstr(note->text, "meshdir") && !strstr(note->text, "timestep") && !strstr(note->text, "Reduction"), "%s",
          note->text);
  unload(&tree);
}

// Ranges of planar joints and damping of floating ones do not act, and a note says so.
static void test_unheeded(void)
{
  struct tree tree = {0};
  load(&tree, ROBOT("<link name='w'/>" LINK("a") JOINT("f", "floating", "w", "a", "<dynamics damping='1'/>") LINK("b")
                        JOINT("p", "planar", "a", "b", "<limit lower='-1' upper='1'/>") LINK("c") JOINT(
                            "q", "planar", "a", "c", "<limit effort='-1' velocity='1'/><dynamics damping='1'/>")));
  check_note(&tree, "ranges of floating and planar joints, damping and friction of floating ones do not act: f and p");
  check_note(&tree, "limits of effort or velocity of 0 or less are none: q");
  unload(&tree);
}

// Limits that are 0 are none, and a note says so; those of joints that do not move say nothing.
static void test_zero_limits(void)
{
  static const char *const limits[] = {"effort='0' velocity='3'", "effort='2' velocity='0'", "effort='2' velocity='3'"};
  for (int k = 0; k < 3; k++) {
    struct tree tree = {0};
    char text[1500];
    snprintf(text, sizeof text,
             ROBOT(LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "<limit lower='-1' upper='1' %s/>")),
             limits[k]);
    load(&tree, text);
    bool told = false;
    for (const struct dc_note *note = tree.scene.notes.first; note; note = note->next)
      told |= strstr(note->text, "limits of effort or velocity of 0 or less are none: j") != NULL;
    CHECK(told == (k < 2), "%s", limits[k]);
    check_json(find_body(&tree, "b"), "effort_limit", k == 0 ? "-" : "2");
    check_json(find_body(&tree, "b"), "velocity_limit", k == 1 ? "-" : "3");
    unload(&tree);
  }
}

RUN_TESTS_IN_TEMPORARY_FOLDER({"limits of 0", test_zero_limits}, {"settings of MuJoCo", test_mujoco},
                              {"planar and floating joints", test_unheeded},
                              {"joints on the world, ranges that are missing, damping", test_world},
                              {"roots", test_roots}, {"attributes", test_attributes},
                              {"gains by joint, transmissions", test_gains},
                              {"gains of several joints of a body", test_gains_of_chain}, {"URIs", test_uris},
                              {"round shapes", test_round_shapes}, {"quaternions", test_quaternions},
                              {"elements that do not act", test_unread})
