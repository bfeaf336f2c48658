// SPDX-License-Identifier: Apache-2.0
// Models in the Simulation Description Format: poses and frames, joints, what floats and what is fixed, geometry,
// friction, nested models, included files, and notes of what does not act.
#include <sys/stat.h>
#include <unistd.h>

#include "io/scene/scene.h"
#include "urdf_fixture.h"

#define SDF(text) "<sdf version='1.9'>" text "</sdf>"
#define MASS "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
#define SOLID(name, more)                                                                                              \
  "<link name='" name "'>" more MASS                                                                                   \
  "<collision name='c'><geometry><box><size>0.1 0.2 0.3</size></box></geometry></collision></link>"
#define HINGE(name, type, parent, child, more)                                                                         \
  "<joint name='" name "' type='" type "'><parent>" parent "</parent><child>" child "</child>" more "</joint>"

// A file is robot.sdf: the fixture's robot.urdf is told apart by its content, not by its name.
static void load_sdf(struct tree *tree, const char *text)
{
  load(tree, text);
}

static void refuse(const char *text, const char *message)
{
  struct tree tree = {0};
  load_as(&tree, "'robot.urdf'", text);
  CHECK(tree.status == DC_BAD_INPUT && strstr(tree.error.text, message), "'%s', expected '%s'", tree.error.text,
        message);
  unload(&tree);
}

static void test_free_and_static(void)
{
  struct tree tree = {0};
  load_sdf(&tree, SDF("<model name='m'><pose>1 2 3 0 0 1.5707963267948966</pose>" SOLID(
                      "a", "<pose>1 0 0 0 0 0</pose>") "</model>"));
  check_json(find_body(&tree, "a"), "joint", "'free'");
  check_numbers(find_body(&tree, "a"), "position", 3, (double[3]){1, 3, 3}, 1e-15);
  check_json(find_body(&tree, "a"), "mass", "2");
  check_note(&tree, "moves freely");
  unload(&tree);
  load_sdf(&tree, SDF("<model name='m'><static>true</static>" SOLID("a", "") SOLID("b", "<pose>0 0 1 0 0 0</pose>")
                          HINGE("j", "revolute", "a", "b", "") "</model>"));
  check_json(find_body(&tree, "a"), "joint", "'fixed'");
  check_json(find_body(&tree, "b"), "joint", "'fixed'");
  unload(&tree);
  load_as(&tree, "{'file': 'robot.urdf', 'base': 'fixed', 'position': [0, 0, 5]}",
          SDF("<model name='m'>" SOLID("a", "") "</model>"));
  check_json(find_body(&tree, "a"), "joint", "'fixed'");
  check_json(find_body(&tree, "a"), "position", "[0,0,5]");
  unload(&tree);
}

// Frames that refer to links, joints, frames and models; a joint's frame beside that of its child.
static void test_frames(void)
{
  struct tree tree = {0};
  load_sdf(&tree, SDF("<model name='m'>" SOLID("a", "")
                          HINGE("w", "fixed", "world", "a", "") "<frame name='f' attached_to='a'><pose>0 0 1 0 0 "
                                                                "1.5707963267948966</pose></frame>" SOLID(
                                                                    "b", "<pose relative_to='f'>1 0 0 0 0 "
                                                                         "0</pose>") "<joint name='j' "
                                                                                     "type='revolute'><pose "
                                                                                     "relative_to='f'/><parent>a</"
                                                                                     "parent><child>b</child>"
                                                                                     "<axis><xyz "
                                                                                     "expressed_in='__model__'>0 "
                                                                                     "1 "
                                                                                     "0</xyz><limit><lower>-1</"
                                                                                     "lower><upper>2</upper></"
                                                                                     "limit></axis>"
                                                                                     "</joint></model>"));
  const cJSON *b = find_body(&tree, "b");
  check_json(b, "joint", "'hinge'");
  check_json(b, "parent", "'a'");
  check_numbers(b, "position", 3, (double[3]){0, 1, 1}, 1e-15);  // 1 along the frame's x, which is the model's y
  check_numbers(b, "anchor", 3, (double[3]){0, 0, 1}, 1e-15);
  check_numbers(b, "axis", 3, (double[3]){0, 1, 0}, 1e-15);
  check_json(b, "range", "[-1,2]");
  unload(&tree);
  refuse(
      SDF("<model name='m'><link name='a'><pose relative_to='b'/></link><link name='b'><pose relative_to='a'/></link>"
          "</model>"),
      "circle");
  refuse(SDF("<model name='m'><link name='a'><pose relative_to='x'/></link></model>"), "there is no frame \"x\"");
}

