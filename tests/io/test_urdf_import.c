// SPDX-License-Identifier: Apache-2.0
// Robots as they come: inertias that no body has, links that overlap at rest, joints that follow fixed ones, limits,
// other formats of meshes, disabled collisions.  Each is there with a note, and can be refused.
#include <dcsim.h>

#include "geometry/mesh/mesh_assimp.h"
#include "urdf_fixture.h"

#define INERTIAL(mass, xx, yy, zz)                                                                                     \
  "<inertial><mass value='" #mass "'/><inertia ixx='" #xx "' iyy='" #yy "' izz='" #zz                                  \
  "' ixy='0' ixz='0' iyz='0'/></inertial>"
#define ROBOT(text) "<robot name='r'>\n" text "</robot>"

static void test_inertia(void)
{
  static const char robot[] =
      ROBOT("<link name='flat'>" INERTIAL(1, 1, 1, 3) "</link>"
                                                      "<link name='none'>" INERTIAL(2, 0, 0, 0) BOX
            "</link><link name='bare'>" INERTIAL(3, 0, 0, 0) "</link>"
                                                             "<link name='good'>" INERTIAL(1, 2, 3, 4) BOX
            "</link>" JOINT("a", "continuous", "flat", "none", "") JOINT("b", "continuous", "flat", "bare", "")
                JOINT("c", "continuous", "flat", "good", ""));
  struct tree tree = {0};
  load(&tree, robot);
  // second moments 1.5, 1.5, -0.5 of diag(1, 1, 3): the last becomes 1.5e-4
  check_numbers(find_body(&tree, "flat"), "inertia", 6, (double[6]){1.50015, 1.50015, 3, 0, 0, 0}, 1e-14);
  check_json(find_body(&tree, "none"), "inertia", "-");  // that of the box
  check_json(find_body(&tree, "none"), "mass", "2");
  check_numbers(find_body(&tree, "bare"), "inertia", 6, (double[6]){1.2e-4, 1.2e-4, 1.2e-4, 0, 0, 0}, 1e-18);
  check_json(find_body(&tree, "good"), "inertia", "[2,3,4,0,0,0]");
  check_note(&tree, "by at most 0.24 of their size): flat");
  check_note(&tree, "collision geometry: none");
  check_note(&tree, "balls of 1 cm: bare");
  unload(&tree);
  load_as(&tree, "{'file': 'robot.urdf', 'inertia': 'file'}", robot);
  check_json(find_body(&tree, "flat"), "inertia", "[1,1,3,0,0,0]");
  CHECK(!tree.scene.notes.first, "%s", tree.scene.notes.first->text);
  unload(&tree);
  load_as(&tree, "{'file': 'robot.urdf', 'inertia': 'shape'}", robot);
  check_json(find_body(&tree, "good"), "inertia", "-");
  check_json(find_body(&tree, "flat"), "inertia", "[1,1,3,0,0,0]");  // no geometry
  unload(&tree);
}

// A length of zero is how files say that a link has no geometry; blanks before the declaration harm nothing.
static void test_empty(void)
{
  struct tree tree = {0};
  load(&tree,
       "\n <?xml version='1.0'?><robot name='r'>" LINK(
           "base") "<link name='none'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' "
                   "ixz='0' iyz='0'/></inertial>"
                   "<collision><geometry><sphere radius='0'/></geometry></collision></link>"
                   "<link name='frame'><visual><geometry><box size='0 0 0'/></geometry></visual>"
                   "<collision><geometry><box size='1 1 0'/></geometry></collision></link>"
                   "<link name='half'><collision><geometry><box size='0 0 0'/></geometry></collision>" BOX
                   "<visual/></link>" JOINT("a", "fixed", "base", "none", "") JOINT("b", "fixed", "base", "frame", "")
                       JOINT("c", "fixed", "base", "half", "") "</robot>");
  check_json(find_body(&tree, "none"), "shape", "-");
  CHECK(!find_body(&tree, "frame"), " ");
  check_json(find_body(&tree, "half"), "shape", "'half'");
  check_json(find_shape(&tree, "half"), "size", "[1,2,3]");
  check_note(&tree, "geometry with a length of zero, left out: none, frame and half");
  unload(&tree);
  load_as(&tree, "'robot.urdf'", "\n\n<?xml version='1.0'?>\n <robots/>");
  CHECK(tree.status == DC_BAD_INPUT && strstr(tree.error.text, "robot.urdf:4:2: "), "%s", tree.error.text);
  unload(&tree);
}

