// SPDX-License-Identifier: Apache-2.0
// Meshes of URDF files: where they are found, which folders may be read, visuals; and a real robot where there is one.
#include <limits.h>
#include <math.h>
#include <time.h>
#include "body/body.h"
#include "harness.h"
#include "io/scene/scene_build.h"
#include "io/robot/urdf.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "urdf_fixture.h"

static const char mesh_robot[] =
    "<robot name='r'><link name='a'><collision><geometry><mesh filename='%s'/></geometry></collision></link></robot>";

static void load_mesh(struct tree *tree, const char *file)
{
  char robot[500];
  snprintf(robot, sizeof robot, mesh_robot, file);
  write_bytes("r/urdf/robot.urdf", robot, strlen(robot));
  load_as(tree, "'r/urdf/robot.urdf'", NULL);
}

static void check_mesh(struct tree *tree, const char *file, const char *found)
{
  char expected[PATH_MAX + 100], folder[PATH_MAX];
  load_mesh(tree, file);
  CHECK(tree->status == DC_OK, "%s", tree->error.text);
  CHECK(realpath(".", folder) != NULL, " ");
  snprintf(expected, sizeof expected,
           "{'type':'mesh','file':'%s/%s','convex':true,'hull_points':64,'longest_edge':0.04}", folder, found);
  check_json(member(tree->build.document.root, "shapes"), "a", expected);
  unload(tree);
}

static void check_no_mesh(struct tree *tree, const char *file, const char *rule)
{
  load_mesh(tree, file);
  CHECK(tree->status == DC_BAD_INPUT, "%s", file);
  CHECK(strncmp(tree->error.text, "r/urdf/robot.urdf:1:32: collision mesh \"", 40) == 0, "%s", tree->error.text);
  CHECK(strstr(tree->error.text, rule), "%s", tree->error.text);
  unload(tree);
}

static void test_files(void)
{
  struct tree tree = {0};
  char absolute[PATH_MAX + 20], folder[PATH_MAX];
  CHECK(!mkdir("r", 0700) && !mkdir("r/urdf", 0700) && !mkdir("r/mesh", 0700), " ");
  CHECK(!mkdir("away", 0700) && !mkdir("away/other", 0700) && !mkdir("in", 0700), " ");
  write_scene("r/mesh/t.obj", TETRAHEDRON);
  write_scene("away/other/t.obj", TETRAHEDRON);
  check_mesh(&tree, "../mesh/t.obj", "r/mesh/t.obj");  // relative to the robot's file
  CHECK(realpath(".", folder) != NULL, " ");
  snprintf(absolute, sizeof absolute, "file://%s/r/mesh/t.obj", folder);
  check_mesh(&tree, absolute, "r/mesh/t.obj");
  check_mesh(&tree, "package://r/mesh/t.obj", "r/mesh/t.obj");  // the folder above that is called r
  check_mesh(&tree, "package://urdf/../mesh/t.obj", "r/mesh/t.obj");
  check_no_mesh(&tree, "package://other/t.obj", "no folder above the file is called \"other\"");
  check_no_mesh(&tree, "package://r/none.obj", "/r/none.obj: No such file or directory");
  check_no_mesh(&tree, "package://r.obj", "must be package://NAME/PATH");
  check_no_mesh(&tree, "package:///t.obj", "must be package://NAME/PATH");
  check_no_mesh(&tree, "/etc/passwd.obj", "/etc/passwd.obj: No such file or directory");
  check_no_mesh(&tree, "", "must be an OBJ, STL, VTK, COLLADA, PLY, glTF or OFF file");
  // the nearest folder of that name that has the file
  static const char nested[] = "<robot name='r'><link name='a'><collision><geometry><mesh "
                               "filename='package://r/mesh/t.obj'/></geometry></collision></link></robot>";
  CHECK(!mkdir("r/urdf/r", 0700), " ");
  write_bytes("r/urdf/r/robot.urdf", nested, strlen(nested));
  load_as(&tree, "'r/urdf/r/robot.urdf'", NULL);
  CHECK(tree.status == DC_OK, "%s", tree.error.text);
  unload(&tree);
  // packages inside a folder, and a folder that is one
  const char *above[] = {"away"}, *itself[] = {"in", "away/other"}, *none[] = {"in"};
  tree.settings = (struct dc_scene_settings){.package_path_count = 1, .package_paths = above};
  check_mesh(&tree, "package://other/t.obj", "away/other/t.obj");
  check_no_mesh(&tree, "package://r/none/t.obj", "in no folder of --package-path");
  check_mesh(&tree, "package://r/mesh/t.obj", "r/mesh/t.obj");     // in none of them: above the file, as without
  check_mesh(&tree, "package://gone/mesh/t.obj", "r/mesh/t.obj");  // of another name: the folder above that has it
  check_mesh(&tree, "package://mesh/t.obj", "r/mesh/t.obj");
  tree.settings = (struct dc_scene_settings){.package_path_count = 2, .package_paths = itself};
  check_mesh(&tree, "package://other/t.obj", "away/other/t.obj");
  tree.settings = (struct dc_scene_settings){.package_path_count = 1, .package_paths = none};
  check_no_mesh(&tree, "package://other/t.obj", "/in/other/t.obj: No such file or directory");
  tree.settings = (struct dc_scene_settings){0};
}