static void test_joints(void)
{
  struct tree tree = {0};
  load_sdf(
      &tree,
      SDF("<model name='m'>" SOLID("a", "") HINGE("w", "fixed", "world", "a", "") SOLID("b", "") SOLID("c", "")
              SOLID("d", "") SOLID("e", "") SOLID("f", "") HINGE("j1", "ball", "a", "b", "")
                  HINGE("j2", "universal", "a", "c",
                        "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 "
                        "0</xyz><dynamics><damping>3</damping></dynamics></axis2>")
                      HINGE("j3", "continuous", "a", "d",
                            "<axis><xyz>0 0 2</xyz><dynamics><damping>0.5</damping><friction>0.25"
                            "</friction><spring_stiffness>7</spring_stiffness><spring_reference>0.125</"
                            "spring_reference></dynamics></axis>")
                          HINGE("j4", "prismatic", "a", "e",
                                "<axis><limit><lower>0</lower><upper>inf</upper><effort>9</effort>"
                                "</limit></axis>")
                              HINGE("j5", "revolute", "a", "f",
                                    "<axis><limit><lower>-1e16</lower><upper>1e16</upper></limit></axis>") "</model>"));
  check_json(find_body(&tree, "b"), "joint", "'ball'");
  check_json(find_body(&tree, "c"), "joint",
             "[{'type':'hinge','axis':[1,0,0],'anchor':[0,0,0]},{'type':'hinge','axis':[0,1,0],'anchor':[0,0,0],"
             "'damping':3}]");
  check_json(find_body(&tree, "d"), "joint",
             "{'type':'hinge','damping':0.5,'dry_friction':0.25,'stiffness':7,'rest':0.125}");
  check_json(find_body(&tree, "d"), "axis", "[0,0,1]");
  check_json(find_body(&tree, "e"), "range", "[0,100]");
  check_json(find_body(&tree, "f"), "range", "-");
  unload(&tree);
  refuse(SDF("<model name='m'><static>1</static>" SOLID("a", "") SOLID("b", "")
                 HINGE("j", "bolt", "a", "b", "") "</model>"),
         "bolt");
  refuse(SDF("<model name='m'>" SOLID("a", "") SOLID("b", "") HINGE("j", "screw", "a", "b", "") "</model>"), "screws");
  refuse(SDF("<model name='m'>" SOLID("a", "") SOLID("b", "") HINGE("j", "revolute", "a", "x", "") "</model>"),
         "there is no link or frame \"x\"");
}

static void test_geometry(void)
{
  struct tree tree = {0};
  load_sdf(&tree,
           SDF("<model name='m'><static>1</static><link name='a'><collision name='p'><pose>0 0 1 0 0 "
               "0</pose><geometry><plane><normal>0 0 1"
               "</normal></plane></geometry></collision></link>"
               "<link name='b'><collision name='e'><geometry><ellipsoid><radii>1 2 3</radii></ellipsoid></geometry>"
               "<surface><friction><ode><mu>0.5</mu><mu2>0.5</mu2></ode></friction></surface></collision></link>"
               "<link name='c'><collision name='k'><geometry><capsule><radius>1</radius><length>2</length></capsule>"
               "</geometry><drake:proximity_properties><drake:mu_dynamic>0.75</drake:mu_dynamic>"
               "<drake:hydroelastic_modulus>5e7</drake:hydroelastic_modulus></drake:proximity_properties></collision></"
               "link></model>"));
  check_json(find_body(&tree, "b"), "friction", "0.5");
  check_json(find_body(&tree, "c"), "friction", "0.75");
  check_json(find_body(&tree, "c"), "shape", "'c'");
  check_note(&tree, "<drake:hydroelastic_modulus> in <drake:proximity_properties>");
  const cJSON *plane = find_body(&tree, "a:plane1");
  CHECK(plane != NULL, "a plane");
  check_json(plane, "position", "[0,0,1]");
  unload(&tree);
  // what moves is divided, scenery stays as it is unless the include says otherwise
  static const char tetrahedron[] = "v 0 0 0\nv 30 0 0\nv 0 30 0\nv 0 0 30\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
#define HILL(static)                                                                                                   \
  SDF("<model name='m'>" static "<link name='a'><collision name='c'><geometry><mesh><uri>hill.obj</uri></mesh>"        \
                                "</geometry></collision></link></model>")
  write_bytes("hill.obj", tetrahedron, sizeof tetrahedron - 1);
  load_sdf(&tree, HILL("<static>1</static>"));
  check_json(find_shape(&tree, "a"), "longest_edge", "-");
  unload(&tree);
  load_sdf(&tree, HILL(""));
  check_json(find_shape(&tree, "a"), "longest_edge", "0.04");
  unload(&tree);
  load_as(&tree, "{'file': 'robot.urdf', 'longest_edge': 0.5}", HILL("<static>1</static>"));
  check_json(find_shape(&tree, "a"), "longest_edge", "0.5");
  unload(&tree);
  refuse(SDF("<model name='m'><link name='a'><collision name='c'><geometry><heightmap/></geometry></collision></link>"
             "</model>"),
         "holds <heightmap>");
}