// A wrist of three hinges whose inner links are frames only is one body with three; a frame at the end of nothing is
// left out.
static void test_massless(void)
{
  static const char turn[] = "<origin xyz='0 0 1' rpy='0 0 1.5707963267948966'/><axis xyz='1 0 0'/>";
  char robot[2000];
  struct tree tree = {0};
  snprintf(robot, sizeof robot,
           ROBOT("<link name='a'>" BOX "</link><link name='f'/><link name='g'/><link name='h'/>"
                 "<link name='b'>" BOX "</link><link name='end'/>" JOINT("x", "continuous", "a", "f", "%s")
                     JOINT("p", "fixed", "f", "g", "<origin xyz='0 0 2'/>")
                         JOINT("y", "prismatic", "g", "h", "<limit lower='1' upper='2'/>%s")
                             JOINT("z", "continuous", "h", "b", "%s") JOINT("idle", "continuous", "b", "end", "")),
           turn, turn, turn);
  load(&tree, robot);
  const cJSON *body = find_body(&tree, "b"), *joints = member(body, "joint");
  CHECK(cJSON_GetArraySize(joints) == 3, "%d", cJSON_GetArraySize(joints));
  check_json(cJSON_GetArrayItem(joints, 0), "type", "'hinge'");
  check_json(cJSON_GetArrayItem(joints, 1), "type", "'slide'");
  check_json(cJSON_GetArrayItem(joints, 1), "range", "[1,2]");
  check_numbers(cJSON_GetArrayItem(joints, 0), "axis", 3, (double[3]){0, 1, 0}, 1e-15);
  check_numbers(cJSON_GetArrayItem(joints, 1), "axis", 3, (double[3]){-1, 0, 0}, 1e-15);
  check_numbers(cJSON_GetArrayItem(joints, 2), "axis", 3, (double[3]){0, -1, 0}, 1e-15);
  check_numbers(cJSON_GetArrayItem(joints, 0), "anchor", 3, (double[3]){0, 0, 1}, 1e-15);
  check_numbers(cJSON_GetArrayItem(joints, 2), "anchor", 3, (double[3]){0, 0, 5}, 1e-15);
  check_numbers(body, "position", 3, (double[3]){0, 0, 5}, 1e-15);
  check_json(body, "joint_position", "[0,1,0]");
  check_json(body, "parent", "'a'");
  check_note(&tree, "joints that move nothing with a mass or collision geometry, left out: idle");
  unload(&tree);
}

// Turned by a rotation the repair is the same: it depends on no axes.
static void test_repair_is_objective(void)
{
  double plain[6] = {1, 1, 3, 0, 0, 0}, change, again, c = cos(0.7), s = sin(0.7);
  // about x: I' = R I R^T
  double turned[6] = {1, c * c + 3 * s * s, s * s + 3 * c * c, 0, 0, -2 * s * c};
  CHECK(dc_urdf_repair_inertia(plain, &change) && dc_urdf_repair_inertia(turned, &again), " ");
  CHECK_NEAR(again, change, 1e-14);
  CHECK_NEAR(turned[1], c * c * plain[1] + s * s * plain[2], 1e-14);
  CHECK_NEAR(turned[5], s * c * (plain[1] - plain[2]), 1e-14);
  double thin[6] = {0, 1, 1, 0, 0, 0};  // a rod is allowed
  CHECK(dc_urdf_repair_inertia(thin, &change) && change == 0 && thin[0] == 0, "%g", change);
  double nothing[6] = {0};
  CHECK(!dc_urdf_repair_inertia(nothing, &change), " ");
}

