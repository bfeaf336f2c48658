// SPDX-License-Identifier: Apache-2.0
// Equalities that hold bodies of MJCF files, springs by time constants, masses on surfaces: what they become, by
// theory. tests/io/test_mjcf_trees compares with MuJoCo.
#include "harness.h"

#include "urdf_fixture.h"

#undef BOX
#define BOX "<geom type='box' size='.1 .1 .1' mass='1'/>"
#define FREE(name, pos, inner) "<body name='" name "' pos='" pos "'><freejoint name='f" name "'/>" BOX inner "</body>"
#define MODEL(inner, equality) "<mujoco><worldbody>" inner "</worldbody><equality>" equality "</equality></mujoco>"
#define MOCAP "<body name='m' mocap='true' pos='0 0 1'/>"
#define HAND "<body name='h' pos='0 0 .5'><joint name='j'/>" BOX "</body>"

static struct tree tree;

static void open_model(const char *model)
{
  tree = (struct tree){0};
  load_as(&tree, "'robot.urdf'", model);
  CHECK(tree.status == DC_OK, "%s: %s", model, tree.error.text);
}

static void body_has(const char *body, const char *key, const char *expected)
{
  check_json(find_body(&tree, body), key, expected);
}

static double number_of(const char *body, const char *key)
{
  const cJSON *value = member(find_body(&tree, body), key);
  return value ? value->valuedouble : NAN;
}

static void done(void)
{
  unload(&tree);
}

static void refuse(const char *model, const char *message)
{
  tree = (struct tree){0};
  load_as(&tree, "'robot.urdf'", model);
  CHECK(tree.status == DC_BAD_INPUT && strstr(tree.error.text, message), "%s: %s", model, tree.error.text);
  done();
}

// A free body, and one on a hinge, welded to what does not move; with a pose of the file's, either way round.
static void test_weld_to_world(void)
{
  open_model(MODEL(FREE("a", "1 2 3", HAND), "<weld body1='a'/>"));
  body_has("a", "joint", "'fixed'");
  body_has("h", "joint", "'hinge'");
  body_has("a", "position", "[1,2,3]");
  done();
  open_model(MODEL(MOCAP FREE("a", "1 2 3", ""), "<weld body1='m' body2='a' relpose='0 0 2 0 1 0 0'/>"));
  body_has("a", "joint", "'fixed'");
  body_has("a", "position", "[0,0,3]");
  body_has("a", "rotation", "[0,1,0,0]");
  done();
  open_model(MODEL(FREE("a", "1 2 3", ""), "<weld body1='a' relpose='0 0 2 1 0 0 0'/>"));  // the world in a
  body_has("a", "position", "[0,0,-2]");
  done();
  open_model(MODEL(FREE("a", "0 0 0", HAND), "<weld body1='h' body2='a'/>"));
  body_has("h", "joint", "'fixed'");
  body_has("a", "joint", "'free'");
  done();
  open_model(
      "<mujoco><worldbody>" FREE("a", "0 0 0", HAND) "</worldbody><equality><weld body1='h' body2='a'/></equality>"
                                                     "<actuator><motor name='u' joint='j'/></actuator></mujoco>");
  check_note(&tree, "actuator of a joint that an equality holds: u");
  done();
}

// The later one hangs on the earlier, or the other way round, with all that hangs on it.
static void test_weld_to_body(void)
{
  open_model(MODEL(FREE("a", "0 0 0", HAND) FREE("b", "1 0 0", ""), "<weld body1='h' body2='b'/>"));
  body_has("b", "joint", "'fixed'");
  body_has("b", "parent", "'h'");
  body_has("b", "position", "[1,0,-0.5]");
  done();
  open_model(MODEL(FREE("a", "0 0 0", HAND) "<body name='c' pos='0 1 0'><joint/>" BOX "</body>" FREE("z", "0 9 0", ""),
                   "<weld body1='a' body2='c'/>"));
  body_has("a", "parent", "'c'");
  body_has("a", "position", "[0,-1,0]");
  body_has("h", "parent", "'a'");
  body_has("z", "joint", "'free'");
  done();
}

