// SPDX-License-Identifier: Apache-2.0
// Damaged checkpoints, in a fixed random order: damaged bytes are refused, whoever seals them anew; numbers that nobody
// wrote are refused or go on, never crash, and nothing that is not finite gets into the results.
#include <dcsim.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>

#include "base/random.h"
#include "damage.h"
#include "harness.h"
#include "io/run/checkpoint.h"
#include "io/run/run_files.h"
#include "io/run/seal.h"
#include "io/scene_files.h"

static const struct dc_checkpoint_identity identity = {"fuzz", 1, 2, "fuzz", "fuzz"};
static struct dc_snapshot *read_back;

static size_t entries(const struct dc_snapshot *snapshot)
{
  struct dc_snapshot_entry entry;
  size_t count = 0;
  while (dc_snapshot_entry(snapshot, count, &entry))
    count++;
  return count;
}

// Reads bytes as the checkpoint of the directory "read".
static enum dc_status read_bytes(const char *bytes, size_t size, struct dc_error *error)
{
  *error = (struct dc_error){0};
  if (!read_back)
    read_back = dc_snapshot_create();
  mkdir("read", 0777);
  write_bytes("read/checkpoint.bin", bytes, size);
  return dc_checkpoint_read("read", &identity, true, read_back, error);
}

static const char *const scenes[] = {
    "{'time': {'step': 0.02, 'steps': 4}, 'contact': {'stiffness': 1e-5},\n"
    " 'shapes': {'ball': {'type': 'sphere', 'radius': 0.1, 'level': 0, 'base': 'octahedron'}},\n"
    " 'bodies': [{'name': 'cue', 'shape': 'ball', 'mass': 0.1, 'position': [-0.3, 0, 0.2], 'velocity': [2, 0, 0]},\n"
    "  {'name': 'eight', 'shape': 'ball', 'mass': 0.1, 'position': [0, 0.02, 0.2]}],\n"
    " 'control': [{'type': 'initial_state', 'body': 'cue', 'position': 'y', 'velocity': 'xy'}],\n"
    " 'objective': [{'type': 'reach', 'body': 'eight', 'target': [0.5, 0.2, 0.15], 'tolerance': 0.01}],\n"
    " 'optimizer': {'type': 'adam', 'learning_rate': 0.05, 'iterations': 6}}\n",
    "{'time': {'step': 0.04, 'steps': 4}, 'contact': {'stiffness': 1e-4},\n"
    " 'shapes': {'box': {'type': 'box', 'size': [0.2, 0.2, 0.2]}, 'ground': {'type': 'plane'}},\n"
    " 'bodies': [{'name': 'ground', 'joint': 'fixed', 'shape': 'ground'},\n"
    "  {'name': 'rod', 'shape': 'box', 'mass': 1, 'position': [0, 0.1, 0.25], 'pd': {'kp': 1000, 'kd': 10}}],\n"
    " 'control': [{'type': 'pd_velocity', 'body': 'rod', 'coordinates': 'x y', 'low': [-2, -1], 'high': [2, 1]}],\n"
    " 'objective': [{'type': 'reach', 'body': 'rod', 'target': [-2, 0, 0.25], 'axes': 'xy', 'when': 'every'}],\n"
    " 'gradient': {'type': 'bundle', 'samples': 1}, 'init': {'draws': 1, 'threshold': 1e6},\n"
    " 'optimizer': {'type': 'adam', 'learning_rate': 0.02}, 'horizon': {'length': 3, 'iterations': 3}}\n",
};
enum { SCENES = sizeof scenes / sizeof scenes[0], STOP_AFTER = 5 };

struct bytes {
  char *bytes;
  size_t size;
};

// A run directory, its scene, and what it held when it was stopped.
struct stopped_run {
  char directory[16];
  struct dc_scene *scene;
  dcsim_scene *public_scene;
  struct dc_snapshot *snapshot;
  struct bytes checkpoint, loss, progress;
  long rows;
};

static struct stopped_run runs[SCENES];

static int stop_after(void *context, const dcsim_progress *progress)
{
  int *left = context;
  (void)progress;
  return --*left == 0;
}

