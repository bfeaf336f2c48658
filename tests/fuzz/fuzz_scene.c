// SPDX-License-Identifier: Apache-2.0
// Scenes out of damaged text: the reader must refuse or accept, never crash, and what it accepts must read back the
// same from its resolved text.  With -fsanitize=fuzzer and -DDC_LIBFUZZER a libFuzzer target (name the corpus by its
// full path: the target changes the working folder); otherwise a test that damages scenes in a fixed random order.
#include <stdint.h>

#include "damage.h"
#include "harness.h"
#include "io/scene/scene.h"
#include "read_back.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static long accepted, refused;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
#ifdef DC_LIBFUZZER
  static int entered;
  if (!entered++)
    enter_temporary_folder();
#endif
  struct dc_scene *scene;
  struct dc_error error = {0};
  write_bytes("fuzz.json", data, size);
  enum dc_status status = dc_scene_read("fuzz.json", NULL, &scene, &error);
  if (status) {
    refused++;
    if (scene || error.status != status || strncmp(error.text, "fuzz.json:", 10) != 0)
      complain("a refused scene needs a message with its place");
    return 0;
  }
  accepted++;
  check_read_back(scene);
  return 0;
}

#ifndef DC_LIBFUZZER

// ' stands for ".
static const char *const seeds[] = {
    "{'time': {'step': 0.01, 'steps': 2}, 'gravity': [0, 0, -1.62], // comment\n"
    " 'shapes': {'ball': {'type': 'sphere', 'radius': 0.1, 'level': 0}, 'ground': {'type': 'plane'}},\n"
    " 'bodies': [{'name': 'ground', 'joint': 'fixed', 'shape': 'ground'},\n"
    "  {'name': 'cue', 'shape': 'ball', 'mass': 1e-1, 'position': [0, 0, 0.2], 'rotation': [1, 0, 0, 0]}],\n"
    " 'control': [{'type': 'initial_state', 'body': 'cue', 'position': 'xy'}],\n"
    " 'objective': [{'type': 'reach', 'body': 'cue', 'target': [1, 0.4, 0.1]}, {'shot': {'reference_seed': 7}}],\n"
    " 'optimizer': {'type': 'adam', 'betas': [0.3, 0.5]}, 'camera': {'eye': [3, -4, 3]}}\n",
    "/* \xc3\xa9 */ {'name': '\\u00e9\\ud83d\\ude00', 'comment': ['a', '\\\\'], 'time': {'step': 1e-2, 'steps': 0},\n"
    " 'contact': {'model': 'bsh', 'stiffness': 1e-7, 'weights': 'paper', 'offset': true},\n"
    " 'models': {'exact': {'contact': {'blend': 0.5}}, 'bsh': {'gravity': null, 'time': {'steps': 3}}},\n"
    " 'shapes': {'b': {'type': 'box', 'size': [1, 2, 3]}, 'm': {'type': 'mesh', 'file': 't.obj'}}}\n",
    "{'time': {'step': 0.01, 'steps': 9}, 'contact': {'friction': 0.5, 'friction_smoothing': 1e-3},\n"
    " 'shapes': {'b': {'type': 'box', 'size': [1, 2, 3]}}, 'horizon': {'length': 4, 'apply': 2, 'keep': 'best'},\n"
    " 'bodies': [{'name': 'base', 'shape': 'b', 'joint': ['slide', {'type': 'hinge', 'axis': [0, 1, 0],\n"
    "   'range': [-1, 1]}], 'joint_position': [0.1, -0.5], 'pd': {'kp': 10, 'kd': 1}},\n"
    "  {'name': 'arm', 'parent': 'base', 'frame': 'parent', 'shape': 'b', 'joint': 'ball', 'anchor': [0, 0, 1],\n"
    "   'position': [5, 0, 0], 'pd': {'kp': 3, 'kp_rotation': 1e2}, 'friction': 0, 'collide_except': ['base', "
    "'tip']},\n"
    "  {'name': 'tip', 'parent': 'arm', 'shape': 'b', 'joint': 'universal', 'position': [9, 0, 0], 'collide': "
    "false}],\n"
    " 'control': [{'type': 'pd_targets', 'body': 'base', 'coordinates': '0 1', 'low': [-1], 'high': [1], 'hold': 2},\n"
    "  {'type': 'pd_velocity', 'body': 'arm'}, {'type': 'sines', 'bodies': ['base', 'arm'], 'waves': 2}],\n"
    " 'objective': [{'type': 'region', 'bodies': ['tip'], 'center': [1, 1, 0], 'radius': 0.5},\n"
    "  {'type': 'effort', 'weight': 1e-3}, {'type': 'velocity', 'bodies': ['arm']}]}\n",
    "{'time': {'step': 0.01, 'steps': 9}, 'shapes': {'c': {'type': 'compound', 'parts': [{'shape': 'b'},\n"
    "   {'shape': 'b', 'position': [0, 0, 1], 'rotation': [0, 1, 0, 0]}]}, 'b': {'type': 'box', 'size': [1, 2, 3]},\n"
    "  'm': {'type': 'mesh', 'file': 't.obj', 'scales': [-1, 2, 1]}},\n"
    " 'bodies': [{'name': 'base', 'joint': 'fixed', 'visual': 'm'}, {'name': 'arm', 'parent': 'base', 'shape': 'c',\n"
    "   'joint': 'hinge', 'range': [-1, 1], 'mass': 2, 'inertia': [0.1, 0.2, 0.2, 0.01, 0, 0],\n"
    "   'center_of_mass': [0, 0.1, 0]}, {'name': 'tip', 'parent': 'arm', 'joint': 'slide', 'mass': 1,\n"
    "   'inertia': [1, 1, 1, 0, 0, 0], 'joint_position': [0.1]}],\n"
    " 'couplings': [{'body': 'tip', 'to': 'arm', 'multiplier': -1, 'offset': 0.1, 'stiffness': 1e4}]}\n",
    "{'time': {'step': 0.01, 'steps': 9}, 'contact': {'model': 'bsh', 'stiffness': 1e-4, 'friction': 0.5},\n"
    " 'shapes': {'b': {'type': 'box', 'size': [1, 2, 3]}, 'ground': {'type': 'plane'}},\n"
    " 'bodies': [{'name': 'ground', 'joint': 'fixed', 'shape': 'ground'},\n"
    "  {'name': 'box', 'shape': 'b', 'mass': 1, 'friction': 0.6, 'position': [0, 0, 9]},\n"
    "  {'name': 'arm', 'joint': 'hinge', 'shape': 'b', 'mass': 4, 'position': [9, 0, 9], 'pd': {'kp': 40, 'kd': 1},\n"
    "   'range': [-1, 1]}],\n"
    " 'design': [{'type': 'number', 'of': 'mass', 'bodies': ['box'], 'range': [0.1, 10], 'scale': 2},\n"
    "  {'type': 'number', 'of': 'friction', 'together': true}, {'type': 'number', 'of': 'kp'},\n"
    "  {'type': 'number', 'of': 'kd', 'bodies': 'arm'}, {'type': 'number', 'of': 'gravity', 'axes': 'xz'},\n"
    "  {'type': 'number', 'of': 'stiffness'}, {'type': 'number', 'of': 'limit_stiffness'},\n"
    "  {'type': 'number', 'of': 'lower_limit'}, {'type': 'number', 'of': 'upper_limit'},\n"
    "  {'type': 'number', 'of': 'position', 'range': [-1, 1]}, {'type': 'number', 'of': 'velocity'}],\n"
    " 'objective': [{'type': 'follow', 'file': 'r.csv', 'bodies': ['box'], 'axes': 'xy', 'from': 1, 'until': 8,\n"
    "   'every': 2, 'weight': 100}, {'type': 'follow', 'file': 'r.csv', 'rotation': 1e-2}],\n"
    " 'continuation': {'stiffness': 3, 'stages': 2, 'iterations': 5}, 'portfolio': {'rollouts': 9, 'draws': 4},\n"
    " 'optimizer': {'type': 'gauss_newton'}}\n",
};
enum { SEEDS = sizeof seeds / sizeof seeds[0], MOST = 4096 };