static void test_connect(void)
{
  open_model(MODEL(FREE("a", "0 0 1", ""), "<connect body1='a' body2='world' anchor='.3 0 .1'/>"));
  body_has("a", "joint", "'ball'");
  body_has("a", "anchor", "[0.3,0,1.1]");
  done();
  open_model(MODEL(FREE("a", "0 0 1", HAND) FREE("b", "1 0 0", ""), "<connect body1='h' body2='b' anchor='.5 0 0'/>"));
  body_has("b", "parent", "'h'");
  body_has("b", "joint", "'ball'");
  body_has("b", "anchor", "[0.5,0,0]");
  done();
}

// Loops are named with their lines; those switched off say nothing.
static void test_loops(void)
{
  static const char arms[] = "<body name='c'><joint/>" BOX "</body><body name='d' pos='0 1 0'><joint/>" BOX "</body>";
  char text[2000];
  snprintf(text, sizeof text, MODEL("%s", "<connect name='e' body1='c' body2='d' anchor='0 0.3 0'/>"), arms);
  open_model(text);
  check_json(tree.build.document.root, "ties", "[{'body':'tie','to':'tie_2'}]");
  body_has("tie", "parent", "'c'");
  body_has("tie", "position", "[0,0.3,0]");
  body_has("tie_2", "parent", "'d'");
  body_has("tie_2", "position", "[0,-0.7,0]");
  done();
  // three points of d, seen from c
  snprintf(text, sizeof text, MODEL("%s", "<weld body1='c' body2='d' relpose='1 2 3 1 0 0 1' torquescale='.1'/>"),
           arms);
  open_model(text);
  check_json(tree.build.document.root, "ties",
             "[{'body':'tie','to':'tie_2'},{'body':'tie_3','to':'tie_4'},{'body':'tie_5','to':'tie_6'}]");
  body_has("tie", "position", "[1,2,3]");
  body_has("tie_3", "position", "[1,2.1,3]");
  body_has("tie_4", "position", "[0.1,0,0]");
  body_has("tie_5", "position", "[0.9,2,3]");
  body_has("tie_6", "position", "[0,0.1,0]");
  done();
  // without torque a weld holds a point of body2: of the description, of a pose, of a free body, and of sites
  snprintf(text, sizeof text, MODEL("%s", "<weld body1='c' body2='d' anchor='0 -.7 0' torquescale='0'/>"), arms);
  open_model(text);
  check_json(tree.build.document.root, "ties", "[{'body':'tie','to':'tie_2'}]");
  check_numbers(find_body(&tree, "tie"), "position", 3, (double[3]){0, 0.3, 0}, 1e-15);
  check_numbers(find_body(&tree, "tie_2"), "position", 3, (double[3]){0, -0.7, 0}, 1e-15);
  done();
  snprintf(text, sizeof text, MODEL("%s", "<weld body1='c' body2='d' relpose='1 2 3 1 0 0 1' torquescale='0'/>"), arms);
  open_model(text);
  check_json(tree.build.document.root, "ties", "[{'body':'tie','to':'tie_2'}]");
  body_has("tie", "position", "[1,2,3]");
  done();
  open_model(MODEL(FREE("a", "0 0 1", ""), "<weld body1='world' body2='a' anchor='.3 0 .1' torquescale='0'/>"));
  body_has("a", "joint", "'ball'");
  check_numbers(find_body(&tree, "a"), "anchor", 3, (double[3]){0.3, 0, 1.1}, 1e-15);
  done();
  refuse(MODEL(FREE("a", "0 0 1", ""), "<weld body1='a' torquescale='-1'/>"), "torquescale must not be negative");
  // sites, within frames and by their classes, say the points, or the relative pose
#define SITED(inner, equality)                                                                                         \
  "<mujoco><default><site pos='0 0 .5'/></default><worldbody><body name='c'><joint/>" BOX                              \
  "<frame pos='.1 0 0'><site name='s' pos='0 .2 0'/></frame></body><body name='d' pos='0 1 0'><joint/>" BOX inner      \
  "</body></worldbody><equality>" equality "</equality></mujoco>"
  open_model(SITED("<site name='t'/>", "<connect site1='s' site2='t'/>"));
  body_has("tie", "position", "[0.1,0.2,0]");
  body_has("tie_2", "parent", "'d'");
  body_has("tie_2", "position", "[0,0,0.5]");
  done();
  open_model(SITED("<site name='t'/>", "<weld site1='s' site2='t' torquescale='0'/>"));
  check_json(tree.build.document.root, "ties", "[{'body':'tie','to':'tie_2'}]");
  body_has("tie_2", "position", "[0,0,0.5]");
  done();
  open_model(SITED("<site name='t' fromto='1 0 0 3 0 0'/>", "<weld site1='t' site2='s' torquescale='.1'/>"));
  body_has("tie", "parent", "'d'");
  body_has("tie_2", "parent", "'c'");
  body_has("tie", "position", "[2,-0.2,-0.1]");  // z along the way from the second end
  body_has("tie_2", "position", "-");
  body_has("tie_4", "position", "[0.1,0,0]");
  done();
  refuse(SITED("", "<weld site1='s'/>"), "site2: there is no site \"\"");
  snprintf(text, sizeof text, MODEL("%s", "<connect body1='d' anchor='1 0 0'/>"), arms);
  open_model(text);
  body_has("tie", "parent", "'d'");
  body_has("tie_2", "parent", "-");
  body_has("tie_2", "position", "[1,1,0]");
  done();
  refuse(MODEL(FREE("a", "0 0 1", ""), "<weld site1='s' site2='t'/>"), "site1: there is no site \"s\"");
  refuse(MODEL(FREE("a", "0 0 1", ""), "<weld body1='x'/>"), "body1: there is no body \"x\"");
  snprintf(text, sizeof text, MODEL("%s", "<connect active='false' body1='c' body2='d' anchor='0 0 0'/>"), arms);
  open_model(text);
  for (const struct dc_note *note = tree.scene.notes.first; note; note = note->next)
    CHECK(!strstr(note->text, "connect"), "%s", note->text);
  done();
}