static struct bytes slurp(const char *directory, const char *name)
{
  struct bytes found = {0};
  char *path = dc_path_join(directory, name);
  if (!path || dc_file_read(path, (size_t)1 << 24, &found.bytes, &found.size, NULL)) {
    printf("Bail out! %s/%s\n", directory, name);
    exit(1);
  }
  free(path);
  return found;
}

static void put_back(const char *directory, const char *name, const struct bytes *bytes)
{
  char *path = dc_path_join(directory, name);
  if (path)
    write_bytes(path, bytes->bytes, bytes->size);
  free(path);
}

static void stop_a_run(struct stopped_run *run, int number)
{
  char name[16], path[40];
  int left = STOP_AFTER;
  dcsim_error error = {0};
  struct dc_error reading = {0};
  snprintf(run->directory, sizeof run->directory, "run%d", number);
  snprintf(name, sizeof name, "scene%d.json", number);
  snprintf(path, sizeof path, "%s/resolved.json", run->directory);
  write_scene(name, scenes[number]);
  dcsim_scene *scene;
  const dcsim_run_options options = {.size = sizeof options,
                                     .directory = run->directory,
                                     .progress = stop_after,
                                     .progress_context = &left,
                                     .checkpoint_seconds = 0};
  int status = dcsim_scene_open(name, NULL, &scene, &error);
  if (!status)
    status = dcsim_optimize(scene, &options, NULL, NULL, &error);
  dcsim_scene_close(scene);
  run->snapshot = dc_snapshot_create();
  if (status != DCSIM_STOPPED || dc_scene_read(path, NULL, &run->scene, &reading) ||
      dcsim_scene_open(path, NULL, &run->public_scene, &error) ||
      dc_checkpoint_read(run->directory, &identity, true, run->snapshot, &reading) ||
      dc_snapshot_get_integers(run->snapshot, "run/rows", 1, &run->rows, &reading)) {
    printf("Bail out! status %d: %s%s\n", status, error.text, reading.text);
    exit(1);
  }
  run->checkpoint = slurp(run->directory, "checkpoint.bin");
  run->loss = slurp(run->directory, "loss.csv");
  run->progress = slurp(run->directory, "progress.jsonl");
}

static void discard(struct stopped_run *run)
{
  dc_scene_destroy(run->scene);
  dcsim_scene_close(run->public_scene);
  dc_snapshot_destroy(run->snapshot);
  free(run->checkpoint.bytes);
  free(run->loss.bytes);
  free(run->progress.bytes);
}

// Changes a bit, a byte or eight, copies a stretch elsewhere, cuts or lengthens; size + 8 bytes have room.  The new
// size.
static size_t damage(struct dc_random *random, char *bytes, size_t size)
{
  static const uint64_t values[] = {0, UINT64_MAX, INT64_MAX, 1, 0x7ff0000000000000, 1 << 20};
  size_t at = dc_random_bits(random) % size, other = dc_random_bits(random) % size;
  size_t length = 1 + dc_random_bits(random) % 64, behind = size - (at > other ? at : other);
  switch (dc_random_bits(random) % 6) {
  case 0: bytes[at] = (char)dc_random_bits(random); break;
  case 1:
    for (size_t i = at; i < size && i < at + 8; i++)
      bytes[i] = (char)(values[dc_random_bits(random) % (sizeof values / sizeof values[0])] >> 8 * (i - at));
    break;
  case 2: memmove(bytes + at, bytes + other, length < behind ? length : behind); break;
  case 3: return dc_random_bits(random) % 4 ? size : at;
  case 4: memset(bytes + size, (int)dc_random_bits(random), 8); return size + dc_random_bits(random) % 9;
  default: bytes[at] ^= (char)(1 << dc_random_bits(random) % 8); break;
  }
  return size;
}

