// SPDX-License-Identifier: Apache-2.0
// Links of SDF by the letter of the specification: which of them touch, where their joints start, and masses of
// geometry.
#include "urdf_fixture.h"

#define SDF(text) "<sdf version='1.11'>" text "</sdf>"
#define SURFACE(text) "<surface><friction><ode><mu>0.5</mu></ode></friction><contact>" text "</contact></surface>"
#define BALL(name, more, surface)                                                                                      \
  "<link name='" name "'>" more                                                                                        \
  "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"                         \
  "<collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry>" surface "</collision></link>"
#define HINGE(name, parent, child, more)                                                                               \
  "<joint name='" name "' type='revolute'><parent>" parent "</parent><child>" child "</child><axis>" more              \
  "</axis></joint>"
#define CHAIN BALL("b", "", "") BALL("c", "", "") HINGE("j", "a", "b", "") HINGE("k", "b", "c", "")

static bool has_note(const struct tree *tree, const char *text)
{
  const struct dc_note *note = tree->scene.notes.first;
  while (note && !strstr(note->text, text))
    note = note->next;
  return note != NULL;
}

// Whether two bodies do not touch by the list of either.
static bool are_apart(const struct tree *tree, const char *a, const char *b)
{
  const cJSON *other;
  bool apart = false;
  for (int side = 0; side < 2; side++)
    cJSON_ArrayForEach (other, member(find_body(tree, side ? a : b), "collide_except"))
      apart |= strcmp(other->valuestring, side ? b : a) == 0;
  return apart;
}

// Links of one model touch if one of the two says so; neighbours never do, which needs no exception.
static void test_self_collide(void)
{
  static const struct {
    const char *include, *robot;
    bool apart;
  } cases[] = {
      {"'robot.urdf'", SDF("<model name='m'>" BALL("a", "", "") CHAIN "</model>"), true},
      {"'robot.urdf'", SDF("<model name='m'><self_collide>1</self_collide>" BALL("a", "", "") CHAIN "</model>"), false},
      {"'robot.urdf'", SDF("<model name='m'>" BALL("a", "<self_collide>true</self_collide>", "") CHAIN "</model>"),
       false},
      {"'robot.urdf'",
       SDF("<model name='m'><self_collide>0</self_collide>" BALL("a", "<self_collide>false</self_collide>", "") CHAIN
           "</model>"),
       true},
      {"{'file': 'robot.urdf', 'self_contact': 'all'}", SDF("<model name='m'>" BALL("a", "", "") CHAIN "</model>"),
       false},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    struct tree tree = {0};
    load_as(&tree, cases[k].include, cases[k].robot);
    CHECK(tree.status == DC_OK, "%s", tree.error.text);
    CHECK(are_apart(&tree, "a", "c") == cases[k].apart, "case %zu", k);
    CHECK(!are_apart(&tree, "a", "b") && !are_apart(&tree, "b", "c"), "case %zu", k);
    CHECK(has_note(&tree, "only with <self_collide>") == cases[k].apart, "case %zu", k);
    unload(&tree);
  }
}

// Other models touch, and so do a model and one inside of it; static models need no exceptions.
static void test_models(void)
{
  struct tree tree = {0};
  load(&tree, SDF("<world name='w'><model name='m'>" BALL("a", "", "") BALL("b", "", "") "<model name='n'>" BALL(
                  "a", "", "") BALL("b", "", "") "</model></model><model name='s'><static>1</static>" BALL("a", "", "")
                      BALL("b", "", "") "</model></world>"));
  CHECK(are_apart(&tree, "m::a", "m::b") && are_apart(&tree, "m::n::a", "m::n::b"), "one model");
  CHECK(!are_apart(&tree, "m::a", "m::n::a") && !are_apart(&tree, "m::a", "s::a"), "two models");
  CHECK(!are_apart(&tree, "s::a", "s::b"), "static");
  check_numbers(tree.build.document.root, "gravity", 3, (double[3]){0, 0, -9.8}, 0);
  CHECK(has_note(&tree, "would be 1"), "default friction");
  unload(&tree);
}