// A round part beside others, which are a compound then, and a visual that shows nothing.
static void test_compounds(void)
{
  struct dc_scene *scene = NULL;
  struct dc_error error = {0};
  static const char text[] = SDF(
      "<model name='m'><static>1</static><link name='a'><visual name='v'/><collision name='e'><pose>3 0 0 0 0 0</pose>"
      "<geometry><ellipsoid><radii>.1 .2 .3</radii></ellipsoid></geometry></collision><collision name='b'><geometry>"
      "<box><size>1 2 3</size></box></geometry></collision></link></model>");
  write_bytes("round.sdf", text, sizeof text - 1);
  write_scene("round.json", "{'contact': {'model': 'bsh'}, " TIME ", 'include': 'round.sdf'}");
  CHECK(dc_scene_read("round.json", NULL, &scene, &error) == DC_OK, "%s", error.text);
  const struct dc_shape *shape = scene ? scene->model.bodies.bodies[0].shape : NULL;
  CHECK(shape && shape->part_count == 2, "two convex parts");
  if (shape)  // of the ellipsoid 0.0251 m^3, less what its corners cut
    CHECK(shape->properties.volume > 6.024 && shape->properties.volume < 6.0252, "%g", shape->properties.volume);
  dc_scene_destroy(scene);
}

// Two models, one inside of the other, and one of a file in a folder of its own with a model.config.
static void test_nested(void)
{
  struct tree tree = {0};
  static const char config[] =
      "<model><name>x</name><sdf version='1.6'>old.sdf</sdf><sdf version='1.9'>new.sdf</sdf></model>",
                    inner[] = SDF("<model name='whatever'>" SOLID(
                        "tip", "") "<frame name='grip'><pose>0 0 0.5 0 0 0</pose></frame></model>"),
                    circle[] = SDF("<model name='c'><include><uri>model://thing</uri></include></model>");
  mkdir("thing", 0777);
  write_bytes("thing/model.config", config, strlen(config));
  write_bytes("thing/new.sdf", inner, strlen(inner));
  load_sdf(
      &tree,
      SDF("<world name='w'><gravity>0 0 -3</gravity><model name='m'><pose>0 0 1 0 0 0</pose>" SOLID(
          "a",
          "") "<model name='n'><pose>1 0 0 0 0 0</pose>" SOLID("a",
                                                               "") "</model>" HINGE("j", "fixed", "a", "n::a",
                                                                                    "") "</model><include><uri>model://"
                                                                                        "thing</uri><name>t</name>"
                                                                                        "<placement_frame>grip</"
                                                                                        "placement_frame><pose>5 0 0 0 "
                                                                                        "0 0</pose></include>"
                                                                                        "<physics type='ode'/><plugin "
                                                                                        "name='p' "
                                                                                        "filename='f'/></world>"));
  check_json(find_body(&tree, "m::a"), "joint", "'free'");
  check_json(find_body(&tree, "m::n::a"), "parent", "'m::a'");
  check_numbers(find_body(&tree, "m::n::a"), "position", 3, (double[3]){1, 0, 0}, 1e-15);
  check_numbers(find_body(&tree, "t::tip"), "position", 3, (double[3]){5, 0, -0.5}, 1e-15);
  check_numbers(tree.build.document.root, "gravity", 3, (double[3]){0, 0, -3}, 0);
  check_note(&tree, "<plugin> in <world>");
  unload(&tree);
  write_bytes("thing/new.sdf", circle, strlen(circle));
  refuse(circle, "includes itself");
  refuse(SDF("<model name='c'><include><uri>model://nowhere</uri></include></model>"), "nowhere");
  refuse(SDF("<include><uri>file:///etc/passwd.sdf</uri></include>"), "passwd");
  unlink("thing/model.config");
  unlink("thing/new.sdf");
  rmdir("thing");
}