static void test_damaged_bytes(void)
{
  const int rounds = damage_rounds(3000);
  struct dc_random random;
  long refused = 0, unchanged = 0;
  seed_damage(&random, 33);
  for (int i = 0; i < rounds; i++) {
    const struct stopped_run *run = &runs[i % SCENES];
    struct dc_error error;
    size_t size = run->checkpoint.size;
    char *bytes = malloc(size + 8);
    if (!bytes)
      return;
    memcpy(bytes, run->checkpoint.bytes, size);
    for (int changes = 1 + (int)(dc_random_bits(&random) % 2); changes > 0 && size == run->checkpoint.size; changes--)
      size = damage(&random, bytes, size);
    bool same = size == run->checkpoint.size && memcmp(bytes, run->checkpoint.bytes, size) == 0;
    unchanged += same;
    refused += !same;
    enum dc_status status = read_bytes(bytes, size, &error);
    CHECK(status == (same ? DC_OK : DC_CHECKPOINT) && error.status == status, "round %d: %s", i, error.text);
    CHECK(same || (strncmp(error.text, "read/checkpoint.bin: ", 20) == 0 && entries(read_back) == 0), "%s", error.text);
    free(bytes);
  }
  CHECK(refused > rounds * 2 / 3, "%ld refused, %ld unchanged", refused, unchanged);
  printf("# %ld refused, %ld unchanged\n", refused, unchanged);
}

// The reader of the records alone, behind a seal that holds: it refuses or reads, in memory in proportion.
static void test_sealed_bytes(void)
{
  const int rounds = damage_rounds(20000);
  struct dc_random random;
  struct dc_error error;
  long refused = 0;
  seed_damage(&random, 35);
  for (int i = 0; i < rounds; i++) {
    const struct stopped_run *run = &runs[i % SCENES];
    size_t size = run->checkpoint.size - DC_SEAL_SIZE;
    char *bytes = malloc(DC_SEAL_SIZE + size + 8);
    if (!bytes)
      return;
    memcpy(bytes, run->checkpoint.bytes, DC_SEAL_SIZE + size);
    size = damage(&random, bytes + DC_SEAL_SIZE, size);
    dc_seal("dcsim checkpoint 2", bytes, DC_SEAL_SIZE + size);
    enum dc_status status = read_bytes(bytes, DC_SEAL_SIZE + size, &error);
    CHECK(status == DC_OK || status == DC_CHECKPOINT, "round %d: %d, %s", i, status, error.text);
    refused += status == DC_CHECKPOINT;
    free(bytes);
  }
  CHECK(refused > rounds / 20, "%ld refused", refused);
  printf("# %ld of %d refused\n", refused, rounds);
}

static double odd_real(struct dc_random *random, double was)
{
  const double values[] = {NAN, INFINITY, -INFINITY, 0, 1e308, -1e308, 1e-310, -was, was * 1.5, 1e6};
  return values[dc_random_bits(random) % (sizeof values / sizeof values[0])];
}

static long odd_integer(struct dc_random *random, long was)
{
  const long values[] = {0, -1, 1, 2, INT_MAX, INT_MIN, LONG_MAX, LONG_MIN, was + 1, was - 1, -was};
  return values[dc_random_bits(random) % (sizeof values / sizeof values[0])];
}

// Puts an array into snapshot with a number that nobody wrote, or with one too many or too few, or not at all.
static void put_damaged(struct dc_random *random, struct dc_snapshot *snapshot, const struct dc_snapshot_entry *entry)
{
  size_t count = entry->count, at = count ? dc_random_bits(random) % count : 0;
  uint64_t kind = dc_random_bits(random) % 12;
  if (kind == 0)
    return;
  size_t put = kind == 1 ? count + 1 : kind == 2 && count ? count - 1 : count;
  double *reals = calloc(count + 1, sizeof *reals);
  long *integers = calloc(count + 1, sizeof *integers);
  for (size_t i = 0; reals && integers && i < count; i++) {
    if (entry->reals)
      reals[i] = i == at ? odd_real(random, entry->reals[i]) : entry->reals[i];
    else
      integers[i] = i == at ? odd_integer(random, entry->integers[i]) : entry->integers[i];
  }
  if (entry->reals)
    CHECK(dc_snapshot_put_reals(snapshot, entry->name, put, reals) == DC_OK, "%s", entry->name);
  else
    CHECK(dc_snapshot_put_integers(snapshot, entry->name, put, integers) == DC_OK, "%s", entry->name);
  free(reals);
  free(integers);
}