// Bit masks hold between models too; a mask of 0, or contact without forces, touches nothing.
static void test_masks(void)
{
  static const struct {
    const char *a, *b;
    bool apart, alone;
  } cases[] = {
      {"", "", false, false},
      {"<collide_bitmask>1</collide_bitmask>", "<collide_bitmask>2</collide_bitmask>", true, false},
      {"<collide_bitmask>1</collide_bitmask>", "", false, false},
      {"<collide_bitmask>1</collide_bitmask><category_bitmask>4</category_bitmask>",
       "<collide_bitmask>4</collide_bitmask>", false, false},
      {"<collide_bitmask>0</collide_bitmask>", "", false, true},
      {"<collide_without_contact>1</collide_without_contact>", "", false, true},
      {"<collide_without_contact>1</collide_without_contact><collide_bitmask>3</collide_bitmask>",
       "<collide_bitmask>2</collide_bitmask>", false, false},
      {"<collide_bitmask>4294967295</collide_bitmask>", "<collide_bitmask>2</collide_bitmask>", false, false},
      {"<collide_bitmask>65537</collide_bitmask>", "<collide_bitmask>65538</collide_bitmask>", true, false},
  };
  static const char *const refused[] = {"-1", "4294967296", "1.5"};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    struct tree tree = {0};
    char text[2000];
    snprintf(text, sizeof text,
             SDF("<model name='m'>" BALL("a", "", SURFACE("%s")) "</model><model name='n'>" BALL(
                 "a", "", SURFACE("%s")) "</model>"),
             cases[k].a, cases[k].b);
    load(&tree, text);
    CHECK(are_apart(&tree, "m::a", "n::a") == cases[k].apart, "case %zu", k);
    check_json(find_body(&tree, "m::a"), "collide", cases[k].alone ? "false" : "-");
    CHECK(!has_note(&tree, "would be 1") && !has_note(&tree, "bitmask"), "case %zu", k);
    unload(&tree);
  }
  for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
    struct tree tree = {0};
    char text[1000];
    snprintf(text, sizeof text,
             SDF("<model name='m'>" BALL("a", "", SURFACE("<collide_bitmask>%s</collide_bitmask>")) "</model>"),
             refused[k]);
    load_as(&tree, "'robot.urdf'", text);
    CHECK(tree.status == DC_BAD_INPUT && strstr(tree.error.text, "whole numbers from 0 to 4294967295"), "%s: %s",
          refused[k], tree.error.text);
    unload(&tree);
  }
}

// Starts of the file act; those outside of a range are moved into it, with numbers, in URDF too.
static void test_starts(void)
{
  struct tree tree = {0};
#define RANGE(low, high, more) "<limit><lower>" low "</lower><upper>" high "</upper></limit>" more
  load(&tree, SDF("<model name='m'>" BALL("a", "", "") BALL("b", "", "") BALL("c", "", "") BALL("d", "", "")
                      HINGE("j", "a", "b", RANGE("0.25", "1", ""))
                          HINGE("k", "a", "c", RANGE("-1", "1", "<initial_position>0.5</initial_position>")) HINGE(
                              "l", "a", "d", RANGE("-1", "1", "<initial_position>2</initial_position>")) "</model>"));
  check_json(find_body(&tree, "b"), "joint_position", "[0.25]");
  check_json(find_body(&tree, "c"), "joint_position", "[0.5]");
  check_json(find_body(&tree, "d"), "joint_position", "[1]");
  CHECK(has_note(&tree, "j from 0 to 0.25") && has_note(&tree, "l from 2 to 1"), "numbers");
  unload(&tree);
  load(&tree,
       "<robot name='r'>" LINK("a") LINK("b") JOINT("j", "prismatic", "a", "b",
                                                    "<limit lower='-3' upper='-2' effort='1' velocity='1'/>") LINK("c")
           JOINT("k", "revolute", "a", "c", "<limit lower='.5' upper='.5' effort='1' velocity='1'/>") LINK("d")
               JOINT("l", "revolute", "a", "d", "<limit lower='-1' upper='1' effort='1' velocity='1'/>") "</robot>");
  check_json(find_body(&tree, "b"), "joint_position", "[-2]");
  check_json(find_body(&tree, "d"), "joint_position", "-");
  CHECK(has_note(&tree, "j from 0 to -2") && has_note(&tree, "k from 0 to 0.5"), "numbers");
  unload(&tree);
  load_as(&tree, "{'file': 'robot.urdf', 'joint_position': {'j': -2.5}}", NULL);
  check_json(find_body(&tree, "b"), "joint_position", "[-2.5]");
  CHECK(!has_note(&tree, "j from"), "given");
  unload(&tree);
}