static void test_followers(void)
{
  struct tree tree = {0};
  load(&tree,
       ROBOT(LINK("a") LINK("b") LINK("c") LINK("d") LINK("e") LINK("f") JOINT("stuck", "revolute", "a", "b",
                                                                               "<limit lower='0.5' upper='0.5'/>")
                 JOINT("behind", "continuous", "a", "c", "<mimic joint='stuck' multiplier='2' offset='0.25'/>")
                     JOINT("lead", "revolute", "a", "d", "<limit lower='0' upper='1'/>") JOINT(
                         "apart", "revolute", "a", "e", "<limit lower='-1' upper='0'/><mimic joint='lead'/>")
                         JOINT("with", "revolute", "a", "f", "<limit lower='-1' upper='0.5'/><mimic joint='lead'/>")));
  check_json(find_body(&tree, "c"), "joint", "'fixed'");
  // turned by 2 * 0.5 + 0.25 about x
  check_numbers(find_body(&tree, "c"), "rotation", 4, (double[4]){cos(0.625), sin(0.625), 0, 0}, 1e-15);
  check_json(find_body(&tree, "e"), "range", "-");
  check_json(find_body(&tree, "f"), "range", "[-1,0.5]");
  check_note(&tree, "never lead them into theirs: apart");
  unload(&tree);
}

static void test_limits(void)
{
  struct tree tree = {0};
  load(&tree, ROBOT(LINK("a") LINK("b/x")
                        JOINT("j/k", "revolute", "a", "b/x", "<limit lower='-1' upper='1' effort='5' velocity='2'/>")));
  CHECK(find_body(&tree, "b_x") != NULL, "a slash becomes _");
  check_json(find_body(&tree, "b_x"), "effort_limit", "5");  // of torques, as there is no pd
  unload(&tree);
  static const char arm[] =
      ROBOT(LINK("a") LINK("b") LINK("c")
                JOINT("j", "revolute", "a", "b", "<limit lower='-1' upper='1' effort='5' velocity='2'/>")
                    JOINT("k", "revolute", "b", "c", "<limit lower='-1' upper='1' effort='0'/>"));
  load_as(&tree, "{'file': 'robot.urdf', 'effort': 'file', 'pd': {'kp': 7}}", arm);
  check_json(find_body(&tree, "b"), "pd", "{'kp':7,'effort':5}");
  check_json(find_body(&tree, "c"), "pd", "{'kp':7}");  // 0 is none
  check_json(find_body(&tree, "b"), "velocity_limit", "2");
  check_json(find_body(&tree, "c"), "velocity_limit", "-");
  unload(&tree);
  load_as(&tree, "{'file': 'robot.urdf', 'effort': 'file', 'pd': {'kp': 7, 'effort': 3}}", arm);
  check_json(find_body(&tree, "b"), "pd", "{'kp':7,'effort':3}");
  unload(&tree);
  load_as(&tree, "{'file': 'robot.urdf', 'pd': {'kp': 7}}", arm);  // the default
  check_json(find_body(&tree, "b"), "pd", "{'kp':7,'effort':5}");
  unload(&tree);
  load_as(&tree, "{'file': 'robot.urdf', 'effort': 'none', 'pd': {'kp': 7}}", arm);
  check_note(&tree, "limits of effort are not applied: j");
  check_json(find_body(&tree, "b"), "effort_limit", "-");
  check_json(find_body(&tree, "b"), "pd", "{'kp':7}");
  unload(&tree);
}