// A model that a model inside places, which a frame of its own places: at -(0, 2, -3) of where it is put.
static void test_placed(void)
{
  struct tree tree = {0};
  load_sdf(
      &tree,
      SDF("<model name='o' placement_frame='n'><pose>5 0 0 0 0 0</pose>" SOLID(
          "a", "") "<model name='n' placement_frame='f'><pose>0 2 0 0 0 0</pose>" SOLID("b",
                                                                                        "") "<frame name='f'><pose>0 0 "
                                                                                            "3 0 0 "
                                                                                            "0</pose></frame></"
                                                                                            "model>" HINGE("j", "fixed",
                                                                                                           "a", "n::b",
                                                                                                           "") "</"
                                                                                                               "model"
                                                                                                               ">"));
  check_numbers(find_body(&tree, "a"), "position", 3, (double[3]){5, -2, 3}, 1e-15);
  check_numbers(find_body(&tree, "n::b"), "position", 3, (double[3]){0, 2, -3}, 1e-15);
  unload(&tree);
}

// Attached here and placed there: the pose goes by one frame, the link of a joint by the other, and neither is unread.
static void test_attached(void)
{
  struct tree tree = {0};
  load_sdf(&tree, SDF("<model name='m'>" SOLID("a", "<pose>0 0 5 0 0 0</pose>") SOLID(
                      "b", "<pose>3 0 0 0 0 0</pose>") "<frame name='f' attached_to='b'><pose relative_to='a'>0 0 1 0 "
                                                       "0 0</pose></frame><joint name='j' "
                                                       "type='revolute'><parent>a</parent><child>f</child><axis><xyz>0 "
                                                       "1 0</xyz></axis></joint></model>"));
  check_json(find_body(&tree, "b"), "parent", "'a'");
  check_json(find_body(&tree, "b"), "position", "[3,0,-5]");
  check_json(find_body(&tree, "b"), "anchor", "[0,0,1]");
  for (const struct dc_note *note = tree.scene.notes.first; note; note = note->next)
    CHECK(!strstr(note->text, "attached"), "%s", note->text);
  unload(&tree);
}

// Friction that is another along the second direction is named, and only then; below 0 it is infinite, for which 100
// stands.
static void test_directions(void)
{
  static const char *const given[] = {"0.3", "0.3", "0.3", "-1"}, *const read[] = {"0.3", "0.3", "0.3", "100"};
  static const char *const second[] = {"<mu2>0.3</mu2>", "<mu2>0.2</mu2>", "", "<mu2>-1</mu2>"};
  for (int k = 0; k < 4; k++) {
    struct tree tree = {0};
    char text[900];
    snprintf(
        text, sizeof text,
        SDF("<model name='m'><link name='a'><collision name='c'><geometry><sphere><radius>1</radius></sphere>"
            "</geometry><surface><friction><ode><mu>%s</mu>%s</ode></friction></surface></collision></link></model>"),
        given[k], second[k]);
    load_sdf(&tree, text);
    check_json(find_body(&tree, "a"), "friction", read[k]);
    bool told = false;
    for (const struct dc_note *note = tree.scene.notes.first; note; note = note->next)
      told |= strstr(note->text, "<mu2> in <ode>: friction is the same in all directions") != NULL;
    CHECK(told == (k == 1), "%s", second[k]);
    unload(&tree);
  }
}

// Files below 1.5 have axes in the frame of the model and gravity in <physics>.
static void test_old_versions(void)
{
  static const struct {
    const char *version;
    double axis[3];
  } cases[] = {{"1.4", {0, 1, 0}}, {"1.5", {-1, 0, 0}}, {"1.6", {-1, 0, 0}}, {"1.10", {-1, 0, 0}}};
  for (int k = 0; k < 4; k++) {
    struct tree tree = {0};
    char text[1800];
    snprintf(text, sizeof text,
             "<sdf version='%s'><world name='w'><physics type='ode'><gravity>0 1 -3</gravity><max_step_size>1"
             "</max_step_size></physics><model name='m'>" SOLID("a", "") HINGE("w", "fixed", "world", "a", "")
                 SOLID("b", "<pose>0 0 1 0 0 1.5707963267948966</pose>")
                     HINGE("j", "revolute", "a", "b", "<axis><xyz>0 1 0</xyz></axis>") "</model></world></sdf>",
             cases[k].version);
    load_sdf(&tree, text);
    check_numbers(find_body(&tree, "b"), "axis", 3, cases[k].axis, 1e-15);
    check_numbers(tree.build.document.root, "gravity", 3, (double[3]){0, 1, -3}, 0);
    for (const struct dc_note *note = tree.scene.notes.first; note; note = note->next)
      CHECK(!strstr(note->text, "physics") && !strstr(note->text, "gravity"), "%s", note->text);
    unload(&tree);
  }
}