// Inertias of geometry: by the density of the collision, else of <inertial>, else of water; with a mass that is the
// mass.
static void test_automatic(void)
{
  static const char *const inertial[] = {"<inertial auto='true'/>",
                                         "<inertial auto='1'><density>500</density></inertial>",
                                         "<inertial auto='1'><density>500</density></inertial>",
                                         "<inertial auto='true'><mass>3</mass></inertial>", "<inertial/>"};
  static const char *const collision[] = {"", "", "<density>200</density>", "", "<density>200</density>"};
  static const char *const mass[] = {"1000", "500", "200", "3", "1"};
  for (int k = 0; k < 5; k++) {
    struct tree tree = {0};
    char text[900];
    snprintf(text, sizeof text,
             SDF("<model name='m'><link name='a'>%s<collision name='c'>%s<geometry><box><size>1 1 1</size></box>"
                 "</geometry></collision></link></model>"),
             inertial[k], collision[k]);
    load(&tree, text);
    check_json(find_body(&tree, "a"), "density", "-");
    check_json(find_body(&tree, "a"), "mass", mass[k]);
    CHECK(has_note(&tree, "gives no mass") == (k < 3), "%s", inertial[k]);
    CHECK(has_note(&tree, "have 1 kg") == (k == 4), "%s", inertial[k]);
    unload(&tree);
  }
}

// Solids have the masses that the file means, each by its density, not those of the polyhedra that touch; a mesh among
// them leaves that to the scene.  Without weight they stay where they are.
static void test_solids(void)
{
  static const char text[] = SDF(
      "<model name='m'><link name='a'><gravity>0</gravity><inertial auto='true'><density>2000</density></inertial>"
      "<collision name='c'><pose>0 0 1 0 0 "
      "0</pose><geometry><sphere><radius>.1</radius></sphere></geometry></collision>"
      "<collision name='d'><density>500</density><geometry><cylinder><radius>.1</radius><length>.4</length></cylinder>"
      "</geometry></collision></link><link name='b'><inertial auto='true'/><collision name='c'><geometry><capsule>"
      "<radius>.1</radius><length>.3</length></capsule></geometry></collision></link></model>");
  struct tree tree = {0};
  load(&tree, text);
  const cJSON *a = find_body(&tree, "a"), *b = find_body(&tree, "b");
  double ball = 8000 * M_PI / 3e3, tube = 500 * M_PI * 0.004, mass = ball + tube;
  double height = ball / mass, across = 0.4 * ball * 0.01 + tube * (0.03 + 0.16) / 12 + ball * tube / mass;
  CHECK_NEAR(member(a, "mass")->valuedouble, mass, 1e-12 * mass);
  CHECK_NEAR(cJSON_GetArrayItem(member(a, "center_of_mass"), 2)->valuedouble, height, 1e-12);
  CHECK_NEAR(cJSON_GetArrayItem(member(a, "inertia"), 0)->valuedouble, across, 1e-12);
  check_json(a, "buoyancy", "1");
  CHECK_NEAR(member(b, "mass")->valuedouble, 1000 * M_PI * (0.003 + 4e-3 / 3), 1e-9);
  check_json(b, "buoyancy", "-");
  CHECK(has_note(&tree,
                 "\"a\": the file gives no mass: it has 14.66 kg, those of its collision geometry at their densities"),
        "%s", tree.error.text);
  unload(&tree);
}

// A collision that says no density has that of its link's <inertial>, else 1000 kg/m^3, whatever others of the link
// say.
static void test_densities(void)
{
#define TWO_BALLS(more, first)                                                                                         \
  "<inertial auto='true'>" more "</inertial><collision name='c'>" first "<geometry><sphere><radius>1</radius></sphere>" \
  "</geometry></collision><collision name='d'><geometry><sphere><radius>1</radius></sphere></geometry></collision>"
  static const char text[] = SDF("<model name='m'><link name='a'>" TWO_BALLS("", "<density>500</density>")
                                     "</link><link name='b'>" TWO_BALLS("<density>200</density>", "<density>500</density>")
                                         "</link><link name='c'>" TWO_BALLS("<density>200</density>", "")
                                             "</link></model>");
  static const double densities[] = {1500, 700, 400};
  struct tree tree = {0};
  load(&tree, text);
  for (int k = 0; k < 3; k++) {
    const char name[] = {(char)('a' + k), 0};
    CHECK_NEAR(member(find_body(&tree, name), "mass")->valuedouble, densities[k] * 4 * M_PI / 3, 1e-9);
  }
  unload(&tree);
}