// Many equalities of many bodies are refused before they cost seconds or gigabytes: each looks at all bodies.
static void test_many(void)
{
  enum { BODIES = 5000 };
  char *text = dc_alloc(BODIES, 200), *end = text;
  CHECK(text != NULL, "memory");
  if (!text)
    return;
  end += sprintf(end, "<mujoco><worldbody>");
  for (int i = 0; i < BODIES; i++)
    end += sprintf(end, "<body name='b%d' pos='%d 0 0'><freejoint/><geom size='.1'/></body>", i, i);
  end += sprintf(end, "</worldbody><equality>");
  for (int i = 0; i < BODIES; i++)
    end += sprintf(end, "<weld body1='b%d' body2='b%d'/>", i, (7 * i + 1) % BODIES);
  sprintf(end, "</equality></mujoco>");
  refuse(text, "too many bodies are held by too many equalities");
  end = text + sprintf(text, "<mujoco><worldbody><body name='a'><joint/>" BOX "</body><body name='c'><joint/>" BOX
                             "</body></worldbody><equality>");
  for (int i = 0; i < 1001; i++)
    end += sprintf(end, "<connect body1='a' body2='c' anchor='0 0 0'/>");
  sprintf(end, "</equality></mujoco>");
  refuse(text, "more than 1000 ties of loops");
  free(text);
}

// Bodies that a weld fixes still touch as the file's own joints say: a hand on a welded base does not touch it.
static void test_contact(void)
{
  open_model(MODEL(MOCAP FREE("a", "0 0 1", HAND) FREE("b", "0 0 9", ""), "<weld body1='m' body2='a'/>"));
  body_has("h", "collide_parent", "-");
  done();
  open_model(MODEL("<body name='a' pos='0 0 1'>" BOX HAND "</body>", ""));  // the file fixes this one: they touch
  body_has("h", "collide_parent", "true");
  done();
}

// A rod about its end: m l^2/3 is the inertia; a slide on it gives way as the matrix of both says.
static void test_springs(void)
{
  const double m = 0.3, l = 0.4, inertia = m * l * l / 3, t = 0.05, z = 0.7;
  open_model("<mujoco><worldbody><body name='a'><joint springdamper='.05 .7' axis='0 1 0'/><inertial pos='.2 0 0' "
             "mass='.3' diaginertia='1 .004 1'/>" BOX "</body></worldbody></mujoco>");
  const cJSON *joint = member(find_body(&tree, "a"), "joint");
  CHECK_NEAR(member(joint, "stiffness")->valuedouble, inertia / (t * t * z * z), 1e-12);
  CHECK_NEAR(member(joint, "damping")->valuedouble, 2 * inertia / t, 1e-12);
  done();
  // two carts: the first alone gives way with 1/(M^-1)_11 of [[3, 1], [1, 1]]
  open_model("<mujoco><worldbody><body name='a'><joint type='slide' axis='1 0 0' springdamper='.1 1'/><geom size='.1' "
             "mass='2'/><body name='b'><joint type='slide' axis='1 0 0'/><geom size='.1' mass='1'/></body></body>"
             "</worldbody></mujoco>");
  joint = member(find_body(&tree, "a"), "joint");
  CHECK_NEAR(member(joint, "stiffness")->valuedouble, 2 / 0.01, 1e-10);
  done();
}