static void test_disabled(void)
{
  static const char robot[] = ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "continuous", "a", "b", "")
                                        JOINT("k", "continuous", "b", "c", ""));
  struct tree tree = {0};
  write_scene("r.srdf", "<robot name='r'><disable_collisions link1='a' link2='c' reason='Never'/>"
                        "<disable_collisions link1='a' link2='c'/><disable_collisions link1='a' link2='z'/></robot>");
  load_as(&tree, "{'file': 'robot.urdf', 'prefix': 'p_', 'srdf': 'r.srdf'}", robot);
  CHECK(tree.status == DC_OK, "%s", tree.error.text);
  check_json(find_body(&tree, "p_a"), "collide_except", "['p_c']");
  check_note(&tree, "such as \"z\"");
  unload(&tree);
  write_scene("r.srdf", "<robot><disable_collisions link1='a'/></robot>");
  load_as(&tree, "{'file': 'robot.urdf', 'srdf': 'r.srdf'}", robot);
  CHECK(tree.status == DC_BAD_INPUT && strncmp(tree.error.text, "r.srdf:1:8: <disable_collisions>: missing", 41) == 0,
        "%s", tree.error.text);
  unload(&tree);
  load_as(&tree, "{'file': 'robot.urdf', 'srdf': 'none.srdf'}", robot);
  CHECK(tree.status != DC_OK && strstr(tree.error.text, "srdf"), "%s", tree.error.text);
  unload(&tree);
}

static bool has_scene_note(const struct dc_scene *scene, const char *text)
{
  const struct dc_note *note = scene->notes.first;
  while (note && !strstr(note->text, text))
    note = note->next;
  return note != NULL;
}

// Three boxes in a row, of which the first and the third overlap: no neighbours by a joint.
static void test_overlaps(void)
{
  static const char robot[] =
      ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "continuous", "a", "b", "<origin xyz='5 0 0'/>")
                JOINT("k", "continuous", "b", "c", "<origin xyz='-4.5 0 0'/>"));
  write_bytes("robot.urdf", robot, strlen(robot));
  for (int refused = 0; refused < 2; refused++) {
    char text[300];
    struct dc_scene *scene;
    struct dc_error error = {0};
    snprintf(text, sizeof text, "{" TIME ", 'include': {'file': 'robot.urdf', 'overlaps': '%s', 'self_field': 'full'}}",
             refused ? "refuse" : "exclude");
    write_scene("scene.json", text);
    CHECK(dc_scene_read("scene.json", NULL, &scene, &error) == DC_OK, "%s", error.text);
    if (!scene)
      return;
    CHECK(dc_bodies_touch(&scene->model.bodies, 0, 2) == (refused != 0), " ");
    const struct dc_note *note = scene->notes.first;
    int masses = 0;
    for (const struct dc_note *one = note; one; one = one->next)
      masses += strstr(one->text, "the file gives no mass: it has 6000 kg") != NULL;
    CHECK(masses == 2, "b and c have no mass in the file: %d", masses);
    while (note && strstr(note->text, "gives no mass"))
      note = note->next;
    CHECK(refused ? !note : note && strstr(note->text, "do not touch: c with a"), "%s", note ? note->text : "none");
    CHECK(refused || strstr(scene->resolved, "collide_except\": [\n        \"a\""), "%s", scene->resolved);
    dc_scene_destroy(scene);
  }
}

// Three boxes in a row, 3 m apart, hinged about z: within a small range of the hinges the last one never comes near the
// first, but where the hinges turn round.
static void test_self_contact(void)
{
  static const char *const words[] = {"all", "auto", "none"};
  for (int wide = 0; wide < 2; wide++) {
    char robot[2000];
    snprintf(robot, sizeof robot,
             ROBOT(LINK("a") LINK("b") LINK("c") JOINT(
                 "j", "revolute", "a", "b", "<origin xyz='3 0 0'/><axis xyz='0 0 1'/><limit lower='-%s' upper='%s'/>")
                       JOINT("k", "revolute", "b", "c",
                             "<origin xyz='3 0 0'/><axis xyz='0 0 1'/><limit lower='-%s' upper='%s'/>")),
             wide ? "3" : "0.3", wide ? "3" : "0.3", wide ? "3" : "0.3", wide ? "3" : "0.3");
    write_bytes("robot.urdf", robot, strlen(robot));
    for (int w = 0; w < 3; w++) {
      char text[300];
      struct dc_scene *scene;
      struct dc_error error = {0};
      snprintf(text, sizeof text, "{" TIME ", 'include': {'file': 'robot.urdf', 'self_contact': '%s'}}", words[w]);
      write_scene("scene.json", text);
      CHECK(dc_scene_read("scene.json", NULL, &scene, &error) == DC_OK, "%s", error.text);
      if (!scene)
        return;
      bool touch = dc_bodies_touch(&scene->model.bodies, 0, 2), expected = w == 0 || (w == 1 && wide);
      CHECK(touch == expected, "%s, %d", words[w], wide);
      CHECK(has_scene_note(scene, "c with a") != expected, "%s, %d", words[w], wide);
      dc_scene_destroy(scene);
    }
  }
}