// Friction of two is the smaller coefficient, by Drake's elements 2 a b/(a + b); pairs that do not touch say nothing.
static void test_frictions(void)
{
#define RUBS(mu) "<surface><friction><ode><mu>" mu "</mu></ode></friction></surface>"
#define DRAKE(mu)                                                                                                      \
  "<drake:proximity_properties><drake:mu_dynamic>" mu "</drake:mu_dynamic><drake:mu_static>" mu                        \
  "</drake:mu_static></drake:proximity_properties>"
  static const char text[] =
      SDF("<world name='w'><model name='m'>" BALL("a", "", RUBS("0.25"))
              BALL("b", "", RUBS("0.25")) "</model><model name='n'>" BALL("a", "", RUBS("1"))
                  BALL("b", "", DRAKE("0.5")) "</model><model name='o'>" BALL("a", "", DRAKE("1.5"))
                      BALL("b", "", RUBS("0")) "</model></world>");
  struct tree tree = {0};
  load(&tree, text);
  check_json(find_body(&tree, "m::b"), "friction_with", "-");
  check_json(find_body(&tree, "n::a"), "friction_with",
             "[{'body':'m::a','friction':0.25},{'body':'m::b','friction':0.25}]");
  check_json(find_body(&tree, "n::b"), "friction_with",
             "[{'body':'m::a','friction':0.25},{'body':'m::b','friction':0.25}]");
  check_json(find_body(&tree, "o::a"), "friction_with",
             "[{'body':'m::a','friction':0.25},{'body':'m::b','friction':0.25},{'body':'n::a','friction':1},"
             "{'body':'n::b','friction':0.75}]");
  check_json(find_body(&tree, "o::b"), "friction_with", "-");
  CHECK(!has_note(&tree, "mu_static"), " ");
  unload(&tree);
  load(&tree, SDF("<model name='m'>" BALL("a", "",
                                          "<drake:proximity_properties><drake:mu_dynamic>1</drake:mu_dynamic>"
                                          "<drake:mu_static>2</drake:mu_static></drake:proximity_properties>")
                      BALL("b", "",
                           "<drake:proximity_properties><drake:mu_static>2</drake:mu_static>"
                           "</drake:proximity_properties>") "</model>"));
  check_json(find_body(&tree, "a"), "friction", "1");
  check_json(find_body(&tree, "b"), "friction", "2");
  CHECK(has_note(&tree, "<drake:mu_static> in <drake:proximity_properties>: friction at rest is that of sliding"), " ");
  unload(&tree);
}

// A pose names its frame by another word below version 1.7; a joint may follow the second axis of one.
static void test_words(void)
{
  struct tree tree = {0};
  load(&tree, "<sdf version='1.6'><model name='m'>" BALL("a", "<pose>0 0 5 0 0 0</pose>", "")
                  BALL("b", "<pose frame='a'>1 0 0 0 0 0</pose>", "") "</model></sdf>");
  check_json(find_body(&tree, "b"), "position", "[1,0,5]");
  CHECK(!has_note(&tree, "frame"), "read");
  unload(&tree);
  load_as(&tree, "'robot.urdf'",
          SDF("<model name='m'>" BALL("a", "", "") BALL("b", "", "") BALL("c", "", "")
                  HINGE("j", "a", "b", "<mimic joint='k' axis='axis2'><multiplier>2</multiplier></mimic>")
                      HINGE("k", "a", "c", "") "</model>"));
  CHECK(tree.status == DC_BAD_INPUT && strstr(tree.error.text, "k:2"), "%s", tree.error.text);
  unload(&tree);
}

