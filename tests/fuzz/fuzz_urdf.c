// SPDX-License-Identifier: Apache-2.0
// Robots out of damaged text: the reader must refuse with a place or accept, never crash, and a scene that it accepts
// must read back the same from its resolved text.  With -fsanitize=fuzzer and -DDC_LIBFUZZER a libFuzzer target;
// otherwise a test that damages robots in a fixed random order.
#include <stdint.h>

#include "damage.h"
#include "harness.h"
#include "io/scene/scene_build.h"
#include "read_back.h"
#include "io/robot/urdf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static long trees, accepted, refused;

// Whether the robot makes entries of a scene, of which bodies or shapes may refuse some afterwards.
static bool makes_entries(void)
{
  struct dc_scene scene = {.path = "scene.json", .arena = dc_arena_create()};
  scene.notes.arena = scene.arena;
  struct dc_scene_settings settings = {0};
  struct dc_error error = {0};
  struct dc_scene_build build = {
      .scene = &scene, .settings = &settings, .error = &error, .reader = {.arena = scene.arena, .error = &error}};
  bool made = dc_scene_load_tree(&build) == DC_OK;
  dc_json_release(&build.document);
  dc_arena_destroy(scene.arena);
  return made;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  // A stiffness of its own: choosing one measures contact of pairs, which takes longer than all the rest.
  static const char text[] = "{'time': {'step': 0.01, 'steps': 2}, 'contact': {'stiffness': 1e-6},"
                             " 'include': {'file': 'robot.urdf', 'prefix': 'p_',"
                             " 'position': [1, 2, 3], 'pd': {'kp': 1}}}";
  static int entered;
  struct dc_scene *scene;
  struct dc_error error = {0};
#ifdef DC_LIBFUZZER
  if (!entered)
    enter_temporary_folder();
#endif
  if (!entered++)
    write_scene("scene.json", text);
  write_bytes("robot.urdf", data, size);
  trees += makes_entries();
  enum dc_status status = dc_scene_read("scene.json", NULL, &scene, &error);
  if (status) {
    refused++;
    if (scene || error.status != status ||
        (strncmp(error.text, "robot.urdf:", 11) != 0 && strncmp(error.text, "scene.json:", 11) != 0))
      complain("a refused robot needs a message with its place");
    return 0;
  }
  accepted++;
  check_read_back(scene);
  return 0;
}

#ifndef DC_LIBFUZZER

#define SPHERE "<geometry><sphere radius='0.5'/></geometry>"

static const char *const seeds[] = {
    "<?xml version='1.0' encoding='utf-8'?><!-- \xc3\xa9 -->\n"
    "<robot name='r'><material name='red'><color rgba='1 0 0 1'/></material>\n"
    "<link name='world'/><link name='a'><collision>" SPHERE "</collision></link>\n"
    "<link name='b'><collision>" SPHERE "</collision><visual>" SPHERE "<material name='red'/></visual></link>\n"
    "<joint name='w' type='fixed'><parent link='world'/><child link='a'/><origin xyz='0 0 1' rpy='0 1 2'/></joint>\n"
    "<joint name='j' type='revolute'><parent link='a'/><child link='b'/><origin xyz='2 0 0'/><axis xyz='0 0 1'/>\n"
    " <limit lower='-1' upper='2' effort='1'/></joint></robot>\n",
    "<robot name='r'><link name='a'><inertial><origin xyz='0 0 1' rpy='1 0 0'/><mass value='2'/>\n"
    "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial><collision>" SPHERE "</collision>\n"
    "<collision><origin xyz='0 0 1'/><geometry><box size='1 1 1'/></geometry></collision></link><link name='f'/>\n"
    "<link name='b'><visual><geometry><mesh filename='t.obj' scale='1 1 2'/></geometry></visual>\n"
    " <collision><geometry><mesh filename='t.obj'/></geometry></collision></link>\n"
    "<link name='c'><collision><geometry><cylinder radius='1' length='2'/></geometry></collision></link>\n"
    "<joint name='f' type='fixed'><parent link='a'/><child link='f'/></joint>\n"
    "<joint name='j' type='continuous'><parent link='f'/><child link='b'/><origin xyz='9 0 0'/></joint>\n"
    "<joint name='k' type='prismatic'><parent link='f'/><child link='c'/><limit lower='-1' upper='1'/>\n"
    " <mimic joint='j' multiplier='-1'/></joint><gazebo><x>1</x></gazebo></robot>\n",
};
enum { SEEDS = sizeof seeds / sizeof seeds[0], MOST = 4096 };

static const char *const pieces[] = {
    "<",  ">", "/>", "</", "&amp;", "&#0;",   "&lol;", "'",      "<!--",    "]]>",          "nan",  "1e999",
    "-1", "0", "a",  "b",  "j",     "<link ", "rpy",   "xacro:", "<mimic ", "<!DOCTYPE a>", "\xff", " "};

static void test_damaged_robots(void)
{
  const int rounds = damage_rounds(2400);
  struct dc_random random;
  seed_damage(&random, 21);
  write_scene("t.obj", TETRAHEDRON);
  for (int i = 0; i < rounds; i++) {
    char text[MOST + 1];
    size_t size = strlen(seeds[i % SEEDS]);
    memcpy(text, seeds[i % SEEDS], size + 1);
    if (i >= SEEDS)
      size = damage_text(&random, text, size, MOST, pieces, sizeof pieces / sizeof pieces[0]);
    LLVMFuzzerTestOneInput((const uint8_t *)text, size);
    CHECK(!complaint, "round %d: %s\n#   %.*s", i, complaint, (int)size, text);
    complaint = NULL;
    CHECK(i != SEEDS - 1 || trees == SEEDS, "%ld of %d undamaged robots are accepted", trees, SEEDS);
  }
  CHECK(trees > rounds / 12 && accepted > rounds / 60 && refused > rounds / 6, "%ld trees, %ld accepted, %ld refused",
        trees, accepted, refused);
  printf("# %ld trees, %ld accepted, %ld refused\n", trees, accepted, refused);
}

RUN_TESTS_IN_TEMPORARY_FOLDER({"damaged robots", test_damaged_robots})

#endif