// Writes the checkpoint again with one or two arrays damaged, into a run directory that is otherwise as it was.
static void write_damaged(struct dc_random *random, const struct stopped_run *stopped)
{
  struct dc_error error = {0};
  struct dc_run *run;
  struct dc_snapshot_entry entry;
  struct dc_snapshot *snapshot = dc_snapshot_create();
  size_t first = dc_random_bits(random) % entries(stopped->snapshot), second = first;
  if (dc_random_bits(random) % 4 == 0)
    second = dc_random_bits(random) % entries(stopped->snapshot);
  for (size_t i = 0; dc_snapshot_entry(stopped->snapshot, i, &entry); i++) {
    if (i == first || i == second)
      put_damaged(random, snapshot, &entry);
    else if (entry.reals)
      dc_snapshot_put_reals(snapshot, entry.name, entry.count, entry.reals);
    else
      dc_snapshot_put_integers(snapshot, entry.name, entry.count, entry.integers);
  }
  put_back(stopped->directory, "loss.csv", &stopped->loss);
  put_back(stopped->directory, "progress.jsonl", &stopped->progress);
  CHECK(dc_run_reopen(stopped->directory, stopped->scene, stopped->rows, &run, &error) == DC_OK, "%s", error.text);
  CHECK(dc_checkpoint_write(run, &identity, snapshot, &error) == DC_OK, "%s", error.text);
  CHECK(dc_run_close(run, &error) == DC_OK, "%s", error.text);
  dc_snapshot_destroy(snapshot);
}

static void test_damaged_numbers(void)
{
  const int rounds = damage_rounds(250);
  struct dc_random random;
  long ends[DCSIM_STOPPED + 1] = {0};
  seed_damage(&random, 34);
  for (int k = 0; k < SCENES; k++) {
    const struct stopped_run *run = &runs[k];
    for (int i = 0; i < rounds; i++) {
      dcsim_error error = {0};
      const dcsim_run_options options = {
          .size = sizeof options, .resume = run->directory, .force = 1, .checkpoint_seconds = 1e9};
      write_damaged(&random, run);
      int status = dcsim_optimize(run->public_scene, &options, NULL, NULL, &error);
      // bodies as fast as 1e308 m/s have more pairs than there is memory for
      bool known = status == DCSIM_OK || status == DCSIM_NUMERICAL || status == DCSIM_CHECKPOINT;
      CHECK(known || status == DCSIM_MEMORY, "scene %d round %d: %d, %s", k, i, status, error.text);
      ends[status]++;
      if (status != DCSIM_OK)
        continue;
      struct dc_stored_trajectory trajectory;
      struct dc_error reading = {0};
      CHECK(dc_run_read_trajectory(run->directory, run->scene, &trajectory, &reading) == DC_OK, "scene %d round %d: %s",
            k, i, reading.text);
      dc_arena_destroy(trajectory.arena);
    }
  }
  CHECK(ends[DCSIM_OK] > rounds / 4 && ends[DCSIM_CHECKPOINT] > rounds / 4, "%ld went on, %ld refused", ends[DCSIM_OK],
        ends[DCSIM_CHECKPOINT]);
  printf("# %ld went on, %ld refused, %ld failed\n", ends[DCSIM_OK], ends[DCSIM_CHECKPOINT], ends[DCSIM_NUMERICAL]);
}

// Every round syncs some twenty files, which costs nothing in memory.
static char memory_folder[] = "/dev/shm/dcsim-test-XXXXXX";

static void remove_memory_folder(void)
{
  if (chdir("/") == 0)
    nftw(memory_folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

// Where there is no such folder the temporary one does.
static void enter_memory_folder(void)
{
  if (!mkdtemp(memory_folder))
    return;
  atexit(remove_memory_folder);
  if (chdir(memory_folder))
    perror(memory_folder);
}

TEST_MAIN
{
  static const struct test tests[] = {{"damaged bytes", test_damaged_bytes},
                                      {"sealed bytes", test_sealed_bytes},
                                      {"damaged numbers", test_damaged_numbers}};
  enter_temporary_folder();
  enter_memory_folder();
  for (int k = 0; k < SCENES; k++)
    stop_a_run(&runs[k], k);
  int status = run_tests(tests, (int)(sizeof tests / sizeof tests[0]));
  for (int k = 0; k < SCENES; k++)
    discard(&runs[k]);
  dc_snapshot_destroy(read_back);
  return status;
}