// Links that still touch lose their far field unless the scene asks for it, and those alone.
static void test_self_field(void)
{
  write_bytes("robot.urdf",
              ROBOT(LINK("a") LINK("b") LINK("c")
                        JOINT("j", "revolute", "a", "b", "<origin xyz='3 0 0'/><limit lower='-3' upper='3'/>")
                            JOINT("k", "revolute", "b", "c", "<origin xyz='3 0 0'/><limit lower='-3' upper='3'/>")),
              sizeof ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "revolute", "a", "b",
                                                               "<origin xyz='3 0 0'/><limit lower='-3' upper='3'/>")
                               JOINT("k", "revolute", "b", "c", "<origin xyz='3 0 0'/><limit lower='-3' upper='3'/>")) -
                  1);
  for (int near = 0; near < 2; near++) {
    struct dc_scene *scene;
    struct dc_error error = {0};
    write_scene("scene.json", near ? "{" TIME ", 'include': {'file': 'robot.urdf'}}"
                                   : "{" TIME ", 'include': {'file': 'robot.urdf', 'self_field': 'full'}}");
    CHECK(dc_scene_read("scene.json", NULL, &scene, &error) == DC_OK, "%s", error.text);
    if (!scene)
      return;
    CHECK(dc_bodies_near_only(&scene->model.bodies, 0, 2) == near && dc_bodies_touch(&scene->model.bodies, 0, 2), "%d",
          near);
    CHECK(!dc_bodies_near_only(&scene->model.bodies, 0, 1), "neighbours do not touch");
    CHECK(has_scene_note(scene, "only where they are near") == near, "a note");
    dc_scene_destroy(scene);
  }
}

// A tetrahedron in millimetres, moved by its node, z up: units and nodes count, the axis that is up does not.
static const char collada[] =
    "<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'>"
    "<asset><unit name='millimeter' meter='0.001'/><up_axis>Z_UP</up_axis></asset><library_geometries>"
    "<geometry id='g'><mesh><source id='p'><float_array id='pa' count='12'>0 0 0 1 0 0 0 1 0 0 0 1</float_array>"
    "<technique_common><accessor source='#pa' count='4' stride='3'><param name='X' type='float'/>"
    "<param name='Y' type='float'/><param name='Z' type='float'/></accessor></technique_common></source>"
    "<vertices id='v'><input semantic='POSITION' source='#p'/></vertices><triangles count='4'>"
    "<input semantic='VERTEX' source='#v' offset='0'/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry>"
    "</library_geometries><library_visual_scenes><visual_scene id='s'><node id='n'><translate>0 0 1000</translate>"
    "<instance_geometry url='#g'/></node></visual_scene></library_visual_scenes>"
    "<scene><instance_visual_scene url='#s'/></scene></COLLADA>";