// A scene in one folder, its robot's package in another: only --package-path lets it be read.
static void test_policy(void)
{
  static const char robot[] = "<robot name='r'><link name='a'><collision><geometry><mesh filename='package://p/t.obj' "
                              "scale='2 2 2'/></geometry>"
                              "</collision></link></robot>";
  char folder[PATH_MAX], expected[PATH_MAX + 100];
  struct dc_scene *scene;
  struct dc_error error = {0};
  CHECK(!mkdir("scene", 0700) && !mkdir("packages", 0700) && !mkdir("packages/p", 0700), " ");
  CHECK(realpath(".", folder) != NULL, " ");
  write_scene("packages/p/t.obj", TETRAHEDRON);
  write_bytes("packages/p/p.urdf", robot, strlen(robot));
  write_scene("scene/scene.json", "{" TIME ", 'include': '../packages/p/p.urdf'}");
  CHECK(dc_scene_read("scene/scene.json", NULL, &scene, &error) == DC_BAD_INPUT, " ");
  CHECK(strstr(error.text, "/packages/p/p.urdf: lies outside the scene's folder"), "%s", error.text);
  const char *packages[] = {"packages"};
  struct dc_scene_settings settings = {.package_path_count = 1, .package_paths = packages};
  CHECK(dc_scene_read("scene/scene.json", &settings, &scene, &error) == DC_OK, "%s", error.text);
  snprintf(expected, sizeof expected, "%s/packages/p/t.obj", folder);
  CHECK(scene && scene->source.mesh_file_count == 1 && strcmp(scene->source.mesh_files[0], expected) == 0, " ");
  CHECK(scene && !strstr(scene->resolved, folder), "no folders in the resolved text");
  CHECK_NEAR(scene ? scene->shapes[0].properties.volume : 0, 8.0 / 6,
             1e-14);  // hull of the tetrahedron, twice as large
  dc_scene_destroy(scene);
  // without it the folder above called p, where that may be read
  const char *allowed[] = {"packages"};
  settings = (struct dc_scene_settings){.allowed_path_count = 1, .allowed_paths = allowed};
  CHECK(dc_scene_read("scene/scene.json", &settings, &scene, &error) == DC_OK, "%s", error.text);
  dc_scene_destroy(scene);
}