static void check_shell(const char *geom, double mass, double x, double y, double z)
{
  char text[900];
  snprintf(
      text, sizeof text,
      "<mujoco><asset><mesh name='cube' inertia='shell' vertex='-1 -1 -1 1 -1 -1 -1 1 -1 1 1 -1 -1 -1 1 1 -1 1 -1 1 "
      "1 1 1 1' face='0 2 1 1 2 3 4 5 6 5 7 6 0 1 4 1 5 4 2 6 3 3 6 7 0 4 2 2 4 6 1 3 5 3 7 5'/><mesh name='points' "
      "inertia='shell' vertex='-1 -1 -1 1 -1 -1 -1 1 -1 1 1 -1 -1 -1 1 1 -1 1 -1 1 1 1 1 1 0 0 0'/></asset><worldbody>"
      "<body name='b'><freejoint/><geom density='2' %s/></body></worldbody></mujoco>",
      geom);
  open_model(text);
  CHECK_NEAR(number_of("b", "mass"), mass, 1e-9 * mass);
  const double expected[3] = {x, y, z};
  for (int k = 0; k < 3; k++) {
    const cJSON *own = cJSON_GetArrayItem(member(find_body(&tree, "b"), "inertia"), k);
    CHECK(own && fabs(own->valuedouble - expected[k]) <= 2e-5 * expected[k], "%s: %d: %.10g, not %.10g", geom, k,
          own ? own->valuedouble : NAN, expected[k]);
  }
  done();
}

// Closed forms of surfaces; the ellipsoid of equal axes is a sphere, by summation.
static void test_shells(void)
{
  const double ball = 2 * 4 * M_PI * 0.01, tube = 2 * 2 * M_PI * 0.1 * 0.6, disc = 2 * M_PI * 0.01;
  const double cube = 2 * 24;
  check_shell("shellinertia='true' type='sphere' size='.1'", ball, ball * 2 / 3 * 0.01, ball * 2 / 3 * 0.01,
              ball * 2 / 3 * 0.01);
  double across = tube * (0.5 * 0.01 + 0.09 / 3) + 2 * disc * (0.01 / 4 + 0.09);
  check_shell("shellinertia='true' type='cylinder' size='.1 .3'", tube + 2 * disc, across, across,
              tube * 0.01 + 2 * disc * 0.01 / 2);
  across = tube * (0.5 * 0.01 + 0.09 / 3) + ball * (2.0 / 3 * 0.01 + 0.09 + 0.3 * 0.1);
  check_shell("shellinertia='true' type='capsule' size='.1 .3'", tube + ball, across, across,
              tube * 0.01 + ball * 2 / 3 * 0.01);
  // the faces of a cube of side 2: two have 2/3 and four have 1/3 + 1 of their mass
  double face = 2 * 4, sides = 2 * face * 2 / 3.0 + 4 * face * (1 + 1 / 3.0);
  check_shell("shellinertia='true' type='box' size='1 1 1'", cube, sides, sides, sides);
  check_shell("type='mesh' mesh='cube'", cube, sides, sides, sides);
  // points alone have the surface of their hull; a fitted box has the inertia of the surface, a a = 3/2 I/m there
  check_shell("type='mesh' mesh='points'", cube, sides, sides, sides);
  double half = sqrt(1.5 * sides / cube), box = 16 * half * half * half;
  check_shell("type='box' mesh='points'", box, box * half * half * 2 / 3, box * half * half * 2 / 3,
              box * half * half * 2 / 3);
  check_shell("shellinertia='true' type='ellipsoid' size='.1 .1 .1'", ball, ball * 2 / 3 * 0.01, ball * 2 / 3 * 0.01,
              ball * 2 / 3 * 0.01);
}