// The same, turned: axes may have any length but none, which Assimp would shear by; what it passes over is refused.
static void check_turned(int kind)
{
  static const char *const turns[] = {"<rotate sid='r'>\n0 0 -7 90 </rotate>", "<rotate>0 0 0 90</rotate>",
                                      "<skew>30 1 0 0 0 1 0</skew>"};
  static const char *const rules[] = {"", "line 1: <rotate> must have an axis that is not zero",
                                      "line 1: <skew> is not read"};
  struct dc_arena *arena = dc_arena_create();
  struct dc_mesh mesh;
  struct dc_error error = {0};
  char text[2000];
  const char *at = strstr(collada, "<instance_geometry");
  snprintf(text, sizeof text, "%.*s%s%s", (int)(at - collada), collada, turns[kind], at);
  write_bytes("t.dae", text, strlen(text));
  enum dc_status status = dc_mesh_read("t.dae", arena, &mesh, &error);
  CHECK(status == (kind ? DC_BAD_INPUT : DC_OK) && strstr(error.text, rules[kind]), "%s", error.text);
  double low = 0;
  for (int v = 0; v < mesh.vertex_count; v++)
    low = fmin(low, mesh.vertices[v][1]);
  CHECK_NEAR(low, kind ? 0 : -0.001, 1e-9);
  dc_arena_destroy(arena);
}

static void test_collada(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_mesh mesh;
  struct dc_error error = {0};
  write_bytes("t.dae", collada, sizeof collada - 1);
  enum dc_status status = dc_mesh_read("t.dae", arena, &mesh, &error);
  if (!dc_assimp_version()) {
    CHECK(status == DC_BAD_INPUT && strstr(error.text, "libassimp-dev"), "%s", error.text);
  } else {
    double high = 0, low = INFINITY;
    CHECK(status == DC_OK, "%s", error.text);
    CHECK(mesh.vertex_count == 4 && mesh.triangle_count == 4, "%d, %d", mesh.vertex_count, mesh.triangle_count);
    for (int v = 0; v < mesh.vertex_count; v++) {
      high = larger(high, mesh.vertices[v][2]);
      low = fmin(low, mesh.vertices[v][2]);
    }
    CHECK_NEAR(low, 1, 1e-6);
    CHECK_NEAR(high, 1.001, 1e-6);
    for (int k = 0; k < 3; k++)
      check_turned(k);
    write_bytes("t.dae", collada, 300);
    CHECK(dc_mesh_read("t.dae", arena, &mesh, &error) == DC_BAD_INPUT, "half a file");
  }
  dc_arena_destroy(arena);
}

// Assimp itself crashes on these, or takes memory without end: the message is as of any other bad file.
static void test_damaged_collada(void)
{
  static const struct {
    const char *old, *new;
  } damages[] = {{" count='12'", ""},
                 {"count='12'", "count='-1'"},
                 {"stride='3'", "stride='99999999'"},
                 {"count='12'", "count='4294967295'"},
                 {"<instance_geometry url='#g'/>", "<instance_node url='#n'/>"}};
  if (!dc_assimp_version())
    return;
  struct dc_arena *arena = dc_arena_create();
  for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
    char text[sizeof collada + 64];
    const char *at = strstr(collada, damages[i].old);
    int size = snprintf(text, sizeof text, "%.*s%s%s", (int)(at - collada), collada, damages[i].new,
                        at + strlen(damages[i].old));
    struct dc_mesh mesh;
    struct dc_error error = {0};
    write_bytes("t.dae", text, (size_t)size);
    CHECK(dc_mesh_read("t.dae", arena, &mesh, &error) == DC_BAD_INPUT, "%s", damages[i].new);
    CHECK(strstr(error.text, "t.dae: cannot be read: ") && mesh.vertex_count == 0, "%s", error.text);
  }
  dc_arena_destroy(arena);
}

RUN_TESTS_IN_TEMPORARY_FOLDER({"links without mass", test_massless},
                              {"geometry without extent, blanks before the declaration", test_empty},
                              {"inertias that no body has", test_inertia},
                              {"repair depends on no axes", test_repair_is_objective},
                              {"followers of what stays", test_followers}, {"limits of effort, slashes", test_limits},
                              {"disabled collisions", test_disabled}, {"links that overlap at rest", test_overlaps},
                              {"links that cannot meet", test_self_contact},
                              {"links without a far field", test_self_field}, {"COLLADA", test_collada},
                              {"damaged COLLADA", test_damaged_collada})