// The damping of a ball joint acts; a canonical link may be one of a model inside.
static void test_balls_and_canonical_links(void)
{
  struct tree tree = {0};
  load_sdf(
      &tree,
      SDF("<model name='m' canonical_link='n::b'>" SOLID("a", "")
              HINGE("w", "fixed", "world", "a", "") "<model name='n'>" SOLID(
                  "b", "<pose>0 0 1 0 0 0</pose>") "</model><frame name='f'/>" HINGE("j", "ball", "a", "f",
                                                                                     "<axis><xyz>0 0 "
                                                                                     "1</xyz><limit><lower>-1</lower></"
                                                                                     "limit><dynamics>"
                                                                                     "<damping>0.5</damping></"
                                                                                     "dynamics></axis>") "</model>"));
  check_json(find_body(&tree, "n::b"), "joint", "{'type':'ball','damping':0.5}");
  check_note(&tree, "<limit> in <axis>: ball joints have no range");
  unload(&tree);
}

// Links of a merged model belong to the model around, at the place of the include.
static void test_merged(void)
{
  struct tree tree = {0};
  FILE *file = fopen("inner.sdf", "w");
  CHECK(file, "inner.sdf");
  if (!file)
    return;
  fputs(SDF("<model name='b'>" SOLID("b", "<pose>0 1 0 0 0 0</pose>") SOLID("c",
                                                                            "<pose relative_to='b'>0 1 0 0 0 0</pose>")
                HINGE("k", "revolute", "b", "c", "<axis><xyz expressed_in='__model__'>1 0 0</xyz></axis>") "</model>"),
        file);
  fclose(file);
  load_sdf(
      &tree,
      SDF("<model name='m'>" SOLID("a", "") HINGE(
          "w", "fixed", "world", "a",
          "") "<include merge='true'><uri>inner.sdf</uri><pose>0 0 3 0 0 0</pose></include>" HINGE("j", "revolute", "a",
                                                                                                   "b",
                                                                                                   "") "</model>"));
  check_json(find_body(&tree, "b"), "parent", "'a'");
  check_numbers(find_body(&tree, "b"), "position", 3, (double[3]){0, 1, 3}, 1e-15);
  check_json(find_body(&tree, "c"), "parent", "'b'");
  check_numbers(find_body(&tree, "c"), "position", 3, (double[3]){0, 1, 0}, 1e-15);
  check_numbers(find_body(&tree, "c"), "axis", 3, (double[3]){1, 0, 0}, 1e-15);
  for (const struct dc_note *note = tree.scene.notes.first; note; note = note->next)
    CHECK(!strstr(note->text, "merge"), "%s", note->text);
  unload(&tree);
  unlink("inner.sdf");
}

static void test_refusals(void)
{
  refuse("<!DOCTYPE a [<!ENTITY b 'c'>]><sdf version='1.9'><model name='m'/></sdf>", "DOCTYPE is not allowed");
  refuse(SDF(""), "holds no model with a link");
  refuse(SDF("<model name='m'><link name='a'/>"), "not well-formed");
  refuse(SDF("<model name='m'><link name='a'><pose>1 2</pose></link></model>"), "must be 6 numbers");
  refuse(SDF("<model name='m'><link name='a'/><link name='a'/></model>"), "another link has this name");
  refuse(SDF("<model name='m'><link name='a'><inertial><mass>-1</mass></inertial></link></model>"),
         "mass must be >= 0");
  struct tree tree = {0};
  load_sdf(&tree,
           SDF("<model name='m'><link name='a'><gravity>0</gravity><turbo/><collision name='c'><geometry><sphere>"
               "<radius>1</radius></sphere></geometry></collision></link></model>"));
  check_json(find_body(&tree, "a"), "buoyancy", "1");
  check_note(&tree, "<turbo> in <link>: is not known");
  check_note(&tree, "have 1 kg");
  check_json(find_body(&tree, "a"), "mass", "1");
  unload(&tree);
}

RUN_TESTS_IN_TEMPORARY_FOLDER({"models placed by models", test_placed},
                              {"free and static models", test_free_and_static}, {"frames", test_frames},
                              {"joints", test_joints}, {"geometry and friction", test_geometry},
                              {"compounds", test_compounds}, {"nested and included models", test_nested},
                              {"attached and placed", test_attached}, {"directions of friction", test_directions},
                              {"old versions", test_old_versions}, {"merged models", test_merged},
                              {"balls and canonical links", test_balls_and_canonical_links},
                              {"refusals and notes", test_refusals})