// A block of half sides 1, 1, z: what each primitive makes of it, by volume.
static void test_fits(void)
{
  static const struct {
    const char *type, *box;
    double z, volume;
  } fits[] = {{"sphere", "false", 1, 4 * M_PI / 3},
              {"box", "false", 1, 8},
              {"cylinder", "false", 1, 2 * M_PI},
              {"capsule", "false", 1, 4 * M_PI / 3 + M_PI},
              {"ellipsoid", "false", 1, 4 * M_PI / 3},
              {"box", "true", 1, 8},
              {"sphere", "true", 1, 4 * M_PI / 3},
              {"sphere", "true", 3, 36 * M_PI},
              {"capsule", "true", 3, 4 * M_PI / 3 + 4 * M_PI},
              {"cylinder", "true", 3, 6 * M_PI},
              {"ellipsoid", "true", 3, 4 * M_PI},
              {"capsule", "false", 3, 4 * M_PI / 3 + 5 * M_PI}};
  for (size_t i = 0; i < sizeof fits / sizeof *fits; i++) {
    char text[900];
    snprintf(
        text, sizeof text,
        "<mujoco><compiler fitaabb='%s'/><asset><mesh name='cube' refpos='-1 -1 -1' scale='1 1 %g' vertex='0 0 0 2 0 0 "
        "0 2 0 2 2 0 0 0 2 2 0 2 0 2 2 2 2 2'/></asset><worldbody><body name='b'><freejoint/><geom density='1' "
        "type='%s' mesh='cube'/><geom "
        "density='8' type='%s' mesh='cube' fitscale='.5'/></body></worldbody></mujoco>",
        fits[i].box, fits[i].z, fits[i].type, fits[i].type);
    open_model(text);
    CHECK_NEAR(number_of("b", "mass"), 2 * fits[i].volume, 1e-9);
    for (int k = 0; k < 3; k++)
      CHECK_NEAR(cJSON_GetArrayItem(member(find_body(&tree, "b"), "center_of_mass"), k)->valuedouble,
                 k < 2 ? 2 : 2 * fits[i].z, 1e-12);
    done();
  }
}