// The text of a model of two links, what it is refused with, or a note, or a note that must not be there.
static void test_by_name(void)
{
#define PAIR(link, joint) "<model name='m'>" BALL("a", "", "") BALL("b", link, "") joint "</model>"
#define TURN(type, more)                                                                                               \
  "<joint name='j' type='" type "'><parent>a</parent><child>b</child><axis>" more "</axis></joint>"
  static const struct {
    const char *robot, *refused, *noted, *silent;
  } cases[] = {
      {SDF(PAIR("", TURN("revolute", "<dynamics><damping>-1</damping></dynamics>"))), NULL, "below 0 are none: j",
       NULL},
      {SDF(PAIR("", TURN("prismatic", "<dynamics><friction>-1</friction></dynamics>"))), NULL, "below 0 are none: j",
       NULL},
      {SDF(PAIR("", TURN("ball", "<dynamics><damping>-1</damping><friction>1</friction></dynamics>"))), NULL,
       "ball joints have no dry friction", NULL},
      {SDF(PAIR("", TURN("revolute", "<dynamics><damping>1</damping></dynamics>"))), NULL, NULL, "below 0"},
      {SDF(PAIR("", TURN("continuous", "<limit><lower>-1</lower></limit>"))), NULL, "continuous joints have no range",
       NULL},
      {SDF(PAIR("<kinematic>1</kinematic>", "")), NULL, "<kinematic>", NULL},
      {SDF(PAIR("", "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz></axis>"
                    "<axis><xyz>0 1 0</xyz></axis></joint>")),
       NULL, "<axis> in <joint>: stands here twice: the first holds", NULL},
      {SDF(PAIR("<pose>0 0 1 0 0 0</pose><pose>0 0 2 0 0 0</pose>", "")), NULL, "stands here twice", "is not known"},
      {SDF(PAIR("<kinematic>false</kinematic>", "")), NULL, NULL, "<kinematic>"},
      {SDF(PAIR("<velocity_decay><linear>0.0</linear></velocity_decay>", "")), NULL, NULL, "<velocity_decay>"},
      {SDF(PAIR("<velocity_decay><linear>0.1</linear></velocity_decay>", "")), NULL, "<velocity_decay>", NULL},
      {SDF(PAIR("<must_be_base_link>true</must_be_base_link>", TURN("revolute", ""))), NULL, "<must_be_base_link>",
       NULL},
      {SDF(PAIR("", TURN("revolute", "<mimic joint='k'><offset>1</offset></mimic>"))), "missing <multiplier>", NULL,
       NULL},
      {SDF("<model name='m'>" BALL("a", "", "") "<model name='n'><static>1</static>" BALL("b", "", "") "</model>" HINGE(
           "j", "a", "n::b", "") "</model>"),
       "is a link of a static model", NULL, NULL},
      {SDF("<model name='m'>" BALL("a", "", SURFACE(""))
               BALL("b", "", "<surface><friction><ode/></friction></surface>") "</model>"),
       NULL, NULL, "would be 1"},
      {SDF("<model name='m'>" BALL("a", "", SURFACE("")) BALL("b", "", SURFACE("")) "</model>"), NULL, NULL,
       "Gazebo takes"},
      {SDF("<model name='m'>" BALL("a", "",
                                   "<drake:proximity_properties><drake:mu_dynamic>-1</drake:mu_dynamic>"
                                   "</drake:proximity_properties>") "</model>"),
       "must be >= 0", NULL, NULL},
      {SDF("<world name='w'><model name='m'>" BALL("a", "", "") "</model>" HINGE("j", "world", "m::a", "") "</world>"),
       NULL, NULL, "floats"},
      {SDF("<world name='w'><model name='m'>" BALL("a", "", "") "</model>" HINGE("j", "world", "m", "") "</world>"),
       NULL, NULL, "floats"},
      {SDF("<world name='w'><model name='m'>" BALL("a", "", "") "</model>" HINGE("j", "world", "n::a", "") "</world>"),
       "there is no link or frame \"n::a\"", NULL, NULL},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    struct tree tree = {0};
    load_as(&tree, "'robot.urdf'", cases[k].robot);
    CHECK((tree.status == DC_BAD_INPUT) == (cases[k].refused != NULL), "case %zu: %s", k, tree.error.text);
    CHECK(!cases[k].refused || strstr(tree.error.text, cases[k].refused), "case %zu: %s", k, tree.error.text);
    CHECK(!cases[k].noted || has_note(&tree, cases[k].noted), "case %zu: no %s", k, cases[k].noted);
    CHECK(!cases[k].silent || !has_note(&tree, cases[k].silent), "case %zu: %s", k, cases[k].silent);
    unload(&tree);
  }
}

RUN_TESTS_IN_TEMPORARY_FOLDER({"by name", test_by_name}, {"self_collide", test_self_collide}, {"models", test_models},
                              {"bit masks", test_masks}, {"starts", test_starts},
                              {"automatic inertias", test_automatic}, {"masses of solids", test_solids},
                              {"densities of collisions", test_densities},
                              {"friction of pairs", test_frictions}, {"words", test_words})