static void test_meshes(void)
{
  static const char robot[] =
      "<robot name='r'>"
      "<link name='a'><visual><geometry><mesh filename='t.obj'/></geometry></visual>"
      "<collision><origin xyz='0 0 1'/><geometry><mesh filename='t.obj' scale='1 2 3'/></geometry></collision>"
      "<collision><geometry><mesh filename='t.obj' scale=' 0.1 '/><drake:declare_convex/></geometry></collision></link>"
      "<link name='b'><visual><geometry><mesh filename='b.dae'/></geometry></visual>" BOX "</link>"
      "<link name='c'><visual><geometry><mesh filename='open.obj'/></geometry></visual>" BOX "</link>"
      "<link name='d'><visual><geometry><mesh filename='none.stl'/></geometry></visual>" BOX "</link>"
      "<link name='e'><visual><geometry><box size='1 2 3'/></geometry></visual>" BOX "</link>"
      "<link name='f'><visual><geometry><box size='1 2 3'/></geometry></visual></link>"
      "<link name='g'><collision><geometry><cylinder radius='0.01' length='0.1'/></geometry></collision></link>"
      "<link name='h'><collision><geometry><cylinder radius='0.01' length='0.03'/></geometry></collision></link>"  //
      JOINT("j", "fixed", "a", "b", "") JOINT("k", "fixed", "a", "c", "") JOINT("l", "fixed", "a", "d", "")
          JOINT("m", "fixed", "a", "e", "") JOINT("n", "fixed", "a", "f", "") JOINT("o", "fixed", "a", "g", "")
              JOINT("p", "fixed", "a", "h", "") "</robot>";
  struct tree tree = {0};
  char folder[PATH_MAX], expected[PATH_MAX + 100];
  write_scene("t.obj", TETRAHEDRON);
  write_scene("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  CHECK(realpath(".", folder) != NULL, " ");
  load(&tree, robot);
  snprintf(expected, sizeof expected,
           "{'type':'mesh','file':'%s/t.obj','scales':[1,2,3],'convex':true,'hull_points':64,'longest_edge':0.04}",
           folder);
  check_json(member(tree.build.document.root, "shapes"), "a:1", expected);
  snprintf(expected, sizeof expected,
           "{'type':'mesh','file':'%s/t.obj','scale':0.1,'convex':true,'hull_points':64,'longest_edge':0.04}", folder);
  check_json(member(tree.build.document.root, "shapes"), "a:2", expected);
  snprintf(expected, sizeof expected, "{'type':'mesh','file':'%s/t.obj'}", folder);
  check_json(member(tree.build.document.root, "shapes"), "a:visual", expected);
  check_json(member(tree.build.document.root, "shapes"), "g",
             "{'type':'cylinder','radius':0.01,'height':0.1,'rings':3}");
  check_json(member(tree.build.document.root, "shapes"), "h", "{'type':'cylinder','radius':0.01,'height':0.03}");
  check_json(find_shape(&tree, "a"), "parts", "[{'shape':'a:1','position':[0,0,1]},{'shape':'a:2'}]");
  check_json(find_body(&tree, "a"), "visual", "'a:visual'");
  for (int i = 0; i < 4; i++)
    check_json(find_body(&tree, (const char *[]){"b", "c", "d", "e"}[i]), "visual", "-");
  CHECK(!find_body(&tree, "f"), " ");
  check_note(&tree, "4 <visual> left out");  // b, c, d and f
  unload(&tree);
  load(&tree,
       "<robot name='r'><link name='a'><visual><geometry><mesh filename='t.obj' scale='1 -1 1'/></geometry></visual>"
       "<collision><geometry><mesh filename='t.obj' scale='1 -1 1'/></geometry></collision></link></robot>");
  check_json(find_shape(&tree, "a"), "scales", "[1,-1,1]");
  check_json(find_shape(&tree, "a:visual"), "scales", "[1,-1,1]");
  unload(&tree);
  load_as(&tree, "{'file': 'robot.urdf', 'convex': false}", robot);
  CHECK(tree.status == DC_OK, "%s", tree.error.text);
  check_json(find_shape(&tree, "a:1"), "convex", "-");
  unload(&tree);
}

static bool real_robot(char folder[PATH_MAX])
{
  const char *robots = getenv("DCSIM_TEST_ROBOTS");
  char path[PATH_MAX];
  if (!robots || snprintf(path, sizeof path, "%s/panda_description/urdf/panda.urdf", robots) >= PATH_MAX ||
      access(path, R_OK) != 0)
    return false;
  return realpath(robots, folder) != NULL;
}

static void test_panda(void)
{
  static const struct {
    const char *name, *parent, *joint;
    double mass;
    int parts;  // of its collision geometry
  } bodies[] = {
      {"panda_link0", NULL, "fixed", 0.629769, 0},           {"panda_link1", "panda_link0", "hinge", 4.970684, 0},
      {"panda_link2", "panda_link1", "hinge", 0.646926, 0},  {"panda_link3", "panda_link2", "hinge", 3.228604, 0},
      {"panda_link4", "panda_link3", "hinge", 3.587895, 0},  {"panda_link5", "panda_link4", "hinge", 1.225946, 0},
      {"panda_link6", "panda_link5", "hinge", 1.666555, 0},  {"panda_link7", "panda_link6", "hinge", 0.735522, 0},
      {"panda_hand", "panda_link7", "fixed", 0.73, 0},       {"panda_leftfinger", "panda_hand", "slide", 0.015, 4},
      {"panda_rightfinger", "panda_hand", "slide", 0.015, 4}};
  enum { COUNT = sizeof bodies / sizeof bodies[0] };
  char robots[PATH_MAX];
  if (!real_robot(robots))
    SKIP("DCSIM_TEST_ROBOTS names no folder with panda_description");
  // its meshes are called package://example-robot-data/robots/panda_description/...
  CHECK(!mkdir("data", 0700) && !mkdir("data/example-robot-data", 0700), " ");
  CHECK(symlink(robots, "data/example-robot-data/robots") == 0, " ");
  const char *packages[] = {"data"}, *allowed[] = {robots};
  struct tree tree = {
      .settings = {
          .package_path_count = 1, .package_paths = packages, .allowed_path_count = 1, .allowed_paths = allowed}};
  load_as(&tree, "'data/example-robot-data/robots/panda_description/urdf/panda.urdf'", NULL);
  CHECK(tree.status == DC_OK, "%s", tree.error.text);
  const cJSON *root = tree.build.document.root;
  CHECK(cJSON_GetArraySize(member(root, "bodies")) == COUNT, "%d", cJSON_GetArraySize(member(root, "bodies")));
  for (int i = 0; i < COUNT; i++) {
    const cJSON *body = find_body(&tree, bodies[i].name), *shape = find_shape(&tree, bodies[i].name);
    char text[100];
    CHECK(body && shape, "%s", bodies[i].name);
    snprintf(text, sizeof text, bodies[i].parent ? "'%s'" : "-", bodies[i].parent);
    check_json(body, "parent", text);
    snprintf(text, sizeof text, "'%s'", bodies[i].joint);
    check_json(body, "joint", text);
    CHECK_NEAR(member(body, "mass") ? member(body, "mass")->valuedouble : 0, bodies[i].mass, 0);
    check_json(body, "visual", "-");  // COLLADA
    CHECK(cJSON_GetArraySize(member(shape, "parts")) == bodies[i].parts, "%s", bodies[i].name);
    if (!bodies[i].parts)
      check_json(shape, "convex", "true");
  }
  // the hand hangs on two frames below link 7
  check_numbers(find_body(&tree, "panda_hand"), "position", 3, (double[3]){0, 0, 0.107}, 0);
  check_numbers(find_body(&tree, "panda_hand"), "rotation", 4, (double[4]){cos(M_PI / 8), 0, 0, -sin(M_PI / 8)}, 1e-15);
  check_json(find_body(&tree, "panda_rightfinger"), "axis", "[0,-1,0]");
  check_numbers(find_body(&tree, "panda_link4"), "joint_position", 1, (double[1]){-0.0698}, 0);
  check_json(root, "couplings", "[{'body':'panda_rightfinger','to':'panda_leftfinger','multiplier':1,'offset':0}]");
  check_note(&tree, "11 <visual> left out");
  unload(&tree);
}

// The same robot as a scene.
static void test_panda_scene(void)
{
  char robots[PATH_MAX];
  if (!real_robot(robots))
    SKIP("DCSIM_TEST_ROBOTS names no folder with panda_description");
  const char *packages[] = {"data"}, *allowed[] = {robots};
  struct dc_scene_settings settings = {
      .package_path_count = 1, .package_paths = packages, .allowed_path_count = 1, .allowed_paths = allowed};
  struct dc_scene *scene;
  struct dc_error error = {0};
  write_scene("scene.json",
              "{" TIME ", 'include': {'file': 'data/example-robot-data/robots/panda_description/urdf/panda.urdf',"
              " 'joint_position': {'panda_joint1': 0.5, 'panda_joint4': -1.5, 'panda_joint6': 1.5}, 'pd': {'kp': 100, "
              "'kd': 10}}}");
  CHECK(dc_scene_read("scene.json", &settings, &scene, &error) == DC_OK, "%s", error.text);
  if (!scene)
    return;
  const struct dc_bodies *bodies = &scene->model.bodies;
  int hinges = 0, slides = 0;
  for (int i = 0; i < bodies->count; i++) {
    hinges += strcmp(bodies->bodies[i].joint_name, "hinge") == 0;
    slides += strcmp(bodies->bodies[i].joint_name, "slide") == 0;
  }
  CHECK(bodies->count == 11 && hinges == 7 && slides == 2, "%d %d %d", bodies->count, hinges, slides);
  // the hand by the origins of the file's joints, all of which turn about z; its centre of mass as in the file
  const double origins[9][6] = {{0, 0, 0.333, 0, 0, 0},
                                {0, 0, 0, -M_PI_2, 0, 0},
                                {0, -0.316, 0, M_PI_2, 0, 0},
                                {0.0825, 0, 0, M_PI_2, 0, 0},
                                {-0.0825, 0.384, 0, -M_PI_2, 0, 0},
                                {0, 0, 0, M_PI_2, 0, 0},
                                {0.088, 0, 0, M_PI_2, 0, 0},
                                {0, 0, 0.107, 0, 0, 0},
                                {0, 0, 0, 0, 0, -M_PI_4}};
  const double q[9] = {0.5, 0, 0, -1.5, 0, 1.5, 0, 0, 0}, center[3] = {-0.01, 0, 0.03}, none[3] = {0, 0, 0};
  struct frame hand = {.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  for (int i = 0; i < 9; i++)
    chain(&hand, origins[i], origins[i] + 3, (double[3]){0, 0, q[i]}, none);
  double place[3], mass = 0;
  dc_mat_apply(place, hand.r, center);
  dc_vec_add(place, place, hand.x);
  struct dc_pose poses[11];
  dc_poses(bodies, bodies->initial_q, poses);
  for (int i = 0; i < bodies->count; i++) {
    mass += dc_body_moves(&bodies->bodies[i]) ? bodies->bodies[i].mass : 0;
    for (int k = 0; k < 3 && strcmp(bodies->bodies[i].name, "panda_hand") == 0; k++)
      CHECK_NEAR(poses[i].position[k], place[k], 1e-14);  // observed 2e-16
  }
  CHECK_NEAR(mass, 16.822132, 1e-12);  // of all links but the first
  for (int s = 0; s < scene->definition.shape_count; s++)
    CHECK(scene->shapes[s].part_count > 0, "%s is no union of convex parts", scene->shapes[s].name);
  dc_scene_destroy(scene);
}

TEST_MAIN
{
  static const struct test tests[] = {
      {"finds meshes", test_files},
      {"reads from allowed folders only", test_policy},
      {"meshes and visuals", test_meshes},
      {"a Panda", test_panda},
      {"a Panda as a scene", test_panda_scene},
  };
  unsetenv("DCSIM_DATADIR");
  enter_temporary_folder();
  return run_tests(tests, (int)(sizeof tests / sizeof tests[0]));
}