static const char *const pieces[] = {
    "{",    "}",    "[",        "]",        ",",       ":",      "\"",   "\\",      "/*",      "*/",   "//",   "\n",
    "null", "true", "-1",       "0",        "1e999",   "1e-320", "1e9",  "\\u0000", "\\ud800", "\xff", "\xc3", "name",
    "cue",  "ball", "\"type\"", "\"time\"", "\"arm\"", "number", "mass", "kp",      "r.csv",   " "};

static void test_damaged_scenes(void)
{
  const int rounds = damage_rounds(9000);
  struct dc_random random;
  seed_damage(&random, 20);
  write_scene("t.obj", TETRAHEDRON);
  write_scene("r.csv",
              "time,box.x,box.y,arm.qw,arm.qx,arm.qy,arm.qz\n0,0,0,1,0,0,0\n0.05,1,0,,,,\n0.1,2,0,0.6,0,0.8,0\n");
  for (int i = 0; i < rounds; i++) {
    char text[MOST + 1];
    size_t size = seed_text(text, seeds[i % SEEDS]);
    if (i >= SEEDS)
      size = damage_text(&random, text, size, MOST, pieces, sizeof pieces / sizeof pieces[0]);
    LLVMFuzzerTestOneInput((const uint8_t *)text, size);
    CHECK(!complaint, "round %d: %s\n#   %.*s", i, complaint, (int)size, text);
    complaint = NULL;
    CHECK(i != SEEDS - 1 || accepted == SEEDS, "%ld of %d undamaged scenes are accepted", accepted, SEEDS);
  }
  // both must be exercised; observed: 1071 accepted, 7929 refused
  CHECK(accepted > rounds / 90 && refused > rounds / 9, "%ld accepted, %ld refused", accepted, refused);
  printf("# %ld accepted, %ld refused\n", accepted, refused);
}

RUN_TESTS_IN_TEMPORARY_FOLDER({"damaged scenes", test_damaged_scenes})

#endif
