// SPDX-License-Identifier: Apache-2.0
// Recorded motions out of damaged tables: the reader must refuse them with a place or hand over what a recording
// promises, never crash.  With -fsanitize=fuzzer and -DDC_LIBFUZZER a libFuzzer target (the first byte chooses the
// bodies that are wanted); otherwise a test that damages tables in a fixed random order.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "damage.h"
#include "io/run/recording.h"
#include "read_back.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static long accepted, refused;
static struct dc_scene *bodies_scene;

// A ground, a box and a bar "arm" on it, a sphere whose name needs quotes in a table.
static void read_bodies(void)
{
  struct dc_error error = {0};
  write_scene("bodies.json", "{'time': {'step': 0.01, 'steps': 2},\n"
                             " 'shapes': {'b': {'type': 'box', 'size': [1, 2, 3]}, 'ground': {'type': 'plane'}},\n"
                             " 'bodies': [{'name': 'ground', 'joint': 'fixed', 'shape': 'ground'},\n"
                             "  {'name': 'box', 'shape': 'b', 'mass': 1, 'position': [0, 0, 9]},\n"
                             "  {'name': 'arm', 'shape': 'b', 'mass': 1, 'joint': 'hinge', 'position': [9, 0, 9]},\n"
                             "  {'name': 'a, b', 'shape': 'b', 'mass': 1, 'position': [0, 9, 9]}]}\n");
  if (dc_scene_read("bodies.json", NULL, &bodies_scene, &error)) {
    fprintf(stderr, "%s\n", error.text);
    exit(99);
  }
}

// What task/recording.h says of one.
static void check_recording(const struct dc_recording *recording, const struct dc_index_list *wanted)
{
  const struct dc_bodies *bodies = &bodies_scene->model.bodies;
  if (recording->rows < 1 || recording->body_count < 1 || recording->body_count > bodies->count)
    complain("an accepted recording has rows and bodies");
  if (wanted->count && recording->body_count != wanted->count)
    complain("all wanted bodies are there, and no others");
  for (int b = 0; b < recording->body_count; b++) {
    int body = recording->bodies[b];
    if (body < 0 || body >= bodies->count || (!wanted->count && !dc_body_moves(&bodies->bodies[body])))
      complain("a recording is of bodies of the model, of those that move unless others are wanted");
    for (int c = 0; c < b; c++)
      if (recording->bodies[c] == body)
        complain("a body is there once");
  }
  for (int t = 0; t < recording->rows; t++)
    if (!isfinite(recording->time[t]) || (t && !(recording->time[t] > recording->time[t - 1])))
      complain("times increase");
  for (long i = 0; i < (long)recording->rows * recording->body_count; i++) {
    const double *x = recording->position + 3 * i, *q = recording->quaternion + 4 * i;
    double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (isinf(x[0]) || isinf(x[1]) || isinf(x[2]))
      complain("a position is finite or was not seen");
    bool unseen = isnan(q[0]) && isnan(q[1]) && isnan(q[2]) && isnan(q[3]);
    if (!unseen && !(fabs(square - 1) <= 1e-14))
      complain("a rotation has length 1 or was not seen");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
#ifdef DC_LIBFUZZER
  if (!bodies_scene) {
    enter_temporary_folder();
    read_bodies();
  }
#endif
  static int box_and_ground[] = {1, 0};
  struct dc_index_list wanted = {0};
  if (size && data[0] % 4 == 3)
    wanted = (struct dc_index_list){.count = 2, .indices = box_and_ground};
  // As long as the text, so that a look behind it is seen.
  char *text = malloc(size + 1);
  struct dc_arena *arena = dc_arena_create();
  if (!text || !arena)
    exit(99);
  if (size > 1)
    memcpy(text, data + 1, size - 1);
  text[size ? size - 1 : 0] = '\0';
  struct dc_recording recording = {0};
  struct dc_error error = {0};
  enum dc_status status =
      dc_recording_parse_csv("fuzz.csv", text, &bodies_scene->model.bodies, &wanted, arena, &recording, &error);
  if (!status) {
    accepted++;
    check_recording(&recording, &wanted);
  } else {
    refused++;
    if (status != DC_BAD_INPUT || error.status != status || strncmp(error.text, "fuzz.csv:", 9) != 0)
      complain("a refused table needs a message with its place");
  }
  dc_arena_destroy(arena);
  free(text);
  return 0;
}

#ifndef DC_LIBFUZZER

static const char *const seeds[] = {
    "time [s],box.x [m],box.y [m],box.z [m],box.qw,box.qx,box.qy,box.qz,gap [m]\n"
    "0,0,0,0.5,1,0,0,0,0.01\n"
    "0.01,0.001,0,0.5,0.6,0.8,0,0,0.01\n"
    "0.02,1.5e-3,-0,+.5,0.600001,0.8,0,0,nan\n",
    "\xef\xbb\xbf# made by hand\r\ntime,arm.x,\"a, b.z\",'box.qw,box.qx,box.qy,box.qz,,other\r\n"
    "-1,,2,1,0,0,0,,\r\n"
    "\r\n# a gap\r\n1e3,NaN, 3 ,nan,,,,x,\"say \"\"no\"\"\"\r\n",
    "ground.x,box.y,time\n0,1,2\n,,3",
};
enum { SEEDS = sizeof seeds / sizeof seeds[0], MOST = 2048 };

static const char *const pieces[] = {
    ",",      "\n",    "\r\n",  "\"", "\"\"", "#",   "'",    "nan",  "inf",          "1e9",    "1e999",
    "1e-320", "1e200", "0x1p3", "-",  ".x",   ".qw", "time", "box",  "arm",          "ground", "a, b",
    "box.qw", "time,", "[m]",   " [", "]",    "\t",  " ",    "\xff", "\xef\xbb\xbf", "nan(1)", "0,0,0,1,0,0,0,0,0\n"};

static void test_damaged_tables(void)
{
  const int rounds = damage_rounds(20000);
  struct dc_random random;
  seed_damage(&random, 21);
  for (int i = 0; i < rounds; i++) {
    char text[MOST + 2];
    const char *seed = seeds[i % SEEDS];
    size_t size = strlen(seed);
    text[0] = i % SEEDS == 2 ? 3 : (char)(dc_random_bits(&random) % 3);
    memcpy(text + 1, seed, size + 1);
    if (i >= SEEDS)
      size = damage_text(&random, text + 1, size, MOST, pieces, sizeof pieces / sizeof pieces[0]);
    size = strnlen(text + 1, size);  // dc_recording_read refuses bytes of zero
    LLVMFuzzerTestOneInput((const uint8_t *)text, size + 1);
    CHECK(!complaint, "round %d: %s\n#   %.*s", i, complaint, (int)size, text + 1);
    complaint = NULL;
    CHECK(i != SEEDS - 1 || accepted == SEEDS, "%ld of %d undamaged tables are accepted", accepted, SEEDS);
  }
  CHECK(accepted > rounds / 20 && refused > rounds / 20, "%ld accepted, %ld refused", accepted, refused);
  printf("# %ld accepted, %ld refused\n", accepted, refused);
}

TEST_MAIN
{
  static const struct test tests[] = {{"damaged tables", test_damaged_tables}};
  enter_temporary_folder();
  read_bodies();
  int status = run_tests(tests, 1);
  dc_scene_destroy(bodies_scene);
  return status;
}

#endif