// A mesh in MuJoCo's binary format: the corner of a cube.
static void test_msh(void)
{
  static const char model[] =
      "<mujoco><asset><mesh file='corner.msh' scale='1 1 2'/></asset><worldbody><body name='b'><freejoint/><geom "
      "type='mesh' mesh='corner'/></body></worldbody></mujoco>";
  struct {
    int counts[4];
    float vertices[4][3];
    int triangles[4][3];
  } file = {{4, 0, 0, 4}, {{0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
  write_bytes("corner.msh", (const char *)&file, sizeof file);
  open_model(model);
  const cJSON *mass = cJSON_GetObjectItem(find_body(&tree, "b"), "mass");
  CHECK_NEAR(mass ? mass->valuedouble : NAN, 1000.0 / 3, 1e-9);
  body_has("b", "center_of_mass", "[0.25,0.25,0.5]");
  done();
  file.triangles[3][2] = 4;
  write_bytes("corner.msh", (const char *)&file, sizeof file);
  refuse(model, "corner.msh: a triangle has the vertex 4 of 4");
  write_bytes("corner.msh", (const char *)&file, sizeof file - 1);
  refuse(model, "corner.msh: has 111 bytes instead of 112");
}

// An actuator on a tendon of one joint is that joint's, whatever law the joint follows another one by: c times the
// gear.
static void test_driven_followers(void)
{
#define FOLLOWER(law)                                                                                                  \
  "<mujoco><worldbody><body name='l'><joint name='x' type='slide'/>" BOX "</body><body name='b' pos='5 0 0'><joint "   \
  "name='y' type='slide'/>" BOX "</body></worldbody><tendon><fixed name='t'><joint joint='y' coef='2'/></fixed>"       \
  "</tendon><equality><joint joint1='y' joint2='x' polycoef='" law "'/></equality><actuator><position tendon='t' "     \
  "kp='3'/></actuator></mujoco>"
  open_model(FOLLOWER("0.1 1 0 0 0"));
  CHECK(member(find_body(&tree, "b"), "pd"), "an offset: the servo is there");
  done();
  open_model(FOLLOWER("0 1 1 0 0"));
  CHECK(member(find_body(&tree, "b"), "pd"), "a curve: the servo is there");
  done();
}

// A tendon of joints that follow one in proportion is one of that: L = x - y = 3 x for y = -2 x.  Lengths where springs
// are slack are those of the file, whatever tendons before have done to the joint: (4 * .1 + 12 * .5 + 1 * .1)/17.
static void test_followed_tendons(void)
{
#define TENDONS(joint, equality, tendons)                                                                              \
  "<mujoco><worldbody><body name='l'><joint name='x' type='slide' " joint "/>" BOX                                     \
  "</body><body name='b' pos='5 0 0'>"                                                                                 \
  "<joint name='y' type='slide'/>" BOX "</body></worldbody><equality>" equality "</equality><tendon>" tendons          \
  "</tendon></mujoco>"
  open_model(
      TENDONS("", "<joint joint1='y' joint2='x' polycoef='0 -2 0 0 0'/>",
              "<fixed stiffness='2' springlength='.6' damping='.5' frictionloss='.1' armature='.1'><joint joint='x' "
              "coef='1'/><joint joint='y' coef='-1'/></fixed>"));
  check_json(find_body(&tree, "l"), "joint",
             "{'type':'slide','damping':4.5,'stiffness':18,'rest':0.2,'armature':0.9,'dry_friction':0.3}");
  CHECK(!tree.scene.notes.first, "%s", tree.scene.notes.first ? tree.scene.notes.first->text : "");
  done();
  open_model(
      TENDONS("stiffness='4' springref='.1'", "",
              "<fixed stiffness='3' springlength='1'><joint joint='x' coef='2'/></fixed><fixed stiffness='1'><joint "
              "joint='x' coef='1'/></fixed>"));
  double rest = member(member(find_body(&tree, "l"), "joint"), "rest")->valuedouble;
  CHECK(fabs(rest - 6.5 / 17) < 1e-12, "slack at %.17g", rest);
  done();
}

// A tendon of two independent joints, of which one refers to 0.5: lengths of the scene are smaller by the 2 times 0.5.
// A servo of gear 2 with gains 3 and 0.5 and a control of 0.1 has 4 times these and pulls to 2 * 3 * 0.1/12 = 0.05.
static void test_tendons_over_joints(void)
{
#define OVER(own, more)                                                                                                \
  "<mujoco><worldbody><body name='l'><joint name='x' type='slide' ref='.5'/>" BOX "</body><body name='b' pos='5 0 0'>" \
  "<joint name='w' type='slide'/><joint name='y' axis='0 1 0'/>" BOX "</body></worldbody><tendon><fixed name='t' " own \
  "><joint joint='x' coef='2'/><joint joint='y' coef='-1'/></fixed></tendon>" more "</mujoco>"
#define JOINTS "'joints':[{'body':'l','factor':2},{'body':'b','coordinate':1,'factor':-1}]"
  open_model(OVER("stiffness='3' springlength='.25 1.5' damping='.7' frictionloss='.1' range='-1 2'", ""));
  check_json(tree.build.document.root, "tendons",
             "[{" JOINTS ",'stiffness':3,'rest':[-0.75,0.5],'damping':0.7,'dry_friction':0.1,'range':[-2,1]}]");
  CHECK(!tree.scene.notes.first, "%s", tree.scene.notes.first ? tree.scene.notes.first->text : "");
  done();
  open_model(OVER("range='1.1 2'", ""));
  check_note(&tree, "range, which the start is outside of, of tendon t (line 1)");
  done();
  tree = (struct tree){0};
  load_as(&tree, "{'file': 'robot.urdf', 'keyframe': 'k'}",
          OVER("",
               "<actuator><position tendon='t' kp='3' kv='.5' gear='2' forcerange='-4 4'/></actuator><keyframe><key "
               "name='k' ctrl='.1' qpos='.5 0 0'/></keyframe>"));
  check_json(tree.build.document.root, "tendons",
             "[{" JOINTS ",'stiffness':12,'rest':[-0.95,-0.95],'damping':2,'effort':8}]");
  check_json(find_body(&tree, "l"), "joint", "'slide'");
  check_note(&tree, "control, beyond its force at the start, of the actuator on several joints");
  done();
  // lengths of -1 and another one are those; a joint that stands there twice has the sum of its coefficients
  open_model(OVER("stiffness='3' springlength='-1 1.5'", ""));
  check_json(tree.build.document.root, "tendons", "[{" JOINTS ",'stiffness':3,'rest':[-2,0.5]}]");
  done();
  open_model("<mujoco><worldbody><body name='l'><joint name='x' type='slide' actuatorfrcrange='-1 1'/>" BOX
             "<body name='b'><joint name='y'/>" BOX
             "</body></body></worldbody><tendon><fixed name='t'><joint joint='x' "
             "coef='2'/><joint joint='y' coef='1'/><joint joint='x' coef='-.5'/></fixed></tendon><actuator><position "
             "tendon='t' kp='3'/></actuator></mujoco>");
  check_json(tree.build.document.root, "tendons",
             "[{'joints':[{'body':'l','factor':1.5},{'body':'b','factor':1}],'stiffness':3,'rest':[0,0]}]");
  check_note(&tree, "limit of forces, for those along tendons, of joint x (line 1)");
  done();
  open_model(OVER("stiffness='3 1'", ""));
  check_json(tree.build.document.root, "tendons", "-");
  check_note(&tree, "spring of tendon t (line 1)");
  done();
}

// Limits that are not alike in both directions are named, those of joints too; so are hulls of a given number of
// corners.
static void test_named_limits(void)
{
  open_model("<mujoco><worldbody><body name='l'><joint name='x' type='slide' actuatorfrcrange='-1 2'/>" BOX
             "</body></worldbody><actuator><position joint='x' kp='9'/></actuator></mujoco>");
  check_note(&tree, "limit of forces that is not alike in both directions, the greater holds in both, of joint x");
  done();
  open_model("<mujoco><worldbody><body name='l'><joint name='x' type='slide' actuatorfrcrange='-2 2'/>" BOX
             "</body></worldbody><actuator><position joint='x' kp='9'/></actuator></mujoco>");
  CHECK(!tree.scene.notes.first, "%s", tree.scene.notes.first ? tree.scene.notes.first->text : "");
  done();
  open_model("<mujoco><asset><mesh name='m' maxhullvert='5' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody><body>"
             "<freejoint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>");
  check_note(&tree, "<mesh maxhullvert>: does not act: its hull would have fewer corners");
  done();
}

// MuJoCo takes the mass of an OBJ file's first group with faces, and hulls from all of its vertices.
static void test_groups(void)
{
#define FACES(a, b, c, d) "f " a " " c " " b "\nf " a " " b " " d "\nf " a " " d " " c "\nf " b " " c " " d "\n"
  static const struct {
    const char *first, *second, *kind;
    double mass;
    bool told;
  } cases[] = {{"o a\ng b\n", "g b\n", "legacy", 1000.0 / 6, true},
               {"", "o b\n", "exact", 1000.0 / 6, true},
               {"", "o b\n", "shell", 1000 * (1.5 + sqrt(0.75)), true},
               {"g a\n", "usemtl x\ns 1\n", "exact", 2000.0 / 6, false},
               {"o a\n", "g b\n", "convex", 1000 * (5 + 1.0 / 6), false}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char obj[600], model[400];
    snprintf(obj, sizeof obj, "%sv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n%s%sv 10 0 0\nv 11 0 0\nv 10 1 0\nv 10 0 1\n%s",
             cases[k].first, FACES("1", "2", "3", "4"), cases[k].second, FACES("5", "6", "7", "8"));
    write_bytes("two.obj", obj, strlen(obj));
    snprintf(model, sizeof model,
             "<mujoco><asset><mesh file='two.obj' inertia='%s'/></asset><worldbody><body name='b'><freejoint/><geom "
             "type='mesh' mesh='two'/></body></worldbody></mujoco>",
             cases[k].kind);
    open_model(model);
    CHECK_NEAR(number_of("b", "mass"), cases[k].mass, 1e-9 * cases[k].mass);
    bool told = false;
    for (const struct dc_note *note = tree.scene.notes.first; note; note = note->next)
      told |= strstr(note->text,
                     "mass of other groups than the first one, which MuJoCo leaves out, too, of mesh two") != NULL;
    CHECK(told == cases[k].told, "%zu", k);
    done();
  }
}

RUN_TESTS_IN_TEMPORARY_FOLDER({"welded to what stands", test_weld_to_world}, {"welded to bodies", test_weld_to_body},
                              {"connected", test_connect}, {"loops are tied", test_loops}, {"many of them", test_many},
                              {"contact", test_contact}, {"springs by time constants", test_springs},
                              {"shells", test_shells}, {"fitted to meshes", test_fits}, {"binary meshes", test_msh},
                              {"groups of OBJ files", test_groups}, {"tendons of followers", test_driven_followers},
                              {"tendons that act on followers", test_followed_tendons},
                              {"tendons over joints", test_tendons_over_joints},
                              {"limits that are named", test_named_limits})
